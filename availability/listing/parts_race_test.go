package listing_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// While a refused Book of many nights is about to be undone, another process completes the same booking.
func TestUndoDeletesABookingThatAnotherProcessCompleted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	b := booking("bk_1", days("2025-01-01", 150))
	h.before("TransactWriteItems", 2, func(ctx context.Context) {
		_, err := h.other().Block(ctx, block("x", days("2025-05-20", 1)))
		assert.NoError(t, err)
	})
	reads := 0
	armed := false
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		if reads++; reads != 1 { // before the event is read to undo the change
			return
		}
		assert.NoError(t, h.other().Delete(ctx, lst, "BLOCK#x"))
		e, err := listing.New(h.Direct).Modify(ctx, lst, "BOOKING#bk_1", b.Stay)
		assert.NoError(t, err)
		assert.False(t, e.Moving)
		t.Log("another process was told:", e.ID, e.Stay)
	}), dyntest.When{Operation: "GetItem", Times: 20, Optional: true, Match: func(dyntest.Request) bool {
		armed = armed || h.Faults.Count("TransactWriteItems") >= 2
		return armed
	}})
	_, err := h.repo.Book(t.Context(), b)
	t.Log("Book:", err, "reads:", reads)
	e, err := h.other().Get(t.Context(), lst, "BOOKING#bk_1", dynastay.Consistent)
	require.NoError(t, err)
	assert.False(t, e.Moving)
	assert.Empty(t, h.wrong(t))
}

// The same for Modify: the undo moves back what another caller was told.
func TestUndoRevertsAModifyOfAnotherProcess(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Block(t.Context(), block("b", days("2025-01-01", 2)))
	require.NoError(t, err)
	h.before("TransactWriteItems", 2, func(ctx context.Context) {
		_, err := h.other().Block(ctx, block("x", days("2025-06-20", 1)))
		assert.NoError(t, err)
	})
	reads, armed := 0, false
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		if reads++; reads != 1 {
			return
		}
		e, err := h.other().Modify(ctx, lst, "BLOCK#b", days("2025-11-01", 5))
		assert.NoError(t, err)
		t.Log("another process was told:", e.Stay, e.Moving)
	}), dyntest.When{Operation: "GetItem", Times: 20, Optional: true, Match: func(dyntest.Request) bool {
		armed = armed || h.Faults.Count("TransactWriteItems") >= 3
		return armed
	}})
	_, err = h.repo.Modify(t.Context(), lst, "BLOCK#b", days("2025-02-01", 150))
	t.Log("Modify:", err, "reads:", reads)
	e, err := h.other().Get(t.Context(), lst, "BLOCK#b", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, days("2025-11-01", 5), e.Stay)
	assert.Empty(t, h.wrong(t))
}

// IfVersion and a change that another caller was told in between.
func TestLongModifyIfVersionOverwritesALaterChange(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Block(t.Context(), block("b", days("2025-01-01", 2)))
	require.NoError(t, err)
	h.before("TransactWriteItems", 2, func(ctx context.Context) { // before the last part
		e, err := h.other().Modify(ctx, lst, "BLOCK#b", days("2025-11-01", 5))
		assert.NoError(t, err)
		t.Log("another process was told:", e.Stay, "version", e.Version)
	})
	e, err := h.repo.Modify(t.Context(), lst, "BLOCK#b", days("2025-02-01", 96), dynastay.IfVersion(1))
	t.Log("Modify:", e, err)
	require.Error(t, err)
}

func TestLongDeleteOrMissingOvertaken(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Block(t.Context(), block("b", days("2025-01-01", 150)))
	require.NoError(t, err)
	h.before("TransactWriteItems", 2, func(ctx context.Context) {
		assert.NoError(t, h.other().Delete(ctx, lst, "BLOCK#b"))
	})
	assert.NoError(t, h.repo.Delete(t.Context(), lst, "BLOCK#b", dynastay.OrMissing()))
}

// Two calls with one key book a long stay at the same time: the later one gets the event, whatever has become of it.
func TestLongBookWithKeyTwiceAtOnce(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]func(*listing.Repository) error{
		"booked": func(*listing.Repository) error { return nil },
		"booked and deleted, and the nights are taken": func(r *listing.Repository) error {
			if err := r.Delete(t.Context(), lst, "BOOKING#bk_1"); err != nil {
				return err
			}
			_, err := r.Book(t.Context(), booking("bk_2", days("2025-01-01", 3)))
			return err
		},
	} {
		h := newHome(t)
		b, k := booking("bk_1", days("2025-01-01", 150)), dynastay.IdempotencyKey("k")
		h.before("TransactWriteItems", 1, func(ctx context.Context) {
			_, err := h.other().Book(ctx, b, k)
			assert.NoError(t, err, name)
			assert.NoError(t, then(h.other()), name)
		})
		e, err := h.repo.Book(t.Context(), b, k)
		require.NoError(t, err, name)
		assert.Equal(t, "BOOKING#bk_1", e.ID, name)
		assert.Empty(t, h.wrong(t), name)
	}
}

// The same call in another process takes the first nights after this one has found no event, and before it looks for
// nights of one.
func TestLongBookThatAnotherOneBegins(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	b := booking("bk_1", days("2025-01-01", 150))
	h.before("Query", 2, func(ctx context.Context) { // 1 is for nights of other events
		h.crash(2)
		_, err := listing.New(h.Open(nil)).Book(ctx, b)
		var incomplete *listing.IncompleteError
		assert.ErrorAs(t, err, &incomplete)
	})
	_, err := h.repo.Book(t.Context(), b)
	require.NoError(t, err)
	assert.Empty(t, h.wrong(t))
}

// Between two transactions that free nights, another caller completes the change, to make one of its own. The first
// caller must not be told that nothing was written.
func TestLongModifyThatAnotherCallerCompletes(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]dynastay.Stay{"and is refused": days("2025-09-01", 2), "and moves it on": days("2025-08-01", 2)} {
		h := newHome(t)
		_, err := h.repo.Block(t.Context(), block("b", days("2025-01-01", 150)))
		require.NoError(t, err)
		_, err = h.repo.Block(t.Context(), block("x", days("2025-09-02", 1)))
		require.NoError(t, err)
		h.before("TransactWriteItems", 2, func(ctx context.Context) {
			_, _ = h.other().Modify(ctx, lst, "BLOCK#b", to)
		})
		_, err = h.repo.Modify(t.Context(), lst, "BLOCK#b", days("2025-01-01", 1))
		assert.NotErrorIs(t, err, dynastay.ErrContention, name)
		var incomplete *listing.IncompleteError
		assert.ErrorAs(t, err, &incomplete, name)
		assert.Empty(t, h.wrong(t), name)
	}
}

// The same, but the other caller undoes the change, so nothing was written.
func TestLongModifyThatAnotherCallerUndoes(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Block(t.Context(), block("b", days("2025-01-01", 2)))
	require.NoError(t, err)
	_, err = h.repo.Block(t.Context(), block("x", days("2025-09-02", 1)))
	require.NoError(t, err)
	h.before("TransactWriteItems", 2, func(ctx context.Context) {
		_, err := h.other().Modify(ctx, lst, "BLOCK#b", days("2025-09-01", 2))
		assert.Error(t, err)
	})
	_, err = h.repo.Modify(t.Context(), lst, "BLOCK#b", days("2025-02-01", 150))
	assert.ErrorIs(t, err, dynastay.ErrContention)
	assert.Empty(t, h.wrong(t))
}

// A long Book that meets others again and again has taken nights all the same.
func TestContendedLongBookLeavesNights(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Faults.Inject(dyntest.Conflict(), dyntest.When{Operation: "TransactWriteItems", Nth: 2, Times: 1000, Optional: true})
	_, err := h.repo.Book(t.Context(), booking("bk_1", days("2025-01-01", 150)))
	incomplete := blame.As[*listing.IncompleteError](t, err)
	require.ErrorIs(t, incomplete.Err, dynastay.ErrContention)
}
