package bookings_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

func TestUnassigned(t *testing.T) {
	t.Parallel()
	l := begin(t, 10)
	l.withUnits(t, "301", "302")
	lacks := func() map[string]int {
		all, err := l.repo.Unassigned(t.Context(), l.hotel.ID, fixture.Stay.CheckIn)
		require.NoError(t, err)
		rooms := map[string]int{}
		for _, one := range all {
			rooms[one.Booking.ID] = one.Rooms
		}
		return rooms
	}
	assert.Empty(t, lacks())
	two, gone, held := l.book(t, fixture.Stay, 2), l.book(t, fixture.Stay, 1), l.held(t)
	l.book(t, dynastay.Stay{CheckIn: fixture.Stay.CheckIn.AddDays(1), CheckOut: fixture.Stay.CheckOut}, 1)
	_, err := l.repo.Cancel(t.Context(), gone.ID, "", nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{two.ID: 2, held.ID: 1}, lacks())
	_, err = l.repo.AssignUnits(t.Context(), two.ID, l.to("301"))
	require.NoError(t, err)
	assert.Equal(t, map[string]int{two.ID: 1, held.ID: 1}, lacks())
	_, err = l.repo.AssignUnits(t.Context(), two.ID, l.to("302"))
	require.NoError(t, err)
	l.Clock.Set(held.HoldExpiresAt.Add(time.Millisecond))
	assert.Empty(t, lacks())

	month := dynastay.Key{PK: "UNITS#" + l.hotel.ID, SK: "MONTH#" + fixture.Stay.CheckIn.String()[:7] + "#UNIT#"} // of other software
	raw.Put(t, l.DB, availabilityTable, availabilityTable.Key.Of(month))
	third := l.book(t, fixture.Stay, 1)
	all, err := l.repo.Unassigned(t.Context(), l.hotel.ID, fixture.Stay.CheckIn)
	assert.Len(t, blame.As[*dynastay.UnreadableError](t, err).Items, 1)
	require.Len(t, all, 1)
	assert.Equal(t, bookings.Unassigned{Booking: &third.Summary, Rooms: 1}, all[0])

	_, err = l.repo.Unassigned(t.Context(), "", fixture.Stay.CheckIn)
	assert.Equal(t, "PropertyID", blame.As[*dynastay.InvalidError](t, err).Field)
	_, err = l.repo.Unassigned(t.Context(), l.hotel.ID, dynastay.Date{})
	assert.Equal(t, "Date", blame.As[*dynastay.InvalidError](t, err).Field)
}
