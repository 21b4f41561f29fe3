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
	"github.com/dynastay/dynastay/dyntest"
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
