package search_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/market"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

var (
	modelSize = flag.Int("market.properties", 300, "number of properties that searches are compared with")
	modelSeed = flag.Uint64("search.seed", 0, "seed of the market; 0 draws one")
)

// expected is an offer as the model computes it: the rooms of each quote with its total.
type expected struct {
	card     *properties.Card
	distance float64
	quotes   []string // sorted
	total    dynastay.Money
}

// Every request is answered as a brute-force model answers it, over all pages.
func TestSearchAgreesWithTheMarket(t *testing.T) {
	t.Parallel()
	seed := cmp.Or(*modelSeed, uint64(time.Now().UnixNano()))
	t.Logf("to repeat the market: -search.seed %d", seed)
	h := openHotels(t, seed, *modelSize)
	rapid.Check(t, func(rt *rapid.T) {
		r := drawRequest(rt)
		limit, rounds := rapid.IntRange(1, 60).Draw(rt, "limit"), rapid.IntRange(1, 3).Draw(rt, "rounds")
		want := h.answer(r, limit)
		var got []expected
		for p := (dynastay.Paging{Limit: limit, Reads: rounds}); ; {
			page, err := h.search.Page(t.Context(), r, p)
			require.NoError(rt, err)
			require.LessOrEqual(rt, len(page.Offers), limit)
			for _, o := range page.Offers {
				got = append(got, actual(o))
			}
			assertSame(rt, h.db.DB, r, page.Offers[:min(1, len(page.Offers))], page.Refused[:min(1, len(page.Refused))])
			if p.After = page.Next; p.After == "" {
				break
			}
		}
		require.Equal(rt, described(want), described(got))
	})
}

func described(all []expected) string {
	var b strings.Builder
	for _, e := range all {
		fmt.Fprintf(&b, "%s %.3f %v\n", e.card.PropertyID, e.distance, e.quotes)
	}
	return b.String()
}

func actual(o search.Offer) expected {
	e := expected{card: o.Property, distance: o.Distance, total: must(o.Quotes[0].GuestPays())}
	for _, q := range o.Quotes {
		rooms := map[string]int{}
		for _, line := range q.Lines {
			rooms[modelSale{roomTypeID: line.RoomTypeID, plan: line.Plan}.String()] += line.Quantity
		}
		e.quotes = append(e.quotes, quoted(rooms, must(q.GuestPays())))
	}
	slices.Sort(e.quotes)
	return e
}

func quoted(rooms map[string]int, total dynastay.Money) string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(rooms)) {
		fmt.Fprintf(&b, "%d×%s ", rooms[id], id)
	}
	return b.String() + total.String()
}

func drawRequest(t *rapid.T) search.Request {
	city := rapid.SampledFrom(market.Cities).Draw(t, "city")
	from := rapid.IntRange(0, openNights-1).Draw(t, "from")
	r := search.Request{
		City: city.Name, Country: city.Country,
		Stay: dynastay.Stay{CheckIn: first.AddDays(from), CheckOut: first.AddDays(rapid.IntRange(from+1, openNights).Draw(t, "to"))},
		Guests: availability.Guests{
			Adults: rapid.IntRange(1, 5).Draw(t, "adults"), Children: rapid.IntRange(0, 3).Draw(t, "children"),
		},
		Sort: rapid.SampledFrom([]search.Sort{
			search.Recommended, search.BestRated, search.LowestPrice, search.HighestPrice, search.LowestTotal, search.HighestTotal, search.Nearest,
		}).Draw(t, "sort"),
		Candidates: rapid.SampledFrom([]int{0, 3, 40, 1000}).Draw(t, "candidates"),
	}
	r.ChildAges = rapid.SliceOfN(rapid.IntRange(0, 17), 0, r.Guests.Children).Draw(t, "ages")
	r.Rooms = rapid.IntRange(0, min(2, r.Guests.Adults)).Draw(t, "rooms")
	if rapid.Bool().Draw(t, "point") || r.Sort == search.Nearest {
		r.Point = &key.Point{Latitude: city.Latitude + 0.1, Longitude: city.Longitude}
	}
	if r.Point != nil && rapid.Bool().Draw(t, "around") {
		r.City, r.Country, r.Radius = "", "", rapid.Float64Range(key.MinRadius, 60_000).Draw(t, "radius")
	}
	if r.Sort == search.Recommended && rapid.Bool().Draw(t, "ranked") {
		r.Rank = byNameLength
	}
	drawFilter(t, &r)
	return r
}

func byNameLength(c *properties.Card) float64 { return -float64(len(c.Name)) / 3 }

func drawFilter(t *rapid.T, r *search.Request) {
	f := &r.Filter
	maybe := func(label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 0 }
	priced := slices.Contains([]search.Sort{search.LowestPrice, search.HighestPrice, search.LowestTotal, search.HighestTotal}, r.Sort)
	if priced || maybe("currency") {
		r.Currency = rapid.SampledFrom(market.Currencies).Draw(t, "currency")
		if maybe("minimum") {
			f.MinNightly = dynastay.MustMoney(rapid.SampledFrom([]string{"0", "90", "120.5"}).Draw(t, "min"), r.Currency)
		}
		if maybe("maximum") {
			f.MaxNightly = dynastay.MustMoney(rapid.SampledFrom([]string{"150", "299.99", "1000"}).Draw(t, "max"), r.Currency)
		}
	}
	if maybe("stars") {
		f.Stars = rapid.SliceOfNDistinct(rapid.IntRange(1, 5), 1, 3, rapid.ID[int]).Draw(t, "stars")
	}
	if maybe("rating") {
		f.MinRating = dynastay.Rating(rapid.SampledFrom([]int{1, 79, 80, 99, 100}).Draw(t, "rating"))
	}
	if maybe("types") {
		f.Types = rapid.SliceOfNDistinct(rapid.SampledFrom(market.Types), 1, 2, rapid.ID[properties.Type]).Draw(t, "types")
	}
	if maybe("amenities") {
		f.AmenityIDs = rapid.SliceOfNDistinct(rapid.SampledFrom(market.AmenityIDs), 1, 2, rapid.ID[string]).Draw(t, "amenities")
	}
	f.FreeCancellation = maybe("free")
	if rapid.IntRange(0, 7).Draw(t, "meals") == 7 {
		f.Meals = rapid.SliceOfNDistinct(rapid.SampledFrom(tariffMeals), 1, 3, rapid.ID[availability.MealPlan]).Draw(t, "meal")
	}
}

// answer is what a search with pages of a limit should find: the candidates part by part, each part in order.
func (h *hotels) answer(r search.Request, limit int) (all []expected) {
	read := h.Cards(func(p *properties.WithRooms) bool { return h.read(r, p) })
	slices.SortFunc(read, func(a, b *properties.Card) int { return compareRead(r, a, b) })
	size := r.Candidates
	switch {
	case r.Radius > 0 && !byTotal(r), r.Radius == 0 && (r.Sort == search.BestRated || r.Sort == search.LowestPrice):
		size = len(read) + 1 // an index has the order, or all are read
	case size == 0:
		size = max(limit, 100)
	}
	for part := range slices.Chunk(read, size) {
		var found []expected
		for _, card := range part {
			e := expected{card: card}
			if r.Point != nil {
				e.distance = key.Distance(*r.Point, key.Point{Latitude: card.Latitude, Longitude: card.Longitude})
			}
			if h.meets(r, card) {
				h.quote(r, &e)
			}
			if len(e.quotes) > 0 {
				slices.Sort(e.quotes)
				found = append(found, e)
			}
		}
		slices.SortFunc(found, func(a, b expected) int { return compare(r, a, b) })
		all = append(all, found...)
	}
	return all
}

func byTotal(r search.Request) bool {
	return r.Sort == search.LowestTotal || r.Sort == search.HighestTotal
}

func byPrice(r search.Request) bool {
	return byTotal(r) || r.Sort == search.LowestPrice || r.Sort == search.HighestPrice
}

// read reports whether a property is a candidate. In a city, these are what the keys select. In a circle, they are the
// ones that meet the filters.
func (h *hotels) read(r search.Request, p *properties.WithRooms) bool {
	if r.Radius > 0 {
		return key.Distance(*r.Point, key.Point{Latitude: p.Address.Latitude, Longitude: p.Address.Longitude}) <= r.Radius && h.meets(r, p.Card())
	}
	if p.Address.City != r.City || p.Address.Country != r.Country {
		return false
	}
	if byPrice(r) {
		return p.Prices.Min.Currency() == r.Currency
	}
	return p.Rating >= r.Filter.MinRating && (len(r.Filter.Stars) != 1 || p.Stars == r.Filter.Stars[0])
}

// compareRead is the order in which candidates are read.
func compareRead(r search.Request, a, b *properties.Card) int {
	ids := strings.Compare(a.PropertyID, b.PropertyID)
	descending := r.Sort == search.HighestPrice || r.Sort == search.HighestTotal
	switch {
	case r.Radius > 0 && descending:
		return cmp.Or(compareMoney(b.Prices.Max, a.Prices.Max), ids)
	case byPrice(r) && descending:
		return -cmp.Or(compareMoney(a.Prices.Min, b.Prices.Min), ids)
	case byPrice(r):
		return cmp.Or(compareMoney(a.Prices.Min, b.Prices.Min), ids)
	}
	return -cmp.Or(cmp.Compare(a.Rating, b.Rating), ids)
}

// meets reports whether a card meets the filters.
func (h *hotels) meets(r search.Request, c *properties.Card) bool {
	f := r.Filter
	for _, id := range f.AmenityIDs {
		if !slices.Contains(c.AmenityIDs, id) {
			return false
		}
	}
	return c.Rating >= f.MinRating && (f.Stars == nil || slices.Contains(f.Stars, c.Stars)) &&
		(f.Types == nil || slices.Contains(f.Types, c.Type)) && (r.Currency == "" || c.Prices.Min.Currency() == r.Currency)
}

// quote adds the quotes of a property by trying every number of every room type.
func (h *hotels) quote(r search.Request, e *expected) {
	wanted := max(r.Rooms, 1)
	usable := h.sales(r, e.card)
	alone := map[string]dynastay.Money{}
	for _, s := range usable {
		if !holds(r.Guests, map[properties.CardRoom]int{s.room: wanted}) {
			continue
		}
		_, left, _ := h.price(s.roomTypeID, r.Stay)
		if total, unsold := h.total(r, e.card.PropertyID, slices.Repeat([]modelSale{s}, wanted)); len(unsold) == 0 && left >= wanted {
			alone[quoted(map[string]int{s.String(): wanted}, total)] = total
		}
	}
	if len(alone) == 0 {
		alone = nil
		for remaining := usable; len(remaining) > 0 && alone == nil; { // without what is not for those who would stay there
			var unsold []string
			alone, unsold = h.together(r, e.card.PropertyID, h.cheapest(r, remaining), wanted)
			if len(unsold) == 0 {
				break
			}
			remaining = slices.DeleteFunc(slices.Clone(remaining), func(s modelSale) bool { return slices.Contains(unsold, s.String()) })
		}
	}
	for text, total := range alone {
		if r.Filter.MinNightly.IsSet() && compareMoney(total, must(r.Filter.MinNightly.Times(r.Stay.Nights()))) < 0 ||
			r.Filter.MaxNightly.IsSet() && compareMoney(total, must(r.Filter.MaxNightly.Times(r.Stay.Nights()))) > 0 {
			continue
		}
		e.quotes = append(e.quotes, text)
		if !e.total.IsSet() || compareMoney(total, e.total) < 0 {
			e.total = total
		}
	}
}

// together returns the cheapest combination of room types, each with the sale that is cheapest for one room, or the sales by
// which the rooms of it cannot be sold to those who would stay there.
func (h *hotels) together(r search.Request, propertyID string, usable []modelSale, wanted int) (sold map[string]dynastay.Money, unsold []string) {
	var best []int
	var bestTotal dynastay.Money
	counts := make([]int, len(usable))
	var try func(i, rooms int, total dynastay.Money)
	try = func(i, rooms int, total dynastay.Money) {
		if i == len(usable) {
			taken := map[properties.CardRoom]int{}
			for j, n := range counts {
				taken[usable[j].room] = n
			}
			if rooms < wanted || !total.IsSet() || !holds(r.Guests, taken) {
				return
			}
			less := best == nil
			if best != nil {
				// Fewer rooms first, then more of the first room types.
				less = cmp.Or(compareMoney(total, bestTotal), sum(counts)-sum(best), -slices.Compare(counts, best)) < 0
			}
			if less {
				best, bestTotal = slices.Clone(counts), total
			}
			return
		}
		price, left, ok := h.one(r, usable[i])
		if _, err := key.PriceOf(price); err != nil {
			ok = false // too expensive to be combined
		}
		for n := 0; n == 0 || ok && n <= left && rooms+n <= r.Guests.Adults; n++ {
			counts[i] = n
			try(i+1, rooms+n, must(total.Add(must(price.Times(n)))))
		}
		counts[i] = 0
	}
	try(0, 0, dynastay.Money{})
	if best == nil {
		return nil, nil
	}
	taken := map[string]int{}
	var rooms []modelSale
	for i, n := range best {
		if n > 0 {
			taken[usable[i].String()] = n
			rooms = append(rooms, slices.Repeat([]modelSale{usable[i]}, n)...)
		}
	}
	total, unsold := h.total(r, propertyID, rooms) // of who really stays in each
	if len(unsold) > 0 {
		return nil, unsold
	}
	return map[string]dynastay.Money{quoted(taken, total): total}, nil
}

func sum(counts []int) (all int) {
	for _, n := range counts {
		all += n
	}
	return all
}

// holds reports whether the guests fit into the rooms with an adult in each; all rooms of the market hold an adult. One
// adult is put into each room first, and the others and the children take the places that are left.
func holds(g availability.Guests, rooms map[properties.CardRoom]int) bool {
	adults, children, all := 0, 0, 0
	for room, n := range rooms {
		g.Adults -= n
		places := room.MaxOccupancy - 1
		adults += n * min(room.MaxAdults-1, places)
		children += n * min(room.MaxChildren, places)
		all += n * min(places, room.MaxAdults-1+room.MaxChildren)
	}
	return g.Adults >= 0 && g.Adults <= adults && g.Children <= children && g.Adults+g.Children <= all
}

func compareMoney(a, b dynastay.Money) int { return must(a.Compare(b)) }

// compare is the documented order.
func compare(r search.Request, a, b expected) int {
	by, ids := 0, strings.Compare(a.card.PropertyID, b.card.PropertyID)
	switch r.Sort {
	case search.Recommended:
		by = cmp.Or(cmp.Compare(b.card.FeaturedScore, a.card.FeaturedScore), cmp.Compare(b.card.Rating, a.card.Rating))
		if r.Rank != nil {
			by = cmp.Compare(byNameLength(b.card), byNameLength(a.card))
		}
	case search.BestRated:
		if by = cmp.Compare(b.card.Rating, a.card.Rating); r.Radius == 0 {
			ids = -ids
		}
	case search.LowestPrice:
		by = compareMoney(a.card.Prices.Min, b.card.Prices.Min)
	case search.HighestPrice:
		by = compareMoney(b.card.Prices.Max, a.card.Prices.Max)
	case search.LowestTotal:
		by = compareMoney(a.total, b.total)
	case search.HighestTotal:
		by = compareMoney(b.total, a.total)
	case search.Nearest:
		by = cmp.Compare(a.distance, b.distance)
	}
	return cmp.Or(by, ids)
}
