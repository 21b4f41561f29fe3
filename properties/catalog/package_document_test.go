package catalog_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/properties/catalog"
)

// The document's item is reproduced attribute by attribute.
func TestDocumentAmenityRoundTrips(t *testing.T) {
	t.Parallel()
	item := raw.Document(t, "testdata/amenity.json")
	amenities := catalog.EntityOf(catalog.Amenities(dyntest.New(t, catalogTables).DB))
	a, err := amenities.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	assert.Equal(t, wifi(), *a)
	again, err := amenities.Item(a)
	require.NoError(t, err)
	assert.Equal(t, item, again)
}

// An item without a version has none when it is written again: a condition on its absence must hold.
func TestNoVersionIsNotStored(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	location := newYork()
	for _, item := range []func() (dynastay.Item, error){
		func() (dynastay.Item, error) { return catalog.EntityOf(catalog.Locations(db.DB)).Item(&location) },
		func() (dynastay.Item, error) {
			return catalog.SettingEntity(feesOf(db.DB, "fees")).Item(&catalog.Versioned[fees]{Name: "fees"})
		},
	} {
		got, err := item()
		require.NoError(t, err)
		assert.Contains(t, got, "EntityType")
		assert.NotContains(t, got, "Version")
	}
}

// An entry that other software wrote by the document is read by id and listed. It is found by its name after the first
// update that changes it, which keeps what the library does not know.
func TestDocumentAmenityIsAdopted(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	amenities := catalog.Amenities(db.DB)
	item := raw.Document(t, "testdata/amenity.json")
	item["Unknown"] = dynastay.Text("kept")
	put(t, db, item)
	found := func() int { return len(lists.Paged(t, amenities.Find("free wifi"), 50)) }

	got, err := amenities.Get(t.Context(), "wifi")
	require.NoError(t, err)
	assert.Equal(t, wifi(), *got)
	assert.Equal(t, []*catalog.Amenity{got}, lists.Paged(t, amenities.All(), 50))
	assert.Zero(t, found())

	_, err = amenities.Update(t.Context(), "wifi", func(*catalog.Amenity) error { return nil })
	require.NoError(t, err)
	assert.Zero(t, found(), "nothing changed")

	_, err = amenities.Update(t.Context(), "wifi", func(a *catalog.Amenity) error { a.DisplayOrder = 2; return nil })
	require.NoError(t, err)
	assert.Equal(t, 1, found())
	stored := partition(t, db, "amenities")
	delete(stored["ITEM#wifi"], "WriteId")
	entry := map[string]any{
		"PK": "CATALOG#amenities", "SK": "ITEM#wifi", "EntityType": "Amenity", "AmenityId": "wifi", "Name": "Free WiFi",
		"Category": "basic", "Icon": "wifi-icon", "DisplayOrder": 2.0, "Version": 1.0, "Unknown": "kept",
	}
	name := maps.Clone(entry)
	delete(name, "Unknown")
	name["SK"], name["EntityType"], name["SharedPrefix"] = "NAME#freewifi#ITEM#wifi", "AmenityName", 0.0
	assert.Equal(t, map[string]map[string]any{"ITEM#wifi": entry, "NAME#freewifi#ITEM#wifi": name}, stored)

	require.NoError(t, amenities.Delete(t.Context(), "wifi"))
	assert.Empty(t, partition(t, db, "amenities"))
}

// Other software may have stored names that the library refuses, or more than it stores: there are no items for them,
// and an update that corrects them succeeds, as does a delete.
func TestInvalidStoredNames(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	amenities := catalog.Amenities(db.DB)
	for _, id := range []string{"a", "b"} {
		item := raw.Document(t, "testdata/amenity.json")
		item["SK"], item["AmenityId"], item["Name"] = dynastay.Text("ITEM#"+id), dynastay.Text(id), dynastay.Text("!")
		item["Aliases"] = texts(200)
		put(t, db, item)
	}
	_, err := amenities.Update(t.Context(), "a", func(a *catalog.Amenity) error { a.Category = "other"; return nil })
	blame.Of(t, err, dynastay.ErrInvalid, "Aliases")
	_, err = amenities.Update(t.Context(), "a", func(a *catalog.Amenity) error { a.Aliases = nil; return nil })
	blame.Of(t, err, dynastay.ErrInvalid, "Name")
	_, err = amenities.Update(t.Context(), "a", func(a *catalog.Amenity) error { a.Name, a.Aliases = "Name", []string{"x"}; return nil })
	require.NoError(t, err)
	assert.Len(t, lists.Paged(t, amenities.Complete("x"), 50), 1)
	require.NoError(t, amenities.Delete(t.Context(), "b"))
	require.NoError(t, amenities.Delete(t.Context(), "a"))
	assert.Empty(t, partition(t, db, "amenities"))
}
