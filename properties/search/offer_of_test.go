package search_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// assertSame compares what a search says of some properties with what each of them offers. The card is the one that is stored with
// the property.
func assertSame(t require.TestingT, db *dynastay.DB, r search.Request, offers []search.Offer, refused []search.Refusal) {
	ctx, hotels := context.Background(), properties.New(db, nil)
	find := search.New(db, hotels)
	cardOf := func(id string) *properties.Card {
		whole, err := hotels.GetWithRooms(ctx, id)
		require.NoError(t, err)
		return whole.Card()
	}
	for _, o := range offers {
		got, err := find.OfferOf(ctx, cardOf(o.Property.PropertyID), r)
		require.NoError(t, err)
		require.Equal(t, o.Quotes, got.Quotes, o.Property.PropertyID)
	}
	for _, refusal := range refused {
		got, err := find.OfferOf(ctx, cardOf(refusal.Property.PropertyID), r)
		require.Equal(t, refusal.Err, err, refusal.Property.PropertyID)
		require.Zero(t, got)
	}
}

// One property offers what a search says of it, in one request.
func TestOfferOf(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("open"), room("double", 2, "100"), room("family", 4, "180"))
	h.add(t, inn("small"), room("single", 1, "60"))
	h.add(t, inn("sold_out"), room("gone", 2, "90"))
	h.change(t, "sold_out", "gone", availability.Change{Rooms: aws.Int(0)})
	h.add(t, inn("stops"), room("stopped", 2, "90"))
	h.change(t, "stops", "stopped", availability.Change{StopSell: aws.Bool(true)})
	for _, edit := range []func(*search.Request){
		func(*search.Request) {},
		func(r *search.Request) { r.Guests = availability.Guests{Adults: 5, Children: 1} },
		func(r *search.Request) { r.Currency, r.Filter.MaxNightly = "USD", usd("150") },
		func(r *search.Request) { r.Sort, r.Currency = search.LowestTotal, "USD" },
		func(r *search.Request) { r.Rooms = 2 },
	} {
		r := request(edit)
		page := h.page(t, r, dynastay.Paging{})
		require.NotEmpty(t, page.Offers)
		require.NotEmpty(t, page.Refused)
		assertSame(t, h.DB.DB, r, page.Offers, page.Refused)
		r.City, r.Country = "", "" // the place is not looked at
		assertSame(t, h.DB.DB, r, page.Offers, page.Refused)
	}
	card := h.page(t, request(), dynastay.Paging{}).Offers[0].Property
	spent := h.Measure(func() { // a search would need a currency for this order
		_, err := h.search.OfferOf(t.Context(), card, request(func(r *search.Request) { r.Sort = search.LowestTotal }))
		require.NoError(t, err)
	})
	assert.Equal(t, 1, spent.Requests)
}

// A filter of quotes that leaves none is no refusal.
func TestOfferOfWithoutQuotes(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("dear"), room("double", 2, "100"))
	card := h.page(t, request(), dynastay.Paging{}).Offers[0].Property
	for _, edit := range []func(*search.Request){
		func(r *search.Request) { r.Currency, r.Filter.MaxNightly = "USD", usd("99") },
		func(r *search.Request) { r.Currency = "EUR" },
	} {
		got, err := h.search.OfferOf(t.Context(), card, request(edit))
		require.NoError(t, err)
		assert.Equal(t, search.Offer{Property: card}, got)
	}
}

// What is not valid is refused before any request, and what is stored and cannot be read is named.
func TestOfferOfRefuses(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("open"), room("double", 2, "100"))
	card := h.page(t, request(), dynastay.Paging{}).Offers[0].Property
	for field, edit := range map[string]func(*search.Request){
		"Guests.Adults": func(r *search.Request) { r.Guests.Adults = 0 },
		"Stay.CheckIn": func(r *search.Request) {
			r.Stay = dynastay.Stay{CheckIn: first.AddDays(-100), CheckOut: first.AddDays(-99)}
		},
		"Currency":        func(r *search.Request) { r.Filter.MaxNightly = usd("99") },
		"Filter.Stars[0]": func(r *search.Request) { r.Filter.Stars = []int{6} },
	} {
		spent := h.Measure(func() {
			_, err := h.search.OfferOf(t.Context(), card, request(edit))
			blame.Invalid(t, err, field)
		})
		assert.Zero(t, spent.Requests, field)
	}
	broken := *card
	broken.Rooms = []properties.CardRoom{{ID: ""}}
	got, err := h.search.OfferOf(t.Context(), &broken, request())
	unreadable := blame.As[*dynastay.UnreadableError](t, err)
	require.Len(t, unreadable.Items, 1)
	assert.Equal(t, "search.OfferOf", blame.As[*dynastay.Error](t, unreadable.Items[0]).Op)
	assert.Empty(t, got.Quotes)
}
