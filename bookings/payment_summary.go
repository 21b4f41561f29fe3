package bookings

import (
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// PaymentSummary is what has been paid for a booking so far. It is derived from the payments and the refunds, and
// written together with them.
type PaymentSummary struct {
	// Payment is the payment that has come furthest: a paid one, else an authorized one, else the last one. Its Status
	// is the [PaymentStatus] of the booking instead of its own, its At is when it was paid, and it has no
	// FailureReason.
	Payment
	Paid       dynastay.Money `json:",omitzero"` // in all payments
	Authorized dynastay.Money `json:",omitzero"` // in all payments, and not paid yet
	Refunded   dynastay.Money `json:",omitzero"` // in all refunds, except for those that failed
	RefundedAt time.Time      `json:",omitzero"` // of the last refund
}

var summaryEntity = entity.New(entity.Spec[PaymentSummary]{
	Name: "Payment", Operations: "bookings", Schema: keys.BookingsTable,
	Key: func(s *PaymentSummary) (dynastay.Key, error) { return keys.Of(keys.Payment{BookingID: s.BookingID}) },
	Codec: entity.Declare(func(f *entity.Fields, s *PaymentSummary) {
		f.Const(keys.AttrEntityType, "Payment")
		s.declare(f)
		f.Time("PaidAt", &s.At)
		f.Money("PaidAmount", "Currency", &s.Paid)
		f.Money("AuthorizedAmount", "Currency", &s.Authorized)
		f.Money("RefundAmount", "Currency", &s.Refunded)
		f.Time("RefundedAt", &s.RefundedAt)
	}),
})

// readSummary decodes a stored summary. That of other software has no totals: they follow from the payment. Amounts
// without a currency are in the given one.
func readSummary(row dynastay.Row, currency dynastay.Currency) (*PaymentSummary, error) {
	s, err := summaryEntity.Value(row)
	if err != nil {
		return nil, err
	}
	for _, amount := range []*dynastay.Money{&s.Amount, &s.Refunded} {
		if amount.Sign() != 0 && !amount.IsSet() {
			if *amount, err = dynastay.MoneyOfDigits(amount.Digits(), currency); err != nil {
				return nil, err
			}
		}
	}
	nothing, err := s.Amount.Sub(s.Amount)
	if err != nil {
		return nil, err
	}
	foreign := !s.Paid.IsSet()
	if foreign {
		s.Paid, s.Authorized = nothing, nothing
		switch s.Status.normal() {
		case PaymentPaid, PaymentPartiallyRefunded, PaymentRefunded:
			s.Paid = s.Amount
		case PaymentAuthorized:
			s.Authorized = s.Amount
		}
	}
	if !s.Refunded.IsSet() {
		s.Refunded = nothing
		if foreign && s.Status == PaymentRefunded {
			s.Refunded = s.Amount
		}
	}
	return s, nil
}
