package bookings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

func TestMoveUnit(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	repo := l.withUnits(t, "301", "302")
	b := l.book(t, fixture.Stay, 1)
	_, err := l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
	require.NoError(t, err)
	l.Clock.Set(noon(fixture.Stay.CheckIn))
	_, err = l.repo.CheckIn(t.Context(), b.ID, nil)
	require.NoError(t, err)

	l.Clock.Set(noon(fixture.Stay.CheckIn.AddDays(1)))
	got, err := l.repo.MoveUnit(t.Context(), b.ID, bookings.UnitMove{From: "301", To: "302"})
	require.NoError(t, err)
	moved := fixture.Stay.CheckIn.AddDays(1)
	assert.Equal(t, []bookings.UnitNights{
		{UnitID: "301", Nights: dynastay.Stay{CheckIn: fixture.Stay.CheckIn, CheckOut: moved}},
		{UnitID: "302", Nights: dynastay.Stay{CheckIn: moved, CheckOut: fixture.Stay.CheckOut}},
	}, got.Lines[0].Units)
	assert.Equal(t, []string{"301", "302"}, got.Lines[0].RoomIDs)
	plan := l.plan(t)
	assert.Equal(t, datesOf(fixture.Stay)[:1], nightsOf(plan, "301", b.ID))
	assert.Equal(t, datesOf(fixture.Stay)[1:], nightsOf(plan, "302", b.ID))
	left, err := repo.Get(t.Context(), l.hotel.ID, "301", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, units.Dirty, left.Housekeeping)

	for _, test := range []struct {
		move  bookings.UnitMove
		field string
	}{
		{bookings.UnitMove{From: "301", To: "303"}, "From"}, // these nights are over
		{bookings.UnitMove{From: "302", To: "302"}, "To"},
		{bookings.UnitMove{From: "302", To: "a#b"}, "To"},
		{bookings.UnitMove{From: "", To: "302"}, "From"},
		{bookings.UnitMove{From: "302", To: "301", On: fixture.Stay.CheckOut}, "On"},
	} {
		_, err := l.repo.MoveUnit(t.Context(), b.ID, test.move)
		assert.Equal(t, test.field, blame.As[*dynastay.InvalidError](t, err).Field, "%+v: %v", test.move, err)
	}
	_, err = l.repo.MoveUnit(t.Context(), b.ID, bookings.UnitMove{From: "302", To: "999"})
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.Equal(t, "999", blame.As[*dynastay.Error](t, err).ID)
}

func TestSwapUnits(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	longer, shorter := fixture.Stay, dynastay.Stay{CheckIn: fixture.Stay.CheckIn, CheckOut: fixture.Stay.CheckOut.AddDays(-1)}
	last := dynastay.Stay{CheckIn: shorter.CheckOut, CheckOut: longer.CheckOut}
	a, b, c := l.book(t, longer, 1), l.book(t, shorter, 1), l.book(t, last, 1)
	for id, unit := range map[string]string{a.ID: "301", b.ID: "302", c.ID: "302"} {
		_, err := l.repo.AssignUnits(t.Context(), id, l.to(unit))
		require.NoError(t, err)
	}
	swap := bookings.UnitSwap{A: bookings.UnitOf{BookingID: a.ID, UnitID: "301"}, B: bookings.UnitOf{BookingID: b.ID, UnitID: "302"}}
	_, err := l.repo.SwapUnits(t.Context(), swap)
	taken := blame.As[*units.TakenError](t, err)
	assert.Equal(t, []units.TakenNight{{Night: units.Night{UnitID: "302", Date: last.CheckIn}, By: units.Occupant{BookingID: c.ID, Line: 1}}}, taken.Nights)

	_, err = l.repo.UnassignUnits(t.Context(), c.ID, nil)
	require.NoError(t, err)
	got, err := l.repo.SwapUnits(t.Context(), swap)
	require.NoError(t, err)
	assert.Equal(t, []bookings.UnitNights{has("302", longer)}, got.A.Lines[0].Units)
	assert.Equal(t, []bookings.UnitNights{has("301", shorter)}, got.B.Lines[0].Units)
	plan := l.plan(t)
	assert.Len(t, plan, longer.Nights()+shorter.Nights())
	assert.Equal(t, datesOf(longer), nightsOf(plan, "302", a.ID))
	assert.Equal(t, datesOf(shorter), nightsOf(plan, "301", b.ID))
}
