package units_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

// open returns a database, a hotel, and the repository.
func open(t *testing.T) (*dyntest.DB, fixture.Hotel, *units.Repository) {
	t.Helper()
	bare := *keys.PropertiesTable
	bare.Indexes = nil // these tests find no properties
	db := dyntest.New(t, dyntest.OnlyTables(&bare, keys.AvailabilityTable, keys.MetadataTable), dyntest.At(fixture.Now))
	return db, fixture.New(t, db.DB, 5), units.New(db.DB)
}

// all returns the units of a list.
func all(t *testing.T, list dynastay.List[*units.Unit]) (ids []string) {
	t.Helper()
	for u, err := range list.All(t.Context()) {
		require.NoError(t, err)
		ids = append(ids, u.ID)
	}
	return ids
}
