package bookings_test

import (
	"context"
	"slices"
	"testing"

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
)

// replan makes the plan name somebody for a unit on the nights of [fixture.Stay] whose numbers are given; nobody if by is "".
func (l *life) replan(t *testing.T, unitID, by string, nights ...int) {
	t.Helper()
	key := dynastay.Key{PK: "UNITS#" + l.hotel.ID, SK: "MONTH#2026-07#UNIT#" + unitID}
	for _, n := range nights {
		day := "D" + fixture.Stay.CheckIn.AddDays(n).String()[8:]
		if by == "" {
			raw.Update(t, l.DB, keys.AvailabilityTable, key, "REMOVE "+day, nil)
		} else {
			raw.Set(t, l.DB, keys.AvailabilityTable, key, dynastay.Text(by), day)
		}
	}
}

// assigned returns a booking that has units.
func (l *life) assigned(t *testing.T, ids ...string) *bookings.Booking {
	t.Helper()
	b, err := l.repo.AssignUnits(t.Context(), l.book(t, fixture.Stay, len(ids)).ID, l.to(ids...))
	require.NoError(t, err)
	return b
}

// wrongPlan returns what VerifyUnits finds.
func (l *life) wrongPlan(t *testing.T) []bookings.UnitDifference {
	t.Helper()
	err := l.repo.VerifyUnits(t.Context(), l.hotel.ID, fixture.Stay)
	if err == nil {
		return nil
	}
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	found := blame.As[*bookings.UnitsError](t, err)
	assert.Equal(t, l.hotel.ID, found.PropertyID)
	return found.Nights
}

func on(unitID string, night int) units.Night {
	return units.Night{UnitID: unitID, Date: fixture.Stay.CheckIn.AddDays(night)}
}

// Each difference is found, and what follows from the bookings is mended, and nothing else.
func TestVerifyUnits(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	l := begin(t, 10)
	l.withUnits(t, "301", "302", "303", "304", "305", "306")
	first, second, third := l.assigned(t, "301"), l.assigned(t, "302"), l.assigned(t, "303")
	left := l.assigned(t, "304")
	_, err := l.out(t, "305", "w1", fixture.Stay)
	require.NoError(t, err)
	stop := l.Faults.Record()
	assert.Empty(t, l.wrongPlan(t))
	assert.Len(t, stop(), 7, "the units, the list of bookings, each of four, and a month of the plan")
	_, err = l.repo.Cancel(ctx, left.ID, "", nil)
	require.NoError(t, err)
	l.replan(t, "304", left.ID+"#1", 0)
	l.replan(t, "302", left.ID+"#1", 1)
	assert.Len(t, l.wrongPlan(t), 1, "a night that was given up may stay in the plan while nobody else has it")

	l.replan(t, "301", "", 0, 2)
	l.replan(t, "301", "OUT#w9", 1)
	l.replan(t, "303", first.ID+"#1", 0) // which has another unit
	l.replan(t, "303", "the plumber", 1) // of other software
	l.replan(t, "305", "", 1)
	l.replan(t, "306", "OUT#w2", 2)
	raw.Update(t, l.DB, keys.BookingsTable, dynastay.Key{PK: "BOOKING#" + third.ID, SK: "ROOM#" + l.hotel.RoomTypeID}, "SET UnitNights[0].UnitId = :u",
		dynastay.Item{":u": dynastay.Text("302")}) // third has 302 as well, and not 303
	by := func(b *bookings.Booking) units.Occupant { return units.Occupant{BookingID: b.ID, Line: 1} }
	both := []units.Occupant{by(second), by(third)}
	if third.ID < second.ID {
		both[0], both[1] = both[1], both[0]
	}
	twice := []bookings.UnitDifference{
		{Night: on("302", 0), Plan: by(second), Has: both},
		{Night: on("302", 1), Plan: by(left), Has: both},
		{Night: on("302", 2), Plan: by(second), Has: both},
	}
	before := []bookings.UnitDifference{
		{Night: on("301", 0), Has: []units.Occupant{by(first)}},
		{Night: on("301", 1), Plan: units.Occupant{OutOfOrder: "w9"}, Has: []units.Occupant{by(first)}},
		{Night: on("301", 2), Has: []units.Occupant{by(first)}},
	}
	after := []bookings.UnitDifference{
		{Night: on("303", 1), Plan: units.Occupant{BookingID: "the plumber"}},
		{Night: on("305", 1), Has: []units.Occupant{{OutOfOrder: "w1"}}},
		{Night: on("306", 2), Plan: units.Occupant{OutOfOrder: "w2"}},
	}
	assert.Equal(t, slices.Concat(before, twice, after), l.wrongPlan(t))
	assert.EqualError(t, l.repo.VerifyUnits(ctx, l.hotel.ID, fixture.Stay), "property "+l.hotel.ID+": the plan is wrong: "+
		"301 on 2026-07-10: the plan names nobody instead of "+first.ID+"#1; "+
		"301 on 2026-07-11: the plan names OUT#w9 instead of "+first.ID+"#1; "+
		"301 on 2026-07-12: the plan names nobody instead of "+first.ID+"#1; 6 more")

	mended, err := l.repo.MendUnits(ctx, l.hotel.ID, fixture.Stay)
	found := blame.As[*bookings.UnitsError](t, err)
	assert.Equal(t, twice, found.Nights)
	assert.Contains(t, err.Error(), "instead of "+both[0].String()+" and "+both[1].String())
	assert.Equal(t, slices.Concat(before, after), mended)
	_, err = l.repo.UnassignUnits(ctx, third.ID, nil)
	require.NoError(t, err)
	mended, err = l.repo.MendUnits(ctx, l.hotel.ID, fixture.Stay)
	require.NoError(t, err)
	assert.Equal(t, []bookings.UnitDifference{{Night: on("302", 1), Plan: by(left), Has: []units.Occupant{by(second)}}}, mended,
		"the plan named one that does not have it")
	assert.Empty(t, l.wrongPlan(t))
	plan := l.plan(t)
	assert.Equal(t, units.Occupant{OutOfOrder: "w1"}, plan[on("305", 1)])
	assert.NotContains(t, plan, on("306", 2))
	assert.NotContains(t, plan, on("303", 1))

	l.replan(t, "306", "OUT#w2", 2)
	l.Clock.Set(noon(fixture.Stay.CheckOut.AddDays(-2)))
	assert.NotEmpty(t, l.wrongPlan(t))
	l.Clock.Set(noon(fixture.Stay.CheckOut.AddDays(-1)))
	assert.Empty(t, l.wrongPlan(t), "a unit forgets the times that have ended")
}

// Whatever the desk does while the plan is verified and mended is no difference, and is not lost.
func TestVerifyUnitsWhileTheyChange(t *testing.T) {
	t.Parallel()
	l := begin(t, 30)
	for operation, requests := range map[string]int{"Query": 12, "TransactWriteItems": 2} {
		for nth := 1; nth <= requests; nth++ {
			for name, meanwhile := range map[string]func(ctx context.Context, l *life, had string) error{
				"unassigned": func(ctx context.Context, l *life, had string) error {
					_, err := l.repo.UnassignUnits(ctx, had, nil)
					return err
				},
				"cancelled": func(ctx context.Context, l *life, had string) error {
					_, err := l.repo.Cancel(ctx, had, "", nil)
					return err
				},
				"moved": func(ctx context.Context, l *life, had string) error {
					_, err := l.repo.MoveUnit(ctx, had, bookings.UnitMove{From: "301", To: "302"})
					return err
				},
				"out of order": func(ctx context.Context, l *life, _ string) error {
					_, err := l.repo.TakeOutOfOrder(ctx, l.house(), bookings.OutOfOrder{UnitID: "303", ID: "w1", Nights: fixture.Stay, By: "staff_7"})
					return err
				},
				"put back": func(ctx context.Context, l *life, _ string) error {
					_, err := l.repo.EndOutOfOrder(ctx, l.house(), bookings.OutOfOrderEnd{UnitID: "304", ID: "w0", By: "staff_8"})
					return err
				},
			} {
				l := &life{l.DB, fixture.New(t, l.DB.DB, 5), l.repo}
				direct := life{l.DB, l.hotel, bookings.New(l.Direct, nil)}
				l.withUnits(t, "301", "302", "303", "304")
				_, err := l.out(t, "304", "w0", fixture.Stay)
				require.NoError(t, err)
				had := l.assigned(t, "301")
				l.replan(t, "301", "", 1)
				change := l.Faults.Inject(dyntest.Before(func(ctx context.Context) {
					require.NoError(t, meanwhile(ctx, &direct, had.ID))
				}), dyntest.When{Operation: operation, Nth: nth, Optional: true})
				mended, err := l.repo.MendUnits(t.Context(), l.hotel.ID, fixture.Stay)
				change.Stop()
				require.NoError(t, err, "%s before %s %d", name, operation, nth)
				for _, d := range mended {
					assert.Equal(t, on("301", 1), d.Night, "%s before %s %d", name, operation, nth)
				}
				assert.Empty(t, l.wrongPlan(t), "%s before %s %d", name, operation, nth)
				now, err := l.repo.Get(t.Context(), had.ID, dynastay.Consistent)
				require.NoError(t, err)
				for n, by := range l.plan(t) {
					if by.BookingID == had.ID {
						assert.Contains(t, now.Lines[0].UnitsOn(n.Date), n.UnitID, "%s before %s %d: what it has given up is not entered", name, operation, nth)
						assert.Equal(t, bookings.Confirmed, now.Status)
					}
				}
			}
		}
	}
}

// A unit is taken out of order and put back while it is compared: only the plan has seen it.
func TestVerifyUnitsOfATimeThatCameAndWent(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301")
	direct := life{l.DB, l.hotel, bookings.New(l.Direct, nil)}
	plan := dyntest.When{Operation: "Query", Table: keys.AvailabilityTable.Name, Nth: 1}
	l.Faults.Inject(dyntest.Before(func(context.Context) {
		_, err := direct.out(t, "301", "w1", fixture.Stay)
		require.NoError(t, err)
	}), plan)
	l.Faults.Inject(dyntest.After(func(context.Context) {
		_, err := direct.end(t, "301", "w1", fixture.Stay.CheckIn)
		require.NoError(t, err)
	}), plan)
	assert.Empty(t, l.wrongPlan(t))
}

// The list of bookings does not show one yet that the plan names. Its unit is not given to another one.
func TestMendUnitsTakesNobodysUnit(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	wrong := l.assigned(t, "302")
	l.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Table: keys.BookingsTable.Name})
	right := l.assigned(t, "301")
	raw.Update(t, l.DB, keys.BookingsTable, dynastay.Key{PK: "BOOKING#" + wrong.ID, SK: "ROOM#" + l.hotel.RoomTypeID}, "SET UnitNights[0].UnitId = :u",
		dynastay.Item{":u": dynastay.Text("301")})
	before := l.plan(t)
	mended, err := l.repo.MendUnits(t.Context(), l.hotel.ID, fixture.Stay)
	assert.Empty(t, mended)
	found := blame.As[*bookings.UnitsError](t, err).Nights
	require.Len(t, found, fixture.Stay.Nights())
	assert.Equal(t, right.ID, found[0].Plan.BookingID)
	assert.Equal(t, []units.Occupant{{BookingID: wrong.ID, Line: 1}}, found[0].Has)
	assert.Equal(t, before, l.plan(t))
}

// What cannot be mended of one booking or unit does not keep the others from being mended.
func TestMendUnitsGoesOn(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302", "303")
	l.assigned(t, "301")
	l.assigned(t, "302")
	l.replan(t, "301", "", 0)
	l.replan(t, "302", "", 0)
	l.replan(t, "303", "OUT#w1", 0)
	busy := l.Faults.Inject(dyntest.Cancel("TransactionConflict"), dyntest.When{Operation: "TransactWriteItems", Times: impatient.Retry.Attempts})
	mended, err := bookings.New(l.Open(&impatient), nil).MendUnits(t.Context(), l.hotel.ID, fixture.Stay)
	busy.Stop()
	assert.Len(t, blame.As[*bookings.UnitsError](t, err).Nights, 1)
	assert.Len(t, mended, 2)

	l.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	mended, err = l.repo.MendUnits(t.Context(), l.hotel.ID, fixture.Stay)
	assert.NotErrorIs(t, err, dynastay.ErrCorrupt, "no other booking would be better off, so a walk must stop")
	assert.ErrorContains(t, err, "AccessDeniedException")
	assert.Empty(t, mended)
	ctx, cancel := context.WithCancel(t.Context())
	l.Faults.Inject(dyntest.Before(func(context.Context) { cancel() }), dyntest.When{Operation: "Query", Table: keys.PropertiesTable.Name, Nth: 3})
	mended, err = l.repo.MendUnits(ctx, l.hotel.ID, fixture.Stay)
	assert.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, dynastay.ErrCorrupt)
	assert.Len(t, mended, 1, "it was, and nobody could look again")
	require.NoError(t, l.repo.VerifyUnits(t.Context(), l.hotel.ID, fixture.Stay))
}

// What is stored for a night may be no text. Nobody gets it, and a mend leaves it; it does not keep other nights from being mended.
func TestMendUnitsLeavesWhatIsNoText(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	had := l.assigned(t, "301")
	key := dynastay.Key{PK: "UNITS#" + l.hotel.ID, SK: "MONTH#2026-07#UNIT#301"}
	raw.Set(t, l.DB, keys.AvailabilityTable, key, dynastay.Number(5), "D10")
	raw.Set(t, l.DB, keys.AvailabilityTable, key, &types.AttributeValueMemberNULL{Value: true}, "D11")
	raw.Set(t, l.DB, keys.AvailabilityTable, key, dynastay.Number(5), "D14")
	l.replan(t, "301", "", 2)
	mended, err := l.repo.MendUnits(t.Context(), l.hotel.ID, dynastay.MustStay("2026-07-10", "2026-07-20"))
	assert.Equal(t, []bookings.UnitDifference{{Night: on("301", 2), Has: []units.Occupant{{BookingID: had.ID, Line: 1}}}}, mended)
	assert.ErrorContains(t, err, "301 on 2026-07-11: the plan names (not a text) instead of "+had.ID+"#1; 301 on 2026-07-14: the plan names (not a text) instead of nobody")
	other := l.book(t, dynastay.MustStay("2026-07-10", "2026-07-11"), 1)
	_, err = l.repo.AssignUnits(t.Context(), other.ID, l.to("301"))
	assert.ErrorAs(t, err, new(*units.TakenError))
}

// Who compares what always changes is told so, together with what does not.
func TestVerifyWhatAlwaysChanges(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	busy, calm := l.assigned(t, "301"), l.assigned(t, "302")
	l.replan(t, "301", "", 1)
	l.replan(t, "302", "", 1)
	changing := func(table *dynastay.Schema, operation string, times int, key dynastay.Key, attribute string) func() {
		changes := 0
		return l.Faults.Inject(dyntest.Before(func(context.Context) {
			changes++
			raw.Set(t, l.DB, table, key, dynastay.Number(changes), attribute)
		}), dyntest.When{Operation: operation, Table: keys.AvailabilityTable.Name, Times: times}).Stop
	}
	stop := changing(keys.BookingsTable, "Query", 10, dynastay.Key{PK: "BOOKING#" + busy.ID, SK: "METADATA"}, keys.AttrVersion)
	err := l.repo.VerifyUnits(ctx, l.hotel.ID, fixture.Stay)
	stop()
	assert.ErrorIs(t, err, bookings.ErrAlwaysChanges)
	assert.Equal(t, []bookings.UnitDifference{{Night: on("302", 1), Has: []units.Occupant{{BookingID: calm.ID, Line: 1}}}},
		blame.As[*bookings.UnitsError](t, err).Nights)

	first, second := l.nightKey(t, 0), l.nightKey(t, 1)
	raw.Set(t, l.DB, keys.AvailabilityTable, second, dynastay.Number(5), "AvailableRooms")
	raw.Set(t, l.DB, keys.AvailabilityTable, first, dynastay.Number(5), "AvailableRooms")
	stop = changing(keys.AvailabilityTable, "BatchGetItem", 20, first, "AvailableRooms")
	err = l.repo.VerifyNights(ctx, l.hotel.ID, fixture.Stay)
	stop()
	assert.ErrorIs(t, err, bookings.ErrAlwaysChanges)
	assert.Contains(t, err.Error(), first.PK)
	found := blame.As[*bookings.NightsError](t, err).Nights
	require.Len(t, found, 1)
	assert.Equal(t, fixture.Stay.CheckIn.AddDays(1), found[0].Date)
}

func (l *life) nightKey(t *testing.T, night int) dynastay.Key {
	ref, err := availability.NightRef(l.hotel.RoomTypeID, fixture.Stay.CheckIn.AddDays(night))
	require.NoError(t, err)
	return ref.Key
}

// The rooms of a night that are out of order are those of the units.
func TestVerifyNightsOutOfOrder(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	_, err := l.out(t, "301", "w1", fixture.Stay)
	require.NoError(t, err)
	l.book(t, fixture.Stay, 1)
	require.NoError(t, l.repo.VerifyNights(ctx, l.hotel.ID, fixture.Stay))
	set := func(night int, attribute string, rooms int) {
		raw.Set(t, l.DB, keys.AvailabilityTable, l.nightKey(t, night), dynastay.Number(rooms), attribute)
	}
	set(0, "OutOfOrder", 0)
	set(2, "OutOfOrder", 2)
	_, err = l.end(t, "301", "w1", fixture.Stay.CheckOut.AddDays(-1))
	require.NoError(t, err)
	err = l.repo.VerifyNights(ctx, l.hotel.ID, fixture.Stay)
	assert.EqualError(t, err, "property "+l.hotel.ID+": not as booked: "+
		l.hotel.RoomTypeID+" 2026-07-10: sold 2, booked 1, out of order 0, and 1 by the units; "+
		l.hotel.RoomTypeID+" 2026-07-12: sold 0, booked 1, out of order 1, and 0 by the units")
	found := blame.As[*bookings.NightsError](t, err).Nights
	mended, err := l.repo.MendNights(ctx, l.hotel.ID, fixture.Stay)
	require.NoError(t, err)
	assert.Equal(t, found, mended)
	left, out := l.inventory(t, fixture.Stay)
	assert.Equal(t, [][]int{{3, 3, 4}, {1, 1, 0}}, [][]int{left, out})

	set(0, "OutOfOrder", 4)
	set(0, "AvailableRooms", 0)
	l.Clock.Set(noon(fixture.Stay.CheckIn.AddDays(-1)))
	found = blame.As[*bookings.NightsError](t, l.repo.VerifyNights(ctx, l.hotel.ID, fixture.Stay)).Nights
	require.Len(t, found, 1)
	assert.Equal(t, []int{1, 1, 4, 1}, []int{found[0].Sold, found[0].Booked, found[0].OutOfOrder, found[0].UnitsOut})
	l.Clock.Set(noon(fixture.Stay.CheckIn))
	assert.NoError(t, l.repo.VerifyNights(ctx, l.hotel.ID, fixture.Stay), "a unit may have forgotten it")
	raw.Delete(t, l.DB, keys.AvailabilityTable, l.nightKey(t, 1))
	l.Clock.Set(noon(fixture.Stay.CheckIn.AddDays(-1)))
	_, err = l.repo.MendNights(ctx, l.hotel.ID, fixture.Stay)
	assert.Contains(t, err.Error(), "2026-07-11: not open, booked 1, out of order 0, and 1 by the units")
}
