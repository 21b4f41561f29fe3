package hotel

import (
	"errors"
	"slices"
	"strings"

	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// checkNotices sorts the notices by whether they were carried out: by their receipts, or as they were answered.
func (s *sales) checkNotices(lives map[string]*stayLife, receipts map[string]*checker.Receipt) {
	for _, n := range s.notices {
		l, r := lives[n.booking.id], receipts[n.Mark]
		delete(receipts, n.Mark)
		if l == nil {
			continue // the booking is lost, which is told elsewhere
		}
		l.told = append(l.told, n)
		done, v := r != nil, n.Verdict()
		switch kind := n.kind(); {
		case r != nil && (!n.receipt || *r != (checker.Receipt{ID: n.Mark, Kind: kind, Of: n.booking.id})):
			s.Differ("a receipt of something else", n.Items, "%v of %s", *r, n.Mark)
		case done && v == checker.Refused:
			s.Differ("a notice that was refused", n.Items, "%s of %s is recorded", n.Mark, l.id)
		case n.receipt && !done && v == checker.Acknowledged:
			s.Differ("a notice is lost", n.Items, "%s of %s", n.Mark, l.id)
		}
		if done || v == checker.Acknowledged {
			l.certain = append(l.certain, n)
		} else if !n.receipt && v == checker.Unknown {
			l.maybe = append(l.maybe, n)
		}
	}
	for _, l := range lives {
		for _, m := range l.all {
			n := m.notice
			if n == nil {
				continue
			}
			n.Deed = m.Deed
			l.told = append(l.told, n)
			if n.carried && (n.payment != nil || n.refund.Amount.IsSet() || l.refunds[n.refund.ID] != nil) {
				l.certain = append(l.certain, n)
			}
		}
	}
}

func (n *notice) kind() string {
	if n.payment != nil {
		return paying
	}
	return refunding
}

// recorded reports whether the payment or the refund of a move is there, which nobody else can have recorded first.
func (n *notice) recorded(l *stayLife) bool {
	if n.payment != nil {
		return l.payments[n.payment.ProviderTransactionID]["PaymentId"] == n.payment.ID
	}
	return l.refunds[n.refund.ID] != nil
}

// refunds reports whether a notice is about the refund with this id.
func (n *notice) refunds(id string) bool {
	if n.refund == nil {
		return false
	}
	first, _, further := strings.Cut(id, "_")
	return n.refund.ID == id || further && n.refund.ID == first && ofAllPayments(*n.refund)
}

// checkRecords compares the payments and refunds of a booking with the notices: those that were carried out are there,
// one item each, and nothing else.
func (s *sales) checkRecords(l *stayLife) {
	for _, n := range l.certain {
		if n.payment != nil && l.payments[n.payment.ProviderTransactionID] == nil || n.refund != nil && l.refunds[n.refund.ID] == nil {
			s.Differ("a payment is lost", l.id, "%s of %s", n.kind(), n.Mark)
		}
	}
	for id, p := range l.payments {
		certain, all := l.of(func(n *notice) bool { return n.payment != nil && n.payment.ProviderTransactionID == id })
		if !paidAs(p, certain, all) {
			s.Differ("a payment that was not reported", l.id, "%v", p)
		}
	}
	for id, r := range l.refunds {
		certain, all := l.of(func(n *notice) bool { return n.refunds(id) })
		if !refundIs(r, certain, all) {
			s.Differ("a refund that was not reported", l.id, "%v", r)
		}
		if i := slices.IndexFunc(all, func(n *notice) bool { return n.move != nil && !n.refund.Amount.IsSet() }); i >= 0 && l.refundedBy(all[i]) > l.mostDue() {
			s.Differ("a refund of more than is due", l.id, "%v", r)
		}
	}
}

// refundedBy is the sum of the refunds that a notice is about.
func (l *stayLife) refundedBy(n *notice) (sum int64) {
	for id, r := range l.refunds {
		if n.refunds(id) {
			sum += checker.Cents(r["Amount"])
		}
	}
	return sum
}

// of are the notices of one payment or refund that were carried out, and together with those that may have been.
func (l *stayLife) of(about func(*notice) bool) (certain, all []*notice) {
	for _, n := range l.certain {
		if about(n) {
			certain = append(certain, n)
		}
	}
	all = slices.Clone(certain)
	for _, n := range l.maybe {
		if about(n) {
			all = append(all, n)
		}
	}
	return certain, all
}

// paidAs reports whether a stored payment is what its notices make of it: that of the one that counts, whose mark it
// has, with the id of the first one.
func paidAs(stored plain, certain, all []*notice) bool {
	counts := slices.IndexFunc(all, func(n *notice) bool { return n.payment.Method == stored["PaymentMethod"] })
	first := slices.ContainsFunc(all, func(n *notice) bool { return n.payment.ID == stored["PaymentId"] })
	if counts < 0 || !first {
		return false
	}
	p := all[counts].payment
	reason, _ := stored["FailureReason"].(string)
	if stored["Status"] != string(p.Status) || checker.Cents(stored["Amount"]) != checker.Minor(p.Amount) || stored["PaymentProvider"] != p.Provider ||
		reason != p.FailureReason || !p.At.IsZero() && !checker.TimeOf(stored["StatusAt"]).Equal(p.At) {
		return false
	}
	return !slices.ContainsFunc(certain, func(n *notice) bool { return differs(*n.payment, *p) || later(*n.payment, *p) })
}

// differs reports whether two notices of one payment contradict each other.
func differs(p, other bookings.Payment) bool {
	return p.Provider != other.Provider || p.Status == bookings.PaymentPaid && other.Status == bookings.PaymentPaid && p.Amount != other.Amount
}

// later reports whether a notice counts instead of another one of the same payment: a payment that is paid remains so,
// from when it was first paid. Otherwise the later one counts, and of the same time the one that goes further.
func later(p, other bookings.Payment) bool {
	known := !p.At.IsZero() && !other.At.IsZero() // otherwise the time was that of the clock
	further := []bookings.PaymentStatus{bookings.PaymentPending, bookings.PaymentFailed, bookings.PaymentAuthorized}
	switch {
	case p.Status == bookings.PaymentPaid && other.Status == bookings.PaymentPaid:
		return known && p.At.Before(other.At)
	case p.Status == bookings.PaymentPaid || other.Status == bookings.PaymentPaid:
		return p.Status == bookings.PaymentPaid
	case known && p.At.Equal(other.At):
		return slices.Index(further, p.Status) > slices.Index(further, other.Status)
	}
	return known && p.At.After(other.At)
}

// refundIs reports whether a stored refund is what its notices make of it: the status that is furthest, since when it
// was first reported, and the reason of the first notice.
func refundIs(stored plain, certain, all []*notice) bool {
	furthest := []string{"pending", "refunded", "failed"}
	rank := func(n *notice) int {
		if n.refund.Status == "" {
			return 1
		}
		return slices.Index(furthest, string(n.refund.Status))
	}
	status, _ := stored["Status"].(string)
	own, at := slices.Index(furthest, status), checker.TimeOf(stored["StatusAt"])
	first := slices.ContainsFunc(all, func(n *notice) bool { return n.refund.Reason == stored["Reason"] })
	since := slices.ContainsFunc(all, func(n *notice) bool {
		return rank(n) == own && (n.refund.At.IsZero() || n.refund.At.Equal(at))
	})
	return first && since && !slices.ContainsFunc(certain, func(n *notice) bool {
		r := n.refund
		return r.Amount.IsSet() && checker.Cents(stored["Amount"]) != checker.Minor(r.Amount) ||
			r.ProviderTransactionID != "" && stored["ProviderTransactionId"] != r.ProviderTransactionID ||
			rank(n) > own || rank(n) == own && !r.At.IsZero() && r.At.Before(at)
	})
}

// checkContradictions compares the refusals of notices with what can have been recorded by then.
func (s *sales) checkContradictions(l *stayLife) {
	for _, n := range l.told {
		for _, told := range n.Refusals {
			var payment *bookings.PaymentError
			errors.As(told.Err, &payment)
			if payment == nil && !severalPaid(told.Err) {
				continue // of the move, which is checked elsewhere
			}
			if !l.contradicts(n, told.Span, payment) {
				s.Differ("a refusal that was not true", n.Items, "%s %s of %s: %v", n.Mark, n.kind(), l.id, told.Err)
			}
		}
	}
}

// contradicts reports whether a refusal can have been true during its call. Without a [bookings.PaymentError], it was
// that there are several payments.
func (l *stayLife) contradicts(n *notice, at checker.Span, refusal *bookings.PaymentError) bool {
	if refusal == nil {
		return n.refund != nil && n.refund.ProviderTransactionID == "" && l.paidBy(at.To) > 1
	}
	id := ""
	if n.payment != nil {
		id = n.payment.ProviderTransactionID
	} else {
		id = n.refund.ID
	}
	if refusal.BookingID != l.id || refusal.ID != id {
		return false
	}
	switch refusal.Err {
	case bookings.ErrPaymentDiffers:
		return l.other(n, at.To)
	case bookings.ErrNotPaid:
		return n.refund != nil && !slices.ContainsFunc(l.certain, func(p *notice) bool {
			return p.payment != nil && p.payment.Status == bookings.PaymentPaid && p.Within.To < at.From &&
				(n.refund.ProviderTransactionID == "" || n.refund.ProviderTransactionID == p.payment.ProviderTransactionID)
		})
	case bookings.ErrOverRefund:
		return n.refund != nil && l.exceeds(*n.refund, at, checker.Minor(refusal.Left))
	}
	return false
}

// paidBy is how many payments can have been paid at some moment.
func (l *stayLife) paidBy(at checker.Moment) int {
	paid := map[string]bool{}
	for _, n := range slices.Concat(l.certain, l.maybe) {
		if n.payment != nil && n.payment.Status == bookings.PaymentPaid && n.Within.From <= at {
			paid[n.payment.ProviderTransactionID] = true
		}
	}
	return len(paid)
}

// other reports whether something else can have been recorded for a payment or a refund until some moment.
func (l *stayLife) other(n *notice, until checker.Moment) bool {
	return slices.ContainsFunc(slices.Concat(l.certain, l.maybe), func(o *notice) bool {
		switch {
		case o.Within.From > until:
			return false
		case n.payment != nil && o.payment != nil:
			return n.payment.ProviderTransactionID == o.payment.ProviderTransactionID && differs(*n.payment, *o.payment)
		case n.refund == nil || !o.refunds(n.refund.ID):
			return false
		}
		stored := l.refunds[n.refund.ID]
		return checker.Cents(stored["Amount"]) != checker.Minor(n.refund.Amount) ||
			n.refund.ProviderTransactionID != "" && stored["ProviderTransactionId"] != n.refund.ProviderTransactionID
	})
}

// exceeds reports whether a refund can have been for more than was left of its payment.
func (l *stayLife) exceeds(r bookings.Refund, at checker.Span, left int64) bool {
	if !r.Amount.IsSet() || checker.Minor(r.Amount) <= left {
		return false
	}
	if r.ProviderTransactionID == "" {
		return true // of a payment that nobody knows
	}
	least, most := checker.Cents(l.payments[r.ProviderTransactionID]["Amount"]), checker.Cents(l.payments[r.ProviderTransactionID]["Amount"])
	for id, stored := range l.refunds {
		if id == r.ID || stored["ProviderTransactionId"] != r.ProviderTransactionID {
			continue
		}
		least -= checker.Cents(stored["Amount"])
		before := func(n *notice) bool { return n.refunds(id) && n.Within.To < at.From }
		if stored["Status"] != "failed" && slices.ContainsFunc(l.certain, before) {
			most -= checker.Cents(stored["Amount"])
		}
	}
	return least <= left && left <= most
}
