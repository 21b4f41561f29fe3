package reviews_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
)

// A call that is repeated with its idempotency key does nothing more, whatever has happened since.
func TestReplays(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	v := about(s.completed(), 5)
	create, change, remove := dynastay.IdempotencyKey("create"), dynastay.IdempotencyKey("change"), dynastay.IdempotencyKey("remove")
	made, err := s.repo.Create(ctx, v, create)
	require.NoError(t, err)
	assert.NotEmpty(t, made.WriteID)
	update := func() (*reviews.Review, error) {
		op := s.repo.UpdateOp(v.Key(), stars(4), dynastay.AgreedOn("4"))
		return dynastay.Do(ctx, s.DB.DB, op, change)
	}
	changed, err := update()
	require.NoError(t, err)
	assert.Equal(t, "4.0 of 1, 4 stars", s.score(worker))

	for _, again := range []func() (*reviews.Review, error){
		func() (*reviews.Review, error) { return s.open().Create(ctx, v, create) }, update,
	} {
		got, err := again()
		require.NoError(t, err)
		want := *changed
		want.WriteID = "" // of this call there is none
		assert.Equal(t, want, *got)
		assert.Equal(t, "4.0 of 1, 4 stars", s.score(worker))
	}
	for name, other := range map[string]func(v *reviews.Review){
		"the rating": func(v *reviews.Review) { v.Rating = 4 }, "the comment": func(v *reviews.Review) { v.Comment = "" },
		"an aspect": func(v *reviews.Review) { v.Aspects.Quality = 1 }, "the id": func(v *reviews.Review) { v.ID = "rev_mine" },
		"the project":  func(v *reviews.Review) { v.ProjectID = "p" },
		"the parties":  func(v *reviews.Review) { v.ReviewerID, v.RevieweeID = v.RevieweeID, v.ReviewerID },
		"an order's":   func(v *reviews.Review) { v.OrderID, v.ProjectID = v.ProjectID, "" },
		"the reviewer": func(v *reviews.Review) { v.ReviewerID = seller },
	} {
		v := v
		other(&v)
		_, err := s.repo.Create(ctx, v, create)
		require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, name)
	}
	named := v
	named.ReviewerName, named.RevieweeRole, named.Version = "Somebody", "SELLER", 9
	got, err := s.repo.Create(ctx, named, create)
	require.NoError(t, err, "what the library sets is not part of the input")
	assert.Equal(t, "Mr "+buyer, got.ReviewerName)

	require.NoError(t, s.repo.Delete(ctx, v.Key(), remove))
	_, err = s.repo.Create(ctx, v)
	require.NoError(t, err)
	require.NoError(t, s.open().Delete(ctx, v.Key(), remove))
	assert.Equal(t, "5.0 of 1, 5 stars", s.score(worker))
	assert.Len(t, s.received(worker), 1)
	require.ErrorIs(t, s.repo.Delete(ctx, reviews.Key{RevieweeID: worker, AboutID: "p", ReviewerID: buyer}, remove), dynastay.ErrIdempotencyMismatch)
}
