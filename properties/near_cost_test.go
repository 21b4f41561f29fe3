package properties_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	size "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

// The requests of Near depend on the circle only, and its read units on the properties in the ranges. docs/costs.md says
// what it costs with 96 and with 405 properties.
func TestNearCosts(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	var spent units
	repo := properties.New(observe(db, func(c dynastay.Call) {
		spent.requests += c.Requests()
		spent.read += c.ReadUnits()
	}), nil)
	for _, c := range []struct {
		side  int // of a square of 3 by 3 km with properties at equal distances
		found int
		want  units
	}{{0, 0, units{6, 3, 0, 0}}, {17, 96, units{6, 22.5, 0, 0}}, {34, 405, units{6, 81.5, 0, 0}}} {
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
		spent = units{}
		near, err := repo.Near(t.Context(), around(timesSquare, 1_000))
		require.NoError(t, err)
		assert.Equal(t, c.found, len(near))
		assert.Equal(t, c.want.requests, spent.requests)
		if db.Has(dyntest.ExactUnits) {
			assert.Equal(t, c.want, spent)
		}
	}
}
