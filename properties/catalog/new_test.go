package catalog_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
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
	var sent []string
	for _, r := range stop() {
		sent = append(sent, r.Operation)
	}
	assert.Equal(t, []string{"PutItem", "DeleteItem"}, sent)

	_, err := streets.Create(t.Context(), street{})
	assertField(t, err, dynastay.ErrInvalid, "ID")
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
	found := listed(t, streets.Find("a"), 50)
	assert.Equal(t, []*street{{ID: "x", Other: "changed", Names: []string{"a"}}}, found)
	assert.NotContains(t, partition(t, db, "streets")["NAME#a#ITEM#x"], "WriteId")
}
