package reviews_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// The document's review and its response are adopted: the booking has no second one, it is not among those that are pending, and the
// response is among what its author wrote.
func TestAdoptRow(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	h := document(t)
	repo := open(h.DB.DB)
	for _, first := range []bool{true, false} {
		for _, item := range raw.All(t, h.DB, keys.ReviewsTable) {
			row := dynastay.RowOf(item)
			adopted, err := repo.AdoptRow(ctx, row)
			require.NoError(t, err)
			assert.Equal(t, first && row.Text("PK") == "REVIEW#rev_999", adopted, row.Text("SK"))
		}
	}
	guard, err := keys.Of(keys.BookingReviewGuard{BookingID: "bkg_12345"})
	require.NoError(t, err)
	assert.NotEmpty(t, raw.Get(t, h.DB, keys.ReviewsTable, guard))
	response, err := keys.Of(keys.Response{ReviewID: "rev_999"})
	require.NoError(t, err)
	assert.Equal(t, dynastay.Text("USER#user_789"), raw.Get(t, h.DB, keys.ReviewsTable, response)["GSI2PK"])
	pending, err := repo.Pending().Page(ctx, dynastay.Paging{})
	require.NoError(t, err)
	assert.Empty(t, pending.Items)
	got, err := repo.Get(ctx, "rev_999")
	require.NoError(t, err)
	want := documentReview()
	want.Response = got.Response
	assert.Equal(t, want, got)
}
