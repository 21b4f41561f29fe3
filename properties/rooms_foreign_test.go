package properties_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/properties"
)

// A room type that other software added to an adopted property is not on the card until it is updated. Its id is used
// although it has no guard.
func TestRoomTypeOfOtherSoftware(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	item := raw.Document(t, "testdata/room.json") // 250 USD
	item["PK"], item["PropertyId"] = dynastay.Text("PROPERTY#p1"), dynastay.Text("p1")
	put(t, db, item)
	before := everything(t, db, "PROPERTY#p1", "ROOM#room_789")
	err := second(repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("room_789", "1")}))
	blame.Of(t, err, dynastay.ErrAlreadyExists, "RoomTypeID")
	assert.Equal(t, before, everything(t, db, "PROPERTY#p1", "ROOM#room_789"))

	_, err = repo.UpdateRoomType(t.Context(), "p1", "room_789", func(*properties.RoomType) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, before, everything(t, db, "PROPERTY#p1", "ROOM#room_789"), "nothing changed")
	got, err := repo.UpdateRoomType(t.Context(), "p1", "room_789", func(r *properties.RoomType) error {
		r.BasePrice = dynastay.MustMoney("999", "USD")
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, 1, got.Version)
	checkKeys(t, db, "p1")
	checkPrices(t, "p1", partition(t, db, "PROPERTY#p1"))
}
