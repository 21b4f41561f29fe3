package shop_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

const (
	seller = "seller_1"
	buyer  = "buyer_1"
)

// base is the first moment of the clocks in tests. Engines delete items whose time to live has passed, so it is far
// ahead.
var base = time.Date(2037, 11, 10, 9, 0, 0, 0, time.UTC)

var table = keys.Table

func zar(amount string) dynastay.Money { return dynastay.MustMoney(amount, "ZAR") }

// market is a table with a seller and a buyer.
type market struct {
	*dyntest.DB
	t     testing.TB
	users *people.Repository
	repo  *shop.Repository
}

func newMarket(t testing.TB, opts ...dyntest.Option) *market {
	t.Helper()
	db := dyntest.New(t, append([]dyntest.Option{
		dyntest.OnlyTables(keys.Table), dyntest.At(base), dyntest.With(dynastay.Options{
			Idempotency: keys.Table, Retry: dynastay.Retry{Base: time.Millisecond, Cap: time.Millisecond},
		}),
	}, opts...)...)
	users := people.New(db.DB, nil)
	m := &market{DB: db, t: t, users: users, repo: shop.New(db.DB, users, nil)}
	m.signUp(people.Profile{ID: seller, Role: people.Seller, Shop: people.Shop{BusinessName: "Estcourt Building Supplies"}})
	m.signUp(people.Profile{ID: buyer, Role: people.Buyer, Name: "John Doe"})
	return m
}

func (m *market) signUp(p people.Profile) {
	m.t.Helper()
	p.Location = people.Location{City: "Estcourt", Latitude: -29.005, Longitude: 29.88}
	_, err := people.New(m.Direct, nil).SignUp(m.t.Context(), p)
	require.NoError(m.t, err)
}

// process returns the repository of another process.
func (m *market) process(opts *dynastay.Options) *shop.Repository {
	opts.Idempotency = keys.Table
	db := m.Open(opts)
	return shop.New(db, people.New(db, nil), nil)
}

// direct returns a repository without faults, which is not measured.
func (m *market) direct() *shop.Repository { return shop.New(m.Direct, people.New(m.Direct, nil), nil) }

// bricks is a product that is not stored yet.
func bricks(id string, stock int) shop.Product {
	return shop.Product{
		ID: id, SellerID: seller, Title: "Bricks " + id, Category: "Bricks", Price: zar("5.50"), Unit: "per brick", Stock: stock,
	}
}

// create stores a product.
func (m *market) create(p shop.Product) *shop.Product {
	m.t.Helper()
	made, err := m.direct().Create(m.t.Context(), p)
	require.NoError(m.t, err)
	return made
}

// stock returns the stored stock of a product.
func (m *market) stock(productID string) int {
	m.t.Helper()
	p, err := m.direct().Product(m.t.Context(), seller, productID, dynastay.Consistent)
	require.NoError(m.t, err)
	return p.Stock
}

// order returns an order of products that cost 5.50; quantities are by product.
func order(buyerID string, items ...shop.Item) shop.Order {
	o := shop.Order{BuyerID: buyerID, SellerID: seller, Items: items}
	if err := o.AddUp(); err != nil {
		panic(err)
	}
	return o
}

func item(productID string, quantity int) shop.Item {
	return shop.Item{ProductID: productID, Title: "Bricks " + productID, Quantity: quantity, UnitPrice: zar("5.50")}
}

// placed stores an order.
func (m *market) placed(items ...shop.Item) *shop.Order {
	m.t.Helper()
	o, err := m.direct().Place(m.t.Context(), order(buyer, items...))
	require.NoError(m.t, err)
	return o
}

// at leads an order to a status.
func (m *market) at(status shop.Status, items ...shop.Item) *shop.Order {
	m.t.Helper()
	o := m.placed(items...)
	for _, next := range way[status] {
		_, err := moves[next](m.direct(), o.ID)
		require.NoError(m.t, err)
	}
	return m.stored(o.ID)
}

// stored reads an order.
func (m *market) stored(orderID string) *shop.Order {
	m.t.Helper()
	o, err := m.direct().Order(m.t.Context(), orderID, dynastay.Consistent)
	require.NoError(m.t, err)
	return o
}

// delivered returns the orders that are counted in the seller's profile.
func (m *market) delivered() int {
	m.t.Helper()
	p, err := people.New(m.Direct, nil).Profile(m.t.Context(), seller, dynastay.Consistent)
	require.NoError(m.t, err)
	return p.Orders
}

// row reads an item as it is stored.
func (m *market) row(pk, sk string) dynastay.Row {
	m.t.Helper()
	row, err := m.Direct.Get(m.t.Context(), keys.Table, dynastay.Key{PK: pk, SK: sk}, dynastay.Consistent)
	require.NoError(m.t, err)
	return row
}

// put stores items as they are.
func (m *market) put(items ...dynastay.Item) {
	m.t.Helper()
	require.NoError(m.t, m.Direct.PutAll(m.t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, item := range items {
			if !yield(keys.Table, item) {
				return
			}
		}
	}))
}

// way are the changes that lead from PENDING to a status.
var way = map[shop.Status][]shop.Status{
	shop.Pending:   nil,
	shop.Confirmed: {shop.Confirmed},
	shop.Shipped:   {shop.Confirmed, shop.Shipped},
	shop.Delivered: {shop.Confirmed, shop.Shipped, shop.Delivered},
	shop.Cancelled: {shop.Cancelled},
}

// writtenKeys returns the keys of the items of each transaction, checks included.
func writtenKeys(t testing.TB, sent []dyntest.Request) (all []map[string]bool) {
	t.Helper()
	for _, r := range sent {
		if r.Operation != "TransactWriteItems" {
			continue
		}
		type key struct{ PK, SK struct{ S string } }
		var body struct {
			TransactItems []struct {
				Put                            *struct{ Item key }
				Update, Delete, ConditionCheck *struct{ Key key }
			}
		}
		require.NoError(t, json.Unmarshal(r.Body, &body))
		written := map[string]bool{}
		for _, action := range body.TransactItems {
			var k key
			switch {
			case action.Put != nil:
				k = action.Put.Item
			case action.Update != nil:
				k = action.Update.Key
			case action.Delete != nil:
				k = action.Delete.Key
			default:
				k = action.ConditionCheck.Key
			}
			require.NotEmpty(t, k.PK.S)
			written[fmt.Sprintf("%s/%s", k.PK.S, k.SK.S)] = true
		}
		all = append(all, written)
	}
	return all
}

func page[T any](t testing.TB, l dynastay.List[T], p ...dynastay.Paging) []T {
	t.Helper()
	var paging dynastay.Paging
	if len(p) > 0 {
		paging = p[0]
	}
	got, err := l.Page(t.Context(), paging)
	require.NoError(t, err)
	return got.Items
}
