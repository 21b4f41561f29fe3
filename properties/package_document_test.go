package properties_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/properties"
)

// assertSameBut compares two items attribute by attribute, numbers by value, NULL like a missing attribute. departures
// are the attributes that must differ, with their new values; nil means any value.
func assertSameBut(t *testing.T, want, got dynastay.Item, departures map[string]any) {
	t.Helper()
	plain := func(item dynastay.Item) map[string]any {
		m := map[string]any{}
		require.NoError(t, attributevalue.UnmarshalMap(item, &m))
		for name, v := range m {
			if v == nil {
				delete(m, name)
			}
		}
		return m
	}
	before, after := plain(want), plain(got)
	for name, now := range departures {
		if now != nil {
			assert.Equal(t, now, after[name], name)
		}
		assert.NotEqual(t, before[name], after[name], "%s is listed as a departure but does not differ", name)
		delete(before, name)
		delete(after, name)
	}
	assert.Equal(t, before, after)
}

func TestDocumentPropertyRoundTrips(t *testing.T) {
	t.Parallel()
	item := raw.Document(t, "testdata/property.json")
	p, err := properties.PropertyEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	again, err := properties.PropertyEntity.Item(p)
	require.NoError(t, err)
	assertSameBut(t, item, again, map[string]any{
		// The example's coordinates do not match its geohash.
		"Geohash": "dr5ru7vty", "GeohashPrecision6": "dr5ru7", "GeohashPrecision5": "dr5ru", "GSI2PK": "GEO#dr5ru7",
		// Numbers in keys have a fixed width, and the keys end with the id.
		"GSI1SK": "RATING#09.2#PROPERTY#prop_123",
		"GSI2SK": "PRICE#000000000150.000#PROPERTY#prop_123",
		"GSI4SK": "RATING#09.2#PROPERTY#prop_123",
		"GSI5SK": "SCORE#0000000095#PROPERTY#prop_123",
		// The indexes that the example item leaves out, and those that the library adds.
		"GSI6PK": "SLUG#grand-luxury-hotel-new-york", "GSI6SK": "PROPERTY",
		"GSI7PK": "CITY#New York#USA#CURRENCY#USD", "GSI7SK": "PRICE#000000000150.000#PROPERTY#prop_123",
		"GSI8PK": "CITY#New York#USA#STAR#5", "GSI8SK": "RATING#09.2#PROPERTY#prop_123",
		"GSI10PK": "GEOCELL#dr5", "GSI10SK": "dr5ru7vty#PROPERTY#prop_123",
		"Card": nil,
	})
}

func TestDocumentRoomTypeRoundTrips(t *testing.T) {
	t.Parallel()
	item := raw.Document(t, "testdata/room.json")
	r, err := properties.RoomEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	again, err := properties.RoomEntity.Item(r)
	require.NoError(t, err)
	assertSameBut(t, item, again, nil)
}

// NULL is how other software may write "none"; it reads as the zero value and is written as absent.
func TestNullReadsAsMissing(t *testing.T) {
	t.Parallel()
	bare := func(keep ...string) dynastay.Item {
		item := raw.Document(t, "testdata/property.json")
		whole := raw.Document(t, "testdata/property.json")
		for name := range item {
			item[name] = &types.AttributeValueMemberNULL{Value: true}
		}
		for _, name := range keep {
			item[name] = whole[name]
		}
		return item
	}
	null, err := properties.PropertyEntity.Value(dynastay.RowOf(bare("PK", "SK")))
	require.NoError(t, err)
	missing, err := properties.PropertyEntity.Value(dynastay.RowOf(dynastay.Item{}))
	require.NoError(t, err)
	assert.Equal(t, missing, null)
	assert.Equal(t, &properties.Property{}, null)
}

// The document's items, unchanged, as other software writes them: without a card, guards or amenity items.
func TestDocumentItemsAreRead(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for _, name := range []string{"property.json", "room.json", "image.json"} {
		put(t, db, raw.Document(t, "testdata/"+name))
	}

	p, err := repo.Get(t.Context(), "prop_123")
	require.NoError(t, err)
	assert.Equal(t, "Grand Luxury Hotel", p.Name)
	assert.Equal(t, dynastay.Rating(92), p.Rating)
	assert.Equal(t, properties.PriceRange{Min: dynastay.MustMoney("150", "USD"), Max: dynastay.MustMoney("500", "USD")}, p.Prices)
	assert.Equal(t, 40.7589, p.Address.Latitude)
	assert.Equal(t, []string{"wifi", "pool", "gym", "parking", "spa"}, p.AmenityIDs)
	assert.Zero(t, p.Version)

	whole, err := repo.GetWithRooms(t.Context(), "prop_123")
	require.NoError(t, err)
	assert.Equal(t, *p, whole.Property)
	require.Len(t, whole.Rooms, 1, "the image is not a room type")
	room := whole.Rooms[0]
	assert.Equal(t, "room_789", room.ID)
	assert.Equal(t, dynastay.MustMoney("250", "USD"), room.BasePrice)
	assert.Equal(t, []properties.Bed{{Type: "king", Count: 1}}, room.Beds)

	page, err := repo.ByCity(properties.CityQuery{City: "New York", Country: "USA", MinRating: 90}).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	assert.Equal(t, whole.Card(), page.Items[0])
	_, err = page.Items[0].QuoteRequest(dynastay.MustStay("2025-01-15", "2025-01-18"), availability.Guests{Adults: 2},
		properties.Choice{RoomTypeID: "room_789", Quantity: 1})
	assert.NoError(t, err)

	// The row's sort key has one digit before the decimal point, so it sorts above every other rating.
	page, err = repo.ByCity(properties.CityQuery{City: "New York", Country: "USA", MinRating: 93}).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Empty(t, page.Items)

	_, err = repo.BySlug(t.Context(), "grand-luxury-hotel-new-york")
	assert.ErrorIs(t, err, dynastay.ErrNotFound, "the example item has no row in the index by slug")
	set(t, db, keyOf("prop_123"), "SET GSI6PK = :pk, GSI6SK = :sk", dynastay.Item{
		":pk": dynastay.Text("SLUG#grand-luxury-hotel-new-york"), ":sk": dynastay.Text("PROPERTY"),
	})
	bySlug, err := repo.BySlug(t.Context(), "grand-luxury-hotel-new-york")
	require.NoError(t, err)
	assert.Equal(t, whole, bySlug)
}

// Other software writes index keys for a property in any status.
func TestRowWithoutCardIsNotShownUnlessApproved(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	item := raw.Document(t, "testdata/property.json")
	item["Status"] = dynastay.Text("pending")
	put(t, db, item)
	page, err := repo.ByCity(properties.CityQuery{City: "New York", Country: "USA"}).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Empty(t, page.Items)
}

// The first update adopts a property of other software, whose price range stays as it is.
func TestUpdateAdoptsPropertyWithoutCard(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	item := raw.Document(t, "testdata/property.json")
	put(t, db, item)
	put(t, db, raw.Document(t, "testdata/room.json"))

	got, err := repo.Update(t.Context(), "prop_123", edit(func(p *properties.Property) { p.Name = "Small Luxury Hotel" }))
	require.NoError(t, err)
	assert.Equal(t, 1, got.Version)
	now := stored(t, db, "prop_123")
	assert.Equal(t, dynastay.Text("Small Luxury Hotel"), now["Name"])
	for name, value := range item {
		if name != "Name" && name != "UpdatedAt" && !indexKey.MatchString(name) && !strings.HasPrefix(name, "Geohash") {
			assert.Equal(t, value, now[name], name)
		}
	}
	checkKeys(t, db, "prop_123")
}

// A stored policy that is not valid is read unchanged. It is refused when the property is updated or quoted.
func TestStoredInvalidPolicy(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	roomTypeID := create(t, repo, grand("p1")).Rooms[0].ID
	misspelled := dynastay.Text("free_cancelation_48h")
	set(t, db, keyOf("p1"), "SET CancellationPolicy = :p, Card.CancellationPolicy = :p", dynastay.Item{":p": misspelled})
	set(t, db, dynastay.Key{PK: "PROPERTY#p1", SK: "ROOM#" + roomTypeID}, "SET CancellationPolicy = :p, MaxAdults = :a",
		dynastay.Item{":p": misspelled, ":a": dynastay.Number(4)})

	got, err := repo.GetWithRooms(t.Context(), "p1")
	require.NoError(t, err)
	assert.Equal(t, availability.CancellationPolicy("free_cancelation_48h"), got.CancellationPolicy)
	assert.Equal(t, availability.CancellationPolicy("free_cancelation_48h"), got.Rooms[0].CancellationPolicy)

	_, err = repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Name = "Another" }))
	blame.Of(t, err, dynastay.ErrInvalid, "CancellationPolicy")
	_, err = repo.Update(t.Context(), "p1", edit(func(p *properties.Property) {
		p.CancellationPolicy = availability.CustomPolicy("48h")
	}))
	require.NoError(t, err)

	for _, check := range got.Card().CheckRequests(2) {
		assert.Equal(t, availability.CheckRequest{
			PropertyID: got.ID, RoomTypeID: check.RoomTypeID, Rooms: 2, RoomTypes: len(got.Rooms),
		}, check)
	}
	assert.Len(t, got.Card().CheckRequests(2), len(got.Rooms))
	ask, err := got.Card().QuoteRequest(dynastay.MustStay("2026-07-10", "2026-07-13"), availability.Guests{Adults: 2},
		properties.Choice{RoomTypeID: roomTypeID, Quantity: 1})
	require.NoError(t, err)
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	blame.Of(t, ask.Validate(now), dynastay.ErrInvalid, "Rooms[0].CancellationPolicy")
	ask.Rooms[0].CancellationPolicy = ""
	require.Greater(t, ask.Rooms[0].MaxAdults, ask.Rooms[0].MaxOccupancy)
	assert.NoError(t, ask.Validate(now), "the occupancy limits the guests")
}

func TestUnreadableItemNamesTheField(t *testing.T) {
	t.Parallel()
	bad := &types.AttributeValueMemberBOOL{Value: true}
	for field, spoil := range map[string]func(dynastay.Item){
		"StarRating":       func(item dynastay.Item) { item["StarRating"] = bad },
		"Address":          func(item dynastay.Item) { item["Address"] = bad },
		"Address.Latitude": func(item dynastay.Item) { item["Address"].(*types.AttributeValueMemberM).Value["Latitude"] = bad },
		"AmenityList[1]":   func(item dynastay.Item) { item["AmenityList"].(*types.AttributeValueMemberL).Value[1] = bad },
	} {
		item := raw.Document(t, "testdata/property.json")
		spoil(item)
		_, err := properties.PropertyEntity.Value(dynastay.RowOf(item))
		blame.Of(t, err, dynastay.ErrCorrupt, field)
		assert.ErrorContains(t, err, "Property prop_123")
	}
}
