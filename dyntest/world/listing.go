package world

import (
	"context"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
)

// Listing is a listing with its calendar, as it is stored. It is a copy: changing it does not change the world.
type Listing struct {
	ID     string
	HostID string // a user who may own hotels
	// Events are the bookings and blocks, by date. They have no write ids, because these are drawn for every write.
	Events []*listing.Event
	// Nights are the nights that Events hold, by date. All others are free.
	Nights []*listing.Night
	// Reservations are those of channels, in the order of their first delivery. Each is as it was delivered last, so
	// importing it again is [listing.Repeated]. Those that were cancelled hold no nights.
	Reservations []listing.Reservation

	today dynastay.Date
}

// Free returns the first free stay of that many nights, from Today on. There always is one: no event begins after the
// nights of the world.
func (l *Listing) Free(nights int) dynastay.Stay {
	from := func(checkIn dynastay.Date) dynastay.Stay {
		return dynastay.Stay{CheckIn: checkIn, CheckOut: checkIn.AddDays(nights)}
	}
	stay := from(l.today)
	for _, night := range l.Nights {
		if stay.Contains(night.Date) {
			stay = from(night.Date.AddDays(1))
		}
	}
	return stay
}

// listing makes the i-th listing with its calendar.
func (c *cell) listing(ctx context.Context, i int) (*Listing, error) {
	return c.world.calendar(i).carryOut(ctx, listing.New(c.open(&c.capture)), func(now time.Time, id string) {
		c.now, c.id = now, id
	})
}

// carryOut lets the repository write the calendar, one event after another: an event that takes nights which another
// one has given back is made later. It passes each time to next first, with the id that the repository draws for the
// booking of a reservation.
func (p calendar) carryOut(
	ctx context.Context, repo *listing.Repository, next func(now time.Time, id string),
) (*Listing, error) {
	l := &Listing{ID: p.id, HostID: p.host, today: p.today}
	for _, o := range p.all {
		next(o.made, o.id)
		var e *listing.Event
		var err error
		switch o.source {
		case listing.Localstays:
			e, err = repo.Book(ctx, listing.Booking{
				ListingID: p.id, HostID: p.host, BookingID: o.id, Stay: o.stay, Note: o.note,
			})
		case listing.HostClosed:
			e, err = repo.Block(ctx, listing.Block{
				ListingID: p.id, HostID: p.host, BlockID: o.id, Stay: o.stay, Note: o.note,
			})
		default:
			r := p.reservation(o)
			var imported listing.Imported
			if imported, err = repo.Import(ctx, r); err == nil && !o.changed.IsZero() {
				next(o.changed, o.id)
				r = p.change(o)
				imported, err = repo.Import(ctx, r)
			}
			e, l.Reservations = imported.Event, append(l.Reservations, r)
		}
		if err != nil {
			return nil, err
		}
		if e != nil { // otherwise it was cancelled
			e.WriteID = ""
			l.Events = append(l.Events, e)
		}
	}
	slices.SortFunc(l.Events, func(a, b *listing.Event) int { return a.Stay.CheckIn.Compare(b.Stay.CheckIn) })
	for _, e := range l.Events {
		for date := range e.Stay.Dates() {
			l.Nights = append(l.Nights, &listing.Night{
				ListingID: e.ListingID, HostID: e.HostID, Date: date, Kind: e.Kind, Source: e.Source,
				EventID: e.ID, BookingID: e.BookingID, ExternalID: e.ExternalID, CreatedAt: e.CreatedAt,
			})
		}
	}
	return l, nil
}
