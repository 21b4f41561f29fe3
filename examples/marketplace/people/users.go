package people

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// SignUpOp writes a new profile with its skills, and claims its Subject, Email and Phone. An empty ID is generated;
// any counters, times and version that are passed are overwritten. It fails with [dynastay.ErrAlreadyExists] if the
// ID is taken, or if another user has one of the values, which [dynastay.Error.Field] then names; and with a
// [*dynastay.InvalidError].
func (r *Repository) SignUpOp(p Profile) *dynastay.Operation[*Profile] {
	p.TrustScore, p.Ratings, p.Stars = 0, 0, 0
	p.Projects, p.Jobs, p.Ended, p.CompletionRate, p.Orders = 0, 0, 0, 0, 0
	normalise(&p)
	creation, invalid := r.profiles.Creation(&p)
	invalid = cmp.Or(invalid, checkIDNumber(p.Work.IDNumber))
	// Without the sum, the first rating would look for reviews of other software.
	creation.Extra = dynastay.Item{attrRatings: dynastay.Number(0), attrStars: dynastay.Number(0)}
	return dynastay.NewOp(dynastay.OpSpec[*Profile]{
		Name: "people.SignUp", Invalid: invalid, Input: creation.Input,
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

// UpdateOp changes a profile with fn, which may change everything but ID, Role, the counters, the times and the
// version, and may be called more than once. Its skills and its places in the searches follow. If fn changes Phone,
// PhoneVerified becomes false, whatever fn sets it to; use VerifyPhone to set it again. It fails with
// [dynastay.ErrNotFound], with [dynastay.ErrAlreadyExists] like SignUpOp, with [dynastay.ErrVersion] if a condition in
// opts does not hold, and with a [*dynastay.InvalidError], even if it was other software that stored an invalid value
// and fn leaves it as it is. If that is the ID or the Role, which fn cannot mend, it fails with [dynastay.ErrCorrupt].
//
// The first update of a profile that other software wrote adopts it, see [Repository.AdoptOp].
func (r *Repository) UpdateOp(
	userID string, fn func(*Profile) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Profile] {
	at, err := key.Of(keys.Profile{UserID: userID})
	if err == nil {
		err = r.profile.CheckUpdate(opts...)
	}
	return r.changeOp(change{name: "people.Update", userID: userID, fn: edited(fn), opts: opts}, err, entity.InputOf(at, opts...))
}

// Update runs [Repository.UpdateOp]. 2 requests; for the first update of a profile that other software wrote, those of
// [Repository.Adopt].
func (r *Repository) Update(
	ctx context.Context, userID string, fn func(*Profile) error, opts ...dynastay.UpdateOption,
) (*Profile, error) {
	return dynastay.Do(ctx, r.db, r.UpdateOp(userID, fn, opts...))
}

// edited returns fn with the rules about fields that depend on what they were.
func edited(fn func(*Profile) error) func(*Profile) error {
	return func(p *Profile) error {
		if p.Role.validate() != nil { // it cannot be changed, so fn cannot mend it
			return corrupt("people.Update", p.ID, p.Role.validate())
		}
		role, email, phone, number := p.Role, p.Email, p.Phone, p.Work.IDNumber
		if err := fn(p); err != nil {
			return err
		}
		if p.Email != email {
			normalise(p)
		}
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

// VerifyPhoneOp sets PhoneVerified, after the user has shown that the number is theirs, for example with a code that
// was sent to it. phone is the number that was verified. If the user has a different one by now, it fails with
// [dynastay.ErrVersion] and Field "Phone". It fails with [dynastay.ErrNotFound] if there is no such user, with
// [dynastay.ErrCorrupt] if other software has stored a profile that cannot be written, and with a
// [*dynastay.InvalidError]. If the number is verified already, nothing is written.
func (r *Repository) VerifyPhoneOp(userID, phone string) *dynastay.Operation[*Profile] {
	const op = "people.VerifyPhone"
	at, err := key.Of(keys.Profile{UserID: userID})
	return r.changeOp(change{name: op, userID: userID, fn: func(p *Profile) error {
		if p.Phone != phone {
			return &dynastay.Error{Op: op, Entity: "User", ID: userID, Field: "Phone", Kind: dynastay.ErrVersion}
		}
		p.PhoneVerified = true
		return corrupt(op, userID, p.Validate())
	}}, cmp.Or(err, checkPhone(phone)), func(in *dynastay.Input) {
		in.Key(at)
		in.Field("phone", phone)
	})
}

// VerifyPhone runs [Repository.VerifyPhoneOp]. 2 requests; for a profile that other software wrote, those of
// [Repository.Adopt]; 1 if the number is verified already.
func (r *Repository) VerifyPhone(
	ctx context.Context, userID, phone string, opts ...dynastay.WriteOption,
) (*Profile, error) {
	return dynastay.Do(ctx, r.db, r.VerifyPhoneOp(userID, phone), opts...)
}

// AdoptOp completes a profile that other software wrote in the form of the marketplace document: it repairs the keys of
// the indexes, claims Subject, Email and Phone, writes the items of the skills and deletes those of skills that the
// profile no longer has. A value that belongs to another user is left to that user. Everything else stays as it is,
// including the counters: what is missing is completed when they move, see the package's comment. A profile that has
// been adopted is not changed.
//
// Every update adopts a profile, so AdoptOp is needed only for profiles that must be found by skill, by place or by
// what they sign in with before their first update. Software that goes on writing profiles must remove writeId; the
// profile is then adopted again.
//
// It fails with [dynastay.ErrNotFound], and with [dynastay.ErrCorrupt] for an invalid profile, see
// [Profile.Validate]: update the field that the error names, which adopts the profile.
func (r *Repository) AdoptOp(userID string) *dynastay.Operation[*Profile] {
	const op = "people.Adopt"
	at, err := key.Of(keys.Profile{UserID: userID})
	return r.changeOp(change{name: op, userID: userID, whole: true, fn: func(p *Profile) error {
		if !p.isForeign() {
			return nil
		}
		return corrupt(op, userID, p.Validate())
	}}, err, func(in *dynastay.Input) { in.Key(at) })
}

// Adopt runs [Repository.AdoptOp]. 3 requests, and 3 more if a value belongs to another user; 1 for a profile that has
// been adopted.
func (r *Repository) Adopt(ctx context.Context, userID string) (*Profile, error) {
	return dynastay.Do(ctx, r.db, r.AdoptOp(userID))
}

// change is what an operation does to a profile.
type change struct {
	name   string
	userID string
	fn     func(*Profile) error
	opts   []dynastay.UpdateOption
	whole  bool // a profile of other software is adopted even if fn changes nothing
}

// isForeign reports whether other software has written a profile, as it was read, or its skills.
func (p *Profile) isForeign() bool { return p.WriteID == "" || len(p.Work.Skills) > MaxSkills }

func (r *Repository) changeOp(
	what change, invalid error, input func(*dynastay.Input),
) *dynastay.Operation[*Profile] {
	return dynastay.NewOp(dynastay.OpSpec[*Profile]{
		Name: what.name, Invalid: invalid, Input: input, Options: what.opts,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Profile, error) {
			at, err := key.Of(keys.Profile{UserID: what.userID})
			if err != nil {
				return nil, err
			}
			c, err := r.profiles.Change(ctx, at, func(p *Profile) error {
				if p.ID != what.userID { // it cannot be changed, so fn cannot mend it
					return corrupt(what.name, what.userID, dynastay.Invalid("ID", "must be that of the item's key"))
				}
				return what.fn(p)
			}, what.opts...)
			if err != nil {
				return nil, err
			}
			if what.whole && c.Before.isForeign() {
				err = c.Whole()
			}
			if err == nil && c.Changed() && c.Before.isForeign() {
				err = r.dropSkills(ctx, tx, c.After)
			}
			if err != nil {
				return nil, err
			}
			return c.After, c.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Profile, error) { return r.again(ctx, what.userID) },
	})
}

// corrupt returns an invalid value that is stored as an error that is not about the caller's arguments.
func corrupt(op, userID string, err error) error {
	var invalid *dynastay.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	return &dynastay.Error{
		Op: op, Entity: "User", ID: userID, Field: invalid.Field, Kind: dynastay.ErrCorrupt, Err: errors.New(invalid.Reason),
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

// Profiles reads users by their ids, such as the other users of an inbox. The result has them by id, without those who
// do not exist. Profiles that cannot be read are missing as well; Profiles then returns the others together with a
// [*dynastay.UnreadableError]. opts may contain [dynastay.Consistent]. 1 request for every 100 users.
func (r *Repository) Profiles(ctx context.Context, userIDs []string, opts ...dynastay.ReadOption) (map[string]*Profile, error) {
	at := make([]dynastay.Key, len(userIDs))
	for i, id := range userIDs {
		var err error
		if at[i], err = key.Of(keys.Profile{UserID: id}); err != nil {
			return nil, renamed("UserIDs["+strconv.Itoa(i)+"]", err)
		}
	}
	found, err := r.profiles.GetAll(ctx, at, opts...)
	profiles := map[string]*Profile{}
	for i, p := range found {
		if p != nil {
			profiles[userIDs[i]] = p
		}
	}
	return profiles, err
}

// BySubject returns the user with an id in Cognito, or fails with [dynastay.ErrNotFound]. It finds a user from the
// moment of signing up. 2 requests, both consistent reads.
func (r *Repository) BySubject(ctx context.Context, subject string) (*Profile, error) {
	return r.profiles.Find(ctx, "Subject", &Profile{Subject: subject})
}

// ByEmail returns the user with an e-mail address, like [Repository.BySubject].
func (r *Repository) ByEmail(ctx context.Context, email string) (*Profile, error) {
	email, err := key.NormalEmail(email)
	if err != nil {
		return nil, err
	}
	return r.profiles.Find(ctx, "Email", &Profile{Email: email})
}

// ByPhone returns the user with a phone number in the form E.164, like [Repository.BySubject].
func (r *Repository) ByPhone(ctx context.Context, phone string) (*Profile, error) {
	if err := checkPhone(phone); err != nil {
		return nil, err
	}
	return r.profiles.Find(ctx, "Phone", &Profile{Phone: phone})
}
