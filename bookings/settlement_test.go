package bookings_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

const (
	none     = availability.NonRefundable
	flexible = availability.CancellationPolicy("free_cancellation_24h")
	half     = availability.CancellationPolicy("partial_50_72h")
)

// priced returns a booking of lines, with check-in on 10 July 2026 at 15:00 UTC.
func priced(total, currency string, lines ...bookings.Line) *bookings.Booking {
	b := oneNight("2026-07-10", "15:00", "", "")
	b.Total, b.Lines = dynastay.MustMoney(total, dynastay.Currency(currency)), lines
	for i := range b.Lines {
		if amount := b.Lines[i].Subtotal; amount.IsSet() {
			b.Lines[i].Subtotal = dynastay.MustMoney(amount.Amount(), dynastay.Currency(currency))
		}
	}
	return b
}

// before returns the time so many hours before the check-in of a priced booking.
func before(hours int) time.Time {
	return time.Date(2026, 7, 10, 15, 0, 0, 0, time.UTC).Add(-time.Duration(hours) * time.Hour)
}

func TestSettle(t *testing.T) {
	t.Parallel()
	rooms := func(n int, l bookings.Line) bookings.Line { l.Quantity = n; return l }
	for _, test := range []struct {
		name               string
		b                  *bookings.Booking
		paid               string
		hours              int
		kept, refund, owed string
	}{
		{"everything", priced("840.00", "USD", lineOf("a", "750", flexible)), "840", 24, "0.00", "840.00", "0.00"},
		{"too late", priced("840.00", "USD", lineOf("a", "750", flexible)), "840", 23, "840.00", "0.00", "0.00"},
		{"after check-in", priced("840.00", "USD", lineOf("a", "750", flexible)), "840", -1, "840.00", "0.00", "0.00"},
		{"never", priced("840.00", "USD", lineOf("a", "750", none)), "840", 9999, "840.00", "0.00", "0.00"},
		{"half", priced("840.00", "USD", lineOf("a", "750", half)), "840", 72, "420.00", "420.00", "0.00"},
		{"half, too late", priced("840.00", "USD", lineOf("a", "750", half)), "840", 71, "840.00", "0.00", "0.00"},
		{"paid in part", priced("840.00", "USD", lineOf("a", "750", half)), "500", 72, "420.00", "80.00", "0.00"},
		{"paid exactly", priced("840.00", "USD", lineOf("a", "750", half)), "420", 72, "420.00", "0.00", "0.00"},
		{"paid too little", priced("840.00", "USD", lineOf("a", "750", half)), "419.99", 72, "420.00", "0.00", "0.01"},
		{"paid too much", priced("840.00", "USD", lineOf("a", "750", none)), "900", 72, "840.00", "60.00", "0.00"},
		{"nothing paid", priced("840.00", "USD", lineOf("a", "750", none)), "", 72, "840.00", "0.00", "840.00"},
		{"nothing paid or kept", priced("840.00", "USD", lineOf("a", "750", flexible)), "", 72, "0.00", "0.00", "0.00"},
		{"a free stay", priced("0", "USD", lineOf("a", "0", none)), "1", 72, "0.00", "1.00", "0.00"},

		{"two lines", priced("300.00", "USD", lineOf("a", "100", none), lineOf("b", "200", flexible)), "300", 24, "100.00", "200.00", "0.00"},
		{"with fees", priced("330.00", "USD", lineOf("a", "100", none), lineOf("b", "200", flexible)), "330", 24, "110.00", "220.00", "0.00"},
		{"with a discount", priced("270.00", "USD", lineOf("a", "100", none), lineOf("b", "200", flexible)), "270", 24, "90.00", "180.00", "0.00"},
		{"two deadlines, both", priced("300", "USD", lineOf("a", "100", half), lineOf("b", "200", flexible)), "300", 72, "50.00", "250.00", "0.00"},
		{"two deadlines, one", priced("300", "USD", lineOf("a", "100", half), lineOf("b", "200", flexible)), "300", 71, "100.00", "200.00", "0.00"},
		{"two deadlines, none", priced("300", "USD", lineOf("a", "100", half), lineOf("b", "200", flexible)), "300", 23, "300.00", "0.00", "0.00"},
		{"a free line", priced("300", "USD", lineOf("a", "0", none), lineOf("b", "200", flexible)), "300", 24, "0.00", "300.00", "0.00"},

		{"only fees", priced("30", "USD", lineOf("a", "0", none), lineOf("b", "0", flexible)), "30", 24, "15.00", "15.00", "0.00"},
		{"no prices", priced("30", "USD", rooms(2, lineOf("a", "", none)), lineOf("b", "", flexible)), "30", 24, "20.00", "10.00", "0.00"},
		{"no prices or rooms", priced("30", "USD", rooms(0, lineOf("a", "", none)), rooms(-5, lineOf("b", "0", flexible))), "30", 24, "15.00", "15.00", "0.00"},

		{"half a cent", priced("0.01", "USD", lineOf("a", "0.01", half)), "", 72, "0.00", "0.00", "0.00"},
		{"half a yen", priced("101", "JPY", lineOf("a", "101", half)), "101", 72, "50", "51", "0"},
		{"half a fils", priced("0.125", "KWD", lineOf("a", "0.125", half)), "0.125", 72, "0.062", "0.063", "0.000"},
		{"under half a cent", priced("0.01", "USD", lineOf("a", "1", availability.PartialRefund(49, 0))), "", 72, "0.01", "0.00", "0.01"},
		{"halves are rounded together", priced("0.06", "USD", lineOf("a", "1", half), lineOf("b", "1", half)), "", 72, "0.03", "0.00", "0.03"},
		{"thirds", priced("100", "USD", lineOf("a", "1", flexible), lineOf("b", "2", none)), "100", 72, "66.67", "33.33", "0.00"},
		{"one per cent", priced("100", "USD", lineOf("a", "1", availability.PartialRefund(1, 0))), "100", 0, "99.00", "1.00", "0.00"},
		{"a total of a float", priced("0.30000000000000004", "USD", lineOf("a", "1", none)), "0.3", 0, "0.30", "0.00", "0.00"},
		{"a float, refunded", priced("0.29999999999999998", "USD", lineOf("a", "1", flexible)), "0.3", 72, "0.00", "0.30", "0.00"},
	} {
		currency := test.b.Total.Currency()
		var paid dynastay.Money
		if test.paid != "" {
			paid = dynastay.MustMoney(test.paid, currency)
		}
		got, err := test.b.Settle(paid, before(test.hours), nil)
		require.NoError(t, err, test.name)
		money := func(amount string) dynastay.Money { return dynastay.MustMoney(amount, currency) }
		assert.Equal(t, bookings.Settlement{Kept: money(test.kept), Refund: money(test.refund), Owed: money(test.owed)}, got, test.name)
	}
}

// A line without a policy has that of the booking, and so has a booking without lines.
func TestSettleTheBookingsPolicy(t *testing.T) {
	t.Parallel()
	b := priced("300", "USD", lineOf("a", "100", none), lineOf("b", "200", ""))
	b.CancellationPolicy = flexible
	got, err := b.Settle(dynastay.Money{}, before(24), nil)
	require.NoError(t, err)
	assert.Equal(t, "100.00", got.Kept.Amount())
	b.Lines = nil
	got, err = b.Settle(dynastay.Money{}, before(24), nil)
	require.NoError(t, err)
	assert.Equal(t, "0.00", got.Kept.Amount())
	b.CancellationPolicy = half
	got, err = b.Settle(dynastay.Money{}, before(72), nil)
	require.NoError(t, err)
	assert.Equal(t, "150.00", got.Kept.Amount())
}

// The terms of all other policies are the platform's.
func TestSettleOwnPolicies(t *testing.T) {
	t.Parallel()
	own := availability.CustomPolicy("summer")
	for _, policy := range []availability.CancellationPolicy{own, "", "Flexible", "free_cancellation_1.5h", "partial_101_1h"} {
		for _, test := range []struct {
			terms   availability.Terms
			ok      bool
			kept    string
			refused bool
		}{
			{availability.Terms{Percent: 25, Hours: 24}, true, "75.00", false},
			{availability.Terms{Percent: 25, Hours: 25}, true, "100.00", false},
			{availability.Terms{Percent: 0, Hours: 0}, true, "100.00", false},
			{availability.Terms{Percent: 100, Hours: 24}, true, "0.00", false},
			{availability.Terms{Percent: 25, Hours: 24}, false, "", true},
			{availability.Terms{Percent: 101, Hours: 24}, true, "", true},
			{availability.Terms{Percent: -1, Hours: 24}, true, "", true},
			{availability.Terms{Percent: 25, Hours: -1}, true, "", true},
		} {
			b := priced("100", "USD", lineOf("room_1", "100", policy))
			got, err := b.Settle(dynastay.Money{}, before(24), func(p availability.CancellationPolicy) (availability.Terms, bool) {
				assert.Equal(t, policy, p)
				return test.terms, test.ok
			})
			if test.refused {
				unknown := blame.As[*bookings.PolicyError](t, err)
				assert.Equal(t, bookings.PolicyError{BookingID: "bkg_1", RoomTypeID: "room_1", Policy: policy}, *unknown)
				continue
			}
			require.NoError(t, err)
			assert.Equal(t, test.kept, got.Kept.Amount())
		}
		_, err := priced("100", "USD", lineOf("room_1", "100", policy)).Settle(dynastay.Money{}, before(24), nil)
		blame.As[*bookings.PolicyError](t, err)
	}
	never := func(availability.CancellationPolicy) (availability.Terms, bool) {
		assert.Fail(t, "asked for the terms of a policy that package availability defines")
		return availability.Terms{}, false
	}
	_, err := priced("100", "USD", lineOf("a", "1", none), lineOf("b", "1", half), lineOf("c", "1", flexible)).
		Settle(dynastay.Money{}, before(24), never)
	require.NoError(t, err)

	b := priced("100", "USD")
	_, err = b.Settle(dynastay.Money{}, before(24), nil)
	assert.EqualError(t, err, `cannot settle booking bkg_1: its cancellation policy "" has no known terms`)
	b.Lines = []bookings.Line{lineOf("room_1", "1", own)}
	_, err = b.Settle(dynastay.Money{}, before(24), nil)
	assert.EqualError(t, err, `cannot settle booking bkg_1, room type room_1: its cancellation policy "custom_summer" has no known terms`)
}

// Arguments that make no sense are refused by field.
func TestSettleRefusesArguments(t *testing.T) {
	t.Parallel()
	usd := func(amount string) dynastay.Money { return dynastay.MustMoney(amount, "USD") }
	for _, test := range []struct {
		field, reason string
		paid          dynastay.Money
		at            time.Time
	}{
		{"Paid", "must be in USD, the currency of the booking", dynastay.MustMoney("1", "EUR"), before(24)},
		{"Paid", "must be in USD, the currency of the booking", dynastay.MustMoney("0", "EUR"), before(24)},
		{"Paid", "must not be negative", usd("-0.01"), before(24)},
		{"Paid", "must have at most 2 decimal places in USD", usd("0.001"), before(24)},
		{"Paid", "must be smaller", usd("999999999999999999"), before(24)},
		{"At", "is required", usd("1"), time.Time{}},
	} {
		got, err := priced("0.01", "USD", lineOf("a", "1", none)).Settle(test.paid, test.at, nil)
		invalid := blame.Invalid(t, err, test.field, test.reason)
		assert.Equal(t, test.reason, invalid.Reason)
		assert.Zero(t, got)
	}
}

// Items of other software may lack anything.
func TestSettleForeignBookings(t *testing.T) {
	t.Parallel()
	twoLines := func(a, b string) *bookings.Booking {
		return priced("100", "USD", lineOf("a", a, none), lineOf("b", b, none))
	}
	for _, test := range []struct {
		name, field string
		b           *bookings.Booking
		change      func(*bookings.Booking)
	}{
		{"no total", "TotalAmount", twoLines("1", "1"), func(b *bookings.Booking) { b.Total = dynastay.Money{} }},
		{"a negative total", "TotalAmount", twoLines("1", "1"), func(b *bookings.Booking) { b.Total = dynastay.MustMoney("-0.001", "USD") }},
		{"no check-in", "CheckInDate", twoLines("1", "1"), func(b *bookings.Booking) { b.Stay = dynastay.Stay{} }},
		{"a negative subtotal", "Subtotal", twoLines("1", "-1"), nil},
		{"a negative subtotal alone", "Subtotal", priced("100", "USD", lineOf("a", "-1", none)), nil},
		{"one subtotal", "Subtotal", twoLines("1", ""), nil},
		{"one subtotal, the last", "Subtotal", twoLines("", "1"), nil},
		{"another currency", "Subtotal", twoLines("1", "1"), func(b *bookings.Booking) { b.Lines[1].Subtotal = dynastay.MustMoney("1", "EUR") }},
		{"a total of 18 digits", "TotalAmount", twoLines("1", "1"), func(b *bookings.Booking) {
			b.Total = dynastay.MustMoney("999999999999999999", "USD")
			b.Lines[0].CancellationPolicy = availability.PartialRefund(33, 0)
		}},
	} {
		if test.change != nil {
			test.change(test.b)
		}
		got, err := test.b.Settle(dynastay.Money{}, before(24), nil)
		corrupt := blame.As[*dynastay.Error](t, err, test.name)
		assert.ErrorIs(t, err, dynastay.ErrCorrupt)
		assert.Equal(t, test.field, corrupt.Field, test.name)
		assert.Equal(t, "bkg_1", corrupt.ID)
		assert.Zero(t, got)
	}
	_, err := new(bookings.Booking).Settle(dynastay.Money{}, before(24), nil)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)

	unknown, err := dynastay.MoneyOfDigits("100.5", "usd")
	require.NoError(t, err)
	b := priced("1", "USD")
	b.Total, b.CancellationPolicy = unknown, half
	got, err := b.Settle(unknown, before(72), nil)
	require.NoError(t, err)
	assert.Equal(t, "50.25 usd", got.Refund.String())
	b.Total, b.CancellationPolicy = dynastay.MustMoney("999999999999999999", "USD"), none
	got, err = b.Settle(b.Total, before(72), nil)
	require.NoError(t, err)
	assert.Equal(t, b.Total, got.Kept)
}

// Settle changes nothing of the booking.
func TestSettleOnlyReads(t *testing.T) {
	t.Parallel()
	given := func() *bookings.Booking {
		return priced("0.30000000000000004", "USD", lineOf("a", "100", ""), lineOf("b", "200", half))
	}
	b := given()
	b.CancellationPolicy = flexible
	want := given()
	want.CancellationPolicy = flexible
	_, err := b.Settle(dynastay.Money{}, before(72), nil)
	require.NoError(t, err)
	assert.Equal(t, want, b)
}

// The result is that of fractions of whole numbers, never leaves its limits, and never falls as time passes.
func TestSettleRandomly(t *testing.T) {
	t.Parallel()
	for range 20 {
		rapid.Check(t, func(draw *rapid.T) {
			currency := rapid.SampledFrom([]dynastay.Currency{"USD", "JPY", "KWD"}).Draw(draw, "currency")
			money := func(units int64) dynastay.Money {
				m, err := dynastay.MoneyOfMinor(units, currency)
				require.NoError(draw, err)
				return m
			}
			units := rapid.OneOf(rapid.Int64Range(0, 5), rapid.Int64Range(0, 1e9), rapid.Int64Range(0, 1e14))
			total, paid := units.Draw(draw, "total"), units.Draw(draw, "paid")
			b := priced("0", string(currency))
			b.Total = money(total)
			var weights []int64
			priced := rapid.Bool().Draw(draw, "priced")
			for range rapid.IntRange(1, 5).Draw(draw, "lines") {
				l := lineOf("room", "", availability.PartialRefund(rapid.IntRange(0, 100).Draw(draw, "percent"), rapid.IntRange(0, 48).Draw(draw, "hours")))
				l.Quantity = rapid.IntRange(1, 9).Draw(draw, "quantity")
				weight := int64(l.Quantity)
				if priced {
					weight = units.Draw(draw, "subtotal")
					l.Subtotal = money(weight)
				}
				b.Lines, weights = append(b.Lines, l), append(weights, weight)
			}
			sum := func() (n int64) {
				for _, w := range weights {
					n += w
				}
				return n
			}
			if sum() == 0 {
				for i, l := range b.Lines {
					weights[i] = int64(l.Quantity)
				}
			}
			last := int64(math.MinInt64)
			for hours := 49; hours >= -1; hours -= rapid.IntRange(1, 20).Draw(draw, "later") {
				got, err := b.Settle(money(paid), before(hours), nil)
				require.NoError(draw, err)
				refundable := new(big.Int)
				for i, l := range b.Lines {
					if terms, _ := l.CancellationPolicy.Terms(); hours >= terms.Hours && hours >= 0 {
						refundable.Add(refundable, new(big.Int).Mul(big.NewInt(weights[i]), big.NewInt(int64(terms.Percent))))
					}
				}
				refundable.Mul(refundable, big.NewInt(2*total)).Add(refundable, big.NewInt(100*sum())).Quo(refundable, big.NewInt(200*sum()))
				kept := total - refundable.Int64()
				assert.Equal(draw, money(kept), got.Kept)
				assert.True(draw, 0 <= kept && kept <= total && kept >= last)
				assert.Equal(draw, money(max(0, paid-kept)), got.Refund)
				assert.Equal(draw, money(max(0, kept-paid)), got.Owed)
				last = kept
			}
		})
	}
}

// The text of the error shows no e-mail address.
func TestPolicyErrorMasks(t *testing.T) {
	t.Parallel()
	err := error(&bookings.PolicyError{BookingID: "ada@example.com", RoomTypeID: "bo@example.com", Policy: "x@example.com"})
	assert.NotContains(t, err.Error(), "@example.com")
}
