package properties_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/properties"
)

// cost is the cost of one call.
type cost struct {
	requests    []string
	actions     []int              // of each transaction
	read, write map[string]float64 // units by index, "" for the table
	indexes     bool               // the engine reports those that a transaction writes
}

// counted returns how often each operation was sent, for calls that send requests in parallel.
func (c cost) counted() map[string]int {
	n := map[string]int{}
	for _, operation := range c.requests {
		n[operation]++
	}
	return n
}

// touches checks which indexes a transaction has written to, "" for the table. Not all engines report them.
func (c cost) touches(t *testing.T, name string, want ...string) {
	t.Helper()
	if !c.indexes {
		want = []string{""}
	}
	assert.Equal(t, want, slices.Sorted(maps.Keys(c.write)), name)
}

// measured returns a repository with p1, an approved hotel of less than 2 KB with two room types and two amenities,
// and a function that measures a call.
func measured(t *testing.T) (*properties.Repository, func(call func() error) cost) {
	t.Helper()
	return measuredIn(t, dyntest.New(t, propertyTables))
}

func measuredIn(t *testing.T, db *dyntest.DB) (*properties.Repository, func(call func() error) cost) {
	t.Helper()
	var mu sync.Mutex
	var calls []dynastay.Call
	repo := properties.New(observe(db, func(c dynastay.Call) {
		mu.Lock()
		defer mu.Unlock()
		calls = append(calls, c)
	}), nil)
	create(t, properties.New(db.DB, nil), grand("p1", func(p *properties.Property) { p.AmenityIDs = []string{"wifi", "pool"} }))
	return repo, func(call func() error) cost {
		t.Helper()
		calls = nil
		stop := db.Faults.Record()
		require.NoError(t, call())
		c := cost{indexes: db.Has(dyntest.IndexUnits), read: map[string]float64{}, write: map[string]float64{}}
		for _, r := range stop() {
			var body struct{ TransactItems []any }
			if require.NoError(t, json.Unmarshal(r.Body, &body)); body.TransactItems != nil {
				c.actions = append(c.actions, len(body.TransactItems))
			}
		}
		for _, sent := range calls {
			assert.Equal(t, 1, sent.Requests())
			c.requests = append(c.requests, sent.Operation)
			for _, u := range sent.Usage {
				index, _, _ := strings.Cut(u.Index, "-")
				if u.ReadUnits > 0 {
					c.read[index] += u.ReadUnits
				}
				if u.WriteUnits > 0 {
					c.write[index] += u.WriteUnits
				}
			}
		}
		return c
	}
}

func TestCostOfReads(t *testing.T) {
	t.Parallel()
	repo, measure := measured(t)
	get := measure(func() error {
		_, err := repo.Get(t.Context(), "p1")
		return err
	})
	assert.Equal(t, []string{"GetItem"}, get.requests)
	assert.Equal(t, map[string]float64{"": 0.5}, get.read) // up to 4 KB, eventually consistent

	withRooms := measure(func() error {
		_, err := repo.GetWithRooms(t.Context(), "p1")
		return err
	})
	assert.Equal(t, []string{"Query"}, withRooms.requests)
	assert.Equal(t, map[string]float64{"": 0.5}, withRooms.read) // up to 4 KB in total

	byCity := measure(func() error {
		page, err := repo.ByCity(properties.CityQuery{City: "New York", Country: "USA"}).Page(t.Context(), dynastay.Paging{})
		assert.Len(t, page.Items, 1)
		return err
	})
	assert.Equal(t, []string{"Query"}, byCity.requests)
	assert.Equal(t, map[string]float64{"GSI1": 0.5}, byCity.read) // only the index, not the property

	bySlug := measure(func() error {
		_, err := repo.BySlug(t.Context(), grand("p1").Slug)
		return err
	})
	assert.Equal(t, []string{"Query", "Query"}, bySlug.requests)
	assert.Equal(t, map[string]float64{"GSI6": 0.5, "": 0.5}, bySlug.read)

	none := measure(func() error {
		_, err := repo.BySlug(t.Context(), "none")
		assert.ErrorIs(t, err, dynastay.ErrNotFound)
		return nil
	})
	assert.Equal(t, []string{"Query", "GetItem"}, none.requests)
	assert.Equal(t, 1.0, none.read[""]) // the guard, strongly consistent; engines disagree about a query without results
}

// A page of cards costs a fraction of reading the properties.
func TestCostOfAPage(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	long := strings.Repeat("A luxurious 5-star hotel... ", 130) // not shown in a search
	for i := range 20 {
		create(t, repo, grand(string(rune('a'+i)), func(p *properties.Property) { p.Description = long }))
	}
	var units float64
	seen := properties.New(observe(db, func(c dynastay.Call) { units += c.ReadUnits() }), nil)
	page, err := seen.ByCity(properties.CityQuery{City: "New York", Country: "USA"}).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Len(t, page.Items, 20)
	assert.LessOrEqual(t, units, 3.0) // 20 × less than 1 KB; the properties are 20 × more than 5 KB
}

// For writes of single items, the exact units are compared. For transactions they are not: local engines count their
// units differently from each other and from DynamoDB, but agree on which indexes a transaction writes to.
func TestCostOfWrites(t *testing.T) {
	t.Parallel()
	repo, measure := measured(t)
	update := func(change func(*properties.Property)) cost {
		return measure(func() error {
			_, err := repo.Update(t.Context(), "p1", edit(change))
			return err
		})
	}
	plain, transaction := []string{"GetItem", "UpdateItem"}, []string{"GetItem", "TransactWriteItems"}

	// 2 KB in the table, and a card of up to 1 KB in the index by owner and in each search index. Slug and amenities are
	// separate items, or indexes of keys only.
	name := update(func(p *properties.Property) { p.Name = "Small Luxury Hotel" })
	assert.Equal(t, plain, name.requests)
	assert.Equal(t, map[string]float64{"": 1}, name.read) // consistent
	assert.Equal(t, map[string]float64{
		"": 2, "GSI1": 1, "GSI2": 1, "GSI3": 1, "GSI4": 1, "GSI5": 1, "GSI7": 1, "GSI8": 1, "GSI10": 1,
	}, name.write)

	// A field that no list shows costs no index write, not even for the version and the time of the update.
	description := update(func(p *properties.Property) { p.Description = "Smaller." })
	assert.Equal(t, plain, description.requests)
	assert.Equal(t, map[string]float64{"": 2}, description.write)

	// A row is removed from one index.
	hidden := update(func(p *properties.Property) { p.Featured = false })
	assert.Equal(t, plain, hidden.requests)
	assert.Equal(t, map[string]float64{"": 2, "GSI5": 1}, hidden.write)

	nothing := update(func(*properties.Property) {})
	assert.Equal(t, []string{"GetItem"}, nothing.requests)
	assert.Empty(t, nothing.write)

	city := update(func(p *properties.Property) { p.Address.City = "Boston" })
	assert.Equal(t, transaction, city.requests) // with the amenities
	assert.Equal(t, []int{1 + 2}, city.actions)
	city.touches(t, "city", "", "GSI1", "GSI7", "GSI8", "GSI9")

	slug := update(func(p *properties.Property) { p.Slug = "small" })
	assert.Equal(t, transaction, slug.requests)
	assert.Equal(t, []int{1 + 2}, slug.actions) // the two guards
	slug.touches(t, "slug", "", "GSI1", "GSI10", "GSI2", "GSI3", "GSI4", "GSI6", "GSI7", "GSI8")

	creation := measure(func() error {
		_, err := repo.Create(t.Context(), grand("p2"), []properties.RoomType{king("r1", "100")})
		return err
	})
	assert.Equal(t, []string{"TransactWriteItems"}, creation.requests)
	assert.Equal(t, []int{2 + 2 + 3}, creation.actions) // property and slug, room type and guard, amenities
	creation.touches(t, "creation", "", "GSI1", "GSI10", "GSI2", "GSI3", "GSI4", "GSI5", "GSI6", "GSI7", "GSI8", "GSI9")

	waiting := measure(func() error {
		_, err := repo.Create(t.Context(), grand("p3", pending), []properties.RoomType{king("r2", "100")})
		return err
	})
	waiting.touches(t, "waiting", "", "GSI11", "GSI3", "GSI6") // no search index before approval
}

// GetImages does not read the rest of the property.
func TestGetImagesReadsImagesOnly(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	stop := db.Faults.Record()
	_, err := repo.GetImages(t.Context(), "p1")
	require.NoError(t, err)
	sent := stop()
	require.Len(t, sent, 1)
	var body struct {
		KeyConditionExpression    string
		ExpressionAttributeValues map[string]struct{ S string }
	}
	require.NoError(t, json.Unmarshal(sent[0].Body, &body))
	assert.Contains(t, body.KeyConditionExpression, "begins_with")
	assert.Equal(t, "IMAGE#", body.ExpressionAttributeValues[":1"].S)
}

// The table, and the indexes that show the card of an approved and featured property with stars.
var shownIn = []string{"", "GSI1", "GSI10", "GSI2", "GSI3", "GSI4", "GSI5", "GSI7", "GSI8"}

// amenitiesToo adds the index by amenity.
var amenitiesToo = append(shownIn[:len(shownIn):len(shownIn)], "GSI9")

// Each write of a part is one read and one write. For single items, the exact write units are compared; for
// transactions the number of actions, of which each costs twice the units of a single write, and the indexes.
func TestCostOfParts(t *testing.T) {
	t.Parallel()
	repo, measure := measured(t)
	room := func(change func(*properties.RoomType)) func() error {
		return func() error {
			return second(repo.UpdateRoomType(t.Context(), "p1", "room_a_of_p1", func(r *properties.RoomType) error { change(r); return nil }))
		}
	}
	single := func(table float64, cards float64) map[string]float64 {
		units := map[string]float64{"": table}
		for _, index := range shownIn[1:] {
			if cards > 0 {
				units[index] = cards
			}
		}
		return units
	}
	reviewed := single(2, 1)
	reviewed["GSI1"], reviewed["GSI4"], reviewed["GSI8"] = 2, 2, 2 // the rows move: their keys contain the rating
	for _, test := range []struct {
		name    string
		call    func() error
		read    float64
		actions int                // of a transaction
		touched []string           // by a transaction
		write   map[string]float64 // of a single item
	}{
		{"create", func() error {
			p := grand("p2", func(p *properties.Property) { p.AmenityIDs = numbered("a", 20) })
			return second(repo.Create(t.Context(), p, []properties.RoomType{king("r1", "1"), king("r2", "2"), king("r3", "3")}))
		}, 0, 2 + 2*3 + 20, []string{"", "GSI1", "GSI10", "GSI2", "GSI3", "GSI4", "GSI5", "GSI6", "GSI7", "GSI8", "GSI9"}, nil},
		{"add a room type", func() error {
			return second(repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("new", "200")}))
		},
			1, 1 + 2, shownIn, nil},
		{"price", room(func(r *properties.RoomType) { r.BasePrice = dynastay.MustMoney("170", "USD") }), 2, 1 + 1, shownIn, nil},
		{"description", room(func(r *properties.RoomType) { r.Description = "Smaller." }), 2, 0, nil, single(1, 0)},
		{"no change", room(func(r *properties.RoomType) {}), 2, 0, nil, nil},
		{"first image", func() error { return second(repo.AddImages(t.Context(), "p1", pictures("a", 1))) }, 1, 1 + 1, shownIn, nil},
		{"more images", func() error { return second(repo.AddImages(t.Context(), "p1", pictures("b", 2))) }, 1, 1 + 2, []string{""}, nil},
		{"alternative text", func() error {
			return second(repo.UpdateImage(t.Context(), "p1", "b0", func(i *properties.Image) error { i.AltText = "Bar"; return nil }))
		}, 1, 0, nil, single(1, 0)},
		{"primary", func() error { return second(repo.SetPrimaryImage(t.Context(), "p1", "b1")) }, 1, 1 + 2, shownIn, nil},
		{"order", func() error { return second(repo.ArrangeImages(t.Context(), "p1", []string{"b1"})) }, 1, 3 + 1, []string{""}, nil}, // and the condition on the property
		{"delete an image", func() error { return repo.DeleteImage(t.Context(), "p1", "a0") }, 1, 1 + 1, []string{""}, nil},
		{"add amenities", func() error { return second(repo.AddAmenities(t.Context(), "p1", []string{"spa", "bar"})) }, 1, 1 + 2, amenitiesToo, nil},
		{"remove amenities", func() error { return second(repo.RemoveAmenities(t.Context(), "p1", []string{"spa", "bar"})) }, 1, 1 + 2, amenitiesToo, nil},
		{"rate", func() error { return second(repo.Rate(t.Context(), "p1", 0, 92)) }, 1, 0, nil, reviewed},
		{"the same average", func() error { return second(repo.Rate(t.Context(), "p1", 0, 92)) }, 1, 0, nil, single(2, 1)},
	} {
		got := measure(test.call)
		assert.Equal(t, test.read, got.read[""], test.name)
		switch {
		case test.actions > 0:
			assert.Equal(t, []int{test.actions}, got.actions, test.name)
			got.touches(t, test.name, test.touched...)
			assert.Equal(t, "TransactWriteItems", got.requests[len(got.requests)-1], test.name)
		case test.write != nil:
			assert.Equal(t, "UpdateItem", got.requests[len(got.requests)-1], test.name)
			assert.Equal(t, test.write, got.write, test.name)
		default:
			assert.Len(t, got.requests, 1, test.name)
		}
		reads := 1
		if test.read == 0 {
			reads = 0
		}
		writes := 1
		if test.actions == 0 && test.write == nil {
			writes = 0
		}
		assert.Len(t, got.requests, reads+writes, test.name)
	}
}

// The statuses of a hotel with two room types, of which 30 nights each are open.
func TestCostOfStatuses(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo, measure := measuredIn(t, db)
	_, err := repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("r1", "100")})
	require.NoError(t, err)
	for _, id := range []string{"room_a_of_p1", "room_b_of_p1", "r1"} {
		_, err := availability.New(db.DB).Open(t.Context(), availability.OpenRequest{
			PropertyID: "p1", RoomTypeID: id, Nights: dynastay.MustStay("2026-07-01", "2026-07-31"), Rooms: 1, Price: dynastay.MustMoney("100", "USD"),
		})
		require.NoError(t, err)
	}
	count := func(batches, queries, transactions int) map[string]int {
		return map[string]int{"BatchGetItem": batches, "Query": queries, "TransactWriteItems": transactions}
	}
	withdrawal := measure(func() error { return repo.DeleteRoomType(t.Context(), "p1", "r1") })
	// The property and room type twice and the guard; the nights before, when they are marked, and twice after.
	assert.Equal(t, map[string]int{"BatchGetItem": 3, "Query": 4, "TransactWriteItems": 3}, withdrawal.counted())
	assert.Equal(t, []int{1 + 1, 30 + 1, 3}, withdrawal.actions)

	// The property with its room types, the guards, and for each room type the nights, again until none is left.
	suspension := measure(func() error { return second(repo.Suspend(t.Context(), "p1")) })
	assert.Equal(t, count(1, 5, 3), suspension.counted())
	assert.ElementsMatch(t, []int{1 + 2 + 2, 30 + 1, 30 + 1}, suspension.actions)
	suspension.touches(t, "suspension", amenitiesToo...)

	again := measure(func() error { return second(repo.Suspend(t.Context(), "p1")) })
	assert.Equal(t, count(1, 3, 1), again.counted())
	assert.Equal(t, []int{1}, again.actions) // the condition that the property is as it was read

	approval := measure(func() error { return second(repo.Approve(t.Context(), "p1")) })
	assert.Equal(t, count(1, 5, 3), approval.counted())
	assert.ElementsMatch(t, []int{1 + 2 + 2, 30 + 1, 30 + 1}, approval.actions)

	_, err = repo.Create(t.Context(), grand("p2", pending), []properties.RoomType{king("r2", "100")})
	require.NoError(t, err)
	first := measure(func() error { return second(repo.Approve(t.Context(), "p2")) }) // never closed
	assert.Equal(t, []string{"Query", "BatchGetItem", "TransactWriteItems"}, first.requests)

	deletion := measure(func() error { return repo.Delete(t.Context(), "p1") })
	assert.Equal(t, map[string]int{"GetItem": 1, "BatchGetItem": 1, "Query": 3 + 2*4, "TransactWriteItems": 2 + 2 + 1}, deletion.counted())
}
