package users_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

func john(edits ...func(*users.User)) users.User {
	u := users.User{
		ID: "user_456", Email: "john.doe@example.com", EmailVerified: true, FirstName: "John", LastName: "Doe",
		Phone: "+1-555-123-4567", PhotoURL: "https://cdn.example.com/users/user_456.jpg", Role: users.Customer,
		Country: "USA", PreferredCurrency: "USD", PreferredLanguage: "en",
		LastLoginAt: time.Date(2024, 11, 18, 10, 0, 0, 0, time.UTC),
	}
	for _, edit := range edits {
		edit(&u)
	}
	return u
}

// testdata reads an item of the hotel-booking document.
func testdata(t *testing.T, name string) dynastay.Item {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var plain map[string]any
	require.NoError(t, decoder.Decode(&plain))
	item, err := attributevalue.MarshalMap(plain)
	require.NoError(t, err)
	return item
}

func put(t *testing.T, db *dyntest.DB, item dynastay.Item) {
	t.Helper()
	putIn(t, db, keys.UsersTable, item)
}

// putIn puts an item past the library.
func putIn(t *testing.T, db *dyntest.DB, s *dynastay.Schema, item dynastay.Item) {
	t.Helper()
	_, err := db.Engine.Client().PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(db.TableName(s)), Item: item})
	require.NoError(t, err)
}

// partition reads all items of a partition past the library.
func partition(t *testing.T, db *dyntest.DB, pk string) []map[string]any {
	t.Helper()
	return partitionOf(t, db, keys.UsersTable, pk)
}

func partitionOf(t *testing.T, db *dyntest.DB, s *dynastay.Schema, pk string) []map[string]any {
	t.Helper()
	out, err := db.Engine.Client().Query(t.Context(), &dynamodb.QueryInput{
		TableName: aws.String(db.TableName(s)), ConsistentRead: aws.Bool(true),
		KeyConditionExpression:    aws.String("PK = :pk"),
		ExpressionAttributeValues: dynastay.Item{":pk": dynastay.Text(pk)},
	})
	require.NoError(t, err)
	var items []map[string]any
	require.NoError(t, attributevalue.UnmarshalListOfMaps(out.Items, &items))
	return items
}

func assertField(t *testing.T, err, kind error, field string) {
	t.Helper()
	require.ErrorIs(t, err, kind)
	var invalid *dynastay.InvalidError
	var failure *dynastay.Error
	if kind == dynastay.ErrInvalid {
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, field, invalid.Field, "%v", err)
		return
	}
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, field, failure.Field, "%v", err)
}

// userTables are the tables that these tests use. DynamoDB Local becomes slower with every table it has ever had.
var userTables = dyntest.OnlyTables(keys.UsersTable, keys.MetadataTable)
