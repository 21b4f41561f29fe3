package availability_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// A night whose index keys are those of another property is found and mended, and so is one that has none. The rooms left and the
// prices stay as they are, also those that are sold at the same moment. Other items are nothing to compare.
func TestVerifyNightRow(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := openHotel(t, 5)
	rows := func() []dynastay.Item { return raw.All(t, db, keys.AvailabilityTable) }
	verify := func() (all []entity.DifferentError) {
		for _, item := range rows() {
			if _, err := repo.VerifyRow(ctx, dynastay.RowOf(item)); err != nil {
				all = append(all, *blame.As[*entity.DifferentError](t, err))
			}
		}
		return all
	}
	raw.Put(t, db, keys.AvailabilityTable, dynastay.Item{"PK": dynastay.Text("UNITS#x"), "SK": dynastay.Text("MONTH#2026-07#UNIT#301")})
	stop := db.Faults.Record()
	assert.Empty(t, verify())
	assert.Zero(t, count(stop(), "GetItem"))
	first, second := keyOfNight(hotel.RoomTypeID, "2026-07-01"), keyOfNight(hotel.RoomTypeID, "2026-07-02")
	raw.Set(t, db, keys.AvailabilityTable, first, dynastay.Text("PROPERTY#other"), "GSI1PK")
	raw.Update(t, db, keys.AvailabilityTable, second, "REMOVE GSI1PK, GSI1SK", nil)
	found := verify()
	assert.Len(t, found, 2)
	assert.Contains(t, found, entity.DifferentError{Entity: "Night", ID: first.String(), Attributes: []string{"GSI1PK"}})
	assert.Contains(t, found, entity.DifferentError{Entity: "Night", ID: second.String(), Attributes: []string{"GSI1PK", "GSI1SK"}})

	sale := db.Faults.Inject(dyntest.Before(func(context.Context) {
		raw.Update(t, db, keys.AvailabilityTable, first, "SET AvailableRooms = AvailableRooms - :one", dynastay.Item{":one": dynastay.Number(1)})
	}), dyntest.When{Operation: "UpdateItem", Nth: 1})
	mended := 0
	for _, item := range rows() {
		wrote, err := repo.MendRow(ctx, dynastay.RowOf(item))
		require.NoError(t, err)
		if wrote {
			mended++
		}
	}
	assert.Equal(t, []int{2, 1}, []int{mended, sale.Hits()})
	assert.Empty(t, verify())
	calendar, err := repo.Calendar(ctx, hotel.ID, dynastay.MustStay("2026-07-01", "2026-07-03"))
	require.NoError(t, err)
	assert.Equal(t, []int{4, 5}, []int{calendar.Days[0].Nights[0].Available, calendar.Days[1].Nights[0].Available})
}

// A night of other software is adopted once.
func TestAdoptNightRow(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putNights(t, db, night("a", "2026-07-01"))
	for _, want := range []bool{true, false} {
		adopted, err := repo.AdoptRow(t.Context(), dynastay.RowOf(stored(t, db, "a", "2026-07-01")))
		require.NoError(t, err)
		assert.Equal(t, want, adopted)
	}
	adopted, err := repo.AdoptRow(t.Context(), dynastay.RowOf(dynastay.Item{"PK": dynastay.Text("UNITS#x"), "SK": dynastay.Text("MONTH#2026-07#UNIT#301")}))
	require.NoError(t, err)
	assert.False(t, adopted)
	got := stored(t, db, "a", "2026-07-01")
	assert.Equal(t, []any{dynastay.Text("PROPERTY#" + propertyID), dynastay.Number(5)}, []any{got["GSI1PK"], got["AvailableRooms"]})
}

// listed is what a night has to be in the index.
func listed(propertyID, date string) dynastay.Item {
	return dynastay.Item{"GSI1PK": dynastay.Text("PROPERTY#" + propertyID), "GSI1SK": dynastay.Text("DATE#" + date + "#ROOM#a")}
}

func keyOfNight(roomTypeID, date string) dynastay.Key {
	return dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "DATE#" + date}
}
