package reviews_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
)

// uncounted makes the profile of a user one that other software has written: it has a score, but not what it is made
// of.
func (s *site) uncounted(id, score string) {
	s.t.Helper()
	s.put(s.item("USER#"+id, "PROFILE"), dynastay.Item{"trustScore": number(score), "ratingCount": nil, "ratingSum": null})
}

// A review of other software may have no rating of 1 to 5. It does not count until it is given one.
func TestReviewWithoutARating(t *testing.T) {
	t.Parallel()
	for name, rating := range map[string]types.AttributeValue{
		"missing": nil, "NULL": null, "negative": number("-1"), "of 10": number("8"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			ctx := t.Context()
			_, err := s.repo.Create(ctx, about(s.completed(), 3))
			require.NoError(t, err)
			unrated := dynastay.Item{"rating": rating, "aspects": null}
			s.put(oldReview, unrated)
			require.NoError(t, s.repo.Delete(ctx, oldKey))
			assert.Equal(t, "3.0 of 1, 3 stars", s.score(worker))

			s.put(oldReview, unrated)
			s.uncounted(worker, "4.8")
			_, err = s.repo.Update(ctx, oldKey, func(v *reviews.Review) error { v.Comment = "Good"; return nil })
			var invalid *dynastay.InvalidError
			require.ErrorAs(t, err, &invalid)
			assert.Equal(t, "Rating", invalid.Field)
			_, err = s.repo.Update(ctx, oldKey, stars(4))
			require.NoError(t, err)
			assert.Equal(t, "3.5 of 2, 7 stars", s.score(worker))

			s.put(oldReview, unrated)
			s.uncounted(worker, "4.8")
			require.NoError(t, s.repo.Delete(ctx, oldKey))
			_, err = s.repo.Create(ctx, about(s.completed(), 4))
			require.NoError(t, err)
			assert.Equal(t, "3.5 of 2, 7 stars", s.score(worker))
		})
	}
}

// A review without what its key consists of, or one that cannot be read, is reported as such, and nothing is written.
func TestUnreadableReviews(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	for name, changes := range map[string]dynastay.Item{
		"no project": {"projectId": null}, "another project": {"projectId": text("proj002")}, "no reviewer": {"reviewerId": nil},
		"a rating in words": {"rating": text("five")},
	} {
		s.put(oldReview, changes)
		before := s.item("USER#"+worker, "REVIEW#proj001#"+buyer)
		_, err := s.repo.Update(ctx, oldKey, stars(4))
		assert.ErrorIs(t, err, dynastay.ErrCorrupt, name)
		assert.NotErrorIs(t, err, dynastay.ErrInvalid, name)
		assert.Equal(t, before, s.item("USER#"+worker, "REVIEW#proj001#"+buyer), name)
	}
	s.put(oldReview, dynastay.Item{"rating": text("five")})
	require.ErrorIs(t, s.repo.Delete(ctx, oldKey), dynastay.ErrCorrupt)
}

// A profile of other software has a score without the sum and the number of its ratings. The reviews are counted, in
// the transaction of the next one; even if another one is written between the count and the write.
func TestProfileWithoutASum(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	one, two, three, four := s.completed(), s.completed(), s.completed(), s.completed()
	for _, id := range []string{one, two} {
		_, err := s.repo.Create(ctx, about(id, 5))
		require.NoError(t, err)
	}
	meanwhile := func(do func(context.Context) error) {
		s.Faults.Inject(dyntest.Before(func(ctx context.Context) { assert.NoError(t, do(ctx)) }),
			dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	}
	s.uncounted(worker, "4.9")
	_, err := s.repo.Create(ctx, about(three, 1))
	require.NoError(t, err)
	assert.Equal(t, "3.7 of 3, 11 stars", s.score(worker))

	s.uncounted(worker, "4.9")
	meanwhile(func(ctx context.Context) error { return first(s.open().Create(ctx, about(four, 1))) })
	v := about(one, 5)
	_, err = s.repo.Update(ctx, v.Key(), stars(4))
	require.NoError(t, err)
	assert.Equal(t, "2.8 of 4, 11 stars", s.score(worker))

	s.uncounted(worker, "4.9")
	meanwhile(func(ctx context.Context) error { return first(s.open().Update(ctx, v.Key(), stars(2))) })
	require.NoError(t, s.repo.Delete(ctx, v.Key()))
	assert.Equal(t, "2.3 of 3, 7 stars", s.score(worker))

	s.uncounted(worker, "4.9")
	v = about(two, 5)
	meanwhile(func(ctx context.Context) error { return s.open().Delete(ctx, v.Key()) })
	_, err = s.repo.Create(ctx, about(one, 1))
	require.NoError(t, err)
	assert.Equal(t, "1.0 of 3, 3 stars", s.score(worker))
}

// Other software, which writes no ids of its writes, changes a review between the read and the write.
func TestReviewThatOtherSoftwareChanges(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*site) error{
		"Update": func(s *site) error { return first(s.repo.Update(s.t.Context(), oldKey, stars(1))) },
		"Delete": func(s *site) error { return s.repo.Delete(s.t.Context(), oldKey) },
	} {
		s := newSite(t)
		s.put(oldReview, nil)
		_, err := s.repo.Create(t.Context(), about(s.completed(), 3))
		require.NoError(t, err)
		assert.Equal(t, "3.0 of 1, 3 stars", s.score(worker), "other software does not count what it writes")
		for range 2 {
			p, err := s.people.RecountRatings(t.Context(), worker)
			require.NoError(t, err)
			assert.Equal(t, []any{dynastay.Rating(40), 2, 8}, []any{p.TrustScore, p.Ratings, p.Stars})
			assert.Equal(t, "4.0 of 2, 8 stars", s.score(worker))
		}
		s.Faults.Inject(dyntest.Before(func(context.Context) {
			s.put(oldReview, dynastay.Item{"rating": number("2"), "comment": text("Not quite")})
		}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		stop := s.Faults.Record()
		require.NoError(t, do(s), name)
		writes := 0
		for _, request := range stop() {
			if request.Operation == "TransactWriteItems" {
				writes++
			}
		}
		assert.Equal(t, 2, writes, "what has changed is read again: %s", name)
	}
}

// Other software writes reviews without counting them, and this package changes them. That does not make a score over
// 5, with which the profile could not be read any more.
func TestReviewsThatWereNotCounted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	_, err := s.repo.Create(ctx, about(s.completed(), 5))
	require.NoError(t, err)
	for _, id := range []string{"proj002", "proj003", "proj004"} {
		s.put(oldReview, dynastay.Item{"SK": text("REVIEW#" + id + "#" + buyer), "projectId": text(id), "rating": number("1")})
		_, err := s.repo.Update(ctx, reviews.Key{RevieweeID: worker, AboutID: id, ReviewerID: buyer}, stars(5))
		require.NoError(t, err)
	}
	assert.Equal(t, "5.0 of 4, 20 stars", s.score(worker))
}

// A project of other software names the bid of its worker, not the worker.
func TestProjectOfOtherSoftware(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	id := s.adopted()
	made, err := s.repo.Create(ctx, about(id, 5))
	require.NoError(t, err)
	assert.Equal(t, worker, made.RevieweeID)
	_, err = s.repo.Create(ctx, reviews.Review{ProjectID: id, ReviewerID: worker, RevieweeID: buyer, Rating: 4})
	require.NoError(t, err)

	// Without a bid that has this id there is nobody to review, unless the project is not over anyway.
	unknown := dynastay.Item{"acceptedBidId": text("bid_unknown"), "acceptedWorkerId": nil}
	id = s.completed()
	s.put(s.item("PROJECT#"+id, "METADATA"), unknown)
	_, err = s.repo.Create(ctx, about(id, 5))
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	id = s.begun()
	s.put(s.item("PROJECT#"+id, "METADATA"), unknown)
	_, err = s.repo.Create(ctx, about(id, 5))
	var refused *reviews.PartyError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, string(projects.InProgress), refused.Status)

	id = s.completed()
	s.put(s.item("PROJECT#"+id, "METADATA"), dynastay.Item{"acceptedBidId": null, "acceptedWorkerId": null})
	_, err = s.repo.Create(ctx, about(id, 5))
	require.ErrorAs(t, err, &refused)
	assert.Empty(t, refused.Status)
}

// Without a profile there is no score to move.
func TestReviewOfAUserWhoIsGone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	project := s.completed()
	_, err := s.repo.Create(ctx, about(project, 5))
	require.NoError(t, err)
	s.remove("USER#"+worker, "PROFILE")
	v := about(project, 5)
	_, err = s.repo.Update(ctx, v.Key(), stars(4))
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = s.repo.Update(ctx, v.Key(), func(v *reviews.Review) error { v.Comment = "Good"; return nil })
	require.NoError(t, err, "which moves no score")
	require.ErrorIs(t, s.repo.Delete(ctx, v.Key()), dynastay.ErrNotFound)
	_, err = s.repo.Create(ctx, about(project, 5))
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = s.repo.Create(ctx, reviews.Review{ProjectID: project, ReviewerID: worker, RevieweeID: buyer, Rating: 5})
	require.ErrorIs(t, err, dynastay.ErrNotFound)
}

func (s *site) remove(pk, sk string) {
	s.t.Helper()
	_, err := s.Client.DeleteItem(s.t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String(s.TableName(keys.Table)), Key: keys.Table.Key.Of(dynastay.Key{PK: pk, SK: sk}),
	})
	require.NoError(s.t, err)
}
