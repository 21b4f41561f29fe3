package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
)

// The first guest whose stay can be sold gets the offer, in one look at the queue, the hotel and the nights.
func TestOffersInOrder(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada, ben := h.books(t, "Ada", 10, 12), h.books(t, "Ben", 10, 14)
	h.books(t, "Eve", 12, 14)
	h.joins(t, "Cleo", 10, 14)
	h.joins(t, "Dan", 10, 12)
	h.joins(t, "Fay", 11, 12)
	dyntest.Budget(t, h.DB, dyntest.Cost{Requests: 3, ReadUnits: dyntest.Unbounded}, func() { require.NoError(t, h.Offer(t.Context(), double)) })
	assert.Empty(t, h.offered(t))

	h.cancels(t, ada)
	dyntest.Budget(t, h.DB, dyntest.Cost{Requests: 5, ReadUnits: dyntest.Unbounded, WriteUnits: dyntest.Unbounded}, func() {
		require.NoError(t, h.Offer(t.Context(), double))
	})
	assert.Equal(t, []string{"Dan"}, h.offered(t), "Cleo needs four nights, and Fay waits behind Dan")
	dan := h.of(t, "Dan")
	b, err := h.bookings.Get(t.Context(), dan.BookingID)
	require.NoError(t, err)
	assert.Equal(t, []any{bookings.Pending, h.Now().Add(offerFor), dan.Price, dan.Stay, 1}, []any{b.Status, b.HoldExpiresAt, b.Total, b.Stay, b.Rooms})

	h.cancels(t, ben)
	require.NoError(t, h.Offer(t.Context(), double))
	require.NoError(t, h.Offer(t.Context(), double))
	assert.Equal(t, []string{"Cleo", "Dan"}, h.offered(t))
	for _, name := range []string{"Cleo", "Dan"} {
		assert.Len(t, h.made(t, name), 1, "who has an offer gets no other one")
	}
}

// An offer is decided by what is stored: a worker that reads a change late must see all that has happened before it.
func TestReadsOfAnOffer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada := h.joins(t, "Ada", 10, 12)
	stop := h.Faults.Record()
	require.NoError(t, h.Offer(t.Context(), double))
	require.NoError(t, h.Leave(t.Context(), ada))
	reads := 0
	for _, sent := range stop() {
		assert.NotEqual(t, "Scan", sent.Operation)
		if sent.Operation == "Query" || sent.Operation == "GetItem" {
			reads++
			assert.Contains(t, string(sent.Body), `"ConsistentRead":true`)
		}
	}
	assert.Equal(t, 7, reads)
}

// Who waits for several rooms gets all of them or none.
func TestRoomsOfAnEntry(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada, ben := h.books(t, "Ada", 10, 14), h.books(t, "Ben", 10, 12)
	h.joinsFor(t, "Cleo", 10, 12, 2)
	h.cancels(t, ada)
	require.NoError(t, h.Offer(t.Context(), double))
	assert.Empty(t, h.offered(t))
	h.joins(t, "Dan", 11, 13)
	h.cancels(t, ben)
	dyntest.Budget(t, h.DB, dyntest.Cost{Requests: 5, ReadUnits: dyntest.Unbounded, WriteUnits: dyntest.Unbounded}, func() {
		require.NoError(t, h.Offer(t.Context(), double))
	})
	assert.Equal(t, []string{"Cleo"}, h.offered(t))
}

// After a surprise, the waitlist begins again with the first guest.
func TestOfferIsOvertaken(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before  func(t *testing.T, h *house) // while Cleo is offered the room that Ada has returned
		offered []string
		price   string
	}{
		"another worker offers it": {func(t *testing.T, h *house) {
			assert.NoError(t, h.other().Offer(t.Context(), double))
		}, []string{"Cleo"}, "284.00 EUR"},
		"another worker offers it, and Ben cancels": {func(t *testing.T, h *house) {
			assert.NoError(t, h.other().Offer(t.Context(), double))
			h.cancels(t, h.seen["Ben"])
		}, []string{"Cleo", "Dan"}, ""},
		"the price changes": {func(t *testing.T, h *house) {
			_, err := h.other().nights.Update(t.Context(), availability.UpdateRequest{PropertyID: hotelID, Changes: []availability.Change{{
				RoomTypeIDs: []string{double}, Dates: july(10, 14), Price: dynastay.MustMoney("160.00", "EUR"),
			}}})
			assert.NoError(t, err)
		}, []string{"Cleo"}, "320.00 EUR"},
		"Cleo leaves": {func(t *testing.T, h *house) {
			assert.NoError(t, h.other().Leave(t.Context(), h.of(t, "Cleo")))
		}, []string{"Fay"}, "142.00 EUR"},
		// Dan needs the nights of both. He is before Fay, who would have been the next one for what Ada has returned.
		"Cleo leaves, and Eve cancels": {func(t *testing.T, h *house) {
			assert.NoError(t, h.other().Leave(t.Context(), h.of(t, "Cleo")))
			h.cancels(t, h.seen["Eve"])
		}, []string{"Dan"}, "568.00 EUR"},
		"the room is sold": {func(t *testing.T, h *house) {
			other, e := h.other(), h.of(t, "Cleo")
			quote, err := other.nights.Quote(t.Context(), quoteFor(t, h, e.Stay, 1))
			require.NoError(t, err)
			_, err = other.bookings.Create(t.Context(), bookings.Request{Quote: quote, UserID: "user_Zoe", Guest: e.Guest})
			assert.NoError(t, err)
		}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			ada := h.books(t, "Ada", 10, 12)
			h.seen = map[string]*Entry{"Eve": h.books(t, "Eve", 12, 14), "Ben": h.books(t, "Ben", 10, 14)}
			h.joins(t, "Cleo", 10, 12)
			h.joins(t, "Dan", 10, 14)
			h.joins(t, "Fay", 11, 12)
			h.cancels(t, ada)
			h.Faults.Inject(dyntest.Before(func(context.Context) { test.before(t, h) }), transaction)
			require.NoError(t, h.Offer(t.Context(), double))
			assert.Equal(t, test.offered, h.offered(t))
			for _, name := range test.offered {
				assert.Len(t, h.made(t, name), 1)
				if test.price != "" {
					assert.Equal(t, test.price, h.of(t, name).Price.String())
				}
			}
		})
	}
}

// What the nights had when they were read is not offered to a later guest if an earlier one needs it now.
func TestNobodyIsPassedOver(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada, ben, eve := h.books(t, "Ada", 10, 12), h.books(t, "Ben", 10, 12), h.books(t, "Eve", 12, 14)
	h.joins(t, "Cleo", 10, 12)
	h.joinsFor(t, "Dan", 10, 14, 2)
	h.joins(t, "Fay", 11, 12)
	h.cancels(t, ada)
	h.cancels(t, ben)
	h.Faults.Inject(dyntest.Before(func(context.Context) {
		assert.NoError(t, h.other().Leave(t.Context(), h.of(t, "Cleo")))
		h.cancels(t, eve)
	}), transaction)
	require.NoError(t, h.Offer(t.Context(), double))
	assert.Equal(t, []string{"Dan"}, h.offered(t))
}

// An offer whose answer is lost is made once, also if the process gives up and the change is handled again.
func TestOfferWithALostAnswer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.joins(t, "Cleo", 10, 12)
	when := transaction
	when.EveryAttempt = true
	lost := h.Faults.Inject(dyntest.LoseAnswer(), when)
	require.NoError(t, h.Offer(t.Context(), double), "the tables say that it was made")
	assert.Positive(t, lost.Hits())

	h.joins(t, "Dan", 10, 12)
	h.joins(t, "Fay", 10, 12)
	ctx, stop := context.WithCancel(t.Context())
	h.Faults.Inject(dyntest.After(func(context.Context) { stop() }), transaction)
	_ = h.Offer(ctx, double)
	require.NoError(t, h.other().Offer(t.Context(), double))
	assert.Equal(t, []string{"Cleo", "Dan"}, h.offered(t))
	for _, name := range []string{"Cleo", "Dan"} {
		assert.Len(t, h.made(t, name), 1)
	}
}

// An entry ends on the day after its arrival, and no later guest waits for that.
func TestStayHasBegun(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada := h.books(t, "Ada", 10, 14)
	h.books(t, "Ben", 10, 14)
	h.joins(t, "Cleo", 10, 14)
	h.joins(t, "Dan", 11, 14)
	h.Clock.Set(time.Date(2037, 7, 10, 22, 0, 0, 0, time.UTC))
	require.NoError(t, h.Offer(t.Context(), double))
	assert.NotNil(t, h.of(t, "Cleo"))
	h.Clock.Set(time.Date(2037, 7, 10, 23, 30, 0, 0, time.UTC)) // the next day in Lisbon
	require.NoError(t, h.Offer(t.Context(), double))
	assert.Nil(t, h.of(t, "Cleo"))
	assert.NotNil(t, h.of(t, "Dan"))
	h.cancels(t, ada)
	require.NoError(t, h.Offer(t.Context(), double))
	assert.Equal(t, []string{"Dan"}, h.offered(t))
	h.Clock.Advance(48 * time.Hour)
	require.NoError(t, h.Offer(t.Context(), double))
	assert.Equal(t, []string{"Dan"}, h.offered(t), "the booking decides about an offer")
}

func TestJoin(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.joins(t, "Ada", 10, 12)
	assert.ErrorIs(t, h.join("Ada", 10, 13)(t.Context()), dynastay.ErrAlreadyExists, "once for an arrival")
	h.joins(t, "Ada", 11, 12)
	e := *h.of(t, "Ada")
	e.ID, e.UserID = "", "user_Ben"
	for _, stay := range []dynastay.Stay{{}, {CheckIn: july(10, 12).CheckIn}, dynastay.MustStay("2039-05-30", "2039-06-02")} {
		e.Stay = stay
		_, err := h.Join(t.Context(), e)
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
	}
	// The first and the last stay that can be waited for are read together.
	e.Stay = dynastay.MustStay("2039-05-30", "2039-06-01")
	_, err := h.Join(t.Context(), e)
	require.NoError(t, err)
	require.NoError(t, h.Offer(t.Context(), double))
	assert.Equal(t, []string{"Ada", "Ada"}, h.offered(t))
}

func TestTake(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.joins(t, "Ada", 10, 12)
	require.NoError(t, h.Offer(t.Context(), double))
	ada := h.of(t, "Ada")
	when := transaction
	when.EveryAttempt = true
	h.Faults.Inject(dyntest.LoseAnswer(), when)
	require.NoError(t, h.Take(t.Context(), ada))
	assert.Equal(t, bookings.Confirmed, h.status(t, ada))
	assert.Nil(t, h.of(t, "Ada"), "the entry has ended with the offer")
	require.NoError(t, h.other().Take(t.Context(), ada), "again")

	h.joins(t, "Ben", 10, 12)
	require.NoError(t, h.Offer(t.Context(), double))
	h.Clock.Advance(offerFor)
	assert.ErrorIs(t, h.Take(t.Context(), h.of(t, "Ben")), bookings.ErrHoldEnded)
	assert.NotNil(t, h.of(t, "Ben"))
}

func TestLeave(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada := h.joins(t, "Ada", 10, 12)
	h.joins(t, "Ben", 10, 12)
	// An offer is made between the two requests.
	h.Faults.Inject(dyntest.Before(func(context.Context) { assert.NoError(t, h.other().Offer(t.Context(), double)) }), transaction)
	require.NoError(t, h.Leave(t.Context(), ada))
	require.Len(t, h.made(t, "Ada"), 1)
	assert.Equal(t, bookings.Cancelled, h.made(t, "Ada")[0].Status)
	assert.Nil(t, h.of(t, "Ada"))
	assert.ErrorIs(t, h.Leave(t.Context(), ada), dynastay.ErrNotFound)

	// What has been paid is not cancelled.
	ben := h.of(t, "Ben")
	_, err := h.other().bookings.Confirm(t.Context(), ben.BookingID, nil)
	require.NoError(t, err)
	assert.ErrorAs(t, h.Leave(t.Context(), ben), new(*bookings.StatusError))
	assert.Equal(t, bookings.Confirmed, h.status(t, ben))

	// Who leaves without an offer leaves nothing.
	h.joins(t, "Cleo", 10, 12)
	require.NoError(t, h.Leave(t.Context(), h.of(t, "Cleo")))
	h.joins(t, "Cleo", 10, 12)
}

// Whatever becomes of an offer, the worker ends its entry, and offers the rooms to the next guest.
func TestWorker(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.Streams())
	work := h.worker(t)
	for _, name := range []string{"Ada", "Ben", "Cleo", "Dan", "Eve", "Fay"} {
		h.joins(t, name, 10, 14)
	}
	work()
	assert.Equal(t, []string{"Ada", "Ben"}, h.offered(t), "of those who have just joined")

	ada := h.of(t, "Ada")
	_, err := h.bookings.ApplyPayment(t.Context(), bookings.Payment{
		BookingID: ada.BookingID, Provider: "stripe", ProviderTransactionID: "ch_1", Method: "credit_card", Amount: ada.Price, Status: bookings.PaymentPaid,
	})
	require.NoError(t, err)
	work()
	assert.Nil(t, h.of(t, "Ada"), "the payment has taken the offer")
	assert.Equal(t, []string{"Ben"}, h.offered(t))

	_, err = h.bookings.ExtendHold(t.Context(), h.of(t, "Ben").BookingID, 3*time.Hour)
	require.NoError(t, err)
	work()
	assert.Equal(t, []string{"Ben"}, h.offered(t), "a change of an offer does not end it")
	h.Clock.Advance(3*time.Hour + bookings.DefaultHoldGrace)
	_, err = h.bookings.ExpireHolds(t.Context())
	require.NoError(t, err)
	work()
	assert.Nil(t, h.of(t, "Ben"))
	assert.Equal(t, []string{"Cleo"}, h.offered(t))

	require.NoError(t, h.Leave(t.Context(), h.of(t, "Cleo")))
	work()
	assert.Equal(t, []string{"Dan"}, h.offered(t))
	h.cancels(t, ada)
	work()
	assert.Equal(t, []string{"Dan", "Eve"}, h.offered(t))

	// Rooms that a modification returns, and those of a guest who does not come.
	eve := h.of(t, "Eve")
	require.NoError(t, h.Take(t.Context(), eve))
	require.NoError(t, h.Leave(t.Context(), h.of(t, "Fay")))
	h.joins(t, "Gus", 12, 14)
	work()
	assert.Equal(t, []string{"Dan"}, h.offered(t))
	h.changes(t, eve, july(10, 12), 1)
	work()
	assert.Equal(t, []string{"Dan", "Gus"}, h.offered(t))
	h.changes(t, h.of(t, "Dan"), july(10, 13), 1)
	work()
	assert.Equal(t, []string{"Dan", "Gus"}, h.offered(t), "an offer that is changed is still one")
	require.NoError(t, h.Take(t.Context(), h.of(t, "Gus")))
	h.joins(t, "Hal", 11, 12)
	h.Clock.Set(time.Date(2037, 7, 11, 12, 0, 0, 0, time.UTC))
	_, err = h.bookings.NoShow(t.Context(), eve.BookingID)
	require.NoError(t, err)
	work()
	assert.Equal(t, []string{"Dan"}, h.offered(t))
	_, err = h.bookings.Release(t.Context(), eve.BookingID)
	require.NoError(t, err)
	work()
	assert.Equal(t, []string{"Dan", "Hal"}, h.offered(t))
}

// A change of a booking that needs fewer rooms is an opportunity; one that happens twice is none.
func TestWorkerAndFewerRooms(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.Streams())
	work := h.worker(t)
	h.joinsFor(t, "Ada", 10, 12, 2)
	h.joins(t, "Dan", 10, 12)
	work()
	ada := h.of(t, "Ada")
	require.NoError(t, h.Take(t.Context(), ada))
	work()
	assert.Empty(t, h.offered(t))
	h.changes(t, ada, ada.Stay, 1)
	work()
	assert.Equal(t, []string{"Dan"}, h.offered(t))
	h.cancels(t, ada)
	spent := h.Measure(work)
	again := h.Measure(work)
	assert.Greater(t, spent.Requests, again.Requests)
	assert.Equal(t, []string{"Dan"}, h.offered(t))
}

// Changes that are handled again, and those of other software, are no reason for an error.
func TestHandlersOfAWorker(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada := h.books(t, "Ada", 10, 12)
	h.joins(t, "Cleo", 10, 12)
	b, err := h.bookings.Get(t.Context(), ada.BookingID)
	require.NoError(t, err)
	pending := *b
	pending.Status = bookings.Pending
	for _, c := range []stream.Change[bookings.Booking]{{New: b}, {Old: b}, {Old: b, New: b}} {
		dyntest.Budget(t, h.DB, dyntest.Cost{}, func() { assert.NoError(t, h.onBooking(t.Context(), c)) })
	}
	for range 2 {
		require.NoError(t, h.onBooking(t.Context(), stream.Change[bookings.Booking]{Old: &pending, New: b}))
	}
	assert.Equal(t, []string{"Cleo"}, h.offered(t))
	cleo := h.of(t, "Cleo")
	item, err := entries.Item(cleo)
	require.NoError(t, err)
	was := stream.Record{Old: dynastay.RowOf(item)}
	for _, c := range []stream.Change[Entry]{{Old: cleo, Record: was}, {Old: cleo, New: cleo, Record: was}} {
		dyntest.Budget(t, h.DB, dyntest.Cost{}, func() { assert.NoError(t, h.onEntry(t.Context(), c)) })
	}
}
