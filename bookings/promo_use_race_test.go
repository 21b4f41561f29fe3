package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/racing"
)

// 64 buyers want a code that 20 more bookings may use; there are rooms for all. The others learn that it is used up,
// and have no booking.
func TestRaceForTheLastUsesOfACode(t *testing.T) {
	t.Parallel()
	const callers, uses = 64, 20
	patient := dynastay.Retry{Attempts: 200}
	for _, test := range []struct {
		name     string
		open     func(db *dyntest.DB) []*dynastay.DB
		requests int // maximum; 0 for no limit
	}{
		{
			name: "gates",
			open: func(db *dyntest.DB) []*dynastay.DB { return []*dynastay.DB{withClock(db, dynastay.Options{})} },
			// Each caller reads the code once. One is refused, and reads the code and the nights; the others share its refusal.
			requests: callers + uses + 10,
		},
		{
			name: "no gates",
			open: func(db *dyntest.DB) []*dynastay.DB {
				return []*dynastay.DB{withClock(db, dynastay.Options{NoGates: true, Retry: patient})}
			},
		},
		{
			name: "two processes",
			open: func(db *dyntest.DB) []*dynastay.DB {
				return []*dynastay.DB{withClock(db, dynastay.Options{Retry: patient}), withClock(db, dynastay.Options{Retry: patient})}
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: fixture.Clock}))
			hotel := fixture.New(t, db.DB, callers)
			_, err := bookings.New(db.Direct, nil).CreatePromoCode(t.Context(), bookings.PromoCode{
				Code: "SUMMER", Percent: 1000, UsageLimit: uses, Active: true,
			})
			require.NoError(t, err)
			req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
			req.PromoCode = "summer"
			var repos []*bookings.Repository
			for _, d := range test.open(db) {
				repos = append(repos, bookings.New(d, nil))
			}
			db.Faults.Conflicts(hold)
			stop := db.Faults.Record()

			var mu sync.Mutex
			var sold []*bookings.Booking
			usedUp := 0
			racing.Together(callers, func(i int) {
				b, err := repos[i%len(repos)].Create(context.Background(), req)
				mu.Lock()
				defer mu.Unlock()
				if errors.Is(err, bookings.ErrPromoUsedUp) {
					usedUp++
					return
				}
				if assert.NoError(t, err) {
					sold = append(sold, b)
				}
			})
			requests := len(stop())
			t.Logf("%d requests for %d sales", requests, len(sold))
			assert.Len(t, sold, uses)
			assert.Equal(t, callers-uses, usedUp)
			if test.requests > 0 {
				assert.LessOrEqual(t, requests, test.requests)
			}
			left := callers - uses
			assert.Equal(t, []int{left, left, left}, hotel.Left(t, db.Direct, fixture.Stay))
			assert.Equal(t, uses, usesOf(t, db, "SUMMER"))

			// Half of them cancel or let their holds expire while others want the code: each use is returned once, and
			// taken once.
			db.Faults.Conflicts(hold)
			again := 0
			racing.Together(2*uses, func(i int) {
				repo := repos[i%len(repos)]
				if i < uses {
					_, err := repo.Cancel(context.Background(), sold[i/2].ID, "", nil)
					var state *bookings.StatusError
					if err != nil && !errors.As(err, &state) {
						assert.NoError(t, err)
					}
					return
				}
				_, err := repo.Create(context.Background(), req)
				mu.Lock()
				defer mu.Unlock()
				if !errors.Is(err, bookings.ErrPromoUsedUp) && assert.NoError(t, err) {
					again++
				}
			})
			t.Logf("%d sales while %d bookings were cancelled", again, uses/2)
			assert.Equal(t, uses-uses/2+again, usesOf(t, db, "SUMMER"))
		})
	}
}

// usesOf returns the stored number of uses of a code.
func usesOf(t testing.TB, db *dyntest.DB, code string) int {
	t.Helper()
	p, err := bookings.New(db.Direct, nil).PromoCode(context.Background(), code, dynastay.Consistent)
	require.NoError(t, err, fmt.Sprint(code))
	return p.UsageCount
}
