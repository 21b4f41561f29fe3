package reviews_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/streamtest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/reviews"
)

// streamed returns a house in tables with streams. The clock stands still until advanced.
func streamed(t *testing.T) *house {
	t.Helper()
	tables := streamtest.Tables(keys.ReviewsTable, keys.PropertiesTable, keys.BookingsTable, keys.MetadataTable)
	return newHouse(t, dyntest.New(t, append(tables, dyntest.At(noon), dyntest.With(dynastay.Options{IndexLag: 1}))...))
}

// Every change of a review, its response and its votes is decoded as the repository returned it.
func TestChanges(t *testing.T) {
	t.Parallel()
	ctx, h := t.Context(), streamed(t)
	repo := open(h.DB.DB)
	was := func(err error) {
		t.Helper()
		require.NoError(t, err)
		h.Clock.Advance(time.Minute) // every change has times of its own
	}
	var states []*reviews.Review
	now := func() { // adds the review without its response
		t.Helper()
		v, err := repo.Get(ctx, states[0].ID, dynastay.Consistent)
		require.NoError(t, err)
		v.Response = nil
		states = append(states, v)
	}

	created, err := repo.Create(ctx, h.guest(t))
	was(err)
	id := created.ID
	updated, err := repo.Update(ctx, id, func(v *reviews.Review) error { v.Ratings.Staff, v.Title = 75, "Good"; return nil })
	was(err)
	approved, err := repo.Approve(ctx, id, updated.Version)
	was(err)
	states = append(states, created, updated, approved)

	votedAt := []time.Time{h.Clock.Now()}
	was(repo.Vote(ctx, id, "user_1"))
	now()
	was(repo.Unvote(ctx, id, "user_1"))
	now()
	votedAt = append(votedAt, h.Clock.Now())
	was(repo.Vote(ctx, id, "user_1"))
	now()
	require.Equal(t, []int{0, 1, 0, 1}, []int{states[2].HelpfulCount, states[3].HelpfulCount, states[4].HelpfulCount, states[5].HelpfulCount})

	answered, err := repo.Respond(ctx, reviews.Response{ReviewID: id, ResponderID: "user_host", Text: "Thank you!"})
	was(err)
	reworded, err := repo.UpdateResponse(ctx, id, func(v *reviews.Response) error { v.Text = "Thanks!"; return nil })
	was(err)
	was(repo.DeleteResponse(ctx, id))
	again, err := repo.Respond(ctx, reviews.Response{ReviewID: id, ResponderID: "user_host", Text: "Welcome back!"})
	was(err)

	// A deletion rejects the review first, and then counts the votes that it deletes.
	hidden := *states[5]
	hidden.Status = reviews.Rejected
	uncounted := hidden
	uncounted.HelpfulCount = 0
	was(repo.Delete(ctx, id))

	changes := repo.Changes()
	assert.Equal(t, map[string][]*reviews.Review{
		"REVIEW#" + id + "/METADATA": append(states, &hidden, &uncounted, nil),
	}, streamtest.Histories(t, h.DB, keys.ReviewsTable, changes.Reviews))
	assert.Equal(t, map[string][]*reviews.Response{
		"REVIEW#" + id + "/RESPONSE": {answered, reworded, nil, again, nil},
	}, streamtest.Histories(t, h.DB, keys.ReviewsTable, changes.Responses))
	assert.Equal(t, map[string][]*reviews.Vote{
		"REVIEW#" + id + "/VOTE#user_1": {
			{ReviewID: id, UserID: "user_1", CreatedAt: votedAt[0]}, nil,
			{ReviewID: id, UserID: "user_1", CreatedAt: votedAt[1]}, nil,
		},
	}, streamtest.Histories(t, h.DB, keys.ReviewsTable, changes.Votes))
}

// The hotel-booking document's items are decoded unchanged, and so is what the repository makes of them.
func TestChangesOfTheDocument(t *testing.T) {
	t.Parallel()
	ctx, h := t.Context(), streamed(t)
	repo := open(h.DB.DB)
	raw.Put(t, h.DB, keys.ReviewsTable, raw.Document(t, "testdata/review.json"))
	raw.Put(t, h.DB, keys.ReviewsTable, raw.Document(t, "testdata/response.json"))
	raw.Put(t, h.DB, keys.PropertiesTable, raw.Document(t, "../properties/testdata/property.json"))
	rejected, err := repo.Reject(ctx, "rev_999", 0, "no longer true")
	require.NoError(t, err)
	reworded, err := repo.UpdateResponse(ctx, "rev_999", func(v *reviews.Response) error { v.Text = "Thanks!"; return nil })
	require.NoError(t, err)

	changes := repo.Changes()
	assert.Equal(t, map[string][]*reviews.Review{
		"REVIEW#rev_999/METADATA": {documentReview(), rejected},
	}, streamtest.Histories(t, h.DB, keys.ReviewsTable, changes.Reviews))
	assert.Equal(t, map[string][]*reviews.Response{
		"REVIEW#rev_999/RESPONSE": {documentResponse(), reworded},
	}, streamtest.Histories(t, h.DB, keys.ReviewsTable, changes.Responses))
}
