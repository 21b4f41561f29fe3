package bookings

import (
	"errors"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	values "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/keys"
)

// Payment is one transaction at a payment provider for a booking, as of its last notification. BookingID, Provider,
// ProviderTransactionID, Method, Amount and Status are required. No text of it may contain card data, see [Request]; each has at most [entity.MaxName] bytes, FailureReason [entity.MaxNote]. An id is
// refused only if it has no letter and looks like a card number: if the ids of a provider are numbers, put the
// provider's name in front of them.
type Payment struct {
	ID                    string // such as "pay_…"; generated if the first notification has none
	BookingID             string
	Provider              string         // such as "stripe"
	ProviderTransactionID string         // unique among the payments of the booking
	Method                string         // such as "credit_card"
	Amount                dynastay.Money `json:",omitzero"`
	Status                PaymentStatus  // PaymentPending, PaymentAuthorized, PaymentPaid or PaymentFailed
	Card                  Card           `json:",omitzero"` // for payments by card
	FailureReason         string         // of a payment that failed, such as the provider's code for it
	// At is when the payment got its status, according to the provider, in whole milliseconds. The zero time means now;
	// then notifications that arrive in the wrong order count in that order.
	At        time.Time `json:",omitzero"`
	CreatedAt time.Time `json:",omitzero"` // when the payment was first recorded
}

// Card is all that may be stored of a card.
type Card struct {
	Brand string // such as "visa"
	Last4 string // the last four digits
}

// declare declares the attributes of the hotel-booking document. The currency is in each item.
func (p *Payment) declare(f *entity.Fields) {
	f.String("PaymentId", &p.ID)
	f.String("BookingId", &p.BookingID)
	f.Money("Amount", "Currency", &p.Amount)
	f.String("PaymentMethod", &p.Method)
	f.String("PaymentProvider", &p.Provider)
	f.String("ProviderTransactionId", &p.ProviderTransactionID)
	entity.String(f, "Status", &p.Status)
	f.String("CardLast4", &p.Card.Last4)
	f.String("CardBrand", &p.Card.Brand)
	f.Time("CreatedAt", &p.CreatedAt)
}

// paymentEntity is the item of one payment.
var paymentEntity = entity.New(entity.Spec[Payment]{
	Name: "Payment", Operations: "bookings", Schema: keys.BookingsTable,
	Key: func(p *Payment) (dynastay.Key, error) {
		return keys.Of(keys.PaymentAttempt{BookingID: p.BookingID, ProviderTransactionID: p.ProviderTransactionID})
	},
	Codec: entity.Declare(func(f *entity.Fields, p *Payment) {
		f.Const(keys.AttrEntityType, "PaymentAttempt")
		p.declare(f)
		f.String("FailureReason", &p.FailureReason)
		f.Time("StatusAt", &p.At)
	}),
})

// Validate checks a notification of a payment. Its errors name the field.
func (p Payment) Validate() error {
	if _, err := keys.Of(keys.PaymentAttempt{BookingID: p.BookingID, ProviderTransactionID: p.ProviderTransactionID}); err != nil {
		return err
	}
	if p.ID != "" {
		if err := checkID(p.ID); err != nil {
			return dynastay.Within("ID", err)
		}
	}
	for _, text := range []struct {
		field, value string
		check        func(string, int) error
		most         int
	}{
		{"ID", p.ID, checkProviderID, entity.MaxName},
		{"ProviderTransactionID", p.ProviderTransactionID, checkProviderID, entity.MaxName},
		{"Provider", p.Provider, checkText, entity.MaxName}, {"Method", p.Method, checkText, entity.MaxName},
		{"Card.Brand", p.Card.Brand, checkText, entity.MaxName}, {"FailureReason", p.FailureReason, checkText, entity.MaxNote},
	} {
		if err := text.check(text.value, text.most); err != nil {
			return dynastay.Within(text.field, err)
		}
	}
	switch p.Status {
	case PaymentPending, PaymentAuthorized, PaymentPaid, PaymentFailed:
	default:
		return dynastay.Invalid("Status", "must be one of pending, authorized, paid, failed")
	}
	switch {
	case p.Provider == "":
		return dynastay.Invalid("Provider", "is required")
	case p.Method == "":
		return dynastay.Invalid("Method", "is required")
	case p.Card.Last4 != "" && !fourDigits(p.Card.Last4):
		return dynastay.Invalid("Card.Last4", "must be 4 digits")
	case p.FailureReason != "" && p.Status != PaymentFailed:
		return dynastay.Invalid("FailureReason", "requires the status failed")
	}
	return checkPaid(p.Amount, p.At)
}

// checkPaid checks what a payment and a refund have in common.
func checkPaid(amount dynastay.Money, at time.Time) error {
	if err := amount.ValidatePaid(); err != nil { // in the currency of the booking, which may have been withdrawn
		return dynastay.Within("Amount", err)
	}
	if amount.Sign() <= 0 {
		return dynastay.Invalid("Amount", "must be positive")
	}
	if year := at.UTC().Year(); !at.IsZero() && (year < 1 || year > 9999) {
		return dynastay.Invalid("At", "must be in a year between 1 and 9999")
	}
	return nil
}

func fourDigits(text string) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) == 4
}

// agreed adds what a repeated call must have in common with the first one.
func (p Payment) agreed(in *dynastay.Input) {
	for _, text := range []string{p.ID, p.Provider, p.ProviderTransactionID, p.Method, string(p.Status), p.Card.Brand, p.Card.Last4, p.FailureReason} {
		in.Field("payment", text)
	}
	in.Field("amount", p.Amount.String())
	in.Field("at", values.TextOf(dynastay.Instant(p.At)))
}

// checkID checks an id that has no key of its own.
func checkID(id string) error {
	var invalid *dynastay.InvalidError
	if _, err := keys.Of(keys.Booking{BookingID: id}); errors.As(err, &invalid) {
		return dynastay.Invalid("", "%s", invalid.Reason)
	}
	return nil
}
