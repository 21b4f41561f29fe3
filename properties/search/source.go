package search

import (
	"context"
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

// span is a part of the candidates, in the order in which they are read: after From, up to To. "" is the beginning or
// the end of all.
// See docs/decisions/0012-search.md for why they are read again for each page.
type span struct {
	From dynastay.Cursor `json:"f,omitempty"`
	To   dynastay.Cursor `json:"t,omitempty"`
	// Known is set once the span has been read, also if To is the end of all. From then on, it contains whatever comes
	// before To: a limited number would leave out candidates that were offered, and offer them again in the next span.
	Known bool `json:"k,omitempty"`
}

// maxSpan is the maximum number of properties in a span that is read again. Cursors are not signed: without a limit, one
// that somebody has made up could span a whole city.
const maxSpan = 2 * maxCandidates

func tooLong() error {
	return &dynastay.InvalidError{
		Field: "Paging.After", Reason: "spans too many properties; begin with the first page", Err: dynastay.ErrCursor,
	}
}

// candidates reads the candidates of a span that meet the filters. If the end of the span is not known, it reads
// Request.Candidates properties and sets the end. An [*dynastay.UnreadableError] comes with the other candidates.
func (s *Search) candidates(ctx context.Context, r Request, part *span) ([]candidate, error) {
	if r.aroundPoint() {
		return s.around(ctx, r, part)
	}
	list := s.list(r)
	var all []candidate
	var unreadable []error
	paging := dynastay.Paging{Limit: r.Candidates, After: part.From, Until: part.To, Reads: 1}
	if part.Known {
		paging.Limit = maxCandidates
	}
	for read := 0; ; {
		page, err := list.Page(ctx, paging)
		if err = collect(err, &unreadable); err != nil {
			return nil, err
		}
		if read += len(page.Items); read > maxSpan {
			return nil, tooLong()
		}
		for _, card := range page.Items {
			c, err := r.candidate(card)
			switch {
			case err != nil:
				unreadable = append(unreadable, unusable("search.Page", card, err))
			case r.meets(card):
				all = append(all, c)
			}
		}
		if !part.Known {
			part.To, part.Known = page.Next, true
		}
		if page.Next == part.To {
			return all, joined(unreadable)
		}
		paging.After = page.Next // properties have been added to this part since it was read first
	}
}

// list returns the candidates of a city. A filter that is part of a key narrows them without costs.
func (s *Search) list(r Request) dynastay.List[*properties.Card] {
	switch {
	case r.byPrice():
		return s.properties.ByPrice(properties.PriceQuery{
			City: r.City, Country: r.Country, Currency: r.Currency, Descending: r.Sort == HighestPrice || r.Sort == HighestTotal,
		})
	case len(r.Filter.Stars) == 1:
		return s.properties.ByStars(properties.StarsQuery{
			City: r.City, Country: r.Country, Stars: r.Filter.Stars[0], MinRating: r.Filter.MinRating,
		})
	}
	return s.properties.ByCity(properties.CityQuery{City: r.City, Country: r.Country, MinRating: r.Filter.MinRating})
}

// around reads the candidates around a point. All properties of the circle are read each time, so only an order by
// total, for which the nights of all candidates are read as well, is limited to a number of candidates.
func (s *Search) around(ctx context.Context, r Request, part *span) ([]candidate, error) {
	near, err := s.properties.Near(ctx, properties.NearQuery{Latitude: r.Point.Latitude, Longitude: r.Point.Longitude, Radius: r.Radius})
	var unreadable []error
	if err = collect(err, &unreadable); err != nil {
		return nil, err
	}
	var all []candidate
	for _, n := range near {
		if r.meets(n.Card) {
			all = append(all, candidate{n.Card, n.Distance})
		}
	}
	if r.byTotal() {
		if all, err = r.within(part, all); err != nil {
			return nil, err
		}
	}
	return all, joined(unreadable)
}

// within returns the candidates of a span of a circle. Spans are in the order of the base prices, as in a city.
func (r Request) within(part *span, all []candidate) ([]candidate, error) {
	base := Request{Sort: LowestPrice}
	if r.Sort == HighestTotal {
		base.Sort = HighestPrice
	}
	var from, to rank
	if err := r.bounds(part, &from, &to); err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(c candidate) bool {
		at := base.rank(c)
		return part.From != "" && at.compare(from) <= 0 || part.To != "" && at.compare(to) > 0
	})
	inOrder(base, all)
	switch {
	case part.Known && len(all) > maxSpan:
		return nil, tooLong()
	case !part.Known && len(all) > r.Candidates:
		all = all[:r.Candidates]
		part.To = dynastay.NewCursor(r.identity(), base.rank(all[r.Candidates-1]))
	}
	part.Known = true
	return all, nil
}

// bounds decodes the ends of a span of a circle.
func (r Request) bounds(part *span, from, to *rank) error {
	for _, end := range []struct {
		cursor dynastay.Cursor
		rank   *rank
	}{{part.From, from}, {part.To, to}} {
		if end.cursor == "" {
			continue
		}
		if err := end.cursor.Position(r.identity(), end.rank); err != nil {
			return err
		}
	}
	return nil
}

// candidate returns a card with its distance. Other software may have stored any coordinates.
func (r Request) candidate(card *properties.Card) (candidate, error) {
	c := candidate{card: card}
	if r.Point == nil {
		return c, nil
	}
	if _, err := key.PlaceOf(card.Latitude, card.Longitude); err != nil {
		return c, err
	}
	c.distance = key.Distance(*r.Point, key.Point{Latitude: card.Latitude, Longitude: card.Longitude})
	return c, nil
}

// meets reports whether a card meets the filters. Those of prices and policies are decided by the quotes.
func (r Request) meets(c *properties.Card) bool {
	f := r.Filter
	return c.Rating >= f.MinRating &&
		(len(f.Stars) == 0 || slices.Contains(f.Stars, c.Stars)) &&
		(len(f.Types) == 0 || slices.Contains(f.Types, c.Type)) &&
		!slices.ContainsFunc(f.AmenityIDs, func(id string) bool { return !slices.Contains(c.AmenityIDs, id) }) &&
		(r.Currency == "" || c.Prices.Min.Currency() == r.Currency)
}

// collect takes the errors of unreadable items, and returns any other error.
func collect(err error, unreadable *[]error) error {
	var some *dynastay.UnreadableError
	if errors.As(err, &some) {
		*unreadable = append(*unreadable, some.Items...)
		return nil
	}
	return err
}

// joined is the opposite of collect.
func joined(unreadable []error) error {
	if len(unreadable) == 0 {
		return nil
	}
	return &dynastay.UnreadableError{Items: unreadable}
}

func inOrder(of Request, all []candidate) {
	slices.SortFunc(all, func(a, b candidate) int { return of.rank(a).compare(of.rank(b)) })
}
