package property

import (
	"context"
	"math"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// ratings are those of the properties.
type ratings struct {
	checker.Repeats

	mu sync.Mutex
	of map[string][]*rating // by property
}

type rating struct {
	tenths  int
	verdict func() checker.Verdict
}

// rate adds a rating to a property, half of the times under a key.
func (l *listings) rate(w *checker.Worker) {
	if w.OneIn(2) {
		l.ratings.Repeat(w, func() *checker.Once {
			mark := w.Mark()
			id, r := l.newRating(w)
			o := &checker.Once{Key: dynastay.IdempotencyKey(mark).Of("ratings"), Name: "rate once", Items: id, About: mark, Refusal: checker.Never}
			o.Send = func(ctx context.Context, p *checker.Process) error {
				return checker.ErrorOf(editorOf(p).properties.Rate(ctx, id, 0, dynastay.Rating(r.tenths), o.Key))
			}
			r.verdict = o.Verdict
			return o
		})
		return
	}
	id, r := l.newRating(w)
	v := w.Call("rate", id, "", checker.Never, func(ctx context.Context) error {
		return checker.ErrorOf(editorOf(w).properties.Rate(ctx, id, 0, dynastay.Rating(r.tenths)))
	})
	r.verdict = func() checker.Verdict { return v }
}

func (l *listings) newRating(w *checker.Worker) (id string, r *rating) {
	id, r = l.pick(w), &rating{tenths: 10 + w.Rand.IntN(91)}
	l.ratings.mu.Lock()
	defer l.ratings.mu.Unlock()
	l.ratings.of[id] = append(l.ratings.of[id], r)
	return id, r
}

// checkRatings adds up the ratings: each that was acknowledged counts once, and each that is unknown once or not at
// all.
func (l *listings) checkRatings(id string, p plain) {
	if id == l.hotel.ID {
		return
	}
	type sum struct{ reviews, tenths int }
	possible := map[sum]bool{{}: true}
	for _, r := range l.ratings.of[id] {
		v, next := r.verdict(), map[sum]bool{}
		for s := range possible {
			if v != checker.Refused {
				next[sum{s.reviews + 1, s.tenths + r.tenths}] = true
			}
			if v != checker.Acknowledged {
				next[s] = true
			}
		}
		possible = next
	}
	stored := sum{int(p["ReviewCount"].(float64)), int(math.Round(10 * p["RatingSum"].(float64)))}
	average := 0
	if stored.reviews > 0 {
		average = (2*stored.tenths + stored.reviews) / (2 * stored.reviews)
	}
	if !possible[stored] || int(math.Round(10*p["AverageRating"].(float64))) != average {
		l.Differ("ratings do not add up", id, "%+v with an average of %v", stored, p["AverageRating"])
	}
}
