package world

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/properties"
)

// withUnits is the small world whose hotels have units.
var withUnits = func() Options {
	o := small
	o.Units = true
	return o
}()

// unitsIn are the nights of units that the bookings of a hotel have, or on which they are out of order. It does not use what the world says about its plan.
func unitsIn(t testing.TB, h *Hotel) map[units.Night]units.Occupant {
	t.Helper()
	types, all := map[string]string{}, map[units.Night]units.Occupant{}
	for _, u := range h.Units {
		types[u.ID] = u.RoomTypeID
		for _, o := range u.OutOfOrder {
			assert.Equal(t, o.Asked, o.Nights)
			for date := range o.Nights.Dates() {
				all[units.Night{UnitID: u.ID, Date: date}] = units.Occupant{OutOfOrder: o.ID}
			}
		}
	}
	for _, b := range slices.Concat(h.Bookings, h.PastStays) {
		for _, line := range b.Lines {
			assert.True(t, len(line.Units) == 0 || len(line.Units) == line.Quantity, b.ID)
			for _, u := range line.Units {
				assert.Equal(t, line.RoomTypeID, types[u.UnitID], b.ID)
				assert.Equal(t, b.Stay, u.Nights, b.ID)
				for date := range u.Nights.Dates() {
					n := units.Night{UnitID: u.UnitID, Date: date}
					assert.Empty(t, all[n], "%v of %s", n, h.ID)
					all[n] = units.Occupant{BookingID: b.ID, Line: max(line.Number, 1)}
				}
			}
		}
	}
	return all
}

// A hold that is extended ends at most 30 days after its booking was made, however far ahead the arrival is.
func TestHoldsThatAreExtended(t *testing.T) {
	t.Parallel()
	h := New(Options{Seed: 1, Properties: 30, Nights: 60, Units: true}).Hotel(16) // it has one whose arrival is too far ahead
	pending := 0
	for _, b := range h.Bookings {
		if b.Status == bookings.Pending {
			pending++
			assert.False(t, b.HoldExpiresAt.After(b.CreatedAt.Add(bookings.MaxHold)), b.ID)
		}
	}
	assert.Positive(t, pending)
}

// The units of a world that is large enough to show the shares.
func TestUnits(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 12, Properties: 150, Users: 40, Nights: 14, Units: true})
	hotels, with, soon, housed, past, walkIns, holds, extended := 0, 0, 0, 0, 0, 0, 0, 0
	states, features := map[units.Housekeeping]int{}, 0
	for h := range w.Hotels() {
		if h.Status == properties.Pending || h.Status == properties.Rejected {
			assert.Empty(t, h.Units, h.Status)
			continue
		}
		if hotels++; len(h.Units) == 0 {
			assert.Empty(t, unitsIn(t, h), h.ID)
			continue
		}
		with++
		rooms := 0
		for _, r := range h.Rooms {
			rooms += r.Total
		}
		assert.Equal(t, rooms, len(h.Units), h.ID)
		for _, u := range h.Units {
			if states[u.Housekeeping]++; len(u.Features) > 0 {
				features++
			}
			assert.False(t, u.Retired)
		}
		unitsIn(t, h)
		for _, b := range h.Bookings {
			has := len(b.Lines[0].Units) > 0
			switch b.Status {
			case bookings.CheckedIn:
				assert.True(t, has, b.ID)
			case bookings.Confirmed:
				if !b.Stay.CheckIn.After(w.opts.Today.AddDays(aheadDays)) {
					if soon++; has {
						housed++
					}
					continue
				}
				assert.False(t, has, b.ID)
			case bookings.Pending:
				assert.False(t, has, b.ID)
				assert.False(t, b.HoldExpiresAt.After(b.Stay.CheckIn.Time()), b.ID)
				if holds++; b.Version > 1 {
					extended++
				}
			}
		}
		for _, b := range h.PastStays {
			if b.Status != bookings.Completed {
				assert.Empty(t, b.Lines[0].Units, b.ID)
				continue
			}
			assert.NotEmpty(t, b.Lines[0].Units, b.ID)
			if past++; b.Channel == frontDesk {
				assert.True(t, b.CheckedInAt.Sub(b.CreatedAt).Hours() < 1, b.ID)
				walkIns++
			}
		}
	}
	for name, share := range map[string]struct{ percent, is, within float64 }{
		"hotels with units":    {numberedPercent, percent(with, hotels), 9},
		"units of who comes":   {aheadPercent, percent(housed, soon), 6},
		"walk-ins":             {walkInPercent, percent(walkIns, past), 6},
		"holds that got time":  {extendedPercent, percent(extended, holds), 20},
		"units with a feature": {40, percent(features, states[units.Clean]+states[units.Dirty]+states[units.Inspected]), 5},
	} {
		assert.InDelta(t, share.percent, share.is, share.within, name)
	}
	for _, state := range []units.Housekeeping{units.Clean, units.Dirty, units.Inspected} {
		assert.Positive(t, states[state], state)
	}
}

// The items of hotels with units, too, are exactly those that the repositories write.
func TestUnitsAreWhatTheRepositoriesWrite(t *testing.T) {
	t.Parallel()
	checkAgainstRepositories(t, New(withUnits))
}

// The room plan that is read agrees with the bookings, and the desk can work with what was loaded.
func TestUnitsOfALoadedWorld(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), New(withUnits)
	db := loaded(t, w).DB
	repo, rooms := bookings.New(db, &bookingOptions), units.New(db)
	assigned, left := 0, 0
	for h := range w.Hotels() {
		plan, read := map[units.Night]units.Occupant{}, unitsIn(t, h)
		for month := dynastay.MonthOf(w.opts.Today.AddDays(-mostPast * pastSpan)); !month.CheckIn.After(w.nights().CheckOut); {
			months, err := rooms.Plan(ctx, h.ID, month.CheckIn)
			require.NoError(t, err)
			for _, m := range months {
				for _, n := range m.Nights {
					plan[n.Night] = n.By
				}
			}
			month = dynastay.MonthOf(month.CheckOut)
		}
		assert.Equal(t, read, plan, h.ID)
		var stored []units.Unit
		for u, err := range rooms.List(h.ID).All(ctx) {
			require.NoError(t, err)
			stored = append(stored, *u)
		}
		assert.Equal(t, h.Units, stored, h.ID)
		if len(h.Units) == 0 {
			continue
		}
		done, err := repo.AutoAssign(ctx, bookings.AutoAssignment{PropertyID: h.ID, Arrivals: w.nights()})
		require.NoError(t, err)
		assert.Empty(t, done.Left, "there are more units than rooms on sale")
		assigned += len(done.Bookings)
		for guests, err := range repo.InHouse(h.ID).All(ctx) {
			require.NoError(t, err)
			b, err := repo.CheckOut(ctx, guests.BookingID)
			require.NoError(t, err)
			u, err := rooms.Get(ctx, h.ID, b.Lines[0].Units[0].UnitID)
			require.NoError(t, err)
			assert.Equal(t, units.Dirty, u.Housekeeping)
			left++
		}
	}
	assert.Positive(t, assigned)
	assert.Positive(t, left)
}

// Hotels that have no units are the same in a world with units and in one without.
func TestUnitsChangeNothingElse(t *testing.T) {
	t.Parallel()
	with, without, same, out := New(withUnits), New(small), 0, 0
	for i := range small.Properties {
		h := with.Hotel(i)
		if len(h.Units) == 0 {
			assert.Equal(t, without.Hotel(i), h)
			same++
			continue
		}
		other := without.Hotel(i)
		assert.Equal(t, other.WithRooms.Rooms, h.Rooms)
		for n, night := range h.Nights { // as many rooms are left, but for those that are out of order
			if night.OutOfOrder > 0 {
				assert.GreaterOrEqual(t, night.Available, 0)
				night.Available, night.UpdatedAt = night.Available+night.OutOfOrder, other.Nights[n].UpdatedAt
				night.OutOfOrder = 0
				out++
			}
		}
		assert.Equal(t, other.Nights, h.Nights)
		assert.Len(t, h.Bookings, len(other.Bookings))
		assert.Empty(t, other.Units)
	}
	assert.Positive(t, same)
	assert.Positive(t, out)
}
