// Package live tells those who look at a page that something in it has changed, whoever changed it, in whatever process: it reads the
// streams of the tables.
package live

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/reviews"
)

// Poll is how long a change takes at most until it is read, when there was none before.
const Poll = 200 * time.Millisecond

// About is what a change is about.
type About struct {
	PropertyID string
	BookingID  string // "" if it is about no booking
	Review     bool
}

// Hub passes changes on to those who watch. It is safe for concurrent use.
type Hub struct {
	mu       sync.Mutex
	told     []change // the latest ones, in order
	watchers map[*Watch]bool
	ended    chan struct{}
	end      sync.Once
}

// change is what was told, and when.
type change struct {
	at    int64
	about About
}

// kept is how many changes are kept for those who begin to watch.
const kept = 1000

// NewHub returns a hub that knows of no changes.
func NewHub() *Hub {
	h := &Hub{watchers: map[*Watch]bool{}, ended: make(chan struct{})}
	h.told = []change{{at: h.Now()}} // whoever has a page from before may have missed something
	return h
}

// Tables returns the tables of the service, with a stream of each that a hub reads. The library's own table of nights has none, because
// most services need not know of each night that is sold.
func Tables() []*dynastay.Schema {
	nights := *keys.AvailabilityTable
	nights.Stream = true
	tables := slices.DeleteFunc(keys.Tables(), func(s *dynastay.Schema) bool { return s.Name == nights.Name })
	return append(tables, &nights)
}

// Run reads the streams until ctx ends. Each process needs all changes, so each has a consumer with a name of its own. DynamoDB allows two
// readers of a shard: with more processes, one of them passes the changes on to the others.
func (h *Hub) Run(ctx context.Context, db *dynastay.DB, streams consumer.Streams) error {
	return consumer.New(db, streams, consumer.Spec{
		Name: db.NewID("live_"), Router: h.router(db), Start: consumer.Now, Poll: Poll, GiveUp: time.Second,
		DeadLetter: func(ctx context.Context, r stream.Record, err error) error {
			slog.ErrorContext(ctx, "a change that nobody is told of", "change", r.ID(), "error", err)
			return nil // the next ones must not wait for it
		},
	}).Run(ctx)
}

func (h *Hub) router(db *dynastay.DB) *stream.Router {
	all := reviews.New(db, nil, nil)
	return stream.NewRouter(
		route(h, bookings.New(db, nil).Changes().Bookings, func(b *bookings.Booking) About { return About{PropertyID: b.PropertyID, BookingID: b.ID} }),
		route(h, units.New(db).Changes().Units, func(u *units.Unit) About { return About{PropertyID: u.PropertyID} }),
		route(h, availability.New(db).Changes().Nights, func(n *availability.Night) About { return About{PropertyID: n.PropertyID} }),
		route(h, all.Changes().Reviews, func(r *reviews.Review) About { return About{PropertyID: r.PropertyID, Review: true} }),
		stream.On(all.Changes().Responses, func(ctx context.Context, c stream.Change[reviews.Response]) error {
			return h.answered(ctx, all, c)
		}),
	)
}

// answered tells of the answer to a review, which does not say whose property it is about.
func (h *Hub) answered(ctx context.Context, all *reviews.Repository, c stream.Change[reviews.Response]) error {
	if c.New == nil {
		return nil
	}
	r, err := all.Get(ctx, c.New.ReviewID)
	if err == nil {
		h.tell(About{PropertyID: r.PropertyID})
	} else if errors.Is(err, dynastay.ErrNotFound) {
		err = nil // it has been deleted meanwhile
	}
	return err
}

func route[T any](h *Hub, d stream.Decoder[T], about func(*T) About) stream.Route {
	return stream.On(d, func(_ context.Context, c stream.Change[T]) error {
		for _, state := range []*T{c.Old, c.New} {
			if state != nil {
				h.tell(about(state))
				break // an entity does not move to another property
			}
		}
		return nil
	})
}

// Now is a moment. Take it before a page is read: see [Hub.Watch].
func (h *Hub) Now() int64 { return time.Now().UnixNano() }

func (h *Hub) tell(a About) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.told = append(h.told, change{h.Now(), a}); len(h.told) > kept {
		h.told = slices.Delete(h.told, 0, len(h.told)-kept)
	}
	for w := range h.watchers {
		if w.wants(a) {
			w.wake()
		}
	}
}

// Watch is somebody who wants to know.
type Watch struct {
	// Changed gets a value when something has changed: one for several changes at once.
	Changed <-chan struct{}
	changed chan struct{}
	wants   func(About) bool
}

func (w *Watch) wake() {
	select {
	case w.changed <- struct{}{}:
	default: // there is one already that has not been looked at
	}
}

// Watch begins to watch what somebody wants to know. Whoever has a page from a moment is told at once of what has changed since. End it
// with [Hub.Leave].
func (h *Hub) Watch(since int64, wants func(About) bool) *Watch {
	changed := make(chan struct{}, 1)
	w := &Watch{changed, changed, wants}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchers[w] = true
	if since < h.told[0].at || slices.ContainsFunc(h.told, func(c change) bool { return c.at >= since && wants(c.about) }) {
		w.wake()
	}
	return w
}

// Leave ends a watch.
func (h *Hub) Leave(w *Watch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, w)
}

// Ended is closed when the hub ends, so that nobody waits for more.
func (h *Hub) Ended() <-chan struct{} { return h.ended }

// End ends the hub.
func (h *Hub) End() { h.end.Do(func() { close(h.ended) }) }
