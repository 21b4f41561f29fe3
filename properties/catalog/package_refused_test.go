package catalog_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/properties/catalog"
)

// Invalid entries are refused by creates and updates alike, before a write, with the field and the reason.
func TestInvalidLocations(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	locations := catalog.Locations(db.DB)
	create(t, locations, newYork())
	long := strings.Repeat("x", 257)
	for _, test := range []struct {
		field, reason string
		edit          func(*catalog.Location)
	}{
		{"City", "is required", func(l *catalog.Location) { l.City = " " }},
		{"City", "must contain a letter or a digit", func(l *catalog.Location) { l.City = "#" }},
		{"City", "must be valid UTF-8", func(l *catalog.Location) { l.City = "a\xff" }},
		{"City", "must be at most 256 bytes after trimming and percent-escaping", func(l *catalog.Location) { l.City = long }},
		{"City", "must be at most 256 bytes, got 257", func(l *catalog.Location) { l.City = long[1:] + " " }},
		{"City", "must be at most 256 bytes without accents, spaces and punctuation", func(l *catalog.Location) { l.City = long[:254] }},
		{"Country", "is required", func(l *catalog.Location) { l.Country = "" }},
		{"Country", "must be at most 256 bytes after trimming and percent-escaping", func(l *catalog.Location) { l.Country = long }},
		{"State", "must be at most 256 bytes, got 257", func(l *catalog.Location) { l.State = long }},
		{"State", "must be valid UTF-8", func(l *catalog.Location) { l.State = "\xff" }},
		{"Aliases[1]", "must contain a letter or a digit", func(l *catalog.Location) { l.Aliases = []string{"a", "-"} }},
		{"Aliases[0]", "must be at most 256 bytes, got 257", func(l *catalog.Location) { l.Aliases = []string{long} }},
		{"Aliases[0]", "must be at most 256 bytes without accents, spaces and punctuation", func(l *catalog.Location) { l.Aliases = []string{long[:254]} }},
		{"Aliases", "must have at most 20 entries, got 21", func(l *catalog.Location) { l.Aliases = numbered("alias", 21) }},
		{"Latitude", "must be between -90 and 90", func(l *catalog.Location) { l.Latitude = 90.1 }},
		{"Longitude", "must be between -180 and 180", func(l *catalog.Location) { l.Longitude = -180.1 }},
		{"Latitude", "must be a finite number", func(l *catalog.Location) { l.Latitude = math.NaN() }},
	} {
		refused := func(err error) {
			t.Helper()
			invalid := blame.As[*dynastay.InvalidError](t, err)
			assert.Equal(t, []string{test.field, test.reason}, []string{invalid.Field, invalid.Reason})
		}
		stop := db.Faults.Record()
		_, err := locations.Create(t.Context(), newYork(func(l *catalog.Location) { l.ID = ""; test.edit(l) }))
		refused(err)
		_, err = locations.Update(t.Context(), "new-york", func(l *catalog.Location) error { test.edit(l); return nil })
		refused(err)
		assert.Len(t, stop(), 1, "the read of the update")
	}
	_, err := locations.Update(t.Context(), "new-york", func(l *catalog.Location) error { l.ID = "other"; return nil })
	blame.Of(t, err, dynastay.ErrInvalid, "ID")
	_, err = locations.Update(t.Context(), "new-york", func(l *catalog.Location) error { l.Version = 7; return nil })
	blame.Of(t, err, dynastay.ErrInvalid, "Version")

	longest := newYork(func(l *catalog.Location) {
		l.ID, l.City, l.Aliases, l.State = "", long[:253], numbered("alias", 20), long[:256]
	})
	made, err := locations.Create(t.Context(), longest)
	require.NoError(t, err)
	assert.Regexp(t, "^loc_", made.ID)
	assert.Len(t, lists.Paged(t, locations.Find(long[:253]+"USA"), 50), 1)
}

func TestInvalidAmenities(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	amenities := catalog.Amenities(db.DB)
	for _, test := range []struct {
		field, reason string
		edit          func(*catalog.Amenity)
	}{
		{"ID", "is required", func(a *catalog.Amenity) { a.ID = "" }},
		{"ID", "must not contain '#'", func(a *catalog.Amenity) { a.ID = "a#b" }},
		{"Name", "is required", func(a *catalog.Amenity) { a.Name = "" }},
		{"Name", "must contain a letter or a digit", func(a *catalog.Amenity) { a.Name = "?" }},
		{"Name", "must be at most 256 bytes, got 257", func(a *catalog.Amenity) { a.Name = strings.Repeat("x", 257) }},
		{"Category", "must be at most 256 bytes, got 257", func(a *catalog.Amenity) { a.Category = strings.Repeat("x", 257) }},
		{"Icon", "must be at most 2048 bytes, got 2049", func(a *catalog.Amenity) { a.Icon = strings.Repeat("x", 2049) }},
		{"Aliases", "must have at most 20 entries, got 21", func(a *catalog.Amenity) { a.Aliases = numbered("alias", 21) }},
		{"Aliases[2]", "must contain a letter or a digit", func(a *catalog.Amenity) { a.Aliases = []string{"a", "b", ""} }},
	} {
		_, err := amenities.Create(t.Context(), wifi(test.edit))
		invalid := blame.As[*dynastay.InvalidError](t, err)
		assert.Equal(t, []string{test.field, test.reason}, []string{invalid.Field, invalid.Reason})
	}
	create(t, amenities, wifi(func(a *catalog.Amenity) {
		a.Name, a.Category = strings.Repeat("x", 256), strings.Repeat("x", 256)
		a.Icon, a.Aliases = strings.Repeat("x", 2048), numbered("alias", 20)
	}))
	assert.Len(t, lists.Paged(t, amenities.Find("alias-19"), 50), 1)
}

// Invalid arguments are refused before any request.
func TestInvalidArguments(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	streets := catalog.New(db.DB, streetSpec())
	page := func(l dynastay.List[*street]) error {
		_, err := l.Page(t.Context(), dynastay.Paging{})
		return err
	}
	same := func(*street) error { return nil }
	_, create := streets.Create(t.Context(), street{ID: "x", Names: []string{"a", "b", "…", "!"}})
	_, many := streets.Create(t.Context(), street{ID: "x", Names: numbered("name", catalog.MaxNames+1)})
	_, get := streets.Get(t.Context(), "")
	_, update := streets.Update(t.Context(), "a#b", same)
	_, option := streets.Update(t.Context(), "a", same, dynastay.IfVersion(1))
	for _, test := range []struct {
		err  error
		says string
	}{
		{create, "invalid Names[2]: must contain a letter or a digit"},
		{many, "invalid Names: must have at most 49 entries, got 50"},
		{get, "invalid ID: is required"},
		{update, "invalid ID: must not contain '#'"},
		{option, "invalid IfVersion: is not supported: Street has no version"},
		{streets.Delete(t.Context(), strings.Repeat("x", 129)), "invalid ID: must be at most 128 bytes"},
		{page(streets.Find(" ")), "invalid Name: must contain a letter or a digit"},
		{page(streets.Find(strings.Repeat("x", 257))), "invalid Name: must be at most 256 bytes without accents, spaces and punctuation"},
		{page(streets.Complete("")), "invalid Prefix: must contain a letter or a digit"},
		{page(streets.Complete(strings.Repeat(" ", 1025))), "invalid Prefix: must be at most 1024 bytes"},
	} {
		assert.ErrorIs(t, test.err, dynastay.ErrInvalid)
		assert.ErrorContains(t, test.err, test.says)
	}
	assert.Zero(t, db.Faults.Count(""))
	assert.Empty(t, partition(t, db, "streets"))
	assert.NoError(t, catalog.CheckName(strings.Repeat("x", 256)))
	assert.EqualError(t, catalog.CheckName("#"), "invalid: must contain a letter or a digit")
}
