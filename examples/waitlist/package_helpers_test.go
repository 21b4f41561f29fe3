package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/properties"
)

// house is the hotel of the story, with its two rooms.
type house struct {
	*dyntest.DB
	*story
}

func newHouse(t *testing.T, opts ...dyntest.Option) *house {
	t.Helper()
	db := dyntest.New(t, append(opts, dyntest.Tables(waitlistTable), dyntest.At(time.Date(2037, 7, 1, 9, 0, 0, 0, time.UTC)))...)
	h := &house{db, &story{Waitlist: newWaitlist(db.DB)}}
	require.NoError(t, h.open(t.Context()))
	return h
}

// other returns the waitlist in another process.
func (h *house) other() *Waitlist { return newWaitlist(h.Open(nil)) }

// joins lets a guest wait, and returns the entry.
func (h *house) joins(t *testing.T, name string, from, to int) *Entry {
	t.Helper()
	require.NoError(t, h.join(name, from, to)(t.Context()))
	return h.of(t, name)
}

// books sells a room to a guest, while nobody else waits.
func (h *house) books(t *testing.T, name string, from, to int) *Entry {
	t.Helper()
	h.joins(t, name, from, to)
	require.NoError(t, h.Offer(t.Context(), double))
	e := h.of(t, name)
	require.NoError(t, h.Take(t.Context(), e))
	return e
}

func (h *house) all(t *testing.T) (all []*Entry) {
	t.Helper()
	for e, err := range h.Queue(double).All(t.Context()) {
		require.NoError(t, err)
		all = append(all, e)
	}
	return all
}

// of returns the entry of a guest, or nil.
func (h *house) of(t *testing.T, name string) *Entry {
	t.Helper()
	for _, e := range h.all(t) {
		if e.Guest.FirstName == name {
			return e
		}
	}
	return nil
}

// offered returns the names of those who have an offer, in the order of waiting.
func (h *house) offered(t *testing.T) (names []string) {
	t.Helper()
	for _, e := range h.all(t) {
		if e.BookingID != "" {
			names = append(names, e.Guest.FirstName)
		}
	}
	return names
}

// made returns all bookings of a guest.
func (h *house) made(t *testing.T, name string) (all []*bookings.Summary) {
	t.Helper()
	for b, err := range h.bookings.ByUser("user_" + name).All(t.Context()) {
		require.NoError(t, err)
		all = append(all, b)
	}
	return all
}

func (h *house) status(t *testing.T, e *Entry) bookings.Status {
	t.Helper()
	b, err := h.bookings.Get(t.Context(), e.BookingID, dynastay.Consistent)
	require.NoError(t, err)
	return b.Status
}

// cancels cancels the booking of an entry in another process.
func (h *house) cancels(t *testing.T, e *Entry) {
	t.Helper()
	_, err := h.other().bookings.Cancel(context.WithoutCancel(t.Context()), e.BookingID, "", nil)
	require.NoError(t, err)
}

// transaction is the next one that is written.
var transaction = dyntest.When{Operation: "TransactWriteItems", Nth: 1}

// quoteFor asks for a stay as a guest would who does not wait.
func quoteFor(t *testing.T, h *house, stay dynastay.Stay, rooms int) availability.QuoteRequest {
	t.Helper()
	hotel, err := h.hotels.GetWithRooms(t.Context(), hotelID)
	require.NoError(t, err)
	ask, err := hotel.Card().QuoteRequest(stay, availability.Guests{Adults: 2}, properties.Choice{RoomTypeID: double, Quantity: rooms})
	require.NoError(t, err)
	return ask
}

// changes changes the booking of an entry.
func (h *house) changes(t *testing.T, e *Entry, stay dynastay.Stay, rooms int) {
	t.Helper()
	changed, err := h.bookings.QuoteModification(t.Context(), e.BookingID, quoteFor(t, h, stay, rooms))
	require.NoError(t, err)
	_, err = h.bookings.Modify(t.Context(), changed)
	require.NoError(t, err)
}

// worker returns a function that handles all changes.
func (h *house) worker(t *testing.T) func() {
	worker := consumer.New(h.DB.DB, h.Streams, consumer.Spec{
		Name: "waitlist", Router: h.router(), Start: consumer.Oldest, Lease: 3 * time.Second, Poll: 20 * time.Millisecond,
	})
	return func() {
		t.Helper()
		require.NoError(t, worker.Drain(t.Context()))
	}
}

// joinsFor lets a guest wait for several rooms.
func (h *house) joinsFor(t *testing.T, name string, from, to, rooms int) {
	t.Helper()
	_, err := h.Join(t.Context(), Entry{
		PropertyID: hotelID, RoomTypeID: double, UserID: "user_" + name, Stay: july(from, to), Rooms: rooms,
		Guests: availability.Guests{Adults: 2}, Guest: bookings.Guest{FirstName: name, LastName: "Byron", Email: name + "@example.com"},
	})
	require.NoError(t, err)
}
