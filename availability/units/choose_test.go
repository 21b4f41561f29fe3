package units_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
)

var monday = dynastay.MustDate("2026-07-06")

func nights(from, to int) dynastay.Stay {
	return dynastay.Stay{CheckIn: monday.AddDays(from), CheckOut: monday.AddDays(to)}
}

func kings(ids ...string) (all []units.Unit) {
	for _, id := range ids {
		all = append(all, units.Unit{ID: id, RoomTypeID: "king", Floor: id[:1]})
	}
	return all
}

func king(from, to int) units.Need { return units.Need{RoomTypeID: "king", Nights: nights(from, to)} }

func TestChoose(t *testing.T) {
	t.Parallel()
	wish := func(n units.Need, w units.Wish) units.Need {
		n.Wish = w
		return n
	}
	sea := kings("101", "201", "202", "301")
	sea[2].Features = []string{"sea view"}
	retired := kings("101", "102")
	retired[0].Retired = true
	by := units.Occupant{BookingID: "bkg_1", Line: 1}
	taken := func(id string, from, to int) (all []units.TakenNight) {
		for date := range nights(from, to).Dates() {
			all = append(all, units.TakenNight{Night: units.Night{UnitID: id, Date: date}, By: by})
		}
		return all
	}
	for _, test := range []struct {
		name  string
		all   []units.Unit
		taken []units.TakenNight
		needs []units.Need
		want  []string
	}{
		{"nobody", kings("101"), nil, nil, []string{}},
		{"no unit of the room type", []units.Unit{{ID: "1", RoomTypeID: "twin"}}, nil, []units.Need{king(0, 1)}, []string{""}},
		{"retired", retired, nil, []units.Need{king(0, 1), king(0, 1)}, []string{"102", ""}},
		{"one after the other", kings("101", "102"), nil, []units.Need{king(2, 4), king(0, 2)}, []string{"101", "101"}},
		{"at the same time", kings("101", "102"), nil, []units.Need{king(0, 2), king(1, 3)}, []string{"101", "102"}},
		{"somebody is there", kings("101", "102"), taken("101", 1, 2), []units.Need{king(0, 2)}, []string{"102"}},
		{"beside somebody, not alone", kings("101", "102"), taken("102", 2, 3), []units.Need{king(0, 2), king(5, 6)}, []string{"102", "102"}},
		{"into the shorter gap", kings("101", "102"), append(taken("101", 4, 5), taken("102", 2, 3)...), []units.Need{king(0, 2), king(3, 6)}, []string{"102", "102"}},
		{"a floor", sea, nil, []units.Need{wish(king(0, 1), units.Wish{Floor: "3"})}, []string{"301"}},
		{"a feature", sea, nil, []units.Need{king(0, 1), wish(king(0, 1), units.Wish{Features: []string{"sea view"}})}, []string{"101", "202"}},
		{"no such floor", sea, nil, []units.Need{wish(king(0, 1), units.Wish{Floor: "9"})}, []string{"101"}},
		{"together", sea, taken("101", 1, 2), []units.Need{
			wish(king(0, 1), units.Wish{Together: "b"}), wish(king(0, 1), units.Wish{Together: "b", Floor: "2"}),
		}, []string{"202", "201"}},
		// The wish comes first, and would leave nobody's unit for the second stay.
		{"everybody before a wish", kings("101", "201"), taken("201", 2, 3), []units.Need{
			king(1, 3), wish(king(0, 1), units.Wish{Floor: "1"}), king(0, 1),
		}, []string{"101", "101", "201"}},
		{"somebody makes room", kings("101", "102"), append(taken("101", 3, 4), taken("102", 0, 1)...), []units.Need{
			king(1, 3), king(1, 4),
		}, []string{"101", "102"}},
		// In every order of the needs, the third would have none: the first must go to 102 for it.
		{"somebody who came first makes room", kings("101", "102"), taken("101", 6, 7), []units.Need{
			king(3, 5), king(4, 6), king(5, 7),
		}, []string{"102", "101", "102"}},
		{"nobody goes where somebody stays", kings("101"), taken("101", 0, 1), []units.Need{king(0, 1)}, []string{""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, units.Choose(test.all, test.taken, test.needs))
		})
	}
}

// most returns the largest number of needs that can have a unit, of all that there are.
func most(all []units.Unit, busy map[string][]bool, needs []units.Need) int {
	if len(needs) == 0 {
		return 0
	}
	best := most(all, busy, needs[1:])
	from, to := monday.DaysUntil(needs[0].Nights.CheckIn), monday.DaysUntil(needs[0].Nights.CheckOut)
	for _, u := range all {
		if slices.Contains(busy[u.ID][from:to], true) {
			continue
		}
		for at := from; at < to; at++ {
			busy[u.ID][at] = true
		}
		best = max(best, 1+most(all, busy, needs[1:]))
		for at := from; at < to; at++ {
			busy[u.ID][at] = false
		}
	}
	return best
}

// drawn returns random units, who is there, and who comes.
func drawn(draw *rand.Rand, unitCount, dates, needCount int, occupied float64) (all []units.Unit, taken []units.TakenNight, needs []units.Need) {
	for n := range unitCount {
		all = append(all, units.Unit{ID: fmt.Sprintf("%03d", n), RoomTypeID: "king", Floor: fmt.Sprint(n % 5)})
	}
	for _, u := range all {
		for at := range dates {
			if draw.Float64() < occupied {
				taken = append(taken, units.TakenNight{Night: units.Night{UnitID: u.ID, Date: monday.AddDays(at)}, By: units.Occupant{BookingID: "b", Line: 1}})
			}
		}
	}
	for range needCount {
		from := draw.IntN(dates)
		need := king(from, min(dates, from+1+draw.IntN(5)))
		if draw.IntN(3) == 0 {
			need.Floor = fmt.Sprint(draw.IntN(5))
		}
		needs = append(needs, need)
	}
	return all, taken, needs
}

// checkChosen fails the test if a plan gives a unit to two at a time.
func checkChosen(t *testing.T, taken []units.TakenNight, needs []units.Need, chosen []string) (n int) {
	t.Helper()
	busy := map[units.Night]bool{}
	for _, night := range taken {
		busy[night.Night] = true
	}
	for i, id := range chosen {
		if id == "" {
			continue
		}
		n++
		for date := range needs[i].Nights.Dates() {
			at := units.Night{UnitID: id, Date: date}
			require.False(t, busy[at], "%v", at)
			busy[at] = true
		}
	}
	return n
}

// As many needs get a unit as is possible at all, if nobody is there already; otherwise, in almost all cases.
func TestChooseAgainstAllPlans(t *testing.T) {
	t.Parallel()
	for _, occupied := range []float64{0, 0.15} {
		seed := rand.Uint64()
		draw, cases, worse := rand.New(rand.NewPCG(seed, 1)), 1500, 0
		for range cases {
			all, taken, needs := drawn(draw, 1+draw.IntN(3), 7, 1+draw.IntN(7), occupied)
			n := checkChosen(t, taken, needs, units.Choose(all, taken, needs))
			busy := map[string][]bool{}
			for _, u := range all {
				busy[u.ID] = make([]bool, 7)
			}
			for _, night := range taken {
				busy[night.UnitID][monday.DaysUntil(night.Date)] = true
			}
			if best := most(all, busy, needs); n < best {
				worse++
				require.NotZero(t, occupied, "seed %d: %d instead of %d of %v", seed, n, best, needs)
				require.Equal(t, best-1, n, "seed %d", seed)
			}
		}
		t.Logf("occupied %v: %d of %d cases are not the best, seed %d", occupied, worse, cases, seed)
		assert.LessOrEqual(t, worse, cases/50)
	}
}

// 500 units and 60 nights, in a house that is almost full, and in one with more needs than units.
func BenchmarkChoose(b *testing.B) {
	for _, count := range []int{8_000, 14_000} {
		b.Run(fmt.Sprint(count, " needs"), func(b *testing.B) {
			all, taken, needs := drawn(rand.New(rand.NewPCG(1, 1)), 500, 60, count, 0.02)
			for b.Loop() {
				units.Choose(all, taken, needs)
			}
		})
	}
}
