package properties_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
	size "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

// The requests of Near depend on the circle only, and its read units on the properties in the ranges.
func TestCostOfNear(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo, costs := properties.New(db.DB, nil), page.Costs{DB: db}
	for _, c := range []struct {
		side  int // of a square of 3 by 3 km with properties at equal distances
		found int
		units float64
		why   string
	}{
		{0, 0, 3, "the 6 ranges that cover the circle: half a unit for each range of up to 4 KB"},
		{17, 96, 22.5, "the ranges contain 1.4 times as many properties, with cards of 1 KB"},
		{34, 405, 81.5, "the same"},
	} {
		var all []properties.Property
		for i := range c.side * c.side {
			all = append(all, grand(fmt.Sprintf("p%d", i), func(p *properties.Property) {
				p.AmenityIDs, p.Name, p.PrimaryImageURL = numbered("amenity_", 20), strings.Repeat("x", 200), strings.Repeat("x", 257)
				located(key.Point{
					Latitude:  timesSquare.Latitude + 0.027*(float64(i/c.side)/float64(c.side)-0.5),
					Longitude: timesSquare.Longitude + 0.0356*(float64(i%c.side)/float64(c.side)-0.5),
				})(p)
			}))
		}
		putRows(t, db, keys.GeohashIndex, all)
		for _, p := range all[:min(1, len(all))] {
			assert.InDelta(t, 1024, size.Size(stored(t, db, p.ID)), 2)
		}
		what := fmt.Sprintf("properties within 1 km: %d", c.found)
		costs.Measure(t, what, c.why, dyntest.Bill{Requests: 6, ReadUnits: c.units}, func() {
			near, err := repo.Near(t.Context(), around(timesSquare, 1_000))
			require.NoError(t, err)
			assert.Len(t, near, c.found)
		})
	}
	costs.Section(t, "properties near a point")
}
