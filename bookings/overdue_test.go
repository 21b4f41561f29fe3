package bookings_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// overdue returns the times from which a booking is overdue, of which there is at most one, as the list has them.
func (i *inn) overdue(t testing.TB, id string, before time.Time) (since []string) {
	t.Helper()
	for one, err := range i.repo.Overdue(time.Time{}, before).All(t.Context()) {
		require.NoError(t, err)
		if one.BookingID == id {
			since = append(since, one.Since.Format(time.DateTime))
		}
	}
	return since
}

var farAhead = innNoon.AddDate(1, 0, 0)

// bookTerms books two nights of 120 under a plan with terms, on 1 July at noon, from 10 July on.
func (i *inn) bookTerms(t testing.TB, terms payTerms, hold time.Duration) *bookings.Booking {
	t.Helper()
	req := i.requestUnder(twoNights, under{"flex", 1, adults(2)})
	req.RatePlans[0].Payment = terms
	q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest, Hold: hold})
	require.NoError(t, err)
	return b
}

// A booking is in the list while something is due of it, from the moment when it is overdue, and leaves it when that is paid. A
// refund brings it back.
func TestOverdue(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	b := i.bookTerms(t, payTerms{Percent: 25_00, RestDays: 3}, 0)
	assert.Equal(t, innNoon, b.DueAt)
	rest := "2026-07-08 00:00:00" // the end of 7 July

	now := func(due string, since ...string) {
		t.Helper()
		assert.Equal(t, since, i.overdue(t, b.ID, farAhead))
		assert.Equal(t, dollarsOf(due), i.receipt(t, b.ID).DueNow)
		checkDerived(t, i.DB, b.ID, b.Reference)
	}
	pay := func(p bookings.Payment) {
		t.Helper()
		_, err := i.repo.RecordPayment(t.Context(), p)
		require.NoError(t, err)
	}
	now("60", "2026-07-01 12:00:00")
	pay(charge(b.ID, "ch_1", "60", bookings.PaymentAuthorized))
	now("60", "2026-07-01 12:00:00") // an authorization is no payment
	pay(charge(b.ID, "ch_1", "60", bookings.PaymentPaid))
	now("0", rest)
	assert.Empty(t, i.overdue(t, b.ID, time.Date(2026, 7, 8, 0, 0, 0, 0, time.UTC)))
	assert.Len(t, i.overdue(t, b.ID, time.Date(2026, 7, 8, 0, 0, 1, 0, time.UTC)), 1)
	i.Clock.Set(time.Date(2026, 7, 7, 23, 59, 59, 0, time.UTC))
	now("0", rest)
	i.Clock.Advance(time.Second)
	now("180", rest)
	pay(charge(b.ID, "ch_2", "179.99", bookings.PaymentPaid))
	now("0.01", rest)
	pay(charge(b.ID, "ch_3", "0.01", bookings.PaymentPaid))
	now("0")
	got, err := i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Zero(t, got.DueAt)

	refund := refundOf(b.ID, "re_1", "180", bookings.PaymentPending)
	refund.ProviderTransactionID = "ch_2"
	_, err = i.repo.RecordRefund(t.Context(), refund)
	blame.As[*bookings.PaymentError](t, err) // more than the payment
	refund.Amount = dollarsOf("179.99")
	_, err = i.repo.RecordRefund(t.Context(), refund)
	require.NoError(t, err)
	now("179.99", rest)
	refund.Status = bookings.PaymentFailed
	_, err = i.repo.RecordRefund(t.Context(), refund)
	require.NoError(t, err)
	now("0")
}

// Holds are in the list of holds; bookings that have ended in neither.
func TestOverdueFollowsTheStatus(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	due := []string{"2026-07-01 12:00:00"}
	type step struct {
		name string
		do   func(b *bookings.Booking) error
		want []string
	}
	at := func(day, hour int) { i.Clock.Set(time.Date(2026, 7, day, hour, 0, 0, 0, time.UTC)) }
	check := func(b *bookings.Booking, steps ...step) {
		t.Helper()
		for _, s := range steps {
			require.NoError(t, s.do(b), s.name)
			assert.Equal(t, s.want, i.overdue(t, b.ID, farAhead), s.name)
			checkDerived(t, i.DB, b.ID, b.Reference)
			r := i.receipt(t, b.ID)
			live := r.Status == bookings.Confirmed || r.Status == bookings.CheckedIn
			assert.Equal(t, live, r.Instalments != nil, s.name)
			assert.Equal(t, r.Instalments != nil, r.DueNow.IsSet(), s.name)
		}
	}
	terms := payTerms{Percent: 50_00}
	held := i.bookTerms(t, terms, time.Hour)
	assert.Empty(t, i.overdue(t, held.ID, farAhead))
	assert.Equal(t, dollarsOf("120"), i.receipt(t, held.ID).DueNow)
	checkDerived(t, i.DB, held.ID, held.Reference)
	check(held,
		step{"confirm", func(b *bookings.Booking) error {
			_, err := i.repo.Confirm(t.Context(), b.ID, nil)
			return err
		}, due},
		step{"cancel", func(b *bookings.Booking) error {
			_, err := i.repo.Cancel(t.Context(), b.ID, "", nil)
			return err
		}, nil},
	)
	paid := i.bookTerms(t, terms, time.Hour)
	check(paid, step{"confirm with the deposit", func(b *bookings.Booking) error {
		_, err := i.repo.Confirm(t.Context(), b.ID, []bookings.Payment{charge("", "ch_1", "120", bookings.PaymentPaid)})
		return err
	}, nil})
	b := i.bookTerms(t, terms, 0)
	at(12, 0)
	check(b,
		step{"no-show", func(b *bookings.Booking) error {
			at(11, 10)
			_, err := i.repo.NoShow(t.Context(), b.ID)
			return err
		}, nil},
		step{"reinstate", func(b *bookings.Booking) error {
			_, err := i.repo.Reinstate(t.Context(), b.ID)
			return err
		}, due},
		step{"check out", func(b *bookings.Booking) error {
			_, err := i.repo.CheckOut(t.Context(), b.ID)
			return err
		}, nil},
		step{"undo", func(b *bookings.Booking) error {
			_, err := i.repo.UndoCheckOut(t.Context(), b.ID)
			return err
		}, due},
	)
	i.Clock.Set(innNoon)
	lapsed := i.bookTerms(t, terms, time.Minute)
	at(1, 13)
	assert.Nil(t, i.receipt(t, lapsed.ID).Instalments)
	_, err := i.repo.Expire(t.Context(), lapsed.ID)
	require.NoError(t, err)
	assert.Empty(t, i.overdue(t, lapsed.ID, farAhead))
}

// The list reads all shards, in the order of what has been overdue for longest, from one request each.
func TestOverdueReadsAllShards(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	i.repo = bookings.New(i.DB.DB, &bookings.Options{HoldShards: key.Shards{Write: 3, Read: 3}})
	var want, got []string
	shards := map[any]bool{}
	for range 5 {
		i.Clock.Advance(time.Minute)
		b := i.bookTerms(t, payTerms{Percent: 10_00}, 0)
		want = append(want, b.ID)
		shards[storedItem(t, i.DB, keyOf(b.ID))["GSI6PK"]] = true
	}
	require.Greater(t, len(shards), 1)
	spent := i.Measure(func() {
		page, err := i.repo.Overdue(time.Time{}, farAhead).Page(t.Context(), dynastay.Paging{Limit: 10})
		require.NoError(t, err)
		for _, one := range page.Items {
			got = append(got, one.BookingID)
		}
	})
	assert.Equal(t, want, got)
	assert.Equal(t, 3, spent.Requests)
	_, err := i.repo.Overdue(time.Time{}, time.Time{}).Page(t.Context(), dynastay.Paging{Limit: 10})
	assert.Equal(t, "Before", blame.As[*dynastay.InvalidError](t, err).Field)
	_, err = i.repo.Overdue(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC), farAhead).Page(t.Context(), dynastay.Paging{Limit: 10})
	assert.Equal(t, "From", blame.As[*dynastay.InvalidError](t, err).Field)
}

// Only bookings with something due before the arrival have a row in the index. It is written, moved and deleted with them.
func TestCostOfWhatIsDue(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	if !i.Has(dyntest.ExactUnits) {
		t.Log("the engine does not count the units of indexes")
		return
	}
	rows := func(call func()) (units float64) {
		for _, c := range i.Measure(call).Calls {
			for _, u := range c.Usage {
				if u.Index == keys.HoldIndex {
					units += u.WriteUnits
				}
			}
		}
		return units
	}
	assert.Zero(t, rows(func() { i.bookTerms(t, payTerms{}, 0) }))
	var b *bookings.Booking
	assert.Equal(t, 1.0, rows(func() { b = i.bookTerms(t, payTerms{Percent: 50_00, RestDays: 3}, 0) }))
	pay := func(id, amount string) float64 {
		return rows(func() {
			_, err := i.repo.RecordPayment(t.Context(), charge(b.ID, id, amount, bookings.PaymentPaid))
			require.NoError(t, err)
		})
	}
	assert.Zero(t, pay("ch_1", "119"))
	assert.Equal(t, 2.0, pay("ch_2", "1"), "moved")
	assert.Equal(t, 1.0, pay("ch_3", "120"), "deleted")
	assert.Equal(t, 2.0, rows(func() {
		held := i.bookTerms(t, payTerms{Percent: 50_00}, time.Hour)
		_, err := i.repo.Confirm(t.Context(), held.ID, []bookings.Payment{charge("", "ch_1", "120", bookings.PaymentPaid)})
		require.NoError(t, err)
	}), "that of the hold")
}

// Who pays in time is not cancelled, however the two calls meet.
func TestCancelOverdue(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	cancel := func(id string, before time.Time, opts ...dynastay.WriteOption) error {
		_, err := i.repo.CancelOverdue(t.Context(), id, before, "not paid", nil, opts...)
		return err
	}
	refused := func(err, reason error) {
		t.Helper()
		blame.As[*bookings.StatusError](t, err)
		if reason != nil {
			assert.ErrorIs(t, err, reason)
		}
	}
	b := i.bookTerms(t, payTerms{Percent: 50_00}, 0)
	refused(cancel(b.ID, innNoon), bookings.ErrNotOverdue)
	_, err := i.repo.RecordPayment(t.Context(), charge(b.ID, "ch_1", "120", bookings.PaymentPaid))
	require.NoError(t, err)
	refused(cancel(b.ID, farAhead), bookings.ErrNotOverdue)

	free := i.book(t, twoNights, rooms{"b": 1})
	refused(cancel(free.ID, farAhead), bookings.ErrNotOverdue)
	held := i.bookTerms(t, payTerms{Percent: 50_00}, time.Hour)
	refused(cancel(held.ID, farAhead), nil)

	b = i.bookTerms(t, payTerms{Percent: 50_00}, 0)
	key := dynastay.IdempotencyKey("cancel")
	spent := i.Measure(func() { require.NoError(t, cancel(b.ID, innNoon.Add(time.Second), key)) })
	assert.Equal(t, 2, spent.Requests)
	require.NoError(t, cancel(b.ID, innNoon.Add(time.Second), key))
	assert.ErrorIs(t, cancel(b.ID, innNoon.Add(2*time.Second), key), dynastay.ErrIdempotencyMismatch)
	got, err := i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, []any{bookings.Cancelled, "not paid"}, []any{got.Status, got.CancellationReason})

	late := i.bookTerms(t, payTerms{Percent: 50_00}, 0)
	i.Clock.Set(farAhead)
	refused(cancel(late.ID, farAhead), bookings.ErrTooLate)

	outcomes := map[bookings.Status]int{}
	for range 20 {
		i = i.nextWithPlans(t)
		b := i.bookTerms(t, payTerms{Percent: 50_00}, 0)
		var payment, cancelled error
		var both sync.WaitGroup
		both.Go(func() {
			_, payment = i.repo.RecordPayment(t.Context(), charge(b.ID, "ch_1", "120", bookings.PaymentPaid))
		})
		both.Go(func() { cancelled = cancel(b.ID, farAhead) })
		both.Wait()
		for errors.Is(payment, dynastay.ErrContention) {
			_, payment = i.repo.RecordPayment(t.Context(), charge(b.ID, "ch_1", "120", bookings.PaymentPaid))
		}
		for errors.Is(cancelled, dynastay.ErrContention) {
			cancelled = cancel(b.ID, farAhead)
		}
		require.NoError(t, payment, "it is recorded in any case")
		got, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
		require.NoError(t, err)
		if outcomes[got.Status]++; got.Status == bookings.Confirmed {
			refused(cancelled, bookings.ErrNotOverdue)
		} else {
			require.NoError(t, cancelled)
		}
	}
	t.Log(outcomes)
}

// A list from a time leaves out what was due before.
func TestOverdueFromATime(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	i.bookTerms(t, payTerms{Percent: 10_00}, 0)
	i.Clock.Advance(time.Minute)
	b := i.bookTerms(t, payTerms{Percent: 10_00}, 0)
	page, err := i.repo.Overdue(innNoon.Add(time.Minute), farAhead).Page(t.Context(), dynastay.Paging{Limit: 10})
	require.NoError(t, err)
	assert.Equal(t, []bookings.Overdue{{BookingID: b.ID, Since: innNoon.Add(time.Minute)}}, page.Items)
}

// Other terms are another request.
func TestTermsAreAgreed(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	book := func(terms payTerms) error {
		req := i.requestUnder(twoNights, under{"flex", 1, adults(2)})
		req.RatePlans[0].Payment = terms
		q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
		require.NoError(t, err)
		_, err = i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest}, dynastay.IdempotencyKey("book"))
		return err
	}
	require.NoError(t, book(payTerms{Percent: 10_00}))
	require.NoError(t, book(payTerms{Percent: 10_00}))
	for _, other := range []payTerms{{}, {Percent: 100_00}, {Nights: 1}, {Percent: 10_00, RestDays: 1}} {
		assert.ErrorIs(t, book(other), dynastay.ErrIdempotencyMismatch)
	}
}

// Without any payment, too, what is due follows the stay.
func TestDueAtFollowsTheStay(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	b := i.bookTerms(t, payTerms{RestDays: 3}, 0)
	assert.Equal(t, []string{"2026-07-08 00:00:00"}, i.overdue(t, b.ID, farAhead))
	later := dynastay.MustStay("2026-07-12", "2026-07-14")
	m, err := i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(later, under{"flex", 1, adults(2)}))
	require.NoError(t, err)
	done, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, time.Date(2026, 7, 10, 0, 0, 0, 0, time.UTC), done.Booking.DueAt)
	assert.Equal(t, []string{"2026-07-10 00:00:00"}, i.overdue(t, b.ID, farAhead))
}
