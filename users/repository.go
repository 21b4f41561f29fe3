package users

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository reads and writes the users of a platform and what belongs to them.
type Repository struct {
	db          *dynastay.DB
	emails      *emailKeys
	entity      *entity.Entity[User]
	table       *entity.Table[User]
	preferences *entity.Table[Preferences]
	accounts    *entity.Table[Loyalty]
	entries     *entity.Table[LoyaltyEntry]
	wishlists   *entity.Table[Wishlist]
	tombstones  *entity.Table[Erased]
	tiers       []TierFrom
}

// Options configure [New]. All processes that use the table must have the same options.
type Options struct {
	// EmailSecret keeps e-mail addresses out of the keys, which appear in logs and metrics. The keys contain the
	// HMAC-SHA-256 of the address with the secret instead, see [key.HashEmail]. It must be at least 32 bytes. It is set
	// when the table is first used and cannot be changed afterwards: using a different secret, or none, fails with
	// [ErrEmailSecret]. Users that other software stored in the table without a secret are not found by their
	// addresses, and their addresses can be taken again. Default: none, the keys contain the addresses.
	EmailSecret []byte
	// Tiers are the tiers of the loyalty programme, in the order of their points; the first one begins at 0. Tiers that
	// users already have are not changed when the list is changed; see [Repository.EarnOp]. Default: [DefaultTiers].
	Tiers []TierFrom
}

// New returns a repository. It sends no requests. A nil opts means the defaults. New panics if the secret is shorter
// than 32 bytes, or if the tiers do not begin at 0, are not in the order of their points, or have an empty or repeated
// name.
//
// Create one for the process and share it: on its first use, it checks once that the table was first used with the same
// secret. That takes 1 more request, or 2 if the table has no users yet.
func New(db *dynastay.DB, opts *Options) *Repository {
	var secret []byte
	tiers := DefaultTiers
	if opts != nil && opts.EmailSecret != nil {
		if n := len(opts.EmailSecret); n < minSecret {
			panic(fmt.Sprintf("users.New: Options.EmailSecret must be at least %d bytes, got %d", minSecret, n))
		}
		secret = slices.Clone(opts.EmailSecret)
	}
	if opts != nil && len(opts.Tiers) > 0 {
		tiers = opts.Tiers
		checkTiers(tiers)
	}
	emails := newEmailKeys(db, secret)
	users := newEntity(emails)
	return &Repository{
		db: db, emails: emails, entity: users,
		table:       entity.NewTable(db, users),
		preferences: entity.NewTable(db, preferencesEntity),
		accounts:    entity.NewTable(db, loyaltyEntity),
		entries:     entity.NewTable(db, entryEntity),
		wishlists:   entity.NewTable(db, wishlistEntity),
		tombstones:  entity.NewTable(db, erasedEntity),
		tiers:       slices.Clone(tiers),
	}
}

// CreateOp writes a new user and claims the e-mail address. An empty ID is generated, and the times and the version are
// set. It fails with [dynastay.ErrAlreadyExists], with [dynastay.Error.Field] "Email" if the address belongs to another
// user, with [ErrErased] if the data of a user with this ID was erased, and with [ErrEmailSecret].
func (r *Repository) CreateOp(u User) *dynastay.Operation[*User] {
	return r.createOp("users.Create", u, time.Time{})
}

func (r *Repository) createOp(op string, u User, at time.Time) *dynastay.Operation[*User] {
	generated := u.ID == ""
	if email, err := key.NormalEmail(u.Email); err == nil { // otherwise the creation refuses it
		u.Email = email
	}
	made, err := r.table.Creation(&u)
	made.At = at
	input := made.Input
	if !at.IsZero() {
		input = nil // an import
	}
	return dynastay.NewOp(dynastay.OpSpec[*User]{
		Name: op, Invalid: err, Input: input,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*User, error) {
			if err := r.emails.claim(ctx, op); err != nil {
				return nil, err
			}
			if !generated { // a generated id is new, so nobody can have erased its user
				if err := checkNotErased(tx, op, u.ID); err != nil {
					return nil, err
				}
			}
			err := made.AddTo(tx)
			user := *made.Value // so that changes to the result do not affect the next preparation
			return &user, err
		},
		Restore: func(ctx context.Context, ids map[string]string) (*User, error) {
			return r.Get(ctx, ids["UserId"], dynastay.Consistent)
		},
	})
}

// Create runs [Repository.CreateOp]. 1 request; the first use of the repository takes 1 more, or 2 if the table has no
// users yet, see [New].
func (r *Repository) Create(ctx context.Context, u User, opts ...dynastay.WriteOption) (*User, error) {
	return dynastay.Do(ctx, r.db, r.CreateOp(u), opts...)
}

// ByEmail returns the user with an e-mail address, or fails with [dynastay.ErrNotFound]. By default it reads only the
// index, so a user who has just signed up or changed the address may be missing, or may still be found under the old
// address. That is sufficient to find a user, but not to base a decision on. For a login, use [dynastay.Consistent]:
// the address's guard and then the profile are read consistently, in 2 requests. If the table was first used with a
// different secret, ByEmail fails with [ErrEmailSecret]. If nobody has an address with an international domain that is not
// in its normal form, ByEmail also looks for a user who was stored with that spelling, in as many requests again.
//
// Pattern U1: GSI1-EmailIndex, GSI1PK = EMAIL#{email}, 1 request
func (r *Repository) ByEmail(ctx context.Context, email string, opts ...dynastay.ReadOption) (_ *User, err error) {
	ctx, end := r.db.Begin(ctx, "users.ByEmail")
	defer func() { end(err) }()
	normal, err := key.NormalEmail(email)
	if err != nil {
		return nil, err
	}
	partition, err := r.emails.partition(normal)
	if err != nil {
		return nil, err
	}
	typed, err := r.emails.partition(email)
	if err != nil {
		return nil, err
	}
	if err := r.emails.check(ctx); err != nil {
		return nil, err
	}
	user, err := r.find(ctx, normal, partition, opts)
	if errors.Is(err, dynastay.ErrNotFound) && typed != partition { // the address may have been stored as it was typed
		user, err = r.find(ctx, email, typed, opts)
	}
	if errors.Is(err, dynastay.ErrNotFound) {
		if err := r.emails.missed(ctx); err != nil {
			return nil, err
		}
	}
	return user, err
}

func (r *Repository) find(ctx context.Context, email, partition string, opts []dynastay.ReadOption) (*User, error) {
	if slices.Contains(opts, dynastay.Consistent) {
		return r.table.Find(ctx, "Email", &User{Email: email})
	}
	page, err := r.table.List(dynastay.Query{
		Name: "users.ByEmail", Index: keys.EmailIndex, Partition: partition,
	}).Page(ctx, dynastay.Paging{Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(page.Items) == 0 {
		return nil, &dynastay.Error{Op: "users.ByEmail", Entity: "User", Kind: dynastay.ErrNotFound}
	}
	return page.Items[0], nil
}

// Get reads a profile, or fails with [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent].
//
// Pattern U2: Users, PK = USER#{userId}, SK = PROFILE, 1 request
func (r *Repository) Get(ctx context.Context, userID string, opts ...dynastay.ReadOption) (*User, error) {
	key, err := keys.Of(keys.Profile{UserID: userID})
	if err != nil {
		return nil, err
	}
	return r.table.Get(ctx, key, opts...)
}
