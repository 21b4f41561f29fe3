package reviews_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/lists"
)

// What was not approved is shown to its author and to moderators, and to nobody else.
func TestPublicFindsApprovedReviewsOnly(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables))
	ctx, repo := t.Context(), open(h.DB.DB)
	public := repo.Public()
	shown, waits, rejected := h.approved(t, 80), h.review(t, 90), h.review(t, 70)
	_, err := repo.Reject(ctx, rejected.ID, rejected.Version, "rude")
	require.NoError(t, err)

	found, err := public.Get(ctx, shown.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, shown.ID, found.ID)
	with, err := public.WithResponses(ctx, lists.All(t, public.ByProperty(shown.PropertyID)))
	require.NoError(t, err)
	assert.Equal(t, []string{shown.ID}, ids(with))
	for _, hidden := range []string{waits.ID, rejected.ID, "none"} {
		found, err := public.Get(ctx, hidden, dynastay.Consistent)
		assert.ErrorIs(t, err, dynastay.ErrNotFound)
		assert.Nil(t, found)
	}
	for _, userID := range []string{shown.UserID, waits.UserID, rejected.UserID} {
		for _, v := range lists.All(t, public.ByUser(userID)) {
			assert.Equal(t, shown.ID, v.ID)
		}
		assert.NotEmpty(t, lists.All(t, repo.ByUser(userID)))
	}
}
