package shop_test

import (
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

// shelves compares the stocks.
func (w *world) shelves() {
	for id, g := range w.shelf {
		stored := w.market.stock(id)
		require.Equal(w, g.stock, stored, id)
		require.GreaterOrEqual(w, stored, 0, id)
		require.Equal(w, g.supplied, stored+w.ordered(id), "%s: in stock and ordered is what was supplied", id)
	}
}

// compare compares everything that is stored.
func (w *world) compare() {
	w.shelves()
	repo := w.market.direct()
	lists := map[string][]string{}
	for id, d := range w.deals {
		o := w.market.stored(id)
		require.Equal(w, []any{d.status, d.payment, d.version, d.items}, []any{o.Status, o.PaymentStatus, o.Version, o.Items})
		for _, list := range []string{d.buyer, seller, string(d.status)} {
			lists[list] = append(lists[list], id)
		}
	}
	same := func(name string, list dynastay.List[*shop.Order]) {
		var ids []string
		for o, err := range list.All(w.context()) {
			require.NoError(w, err)
			ids = append(ids, o.ID)
		}
		require.ElementsMatch(w, lists[name], ids, name)
	}
	for _, userID := range []string{"ana", "bo", "cy", seller} {
		same(userID, repo.OrdersOf(userID))
	}
	for _, status := range statuses {
		same(string(status), repo.OrdersByStatus(status))
	}
	var offered []string
	for id, g := range w.shelf {
		if g.active {
			offered = append(offered, id)
		}
	}
	slices.SortFunc(offered, func(a, b string) int {
		order, err := w.shelf[a].price.Compare(w.shelf[b].price)
		require.NoError(w, err)
		if order == 0 && a < b {
			order = -1
		}
		return order
	})
	var found []string
	for o, err := range repo.InCategory("Bricks", "ZAR").All(w.context()) {
		require.NoError(w, err)
		found = append(found, o.ID)
	}
	require.Equal(w, offered, found)
	require.Equal(w, w.counted, w.market.delivered())
}
