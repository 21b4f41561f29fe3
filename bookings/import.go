package bookings

import (
	"cmp"
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
)

// Import is a booking that was made in another system, with its own id, times, prices and payments: see
// [Repository.ImportOp]. No text may contain card data, see [Request].
type Import struct {
	ID        string              // of the other system; required
	Reference string              // which the guest has, as it is; "" draws one
	UserID    string              // "" for a guest without an account
	Property  availability.House  `json:",omitzero"` // ID is required
	Stay      dynastay.Stay       `json:",omitzero"` // also one that is over
	Guests    availability.Guests `json:",omitzero"`
	Rooms     []availability.Room `json:",omitzero"` // each with Agreed: what a room costs in each night
	Guest     Guest               `json:",omitzero"`
	Source
	// UniqueReference is that of [Request].
	UniqueReference bool
	Data            Data `json:",omitzero"`

	// The total is the sum of the rooms, plus TaxesAndFees, minus Discounts. If Total is set, it must be that. PromoCode is the
	// code that gave the discounts; its uses are not counted.
	TaxesAndFees    dynastay.Money `json:",omitzero"`
	Discounts       dynastay.Money `json:",omitzero"`
	PromoCode       string
	Total           dynastay.Money `json:",omitzero"`
	SpecialRequests string

	// Status is any. A [Pending] booking and a [Confirmed] one must be for a stay that has not begun.
	Status    Status
	CreatedAt time.Time `json:",omitzero"` // required
	// The times of what has happened. One that is not known may be missing, but not CancelledAt of a cancelled booking, nor
	// HoldExpiresAt of a pending or expired one.
	ConfirmedAt        time.Time `json:",omitzero"`
	CheckedInAt        time.Time `json:",omitzero"`
	CheckedOutAt       time.Time `json:",omitzero"`
	CancelledAt        time.Time `json:",omitzero"`
	HoldExpiresAt      time.Time `json:",omitzero"`
	CancellationReason string

	// The payments and refunds, each with At. BookingID may be missing.
	Payments []Payment `json:",omitzero"`
	Refunds  []Refund  `json:",omitzero"`

	// Overbook is that of [availability.QuoteRequest]: by how many rooms the nights may be overbooked.
	Overbook int
}

// ImportOp stores a booking that was made in another system, as it is there: nobody has to pay, confirm or check in again.
// If the status is pending, confirmed or checked in, the rooms of the nights from today on are taken out of the inventory, as those
// of a sale at agreed prices are: only the rooms that are left count. If there are not enough, it fails with [*Refused], and
// nothing is stored; Import.Overbook allows it. The nights that guests in the house, guests who have left, and no-shows do not get
// are in [Booking].Released: so no night comes back that was never taken, and a no-show can be reinstated if there are rooms. All
// lines are at agreed prices, and no use of a promo code is counted.
//
// If a booking with the ID exists, it fails with [dynastay.ErrAlreadyExists], whatever else is wrong, so that a repetition is
// harmless. If only the reference belongs to another booking, the error has Field "Reference" or "ExternalReference". The
// operation takes no idempotency key.
//
// It needs one action for each night that is taken, two for the booking and its reference, one for each line, payment and
// refund, one for the summary of the payments, and one for a unique external reference. A transaction has at most 100.
//
// Whether the user was erased is not checked, see [Repository.CreateOp].
func (r *Repository) ImportOp(i Import) *dynastay.Operation[*Booking] {
	op, err := i.imported()
	var made *entity.Creation[Booking] // not before it is written: a load checks all lines first, by their operations
	return dynastay.NewOp(dynastay.OpSpec[*Booking]{
		Name: "bookings.Import", Invalid: err,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Booking, error) {
			today, err := op.current(r.db.Now())
			if err != nil {
				return nil, cmp.Or(op.exists(ctx, r), err) // it may have been imported when the time was right
			}
			if made == nil {
				if made, err = op.creation(r); err != nil {
					return nil, err
				}
			}
			made.Value.Released = op.missed(today)
			sold, err := op.take(ctx, tx, r, today)
			if err != nil {
				return nil, err
			}
			if err := made.AddTo(tx); err != nil {
				return nil, err
			}
			b := madeOf(made.Value, sold)
			if err := addLines(tx, b); err != nil {
				return nil, err
			}
			return b, op.addPayments(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Booking, error) {
			return r.Get(ctx, i.ID, dynastay.Consistent)
		},
	})
}

// Import runs [Repository.ImportOp]. 1 request, and 1 more for each room type with Overbook; after a refusal 1 more, and 1 for
// each room type, also if nights are overbooked within their limits.
func (r *Repository) Import(ctx context.Context, i Import) (*Booking, error) {
	return dynastay.Do(ctx, r.db, r.ImportOp(i))
}
