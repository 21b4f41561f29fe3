package dynastay_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/fake"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

// The service of these tests has an outbox of its own, with keys named its own way.
var outboxTable = &dynastay.Schema{Name: "Outbox", Key: dynastay.KeyNames{Partition: "id"}}

type message struct {
	ID      string
	Text    string
	Sent    int
	Version int
}

var messageEntity = entity.New(entity.Spec[message]{
	Name:    "Message",
	Schema:  outboxTable,
	Version: "version",
	Key:     func(m *message) (dynastay.Key, error) { return dynastay.Key{PK: m.ID}, nil },
	Validate: func(m *message) error {
		if m.ID == "" {
			return dynastay.Invalid("ID", "is required")
		}
		return nil
	},
	Codec: entity.Declare(func(f *entity.Fields, m *message) {
		f.String("id", &m.ID)
		f.String("text", &m.Text)
		f.Int("sent", &m.Sent)
		f.IfSet().Int("version", &m.Version)
	}),
})

func openOutbox(t *testing.T, o dynastay.Options) (*dyntest.DB, *entity.Table[message]) {
	t.Helper()
	o.Clock = fixture.Clock
	db := dyntest.New(t, outboxTables, dyntest.With(o))
	return db, entity.NewTable(db.DB, messageEntity)
}

func keyOf(id string) dynastay.Key { return dynastay.Key{PK: id} }

func prefix(db *dyntest.DB) string {
	name := db.TableName(outboxTable)
	return name[:len(name)-len(outboxTable.Name)]
}

// faulty answers writes with errors before it lets them through: faults that no local engine shows.
type faulty struct {
	errs []error
	sent int
}

func (f *faulty) do(r *fake.Request) (any, error) {
	if _, reads := r.In.(*dynamodb.GetItemInput); !reads {
		if f.sent++; f.sent <= len(f.errs) {
			return nil, f.errs[f.sent-1]
		}
	}
	return r.Send()
}

func cancelled(codes ...string) error {
	e := &types.TransactionCanceledException{}
	for _, code := range codes {
		e.CancellationReasons = append(e.CancellationReasons, types.CancellationReason{Code: &code})
	}
	return e
}

// outboxTables are the tables of the tests with an outbox. DynamoDB Local becomes slower with every table and every index
// it has ever had; of the properties, these tests read only the guards of the room types.
var outboxTables = dyntest.OnlyTables(
	outboxTable, keys.MetadataTable, keys.AvailabilityTable, keys.BookingsTable, keys.UsersTable,
	&dynastay.Schema{Name: keys.PropertiesTable.Name, Key: keys.PropertiesTable.Key},
)

// brief gives up after two requests.
var brief = &dynastay.Options{Retry: dynastay.Retry{Attempts: 2, Base: time.Millisecond}}

// before runs f once, before the nth request of the operation from now.
func before(db *dyntest.DB, operation string, nth int, f func(ctx context.Context)) {
	db.Faults.Inject(dyntest.Before(f), dyntest.When{Operation: operation, Nth: nth})
}

func increment(m *message) error {
	m.Sent++
	return nil
}

type lock struct {
	Name    string
	Holder  string
	WriteID dynastay.WriteID
}

var lockEntity = entity.New(entity.Spec[lock]{
	Name:   "Lock",
	Schema: outboxTable,
	Key:    func(l *lock) (dynastay.Key, error) { return keyOf(l.Name), nil },
	Codec: entity.Declare(func(f *entity.Fields, l *lock) {
		f.String("id", &l.Name)
		f.String("holder", &l.Holder)
		f.WriteID("WriteId", &l.WriteID)
	}),
})

// over opens another DB for the same tables, whose requests go through do.
func over(db *dyntest.DB, do func(*fake.Request) (any, error), attempts int) *dynastay.DB {
	return dynastay.Open(fake.Client{Next: db.Client, Do: do}, &dynastay.Options{
		TablePrefix: prefix(db), Clock: fixture.Clock, Retry: dynastay.Retry{Attempts: attempts},
	})
}
