package checker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	markets "github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/messages"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	trading "github.com/dynastay/dynastay/examples/marketplace/shop"
)

// market is what a process has of the marketplace. Its DB is one of its own, because the idempotency keys of the
// marketplace are in the marketplace's table.
type market struct {
	*dynastay.DB
	projects *projects.Repository
	shop     *trading.Repository
	messages *messages.Repository
	tickets  *entity.Table[receipt]
}

var marketOf = each(func(p *process) *market {
	db := p.open(p.checker.db, func(o *dynastay.Options) { o.Idempotency = markets.Table })
	users := people.New(db, &people.Options{Shards: p.shards})
	return &market{
		DB: db, projects: projects.New(db, users, &projects.Options{Shards: p.shards}), messages: messages.New(db),
		shop:    trading.New(db, users, &trading.Options{Categories: p.shards, Statuses: p.shards}),
		tickets: entity.NewTable(db, ticketEntity),
	}
})

// marketTables are those of the marketplace.
var marketTables = []*dynastay.Schema{markets.Table, ticketEntity.Schema}

// joinMarket adds the marketplace to a run.
func joinMarket(c *checker) {
	c.add(newJobs(c), 26)
	c.add(newDeals(c), 20)
	c.add(newLetters(c), 14)
}

// ticketEntity are the tickets that two in three calls leave.
var ticketEntity = receiptsIn("Tickets")

// marketCall is a write of the marketplace. Two in three leave a ticket; the others are the plain calls of the
// packages, of which some leave nothing that would tell them from another one.
type marketCall struct {
	*deed
	kind   string
	ticket bool
}

// marketWrite calls the marketplace with the parts that it is given.
type marketWrite func(context.Context, *market, []dynastay.Part) error

func onMarket(w *worker, mark, kind, items, about string, keyed bool, refusal refusal, write marketWrite) *marketCall {
	c := &marketCall{kind: kind, ticket: !w.oneIn(3)}
	send := func(ctx context.Context, p *process, parts ...dynastay.Part) error {
		if c.ticket {
			parts = append(parts, marketOf(p).tickets.CreateOp(&receipt{ID: mark, Kind: kind}))
		}
		return write(ctx, marketOf(p), parts)
	}
	c.deed = w.deed(mark, kind, items, about, keyed, refusal, send)
	return c
}

// bazaar is what the scenarios of the marketplace have in common.
type bazaar struct{ *checker }

// decide tells from what a call has left behind, all or nothing, whether it was carried out. Nobody knows of a call
// that leaves nothing and was not answered.
func (c bazaar) decide(call *marketCall, tickets map[string]*receipt, traces ...bool) {
	if t := tickets[call.mark]; call.ticket {
		traces = append(traces, t != nil)
		if t != nil && t.Kind != call.kind {
			c.differ("a ticket of something else", call.items, "%s: %v", call.about, *t)
		}
		delete(tickets, call.mark)
	}
	if len(traces) == 0 {
		return
	}
	done := traces[0]
	if slices.Contains(traces, !done) {
		c.differ("half of a call", call.items, "%s %s: %v", call.name, call.about, traces)
	}
	switch v := call.verdict(); {
	case done && v == refused:
		c.differ("a call that was refused, and is done", call.items, "%s %s", call.name, call.about)
	case !done && v == acknowledged:
		c.differ("a call is lost", call.items, "%s %s", call.name, call.about)
	}
	if done {
		call.saw(c.now())
	}
	call.undone = !done
}

// checkTickets is about those of some kinds that are left over.
func (c bazaar) checkTickets(tickets map[string]*receipt, kinds ...string) {
	for mark, t := range tickets {
		if slices.Contains(kinds, t.Kind) {
			c.differ("a ticket that nobody wrote", mark, "%s", t.Kind)
		}
	}
}

// marketItems are what is stored of the marketplace.
type marketItems struct {
	projects, orders map[string]plain
	bids             map[string]map[string]plain // by project and worker
	rejecting        map[string]bool
	products         map[string]map[string]plain // by seller
	profiles         map[string]plain
	sides            map[string]map[string]plain // of conversations, by user and the other one
	messages         map[string][]plain          // by conversation, in order
	lists            map[string][]time.Time      // "user kind id": when that was made which is listed under the user
	tickets          map[string]*receipt
}

func newMarketItems() *marketItems {
	return &marketItems{
		projects: map[string]plain{}, orders: map[string]plain{}, bids: map[string]map[string]plain{},
		rejecting: map[string]bool{}, products: map[string]map[string]plain{}, profiles: map[string]plain{},
		sides:    map[string]map[string]plain{},
		messages: map[string][]plain{}, lists: map[string][]time.Time{}, tickets: map[string]*receipt{},
	}
}

func (c bazaar) readMarket() *marketItems {
	all := newMarketItems()
	for _, p := range c.scan(markets.Table) {
		if !all.add(p) {
			c.differ("an item of the marketplace that nobody wrote", textOf(p, "PK"), "%v", p)
		}
	}
	for _, conversation := range all.messages {
		slices.SortFunc(conversation, func(a, b plain) int { return strings.Compare(textOf(a, "SK"), textOf(b, "SK")) })
	}
	all.tickets = stored(c.checker, ticketEntity)
	return all
}

// add sorts an item by its key. It reports false for one that the marketplace does not have.
func (all *marketItems) add(p plain) bool {
	kind, id, _ := strings.Cut(textOf(p, "PK"), "#")
	part, rest, _ := strings.Cut(textOf(p, "SK"), "#")
	put := func(of map[string]map[string]plain) {
		if of[id] == nil {
			of[id] = map[string]plain{}
		}
		of[id][rest] = p
	}
	switch kind + " " + part {
	case "PROJECT METADATA":
		all.projects[id] = p
	case "PROJECT BID":
		put(all.bids)
	case "PROJECT REJECTING":
		all.rejecting[id] = true
	case "ORDER METADATA":
		all.orders[id] = p
	case "SELLER PRODUCT":
		put(all.products)
	case "USER PROFILE":
		all.profiles[id] = p
	case "USER CONVERSATION":
		put(all.sides)
	case "USER PROJECT", "USER BID", "USER ORDER":
		at, of, _ := strings.Cut(rest, "#")
		all.lists[listed(id, part, of)] = append(all.lists[listed(id, part, of)], timeOf(at))
	default:
		if kind == "CONVERSATION" && part == "MESSAGE" {
			all.messages[id] = append(all.messages[id], p)
			return true
		}
		return kind == "IDEMPOTENCY"
	}
	return true
}

func listed(user, kind, id string) string { return fmt.Sprint(user, " ", kind, " ", id) }

// checkListed looks for the item that lists something under a user.
func (c bazaar) checkListed(all *marketItems, user, kind, id string, of plain) {
	at, made := all.lists[listed(user, kind, id)], timeOf(of["createdAt"])
	if len(at) != 1 || at[0].Before(made.Truncate(time.Second)) || at[0].After(made) {
		c.differ("something that its user does not have", id, "%s: %v", listed(user, kind, id), at)
	}
	delete(all.lists, listed(user, kind, id))
}

// newcomer signs a user up.
func (c bazaar) newcomer(id string, role people.Role) {
	home := people.Location{City: "Estcourt", Latitude: -29, Longitude: 29}
	p := people.Profile{ID: id, Role: role, Name: id, Location: home}
	if role == people.Seller {
		p.Name, p.Shop.BusinessName = "", id
	}
	if _, err := people.New(c.db.Direct, nil).SignUp(c.t.Context(), p); err != nil {
		c.t.Fatal(err)
	}
}

func rands(cents int64) dynastay.Money {
	amount, _ := dynastay.MoneyOfMinor(cents, "ZAR")
	return amount
}
