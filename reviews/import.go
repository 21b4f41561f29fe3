package reviews

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// ImportOp is [Repository.CreateOp] for a review from another system: with the ID and the CreatedAt that it has there, both of
// which are required. Its booking must have been imported. The review is pending, and [Repository.Approve] with version 1 shows
// it. If a review with the ID exists, it fails with [dynastay.ErrAlreadyExists] without a Field, so that a repetition is harmless;
// it takes no idempotency key.
func (r *Repository) ImportOp(v Review) *dynastay.Operation[*Review] {
	if err := checkImport(&v); err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*Review]{Name: "reviews.Import", Invalid: err})
	}
	return r.createOp("reviews.Import", v, v.CreatedAt)
}

// Import runs [Repository.ImportOp]. 1 request.
func (r *Repository) Import(ctx context.Context, v Review) (*Review, error) {
	return dynastay.Do(ctx, r.db, r.ImportOp(v))
}

func checkImport(v *Review) error {
	if _, err := keys.Of(keys.Review{ReviewID: v.ID}); err != nil {
		return dynastay.Invalid("ID", "must be an id that a key can have")
	}
	if v.CreatedAt.IsZero() {
		return dynastay.Invalid("CreatedAt", "is required")
	}
	for _, key := range []func() (dynastay.Key, error){
		func() (dynastay.Key, error) { return keys.Of(keys.Booking{BookingID: v.BookingID}) },
		func() (dynastay.Key, error) { return keys.Of(keys.Property{PropertyID: v.PropertyID}) },
		func() (dynastay.Key, error) { return keys.Of(keys.Profile{UserID: v.UserID}) },
	} {
		if _, err := key(); err != nil {
			return err
		}
	}
	return v.Validate()
}
