package house_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/examples/frontdesk/house"
)

// The statuses are those that the library's page about errors gives.
func TestKindsAreThoseOfThePage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/errors.md")
	require.NoError(t, err)
	page := map[string]int{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-zA-Z.]+)` \\| (\\d+) \\|").FindAllStringSubmatch(string(text), -1) {
		page[row[1]], err = strconv.Atoi(row[2])
		require.NoError(t, err)
	}
	ours := house.Kinds()
	for name, status := range ours {
		assert.Equal(t, page[name], status, name)
	}
	assert.Subset(t, slices.Collect(maps.Keys(ours)), []string{"dynastay.ErrNotFound", "dynastay.ErrVersion", "dynastay.ErrRefused", "dynastay.ErrInvalid"})
}
