package checker

import (
	"context"
	"math"
	"sync"

	"github.com/dynastay/dynastay"
)

// ratings are those of the properties.
type ratings struct {
	repeats

	mu sync.Mutex
	of map[string][]*rating // by property
}

type rating struct {
	tenths  int
	verdict func() verdict
}

// rate adds a rating to a property, half of the times under a key.
func (l *listings) rate(w *worker) {
	if w.oneIn(2) {
		l.ratings.call(w, func() *once {
			mark := w.mark()
			id, r := l.newRating(w)
			o := &once{key: dynastay.IdempotencyKey(mark).Of("ratings"), name: "rate once", items: id, about: mark, refusal: never}
			o.send = func(ctx context.Context, p *process) error {
				_, err := editorOf(p).properties.Rate(ctx, id, 0, dynastay.Rating(r.tenths), o.key)
				return err
			}
			r.verdict = o.verdict
			return o
		})
		return
	}
	id, r := l.newRating(w)
	v := w.call("rate", id, "", never, func(ctx context.Context) error {
		_, err := editorOf(w.process).properties.Rate(ctx, id, 0, dynastay.Rating(r.tenths))
		return err
	})
	r.verdict = func() verdict { return v }
}

func (l *listings) newRating(w *worker) (id string, r *rating) {
	id, r = l.pick(w), &rating{tenths: 10 + w.rand.IntN(91)}
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
			if v != refused {
				next[sum{s.reviews + 1, s.tenths + r.tenths}] = true
			}
			if v != acknowledged {
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
		l.differ("ratings do not add up", id, "%+v with an average of %v", stored, p["AverageRating"])
	}
}
