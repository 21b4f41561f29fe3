package reviews_test

import (
	"errors"
	"fmt"
	"strings"
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

// Only the parties of what has come to its good end can review it.
func TestOthersCannotReview(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	begun, done, ordered, delivered := s.begun(), s.completed(), s.ordered(), s.delivered()
	_, err := s.people.SignUp(ctx, people.Profile{ID: "user_other", Role: people.Worker, Name: "O", Location: people.Location{City: "Estcourt"}})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		review reviews.Review
		status string
	}{
		"in progress":        {about(begun, 5), "IN_PROGRESS"},
		"not delivered":      {reviews.Review{OrderID: ordered, ReviewerID: buyer, RevieweeID: seller, Rating: 5}, "PENDING"},
		"another reviewer":   {reviews.Review{ProjectID: done, ReviewerID: "user_other", RevieweeID: worker, Rating: 5}, ""},
		"another reviewee":   {reviews.Review{ProjectID: done, ReviewerID: buyer, RevieweeID: "user_other", Rating: 5}, ""},
		"to the buyer":       {reviews.Review{ProjectID: done, ReviewerID: "user_other", RevieweeID: buyer, Rating: 5}, ""},
		"of the worker":      {reviews.Review{ProjectID: done, ReviewerID: worker, RevieweeID: "user_other", Rating: 5}, ""},
		"another's customer": {reviews.Review{OrderID: delivered, ReviewerID: worker, RevieweeID: seller, Rating: 5}, ""},
		"another's seller":   {reviews.Review{OrderID: delivered, ReviewerID: seller, RevieweeID: worker, Rating: 5}, ""},
	} {
		_, err := s.repo.Create(ctx, c.review)
		var refused *reviews.PartyError
		require.ErrorAs(t, err, &refused, name)
		assert.Equal(t, c.status, refused.Status, name)
		assert.Equal(t, c.review.Key().AboutID, refused.AboutID, name)
		why := c.review.ReviewerID + " and " + c.review.RevieweeID + " are not the parties of " + refused.AboutID
		if c.status != "" {
			why = refused.AboutID + " is " + c.status + "; only a completed project or a delivered order can be reviewed"
		}
		assert.EqualError(t, refused, why, name)
	}
	for name, v := range map[string]reviews.Review{
		"no project": about("nothing", 5), "no order": {OrderID: "nothing", ReviewerID: buyer, RevieweeID: seller, Rating: 5},
	} {
		_, err := s.repo.Create(ctx, v)
		require.ErrorIs(t, err, dynastay.ErrNotFound, name)
	}
	assert.Empty(t, s.received(worker))
	assert.Equal(t, "0.0 of 0, 0 stars", s.score(worker))
}

func TestInvalidReviews(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	refused := func(field string, do func() error) {
		t.Helper()
		stop := s.Faults.Record()
		err := do()
		assert.Empty(t, stop(), field)
		var invalid *dynastay.InvalidError
		if assert.ErrorAs(t, err, &invalid, field) {
			assert.Equal(t, field, invalid.Field)
		}
	}
	for field, changes := range map[string][]func(v *reviews.Review){
		"ID":         {func(v *reviews.Review) { v.ID = strings.Repeat("x", 257) }},
		"ReviewerID": {func(v *reviews.Review) { v.ReviewerID = "" }, func(v *reviews.Review) { v.ReviewerID = "a#b" }},
		"RevieweeID": {
			func(v *reviews.Review) { v.RevieweeID = "" }, func(v *reviews.Review) { v.RevieweeID = "a#b" },
			func(v *reviews.Review) { v.RevieweeID = v.ReviewerID },
		},
		"ProjectID": {func(v *reviews.Review) { v.ProjectID = "" }, func(v *reviews.Review) { v.ProjectID = "a#b" }},
		"OrderID": {
			func(v *reviews.Review) { v.OrderID = "o" }, func(v *reviews.Review) { v.ProjectID, v.OrderID = "", "a#b" },
		},
		"Rating": {
			func(v *reviews.Review) { v.Rating = 0 }, func(v *reviews.Review) { v.Rating = 6 }, func(v *reviews.Review) { v.Rating = -1 },
		},
		"Aspects.Quality":         {func(v *reviews.Review) { v.Aspects.Quality = 6 }},
		"Aspects.Communication":   {func(v *reviews.Review) { v.Aspects.Communication = -1 }},
		"Aspects.Timeliness":      {func(v *reviews.Review) { v.Aspects.Timeliness = 6 }},
		"Aspects.Professionalism": {func(v *reviews.Review) { v.Aspects.Professionalism = 6 }},
		"Comment":                 {func(v *reviews.Review) { v.Comment = strings.Repeat("x", 2049) }},
	} {
		for _, change := range changes {
			v := about("p", 5)
			change(&v)
			refused(field, func() error { return first(s.repo.Create(ctx, v)) })
		}
	}
	same := func(*reviews.Review) error { return nil }
	k := reviews.Key{RevieweeID: "a", AboutID: "p", ReviewerID: "b"}
	refused("RevieweeID", func() error { return first(s.repo.Update(ctx, reviews.Key{AboutID: "p", ReviewerID: "b"}, same)) })
	refused("AboutID", func() error { return first(s.repo.Review(ctx, reviews.Key{RevieweeID: "a", ReviewerID: "b"})) })
	refused("ReviewerID", func() error { return s.repo.Delete(ctx, reviews.Key{RevieweeID: "a", AboutID: "p"}) })
	refused("OrMissing", func() error { return first(s.repo.Update(ctx, k, same, dynastay.OrMissing())) })
	refused("RevieweeID", func() error { return first(s.repo.Of("").Page(ctx, dynastay.Paging{})) })
	made, err := s.repo.Create(ctx, about(s.completed(), 1))
	require.NoError(t, err)
	for field, change := range map[string]func(v *reviews.Review){
		"Rating": func(v *reviews.Review) { v.Rating = 6 }, "Comment": func(v *reviews.Review) { v.Comment = strings.Repeat("x", 2049) },
	} {
		_, err := s.repo.Update(ctx, made.Key(), func(v *reviews.Review) error { change(v); return nil })
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, field, invalid.Field)
	}
	for field, change := range map[string]func(v *reviews.Review){
		"ID": func(v *reviews.Review) { v.ID = "r" }, "ReviewerID": func(v *reviews.Review) { v.ReviewerID = "r" },
		"ReviewerName": func(v *reviews.Review) { v.ReviewerName = "r" }, "RevieweeID": func(v *reviews.Review) { v.RevieweeID = "r" },
		"RevieweeRole": func(v *reviews.Review) { v.RevieweeRole = "SELLER" }, "ProjectID": func(v *reviews.Review) { v.ProjectID = "p" },
		"OrderID": func(v *reviews.Review) { v.OrderID = "o" }, "CreatedAt": func(v *reviews.Review) { v.CreatedAt = base.AddDate(1, 0, 0) },
	} {
		_, err := s.repo.Update(ctx, made.Key(), func(v *reviews.Review) error { change(v); return nil })
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid, field)
		assert.Equal(t, field, invalid.Field)
	}
	assert.Equal(t, "1.0 of 1, 1 stars", s.score(worker))
	sold, err := s.repo.Create(ctx, reviews.Review{OrderID: s.delivered(), ReviewerID: buyer, RevieweeID: seller, Rating: 5})
	require.NoError(t, err)
	_, err = s.repo.Update(ctx, sold.Key(), func(v *reviews.Review) error { v.OrderID = "o"; return nil })
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "OrderID", invalid.Field)
	most := about(s.completed(), 5)
	most.Aspects, most.Comment = reviews.Aspects{Quality: 5, Communication: 1}, strings.Repeat("x", 2048)
	_, err = s.repo.Create(ctx, most)
	require.NoError(t, err, "at the limits")
	_, err = s.repo.Review(ctx, reviews.Key{RevieweeID: worker, AboutID: "p", ReviewerID: buyer})
	var missing *dynastay.Error
	require.ErrorAs(t, err, &missing)
	assert.Equal(t, "p#"+buyer+" of "+worker, missing.ID)
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
