package shop_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

// A refusal names every product that cannot be ordered, with all reasons, and nothing is written.
func TestRefused(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("good", 20))
	m.create(bricks("off", 20))
	m.create(bricks("dearer", 20))
	m.create(bricks("dollars", 20))
	least := bricks("least", 20)
	least.MinOrder = 4
	m.create(least)
	m.create(bricks("few", 2))
	exact := bricks("exact", 3)
	exact.MinOrder = 3
	m.create(exact)
	_, err := m.repo.Deactivate(t.Context(), seller, "off")
	require.NoError(t, err)
	price := func(id string, to dynastay.Money) {
		_, err := m.repo.Update(t.Context(), seller, id, func(p *shop.Product) error { p.Price = to; return nil })
		require.NoError(t, err)
	}
	price("dearer", zar("5.51"))
	price("dollars", dynastay.MustMoney("5.50", "USD"))
	price("few", zar("6"))
	_, err = m.repo.Update(t.Context(), seller, "few", func(p *shop.Product) error { p.MinOrder = 10; return nil })
	require.NoError(t, err)
	line := func(id string, l shop.RefusedLine) shop.RefusedLine {
		l.ProductID, l.Title = id, "Bricks "+id
		return l
	}
	all := map[string][]shop.RefusedLine{
		"good":    nil,
		"none":    {line("none", shop.RefusedLine{Reason: shop.NotFound})},
		"off":     {line("off", shop.RefusedLine{Reason: shop.NotActive})},
		"dearer":  {line("dearer", shop.RefusedLine{Reason: shop.PriceChanged, Price: zar("5.51")})},
		"dollars": {line("dollars", shop.RefusedLine{Reason: shop.PriceChanged, Price: dynastay.MustMoney("5.50", "USD")})},
		"least":   {line("least", shop.RefusedLine{Reason: shop.BelowMinimum, MinOrder: 4})},
		"few": {
			line("few", shop.RefusedLine{Reason: shop.PriceChanged, Price: zar("6")}),
			line("few", shop.RefusedLine{Reason: shop.BelowMinimum, MinOrder: 10}),
			line("few", shop.RefusedLine{Reason: shop.OutOfStock, Left: 2}),
		},
	}
	var items []shop.Item
	var want []shop.RefusedLine
	for _, id := range []string{"good", "none", "off", "dearer", "dollars", "least", "few"} {
		items, want = append(items, item(id, 3)), append(want, all[id]...)
		_, err := m.repo.Place(t.Context(), order(buyer, item(id, 3)))
		if id == "good" {
			require.NoError(t, err)
			continue
		}
		var refused *shop.Refused
		require.ErrorAs(t, err, &refused, id)
		assert.Equal(t, all[id], refused.Lines)
	}
	op := order(buyer, append(items, item("exact", 3))...)
	op.ID = "order_1"
	_, err = m.repo.Place(t.Context(), op)
	var refused *shop.Refused
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, want, refused.Lines)
	assert.EqualError(t, refused, "cannot be ordered: Bricks none does not exist, Bricks off is not offered, "+
		"Bricks dearer costs 5.51 ZAR, Bricks dollars costs 5.50 USD, Bricks least is sold from a quantity of 4, "+
		"Bricks few costs 6.00 ZAR, Bricks few is sold from a quantity of 10, Bricks few is out of stock, 2 left")
	assert.Equal(t, "b1 is out of stock, 0 left", shop.RefusedLine{ProductID: "b1", Reason: shop.OutOfStock}.String())
	assert.True(t, refused.Has(shop.OutOfStock))
	assert.False(t, (&shop.Refused{Lines: all["off"]}).Has(shop.OutOfStock))
	assert.Equal(t, 17, m.stock("good"))
	assert.False(t, m.row("ORDER#order_1", "METADATA").Exists())
	assert.Len(t, page(t, m.repo.OrdersOf(buyer)), 1)

	// The limits themselves are allowed. NULL is no minimum.
	_, err = m.repo.Place(t.Context(), order(buyer, item("least", 4)))
	require.NoError(t, err)
	_, err = m.repo.Place(t.Context(), order(buyer, item("least", 16)))
	require.NoError(t, err)
	assert.Zero(t, m.stock("least"))
	raw := m.row("SELLER#"+seller, "PRODUCT#good").Item()
	raw["minOrder"] = dynastay.NullValue().Stored()
	m.put(raw)
	_, err = m.repo.Place(t.Context(), order(buyer, item("good", 1)))
	require.NoError(t, err)
}

// A refusal is judged from the products as they are then. What was put right meanwhile does not refuse the order.
func TestRefusedAndRestockedMeanwhile(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 1))
	m.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		assert.NoError(t, m.direct().Restock(ctx, seller, "b1", 10))
	}), dyntest.When{Operation: "BatchGetItem", Nth: 1})
	_, err := m.repo.Place(t.Context(), order(buyer, item("b1", 3)))
	require.NoError(t, err)
	assert.Equal(t, 8, m.stock("b1"))
}
