package dyntest_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/users"
)

// failing is a test that records its failures.
type failing struct {
	testing.TB
	texts []string
}

func (f *failing) Helper() {}

func (f *failing) Errorf(format string, args ...any) {
	f.texts = append(f.texts, fmt.Sprintf(format, args...))
}

// failureOf returns the message with which a test fails its budget, or "".
func failureOf(t *testing.T, db *dyntest.DB, most dyntest.Cost, f func()) string {
	t.Helper()
	fake := &failing{TB: t}
	dyntest.Budget(fake, db, most, f)
	require.LessOrEqual(t, len(fake.texts), 1)
	return strings.Join(fake.texts, "")
}

// The message in the documentation is what this test gets.
func TestBudgetMessage(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	hotel := fixture.New(t, db.Direct, 5)
	got := failureOf(t, db, dyntest.Cost{Requests: 1, ReadUnits: 0.5}, func() {
		_, err := properties.New(db.DB, nil).BySlug(t.Context(), hotel.Slug)
		require.NoError(t, err)
	})

	page, err := os.ReadFile("../docs/testing.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(page), "<!-- budget message -->\n```\n")
	require.True(t, found)
	block, _, found := strings.Cut(after, "\n```\n")
	require.True(t, found)
	assert.Equal(t, block, got)
}

func TestBudgets(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	repo := users.New(db.DB, nil)
	made, err := users.New(db.Direct, nil).Create(t.Context(), users.User{Email: "ada@example.com", FirstName: "Ada", LastName: "Byron", Role: users.Customer})
	require.NoError(t, err)
	read := func() {
		_, err := repo.Get(t.Context(), made.ID)
		require.NoError(t, err)
	}
	nothing := func() {}
	const silent = "dyntest: nothing was sent, so the budget tests nothing; if that is intended, use the zero Cost"

	for _, test := range []struct {
		name string
		most dyntest.Cost
		f    func()
		want []string // fragments of the message; none for a budget that is kept
	}{
		{"kept", dyntest.Cost{Requests: 1, ReadUnits: 0.5}, read, nil},
		{"left", dyntest.Cost{Requests: 2, Retries: 1, ReadUnits: 1, WriteUnits: 1}, read, nil},
		{"unbounded", dyntest.Cost{Requests: dyntest.Unbounded, Retries: dyntest.Unbounded, ReadUnits: dyntest.Unbounded}, read, nil},
		{"too many requests", dyntest.Cost{Requests: 1, ReadUnits: 1}, func() { read(); read() }, []string{"requests         2       1  over", "read units     1.0     1.0\n"}},
		{"too many units", dyntest.Cost{Requests: 1, Retries: dyntest.Unbounded}, read, []string{"requests         1       1\n", "retries          0     any", "read units     0.5     0.0  over"}},
		{"nothing granted", dyntest.Cost{}, read, []string{"requests         1       0  over", "read units     0.5     0.0  over"}},
		{"nothing granted, nothing sent", dyntest.Cost{}, nothing, nil},
		{"nothing sent", dyntest.Cost{Requests: 1}, nothing, []string{silent}},
		{"nothing sent of what is unbounded", dyntest.Cost{WriteUnits: dyntest.Unbounded}, nothing, []string{silent}},
	} {
		got := failureOf(t, db, test.most, test.f)
		if test.want == nil {
			assert.Empty(t, got, test.name)
		}
		for _, fragment := range test.want {
			assert.Contains(t, got+"\n", fragment, test.name)
		}
	}
}

func TestWritesAreBudgetedToo(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	got := failureOf(t, db, dyntest.Cost{Requests: 1, WriteUnits: 0.5}, func() {
		_, err := db.Client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
			TableName: aws.String(db.TableName(keys.UsersTable)), Key: keys.UsersTable.Key.Of(dynastay.Key{PK: "USER#1", SK: "PROFILE"}),
		})
		require.NoError(t, err)
	})
	assert.Contains(t, got, "write units    1.0     0.5  over")
	assert.Contains(t, got, "DeleteItem  Users                1        0         0.0          1.0")
}

// The SDK's attempts after its first are retries, and so are the transactions that a write sends again.
func TestFaultsCost(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), dyntest.New(t, dyntest.At(fixture.Now))
	repo := users.New(db.DB, nil)
	// The first user of a table costs more.
	_, err := repo.Create(ctx, users.User{Email: "first@example.com", FirstName: "Ada", LastName: "Byron", Role: users.Customer})
	require.NoError(t, err)
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	var made *users.User
	spent := db.Measure(func() {
		var err error
		made, err = repo.Create(ctx, users.User{Email: "ada@example.com", FirstName: "Ada", LastName: "Byron", Role: users.Customer})
		require.NoError(t, err)
	})
	require.Len(t, spent.Calls, 2)
	assert.Equal(t, dyntest.NoAnswer, spent.Calls[0].Err)
	assert.False(t, spent.Calls[0].Retry)
	assert.Empty(t, spent.Calls[1].Err)
	assert.True(t, spent.Calls[1].Retry)

	db.Faults.Inject(dyntest.Throttle(), dyntest.When{Operation: "GetItem", Nth: 1, Times: 2})
	got := failureOf(t, db, dyntest.Cost{Requests: 1, ReadUnits: 0.5}, func() {
		_, err := repo.Get(ctx, made.ID)
		require.NoError(t, err)
	})
	assert.Contains(t, got, "requests         3       1  over")
	assert.Contains(t, got, "retries          2       0  over")
	assert.Contains(t, got, "read units     0.5     0.5\n")
	assert.Regexp(t, `GetItem +Users +3 +2 +0\.5 +0\.0  2 [A-Za-z]+Exception\n`, got)
}

func TestBudgetOfRetries(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	client, name := db.Client, db.TableName(keys.UsersTable)
	twice := func() {
		token := rand.Text()
		for range 2 {
			_, err := client.TransactWriteItems(t.Context(), deletion(name, token))
			require.NoError(t, err)
		}
	}
	most := dyntest.Cost{Requests: 2, ReadUnits: dyntest.Unbounded, WriteUnits: dyntest.Unbounded}
	assert.Contains(t, failureOf(t, db, most, twice), "retries          1       0  over")
	most.Retries = 1
	assert.Empty(t, failureOf(t, db, most, twice))
}

// A test that ended within the function has reported why, and is not failed by its budget as well.
func TestBudgetOfATestThatHasEnded(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	fake, ended := &failing{TB: t}, make(chan bool)
	go func() {
		defer close(ended)
		dyntest.Budget(fake, db, dyntest.Cost{Requests: 1}, runtime.Goexit) // as FailNow does
	}()
	<-ended
	assert.Empty(t, fake.texts)
}

// flow is a guest's path from a search to a cancellation.
func flow(t *testing.T, db *dyntest.DB) {
	t.Helper()
	ctx := t.Context()
	hotel := fixture.New(t, db.DB, 5)
	guest, err := users.New(db.DB, nil).Create(ctx, users.User{
		Email: "ada@example.com", FirstName: "Ada", LastName: "Byron", Role: users.Customer,
	}, dynastay.IdempotencyKey("user-request"))
	require.NoError(t, err)
	_, err = properties.New(db.DB, nil).ByCity(properties.CityQuery{City: "New York", Country: "USA"}).Page(ctx, dynastay.Paging{Limit: 10})
	require.NoError(t, err)
	_, err = availability.New(db.DB).Check(ctx, hotel.ID, hotel.RoomTypeID, 1, fixture.Stay)
	require.NoError(t, err)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 2))
	req.UserID = guest.ID
	repo := bookings.New(db.DB, nil)
	made, err := repo.Create(ctx, req, dynastay.IdempotencyKey("booking-request"))
	require.NoError(t, err)
	_, err = repo.ByReference(ctx, made.Reference)
	require.NoError(t, err)
	_, err = repo.ByUser(guest.ID).Page(ctx, dynastay.Paging{Limit: 10})
	require.NoError(t, err)
	_, err = repo.Cancel(ctx, made.ID, "changed plans", nil)
	require.NoError(t, err)
}

// bill is what a flow costs, by operation, table and index.
type bill map[string]float64

func (b bill) add(operation, prefix string, requests int, usage []dynastay.Usage) {
	b[operation] += float64(requests)
	for _, u := range usage {
		for kind, n := range map[string]float64{"read": u.ReadUnits, "written": u.WriteUnits} {
			if n > 0 {
				b[strings.Join([]string{operation, strings.TrimPrefix(u.Table, prefix), u.Index, kind}, " ")] += n
			}
		}
	}
}

func TestMeasureAgreesWithTheObserver(t *testing.T) {
	t.Parallel()
	observed, prefix := bill{}, ""
	db := dyntest.New(t, dyntest.At(fixture.Now), dyntest.With(dynastay.Options{
		Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) { observed.add(c.Operation, prefix, c.Requests(), c.Usage) }),
	}))
	prefix = db.TableName(&dynastay.Schema{})
	spent := db.Measure(func() { flow(t, db) })
	assert.Equal(t, observed, billOf(spent))
	assert.Zero(t, spent.Retries)

	// Without an observer, the library does not ask for units, and they are still the same.
	other := dyntest.New(t, dyntest.At(fixture.Now))
	assert.Equal(t, observed, billOf(other.Measure(func() { flow(t, other) })))
}

func billOf(s *dyntest.Spent) bill {
	b := bill{}
	for _, c := range s.Calls {
		b.add(c.Operation, "", 1, c.Usage)
	}
	return b
}

// Requests that a service sends without the repositories count as well, and so do those of another process.
func TestEverythingOfTheTestIsMeasured(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	second := db.Open(nil)
	key := dynastay.Key{PK: "USER#1", SK: "PROFILE"}
	spent := db.Measure(func() {
		_, err := db.Client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(db.TableName(keys.UsersTable))})
		require.NoError(t, err)
		_, err = second.Get(t.Context(), keys.UsersTable, key, dynastay.Consistent)
		require.NoError(t, err)
		_, err = db.Direct.Get(t.Context(), keys.UsersTable, key, dynastay.Consistent)
		require.NoError(t, err)
	})
	assert.Equal(t, []dyntest.Call{
		{Operation: "Scan", Usage: []dynastay.Usage{{Table: "Users", ReadUnits: spent.Calls[0].Usage[0].ReadUnits}}},
		{Operation: "GetItem", Usage: []dynastay.Usage{{Table: "Users", ReadUnits: 1}}},
	}, spent.Calls)
}

func deletion(table, token string) *dynamodb.TransactWriteItemsInput {
	return &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: &token,
		TransactItems: []types.TransactWriteItem{{Delete: &types.Delete{
			TableName: &table, Key: keys.UsersTable.Key.Of(dynastay.Key{PK: "USER#1", SK: "PROFILE"}),
		}}},
	}
}
