package availability_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// openingNights is a call of Open.
type openingNights struct {
	availability.OpenRequest
	on    days
	room  int
	rates [len(modelPlans)]planRate
}

func drawOpen(t *rapid.T) step {
	s := openingNights{on: drawDays(t), room: rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2, 2, 2, 3}).Draw(t, "room type")}
	s.Nights, s.Weekdays = drawDates(t, 1, 2, 5, 22), s.on.weekdays()
	s.Rooms, s.AboveCapacity = uniform(t, 1, modelCapacity+1, "rooms"), rapid.Bool().Draw(t, "above capacity")
	s.Price, s.OverbookLimit = drawPrice(t), drawLimit(t)
	s.MinStay, s.MaxStay = rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(t, "min"), rapid.SampledFrom([]int{0, 0, 0, 2, 3}).Draw(t, "max")
	if s.StopSell = chance(t, 4, "stop-sell"); s.StopSell {
		s.StopSellReason = drawReason(t)
	}
	for i, id := range modelPlans {
		r := drawRate(t)
		if id == derivedPlan && !chance(t, 5, "price of a derived plan") {
			r.priced, r.cents = false, 0
		}
		if r != (planRate{}) && chance(t, 3, "plan") {
			if s.Rates == nil {
				s.Rates = map[string]availability.Rate{}
			}
			s.rates[i], s.Rates[id] = r, r.rate()
		}
	}
	return s
}

func drawRate(t *rapid.T) (r planRate) {
	if r.priced = chance(t, 2, "priced"); r.priced {
		r.cents = rapid.SampledFrom([]int64{0, 9_000, 10_550}).Draw(t, "price")
	}
	r.min, r.max = rapid.SampledFrom([]int{0, 0, 2}).Draw(t, "min"), rapid.SampledFrom([]int{0, 0, 3}).Draw(t, "max")
	r.toArrival, r.toEnd, r.stop = chance(t, 4, "arrival"), chance(t, 4, "departure"), chance(t, 4, "stop")
	return r
}

func drawPrice(t *rapid.T) dynastay.Money {
	if chance(t, 30, "euros") {
		return money("90.00 EUR")
	}
	return dollars(rapid.SampledFrom([]int64{0, 9_950, 10_000, 10_000, 12_050}).Draw(t, "price"))
}

func drawLimit(t *rapid.T) int { return rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "limit") }

func drawReason(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "painting", "plumbing"}).Draw(t, "reason")
}

func centsOf(price dynastay.Money) int64 {
	cents, err := price.Minor()
	if err != nil {
		panic(err)
	}
	return cents
}

func (s openingNights) String() string {
	return fmt.Sprintf("open room type %d on %s (%s): %d at %s, above capacity %t, limit %d, %d to %d nights, stop-sell %t %q, rates %v",
		s.room, s.Nights, s.Weekdays, s.Rooms, s.Price, s.AboveCapacity, s.OverbookLimit, s.MinStay, s.MaxStay, s.StopSell, s.StopSellReason, s.rates)
}

func (s openingNights) run(m *ledger, on process) {
	o := s.OpenRequest
	o.PropertyID, o.RoomTypeID = m.propertyID, m.room(s.room)
	var want availability.Opened
	changes := map[at]openNight{}
	for _, date := range s.on.of(o.Nights) {
		night := at{o.RoomTypeID, date}
		if _, open := m.nights[night]; open {
			want.Already = append(want.Already, date)
			continue
		}
		want.Opened = append(want.Opened, date)
		changes[night] = openNight{
			total: o.Rooms, cents: centsOf(o.Price), min: o.MinStay, max: o.MaxStay, stop: o.StopSell, reason: o.StopSellReason, updated: m.db.Now(),
			rates: s.rates, limit: o.OverbookLimit,
		}
	}
	var no error
	switch {
	case len(s.on.of(o.Nights)) == 0:
		no = invalid("Weekdays")
	case o.MaxStay != 0 && o.MinStay > o.MaxStay:
		no = invalid("MaxStay")
	case o.Price.Currency() != "USD" && slices.ContainsFunc(s.rates[:], func(r planRate) bool { return r.priced }):
		for _, id := range slices.Backward(slices.Sorted(slices.Values(modelPlans[:]))) {
			if s.rates[slices.Index(modelPlans[:], id)].priced {
				no = invalid("Rates[%s].Price.Currency", id)
			}
		}
	case s.room == len(m.rooms):
		no = dynastay.ErrNotFound
	case o.Nights.CheckIn.Before(m.today()):
		no = invalid("Nights.CheckIn")
	case o.Price.Currency() != "USD":
		no = invalid("Price.Currency")
	case s.rates[slices.Index(modelPlans[:], derivedPlan)].priced:
		no = invalid("Rates[%s].Price", derivedPlan)
	case o.Rooms > modelCapacity && !o.AboveCapacity:
		no = invalid("Rooms")
	case m.closed && len(want.Opened) > 0:
		no = availability.ErrClosed
	}
	got, err := on.repo.Open(context.Background(), o)
	switch {
	case m.failed(err) || m.lost(err, false, errors.Is(no, availability.ErrClosed)):
		if no == nil && errors.Is(err, dynastay.ErrOutcomeUnknown) {
			m.met.Add("open: unknown", 1)
			m.settle(changes)
		}
	case no != nil:
		m.fails(no, err)
		require.Empty(m.t, got)
		if errors.Is(no, availability.ErrClosed) {
			m.met.Add("open: is closed", 1)
		}
	default:
		require.NoError(m.t, err)
		require.Equal(m.t, want, got)
		maps.Copy(m.nights, changes)
		m.met.Add("open: opened", 1)
	}
}
