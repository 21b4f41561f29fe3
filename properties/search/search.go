package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/properties"
)

// Search finds offers.
type Search struct {
	db         *dynastay.DB
	properties *properties.Repository
	nights     *availability.Repository
}

// New returns a search of the properties of a repository, which must have been created with the same db. It sends no
// requests. Create one for the process and share it.
func New(db *dynastay.DB, repository *properties.Repository) *Search {
	return &Search{db, repository, availability.New(db)}
}

// Page is a part of a result.
type Page struct {
	Offers []Offer `json:",omitzero"`
	// Refused are properties that cannot lodge the party for the stay, each with the reason. They meet the filters, except
	// that those of prices apply only to quotes. A property that does not meet a filter is in neither list.
	Refused []Refusal `json:",omitzero"`
	// Cut is set if the offers are ordered only among the candidates that were read, and there may be more, see
	// [Request.Candidates].
	Cut  bool
	Next dynastay.Cursor // of the next page; "" if there is none
}

// Page returns a page of offers for a request. Paging.Limit is the maximum number of offers, and of properties whose
// nights are read at a time; an order by total reads those of all candidates. Paging.Reads is the maximum number of
// rounds, 1 by default: with more, a page that is not full is filled up from the next candidates. Paging.Until is not
// supported. A page may have no offers and still not be the last: only an empty Next marks the end. There is no total
// number of offers, because counting them would read the whole city.
//
// The offers are eventually consistent: the prices and the rooms left are those of the index, which may be a moment
// behind. Booking a quote checks them again.
//
// Items that cannot be read do not hide the others: Page returns a [*dynastay.UnreadableError] together with the page.
// A request that is not valid fails with a [*dynastay.InvalidError] before anything is read. Its Field is the path in
// the request, such as "Filter.Stars[0]", or in p, such as "Paging.Limit".
//
// A cursor belongs to a request, except for Candidates and for what Rank computes; the limit may change as well. With
// any other request, Page fails with an InvalidError for the field "Paging.After" that matches [dynastay.ErrCursor].
//
// Each round takes 1 request for the candidates, in a circle those of [properties.Repository.Near], and then, in
// parallel, 1 request for each property whose nights are read. If an order is computed for more candidates than a page
// offers, those are read again for the next page. For the parallel requests, see [dynastay.Options].
//
// Pattern search: GSI1-LocationIndex or that of the order, then GSI1-PropertyDateIndex for each property, at least 2 requests
func (s *Search) Page(ctx context.Context, r Request, p dynastay.Paging) (_ Page, err error) {
	ctx, end := s.db.Begin(ctx, "search.Page")
	defer func() { end(err) }()
	if p.Limit < 0 || p.Limit > maxCandidates {
		return Page{}, dynastay.Invalid("Paging.Limit", "must be between 1 and 1,000")
	}
	if p.Reads < 0 || p.Reads > maxRounds {
		return Page{}, dynastay.Invalid("Paging.Reads", "must be between 1 and %d", maxRounds)
	}
	if p.Until != "" {
		return Page{}, dynastay.Invalid("Paging.Until", "is not supported by a search")
	}
	if p.Limit == 0 {
		p.Limit = defaultLimit
	}
	r, err = r.complete(s.db.Now(), p)
	if err != nil {
		return Page{}, err
	}
	w := walk{Search: s, Request: r, now: s.db.Now(), limit: p.Limit, op: "search.Page"}
	if p.After != "" {
		if err := p.After.Position(r.identity(), &w.at); err != nil {
			return Page{}, err
		}
	}
	if err := w.run(ctx, max(p.Reads, 1)); err != nil {
		return Page{}, err
	}
	return w.page, joined(w.unreadable)
}

const (
	defaultLimit = 50
	maxRounds    = 100
)

// place is the cursor of a search: the candidates that are being offered, and the last one that was.
type place struct {
	span
	Last *rank `json:"l,omitempty"` // nil before the first
}

// walk fills a page.
type walk struct {
	*Search
	Request
	op    string // for errors
	now   time.Time
	limit int
	at    place

	left       []candidate // of the span, in order, except by total
	offered    []Offer     // in an order by total: what is left of the span, in order
	read       bool        // the span has been read
	page       Page
	unreadable []error
}

func (w *walk) run(ctx context.Context, rounds int) error {
	for range rounds {
		if !w.read {
			if err := w.readSpan(ctx); err != nil {
				return err
			}
		}
		if err := w.offerNext(ctx); err != nil {
			return err
		}
		if len(w.left) == 0 && len(w.offered) == 0 {
			if w.at.To == "" {
				w.page.Next = ""
				return nil
			}
			w.at, w.read = place{span: span{From: w.at.To}}, false
		}
		w.page.Next = dynastay.NewCursor(w.identity(), w.at)
		if len(w.page.Offers) == w.limit {
			return nil
		}
	}
	return nil
}

// readSpan reads the candidates that are left of the present span.
func (w *walk) readSpan(ctx context.Context) error {
	all, err := w.candidates(ctx, w.Request, &w.at.span)
	if err = collect(err, &w.unreadable); err != nil {
		return err
	}
	w.read = true
	w.page.Cut = !w.indexed() && (w.at.From != "" || w.at.To != "")
	if w.byTotal() {
		return w.readTotals(ctx, all)
	}
	inOrder(w.Request, all)
	w.left = slices.DeleteFunc(all, func(c candidate) bool { return w.at.Last != nil && w.rank(c).compare(*w.at.Last) <= 0 })
	return nil
}

// readTotals offers all candidates of the span at once, because only the offers have an order.
func (w *walk) readTotals(ctx context.Context, all []candidate) error {
	offers, refused, err := w.offers(ctx, all)
	if err != nil {
		return err
	}
	if w.at.Last == nil { // otherwise an earlier page has reported them
		w.page.Refused = append(w.page.Refused, refused...)
	}
	slices.SortFunc(offers, func(a, b Offer) int { return w.totalRank(a).compare(w.totalRank(b)) })
	w.offered = slices.DeleteFunc(offers, func(o Offer) bool { return w.at.Last != nil && w.totalRank(o).compare(*w.at.Last) <= 0 })
	return nil
}

// offerNext adds the next offers to the page.
func (w *walk) offerNext(ctx context.Context) error {
	room := w.limit - len(w.page.Offers)
	if w.byTotal() {
		n := min(room, len(w.offered))
		w.page.Offers = append(w.page.Offers, w.offered[:n]...)
		if w.offered = w.offered[n:]; n > 0 {
			last := w.totalRank(w.page.Offers[len(w.page.Offers)-1])
			w.at.Last = &last
		}
		return nil
	}
	next := w.left[:min(room, len(w.left))]
	if len(next) == 0 {
		return nil
	}
	offers, refused, err := w.offers(ctx, next)
	if err != nil {
		return err
	}
	w.page.Offers, w.page.Refused = append(w.page.Offers, offers...), append(w.page.Refused, refused...)
	last := w.rank(next[len(next)-1])
	w.left, w.at.Last = w.left[len(next):], &last
	return nil
}

// offers reads the nights of candidates, and returns those that can lodge the party and those that cannot.
func (w *walk) offers(ctx context.Context, all []candidate) (offers []Offer, refused []Refusal, err error) {
	for all = w.checkable(all); len(all) > 0; {
		var requests []availability.CheckRequest
		n := 0
		for n < len(all) && len(requests)+len(all[n].card.Rooms) <= availability.MaxChecks {
			requests = append(requests, all[n].card.CheckRequests(w.Rooms)...)
			n++
		}
		checked, err := w.nights.CheckAll(ctx, requests, w.Stay)
		if err = collect(err, &w.unreadable); err != nil {
			return nil, nil, err
		}
		for _, c := range all[:n] {
			rooms := checked[:len(c.card.Rooms)]
			checked = checked[len(rooms):]
			o := &offering{Request: w.Request, now: w.now, nights: w.nights, card: c.card, rooms: rooms}
			quotes, err := o.quotes()
			for _, failed := range o.failed {
				w.unreadable = append(w.unreadable, unusable(w.op, c.card, failed))
			}
			switch {
			case err != nil && isRefusal(err):
				refused = append(refused, Refusal{c.card, c.distance, err})
			case err != nil:
				w.unreadable = append(w.unreadable, unusable(w.op, c.card, err))
			case len(quotes) > 0:
				offers = append(offers, Offer{c.card, c.distance, quotes})
			}
		}
		all = all[n:]
	}
	return offers, refused, nil
}

// checkable returns the candidates whose nights can be asked for: other software may have stored any card.
func (w *walk) checkable(all []candidate) (some []candidate) {
	for _, c := range all {
		var err error
		if len(c.card.Rooms) > availability.MaxChecks {
			err = dynastay.Invalid("Rooms", "must have at most 1,000 entries")
		}
		for _, req := range c.card.CheckRequests(w.Rooms) {
			err = cmp.Or(err, req.Validate())
		}
		if err != nil {
			w.unreadable = append(w.unreadable, unusable(w.op, c.card, err))
			continue
		}
		some = append(some, c)
	}
	return some
}

// isRefusal reports whether an error is the reason why a property cannot lodge a party. Any other is about stored data:
// the request itself has been checked, except for the date at the property.
func isRefusal(err error) bool {
	var invalid *dynastay.InvalidError
	return errors.Is(err, dynastay.ErrRefused) || errors.Is(err, availability.ErrTooSmall) ||
		errors.As(err, &invalid) && invalid.Field == "Stay.CheckIn"
}

// unusable returns the error for a property whose stored data cannot be quoted. Only the text of an error about a field
// is kept, because it is not about the caller's arguments.
func unusable(op string, c *properties.Card, err error) error {
	if errors.Is(err, dynastay.ErrCorrupt) {
		return err
	}
	return &dynastay.Error{
		Op: op, Entity: "Property", ID: c.PropertyID, Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error()),
	}
}
