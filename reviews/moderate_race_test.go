package reviews_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

// 64 moderators approve reviews of one property at once. The average is exact, and no approval takes more than three
// requests.
func TestRaceOfApprovals(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	requests := map[any]int{}
	type caller struct{}
	db := dyntest.New(t, reviewTables, dyntest.At(noon), dyntest.With(dynastay.Options{
		Observer: dynastay.RequestObserver(func(ctx context.Context, c dynastay.Call) {
			mu.Lock()
			defer mu.Unlock()
			requests[ctx.Value(caller{})] += c.Requests()
		}),
	}))
	h := newHouse(t, db)
	list, ratings := h.many(t, 64)
	db.Faults.Conflicts(0)
	repo := open(db.DB)
	var all sync.WaitGroup
	for i, review := range list {
		all.Go(func() {
			_, err := repo.Approve(context.WithValue(t.Context(), caller{}, i), review.ID, review.Version)
			assert.NoError(t, err)
		})
	}
	all.Wait()
	h.assertRated(t, ratings...)
	for i := range list {
		assert.Equal(t, 3, requests[i], "approval %d", i)
	}
}

// many creates reviews with different ratings.
func (h *house) many(t *testing.T, n int) (list []*reviews.Review, ratings []dynastay.Rating) {
	t.Helper()
	for i := range n {
		rating := dynastay.Rating(100 - i)
		list, ratings = append(list, h.review(t, rating)), append(ratings, rating)
	}
	return list, ratings
}

// Moderators in three processes approve, reject and approve again, while the host edits the property with a form. The
// average is exact, and no edit is refused or lost: ratings do not change the version.
func TestEditsOfAHostDuringApprovals(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, reviewTables, dyntest.At(noon))
	h := newHouse(t, db)
	list, ratings := h.many(t, 24)
	db.Faults.Conflicts(0)
	patient := &dynastay.Options{Clock: db.Clock.Now, Retry: dynastay.Retry{Attempts: 200}}
	processes := []*dynastay.DB{db.Open(patient), db.Open(patient), db.Open(patient)}
	hosts := properties.New(db.Open(patient), nil)
	var all sync.WaitGroup
	for i, review := range list {
		all.Go(func() {
			repo := open(processes[i%3])
			now, err := repo.Approve(t.Context(), review.ID, review.Version)
			if i%2 == 0 && assert.NoError(t, err) {
				now, err = repo.Reject(t.Context(), review.ID, now.Version, "")
			}
			if i%4 == 0 && assert.NoError(t, err) {
				_, err = repo.Approve(t.Context(), review.ID, now.Version)
			}
			assert.NoError(t, err)
		})
	}
	version := h.property(t).Version
	for range 5 {
		p, err := hosts.Update(t.Context(), h.id, func(p *properties.Property) error {
			p.Description += "!"
			return nil
		}, dynastay.IfVersion(version))
		require.NoError(t, err)
		version = p.Version
	}
	all.Wait()
	var shown []dynastay.Rating
	for i, rating := range ratings {
		if i%2 == 1 || i%4 == 0 {
			shown = append(shown, rating)
		}
	}
	h.assertRated(t, shown...)
	assert.Equal(t, "!!!!!", h.property(t).Description)
}
