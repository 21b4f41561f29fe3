package bookings_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

var payStay = dynastay.MustStay("2026-07-05", "2026-07-07")

func dollarsOf(amount string) dynastay.Money { return dynastay.MustMoney(amount, "USD") }

func charge(bookingID, id, amount string, status bookings.PaymentStatus) bookings.Payment {
	return bookings.Payment{
		BookingID: bookingID, Provider: "stripe", ProviderTransactionID: id, Method: "credit_card",
		Amount: dollarsOf(amount), Status: status, Card: bookings.Card{Brand: "visa", Last4: "4242"},
	}
}

func refundOf(bookingID, id, amount string, status bookings.PaymentStatus) bookings.Refund {
	return bookings.Refund{BookingID: bookingID, ID: id, Amount: dollarsOf(amount), Status: status}
}

// paymentStatuses returns the payment status in the booking, in a list, and in the summary.
func (i *inn) paymentStatuses(t testing.TB, id string) [3]bookings.PaymentStatus {
	t.Helper()
	b, err := i.repo.Get(t.Context(), id)
	require.NoError(t, err)
	page, err := i.repo.ByProperty(bookings.PropertyQuery{PropertyID: i.id}).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	got := [3]bookings.PaymentStatus{b.PaymentStatus}
	for _, s := range page.Items {
		if s.ID == id {
			got[1] = s.PaymentStatus
		}
	}
	s, err := i.repo.Payment(t.Context(), id)
	require.NoError(t, err)
	got[2] = s.Status
	return got
}

// A booking of 200 dollars, from the first attempt to the last refund. The booking's payment status moves with each
// payment, and its version does not: nobody has edited it.
func TestPaymentsOfABooking(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, payStay, rooms{"a": 1})
	require.Equal(t, bookings.PaymentPending, b.PaymentStatus)
	_, err := i.repo.Payment(t.Context(), b.ID)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	none, err := i.repo.PaymentHistory(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Zero(t, none)
	for _, step := range []struct {
		payment                    bookings.Payment
		refund                     bookings.Refund
		want                       bookings.PaymentStatus
		paid, authorized, refunded string
	}{
		{payment: charge("", "ch_1", "200", bookings.PaymentPending), want: bookings.PaymentPending, paid: "0", authorized: "0", refunded: "0"},
		{payment: charge("", "ch_1", "200", bookings.PaymentFailed), want: bookings.PaymentFailed, paid: "0", authorized: "0", refunded: "0"},
		{payment: charge("", "ch_2", "50", bookings.PaymentAuthorized), want: bookings.PaymentAuthorized, paid: "0", authorized: "50", refunded: "0"},
		{payment: charge("", "ch_2", "50", bookings.PaymentPaid), want: bookings.PaymentPending, paid: "50", authorized: "0", refunded: "0"},
		{payment: charge("", "ch_3", "150", bookings.PaymentAuthorized), want: bookings.PaymentAuthorized, paid: "50", authorized: "150", refunded: "0"},
		{payment: charge("", "ch_3", "150", bookings.PaymentPaid), want: bookings.PaymentPaid, paid: "200", authorized: "0", refunded: "0"},
		{refund: refundOf("", "re_1", "30", bookings.PaymentPending), want: bookings.PaymentPartiallyRefunded, paid: "200", authorized: "0", refunded: "30"},
		{refund: refundOf("", "re_1", "30", bookings.PaymentFailed), want: bookings.PaymentPaid, paid: "200", authorized: "0", refunded: "0"},
		{refund: refundOf("", "re_2", "50", ""), want: bookings.PaymentPartiallyRefunded, paid: "200", authorized: "0", refunded: "50"},
		{refund: refundOf("", "re_3", "150", ""), want: bookings.PaymentRefunded, paid: "200", authorized: "0", refunded: "200"},
	} {
		i.Clock.Advance(time.Minute)
		var got bookings.Recorded
		if step.payment.Status != "" {
			step.payment.BookingID = b.ID
			got, err = i.repo.RecordPayment(t.Context(), step.payment)
		} else {
			step.refund.BookingID, step.refund.ProviderTransactionID = b.ID, map[string]string{"re_1": "ch_3", "re_2": "ch_2", "re_3": "ch_3"}[step.refund.ID]
			got, err = i.repo.RecordRefund(t.Context(), step.refund)
		}
		require.NoError(t, err)
		assert.Equal(t, step.want, got.Booking.PaymentStatus)
		assert.Equal(t, [3]bookings.PaymentStatus{step.want, step.want, step.want}, i.paymentStatuses(t, b.ID))
		s, err := i.repo.Payment(t.Context(), b.ID, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, got.Payment, s)
		assert.Equal(t, []dynastay.Money{dollarsOf(step.paid), dollarsOf(step.authorized), dollarsOf(step.refunded)},
			[]dynastay.Money{s.Paid, s.Authorized, s.Refunded})
		now, err := i.repo.Get(t.Context(), b.ID)
		require.NoError(t, err)
		assert.Equal(t, got.Booking, now)
		now.PaymentStatus = b.PaymentStatus
		assert.Equal(t, b, now, "nothing else changes, neither its version nor its time")
	}
	h, err := i.repo.PaymentHistory(t.Context(), b.ID)
	require.NoError(t, err)
	var history []string
	for _, p := range h.Payments {
		assert.True(t, strings.HasPrefix(p.ID, "pay_"))
		assert.Equal(t, bookings.Card{Brand: "visa", Last4: "4242"}, p.Card)
		history = append(history, fmt.Sprint(p.ProviderTransactionID, " ", p.Amount, " ", p.Status, " ", p.CreatedAt.Format("04"), " ", p.At.Format("04")))
	}
	for _, r := range h.Refunds {
		history = append(history, fmt.Sprint(r.ID, " ", r.ProviderTransactionID, " ", r.Amount, " ", r.Status, " ", r.CreatedAt.Format("04"), " ", r.At.Format("04")))
	}
	assert.Equal(t, []string{
		"ch_1 200.00 USD failed 01 02", "ch_2 50.00 USD paid 03 04", "ch_3 150.00 USD paid 05 06",
		"re_1 ch_3 30.00 USD failed 07 08", "re_2 ch_2 50.00 USD refunded 09 09", "re_3 ch_3 150.00 USD refunded 10 10",
	}, history)
	s, err := i.repo.Payment(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, []any{"ch_3", "06", "10", ""}, []any{s.ProviderTransactionID, s.At.Format("04"), s.RefundedAt.Format("04"), s.FailureReason})
}

// A notification that arrives again, or late, writes nothing and returns what there is.
func TestRepeatedNotificationsWriteNothing(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, payStay, rooms{"a": 1})
	paid := charge(b.ID, "ch_1", "200", bookings.PaymentPaid)
	first, err := i.repo.RecordPayment(t.Context(), paid)
	require.NoError(t, err)
	refund := refundOf(b.ID, "re_1", "20", bookings.PaymentPending)
	refund.Reason = "noise"
	_, err = i.repo.RecordRefund(t.Context(), refund)
	require.NoError(t, err)
	refund.Status = bookings.PaymentRefunded
	second, err := i.repo.RecordRefund(t.Context(), refund)
	require.NoError(t, err)
	i.Clock.Advance(time.Hour)
	stop := i.Faults.Record()
	for _, late := range []bookings.PaymentStatus{bookings.PaymentPaid, bookings.PaymentAuthorized, bookings.PaymentPending, bookings.PaymentFailed} {
		paid.Status = late
		got, err := i.repo.RecordPayment(t.Context(), paid)
		require.NoError(t, err)
		assert.Equal(t, second, got)
	}
	for _, late := range []bookings.PaymentStatus{bookings.PaymentPending, bookings.PaymentRefunded, ""} {
		refund.Status = late
		got, err := i.repo.RecordRefund(t.Context(), refund)
		require.NoError(t, err)
		assert.Equal(t, second, got)
	}
	for _, sent := range stop() {
		assert.Equal(t, "Query", sent.Operation)
		assert.Contains(t, string(sent.Body), `"ConsistentRead":true`)
	}
	assert.Equal(t, first.Payment.At, second.Payment.At)
}

// Money that has been moved is recorded whatever has become of the booking.
func TestPaymentsOfEndedBookings(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	cancelled := i.book(t, payStay, rooms{"a": 1})
	_, err := i.repo.Cancel(t.Context(), cancelled.ID, "", nil)
	require.NoError(t, err)
	q := i.mustQuote(t, payStay, rooms{"a": 1})
	expired, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest, Hold: time.Minute})
	require.NoError(t, err)
	i.Clock.Advance(time.Hour)
	_, err = i.repo.Confirm(t.Context(), expired.ID, []bookings.Payment{charge("", "ch_1", "200", bookings.PaymentPaid)})
	require.ErrorIs(t, err, bookings.ErrHoldEnded)
	_, err = i.repo.Payment(t.Context(), expired.ID)
	require.ErrorIs(t, err, dynastay.ErrNotFound, "nothing was recorded")
	_, err = i.repo.Expire(t.Context(), expired.ID)
	require.NoError(t, err)
	for id, status := range map[string]bookings.Status{cancelled.ID: bookings.Cancelled, expired.ID: bookings.Expired} {
		got, err := i.repo.RecordPayment(t.Context(), charge(id, "ch_1", "200", bookings.PaymentPaid))
		require.NoError(t, err)
		assert.Equal(t, status, got.Booking.Status)
		got, err = i.repo.RecordRefund(t.Context(), refundOf(id, "re_1", "200", bookings.PaymentPending))
		require.NoError(t, err)
		assert.Equal(t, bookings.PaymentRefunded, got.Booking.PaymentStatus)
	}
}

func TestInvalidPayments(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, payStay, rooms{"a": 1})
	good := charge(b.ID, "ch_1", "200", bookings.PaymentPaid)
	long := strings.Repeat("x", entity.MaxNote+1)
	const pan = "4242 4242 4242 4242"
	stop := i.Faults.Record()
	for _, test := range []struct {
		field  string
		change func(*bookings.Payment)
	}{
		{"BookingID", func(p *bookings.Payment) { p.BookingID = "" }},
		{"BookingID", func(p *bookings.Payment) { p.BookingID = "a#b" }},
		{"ProviderTransactionID", func(p *bookings.Payment) { p.ProviderTransactionID = "" }},
		{"ProviderTransactionID", func(p *bookings.Payment) { p.ProviderTransactionID = "4242-4242-4242-4242" }},
		{"ProviderTransactionID", func(p *bookings.Payment) { p.ProviderTransactionID = strings.Repeat("x", 257) }},
		{"ID", func(p *bookings.Payment) { p.ID = "a#b" }},
		{"ID", func(p *bookings.Payment) { p.ID = "4242424242424242" }},
		{"ID", func(p *bookings.Payment) { p.ID = strings.Repeat("x", 129) }},
		{"Provider", func(p *bookings.Payment) { p.Provider = "" }},
		{"Provider", func(p *bookings.Payment) { p.Provider = long[:257] }},
		{"Provider", func(p *bookings.Payment) { p.Provider = pan }},
		{"Method", func(p *bookings.Payment) { p.Method = "" }},
		{"Method", func(p *bookings.Payment) { p.Method = "card, cvc 123" }},
		{"Card.Brand", func(p *bookings.Payment) { p.Card.Brand = pan }},
		{"Card.Brand", func(p *bookings.Payment) { p.Card.Brand = "\xff" }},
		{"Card.Last4", func(p *bookings.Payment) { p.Card.Last4 = "42424" }},
		{"Card.Last4", func(p *bookings.Payment) { p.Card.Last4 = "424" }},
		{"Card.Last4", func(p *bookings.Payment) { p.Card.Last4 = "424x" }},
		{"Card.Last4", func(p *bookings.Payment) { p.Card.Last4 = "4242424242424242" }},
		{"FailureReason", func(p *bookings.Payment) { p.FailureReason = "declined" }},
		{"FailureReason", func(p *bookings.Payment) { p.Status, p.FailureReason = bookings.PaymentFailed, long }},
		{"FailureReason", func(p *bookings.Payment) { p.Status, p.FailureReason = bookings.PaymentFailed, pan }},
		{"Status", func(p *bookings.Payment) { p.Status = "" }},
		{"Status", func(p *bookings.Payment) { p.Status = bookings.PaymentRefunded }},
		{"Status", func(p *bookings.Payment) { p.Status = "succeeded" }},
		{"Amount.Currency", func(p *bookings.Payment) { p.Amount = dynastay.Money{} }},
		{"Amount", func(p *bookings.Payment) { p.Amount = dollarsOf("0") }},
		{"Amount", func(p *bookings.Payment) { p.Amount = dollarsOf("-1") }},
		{"Amount", func(p *bookings.Payment) { p.Amount = dollarsOf("0.001") }},
		{"At", func(p *bookings.Payment) { p.At = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }},
	} {
		p := good
		test.change(&p)
		_, err := i.repo.RecordPayment(t.Context(), p)
		invalidField(t, test.field, err)
		if p.BookingID == b.ID && p.Status != bookings.PaymentFailed { // which a confirmation refuses first
			_, err = i.repo.Confirm(t.Context(), b.ID, []bookings.Payment{p})
			invalidField(t, "Payments[0]."+test.field, err)
		}
	}
	refund := refundOf(b.ID, "re_1", "1", "")
	for _, test := range []struct {
		field  string
		change func(*bookings.Refund)
	}{
		{"BookingID", func(r *bookings.Refund) { r.BookingID = "" }},
		{"ID", func(r *bookings.Refund) { r.ID = "" }},
		{"ID", func(r *bookings.Refund) { r.ID = "a#b" }},
		{"ID", func(r *bookings.Refund) { r.ID = "4242424242424242" }},
		{"ProviderTransactionID", func(r *bookings.Refund) { r.ProviderTransactionID = strings.Repeat("x", 257) }},
		{"ProviderTransactionID", func(r *bookings.Refund) { r.ProviderTransactionID = "4242424242424242" }},
		{"Reason", func(r *bookings.Refund) { r.Reason = long }},
		{"Reason", func(r *bookings.Refund) { r.Reason = "to card " + pan }},
		{"Status", func(r *bookings.Refund) { r.Status = bookings.PaymentPaid }},
		{"FailureReason", func(r *bookings.Refund) { r.FailureReason = "closed" }},
		{"Amount.Currency", func(r *bookings.Refund) { r.Amount = dynastay.Money{} }},
		{"Amount", func(r *bookings.Refund) { r.Amount = dollarsOf("0") }},
		{"Amount", func(r *bookings.Refund) { r.Amount = dollarsOf("0.001") }},
		{"At", func(r *bookings.Refund) { r.At = time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC) }},
	} {
		r := refund
		test.change(&r)
		_, err := i.repo.RecordRefund(t.Context(), r)
		invalidField(t, test.field, err)
		if r.BookingID == b.ID && r.Amount.IsSet() { // without an amount, it is what is due
			_, err = i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{r})
			invalidField(t, "Refunds[0]."+test.field, err)
		}
	}
	failed := good
	failed.Status = bookings.PaymentFailed
	_, err := i.repo.Confirm(t.Context(), b.ID, []bookings.Payment{failed})
	invalidField(t, "Payments[0].Status", err)
	_, err = i.repo.Confirm(t.Context(), "bkg_other", []bookings.Payment{good})
	invalidField(t, "Payments[0].BookingID", err)
	_, err = i.repo.Cancel(t.Context(), "bkg_other", "", []bookings.Refund{refund})
	invalidField(t, "Refunds[0].BookingID", err)
	_, err = i.repo.Payment(t.Context(), "a#b")
	invalidField(t, "BookingID", err)
	_, err = i.repo.PaymentHistory(t.Context(), "a#b")
	invalidField(t, "BookingID", err)
	assert.Empty(t, stop())
	twice := i.repo.CancelOp(b.ID, "", []bookings.Refund{refund, refund})
	invalidField(t, "Refunds[1].ID", i.DB.Write(t.Context(), twice))
	refund.Status = bookings.PaymentFailed
	_, err = i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{refund})
	invalidField(t, "Refunds[0].Status", err)
	refund.Status = ""

	euros := good
	euros.Amount = dynastay.MustMoney("200", "EUR")
	_, err = i.repo.RecordPayment(t.Context(), euros)
	invalidField(t, "Amount", err)
	_, err = i.repo.RecordPayment(t.Context(), charge("bkg_none", "ch_1", "1", bookings.PaymentPaid))
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = i.repo.RecordRefund(t.Context(), refundOf("bkg_none", "re_1", "1", ""))
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = i.repo.RecordRefund(t.Context(), refund)
	assert.ErrorIs(t, err, bookings.ErrNotPaid)
	_, err = i.repo.Payment(t.Context(), b.ID)
	assert.ErrorIs(t, err, dynastay.ErrNotFound, "nothing was written")
}

func invalidField(t testing.TB, field string, err error) {
	t.Helper()
	blame.Invalid(t, err, field)
	assert.NotContains(t, err.Error(), "4242", "a card number is not repeated")
}

// mustQuote quotes a new booking, which must be possible.
func (i *inn) mustQuote(t testing.TB, stay dynastay.Stay, want rooms) *availability.Quote {
	t.Helper()
	q, err := availability.New(i.DB.DB).Quote(t.Context(), i.request(stay, want))
	require.NoError(t, err)
	return q
}

// The document's payment reads as it stands, and becomes a payment of the history with the first refund.
func TestDocumentPayment(t *testing.T) {
	t.Parallel()
	db, _, repo := open(t, 1)
	db.Clock.Set(time.Date(2024, 11, 11, 9, 20, 0, 0, time.UTC))
	for _, name := range []string{"booking.json", "line.json", "payment.json"} {
		raw.Put(t, db, bookingsTable, raw.Document(t, "testdata/"+name))
	}
	item := raw.Document(t, "testdata/payment.json")
	read, err := bookings.PaymentEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	again, err := bookings.PaymentEntity.Item(read)
	require.NoError(t, err)
	assert.Equal(t, plain(t, item), plain(t, again))

	s, err := repo.Payment(t.Context(), "bkg_12345")
	require.NoError(t, err)
	assert.Equal(t, []any{bookings.PaymentStatus("succeeded"), dollarsOf("840"), dollarsOf("0"), dollarsOf("0")}, []any{s.Status, s.Paid, s.Authorized, s.Refunded})
	assert.Equal(t, time.Date(2024, 11, 10, 9, 20, 0, 0, time.UTC), s.At)
	h, err := repo.PaymentHistory(t.Context(), "bkg_12345")
	require.NoError(t, err)
	require.Len(t, h.Payments, 1)
	assert.Equal(t, bookings.PaymentPaid, h.Payments[0].Status)

	same := charge("bkg_12345", "ch_3Abc123DEF456", "840", bookings.PaymentPaid)
	stop := db.Faults.Record()
	_, err = repo.RecordPayment(t.Context(), same)
	require.NoError(t, err)
	assert.Len(t, stop(), 1, "it is known")

	got, err := repo.Cancel(t.Context(), "bkg_12345", "plans changed", []bookings.Refund{{ID: "re_1", Status: bookings.PaymentPending}})
	require.NoError(t, err)
	require.Len(t, got.Refunds, 1)
	assert.Equal(t, dollarsOf("840"), got.Refunds[0].Amount, "more than 48 hours before check-in")
	assert.Equal(t, bookings.PaymentRefunded, got.Booking.PaymentStatus)
	summary := storedItem(t, db, mustKey(t, keys.Payment{BookingID: "bkg_12345"}))
	for name, want := range map[string]any{
		"Status": "refunded", "Amount": float64(840), "PaidAmount": float64(840), "RefundAmount": float64(840),
		"RefundedAt": "2024-11-11T09:20:00Z", "PaidAt": "2024-11-10T09:20:00Z", "CardLast4": "4242", "PaymentId": "pay_67890",
	} {
		assert.Equal(t, want, summary[name], name)
	}
	attempt := storedItem(t, db, mustKey(t, keys.PaymentAttempt{BookingID: "bkg_12345", ProviderTransactionID: "ch_3Abc123DEF456"}))
	assert.Equal(t, []any{"paid", "pay_67890", "2024-11-10T09:18:00Z"}, []any{attempt["Status"], attempt["PaymentId"], attempt["CreatedAt"]})
}

// Summaries that other software stored, with a status that says it all.
func TestForeignPayments(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for _, test := range []struct {
		status   string
		change   func(dynastay.Item)
		recorded []string // paid, authorized and refunded once another payment of 1 is recorded
		refunds  int
	}{
		{"succeeded", nil, []string{"201", "0", "0"}, 0},
		{"paid", nil, []string{"201", "0", "0"}, 0},
		{"authorized", nil, []string{"1", "200", "0"}, 0},
		{"failed", nil, []string{"1", "0", "0"}, 0},
		{"processing", nil, []string{"1", "0", "0"}, 0},
		{"refunded", nil, []string{"201", "0", "200"}, 1},
		{"refunded", func(item dynastay.Item) { item["RefundAmount"] = dynastay.Number(200) }, []string{"201", "0", "200"}, 1},
		{"partially_refunded", func(item dynastay.Item) { item["RefundAmount"] = dynastay.Number(50) }, []string{"201", "0", "50"}, 1},
		{"paid", func(item dynastay.Item) { delete(item, "ProviderTransactionId") }, []string{"201", "0", "0"}, 0},
		{"paid", func(item dynastay.Item) { delete(item, "ProviderTransactionId"); delete(item, "PaymentId") }, []string{"201", "0", "0"}, 0},
	} {
		b := i.book(t, payStay, rooms{"a": 1})
		item := dynastay.Item{
			"EntityType": dynastay.Text("Payment"), "PaymentId": dynastay.Text("pay_1"), "BookingId": dynastay.Text(b.ID),
			"Amount": dynastay.Number(200), "Currency": dynastay.Text("USD"), "ProviderTransactionId": dynastay.Text("ch_1"),
			"Status": dynastay.Text(test.status), "RefundAmount": &types.AttributeValueMemberNULL{Value: true},
			"CreatedAt": dynastay.Text("2026-06-30T09:18:00Z"), "Note": dynastay.Text("of other software"),
		}
		if test.change != nil {
			test.change(item)
		}
		for name, v := range keys.BookingsTable.Key.Of(mustKey(t, keys.Payment{BookingID: b.ID})) {
			item[name] = v
		}
		raw.Put(t, i.DB, bookingsTable, item)
		_, err := i.repo.RecordPayment(t.Context(), charge(b.ID, "ch_2", "1", bookings.PaymentPaid))
		require.NoError(t, err)
		s, err := i.repo.Payment(t.Context(), b.ID)
		require.NoError(t, err)
		var want []dynastay.Money
		for _, amount := range test.recorded {
			want = append(want, dollarsOf(amount))
		}
		assert.Equal(t, want, []dynastay.Money{s.Paid, s.Authorized, s.Refunded}, test.status)
		h, err := i.repo.PaymentHistory(t.Context(), b.ID)
		require.NoError(t, err)
		assert.Len(t, h.Payments, 2, test.status)
		assert.Len(t, h.Refunds, test.refunds, test.status)
		assert.Equal(t, "of other software", storedItem(t, i.DB, mustKey(t, keys.Payment{BookingID: b.ID}))["Note"])
		_, err = i.repo.Cancel(t.Context(), b.ID, "", nil)
		require.NoError(t, err)
	}
}

func mustKey[K any, P interface {
	*K
	Form(*key.Form)
}](t testing.TB, k K) dynastay.Key {
	t.Helper()
	at, err := keys.Of[K, P](k)
	require.NoError(t, err)
	return at
}

// A call under a key is recorded once, also if its response is lost; another call under the key is refused.
func TestKeyedPayments(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, payStay, rooms{"a": 1})
	paid := charge(b.ID, "ch_1", "200", bookings.PaymentPaid)
	for n, call := range []func(key dynastay.Idempotency) (any, error){
		func(key dynastay.Idempotency) (any, error) { return i.repo.RecordPayment(t.Context(), paid, key) },
		func(key dynastay.Idempotency) (any, error) {
			return i.repo.RecordRefund(t.Context(), refundOf(b.ID, "re_1", "10", ""), key)
		},
	} {
		key := dynastay.IdempotencyKey(fmt.Sprint(n))
		i.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		first, err := call(key)
		require.NoError(t, err)
		i.Clock.Advance(time.Hour)
		again, err := call(key)
		require.NoError(t, err)
		assert.Equal(t, first, again)
		other := paid
		other.ProviderTransactionID = "ch_2"
		_, err = i.repo.RecordPayment(t.Context(), other, key)
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}
	h, err := i.repo.PaymentHistory(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Len(t, h.Payments, 1)
	assert.Len(t, h.Refunds, 1)
}
