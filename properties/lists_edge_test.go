package properties_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

func inArea(t *testing.T, repo *properties.Repository, p key.Point) []string {
	t.Helper()
	return ids(listed(t, repo.InArea(properties.AreaQuery{Latitude: p.Latitude, Longitude: p.Longitude})))
}

func TestInArea(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for id, price := range map[string]dynastay.Money{
		"1000": dynastay.MustMoney("1000", "USD"), "90": dynastay.MustMoney("90", "USD"), "150-b": dynastay.MustMoney("150.00", "USD"),
		"150-a": dynastay.MustMoney("150", "USD"), "yen": dynastay.MustMoney("151", "JPY"), "149.999": dynastay.MustMoney("149.999", "KWD"),
	} {
		room := king("room-"+id, "1")
		room.BasePrice = price
		_, err := repo.Create(t.Context(), grand(id), []properties.RoomType{room})
		require.NoError(t, err)
	}
	create(t, repo, grand("waiting", pending))
	// The northern edge of the area, dr5ru7, is between Times Square and the second of these.
	create(t, repo, grand("within", north(-400)))
	create(t, repo, grand("beyond-the-edge", north(400)))

	want := []string{"90", "149.999", "150-a", "150-b", "within", "yen", "1000"}
	assert.Equal(t, want, inArea(t, repo, timesSquare))
	var got []string
	for paging := (dynastay.Paging{Limit: 2}); ; {
		page, err := repo.InArea(properties.AreaQuery{Latitude: 40.7570, Longitude: -73.9850}).Page(t.Context(), paging)
		require.NoError(t, err)
		got = append(got, ids(page.Items)...)
		if paging.After = page.Next; paging.After == "" {
			break
		}
	}
	assert.Equal(t, want, got, "the same area from a different point")
	assert.Equal(t, []string{"beyond-the-edge"}, inArea(t, repo, key.Point{Latitude: 40.7625, Longitude: -73.9851}))
	page, err := repo.InArea(properties.AreaQuery{Latitude: 40.7570, Longitude: -73.9850}).Page(t.Context(), dynastay.Paging{Limit: 1})
	require.NoError(t, err)
	_, err = repo.InArea(properties.AreaQuery{Latitude: 40.7625, Longitude: -73.9851}).Page(t.Context(), dynastay.Paging{Limit: 1, After: page.Next})
	assert.ErrorIs(t, err, dynastay.ErrCursor)
}

// Rows of other software count by the coordinates of the property, whatever their key says.
func TestInAreaOfForeignRows(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("own"))
	for n, area := range map[string]string{"right": "GEO#dr5ru7", "elsewhere": "GEO#dr5reg", "off-earth": "GEO#dr5ru7", "pending": "GEO#dr5ru7"} {
		putForeign(t, db, n, func(item dynastay.Item) {
			item["GSI2PK"], item["GSI2SK"] = dynastay.Text(area), dynastay.Text("PRICE#150")
			if n == "pending" {
				item["Status"] = dynastay.Text("pending")
			}
		})
	}
	setDirectly(t, db, keyOf("prop_off-earth"), "Address", map[string]any{"City": "New York", "Country": "USA", "Latitude": 140.7589, "Longitude": -73.9851})
	assert.Empty(t, inArea(t, repo, key.Point{Latitude: 40.7128, Longitude: -74.0060}), "dr5reg, where the key is")
	page, err := repo.InArea(properties.AreaQuery{Latitude: timesSquare.Latitude, Longitude: timesSquare.Longitude}).Page(t.Context(), dynastay.Paging{})
	assert.Equal(t, []string{"own", "prop_right"}, ids(page.Items))
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.ErrorContains(t, err, "prop_off-earth")

	set(t, db, keyOf("own"), "SET Card.StarRating = :s", dynastay.Item{":s": dynastay.Text("five")})
	page, err = repo.InArea(properties.AreaQuery{Latitude: timesSquare.Latitude, Longitude: timesSquare.Longitude}).Page(t.Context(), dynastay.Paging{})
	assert.Equal(t, []string{"prop_right"}, ids(page.Items))
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
}
