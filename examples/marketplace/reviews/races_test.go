package reviews_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
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

// The answer to every kind of call is lost once. The call is made once all the same.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	v := about(s.completed(), 5)
	lose := func() {
		s.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	}
	lose()
	made, err := s.repo.Create(ctx, v)
	require.NoError(t, err)
	assert.Equal(t, 1, made.Version)
	lose()
	changed, err := s.repo.Update(ctx, v.Key(), stars(4))
	require.NoError(t, err)
	assert.Equal(t, 2, changed.Version)
	assert.Equal(t, "4.0 of 1, 4 stars", s.score(worker))
	lose()
	require.NoError(t, s.repo.Delete(ctx, v.Key()))
	assert.Equal(t, "0.0 of 0, 0 stars", s.score(worker))
}

// Another process does something else with the same review between the read and the write.
func TestReviewsThatAreOvertaken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	v := about(s.completed(), 5)
	meanwhile := func(do func(context.Context, *reviews.Repository) error) {
		s.Faults.Inject(dyntest.Before(func(ctx context.Context) { assert.NoError(t, do(ctx, s.open())) }), dyntest.When{Nth: 2})
	}
	create := func(ctx context.Context, repo *reviews.Repository) error { return first(repo.Create(ctx, v)) }
	remove := func(ctx context.Context, repo *reviews.Repository) error { return repo.Delete(ctx, v.Key()) }
	update := func(n int) func(context.Context, *reviews.Repository) error {
		return func(ctx context.Context, repo *reviews.Repository) error {
			return first(repo.Update(ctx, v.Key(), stars(n)))
		}
	}

	meanwhile(create)
	require.ErrorIs(t, create(ctx, s.repo), dynastay.ErrAlreadyExists)
	assert.Equal(t, "5.0 of 1, 5 stars", s.score(worker))

	meanwhile(update(1))
	read := []int{}
	changed, err := s.repo.Update(ctx, v.Key(), func(v *reviews.Review) error {
		read = append(read, v.Rating)
		v.Rating = 4
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []int{5, 1}, read)
	assert.Equal(t, 3, changed.Version)
	assert.Equal(t, "4.0 of 1, 4 stars", s.score(worker))

	// The comment changes neither the score nor what a deletion takes away, but the deletion is of the review as it is.
	meanwhile(func(ctx context.Context, repo *reviews.Repository) error {
		return first(repo.Update(ctx, v.Key(), func(v *reviews.Review) error { v.Comment = "Good"; return nil }))
	})
	require.NoError(t, remove(ctx, s.repo))
	assert.Equal(t, "0.0 of 0, 0 stars", s.score(worker))

	require.NoError(t, create(ctx, s.repo))
	meanwhile(update(2))
	require.NoError(t, remove(ctx, s.repo))
	assert.Equal(t, "0.0 of 0, 0 stars", s.score(worker))

	require.NoError(t, create(ctx, s.repo))
	meanwhile(remove)
	require.ErrorIs(t, update(3)(ctx, s.repo), dynastay.ErrNotFound)
	require.NoError(t, create(ctx, s.repo))
	meanwhile(remove)
	require.ErrorIs(t, remove(ctx, s.repo), dynastay.ErrNotFound)
	assert.Equal(t, "0.0 of 0, 0 stars", s.score(worker))

	require.NoError(t, create(ctx, s.repo))
	meanwhile(update(2))
	_, err = s.repo.Update(ctx, v.Key(), stars(3), dynastay.IfVersion(1))
	require.ErrorIs(t, err, dynastay.ErrVersion)
	assert.Equal(t, "2.0 of 1, 2 stars", s.score(worker))
}

// 16 reviews of one worker by one process queue for the profile: none of their writes is refused.
func TestReviewsOfOneUserQueue(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ids := make([]string, 16)
	for i := range ids {
		ids[i] = s.completed()
	}
	together := func(do func(v reviews.Review) error) {
		t.Helper()
		stop := s.Faults.Record()
		require.NoError(t, s.DB.DB.Each(t.Context(), len(ids), func(_ context.Context, i int) error { return do(about(ids[i], 5)) }))
		writes := 0
		for _, request := range stop() {
			if request.Operation == "TransactWriteItems" {
				writes++
			}
		}
		assert.Equal(t, len(ids), writes)
	}
	ctx := t.Context()
	together(func(v reviews.Review) error { return first(s.repo.Create(ctx, v)) })
	together(func(v reviews.Review) error { return first(s.repo.Update(ctx, v.Key(), stars(3))) })
	assert.Equal(t, "3.0 of 16, 48 stars", s.score(worker))
	together(func(v reviews.Review) error { return s.repo.Delete(ctx, v.Key()) })
	assert.Equal(t, "0.0 of 0, 0 stars", s.score(worker))
	assert.Empty(t, s.received(worker))
}
