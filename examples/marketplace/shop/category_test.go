package shop_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
	"github.com/dynastay/dynastay/keys/key"
)

// A product for 9 is cheaper than one for 10,000, and than one for 9.50; equal prices are in the order of the ids.
func TestTheCheapestFirst(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	for id, price := range map[string]string{"a": "10000", "b": "9", "c": "9.50", "d": "0", "e": "999999999999.99", "f": "9", "g": "0.01"} {
		p := bricks(id, 1)
		p.Price = zar(price)
		m.create(p)
	}
	var ids []string
	for _, o := range page(t, m.repo.InCategory("Bricks", "ZAR")) {
		ids = append(ids, o.ID)
	}
	assert.Equal(t, []string{"d", "g", "b", "f", "c", "a", "e"}, ids)
}

// Bounds of prices are inclusive, and either may be missing. The range is read, and nothing beside it.
func TestInPriceRange(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	for id, price := range map[string]string{"a": "10000", "b": "9", "c": "9.50", "d": "0", "e": "999999999999.99", "f": "9.01"} {
		p := bricks(id, 1)
		p.Price = zar(price)
		m.create(p)
	}
	dollars := bricks("g", 1)
	dollars.Price, dollars.Delivery.Cost = dynastay.MustMoney("9", "USD"), dynastay.Money{}
	m.create(dollars)
	var none dynastay.Money
	for _, c := range []struct {
		min, max dynastay.Money
		want     []string
	}{
		{zar("9"), zar("9.50"), []string{"b", "f", "c"}},
		{zar("9"), zar("9"), []string{"b"}},
		{zar("9.01"), zar("9.49"), []string{"f"}},
		{zar("9.51"), zar("9999.99"), nil},
		{none, zar("9"), []string{"d", "b"}},
		{zar("9.50"), none, []string{"c", "a", "e"}},
		{none, zar("999999999999.99"), []string{"d", "b", "f", "c", "a", "e"}},
		{dynastay.MustMoney("0", "USD"), none, []string{"g"}},
	} {
		var ids []string
		sent := m.Measure(func() {
			for _, o := range page(t, m.repo.InPriceRange("Bricks", c.min, c.max)) {
				ids = append(ids, o.ID)
			}
		})
		assert.Equal(t, c.want, ids, "%s to %s", c.min, c.max)
		assert.Equal(t, 1, sent.Requests)
	}
	for field, l := range map[string]dynastay.List[*shop.Offer]{
		"Max":      m.repo.InPriceRange("Bricks", zar("2"), zar("1")),
		"Min":      m.repo.InPriceRange("Bricks", zar("-1"), none),
		"Category": m.repo.InPriceRange("", zar("1"), none),
	} {
		_, err := l.Page(t.Context(), dynastay.Paging{})
		requireInvalid(t, err, field, field)
	}
	for _, max := range []dynastay.Money{none, dynastay.MustMoney("1", "USD")} {
		min := none
		if max.IsSet() {
			min = zar("1")
		}
		_, err := m.repo.InPriceRange("Bricks", min, max).Page(t.Context(), dynastay.Paging{})
		requireInvalid(t, err, "Max", "no bound, and two currencies")
	}

	// A row of other software sorts by its own key. It is left out if its price is not in the range. What is not in the
	// range is not read: the row of a is not readable.
	rows := map[string]dynastay.Item{}
	for _, id := range []string{"a", "b", "e"} {
		rows[id] = m.row("SELLER#"+seller, "PRODUCT#"+id).Item()
	}
	rows["a"]["minOrder"] = dynastay.Text("many")
	rows["b"]["GSI3SK"] = dynastay.Text("PRICE#000000000009.500#PRODUCT#b")
	rows["e"]["GSI3SK"] = dynastay.Text("PRICE#000000000009.200#PRODUCT#e")
	m.put(rows["a"])
	m.put(rows["b"])
	m.put(rows["e"])
	offers := page(t, m.repo.InPriceRange("Bricks", zar("9.01"), zar("9.50")))
	require.Len(t, offers, 2)
	assert.Equal(t, []string{"f", "c"}, []string{offers[0].ID, offers[1].ID})
}

// Prices in different currencies are not comparable. A product that gets another currency changes its list.
func TestCategoriesByCurrency(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	for id, price := range map[string]dynastay.Money{
		"rand": zar("5"), "dollar": dynastay.MustMoney("4", "USD"), "dinar": dynastay.MustMoney("3.125", "KWD"), "yen": dynastay.MustMoney("2", "JPY"),
	} {
		p := bricks(id, 1)
		p.Price, p.Delivery.Cost = price, price
		m.create(p)
	}
	for currency, id := range map[dynastay.Currency]string{"ZAR": "rand", "USD": "dollar", "KWD": "dinar", "JPY": "yen"} {
		got := page(t, m.repo.InCategory("Bricks", currency))
		require.Len(t, got, 1, currency)
		assert.Equal(t, id, got[0].ID)
		assert.Equal(t, currency, got[0].Delivery.Cost.Currency())
	}
	_, err := m.repo.Update(t.Context(), seller, "yen", func(p *shop.Product) error {
		p.Price, p.Delivery.Cost = zar("1"), dynastay.Money{}
		return nil
	})
	require.NoError(t, err)
	assert.Empty(t, page(t, m.repo.InCategory("Bricks", "JPY")))
	assert.Equal(t, "yen", page(t, m.repo.InCategory("Bricks", "ZAR"))[0].ID)
}

// A category whose rows are spread over shards is one list, in order, also from page to page.
func TestShardedCategories(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	repo := shop.New(m.DB.DB, m.users, &shop.Options{Categories: key.Shards{Write: 3, Read: 4}, Statuses: key.Shards{Write: 3, Read: 4}})
	m.create(bricks("old", 1)) // written before the category was sharded
	partitions := map[string]bool{}
	for i := range 20 {
		p := bricks(fmt.Sprint("b", i), 100)
		p.Price = zar(strconv.Itoa(100 - i))
		if i%2 == 1 {
			p.Price = dynastay.MustMoney("1", "USD")
		}
		_, err := repo.Create(t.Context(), p)
		require.NoError(t, err)
		partitions[m.row("SELLER#"+seller, "PRODUCT#"+p.ID).Text("GSI3PK")] = true
	}
	assert.Len(t, partitions, 6)
	var prices []string
	for paging := (dynastay.Paging{Limit: 3}); ; {
		got, err := repo.InCategory("Bricks", "ZAR").Page(t.Context(), paging)
		require.NoError(t, err)
		for _, o := range got.Items {
			prices = append(prices, o.Price.Digits())
		}
		if paging.After = got.Next; got.Next == "" {
			break
		}
	}
	assert.Equal(t, []string{"5.5", "82", "84", "86", "88", "90", "92", "94", "96", "98", "100"}, prices)
	assert.Len(t, page(t, repo.InCategory("Bricks", "USD")), 10)

	require.NoError(t, repo.Restock(t.Context(), seller, "old", 100))
	placed := map[string]bool{}
	for range 40 { // their ids are random
		m.Clock.Advance(time.Second)
		o, err := repo.Place(t.Context(), order(buyer, item("old", 1)))
		require.NoError(t, err)
		placed[m.row("ORDER#"+o.ID, "METADATA").Text("GSI2PK")] = true
	}
	assert.Len(t, placed, 3)
	var last time.Time
	found := page(t, repo.OrdersByStatus(shop.Pending))
	assert.Len(t, found, 40)
	for i, o := range found {
		assert.True(t, i == 0 || o.CreatedAt.Before(last), "the newest first")
		last = o.CreatedAt
	}
	for name, opts := range map[string]shop.Options{
		"Categories": {Categories: key.Shards{Write: 2, Read: 1}}, "Statuses": {Statuses: key.Shards{Write: 2, Read: 1}},
	} {
		assert.Panics(t, func() { shop.New(m.DB.DB, m.users, &opts) }, name)
	}
}

// An offer lacks what the index does not contain. An unreadable row does not hide the others.
func TestUnreadableOffers(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 1))
	m.create(bricks("b2", 1))
	raw := m.row("SELLER#"+seller, "PRODUCT#b1").Item()
	raw["minOrder"] = dynastay.Text("many")
	m.put(raw)
	got, err := m.repo.InCategory("Bricks", "ZAR").Page(t.Context(), dynastay.Paging{})
	var unreadable *dynastay.UnreadableError
	require.ErrorAs(t, err, &unreadable)
	assert.Len(t, unreadable.Items, 1)
	assert.Len(t, got.Items, 1)
}
