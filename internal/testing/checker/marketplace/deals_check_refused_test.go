package marketplace

import (
	"testing"

	"github.com/dynastay/dynastay"
	trading "github.com/dynastay/dynastay/examples/marketplace/shop"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// ledger is a history of orders: o1 was delivered, o2 cancelled after it was confirmed, o3 cancelled before, and o4 is
// pending. There are 6 of each product at first; bricks-0 of dealer-0 was restocked by 2.
type ledger struct {
	*deals
	items *items
}

func newLedger(t *testing.T) *ledger {
	g := &ledger{newDeals(checker.Histories(t)), newItems()}
	g.place("m1", "o1", map[string]int{"bricks-0": 3, "bricks-1": 1}, "DELIVERED", 4, 10)
	g.add("m2", deal{order: "o1"}, accepting, 12)
	g.add("m3", deal{order: "o1"}, shipping, 14)
	g.add("m4", deal{order: "o1"}, handing, 16)
	g.place("m5", "o2", map[string]int{"bricks-0": 2}, "CANCELLED", 3, 20)
	g.add("m6", deal{order: "o2"}, accepting, 22)
	g.cancel("m7", "o2", 24)
	g.add("m8", deal{quantities: map[string]int{"bricks-0": 2}}, restocking, 30)
	g.place("m9", "o3", map[string]int{"bricks-0": 5}, "CANCELLED", 2, 40)
	g.cancel("m10", "o3", 42)
	g.place("m11", "o4", map[string]int{"bricks-0": 4}, "PENDING", 1, 50)
	g.add("m12", deal{prices: map[string]int64{"bricks-1": 6_00}}, pricing, 60)
	g.add("m13", deal{prices: map[string]int64{"bricks-1": 6_50}}, pricing, 64)
	g.items.products["dealer-0"] = map[string]plain{
		"bricks-0": {"stock": 1.0, "price": 5.5, "version": 1.0},
		"bricks-1": {"stock": 5.0, "price": 6.5, "version": 3.0, "description": "m13"},
	}
	g.items.profiles["dealer-0"] = plain{"totalOrders": 1.0}
	g.items.profiles["client-0"] = plain{}
	return g
}

// add adds a call that was acknowledged, within two moments, with its ticket.
func (g *ledger) add(mark string, c deal, kind string, at checker.Moment) *deal {
	c.call = &call{Deed: checker.Answered(mark, checker.Acknowledged, checker.Between(at, at+1)), kind: kind}
	c.seller = "dealer-0"
	g.all[mark], g.items.tickets[mark] = &c, c.Left(kind, "")
	return &c
}

// place adds an order, as a call has left it and others have moved it.
func (g *ledger) place(mark, id string, quantities map[string]int, status string, version float64, at checker.Moment) {
	prices := map[string]int64{}
	for id := range quantities {
		prices[id] = firstPrice
	}
	g.add(mark, deal{order: id, buyer: "client-0", quantities: quantities, prices: prices}, ordering, at)
	o := plain{
		"buyerId": "client-0", "sellerId": "dealer-0", "delivery": plain{"instructions": mark}, "status": status,
		"version": version, "createdAt": checker.Stamp(0), "GSI2PK": "STATUS#" + status + "#ORDER",
	}
	var items []any
	pieces := 0
	for id, n := range quantities {
		items = append(items, plain{"productId": id, "quantity": float64(n), "unitPrice": 5.5})
		pieces += n
	}
	o["items"], o["totals"] = items, plain{"total": 5.5 * float64(pieces)}
	g.items.orders[id] = o
	for _, user := range []string{"client-0", "dealer-0"} {
		g.items.lists[listed(user, "ORDER", id)] = append(g.items.lists[listed(user, "ORDER", id)], checker.Instant(0))
	}
}

func (g *ledger) cancel(mark, id string, at checker.Moment) {
	g.add(mark, deal{order: id, by: "client-0"}, revoking, at)
	g.items.orders[id]["cancelledBy"], g.items.orders[id]["cancelReason"] = "client-0", mark
}

// unsure makes a call unknown that has left nothing of its own.
func (g *ledger) unsure(mark string) {
	c := g.all[mark]
	c.Deed = checker.Answered(mark, checker.Unknown, checker.Since(c.Within.From))
	delete(g.items.tickets, mark)
}

// deny adds a call that was refused.
func (g *ledger) deny(c deal, kind string, at checker.Span, err error) {
	made := g.add("m99", c, kind, at.From)
	made.Deny(at, err)
	delete(g.items.tickets, "m99")
}

// lack adds an order, or a reduction of the stock, that was refused because of bricks-0.
func (g *ledger) lack(kind string, n, left int, at checker.Span) {
	g.deny(deal{quantities: map[string]int{"bricks-0": n}}, kind, at, &trading.Refused{
		Lines: []trading.RefusedLine{{ProductID: "bricks-0", Reason: trading.OutOfStock, Left: left}},
	})
}

// dear adds an order of bricks-1 at a price, which was refused because of another one.
func (g *ledger) dear(seen, now int64, at checker.Span) {
	line := trading.RefusedLine{ProductID: "bricks-1", Reason: trading.PriceChanged, Price: rands(now)}
	g.deny(deal{quantities: map[string]int{"bricks-1": 1}, prices: map[string]int64{"bricks-1": seen}}, ordering, at,
		&trading.Refused{Lines: []trading.RefusedLine{line}})
}

func moved(order string, from, to trading.Status) error {
	return &trading.StatusError{OrderID: order, From: from, To: to}
}

func (g *ledger) check() { g.checkDeals(g.items) }

func TestRightDeals(t *testing.T) {
	checker.Accepts(t, newLedger, (*ledger).check, map[string]func(g *ledger){
		"nothing else":       func(*ledger) {},
		"sold":               func(g *ledger) { g.lack(ordering, 4, 3, checker.Between(12, 13)) },
		"sold, and more":     func(g *ledger) { g.lack(ordering, 4, 1, checker.Between(20, 23)) },
		"sold, not all yet":  func(g *ledger) { g.lack(ordering, 4, 3, checker.Between(20, 23)) },
		"sold before it was": func(g *ledger) { g.lack(ordering, 2, 1, checker.Between(21, 26)) },
		"sold in the end":    func(g *ledger) { g.lack(ordering, 2, 1, checker.Between(60, 61)) },
		"cannot be taken":    func(g *ledger) { g.lack(restocking, -2, 1, checker.Between(60, 61)) },
		"not placed yet":     func(g *ledger) { g.deny(deal{order: "o1"}, accepting, checker.Between(9, 10), dynastay.ErrNotFound) },
		"delivered": func(g *ledger) {
			g.deny(deal{order: "o1"}, revoking, checker.Between(16, 17), moved("o1", trading.Delivered, trading.Cancelled))
		},
		"not confirmed yet": func(g *ledger) {
			g.deny(deal{order: "o1"}, shipping, checker.Between(11, 12), moved("o1", trading.Pending, trading.Shipped))
		},
		"cancelled": func(g *ledger) {
			g.deny(deal{order: "o2"}, revoking, checker.Between(25, 26), moved("o2", trading.Cancelled, trading.Cancelled))
		},
		"a stranger": func(g *ledger) {
			g.deny(deal{order: "o4", by: "stranger"}, revoking, checker.Between(52, 53), trading.ErrNotParty)
		},
		"another price":       func(g *ledger) { g.dear(5_50, 6_00, checker.Between(62, 63)) },
		"another price, soon": func(g *ledger) { g.dear(6_00, 5_50, checker.Between(59, 61)) },
		"unknown price":       func(g *ledger) { g.unsure("m12") },
		"unknown price, seen": func(g *ledger) { g.unsure("m13") },
		"ordered while it is changed": func(g *ledger) {
			g.place("m14", "o5", map[string]int{"bricks-1": 1}, "PENDING", 1, 61)
			g.all["m14"].Within.From = 59
			g.items.products["dealer-0"]["bricks-1"]["stock"] = 4.0
		},
		"unknown confirmation":  func(g *ledger) { g.unsure("m6") },
		"unknown delivery":      func(g *ledger) { g.unsure("m4") },
		"unknown restock":       func(g *ledger) { g.unsure("m8") },
		"unknown restock, lost": func(g *ledger) { g.unsure("m8"); g.items.products["dealer-0"]["bricks-0"]["stock"] = 0.0 },
	})
}

// wrongDeals are changes of a right history, by the difference that must be found.
var wrongDeals = map[string]map[string]func(g *ledger){
	"an order that nobody placed": {
		"no call":    func(g *ledger) { g.items.orders["o9"] = plain{} },
		"another id": func(g *ledger) { g.all["m1"].order = "o9" },
	},
	"an order that was placed twice": {
		"two ids": func(g *ledger) {
			g.all["m1"].order = ""
			g.items.orders["o9"] = g.items.orders["o1"]
		},
	},
	"a call is lost": {
		"an order":       func(g *ledger) { delete(g.items.orders, "o4"); g.all["m11"].Receipt = nil },
		"a ticket":       func(g *ledger) { delete(g.items.tickets, "m8") },
		"a cancellation": func(g *ledger) { g.items.orders["o2"]["cancelReason"] = ""; g.all["m7"].Receipt = nil },
	},
	"half of a call":                       {"only the order": func(g *ledger) { delete(g.items.tickets, "m11") }},
	"a call that was refused, and is done": {"o4": func(g *ledger) { g.all["m11"].Answers = checker.Tally{checker.Refused: 1} }},
	"a receipt that nobody wrote":          {"m99": func(g *ledger) { g.items.tickets["m99"] = &checker.Receipt{ID: "m99", Kind: ordering} }},
	"an order that was moved twice":        {"o1": func(g *ledger) { g.add("m99", deal{order: "o1"}, accepting, 12) }},
	"a move of an order is lost": {
		"confirmed": func(g *ledger) { g.add("m99", deal{order: "o4"}, accepting, 52) },
		"shipped":   func(g *ledger) { g.add("m99", deal{order: "o2"}, shipping, 23) },
	},
	"a move of an order that nobody made": {
		"delivered": func(g *ledger) { delete(g.all, "m4"); delete(g.items.tickets, "m4") },
		"shipped":   func(g *ledger) { delete(g.all, "m3"); delete(g.items.tickets, "m3") },
	},
	"an order that was moved in another order": {
		"delivered first": func(g *ledger) { g.all["m4"].Within = checker.Between(12, 13) },
	},
	"an order whose version does not count its moves": {
		"more": func(g *ledger) { g.items.orders["o4"]["version"] = 2.0 },
		"less": func(g *ledger) { g.items.orders["o1"]["version"] = 3.0 },
	},
	"an order that does not follow from its calls": {
		"buyer":       func(g *ledger) { g.items.orders["o1"]["buyerId"] = "client-1" },
		"seller":      func(g *ledger) { g.items.orders["o1"]["sellerId"] = "dealer-1" },
		"index":       func(g *ledger) { g.items.orders["o1"]["GSI2PK"] = "STATUS#SHIPPED#ORDER" },
		"no items":    func(g *ledger) { delete(g.items.orders["o1"], "items") },
		"a quantity":  func(g *ledger) { g.items.orders["o4"]["items"].([]any)[0].(plain)["quantity"] = 3.0 },
		"a price":     func(g *ledger) { g.items.orders["o4"]["items"].([]any)[0].(plain)["unitPrice"] = 5.0 },
		"a product":   func(g *ledger) { g.items.orders["o4"]["items"].([]any)[0].(plain)["productId"] = "bricks-1" },
		"the total":   func(g *ledger) { g.items.orders["o4"]["totals"].(plain)["total"] = 21.0 },
		"who cancels": func(g *ledger) { g.items.orders["o2"]["cancelledBy"] = "dealer-0" },
		"not a party": func(g *ledger) { g.items.orders["o2"]["cancelledBy"] = "x"; g.all["m7"].by = "x" },
	},
	"something that its user does not have": {
		"buyer":  func(g *ledger) { delete(g.items.lists, listed("client-0", "ORDER", "o1")) },
		"seller": func(g *ledger) { delete(g.items.lists, listed("dealer-0", "ORDER", "o1")) },
	},
	"a list of a user with something else": {
		"an order": func(g *ledger) { g.items.lists[listed("client-1", "ORDER", "o1")] = nil },
	},
	"a seller with another number of orders": {
		"more": func(g *ledger) { g.items.profiles["dealer-0"]["totalOrders"] = 2.0 },
		"none": func(g *ledger) { delete(g.items.profiles["dealer-0"], "totalOrders") },
	},
	"an order at a price that it had not": {
		"too late": func(g *ledger) { g.place("m14", "o5", map[string]int{"bricks-1": 1}, "PENDING", 1, 62) },
		"too soon": func(g *ledger) { g.all["m1"].prices["bricks-1"] = 6_00 },
	},
	"a product that does not follow from its calls": {
		"price":     func(g *ledger) { g.items.products["dealer-0"]["bricks-1"]["price"] = 6.0 },
		"of nobody": func(g *ledger) { g.items.products["dealer-0"]["bricks-1"]["description"] = "m99" },
		"overwritten": func(g *ledger) {
			p := g.items.products["dealer-0"]["bricks-1"]
			p["price"], p["description"] = 6.0, "m12"
		},
		"version":    func(g *ledger) { g.items.products["dealer-0"]["bricks-1"]["version"] = 4.0 },
		"no version": func(g *ledger) { g.items.products["dealer-0"]["bricks-1"]["version"] = 2.0 },
		"lost": func(g *ledger) {
			g.items.products["dealer-0"]["bricks-1"] = plain{"stock": 5.0, "price": 5.5, "version": 1.0}
		},
	},
	"a stock that does not add up": {
		"oversold":       func(g *ledger) { g.items.products["dealer-0"]["bricks-0"]["stock"] = -1.0 },
		"given back":     func(g *ledger) { g.items.products["dealer-0"]["bricks-0"]["stock"] = 3.0 },
		"taken twice":    func(g *ledger) { g.items.products["dealer-0"]["bricks-1"]["stock"] = 4.0 },
		"restocked less": func(g *ledger) { g.unsure("m8"); g.items.products["dealer-0"]["bricks-0"]["stock"] = 2.0 },
	},
	"a refusal without the reason that it names": {
		"enough":         func(g *ledger) { g.lack(ordering, 3, 3, checker.Between(12, 13)) },
		"less than left": func(g *ledger) { g.lack(ordering, 4, 2, checker.Between(12, 13)) },
		"not sold yet":   func(g *ledger) { g.lack(ordering, 4, 3, checker.Between(8, 9)) },
		"given back":     func(g *ledger) { g.lack(ordering, 4, 1, checker.Between(26, 27)) },
		"its own":        func(g *ledger) { g.lack(ordering, 9, 0, checker.Between(60, 61)) },
		"an addition":    func(g *ledger) { g.lack(restocking, 2, 1, checker.Between(60, 61)) },
		"no line":        func(g *ledger) { g.deny(deal{}, ordering, checker.Between(60, 61), &trading.Refused{}) },
		"another reason": func(g *ledger) {
			g.deny(deal{quantities: map[string]int{"bricks-0": 2}}, ordering, checker.Between(60, 61), &trading.Refused{
				Lines: []trading.RefusedLine{{ProductID: "bricks-0", Reason: trading.NotActive}},
			})
		},
		"the same price":    func(g *ledger) { g.dear(6_00, 6_00, checker.Between(62, 63)) },
		"a price of before": func(g *ledger) { g.dear(6_00, 5_50, checker.Between(62, 63)) },
		"a price to come":   func(g *ledger) { g.dear(5_50, 6_50, checker.Between(62, 63)) },
		"placed long ago":   func(g *ledger) { g.deny(deal{order: "o1"}, accepting, checker.Between(12, 13), dynastay.ErrNotFound) },
		"the buyer": func(g *ledger) {
			g.deny(deal{order: "o4", by: "client-0"}, revoking, checker.Between(52, 53), trading.ErrNotParty)
		},
		"the other status": func(g *ledger) {
			g.deny(deal{order: "o1"}, shipping, checker.Between(11, 12), moved("o1", trading.Shipped, trading.Shipped))
		},
		"what it asks for": func(g *ledger) {
			g.deny(deal{order: "o1"}, shipping, checker.Between(14, 15), moved("o1", trading.Confirmed, trading.Shipped))
		},
		"another order": func(g *ledger) {
			g.deny(deal{order: "o1"}, shipping, checker.Between(11, 12), moved("o2", trading.Pending, trading.Shipped))
		},
		"another move": func(g *ledger) {
			g.deny(deal{order: "o1"}, shipping, checker.Between(11, 12), moved("o1", trading.Pending, trading.Delivered))
		},
	},
}

func TestWrongDeals(t *testing.T) { checker.Rejects(t, newLedger, (*ledger).check, wrongDeals) }
