package checker

import (
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	trading "github.com/dynastay/dynastay/examples/marketplace/shop"
)

// price is the one that a buyer has seen: mostly the last one, sometimes one of another time.
func (s *deals) price(w *worker, seller, id string) int64 {
	if w.oneIn(8) {
		return anyPrice(w)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if price := s.seen[seller+"/"+id]; price > 0 {
		return price
	}
	return firstPrice
}

func anyPrice(w *worker) int64 { return firstPrice + int64(w.rand.IntN(3))*50 }

// learnPrices takes the prices from a refusal.
func (s *deals) learnPrices(c *deal, err error) {
	var gone *trading.Refused
	if !errors.As(err, &gone) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range gone.Lines {
		if line.Reason == trading.PriceChanged {
			s.seen[c.seller+"/"+line.ProductID] = minor(line.Price)
		}
	}
}

// reprice changes the price of a product, while others order it.
func (s *deals) reprice(w *worker, keyed bool) *deal {
	mark, id := w.mark(), productOf(w.rand.IntN(goodsOfOne))
	c := &deal{seller: dealerOf(w.rand.IntN(dealers)), prices: map[string]int64{id: anyPrice(w)}}
	return s.made(w, c, mark, pricing, keyed, never, func(m *market) dynastay.Part {
		return m.shop.UpdateOp(c.seller, id, func(p *trading.Product) error {
			p.Price, p.Description = rands(c.prices[id]), mark
			return nil
		}, dynastay.AgreedOn(mark))
	})
}

// offered notes a product as a call returned it. Under a key, that may be what has become of it since.
func (s *deals) offered(c *deal, p *trading.Product) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[c.seller+"/"+p.ID] = minor(p.Price)
	if bare := c.key == (dynastay.Idempotency{}); p.SellerID != c.seller || c.prices[p.ID] == 0 ||
		bare && (p.Description != c.mark || minor(p.Price) != c.prices[p.ID]) {
		s.differ("an answer about another product", c.items, "%s: %+v", c.about, p)
	}
}

// repricings are the calls that may have changed the price of a product.
func (s *deals) repricings(seller, id string) (all []*deal) {
	for _, c := range s.all {
		if c.kind == pricing && c.seller == seller && c.prices[id] > 0 && c.could() {
			all = append(all, c)
		}
	}
	return all
}

// follows reports whether one of the calls was certainly carried out after a moment, and before another one.
func follows(after, before moment, all []*deal) bool {
	return slices.ContainsFunc(all, func(d *deal) bool {
		return d.done() && d.within.from > after && d.within.to < before
	})
}

// priced reports whether a product can have had a price at some moment of a time.
func (s *deals) priced(seller, id string, price int64, at span) bool {
	all := s.repricings(seller, id)
	others := slices.DeleteFunc(slices.Clone(all), func(c *deal) bool { return c.prices[id] == price })
	return price == firstPrice && !follows(0, at.from, others) || slices.ContainsFunc(all, func(c *deal) bool {
		return c.prices[id] == price && c.within.from <= at.to && !follows(c.within.to, at.from, others)
	})
}

// checkOffer compares a product with the calls that have changed it.
func (s *deals) checkOffer(seller, id string, p plain) {
	last, all := s.all[textOf(p, "description")], s.repricings(seller, id)
	certain := 0
	for _, c := range all {
		certain += count(c.done())
	}
	after, price := moment(0), int64(firstPrice)
	if last != nil {
		after, price = last.within.to, last.prices[id]
	}
	ok := cents(p["price"]) == price && !follows(after, ever, all) && (last == nil) == (textOf(p, "description") == "")
	if n := numberOf(p, "version") - 1; !ok || n < certain || n > len(all) {
		s.differ("a product that does not follow from its calls", seller+"/"+id, "%d changes, last %v: %v", certain, last, p)
	}
}
