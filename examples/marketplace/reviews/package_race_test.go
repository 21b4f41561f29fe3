package reviews_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
)

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

// 48 reviews of one worker are written, changed and deleted at the same time, in three processes, through conflicts,
// lost requests and lost answers, while the worker edits the profile. The score is exact, and no edit is refused.
func TestScoreIsExactUnderConcurrentReviews(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var ids []string
	for range 48 {
		ids = append(ids, s.completed())
	}
	s.Faults.Conflicts(time.Millisecond)
	s.Faults.Inject(dyntest.AnyOf(dyntest.LoseAnswer(), dyntest.LoseRequest(), dyntest.Conflict()), dyntest.When{
		Operation: "TransactWriteItems", Chance: 0.1,
	})
	repos := []*reviews.Repository{s.open(), s.open(), s.open()}
	until := func(do func() error) {
		for {
			err := do()
			if errors.Is(err, dynastay.ErrOutcomeUnknown) || errors.Is(err, dynastay.ErrUnavailable) {
				continue
			}
			assert.NoError(t, err)
			return
		}
	}
	var everybody sync.WaitGroup
	ratings, stars := 0, 0
	for i, id := range ids {
		v, repo, key := about(id, 1+i%5), repos[i%3], dynastay.IdempotencyKey(fmt.Sprint("review ", i))
		switch i % 4 {
		case 1:
			stars += 2
			ratings++
		case 2:
		default:
			stars += v.Rating
			ratings++
		}
		everybody.Go(func() {
			until(func() error { return first(repo.Create(t.Context(), v, key)) })
			switch i % 4 {
			case 1:
				until(func() error {
					return first(repo.Update(t.Context(), v.Key(), func(v *reviews.Review) error { v.Rating = 2; return nil }))
				})
			case 2:
				key := dynastay.IdempotencyKey(fmt.Sprint("delete ", i))
				until(func() error { return repo.Delete(t.Context(), v.Key(), key) })
			}
		})
	}
	for i := range 5 {
		p, err := s.people.Update(t.Context(), worker, func(p *people.Profile) error { p.Work.Bio = fmt.Sprint(i); return nil })
		require.NoError(t, err)
		assert.Equal(t, i+2, p.Version)
	}
	everybody.Wait()
	found := s.received(worker)
	require.Len(t, found, ratings)
	sum := 0
	for _, v := range found {
		sum += v.Rating
	}
	assert.Equal(t, stars, sum)
	tenths := (stars*20 + ratings) / (2 * ratings)
	assert.Equal(t, fmt.Sprintf("%d.%d of %d, %d stars", tenths/10, tenths%10, ratings, stars), s.score(worker))
}
