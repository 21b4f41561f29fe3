package world

import (
	"context"
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/properties"
)

const (
	numberedPercent = 60 // of the hotels with nights have units, if the options say so
	aheadPercent    = 60 // of the guests who arrive in the next days have their units already
	aheadDays       = 7
	walkInPercent   = 10 // of the past guests of such a hotel had not booked before they came
	extendedPercent = 40 // of the holds got more time
	staff           = 3  // who clean the units of a hotel
)

var (
	unitFeatures = []share[string]{{60, ""}, {15, "quiet"}, {15, "view"}, {10, "balcony"}}
	// What housekeeping has found in the morning; "" for a unit that nobody has been to.
	mornings = []share[units.Housekeeping]{{50, units.Clean}, {20, units.Inspected}, {30, ""}}
)

// numbered plans the units of the i-th hotel, by room type: all rooms that the house has. It returns nil for one without units.
// The dice of units are of no other use, and a world without them draws none of these numbers.
func (w *World) numbered(i int, h *house) (all [][]units.Unit) {
	d := w.dice(forUnits, i)
	if !w.opts.Units || h.property.Status != properties.Approved || !d.percent(numberedPercent) {
		return nil
	}
	for k, room := range h.rooms {
		var of []units.Unit
		for n := range room.Total {
			u := units.Unit{PropertyID: h.property.ID, ID: fmt.Sprint(100*(k+1) + n + 1), RoomTypeID: room.ID, Floor: fmt.Sprint(k + 1)}
			if feature := draw(d, unitFeatures); feature != "" {
				u.Features = []string{feature}
			}
			of = append(of, u)
		}
		all = append(all, of)
	}
	return all
}

// createUnits lets the repository create the units.
func (h *house) createUnits(ctx context.Context, db *dynastay.DB) error {
	for _, of := range h.units {
		if _, err := units.New(db).CreateAll(ctx, of); err != nil {
			return err
		}
	}
	return nil
}

// readUnits lets the repository read the units of a hotel.
func (c *cell) readUnits(ctx context.Context, h *house) (all []units.Unit, err error) {
	repo := units.New(c.open(&c.capture))
	for _, of := range h.units {
		for _, planned := range of {
			u, err := repo.Get(ctx, planned.PropertyID, planned.ID)
			if err != nil {
				return nil, err
			}
			all = append(all, *u)
		}
	}
	return all, nil
}

// giveUnits plans which guests have which units, and when they got them: those who have come when they came, and those who come
// soon perhaps before Today.
func (w *World) giveUnits(d dice, h *house, sales []sale) {
	if h.units == nil {
		return
	}
	taken := map[string]map[int]bool{} // the days from Today, by unit
	for _, ahead := range []bool{false, true} {
		for n := range sales {
			s := &sales[n]
			switch came := s.status == bookings.CheckedIn || s.status == bookings.Completed; {
			case !ahead && came && h.giveUnit(d, s, taken):
				s.assigned = nil
			case ahead && s.status == bookings.Confirmed && s.arrival <= aheadDays && d.percent(aheadPercent) && h.giveUnit(d, s, taken):
				s.housed = d.time(s.made, w.opts.Today.Time().Add(-time.Second))
			}
		}
	}
}

// giveUnit chooses units that nobody has during a stay for each room of a sale, or returns false.
func (h *house) giveUnit(d dice, s *sale, taken map[string]map[int]bool) bool {
	chosen := map[string][]string{}
	for _, c := range s.rooms {
		var free []string
		for _, u := range h.units[c.k] {
			is := true
			for day := range s.nights {
				is = is && !taken[u.ID][s.arrival+day]
			}
			if is {
				free = append(free, u.ID)
			}
		}
		if len(free) < c.quantity {
			return false
		}
		at := d.below(len(free) - c.quantity + 1)
		chosen[h.rooms[c.k].ID] = free[at : at+c.quantity]
	}
	for _, ids := range chosen {
		for _, id := range ids {
			if taken[id] == nil {
				taken[id] = map[int]bool{}
			}
			for day := range s.nights {
				taken[id][s.arrival+day] = true
			}
		}
	}
	s.units = chosen
	return true
}

// assignments are the units of a sale, each for the whole stay. A room type may have several lines.
func (s sale) assignments(b *bookings.Booking) (all []bookings.Assignment) {
	next := map[string]int{}
	for _, line := range b.Lines {
		for range line.Quantity {
			id := s.units[line.RoomTypeID][next[line.RoomTypeID]]
			next[line.RoomTypeID]++
			all = append(all, bookings.Assignment{RoomTypeID: line.RoomTypeID, Line: line.Number, UnitID: id, Nights: b.Stay})
		}
	}
	return all
}

// walkIn plans which past guests booked at the front desk a few minutes before they got their rooms.
func (h *house) walkIn(d dice, sales []sale) {
	if h.units == nil {
		return
	}
	for n := range sales {
		if s := &sales[n]; s.status == bookings.Completed && d.percent(walkInPercent) {
			s.made = s.moved.Add(-seconds(d.between(3*60, 15*60)))
			s.origin = origin{Source: bookings.Source{Channel: frontDesk}}
		}
	}
}

// extend plans which holds got more time, up to the day of arrival.
func (w *World) extend(d dice, h *house, sales []sale) {
	if h.units == nil {
		return
	}
	for n := range sales {
		s := &sales[n]
		if s.status != bookings.Pending || !d.percent(extendedPercent) {
			continue
		}
		last := w.stay(*s).CheckIn.Time()
		at := d.time(s.made.Add(time.Minute), w.Now().Add(-time.Minute))
		longer := last.Sub(at).Truncate(time.Hour)
		if end := at.Add(longer); end.After(s.made.Add(s.hold)) && !end.After(s.made.Add(bookings.MaxHold)) {
			s.extended, s.longer = at, longer
		}
	}
}

// keepHouse lets housekeeping note what it has found on the morning of Today.
func (w *World) keepHouse(ctx context.Context, db *dynastay.DB, i int, h *house, clock func(time.Time)) error {
	d, repo := w.dice(forHousekeeping, i), units.New(db)
	for _, of := range h.units {
		for _, u := range of {
			state := draw(d, mornings)
			at, by := seconds(d.between(1, 4*60*60)), fmt.Sprintf("staff_%d", d.between(1, staff))
			if state == "" {
				continue
			}
			clock(w.Now().Add(-at))
			if err := repo.SetHousekeeping(ctx, u.PropertyID, u.ID, state, by); err != nil {
				return err
			}
		}
	}
	return nil
}
