package properties

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
)

// mending is how far the mending of a property has come.
type mending struct {
	mark    string // the write id of the property when everything of it was last read
	claimed bool   // the room types have got the guards that they can get
	wrote   bool
	done    bool
}

// mend writes what differs of a property. The adoption of one that must be adopted leaves what other software has set.
func (r *Repository) mend(ctx context.Context, at dynastay.Key, mark string, foreign bool) (wrote bool, err error) {
	if foreign {
		wrote, err = r.adopt(ctx, at)
	}
	now := mending{mark: mark}
	for err == nil && !now.done {
		now, err = dynastay.Do(ctx, r.db, r.mendOp(at, now))
		wrote = wrote || err == nil && now.wrote
	}
	if errors.Is(err, dynastay.ErrNotFound) { // it was deleted meanwhile
		err = nil
	}
	return wrote, err
}

// mendOp runs the next step. It writes only what it reads while the property has the write id that it had at the step before:
// then all that it has read is of the same moment, as the condition of the write is, though a Query reads one item after
// another. A property that was changed meanwhile is read again, and one that has to be adopted by now is left to the next write
// or walk.
func (r *Repository) mendOp(at dynastay.Key, before mending) *dynastay.Operation[mending] {
	return dynastay.NewOp(dynastay.OpSpec[mending]{
		Name: "properties.MendRow",
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (mending, error) {
			l, err := r.look(ctx, at, true)
			if err != nil || l == nil || l.different == nil || l.different.Foreign {
				return mending{done: true}, err
			}
			if l.mark != before.mark {
				return mending{mark: l.mark, claimed: before.claimed}, nil
			}
			if err := l.tooMany(); err != nil {
				return before, err
			}
			now := mending{mark: l.mark, claimed: before.claimed, wrote: true}
			switch {
			case len(l.amenities) > 0:
				l.dropAmenities(tx, r)
			case len(l.unguarded) > 0 && !before.claimed:
				check(tx, l.Row, r.entity.Known())
				now.claimed, err = true, l.claim(tx, l.unguarded)
			default:
				now.done, err = true, l.corrupt(r.adoptProperty(tx, l.foreign))
			}
			return now, err
		},
	})
}
