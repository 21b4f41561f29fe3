package availability_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/availability"
)

// A zone is read from its file once: the file cannot be read without memory to read it into. The test is not parallel,
// because it counts allocations.
func TestAZoneIsReadOnce(t *testing.T) {
	house := availability.House{TimeZone: "Europe/Rome"}
	first, err := house.Location()
	require.NoError(t, err)
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = house.Location() }))
	again, err := house.Location()
	require.NoError(t, err)
	assert.Same(t, first, again)
}

// One zone has one name, and what is no zone stays none: otherwise there is no end to the zones that are kept.
func TestNamesOfZones(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "UTC", "Europe/Rome", "America/Argentina/Buenos_Aires"} {
		loc, err := availability.House{TimeZone: name}.Location()
		if assert.NoError(t, err, name) && name != "" {
			assert.Equal(t, name, loc.String())
		}
	}
	for range 2 { // the second time as well
		for _, name := range []string{"Local", "Europe//Rome", "Europe/./Rome", "./UTC", "Europe/Rome/", "Europe", "Mars", "."} {
			_, err := availability.House{TimeZone: name}.Location()
			assertInvalid(t, err, "TimeZone", name)
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
