package search_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// The caller's ranks may be any numbers. Equal ones are in the order of the ids, and what is not a number comes last.
func TestRanks(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	ranks := map[string]float64{
		"a": math.NaN(), "b": math.Inf(-1), "c": -2, "d": -1.5, "e": 0, "f": math.Copysign(0, -1), "g": 0, "h": 1e-300, "i": 2, "j": 2.5,
		"k": math.MaxFloat64, "l": math.Inf(1), "m": math.NaN(), "n": -math.MaxFloat64,
	}
	for id := range ranks {
		h.add(t, inn(id, func(p *properties.Property) { p.FeaturedScore = int('z' - id[0]) }), room("room_"+id, 2, "100"))
	}
	r := request(func(r *search.Request) { r.Rank = func(c *properties.Card) float64 { return ranks[c.PropertyID] } })
	want := []string{"l", "k", "j", "i", "h", "e", "f", "g", "d", "c", "n", "b", "a", "m"}
	for _, limit := range []int{1, 3, 50} {
		assert.Equal(t, want, h.all(t, r, dynastay.Paging{Limit: limit}, func() {}))
	}
}

// Without ranks of the caller, the rating decides between equal featured scores. With them, nothing but the ids does
// between equal ranks.
func TestRecommended(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for id, by := range map[string]struct {
		score  int
		rating dynastay.Rating
	}{"a": {10, 50}, "b": {10, 90}, "c": {20, 10}, "d": {0, 100}} {
		h.add(t, inn(id, func(p *properties.Property) { p.FeaturedScore = by.score }), room("room_"+id, 2, "100"))
		h.rate(t, id, by.rating)
	}
	assert.Equal(t, []string{"c", "b", "a", "d"}, offered(h.page(t, request(), dynastay.Paging{})))
	r := request(func(r *search.Request) { r.Rank = func(*properties.Card) float64 { return 1 } })
	assert.Equal(t, []string{"a", "b", "c", "d"}, offered(h.page(t, r, dynastay.Paging{})))
}

// The lowest order is by the cheapest room type, the highest one by the dearest.
func TestOrdersByBasePrice(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("a_double", 2, "150"), room("a_suite", 2, "200"))
	h.add(t, inn("b"), room("b_double", 2, "100"), room("b_suite", 2, "300"))
	for where, place := range places {
		for _, order := range []search.Sort{search.LowestPrice, search.HighestPrice} {
			r := request(place, func(r *search.Request) { r.Sort, r.Currency = order, "USD" })
			assert.Equal(t, []string{"b", "a"}, offered(h.page(t, r, dynastay.Paging{})), "%s %s", where, order)
		}
	}
}

// Cut says that an order was computed for only some of the candidates.
func TestCut(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		h.add(t, inn(id), room("room_"+id, 2, "100"))
	}
	indexed := map[string][]search.Sort{"city": {search.BestRated, search.LowestPrice}, "circle": {search.Nearest}}
	limited := map[string][]search.Sort{
		"city":   {search.Recommended, search.HighestPrice, search.LowestTotal, search.HighestTotal, search.Nearest},
		"circle": {search.LowestTotal, search.HighestTotal},
	}
	for where, place := range places {
		cuts := func(order search.Sort, candidates, rounds int) (all []bool) {
			r := request(place, func(r *search.Request) { r.Sort, r.Currency, r.Candidates = order, "USD", candidates })
			for p := (dynastay.Paging{Limit: 3, Reads: rounds}); ; {
				page := h.page(t, r, p)
				all = append(all, page.Cut)
				if p.After = page.Next; p.After == "" {
					return all
				}
			}
		}
		for _, order := range indexed[where] {
			assert.NotContains(t, cuts(order, 2, 1), true, "%s %s", where, order)
		}
		for _, order := range limited[where] {
			assert.NotContains(t, cuts(order, 6, 1), true, "%s %s", where, order)
			for _, rounds := range []int{1, 2} {
				assert.NotContains(t, cuts(order, 2, rounds), false, "%s %s", where, order)
			}
			assert.Equal(t, where == "city" && h.Has(dyntest.LastKeyAtLimit), cuts(order, 5, 1)[0], "%s %s: the index does not say that these were all", where, order)
		}
	}
	assert.False(t, h.page(t, request(places["circle"], func(r *search.Request) { r.Candidates = 1 }), dynastay.Paging{}).Cut,
		"a circle is read as a whole")
	totals := request(places["circle"], func(r *search.Request) { r.Sort, r.Currency, r.Candidates = search.LowestTotal, "USD", 2 })
	assert.Len(t, h.page(t, totals, dynastay.Paging{}).Offers, 2)
}

// A property that cannot lodge the party is on one page.
func TestRefusedOnce(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		h.add(t, inn(id), room("room_"+id, 2, "100"))
	}
	for _, id := range []string{"a", "c", "e"} {
		h.change(t, id, "room_"+id, availability.Change{Rooms: aws.Int(0)})
	}
	for _, place := range places {
		for _, order := range orders {
			for _, candidates := range []int{2, 5} {
				r := request(place, func(r *search.Request) { r.Sort, r.Currency, r.Candidates = order, "USD", candidates })
				var found []string
				for p := (dynastay.Paging{Limit: 1}); ; {
					page := h.page(t, r, p)
					for _, refusal := range page.Refused {
						found = append(found, refusal.Property.PropertyID)
					}
					if p.After = page.Next; p.After == "" {
						break
					}
				}
				assert.Equal(t, []string{"a", "c", "e"}, sorted(found), order)
			}
		}
	}
}

// Distances are from the point of the request, and are ordered however close they are. Without a point, they are 0.
func TestDistances(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	const apart = 1e-6 // degrees: 11 cm
	for i, id := range []string{"c", "b", "a"} {
		h.add(t, inn(id, func(p *properties.Property) { p.Address.Latitude += float64(i) * apart }), room("room_"+id, 2, "100"))
	}
	h.change(t, "b", "room_b", availability.Change{Rooms: aws.Int(0)})
	for where, place := range places {
		page := h.page(t, request(place, func(r *search.Request) { r.Sort = search.Nearest }), dynastay.Paging{})
		require.Equal(t, []string{"c", "a"}, offered(page), where)
		assert.Zero(t, page.Offers[0].Distance)
		far := key.Distance(lisbon, key.Point{Latitude: lisbon.Latitude + 2*apart, Longitude: lisbon.Longitude})
		assert.InDelta(t, far, page.Offers[1].Distance, 1e-3)
		require.Len(t, page.Refused, 1)
		assert.InDelta(t, far/2, page.Refused[0].Distance, 1e-3)
	}
	page := h.page(t, request(), dynastay.Paging{})
	assert.Zero(t, page.Offers[0].Distance)
	assert.Zero(t, page.Offers[1].Distance)
}

// The candidates of an order are read in the order of the index that is closest to it, those of a circle in the order
// of the base prices.
func TestOrderOfCandidates(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for i, id := range []string{"c", "a", "d", "b"} { // cheapest first, best rated last
		h.add(t, inn(id), room("room_"+id, 2, strconv.Itoa(100+i)))
		h.rate(t, id, dynastay.Rating(50+i))
	}
	upwards, downwards := []string{"c", "a", "d", "b"}, []string{"b", "d", "a", "c"}
	for order, want := range map[search.Sort][]string{
		search.LowestPrice: upwards, search.LowestTotal: upwards, search.HighestPrice: downwards, search.HighestTotal: downwards,
		search.Recommended: downwards, search.BestRated: downwards,
	} {
		for where, place := range places {
			r := request(place, func(r *search.Request) { r.Sort, r.Currency, r.Candidates = order, "USD", 1 })
			assert.Equal(t, want, h.all(t, r, dynastay.Paging{}, func() {}), "%s %s", where, order)
		}
	}
}

// Filters that are part of a key leave out candidates before they are read.
func TestFiltersOfKeys(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for id, rating := range map[string]dynastay.Rating{"a": 95, "b": 50, "c": 40, "d": 30} {
		h.add(t, inn(id, func(p *properties.Property) {
			if p.Stars = 4; id == "a" {
				p.Stars = 5
			}
		}), room("room_"+id, 2, "100"))
		h.rate(t, id, rating)
	}
	stars := h.page(t, request(func(r *search.Request) { r.Sort, r.Filter.Stars = search.BestRated, []int{4} }), dynastay.Paging{Limit: 1})
	assert.Equal(t, []string{"b"}, offered(stars))
	for limit, filter := range map[int]search.Filter{2: {Stars: []int{4}, MinRating: 45}, 3: {MinRating: 45}} {
		r := request(func(r *search.Request) { r.Sort, r.Filter = search.BestRated, filter })
		page := h.page(t, r, dynastay.Paging{Limit: limit})
		assert.Contains(t, offered(page), "b")
		assert.Empty(t, page.Next)
	}
}

// Equally good properties are ordered by id. An index that is read backwards has them in the opposite order.
func TestOrderOfEqualProperties(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for _, id := range []string{"b", "a", "c"} {
		h.add(t, inn(id), room("room_"+id, 2, "100"))
	}
	for where, place := range places {
		for _, order := range orders {
			want := []string{"a", "b", "c"}
			if where == "city" && order == search.BestRated {
				want = []string{"c", "b", "a"}
			}
			r := request(place, func(r *search.Request) { r.Sort, r.Currency = order, "USD" })
			assert.Equal(t, want, h.all(t, r, dynastay.Paging{Limit: 2}, func() {}), "%s %s", where, order)
		}
	}
}

// Other software may have stored a price that is too large for an order. Its property comes after all others, or before
// them in descending order.
func TestTotalTooLargeForAnOrder(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for id, price := range map[string]string{"a": "100000000000000000", "b": "100", "c": "200"} {
		h.add(t, inn(id), room("room_"+id, 2, "100"))
		for date := range stay.Dates() {
			h.set(t, keys.AvailabilityTable, nightKey("room_"+id, date), &types.AttributeValueMemberN{Value: price}, "PricePerNight")
		}
	}
	for order, want := range map[search.Sort][]string{search.LowestTotal: {"b", "c", "a"}, search.HighestTotal: {"a", "c", "b"}} {
		r := request(func(r *search.Request) { r.Sort, r.Currency = order, "USD" })
		assert.Equal(t, want, h.all(t, r, dynastay.Paging{Limit: 1}, func() {}))
	}
}
