package shop_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

// cost is in requests, read units, and write units on the table and on its indexes.
type cost dyntest.Bill

// metered returns a market, and a function that compares what a call costs.
func metered(t *testing.T) (m *market, costs func(what string, want cost, do func() error)) {
	m = newMarket(t)
	return m, func(what string, want cost, do func() error) {
		t.Helper()
		m.Clock.Advance(time.Minute)
		dyntest.Costs(t, m.DB, dyntest.Bill(want), func() { require.NoError(t, do(), what) })
	}
}

func ok[T any](_ T, err error) error { return err }

func expects[E error](t *testing.T, err error) error {
	t.Helper()
	var want E
	require.ErrorAs(t, err, &want)
	return nil
}

// The costs of the methods, with products and orders of less than 1 KB.
func TestCosts(t *testing.T) {
	t.Parallel()
	m, costs := metered(t)
	ctx := t.Context()
	costs("Create", cost{2, 1, 1, 1}, func() error { return ok(m.repo.Create(ctx, bricks("b1", 1000))) })
	costs("Product", cost{1, 0.5, 0, 0}, func() error { return ok(m.repo.Product(ctx, seller, "b1")) })
	costs("Update of the description", cost{2, 1, 1, 0}, func() error {
		return ok(m.repo.Update(ctx, seller, "b1", func(p *shop.Product) error { p.Description = "Fired clay"; return nil }))
	})
	costs("Update of the price", cost{2, 1, 1, 2}, func() error {
		return ok(m.repo.Update(ctx, seller, "b1", func(p *shop.Product) error { p.Price = zar("6"); return nil }))
	})
	costs("Update back", cost{2, 1, 1, 2}, func() error {
		return ok(m.repo.Update(ctx, seller, "b1", func(p *shop.Product) error { p.Price = zar("5.50"); return nil }))
	})
	costs("Deactivate", cost{2, 1, 1, 1}, func() error { return ok(m.repo.Deactivate(ctx, seller, "b1")) })
	costs("Activate", cost{2, 1, 1, 1}, func() error { return ok(m.repo.Activate(ctx, seller, "b1")) })
	costs("Activate again", cost{1, 1, 0, 0}, func() error { return ok(m.repo.Activate(ctx, seller, "b1")) })
	costs("Restock", cost{1, 0, 2, 0}, func() error { return m.repo.Restock(ctx, seller, "b1", 10) })
	var orders []*shop.Order
	place := func(items ...shop.Item) func() error {
		return func() error {
			o, err := m.repo.Place(ctx, order(buyer, items...))
			orders = append(orders, o)
			return err
		}
	}
	costs("Place", cost{1, 0, 8, 1}, place(item("b1", 1)))
	costs("Place with an idempotency key", cost{1, 0, 10, 1}, func() error {
		return ok(m.repo.Place(ctx, order(buyer, item("b1", 1)), dynastay.IdempotencyKey("k")))
	})
	costs("Place again", cost{2, 1, 0, 0}, func() error {
		return ok(m.repo.Place(ctx, order(buyer, item("b1", 1)), dynastay.IdempotencyKey("k")))
	})
	var many []shop.Item
	for i := range 10 {
		m.create(bricks(fmt.Sprint("m", i), 10))
		many = append(many, item(fmt.Sprint("m", i), 1))
	}
	costs("Place of 10 products", cost{1, 0, 28, 2}, place(many...))
	costs("Place, refused", cost{2, 1, 0, 0}, func() error {
		return expects[*shop.Refused](t, ok(m.repo.Place(ctx, order(buyer, item("b1", 10_000)))))
	})
	costs("Order", cost{1, 0.5, 0, 0}, func() error { return ok(m.repo.Order(ctx, orders[0].ID)) })
	costs("Confirm", cost{2, 1, 1, 2}, func() error { return ok(m.repo.Confirm(ctx, orders[0].ID)) })
	costs("SetPayment", cost{2, 1, 1, 1}, func() error { return ok(m.repo.SetPayment(ctx, orders[0].ID, shop.Paid)) })
	costs("SetPayment again", cost{1, 1, 0, 0}, func() error { return ok(m.repo.SetPayment(ctx, orders[0].ID, shop.Paid)) })
	costs("Ship", cost{2, 1, 1, 2}, func() error { return ok(m.repo.Ship(ctx, orders[0].ID)) })
	costs("Ship, refused", cost{1, 1, 0, 0}, func() error { return expects[*shop.StatusError](t, ok(m.repo.Ship(ctx, orders[0].ID))) })
	costs("Deliver", cost{3, 2, 4, 4}, func() error { return ok(m.repo.Deliver(ctx, orders[0].ID)) })
	costs("Cancel of 10 products", cost{2, 1, 24, 4}, func() error {
		return ok(m.repo.Cancel(ctx, shop.Cancellation{OrderID: orders[1].ID, By: buyer}))
	})
	for range 19 {
		m.placed(item("b1", 1))
	}
	costs("Products, 11", cost{1, 0.5, 0, 0}, func() error { return ok(m.repo.Products(seller).Page(ctx, dynastay.Paging{})) })
	costs("InCategory, 11", cost{1, 0.5, 0, 0}, func() error { return ok(m.repo.InCategory("Bricks", "ZAR").Page(ctx, dynastay.Paging{})) })
	costs("OrdersByStatus, 20", cost{1, 1.5, 0, 0}, func() error {
		return ok(m.repo.OrdersByStatus(shop.Pending).Page(ctx, dynastay.Paging{Limit: 20}))
	})
	costs("OrdersOf, 20", cost{2, 10.5, 0, 0}, func() error { return ok(m.repo.OrdersOf(buyer).Page(ctx, dynastay.Paging{Limit: 20})) })
}
