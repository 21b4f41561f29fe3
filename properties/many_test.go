package properties_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

// located returns an edit that puts a property at a point.
func located(at key.Point) func(*properties.Property) {
	return func(p *properties.Property) { p.Address.Latitude, p.Address.Longitude = at.Latitude, at.Longitude }
}

// putRows writes approved properties quickly: of each item, only the card and the keys of the table and of one index.
func putRows(t testing.TB, db *dyntest.DB, index string, all []properties.Property) {
	t.Helper()
	at, ok := keys.PropertiesTable.Index(index)
	require.True(t, ok)
	table := keys.PropertiesTable.Key
	require.NoError(t, db.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, p := range all {
			p.CreatedAt, p.Prices = fixture.Now, properties.PriceRange{Min: fixture.Price, Max: fixture.Price}
			whole, err := properties.PropertyEntity.Item(&p)
			require.NoError(t, err)
			item := dynastay.Item{}
			for _, name := range []string{table.Partition, table.Sort, at.Key.Partition, at.Key.Sort, keys.AttrCard} {
				item[name] = whole[name]
			}
			if !yield(keys.PropertiesTable, item) {
				return
			}
		}
	}))
}

// metresBetween returns the great-circle distance of two points, by the angle between vectors.
func metresBetween(a, b key.Point) float64 {
	vector := func(p key.Point) (x, y, z float64) {
		latitude, longitude := p.Latitude*math.Pi/180, p.Longitude*math.Pi/180
		return math.Cos(latitude) * math.Cos(longitude), math.Cos(latitude) * math.Sin(longitude), math.Sin(latitude)
	}
	ax, ay, az := vector(a)
	bx, by, bz := vector(b)
	cross := math.Hypot(math.Hypot(ay*bz-az*by, az*bx-ax*bz), ax*by-ay*bx)
	return 6_371_008.8 * math.Atan2(cross, ax*bx+ay*by+az*bz)
}
