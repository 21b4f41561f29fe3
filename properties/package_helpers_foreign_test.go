package properties_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

var breaks = flag.Int("breaks", 3, "how many of the requests of a suspension or a deletion to break off; -1 for all")

// openForeign returns a database with a fixed clock and the items of the hotel-booking document.
func openForeign(t *testing.T) (*dyntest.DB, *properties.Repository) {
	t.Helper()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	putForeign(t, db, "123")
	return db, properties.New(db.DB, nil)
}

// foreignItems returns the property, the room type and the image of the hotel-booking document with other ids:
// prop_{n}, room_{n}, and the slug slug-{n}. The document's own are those of "123".
func foreignItems(t testing.TB, n string) (property, room, image dynastay.Item) {
	t.Helper()
	read := func(name string) dynastay.Item {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		if n != "123" {
			text = []byte(strings.NewReplacer("prop_123", "prop_"+n, "room_789", "room_"+n, "grand-luxury-hotel-new-york", "slug-"+n).
				Replace(string(text)))
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var plain map[string]any
		require.NoError(t, decoder.Decode(&plain))
		item, err := attributevalue.MarshalMap(plain)
		require.NoError(t, err)
		return item
	}
	return read("property.json"), read("room.json"), read("image.json")
}

func putForeign(t testing.TB, db *dyntest.DB, n string, edits ...func(property dynastay.Item)) {
	t.Helper()
	property, room, image := foreignItems(t, n)
	for _, edit := range edits {
		edit(property)
	}
	for _, item := range []dynastay.Item{property, room, image} {
		put(t, db, item)
	}
}

// setDirectly changes an item as other software would that follows the protocol: it removes the write id.
func setDirectly(t raw.T, db *dyntest.DB, key dynastay.Key, name string, v any) {
	value, err := attributevalue.Marshal(v)
	require.NoError(t, err)
	raw.Update(t, db, keys.PropertiesTable, key, "SET #"+name+" = :v REMOVE WriteId", dynastay.Item{":v": value})
}

// allItems reads the whole table: the attributes of each item, by its key.
func allItems(t raw.T, db *dyntest.DB) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	for _, m := range raw.Plains(t, raw.All(t, db, keys.PropertiesTable)) {
		all[fmt.Sprintf("%s/%s", m["PK"], m["SK"])] = m
	}
	return all
}

// changes returns every attribute that differs between two states of the table, by "key attribute", with its new value:
// nil if it is gone. A write id is shown as "new".
func changes(before, after map[string]map[string]any) map[string]any {
	found := map[string]any{}
	keysOf := maps.Clone(before)
	maps.Copy(keysOf, after)
	for key := range keysOf {
		names := maps.Clone(before[key])
		if names == nil {
			names = map[string]any{}
		}
		maps.Copy(names, after[key])
		for name := range names {
			old, was := before[key][name]
			now, is := after[key][name]
			switch {
			case was == is && assert.ObjectsAreEqual(old, now):
			case name == "WriteId" && is:
				found[key+" "+name] = "new"
			default:
				found[key+" "+name] = now
			}
		}
	}
	return found
}

const (
	adoptedProperty = "PROPERTY#prop_123/METADATA"
	adoptedRoom     = "PROPERTY#prop_123/ROOM#room_789"
	adoptedImage    = "PROPERTY#prop_123/IMAGE#img_001"
	adoptedGuard    = "ROOM#room_789/GUARD"
	adoptedSlug     = "SLUG#grand-luxury-hotel-new-york/GUARD"
)

// documentCard is the card of the document's property with its room type.
func documentCard() map[string]any {
	return map[string]any{
		"Name": "Grand Luxury Hotel", "Slug": "grand-luxury-hotel-new-york", "PropertyType": "hotel", "StarRating": 5.0,
		"Latitude": 40.7589, "Longitude": -73.9851, "PrimaryImageUrl": "https://cdn.example.com/prop_123/main.jpg",
		"AverageRating": 9.2, "ReviewCount": 1547.0, "AmenityList": []any{"wifi", "pool", "gym", "parking", "spa"},
		"PriceRange":    map[string]any{"Min": 150.0, "Max": 500.0, "Currency": "USD"},
		"FeaturedScore": 95.0, "CheckInTime": "15:00",
		"Rooms": map[string]any{"room_789": map[string]any{
			"N": "Deluxe King Suite", "A": 2.0, "C": 1.0, "O": 2.0, "P": 250.0,
		}},
		"Currency": "USD",
	}
}

// documentAdopted is what the adoption of the document's items changes.
func documentAdopted() map[string]any {
	want := map[string]any{}
	item := func(key string, attributes map[string]any) {
		for name, v := range attributes {
			want[key+" "+name] = v
		}
		pk, sk, _ := strings.Cut(key, "/")
		want[key+" PK"], want[key+" SK"] = pk, sk
	}
	for _, guard := range []string{adoptedSlug, adoptedGuard} {
		item(guard, map[string]any{"EntityType": "Guard", "PropertyId": "prop_123"})
	}
	for _, id := range []string{"wifi", "pool", "gym", "parking", "spa"} {
		item("PROPERTY#prop_123/AMENITY#"+id, map[string]any{
			"EntityType": "PropertyAmenity", "PropertyId": "prop_123", "AmenityId": id,
			"GSI9PK": "CITY#New York#USA#AMENITY#" + id, "GSI9SK": "PROPERTY#prop_123",
		})
	}
	for name, v := range map[string]any{
		// The example's coordinates do not match its geohash.
		"Geohash": "dr5ru7vty", "GeohashPrecision6": "dr5ru7", "GeohashPrecision5": "dr5ru", "GSI2PK": "GEO#dr5ru7",
		// Numbers in keys have a fixed width, and the keys end with the id.
		"GSI1SK": "RATING#09.2#PROPERTY#prop_123",
		"GSI2SK": "PRICE#000000000150.000#PROPERTY#prop_123",
		"GSI4SK": "RATING#09.2#PROPERTY#prop_123",
		"GSI5SK": "SCORE#0000000095#PROPERTY#prop_123",
		// The indexes that the example leaves out.
		"GSI6PK": "SLUG#grand-luxury-hotel-new-york", "GSI6SK": "PROPERTY",
		"GSI7PK": "CITY#New York#USA#CURRENCY#USD", "GSI7SK": "PRICE#000000000150.000#PROPERTY#prop_123",
		"GSI8PK": "CITY#New York#USA#STAR#5", "GSI8SK": "RATING#09.2#PROPERTY#prop_123",
		"GSI10PK": "GEOCELL#dr5", "GSI10SK": "dr5ru7vty#PROPERTY#prop_123",
		"Card": documentCard(), "WriteId": "new",
	} {
		want[adoptedProperty+" "+name] = v
	}
	return want
}

// breakOff calls broken for requests of a call, and for both faults that can happen to them: all of the requests, or at
// most most if that is positive.
func breakOff(t *testing.T, requests, most int, broken func(nth int, fault dyntest.Fault, name string)) {
	t.Helper()
	require.Positive(t, requests)
	step := 1
	if most > 0 {
		step = max(1, requests/most)
	}
	for nth := 1; nth <= requests; nth += step {
		broken(nth, dyntest.LoseRequest(), "request")
		broken(nth, dyntest.LoseAnswer(), "response")
	}
}

// once returns a repository that sends each request only once.
func once(db *dyntest.DB) *properties.Repository {
	return properties.New(db.Open(&dynastay.Options{Retry: dynastay.Retry{Attempts: 1}}), nil)
}
