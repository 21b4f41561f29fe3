package search_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/market"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

var costSize = flag.Int("search.properties", 400, "number of properties with which the cost of a page is compared with that of 100")

// meeting is the number of hotels that a page finds first.
const meeting = 100

// hotel returns an ordinary hotel with three room types. Its ids are as long as generated ones.
func hotel(number string) (properties.Property, []properties.RoomType) {
	p := inn("prop_01K0A1B2C3D4E5F6G7H8J"+number, func(p *properties.Property) {
		p.Name, p.TimeZone = "Grand Luxury Hotel & Spa Lisbon", "Europe/Lisbon"
		p.AmenityIDs = []string{"wifi", "pool", "gym", "parking", "spa", "restaurant", "bar", "air_conditioning", "breakfast", "pets"}
		p.PrimaryImageURL = "https://cdn.example.com/properties/" + p.ID + "/main.jpg"
		p.Featured, p.FeaturedScore = true, 95
	})
	var rooms []properties.RoomType
	for i, name := range []string{"Standard Single Room", "Deluxe King Room", "Family Suite with Sea View"} {
		rooms = append(rooms, room(fmt.Sprintf("room_01K0A1B2C3D4E5F6G7H8%c%s", 'J'+rune(i), number), 1+i, fmt.Sprint(100+50*i), func(r *properties.RoomType) {
			r.Name, r.CancellationPolicy = name, availability.NonRefundable
		}))
	}
	return p, rooms
}

// copied is a hotel whose items are copied: the property and the nights, which are all that searches read.
type copied struct {
	number string
	items  map[*dynastay.Schema][]dynastay.Item
}

func newCopied(t testing.TB, number string, edit func(*inns, string)) copied {
	t.Helper()
	h := openInns(t, searchTables)
	p, rooms := hotel(number)
	h.add(t, p, rooms...)
	edit(h, p.ID)
	items := h.items(t)
	items[keys.PropertiesTable] = slices.DeleteFunc(items[keys.PropertiesTable], func(item dynastay.Item) bool {
		return item[keys.AttrCard] == nil
	})
	require.Len(t, items[keys.PropertiesTable], 1)
	return copied{number, items}
}

// copies writes copies with other numbers.
func (n *inns) copies(t testing.TB, m copied, from, to int) {
	t.Helper()
	all := map[*dynastay.Schema][]dynastay.Item{}
	for i := from; i < to; i++ {
		ids := strings.NewReplacer(m.number, fmt.Sprintf("%05d", i))
		for s, items := range m.items {
			for _, item := range items {
				all[s] = append(all[s], market.Copied(&types.AttributeValueMemberM{Value: item}, ids).(*types.AttributeValueMemberM).Value)
			}
		}
	}
	n.put(t, all)
}

// cards returns the read units of the rows of so many cards in an index, which have nothing but the card and the keys.
func (m copied) cards(t testing.TB, n int) float64 {
	t.Helper()
	index, _ := keys.PropertiesTable.Index(keys.RatingIndex)
	item, row := m.items[keys.PropertiesTable][0], dynastay.Item{}
	for _, name := range []string{"PK", "SK", index.Key.Partition, index.Key.Sort, keys.AttrCard} {
		require.NotNil(t, item[name], name)
		row[name] = item[name]
	}
	return math.Ceil(float64(n)*float64(stored.Size(row))/4096) / 2
}

// openCity opens a city with the hotels that a page finds first.
func openCity(t testing.TB) *inns {
	t.Helper()
	h := openInns(t, searchTables)
	h.copies(t, newCopied(t, "77777", func(h *inns, id string) { h.rate(t, id, 92) }), 0, meeting)
	return h
}

type pageCost struct {
	requests      int
	cards, nights float64 // read units
}

// A page of 50 hotels with 3 room types each, for 3 nights, costs the same however many properties the city has. The
// first 100 are cheaper and better than the others.
func TestCostOfPages(t *testing.T) {
	t.Parallel()
	h := openCity(t)
	want := map[search.Sort]pageCost{ // of the first page and of the second
		search.BestRated: {51, 5.5, 25}, search.LowestPrice: {51, 5.5, 25},
		search.Recommended: {51, 11, 25}, search.Nearest: {51, 11, 25}, // the cards of 100 candidates
		search.LowestTotal: {101, 11, 50}, // their nights as well
	}
	measure := func() map[search.Sort]pageCost {
		all := map[search.Sort]pageCost{}
		for order := range want {
			r := request(func(r *search.Request) { r.Sort, r.Currency, r.Point = order, "USD", &lisbon })
			first, requests, cards, nights := h.measured(t, h.search, r, dynastay.Paging{})
			require.Len(t, first.Offers, 50)
			require.Len(t, first.Offers[0].Quotes, 2)
			all[order] = pageCost{requests, cards, nights}
			// If an order is computed for more candidates than a page offers, the second page reads them again.
			second, requests, cards, nights := h.measured(t, h.search, r, dynastay.Paging{After: first.Next})
			assert.Equal(t, all[order], pageCost{requests, cards, nights}, order)
			assert.Len(t, second.Offers, 50)
			assert.NotContains(t, offered(first), offered(second)[0])
		}
		return all
	}
	few, costs := measure(), page.Costs{DB: h.DB}
	for _, row := range []struct {
		order     search.Sort
		what, why string
	}{
		{search.BestRated, "by rating", "5.5 for 50 cards, and 0.5 for the nights of each hotel"},
		{search.LowestPrice, "by base price", "the cards are in another index"},
		{search.Recommended, "as recommended: no index has this order", "11 for the cards of 100 candidates"},
		{search.Nearest, "by distance: no index has this order", "the same"},
		{search.LowestTotal, "by the price of the stay", "the nights of all 100 candidates are read"},
	} {
		cost := few[row.order]
		assert.Equal(t, want[row.order].requests, cost.requests, row.order)
		costs.Add(row.what, row.why, dyntest.Bill{Requests: cost.requests, ReadUnits: cost.cards + cost.nights})
	}
	costs.Section(t, "search")
	if h.Has(dyntest.ExactUnits) {
		assert.Equal(t, want, few)
	}
	for _, order := range []search.Sort{search.BestRated, search.LowestPrice} {
		assert.LessOrEqual(t, few[order].cards, 7.0)
		assert.LessOrEqual(t, few[order].nights, 30.0)
	}

	others := newCopied(t, "88888", func(h *inns, id string) {
		h.rate(t, id, 50)
		for i := range 3 {
			_, err := h.properties.UpdateRoomType(t.Context(), id, fmt.Sprintf("room_01K0A1B2C3D4E5F6G7H8%c88888", 'J'+rune(i)),
				func(r *properties.RoomType) error { r.BasePrice = usd("900"); return nil })
			require.NoError(t, err)
		}
	})
	delete(others.items, keys.AvailabilityTable)
	h.copies(t, others, meeting, *costSize)
	assert.Equal(t, few, measure())

	// More room types than one call of CheckAll accepts.
	const most = 400
	page, sent, _, _ := h.measured(t, h.search, request(), dynastay.Paging{Limit: most})
	assert.Len(t, page.Offers, meeting)
	assert.Len(t, page.Refused, most-meeting)
	assert.Equal(t, 1+most, sent)
}

// A page is two dependent steps: the nights of all properties are read at the same time, after the cards, if Parallel
// allows it.
func TestPageIsTwoSteps(t *testing.T) {
	t.Parallel()
	const pageSize = 50
	h := openCity(t)
	read := make(chan struct{})
	h.Faults.Inject(dyntest.After(func(context.Context) { close(read) }), dyntest.When{Operation: "Query", Index: keys.LocationIndex, Nth: 1})
	var arrived sync.WaitGroup
	arrived.Add(pageSize)
	together := func(ctx context.Context) {
		select {
		case <-read:
		default:
			assert.Fail(t, "a night was read before the cards")
		}
		arrived.Done()
		all := make(chan struct{})
		go func() {
			arrived.Wait()
			close(all)
		}()
		select {
		case <-all:
		case <-ctx.Done():
		}
	}
	h.Faults.Inject(dyntest.Before(together), dyntest.When{Operation: "Query", Index: keys.PropertyDateIndex, Nth: 1, Times: pageSize})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	page, err := h.parallel(pageSize, nil).Page(ctx, request(func(r *search.Request) { r.Sort = search.BestRated }), dynastay.Paging{})
	require.NoError(t, err)
	assert.Len(t, page.Offers, pageSize)
}

// A page sends no more requests at a time than Options.Parallel allows, and so many.
func TestParallelRequests(t *testing.T) {
	t.Parallel()
	h := openCity(t)
	t.Run("three", func(t *testing.T) { h.countParallel(t, h.parallel(3, nil), 3) })
	h = openCity(t)
	t.Run("by default", func(t *testing.T) { h.countParallel(t, h.search, 16) })
}

// countParallel requires that a search reads the nights of so many properties at a time.
func (h *inns) countParallel(t *testing.T, s *search.Search, most int) {
	var mu sync.Mutex
	var now, peak int
	reached := make(chan struct{})
	when := dyntest.When{Operation: "Query", Index: keys.PropertyDateIndex, Nth: 1, Times: 50}
	h.Faults.Inject(dyntest.After(func(context.Context) {
		mu.Lock()
		defer mu.Unlock()
		now--
	}), when)
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		mu.Lock()
		if now++; now > peak {
			if peak = now; peak == most {
				close(reached)
			}
		}
		mu.Unlock()
		select {
		case <-reached:
		case <-ctx.Done():
		}
	}), when)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := s.Page(ctx, request(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Equal(t, most, peak)
}

// Further rounds fill a page up. A round reads candidates only if none are left of the one before.
func TestRounds(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for i, left := range []int{0, 0, 5, 0, 0, 0, 5, 5, 5, 5} {
		id := fmt.Sprint(i)
		h.add(t, inn(id), room("room_"+id, 2, "100"))
		h.rate(t, id, dynastay.Rating(90-i))
		h.change(t, id, "room_"+id, availability.Change{Rooms: &left})
	}
	for _, test := range []struct {
		rounds, requests int
		offers           []string
	}{
		{0, 1 + 4, []string{"2"}},
		{1, 1 + 4, []string{"2"}},
		{2, 1 + 4 + 1 + 3, []string{"2", "6"}},
		{3, 1 + 4 + 1 + 3 + 1, []string{"2", "6", "7"}},              // with the one that is left of the second round
		{4, 1 + 4 + 1 + 3 + 1 + 1 + 1, []string{"2", "6", "7", "8"}}, // 2 candidates, but there is room for 1 only
		{100, 1 + 4 + 1 + 3 + 1 + 1 + 1, []string{"2", "6", "7", "8"}},
	} {
		r := request(func(r *search.Request) { r.Sort = search.BestRated })
		page, requests, _, _ := h.measured(t, h.search, r, dynastay.Paging{Limit: 4, Reads: test.rounds})
		assert.Equal(t, test.offers, offered(page), test.rounds)
		assert.Equal(t, test.requests, requests, test.rounds)
		rest := h.all(t, r, dynastay.Paging{Limit: 4, Reads: test.rounds, After: page.Next}, func() {})
		assert.Equal(t, []string{"2", "6", "7", "8", "9"}, append(offered(page), rest...))
	}

	// A full page ends the rounds. On the last night, none is sold out.
	r := request(func(r *search.Request) {
		r.Sort, r.Stay.CheckIn, r.Stay.CheckOut = search.BestRated, first.AddDays(3), first.AddDays(4)
	})
	page, requests, _, _ := h.measured(t, h.search, r, dynastay.Paging{Limit: 4, Reads: 100})
	assert.Equal(t, []string{"0", "1", "2", "3"}, offered(page))
	assert.Equal(t, 2, requests) // one BatchGetItem reads the only nights of the properties
}
