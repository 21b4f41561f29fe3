package listing_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
)

func TestAdoptingImportWithKeyAgain(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.foreign(t, bc1, nights("2025-02-01", "2025-02-04"))
	d := reservation("BC1", 1, nights("2025-02-01", "2025-02-04"))
	_, err := h.repo.Import(t.Context(), d, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	_, err = h.repo.Import(t.Context(), d, dynastay.IdempotencyKey("k"))
	assert.NoError(t, err)
}

func TestExternalIDWithASpace(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Import(t.Context(), reservation("BC1 ", 1, nights("2025-02-01", "2025-02-04")))
	require.NoError(t, err)
	_, err = h.repo.Import(t.Context(), reservation("BC1", 2, nights("2025-02-01", "2025-02-05")))
	assert.NoError(t, err)
}

func TestReplayOfAnOutdatedDeliveryIsRepeated(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Import(t.Context(), reservation("BC1", 5, nights("2025-02-01", "2025-02-04")))
	require.NoError(t, err)
	for range 2 {
		got, err := h.repo.Import(t.Context(), reservation("BC1", 4, nights("2025-02-01", "2025-02-03")), dynastay.IdempotencyKey("k"))
		require.NoError(t, err)
		assert.Equal(t, listing.Outdated, got.Outcome)
	}
}
