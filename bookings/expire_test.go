package bookings_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// holdMany holds n rooms, each half a second longer than the one before, the first for an hour.
func (l *life) holdMany(t *testing.T, repo *bookings.Repository, n int) (ids []string) {
	t.Helper()
	req := fixture.Request(l.hotel.Quote(t, l.DB.DB, fixture.Stay, 1))
	for i := range n {
		req.Hold = time.Hour + time.Duration(i)*500*time.Millisecond
		b, err := repo.Create(t.Context(), req)
		require.NoError(t, err)
		ids = append(ids, b.ID)
	}
	return ids
}

func (l *life) statuses(t *testing.T, ids []string) (all []bookings.Status) {
	t.Helper()
	found, err := l.repo.GetAll(t.Context(), ids, dynastay.Consistent)
	require.NoError(t, err)
	for _, b := range found {
		all = append(all, b.Status)
	}
	return all
}

// Several processes sweep at the same time, with conflicts and lost responses. Each ended hold is ended once, and its
// rooms are returned once.
func TestManyProcessesExpireHolds(t *testing.T) {
	t.Parallel()
	const all, ended = 40, 25
	l := begin(t, 100)
	opts := &bookings.Options{HoldShards: key.Shards{Read: 3, Write: 3}}
	ids := l.holdMany(t, bookings.New(l.DB.DB, opts), all)
	l.Clock.Set(booked.Add(time.Hour + (ended-1)*500*time.Millisecond + bookings.DefaultHoldGrace))
	l.Faults.Conflicts(time.Millisecond)
	l.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Chance: 0.2})
	var (
		mu    sync.Mutex
		swept []string
		wg    sync.WaitGroup
	)
	for range 4 {
		// A slow engine holds the items for longer, so more attempts than the default may be needed.
		repo := bookings.New(l.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 200}}), opts)
		wg.Go(func() {
			done, err := repo.ExpireHolds(t.Context())
			assert.NoError(t, err)
			assert.Empty(t, done.Missing)
			mu.Lock()
			defer mu.Unlock()
			swept = append(swept, done.Expired...)
		})
	}
	wg.Wait()
	slices.Sort(swept)
	assert.Equal(t, slices.Sorted(slices.Values(ids[:ended])), swept)
	want := slices.Repeat([]bookings.Status{bookings.Expired}, ended)
	assert.Equal(t, append(want, slices.Repeat([]bookings.Status{bookings.Pending}, all-ended)...), l.statuses(t, ids))
	left := 100 - (all - ended)
	assert.Equal(t, []int{left, left, left}, l.hotel.Left(t, l.DB.DB, fixture.Stay))
}

// What has been confirmed or cancelled since the index was updated is left alone.
func TestExpireHoldsOfAStaleIndex(t *testing.T) {
	t.Parallel()
	l := begin(t, 10)
	ids := l.holdMany(t, l.repo, 4)
	l.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Table: keys.BookingsTable.Name, Index: keys.HoldIndex})
	_, err := l.repo.Confirm(t.Context(), ids[0], nil)
	require.NoError(t, err)
	_, err = l.repo.Cancel(t.Context(), ids[1], "", nil)
	require.NoError(t, err)
	l.delete(t, keyOf(ids[2]))
	l.Clock.Set(booked.Add(2 * time.Hour))
	done, err := l.repo.ExpireHolds(t.Context())
	require.NoError(t, err)
	assert.Equal(t, bookings.Sweep{Expired: ids[3:]}, done)
	again, err := l.repo.ExpireHolds(t.Context())
	require.NoError(t, err)
	assert.Empty(t, again)
	assert.Equal(t, []int{8, 8, 8}, l.hotel.Left(t, l.DB.DB, fixture.Stay), "the deleted booking has taken its room with it")
}

// A booking that cannot be ended does not keep the others from it, and a night that is gone is reported.
func TestExpireHoldsOfOtherSoftware(t *testing.T) {
	t.Parallel()
	l := begin(t, 10)
	ids := l.holdMany(t, l.repo, 4)
	setBooking(t, l.DB, keyOf(ids[0]), "NumberOfAdults", dynastay.Text("two"))
	setBooking(t, l.DB, keyOf(ids[1]), "CheckOutDate", dynastay.Text("2026-12-31")) // more nights than a transaction has actions
	setBooking(t, l.DB, keyOf(ids[2]), "GSI6SK", dynastay.Text("EXPIRES#odd"))      // after all instants
	remove(t, l.DB, nightKey(l.hotel.RoomTypeID, fixture.Stay.CheckIn))
	l.Clock.Set(booked.Add(2 * time.Hour))
	done, err := l.repo.ExpireHolds(t.Context())
	assert.Equal(t, bookings.Sweep{
		Expired: ids[3:], Missing: []bookings.MissingNight{{RoomTypeID: l.hotel.RoomTypeID, Date: fixture.Stay.CheckIn}},
	}, done)
	unreadable := blame.As[*dynastay.UnreadableError](t, err)
	require.Len(t, unreadable.Items, 2)
	assert.ErrorContains(t, err, ids[0])
	assert.ErrorContains(t, err, "must be a booking with at most 99 nights")
}

// A request that fails ends the sweep. The result has what was done before.
func TestExpireHoldsFails(t *testing.T) {
	t.Parallel()
	l := begin(t, 10)
	ids := l.holdMany(t, l.repo, 3)
	l.Clock.Set(booked.Add(2 * time.Hour))
	repo := bookings.New(l.Open(&dynastay.Options{Parallel: 1}), nil)
	l.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	done, err := repo.ExpireHolds(t.Context())
	assert.ErrorIs(t, err, dynastay.ErrRejected)
	assert.Equal(t, ids[:1], done.Expired)
	l.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "Query", Index: keys.HoldIndex, Nth: 1})
	_, err = repo.ExpireHolds(t.Context())
	assert.ErrorIs(t, err, dynastay.ErrRejected)
	done, err = repo.ExpireHolds(t.Context())
	require.NoError(t, err)
	assert.Equal(t, ids[1:], done.Expired)
}

// A sweep that finds nothing takes one request for each shard.
func TestCostOfExpireHolds(t *testing.T) {
	t.Parallel()
	l := begin(t, 10)
	opts := &bookings.Options{HoldShards: key.Shards{Read: 3}, HoldGrace: time.Hour}
	repo := bookings.New(l.DB.DB, opts)
	l.holdMany(t, repo, 4)
	costs := page.Costs{DB: l.DB}
	sweep := func(what, why string, requests, expired int) {
		t.Helper()
		spent := l.Measure(func() {
			done, err := repo.ExpireHolds(t.Context())
			require.NoError(t, err)
			assert.Len(t, done.Expired, expired)
		})
		assert.Equal(t, requests, spent.Requests)
		costs.Add(what, why, spent.Bill())
	}
	sweep("a sweep of 3 shards, without ended holds", "one Query of each shard: half a unit for every 4 KB of keys", 3, 0)
	l.Clock.Set(booked.Add(2*time.Hour - time.Millisecond))
	sweep("", "", 3, 0)
	l.Clock.Set(booked.Add(2 * time.Hour))
	sweep("", "", 3+2+1, 1) // the next one ends within the same second, which is all that the key has, so it is read
	l.Clock.Set(booked.Add(3 * time.Hour))
	sweep("a sweep of 3 shards, with 3 ended holds", "then each as expire", 3+3*2, 3)
	costs.Section(t, "sweeps of holds")
	assert.PanicsWithValue(t, "bookings.New: Options.HoldGrace must not be negative", func() {
		bookings.New(l.DB.DB, &bookings.Options{HoldGrace: -1})
	})
}

// A hold ends while its guest confirms it: the booking is confirmed with its rooms or expired without them.
func TestConfirmAgainstExpire(t *testing.T) {
	t.Parallel()
	l := begin(t, 100)
	const n = 30
	ids := l.holdMany(t, l.repo, n)
	// One process is slow by more than the grace, so both calls are possible.
	slow := bookings.New(l.Open(&dynastay.Options{Clock: func() time.Time { return booked.Add(time.Minute) }}), nil)
	l.Clock.Set(booked.Add(2 * time.Hour))
	l.Faults.Conflicts(time.Millisecond)
	var wg sync.WaitGroup
	won := make([][2]bool, n)
	for i, id := range ids {
		for j, call := range []func(context.Context) error{
			func(ctx context.Context) error { _, err := slow.Confirm(ctx, id, nil); return err },
			func(ctx context.Context) error { _, err := l.repo.Expire(ctx, id); return err },
		} {
			wg.Go(func() {
				err := call(t.Context())
				var state *bookings.StatusError
				if won[i][j] = err == nil; err != nil {
					assert.ErrorAs(t, err, &state)
				}
			})
		}
	}
	wg.Wait()
	left := 100
	for i, status := range l.statuses(t, ids) {
		assert.NotEqual(t, won[i][0], won[i][1], "exactly one")
		if won[i][0] {
			assert.Equal(t, bookings.Confirmed, status)
			left--
		} else {
			assert.Equal(t, bookings.Expired, status)
		}
	}
	assert.Equal(t, []int{left, left, left}, l.hotel.Left(t, l.DB.DB, fixture.Stay))
}
