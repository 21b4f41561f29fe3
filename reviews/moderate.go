package reviews

import (
	"context"
	"errors"
	"reflect"
	"strconv"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// StatusError means that the status of a review does not allow the operation. It is returned within a
// [*dynastay.Error] that names the review.
type StatusError struct{ Status Status }

// Error returns the status.
func (e *StatusError) Error() string { return "not allowed while the status is " + string(e.Status) }

// Is makes it match [dynastay.ErrRefused].
func (*StatusError) Is(target error) bool { return target == dynastay.ErrRefused }

func refusedBy(op string, at dynastay.Key, status Status) error {
	return &dynastay.Error{Op: op, Entity: "Review", ID: idOf(at), Field: keys.AttrStatus, Err: &StatusError{status}}
}

// notApproved returns the error for a review that failed the condition isApproved.
func notApproved(op string, at dynastay.Key, old dynastay.Row) error {
	if !old.Exists() {
		return &dynastay.Error{Op: op, Entity: "Review", ID: idOf(at), Kind: dynastay.ErrNotFound}
	}
	return refusedBy(op, at, Status(old.Text(keys.AttrStatus)))
}

// decision is a step of moderation.
// See docs/decisions/0016-reviews-move-ratings.md for why it moves the rating as well.
type decision struct {
	op     string
	to     Status
	reason string
}

// ApproveOp makes a review visible, and counts its overall rating in that of the property. version is that of the
// review which the moderator has read: if the author has changed it since, ApproveOp fails with [dynastay.ErrVersion].
// A rejected review can be approved too.
//
// The review and the property, with all its index keys and its card, change in one transaction. In one process, the
// operations that rate one property queue for it. The version of the property stays the same, and an edit of its host
// that happens at the same time is not lost.
//
// ApproveOp fails with [dynastay.ErrNotFound] if the review or the property does not exist ([dynastay.Error.Entity]
// says which), with a [*StatusError] if the review is approved already, with a [*properties.StatusError] if the
// property is being deleted, and with [properties.ErrForeign].
func (r *Repository) ApproveOp(reviewID string, version int) *dynastay.Operation[*Review] {
	return r.decideOp(decision{op: "reviews.Approve", to: Approved}, reviewID, version)
}

// Approve runs [Repository.ApproveOp], after [properties.Repository.Adopt] if it is needed. 3 requests: the review, the
// property, and the write; and those of Adopt.
func (r *Repository) Approve(ctx context.Context, reviewID string, version int, opts ...dynastay.WriteOption) (*Review, error) {
	return repaired(ctx, r, "reviews.Approve", func(ctx context.Context) (*Review, error) {
		return dynastay.Do(ctx, r.db, r.ApproveOp(reviewID, version), opts...)
	})
}

// RejectOp hides a review, pending or approved. reason is for the author, at most [entity.MaxNote] bytes; "" for none.
// If the review is approved, its rating is withdrawn from that of the property in the same transaction; if the property
// does not exist any more, or is being deleted, only the review changes. version is as for [Repository.ApproveOp].
//
// RejectOp fails with [dynastay.ErrNotFound], with [dynastay.ErrVersion], with a [*StatusError] if the review is
// rejected already, with [properties.ErrForeign], and with [dynastay.ErrCorrupt] if the property's sum of ratings
// cannot contain the rating, which [Repository.RepairRating] corrects.
func (r *Repository) RejectOp(reviewID string, version int, reason string) *dynastay.Operation[*Review] {
	return r.decideOp(decision{"reviews.Reject", Rejected, reason}, reviewID, version)
}

// Reject runs [Repository.RejectOp], after [properties.Repository.Adopt] or [Repository.RepairRating] if it is needed.
// 2 requests, and 3 for an approved review.
func (r *Repository) Reject(
	ctx context.Context, reviewID string, version int, reason string, opts ...dynastay.WriteOption,
) (*Review, error) {
	return repaired(ctx, r, "reviews.Reject", func(ctx context.Context) (*Review, error) {
		return dynastay.Do(ctx, r.db, r.RejectOp(reviewID, version, reason), opts...)
	})
}

func (r *Repository) decideOp(d decision, reviewID string, version int) *dynastay.Operation[*Review] {
	at, err := keys.Of(keys.Review{ReviewID: reviewID})
	if err == nil {
		err = dynastay.Within("Reason", entity.CheckText(d.reason, entity.MaxNote))
	}
	return dynastay.NewOp(dynastay.OpSpec[*Review]{
		Name: d.op, Invalid: err,
		Input: func(in *dynastay.Input) {
			in.Key(at)
			in.Field("version", strconv.Itoa(version))
			in.Field("reason", d.reason)
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Review, error) {
			row, err := r.db.Get(ctx, keys.ReviewsTable, at, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			if Status(row.Text(keys.AttrStatus)) == d.to {
				return nil, refusedBy(d.op, at, d.to) // before the version, because it says more
			}
			c, err := r.changeOf(at, row, func(*Review) error { return nil })
			if err != nil {
				return nil, err
			}
			// Not with IfVersion: a decision that was overtaken by the same one must then read that there is nothing to decide.
			if c.Before.Version != version {
				return nil, &dynastay.Error{Op: d.op, Entity: "Review", ID: idOf(at), Kind: dynastay.ErrVersion}
			}
			c.Touch()
			return c.After, r.setStatus(ctx, tx, c, d.to, d.reason)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Review, error) {
			return r.Get(ctx, reviewID, dynastay.Consistent)
		},
	})
}

// overtaken returns ErrOvertaken if a review has changed since it was read, and otherwise err.
func (r *Repository) overtaken(ctx context.Context, read dynastay.Row, err error) error {
	now, readErr := r.db.Get(ctx, keys.ReviewsTable, keys.ReviewsTable.Key.From(read), dynastay.Consistent)
	switch {
	case readErr != nil:
		return readErr
	case !reflect.DeepEqual(now.Item(), read.Item()):
		return dynastay.ErrOvertaken
	}
	return err
}

// setStatus adds the actions that write a review with another status, and move the rating of the property accordingly.
func (r *Repository) setStatus(
	ctx context.Context, tx *dynastay.Tx, c *entity.Change[Review], to Status, reason string,
) error {
	err := c.Keep(func(v *Review) error {
		v.Status, v.RejectionReason = to, reason
		return nil
	})
	if err != nil {
		return err
	}
	if before, after := c.Before.counted(), c.After.counted(); before != after {
		_, err := r.properties.AddRating(ctx, tx, c.After.PropertyID, before, after)
		if errors.Is(err, dynastay.ErrCorrupt) {
			// Another process may have withdrawn the rating after the review was read.
			err = r.overtaken(ctx, c.Row, err)
		}
		if err != nil && !(after == 0 && isGone(err)) {
			return err
		}
	}
	return c.AddTo(tx)
}
