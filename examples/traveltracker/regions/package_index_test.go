package regions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/keys/key"
)

// The items follow every update: a moved box leaves no cells behind, a new name moves the rows, and all have current
// copies.
func TestItemsFollowTheRegion(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	a.create(t, korea(), faroes(), russia())
	a.check(t)
	update := func(edit func(*regions.Region)) *regions.Region {
		t.Helper()
		r, err := a.repo.Update(t.Context(), regions.Country, "KR", func(r *regions.Region) error { edit(r); return nil })
		require.NoError(t, err)
		a.check(t)
		return r
	}
	view := func(b *regions.Box) (all []string) {
		t.Helper()
		found, err := a.repo.InView(t.Context(), *b)
		require.NoError(t, err)
		for _, p := range found {
			all = append(all, p.Code)
		}
		return all
	}
	seoul, fiji := box(37, 126, 38, 127), box(-17, 179, -16, -179)
	assert.Equal(t, []string{"KR"}, view(seoul)) // Russia begins at 41.18° N

	r := update(func(r *regions.Region) { r.Box, r.Center = box(-20, 177, -15, -178), nil })
	assert.Equal(t, &key.Point{Latitude: -17.5, Longitude: 179.5}, r.Center)
	assert.Empty(t, view(seoul))
	assert.Equal(t, []string{"KR"}, view(fiji))
	assert.Equal(t, "BOUNDS#ru", a.items(t)["GEO#country/REGION#KR"]["GSI2PK"])

	update(func(r *regions.Region) { r.Name, r.Aliases = "Corea", []string{"COREA", "Korea"} })
	assert.Empty(t, codes(t, a.repo.ByName(regions.Country, "south kor"), 10))
	matches := listed(t, a.repo.ByName(regions.Country, "kor"), 10)
	require.Len(t, matches, 1)
	assert.Equal(t, "Corea", matches[0].Name, "an alias has the current name")
	assert.Equal(t, []string{"KR"}, codes(t, a.repo.ByName(regions.Country, "corea"), 10))

	update(func(r *regions.Region) { r.Box, r.Center, r.Aliases = nil, nil, nil })
	assert.Empty(t, view(fiji))
	require.NoError(t, a.repo.Delete(t.Context(), regions.Country, "KR"))
	require.NoError(t, a.repo.Delete(t.Context(), regions.Country, "FO"))
	a.check(t)
	require.NoError(t, a.repo.Delete(t.Context(), regions.Country, "RU", dynastay.OrMissing()))
	require.NoError(t, a.repo.Delete(t.Context(), regions.Country, "RU", dynastay.OrMissing()))
	assert.Empty(t, a.items(t))
}
