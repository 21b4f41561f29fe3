package entity_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// barrel has a label, and a stock that deltas change.
type barrel struct {
	ID, Label string
	Stock     int
}

var barrels = &dynastay.Schema{Name: "Barrels", Key: dynastay.KeyNames{Partition: "id"}}

func newBarrel() *entity.Entity[barrel] {
	return entity.New(entity.Spec[barrel]{
		Name: "Barrel", Schema: barrels, Counters: []string{"stock"},
		Key: func(s *barrel) (dynastay.Key, error) { return dynastay.Key{PK: s.ID}, nil },
		Codec: entity.Declare(func(f *entity.Fields, s *barrel) {
			f.String("id", &s.ID)
			f.String("label", &s.Label)
			f.Int("stock", &s.Stock)
		}),
	})
}

// A change of a counter and its condition go into the action of an update: the condition sees deltas that have not
// changed the write id, and a condition that fails prepares the operation again.
func TestAlso(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable, barrels))
	table := entity.NewTable(db.DB, newBarrel())
	_, err := table.Put(t.Context(), &barrel{ID: "a", Label: "old", Stock: 5})
	require.NoError(t, err)
	key := dynastay.Key{PK: "a"}
	stock := dynastay.NameOf("stock")
	take := func(label string, n int) (prepared int, err error) {
		_, err = dynastay.Do(t.Context(), db.DB, dynastay.NewOp(dynastay.OpSpec[struct{}]{
			Name: "Barrel.Take",
			Prepare: func(ctx context.Context, tx *dynastay.Tx) (none struct{}, err error) {
				prepared++
				change, err := table.Change(ctx, key, func(s *barrel) error { s.Label = label; return nil })
				if err != nil {
					return none, err
				}
				if change.Before.Stock < n {
					return none, dynastay.Invalid("Stock", "must be at least %d", n)
				}
				change.Also(expression.Set(stock, stock.Minus(expression.Value(n))), stock.GreaterThanEqual(expression.Value(n)))
				return none, change.AddTo(tx)
			},
		}))
		return prepared, err
	}
	read := func() barrel {
		s, err := table.Get(t.Context(), key, dynastay.Consistent)
		require.NoError(t, err)
		return *s
	}

	prepared, err := take("first", 2)
	require.NoError(t, err)
	assert.Equal(t, 1, prepared)
	assert.Equal(t, barrel{"a", "first", 3}, read())

	// A delta between the read and the write: the first time it leaves enough, the second time it does not.
	delta := dynastay.Prepare(expression.NewBuilder().WithUpdate(expression.Set(stock, stock.Minus(expression.Value(1)))))
	meanwhile := func() {
		db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
			_, err := dynastay.Do(ctx, db.Direct, dynastay.NewOp(dynastay.OpSpec[struct{}]{
				Name: "Barrel.Delta", Prepare: func(_ context.Context, tx *dynastay.Tx) (none struct{}, _ error) {
					tx.Update(barrels, key, delta.With(nil))
					return none, nil
				},
			}))
			assert.NoError(t, err)
		}), dyntest.When{Operation: "UpdateItem", Nth: 1})
	}
	meanwhile()
	prepared, err = take("second", 1)
	require.NoError(t, err)
	assert.Equal(t, 1, prepared, "the delta does not overtake it")
	assert.Equal(t, barrel{"a", "second", 1}, read())

	meanwhile()
	prepared, err = take("third", 1)
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.Equal(t, 2, prepared)
	assert.Equal(t, barrel{"a", "second", 0}, read())

	// If nothing else changes, the counter does not change either.
	change, err := table.Change(t.Context(), key, func(*barrel) error { return nil })
	require.NoError(t, err)
	change.Also(expression.Set(stock, expression.Value(9)), expression.ConditionBuilder{})
	assert.False(t, change.Changed())
}
