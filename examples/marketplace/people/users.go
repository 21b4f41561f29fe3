package people

import (
	"cmp"
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// SignUpOp writes a new profile with its skills, and claims its Subject, Email and Phone. An empty ID is generated;
// counters, times and the version are set, whatever the profile has. It fails with [dynastay.ErrAlreadyExists] if the ID
// is taken, or if another user has one of the values, which [dynastay.Error.Field] then names; and with a
// [*dynastay.InvalidError].
func (r *Repository) SignUpOp(p Profile) *dynastay.Operation[*Profile] {
	p.TrustScore, p.Ratings, p.Stars = 0, 0, 0
	p.Projects, p.Jobs, p.Ended, p.CompletionRate, p.Orders = 0, 0, 0, 0, 0
	normalise(&p)
	creation, invalid := r.profiles.Creation(&p)
	return dynastay.NewOp(dynastay.OpSpec[*Profile]{
		Name: "people.SignUp", Invalid: cmp.Or(invalid, checkIDNumber(p.Work.IDNumber)), Input: creation.Input,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*Profile, error) {
			return creation.Value, creation.AddTo(tx)
		},
		Restore: func(ctx context.Context, made map[string]string) (*Profile, error) {
			return r.again(ctx, made["userId"])
		},
	})
}

// SignUp runs [Repository.SignUpOp]. 1 request.
func (r *Repository) SignUp(ctx context.Context, p Profile, opts ...dynastay.WriteOption) (*Profile, error) {
	return dynastay.Do(ctx, r.db, r.SignUpOp(p), opts...)
}

// normalise writes an address in its normal form; one that has none is refused by Validate.
func normalise(p *Profile) {
	if email, err := key.NormalEmail(p.Email); err == nil {
		p.Email = email
	}
}

// again reads the result of an earlier call, without its write id, which may be another caller's by now.
func (r *Repository) again(ctx context.Context, userID string) (*Profile, error) {
	p, err := r.Profile(ctx, userID, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	p.WriteID = ""
	return p, nil
}

// UpdateOp changes a profile with fn, which may change everything but ID, Role, the counters, the times and the version,
// and may be called more than once. Its skills and its places in the searches follow. If fn changes Phone, PhoneVerified
// becomes false, whatever fn sets it to; use VerifyPhone to set it again. It fails with [dynastay.ErrNotFound], with
// [dynastay.ErrAlreadyExists] like SignUpOp, with [dynastay.ErrVersion] if a condition in opts does not hold, and with a
// [*dynastay.InvalidError].
func (r *Repository) UpdateOp(
	userID string, fn func(*Profile) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Profile] {
	at, err := key.Of(keys.Profile{UserID: userID})
	if err == nil {
		err = r.profile.CheckUpdate(opts...)
	}
	return dynastay.NewOp(dynastay.OpSpec[*Profile]{
		Name: "people.Update", Invalid: err, Input: entity.InputOf(at, opts...),
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Profile, error) {
			c, err := r.profiles.Change(ctx, at, edited(fn), opts...)
			if err != nil {
				return nil, err
			}
			return c.After, c.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Profile, error) { return r.again(ctx, userID) },
	})
}

// Update runs [Repository.UpdateOp]. 2 requests.
func (r *Repository) Update(
	ctx context.Context, userID string, fn func(*Profile) error, opts ...dynastay.UpdateOption,
) (*Profile, error) {
	return dynastay.Do(ctx, r.db, r.UpdateOp(userID, fn, opts...))
}

// edited returns fn with the rules about fields that depend on what they were.
func edited(fn func(*Profile) error) func(*Profile) error {
	return func(p *Profile) error {
		role, phone, number := p.Role, p.Phone, p.Work.IDNumber
		if err := fn(p); err != nil {
			return err
		}
		normalise(p)
		p.PhoneVerified = p.PhoneVerified && p.Phone == phone
		switch {
		case p.Role != role:
			return dynastay.Invalid("Role", "cannot be changed")
		case p.Work.IDNumber != number:
			return checkIDNumber(p.Work.IDNumber)
		}
		return nil
	}
}

// Profile reads a user, or fails with [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent].
//
// Pattern M1: PK = USER#{userId}, SK = PROFILE, 1 request
func (r *Repository) Profile(ctx context.Context, userID string, opts ...dynastay.ReadOption) (*Profile, error) {
	at, err := key.Of(keys.Profile{UserID: userID})
	if err != nil {
		return nil, err
	}
	return r.profiles.Get(ctx, at, opts...)
}
