package units_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

func TestHousekeeping(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t)
	_, err := repo.CreateAll(t.Context(), []units.Unit{
		{PropertyID: hotel.ID, ID: "301", RoomTypeID: hotel.RoomTypeID}, {PropertyID: hotel.ID, ID: "302", RoomTypeID: hotel.RoomTypeID},
		{PropertyID: hotel.ID, ID: "303", RoomTypeID: hotel.RoomTypeID, Housekeeping: units.Dirty},
		{PropertyID: hotel.ID, ID: "304", RoomTypeID: hotel.RoomTypeID, Housekeeping: units.Dirty, Retired: true},
	})
	require.NoError(t, err)
	spent := db.Measure(func() {
		require.NoError(t, repo.SetHousekeeping(t.Context(), hotel.ID, "302", units.Dirty, "staff_7"))
	})
	assert.Equal(t, 1, spent.Requests)
	assert.Equal(t, []string{"302", "303"}, all(t, repo.ToBeCleaned(hotel.ID)))
	u, err := repo.Get(t.Context(), hotel.ID, "302")
	require.NoError(t, err)
	assert.Equal(t, units.Dirty, u.Housekeeping)
	assert.Equal(t, "staff_7", u.HousekeepingBy)
	assert.Equal(t, fixture.Now, u.HousekeepingAt)
	assert.Equal(t, 1, u.Version, "who cleans does not overtake who changes the unit")
	require.NoError(t, repo.SetHousekeeping(t.Context(), hotel.ID, "302", units.Inspected, "staff_8"))
	assert.Equal(t, []string{"303"}, all(t, repo.ToBeCleaned(hotel.ID)))

	err = repo.SetHousekeeping(t.Context(), hotel.ID, "999", units.Clean, "staff_7")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	for _, test := range []struct {
		field, id, by string
		state         units.Housekeeping
	}{
		{"UnitID", "", "staff_7", units.Clean}, {"Housekeeping", "301", "staff_7", "tidy"}, {"By", "301", "", units.Clean},
		{"By", "301", strings.Repeat("x", 129), units.Clean},
	} {
		err := repo.SetHousekeeping(t.Context(), hotel.ID, test.id, test.state, test.by)
		assert.Equal(t, test.field, blame.As[*dynastay.InvalidError](t, err).Field, "%v", err)
	}
}
