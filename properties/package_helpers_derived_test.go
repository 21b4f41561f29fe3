package properties_test

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// plain is a stored item, or a part of one, as decoded from JSON.
type plain = map[string]any

// onCard makes the form that a room type's policy has on the card.
var onCard = strings.NewReplacer("free_cancellation_", "F", "partial_", "P", "non_refundable", "N", "custom_", "C")

func plainOf(t raw.T, item dynastay.Item) plain {
	m := plain{}
	require.NoError(t, attributevalue.UnmarshalMap(item, &m))
	return m
}

// geohash is a separate implementation, by bisection, so that the tests do not compare the library with itself.
func geohash(latitude, longitude float64, length int) string {
	at, low, high := [2]float64{longitude, latitude}, [2]float64{-180, -90}, [2]float64{180, 90}
	var text []byte
	for bit := 0; len(text) < length; {
		character := 0
		for range 5 {
			axis := bit % 2
			middle := (low[axis] + high[axis]) / 2
			character *= 2
			if at[axis] >= middle {
				character++
				low[axis] = middle
			} else {
				high[axis] = middle
			}
			bit++
		}
		text = append(text, "0123456789bcdefghjkmnpqrstuvwxyz"[character])
	}
	return string(text)
}

var indexKey = regexp.MustCompile(`^GSI\d+[PS]K$`)

// keyText returns text as it is stored in a key.
func keyText(v any) string {
	return strings.NewReplacer("%", "%25", "#", "%23").Replace(strings.TrimSpace(v.(string)))
}

// checkDerived compares everything that is derived from the items of a property with what is stored.
func checkDerived(t raw.T, db *dyntest.DB, id string, slugs ...string) {
	t.Helper()
	checkKeys(t, db, id, slugs...)
	items := partition(t, db, "PROPERTY#"+id)
	checkPrices(t, id, items)
	checkImages(t, id, items)
	checkGuards(t, db, id, items)
}

// checkPrices compares the price range with the room types.
func checkPrices(t raw.T, id string, items map[string]dynastay.Item) {
	t.Helper()
	want := plain{}
	for sk, item := range items {
		if !strings.HasPrefix(sk, "ROOM#") {
			continue
		}
		room := plainOf(t, item)
		price := room["BasePricePerNight"].(float64)
		low, some := want["Min"].(float64)
		if !some || price < low {
			want["Min"] = price
		}
		if high, _ := want["Max"].(float64); !some || price > high {
			want["Max"] = price
		}
		want["Currency"] = room["Currency"]
	}
	assert.Equal(t, want, rangeOf(plainOf(t, items["METADATA"])), "price range of %s", id)
}

// rangeOf returns the price range of a property or a card. Without room types, the map is empty or missing.
func rangeOf(p plain) plain {
	prices, _ := p["PriceRange"].(plain)
	if prices == nil {
		prices = plain{}
	}
	return prices
}

// checkImages compares the number of images and the URL of the primary image with the images. The URL of a property
// without images is its owner's.
func checkImages(t raw.T, id string, items map[string]dynastay.Item) {
	t.Helper()
	count, primary := 0.0, []any{}
	for sk, item := range items {
		if strings.HasPrefix(sk, "IMAGE#") {
			count++
			if image := plainOf(t, item); image["IsPrimary"] == true {
				primary = append(primary, image["Url"])
			}
		}
	}
	p := plainOf(t, items["METADATA"])
	assert.Equal(t, count, p["ImageCount"], "number of images of %s", id)
	if count > 0 {
		assert.Equal(t, []any{p["PrimaryImageUrl"]}, primary, "primary image of %s", id)
	}
}

// checkGuards checks that the guard of every room type names the property, and is closed by its status only while the
// status says so.
func checkGuards(t raw.T, db *dyntest.DB, id string, items map[string]dynastay.Item) {
	t.Helper()
	status := dynastay.RowOf(items["METADATA"]).Text("Status")
	for sk := range items {
		if !strings.HasPrefix(sk, "ROOM#") {
			continue
		}
		guard := partition(t, db, sk)["GUARD"]
		require.NotNil(t, guard, "guard of %s", sk)
		row := dynastay.RowOf(guard)
		assert.Equal(t, "Guard", row.Text("EntityType"), sk)
		assert.Equal(t, id, row.Text("PropertyId"), sk)
		closed := row.Text("Closed")
		if status == "suspended" || status == "deleting" {
			assert.NotEmpty(t, closed, "guard of %s of a %s property", sk, status)
		} else {
			assert.NotContains(t, closed, "STATUS#", "guard of %s of a %s property", sk, status)
		}
	}
}

// checkKeys compares everything that is derived from a property's own attributes with the key forms of the
// hotel-booking document.
func checkKeys(t raw.T, db *dyntest.DB, id string, slugs ...string) {
	t.Helper()
	items := partition(t, db, "PROPERTY#"+id)
	p := plainOf(t, items["METADATA"])
	address, prices := p["Address"].(plain), rangeOf(p)
	amenities := p["AmenityList"].([]any)
	city := "CITY#" + keyText(address["City"]) + "#" + keyText(address["Country"])
	rating := fmt.Sprintf("RATING#%04.1f#PROPERTY#%s", p["AverageRating"], id)
	price := fmt.Sprintf("PRICE#%016.3f#PROPERTY#%s", prices["Min"], id)
	hash := geohash(address["Latitude"].(float64), address["Longitude"].(float64), 9)

	want := plain{
		"GSI3PK": "OWNER#" + p["OwnerId"].(string), "GSI3SK": "PROPERTY#" + id,
		"GSI6PK": "SLUG#" + keyText(p["Slug"]), "GSI6SK": "PROPERTY",
		"Geohash": hash, "GeohashPrecision6": hash[:6], "GeohashPrecision5": hash[:5],
	}
	approved := p["Status"] == "approved"
	if p["Status"] == "pending" {
		seconds := p["CreatedAt"].(string)[:len("2006-01-02T15:04:05")]
		want["GSI11PK"], want["GSI11SK"] = "STATUS#pending", "CREATED#"+seconds+"Z#PROPERTY#"+id
	}
	if approved {
		want["GSI1PK"], want["GSI1SK"] = city, rating
		want["GSI2PK"], want["GSI2SK"] = "GEO#"+hash[:6], price
		want["GSI4PK"], want["GSI4SK"] = "TYPE#"+p["PropertyType"].(string), rating
		want["GSI7PK"], want["GSI7SK"] = city+"#CURRENCY#"+prices["Currency"].(string), price
		want["GSI10PK"], want["GSI10SK"] = "GEOCELL#"+hash[:3], hash+"#PROPERTY#"+id
		if address["Latitude"].(float64) > 80 {
			want["GSI10PK"] = "GEOCELL#NORTH"
		}
		if p["IsFeatured"] == true {
			score, _ := p["FeaturedScore"].(float64)
			want["GSI5PK"], want["GSI5SK"] = "FEATURED", fmt.Sprintf("SCORE#%010.0f#PROPERTY#%s", score, id)
		}
		if p["StarRating"] != 0.0 {
			want["GSI8PK"], want["GSI8SK"] = fmt.Sprintf("%s#STAR#%.0f", city, p["StarRating"]), rating
		}
	}
	got := plain{}
	for name, v := range p {
		if indexKey.MatchString(name) || strings.HasPrefix(name, "Geohash") {
			got[name] = v
		}
	}
	assert.Equal(t, want, got, "index keys and geohashes of %s", id)

	card := plain{"Latitude": address["Latitude"], "Longitude": address["Longitude"]}
	for _, name := range []string{
		"Name", "Slug", "PropertyType", "StarRating", "PrimaryImageUrl", "AverageRating", "ReviewCount", "AmenityList",
		"PriceRange", "FeaturedScore", "TimeZone", "CheckInTime", "CancellationPolicy",
	} {
		if v, ok := p[name]; ok && name != "PriceRange" {
			card[name] = v
		}
	}
	shown, ok := p["Card"].(plain)
	require.True(t, ok, "card of %s", id)
	assert.Equal(t, prices, rangeOf(shown), "prices on the card of %s", id)
	card["PriceRange"], shown["PriceRange"] = nil, nil
	rooms := plain{}
	for sk, item := range items {
		if roomID, ok := strings.CutPrefix(sk, "ROOM#"); ok {
			room, on := plainOf(t, item), plain{}
			for name, short := range map[string]string{
				"Name": "N", "MaxAdults": "A", "MaxChildren": "C", "MaxOccupancy": "O", "BasePricePerNight": "P",
			} {
				if v, ok := room[name]; ok && (short != "C" || v != 0.0) {
					on[short] = v
				}
			}
			if policy, ok := room["CancellationPolicy"].(string); ok {
				on["L"] = onCard.Replace(policy)
			}
			rooms[roomID], card["Currency"] = on, room["Currency"]
		}
	}
	if len(rooms) > 0 {
		card["Rooms"] = rooms
	} else if on, ok := shown["Rooms"]; ok { // empty or missing
		assert.Empty(t, on, "rooms on the card of %s", id)
		delete(shown, "Rooms")
	}
	assert.Equal(t, card, shown, "card of %s", id)

	wantAmenities, gotAmenities := plain{}, plain{}
	for _, v := range amenities {
		amenity := v.(string)
		item := plain{
			"PK": "PROPERTY#" + id, "SK": "AMENITY#" + amenity,
			"EntityType": "PropertyAmenity", "PropertyId": id, "AmenityId": amenity,
		}
		if approved {
			item["GSI9PK"], item["GSI9SK"] = city+"#AMENITY#"+amenity, "PROPERTY#"+id
		}
		wantAmenities["AMENITY#"+amenity] = item
	}
	for sk, item := range items {
		if strings.HasPrefix(sk, "AMENITY#") {
			gotAmenities[sk] = plainOf(t, item)
		}
	}
	assert.Equal(t, wantAmenities, gotAmenities, "amenities of %s", id)

	for _, slug := range append(slugs, p["Slug"].(string)) {
		guard := partition(t, db, "SLUG#"+keyText(slug))
		switch keyText(slug) {
		case keyText(p["Slug"]):
			require.Contains(t, guard, "GUARD", "guard of the slug that %s has", id)
			assert.Equal(t, id, plainOf(t, guard["GUARD"])["PropertyId"])
		default:
			if item, ok := guard["GUARD"]; ok {
				assert.NotEqual(t, id, plainOf(t, item)["PropertyId"], "guard of a slug that %s no longer has", id)
			}
		}
	}
}
