package shop_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

const notUTF8 = "\xff"

func long(n int) string { return strings.Repeat("x", n) }

// refusesAll checks that calls are refused because of a field, before any request.
func (m *market) refusesAll(t *testing.T, calls []refusal) {
	t.Helper()
	stop := m.Faults.Record()
	for i, c := range calls {
		requireInvalid(t, c.call(), c.field, fmt.Sprintf("call %d", i))
	}
	assert.Empty(t, stop())
}

type refusal struct {
	field string
	call  func() error
}

// badProducts are the products that must not be stored, with the fields, and those at the limits.
var badProducts = []struct {
	field string // "" for one that is good
	spoil func(*shop.Product)
}{
	{"Title", func(p *shop.Product) { p.Title = " " }},
	{"Title", func(p *shop.Product) { p.Title = long(257) }},
	{"", func(p *shop.Product) { p.Title = long(256) }},
	{"Description", func(p *shop.Product) { p.Description = long(2049) }},
	{"", func(p *shop.Product) { p.Description = long(2048) }},
	{"Category", func(p *shop.Product) { p.Category = "" }},
	{"Category", func(p *shop.Product) { p.Category = long(257) }},
	{"Category", func(p *shop.Product) { p.Category = strings.Repeat("#", 100) }}, // too long for a key, escaped
	{"Category", func(p *shop.Product) { p.Category, p.Status = strings.Repeat("#", 100), shop.Inactive }},
	{"", func(p *shop.Product) { p.Category = "Bricks #1" }},
	{"Subcategory", func(p *shop.Product) { p.Subcategory = long(257) }},
	{"Unit", func(p *shop.Product) { p.Unit = notUTF8 }},
	{"Unit", func(p *shop.Product) { p.Unit = long(257) }},
	{"Category", func(p *shop.Product) { p.Category = " " }},
	{"Category", func(p *shop.Product) { p.Category = notUTF8 }},
	{"Price", func(p *shop.Product) { p.Price = dynastay.Money{} }},
	{"Price", func(p *shop.Product) { p.Price = zar("-0.01") }},
	{"Price", func(p *shop.Product) { p.Price = zar("0.001") }},
	{"Price", func(p *shop.Product) { p.Price = zar("1000000000000") }},
	{"Price", func(p *shop.Product) { p.Price, p.Status = zar("1000000000000"), shop.Inactive }},
	{"", func(p *shop.Product) { p.Price = zar("0") }},
	{"MinOrder", func(p *shop.Product) { p.MinOrder = -1 }},
	{"MinOrder", func(p *shop.Product) { p.MinOrder = shop.MaxQuantity + 1 }},
	{"", func(p *shop.Product) { p.MinOrder = shop.MaxQuantity }},
	{"Images", func(p *shop.Product) { p.Images = strings.Split(long(21), "") }},
	{"", func(p *shop.Product) { p.Images = strings.Split(long(20), "") }},
	{"Images[1]", func(p *shop.Product) { p.Images = []string{"s3://a", ""} }},
	{"Images[0]", func(p *shop.Product) { p.Images = []string{long(2049)} }},
	{"", func(p *shop.Product) { p.Images = []string{long(2048)} }},
	{"Specifications", func(p *shop.Product) { p.Specifications = specifications(51) }},
	{"", func(p *shop.Product) { p.Specifications = specifications(50) }},
	{"Specifications", func(p *shop.Product) { p.Specifications = map[string]string{"": "x"} }},
	{"Specifications", func(p *shop.Product) { p.Specifications = map[string]string{"x": ""} }},
	{"Specifications", func(p *shop.Product) { p.Specifications = map[string]string{"x": long(257)} }},
	{"Delivery.Cost", func(p *shop.Product) { p.Delivery.Cost = zar("-1") }},
	{"Delivery.Cost", func(p *shop.Product) { p.Delivery.Cost = zar("0.001") }},
	{"Delivery.Cost", func(p *shop.Product) { p.Delivery.Cost = dynastay.MustMoney("1", "USD") }},
	{"Delivery.FreeOver", func(p *shop.Product) { p.Delivery.FreeOver = zar("-1") }},
	{"Delivery.FreeOver", func(p *shop.Product) { p.Delivery.FreeOver = dynastay.MustMoney("1", "USD") }},
	{"", func(p *shop.Product) { p.Delivery.Cost, p.Delivery.FreeOver = zar("0"), zar("0") }},
}

func specifications(n int) map[string]string {
	all := map[string]string{}
	for i := range n {
		all[fmt.Sprint(i)] = "x"
	}
	return all
}

func TestBadProducts(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 1))
	var calls []refusal
	refuse := func(field string, spoil func(*shop.Product)) {
		p := bricks("", 1)
		spoil(&p)
		calls = append(calls, refusal{field, func() error { _, err := m.repo.Create(t.Context(), p); return err }})
	}
	for i, bad := range badProducts {
		_, err := m.repo.Update(t.Context(), seller, "b1", func(p *shop.Product) error {
			*p = shop.Product{
				ID: p.ID, SellerID: p.SellerID, SellerName: p.SellerName, Title: "Bricks", Category: "Bricks", Price: zar("5.50"),
				Stock: p.Stock, Status: p.Status, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, Version: p.Version,
			}
			if bad.spoil(p); p.Status == shop.Inactive { // only Deactivate does that
				p.Status = shop.Active
			}
			return nil
		})
		if bad.field != "" {
			requireInvalid(t, err, bad.field, fmt.Sprint(i))
			refuse(bad.field, bad.spoil)
			continue
		}
		require.NoError(t, err, i)
		p := bricks("", 1)
		bad.spoil(&p)
		m.create(p)
	}
	refuse("ID", func(p *shop.Product) { p.ID = "a#b" })
	refuse("SellerID", func(p *shop.Product) { p.SellerID = "" })
	refuse("SellerID", func(p *shop.Product) { p.SellerID = "a#b" })
	refuse("Stock", func(p *shop.Product) { p.Stock = -1 })
	refuse("Stock", func(p *shop.Product) { p.Stock = shop.MaxQuantity + 1 })
	refuse("Status", func(p *shop.Product) { p.Status = "OPEN" })
	m.refusesAll(t, calls)
	m.create(bricks("full", shop.MaxQuantity))
}

func TestBadOrders(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 1000))
	m.create(bricks("b2", 1000))
	var calls []refusal
	refuse := func(field string, spoil func(*shop.Order)) {
		o := order(buyer, item("b1", 2), item("b2", 3))
		spoil(&o)
		requireInvalid(t, o.Validate(), field, field)
		calls = append(calls, refusal{field, func() error { _, err := m.repo.Place(t.Context(), o); return err }})
	}
	refuse("BuyerID", func(o *shop.Order) { o.BuyerID = "" })
	refuse("BuyerID", func(o *shop.Order) { o.BuyerID = "a#b" })
	refuse("BuyerID", func(o *shop.Order) { o.BuyerID = seller })
	refuse("SellerID", func(o *shop.Order) { o.SellerID = "" })
	refuse("SellerID", func(o *shop.Order) { o.SellerID = long(129) })
	refuse("Items", func(o *shop.Order) { o.Items = nil })
	refuse("Items[1].ProductID", func(o *shop.Order) { o.Items[1].ProductID = "b1" })
	refuse("Items[1].ProductID", func(o *shop.Order) { o.Items[1].ProductID = "" })
	refuse("Items[0].ProductID", func(o *shop.Order) { o.Items[0].ProductID = "a#b" })
	refuse("Items[0].Title", func(o *shop.Order) { o.Items[0].Title = "" })
	refuse("Items[1].Title", func(o *shop.Order) { o.Items[1].Title = long(257) })
	refuse("Items[0].Quantity", func(o *shop.Order) { o.Items[0].Quantity = 0 })
	refuse("Items[0].Quantity", func(o *shop.Order) { o.Items[0].Quantity = -1 })
	refuse("Items[1].Quantity", func(o *shop.Order) { o.Items[1].Quantity = shop.MaxQuantity + 1 })
	refuse("Items[0].UnitPrice", func(o *shop.Order) { o.Items[0].UnitPrice = dynastay.Money{} })
	refuse("Items[1].UnitPrice", func(o *shop.Order) { o.Items[1].UnitPrice = dynastay.MustMoney("5.50", "USD") })
	refuse("Items[1].UnitPrice", func(o *shop.Order) { o.Items[1].UnitPrice = zar("-5.50") })
	refuse("Items[1].UnitPrice", func(o *shop.Order) { o.Items[1].UnitPrice = zar("5.505") })
	refuse("Items[0].Subtotal", func(o *shop.Order) { o.Items[0].Subtotal = zar("11.01") })
	refuse("Items[1].Subtotal", func(o *shop.Order) { o.Items[1].Subtotal = dynastay.Money{} })
	refuse("Items[1].Subtotal", func(o *shop.Order) { o.Items[1].Subtotal = dynastay.MustMoney("16.50", "USD") })
	refuse("Items[0].Subtotal", func(o *shop.Order) { // 21 digits
		o.Items[0].UnitPrice, o.Items[0].Quantity = zar("999999999999.99"), 999_999_999
	})
	refuse("Totals.Subtotal", func(o *shop.Order) {
		for i := range o.Items { // together 19 digits
			o.Items[i].UnitPrice, o.Items[i].Quantity = zar("9999999999999999"), 1
			o.Items[i].Subtotal = o.Items[i].UnitPrice
		}
		o.Items[1].UnitPrice = zar("9999999999999999.99")
		o.Items[1].Subtotal = o.Items[1].UnitPrice
	})
	refuse("Totals.Subtotal", func(o *shop.Order) { o.Totals.Subtotal = zar("27.49") })
	refuse("Totals.Subtotal", func(o *shop.Order) { o.Totals.Subtotal = dynastay.Money{} })
	refuse("Totals.Total", func(o *shop.Order) { o.Totals.Total = zar("27.51") })
	refuse("Totals.Total", func(o *shop.Order) { o.Totals.Tax = zar("1") })
	refuse("Totals.Total", func(o *shop.Order) { o.Totals.Delivery = zar("1") })
	refuse("Totals.Total", func(o *shop.Order) { // 19 digits
		o.Totals.Delivery, o.Totals.Tax = zar("9999999999999999.99"), zar("0.01")
	})
	refuse("Totals.Delivery", func(o *shop.Order) { o.Totals.Delivery = zar("-1") })
	refuse("Totals.Delivery", func(o *shop.Order) { o.Totals.Delivery = zar("0.001") })
	refuse("Totals.Delivery", func(o *shop.Order) { o.Totals.Delivery = dynastay.MustMoney("1", "USD") })
	refuse("Totals.Tax", func(o *shop.Order) { o.Totals.Tax = zar("-1") })
	refuse("Totals.Tax", func(o *shop.Order) { o.Totals.Tax = dynastay.MustMoney("1", "USD") })
	refuse("Delivery.Address", func(o *shop.Order) { o.Delivery.Address = long(257) })
	refuse("Delivery.Instructions", func(o *shop.Order) { o.Delivery.Instructions = long(2049) })
	bad := order(buyer, item("b1", 2))
	bad.ID = "a#b"
	calls = append(calls, refusal{"ID", func() error { _, err := m.repo.Place(t.Context(), bad); return err }})
	m.refusesAll(t, calls)

	mixed := order(buyer, item("b1", 1))
	mixed.Totals.Tax = dynastay.MustMoney("1", "USD")
	requireInvalid(t, mixed.AddUp(), "Totals.Total", "AddUp")
	limits := order(buyer, item("b1", 1))
	limits.Delivery.Address, limits.Delivery.Instructions, limits.Items[0].Title = long(256), long(2048), long(256)
	limits.Totals.Delivery, limits.Totals.Tax = zar("0"), zar("0")
	_, err := m.repo.Place(t.Context(), limits)
	require.NoError(t, err)
	most := order(buyer, item("b1", shop.MaxQuantity))
	var refused *shop.Refused
	_, err = m.repo.Place(t.Context(), most)
	require.ErrorAs(t, err, &refused, "the quantity itself is valid")
}

func TestOtherBadInput(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.create(bricks("b1", 10))
	o := m.placed(item("b1", 1))
	ctx := t.Context()
	keep := func(*shop.Product) error { return nil }
	calls := []refusal{
		{"ProductID", func() error { _, err := m.repo.Product(ctx, seller, "a#b"); return err }},
		{"SellerID", func() error { _, err := m.repo.Product(ctx, "", "b1"); return err }},
		{"ProductID", func() error { _, err := m.repo.Update(ctx, seller, "", keep); return err }},
		{"WriteID", func() error { _, err := m.repo.Update(ctx, seller, "b1", keep, dynastay.IfWritten("x")); return err }},
		{"OrMissing", func() error { _, err := m.repo.Update(ctx, seller, "b1", keep, dynastay.OrMissing()); return err }},
		{"SellerID", func() error { _, err := m.repo.Activate(ctx, "", "b1"); return err }},
		{"ProductID", func() error { _, err := m.repo.Deactivate(ctx, seller, ""); return err }},
		{"ProductID", func() error { return m.repo.Restock(ctx, seller, "", 1) }},
		{"Delta", func() error { return m.repo.Restock(ctx, seller, "b1", 0) }},
		{"Delta", func() error { return m.repo.Restock(ctx, seller, "b1", shop.MaxQuantity+1) }},
		{"Delta", func() error { return m.repo.Restock(ctx, seller, "b1", -shop.MaxQuantity-1) }},
		{"Delta", func() error { return m.repo.Restock(ctx, seller, "b1", math.MinInt) }},
		{"OrderID", func() error { _, err := m.repo.Order(ctx, ""); return err }},
		{"By", func() error { _, err := m.repo.Cancel(ctx, shop.Cancellation{OrderID: o.ID}); return err }},
		{"By", func() error { _, err := m.repo.Cancel(ctx, shop.Cancellation{OrderID: o.ID, By: "a#b"}); return err }},
		{"OrderID", func() error { _, err := m.repo.Cancel(ctx, shop.Cancellation{By: buyer}); return err }},
		{"Reason", func() error {
			_, err := m.repo.Cancel(ctx, shop.Cancellation{OrderID: o.ID, By: buyer, Reason: long(2049)})
			return err
		}},
		{"PaymentStatus", func() error { _, err := m.repo.SetPayment(ctx, o.ID, ""); return err }},
		{"PaymentStatus", func() error { _, err := m.repo.SetPayment(ctx, o.ID, "paid"); return err }},
		{"OrderID", func() error { _, err := m.repo.SetPayment(ctx, "", shop.Paid); return err }},
		{"SellerID", func() error { _, err := m.repo.Products("").Page(ctx, dynastay.Paging{}); return err }},
		{"Category", func() error { _, err := m.repo.InCategory("", "ZAR").Page(ctx, dynastay.Paging{}); return err }},
		{"Category", func() error { _, err := m.repo.InCategory("", "USD").Page(ctx, dynastay.Paging{}); return err }},
		{"Currency", func() error { _, err := m.repo.InCategory("Bricks", "").Page(ctx, dynastay.Paging{}); return err }},
		{"Currency", func() error { _, err := m.repo.InCategory("Bricks", "usd").Page(ctx, dynastay.Paging{}); return err }},
		{"Status", func() error { _, err := m.repo.OrdersByStatus("OPEN").Page(ctx, dynastay.Paging{}); return err }},
		{"UserID", func() error { _, err := m.repo.OrdersOf("").Page(ctx, dynastay.Paging{}); return err }},
	}
	for _, move := range moves {
		calls = append(calls, refusal{"OrderID", func() error { _, err := move(m.repo, ""); return err }})
	}
	m.refusesAll(t, calls)
	for _, status := range statuses {
		_, err := m.repo.OrdersByStatus(status).Page(ctx, dynastay.Paging{})
		require.NoError(t, err)
	}
	require.NoError(t, m.repo.Restock(ctx, seller, "b1", shop.MaxQuantity))
	require.NoError(t, m.repo.Restock(ctx, seller, "b1", -shop.MaxQuantity))
	_, err := m.repo.Cancel(ctx, shop.Cancellation{OrderID: o.ID, By: buyer, Reason: long(2048)})
	require.NoError(t, err)

	// The cursor of one list does not open another one.
	for range 3 {
		m.placed(item("b1", 1))
	}
	first, err := m.repo.OrdersOf(buyer).Page(ctx, dynastay.Paging{Limit: 1})
	require.NoError(t, err)
	_, err = m.repo.OrdersByStatus(shop.Pending).Page(ctx, dynastay.Paging{Limit: 1, After: first.Next})
	require.ErrorIs(t, err, dynastay.ErrCursor)
}
