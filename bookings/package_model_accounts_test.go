package bookings_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
)

// worldPayment is a payment: what has been notified of it, in the order of arrival. What counts is worked out of all
// notifications together, so it cannot depend on their order.
type worldPayment struct {
	id      string // "" until it is known, if the library generates it
	created time.Time
	notices []bookings.Payment // with their times
}

// worldRefund is a refund.
type worldRefund struct {
	created time.Time
	notices []bookings.Refund // with their times and statuses
}

// later reports whether a notification of a payment counts more than another one.
func later(p, other bookings.Payment) bool {
	made, otherMade := p.Status == bookings.PaymentPaid, other.Status == bookings.PaymentPaid
	switch {
	case made && otherMade:
		return p.At.Before(other.At)
	case made || otherMade:
		return made
	case !p.At.Equal(other.At):
		return p.At.After(other.At)
	}
	return worth[p.Status] > worth[other.Status]
}

// worth decides between notifications of a payment with the same time.
var worth = map[bookings.PaymentStatus]int{bookings.PaymentFailed: 1, bookings.PaymentAuthorized: 2}

// stands returns the payment as it stands. The card and the first id remain known.
func (p worldPayment) stands() bookings.Payment {
	now := p.notices[0]
	for _, n := range p.notices {
		if later(n, now) {
			now = n
		}
	}
	for _, n := range p.notices {
		now.Card.Brand = cmp.Or(now.Card.Brand, n.Card.Brand)
		now.Card.Last4 = cmp.Or(now.Card.Last4, n.Card.Last4)
	}
	now.ID, now.CreatedAt = p.id, p.created
	return now
}

// stands returns the refund as it stands: failed if it has ever failed, else made if it has ever been made. Of several
// such notifications, the first one by its time counts.
func (r worldRefund) stands() bookings.Refund {
	now := r.notices[0]
	for _, status := range []bookings.PaymentStatus{bookings.PaymentPending, bookings.PaymentRefunded, bookings.PaymentFailed} {
		var first time.Time
		for _, n := range r.notices {
			if n.Status == status && (first.IsZero() || n.At.Before(first)) {
				first = n.At
			}
		}
		if !first.IsZero() {
			now.Status, now.At = status, first
		}
	}
	for _, n := range r.notices {
		now.Reason = cmp.Or(now.Reason, n.Reason)
	}
	now.CreatedAt = r.created
	return now
}

// instant is a time as it is stored; the zero time means now.
func instant(at, now time.Time) time.Time {
	if at.IsZero() {
		at = now
	}
	return at.Truncate(time.Millisecond)
}

// withPayment returns the booking with a notification of a payment, or why it is refused.
func (b worldBooking) withPayment(p bookings.Payment, now time.Time) (worldBooking, error) {
	if p.Amount.Currency() != "USD" {
		return b, dynastay.Invalid("Amount", "…")
	}
	id := p.ProviderTransactionID
	had, known := b.payments[id]
	if known {
		stands := had.stands()
		differs := stands.Status == bookings.PaymentPaid && p.Status == bookings.PaymentPaid && p.Amount != stands.Amount
		if p.Provider != stands.Provider || differs {
			return b, &bookings.PaymentError{BookingID: b.id, ID: id, Err: bookings.ErrPaymentDiffers}
		}
		if p.At.IsZero() && p.Status == stands.Status {
			p.At = stands.At // it has this status already
		}
	}
	p.At, p.BookingID = instant(p.At, now), b.id
	if !b.anonymised.IsZero() {
		p = withoutPerson(p)
	}
	if !known {
		had = worldPayment{id: p.ID, created: instant(now, now)}
	}
	had.notices = append(slices.Clone(had.notices), p)
	b.payments = with(b.payments, id, had)
	return b, nil
}

// with returns a copy of a map with one more value.
func with[V any](all map[string]V, key string, v V) map[string]V {
	all = maps.Clone(all)
	if all == nil {
		all = map[string]V{}
	}
	all[key] = v
	return all
}

// withRefund returns the booking with a notification of a refund, or why it is refused.
func (b worldBooking) withRefund(r bookings.Refund, now time.Time) (worldBooking, error) {
	r.Status, r.At, r.BookingID = cmp.Or(r.Status, bookings.PaymentRefunded), instant(r.At, now), b.id
	if !b.anonymised.IsZero() {
		r.Reason = ""
	}
	refused := func(why error) error { return &bookings.PaymentError{BookingID: b.id, ID: r.ID, Err: why} }
	had, known := b.refunds[r.ID]
	if known {
		first := had.notices[0]
		if r.Amount != first.Amount || r.ProviderTransactionID != "" && r.ProviderTransactionID != first.ProviderTransactionID {
			return b, refused(bookings.ErrPaymentDiffers)
		}
		r.ProviderTransactionID = first.ProviderTransactionID
	} else {
		of, err := b.refunded(r)
		if err != nil {
			return b, err
		}
		r.ProviderTransactionID, had.created = of, instant(now, now)
		if r.Amount.Currency() != "USD" {
			return b, dynastay.Invalid("Amount", "…")
		}
		if left := b.leftOf(of); centsOf(r.Amount) > left && r.Status != bookings.PaymentFailed {
			return b, &bookings.PaymentError{BookingID: b.id, ID: r.ID, Err: bookings.ErrOverRefund, Left: dollars(left)}
		}
	}
	had.notices = append(slices.Clone(had.notices), r)
	b.refunds = with(b.refunds, r.ID, had)
	return b, nil
}

// made returns the provider's ids of the payments that have been made.
func (b worldBooking) made() (ids []string) {
	for _, id := range slices.Sorted(maps.Keys(b.payments)) {
		if b.payments[id].stands().Status == bookings.PaymentPaid {
			ids = append(ids, id)
		}
	}
	return ids
}

// refunded returns the payment that a refund is of.
func (b worldBooking) refunded(r bookings.Refund) (id string, err error) {
	made := b.made()
	switch {
	case r.ProviderTransactionID == "" && len(made) > 1:
		return "", dynastay.Invalid("ProviderTransactionID", "…")
	case r.ProviderTransactionID == "" && len(made) == 1:
		return made[0], nil
	case slices.Contains(made, r.ProviderTransactionID):
		return r.ProviderTransactionID, nil
	}
	return "", &bookings.PaymentError{BookingID: b.id, ID: r.ID, Err: bookings.ErrNotPaid}
}

// leftOf returns what can still be refunded of a payment that has been made.
func (b worldBooking) leftOf(id string) int64 {
	cents := centsOf(b.payments[id].stands().Amount)
	for _, r := range b.refunds {
		if r := r.stands(); r.ProviderTransactionID == id && r.Status != bookings.PaymentFailed {
			cents -= centsOf(r.Amount)
		}
	}
	return cents
}

// money adds up what has been paid, is authorized, and has been refunded.
func (b worldBooking) money() (paid, authorized, refunded int64) {
	for _, p := range b.payments {
		switch p := p.stands(); p.Status {
		case bookings.PaymentPaid:
			paid += centsOf(p.Amount)
		case bookings.PaymentAuthorized:
			authorized += centsOf(p.Amount)
		}
	}
	for _, r := range b.refunds {
		if r := r.stands(); r.Status != bookings.PaymentFailed {
			refunded += centsOf(r.Amount)
		}
	}
	return paid, authorized, refunded
}

// furthest returns the payment that has come furthest.
func (b worldBooking) furthest() (best bookings.Payment) {
	stage := map[bookings.PaymentStatus]int{bookings.PaymentAuthorized: 1, bookings.PaymentPaid: 2}
	for _, id := range slices.Sorted(maps.Keys(b.payments)) {
		p := b.payments[id].stands()
		order := cmp.Or(stage[p.Status]-stage[best.Status], p.At.Compare(best.At), strings.Compare(id, best.ProviderTransactionID))
		if best.Status == "" || order > 0 {
			best = p
		}
	}
	return best
}

// paymentStatus returns the payment status of the booking.
func (b worldBooking) paymentStatus() bookings.PaymentStatus {
	paid, authorized, refunded := b.money()
	switch {
	case refunded > 0 && refunded == paid:
		return bookings.PaymentRefunded
	case refunded > 0:
		return bookings.PaymentPartiallyRefunded
	case paid >= b.total():
		return bookings.PaymentPaid
	case authorized > 0:
		return bookings.PaymentAuthorized
	case b.furthest().Status == bookings.PaymentFailed:
		return bookings.PaymentFailed
	}
	return bookings.PaymentPending
}

// summary returns what has been paid, or nil if no payment has been recorded.
func (b worldBooking) summary() *bookings.PaymentSummary {
	if len(b.payments) == 0 {
		return nil
	}
	paid, authorized, refunded := b.money()
	s := &bookings.PaymentSummary{
		Payment: b.furthest(), Paid: dollars(paid), Authorized: dollars(authorized), Refunded: dollars(refunded),
	}
	for _, r := range b.refunds {
		if r := r.stands(); r.Status != bookings.PaymentFailed && r.At.After(s.RefundedAt) {
			s.RefundedAt = r.At
		}
	}
	if s.Status != bookings.PaymentPaid {
		s.At = time.Time{}
	}
	s.Status, s.FailureReason = b.paymentStatus(), ""
	return s
}

// history returns the payments and refunds, oldest first.
func (b worldBooking) history() (h bookings.PaymentHistory) {
	for _, id := range slices.Sorted(maps.Keys(b.payments)) {
		h.Payments = append(h.Payments, b.payments[id].stands())
	}
	for _, id := range slices.Sorted(maps.Keys(b.refunds)) {
		h.Refunds = append(h.Refunds, b.refunds[id].stands())
	}
	slices.SortStableFunc(h.Payments, func(p, other bookings.Payment) int { return p.CreatedAt.Compare(other.CreatedAt) })
	slices.SortStableFunc(h.Refunds, func(r, other bookings.Refund) int { return r.CreatedAt.Compare(other.CreatedAt) })
	return h
}

// addMoney adds the stored form of the payments and refunds.
func (b worldBooking) addMoney(items map[string]map[string]any) {
	pk := "BOOKING#" + b.id
	add := func(sk string, item map[string]any) {
		item["PK"], item["SK"], item["BookingId"] = pk, sk, b.id
		items[pk+"/"+sk] = item
	}
	for id, p := range b.payments {
		now := p.stands()
		item := paymentItem("PaymentAttempt", now)
		item["StatusAt"] = stamp(now.At)
		setTo(item, "FailureReason", now.FailureReason)
		add("PAYMENT#"+id, item)
	}
	for id, r := range b.refunds {
		now := r.stands()
		item := map[string]any{
			"EntityType": "Refund", "RefundId": id, "ProviderTransactionId": now.ProviderTransactionID, "Amount": amount(centsOf(now.Amount)),
			"Currency": "USD", "Status": string(now.Status), "StatusAt": stamp(now.At), "CreatedAt": stamp(now.CreatedAt),
		}
		setTo(item, "Reason", now.Reason)
		add("REFUND#"+id, item)
	}
	s := b.summary()
	if s == nil {
		return
	}
	item := paymentItem("Payment", s.Payment)
	item["PaidAmount"], item["AuthorizedAmount"], item["RefundAmount"] = amount(centsOf(s.Paid)), amount(centsOf(s.Authorized)), amount(centsOf(s.Refunded))
	for name, at := range map[string]time.Time{"PaidAt": s.At, "RefundedAt": s.RefundedAt} {
		if !at.IsZero() {
			item[name] = stamp(at)
		}
	}
	add("PAYMENT", item)
}

// paymentItem is what the items of a payment and of the summary have in common.
func paymentItem(kind string, p bookings.Payment) map[string]any {
	item := map[string]any{
		"EntityType": kind, "PaymentId": p.ID, "Amount": amount(centsOf(p.Amount)), "Currency": "USD", "PaymentMethod": p.Method,
		"PaymentProvider": p.Provider, "ProviderTransactionId": p.ProviderTransactionID, "Status": string(p.Status), "CreatedAt": stamp(p.CreatedAt),
	}
	setTo(item, "CardBrand", p.Card.Brand)
	setTo(item, "CardLast4", p.Card.Last4)
	return item
}
