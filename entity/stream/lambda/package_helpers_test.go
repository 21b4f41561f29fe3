package lambda_test

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// streaming are the library's tables, all with a stream.
func streaming() []*dynastay.Schema {
	tables := keys.Tables()
	for i, s := range tables {
		table := *s
		table.Stream = true
		tables[i] = &table
	}
	return tables
}

// tell creates, changes and deletes an entity of each table, with ids in a fixed order.
func tell(t *testing.T) *dyntest.DB {
	t.Helper()
	var drawn atomic.Int64
	stay := dynastay.MustStay("2026-07-10", "2026-07-11")
	db := dyntest.New(t, dyntest.OnlyTables(streaming()...), dyntest.Streams(),
		dyntest.At(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)),
		dyntest.With(dynastay.Options{
			NewID:    func(prefix string) string { return prefix + strconv.FormatInt(drawn.Add(1), 10) },
			IndexLag: time.Nanosecond,
		}))
	ctx := t.Context()
	hotels, sold, guests := properties.New(db.DB, nil), bookings.New(db.DB, nil), users.New(db.DB, nil)
	opinions := reviews.New(db.DB, hotels, nil)

	guest, err := guests.Create(ctx, users.User{Email: "ada@example.com", FirstName: "Ada", LastName: "King", Role: users.Customer})
	require.NoError(t, err)
	_, err = guests.Update(ctx, guest.ID, func(u *users.User) error { u.LastName = "Lovelace"; return nil })
	require.NoError(t, err)

	hotel, err := hotels.Create(ctx, properties.Property{
		Name: "Inn", Slug: "inn", Type: properties.Hotel, OwnerID: "user_host", Status: properties.Approved,
		TimeZone: "Europe/Rome", CheckInTime: "15:00", CancellationPolicy: availability.FreeCancellation(48),
		Address: properties.Address{City: "Rome", Country: "Italy", Latitude: 41.9028, Longitude: 12.4964},
	}, []properties.RoomType{{
		Name: "Double", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, Total: 2,
		BasePrice: dynastay.MustMoney("120.00", "EUR"),
	}})
	require.NoError(t, err)
	roomType := hotel.Rooms[0].ID
	_, err = hotels.Update(ctx, hotel.ID, func(p *properties.Property) error { p.Name = "Grand Inn"; return nil })
	require.NoError(t, err)
	_, err = availability.New(db.DB).Open(ctx, availability.OpenRequest{
		PropertyID: hotel.ID, RoomTypeID: roomType, Nights: stay, Rooms: 2, Price: dynastay.MustMoney("120.00", "EUR"),
	})
	require.NoError(t, err)

	list, err := guests.CreateWishlist(ctx, users.Wishlist{UserID: guest.ID, Name: "Rome"})
	require.NoError(t, err)
	_, err = guests.AddToWishlist(ctx, guest.ID, list.ID, hotel.ID)
	require.NoError(t, err)

	ask, err := hotel.Card().QuoteRequest(stay, availability.Guests{Adults: 2}, properties.Choice{RoomTypeID: roomType, Quantity: 1})
	require.NoError(t, err)
	quote, err := availability.New(db.DB).Quote(ctx, ask)
	require.NoError(t, err)
	booking, err := sold.Create(ctx, bookings.Request{Quote: quote, UserID: guest.ID, Guest: bookings.Guest{
		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", Phone: "+39-06-123-4567", Country: "Italy",
	}})
	require.NoError(t, err)
	db.Clock.Set(time.Date(2026, 7, 10, 16, 0, 0, 0, time.UTC))
	_, err = sold.CheckIn(ctx, booking.ID, bookings.Assigned{roomType: {"301"}})
	require.NoError(t, err)
	db.Clock.Set(time.Date(2026, 7, 11, 9, 0, 0, 0, time.UTC))
	_, err = sold.CheckOut(ctx, booking.ID)
	require.NoError(t, err)

	review, err := opinions.Create(ctx, reviews.Review{
		BookingID: booking.ID, UserID: guest.ID, PropertyID: hotel.ID, StayDate: stay.CheckIn,
		Ratings: reviews.Ratings{Overall: 90}, Title: "Quiet rooms", GuestName: "Ada L.",
	})
	require.NoError(t, err)
	_, err = opinions.Approve(ctx, review.ID, review.Version)
	require.NoError(t, err)
	require.NoError(t, opinions.Delete(ctx, review.ID))

	_, err = guests.Erase(ctx, guest.ID)
	require.NoError(t, err)

	night, err := keys.Of(keys.Night{RoomTypeID: roomType, Date: stay.CheckIn})
	require.NoError(t, err)
	raw.Delete(t, db, keys.AvailabilityTable, night) // as DynamoDB does two years later
	return db
}
