package entity_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

// tally counts things by their names.
type tally struct {
	ID     string
	Counts map[string]int
}

// An update names each attribute that differs, also within a map, and its expression has at most 4 KB: one that changes more
// is rejected. A creation has no such limit.
func TestUpdateOfManyEntries(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(records, bagTable))
	tallies := entity.NewTable(db.DB, entity.New(entity.Spec[tally]{
		Name: "Tally", Schema: bagTable,
		Key: func(y *tally) (dynastay.Key, error) { return dynastay.Key{PK: "TALLY#" + y.ID, SK: "METADATA"}, nil },
		Codec: entity.Declare(func(f *entity.Fields, y *tally) {
			f.String("TallyId", &y.ID)
			entity.Keyed(f, "Counts", &y.Counts, func(f *entity.Fields, name string, n *int) { f.Int(name, n) })
		}),
	}))
	counts := func(n, of int) map[string]int {
		all := map[string]int{}
		for i := range of {
			all[fmt.Sprint("thing ", i)] = n
		}
		return all
	}
	made, err := tallies.Create(t.Context(), &tally{"1", counts(1, 1000)})
	require.NoError(t, err)
	update := func(n, of int) error {
		_, err := tallies.Update(t.Context(), dynastay.Key{PK: "TALLY#1", SK: "METADATA"}, func(y *tally) error {
			for name := range counts(n, of) {
				y.Counts[name] = n
			}
			return nil
		})
		return err
	}
	err = update(2, 1000)
	assert.ErrorIs(t, err, dynastay.ErrRejected)
	assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	got, err := tallies.Get(t.Context(), dynastay.Key{PK: "TALLY#1", SK: "METADATA"}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, made, got)

	assert.NoError(t, update(2, 100))
}
