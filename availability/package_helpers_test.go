package availability_test

import (
	"context"
	"flag"
	"maps"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

const (
	propertyID = "prop_123"
	roomTypeID = "room_789"
)

var (
	null = &types.AttributeValueMemberNULL{Value: true}
	yes  = &types.AttributeValueMemberBOOL{Value: true}
	no   = &types.AttributeValueMemberBOOL{Value: false}
)

// open returns an empty database and the repository.
func open(t *testing.T) (*dyntest.DB, *availability.Repository) {
	t.Helper()
	db := dyntest.New(t, inventoryTables, dyntest.With(dynastay.Options{Clock: fixture.Clock}))
	return db, availability.New(db.DB)
}

// openHotel returns a database with the hotel of [fixture.New].
func openHotel(t *testing.T, rooms int) (*dyntest.DB, fixture.Hotel, *availability.Repository) {
	t.Helper()
	db, repo := open(t)
	return db, fixture.New(t, db.DB, rooms), repo
}

func date(text string) dynastay.Date { return dynastay.MustDate(text) }

func dates(texts ...string) []dynastay.Date {
	all := make([]dynastay.Date, len(texts))
	for i, text := range texts {
		all[i] = date(text)
	}
	return all
}

func money(text string) dynastay.Money {
	m, err := dynastay.ParseMoney(text)
	if err != nil {
		panic(err)
	}
	return m
}

func number(text string) types.AttributeValue { return &types.AttributeValueMemberN{Value: text} }

// night is a night on sale as other software may store it: 5 rooms at 280 USD, with the attributes of more. A nil value
// removes an attribute.
func night(roomTypeID, date string, more ...dynastay.Item) dynastay.Item {
	item := dynastay.Item{
		"PK": dynastay.Text("ROOM#" + roomTypeID), "SK": dynastay.Text("DATE#" + date),
		"EntityType": dynastay.Text("Availability"),
		"RoomTypeId": dynastay.Text(roomTypeID), "PropertyId": dynastay.Text(propertyID), "Date": dynastay.Text(date),
		"AvailableRooms": dynastay.Number(5), "TotalRooms": dynastay.Number(5),
		"PricePerNight": number("280"), "Currency": dynastay.Text("USD"), "IsBlocked": no,
	}
	for _, attributes := range more {
		for name, v := range attributes {
			if item[name] = v; v == nil {
				delete(item, name)
			}
		}
	}
	return item
}

// putNights writes nights without the library.
func putNights(t raw.T, db *dyntest.DB, items ...dynastay.Item) {
	raw.Put(t, db, keys.AvailabilityTable, items...)
}

// putGuard writes the guard that ties a room type to a property.
func putGuard(t raw.T, db *dyntest.DB, roomTypeID, propertyID string, more dynastay.Item) {
	guard := dynastay.Item{
		"PK": dynastay.Text("ROOM#" + roomTypeID), "SK": dynastay.Text("GUARD"), "PropertyId": dynastay.Text(propertyID),
	}
	for name, v := range more {
		guard[name] = v
	}
	raw.Put(t, db, keys.PropertiesTable, guard)
}

// putRoomType writes what Open requires of a room type: its guard, and its item with 5 rooms in USD and the attributes
// of more. The property has no item.
func putRoomType(t raw.T, db *dyntest.DB, roomTypeID string, more ...dynastay.Item) {
	putGuard(t, db, roomTypeID, propertyID, nil)
	putRoom(t, db, roomTypeID, more...)
}

func putRoom(t raw.T, db *dyntest.DB, roomTypeID string, more ...dynastay.Item) {
	item := dynastay.Item{
		"PK": dynastay.Text("PROPERTY#" + propertyID), "SK": dynastay.Text("ROOM#" + roomTypeID),
		"Currency": dynastay.Text("USD"), "TotalRooms": dynastay.Number(5),
	}
	for _, attributes := range more {
		maps.Copy(item, attributes)
	}
	raw.Put(t, db, keys.PropertiesTable, item)
}

// putProperty writes the property with a time zone.
func putProperty(t raw.T, db *dyntest.DB, zone string) {
	raw.Put(t, db, keys.PropertiesTable, dynastay.Item{
		"PK": dynastay.Text("PROPERTY#" + propertyID), "SK": dynastay.Text("METADATA"), "TimeZone": dynastay.Text(zone),
	})
}

// change sets attributes of an item without the library.
func change(t *testing.T, db *dyntest.DB, s *dynastay.Schema, key dynastay.Key, set string, values dynastay.Item) {
	t.Helper()
	raw.Update(t, db, s, key, "SET "+set, values)
}

// stored reads a night without the library. It returns nil if the night has no item.
func stored(t *testing.T, db *dyntest.DB, roomTypeID, date string) dynastay.Item {
	t.Helper()
	return raw.Get(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "DATE#" + date})
}

// remove deletes a night without the library.
func remove(t *testing.T, db *dyntest.DB, roomTypeID, date string) {
	t.Helper()
	raw.Delete(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "DATE#" + date})
}

// count returns how many of the requests are of one operation.
func count(requests []dyntest.Request, operation string) (n int) {
	for _, r := range requests {
		if r.Operation == operation {
			n++
		}
	}
	return n
}

// between returns a repository that calls do between its first read and its write.
func between(db *dyntest.DB, do func()) *availability.Repository {
	db.Faults.Inject(dyntest.Before(func(context.Context) { do() }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	return availability.New(db.DB)
}

// allPrices reads a range that is longer than the longest stay.
func allPrices(t *testing.T, repo *availability.Repository, all dynastay.Stay) (prices []availability.NightPrice) {
	t.Helper()
	for from := all.CheckIn; from.Before(all.CheckOut); from = from.AddDays(availability.MaxNights) {
		part := dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(availability.MaxNights)}
		if part.CheckOut.After(all.CheckOut) {
			part.CheckOut = all.CheckOut
		}
		got, err := repo.Prices(t.Context(), roomTypeID, part)
		require.NoError(t, err)
		prices = append(prices, got.Nights...)
	}
	return prices
}

// room requests rooms of one type, each for at most 2 adults, 1 child and 2 guests in all.
func room(roomTypeID string, quantity int) availability.Room {
	return availability.Room{
		RoomTypeID: roomTypeID, Name: "Deluxe King", Quantity: quantity, Limits: availability.Limits{MaxAdults: 2, MaxChildren: 1, MaxOccupancy: 2},
		CancellationPolicy: availability.FreeCancellation(48),
	}
}

// request requests a quote for one adult in each room.
func request(stay dynastay.Stay, rooms ...availability.Room) availability.QuoteRequest {
	req := availability.QuoteRequest{
		Property: availability.House{ID: propertyID, Name: "Grand Luxury Hotel", TimeZone: "America/New_York", CheckInTime: "15:00"},
		Stay:     stay, Rooms: rooms,
	}
	for _, room := range rooms {
		req.Guests.Adults += room.Quantity
	}
	return req
}

// quoteOf makes a quote without the database, as a browser might send it, with the same price for every night.
func quoteOf(t require.TestingT, req availability.QuoteRequest, price dynastay.Money) *availability.Quote {
	q := &availability.Quote{Property: req.Property, Stay: req.Stay, Guests: req.Guests, At: fixture.Now}
	for _, room := range req.Rooms {
		line := lineOf(room)
		q.Sleeps.MaxAdults += room.MaxAdults * room.Quantity
		q.Sleeps.MaxChildren += room.MaxChildren * room.Quantity
		q.Sleeps.MaxOccupancy += room.MaxOccupancy * room.Quantity
		for date := range req.Stay.Dates() {
			line.Nights = append(line.Nights, availability.NightPrice{Date: date, Price: price})
		}
		var err error
		line.Subtotal, err = price.Times(room.Quantity * req.Stay.Nights())
		require.NoError(t, err)
		q.Total, err = q.Total.Add(line.Subtotal)
		require.NoError(t, err)
		q.Lines = append(q.Lines, line)
	}
	return q
}

// lineOf returns a line without prices.
func lineOf(room availability.Room) availability.Line {
	return availability.Line{
		RoomTypeID: room.RoomTypeID, Name: room.Name, Quantity: room.Quantity, CancellationPolicy: room.CancellationPolicy,
	}
}

// assertKind asserts that err is of a kind and names a field.
func assertKind(t *testing.T, err, kind error, field string) {
	t.Helper()
	var failed *dynastay.Error
	if assert.ErrorAs(t, err, &failed) {
		assert.ErrorIs(t, err, kind)
		assert.NotErrorIs(t, err, dynastay.ErrInvalid, "it is not the caller's mistake")
		assert.Equal(t, field, failed.Field)
	}
}

// inventoryTables are the tables that these tests use. DynamoDB Local becomes slower with every table and every index it
// has ever had; these tests read only the guards of the room types from Properties, and only write to Bookings.
var inventoryTables = dyntest.OnlyTables(
	keys.AvailabilityTable, keys.MetadataTable, withoutIndexes(keys.PropertiesTable), withoutIndexes(keys.BookingsTable),
)

func withoutIndexes(s *dynastay.Schema) *dynastay.Schema {
	return &dynastay.Schema{Name: s.Name, Key: s.Key}
}

// A random test of this package makes 20 histories, a fifth of rapid's default: with more, the package takes too long
// on DynamoDB Local. -rapid.checks changes it.
func init() {
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
}

// second returns the error of a call whose result does not matter.
func second[T any](_ T, err error) error { return err }
