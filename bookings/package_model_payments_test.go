package bookings_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/keys"
)

// notifying records a notification of a payment or of a refund.
type notifying struct {
	charge  *charging
	refund  *refunding
	earlier int // which earlier notification is recorded again; -1 for a new one
	// status is what the refund has come to, if that is recorded again; "" for the same as before.
	status bookings.PaymentStatus
	other  bool // the refund is said to be of another payment
	key    keyChoice
}

func drawCharge(t *rapid.T) worldStep {
	c := drawCharging(t)
	return notifying{charge: &c, earlier: -1, key: drawKey(t)}
}

func drawRefund(t *rapid.T) worldStep {
	r := drawRefunding(t)
	return notifying{refund: &r, earlier: -1, key: drawKey(t)}
}

// drawAgain draws the repetition of an earlier notification, which reorders those that have come since.
func drawAgain(t *rapid.T) worldStep {
	s := notifying{earlier: model.UpTo(t, 9, "earlier"), key: drawKey(t)}
	if rapid.Bool().Draw(t, "refund") {
		s.other = onceIn(t, 6, "of another payment")
		s.refund, s.status = &refunding{}, model.OneOf(t, "status", "", bookings.PaymentPending, bookings.PaymentRefunded, bookings.PaymentRefunded, bookings.PaymentFailed)
	} else {
		s.charge = &charging{}
	}
	return s
}

func (s notifying) String() string {
	what := fmt.Sprint(s.charge)
	if s.refund != nil {
		what = fmt.Sprint(s.refund)
	}
	if s.earlier >= 0 {
		what = fmt.Sprintf("the last but %d again, refund %t, status %q, other %t", s.earlier, s.refund != nil, s.status, s.other)
	}
	return fmt.Sprintf("notify of %s; key %d", what, s.key)
}

func (s notifying) run(w *world, on program) { w.runWrite(s, s.key, on) }

func (s notifying) write(w *world) (c worldWrite, found bool) {
	switch {
	case s.charge != nil && s.earlier < 0:
		p := s.charge.payment(w, w.choosesOf(s.charge.back, func(b worldBooking) bool { return !s.charge.again || len(b.payments) > 0 }))
		w.payments = append(w.payments, p)
		return w.recordPayment(p), true
	case s.charge != nil && s.earlier < len(w.payments):
		return w.recordPayment(w.payments[len(w.payments)-1-s.earlier]), true
	case s.refund != nil && s.earlier < 0:
		r := s.refund.refund(w, w.choosesOf(s.refund.back, func(b worldBooking) bool { return len(b.made()) > 0 }))
		w.refunds = append(w.refunds, r)
		return w.recordRefund(r), true
	case s.refund != nil && s.earlier < len(w.refunds):
		r := w.refunds[len(w.refunds)-1-s.earlier]
		if s.status != "" {
			r.Status, r.At = s.status, time.Time{}
		}
		if s.other {
			r.ProviderTransactionID = "other"
		}
		return w.recordRefund(r), true
	}
	return c, false
}

// charging is a notification of a payment.
type charging struct {
	back        int  // which booking, see chooses
	again       bool // one of those for which something has been recorded
	transaction string
	provider    string
	status      bookings.PaymentStatus
	more        int64 // cents, than the payment should be
	currency    dynastay.Currency
	at          moment
	id, brand   string
	spoilt      int // which field is invalid; 0 for none
}

// moment is a time of a provider: some time after the booking was created. Nil means that it says none.
type moment *time.Duration

func drawMoment(t *rapid.T) moment {
	after := model.OneOf(t, "at", -time.Hour, 0, 0, 1234567*time.Nanosecond, time.Minute, time.Hour, 30*time.Hour)
	if onceIn(t, 3, "no time") {
		return nil
	}
	return &after
}

// momentOf returns the time for a booking.
func (w *world) momentOf(m moment, id string) time.Time {
	if m == nil {
		return time.Time{}
	}
	created := w.bookings[id].created
	if created.IsZero() {
		created = w.db.Now()
	}
	return created.Add(*m)
}

func drawCharging(t *rapid.T) charging {
	return charging{
		back: model.UpTo(t, mostBack, "booking"), again: rapid.Bool().Draw(t, "again"), transaction: model.OneOf(t, "transaction", "ch_1", "ch_1", "deposit", "rest"),
		provider: model.OneOf(t, "provider", "stripe", "stripe", "stripe", "stripe", "stripe", "stripe", "stripe", "adyen"),
		status: model.OneOf(t, "status", bookings.PaymentPending, bookings.PaymentAuthorized, bookings.PaymentAuthorized, bookings.PaymentPaid, bookings.PaymentPaid, bookings.PaymentPaid,
			bookings.PaymentFailed),
		more: model.OneOf(t, "more", int64(0), 0, 0, 0, 0, 0, 0, 1), currency: model.OneOf(t, "currency", dynastay.Currency("USD"), "USD", "USD", "USD", "USD", "USD", "USD", "USD", "EUR"),
		at: drawMoment(t), id: model.OneOf(t, "id", "", "", "pay_own"), brand: model.OneOf(t, "brand", "", "visa", "visa"), spoilt: max(0, model.UpTo(t, 40, "spoilt")-36),
	}
}

func (s *charging) String() string {
	return fmt.Sprintf("payment %s of booking %d (%t): %s by %s, %d cents more, in %s, at %s, id %q, spoilt %d",
		s.transaction, s.back, s.again, s.status, s.provider, s.more, s.currency, shownValue(s.at), s.id, s.spoilt)
}

// deposit is what some bookings need, in cents; the rest is another payment.
const deposit = 5000

// payment returns the notification for a booking.
func (s *charging) payment(w *world, bookingID string) bookings.Payment {
	cents := int64(deposit)
	if b, there := w.bookings[bookingID]; there && s.transaction != "deposit" {
		cents = b.total()
		if s.transaction == "rest" {
			cents -= deposit
		}
	}
	p := bookings.Payment{
		ID: s.id, BookingID: bookingID, Provider: s.provider, ProviderTransactionID: s.transaction, Method: "card",
		Amount: dynastay.MustMoney(dollars(max(cents, 1)+s.more).Digits(), s.currency), Status: s.status, At: w.momentOf(s.at, bookingID),
	}
	if s.brand != "" && s.transaction != "rest" {
		p.Card = bookings.Card{Brand: s.brand, Last4: "4242"}
	}
	if s.status == bookings.PaymentFailed {
		p.FailureReason = "expired"
	}
	switch s.spoilt {
	case 1:
		p.Status, p.FailureReason = bookings.PaymentRefunded, ""
	case 2:
		p.Amount = dollars(0)
	case 3:
		p.Method = ""
	case 4:
		p.Status, p.FailureReason = bookings.PaymentPaid, "expired"
	}
	return p
}

// wrongPayment returns why a payment is refused, whatever is stored.
func wrongPayment(p bookings.Payment) error {
	switch {
	case p.Status == bookings.PaymentRefunded:
		return dynastay.Invalid("Status", "…")
	case p.Amount.Sign() == 0:
		return dynastay.Invalid("Amount", "…")
	case p.Method == "":
		return dynastay.Invalid("Method", "…")
	case p.FailureReason != "" && p.Status != bookings.PaymentFailed:
		return dynastay.Invalid("FailureReason", "…")
	}
	return nil
}

// inputOf is what repeated calls have in common of a payment.
func inputOf(p bookings.Payment) string {
	return fmt.Sprint(p.ID, p.Provider, p.ProviderTransactionID, p.Method, p.Amount, p.Status, p.Card, p.FailureReason, p.At.Truncate(time.Millisecond))
}

// refunding is a notification of a refund.
type refunding struct {
	back        int // which booking, see chooses
	id          string
	transaction string
	share       share
	currency    dynastay.Currency
	status      bookings.PaymentStatus
	reason      string
	at          moment
	spoilt      bool
}

// share says how much is refunded.
type share int

const (
	someOfIt share = iota
	halfOfIt
	restOfIt
	tooMuch
	dueOfIt // by the policies; only when the booking is cancelled
)

func drawRefunding(t *rapid.T) refunding {
	return refunding{
		back: model.UpTo(t, mostBack, "booking"), id: model.OneOf(t, "id", "re_1", "re_2", "re_3"),
		transaction: model.OneOf(t, "transaction", "", "", "", "ch_1", "deposit", "rest"), share: model.OneOf(t, "share", someOfIt, someOfIt, halfOfIt, restOfIt, restOfIt, tooMuch),
		currency: model.OneOf(t, "currency", dynastay.Currency("USD"), "USD", "USD", "USD", "USD", "USD", "USD", "USD", "EUR"),
		status:   model.OneOf(t, "status", "", "", bookings.PaymentPending, bookings.PaymentPending, bookings.PaymentPending, bookings.PaymentRefunded, bookings.PaymentFailed),
		reason:   model.OneOf(t, "reason", "", "sorry"), at: drawMoment(t), spoilt: onceIn(t, 25, "spoilt"),
	}
}

func (s *refunding) String() string {
	return fmt.Sprintf("refund %s of payment %q of booking %d: %s, share %d in %s, reason %q, at %s, spoilt %t",
		s.id, s.transaction, s.back, s.status, s.share, s.currency, s.reason, shownValue(s.at), s.spoilt)
}

// refund returns the notification for a booking.
func (s *refunding) refund(w *world, bookingID string) bookings.Refund {
	b := w.bookings[bookingID]
	r := bookings.Refund{
		ID: s.id, BookingID: bookingID, ProviderTransactionID: s.transaction, Status: s.status, Reason: s.reason, At: w.momentOf(s.at, bookingID),
	}
	if s.spoilt {
		r.Status = bookings.PaymentPaid
	}
	if s.share == dueOfIt {
		return r
	}
	cents := int64(1000)
	if of, err := b.refunded(r); err == nil {
		left := b.leftOf(of)
		cents = map[share]int64{someOfIt: min(1000, left), halfOfIt: left / 2, restOfIt: left, tooMuch: left + 1}[s.share]
	}
	r.Amount = dynastay.MustMoney(dollars(max(cents, 1)).Digits(), s.currency)
	return r
}

func inputOfRefund(r bookings.Refund) string {
	return fmt.Sprint(r.ID, r.ProviderTransactionID, r.Amount, cmp.Or(r.Status, bookings.PaymentRefunded), r.Reason, r.At.Truncate(time.Millisecond))
}

// recordPayment returns the call that records a notification.
func (w *world) recordPayment(p bookings.Payment) worldWrite {
	c := w.recording(p.BookingID, func(on program, opts ...dynastay.WriteOption) (bookings.Recorded, error) {
		return on.repo.RecordPayment(context.Background(), p, opts...)
	}, func(b worldBooking) (worldBooking, error) { return b.withPayment(p, w.db.Now()) })
	c.name, c.input, c.invalid = "pay", p.BookingID+inputOf(p), wrongPayment(p)
	c.varied = func(which int) worldWrite {
		other := p
		switch which {
		case 0:
			other.BookingID = "bkg_none"
		case 1:
			other.Amount = dollars(centsOf(p.Amount) + 1)
		case 2:
			other.At = p.At.Add(time.Second)
		default:
			other.Provider += "2"
		}
		return w.recordPayment(other)
	}
	return c
}

// recordRefund returns the call that records a refund.
func (w *world) recordRefund(r bookings.Refund) worldWrite {
	c := w.recording(r.BookingID, func(on program, opts ...dynastay.WriteOption) (bookings.Recorded, error) {
		return on.repo.RecordRefund(context.Background(), r, opts...)
	}, func(b worldBooking) (worldBooking, error) { return b.withRefund(r, w.db.Now()) })
	c.name, c.input = "refund", r.BookingID+inputOfRefund(r)
	if r.Status == bookings.PaymentPaid {
		c.invalid = dynastay.Invalid("Status", "…")
	}
	c.varied = func(which int) worldWrite {
		other := r
		switch which {
		case 0:
			other.BookingID = "bkg_none"
		case 1:
			other.Amount = dollars(centsOf(r.Amount) + 1)
		case 2:
			other.Reason += "!"
		default:
			other.At = r.At.Add(time.Second)
		}
		return w.recordRefund(other)
	}
	return c
}

// recording returns a call that changes the payments of a booking, and nothing else.
func (w *world) recording(
	id string, do func(program, ...dynastay.WriteOption) (bookings.Recorded, error), change func(worldBooking) (worldBooking, error),
) worldWrite {
	var got bookings.Recorded
	var before worldBooking
	var written any
	return worldWrite{
		again: true,
		do: func(on program, opts ...dynastay.WriteOption) (b *bookings.Booking, err error) {
			got, err = do(on, opts...)
			return got.Booking, err
		},
		expected: func() (worldBooking, error) {
			if before = w.bookings[id]; before.id == "" {
				return before, dynastay.ErrNotFound
			}
			written = w.writeID(id)
			return change(before)
		},
		apply: func(after worldBooking) {
			w.met.Add("booking: "+string(after.paymentStatus()), 1)
			changed := !sameHistory(before.history(), after.history()) || before.paymentStatus() != after.paymentStatus()
			if !changed {
				w.met.Add("notified again", 1)
			}
			// Two calls that have read the same payments must not both be carried out.
			if !w.meeting {
				require.Equal(w.t, changed, w.writeID(id) != written, "a new write id of the booking")
			}
		},
		sees: func(after worldBooking, _ bool) { require.Equal(w.t, after.summary(), got.Payment) },
	}
}

func sameHistory(h, other bookings.PaymentHistory) bool { return fmt.Sprint(h) == fmt.Sprint(other) }

// writeID returns the write id of a stored booking.
func (w *world) writeID(id string) string {
	row, err := w.db.Direct.Get(context.Background(), keys.BookingsTable, keyOf(id), dynastay.Consistent)
	require.NoError(w.t, err)
	return fmt.Sprint(row.Value(keys.BookingsTable.WriteIDName()).Stored())
}

// learn finds out the ids of payments that the library has generated.
func (w *world) learn(b worldBooking) {
	for id, p := range b.payments {
		if p.id != "" {
			continue
		}
		row, err := w.db.Direct.Get(context.Background(), keys.BookingsTable, dynastay.Key{PK: "BOOKING#" + b.id, SK: "PAYMENT#" + id}, dynastay.Consistent)
		require.NoError(w.t, err)
		p.id = row.Text("PaymentId")
		require.True(w.t, strings.HasPrefix(p.id, "pay_"), p.id)
		b.payments[id] = p
	}
}

// readingPayments reads the payments of a booking.
type readingPayments struct {
	back       int
	consistent bool
}

func drawPayments(t *rapid.T) worldStep {
	return readingPayments{model.UpTo(t, mostBack, "booking"), rapid.Bool().Draw(t, "consistent")}
}

func (s readingPayments) String() string {
	return fmt.Sprintf("payments of booking %d, consistent %t", s.back, s.consistent)
}

func (s readingPayments) run(w *world, on program) {
	id := w.choosesOf(s.back, func(b worldBooking) bool { return len(b.payments) > 0 })
	b := w.bookings[id]
	summary, err := on.repo.Payment(context.Background(), id, options(s.consistent)...)
	if len(b.payments) > 0 {
		w.reads(b.summary(), summary, err)
	} else if !w.gaveUp(err) {
		w.fails(dynastay.ErrNotFound, err)
	}
	history, err := on.repo.PaymentHistory(context.Background(), id, options(s.consistent)...)
	w.reads(b.history(), history, err)
	w.met.Add("payments: read", len(history.Payments)+len(history.Refunds))
}
