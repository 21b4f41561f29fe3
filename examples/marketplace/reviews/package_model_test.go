package reviews_test

import (
	"errors"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/reviews"
)

var modelOperations = flag.Int("model.operations", 200, "how many operations TestModel compares with its model")

// The parties of projects and orders write, change and delete reviews of each other through two processes, through all
// faults, and repeat what has an unknown outcome. Every answer is what a model in memory expects, and in the end the
// reviews, the scores, and the numbers and sums of the ratings are as the model has them.
func TestModel(t *testing.T) {
	t.Parallel()
	met := map[string]int{}
	for met["operations"] < *modelOperations {
		rapid.Check(t, func(rt *rapid.T) {
			if met["operations"] >= *modelOperations {
				return
			}
			w := newWorld(t, rt, met)
			for range rapid.IntRange(20, 60).Draw(rt, "steps") {
				met["operations"]++
				w.step()
			}
			w.compare()
		})
	}
	t.Logf("%v", met)
	if *modelOperations >= 2_000 {
		for _, what := range []string{
			"Create", "Update", "Delete", "already exists", "not found", "not over", "version", "unknown", "uncounted",
		} {
			assert.NotZero(t, met[what], what)
		}
	}
}

// world is what the model has.
type world struct {
	*rapid.T
	site     *site
	dbs      []*dynastay.DB
	repos    []*reviews.Repository
	met      map[string]int
	calls    int
	possible []reviews.Review // what the parties may say about each other, without a rating
	over     map[string]bool  // the projects and orders that can be reviewed
	reviews  map[reviews.Key]*reviews.Review
}

func newWorld(t *testing.T, rt *rapid.T, met map[string]int) *world {
	s := newSite(t)
	w := &world{T: rt, site: s, met: met, over: map[string]bool{}, reviews: map[reviews.Key]*reviews.Review{}}
	for _, id := range []string{s.completed(), s.completed(), s.adopted(), s.begun()} {
		w.possible = append(w.possible,
			reviews.Review{ProjectID: id, ReviewerID: buyer, RevieweeID: worker}, reviews.Review{ProjectID: id, ReviewerID: worker, RevieweeID: buyer})
		w.over[id] = true
	}
	w.over[w.possible[len(w.possible)-1].ProjectID] = false
	id := s.delivered()
	w.over[id] = true
	w.possible = append(w.possible,
		reviews.Review{OrderID: id, ReviewerID: buyer, RevieweeID: seller}, reviews.Review{OrderID: id, ReviewerID: seller, RevieweeID: buyer})
	for range 2 {
		db := s.Open(&dynastay.Options{
			Idempotency: keys.Table, Retry: dynastay.Retry{Attempts: 3, Base: time.Millisecond, Cap: 2 * time.Millisecond},
		})
		w.dbs = append(w.dbs, db)
		w.repos = append(w.repos, repositories(db))
	}
	s.Faults.Inject(dyntest.AnyOf(), dyntest.When{Chance: 0.25, Optional: true})
	return w
}

// send sends an operation until its outcome is known, by either process, and counts what it met.
func send[R any](w *world, name string, op func(repo *reviews.Repository) *dynastay.Operation[R]) (R, error) {
	w.calls++
	for {
		i := rapid.IntRange(0, 1).Draw(w.T, "process")
		r, err := dynastay.Do(w.site.t.Context(), w.dbs[i], op(w.repos[i]), dynastay.IdempotencyKey(fmt.Sprint("call ", w.calls)))
		switch {
		case errors.Is(err, dynastay.ErrOutcomeUnknown) || errors.Is(err, dynastay.ErrCommitted):
			w.met["unknown"]++
		case errors.Is(err, dynastay.ErrContention) || errors.Is(err, dynastay.ErrThrottled) || errors.Is(err, dynastay.ErrUnavailable):
			w.met["unavailable"]++
		default:
			if err == nil {
				w.met[name]++
			}
			return r, err
		}
	}
}

func (w *world) step() {
	w.site.Clock.Advance(time.Duration(rapid.IntRange(0, 90).Draw(w.T, "seconds")) * time.Second)
	v := w.possible[rapid.IntRange(0, len(w.possible)-1).Draw(w.T, "review")]
	v.Rating = rapid.IntRange(1, 5).Draw(w.T, "rating")
	was := w.reviews[v.Key()]
	switch rapid.IntRange(0, 9).Draw(w.T, "step") { // rapid draws small numbers more often
	case 0, 3, 5, 8:
		w.create(v, was)
	case 1, 6, 9:
		w.update(v, was)
	case 2, 7:
		w.remove(v, was)
	default:
		w.met["uncounted"]++
		w.site.uncounted(v.RevieweeID, "1.5")
	}
}

func (w *world) create(v reviews.Review, was *reviews.Review) {
	made, err := send(w, "Create", func(repo *reviews.Repository) *dynastay.Operation[*reviews.Review] { return repo.CreateOp(v) })
	switch {
	case !w.over[v.Key().AboutID]:
		w.met["not over"]++
		var refused *reviews.PartyError
		require.ErrorAs(w, err, &refused)
		require.Equal(w, "IN_PROGRESS", refused.Status)
	case was != nil:
		w.met["already exists"]++
		require.ErrorIs(w, err, dynastay.ErrAlreadyExists)
	default:
		require.NoError(w, err)
		w.has(v.Key(), made, v.Rating, 1)
	}
}

func (w *world) update(v reviews.Review, was *reviews.Review) {
	version := rapid.IntRange(0, 3).Draw(w.T, "version") // 0 is any
	options := []dynastay.UpdateOption{dynastay.AgreedOn(fmt.Sprint(v.Rating, version))}
	if version > 0 {
		options = append(options, dynastay.IfVersion(version))
	}
	changed, err := send(w, "Update", func(repo *reviews.Repository) *dynastay.Operation[*reviews.Review] {
		return repo.UpdateOp(v.Key(), stars(v.Rating), options...)
	})
	switch {
	case was == nil:
		w.met["not found"]++
		require.ErrorIs(w, err, dynastay.ErrNotFound)
	case version > 0 && version != was.Version:
		w.met["version"]++
		require.ErrorIs(w, err, dynastay.ErrVersion)
	default:
		require.NoError(w, err)
		next := was.Version
		if was.Rating != v.Rating {
			next++
		}
		w.has(v.Key(), changed, v.Rating, next)
	}
}

func (w *world) has(k reviews.Key, v *reviews.Review, rating, version int) {
	require.Equal(w, []any{k, rating, version}, []any{v.Key(), v.Rating, v.Version})
	w.reviews[k] = v
}

func (w *world) remove(v reviews.Review, was *reviews.Review) {
	_, err := send(w, "Delete", func(repo *reviews.Repository) *dynastay.Operation[struct{}] { return repo.DeleteOp(v.Key()) })
	if was == nil {
		w.met["not found"]++
		require.ErrorIs(w, err, dynastay.ErrNotFound)
		return
	}
	require.NoError(w, err)
	delete(w.reviews, v.Key())
}

// compare compares what is stored with the model. A profile without a sum gets one from the next review.
func (w *world) compare() {
	s := w.site
	for _, id := range []string{buyer, worker, seller} {
		count, sum := 0, 0
		received := map[reviews.Key]int{}
		for k, v := range w.reviews {
			if k.RevieweeID == id {
				count, sum, received[k] = count+1, sum+v.Rating, v.Rating
			}
		}
		stored := map[reviews.Key]int{}
		for v, err := range repositories(s.Direct).Of(id).All(s.t.Context()) {
			require.NoError(w, err)
			stored[v.Key()] = v.Rating
		}
		require.Equal(w, received, stored)
		if s.profile(id).TrustScore.String() == "1.5" && s.profile(id).Ratings == 0 {
			continue // nobody has rated since other software wrote the score
		}
		score := "0.0"
		if count > 0 {
			tenths := (20*sum + count) / (2 * count)
			score = fmt.Sprintf("%d.%d", tenths/10, tenths%10)
		}
		require.Equal(w, fmt.Sprint(score, " of ", count, ", ", sum, " stars"), s.score(id))
	}
}
