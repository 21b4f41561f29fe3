package venue

import (
	"cmp"
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// CreateUserOp writes a new user and claims the e-mail address. An empty ID is generated; the counts, the times and the
// version are set, and given values are ignored. The user is a [Customer], whatever Role is: see
// [Repository.SetRoleOp]. It fails with [dynastay.ErrAlreadyExists], with [dynastay.Error.Field]
// "Email" if the address belongs to another user, and with the error of [User.Validate].
func (r *Repository) CreateUserOp(u User) *dynastay.Operation[*User] {
	u.Role, u.RequestedCount, u.ApprovedCount, u.moves = Customer, 0, 0, 0
	if email, err := key.NormalEmail(u.Email); err == nil { // otherwise the creation refuses it
		u.Email = email
	}
	return r.users.CreateOp(&u)
}

// CreateUser runs [Repository.CreateUserOp]. 1 request.
func (r *Repository) CreateUser(ctx context.Context, u User, opts ...dynastay.WriteOption) (*User, error) {
	return dynastay.Do(ctx, r.db, r.CreateUserOp(u), opts...)
}

// UpdateUserOp updates a profile. It passes the stored profile to fn, which may change Email, Name and Phone; a
// new address is claimed, and the old one is released, in the same transaction. fn may be called more than once; its
// errors are returned unchanged. UpdateUserOp fails with [dynastay.ErrNotFound], with [dynastay.ErrVersion] if the
// condition of [dynastay.IfVersion] does not hold, and like [Repository.CreateUserOp].
func (r *Repository) UpdateUserOp(
	userID string, fn func(*User) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*User] {
	at, err := key.Of(venuekeys.User{UserID: userID})
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*User]{Name: "venue.UpdateUser", Invalid: err})
	}
	return r.users.UpdateOp(at, func(u *User) error {
		before := u.Email
		if err := fn(u); err != nil {
			return err
		}
		if email, err := key.NormalEmail(u.Email); err == nil && u.Email != before {
			u.Email = email
		}
		return nil
	}, opts...)
}

// UpdateUser runs [Repository.UpdateUserOp]. 2 requests: a consistent read and the write.
func (r *Repository) UpdateUser(
	ctx context.Context, userID string, fn func(*User) error, opts ...dynastay.UpdateOption,
) (*User, error) {
	return dynastay.Do(ctx, r.db, r.UpdateUserOp(userID, fn, opts...))
}

// SetRoleOp makes a user an administrator, or a customer again, and records it in the audit log. It fails with
// [ErrNotAllowed] unless by is an administrator, with [dynastay.ErrNotFound], and with [dynastay.ErrInvalid]. A service
// makes its first administrator with an Actor of its own, such as the user "setup".
func (r *Repository) SetRoleOp(by Actor, userID string, role Role) *dynastay.Operation[*User] {
	at, err := key.Of(venuekeys.User{UserID: userID})
	return dynastay.NewOp(dynastay.OpSpec[*User]{
		Name: "venue.SetRole", Invalid: cmp.Or(by.admin(), err, role.validate()),
		Input: by.input(func(in *dynastay.Input) {
			in.Key(at)
			in.Field("role", string(role))
		}),
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*User, error) {
			c, err := r.users.Change(ctx, at, func(*User) error { return nil })
			if err != nil {
				return nil, err
			}
			if c.Before.Role == role {
				return c.After, nil
			}
			c.Touch()
			err = c.Keep(func(u *User) error {
				u.Role = role
				return nil
			})
			if err != nil {
				return nil, err
			}
			if err := r.audit(tx, by, AuditEntry{Action: RoleSet, UserID: userID, Note: string(role)}); err != nil {
				return nil, err
			}
			return c.After, c.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*User, error) {
			return r.User(ctx, userID, dynastay.Consistent)
		},
	})
}

// SetRole runs [Repository.SetRoleOp]. 2 requests: a consistent read and the write; 1 if the user has the role already.
func (r *Repository) SetRole(
	ctx context.Context, by Actor, userID string, role Role, opts ...dynastay.WriteOption,
) (*User, error) {
	return dynastay.Do(ctx, r.db, r.SetRoleOp(by, userID, role), opts...)
}

// User reads a user, or fails with [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent].
//
// Pattern V1: VenueBooking, PK = USER#{userId}, SK = METADATA, 1 request
func (r *Repository) User(ctx context.Context, userID string, opts ...dynastay.ReadOption) (*User, error) {
	at, err := key.Of(venuekeys.User{UserID: userID})
	if err != nil {
		return nil, err
	}
	return r.users.Get(ctx, at, opts...)
}

// UserByEmail returns the user with an e-mail address, or fails with [dynastay.ErrNotFound]. By default it reads only
// the index, so a user who has just been created or has changed the address may be missing, or may still be found under
// the old address. For a login, use [dynastay.Consistent]: the item that makes the address unique and then the user are
// read consistently, in 2 requests. If there is no such item, because other software created the user, the index is
// searched, in 2 or 3 more. If nobody has an address with an international domain that is not in its normal form,
// UserByEmail also looks for a user who was stored with that spelling, in as many requests again.
//
// Pattern V7: GSI1, GSI1PK = EMAIL#{email}, 1 request
func (r *Repository) UserByEmail(ctx context.Context, email string, opts ...dynastay.ReadOption) (_ *User, err error) {
	ctx, end := r.db.Begin(ctx, "venue.UserByEmail")
	defer func() { end(err) }()
	normal, err := key.NormalEmail(email)
	if err != nil {
		return nil, err
	}
	partition, err := r.emailPartition(normal)
	if err != nil {
		return nil, err
	}
	typed, err := r.emailPartition(email)
	if err != nil {
		return nil, err
	}
	u, err := r.findUser(ctx, normal, partition, opts)
	if errors.Is(err, dynastay.ErrNotFound) && typed != partition { // the address may have been stored as it was typed
		return r.findUser(ctx, email, typed, opts)
	}
	return u, err
}

// emailPartition returns the partition of an address in the index.
func (r *Repository) emailPartition(email string) (string, error) {
	inKeys, err := r.emailKey(email)
	if err != nil {
		return "", err
	}
	row, err := key.Of(venuekeys.UserByEmail{Email: inKeys})
	return row.PK, err
}

func (r *Repository) findUser(ctx context.Context, email, partition string, opts []dynastay.ReadOption) (*User, error) {
	if consistent(opts) {
		u, err := r.users.Find(ctx, "Email", &User{Email: email}, dynastay.Consistent)
		if errors.Is(err, dynastay.ErrNotFound) { // other software does not write the item that makes an address unique
			u, err = r.users.Find(ctx, "Email", &User{Email: email})
		}
		return u, err
	}
	page, err := r.users.List(dynastay.Query{
		Name: "venue.UserByEmail", Index: venuekeys.Index, Partition: partition,
	}).Page(ctx, dynastay.Paging{Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(page.Items) == 0 {
		return nil, &dynastay.Error{Op: "venue.UserByEmail", Entity: "User", Kind: dynastay.ErrNotFound}
	}
	return page.Items[0], nil
}

// UserWithBookings reads a user and all bookings of the user, by the ids of the bookings. It fails with
// [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent]. 1 request for each MB.
func (r *Repository) UserWithBookings(
	ctx context.Context, userID string, opts ...dynastay.ReadOption,
) (_ *User, _ []*UserBooking, err error) {
	ctx, end := r.db.Begin(ctx, "venue.UserWithBookings")
	defer func() { end(err) }()
	at, err := key.Of(venuekeys.User{UserID: userID})
	if err != nil {
		return nil, nil, err
	}
	// In the order of their sort keys, the bookings of a user come before the profile, and everything else after it.
	rows, err := dynastay.QueryAll(ctx, r.db, venuekeys.Table, dynastay.Query{
		Partition: at.PK, Range: dynastay.Range{From: key.SortKind[venuekeys.UserBooking](), To: at.SK}, Consistent: consistent(opts),
	})
	if err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 || venuekeys.Table.Key.From(rows[len(rows)-1]) != at {
		return nil, nil, &dynastay.Error{Op: "venue.UserWithBookings", Entity: "User", ID: userID, Kind: dynastay.ErrNotFound}
	}
	user, err := r.user.Value(rows[len(rows)-1])
	if err != nil {
		return nil, nil, err
	}
	var bookings []*UserBooking
	for _, row := range rows {
		if !key.Is[venuekeys.UserBooking](venuekeys.Table.Key.From(row)) { // the profile, or of other software
			continue
		}
		b, err := relation(row)
		if err != nil {
			return nil, nil, err
		}
		bookings = append(bookings, b)
	}
	return user, bookings, nil
}

// RecountOp counts the bookings of a user and corrects the user's statistics, for users of other software, which does
// not keep them. It fails with [dynastay.ErrNotFound].
func (r *Repository) RecountOp(userID string) *dynastay.Operation[*User] {
	const op = "venue.Recount"
	at, err := key.Of(venuekeys.User{UserID: userID})
	return dynastay.NewOp(dynastay.OpSpec[*User]{
		Name: op, Invalid: err, Input: func(in *dynastay.Input) { in.Key(at) },
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*User, error) {
			// First, so that a booking that changes later makes the condition fail.
			c, err := r.users.Change(ctx, at, func(*User) error { return nil })
			if err != nil {
				return nil, err
			}
			_, bookings, err := r.UserWithBookings(ctx, userID, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			n := 0
			for _, b := range bookings {
				if b.Status == Approved {
					n++
				}
			}
			c.After.RequestedCount, c.After.ApprovedCount = len(bookings), n
			if c.Row.Value(attrRequested).Kind() == dynastay.KindNumber && c.Row.Value(attrApproved).Kind() == dynastay.KindNumber &&
				c.Before.RequestedCount == len(bookings) && c.Before.ApprovedCount == n {
				return c.After, nil
			}
			c.Renew()
			c.Also(expression.
				Set(requested, expression.Value(len(bookings))).
				Set(approved, expression.Value(n)), dynastay.AsRead(attrMoves, c.Row))
			return c.After, c.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*User, error) {
			return r.User(ctx, userID, dynastay.Consistent)
		},
	})
}

// Recount runs [Repository.RecountOp]. 3 requests: two consistent reads, and the write; 2 if the statistics are
// correct.
func (r *Repository) Recount(ctx context.Context, userID string, opts ...dynastay.WriteOption) (*User, error) {
	return dynastay.Do(ctx, r.db, r.RecountOp(userID), opts...)
}
