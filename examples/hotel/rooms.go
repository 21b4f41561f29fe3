package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/examples/report"
)

// numberRooms tells the platform which rooms the hotel has, one by one: twelve on the third floor, with a view on one side.
func (d *desk) numberRooms(ctx context.Context, out *report.Findings) error {
	var all []units.Unit
	for n := range 12 {
		room := units.Unit{PropertyID: orchard, ID: fmt.Sprint(301 + n), RoomTypeID: king, Floor: "3"}
		if n < 6 {
			room.Features = []string{"quiet"}
		}
		all = append(all, room)
	}
	created, err := d.units.CreateAll(ctx, all)
	if err != nil {
		return err
	}
	out.Row("King Studio", fmt.Sprintf("%d units", len(created)), created[0].ID+" to "+created[len(created)-1].ID)
	painted, err := d.bookings.TakeOutOfOrder(ctx, availability.House{ID: orchard}, bookings.OutOfOrder{
		UnitID: "312", ID: "painting", Nights: dynastay.Stay{CheckIn: month.CheckOut.AddDays(-4), CheckOut: month.CheckOut},
		Reason: "walls are painted", By: "staff_7",
	})
	if err != nil {
		return err
	}
	out.Row("312 is out of order", painted.OutOfOrder[0].Nights, painted.OutOfOrder[0].Reason)
	return nil
}

// assignRooms gives everybody who comes in June a room. Long stays wish for a quiet one.
func (d *desk) assignRooms(ctx context.Context, out *report.Findings) error {
	done, err := d.bookings.AutoAssign(ctx, bookings.AutoAssignment{
		PropertyID: orchard, Arrivals: month,
		Wish: func(b *bookings.Booking, _ bookings.Line) units.Wish {
			if b.Stay.Nights() < 4 {
				return units.Wish{Together: b.ID}
			}
			return units.Wish{Together: b.ID, Features: []string{"quiet"}}
		},
	})
	if err != nil {
		return err
	}
	without := 0
	for _, left := range done.Left {
		if left.RoomTypeID == king {
			return fmt.Errorf("a King Studio is left for everybody who has booked one, but not for %s", left.BookingID)
		}
		without++
	}
	out.Row(fmt.Sprintf("%d bookings have their rooms", len(done.Bookings)), fmt.Sprintf("%d are of room types without units", without))
	return nil
}

// showPlan draws the room plan of June from one request. Each booking is a letter, and # is out of order.
func (d *desk) showPlan(ctx context.Context, out *report.Findings) error {
	plan, err := d.units.Plan(ctx, orchard, month.CheckIn)
	if err != nil {
		return err
	}
	letters := map[string]byte{}
	for _, room := range plan {
		line := []byte(strings.Repeat(".", month.Nights()))
		for _, night := range room.Nights {
			switch {
			case night.By.OutOfOrder != "":
				letters[night.By.BookingID] = '#'
			case letters[night.By.BookingID] == 0:
				letters[night.By.BookingID] = byte('A' + len(letters)%26)
			}
			line[month.CheckIn.DaysUntil(night.Date)] = letters[night.By.BookingID]
		}
		out.Row(room.UnitID, string(line))
	}
	return nil
}

// arrive gives the guests who arrive a room, and checks them in.
func (d *desk) arrive(ctx context.Context, out *report.Findings, b *bookings.Booking) (*bookings.Booking, error) {
	lacking, err := d.bookings.Unassigned(ctx, orchard, b.Stay.CheckIn)
	if err != nil {
		return nil, err
	}
	out.Row("unassigned arrivals", len(lacking))
	_, err = d.bookings.AutoAssign(ctx, bookings.AutoAssignment{
		PropertyID: orchard, Arrivals: dynastay.Stay{CheckIn: b.Stay.CheckIn, CheckOut: b.Stay.CheckIn.AddDays(1)},
	})
	if err != nil {
		return nil, err
	}
	if b, err = d.bookings.CheckIn(ctx, b.ID, nil); err != nil {
		return nil, err
	}
	out.Row(b.Reference, plain(b.Status), "room "+b.Lines[0].RoomIDs[0])
	return b, d.showHouse(ctx, out, b)
}

// showHouse lists who is in the house, next departure first, and who leaves on the day on which a booking ends.
func (d *desk) showHouse(ctx context.Context, out *report.Findings, b *bookings.Booking) error {
	for guests, err := range d.bookings.InHouse(orchard).All(ctx) {
		if err != nil {
			return err
		}
		out.Row("in the house", "until "+guests.CheckOut.String())
	}
	leaving := 0
	for _, err := range d.bookings.Departures(bookings.CheckOutQuery{PropertyID: orchard, To: b.Stay.CheckOut.AddDays(1)}).All(ctx) {
		if err != nil {
			return err
		}
		leaving++
	}
	out.Row("departures", "by "+b.Stay.CheckOut.String(), leaving)
	return nil
}
