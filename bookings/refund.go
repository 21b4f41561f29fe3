package bookings

import (
	"cmp"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	values "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/keys"
)

// Refund is a refund of one payment. Several refunds may refund parts of a payment. No text of it may contain card
// data, see [Request]; the reasons have at most [entity.MaxNote] bytes each. For the ids, the rule is that of
// [Payment].
type Refund struct {
	// ID identifies the refund among those of the booking. It is the provider's id, or one of your own that you also
	// pass to the provider, so that the refund can be recorded before the provider is asked for it.
	ID        string
	BookingID string
	// ProviderTransactionID is the payment that is refunded. It may be empty if only one payment has been made.
	ProviderTransactionID string
	// Amount may be missing in [Repository.Cancel] and [Repository.RefundDue]: the refund is then for what is due, and the
	// result has none if nothing is.
	Amount        dynastay.Money `json:",omitzero"`
	Status        PaymentStatus  // PaymentPending, PaymentRefunded or PaymentFailed; "" means PaymentRefunded
	Reason        string         // for which the property refunds
	FailureReason string         // of a refund that failed, such as the provider's code for it
	// At is when the refund got its status, in whole milliseconds. The zero time means now.
	At        time.Time `json:",omitzero"`
	CreatedAt time.Time `json:",omitzero"` // when the refund was first recorded
}

// refundEntity is the item of one refund.
var refundEntity = entity.New(entity.Spec[Refund]{
	Name: "Refund", Operations: "bookings", Schema: keys.BookingsTable,
	Key: func(r *Refund) (dynastay.Key, error) {
		return keys.Of(keys.Refund{BookingID: r.BookingID, RefundID: r.ID})
	},
	Codec: entity.Declare(func(f *entity.Fields, r *Refund) {
		f.Const(keys.AttrEntityType, "Refund")
		f.String("RefundId", &r.ID)
		f.String("BookingId", &r.BookingID)
		f.String("ProviderTransactionId", &r.ProviderTransactionID)
		f.Money("Amount", "Currency", &r.Amount)
		entity.String(f, "Status", &r.Status)
		f.String("Reason", &r.Reason)
		f.String("FailureReason", &r.FailureReason)
		f.Time("StatusAt", &r.At)
		f.Time("CreatedAt", &r.CreatedAt)
	}),
})

// Validate checks a refund. Its errors name the field.
func (r Refund) Validate() error {
	if err := r.validate(); err != nil {
		return err
	}
	return checkPaid(r.Amount, r.At)
}

// validate checks everything but the amount.
func (r Refund) validate() error {
	if _, err := keys.Of(keys.Booking{BookingID: r.BookingID}); err != nil {
		return err
	}
	if err := checkID(r.ID); err != nil {
		return dynastay.Within("ID", err)
	}
	if r.ProviderTransactionID != "" {
		if _, err := keys.Of(keys.PaymentAttempt{BookingID: r.BookingID, ProviderTransactionID: r.ProviderTransactionID}); err != nil {
			return err
		}
	}
	for _, text := range []struct {
		field, value string
		check        func(string, int) error
		most         int
	}{
		{"ID", r.ID, checkProviderID, entity.MaxName},
		{"ProviderTransactionID", r.ProviderTransactionID, checkProviderID, entity.MaxName},
		{"Reason", r.Reason, checkText, entity.MaxNote}, {"FailureReason", r.FailureReason, checkText, entity.MaxNote},
	} {
		if err := text.check(text.value, text.most); err != nil {
			return dynastay.Within(text.field, err)
		}
	}
	switch r.Status {
	case "", PaymentPending, PaymentRefunded, PaymentFailed:
	default:
		return dynastay.Invalid("Status", "must be one of pending, refunded, failed")
	}
	if r.FailureReason != "" && r.Status != PaymentFailed {
		return dynastay.Invalid("FailureReason", "requires the status failed")
	}
	return nil
}

// agreed adds what a repeated call must have in common with the first one.
func (r Refund) agreed(in *dynastay.Input) {
	for _, text := range []string{r.ID, r.ProviderTransactionID, string(cmp.Or(r.Status, PaymentRefunded)), r.Reason, r.FailureReason} {
		in.Field("refund", text)
	}
	in.Field("amount", r.Amount.String())
	in.Field("at", values.TextOf(dynastay.Instant(r.At)))
}
