package bookings_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

// entries are those of a receipt, such as "charge service 9.09".
func entries(r *bookings.Receipt) (all []string) {
	for _, e := range r.Entries {
		all = append(all, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s", e.Kind, e.ID, e.Amount.Amount())), " "))
	}
	return all
}

func taxes(r *bookings.Receipt) (all []string) {
	for _, t := range r.Taxes {
		text := t.ID + " " + t.Amount.Amount()
		if t.Net.IsSet() {
			text += " of " + t.Net.Amount()
		}
		all = append(all, text)
	}
	return all
}

// addsUp checks what holds for every receipt.
func addsUp(t require.TestingT, r *bookings.Receipt) {
	var sum, owed, paid dynastay.Money
	var err error
	for _, e := range r.Entries {
		sum, err = sum.Add(e.Amount)
		require.NoError(t, err)
		if e.Kind == bookings.ReceiptPayment || e.Kind == bookings.ReceiptRefund {
			paid, err = paid.Sub(e.Amount)
		} else {
			owed, err = owed.Add(e.Amount)
		}
		require.NoError(t, err)
	}
	equal := func(want, got dynastay.Money, what string) {
		same, err := want.Compare(got)
		require.NoError(t, err)
		require.Zero(t, same, "%s: %s, %s", what, want, got)
	}
	nothing, err := r.Total.Times(0)
	require.NoError(t, err)
	for _, m := range []*dynastay.Money{&sum, &owed, &paid} {
		if !m.IsSet() {
			*m = nothing
		}
	}
	equal(r.Balance, sum, "balance")
	equal(r.Owed, owed, "owed")
	equal(r.Paid, paid, "paid")
	net := r.Net
	for _, tax := range r.Taxes {
		net, err = net.Add(tax.Amount)
		require.NoError(t, err)
	}
	equal(r.Owed, net, "net and taxes")
}

func (i *inn) receipt(t testing.TB, id string) *bookings.Receipt {
	t.Helper()
	var r *bookings.Receipt
	spent := i.Measure(func() {
		var err error
		r, err = i.repo.Receipt(t.Context(), id)
		require.NoError(t, err)
	})
	require.Equal(t, 1, spent.Requests)
	addsUp(t, r)
	return r
}

// The same booking from the offer to the refund, with every ending.
func TestReceipt(t *testing.T) {
	t.Parallel()
	first := newInn(t)
	parts := []string{"rooms a 200.00", "charge service 9.09", "charge city 4.00", "charge cleaning 30.00"}
	add := func(more ...string) []string { return append(append([]string{}, parts...), more...) }
	for _, test := range []struct {
		name    string
		policy  availability.CancellationPolicy
		end     func(t *testing.T, i *inn, b *bookings.Booking)
		entries []string
		owed    string
		balance string
		taxes   []string
		atHotel int
	}{
		{"unpaid", flexible, nil, parts, "243.09", "243.09", []string{"vat 18.18 of 181.82", "city 4.00"}, 1},
		{"paid", flexible, payAll, add("payment tx -243.09"), "243.09", "0.00", []string{"vat 18.18 of 181.82", "city 4.00"}, 1},
		{
			"cancelled", "partial_50_72h", cancelled,
			add("not_owed -100.00", "not_owed service -4.55", "not_owed city -4.00", "not_owed cleaning -30.00", "payment tx -243.09", "refund re 138.55"),
			"104.54", "0.00", []string{"vat 9.09 of 90.91"}, 0,
		},
		{
			"cancelled for nothing", flexible, cancelled,
			add("not_owed -200.00", "not_owed service -9.09", "not_owed city -4.00", "not_owed cleaning -30.00", "payment tx -243.09", "refund re 243.09"),
			"0.00", "0.00", nil, 0,
		},
		{
			"no-show", none, noShow,
			add("not_owed city -4.00", "not_owed cleaning -30.00", "payment tx -243.09"), "209.09", "-34.00", []string{"vat 18.18 of 181.82"}, 0,
		},
		{
			"left early", none, leftEarly,
			add("not_owed city -2.00", "payment tx -243.09"), "241.09", "-2.00", []string{"vat 18.18 of 181.82", "city 2.00"}, 1,
		},
	} {
		i := first.next(t)
		b := i.bookCharged(t, twoNights, rooms{"a": 1}, test.policy)
		if test.end != nil {
			test.end(t, i, b)
		}
		r := i.receipt(t, b.ID)
		named := strings.NewReplacer("rooms "+i.roomType("a"), "rooms a", "tx_"+b.ID, "tx")
		var got []string
		for _, e := range entries(r) {
			got = append(got, named.Replace(e))
		}
		assert.Equal(t, test.entries, got, test.name)
		assert.Equal(t, test.owed, r.Owed.Amount(), test.name)
		assert.Equal(t, test.balance, r.Balance.Amount(), test.name)
		assert.Equal(t, test.taxes, taxes(r), test.name)
		assert.Len(t, r.AtProperty, test.atHotel, test.name)
		assert.Len(t, r.Deposits, test.atHotel, test.name)
	}
}

func payAll(t *testing.T, i *inn, b *bookings.Booking) { i.pay(t, b) }

func cancelled(t *testing.T, i *inn, b *bookings.Booking) {
	i.pay(t, b)
	_, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{{ID: "re"}})
	require.NoError(t, err)
}

func noShow(t *testing.T, i *inn, b *bookings.Booking) {
	i.pay(t, b)
	i.Clock.Set(b.Stay.CheckOut.Time())
	_, err := i.repo.NoShow(t.Context(), b.ID)
	require.NoError(t, err)
}

func leftEarly(t *testing.T, i *inn, b *bookings.Booking) {
	i.pay(t, b)
	i.Clock.Set(b.Stay.CheckIn.Time().Add(15 * time.Hour))
	_, err := i.repo.CheckIn(t.Context(), b.ID, nil)
	require.NoError(t, err)
	i.Clock.Advance(20 * time.Hour)
	_, err = i.repo.CheckOut(t.Context(), b.ID)
	require.NoError(t, err)
}

// A receipt has a discount, and what a modification keeps; a hold that has ended owes nothing, and gets back what was paid.
func TestReceiptOfOtherBookings(t *testing.T) {
	t.Parallel()
	b := oneNight("2026-07-10", "15:00", "", "")
	b.Status = bookings.Confirmed
	b.Total = dollarsOf("112")
	b.Breakdown = bookings.Breakdown{Rooms: dollarsOf("100"), TaxesAndFees: dollarsOf("12"), Discounts: dollarsOf("20"), Kept: dollarsOf("20")}
	b.Lines, b.PromoCode = []bookings.Line{lineOf("a", "60", flexible), lineOf("b", "40", none)}, "TENTH"
	receipt := func(now time.Time, h bookings.PaymentHistory) *bookings.Receipt {
		r, err := b.Receipt(h, now, nil)
		require.NoError(t, err)
		addsUp(t, r)
		return r
	}
	now := before(48)
	all := []string{"rooms a 60.00", "rooms b 40.00", "discount TENTH -20.00", "fees 12.00", "kept 20.00"}
	assert.Equal(t, all, entries(receipt(now, bookings.PaymentHistory{})))
	b.Lines[1].Subtotal = dollarsOf("41")
	assert.Equal(t, append([]string{"rooms 100.00"}, all[2:]...), entries(receipt(now, bookings.PaymentHistory{})))
	b.Total = dollarsOf("99.99")
	assert.Equal(t, []string{"rooms 99.99"}, entries(receipt(now, bookings.PaymentHistory{})), "the parts do not add up")

	b.Status, b.HoldExpiresAt = bookings.Pending, now
	paid := bookings.PaymentHistory{Payments: []bookings.Payment{
		{ProviderTransactionID: "tx_1", Amount: dollarsOf("10"), Status: "succeeded"},
		{ProviderTransactionID: "tx_2", Amount: dollarsOf("10"), Status: bookings.PaymentAuthorized},
	}, Refunds: []bookings.Refund{
		{ID: "re_1", Amount: dollarsOf("3"), Status: bookings.PaymentPending},
		{ID: "re_2", Amount: dollarsOf("4"), Status: bookings.PaymentFailed},
	}}
	r := receipt(now, paid)
	assert.Equal(t, []string{"rooms 99.99", "not_owed -79.99", "not_owed -20.00", "payment tx_1 -10.00", "refund re_1 3.00"}, entries(r))
	assert.Equal(t, "-7.00", r.Balance.Amount())
	assert.True(t, r.Entries[4].Pending)
	r = receipt(now.Add(-time.Second), paid)
	assert.Equal(t, "92.99", r.Balance.Amount(), "the hold has not ended")

	b.Status, b.CancelledAt, b.Lines[0].CancellationPolicy = bookings.Cancelled, now, "own"
	_, err := b.Receipt(paid, now, nil)
	var unknown *bookings.PolicyError
	require.ErrorAs(t, err, &unknown)
	b.Total = dynastay.Money{}
	_, err = b.Receipt(paid, now, nil)
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	b.Total, b.Status = dynastay.MustMoney("100", "EUR"), bookings.Confirmed
	b.Breakdown = bookings.Breakdown{}
	_, err = b.Receipt(paid, now, nil)
	require.ErrorIs(t, err, dynastay.ErrCorrupt, "payments in another currency")
}

// A receipt says nothing that the settlement does not say.
func TestReceiptOfABookingThatCannotBeSettled(t *testing.T) {
	t.Parallel()
	b := oneNight("2026-07-10", "15:00", "", "")
	b.Total, b.Lines = dollarsOf("100"), []bookings.Line{lineOf("a", "100", flexible)}
	b.Status = bookings.Cancelled
	_, err := b.Receipt(bookings.PaymentHistory{}, before(48), nil)
	require.ErrorIs(t, err, dynastay.ErrCorrupt, "nobody knows when it was cancelled")
	b.CancelledAt, b.Stay.CheckIn = before(48), dynastay.Date{}
	_, err = b.Receipt(bookings.PaymentHistory{}, before(48), nil)
	require.ErrorIs(t, err, dynastay.ErrCorrupt, "nor when its deadline was")

	b = oneNight("2026-07-10", "15:00", "", "")
	b.Total, b.Lines = dollarsOf("100.005"), []bookings.Line{lineOf("a", "100", flexible)}
	b.Status, b.CancelledAt = bookings.Cancelled, before(48)
	r, err := b.Receipt(bookings.PaymentHistory{}, before(48), nil)
	require.NoError(t, err)
	addsUp(t, r)
	assert.Equal(t, "0.00 USD", r.Owed.String())
}
