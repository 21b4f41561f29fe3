// Package desk is what the staff of a hotel do, in pages or over anything else: it has no HTTP in it. Each method is about the one
// property of the [Desk], and about no other.
package desk

import (
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/properties"

	"github.com/dynastay/dynastay/examples/frontdesk/house"
	"github.com/dynastay/dynastay/examples/frontdesk/signin"
)

// Desk is the front desk of a property, for one member of its staff.
type Desk struct {
	house *house.House
	Hotel *properties.WithRooms
	Today dynastay.Date // at the property
	// tonight is the night that has begun, or begins today.
	tonight dynastay.Date
	zone    *time.Location
	by      string
}

// Open returns the desk of a session. Whoever works at no desk learns nothing about any: it fails with [dynastay.ErrNotFound]. 1 request.
func Open(ctx context.Context, h *house.House, s *signin.Session) (*Desk, error) {
	if s.Role != signin.Desk {
		return nil, notFound("Desk", s.UserID)
	}
	hotel, err := h.Hotels.GetWithRooms(ctx, s.PropertyID)
	if err != nil {
		return nil, err
	}
	d := &Desk{house: h, Hotel: hotel, by: s.UserID}
	if d.zone, err = d.self().Location(); err != nil {
		return nil, err
	}
	now := h.DB.Now().In(d.zone)
	d.Today = dynastay.DateOf(now, d.zone)
	if d.tonight = d.Today; now.Hour() < 12 {
		d.tonight = d.Today.AddDays(-1)
	}
	return d, nil
}

func notFound(entity, id string) error {
	return &dynastay.Error{Op: "desk.Open", Entity: entity, ID: id, Kind: dynastay.ErrNotFound}
}

func (d *Desk) self() availability.House {
	return availability.House{ID: d.Hotel.ID, Name: d.Hotel.Name, TimeZone: d.Hotel.TimeZone, CheckInTime: d.Hotel.CheckInTime}
}

// Clock returns a time as the clocks of the property show it.
func (d *Desk) Clock(t time.Time) string { return t.In(d.zone).Format("2 Jan 15:04") }

// Room returns a room type of the property, or nil.
func (d *Desk) Room(id string) *properties.RoomType {
	for i := range d.Hotel.Rooms {
		if d.Hotel.Rooms[i].ID == id {
			return &d.Hotel.Rooms[i]
		}
	}
	return nil
}

// own lets a write happen only if the booking is one of the property.
func (d *Desk) own() dynastay.WriteOption { return dynastay.IfProperty(d.Hotel.ID) }

// booking returns a booking of the property. One of another property does not exist. 1 request.
func (d *Desk) booking(ctx context.Context, id string) (*bookings.Booking, error) {
	b, err := d.house.Bookings.Get(ctx, id, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	if b.PropertyID != d.Hotel.ID {
		return nil, notFound("Booking", id)
	}
	return b, nil
}

// all returns the whole of a list. An operator is told of what cannot be read.
func all[T any](ctx context.Context, l dynastay.List[T]) (found []T, err error) {
	for p := (dynastay.Paging{}); ; {
		page, err := house.PageOf(ctx, l, p)
		if err != nil {
			return nil, err
		}
		found = append(found, page.Items...)
		if p.After = page.Next; p.After == "" {
			return found, nil
		}
	}
}
