package search_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/market"
	"github.com/dynastay/dynastay/properties/search"
)

// A hotel that has not opened its nights is not on sale, whatever its size.
func TestNightsThatAreNotOpen(t *testing.T) {
	t.Parallel()
	h := openHotels(t, 1, 40)
	city := market.Cities[0]
	for _, guests := range []availability.Guests{{Adults: 1}, {Adults: 20}} {
		page, err := h.search.Page(t.Context(), search.Request{
			City: city.Name, Country: city.Country, Guests: guests,
			Stay: dynastay.Stay{CheckIn: first.AddDays(openNights), CheckOut: first.AddDays(openNights + 2)},
		}, dynastay.Paging{})
		require.NoError(t, err)
		assert.Empty(t, page.Offers)
		require.NotEmpty(t, page.Refused)
		for _, refusal := range page.Refused {
			var refused *availability.Refused
			require.ErrorAs(t, refusal.Err, &refused)
			assert.Len(t, refused.Nights, 2*len(refusal.Property.Rooms))
			assert.Equal(t, availability.NotOnSale, refused.Nights[0].Reason)
		}
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
