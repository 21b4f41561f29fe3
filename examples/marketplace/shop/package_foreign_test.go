package shop_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

// The index of the document has the products of all currencies in one partition, also those that are not active.
func TestProductsOfOtherSoftwareInACategory(t *testing.T) {
	t.Parallel()
	m := other(t)
	hidden, dollars := itemOf(t, documentProduct), itemOf(t, documentProduct)
	hidden["SK"], hidden["status"] = dynastay.Text("PRODUCT#hidden"), dynastay.Text("INACTIVE")
	dollars["SK"], dollars["currency"] = dynastay.Text("PRODUCT#dollars"), dynastay.Text("USD")
	m.put(hidden, dollars)
	offers := page(t, m.repo.InCategory("Bricks", "ZAR"))
	require.Len(t, offers, 1)
	assert.Equal(t, "prod456", offers[0].ID)
}

// An order of other software whose keys cannot be made is corrupt: the caller's arguments are fine. Reads show it.
func TestOrdersWithoutWhatTheirKeysNeed(t *testing.T) {
	t.Parallel()
	m := other(t)
	for _, name := range []string{"buyerId", "sellerId", "createdAt", "orderId"} {
		raw := itemOf(t, documentOrder)
		raw[name] = dynastay.NullValue().Stored()
		m.put(raw)
		_, err := m.repo.Order(t.Context(), "order789")
		require.NoError(t, err, name)
		_, err = m.repo.Confirm(t.Context(), "order789")
		require.ErrorIs(t, err, dynastay.ErrCorrupt, name)
		require.NotErrorIs(t, err, dynastay.ErrInvalid, name)
	}
	for _, name := range []string{"productId", "sellerId"} {
		raw := itemOf(t, documentProduct)
		raw[name] = dynastay.Text("another")
		m.put(raw)
		_, err := m.repo.Activate(t.Context(), "seller789", "prod456")
		require.ErrorIs(t, err, dynastay.ErrCorrupt, name)
	}
	for _, name := range []string{"price", "category"} {
		raw := itemOf(t, documentProduct)
		delete(raw, name)
		m.put(raw)
		_, err := m.repo.Activate(t.Context(), "seller789", "prod456")
		require.ErrorIs(t, err, dynastay.ErrCorrupt, name)
		require.NotErrorIs(t, err, dynastay.ErrInvalid, name)
	}
}

// Other software may have stored an order that this package would not place. It can still be cancelled.
func TestCancellingAnOrderOfOtherSoftware(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 10))
	for _, id := range []string{"b0", "b2"} {
		m.create(bricks(id, 10))
		null := m.row("SELLER#"+seller, "PRODUCT#"+id).Item()
		null["stock"] = dynastay.NullValue().Stored()
		m.put(null)
	}
	m.create(bricks("b3", 10))
	none := m.row("SELLER#"+seller, "PRODUCT#b3").Item()
	delete(none, "stock")
	m.put(none)
	line := func(productID string, quantity float64) map[string]any {
		return map[string]any{"productId": productID, "quantity": quantity}
	}
	raw := itemOf(t, documentOrder)
	raw["sellerId"] = dynastay.Text(seller)
	raw["items"] = storedValue([]any{
		line("b0", 1), line("b0", 2), line("b1", 2), line("b1", 3), line("", 5), line("b1", 0), line("b1", -4), line("gone", 5), line("b2", 6), line("b3", 7),
	})
	m.put(raw)
	_, err := m.repo.Cancel(t.Context(), shop.Cancellation{OrderID: "order789", By: seller})
	require.NoError(t, err)
	assert.Equal(t, []int{3, 15, 6, 7}, []int{m.stock("b0"), m.stock("b1"), m.stock("b2"), m.stock("b3")})
	assert.False(t, m.row("SELLER#"+seller, "PRODUCT#gone").Exists())

	var many []any
	for i := range 97 {
		many = append(many, line(fmt.Sprint("p", i), 1))
	}
	raw["items"] = storedValue(many)
	m.put(raw)
	_, err = m.repo.Cancel(t.Context(), shop.Cancellation{OrderID: "order789", By: seller})
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	raw["items"] = storedValue(many[1:])
	m.put(raw)
	_, err = m.repo.Cancel(t.Context(), shop.Cancellation{OrderID: "order789", By: seller}, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
}

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
