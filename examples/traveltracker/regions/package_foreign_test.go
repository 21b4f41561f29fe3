package regions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/examples/traveltracker/regions"
)

// Other software may have stored what is refused here: there are no items for it, and an update that corrects it
// succeeds, as does a delete.
func TestInvalidStoredRegions(t *testing.T) {
	t.Parallel()
	a := newAtlas(t)
	aliases := []any{"!", strings.Repeat("x", 300)}
	for i := range 200 {
		aliases = append(aliases, fmt.Sprint("alias ", i))
	}
	for _, code := range []string{"A", "B"} {
		item := document(t)
		item["SK"], item["region_code"], item["aliases"], item["bbox_south"] = "REGION#"+code, code, aliases, -9e3
		a.put(t, item)
	}
	update := func(edit func(*regions.Region)) error {
		return second(a.repo.Update(t.Context(), regions.USState, "A", func(r *regions.Region) error { edit(r); return nil }))
	}
	assertField(t, update(func(r *regions.Region) { r.Population++ }), "Aliases")
	assertField(t, update(func(r *regions.Region) { r.Aliases = nil }), "Box.South")
	require.NoError(t, update(func(r *regions.Region) { r.Aliases, r.Box.South = []string{"a"}, 32 }))
	require.NoError(t, a.repo.Delete(t.Context(), regions.USState, "B"))
	a.check(t)
	require.NoError(t, a.repo.Delete(t.Context(), regions.USState, "A"))
	assert.Empty(t, a.items(t))
}
