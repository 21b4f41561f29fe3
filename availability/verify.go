package availability

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// AdoptRow makes a night that other software has written one of the library's: it is then in the calendar of its property, also if it
// had no index keys. Rooms left, prices and restrictions stay as they are. It does nothing to other items. It reports whether it has
// written something, and is the Each of a walk of the table Availability, see package migrate. Each write of a night adopts it as
// well. It fails with [dynastay.ErrCorrupt] for a night that cannot be read. 2 requests for a night without a write id, otherwise
// none.
func (r *Repository) AdoptRow(ctx context.Context, row dynastay.Row) (adopted bool, err error) {
	if !isNight(row) {
		return false, nil
	}
	return r.table.AdoptRow(ctx, row)
}

// VerifyRow compares the index keys of a night with those that follow from it. It fails with an [*entity.DifferentError] if they
// differ, which [Repository.MendRow] mends. It does nothing to other items, and never writes. It is the Each of a walk of the table
// Availability, see package migrate; such nights count as refused. Whether the rooms left agree with the bookings is for
// bookings.Repository.VerifyNights. No request; 1 for a night that seems to differ.
//
// [*entity.DifferentError]: https://pkg.go.dev/github.com/dynastay/dynastay/entity#DifferentError
func (r *Repository) VerifyRow(ctx context.Context, row dynastay.Row) (changed bool, err error) {
	if !isNight(row) {
		return false, nil
	}
	ctx, end := r.db.Begin(ctx, "availability.VerifyRow")
	defer func() { end(err) }()
	return r.table.VerifyRow(ctx, row)
}

// MendRow writes the index keys of a night that [Repository.VerifyRow] finds different. It reports whether it has written
// something. 2 requests more than VerifyRow.
func (r *Repository) MendRow(ctx context.Context, row dynastay.Row) (mended bool, err error) {
	if !isNight(row) {
		return false, nil
	}
	ctx, end := r.db.Begin(ctx, "availability.MendRow")
	defer func() { end(err) }()
	return r.table.MendRow(ctx, row)
}

func isNight(row dynastay.Row) bool { return key.Is[keys.Night](keys.AvailabilityTable.Key.From(row)) }
