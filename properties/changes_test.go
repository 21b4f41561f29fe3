package properties_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/streamtest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// streamed returns a database whose tables have streams. Its clock stands still until advanced.
func streamed(t *testing.T) (*dyntest.DB, *properties.Repository) {
	t.Helper()
	tables := streamtest.Tables(keys.PropertiesTable, keys.AvailabilityTable, keys.MetadataTable,
		&dynastay.Schema{Name: keys.BookingsTable.Name, Key: keys.BookingsTable.Key})
	db := dyntest.New(t, append(tables, dyntest.At(fixture.Now))...)
	return db, properties.New(db.DB, nil)
}

// Every change of a property, its room types and its images is decoded as it is read afterwards.
func TestChanges(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, repo := streamed(t)
	var states []*properties.Property
	was := func(err error) { // a write of the property, alone or with something that belongs to it
		t.Helper()
		require.NoError(t, err)
		p, err := repo.Get(ctx, "p", dynastay.Consistent)
		require.NoError(t, err)
		states = append(states, p)
		db.Clock.Advance(time.Minute)
	}
	image := func(id string) *properties.Image {
		t.Helper()
		i, err := repo.GetImage(ctx, "p", id, dynastay.Consistent)
		require.NoError(t, err)
		return i
	}

	made := create(t, repo, grand("p", pending))
	was(nil)
	_, err := repo.Update(ctx, "p", edit(func(p *properties.Property) { p.Slug, p.Address.City, p.Stars = "grand", "Boston", 4 }))
	was(err)
	_, err = repo.Approve(ctx, "p")
	was(err)
	added, err := repo.AddRoomTypes(ctx, "p", []properties.RoomType{king("room_c", "90.00")})
	was(err)
	cheaper, err := repo.UpdateRoomType(ctx, "p", "room_c", func(r *properties.RoomType) error {
		r.BasePrice, r.Beds = dynastay.MustMoney("80.00", "USD"), nil
		return nil
	})
	was(err)
	_, err = repo.SetAmenities(ctx, "p", []string{"spa", "wifi"})
	was(err)
	_, err = repo.Rate(ctx, "p", 0, 87)
	was(err)
	images, err := repo.AddImages(ctx, "p", []properties.Image{picture("a"), picture("b")})
	was(err)
	_, err = repo.SetPrimaryImage(ctx, "p", "b")
	was(err)
	formerly, primary := image("a"), image("b")
	_, err = repo.UpdateImage(ctx, "p", "a", func(i *properties.Image) error { i.AltText = "Pool"; return nil })
	require.NoError(t, err)
	pool := image("a")
	require.NoError(t, repo.DeleteImage(ctx, "p", "a"))
	was(nil)
	require.NoError(t, repo.DeleteRoomType(ctx, "p", "room_c"))
	was(nil)
	flexible, err := repo.CreateRatePlan(ctx, ratePlan("flex", func(p *availability.RatePlan) { p.PropertyID = "p" }))
	was(err)
	renamed, err := repo.UpdateRatePlan(ctx, "p", "flex", func(p *availability.RatePlan) error { p.Name = "Flexible"; return nil })
	was(err)
	taxed, err := repo.UpdateCharges(ctx, "p", add(salesTax("vat")))
	was(err)
	more, err := repo.UpdateCharges(ctx, "p", add(salesTax("city")))
	was(err)
	deleting := *states[len(states)-1]
	deleting.Status = properties.Deleting
	require.NoError(t, repo.Delete(ctx, "p"))

	changes := repo.Changes()
	assert.Equal(t, map[string][]*properties.Property{
		"PROPERTY#p/METADATA": append(states, &deleting, nil),
	}, streamtest.Histories(t, db, keys.PropertiesTable, changes.Properties))
	assert.Equal(t, map[string][]*properties.RoomType{
		"PROPERTY#p/ROOM#room_a_of_p": {&made.Rooms[0], nil},
		"PROPERTY#p/ROOM#room_b_of_p": {&made.Rooms[1], nil},
		"PROPERTY#p/ROOM#room_c":      {&added[0], cheaper, nil},
	}, streamtest.Histories(t, db, keys.PropertiesTable, changes.Rooms))
	assert.Equal(t, map[string][]*properties.Image{
		"PROPERTY#p/IMAGE#a": {&images[0], formerly, pool, nil},
		"PROPERTY#p/IMAGE#b": {&images[1], primary, nil},
	}, streamtest.Histories(t, db, keys.PropertiesTable, changes.Images))
	assert.Equal(t, map[string][]*availability.RatePlan{"RATES#p/PLAN#flex": {flexible, renamed, nil}},
		streamtest.Histories(t, db, keys.PropertiesTable, changes.RatePlans))
	assert.Equal(t, map[string][]*charges.List{"RATES#p/CHARGES": {taxed, more, nil}},
		streamtest.Histories(t, db, keys.PropertiesTable, changes.Charges))
}

// The hotel-booking document's items are decoded unchanged, and so is what the repository makes of them.
func TestChangesOfTheDocument(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, repo := streamed(t)
	for _, name := range []string{"property.json", "room.json", "image.json"} {
		put(t, db, raw.Document(t, "testdata/"+name))
	}
	before, err := repo.GetWhole(ctx, "prop_123", dynastay.Consistent)
	require.NoError(t, err)
	err = repo.Adopt(ctx, "prop_123")
	require.NoError(t, err)
	after, err := repo.GetWhole(ctx, "prop_123", dynastay.Consistent)
	require.NoError(t, err)

	changes := repo.Changes()
	assert.Equal(t, map[string][]*properties.Property{
		"PROPERTY#prop_123/METADATA": {&before.Property, &before.Property, &after.Property}, // the second one is marked
	}, streamtest.Histories(t, db, keys.PropertiesTable, changes.Properties))
	assert.Equal(t, map[string][]*properties.RoomType{
		"PROPERTY#prop_123/ROOM#room_789": {&before.Rooms[0]},
	}, streamtest.Histories(t, db, keys.PropertiesTable, changes.Rooms))
	assert.Equal(t, map[string][]*properties.Image{
		"PROPERTY#prop_123/IMAGE#img_001": {&before.Images[0]},
	}, streamtest.Histories(t, db, keys.PropertiesTable, changes.Images))
}
