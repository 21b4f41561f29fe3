package world

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

// World is a plan from which every part can be made by itself. It holds no items, so its size does not matter. It is
// safe for concurrent use.
type World struct{ opts Options }

// New returns the world that opts describe. Hotels and users are made when they are asked for. New is meant for options
// that are fixed in a program, and panics if [Options.Validate] refuses them.
func New(opts Options) *World {
	if err := opts.Validate(); err != nil {
		panic("world.New: " + err.Error())
	}
	return &World{opts.withDefaults()}
}

// Options returns the options of the world, with the defaults filled in.
func (w *World) Options() Options { return w.opts }

// Now returns the time in the world: 12:00 UTC on Today. A test sets it with dyntest.At(w.Now()).
func (w *World) Now() time.Time { return w.opts.Today.Time().Add(12 * time.Hour) }

// nights returns the nights on sale.
func (w *World) nights() dynastay.Stay {
	return dynastay.Stay{CheckIn: w.opts.Today, CheckOut: w.opts.Today.AddDays(w.opts.Nights)}
}

// Hotel returns the i-th hotel, from 0 to Properties-1. It sends no requests. It panics if i is out of range. The hotel
// depends on the options except Properties: a larger world begins with the hotels of a smaller one. Its owner and
// guests are chosen from all users, so a different number of Users changes them, and nothing else.
func (w *World) Hotel(i int) *Hotel {
	inRange("Hotel", i, w.opts.Properties)
	ctx, c := context.Background(), w.cell()
	m, err := c.hotel(ctx, i)
	h := &Hotel{WithRooms: m.property, Images: m.images, Bookings: m.bookings, PastStays: m.past, now: w.Now()}
	if err == nil {
		h.Nights, err = c.readNights(ctx, m.property)
	}
	if err == nil {
		h.RatePlans, err = c.readPlans(ctx, m.property.ID)
	}
	if err == nil {
		h.Charges, err = c.readCharges(ctx, &m.property.Property)
	}
	if err == nil {
		h.Units, err = c.readUnits(ctx, w.house(i))
	}
	if err == nil {
		h.Payments, err = c.readPayments(ctx, slices.Concat(m.bookings, m.past))
	}
	if err == nil {
		h.Reviews, h.Votes, err = c.readReviews(ctx, m.opinions)
	}
	if err == nil {
		h.PromoCode, err = c.readPromo(ctx, w.house(i))
	}
	must(err)
	return h
}

// Hotels returns all hotels, made one by one.
func (w *World) Hotels() iter.Seq[*Hotel] { return each(w.opts.Properties, w.Hotel) }

// User returns the profile of the i-th user, from 0 to Users-1. It sends no requests. It panics if i is out of range.
// The profile depends on the seed and on Today.
func (w *World) User(i int) *users.User {
	inRange("User", i, w.opts.Users)
	c := w.cell()
	u, err := c.user(context.Background(), users.New(c.open(&c.capture), nil), i)
	must(err)
	return u
}

// Users returns the profiles of all users, made one by one.
func (w *World) Users() iter.Seq[*users.User] { return each(w.opts.Users, w.User) }

// Account returns the i-th user with everything that belongs to it, from 0 to Users-1. It sends no requests. It panics
// if i is out of range. The account depends on the seed and on Today, and its wishlists also on Properties.
func (w *World) Account(i int) *Account {
	inRange("Account", i, w.opts.Users)
	ctx, c := context.Background(), w.cell()
	all, err := c.accounts(ctx, i, i+1)
	must(err)
	a := all[0]
	a.Loyalty, err = users.New(c.open(&c.capture), nil).Loyalty(ctx, a.ID)
	must(err)
	return a
}

// Accounts returns all users with everything that belongs to them, made one by one.
func (w *World) Accounts() iter.Seq[*Account] { return each(w.opts.Users, w.Account) }

// Listing returns the i-th listing with its calendar, from 0 to Listings-1. It sends no requests. It panics if i is out
// of range. The listing depends on the seed, Today, Nights and Empty. Its host is chosen from all users.
func (w *World) Listing(i int) *Listing {
	inRange("Listing", i, w.opts.Listings)
	l, err := w.cell().listing(context.Background(), i)
	must(err)
	return l
}

// Listings returns all listings, made one by one.
func (w *World) Listings() iter.Seq[*Listing] { return each(w.opts.Listings, w.Listing) }

// Venue returns the hall with its users, bookings and events. It sends no requests. It depends on the seed, Today,
// Nights, Users, Requests and Empty.
func (w *World) Venue() *Venue {
	v, err := w.cell().venue(context.Background())
	must(err)
	return v
}

// Items returns all items of the world with their tables, always in the same order. It sends no requests. [World.Load]
// writes the same items, several at a time.
func (w *World) Items() iter.Seq2[*dynastay.Schema, dynastay.Item] {
	return func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		c, err := w.rest(context.Background())
		must(err)
		for _, p := range c.capture.puts {
			if !yield(p.schema, p.item) {
				return
			}
		}
		for i := range w.opts.Properties {
			c, err := w.part(context.Background(), i)
			must(err)
			for _, p := range c.capture.puts {
				if !yield(p.schema, p.item) {
					return
				}
			}
		}
	}
}

// rest makes what does not belong to a hotel, a user or a listing: the catalogues and the venue.
func (w *World) rest(ctx context.Context) (*cell, error) {
	c, err := w.catalogues(ctx)
	if err != nil {
		return nil, err
	}
	hall := w.cell()
	if _, err := hall.venue(ctx); err != nil {
		return nil, err
	}
	c.capture.puts = append(c.capture.puts, hall.capture.puts...)
	return c, nil
}

// part makes a part of the work of Load: the i-th hotel, and its share of the users and listings. So all parts have
// about the same size.
func (w *World) part(ctx context.Context, i int) (*cell, error) {
	c := w.cell()
	if _, err := c.hotel(ctx, i); err != nil {
		return nil, err
	}
	from, to := i*w.opts.Users/w.opts.Properties, (i+1)*w.opts.Users/w.opts.Properties
	if _, err := c.accounts(ctx, from, to); err != nil {
		return nil, err
	}
	if from == 0 && to > 0 {
		c.capture.puts = append(c.capture.puts, put{keys.UsersTable, c.capture.config})
	}
	for n := i * w.opts.Listings / w.opts.Properties; n < (i+1)*w.opts.Listings/w.opts.Properties; n++ {
		one := w.cell() // of its own, because a capture that has many items is slow
		if _, err := one.listing(ctx, n); err != nil {
			return nil, err
		}
		c.capture.puts = append(c.capture.puts, one.capture.puts...)
	}
	return c, nil
}

func each[T any](n int, of func(int) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range n {
			if !yield(of(i)) {
				return
			}
		}
	}
}

func inRange(what string, i, n int) {
	if i < 0 || i >= n {
		panic(fmt.Sprintf("world.%s: i must be between 0 and %d, got %d", what, n-1, i))
	}
}

// must is for errors that valid options exclude.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
