package property

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"strings"
)

// listing is a property as it is stored: its items by sort key.
type listing struct{ items map[string]plain }

// guards are the items that keep for it what nobody else may have.
func (l *listing) guards() []string {
	all := []string{"SLUG#" + l.items["METADATA"]["Slug"].(string)}
	for sk := range l.items {
		if strings.HasPrefix(sk, "ROOM#") {
			all = append(all, sk)
		}
	}
	return all
}

var indexKey = regexp.MustCompile(`^(GSI\d+[PS]K|Geohash.*)$`)

// derived says what is not as it follows from the property's own attributes, by the key forms of the model's document
// and none of the library's code; "" where all is.
func (l *listing) derived(id string) string {
	p := l.items["METADATA"]
	address, prices := p["Address"].(plain), p["PriceRange"].(plain)
	city := "CITY#" + address["City"].(string) + "#" + address["Country"].(string)
	rating := fmt.Sprintf("RATING#%04.1f#PROPERTY#%s", p["AverageRating"], id)
	price := fmt.Sprintf("PRICE#%016.3f#PROPERTY#%s", prices["Min"], id)
	hash := geohash(address["Latitude"].(float64), address["Longitude"].(float64), 9)

	want := plain{
		"GSI3PK": "OWNER#" + p["OwnerId"].(string), "GSI3SK": "PROPERTY#" + id,
		"GSI6PK": "SLUG#" + p["Slug"].(string), "GSI6SK": "PROPERTY",
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
		if p["StarRating"] != 0.0 {
			want["GSI8PK"], want["GSI8SK"] = fmt.Sprintf("%s#STAR#%.0f", city, p["StarRating"]), rating
		}
	}
	got := maps.Clone(p)
	maps.DeleteFunc(got, func(name string, _ any) bool { return !indexKey.MatchString(name) })
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("index keys are %v where they should be %v", got, want)
	}
	if card := l.card(); !reflect.DeepEqual(p["Card"], card) {
		return fmt.Sprintf("the card is %v where it should be %v", p["Card"], card)
	}
	if wrong := l.prices(); wrong != "" {
		return wrong
	}
	if wrong := l.images(); wrong != "" {
		return wrong
	}
	return l.amenities(id, city, approved)
}

func (l *listing) prices() string {
	low, high := math.Inf(1), math.Inf(-1)
	for sk, item := range l.items {
		if strings.HasPrefix(sk, "ROOM#") {
			price := item["BasePricePerNight"].(float64)
			low, high = min(low, price), max(high, price)
		}
	}
	if got := l.items["METADATA"]["PriceRange"].(plain); got["Min"] != low || got["Max"] != high {
		return fmt.Sprintf("the prices are %v where the room types cost %v to %v", got, low, high)
	}
	return ""
}

// images are counted, one of them is primary, and no two have the same position.
func (l *listing) images() string {
	count, at, primary := 0.0, map[any]bool{}, []any{}
	for sk, item := range l.items {
		if strings.HasPrefix(sk, "IMAGE#") {
			count++
			at[item["DisplayOrder"]] = true
			if item["IsPrimary"] == true {
				primary = append(primary, item["Url"])
			}
		}
	}
	p := l.items["METADATA"]
	url, there := p["PrimaryImageUrl"]
	if p["ImageCount"] != count || len(at) != int(count) || len(primary) != min(len(at), 1) ||
		count > 0 && primary[0] != url || count == 0 && there && url != "" {
		return fmt.Sprintf("%v images at %v, of which %v are primary, where the property has %v and %q", count, at, primary, p["ImageCount"], url)
	}
	return ""
}

// shortPolicies makes the form that policies have on a card.
var shortPolicies = strings.NewReplacer("free_cancellation_", "F", "partial_", "P")

func (l *listing) card() any {
	p := l.items["METADATA"]
	address := p["Address"].(plain)
	card, rooms := plain{"Latitude": address["Latitude"], "Longitude": address["Longitude"]}, plain{}
	copyTo(card, p, "Name", "Slug", "PropertyType", "StarRating", "PrimaryImageUrl", "AverageRating", "ReviewCount", "AmenityList",
		"PriceRange", "FeaturedScore", "TimeZone", "CheckInTime", "CancellationPolicy")
	for sk, item := range l.items {
		if id, ok := strings.CutPrefix(sk, "ROOM#"); ok {
			room := plain{}
			for name, short := range map[string]string{
				"Name": "N", "MaxAdults": "A", "MaxChildren": "C", "MaxOccupancy": "O", "BasePricePerNight": "P",
			} {
				if v, ok := item[name]; ok && (short != "C" || v != 0.0) {
					room[short] = v
				}
			}
			if policy, ok := item["CancellationPolicy"].(string); ok {
				room["L"] = shortPolicies.Replace(policy)
			}
			rooms[id], card["Currency"] = room, item["Currency"]
		}
	}
	card["Rooms"] = rooms
	plans := plain{}
	for sk, item := range l.items {
		if id, ok := strings.CutPrefix(sk, "PLAN#"); ok && item["IsAdvertised"] == true {
			plans[id] = plain{"N": item["Name"], "T": "{}"} // none has terms
		}
	}
	if emptied := p["Card"].(plain)["Rates"] != nil; emptied || len(plans) > 0 {
		card["Rates"] = plans
	}
	return card
}

func copyTo(to, from plain, names ...string) {
	for _, name := range names {
		if v, ok := from[name]; ok {
			to[name] = v
		}
	}
}

func (l *listing) amenities(id, city string, approved bool) string {
	listed := l.items["METADATA"]["AmenityList"].([]any)
	stored := 0
	for sk := range l.items {
		if strings.HasPrefix(sk, "AMENITY#") {
			stored++
		}
	}
	if stored != len(listed) {
		return fmt.Sprintf("%d amenities are stored where %v are listed", stored, listed)
	}
	for _, v := range listed {
		name := v.(string)
		item := l.items["AMENITY#"+name]
		pk, sk := item["GSI9PK"], item["GSI9SK"]
		if approved && (pk != city+"#AMENITY#"+name || sk != "PROPERTY#"+id) || !approved && (pk != nil || sk != nil) {
			return fmt.Sprintf("amenity %s has index key %v / %v", name, pk, sk)
		}
	}
	return ""
}

// geohash by bisection.
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
