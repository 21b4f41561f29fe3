package users_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
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

// The document's item is reproduced attribute by attribute, including its index key.
func TestDocumentProfileComesBack(t *testing.T) {
	t.Parallel()
	item := testdata(t, "profile.json")
	u, err := users.UserEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	again, err := users.UserEntity.Item(u)
	require.NoError(t, err)
	assert.Equal(t, item, again)
}

func TestDocumentProfileIsRead(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	repo := users.New(db.DB, nil)
	put(t, db, testdata(t, "profile.json"))
	put(t, db, testdata(t, "loyalty.json"))
	want := john()
	want.CreatedAt = time.Date(2024, 1, 10, 8, 0, 0, 0, time.UTC)
	want.UpdatedAt = want.LastLoginAt

	got, err := repo.Get(t.Context(), "user_456")
	require.NoError(t, err)
	assert.Equal(t, &want, got)
	for _, email := range []string{"john.doe@example.com", " John.DOE@Example.com\n"} {
		got, err = repo.ByEmail(t.Context(), email)
		require.NoError(t, err)
		assert.Equal(t, &want, got)
	}
}

func TestNullReadsAsMissing(t *testing.T) {
	t.Parallel()
	item := testdata(t, "profile.json")
	for name := range item {
		item[name] = &types.AttributeValueMemberNULL{Value: true}
	}
	got, err := users.UserEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	assert.Equal(t, &users.User{}, got)
}

func TestCreate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 12, 0, 0, int(7*time.Millisecond), time.UTC)
	db := dyntest.New(t, userTables, dyntest.With(dynastay.Options{Clock: func() time.Time { return now }}))
	repo := users.New(db.DB, nil)
	made, err := repo.Create(t.Context(), john(func(u *users.User) {
		u.Email = " John.Doe@Example.COM "
		u.CreatedAt, u.UpdatedAt, u.Version = now.Add(-1), now.Add(-1), 7 // set by the library, whatever is in them
	}))
	require.NoError(t, err)
	want := john()
	want.CreatedAt, want.UpdatedAt, want.Version = now, now, 1
	assert.Equal(t, &want, made)
	got, err := repo.Get(t.Context(), "user_456")
	require.NoError(t, err)
	assert.Equal(t, &want, got)
	got, err = repo.ByEmail(t.Context(), "john.doe@example.com")
	require.NoError(t, err)
	assert.Equal(t, &want, got)

	profile := partition(t, db, "USER#user_456")[0]
	assert.Equal(t, "EMAIL#john.doe@example.com", profile["GSI1PK"])
	assert.Equal(t, "USER", profile["GSI1SK"])
	assert.Equal(t, []map[string]any{{
		"PK": "EMAIL#john.doe@example.com", "SK": "GUARD", "EntityType": "Guard", "UserId": "user_456",
	}}, partition(t, db, "EMAIL#john.doe@example.com"))
}

func TestCreateDrawsAnID(t *testing.T) {
	t.Parallel()
	repo := users.New(dyntest.New(t, userTables).DB, nil)
	made, err := repo.Create(t.Context(), users.User{Email: "a@b", FirstName: "A", LastName: "B", Role: users.Owner})
	require.NoError(t, err)
	assert.Regexp(t, `^user_[0-9A-Z]{26}$`, made.ID)
	got, err := repo.Get(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, got)
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	repo := users.New(dyntest.New(t, userTables).DB, nil)
	_, err := repo.Get(t.Context(), "user_1")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = repo.ByEmail(t.Context(), "nobody@example.com")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.NotContains(t, err.Error(), "nobody@example.com", "an address is personal data")
}

func TestCreateOfWhatIsTaken(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	repo := users.New(db.DB, nil)
	made, err := repo.Create(t.Context(), john())
	require.NoError(t, err)

	_, err = repo.Create(t.Context(), john(func(u *users.User) { u.ID, u.Email = "user_2", "JOHN.DOE@example.com" }))
	assertField(t, err, dynastay.ErrAlreadyExists, "Email")
	assert.Empty(t, partition(t, db, "USER#user_2"))

	_, err = repo.Create(t.Context(), john(func(u *users.User) { u.Email = "other@example.com" }))
	assertField(t, err, dynastay.ErrAlreadyExists, "")
	assert.Empty(t, partition(t, db, "EMAIL#other@example.com"))

	got, err := repo.Get(t.Context(), "user_456")
	require.NoError(t, err)
	assert.Equal(t, made, got)
}

func TestRaceForAnEmail(t *testing.T) {
	t.Parallel()
	const n = 16
	db := dyntest.New(t, userTables)
	db.Faults.Conflicts(time.Millisecond)
	repo := users.New(db.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 500}}), nil)
	var (
		mu      sync.Mutex
		wg      sync.WaitGroup
		winners []*users.User
	)
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			email := "john.doe@example.com"
			if i%2 == 0 {
				email = strings.ToUpper(email)
			}
			made, err := repo.Create(t.Context(), john(func(u *users.User) { u.ID, u.Email = fmt.Sprintf("user_%d", i), email }))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				winners = append(winners, made)
				return
			}
			var failure *dynastay.Error
			assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
			if assert.ErrorAs(t, err, &failure) {
				assert.Equal(t, "Email", failure.Field)
			}
		})
	}
	close(start)
	wg.Wait()

	require.Len(t, winners, 1)
	got, err := repo.ByEmail(t.Context(), "john.doe@example.com")
	require.NoError(t, err)
	assert.Equal(t, winners[0], got)
	for i := range n {
		id := fmt.Sprintf("user_%d", i)
		if id != got.ID {
			assert.Empty(t, partition(t, db, "USER#"+id), "nothing is half-written")
		}
	}
	assert.Equal(t, got.ID, partition(t, db, "EMAIL#john.doe@example.com")[0]["UserId"])
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	repo := users.New(db.DB, nil)
	stop := db.Faults.Record()
	for _, bad := range []struct {
		field string
		spoil func(*users.User)
	}{
		{"ID", func(u *users.User) { u.ID = "a#b" }},
		{"ID", func(u *users.User) { u.ID = strings.Repeat("u", 129) }},
		{"Email", func(u *users.User) { u.Email = "" }},
		{"Email", func(u *users.User) { u.Email = "john.doe" }},
		{"Email", func(u *users.User) { u.Email = "john@doe@example.com" }},
		{"Email", func(u *users.User) { u.Email = "john doe@example.com" }},
		{"Email", func(u *users.User) { u.Email = strings.Repeat("j", 256) + "@example.com" }},
		{"Email", func(u *users.User) { u.Email = strings.Repeat("0", 64) }}, // as the hash of an address
		{"FirstName", func(u *users.User) { u.FirstName = " " }},
		{"LastName", func(u *users.User) { u.LastName = "" }},
		{"Role", func(u *users.User) { u.Role = "" }},
		{"Phone", func(u *users.User) { u.Phone = "555-1234" }},
		{"PreferredCurrency", func(u *users.User) { u.PreferredCurrency = "usd" }},
	} {
		_, err := repo.Create(t.Context(), john(bad.spoil))
		if assert.Error(t, err, bad.field) {
			assertField(t, err, dynastay.ErrInvalid, bad.field)
		}
	}
	_, err := repo.Get(t.Context(), "")
	assertField(t, err, dynastay.ErrInvalid, "UserID")
	_, err = repo.ByEmail(t.Context(), "john.doe")
	assertField(t, err, dynastay.ErrInvalid, "Email")
	assert.Empty(t, stop(), "no request at all")
}

// A text at its limit is stored. One byte more is refused before any request, and so is text that is not valid UTF-8.
func TestTextsHaveLimits(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	repo := users.New(db.DB, nil)
	u := john()
	texts := []struct {
		field string
		most  int
		text  *string
	}{
		{"FirstName", 256, &u.FirstName},
		{"LastName", 256, &u.LastName},
		{"PhotoURL", 2048, &u.PhotoURL},
		{"Role", 256, (*string)(&u.Role)},
		{"Country", 256, &u.Country},
		{"PreferredLanguage", 256, &u.PreferredLanguage},
	}
	for _, test := range texts {
		*test.text = strings.Repeat("é", test.most/2)
	}
	stop := db.Faults.Record()
	for _, test := range texts {
		good := *test.text
		for _, bad := range []string{strings.Repeat("a", test.most+1), "\xff"} {
			*test.text = bad
			_, err := repo.Create(t.Context(), u)
			assertField(t, err, dynastay.ErrInvalid, test.field)
		}
		*test.text = good
	}
	assert.Empty(t, stop(), "no request at all")
	made, err := repo.Create(t.Context(), u)
	require.NoError(t, err)
	got, err := repo.Get(t.Context(), u.ID)
	require.NoError(t, err)
	assert.Equal(t, made, got)
}

// Error texts end up in logs, so they contain no address, even if the key does.
func TestErrorsHoldNoAddress(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	repo := users.New(db.DB, nil)
	twice := func() error {
		return db.Write(t.Context(), repo.CreateOp(john()), repo.CreateOp(john(func(u *users.User) { u.ID = "user_2" })))
	}
	err := twice()
	assertField(t, err, dynastay.ErrInvalid, "Operations")
	assert.ErrorContains(t, err, "both write item EMAIL#***/GUARD")
	assert.NotContains(t, err.Error(), "john")

	_, err = repo.Create(t.Context(), john(), dynastay.IdempotencyKey("john.doe@example.com"))
	require.NoError(t, err)
	_, err = repo.Create(t.Context(), john(func(u *users.User) { u.FirstName = "Jane" }), dynastay.IdempotencyKey("john.doe@example.com"))
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	assert.NotContains(t, err.Error(), "john")
	assert.ErrorContains(t, err, "IDEMPOTENCY#***")

	_, err = keys.Parse[keys.ProfileByEmail](dynastay.Key{PK: "EMAIL#john@doe@example.com", SK: "USER"})
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.NotContains(t, err.Error(), "john")
}

func TestCreateOnce(t *testing.T) {
	t.Parallel()
	repo := users.New(dyntest.New(t, userTables).DB, nil)
	key := dynastay.IdempotencyKey("sign-up-1")
	noID := func(u *users.User) { u.ID = "" }
	made, err := repo.Create(t.Context(), john(noID), key)
	require.NoError(t, err)
	again, err := repo.Create(t.Context(), john(noID, func(u *users.User) { u.CreatedAt, u.LastLoginAt, u.Version = time.Now(), time.Now(), 7 }), key)
	require.NoError(t, err)
	assert.Equal(t, made, again)

	for name, change := range map[string]func(*users.User){
		"email":    func(u *users.User) { u.Email = "jane.doe@example.com" },
		"role":     func(u *users.User) { u.Role = users.Admin },
		"verified": func(u *users.User) { u.EmailVerified = false },
		"id":       func(u *users.User) { u.ID = "user_7" },
	} {
		_, err := repo.Create(t.Context(), john(noID, change), key)
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, name)
	}
	_, err = repo.Create(t.Context(), john(noID))
	assertField(t, err, dynastay.ErrAlreadyExists, "Email")
}

func TestLostAnswer(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, userTables)
	repo := users.New(db.DB, nil)
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	made, err := repo.Create(t.Context(), john())
	require.NoError(t, err)
	assert.Equal(t, 2, db.Faults.Count("TransactWriteItems"))
	got, err := repo.Get(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, got)
	assert.Equal(t, 1, got.Version)
}

// userTables are the tables that these tests use. DynamoDB Local becomes slower with every table it has ever had.
var userTables = dyntest.OnlyTables(keys.UsersTable, keys.MetadataTable)
