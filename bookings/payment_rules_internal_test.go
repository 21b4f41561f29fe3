package bookings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
)

var accountTime = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func dollar(n int) dynastay.Money { return dynastay.MustMoney(fmt.Sprint(n), "USD") }

func notice(id string, status PaymentStatus, second int) Payment {
	return Payment{
		ID: "pay_" + id, BookingID: "bkg_1", Provider: "stripe", ProviderTransactionID: id, Method: "credit_card", Amount: dollar(100),
		Status: status, At: accountTime.Add(time.Duration(second) * time.Second), CreatedAt: accountTime,
	}
}

// Of two notifications of a payment, in either order, the later one counts, and a payment that has been made remains
// so.
func TestWhichNotificationCounts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ one, other, want Payment }{
		{notice("a", PaymentPending, 0), notice("a", PaymentAuthorized, 1), notice("a", PaymentAuthorized, 1)},
		{notice("a", PaymentAuthorized, 0), notice("a", PaymentFailed, 1), notice("a", PaymentFailed, 1)},
		{notice("a", PaymentFailed, 0), notice("a", PaymentAuthorized, 1), notice("a", PaymentAuthorized, 1)},
		{notice("a", PaymentFailed, 0), notice("a", PaymentPending, 1), notice("a", PaymentPending, 1)},
		{notice("a", PaymentPaid, 0), notice("a", PaymentFailed, 1), notice("a", PaymentPaid, 0)},
		{notice("a", PaymentPaid, 0), notice("a", PaymentAuthorized, 1), notice("a", PaymentPaid, 0)},
		{notice("a", PaymentPaid, 0), notice("a", PaymentPaid, 1), notice("a", PaymentPaid, 0)},
		{notice("a", PaymentAuthorized, 0), notice("a", PaymentAuthorized, 1), notice("a", PaymentAuthorized, 1)},
		// At the same time, the status that is further counts.
		{notice("a", PaymentPending, 0), notice("a", PaymentFailed, 0), notice("a", PaymentFailed, 0)},
		{notice("a", PaymentFailed, 0), notice("a", PaymentAuthorized, 0), notice("a", PaymentAuthorized, 0)},
		{notice("a", PaymentAuthorized, 0), notice("a", PaymentPaid, 0), notice("a", PaymentPaid, 0)},
	} {
		for _, order := range [][]Payment{{test.one, test.other}, {test.other, test.one}, {test.one, test.other, test.one}} {
			a := &account{bookingID: "bkg_1"}
			for _, p := range order {
				require.NoError(t, a.pay(p))
			}
			assert.Equal(t, []Payment{test.want}, a.payments, "%s at %s and %s at %s", test.one.Status, test.one.At, test.other.Status, test.other.At)
		}
	}
}

// What only one of two notifications contains is kept, whichever comes first. The id and the time of creation are those
// of the first.
func TestNotificationsComplementEachOther(t *testing.T) {
	t.Parallel()
	full, bare := notice("a", PaymentAuthorized, 0), notice("a", PaymentPaid, 1)
	full.Card = Card{"visa", "4242"}
	bare.ID, bare.CreatedAt = "pay_other", accountTime.Add(time.Hour)
	for _, order := range [][]Payment{{full, bare}, {bare, full}} {
		a := &account{}
		for _, p := range order {
			require.NoError(t, a.pay(p))
		}
		want := bare
		want.Card, want.ID, want.CreatedAt = full.Card, order[0].ID, order[0].CreatedAt
		assert.Equal(t, []Payment{want}, a.payments)
	}
}

func TestContradictions(t *testing.T) {
	t.Parallel()
	a := &account{bookingID: "bkg_1"}
	require.NoError(t, a.pay(notice("a", PaymentPaid, 0)))
	require.NoError(t, a.pay(notice("b", PaymentAuthorized, 0)))
	require.NoError(t, a.pay(notice("c", PaymentPaid, 0)))
	refund := func(id, of string, amount int, status PaymentStatus) Refund {
		return Refund{ID: id, BookingID: "bkg_1", ProviderTransactionID: of, Amount: dollar(amount), Status: status, At: accountTime, CreatedAt: accountTime}
	}
	require.NoError(t, a.refund(refund("r", "a", 60, PaymentRefunded)))
	before := account{bookingID: a.bookingID, payments: slices.Clone(a.payments), refunds: slices.Clone(a.refunds)}
	provider, amount := notice("a", PaymentPaid, 0), notice("a", PaymentPaid, 0)
	provider.Provider, amount.Amount = "paypal", dollar(99)
	euro := refund("s", "a", 1, PaymentRefunded)
	euro.Amount = dynastay.MustMoney("1", "EUR")
	for name, test := range map[string]struct {
		do    func() error
		want  error
		left  dynastay.Money
		field string
	}{
		"provider":                  {do: func() error { return a.pay(provider) }, want: ErrPaymentDiffers},
		"amount":                    {do: func() error { return a.pay(amount) }, want: ErrPaymentDiffers},
		"refund's amount":           {do: func() error { return a.refund(refund("r", "a", 50, PaymentRefunded)) }, want: ErrPaymentDiffers},
		"refund's payment":          {do: func() error { return a.refund(refund("r", "c", 60, PaymentRefunded)) }, want: ErrPaymentDiffers},
		"more than is left":         {do: func() error { return a.refund(refund("s", "a", 41, PaymentRefunded)) }, want: ErrOverRefund, left: dollar(40)},
		"requested, more than left": {do: func() error { return a.refund(refund("s", "a", 41, PaymentPending)) }, want: ErrOverRefund, left: dollar(40)},
		"only authorized":           {do: func() error { return a.refund(refund("s", "b", 1, PaymentRefunded)) }, want: ErrNotPaid},
		"unknown payment":           {do: func() error { return a.refund(refund("s", "d", 1, PaymentRefunded)) }, want: ErrNotPaid},
		"one of several":            {do: func() error { return a.refund(refund("s", "", 1, PaymentRefunded)) }, want: dynastay.ErrInvalid, field: "ProviderTransactionID"},
		"currency":                  {do: func() error { return a.refund(euro) }, want: dynastay.ErrInvalid, field: "Amount"},
	} {
		err := test.do()
		assert.ErrorIs(t, err, test.want, name)
		var contradiction *PaymentError
		if errors.As(err, &contradiction) {
			assert.Equal(t, test.left, contradiction.Left, name)
			assert.Equal(t, "bkg_1", contradiction.BookingID, name)
		}
		var invalid *dynastay.InvalidError
		if errors.As(err, &invalid) {
			assert.Equal(t, test.field, invalid.Field, name)
		}
		assert.Equal(t, before, *a, name)
	}
	assert.NoError(t, a.refund(refund("s", "a", 41, PaymentFailed)), "nothing is refunded")
	assert.NoError(t, a.refund(refund("u", "a", 40, PaymentRefunded)), "a failed refund takes nothing")
	assert.NoError(t, a.refund(refund("r", "", 60, PaymentFailed)), "the payment is known")
	assert.NoError(t, a.refund(refund("v", "a", 60, PaymentRefunded)), "the one that has failed is left again")
	assert.EqualError(t, a.refund(refund("w", "a", 1, PaymentRefunded)),
		"cannot record w of booking bkg_1: the refund exceeds what is left of the payment, 0.00 USD")
}

// Whatever the order in which notifications arrive, however often each is repeated, what is recorded is the same, at no
// time more is refunded than was paid, and the sums are those of the payments and refunds. A refused notification is
// delivered again.
func TestTheOrderOfNotificationsDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		payments := rapid.SliceOfN(rapid.Custom(drawNotice), 1, 12).Draw(t, "payments")
		refunds := rapid.SliceOfN(rapid.Custom(drawRefundNotice), 0, 8).Draw(t, "refunds")
		amounts := map[string]dynastay.Money{} // a refund always has the same one
		for i := range refunds {
			if first, there := amounts[refunds[i].ID]; there {
				refunds[i].Amount = first
			}
			amounts[refunds[i].ID] = refunds[i].Amount
		}
		var ends []account
		for range 2 {
			a := &account{bookingID: "bkg_1"}
			var deliver []func() error
			for _, p := range payments {
				deliver = append(deliver, func() error { return a.pay(p) })
			}
			for _, r := range refunds {
				deliver = append(deliver, func() error { return a.refund(r) })
			}
			deliver = slices.Concat(deliver, deliver)
			order := rapid.Permutation(deliver).Draw(t, "order")
			for _, one := range order {
				_ = one() // refused ones are delivered again below
				checkSums(t, a)
			}
			for _, one := range deliver[:len(payments)] {
				require.NoError(t, one())
			}
			slices.SortFunc(a.payments, func(p, other Payment) int { return furthest(p, other) })
			ends = append(ends, *a)
		}
		assert.Equal(t, ends[0].payments, ends[1].payments)
	})
}

func drawNotice(t *rapid.T) Payment {
	p := notice(
		rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id"),
		rapid.SampledFrom([]PaymentStatus{PaymentPending, PaymentAuthorized, PaymentPaid, PaymentFailed}).Draw(t, "status"),
		rapid.IntRange(0, 3).Draw(t, "second"),
	)
	if rapid.Bool().Draw(t, "card") {
		p.Card = Card{"visa", "4242"}
	}
	return p
}

func drawRefundNotice(t *rapid.T) Refund {
	id := rapid.SampledFrom([]string{"r1", "r2", "r3", "r4"}).Draw(t, "id")
	return Refund{
		ID: id, BookingID: "bkg_1", ProviderTransactionID: map[string]string{"r1": "a", "r2": "a", "r3": "b", "r4": "c"}[id],
		Amount: dollar(rapid.IntRange(1, 120).Draw(t, "amount")),
		Status: rapid.SampledFrom([]PaymentStatus{PaymentPending, PaymentRefunded, PaymentFailed}).Draw(t, "status"),
		At:     accountTime.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "second")) * time.Second),
	}
}

// checkSums computes the sums of an account in whole dollars.
func checkSums(t require.TestingT, a *account) {
	if len(a.payments) == 0 {
		return
	}
	paid, refunded, authorized := map[string]int{}, map[string]int{}, 0
	whole := func(m dynastay.Money) int {
		n, err := m.Minor()
		require.NoError(t, err)
		return int(n / 100)
	}
	sum := func(of map[string]int) (n int) {
		for _, k := range slices.Collect(maps.Keys(of)) {
			n += of[k]
		}
		return n
	}
	for _, p := range a.payments {
		if p.Status == PaymentPaid {
			paid[p.ProviderTransactionID] = whole(p.Amount)
		}
		if p.Status == PaymentAuthorized {
			authorized += whole(p.Amount)
		}
	}
	for _, r := range a.refunds {
		if r.Status != PaymentFailed {
			refunded[r.ProviderTransactionID] += whole(r.Amount)
		}
	}
	for id, amount := range refunded {
		require.LessOrEqual(t, amount, paid[id], "refunds of payment %s", id)
	}
	s, err := a.summary(dollar(200))
	require.NoError(t, err)
	require.Equal(t, []int{sum(paid), authorized, sum(refunded)}, []int{whole(s.Paid), whole(s.Authorized), whole(s.Refunded)})
	require.Equal(t, statusOf(sum(paid), authorized, sum(refunded), a), s.Status)
}

// statusOf states the rules once more, for a booking of 200 dollars.
func statusOf(paid, authorized, refunded int, a *account) PaymentStatus {
	if refunded > 0 {
		if paid == refunded {
			return PaymentRefunded
		}
		return PaymentPartiallyRefunded
	}
	if paid >= 200 {
		return PaymentPaid
	}
	if authorized > 0 {
		return PaymentAuthorized
	}
	if paid == 0 {
		last := slices.MaxFunc(a.payments, func(p, other Payment) int {
			if n := p.At.Compare(other.At); n != 0 {
				return n
			}
			if p.ProviderTransactionID > other.ProviderTransactionID {
				return 1
			}
			return -1
		})
		if last.Status == PaymentFailed {
			return PaymentFailed
		}
	}
	return PaymentPending
}
