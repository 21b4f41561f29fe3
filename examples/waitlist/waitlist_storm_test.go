package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
)

// again are the errors after which a consumer, and a guest, calls again.
var again = []error{
	dynastay.ErrContention, dynastay.ErrOutcomeUnknown, dynastay.ErrUnavailable, dynastay.ErrThrottled, dynastay.ErrRefused,
	dynastay.ErrVersion,
}

func repeated(do func() error) error {
	for range 50 {
		if err := do(); !slices.ContainsFunc(again, func(kind error) bool { return errors.Is(err, kind) }) {
			return err
		}
	}
	return errors.New("50 times")
}

// Two processes make the offers, while bookings are cancelled, guests leave, take what they are offered and decline it,
// transactions conflict and answers are lost. Nobody gets two offers, no entry and no room is lost, and in the end those
// who have offers are the first who wait.
func TestWorkersAtTheSameTime(t *testing.T) {
	t.Parallel()
	for round := range 4 {
		t.Run(fmt.Sprint(round), func(t *testing.T) { storm(t, rand.New(rand.NewPCG(uint64(round), 1))) })
	}
}

func storm(t *testing.T, random *rand.Rand) {
	h := newHouse(t)
	sold := []*Entry{h.books(t, "Ada", 10, 14), h.books(t, "Ben", 10, 14)}
	var names []string
	for n := range 8 {
		names = append(names, fmt.Sprint("Guest", n))
		h.joins(t, names[n], 10, 14)
	}
	h.Faults.Conflicts(2 * time.Millisecond)
	lost := h.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Chance: 0.15})
	other := h.Faults.Inject(dyntest.AnyOf(), dyntest.When{Chance: 0.05})
	var mu sync.Mutex
	gone := map[string]bool{} // who has left or has taken an offer
	over := func(name string) {
		mu.Lock()
		defer mu.Unlock()
		gone[name] = true
	}
	var all sync.WaitGroup
	for range 2 {
		worker := h.other()
		all.Go(func() {
			for range 8 {
				assert.NoError(t, repeated(func() error { return worker.Offer(t.Context(), double) }))
			}
		})
	}
	for _, e := range sold {
		desk := h.other()
		all.Go(func() {
			assert.NoError(t, repeated(func() error {
				_, err := desk.bookings.Cancel(t.Context(), e.BookingID, "", nil)
				if errors.As(err, new(*bookings.StatusError)) {
					return nil // by the call before
				}
				return err
			}))
		})
	}
	for _, n := range random.Perm(6)[:3] {
		guest, take := h.other(), n%2 == 0
		all.Go(func() {
			e := find(t.Context(), guest, names[n])
			if e == nil {
				t.Errorf("%s is lost", names[n])
				return
			}
			if take && e.BookingID != "" {
				assert.NoError(t, repeated(func() error { return guest.Take(t.Context(), e) }))
				over(names[n])
			} else if !take {
				err := repeated(func() error { return guest.Leave(t.Context(), e) })
				if !errors.Is(err, dynastay.ErrNotFound) { // by the call before
					assert.NoError(t, err)
				}
				over(names[n])
			}
		})
	}
	all.Wait()
	lost.Stop()
	other.Stop()
	require.NoError(t, h.Offer(t.Context(), double), "the last change is handled when all is quiet")

	rooms, waits := 2, false
	for n, name := range names {
		made := h.made(t, name)
		assert.LessOrEqual(t, len(made), 1, "%s got two offers", name)
		for _, b := range made {
			if b.Status == bookings.Confirmed {
				rooms--
			}
		}
		e := h.of(t, name)
		if gone[name] {
			assert.Nil(t, e, name)
			continue
		}
		if !assert.NotNil(t, e, "%s is lost", name) {
			continue
		}
		if e.BookingID == "" {
			assert.Empty(t, made, "%s has an offer that the entry does not know", name)
			waits = true
			continue
		}
		rooms--
		assert.False(t, waits, "guest %d has an offer, but an earlier one waits", n)
		require.Len(t, made, 1)
		assert.Equal(t, []any{e.BookingID, bookings.Pending}, []any{made[0].ID, made[0].Status})
	}
	assert.Zero(t, rooms, "all rooms are offered or sold")
	free, err := h.nights.Check(t.Context(), hotelID, double, 1, july(10, 14), dynastay.Consistent)
	require.NoError(t, err)
	for _, night := range free.Nights {
		assert.Zero(t, night.Available, night.Date)
	}
}

// find returns the entry of a guest, or nil.
func find(ctx context.Context, w *Waitlist, name string) *Entry {
	for range 50 {
		for e, err := range w.Queue(double).All(ctx) {
			if err != nil {
				break
			}
			if e.Guest.FirstName == name {
				return e
			}
		}
	}
	return nil
}
