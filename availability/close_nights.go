package availability

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// moveAll marks or unmarks the nights of room types whose guards were changed, and returns how many. A room type that
// fails does not stop the others.
func (r *Repository) moveAll(
	ctx context.Context, m salesMove, propertyID string, guards []guard, from dynastay.Date,
) (all int, err error) {
	moved, failed := make([]int, len(guards)), make([]error, len(guards))
	_ = r.db.Each(ctx, len(guards), func(ctx context.Context, i int) error {
		if failed[i] = guards[i].err; failed[i] == nil && !guards[i].left {
			moved[i], failed[i] = r.moveNights(ctx, m, propertyID, guards[i], from)
		}
		return nil
	})
	for _, n := range moved {
		all += n
	}
	return all, errors.Join(failed...)
}

// moveNights marks or unmarks the nights of a room type from a date on, and returns how many.
//
// It reads them after the guard was changed: no other nights can be opened since. It reads them again until there is
// nothing left to do, because a Query may miss a night whose transaction was committed a moment ago.
func (r *Repository) moveNights(
	ctx context.Context, m salesMove, propertyID string, g guard, from dynastay.Date,
) (moved int, err error) {
	for {
		nights, err := r.nightsToMove(ctx, m, propertyID, g.roomTypeID, from)
		if err != nil || len(nights) == 0 {
			return moved, err
		}
		for most := mostNights; len(nights) > 0; {
			part := nights[:min(most, len(nights))]
			n, err := dynastay.Do(ctx, r.db, r.nightsOp(m, propertyID, g, part))
			if errors.Is(err, dynastay.ErrContention) && most > 1 {
				// A sale of any of the nights is enough to cancel the transaction. Fewer nights meet fewer sales.
				most = max(1, most/10)
				continue
			}
			if err != nil {
				return moved, err
			}
			moved += n
			nights = nights[len(part):]
		}
	}
}

// nightsToMove returns the nights that are not yet as they should be.
func (r *Repository) nightsToMove(
	ctx context.Context, m salesMove, propertyID, roomTypeID string, from dynastay.Date,
) ([]dynastay.Key, error) {
	rows, err := r.nightsFrom(ctx, roomTypeID, from)
	if err != nil {
		return nil, err
	}
	var nights []dynastay.Key
	for _, row := range rows {
		v := row.Value(keys.AttrPropertyClosed)
		isMarked := !v.IsNull() && (v.Kind() != dynastay.KindBool || v.Bool())
		if row.Text("PropertyId") == propertyID && isMarked != m.mark {
			nights = append(nights, keys.AvailabilityTable.Key.From(row))
		}
	}
	return nights, nil
}

// nightsOp marks or unmarks nights, on condition that the guard of their room type has not been changed since.
func (r *Repository) nightsOp(m salesMove, propertyID string, g guard, nights []dynastay.Key) *dynastay.Operation[int] {
	return dynastay.NewOp(dynastay.OpSpec[int]{
		Name: m.op,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (moved int, err error) {
			key, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: g.roomTypeID})
			if err != nil {
				return 0, err
			}
			tx.Check(keys.PropertiesTable, key, g.unchanged(), func(dynastay.Row) error {
				return m.refused(g.roomTypeID, m.lost)
			})
			expr := m.night.With(dynastay.Item{"property": dynastay.Text(propertyID), "now": dynastay.Instant(r.db.Now())})
			for _, night := range nights {
				if tx.Skipped(keys.AvailabilityTable, night) {
					continue // not checked again: while the guard is unchanged, nobody undoes it, and every sale would conflict
				}
				moved++
				// Another caller has already done it, or the night was deleted.
				tx.Update(keys.AvailabilityTable, night, expr).Else(func(dynastay.Row) error { return dynastay.ErrSkip })
			}
			return moved, nil
		},
	})
}
