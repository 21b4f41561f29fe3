package properties_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/properties"
)

// An operation keeps what it was given: what the caller changes afterwards is neither written nor compared.
func TestOperationsCopyWhatTheyAreGiven(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 1, 0)
	given := func(id string) []properties.RoomType { return []properties.RoomType{king(id, "100")} }
	spoil := func(rooms []properties.RoomType) {
		rooms[0].Name, rooms[0].Beds[0].Count, rooms[0].Amenities[0], rooms[0].Images[0] = "other", 99, "other", "other"
	}
	added := given("added")
	add := s.direct.AddRoomTypesOp(s.id, added...)
	spoil(added)
	require.NoError(t, s.db.Direct.Write(t.Context(), add, dynastay.IdempotencyKey("add")))
	again, err := s.direct.AddRoomTypes(t.Context(), s.id, given("added"), dynastay.IdempotencyKey("add"))
	require.NoError(t, err)
	assert.Equal(t, add.Result(), again)

	created, p := given("created"), grand("p2")
	create := s.direct.CreateOp(p, created)
	spoil(created)
	p.AmenityIDs[0] = "other"
	require.NoError(t, s.db.Direct.Write(t.Context(), create, dynastay.IdempotencyKey("create")))
	anew, err := s.direct.Create(t.Context(), grand("p2"), given("created"), dynastay.IdempotencyKey("create"))
	require.NoError(t, err)
	assert.Equal(t, create.Result().Rooms, anew.Rooms)
	assert.Equal(t, grand("p2").AmenityIDs, anew.AmenityIDs)
}
