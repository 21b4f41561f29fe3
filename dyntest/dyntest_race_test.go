package dyntest_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/users"
)

var notes = &dynastay.Schema{Name: "Notes", Key: dynastay.KeyNames{Partition: "pk", Sort: "sk"}}

// Fifty tests write the same keys to one engine, each at a different time. Every second one has faults that would
// break the writes of any other test that they reach.
func TestFiftyTestsAtOnce(t *testing.T) {
	t.Parallel()
	const tests = 50
	var (
		subtests, ready, written sync.WaitGroup
		made                     [tests]*dyntest.DB
	)
	ready.Add(tests)
	written.Add(tests)
	for i := range tests {
		subtests.Go(func() {
			// Not by t.Parallel, which runs at most as many at once as there are processors.
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				isReady, hasWritten := sync.OnceFunc(ready.Done), sync.OnceFunc(written.Done)
				defer isReady()
				defer hasWritten()
				l := life{i, time.Date(2020+i, time.January, 1, 0, 0, 0, 0, time.UTC)}
				db := dyntest.New(t, dyntest.OnlyTables(lifeTables...), dyntest.At(l.now))
				made[i] = db
				isReady()
				ready.Wait()
				if i%2 == 0 {
					l.write(t, db)
				} else {
					l.writeInTrouble(t, db)
				}
				hasWritten()
				written.Wait()
				l.check(t, db)
			})
		})
	}
	subtests.Wait()
	if t.Failed() {
		return
	}

	names := map[string]bool{}
	for _, db := range made {
		assert.Same(t, made[0].Engine, db.Engine)
		for _, schema := range lifeTables {
			name := db.TableName(schema)
			assert.False(t, names[name], "two tests have the table %s", name)
			names[name] = true
		}
	}
	pages := dynamodb.NewListTablesPaginator(made[0].Engine.Client(), &dynamodb.ListTablesInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, name := range page.TableNames {
			assert.False(t, names[name], "the table %s still exists", name)
		}
	}
}

// lifeTables are the tables that each of the tests writes to. DynamoDB Local becomes slower with every table it has ever had.
var lifeTables = []*dynastay.Schema{keys.UsersTable, notes}

// life is what one of the tests does.
type life struct {
	number int
	now    time.Time
}

func (l life) name() string { return fmt.Sprintf("Ada %d", l.number) }

func (l life) user() users.User {
	return users.User{ID: "user_1", Email: "ada@example.com", FirstName: l.name(), LastName: "Byron", Role: users.Customer}
}

func (l life) note(db *dyntest.DB) *dynamodb.PutItemInput {
	item := notes.Key.Of(dynastay.Key{PK: "note", SK: "1"})
	item["Text"] = dynastay.Text(l.name())
	return &dynamodb.PutItemInput{TableName: aws.String(db.TableName(notes)), Item: item}
}

// write takes one request for each of its writes, because nothing conflicts with them.
func (l life) write(t *testing.T, db *dyntest.DB) {
	_, err := users.New(db.DB, nil).Create(t.Context(), l.user())
	require.NoError(t, err)
	_, err = db.Client.PutItem(t.Context(), l.note(db))
	require.NoError(t, err)
	assert.Equal(t, 1, db.Faults.Count("TransactWriteItems"))
	assert.Equal(t, 2, db.Faults.Count("PutItem"), "the note, and the config of the users' table")
}

func (l life) writeInTrouble(t *testing.T, db *dyntest.DB) {
	db.Faults.Conflicts(20 * time.Millisecond)
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	refused := db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "PutItem", Table: notes.Name})

	_, err := users.New(db.DB, nil).Create(t.Context(), l.user())
	require.NoError(t, err)
	_, err = db.Client.PutItem(t.Context(), l.note(db))
	require.ErrorContains(t, err, "AccessDeniedException")
	refused.Stop()
	_, err = db.Client.PutItem(t.Context(), l.note(db))
	require.NoError(t, err)
}

// check finds the values of this test, and no others.
func (l life) check(t *testing.T, db *dyntest.DB) {
	user, err := users.New(db.Direct, nil).Get(t.Context(), "user_1")
	require.NoError(t, err)
	assert.Equal(t, l.name(), user.FirstName)
	assert.Equal(t, l.now, user.CreatedAt)
	found, err := users.New(db.Direct, nil).ByEmail(t.Context(), "ada@example.com")
	require.NoError(t, err)
	assert.Equal(t, user, found)

	assert.Len(t, l.items(t, db, keys.UsersTable), 3, "the user, the guard of the e-mail address, and the config of all addresses")
	stored := l.items(t, db, notes)
	require.Len(t, stored, 1)
	assert.Equal(t, l.note(db).Item, stored[0])
}

func (l life) items(t *testing.T, db *dyntest.DB, schema *dynastay.Schema) []dynastay.Item {
	page, err := db.Engine.Client().Scan(t.Context(), &dynamodb.ScanInput{
		TableName: aws.String(db.TableName(schema)), ConsistentRead: aws.Bool(true),
	})
	require.NoError(t, err)
	return page.Items
}
