package users_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/users"
)

// ticking returns a clock that never shows the same time twice. A movement reads it after it has read the account, so
// the times of the entries are in the order of their commits.
func ticking() func() time.Time {
	var n atomic.Int64
	return func() time.Time { return start.Add(time.Duration(n.Add(1)) * time.Millisecond) }
}

// checkLedger checks that an account follows from its entries: the balance is their sum and was never negative, the
// lifetime points are the sum of what was earned, and the tier has the time of the entry that crossed its threshold.
func checkLedger(t *testing.T, repo *users.Repository, userID string) []users.LoyaltyEntry {
	t.Helper()
	all := entries(t, repo, userID)
	slices.SortFunc(all, func(e, other users.LoyaltyEntry) int { return e.CreatedAt.Compare(other.CreatedAt) })
	want := users.Loyalty{UserID: userID}
	for i, e := range all {
		want.Points += e.Points
		want.LifetimePoints += max(e.Points, 0)
		want.UpdatedAt = e.CreatedAt
		assert.Equal(t, want.Points, e.Balance, "balance of entry %d", i)
		assert.GreaterOrEqual(t, e.Balance, 0)
		for _, tier := range users.DefaultTiers {
			before := want.LifetimePoints - max(e.Points, 0)
			if want.LifetimePoints >= tier.Points && (before < tier.Points || i == 0) {
				want.Tier, want.TierSince = tier.Tier, e.CreatedAt
			}
		}
	}
	got, err := repo.Loyalty(t.Context(), userID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, &want, got)
	return all
}

// 32 callers in two processes move the points of one account, every movement by two of them.
func TestPointsAddUp(t *testing.T) {
	t.Parallel()
	const callers, each = 32, 12
	for _, test := range []struct {
		name  string
		fault dyntest.Fault
	}{{name: "conflicts"}, {"lost responses", dyntest.LoseAnswer()}, {"lost requests", dyntest.LoseRequest()}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, userTables)
			db.Faults.Conflicts(0)
			if test.name != "conflicts" {
				db.Faults.Inject(test.fault, dyntest.When{Chance: 0.05, Operation: "TransactWriteItems"})
			}
			clock := ticking()
			var processes []*users.Repository
			for range 2 {
				processes = append(processes, users.New(db.Open(&dynastay.Options{
					Clock: clock, Retry: dynastay.Retry{Attempts: 500},
				}), nil))
			}
			var mu sync.Mutex
			var wg sync.WaitGroup
			acknowledged, refused := map[string]users.LoyaltyEntry{}, 0
			for c := range callers {
				repo := processes[c%2]
				wg.Go(func() {
					for n := range each {
						m := movement(fmt.Sprint(c/2, "-", n), 1+(c/2*each+n)*7%200)
						call := repo.Earn
						if (c/2+n)%2 == 1 {
							call = repo.Redeem
						}
						e, err := call(context.Background(), m)
						for errors.Is(err, dynastay.ErrOutcomeUnknown) { // a repetition counts once
							e, err = call(context.Background(), m)
						}
						var short *users.PointsError
						mu.Lock()
						switch {
						case err == nil:
							if before, known := acknowledged[m.ReasonID]; known {
								assert.Equal(t, before, *e, "both callers get the same entry")
							}
							acknowledged[m.ReasonID] = *e
						case errors.As(err, &short):
							assert.Less(t, short.Balance, short.Points)
							refused++
						default:
							assert.NoError(t, err)
						}
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			all := checkLedger(t, processes[0], "user_1")
			stored := map[string]users.LoyaltyEntry{}
			for _, e := range all {
				stored[e.ReasonID] = e
			}
			assert.Equal(t, acknowledged, stored)
			assert.NotEmpty(t, acknowledged)
			t.Logf("%d acknowledged, %d refused", len(acknowledged), refused)
		})
	}
}

// Callers in one process queue for the account: each sends its read and its transaction once.
func TestMovementsQueue(t *testing.T) {
	t.Parallel()
	db, repo := clocked(t)
	db.Faults.Conflicts(time.Millisecond)
	stop := db.Faults.Record()
	calls := make([]func() error, 32)
	for i := range calls {
		calls[i] = func() error { return first(repo.Earn(t.Context(), movement(fmt.Sprint(i), i+1))) }
	}
	together(t, calls...)
	assert.Len(t, stop(), 2*len(calls))
	got, err := repo.Loyalty(t.Context(), "user_1")
	require.NoError(t, err)
	assert.Equal(t, 32*33/2, got.Points)
}

// Two movements of an account that meet at any point: the ledger adds up, and the same movement counts once.
func TestMovementsThatMeet(t *testing.T) {
	t.Parallel()
	racing.Rounds(t, func(t *testing.T, db *dyntest.DB, draw *rand.Rand) {
		n := 0
		for _, way := range racing.Ways {
			for _, reasons := range [][2]string{{"a", "b"}, {"a", "a"}} {
				for _, before := range []int{0, 100} {
					n++
					id := fmt.Sprint("user_", n)
					move := func(reason string, points int) racing.Call {
						return func(ctx context.Context, db *dynastay.DB) error {
							repo := users.New(db, nil)
							m := users.Movement{UserID: id, ReasonID: reason, Points: max(points, -points)}
							if points < 0 {
								return first(repo.Redeem(ctx, m))
							}
							return first(repo.Earn(ctx, m))
						}
					}
					if before > 0 {
						require.NoError(t, move("before", before)(t.Context(), db.Direct))
					}
					points := racing.One(draw, 950, 20)
					if before > 0 && draw.IntN(2) == 0 {
						points = racing.One(draw, -60, -20)
					}
					about := fmt.Sprintf("%s: %s and %s, %d of %d", way.Name, reasons[0], reasons[1], points, before)
					one, other := way.Meet(t, db, move(reasons[0], points), move(reasons[1], points))
					count := 0
					for i, err := range []error{one, other} {
						var short *users.PointsError
						if i == 0 && way.Unknown && before == 0 && errors.Is(err, dynastay.ErrOutcomeUnknown) {
							err = move(reasons[0], points)(t.Context(), db.Direct)
						}
						if !errors.As(err, &short) {
							require.NoError(t, err, about)
							count++
						}
					}
					got, err := users.New(db.Direct, nil).Loyalty(t.Context(), id, dynastay.Consistent)
					if count == 0 && before == 0 {
						require.ErrorIs(t, err, dynastay.ErrNotFound, about)
						continue
					}
					require.NoError(t, err, about)
					if reasons[0] == reasons[1] {
						count = min(count, 1)
					}
					assert.Equal(t, before+count*points, got.Points, about)
					assert.Len(t, entries(t, users.New(db.Direct, nil), id), count+cmp.Compare(before, 0), about)
				}
			}
		}
	}, userTables)
}
