package reviews_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
)

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
