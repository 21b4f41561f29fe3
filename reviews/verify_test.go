package reviews_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// The document's review is found as not adopted, and mended; then the guard of its booking, which somebody has given to no review.
func TestVerifyRow(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	h := document(t)
	repo := open(h.DB.DB)
	verify := func() (all []string) {
		for _, item := range raw.All(t, h.DB, keys.ReviewsTable) {
			if _, err := repo.VerifyRow(ctx, dynastay.RowOf(item)); err != nil {
				all = append(all, err.Error())
			}
		}
		return all
	}
	mend := func() {
		for _, item := range raw.All(t, h.DB, keys.ReviewsTable) {
			_, err := repo.MendRow(ctx, dynastay.RowOf(item))
			require.NoError(t, err)
		}
	}
	found := verify()
	require.Len(t, found, 2)
	slices.Sort(found)
	assert.Contains(t, found[0], "Review rev_999: it has not been adopted; not as they follow from the item: ")
	assert.Contains(t, found[1], "ReviewResponse rev_999: it has not been adopted; not as they follow from the item: ")
	mend()
	assert.Empty(t, verify())

	guard, err := keys.Of(keys.BookingReviewGuard{BookingID: "bkg_12345"})
	require.NoError(t, err)
	raw.Set(t, h.DB, keys.ReviewsTable, guard, dynastay.Text("rev_0"), "ReviewId")
	assert.ElementsMatch(t, []string{
		"Review rev_999: without a guard of its own: BookingID", "Review rev_0: it does not have the value of the guard BOOKING#bkg_12345/REVIEW",
	}, verify())
	raw.Delete(t, h.DB, keys.ReviewsTable, guard)
	mend()
	assert.Empty(t, verify())

	require.NoError(t, repo.Vote(ctx, "rev_999", "user_1"))
	assert.Empty(t, verify())
	vote, err := keys.Of(keys.Vote{ReviewID: "rev_999", UserID: "user_1"})
	require.NoError(t, err)
	raw.Set(t, h.DB, keys.ReviewsTable, vote, dynastay.Text("USER#user_2"), "GSI2PK")
	found = verify()
	require.Len(t, found, 1)
	assert.Contains(t, found[0], "not as they follow from the item: GSI2PK")
	mend()
	assert.Empty(t, verify())
}
