package bookings_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

var bookingsTable, availabilityTable = keys.BookingsTable, keys.AvailabilityTable

func keyOf(bookingID string) dynastay.Key {
	return dynastay.Key{PK: "BOOKING#" + bookingID, SK: "METADATA"}
}

func nightKey(roomTypeID string, date dynastay.Date) dynastay.Key {
	return dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "DATE#" + date.String()}
}

// onceOnly opens the database as a separate process that sends every request only once.
func onceOnly(db *dyntest.DB) *dynastay.DB {
	client := dynamodb.New(db.Client.Options(), func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	return dynastay.Open(client, &dynastay.Options{
		TablePrefix: strings.TrimSuffix(db.TableName(bookingsTable), bookingsTable.Name),
		Clock:       fixture.Clock,
		Retry:       dynastay.Retry{Attempts: 1},
	})
}

// remove deletes a night without the library.
func remove(t *testing.T, db *dyntest.DB, key dynastay.Key) {
	t.Helper()
	raw.Delete(t, db, keys.AvailabilityTable, key)
}

// removeAttributes removes attributes of a booking without the library.
func removeAttributes(t *testing.T, db *dyntest.DB, key dynastay.Key, names ...string) {
	t.Helper()
	raw.Update(t, db, bookingsTable, key, "REMOVE "+strings.Join(names, ", "), nil)
}

// change sets attributes of a night without the library.
func change(t *testing.T, db *dyntest.DB, key dynastay.Key, set string, values dynastay.Item) {
	t.Helper()
	raw.Update(t, db, keys.AvailabilityTable, key, "SET "+set, values)
}

// bookingTables are the tables that these tests use. DynamoDB Local becomes slower with every table and every index it
// has ever had; these tests find no properties, so Properties has no indexes.
var bookingTables = dyntest.OnlyTables(keys.BookingsTable, keys.AvailabilityTable, withoutIndexes(keys.PropertiesTable), keys.MetadataTable)

func withoutIndexes(s *dynastay.Schema) *dynastay.Schema {
	bare := *s
	bare.Indexes = nil
	return &bare
}

// setBooking sets an attribute of a booking without the library.
func setBooking(t *testing.T, db *dyntest.DB, key dynastay.Key, name string, v types.AttributeValue) {
	t.Helper()
	raw.Set(t, db, bookingsTable, key, v, name)
}

// open returns a database, a hotel with rooms on sale, and the repository.
func open(t *testing.T, rooms int) (*dyntest.DB, fixture.Hotel, *bookings.Repository) {
	t.Helper()
	db := dyntest.New(t, bookingTables, dyntest.At(fixture.Now))
	return db, fixture.New(t, db.DB, rooms), bookings.New(db.DB, nil)
}

// A random test of this package makes 20 histories, a fifth of rapid's default: with more, the package takes too long
// on DynamoDB Local. -rapid.checks changes it.
func init() {
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
}
