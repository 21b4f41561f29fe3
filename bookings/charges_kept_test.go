package bookings_test

import (
	"testing"
	"time"

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

// What the library does not know stays in the item, and guests who arrive late owe the city tax of the nights since then.
func TestForeignChargesAndLateArrival(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	stay := dynastay.MustStay("2026-07-10", "2026-07-14")
	b := i.bookCharged(t, stay, rooms{"a": 1}, flexible)
	key, err := keys.Of(keys.BookingCharges{BookingID: b.ID})
	require.NoError(t, err)
	raw.Update(t, i.DB, keys.BookingsTable, key, "SET Note = :v", dynastay.Item{":v": dynastay.Text("own")})
	req := i.requestCharged(stay, rooms{"a": 1}, flexible)
	req.Charges.Charges[4].Amount = dollarsOf("6")
	m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
	require.NoError(t, err)
	_, err = i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, dynastay.Text("own"), raw.Get(t, i.DB, keys.BookingsTable, key)["Note"])

	i.Clock.Set(stay.CheckIn.AddDays(1).Time().Add(6 * time.Hour))
	_, err = i.repo.NoShow(t.Context(), b.ID)
	require.NoError(t, err)
	_, err = i.repo.Release(t.Context(), b.ID)
	require.NoError(t, err)
	i.Clock.Set(stay.CheckIn.AddDays(2).Time().Add(10 * time.Hour))
	_, err = i.repo.Reinstate(t.Context(), b.ID)
	require.NoError(t, err)
	i.Clock.Set(stay.CheckOut.Time().Add(10 * time.Hour))
	_, err = i.repo.CheckOut(t.Context(), b.ID)
	require.NoError(t, err)
	r := i.receipt(t, b.ID)
	assert.Contains(t, entries(r), "not_owed city -4.00", "they arrived two nights late")
	assert.Equal(t, "24.00 USD", r.AtProperty[0].Amount.String())
}

// Charges are rounded, so included ones may come to a cent more than a line, but not to more than the price.
func TestChargesOfCents(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	half := func(id string) charges.Charge {
		return charges.Charge{
			ID: id, Name: id, Kind: charges.Tax, Rate: 50_0000, Per: charges.PerNight, Of: []charges.Component{charges.Lodging}, Gross: true,
			Included: true, Kept: charges.KeptIfStayed,
		}
	}
	one := dynastay.MustStay("2026-07-10", "2026-07-11")
	for _, room := range []string{"a", "b"} {
		change(t, i.DB, nightKey(i.roomType(room), one.CheckIn), "PricePerNight = :v", dynastay.Item{":v": amountOf(dollarsOf("0.01"))})
	}
	req := i.request(one, rooms{"a": 1})
	req.Charges = &charges.List{PropertyID: i.id, Charges: []charges.Charge{half("x"), half("y")}}
	_, err := availability.New(i.DB.DB).Quote(t.Context(), req)
	blame.Invalid(t, err, "Charges.Included")

	list := req.Charges
	req = i.request(one, rooms{"a": 1, "b": 1})
	req.Charges = list
	for n := range req.Rooms {
		req.Rooms[n].CancellationPolicy = none
	}
	q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	for _, e := range b.Charges.Entries {
		assert.Equal(t, []dynastay.Money{dollarsOf("0.01"), dollarsOf("0")}, e.Lines)
	}
	s, err := b.Settle(dollarsOf("0.02"), innNoon, nil)
	require.NoError(t, err)
	assert.Equal(t, bookings.Settlement{Kept: dollarsOf("0"), Refund: dollarsOf("0.02"), Owed: dollarsOf("0")}, s)
}

// Nothing is due at the property once a hold has ended, whether or not it has been expired.
func TestReceiptOfAHold(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	req := bookings.Request{Quote: i.quoteCharged(t, twoNights, rooms{"a": 1}, flexible), UserID: "user_456", Guest: guest, Hold: time.Minute}
	b, err := i.repo.Create(t.Context(), req)
	require.NoError(t, err)
	assert.Len(t, i.receipt(t, b.ID).AtProperty, 1)
	i.Clock.Advance(time.Minute)
	r := i.receipt(t, b.ID)
	assert.Equal(t, "0.00 USD", r.Owed.String())
	assert.Empty(t, r.AtProperty)
	assert.Empty(t, r.Deposits)
	i.Clock.Advance(bookings.DefaultHoldGrace)
	_, err = i.repo.Expire(t.Context(), b.ID)
	require.NoError(t, err)
	expired := i.receipt(t, b.ID)
	r.Status = expired.Status
	assert.Equal(t, r, expired)
}

// A charge of the whole stay, or of its first night, is charged anew by a shorter stay, so no part of it is kept beside.
func TestChargesOfAStayThatGetsShorter(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for name, c := range map[string]charges.Charge{
		"stay":  {Amount: dollarsOf("30"), Per: charges.PerStay},
		"night": {Amount: dollarsOf("30"), Per: charges.PerNight, FirstNights: 1},
	} {
		i := i.next(t)
		c.ID, c.Name, c.Kind = "fee", "Fee", charges.Fee
		req := i.requestCharged(dynastay.MustStay("2026-07-10", "2026-07-14"), rooms{"a": 2}, none)
		req.Charges.Charges = []charges.Charge{c}
		q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
		require.NoError(t, err)
		b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
		require.NoError(t, err)
		assert.Equal(t, "830.00 USD", b.Total.String(), name)
		for range 3 {
			req.Stay.CheckOut = req.Stay.CheckOut.AddDays(-1)
			m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
			require.NoError(t, err)
			done, err := i.repo.Modify(t.Context(), m)
			require.NoError(t, err)
			assert.Equal(t, b.Total, done.Booking.Total, "%s: nothing of the rooms is refunded, and the fee is owed once", name)
		}
	}
}

// Of what is due at the property, guests who leave early owe the nights that they stayed.
func TestEarlyDepartureAtTheProperty(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	req := i.requestCharged(dynastay.MustStay("2026-07-10", "2026-07-14"), rooms{"a": 1}, flexible)
	req.Charges.Charges = []charges.Charge{{
		ID: "city", Name: "City tax", Kind: charges.Tax, Amount: dollarsOf("2"), Per: charges.PerGuestNight, AtProperty: true, Kept: charges.KeptIfStayed,
	}}
	q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	leftEarly(t, i, b)
	assert.Equal(t, "2.00 USD", i.receipt(t, b.ID).AtProperty[0].Amount.String())
}

// A discount lowers the price of each line, and an included charge with a rule of its own is a part of what is left.
func TestIncludedChargeOfADiscountedLine(t *testing.T) {
	t.Parallel()
	b := oneNight("2026-07-10", "15:00", "", "")
	b.Lines = []bookings.Line{lineOf("a", "100", none), lineOf("b", "100", flexible)}
	b.Breakdown = bookings.Breakdown{Rooms: dollarsOf("200"), TaxesAndFees: dollarsOf("0"), Discounts: dollarsOf("100")}
	b.Total = dollarsOf("100")
	nothing := dollarsOf("0")
	b.Charges = &charges.Bill{
		Entries: []charges.Entry{{
			ID: "city", Name: "City tax", Kind: charges.Tax, Included: true, Kept: charges.KeptIfStayed, Amount: dollarsOf("50"),
			Lines: []dynastay.Money{dollarsOf("50"), nothing}, Nights: []dynastay.Money{dollarsOf("50")},
		}},
		Included: dollarsOf("50"), Added: nothing, AtProperty: nothing, Deposits: nothing,
	}
	s, err := b.Settle(dynastay.Money{}, before(48), nil)
	require.NoError(t, err)
	assert.Equal(t, "0.00 USD", s.Kept.String(), "all that room a costs is the tax")
}

// A deposit that is paid with the booking is in no total, and nothing of it is kept.
func TestDepositPaidWithTheBooking(t *testing.T) {
	t.Parallel()
	nothing, deposit := dollarsOf("0"), dollarsOf("50")
	b := owing(owed(payTerms{}, 1, "100"))
	b.CancellationPolicy = availability.NonRefundable
	b.Charges = &charges.Bill{Added: nothing, Included: nothing, AtProperty: nothing, Deposits: deposit, Entries: []charges.Entry{{
		ID: "key", Name: "Key", Kind: charges.Deposit, Amount: deposit, Lines: []dynastay.Money{deposit},
	}}}
	b.Breakdown.TaxesAndFees = nothing
	r, err := b.Receipt(bookings.PaymentHistory{}, innNoon, nil)
	require.NoError(t, err)
	assert.Equal(t, dollarsOf("100"), r.Owed)
	require.Len(t, r.Entries, 1)
	assert.Equal(t, dollarsOf("100"), r.Entries[0].Amount)
	require.Len(t, r.Deposits, 1)
	assert.Equal(t, deposit, r.Deposits[0].Amount)
	settled, err := b.Settle(dollarsOf("150"), innNoon, nil)
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Money{dollarsOf("100"), deposit}, []dynastay.Money{settled.Kept, settled.Refund})
}
