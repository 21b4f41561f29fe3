package catalog_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/catalog"
)

// What people type is a destination whose city and country find the properties there.
func TestDestinations(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t)
	locations, hotels := catalog.Locations(db.DB), properties.New(db.DB, nil)
	create(t, locations,
		newYork(),
		city("zurich", "Zürich", "Switzerland", "Zuerich", "ZRH"),
		city("paris-fr", "Paris", "France"), city("paris-us", "Paris", "USA", "Paris, TX"),
		city("sao-paulo", "São Paulo", "Brasil", "Sampa"))
	for _, typed := range []struct{ text, id string }{
		{"new york", "new-york"}, {"New York, USA", "new-york"}, {" NEW-YORK ", "new-york"}, {"NYC", "new-york"},
		{"nyc usa", "new-york"}, {"the big apple", ""}, {"big apple", "new-york"}, {"new yor", ""}, {"usa", ""},
		{"Zürich", "zurich"}, {"zurich", "zurich"}, {"zurich switzerland", "zurich"}, {"ZUERICH", "zurich"},
		{"Zu\u0308rich (Switzerland)", "zurich"}, {"zrh", "zurich"}, {"paris france", "paris-fr"}, {"Paris TX", "paris-us"},
		{"sao paulo", "sao-paulo"}, {"SÃO PAULO, BRASIL", "sao-paulo"}, {"new york switzerland", ""},
	} {
		var want []string
		if typed.id != "" {
			want = []string{typed.id}
		}
		assert.Equal(t, want, locationIDs(t, locations.Find(typed.text)), "%q", typed.text)
	}
	assert.Equal(t, []string{"paris-fr", "paris-us"}, locationIDs(t, locations.Find("paris")))

	for id, place := range map[string][2]string{"zurich": {"Zürich", "Switzerland"}, "new-york": {"New York", "USA"}} {
		_, err := hotels.Create(t.Context(), properties.Property{
			ID: id, Name: "Grand", Slug: id, Type: properties.Hotel, OwnerID: "user_1", Status: properties.Approved,
			Address: properties.Address{City: place[0], Country: place[1]},
		}, []properties.RoomType{{
			ID: "room_" + id, Name: "Double", Limits: roomForTwo, BasePrice: dynastay.MustMoney("100", "USD"), Total: 1,
		}})
		require.NoError(t, err)
	}
	for typed, want := range map[string]string{"ZURICH switzerland": "zurich", "nyc": "new-york"} {
		found := listed(t, locations.Find(typed), 50)
		require.Len(t, found, 1)
		cards := listed(t, hotels.ByCity(properties.CityQuery{City: found[0].City, Country: found[0].Country}), 50)
		require.Len(t, cards, 1, typed)
		assert.Equal(t, want, cards[0].PropertyID)
	}
}

// What is found is the whole entry, with the version that an update expects.
func TestFoundEntriesAreComplete(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	locations := catalog.Locations(db.DB)
	made, err := locations.Create(t.Context(), newYork())
	require.NoError(t, err)
	want := newYork()
	want.Version = 1
	assert.Equal(t, want, *made)
	for range 2 {
		got, err := locations.Get(t.Context(), want.ID)
		require.NoError(t, err)
		assert.Equal(t, want, *got)
		for _, list := range []dynastay.Listing[*catalog.Location]{locations.Find("nyc"), locations.Complete("NY"), locations.All()} {
			assert.Equal(t, []*catalog.Location{&want}, listed(t, list, 50))
		}
		got, err = locations.Update(t.Context(), want.ID, func(l *catalog.Location) error { l.Latitude++; return nil },
			dynastay.IfVersion(listed(t, locations.Find("nyc"), 50)[0].Version))
		require.NoError(t, err)
		want.Latitude++
		want.Version++
		assert.Equal(t, want, *got)
	}
}

// Each entry is listed once, under its first name with the prefix, whatever the size of the pages.
func TestComplete(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	locations := catalog.Locations(db.DB)
	create(t, locations,
		newYork(), // newyork, newyorkusa, nyc, nycusa, bigapple, bigappleusa
		city("newark", "Newark", "USA", "New Ark", "EWR"),
		city("new-orleans", "New Orleans", "USA", "NOLA", "The Big Easy", "New-Orleans, Louisiana"),
		city("paris-fr", "Paris", "France"), city("paris-us", "Paris", "USA"),
		city("zurich", "Zürich", "Switzerland", "Zür", "ZRH"))
	for prefix, want := range map[string][]string{
		"n":           {"newark", "new-orleans", "new-york"},
		"NEW":         {"newark", "new-orleans", "new-york"},
		"new o":       {"new-orleans"},
		"new york":    {"new-york"},
		"new york u":  {"new-york"},
		"newyorkusa":  {"new-york"},
		"newyorkusab": nil,
		"ny":          {"new-york"},
		"paris":       {"paris-fr", "paris-us"},
		"paris, f":    {"paris-fr"},
		"z":           {"zurich"},
		"zu":          {"zurich"},
		"zür":         {"zurich"},
		"zuri":        {"zurich"},
		"e":           {"newark"},
		"b":           {"new-york"},
		"usa":         nil,
		"item":        nil,
	} {
		for _, limit := range []int{1, 2, 50} {
			var got []string
			for _, l := range listed(t, locations.Complete(prefix), limit) {
				got = append(got, l.ID)
			}
			assert.Equal(t, want, got, "%q, %d at a time", prefix, limit)
		}
	}
	page, err := locations.Complete("new").Page(t.Context(), dynastay.Paging{Limit: 2})
	require.NoError(t, err)
	assert.Len(t, page.Items, 2, "a page is full although names were left out")
	_, err = locations.Complete("newa").Page(t.Context(), dynastay.Paging{Limit: 2, After: page.Next})
	assert.ErrorIs(t, err, dynastay.ErrCursor)
	_, err = locations.Find("new").Page(t.Context(), dynastay.Paging{Limit: 2, After: page.Next})
	assert.ErrorIs(t, err, dynastay.ErrCursor)
}

// An entry is all that its list has, and an unreadable one is named by its id.
func TestAll(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	locations, amenities := catalog.Locations(db.DB), catalog.Amenities(db.DB)
	create(t, locations, city("b", "B", "X"), city("a", "A", "X"), city("c", "C", "X"))
	create(t, amenities, wifi())
	assert.Equal(t, []string{"a", "b", "c"}, locationIDs(t, locations.All()))
	assert.Len(t, listed(t, locations.All(), 2), 3)

	for _, sk := range []string{"ITEM#d", "NAME#b#ITEM#d"} {
		put(t, db, dynastay.Item{"PK": dynastay.Text("CATALOG#locations"), "SK": dynastay.Text(sk), "City": dynastay.Number(1)})
	}
	for _, list := range []dynastay.Listing[*catalog.Location]{locations.All(), locations.Find("b"), locations.Complete("b")} {
		page, err := list.Page(t.Context(), dynastay.Paging{})
		assert.NotEmpty(t, page.Items)
		var unreadable *dynastay.UnreadableError
		require.ErrorAs(t, err, &unreadable)
		var failure *dynastay.Error
		require.ErrorAs(t, unreadable.Items[0], &failure)
		assert.Equal(t, []string{"Location", "d", "City"}, []string{failure.Entity, failure.ID, failure.Field})
		assert.False(t, slices.Contains(page.Items, nil))
	}
}
