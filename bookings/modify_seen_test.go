package bookings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

// refusedNights returns the nights of a refusal, without what it says about them.
func refusedNights(t *testing.T, err error) (all []availability.RefusedNight) {
	t.Helper()
	var refused *bookings.Refused
	require.ErrorAs(t, err, &refused)
	for _, n := range refused.Nights {
		all = append(all, availability.RefusedNight{RoomTypeID: n.RoomTypeID, Date: n.Date, Reason: n.Reason})
	}
	return all
}

// A refusal has the reasons of the nights that prevent the modification, and no others; only the room types that change are
// read for it.
func TestWhatARefusalOfAModificationSees(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	second, third := innStay.CheckIn.AddDays(1), innStay.LastNight()
	dearer := dynastay.MustMoney("120", "USD")
	t.Run("another room type", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1, "b": 1})
		m := i.quote(t, b.ID, innStay, rooms{"a": 2, "b": 1})
		i.set(t, "a", second, "AvailableRooms", 0)
		stop := i.Faults.Record()
		_, err := i.repo.Modify(t.Context(), m)
		assert.Equal(t, []availability.RefusedNight{{RoomTypeID: i.roomType("a"), Date: second, Reason: availability.SoldOut}}, refusedNights(t, err))
		assert.Len(t, stop(), 4, "the booking, the transaction, the nights of one room type, and the booking again")
	})
	t.Run("a night that is gone, and another one", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 2})
		// Other software has stored the line without prices, so the night of which it keeps a room has none.
		removeAttributes(t, i.DB, dynastay.Key{PK: "BOOKING#" + b.ID, SK: "ROOM#" + i.roomType("a")}, "NightlyPrices", "PricePerNight")
		remove(t, i.DB, nightKey(i.roomType("a"), second))
		remove(t, i.DB, nightKey(i.roomType("b"), second))
		i.set(t, "b", third, "IsBlocked", true)
		_, err := i.repo.QuoteModification(t.Context(), b.ID, i.request(innStay, rooms{"a": 1, "b": 1}))
		assert.Equal(t, []availability.RefusedNight{
			{RoomTypeID: i.roomType("a"), Date: second, Reason: availability.NotOnSale},
			{RoomTypeID: i.roomType("b"), Date: second, Reason: availability.NotOnSale},
			{RoomTypeID: i.roomType("b"), Date: third, Reason: availability.StopSell},
		}, refusedNights(t, err))
	})
	t.Run("a night that takes nothing back", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 2})
		m := i.quote(t, b.ID, dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: third}, rooms{"a": 1})
		i.set(t, "a", second, "AvailableRooms", "many")
		i.set(t, "a", second, "ClosedToDeparture", true)
		i.set(t, "a", innStay.CheckIn, "MinStay", 3)
		_, err := i.repo.Modify(t.Context(), m)
		assert.Equal(t, []availability.RefusedNight{{RoomTypeID: i.roomType("a"), Date: innStay.CheckIn, Reason: availability.MinStay}}, refusedNights(t, err))
	})
	t.Run("the night of a different property", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		m := i.quote(t, b.ID, innStay, rooms{"a": 2})
		i.set(t, "a", second, "PropertyId", "prop_other")
		i.set(t, "a", second, "PricePerNight", dearer)
		_, err := i.repo.Modify(t.Context(), m)
		assert.Equal(t, []availability.RefusedNight{{RoomTypeID: i.roomType("a"), Date: second, Reason: availability.NotOnSale}}, refusedNights(t, err))
	})
}

// The overbooked nights of a line are in order, each once, however often they were overbooked.
func TestOverbookedNightsOfAModification(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	stay := dynastay.Stay{CheckIn: innStay.CheckIn.AddDays(1), CheckOut: innStay.CheckOut}
	over := func(stay dynastay.Stay, n int) availability.QuoteRequest {
		req := i.request(stay, rooms{"a": n})
		req.Overbook = 3
		return req
	}
	for date := range innStay.Dates() {
		i.set(t, "a", date, "AvailableRooms", 0)
	}
	q, err := availability.New(i.DB.DB).Quote(t.Context(), over(stay, 1))
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	for _, req := range []availability.QuoteRequest{over(innStay, 1), over(innStay, 2)} {
		m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
		require.NoError(t, err)
		want := []dynastay.Date{innStay.CheckIn, innStay.CheckIn.AddDays(1), innStay.LastNight()}
		assert.Equal(t, want, m.Quote.Lines[0].Overbooked)
		got, err := i.repo.Modify(t.Context(), m)
		require.NoError(t, err)
		assert.Equal(t, want, got.Booking.Lines[0].Overbooked)
	}
}
