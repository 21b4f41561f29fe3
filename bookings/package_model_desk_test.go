package bookings_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
)

// deskCall is a call at the front desk.
type deskCall struct {
	text string
	kind string // for the counts
	// expect changes a copy of the state, or returns why the call is refused.
	expect func(s deskState, now time.Time) error
	do     func(on *bookings.Repository, opts ...dynastay.WriteOption) ([]*bookings.Booking, error)
	bare   bool // it takes no options, and so no idempotency key
	// repeatable means that the same call does nothing once it is done.
	repeatable bool
}

type deskWrite func(context.Context, string, ...dynastay.WriteOption) (*bookings.Booking, error)

func givingBack(c func(context.Context, string, ...dynastay.WriteOption) (bookings.Cancellation, error)) deskWrite {
	return func(ctx context.Context, id string, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
		return cancellation(c(ctx, id, opts...))
	}
}

// deskMove is a change of the status of a booking, and what it does to the units.
type deskMove struct {
	name, verb string
	from       []bookings.Status
	not        func(b deskBooking, now time.Time) error
	apply      func(b *deskBooking, now time.Time)
	do         func(r *bookings.Repository) deskWrite
}

var coming = []bookings.Status{bookings.Pending, bookings.Confirmed, bookings.CheckedIn}

func deskHoldEnded(b deskBooking, now time.Time) error {
	if b.status == bookings.Pending && !now.Before(b.hold) {
		return bookings.ErrHoldEnded
	}
	return nil
}

func deskTooLate(b deskBooking, now time.Time) error {
	if deskDate(now).After(b.stay.CheckOut) {
		return bookings.ErrTooLate
	}
	return nil
}

func deskOpen(b deskBooking, now time.Time) error {
	if err := deskHoldEnded(b, now); err != nil {
		return err
	}
	return deskTooLate(b, now)
}

func deskDuring(b deskBooking, now time.Time) error {
	if deskDate(now).Before(b.stay.CheckIn) {
		return bookings.ErrTooEarly
	}
	return deskTooLate(b, now)
}

func deskSameDay(at, now time.Time) error {
	if deskDate(at) != deskDate(now) {
		return bookings.ErrAnotherDay
	}
	return nil
}

// arriving, also that of guests who are checked in to units.
var deskArriving = deskMove{
	name: "check in", verb: "check in", from: []bookings.Status{bookings.Confirmed}, not: deskDuring,
	apply: func(b *deskBooking, now time.Time) { b.status, b.in = bookings.CheckedIn, now },
	do: func(r *bookings.Repository) deskWrite {
		return func(ctx context.Context, id string, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return r.CheckIn(ctx, id, nil, opts...)
		}
	},
}

const longerHold = 36 * time.Hour

var deskMoves = []deskMove{
	deskArriving,
	{
		name: "confirm", verb: "confirm", from: coming[:1], not: deskHoldEnded,
		apply: func(b *deskBooking, _ time.Time) { b.status, b.hold = bookings.Confirmed, time.Time{} },
		do: func(r *bookings.Repository) deskWrite {
			return func(ctx context.Context, id string, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
				return r.Confirm(ctx, id, nil, opts...)
			}
		},
	},
	{
		name: "extend hold", verb: "extend the hold of", from: coming[:1], not: deskHoldEnded,
		apply: func(b *deskBooking, now time.Time) {
			if end := now.Add(longerHold); end.After(b.hold) {
				b.hold = end
			}
		},
		do: func(r *bookings.Repository) deskWrite {
			return func(ctx context.Context, id string, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
				return r.ExtendHold(ctx, id, longerHold, opts...)
			}
		},
	},
	{
		name: "expire", verb: "expire", from: coming[:1],
		not: func(b deskBooking, now time.Time) error {
			if now.Before(b.hold.Add(holdGrace)) {
				return bookings.ErrHoldOpen
			}
			return nil
		},
		apply: func(b *deskBooking, _ time.Time) { b.status = bookings.Expired },
		do:    func(r *bookings.Repository) deskWrite { return givingBack(r.Expire) },
	},
	{
		name: "cancel", verb: "cancel", from: coming[:2], not: deskTooLate,
		apply: func(b *deskBooking, _ time.Time) { b.status = bookings.Cancelled },
		do: func(r *bookings.Repository) deskWrite {
			return givingBack(func(ctx context.Context, id string, opts ...dynastay.WriteOption) (bookings.Cancellation, error) {
				return r.Cancel(ctx, id, "", nil, opts...)
			})
		},
	},
	{
		name: "no-show", verb: "record a no-show for", from: coming[1:2],
		not: func(b deskBooking, now time.Time) error {
			if !deskDate(now).After(b.stay.CheckIn) {
				return bookings.ErrStillExpected
			}
			return nil
		},
		apply: func(b *deskBooking, _ time.Time) { b.status = bookings.NoShow },
		do:    func(r *bookings.Repository) deskWrite { return r.NoShow },
	},
	{
		name: "release", verb: "release the nights of", from: []bookings.Status{bookings.NoShow},
		not: func(b deskBooking, now time.Time) error {
			switch {
			case b.released != (dynastay.Stay{}):
				return bookings.ErrReleased
			case !deskDate(now).Before(b.stay.CheckOut):
				return bookings.ErrTooLate
			}
			return nil
		},
		apply: func(b *deskBooking, now time.Time) {
			b.released = dynastay.Stay{CheckIn: deskDate(now), CheckOut: b.stay.CheckOut}
		},
		do: func(r *bookings.Repository) deskWrite { return givingBack(r.Release) },
	},
	{
		name: "reinstate", verb: "reinstate", from: []bookings.Status{bookings.NoShow}, not: deskDuring,
		apply: func(b *deskBooking, now time.Time) {
			b.status, b.in = bookings.CheckedIn, now
			if b.released.CheckOut = deskDate(now); !b.released.CheckOut.After(b.released.CheckIn) || b.released.CheckIn.IsZero() {
				b.released = dynastay.Stay{}
			}
		},
		do: func(r *bookings.Repository) deskWrite { return r.Reinstate },
	},
	{
		name: "check out", verb: "check out", from: coming[2:],
		not:   func(deskBooking, time.Time) error { return nil },
		apply: func(b *deskBooking, now time.Time) { b.status, b.out = bookings.Completed, now },
		do:    func(r *bookings.Repository) deskWrite { return r.CheckOut },
	},
	{
		name: "undo check-in", verb: "undo the check-in of", from: coming[2:],
		not: func(b deskBooking, now time.Time) error {
			if b.released != (dynastay.Stay{}) {
				return bookings.ErrReleased
			}
			return deskSameDay(b.in, now)
		},
		apply: func(b *deskBooking, _ time.Time) { b.status, b.in = bookings.Confirmed, time.Time{} },
		do:    func(r *bookings.Repository) deskWrite { return r.UndoCheckIn },
	},
	{
		name: "undo check-out", verb: "undo the check-out of", from: []bookings.Status{bookings.Completed},
		not:   func(b deskBooking, now time.Time) error { return deskSameDay(b.out, now) },
		apply: func(b *deskBooking, _ time.Time) { b.status, b.out = bookings.CheckedIn, time.Time{} },
		do:    func(r *bookings.Repository) deskWrite { return r.UndoCheckOut },
	},
}

// may returns why a booking cannot make a move.
func (s deskState) may(id, verb string, from []bookings.Status, not func(deskBooking, time.Time) error, now time.Time) (deskBooking, error) {
	b, there := s.bookings[id]
	if !there {
		return b, dynastay.ErrNotFound
	}
	if !slices.Contains(from, b.status) {
		return b, &bookings.StatusError{BookingID: id, Status: b.status, Op: verb}
	}
	if err := not(b, now); err != nil {
		return b, &bookings.StatusError{BookingID: id, Status: b.status, Op: verb, Err: err}
	}
	return b.clone(), nil
}

// call returns the call that makes a move.
func (m deskMove) call(id string) deskCall {
	return deskCall{
		text: m.name + " " + id, kind: m.name,
		expect: func(s deskState, now time.Time) error {
			b, err := s.may(id, m.verb, m.from, m.not, now)
			if err != nil {
				return err
			}
			if m.name == "check out" {
				for _, l := range b.lines {
					s.dirtyLast(l, deskDate(now))
				}
			}
			had := s.bookings[id]
			m.apply(&b, now)
			if no := s.shortage(had, b); m.name == "reinstate" && no != nil {
				return &availability.Refused{Nights: no}
			}
			s.comeBack(b, now) // takes nothing, unless the guests were gone
			return nil
		},
		do: func(on *bookings.Repository, opts ...dynastay.WriteOption) ([]*bookings.Booking, error) {
			return alone(m.do(on)(context.Background(), id, opts...))
		},
	}
}

// dirtyLast makes the units dirty that a line had on its last night until today, and if that is tonight, the night before as well.
func (s deskState) dirtyLast(l deskLine, today dynastay.Date) {
	var last dynastay.Date
	for n := range l.has {
		if !n.Date.After(today) && n.Date.After(last) {
			last = n.Date
		}
	}
	left := l.on(last)
	if last == today {
		left = append(left, l.on(last.AddDays(-1))...)
	}
	for _, id := range left {
		s.dirty(id)
	}
}

func alone(b *bookings.Booking, err error) ([]*bookings.Booking, error) {
	return []*bookings.Booking{b}, err
}

// assign enters assignments in the lines of a booking.
func (b *deskBooking) assign(all []bookings.Assignment, today dynastay.Date) error {
	for i, a := range all {
		no := func(field string) error { return dynastay.Invalid(fmt.Sprintf("Units[%d].%s", i, field), "…") }
		line, nights, given := b.line(a.RoomTypeID, a.Line), a.Nights, a.Nights != dynastay.Stay{}
		switch {
		case line == nil:
			return no("Line")
		case !given:
			nights = b.ahead(today)
		case nights.CheckIn.Before(b.stay.CheckIn) || nights.CheckOut.After(b.stay.CheckOut):
			return no("Nights")
		}
		for date := range nights.Dates() {
			n := units.Night{UnitID: a.UnitID, Date: date}
			full := len(line.on(date)) >= line.rooms
			switch {
			case line.has[n], full && !given:
			case full:
				return no("Nights")
			case b.inUnit(a.UnitID, date):
				return no("UnitID")
			default:
				line.has[n] = true
			}
		}
		if !slices.ContainsFunc(line.nights(), func(n units.Night) bool { return n.UnitID == a.UnitID && nights.Contains(n.Date) }) {
			return no("Nights")
		}
	}
	return nil
}

func deskAssign(id string, all []bookings.Assignment) deskCall {
	return deskCall{
		text: fmt.Sprintf("assign %s %v", id, all), kind: "assign",
		expect: func(s deskState, now time.Time) error {
			b, err := s.may(id, "assign units to", coming, deskOpen, now)
			if err == nil {
				err = b.assign(all, deskDate(now))
			}
			if err != nil {
				return err
			}
			return s.take(b)
		},
		do: func(on *bookings.Repository, opts ...dynastay.WriteOption) ([]*bookings.Booking, error) {
			return alone(on.AssignUnits(context.Background(), id, all, opts...))
		},
	}
}

func deskCheckInTo(id string, all []bookings.Assignment) deskCall {
	return deskCall{
		text: fmt.Sprintf("check in to %s %v", id, all), kind: "check in to",
		expect: func(s deskState, now time.Time) error {
			b, err := s.may(id, deskArriving.verb, deskArriving.from, deskArriving.not, now)
			if err != nil {
				return err
			}
			deskArriving.apply(&b, now)
			if err := b.assign(all, deskDate(now)); err != nil {
				return err
			}
			return s.take(b)
		},
		do: func(on *bookings.Repository, opts ...dynastay.WriteOption) ([]*bookings.Booking, error) {
			return alone(on.CheckInTo(context.Background(), id, all, opts...))
		},
	}
}

func deskUnassign(id string, which []string) deskCall {
	return deskCall{
		text: fmt.Sprintf("unassign %s %v", id, which), kind: "unassign",
		expect: func(s deskState, now time.Time) error {
			b, err := s.may(id, "unassign units of", coming, deskOpen, now)
			if err != nil {
				return err
			}
			before, ahead, some := b.clone(), b.ahead(deskDate(now)), false
			for _, l := range b.lines {
				for _, n := range l.nights() {
					if ahead.Contains(n.Date) && (len(which) == 0 || slices.Contains(which, n.UnitID)) {
						delete(l.has, n)
						s.leave(before, n.UnitID, ahead.CheckIn, deskDate(now))
						some = true
					}
				}
			}
			if !some {
				return dynastay.Invalid("Units", "…")
			}
			return s.take(b)
		},
		do: func(on *bookings.Repository, opts ...dynastay.WriteOption) ([]*bookings.Booking, error) {
			return alone(on.UnassignUnits(context.Background(), id, which, opts...))
		},
	}
}

// exchange gives a booking another unit from a night on.
func (b *deskBooking) exchange(from, to string, on dynastay.Date) error {
	some := false
	for _, l := range b.lines {
		for _, n := range l.nights() {
			if n.UnitID != from || n.Date.Before(on) {
				continue
			}
			if b.inUnit(to, n.Date) {
				return dynastay.Invalid("To", "…")
			}
			delete(l.has, n)
			l.has[units.Night{UnitID: to, Date: n.Date}] = true
			some = true
		}
	}
	if !some {
		return dynastay.Invalid("From", "…")
	}
	return nil
}

func deskMoveUnit(id string, m bookings.UnitMove) deskCall {
	return deskCall{
		text: fmt.Sprintf("move %s %v", id, m), kind: "move",
		expect: func(s deskState, now time.Time) error {
			b, err := s.may(id, "move the guests of", coming, deskOpen, now)
			if err != nil {
				return err
			}
			on := m.On
			if on.IsZero() {
				on = b.ahead(deskDate(now)).CheckIn
			} else if !b.stay.Contains(on) {
				return dynastay.Invalid("On", "…")
			}
			s.leave(b, m.From, on, deskDate(now))
			if err := b.exchange(m.From, m.To, on); err != nil {
				return err
			}
			return s.take(b)
		},
		do: func(on *bookings.Repository, opts ...dynastay.WriteOption) ([]*bookings.Booking, error) {
			return alone(on.MoveUnit(context.Background(), id, m, opts...))
		},
	}
}

func deskSwap(swap bookings.UnitSwap) deskCall {
	return deskCall{
		text: fmt.Sprintf("swap %v", swap), kind: "swap",
		expect: func(s deskState, now time.Time) error {
			sides, on := [2]bookings.UnitOf{swap.A, swap.B}, swap.On
			var both [2]deskBooking
			for i, side := range sides {
				b, err := s.may(side.BookingID, "swap the units of", coming, deskOpen, now)
				if err != nil {
					return err
				}
				both[i] = b
			}
			for i := 0; i < 2 && swap.On.IsZero(); i++ {
				if first := both[i].ahead(deskDate(now)).CheckIn; on.Before(first) {
					on = first
				}
			}
			for i := range both {
				if !both[i].stay.Contains(on) {
					return dynastay.Invalid("On", "…")
				}
				s.leave(both[i], sides[i].UnitID, on, deskDate(now))
				if err := both[i].exchange(sides[i].UnitID, sides[1-i].UnitID, on); err != nil {
					return err
				}
			}
			return s.take(both[:]...)
		},
		do: func(on *bookings.Repository, opts ...dynastay.WriteOption) ([]*bookings.Booking, error) {
			done, err := on.SwapUnits(context.Background(), swap, opts...)
			return []*bookings.Booking{done.A, done.B}, err
		},
	}
}

func deskModify(m bookings.Modification) deskCall {
	return deskCall{
		text: fmt.Sprintf("modify %s to %v", m.BookingID, m.Quote.Stay), kind: "modify",
		expect: func(s deskState, now time.Time) error {
			b, err := s.may(m.BookingID, "modify", coming, deskOpen, now)
			switch {
			case err != nil:
				return err
			case b.version != m.Version:
				return dynastay.ErrVersion
			}
			after := b.modified(m.Quote)
			if no := s.shortage(b, after); no != nil {
				return &availability.Refused{Nights: no}
			}
			s.put(after)
			return nil
		},
		do: func(on *bookings.Repository, opts ...dynastay.WriteOption) ([]*bookings.Booking, error) {
			done, err := on.Modify(context.Background(), m, opts...)
			return alone(done.Booking, err)
		},
	}
}
