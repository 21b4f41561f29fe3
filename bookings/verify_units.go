package bookings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/internal/shown"
)

// UnitDifference is a night on which the plan names somebody else for a unit than those who have it.
type UnitDifference struct {
	units.Night
	Plan units.Occupant   `json:",omitzero"` // whom the plan names; zero if nobody
	Has  []units.Occupant `json:",omitzero"` // those who have it, by the bookings and the unit
}

// String returns the difference in one line, such as "301 on 2026-07-10: the plan names nobody instead of bkg_1#1".
func (d UnitDifference) String() string {
	var has []string
	for _, by := range d.Has {
		has = append(has, shown.Masked(by.String()))
	}
	return fmt.Sprintf("%s on %s: the plan names %s instead of %s", shown.Masked(d.UnitID), d.Date,
		cmp.Or(shown.Masked(d.Plan.String()), "nobody"), cmp.Or(strings.Join(has, " and "), "nobody"))
}

// UnitsError means that the plan of a property's units contradicts its bookings, or what is out of order. It matches
// [dynastay.ErrCorrupt].
type UnitsError struct {
	PropertyID string
	Nights     []UnitDifference // by unit, then by date
}

// Error names the property, the first three of the nights, and how many more there are.
func (e *UnitsError) Error() string {
	return fmt.Sprintf("property %s: the plan is wrong: %s", shown.Masked(e.PropertyID), firstOf(e.Nights))
}

// Is makes it match [dynastay.ErrCorrupt].
func (*UnitsError) Is(target error) bool { return target == dynastay.ErrCorrupt }

// VerifyUnits compares the plan of a property's units with the units that its bookings have, and with those that are out of order. It
// fails with a [*UnitsError] if somebody has a unit on a night for which the plan names nobody or somebody else, so that it could be
// given away a second time; if two have it; if the plan says of a night from tomorrow in UTC on that a unit is out of order which is
// not; or if it names what is no line of a booking. [Repository.MendUnits] writes what follows from the bookings and units. A night for
// which the plan names a booking that has given it up is no difference: the next assignment takes it over. There may be at most 732
// dates. Bookings of more than 90 nights may be missed, as by [Repository.VerifyNights].
//
// What changes meanwhile is no difference: if something seems to differ, VerifyUnits reads it again, until it has not changed. If
// something has changed each of 10 times, it fails with [ErrAlwaysChanges], besides what it has found.
//
// 1 request for each month, for each 1 MB of units and of summaries of bookings, and for each booking that has rooms. If something
// seems to differ, each time the same again for the bookings and units.
func (r *Repository) VerifyUnits(ctx context.Context, propertyID string, dates dynastay.Stay) (err error) {
	ctx, end := r.db.Begin(ctx, "bookings.VerifyUnits")
	defer func() { end(err) }()
	all, err := r.differentUnits(ctx, propertyID, dates)
	return joined(unitsError(propertyID, all), err)
}

func unitsError(propertyID string, all []UnitDifference) error {
	if len(all) == 0 {
		return nil
	}
	return &UnitsError{PropertyID: propertyID, Nights: all}
}

// MendUnits makes the plan name those who have a unit on the nights on which [Repository.VerifyUnits] finds that it does not, and nobody
// on those on which a unit is not out of order, or on which it names what is no line of a booking. It returns the nights that it has
// mended. Nights on which two have a unit stay differences, see [Repository.UnassignUnits], and so do those for which something is stored
// that is no text, and those of units that others change at the same moment again and again. 2 or 3 requests more for each booking and
// each unit, more for one with more than 40 such nights; then VerifyUnits once more.
func (r *Repository) MendUnits(ctx context.Context, propertyID string, dates dynastay.Stay) (mended []UnitDifference, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.MendUnits")
	defer func() { end(err) }()
	all, err := r.differentUnits(ctx, propertyID, dates)
	if err != nil && !errors.Is(err, ErrAlwaysChanges) {
		return nil, err
	}
	for _, op := range r.mendsOf(propertyID, all) {
		nights, err := dynastay.Do(ctx, r.db, op)
		if err != nil && !errors.Is(err, dynastay.ErrContention) {
			return mended, err
		}
		mended = append(mended, nights...)
	}
	rest, err := r.differentUnits(ctx, propertyID, dates)
	return mended, joined(unitsError(propertyID, rest), err)
}

// mendsOf returns what mends nights: those of one booking together, and those of one unit, but at most 40, because each may need an
// action of a transaction, and a check of the booking that the plan names.
func (r *Repository) mendsOf(propertyID string, all []UnitDifference) (ops []*dynastay.Operation[[]UnitDifference]) {
	booked, others := map[string][]UnitDifference{}, map[string][]UnitDifference{} // by booking, and by unit
	for _, d := range all {
		switch {
		case len(d.Has) > 1 || d.Plan == units.NotText:
		case len(d.Has) == 1 && d.Has[0].OutOfOrder == "":
			booked[d.Has[0].BookingID] = append(booked[d.Has[0].BookingID], d)
		default:
			others[d.UnitID] = append(others[d.UnitID], d)
		}
	}
	const most = 40
	for _, id := range slices.Sorted(maps.Keys(booked)) {
		for nights := range slices.Chunk(booked[id], most) {
			ops = append(ops, r.enterOp(propertyID, id, nights))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(others)) {
		for nights := range slices.Chunk(others[id], most) {
			ops = append(ops, r.enterOutOfOrderOp(propertyID, id, nights))
		}
	}
	return ops
}

// enterOp enters a booking into the plan for those of the nights that it still has, and that nobody else has. It depends on the booking
// as it is read.
func (r *Repository) enterOp(propertyID, bookingID string, nights []UnitDifference) *dynastay.Operation[[]UnitDifference] {
	return r.mendUnitsOp(propertyID, nights, func(ctx context.Context, tx *dynastay.Tx, c *unitChange) error {
		own, err := r.ownerOf(ctx, units.Occupant{BookingID: bookingID, Line: 1})
		if err != nil || own.booking == nil || own.booking.PropertyID != propertyID {
			return err
		}
		c.own[bookingID] = own.booking.units()
		for _, n := range nights {
			if by, still := c.own[bookingID][n.Night]; still {
				c.Take(n.Night, by)
				c.sees(n)
			}
		}
		own.check(tx)
		return nil
	})
}

// enterOutOfOrderOp makes the plan say of the nights of a unit whether it is out of order. It depends on the unit as it is read.
func (r *Repository) enterOutOfOrderOp(propertyID, unitID string, nights []UnitDifference) *dynastay.Operation[[]UnitDifference] {
	return r.mendUnitsOp(propertyID, nights, func(ctx context.Context, tx *dynastay.Tx, c *unitChange) error {
		times, err := r.units.OutOfOrderAsRead(ctx, tx, propertyID, unitID)
		if err != nil {
			return err
		}
		for _, n := range nights {
			is := slices.IndexFunc(times, func(o units.OutOfOrder) bool { return o.Nights.Contains(n.Date) })
			switch {
			case is >= 0 && len(n.Has) == 1:
				c.Take(n.Night, units.Occupant{OutOfOrder: times[is].ID})
				c.sees(n)
			case is < 0 && len(n.Has) == 0:
				c.Free(n.Night, n.Plan)
			}
		}
		return nil
	})
}

// sees makes a change take over a night from what the plan should not name, if that is no line of a booking that may still have it.
func (c *unitChange) sees(n UnitDifference) {
	if n.Plan.Line == 0 && n.Plan != (units.Occupant{}) {
		c.Seize(n.Night, n.Plan)
	}
}

// mendUnitsOp makes a change of the plan, except for the nights that somebody else has. It returns the others.
func (r *Repository) mendUnitsOp(
	propertyID string, nights []UnitDifference, edit func(context.Context, *dynastay.Tx, *unitChange) error,
) *dynastay.Operation[[]UnitDifference] {
	return dynastay.NewOp(dynastay.OpSpec[[]UnitDifference]{
		Name: "bookings.MendUnits",
		Prepare: func(ctx context.Context, tx *dynastay.Tx) ([]UnitDifference, error) {
			c := newUnitChange(propertyID)
			if err := edit(ctx, tx, c); err != nil {
				return nil, err
			}
			taken, owners, err := r.seize(ctx, tx, c)
			if err != nil {
				return nil, err
			}
			for _, n := range taken {
				c.Drop(n.Night)
			}
			checkOwners(tx, owners)
			return slices.DeleteFunc(slices.Clone(nights), func(d UnitDifference) bool { return !c.Changes(d.Night) }), c.AddTo(tx)
		},
	})
}

// differentUnits reads who has which units, then the plan, then who has them again: whoever has the same units before and after is
// named by the plan in between.
func (r *Repository) differentUnits(ctx context.Context, propertyID string, dates dynastay.Stay) (found []UnitDifference, err error) {
	if err := dates.Validate(); err != nil {
		return nil, dynastay.Within("Dates", err)
	}
	if dates.Nights() > mostPlanned {
		return nil, dynastay.Invalid("Dates", "must have at most %d nights", mostPlanned)
	}
	if dates = r.nights.Kept(dates); dates == (dynastay.Stay{}) {
		return nil, nil // the plan expires later than the nights
	}
	before, err := r.whoHasUnits(ctx, propertyID, dates)
	for range mostVerified {
		if err != nil {
			return nil, err
		}
		plan, err := r.planOf(ctx, propertyID, dates)
		if err != nil {
			return nil, err
		}
		seems := before.differFrom(plan)
		if len(seems) == 0 {
			return nil, nil
		}
		after, err := r.whoHasUnits(ctx, propertyID, dates)
		if err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(slices.Clone(seems), func(d UnitDifference) bool { return !before.same(after, d.Night) })
		if len(found) == len(seems) {
			return found, nil
		}
		before = after
	}
	return found, &dynastay.Error{Op: "bookings.VerifyUnits", Entity: "Property", ID: propertyID, Kind: ErrAlwaysChanges}
}

// mostPlanned limits how many months are read.
const mostPlanned = 2 * 366

func (r *Repository) planOf(ctx context.Context, propertyID string, dates dynastay.Stay) (map[units.Night]units.Occupant, error) {
	plan := map[units.Night]units.Occupant{}
	for month := dynastay.MonthOf(dates.CheckIn); month.CheckIn.Before(dates.CheckOut); month = dynastay.MonthOf(month.CheckOut) {
		all, err := r.units.Plan(ctx, propertyID, month.CheckIn)
		if err != nil {
			return nil, err
		}
		for _, one := range all {
			for _, n := range one.Nights {
				if dates.Contains(n.Date) {
					plan[n.Night] = n.By
				}
			}
		}
	}
	return plan, nil
}

// unitsHad is who has which units.
type unitsHad struct {
	by         map[units.Night][]holder
	out        map[string][]units.OutOfOrder // by unit
	remembered dynastay.Date                 // the first night of which units say whether they are out of order
}

// holder is a line of a booking, in a version of it, or a time that is out of order.
type holder struct {
	by      units.Occupant
	version int // each change of the booking's units makes a new one
}

func (r *Repository) whoHasUnits(ctx context.Context, propertyID string, dates dynastay.Stay) (had unitsHad, err error) {
	had = unitsHad{map[units.Night][]holder{}, map[string][]units.OutOfOrder{}, r.firstRemembered()}
	all, err := r.units.All(ctx, propertyID)
	if err != nil {
		return had, err
	}
	for _, u := range all {
		had.out[u.ID] = u.OutOfOrder
		for _, o := range u.OutOfOrder {
			for date := range within(o.Nights, dates).Dates() {
				n := units.Night{UnitID: u.ID, Date: date}
				had.by[n] = append(had.by[n], holder{by: units.Occupant{OutOfOrder: o.ID}})
			}
		}
	}
	booked, err := r.bookingsOn(ctx, propertyID, dates, map[string]bool{})
	if err != nil {
		return had, err
	}
	for _, b := range booked { // in the order of their ids
		for i := range b.Lines {
			by := units.Occupant{BookingID: b.ID, Line: cmp.Or(b.Lines[i].Number, 1)}
			for _, n := range b.Lines[i].unitNights(within(b.hasUnits(), dates)) {
				had.by[n] = append(had.by[n], holder{by, b.Version})
			}
		}
	}
	return had, nil
}

// differFrom returns the nights on which the plan seems to be wrong.
func (h unitsHad) differFrom(plan map[units.Night]units.Occupant) (all []UnitDifference) {
	add := func(n units.Night) {
		d := UnitDifference{Night: n, Plan: plan[n]}
		for _, one := range h.by[n] {
			d.Has = append(d.Has, one.by)
		}
		all = append(all, d)
	}
	for n, has := range h.by {
		if len(has) > 1 || plan[n] != has[0].by {
			add(n)
		}
	}
	for n, by := range plan {
		ended, nobody := by.OutOfOrder != "" && !n.Date.Before(h.remembered), by.OutOfOrder == "" && by.Line == 0
		if len(h.by[n]) == 0 && (ended || nobody) {
			add(n)
		}
	}
	slices.SortFunc(all, func(a, b UnitDifference) int {
		return cmp.Or(strings.Compare(a.UnitID, b.UnitID), a.Date.Compare(b.Date))
	})
	return all
}

// same reports whether nothing has changed in who has a night. A time out of order is not begun a second time once it was ended, so
// if they are the same, there was no other in between.
func (h unitsHad) same(later unitsHad, n units.Night) bool {
	return slices.Equal(h.by[n], later.by[n]) && slices.Equal(h.out[n.UnitID], later.out[n.UnitID])
}
