package bookings_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// The total of other software may not be the sum of its parts. A modification of the code alone then leaves it as it
// is.
func TestModificationsWithoutBreakdown(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.code(t, bookings.PromoCode{Code: "TEN", Percent: 1000})
	for name, breakdown := range map[string]types.AttributeValue{
		"none":   &types.AttributeValueMemberNULL{Value: true},
		"a part": &types.AttributeValueMemberM{Value: dynastay.Item{"TaxesAndFees": dynastay.Number(9)}},
		"fees":   &types.AttributeValueMemberM{Value: dynastay.Item{"TaxesAndFees": dynastay.Number(200)}},
		"digits": &types.AttributeValueMemberM{Value: dynastay.Item{
			"RoomTotal": &types.AttributeValueMemberN{Value: "999999999999999999"}, "TaxesAndFees": &types.AttributeValueMemberN{Value: "0.1"},
		}},
		"another": &types.AttributeValueMemberM{Value: dynastay.Item{"RoomTotal": dynastay.Number(199)}},
	} {
		b := i.book(t, payStay, rooms{"a": 1})
		setBooking(t, i.DB, keyOf(b.ID), "PriceBreakdown", breakdown)
		for _, code := range []string{"", "TEN"} {
			_, err := i.repo.Modify(t.Context(), bookings.Modification{BookingID: b.ID, Version: b.Version, PromoCode: &code})
			assert.ErrorIs(t, err, dynastay.ErrCorrupt, name)
		}
		now, err := i.repo.Get(t.Context(), b.ID)
		require.NoError(t, err)
		assert.Equal(t, []any{dollarsOf("200"), b.Version}, []any{now.Total, now.Version}, name)
		_, err = i.repo.Modify(t.Context(), bookings.Modification{BookingID: b.ID, Version: b.Version, Guest: &guest})
		assert.NoError(t, err, "the price is left alone: %s", name)
	}
	assert.Zero(t, usesOf(t, i.DB, "TEN"))
}

// A stay of other software that is too long to be returned is refused with the number as well, however long it is.
func TestModifyOfAnEndlessStay(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for _, test := range []struct{ nights, actions int }{
		{189, 186 + 3 + 2},  // all nights are counted
		{190, 190 - 90 + 1}, // those that a stay of 90 nights cannot keep
		{2_000_000, 2_000_000 - 90 + 1},
	} {
		b := i.book(t, innStay, rooms{"a": 1})
		m := i.quote(t, b.ID, innStay, rooms{"a": 2})
		setBooking(t, i.DB, keyOf(b.ID), "CheckOutDate", dynastay.Text(innStay.CheckIn.AddDays(test.nights).String()))
		_, err := i.repo.Modify(t.Context(), m)
		large := blame.As[*dynastay.TooLargeError](t, err)
		assert.Equal(t, test.actions, large.Actions)
		i.open(t)
	}
}

// The document's booking, which other software wrote: it has one price for all nights, no version and no write id, and
// keeps the attributes that the library does not know.
func TestModifyOfTheDocumentsBooking(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.Clock.Set(time.Date(2024, 11, 10, 9, 20, 0, 0, time.UTC))
	for _, name := range []string{"booking.json", "line.json"} {
		item := raw.Document(t, "testdata/"+name)
		item["Loyalty"] = dynastay.Text("gold")
		raw.Put(t, i.DB, bookingsTable, item)
	}
	old, err := i.repo.Get(t.Context(), "bkg_12345", dynastay.Consistent)
	require.NoError(t, err)
	require.Empty(t, old.Lines[0].Nights)
	i.id = "prop_123"
	night := i.night("a", old.Stay.CheckOut)
	night["RoomTypeId"], night["PK"] = dynastay.Text("room_789"), dynastay.Text("ROOM#room_789")
	raw.Put(t, i.DB, keys.AvailabilityTable, night)
	longer := dynastay.Stay{CheckIn: old.Stay.CheckIn, CheckOut: old.Stay.CheckOut.AddDays(1)}
	req := i.request(longer, rooms{"a": 1})
	req.Rooms[0].RoomTypeID = "room_789"
	m, err := i.repo.QuoteModification(t.Context(), old.ID, req)
	require.NoError(t, err)
	for n, night := range m.Quote.Lines[0].Nights {
		want := old.Lines[0].PricePerNight
		if n == 3 {
			want = innPrices["a"]
		}
		assert.Equal(t, want, night.Price)
	}
	got, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, longer, got.Booking.Stay)
	assert.Equal(t, 1, got.Booking.Version)
	for _, sk := range []string{"METADATA", "ROOM#room_789"} {
		row, err := i.Direct.Get(t.Context(), bookingsTable, dynastay.Key{PK: "BOOKING#bkg_12345", SK: sk}, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, "gold", row.Text("Loyalty"), sk)
	}
	left, err := i.Direct.Get(t.Context(), availabilityTable, nightKey("room_789", old.Stay.CheckOut), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, innRooms-1, left.Int("AvailableRooms"))
}

// A line of other software without rooms is modified and cancelled like one that does not exist.
func TestLinesWithoutRooms(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	for _, quantity := range []int{0, -2} {
		for _, test := range []struct {
			name string
			call func(i *inn, id string) (*bookings.Booking, error)
			want map[string]int
		}{
			{"dropped", func(i *inn, id string) (*bookings.Booking, error) {
				m := i.quote(t, id, innStay, rooms{"a": 1})
				got, err := i.repo.Modify(t.Context(), m)
				return got.Booking, err
			}, takenBy(innStay, rooms{"a": 1})},
			{"filled", func(i *inn, id string) (*bookings.Booking, error) {
				m := i.quote(t, id, innStay, rooms{"a": 1, "b": 1})
				got, err := i.repo.Modify(t.Context(), m)
				return got.Booking, err
			}, takenBy(innStay, rooms{"a": 1, "b": 1})},
			{"cancelled", func(i *inn, id string) (*bookings.Booking, error) {
				c, err := i.repo.Cancel(t.Context(), id, "", nil)
				assert.Empty(t, c.Missing)
				return c.Booking, err
			}, map[string]int{}},
		} {
			t.Run(fmt.Sprint(test.name, quantity), func(t *testing.T) {
				i := inns.next(t)
				b := i.book(t, innStay, rooms{"a": 1})
				raw.Put(t, i.DB, bookingsTable, dynastay.Item{
					"PK": dynastay.Text("BOOKING#" + b.ID), "SK": dynastay.Text("ROOM#" + i.roomType("b")), "EntityType": dynastay.Text("BookingRoom"),
					"BookingId": dynastay.Text(b.ID), "RoomTypeId": dynastay.Text(i.roomType("b")), "Quantity": dynastay.Number(quantity),
				})
				_, err := test.call(i, b.ID)
				require.NoError(t, err)
				assert.Equal(t, test.want, i.taken(t))
			})
		}
	}
}

// What other software has stored is modified as far as it can be understood.
func TestModifyWhatOtherSoftwareStored(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	longer := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckOut.AddDays(1)}
	line := func(i *inn, b *bookings.Booking) dynastay.Key {
		return dynastay.Key{PK: "BOOKING#" + b.ID, SK: "ROOM#" + i.roomType("a")}
	}
	t.Run("no prices", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		removeAttributes(t, i.DB, line(i, b), "NightlyPrices", "PricePerNight", "Subtotal")
		i.set(t, "a", innStay.CheckIn, "PricePerNight", dynastay.MustMoney("70", "USD"))
		got, err := i.repo.Modify(t.Context(), i.quote(t, b.ID, innStay, rooms{"a": 1}))
		require.NoError(t, err)
		assert.Equal(t, "270.00 USD", got.Booking.Breakdown.Rooms.String(), "the current prices")
	})
	t.Run("no currency", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		removeAttributes(t, i.DB, keyOf(b.ID), "Currency", "TotalAmount", "PriceBreakdown")
		got, err := i.repo.Modify(t.Context(), i.quote(t, b.ID, longer, rooms{"a": 1}))
		require.NoError(t, err)
		assert.Equal(t, "400.00 USD", got.Booking.Total.String())
	})
	t.Run("shortened", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		i.set(t, "a", innStay.LastNight(), "PricePerNight", dynastay.MustMoney("70", "USD"))
		setBooking(t, i.DB, keyOf(b.ID), "CheckOutDate", dynastay.Text(innStay.LastNight().String())) // but the line has its price still
		got, err := i.repo.Modify(t.Context(), i.quote(t, b.ID, innStay, rooms{"a": 1}))
		require.NoError(t, err)
		assert.Equal(t, "270.00 USD", got.Booking.Total.String(), "the night is taken at its current price")
	})
	t.Run("prolonged", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		setBooking(t, i.DB, keyOf(b.ID), "CheckOutDate", dynastay.Text(longer.CheckOut.String()))
		got, err := i.repo.Modify(t.Context(), i.quote(t, b.ID, longer, rooms{"a": 1}))
		require.NoError(t, err)
		assert.Equal(t, "400.00 USD", got.Booking.Total.String())
	})
	t.Run("two lines of one room type", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		raw.Put(t, i.DB, bookingsTable, dynastay.Item{
			"PK": dynastay.Text("BOOKING#" + b.ID), "SK": dynastay.Text("ROOM#second"), "EntityType": dynastay.Text("BookingRoom"),
			"RoomTypeId": dynastay.Text(i.roomType("a")), "Quantity": dynastay.Number(1),
		})
		_, err := i.repo.QuoteModification(t.Context(), b.ID, i.request(longer, rooms{"a": 1}))
		require.ErrorIs(t, err, dynastay.ErrCorrupt)
	})
	t.Run("the room type has another currency now", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		for date := range innStay.Dates() {
			i.set(t, "a", date, "Currency", "EUR")
		}
		_, err := i.repo.QuoteModification(t.Context(), b.ID, i.request(innStay, rooms{"a": 2}))
		blame.Invalid(t, err, "Rooms")
	})
}

// A discount that other software has granted stays, and the total cannot become negative.
func TestModificationKeepsTheDiscounts(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, innStay, rooms{"a": 1})
	setBooking(t, i.DB, keyOf(b.ID), "PriceBreakdown", &types.AttributeValueMemberM{Value: dynastay.Item{
		"RoomTotal": dynastay.Number(300), "TaxesAndFees": dynastay.Number(0), "Discounts": dynastay.Number(150),
	}})
	shorter := func(nights int) error {
		m := i.quote(t, b.ID, dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckIn.AddDays(nights)}, rooms{"a": 1})
		return second(i.repo.Modify(t.Context(), m))
	}
	require.NoError(t, shorter(2))
	stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "50.00 USD", stored.Total.String())
	err = shorter(1)
	blame.Invalid(t, err, "Quote.Total")
	assert.Equal(t, takenBy(stored.Stay, rooms{"a": 1}), i.taken(t))

	setBooking(t, i.DB, keyOf(b.ID), "PriceBreakdown", &types.AttributeValueMemberM{Value: dynastay.Item{
		"RoomTotal": dynastay.Number(200), "TaxesAndFees": dynastay.Number(0), "Discounts": dynastay.Number(100),
	}})
	require.NoError(t, shorter(1))
	stored, err = i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "0.00 USD", stored.Total.String())
	assert.Equal(t, bookings.PaymentPaid, stored.PaymentStatus, "nothing is to be paid")
}

// What is kept is no price: a discount must not exceed that of the nights that are left.
func TestDiscountsAreNotTakenFromWhatIsKept(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.bookUnder(t, availability.NonRefundable, innStay, rooms{"a": 1}, 0)
	setBooking(t, i.DB, keyOf(b.ID), "PriceBreakdown", &types.AttributeValueMemberM{Value: dynastay.Item{
		"RoomTotal": dynastay.Number(300), "TaxesAndFees": dynastay.Number(0), "Discounts": dynastay.Number(150),
	}})
	night := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckIn.AddDays(1)}
	m, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(availability.NonRefundable, night, rooms{"a": 1}))
	require.NoError(t, err)
	require.Equal(t, usd("200"), m.Kept)
	_, err = i.repo.Modify(t.Context(), m)
	invalidField(t, "Quote.Total", err)
}

// Without payments, a modification leaves a payment status of other software as it is; with one that cannot be read, it
// fails.
func TestModificationsWithPaymentsOfOtherSoftware(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, innStay, rooms{"a": 1})
	setBooking(t, i.DB, keyOf(b.ID), "PaymentStatus", dynastay.Text("paid"))
	got, err := i.repo.Modify(t.Context(), i.quote(t, b.ID, innStay, rooms{"a": 2}))
	require.NoError(t, err)
	assert.Equal(t, bookings.PaymentPaid, got.Booking.PaymentStatus)

	i = i.nextWithPlans(t)
	b = i.bookTerms(t, payTerms{RestDays: 3}, 0)
	setBooking(t, i.DB, keyOf(b.ID), "PaymentStatus", dynastay.Text("paid"))
	removeAttributes(t, i.DB, keyOf(b.ID), "DueAt", "GSI6PK", "GSI6SK")
	m, err := i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(twoNights, under{"flex", 1, adults(2)}, under{"flex", 1, adults(1)}))
	require.NoError(t, err)
	got, err = i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Zero(t, got.Booking.DueAt, "nobody knows what has been paid")

	b = i.book(t, innStay, rooms{"a": 1})
	_, err = i.repo.RecordPayment(t.Context(), charge(b.ID, "ch_1", "50", bookings.PaymentPending))
	require.NoError(t, err)
	attempt := mustKey(t, keys.PaymentAttempt{BookingID: b.ID, ProviderTransactionID: "ch_1"})
	setBooking(t, i.DB, attempt, "Amount", dynastay.Text("fifty"))
	_, err = i.repo.Modify(t.Context(), i.quote(t, b.ID, innStay, rooms{"a": 2}))
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
}
