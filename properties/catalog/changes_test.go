package catalog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/streamtest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties/catalog"
)

// streamed returns a database whose table has a stream. Its clock stands still until advanced.
func streamed(t *testing.T) *dyntest.DB {
	t.Helper()
	noon := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	return dyntest.New(t, append(streamtest.Tables(keys.MetadataTable), dyntest.At(noon))...)
}

// Every change of an entry is decoded as the catalogue returned it. The items of its names, entries of other catalogues
// and settings are not decoded.
func TestChanges(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), streamed(t)
	locations, amenities := catalog.Locations(db.DB), catalog.Amenities(db.DB)
	setting, other := feesOf(db.DB, "fees"), feesOf(db.DB, "other")

	place, err := locations.Create(ctx, newYork())
	require.NoError(t, err)
	renamed, err := locations.Update(ctx, "new-york", func(l *catalog.Location) error {
		l.Aliases, l.Longitude = []string{"Big Apple"}, -74
		return nil
	})
	require.NoError(t, err)
	put(t, db, raw.Document(t, "testdata/amenity.json")) // the document's
	document := wifi()
	moved, err := amenities.Update(ctx, "wifi", func(a *catalog.Amenity) error { a.DisplayOrder = 2; return nil })
	require.NoError(t, err)
	require.NoError(t, amenities.Delete(ctx, "wifi"))
	charged, err := setting.Create(ctx, fees{15, []string{"USA"}})
	require.NoError(t, err)
	db.Clock.Advance(time.Minute)
	raised, err := setting.Update(ctx, func(v *fees) error { v.Percent++; return nil })
	require.NoError(t, err)
	require.NoError(t, setting.Delete(ctx))
	others, err := other.Create(ctx, fees{1, nil})
	require.NoError(t, err)
	require.NoError(t, locations.Delete(ctx, "new-york"))

	assert.Equal(t, map[string][]*catalog.Location{
		"CATALOG#locations/ITEM#new-york": {place, renamed, nil},
	}, streamtest.Histories(t, db, keys.MetadataTable, locations.Changes()))
	assert.Equal(t, map[string][]*catalog.Amenity{
		"CATALOG#amenities/ITEM#wifi": {&document, moved, nil},
	}, streamtest.Histories(t, db, keys.MetadataTable, amenities.Changes()))
	assert.Equal(t, map[string][]*catalog.Versioned[fees]{
		"CATALOG#config/ITEM#fees": {charged, raised, nil},
	}, streamtest.Histories(t, db, keys.MetadataTable, setting.Changes()))
	assert.Equal(t, map[string][]*catalog.Versioned[fees]{
		"CATALOG#config/ITEM#other": {others},
	}, streamtest.Histories(t, db, keys.MetadataTable, other.Changes()))
}

// What cannot be decoded is an error, not an entry without its values.
func TestUnreadableChange(t *testing.T) {
	t.Parallel()
	db := streamed(t)
	item := raw.Document(t, "testdata/amenity.json")
	item["DisplayOrder"] = dynastay.Text("first")
	put(t, db, item)
	records := streamtest.Records(t, db, keys.MetadataTable)
	require.Len(t, records, 1)
	_, ok, err := catalog.Amenities(db.DB).Changes().Decode(records[0])
	assert.True(t, ok)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
}
