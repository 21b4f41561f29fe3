package availability_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// asking is a call of Check or Prices, or one request of a call of CheckAll.
type asking struct {
	room, rooms, roomTypes int
	own                    bool // the property, and not another one
}

func drawAsking(t *rapid.T) asking {
	return asking{
		room: rapid.SampledFrom([]int{0, 0, 1, 1, 2, 2, 3}).Draw(t, "room type"), rooms: uniform(t, 1, 4, "rooms"),
		roomTypes: rapid.SampledFrom([]int{0, 3, 3, 100}).Draw(t, "room types of the property"), own: !chance(t, 6, "other property"),
	}
}

func (s asking) request(m *ledger) availability.CheckRequest {
	return availability.CheckRequest{PropertyID: m.property(s.own), RoomTypeID: m.room(s.room), Rooms: s.rooms, RoomTypes: s.roomTypes}
}

// answer is what a check returns, with no nights if there are none.
func (s asking) answer(m *ledger, stay dynastay.Stay, fromIndex bool) availability.Availability {
	req := s.request(m)
	all := availability.Availability{
		PropertyID: req.PropertyID, RoomTypeID: req.RoomTypeID, Stay: stay,
		Refused: refusals(req.RoomTypeID, req.Rooms, 0, stay, m.onSale(req.PropertyID, req.RoomTypeID, false)),
	}
	if s.own {
		all.Nights = m.reads(req.RoomTypeID, stay, fromIndex)
	}
	return all
}

// sameAnswer compares answers. It does not matter whether an empty list is nil.
func (m *ledger) sameAnswer(want, got availability.Availability) {
	if len(want.Nights) == 0 && len(got.Nights) == 0 {
		want.Nights, got.Nights = nil, nil
	}
	require.Equal(m.t, want, got)
	if want.Refused == nil {
		require.True(m.t, got.OK())
		require.NoError(m.t, got.Err())
	} else {
		m.fails(&availability.Refused{Nights: want.Refused}, got.Err())
	}
	require.Equal(m.t, pricesOf(want.Nights, want.Stay), got.Prices())
}

// pricesOf adds up the prices of a stay.
func pricesOf(nights []availability.Night, stay dynastay.Stay) availability.Prices {
	var all availability.Prices
	sum := int64(0)
	for _, n := range nights {
		all.Nights = append(all.Nights, availability.NightPrice{Date: n.Date, Price: n.Price})
		sum += centsOf(n.Price)
	}
	if len(nights) == stay.CheckIn.DaysUntil(stay.CheckOut) {
		all.Total = dollars(sum)
	}
	return all
}

func options(consistent bool) []dynastay.ReadOption {
	if consistent {
		return []dynastay.ReadOption{dynastay.Consistent}
	}
	return nil
}

// checking is a call of Check.
type checking struct {
	asking
	stay       dynastay.Stay
	consistent bool
}

func drawCheck(t *rapid.T) step {
	return checking{drawAsking(t), drawDates(t, 1, 2, 3, 22), rapid.Bool().Draw(t, "consistent")}
}

func (s checking) String() string {
	return fmt.Sprintf("check %+v for %s, consistent %t", s.asking, s.stay, s.consistent)
}

func (s checking) run(m *ledger, on process) {
	req := s.request(m)
	got, err := on.repo.Check(context.Background(), req.PropertyID, req.RoomTypeID, req.Rooms, s.stay, options(s.consistent)...)
	if !m.failed(err) {
		require.NoError(m.t, err)
		m.sameAnswer(s.answer(m, s.stay, false), got)
	}
}

// pricing is a call of Prices.
type pricing checking

func drawPrices(t *rapid.T) step { return pricing(drawCheck(t).(checking)) }

func (s pricing) String() string { return fmt.Sprintf("prices of room type %d for %s", s.room, s.stay) }

func (s pricing) run(m *ledger, on process) {
	got, err := on.repo.Prices(context.Background(), m.room(s.room), s.stay, options(s.consistent)...)
	if !m.failed(err) {
		require.NoError(m.t, err)
		require.Equal(m.t, pricesOf(m.reads(m.room(s.room), s.stay, false), s.stay), got)
	}
}

// checkingAll is a call of CheckAll.
type checkingAll struct {
	asked      []asking
	stay       dynastay.Stay
	consistent bool
}

func drawCheckAll(t *rapid.T) step {
	return checkingAll{
		rapid.SliceOfN(rapid.Custom(drawAsking), 1, 5).Draw(t, "requests"), drawDates(t, 1, 1, 2, 3, 22), rapid.Bool().Draw(t, "consistent"),
	}
}

func (s checkingAll) String() string {
	return fmt.Sprintf("check all %+v for %s, consistent %t", s.asked, s.stay, s.consistent)
}

func (s checkingAll) run(m *ledger, on process) {
	reqs := make([]availability.CheckRequest, len(s.asked))
	for i, a := range s.asked {
		reqs[i] = a.request(m)
	}
	got, err := on.repo.CheckAll(context.Background(), reqs, s.stay, options(s.consistent)...)
	if m.failed(err) {
		return
	}
	require.NoError(m.t, err)
	require.Len(m.t, got, len(s.asked))
	// The nights of a property are read in one way, and only a consistent read says which.
	fromIndex := !s.consistent && slices.ContainsFunc(got, func(a availability.Availability) bool {
		return len(a.Nights) > 0 && a.Nights[0].UpdatedAt.IsZero()
	})
	if fromIndex {
		m.met.Add("check all: from the index", 1)
	} else {
		m.met.Add("check all: from the table", 1)
	}
	for i, a := range s.asked {
		m.sameAnswer(a.answer(m, s.stay, fromIndex), got[i])
	}
}

// viewing is a call of Calendar.
type viewing struct{ dates dynastay.Stay }

func drawCalendar(t *rapid.T) step { return viewing{drawDates(t, 1, 2, 7, 24)} }

func (s viewing) String() string { return fmt.Sprintf("calendar of %s", s.dates) }

func (s viewing) run(m *ledger, on process) {
	got, err := on.repo.Calendar(context.Background(), m.propertyID, s.dates)
	if m.failed(err) {
		return
	}
	require.NoError(m.t, err)
	want := &availability.Calendar{PropertyID: m.propertyID}
	var all availability.Totals
	for i := range s.dates.CheckIn.DaysUntil(s.dates.CheckOut) {
		date := s.dates.CheckIn.AddDays(i)
		day := availability.Day{Date: date}
		var totals availability.Totals
		for _, id := range m.rooms { // sorted
			one := dynastay.Stay{CheckIn: date, CheckOut: date.AddDays(1)}
			if nights := m.reads(id, one, true); len(nights) > 0 {
				day.Nights = append(day.Nights, nights...)
				add(&totals, m.nights[at{id, date}])
			}
			before := m.onSale(m.propertyID, id, false)[date.AddDays(-1)]
			if before.toEnd {
				day.ClosedToDeparture = append(day.ClosedToDeparture, id)
			}
		}
		want.Days = append(want.Days, day)
		require.Equal(m.t, totals, got.Days[i].Totals())
		require.Equal(m.t, totals.Rooms+totals.Overbooked, totals.Sold+totals.Left+totals.Closed+totals.OutOfOrder)
		for _, sum := range []struct{ all, day *int }{
			{&all.Rooms, &totals.Rooms}, {&all.Sold, &totals.Sold}, {&all.Left, &totals.Left}, {&all.Closed, &totals.Closed},
			{&all.Overbooked, &totals.Overbooked}, {&all.OutOfOrder, &totals.OutOfOrder},
		} {
			*sum.all += *sum.day
		}
	}
	for _, id := range m.rooms {
		if len(m.reads(id, s.dates, true)) > 0 {
			want.RoomTypeIDs = append(want.RoomTypeIDs, id)
		}
	}
	require.Equal(m.t, want, got)
	require.Equal(m.t, all, got.Totals())
}

// add adds a night to the totals of its date.
func add(t *availability.Totals, n openNight) {
	t.Rooms += n.total
	t.Sold += n.sold
	t.OutOfOrder += n.out
	switch left := n.left(); {
	case left < 0:
		t.Overbooked -= left
	case n.stop || n.closed:
		t.Closed += left
	default:
		t.Left += left
	}
}

// lastDay reads the nights around the instant at which one of them expires, two years later.
func (m *ledger) lastDay(repo *availability.Repository, day, seconds int) {
	m.fault = model.Trouble{}
	m.db.Clock.Set(expires(firstDate.AddDays(day)).Add(time.Duration(seconds) * time.Second))
	dates := dynastay.Stay{CheckIn: firstDate.AddDays(day - 1), CheckOut: firstDate.AddDays(day + 2)}
	on := process{m.db.DB, repo}
	viewing{dates}.run(m, on)
	for i := range m.rooms {
		asked := asking{room: i, rooms: 1, roomTypes: 3, own: true}
		checking{asked, dates, true}.run(m, on)
		pricing{asking: asked, stay: dates}.run(m, on)
	}
	every := []asking{{0, 1, 3, true}, {1, 2, 3, true}, {2, 3, 3, true}}
	checkingAll{every, dates, false}.run(m, on)
	checkingAll{every, dates, true}.run(m, on)
}
