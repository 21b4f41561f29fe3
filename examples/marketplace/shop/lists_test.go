package shop_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

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
