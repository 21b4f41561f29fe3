package entity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// A delete that has read the entity is certain where its request was lost: the item shows that it was not done, and the same
// request is sent again.
func TestLostDeleteOfWhatWasRead(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable, badgesTable))
	badges := entity.NewTable(db.DB, entity.New(badgeSpec("")))
	_, err := badges.Create(t.Context(), &badge{ID: "1", Holder: "ada"}) // of no door, so without a guard
	require.NoError(t, err)
	lost := db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "DeleteItem", Nth: 1})
	require.NoError(t, badges.Delete(t.Context(), dynastay.Key{PK: "BADGE#1"}))
	assert.Equal(t, 1, lost.Hits())
	_, err = badges.Get(t.Context(), dynastay.Key{PK: "BADGE#1"}, dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}
