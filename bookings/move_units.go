package bookings

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
)

// UnassignUnitsOp takes units from the lines of a booking, all of them if none is named: the nights from today at the property on; on
// the day of departure, the last one. It fails with a [*dynastay.InvalidError] if the booking has none of these nights, and
// otherwise like [Repository.AssignUnitsOp].
func (r *Repository) UnassignUnitsOp(bookingID string, unitIDs []string) *dynastay.Operation[*Booking] {
	unitIDs = slices.Clone(unitIDs)
	var invalid error
	for i, id := range unitIDs {
		invalid = cmp.Or(invalid, units.CheckID(fmt.Sprintf("Units[%d]", i), id))
	}
	return r.unitsOp(bookingID, unitsMove("bookings.UnassignUnits", "unassign units of"), invalid, func(in *dynastay.Input) {
		for _, id := range unitIDs {
			in.Field("unit", id)
		}
	}, func(c *unitChange, b *Booking, now time.Time) error {
		before := *b
		before.Lines = slices.Clone(b.Lines)
		gone, left, some := b.fromToday(b.today(now)), map[string]bool{}, false
		for i := range b.Lines {
			line, had := &b.Lines[i], len(b.Lines[i].unitNights(b.Stay))
			if len(line.Units) == 0 {
				continue
			}
			kept := slices.DeleteFunc(line.unitNights(b.Stay), func(n units.Night) bool {
				goes := gone.Contains(n.Date) && (len(unitIDs) == 0 || slices.Contains(unitIDs, n.UnitID))
				if goes {
					left[n.UnitID] = true
				}
				return goes
			})
			line.setUnits(kept)
			some = some || len(kept) < had
		}
		if !some {
			return dynastay.Invalid("Units", "must be units of the booking, on nights from today on")
		}
		c.leave(&before, gone, b.today(now), slices.Collect(maps.Keys(left))...)
		return nil
	})
}

// leave makes units dirty that the guests of a booking leave, if they have been in them: today, or the night before.
func (c *unitChange) leave(b *Booking, nights dynastay.Stay, today dynastay.Date, ids ...string) {
	if b.Status != CheckedIn || nights.CheckIn.After(today) {
		return
	}
	for _, id := range ids {
		for i := range b.Lines {
			line := &b.Lines[i]
			if slices.Contains(line.UnitsOn(today), id) || slices.Contains(line.UnitsOn(today.AddDays(-1)), id) {
				c.left[id] = true
			}
		}
	}
}

// UnassignUnits runs [Repository.UnassignUnitsOp]. 2 requests: a consistent Query of the booking, and the transaction.
func (r *Repository) UnassignUnits(ctx context.Context, bookingID string, unitIDs []string, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.UnassignUnitsOp(bookingID, unitIDs), opts...)
}

// UnitMove is a move of guests from one unit to another one.
type UnitMove struct {
	From, To string // the ids of the units
	// On is the date of the first night in the other unit. Default: today at the property, or the first night if the stay has not
	// begun; on the day of departure, the last one.
	On dynastay.Date
}

// MoveUnitOp moves guests to another unit of the same room type, within a stay or before it, and leaves the unit before dirty if
// they have checked in and the move is not ahead. Otherwise, it fails like [Repository.AssignUnitsOp].
func (r *Repository) MoveUnitOp(bookingID string, m UnitMove) *dynastay.Operation[*Booking] {
	var invalid error
	for _, unit := range []struct{ field, id string }{{"From", m.From}, {"To", m.To}} {
		invalid = cmp.Or(invalid, units.CheckID(unit.field, unit.id))
	}
	if m.From == m.To {
		invalid = cmp.Or(invalid, dynastay.Invalid("To", "must not be the unit from which the guests move"))
	}
	move := unitsMove("bookings.MoveUnit", "move the guests of")
	input := func(in *dynastay.Input) {
		in.Field("from", m.From)
		in.Field("to", m.To)
		in.Field("on", m.On.String())
	}
	return r.linesOp(bookingID, move, invalid, input, func(ctx context.Context, tx *dynastay.Tx, done moved) error {
		c := newUnitChange(done.booking.PropertyID)
		var nights dynastay.Stay
		err := r.editUnits(tx, c, done.booking, func(c *unitChange, b *Booking, now time.Time) (err error) {
			if nights, err = b.moveNights(m.On, b.today(now)); err != nil {
				return err
			}
			c.leave(b, nights, b.today(now), m.From)
			return b.exchange(m.From, m.To, nights)
		})
		if err != nil {
			return err
		}
		return r.takeInTurn(ctx, tx, c)
	})
}

// MoveUnit runs [Repository.MoveUnitOp], with the requests of [Repository.AssignUnits].
func (r *Repository) MoveUnit(ctx context.Context, bookingID string, m UnitMove, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.MoveUnitOp(bookingID, m), opts...)
}

// moveNights returns the nights of the stay from a date on, by default from today on.
func (b *Booking) moveNights(on, today dynastay.Date) (nights dynastay.Stay, err error) {
	switch nights = b.fromToday(today); {
	case on.IsZero():
	case !b.Stay.Contains(on):
		return nights, dynastay.Invalid("On", "must be a night of the stay, which is %s", b.Stay)
	default:
		nights.CheckIn = on
	}
	return nights, dynastay.Within("On", tooFar(nights, today))
}

// exchange gives the lines that have one unit on some nights another one instead.
func (b *Booking) exchange(from, to string, nights dynastay.Stay) error {
	some := false
	for i := range b.Lines {
		line := &b.Lines[i]
		if len(line.Units) == 0 {
			continue
		}
		all := line.unitNights(b.Stay)
		for j, n := range all {
			if n.UnitID != from || !nights.Contains(n.Date) {
				continue
			}
			for k := range b.Lines {
				if slices.Contains(b.Lines[k].UnitsOn(n.Date), to) {
					return dynastay.Invalid("To", "must not be a unit that the booking has on %s", n.Date)
				}
			}
			all[j].UnitID, some = to, true
		}
		line.setUnits(all)
	}
	if !some {
		return dynastay.Invalid("From", "must be a unit of the booking on the nights of the move")
	}
	return nil
}
