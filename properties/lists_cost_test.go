package properties_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
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

var costSize = flag.Int("lists.properties", 1000, "number of properties with which the cost of a page is compared with that of 100")

// A page of each list costs the same however many properties there are. The first 100 meet all queries, and the others
// are in the same partitions.
func TestCostOfListsIsFlat(t *testing.T) {
	t.Parallel()
	const meet = 100
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	var models []dynastay.Item
	for i, lowest := range []string{"150", "90", "1000"} {
		id := fmt.Sprintf("prop_%d0000", i)
		priced(t, repo, id, usd(lowest))
		if i == 0 {
			_, err := repo.Rate(t.Context(), id, 0, 92)
			require.NoError(t, err)
		} else {
			_, err := repo.Update(t.Context(), id, edit(func(p *properties.Property) { p.FeaturedScore = 5 }))
			require.NoError(t, err)
		}
		models = append(models, stored(t, db, id))
		remove(t, db, keyOf(id))
	}
	fill := func(from, to int) {
		require.NoError(t, db.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
			for n := from; n < to; n++ {
				model := 0
				if n >= meet {
					model = 1 + n%2
				}
				number := strings.NewReplacer(fmt.Sprintf("prop_%d0000", model), fmt.Sprintf("prop_%d%04d", model, n))
				item := market.Copied(&types.AttributeValueMemberM{Value: models[model]}, number).(*types.AttributeValueMemberM)
				if !yield(keys.PropertiesTable, item.Value) {
					return
				}
			}
		}))
	}

	var units float64
	seen := properties.New(observe(db, func(c dynastay.Call) { units += c.ReadUnits() }), nil)
	price := properties.PriceQuery{City: "New York", Country: "USA", Currency: "USD", Min: usd("100"), Max: usd("200")}
	descending := price
	descending.Descending = true
	lists := map[string]cardList{
		"ByCity":             seen.ByCity(properties.CityQuery{City: "New York", Country: "USA", MinRating: 80}),
		"ByPrice":            seen.ByPrice(price),
		"ByPrice descending": seen.ByPrice(descending),
		"ByStars":            seen.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 5, MinRating: 80}),
		"ByType":             seen.ByType(properties.TypeQuery{Type: properties.Hotel, MinRating: 80}),
		"Featured":           seen.Featured(),
	}
	type pageCost struct {
		requests int
		units    float64
	}
	measure := func() map[string]pageCost {
		all := map[string]pageCost{}
		for name, list := range lists {
			units = 0
			stop := db.Faults.Record()
			page, err := list.Page(t.Context(), dynastay.Paging{})
			require.NoError(t, err)
			require.Len(t, page.Items, 50)
			all[name] = pageCost{len(stop()), units}
		}
		return all
	}

	fill(0, meet)
	few, costs := measure(), page.Costs{DB: db}
	for _, name := range slices.Sorted(maps.Keys(few)) {
		cost := few[name]
		assert.Equal(t, 1, cost.requests, name)
		assert.InDelta(t, 4.5, cost.units, 1, name)
		costs.Add(name, "half a unit for every 4 KB of cards, of which each has about 650 bytes", dyntest.Bill{Requests: cost.requests, ReadUnits: cost.units})
	}
	costs.Section(t, "lists of properties")
	fill(meet, *costSize)
	assert.Equal(t, few, measure())
	t.Log(few)
}
