package shop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

func TestPlace(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 20))
	m.create(bricks("b2", 20))
	draft := order(buyer, item("b1", 3), item("b2", 20))
	draft.Totals.Delivery, draft.Totals.Tax = zar("500"), zar("0.05")
	require.NoError(t, draft.AddUp())
	assert.Equal(t, []dynastay.Money{zar("126.50"), zar("626.55")}, []dynastay.Money{draft.Totals.Subtotal, draft.Totals.Total})
	draft.Delivery = shop.Destination{Address: "123 Main St", Date: dynastay.MustDate("2037-12-01"), Instructions: "Call"}
	want := draft
	draft.Status, draft.PaymentStatus, draft.CancelledBy, draft.CancelReason = shop.Delivered, shop.Paid, "x", "y"
	draft.Version, draft.CreatedAt = 5, base.AddDate(1, 0, 0)
	made, err := m.repo.Place(t.Context(), draft)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(made.ID, "order_"), made.ID)
	assert.NoError(t, made.WriteID.Validate())
	want.ID, want.Status, want.PaymentStatus, want.Version = made.ID, shop.Pending, shop.PaymentPending, 1
	want.CreatedAt, want.UpdatedAt, want.WriteID = base, base, made.WriteID
	assert.Equal(t, &want, made)
	assert.Equal(t, made, m.stored(made.ID))
	assert.Equal(t, []int{17, 0}, []int{m.stock("b1"), m.stock("b2")})
	for _, list := range []dynastay.List[*shop.Order]{
		m.repo.OrdersOf(buyer), m.repo.OrdersOf(seller), m.repo.OrdersByStatus(shop.Pending),
	} {
		assert.Equal(t, []*shop.Order{made}, page(t, list))
	}
	assert.Empty(t, page(t, m.repo.OrdersOf("buyer")), "not a prefix")
	_, err = m.repo.Order(t.Context(), "order_9")
	require.ErrorIs(t, err, dynastay.ErrNotFound)

	taken := order(buyer, item("b1", 1))
	taken.ID = made.ID
	_, err = m.repo.Place(t.Context(), taken)
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	assert.Equal(t, 17, m.stock("b1"))
}

// The caller's order is placed as it was checked, even if the caller changes it before it is written.
func TestPlaceTakesWhatWasChecked(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 20))
	o := order(buyer, item("b1", 3))
	op := m.repo.PlaceOp(o)
	o.Items[0].Quantity = 10
	made, err := dynastay.Do(t.Context(), m.DB.DB, op)
	require.NoError(t, err)
	assert.Equal(t, 3, made.Items[0].Quantity)
	assert.Equal(t, 3, m.stored(made.ID).Items[0].Quantity)
	assert.Equal(t, 17, m.stock("b1"))
}

// 50 products are one transaction, also with the record of an idempotency key; 51 are refused before any request.
func TestFiftyProducts(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	var items []shop.Item
	for i := range 51 {
		id := fmt.Sprint("b", i)
		m.create(bricks(id, 2))
		items = append(items, item(id, 2))
	}
	stop := m.Faults.Record()
	_, err := m.repo.Place(t.Context(), order(buyer, items...))
	requireInvalid(t, err, "Items", "51")
	assert.Empty(t, stop())
	stop = m.Faults.Record()
	o, err := m.repo.Place(t.Context(), order(buyer, items[:50]...), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	sent := stop()
	assert.Len(t, sent, 1)
	assert.Len(t, writtenKeys(t, sent)[0], 54)
	_, err = m.repo.Place(t.Context(), order(buyer, items[:50]...))
	var refused *shop.Refused
	require.ErrorAs(t, err, &refused)
	assert.Len(t, refused.Lines, 50)
	_, err = m.repo.Cancel(t.Context(), shop.Cancellation{OrderID: o.ID, By: buyer}, dynastay.IdempotencyKey("c"))
	require.NoError(t, err)
	for i := range 51 {
		assert.Equal(t, 2, m.stock(fmt.Sprint("b", i)))
	}
}

// A repeated call returns the order that the first one placed, even if nothing is left by now.
func TestPlaceAgain(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 3))
	m.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1, EveryAttempt: true})
	key := dynastay.IdempotencyKey("k").Of(buyer)
	first, err := m.repo.Place(t.Context(), order(buyer, item("b1", 3)), key)
	require.NoError(t, err)
	assert.Empty(t, first.WriteID)
	again, err := m.repo.Place(t.Context(), order(buyer, item("b1", 3)), key)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	assert.Zero(t, m.stock("b1"))
	for _, change := range []func(*shop.Order){
		func(o *shop.Order) { o.BuyerID = "buyer_2" },
		func(o *shop.Order) { o.SellerID = "seller_2" },
		func(o *shop.Order) { o.Items[0].Quantity = 2 },
		func(o *shop.Order) { o.Items[0].Title = "x" },
		func(o *shop.Order) { o.Items[0].UnitPrice = zar("5") },
		func(o *shop.Order) { o.Totals.Tax = zar("1") },
		func(o *shop.Order) { o.Delivery.Address = "x" },
		func(o *shop.Order) { o.ID = "x" },
	} {
		o := order(buyer, item("b1", 3))
		change(&o)
		require.NoError(t, o.AddUp())
		_, err = m.repo.Place(t.Context(), o, key)
		require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}
}
