package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/properties/catalog"
)

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
	assert.Equal(t, []*airport{{Code: "ZRH", Cities: []string{"Zürich"}}}, listed(t, airports.Complete("z"), 50))
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
	assertField(t, err, dynastay.ErrInvalid, "Code")
	_, err = airports.Create(t.Context(), airport{Code: "ZRH", Cities: []string{"Zürich", "\xff"}})
	assertField(t, err, dynastay.ErrInvalid, "Cities[1]")
	_, err = airports.Create(t.Context(), airport{Code: "ZRH", Cities: []string{"Zürich", "-"}})
	assertField(t, err, dynastay.ErrInvalid, "Names[2]")
}
