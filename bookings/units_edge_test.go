package bookings_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

func daysOf(from, to int) dynastay.Stay {
	return dynastay.Stay{CheckIn: fixture.Stay.CheckIn.AddDays(from), CheckOut: fixture.Stay.CheckIn.AddDays(to)}
}
func noonOf(day int) time.Time { return noon(fixture.Stay.CheckIn.AddDays(day)) }

func (l *life) get(t *testing.T, id string) *bookings.Booking {
	t.Helper()
	b, err := l.repo.Get(t.Context(), id, dynastay.Consistent)
	require.NoError(t, err)
	return b
}

func (l *life) monthKey(t *testing.T, unit string) dynastay.Key {
	k, err := keys.Of(keys.UnitMonth{PropertyID: l.hotel.ID, Month: dynastay.MonthOf(fixture.Stay.CheckIn).CheckIn, UnitID: unit})
	require.NoError(t, err)
	return k
}

func (l *life) lineKey(id string) dynastay.Key {
	k, _ := keys.Of(keys.BookingRoom{BookingID: id, RoomTypeID: l.hotel.RoomTypeID})
	return k
}

// agree fails the test unless each night of a unit that bookings have is theirs in the plan, and of only one of them.
func (l *life) agree(t *testing.T, ids ...string) {
	t.Helper()
	plan, claimed := l.plan(t), map[units.Night]string{}
	for _, id := range ids {
		b := l.get(t, id)
		for _, line := range b.Lines {
			for _, u := range line.Units {
				for d := range u.Nights.Dates() {
					n := units.Night{UnitID: u.UnitID, Date: d}
					assert.Equal(t, b.ID, plan[n].BookingID, "plan of %v", n)
					assert.Empty(t, claimed[n], "claimed twice: %v", n)
					claimed[n] = b.ID
				}
			}
		}
	}
}

func (l *life) assignTo(t *testing.T, id string, all ...bookings.Assignment) {
	t.Helper()
	_, err := l.repo.AssignUnits(t.Context(), id, all)
	require.NoError(t, err)
}

// A leaves today, B stays on: there is no night that both could exchange.
func TestSwapUnitsOnTheDayOfDeparture(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	a, b := l.book(t, daysOf(0, 3), 1), l.book(t, daysOf(0, 5), 1)
	l.assignTo(t, a.ID, l.to("301")...)
	l.assignTo(t, b.ID, l.to("302")...)
	l.Clock.Set(noonOf(0))
	for _, id := range []string{a.ID, b.ID} {
		_, err := l.repo.CheckIn(t.Context(), id, nil)
		require.NoError(t, err)
	}
	l.Clock.Set(noonOf(3))
	_, err := l.repo.SwapUnits(t.Context(), bookings.UnitSwap{A: bookings.UnitOf{BookingID: a.ID, UnitID: "301"}, B: bookings.UnitOf{BookingID: b.ID, UnitID: "302"}})
	assert.Equal(t, "On", blame.As[*dynastay.InvalidError](t, err).Field)
	l.agree(t, a.ID, b.ID)
}

// The same for tonight, if the two bookings have different zones.
func TestSwapUnitsInTwoZones(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	a, b := l.book(t, daysOf(0, 3), 1), l.book(t, daysOf(0, 3), 1)
	setBooking(t, l.DB, keyOf(b.ID), "TimeZone", dynastay.Text("Pacific/Auckland"))
	l.assignTo(t, a.ID, l.to("301")...)
	l.assignTo(t, b.ID, l.to("302")...)
	l.Clock.Set(noonOf(1))
	_, err := l.repo.SwapUnits(t.Context(), bookings.UnitSwap{A: bookings.UnitOf{BookingID: a.ID, UnitID: "301"}, B: bookings.UnitOf{BookingID: b.ID, UnitID: "302"}})
	require.NoError(t, err)
	l.agree(t, a.ID, b.ID)
}

// One unit for two lines of different room types in one call.
func TestUnitForTwoRoomTypes(t *testing.T) {
	t.Parallel()
	for _, twinFirst := range []bool{true, false} {
		l := begin(t, 5)
		b, twin := l.two(t)
		l.withUnits(t, "301")
		first, rest := daysOf(0, 1), daysOf(1, 3)
		all := []bookings.Assignment{{RoomTypeID: twin, UnitID: "301", Nights: first}, {RoomTypeID: l.hotel.RoomTypeID, UnitID: "301", Nights: rest}}
		if !twinFirst {
			all[0].Nights, all[1].Nights = rest, first
		}
		_, err := l.repo.AssignUnits(t.Context(), b.ID, all)
		assert.ErrorIs(t, err, units.ErrOtherRoomType, "twin first: %v", twinFirst)
	}
}

// Other software has stored something that is no text.
func TestUnitsWithNightsThatAreNoText(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]types.AttributeValue{
		"number": dynastay.Number(1), "null": &types.AttributeValueMemberNULL{Value: true}, "empty": dynastay.Text(""),
		"map": &types.AttributeValueMemberM{Value: dynastay.Item{"x": dynastay.Text("y")}},
	} {
		t.Run(name, func(t *testing.T) {
			l := begin(t, 5)
			l.withUnits(t, "301")
			raw.Set(t, l.DB, availabilityTable, l.monthKey(t, "301"), v, "D10")
			b := l.book(t, fixture.Stay, 1)
			_, err := l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
			var taken *units.TakenError
			assert.ErrorAs(t, err, &taken)
		})
	}
}

// A unit that is out of order is not taken over, and neither is what looks like it.
func TestUnitsOutOfOrderAreNotTakenOver(t *testing.T) {
	t.Parallel()
	for text, by := range map[string]units.Occupant{"OUT#7": {OutOfOrder: "7"}, "OUT": {BookingID: "OUT"}, "OUT#": {BookingID: "OUT#"}} {
		l := begin(t, 5)
		l.withUnits(t, "301")
		raw.Set(t, l.DB, availabilityTable, l.monthKey(t, "301"), dynastay.Text(text), "D10")
		b := l.book(t, fixture.Stay, 1)
		_, err := l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
		var taken *units.TakenError
		if assert.ErrorAs(t, err, &taken, text) {
			assert.Equal(t, by, taken.Nights[0].By)
		}
	}
}

// An occupant without a line has what the plan says, also if one with a line and the same id has nothing.
func TestUnitsOfAnOccupantWithoutALine(t *testing.T) {
	t.Parallel()
	for name, days := range map[string][2]string{"before": {"D10", "D11"}, "after": {"D11", "D10"}} {
		t.Run(name, func(t *testing.T) {
			l := begin(t, 5)
			l.withUnits(t, "301")
			raw.Set(t, l.DB, availabilityTable, l.monthKey(t, "301"), dynastay.Text("bkg_gone"), days[0])
			raw.Set(t, l.DB, availabilityTable, l.monthKey(t, "301"), dynastay.Text("bkg_gone#1"), days[1])
			_, err := l.repo.AssignUnits(t.Context(), l.book(t, fixture.Stay, 1).ID, l.to("301"))
			taken := blame.As[*units.TakenError](t, err).Nights
			if assert.Len(t, taken, 1) {
				assert.Equal(t, units.Occupant{BookingID: "bkg_gone"}, taken[0].By)
			}
		})
	}
}

// Two bookings that had the same unit one after the other are cancelled in one Write.
func TestCancelTwoBookingsWithOneUnit(t *testing.T) {
	t.Parallel()
	for _, with := range []bool{false, true} {
		l := begin(t, 5)
		l.withUnits(t, "301")
		a, b := l.book(t, daysOf(0, 2), 1), l.book(t, daysOf(2, 4), 1)
		if with {
			l.assignTo(t, a.ID, l.to("301")...)
			l.assignTo(t, b.ID, l.to("301")...)
		}
		err := l.DB.Write(t.Context(), l.repo.CancelOp(a.ID, "", nil), l.repo.CancelOp(b.ID, "", nil))
		assert.NoError(t, err, "with units: %v", with)
	}
}

// Cancel one and give its unit to another one, in one Write; check out and check in.
func TestUnitIsHandedOver(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301")
	a, b := l.book(t, daysOf(0, 2), 1), l.book(t, daysOf(2, 4), 1)
	l.assignTo(t, a.ID, l.to("301")...)
	l.Clock.Set(noonOf(0))
	_, err := l.repo.CheckIn(t.Context(), a.ID, nil)
	require.NoError(t, err)
	l.Clock.Set(noonOf(2))
	err = l.DB.Write(t.Context(), l.repo.CheckOutOp(a.ID), l.repo.CheckInToOp(b.ID, l.to("301")))
	assert.NoError(t, err)
}

// Other software has stored a unit id that is none.
func TestUnitsWithoutAnID(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "3#2"} {
		l := begin(t, 5)
		b := l.book(t, fixture.Stay, 1)
		raw.Set(t, l.DB, bookingsTable, l.lineKey(b.ID), &types.AttributeValueMemberL{Value: []types.AttributeValue{
			&types.AttributeValueMemberM{Value: dynastay.Item{"UnitId": dynastay.Text(id), "From": dynastay.Text(fixture.Stay.CheckIn.String()), "To": dynastay.Text(fixture.Stay.CheckOut.String())}},
		}}, "UnitNights")
		_, err := l.repo.Cancel(t.Context(), b.ID, "", nil)
		assert.NoError(t, err, "%q", id)
	}
}

// The same with two room types of 48 nights.
func TestUnitsAfterAnUndoneCheckOutOfManyNights(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301")
	stay := daysOf(0, 48)
	l.Hotel(t, stay)
	repo := properties.New(l.DB.DB, nil)
	made, err := repo.AddRoomTypes(t.Context(), l.hotel.ID, []properties.RoomType{
		{Name: "Twin", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: fixture.Price, Total: 5},
	})
	require.NoError(t, err)
	twin := made[0].ID
	_, err = availability.New(l.DB.DB).Open(t.Context(), availability.OpenRequest{
		PropertyID: l.hotel.ID, RoomTypeID: twin, Nights: stay, Rooms: 5, Price: fixture.Price,
	})
	require.NoError(t, err)
	whole, err := repo.GetWithRooms(t.Context(), l.hotel.ID)
	require.NoError(t, err)
	req, err := whole.Card().QuoteRequest(stay, availability.Guests{Adults: 2},
		properties.Choice{RoomTypeID: l.hotel.RoomTypeID, Quantity: 1}, properties.Choice{RoomTypeID: twin, Quantity: 1})
	require.NoError(t, err)
	q, err := availability.New(l.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	b, err := l.repo.Create(t.Context(), fixture.Request(q))
	require.NoError(t, err)
	l.assignTo(t, b.ID, l.to("301")...)
	l.Clock.Set(noonOf(0))
	_, err = l.repo.CheckIn(t.Context(), b.ID, nil)
	require.NoError(t, err)
	l.Clock.Set(noonOf(40))
	_, err = l.repo.CheckOut(t.Context(), b.ID)
	require.NoError(t, err)
	got, err := l.repo.UndoCheckOut(t.Context(), b.ID)
	require.NoError(t, err)
	n := 0
	for _, line := range got.Lines {
		for _, u := range line.Units {
			n += u.Nights.Nights()
		}
	}
	assert.Equal(t, 48, n)
}

func (l *life) state(t *testing.T, unit string) units.Housekeeping {
	t.Helper()
	u, err := units.New(l.DB.DB).Get(t.Context(), l.hotel.ID, unit, dynastay.Consistent)
	require.NoError(t, err)
	return u.Housekeeping
}

func TestUnitsThatAreLeftAreDirty(t *testing.T) {
	t.Parallel()
	t.Run("guests who got the unit today", func(t *testing.T) {
		l := begin(t, 5)
		l.withUnits(t, "301")
		b := l.book(t, fixture.Stay, 1)
		l.Clock.Set(noonOf(1)) // a day late
		_, err := l.repo.CheckInTo(t.Context(), b.ID, l.to("301"))
		require.NoError(t, err)
		_, err = l.repo.CheckOut(t.Context(), b.ID) // the same evening
		require.NoError(t, err)
		assert.Equal(t, units.Dirty, l.state(t, "301"))
	})
	t.Run("guests who moved today", func(t *testing.T) {
		l := begin(t, 5)
		l.withUnits(t, "301", "302")
		b := l.book(t, fixture.Stay, 1)
		l.Clock.Set(noonOf(0))
		_, err := l.repo.CheckInTo(t.Context(), b.ID, l.to("301"))
		require.NoError(t, err)
		l.Clock.Set(noonOf(1))
		_, err = l.repo.MoveUnit(t.Context(), b.ID, bookings.UnitMove{From: "301", To: "302"})
		require.NoError(t, err)
		_, err = l.repo.CheckOut(t.Context(), b.ID)
		require.NoError(t, err)
		assert.Equal(t, units.Dirty, l.state(t, "302"))
	})
	t.Run("guests who stayed longer", func(t *testing.T) {
		l := begin(t, 5)
		l.withUnits(t, "301")
		b := l.book(t, fixture.Stay, 1)
		l.Clock.Set(noonOf(0))
		_, err := l.repo.CheckInTo(t.Context(), b.ID, l.to("301"))
		require.NoError(t, err)
		l.modifyTo(t, b.ID, daysOf(0, 4), 1)
		l.Clock.Set(noonOf(4))
		_, err = l.repo.CheckOut(t.Context(), b.ID)
		require.NoError(t, err)
		assert.Equal(t, units.Dirty, l.state(t, "301"))
	})
	t.Run("swapped while there", func(t *testing.T) {
		l := begin(t, 5)
		l.withUnits(t, "301", "302")
		a, b := l.book(t, fixture.Stay, 1), l.book(t, fixture.Stay, 1)
		l.Clock.Set(noonOf(0))
		_, err := l.repo.CheckInTo(t.Context(), a.ID, l.to("301"))
		require.NoError(t, err)
		l.assignTo(t, b.ID, l.to("302")...) // not there yet
		l.Clock.Set(noonOf(1))
		_, err = l.repo.SwapUnits(t.Context(), bookings.UnitSwap{A: bookings.UnitOf{BookingID: a.ID, UnitID: "301"}, B: bookings.UnitOf{BookingID: b.ID, UnitID: "302"}})
		require.NoError(t, err)
		assert.Equal(t, units.Dirty, l.state(t, "301"), "where A has slept")
	})
	t.Run("unassigned while there", func(t *testing.T) {
		l := begin(t, 5)
		l.withUnits(t, "301", "302")
		a := l.book(t, fixture.Stay, 1)
		l.Clock.Set(noonOf(0))
		_, err := l.repo.CheckInTo(t.Context(), a.ID, l.to("301"))
		require.NoError(t, err)
		l.Clock.Set(noonOf(1))
		_, err = l.repo.UnassignUnits(t.Context(), a.ID, nil)
		require.NoError(t, err)
		assert.Equal(t, units.Dirty, l.state(t, "301"))
	})
	t.Run("not there yet", func(t *testing.T) {
		l := begin(t, 5)
		l.withUnits(t, "301", "302", "303")
		b := l.book(t, fixture.Stay, 1)
		l.assignTo(t, b.ID, bookings.Assignment{RoomTypeID: l.hotel.RoomTypeID, UnitID: "301", Nights: daysOf(0, 2)}, bookings.Assignment{RoomTypeID: l.hotel.RoomTypeID, UnitID: "302", Nights: daysOf(2, 3)})
		l.Clock.Set(noonOf(0))
		_, err := l.repo.CheckIn(t.Context(), b.ID, nil)
		require.NoError(t, err)
		_, err = l.repo.MoveUnit(t.Context(), b.ID, bookings.UnitMove{From: "302", To: "303"})
		require.NoError(t, err)
		assert.Equal(t, units.Clean, l.state(t, "302"), "the guests have not been in 302")
	})
}

// A unit that somebody has gets another room type: it is retired, but nobody has looked.
func TestUnitKeepsItsTypeWhileItRetires(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	_, twin := l.two(t)
	l.Clock.Set(booked)
	repo := l.withUnits(t, "301")
	b := l.book(t, fixture.Stay, 1)
	l.assignTo(t, b.ID, l.to("301")...)
	// A colleague changes the type while RetireUnit looks.
	other := units.New(l.DB.Open(nil))
	l.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := other.Update(ctx, l.hotel.ID, "301", func(u *units.Unit) error { u.RoomTypeID = twin; return nil })
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
	}), dyntest.When{Operation: "BatchGetItem", Nth: 1})
	_, err := l.repo.RetireUnit(t.Context(), availability.House{ID: l.hotel.ID}, "301")
	assert.Len(t, blame.As[*units.TakenError](t, err).Nights, 3)
	u, err := repo.Get(t.Context(), l.hotel.ID, "301", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, l.hotel.RoomTypeID, u.RoomTypeID, "in use: %v, and %s has it", !u.Retired, b.ID)
}

// Two desks retire a unit, and its booking is cancelled in between.
func TestTwoDesksRetireAUnit(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	repo := l.withUnits(t, "301")
	b := l.book(t, fixture.Stay, 1)
	l.assignTo(t, b.ID, l.to("301")...)
	house := availability.House{ID: l.hotel.ID}
	other := bookings.New(l.DB.Open(nil), nil)
	l.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := other.RetireUnit(ctx, house, "301")
		assert.ErrorIs(t, err, dynastay.ErrRefused, "the mark is taken back")
		_, err = other.Cancel(ctx, b.ID, "", nil)
		require.NoError(t, err)
	}), dyntest.When{Operation: "BatchGetItem", Nth: 1})
	u, err := l.repo.RetireUnit(t.Context(), house, "301")
	require.NoError(t, err)
	stored, err := repo.Get(t.Context(), l.hotel.ID, "301", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, u.Retired, stored.Retired, "what RetireUnit returned")
}

// Of many nights whose owners lost them, reinstated guests are refused because of the checks.
func TestReinstateWithManyFormerOwners(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301")
	stay := daysOf(0, 55)
	l.hotel.Open(t, l.DB.DB, availability.OpenRequest{PropertyID: l.hotel.ID, RoomTypeID: l.hotel.RoomTypeID, Nights: stay, Rooms: 5, Price: fixture.Price})
	b := l.book(t, stay, 1)
	l.assignTo(t, b.ID, l.to("301")...)
	l.Clock.Set(noonOf(1))
	_, err := l.repo.NoShow(t.Context(), b.ID)
	require.NoError(t, err)
	_, err = l.repo.Release(t.Context(), b.ID)
	require.NoError(t, err)
	for d := range stay.Dates() {
		k, err := keys.Of(keys.UnitMonth{PropertyID: l.hotel.ID, Month: dynastay.MonthOf(d).CheckIn, UnitID: "301"})
		require.NoError(t, err)
		raw.Set(t, l.DB, availabilityTable, k, dynastay.Text("bkg_none"+d.String()+"#1"), "D"+d.String()[8:])
	}
	_, err = l.repo.Reinstate(t.Context(), b.ID)
	assert.NoError(t, err)
}

// The night of arrival of a no-show who is reinstated on the day of departure.
func TestReinstateUnitsOnTheDayOfDeparture(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301")
	b := l.book(t, daysOf(0, 1), 1)
	l.assignTo(t, b.ID, l.to("301")...)
	l.Clock.Set(fixture.Stay.CheckIn.Time().Add(24*time.Hour + 5*time.Hour)) // 01:00 at the property
	_, err := l.repo.NoShow(t.Context(), b.ID)
	require.NoError(t, err)
	got, err := l.repo.Reinstate(t.Context(), b.ID)
	require.NoError(t, err)
	assert.NotEmpty(t, got.Lines[0].Units, "they come at 01:15, and nobody else has 301")
}
