package properties_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
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
	blame.Of(t, err, dynastay.ErrInvalid, "PropertyID")
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
		put(t, db, raw.Document(t, "testdata/"+file))
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
		blame.Of(t, err, dynastay.ErrCorrupt, field)
		put(t, db, item)
	}
}

func TestGetAll(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	one, err := repo.Create(ctx, grand("p1"), []properties.RoomType{king("r1", "100.00")})
	require.NoError(t, err)
	two, err := repo.Create(ctx, grand("p2", pending), nil)
	require.NoError(t, err)

	got, err := repo.GetAll(ctx, []string{"p2", "missing", "p1", "p2"})
	require.NoError(t, err)
	assert.Equal(t, []*properties.Property{&two.Property, nil, &one.Property, &two.Property}, got)
	assert.Equal(t, 1, db.Faults.Count("BatchGetItem"))

	var many []string
	for i := range 201 {
		many = append(many, fmt.Sprint("p", i))
	}
	got, err = repo.GetAll(ctx, many)
	require.NoError(t, err)
	assert.Len(t, got, 201)
	assert.Equal(t, &one.Property, got[1])
	assert.Equal(t, 4, db.Faults.Count("BatchGetItem"), "1 request for every 100")

	// If a property cannot be decoded, the others are still returned.
	set(t, db, keyOf("p2"), "SET StarRating = :s", dynastay.Item{":s": dynastay.Text("five")})
	got, err = repo.GetAll(ctx, []string{"p2", "p1"}, dynastay.Consistent)
	assert.Equal(t, []*properties.Property{nil, &one.Property}, got)
	assert.ErrorContains(t, err, "Property p2 (StarRating): unreadable item")
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	unreadable := blame.As[*dynastay.UnreadableError](t, err)
	assert.Len(t, unreadable.Items, 1)

	_, err = repo.GetAll(ctx, []string{"p1", "a#b"})
	blame.Invalid(t, err, "PropertyIDs[1]")
	assert.Equal(t, 5, db.Faults.Count("BatchGetItem"))
}

func TestGetNotFound(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	_, err := repo.Get(t.Context(), "p1")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = repo.GetWithRooms(t.Context(), "p1")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = repo.BySlug(t.Context(), "none")
	blame.Of(t, err, dynastay.ErrNotFound, "Slug")

	// Room types without their property are not found.
	create(t, repo, grand("p1"))
	remove(t, db, keyOf("p1"))
	_, err = repo.GetWithRooms(t.Context(), "p1")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}

// An index that lags behind still has a property's old slug. Here the lag is simulated by changing the index key.
func TestBySlugWhileTheIndexLags(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1", func(p *properties.Property) { p.Slug = "old" }))
	create(t, repo, grand("p2"))
	lag := func(id, slug string) {
		set(t, db, keyOf(id), "SET GSI6PK = :pk", dynastay.Item{":pk": dynastay.Text("SLUG#" + slug)})
	}
	find := func(slug string) string {
		got, err := repo.BySlug(t.Context(), slug)
		if err != nil {
			assert.ErrorIs(t, err, dynastay.ErrNotFound)
			return ""
		}
		assert.Len(t, got.Rooms, 2)
		return got.ID
	}
	_, err := repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Slug = "new" }))
	require.NoError(t, err)
	lag("p1", "old")
	assert.Equal(t, "p1", find("new"))
	assert.Empty(t, find("old"))

	_, err = repo.Update(t.Context(), "p2", edit(func(p *properties.Property) { p.Slug = "old" }))
	require.NoError(t, err)
	assert.Equal(t, "p2", find("old"), "the index has both")
	lag("p2", grand("p2").Slug)
	assert.Equal(t, "p2", find("old"), "the index has the old owner")
}
