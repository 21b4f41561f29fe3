package entity_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/wire"
)

var (
	noon     = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	errBoom  = errors.New("errBoom")
	records  = &dynastay.Schema{Name: "Metadata", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"}, TTL: "ExpiresAt"}
	bagTable = &dynastay.Schema{
		Name: "Bags", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"},
		Indexes: []dynastay.Index{
			{Name: "ByOwner", Key: dynastay.KeyNames{Partition: "OwnerPK", Sort: "OwnerSK"}},
			{Name: "ByOwnerAndTime", Key: dynastay.KeyNames{Partition: "OwnerPK", Sort: "TimeSK"}},
			{Name: "ByShelf", Key: dynastay.KeyNames{Partition: "Shelf"}},
		},
	}
)

// bag is luggage that a guest has left at the reception.
type bag struct {
	ID, Owner, Shelf string
	Labels           []string
	Weight           int // the scale writes it
	Moves            int // each is a delta

	CreatedAt, UpdatedAt time.Time
	Version              int
	WriteID              dynastay.WriteID
}

func bagKey(id string) dynastay.Key { return dynastay.Key{PK: "BAG#" + id, SK: "METADATA"} }

func declareBag(f *entity.Fields, b *bag) {
	f.String("BagId", &b.ID)
	f.String("Owner", &b.Owner)
	f.String("Place", &b.Shelf)
	f.Strings("Labels", &b.Labels)
	f.IfSet().Int("Weight", &b.Weight)
	f.IfSet().Int("Moves", &b.Moves)
	f.Time("CreatedAt", &b.CreatedAt)
	f.Time("UpdatedAt", &b.UpdatedAt)
	f.IfSet().Int("Version", &b.Version)
	f.WriteID("WriteId", &b.WriteID)
}

func bagSpec() entity.Spec[bag] {
	return entity.Spec[bag]{
		Name: "Bag", Operations: "bags", Schema: bagTable, Codec: entity.Declare(declareBag),
		Key: func(b *bag) (dynastay.Key, error) { return bagKey(b.ID), nil },
		ID:  "BagId", Prefix: "bag_", Created: "CreatedAt", Updated: "UpdatedAt", Version: "Version",
		Kept: []string{"Weight"}, Counters: []string{"Moves"},
		Derived: []entity.Derived[bag]{{Name: "Search", Value: func(b *bag) (types.AttributeValue, error) {
			return dynastay.Text(b.Owner + "/" + b.Shelf), nil
		}}},
	}
}

// cloakroom is a table of bags.
type cloakroom struct {
	t  *testing.T
	db *dyntest.DB
	*entity.Table[bag]
}

func openCloakroom(t *testing.T, edits ...func(*entity.Spec[bag])) cloakroom {
	t.Helper()
	db := dyntest.New(t, dyntest.OnlyTables(bagTable, records), dyntest.At(noon))
	return cloakroom{t, db, entity.NewTable(db.DB, bagOf(edits...))}
}

func bagOf(edits ...func(*entity.Spec[bag])) *entity.Entity[bag] {
	spec := bagSpec()
	for _, edit := range edits {
		edit(&spec)
	}
	return entity.New(spec)
}

// item is what is stored under the key, nil for nothing.
func (c cloakroom) item(key dynastay.Key) dynastay.Item {
	c.t.Helper()
	row, err := c.db.Direct.Get(c.t.Context(), bagTable, key, dynastay.Consistent)
	require.NoError(c.t, err)
	return row.Item()
}

// foreign puts a bag as other software would: without a write id.
func (c cloakroom) foreign(id string, attributes dynastay.Item) {
	c.t.Helper()
	require.NoError(c.t, c.db.Direct.Write(c.t.Context(), foreignOp(id, attributes)))
}

func foreignOp(id string, attributes dynastay.Item) *dynastay.Operation[struct{}] {
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "foreign", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, _ error) {
			item := bagTable.Key.Of(bagKey(id))
			item["BagId"] = dynastay.Text(id)
			for name, v := range attributes {
				item[name] = v
			}
			tx.Put(bagTable, item)
			return none, nil
		},
	})
}

func (c cloakroom) create(b bag) *bag {
	c.t.Helper()
	made, err := c.Create(c.t.Context(), &b)
	require.NoError(c.t, err)
	return made
}

// elsewhere is the table in another process, past the faults.
func (c cloakroom) elsewhere() *entity.Table[bag] { return entity.NewTable(c.db.Direct, bagOf()) }

// relabelled is an update by another process.
func (c cloakroom) relabelled(ctx context.Context, id, label string) {
	_, err := c.elsewhere().Update(ctx, bagKey(id), func(b *bag) error { b.Labels = append(b.Labels, label); return nil })
	assert.NoError(c.t, err)
}

// before has f happen before the next request of the operation.
func (c cloakroom) before(operation string, f func(context.Context)) *dyntest.Injection {
	c.t.Helper()
	return c.db.Faults.Inject(dyntest.Before(f), dyntest.When{Operation: operation, Nth: 1})
}

// sent are the operations of the requests that f sends.
func (c cloakroom) sent(f func()) (operations []string) {
	stop := c.db.Faults.Record()
	f()
	return wire.Operations(stop())
}

// invalid asks for a refused field, and returns the reason.
func invalid(t require.TestingT, err error, field string) string {
	refused := blame.Invalid(t, err, field)
	return refused.Reason
}

type list = types.AttributeValueMemberL

// moved is a delta by another process.
func (c cloakroom) moved(ctx context.Context, id string) {
	more := expression.Add(dynastay.NameOf("Moves"), expression.Value(dynastay.Number(1)))
	built, err := expression.NewBuilder().WithUpdate(more).Build()
	assert.NoError(c.t, err)
	assert.NoError(c.t, c.db.Direct.Write(ctx, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "move", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, _ error) {
			tx.Update(bagTable, bagKey(id), dynastay.Expr{Update: built.Update(), Names: built.Names(), Values: built.Values()})
			return none, nil
		},
	})))
}
