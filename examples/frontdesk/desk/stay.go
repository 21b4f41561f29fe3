package desk

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
)

// Choice is a room that a line lacks, with the rooms that it can get, the best one first.
type Choice struct {
	bookings.Line
	Free []*units.Unit
}

// Stay is a booking as the desk sees it.
type Stay struct {
	*bookings.Booking
	Receipt *bookings.Receipt
	History bookings.PaymentHistory
	Lacks   []Choice            // one for each room that it lacks
	Others  map[string][]string // the rooms that are free for the rest of the stay, by the room that the guests have
}

// Stay returns a booking with its payments, and the rooms that its guests can get. 3 requests, and 1 for each month of the stay.
func (d *Desk) Stay(ctx context.Context, bookingID string) (*Stay, error) {
	b, err := d.booking(ctx, bookingID)
	if err != nil {
		return nil, err
	}
	s := &Stay{Booking: b, Others: map[string][]string{}}
	if s.History, err = d.house.Bookings.PaymentHistory(ctx, b.ID); err != nil {
		return nil, err
	}
	if s.Receipt, err = b.Receipt(s.History, d.house.DB.Now(), nil); err != nil {
		return nil, err
	}
	if b.Status != bookings.Confirmed && b.Status != bookings.CheckedIn {
		return s, nil
	}
	return s, d.choices(ctx, s)
}

// choices finds the rooms that the guests can get for the rest of the stay.
func (d *Desk) choices(ctx context.Context, s *Stay) error {
	rest := d.rest(s.Booking, dynastay.Date{})
	rooms, err := all(ctx, d.house.Units.List(d.Hotel.ID))
	if err != nil {
		return err
	}
	taken, _, err := d.occupied(ctx, rest)
	if err != nil {
		return err
	}
	free := func(roomTypeID string, nights dynastay.Stay) (found []*units.Unit) {
		for _, u := range rooms {
			if u.RoomTypeID == roomTypeID && !u.Retired && !overlaps(taken[u.ID], nights) {
				found = append(found, u)
			}
		}
		return found
	}
	ahead := dynastay.Stay{CheckIn: later(rest.CheckIn, d.Today), CheckOut: rest.CheckOut} // of a move, which begins today
	for _, l := range s.Lines {
		has := l.UnitsOn(rest.CheckIn)
		if lacking := gap(&l, rest); !lacking.CheckIn.IsZero() {
			for range l.Quantity - len(l.UnitsOn(lacking.CheckIn)) {
				s.Lacks = append(s.Lacks, Choice{l, free(l.RoomTypeID, lacking)})
			}
		}
		for _, unit := range has {
			for _, u := range free(l.RoomTypeID, ahead) {
				s.Others[unit] = append(s.Others[unit], u.ID)
			}
		}
	}
	return nil
}

func overlaps(taken nights, dates dynastay.Stay) bool {
	for date := range dates.Dates() {
		if _, has := taken[date]; has {
			return true
		}
	}
	return false
}

// Given is a room for a line of a booking.
type Given struct {
	RoomTypeID string
	Line       int
	UnitID     string
}

// CheckIn checks guests in, and gives them the rooms that their lines lack: one for each of [Stay.Lacks]. 3 requests.
func (d *Desk) CheckIn(ctx context.Context, bookingID string, rooms []Given) error {
	b, err := d.booking(ctx, bookingID)
	if err != nil {
		return err
	}
	rest, lacks := d.rest(b, dynastay.Date{}), 0
	var given []bookings.Assignment
	for _, l := range b.Lines {
		nights := gap(&l, rest)
		if nights.CheckIn.IsZero() {
			continue
		}
		lacks += l.Quantity - len(l.UnitsOn(nights.CheckIn))
		for _, g := range rooms {
			if g.RoomTypeID == l.RoomTypeID && g.Line == l.Number {
				given = append(given, bookings.Assignment{RoomTypeID: l.RoomTypeID, Line: l.Number, UnitID: g.UnitID, Nights: nights})
			}
		}
	}
	switch {
	case len(given) != lacks: // also if a colleague has given them some meanwhile
		return dynastay.Invalid("Room", "is required for each room that the booking lacks, which are %d", lacks)
	case lacks == 0:
		_, err = d.house.Bookings.CheckIn(ctx, bookingID, nil, d.own())
	default:
		_, err = d.house.Bookings.CheckInTo(ctx, bookingID, given, d.own())
	}
	return err
}

// Act does what has an obvious name: "check out", "undo check-in", "undo check-out", "no-show", "reinstate", or "release", which
// gives back the rooms of a no-show. 2 requests, and 2 to pay back.
func (d *Desk) Act(ctx context.Context, bookingID, action string) error {
	var err error
	switch all := d.house.Bookings; action {
	case "check out":
		_, err = all.CheckOut(ctx, bookingID, d.own())
	case "undo check-in":
		_, err = all.UndoCheckIn(ctx, bookingID, d.own())
	case "undo check-out":
		_, err = all.UndoCheckOut(ctx, bookingID, d.own())
	case "no-show":
		_, err = all.NoShow(ctx, bookingID, d.own())
	case "reinstate":
		_, err = all.Reinstate(ctx, bookingID, d.own())
	case "release":
		var released bookings.Cancellation
		if released, err = all.Release(ctx, bookingID, d.own()); err == nil {
			err = d.house.RefundDue(ctx, released.Booking, released.Due)
		}
	default:
		err = dynastay.Invalid("Action", "is none that the desk knows")
	}
	return err
}
