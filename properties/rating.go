package properties

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/keys"
)

// ratingSum is the sum of all guest ratings, in tenths. The average alone is rounded, so sums computed from it would
// drift away from the reviews.
type ratingSum struct {
	tenths int
	known  bool // false for a property that other software rated
}

func (s ratingSum) stored() (types.AttributeValue, error) {
	if !s.known {
		return nil, nil
	}
	return stored.Number(strings.TrimSuffix(fmt.Sprintf("%d.%d", s.tenths/10, s.tenths%10), ".0")), nil
}

func ratingSumOf(v dynastay.Value) (ratingSum, error) {
	n, ok := stored.ReadNumeral(v.Text())
	for ok && n.Scale < 1 { // in tenths
		n.Digits, n.Scale = n.Digits+"0", n.Scale+1
	}
	if tenths, err := strconv.Atoi("0" + n.Digits); ok && err == nil && n.Scale == 1 && !n.Negative {
		return ratingSum{tenths, true}, nil
	}
	return ratingSum{}, dynastay.Invalid("", "must be a sum of ratings with at most 1 decimal place")
}

// RatingTotals is what the average rating of a property is computed from.
type RatingTotals struct {
	Reviews int // their number
	Tenths  int // the sum of their ratings, in tenths
}

// Average returns the average rating, rounded half up to one decimal place; 0 if there are no reviews.
func (t RatingTotals) Average() dynastay.Rating {
	if t.Reviews <= 0 {
		return 0
	}
	return dynastay.Rating((2*t.Tenths + t.Reviews) / (2 * t.Reviews))
}

// possible reports whether any ratings have these totals.
func (t RatingTotals) possible() bool {
	return t.Reviews >= 0 && t.Tenths >= 0 && t.Tenths <= t.Reviews*int(dynastay.MaxRating)
}

// Totals returns the number and the sum of the property's ratings. The sum is exact, unless other software has rated
// the property and left only the average: then it is the average × the number, until the first [Repository.Rate].
func (p *Property) Totals() RatingTotals {
	if p.ratingSum.known {
		return RatingTotals{p.ReviewCount, p.ratingSum.tenths}
	}
	return RatingTotals{p.ReviewCount, int(p.Rating) * p.ReviewCount}
}

func (p *Property) setTotals(t RatingTotals) {
	p.ReviewCount, p.Rating, p.ratingSum = t.Reviews, t.Average(), ratingSum{t.Tenths, true}
}

// RateOp updates the average rating of a property: before is the rating that a review had, and after the one that it
// has now. For a review that is new, or approved again, before is 0; for a review that is withdrawn, after is 0. The
// sum of the ratings is stored exactly; the average is rounded half up to one decimal place. The index keys and the
// card are updated in the same write. The version of the property stays the same. In one process, the operations that
// rate a property queue for it.
//
// RateOp does not know the reviews: package reviews writes it in one transaction with the change of the review, so that
// no rating is counted twice or lost. It fails with [dynastay.ErrNotFound] if the property does not exist, with a
// [*StatusError] if it is being deleted, with [ErrForeign], and with [dynastay.ErrCorrupt] if the remaining reviews
// cannot have the sum of ratings that results, for example because before was never counted.
func (r *Repository) RateOp(propertyID string, before, after dynastay.Rating) *dynastay.Operation[*Property] {
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	return dynastay.NewOp(dynastay.OpSpec[*Property]{
		Name: opRate, Invalid: cmp.Or(err, checkRatings(before, after)),
		Input: func(in *dynastay.Input) {
			in.Key(key)
			in.Field("before", before.String())
			in.Field("after", after.String())
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Property, error) {
			return r.AddRating(ctx, tx, propertyID, before, after)
		},
		Restore: r.restoreProperty(propertyID),
	})
}

const opRate = "properties.Rate"

func checkRatings(before, after dynastay.Rating) error {
	if before == 0 && after == 0 {
		return dynastay.Invalid("After", "is required if Before is 0")
	}
	return cmp.Or(dynastay.Within("Before", before.Validate()), dynastay.Within("After", after.Validate()))
}

// Rate runs [Repository.RateOp], after [Repository.Adopt] if it is needed. 2 requests.
func (r *Repository) Rate(
	ctx context.Context, propertyID string, before, after dynastay.Rating, opts ...dynastay.WriteOption,
) (*Property, error) {
	return adopted(ctx, r, propertyID, opRate, func(ctx context.Context) (*Property, error) {
		return dynastay.Do(ctx, r.db, r.RateOp(propertyID, before, after), opts...)
	})
}

// AddRating adds the action of [Repository.RateOp] to the transaction of another operation, and fails with the same
// errors. It is for authors of operations that change reviews. It replaces what the operation contends for by the
// property, waits for its turn, and then reads the property, so that operations that rate one property do not make each
// other fail. 1 request.
func (r *Repository) AddRating(
	ctx context.Context, tx *dynastay.Tx, propertyID string, before, after dynastay.Rating,
) (*Property, error) {
	if err := checkRatings(before, after); err != nil {
		return nil, err
	}
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return nil, err
	}
	if err := tx.Contend(ctx, dynastay.Contest{Items: []dynastay.Ref{dynastay.RefOf(keys.PropertiesTable, key)}}); err != nil {
		return nil, err
	}
	row, err := r.db.Get(ctx, keys.PropertiesTable, key, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	c, err := r.part(opRate, key, row)
	if err != nil {
		return nil, err
	}
	if err := keepTotals(c, c.Before.Totals().move(before, after)); err != nil {
		return nil, err
	}
	return c.After, c.AddTo(tx)
}

// keepTotals changes the totals of a property, and its average.
func keepTotals(c *entity.Change[Property], totals RatingTotals) error {
	if !totals.possible() {
		return &dynastay.Error{
			Op: opRate, Entity: "Property", ID: c.Before.ID, Field: "RatingSum", Kind: dynastay.ErrCorrupt,
			Err: fmt.Errorf("%d reviews cannot have a sum of %d tenths", totals.Reviews, totals.Tenths),
		}
	}
	return c.Keep(func(p *Property) error {
		p.setTotals(totals)
		return nil
	})
}

// move returns the totals after one rating has changed.
func (t RatingTotals) move(before, after dynastay.Rating) RatingTotals {
	t.Tenths += int(after) - int(before)
	if before == 0 {
		t.Reviews++
	}
	if after == 0 {
		t.Reviews--
	}
	return t
}

// Recount is the result of [Repository.RecountOp].
type Recount struct {
	Before, After RatingTotals `json:",omitzero"`
	// Changed reports whether the stored totals were wrong, or had no exact sum yet.
	Changed bool
}

// RecountOp replaces the totals of a property's ratings by those that count returns. It reads the property first, then
// calls count, and writes on condition that the property has not changed since it was read; otherwise it starts again.
// So count must return the totals of all ratings that were counted before it was called; a rating that is counted while
// it runs makes it run again. If the totals are right already, nothing is written. RecountOp fails with the errors of
// count, and with those of [Repository.RateOp]; with [dynastay.ErrCorrupt] if no ratings can have the totals that count
// returns. It cannot be written with an idempotency key, because a repeated call may well find something else.
func (r *Repository) RecountOp(
	propertyID string, count func(context.Context) (RatingTotals, error),
) *dynastay.Operation[Recount] {
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	return dynastay.NewOp(dynastay.OpSpec[Recount]{
		Name: "properties.Recount", Invalid: err,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (Recount, error) {
			row, err := r.db.Get(ctx, keys.PropertiesTable, key, dynastay.Consistent)
			if err != nil {
				return Recount{}, err
			}
			c, err := r.part("properties.Recount", key, row)
			if err != nil {
				return Recount{}, err
			}
			counted, err := count(ctx)
			if err != nil {
				return Recount{}, err
			}
			if err := keepTotals(c, counted); err != nil {
				return Recount{}, err
			}
			return Recount{c.Before.Totals(), counted, c.Changed()}, c.AddTo(tx)
		},
	})
}

// Recount runs [Repository.RecountOp], after [Repository.Adopt] if it is needed. 2 requests and those of count; 1 if
// the totals are right.
func (r *Repository) Recount(
	ctx context.Context, propertyID string, count func(context.Context) (RatingTotals, error),
) (Recount, error) {
	return adopted(ctx, r, propertyID, "properties.Recount", func(ctx context.Context) (Recount, error) {
		return dynastay.Do(ctx, r.db, r.RecountOp(propertyID, count))
	})
}

// VerifyTotals compares the totals of a property's ratings with those that count returns, which must be as [Repository.RecountOp] says.
// It fails with an [*entity.DifferentError] if they differ and the property has not changed while they were counted. It never
// writes. Otherwise it fails with the errors of count, with [dynastay.ErrNotFound], with [ErrForeign], and with a [*StatusError] if the
// property is being deleted. 1 request and those of count; 1 more if something seems to differ.
func (r *Repository) VerifyTotals(
	ctx context.Context, propertyID string, count func(context.Context) (RatingTotals, error),
) (err error) {
	ctx, end := r.db.Begin(ctx, "properties.VerifyTotals")
	defer func() { end(err) }()
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	if err != nil {
		return err
	}
	row, err := r.db.Get(ctx, keys.PropertiesTable, key, dynastay.Consistent)
	for range mostVerified {
		if err != nil {
			return err
		}
		c, err := r.part("properties.VerifyTotals", key, row)
		if err != nil {
			return err
		}
		counted, err := count(ctx)
		if err != nil {
			return err
		}
		right := counted == c.Before.Totals()
		if p := c.Before; !p.ratingSum.known { // other software has left only the average
			right = counted.Reviews == p.ReviewCount && counted.Average() == p.Rating
		}
		if right {
			return nil
		}
		now, err := r.db.Get(ctx, keys.PropertiesTable, key, dynastay.Consistent)
		if err != nil {
			return err
		}
		if id := keys.PropertiesTable.WriteIDName(); now.Exists() && slices.Equal(now.Value(id).Bytes(), row.Value(id).Bytes()) {
			return &entity.DifferentError{Entity: "Property", ID: propertyID, Attributes: []string{"RatingSum", "ReviewCount"}}
		}
		row = now
	}
	return nil // it is rated all the time, and so by the library
}
