package dyntest_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/properties"
)

// hasty gives up early, so that a storm shows every possible outcome of a write.
var hasty = dynastay.Retry{Attempts: 3, Base: time.Millisecond, Cap: 2 * time.Millisecond}

// In a storm of faults, thirty guests book forty rooms. Every result is true, and the inventory is exact.
func TestStormOfBookings(t *testing.T) {
	t.Parallel()
	const guests, rooms = 30, 40
	for name, test := range map[string]struct {
		callers   int
		conflicts bool
		options   dynastay.Options
	}{
		"one after another": {1, false, dynastay.Options{Retry: hasty}},
		"at once":           {guests, false, dynastay.Options{Retry: hasty}},
		"a few, conflicts":  {3, true, dynastay.Options{Retry: hasty, NoGates: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, dyntest.At(fixture.Now))
			hotel := fixture.New(t, db.Direct, rooms)
			ask := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
			if test.conflicts {
				db.Faults.Conflicts(time.Millisecond)
			}
			storm := db.Faults.Inject(dyntest.AnyOf(), dyntest.When{Operation: "TransactWriteItems", Chance: 0.5})
			repo := bookings.New(db.Open(&test.options), nil)

			told := make([]error, guests)
			book := func(n int) error {
				mine := ask
				mine.UserID = fmt.Sprint("guest-", n)
				_, err := repo.Create(t.Context(), mine, dynastay.IdempotencyKey(mine.UserID))
				return err
			}
			var wg sync.WaitGroup
			for caller := range test.callers {
				wg.Go(func() {
					for n := caller; n < guests; n += test.callers {
						told[n] = book(n)
					}
				})
			}
			wg.Wait()
			storm.Stop()
			assert.Positive(t, storm.Hits())

			h := house{hotel, db}
			sold := 0
			for n, err := range told {
				has := len(h.bookedBy(t, fmt.Sprint("guest-", n)))
				sold += has
				switch {
				case err == nil:
					assert.Equal(t, 1, has, "guest %d has a booking", n)
				case errors.Is(err, dynastay.ErrThrottled), errors.Is(err, dynastay.ErrContention):
					assert.Zero(t, has, "guest %d was told that nothing was written: %v", n, err)
				default:
					assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
					assert.LessOrEqual(t, has, 1)
				}
			}
			left := rooms - sold
			assert.Equal(t, []int{left, left, left}, hotel.Left(t, db.Direct, fixture.Stay))

			// The storm is over, and every guest repeats the call under the same key.
			repo = bookings.New(db.Open(nil), nil)
			for n := range told {
				require.NoError(t, book(n))
				assert.Len(t, h.bookedBy(t, fmt.Sprint("guest-", n)), 1)
			}
			assert.Equal(t, []int{rooms - guests, rooms - guests, rooms - guests}, hotel.Left(t, db.Direct, fixture.Stay))
		})
	}
}

// Increments add up, although they are plain requests that DynamoDB does not recognize when they are sent again.
func TestStormOfUpdates(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	storm := h.Faults.Inject(dyntest.AnyOf(), dyntest.When{Operation: "UpdateItem", Chance: 0.5})
	repo := properties.New(h.DB.Open(&dynastay.Options{Retry: hasty}), nil)
	done, unknown := 0, 0
	for range 40 {
		switch _, err := repo.Update(t.Context(), h.ID, score); {
		case err == nil:
			done++
		case errors.Is(err, dynastay.ErrOutcomeUnknown):
			unknown++
		default:
			assert.True(t, errors.Is(err, dynastay.ErrThrottled) || errors.Is(err, dynastay.ErrContention), "%v", err)
		}
	}
	assert.Positive(t, storm.Hits())
	got := h.property(t).FeaturedScore
	assert.GreaterOrEqual(t, got, done)
	assert.LessOrEqual(t, got, done+unknown)
}

// Faults on all requests, including reads, rare enough for the default retries of the SDK and of Write.
func TestStormOfAllRequests(t *testing.T) {
	t.Parallel()
	h := openHouse(t, dyntest.Seed(1)) // three faults in a row are too many for a read
	storm := h.Faults.Inject(dyntest.AnyOf(), dyntest.When{Chance: 0.2})
	repo := bookings.New(h.DB.DB, nil)
	for n := range 6 {
		made, err := repo.Create(t.Context(), h.ask(t, "ada"))
		require.NoError(t, err)
		got, err := repo.Get(t.Context(), made.ID)
		require.NoError(t, err)
		assert.Equal(t, made, got)
		left := 9 - n
		assert.Equal(t, []int{left, left, left}, h.Left(t, h.DB.DB, fixture.Stay))
	}
	assert.Positive(t, storm.Hits())
	h.assertSold(t, 6, "ada")
}
