package availability_test

import (
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// plain converts an item for comparison: numbers by value, NULL like a missing attribute.
func plain(t *testing.T, item dynastay.Item) map[string]any {
	t.Helper()
	m := raw.Plain(t, item)
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
	return m
}

func TestDocumentNightRoundTrips(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	item := raw.Document(t, "testdata/night.json")
	require.Equal(t, types.AttributeValue(null), item["BlockReason"])
	putNights(t, db, item)

	got, err := repo.Check(t.Context(), "prop_123", "room_789", 18, dynastay.MustStay("2025-01-15", "2025-01-16"))
	require.NoError(t, err)
	assert.True(t, got.OK())
	assert.Equal(t, []availability.Night{{
		RoomTypeID: "room_789", PropertyID: "prop_123", Date: date("2025-01-15"), Available: 18, Total: 20,
		Price: money("280.00 USD"), MinStay: 1, MaxStay: 30,
		UpdatedAt: time.Date(2024, 11, 18, 14, 20, 0, 0, time.UTC),
	}}, got.Nights)

	again, err := availability.NightEntity.Item(&got.Nights[0])
	require.NoError(t, err)
	assert.Equal(t, plain(t, item), plain(t, again))
	assert.NotContains(t, again, "BlockReason")
	assert.NotContains(t, again, "ExpiresAt")

	delete(item, "BlockReason")
	item["ExpiresAt"] = dynastay.Number(1799971200)
	item["BlockReason"] = dynastay.Text("Refurbishment")
	item["PropertyClosed"], item["ClosedToArrival"], item["ClosedToDeparture"] = yes, yes, yes
	whole, err := availability.NightEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	assert.Equal(t, time.Date(2027, 1, 15, 0, 0, 0, 0, time.UTC), whole.ExpiresAt)
	again, err = availability.NightEntity.Item(whole)
	require.NoError(t, err)
	assert.Equal(t, plain(t, item), plain(t, again), "with all attributes")
}

// NULL is how other software may write "none".
func TestNullReadsAsMissing(t *testing.T) {
	t.Parallel()
	item := raw.Document(t, "testdata/night.json")
	for name := range item {
		if name != "PK" && name != "SK" {
			item[name] = null
		}
	}
	bare, err := availability.NightEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	assert.Equal(t, &availability.Night{}, bare)
}

func TestUnreadableNight(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putNights(t, db, night(roomTypeID, "2026-07-10", dynastay.Item{"AvailableRooms": dynastay.Text("five")}))
	stay := dynastay.MustStay("2026-07-10", "2026-07-11")

	_, err := repo.Check(t.Context(), propertyID, roomTypeID, 1, stay)
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.ErrorContains(t, err, "ROOM#room_789/DATE#2026-07-10")
	assert.ErrorContains(t, err, "AvailableRooms")
	_, err = repo.Prices(t.Context(), roomTypeID, stay)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	_, err = repo.Quote(t.Context(), request(stay, room(roomTypeID, 1)))
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
}
