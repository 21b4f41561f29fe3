package bookings_test

import (
	"context"
	"testing"
	"time"

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

func (l *life) house() availability.House { return availability.House{ID: l.hotel.ID} }

// out takes a unit out of order.
func (l *life) out(t *testing.T, unitID, id string, nights dynastay.Stay) (*units.Unit, error) {
	t.Helper()
	return l.repo.TakeOutOfOrder(t.Context(), l.house(), bookings.OutOfOrder{
		UnitID: unitID, ID: id, Nights: nights, Reason: "window broken", By: "staff_7",
	})
}

// end puts it back.
func (l *life) end(t *testing.T, unitID, id string, from dynastay.Date) (*units.Unit, error) {
	t.Helper()
	return l.repo.EndOutOfOrder(t.Context(), l.house(), bookings.OutOfOrderEnd{UnitID: unitID, ID: id, From: from, By: "staff_8"})
}

// inventory returns the rooms left and those that are out of order, night by night, and whether the plan and the units say the same.
func (l *life) inventory(t *testing.T, stay dynastay.Stay) (left, out []int) {
	t.Helper()
	planned, kept := map[units.Night]bool{}, map[units.Night]bool{}
	for month := stay.CheckIn; month.Before(stay.CheckOut); month = dynastay.MonthOf(month).CheckOut {
		months, err := units.New(l.DB.DB).Plan(t.Context(), l.hotel.ID, month)
		require.NoError(t, err)
		for _, m := range months {
			for _, n := range m.Nights {
				if n.By.OutOfOrder != "" {
					planned[n.Night] = true
				}
			}
		}
	}
	for unit, err := range units.New(l.DB.DB).List(l.hotel.ID).All(t.Context()) {
		require.NoError(t, err)
		for _, o := range unit.OutOfOrder {
			for date := range o.Nights.Dates() {
				kept[units.Night{UnitID: unit.ID, Date: date}] = true
			}
		}
	}
	assert.Equal(t, kept, planned, "what the units say, and what the plan says")
	byDate := map[dynastay.Date]int{}
	for n := range planned {
		byDate[n.Date]++
	}
	check, err := availability.New(l.DB.DB).Check(t.Context(), l.hotel.ID, l.hotel.RoomTypeID, 1, stay)
	require.NoError(t, err)
	for _, n := range check.Nights {
		left, out = append(left, n.Available), append(out, n.OutOfOrder)
		assert.Equal(t, byDate[n.Date], n.OutOfOrder, "in the plan on %s, and in the inventory", n.Date)
	}
	return left, out
}

func TestTakeOutOfOrder(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	unit, err := l.out(t, "301", "w1", fixture.Stay)
	require.NoError(t, err)
	require.Equal(t, []units.OutOfOrder{{
		ID: "w1", Asked: fixture.Stay, Nights: fixture.Stay, Reason: "window broken", By: "staff_7", At: l.Clock.Now(),
	}}, unit.OutOfOrder)
	assert.Equal(t, 1, unit.Version, "whoever edits the unit is not disturbed")
	left, out := l.inventory(t, fixture.Stay)
	assert.Equal(t, []int{4, 4, 4}, left)
	assert.Equal(t, []int{1, 1, 1}, out)

	// Everybody who comes gets another one.
	c := l.book(t, daysOf(0, 1), 1)
	done, err := l.repo.AutoAssign(t.Context(), bookings.AutoAssignment{PropertyID: l.hotel.ID, Arrivals: daysOf(0, 1)})
	require.NoError(t, err)
	require.Len(t, done.Bookings, 1)
	assert.Equal(t, []string{"302"}, l.get(t, c.ID).Lines[0].RoomIDs)

	// Nobody gets it, it is not retired, and the same call does nothing.
	b := l.book(t, fixture.Stay, 1)
	_, err = l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
	assert.Equal(t, units.Occupant{OutOfOrder: "w1"}, blame.As[*units.TakenError](t, err).Nights[0].By)
	assert.ErrorContains(t, err, "not free: 301 on 2026-07-10 (out of order), 301 on 2026-07-11 (out of order)")
	_, err = l.repo.RetireUnit(t.Context(), l.house(), "301")
	assert.Len(t, blame.As[*units.TakenError](t, err).Nights, 3)
	before := raw.All(t, l.DB, keys.PropertiesTable, keys.AvailabilityTable)
	unit, err = l.out(t, "301", "w1", fixture.Stay)
	require.NoError(t, err)
	assert.Equal(t, fixture.Stay, unit.OutOfOrder[0].Nights)
	assert.Equal(t, before, raw.All(t, l.DB, keys.PropertiesTable, keys.AvailabilityTable))

	for id, want := range map[string]error{"w1": dynastay.ErrAlreadyExists, "w2": dynastay.ErrRefused} {
		_, err = l.out(t, "301", id, daysOf(1, 3))
		assert.ErrorIs(t, err, want, id)
	}
	_, err = l.out(t, "999", "w1", fixture.Stay)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
}

func TestEndOutOfOrder(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301")
	_, err := l.out(t, "301", "w1", fixture.Stay)
	require.NoError(t, err)
	l.Clock.Set(noonOf(0))
	unit, err := l.end(t, "301", "w1", fixture.Stay.CheckOut)
	require.NoError(t, err)
	assert.Zero(t, unit.OutOfOrder[0].EndedAt, "it ends by itself")
	unit, err = l.end(t, "301", "w1", fixture.Stay.CheckIn.AddDays(1))
	require.NoError(t, err)
	assert.Equal(t, []units.OutOfOrder{{
		ID: "w1", Asked: fixture.Stay, Nights: daysOf(0, 1), Reason: "window broken", By: "staff_7", At: booked,
		EndedBy: "staff_8", EndedAt: l.Clock.Now(),
	}}, unit.OutOfOrder)
	left, out := l.inventory(t, fixture.Stay)
	assert.Equal(t, []int{4, 5, 5}, left)
	assert.Equal(t, []int{1, 0, 0}, out)
	b := l.book(t, daysOf(1, 3), 1)
	_, err = l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
	require.NoError(t, err)

	// The same again, or later, does nothing. Whoever repeats the first call is told.
	l.Clock.Advance(time.Minute)
	before := raw.All(t, l.DB, keys.PropertiesTable, keys.AvailabilityTable)
	for _, day := range []int{1, 2, 9} {
		_, err = l.end(t, "301", "w1", fixture.Stay.CheckIn.AddDays(day))
		require.NoError(t, err)
	}
	_, err = l.out(t, "301", "w1", fixture.Stay)
	require.ErrorIs(t, err, units.ErrOutOfOrderEnded)
	_, err = l.end(t, "301", "w2", fixture.Stay.CheckIn)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.Equal(t, before, raw.All(t, l.DB, keys.PropertiesTable, keys.AvailabilityTable))

	// By default, from tonight on. Then no night is left.
	unit, err = l.end(t, "301", "w1", dynastay.Date{})
	require.NoError(t, err)
	assert.Zero(t, unit.OutOfOrder[0].Nights.Nights())
	left, _ = l.inventory(t, fixture.Stay)
	assert.Equal(t, []int{5, 4, 4}, left)

	// What has been over for a day is forgotten once there is something new.
	l.Clock.Set(noonOf(4))
	_, err = l.out(t, "301", "w2", daysOf(99, 100))
	assert.True(t, blame.As[*availability.Refused](t, err).Has(availability.NotOnSale))
	_, err = l.out(t, "301", "w2", daysOf(3, 4)) // the night that has begun
	require.NoError(t, err)
	unit, err = l.out(t, "301", "w3", daysOf(4, 5))
	require.NoError(t, err)
	require.Len(t, unit.OutOfOrder, 2)
	assert.Equal(t, "w2", unit.OutOfOrder[0].ID)
}

// By default, last night stays what it was.
func TestEndOutOfOrderFromTonight(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301")
	_, err := l.out(t, "301", "w1", fixture.Stay)
	require.NoError(t, err)
	l.Clock.Set(noonOf(1))
	unit, err := l.end(t, "301", "w1", dynastay.Date{})
	require.NoError(t, err)
	assert.Equal(t, daysOf(0, 1), unit.OutOfOrder[0].Nights)
}

// What is given up before it begins is what was taken, and not what is out of order before.
func TestEndOutOfOrderBeforeItBegins(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	_, err := l.out(t, "301", "w1", daysOf(2, 3))
	require.NoError(t, err)
	_, err = l.out(t, "302", "w1", daysOf(0, 2))
	require.NoError(t, err)
	unit, err := l.end(t, "301", "w1", dynastay.Date{})
	require.NoError(t, err)
	assert.Equal(t, dynastay.Stay{CheckIn: daysOf(2, 3).CheckIn, CheckOut: daysOf(2, 3).CheckIn}, unit.OutOfOrder[0].Nights)
	left, out := l.inventory(t, fixture.Stay)
	assert.Equal(t, []int{4, 4, 5}, left)
	assert.Equal(t, []int{1, 1, 0}, out)
}

func TestOutOfOrderWithBookingsInTheWay(t *testing.T) {
	t.Parallel()
	l := begin(t, 1)
	l.withUnits(t, "301", "302")
	b := l.book(t, daysOf(1, 3), 1)
	_, err := l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
	require.NoError(t, err)
	// Both are told: who is in the way, and that no room is left.
	_, err = l.out(t, "301", "w1", fixture.Stay)
	assert.ErrorContains(t, err, "not free: 301 on 2026-07-11 (booking "+b.ID+"), 301 on 2026-07-12 (booking "+b.ID+")")
	assert.Equal(t, []availability.RefusedNight{
		{RoomTypeID: l.hotel.RoomTypeID, Date: fixture.Stay.CheckIn.AddDays(1), Reason: availability.SoldOut},
		{RoomTypeID: l.hotel.RoomTypeID, Date: fixture.Stay.CheckIn.AddDays(2), Reason: availability.SoldOut},
	}, blame.As[*availability.Refused](t, err).Nights)
	overbooked := bookings.OutOfOrder{UnitID: "301", ID: "w1", Nights: fixture.Stay, By: "staff_7", Overbook: 1}
	_, err = l.repo.TakeOutOfOrder(t.Context(), l.house(), overbooked)
	require.NotErrorAs(t, err, new(*availability.Refused))
	assert.Len(t, blame.As[*units.TakenError](t, err).Nights, 2)

	_, err = l.repo.MoveUnit(t.Context(), b.ID, bookings.UnitMove{From: "301", To: "302"})
	require.NoError(t, err)
	_, err = l.out(t, "301", "w1", fixture.Stay)
	require.ErrorAs(t, err, new(*availability.Refused))
	require.NotErrorAs(t, err, new(*units.TakenError))
	_, err = l.repo.TakeOutOfOrder(t.Context(), l.house(), overbooked)
	require.NoError(t, err)
	left, out := l.inventory(t, fixture.Stay)
	assert.Equal(t, []int{0, -1, -1}, left)
	assert.Equal(t, []int{1, 1, 1}, out)
	_, err = l.repo.TakeOutOfOrder(t.Context(), l.house(), bookings.OutOfOrder{
		UnitID: "302", ID: "w1", Nights: daysOf(0, 1), By: "staff_7", Overbook: 1,
	})
	require.NoError(t, err)
	assert.Equal(t, -1, l.hotel.Left(t, l.DB.DB, fixture.Stay)[0])
}

// A night that the plan gives to a booking which has given it up is taken over.
func TestOutOfOrderTakesOver(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301")
	gone, comes := l.book(t, fixture.Stay, 1), l.book(t, fixture.Stay, 1)
	_, err := l.repo.Cancel(t.Context(), gone.ID, "", nil)
	require.NoError(t, err)
	plant := func(number, id string) {
		raw.Put(t, l.DB, keys.AvailabilityTable, dynastay.Item{
			"PK": dynastay.Text("UNITS#" + l.hotel.ID), "SK": dynastay.Text("MONTH#2026-07#UNIT#301"),
			"EntityType": dynastay.Text("UnitMonth"), number: dynastay.Text(id + "#1"),
		})
	}
	plant("D11", gone.ID)
	_, err = l.out(t, "301", "w1", fixture.Stay)
	require.NoError(t, err)
	_, out := l.inventory(t, fixture.Stay)
	assert.Equal(t, []int{1, 1, 1}, out)

	// If the booking comes back meanwhile, it is in the way.
	_, err = l.end(t, "301", "w1", dynastay.Date{})
	require.NoError(t, err)
	plant("D11", comes.ID)
	_, err = l.repo.AssignUnits(t.Context(), comes.ID, []bookings.Assignment{
		{RoomTypeID: l.hotel.RoomTypeID, UnitID: "301", Nights: daysOf(1, 2)},
	})
	require.NoError(t, err)
	_, err = l.repo.NoShow(t.Context(), comes.ID)
	require.Error(t, err) // not before the day of arrival
	l.Clock.Set(noonOf(1))
	_, err = l.repo.NoShow(t.Context(), comes.ID)
	require.NoError(t, err)
	plant("D11", comes.ID)
	back := l.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := bookings.New(l.Direct, nil).Reinstate(ctx, comes.ID)
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 2}) // the first one finds the night taken
	_, err = l.out(t, "301", "w2", daysOf(1, 3))
	assert.Equal(t, 1, back.Hits())
	assert.Equal(t, comes.ID, blame.As[*units.TakenError](t, err).Nights[0].By.BookingID)
	left, _ := l.inventory(t, fixture.Stay)
	assert.Equal(t, []int{4, 4, 4}, left)
}

func TestOutOfOrderForMonths(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	l.withUnits(t, "301", "302")
	long := dynastay.Stay{CheckIn: fixture.Stay.CheckIn, CheckOut: dynastay.MustStay("2026-07-10", "2026-10-02").CheckOut}
	l.hotel.Open(t, l.Direct, availability.OpenRequest{Nights: long, Rooms: 5, Price: fixture.Price})
	late := dynastay.MustStay("2026-09-29", "2026-10-02")
	b := l.book(t, late, 1)
	_, err := l.repo.AssignUnits(t.Context(), b.ID, l.to("301"))
	require.NoError(t, err)

	before := raw.All(t, l.DB, keys.PropertiesTable, keys.AvailabilityTable)
	_, err = l.out(t, "301", "w1", long)
	assert.Len(t, blame.As[*units.TakenError](t, err).Nights, 3)
	assert.Equal(t, before, raw.All(t, l.DB, keys.PropertiesTable, keys.AvailabilityTable), "nothing is written if the last month is refused")
	_, err = l.repo.UnassignUnits(t.Context(), b.ID, nil)
	require.NoError(t, err)

	// Broken off after two months, it is two months long; the same call continues.
	l.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "TransactWriteItems", Nth: 3})
	_, err = l.out(t, "301", "w1", long)
	require.Error(t, err)
	unit, err := units.New(l.DB.DB).Get(t.Context(), l.hotel.ID, "301", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "2026-07-10 to 2026-09-01", unit.OutOfOrder[0].Nights.String())
	assert.Equal(t, long, unit.OutOfOrder[0].Asked)
	l.inventory(t, long)
	// Somebody gets the last night before it continues: the rest is refused as a whole, and what is there stays.
	_, err = l.repo.AssignUnits(t.Context(), b.ID, []bookings.Assignment{
		{RoomTypeID: l.hotel.RoomTypeID, UnitID: "301", Nights: dynastay.MustStay("2026-10-01", "2026-10-02")},
	})
	require.NoError(t, err)
	before = raw.All(t, l.DB, keys.PropertiesTable, keys.AvailabilityTable)
	_, err = l.out(t, "301", "w1", long)
	require.ErrorAs(t, err, new(*units.TakenError))
	assert.Equal(t, before, raw.All(t, l.DB, keys.PropertiesTable, keys.AvailabilityTable))
	_, err = l.repo.UnassignUnits(t.Context(), b.ID, nil)
	require.NoError(t, err)
	unit, err = l.out(t, "301", "w1", long)
	require.NoError(t, err)
	assert.Equal(t, long, unit.OutOfOrder[0].Nights)
	l.inventory(t, long)

	spent := l.Measure(func() { _, err = l.out(t, "301", "w1", long) })
	require.NoError(t, err)
	assert.Equal(t, 2, spent.Requests, "of a call that is repeated: the unit is read, and nothing is left to do")

	longer := dynastay.Stay{CheckIn: long.CheckIn, CheckOut: long.CheckOut.AddDays(9)} // not on sale to its end
	_, err = l.out(t, "301", "w1", longer)
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)

	// It is given up by month as well, from the end.
	from := dynastay.MustStay("2026-08-16", "2026-08-17").CheckIn
	l.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "TransactWriteItems", Nth: 3})
	_, err = l.end(t, "301", "w1", from)
	require.Error(t, err)
	unit, err = units.New(l.DB.DB).Get(t.Context(), l.hotel.ID, "301", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "2026-07-10 to 2026-09-01", unit.OutOfOrder[0].Nights.String())
	l.inventory(t, long)
	unit, err = l.end(t, "301", "w1", from)
	require.NoError(t, err)
	assert.Equal(t, "2026-07-10 to 2026-08-16", unit.OutOfOrder[0].Nights.String())
	l.inventory(t, long)

	// A call that was broken off is given up as a whole.
	l.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	_, err = l.out(t, "302", "w1", long)
	require.Error(t, err)
	_, err = l.end(t, "302", "w1", from)
	require.NoError(t, err)
	_, err = l.out(t, "302", "w1", long)
	require.ErrorIs(t, err, units.ErrOutOfOrderEnded)
	l.inventory(t, long)

	// Whoever repeats it later is told so, and not who has the unit by then.
	_, err = l.repo.AssignUnits(t.Context(), b.ID, l.to("302"))
	require.NoError(t, err)
	_, err = l.out(t, "302", "w1", long)
	require.ErrorIs(t, err, units.ErrOutOfOrderEnded)
	other := long
	other.CheckIn = other.CheckIn.AddDays(1)
	_, err = l.out(t, "302", "w1", other)
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
}

// The rooms come back to the room type from which they were taken: the unit keeps it as long as that can happen.
func TestOutOfOrderKeepsTheRoomType(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	repo := l.withUnits(t, "301")
	_, err := l.out(t, "301", "w1", fixture.Stay)
	require.NoError(t, err)
	become := func() error {
		_, err := repo.Update(t.Context(), l.hotel.ID, "301", func(u *units.Unit) error {
			u.RoomTypeID = "room_other"
			return nil
		})
		return err
	}
	l.Clock.Set(noon(fixture.Stay.CheckOut))
	_, err = l.repo.RetireUnit(t.Context(), l.house(), "301")
	require.NoError(t, err)
	blame.Invalid(t, become(), "RoomTypeID", "units.Update")
	_, err = l.end(t, "301", "w1", fixture.Stay.LastNight())
	require.NoError(t, err)
	_, out := l.inventory(t, fixture.Stay)
	assert.Equal(t, []int{1, 1, 0}, out)
	l.Clock.Set(fixture.Stay.CheckOut.AddDays(1).Time().Add(-time.Second))
	blame.Invalid(t, become(), "RoomTypeID", "units.Update") // west of here, the night before may be yesterday's
	l.Clock.Set(fixture.Stay.CheckOut.AddDays(1).Time())
	require.NoError(t, become())
}

func TestOutOfOrderIsRefused(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	repo := l.withUnits(t, "301")
	today := fixture.Stay.CheckIn.AddDays(-10)
	valid := bookings.OutOfOrder{UnitID: "301", ID: "w1", Nights: fixture.Stay, By: "staff_7"}
	spent := l.Measure(func() {
		for field, edit := range map[string]func(*bookings.OutOfOrder){
			"UnitID": func(o *bookings.OutOfOrder) { o.UnitID = "a#b" },
			"ID":     func(o *bookings.OutOfOrder) { o.ID = "" },
			"Nights.CheckOut": func(o *bookings.OutOfOrder) {
				o.Nights.CheckOut = o.Nights.CheckIn
			},
			"Reason": func(o *bookings.OutOfOrder) { o.Reason = string(make([]byte, 300)) },
			"By":     func(o *bookings.OutOfOrder) { o.By = "" },
			"Nights": func(o *bookings.OutOfOrder) {
				o.Nights = dynastay.Stay{CheckIn: today.AddDays(-2), CheckOut: today.AddDays(2)}
			},
			"Overbook": func(o *bookings.OutOfOrder) { o.Overbook = -1 },
		} {
			o := valid
			edit(&o)
			_, err := l.repo.TakeOutOfOrder(t.Context(), l.house(), o)
			blame.Invalid(t, err, field, "TakeOutOfOrder")
		}
		far := valid
		far.Nights = dynastay.MustStay("2028-07-31", "2028-08-02")
		_, err := l.repo.TakeOutOfOrder(t.Context(), l.house(), far)
		blame.Invalid(t, err, "Nights", "TakeOutOfOrder")
		_, err = l.repo.TakeOutOfOrder(t.Context(), availability.House{ID: l.hotel.ID, TimeZone: "Mars/Base"}, valid)
		blame.Invalid(t, err, "House.TimeZone", "TakeOutOfOrder")
		for field, end := range map[string]bookings.OutOfOrderEnd{
			"UnitID": {ID: "w1", By: "staff_7"},
			"ID":     {UnitID: "301", By: "staff_7"},
			"By":     {UnitID: "301", ID: "w1"},
			"From":   {UnitID: "301", ID: "w1", By: "staff_7", From: today.AddDays(-2)},
		} {
			_, err := l.repo.EndOutOfOrder(t.Context(), l.house(), end)
			blame.Invalid(t, err, field, "EndOutOfOrder")
		}
	})
	assert.Zero(t, spent.Requests)

	// Nobody sets it with the unit, and a retired unit is not taken out of order.
	_, err := repo.Update(t.Context(), l.hotel.ID, "301", func(u *units.Unit) error {
		u.OutOfOrder = []units.OutOfOrder{{ID: "w1"}}
		return nil
	})
	blame.Invalid(t, err, "OutOfOrder", "Update")
	_, err = repo.Create(t.Context(), units.Unit{
		PropertyID: l.hotel.ID, ID: "302", RoomTypeID: l.hotel.RoomTypeID, OutOfOrder: []units.OutOfOrder{{ID: "w1"}},
	})
	blame.Invalid(t, err, "OutOfOrder", "Create")
	for n := range 20 {
		at := daysOf(n, n+1)
		l.hotel.Open(t, l.Direct, availability.OpenRequest{Nights: at, Rooms: 5, Price: fixture.Price})
		_, err := l.out(t, "301", "w"+at.CheckIn.String(), at)
		require.NoError(t, err)
	}
	l.hotel.Open(t, l.Direct, availability.OpenRequest{Nights: daysOf(20, 22), Rooms: 5, Price: fixture.Price})
	_, err = l.out(t, "301", "w1", daysOf(20, 21))
	require.ErrorIs(t, err, units.ErrOutOfOrderFull)
	l.Clock.Set(noonOf(21).Add(48 * time.Hour))
	_, err = l.repo.RetireUnit(t.Context(), l.house(), "301")
	require.NoError(t, err)
	l.Clock.Set(noonOf(20))
	_, err = l.out(t, "301", "w1", daysOf(20, 21))
	require.ErrorIs(t, err, units.ErrRetired)
}
