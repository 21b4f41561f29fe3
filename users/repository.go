package users

import (
	"context"
	"fmt"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository makes and finds users.
type Repository struct {
	db     *dynastay.DB
	emails *emailKeys
	table  *entity.Table[User]
}

// Options configure [New]. Every process that works on the table has the same ones.
type Options struct {
	// EmailSecret keeps e-mail addresses out of the keys, where logs and metrics show them: they hold the address's
	// HMAC-SHA-256 under the secret instead, see [key.HashEmail]. It has at least 32 bytes. It is chosen when the table is
	// first used, and cannot be changed afterwards: another one, or none, is refused with [ErrEmailSecret]. Default: none,
	// the keys hold the addresses.
	EmailSecret []byte
}

// New makes a repository. It sends nothing. A nil opts means the defaults. It panics where the secret is too short.
//
// Make one for the process and share it: before its first use it asks the table, once, for the secret that it was first
// used with. That is 1 request more, and 2 for the first user of all.
func New(db *dynastay.DB, opts *Options) *Repository {
	var secret []byte
	if opts != nil && opts.EmailSecret != nil {
		if n := len(opts.EmailSecret); n < minSecret {
			panic(fmt.Sprintf("users.New: Options.EmailSecret must be at least %d bytes, got %d", minSecret, n))
		}
		secret = slices.Clone(opts.EmailSecret)
	}
	r := &Repository{db: db, emails: newEmailKeys(db, secret)}
	r.table = entity.NewTable(db, newEntity(r.emails))
	return r
}

// CreateOp writes a new user and claims the e-mail address. An empty ID is drawn; times and version are set. It is
// refused with [dynastay.ErrAlreadyExists], whose Field is "Email" where the address belongs to another user, and with
// [ErrEmailSecret].
func (r *Repository) CreateOp(u User) *dynastay.Operation[*User] {
	if email, err := key.NormalEmail(u.Email); err == nil { // otherwise the creation refuses it
		u.Email = email
	}
	made, err := r.table.Creation(&u)
	return dynastay.NewOp(dynastay.OpSpec[*User]{
		Name: "users.Create", Invalid: err, Input: made.Input,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*User, error) {
			if err := r.emails.claim(ctx); err != nil {
				return nil, err
			}
			err := made.AddTo(tx)
			user := *made.Value // what others do with the result is not what the next preparation writes
			return &user, err
		},
		Restore: func(ctx context.Context, ids map[string]string) (*User, error) {
			return r.Get(ctx, ids["UserId"], dynastay.Consistent)
		},
	})
}

// Create is [Repository.CreateOp], sent. 1 request.
func (r *Repository) Create(ctx context.Context, u User, opts ...dynastay.WriteOption) (*User, error) {
	return dynastay.Do(ctx, r.db, r.CreateOp(u), opts...)
}

// ByEmail is the user with an e-mail address, or [dynastay.ErrNotFound]. It answers from the index alone, so a user
// who signed up or changed the address a moment ago may be missing or still be found under the old one: good for
// finding a user, not for deciding on one. A login asks for [dynastay.Consistent]: the address's guard is then read, and
// the profile, 2 requests. A table that was first used with another secret is refused with [ErrEmailSecret].
//
// Pattern U1: GSI1-EmailIndex, GSI1PK = EMAIL#{email}, 1 request
func (r *Repository) ByEmail(ctx context.Context, email string, opts ...dynastay.ReadOption) (*User, error) {
	text, err := r.emails.text(email)
	if err != nil {
		return nil, err
	}
	row, err := keys.Of(keys.ProfileByEmail{Email: text})
	if err != nil {
		return nil, err
	}
	if err := r.emails.check(ctx); err != nil {
		return nil, err
	}
	if slices.Contains(opts, dynastay.Consistent) {
		return r.table.Find(ctx, "Email", &User{Email: email})
	}
	page, err := r.table.List(dynastay.Query{
		Name: "users.ByEmail", Index: keys.EmailIndex, Partition: row.PK,
	}).Page(ctx, dynastay.Paging{Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(page.Items) == 0 {
		return nil, &dynastay.Error{Op: "users.ByEmail", Entity: "User", Kind: dynastay.ErrNotFound}
	}
	return page.Items[0], nil
}

// Get reads a profile, or fails with [dynastay.ErrNotFound]. [dynastay.Consistent] may be asked for.
//
// Pattern U2: Users, PK = USER#{userId}, SK = PROFILE, 1 request
func (r *Repository) Get(ctx context.Context, userID string, opts ...dynastay.ReadOption) (*User, error) {
	key, err := keys.Of(keys.Profile{UserID: userID})
	if err != nil {
		return nil, err
	}
	return r.table.Get(ctx, key, opts...)
}
