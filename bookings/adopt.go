package bookings

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// AdoptRow makes a booking that other software has written one of the library's: it is then in every list, such as those
// of a day's arrivals and of who is in the house, and its reference is found and stays its own. Nothing else changes: the
// version and the times stay as they are, and so do its lines and payments. It does nothing to an item that is no booking,
// or that has a write id. It reports whether it has written something, and fails with [dynastay.ErrCorrupt] for a booking
// that no method can change. It is the Each of a walk of the table Bookings, see package migrate.
//
// 2 requests for a booking without a write id, otherwise none.
func (r *Repository) AdoptRow(ctx context.Context, row dynastay.Row) (adopted bool, err error) {
	if !key.Is[keys.Booking](keys.BookingsTable.Key.From(row)) {
		return false, nil
	}
	return r.table.AdoptRow(ctx, row)
}
