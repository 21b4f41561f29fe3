package desk

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
)

// Rooms returns the rooms of the property that are in use, one by one. 1 request.
func (d *Desk) Rooms(ctx context.Context) (rooms []*units.Unit, err error) {
	list, err := all(ctx, d.house.Units.List(d.Hotel.ID))
	for _, u := range list {
		if !u.Retired {
			rooms = append(rooms, u)
		}
	}
	return rooms, err
}

// Ahead returns the times in which a room is, or will be, out of order.
func (d *Desk) Ahead(u *units.Unit) (times []units.OutOfOrder) {
	for _, o := range u.OutOfOrder {
		if o.Nights.CheckOut.After(d.Today) {
			times = append(times, o)
		}
	}
	return times
}

// Clean records that a room is clean, dirty or inspected. 1 request.
func (d *Desk) Clean(ctx context.Context, unitID string, state units.Housekeeping) error {
	return d.house.Units.SetHousekeeping(ctx, d.Hotel.ID, unitID, state, d.by)
}

// TakeOut takes a room out of order. The id makes a form that is sent twice count once. See [bookings.Repository.TakeOutOfOrder] for its
// requests.
func (d *Desk) TakeOut(ctx context.Context, unitID, id string, nights dynastay.Stay, reason string) error {
	_, err := d.house.Bookings.TakeOutOfOrder(ctx, d.self(), bookings.OutOfOrder{UnitID: unitID, ID: id, Nights: nights, Reason: reason, By: d.by})
	return err
}

// PutBack ends the time that a room is out of order. See [bookings.Repository.EndOutOfOrder] for its requests.
func (d *Desk) PutBack(ctx context.Context, unitID, id string) error {
	_, err := d.house.Bookings.EndOutOfOrder(ctx, d.self(), bookings.OutOfOrderEnd{UnitID: unitID, ID: id, By: d.by})
	return err
}
