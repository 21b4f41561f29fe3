package search_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/properties/search"
)

// A page of hotels that sell under five plans takes as many requests as one without plans. It reads the rows of their cards, with
// the plans on them, once, and the nights, with the prices of the plans, for as many units.
func TestCostOfPagesWithPlans(t *testing.T) {
	t.Parallel()
	h, costs := openInns(t, searchTables), page.Costs{}
	costs.DB = h.DB
	model := newCopied(t, "77777", func(h *inns, id string) {
		h.rate(t, id, 92)
		of := func(p *availability.RatePlan) { p.PropertyID = id }
		h.sell(t, plan("flex", of), plan("nonref", of, derived("flex", -10_00)), plan("bb", of, derived("flex", 0), breakfast("14")),
			plan("half", of, breakfast("38")), plan("week", of, func(p *availability.RatePlan) {
				p.Discounts = availability.Discounts{Length: []availability.NightsDiscount{{Nights: 7, Percent: 15_00}}}
			}))
		_, rooms := hotel("77777")
		for _, room := range rooms {
			h.change(t, id, room.ID, availability.Change{Rates: map[string]availability.RateChange{
				"flex": {Price: usd("120")}, "half": {Price: usd("150")}, "week": {Price: usd("110")},
			}})
		}
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
		plans := map[string]bool{}
		for _, q := range first.Offers[0].Quotes {
			plans[q.Lines[0].Plan.ID] = true
		}
		assert.Len(t, plans, 5)
		assert.Equal(t, 51, requests, of.order)
		if h.Has(dyntest.ExactUnits) {
			assert.InDelta(t, least, cards, 0.5, "%s: a row is a few bytes longer in another index", of.order)
			assert.Equal(t, 25.0, nights, of.order)
		}
		costs.Add(of.what, "the cards with five plans, and 0.5 for the nights of each hotel", dyntest.Bill{Requests: requests, ReadUnits: cards + nights})
	}
	costs.Section(t, "search with plans")
}
