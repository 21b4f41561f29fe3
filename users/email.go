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

// ErrEmailSecret: the users in the table were created with a different [Options.EmailSecret], or without one. With the
// secret of this process, their addresses would not be found, and could be taken again.
var ErrEmailSecret = errors.New("Options.EmailSecret differs from the secret that the table was first used with")

// minSecret is the minimum length of a secret. It is the length of the hash: a shorter secret would be easier to guess
// than the hash.
const minSecret = sha256.Size

// emailKeys determines the form of addresses in the keys of the table.
type emailKeys struct {
	secret []byte // nil: keys contain the address itself
	table  *entity.Table[emailConfig]
	seen   atomic.Int32
}

func newEmailKeys(db *dynastay.DB, secret []byte) *emailKeys {
	return &emailKeys{secret: secret, table: entity.NewTable(db, newEmailConfig())}
}

// What is known of the table's config.
const (
	unknown int32 = iota
	missing       // this library has not created a user yet
	ours
)

// text returns what a key contains for an address.
func (k *emailKeys) text(email string) (string, error) {
	if k.secret == nil {
		return email, nil
	}
	return key.HashEmail(k.secret, email)
}

// partition returns the partition of an address in the index.
func (k *emailKeys) partition(email string) (string, error) {
	text, err := k.text(email)
	if err != nil {
		return "", err
	}
	row, err := keys.Of(keys.ProfileByEmail{Email: text})
	return row.PK, err
}

// emailConfig is the item that fixes the form of the keys permanently.
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

// form identifies the form of the keys: "plain", or a fingerprint that does not reveal the secret.
func (k *emailKeys) form() string {
	if k.secret == nil {
		return "plain"
	}
	mac := hmac.New(sha256.New, k.secret)
	mac.Write([]byte("dynastay: keys of e-mail addresses"))
	return hex.EncodeToString(mac.Sum(nil))
}

// check returns an error if the keys of the table have a different form. It reads the table only once, because the form
// never changes; [emailKeys.missed] covers the time before the first user.
func (k *emailKeys) check(ctx context.Context) error {
	if k.seen.Load() != unknown {
		return nil
	}
	return k.compare(ctx)
}

// missed is check after a lookup that found nothing. If the table had no config when it was checked, somebody may have
// used it with a different secret since, and the user would be missed without notice.
func (k *emailKeys) missed(ctx context.Context) error {
	if k.seen.Load() == ours {
		return nil
	}
	return k.compare(ctx)
}

// claim is check for a write: the first user of all puts the config, before anything else, so that of two processes
// with different secrets only one succeeds. It is not part of the user's transaction, because two users that are
// created in one transaction may both be the first.
func (k *emailKeys) claim(ctx context.Context, op string) error {
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
		// A config exists, or may exist. Its content decides, not who put it. A lost request can be sent again: if it
		// arrives late, it finds the item or puts the same one.
		if err := k.compare(ctx); err != nil || k.seen.Load() == ours {
			return err
		}
	}
	return &dynastay.Error{Op: op, Entity: "EmailConfig", Kind: dynastay.ErrUnavailable, Err: errors.New(err.Error())}
}

// claims is how often to put the config, or the tombstone of a user, if the connection breaks every time.
const claims = 3

// compare reads the config. If there is none, nothing is certain: another process may be about to put it.
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
