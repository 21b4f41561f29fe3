package keys_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// The keys of the example items in the hotel-booking document, and what becomes of those that it departs from.
func TestKeysOfTheDocument(t *testing.T) {
	const (
		propertyID, ownerID, roomTypeID = "prop_123", "user_456", "room_789"
		bookingID, userID, reviewID     = "bkg_12345", "user_456", "rev_999"
		wishlistID, imageID             = "wl_123", "img_001"
	)
	date := dynastay.MustDate("2025-01-15")
	bookedAt := time.Date(2024, 11, 10, 9, 15, 0, 0, time.UTC)
	reviewedAt := time.Date(2025, 1, 20, 10, 0, 0, 0, time.UTC)
	price, err := key.PriceOf(dynastay.MustMoney("150", "USD"))
	require.NoError(t, err)

	must := func(key dynastay.Key, err error) dynastay.Key {
		require.NoError(t, err)
		return key
	}
	for _, test := range []struct {
		got    dynastay.Key
		pk, sk string // as in the document
		now    string // the sort key here, where it is another one
	}{
		// Properties
		{must(keys.Of(keys.Property{PropertyID: propertyID})), "PROPERTY#prop_123", "METADATA", ""},
		{must(keys.Of(keys.PropertyByCity{City: "New York", Country: "USA", Rating: 92, PropertyID: propertyID})),
			"CITY#New York#USA", "RATING#9.2#PROPERTY#prop_123", "RATING#09.2#PROPERTY#prop_123"},
		{must(keys.Of(keys.PropertyByArea{Geohash: "dr5reg", Price: price, PropertyID: propertyID})),
			"GEO#dr5reg", "PRICE#150", "PRICE#000000000150.000#PROPERTY#prop_123"},
		{must(keys.Of(keys.PropertyByOwner{OwnerID: ownerID, PropertyID: propertyID})), "OWNER#user_456", "PROPERTY#prop_123", ""},
		{must(keys.Of(keys.PropertyByType{Type: "hotel", Rating: 92, PropertyID: propertyID})),
			"TYPE#hotel", "RATING#9.2", "RATING#09.2#PROPERTY#prop_123"},
		{must(keys.Of(keys.FeaturedProperty{Score: 95, PropertyID: propertyID})),
			"FEATURED", "SCORE#95#PROPERTY#prop_123", "SCORE#0000000095#PROPERTY#prop_123"},
		{must(keys.Of(keys.PropertyBySlug{Slug: "grand-luxury-hotel-new-york"})), "SLUG#grand-luxury-hotel-new-york", "PROPERTY", ""},
		{must(keys.Of(keys.RoomType{PropertyID: propertyID, RoomTypeID: roomTypeID})), "PROPERTY#prop_123", "ROOM#room_789", ""},
		{must(keys.Of(keys.Image{PropertyID: propertyID, ImageID: imageID})), "PROPERTY#prop_123", "IMAGE#img_001", ""},
		{must(keys.Of(keys.Amenity{PropertyID: propertyID, AmenityID: "wifi"})), "PROPERTY#prop_123", "AMENITY#wifi", ""},

		// Availability
		{must(keys.Of(keys.Night{RoomTypeID: roomTypeID, Date: date})), "ROOM#room_789", "DATE#2025-01-15", ""},
		{must(keys.Of(keys.NightByProperty{PropertyID: propertyID, Date: date, RoomTypeID: roomTypeID})),
			"PROPERTY#prop_123", "DATE#2025-01-15#ROOM#room_789", ""},

		// Bookings
		{must(keys.Of(keys.Booking{BookingID: bookingID})), "BOOKING#bkg_12345", "METADATA", ""},
		{must(keys.Of(keys.BookingByUser{UserID: userID, CheckIn: date, BookingID: bookingID})),
			"USER#user_456", "CHECKIN#2025-01-15#BOOKING#bkg_12345", ""},
		{must(keys.Of(keys.BookingByProperty{PropertyID: propertyID, CheckIn: date, BookingID: bookingID})),
			"PROPERTY#prop_123", "CHECKIN#2025-01-15#BOOKING#bkg_12345", ""},
		{must(keys.Of(keys.BookingByStatus{Status: "confirmed", Created: bookedAt, BookingID: bookingID})),
			"STATUS#confirmed", "CREATED#2024-11-10T09:15:00Z", "CREATED#2024-11-10T09:15:00Z#BOOKING#bkg_12345"},
		{must(keys.Of(keys.BookingByReference{Reference: "BKG-2024-XYZ123"})), "REFERENCE#BKG-2024-XYZ123", "BOOKING", ""},
		{must(keys.Of(keys.Payment{BookingID: bookingID})), "BOOKING#bkg_12345", "PAYMENT", ""},
		{must(keys.Of(keys.BookingRoom{BookingID: bookingID, RoomTypeID: roomTypeID})), "BOOKING#bkg_12345", "ROOM#room_789", ""},

		// Users
		{must(keys.Of(keys.Profile{UserID: userID})), "USER#user_456", "PROFILE", ""},
		{must(keys.Of(keys.ProfileByEmail{Email: "john.doe@example.com"})), "EMAIL#john.doe@example.com", "USER", ""},
		{must(keys.Of(keys.Loyalty{UserID: userID})), "USER#user_456", "LOYALTY", ""},
		{must(keys.Of(keys.Preference{UserID: userID})), "USER#user_456", "PREFERENCE", ""},

		// Reviews
		{must(keys.Of(keys.Review{ReviewID: reviewID})), "REVIEW#rev_999", "METADATA", ""},
		{must(keys.Of(keys.ReviewByProperty{PropertyID: propertyID, Created: reviewedAt, ReviewID: reviewID})),
			"PROPERTY#prop_123", "CREATED#2025-01-20T10:00:00Z", "CREATED#2025-01-20T10:00:00Z#REVIEW#rev_999"},
		{must(keys.Of(keys.ReviewByUser{UserID: userID, Created: reviewedAt, ReviewID: reviewID})),
			"USER#user_456", "CREATED#2025-01-20T10:00:00Z", "CREATED#2025-01-20T10:00:00Z#REVIEW#rev_999"},
		{must(keys.Of(keys.ReviewByStatus{Status: "approved", Created: reviewedAt, ReviewID: reviewID})),
			"STATUS#approved", "CREATED#2025-01-20T10:00:00Z", "CREATED#2025-01-20T10:00:00Z#REVIEW#rev_999"},
		{must(keys.Of(keys.ReviewByBooking{BookingID: bookingID})), "BOOKING#bkg_12345", "REVIEW", ""},
		{must(keys.Of(keys.Response{ReviewID: reviewID})), "REVIEW#rev_999", "RESPONSE", ""},

		// Metadata
		{must(keys.Of(keys.Wishlist{UserID: userID, WishlistID: wishlistID})), "USER#user_456", "WISHLIST#wl_123", ""},
		{must(keys.Of(keys.CatalogItem{Catalog: "amenities", ItemID: "wifi"})), "CATALOG#amenities", "ITEM#wifi", ""},
		{must(keys.Of(keys.PromoCode{Code: "SUMMER2024"})), "PROMO#SUMMER2024", "METADATA", ""},
	} {
		want := dynastay.Key{PK: test.pk, SK: test.sk}
		if test.now != "" {
			want.SK = test.now
		}
		assert.Equal(t, want, test.got)
	}
}
