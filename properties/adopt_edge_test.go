package properties_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/wire"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// A property without a card is adopted even if it has a write id, and so is one whose write id is not binary.
func TestAdoptWithoutCardOrWriteID(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(dynastay.Item){
		"no card": func(item dynastay.Item) { item["WriteId"] = &types.AttributeValueMemberB{Value: []byte("12345678")} },
		"card of NULL": func(item dynastay.Item) {
			item["Card"], item["WriteId"] = &types.AttributeValueMemberNULL{Value: true}, &types.AttributeValueMemberB{Value: []byte("12345678")}
		},
		"odd write id": func(item dynastay.Item) {
			item["Card"], item["WriteId"] = &types.AttributeValueMemberM{Value: dynastay.Item{}}, dynastay.Text("x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
			repo := properties.New(db.DB, nil)
			putForeign(t, db, "123", edit)
			before := allItems(t, db)
			_, err := repo.Update(t.Context(), "prop_123", describe)
			require.NoError(t, err)
			want := documentAdopted()
			maps.Copy(want, firstWrites[0].more)
			assert.Equal(t, want, changes(before, allItems(t, db)))
		})
	}
}

// A property without room types and amenities has neither guards nor items, and takes 1 request less.
func TestAdoptWithoutParts(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	item, _, _ := foreignItems(t, "123")
	delete(item, "AmenityList")
	delete(item, "PriceRange")
	item["Status"] = dynastay.Text("pending")
	put(t, db, item)
	stop := db.Faults.Record()
	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	assert.Equal(t, []string{"Query", "TransactWriteItems", "Query", "TransactWriteItems"}, wire.Operations(stop()))
	all := allItems(t, db)
	assert.Len(t, all, 2)
	assert.Equal(t, "prop_123", all[adoptedSlug]["PropertyId"])
	assert.NotContains(t, all[adoptedProperty], "PriceRange")
	assert.NotContains(t, all[adoptedProperty], "GSI1PK", "it is not approved")
	assert.Contains(t, all[adoptedProperty], "GSI11PK")
	_, err := repo.Approve(t.Context(), "prop_123")
	blame.Of(t, err, dynastay.ErrInvalid, "Status")
}

// A missing price range is computed from the room types. Only the range that other software wrote is kept.
func TestAdoptComputesAMissingPriceRange(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	putForeign(t, db, "123", func(item dynastay.Item) { delete(item, "PriceRange") })
	before := allItems(t, db)
	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	got := changes(before, allItems(t, db))
	assert.Equal(t, priceRange(250), got[adoptedProperty+" PriceRange"])
	assert.Equal(t, "PRICE#000000000250.000#PROPERTY#prop_123", got[adoptedProperty+" GSI2SK"])
	assertCards(t, repo, "prop_123")
}

// manyParts stores a property of other software with room types and amenities.
func manyParts(t *testing.T, rooms, amenities int) (*dyntest.DB, *properties.Repository) {
	t.Helper()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	var ids []types.AttributeValue
	for i := range amenities {
		ids = append(ids, dynastay.Text(fmt.Sprintf("a%02d", i)))
	}
	putForeign(t, db, "123", func(item dynastay.Item) { item["AmenityList"] = &types.AttributeValueMemberL{Value: ids} })
	for i := range rooms - 1 { // the document's is the first
		_, room, _ := foreignItems(t, "123")
		id := fmt.Sprintf("r%02d", i)
		room["SK"], room["RoomTypeId"], room["Name"] = dynastay.Text("ROOM#"+id), dynastay.Text(id), dynastay.Text(id)
		put(t, db, room)
	}
	return db, properties.New(db.DB, nil)
}

// A property has at most 90 parts. A larger one is not written at all.
func TestAdoptManyParts(t *testing.T) {
	t.Parallel()
	db, repo := manyParts(t, 40, 50)
	put(t, db, dynastay.Item{"PK": dynastay.Text("PROPERTY#prop_123"), "SK": dynastay.Text("ZEXTRA"), "Name": dynastay.Text("x")})
	before := allItems(t, db)
	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	assert.Len(t, allItems(t, db), len(before)+1+40+50)
	assertCards(t, repo, "prop_123")

	db, repo = manyParts(t, 40, 51)
	before = allItems(t, db)
	_, err := repo.Suspend(t.Context(), "prop_123")
	blame.Of(t, err, dynastay.ErrCorrupt, "AmenityList")
	assert.ErrorContains(t, err, "prop_123")
	assert.ErrorContains(t, err, "at most 90 amenities and room types, got 91")
	assert.Equal(t, before, allItems(t, db))
}

// Values of other software from which the property cannot be adopted are not the caller's input. Nothing is written.
func TestAdoptCorruptValues(t *testing.T) {
	t.Parallel()
	for field, edit := range map[string]func(property, room dynastay.Item){
		"AmenityID": func(property, _ dynastay.Item) {
			property["AmenityList"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{dynastay.Text("a#b")}}
		},
		"OwnerID": func(property, _ dynastay.Item) { delete(property, "OwnerId") },
		"BasePrice.Currency": func(property, room dynastay.Item) {
			delete(property, "PriceRange")
			room["Currency"] = dynastay.Text("EUR")
		},
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
			repo := properties.New(db.DB, nil)
			property, room, _ := foreignItems(t, "123")
			edit(property, room)
			for _, item := range []dynastay.Item{property, room, secondRoom(t)} {
				put(t, db, item)
			}
			before := allItems(t, db)
			_, err := repo.Update(t.Context(), "prop_123", describe)
			blame.Of(t, err, dynastay.ErrCorrupt, field)
			assert.NotErrorIs(t, err, dynastay.ErrInvalid)
			assert.ErrorContains(t, err, "prop_123")
			assert.Equal(t, before, allItems(t, db))
		})
	}
}

// Other software may have given the room types of a property several currencies. Each keeps its own, also when others
// come and go.
func TestAdoptSeveralCurrencies(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	property, room, _ := foreignItems(t, "123")
	room["Currency"] = dynastay.Text("EUR")
	for _, item := range []dynastay.Item{property, room, secondRoom(t)} {
		put(t, db, item)
	}
	_, err := repo.Update(t.Context(), "prop_123", describe)
	require.NoError(t, err)
	prices := func() map[string]string {
		got, err := repo.ByOwner(dynastay.RowOf(property).Text("OwnerId")).Page(t.Context(), dynastay.Paging{})
		require.NoError(t, err)
		require.Len(t, got.Items, 1)
		all := map[string]string{}
		for _, room := range got.Items[0].Card.Rooms {
			all[room.ID] = room.BasePrice.String()
		}
		return all
	}
	assert.Equal(t, map[string]string{"room_789": "250.00 EUR", "room_790": "250.00 USD"}, prices())
	require.NoError(t, repo.DeleteRoomType(t.Context(), "prop_123", "room_789"))
	assert.Equal(t, map[string]string{"room_790": "250.00 USD"}, prices())
}

// A property that other software suspended is taken off sale by Suspend.
func TestSuspendAForeignSuspendedProperty(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	putForeign(t, db, "123", func(item dynastay.Item) { item["Status"] = dynastay.Text("suspended") })
	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	assertKeys(t, db, "prop_123")
	assert.NotContains(t, allItems(t, db)[adoptedGuard], "Closed")
	_, err := repo.Suspend(t.Context(), "prop_123")
	require.NoError(t, err)
	assert.Contains(t, allItems(t, db)[adoptedGuard]["Closed"], keys.ClosedByStatus)
}

// An amenity that appears twice in the list of other software has one item.
func TestAdoptRepeatedAmenities(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	list := &types.AttributeValueMemberL{Value: []types.AttributeValue{dynastay.Text("wifi"), dynastay.Text("pool"), dynastay.Text("wifi")}}
	putForeign(t, db, "123", func(item dynastay.Item) { item["AmenityList"] = list })
	_, err := repo.Update(t.Context(), "prop_123", describe)
	require.NoError(t, err)
	all := allItems(t, db)
	assert.Equal(t, []any{"wifi", "pool", "wifi"}, all[adoptedProperty]["AmenityList"])
	for _, id := range []string{"wifi", "pool"} {
		assert.Contains(t, all["PROPERTY#prop_123/AMENITY#"+id], "GSI9PK")
	}
	_, err = repo.Suspend(t.Context(), "prop_123")
	require.NoError(t, err)
	_, err = repo.RemoveAmenities(t.Context(), "prop_123", []string{"wifi"})
	require.NoError(t, err)
	assert.NotContains(t, allItems(t, db), "PROPERTY#prop_123/AMENITY#wifi")
	setDirectly(t, db, keyOf("prop_123"), "AmenityList", []string{"bar", "bar"})
	require.NoError(t, repo.Delete(t.Context(), "prop_123"))
	assert.Len(t, allItems(t, db), 1)
}
