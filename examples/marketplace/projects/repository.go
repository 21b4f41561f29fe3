package projects

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository reads and writes projects and bids.
type Repository struct {
	db     *dynastay.DB
	people *people.Repository
	opts   Options

	project   *entity.Entity[Project]
	bid       *entity.Entity[Bid]
	rejecting *entity.Entity[Rejection]

	projects   *entity.Table[Project]
	bids       *entity.Table[Bid]
	rejections *entity.Table[Rejection]
}

// Options configure [New].
type Options struct {
	// Shards are those of a status, for projects and for bids, see [Repository.ByStatus] and [Repository.BidsByStatus].
	Shards key.Shards
}

// New returns a repository. users must be of the same DB. It sends no requests. A nil opts means the defaults. It
// panics if the shards are invalid.
func New(db *dynastay.DB, users *people.Repository, opts *Options) *Repository {
	r := &Repository{db: db, people: users, rejecting: newRejections()}
	if opts != nil {
		r.opts = *opts
	}
	r.opts.Shards.Must("projects.Options.Shards")
	r.project, r.bid = newProjects(r.opts.Shards), newBids(r.opts.Shards)
	r.projects = entity.NewTable(db, r.project)
	r.bids = entity.NewTable(db, r.bid)
	r.rejections = entity.NewTable(db, r.rejecting)
	return r
}
