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

// older is an update's function that leaves the name as it is.
func older(c *cat) error {
	c.Lives--
	return nil
}

// The first update of a cat that other software wrote claims its name, and leaves it if it belongs to another cat.
func TestFirstUpdateClaims(t *testing.T) {
	t.Parallel()
	one, twice := []string{"GetItem", "TransactWriteItems"}, []string{"GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"}
	for name, test := range map[string]struct {
		called string
		guards map[string]string // before
		edit   func(*cat) error
		want   map[string]string
		sent   []string
	}{
		"free":             {" Tom", nil, older, map[string]string{"tom": "tom"}, one},
		"its own":          {"Tom", map[string]string{"tom": "tom"}, older, map[string]string{"tom": "tom"}, one},
		"another's":        {"Tom", map[string]string{"tom": "other"}, older, map[string]string{"tom": "other"}, twice},
		"no name":          {"", nil, older, map[string]string{}, []string{"GetItem", "UpdateItem"}},
		"impossible":       {"t#m", nil, older, map[string]string{}, []string{"GetItem", "UpdateItem"}},
		"another spelling": {"Tom", nil, call("TOM"), map[string]string{"tom": "tom"}, one},
		"moved":            {"Tom", nil, call("Thomas"), map[string]string{"thomas": "tom"}, one},
		"given up":         {"Tom", map[string]string{"tom": "tom"}, call(""), map[string]string{}, one},
		"nothing changed":  {"Tom", nil, call("Tom"), map[string]string{}, []string{"GetItem"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCattery(t)
			c.cat("tom", test.called, "")
			for name, id := range test.guards {
				c.guard(name, id)
			}
			sent := c.sent(func() {
				_, err := c.Update(t.Context(), catKey("tom"), test.edit)
				require.NoError(t, err)
			})
			assert.Equal(t, test.sent, sent)
			guards, _ := c.stored()
			assert.Equal(t, test.want, guards)
			// From now on, the cat has a write id.
			if name != "nothing changed" {
				assert.Equal(t, []string{"GetItem", "UpdateItem"}, c.sent(func() {
					_, err := c.Update(t.Context(), catKey("tom"), older)
					require.NoError(t, err)
				}))
			}
		})
	}
}

// The guard has the owner and the mark.
func TestFirstUpdateWritesTheWholeGuard(t *testing.T) {
	t.Parallel()
	c := openCattery(t)
	c.cat("tom", "Tom", "")
	c.guard("tom", "tom") // without a mark
	_, err := c.Update(t.Context(), catKey("tom"), older)
	require.NoError(t, err)
	guard, err := c.db.Direct.Get(t.Context(), cats, guardKey("tom"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, dynastay.Item{
		"PK": dynastay.Text("NAME#tom"), "SK": dynastay.Text("GUARD"), "CatId": dynastay.Text("tom"), "Kind": dynastay.Text("Guard"),
	}, guard.Item())
}

// The name is claimed by another cat, or is released by it, while the first update is being written.
func TestFirstUpdateRaces(t *testing.T) {
	t.Parallel()
	t.Run("claimed", func(t *testing.T) {
		t.Parallel()
		c := openCattery(t)
		c.cat("tom", "Tom", "")
		c.db.Faults.Inject(dyntest.Before(func(context.Context) { c.guard("tom", "other") }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		_, err := c.Update(t.Context(), catKey("tom"), older)
		require.NoError(t, err)
		c.assertStored(map[string]string{"tom": "other"}, map[string]string{"tom": "Tom"})
	})
	t.Run("released", func(t *testing.T) {
		t.Parallel()
		c := openCattery(t)
		c.cat("tom", "Tom", "")
		c.guard("tom", "other")
		released := c.db.Faults.Inject(dyntest.Before(func(context.Context) { c.remove(guardKey("tom")) }),
			dyntest.When{Operation: "TransactWriteItems", Nth: 2})
		_, err := c.Update(t.Context(), catKey("tom"), older)
		require.NoError(t, err)
		assert.Equal(t, 1, released.Hits())
		c.assertStored(map[string]string{"tom": "tom"}, map[string]string{"tom": "Tom"})
	})
}

// Whole writes the guard and everything derived, whoever wrote the item and even if nothing changed.
func TestWholeClaims(t *testing.T) {
	t.Parallel()
	c := openCattery(t)
	_, err := c.Create(t.Context(), &cat{ID: "tom", Name: "Tom", Lives: 7})
	require.NoError(t, err)
	c.remove(guardKey("tom"))
	whole := func() *dynastay.Operation[*cat] {
		return dynastay.NewOp(dynastay.OpSpec[*cat]{
			Name: "test.Whole", Prepare: func(ctx context.Context, tx *dynastay.Tx) (*cat, error) {
				change, err := c.Change(ctx, catKey("tom"), func(*cat) error { return nil })
				if err != nil {
					return nil, err
				}
				assert.False(t, change.Changed())
				if err := change.Whole(); err != nil {
					return nil, err
				}
				assert.True(t, change.Changed())
				return change.After, change.AddTo(tx)
			},
		})
	}
	require.NoError(t, c.db.Write(t.Context(), whole()))
	c.assertStored(map[string]string{"tom": "tom"}, map[string]string{"tom": "Tom"})
	c.guard("tom", "other")
	require.NoError(t, c.db.Write(t.Context(), whole()))
	c.assertStored(map[string]string{"tom": "other"}, map[string]string{"tom": "Tom"})
}

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
