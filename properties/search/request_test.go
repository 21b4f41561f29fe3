package search_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// query is a request and a page of it.
type query struct {
	search.Request
	paging dynastay.Paging
}

func queryOf(edits ...func(*query)) query {
	q := query{Request: request()}
	for _, edit := range edits {
		edit(&q)
	}
	return q
}

// circle changes the destination to a circle around Lisbon.
func circle(q *query) { q.City, q.Country, q.Point, q.Radius = "", "", &lisbon, 10_000 }

// dollars states the currency.
func dollars(q *query) { q.Currency = "USD" }

// Every argument that is not valid is refused before any request, with its field.
func TestInvalidRequests(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	today := dynastay.DateOf(fixture.Now, time.FixedZone("", -12*60*60))
	many := func(n int) []string { return strings.Split(strings.Repeat("a,", n-1)+"a", ",") }
	for _, test := range []struct {
		field, reason string
		edits         []func(*query)
	}{
		{"Paging.Limit", "between 1 and 1,000", []func(*query){func(q *query) { q.paging.Limit = -1 }}},
		{"Paging.Limit", "between 1 and 1,000", []func(*query){func(q *query) { q.paging.Limit = 1001 }}},
		{"Paging.Reads", "between 1 and 100", []func(*query){func(q *query) { q.paging.Reads = -1 }}},
		{"Paging.Reads", "between 1 and 100", []func(*query){func(q *query) { q.paging.Reads = 101 }}},
		{"Paging.Until", "not supported", []func(*query){func(q *query) { q.paging.Until = "a" }}},
		{"Paging.After", "not a valid cursor", []func(*query){func(q *query) { q.paging.After = "a" }}},
		{"Guests.Adults", "between 1 and 30", []func(*query){func(q *query) { q.Guests.Adults = 0 }}},
		{"Guests.Adults", "between 1 and 30", []func(*query){func(q *query) { q.Guests.Adults = 31 }}},
		{"Guests.Children", "between 0 and 29", []func(*query){func(q *query) { q.Guests.Children = -1 }}},
		{"Guests.Children", "at most 30", []func(*query){func(q *query) { q.Guests.Children = 29 }}},
		{"Rooms", "between 1 and 30", []func(*query){func(q *query) { q.Rooms = -1 }}},
		{"Rooms", "between 1 and 30", []func(*query){func(q *query) { q.Rooms = 31 }}},
		{"Guests.Adults", "at least 3, one for each room", []func(*query){func(q *query) { q.Guests.Children, q.Rooms = 2, 3 }}},
		{"Stay.CheckIn", "", []func(*query){func(q *query) { q.Stay = dynastay.Stay{} }}},
		{"Stay.CheckOut", "", []func(*query){func(q *query) { q.Stay.CheckOut = q.Stay.CheckIn }}},
		{"Stay", "at most 90 nights", []func(*query){func(q *query) { q.Stay.CheckOut = q.Stay.CheckIn.AddDays(91) }}},
		{"Stay.CheckIn", "before today", []func(*query){func(q *query) { q.Stay.CheckIn = today.AddDays(-1) }}},
		{"City", "or a Point with a Radius", []func(*query){func(q *query) { q.City, q.Country = "", "" }}},
		{"City", "or a Point with a Radius", []func(*query){circle, func(q *query) { q.Point = nil }}},
		{"City", "", []func(*query){func(q *query) { q.City = "" }}},
		{"Country", "", []func(*query){func(q *query) { q.Country = "" }}},
		{"Radius", "", []func(*query){circle, func(q *query) { q.Radius = 0 }}},
		{"Radius", "", []func(*query){circle, func(q *query) { q.Radius = 99.9 }}},
		{"Radius", "", []func(*query){circle, func(q *query) { q.Radius = 100_001 }}},
		{"Radius", "", []func(*query){circle, func(q *query) { q.Radius = math.NaN() }}},
		{"Radius", "combined with a City", []func(*query){func(q *query) { q.Radius = 1000 }}},
		{"Radius", "combined with a City", []func(*query){func(q *query) { q.Point, q.Radius = &lisbon, 1000 }}},
		{"Point.Latitude", "", []func(*query){circle, func(q *query) { q.Point = &key.Point{Latitude: 91} }}},
		{"Point.Longitude", "", []func(*query){func(q *query) { q.Point = &key.Point{Longitude: math.NaN()} }}},
		{"Point", "order Nearest", []func(*query){func(q *query) { q.Sort = search.Nearest }}},
		{"Currency", "order by price", []func(*query){func(q *query) { q.Sort = search.LowestPrice }}},
		{"Currency", "order by price", []func(*query){func(q *query) { q.Sort = search.HighestPrice }}},
		{"Currency", "order by price", []func(*query){func(q *query) { q.Sort = search.LowestTotal }}},
		{"Currency", "order by price", []func(*query){func(q *query) { q.Sort = search.HighestTotal }}},
		{"Currency", "filter of prices", []func(*query){func(q *query) { q.Filter.MinNightly = usd("1") }}},
		{"Currency", "filter of prices", []func(*query){func(q *query) { q.Filter.MaxNightly = usd("0") }}},
		{"Currency", "", []func(*query){func(q *query) { q.Currency = "usd" }}},
		{"Filter.MinNightly", "currency of the request, USD", []func(*query){dollars, func(q *query) { q.Filter.MinNightly = dynastay.MustMoney("1", "EUR") }}},
		{"Filter.MaxNightly", "currency of the request, USD", []func(*query){dollars, func(q *query) { q.Filter.MaxNightly = dynastay.MustMoney("1", "EUR") }}},
		{"Filter.MinNightly", "", []func(*query){dollars, func(q *query) { q.Filter.MinNightly = usd("-1") }}},
		{"Filter.MaxNightly", "", []func(*query){dollars, func(q *query) { q.Filter.MaxNightly = usd("1.0001") }}},
		{"Filter.MinNightly", "exceed MaxNightly", []func(*query){dollars, func(q *query) { q.Filter.MinNightly, q.Filter.MaxNightly = usd("1.01"), usd("1") }}},
		{"Filter.MinRating", "", []func(*query){func(q *query) { q.Filter.MinRating = 101 }}},
		{"Filter.MinRating", "", []func(*query){func(q *query) { q.Filter.MinRating = -1 }}},
		{"Filter.Stars", "at most 50 entries", []func(*query){func(q *query) { q.Filter.Stars = make([]int, 51) }}},
		{"Filter.Stars[1]", "between 1 and 5", []func(*query){func(q *query) { q.Filter.Stars = []int{1, 0} }}},
		{"Filter.Stars[1]", "between 1 and 5", []func(*query){func(q *query) { q.Filter.Stars = []int{5, 6} }}},
		{"Filter.Types", "at most 50 entries", []func(*query){func(q *query) { q.Filter.Types = make([]properties.Type, 51) }}},
		{"Filter.Types[1]", "is required", []func(*query){func(q *query) { q.Filter.Types = []properties.Type{"a", ""} }}},
		{"Filter.Types[0]", "lower-case", []func(*query){func(q *query) { q.Filter.Types = []properties.Type{"Hotel"} }}},
		{"Filter.AmenityIDs[0]", "", []func(*query){func(q *query) { q.Filter.AmenityIDs = []string{"a#b"} }}},
		{"Filter.AmenityIDs", "at most 50 entries", []func(*query){func(q *query) { q.Filter.AmenityIDs = many(51) }}},
		{"Filter.AmenityIDs[1]", "is required", []func(*query){func(q *query) { q.Filter.AmenityIDs = []string{"a", ""} }}},
		{"Sort", "one of the orders", []func(*query){func(q *query) { q.Sort = "cheapest" }}},
		{"Rank", "order Recommended", []func(*query){func(q *query) { q.Sort, q.Rank = search.BestRated, byNameLength }}},
		{"Candidates", "between 1 and 1,000", []func(*query){func(q *query) { q.Candidates = -1 }}},
		{"Candidates", "between 1 and 1,000", []func(*query){func(q *query) { q.Candidates = 1001 }}},
	} {
		t.Run(test.field+" "+test.reason, func(t *testing.T) {
			t.Parallel()
			q := queryOf(test.edits...)
			page, err := h.search.Page(t.Context(), q.Request, q.paging)
			invalid := blame.Invalid(t, err, test.field)
			assert.Contains(t, invalid.Reason, test.reason)
			assert.Equal(t, test.field == "Paging.After", errors.Is(err, dynastay.ErrCursor))
			assert.Empty(t, page)
		})
	}
	t.Cleanup(func() { assert.Zero(t, h.Faults.Count("Query")) })
}

// The largest valid arguments are accepted.
func TestLimitsOfRequests(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for name, edit := range map[string]func(*query){
		"paging":  func(q *query) { q.paging = dynastay.Paging{Limit: 1000, Reads: 100} },
		"adults":  func(q *query) { q.Guests = availability.Guests{Adults: 30} },
		"guests":  func(q *query) { q.Guests = availability.Guests{Adults: 1, Children: 29} },
		"rooms":   func(q *query) { q.Guests.Adults, q.Rooms = 30, 30 },
		"nights":  func(q *query) { q.Stay.CheckOut = q.Stay.CheckIn.AddDays(90) },
		"today":   func(q *query) { q.Stay.CheckIn = dynastay.DateOf(fixture.Now, time.FixedZone("", -12*60*60)) },
		"circles": func(q *query) { circle(q); q.Radius = 100_000 },
		"small":   func(q *query) { circle(q); q.Radius = 100 },
		"prices":  func(q *query) { dollars(q); q.Filter.MinNightly, q.Filter.MaxNightly = usd("1"), usd("1") },
		"filter": func(q *query) {
			q.Filter.MinRating, q.Filter.Stars = 100, []int{1, 5}
			for range 50 {
				q.Filter.Types, q.Filter.AmenityIDs = append(q.Filter.Types, "a"), append(q.Filter.AmenityIDs, "a")
			}
		},
		"candidates": func(q *query) { q.Candidates = 1000 },
		"one":        func(q *query) { q.Candidates, q.paging.Limit, q.paging.Reads, q.Rooms = 1, 1, 1, 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := queryOf(edit)
			page, err := h.search.Page(t.Context(), q.Request, q.paging)
			require.NoError(t, err)
			assert.Empty(t, page)
		})
	}
}

// A cursor belongs to everything that determines which properties come in which order. The rest may change.
func TestCursorsOfOtherRequests(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for _, id := range []string{"a", "b", "c"} {
		h.add(t, inn(id), room("room_of_"+id, 2, "100"))
	}
	city := queryOf(dollars, func(q *query) { q.Point, q.paging.Limit = &lisbon, 1 })
	around := queryOf(dollars, circle, func(q *query) { q.paging.Limit = 1 })
	for _, from := range []query{city, around} {
		next := h.page(t, from.Request, from.paging).Next
		require.NotEmpty(t, next)
		for name, edit := range map[string]func(*query){
			"city":         func(q *query) { q.City, q.Country, q.Radius = "Porto", "Portugal", 0 },
			"country":      func(q *query) { q.City, q.Country, q.Radius = "Lisbon", "USA", 0 },
			"point":        func(q *query) { q.Point = &key.Point{Latitude: lisbon.Latitude, Longitude: -9} },
			"radius":       func(q *query) { circle(q); q.Radius = 10_001 },
			"check-in":     func(q *query) { q.Stay.CheckIn = q.Stay.CheckIn.AddDays(1) },
			"check-out":    func(q *query) { q.Stay.CheckOut = q.Stay.CheckOut.AddDays(1) },
			"adults":       func(q *query) { q.Guests.Adults = 1 },
			"children":     func(q *query) { q.Guests.Children = 1 },
			"rooms":        func(q *query) { q.Rooms = 2 },
			"currency":     func(q *query) { q.Currency = "EUR" },
			"order":        func(q *query) { q.Sort = search.LowestPrice },
			"lowest":       func(q *query) { q.Filter.MinNightly = usd("1") },
			"highest":      func(q *query) { q.Filter.MaxNightly = usd("1000") },
			"stars":        func(q *query) { q.Filter.Stars = []int{3} },
			"rating":       func(q *query) { q.Filter.MinRating = 1 },
			"types":        func(q *query) { q.Filter.Types = []properties.Type{properties.Hotel} },
			"amenities":    func(q *query) { q.Filter.AmenityIDs = []string{"wifi"} },
			"cancellation": func(q *query) { q.Filter.FreeCancellation = true },
			"rank":         func(q *query) { q.Rank = func(*properties.Card) float64 { return 0 } },
		} {
			q := from
			edit(&q)
			q.paging.After = next
			requests := h.Faults.Count("Query")
			page, err := h.search.Page(t.Context(), q.Request, q.paging)
			require.ErrorIs(t, err, dynastay.ErrCursor, name)
			assert.Empty(t, page)
			assert.Equal(t, requests, h.Faults.Count("Query"))
		}
		for name, edit := range map[string]func(*query){
			"rooms":      func(q *query) { q.Rooms = 1 },
			"candidates": func(q *query) { q.Candidates = 2 },
			"limit":      func(q *query) { q.paging.Limit = 3 },
			"reads":      func(q *query) { q.paging.Reads = 2 },
		} {
			q := from
			edit(&q)
			q.paging.After = next
			assert.Equal(t, []string{"b", "c"}, h.all(t, q.Request, q.paging, func() {}), name)
		}
	}
}

// A filter is the same whatever the order of its conditions, so its cursors are.
func TestCursorsOfEqualFilters(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	for _, id := range []string{"a", "b"} {
		h.add(t, inn(id, func(p *properties.Property) { p.AmenityIDs = []string{"pool", "wifi"} }), room("room_"+id, 2, "100"))
	}
	with := func(stars []int, types []properties.Type, amenities []string) search.Request {
		return request(func(r *search.Request) { r.Filter = search.Filter{Stars: stars, Types: types, AmenityIDs: amenities} })
	}
	first := with([]int{3, 4}, []properties.Type{"hotel", "resort"}, []string{"pool", "wifi"})
	again := with([]int{4, 3, 3}, []properties.Type{"resort", "hotel"}, []string{"wifi", "pool", "wifi"})
	next := h.page(t, first, dynastay.Paging{Limit: 1}).Next
	assert.Equal(t, []string{"b"}, offered(h.page(t, again, dynastay.Paging{After: next})))
	assert.Equal(t, []int{4, 3, 3}, again.Filter.Stars, "the caller's own")

	next = h.page(t, with(nil, nil, nil), dynastay.Paging{Limit: 1}).Next
	none := with([]int{}, []properties.Type{}, []string{})
	assert.Equal(t, []string{"b"}, offered(h.page(t, none, dynastay.Paging{After: next})))
}

// Clients keep cursors, so what a request is must remain the same whatever the JSON of its values.
func TestCursorOfARequestStays(t *testing.T) {
	t.Parallel()
	r := request(func(r *search.Request) {
		r.City, r.Country, r.Stay = "Lisbon", "Portugal", dynastay.MustStay("2026-07-01", "2026-07-03")
		r.Currency = "USD"
		r.Filter = search.Filter{
			MinNightly: usd("10"), MaxNightly: usd("99.50"), Stars: []int{4, 3}, MinRating: 92,
			Types: []properties.Type{properties.Hotel}, AmenityIDs: []string{"wifi"}, FreeCancellation: true,
		}
	})
	cursor, err := search.ForgedCursor(r, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), "")
	require.NoError(t, err)
	assert.Equal(t, dynastay.Cursor("AbUBIp1ZnIBReyJrIjp0cnVlfQ"), cursor)
}
