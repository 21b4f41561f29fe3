package reviews

import (
	"context"

	"github.com/dynastay/dynastay"
)

// Public reads reviews for other people than their authors: one that is not approved is not found. Give the handlers of
// guests a Public instead of the [Repository], and none of them can show a review that waits for moderation. Its methods
// send the requests of the methods of Repository with the same names.
type Public struct{ r *Repository }

// Public returns the public view of this repository. It sends no requests.
func (r *Repository) Public() *Public { return &Public{r} }

// Get is [Repository.Get] for an approved review.
func (p *Public) Get(ctx context.Context, reviewID string, opts ...dynastay.ReadOption) (*Review, error) {
	found, err := p.r.Get(ctx, reviewID, opts...)
	if err == nil && found.Status != Approved {
		return nil, &dynastay.Error{Op: "reviews.Get", Entity: "Review", ID: reviewID, Kind: dynastay.ErrNotFound}
	}
	return found, err
}

// ByProperty is [Repository.ByProperty], which lists only approved reviews.
func (p *Public) ByProperty(propertyID string) dynastay.List[*Review] {
	return p.r.ByProperty(propertyID)
}

// ByUser is [Repository.ByUser] without the reviews that are not approved. They are read nevertheless.
func (p *Public) ByUser(userID string) dynastay.List[*Review] {
	return p.r.ByUser(userID).Filter(func(v *Review) bool { return v.Status == Approved })
}

// WithResponses is [Repository.WithResponses].
func (p *Public) WithResponses(ctx context.Context, reviews []*Review) ([]*Review, error) {
	return p.r.WithResponses(ctx, reviews)
}
