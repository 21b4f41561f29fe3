package checker

import (
	"errors"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	trading "github.com/dynastay/dynastay/examples/marketplace/shop"
)

func (s *deals) check() { s.checkDeals(s.readMarket()) }

// dealLife is what has become of an order: the times within which it can have had each status.
type dealLife struct {
	id       string
	placed   *deal
	moved    map[string]*deal // the calls of each kind that were carried out, as far as they are certain
	statuses []dealStatus
}

type dealStatus struct {
	status trading.Status
	span
	by *deal // nil if nobody knows
}

// flow is what a call adds to the stock of a product, or takes from it, and within which time.
type flow struct {
	span
	*deal
	by      int
	certain bool
}

func (s *deals) checkDeals(all *marketItems) {
	lives, stored := map[string]*dealLife{}, map[*deal]bool{}
	for id, o := range all.orders {
		delivery, _ := o["delivery"].(plain)
		c := s.all[textOf(delivery, "instructions")]
		switch {
		case c != nil && stored[c]:
			s.differ("an order that was placed twice", c.items, "%v", o)
			continue
		case c == nil || c.kind != ordering || c.order != "" && c.order != id:
			s.differ("an order that nobody placed", id, "%v", o)
			continue
		}
		c.order, stored[c], lives[id] = id, true, &dealLife{id: id, placed: c, moved: map[string]*deal{}}
	}
	for _, c := range s.all {
		switch c.kind {
		case ordering:
			s.decide(c.marketCall, all.tickets, lives[c.order] != nil)
		case revoking:
			s.decide(c.marketCall, all.tickets, textOf(all.orders[c.order], "cancelReason") == c.mark)
		default:
			s.decide(c.marketCall, all.tickets)
		}
	}
	s.checkTickets(all.tickets, ordering, accepting, shipping, handing, revoking, restocking)
	delivered := map[string]int{}
	for id, l := range lives {
		o := all.orders[id]
		s.followDeal(l, o)
		s.checkDeal(l, o)
		s.checkListed(all, l.placed.buyer, "ORDER", id, o)
		s.checkListed(all, l.placed.seller, "ORDER", id, o)
		delivered[l.placed.seller] += count(o["status"] == "DELIVERED")
	}
	for at, times := range all.lists {
		if user, rest, _ := strings.Cut(at, " "); strings.HasPrefix(rest, "ORDER") {
			s.differ("a list of a user with something else", user, "%s: %v", at, times)
		}
	}
	for id, p := range all.profiles {
		if n := numberOf(p, "totalOrders"); n != delivered[id] {
			s.differ("a seller with another number of orders", id, "%d, and %d are delivered", n, delivered[id])
		}
	}
	flows := s.flows(lives)
	for seller, products := range all.products {
		for id, p := range products {
			s.checkStock(seller+"/"+id, numberOf(p, "stock"), flows[seller+"/"+id])
		}
	}
	for _, c := range s.all {
		for _, told := range c.refusals {
			if !s.justifiedDeal(c, told, lives[c.order], flows) {
				s.differ("a refusal without the reason that it names", c.items, "%s %s: %v", c.name, c.about, told.err)
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
	status, maybe := trading.Status(textOf(o, "status")), map[string]int{}
	for _, c := range s.all {
		switch {
		case c.order != l.id || c.kind == ordering || !c.could():
		case !c.done():
			maybe[c.kind]++
		case l.moved[c.kind] != nil:
			s.differ("an order that was moved twice", l.id, "%s: %s and %s", c.kind, l.moved[c.kind].about, c.about)
		default:
			l.moved[c.kind] = c
		}
	}
	way := l.wayTo(status)
	if status == trading.Cancelled && len(way) == 1 && numberOf(o, "version") == 3 {
		way = []string{accepting, revoking}
	}
	for kind, c := range l.moved {
		if !slices.Contains(way, kind) {
			s.differ("a move of an order is lost", l.id, "%s %s: %v", kind, c.about, o)
		}
	}
	l.statuses = []dealStatus{{trading.Pending, span{l.placed.within.from, ever}, l.placed}}
	for _, kind := range way {
		now, c := dealStatus{leadsToOrder[kind], span{0, ever}, nil}, l.moved[kind]
		last := &l.statuses[len(l.statuses)-1]
		switch {
		case c != nil:
			now.span, now.by, last.to = span{c.within.from, ever}, c, c.within.to
		case maybe[kind] == 0:
			s.differ("a move of an order that nobody made", l.id, "%s: %v", kind, o)
		}
		if now.from = max(now.from, last.from); last.to < last.from {
			s.differ("an order that was moved in another order", l.id, "%s: %v", kind, o)
		}
		l.statuses = append(l.statuses, now)
	}
	if numberOf(o, "version") != 1+len(way) {
		s.differ("an order whose version does not count its moves", l.id, "%v: %v", way, o)
	}
}

// checkDeal compares the attributes of an order with the calls that have made and cancelled it.
func (s *deals) checkDeal(l *dealLife, o plain) {
	ok := textOf(o, "buyerId") == l.placed.buyer && textOf(o, "sellerId") == l.placed.seller &&
		strings.HasPrefix(textOf(o, "GSI2PK"), "STATUS#"+textOf(o, "status")+"#ORDER")
	items, _ := o["items"].([]any)
	pieces := 0
	for _, item := range items {
		i, _ := item.(plain)
		n := l.placed.quantities[textOf(i, "productId")]
		ok = ok && n > 0 && numberOf(i, "quantity") == n && cents(i["unitPrice"]) == unitPrice
		pieces += n
	}
	totals, _ := o["totals"].(plain)
	ok = ok && len(items) == len(l.placed.quantities) && cents(totals["total"]) == int64(pieces)*unitPrice
	if c := l.moved[revoking]; c != nil {
		ok = ok && textOf(o, "cancelledBy") == c.by && (c.by == l.placed.buyer || c.by == l.placed.seller)
	}
	if !ok {
		s.differ("an order that does not follow from its calls", l.id, "%s: %v", l.placed.about, o)
	}
}

// flows are what was taken out of the stock of each product and put back.
func (s *deals) flows(lives map[string]*dealLife) map[string][]flow {
	all := map[string][]flow{}
	for _, l := range lives {
		for id, n := range l.placed.quantities {
			at := l.placed.seller + "/" + id
			all[at] = append(all[at], flow{l.placed.within, l.placed, -n, true})
			if c := l.moved[revoking]; c != nil {
				all[at] = append(all[at], flow{c.within, c, n, true})
			}
		}
	}
	for _, c := range s.all {
		for id, n := range c.quantities {
			if c.kind == restocking && c.could() {
				all[c.seller+"/"+id] = append(all[c.seller+"/"+id], flow{c.within, c, n, c.done()})
			}
		}
	}
	return all
}

// checkStock adds up a stock: what was supplied is there or is ordered.
func (s *deals) checkStock(at string, stock int, flows []flow) {
	least, most := inStock, inStock
	for _, f := range flows {
		if f.certain || f.by < 0 {
			least += f.by
		}
		if f.certain || f.by > 0 {
			most += f.by
		}
	}
	if stock < max(0, least) || stock > most {
		s.differ("a stock that does not add up", at, "%d, where it must be from %d to %d", stock, least, most)
	}
}

// range of a stock at a moment: what it can have been at least and at most, whatever one of the calls did.
func stockAt(flows []flow, at moment, but *deal) (least, most int) {
	least, most = inStock, inStock
	for _, f := range flows {
		may, must := f.deal != but && f.from <= at, f.deal != but && f.certain && f.to < at
		if must || may && f.by < 0 {
			least += f.by
		}
		if must || may && f.by > 0 {
			most += f.by
		}
	}
	return least, most
}

// justifiedDeal reports whether a refusal was true at some moment of its call.
func (s *deals) justifiedDeal(c *deal, at told, l *dealLife, flows map[string][]flow) bool {
	var gone *trading.Refused
	var status *trading.StatusError
	switch {
	case errors.As(at.err, &gone):
		return len(gone.Lines) > 0 && !slices.ContainsFunc(gone.Lines, func(line trading.RefusedLine) bool {
			n := c.quantities[line.ProductID]
			if c.kind == restocking {
				n = -n
			}
			return line.Reason != trading.OutOfStock || n <= line.Left ||
				!stocked(flows[c.seller+"/"+line.ProductID], at.span, c, line.Left)
		})
	case errors.Is(at.err, dynastay.ErrNotFound):
		return l == nil || l.placed.within.to >= at.from
	case l == nil:
		return false
	case errors.Is(at.err, trading.ErrNotParty):
		return c.by != l.placed.buyer && c.by != l.placed.seller
	case errors.As(at.err, &status):
		had := slices.ContainsFunc(l.statuses, func(v dealStatus) bool {
			return v.status == status.From && v.by != c && v.meets(at.span)
		})
		return had && status.OrderID == l.id && status.To == leadsToOrder[c.kind] &&
			!slices.Contains(movable[c.kind], status.From)
	}
	return false
}

// movable are the statuses of an order in which the calls about it are not refused.
var movable = map[string][]trading.Status{
	accepting: {trading.Pending}, shipping: {trading.Confirmed}, handing: {trading.Shipped},
	revoking: {trading.Pending, trading.Confirmed},
}

// stocked reports whether so much can have been left at some moment of a time.
func stocked(flows []flow, at span, but *deal, left int) bool {
	moments := []moment{at.from, at.to}
	for _, f := range flows {
		for _, m := range []moment{f.from, f.to} {
			if at.from < m && m < at.to {
				moments = append(moments, m)
			}
		}
	}
	return slices.ContainsFunc(moments, func(m moment) bool {
		least, most := stockAt(flows, m, but)
		return least <= left && left <= most
	})
}
