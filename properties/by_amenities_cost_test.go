package properties_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/market"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// amenityCost is what a page of 50 properties costs.
type amenityCost struct {
	items, requests int
	units           float64
}

// A page of properties with common amenities costs the same however many properties there are. If a common amenity is
// combined with a rare one, the cost depends on how many rows of the common one lie between those of the rare one. It
// is limited by [dynastay.Paging.Reads].
func TestCostOfAmenities(t *testing.T) {
	t.Parallel()
	const few, rarest = 100, 5
	apart := *costSize / few
	require.Greater(t, apart, 1)
	db := dyntest.New(t, propertyTables)
	create(t, properties.New(db.DB, nil), grand("prop_model", equipped("wifi", "pool", "spa", "helipad")))
	model := partition(t, db, "PROPERTY#prop_model")
	for _, sk := range []string{"METADATA", "AMENITY#wifi", "AMENITY#pool", "AMENITY#spa", "AMENITY#helipad"} {
		remove(t, db, dynastay.Key{PK: "PROPERTY#prop_model", SK: sk})
	}
	put := func(numbers []int, sortKeys ...string) {
		require.NoError(t, db.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
			for _, n := range numbers {
				number := strings.NewReplacer("prop_model", fmt.Sprintf("prop_%06d", n))
				for _, sk := range sortKeys {
					item := market.Copied(&types.AttributeValueMemberM{Value: model[sk]}, number).(*types.AttributeValueMemberM)
					if !yield(keys.PropertiesTable, item.Value) {
						return
					}
				}
			}
		}))
	}

	var units float64
	repo := properties.New(observe(db, func(c dynastay.Call) { units += c.ReadUnits() }), nil)
	measure := func(amenityIDs ...string) amenityCost {
		units = 0
		stop := db.Faults.Record()
		page, err := repo.ByAmenities(properties.AmenityQuery{City: "New York", Country: "USA", AmenityIDs: amenityIDs}).
			Page(t.Context(), dynastay.Paging{})
		require.NoError(t, err)
		return amenityCost{len(page.Items), len(stop()), units}
	}
	costs := page.Costs{DB: db}
	check := func(what, why string, want amenityCost, amenityIDs ...string) {
		t.Helper()
		got := measure(amenityIDs...)
		costs.Add(what, why, dyntest.Bill{Requests: got.requests, ReadUnits: got.units})
		assert.InDelta(t, want.units, got.units, 2, amenityIDs)
		want.units = got.units
		assert.Equal(t, want, got, amenityIDs)
	}

	// The numbers of the first properties, those with the rare amenities, are spread evenly over those of all.
	var with, without, helipads []int
	for n := range *costSize {
		if n%apart > 0 {
			without = append(without, n)
			continue
		}
		if with = append(with, n); len(with)%(few/rarest) == 1 {
			helipads = append(helipads, n)
		}
	}
	put(with, "METADATA", "AMENITY#wifi", "AMENITY#pool", "AMENITY#spa")
	put(helipads, "AMENITY#helipad")
	common := func() []amenityCost { return []amenityCost{measure("wifi"), measure("wifi", "pool")} }
	before := common()
	check("one amenity", "1 for the rows of the index, 25 for 50 properties of up to 4 KB", amenityCost{50, 2, 26}, "wifi")
	check("two amenities that all 100 properties have", "1 for the rows of each amenity", amenityCost{50, 3, 27}, "wifi", "pool")
	check("", "", amenityCost{50, 3, 27}, "wifi", "spa")
	check("two amenities, one of which 5 of 100 properties have", "2 for the rows of the index, 2.5 for 5 properties",
		amenityCost{rarest, 4, 4.5}, "wifi", "helipad")
	costs.Section(t, "properties by amenities")

	put(without, "AMENITY#wifi", "AMENITY#pool")
	put(without[:few], "METADATA") // the others are not on the first page
	assert.Equal(t, before, common())
	wanted := map[int][3]amenityCost{ // by the number of all properties
		1_000:  {{50, 8, 33.5}, {rarest, 6, 13}, {rarest, 10, 23}},
		10_000: {{48, 11, 81.5}, {rarest, 7, 23}, {rarest, 12, 43}},
	}
	want, ok := wanted[*costSize]
	require.True(t, ok, "costs are known for 1,000 and for 10,000 properties")
	check("", "", want[0], "wifi", "spa")
	check("", "", want[1], "wifi", "helipad")
	check("", "", want[2], "helipad", "pool", "wifi")
}
