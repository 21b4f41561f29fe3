package reviews_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
)

// cost is in requests, read units, and write units on the table and on its indexes.
type cost dyntest.Bill

// metered returns a site, and a function that compares what a call costs.
func metered(t *testing.T) (s *site, costs func(what string, want cost, do func() error)) {
	s = newSite(t)
	return s, func(what string, want cost, do func() error) {
		t.Helper()
		s.Clock.Advance(time.Minute)
		dyntest.Costs(t, s.DB, dyntest.Bill(want), func() { require.NoError(t, do(), what) })
	}
}

func stars(n int) func(*reviews.Review) error {
	return func(v *reviews.Review) error { v.Rating = n; return nil }
}

// The costs in the documentation. A transaction doubles the units of the table. A review is in no index; a profile has
// rows in two, which contain everything of it.
func TestCosts(t *testing.T) {
	t.Parallel()
	s, costs := metered(t)
	ctx := t.Context()
	project, second, order, other := s.completed(), s.completed(), s.delivered(), s.adopted()
	var made *reviews.Review
	costs("Create of the first review of a user", cost{2, 3, 4, 2}, func() (err error) {
		made, err = s.repo.Create(ctx, about(project, 5))
		return err
	})
	costs("Create", cost{2, 3, 4, 2}, func() error { return first(s.repo.Create(ctx, about(second, 5))) })
	costs("Create of an order", cost{2, 3, 4, 2}, func() error {
		return first(s.repo.Create(ctx, reviews.Review{OrderID: order, ReviewerID: buyer, RevieweeID: seller, Rating: 3}))
	})
	costs("Create of a project of other software", cost{3, 4, 4, 2}, func() error { return first(s.repo.Create(ctx, about(other, 5))) })
	costs("Create with an idempotency key", cost{2, 3, 6, 2}, func() error {
		return first(s.repo.Create(ctx, reviews.Review{ProjectID: project, ReviewerID: worker, RevieweeID: buyer, Rating: 3},
			dynastay.IdempotencyKey("1")))
	})
	costs("Review", cost{1, 0.5, 0, 0}, func() error { return first(s.repo.Review(ctx, made.Key())) })
	costs("Of", cost{1, 0.5, 0, 0}, func() error {
		page, err := s.repo.Of(worker).Page(ctx, dynastay.Paging{})
		assert.Len(t, page.Items, 3)
		return err
	})
	costs("Update of the rating", cost{2, 2, 4, 2}, func() error { return first(s.repo.Update(ctx, made.Key(), stars(4))) })
	costs("Update of the comment", cost{2, 2, 1, 0}, func() error {
		return first(s.repo.Update(ctx, made.Key(), func(v *reviews.Review) error { v.Comment = "Good"; return nil }))
	})
	costs("Update of nothing", cost{1, 2, 0, 0}, func() error { return first(s.repo.Update(ctx, made.Key(), stars(4))) })
	costs("Delete", cost{2, 2, 4, 2}, func() error { return s.repo.Delete(ctx, made.Key()) })
}
