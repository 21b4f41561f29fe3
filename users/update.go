package users

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/phone"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// UpdateOp updates a profile. It passes the stored profile to fn, which may change every field except ID, CreatedAt,
// UpdatedAt, LastLoginAt and Version. Only the changed attributes are written, on condition that the profile has not
// changed since it was read; if fn changes nothing, nothing is written. Attributes that are unknown to the library are
// kept, and if two callers update the profile at the same time, both changes are kept. fn may be called more than once;
// its errors are returned unchanged.
//
// A new e-mail address is claimed, and the old one is released, in the same transaction. If fn changes the address or
// the phone number, other than its spelling, EmailVerified or PhoneVerified becomes false, whatever fn sets it to. Use
// [Repository.VerifyEmailOp] and [Repository.VerifyPhoneOp] to set it again.
//
// UpdateOp fails with [dynastay.ErrNotFound], with [dynastay.ErrVersion] if the profile is not at the version of
// [dynastay.IfVersion], with [dynastay.ErrAlreadyExists] and Field "Email" if the address belongs to another user, and
// with [ErrEmailSecret].
func (r *Repository) UpdateOp(
	userID string, fn func(*User) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*User] {
	at, err := keys.Of(keys.Profile{UserID: userID})
	if err == nil {
		err = r.entity.CheckUpdate(opts...)
	}
	return r.changeOp("users.Update", userID, err, entity.InputOf(at, opts...), func(u *User) error {
		email, number := u.Email, u.Phone
		if err := fn(u); err != nil {
			return err
		}
		if u.Email != email {
			if normal, err := key.NormalEmail(u.Email); err == nil { // otherwise Validate refuses it
				u.Email = normal
			}
		}
		u.EmailVerified = u.EmailVerified && sameEmail(u.Email, email)
		u.PhoneVerified = u.PhoneVerified && phone.Normal(u.Phone) == phone.Normal(number)
		return nil
	}, opts...)
}

// Update runs [Repository.UpdateOp]. 2 requests: a consistent GetItem, and the write.
func (r *Repository) Update(
	ctx context.Context, userID string, fn func(*User) error, opts ...dynastay.UpdateOption,
) (*User, error) {
	return dynastay.Do(ctx, r.db, r.UpdateOp(userID, fn, opts...))
}

// VerifyEmailOp sets EmailVerified, after the user has shown that the address is theirs, for example with a link that
// was sent to it. email is the address that was verified. If the user has a different one by now, VerifyEmailOp fails
// with [dynastay.ErrVersion] and Field "Email". It fails with [dynastay.ErrNotFound] if there is no such user, and with
// [ErrEmailSecret]. If the address is verified already, nothing is written.
func (r *Repository) VerifyEmailOp(userID, email string) *dynastay.Operation[*User] {
	const op = "users.VerifyEmail"
	at, err := keys.Of(keys.Profile{UserID: userID})
	if err == nil {
		_, err = key.NormalEmail(email)
	}
	return r.changeOp(op, userID, err, verified(at, email), func(u *User) error {
		if !sameEmail(u.Email, email) {
			return changedMeanwhile(op, userID, "Email")
		}
		u.EmailVerified = true
		return usable(op, u)
	})
}

// VerifyEmail runs [Repository.VerifyEmailOp]. 2 requests: a consistent GetItem, and the write; 1 if the address is
// verified already.
func (r *Repository) VerifyEmail(ctx context.Context, userID, email string, opts ...dynastay.WriteOption) (*User, error) {
	return dynastay.Do(ctx, r.db, r.VerifyEmailOp(userID, email), opts...)
}

// ReplaceEmailOp replaces the address of a user by one that the user has shown to be theirs, and sets EmailVerified. It
// is for platforms that keep the old address until the new one is confirmed; from is the address at the time when the
// confirmation was requested. If the user has a different one by now, ReplaceEmailOp fails with [dynastay.ErrVersion]
// and Field "Email", unless it is to already, and verified: then nothing is written. Its other errors are those of
// [Repository.UpdateOp].
func (r *Repository) ReplaceEmailOp(userID, from, to string) *dynastay.Operation[*User] {
	const op = "users.ReplaceEmail"
	at, err := keys.Of(keys.Profile{UserID: userID})
	if err == nil {
		_, err = normalEmail("From", from)
	}
	var normal string
	if err == nil {
		normal, err = normalEmail("To", to)
	}
	input := func(in *dynastay.Input) {
		in.Key(at)
		in.Field("from", from)
		in.Field("to", normal)
	}
	return r.changeOp(op, userID, err, input, func(u *User) error {
		if !sameEmail(u.Email, from) && !(sameEmail(u.Email, to) && u.EmailVerified) {
			return changedMeanwhile(op, userID, "Email")
		}
		if !sameEmail(u.Email, to) {
			u.Email = normal
		}
		u.EmailVerified = true
		return usable(op, u)
	})
}

// normalEmail returns the normal form of an address that was passed in the named argument.
func normalEmail(field, email string) (string, error) {
	normal, err := key.NormalEmail(email)
	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) {
		err = dynastay.Invalid(field, "%s", invalid.Reason)
	}
	return normal, err
}

// ReplaceEmail runs [Repository.ReplaceEmailOp]. 2 requests: a consistent GetItem, and the transaction; 1 if the
// address has been replaced already.
func (r *Repository) ReplaceEmail(
	ctx context.Context, userID, from, to string, opts ...dynastay.WriteOption,
) (*User, error) {
	return dynastay.Do(ctx, r.db, r.ReplaceEmailOp(userID, from, to), opts...)
}

// VerifyPhoneOp sets PhoneVerified, after the user has shown that the number is theirs, for example with a code that
// was sent to it. number is the phone number that was verified, with or without spaces and hyphens. If the user has a
// different one by now, VerifyPhoneOp fails with [dynastay.ErrVersion] and Field "Phone". Otherwise it is like
// [Repository.VerifyEmailOp].
func (r *Repository) VerifyPhoneOp(userID, number string) *dynastay.Operation[*User] {
	const op = "users.VerifyPhone"
	at, err := keys.Of(keys.Profile{UserID: userID})
	switch {
	case err != nil:
	case number == "":
		err = dynastay.Invalid("Phone", "is required")
	default:
		err = dynastay.Within("Phone", phone.Validate(number))
	}
	return r.changeOp(op, userID, err, verified(at, phone.Normal(number)), func(u *User) error {
		if phone.Normal(u.Phone) != phone.Normal(number) {
			return changedMeanwhile(op, userID, "Phone")
		}
		u.PhoneVerified = true
		return usable(op, u)
	})
}

// VerifyPhone runs [Repository.VerifyPhoneOp]. 2 requests: a consistent GetItem, and the write; 1 if the number is
// verified already.
func (r *Repository) VerifyPhone(ctx context.Context, userID, number string, opts ...dynastay.WriteOption) (*User, error) {
	return dynastay.Do(ctx, r.db, r.VerifyPhoneOp(userID, number), opts...)
}

// changeOp reads a profile and writes what fn changes. Like a creation, it may claim an address, so it first claims the
// form of the keys.
//
// It does not check whether the user was erased: it writes only if the profile exists, and Erase deletes the profile
// when nobody can create it again.
func (r *Repository) changeOp(
	op, userID string, invalid error, input func(*dynastay.Input), fn func(*User) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*User] {
	return dynastay.NewOp(dynastay.OpSpec[*User]{
		Name: op, Invalid: invalid, Input: input, Options: opts,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*User, error) {
			if err := r.emails.claim(ctx, op); err != nil {
				return nil, err
			}
			at, err := keys.Of(keys.Profile{UserID: userID})
			if err != nil {
				return nil, err
			}
			change, err := read(ctx, r.db, r.table, r.entity, at, fn, opts...)
			if err != nil {
				return nil, err
			}
			return change.After, change.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*User, error) {
			return r.Get(ctx, userID, dynastay.Consistent)
		},
	})
}

// verified is the input of an operation that verifies a value of a profile.
func verified(at dynastay.Key, value string) func(*dynastay.Input) {
	return func(in *dynastay.Input) {
		in.Key(at)
		in.Field("verified", value)
	}
}

// usable returns an error for a profile of other software that cannot be written. It is not about the caller's
// arguments.
func usable(op string, u *User) error {
	if err := u.Validate(); err != nil {
		return &dynastay.Error{Op: op, Entity: "User", ID: u.ID, Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error())}
	}
	return nil
}

func changedMeanwhile(op, userID, field string) error {
	return &dynastay.Error{Op: op, Entity: "User", ID: userID, Field: field, Kind: dynastay.ErrVersion}
}

// sameEmail reports whether two addresses have the same normal form. Other software may have stored an address that has
// none.
func sameEmail(a, b string) bool {
	one, err := key.NormalEmail(a)
	other, otherErr := key.NormalEmail(b)
	if err != nil || otherErr != nil {
		return a == b
	}
	return one == other
}

const attrLastLogin = "LastLoginAt"

// laterLogin sets the time of the last login unless it is already in the same second or a later one. Times in UTC have
// the order of their texts, and a time begins with the text of its second.
var laterLogin = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(expression.AttributeExists(dynastay.NameOf(keys.UsersTable.Key.Partition)).And(
		dynastay.Absent(attrLastLogin).Or(dynastay.NameOf(attrLastLogin).LessThan(dynastay.Param("second"))))).
	WithUpdate(expression.Set(dynastay.NameOf(attrLastLogin), dynastay.Param("time"))))

// RecordLoginOp sets LastLoginAt to the present time, in whole seconds. It does not move the time backwards, and
// changes neither UpdatedAt nor Version. If the user has already logged in within the same second, nothing is written.
// It fails with [dynastay.ErrNotFound] if there is no such user, and with [dynastay.ErrCorrupt] if other software has
// stored something else than a time.
func (r *Repository) RecordLoginOp(userID string) *dynastay.Operation[struct{}] {
	const op = "users.RecordLogin"
	at, err := keys.Of(keys.Profile{UserID: userID})
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: op, Invalid: err,
		Input: func(in *dynastay.Input) { in.Key(at) },
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			now := r.db.Now().Truncate(time.Second)
			expr := laterLogin.With(dynastay.Item{
				"time": dynastay.Instant(now), "second": dynastay.Text(now.Format("2006-01-02T15:04:05")),
			})
			tx.Update(keys.UsersTable, at, expr).Else(func(old dynastay.Row) error {
				switch _, err := time.Parse(time.RFC3339, old.Text(attrLastLogin)); {
				case !old.Exists():
					return &dynastay.Error{Op: op, Entity: "User", ID: userID, Kind: dynastay.ErrNotFound}
				case err != nil:
					return &dynastay.Error{
						Op: op, Entity: "User", ID: userID, Field: attrLastLogin, Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error()),
					}
				}
				return dynastay.ErrSkip
			})
			return struct{}{}, nil
		},
	})
}

// RecordLogin runs [Repository.RecordLoginOp]. 1 request; nothing is read.
func (r *Repository) RecordLogin(ctx context.Context, userID string, opts ...dynastay.WriteOption) error {
	_, err := dynastay.Do(ctx, r.db, r.RecordLoginOp(userID), opts...)
	return err
}
