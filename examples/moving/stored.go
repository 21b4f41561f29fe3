package main

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// stored are the items of other software, in the form of the design document: without guards and write ids, and without the index
// keys of lists that it does not have.
func stored(yield func(*dynastay.Schema, dynastay.Item) bool) {
	type item = map[string]any
	price := item{"Min": 140, "Max": 140, "Currency": "EUR"}
	all := []struct {
		table *dynastay.Schema
		item  item
	}{
		{keys.PropertiesTable, item{
			"PK": "PROPERTY#harbour", "SK": "METADATA", "EntityType": "Property", "PropertyId": "harbour", "Name": "Harbour House", "Slug": "harbour-house",
			"PropertyType": "hotel", "OwnerId": "host", "Status": "approved", "StarRating": 4, "TimeZone": "Europe/Lisbon", "PriceRange": price,
			"Address":       item{"Line1": "Rua do Arsenal 7", "City": "Lisbon", "Country": "Portugal", "Latitude": 38.7081, "Longitude": -9.1340},
			"AverageRating": 8, "ReviewCount": 1, "CreatedAt": "2036-01-15T10:30:00Z", "UpdatedAt": "2036-11-18T14:20:00Z",
		}},
		{keys.PropertiesTable, item{
			"PK": "PROPERTY#harbour", "SK": "ROOM#double", "EntityType": "RoomType", "RoomTypeId": "double", "PropertyId": "harbour", "Name": "Double Room",
			"MaxOccupancy": 2, "MaxAdults": 2, "TotalRooms": 2, "BasePricePerNight": 140, "Currency": "EUR",
		}},
		{keys.UsersTable, item{
			"PK": "USER#ada", "SK": "PROFILE", "EntityType": "User", "UserId": "ada", "Email": "ada@example.com", "FirstName": "Ada", "LastName": "Byron",
			"Role": "customer", "CreatedAt": "2036-02-01T10:00:00Z",
		}},
		{keys.BookingsTable, item{
			"PK": "BOOKING#b1", "SK": "METADATA", "EntityType": "Booking", "BookingId": "b1", "BookingReference": "BKG-2037-AAA111", "UserId": "ada",
			"PropertyId": "harbour", "Status": "confirmed", "CheckInDate": "2037-07-10", "CheckOutDate": "2037-07-12", "NumberOfNights": 2,
			"NumberOfAdults": 2, "NumberOfChildren": 0, "GuestInfo": item{"FirstName": "Ada", "LastName": "Byron", "Email": "ada@example.com"},
			"TotalAmount": 280, "Currency": "EUR", "PaymentStatus": "pending", "PriceBreakdown": item{"RoomTotal": 280, "TaxesAndFees": 0, "Discounts": 0},
			"CancellationPolicy": "free_cancellation_48h", "CreatedAt": "2037-06-01T09:15:00Z",
		}},
		{keys.BookingsTable, item{
			"PK": "BOOKING#b1", "SK": "ROOM#double", "EntityType": "BookingRoom", "BookingId": "b1", "RoomTypeId": "double", "Quantity": 1,
			"PricePerNight": 140, "Subtotal": 280, "RoomName": "Double Room",
		}},
		{keys.ReviewsTable, item{
			"PK": "REVIEW#r1", "SK": "METADATA", "EntityType": "Review", "ReviewId": "r1", "PropertyId": "harbour", "UserId": "ada", "BookingId": "b0",
			"OverallRating": 8, "Title": "Quiet", "Comment": "And near the river.", "Status": "approved", "IsVerifiedStay": true,
			"CreatedAt": "2036-09-01T10:00:00Z", "ApprovedAt": "2036-09-02T10:00:00Z",
		}},
	}
	for day, left := range []int{1, 1, 2, 2} { // the first two nights have a guest
		date := fmt.Sprintf("2037-07-%d", 10+day)
		all = append(all, struct {
			table *dynastay.Schema
			item  item
		}{keys.AvailabilityTable, item{
			"PK": "ROOM#double", "SK": "DATE#" + date, "EntityType": "Availability", "RoomTypeId": "double", "PropertyId": "harbour", "Date": date,
			"AvailableRooms": left, "TotalRooms": 2, "PricePerNight": 140, "Currency": "EUR", "LastUpdated": "2037-06-01T09:15:00Z",
		}})
	}
	for _, one := range all {
		stored, err := attributevalue.MarshalMap(one.item)
		if err != nil {
			panic(err) // a map of texts and numbers
		}
		if !yield(one.table, stored) {
			return
		}
	}
}

// file is what the old booking system exports. Line 4 has no night, and line 7 wants more rooms than there are.
const file = `ID,Property.ID,Stay.CheckIn,Stay.CheckOut,Guests.Adults,Rooms[0].RoomTypeID,Rooms[0].Quantity,Rooms[0].Agreed,Guest.FirstName,Guest.LastName,Guest.Email,Status,CreatedAt
4711,harbour,2036-07-10,2036-07-12,2,double,1,120.00 EUR;120.00 EUR,Ben,Hill,ben@example.com,completed,2036-01-02T03:04:05Z
4712,harbour,2037-07-10,2037-07-12,1,double,1,130.00 EUR;130.00 EUR,Cleo,Hart,cleo@example.com,confirmed,2037-01-02T03:04:05Z
4713,harbour,2037-07-12,2037-07-12,1,double,1,130.00 EUR,Dan,Kay,dan@example.com,confirmed,2037-01-02T03:04:05Z
4714,harbour,2037-07-12,2037-07-13,1,double,1,130.00 EUR,Eve,Lund,eve@example.com,confirmed,2037-01-02T03:04:05Z
4715,harbour,2037-07-12,2037-07-13,1,double,1,130.00 EUR,Fay,Moss,fay@example.com,confirmed,2037-01-02T03:04:05Z
4716,harbour,2037-07-12,2037-07-13,3,double,3,130.00 EUR,Gus,Nash,gus@example.com,confirmed,2037-01-02T03:04:05Z
`
