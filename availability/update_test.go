package availability_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

func ptr[T any](v T) *T { return &v }

// july is a week of July, from Wednesday to Tuesday.
var july = dynastay.MustStay("2026-07-08", "2026-07-15")

// changeOf returns a change of one room type.
func changeOf(roomTypeID string, dates dynastay.Stay, c availability.Change) availability.Change {
	c.RoomTypeIDs, c.Dates = []string{roomTypeID}, dates
	return c
}

// update updates the fixture's room type and requires every date to succeed.
func update(t *testing.T, repo *availability.Repository, h fixture.Hotel, dates dynastay.Stay, c availability.Change) availability.Report {
	t.Helper()
	report, err := repo.Update(t.Context(), availability.UpdateRequest{
		PropertyID: h.ID, Changes: []availability.Change{changeOf(h.RoomTypeID, dates, c)},
	})
	require.NoError(t, err)
	return report
}

// nightOf reads a night of the fixture's room type.
func nightOf(t *testing.T, repo *availability.Repository, h fixture.Hotel, day string) availability.Night {
	t.Helper()
	checked, err := repo.Check(t.Context(), h.ID, h.RoomTypeID, 1, oneNight(day), dynastay.Consistent)
	require.NoError(t, err)
	require.Len(t, checked.Nights, 1)
	return checked.Nights[0]
}

func oneNight(day string) dynastay.Stay {
	return dynastay.Stay{CheckIn: date(day), CheckOut: date(day).AddDays(1)}
}

func TestUpdateSetsEveryValue(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, inventoryTables, dyntest.At(fixture.Now))
	hotel, repo := fixture.New(t, db.DB, 5), availability.New(db.DB)
	before := nightOf(t, repo, hotel, "2026-07-10")
	db.Clock.Advance(time.Hour)

	report := update(t, repo, hotel, oneNight("2026-07-10"), availability.Change{
		Price: money("310.50 USD"), Rooms: ptr(4), MinStay: ptr(2), MaxStay: ptr(9),
		ClosedToArrival: ptr(true), ClosedToDeparture: ptr(true), StopSell: ptr(true), StopSellReason: "painting",
	})

	assert.Equal(t, []availability.DateReport{
		{RoomTypeID: hotel.RoomTypeID, Date: date("2026-07-10"), Departure: true, Result: availability.Written},
		{RoomTypeID: hotel.RoomTypeID, Date: date("2026-07-10"), Result: availability.Written},
	}, report.Dates)
	want := before
	want.Price, want.Total, want.Available, want.MinStay, want.MaxStay = money("310.50 USD"), 4, 4, 2, 9
	want.ClosedToArrival, want.StopSell, want.StopSellReason = true, true, "painting"
	want.UpdatedAt = db.Now()
	assert.Equal(t, want, nightOf(t, repo, hotel, "2026-07-10"))
	assert.True(t, nightOf(t, repo, hotel, "2026-07-09").ClosedToDeparture, "departures are stored with the night before")
	assert.Equal(t, before.Price, nightOf(t, repo, hotel, "2026-07-11").Price)

	update(t, repo, hotel, oneNight("2026-07-10"), availability.Change{
		MinStay: ptr(0), MaxStay: ptr(0), ClosedToArrival: ptr(false), ClosedToDeparture: ptr(false), StopSell: ptr(false),
	})
	stored := stored(t, db, hotel.RoomTypeID, "2026-07-10")
	for _, name := range []string{"MinStay", "MaxStay", "ClosedToArrival", "ClosedToDeparture", "BlockReason"} {
		assert.NotContains(t, stored, name)
	}
	assert.Equal(t, no, stored["IsBlocked"])
	assert.NotContains(t, stored, keys.AttrPropertyClosed)
}

func TestUpdateOnSomeDaysOfTheWeek(t *testing.T) {
	t.Parallel()
	_, hotel, repo := openHotel(t, 5)
	request := availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
		changeOf(hotel.RoomTypeID, july, availability.Change{Price: money("200.00 USD")}),
		changeOf(hotel.RoomTypeID, july, availability.Change{
			Weekdays: availability.On(time.Friday, time.Saturday), Price: money("240.00 USD"), MinStay: ptr(2),
		}),
		changeOf(hotel.RoomTypeID, july, availability.Change{Weekdays: availability.On(time.Saturday), MinStay: ptr(0)}),
		changeOf(hotel.RoomTypeID, july, availability.Change{Weekdays: availability.On(time.Sunday), ClosedToDeparture: ptr(true)}),
	}}
	report, err := repo.Update(t.Context(), request)
	require.NoError(t, err)
	assert.Len(t, report.Dates, 8, "seven nights, and the departures of one Sunday")
	checked, err := repo.Check(t.Context(), hotel.ID, hotel.RoomTypeID, 1, july)
	require.NoError(t, err)
	type values struct {
		price   string
		minStay int
		closed  bool
	}
	got := map[string]values{}
	for _, n := range checked.Nights {
		got[n.Date.Weekday().String()] = values{n.Price.Amount(), n.MinStay, n.ClosedToDeparture}
	}
	assert.Equal(t, map[string]values{
		"Wednesday": {"200.00", 0, false}, "Thursday": {"200.00", 0, false}, "Friday": {"240.00", 2, false},
		"Saturday": {"240.00", 0, true}, "Sunday": {"200.00", 0, false}, "Monday": {"200.00", 0, false}, "Tuesday": {"200.00", 0, false},
	}, got)
}

// The requests and units of an update: one read of the property's items, one Query, and one UpdateItem for each night
// that changes. A repetition writes nothing.
func TestUpdateCost(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	request := availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
		changeOf(hotel.RoomTypeID, july, availability.Change{Price: money("200.00 USD"), Rooms: ptr(4)}),
	}}
	report := availability.Report{}
	dyntest.Budget(t, db, dyntest.Cost{Requests: 2 + 7, ReadUnits: 3, WriteUnits: 14}, func() {
		var err error
		report, err = repo.Update(t.Context(), request)
		require.NoError(t, err)
	})
	assert.Equal(t, 7, report.Count(availability.Written))
	dyntest.Budget(t, db, dyntest.Cost{Requests: 2, ReadUnits: 3}, func() {
		var err error
		report, err = repo.Update(t.Context(), request)
		require.NoError(t, err)
	})
	assert.Equal(t, 7, report.Count(availability.Unchanged))
	// What no calendar shows costs nothing in the index.
	dyntest.Budget(t, db, dyntest.Cost{Requests: 3, ReadUnits: 3, WriteUnits: 2}, func() {
		update(t, repo, hotel, oneNight("2026-07-10"), availability.Change{StopSell: ptr(true), StopSellReason: "painting"})
	})
	dyntest.Budget(t, db, dyntest.Cost{Requests: 3, ReadUnits: 3, WriteUnits: 1}, func() {
		update(t, repo, hotel, oneNight("2026-07-10"), availability.Change{StopSell: ptr(true), StopSellReason: "plumbing"})
	})
}
