package marketplace

import (
	"errors"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	trading "github.com/dynastay/dynastay/examples/marketplace/shop"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

func (s *deals) Check() { s.checkDeals(s.readMarket()) }

// dealLife is what has become of an order: the times within which it can have had each status.
type dealLife struct {
	id       string
	placed   *deal
	moved    map[string]*deal // the calls of each kind that were carried out, as far as they are certain
	statuses []dealStatus
}

type dealStatus struct {
	status trading.Status
	checker.Span
	by *deal // nil if nobody knows
}

func (s *deals) checkDeals(all *items) {
	lives, stored := map[string]*dealLife{}, map[*deal]bool{}
	for id, o := range all.orders {
		delivery, _ := o["delivery"].(plain)
		c := s.all[checker.TextOf(delivery, "instructions")]
		switch {
		case c != nil && stored[c]:
			s.Differ("an order that was placed twice", c.Items, "%v", o)
			continue
		case c == nil || c.kind != ordering || c.order != "" && c.order != id:
			s.Differ("an order that nobody placed", id, "%v", o)
			continue
		}
		c.order, stored[c], lives[id] = id, true, &dealLife{id: id, placed: c, moved: map[string]*deal{}}
	}
	for _, c := range s.all {
		switch c.kind {
		case ordering:
			s.Decide(c.Deed, all.tickets, lives[c.order] != nil)
		case revoking:
			s.Decide(c.Deed, all.tickets, checker.TextOf(all.orders[c.order], "cancelReason") == c.Mark)
		default:
			s.Decide(c.Deed, all.tickets)
		}
		for id := range c.prices {
			if p := all.products[c.seller][id]; c.kind == pricing && checker.TextOf(p, "description") == c.Mark {
				c.Saw(s.Moment())
			}
		}
	}
	s.CheckReceipts(all.tickets, ordering, accepting, shipping, handing, revoking, restocking, pricing)
	delivered := map[string]int{}
	for id, l := range lives {
		o := all.orders[id]
		s.followDeal(l, o)
		s.checkDeal(l, o)
		s.checkListed(all, l.placed.buyer, "ORDER", id, o)
		s.checkListed(all, l.placed.seller, "ORDER", id, o)
		delivered[l.placed.seller] += checker.Count(o["status"] == "DELIVERED")
	}
	for at, times := range all.lists {
		if user, rest, _ := strings.Cut(at, " "); strings.HasPrefix(rest, "ORDER") {
			s.Differ("a list of a user with something else", user, "%s: %v", at, times)
		}
	}
	for id, p := range all.profiles {
		if n := checker.NumberOf(p, "totalOrders"); n != delivered[id] {
			s.Differ("a seller with another number of orders", id, "%d, and %d are delivered", n, delivered[id])
		}
	}
	flows := s.flows(lives)
	for seller, products := range all.products {
		for id, p := range products {
			s.checkStock(seller+"/"+id, checker.NumberOf(p, "stock"), flows[seller+"/"+id])
			s.checkOffer(seller, id, p)
		}
	}
	for _, c := range s.all {
		for _, told := range c.Refusals {
			if !s.justifiedDeal(c, told, lives[c.order], flows) {
				s.Differ("a refusal without the reason that it names", c.Items, "%s %s: %v", c.Name, c.About, told.Err)
			}
		}
	}
}

// wayTo are the calls that lead to a status of an order, in order. An order is cancelled with or without its
// confirmation before.
func (l *dealLife) wayTo(status trading.Status) []string {
	way := []string{accepting, shipping, handing}
	switch status {
	case trading.Cancelled:
		if l.moved[accepting] != nil {
			return []string{accepting, revoking}
		}
		return []string{revoking}
	case trading.Pending:
		return nil
	}
	for n, kind := range way {
		if leadsToOrder[kind] == status {
			return way[:n+1]
		}
	}
	return nil
}

// followDeal finds the calls that have moved an order to its status, each once. Whether an order that was cancelled had
// been confirmed, only its version may tell.
func (s *deals) followDeal(l *dealLife, o plain) {
	status, maybe := trading.Status(checker.TextOf(o, "status")), map[string]int{}
	for _, c := range s.all {
		switch {
		case c.order != l.id || c.kind == ordering || !c.Could():
		case !c.Done():
			maybe[c.kind]++
		case l.moved[c.kind] != nil:
			s.Differ("an order that was moved twice", l.id, "%s: %s and %s", c.kind, l.moved[c.kind].About, c.About)
		default:
			l.moved[c.kind] = c
		}
	}
	way := l.wayTo(status)
	if status == trading.Cancelled && len(way) == 1 && checker.NumberOf(o, "version") == 3 {
		way = []string{accepting, revoking}
	}
	for kind, c := range l.moved {
		if !slices.Contains(way, kind) {
			s.Differ("a move of an order is lost", l.id, "%s %s: %v", kind, c.About, o)
		}
	}
	l.statuses = []dealStatus{{trading.Pending, checker.Since(l.placed.Within.From), l.placed}}
	for _, kind := range way {
		now, c := dealStatus{leadsToOrder[kind], checker.Since(0), nil}, l.moved[kind]
		last := &l.statuses[len(l.statuses)-1]
		switch {
		case c != nil:
			now.Span, now.by, last.To = checker.Since(c.Within.From), c, c.Within.To
		case maybe[kind] == 0:
			s.Differ("a move of an order that nobody made", l.id, "%s: %v", kind, o)
		}
		if now.From = max(now.From, last.From); last.To < last.From {
			s.Differ("an order that was moved in another order", l.id, "%s: %v", kind, o)
		}
		l.statuses = append(l.statuses, now)
	}
	if checker.NumberOf(o, "version") != 1+len(way) {
		s.Differ("an order whose version does not count its moves", l.id, "%v: %v", way, o)
	}
}

// checkDeal compares the attributes of an order with the calls that have made and cancelled it.
func (s *deals) checkDeal(l *dealLife, o plain) {
	ok := checker.TextOf(o, "buyerId") == l.placed.buyer && checker.TextOf(o, "sellerId") == l.placed.seller &&
		strings.HasPrefix(checker.TextOf(o, "GSI2PK"), "STATUS#"+checker.TextOf(o, "status")+"#ORDER")
	items, _ := o["items"].([]any)
	total := int64(0)
	for _, item := range items {
		i, _ := item.(plain)
		id := checker.TextOf(i, "productId")
		n, price := l.placed.quantities[id], l.placed.prices[id]
		ok = ok && n > 0 && checker.NumberOf(i, "quantity") == n && checker.Cents(i["unitPrice"]) == price
		total += int64(n) * price
		if !s.priced(l.placed.seller, id, price, l.placed.Within) {
			s.Differ("an order at a price that it had not", l.placed.Items, "%s: %v", l.placed.About, i)
		}
	}
	totals, _ := o["totals"].(plain)
	ok = ok && len(items) == len(l.placed.quantities) && checker.Cents(totals["total"]) == total
	if c := l.moved[revoking]; c != nil {
		ok = ok && checker.TextOf(o, "cancelledBy") == c.by && (c.by == l.placed.buyer || c.by == l.placed.seller)
	}
	if !ok {
		s.Differ("an order that does not follow from its calls", l.id, "%s: %v", l.placed.About, o)
	}
}

// justifiedDeal reports whether a refusal was true at some moment of its call.
func (s *deals) justifiedDeal(c *deal, at checker.Told, l *dealLife, flows map[string][]flow) bool {
	var gone *trading.Refused
	var status *trading.StatusError
	switch {
	case errors.As(at.Err, &gone):
		return len(gone.Lines) > 0 && !slices.ContainsFunc(gone.Lines, func(line trading.RefusedLine) bool {
			return !s.justifiedLine(c, at.Span, line, flows)
		})
	case errors.Is(at.Err, dynastay.ErrNotFound):
		return l == nil || l.placed.Within.To >= at.From
	case l == nil:
		return false
	case errors.Is(at.Err, trading.ErrNotParty):
		return c.by != l.placed.buyer && c.by != l.placed.seller
	case errors.As(at.Err, &status):
		had := slices.ContainsFunc(l.statuses, func(v dealStatus) bool {
			return v.status == status.From && v.by != c && v.Meets(at.Span)
		})
		return had && status.OrderID == l.id && status.To == leadsToOrder[c.kind] &&
			!slices.Contains(movable[c.kind], status.From)
	}
	return false
}

// justifiedLine is about one reason why a product was refused.
func (s *deals) justifiedLine(c *deal, at checker.Span, line trading.RefusedLine, flows map[string][]flow) bool {
	n := c.quantities[line.ProductID]
	if c.kind == restocking {
		n = -n
	}
	switch line.Reason {
	case trading.OutOfStock:
		return n > line.Left && stocked(flows[c.seller+"/"+line.ProductID], at, c, line.Left)
	case trading.PriceChanged:
		price := checker.Minor(line.Price)
		return c.kind == ordering && price != c.prices[line.ProductID] && s.priced(c.seller, line.ProductID, price, at)
	}
	return false
}

// movable are the statuses of an order in which the calls about it are not refused.
var movable = map[string][]trading.Status{
	accepting: {trading.Pending}, shipping: {trading.Confirmed}, handing: {trading.Shipped},
	revoking: {trading.Pending, trading.Confirmed},
}
