package properties_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// On a suspended property, a new room type is off sale until the property is approved again.
func TestRoomTypeOfASuspendedProperty(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo, nights := properties.New(db.DB, nil), availability.New(db.DB)
	create(t, repo, grand("p1"))
	_, err := repo.Suspend(t.Context(), "p1")
	require.NoError(t, err)
	_, err = repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("r1", "10"), king("r2", "10")})
	require.NoError(t, err)
	checkDerived(t, db, "p1")
	open := availability.OpenRequest{
		PropertyID: "p1", RoomTypeID: "r1", Nights: dynastay.MustStay("2026-07-01", "2026-07-03"), Rooms: 1, Price: dynastay.MustMoney("10", "USD"),
	}
	_, err = nights.Open(t.Context(), open)
	assert.ErrorIs(t, err, availability.ErrClosed)
	ids := map[string]bool{}
	for _, id := range []string{"r1", "r2"} {
		closed := dynastay.RowOf(partition(t, db, "ROOM#"+id)["GUARD"]).Text(keys.AttrClosed)
		assert.True(t, strings.HasPrefix(closed, keys.ClosedByStatus), closed)
		ids[closed] = true
	}
	assert.Len(t, ids, 2)
	_, err = repo.Approve(t.Context(), "p1")
	require.NoError(t, err)
	checkDerived(t, db, "p1")
	_, err = nights.Open(t.Context(), open)
	require.NoError(t, err)
}

// A property that is being deleted refuses all changes of its room types.
func TestRoomTypesOfADeletedProperty(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	room := create(t, repo, grand("p1", pending)).Rooms[0].ID
	set(t, db, keyOf("p1"), "SET #status = :s REMOVE GSI11PK, GSI11SK", dynastay.Item{":s": dynastay.Text("deleting")})
	sent := writes(db)
	assertNotAllowed(t, second(repo.AddRoomTypes(t.Context(), "p1", slights("r", 1))), properties.Deleting)
	assertNotAllowed(t, second(repo.UpdateRoomType(t.Context(), "p1", room, func(*properties.RoomType) error { return nil })), properties.Deleting)
	assertNotAllowed(t, repo.DeleteRoomType(t.Context(), "p1", room), properties.Deleting)
	assert.Equal(t, sent, writes(db))
}
