package bookings_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// The rules of the first night bind an arrival that moves, and a stay that gets shorter or longer before the guests are
// there; the rule of the last night binds a departure that moves. Whatever the host has ruled since, what the booking has
// already stays possible.
func TestRulesOfAModification(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	const in, short, long, out = "ClosedToArrival", "MinStay", "MaxStay", "ClosedToDeparture"
	upcoming, today := innNoon, innStay.CheckIn.Time().Add(12*time.Hour)
	reasons := map[string]availability.Reason{
		in: availability.ClosedToArrival, short: availability.MinStay, long: availability.MaxStay, out: availability.ClosedToDeparture,
	}
	for _, test := range []struct {
		name    string
		at      time.Time
		arrived bool
		stay    dynastay.Stay
		rooms   int
		binds   []string // of the four rules, all of which are set so that any stay breaks them
	}{
		{"nothing", upcoming, false, innStay, 2, nil},
		{"longer", upcoming, false, dynastay.MustStay("2026-07-05", "2026-07-09"), 2, []string{long, out}},
		{"shorter", upcoming, false, dynastay.MustStay("2026-07-05", "2026-07-07"), 2, []string{short, out}},
		{"earlier arrival", upcoming, false, dynastay.MustStay("2026-07-04", "2026-07-08"), 2, []string{in, short, long}},
		{"later arrival", upcoming, false, dynastay.MustStay("2026-07-06", "2026-07-08"), 2, []string{in, short, long}},
		{"other dates", upcoming, false, dynastay.MustStay("2026-07-06", "2026-07-09"), 2, []string{in, short, long, out}},
		{"a room more", upcoming, false, innStay, 3, []string{in, short, long, out}},
		{"a room less", upcoming, false, innStay, 1, nil},
		{"a room less and longer", upcoming, false, dynastay.MustStay("2026-07-05", "2026-07-09"), 1, []string{long, out}},
		{"a room less and shorter", upcoming, false, dynastay.MustStay("2026-07-05", "2026-07-07"), 1, []string{short, out}},
		{"a room less and later", upcoming, false, dynastay.MustStay("2026-07-06", "2026-07-08"), 1, []string{in, short, long}},
		{"longer, on the day of arrival", today, false, dynastay.MustStay("2026-07-05", "2026-07-09"), 2, []string{long, out}},
		{"shorter, on the day of arrival", today, false, dynastay.MustStay("2026-07-05", "2026-07-07"), 2, []string{short, out}},
		{"later, on the day of arrival", today, false, dynastay.MustStay("2026-07-06", "2026-07-08"), 2, []string{in, short, long}},
		{"longer, a day after arrival", today.Add(24 * time.Hour), false, dynastay.MustStay("2026-07-05", "2026-07-09"), 2, []string{out}},
		{"shorter, a day after arrival", today.Add(24 * time.Hour), false, dynastay.MustStay("2026-07-05", "2026-07-07"), 2, []string{out}},
		{"longer, checked in", today, true, dynastay.MustStay("2026-07-05", "2026-07-09"), 2, []string{out}},
		{"shorter, checked in", today, true, dynastay.MustStay("2026-07-05", "2026-07-06"), 2, []string{out}},
		{"nothing, checked in", today, true, innStay, 2, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, ruled := range []bool{true, false} { // before the quote, or after it
				i := inns.next(t)
				b := i.book(t, innStay, rooms{"a": 2})
				i.Clock.Set(test.at)
				if test.arrived {
					_, err := i.repo.CheckIn(t.Context(), b.ID, nil)
					require.NoError(t, err)
				}
				m := i.quote(t, b.ID, test.stay, rooms{"a": test.rooms})
				i.set(t, "a", test.stay.CheckIn, in, true)
				i.set(t, "a", test.stay.CheckIn, short, 9)
				i.set(t, "a", test.stay.CheckIn, long, 1)
				i.set(t, "a", test.stay.LastNight(), out, true)
				var err error
				if ruled {
					_, err = i.repo.QuoteModification(t.Context(), b.ID, i.request(test.stay, rooms{"a": test.rooms}))
				} else {
					_, err = i.repo.Modify(t.Context(), m)
				}
				if test.binds == nil {
					require.NoError(t, err)
					continue
				}
				var want, got []availability.Reason
				for _, rule := range test.binds {
					want = append(want, reasons[rule])
				}
				var refused *availability.Refused
				require.ErrorAs(t, err, &refused)
				for _, n := range refused.Nights {
					got = append(got, n.Reason)
				}
				assert.ElementsMatch(t, want, got)
				assert.Equal(t, takenBy(innStay, rooms{"a": 2}), i.taken(t))
			}
		})
	}
}

// Each rule alone is a condition of the database, which refuses the modification or lets it pass at the limit.
func TestRulesAtTheirLimit(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	longer, shorter := dynastay.MustStay("2026-07-05", "2026-07-09"), dynastay.MustStay("2026-07-05", "2026-07-07")
	for _, test := range []struct {
		name   string
		stay   dynastay.Stay
		set    string
		value  int
		reason availability.Reason // "" if the booking is modified
	}{
		{"longer, above the maximum", longer, "MaxStay", 3, availability.MaxStay},
		{"longer, at the maximum", longer, "MaxStay", 4, ""},
		{"longer, still below a new minimum", longer, "MinStay", 5, ""},
		{"shorter, below the minimum", shorter, "MinStay", 3, availability.MinStay},
		{"shorter, at the minimum", shorter, "MinStay", 2, ""},
		{"shorter, still above a new maximum", shorter, "MaxStay", 1, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.book(t, innStay, rooms{"a": 1})
			m := i.quote(t, b.ID, test.stay, rooms{"a": 1})
			i.set(t, "a", innStay.CheckIn, test.set, test.value)
			_, err := i.repo.Modify(t.Context(), m)
			if test.reason == "" {
				require.NoError(t, err)
				return
			}
			var refused *availability.Refused
			require.ErrorAs(t, err, &refused)
			require.Len(t, refused.Nights, 1)
			assert.Equal(t, test.reason, refused.Nights[0].Reason)
		})
	}
}

// A guest who gives rooms back keeps the price of the others.
func TestFewerRoomsKeepTheirPrice(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	longer, later := dynastay.MustStay("2026-07-05", "2026-07-09"), dynastay.MustStay("2026-07-07", "2026-07-10")
	for _, test := range []struct {
		name  string
		steps []dynastay.Stay
		rooms []int
		total string // of the rooms after the last step
	}{
		{"one of two", []dynastay.Stay{innStay}, []int{1}, "300"},
		{"two of three kept", []dynastay.Stay{innStay}, []int{2}, "600"},
		{"the same", []dynastay.Stay{innStay}, []int{3}, "900"},
		{"one room more", []dynastay.Stay{innStay}, []int{4}, "3000"},
		{"fewer and longer", []dynastay.Stay{longer}, []int{1}, "550"},
		{"fewer and other dates", []dynastay.Stay{later}, []int{2}, "1200"},
		{"fewer, then fewer", []dynastay.Stay{innStay, innStay}, []int{2, 1}, "300"},
		{"fewer, then more", []dynastay.Stay{innStay, innStay}, []int{1, 2}, "1500"},
		{"fewer, then longer", []dynastay.Stay{innStay, longer}, []int{2, 2}, "1100"},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.book(t, innStay, rooms{"a": 3})
			for date := range innNights.Dates() {
				i.set(t, "a", date, "PricePerNight", dynastay.MustMoney("250", "USD"))
			}
			for step, stay := range test.steps {
				m := i.quote(t, b.ID, stay, rooms{"a": test.rooms[step]})
				got, err := i.repo.Modify(t.Context(), m)
				require.NoError(t, err)
				b = got.Booking
				assert.Equal(t, takenBy(stay, rooms{"a": test.rooms[step]}), i.taken(t))
			}
			assert.Equal(t, dynastay.MustMoney(test.total, "USD").String(), b.Breakdown.Rooms.String())
			stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, b, stored)
		})
	}
}
