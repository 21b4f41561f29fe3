package people

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository reads and writes the users of the marketplace.
type Repository struct {
	db   *dynastay.DB
	opts Options

	profile *entity.Entity[Profile]
	skill   *entity.Entity[skill]

	profiles *entity.Table[Profile]
}

// Options configure [New].
type Options struct {
	// EmailSecret keeps addresses out of keys: they contain the HMAC-SHA-256 of the address with it, see key.HashEmail.
	// All processes need the same secret, and it cannot be changed while there are users. Default: none, keys contain
	// the addresses.
	EmailSecret []byte
	// Shards are those of a role and of a skill, see [Repository.InCity] and [Repository.WithAnySkill].
	Shards key.Shards
}

// New returns a repository. It sends no requests. A nil opts means the defaults. It panics if the shards are invalid.
func New(db *dynastay.DB, opts *Options) *Repository {
	r := &Repository{db: db}
	if opts != nil {
		r.opts = *opts
	}
	r.opts.Shards.Must("people.Options.Shards")
	r.profile, r.skill = r.newProfiles(), r.newSkills()
	r.profiles = entity.NewTable(db, r.profile)
	return r
}
