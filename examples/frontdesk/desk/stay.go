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
	rest := dynastay.Stay{CheckIn: d.first(b, dynastay.Date{}), CheckOut: b.Stay.CheckOut}
	if b.Status != bookings.Confirmed && b.Status != bookings.CheckedIn || !rest.CheckIn.Before(rest.CheckOut) {
		return s, nil
	}
	return s, d.choices(ctx, s, rest)
}

// choices finds the rooms that the guests can get for the rest of the stay.
func (d *Desk) choices(ctx context.Context, s *Stay, rest dynastay.Stay) error {
	rooms, err := all(ctx, d.house.Units.List(d.Hotel.ID))
	if err != nil {
		return err
	}
	taken, err := d.taken(ctx, rest)
	if err != nil {
		return err
	}
	free := map[string][]*units.Unit{} // by room type
	for _, u := range rooms {
		if !u.Retired && !overlaps(taken[u.ID], rest) {
			free[u.RoomTypeID] = append(free[u.RoomTypeID], u)
		}
	}
	for _, l := range s.Lines {
		has := l.UnitsOn(rest.CheckIn)
		for range l.Quantity - len(has) {
			s.Lacks = append(s.Lacks, Choice{l, free[l.RoomTypeID]})
		}
		for _, unit := range has {
			for _, u := range free[l.RoomTypeID] {
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

// CheckIn checks guests in, with a room for each that their lines lack: the ids of the rooms in the order of [Stay.Lacks]. 4 requests.
func (d *Desk) CheckIn(ctx context.Context, bookingID string, rooms []string) error {
	s, err := d.booking(ctx, bookingID)
	if err != nil {
		return err
	}
	var given []bookings.Assignment
	rest := rooms
	for _, l := range s.Lines {
		for range l.Quantity - len(l.UnitsOn(d.first(s, dynastay.Date{}))) {
			if len(rest) == 0 || rest[0] == "" {
				return dynastay.Invalid("Room", "is required for each room of the booking")
			}
			given = append(given, bookings.Assignment{RoomTypeID: l.RoomTypeID, Line: l.Number, UnitID: rest[0]})
			rest = rest[1:]
		}
	}
	if len(given) == 0 {
		_, err = d.house.Bookings.CheckIn(ctx, bookingID, nil, d.own())
		return err
	}
	_, err = d.house.Bookings.CheckInTo(ctx, bookingID, given, d.own())
	return err
}

// Act does what has an obvious name: "check out", "undo check-in", "undo check-out", "no-show", or "reinstate". 2 requests.
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
	default:
		err = dynastay.Invalid("Action", "is none that the desk knows")
	}
	return err
}
