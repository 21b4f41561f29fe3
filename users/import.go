package users

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// ImportOp is [Repository.CreateOp] for a user who is known from another system: with the ID and CreatedAt that the user has
// there, both of which are required, and with LastLoginAt, EmailVerified and PhoneVerified as they are given. If a user with the
// ID exists, it fails with [dynastay.ErrAlreadyExists] without a Field, so that a repetition is harmless;
// it takes no idempotency key.
func (r *Repository) ImportOp(u User) *dynastay.Operation[*User] {
	err := checkImport(&u)
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*User]{Name: "users.Import", Invalid: err})
	}
	return r.createOp("users.Import", u, u.CreatedAt)
}

// Import runs [Repository.ImportOp]. The requests are those of [Repository.Create].
func (r *Repository) Import(ctx context.Context, u User) (*User, error) {
	return dynastay.Do(ctx, r.db, r.ImportOp(u))
}

func checkImport(u *User) error {
	if _, err := keys.Of(keys.Profile{UserID: u.ID}); err != nil {
		return dynastay.Invalid("ID", "must be an id that a key can have")
	}
	if u.CreatedAt.IsZero() {
		return dynastay.Invalid("CreatedAt", "is required")
	}
	return u.Validate()
}
