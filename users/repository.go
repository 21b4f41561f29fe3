package users

import (
	"context"
	"errors"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Repository makes and finds users.
type Repository struct {
	db    *dynastay.DB
	table *dynastay.Table[User]
}

// New makes a repository. It sends nothing.
func New(db *dynastay.DB) *Repository {
	return &Repository{db: db, table: dynastay.NewTable(db, userEntity)}
}

var absent = dynastay.IfNew(keys.UsersTable)

// CreateOp writes a new user and claims the e-mail address. An empty ID is drawn; times and version are set. It is
// refused with [dynastay.ErrAlreadyExists], whose Field is "Email" where the address belongs to another user.
func (r *Repository) CreateOp(u User) *dynastay.Operation[*User] {
	given := u
	if u.ID == "" {
		u.ID = r.db.NewID("user_")
	}
	email, err := keys.NormalEmail(u.Email)
	if err == nil {
		u.Email = email
		err = u.Validate()
	}
	if err == nil {
		err = validID(u.ID)
	}
	taken := func(field string) dynastay.Failed {
		return func(dynastay.Item) error {
			return &dynastay.Error{Op: "users.Create", Entity: "User", ID: u.ID, Field: field, Kind: dynastay.ErrAlreadyExists}
		}
	}
	return dynastay.NewOp(dynastay.OpSpec[*User]{
		Name:    "users.Create",
		Invalid: err,
		Input:   func(in *dynastay.Input) { agreed(in, given) },
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*User, error) {
			made := u
			made.CreatedAt, made.Version = r.db.Now(), 1
			made.UpdatedAt = made.CreatedAt
			item, err := userEntity.Item(&made)
			if err != nil {
				return nil, err
			}
			guard, err := guardOf(made)
			if err != nil {
				return nil, err
			}
			tx.Made("UserId", made.ID)
			put := dynastay.Put(keys.UsersTable, item, absent, taken("")).Identified()
			if given.ID == "" {
				put = put.Drawn()
			}
			tx.Add(put, dynastay.Put(keys.UsersTable, guard, absent, taken("Email")))
			return &made, nil
		},
		Restore: func(ctx context.Context, made map[string]string) (*User, error) {
			return r.get(ctx, made["UserId"], true)
		},
	})
}

func validID(id string) error {
	_, err := keys.Of(keys.Profile{UserID: id})
	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) {
		return dynastay.Invalid("ID", "%s", invalid.Reason)
	}
	return err
}

// Create is [Repository.CreateOp], sent. 1 request.
func (r *Repository) Create(ctx context.Context, u User, opts ...dynastay.WriteOption) (*User, error) {
	return dynastay.Do(ctx, r.db, r.CreateOp(u), opts...)
}

// guardOf is the item that keeps an e-mail address for its user.
func guardOf(u User) (dynastay.Item, error) {
	key, err := keys.Of(keys.EmailGuard{Email: u.Email})
	item := keys.UsersTable.Key.Of(key)
	item[keys.AttrEntityType] = dynastay.S("Guard")
	item["UserId"] = dynastay.S(u.ID)
	return item, err
}

// agreed is the user as the caller gave it, in its stored form, without times, which a repeated call may draw anew; an
// id that was left empty is not in it yet.
func agreed(in *dynastay.Input, u User) {
	u.CreatedAt, u.UpdatedAt, u.LastLoginAt, u.Version = time.Time{}, time.Time{}, time.Time{}, 0
	if stored, err := userEntity.Codec.Encode(&u); err == nil {
		in.Item(stored)
	}
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
	return r.get(ctx, userID, false)
}

func (r *Repository) get(ctx context.Context, userID string, consistent bool) (*User, error) {
	key, err := keys.Of(keys.Profile{UserID: userID})
	if err != nil {
		return nil, err
	}
	return r.table.Get(ctx, key, consistent)
}
