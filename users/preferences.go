package users

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/condition"
	"github.com/dynastay/dynastay/keys"
)

// Preferences are a user's settings, such as a theme or a newsletter. The platform defines their names and values.
type Preferences struct {
	UserID    string
	Values    map[string]string `json:",omitzero"` // never nil
	CreatedAt time.Time         `json:",omitzero"`
	UpdatedAt time.Time         `json:",omitzero"`
	Version   int
}

// The limits of [Preferences].
const (
	// MaxPreferences is the maximum number of values of one user.
	MaxPreferences = 100
	// MaxPreferenceName is the maximum length of a name, in bytes.
	MaxPreferenceName = 128
)

var preferencesEntity = entity.New(entity.Spec[Preferences]{
	Name: "Preferences", Operations: "users", Schema: keys.UsersTable, Validate: (*Preferences).Validate,
	Created: "CreatedAt", Updated: "UpdatedAt", Version: keys.AttrVersion,
	Key:  func(p *Preferences) (dynastay.Key, error) { return keys.Of(keys.Preference{UserID: p.UserID}) },
	IDOf: userOf,
	Codec: entity.Declare(func(f *entity.Fields, p *Preferences) {
		f.Const(keys.AttrEntityType, "Preferences")
		f.String("UserId", &p.UserID)
		entity.Keyed(f, "Values", &p.Values, func(f *entity.Fields, name string, value *string) {
			entity.Custom(f, name, value, encodeText, decodeText)
		})
		if f.Decoding() && p.Values == nil {
			p.Values = map[string]string{}
		}
		f.Time("CreatedAt", &p.CreatedAt)
		f.Time("UpdatedAt", &p.UpdatedAt)
		f.IfSet().Int(keys.AttrVersion, &p.Version)
	}),
})

// An empty text is a value, and not the same as none.
func encodeText(text string) (types.AttributeValue, error) { return dynastay.Text(text), nil }

func decodeText(v dynastay.Value) (string, error) {
	if v.Kind() != dynastay.KindText {
		return "", fmt.Errorf("must be %s, got %s", dynastay.KindText, v.Kind())
	}
	return v.Text(), nil
}

// Validate requires at most [MaxPreferences] values, each of at most [entity.MaxNote] bytes, with a name of 1 to
// [MaxPreferenceName] bytes.
func (p *Preferences) Validate() error {
	if len(p.Values) > MaxPreferences {
		return dynastay.Invalid("Values", "must have at most %d entries, got %d", MaxPreferences, len(p.Values))
	}
	for name, value := range p.Values {
		if name == "" {
			return dynastay.Invalid("Values", "must not have an empty name")
		}
		if err := entity.CheckText(name, MaxPreferenceName); err != nil {
			return dynastay.Within("Values", err)
		}
		if err := entity.CheckText(value, entity.MaxNote); err != nil {
			return dynastay.Within("Values."+name, err)
		}
	}
	return nil
}

// Preferences reads the preferences of a user. If none were ever set, Values is empty and Version is 0. opts may
// contain [dynastay.Consistent]. 1 request, a GetItem.
func (r *Repository) Preferences(ctx context.Context, userID string, opts ...dynastay.ReadOption) (_ *Preferences, err error) {
	ctx, end := r.db.Begin(ctx, "users.Preferences")
	defer func() { end(err) }()
	at, err := keys.Of(keys.Preference{UserID: userID})
	if err != nil {
		return nil, err
	}
	p, err := r.preferences.Get(ctx, at, opts...)
	if errors.Is(err, dynastay.ErrNotFound) {
		return &Preferences{UserID: userID, Values: map[string]string{}}, nil
	}
	return p, err
}

// UpdatePreferencesOp passes the stored preferences to fn, which may change Values, and writes the difference. If the
// user has no preferences yet, Values is empty, and what fn adds is created. Two callers who set different values at
// the same time do not overwrite each other's. If fn changes nothing, nothing is written. fn may be called more than
// once; its errors are returned unchanged.
//
// UpdatePreferencesOp fails with [dynastay.ErrVersion] if the preferences are not at the version of
// [dynastay.IfVersion], which is 0 if there are none, and with [ErrErased]. The user does not need to have a profile.
func (r *Repository) UpdatePreferencesOp(
	userID string, fn func(*Preferences) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Preferences] {
	at, err := keys.Of(keys.Preference{UserID: userID})
	if err == nil {
		err = preferencesEntity.CheckUpdate(opts...)
	}
	return dynastay.NewOp(dynastay.OpSpec[*Preferences]{
		Name: opPreferences, Invalid: err, Input: entity.InputOf(at, opts...), Options: opts,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Preferences, error) {
			row, err := r.db.Get(ctx, keys.UsersTable, at, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			if !row.Exists() {
				return r.firstPreferences(tx, userID, fn, opts)
			}
			// With OrMissing, an item that is deleted in the meantime is read again, and found to be missing.
			opts := append(slices.Clone(opts), dynastay.OrMissing())
			change, err := changeOf(r.preferences, preferencesEntity, at, row, fn, opts...)
			if err != nil {
				return nil, err
			}
			return change.After, change.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Preferences, error) {
			return r.Preferences(ctx, userID, dynastay.Consistent)
		},
	})
}

// UpdatePreferences runs [Repository.UpdatePreferencesOp]. 2 requests: a consistent GetItem, and the write.
func (r *Repository) UpdatePreferences(
	ctx context.Context, userID string, fn func(*Preferences) error, opts ...dynastay.UpdateOption,
) (*Preferences, error) {
	return dynastay.Do(ctx, r.db, r.UpdatePreferencesOp(userID, fn, opts...))
}

const opPreferences = "users.UpdatePreferences"

// firstPreferences creates the preferences of a user who has none.
func (r *Repository) firstPreferences(
	tx *dynastay.Tx, userID string, fn func(*Preferences) error, opts []dynastay.UpdateOption,
) (*Preferences, error) {
	if asked := condition.Of(opts); asked.Version != nil && *asked.Version != 0 || asked.Written != nil {
		return nil, &dynastay.Error{Op: opPreferences, Entity: "Preferences", ID: userID, Kind: dynastay.ErrVersion}
	}
	p := &Preferences{UserID: userID, Values: map[string]string{}}
	if err := fn(p); err != nil {
		return nil, err
	}
	if p.UserID != userID {
		return nil, dynastay.Invalid("UserID", "is managed by the library and cannot be changed")
	}
	if len(p.Values) == 0 {
		return &Preferences{UserID: userID, Values: map[string]string{}}, nil
	}
	p.CreatedAt = r.db.Now()
	p.UpdatedAt, p.Version = p.CreatedAt, 1
	item, err := preferencesEntity.Item(p)
	if err != nil {
		return nil, err
	}
	if err := checkNotErased(tx, opPreferences, userID); err != nil {
		return nil, err
	}
	tx.Put(keys.UsersTable, item).Identified().If(absent, overtaken)
	return p, nil
}
