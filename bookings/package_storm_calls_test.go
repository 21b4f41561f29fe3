package bookings_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// nightCall is one call in the history of one night. after returns the night after the call, and whether the call can
// have had this result on the night n. It is the model of a night, as the documentation describes it: everything that a
// call reports was true at one moment between its call and its return.
type nightCall interface {
	after(n availability.Night) (availability.Night, bool)
}

// nightModel returns the model of a night that is opened as given.
func nightModel(opened availability.Night) porcupine.Model {
	return porcupine.Model{
		Init:  func() any { return opened },
		Equal: reflect.DeepEqual,
		Step: func(state, input, _ any) (bool, any) {
			after, ok := input.(nightCall).after(state.(availability.Night))
			return ok, after
		},
	}
}

// nightSale is the sale of one night at a price, or its refusal.
type nightSale struct {
	rooms   int
	price   dynastay.Money
	refused []availability.RefusedNight // all reasons; none if the night was sold
}

func (s nightSale) after(n availability.Night) (availability.Night, bool) {
	possible := slices.Equal(byReason(s.refused), byReason(whyNot(n, s.rooms, 1, true, true, s.price)))
	if len(s.refused) == 0 {
		n.Available -= s.rooms
	}
	return n, possible
}

// whyNot returns every reason against the sale of a night of a stay.
func whyNot(n availability.Night, rooms, nights int, first, last bool, price dynastay.Money) (all []availability.RefusedNight) {
	add := func(no bool, r availability.RefusedNight) {
		if no {
			r.RoomTypeID, r.Date = n.RoomTypeID, n.Date
			all = append(all, r)
		}
	}
	add(n.StopSell, availability.RefusedNight{Reason: availability.StopSell})
	add(n.Available < rooms, availability.RefusedNight{Reason: availability.SoldOut, Left: max(0, n.Available)})
	add(first && n.ClosedToArrival, availability.RefusedNight{Reason: availability.ClosedToArrival})
	add(first && nights < n.MinStay, availability.RefusedNight{Reason: availability.MinStay, Nights: n.MinStay})
	add(first && n.MaxStay > 0 && nights > n.MaxStay, availability.RefusedNight{Reason: availability.MaxStay, Nights: n.MaxStay})
	add(last && n.ClosedToDeparture, availability.RefusedNight{Reason: availability.ClosedToDeparture})
	add(n.Price != price, availability.RefusedNight{Reason: availability.PriceChanged, Price: n.Price})
	return all
}

func byReason(all []availability.RefusedNight) []availability.RefusedNight {
	return slices.SortedFunc(slices.Values(all), func(a, b availability.RefusedNight) int { return cmp.Compare(a.Reason, b.Reason) })
}

// nightReturn is a cancellation.
type nightReturn struct{ rooms int }

func (r nightReturn) after(n availability.Night) (availability.Night, bool) {
	n.Available += r.rooms
	return n, true
}

// nightRead is a consistent read.
type nightRead struct{ night availability.Night }

func (r nightRead) after(n availability.Night) (availability.Night, bool) {
	return n, reflect.DeepEqual(n, r.night)
}

// nightUpdate is an update of one night, with what it reported. ClosedToDeparture is for departures after the night.
type nightUpdate struct {
	set    availability.Change
	report availability.DateReport
}

func (u nightUpdate) after(n availability.Night) (availability.Night, bool) {
	next := updated(n, u.set)
	sold := n.Total - n.Available
	tooMany := next.Total < n.Total && sold-next.Total > u.set.Overbook
	impossible := next.MaxStay > 0 && next.MaxStay < next.MinStay
	overbooked := 0
	if u.set.Rooms != nil {
		overbooked = max(0, -next.Available)
	}
	var refused *availability.SoldError
	switch {
	case u.report.Result == availability.Unchanged:
		return n, reflect.DeepEqual(next, n) && u.report.Overbooked == overbooked
	case u.report.Result == availability.Written:
		// If the update left the total as it was, the overbooking is the one that was read, before the night was
		// written.
		exact := u.report.Overbooked == overbooked || next.Total == n.Total
		return next, !reflect.DeepEqual(next, n) && !tooMany && !impossible && exact
	case errors.As(u.report.Err, &refused):
		return n, tooMany && !impossible && *refused == availability.SoldError{Sold: sold, Rooms: *u.set.Rooms}
	case errors.As(u.report.Err, new(*availability.LimitsError)):
		return n, impossible
	}
	// The outcome is unknown. An update that was not made comes after everything else in the history.
	if tooMany || impossible {
		return n, true
	}
	return next, true
}

// updated returns the night with the values of a change.
func updated(n availability.Night, c availability.Change) availability.Night {
	if c.Price.IsSet() {
		n.Price = c.Price
	}
	if c.Rooms != nil {
		n.Available += *c.Rooms - n.Total
		n.Total = *c.Rooms
	}
	if c.MinStay != nil {
		n.MinStay = *c.MinStay
	}
	if c.MaxStay != nil {
		n.MaxStay = *c.MaxStay
	}
	if c.ClosedToArrival != nil {
		n.ClosedToArrival = *c.ClosedToArrival
	}
	if c.ClosedToDeparture != nil {
		n.ClosedToDeparture = *c.ClosedToDeparture
	}
	if c.StopSell != nil {
		n.StopSell, n.StopSellReason = *c.StopSell, c.StopSellReason
	}
	return n
}

// values returns a night as the model compares it: without the times, which the tests do not follow.
func values(n availability.Night) availability.Night {
	n.UpdatedAt, n.ExpiresAt = time.Time{}, time.Time{}
	return n
}

// span is when a call was made, and when it returned.
type span struct{ call, ret int64 }

const never = math.MaxInt64

func (s span) operation(of nightCall) porcupine.Operation {
	return porcupine.Operation{Input: of, Call: s.call, Return: s.ret}
}

// operations returns the history of one night, of calls that were all about stays of one night.
func (h *history) operations(date dynastay.Date) (all []porcupine.Operation) {
	for _, r := range h.reads {
		if n, ok := r.nights[date]; ok {
			all = append(all, r.operation(nightRead{n}))
		}
	}
	for _, a := range h.attempts {
		if a.stay.CheckIn != date || a.outcome == nothing {
			continue
		}
		all = append(all, a.operation(nightSale{a.rooms, a.prices[0].Price, a.refused}))
		if a.cancelled != nil {
			all = append(all, a.cancelled.operation(nightReturn{a.rooms}))
		}
	}
	for _, e := range h.edits {
		report, ok := e.reports[date]
		switch at := e.span; {
		case !ok || unavailable(report.Err):
		case report.Result == availability.Unknown:
			at.ret = never
			all = append(all, at.operation(nightUpdate{e.set, report}))
		default:
			all = append(all, at.operation(nightUpdate{e.set, report}))
		}
	}
	return all
}

// describe returns the calls in the order in which they were made.
func describe(all []porcupine.Operation) (text string) {
	slices.SortFunc(all, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	for _, o := range all {
		text += fmt.Sprintf("%d–%d %T", o.Call/1000, o.Return/1000, o.Input)
		switch in := o.Input.(type) {
		case nightUpdate:
			text += fmt.Sprintf(" %s → %s", shownChange(in.set), in.report)
		default:
			text += fmt.Sprintf(" %v", in)
		}
		text += "\n"
	}
	return text
}
