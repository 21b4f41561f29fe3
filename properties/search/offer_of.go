package search

import (
	"context"

	"github.com/dynastay/dynastay/properties"
)

// OfferOf returns what one property offers, as a search that finds it does: it is for the page of a property. The card is that of a
// result, of [properties.WithRooms.Card], or of [properties.Whole]. Pass the request of the search, or one without a place: what selects
// and orders properties is not looked at, but what selects quotes is, such as a currency or a filter of prices. If that leaves none, the
// offer has no quotes.
//
// If the property cannot lodge the party, OfferOf fails with what is [Refusal].Err in a page. Otherwise, it fails as
// [Search.Page] does; with a [*dynastay.UnreadableError], there may be an offer.
//
// The offer is eventually consistent. 1 request, or none for a property with prices in another currency.
func (s *Search) OfferOf(ctx context.Context, card *properties.Card, r Request) (_ Offer, err error) {
	ctx, end := s.db.Begin(ctx, "search.OfferOf")
	defer func() { end(err) }()
	r.Sort = Recommended
	if r, err = r.completeParty(s.db.Now()); err != nil {
		return Offer{}, err
	}
	if r.Currency != "" && card.Prices.Min.Currency() != r.Currency {
		return Offer{Property: card}, nil // a search does not find it
	}
	w := walk{Search: s, Request: r, now: s.db.Now(), op: "search.OfferOf"}
	offers, refused, err := w.offers(ctx, []candidate{{card: card}})
	switch {
	case err != nil:
		return Offer{}, err
	case len(refused) > 0:
		return Offer{}, refused[0].Err
	case len(offers) > 0:
		return offers[0], joined(w.unreadable)
	}
	return Offer{Property: card}, joined(w.unreadable)
}
