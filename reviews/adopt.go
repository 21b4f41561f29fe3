package reviews

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// AdoptRow makes a review, a response or a vote that other software has written one of the library's: a review is then in the lists
// that its status says, and its booking has no second one; a response is found if what its author wrote must be erased. Nothing else
// changes: neither the version and the times, nor the rating of the property, which [Repository.RepairRating] counts. It does nothing
// to any other item, or to one with a write id. It reports whether it has written something, and fails with [dynastay.ErrCorrupt] for an
// item that no method can change. It is the Each of a walk of the table Reviews, see package migrate.
//
// 2 requests for an item without a write id, otherwise none.
func (r *Repository) AdoptRow(ctx context.Context, row dynastay.Row) (adopted bool, err error) {
	if table := r.tableOf(row); table != nil {
		return table.AdoptRow(ctx, row)
	}
	return false, nil
}

// rowTable is an [*entity.Table], of any type.
type rowTable interface {
	AdoptRow(context.Context, dynastay.Row) (bool, error)
	VerifyRow(context.Context, dynastay.Row) (bool, error)
	MendRow(context.Context, dynastay.Row) (bool, error)
}

// tableOf returns that to which an item belongs, or nil for a guard.
func (r *Repository) tableOf(row dynastay.Row) rowTable {
	switch at := keys.ReviewsTable.Key.From(row); {
	case key.Is[keys.Review](at):
		return r.table
	case key.Is[keys.Response](at):
		return r.responses
	case key.Is[keys.Vote](at):
		return r.votes
	}
	return nil
}
