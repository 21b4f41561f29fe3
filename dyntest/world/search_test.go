package world

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// A search finds every stay that a hotel offers, at the same price, in its city and around it.
func TestSearchFindsOffers(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 13, Properties: 30, Users: 20, Nights: 14})
	db := dyntest.New(t, dyntest.At(w.Now()))
	require.NoError(t, w.Load(t.Context(), db.DB, nil))
	hotels, nights := search.New(db.DB, properties.New(db.DB, nil)), availability.New(db.DB)
	status := map[string]properties.Status{}
	for h := range w.Hotels() {
		status[h.ID] = h.Status
	}
	found := 0
	for h := range w.Hotels() {
		ask, ok := h.Offer(2, 1)
		if !ok {
			continue
		}
		want, err := nights.Quote(t.Context(), ask)
		require.NoError(t, err)
		point := key.Point{Latitude: h.Address.Latitude, Longitude: h.Address.Longitude}
		for _, r := range []search.Request{{City: h.Address.City, Country: h.Address.Country}, {Point: &point, Radius: 1000}} {
			r.Stay, r.Guests = ask.Stay, ask.Guests
			if h.Stars > 0 {
				r.Filter.Stars = []int{h.Stars}
			}
			page, err := hotels.Page(t.Context(), r, dynastay.Paging{})
			require.NoError(t, err)
			require.Empty(t, page.Next)
			var quotes []*availability.Quote
			for _, offer := range page.Offers {
				if offer.Property.PropertyID == h.ID {
					quotes = offer.Quotes
				}
				assert.Equal(t, properties.Approved, status[offer.Property.PropertyID])
			}
			assert.Contains(t, quotes, want)
			found++
		}
	}
	assert.Greater(t, found, 40)
}
