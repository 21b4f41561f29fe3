package bookings_test

import (
	"maps"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// plain converts an item for comparison: numbers by value, NULL like a missing attribute.
func plain(t *testing.T, item dynastay.Item) map[string]any {
	t.Helper()
	m := raw.Plain(t, item)
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
	return m
}

// The document's booking has neither a number of rooms nor a version; reading and writing it must not add them.
func TestDocumentBookingRoundTrips(t *testing.T) {
	t.Parallel()
	item := raw.Document(t, "testdata/booking.json")
	b, err := bookings.BookingEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	again, err := bookings.BookingEntity.Item(b)
	require.NoError(t, err)
	want := plain(t, item)
	want["GSI3SK"] = "CREATED#2024-11-10T09:15:00Z#BOOKING#bkg_12345" // ends with the id
	want["GSI5PK"], want["GSI5SK"] = "CHECKIN#2025-01-15", "PROPERTY#prop_123#BOOKING#bkg_12345"
	assert.Equal(t, want, plain(t, again))
}

// The document's items are read, listed and cancelled unchanged, as other software would have written them.
func TestDocumentItems(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _, repo := open(t, 1)
	db.Clock.Set(time.Date(2024, 11, 10, 9, 20, 0, 0, time.UTC))
	raw.Put(t, db, bookingsTable, raw.Document(t, "testdata/booking.json"))
	raw.Put(t, db, bookingsTable, raw.Document(t, "testdata/line.json"))
	usd := func(amount string) dynastay.Money { return dynastay.MustMoney(amount, "USD") }
	summary := bookings.Summary{
		ID: "bkg_12345", Reference: "BKG-2024-XYZ123", UserID: "user_456", PropertyID: "prop_123",
		Guest: bookings.Guest{
			FirstName: "John", LastName: "Doe", Email: "john.doe@example.com", Phone: "+1-555-123-4567", Country: "USA",
		},
		Stay: dynastay.MustStay("2025-01-15", "2025-01-18"), Guests: availability.Guests{Adults: 2, Children: 1},
		Status: bookings.Confirmed, PaymentStatus: bookings.PaymentPaid, Total: usd("840.00"),
		CreatedAt: time.Date(2024, 11, 10, 9, 15, 0, 0, time.UTC),
	}

	b, err := repo.Get(ctx, "bkg_12345")
	require.NoError(t, err)
	assert.Equal(t, summary, b.Summary)
	assert.Equal(t, bookings.Breakdown{Rooms: usd("750.00"), TaxesAndFees: usd("90.00"), Discounts: usd("0.00")}, b.Breakdown)
	require.Len(t, b.Lines, 1)
	assert.Equal(t, bookings.Line{
		Line:      availability.Line{RoomTypeID: "room_789", Name: "Deluxe King Suite", Quantity: 1, Subtotal: usd("750.00")},
		BookingID: "bkg_12345", RoomIDs: []string{"room_001"}, PricePerNight: usd("250.00"),
	}, b.Lines[0])
	page, err := repo.ByUser("user_456").Page(ctx, dynastay.Paging{})
	require.NoError(t, err)
	assert.Equal(t, []*bookings.Summary{&summary}, page.Items)

	cancelled, err := repo.Cancel(ctx, "bkg_12345", "", nil)
	require.NoError(t, err)
	assert.Len(t, cancelled.Missing, 3, "its nights are not in the inventory")
	row, err := db.Get(ctx, bookingsTable, keyOf("bkg_12345"), dynastay.Consistent)
	require.NoError(t, err)
	assert.NotContains(t, row.Item(), "NumberOfRooms", "a cancellation does not add the number of rooms")
}

// The nights of a line are stored as a map and returned in the order of their dates.
func TestNightsOfALineAreInOrder(t *testing.T) {
	t.Parallel()
	db, _, repo := open(t, 1)
	raw.Put(t, db, bookingsTable, raw.Document(t, "testdata/booking.json"))
	line := raw.Document(t, "testdata/line.json")
	prices := &types.AttributeValueMemberM{Value: dynastay.Item{}}
	line["NightlyPrices"] = prices
	var want []availability.NightPrice
	for date := range dynastay.MustStay("2025-01-25", "2025-02-07").Dates() {
		price := dynastay.MustMoney(strconv.Itoa(100+len(want)), "USD")
		want = append(want, availability.NightPrice{Date: date, Price: price})
		prices.Value[date.String()] = &types.AttributeValueMemberN{Value: price.Digits()}
	}
	raw.Put(t, db, bookingsTable, line)
	b, err := repo.Get(t.Context(), "bkg_12345")
	require.NoError(t, err)
	assert.Equal(t, want, b.Lines[0].Nights)

	prices.Value["tonight"] = &types.AttributeValueMemberN{Value: "100"}
	raw.Put(t, db, bookingsTable, line)
	_, err = repo.Get(t.Context(), "bkg_12345")
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.ErrorContains(t, err, "NightlyPrices")
}

// A stored booking with an unknown policy and a price in fractions of a cent can be read and cancelled.
func TestStoredBookingIsNotValidated(t *testing.T) {
	t.Parallel()
	db, _, repo := open(t, 1)
	db.Clock.Set(time.Date(2024, 11, 10, 9, 20, 0, 0, time.UTC))
	booking, line := raw.Document(t, "testdata/booking.json"), raw.Document(t, "testdata/line.json")
	booking["CancellationPolicy"], line["CancellationPolicy"] = dynastay.Text("nonrefundable"), dynastay.Text("nonrefundable")
	line["Subtotal"] = &types.AttributeValueMemberN{Value: "750.001"}
	raw.Put(t, db, bookingsTable, booking)
	raw.Put(t, db, bookingsTable, line)
	b, err := repo.Get(t.Context(), "bkg_12345")
	require.NoError(t, err)
	assert.Equal(t, availability.CancellationPolicy("nonrefundable"), b.CancellationPolicy)
	assert.Equal(t, availability.CancellationPolicy("nonrefundable"), b.Lines[0].CancellationPolicy)
	assert.Equal(t, "750.001 USD", b.Lines[0].Subtotal.String())
	_, err = repo.Cancel(t.Context(), "bkg_12345", "", nil)
	assert.NoError(t, err)
}

// A list shows when the hold of a booking expires.
func TestPendingBookingIsListed(t *testing.T) {
	t.Parallel()
	db, _, repo := open(t, 1)
	b, err := bookings.BookingEntity.Value(dynastay.RowOf(raw.Document(t, "testdata/booking.json")))
	require.NoError(t, err)
	b.Status, b.HoldExpiresAt = bookings.Pending, fixture.Now.Add(15*time.Minute)
	item, err := bookings.BookingEntity.Item(b)
	require.NoError(t, err)
	assert.Equal(t, dynastay.Text("EXPIRES#2026-06-01T12:15:00Z#BOOKING#bkg_12345"), item["GSI6SK"])
	raw.Put(t, db, bookingsTable, item)
	page, err := repo.ByUser(b.UserID).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Equal(t, []*bookings.Summary{&b.Summary}, page.Items)
}

// The error of an unreadable row names the booking by its key, because the row has no other id.
func TestUnreadableRowNamesItsBooking(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(dynastay.Item){
		"Booking bkg_12345 (NumberOfAdults)": func(item dynastay.Item) { item["NumberOfAdults"] = dynastay.Text("two") },
		"Booking BOOKING#bkg_12345/PAYMENT":  func(item dynastay.Item) { item["SK"] = dynastay.Text("PAYMENT") },
	} {
		db, hotel, repo := open(t, 1)
		_, err := repo.Create(t.Context(), fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
		require.NoError(t, err)
		whole, err := repo.ByUser("user_456").Page(t.Context(), dynastay.Paging{})
		require.NoError(t, err)
		item := raw.Document(t, "testdata/booking.json")
		spoil(item)
		raw.Put(t, db, bookingsTable, item)
		page, err := repo.ByUser("user_456").Page(t.Context(), dynastay.Paging{})
		require.ErrorIs(t, err, dynastay.ErrCorrupt)
		assert.ErrorContains(t, err, name)
		assert.Equal(t, whole, page, "it hides no other booking")
	}
}
