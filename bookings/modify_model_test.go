package bookings_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// innNight is a night in the model; a closed one has no item.
type innNight struct {
	closed                                bool
	left                                  int
	price                                 dynastay.Money
	stopSell, propertyClosed, noIn, noOut bool
	minStay, maxStay                      int
}

// innModel says what a modification does: the booking and the nights as the documentation describes them.
type innModel struct {
	*inn
	t       *testing.T
	nights  map[string]map[dynastay.Date]innNight
	stay    dynastay.Stay // of the booking
	rooms   rooms
	prices  map[string]map[dynastay.Date]dynastay.Money
	version int
}

// edit changes a night, as other guests and the host do.
func (m *innModel) edit(rt *rapid.T) {
	room := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "room")
	date := innNights.CheckIn.AddDays(rapid.IntRange(0, 8).Draw(rt, "night"))
	n := m.nights[room][date]
	set := func(name string, v any) {
		if !n.closed {
			m.set(m.t, room, date, name, v)
		}
	}
	switch rapid.IntRange(0, 9).Draw(rt, "edit") {
	case 0:
		n.closed = !n.closed
		if n.closed {
			remove(m.t, m.DB, nightKey(m.roomType(room), date))
		} else {
			n = innNight{left: innRooms, price: innPrices[room]}
			raw.Put(m.t, m.DB, keys.AvailabilityTable, m.night(room, date))
		}
	case 1, 2:
		n.left = rapid.IntRange(0, 3).Draw(rt, "left")
		set("AvailableRooms", n.left)
	case 3, 4:
		n.price = dynastay.MustMoney(rapid.SampledFrom([]string{"80", "100", "120.25"}).Draw(rt, "price"), "USD")
		set("PricePerNight", n.price)
	case 5:
		n.stopSell = !n.stopSell
		set("IsBlocked", n.stopSell)
	case 6:
		n.propertyClosed = !n.propertyClosed
		set("PropertyClosed", n.propertyClosed)
	case 7:
		n.noIn = !n.noIn
		set("ClosedToArrival", n.noIn)
	case 8:
		n.noOut = !n.noOut
		set("ClosedToDeparture", n.noOut)
	default:
		n.minStay, n.maxStay = rapid.IntRange(0, 4).Draw(rt, "min"), rapid.SampledFrom([]int{0, 2, 3, 5}).Draw(rt, "max")
		set("MinStay", n.minStay)
		set("MaxStay", n.maxStay)
	}
	m.nights[room][date] = n
}

// deltas returns the rooms that a night of a room type needs in addition, for every night that has or gets rooms.
func (m *innModel) deltas(stay dynastay.Stay, want rooms) map[string]map[dynastay.Date]int {
	all := map[string]map[dynastay.Date]int{}
	for room := range innPrices {
		all[room] = map[dynastay.Date]int{}
		for date := range stay.Dates() {
			all[room][date] += want[room]
		}
		for date := range m.stay.Dates() {
			all[room][date] -= m.rooms[room]
		}
	}
	return all
}

// refusals returns why a modification is refused. At is the quote's price of a night; without it, a quote is asked for.
func (m *innModel) refusals(stay dynastay.Stay, want rooms, at map[string]map[dynastay.Date]dynastay.Money) (all []availability.RefusedNight) {
	for room, delta := range m.deltas(stay, want) {
		if want[room] == 0 {
			continue
		}
		for date := range stay.Dates() {
			n, d := m.nights[room][date], delta[date]
			add := func(no bool, r availability.RefusedNight) {
				if no {
					r.RoomTypeID, r.Date = m.roomType(room), date
					all = append(all, r)
				}
			}
			if n.closed {
				add(d > 0, availability.RefusedNight{Reason: availability.NotOnSale})
				continue
			}
			arrives := date == stay.CheckIn && (d > 0 || stay.CheckIn != m.stay.CheckIn)
			leaves := date == stay.LastNight() && (d > 0 || stay.CheckOut != m.stay.CheckOut)
			kept := date == stay.CheckIn && !m.stay.CheckIn.Before(dynastay.DateOf(m.Now(), time.UTC))
			shorter, longer := kept && stay.Nights() < m.stay.Nights(), kept && stay.Nights() > m.stay.Nights()
			add(d > 0 && n.stopSell, availability.RefusedNight{Reason: availability.StopSell})
			add(d > 0 && n.propertyClosed, availability.RefusedNight{Reason: availability.PropertyClosed})
			add(d > 0 && n.left < d, availability.RefusedNight{Reason: availability.SoldOut, Left: n.left})
			add(arrives && n.noIn, availability.RefusedNight{Reason: availability.ClosedToArrival})
			add((arrives || shorter) && n.minStay > stay.Nights(), availability.RefusedNight{Reason: availability.MinStay, Nights: n.minStay})
			add((arrives || longer) && n.maxStay > 0 && n.maxStay < stay.Nights(), availability.RefusedNight{Reason: availability.MaxStay, Nights: n.maxStay})
			add(leaves && n.noOut, availability.RefusedNight{Reason: availability.ClosedToDeparture})
			add(d > 0 && at != nil && at[room][date] != n.price, availability.RefusedNight{Reason: availability.PriceChanged, Price: n.price})
		}
	}
	slices.SortFunc(all, byNight)
	return all
}

func byNight(a, b availability.RefusedNight) int {
	return cmp.Or(cmp.Compare(a.RoomTypeID, b.RoomTypeID), a.Date.Compare(b.Date), cmp.Compare(a.Reason, b.Reason))
}

// quoted returns the prices that the quote must have.
func (m *innModel) quoted(stay dynastay.Stay, want rooms) map[string]map[dynastay.Date]dynastay.Money {
	all := map[string]map[dynastay.Date]dynastay.Money{}
	for room, n := range want {
		all[room] = map[dynastay.Date]dynastay.Money{}
		for date := range stay.Dates() {
			all[room][date] = m.nights[room][date].price
			if m.rooms[room] >= n && m.stay.Contains(date) {
				all[room][date] = m.prices[room][date]
			}
		}
	}
	return all
}

// past reports whether a night that is over would be added or returned.
func (m *innModel) past(stay dynastay.Stay, want rooms) bool {
	today := dynastay.DateOf(m.Now(), time.UTC)
	for _, delta := range m.deltas(stay, want) {
		for date, d := range delta {
			if d != 0 && date.Before(today) {
				return true
			}
		}
	}
	return false
}

// fails reports whether the call failed as it must, and fails the test if it did otherwise.
func fails(rt *rapid.T, past bool, refused []availability.RefusedNight, err error) bool {
	var invalid *dynastay.InvalidError
	var got *bookings.Refused
	switch {
	case past:
		require.ErrorAs(rt, err, &invalid)
		assert.Contains(rt, []string{"Stay", "Quote.Stay"}, invalid.Field)
		return true
	case refused != nil:
		require.ErrorAs(rt, err, &got)
		sorted := slices.SortedFunc(slices.Values(got.Nights), byNight)
		require.Equal(rt, refused, sorted)
		return true
	}
	require.NoError(rt, err)
	return false
}

// modify quotes and makes one modification, with edits before and in between.
func (m *innModel) modify(rt *rapid.T, id string) {
	edits := func() {
		for range rapid.IntRange(0, 3).Draw(rt, "edits") {
			m.edit(rt)
		}
	}
	edits()
	from := innNights.CheckIn.AddDays(rapid.IntRange(0, 5).Draw(rt, "check-in"))
	stay := dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(rapid.IntRange(1, 4).Draw(rt, "nights"))}
	want := rooms{}
	for _, room := range []string{"a", "b", "c"} {
		if n := rapid.SampledFrom([]int{0, 1, 1, 2}).Draw(rt, room); n > 0 {
			want[room] = n
		}
	}
	if rapid.Bool().Draw(rt, "same stay") {
		stay = m.stay
	}
	if len(want) == 0 || rapid.Bool().Draw(rt, "same rooms") {
		want = m.rooms
	}
	mod, err := m.repo.QuoteModification(m.t.Context(), id, m.request(stay, want))
	if fails(rt, m.past(stay, want), m.refusals(stay, want, nil), err) {
		return
	}
	prices := m.quoted(stay, want)
	for _, line := range mod.Quote.Lines {
		room := line.RoomTypeID[len(m.id)+1:]
		for _, night := range line.Nights {
			require.Equal(rt, prices[room][night.Date].String(), night.Price.String(), "%s %s", room, night.Date)
		}
	}
	if rapid.IntRange(0, 2).Draw(rt, "later") == 0 {
		m.Clock.Advance(24 * time.Hour)
	}
	edits()
	if m.over() {
		return // status_test and modify_clock_test are about that
	}
	got, err := m.repo.Modify(m.t.Context(), mod)
	if fails(rt, m.past(stay, want), m.refusals(stay, want, prices), err) {
		return
	}
	var missing []bookings.MissingNight
	for room, delta := range m.deltas(stay, want) {
		for date, d := range delta {
			n := m.nights[room][date]
			if n.closed && d < 0 {
				missing = append(missing, bookings.MissingNight{RoomTypeID: m.roomType(room), Date: date})
			}
			n.left -= d
			m.nights[room][date] = n
		}
	}
	assert.ElementsMatch(rt, missing, got.Missing)
	if stay != m.stay || !maps.Equal(want, m.rooms) {
		m.version++
	}
	m.stay, m.rooms, m.prices = stay, want, prices
}

func (m *innModel) over() bool { return dynastay.DateOf(m.Now(), time.UTC).After(m.stay.CheckOut) }

// agree compares the nights and the booking with what is stored.
func (m *innModel) agree(rt *rapid.T, id string) {
	for room := range innPrices {
		got, err := availability.New(m.Direct).Check(m.t.Context(), m.id, m.roomType(room), 1, innNights, dynastay.Consistent)
		require.NoError(rt, err)
		left := map[dynastay.Date]int{}
		for _, n := range got.Nights {
			left[n.Date] = n.Available
		}
		for date, n := range m.nights[room] {
			if !n.closed {
				require.Equal(rt, n.left, left[date], "%s %s", room, date)
			}
		}
	}
	b, err := m.repo.Get(m.t.Context(), id, dynastay.Consistent)
	require.NoError(rt, err)
	require.Equal(rt, m.stay, b.Stay)
	require.Equal(rt, m.version, b.Version)
	stored, total := rooms{}, dynastay.MustMoney("0", "USD")
	for _, line := range b.Lines {
		room := line.RoomTypeID[len(m.id)+1:]
		stored[room] = line.Quantity
		for _, night := range line.Nights {
			require.Equal(rt, m.prices[room][night.Date].String(), night.Price.String())
			sum, err := night.Price.Times(line.Quantity)
			require.NoError(rt, err)
			total, err = total.Add(sum)
			require.NoError(rt, err)
		}
	}
	require.Equal(rt, m.rooms, stored)
	require.Equal(rt, total.String(), b.Total.String())
}

// A booking is modified again and again, while prices, rooms and restrictions change, also between the quote and the
// modification. Every result is the one of the model, with each refused night and its reason.
func TestModifyAgreesWithTheModel(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	rapid.Check(t, func(rt *rapid.T) {
		i.open(t)
		i.Clock.Set(innNights.CheckIn.Time().Add(12 * time.Hour))
		m := &innModel{inn: i, t: t, nights: map[string]map[dynastay.Date]innNight{}, stay: dynastay.MustStay("2026-07-02", "2026-07-05"), version: 1}
		m.rooms = rapid.SampledFrom([]rooms{{"a": 1}, {"a": 2, "b": 1}, {"b": 1, "c": 1}}).Draw(rt, "rooms")
		for room, price := range innPrices {
			m.nights[room] = map[dynastay.Date]innNight{}
			for date := range innNights.Dates() {
				m.nights[room][date] = innNight{left: innRooms, price: price}
			}
			for date := range m.stay.Dates() {
				n := m.nights[room][date]
				n.left -= m.rooms[room]
				m.nights[room][date] = n
			}
		}
		m.prices = map[string]map[dynastay.Date]dynastay.Money{}
		b := m.book(t, m.stay, m.rooms)
		for room := range maps.Keys(m.rooms) {
			m.prices[room] = map[dynastay.Date]dynastay.Money{}
			for date := range m.stay.Dates() {
				m.prices[room][date] = innPrices[room]
			}
		}
		for range rapid.IntRange(1, 4).Draw(rt, "modifications") {
			if m.over() {
				break
			}
			m.modify(rt, b.ID)
			m.agree(rt, b.ID)
		}
	})
}
