package reviews

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// VerifyRow compares an item with what follows from it: of a review, its index keys and its guard; of a response or a vote, its index
// keys; of a guard, the review that it names. It fails with an [*entity.DifferentError] if they contradict each other, which
// [Repository.MendRow] mends; a guard that nothing needs is to be deleted. It never writes. It is the Each of a walk of the table
// Reviews, see package migrate; such items count as refused.
//
// 1 request for a review or a guard, none for other items; up to 3 more for one that seems to differ.
//
// [*entity.DifferentError]: https://pkg.go.dev/github.com/dynastay/dynastay/entity#DifferentError
func (r *Repository) VerifyRow(ctx context.Context, row dynastay.Row) (changed bool, err error) {
	ctx, end := r.db.Begin(ctx, "reviews.VerifyRow")
	defer func() { end(err) }()
	if table := r.tableOf(row); table != nil {
		return table.VerifyRow(ctx, row)
	}
	if key.Is[keys.BookingReviewGuard](keys.ReviewsTable.Key.From(row)) {
		return r.table.VerifyGuard(ctx, row)
	}
	return false, nil
}

// MendRow writes the index keys and the guard of an item that [Repository.VerifyRow] finds different. It reports whether it has
// written something. A value that belongs to another review is left to that one. 2 requests more than VerifyRow.
func (r *Repository) MendRow(ctx context.Context, row dynastay.Row) (mended bool, err error) {
	table := r.tableOf(row)
	if table == nil {
		return false, nil
	}
	ctx, end := r.db.Begin(ctx, "reviews.MendRow")
	defer func() { end(err) }()
	return table.MendRow(ctx, row)
}
