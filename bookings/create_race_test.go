package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// hold is how long a transaction locks its items in the races: about as long as one takes in DynamoDB.
const hold = 5 * time.Millisecond

// outcome counts the results of the callers in a race.
type outcome struct {
	sold, soldOut int
	other         []error
}

// race has n callers book the same quote at once. caller returns the repository and the options of each.
func race(n int, req bookings.Request, caller func(i int) (*bookings.Repository, []dynastay.WriteOption)) outcome {
	var (
		mu  sync.Mutex
		wg  sync.WaitGroup
		got outcome
	)
	start := make(chan struct{})
	for i := range n {
		repo, opts := caller(i)
		wg.Go(func() {
			<-start
			_, err := repo.Create(context.Background(), req, opts...)
			mu.Lock()
			defer mu.Unlock()
			var refused *bookings.Refused
			switch {
			case err == nil:
				got.sold++
			case errors.As(err, &refused) && refused.Has(availability.SoldOut):
				got.soldOut++
			default:
				got.other = append(got.other, err)
			}
		})
	}
	close(start)
	wg.Wait()
	return got
}

func withClock(db *dyntest.DB, o dynastay.Options) *dynastay.DB {
	o.Clock = fixture.Clock
	return db.Open(&o)
}

func TestRaceForTheLastRooms(t *testing.T) {
	t.Parallel()
	const callers, rooms = 64, 20
	// Without gates, a machine that is busy with other tests may need more attempts than the default.
	patient := dynastay.Retry{Attempts: 200}
	for _, test := range []struct {
		name     string
		open     func(db *dyntest.DB) []*dynastay.DB
		keyed    bool
		requests int // maximum; 0 for no limit
	}{
		{
			name:     "gates",
			open:     func(db *dyntest.DB) []*dynastay.DB { return []*dynastay.DB{withClock(db, dynastay.Options{})} },
			requests: rooms * 3 / 2,
		},
		{
			name:     "gates and idempotency keys",
			open:     func(db *dyntest.DB) []*dynastay.DB { return []*dynastay.DB{withClock(db, dynastay.Options{})} },
			keyed:    true,
			requests: rooms*3/2 + callers - rooms,
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
			hotel := fixture.New(t, db.DB, rooms)
			req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
			var repos []*bookings.Repository
			for _, d := range test.open(db) {
				repos = append(repos, bookings.New(d, nil))
			}
			db.Faults.Conflicts(hold)
			stop := db.Faults.Record()

			got := race(callers, req, func(i int) (*bookings.Repository, []dynastay.WriteOption) {
				var opts []dynastay.WriteOption
				if test.keyed {
					opts = append(opts, dynastay.IdempotencyKey(fmt.Sprintf("request-%d", i)))
				}
				return repos[i%len(repos)], opts
			})

			requests := len(stop())
			t.Logf("%d requests for %d sales", requests, got.sold)
			assert.Equal(t, rooms, got.sold)
			assert.Equal(t, callers-rooms, got.soldOut, "every other caller learns why")
			assert.Empty(t, got.other)
			assert.Equal(t, []int{0, 0, 0}, hotel.Left(t, db.DB, fixture.Stay))
			if test.requests > 0 {
				assert.LessOrEqual(t, requests, test.requests)
			}
		})
	}
}

// Overlapping stays with one or two rooms each, and cancellations in between: whatever happens, the rooms left and the
// rooms booked add up to the total.
func TestRoomsAreNeitherLostNorAdded(t *testing.T) {
	t.Parallel()
	const rooms = 6
	db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: fixture.Clock}))
	hotel := fixture.New(t, db.DB, rooms)
	stays := []dynastay.Stay{
		dynastay.MustStay("2026-07-10", "2026-07-12"),
		dynastay.MustStay("2026-07-11", "2026-07-14"),
		dynastay.MustStay("2026-07-13", "2026-07-15"),
		dynastay.MustStay("2026-07-10", "2026-07-15"),
	}
	requests := make([]bookings.Request, 0, 2*len(stays))
	for _, stay := range stays {
		for quantity := 1; quantity <= 2; quantity++ {
			requests = append(requests, fixture.Request(hotel.Quote(t, db.DB, stay, quantity)))
		}
	}
	db.Faults.Conflicts(time.Millisecond)
	repo := bookings.New(withClock(db, dynastay.Options{Retry: dynastay.Retry{Attempts: 200}}), nil)

	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		kept []*bookings.Booking
	)
	for i := range 48 {
		wg.Go(func() {
			made, err := repo.Create(context.Background(), requests[i%len(requests)])
			var refused *bookings.Refused
			if errors.As(err, &refused) {
				return
			}
			if !assert.NoError(t, err) {
				return
			}
			if i%3 == 0 {
				_, err := repo.Cancel(context.Background(), made.ID, "plans changed", nil)
				assert.NoError(t, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			kept = append(kept, made)
		})
	}
	wg.Wait()
	require.NotEmpty(t, kept)
	for date := range dynastay.MustStay("2026-07-10", "2026-07-15").Dates() {
		booked := 0
		for _, b := range kept {
			if b.Stay.Contains(date) {
				booked += b.Lines[0].Quantity
			}
		}
		left := hotel.Left(t, db.DB, dynastay.Stay{CheckIn: date, CheckOut: date.AddDays(1)})[0]
		assert.GreaterOrEqual(t, left, 0, date)
		assert.Equal(t, rooms, left+booked, "rooms left and booked on %s", date)
	}
}

// 64 buyers in two processes want 3 rooms of nights that may be overbooked by 2: exactly 5 are sold, and exactly the two sales
// below zero list the nights, although all were quoted while rooms were left.
func TestRaceToTheOverbookLimit(t *testing.T) {
	t.Parallel()
	const callers, rooms, limit = 64, 3, 2
	for name, noGates := range map[string]bool{"": false, "without queues": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: fixture.Clock}))
			hotel := fixture.New(t, db.DB, rooms)
			_, err := availability.New(db.DB).Update(t.Context(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
				{RoomTypeIDs: []string{hotel.RoomTypeID}, Dates: fixture.Stay, OverbookLimit: aws.Int(limit)},
			}})
			require.NoError(t, err)
			req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
			patient := dynastay.Options{Retry: dynastay.Retry{Attempts: 1000, Base: time.Millisecond, Cap: 20 * time.Millisecond}, NoGates: noGates}
			repos := []*bookings.Repository{bookings.New(withClock(db, patient), nil), bookings.New(withClock(db, patient), nil)}
			db.Faults.Conflicts(time.Millisecond)
			got := race(callers, req, func(i int) (*bookings.Repository, []dynastay.WriteOption) { return repos[i%2], nil })
			assert.Empty(t, got.other)
			assert.Equal(t, []int{rooms + limit, callers - rooms - limit}, []int{got.sold, got.soldOut})
			assert.Equal(t, []int{-limit, -limit, -limit}, hotel.Left(t, db.DB, fixture.Stay))
			page, err := repos[0].ByProperty(bookings.PropertyQuery{PropertyID: hotel.ID}).Page(t.Context(), dynastay.Paging{Limit: callers})
			require.NoError(t, err)
			over := 0
			for _, b := range page.Items {
				made, err := repos[0].Get(t.Context(), b.ID)
				require.NoError(t, err)
				if len(made.Lines[0].Overbooked) > 0 {
					assert.Equal(t, slices.Collect(fixture.Stay.Dates()), made.Lines[0].Overbooked)
					over++
				}
			}
			assert.Equal(t, limit, over)
		})
	}
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
