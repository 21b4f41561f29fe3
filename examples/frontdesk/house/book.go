package house

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"

	"github.com/dynastay/dynastay/examples/frontdesk/pay"
)

// Hold is what a guest books.
type Hold struct {
	Token           string // of an offer
	Guest           bookings.Guest
	SpecialRequests string
	// Key makes the guest's request happen once, however often the browser sends it.
	Key string
}

// Hold books an offer: the rooms are held until the guest has paid, or the time is over. 1 request.
func (h *House) Hold(ctx context.Context, userID string, in Hold) (*bookings.Booking, error) {
	o, err := h.sealer.Open(in.Token, userID, h.DB.Now())
	if err != nil {
		return nil, dynastay.Within("Offer", err)
	}
	req, err := o.Request(in.Guest)
	if err != nil {
		return nil, dynastay.Within("Offer", err)
	}
	req.UserID, req.SpecialRequests, req.Hold = userID, in.SpecialRequests, holdsLast
	return h.Bookings.Create(ctx, req, dynastay.IdempotencyKey(in.Key).Of(userID))
}

// Own returns a booking of the user. Another one's does not exist. 1 request.
func (h *House) Own(ctx context.Context, userID, bookingID string) (*bookings.Booking, error) {
	b, err := h.Bookings.Get(ctx, bookingID, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	if b.UserID != userID {
		return nil, &dynastay.Error{Op: "house.Own", Entity: "Booking", ID: bookingID, Kind: dynastay.ErrNotFound}
	}
	return b, nil
}

// account is a booking of the user, with its payments.
type account struct {
	*bookings.Booking
	history bookings.PaymentHistory
	receipt *bookings.Receipt
}

// account reads a booking of the user. 2 requests.
func (h *House) account(ctx context.Context, userID, bookingID string) (a account, err error) {
	if a.Booking, err = h.Own(ctx, userID, bookingID); err != nil {
		return a, err
	}
	if a.history, err = h.Bookings.PaymentHistory(ctx, bookingID, dynastay.Consistent); err != nil {
		return a, err
	}
	a.receipt, err = a.Booking.Receipt(a.history, h.DB.Now(), nil)
	return a, err
}

// Receipt returns what a booking of the user costs, and what has been paid. 2 requests.
func (h *House) Receipt(ctx context.Context, userID, bookingID string) (*bookings.Receipt, error) {
	a, err := h.account(ctx, userID, bookingID)
	return a.receipt, err
}

// ErrNothingDue means that there is nothing to pay.
var ErrNothingDue = dynastay.Refusal("nothing is to be paid")

// Pay charges what is due of a booking now, or all that is still to be paid if nothing is due yet. The provider answers later, see
// [House.Notice]. A repeated request with the same key charges once. 2 requests.
func (h *House) Pay(ctx context.Context, userID, bookingID, method, key string) (transactionID string, err error) {
	a, err := h.account(ctx, userID, bookingID)
	if err != nil {
		return "", err
	}
	due := a.receipt.Balance
	if a.receipt.DueNow.Sign() > 0 {
		due = a.receipt.DueNow
	}
	switch {
	case a.Status != bookings.Pending && a.Status != bookings.Confirmed:
		return "", &bookings.StatusError{BookingID: a.ID, Status: a.Status, Op: "pay"}
	case due.Sign() <= 0:
		return "", ErrNothingDue
	}
	return h.Provider.Charge(pay.Charge{BookingID: a.ID, Amount: due, Method: method, Key: userID + " " + key}), nil
}

// ErrForged means that the provider has not signed a notice.
var ErrForged = dynastay.Refusal("the notice has no signature of the provider")

// Notice does what a notice of the provider means. It may come late, twice, and in any order: a payment confirms a booking that waits
// for it, and what cannot be used any more is paid back. 2 requests; 1 if nothing changes; 2 more to pay back.
func (h *House) Notice(ctx context.Context, d pay.Delivery) error {
	n, signed := h.Provider.Read(d)
	if !signed {
		return ErrForged
	}
	if n.RefundID != "" {
		_, err := h.Bookings.RecordRefund(ctx, bookings.Refund{
			ID: n.RefundID, BookingID: n.BookingID, ProviderTransactionID: n.TransactionID, Amount: n.Amount, At: n.At,
		})
		return err
	}
	p := bookings.Payment{
		BookingID: n.BookingID, Provider: pay.Name, ProviderTransactionID: n.TransactionID, Method: n.Method, Amount: n.Amount,
		Status: bookings.PaymentPaid, At: n.At,
	}
	if n.Declined {
		p.Status, p.FailureReason = bookings.PaymentFailed, "declined"
	}
	recorded, err := h.Bookings.ApplyPayment(ctx, p)
	if err != nil || recorded.Due.Sign() <= 0 {
		return err
	}
	done, err := h.Bookings.RefundDue(ctx, bookings.Refund{
		ID: "late_" + n.TransactionID, BookingID: n.BookingID, ProviderTransactionID: n.TransactionID, Status: bookings.PaymentPending,
	})
	if err == nil {
		h.payBack(n.BookingID, done.Refunds)
	}
	return err
}

// payBack asks the provider for refunds that are recorded as pending. Asking twice is asking once, so whoever finds one that is still
// pending can ask again.
func (h *House) payBack(bookingID string, refunds []bookings.Refund) {
	for _, r := range refunds {
		h.Provider.Refund(r.ProviderTransactionID, bookingID, r.ID, r.Amount)
	}
}

// Cancelling is what a cancellation would come to.
type Cancelling struct {
	account
	bookings.Settlement
}

// Cancelling returns what is paid back if the booking is cancelled now. 2 requests.
func (h *House) Cancelling(ctx context.Context, userID, bookingID string) (*Cancelling, error) {
	a, err := h.account(ctx, userID, bookingID)
	if err != nil {
		return nil, err
	}
	settled, err := a.Settle(a.receipt.Paid, h.DB.Now(), nil)
	return &Cancelling{a, settled}, err
}

// ErrRefundChanged means that the guest was shown another refund, perhaps because a deadline has passed meanwhile.
var ErrRefundChanged = dynastay.Refusal("the refund is not the one that was shown")

// Cancel cancels a booking if it has the version, and the refund, that the guest was shown. 4 requests.
func (h *House) Cancel(ctx context.Context, userID, bookingID string, version int, shown dynastay.Money, reason string) (*bookings.Booking, error) {
	now, err := h.Cancelling(ctx, userID, bookingID)
	if err != nil {
		return nil, err
	}
	if now.Version != version {
		return nil, &dynastay.Error{Op: "house.Cancel", Entity: "Booking", ID: bookingID, Kind: dynastay.ErrVersion}
	}
	if now.Refund != shown {
		return nil, ErrRefundChanged
	}
	var refunds []bookings.Refund // of what is due, in the transaction that cancels
	for _, p := range now.history.Payments {
		if p.Status == bookings.PaymentPaid {
			refunds = append(refunds, bookings.Refund{
				ID: "refund_" + p.ProviderTransactionID, ProviderTransactionID: p.ProviderTransactionID, Status: bookings.PaymentPending,
			})
		}
	}
	done, err := h.Bookings.Cancel(ctx, bookingID, reason, refunds, dynastay.IfUser(userID))
	if err != nil {
		return nil, err
	}
	h.payBack(bookingID, done.Refunds)
	return done.Booking, nil
}
