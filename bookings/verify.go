package bookings

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// VerifyRow compares an item with what follows from it: of a booking, its index keys and its guards, and what it says about its
// lines, payments and refunds: NumberOfRooms, PriceBreakdown.RoomTotal, TotalAmount, PaymentStatus, and the amounts of Payment; of a
// guard, the booking that it names. It fails with an [*entity.DifferentError] if they contradict each other. [Repository.MendRow] mends
// index keys and guards. A sum is for a person, who asks the guest or the provider what is right; and a guard that nothing needs is to be
// deleted. VerifyRow does nothing to other items, and never writes. It is the Each of a walk of the table Bookings, see package
// migrate; such items count as refused.
//
// 2 requests for a booking, 1 for a guard; up to 4 more for one that seems to differ.
//
// [*entity.DifferentError]: https://pkg.go.dev/github.com/dynastay/dynastay/entity#DifferentError
func (r *Repository) VerifyRow(ctx context.Context, row dynastay.Row) (changed bool, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.VerifyRow")
	defer func() { end(err) }()
	switch at := keys.BookingsTable.Key.From(row); {
	case key.Is[keys.Booking](at):
		_, err := r.table.VerifyRow(ctx, row)
		var derived, sums *entity.DifferentError
		if err != nil && !errors.As(err, &derived) {
			return false, err
		}
		switch err := r.verifySums(ctx, at); {
		case err != nil && !errors.As(err, &sums):
			return false, err
		case derived == nil:
			return false, err
		case sums != nil:
			derived.Attributes = append(derived.Attributes, sums.Attributes...)
		}
		return false, derived
	case key.Is[keys.ReferenceGuard](at), key.Is[keys.ExternalReferenceGuard](at):
		return r.table.VerifyGuard(ctx, row)
	}
	return false, nil
}

// MendRow writes the index keys and guards of a booking that [Repository.VerifyRow] finds different. It reports whether it has
// written something. A value that belongs to another booking is left to that one. 2 requests more than VerifyRow.
func (r *Repository) MendRow(ctx context.Context, row dynastay.Row) (mended bool, err error) {
	if !key.Is[keys.Booking](keys.BookingsTable.Key.From(row)) {
		return false, nil
	}
	ctx, end := r.db.Begin(ctx, "bookings.MendRow")
	defer func() { end(err) }()
	return r.table.MendRow(ctx, row)
}
