package bookings

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Assigned are the individual rooms that guests get, by room type, such as {"room_789": {"301", "302"}}. The id of a
// room has at most 128 bytes. An id that looks like the number of a payment card is refused. If a booking has several lines
// for a room type, they get the rooms in the order of their numbers.
type Assigned map[string][]string

// validate checks the ids. Whether they fit the booking is known only once it has been read.
func (a Assigned) validate() error {
	seen := map[string]bool{}
	for _, roomType := range slices.Sorted(maps.Keys(a)) {
		for i, id := range a[roomType] {
			at := fmt.Sprintf("Rooms[%s][%d]", roomType, i)
			if err := checkText(id, maxRoomID); err != nil {
				return dynastay.Within(at, err)
			}
			switch {
			case id == "":
				return dynastay.Invalid(at, "is required")
			case seen[id]:
				return dynastay.Invalid(at, "appears more than once")
			}
			seen[id] = true
		}
	}
	return nil
}

const maxRoomID = 128 // bytes

// of checks that the rooms are those of a booking, and enters them in its lines.
func (a Assigned) of(b *Booking) error {
	for _, roomType := range slices.Sorted(maps.Keys(a)) {
		n := 0
		for _, line := range b.Lines {
			if line.RoomTypeID == roomType {
				n += line.Quantity
			}
		}
		ids := slices.Clone(a[roomType])
		switch {
		case !slices.ContainsFunc(b.Lines, func(l Line) bool { return l.RoomTypeID == roomType }):
			return dynastay.Invalid("Rooms["+roomType+"]", "must be a room type of the booking")
		case len(ids) != n:
			return dynastay.Invalid("Rooms["+roomType+"]", "must have one entry for each room, %d in all", n)
		}
		for i := range b.Lines {
			if line := &b.Lines[i]; line.RoomTypeID == roomType {
				if len(line.Units) > 0 {
					return dynastay.Invalid("Rooms["+roomType+"]", "must not have texts, because the line has units on some of its nights")
				}
				line.RoomIDs, ids = ids[:line.Quantity:line.Quantity], ids[line.Quantity:]
			}
		}
	}
	return nil
}

var assign = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(lineExists).
	WithUpdate(expression.Set(dynastay.NameOf("RoomId"), dynastay.Param("rooms"))))

var checkIn = move{
	name: "bookings.CheckIn", verb: "check in", from: []Status{Confirmed},
	ready: func(b *Booking, now time.Time) error { return cmp.Or(awaited(b), during(b, now)) },
	apply: func(b *Booking, now time.Time) { b.Status, b.CheckedInAt = CheckedIn, now },
}

// CheckInOp records the arrival of the guests of a confirmed booking, and the rooms that they get, if they are known:
// for each room type as many as were booked, or none. It is possible from the date of check-in to the date of check-out
// at the property; otherwise, it fails with a [*StatusError] that matches [ErrTooEarly] or [ErrTooLate]. Rooms that do
// not fit the booking are refused with a [*dynastay.InvalidError] for the field "Rooms[{room type}]".
//
// Nothing checks whether somebody else has the same room: the rooms are texts. A property that has units uses
// [Repository.CheckInTo], or [Repository.AssignUnits] before, and with [Options].OnlyUnits, texts are refused.
func (r *Repository) CheckInOp(bookingID string, rooms Assigned) *dynastay.Operation[*Booking] {
	return r.roomsOp(bookingID, checkIn, rooms, rooms.validate())
}

// CheckIn runs [Repository.CheckInOp]. 2 requests: a consistent Query of the booking, and the write.
func (r *Repository) CheckIn(ctx context.Context, bookingID string, rooms Assigned, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.CheckInOp(bookingID, rooms), opts...)
}

// AssignRoomsOp gives guests who have checked in their rooms, if they got none at check-in, or others. It takes rooms as
// CheckInOp does, at least those of one room type; the others stay as they are. If the guests have not checked in, or
// have left, it fails with a [*StatusError]; after [Eraser.Erase], with one that matches [ErrAnonymised]. A line that has units is
// refused with a [*dynastay.InvalidError].
func (r *Repository) AssignRoomsOp(bookingID string, rooms Assigned) *dynastay.Operation[*Booking] {
	invalid := rooms.validate()
	if len(rooms) == 0 {
		invalid = dynastay.Invalid("Rooms", "must not be empty")
	}
	return r.roomsOp(bookingID, assignRooms, rooms, invalid)
}

// AssignRooms runs [Repository.AssignRoomsOp]. 2 requests: a consistent Query of the booking, and the transaction.
func (r *Repository) AssignRooms(ctx context.Context, bookingID string, rooms Assigned, opts ...dynastay.WriteOption) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.AssignRoomsOp(bookingID, rooms), opts...)
}

var assignRooms = move{
	name: "bookings.AssignRooms", verb: "assign rooms to", from: []Status{CheckedIn},
	ready: func(b *Booking, _ time.Time) error { return awaited(b) },
	apply: func(*Booking, time.Time) {},
	touch: true,
}

// roomsOp is an operation that makes a move and assigns rooms.
func (r *Repository) roomsOp(bookingID string, m move, rooms Assigned, invalid error) *dynastay.Operation[*Booking] {
	rooms = maps.Clone(rooms)
	if r.opts.OnlyUnits && len(rooms) > 0 {
		invalid = dynastay.Invalid("Rooms", "must be empty: the rooms are units, so call CheckInTo or AssignUnits")
	}
	return r.linesOp(bookingID, m, invalid, func(in *dynastay.Input) {
		for _, roomType := range slices.Sorted(maps.Keys(rooms)) {
			in.Field("room type", roomType)
			for _, id := range rooms[roomType] {
				in.Field("room", id)
			}
		}
	}, func(_ context.Context, tx *dynastay.Tx, done moved) error {
		b := done.booking
		if err := rooms.of(b); err != nil {
			return err
		}
		for _, line := range b.Lines {
			if len(rooms[line.RoomTypeID]) == 0 {
				continue
			}
			if err := line.write(tx, assign.With(dynastay.Item{"rooms": roomIDs(line.RoomIDs)})); err != nil {
				return err
			}
		}
		return nil
	})
}

// write adds the update of a line that was read.
func (l Line) write(tx *dynastay.Tx, expr dynastay.Expr) error {
	at, err := l.key()
	if err == nil {
		tx.Update(keys.BookingsTable, at, expr).Else(overtaken)
	}
	return err
}
