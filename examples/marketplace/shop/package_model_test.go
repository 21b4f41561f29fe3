package shop_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

var modelOperations = flag.Int("model.operations", 300, "how many operations TestModel compares with its model")

// A seller and three buyers use two processes, one call after the other and many at the same time. Calls meet conflicts
// of DynamoDB, answers and requests are lost, and calls are repeated with their keys. Every answer is what a model in
// memory expects, and at the end, what is in stock and what is ordered is together what was supplied.
func TestModel(t *testing.T) {
	t.Parallel()
	met := map[string]int{}
	for met["operations"] < *modelOperations {
		rapid.Check(t, func(rt *rapid.T) {
			if met["operations"] >= *modelOperations {
				return
			}
			w := newWorld(t, rt, met)
			for range rapid.IntRange(30, 90).Draw(rt, "steps") {
				w.step()
			}
			w.compare()
		})
	}
	t.Logf("%v", met)
	if *modelOperations >= 5_000 {
		for _, what := range []string{
			"placed", "refused", "cancelled", "moved", "wrong status", "paid", "wrong payment", "restocked", "too little", "edited",
			"switched", "deleted", "created", "replayed", "burst", "burst: placed", "burst: refused", "burst: cancelled", "unknown",
			string(shop.NotFound), string(shop.NotActive), string(shop.PriceChanged), string(shop.BelowMinimum), string(shop.OutOfStock),
		} {
			assert.NotZero(t, met[what], what)
		}
	}
}

// goods is what the model knows of a product.
type goods struct {
	price    dynastay.Money
	least    int
	active   bool
	stock    int
	supplied int
}

// deal is what the model knows of an order.
type deal struct {
	buyer   string
	items   []shop.Item
	status  shop.Status
	payment shop.PaymentStatus
	version int
}

// world is the market and what it has to be.
type world struct {
	*rapid.T
	market  *market
	repos   []*shop.Repository
	met     map[string]int
	shelf   map[string]*goods
	deals   map[string]*deal
	counted int
	drawn   int
	replays []func() // calls that were successful, with what they have to answer
}

func newWorld(t *testing.T, rt *rapid.T, met map[string]int) *world {
	w := &world{T: rt, market: newMarket(t), met: met, shelf: map[string]*goods{}, deals: map[string]*deal{}}
	w.market.Faults.Conflicts(time.Millisecond / 2)
	for range 2 {
		w.repos = append(w.repos, w.market.process(&dynastay.Options{Retry: patient}))
	}
	for i := range 4 {
		w.create(fmt.Sprint("p", i))
	}
	return w
}

func pick[V any](w *world, label string, values ...V) V {
	return values[rapid.IntRange(0, len(values)-1).Draw(w.T, label)]
}

func (w *world) number(label string, from, to int) int {
	return rapid.IntRange(from, to).Draw(w.T, label)
}

func (w *world) repo() *shop.Repository { return pick(w, "process", w.repos...) }

func (w *world) id(prefix string) string {
	w.drawn++
	return fmt.Sprint(prefix, w.drawn)
}

func (w *world) context() context.Context { return w.market.t.Context() }

func (w *world) step() {
	w.met["operations"]++
	w.market.Clock.Advance(time.Second)
	if w.number("faulty", 0, 2) == 0 {
		fault := pick(w, "fault", dyntest.LoseAnswer(), dyntest.LoseRequest(), dyntest.Throttle(),
			dyntest.InternalErrorAfterCommit(), dyntest.Conflict(), dyntest.InProgress())
		injection := w.market.Faults.Inject(fault, dyntest.When{
			Nth: w.number("nth", 1, 4), Times: w.number("times", 1, 2), Optional: true,
		})
		defer injection.Stop()
	}
	switch n := w.number("step", 0, 23); {
	case n < 8:
		w.place()
	case n < 11:
		w.cancel()
	case n < 14:
		w.move()
	case n < 15:
		w.pay()
	case n < 17:
		w.restock()
	case n < 18:
		w.edit()
	case n < 19:
		w.turn()
	case n < 20:
		w.shelve()
	case n < 22:
		w.replay()
	default:
		w.burst()
	}
}

// outcome reports whether a call was carried out, and returns its error. If that is unknown, done says.
func (w *world) outcome(err error, done func() bool) (bool, error) {
	if errors.Is(err, dynastay.ErrOutcomeUnknown) {
		w.met["unknown"]++
		return done(), nil
	}
	return err == nil, err
}

// draft draws an order, of which some products may not exist, and some prices may be old.
func (w *world) draft() shop.Order {
	var items []shop.Item
	for _, id := range []string{"p0", "p1", "p2", "p3", "never"} {
		if w.number("want "+id, 0, 3) > 0 || id == "never" && w.number("really", 0, 5) > 0 {
			continue
		}
		one := item(id, w.number("quantity", 1, 6))
		if g := w.shelf[id]; g != nil {
			one.UnitPrice = g.price
		}
		if w.number("old price", 0, 9) == 0 {
			one.UnitPrice = zar("4.99")
		}
		items = append(items, one)
	}
	if len(items) == 0 {
		items = []shop.Item{item("p0", 1)}
		if g := w.shelf["p0"]; g != nil {
			items[0].UnitPrice = g.price
		}
	}
	o := order(pick(w, "buyer", "ana", "bo", "cy"), items...)
	o.ID = w.id("order_")
	return o
}

// refusals are the lines that refuse an order, by the model.
func (w *world) refusals(o shop.Order) (all []shop.RefusedLine) {
	for _, i := range o.Items {
		add := func(l shop.RefusedLine) {
			l.ProductID, l.Title = i.ProductID, i.Title
			all = append(all, l)
		}
		g := w.shelf[i.ProductID]
		switch {
		case g == nil:
			add(shop.RefusedLine{Reason: shop.NotFound})
			continue
		case !g.active:
			add(shop.RefusedLine{Reason: shop.NotActive})
			continue
		}
		if g.price != i.UnitPrice {
			add(shop.RefusedLine{Reason: shop.PriceChanged, Price: g.price})
		}
		if g.least > i.Quantity {
			add(shop.RefusedLine{Reason: shop.BelowMinimum, MinOrder: g.least})
		}
		if g.stock < i.Quantity {
			add(shop.RefusedLine{Reason: shop.OutOfStock, Left: g.stock})
		}
	}
	return all
}

func (w *world) exists(orderID string) bool {
	return w.market.row("ORDER#"+orderID, "METADATA").Exists()
}

func (w *world) place() {
	o := w.draft()
	var opts []dynastay.WriteOption
	if rapid.Bool().Draw(w.T, "keyed") {
		opts = append(opts, dynastay.IdempotencyKey(o.ID))
	}
	want := w.refusals(o)
	_, err := w.repo().Place(w.context(), o, opts...)
	done, err := w.outcome(err, func() bool { return w.exists(o.ID) })
	if !done {
		if err != nil {
			var refused *shop.Refused
			require.ErrorAs(w, err, &refused)
			require.Equal(w, want, refused.Lines)
		}
		w.met["refused"]++
		for _, line := range want {
			w.met[string(line.Reason)]++
		}
		return
	}
	require.Empty(w, want)
	w.met["placed"]++
	w.took(o)
	if len(opts) > 0 {
		w.replays = append(w.replays, func() {
			got, err := w.repo().Place(w.context(), o, opts...)
			if done, err := w.outcome(err, func() bool { return true }); done && err == nil && got != nil {
				require.Equal(w, w.deals[o.ID].status, got.Status)
				return
			}
			require.NoError(w, err)
		})
	}
}

// took books an order.
func (w *world) took(o shop.Order) {
	for _, i := range o.Items {
		w.shelf[i.ProductID].stock -= i.Quantity
	}
	w.deals[o.ID] = &deal{buyer: o.BuyerID, items: o.Items, status: shop.Pending, payment: shop.PaymentPending, version: 1}
}

// returned books a cancellation.
func (w *world) returned(d *deal) {
	d.status, d.version = shop.Cancelled, d.version+1
	for _, i := range d.items {
		if g := w.shelf[i.ProductID]; g != nil {
			g.stock += i.Quantity
		}
	}
}

// deal draws an order that was placed.
func (w *world) deal() (string, *deal) {
	if len(w.deals) == 0 {
		return "", nil
	}
	id := pick(w, "order", slices.Sorted(maps.Keys(w.deals))...)
	return id, w.deals[id]
}

// moved reports whether a stored order is newer than the model's.
func (w *world) moved(id string) bool { return w.market.stored(id).Version > w.deals[id].version }

func (w *world) cancel() {
	id, d := w.deal()
	if d == nil {
		return
	}
	c := shop.Cancellation{OrderID: id, By: pick(w, "by", d.buyer, seller, "nobody"), Reason: "why not"}
	var opts []dynastay.WriteOption
	if rapid.Bool().Draw(w.T, "keyed") {
		opts = append(opts, dynastay.IdempotencyKey(w.id("cancel_")))
	}
	_, err := w.repo().Cancel(w.context(), c, opts...)
	done, err := w.outcome(err, func() bool { return w.moved(id) })
	switch {
	case c.By == "nobody":
		require.ErrorIs(w, err, shop.ErrNotParty)
	case done:
		require.True(w, legal(d.status, shop.Cancelled))
		w.met["cancelled"]++
		w.returned(d)
		if len(opts) > 0 {
			w.replays = append(w.replays, func() {
				_, err := w.repo().Cancel(w.context(), c, opts...)
				_, err = w.outcome(err, func() bool { return true })
				require.NoError(w, err)
			})
		}
	case err != nil:
		w.wrongStatus(err, id, shop.Cancelled)
	}
}

func (w *world) wrongStatus(err error, id string, to shop.Status) {
	w.met["wrong status"]++
	var status *shop.StatusError
	require.ErrorAs(w, err, &status)
	require.Equal(w, shop.StatusError{OrderID: id, From: w.deals[id].status, To: to}, *status)
	require.False(w, legal(status.From, to))
}

func (w *world) move() {
	id, d := w.deal()
	if d == nil {
		return
	}
	to := pick(w, "to", shop.Confirmed, shop.Shipped, shop.Delivered)
	_, err := moves[to](w.repo(), id)
	done, err := w.outcome(err, func() bool { return w.moved(id) })
	switch {
	case done:
		require.True(w, legal(d.status, to))
		w.met["moved"]++
		d.status, d.version = to, d.version+1
		if to == shop.Delivered {
			w.counted++
		}
	case err != nil:
		w.wrongStatus(err, id, to)
	}
}

func (w *world) pay() {
	id, d := w.deal()
	if d == nil {
		return
	}
	to := pick(w, "to", payments...)
	_, err := w.repo().SetPayment(w.context(), id, to)
	done, err := w.outcome(err, func() bool { return w.moved(id) })
	switch {
	case done && d.payment != to:
		w.met["paid"]++
		require.True(w, d.payment == shop.PaymentPending && to != shop.Refunded || d.payment == shop.PaymentFailed && to != shop.Refunded ||
			d.payment == shop.Paid && to == shop.Refunded)
		d.payment, d.version = to, d.version+1
	case err != nil:
		w.met["wrong payment"]++
		var payment *shop.PaymentError
		require.ErrorAs(w, err, &payment)
		require.Equal(w, shop.PaymentError{OrderID: id, From: d.payment, To: to}, *payment)
	}
}

// product draws the id of a product.
func (w *world) product() (string, *goods) {
	id := pick(w, "product", "p0", "p1", "p2", "p3")
	return id, w.shelf[id]
}

// burst places and cancels orders, and restocks, at the same time.
func (w *world) burst() {
	w.met["burst"]++
	var calls sync.WaitGroup
	var mu sync.Mutex
	var booked []func()
	book := func(what string, f func()) {
		mu.Lock()
		defer mu.Unlock()
		booked = append(booked, func() { w.met["burst: "+what]++; f() })
	}
	for i := range w.number("orders", 2, 8) {
		o := w.draft()
		repo := w.repos[i%2]
		calls.Go(func() {
			err := certain(func() error { return ok(repo.Place(w.context(), o, dynastay.IdempotencyKey(o.ID))) })
			var refused *shop.Refused
			switch {
			case err == nil:
				book("placed", func() { w.took(o) })
			case assert.ErrorAs(w, err, &refused):
				book("refused", func() {})
			}
		})
	}
	cancelled := map[string]bool{}
	for i := range w.number("cancellations", 0, 3) {
		id, d := w.deal()
		if d == nil || !legal(d.status, shop.Cancelled) || cancelled[id] {
			continue
		}
		cancelled[id] = true
		for _, by := range []string{d.buyer, seller} { // both at the same time
			repo, key := w.repos[i%2], dynastay.IdempotencyKey(w.id("cancel_"))
			calls.Go(func() {
				err := certain(func() error { return ok(repo.Cancel(w.context(), shop.Cancellation{OrderID: id, By: by}, key)) })
				var status *shop.StatusError
				switch {
				case err == nil:
					book("cancelled", func() { w.returned(d) })
				case assert.ErrorAs(w, err, &status):
					book("cancelled already", func() {})
				}
			})
		}
	}
	if id, g := w.product(); g != nil {
		repo, key, delta := w.repo(), dynastay.IdempotencyKey(w.id("restock_")), w.number("delta", 1, 5)
		calls.Go(func() {
			if assert.NoError(w, certain(func() error { return repo.Restock(w.context(), seller, id, delta, key) })) {
				book("restocked", func() { g.stock, g.supplied = g.stock+delta, g.supplied+delta })
			}
		})
	}
	calls.Wait()
	for _, f := range booked {
		f()
	}
	for id := range cancelled {
		require.Equal(w, shop.Cancelled, w.deals[id].status, "by one of both")
	}
	w.shelves()
}
