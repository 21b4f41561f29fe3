package world

import (
	"context"
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/properties"
)

const (
	repairPercent = 8 // of the units are to be out of order, unless somebody has them then
	longestRepair = 4 // nights
)

var repairReasons = []string{"window broken", "water damage", "air conditioning", "painting", "new carpet"}

// repairs plans which units of the i-th hotel are out of order on which nights from Today on. Nobody has the units on these nights,
// a room is left, and more units are left than rooms on sale, so that everybody who arrives still gets one.
func (w *World) repairs(i int, h *house, sales []sale) (all []bookings.OutOfOrder) {
	if h.units == nil || h.status != properties.Approved {
		return nil
	}
	d, taken := w.dice(forRepairs, i), map[string]map[int]bool{}
	sold := make([]map[int]int, len(h.rooms)) // by the days from Today
	for k := range sold {
		sold[k] = map[int]int{}
	}
	for _, s := range sales {
		for day := s.arrival; day < s.arrival+s.nights; day++ {
			for _, c := range s.rooms {
				if !s.endsUnused() {
					sold[c.k][day] += c.quantity
				}
			}
			for _, ids := range s.units {
				for _, id := range ids {
					if taken[id] == nil {
						taken[id] = map[int]bool{}
					}
					taken[id][day] = true
				}
			}
		}
	}
	for k, of := range h.units {
		for _, u := range of {
			if !d.percent(repairPercent) {
				continue
			}
			first, nights := d.below(w.opts.Nights), d.between(1, longestRepair)
			o := bookings.OutOfOrder{
				UnitID: u.ID, ID: fmt.Sprintf("work_order_%d", d.between(1000, 9999)), Reason: pick(d, repairReasons),
				By: fmt.Sprintf("staff_%d", d.between(1, staff)), Nights: dynastay.Stay{CheckIn: w.opts.Today.AddDays(first)},
			}
			// The capture cannot look ahead at several months.
			o.Nights.CheckOut = o.Nights.CheckIn
			for day := first; day < min(first+nights, w.opts.Nights); day++ {
				if taken[u.ID][day] || sold[k][day] >= h.sale[k] || len(of) <= h.sale[k]+1 || dynastay.MonthOf(o.Nights.CheckIn).CheckOut == o.Nights.CheckOut {
					break
				}
				o.Nights.CheckOut = o.Nights.CheckOut.AddDays(1)
				sold[k][day]++
			}
			if o.Nights.CheckIn.Before(o.Nights.CheckOut) {
				all = append(all, o)
			}
		}
	}
	return all
}

// takeOut lets the repository take units out of order at [World.Now]. noted is called after each.
func (w *World) takeOut(
	ctx context.Context, repo *bookings.Repository, h *house, all []bookings.OutOfOrder, clock func(time.Time), noted func(bookings.OutOfOrder) error,
) error {
	clock(w.Now())
	for _, o := range all {
		if _, err := repo.TakeOutOfOrder(ctx, availability.House{ID: h.property.ID, TimeZone: h.property.TimeZone}, o); err != nil {
			return err
		}
		if err := noted(o); err != nil {
			return err
		}
	}
	return nil
}

// repaired counts the rooms that the last call of the repository has taken out of order, as its updates would do.
func (c *cell) repaired(o bookings.OutOfOrder) error {
	changed := c.capture.nights
	if n := len(changed); n != o.Nights.Nights() {
		return fmt.Errorf("world: %s of unit %s changes %d nights, and must change %d", o.ID, o.UnitID, n, o.Nights.Nights())
	}
	c.capture.nights = changed[:0]
	for _, key := range changed {
		night := c.nights[key]
		night["AvailableRooms"] = plus(night["AvailableRooms"], dynastay.Number(1), -1)
		if night["OutOfOrder"] == nil {
			night["OutOfOrder"] = dynastay.Number(0)
		}
		night["OutOfOrder"] = plus(night["OutOfOrder"], dynastay.Number(1), 1)
		night["LastUpdated"] = dynastay.Instant(c.now)
	}
	return nil
}
