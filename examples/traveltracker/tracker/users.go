package tracker

import (
	"cmp"
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// SignUpOp writes a new profile, claims its address and its id at the sign-in provider, and begins the user's log. An
// empty ID is generated; counters, times, stamps and the version are set, whatever the profile has. It fails with [dynastay.ErrAlreadyExists],
// with [dynastay.Error.Field] "Email" or "AuthProviderID" if another user has that value, and if a user with the ID was
// erased; and with a [*dynastay.InvalidError].
func (r *Repository) SignUpOp(p Profile) *dynastay.Operation[*Profile] {
	p.Countries, p.USStates, p.Provinces, p.Stamps = 0, 0, 0, nil
	p.LastLoginAt, p.LastSyncAt = time.Time{}, time.Time{}
	if email, err := key.NormalEmail(p.Email); err == nil { // otherwise the creation refuses it
		p.Email = email
	}
	creation, invalid := r.profiles.Creation(&p)
	// The keys have other names for fields of a profile.
	for field, of := range map[string]string{"UserID": "ID", "Provider": "AuthProvider", "ProviderID": "AuthProviderID"} {
		invalid = rename(invalid, field, of)
	}
	invalid = cmp.Or(invalid, p.validate(), p.checkSettings())
	return dynastay.NewOp(dynastay.OpSpec[*Profile]{
		Name: "tracker.SignUp", Invalid: invalid, Input: creation.Input,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*Profile, error) {
			now := r.db.Now()
			creation.Finish = func(p *Profile) {
				p.Stamps = Stamps{}.stamped(profileFields, Stamp{Version: 1, At: now, DeviceID: Server})
			}
			if err := creation.AddTo(tx); err != nil {
				return nil, err
			}
			made := creation.Value
			h := head{UserID: made.ID, Version: 1, Last: now, Updated: now}
			item, err := r.head.Item(&h)
			if err != nil {
				return nil, err
			}
			tx.Put(keys.Table, item).Identified().If(dynastay.IfNew(keys.Table), func(dynastay.Row) error {
				return &dynastay.Error{Op: "tracker.SignUp", Entity: "User", ID: made.ID, Kind: dynastay.ErrAlreadyExists}
			})
			item, err = r.entry.Item(&Entry{
				OperationID: r.db.NewID("op_"), UserID: made.ID, DeviceID: Server, Type: Create, Entity: User, EntityID: made.ID,
				ServerVersion: 1, ClientTime: now, At: now, Status: StatusApplied, Profile: made, Expires: now.Add(entryLife),
			})
			if err == nil {
				tx.Put(keys.Table, item).Identified()
			}
			return made, err
		},
		Restore: func(ctx context.Context, made map[string]string) (*Profile, error) {
			return r.Profile(ctx, made["user_id"], dynastay.Consistent)
		},
	})
}

// SignUp runs [Repository.SignUpOp]. 1 request.
func (r *Repository) SignUp(ctx context.Context, p Profile, opts ...dynastay.WriteOption) (*Profile, error) {
	return dynastay.Do(ctx, r.db, r.SignUpOp(p), opts...)
}

// Profile reads a user, or fails with [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent].
//
// Pattern T1: PK = USER#{user_id}, SK = PROFILE, 1 request
func (r *Repository) Profile(ctx context.Context, userID string, opts ...dynastay.ReadOption) (*Profile, error) {
	at, err := key.Of(keys.Profile{UserID: userID})
	if err != nil {
		return nil, err
	}
	return r.profiles.Get(ctx, at, opts...)
}

// ProfileByProvider returns the user with an id at a sign-in provider, such as "apple", or fails with
// [dynastay.ErrNotFound]. It finds a user from the moment of signing up, see entity.Table.Find: while the index lags,
// up to 2 more requests are needed.
//
// Pattern T2: GSI1, GSI1PK = AUTH#{provider}#{id}, 2 requests
func (r *Repository) ProfileByProvider(
	ctx context.Context, provider, providerID string, opts ...dynastay.ReadOption,
) (*Profile, error) {
	return r.profiles.Find(ctx, "AuthProviderID", &Profile{AuthProvider: provider, AuthProviderID: providerID}, opts...)
}

// ProfileByEmail returns the user with an e-mail address, like [Repository.ProfileByProvider].
//
// Pattern T3: GSI2, GSI2PK = EMAIL#{email}, 2 requests
func (r *Repository) ProfileByEmail(ctx context.Context, email string, opts ...dynastay.ReadOption) (*Profile, error) {
	email, err := key.NormalEmail(email)
	if err != nil {
		return nil, err
	}
	return r.profiles.Find(ctx, "Email", &Profile{Email: email}, opts...)
}
