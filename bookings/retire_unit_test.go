package bookings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

func TestRetireUnit(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	repo, house := l.withUnits(t, "301"), availability.House{ID: l.hotel.ID}
	b := l.book(t, fixture.Stay, 1)
	_, err := l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
	require.NoError(t, err)
	_, err = l.repo.RetireUnit(t.Context(), house, "301")
	assert.Len(t, blame.As[*units.TakenError](t, err).Nights, 3)
	u, err := repo.Get(t.Context(), l.hotel.ID, "301", dynastay.Consistent)
	require.NoError(t, err)
	assert.False(t, u.Retired)
	_, err = repo.Update(t.Context(), l.hotel.ID, "301", func(u *units.Unit) error {
		u.RoomTypeID = "room_other"
		return nil
	})
	assert.Equal(t, "RoomTypeID", blame.As[*dynastay.InvalidError](t, err).Field)
	_, err = repo.Update(t.Context(), l.hotel.ID, "301", func(u *units.Unit) error {
		u.Retired = true
		return nil
	})
	assert.Equal(t, "Retired", blame.As[*dynastay.InvalidError](t, err).Field)

	// On the day of departure, nobody has it any more; a booking that the plan names wrongly does not count.
	l.Clock.Set(noon(fixture.Stay.LastNight()))
	_, err = l.repo.RetireUnit(t.Context(), house, "301")
	assert.Len(t, blame.As[*units.TakenError](t, err).Nights, 1)
	l.Clock.Set(noon(fixture.Stay.CheckOut))
	retired, err := l.repo.RetireUnit(t.Context(), house, "301")
	require.NoError(t, err)
	assert.True(t, retired.Retired)
	_, err = repo.Update(t.Context(), l.hotel.ID, "301", func(u *units.Unit) error {
		u.RoomTypeID, u.Retired = "room_other", false
		return nil
	})
	assert.Equal(t, "RoomTypeID", blame.As[*dynastay.InvalidError](t, err).Field, "one after the other")
	u, err = repo.Update(t.Context(), l.hotel.ID, "301", func(u *units.Unit) error {
		u.RoomTypeID = "room_other"
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, "room_other", u.RoomTypeID)
	_, err = l.repo.RetireUnit(t.Context(), house, "999")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = l.repo.RetireUnit(t.Context(), availability.House{ID: l.hotel.ID, TimeZone: "Mars/Base"}, "301")
	assert.Equal(t, "House.TimeZone", blame.As[*dynastay.InvalidError](t, err).Field)
}
