package bookings_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// charges are those of an inn, one for each rule by which they are kept.
func (i *inn) charges() *charges.List {
	lodging := []charges.Component{charges.Lodging}
	return &charges.List{PropertyID: i.id, Charges: []charges.Charge{
		{ID: "vat", Name: "VAT", Kind: charges.Tax, Rate: 10_0000, Per: charges.PerNight, Of: lodging, Included: true},
		{ID: "service", Name: "Service", Kind: charges.Fee, Rate: 5_0000, Per: charges.PerNight, Of: lodging},
		{ID: "city", Name: "City tax", Kind: charges.Tax, Amount: dollarsOf("2"), Per: charges.PerGuestNight, Kept: charges.KeptIfStayed},
		{ID: "cleaning", Name: "Cleaning", Kind: charges.Fee, Amount: dollarsOf("30"), Per: charges.PerStay, Kept: charges.NeverKept},
		{ID: "resort", Name: "Resort fee", Kind: charges.Fee, Amount: dollarsOf("5"), Per: charges.PerNight, AtProperty: true},
		{ID: "deposit", Name: "Deposit", Kind: charges.Deposit, Amount: dollarsOf("100"), Per: charges.PerStay, AtProperty: true},
	}}
}

// requestCharged asks for rooms with the charges of the inn and a policy.
func (i *inn) requestCharged(stay dynastay.Stay, want rooms, policy availability.CancellationPolicy) availability.QuoteRequest {
	req := i.request(stay, want)
	req.Charges = i.charges()
	for n := range req.Rooms {
		req.Rooms[n].CancellationPolicy = policy
	}
	return req
}

func (i *inn) quoteCharged(t testing.TB, stay dynastay.Stay, want rooms, policy availability.CancellationPolicy) *availability.Quote {
	t.Helper()
	q, err := availability.New(i.DB.DB).Quote(t.Context(), i.requestCharged(stay, want, policy))
	require.NoError(t, err)
	return q
}

func (i *inn) bookCharged(t testing.TB, stay dynastay.Stay, want rooms, policy availability.CancellationPolicy) *bookings.Booking {
	t.Helper()
	q := i.quoteCharged(t, stay, want, policy)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	return b
}

// pay records a payment of the whole total.
func (i *inn) pay(t testing.TB, b *bookings.Booking) {
	t.Helper()
	_, err := i.repo.RecordPayment(t.Context(), bookings.Payment{
		BookingID: b.ID, Provider: "acme", ProviderTransactionID: "tx_" + b.ID, Amount: b.Total, Status: bookings.PaymentPaid,
		Method: "card",
	})
	require.NoError(t, err)
}

// amounts are those of the entries of a bill, such as "vat 18.18".
func amountsOf(b *charges.Bill) (all []string) {
	for _, e := range b.Entries {
		all = append(all, e.ID+" "+e.Amount.Amount())
	}
	return all
}

var twoNights = dynastay.MustStay("2026-07-10", "2026-07-12")

// Of 200 for two nights, 200/11 is VAT; the service is 5 % of the rest. What is added is paid with the booking, and what is due at
// the property is in no total.
func TestCreateWithCharges(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	q := i.quoteCharged(t, twoNights, rooms{"a": 1}, flexible)
	pays, err := q.GuestPays()
	require.NoError(t, err)
	assert.Equal(t, "243.09 USD", pays.String())
	var b *bookings.Booking
	spent := i.Measure(func() {
		b, err = i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	})
	require.NoError(t, err)
	assert.Equal(t, 1, spent.Requests)
	assert.Equal(t, pays, b.Total)
	assert.Equal(t, bookings.Breakdown{Rooms: dollarsOf("200"), TaxesAndFees: dollarsOf("43.09"), Discounts: dollarsOf("0")}, b.Breakdown)
	assert.Equal(t, q.Charges, b.Charges)
	assert.Equal(t, []string{"vat 18.18", "service 9.09", "city 4.00", "cleaning 30.00", "resort 10.00", "deposit 100.00"}, amountsOf(b.Charges))
	got, err := i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, b, got)
	assert.Equal(t, "10.00 USD", got.Charges.AtProperty.String())
	assert.Equal(t, "100.00 USD", got.Charges.Deposits.String())
}

// Each room type has its part of each charge, in the order of the booking's lines, also after it was read.
func TestChargesOfSeveralLines(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.bookCharged(t, twoNights, rooms{"c": 1, "a": 2, "b": 1}, flexible)
	got, err := i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, b, got)
	city := got.Charges.Entries[2]
	assert.Equal(t, "16.00 USD", city.Amount.String())
	assert.Equal(t, []dynastay.Money{dollarsOf("7.10"), dollarsOf("5.34"), dollarsOf("3.56")}, city.Lines,
		"who stays in which room is not known, so the parts are as the prices, 200 : 150.50 : 100")
	assert.Equal(t, []dynastay.Money{dollarsOf("8"), dollarsOf("8")}, city.Nights)
}

// An empty list is different from none: what it says is that the property has no charges.
func TestEmptyListOfCharges(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	req := i.request(twoNights, rooms{"a": 1})
	req.Charges = &charges.List{PropertyID: i.id}
	q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	got, err := i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, b, got)
	require.NotNil(t, got.Charges)
	assert.Empty(t, got.Charges.Entries)
	assert.Equal(t, "200.00 USD", got.Total.String())
}

// Each charge is settled by its rule: the price with the VAT and the service by the policy, the city tax and the cleaning never.
func TestSettleCharges(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for _, test := range []struct {
		name   string
		policy availability.CancellationPolicy
		kept   string
	}{
		{"free", flexible, "0.00"},
		{"half", "partial_50_72h", "104.54"}, // 100 of the rooms, and 9.09 less half of it, 4.55
		{"not refundable", none, "209.09"},
	} {
		b := i.bookCharged(t, twoNights, rooms{"a": 1}, test.policy)
		i.pay(t, b)
		c, err := i.repo.Cancel(t.Context(), b.ID, "", nil)
		require.NoError(t, err)
		refund, err := b.Total.Sub(dollarsOf(test.kept))
		require.NoError(t, err)
		assert.Equal(t, refund, c.Due, test.name)
		assert.Equal(t, b.Charges, c.Booking.Charges, "%s: the charges stay", test.name)
	}
}

// A no-show owes the nights, but neither the city tax nor the cleaning.
func TestNoShowWithCharges(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.bookCharged(t, twoNights, rooms{"a": 1}, flexible)
	i.pay(t, b)
	i.Clock.Set(twoNights.CheckOut.Time())
	_, err := i.repo.NoShow(t.Context(), b.ID)
	require.NoError(t, err)
	done, err := i.repo.RefundDue(t.Context(), bookings.Refund{ID: "re_1", BookingID: b.ID, Status: bookings.PaymentPending})
	require.NoError(t, err)
	require.Len(t, done.Refunds, 1)
	assert.Equal(t, "34.00 USD", done.Refunds[0].Amount.String())
}

// Guests who leave early owe the city tax of the nights that they stayed, and the cleaning.
func TestEarlyDepartureWithCharges(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	stay := dynastay.MustStay("2026-07-10", "2026-07-14")
	for _, test := range []struct {
		leaves int // days after the check-in
		due    string
	}{{0, "8.00"}, {1, "6.00"}, {3, "2.00"}, {4, "0.00"}} {
		i := i.next(t)
		b := i.bookCharged(t, stay, rooms{"a": 1}, flexible)
		i.pay(t, b)
		i.Clock.Set(stay.CheckIn.Time().Add(15 * time.Hour))
		_, err := i.repo.CheckIn(t.Context(), b.ID, nil)
		require.NoError(t, err)
		i.Clock.Set(stay.CheckIn.AddDays(test.leaves).Time().Add(16 * time.Hour))
		_, err = i.repo.CheckOut(t.Context(), b.ID)
		require.NoError(t, err)
		done, err := i.repo.RefundDue(t.Context(), bookings.Refund{ID: "re_1", BookingID: b.ID, Status: bookings.PaymentPending})
		require.NoError(t, err)
		due := "0.00"
		if len(done.Refunds) > 0 {
			due = done.Refunds[0].Amount.Amount()
		}
		assert.Equal(t, test.due, due, test.leaves)
	}
}

// A promo code lowers what the guest pays, and percentages are of that.
func TestChargesFollowTheDiscount(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	_, err := i.repo.CreatePromoCode(t.Context(), bookings.PromoCode{
		Code: "TENTH", Active: true, Percent: 10_00, ValidFrom: innNoon.Add(-time.Hour), ValidUntil: innNoon.AddDate(1, 0, 0),
	})
	require.NoError(t, err)
	create := func(discounts string, code string) (*bookings.Booking, error) {
		q := i.quoteCharged(t, twoNights, rooms{"a": 1}, flexible)
		if discounts != "" {
			require.NoError(t, q.Charge(i.charges(), dollarsOf(discounts)))
		}
		return i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest, PromoCode: code})
	}
	_, err = create("", "TENTH")
	blame.Invalid(t, err, "Quote.Discounts")
	_, err = create("19.99", "TENTH")
	blame.Invalid(t, err, "Quote.Discounts")
	_, err = create("20", "")
	blame.Invalid(t, err, "Quote.Discounts")
	b, err := create("20", "TENTH")
	require.NoError(t, err)
	assert.Equal(t, []string{"vat 16.36", "service 8.18", "city 4.00", "cleaning 30.00", "resort 10.00", "deposit 100.00"}, amountsOf(b.Charges))
	assert.Equal(t, "222.18 USD", b.Total.String())

	free := ""
	_, err = i.repo.Modify(t.Context(), bookings.Modification{BookingID: b.ID, Version: b.Version, PromoCode: &free})
	blame.Invalid(t, err, "Quote")
	m, err := i.repo.QuoteModification(t.Context(), b.ID, i.requestCharged(dynastay.MustStay("2026-07-10", "2026-07-13"), rooms{"a": 1}, flexible))
	require.NoError(t, err)
	assert.Equal(t, "30.00 USD", m.Discounts.String())
	assert.Equal(t, m.Discounts, m.Quote.Discounts)
	done, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, "vat 24.55", amountsOf(done.Booking.Charges)[0])

	req := i.requestCharged(twoNights, rooms{"a": 1}, flexible)
	req.Discounts = dollarsOf("0")
	m, err = i.repo.QuoteModification(t.Context(), b.ID, req)
	require.NoError(t, err)
	m.PromoCode = &free
	done, err = i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, "243.09 USD", done.Booking.Total.String(), "without the code")
}

// A modification computes all charges anew, and what is given up is settled as a cancellation settles it.
func TestModifyWithCharges(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.bookCharged(t, twoNights, rooms{"a": 1}, none)
	shorter := dynastay.MustStay("2026-07-10", "2026-07-11")
	req := i.requestCharged(shorter, rooms{"a": 1}, none)
	without := req
	without.Charges = nil
	_, err := i.repo.QuoteModification(t.Context(), b.ID, without)
	blame.Invalid(t, err, "Charges")
	m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
	require.NoError(t, err)
	assert.Equal(t, "104.54 USD", m.Kept.String(), "100 for the night, and 4.54 of the service; no city tax")
	assert.Equal(t, dynastay.Money{}, m.TaxesAndFees)
	done, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, []string{"vat 9.09", "service 4.55", "city 2.00", "cleaning 30.00", "resort 5.00", "deposit 100.00"}, amountsOf(done.Booking.Charges))
	assert.Equal(t, "241.09 USD", done.Booking.Total.String(), "100 + 36.55 + 104.54")
	got, err := i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, done.Booking, got)

	m.Version, m.Kept, m.Quote.Charges = got.Version, dynastay.Money{}, nil
	_, err = i.repo.Modify(t.Context(), m)
	blame.Invalid(t, err, "Quote.Charges")
}

// What only the bill says is written too: nothing else of the booking changes.
func TestModifyOnlyCharges(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.bookCharged(t, twoNights, rooms{"a": 1}, flexible)
	req := i.requestCharged(twoNights, rooms{"a": 1}, flexible)
	modify := func() *bookings.Booking {
		m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
		require.NoError(t, err)
		done, err := i.repo.Modify(t.Context(), m)
		require.NoError(t, err)
		return done.Booking
	}
	assert.Equal(t, b.Version, modify().Version, "nothing differs")
	req.Charges.Charges[4].Amount = dollarsOf("6")
	after := modify()
	assert.Equal(t, b.Version+1, after.Version)
	assert.Equal(t, "12.00 USD", after.Charges.AtProperty.String())
	assert.Equal(t, b.Total, after.Total)
	req.Charges.Charges = nil
	after = modify()
	assert.Empty(t, after.Charges.Entries)
	got, err := i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, after, got, "those before are not stored any more")
}

func TestRefusedCharges(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for _, test := range []struct {
		field  string
		change func(*bookings.Request)
	}{
		{"TaxesAndFees", func(r *bookings.Request) { r.TaxesAndFees = dollarsOf("43.09") }},
		{"Quote.Discounts", func(r *bookings.Request) { r.Quote.Discounts = dollarsOf("1") }},
		{"Quote.Discounts", func(r *bookings.Request) { r.Quote.Discounts = dollarsOf("0") }},
		{"Quote.Discounts", func(r *bookings.Request) { r.Quote.Discounts = dollarsOf("-1") }},
		{"Quote.Discounts", func(r *bookings.Request) { r.Quote.Discounts = dollarsOf("200.01") }},
		{"Quote.Discounts.Currency", func(r *bookings.Request) { r.Quote.Discounts = dynastay.MustMoney("1", "EUR") }},
		{"Quote.Discounts", func(r *bookings.Request) { r.Quote.Charges, r.Quote.Discounts = nil, dollarsOf("1") }},
		{"Quote.Charges.Added", func(r *bookings.Request) { r.Quote.Charges.Added = dollarsOf("43.08") }},
		{"Quote.Charges.Included", func(r *bookings.Request) {
			r.Quote.Charges.Entries = r.Quote.Charges.Entries[:1]
			e := &r.Quote.Charges.Entries[0]
			e.Amount, e.Lines = dollarsOf("200.01"), []dynastay.Money{dollarsOf("200.01")}
			nothing := dollarsOf("0")
			*r.Quote.Charges = charges.Bill{Entries: r.Quote.Charges.Entries, Included: e.Amount, Added: nothing, AtProperty: nothing, Deposits: nothing}
		}},
	} {
		req := bookings.Request{Quote: i.quoteCharged(t, twoNights, rooms{"a": 1}, flexible), UserID: "user_456", Guest: guest}
		test.change(&req)
		spent := i.Measure(func() {
			_, err := i.repo.Create(t.Context(), req)
			blame.Invalid(t, err, test.field)
		})
		assert.Zero(t, spent.Requests, test.field)
	}
}

// A quote with charges says what they were when it was made, so it cannot be booked for ever.
func TestOldQuotesWithCharges(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	q := i.quoteCharged(t, twoNights, rooms{"a": 1}, flexible)
	i.Clock.Advance(24 * time.Hour)
	_, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.ErrorIs(t, err, bookings.ErrOldQuote)
}

// Charges that other software has stored, and that do not belong to the booking, are not settled.
func TestChargesThatDoNotAddUp(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.bookCharged(t, twoNights, rooms{"a": 1}, none)
	key, err := keys.Of(keys.BookingCharges{BookingID: b.ID})
	require.NoError(t, err)
	item := raw.Get(t, i.DB, keys.BookingsTable, key)
	for _, set := range []string{
		"Added = :v", "Charges[1].Amount = :v", "Charges[1].LineAmounts." + i.roomType("a") + " = :v", "Charges[2].NightAmounts = :none",
	} {
		raw.Put(t, i.DB, keys.BookingsTable, item)
		values := dynastay.Item{":v": dynastay.Number(1)}
		if strings.HasSuffix(set, ":none") {
			values = dynastay.Item{":none": &types.AttributeValueMemberM{Value: dynastay.Item{}}}
		}
		raw.Update(t, i.DB, keys.BookingsTable, key, "SET "+set, values)
		got, err := i.repo.Get(t.Context(), b.ID)
		require.NoError(t, err)
		_, err = got.Settle(dynastay.Money{}, innNoon, nil)
		require.ErrorIs(t, err, dynastay.ErrCorrupt, set)
		assert.NotErrorIs(t, err, dynastay.ErrInvalid)
	}
	raw.Put(t, i.DB, keys.BookingsTable, item)
	got, err := i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	got.Breakdown.TaxesAndFees = dollarsOf("43.08")
	_, err = got.Settle(dynastay.Money{}, innNoon, nil)
	require.ErrorIs(t, err, dynastay.ErrCorrupt, "the charges are not those of the total")
}

// Charges of meals are of what the plan says they are worth. Nobody's room is known unless everybody's is.
func TestChargesOfMeals(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	req := i.requestUnder(twoNights, under{"half", 1, adults(2)}, under{"half", 1, withChildren(4)})
	req.Charges = &charges.List{PropertyID: i.id, Charges: []charges.Charge{
		{ID: "meals", Name: "VAT on meals", Kind: charges.Tax, Rate: 10_0000, Per: charges.PerNight, Of: []charges.Component{charges.Meals}},
		{ID: "rooms", Name: "VAT on rooms", Kind: charges.Tax, Rate: 1_0000, Per: charges.PerNight, Of: []charges.Component{charges.Lodging}},
		{ID: "city", Name: "City tax", Kind: charges.Tax, Amount: dollarsOf("1"), Per: charges.PerGuestNight, FromAge: 5},
	}}
	q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	// Two nights with 60 for two adults each in both rooms; 150 and 50 % more for the second adult, and 10 for the child.
	assert.Equal(t, []string{"meals 24.00", "rooms 9.20", "city 8.00"}, amountsOf(q.Charges))
	assert.Equal(t, []dynastay.Money{dollarsOf("4"), dollarsOf("4")}, q.Charges.Entries[2].Lines)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	got, err := i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, b, got, "two lines of a room type")
	assert.NotEqual(t, got.Charges.Entries[1].Lines[0], got.Charges.Entries[1].Lines[1])

	req = i.requestUnder(twoNights, under{"flex", 1, adults(1)})
	req.Rooms[0].RatePlanID, req.Rooms[0].Party = "", nil
	req.Rooms = append(req.Rooms, req.Rooms[0])
	req.Rooms[0].RatePlanID, req.Rooms[0].Party = "long", nil
	req.Guests = availability.Guests{Adults: 2, Children: 1}
	req.Charges = &charges.List{PropertyID: i.id, Charges: []charges.Charge{
		{ID: "city", Name: "City tax", Kind: charges.Tax, Amount: dollarsOf("1"), Per: charges.PerGuestNight},
	}}
	q, err = availability.New(i.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, []string{"city 6.00"}, amountsOf(q.Charges))
}

// What a quote refuses names the field, before anything is read if the request shows it.
func TestRefusedChargesOfQuotes(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	nights := availability.New(i.DB.DB)
	for _, test := range []struct {
		field  string
		change func(*availability.QuoteRequest)
	}{
		{"Charges.PropertyID", func(r *availability.QuoteRequest) { r.Charges.PropertyID = "prop_other" }},
		{"Charges.Charges[1].Rate", func(r *availability.QuoteRequest) { r.Charges.Charges[1].Rate = -1 }},
		{"Discounts", func(r *availability.QuoteRequest) { r.Charges, r.Discounts = nil, dollarsOf("1") }},
	} {
		req := i.requestCharged(twoNights, rooms{"a": 1}, flexible)
		test.change(&req)
		spent := i.Measure(func() {
			_, err := nights.Quote(t.Context(), req)
			blame.Invalid(t, err, test.field)
		})
		assert.Zero(t, spent.Requests, test.field)
	}
	q := i.quoteCharged(t, twoNights, rooms{"a": 1}, flexible)
	before := q.Clone()
	without := q.Clone()
	without.Charges, without.Discounts = nil, dollarsOf("1")
	blame.Invalid(t, without.Validate(), "Discounts")
	for discounts, field := range map[string]string{
		"-1 USD": "Discounts", "200.01 USD": "Discounts", "1 EUR": "Discounts.Currency", "0.001 USD": "Discounts",
	} {
		m, err := dynastay.ParseMoney(discounts)
		require.NoError(t, err)
		blame.Invalid(t, q.Charge(i.charges(), m), field)
	}
	list := i.charges()
	list.Charges[0] = charges.Charge{ID: "tax", Name: "Tax", Kind: charges.Tax, Amount: dollarsOf("100.01"), Per: charges.PerRoomNight, Included: true}
	blame.Invalid(t, q.Charge(list, dynastay.Money{}), "Charges.Charges[0]")
	assert.Equal(t, before, q, "a quote that cannot be charged stays as it is")
	require.NoError(t, q.Charge(i.charges(), dollarsOf("200")))
	assert.Equal(t, "200.00 USD", q.Discounts.String())
	require.NoError(t, q.Charge(i.charges(), dollarsOf("0")))
	assert.Equal(t, before, q)
}

// A retry is the same request only with the same charges.
func TestChargesInTheInput(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	request := func(change func(*charges.List), discounts string) bookings.Request {
		q, list := i.quoteCharged(t, twoNights, rooms{"a": 1}, flexible), i.charges()
		change(list)
		require.NoError(t, q.Charge(list, dollarsOf(discounts)))
		return bookings.Request{Quote: q, UserID: "user_456", Guest: guest}
	}
	same := func(*charges.List) {}
	first, err := i.repo.Create(t.Context(), request(same, "0"), dynastay.IdempotencyKey("key"))
	require.NoError(t, err)
	again, err := i.repo.Create(t.Context(), request(same, "0"), dynastay.IdempotencyKey("key"))
	require.NoError(t, err)
	assert.Equal(t, first, again)
	for name, change := range map[string]func(*charges.List){
		"amount": func(l *charges.List) { l.Charges[4].Amount = dollarsOf("6") },
		"kept":   func(l *charges.List) { l.Charges[3].Kept = charges.KeptByPolicy },
		"id":     func(l *charges.List) { l.Charges[3].ID = "clean" },
		"kind":   func(l *charges.List) { l.Charges[3].Kind = charges.Tax },
		"where":  func(l *charges.List) { l.Charges[3].AtProperty = true },
	} {
		_, err = i.repo.Create(t.Context(), request(change, "0"), dynastay.IdempotencyKey("key"))
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, name)
	}
}
