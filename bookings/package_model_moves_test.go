package bookings_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// worldMove is a call that changes the status of a booking.
type worldMove struct {
	name, verb string
	from       []bookings.Status
	not        func(b worldBooking, now time.Time) error // why the time does not allow it
	apply      func(b *worldBooking, now time.Time)
	plain      bool // it writes only the booking
	rare       bool // few bookings allow it at a time, so it usually chooses one of them
	do         func(on program, id, reason string, rooms bookings.Assigned, opts ...dynastay.WriteOption) (*bookings.Booking, error)
}

// holdGrace is the default of the library, as documented.
const holdGrace = time.Minute

func stayNotBegun(b worldBooking, now time.Time) error {
	if b.house.today(now).Before(b.stay.CheckIn) {
		return bookings.ErrTooEarly
	}
	return nil
}

func stayOver(b worldBooking, now time.Time) error {
	if b.house.today(now).After(b.stay.CheckOut) {
		return bookings.ErrTooLate
	}
	return nil
}

var (
	confirming = worldMove{
		name: "confirm", verb: "confirm", from: []bookings.Status{bookings.Pending}, plain: true,
		not: func(b worldBooking, now time.Time) error {
			switch {
			case !b.anonymised.IsZero():
				return bookings.ErrAnonymised
			case now.Before(b.holdEnd):
				return nil
			}
			return bookings.ErrHoldEnded
		},
		apply: func(b *worldBooking, now time.Time) {
			b.status, b.confirmed, b.holdEnd = bookings.Confirmed, now, time.Time{}
		},
		do: func(on program, id, _ string, _ bookings.Assigned, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return on.repo.Confirm(context.Background(), id, nil, opts...)
		},
	}
	checkingIn = worldMove{
		name: "check in", verb: "check in", rare: true, from: []bookings.Status{bookings.Confirmed}, plain: true,
		not: func(b worldBooking, now time.Time) error {
			if !b.anonymised.IsZero() {
				return bookings.ErrAnonymised
			}
			if err := stayNotBegun(b, now); err != nil {
				return err
			}
			return stayOver(b, now)
		},
		apply: func(b *worldBooking, now time.Time) { b.status, b.arrived = bookings.CheckedIn, now },
		do: func(on program, id, _ string, rooms bookings.Assigned, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return on.repo.CheckIn(context.Background(), id, rooms, opts...)
		},
	}
	checkingOut = worldMove{
		name: "check out", verb: "check out", rare: true, from: []bookings.Status{bookings.CheckedIn}, plain: true,
		not:   func(worldBooking, time.Time) error { return nil },
		apply: func(b *worldBooking, now time.Time) { b.status, b.left = bookings.Completed, now },
		do: func(on program, id, _ string, _ bookings.Assigned, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return on.repo.CheckOut(context.Background(), id, opts...)
		},
	}
	notShowing = worldMove{
		name: "no-show", verb: "record a no-show for", rare: true, from: []bookings.Status{bookings.Confirmed}, plain: true,
		not: func(b worldBooking, now time.Time) error {
			if !b.house.today(now).After(b.stay.CheckIn) {
				return bookings.ErrStillExpected
			}
			return nil
		},
		apply: func(b *worldBooking, _ time.Time) { b.status = bookings.NoShow },
		do: func(on program, id, _ string, _ bookings.Assigned, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return on.repo.NoShow(context.Background(), id, opts...)
		},
	}
	undoingArrival = worldMove{
		name: "undo a check-in", verb: "undo the check-in of", rare: true, from: []bookings.Status{bookings.CheckedIn},
		not: func(b worldBooking, now time.Time) error {
			if b.released.CheckIn != (dynastay.Date{}) {
				return bookings.ErrReleased
			}
			return onAnotherDay(b, b.arrived, now)
		},
		apply: func(b *worldBooking, _ time.Time) {
			b.status, b.arrived = bookings.Confirmed, time.Time{}
			for i := range b.lines {
				b.lines[i].assigned = nil
			}
		},
		do: func(on program, id, _ string, _ bookings.Assigned, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return on.repo.UndoCheckIn(context.Background(), id, opts...)
		},
	}
	undoingDeparture = worldMove{
		name: "undo a check-out", verb: "undo the check-out of", rare: true, from: []bookings.Status{bookings.Completed}, plain: true,
		not:   func(b worldBooking, now time.Time) error { return onAnotherDay(b, b.left, now) },
		apply: func(b *worldBooking, _ time.Time) { b.status, b.left = bookings.CheckedIn, time.Time{} },
		do: func(on program, id, _ string, _ bookings.Assigned, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return on.repo.UndoCheckOut(context.Background(), id, opts...)
		},
	}
	assigningRooms = worldMove{
		name: "assign rooms", verb: "assign rooms to", from: []bookings.Status{bookings.CheckedIn},
		not: func(b worldBooking, _ time.Time) error {
			if !b.anonymised.IsZero() {
				return bookings.ErrAnonymised
			}
			return nil
		},
		apply: func(*worldBooking, time.Time) {},
		do: func(on program, id, _ string, rooms bookings.Assigned, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return on.repo.AssignRooms(context.Background(), id, rooms, opts...)
		},
	}
	releasing = worldMove{
		name: "release", verb: "release the nights of", rare: true, from: []bookings.Status{bookings.NoShow},
		not: func(b worldBooking, now time.Time) error {
			switch {
			case b.released.CheckIn != (dynastay.Date{}):
				return bookings.ErrReleased
			case !b.house.today(now).Before(b.stay.CheckOut):
				return bookings.ErrTooLate
			}
			return nil
		},
		apply: func(b *worldBooking, now time.Time) {
			b.released = dynastay.Stay{CheckIn: b.house.today(now), CheckOut: b.stay.CheckOut}
		},
		do: func(on program, id, _ string, _ bookings.Assigned, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return cancellation(on.repo.Release(context.Background(), id, opts...))
		},
	}
	reinstating = worldMove{
		name: "reinstate", verb: "reinstate", rare: true, from: []bookings.Status{bookings.NoShow},
		not: func(b worldBooking, now time.Time) error {
			if !b.anonymised.IsZero() {
				return bookings.ErrAnonymised
			}
			return stayOver(b, now)
		},
		apply: func(b *worldBooking, now time.Time) {
			b.status, b.arrived = bookings.CheckedIn, now
			if b.released.CheckIn == (dynastay.Date{}) {
				return
			}
			if b.released.CheckOut = b.house.today(now); b.released.CheckOut == b.released.CheckIn {
				b.released = dynastay.Stay{}
			}
		},
		do: func(on program, id, _ string, _ bookings.Assigned, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return on.repo.Reinstate(context.Background(), id, opts...)
		},
	}
	cancelling = worldMove{
		name: "cancel", verb: "cancel", from: []bookings.Status{bookings.Pending, bookings.Confirmed},
		not:   stayOver,
		apply: func(b *worldBooking, now time.Time) { b.status, b.cancelled = bookings.Cancelled, now },
		do: func(on program, id, reason string, _ bookings.Assigned, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return cancellation(on.repo.Cancel(context.Background(), id, reason, nil, opts...))
		},
	}
	expiring = worldMove{
		name: "expire", verb: "expire", from: []bookings.Status{bookings.Pending},
		not: func(b worldBooking, now time.Time) error {
			if now.Before(b.holdEnd.Add(holdGrace)) {
				return bookings.ErrHoldOpen
			}
			return nil
		},
		apply: func(b *worldBooking, _ time.Time) { b.status = bookings.Expired },
		do: func(on program, id, _ string, _ bookings.Assigned, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return cancellation(on.repo.Expire(context.Background(), id, opts...))
		},
	}
)

func onAnotherDay(b worldBooking, at, now time.Time) error {
	switch {
	case !b.anonymised.IsZero():
		return bookings.ErrAnonymised
	case b.house.today(at) != b.house.today(now):
		return bookings.ErrAnotherDay
	}
	return nil
}

// retaken are the nights that a booking needs again if its guests are reinstated.
func (b worldBooking) retaken(now time.Time) (dates []dynastay.Date) {
	for date := range b.stay.Dates() {
		if b.released.Contains(date) && !date.Before(b.house.today(now)) {
			dates = append(dates, date)
		}
	}
	return dates
}

// retakes returns why released nights cannot be taken again.
func (w *world) retakes(b worldBooking) error {
	var no []availability.RefusedNight
	for _, l := range b.lines {
		for _, date := range b.retaken(w.db.Now()) {
			no = append(no, w.refusals(nightAt{l.RoomTypeID, date}, l.Quantity, 0, dynastay.Stay{})...)
		}
	}
	return refusalOf(nil, no)
}

// cancellation returns the booking. No night is ever missing, and nothing is refunded.
func cancellation(c bookings.Cancellation, err error) (*bookings.Booking, error) {
	if err == nil && c.Missing != nil {
		err = fmt.Errorf("nights are missing: %v", c.Missing)
	}
	if err == nil && (c.Payment != nil || c.Refunds != nil) {
		err = fmt.Errorf("payments without a refund: %v, %v", c.Payment, c.Refunds)
	}
	return c.Booking, err
}

// changingStatus is a move of one of the last bookings.
type changingStatus struct {
	worldMove
	back   int // which, see chooses
	reason string
	rooms  assigning
	late   bool // not before the day from which it is possible
	key    keyChoice
}

// assigning says which rooms are assigned at check-in.
type assigning int

const (
	noRooms assigning = iota
	allRooms
	firstRooms // of the first line only
	tooManyRooms
	otherRooms // of a room type that is not booked
)

func drawMove(m worldMove) func(*rapid.T) worldStep {
	return func(t *rapid.T) worldStep {
		s := changingStatus{worldMove: m, back: model.UpTo(t, mostBack, "booking"), key: drawKey(t)}
		switch m.name {
		case "cancel":
			s.reason = model.OneOf(t, "reason", "", "ill")
		case "no-show":
			s.late = model.OneOf(t, "late", false, true)
		case "check in":
			s.late = model.OneOf(t, "late", false, true)
			s.rooms = model.OneOf(t, "rooms", noRooms, noRooms, allRooms, allRooms, firstRooms, tooManyRooms, otherRooms)
		case "assign rooms":
			s.rooms = model.OneOf(t, "rooms", allRooms, allRooms, firstRooms, tooManyRooms, otherRooms)
		}
		return s
	}
}

func (s changingStatus) String() string {
	return fmt.Sprintf("%s booking %d, reason %q, rooms %d, late %t, key %d", s.name, s.back, s.reason, s.rooms, s.late, s.key)
}

// chooses returns one of the last bookings: one that is in a status from which the move is possible, or, if there is
// none and every fourth time, any. Sometimes it returns none.
func (w *world) chooses(back int, from []bookings.Status) string {
	return w.choosesOf(back, func(b worldBooking) bool { return slices.Contains(from, b.status) })
}

// choosesOf returns one of the last bookings that are right, in the same way.
func (w *world) choosesOf(back int, right func(worldBooking) bool) string {
	ids := slices.Clone(w.order)
	slices.Reverse(ids)
	some := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !right(w.bookings[id]) })
	if back%4 < 3 && len(some) > 0 {
		ids = some
	}
	if back == mostBack || len(ids) == 0 {
		return "bkg_none"
	}
	return ids[back/4%len(ids)]
}

const mostBack = 20

// assign returns the rooms.
func (s changingStatus) assign(b worldBooking) bookings.Assigned {
	rooms := bookings.Assigned{}
	for i, l := range b.lines {
		n := l.Quantity
		switch {
		case s.rooms == noRooms, s.rooms == firstRooms && i > 0:
			continue
		case s.rooms == tooManyRooms && i == 0:
			n++
		}
		for room := range n {
			rooms[l.RoomTypeID] = append(rooms[l.RoomTypeID], fmt.Sprintf("%s%d", l.Name, room))
		}
	}
	if s.rooms == otherRooms || s.name == "assign rooms" && len(rooms) == 0 {
		rooms["room_none"] = []string{"1"}
	}
	return rooms
}

// unfit is why the rooms are not those of the booking. A call that is repeated can find other lines than it was made for.
func (b worldBooking) unfit(rooms bookings.Assigned) error {
	for _, roomType := range slices.Sorted(maps.Keys(rooms)) {
		booked := 0
		for _, l := range b.lines {
			if l.RoomTypeID == roomType {
				booked = l.Quantity
			}
		}
		if len(rooms[roomType]) != booked {
			return dynastay.Invalid("Rooms["+roomType+"]", "…")
		}
	}
	return nil
}

func (s changingStatus) run(w *world, on program) { w.runWrite(s, s.key, on) }

func (s changingStatus) write(w *world) (worldWrite, bool) {
	if s.late {
		b := w.bookings[w.chooses(s.back, s.from)]
		if b.id != "" && b.status == bookings.Confirmed {
			day := b.stay.CheckIn
			if s.name == "no-show" {
				day = day.AddDays(1)
			}
			if y, m, d := day.Time().Date(); b.house.today(w.db.Now()).Before(day) {
				w.db.Clock.Set(time.Date(y, m, d, 0, 0, 0, 0, b.house.zone))
			}
		}
	}
	if s.rare {
		return s.call(w, w.choosesOf(s.back, func(b worldBooking) bool { return s.allows(b, w.db.Now()) == nil })), true
	}
	return s.call(w, w.chooses(s.back, s.from)), true
}

// call returns the call that changes a booking.
func (s changingStatus) call(w *world, id string) worldWrite {
	rooms := s.assign(w.bookings[id])
	var again []dynastay.Date // the nights that are taken again
	if s.name == "reinstate" {
		s.plain = len(w.bookings[id].retaken(w.db.Now())) == 0
	}
	if s.name == "undo a check-in" {
		s.plain = !slices.ContainsFunc(w.bookings[id].lines, func(l worldLine) bool { return l.assigned != nil })
	}
	return worldWrite{
		name: s.name, input: fmt.Sprint(id, s.reason, rooms), plain: s.plain && len(rooms) == 0,
		do: func(on program, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return s.do(on, id, s.reason, rooms, opts...)
		},
		expected: func() (worldBooking, error) {
			b, there := w.bookings[id]
			if !there {
				return b, dynastay.ErrNotFound
			}
			now := w.db.Now()
			if err := s.allows(b, now); err != nil {
				return b, err
			}
			no := b.unfit(rooms)
			if s.name == "reinstate" {
				again, no = b.retaken(now), w.retakes(b)
			}
			return s.moved(b, now, rooms), no
		},
		apply: func(b worldBooking) {
			switch {
			case !b.takes():
				w.touch(b, b.stay)
			case s.name == "release":
				w.touch(b, b.released)
			case s.name == "reinstate" && len(again) > 0:
				w.touch(b, dynastay.Stay{CheckIn: again[0], CheckOut: b.stay.CheckOut})
			}
			if len(rooms) > 0 {
				w.met.Add(s.name+": with rooms", 1)
			}
		},
		varied: func(int) worldWrite {
			other, of := s, id
			switch s.name {
			case "cancel":
				other.reason += " again"
			case "check in", "assign rooms":
				other.rooms = (s.rooms + 1) % (otherRooms + 1)
			default:
				of = "bkg_none"
			}
			return other.call(w, of)
		},
	}
}

// allows returns the error if a booking cannot make the move.
func (m worldMove) allows(b worldBooking, now time.Time) error {
	if !slices.Contains(m.from, b.status) {
		return &bookings.StatusError{BookingID: b.id, Status: b.status, Op: m.verb}
	}
	if err := m.not(b, now); err != nil {
		return &bookings.StatusError{BookingID: b.id, Status: b.status, Op: m.verb, Err: err}
	}
	return nil
}

// moved returns the booking after the move.
func (s changingStatus) moved(b worldBooking, now time.Time, rooms bookings.Assigned) worldBooking {
	b.lines = slices.Clone(b.lines)
	held := b.holdEnd
	if s.apply(&b, now); b.status == bookings.Pending && b.holdEnd == held {
		return b // no more time: nothing is written
	}
	b.updated, b.version = now, b.version+1
	if b.anonymised.IsZero() {
		b.reason = s.reason
	}
	for i := range b.lines {
		if ids := rooms[b.lines[i].RoomTypeID]; ids != nil {
			b.lines[i].assigned = ids
		}
	}
	return b
}
