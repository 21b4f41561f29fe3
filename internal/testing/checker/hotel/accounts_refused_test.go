package hotel

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// The tests of this file show the rules wrong histories, which they must reject.

// wrongSales are sales without a database.
func wrongSales(t *testing.T) *sales {
	return &sales{Run: checker.Histories(t), promos: []*promo{
		{code: "OPEN", percent: 333},
		{code: "RARE", percent: 12_50, most: 30_00, least: 200_00, limit: 2},
	}}
}

// paidBooking is a stored booking of 280.00 with a payment of 200.00, another one that failed, and a refund of 50.00.
func paidBooking() *found {
	f := newFound(plain{"BookingId": "b", "TotalAmount": 280.0, "PaymentStatus": "partially_refunded"})
	for _, item := range []plain{
		{
			"SK": "PAYMENT#tx-1", "BookingId": "b", "ProviderTransactionId": "tx-1", "PaymentId": "m1", "PaymentMethod": "m1", "Amount": 200.0,
			"Status": "paid", "StatusAt": checker.Stamp(1), "PaymentProvider": "provider", "Currency": "USD",
		},
		{
			"SK": "PAYMENT#tx-2", "BookingId": "b", "ProviderTransactionId": "tx-2", "PaymentId": "m2", "PaymentMethod": "m2", "Amount": 80.0,
			"Status": "failed", "StatusAt": checker.Stamp(5), "PaymentProvider": "provider", "FailureReason": "m2", "Currency": "USD",
		},
		{
			"SK": "REFUND#m3", "BookingId": "b", "RefundId": "m3", "ProviderTransactionId": "tx-1", "Amount": 50.0, "Status": "refunded",
			"StatusAt": checker.Stamp(7), "Reason": "m3",
		},
		{
			"SK": "PAYMENT", "BookingId": "b", "ProviderTransactionId": "tx-1", "PaymentId": "m1", "PaymentMethod": "m1", "Amount": 200.0,
			"Status": "partially_refunded", "PaidAt": checker.Stamp(1), "RefundedAt": checker.Stamp(7), "PaidAmount": 200.0, "AuthorizedAmount": 0.0,
			"RefundAmount": 50.0, "PaymentProvider": "provider", "Currency": "USD",
		},
	} {
		f.add(item)
	}
	return f
}

func TestWrongAccounts(t *testing.T) {
	right := paidBooking()
	assert.Empty(t, right.unbalanced())
	assert.Empty(t, right.overRefunded())
	for name, change := range map[string]func(*found){
		"the status of the booking":           func(f *found) { f.plain["PaymentStatus"] = "paid" },
		"the status of the summary":           func(f *found) { f.summary["Status"] = "paid" },
		"no summary":                          func(f *found) { f.summary = nil },
		"a summary of the payment that fails": func(f *found) { f.summary["ProviderTransactionId"] = "tx-2" },
		"a payment that the summary lacks":    func(f *found) { f.payments["tx-2"]["Status"] = "paid" },
		"an authorization that it lacks":      func(f *found) { f.payments["tx-2"]["Status"] = "authorized" },
		"a refund that the summary lacks": func(f *found) {
			f.refunds["m4"] = plain{"Amount": 1.0, "Status": "pending", "StatusAt": checker.Stamp(7)}
		},
		"a refund that failed":        func(f *found) { f.refunds["m3"]["Status"] = "failed" },
		"another time of the refund":  func(f *found) { f.refunds["m3"]["StatusAt"] = checker.Stamp(8) },
		"another time of the payment": func(f *found) { f.summary["PaidAt"] = checker.Stamp(2) },
		"another method":              func(f *found) { f.summary["PaymentMethod"] = "m2" },
		"no payments":                 func(f *found) { f.payments = nil },
	} {
		f := paidBooking()
		change(f)
		assert.NotEmpty(t, f.unbalanced(), name)
	}
	for name, change := range map[string]func(*found){
		"more than the payment": func(f *found) { f.refunds["m3"]["Amount"] = 200.01 },
		"two that are more together": func(f *found) {
			f.refunds["m4"] = plain{"ProviderTransactionId": "tx-1", "Amount": 151.0, "Status": "pending"}
		},
		"of a payment that failed":       func(f *found) { f.refunds["m3"]["ProviderTransactionId"] = "tx-2" },
		"of a payment that is not there": func(f *found) { f.refunds["m3"]["ProviderTransactionId"] = "tx-3" },
	} {
		f := paidBooking()
		change(f)
		assert.NotEmpty(t, f.overRefunded(), name)
	}
	for name, item := range map[string]plain{
		"of another booking": {"SK": "PAYMENT#tx-1", "BookingId": "c", "ProviderTransactionId": "tx-1"},
		"at another key":     {"SK": "PAYMENT#tx-9", "BookingId": "b", "ProviderTransactionId": "tx-1"},
		"a refund":           {"SK": "REFUND#m9", "BookingId": "b", "RefundId": "m3"},
		"of no kind":         {"SK": "OTHER"},
	} {
		assert.False(t, paidBooking().add(item), name)
	}
}

func TestPaymentStatuses(t *testing.T) {
	for _, c := range []struct {
		sums
		last any
		want bookings.PaymentStatus
	}{
		{sums{}, nil, bookings.PaymentPending}, {sums{}, "failed", bookings.PaymentFailed}, {sums{}, "pending", bookings.PaymentPending},
		{sums{0, 1, 0}, "authorized", bookings.PaymentAuthorized}, {sums{99, 0, 0}, "paid", bookings.PaymentPending}, {sums{100, 0, 0}, "paid", bookings.PaymentPaid},
		{sums{99, 1, 0}, "paid", bookings.PaymentAuthorized}, {sums{100, 1, 0}, "paid", bookings.PaymentPaid},
		{sums{100, 0, 1}, "paid", bookings.PaymentPartiallyRefunded}, {sums{99, 0, 99}, "paid", bookings.PaymentRefunded},
	} {
		assert.Equal(t, c.want, c.owes(100, c.last), "%v, last %v", c.sums, c.last)
	}
	assert.Equal(t, bookings.PaymentPaid, sums{}.owes(0, nil))
}

// reportsOf are the notices that the booking of [paidBooking] follows from.
func reportsOf() (pay, fail, refund *notice) {
	cents := func(n int64) dynastay.Money { return checker.Dollars(n) }
	pay = &notice{Deed: checker.Answered("m1", checker.Acknowledged, checker.Between(1, 2)), payment: &bookings.Payment{
		ID: "m1", Method: "m1", Provider: "provider", ProviderTransactionID: "tx-1", Amount: cents(200_00), Status: bookings.PaymentPaid, At: checker.Instant(1),
	}}
	fail = &notice{Deed: checker.Answered("m2", checker.Acknowledged, checker.Between(1, 2)), payment: &bookings.Payment{
		ID: "m2", Method: "m2", Provider: "provider", ProviderTransactionID: "tx-2", Amount: cents(80_00), Status: bookings.PaymentFailed,
		FailureReason: "m2", At: checker.Instant(5),
	}}
	refund = &notice{Deed: checker.Answered("m3", checker.Acknowledged, checker.Between(3, 4)), refund: &bookings.Refund{
		ID: "m3", Reason: "m3", ProviderTransactionID: "tx-1", Amount: cents(50_00), Status: bookings.PaymentRefunded, At: checker.Instant(7),
	}}
	return pay, fail, refund
}

func TestWrongRecords(t *testing.T) {
	life := func(change func(l *stayLife, pay, fail, refund *notice)) *sales {
		s := wrongSales(t)
		pay, fail, refund := reportsOf()
		l := &stayLife{found: paidBooking(), id: "b", certain: []*notice{pay, fail, refund}}
		change(l, pay, fail, refund)
		s.checkRecords(l)
		return s
	}
	assert.Empty(t, life(func(*stayLife, *notice, *notice, *notice) {}).Kinds())
	assert.Empty(t, life(func(l *stayLife, pay, _, _ *notice) { // two that were recorded before, or had been overtaken
		again, begun := *pay.payment, *pay.payment
		again.Method, again.At = "m5", checker.Instant(2)
		begun.Method, begun.Status, begun.At = "m6", bookings.PaymentAuthorized, checker.Instant(9)
		l.certain = append(l.certain, &notice{Deed: pay.Deed, payment: &again}, &notice{Deed: pay.Deed, payment: &begun})
	}).Kinds())
	second := func(l *stayLife, refund *notice, cents float64) { // of a refund of all payments by a cancellation in time
		refund.refund.Amount, refund.refund.ProviderTransactionID, refund.move = dynastay.Money{}, "", &stayMove{}
		l.plain["CheckInDate"], l.plain["CancelledAt"] = "2026-07-31", checker.Stamp(0)
		l.lines = []plain{{"CancellationPolicy": string(availability.FreeCancellation(24)), "Subtotal": 280.0}}
		l.refunds["m3_2"] = maps.Clone(l.refunds["m3"])
		l.refunds["m3_2"]["RefundId"], l.refunds["m3_2"]["ProviderTransactionId"], l.refunds["m3_2"]["Amount"] = "m3_2", "tx-2", cents
	}
	assert.Empty(t, life(func(l *stayLife, _, _, refund *notice) { second(l, refund, 150) }).Kinds())
	for name, change := range map[string]func(l *stayLife, pay, fail, refund *notice){
		"two refunds of more than is due": func(l *stayLife, _, _, refund *notice) { second(l, refund, 150.01) },
		"a second refund of one payment": func(l *stayLife, _, _, refund *notice) {
			second(l, refund, 1)
			refund.refund.ProviderTransactionID = "tx-1"
		},
		"a second refund of an amount": func(l *stayLife, _, _, refund *notice) {
			second(l, refund, 1)
			refund.refund.Amount = checker.Dollars(50_00)
		},
		"a payment is lost":        func(l *stayLife, _, _, _ *notice) { delete(l.payments, "tx-2") },
		"a refund is lost":         func(l *stayLife, _, _, _ *notice) { delete(l.refunds, "m3") },
		"nobody reported it":       func(l *stayLife, pay, _, refund *notice) { l.certain = []*notice{pay, refund} },
		"nobody refunded it":       func(l *stayLife, pay, fail, _ *notice) { l.certain = []*notice{pay, fail} },
		"another amount":           func(l *stayLife, _, _, _ *notice) { l.payments["tx-1"]["Amount"] = 199.0 },
		"another status":           func(l *stayLife, _, _, _ *notice) { l.payments["tx-2"]["Status"] = "pending" },
		"another provider":         func(l *stayLife, _, _, _ *notice) { l.payments["tx-1"]["PaymentProvider"] = "other" },
		"another time":             func(l *stayLife, _, _, _ *notice) { l.payments["tx-2"]["StatusAt"] = checker.Stamp(6) },
		"no reason of the failure": func(l *stayLife, _, _, _ *notice) { delete(l.payments["tx-2"], "FailureReason") },
		"another id":               func(l *stayLife, _, _, _ *notice) { l.payments["tx-1"]["PaymentId"] = "m9" },
		"a later notice": func(l *stayLife, _, fail, _ *notice) {
			p := *fail.payment
			p.Status, p.At = bookings.PaymentAuthorized, checker.Instant(6)
			l.certain = append(l.certain, &notice{Deed: fail.Deed, payment: &p})
		},
		"a further notice of the same time": func(l *stayLife, _, fail, _ *notice) {
			p := *fail.payment
			p.Status = bookings.PaymentAuthorized
			l.certain = append(l.certain, &notice{Deed: fail.Deed, payment: &p})
		},
		"paid at last, however early": func(l *stayLife, _, fail, _ *notice) {
			p := *fail.payment
			p.Status, p.At = bookings.PaymentPaid, checker.Instant(1)
			l.certain = append(l.certain, &notice{Deed: fail.Deed, payment: &p})
		},
		"paid before": func(l *stayLife, pay, _, _ *notice) {
			p := *pay.payment
			p.At = checker.Instant(0)
			l.certain = append(l.certain, &notice{Deed: pay.Deed, payment: &p})
		},
		"an acknowledged contradiction": func(l *stayLife, pay, _, _ *notice) {
			p := *pay.payment
			p.Amount = checker.Dollars(1)
			l.certain = append(l.certain, &notice{Deed: pay.Deed, payment: &p})
		},
		"a refund of another amount":  func(l *stayLife, _, _, _ *notice) { l.refunds["m3"]["Amount"] = 49.0 },
		"a refund of another payment": func(l *stayLife, _, _, _ *notice) { l.refunds["m3"]["ProviderTransactionId"] = "tx-2" },
		"a refund at another time":    func(l *stayLife, _, _, _ *notice) { l.refunds["m3"]["StatusAt"] = checker.Stamp(8) },
		"another reason":              func(l *stayLife, _, _, _ *notice) { l.refunds["m3"]["Reason"] = "m9" },
		"a refund that has failed": func(l *stayLife, _, _, refund *notice) {
			r := *refund.refund
			r.Status, r.At = bookings.PaymentFailed, checker.Instant(0)
			l.certain = append(l.certain, &notice{Deed: refund.Deed, refund: &r})
		},
		"a refund that was made before": func(l *stayLife, _, _, refund *notice) {
			r := *refund.refund
			r.Status, r.At = "", checker.Instant(6)
			l.certain = append(l.certain, &notice{Deed: refund.Deed, refund: &r})
		},
		"a refund of more than is due": func(l *stayLife, _, _, refund *notice) {
			refund.refund.Amount, refund.move = dynastay.Money{}, &stayMove{}
			l.plain["CheckInDate"], l.plain["CancelledAt"] = "2026-07-01", checker.Stamp(0)
			l.lines = []plain{{"CancellationPolicy": string(availability.PartialRefund(35, 48)), "Subtotal": 280.0}}
		},
	} {
		assert.NotEmpty(t, life(change).Kinds(), name)
	}
}

// A notice with a receipt is recorded exactly if its receipt is there.
func TestWrongReceipts(t *testing.T) {
	for name, c := range map[string]struct {
		receipt *checker.Receipt
		verdict checker.Verdict
		want    []string
		certain int
		maybe   int
	}{
		"acknowledged":              {&checker.Receipt{ID: "m1", Kind: paying, Of: "b"}, checker.Acknowledged, nil, 1, 0},
		"unknown, and there":        {&checker.Receipt{ID: "m1", Kind: paying, Of: "b"}, checker.Unknown, nil, 1, 0},
		"unknown, and not there":    {nil, checker.Unknown, nil, 0, 0},
		"refused":                   {nil, checker.Refused, nil, 0, 0},
		"refused, and there":        {&checker.Receipt{ID: "m1", Kind: paying, Of: "b"}, checker.Refused, []string{"a notice that was refused"}, 1, 0},
		"acknowledged, and lost":    {nil, checker.Acknowledged, []string{"a notice is lost"}, 1, 0},
		"a receipt of another kind": {&checker.Receipt{ID: "m1", Kind: refunding, Of: "b"}, checker.Acknowledged, []string{"a receipt of something else"}, 1, 0},
	} {
		s := wrongSales(t)
		pay, _, _ := reportsOf()
		pay.Deed, pay.receipt, pay.booking = checker.Answered("m1", c.verdict, checker.Between(1, 2)), true, &ask{id: "b"}
		s.notices = []*notice{pay}
		l, receipts := &stayLife{found: paidBooking(), id: "b"}, map[string]*checker.Receipt{}
		if c.receipt != nil {
			receipts["m1"] = c.receipt
		}
		s.checkNotices(map[string]*stayLife{"b": l}, receipts)
		assert.Equal(t, c.want, s.Kinds(), name)
		assert.Equal(t, []int{c.certain, c.maybe}, []int{len(l.certain), len(l.maybe)}, name)
	}
	s := wrongSales(t)
	pay, _, _ := reportsOf()
	pay.Deed, pay.booking = checker.Answered("m1", checker.Unknown, checker.Between(1, 2)), &ask{id: "b"}
	s.notices = []*notice{pay}
	l := &stayLife{found: paidBooking(), id: "b"}
	s.checkNotices(map[string]*stayLife{"b": l}, maps.Clone(map[string]*checker.Receipt{}))
	assert.Equal(t, []int{0, 1}, []int{len(l.certain), len(l.maybe)}, "without a receipt, nobody knows")
}

// What a confirmation or a cancellation records is there exactly if the move is done.
func TestWrongMovesWithNotices(t *testing.T) {
	of := func(kind string, n *notice, change func(*stayLife)) []string {
		s := wrongSales(t)
		m := &stayMove{Deed: checker.Answered("m1", checker.Acknowledged, checker.Between(1, 2)), booking: &ask{id: "b"}, kind: kind, notice: n}
		l := &stayLife{found: paidBooking(), id: "b", by: map[string]*stayMove{}}
		l.plain["CancellationReason"] = "m1"
		change(l)
		s.checkTraces(l, m, nil)
		return s.Kinds()
	}
	pay, _, refund := reportsOf()
	same := func(*stayLife) {}
	assert.Empty(t, of(confirming, &notice{payment: pay.payment}, same))
	assert.Empty(t, of(cancelling, &notice{refund: refund.refund}, same))
	assert.NotEmpty(t, of(confirming, &notice{payment: pay.payment}, func(l *stayLife) { delete(l.payments, "tx-1") }))
	assert.NotEmpty(t, of(cancelling, &notice{refund: refund.refund}, func(l *stayLife) { delete(l.refunds, "m3") }))
	assert.NotEmpty(t, of(cancelling, &notice{refund: refund.refund}, func(l *stayLife) { l.plain["CancellationReason"] = "m9" }))
}
