package availability_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// A zone is read from its file once: reading the file again would allocate memory. The test is not parallel, because it
// counts allocations.
func TestZoneIsReadOnce(t *testing.T) {
	house := availability.House{TimeZone: "Europe/Rome"}
	first, err := house.Location()
	require.NoError(t, err)
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = house.Location() }))
	again, err := house.Location()
	require.NoError(t, err)
	assert.Same(t, first, again)
}

// Each zone is accepted under one spelling only, and unknown names are not cached. Otherwise the cache could grow
// without limit.
func TestZoneNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "UTC", "Europe/Rome", "America/Argentina/Buenos_Aires"} {
		loc, err := availability.House{TimeZone: name}.Location()
		if assert.NoError(t, err, name) && name != "" {
			assert.Equal(t, name, loc.String())
		}
	}
	for range 2 { // the same result the second time
		for _, name := range []string{"Local", "Europe//Rome", "Europe/./Rome", "./UTC", "Europe/Rome/", "Europe", "Mars", "."} {
			_, err := availability.House{TimeZone: name}.Location()
			blame.Invalid(t, err, "TimeZone", name)
		}
	}
}

func TestZonesAreSharedSafely(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for _, name := range strings.Fields(strings.Repeat("Asia/Tokyo Asia/Seoul Asia/Dubai Mars ", 8)) {
		wg.Go(func() {
			loc, err := availability.House{TimeZone: name}.Location()
			if err == nil {
				assert.Equal(t, name, loc.String())
			} else {
				assert.Equal(t, "Mars", name)
			}
		})
	}
	wg.Wait()
}
