package marketplace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	trading "github.com/dynastay/dynastay/examples/marketplace/shop"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// deals are the orders of a few products of two sellers, of which there is little: orders of one to three of them, what
// becomes of the orders, restocks, and other prices. The instructions of an order say which call has placed it, and the
// description of a product which call has set its price. The prices are in deal_prices.go, and the comparison of
// what is stored with the calls in deals_check.go.
type deals struct {
	bazaar
	calls checker.Deeds[*deal]

	mu     sync.Mutex
	all    map[string]*deal // by mark
	lately []*trading.Order // that somebody was told of last
	seen   map[string]int64 // the prices that buyers have seen last, by "seller/product"
}

// The kinds of calls.
const (
	ordering   = "place order"
	accepting  = "confirm order"
	shipping   = "ship order"
	handing    = "deliver order"
	revoking   = "cancel order"
	restocking = "restock"
	pricing    = "change price"
)

// deal is a call about an order, or the stock or the price of a product.
type deal struct {
	*call
	order      string // "" if its id is drawn and not known yet
	seller     string
	buyer      string         // of a new order
	quantities map[string]int // by product; for a restock, what it adds
	prices     map[string]int64
	by         string // who cancels
}

const (
	dealers      = 2
	dealerPrefix = "dealer-"
	goodsOfOne   = 4 // products of a seller
	inStock      = 6 // of each at first
	firstPrice   = 5_50
)

func newDeals(c *checker.Run) *deals {
	s := &deals{bazaar: bazaar{c}, all: map[string]*deal{}, seen: map[string]int64{}}
	if c.Base == nil { // the tests of wrong histories
		return s
	}
	direct := trading.New(c.Base.Direct, people.New(c.Base.Direct, nil), nil)
	for n := range dealers {
		seller := dealerOf(n)
		s.newcomer(seller, people.Seller)
		for m := range goodsOfOne {
			if _, err := direct.Create(c.T.Context(), trading.Product{
				ID: productOf(m), SellerID: seller, Title: productOf(m), Category: "Bricks", Price: rands(firstPrice),
				Stock: inStock,
			}); err != nil {
				c.T.Fatal(err)
			}
		}
	}
	return s
}

func dealerOf(n int) string { return fmt.Sprint(dealerPrefix, n) }

func productOf(n int) string { return fmt.Sprint("bricks-", n) }

var (
	outOfStock = checker.Refusal(func(err error) bool {
		var refused *trading.Refused
		return errors.As(err, &refused)
	})
	otherOrder = checker.Refusal(func(err error) bool {
		var status *trading.StatusError
		return errors.As(err, &status)
	}).Or(checker.RefusedBy(dynastay.ErrNotFound))
)

func (s *deals) Step(w *checker.Worker) {
	draw := s.place
	switch at := w.Rand.IntN(40); {
	case at < 16:
	case at < 24:
		draw = s.cancel
	case at < 29:
		draw = s.confirm
	case at < 32:
		draw = s.ship
	case at < 35:
		draw = s.deliver
	case at < 38:
		draw = s.restock
	default:
		draw = s.reprice
	}
	s.calls.Do(w, func(keyed bool) *deal { return draw(w, keyed) })
}

// made adds a call.
func (s *deals) made(
	w *checker.Worker, c *deal, mark, kind string, keyed bool, refusal checker.Refusal, op func(*market) dynastay.Part,
) *deal {
	items := c.order
	for _, id := range slices.Sorted(maps.Keys(c.quantities)) {
		items += " " + c.seller + "/" + id
	}
	about := fmt.Sprintf("%s of %s %v at %v by %s%s", c.order, c.seller, c.quantities, c.prices, c.buyer, c.by)
	send := func(ctx context.Context, m *market, parts []dynastay.Part) error {
		part := op(m)
		err := m.Write(ctx, append(parts, part)...)
		switch op := part.(type) {
		case *dynastay.Operation[*trading.Order]:
			if err == nil {
				s.told(c, op.Result())
			}
		case *dynastay.Operation[*trading.Product]:
			if err == nil {
				s.offered(c, op.Result())
			}
		}
		s.learnPrices(c, err)
		return err
	}
	c.call = onMarket(w, mark, kind, items, about, keyed, refusal, send)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[mark] = c
	return c
}

// leadsToOrder are the statuses after the calls about an order.
var leadsToOrder = map[string]trading.Status{
	ordering: trading.Pending, accepting: trading.Confirmed, shipping: trading.Shipped, handing: trading.Delivered,
	revoking: trading.Cancelled,
}

// told notes an order as a call returned it. Under a key, that may be what has become of it since.
func (s *deals) told(c *deal, o *trading.Order) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.order == "" {
		c.order = o.ID
	}
	wrong := o.ID != c.order || o.SellerID != c.seller
	wrong = wrong || c.Key == (dynastay.Idempotency{}) && o.Status != leadsToOrder[c.kind]
	if c.kind == ordering {
		wrong = wrong || o.BuyerID != c.buyer || o.Delivery.Instructions != c.Mark
	}
	if wrong {
		s.Differ("an answer about another order", c.Items, "%s: %+v", c.About, o)
	}
	s.show(o)
}

// show lets others pick an order. Some do before it is stored.
func (s *deals) show(o *trading.Order) {
	s.lately = slices.DeleteFunc(s.lately, func(other *trading.Order) bool { return other.ID == o.ID })
	s.lately = checker.Keep(s.lately, o, 10)
}

// place orders one to three products of a seller.
func (s *deals) place(w *checker.Worker, keyed bool) *deal {
	mark := w.Mark()
	c := &deal{
		seller: dealerOf(w.Rand.IntN(dealers)), buyer: fmt.Sprint(clientPrefix, w.Rand.IntN(clients)),
		quantities: map[string]int{}, prices: map[string]int64{},
	}
	if w.OneIn(2) {
		c.order = mark
	}
	o := trading.Order{ID: c.order, BuyerID: c.buyer, SellerID: c.seller}
	o.Delivery.Instructions = mark
	for _, n := range w.Rand.Perm(goodsOfOne)[:1+w.Rand.IntN(3)] {
		id, quantity := productOf(n), 1+w.Rand.IntN(3)
		c.quantities[id], c.prices[id] = quantity, s.price(w, c.seller, id)
		o.Items = append(o.Items, trading.Item{
			ProductID: id, Title: id, Quantity: quantity, UnitPrice: rands(c.prices[id]),
		})
	}
	if err := o.AddUp(); err != nil {
		s.Differ("an order that does not add up", mark, "%v", err)
	}
	s.made(w, c, mark, ordering, keyed, outOfStock, func(m *market) dynastay.Part { return m.shop.PlaceOp(o) })
	if c.order != "" && w.OneIn(4) {
		o.Status = trading.Pending
		s.mu.Lock()
		defer s.mu.Unlock()
		s.show(&o)
	}
	return c
}

// move makes a call about an order, mostly one that was told of in one of the statuses; or places one.
func (s *deals) move(
	w *checker.Worker, kind string, keyed bool, refusal checker.Refusal, draw func(c *deal, mark string) func(*market) dynastay.Part,
	from ...trading.Status,
) *deal {
	s.mu.Lock()
	fit := s.lately
	if !w.OneIn(5) {
		fit = slices.DeleteFunc(slices.Clone(fit), func(o *trading.Order) bool { return !slices.Contains(from, o.Status) })
	}
	if len(fit) == 0 {
		s.mu.Unlock()
		return s.place(w, keyed)
	}
	o := fit[w.Rand.IntN(len(fit))]
	s.mu.Unlock()
	mark, c := w.Mark(), &deal{order: o.ID, seller: o.SellerID}
	if c.by = []string{o.BuyerID, o.SellerID}[w.Rand.IntN(2)]; kind != revoking {
		c.by = ""
	}
	return s.made(w, c, mark, kind, keyed, refusal, draw(c, mark))
}

func (s *deals) confirm(w *checker.Worker, keyed bool) *deal {
	return s.move(w, accepting, keyed, otherOrder, func(c *deal, _ string) func(*market) dynastay.Part {
		return func(m *market) dynastay.Part { return m.shop.ConfirmOp(c.order) }
	}, trading.Pending)
}

func (s *deals) ship(w *checker.Worker, keyed bool) *deal {
	return s.move(w, shipping, keyed, otherOrder, func(c *deal, _ string) func(*market) dynastay.Part {
		return func(m *market) dynastay.Part { return m.shop.ShipOp(c.order) }
	}, trading.Confirmed)
}

func (s *deals) deliver(w *checker.Worker, keyed bool) *deal {
	return s.move(w, handing, keyed, otherOrder, func(c *deal, _ string) func(*market) dynastay.Part {
		return func(m *market) dynastay.Part { return m.shop.DeliverOp(c.order) }
	}, trading.Shipped)
}

// cancel cancels an order for its buyer or its seller, or for somebody who must not.
func (s *deals) cancel(w *checker.Worker, keyed bool) *deal {
	mayRefuse := otherOrder.Or(checker.RefusedBy(trading.ErrNotParty))
	return s.move(w, revoking, keyed, mayRefuse, func(c *deal, mark string) func(*market) dynastay.Part {
		if w.OneIn(12) {
			c.by = "stranger"
		}
		return func(m *market) dynastay.Part {
			return m.shop.CancelOp(trading.Cancellation{OrderID: c.order, By: c.by, Reason: mark})
		}
	}, trading.Pending, trading.Confirmed)
}

// restock adds to the stock of a product, or takes from it.
func (s *deals) restock(w *checker.Worker, keyed bool) *deal {
	id, delta := productOf(w.Rand.IntN(goodsOfOne)), 1+w.Rand.IntN(3)
	if w.OneIn(4) {
		delta = -delta
	}
	c := &deal{seller: dealerOf(w.Rand.IntN(dealers)), quantities: map[string]int{id: delta}}
	return s.made(w, c, w.Mark(), restocking, keyed, outOfStock, func(m *market) dynastay.Part {
		return m.shop.RestockOp(c.seller, id, delta)
	})
}

func (s *deals) Settle(w *checker.Worker) { s.calls.Settle(w) }
