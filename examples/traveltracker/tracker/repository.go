package tracker

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository reads and writes the profiles of users, their visits, and the logs that keep their devices in step.
type Repository struct {
	db       *dynastay.DB
	opts     Options
	emailKey func(string) (string, error)

	profile *entity.Entity[Profile]
	visit   *entity.Entity[Visit]
	count   *entity.Entity[regionCount]
	head    *entity.Entity[head]
	entry   *entity.Entity[Entry]
	seen    *entity.Entity[seen]
	stat    *entity.Entity[Statistics]

	profiles     *entity.Table[Profile]
	visits       *entity.Table[Visit]
	regionCounts *entity.Table[regionCount]
	heads        *entity.Table[head]
	entries      *entity.Table[Entry]
	seens        *entity.Table[seen]
	stats        *entity.Table[Statistics]
}

// Options configure [New].
type Options struct {
	// EmailSecret keeps addresses out of keys: they contain its HMAC-SHA-256 of the address, see key.HashEmail. All
	// processes need the same secret, and it cannot be changed while there are users. Default: none, keys contain the
	// addresses.
	EmailSecret []byte
	// The partitions that many users share may be sharded, because a hot index partition would hold up the pushes. The
	// partitions are those of a region (T6), of a status (T9) and of a date (T15).
	Shards key.Shards
	// Reference has the regions that are loaded, for the statistics. Default: none, and all percentages are 0.
	Reference Reference
}

// New returns a repository. It sends no requests. A nil opts means the defaults. It panics if the shards are invalid.
func New(db *dynastay.DB, opts *Options) *Repository {
	r := &Repository{db: db}
	if opts != nil {
		r.opts = *opts
	}
	r.opts.Shards.Must("tracker.Options.Shards")
	r.emailKey = func(email string) (string, error) {
		if email == "" || len(r.opts.EmailSecret) == 0 {
			return email, nil
		}
		return key.HashEmail(r.opts.EmailSecret, email)
	}
	r.profile, r.visit, r.count = newProfiles(r.emailKey), newVisits(r.opts.Shards), newRegionCounts()
	r.head, r.seen, r.stat = newHeads(), newSeens(), newStatistics(r.opts.Shards)
	r.entry = newEntries(r.visit, r.profile, r.opts.Shards)
	r.profiles = entity.NewTable(db, r.profile)
	r.visits = entity.NewTable(db, r.visit)
	r.regionCounts = entity.NewTable(db, r.count)
	r.heads = entity.NewTable(db, r.head)
	r.entries = entity.NewTable(db, r.entry)
	r.seens = entity.NewTable(db, r.seen)
	r.stats = entity.NewTable(db, r.stat)
	return r
}
