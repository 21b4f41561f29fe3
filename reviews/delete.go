package reviews

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Delete deletes a review with its response and its votes. Its booking can then be reviewed again. If the review is
// approved, it is rejected first, with its rating withdrawn from that of the property; the review itself is deleted
// last. If Delete fails in between, or the program ends, call it again: it finishes what is left. Delete does not check
// who calls it, unless [dynastay.IfUser] is among opts; it accepts no idempotency key. A rating that the property cannot have counted is not withdrawn, nor is that of a review of other
// software which lacks one of its ids: Delete deletes these reviews all the same.
//
// It fails with [dynastay.ErrNotFound] if the review does not exist, and with [dynastay.ErrContention] if the review
// keeps being approved meanwhile. 4 requests; 2 more for an approved review, and 1 for every 99 votes and the response.
func (r *Repository) Delete(ctx context.Context, reviewID string, opts ...dynastay.WriteOption) (err error) {
	ctx, end := r.db.Begin(ctx, "reviews.Delete")
	defer func() { end(err) }()
	at, err := keys.Of(keys.Review{ReviewID: reviewID})
	if err != nil {
		return err
	}
	for range mostRepairs {
		if err = r.delete(ctx, at, opts); !errors.Is(err, dynastay.ErrVersion) {
			return err
		}
	}
	return &dynastay.Error{Op: opDelete, Entity: "Review", ID: reviewID, Kind: dynastay.ErrContention, Err: errors.New(err.Error())}
}

const opDelete = "reviews.Delete"

// delete returns ErrVersion if the review has changed meanwhile.
func (r *Repository) delete(ctx context.Context, at dynastay.Key, opts []dynastay.WriteOption) error {
	whole, err := r.hide(ctx, at, opts)
	if err != nil {
		return err
	}
	rows, err := dynastay.QueryAll(ctx, r.db, keys.ReviewsTable, dynastay.Query{Partition: at.PK, Consistent: true})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(rows, func(row dynastay.Row) bool { return keys.ReviewsTable.Key.From(row) == at })
	if i < 0 {
		return notApproved(opDelete, at, dynastay.Row{})
	}
	review := rows[i]
	written := review.Value(keys.ReviewsTable.WriteIDName())
	if whole && (Status(review.Text(keys.AttrStatus)) == Approved || written.Kind() != dynastay.KindBinary) {
		return &dynastay.Error{Op: opDelete, Entity: "Review", ID: idOf(at), Kind: dynastay.ErrVersion}
	}
	rows = slices.Delete(rows, i, i+1)
	left, counted := votesIn(rows), dynastay.Absent(attrHelpful)
	if count := review.Value(attrHelpful); !count.IsNull() {
		counted = helpful.Equal(expression.Value(count.Stored()))
	}
	for part := range slices.Chunk(rows, mostDeleted) {
		left -= votesIn(part)
		if _, err := dynastay.Do(ctx, r.db, r.deleteOp(review, part, counted, left)); err != nil {
			return err
		}
		counted = helpful.Equal(expression.Value(left))
	}
	if !whole {
		_, err := dynastay.Do(ctx, r.db, r.removeOp(review))
		return err
	}
	var id dynastay.WriteID
	if err := id.UnmarshalDynamoDBAttributeValue(written.Stored()); err != nil {
		return err
	}
	return r.table.Delete(ctx, at, dynastay.IfWritten(id))
}

// hide runs hideOp, with the options of the delete: a review never changes its user, so the next steps need not compare
// it again. A rating that the property cannot have counted is not withdrawn. It returns false for a review of
// other software that cannot be written, and is deleted as it is.
func (r *Repository) hide(ctx context.Context, at dynastay.Key, opts []dynastay.WriteOption) (whole bool, err error) {
	_, err = repaired(ctx, r, opDelete, func(ctx context.Context) (struct{}, error) {
		return dynastay.Do(ctx, r.db, r.hideOp(at, true), opts...)
	})
	if errors.Is(err, dynastay.ErrCorrupt) { // of the property, of a review that a repair counts, or of this one
		_, err = dynastay.Do(ctx, r.db, r.hideOp(at, false), opts...)
	}
	if errors.Is(err, dynastay.ErrCorrupt) {
		return false, nil
	}
	return true, err
}

// removeOp deletes a review as it was read, without its guard, which other software does not write.
func (r *Repository) removeOp(review dynastay.Row) *dynastay.Operation[struct{}] {
	at := keys.ReviewsTable.Key.From(review)
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: opDelete,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			gone, err := tx.Remove(keys.ReviewsTable, review, r.entity.Known()...)
			if err != nil {
				return struct{}{}, err
			}
			gone.Else(func(old dynastay.Row) error {
				if !old.Exists() {
					return notApproved(opDelete, at, old)
				}
				return &dynastay.Error{Op: opDelete, Entity: "Review", ID: idOf(at), Kind: dynastay.ErrVersion}
			})
			return struct{}{}, nil
		},
	})
}

// hideOp makes sure that a review gets no more votes and responses, which only approved reviews can get, and that it
// has a write id, by which the next steps recognise that it is still hidden.
func (r *Repository) hideOp(at dynastay.Key, withdraw bool) *dynastay.Operation[struct{}] {
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: opDelete, Owned: true,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (struct{}, error) {
			row, err := r.readFor(ctx, tx, at)
			if err != nil {
				return struct{}{}, err
			}
			c, err := r.changeOf(at, row, func(*Review) error { return nil })
			if err != nil {
				return struct{}{}, err
			}
			to := c.Before.Status
			if to == Approved {
				to = Rejected
			}
			if c.Row.Value(keys.ReviewsTable.WriteIDName()).Kind() != dynastay.KindBinary {
				c.Renew()
			}
			if !withdraw {
				if err := c.Keep(func(v *Review) error { v.Status = to; return nil }); err != nil {
					return struct{}{}, err
				}
				return struct{}{}, c.AddTo(tx)
			}
			return struct{}{}, r.setStatus(ctx, tx, c, to, c.Before.RejectionReason)
		},
	})
}

// mostDeleted is the number of items that one transaction can delete: with the update of the review, it has 100
// actions.
const mostDeleted = 99

// votesIn counts the votes in the rows.
func votesIn(rows []dynastay.Row) (n int) {
	for _, row := range rows {
		if strings.HasPrefix(keys.ReviewsTable.Key.From(row).SK, keys.SortKind[keys.Vote]()) {
			n++
		}
	}
	return n
}

// deleteOp deletes votes and the response of a review that is still hidden, and sets its count of votes to the number
// that is left: if the other steps never follow, the review may be approved again. A user who takes a vote back
// meanwhile changes the count.
func (r *Repository) deleteOp(
	review dynastay.Row, rows []dynastay.Row, counted expression.ConditionBuilder, left int,
) *dynastay.Operation[struct{}] {
	unchanged := dynastay.MustCompile(expression.NewBuilder().
		WithCondition(dynastay.Unchanged(keys.ReviewsTable, review, r.entity.Known()...).And(counted)).
		WithUpdate(expression.Set(helpful, expression.Value(left)))).With(nil)
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: opDelete,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			at := keys.ReviewsTable.Key.From(review)
			tx.Update(keys.ReviewsTable, at, unchanged).Else(func(dynastay.Row) error {
				return &dynastay.Error{Op: opDelete, Entity: "Review", ID: idOf(at), Kind: dynastay.ErrVersion}
			})
			for _, row := range rows {
				tx.Delete(keys.ReviewsTable, keys.ReviewsTable.Key.From(row))
			}
			return struct{}{}, nil
		},
	})
}
