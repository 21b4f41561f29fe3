package listing_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// A booking and a block are made, moved and deleted, and a reservation is imported.
func TestEvents(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ctx := t.Context()
	e, err := h.repo.Book(ctx, booking("bk_1", nights("2025-01-10", "2025-01-13")))
	require.NoError(t, err)
	assert.Equal(t, "BOOKING#bk_1", e.ID)
	assert.Equal(t, 1, e.Version)
	_, err = h.repo.Book(ctx, booking("bk_1", nights("2025-01-10", "2025-01-13")))
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	_, err = h.repo.Block(ctx, block("", nights("2025-01-12", "2025-01-15")))
	taken := blame.As[*listing.Taken](t, err)
	assert.EqualError(t, err, "lst_123abc is not available: 2025-01-12 by BOOKING#bk_1 (LOCALSTAYS)")
	_, err = h.repo.Block(ctx, block("b1", nights("2025-01-13", "2025-01-15")))
	require.NoError(t, err)
	_, err = h.repo.Modify(ctx, lst, "BOOKING#bk_1", nights("2025-01-09", "2025-01-12"))
	require.NoError(t, err)
	assert.Equal(t, []string{"2025-01-09 to 2025-01-11 BOOKING#bk_1", "2025-01-13 to 2025-01-14 BLOCK#b1"}, h.runs(t))
	_, err = h.repo.Modify(ctx, lst, "BOOKING#bk_1", nights("2025-01-09", "2025-01-14"))
	require.ErrorAs(t, err, &taken)
	require.NoError(t, h.repo.Delete(ctx, lst, "BLOCK#b1"))
	require.ErrorIs(t, h.repo.Delete(ctx, lst, "BLOCK#b1"), dynastay.ErrNotFound)
	got, err := h.repo.Import(ctx, reservation("BC1", 5, nights("2025-02-01", "2025-02-04")))
	require.NoError(t, err)
	assert.Equal(t, listing.Created, got.Outcome)
	for _, step := range []struct {
		d    listing.Reservation
		want listing.Outcome
	}{
		{reservation("BC1", 5, nights("2025-02-01", "2025-02-04")), listing.Repeated},
		{reservation("BC1", 4, nights("2025-02-01", "2025-02-05")), listing.Outdated},
		{reservation("BC1", 6, nights("2025-02-02", "2025-02-06")), listing.Changed},
		{reservation("BC1", 7, nights("2025-02-02", "2025-02-06")), listing.Unchanged},
		{cancelled(reservation("BC1", 8, nights("2025-02-02", "2025-02-06"))), listing.Cancelled},
		{cancelled(reservation("BC1", 9, nights("2025-02-02", "2025-02-06"))), listing.Unchanged},
		{reservation("BC1", 9, nights("2025-02-02", "2025-02-06")), listing.Outdated},
		{reservation("BC1", 10, nights("2025-02-02", "2025-02-06")), listing.Created},
		{cancelled(reservation("BC2", 1, nights("2025-02-02", "2025-02-06"))), listing.Cancelled},
	} {
		now, err := h.repo.Import(ctx, step.d)
		require.NoError(t, err)
		assert.Equal(t, step.want, now.Outcome)
		h.held(t)
	}
	long, err := h.repo.Block(ctx, block("long", nights("2025-03-01", "2026-02-01")))
	require.NoError(t, err)
	assert.Equal(t, 337, long.Stay.Nights())
	t.Log(h.runs(t))
	_, err = h.repo.Modify(ctx, lst, "BLOCK#long", nights("2025-02-05", "2025-09-01"))
	require.ErrorAs(t, err, &taken)
	t.Log(err, h.runs(t))
	_, err = h.repo.Modify(ctx, lst, "BLOCK#long", nights("2025-02-06", "2025-09-01"))
	require.NoError(t, err)
	t.Log(h.runs(t))
	require.NoError(t, h.repo.Delete(ctx, lst, "BLOCK#long"))
	t.Log(h.runs(t))
}
