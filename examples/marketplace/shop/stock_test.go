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

func TestRestock(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	made := m.create(bricks("b1", 10))
	require.NoError(t, m.repo.Restock(t.Context(), seller, "b1", 5))
	require.NoError(t, m.repo.Restock(t.Context(), seller, "b1", -15))
	p, err := m.repo.Product(t.Context(), seller, "b1")
	require.NoError(t, err)
	made.Stock = 0
	assert.Equal(t, made, p, "nothing else moves")
	err = m.repo.Restock(t.Context(), seller, "b1", -1)
	var refused *shop.Refused
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, []shop.RefusedLine{{ProductID: "b1", Title: "Bricks b1", Reason: shop.OutOfStock}}, refused.Lines)
	require.ErrorIs(t, m.repo.Restock(t.Context(), seller, "b9", 1), dynastay.ErrNotFound)
	require.ErrorIs(t, m.repo.Restock(t.Context(), seller, "b9", -1), dynastay.ErrNotFound)
	assert.False(t, m.row("SELLER#"+seller, "PRODUCT#b9").Exists())
	for range 3 {
		require.NoError(t, m.repo.Restock(t.Context(), seller, "b1", 7, dynastay.IdempotencyKey("k")))
	}
	assert.Equal(t, 7, m.stock("b1"))
	require.ErrorIs(t, m.repo.Restock(t.Context(), seller, "b1", 8, dynastay.IdempotencyKey("k")), dynastay.ErrIdempotencyMismatch)
	require.ErrorIs(t, m.repo.Restock(t.Context(), seller, "b2", 7, dynastay.IdempotencyKey("k")), dynastay.ErrIdempotencyMismatch)
	m.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1, Times: 2})
	require.NoError(t, m.repo.Restock(t.Context(), seller, "b1", 3))
	assert.Equal(t, 10, m.stock("b1"))
}

// A stock that other software has not set, or has set to NULL, counts as 0. Text is not a stock.
func TestRestockWhatOtherSoftwareHasNotSet(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 10))
	raw := m.row("SELLER#"+seller, "PRODUCT#b1").Item()
	for name, set := range map[string]func(){
		"missing": func() { delete(raw, "stock") },
		"NULL":    func() { raw["stock"] = dynastay.NullValue().Stored() },
	} {
		set()
		m.put(raw)
		_, err := m.repo.Place(t.Context(), order(buyer, item("b1", 1)))
		var refused *shop.Refused
		require.ErrorAs(t, err, &refused, name)
		assert.Equal(t, shop.OutOfStock, refused.Lines[0].Reason, name)
		require.ErrorAs(t, m.repo.Restock(t.Context(), seller, "b1", -1), &refused, name)
		require.NoError(t, m.repo.Restock(t.Context(), seller, "b1", 4), name)
		require.NoError(t, m.repo.Restock(t.Context(), seller, "b1", 4), name)
		assert.Equal(t, 8, m.stock("b1"), name)
	}
	// Another seller's process sets the NULL first.
	raw["stock"] = dynastay.NullValue().Stored()
	m.put(raw)
	m.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		assert.NoError(t, m.direct().Restock(ctx, seller, "b1", 2))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	require.NoError(t, m.repo.Restock(t.Context(), seller, "b1", 3))
	assert.Equal(t, 5, m.stock("b1"))

	raw["stock"] = dynastay.Text("many")
	m.put(raw)
	require.ErrorIs(t, m.repo.Restock(t.Context(), seller, "b1", 1), dynastay.ErrCorrupt)
	require.ErrorIs(t, m.repo.Restock(t.Context(), seller, "b1", -1), dynastay.ErrCorrupt)
	_, err := m.repo.Place(t.Context(), order(buyer, item("b1", 1)))
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
}

// Sellers in several processes take what is left at the same time.
func TestTheStockIsNeverNegative(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 10))
	repos := []*shop.Repository{m.process(&dynastay.Options{}), m.process(&dynastay.Options{})}
	errs := make(chan error, 20)
	for i := range 20 {
		go func() { errs <- repos[i%2].Restock(t.Context(), seller, "b1", -1) }()
	}
	taken := 0
	for range 20 {
		err := <-errs
		var refused *shop.Refused
		if err == nil {
			taken++
		} else {
			assert.ErrorAs(t, err, &refused)
		}
	}
	assert.Equal(t, 10, taken)
	assert.Zero(t, m.stock("b1"))
}
