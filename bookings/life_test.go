package bookings_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/fixture"
)

var (
	lifeCalls = flag.Int("life.calls", 20, "number of calls of each of the 64 callers in TestManyLives")
	lifeSeed  = flag.Uint64("life.seed", 0, "seed of TestManyLives; 0 draws one")
)

// lives are bookings that many callers make and change at the same time.
type lives struct {
	*life
	repos []*bookings.Repository // of several processes

	mu    sync.Mutex
	made  []string
	moved map[string]map[bookings.Status]int // acknowledged moves, by booking
}

func (l *lives) note(id string, to bookings.Status) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.moved[id] == nil {
		l.moved[id] = map[bookings.Status]int{}
		l.made = append(l.made, id)
	}
	l.moved[id][to]++
}

// call makes a booking or tries to change one of the last.
func (l *lives) call(t *testing.T, draw *rand.Rand, req bookings.Request) error {
	repo := l.repos[draw.IntN(len(l.repos))]
	l.mu.Lock()
	n := len(l.made)
	var id string
	if n > 0 {
		id = l.made[max(0, n-1-draw.IntN(10))]
	}
	l.mu.Unlock()
	switch which := draw.IntN(10); {
	case id == "" || which < 3:
		status := bookings.Confirmed
		if req.Hold = 0; draw.IntN(2) == 0 {
			req.Hold, status = []time.Duration{time.Hour, 24 * time.Hour}[draw.IntN(2)], bookings.Pending
		}
		b, err := repo.Create(t.Context(), req)
		if err == nil {
			l.note(b.ID, status)
		}
		return err
	case which == 3:
		done, err := repo.ExpireHolds(t.Context())
		for _, id := range done.Expired {
			l.note(id, bookings.Expired)
		}
		return err
	default:
		to := bookings.Cancelled // mostly, so that there are rooms to sell
		if draw.IntN(3) == 0 {
			to = []bookings.Status{bookings.Confirmed, bookings.Confirmed, bookings.CheckedIn, bookings.Completed, bookings.NoShow}[draw.IntN(5)]
		}
		a := actTo(to)
		_, err := a.do(t.Context(), repo, id)
		if err == nil {
			l.note(id, a.to)
		}
		return err
	}
}

// 64 callers in three processes hold, book, confirm, check in and out, cancel and expire the same 20 rooms, with conflicts
// and random faults. At the end, every room is either left or taken by a booking whose status says so, and each acknowledged
// move was made once.
func TestManyLives(t *testing.T) {
	t.Parallel()
	seed := *lifeSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("to repeat: -life.seed %d", seed)
	const rooms = 20
	db := dyntest.New(t, bookingTables, dyntest.At(fixture.Now), dyntest.Seed(seed))
	hotel := fixture.New(t, db.DB, rooms)
	db.Clock.Set(noon(fixture.Stay.CheckIn).Add(-30 * time.Minute)) // holds of an hour end while the callers are at it
	l := &lives{life: &life{db, hotel, bookings.New(db.Direct, nil)}, moved: map[string]map[bookings.Status]int{}}
	for range 3 {
		patient := dynastay.Retry{Attempts: 60, Base: time.Millisecond, Cap: 10 * time.Millisecond}
		l.repos = append(l.repos, bookings.New(db.Open(&dynastay.Options{Retry: patient}), nil))
	}
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	db.Faults.Conflicts(time.Millisecond)
	storm := db.Faults.Inject(dyntest.AnyOf(), dyntest.When{Chance: 0.05})
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			draw := rand.New(rand.NewPCG(seed, uint64(i)))
			for n := range *lifeCalls {
				if i == 0 {
					db.Clock.Advance(2 * time.Hour / time.Duration(*lifeCalls))
				}
				err := l.call(t, draw, req)
				var refused *bookings.Refused
				var state *bookings.StateError
				if err != nil && !errors.As(err, &refused) && !errors.As(err, &state) {
					for _, kind := range []error{dynastay.ErrInvalid, dynastay.ErrNotFound, dynastay.ErrCorrupt, dynastay.ErrRejected} {
						assert.NotErrorIs(t, err, kind, n)
					}
				}
			}
		})
	}
	wg.Wait()
	storm.Stop()
	db.Faults.Conflicts(0)

	taken := 0
	counts := map[bookings.Status]int{}
	for _, row := range bookingsIn(t, db) {
		b, err := l.repo.Get(context.Background(), row.Text("BookingId"), dynastay.Consistent)
		require.NoError(t, err)
		counts[b.Status]++
		if b.Status != bookings.Cancelled && b.Status != bookings.Expired {
			taken++
		}
		l.agrees(t, b)
	}
	t.Logf("bookings by status: %v", counts)
	left := rooms - taken
	assert.Equal(t, []int{left, left, left}, hotel.Left(t, db.DB, fixture.Stay))
	assert.GreaterOrEqual(t, left, 0)
}

// agrees compares a booking with the moves that were acknowledged. Those whose response was lost may have been made too.
func (l *lives) agrees(t *testing.T, b *bookings.Booking) {
	for status, n := range l.moved[b.ID] {
		assert.Equal(t, 1, n, "%s of %s", status, b.ID)
		visible := map[bookings.Status]bool{
			bookings.Pending:   !b.HoldExpiresAt.IsZero() || !b.ConfirmedAt.IsZero(),
			bookings.Confirmed: !b.ConfirmedAt.IsZero(),
			bookings.CheckedIn: !b.CheckedInAt.IsZero(),
			bookings.Completed: b.Status == bookings.Completed && !b.CheckedOutAt.IsZero(),
			bookings.NoShow:    b.Status == bookings.NoShow,
			bookings.Cancelled: b.Status == bookings.Cancelled && !b.CancelledAt.IsZero(),
			bookings.Expired:   b.Status == bookings.Expired,
		}
		assert.True(t, visible[status], "%s of %s, which is %s", status, b.ID, b.Status)
	}
}
