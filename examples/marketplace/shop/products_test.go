package shop_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
	"github.com/dynastay/dynastay/keys/key"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	draft := bricks("", 10)
	draft.SellerName, draft.Version, draft.CreatedAt, draft.WriteID = "Somebody else", 7, base.AddDate(1, 0, 0), "x"
	made, err := m.repo.Create(t.Context(), draft)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(made.ID, "prod_"), made.ID)
	assert.NoError(t, made.WriteID.Validate())
	want := bricks(made.ID, 10)
	want.Title, want.SellerName, want.Status, want.Version = draft.Title, "Estcourt Building Supplies", shop.Active, 1
	want.CreatedAt, want.UpdatedAt, want.WriteID = base, base, made.WriteID
	assert.Equal(t, &want, made)
	stored, err := m.repo.Product(t.Context(), seller, made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, stored)
	assert.Equal(t, []*shop.Offer{offerOf(made)}, page(t, m.repo.InCategory("Bricks", "ZAR")))

	// The name is a copy.
	_, err = m.users.Update(t.Context(), seller, func(p *people.Profile) error { p.Shop.BusinessName = "EBS"; return nil })
	require.NoError(t, err)
	_, err = m.repo.Update(t.Context(), seller, made.ID, func(p *shop.Product) error { p.Unit = "each"; return nil })
	require.NoError(t, err)
	stored, err = m.repo.Product(t.Context(), seller, made.ID)
	require.NoError(t, err)
	assert.Equal(t, "Estcourt Building Supplies", stored.SellerName)

	_, err = m.repo.Create(t.Context(), bricks(made.ID, 1))
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	nobody := bricks("b2", 1)
	nobody.SellerID = "nobody"
	_, err = m.repo.Create(t.Context(), nobody)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	nobody.SellerID = buyer
	_, err = m.repo.Create(t.Context(), nobody)
	requireInvalid(t, err, "SellerID", "a buyer")

	hidden := bricks("b3", 0)
	hidden.Status = shop.Inactive
	_, err = m.repo.Create(t.Context(), hidden)
	require.NoError(t, err)
	assert.Len(t, page(t, m.repo.InCategory("Bricks", "ZAR")), 1)
	assert.Len(t, page(t, m.repo.Products(seller)), 2)
	assert.Empty(t, page(t, m.repo.Products("seller")), "not a prefix")
}

// A repeated call returns the product that the first one made, also if only the answer to that was lost. The stock and
// the status belong to what is compared.
func TestCreateAgain(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1, EveryAttempt: true})
	first, err := m.repo.Create(t.Context(), bricks("", 10), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Empty(t, first.WriteID)
	require.NoError(t, m.repo.Restock(t.Context(), seller, first.ID, 5))
	again, err := m.repo.Create(t.Context(), bricks("", 10), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, []any{first.ID, 15}, []any{again.ID, again.Stock})
	for _, change := range []func(*shop.Product){
		func(p *shop.Product) { p.Stock = 11 },
		func(p *shop.Product) { p.Status = shop.Inactive },
		func(p *shop.Product) { p.Title = "x" },
		func(p *shop.Product) { p.ID = "x" },
	} {
		p := bricks("", 10)
		change(&p)
		_, err = m.repo.Create(t.Context(), p, dynastay.IdempotencyKey("k"))
		require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}
	require.Len(t, page(t, m.repo.Products(seller)), 1)
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	made := m.create(bricks("b1", 10))
	m.Clock.Advance(time.Minute)
	got, err := m.repo.Update(t.Context(), seller, "b1", func(p *shop.Product) error {
		p.Price, p.Category, p.Delivery.FreeOver = zar("6"), "Clay", zar("100")
		return nil
	}, dynastay.IfVersion(1), dynastay.IfWritten(made.WriteID))
	require.NoError(t, err)
	assert.Equal(t, []any{2, base.Add(time.Minute), base}, []any{got.Version, got.UpdatedAt, got.CreatedAt})
	assert.Empty(t, page(t, m.repo.InCategory("Bricks", "ZAR")))
	assert.Equal(t, []*shop.Offer{offerOf(got)}, page(t, m.repo.InCategory("Clay", "ZAR")))
	_, err = m.repo.Update(t.Context(), seller, "b1", func(*shop.Product) error { return nil }, dynastay.IfVersion(1))
	require.ErrorIs(t, err, dynastay.ErrVersion)
	for field, change := range map[string]func(*shop.Product){
		"ID":         func(p *shop.Product) { p.ID = "b2" },
		"SellerID":   func(p *shop.Product) { p.SellerID = "seller_2" },
		"SellerName": func(p *shop.Product) { p.SellerName = "x" },
		"Stock":      func(p *shop.Product) { p.Stock++ },
		"Status":     func(p *shop.Product) { p.Status = shop.Inactive },
		"CreatedAt":  func(p *shop.Product) { p.CreatedAt = base.AddDate(0, 0, 1) },
		"UpdatedAt":  func(p *shop.Product) { p.UpdatedAt = base.AddDate(0, 0, 1) },
		"Version":    func(p *shop.Product) { p.Version = 9 },
	} {
		_, err := m.repo.Update(t.Context(), seller, "b1", func(p *shop.Product) error { change(p); return nil })
		requireInvalid(t, err, field, field)
	}
	mine := errors.New("mine")
	_, err = m.repo.Update(t.Context(), seller, "b1", func(*shop.Product) error { return mine })
	require.ErrorIs(t, err, mine)
	_, err = m.repo.Update(t.Context(), seller, "b9", func(*shop.Product) error { return nil })
	require.ErrorIs(t, err, dynastay.ErrNotFound)

	// A replay does not run the function.
	for range 2 {
		got, err = dynastay.Do(t.Context(), m.DB.DB, m.repo.UpdateOp(seller, "b1", func(p *shop.Product) error {
			p.Description += "x"
			return nil
		}, dynastay.AgreedOn("x")), dynastay.IdempotencyKey("k"))
		require.NoError(t, err)
		assert.Equal(t, "x", got.Description)
	}
	assert.Empty(t, got.WriteID)
	for _, other := range []*dynastay.Operation[*shop.Product]{
		m.repo.UpdateOp(seller, "b1", func(*shop.Product) error { return nil }, dynastay.AgreedOn("y")),
		m.repo.UpdateOp(seller, "b2", func(*shop.Product) error { return nil }, dynastay.AgreedOn("x")),
	} {
		require.ErrorIs(t, m.Write(t.Context(), other, dynastay.IdempotencyKey("k")), dynastay.ErrIdempotencyMismatch)
	}
	unknown := m.repo.UpdateOp(seller, "b1", func(*shop.Product) error { return nil })
	requireInvalid(t, m.Write(t.Context(), unknown, dynastay.IdempotencyKey("k")), "IdempotencyKey", "a function cannot be compared")
}

// The names of specifications are free text.
func TestUpdateOfSpecifications(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	for _, name := range []string{"Weight [kg]", "size[0]", "[0]", "]", "v1.2", `"a"`, "hauteur é", "日本", "😀"} {
		p := bricks(name, 10)
		p.Specifications = map[string]string{name: "1", "color": "Red"}
		m.create(p)
		for _, want := range []map[string]string{{name: "2", "color": "Red"}, {"color": "Red"}, {name: "3", "color": "Red"}} {
			_, err := m.repo.Update(t.Context(), seller, name, func(p *shop.Product) error { p.Specifications = want; return nil })
			require.NoError(t, err, name)
			got, err := m.repo.Product(t.Context(), seller, name)
			require.NoError(t, err)
			assert.Equal(t, want, got.Specifications)
		}
		_, err := m.repo.Update(t.Context(), seller, name, func(p *shop.Product) error { p.Specifications["texture"] = ""; return nil })
		requireInvalid(t, err, "Specifications", name)
	}
}

func TestActivateAndDeactivate(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 10))
	for range 2 {
		p, err := m.repo.Deactivate(t.Context(), seller, "b1", dynastay.IdempotencyKey("off"))
		require.NoError(t, err)
		assert.Equal(t, []any{shop.Inactive, 2}, []any{p.Status, p.Version})
	}
	_, err := m.repo.Deactivate(t.Context(), seller, "b2", dynastay.IdempotencyKey("off"))
	require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	assert.Empty(t, page(t, m.repo.InCategory("Bricks", "ZAR")))
	p, err := m.repo.Activate(t.Context(), seller, "b1")
	require.NoError(t, err)
	assert.Equal(t, []any{shop.Active, 3}, []any{p.Status, p.Version})
	assert.Len(t, page(t, m.repo.InCategory("Bricks", "ZAR")), 1)
	_, err = m.repo.Activate(t.Context(), seller, "b9")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
}

// What an edit has read is compared once more, so a deactivation and an edit that meet are both carried out.
func TestUpdateMeetsDeactivate(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 10))
	m.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := m.direct().Deactivate(ctx, seller, "b1")
		assert.NoError(t, err)
	}), dyntest.When{Operation: "UpdateItem", Nth: 1})
	p, err := m.repo.Update(t.Context(), seller, "b1", func(p *shop.Product) error { p.Unit = "each"; return nil })
	require.NoError(t, err)
	assert.Equal(t, []any{shop.Inactive, "each", 3}, []any{p.Status, p.Unit, p.Version})
	assert.Empty(t, page(t, m.repo.InCategory("Bricks", "ZAR")))
}

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
	for field, l := range map[string]dynastay.Listing[*shop.Offer]{
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

func requireInvalid(t *testing.T, err error, field, name string) {
	t.Helper()
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid, name)
	require.Equal(t, field, invalid.Field, "%s: %v", name, err)
}
