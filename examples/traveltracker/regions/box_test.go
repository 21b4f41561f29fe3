package regions_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/examples/traveltracker/regions"
	"github.com/dynastay/dynastay/keys/key"
)

// A region without a box or a centre has no coordinates, and 0 is a coordinate.
func TestNoBoxIsNotABoxAtZero(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	a.create(t, regions.Region{Type: regions.Country, Code: "A", Name: "None"},
		regions.Region{Type: regions.Country, Code: "B", Name: "Zero", Box: box(0, 0, 0, 0)})
	none, err := a.repo.Get(t.Context(), regions.Country, "A")
	require.NoError(t, err)
	assert.Nil(t, none.Box)
	assert.Nil(t, none.Center)
	zero, err := a.repo.Get(t.Context(), regions.Country, "B")
	require.NoError(t, err)
	assert.Equal(t, box(0, 0, 0, 0), zero.Box)
	assert.Equal(t, &key.Point{}, zero.Center)
	for attr := range a.items(t)["GEO#country/REGION#A"] {
		assert.False(t, strings.HasPrefix(attr, "bbox") || strings.HasPrefix(attr, "center") || strings.HasPrefix(attr, "GSI2"), attr)
	}
	a.check(t)
	found, err := a.repo.InView(t.Context(), *box(-1, -1, 1, 1))
	require.NoError(t, err)
	assert.Equal(t, []regions.Placed{{Ref: zero.Ref(), Box: *zero.Box}}, found)
}

// A part of a box or of a centre is none, and is kept.
func TestPartOfABox(t *testing.T) {
	t.Parallel()
	a, item := newAtlas(t), document(t)
	delete(item, "bbox_west")
	item["center_lat"] = nil
	a.put(t, item)
	got, err := a.repo.Update(t.Context(), regions.USState, "CA", func(r *regions.Region) error { r.Population = 1; return nil })
	require.NoError(t, err)
	assert.Nil(t, got.Box)
	assert.Nil(t, got.Center)
	stored := a.items(t)
	assert.Len(t, stored, 1)
	assert.Equal(t, item["bbox_north"], stored["GEO#us_state/REGION#CA"]["bbox_north"])
	found, err := a.repo.InView(t.Context(), *box(-90, -180, 90, 180))
	require.NoError(t, err)
	assert.Empty(t, found)
}
