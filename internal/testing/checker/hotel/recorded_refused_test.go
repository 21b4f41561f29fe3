package hotel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// A refusal of a notice must have been true at some moment of its call.
func TestWrongContradictions(t *testing.T) {
	late, early := checker.Between(5, 6), checker.Between(1, 2)
	refused := func(id string, reason error, left int64) error {
		return &bookings.PaymentError{BookingID: "b", ID: id, Err: reason, Left: checker.Dollars(left)}
	}
	several := dynastay.Invalid("Refunds[0].ProviderTransactionID", "is required")
	refund := func(of string, cents int64) *notice {
		return &notice{refund: &bookings.Refund{ID: "m4", ProviderTransactionID: of, Amount: checker.Dollars(cents)}}
	}
	payment := func(of string, cents int64) *notice {
		return &notice{payment: &bookings.Payment{ProviderTransactionID: of, Provider: "provider", Amount: checker.Dollars(cents), Status: bookings.PaymentPaid}}
	}
	for name, c := range map[string]struct {
		n    *notice
		at   checker.Span
		err  error
		ok   bool
		also *notice
	}{
		"too much":                     {refund("tx-1", 151_00), late, refused("m4", bookings.ErrOverRefund, 150_00), true, nil},
		"too much, before the first":   {refund("tx-1", 201_00), checker.Between(1, 3), refused("m4", bookings.ErrOverRefund, 200_00), true, nil},
		"not too much":                 {refund("tx-1", 150_00), late, refused("m4", bookings.ErrOverRefund, 150_00), false, nil},
		"too little left":              {refund("tx-1", 151_00), late, refused("m4", bookings.ErrOverRefund, 149_00), false, nil},
		"more left than there was":     {refund("tx-1", 201_00), late, refused("m4", bookings.ErrOverRefund, 200_00), false, nil},
		"of what is due":               {refund("tx-1", 0), late, refused("m4", bookings.ErrOverRefund, 0), false, nil},
		"of another booking":           {refund("tx-1", 151_00), late, &bookings.PaymentError{BookingID: "c", ID: "m4", Err: bookings.ErrOverRefund, Left: checker.Dollars(150_00)}, false, nil},
		"of another refund":            {refund("tx-1", 151_00), late, refused("m5", bookings.ErrOverRefund, 150_00), false, nil},
		"not paid":                     {refund("tx-2", 1), late, refused("m4", bookings.ErrNotPaid, 0), true, nil},
		"not paid yet":                 {refund("tx-1", 1), early, refused("m4", bookings.ErrNotPaid, 0), true, nil},
		"not paid, but it was":         {refund("tx-1", 1), late, refused("m4", bookings.ErrNotPaid, 0), false, nil},
		"nothing paid, but it was":     {refund("", 1), late, refused("m4", bookings.ErrNotPaid, 0), false, nil},
		"a payment that is not paid":   {payment("tx-2", 1), late, refused("tx-2", bookings.ErrNotPaid, 0), false, nil},
		"another amount":               {payment("tx-1", 1), late, refused("tx-1", bookings.ErrPaymentDiffers, 0), true, nil},
		"the same amount":              {payment("tx-1", 200_00), late, refused("tx-1", bookings.ErrPaymentDiffers, 0), false, nil},
		"another amount, only later":   {payment("tx-1", 1), checker.Between(0, 0), refused("tx-1", bookings.ErrPaymentDiffers, 0), false, nil},
		"the amount of a failed one":   {payment("tx-2", 1), late, refused("tx-2", bookings.ErrPaymentDiffers, 0), false, nil},
		"several":                      {refund("", 1), late, several, true, payment("tx-3", 1)},
		"several, but it is one":       {refund("", 1), late, several, false, nil},
		"several, but it is named":     {refund("tx-1", 1), late, several, false, payment("tx-3", 1)},
		"an unknown reason":            {refund("tx-1", 1), late, refused("m4", bookings.ErrHoldOpen, 0), false, nil},
		"a refund of another amount":   {&notice{refund: &bookings.Refund{ID: "m3", Amount: checker.Dollars(1)}}, late, refused("m3", bookings.ErrPaymentDiffers, 0), true, nil},
		"a refund of the same amount":  {&notice{refund: &bookings.Refund{ID: "m3", Amount: checker.Dollars(50_00)}}, late, refused("m3", bookings.ErrPaymentDiffers, 0), false, nil},
		"a refund of another payment":  {&notice{refund: &bookings.Refund{ID: "m3", ProviderTransactionID: "tx-2", Amount: checker.Dollars(50_00)}}, late, refused("m3", bookings.ErrPaymentDiffers, 0), true, nil},
		"a refund that is not there":   {refund("tx-1", 1), late, refused("m4", bookings.ErrPaymentDiffers, 0), false, nil},
		"too much of some payment":     {refund("", 151_00), late, refused("m4", bookings.ErrOverRefund, 150_00), true, nil},
		"a refund of no other payment": {refund("tx-3", 1), late, refused("m4", bookings.ErrNotPaid, 0), true, nil},
	} {
		s := wrongSales(t)
		pay, fail, made := reportsOf()
		l := &stayLife{found: paidBooking(), id: "b", certain: []*notice{pay, fail, made}, told: []*notice{c.n}}
		if c.also != nil {
			c.also.Deed = checker.Answered("m6", checker.Unknown, checker.Since(1))
			l.maybe = append(l.maybe, c.also)
		}
		c.n.Deed = checker.Answered("m4", 1, c.at)
		c.n.Refusals = []checker.Told{{Span: c.at, Err: c.err}}
		s.checkContradictions(l)
		assert.Equal(t, c.ok, len(s.Kinds()) == 0, name)
	}
}

// What a cancellation refunds is what was due when it was carried out.
func TestWrongRefunds(t *testing.T) {
	line := func(policy availability.CancellationPolicy, cents int64) bookings.Line {
		return bookings.Line{Line: availability.Line{CancellationPolicy: policy, Subtotal: checker.Dollars(cents)}}
	}
	b := &bookings.Booking{
		Summary:     bookings.Summary{Total: checker.Dollars(560_01), Stay: dynastay.MustStay("2026-07-02", "2026-07-03")},
		CancelledAt: checker.Midnight.Add(time.Minute),
		Lines:       []bookings.Line{line(availability.FreeCancellation(24), 280_00), line(availability.PartialRefund(35, 48), 280_00)},
	}
	assert.Equal(t, int64(560_01-378_01), keptOf(b)) // 67.5 % of 560.01 is 378.00675
	b.CancelledAt = b.CancelledAt.Add(time.Millisecond)
	assert.Equal(t, int64(560_01-280_01), keptOf(b), "the deadline of one policy is over")
	b.CancelledAt = checker.Midnight.Add(24*time.Hour + time.Minute + 1)
	assert.Equal(t, int64(560_01), keptOf(b), "both are over")
	b.CancelledAt = checker.Midnight
	cancelled := func(paid, refunded int64, amounts ...int64) (c bookings.Cancellation) {
		c = bookings.Cancellation{Booking: b, Payment: &bookings.PaymentSummary{Paid: checker.Dollars(paid), Refunded: checker.Dollars(refunded)}}
		for _, cents := range amounts {
			c.Refunds = append(c.Refunds, bookings.Refund{ID: "m1", ProviderTransactionID: "tx-1", Amount: checker.Dollars(cents)})
		}
		return c
	}
	due, of, named := bookings.Refund{ID: "m1"}, bookings.Refund{ID: "m1", Amount: checker.Dollars(5)}, bookings.Refund{ID: "m1", ProviderTransactionID: "tx-1"}
	ofBoth := func(change func(second *bookings.Refund)) bookings.Cancellation {
		c := cancelled(560_01, 378_01, 378_00, 1)
		c.Refunds[1].ID, c.Refunds[1].ProviderTransactionID = "m1_2", "tx-2"
		change(&c.Refunds[1])
		return c
	}
	for name, c := range map[string]struct {
		asked bookings.Refund
		made  bookings.Cancellation
		ok    bool
	}{
		"all that is due":           {due, cancelled(560_01, 378_01, 378_01), true},
		"less what was refunded":    {due, cancelled(560_01, 378_01, 300_00), true},
		"less than is due":          {due, cancelled(560_01, 378_00, 378_00), false},
		"more than is due":          {due, cancelled(560_01, 378_02, 378_02), false},
		"nothing is due":            {due, cancelled(182_00, 0), true},
		"nothing, although":         {due, cancelled(182_01, 0), false},
		"twice":                     {due, cancelled(560_01, 378_01, 378_00, 1), false},
		"of both payments":          {due, ofBoth(func(*bookings.Refund) {}), true},
		"twice of one payment":      {due, ofBoth(func(r *bookings.Refund) { r.ProviderTransactionID = "tx-1" }), false},
		"with another id":           {due, ofBoth(func(r *bookings.Refund) { r.ID = "m1_3" }), false},
		"of both, although named":   {named, ofBoth(func(r *bookings.Refund) { r.ProviderTransactionID = "tx-1" }), false},
		"of nothing":                {due, cancelled(182_00, 0, 0), false},
		"nothing paid":              {due, bookings.Cancellation{Booking: b}, true},
		"nothing paid, but":         {due, bookings.Cancellation{Booking: b, Refunds: []bookings.Refund{{}}}, false},
		"the amount":                {of, cancelled(10, 5, 5), true},
		"another amount":            {of, cancelled(10, 6, 6), false},
		"no amount":                 {of, cancelled(10, 0), false},
		"what is left of a payment": {named, cancelled(560_01, 100_00, 100_00), true},
		"more than that is due":     {named, cancelled(560_01, 379_00, 379_00), false},
		"of another payment":        {bookings.Refund{ID: "m1", ProviderTransactionID: "tx-2"}, cancelled(560_01, 378_01, 378_01), false},
		"another refund":            {bookings.Refund{ID: "m2"}, cancelled(560_01, 378_01, 378_01), false},
	} {
		assert.Equal(t, c.ok, refundedAs(c.asked, c.made, false), name)
	}
	assert.True(t, refundedAs(due, cancelled(900_00, 378_01, 378_01), true), "a replay, after another payment")
	assert.False(t, refundedAs(of, cancelled(10, 6, 6), true), "a replay with another amount")
	assert.False(t, refundedAs(due, cancelled(560_01, 378_01, 378_00, 1), true), "a replay with two refunds")
}
