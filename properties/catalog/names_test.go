package catalog_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/catalog"
)

var roomForTwo = availability.Limits{MaxOccupancy: 2, MaxAdults: 2}

// texts is a stored list of different texts.
func texts(n int) types.AttributeValue {
	list := &types.AttributeValueMemberL{}
	for i := range n {
		list.Value = append(list.Value, dynastay.Text("alias"+string(rune('a'+i%26))+string(rune('a'+i/26))))
	}
	return list
}

// The names follow every update: new ones find the entry, former ones no longer do, and all have a current copy.
func TestNamesFollowTheEntry(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	locations := catalog.Locations(db.DB)
	update := func(edit func(*catalog.Location)) {
		t.Helper()
		_, err := locations.Update(t.Context(), "new-york", func(l *catalog.Location) error { edit(l); return nil })
		require.NoError(t, err)
		checkLocations(t, db)
	}
	find := func(name string) []string { return locationIDs(t, locations.Find(name)) }
	create(t, locations, newYork(), city("york", "York", "UK", "NYC"))
	checkLocations(t, db)
	assert.Len(t, partition(t, db, "locations"), 2+6+4)

	update(func(l *catalog.Location) { l.Aliases = []string{"nyc", "Gotham"} })
	assert.Empty(t, find("big apple"))
	assert.Empty(t, find("big apple usa"))
	assert.Equal(t, []string{"new-york"}, find("gotham"))
	assert.Equal(t, []string{"new-york", "york"}, find("nyc"), "a name of two entries")

	update(func(l *catalog.Location) { l.City = "New  York" })
	assert.Equal(t, "New  York", lists.Paged(t, locations.Find("gotham usa"), 50)[0].City, "every name has a current copy")

	update(func(l *catalog.Location) { l.Country = "United States" })
	assert.Empty(t, find("new york usa"))
	assert.Equal(t, []string{"new-york"}, find("new york united states"))

	update(func(l *catalog.Location) { l.Aliases = nil })
	assert.Equal(t, []string{"york"}, find("nyc"))

	update(func(l *catalog.Location) { l.Aliases = []string{"new york", "NEW YORK united states"} })
	assert.Equal(t, []string{"new-york"}, find("new york"), "names that are equal when folded are one")

	require.NoError(t, locations.Delete(t.Context(), "york", dynastay.IfVersion(1)))
	checkLocations(t, db)
	require.NoError(t, locations.Delete(t.Context(), "new-york"))
	assert.Empty(t, partition(t, db, "locations"))
}

// Nothing is written by a call that fails.
func TestFailedCallsWriteNothing(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	locations := catalog.Locations(db.DB)
	create(t, locations, newYork())
	before := partition(t, db, "locations")

	_, err := locations.Create(t.Context(), city("new-york", "York", "UK"))
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	rename := func(l *catalog.Location) error { l.City = "York"; return nil }
	_, err = locations.Update(t.Context(), "new-york", rename, dynastay.IfVersion(2))
	require.ErrorIs(t, err, dynastay.ErrVersion)
	_, err = locations.Update(t.Context(), "york", rename)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	require.ErrorIs(t, locations.Delete(t.Context(), "york"), dynastay.ErrNotFound)
	require.NoError(t, locations.Delete(t.Context(), "york", dynastay.OrMissing()))
	require.ErrorIs(t, locations.Delete(t.Context(), "new-york", dynastay.IfVersion(2)), dynastay.ErrVersion)
	_, err = locations.Get(t.Context(), "york")
	failure := blame.As[*dynastay.Error](t, err)
	assert.Equal(t, dynastay.Error{Entity: "Location", ID: "york", Kind: dynastay.ErrNotFound}, *failure)
	assert.Equal(t, before, partition(t, db, "locations"))
}

// An entry with the most names can replace all of them in one transaction, with an idempotency key.
func TestMostNames(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	streets := catalog.New(db.DB, streetSpec())
	made, err := streets.Create(t.Context(), street{Names: numbered("old", catalog.MaxNames)}, dynastay.IdempotencyKey("create"))
	require.NoError(t, err)
	assert.Regexp(t, "^st_", made.ID)
	assert.Len(t, partition(t, db, "streets"), 1+catalog.MaxNames)
	again, err := streets.Create(t.Context(), street{Names: numbered("old", catalog.MaxNames)}, dynastay.IdempotencyKey("create"))
	require.NoError(t, err)
	assert.Equal(t, made.ID, again.ID)

	_, err = streets.Update(t.Context(), made.ID, func(s *street) error { s.Names = numbered("new", catalog.MaxNames+1); return nil })
	blame.Of(t, err, dynastay.ErrInvalid, "Names")
	op := streets.UpdateOp(made.ID, func(s *street) error {
		s.Names = append(numbered("new", catalog.MaxNames), "NEW 1")
		return nil
	}, dynastay.AgreedOn("new"))
	require.NoError(t, db.Write(t.Context(), op, dynastay.IdempotencyKey("update")))
	assert.Len(t, partition(t, db, "streets"), 1+catalog.MaxNames)
	assert.Len(t, lists.Paged(t, streets.Find("new 7"), 50), 1)
	assert.Empty(t, lists.Paged(t, streets.Find("old 7"), 50))
}

// A catalogue's entries are not those of another, whatever the catalogue's name is.
func TestCataloguesAreSeparate(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, catalogTables)
	here, there := streetSpec(), streetSpec()
	here.Type, there.Type = "a", "ab"
	create(t, catalog.New(db.DB, here), street{ID: "x", Names: []string{"b"}})
	other := catalog.New(db.DB, there)
	_, err := other.Get(t.Context(), "x")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	for _, list := range []dynastay.List[*street]{other.All(), other.Find("b"), other.Complete("b")} {
		assert.Empty(t, lists.Paged(t, list, 50))
	}
}

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
		found := lists.Paged(t, locations.Find(typed), 50)
		require.Len(t, found, 1)
		cards := lists.Paged(t, hotels.ByCity(properties.CityQuery{City: found[0].City, Country: found[0].Country}), 50)
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
		for _, list := range []dynastay.List[*catalog.Location]{locations.Find("nyc"), locations.Complete("NY"), locations.All()} {
			assert.Equal(t, []*catalog.Location{&want}, lists.Paged(t, list, 50))
		}
		got, err = locations.Update(t.Context(), want.ID, func(l *catalog.Location) error { l.Latitude++; return nil },
			dynastay.IfVersion(lists.Paged(t, locations.Find("nyc"), 50)[0].Version))
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
			for _, l := range lists.Paged(t, locations.Complete(prefix), limit) {
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
