package world

import (
	"slices"
	"time"

	"github.com/dynastay/dynastay/bookings"
)

// The time before Today is divided into spans, each with at most one past stay of a hotel. So the stays do not overlap,
// and no room is sold twice.
const (
	mostPast      = 8
	pastSpan      = 11 // days; a stay ends before the last day of its span
	pastPercent   = 25 // of the spans have a stay
	noShowPercent = 5  // of the guests did not arrive
	longestLead   = 10 // days between booking and arrival
	// absentHours is the time after arrivalHours in which the hotel records a no-show.
	absentHours = 4
	// departureHours is how long before the check-out time the first guests of a day leave.
	departureHours = 3
)

// past plans the past stays of the i-th hotel, in the order of creation. Their ids follow those of the other bookings.
func (w *World) past(i int, h *house, others int) (all []sale, err error) {
	if w.opts.Empty {
		return nil, nil
	}
	d, fees := w.dice(forPast, i), pick(w.dice(forBookings, i), feePercents) // the same as in sales
	for span := mostPast; span > 0; span-- {
		if !d.percent(pastPercent) {
			continue
		}
		s, err := w.stayed(d, h, span, fees)
		if err != nil {
			return nil, err
		}
		// The references of the other bookings are the first ones, and these are the last ones.
		s.number = references - i*mostPast - span
		all = append(all, s)
	}
	ofUnits := w.dice(forPastUnits, i)
	h.walkIn(ofUnits, all)
	slices.SortStableFunc(all, func(a, b sale) int { return a.made.Compare(b.made) })
	for n := range all {
		all[n].id = bookingID(i, others+n)
	}
	w.payments(d, all)
	h.sellUnderPlans(w.dice(forPastRates, i), all)
	h.sellWithCharges(w.dice(forPastCharges, i), all)
	w.giveUnits(ofUnits, h, all)
	return all, nil
}

// stayed plans a past stay in a span, of which the first is the last one before Today.
func (w *World) stayed(d dice, h *house, span, fees int) (s sale, err error) {
	k, length := d.below(len(h.rooms)), draw(d, stayLengths)
	s = sale{
		arrival: -span*pastSpan + d.below(pastSpan-max(length, h.minStay)), nights: length, fees: fees,
		status: bookings.Completed, rooms: []choice{{k, 1}},
	}
	day := w.opts.Today.AddDays(s.arrival)
	if _, least := h.night(k, day); length < least {
		s.nights = least
	}
	if h.sale[k] > 1 && d.percent(10) {
		s.rooms[0].quantity++
	}
	s.made = day.Time().Add(-seconds(d.between(24*60*60, longestLead*24*60*60)))
	w.book(d, h, &s)
	// An owner has joined long before. Customers have joined before the first of the other bookings.
	owner := w.owner(d)
	if _, joined := w.person(s.booker); joined.After(s.made) {
		s.booker = owner
	}
	opens, err := h.at(day, h.property.CheckInTime)
	if err != nil {
		return s, err
	}
	closes, err := h.at(w.stay(s).CheckOut, h.property.CheckOutTime)
	if err != nil {
		return s, err
	}
	if d.percent(noShowPercent) {
		s.status = bookings.NoShow
		s.moved = opens.Add(arrivalHours*time.Hour + seconds(d.below(absentHours*60*60)))
		return s, nil
	}
	s.moved, s.assigned = opens.Add(seconds(d.between(0, arrivalHours*60*60))), h.assign(s.rooms, make([]int, len(h.rooms)))
	s.left = closes.Add(-seconds(d.between(0, departureHours*60*60)))
	return s, nil
}
