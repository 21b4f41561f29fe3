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

// The documentation promises: "Call the method again with the same arguments to complete the change".
func TestBookAgainDoesNotComplete(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	b := booking("bk_1", days("2025-01-01", 150))
	h.crash(2)
	_, err := h.repo.Book(t.Context(), b)
	require.Error(t, err)
	_, err = h.repo.Book(t.Context(), b)
	require.NoError(t, err)
	assert.Empty(t, h.wrong(t))
}

func TestBlockWithDrawnIDAndKeyAgainDoesNotComplete(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	b := block("", days("2025-01-01", 150))
	_, err := h.repo.Block(t.Context(), b, dynastay.IdempotencyKey("k"))
	blame.Invalid(t, err, "BlockID")
	b.BlockID = "b"
	h.crash(2)
	_, err = h.repo.Block(t.Context(), b, dynastay.IdempotencyKey("k"))
	require.Error(t, err)
	for range 2 {
		_, err = h.repo.Block(t.Context(), b, dynastay.IdempotencyKey("k"))
		require.NoError(t, err)
		assert.Empty(t, h.wrong(t))
	}
}

func TestModifyIfVersionAgainDoesNotComplete(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Book(t.Context(), booking("bk_1", days("2025-01-01", 3)))
	require.NoError(t, err)
	h.crash(2)
	_, err = h.repo.Modify(t.Context(), lst, "BOOKING#bk_1", days("2025-01-01", 150), dynastay.IfVersion(1))
	require.Error(t, err)
	_, err = h.repo.Modify(t.Context(), lst, "BOOKING#bk_1", days("2025-01-01", 150), dynastay.IfVersion(1))
	assert.NoError(t, err)
	assert.Empty(t, h.wrong(t))
}

// Modify to T1 is broken off; Delete must "free all nights of the event".
func TestDeleteOfMovingEventLeaksNights(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Block(t.Context(), block("b", days("2025-01-01", 50)))
	require.NoError(t, err)
	h.crash(2)
	_, err = h.repo.Modify(t.Context(), lst, "BLOCK#b", days("2025-06-01", 150))
	require.Error(t, err)
	require.NoError(t, h.repo.Delete(t.Context(), lst, "BLOCK#b"))
	assert.Empty(t, h.wrong(t))
	assert.ErrorIs(t, h.repo.Delete(t.Context(), lst, "BLOCK#b"), dynastay.ErrNotFound)
}

// Modify to T1 is broken off; Modify to T2 must free what was taken for T1.
func TestModifyOfMovingEventLeaksNights(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Block(t.Context(), block("b", days("2025-01-01", 1)))
	require.NoError(t, err)
	h.crash(2)
	_, err = h.repo.Modify(t.Context(), lst, "BLOCK#b", days("2025-09-01", 150))
	require.Error(t, err)
	e, err := h.repo.Modify(t.Context(), lst, "BLOCK#b", days("2025-02-01", 100))
	require.NoError(t, err)
	assert.False(t, e.Moving)
	assert.Empty(t, h.wrong(t))
	require.NoError(t, h.repo.Delete(t.Context(), lst, "BLOCK#b"))
	assert.Empty(t, h.wrong(t), "after Delete")
}

// A long Modify is refused late; the undo has more than one transaction of nights to free.
func TestUndoOfModifyLeaksNights(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Block(t.Context(), block("b", days("2025-01-01", 1)))
	require.NoError(t, err)
	h.before("TransactWriteItems", 3, func(ctx context.Context) {
		_, err := h.other().Book(ctx, booking("bk_2", days("2025-10-20", 2)))
		assert.NoError(t, err)
	})
	_, err = h.repo.Modify(t.Context(), lst, "BLOCK#b", days("2025-02-01", 290))
	blame.As[*listing.Taken](t, err)
	t.Log(err)
	assert.Empty(t, h.wrong(t))
}

func TestLongBookHasVersionOne(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	e, err := h.repo.Book(t.Context(), booking("bk_1", days("2025-01-01", 150)))
	require.NoError(t, err)
	assert.Equal(t, 1, e.Version)
}

// A throttled long Book returns ErrThrottled, which means that nothing was written.
func TestThrottledLongBookLeavesNights(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Faults.Inject(dyntest.Throttle(), dyntest.When{Operation: "TransactWriteItems", Nth: 2, Times: 1000, Optional: true})
	_, err := h.repo.Book(t.Context(), booking("bk_1", days("2025-01-01", 150)))
	incomplete := blame.As[*listing.IncompleteError](t, err)
	require.ErrorIs(t, incomplete.Err, dynastay.ErrThrottled)
	assert.NotErrorIs(t, err, dynastay.ErrThrottled)
}

// Taken says "Nothing was written".
func TestTakenAfterUndoFailed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.before("TransactWriteItems", 2, func(ctx context.Context) {
		_, err := h.other().Block(ctx, block("x", days("2025-05-20", 1)))
		assert.NoError(t, err)
	})
	h.crash(3)
	_, err := h.repo.Book(t.Context(), booking("bk_1", days("2025-01-01", 150)))
	t.Log(err)
	var taken *listing.Taken
	assert.NotErrorAs(t, err, &taken)
	incomplete := blame.As[*listing.IncompleteError](t, err)
	assert.Equal(t, []string{lst, "BOOKING#bk_1"}, []string{incomplete.ListingID, incomplete.EventID})
	require.NoError(t, h.repo.Delete(t.Context(), lst, "BOOKING#bk_1"))
	assert.Empty(t, h.wrong(t))
}

// What the key has done cannot be read, so the refusal is not certain.
func TestLongBookWithKeyThatCannotBeRead(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	b, k := booking("bk_1", days("2025-01-01", 150)), dynastay.IdempotencyKey("k")
	h.before("TransactWriteItems", 1, func(ctx context.Context) {
		_, err := h.other().Book(ctx, b, k)
		assert.NoError(t, err)
		h.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "GetItem", Nth: 2})
	})
	_, err := h.repo.Book(t.Context(), b, k)
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	assert.NotErrorIs(t, err, dynastay.ErrAlreadyExists)
}

// The call has taken some nights, and nothing can be read any more.
func TestLongBookWithKeyThatIsIncomplete(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.crash(2)
	h.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "GetItem", Times: 20, Optional: true, Match: func(dyntest.Request) bool {
		return h.Faults.Count("TransactWriteItems") >= 2
	}})
	_, err := h.repo.Book(t.Context(), booking("bk_1", days("2025-01-01", 150)), dynastay.IdempotencyKey("k"))
	var incomplete *listing.IncompleteError
	assert.ErrorAs(t, err, &incomplete)
}

// The key of a long change is in its last transaction.
func TestLongModifyAndDeleteWithKey(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	made, err := h.repo.Book(t.Context(), booking("bk_1", days("2025-01-01", 3)))
	require.NoError(t, err)
	change, remove := dynastay.IdempotencyKey("change"), dynastay.IdempotencyKey("remove")
	for range 2 {
		got, err := h.repo.Modify(t.Context(), lst, made.ID, days("2025-01-01", 150), dynastay.IfVersion(made.Version), change)
		require.NoError(t, err)
		assert.Equal(t, days("2025-01-01", 150), got.Stay)
	}
	_, err = h.repo.Modify(t.Context(), lst, made.ID, days("2025-01-01", 151), change)
	require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	for range 2 {
		require.NoError(t, h.repo.Delete(t.Context(), lst, made.ID, remove))
	}
	assert.ErrorIs(t, h.repo.Delete(t.Context(), lst, made.ID), dynastay.ErrNotFound)
	assert.Empty(t, h.wrong(t))
}

func TestShortBookWithKeyIsRefusedOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.other().Block(t.Context(), block("x", days("2025-01-02", 1)))
	require.NoError(t, err)
	_, err = h.repo.Book(t.Context(), booking("bk_1", days("2025-01-01", 3)), dynastay.IdempotencyKey("k"))
	var taken *listing.Taken
	assert.ErrorAs(t, err, &taken)
	assert.Equal(t, 1, h.Faults.Count("TransactWriteItems"))
}
