package availability_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// validChange changes everything; the tests make one field invalid.
func validChange() availability.Change {
	return changeOf(roomTypeID, july, availability.Change{
		Price: fixture.Price, Rooms: ptr(3), Overbook: 1, AboveCapacity: true, OverbookLimit: ptr(2), MinStay: ptr(1), MaxStay: ptr(2),
		ClosedToArrival: ptr(false), ClosedToDeparture: ptr(false), StopSell: ptr(true), StopSellReason: "painting",
	})
}

func TestUpdateRejectsBadInput(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	stop := db.Faults.Record()
	for field, edit := range map[string]func(u *availability.UpdateRequest, c *availability.Change){
		"PropertyID":                func(u *availability.UpdateRequest, _ *availability.Change) { u.PropertyID = "a#b" },
		"Changes":                   func(u *availability.UpdateRequest, _ *availability.Change) { u.Changes = nil },
		"Changes[0].RoomTypeIDs":    func(_ *availability.UpdateRequest, c *availability.Change) { c.RoomTypeIDs = nil },
		"Changes[0].RoomTypeIDs[1]": func(_ *availability.UpdateRequest, c *availability.Change) { c.RoomTypeIDs = []string{"a", ""} },
		"Changes[0].Dates.CheckOut": func(_ *availability.UpdateRequest, c *availability.Change) { c.Dates.CheckOut = c.Dates.CheckIn },
		"Changes[0].Dates": func(_ *availability.UpdateRequest, c *availability.Change) {
			c.Dates.CheckOut = c.Dates.CheckIn.AddDays(733)
		},
		"Changes[0].Weekdays":       func(_ *availability.UpdateRequest, c *availability.Change) { c.Weekdays = availability.On() },
		"Changes[0].Price":          func(_ *availability.UpdateRequest, c *availability.Change) { c.Price = money("-1.00 USD") },
		"Changes[0].Rooms":          func(_ *availability.UpdateRequest, c *availability.Change) { c.Rooms = ptr(10_001) },
		"Changes[0].Overbook":       func(_ *availability.UpdateRequest, c *availability.Change) { c.Overbook = -1 },
		"Changes[0].OverbookLimit":  func(_ *availability.UpdateRequest, c *availability.Change) { c.OverbookLimit = ptr(10_001) },
		"Changes[0].AboveCapacity":  func(_ *availability.UpdateRequest, c *availability.Change) { c.Rooms, c.Overbook = nil, 0 },
		"Changes[0].MinStay":        func(_ *availability.UpdateRequest, c *availability.Change) { c.MinStay = ptr(-1) },
		"Changes[0].MaxStay":        func(_ *availability.UpdateRequest, c *availability.Change) { c.MaxStay = ptr(-1) },
		"Changes[0].StopSellReason": func(_ *availability.UpdateRequest, c *availability.Change) { c.StopSell = ptr(false) },
		"Changes[0]": func(_ *availability.UpdateRequest, c *availability.Change) {
			*c = changeOf(roomTypeID, july, availability.Change{})
		},
	} {
		c := validChange()
		u := availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{c}}
		require.NoError(t, u.Validate())
		edit(&u, &c)
		if len(u.Changes) > 0 {
			u.Changes[0] = c
		}
		_, err := repo.Update(t.Context(), u)
		blame.Invalid(t, err, field, field)
	}
	for name, edit := range map[string]func(c *availability.Change){
		"Changes[0].Rooms":                    func(c *availability.Change) { c.Rooms = ptr(-1) },
		"Changes[0].OverbookLimit":            func(c *availability.Change) { c.OverbookLimit = ptr(-1) },
		"Changes[0].Price":                    func(c *availability.Change) { c.Price = money("1.001 USD") },
		"Changes[0].Overbook":                 func(c *availability.Change) { c.Rooms, c.AboveCapacity = nil, false },
		"Changes[0].MaxStay":                  func(c *availability.Change) { c.MinStay, c.MaxStay = ptr(3), ptr(2) },
		"Changes[0].StopSellReason":           func(c *availability.Change) { c.StopSell = nil },
		"Changes[0].StopSellReason: 61 bytes": func(c *availability.Change) { c.StopSellReason = strings.Repeat("x", 61) },
		"Changes[0].Weekdays": func(c *availability.Change) {
			c.Weekdays, c.Dates = availability.On(time.Sunday), oneNight("2026-07-10")
		},
		"Changes[0].RoomTypeIDs": func(c *availability.Change) { c.RoomTypeIDs = make([]string, 101) },
	} {
		c := validChange()
		edit(&c)
		_, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{c}})
		field, _, _ := strings.Cut(name, ": ")
		blame.Invalid(t, err, field, name)
	}
	assert.Empty(t, stop(), "no request was sent")
}

func TestUpdateLimitsItsWork(t *testing.T) {
	t.Parallel()
	c := validChange()
	c.Dates.CheckOut = c.Dates.CheckIn.AddDays(500)
	c.RoomTypeIDs = nil
	for i := range 100 {
		c.RoomTypeIDs = append(c.RoomTypeIDs, string(rune('a'+i%26))+string(rune('a'+i/26)))
	}
	u := availability.UpdateRequest{PropertyID: propertyID}
	for range 20 {
		u.Changes = append(u.Changes, c)
	}
	require.NoError(t, u.Validate(), "1,000,000 dates")
	u.Changes = append(u.Changes, changeOf(roomTypeID, oneNight("2026-07-10"), availability.Change{Rooms: ptr(1)}))
	blame.Invalid(t, u.Validate(), "Changes", "1,000,001 dates")
}

// A request that does not match the room types writes nothing.
func TestUpdateChecksTheRoomTypes(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	for _, test := range []struct {
		name, field string
		change      availability.Change
	}{
		{"currency", "Changes[1].Price.Currency", availability.Change{Price: money("280.00 EUR")}},
		{"rooms", "Changes[1].Rooms", availability.Change{Rooms: ptr(6)}},
	} {
		stop := db.Faults.Record()
		_, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
			changeOf(hotel.RoomTypeID, july, availability.Change{MinStay: ptr(2)}), changeOf(hotel.RoomTypeID, july, test.change),
		}})
		blame.Invalid(t, err, test.field, test.name)
		assert.Len(t, stop(), 1, "the read of the room types")
	}
	report := update(t, repo, hotel, oneNight("2026-07-10"), availability.Change{Rooms: ptr(6), AboveCapacity: true})
	assert.Equal(t, 1, report.Count(availability.Written))
	assert.Equal(t, 6, nightOf(t, repo, hotel, "2026-07-10").Available)

	_, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
		changeOf("room_unknown", july, availability.Change{MinStay: ptr(2)}),
	}})
	assertKind(t, err, dynastay.ErrNotFound, "")
	assert.EqualError(t, err, "availability.Update: RoomType room_unknown: not found")
}

// Every date that cannot be written is reported with its reason, and the others are written.
func TestUpdateReportsWhatItDidNotWrite(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, inventoryTables, dyntest.With(dynastay.Options{Clock: func() time.Time { return time.Date(2026, 7, 10, 3, 0, 0, 0, time.UTC) }}))
	repo := availability.New(db.DB)
	putProperty(t, db, "America/New_York") // where it is still the 9th
	putRoom(t, db, roomTypeID)
	none := func(attribute string) dynastay.Item { return dynastay.Item{attribute: null} }
	putNights(t, db,
		night(roomTypeID, "2026-07-08"), night(roomTypeID, "2026-07-09"), night(roomTypeID, "2026-07-10"),
		night(roomTypeID, "2026-07-12", dynastay.Item{"PropertyId": dynastay.Text("prop_124")}),
		night(roomTypeID, "2026-07-13", dynastay.Item{"AvailableRooms": dynastay.Number(1)}),
		night(roomTypeID, "2026-07-14", dynastay.Item{"MaxStay": dynastay.Number(2)}),
		night(roomTypeID, "2026-07-15", none("AvailableRooms")), night(roomTypeID, "2026-07-16", none("TotalRooms")),
		night(roomTypeID, "2026-07-17", dynastay.Item{"MinStay": dynastay.Text("three")}),
	)
	report, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{
		changeOf(roomTypeID, dynastay.MustStay("2026-07-08", "2026-07-18"), availability.Change{Rooms: ptr(3), MinStay: ptr(3)}),
		changeOf(roomTypeID, dynastay.MustStay("2026-07-08", "2026-07-13"), availability.Change{ClosedToDeparture: ptr(true)}),
	}})

	failed := blame.As[*availability.UpdateError](t, err)
	assert.Len(t, failed.Dates, 10)
	assert.Equal(t, 15, failed.Of)
	var got []string
	for _, d := range report.Dates {
		got = append(got, d.String()[len(roomTypeID+" 2026-07-"):])
	}
	const notOpen = "night is not open"
	assert.Equal(t, []string{
		"08 departure not_written: date is in the past", "08 not_written: date is in the past",
		"09 departure written", "09 written",
		"10 departure written", "10 written",
		"11 departure written", "11 not_written: " + notOpen,
		"12 departure not_written: Night room_789 2026-07-11: " + notOpen, "12 not_written: " + notOpen,
		"13 not_written: 4 rooms are sold, so a total of 3 requires Overbook to be at least 1",
		"14 not_written: the minimum stay of 3 would be above the maximum stay of 2",
		"15 not_written: unreadable item: AvailableRooms must be a number",
		"16 not_written: unreadable item: TotalRooms must be a number",
		"17 not_written: Night ROOM#room_789/DATE#2026-07-17 (MinStay): unreadable item: must be a number, got text",
	}, got)
	for _, kind := range []error{availability.ErrPast, availability.ErrNotOpen, dynastay.ErrCorrupt} {
		assert.ErrorIs(t, err, kind)
	}
	assert.NotErrorIs(t, err, dynastay.ErrThrottled)
	assert.NotErrorIs(t, err, dynastay.ErrInvalid, "which would mean that nothing was written")
	limits := blame.As[*availability.LimitsError](t, err)
	assert.Equal(t, availability.LimitsError{MinStay: 3, MaxStay: 2}, *limits)
	sold := blame.As[*availability.SoldError](t, err)
	assert.Equal(t, availability.SoldError{Sold: 4, Rooms: 3}, *sold)
	assert.Empty(t, report.Retry(), "nothing would help")
	assert.EqualError(t, err, "availability.Update: 10 of 15 dates failed: room_789 2026-07-08 departure not_written: date is in the past; "+
		"room_789 2026-07-08 not_written: date is in the past; "+
		"room_789 2026-07-11 not_written: night is not open; …")

	assert.Equal(t, yes, stored(t, db, roomTypeID, "2026-07-08")["ClosedToDeparture"], "for departures today, which is not past")
	assert.NotContains(t, stored(t, db, roomTypeID, "2026-07-08"), "MinStay")
	assert.Equal(t, night(roomTypeID, "2026-07-12", dynastay.Item{"PropertyId": dynastay.Text("prop_124")}), stored(t, db, roomTypeID, "2026-07-12"))
	assert.Equal(t, number("5"), stored(t, db, roomTypeID, "2026-07-13")["TotalRooms"])
}

// Only restricts the request to some of its dates, and keeps an entry for departures apart from that for the night.
func TestUpdateOnly(t *testing.T) {
	t.Parallel()
	_, hotel, repo := openHotel(t, 5)
	u := availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
		changeOf(hotel.RoomTypeID, july, availability.Change{Rooms: ptr(4), ClosedToDeparture: ptr(true)}),
	}}
	u.Only = []availability.DateReport{
		{RoomTypeID: hotel.RoomTypeID, Date: date("2026-07-10")},
		{RoomTypeID: hotel.RoomTypeID, Date: date("2026-07-13"), Departure: true},
		{RoomTypeID: hotel.RoomTypeID, Date: date("2026-07-30")},
		{RoomTypeID: "room_other", Date: date("2026-07-11")},
	}
	report, err := repo.Update(t.Context(), u)
	require.NoError(t, err)
	assert.Equal(t, []availability.DateReport{
		{RoomTypeID: hotel.RoomTypeID, Date: date("2026-07-10"), Result: availability.Written},
		{RoomTypeID: hotel.RoomTypeID, Date: date("2026-07-13"), Departure: true, Result: availability.Written},
	}, report.Dates)
	assert.Equal(t, 4, nightOf(t, repo, hotel, "2026-07-10").Total)
	twelfth := nightOf(t, repo, hotel, "2026-07-12")
	assert.Equal(t, 5, twelfth.Total)
	assert.True(t, twelfth.ClosedToDeparture)
}

// A room type whose nights cannot be read is reported, and the others are written.
func TestUpdateOfARoomTypeThatCannotBeRead(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoom(t, db, "room_a")
	putRoom(t, db, "room_b")
	putNights(t, db, night("room_a", "2026-07-10"), night("room_b", "2026-07-10"))
	db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{
		Operation: "Query", Match: func(r dyntest.Request) bool { return strings.Contains(string(r.Body), "ROOM#room_a") },
	})
	c := changeOf("room_a", oneNight("2026-07-10"), availability.Change{MinStay: ptr(2)})
	c.RoomTypeIDs = []string{"room_b", "room_a"}
	report, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{c}})
	require.Error(t, err)
	assert.Equal(t, availability.NotWritten, report.Dates[0].Result)
	assert.Equal(t, availability.Written, report.Dates[1].Result)
	assert.Equal(t, []string{"room_a", "room_b"}, []string{report.Dates[0].RoomTypeID, report.Dates[1].RoomTypeID})
}

// A context that ends leaves the remaining dates unwritten, and they are the ones to retry.
func TestUpdateWithAContextThatEnds(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	ctx, cancel := context.WithCancelCause(t.Context())
	u := availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
		changeOf(hotel.RoomTypeID, dynastay.MustStay("2026-07-01", "2026-08-01"), availability.Change{Rooms: ptr(4)}),
	}}
	u.Progress = func(done, _ int) {
		if done == 5 {
			cancel(errors.New("shutting down"))
		}
	}
	report, err := repo.Update(ctx, u)
	require.ErrorIs(t, err, context.Canceled)
	written := report.Count(availability.Written)
	assert.GreaterOrEqual(t, written, 5)
	assert.Less(t, written, 31)
	assert.Len(t, report.Retry(), 31-written)

	u.Only, u.Progress = report.Retry(), nil
	stop := db.Faults.Record()
	again, err := repo.Update(t.Context(), u)
	require.NoError(t, err)
	assert.Len(t, again.Dates, 31-written)
	assert.LessOrEqual(t, count(stop(), "UpdateItem"), 31-written)
	for day := range dynastay.MustStay("2026-07-01", "2026-08-01").Dates() {
		n := nightOf(t, repo, hotel, day.String())
		assert.Equal(t, []int{4, 4}, []int{n.Total, n.Available}, "%s: the total was lowered once", day)
	}
}

func TestUpdateReportsItsProgress(t *testing.T) {
	t.Parallel()
	_, hotel, repo := openHotel(t, 5)
	var calls, totals []int
	_, err := repo.Update(t.Context(), availability.UpdateRequest{
		PropertyID: hotel.ID,
		Changes: []availability.Change{
			changeOf(hotel.RoomTypeID, july, availability.Change{MinStay: ptr(2), ClosedToDeparture: ptr(true)}),
		},
		Progress: func(done, of int) { calls, totals = append(calls, done), append(totals, of) },
	})
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2, 3, 4, 5, 6, 7, 8}, calls, "seven nights, and the one before for the departures on the first date")
	assert.Equal(t, []int{8, 8, 8, 8, 8, 8, 8, 8}, totals)
}
