package bookings

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
)

// AutoAssignment says whose guests get units.
type AutoAssignment struct {
	PropertyID string
	// Arrivals are the dates of check-in, from its CheckIn on and before its CheckOut, at most 90.
	Arrivals dynastay.Stay
	// Wish returns what the guests of a line would like. Default: the guests of a booking would like to be on one floor. It must not
	// change the booking.
	Wish func(b *Booking, line Line) units.Wish
}

// AutoAssigned is the result of [Repository.AutoAssign].
type AutoAssigned struct {
	Bookings []*Booking `json:",omitzero"` // that have got units, by their dates of check-in and ids
	Left     []LeftOver `json:",omitzero"` // what lacks units still, in the same order
}

// LeftOver is a line whose rooms did not get units.
type LeftOver struct {
	BookingID  string
	RoomTypeID string
	Line       int // its number, at least 1
	Rooms      int
	// Err is nil if no unit was free, and otherwise why the booking was refused when it was written: somebody was faster.
	Err error `json:"-"`
}

// AutoAssign gives units to the lines of confirmed bookings, and of guests who have checked in, that lack them on all nights from
// today on, see [units.Choose]. Bookings that have units keep them. Each booking is written by itself, as
// [Repository.AssignUnits] does: if somebody has been faster, it is in Left, and the others are not concerned. Call AutoAssign
// again for these. After another error, the result has what was done.
//
// It takes the requests of the list of units and of the arrivals, 1 for each month of the plan, 1 for each booking, and 2 for each
// that gets units, in parallel, see [dynastay.Options].
func (r *Repository) AutoAssign(ctx context.Context, a AutoAssignment) (done AutoAssigned, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.AutoAssign")
	defer func() { end(err) }()
	if err := a.validate(); err != nil {
		return done, err
	}
	ids, period, err := r.arriving(ctx, a)
	if err != nil || len(ids) == 0 {
		return done, err
	}
	all, taken, err := r.unitsOf(ctx, a.PropertyID, period)
	if err != nil {
		return done, err
	}
	// Read after the plan: if a booking gets a unit in between, it lacks none. Otherwise, its own unit would be in its way.
	coming, err := r.lacking(ctx, ids)
	if err != nil {
		return done, err
	}
	plan := a.choose(all, taken, coming)
	var mu sync.Mutex
	err = r.db.Each(ctx, len(coming), func(ctx context.Context, i int) error {
		var got *Booking
		left, refused := plan[i].left, error(nil)
		if len(plan[i].all) > 0 {
			b, err := r.AssignUnits(ctx, coming[i].booking.ID, plan[i].all)
			switch {
			case err == nil:
				got = b
			case errors.Is(err, dynastay.ErrRefused), errors.Is(err, dynastay.ErrInvalid), errors.Is(err, dynastay.ErrNotFound):
				left, refused = coming[i].lacks, err
			default:
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if got != nil {
			done.Bookings = append(done.Bookings, got)
		}
		for _, l := range left {
			l.Err = refused
			done.Left = append(done.Left, l)
		}
		return nil
	})
	at := func(id string) int {
		return slices.IndexFunc(coming, func(c comer) bool { return c.booking.ID == id })
	}
	slices.SortFunc(done.Bookings, func(x, y *Booking) int { return at(x.ID) - at(y.ID) })
	slices.SortStableFunc(done.Left, func(x, y LeftOver) int { return at(x.BookingID) - at(y.BookingID) })
	return done, err
}

func (a AutoAssignment) validate() error {
	if err := a.Arrivals.Validate(); err != nil {
		return dynastay.Within("Arrivals", err)
	}
	if n := a.Arrivals.Nights(); n > maxArrivals {
		return dynastay.Invalid("Arrivals", "must have at most %d dates, got %d", maxArrivals, n)
	}
	return nil
}

const maxArrivals = 90

// comer is a booking with lines that lack units.
type comer struct {
	booking *Booking
	nights  dynastay.Stay
	lacks   []LeftOver
}

// arriving returns the bookings with a check-in on the dates, by their dates of check-in and ids, and the period of their stays.
func (r *Repository) arriving(ctx context.Context, a AutoAssignment) (ids []string, period dynastay.Stay, err error) {
	list := r.ByProperty(PropertyQuery{PropertyID: a.PropertyID, From: a.Arrivals.CheckIn, To: a.Arrivals.CheckOut})
	for s, err := range list.All(ctx) {
		if err != nil {
			return nil, period, err
		}
		if s.Status != Confirmed && s.Status != CheckedIn {
			continue
		}
		ids = append(ids, s.ID)
		if period.CheckIn.IsZero() || s.Stay.CheckIn.Before(period.CheckIn) {
			period.CheckIn = s.Stay.CheckIn
		}
		if s.Stay.CheckOut.After(period.CheckOut) {
			period.CheckOut = s.Stay.CheckOut
		}
	}
	return ids, period, nil
}

// unitsOf returns the units of a property, and who has them in the months of a period.
func (r *Repository) unitsOf(ctx context.Context, propertyID string, period dynastay.Stay) (all []units.Unit, taken []units.TakenNight, err error) {
	for u, err := range r.units.List(propertyID).All(ctx) {
		if err != nil {
			return nil, nil, err
		}
		all = append(all, *u)
	}
	for month := dynastay.MonthOf(period.CheckIn); month.CheckIn.Before(period.CheckOut); month = dynastay.MonthOf(month.CheckOut) {
		plan, err := r.units.Plan(ctx, propertyID, month.CheckIn)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range plan {
			taken = append(taken, m.Nights...)
		}
	}
	return all, taken, nil
}

// lacking returns those of the bookings that lack units.
func (r *Repository) lacking(ctx context.Context, ids []string) (all []comer, err error) {
	found, err := r.GetAll(ctx, ids, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	for _, b := range found {
		if b == nil || unitsMove("", "").check(b, r.db.Now()) != nil { // it has changed meanwhile
			continue
		}
		c := comer{booking: b, nights: b.fromToday(b.today(r.db.Now()))}
		for i := range b.Lines {
			line := &b.Lines[i]
			rooms := line.Quantity
			for date := range c.nights.Dates() {
				rooms = min(rooms, line.Quantity-len(line.UnitsOn(date)))
			}
			if rooms > 0 {
				c.lacks = append(c.lacks, LeftOver{BookingID: b.ID, RoomTypeID: line.RoomTypeID, Line: max(line.Number, 1), Rooms: rooms})
			}
		}
		if len(c.lacks) > 0 {
			all = append(all, c)
		}
	}
	return all, nil
}

// chosen is what a booking gets.
type chosen struct {
	all  []Assignment
	left []LeftOver
}

// choose chooses units for the rooms that lack them.
func (a AutoAssignment) choose(all []units.Unit, taken []units.TakenNight, coming []comer) []chosen {
	var needs []units.Need
	for _, c := range coming {
		for _, l := range c.lacks {
			need := units.Need{RoomTypeID: l.RoomTypeID, Nights: c.nights, Wish: units.Wish{Together: c.booking.ID}}
			if a.Wish != nil {
				need.Wish = a.Wish(c.booking, *c.booking.line(l))
			}
			needs = append(needs, slices.Repeat([]units.Need{need}, l.Rooms)...)
		}
	}
	ids := units.Choose(all, taken, needs)
	plans := make([]chosen, len(coming))
	for i, c := range coming {
		for _, l := range c.lacks {
			var own []string
			own, ids = ids[:l.Rooms], ids[l.Rooms:]
			l.Rooms = 0
			for _, id := range own {
				if id == "" {
					l.Rooms++
					continue
				}
				plans[i].all = append(plans[i].all, Assignment{RoomTypeID: l.RoomTypeID, Line: l.Line, UnitID: id, Nights: c.nights})
			}
			if l.Rooms > 0 {
				plans[i].left = append(plans[i].left, l)
			}
		}
	}
	return plans
}

// line returns the line of the booking that lacks units.
func (b *Booking) line(l LeftOver) *Line {
	at := slices.IndexFunc(b.Lines, func(line Line) bool { return line.RoomTypeID == l.RoomTypeID && max(line.Number, 1) == l.Line })
	return &b.Lines[at]
}
