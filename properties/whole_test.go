package properties_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

func TestGetWhole(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	_, err := repo.Create(t.Context(), grand("bare", pending), nil)
	require.NoError(t, err)
	whole, err := repo.GetWhole(t.Context(), "bare")
	require.NoError(t, err)
	assert.Equal(t, "bare", whole.ID)
	assert.Empty(t, whole.Rooms)
	assert.Empty(t, whole.Images)

	create(t, repo, grand("p1"))
	images, err := repo.AddImages(t.Context(), "p1", []properties.Image{picture("z"), picture("y"), picture("x", primary)})
	require.NoError(t, err)
	stop := db.Faults.Record()
	whole, err = repo.GetWhole(t.Context(), "p1")
	require.NoError(t, err)
	assert.Len(t, stop(), 1)
	rooms, err := repo.GetWithRooms(t.Context(), "p1")
	require.NoError(t, err)
	assert.Equal(t, *rooms, whole.WithRooms)
	assert.Len(t, whole.Rooms, 2)
	assert.Equal(t, images, whole.Images)
	assert.Equal(t, []string{"wifi", "pool", "gym"}, whole.AmenityIDs)

	stop = db.Faults.Record()
	_, err = repo.GetWhole(t.Context(), "a#b")
	assertField(t, err, dynastay.ErrInvalid, "PropertyID")
	assert.Empty(t, stop())
	_, err = repo.GetWhole(t.Context(), "none")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.ErrorContains(t, err, "properties.GetWhole: Property none")

	// Its parts alone are not a property.
	remove(t, db, keyOf("p1"))
	_, err = repo.GetWhole(t.Context(), "p1")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}

// Other software may keep further items in the partition of a property, before and after those of the library.
func TestUnknownItemsOfAProperty(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	for _, sk := range []string{"AUDIT#1", "INVOICE#1", "LICENCE#1", "NOTE#1", "TAX#1"} {
		put(t, db, dynastay.Item{"PK": dynastay.Text("PROPERTY#p1"), "SK": dynastay.Text(sk), "Name": dynastay.Number(1)})
	}
	_, err := repo.AddImages(t.Context(), "p1", pictures("a", 2))
	require.NoError(t, err)
	assert.Equal(t, "a01* a12", gallery(t, repo, "p1"))
	whole, err := repo.GetWhole(t.Context(), "p1")
	require.NoError(t, err)
	assert.Len(t, whole.Images, 2)
	assert.Len(t, whole.Rooms, 2)
	require.NoError(t, repo.DeleteRoomType(t.Context(), "p1", whole.Rooms[0].ID))
	checkDerived(t, db, "p1")
}

func TestGetWholeOfTheDocument(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for _, file := range []string{"property.json", "room.json", "image.json"} {
		put(t, db, testdata(t, file))
	}
	whole, err := repo.GetWhole(t.Context(), "prop_123")
	require.NoError(t, err)
	assert.Equal(t, "Grand Luxury Hotel", whole.Name)
	require.Len(t, whole.Rooms, 1)
	assert.Equal(t, "room_789", whole.Rooms[0].ID)
	require.Len(t, whole.Images, 1)
	assert.Equal(t, "img_001", whole.Images[0].ID)

	for sk, field := range map[string]string{"ROOM#room_789": "TotalRooms", "IMAGE#img_001": "DisplayOrder", "METADATA": "StarRating"} {
		item := partition(t, db, "PROPERTY#prop_123")[sk]
		set(t, db, dynastay.Key{PK: "PROPERTY#prop_123", SK: sk}, "SET "+field+" = :bad", dynastay.Item{":bad": dynastay.Text("many")})
		_, err = repo.GetWhole(t.Context(), "prop_123")
		assertField(t, err, dynastay.ErrCorrupt, field)
		put(t, db, item)
	}
}
