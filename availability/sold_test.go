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
)

var here = availability.House{ID: propertyID}

// soldRooms is the attributes of a night with 5 rooms of which some are sold.
func soldRooms(n int) dynastay.Item { return dynastay.Item{"AvailableRooms": dynastay.Number(5 - n)} }

func TestSoldAhead(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, inventoryTables, dyntest.With(dynastay.Options{Clock: func() time.Time { return time.Date(2026, 7, 10, 3, 0, 0, 0, time.UTC) }}))
	repo := availability.New(db.DB)
	away := availability.House{ID: propertyID, TimeZone: "America/New_York"} // where it is still the 9th
	past := dynastay.Item{"ExpiresAt": dynastay.Number(int(time.Date(2026, 7, 10, 2, 0, 0, 0, time.UTC).Unix()))}
	putNights(t, db,
		night("a", "2026-07-08", soldRooms(1)), // yesterday
		night("a", "2026-07-11", soldRooms(5)),
		night("a", "2026-07-12", soldRooms(0)),
		night("a", "2026-07-13", soldRooms(1), dynastay.Item{"PropertyId": dynastay.Text("prop_124"), "AvailableRooms": dynastay.Text("five")}),
		night("b", "2026-07-09", soldRooms(1)),
		night("b", "2026-07-10", soldRooms(1), past),
		night("b", "2026-07-14", soldRooms(7)),  // overbooked
		night("b", "2026-07-15", soldRooms(-1)), // other software returned too many
	)
	stop := db.Faults.Record()
	err := repo.SoldAhead(t.Context(), away, []string{"b", "c", "a"})
	assert.Len(t, stop(), 3)
	sold := blame.As[*availability.SoldAheadError](t, err)
	assert.Equal(t, []availability.SoldNight{
		{RoomTypeID: "b", Date: date("2026-07-09"), Rooms: 1}, {RoomTypeID: "b", Date: date("2026-07-14"), Rooms: 7},
		{RoomTypeID: "a", Date: date("2026-07-11"), Rooms: 5},
	}, sold.Nights)
	assert.EqualError(t, err, "rooms are sold on 3 upcoming nights: b 2026-07-09: 1 room; b 2026-07-14: 7 rooms; a 2026-07-11: 5 rooms")

	require.ErrorAs(t, repo.SoldAhead(t.Context(), here, []string{"b"}), &sold)
	assert.Len(t, sold.Nights, 1, "where it is the 10th")
	assert.NoError(t, repo.SoldAhead(t.Context(), away, []string{"c"}))
	assert.NoError(t, repo.SoldAhead(t.Context(), away, nil))

	putNights(t, db, night("c", "2026-07-20", dynastay.Item{"AvailableRooms": dynastay.Text("five")}))
	assert.ErrorIs(t, repo.SoldAhead(t.Context(), away, []string{"b", "c"}), dynastay.ErrCorrupt)
}

func TestSoldAheadErrorIsShort(t *testing.T) {
	t.Parallel()
	err := &availability.SoldAheadError{}
	for n := range 4 {
		err.Nights = append(err.Nights, availability.SoldNight{RoomTypeID: "john@example.com", Date: date("2026-07-10").AddDays(n), Rooms: n + 1})
	}
	assert.EqualError(t, err, "rooms are sold on 4 upcoming nights: *** 2026-07-10: 1 room; *** 2026-07-11: 2 rooms; *** 2026-07-12: 3 rooms; …")
	err.Nights = err.Nights[:1]
	assert.EqualError(t, err, "rooms are sold on 1 upcoming night: *** 2026-07-10: 1 room")
}
