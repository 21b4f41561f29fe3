package search_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// A page of 50 hotels with 3 room types each, for 3 nights, against a list of the same hotels and a quote of each room
// type that holds the guests, one after the other. Every request takes 5 milliseconds longer, as over a network. Run it
// with: go test ./properties/search -run '^$' -bench SearchPage -benchtime 5x
func BenchmarkSearchPage(b *testing.B) {
	const hotels = 50
	h := openCity(b)
	h.Faults.Inject(dyntest.Delay(5*time.Millisecond), dyntest.When{})
	found := h.parallel(hotels, nil)
	r := request(func(r *search.Request) { r.Sort = search.BestRated })

	oneByOne := func() (quotes []*availability.Quote) {
		list := h.properties.ByCity(properties.CityQuery{City: r.City, Country: r.Country})
		page, err := list.Page(b.Context(), dynastay.Paging{Limit: hotels})
		require.NoError(b, err)
		for _, card := range page.Items {
			for _, room := range card.Rooms {
				if room.MaxAdults < r.Guests.Adults {
					continue
				}
				req, err := card.QuoteRequest(r.Stay, r.Guests, properties.Choice{RoomTypeID: room.ID, Quantity: 1})
				require.NoError(b, err)
				q, err := h.nights.Quote(b.Context(), req)
				require.NoError(b, err)
				quotes = append(quotes, q)
			}
		}
		return quotes
	}
	inParallel := func() (quotes []*availability.Quote) {
		page, err := found.Page(b.Context(), r, dynastay.Paging{Limit: hotels})
		require.NoError(b, err)
		for _, o := range page.Offers {
			quotes = append(quotes, o.Quotes...)
		}
		return quotes
	}

	var page, single time.Duration
	n := 0
	for b.Loop() {
		n++
		started := time.Now()
		got := inParallel()
		page += time.Since(started)
		started = time.Now()
		want := oneByOne()
		single += time.Since(started)
		assert.Equal(b, want, got)
	}
	ratio := float64(page) / float64(single)
	assert.LessOrEqual(b, ratio, 0.10)
	milliseconds := func(d time.Duration) float64 { return float64(d.Milliseconds()) / float64(n) }
	b.ReportMetric(ratio, "time/single")
	b.ReportMetric(milliseconds(page), "page-ms")
	b.ReportMetric(milliseconds(single), "single-ms")
}
