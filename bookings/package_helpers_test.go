package bookings_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
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

// put writes an item without the library.
func put(t *testing.T, db *dyntest.DB, table string, item dynastay.Item) {
	t.Helper()
	_, err := db.Client.PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String(db.TableName(&dynastay.Schema{Name: table})), Item: item,
	})
	require.NoError(t, err)
}

// remove deletes a night without the library.
func remove(t *testing.T, db *dyntest.DB, key dynastay.Key) {
	t.Helper()
	removeItem(t, db, keys.AvailabilityTable, key)
}

// removeItem deletes an item without the library.
func removeItem(t *testing.T, db *dyntest.DB, s *dynastay.Schema, key dynastay.Key) {
	t.Helper()
	_, err := db.Client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String(db.TableName(s)), Key: s.Key.Of(key),
	})
	require.NoError(t, err)
}

// removeAttributes removes attributes of a booking without the library.
func removeAttributes(t *testing.T, db *dyntest.DB, key dynastay.Key, names ...string) {
	t.Helper()
	for _, name := range names {
		_, err := db.Client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: aws.String(db.TableName(bookingsTable)), Key: bookingsTable.Key.Of(key),
			UpdateExpression: aws.String("REMOVE " + name),
		})
		require.NoError(t, err)
	}
}

// change sets attributes of a night without the library.
func change(t *testing.T, db *dyntest.DB, key dynastay.Key, set string, values dynastay.Item) {
	t.Helper()
	s := keys.AvailabilityTable
	_, err := db.Client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(db.TableName(s)), Key: s.Key.Of(key),
		UpdateExpression: aws.String("SET " + set), ExpressionAttributeValues: values,
	})
	require.NoError(t, err)
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
	setAttribute(t, db, bookingsTable, key, name, v)
}

// setAttribute changes an item without the library.
func setAttribute(t *testing.T, db *dyntest.DB, s *dynastay.Schema, key dynastay.Key, name string, v types.AttributeValue) {
	t.Helper()
	_, err := db.Client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(db.TableName(s)), Key: s.Key.Of(key),
		UpdateExpression: aws.String("SET #name = :v"), ExpressionAttributeNames: map[string]string{"#name": name},
		ExpressionAttributeValues: dynastay.Item{":v": v},
	})
	require.NoError(t, err)
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
