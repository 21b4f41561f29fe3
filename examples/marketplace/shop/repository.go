package shop

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository reads and writes products and orders.
type Repository struct {
	db     *dynastay.DB
	people *people.Repository
	opts   Options

	product *entity.Entity[Product]
	order   *entity.Entity[Order]

	products *entity.Table[Product]
	orders   *entity.Table[Order]
}

// Options configure [New].
type Options struct {
	// Categories are the shards of a category, see [Repository.InCategory].
	Categories key.Shards
	// Statuses are the shards of a status of orders, see [Repository.OrdersByStatus].
	Statuses key.Shards
}

// New returns a repository, which reads the profiles of sellers from users and counts their orders there. It sends no
// requests. A nil opts means the defaults. It panics if the shards are invalid.
func New(db *dynastay.DB, users *people.Repository, opts *Options) *Repository {
	r := &Repository{db: db, people: users}
	if opts != nil {
		r.opts = *opts
	}
	r.opts.Categories.Must("shop.Options.Categories")
	r.opts.Statuses.Must("shop.Options.Statuses")
	r.product, r.order = r.newProducts(), r.newOrders()
	r.products, r.orders = entity.NewTable(db, r.product), entity.NewTable(db, r.order)
	return r
}
