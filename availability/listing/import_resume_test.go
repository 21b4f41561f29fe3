package listing_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
)

func TestCancellationAfterABrokenOffImport(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.crash(2)
	_, err := h.repo.Import(t.Context(), reservation("BC1", 1, days("2025-01-01", 150)))
	require.Error(t, err)
	got, err := h.repo.Import(t.Context(), cancelled(reservation("BC1", 2, dynastay.Stay{})))
	require.NoError(t, err)
	assert.Equal(t, listing.Cancelled, got.Outcome)
	assert.Empty(t, h.wrong(t))
}

func TestOtherDatesAfterABrokenOffImport(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.crash(2)
	_, err := h.repo.Import(t.Context(), reservation("BC1", 1, days("2025-01-01", 150)))
	require.Error(t, err)
	_, err = h.repo.Import(t.Context(), reservation("BC1", 2, days("2025-08-01", 3)))
	require.NoError(t, err)
	assert.Empty(t, h.wrong(t))
}

func TestShortRevisionAfterABrokenOffImportWithBookingID(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	d := reservation("BC1", 1, days("2025-01-01", 150))
	d.BookingID = "bk_7"
	h.crash(2)
	_, err := h.repo.Import(t.Context(), d)
	require.Error(t, err)
	d.Revision, d.Stay = 2, days("2025-01-01", 3)
	_, err = h.repo.Import(t.Context(), d)
	assert.NoError(t, err)
	assert.Empty(t, h.wrong(t))
}

// A long import has moved its nights and was broken off before it has recorded its revision. The next revision has the
// dates from before: it is not unchanged, because it moves the nights back.
func TestRevisionAfterAnImportThatWasNotRecorded(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	was := days("2025-01-01", 150)
	_, err := h.repo.Import(t.Context(), delivered(1, 1, was))
	require.NoError(t, err)
	h.crash(2)
	_, err = h.repo.Import(t.Context(), delivered(1, 2, days("2025-08-01", 97)))
	require.Error(t, err)
	got, err := h.repo.Import(t.Context(), delivered(1, 1, was))
	require.NoError(t, err)
	assert.Equal(t, listing.Repeated, got.Outcome)
	assert.Len(t, h.held(t), 97, "it is completed")
	got, err = h.repo.Import(t.Context(), delivered(1, 3, was))
	require.NoError(t, err)
	assert.Equal(t, listing.Changed, got.Outcome)
	assert.Len(t, h.held(t), 150)
}
