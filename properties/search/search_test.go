package search_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/market"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

var orders = []search.Sort{
	search.Recommended, search.BestRated, search.LowestPrice, search.HighestPrice, search.LowestTotal, search.HighestTotal, search.Nearest,
}

// places are a city and a circle.
var places = map[string]func(*search.Request){
	"city":   func(r *search.Request) { r.Point = &lisbon },
	"circle": func(r *search.Request) { r.City, r.Country, r.Point, r.Radius = "", "", &lisbon, 50_000 },
}

// numbered returns a property at its own place in every order. The lower the number, which is above -60, the earlier it
// comes in an order from low to high.
func numbered(id string, n int) (properties.Property, properties.RoomType) {
	p := inn(id, func(p *properties.Property) {
		p.FeaturedScore = 60 + n/2
		p.Address.Latitude += float64(60+n) / 1000
	})
	return p, room("room_of_"+id, 2, fmt.Sprint(100+n))
}

// rate gives a property a rating with one review.
func (n *inns) rate(t testing.TB, id string, rating dynastay.Rating) {
	t.Helper()
	_, err := n.properties.Rate(t.Context(), id, 0, rating)
	require.NoError(t, err)
}

// items returns all items of the tables that searches read.
func (n *inns) items(t testing.TB) map[*dynastay.Schema][]dynastay.Item {
	t.Helper()
	all := map[*dynastay.Schema][]dynastay.Item{}
	for _, s := range []*dynastay.Schema{keys.PropertiesTable, keys.AvailabilityTable} {
		all[s] = raw.All(t, n.DB, s)
	}
	return all
}

// row returns properties with the even numbers below 2 × size.
func row(t testing.TB, size int) map[*dynastay.Schema][]dynastay.Item {
	t.Helper()
	h := openInns(t, searchTables)
	for n := range size {
		id := fmt.Sprintf("%02d", 2*n)
		p, r := numbered(id, 2*n)
		h.add(t, p, r)
		h.rate(t, id, dynastay.Rating(10+n*90/size))
	}
	return h.items(t)
}

// put writes items without the library's checks.
func (n *inns) put(t testing.TB, all map[*dynastay.Schema][]dynastay.Item) {
	t.Helper()
	require.NoError(t, n.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for s, items := range all {
			for _, item := range items {
				if !yield(s, item) {
					return
				}
			}
		}
	}))
}

// Properties that do not change are on one page each, whatever happens to others between the pages. The numbers of
// candidates are fewer than there are properties at first, and hardly more.
func TestPagesWhileOthersChange(t *testing.T) {
	t.Parallel()
	const size = 20
	items := row(t, size)
	for where, place := range places {
		for _, order := range orders {
			for _, candidates := range []int{4, size + 1} {
				t.Run(fmt.Sprintf("%s %q %d", where, order, candidates), func(t *testing.T) {
					t.Parallel()
					h := openInns(t, searchTables)
					h.put(t, items)
					c := &changes{inns: h}
					r := request(place, func(r *search.Request) { r.Sort, r.Currency, r.Candidates = order, "USD", candidates })
					found := h.all(t, r, dynastay.Paging{Limit: 3}, func() { c.next(t) })
					require.GreaterOrEqual(t, c.step, changeSteps)
					var still []string
					for n := range size {
						if n%4 > 0 {
							still = append(still, fmt.Sprintf("%02d", 2*n))
						}
					}
					found = slices.DeleteFunc(found, func(id string) bool { return !slices.Contains(still, id) })
					assert.Equal(t, still, sorted(found))
				})
			}
		}
	}
}

// changes are changes of every fourth property of a row, and new ones among, before and after the others.
type changes struct {
	*inns
	step int
}

const changeSteps = 4

func (c *changes) next(t *testing.T) {
	t.Helper()
	if c.step++; c.step > changeSteps {
		return // or an order in which all new ones come later would never end
	}
	for _, n := range []int{[]int{-40, 60}[c.step%2] + c.step, 1 + 6*c.step} {
		id := fmt.Sprintf("new_%03d", 60+n)
		p, r := numbered(id, n)
		c.add(t, p, r)
		c.rate(t, id, dynastay.Rating(55+n/2))
	}
	id := fmt.Sprintf("%02d", 8*(c.step-1))
	roomID := "room_of_" + id
	switch c.step % 3 {
	case 0:
		_, err := c.properties.Suspend(t.Context(), id)
		require.NoError(t, err)
	case 1:
		c.change(t, id, roomID, availability.Change{Rooms: new(int)}) // sold out
		c.rate(t, id, 100)
	case 2:
		c.change(t, id, roomID, availability.Change{Price: usd("400")})
		_, err := c.properties.UpdateRoomType(t.Context(), id, roomID, func(r *properties.RoomType) error {
			r.BasePrice = usd("1")
			return nil
		})
		require.NoError(t, err)
	}
}

// What a page orders is read again as a whole, whatever the number of candidates now is, and with further requests if
// DynamoDB ends its pages early.
func TestSpansAreReadAgain(t *testing.T) {
	t.Parallel()
	const size = 6
	h := openInns(t, searchTables)
	h.put(t, row(t, size))
	r := request(func(r *search.Request) { r.Rank = byID })
	want := []string{"00", "02", "04", "06", "08", "10"}
	first := h.page(t, r, dynastay.Paging{Limit: 1})

	fewer := r
	fewer.Candidates = 1
	page, requests, _, _ := h.measured(t, h.search, fewer, dynastay.Paging{Limit: 1, After: first.Next})
	assert.Equal(t, want[1:2], offered(page))
	assert.Equal(t, 2, requests)

	h.Faults.Inject(dyntest.ShortPages(2), dyntest.When{Operation: "Query", Index: keys.LocationIndex})
	assert.Equal(t, want[1:], h.all(t, r, dynastay.Paging{Limit: 1, After: first.Next}, func() {}))
	short := h.all(t, r, dynastay.Paging{Limit: 1}, func() {}) // in order among two at a time
	assert.Equal(t, []string{"08", "10", "04", "06", "00", "02"}, short)
}

// Candidates that come into a span later do not move its end, after which candidates would be offered again.
func TestSpanKeepsItsEnd(t *testing.T) {
	t.Parallel()
	for where, place := range places {
		for _, candidates := range []int{2, 3} { // fewer than there are, and all
			h := openInns(t, searchTables)
			add := func(id, base, price string) {
				h.add(t, inn(id), room("room_"+id, 2, base))
				h.change(t, id, "room_"+id, availability.Change{Price: usd(price)})
			}
			add("a", "100", "300")
			add("b", "110", "200")
			add("c", "120", "400")
			r := request(place, func(r *search.Request) { r.Sort, r.Currency, r.Candidates = search.LowestTotal, "USD", candidates })
			page := h.page(t, r, dynastay.Paging{Limit: 1})
			require.Equal(t, []string{"b"}, offered(page))
			add("d", "105", "250")
			add("e", "106", "251")
			rest := h.all(t, r, dynastay.Paging{Limit: 1, After: page.Next}, func() {})
			assert.Equal(t, []string{"d", "e", "a", "c"}, rest, "%s %d", where, candidates)
		}
	}
}

// byID ranks the first ids highest.
func byID(c *properties.Card) float64 {
	return -float64(c.PropertyID[0])*256 - float64(c.PropertyID[1])
}

// Cursors are not signed. One that somebody has made up does not make a page read a whole city.
func TestForgedCursor(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("room_a", 2, "100"))
	template := slices.DeleteFunc(h.items(t)[keys.PropertiesTable], func(item dynastay.Item) bool { return item[keys.AttrCard] == nil })
	const most = 2000
	require.NoError(t, h.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for n := range most {
			ids := strings.NewReplacer("PROPERTY#a", fmt.Sprintf("PROPERTY#a%04d", n))
			for _, item := range template {
				if !yield(keys.PropertiesTable, market.Copied(&types.AttributeValueMemberM{Value: item}, ids).(*types.AttributeValueMemberM).Value) {
					return
				}
			}
		}
	}))
	for where, place := range places {
		r := request(place, func(r *search.Request) { r.Sort, r.Currency, r.Guests.Adults = search.LowestTotal, "USD", 30 })
		forged := must(search.ForgedCursor(r, h.Clock.Now(), ""))
		requests := h.Faults.Count("Query")
		_, err := h.search.Page(t.Context(), r, dynastay.Paging{After: forged})
		require.ErrorIs(t, err, dynastay.ErrCursor, where)
		assert.Less(t, h.Faults.Count("Query")-requests, 32, "no nights have been read")
	}
	raw.Delete(t, h.DB, keys.PropertiesTable, propertyKey("a0000"))
	for _, place := range places {
		r := request(place, func(r *search.Request) { r.Sort, r.Currency = search.LowestTotal, "USD" })
		page, err := h.search.Page(t.Context(), r, dynastay.Paging{After: must(search.ForgedCursor(r, h.Clock.Now(), ""))})
		require.NoError(t, err)
		assert.Len(t, page.Refused, most-1)
	}
}

// What a cursor contains is checked as well.
func TestForgedBeginning(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("room_a", 2, "100"))
	for where, place := range places {
		r := request(place, func(r *search.Request) { r.Sort, r.Currency = search.LowestTotal, "USD" })
		_, err := h.search.Page(t.Context(), r, dynastay.Paging{After: must(search.ForgedCursor(r, h.Clock.Now(), "a"))})
		require.ErrorIs(t, err, dynastay.ErrCursor, where)
	}
}

// The limit of a page may change from page to page.
func TestLimitMayChange(t *testing.T) {
	t.Parallel()
	h := openHotels(t, 2, 100)
	city := market.Cities[0]
	r := search.Request{
		City: city.Name, Country: city.Country, Guests: availability.Guests{Adults: 1}, Sort: search.BestRated,
		Stay: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(1)},
	}
	all, err := h.search.Page(t.Context(), r, dynastay.Paging{Limit: 100})
	require.NoError(t, err)
	require.Empty(t, all.Next)
	var got []search.Offer
	for p := (dynastay.Paging{Limit: 1}); ; p.Limit++ {
		page, err := h.search.Page(t.Context(), r, p)
		require.NoError(t, err)
		got = append(got, page.Offers...)
		if p.After = page.Next; p.After == "" {
			break
		}
	}
	assert.Equal(t, all.Offers, got)
}

// A request that fails is the error of the whole page.
func TestFailedRequests(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for _, id := range []string{"a", "b", "c"} {
		h.add(t, inn(id), room("room_"+id, 2, "100"), room("double_"+id, 2, "100"))
	}
	for _, place := range places {
		for _, index := range []string{keys.LocationIndex, keys.GeohashIndex, keys.PropertyDateIndex} {
			r := request(place)
			if r.City == "" && index == keys.LocationIndex || r.City != "" && index == keys.GeohashIndex {
				continue
			}
			for name, fault := range map[string]dyntest.Fault{"denied": dyntest.Fail("AccessDeniedException"), "lost": dyntest.LoseAnswer()} {
				h.Faults.Inject(fault, dyntest.When{Operation: "Query", Index: index, Nth: 1, EveryAttempt: true})
				page, err := h.search.Page(t.Context(), r, dynastay.Paging{})
				require.Error(t, err, name)
				assert.Empty(t, page)
				assert.NotErrorIs(t, err, dynastay.ErrCorrupt)
			}
			ctx, cancel := context.WithCancel(t.Context())
			h.Faults.Inject(dyntest.Before(func(context.Context) { cancel() }), dyntest.When{Operation: "Query", Index: index, Nth: 1})
			page, err := h.search.Page(ctx, r, dynastay.Paging{})
			require.ErrorIs(t, err, context.Canceled)
			assert.Empty(t, page)
		}
	}
	assert.Len(t, h.page(t, request(), dynastay.Paging{}).Offers, 3)
}
