package marketplace

import (
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	trading "github.com/dynastay/dynastay/examples/marketplace/shop"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// price is the one that a buyer has seen: mostly the last one, sometimes one of another time.
func (s *deals) price(w *checker.Worker, seller, id string) int64 {
	if w.OneIn(8) {
		return anyPrice(w)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if price := s.seen[seller+"/"+id]; price > 0 {
		return price
	}
	return firstPrice
}

func anyPrice(w *checker.Worker) int64 { return firstPrice + int64(w.Rand.IntN(3))*50 }

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
			s.seen[c.seller+"/"+line.ProductID] = checker.Minor(line.Price)
		}
	}
}

// reprice changes the price of a product, while others order it.
func (s *deals) reprice(w *checker.Worker, keyed bool) *deal {
	mark, id := w.Mark(), productOf(w.Rand.IntN(goodsOfOne))
	c := &deal{seller: dealerOf(w.Rand.IntN(dealers)), prices: map[string]int64{id: anyPrice(w)}}
	return s.made(w, c, mark, pricing, keyed, checker.Never, func(m *market) dynastay.Part {
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
	s.seen[c.seller+"/"+p.ID] = checker.Minor(p.Price)
	if bare := c.Key == (dynastay.Idempotency{}); p.SellerID != c.seller || c.prices[p.ID] == 0 ||
		bare && (p.Description != c.Mark || checker.Minor(p.Price) != c.prices[p.ID]) {
		s.Differ("an answer about another product", c.Items, "%s: %+v", c.About, p)
	}
}

// repricings are the calls that may have changed the price of a product.
func (s *deals) repricings(seller, id string) (all []*deal) {
	for _, c := range s.all {
		if c.kind == pricing && c.seller == seller && c.prices[id] > 0 && c.Could() {
			all = append(all, c)
		}
	}
	return all
}

// follows reports whether one of the calls was certainly carried out after a moment, and before another one.
func follows(after, before checker.Moment, all []*deal) bool {
	return slices.ContainsFunc(all, func(d *deal) bool {
		return d.Done() && d.Within.From > after && d.Within.To < before
	})
}

// priced reports whether a product can have had a price at some moment of a time.
func (s *deals) priced(seller, id string, price int64, at checker.Span) bool {
	all := s.repricings(seller, id)
	others := slices.DeleteFunc(slices.Clone(all), func(c *deal) bool { return c.prices[id] == price })
	return price == firstPrice && !follows(0, at.From, others) || slices.ContainsFunc(all, func(c *deal) bool {
		return c.prices[id] == price && c.Within.From <= at.To && !follows(c.Within.To, at.From, others)
	})
}

// checkOffer compares a product with the calls that have changed it.
func (s *deals) checkOffer(seller, id string, p plain) {
	last, all := s.all[checker.TextOf(p, "description")], s.repricings(seller, id)
	certain := 0
	for _, c := range all {
		certain += checker.Count(c.Done())
	}
	after, price := checker.Moment(0), int64(firstPrice)
	if last != nil {
		after, price = last.Within.To, last.prices[id]
	}
	ok := checker.Cents(p["price"]) == price && !follows(after, checker.Ever, all) && (last == nil) == (checker.TextOf(p, "description") == "")
	if n := checker.NumberOf(p, "version") - 1; !ok || n < certain || n > len(all) {
		s.Differ("a product that does not follow from its calls", seller+"/"+id, "%d changes, last %v: %v", certain, last, p)
	}
}
