package availability_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
)

func TestCalendar(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	left := func(n int) dynastay.Item { return dynastay.Item{"AvailableRooms": dynastay.Number(n)} }
	inIndex := func(roomTypeID, day string, more ...dynastay.Item) dynastay.Item {
		return night(roomTypeID, day, append([]dynastay.Item{{
			"GSI1PK": dynastay.Text("PROPERTY#" + propertyID), "GSI1SK": dynastay.Text("DATE#" + day + "#ROOM#" + roomTypeID),
		}}, more...)...)
	}
	putNights(t, db,
		inIndex("room_a", "2026-06-29", dynastay.Item{"ClosedToDeparture": yes}),
		inIndex("room_b", "2026-06-30", dynastay.Item{"ClosedToDeparture": yes}),
		inIndex("room_a", "2026-06-30", dynastay.Item{"ClosedToDeparture": yes}),
		inIndex("room_b", "2026-07-01", left(2), dynastay.Item{"ClosedToDeparture": yes}),
		inIndex("room_a", "2026-07-01", left(-1), dynastay.Item{"MinStay": dynastay.Number(2), "MaxStay": dynastay.Number(9), "ClosedToArrival": yes}),
		inIndex("room_a", "2026-07-03", left(4), dynastay.Item{"IsBlocked": yes, "BlockReason": dynastay.Text("painting")}),
		inIndex("room_b", "2026-07-03", left(3), dynastay.Item{keys.AttrPropertyClosed: yes, "ClosedToDeparture": yes}),
		inIndex("room_c", "2026-07-04"),
		inIndex("room_d", "2026-07-02", dynastay.Item{"GSI1PK": dynastay.Text("PROPERTY#prop_124")}),
	)
	got, err := repo.Calendar(t.Context(), propertyID, dynastay.MustStay("2026-07-01", "2026-07-04"))
	require.NoError(t, err)

	assert.Equal(t, []string{"room_a", "room_b"}, got.RoomTypeIDs)
	require.Len(t, got.Days, 3)
	first, empty, third := got.Days[0], got.Days[1], got.Days[2]
	assert.Equal(t, dates("2026-07-01", "2026-07-02", "2026-07-03"), []dynastay.Date{first.Date, empty.Date, third.Date})
	assert.Equal(t, &availability.Night{
		RoomTypeID: "room_a", PropertyID: propertyID, Date: date("2026-07-01"), Available: -1, Total: 5, Price: money("280.00 USD"),
		MinStay: 2, MaxStay: 9, ClosedToArrival: true,
	}, first.Night("room_a"))
	assert.Equal(t, []string{"room_a", "room_b"}, first.ClosedToDeparture, "stored with the night before the range")
	assert.Equal(t, []string{"room_b"}, empty.ClosedToDeparture)
	assert.Empty(t, third.ClosedToDeparture)
	assert.Empty(t, empty.Nights)
	assert.Nil(t, empty.Night("room_a"), "a night without an item is not on sale")
	assert.Equal(t, []string{"room_a", "room_b"}, []string{third.Nights[0].RoomTypeID, third.Nights[1].RoomTypeID})

	assert.Equal(t, availability.Totals{Rooms: 10, Sold: 9, Left: 2, Overbooked: 1}, first.Totals())
	assert.Equal(t, availability.Totals{}, empty.Totals())
	assert.Equal(t, availability.Totals{Rooms: 10, Sold: 3, Closed: 7}, third.Totals())
	assert.Equal(t, availability.Totals{Rooms: 20, Sold: 12, Left: 2, Closed: 7, Overbooked: 1}, got.Totals())
	assert.InDelta(t, 0.6, got.Totals().Occupancy(), 1e-9)
	assert.Zero(t, empty.Totals().Occupancy())
	foreign := availability.Day{Nights: []availability.Night{{Available: 3, Total: 2}}}
	assert.Equal(t, availability.Totals{Rooms: 2, Left: 3}, foreign.Totals(), "no negative sales")
	assert.InDelta(t, 1.5, availability.Totals{Rooms: 2, Sold: 3}.Occupancy(), 1e-9)
}

// A calendar of one date, of the first and of the last month.
func TestCalendarAtTheEdges(t *testing.T) {
	t.Parallel()
	_, hotel, repo := openHotel(t, 5)
	day, err := repo.Calendar(t.Context(), hotel.ID, oneNight("2026-07-31"))
	require.NoError(t, err)
	require.Len(t, day.Days, 1)
	assert.Len(t, day.Days[0].Nights, 1)
	for _, month := range []string{"0001-01-01", "9999-11-30"} {
		got, err := repo.Calendar(t.Context(), hotel.ID, dynastay.MonthOf(date(month)))
		require.NoError(t, err)
		assert.Empty(t, got.RoomTypeIDs)
	}
	_, err = repo.Calendar(t.Context(), hotel.ID, dynastay.Stay{CheckIn: stay.CheckIn, CheckOut: stay.CheckIn.AddDays(733)})
	blame.Invalid(t, err, "Dates", "733 dates")
	_, err = repo.Calendar(t.Context(), hotel.ID, dynastay.Stay{CheckIn: stay.CheckIn, CheckOut: stay.CheckIn})
	blame.Invalid(t, err, "Dates.CheckOut", "no date")
	_, err = repo.Calendar(t.Context(), "", july)
	blame.Invalid(t, err, "PropertyID", "no property")
}

// A night that cannot be read does not hide the others.
func TestCalendarWithAnUnreadableNight(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	change(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + hotel.RoomTypeID, SK: "DATE#2026-07-02"},
		"MinStay = :v", dynastay.Item{":v": dynastay.Text("two")})
	got, err := repo.Calendar(t.Context(), hotel.ID, dynastay.MustStay("2026-07-01", "2026-07-04"))
	blame.As[*dynastay.UnreadableError](t, err)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.EqualError(t, err, "Night ROOM#"+hotel.RoomTypeID+"/DATE#2026-07-02 (MinStay): unreadable item: must be a number, got text")
	assert.Equal(t, []int{1, 0, 1}, []int{len(got.Days[0].Nights), len(got.Days[1].Nights), len(got.Days[2].Nights)})
}

// An expired night may stay in the table for days; it is not returned, and neither is one of other software that has no
// time to expire.
func TestExpiredNightsAreNotReturned(t *testing.T) {
	t.Parallel()
	expires := date("2026-07-10").Time().AddDate(2, 0, 0)
	for _, test := range []struct {
		name  string
		now   time.Time
		more  dynastay.Item
		found int
	}{
		{"not yet", expires.Add(-time.Second), nil, 1},
		{"expired", expires, nil, 0},
		{"not yet, without a time", expires.Add(-time.Second), dynastay.Item{keys.AttrExpiresAt: nil}, 1},
		{"expired, without a time", expires, dynastay.Item{keys.AttrExpiresAt: nil}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, inventoryTables, dyntest.With(dynastay.Options{Clock: func() time.Time { return test.now }}))
			repo := availability.New(db.DB)
			putNights(t, db, night(roomTypeID, "2026-07-10", dynastay.Item{
				keys.AttrExpiresAt: dynastay.Number(int(expires.Unix())),
				"GSI1PK":           dynastay.Text("PROPERTY#" + propertyID), "GSI1SK": dynastay.Text("DATE#2026-07-10#ROOM#" + roomTypeID),
			}, test.more))
			checked, err := repo.Check(t.Context(), propertyID, roomTypeID, 1, oneNight("2026-07-10"))
			require.NoError(t, err)
			assert.Len(t, checked.Nights, test.found)
			prices, err := repo.Prices(t.Context(), roomTypeID, oneNight("2026-07-10"))
			require.NoError(t, err)
			assert.Len(t, prices.Nights, test.found)
			calendar, err := repo.Calendar(t.Context(), propertyID, oneNight("2026-07-10"))
			require.NoError(t, err)
			assert.Len(t, calendar.Days[0].Nights, test.found)
			for _, days := range []int{1, 3} { // by BatchGetItem, and by a Query
				all, err := repo.CheckAll(t.Context(), []availability.CheckRequest{{PropertyID: propertyID, RoomTypeID: roomTypeID, Rooms: 1}},
					dynastay.Stay{CheckIn: date("2026-07-10"), CheckOut: date("2026-07-10").AddDays(days)})
				require.NoError(t, err)
				assert.Len(t, all[0].Nights, test.found)
			}
		})
	}
}

// Time to live decides only while it is set: other software may keep its nights for another time.
func TestExpiryOfOtherSoftware(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, inventoryTables, dyntest.With(dynastay.Options{Clock: func() time.Time { return time.Date(2026, 7, 20, 0, 0, 0, 0, time.UTC) }}))
	at := int(time.Date(2026, 7, 20, 0, 0, 0, 0, time.UTC).Unix())
	putNights(t, db,
		night(roomTypeID, "2026-07-10", dynastay.Item{keys.AttrExpiresAt: dynastay.Number(at)}),
		night(roomTypeID, "2026-07-11", dynastay.Item{keys.AttrExpiresAt: dynastay.Number(at + 1)}),
	)
	prices, err := availability.New(db.DB).Prices(t.Context(), roomTypeID, stay)
	require.NoError(t, err)
	require.Len(t, prices.Nights, 1)
	assert.Equal(t, date("2026-07-11"), prices.Nights[0].Date)
}

func indexed(date, room string) dynastay.Item {
	return dynastay.Item{
		"GSI1PK": dynastay.Text("PROPERTY#" + propertyID), "GSI1SK": dynastay.Text("DATE#" + date + "#ROOM#" + room),
	}
}

// A night whose index key, written by other software, is of another date than its own, is reported and not shown where
// it does not belong.
func TestCalendarOfAStaleIndexKey(t *testing.T) {
	t.Parallel()
	for _, own := range []string{"2026-06-15", "2026-08-15", "2026-07-11"} {
		db, repo := open(t)
		putNights(t, db, night(roomTypeID, own, indexed("2026-07-10", roomTypeID), dynastay.Item{"ClosedToDeparture": yes}))
		c, err := repo.Calendar(t.Context(), propertyID, july)
		assert.ErrorIs(t, err, dynastay.ErrCorrupt)
		assert.EqualError(t, err, "Night ROOM#room_789/DATE#"+own+" (GSI1SK): unreadable item: must agree with the key")
		assert.Empty(t, c.RoomTypeIDs)
	}
}

// Other software may store a time to live of 0 for "never". DynamoDB ignores times that are more than five years ago.
func TestNightThatNeverExpires(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putNights(t, db, night(roomTypeID, "2026-07-10", dynastay.Item{"ExpiresAt": dynastay.Number(0)}))
	got, err := repo.Check(t.Context(), propertyID, roomTypeID, 1, oneNight("2026-07-10"))
	require.NoError(t, err)
	assert.True(t, got.OK(), "%v", got.Refused)
}
