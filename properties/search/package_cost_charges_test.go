package search_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/properties/search"
)

// A page of hotels with charges takes as many requests as without them, and reads the rows of their cards, with the charges on
// them, once.
func TestCostOfPagesWithCharges(t *testing.T) {
	t.Parallel()
	h, costs := openInns(t, searchTables), page.Costs{}
	costs.DB = h.DB
	lodging := []charges.Component{charges.Lodging}
	model := newCopied(t, "77777", func(h *inns, id string) {
		h.rate(t, id, 92)
		h.charge(t, id,
			charges.Charge{ID: "vat", Name: "VAT", Kind: charges.Tax, Rate: 6_0000, Per: charges.PerNight, Of: lodging, Included: true},
			service(10_0000),
			charges.Charge{
				ID: "city", Name: "City tax", Kind: charges.Tax, Amount: usd("4"), Per: charges.PerGuestNight, FirstNights: 7, FromAge: 13,
				AtProperty: true, Kept: charges.KeptIfStayed,
			},
		)
	})
	h.copies(t, model, 0, meeting)
	least := model.cards(t, 50)
	for _, of := range []struct {
		order search.Sort
		what  string
	}{{search.BestRated, "by rating"}, {search.LowestPrice, "by base price"}} {
		r := request(func(r *search.Request) { r.Sort, r.Currency = of.order, "USD" })
		first, requests, cards, nights := h.measured(t, h.search, r, dynastay.Paging{})
		require.Len(t, first.Offers, 50)
		require.NotNil(t, first.Offers[0].Quotes[0].Charges)
		assert.Equal(t, 51, requests, of.order)
		if h.Has(dyntest.ExactUnits) {
			assert.InDelta(t, least, cards, 0.5, "%s: a row is a few bytes longer in another index", of.order)
			assert.Equal(t, 25.0, nights, of.order)
		}
		costs.Add(of.what, "the cards with three charges, and 0.5 for the nights of each hotel", dyntest.Bill{Requests: requests, ReadUnits: cards + nights})
	}
	costs.Section(t, "search with charges")
}
