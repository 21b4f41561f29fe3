package shop_test

import (
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

func (w *world) restock() {
	id, g := w.product()
	delta := w.number("delta", -8, 12)
	if delta == 0 {
		return
	}
	key := dynastay.IdempotencyKey(w.id("restock_"))
	restock := func() error {
		return certain(func() error { return w.repo().Restock(w.context(), seller, id, delta, key) })
	}
	err := restock()
	switch {
	case g == nil:
		require.ErrorIs(w, err, dynastay.ErrNotFound)
	case g.stock+delta < 0:
		w.met["too little"]++
		var refused *shop.Refused
		require.ErrorAs(w, err, &refused)
		require.Equal(w, g.stock, refused.Lines[0].Left)
	default:
		require.NoError(w, err)
		w.met["restocked"]++
		g.stock, g.supplied = g.stock+delta, g.supplied+delta
		w.replays = append(w.replays, func() { require.NoError(w, restock()) })
	}
}

func (w *world) edit() {
	id, g := w.product()
	price, least := pick(w, "price", zar("9"), zar("10000"), zar("5.50")), w.number("minimum", 0, 3)
	key := dynastay.IdempotencyKey(w.id("edit_"))
	err := certain(func() error {
		return w.market.Write(w.context(), w.repo().UpdateOp(seller, id, func(p *shop.Product) error {
			p.Price, p.MinOrder = price, least
			return nil
		}, dynastay.AgreedOn(price.String())), key)
	})
	if g == nil {
		require.ErrorIs(w, err, dynastay.ErrNotFound)
		return
	}
	require.NoError(w, err)
	w.met["edited"]++
	g.price, g.least = price, least
}

// turn activates or deactivates a product.
func (w *world) turn() {
	id, g := w.product()
	on := w.number("active", 0, 3) > 0
	err := certain(func() error {
		if on {
			return ok(w.repo().Activate(w.context(), seller, id))
		}
		return ok(w.repo().Deactivate(w.context(), seller, id))
	})
	if g == nil {
		require.ErrorIs(w, err, dynastay.ErrNotFound)
		return
	}
	require.NoError(w, err)
	w.met["switched"]++
	g.active = on
}

// shelve removes a product as other software would, or creates it anew.
func (w *world) shelve() {
	id, g := w.product()
	if g == nil {
		w.create(id)
		return
	}
	w.met["deleted"]++
	require.NoError(w, w.market.Direct.DeleteAll(w.context(), table, []dynastay.Key{{PK: "SELLER#" + seller, SK: "PRODUCT#" + id}}))
	delete(w.shelf, id)
}

func (w *world) create(id string) {
	w.met["created"]++
	p := bricks(id, w.number("stock", 0, 30))
	w.market.create(p)
	w.shelf[id] = &goods{price: p.Price, active: true, stock: p.Stock, supplied: p.Stock + w.ordered(id)}
}

// ordered is how much of a product is in orders that are not cancelled.
func (w *world) ordered(productID string) (n int) {
	for _, d := range w.deals {
		for _, i := range d.items {
			if d.status != shop.Cancelled && i.ProductID == productID {
				n += i.Quantity
			}
		}
	}
	return n
}

// replay repeats a call that was successful.
func (w *world) replay() {
	if len(w.replays) > 0 {
		w.met["replayed"]++
		pick(w, "call", w.replays...)()
	}
}
