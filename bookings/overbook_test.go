package bookings_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/fixture"
)

// overbooked quotes one room, although none may be left.
func overbooked(t *testing.T, db *dynastay.DB, hotel fixture.Hotel, limit int) *availability.Quote {
	t.Helper()
	req := availability.QuoteRequest{
		Property: availability.House{ID: hotel.ID, Name: hotel.Name, TimeZone: hotel.TimeZone},
		Stay:     fixture.Stay, Guests: availability.Guests{Adults: 1}, Overbook: limit,
		Rooms: []availability.Room{{RoomTypeID: hotel.RoomTypeID, Name: "Deluxe King", Quantity: 1, Limits: hotel.Rooms[0].Limits}},
	}
	q, err := availability.New(db).Quote(t.Context(), req)
	require.NoError(t, err)
	return q
}

// The line of a booking says on which nights it overbooked, also when it is read again and when the call is repeated.
func TestBookingsReportOverbookedNights(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: fixture.Clock}))
	hotel := fixture.New(t, db.DB, 1)
	repo := bookings.New(db.DB, nil)
	full := fixture.Request(hotel.Quote(t, db.DB, dynastay.MustStay("2026-07-11", "2026-07-12"), 1))
	_, err := repo.Create(t.Context(), full)
	require.NoError(t, err)

	req := fixture.Request(overbooked(t, db.DB, hotel, 1))
	want := []dynastay.Date{dynastay.MustDate("2026-07-11")}
	assert.Equal(t, want, req.Quote.Lines[0].Overbooked)
	key := dynastay.IdempotencyKey("front desk")
	made, err := repo.Create(t.Context(), req, key)
	require.NoError(t, err)
	assert.Equal(t, want, made.Lines[0].Overbooked)
	read, err := repo.Get(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, want, read.Lines[0].Overbooked)
	replayed, err := repo.Create(t.Context(), req, key)
	require.NoError(t, err)
	assert.Equal(t, made.ID, replayed.ID)
	assert.Equal(t, want, replayed.Lines[0].Overbooked)
	assert.Equal(t, []int{0, -1, 0}, hotel.Left(t, db.DB, fixture.Stay))

	// The limit is part of what the caller agreed to.
	other := req
	other.Quote = req.Quote.Clone()
	other.Quote.Overbook = 2
	_, err = repo.Create(t.Context(), other, key)
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)

	_, err = repo.Cancel(t.Context(), made.ID, "")
	require.NoError(t, err)
	assert.Equal(t, []int{1, 0, 1}, hotel.Left(t, db.DB, fixture.Stay))
}

// 64 callers may overbook by 5 rooms: exactly the rooms and the limit are sold, and exactly the sales below zero report
// it, although all were quoted at the same time.
func TestRaceToOverbook(t *testing.T) {
	t.Parallel()
	const callers, rooms, limit = 64, 10, 5
	db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: fixture.Clock}))
	hotel := fixture.New(t, db.DB, rooms)
	req := fixture.Request(overbooked(t, db.DB, hotel, limit))
	patient := dynastay.Retry{Attempts: 1000, Base: time.Millisecond, Cap: 20 * time.Millisecond}
	repos := []*bookings.Repository{
		bookings.New(withClock(db, dynastay.Options{Retry: patient}), nil), bookings.New(withClock(db, dynastay.Options{Retry: patient}), nil),
	}
	db.Faults.Conflicts(time.Millisecond)
	var wg sync.WaitGroup
	var booked, over, soldOut atomic.Int32
	for i := range callers {
		wg.Go(func() {
			made, err := repos[i%2].Create(t.Context(), req)
			var refused *bookings.Refused
			switch {
			case err == nil:
				booked.Add(1)
				if len(made.Lines[0].Overbooked) > 0 {
					assert.Len(t, made.Lines[0].Overbooked, 3)
					over.Add(1)
				}
			case errors.As(err, &refused):
				assert.True(t, refused.Has(availability.SoldOut))
				soldOut.Add(1)
			default:
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, []int32{rooms + limit, limit, callers - rooms - limit}, []int32{booked.Load(), over.Load(), soldOut.Load()})
	assert.Equal(t, []int{-limit, -limit, -limit}, hotel.Left(t, db.DB, fixture.Stay))
}
