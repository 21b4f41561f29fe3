package properties

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/stored"
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

// RateOp updates the average rating of a property: before is the rating that a review had, and after the one that it
// has now. For a review that is new, or approved again, before is 0; for a review that is withdrawn, after is 0. The
// sum of the ratings is stored exactly; the average is rounded half up to one decimal place. The index keys and the
// card are updated in the same write. The version of the property stays the same.
//
// RateOp does not know the reviews: write it in one transaction with the change of the review, so that no rating is
// counted twice or lost. It fails with [dynastay.ErrNotFound] if the property does not exist, with a [*StatusError] if
// it is being deleted, with [ErrForeign], and with [dynastay.ErrCorrupt] if the remaining reviews cannot have the sum
// of ratings that results, for example because before was never counted.
func (r *Repository) RateOp(propertyID string, before, after dynastay.Rating) *dynastay.Operation[*Property] {
	err := cmp.Or(dynastay.Within("Before", before.Validate()), dynastay.Within("After", after.Validate()))
	if err == nil && before == 0 && after == 0 {
		err = dynastay.Invalid("After", "is required if Before is 0")
	}
	return partOp(r, "properties.Rate", propertyID, partSpec[*Property]{
		invalid: err,
		input: func(in *dynastay.Input) {
			in.Field("before", before.String())
			in.Field("after", after.String())
		},
		prepare: func(_ context.Context, _ *dynastay.Tx, c *entity.Change[Property]) (*Property, error) {
			return c.After, c.Keep(func(p *Property) error { return p.rate(before, after) })
		},
		restore: r.restoreProperty(propertyID),
	})
}

// Rate runs [Repository.RateOp], after [Repository.Adopt] if it is needed. 2 requests.
func (r *Repository) Rate(
	ctx context.Context, propertyID string, before, after dynastay.Rating, opts ...dynastay.WriteOption,
) (*Property, error) {
	return adopted(ctx, r, propertyID, func() (*Property, error) {
		return dynastay.Do(ctx, r.db, r.RateOp(propertyID, before, after), opts...)
	})
}

func (p *Property) rate(before, after dynastay.Rating) error {
	sum := p.ratingSum
	if !sum.known {
		sum = ratingSum{int(p.Rating) * p.ReviewCount, true}
	}
	sum.tenths += int(after) - int(before)
	if before == 0 {
		p.ReviewCount++
	}
	if after == 0 {
		p.ReviewCount--
	}
	if sum.tenths < 0 || sum.tenths > p.ReviewCount*int(dynastay.MaxRating) {
		return &dynastay.Error{
			Op: "properties.Rate", Entity: "Property", ID: p.ID, Field: "RatingSum", Kind: dynastay.ErrCorrupt,
			Err: fmt.Errorf("%d reviews cannot have a sum of %d tenths", p.ReviewCount, sum.tenths),
		}
	}
	p.ratingSum, p.Rating = sum, 0
	if p.ReviewCount > 0 {
		p.Rating = dynastay.Rating((2*sum.tenths + p.ReviewCount) / (2 * p.ReviewCount)) // half up
	}
	return nil
}
