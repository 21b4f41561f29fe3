// Package marketplace runs and checks the writes of a marketplace: projects and bids, orders and stocks, and messages.
package marketplace

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
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// plain is a stored item without the library.
type plain = map[string]any

// market is what a process has of the marketplace. Its DB is one of its own, because the idempotency keys of the
// marketplace are in the marketplace's table.
type market struct {
	*dynastay.DB
	projects *projects.Repository
	shop     *trading.Repository
	messages *messages.Repository
	tickets  *entity.Table[checker.Receipt]
}

var marketOf = checker.Each(func(p *checker.Process) *market {
	db := p.Open(p.Run.Base, func(o *dynastay.Options) { o.Idempotency = markets.Table })
	users := people.New(db, &people.Options{Shards: p.Shards})
	return &market{
		DB: db, projects: projects.New(db, users, &projects.Options{Shards: p.Shards}), messages: messages.New(db),
		shop:    trading.New(db, users, &trading.Options{Categories: p.Shards, Statuses: p.Shards}),
		tickets: entity.NewTable(db, ticketEntity),
	}
})

// Tables are those of the marketplace.
var Tables = []*dynastay.Schema{markets.Table, ticketEntity.Schema}

// Join adds the marketplace to a run.
func Join(c *checker.Run) {
	c.Add(newJobs(c), 26)
	c.Add(newDeals(c), 20)
	c.Add(newLetters(c), 14)
}

// ticketEntity are the tickets that two in three calls leave.
var ticketEntity = checker.ReceiptsIn("Tickets")

// call is a write of the marketplace. Two in three leave a ticket; the others are the plain calls of the
// packages, of which some leave nothing that would tell them from another one.
type call struct {
	*checker.Deed
	kind string
}

// sender calls the marketplace with the parts that it is given.
type sender func(context.Context, *market, []dynastay.Part) error

func onMarket(w *checker.Worker, mark, kind, items, about string, keyed bool, refusal checker.Refusal, write sender) *call {
	c := &call{kind: kind}
	send := func(ctx context.Context, p *checker.Process, parts ...dynastay.Part) error {
		return write(ctx, marketOf(p), c.Leave(marketOf(p).tickets, parts))
	}
	c.Deed = w.Deed(mark, kind, items, about, keyed, refusal, send)
	if !w.OneIn(3) {
		c.Receipt = &checker.Receipt{ID: mark, Kind: kind}
	}
	return c
}

// bazaar is what the scenarios of the marketplace have in common.
type bazaar struct{ *checker.Run }

// items are what is stored of the marketplace.
type items struct {
	projects, orders map[string]plain
	bids             map[string]map[string]plain // by project and worker
	rejecting        map[string]bool
	products         map[string]map[string]plain // by seller
	profiles         map[string]plain
	sides            map[string]map[string]plain // of conversations, by user and the other one
	messages         map[string][]plain          // by conversation, in order
	lists            map[string][]time.Time      // "user kind id": when that was made which is listed under the user
	tickets          map[string]*checker.Receipt
}

func newItems() *items {
	return &items{
		projects: map[string]plain{}, orders: map[string]plain{}, bids: map[string]map[string]plain{},
		rejecting: map[string]bool{}, products: map[string]map[string]plain{}, profiles: map[string]plain{},
		sides:    map[string]map[string]plain{},
		messages: map[string][]plain{}, lists: map[string][]time.Time{}, tickets: map[string]*checker.Receipt{},
	}
}

func (c bazaar) readMarket() *items {
	all := newItems()
	for _, p := range c.Scan(markets.Table) {
		if !all.add(p) {
			c.Differ("an item of the marketplace that nobody wrote", checker.TextOf(p, "PK"), "%v", p)
		}
	}
	for _, conversation := range all.messages {
		slices.SortFunc(conversation, func(a, b plain) int { return strings.Compare(checker.TextOf(a, "SK"), checker.TextOf(b, "SK")) })
	}
	all.tickets = checker.Stored(c.Run, ticketEntity)
	return all
}

// add sorts an item by its key. It reports false for one that the marketplace does not have.
func (all *items) add(p plain) bool {
	kind, id, _ := strings.Cut(checker.TextOf(p, "PK"), "#")
	part, rest, _ := strings.Cut(checker.TextOf(p, "SK"), "#")
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
		all.lists[listed(id, part, of)] = append(all.lists[listed(id, part, of)], checker.TimeOf(at))
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
func (c bazaar) checkListed(all *items, user, kind, id string, of plain) {
	at, made := all.lists[listed(user, kind, id)], checker.TimeOf(of["createdAt"])
	if len(at) != 1 || at[0].Before(made.Truncate(time.Second)) || at[0].After(made) {
		c.Differ("something that its user does not have", id, "%s: %v", listed(user, kind, id), at)
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
	if _, err := people.New(c.Base.Direct, nil).SignUp(c.T.Context(), p); err != nil {
		c.T.Fatal(err)
	}
}

func rands(cents int64) dynastay.Money {
	amount, _ := dynastay.MoneyOfMinor(cents, "ZAR")
	return amount
}
