package dyntest_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/users"
)

// billed returns the message with which a test fails because of its costs, or "".
func billed(t *testing.T, db *dyntest.DB, want dyntest.Bill, f func()) string {
	t.Helper()
	fake := &failing{TB: t}
	dyntest.Costs(fake, db, want, f)
	require.LessOrEqual(t, len(fake.texts), 1)
	return strings.Join(fake.texts, "")
}

func TestBill(t *testing.T) {
	t.Parallel()
	spent := &dyntest.Spent{Calls: []dyntest.Call{
		{Operation: "Query", Usage: []dynastay.Usage{{Table: "Bookings", Index: "GSI1", ReadUnits: 0.5}}},
		{Operation: "GetItem", Usage: []dynastay.Usage{{Table: "Bookings"}}, Err: dyntest.NoAnswer},
		{Operation: "GetItem", Usage: []dynastay.Usage{{Table: "Bookings", ReadUnits: 2}}, Retry: true},
		{Operation: "TransactWriteItems", Usage: []dynastay.Usage{
			{Table: "Bookings", WriteUnits: 4}, {Table: "Users", WriteUnits: 8},
			{Table: "Bookings", Index: "GSI1", WriteUnits: 16}, {Table: "Bookings", Index: "GSI2", WriteUnits: 32},
		}},
	}}
	assert.Equal(t, dyntest.Bill{Requests: 4, ReadUnits: 2.5, TableUnits: 12, IndexUnits: 48}, spent.Bill())
	assert.Zero(t, (&dyntest.Spent{}).Bill())
}

// other is the same database with an engine that does not report exact units.
func other(t *testing.T, db *dyntest.DB) *dyntest.DB {
	copied := *db
	copied.Engine = dyntest.New(t, dyntest.OnlyTables(), dyntest.On(engine.ExtendDB)).Engine
	return &copied
}

func TestCosts(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), dyntest.New(t, dyntest.At(fixture.Now), dyntest.On(engine.Dynoxide))
	repo := users.New(db.DB, nil)
	create := func(email string) *users.User {
		made, err := repo.Create(ctx, users.User{Email: email, FirstName: "Ada", LastName: "Byron", Role: users.Customer})
		require.NoError(t, err)
		return made
	}
	made := create("ada@example.com") // the first user of a table costs more
	readAndWrite := func() {
		_, err := repo.Get(ctx, made.ID)
		require.NoError(t, err)
		create(db.NewID("") + "@example.com")
	}
	exact := dyntest.Bill{Requests: 2, ReadUnits: 0.5, TableUnits: 4, IndexUnits: 1}
	dyntest.Costs(t, db, exact, readAndWrite)
	dyntest.Costs(t, other(t, db), exact, readAndWrite)
	dyntest.Costs(t, db, dyntest.Bill{}, func() {})

	for name, test := range map[string]struct {
		change  func(*dyntest.Bill)
		differs string
		always  bool // on every engine
	}{
		"one request less":    {func(b *dyntest.Bill) { b.Requests++ }, "requests         2         3  differs", true},
		"one request more":    {func(b *dyntest.Bill) { b.Requests-- }, "requests         2         1  differs", true},
		"fewer read units":    {func(b *dyntest.Bill) { b.ReadUnits = 1 }, "read units     0.5       1.0  differs", false},
		"more read units":     {func(b *dyntest.Bill) { b.ReadUnits = 0 }, "read units     0.5       0.0  differs", false},
		"fewer units, tables": {func(b *dyntest.Bill) { b.TableUnits = 5 }, "table units    4.0       5.0  differs", false},
		"more units, tables":  {func(b *dyntest.Bill) { b.TableUnits = 3 }, "table units    4.0       3.0  differs", false},
		"fewer units, index":  {func(b *dyntest.Bill) { b.IndexUnits = 2 }, "index units    1.0       2.0  differs", false},
		"more units, index":   {func(b *dyntest.Bill) { b.IndexUnits = 0 }, "index units    1.0       0.0  differs", false},
	} {
		want := exact
		test.change(&want)
		message := billed(t, db, want, readAndWrite)
		assert.Contains(t, message, test.differs, name)
		assert.Equal(t, 1, strings.Count(message, "differs"), name)
		assert.Contains(t, message, "GetItem             Users ", "%s: what was sent", name)

		message = billed(t, other(t, db), want, readAndWrite)
		if !test.always {
			assert.Empty(t, message, name)
			continue
		}
		assert.Contains(t, message, test.differs, name)
		assert.Equal(t, 3, strings.Count(message, "not compared on this engine"), name)
	}
	assert.Contains(t, billed(t, db, exact, func() {}), "requests         0         2  differs")
	assert.Contains(t, billed(t, other(t, db), exact, func() {}), "requests         0         2  differs")
}

func TestCostsIncludeRetries(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	db.Faults.Inject(dyntest.Throttle(), dyntest.When{Operation: "GetItem", Nth: 1, Times: 2})
	dyntest.Costs(t, other(t, db), dyntest.Bill{Requests: 3}, func() {
		_, err := users.New(db.DB, nil).Get(t.Context(), "user_none")
		require.ErrorIs(t, err, dynastay.ErrNotFound)
	})
}

// A test that ended within the function has reported why, and is not failed by its costs as well.
func TestCostsOfATestThatHasEnded(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	fake, ended := &failing{TB: t}, make(chan bool)
	go func() {
		defer close(ended)
		dyntest.Costs(fake, db, dyntest.Bill{Requests: 1}, runtime.Goexit) // as FailNow does
	}()
	<-ended
	assert.Empty(t, fake.texts)
}
