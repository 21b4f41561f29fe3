package shop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

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
	for _, list := range []dynastay.Listing[*shop.Order]{
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

// Every change of a status from every status, and what it moves besides.
func TestStatuses(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 1000))
	for _, from := range statuses {
		for to, move := range moves {
			o := m.at(from, item("b1", 2))
			left, counted := m.stock("b1"), m.delivered()
			m.Clock.Advance(time.Minute)
			got, err := move(m.repo, o.ID)
			if !legal(from, to) {
				requireStatusError(t, err, o.ID, from, to, "")
				assert.EqualError(t, err, fmt.Sprintf("the order is %s and cannot become %s", from, to))
				assert.Equal(t, o, m.stored(o.ID))
				assert.Equal(t, []int{left, counted}, []int{m.stock("b1"), m.delivered()})
				continue
			}
			require.NoError(t, err)
			assert.Equal(t, got, m.stored(o.ID))
			o.Status, o.Version, o.UpdatedAt, o.WriteID = to, o.Version+1, m.Clock.Now(), got.WriteID
			if to == shop.Cancelled {
				o.CancelledBy, o.CancelReason = buyer, "too slow"
				left += 2
			}
			if to == shop.Delivered {
				counted++
			}
			assert.Equal(t, o, got)
			assert.Equal(t, []int{left, counted}, []int{m.stock("b1"), m.delivered()})
			assert.Contains(t, page(t, m.repo.OrdersByStatus(to)), got)
			assert.NotContains(t, page(t, m.repo.OrdersByStatus(from)), o)
		}
	}
	for _, move := range moves {
		_, err := move(m.repo, "order_9")
		require.ErrorIs(t, err, dynastay.ErrNotFound)
	}
}

// A repeated change with the same key returns the order as it is.
func TestChangesAgain(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 10))
	o := m.placed(item("b1", 2))
	for i, op := range []func() *dynastay.Operation[*shop.Order]{
		func() *dynastay.Operation[*shop.Order] { return m.repo.ConfirmOp(o.ID) },
		func() *dynastay.Operation[*shop.Order] { return m.repo.SetPaymentOp(o.ID, shop.Paid) },
		func() *dynastay.Operation[*shop.Order] { return m.repo.ShipOp(o.ID) },
		func() *dynastay.Operation[*shop.Order] { return m.repo.DeliverOp(o.ID) },
	} {
		m.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1, EveryAttempt: true})
		for range 2 {
			got, err := dynastay.Do(t.Context(), m.DB.DB, op(), dynastay.IdempotencyKey(fmt.Sprint(i)))
			require.NoError(t, err)
			assert.Equal(t, i+2, got.Version)
			assert.Empty(t, got.WriteID)
		}
	}
	assert.Equal(t, 1, m.delivered())
	_, err := m.repo.SetPayment(t.Context(), o.ID, shop.Refunded, dynastay.IdempotencyKey("1"))
	require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	other := m.placed(item("b1", 1))
	key := dynastay.IdempotencyKey("cancel")
	_, err = m.repo.Cancel(t.Context(), shop.Cancellation{OrderID: other.ID, By: buyer, Reason: "x"}, key)
	require.NoError(t, err)
	for _, c := range []shop.Cancellation{
		{OrderID: other.ID, By: seller, Reason: "x"}, {OrderID: other.ID, By: buyer, Reason: "y"}, {OrderID: o.ID, By: buyer, Reason: "x"},
	} {
		_, err = m.repo.Cancel(t.Context(), c, key)
		require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}
}

func TestWhoCancels(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 10))
	o := m.placed(item("b1", 2))
	_, err := m.repo.Cancel(t.Context(), shop.Cancellation{OrderID: o.ID, By: "buyer_2"})
	require.ErrorIs(t, err, shop.ErrNotParty)
	got, err := m.repo.Cancel(t.Context(), shop.Cancellation{OrderID: o.ID, By: seller, Reason: "broken"})
	require.NoError(t, err)
	assert.Equal(t, []string{seller, "broken"}, []string{got.CancelledBy, got.CancelReason})
}

// A product that no longer exists is left out of a cancellation, and is not made by it.
func TestCancellingWithoutTheProduct(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 10))
	m.create(bricks("b2", 10))
	o := m.placed(item("b1", 2), item("b2", 3))
	require.NoError(t, m.Direct.DeleteAll(t.Context(), table, []dynastay.Key{{PK: "SELLER#" + seller, SK: "PRODUCT#b1"}}))
	stop := m.Faults.Record()
	_, err := m.repo.Cancel(t.Context(), shop.Cancellation{OrderID: o.ID, By: buyer})
	require.NoError(t, err)
	assert.Len(t, stop(), 4)
	assert.False(t, m.row("SELLER#"+seller, "PRODUCT#b1").Exists())
	assert.Equal(t, 10, m.stock("b2"))
}

// An order arrives even if its seller no longer has a profile. One that is there when it is written is counted.
func TestDeliveringWithoutTheSeller(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 10))
	first, second := m.at(shop.Shipped, item("b1", 1)), m.at(shop.Shipped, item("b1", 1))
	profile := m.row("USER#"+seller, "PROFILE").Item()
	require.NoError(t, m.Direct.DeleteAll(t.Context(), table, []dynastay.Key{{PK: "USER#" + seller, SK: "PROFILE"}}))
	got, err := m.repo.Deliver(t.Context(), first.ID)
	require.NoError(t, err)
	assert.Equal(t, shop.Delivered, got.Status)
	assert.False(t, m.row("USER#"+seller, "PROFILE").Exists())
	m.Faults.Inject(dyntest.Before(func(context.Context) { m.put(profile) }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	_, err = m.repo.Deliver(t.Context(), second.ID)
	require.NoError(t, err)
	assert.Equal(t, 1, m.delivered())
}

var payments = []shop.PaymentStatus{shop.PaymentPending, shop.Paid, shop.PaymentFailed, shop.Refunded}

// Every change of a payment's status from every status. What providers repeat is not written again.
func TestPayments(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 1000))
	legal := map[[2]shop.PaymentStatus]bool{
		{shop.PaymentPending, shop.Paid}: true, {shop.PaymentPending, shop.PaymentFailed}: true,
		{shop.PaymentFailed, shop.PaymentPending}: true, {shop.PaymentFailed, shop.Paid}: true, {shop.Paid, shop.Refunded}: true,
	}
	for i, from := range payments {
		for _, to := range payments {
			o := m.at(statuses[i], item("b1", 1)) // whatever the status of the order is
			for _, step := range [][]shop.PaymentStatus{nil, {shop.Paid}, {shop.PaymentFailed}, {shop.Paid, shop.Refunded}}[i] {
				var err error
				o, err = m.repo.SetPayment(t.Context(), o.ID, step)
				require.NoError(t, err)
			}
			require.Equal(t, from, o.PaymentStatus)
			stop := m.Faults.Record()
			got, err := m.repo.SetPayment(t.Context(), o.ID, to)
			sent := stop()
			switch {
			case from == to:
				require.NoError(t, err)
				assert.Equal(t, o, got)
				assert.Len(t, sent, 1)
			case legal[[2]shop.PaymentStatus{from, to}]:
				require.NoError(t, err)
				o.PaymentStatus, o.Version, o.WriteID = to, o.Version+1, got.WriteID
				assert.Equal(t, o, got)
				assert.Equal(t, got, m.stored(o.ID))
			default:
				var payment *shop.PaymentError
				require.ErrorAs(t, err, &payment)
				assert.Equal(t, shop.PaymentError{OrderID: o.ID, From: from, To: to}, *payment)
				assert.EqualError(t, err, fmt.Sprintf("the payment is %s and cannot become %s", from, to))
				assert.Equal(t, o, m.stored(o.ID))
			}
		}
	}
	o := m.placed(item("b1", 1))
	raw := m.row("ORDER#"+o.ID, "METADATA").Item()
	delete(raw, "paymentStatus")
	m.put(raw)
	_, err := m.repo.SetPayment(t.Context(), o.ID, shop.Refunded)
	assert.EqualError(t, err, "the payment is PENDING and cannot become REFUNDED")
	_, err = m.repo.SetPayment(t.Context(), o.ID, shop.Paid)
	require.NoError(t, err)
}

// The orders of a buyer and of a seller come newest first, from page to page, and without one that is no longer there.
func TestOrdersOf(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 1000))
	var ids []string
	for range 7 {
		m.Clock.Advance(time.Second)
		ids = append([]string{m.placed(item("b1", 1)).ID}, ids...)
	}
	_, err := m.repo.Confirm(t.Context(), ids[1])
	require.NoError(t, err)
	require.NoError(t, m.Direct.DeleteAll(t.Context(), table, []dynastay.Key{{PK: "ORDER#" + ids[2], SK: "METADATA"}}))
	want := append(append([]string{}, ids[:2]...), ids[3:]...)
	for _, userID := range []string{buyer, seller} {
		var got []string
		for o, err := range m.repo.OrdersOf(userID).All(t.Context()) {
			require.NoError(t, err)
			got = append(got, o.ID)
		}
		assert.Equal(t, want, got)
		first, err := m.repo.OrdersOf(userID).Page(t.Context(), dynastay.Paging{Limit: 2})
		require.NoError(t, err)
		assert.Equal(t, shop.Confirmed, first.Items[1].Status, "as the order is now")
		second, err := m.repo.OrdersOf(userID).Page(t.Context(), dynastay.Paging{Limit: 2, After: first.Next})
		require.NoError(t, err)
		assert.Equal(t, want[2], second.Items[0].ID)
	}
	raw := m.row("ORDER#"+ids[0], "METADATA").Item()
	raw["version"] = dynastay.Text("one")
	m.put(raw)
	got, err := m.repo.OrdersOf(buyer).Page(t.Context(), dynastay.Paging{})
	var unreadable *dynastay.UnreadableError
	require.ErrorAs(t, err, &unreadable)
	assert.Len(t, unreadable.Items, 1)
	assert.Len(t, got.Items, 5)
}
