package shop_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

// A stock that no new product can have, because of several deliveries or of other software, does not prevent edits.
func TestEditsWhateverTheStock(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 1))
	require.NoError(t, m.repo.Restock(t.Context(), seller, "b1", shop.MaxQuantity))
	edit := func(unit string) {
		t.Helper()
		p, err := m.repo.Update(t.Context(), seller, "b1", func(p *shop.Product) error { p.Unit = unit; return nil })
		require.NoError(t, err)
		assert.Equal(t, unit, p.Unit)
	}
	edit("each")
	assert.Equal(t, shop.MaxQuantity+1, m.stock("b1"))
	raw := m.row("SELLER#"+seller, "PRODUCT#b1").Item()
	raw["stock"] = dynastay.Number(-1)
	m.put(raw)
	edit("per brick")
	assert.Equal(t, -1, m.stock("b1"))
}

// Other software may have stored an order from a user to the same user: it is listed once.
func TestAnOrderOfOneUser(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	raw := itemOf(t, documentOrder)
	raw["buyerId"] = dynastay.Text("seller789")
	m.put(raw)
	confirmed, err := m.repo.Confirm(t.Context(), "order789")
	require.NoError(t, err)
	assert.Equal(t, []*shop.Order{confirmed}, page(t, m.repo.OrdersOf("seller789")))
}

// Quantities of other software that no stock can hold are not given back: the product would become unreadable.
func TestCancellingHugeQuantities(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 10))
	o := m.placed(item("b1", 1))
	raw := m.row("ORDER#"+o.ID, "METADATA").Item()
	for _, digits := range []string{"1000000001", "9223372036854775807"} {
		line := &types.AttributeValueMemberM{Value: dynastay.Item{
			"productId": dynastay.Text("b1"), "quantity": &types.AttributeValueMemberN{Value: digits},
		}}
		for _, lines := range [][]types.AttributeValue{{line}, {line, line}} {
			raw["items"] = &types.AttributeValueMemberL{Value: lines}
			m.put(raw)
			_, err := m.repo.Cancel(t.Context(), shop.Cancellation{OrderID: o.ID, By: buyer})
			require.ErrorIs(t, err, dynastay.ErrCorrupt, digits)
			assert.Equal(t, 9, m.stock("b1"))
		}
	}
}

// What is left is never negative, and a product without a price does not cost nothing, whatever other software stores.
func TestRefusedByWhatOtherSoftwareHasStored(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 10))
	raw := m.row("SELLER#"+seller, "PRODUCT#b1").Item()
	raw["stock"] = dynastay.Number(-3)
	m.put(raw)
	_, err := m.repo.Place(t.Context(), order(buyer, item("b1", 1)))
	require.EqualError(t, err, "cannot be ordered: Bricks b1 is out of stock, 0 left")
	require.EqualError(t, m.repo.Restock(t.Context(), seller, "b1", -1), "cannot be ordered: Bricks b1 is out of stock, 0 left")
	raw["stock"], raw["currency"] = dynastay.Number(3), dynastay.NullValue().Stored()
	m.put(raw)
	_, err = m.repo.Place(t.Context(), order(buyer, item("b1", 1)))
	require.EqualError(t, err, "cannot be ordered: Bricks b1 has no price")
}
