package bookings_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

var (
	lifeCalls = flag.Int("life.calls", 20, "number of calls of each of the 64 callers in TestManyLives")
	lifeSeed  = flag.Uint64("life.seed", 0, "seed of TestManyLives; 0 draws one")
)

// lives are bookings that many callers make and change at the same time.
type lives struct {
	*life
	repos []*bookings.Repository // of several processes

	mu       sync.Mutex
	made     []string
	moved    map[string]map[bookings.Status]int // acknowledged moves, by booking
	modified map[string][]*bookings.Booking     // results of acknowledged modifications
	refused  int
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

// modifiedStays are what a stay may become; they share some nights.
var modifiedStays = []dynastay.Stay{
	fixture.Stay, dynastay.MustStay("2026-07-10", "2026-07-12"), dynastay.MustStay("2026-07-10", "2026-07-14"),
	dynastay.MustStay("2026-07-11", "2026-07-13"), dynastay.MustStay("2026-07-12", "2026-07-15"),
}

// livesNights are the nights of all modified stays.
var livesNights = dynastay.MustStay("2026-07-10", "2026-07-15")

// modify gives a booking another stay and quantity.
func (l *lives) modify(t *testing.T, draw *rand.Rand, repo *bookings.Repository, id string) error {
	quantity := 1 + draw.IntN(2)
	m, err := repo.QuoteModification(t.Context(), id, availability.QuoteRequest{
		Property: availability.House{ID: l.hotel.ID, TimeZone: l.hotel.TimeZone}, Stay: modifiedStays[draw.IntN(len(modifiedStays))],
		Guests: availability.Guests{Adults: quantity},
		Rooms:  []availability.Room{{RoomTypeID: l.hotel.RoomTypeID, Quantity: quantity, Limits: l.hotel.Rooms[0].Limits}},
	})
	var got bookings.Modified
	if err == nil {
		got, err = repo.Modify(t.Context(), m)
	}
	if errors.Is(err, dynastay.ErrInvalid) {
		assert.ErrorContains(t, err, "the guests have checked in")
		return nil
	}
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.modified[id] = append(l.modified[id], got.Booking)
	}
	return err
}

// call makes a booking or tries to change one of the last.
func (l *lives) call(t *testing.T, draw *rand.Rand, req bookings.Request) error {
	repo := l.repos[draw.IntN(len(l.repos))]
	l.mu.Lock()
	n := len(l.made)
	var id string
	if n > 0 {
		id = l.made[draw.IntN(n)]
		if draw.IntN(2) == 0 {
			id = l.made[max(0, n-1-draw.IntN(10))] // which others want to change too
		}
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
	case which < 6 && draw.IntN(2) == 0:
		return l.modify(t, draw, repo, id)
	case which == 3:
		done, err := repo.ExpireHolds(t.Context())
		for _, id := range done.Expired {
			l.note(id, bookings.Expired)
		}
		return err
	default:
		to := bookings.Cancelled // mostly, so that there are rooms to sell
		if draw.IntN(8) == 0 {
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

// 64 callers hold, book, modify, confirm, check in and out, cancel and expire the same 20 rooms, in one process and in three,
// with conflicts and random faults. At the end, every room of every night is either left or taken by a booking whose status
// says so, and each acknowledged move was made once.
func TestManyLives(t *testing.T) {
	t.Parallel()
	for _, processes := range []int{1, 3} {
		t.Run(fmt.Sprint(processes, " processes"), func(t *testing.T) {
			t.Parallel()
			manyLives(t, processes)
		})
	}
}

func manyLives(t *testing.T, processes int) {
	seed := *lifeSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("to repeat: -life.seed %d", seed)
	const rooms = 20
	db := dyntest.New(t, bookingTables, dyntest.At(fixture.Now), dyntest.Seed(seed))
	hotel := fixture.New(t, db.DB, rooms)
	db.Clock.Set(noon(fixture.Stay.CheckIn).Add(-30 * time.Minute)) // holds of an hour end while the callers are at it
	l := &lives{life: &life{db, hotel, bookings.New(db.Direct, nil)}, moved: map[string]map[bookings.Status]int{}, modified: map[string][]*bookings.Booking{}}
	for range processes {
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
				var state *bookings.StatusError
				switch {
				case errors.As(err, &refused):
					l.mu.Lock()
					l.refused++
					l.mu.Unlock()
				case err != nil && !errors.As(err, &state):
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

	left := slices.Repeat([]int{rooms}, livesNights.Nights())
	counts := map[bookings.Status]int{}
	for _, row := range bookingsIn(t, db) {
		b, err := l.repo.Get(context.Background(), row.Text("BookingId"), dynastay.Consistent)
		require.NoError(t, err)
		counts[b.Status]++
		if b.Status != bookings.Cancelled && b.Status != bookings.Expired {
			for date := range b.Stay.Dates() {
				left[livesNights.CheckIn.DaysUntil(date)] -= b.Lines[0].Quantity
			}
		}
		l.agrees(t, b)
	}
	t.Logf("bookings by status: %v; %d modified; %d refused", counts, len(l.modified), l.refused)
	assert.Equal(t, left, hotel.Left(t, db.DB, livesNights))
	assert.GreaterOrEqual(t, slices.Min(left), 0)
	assert.NoError(t, l.repo.VerifyNights(t.Context(), hotel.ID, livesNights))
}

// agrees compares a booking with the moves that were acknowledged. Those whose response was lost may have been made too.
func (l *lives) agrees(t *testing.T, b *bookings.Booking) {
	versions := map[int]*bookings.Booking{b.Version: b}
	for _, modified := range l.modified[b.ID] {
		assert.LessOrEqual(t, modified.Version, b.Version)
		if same := versions[modified.Version]; same != nil { // one of them had nothing to change
			assert.Equal(t, same, modified, "two modifications of %s have led to one version", b.ID)
		}
		versions[modified.Version] = modified
	}
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
