package reviews

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// AdoptRow makes a review that other software has written one of the library's: it is then in the lists that its status
// says, and its booking has no second one. Nothing else changes: neither its version and its times, nor the rating of the
// property, which [Repository.RepairRating] counts. It does nothing to an item that is no review, or that has a write id. It
// reports whether it has written something, and fails with [dynastay.ErrCorrupt] for a review that no method can change. It is the
// Each of a walk of the table Reviews, see package migrate.
//
// 2 requests for a review without a write id, otherwise none.
func (r *Repository) AdoptRow(ctx context.Context, row dynastay.Row) (adopted bool, err error) {
	if !key.Is[keys.Review](keys.ReviewsTable.Key.From(row)) {
		return false, nil
	}
	return r.table.AdoptRow(ctx, row)
}
