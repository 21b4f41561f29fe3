package shop_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

// A cancellation whose answer is lost is sent again with its token, and a call with the same key is told what the first
// one did.
func TestCancelledOnceWithALostAnswer(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 20))
	o := m.placed(item("b1", 7))
	m.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	cancel := func(key string) (*shop.Order, error) {
		c := shop.Cancellation{OrderID: o.ID, By: seller, Reason: "broken"}
		return m.repo.Cancel(t.Context(), c, dynastay.IdempotencyKey(key))
	}
	for range 3 {
		got, err := cancel("k1")
		require.NoError(t, err)
		assert.Equal(t, shop.Cancelled, got.Status)
		assert.Equal(t, []string{seller, "broken"}, []string{got.CancelledBy, got.CancelReason})
	}
	_, err := cancel("k2")
	requireStatusError(t, err, o.ID, shop.Cancelled, shop.Cancelled, "another call")
	assert.Equal(t, 20, m.stock("b1"))
}
