package hotel

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// notice is what a provider reports in one call: a payment or a refund. It is recorded on its own, or together with a
// move. A payment has the mark of the first notice as its id, and that of the notice that counts as its method. A
// refund has the mark of the first one as its reason.
type notice struct {
	*checker.Deed
	booking *ask
	payment *bookings.Payment // or
	refund  *bookings.Refund  // without an amount for what is due
	receipt bool
	move    *stayMove // that it belongs to; nil for none
	carried bool      // out together with the move
}

// paid reports whether a payment of the booking is certainly paid.
func (a *ask) paid() bool {
	return slices.ContainsFunc(a.transactions, func(of transaction) bool { return of.paid })
}

const (
	paying    = "record payment"
	refunding = "record refund"
)

// transaction is a payment of a booking that many notices are about.
type transaction struct {
	id     string
	amount dynastay.Money
	paid   bool // for certain
}

// record reports a payment of a booking, or a refund.
func (s *sales) record(w *checker.Worker) {
	a, _ := s.pick(w)
	if a == nil {
		return
	}
	s.mu.Lock()
	if w.OneIn(2) { // whatever has become of it
		a = s.made[w.Rand.IntN(min(3, len(s.made)))]
	}
	paid := a.paid()
	s.mu.Unlock()
	s.noticed.Do(w, func(keyed bool) *notice {
		n := &notice{booking: a, receipt: w.OneIn(2)}
		if mark := w.Mark(); w.OneIn(3) || !paid && !w.OneIn(6) {
			p := s.payment(w, a, mark)
			n.payment = &p
			s.newNotice(w, n, mark, paying, keyed, func(p *checker.Process) *dynastay.Operation[bookings.Recorded] {
				return officeOf(p).bookings.RecordPaymentOp(*n.payment)
			})
		} else {
			r := s.refund(w, a, mark)
			n.refund = &r
			s.newNotice(w, n, mark, refunding, keyed, func(p *checker.Process) *dynastay.Operation[bookings.Recorded] {
				return officeOf(p).bookings.RecordRefundOp(*n.refund)
			})
		}
		return n
	})
}

func (s *sales) newNotice(
	w *checker.Worker, n *notice, mark, kind string, keyed bool, op func(*checker.Process) *dynastay.Operation[bookings.Recorded],
) {
	id := n.booking.id
	n.Deed = w.Deed(mark, kind, n.booking.items(id), id, keyed, contradicted,
		func(ctx context.Context, p *checker.Process, parts ...dynastay.Part) error {
			one := op(p)
			if n.receipt {
				parts = append(parts, officeOf(p).receipts.CreateOp(&checker.Receipt{ID: mark, Kind: kind, Of: id}))
			}
			err := p.Write(ctx, append(parts, one)...)
			if err == nil {
				s.checkRecorded(n, one.Result(), keyed)
				s.announce(n, nil)
			}
			return err
		})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notices = append(s.notices, n)
}

// checkRecorded compares the result of a notice with what it reported. Under a key it may be of any time since.
func (s *sales) checkRecorded(n *notice, r bookings.Recorded, keyed bool) {
	if r.Booking == nil || r.Booking.ID != n.booking.id || r.Payment == nil || r.Payment.BookingID != n.booking.id {
		s.Differ("a record with another result", n.Items, "%s returned %v", n.Mark, r)
		return
	}
	s.told(n.booking, r.Booking.Status)
	total := n.payment != nil && n.payment.Status == bookings.PaymentPaid && checker.Minor(r.Payment.Paid) < checker.Minor(n.payment.Amount)
	if !keyed && (total || r.Payment.Payment.Status != r.Booking.PaymentStatus) || checker.Minor(r.Payment.Refunded) > checker.Minor(r.Payment.Paid) {
		s.Differ("a record with another result", n.Items, "%s returned %v", n.Mark, *r.Payment)
	}
}

// contradicted tells the refusals for which what has been recorded is the reason.
func contradicted(err error) bool {
	var payment *bookings.PaymentError
	return errors.As(err, &payment) || severalPaid(err)
}

// severalPaid tells the refusal of a refund that does not say which of several payments it is of.
func severalPaid(err error) bool {
	var invalid *dynastay.InvalidError
	return errors.As(err, &invalid) && strings.HasSuffix(invalid.Field, "ProviderTransactionID")
}

// payment draws a notice of a payment: of one that others report too, or of a new one. The amounts are parts of the
// price.
func (s *sales) payment(w *checker.Worker, a *ask, mark string) bookings.Payment {
	s.mu.Lock()
	defer s.mu.Unlock()
	var of transaction
	if len(a.transactions) == 0 || len(a.transactions) < 3 && w.OneIn(3) {
		of = transaction{id: "tx-" + mark, amount: share(a.quote.Total, []int{4, 2, 1, 1}[w.Rand.IntN(4)])}
		a.transactions = append(a.transactions, of)
	} else {
		of = a.transactions[w.Rand.IntN(len(a.transactions))]
	}
	if w.OneIn(12) {
		of.amount = share(of.amount, 2)
	}
	p := newPayment(of, mark)
	p.Status = []bookings.PaymentStatus{
		bookings.PaymentPending, bookings.PaymentAuthorized, bookings.PaymentAuthorized, bookings.PaymentPaid, bookings.PaymentPaid, bookings.PaymentFailed,
	}[w.Rand.IntN(6)]
	if p.Status == bookings.PaymentFailed {
		p.FailureReason = mark
	}
	if w.OneIn(30) {
		p.Provider = "other"
	}
	p.BookingID, p.At = a.id, reported(w)
	return p
}

func newPayment(of transaction, mark string) bookings.Payment {
	return bookings.Payment{
		ID: mark, Method: mark, Provider: "provider", ProviderTransactionID: of.id, Amount: of.amount, Status: bookings.PaymentPaid,
	}
}

// reported draws when something happened, according to the provider: often at the same time.
func reported(w *checker.Worker) time.Time {
	return checker.Midnight.Add(time.Duration(w.Rand.IntN(12)) * time.Millisecond)
}

// share is one of n equal parts of an amount, at least one cent.
func share(amount dynastay.Money, n int) dynastay.Money {
	equal, _ := dynastay.MoneyOfMinor(max(1, checker.Minor(amount)/int64(n)), "USD")
	return equal
}

// refund draws a notice of a refund: of one that others report too, or of a new one.
func (s *sales) refund(w *checker.Worker, a *ask, mark string) bookings.Refund {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.newRefund(w, a, mark)
	if known := len(a.refunds); known > 0 && w.OneIn(2) {
		r = a.refunds[max(0, known-1-w.Rand.IntN(3))]
		if w.OneIn(12) {
			r.Amount = share(r.Amount, 2)
		}
	} else {
		a.refunds = append(a.refunds, r)
	}
	r.BookingID, r.Reason, r.At = a.id, mark, reported(w)
	r.Status = []bookings.PaymentStatus{"", bookings.PaymentPending, bookings.PaymentRefunded, bookings.PaymentFailed}[w.Rand.IntN(4)]
	return r
}

// newRefund draws what is refunded, which [sales.mu] protects.
func (s *sales) newRefund(w *checker.Worker, a *ask, mark string) bookings.Refund {
	all := slices.DeleteFunc(slices.Clone(a.transactions), func(of transaction) bool { return !of.paid })
	if len(all) == 0 || w.OneIn(4) {
		all = append(slices.Clone(a.transactions), transaction{id: "tx-none", amount: share(a.quote.Total, 2)})
	}
	of := all[w.Rand.IntN(len(all))]
	r := bookings.Refund{ID: mark, Reason: mark, ProviderTransactionID: of.id, Amount: share(of.amount, 1+w.Rand.IntN(3))}
	if w.OneIn(3) {
		r.ProviderTransactionID = ""
	}
	return r
}

// withNotice gives half of the confirmations a payment of their own, and half of the cancellations of what is paid a
// refund.
func (s *sales) withNotice(w *checker.Worker, m *stayMove, mark string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.kind != confirming && m.kind != cancelling || w.OneIn(2) || m.kind == cancelling && !m.booking.paid() && !w.OneIn(6) {
		return
	}
	m.notice = &notice{booking: m.booking, move: m}
	if m.kind == confirming {
		p := newPayment(transaction{id: "tx-" + mark, amount: share(m.booking.quote.Total, 1+w.Rand.IntN(2))}, mark)
		p.Status = []bookings.PaymentStatus{bookings.PaymentPending, bookings.PaymentAuthorized, bookings.PaymentPaid}[w.Rand.IntN(3)]
		m.notice.payment = &p
		return
	}
	r := s.newRefund(w, m.booking, mark)
	r.Status = []bookings.PaymentStatus{"", bookings.PaymentPending}[w.Rand.IntN(2)]
	if w.OneIn(2) {
		r.Amount = dynastay.Money{}
	}
	m.notice.refund = &r
}

// announce lets others report what has certainly been recorded.
func (s *sales) announce(n *notice, made []bookings.Refund) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := n.payment; p != nil {
		all := n.booking.transactions
		of := slices.IndexFunc(all, func(t transaction) bool { return t.id == p.ProviderTransactionID })
		if of < 0 {
			of, all = len(all), append(all, transaction{id: p.ProviderTransactionID, amount: p.Amount})
		}
		if p.Status == bookings.PaymentPaid {
			all[of].amount, all[of].paid = p.Amount, true
		}
		n.booking.transactions = all
	}
	for _, r := range made {
		n.booking.refunds = append(n.booking.refunds, bookings.Refund{ID: r.ID, ProviderTransactionID: r.ProviderTransactionID, Amount: r.Amount})
	}
}
