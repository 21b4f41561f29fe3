package bookings

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
)

// Assignment says which line of a booking gets a unit, and on which nights.
type Assignment struct {
	RoomTypeID string // of the line
	Line       int    // the number of the line; 0 means 1, that of the first line of the room type
	UnitID     string
	// Nights must be nights of the stay on which the line has fewer units than rooms. Default: all such nights from today at the
	// property on; on the day of departure, the last night. For guests who come after midnight, give the whole stay: the night
	// that has begun is that of yesterday.
	Nights dynastay.Stay
}

func (a Assignment) validate() error {
	switch err := units.CheckID("UnitID", a.UnitID); {
	case err != nil:
		return err
	case a.RoomTypeID == "":
		return dynastay.Invalid("RoomTypeID", "is required")
	case a.Line < 0:
		return dynastay.Invalid("Line", "must not be negative")
	case a.Nights != dynastay.Stay{}:
		return dynastay.Within("Nights", a.Nights.Validate())
	}
	return nil
}

// unitsMove is the part of the operations on units that concerns the booking itself.
func unitsMove(name, verb string) move {
	return move{
		name: name, verb: verb, from: []Status{Pending, Confirmed, CheckedIn},
		ready: func(b *Booking, now time.Time) error { return cmp.Or(awaited(b), holdOpen(b, now), notOver(b, now)) },
		apply: func(*Booking, time.Time) {},
		touch: true,
	}
}

// AssignUnitsOp gives the lines of a booking units: before the guests arrive, or while they are there. Each unit must be of the
// line's room type and not be retired: otherwise, it fails with a [*dynastay.Error] that matches [units.ErrOtherRoomType] or
// [units.ErrRetired], or [dynastay.ErrNotFound] if the property has no such unit. If somebody else has a unit on one of the nights,
// it fails with a [*units.TakenError], and nothing is assigned. That names bookings of others, so it is not for guests. A night of a
// unit that the plan still gives to a booking which does not have it any more is taken over.
//
// Rooms that were assigned as texts are replaced by the units. What a line has already is left as it is. An assignment that does
// not fit the booking is refused with a [*dynastay.InvalidError] that names the field, such as Units[0].Nights. For other statuses
// of the booking and times, see [Repository.ModifyOp].
func (r *Repository) AssignUnitsOp(bookingID string, all []Assignment) *dynastay.Operation[*Booking] {
	return r.assignOp(bookingID, unitsMove("bookings.AssignUnits", "assign units to"), all)
}

// AssignUnits runs [Repository.AssignUnitsOp]. 2 requests: a consistent Query of the booking, and the transaction. If somebody has a
// unit, 1 more for each other booking, and for each time that the transaction is sent again.
func (r *Repository) AssignUnits(ctx context.Context, bookingID string, all []Assignment, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.AssignUnitsOp(bookingID, all), opts...)
}

// CheckInToOp checks guests in, as [Repository.CheckInOp] does, and gives them units, as [Repository.AssignUnitsOp] does, in one
// transaction.
func (r *Repository) CheckInToOp(bookingID string, all []Assignment) *dynastay.Operation[*Booking] {
	to := checkIn
	to.name = "bookings.CheckInTo"
	return r.assignOp(bookingID, to, all)
}

// CheckInTo runs [Repository.CheckInToOp], with the requests of [Repository.AssignUnits].
func (r *Repository) CheckInTo(ctx context.Context, bookingID string, all []Assignment, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.CheckInToOp(bookingID, all), opts...)
}

func (r *Repository) assignOp(bookingID string, m move, all []Assignment) *dynastay.Operation[*Booking] {
	all = slices.Clone(all)
	var invalid error
	if len(all) == 0 {
		invalid = dynastay.Invalid("Units", "must not be empty")
	}
	for i, a := range all {
		invalid = cmp.Or(invalid, dynastay.Within(fmt.Sprintf("Units[%d]", i), a.validate()))
	}
	return r.unitsOp(bookingID, m, invalid, func(in *dynastay.Input) {
		for _, a := range all {
			in.Field("room type", a.RoomTypeID)
			in.Field("line", strconv.Itoa(cmp.Or(a.Line, 1)))
			in.Field("unit", a.UnitID)
			in.Field("nights", a.Nights.String())
		}
	}, func(_ *unitChange, b *Booking, now time.Time) error {
		for i, a := range all {
			if err := b.assign(a, b.today(now)); err != nil {
				return dynastay.Within(fmt.Sprintf("Units[%d]", i), err)
			}
		}
		return nil
	})
}

// unitsOp is an operation that makes a move and gives the lines of the booking other units.
func (r *Repository) unitsOp(
	bookingID string, m move, invalid error, input func(*dynastay.Input), edit func(*unitChange, *Booking, time.Time) error,
) *dynastay.Operation[*Booking] {
	return r.linesOp(bookingID, m, invalid, input, func(ctx context.Context, tx *dynastay.Tx, done moved) error {
		c := newUnitChange(done.booking.PropertyID)
		if err := r.editUnits(tx, c, done.booking, edit); err != nil {
			return err
		}
		return r.takeInTurn(ctx, tx, c)
	})
}

// editUnits changes the units of a booking that is written, and adds the updates of its lines.
func (r *Repository) editUnits(tx *dynastay.Tx, c *unitChange, b *Booking, edit func(*unitChange, *Booking, time.Time) error) error {
	before, now := *b, r.db.Now()
	before.Lines = slices.Clone(b.Lines)
	if err := edit(c, b, now); err != nil {
		return err
	}
	c.of(&before, b)
	for i := range b.Lines {
		if slices.Equal(b.Lines[i].Units, before.Lines[i].Units) {
			continue
		}
		if err := b.Lines[i].writeUnits(tx); err != nil {
			return err
		}
	}
	return nil
}

// tooFar returns an error for nights that whoever retires a unit would not look at.
func tooFar(nights dynastay.Stay, today dynastay.Date) error {
	last := dynastay.MonthOf(today).CheckIn.Time().AddDate(0, units.MostAhead+1, 0)
	if nights.CheckOut.AddDays(-1).Time().Before(last) {
		return nil
	}
	return dynastay.Invalid("", "must be at most %d months ahead", units.MostAhead)
}

// takeInTurn queues for the units, and takes them.
func (r *Repository) takeInTurn(ctx context.Context, tx *dynastay.Tx, c *unitChange) error {
	items, err := c.Items()
	if err == nil {
		err = tx.Contend(ctx, dynastay.Contest{Items: items})
	}
	if err != nil {
		return err
	}
	return r.take(ctx, tx, c)
}

// assign gives a line a unit.
func (b *Booking) assign(a Assignment, today dynastay.Date) error {
	at := slices.IndexFunc(b.Lines, func(l Line) bool {
		return l.RoomTypeID == a.RoomTypeID && cmp.Or(l.Number, 1) == cmp.Or(a.Line, 1)
	})
	if at < 0 {
		return dynastay.Invalid("Line", "must be that of a line of the booking with the room type")
	}
	line, nights := &b.Lines[at], a.Nights
	if nights == (dynastay.Stay{}) {
		nights = b.fromToday(today)
	} else if within(nights, b.Stay) != nights {
		return dynastay.Invalid("Nights", "must be nights of the stay, which is %s", b.Stay)
	}
	if err := tooFar(nights, today); err != nil {
		return dynastay.Within("Nights", err)
	}
	has := line.unitNights(b.Stay)
	for date := range nights.Dates() {
		n := units.Night{UnitID: a.UnitID, Date: date}
		switch rooms := len(line.UnitsOn(date)); {
		case slices.Contains(has, n):
			continue
		case rooms >= line.Quantity && a.Nights == (dynastay.Stay{}):
			continue
		case rooms >= line.Quantity:
			return dynastay.Invalid("Nights", "must be nights on which the line has fewer units than rooms, which %s is not", date)
		}
		for i := range b.Lines {
			if slices.Contains(b.Lines[i].UnitsOn(date), a.UnitID) {
				return dynastay.Invalid("UnitID", "must not be a unit of another line of the booking, which it is on %s", date)
			}
		}
		has = append(has, n)
	}
	line.setUnits(has)
	if !slices.ContainsFunc(has, func(n units.Night) bool { return n.UnitID == a.UnitID && nights.Contains(n.Date) }) {
		return dynastay.Invalid("Nights", "must be set, because the line has a unit for each of its rooms")
	}
	return nil
}

// fromToday returns the nights of the stay from today on. On the day of departure, the last one is not over.
func (b *Booking) fromToday(today dynastay.Date) dynastay.Stay {
	nights := b.Stay
	if last := b.Stay.LastNight(); today.After(last) {
		today = last
	}
	if today.After(nights.CheckIn) {
		nights.CheckIn = today
	}
	return nights
}
