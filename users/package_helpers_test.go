package users_test

import (
	"testing"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
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

func put(t *testing.T, db *dyntest.DB, item dynastay.Item) {
	t.Helper()
	raw.Put(t, db, keys.UsersTable, item)
}

// partition reads all items of a partition past the library.
func partition(t *testing.T, db *dyntest.DB, pk string) []map[string]any {
	t.Helper()
	return raw.Plains(t, raw.Partition(t, db, keys.UsersTable, pk))
}

func partitionOf(t *testing.T, db *dyntest.DB, s *dynastay.Schema, pk string) []map[string]any {
	t.Helper()
	return raw.Plains(t, raw.Partition(t, db, s, pk))
}

// userTables are the tables that these tests use. DynamoDB Local becomes slower with every table it has ever had.
var userTables = dyntest.OnlyTables(keys.UsersTable, keys.MetadataTable)
