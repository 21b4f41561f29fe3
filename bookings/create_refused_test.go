package bookings_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

// If a night changes between the quote and the booking, the database refuses the sale, and the refusal states the
// reason. Without its part of the condition, each of these nights would be sold.
func TestSaleCondition(t *testing.T) {
	t.Parallel()
	first, last := "2026-07-10", "2026-07-12"
	yes := dynastay.Item{":v": &types.AttributeValueMemberBOOL{Value: true}}
	for _, test := range []struct {
		name   string
		date   string
		set    string
		values dynastay.Item
		reason availability.Reason
	}{
		{"sold out", "2026-07-11", "AvailableRooms = :v", dynastay.Item{":v": dynastay.Number(0)}, availability.SoldOut},
		{"different property", first, "PropertyId = :v", dynastay.Item{":v": dynastay.Text("prop_other")}, availability.NotOnSale},
		{"stop-sell", last, "IsBlocked = :v", yes, availability.StopSell},
		{"property closed", first, keys.AttrPropertyClosed + " = :v", yes, availability.PropertyClosed},
		{"more expensive", last, "PricePerNight = :v", dynastay.Item{":v": dynastay.Number(281)}, availability.PriceChanged},
		{"cheaper", last, "PricePerNight = :v", dynastay.Item{":v": dynastay.Number(279)}, availability.PriceChanged},
		{"different currency", first, "Currency = :v", dynastay.Item{":v": dynastay.Text("EUR")}, availability.PriceChanged},
		{"closed to arrival", first, "ClosedToArrival = :v", yes, availability.ClosedToArrival},
		{"closed to departure", last, "ClosedToDeparture = :v", yes, availability.ClosedToDeparture},
		{"minimum stay", first, "MinStay = :v", dynastay.Item{":v": dynastay.Number(4)}, availability.MinStay},
		{"maximum stay", first, "MaxStay = :v", dynastay.Item{":v": dynastay.Number(2)}, availability.MaxStay},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, hotel, repo := open(t, 1)
			req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
			change(t, db, nightKey(hotel.RoomTypeID, dynastay.MustDate(test.date)), test.set, test.values)

			_, err := repo.Create(t.Context(), req)
			refused := blame.As[*bookings.Refused](t, err)
			require.Len(t, refused.Nights, 1, "%v", refused)
			assert.Equal(t, test.reason, refused.Nights[0].Reason)
			assert.Equal(t, test.date, refused.Nights[0].Date.String())
			assert.Equal(t, 1, db.Faults.Count("TransactWriteItems")-setUpTransactions, "there is no retry")
		})
	}
}

// setUpTransactions is the number of transactions that create a hotel and open its nights.
const setUpTransactions = 2

// Restrictions apply only to the nights they are meant for; NULL, false and zero mean no restriction.
func TestSaleWithinRestrictions(t *testing.T) {
	t.Parallel()
	first, second, last := "2026-07-10", "2026-07-11", "2026-07-12"
	yes := dynastay.Item{":v": &types.AttributeValueMemberBOOL{Value: true}}
	no := dynastay.Item{":v": &types.AttributeValueMemberBOOL{Value: false}}
	null := dynastay.Item{":v": &types.AttributeValueMemberNULL{Value: true}}
	for _, test := range []struct {
		name, date, set string
		values          dynastay.Item
	}{
		{"minimum stay met", first, "MinStay = :v", dynastay.Item{":v": dynastay.Number(3)}},
		{"maximum stay met", first, "MaxStay = :v", dynastay.Item{":v": dynastay.Number(3)}},
		{"maximum stay of zero", first, "MaxStay = :v", dynastay.Item{":v": dynastay.Number(0)}},
		{"minimum stay of a different arrival", second, "MinStay = :v", dynastay.Item{":v": dynastay.Number(9)}},
		{"closed to other arrivals", second, "ClosedToArrival = :v", yes},
		{"closed to arrival on the last night", last, "ClosedToArrival = :v", yes},
		{"closed to other departures", first, "ClosedToDeparture = :v", yes},
		{"not blocked", first, "IsBlocked = :v", no},
		{"NULL block", first, "IsBlocked = :v", null},
		{"NULL restrictions", first, "MinStay = :v, MaxStay = :v, ClosedToArrival = :v, ClosedToDeparture = :v, PropertyClosed = :v", null},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, hotel, repo := open(t, 1)
			change(t, db, nightKey(hotel.RoomTypeID, dynastay.MustDate(test.date)), test.set, test.values)
			_, err := repo.Create(t.Context(), fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
			require.NoError(t, err)
			assert.Equal(t, []int{0, 0, 0}, hotel.Left(t, db.DB, fixture.Stay))
		})
	}
}

// Invalid input is refused before any request, with the field named.
func TestInvalidInput(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 2)
	good := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	quote := func(change func(q *availability.Quote)) func(*bookings.Request) {
		return func(r *bookings.Request) {
			q := *r.Quote
			q.Lines = append([]availability.Line{}, q.Lines...)
			q.Lines[0].Nights = append([]availability.NightPrice{}, q.Lines[0].Nights...)
			change(&q)
			r.Quote = &q
		}
	}
	stop := db.Faults.Record()
	for _, test := range []struct {
		name, field string
		change      func(*bookings.Request)
	}{
		{"no quote", "Quote", func(r *bookings.Request) { r.Quote = nil }},
		{"user with #", "UserID", func(r *bookings.Request) { r.UserID = "user#1" }},
		{"a rate plan of nobody", "Quote.Lines[0].Plan.PropertyID", quote(func(q *availability.Quote) { q.Lines[0].Plan = &availability.RatePlan{} })},
		{"a party without adults", "Quote.Lines[0].Party.Adults", quote(func(q *availability.Quote) { q.Lines[0].Party = &availability.Party{} })},
		{"a line of a booking", "Quote.Lines[0].Number", quote(func(q *availability.Quote) { q.Lines[0].Number = 1 })},
		{"empty property", "Quote.Property.ID", quote(func(q *availability.Quote) { q.Property.ID = "" })},
		{"time zone", "Quote.Property.TimeZone", quote(func(q *availability.Quote) { q.Property.TimeZone = "Mars" })},
		{"no check-in", "Quote.Stay.CheckIn", quote(func(q *availability.Quote) { q.Stay.CheckIn = dynastay.Date{} })},
		{"check-out before check-in", "Quote.Stay.CheckOut", quote(func(q *availability.Quote) { q.Stay.CheckOut = q.Stay.CheckIn.AddDays(-1) })},
		{"in the past", "Quote.Stay.CheckIn", quote(func(q *availability.Quote) {
			q.Stay = dynastay.MustStay("2026-05-30", "2026-06-02")
			for i := range q.Lines[0].Nights {
				q.Lines[0].Nights[i].Date = q.Stay.CheckIn.AddDays(i)
			}
		})},
		{"too long", "Quote.Stay", quote(func(q *availability.Quote) { q.Stay.CheckOut = q.Stay.CheckIn.AddDays(91) })},
		{"no rooms", "Quote.Lines", quote(func(q *availability.Quote) { q.Lines = nil })},
		{"zero rooms", "Quote.Lines[0].Quantity", quote(func(q *availability.Quote) { q.Lines[0].Quantity = 0 })},
		{"room type with #", "Quote.Lines[0].RoomTypeID", quote(func(q *availability.Quote) { q.Lines[0].RoomTypeID = "a#b" })},
		{"no adults", "Quote.Guests.Adults", quote(func(q *availability.Quote) { q.Guests.Adults = 0 })},
		{"fewer adults than rooms", "Quote.Guests.Adults", quote(func(q *availability.Quote) {
			q.Lines[0].Quantity, q.Sleeps.MaxAdults = 3, 6
			q.Lines[0].Subtotal, _ = q.Lines[0].Subtotal.Times(3)
			q.Total = q.Lines[0].Subtotal
		})},
		{"too many adults", "Quote.Guests.Adults", quote(func(q *availability.Quote) { q.Guests.Adults = 3 })},
		{"too many children", "Quote.Guests.Children", quote(func(q *availability.Quote) { q.Guests.Children = 2 })},
		{"too many guests", "Quote.Guests", quote(func(q *availability.Quote) { q.Guests.Children = 1 })},
		{"negative price", "Quote.Lines[0].Nights[1].Price", quote(func(q *availability.Quote) { q.Lines[0].Nights[1].Price = dynastay.MustMoney("-1", "USD") })},
		{"mixed currencies", "Quote.Lines[0].Nights[1].Price.Currency", quote(func(q *availability.Quote) { q.Lines[0].Nights[1].Price = dynastay.MustMoney("280", "EUR") })},
		{"a night missing", "Quote.Lines[0].Nights", quote(func(q *availability.Quote) { q.Lines[0].Nights = q.Lines[0].Nights[:2] })},
		{"different night", "Quote.Lines[0].Nights[0].Date", quote(func(q *availability.Quote) { q.Lines[0].Nights[0].Date = fixture.Stay.CheckOut })},
		{"wrong subtotal", "Quote.Lines[0].Subtotal", quote(func(q *availability.Quote) { q.Lines[0].Subtotal = dynastay.MustMoney("1", "USD") })},
		{"wrong total", "Quote.Total", quote(func(q *availability.Quote) { q.Total = dynastay.MustMoney("1", "USD") })},
		{"misspelled policy", "Quote.Lines[0].CancellationPolicy", quote(func(q *availability.Quote) { q.Lines[0].CancellationPolicy = "free_cancellation_48" })},
		{"the same room type twice", "Quote.Lines[1].RoomTypeID", quote(func(q *availability.Quote) { q.Lines = append(q.Lines, q.Lines[0]) })},
		{"no first name", "Guest.FirstName", func(r *bookings.Request) { r.Guest.FirstName = " " }},
		{"e-mail", "Guest.Email", func(r *bookings.Request) { r.Guest.Email = "john" }},
		{"phone", "Guest.Phone", func(r *bookings.Request) { r.Guest.Phone = "555" }},
		{"long phone", "Guest.Phone", func(r *bookings.Request) { r.Guest.Phone = "+1555123456" + strings.Repeat(" ", 53) + "7" }},
		{"taxes in a different currency", "TaxesAndFees", func(r *bookings.Request) { r.TaxesAndFees = dynastay.MustMoney("1", "EUR") }},
		{"a tenth of a cent of taxes", "TaxesAndFees", func(r *bookings.Request) { r.TaxesAndFees = dynastay.MustMoney("0.001", "USD") }},
		{"a tenth of a cent of a price", "Quote.Lines[0].Nights[1].Price", quote(func(q *availability.Quote) { q.Lines[0].Nights[1].Price = dynastay.MustMoney("280.001", "USD") })},
		{"negative taxes", "TaxesAndFees", func(r *bookings.Request) { r.TaxesAndFees = dynastay.MustMoney("-1", "USD") }},
	} {
		req := good
		test.change(&req)
		_, err := repo.Create(t.Context(), req)
		blame.Invalid(t, err, test.field, test.name)
	}
	for _, test := range []struct {
		name, field string
		call        func() error
	}{
		{"empty booking id", "BookingID", func() error { _, err := repo.Get(t.Context(), ""); return err }},
		{"cancel an id with #", "BookingID", func() error { _, err := repo.Cancel(t.Context(), "a#b", "", nil); return err }},
		{"long reason", "Reason", func() error {
			_, err := repo.Cancel(t.Context(), "bkg_1", strings.Repeat("r", entity.MaxNote+1), nil)
			return err
		}},
		{"reason", "Reason", func() error { _, err := repo.Cancel(t.Context(), "bkg_1", "\xff", nil); return err }},
		{"empty reference", "Reference", func() error { _, err := repo.ByReference(t.Context(), " "); return err }},
		{"empty user", "UserID", func() error { _, err := repo.ByUser("").Page(t.Context(), dynastay.Paging{}); return err }},
		{"limit", "Paging.Limit", func() error {
			_, err := repo.ByUser("user_1").Page(t.Context(), dynastay.Paging{Limit: -1})
			return err
		}},
		{"cursor", "Paging.After", func() error {
			_, err := repo.ByUser("user_1").Page(t.Context(), dynastay.Paging{After: "AAAA"})
			return err
		}},
		{"empty idempotency key", "IdempotencyKey", func() error {
			_, err := repo.Create(t.Context(), good, dynastay.IdempotencyKey(""))
			return err
		}},
		{"no operations", "Operations", func() error { return db.Write(t.Context()) }},
	} {
		blame.Invalid(t, test.call(), test.field, test.name)
	}
	assert.Empty(t, stop(), "no request was sent")
}

// Text at its maximum length is stored. Text that is one byte longer, or not valid UTF-8, is refused before any
// request.
func TestTextsHaveLimits(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 2)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	quote := *req.Quote
	quote.Lines = append([]availability.Line{}, quote.Lines...)
	req.Quote = &quote
	const address = "@example.com"
	texts := []struct {
		field string
		most  int
		text  *string
	}{
		{"Guest.FirstName", 256, &req.Guest.FirstName},
		{"Guest.LastName", 256, &req.Guest.LastName},
		{"Guest.Email", 256, &req.Guest.Email},
		{"Guest.Country", 256, &req.Guest.Country},
		{"SpecialRequests", 2048, &req.SpecialRequests},
		{"Quote.Property.Name", 256, &quote.Property.Name},
		{"Quote.Property.CheckInTime", 256, &quote.Property.CheckInTime},
		{"Quote.Lines[0].Name", 256, &quote.Lines[0].Name},
		{"Quote.Lines[0].CancellationPolicy", 256, (*string)(&quote.Lines[0].CancellationPolicy)},
	}
	for _, test := range texts { // limits are in bytes, and an é has two
		*test.text = strings.Repeat("é", (test.most-len(address))/2) + address
	}
	quote.Lines[0].CancellationPolicy = availability.CustomPolicy(strings.Repeat("c", 249))
	stop := db.Faults.Record()
	for _, test := range texts {
		good := *test.text
		for _, bad := range []string{strings.Repeat("a", test.most+1-len(address)) + address, "\xff" + address} {
			*test.text = bad
			_, err := repo.Create(t.Context(), req)
			blame.Invalid(t, err, test.field, test.field)
		}
		*test.text = good
	}
	assert.Empty(t, stop(), "no request was sent")

	made, err := repo.Create(t.Context(), req)
	require.NoError(t, err)
	reason := strings.Repeat("r", 2048)
	_, err = repo.Cancel(t.Context(), made.ID, reason, nil)
	require.NoError(t, err)
	got, err := repo.Get(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, req.Guest, got.Guest)
	assert.Equal(t, reason, got.CancellationReason)
}

// A booking that needs more actions than a transaction can have is refused before any request: here, two room types for
// 90 nights.
func TestMoreThanATransactionHolds(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 2)
	hotel.Open(t, db.DB, availability.OpenRequest{Nights: dynastay.MustStay("2026-08-01", "2026-10-09"), Rooms: 2, Price: fixture.Price})
	long := hotel.Quote(t, db.DB, dynastay.MustStay("2026-07-02", "2026-09-30"), 1)
	require.Equal(t, availability.MaxNights, long.Stay.Nights())
	_, err := repo.Create(t.Context(), fixture.Request(long))
	require.NoError(t, err, "one room type for the longest stay fits")

	wide := *long
	for _, other := range []string{"room_other"} {
		line := long.Lines[0]
		line.RoomTypeID = other
		wide.Lines = append(wide.Lines[:1:1], line)
	}
	wide.Total, err = long.Total.Times(2)
	require.NoError(t, err)
	stop := db.Faults.Record()
	_, err = repo.Create(t.Context(), fixture.Request(&wide))
	blame.Invalid(t, err, "Operations", "184 actions")
	assert.Empty(t, stop())
}
