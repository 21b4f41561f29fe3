package availability_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

func TestCloseSalesWithOneForeignGuard(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	raw.Put(t, db, keys.PropertiesTable, dynastay.Item{
		"PK": dynastay.Text("PROPERTY#" + hotel.ID), "SK": dynastay.Text("ROOM#deluxe"),
		"Currency": dynastay.Text("USD"), "TotalRooms": dynastay.Number(5),
	})
	putGuard(t, db, "deluxe", "prop_other", nil)
	_, err := repo.CloseSales(t.Context(), hotel.ID)
	assertKind(t, err, dynastay.ErrAlreadyExists, "RoomTypeID")
	checked, err := repo.Check(t.Context(), hotel.ID, hotel.RoomTypeID, 1, oneNight("2026-07-10"), dynastay.Consistent)
	require.NoError(t, err)
	assert.False(t, checked.OK(), "the hotel's own room type is closed")
}

func TestForeignGuards(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]dynastay.Item{
		"NULLs": {"PropertyId": null, "Closed": null}, "Closed false": {"Closed": no}, "Closed text": {"Closed": dynastay.Text("yes")},
	} {
		for _, first := range []string{"close", "reopen"} {
			t.Run(name+" "+first, func(t *testing.T) {
				t.Parallel()
				db, repo := open(t)
				putRoom(t, db, roomTypeID)
				putGuard(t, db, roomTypeID, propertyID, more)
				putNights(t, db, night(roomTypeID, "2026-07-10", dynastay.Item{keys.AttrPropertyClosed: null}))
				if first == "close" {
					_, err := repo.CloseSales(t.Context(), propertyID)
					require.NoError(t, err)
				}
				_, err := repo.ReopenSales(t.Context(), propertyID)
				assert.NoError(t, err)
				_, err = repo.CloseSales(t.Context(), propertyID)
				assert.NoError(t, err)
				got, err := repo.Check(t.Context(), propertyID, roomTypeID, 1, oneNight("2026-07-10"), dynastay.Consistent)
				require.NoError(t, err)
				assert.False(t, got.OK())
			})
		}
	}
}

func TestReopenANightWithAnOddMark(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoomType(t, db, roomTypeID)
	putNights(t, db, night(roomTypeID, "2026-07-10", dynastay.Item{keys.AttrPropertyClosed: dynastay.Text("yes")}))
	_, err := repo.ReopenSales(t.Context(), propertyID)
	require.NoError(t, err)
	checked, err := repo.Check(t.Context(), propertyID, roomTypeID, 1, oneNight("2026-07-10"), dynastay.Consistent)
	require.NoError(t, err)
	assert.True(t, checked.OK())
}
