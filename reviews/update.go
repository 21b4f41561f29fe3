package reviews

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// UpdateOp lets the author of a review change it: it passes the stored review to fn, which may change the ratings and
// the texts, and writes the difference, as described for [entity.Table.Change]. A review that has changed is pending
// again, and is not shown until it is approved. If it was approved, its rating is withdrawn from that of the property
// in the same transaction; if the property does not exist any more, or is being deleted, only the review changes. Its
// votes and its response remain. If fn changes nothing, nothing is written, and the status stays the same. fn may be
// called more than once; its errors are returned unchanged. UpdateOp does not check who calls it: pass
// [dynastay.IfUser].
//
// UpdateOp fails with [dynastay.ErrNotFound], with [dynastay.ErrVersion], with an [*dynastay.InvalidError] if fn
// changes the booking, the user, the property or the stay, with the error of [Review.Validate], with
// [properties.ErrForeign], and with [dynastay.ErrCorrupt] as [Repository.RejectOp] does.
func (r *Repository) UpdateOp(
	reviewID string, fn func(*Review) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Review] {
	at, err := keys.Of(keys.Review{ReviewID: reviewID})
	if err == nil {
		err = r.entity.CheckUpdate(opts...)
	}
	return dynastay.NewOp(dynastay.OpSpec[*Review]{
		Name: "reviews.Update", Invalid: err, Input: entity.InputOf(at, opts...), Options: opts, Owned: true,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Review, error) {
			row, err := r.readFor(ctx, tx, at)
			if err != nil {
				return nil, err
			}
			c, err := r.changeOf(at, row, keepStay(fn), opts...)
			if err != nil {
				return nil, err
			}
			if !c.Changed() {
				return c.After, nil
			}
			return c.After, r.setStatus(ctx, tx, c, Pending, "")
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Review, error) {
			return r.Get(ctx, reviewID, dynastay.Consistent)
		},
	})
}

// readFor reads a review for a write. One that is not of the user of [dynastay.IfUser], or not of the property of
// [dynastay.IfProperty], reads as one that does not exist.
func (r *Repository) readFor(ctx context.Context, tx *dynastay.Tx, at dynastay.Key) (dynastay.Row, error) {
	row, err := r.db.Get(ctx, keys.ReviewsTable, at, dynastay.Consistent)
	if err == nil && row.Exists() && !tx.OwnedBy(row.Text("UserId"), row.Text("PropertyId")) {
		return dynastay.Row{}, nil
	}
	return row, err
}

// keepStay refuses a change of what the booking determines: the review would be of another stay, which nobody checked.
func keepStay(fn func(*Review) error) func(*Review) error {
	return func(v *Review) error {
		before := *v
		if err := fn(v); err != nil {
			return err
		}
		for _, fixed := range []struct {
			field string
			same  bool
		}{
			{"BookingID", v.BookingID == before.BookingID}, {"UserID", v.UserID == before.UserID},
			{"PropertyID", v.PropertyID == before.PropertyID}, {"StayDate", v.StayDate == before.StayDate},
			{"Response", v.Response == before.Response},
		} {
			if !fixed.same {
				return dynastay.Invalid(fixed.field, "cannot be changed")
			}
		}
		return nil
	}
}

// Update runs [Repository.UpdateOp], after [properties.Repository.Adopt] or [Repository.RepairRating] if it is needed.
// 2 requests, and 3 for an approved review.
func (r *Repository) Update(
	ctx context.Context, reviewID string, fn func(*Review) error, opts ...dynastay.UpdateOption,
) (*Review, error) {
	return repaired(ctx, r, "reviews.Update", func(ctx context.Context) (*Review, error) {
		return dynastay.Do(ctx, r.db, r.UpdateOp(reviewID, fn, opts...))
	})
}
