package users

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository makes and finds users.
type Repository struct {
	db    *dynastay.DB
	table *entity.Table[User]
}

// Options configure [New].
type Options struct{}

// New makes a repository. It sends nothing.
func New(db *dynastay.DB, opts *Options) *Repository {
	return &Repository{db, entity.NewTable(db, newEntity())}
}

// CreateOp writes a new user and claims the e-mail address. An empty ID is drawn; times and version are set. It is
// refused with [dynastay.ErrAlreadyExists], whose Field is "Email" where the address belongs to another user.
func (r *Repository) CreateOp(u User) *dynastay.Operation[*User] {
	if email, err := key.NormalEmail(u.Email); err == nil { // otherwise the table refuses it
		u.Email = email
	}
	return r.table.CreateOp(&u)
}

// Create is [Repository.CreateOp], sent. 1 request.
func (r *Repository) Create(ctx context.Context, u User, opts ...dynastay.WriteOption) (*User, error) {
	return dynastay.Do(ctx, r.db, r.CreateOp(u), opts...)
}

// ByEmail is the user with an e-mail address, or [dynastay.ErrNotFound]. It answers from the index alone, so a user
// who signed up or changed the address a moment ago may be missing or still be found under the old one: good for
// finding a user, not for deciding on one.
//
// Pattern U1: GSI1-EmailIndex, GSI1PK = EMAIL#{email}, 1 request
func (r *Repository) ByEmail(ctx context.Context, email string) (*User, error) {
	row, err := keys.Of(keys.ProfileByEmail{Email: email})
	if err != nil {
		return nil, err
	}
	page, err := r.table.Query(ctx, dynastay.Query{
		Name: "users.ByEmail", Index: keys.EmailIndex, Partition: row.PK, Paging: dynastay.Paging{Limit: 1},
	})
	if err != nil {
		return nil, err
	}
	if len(page.Items) == 0 {
		return nil, &dynastay.Error{Op: "users.ByEmail", Entity: "User", Kind: dynastay.ErrNotFound}
	}
	return page.Items[0], nil
}

// Get reads a profile, or fails with [dynastay.ErrNotFound].
//
// Pattern U2: Users, PK = USER#{userId}, SK = PROFILE, 1 request
func (r *Repository) Get(ctx context.Context, userID string) (*User, error) {
	key, err := keys.Of(keys.Profile{UserID: userID})
	if err != nil {
		return nil, err
	}
	return r.table.Get(ctx, key, false)
}
