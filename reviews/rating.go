package reviews

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/properties"
)

// changeOf starts a change of a review that was read. A review of other software may lack what its keys are made from;
// such a review can be read and deleted, but not written.
func (r *Repository) changeOf(
	at dynastay.Key, row dynastay.Row, fn func(*Review) error, opts ...dynastay.UpdateOption,
) (*entity.Change[Review], error) {
	if row.Exists() {
		v, err := r.entity.Value(row)
		if err != nil {
			return nil, err
		}
		own, err := r.entity.Key(v)
		for _, key := range r.entity.Indexes {
			if err == nil {
				_, err = key(v)
			}
		}
		if err == nil && own != at {
			err = errOtherID
		}
		if err != nil { // only the text: it is not about the caller's arguments
			return nil, &dynastay.Error{Entity: "Review", ID: idOf(at), Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error())}
		}
	}
	return r.table.ChangeOf(at, row, fn, opts...)
}

var errOtherID = errors.New("ReviewId must be the id in the key")

// isGone reports whether a property has no rating to move any more.
func isGone(err error) bool {
	var status *properties.StatusError
	return errors.Is(err, dynastay.ErrNotFound) || errors.As(err, &status)
}

// mostRepairs limits how often one call prepares a property that other software keeps changing.
const mostRepairs = 10

// repaired runs a write that moves the rating of a property, and again if the property must be adopted first, or if
// its sum of ratings is wrong: other software may have left only a rounded average, whose sum is not exact. All of it is
// the operation op.
func repaired[R any](ctx context.Context, r *Repository, op string, write func(context.Context) (R, error)) (made R, err error) {
	ctx, end := r.db.Begin(ctx, op)
	defer func() { end(err) }()
	made, err = write(ctx)
	right := false
	for range mostRepairs {
		var failure *dynastay.Error
		if !errors.As(err, &failure) || failure.Entity != "Property" {
			break
		}
		switch {
		case errors.Is(err, properties.ErrForeign):
			err = r.properties.Adopt(ctx, failure.ID)
		case errors.Is(err, dynastay.ErrCorrupt) && failure.Field == "RatingSum":
			if right {
				return made, err // the sum is right, and does not contain the rating
			}
			var recount properties.Recount
			recount, err = r.RepairRating(ctx, failure.ID)
			right = err == nil && !recount.Changed
		default:
			return made, err
		}
		if err != nil && !isGone(err) { // the write knows what it means that the property is gone
			break
		}
		made, err = write(ctx)
	}
	return made, err
}

// RepairRating counts the approved reviews of a property, and corrects the number, the sum and the average of its
// ratings if they are different. The result tells what they were and what they are. It is for properties that other
// software has rated; the methods of this package keep the rating exact.
//
// RepairRating reads the property, waits for [dynastay.Options.IndexLag], because the list of reviews lags, and reads
// all approved reviews. If a review is moderated meanwhile, it starts again; if that happens too often, it fails with
// [dynastay.ErrContention]. A review that cannot be decoded fails it with a [*dynastay.UnreadableError]. It also fails
// with [dynastay.ErrNotFound], and with a [*properties.StatusError] if the property is being deleted. 1 request and 1
// for every 1,000 reviews or 1 MB, and 1 to correct the rating.
func (r *Repository) RepairRating(ctx context.Context, propertyID string) (_ properties.Recount, err error) {
	ctx, end := r.db.Begin(ctx, "reviews.RepairRating")
	defer func() { end(err) }()
	return r.properties.Recount(ctx, propertyID, func(ctx context.Context) (properties.RatingTotals, error) {
		return r.countRatings(ctx, propertyID)
	})
}

// countRatings counts the approved reviews of a property, once the list of reviews has all that were approved before.
func (r *Repository) countRatings(ctx context.Context, propertyID string) (t properties.RatingTotals, err error) {
	if err := r.db.AwaitIndexes(ctx); err != nil {
		return t, err
	}
	return r.countListed(ctx, propertyID)
}

func (r *Repository) countListed(ctx context.Context, propertyID string) (t properties.RatingTotals, err error) {
	paging := dynastay.Paging{Limit: 1000}
	for {
		page, err := r.ByProperty(propertyID).Page(ctx, paging)
		if err != nil {
			return t, err
		}
		for _, review := range page.Items {
			if rating := review.counted(); rating > 0 {
				t.Reviews, t.Tenths = t.Reviews+1, t.Tenths+int(rating)
			}
		}
		if paging.After = page.Next; page.Next == "" {
			return t, nil
		}
	}
}

// VerifyRating compares the number and the sum of the ratings of a property with its approved reviews. It fails with an
// [*entity.DifferentError] if they differ, which [Repository.RepairRating] mends. If a review is moderated meanwhile, it counts
// again. It never writes. A property that is gone, or being deleted, has nothing to compare. It fails with [properties.ErrForeign] for one
// that has not been adopted. 1 request, and 1 for every 1,000 reviews or 1 MB. If something seems to differ, it waits for
// [dynastay.Options.IndexLag] and counts again: as many requests more, and 2.
func (r *Repository) VerifyRating(ctx context.Context, propertyID string) (err error) {
	ctx, end := r.db.Begin(ctx, "reviews.VerifyRating")
	defer func() { end(err) }()
	for _, count := range []func(context.Context, string) (properties.RatingTotals, error){r.countListed, r.countRatings} {
		err = r.properties.VerifyTotals(ctx, propertyID, func(ctx context.Context) (properties.RatingTotals, error) {
			return count(ctx, propertyID)
		})
		var different *entity.DifferentError
		if !errors.As(err, &different) { // otherwise the list may lag
			break
		}
	}
	if isGone(err) {
		return nil
	}
	return err
}
