package bookings_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// paidBooking books two nights for 200 dollars under a policy, and pays for them.
func (i *inn) paidBooking(t testing.TB, policy availability.CancellationPolicy, payments ...bookings.Payment) *bookings.Booking {
	t.Helper()
	req := i.request(payStay, rooms{"a": 1})
	req.Rooms[0].CancellationPolicy, req.Property.CheckInTime = policy, "15:00"
	q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	for _, p := range payments {
		p.BookingID = b.ID
		_, err := i.repo.RecordPayment(t.Context(), p)
		require.NoError(t, err)
	}
	return b
}

// What a cancellation refunds: the amount that the caller says, or what is due by the policy.
func TestCancellationsWithRefunds(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	half := availability.PartialRefund(50, 24)
	whole := []bookings.Payment{charge("", "ch_1", "200", bookings.PaymentPaid)}
	inTwo := []bookings.Payment{charge("", "ch_1", "60", bookings.PaymentPaid), charge("", "ch_2", "140", bookings.PaymentPaid)}
	due := bookings.Refund{ID: "re_1", Status: bookings.PaymentPending}
	of := func(id, payment, amount string) bookings.Refund {
		r := bookings.Refund{ID: id, ProviderTransactionID: payment}
		if amount != "" {
			r.Amount = dollarsOf(amount)
		}
		return r
	}
	for _, test := range []struct {
		name     string
		policy   availability.CancellationPolicy
		payments []bookings.Payment
		refunds  []bookings.Refund
		want     []string // the refunds that are recorded
		status   bookings.PaymentStatus
	}{
		{"free", availability.FreeCancellation(24), whole, []bookings.Refund{due}, []string{"re_1 ch_1 200.00 USD pending"}, bookings.PaymentRefunded},
		{"half", half, whole, []bookings.Refund{due}, []string{"re_1 ch_1 100.00 USD pending"}, bookings.PaymentPartiallyRefunded},
		{"nothing is due", availability.NonRefundable, whole, []bookings.Refund{due}, nil, bookings.PaymentPaid},
		{"goodwill", availability.NonRefundable, whole, []bookings.Refund{of("re_1", "", "20")}, []string{"re_1 ch_1 20.00 USD refunded"}, bookings.PaymentPartiallyRefunded},
		{"goodwill for a policy of the platform", "custom_flexible", whole, []bookings.Refund{of("re_1", "", "20")}, []string{"re_1 ch_1 20.00 USD refunded"}, bookings.PaymentPartiallyRefunded},
		{"nothing was paid", half, nil, []bookings.Refund{due}, nil, bookings.PaymentPending},
		{"only authorized", half, []bookings.Payment{charge("", "ch_1", "200", bookings.PaymentAuthorized)}, []bookings.Refund{due}, nil, bookings.PaymentAuthorized},
		{"a deposit covers what is kept", half, []bookings.Payment{charge("", "ch_1", "60", bookings.PaymentPaid)}, []bookings.Refund{due}, nil, bookings.PaymentPending},
		{
			"from two payments, in the order of the refunds", half, inTwo, []bookings.Refund{of("re_1", "ch_1", ""), of("re_2", "ch_2", "")},
			[]string{"re_1 ch_1 60.00 USD refunded", "re_2 ch_2 40.00 USD refunded"}, bookings.PaymentPartiallyRefunded,
		},
		{
			"from the second one alone", half, inTwo, []bookings.Refund{of("re_2", "ch_2", ""), of("re_1", "ch_1", "")},
			[]string{"re_2 ch_2 100.00 USD refunded"}, bookings.PaymentPartiallyRefunded,
		},
		{
			"an amount counts towards what is due", half, inTwo, []bookings.Refund{of("re_1", "ch_1", "10"), of("re_2", "ch_2", "")},
			[]string{"re_1 ch_1 10.00 USD refunded", "re_2 ch_2 90.00 USD refunded"}, bookings.PaymentPartiallyRefunded,
		},
		{
			"more than is due", half, inTwo, []bookings.Refund{of("re_2", "ch_2", "140"), of("re_1", "ch_1", "")},
			[]string{"re_2 ch_2 140.00 USD refunded"}, bookings.PaymentPartiallyRefunded,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := i.next(t)
			b := i.paidBooking(t, test.policy, test.payments...)
			got, err := i.repo.Cancel(t.Context(), b.ID, "", test.refunds)
			require.NoError(t, err)
			var refunds []string
			for _, r := range got.Refunds {
				refunds = append(refunds, r.ID+" "+r.ProviderTransactionID+" "+r.Amount.String()+" "+string(r.Status))
				assert.Equal(t, b.ID, r.BookingID)
				assert.Equal(t, innNoon, r.CreatedAt)
			}
			assert.Equal(t, test.want, refunds)
			assert.Equal(t, test.status, got.Booking.PaymentStatus)
			assert.Equal(t, bookings.Cancelled, got.Booking.Status)
			assert.Empty(t, i.taken(t))
			h, err := i.repo.PaymentHistory(t.Context(), b.ID)
			require.NoError(t, err)
			assert.ElementsMatch(t, got.Refunds, h.Refunds)
			if test.payments == nil {
				assert.Nil(t, got.Payment)
				return
			}
			assert.Equal(t, [3]bookings.PaymentStatus{test.status, test.status, test.status}, i.paymentStatuses(t, b.ID))
			s, err := i.repo.Payment(t.Context(), b.ID)
			require.NoError(t, err)
			assert.Equal(t, s, got.Payment)
		})
	}
}

// If a refund is refused, the booking is not cancelled, and its rooms are not returned.
func TestRefusedRefundsOfCancellations(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.paidBooking(t, "custom_flexible", charge("", "ch_1", "60", bookings.PaymentPaid), charge("", "ch_2", "140", bookings.PaymentAuthorized))
	for _, test := range []struct {
		refund bookings.Refund
		want   error
	}{
		{bookings.Refund{ID: "re_1", Amount: dollarsOf("61")}, bookings.ErrOverRefund},
		{bookings.Refund{ID: "re_1", Amount: dollarsOf("1"), ProviderTransactionID: "ch_2"}, bookings.ErrNotPaid},
		{bookings.Refund{ID: "re_1", Amount: dynastay.MustMoney("1", "EUR")}, dynastay.ErrInvalid},
	} {
		_, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{test.refund})
		assert.ErrorIs(t, err, test.want)
	}
	_, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{{ID: "re_1"}})
	unknown := blame.As[*bookings.PolicyError](t, err)
	assert.Equal(t, availability.CancellationPolicy("custom_flexible"), unknown.Policy)
	now, err := i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, bookings.Confirmed, now.Status)
	assert.Len(t, i.taken(t), 2)

	// The platform says what its policy means: everything is refunded up to 12 hours before.
	flexible := bookings.New(i.DB.DB, &bookings.Options{Terms: func(p availability.CancellationPolicy) (availability.Terms, bool) {
		return availability.Terms{Percent: 100, Hours: 12}, p == "custom_flexible"
	}})
	got, err := flexible.Cancel(t.Context(), b.ID, "", []bookings.Refund{{ID: "re_1", ProviderTransactionID: "ch_1"}})
	require.NoError(t, err)
	require.Len(t, got.Refunds, 1)
	assert.Equal(t, dollarsOf("60"), got.Refunds[0].Amount)
}

// The amount is that at the moment of the cancellation, also if it is prepared again.
func TestRefundDueAtTheMomentOfTheCancellation(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	deadline := payStay.CheckIn.Time().Add(15*time.Hour - 48*time.Hour)
	for name, test := range map[string]struct {
		at   time.Duration
		want string
	}{"in time": {0, "200"}, "a millisecond late": {time.Millisecond, ""}} {
		t.Run(name, func(t *testing.T) {
			i := i.next(t)
			b := i.paidBooking(t, availability.FreeCancellation(48), charge("", "ch_1", "150", bookings.PaymentPaid))
			i.Clock.Set(deadline.Add(test.at))
			// Another payment arrives between the read and the write: it is refunded as well.
			i.Faults.Inject(dyntest.Before(func(context.Context) {
				_, err := bookings.New(i.Direct, nil).RecordPayment(t.Context(), charge(b.ID, "ch_1", "150", bookings.PaymentPaid))
				assert.NoError(t, err)
				_, err = bookings.New(i.Direct, nil).RecordPayment(t.Context(), charge(b.ID, "ch_2", "50", bookings.PaymentPaid))
				assert.NoError(t, err)
			}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
			got, err := i.repo.Cancel(t.Context(), b.ID, "",
				[]bookings.Refund{{ID: "re_1", ProviderTransactionID: "ch_1"}, {ID: "re_2", ProviderTransactionID: "ch_2"}})
			require.NoError(t, err)
			if test.want == "" {
				assert.Empty(t, got.Refunds)
				assert.Equal(t, bookings.PaymentPaid, got.Booking.PaymentStatus)
				return
			}
			require.Len(t, got.Refunds, 2)
			assert.Equal(t, dollarsOf(test.want), got.Payment.Refunded)
			assert.Equal(t, bookings.PaymentRefunded, got.Booking.PaymentStatus)
		})
	}
}

// What is due is what has been paid, less what is kept and less every refund that counts, once.
func TestDueAfterOtherRefunds(t *testing.T) {
	t.Parallel()
	ctx, inn := t.Context(), newInn(t)
	repo := bookings.New(inn.DB.DB, &bookings.Options{
		Terms: func(availability.CancellationPolicy) (availability.Terms, bool) {
			return availability.Terms{Percent: 100}, true
		},
	})
	b := inn.book(t, dynastay.MustStay("2026-07-02", "2026-07-04"), rooms{"a": 1})
	_, err := repo.RecordPayment(ctx, charge(b.ID, "ch_1", "200", bookings.PaymentPaid))
	require.NoError(t, err)
	earlier := bookings.Refund{ID: "re_1", BookingID: b.ID, Amount: usd("50"), Status: bookings.PaymentPending}
	_, err = repo.RecordRefund(ctx, earlier)
	require.NoError(t, err)

	earlier.Status = bookings.PaymentRefunded
	failed := bookings.Refund{ID: "re_2", BookingID: b.ID, Amount: usd("20"), Status: bookings.PaymentFailed}
	_, err = repo.RecordRefund(ctx, failed)
	require.NoError(t, err)
	refunds := []bookings.Refund{earlier, {ID: "re_3"}}
	c, err := repo.Cancel(ctx, b.ID, "", refunds)
	require.NoError(t, err)
	assert.Empty(t, refunds[1].BookingID, "the caller's slice stays as it is")
	require.Len(t, c.Refunds, 2)
	assert.Equal(t, usd("150"), c.Refunds[1].Amount)
	assert.Equal(t, usd("200"), c.Payment.Refunded)
}

func TestErrorsOfARefundOfWhatIsDue(t *testing.T) {
	t.Parallel()
	ctx, inn := t.Context(), newInn(t)
	repo := bookings.New(inn.DB.DB, &bookings.Options{
		Terms: func(availability.CancellationPolicy) (availability.Terms, bool) {
			return availability.Terms{Percent: 100}, true
		},
	})
	b := inn.book(t, dynastay.MustStay("2026-07-02", "2026-07-04"), rooms{"a": 1})
	for _, id := range []string{"ch_1", "ch_2"} {
		_, err := repo.RecordPayment(ctx, charge(b.ID, id, "100", bookings.PaymentPaid))
		require.NoError(t, err)
	}
	long := strings.Repeat("r", 128) // the id of the second refund does not fit
	_, err := repo.Cancel(ctx, b.ID, "", []bookings.Refund{{ID: long}})
	blame.Invalid(t, err, "Refunds[0].ID")
}
