package properties_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

// plain is a stored item, or a part of one, as decoded from JSON.
type plain = map[string]any

func plainOf(t tester, item dynastay.Item) plain {
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

// checkDerived compares everything that is derived from a property's own attributes with the key forms of the
// hotel-booking document.
func checkDerived(t tester, db *dyntest.DB, id string, slugs ...string) {
	t.Helper()
	items := partition(t, db, "PROPERTY#"+id)
	p := plainOf(t, items["METADATA"])
	address, prices := p["Address"].(plain), p["PriceRange"].(plain)
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
		if v, ok := p[name]; ok {
			card[name] = v
		}
	}
	rooms := plain{}
	for sk, item := range items {
		if roomID, ok := strings.CutPrefix(sk, "ROOM#"); ok {
			room, on := plainOf(t, item), plain{}
			for _, name := range []string{"Name", "MaxAdults", "MaxChildren", "MaxOccupancy", "BasePricePerNight", "Currency", "CancellationPolicy"} {
				if v, ok := room[name]; ok {
					on[name] = v
				}
			}
			rooms[roomID] = on
		}
	}
	card["Rooms"] = rooms
	assert.Equal(t, card, p["Card"], "card of %s", id)

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

// attribute is an attribute that updates in the random tests may change.
type attribute struct {
	name   string
	values []any
	of     func(*properties.Property) any
	set    func(*properties.Property, any)
}

func attr[T any](name string, at func(*properties.Property) *T, values ...T) attribute {
	a := attribute{
		name: name,
		of:   func(p *properties.Property) any { return *at(p) },
		set:  func(p *properties.Property, v any) { *at(p) = v.(T) },
	}
	for _, v := range values {
		a.values = append(a.values, v)
	}
	return a
}

// attributesOf returns all attributes from which something is derived, and a few others. All slugs are free except the
// last one in the random test, which belongs to a different property.
func attributesOf(slugs []string) []attribute {
	type P = properties.Property
	return []attribute{
		attr("Status", func(p *P) *properties.Status { return &p.Status }, properties.Pending, properties.Rejected, properties.Approved),
		attr("City", func(p *P) *string { return &p.Address.City }, "New York", " New York", "Boston", "100% #1"),
		attr("Country", func(p *P) *string { return &p.Address.Country }, "USA", "US#A", "Canada"),
		attr("Latitude", func(p *P) *float64 { return &p.Address.Latitude }, 40.7589, -33.8568, 82.5),
		attr("Longitude", func(p *P) *float64 { return &p.Address.Longitude }, -73.9851, 151.2153),
		attr("Stars", func(p *P) *int { return &p.Stars }, 0, 3, 5),
		attr("Type", func(p *P) *properties.Type { return &p.Type }, properties.Hotel, properties.Resort, "tree_house"),
		attr("Featured", func(p *P) *bool { return &p.Featured }, true, false),
		attr("FeaturedScore", func(p *P) *int { return &p.FeaturedScore }, 0, 7, 95),
		attr("Slug", func(p *P) *string { return &p.Slug }, slugs...),
		attr("Name", func(p *P) *string { return &p.Name }, "Grand", "Petit"),
		attr("OwnerID", func(p *P) *string { return &p.OwnerID }, "user_1", "user_2"),
		attr("TimeZone", func(p *P) *string { return &p.TimeZone }, "", "America/New_York"),
		attr("CheckInTime", func(p *P) *string { return &p.CheckInTime }, "", "14:00"),
		attr("PrimaryImageURL", func(p *P) *string { return &p.PrimaryImageURL }, "", "https://cdn.example.com/1.jpg"),
		attr("Policy", func(p *P) *availability.CancellationPolicy { return &p.CancellationPolicy }, "", availability.NonRefundable),
		attr("Line2", func(p *P) *string { return &p.Address.Line2 }, "", "Suite 100"),
		attr("Description", func(p *P) *string { return &p.Description }, "", "Large."),
	}
}

// Random updates of up to three attributes each, some with another update between their read and their write. After
// each one, everything derived is right, each attribute has a value that results from some order of the updates, and
// the version has counted the writes.
func TestNothingDerivedIsEverStale(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t)
	repo := properties.New(db.DB, nil)
	rapid.Check(t, func(t *rapid.T) {
		id := db.NewID("prop_")
		slugs := []string{"a-" + id, "A " + id, "b#" + id, "rival-" + id}
		rival := grand("rival-of-"+id, func(p *properties.Property) { p.Slug = slugs[3] })
		_, err := repo.Create(t.Context(), rival, []properties.RoomType{king("rival-room-"+id, "99")})
		require.NoError(t, err)
		p := grand(id, func(p *properties.Property) {
			p.Slug = slugs[0]
			p.Status = rapid.SampledFrom([]properties.Status{properties.Pending, properties.Approved}).Draw(t, "status")
			p.AmenityIDs = []string{"wifi", "pool", "gym"}[:rapid.IntRange(0, 3).Draw(t, "amenities")]
		})
		made, err := repo.Create(t.Context(), p, []properties.RoomType{king("room-1-"+id, "250"), king("room-2-"+id, "150.5")})
		require.NoError(t, err)
		checkDerived(t, db, id, slugs...)

		attributes := attributesOf(slugs)
		type change map[int]any // by attribute
		draw := func(label string) change {
			c := change{}
			for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(attributes)-1), 1, 3, rapid.ID[int]).Draw(t, label) {
				c[i] = rapid.SampledFrom(attributes[i].values).Draw(t, label+" "+attributes[i].name)
			}
			return c
		}
		update := func(c change, inside func()) (*properties.Property, error) {
			return repo.Update(t.Context(), id, meanwhile(inside, func(p *properties.Property) {
				for i, v := range c {
					attributes[i].set(p, v)
				}
			}))
		}
		// refusal returns the field that an update of p must be refused for, or "".
		refusal := func(p properties.Property, c change) string {
			after := p
			for i, v := range c {
				attributes[i].set(&after, v)
			}
			switch {
			case p.Status == properties.Approved && after.Status != properties.Approved:
				return "Status"
			case after.Slug == slugs[3]:
				return "Slug"
			}
			return ""
		}
		// check asserts that err is one of the refusals, and reports whether the update succeeded.
		check := func(err error, refusals ...string) bool {
			if err == nil {
				assert.Contains(t, refusals, "")
				return true
			}
			var invalid *dynastay.InvalidError
			var failure *dynastay.Error
			switch {
			case errors.As(err, &invalid):
				assert.Contains(t, refusals, invalid.Field)
				assert.Equal(t, "Status", invalid.Field)
			case errors.As(err, &failure):
				assert.Contains(t, refusals, failure.Field)
				assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
			default:
				require.NoError(t, err)
			}
			return false
		}

		now := made.Property
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			before := now
			outer := draw("update")
			interrupted, inside := rapid.Bool().Draw(t, "interrupted"), func() {}
			if interrupted {
				inner := draw("in between")
				inside = func() {
					got, err := update(inner, func() {})
					if check(err, refusal(before, inner)) {
						now = *got
					}
				}
			}
			got, err := update(outer, inside)
			// An attribute that the update did not change when it was prepared may not have been written.
			effective := change{}
			for i, v := range outer {
				if v != attributes[i].of(&before) {
					effective[i] = v
				}
			}
			done := check(err, refusal(now, outer), refusal(now, effective))
			middle := now

			there, err := repo.Get(t.Context(), id)
			require.NoError(t, err)
			now = *there
			for i, a := range attributes {
				allowed := []any{a.of(&middle)}
				if v, ok := outer[i]; ok && done {
					allowed = []any{v}
					if _, changed := effective[i]; !changed {
						allowed = append(allowed, a.of(&middle))
					}
				}
				assert.Contains(t, allowed, a.of(&now), a.name)
			}
			changed := func(a, b properties.Property) bool {
				return slices.ContainsFunc(attributes, func(at attribute) bool { return at.of(&a) != at.of(&b) })
			}
			wantVersion := middle.Version
			if changed(middle, now) {
				wantVersion++
			}
			assert.Equal(t, wantVersion, now.Version, "every write counts once")
			if done && !interrupted {
				assert.Equal(t, there, got, "an update returns what it stored")
			}
			checkDerived(t, db, id, slugs...)
		}
		checkDerived(t, db, rival.ID)
	})
}

// Every pair of attributes, one of them changed between the read and the write of the other. The later write must
// notice if both are part of the same key, above all if the earlier one adds the index keys by approving the property.
func TestNothingDerivedIsStaleAfterTwoChanges(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t)
	repo := properties.New(db.DB, nil)
	inputs := attributesOf([]string{"another"})
	inputs = inputs[:slices.IndexFunc(inputs, func(a attribute) bool { return a.name == "TimeZone" })]
	to := map[string]any{"Status": properties.Approved, "City": "Boston", "Featured": true}
	for i, outer := range inputs {
		for j, inner := range inputs {
			if i == j {
				continue
			}
			name := outer.name + " " + inner.name
			p := grand(fmt.Sprintf("p-%d-%d", i, j), func(p *properties.Property) { p.Featured, p.AmenityIDs = false, nil })
			if outer.name == "Status" || inner.name == "Status" {
				p.Status = properties.Pending
			}
			made, err := repo.Create(t.Context(), p, []properties.RoomType{king("room-of-"+p.ID, "100")})
			require.NoError(t, err)
			value := func(a attribute) any {
				switch v, ok := to[a.name]; {
				case ok:
					return v
				case a.name == "Slug":
					return "another-" + p.ID
				}
				return a.values[slices.IndexFunc(a.values, func(v any) bool { return v != a.of(&p) })]
			}
			_, err = repo.Update(t.Context(), p.ID, meanwhile(func() {
				_, err := repo.Update(t.Context(), p.ID, edit(func(p *properties.Property) { inner.set(p, value(inner)) }))
				require.NoError(t, err, name)
			}, func(p *properties.Property) { outer.set(p, value(outer)) }))
			require.NoError(t, err, name)
			got, err := repo.Get(t.Context(), p.ID)
			require.NoError(t, err)
			assert.Equal(t, value(outer), outer.of(got), name)
			assert.Equal(t, value(inner), inner.of(got), name)
			assert.Equal(t, made.Version+2, got.Version, name)
			checkDerived(t, db, p.ID, p.Slug)
			require.False(t, t.Failed(), name)
		}
	}
}

// Several processes update all attributes at once. Whichever update wins, everything derived is right.
func TestNothingDerivedIsStaleAfterARace(t *testing.T) {
	t.Parallel()
	for round := range 4 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t)
			slugs := []string{"a", "b", "c", "rival"}
			repo := properties.New(db.DB, nil)
			create(t, repo, grand("rival", func(p *properties.Property) { p.Slug = "rival" }))
			create(t, repo, grand("p1", pending, func(p *properties.Property) { p.Slug = "a" }))
			attributes := attributesOf(slugs)
			repos := []*properties.Repository{
				properties.New(db.Open(&dynastay.Options{Retry: patient}), nil), properties.New(db.Open(&dynastay.Options{Retry: patient}), nil),
			}
			race(len(attributes), func(i int) {
				a := attributes[i]
				for j := range 3 {
					v := a.values[(i+j+round)%len(a.values)]
					_, err := repos[i%2].Update(t.Context(), "p1", edit(func(p *properties.Property) { a.set(p, v) }))
					if err != nil && !errors.Is(err, dynastay.ErrInvalid) && !errors.Is(err, dynastay.ErrAlreadyExists) {
						assert.NoError(t, err)
					}
				}
			})
			checkDerived(t, db, "p1", slugs...)
		})
	}
}
