package desk

import (
	"context"
	"strconv"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
)

// Choice is a room that a line lacks, with the rooms that it can get.
type Choice struct {
	bookings.Line
	Nights  dynastay.Stay
	Free    []*units.Unit
	Tonight bool // the guests cannot be checked in without it
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
	ahead := dynastay.Stay{CheckIn: later(s.Booking.Stay.CheckIn, d.Today), CheckOut: rest.CheckOut} // of a move, which begins today
	if ahead.CheckIn.After(ahead.LastNight()) {
		ahead.CheckIn = ahead.LastNight()
	}
	for _, l := range s.Lines {
		if lacking := d.lacking(&l, rest); !lacking.CheckIn.IsZero() {
			c := Choice{Line: l, Nights: lacking, Tonight: tonight(lacking, rest, d.Today)}
			for _, c.Nights = range narrower(lacking, d.Today) {
				if c.Free = free(l.RoomTypeID, c.Nights); len(c.Free) > 0 {
					break
				}
			}
			for range l.Quantity - len(l.UnitsOn(lacking.CheckIn)) {
				s.Lacks = append(s.Lacks, c)
			}
		}
		for _, unit := range l.UnitsOn(ahead.CheckIn) {
			for _, u := range free(l.RoomTypeID, ahead) {
				s.Others[unit] = append(s.Others[unit], u.ID)
			}
		}
	}
	return nil
}

// lacking returns the first nights, in a row, on which a line lacks rooms. The night of yesterday, although it goes on, does not count for
// those who have a room from today on.
func (d *Desk) lacking(l *bookings.Line, rest dynastay.Stay) dynastay.Stay {
	nights := gap(l, rest)
	if nights.CheckOut == d.Today && rest.CheckOut.After(d.Today) {
		return gap(l, dynastay.Stay{CheckIn: d.Today, CheckOut: rest.CheckOut})
	}
	return nights
}

// tonight reports whether the first night of the rest of a stay, or that of today, is among the nights that lack a room.
func tonight(lacking, rest dynastay.Stay, today dynastay.Date) bool {
	return lacking.Contains(rest.CheckIn) || lacking.Contains(later(rest.CheckIn, today))
}

// narrower returns the nights for which a room is looked for, until there is one: all that lack one, those from today on, and the first of
// these alone, after which the guests move.
func narrower(nights dynastay.Stay, today dynastay.Date) []dynastay.Stay {
	tries := []dynastay.Stay{nights}
	if first := later(nights.CheckIn, today); first.Before(nights.CheckOut) {
		tries = append(tries, dynastay.Stay{CheckIn: first, CheckOut: nights.CheckOut}, dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(1)})
	}
	return tries
}

func overlaps(taken nights, dates dynastay.Stay) bool {
	for date := range dates.Dates() {
		if _, has := taken[date]; has {
			return true
		}
	}
	return false
}

// CheckIn checks guests in, and gives them the rooms that were chosen of [Stay.Lacks]: those for tonight are required. 3 requests.
func (d *Desk) CheckIn(ctx context.Context, bookingID string, rooms []bookings.Assignment) error {
	b, err := d.booking(ctx, bookingID)
	if err != nil {
		return err
	}
	rest := d.rest(b, dynastay.Date{})
	for _, l := range b.Lines {
		lacking := d.lacking(&l, rest)
		if !tonight(lacking, rest, d.Today) {
			continue
		}
		given := 0
		for _, room := range rooms {
			if room.RoomTypeID == l.RoomTypeID && room.Line == l.Number {
				given++
			}
		}
		if lacks := l.Quantity - len(l.UnitsOn(lacking.CheckIn)); given != lacks { // also if a colleague has given them some meanwhile
			return dynastay.Invalid("Room", "is required for each room that the booking lacks: %s of %s", strconv.Itoa(lacks), l.Name)
		}
	}
	if len(rooms) == 0 {
		_, err = d.house.Bookings.CheckIn(ctx, bookingID, nil, d.own())
	} else {
		_, err = d.house.Bookings.CheckInTo(ctx, bookingID, rooms, d.own())
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
