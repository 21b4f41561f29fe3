package world

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// The chances of a change, in percent of the nights for which it is possible.
const (
	stopSellPercent  = 2
	longestStopSell  = 4 // nights
	arrivalPercent   = 4
	departurePercent = 4
	minStayPercent   = 3
	maxStayPercent   = 3
)

var stopSellReasons = []string{"renovation", "private event", "held for the owner", "heating out of order"}

// edge is the date of an arrival or a departure at the house's k-th room type, in days from Today.
type edge struct{ k, at int }

// changes plans the stop-sells and restrictions that the i-th hotel sets after its last booking, at the start of Today.
// Each change sets one value. A stop-sell does not undo sales, so nights that are sold may have one. The other
// restrictions contradict no booking.
func (w *World) changes(i int, h *house, sales []sale) (all []availability.Change) {
	if w.opts.Empty {
		return nil
	}
	arrivals, departures := map[edge]bool{}, map[edge]bool{}
	for _, s := range sales {
		for _, room := range s.rooms {
			arrivals[edge{room.k, s.arrival}] = true
			departures[edge{room.k, s.arrival + s.nights}] = true
		}
	}
	d := w.dice(forChanges, i)
	for k, room := range h.rooms {
		for at := range w.opts.Nights {
			date := w.opts.Today.AddDays(at)
			add := func(nights int, c availability.Change) {
				c.RoomTypeIDs, c.Dates = []string{room.ID}, dynastay.Stay{CheckIn: date, CheckOut: date.AddDays(nights)}
				all = append(all, c)
			}
			if d.percent(stopSellPercent) {
				nights := min(d.between(1, longestStopSell), w.opts.Nights-at)
				add(nights, availability.Change{StopSell: to(true), StopSellReason: pick(d, stopSellReasons)})
			}
			// Departures are stored with the night before, which must be open.
			if at > 0 && !departures[edge{k, at}] && d.percent(departurePercent) {
				add(1, availability.Change{ClosedToDeparture: to(true)})
			}
			if arrivals[edge{k, at}] {
				continue
			}
			if d.percent(arrivalPercent) {
				add(1, availability.Change{ClosedToArrival: to(true)})
			}
			if _, minStay := h.night(k, date); minStay == 0 && d.percent(minStayPercent) {
				add(1, availability.Change{MinStay: to(d.between(2, 4))})
			}
			if d.percent(maxStayPercent) {
				add(1, availability.Change{MaxStay: to(pick(d, []int{4, 5, 7, 14}))})
			}
		}
	}
	return all
}

func to[T any](value T) *T { return &value }
