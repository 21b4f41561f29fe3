package tracker_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// left returns the keys of all items that are about the user, or about the values that only one user may have.
func (h *home) left() (keys []string) {
	h.t.Helper()
	for _, partition := range []string{"USER#" + user, "SYNC#" + user, "EMAIL#ana@example.com", "AUTH#apple#000123.abc"} {
		rows, err := dynastay.QueryAll(h.context(), h.Direct, table, dynastay.Query{Name: "left", Partition: partition, Consistent: true})
		require.NoError(h.t, err)
		for _, row := range rows {
			keys = append(keys, table.Key.From(row).String())
		}
	}
	return keys
}

// used is a user with something of everything.
func used(t *testing.T) *home {
	h := newHome(t)
	h.marks(3)
	h.one("tablet", ask, h.conflicting())
	_, err := h.repo.Statistics(t.Context(), user)
	require.NoError(t, err)
	return h
}

func TestEraseLeavesTheHeadAlone(t *testing.T) {
	t.Parallel()
	h := used(t)
	require.NoError(t, h.repo.Erase(t.Context(), user))
	assert.Equal(t, []string{"SYNC#user_1/HEAD"}, h.left())
	row, err := h.Direct.Get(t.Context(), table, dynastay.Key{PK: "SYNC#" + user, SK: "HEAD"}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "2037-11-10T09:00:00Z", row.Text("erased_at"))
	h.Clock.Advance(time.Hour)
	require.NoError(t, h.repo.Erase(t.Context(), user), "once more")
	again, err := h.Direct.Get(t.Context(), table, dynastay.Key{PK: "SYNC#" + user, SK: "HEAD"}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, row, again, "a further call does nothing")

	_, err = h.repo.Push(t.Context(), tracker.Push{UserID: user, DeviceID: "phone", Operations: []tracker.Operation{
		h.op(tracker.Create, italy, 0, tracker.VisitEdit{}),
	}})
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = h.repo.Snapshot(t.Context(), user)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = h.repo.Statistics(t.Context(), user)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = h.repo.Recount(t.Context(), user)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = h.repo.Settle(t.Context(), user, "op1", tracker.ClientWins)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = h.repo.SignUp(t.Context(), tracker.Profile{ID: user, AuthProvider: "apple", AuthProviderID: "9"})
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists, "the id is not used again")
	_, err = h.repo.SignUp(t.Context(), tracker.Profile{AuthProvider: "apple", AuthProviderID: "000123.abc", Email: "ana@example.com"})
	require.NoError(t, err, "the person may come back")
	require.ErrorIs(t, h.repo.Erase(t.Context(), "nobody"), dynastay.ErrNotFound)
}

// An erasure that is broken off at any request, before or after it was carried out, is completed by the next one.
func TestEraseIsResumable(t *testing.T) {
	t.Parallel()
	for nth, done := 1, false; !done; nth++ {
		for _, fault := range []dyntest.Fault{dyntest.Fail("AccessDeniedException"), dyntest.LoseAnswer()} {
			h := used(t)
			injection := h.Faults.Inject(fault, dyntest.When{Nth: nth, Optional: true})
			err := h.repo.Erase(t.Context(), user)
			done = injection.Hits() == 0
			injection.Stop()
			for range 3 {
				if err != nil {
					err = h.repo.Erase(t.Context(), user)
				}
			}
			require.NoError(t, err)
			require.Equal(t, []string{"SYNC#user_1/HEAD"}, h.left(), "broken off at request %d", nth)
		}
		require.Less(t, nth, 30)
	}
}

// Devices push, statistics are calculated, and edits are settled, while the user is erased: nothing comes back.
func TestEraseWhileDevicesPush(t *testing.T) {
	t.Parallel()
	h := used(t)
	h.Faults.Conflicts(time.Millisecond)
	opts := &dynastay.Options{Clock: h.Clock.Now, Retry: dynastay.Retry{Attempts: 300}}
	var all sync.WaitGroup
	try := func(call func(*tracker.Repository) error) {
		repo := tracker.New(h.Open(opts), nil)
		all.Go(func() {
			for {
				if err := call(repo); err != nil {
					assert.ErrorIs(t, err, dynastay.ErrNotFound)
					return
				}
			}
		})
	}
	for _, device := range []string{"phone", "tablet"} {
		n := 0
		try(func(repo *tracker.Repository) error {
			n++
			_, err := repo.Push(t.Context(), tracker.Push{UserID: user, DeviceID: device, Rule: tracker.ClientWins, Operations: []tracker.Operation{{
				ID: device + time.Duration(n).String(), Type: tracker.Create, Visit: italy, ClientTime: base,
			}}})
			return err
		})
	}
	try(func(repo *tracker.Repository) error {
		_, err := repo.CalculateStatistics(t.Context(), user)
		return err
	})
	erase := tracker.New(h.Open(opts), nil)
	require.NoError(t, erase.Erase(t.Context(), user))
	all.Wait()
	require.NoError(t, erase.Erase(t.Context(), user), "what was in flight")
	assert.Equal(t, []string{"SYNC#user_1/HEAD"}, h.left())
}

// An operation that is to wait takes no number of the log. It is not written either once the log is marked, whether the
// log was there before or not.
func TestEraseBeforeAnOperationWaits(t *testing.T) {
	t.Parallel()
	for _, logged := range []bool{true, false} {
		db, repo := other(t)
		push := func(o tracker.Operation) ([]tracker.Result, error) {
			o.ClientTime = base
			return repo.Push(t.Context(), tracker.Push{UserID: "u9", DeviceID: "tablet", Rule: ask, Operations: []tracker.Operation{o}})
		}
		if logged {
			_, err := push(tracker.Operation{ID: "n1", Type: tracker.Create, Visit: italy})
			require.NoError(t, err)
		}
		db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
			assert.NoError(t, tracker.New(db.Direct, nil).Erase(ctx, "u9"))
		}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		_, err := push(tracker.Operation{
			ID: "n2", Type: tracker.Update, Visit: oldVisitID, ClientVersion: 2, Place: tracker.VisitEdit{Notes: of("Milan")},
		})
		require.ErrorIs(t, err, dynastay.ErrNotFound)
		rows, err := dynastay.QueryAll(t.Context(), db.Direct, table, dynastay.Query{Name: "left", Partition: "SYNC#u9", Consistent: true})
		require.NoError(t, err)
		assert.Len(t, rows, 1, "the head; logged: %t", logged)
	}
}

// As soon as the log is marked, no operation is applied any more, although the profile is still there.
func TestAPushWhileAnErasureIsBrokenOff(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Nth: 3})
	require.ErrorIs(t, h.repo.Erase(t.Context(), user), dynastay.ErrRejected)
	_, err := h.repo.Profile(t.Context(), user)
	require.NoError(t, err)
	_, err = h.repo.Push(t.Context(), tracker.Push{UserID: user, DeviceID: "phone", Operations: []tracker.Operation{
		h.op(tracker.Create, italy, 0, tracker.VisitEdit{}),
	}})
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = h.repo.Snapshot(t.Context(), user)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
}
