package bookings

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/keys"
)

// The reasons why a payment or a refund is not recorded. The [*PaymentError] that is returned matches them.
var (
	ErrPaymentDiffers = dynastay.Refusal("a payment or refund with this id is recorded with a different amount, provider or payment")
	ErrNotPaid        = dynastay.Refusal("the payment to refund is not recorded as paid")
	ErrOverRefund     = dynastay.Refusal("the refund exceeds what is left of the payment")
)

// PaymentError means that a payment or a refund contradicts what has been recorded for the booking. Nothing was
// written.
type PaymentError struct {
	BookingID string
	ID        string // the provider's id of the payment, or the id of the refund
	Err       error  // [ErrPaymentDiffers], [ErrNotPaid] or [ErrOverRefund]
	// Left is what can still be refunded of the payment, for ErrOverRefund.
	Left dynastay.Money
}

// Error names the payment or the refund, the booking and the reason.
func (e *PaymentError) Error() string {
	text := "cannot record " + shown.Masked(e.ID) + " of booking " + shown.Masked(e.BookingID) + ": " + e.Err.Error()
	if e.Left.IsSet() {
		text += ", " + e.Left.String()
	}
	return text
}

// Unwrap returns the reason.
func (e *PaymentError) Unwrap() error { return e.Err }

// account is all payments and refunds of a booking. Notifications of a provider arrive late, twice and in any order, so
// what is recorded must not depend on the order: of two notifications of one payment, the later one according to the
// provider counts, except that a paid payment remains paid.
// See docs/decisions/0015-payments.md for why nothing is added up as it arrives.
type account struct {
	bookingID string
	payments  []Payment
	refunds   []Refund
	nameless  bool // the only payment is one of other software, without the provider's id
	unclear   bool // it is partially refunded, but not by how much
	adopted   int  // payments and refunds without an item of their own, which the next write creates
}

// account returns the payments and refunds of a booking. Other software stores only the summary, perhaps without a
// currency, which is then that of the booking.
func (s stored) account(bookingID string, currency dynastay.Currency) (*account, error) {
	a := &account{bookingID: bookingID}
	for _, row := range s.payments {
		p, err := paymentEntity.Value(row)
		if err != nil {
			return nil, err
		}
		a.payments = append(a.payments, *p)
	}
	for _, row := range s.refunds {
		r, err := refundEntity.Value(row)
		if err != nil {
			return nil, err
		}
		a.refunds = append(a.refunds, *r)
	}
	if len(a.payments) == 0 && s.summary.Exists() {
		summary, err := readSummary(s.summary, currency)
		if err != nil {
			return nil, err
		}
		a.adopt(summary)
	}
	return a, nil
}

// adopt makes a payment, and perhaps a refund, of a summary that other software stored.
func (a *account) adopt(s *PaymentSummary) {
	p := s.Payment
	p.BookingID = a.bookingID
	key := keys.PaymentAttempt{BookingID: a.bookingID, ProviderTransactionID: p.ProviderTransactionID}
	if _, err := keys.Of(key); err != nil {
		p.ProviderTransactionID, a.nameless = a.bookingID, true
	}
	p.At = s.At
	if p.At.IsZero() {
		p.At = p.CreatedAt
	}
	a.unclear = p.Status == PaymentPartiallyRefunded && s.Refunded.Sign() == 0
	switch p.Status = p.Status.normal(); p.Status {
	case PaymentPartiallyRefunded, PaymentRefunded:
		p.Status = PaymentPaid
	}
	a.payments = append(a.payments, p)
	a.adopted = 1
	if s.Refunded.Sign() > 0 && len(a.refunds) == 0 {
		a.refunds = append(a.refunds, Refund{
			ID: a.bookingID, BookingID: a.bookingID, ProviderTransactionID: p.ProviderTransactionID,
			Amount: s.Refunded, Status: PaymentRefunded, At: s.RefundedAt, CreatedAt: s.RefundedAt,
		})
		a.adopted++
	}
}

func (a *account) fail(id string, reason error) error {
	return &PaymentError{BookingID: a.bookingID, ID: id, Err: reason}
}

// pay records a notification of a payment.
func (a *account) pay(p Payment) error {
	i := a.payment(p.ProviderTransactionID)
	if i < 0 && a.nameless && a.payments[0].Amount == p.Amount {
		i, a.nameless = 0, false
		a.rename(p.ProviderTransactionID)
	}
	if i < 0 {
		a.payments = append(a.payments, p)
		return nil
	}
	had := a.payments[i]
	// Other software may have stored neither the provider nor the amount.
	if had.Provider != "" && had.Provider != p.Provider || had.Status == PaymentPaid && p.Status == PaymentPaid && had.Amount.IsSet() && had.Amount != p.Amount {
		return a.fail(p.ProviderTransactionID, ErrPaymentDiffers)
	}
	now, other := had, p
	if p.overtakes(had) {
		now, other = p, had
	}
	// What only one of the two notifications contains is kept, whichever came first.
	now.ID, now.CreatedAt = had.ID, had.CreatedAt
	now.Provider, now.Method = cmp.Or(now.Provider, other.Provider), cmp.Or(now.Method, other.Method)
	if !now.Amount.IsSet() {
		now.Amount = other.Amount
	}
	now.Card.Brand = cmp.Or(now.Card.Brand, other.Card.Brand)
	now.Card.Last4 = cmp.Or(now.Card.Last4, other.Card.Last4)
	a.payments[i] = now
	return nil
}

// rename gives the only payment the provider's id.
func (a *account) rename(transactionID string) {
	a.payments[0].ProviderTransactionID = transactionID
	for i := range a.refunds {
		a.refunds[i].ProviderTransactionID = transactionID
	}
}

// paymentRank decides between two notifications with the same time.
var paymentRank = []PaymentStatus{PaymentPending, PaymentFailed, PaymentAuthorized, PaymentPaid}

// overtakes reports whether a notification counts instead of what was recorded for the same payment.
func (p Payment) overtakes(had Payment) bool {
	switch {
	case p.Status == PaymentPaid && had.Status == PaymentPaid:
		return p.At.Before(had.At) // a payment is made once, when it is first reported
	case p.Status == PaymentPaid || had.Status == PaymentPaid:
		return p.Status == PaymentPaid
	}
	return cmp.Or(p.At.Compare(had.At), slices.Index(paymentRank, p.Status)-slices.Index(paymentRank, had.Status)) > 0
}

// refundRank decides between two notifications of a refund, whatever their times: a provider may report that a refund
// failed after it had reported that it succeeded, but never the opposite.
var refundRank = []PaymentStatus{PaymentPending, PaymentRefunded, PaymentFailed}

// refund records a notification of a refund.
func (a *account) refund(r Refund) error {
	if i := a.refunded(r.ID); i >= 0 {
		had := a.refunds[i]
		if had.Amount != r.Amount || r.ProviderTransactionID != "" && r.ProviderTransactionID != had.ProviderTransactionID {
			return a.fail(r.ID, ErrPaymentDiffers)
		}
		later := slices.Index(refundRank, r.Status) - slices.Index(refundRank, had.Status)
		if later > 0 || later == 0 && r.At.Before(had.At) {
			had.Status, had.At = r.Status, r.At
		}
		had.Reason, had.FailureReason = cmp.Or(had.Reason, r.Reason), cmp.Or(had.FailureReason, r.FailureReason)
		a.refunds[i] = had
		return nil
	}
	if r.ProviderTransactionID == "" {
		var err error
		if r.ProviderTransactionID, err = a.onlyPaid(r.ID); err != nil {
			return err
		}
	}
	left, err := a.left(r.ProviderTransactionID)
	switch {
	case err != nil:
		return err
	case !left.IsSet():
		return a.fail(r.ID, ErrNotPaid)
	}
	more, err := r.Amount.Compare(left)
	if err != nil {
		return dynastay.Invalid("Amount", "must be in %s, the currency of the payment", left.Currency())
	}
	if more > 0 && r.Status != PaymentFailed {
		return &PaymentError{BookingID: a.bookingID, ID: r.ID, Err: ErrOverRefund, Left: left}
	}
	a.refunds = append(a.refunds, r)
	return nil
}

// onlyPaid returns the provider's id of the only payment that has been made.
func (a *account) onlyPaid(refundID string) (id string, err error) {
	for _, p := range a.payments {
		switch {
		case p.Status != PaymentPaid:
		case id != "":
			return "", dynastay.Invalid("ProviderTransactionID", "is required, because the booking has several payments")
		default:
			id = p.ProviderTransactionID
		}
	}
	if id == "" {
		return "", a.fail(refundID, ErrNotPaid)
	}
	return id, nil
}

func (a *account) payment(transactionID string) int {
	return slices.IndexFunc(a.payments, func(p Payment) bool { return p.ProviderTransactionID == transactionID })
}

func (a *account) refunded(id string) int {
	return slices.IndexFunc(a.refunds, func(r Refund) bool { return r.ID == id })
}

// left returns what can still be refunded of a payment. It is unset if the payment has not been made.
func (a *account) left(transactionID string) (dynastay.Money, error) {
	i := a.payment(transactionID)
	if i < 0 || a.payments[i].Status != PaymentPaid {
		return dynastay.Money{}, nil
	}
	left := a.payments[i].Amount
	for _, r := range a.refunds {
		if r.ProviderTransactionID == transactionID && r.Status != PaymentFailed {
			var err error
			if left, err = left.Sub(r.Amount); err != nil {
				return left, a.corrupt(err)
			}
		}
	}
	return left, nil
}

// understood returns an error if other software has stored a payment from which nothing can be concluded: with an
// unknown status or without an amount, or partially refunded by an unknown amount.
func (a *account) understood() error {
	for _, p := range a.payments {
		if !slices.Contains(paymentRank, p.Status) || !p.Amount.IsSet() || a.unclear {
			return a.corrupt(errUnclear)
		}
	}
	return nil
}

var errUnclear = errors.New("its status and amounts must say what has been paid")

// corrupt is about items of other software.
func (a *account) corrupt(err error) error {
	return &dynastay.Error{Entity: "Payment", ID: a.bookingID, Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error())}
}

// summary derives the summary from the payments, of which there must be at least one, and the refunds. Total is that of
// the booking.
func (a *account) summary(total dynastay.Money) (*PaymentSummary, error) {
	s := &PaymentSummary{Payment: slices.MaxFunc(a.payments, furthest)}
	nothing, err := s.Amount.Sub(s.Amount)
	s.Paid, s.Authorized, s.Refunded = nothing, nothing, nothing
	add := func(sum *dynastay.Money, amount dynastay.Money) {
		if err == nil {
			*sum, err = sum.Add(amount)
		}
	}
	for _, p := range a.payments {
		switch p.Status {
		case PaymentPaid:
			add(&s.Paid, p.Amount)
		case PaymentAuthorized:
			add(&s.Authorized, p.Amount)
		}
	}
	for _, r := range a.refunds {
		if r.Status == PaymentFailed {
			continue
		}
		add(&s.Refunded, r.Amount)
		if r.At.After(s.RefundedAt) {
			s.RefundedAt = r.At
		}
	}
	if err != nil {
		return nil, a.corrupt(err)
	}
	own := s.Status
	if own != PaymentPaid {
		s.At = time.Time{}
	}
	s.FailureReason = ""
	s.Status = s.statusFor(total, own)
	return s, nil
}

// furthest orders payments by how far they have come.
func furthest(p, other Payment) int {
	stage := func(p Payment) int { return max(0, slices.Index(paymentRank, p.Status)-1) } // pending and failed are equal
	return cmp.Or(stage(p)-stage(other), p.At.Compare(other.At), cmp.Compare(p.ProviderTransactionID, other.ProviderTransactionID))
}

// statusFor returns the payment status of a booking with that total; last is the status of the payment that has come
// furthest.
func (s *PaymentSummary) statusFor(total dynastay.Money, last PaymentStatus) PaymentStatus {
	due, err := total.Sub(s.Paid)
	switch {
	case s.Refunded.Sign() > 0 && s.Refunded == s.Paid:
		return PaymentRefunded
	case s.Refunded.Sign() > 0:
		return PaymentPartiallyRefunded
	case err == nil && due.Sign() <= 0 && (total.IsSet() || s.Paid.Sign() > 0):
		return PaymentPaid
	case s.Authorized.Sign() > 0:
		return PaymentAuthorized
	case last == PaymentFailed:
		return PaymentFailed
	}
	return PaymentPending
}
