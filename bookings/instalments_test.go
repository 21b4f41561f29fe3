package bookings_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

type payTerms = availability.PaymentTerms

// owing is a booking from 10 July on that was made on 1 June at noon, in UTC. Each line has terms and prices of its nights.
func owing(lines ...bookings.Line) *bookings.Booking {
	b := &bookings.Booking{Summary: bookings.Summary{
		ID: "bkg_1", Status: bookings.Confirmed, CreatedAt: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC),
		Stay: dynastay.Stay{CheckIn: dynastay.MustDate("2026-07-10"), CheckOut: dynastay.MustDate("2026-07-10").AddDays(len(lines[0].Nights))},
	}, Lines: lines}
	for _, line := range lines {
		b.Total, _ = b.Total.Add(line.Subtotal)
	}
	b.Breakdown.Rooms = b.Total
	return b
}

// owed is a line of rooms under a plan with terms.
func owed(t payTerms, rooms int, prices ...string) bookings.Line {
	l := bookings.Line{Line: availability.Line{Quantity: rooms, Plan: &availability.RatePlan{ID: "flex", Payment: t}}}
	for i, price := range prices {
		night := availability.NightPrice{Date: dynastay.MustDate("2026-07-10").AddDays(i), Price: dollarsOf(price)}
		l.Nights = append(l.Nights, night)
		l.Subtotal, _ = l.Subtotal.Add(night.Price)
	}
	l.Subtotal, _ = l.Subtotal.Times(rooms)
	return l
}

// inWords is "at_booking 30.00, before_arrival 2026-06-27T00:00:00Z 70.00".
func inWords(all []bookings.Instalment) (words []string) {
	for _, one := range all {
		at := ""
		if one.When == bookings.DueBeforeArrival {
			at = one.DueAt.Format(time.RFC3339) + " "
		}
		words = append(words, fmt.Sprintf("%s %s%s", one.When, at, one.Amount.Amount()))
	}
	return words
}

func TestInstalments(t *testing.T) {
	t.Parallel()
	with := func(b *bookings.Booking, change func(*bookings.Booking)) *bookings.Booking {
		change(b)
		return b
	}
	onDate := func(date string) payTerms {
		return payTerms{Percent: 30_00, RestDays: dynastay.MustDate(date).DaysUntil(dynastay.MustDate("2026-07-10"))}
	}
	for name, test := range map[string]struct {
		booking *bookings.Booking
		want    []string
	}{
		"no terms":        {owing(owed(payTerms{}, 1, "100")), nil},
		"all at booking":  {owing(owed(payTerms{Percent: 100_00}, 1, "100", "80")), []string{"at_booking 180.00"}},
		"a percentage":    {owing(owed(payTerms{Percent: 30_00}, 2, "100")), []string{"at_booking 60.00", "at_property 140.00"}},
		"rounded half up": {owing(owed(payTerms{Percent: 12_50}, 1, "100.20")), []string{"at_booking 12.53", "at_property 87.67"}},
		"rest before the arrival": {
			owing(owed(payTerms{Percent: 30_00, RestDays: 14}, 1, "100")), []string{"at_booking 30.00", "before_arrival 2026-06-27T00:00:00Z 70.00"},
		},
		"only before the arrival": {owing(owed(payTerms{RestDays: 7}, 1, "100")), []string{"before_arrival 2026-07-04T00:00:00Z 100.00"}},
		"the first night":         {owing(owed(payTerms{Nights: 1}, 2, "90", "110")), []string{"at_booking 180.00", "at_property 220.00"}},
		"more nights than the stay has": {
			owing(owed(payTerms{Nights: 3, RestDays: 1}, 1, "90", "110")), []string{"at_booking 200.00"},
		},
		"the first night with its part of the fees": { // 90 + 9/20 of 20
			with(owing(owed(payTerms{Nights: 1}, 1, "90", "110")), func(b *bookings.Booking) {
				b.Breakdown.TaxesAndFees, b.Total = dollarsOf("20"), dollarsOf("220")
			}),
			[]string{"at_booking 99.00", "at_property 121.00"},
		},
		"a free stay with fees": { // half of the nights
			with(owing(owed(payTerms{Nights: 1}, 1, "0", "0")), func(b *bookings.Booking) {
				b.Breakdown.TaxesAndFees, b.Total = dollarsOf("20"), dollarsOf("20")
			}),
			[]string{"at_booking 10.00", "at_property 10.00"},
		},
		"a part of less than a cent": {owing(owed(payTerms{Percent: 1}, 1, "1")), nil},
		"a free line with terms":     {owing(owed(payTerms{Percent: 50_00}, 1, "0"), owed(payTerms{}, 1, "100")), nil},
		"a total that nobody can pay": {
			with(owing(owed(payTerms{Percent: 50_00, RestDays: 14}, 1, "100")), func(b *bookings.Booking) {
				b.Breakdown.Kept, b.Total = dollarsOf("10.005"), dollarsOf("110.009")
			}),
			[]string{"at_booking 60.01", "before_arrival 2026-06-27T00:00:00Z 50.00"},
		},
		"free": {owing(owed(payTerms{Percent: 50_00, RestDays: 3}, 1, "0")), nil},
		"what was kept of an earlier stay": {
			with(owing(owed(payTerms{Percent: 30_00, RestDays: 14}, 1, "100")), func(b *bookings.Booking) {
				b.Breakdown.Kept, b.Total = dollarsOf("25"), dollarsOf("125")
			}),
			[]string{"at_booking 55.00", "before_arrival 2026-06-27T00:00:00Z 70.00"},
		},
		"no terms, and something that was kept": {
			with(owing(owed(payTerms{}, 1, "100")), func(b *bookings.Booking) { b.Breakdown.Kept, b.Total = dollarsOf("25"), dollarsOf("125") }), nil,
		},
		"too late to pay later, on the day":    {owing(owed(onDate("2026-06-01"), 1, "100")), []string{"at_booking 100.00"}},
		"too late to pay later, the day after": {owing(owed(onDate("2026-05-31"), 1, "100")), []string{"at_booking 100.00"}},
		"just in time to pay later": {
			owing(owed(onDate("2026-06-02"), 1, "100")), []string{"at_booking 30.00", "before_arrival 2026-06-03T00:00:00Z 70.00"},
		},
		"lines with different terms": { // of 600: 30 % of 300; the rest of it on 26 June; 200 on 3 July; 100 at the property
			owing(owed(payTerms{Percent: 30_00, RestDays: 14}, 1, "300"), owed(payTerms{RestDays: 7}, 2, "100"), owed(payTerms{}, 1, "100")),
			[]string{"at_booking 90.00", "before_arrival 2026-06-27T00:00:00Z 210.00", "before_arrival 2026-07-04T00:00:00Z 200.00", "at_property 100.00"},
		},
		"lines with the same date": {
			owing(owed(payTerms{Percent: 10_00, RestDays: 14}, 1, "300"), owed(payTerms{RestDays: 14}, 1, "100")),
			[]string{"at_booking 30.00", "before_arrival 2026-06-27T00:00:00Z 370.00"},
		},
		"sums are rounded, not parts": { // 0.50 and 0.50 of a cent, and the rest
			owing(owed(payTerms{Percent: 50_00, RestDays: 14}, 1, "0.01"), owed(payTerms{Percent: 50_00, RestDays: 14}, 1, "0.01")),
			[]string{"at_booking 0.01", "before_arrival 2026-06-27T00:00:00Z 0.01"},
		},
		"yen": {
			with(owing(owed(payTerms{Percent: 33_33}, 1, "100")), func(b *bookings.Booking) {
				yen := dynastay.MustMoney("10001", "JPY")
				b.Total, b.Breakdown.Rooms, b.Lines[0].Subtotal, b.Lines[0].Nights[0].Price = yen, yen, yen, yen
			}),
			[]string{"at_booking 3333", "at_property 6668"},
		},
		"a line of other software": {
			with(owing(owed(payTerms{Percent: 50_00}, 1, "100"), owed(payTerms{}, 1, "100")), func(b *bookings.Booking) {
				b.Lines[1].Plan, b.Lines[1].Nights = nil, nil
			}),
			[]string{"at_booking 50.00", "at_property 150.00"},
		},
		"without the time of the booking": {
			with(owing(owed(onDate("2026-05-01"), 1, "100")), func(b *bookings.Booking) { b.CreatedAt = time.Time{} }),
			[]string{"at_booking 30.00", "before_arrival 2026-05-02T00:00:00Z 70.00"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := test.booking.Instalments()
			require.NoError(t, err)
			assert.Equal(t, test.want, inWords(got))
			var sum dynastay.Money
			for _, one := range got {
				sum, err = sum.Add(one.Amount)
				require.NoError(t, err)
				assert.Equal(t, one.When == bookings.DueAtProperty, one.DueAt.IsZero() && !test.booking.CreatedAt.IsZero())
			}
			if got != nil {
				assert.Equal(t, test.booking.Total.Round(), sum)
			}
		})
	}
}

// A date ends when the property's clock shows the next one. In Santiago, no clock shows midnight on 6 September 2026; on
// Samoa's, 30 December 2011 did not exist.
func TestInstalmentsByTheClockOfTheProperty(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ zone, booked, checkIn, dueAt string }{
		{"America/New_York", "2026-06-01T12:00:00Z", "2026-07-10", "2026-07-04T04:00:00Z"},
		{"Asia/Tokyo", "2026-06-01T12:00:00Z", "2026-07-10", "2026-07-03T15:00:00Z"},
		{"America/Santiago", "2026-06-01T12:00:00Z", "2026-09-12", "2026-09-06T04:00:00Z"},
		{"Pacific/Apia", "2011-06-01T12:00:00Z", "2012-01-05", "2011-12-30T10:00:00Z"},
		// The guest books on 3 July at the property, when it is still 2 July in UTC: all is due at once.
		{"Asia/Tokyo", "2026-07-02T15:00:00Z", "2026-07-10", "2026-07-02T15:00:00Z"},
		{"Asia/Tokyo", "2026-07-02T14:59:59Z", "2026-07-10", "2026-07-03T15:00:00Z"},
	} {
		b := owing(owed(payTerms{RestDays: 7}, 1, "100"))
		var err error
		b.CreatedAt, err = time.Parse(time.RFC3339, test.booked)
		require.NoError(t, err)
		b.TimeZone, b.Stay.CheckIn = test.zone, dynastay.MustDate(test.checkIn)
		b.Stay.CheckOut = b.Stay.CheckIn.AddDays(1)
		got, err := b.Instalments()
		require.NoError(t, err)
		require.Len(t, got, 1)
		assert.Equal(t, test.dueAt, got[0].DueAt.Format(time.RFC3339), "%s %s", test.zone, test.booked)
	}
}

// Other software may have stored what cannot be divided.
func TestInstalmentsOfUnreadableBookings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		field  string
		change func(*bookings.Booking)
	}{
		{"TotalAmount", func(b *bookings.Booking) { b.Total = dynastay.Money{} }},
		{"TotalAmount", func(b *bookings.Booking) { b.Total = dollarsOf("-1") }},
		{"TotalAmount", func(b *bookings.Booking) { b.Breakdown.Kept = dynastay.MustMoney("1", "EUR") }},
		{"PlanRule", func(b *bookings.Booking) { b.Lines[0].Plan.Payment.Percent = 200_00 }},
		{"PlanRule", func(b *bookings.Booking) { b.Lines[0].Plan.Payment.RestDays = -1 }},
		{"PlanRule", func(b *bookings.Booking) {
			b.Lines[0].Plan.Payment = payTerms{Nights: 1}
			b.Lines[0].Nights = append(b.Lines[0].Nights, availability.NightPrice{Price: dollarsOf("-50")})
		}},
		{"PlanRule", func(b *bookings.Booking) {
			b.Lines[0].Plan.Payment = payTerms{Nights: 1}
			b.Lines[0].Nights = append([]availability.NightPrice{{Price: dollarsOf("-50")}}, b.Lines[0].Nights...)
		}},
		{"Subtotal", func(b *bookings.Booking) { b.Lines[1].Subtotal = dynastay.Money{} }},
		{"Subtotal", func(b *bookings.Booking) { b.Lines[1].Subtotal = dynastay.MustMoney("1", "EUR") }},
	} {
		b := owing(owed(payTerms{Percent: 30_00}, 1, "100"), owed(payTerms{}, 1, "50"))
		test.change(b)
		_, err := b.Instalments()
		require.ErrorIs(t, err, dynastay.ErrCorrupt)
		assert.Equal(t, test.field, blame.As[*dynastay.Error](t, err).Field)
		if test.field != "TotalAmount" {
			r, err := b.Receipt(bookings.PaymentHistory{}, innNoon, nil)
			require.NoError(t, err, "the receipt leaves out what is missing")
			assert.Nil(t, r.Instalments)
			assert.Zero(t, r.DueNow)
		}
	}
}

// A page shows what will be due before anything of the guest is known.
func TestInstalmentsOfARequest(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	ask := i.requestUnder(twoNights, under{"flex", 1, adults(2)})
	ask.RatePlans[0].Payment = payTerms{Percent: 25_00}
	q, err := availability.New(i.DB.DB).Quote(t.Context(), ask)
	require.NoError(t, err)
	req := bookings.Request{Quote: q}
	words := func() []string {
		got, err := req.Instalments(innNoon)
		require.NoError(t, err)
		return inWords(got)
	}
	assert.Equal(t, []string{"at_booking 60.00", "at_property 180.00"}, words())
	req.TaxesAndFees, req.Discounts = dollarsOf("10"), dollarsOf("50")
	assert.Equal(t, []string{"at_booking 50.00", "at_property 150.00"}, words())
	req.Discounts = dynastay.MustMoney("1", "EUR")
	_, err = req.Instalments(innNoon)
	blame.Invalid(t, err, "Discounts.Currency")
	for _, amount := range []string{"-1", "250.01", "0.005"} {
		req.Discounts = dollarsOf(amount)
		_, err = req.Instalments(innNoon)
		blame.Invalid(t, err, "Discounts")
	}
	req.Discounts = dollarsOf("250")
	assert.Empty(t, words(), "nothing is left to pay")
	req.TaxesAndFees = dollarsOf("0.001")
	_, err = req.Instalments(innNoon)
	blame.Invalid(t, err, "TaxesAndFees")
	req.Quote = q.Clone()
	req.Quote.Lines = nil
	_, err = req.Instalments(innNoon)
	blame.Invalid(t, err, "Quote.Lines")
	_, err = bookings.Request{}.Instalments(innNoon)
	blame.Invalid(t, err, "Quote")
	req = bookings.Request{Quote: i.quoteCharged(t, twoNights, rooms{"a": 1}, flexible)}
	require.NoError(t, req.Quote.Charge(i.charges(), dollarsOf("20")))
	got, err := req.Instalments(innNoon)
	require.NoError(t, err)
	assert.Empty(t, got, "there are no terms")
	req.Discounts = dollarsOf("50")
	_, err = req.Instalments(innNoon)
	blame.Invalid(t, err, "Quote.Discounts")
	_, err = bookings.Request{Quote: q}.Instalments(time.Time{})
	blame.Invalid(t, err, "At")
	got, err = bookings.Request{Quote: q}.Instalments(innNoon.Add(time.Microsecond).In(time.FixedZone("", 3600)))
	require.NoError(t, err)
	assert.Equal(t, innNoon, got[0].DueAt, "as a booking has it")
}

// No more is due than the guests owe, and what other software refunded beyond the payments is not due twice.
func TestDueNowOfUnusualBookings(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 7, 12, 12, 0, 0, 0, time.UTC)
	due := func(b *bookings.Booking, h bookings.PaymentHistory) string {
		r, err := b.Receipt(h, now, nil)
		require.NoError(t, err)
		for _, one := range r.Instalments {
			assert.GreaterOrEqual(t, one.Paid.Sign(), 0)
		}
		return r.DueNow.Amount()
	}
	late := owing(owed(payTerms{Percent: 100_00}, 1, "100", "100"))
	late.Status, late.Released = bookings.CheckedIn, dynastay.MustStay("2026-07-10", "2026-07-11")
	late.Breakdown.TaxesAndFees, late.Total = dollarsOf("10"), dollarsOf("210")
	nothing := dollarsOf("0")
	late.Charges = &charges.Bill{Added: dollarsOf("10"), Included: nothing, AtProperty: nothing, Deposits: nothing, Entries: []charges.Entry{{
		ID: "city", Name: "City tax", Kind: charges.Tax, Kept: charges.KeptIfStayed, Amount: dollarsOf("10"),
		Lines: []dynastay.Money{dollarsOf("10")}, Nights: []dynastay.Money{dollarsOf("5"), dollarsOf("5")},
	}}}
	assert.Equal(t, "205.00", due(late, bookings.PaymentHistory{}), "the city tax of the first night is not owed")

	b := owing(owed(payTerms{Percent: 30_00}, 1, "100"))
	assert.Equal(t, "30.00", due(b, bookings.PaymentHistory{Refunds: []bookings.Refund{{ID: "re_1", Amount: dollarsOf("5"), Status: bookings.PaymentRefunded}}}))
	paid := bookings.Payment{ProviderTransactionID: "ch_1", Amount: dollarsOf("130"), Status: bookings.PaymentPaid}
	assert.Equal(t, "0.00", due(b, bookings.PaymentHistory{Payments: []bookings.Payment{paid}}), "paid in full, and more")
}
