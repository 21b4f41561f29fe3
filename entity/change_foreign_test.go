package entity_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

// rack is an entity with a list of structures.
type rack struct {
	ID, Label string
	Bottles   []bottle
}

type bottle struct {
	Wine string
	Year int
}

var racks = &dynastay.Schema{Name: "Racks", Key: dynastay.KeyNames{Partition: "PK"}}

func newRacks() *entity.Entity[rack] {
	return entity.New(entity.Spec[rack]{
		Name: "Rack", Schema: racks,
		Key: func(c *rack) (dynastay.Key, error) { return dynastay.Key{PK: "RACK#" + c.ID}, nil },
		Codec: entity.Declare(func(f *entity.Fields, c *rack) {
			f.String("RackId", &c.ID)
			f.String("Label", &c.Label)
			entity.List(f, "Bottles", &c.Bottles, func(f *entity.Fields, b *bottle) {
				f.String("Wine", &b.Wine)
				f.Int("Year", &b.Year)
			})
		}),
	})
}

// An item of other software that has a list of structures is written on condition that the list has not changed.
func TestForeignItemWithAList(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"Bottles", "Label", "RackId"}, newRacks().Known())
	db := dyntest.New(t, dyntest.OnlyTables(racks))
	table := entity.NewTable(db.DB, newRacks())
	put := func(years ...int) {
		var bottles []types.AttributeValue
		for _, year := range years {
			bottles = append(bottles, &types.AttributeValueMemberM{Value: dynastay.Item{"Wine": dynastay.Text("Barolo"), "Year": dynastay.Number(year)}})
		}
		item := dynastay.Item{"PK": dynastay.Text("RACK#1"), "RackId": dynastay.Text("1"), "Bottles": &list{Value: bottles}}
		require.NoError(t, db.Direct.Write(context.Background(), dynastay.NewOp(dynastay.OpSpec[struct{}]{
			Name: "foreign", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, _ error) {
				tx.Put(racks, item)
				return none, nil
			},
		})))
	}
	put(2016)
	db.Faults.Inject(dyntest.Before(func(context.Context) { put(2016, 2019) }), dyntest.When{Operation: "UpdateItem", Nth: 1})
	runs := 0
	now, err := table.Update(t.Context(), dynastay.Key{PK: "RACK#1"}, func(c *rack) error { runs++; c.Label = "cellar"; return nil })
	require.NoError(t, err)
	assert.Equal(t, 2, runs)
	assert.Equal(t, &rack{"1", "cellar", []bottle{{"Barolo", 2016}, {"Barolo", 2019}}}, now)
}
