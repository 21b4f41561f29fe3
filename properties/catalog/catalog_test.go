package catalog_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/internal/testing/wire"
	"github.com/dynastay/dynastay/properties/catalog"
)

// street is an entry of a platform's own catalogue.
type street struct {
	ID, Other string
	Names     []string
	WriteID   dynastay.WriteID
}

func streetSpec() catalog.Spec[street] {
	return catalog.Spec[street]{
		Type: "streets", Entity: "Street", ID: "StreetId", Prefix: "st_",
		IDOf:  func(s *street) string { return s.ID },
		Names: func(s *street) []string { return s.Names },
		Codec: entity.Declare(func(f *entity.Fields, s *street) {
			f.String("StreetId", &s.ID)
			f.String("Other", &s.Other)
			f.Strings("Labels", &s.Names)
			f.WriteID("WriteId", &s.WriteID)
		}),
	}
}

func numbered(text string, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("%s %d", text, i))
	}
	return all
}

func TestNewPanics(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	declare := func(name string) entity.Codec[street] {
		return entity.Declare(func(f *entity.Fields, s *street) {
			f.String("StreetId", &s.ID)
			f.String(name, &s.Other)
		})
	}
	for _, test := range []struct {
		says string
		edit func(*catalog.Spec[street])
	}{
		{`catalog.New: Type must not be "config", which is reserved for settings`, func(s *catalog.Spec[street]) { s.Type = "config" }},
		{"catalog.New: Type: invalid Catalog: is required", func(s *catalog.Spec[street]) { s.Type = "" }},
		{"catalog.New: Type: invalid Catalog: must not contain '#'", func(s *catalog.Spec[street]) { s.Type = "a#b" }},
		{"catalog.New: streets: Entity, ID and IDOf are required", func(s *catalog.Spec[street]) { s.Entity = "" }},
		{"catalog.New: streets: Entity, ID and IDOf are required", func(s *catalog.Spec[street]) { s.ID = "" }},
		{"catalog.New: streets: Entity, ID and IDOf are required", func(s *catalog.Spec[street]) { s.IDOf = nil }},
		{"catalog.New: streets: IDOf must return attribute StreetId", func(s *catalog.Spec[street]) {
			s.IDOf = func(s *street) string { return s.Other }
		}},
		{"entity.New: Street: Codec is required", func(s *catalog.Spec[street]) { s.Codec = nil }},
		{"entity.New: Street: attribute EntityType is declared twice", func(s *catalog.Spec[street]) { s.Codec = declare("EntityType") }},
		{"entity.New: Street: attribute SharedPrefix is declared twice", func(s *catalog.Spec[street]) { s.Codec = declare("SharedPrefix") }},
		{"entity.New: Street: the codec does not declare attribute Made", func(s *catalog.Spec[street]) { s.Created = "Made" }},
		{"entity.New: Street: attribute Other must have the type time.Time, got string", func(s *catalog.Spec[street]) { s.Updated = "Other" }},
		{"entity.New: Street: attribute Other must have the type int, got string", func(s *catalog.Spec[street]) { s.Version = "Other" }},
	} {
		spec := streetSpec()
		test.edit(&spec)
		assert.PanicsWithValue(t, test.says, func() { catalog.New(db.DB, spec) })
	}
}

// Without names, entries are read by id and listed, a create and a delete are one request, and the lists by name say
// so.
func TestWithoutNames(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	spec := streetSpec()
	spec.Names, spec.Prefix = nil, ""
	streets := catalog.New(db.DB, spec)
	stop := db.Faults.Record()
	create(t, streets, street{ID: "x"})
	require.NoError(t, streets.Delete(t.Context(), "x"))
	sent := wire.Operations(stop())
	assert.Equal(t, []string{"PutItem", "DeleteItem"}, sent)

	_, err := streets.Create(t.Context(), street{})
	blame.Of(t, err, dynastay.ErrInvalid, "ID")
	_, err = streets.Find("a").Page(t.Context(), dynastay.Paging{})
	assert.EqualError(t, err, "invalid Name: is not supported: Street has no names")
	_, err = streets.Complete("a").Page(t.Context(), dynastay.Paging{})
	assert.EqualError(t, err, "invalid Prefix: is not supported: Street has no names")
}

// A write id belongs to the item of the entry, and names have none.
func TestNamesHaveNoWriteID(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	streets := catalog.New(db.DB, streetSpec())
	made, err := streets.Create(t.Context(), street{ID: "x", Names: []string{"a"}})
	require.NoError(t, err)
	require.NotEmpty(t, made.WriteID)
	changed, err := streets.Update(t.Context(), "x", func(s *street) error { s.Other = "changed"; return nil }, dynastay.IfWritten(made.WriteID))
	require.NoError(t, err)
	assert.NotEqual(t, made.WriteID, changed.WriteID)
	found := lists.Paged(t, streets.Find("a"), 50)
	assert.Equal(t, []*street{{ID: "x", Other: "changed", Names: []string{"a"}}}, found)
	assert.NotContains(t, partition(t, db, "streets")["NAME#a#ITEM#x"], "WriteId")
}

// airport is an entry that a service already has, with its own names for the id.
type airport struct {
	Code    string           `dynamodbav:"IATA"`
	Cities  []string         `dynamodbav:"Cities"`
	WriteID dynastay.WriteID `dynamodbav:"WriteId"`
}

func airportSpec(codec entity.Codec[airport]) catalog.Spec[airport] {
	return catalog.Spec[airport]{
		Type: "airports", Entity: "Airport", ID: "IATA", Codec: codec,
		IDOf:  func(a *airport) string { return a.Code },
		Names: func(a *airport) []string { return append([]string{a.Code}, a.Cities...) },
	}
}

// A struct with tags is stored too. The write id, which it contains, belongs to the item of the entry only.
func TestTaggedEntries(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	airports := catalog.New(db.DB, airportSpec(entity.Tagged[airport]()))
	made, err := airports.Create(t.Context(), airport{Code: "ZRH", Cities: []string{"Zürich", "Winterthur"}})
	require.NoError(t, err)
	changed, err := airports.Update(t.Context(), "ZRH", func(a *airport) error { a.Cities = a.Cities[:1]; return nil },
		dynastay.IfWritten(made.WriteID))
	require.NoError(t, err)
	assert.Equal(t, airport{"ZRH", []string{"Zürich"}, changed.WriteID}, *changed)
	assert.NotEmpty(t, changed.WriteID)
	assert.Equal(t, []*airport{{Code: "ZRH", Cities: []string{"Zürich"}}}, lists.Paged(t, airports.Complete("z"), 50))
	items := partition(t, db, "airports")
	assert.Len(t, items, 3)
	assert.NotContains(t, items["NAME#zurich#ITEM#ZRH"], "WriteId")
}

// Errors have the names of the entry's own fields.
func TestErrorsNameTheField(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	airports := catalog.New(db.DB, airportSpec(entity.Declare(func(f *entity.Fields, a *airport) {
		f.String("IATA", &a.Code)
		f.Strings("Cities", &a.Cities)
	})))
	_, err := airports.Create(t.Context(), airport{Code: "Z#", Cities: []string{"Zürich"}})
	blame.Of(t, err, dynastay.ErrInvalid, "Code")
	_, err = airports.Create(t.Context(), airport{Code: "ZRH", Cities: []string{"Zürich", "\xff"}})
	blame.Of(t, err, dynastay.ErrInvalid, "Cities[1]")
	_, err = airports.Create(t.Context(), airport{Code: "ZRH", Cities: []string{"Zürich", "-"}})
	blame.Of(t, err, dynastay.ErrInvalid, "Names[2]")
}

// An entry is all that its list has, and an unreadable one is named by its id.
func TestAll(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	locations, amenities := catalog.Locations(db.DB), catalog.Amenities(db.DB)
	create(t, locations, city("b", "B", "X"), city("a", "A", "X"), city("c", "C", "X"))
	create(t, amenities, wifi())
	assert.Equal(t, []string{"a", "b", "c"}, locationIDs(t, locations.All()))
	assert.Len(t, lists.Paged(t, locations.All(), 2), 3)

	for _, sk := range []string{"ITEM#d", "NAME#b#ITEM#d"} {
		put(t, db, dynastay.Item{"PK": dynastay.Text("CATALOG#locations"), "SK": dynastay.Text(sk), "City": dynastay.Number(1)})
	}
	for _, list := range []dynastay.List[*catalog.Location]{locations.All(), locations.Find("b"), locations.Complete("b")} {
		page, err := list.Page(t.Context(), dynastay.Paging{})
		assert.NotEmpty(t, page.Items)
		unreadable := blame.As[*dynastay.UnreadableError](t, err)
		failure := blame.As[*dynastay.Error](t, unreadable.Items[0])
		assert.Equal(t, []string{"Location", "d", "City"}, []string{failure.Entity, failure.ID, failure.Field})
		assert.False(t, slices.Contains(page.Items, nil))
	}
}
