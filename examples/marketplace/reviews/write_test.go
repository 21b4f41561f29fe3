package reviews_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
)

func TestReviewsOfAProjectAndOfAnOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	project, order := s.completed(), s.delivered()
	made, err := s.repo.Create(ctx, about(project, 5))
	require.NoError(t, err)
	assert.Equal(t, "Mr user_buyer", made.ReviewerName)
	assert.Equal(t, people.Worker, made.RevieweeRole)
	assert.Equal(t, "5.0 of 1, 5 stars", s.score(worker))
	_, err = s.repo.Create(ctx, about(project, 1))
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	assert.Equal(t, "5.0 of 1, 5 stars", s.score(worker))

	for reviewee, v := range map[string]reviews.Review{
		buyer:  {ProjectID: project, ReviewerID: worker, RevieweeID: buyer, Rating: 4},
		seller: {OrderID: order, ReviewerID: buyer, RevieweeID: seller, Rating: 3},
	} {
		made, err := s.repo.Create(ctx, v)
		require.NoError(t, err)
		read, err := s.repo.Review(ctx, made.Key())
		require.NoError(t, err)
		assert.Equal(t, made, read)
		assert.Equal(t, []*reviews.Review{read}, s.received(reviewee))
	}
	made, err = s.repo.Create(ctx, reviews.Review{OrderID: order, ReviewerID: seller, RevieweeID: buyer, Rating: 1})
	require.NoError(t, err)
	assert.Equal(t, "Bricks", made.ReviewerName)
	assert.Equal(t, "2.5 of 2, 5 stars", s.score(buyer))
	assert.Equal(t, "3.0 of 1, 3 stars", s.score(seller))

	k := reviews.Key{RevieweeID: buyer, AboutID: order, ReviewerID: seller}
	changed, err := s.repo.Update(ctx, k, func(v *reviews.Review) error { v.Rating, v.Comment = 5, "Sorry"; return nil }, dynastay.IfVersion(1))
	require.NoError(t, err)
	assert.Equal(t, 2, changed.Version)
	assert.Equal(t, "4.5 of 2, 9 stars", s.score(buyer))
	_, err = s.repo.Update(ctx, k, func(v *reviews.Review) error { v.Comment = "Thanks"; return nil })
	require.NoError(t, err)
	assert.Equal(t, "4.5 of 2, 9 stars", s.score(buyer))
	_, err = s.repo.Update(ctx, k, func(v *reviews.Review) error { v.RevieweeID = worker; return nil })
	require.ErrorIs(t, err, dynastay.ErrInvalid)
	require.NoError(t, s.repo.Delete(ctx, k))
	assert.Equal(t, "4.0 of 1, 4 stars", s.score(buyer))
	require.ErrorIs(t, s.repo.Delete(ctx, k), dynastay.ErrNotFound)
	_, err = s.repo.Update(ctx, k, func(*reviews.Review) error { return nil })
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	require.NoError(t, s.repo.Delete(ctx, reviews.Key{RevieweeID: buyer, AboutID: project, ReviewerID: worker}))
	assert.Equal(t, "0.0 of 0, 0 stars", s.score(buyer))
}
