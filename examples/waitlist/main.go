// Waitlist is a service of its own, built on the public packages: guests wait for a hotel that is full, and get an offer
// when a booking returns its rooms.
//
//	go run ./examples/waitlist
//
// An offer is a booking with a hold of two hours, made in one transaction with the entry of the waitlist, to the first
// guest in the order of waiting whose stay can be sold. Two workers read the streams of the bookings and of the waitlist,
// share their shards, and make the offers. Each step is printed with the requests of the guests and of the workers,
// without those that read streams and store positions, and with who waits and who has an offer afterwards.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

func main() { report.Main("waitlist", run) }

// story is the guests, the hotel, and the workers.
type story struct {
	*Waitlist
	out     *report.Report
	now     time.Time
	workers []*consumer.Consumer
	seen    map[string]*Entry // the entries as they were last seen, by the names of the guests
}

func run(ctx context.Context, w io.Writer, _ bool) error {
	s := &story{now: time.Date(2037, 7, 1, 9, 0, 0, 0, time.UTC), seen: map[string]*Entry{}}
	p := report.Program{Name: "waitlist", Tables: append(keys.Tables(), waitlistTable)}
	p.Options.Clock = func() time.Time { return s.now }
	return p.Run(ctx, w, func(ctx context.Context, out *report.Report, open func() *dynastay.DB) error {
		s.Waitlist, s.out = newWaitlist(open()), out
		for range 2 {
			s.workers = append(s.workers, consumer.New(out.Uncounted, out.Streams, consumer.Spec{
				Name: "waitlist", Router: newWaitlist(open()).router(), Start: consumer.Oldest, Lease: 3 * time.Second, Poll: 20 * time.Millisecond,
			}))
		}
		return s.tell(ctx)
	})
}

type act = func(context.Context) error

func (s *story) tell(ctx context.Context) error {
	for _, step := range []struct {
		title string
		acts  []act
	}{
		{"A hotel with two rooms opens, and offers three guests what they ask for",
			[]act{s.open, s.join("Ada", 10, 12), s.join("Ben", 10, 14), s.join("Eve", 12, 14)}},
		{"They take it, and the hotel is full", []act{s.by("Ada", s.Take), s.by("Ben", s.Take), s.by("Eve", s.Take)}},
		{"Four others wait", []act{s.join("Cleo", 10, 14), s.join("Dan", 10, 12), s.join("Fay", 11, 12), s.join("Gus", 10, 13)}},
		{"Ada cancels; Cleo is the first, but cannot stay to the end", []act{s.by("Ada", s.cancel)}},
		{"The price is raised, and Dan does not answer for two hours", []act{s.expire}},
		{"Fay takes the offer", []act{s.by("Fay", s.Take)}},
		{"Ben cancels", []act{s.by("Ben", s.cancel)}},
		{"Cleo declines the offer", []act{s.by("Cleo", s.Leave)}},
	} {
		if err := s.out.Step(ctx, step.title, func(ctx context.Context, found *report.Findings) error {
			for _, do := range append(step.acts, s.work) {
				if err := do(ctx); err != nil {
					return err
				}
			}
			page, err := newWaitlist(s.out.Uncounted).Queue(double).Page(ctx, dynastay.Paging{})
			for _, e := range page.Items {
				s.seen[e.Guest.FirstName] = e
				found.Row(e.Guest.FirstName, e.Stay, cmp.Or(e.Price.String(), "waits"))
			}
			return err
		}); err != nil {
			return err
		}
	}
	return s.out.Total()
}

// work has both workers handle all changes.
func (s *story) work(ctx context.Context) error {
	return s.db.Each(ctx, len(s.workers), func(ctx context.Context, i int) error { return s.workers[i].Drain(ctx) })
}

const hotelID, double = "prop_harbour", "room_harbour_double"

func (s *story) open(ctx context.Context) error {
	price := dynastay.MustMoney("142.00", "EUR")
	_, err := s.hotels.Create(ctx, properties.Property{
		ID: hotelID, Name: "Harbour House", Slug: "harbour-house", Type: properties.Hotel, OwnerID: "user_owner",
		Status: properties.Approved, TimeZone: "Europe/Lisbon", CancellationPolicy: availability.FreeCancellation(48),
		Address: properties.Address{City: "Lisbon", Country: "Portugal", Latitude: 38.7081, Longitude: -9.1340},
	}, []properties.RoomType{{ID: double, Name: "Double Room", Total: 2, BasePrice: price, Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}}})
	if err == nil {
		_, err = s.nights.Open(ctx, availability.OpenRequest{PropertyID: hotelID, RoomTypeID: double, Rooms: 2, Price: price, Nights: july(10, 14)})
	}
	return err
}

func july(from, to int) dynastay.Stay {
	return dynastay.MustStay(fmt.Sprintf("2037-07-%d", from), fmt.Sprintf("2037-07-%d", to))
}

func (s *story) join(name string, from, to int) act {
	return func(ctx context.Context) error {
		_, err := s.Join(ctx, Entry{
			PropertyID: hotelID, RoomTypeID: double, Stay: july(from, to), Rooms: 1, Guests: availability.Guests{Adults: 2},
			UserID: "user_" + name, Guest: bookings.Guest{FirstName: name, LastName: "Byron", Email: name + "@example.com"},
		})
		return err
	}
}

func (s *story) by(name string, do func(context.Context, *Entry) error) act {
	return func(ctx context.Context) error { return do(ctx, s.seen[name]) }
}

func (s *story) cancel(ctx context.Context, e *Entry) error {
	_, err := s.bookings.Cancel(ctx, e.BookingID, "", nil)
	return err
}

func (s *story) expire(ctx context.Context) error {
	s.now = s.now.Add(offerFor + bookings.DefaultHoldGrace)
	_, err := s.nights.Update(ctx, availability.UpdateRequest{PropertyID: hotelID, Changes: []availability.Change{{
		RoomTypeIDs: []string{double}, Dates: july(10, 14), Price: dynastay.MustMoney("160.00", "EUR"),
	}}})
	if err == nil {
		_, err = s.bookings.ExpireHolds(ctx)
	}
	return err
}
