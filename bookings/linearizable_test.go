package bookings_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/fixture"
)

// move is a call in the history: the number of rooms taken, or returned if negative.
type move struct{ rooms int }

// inventory is the model of one night, as the documentation describes it: a sale succeeds if and only if enough rooms
// are left at some moment between its call and its return. Caching "sold out" would break this, because a sale could
// be refused although it began after a cancellation had ended.
func inventory(rooms int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return rooms },
		Step: func(state, input, output any) (bool, any) {
			left, m, sold := state.(int), input.(move), output.(bool)
			if m.rooms < 0 {
				return true, left - m.rooms
			}
			if sold {
				return left >= m.rooms, left - m.rooms
			}
			return left < m.rooms, left
		},
	}
}

func TestSalesAreLinearizable(t *testing.T) {
	t.Parallel()
	const (
		rooms  = 3
		guests = 12
		calls  = 10
	)
	db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: fixture.Clock}))
	hotel := fixture.New(t, db.DB, rooms)
	night := dynastay.MustStay("2026-07-10", "2026-07-11")
	requests := []bookings.Request{
		fixture.Request(hotel.Quote(t, db.DB, night, 1)),
		fixture.Request(hotel.Quote(t, db.DB, night, 2)),
	}
	db.Faults.Conflicts(2 * time.Millisecond)
	patient := dynastay.Retry{Attempts: 1000, Base: time.Millisecond, Cap: 20 * time.Millisecond}
	// Two processes, so that some callers meet at the gates and some in the database.
	repos := []*bookings.Repository{
		bookings.New(withClock(db, dynastay.Options{Retry: patient}), nil),
		bookings.New(withClock(db, dynastay.Options{Retry: patient}), nil),
	}

	var (
		mu      sync.Mutex
		history []porcupine.Operation
		wg      sync.WaitGroup
	)
	started := time.Now()
	record := func(guest int, m move, call func() bool) bool {
		began := time.Since(started).Nanoseconds()
		sold := call()
		ended := time.Since(started).Nanoseconds()
		mu.Lock()
		defer mu.Unlock()
		history = append(history, porcupine.Operation{ClientId: guest, Input: m, Output: sold, Call: began, Return: ended})
		return sold
	}
	for guest := range guests {
		wg.Go(func() {
			repo := repos[guest%len(repos)]
			for range calls {
				quantity := 1 + rand.IntN(2)
				var made *bookings.Booking
				sold := record(guest, move{quantity}, func() bool {
					var err error
					made, err = repo.Create(context.Background(), requests[quantity-1])
					var refused *bookings.Refused
					if !errors.As(err, &refused) {
						assert.NoError(t, err)
						return err == nil
					}
					assert.True(t, refused.Has(availability.SoldOut))
					return false
				})
				if !sold {
					continue
				}
				record(guest, move{-quantity}, func() bool {
					_, err := repo.Cancel(context.Background(), made.ID, "")
					return assert.NoError(t, err)
				})
			}
		})
	}
	wg.Wait()
	require.NotEmpty(t, history)
	assert.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(inventory(rooms), history, time.Minute))
	assert.Equal(t, []int{rooms}, hotel.Left(t, db.DB, night), "all rooms were returned")
}
