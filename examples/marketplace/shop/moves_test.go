package shop_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

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
