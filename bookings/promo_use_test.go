package bookings_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// code creates an active code.
func (i *inn) code(t testing.TB, p bookings.PromoCode) {
	t.Helper()
	p.Active = true
	_, err := i.repo.CreatePromoCode(t.Context(), p)
	require.NoError(t, err)
}

// promoRequest is for two nights in room type a, which cost 200 dollars.
func (i *inn) promoRequest(t testing.TB, code string) bookings.Request {
	t.Helper()
	return bookings.Request{
		Quote: i.mustQuote(t, payStay, rooms{"a": 1}), UserID: "user_456", Guest: guest, PromoCode: code, TaxesAndFees: dollarsOf("30"),
	}
}

func TestBookingWithACode(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.code(t, bookings.PromoCode{Code: "SUMMER", Percent: 1500, MaxDiscount: dollarsOf("25"), MinAmount: dollarsOf("200"), UsageLimit: 2})
	i.code(t, bookings.PromoCode{Code: "ALL", Amount: dollarsOf("500")})
	req := i.promoRequest(t, " summer ")
	req.Discounts = dollarsOf("25")
	stop := i.Faults.Record()
	b, err := i.repo.Create(t.Context(), req)
	require.NoError(t, err)
	sent := stop()
	require.Len(t, sent, 2)
	assert.Contains(t, string(sent[0].Body), `"ConsistentRead":true`)
	assert.Equal(t, bookings.Breakdown{Rooms: dollarsOf("200"), TaxesAndFees: dollarsOf("30"), Discounts: dollarsOf("25")}, b.Breakdown)
	assert.Equal(t, []any{dollarsOf("205"), "SUMMER", bookings.PaymentPending}, []any{b.Total, b.PromoCode, b.PaymentStatus})
	now, err := i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, b, now)
	assert.Equal(t, 1, usesOf(t, i.DB, "SUMMER"))

	free := i.promoRequest(t, "ALL")
	free.TaxesAndFees = dynastay.Money{}
	nothing, err := i.repo.Create(t.Context(), free)
	require.NoError(t, err)
	assert.Equal(t, []any{dollarsOf("0"), dollarsOf("200"), bookings.PaymentPaid}, []any{nothing.Total, nothing.Breakdown.Discounts, nothing.PaymentStatus})
}

// Each reason refuses the booking: nothing is written, and no use is counted.
func TestCodesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	past, soon := innNoon.Add(-time.Hour), innNoon.Add(time.Hour)
	i.code(t, bookings.PromoCode{Code: "ENDED", Percent: 1000, ValidUntil: past})
	i.code(t, bookings.PromoCode{Code: "SOON", Percent: 1000, ValidFrom: soon})
	i.code(t, bookings.PromoCode{Code: "EUROS", Amount: dynastay.MustMoney("10", "EUR")})
	i.code(t, bookings.PromoCode{Code: "LONG", Percent: 1000, MinAmount: dollarsOf("200.01")})
	i.code(t, bookings.PromoCode{Code: "ONCE", Percent: 1000, UsageLimit: 1})
	i.code(t, bookings.PromoCode{Code: "OFF", Percent: 1000})
	_, err := i.repo.DeactivatePromoCode(t.Context(), "OFF")
	require.NoError(t, err)
	_, err = i.repo.Create(t.Context(), i.promoRequest(t, "ONCE"))
	require.NoError(t, err)
	taken := i.taken(t)
	for code, want := range map[string]error{
		"ENDED": bookings.ErrPromoEnded, "SOON": bookings.ErrPromoNotYet, "EUROS": bookings.ErrPromoCurrency, "LONG": bookings.ErrPromoMinimum,
		"ONCE": bookings.ErrPromoUsedUp, "OFF": bookings.ErrPromoInactive, "NONE": bookings.ErrPromoUnknown,
	} {
		_, err := i.repo.Create(t.Context(), i.promoRequest(t, code))
		assert.ErrorIs(t, err, want, code)
	}
	told := i.promoRequest(t, "ONCE")
	told.PromoCode, told.Discounts = "SUMMER", dollarsOf("19.99")
	i.code(t, bookings.PromoCode{Code: "SUMMER", Percent: 1000})
	_, err = i.repo.Create(t.Context(), told)
	invalidField(t, "Discounts", err)
	assert.EqualError(t, err, "invalid Discounts: must be 20.00 USD, the discount of the promo code")

	stop := i.Faults.Record()
	for field, change := range map[string]func(*bookings.Request){
		"PromoCode": func(r *bookings.Request) { r.PromoCode = " " },
		"Discounts": func(r *bookings.Request) { r.PromoCode, r.Discounts = "", dollarsOf("1") },
	} {
		req := told
		change(&req)
		_, err := i.repo.Create(t.Context(), req)
		invalidField(t, field, err)
	}
	assert.Empty(t, stop())
	assert.Equal(t, taken, i.taken(t))
	assert.Equal(t, []int{1, 0, 0}, []int{usesOf(t, i.DB, "ONCE"), usesOf(t, i.DB, "SUMMER"), usesOf(t, i.DB, "LONG")})
}

// The code changes between the read and the write: the booking is decided by what it is then.
func TestCodesThatChangeMeanwhile(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for name, test := range map[string]struct {
		code   bookings.PromoCode
		change func(other *bookings.Repository)
		want   error
	}{
		"deactivated": {bookings.PromoCode{Code: "A", Percent: 1000}, func(other *bookings.Repository) {
			_, err := other.DeactivatePromoCode(t.Context(), "A")
			assert.NoError(t, err)
		}, bookings.ErrPromoInactive},
		"used up": {bookings.PromoCode{Code: "B", Percent: 1000, UsageLimit: 1}, func(other *bookings.Repository) {
			_, err := other.Create(t.Context(), i.promoRequest(t, "B"))
			assert.NoError(t, err)
		}, bookings.ErrPromoUsedUp},
		"used, but not up": {bookings.PromoCode{Code: "C", Percent: 1000, UsageLimit: 2}, func(other *bookings.Repository) {
			_, err := other.Create(t.Context(), i.promoRequest(t, "C"))
			assert.NoError(t, err)
		}, nil},
		"deactivated and activated": {bookings.PromoCode{Code: "D", Percent: 1000}, func(other *bookings.Repository) {
			_, err := other.DeactivatePromoCode(t.Context(), "D")
			assert.NoError(t, err)
			_, err = other.ActivatePromoCode(t.Context(), "D")
			assert.NoError(t, err)
		}, nil},
	} {
		i := i.next(t)
		i.code(t, test.code)
		other := bookings.New(i.Direct, nil)
		i.Faults.Inject(dyntest.Before(func(context.Context) { test.change(other) }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		_, err := i.repo.Create(t.Context(), i.promoRequest(t, test.code.Code))
		if test.want == nil {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorIs(t, err, test.want, name)
		}
	}
	assert.Equal(t, []int{0, 1, 2, 1}, []int{usesOf(t, i.DB, "A"), usesOf(t, i.DB, "B"), usesOf(t, i.DB, "C"), usesOf(t, i.DB, "D")})
}

// A cancellation and the end of a hold return the use once; a no-show and a departure do not.
func TestUsesAreReturned(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.code(t, bookings.PromoCode{Code: "SUMMER", Percent: 1000})
	book := func(hold time.Duration) *bookings.Booking {
		req := i.promoRequest(t, "SUMMER")
		req.Hold = hold
		b, err := i.repo.Create(t.Context(), req)
		require.NoError(t, err)
		return b
	}
	cancelled, expired, missed, left := book(0), book(time.Minute), book(0), book(0)
	require.Equal(t, 4, usesOf(t, i.DB, "SUMMER"))
	for range 2 {
		_, _ = i.repo.Cancel(t.Context(), cancelled.ID, "", nil) // the second time it fails
	}
	assert.Equal(t, 3, usesOf(t, i.DB, "SUMMER"))
	i.Clock.Advance(time.Hour)
	_, err := i.repo.Expire(t.Context(), expired.ID)
	require.NoError(t, err)
	assert.Equal(t, 2, usesOf(t, i.DB, "SUMMER"))
	i.Clock.Set(payStay.CheckIn.Time().Add(12 * time.Hour))
	_, err = i.repo.CheckIn(t.Context(), left.ID, nil)
	require.NoError(t, err)
	_, err = i.repo.CheckOut(t.Context(), left.ID)
	require.NoError(t, err)
	i.Clock.Advance(12 * time.Hour)
	_, err = i.repo.NoShow(t.Context(), missed.ID)
	require.NoError(t, err)
	_, err = i.repo.Release(t.Context(), missed.ID)
	require.NoError(t, err)
	assert.Equal(t, 2, usesOf(t, i.DB, "SUMMER"))
}

// A booking can be cancelled whatever has become of its code, and of a night. What cannot be returned is left out.
func TestUsesThatCannotBeReturned(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	key := func(code string) dynastay.Key { return mustKey(t, keys.PromoCode{Code: code}) }
	for code, change := range map[string]func(){
		"GONE": func() { raw.Delete(t, i.DB, keys.MetadataTable, key("GONE")) },
		"ZERO": func() { raw.Set(t, i.DB, keys.MetadataTable, key("ZERO"), dynastay.Number(0), "UsageCount") },
		"NULL": func() {
			raw.Set(t, i.DB, keys.MetadataTable, key("NULL"), &types.AttributeValueMemberNULL{Value: true}, "UsageCount")
		},
		"BOTH": func() { remove(t, i.DB, nightKey(i.roomType("a"), payStay.CheckIn)) },
	} {
		i.code(t, bookings.PromoCode{Code: code, Percent: 1000})
		b, err := i.repo.Create(t.Context(), i.promoRequest(t, code))
		require.NoError(t, err)
		change()
		got, err := i.repo.Cancel(t.Context(), b.ID, "", nil)
		require.NoError(t, err, code)
		assert.Equal(t, code == "BOTH", len(got.Missing) == 1, code)
		if code != "GONE" {
			assert.Equal(t, 0, usesOf(t, i.DB, code), code)
		}
		i.open(t)
	}
	row, err := i.Direct.Get(t.Context(), keys.MetadataTable, key("GONE"), dynastay.Consistent)
	require.NoError(t, err)
	assert.False(t, row.Exists(), "a code that was deleted is not created again")
}

// Other software may have stored the count as NULL, or not at all.
func TestForeignCounts(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	item := raw.Document(t, "testdata/promo_code.json")
	delete(item, "MinBookingAmount")
	delete(item, "MaxDiscountAmount")
	delete(item, "ValidUntil")
	for _, count := range []types.AttributeValue{&types.AttributeValueMemberNULL{Value: true}, nil, dynastay.Number(234)} {
		item["UsageCount"] = count
		if count == nil {
			delete(item, "UsageCount")
		}
		raw.Put(t, i.DB, keys.MetadataTable, item)
		before := usesOf(t, i.DB, "SUMMER2024")
		b, err := i.repo.Create(t.Context(), i.promoRequest(t, "summer2024"))
		require.NoError(t, err)
		assert.Equal(t, dollarsOf("30"), b.Breakdown.Discounts)
		assert.Equal(t, before+1, usesOf(t, i.DB, "SUMMER2024"))
		_, err = i.repo.Cancel(t.Context(), b.ID, "", nil)
		require.NoError(t, err)
		assert.Equal(t, before, usesOf(t, i.DB, "SUMMER2024"))
	}
}

// A modification keeps the use of its code, and computes the discount anew; another code returns one use and takes one.
func TestModificationsWithCodes(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.code(t, bookings.PromoCode{Code: "OLD", Percent: 1000, MinAmount: dollarsOf("150"), UsageLimit: 1})
	i.code(t, bookings.PromoCode{Code: "NEW", Amount: dollarsOf("50")})
	i.code(t, bookings.PromoCode{Code: "FULL", Amount: dollarsOf("50"), UsageLimit: 1})
	_, err := i.repo.Create(t.Context(), i.promoRequest(t, "FULL"))
	require.NoError(t, err)
	req := i.promoRequest(t, "OLD")
	req.TaxesAndFees = dynastay.Money{}
	b, err := i.repo.Create(t.Context(), req)
	require.NoError(t, err)
	_, err = i.repo.RecordPayment(t.Context(), charge(b.ID, "ch_1", "180", bookings.PaymentPaid))
	require.NoError(t, err)
	_, err = i.repo.DeactivatePromoCode(t.Context(), "OLD")
	require.NoError(t, err)
	longer, shorter := dynastay.MustStay("2026-07-05", "2026-07-08"), dynastay.MustStay("2026-07-05", "2026-07-06")
	uses := func() []int { return []int{usesOf(t, i.DB, "OLD"), usesOf(t, i.DB, "NEW"), usesOf(t, i.DB, "FULL")} }
	code := func(text string) func(*bookings.Modification) {
		return func(m *bookings.Modification) { m.PromoCode, m.Discounts = &text, dynastay.Money{} }
	}
	for _, step := range []struct {
		name      string
		stay      dynastay.Stay // the zero Stay for no quote
		change    func(*bookings.Modification)
		want      error
		discounts string
		status    bookings.PaymentStatus
		code      string
		uses      []int
	}{
		{name: "longer, the code is deactivated, but the booking has its use", stay: longer, discounts: "30", status: bookings.PaymentPending, code: "OLD", uses: []int{1, 0, 1}},
		{name: "shorter, below the minimum", stay: shorter, discounts: "0", status: bookings.PaymentPaid, code: "OLD", uses: []int{1, 0, 1}},
		{name: "again above it", stay: payStay, discounts: "20", status: bookings.PaymentPaid, code: "OLD", uses: []int{1, 0, 1}},
		{name: "a code that is used up", change: code("FULL"), want: bookings.ErrPromoUsedUp, discounts: "20", status: bookings.PaymentPaid, code: "OLD", uses: []int{1, 0, 1}},
		{name: "an unknown code", change: code("NONE"), want: bookings.ErrPromoUnknown, discounts: "20", status: bookings.PaymentPaid, code: "OLD", uses: []int{1, 0, 1}},
		{name: "the same code in another spelling", change: code("old"), discounts: "20", status: bookings.PaymentPaid, code: "OLD", uses: []int{1, 0, 1}},
		{name: "another code and a longer stay", stay: longer, change: code("new"), discounts: "50", status: bookings.PaymentPending, code: "NEW", uses: []int{0, 1, 1}},
		{name: "the old code, which is not active", change: code("OLD"), want: bookings.ErrPromoInactive, discounts: "50", status: bookings.PaymentPending, code: "NEW", uses: []int{0, 1, 1}},
		{name: "no code", change: code(""), discounts: "0", status: bookings.PaymentPending, code: "", uses: []int{0, 0, 1}},
		{name: "still no code, as the guest was told", change: func(m *bookings.Modification) { code("")(m); m.Discounts = dollarsOf("0") },
			discounts: "0", status: bookings.PaymentPending, code: "", uses: []int{0, 0, 1}},
		{name: "no code, but a discount", change: func(m *bookings.Modification) { code("")(m); m.Discounts = dollarsOf("1") },
			want: dynastay.ErrInvalid, discounts: "0", status: bookings.PaymentPending, code: "", uses: []int{0, 0, 1}},
		{name: "a code for a booking without one", change: code("NEW"), discounts: "50", status: bookings.PaymentPending, code: "NEW", uses: []int{0, 1, 1}},
		{name: "another discount than the guest was told", stay: shorter, change: func(m *bookings.Modification) { m.Discounts = dollarsOf("49") },
			want: dynastay.ErrInvalid, discounts: "50", status: bookings.PaymentPending, code: "NEW", uses: []int{0, 1, 1}},
		{name: "a discount of all that there is", stay: shorter, discounts: "50", status: bookings.PaymentPaid, code: "NEW", uses: []int{0, 1, 1}},
	} {
		now, err := i.repo.Get(t.Context(), b.ID)
		require.NoError(t, err)
		m := bookings.Modification{BookingID: b.ID, Version: now.Version}
		if step.stay != (dynastay.Stay{}) {
			m = i.quote(t, b.ID, step.stay, rooms{"a": 1})
			if step.change == nil {
				assert.Equal(t, dollarsOf(step.discounts), m.Discounts, step.name)
			}
		}
		if step.change != nil {
			step.change(&m)
		}
		got, err := i.repo.Modify(t.Context(), m)
		if step.want != nil {
			require.ErrorIs(t, err, step.want, step.name)
		} else {
			require.NoError(t, err, step.name)
			now, err = i.repo.Get(t.Context(), b.ID)
			require.NoError(t, err)
			assert.Equal(t, now, got.Booking, step.name)
		}
		assert.Equal(t, []any{dollarsOf(step.discounts), step.code}, []any{now.Breakdown.Discounts, now.PromoCode}, step.name)
		sum, err := now.Breakdown.Rooms.Sub(now.Breakdown.Discounts)
		require.NoError(t, err)
		assert.Equal(t, sum, now.Total, step.name)
		assert.Equal(t, [3]bookings.PaymentStatus{step.status, step.status, step.status}, i.paymentStatuses(t, b.ID), step.name)
		assert.Equal(t, step.uses, uses(), step.name)
	}
	_, err = i.repo.Modify(t.Context(), bookings.Modification{BookingID: b.ID, Discounts: dollarsOf("1"), Guest: &guest})
	invalidField(t, "Discounts", err)
	blank := " "
	_, err = i.repo.Modify(t.Context(), bookings.Modification{BookingID: b.ID, PromoCode: &blank})
	invalidField(t, "PromoCode", err)
}

// A modification that takes a code and one that drops it, of two bookings, meet while others want the code.
func TestModificationsRaceForACode(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	const uses = 5
	i.code(t, bookings.PromoCode{Code: "FIVE", Percent: 1000, UsageLimit: uses})
	patient := dynastay.Options{Retry: dynastay.Retry{Attempts: 200}}
	repos := []*bookings.Repository{bookings.New(i.Open(&patient), nil), bookings.New(i.Open(&patient), nil)}
	var all []*bookings.Booking
	for n := range 15 {
		stay := dynastay.MustStay("2026-07-02", "2026-07-03")
		stay.CheckIn, stay.CheckOut = stay.CheckIn.AddDays(n), stay.CheckOut.AddDays(n)
		all = append(all, i.book(t, stay, rooms{"b": 1}))
	}
	i.Faults.Conflicts(time.Millisecond)
	with, without := "five", ""
	for range 3 {
		racing.Together(len(all), func(n int) {
			b, err := i.repo.Get(context.Background(), all[n].ID, dynastay.Consistent)
			if !assert.NoError(t, err) {
				return
			}
			m := bookings.Modification{BookingID: b.ID, Version: b.Version, PromoCode: &with}
			if b.PromoCode != "" && n%2 == 0 {
				m.PromoCode = &without
			}
			_, err = repos[n%2].Modify(context.Background(), m)
			var refused *bookings.PromoError
			if err != nil && !assert.ErrorAs(t, err, &refused) {
				t.Log(err)
			}
		})
		have := 0
		for _, b := range all {
			now, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
			require.NoError(t, err)
			if now.PromoCode != "" {
				have++
				assert.NotEqual(t, 0, now.Breakdown.Discounts.Sign())
			}
		}
		assert.Equal(t, have, usesOf(t, i.DB, "FIVE"))
		assert.LessOrEqual(t, have, uses)
	}
}

// A guest who is told that there is no discount, or no discount any more, is told the truth.
func TestToldThatThereIsNoDiscount(t *testing.T) {
	t.Parallel()
	ctx, inn := t.Context(), newInn(t)
	_, err := inn.repo.CreatePromoCode(ctx, bookings.PromoCode{Code: "LONG", Amount: usd("30"), MinAmount: usd("200"), Active: true})
	require.NoError(t, err)
	stay, shorter := dynastay.MustStay("2026-07-02", "2026-07-04"), dynastay.MustStay("2026-07-02", "2026-07-03")
	q, err := availability.New(inn.DB.DB).Quote(ctx, inn.request(stay, rooms{"a": 1}))
	require.NoError(t, err)
	b, err := inn.repo.Create(ctx, bookings.Request{Quote: q, UserID: "user_1", Guest: bookings.Guest{FirstName: "A", LastName: "B", Email: "a@example.com"}, PromoCode: "long"})
	require.NoError(t, err)
	require.Equal(t, usd("30"), b.Breakdown.Discounts)

	m, err := inn.repo.QuoteModification(ctx, b.ID, inn.request(shorter, rooms{"a": 1}))
	require.NoError(t, err)
	require.Equal(t, usd("0"), m.Discounts)
	got, err := inn.repo.Modify(ctx, m)
	require.NoError(t, err)
	assert.Equal(t, usd("100"), got.Booking.Total)
	assert.Equal(t, "LONG", got.Booking.PromoCode)

	none := ""
	got, err = inn.repo.Modify(ctx, bookings.Modification{BookingID: b.ID, Version: got.Booking.Version, PromoCode: &none, Discounts: usd("0")})
	require.NoError(t, err)
	assert.Empty(t, got.Booking.PromoCode)
	assert.Equal(t, usd("0"), got.Booking.Breakdown.Discounts)
}
