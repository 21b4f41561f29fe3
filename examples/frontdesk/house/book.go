package house

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"

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

// Hold books an offer: the rooms are held until the guest has paid, or the time is over. 1 request; 2 more if the offer has expired,
// because an earlier answer may have been lost.
func (h *House) Hold(ctx context.Context, userID string, in Hold) (*bookings.Booking, error) {
	once := dynastay.IdempotencyKey(in.Key).Of(userID)
	o, err := h.sealer.Open(in.Token, userID, h.DB.Now())
	if errors.Is(err, offer.ErrExpired) {
		if made, notMade := h.Bookings.MadeBy(ctx, once); notMade == nil {
			return made, nil
		}
	}
	if err != nil {
		return nil, dynastay.Within("Offer", err)
	}
	req, err := o.Request(in.Guest)
	if err != nil {
		return nil, dynastay.Within("Offer", err)
	}
	req.UserID, req.SpecialRequests, req.Hold = userID, in.SpecialRequests, holdsLast
	made := h.Bookings.CreateOp(req)
	// A session may outlive its user by moments.
	if err := h.DB.Write(ctx, made, h.Users.NotErasedOp(userID), once); err != nil {
		return nil, err
	}
	return made.Result(), nil
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

// Account is a booking of the user, with its payments.
type Account struct {
	*bookings.Booking
	Receipt *bookings.Receipt
	history bookings.PaymentHistory
}

// Account reads a booking of the user. If the provider has not been asked for a refund, because a process died, it is asked now. 2
// requests.
func (h *House) Account(ctx context.Context, userID, bookingID string) (*Account, error) {
	b, err := h.Own(ctx, userID, bookingID)
	if err != nil {
		return nil, err
	}
	history, err := h.Bookings.PaymentHistory(ctx, bookingID, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	h.payBack(bookingID, history.Refunds)
	receipt, err := b.Receipt(history, h.DB.Now(), nil)
	return &Account{b, receipt, history}, err
}

// Due is what is to be paid now, or all that is still to be paid if nothing is due yet.
func (a *Account) Due() dynastay.Money {
	if a.Receipt.DueNow.Sign() > 0 {
		return a.Receipt.DueNow
	}
	return a.Receipt.Balance
}

// mayPay returns why the guest cannot pay now, or nil.
func (a *Account) mayPay() error {
	switch {
	case a.Status != bookings.Pending && a.Status != bookings.Confirmed:
		return &bookings.StatusError{BookingID: a.ID, Status: a.Status, Op: "pay for"}
	case a.inFlight():
		return ErrInFlight
	case a.Due().Sign() <= 0:
		return ErrNothingDue
	}
	return nil
}

// Attempts returns how many payments have been begun.
func (a *Account) Attempts() int { return len(a.history.Payments) }

// Payable reports whether the guest can pay now.
func (a *Account) Payable() bool { return a.mayPay() == nil }

// inFlight reports whether the provider has yet to tell of a payment.
func (a *Account) inFlight() bool {
	return slices.ContainsFunc(a.history.Payments, func(p bookings.Payment) bool { return p.Status == bookings.PaymentPending })
}

// Why a guest cannot pay.
var (
	ErrNothingDue = dynastay.Refusal("nothing is to be paid")
	ErrInFlight   = dynastay.Refusal("a payment is on its way")
)

// Pay charges what is due of a booking. The provider answers later, see [House.Notice]; until then, the payment is on its way, and there
// is no other. A repeated request with the same key charges once. 4 requests.
func (h *House) Pay(ctx context.Context, userID, bookingID, method, key string) (transactionID string, err error) {
	key = userID + " " + bookingID + " " + key
	if n, charged := h.Provider.Charged(key); charged {
		if n.Method != method {
			return "", dynastay.ErrIdempotencyMismatch
		}
		return n.TransactionID, nil
	}
	a, err := h.Account(ctx, userID, bookingID)
	if err != nil {
		return "", err
	}
	transactionID = pay.TransactionID(key)
	// The process may have died between the two steps below.
	begun := slices.ContainsFunc(a.history.Payments, func(p bookings.Payment) bool { return p.ProviderTransactionID == transactionID })
	if err := a.mayPay(); err != nil && !begun {
		return "", err
	}
	_, err = h.Bookings.RecordPayment(ctx, bookings.Payment{
		BookingID: a.ID, Provider: pay.Name, ProviderTransactionID: transactionID, Method: method, Amount: a.Due(), Status: bookings.PaymentPending,
	}, dynastay.IfUser(userID))
	if err != nil {
		return "", err
	}
	h.Provider.Charge(pay.Charge{BookingID: a.ID, Amount: a.Due(), Method: method, Key: key})
	return transactionID, nil
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
	if err != nil {
		return err
	}
	return h.RefundDue(ctx, recorded.Booking, recorded.Due)
}

// RefundDue pays back what is due of a booking, if anything is. What was due when a process died is due of the booking as it is. 2
// requests.
func (h *House) RefundDue(ctx context.Context, b *bookings.Booking, due dynastay.Money) error {
	if due.IsSet() && due.Sign() <= 0 {
		return nil
	}
	done, err := h.Bookings.RefundDue(ctx, bookings.Refund{ID: "due_" + strconv.Itoa(b.Version), BookingID: b.ID, Status: bookings.PaymentPending})
	if err == nil {
		h.payBack(b.ID, done.Refunds)
	}
	return err
}

// payBack asks the provider for the refunds that are pending. Asking twice is asking once, so whoever reads the payments of a booking asks
// again. A service that must not wait for that reads the stream of the payments.
func (h *House) payBack(bookingID string, refunds []bookings.Refund) {
	for _, r := range refunds {
		if r.Status == bookings.PaymentPending {
			h.Provider.Refund(r.ProviderTransactionID, bookingID, r.ID, r.Amount)
		}
	}
}

// Cancelling is what a cancellation would come to.
type Cancelling struct {
	*Account
	Refund, Kept dynastay.Money
}

// Cancelling returns what is paid back if the booking is cancelled now. Who gives up a hold gets everything back. 2 requests.
func (h *House) Cancelling(ctx context.Context, userID, bookingID string) (*Cancelling, error) {
	a, err := h.Account(ctx, userID, bookingID)
	if err != nil {
		return nil, err
	}
	switch {
	case a.inFlight():
		return nil, ErrInFlight
	case a.Status == bookings.Pending:
		kept, err := a.Total.Times(0)
		return &Cancelling{a, a.Receipt.Paid, kept}, err
	case a.Status != bookings.Confirmed:
		return nil, &bookings.StatusError{BookingID: a.ID, Status: a.Status, Op: "cancel"}
	}
	settled, err := a.Settle(a.Receipt.Paid, h.DB.Now(), nil)
	return &Cancelling{a, settled.Refund, settled.Kept}, err
}

// ErrRefundChanged means that the guest was shown another refund, perhaps because a deadline has passed meanwhile.
var ErrRefundChanged = dynastay.Refusal("the refund is not the one that was shown")

// Cancel cancels a booking if it has the version, and the refund, that the guest was shown, which is then what is paid back. 4 requests.
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
	var done bookings.Cancellation
	if now.Status == bookings.Pending {
		done, err = h.Bookings.CancelHold(ctx, bookingID, reason, dynastay.IfUser(userID))
	} else {
		var refunds []bookings.Refund
		if refunds, err = now.refunds(); err == nil {
			done, err = h.Bookings.Cancel(ctx, bookingID, reason, refunds, dynastay.IfUser(userID))
		}
	}
	if err != nil {
		return nil, err
	}
	h.payBack(bookingID, done.Refunds)
	return done.Booking, h.RefundDue(ctx, done.Booking, done.Due) // of a payment that came meanwhile
}

// refunds divides what the guest was shown among the payments.
func (c *Cancelling) refunds() (all []bookings.Refund, err error) {
	rest := c.Refund
	for _, p := range c.history.Payments {
		if p.Status != bookings.PaymentPaid || rest.Sign() <= 0 {
			continue
		}
		left := p.Amount
		for _, r := range c.history.Refunds {
			if err == nil && r.ProviderTransactionID == p.ProviderTransactionID && r.Status != bookings.PaymentFailed {
				left, err = left.Sub(r.Amount)
			}
		}
		if err != nil {
			return nil, err
		}
		if more, err := left.Compare(rest); err != nil || more > 0 {
			left = rest
		}
		if left.Sign() <= 0 {
			continue
		}
		all = append(all, bookings.Refund{
			ID: "cancelled_" + p.ProviderTransactionID, ProviderTransactionID: p.ProviderTransactionID, Amount: left, Status: bookings.PaymentPending,
		})
		if rest, err = rest.Sub(left); err != nil {
			return nil, err
		}
	}
	return all, nil
}
