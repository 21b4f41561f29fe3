package world

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

const (
	// depositPercent of the total is a deposit; the guest pays the rest when checking in.
	depositPercent = 30
	// declinedPercent of the guests whose rooms are held have tried to pay by card. The others pay by bank transfer.
	declinedPercent = 30

	releasedReason = "authorization released"
)

var (
	failures       = []share[int]{{91, 0}, {7, 1}, {2, 2}} // before a payment
	declineReasons = []string{"card declined", "insufficient funds", "authentication failed", "card expired"}
	ways           = []share[way]{{30, captured}, {45, atOnce}, {15, inParts}, {10, guaranteed}}
	allMeans       = []share[means]{
		{40, means{"stripe", "credit_card", "pi_", 24}}, {15, means{"stripe", "debit_card", "pi_", 24}},
		{20, means{"adyen", "credit_card", "", 16}}, {10, means{"adyen", "debit_card", "", 16}},
		{15, means{"paypal", "paypal", "", 17}},
	}
	byTransfer = means{"stripe", "bank_transfer", "pi_", 24}
	brands     = []share[string]{{52, "visa"}, {38, "mastercard"}, {6, "amex"}, {4, "jcb"}}
)

// way is how a booking that is not held is paid.
type way int

const (
	captured   way = iota // authorized, and paid later
	atOnce                // paid when it is booked
	inParts               // a deposit when it is booked
	guaranteed            // authorized only
)

// part is the part of a booking's total that a payment is for.
type part int

const (
	whole part = iota
	deposit
	rest
)

// of returns the amount of a part.
func (p part) of(total dynastay.Money) (dynastay.Money, error) {
	if p == whole {
		return total, nil
	}
	first, err := total.Portion(depositPercent, 100)
	if err != nil || p == deposit {
		return first, err
	}
	return total.Sub(first)
}

// means is how a guest pays.
type means struct {
	provider, method string
	prefix           string // of the provider's ids
	length           int    // of the provider's ids, without the prefix
}

// charge is a payment, the n-th one of its booking.
type charge struct {
	n           int
	part        part
	by          means
	transaction string
	card        bookings.Card
}

// notice is what the provider reports about a payment.
type notice struct {
	at     time.Time
	charge charge
	status bookings.PaymentStatus
	reason string
}

// bookingOptions has the terms of bookings for which no policy was agreed: the guest may cancel until check-in.
var bookingOptions = bookings.Options{
	Terms: func(p availability.CancellationPolicy) (availability.Terms, bool) {
		return availability.Terms{Percent: 100}, p == ""
	},
	NoShowAfter: 20 * time.Hour, // the night porter records no-shows, some of them before midnight
}

// payments plans what the provider reports about the payments of the bookings until Now.
func (w *World) payments(d dice, sales []sale) {
	for n := range sales {
		s := &sales[n]
		switch s.status {
		case bookings.Expired:
		case bookings.Pending:
			s.attempt(d)
		default:
			s.pay(d)
			s.notices = slices.DeleteFunc(s.notices, func(n notice) bool { return n.at.After(w.Now()) })
		}
		switch s.status {
		case bookings.Cancelled:
			s.undo(d, w.Now())
		case bookings.Completed:
			s.settle()
		}
	}
}

// attempt plans a payment for held rooms that has not been made.
func (s *sale) attempt(d dice) {
	if d.percent(declinedPercent) {
		s.decline(d, 1)
		return
	}
	s.notify(s.soon(d), newCharge(d, 1, whole, byTransfer), bookings.PaymentPending)
}

// pay plans the payments of a confirmed booking.
func (s *sale) pay(d dice) {
	failed := draw(d, failures)
	for n := range failed {
		s.decline(d, n+1)
	}
	c := newCharge(d, failed+1, whole, draw(d, allMeans))
	at := s.soon(d)
	switch draw(d, ways) {
	case captured:
		s.notify(at, c, bookings.PaymentAuthorized)
		s.notify(at.Add(time.Duration(d.between(1, 72*60))*time.Minute), c, bookings.PaymentPaid)
	case atOnce:
		s.notify(at, c, bookings.PaymentPaid)
	case inParts:
		c.part = deposit
		s.notify(at, c, bookings.PaymentPaid)
		if s.status == bookings.CheckedIn || s.status == bookings.Completed {
			s.notify(s.moved, newCharge(d, failed+2, rest, draw(d, allMeans)), bookings.PaymentPaid)
		}
	case guaranteed:
		s.notify(at, c, bookings.PaymentAuthorized)
	}
}

// undo plans what becomes of the payments when a booking is cancelled: an authorization is released, and the refund of
// what is due is reported within three days.
func (s *sale) undo(d dice, now time.Time) {
	s.notices = slices.DeleteFunc(s.notices, func(n notice) bool { return !n.at.Before(s.moved) })
	released := s.moved.Add(seconds(d.between(1, 300)))
	reported := s.moved.Add(time.Duration(d.between(1, 72*60)) * time.Minute)
	if len(s.notices) == 0 {
		return
	}
	switch last := s.notices[len(s.notices)-1]; {
	case last.status == bookings.PaymentAuthorized:
		s.notify(released, last.charge, bookings.PaymentFailed)
		s.notices[len(s.notices)-1].reason = releasedReason
	case last.status == bookings.PaymentPaid && !reported.After(now):
		s.refunded = reported
	}
}

// settle plans that everything is paid when the guests check out.
func (s *sale) settle() {
	last := &s.notices[len(s.notices)-1]
	if last.at.After(s.left) {
		last.at = s.left
	}
	if last.status == bookings.PaymentAuthorized {
		s.notify(s.left, last.charge, bookings.PaymentPaid)
	}
}

// decline plans the n-th payment, which is declined.
func (s *sale) decline(d dice, n int) {
	by := draw(d, allMeans[:len(allMeans)-1]) // a card
	s.notify(s.soon(d), newCharge(d, n, whole, by), bookings.PaymentFailed)
	s.notices[len(s.notices)-1].reason = pick(d, declineReasons)
}

// soon returns a time shortly after the booking, or after its last notice.
func (s *sale) soon(d dice) time.Time {
	at := s.made
	if n := len(s.notices); n > 0 {
		at = s.notices[n-1].at
	}
	return at.Add(seconds(d.between(5, 120)))
}

func (s *sale) notify(at time.Time, c charge, status bookings.PaymentStatus) {
	s.notices = append(s.notices, notice{at: at, charge: c, status: status})
}

func newCharge(d dice, n int, part part, by means) charge {
	c := charge{n: n, part: part, by: by, transaction: by.prefix + transactionID(d, by.length)}
	if by.method == "credit_card" || by.method == "debit_card" {
		c.card = bookings.Card{Brand: draw(d, brands), Last4: fmt.Sprintf("%04d", d.below(10_000))}
	}
	return c
}

// transactionID returns an id of capital letters and digits. Every other character is a letter, so that the digits do
// not look like the number of a card.
func transactionID(d dice, length int) string {
	const characters, letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789", 24
	id := make([]byte, length)
	for i := range id {
		id[i] = characters[d.below(len(characters)-i%2*(len(characters)-letters))]
	}
	return string(id)
}

// record lets the repository record the notice for a booking.
func (n notice) record(ctx context.Context, repo *bookings.Repository, b *bookings.Booking) (*bookings.Booking, error) {
	amount, err := n.charge.part.of(b.Total)
	if err != nil {
		return nil, err
	}
	recorded, err := repo.RecordPayment(ctx, bookings.Payment{
		ID: paymentID(b.ID, n.charge.n), BookingID: b.ID, Provider: n.charge.by.provider, Method: n.charge.by.method,
		ProviderTransactionID: n.charge.transaction, Amount: amount, Status: n.status, Card: n.charge.card,
		FailureReason: n.reason,
	})
	return recorded.Booking, err
}

// completeRefunds lets the repository record that the refunds of a cancellation, if any, have been made.
func completeRefunds(ctx context.Context, repo *bookings.Repository, id string) (*bookings.Booking, error) {
	history, err := repo.PaymentHistory(ctx, id, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	for _, refund := range history.Refunds {
		refund.Status, refund.At = bookings.PaymentRefunded, time.Time{}
		if _, err := repo.RecordRefund(ctx, refund); err != nil {
			return nil, err
		}
	}
	return repo.Get(ctx, id, dynastay.Consistent)
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
