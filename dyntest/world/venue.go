package world

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
)

// Venue is a hall with its users, bookings and events, as they are stored. It is a copy: changing it does not change
// the world.
type Venue struct {
	Users []*venue.User // those who have requested something, in the order of their first requests
	// Bookings are all requests, in the order of their creation, and Events what takes place, by date and slot. They
	// have no write ids, because these are drawn for every write.
	Bookings []*venue.Booking
	Events   []*venue.Event

	today dynastay.Date
}

// Free returns the first day, from Today on, on which a slot is free. There always is one: no booking is for a day
// after the nights of the world.
func (v *Venue) Free(slot venue.Slot) dynastay.Date {
	date := v.today
	for _, e := range v.Events {
		if e.Date == date && e.Slot.Overlaps(slot) {
			date = date.AddDays(1)
		}
	}
	return date
}

// caretaker decides about the requests.
var caretaker = venue.Actor{UserID: "user_caretaker", Role: venue.Admin}

var (
	slots   = []share[venue.Slot]{{35, venue.Morning}, {35, venue.Afternoon}, {30, venue.FullDay}}
	parties = []string{"Birthday party", "Wedding", "Choir", "Yoga", "Book club", "Chess", "Flea market", "Concert"}
	refused = []string{"The hall is too small", "No loud music on that day", "The slot is taken"}
)

// The plan of a request: what becomes of it, in percent of those whose slot is free, and when.
const (
	approvePercent = 70 // of the others, a third is rejected, and the rest are still pending
	withdrawn      = 10 // of the approved ones are cancelled
	decideAfter    = 3  // a third of the time until the next request
)

// asked is the plan of a request.
type asked struct {
	user   int
	date   dynastay.Date
	slot   venue.Slot
	what   string
	people int
	made   time.Time
	step   time.Duration // between the request, the decision, and the cancellation
	// What becomes of it. A request whose slot is taken is not approved.
	approved, cancelled, rejected bool
	reason                        string
}

// requests plans the requests of the venue, in the order of their times. One is decided, and cancelled, before the next
// one is made, so the plan knows which slots are free.
func (w *World) requests() (all []asked) {
	n := w.opts.Requests
	if w.opts.Empty || n == 0 {
		return nil
	}
	d, begin := w.dice(forVenue, 0), w.opts.Today.AddDays(-bookingDays).Time()
	gap := (bookingDays * 24 * time.Hour / time.Duration(n)).Truncate(time.Second)
	type place struct {
		date dynastay.Date
		slot venue.Slot
	}
	taken := map[place]bool{}
	for i := range n {
		made := begin.Add(time.Duration(i) * gap)
		day := dynastay.DateOf(made, nil)
		a := asked{
			user: d.below(w.opts.Users), date: day.AddDays(1 + d.below(day.DaysUntil(w.opts.Today)+w.opts.Nights-1)),
			slot: draw(d, slots), what: pick(d, parties), people: d.between(5, 120), made: made, step: (gap / decideAfter).Truncate(time.Second),
			reason: pick(d, refused),
		}
		free := true
		for _, other := range []venue.Slot{venue.Morning, venue.Afternoon, venue.FullDay} {
			free = free && !(taken[place{a.date, other}] && other.Overlaps(a.slot))
		}
		chance, ends := d.below(100), d.percent(withdrawn)
		switch {
		case free && chance < approvePercent:
			a.approved, a.cancelled = true, ends
			taken[place{a.date, a.slot}] = !ends
		case chance%3 == 0:
			a.rejected = true
		}
		all = append(all, a)
	}
	return all
}

// venue makes the hall.
func (c *cell) venue(ctx context.Context) (*Venue, error) {
	drawn := 0
	repo := venue.New(dynastay.Open(&c.capture, &dynastay.Options{
		Clock: func() time.Time { return c.now }, Rand: &c.drawn, NoGates: true,
		NewID: func(prefix string) string { drawn++; return venueID(prefix, drawn) },
	}), nil)
	return c.world.carryOut(ctx, repo, func(now time.Time) { c.now = now })
}

func venueID(prefix string, n int) string { return fmt.Sprintf("%s%06d", prefix, n) }

// carryOut lets the repository write the requests and what becomes of them, one after another. It passes each time to
// at first.
func (w *World) carryOut(ctx context.Context, repo *venue.Repository, at func(time.Time)) (*Venue, error) {
	v, known := &Venue{today: w.opts.Today}, map[int]*venue.User{}
	for i, a := range w.requests() {
		if known[a.user] == nil {
			p, joined := w.person(a.user)
			at(joined)
			u, err := repo.CreateUser(ctx, venue.User{ID: p.ID, Email: p.Email, Name: p.FirstName + " " + p.LastName, Phone: p.Phone})
			if err != nil {
				return nil, err
			}
			known[a.user], v.Users = u, append(v.Users, u)
		}
		u := known[a.user]
		at(a.made)
		b, err := repo.Request(ctx, venue.Actor{UserID: u.ID, Role: u.Role}, venue.Request{
			BookingID: venueID("req_", i), UserID: u.ID, Date: a.date, Slot: a.slot, Description: a.what, Attendees: a.people,
		})
		u.RequestedCount++
		if err == nil && a.approved {
			at(a.made.Add(a.step))
			if b, err = repo.Approve(ctx, caretaker, venue.Approval{BookingID: b.ID, Version: b.Version}); err == nil {
				v.Events = append(v.Events, eventOf(b))
				u.ApprovedCount++
			}
		}
		if err == nil && a.cancelled {
			at(a.made.Add(2 * a.step))
			b, err = repo.Cancel(ctx, venue.Actor{UserID: u.ID, Role: u.Role}, venue.Cancellation{BookingID: b.ID, Version: b.Version})
			v.Events = v.Events[:len(v.Events)-1]
			u.ApprovedCount--
		}
		if err == nil && a.rejected {
			at(a.made.Add(a.step))
			b, err = repo.Reject(ctx, caretaker, venue.Rejection{BookingID: b.ID, Version: b.Version, Reason: a.reason})
		}
		if err != nil {
			return nil, err
		}
		b.WriteID = ""
		v.Bookings = append(v.Bookings, b)
	}
	slices.SortFunc(v.Events, func(a, b *venue.Event) int {
		if order := a.Date.Compare(b.Date); order != 0 {
			return order
		}
		return slices.Index([]venue.Slot{venue.Morning, venue.Afternoon}, a.Slot) - slices.Index([]venue.Slot{venue.Morning, venue.Afternoon}, b.Slot)
	})
	return v, nil
}

// eventOf returns the event of a booking that has just been approved.
func eventOf(b *venue.Booking) *venue.Event {
	return &venue.Event{
		ID: b.EventID, BookingID: b.ID, Date: b.Date, Slot: b.Slot, Type: venue.PrivateBooking, Title: b.Description,
		CreatedBy: b.UserID, CreatedAt: b.DecidedAt, UpdatedAt: b.DecidedAt, Version: 1,
	}
}
