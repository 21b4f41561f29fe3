package users

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync/atomic"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// ErrEmailSecret: the table's users were made with another [Options.EmailSecret], or without one. Under this one their
// addresses would not be found, and could be taken again.
var ErrEmailSecret = errors.New("the table was first used with a different e-mail secret")

// minSecret is the shortest secret: as long as the hash, for a shorter one would be what an attacker tries.
const minSecret = sha256.Size

// emailKeys is the form that addresses have in the keys of the table.
type emailKeys struct {
	secret []byte // nil: the address itself
	table  *entity.Table[emailConfig]
	seen   atomic.Int32
}

func newEmailKeys(db *dynastay.DB, secret []byte) *emailKeys {
	return &emailKeys{secret: secret, table: entity.NewTable(db, newEmailConfig())}
}

// What is known of the table's config.
const (
	unknown int32 = iota
	missing       // no user was made by this library yet
	ours
)

// text is what a key holds for an address.
func (k *emailKeys) text(email string) (string, error) {
	if k.secret == nil {
		return email, nil
	}
	return key.HashEmail(k.secret, email)
}

// emailConfig is the item that keeps the form of the keys for good.
type emailConfig struct{ form string }

func newEmailConfig() *entity.Entity[emailConfig] {
	return entity.New(entity.Spec[emailConfig]{
		Name: "EmailConfig", Schema: keys.UsersTable,
		Key: func(*emailConfig) (dynastay.Key, error) { return keys.Of(keys.EmailConfig{}) },
		Codec: entity.Declare(func(f *entity.Fields, c *emailConfig) {
			f.Const(keys.AttrEntityType, "Config")
			f.String("EmailKeys", &c.form)
		}),
	})
}

// form names the form of the keys: "plain", or a fingerprint of the secret that does not give it away.
func (k *emailKeys) form() string {
	if k.secret == nil {
		return "plain"
	}
	mac := hmac.New(sha256.New, k.secret)
	mac.Write([]byte("dynastay: keys of e-mail addresses"))
	return hex.EncodeToString(mac.Sum(nil))
}

// check refuses a table whose keys have another form. It asks once: the form never changes.
func (k *emailKeys) check(ctx context.Context) error {
	if k.seen.Load() != unknown {
		return nil
	}
	return k.compare(ctx)
}

// claim is check for a write: the first user of all puts the config, before anything else, so that of two processes
// that differ only one gets on. It is no part of the user's transaction: two users who are created in one are both the
// first.
func (k *emailKeys) claim(ctx context.Context) error {
	if k.seen.Load() == ours {
		return nil
	}
	if err := k.compare(ctx); err != nil || k.seen.Load() == ours {
		return err
	}
	var err error
	for range claims {
		_, err = k.table.Create(ctx, &emailConfig{k.form()})
		if err == nil {
			k.seen.Store(ours)
			return nil
		}
		if !errors.Is(err, dynastay.ErrAlreadyExists) && !errors.Is(err, dynastay.ErrOutcomeUnknown) {
			return err
		}
		// Somebody's is there, or may be: what it says decides, and not who put it. A lost request can be sent again, for
		// should it arrive late, it finds the item or puts the same one.
		if err := k.compare(ctx); err != nil || k.seen.Load() == ours {
			return err
		}
	}
	return &dynastay.Error{Op: "users.Create", Entity: "EmailConfig", Kind: dynastay.ErrUnavailable, Err: errors.New(err.Error())}
}

// claims is how often the config is put where the connection breaks every time.
const claims = 3

// compare reads the config. Where there is none, nothing is known for sure: another process may be putting it.
func (k *emailKeys) compare(ctx context.Context) error {
	at, err := keys.Of(keys.EmailConfig{})
	if err != nil {
		return err
	}
	config, err := k.table.Get(ctx, at, dynastay.Consistent)
	switch {
	case errors.Is(err, dynastay.ErrNotFound):
		k.seen.CompareAndSwap(unknown, missing)
		return nil
	case err != nil:
		return err
	case config.form != k.form():
		return &dynastay.Error{Entity: "User", Field: "EmailSecret", Kind: ErrEmailSecret}
	}
	k.seen.Store(ours)
	return nil
}
