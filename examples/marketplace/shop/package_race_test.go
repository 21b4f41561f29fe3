package shop_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

// moves are the changes of an order's status, by the status that it gets.
var moves = map[shop.Status]func(*shop.Repository, string) (*shop.Order, error){
	shop.Confirmed: func(r *shop.Repository, id string) (*shop.Order, error) { return r.Confirm(context.Background(), id) },
	shop.Shipped:   func(r *shop.Repository, id string) (*shop.Order, error) { return r.Ship(context.Background(), id) },
	shop.Delivered: func(r *shop.Repository, id string) (*shop.Order, error) { return r.Deliver(context.Background(), id) },
	shop.Cancelled: func(r *shop.Repository, id string) (*shop.Order, error) {
		return r.Cancel(context.Background(), shop.Cancellation{OrderID: id, By: buyer, Reason: "too slow"})
	},
}

// certain repeats a call, which has an idempotency key, until its outcome is known.
func certain(call func() error) (err error) {
	for range 100 {
		if err = call(); !errors.Is(err, dynastay.ErrOutcomeUnknown) {
			return err
		}
	}
	return err
}

var statuses = []shop.Status{shop.Pending, shop.Confirmed, shop.Shipped, shop.Delivered, shop.Cancelled}

// patient is for processes that meet in many conflicts.
var patient = dynastay.Retry{Attempts: 500, Base: time.Millisecond, Cap: 5 * time.Millisecond}

// 64 buyers in four processes want the last 20 bricks, one to three each, while their transactions conflict. What is
// ordered is as much as fits, and everybody else is told that the bricks are out of stock.
func TestTheLastBricks(t *testing.T) {
	t.Parallel()
	for name, quantity := range map[string]func(i int) int{
		"one each": func(int) int { return 1 },
		"several":  func(i int) int { return 1 + i%3 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t)
			m.create(bricks("b1", 20))
			m.Faults.Conflicts(time.Millisecond)
			m.Faults.Inject(dyntest.Conflict(), dyntest.When{Operation: "TransactWriteItems", Chance: 0.1, Optional: true})
			var repos []*shop.Repository
			for range 4 {
				repos = append(repos, m.process(&dynastay.Options{Retry: patient}))
			}
			errs := make([]error, 64)
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() {
					_, errs[i] = repos[i%4].Place(t.Context(), order(fmt.Sprint("buyer_", i), item("b1", quantity(i))))
				})
			}
			all.Wait()
			left := m.stock("b1")
			sold, smallest := 0, 4
			for i, err := range errs {
				if err == nil {
					sold += quantity(i)
					continue
				}
				var refused *shop.Refused
				require.ErrorAs(t, err, &refused)
				require.Len(t, refused.Lines, 1)
				assert.Equal(t, shop.OutOfStock, refused.Lines[0].Reason)
				assert.Less(t, refused.Lines[0].Left, quantity(i), "what is left would not have been enough")
				smallest = min(smallest, quantity(i))
			}
			assert.Equal(t, 20, sold+left)
			assert.Less(t, left, smallest, "nobody was refused who could have been served")
		})
	}
}

// 64 buyers order different products of one seller. No item is in two of the transactions, so none of them can
// conflict: each is sent once.
func TestBuyersOfOneSellerDoNotMeet(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	for i := range 64 {
		m.create(bricks(fmt.Sprint("b", i), 10))
	}
	m.Faults.Conflicts(time.Millisecond)
	repos := []*shop.Repository{m.process(&dynastay.Options{}), m.process(&dynastay.Options{})}
	stop := m.Faults.Record()
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			_, err := repos[i%2].Place(t.Context(), order(fmt.Sprint("buyer_", i), item(fmt.Sprint("b", i), 10)))
			assert.NoError(t, err)
		})
	}
	all.Wait()
	sent := stop()
	assert.Len(t, sent, 64)
	seen := map[string]bool{}
	for _, written := range writtenKeys(t, sent) {
		assert.Len(t, written, 4, "the order, its two places in lists, and the product")
		for key := range written {
			assert.False(t, seen[key], key)
			seen[key] = true
		}
	}
	assert.Len(t, seen, 64*4)
}

// Every change of a status meets every other one, each at a moment when it has read the order as it was. One of them
// wins, and the other one finds that.
func TestEveryPairOfChangesMeets(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 1_000_000))
	other := m.direct()
	for _, from := range statuses {
		for first, moveFirst := range moves {
			for second, moveSecond := range moves {
				name := fmt.Sprintf("%s: %s, then %s", from, first, second)
				o := m.at(from, item("b1", 3))
				left, counted := m.stock("b1"), m.delivered()
				allowed := legal(from, second)
				var errSecond error
				met := false
				// The second one is made once the first one has read the order.
				injection := m.Faults.Inject(dyntest.Before(func(context.Context) {
					met = true
					_, errSecond = moveSecond(other, o.ID)
				}), dyntest.When{Nth: 1, Optional: true, Match: func(r dyntest.Request) bool {
					return r.Operation == "UpdateItem" || r.Operation == "TransactWriteItems"
				}})
				_, errFirst := moveFirst(m.repo, o.ID)
				injection.Stop()
				if !legal(from, first) {
					requireStatusError(t, errFirst, o.ID, from, first, name)
					require.False(t, met, name)
					continue
				}
				require.True(t, met, name)
				now := from
				if allowed {
					require.NoError(t, errSecond, name)
					now = second
				} else {
					requireStatusError(t, errSecond, o.ID, from, second, name)
				}
				if legal(now, first) {
					require.NoError(t, errFirst, name)
					now = first
				} else {
					requireStatusError(t, errFirst, o.ID, now, first, name)
				}
				require.Equal(t, now, m.stored(o.ID).Status, name)
				if now == shop.Cancelled {
					left += 3
				}
				if now == shop.Delivered {
					counted++
				}
				require.Equal(t, left, m.stock("b1"), name)
				require.Equal(t, counted, m.delivered(), name)
			}
		}
	}
}

// legal says by the document which status may follow which.
func legal(from, to shop.Status) bool {
	switch to {
	case shop.Confirmed:
		return from == shop.Pending
	case shop.Shipped:
		return from == shop.Confirmed
	case shop.Delivered:
		return from == shop.Shipped
	}
	return from == shop.Pending || from == shop.Confirmed
}

func requireStatusError(t *testing.T, err error, orderID string, from, to shop.Status, name string) {
	t.Helper()
	var status *shop.StatusError
	require.ErrorAs(t, err, &status, name)
	require.Equal(t, shop.StatusError{OrderID: orderID, From: from, To: to}, *status, name)
}

// Many callers in two processes cancel one order, and the answers of some are lost. The stock is given back once.
func TestCancelledOnce(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 20))
	m.create(bricks("b2", 20))
	o := m.placed(item("b1", 7), item("b2", 8))
	m.Faults.Conflicts(time.Millisecond)
	m.Faults.Inject(dyntest.AnyOf(dyntest.LoseAnswer(), dyntest.LoseRequest(), dyntest.InternalErrorAfterCommit()),
		dyntest.When{Operation: "TransactWriteItems", Chance: 0.3, Optional: true})
	repos := []*shop.Repository{
		m.process(&dynastay.Options{Retry: patient}), m.process(&dynastay.Options{Retry: patient}),
	}
	errs := make([]error, 16)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			_, errs[i] = repos[i%2].Cancel(t.Context(), shop.Cancellation{OrderID: o.ID, By: []string{buyer, seller}[i%2]})
		})
	}
	all.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
			continue
		}
		var status *shop.StatusError
		if !errors.As(err, &status) {
			require.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
		}
	}
	assert.LessOrEqual(t, done, 1)
	assert.Equal(t, shop.Cancelled, m.stored(o.ID).Status)
	assert.Equal(t, []int{20, 20}, []int{m.stock("b1"), m.stock("b2")})
}

// Deliveries of one seller's orders in two processes are all counted, while the seller edits the profile.
func TestDeliveriesAreCounted(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 1000))
	var orders []*shop.Order
	for range 24 {
		orders = append(orders, m.at(shop.Shipped, item("b1", 1)))
	}
	m.Faults.Conflicts(time.Millisecond)
	m.Faults.Inject(dyntest.AnyOf(dyntest.LoseAnswer(), dyntest.LoseRequest()), dyntest.When{Operation: "TransactWriteItems", Chance: 0.1, Optional: true})
	repos := []*shop.Repository{
		m.process(&dynastay.Options{Retry: patient}), m.process(&dynastay.Options{Retry: patient}),
	}
	var all sync.WaitGroup
	for i, o := range orders {
		all.Go(func() {
			assert.NoError(t, certain(func() error {
				_, err := repos[i%2].Deliver(t.Context(), o.ID, dynastay.IdempotencyKey(o.ID))
				return err
			}))
		})
	}
	all.Go(func() {
		users := people.New(m.Open(&dynastay.Options{Retry: patient}), nil)
		for i := range 5 {
			_, err := users.Update(t.Context(), seller, func(p *people.Profile) error {
				p.Shop.Contact = fmt.Sprint("Sarah ", i)
				return nil
			})
			assert.NoError(t, err)
		}
	})
	all.Wait()
	assert.Equal(t, 24, m.delivered())
}

// Callers in one process who want the same item take turns: none meets another one, so no request is sent twice.
func TestCallersTakeTurns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status   shop.Status // of the order that each caller has
		requests int
		call     func(*market, string) error
	}{
		"Place": {shop.Pending, 1, func(m *market, id string) error {
			return ok(m.repo.Place(m.t.Context(), order("buyer of "+id, item("b1", 1))))
		}},
		"Restock": {shop.Pending, 1, func(m *market, _ string) error { return m.repo.Restock(m.t.Context(), seller, "b1", 1) }},
		"Cancel":  {shop.Pending, 2, func(m *market, id string) error { return ok(moves[shop.Cancelled](m.repo, id)) }},
		"Deliver": {shop.Shipped, 3, func(m *market, id string) error { return ok(moves[shop.Delivered](m.repo, id)) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t)
			m.create(bricks("b1", 1000))
			var orders []*shop.Order
			for range 16 {
				orders = append(orders, m.at(c.status, item("b1", 1)))
			}
			m.Faults.Conflicts(time.Millisecond)
			stop := m.Faults.Record()
			var all sync.WaitGroup
			for _, o := range orders {
				all.Go(func() { assert.NoError(t, c.call(m, o.ID)) })
			}
			all.Wait()
			assert.Len(t, stop(), 16*c.requests)
		})
	}
}

// An edit of a product and orders of it at the same time: neither loses anything of the other.
func TestEditsAndOrdersOfOneProduct(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 1000))
	m.Faults.Conflicts(time.Millisecond)
	repos := []*shop.Repository{
		m.process(&dynastay.Options{Retry: patient}), m.process(&dynastay.Options{Retry: patient}),
	}
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			switch i % 4 {
			case 0:
				_, err := repos[i%2].Update(t.Context(), seller, "b1", func(p *shop.Product) error {
					p.Description += "x"
					return nil
				})
				assert.NoError(t, err)
			case 1:
				assert.NoError(t, repos[i%2].Restock(t.Context(), seller, "b1", 5))
			default:
				_, err := repos[i/4%2].Place(t.Context(), order(fmt.Sprint("buyer_", i), item("b1", 3)))
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	p, err := m.repo.Product(t.Context(), seller, "b1", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "xxxxxxxxxx", p.Description)
	assert.Equal(t, 11, p.Version)
	assert.Equal(t, 1000+10*5-20*3, p.Stock)
}
