package shop

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Status is how far an order is.
type Status string

// The statuses of an order.
const (
	Pending   Status = "PENDING"   // placed; the seller has not confirmed it yet
	Confirmed Status = "CONFIRMED" // by the seller
	Shipped   Status = "SHIPPED"
	Delivered Status = "DELIVERED"
	Cancelled Status = "CANCELLED" // before it was shipped; the stock has been given back
)

func (s Status) known() bool {
	return s == Pending || s == Confirmed || s == Shipped || s == Delivered || s == Cancelled
}

// PaymentStatus is how far the payment of an order is.
type PaymentStatus string

// The statuses of a payment.
const (
	PaymentPending PaymentStatus = "PENDING"
	Paid           PaymentStatus = "PAID"
	PaymentFailed  PaymentStatus = "FAILED"
	Refunded       PaymentStatus = "REFUNDED"
)

// Order is what a buyer has ordered from one seller.
type Order struct {
	ID       string
	BuyerID  string
	SellerID string
	Items    []Item // at most MaxItems, each product once
	Totals   Totals
	Delivery Destination

	// The library keeps what follows.
	Status        Status
	PaymentStatus PaymentStatus
	CancelledBy   string // the id of the buyer or the seller
	CancelReason  string

	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int // 1 for a new order, incremented by every change
	WriteID   dynastay.WriteID
}

// Item is one product of an order, as the buyer saw it.
type Item struct {
	ProductID string
	Title     string
	Quantity  int // 1 to MaxQuantity
	UnitPrice dynastay.Money
	Subtotal  dynastay.Money // UnitPrice × Quantity
}

// Totals are the amounts of an order, all in one currency.
type Totals struct {
	Subtotal dynastay.Money // of all items
	Delivery dynastay.Money // what the caller charges; unset for none
	Tax      dynastay.Money // what the caller charges; unset for none
	Total    dynastay.Money // Subtotal + Delivery + Tax
}

// Destination is where and when an order is to be delivered.
type Destination struct {
	Address      string
	Date         dynastay.Date
	Instructions string
}

// MaxItems is the largest number of products in an order.
const MaxItems = 50

func declareOrder(f *entity.Fields, o *Order) {
	f.Const("entityType", "ORDER")
	f.String("orderId", &o.ID)
	f.String("buyerId", &o.BuyerID)
	f.String("sellerId", &o.SellerID)
	f.Map("totals", func(f *entity.Fields) {
		f.Money("subtotal", attrCurrency, &o.Totals.Subtotal)
		f.Money("delivery", attrCurrency, &o.Totals.Delivery)
		f.Money("tax", attrCurrency, &o.Totals.Tax)
		f.Money("total", attrCurrency, &o.Totals.Total)
	})
	currency := o.Totals.currency()
	entity.List(f, "items", &o.Items, func(f *entity.Fields, i *Item) {
		f.String("productId", &i.ProductID)
		f.String("title", &i.Title)
		f.Int("quantity", &i.Quantity)
		f.Amount("unitPrice", currency, &i.UnitPrice)
		f.Amount("subtotal", currency, &i.Subtotal)
	})
	f.Map("delivery", func(f *entity.Fields) {
		f.String("address", &o.Delivery.Address)
		f.Date("date", &o.Delivery.Date)
		f.String("instructions", &o.Delivery.Instructions)
	})
	entity.String(f, attrStatus, &o.Status)
	entity.String(f, "paymentStatus", &o.PaymentStatus)
	f.String("cancelledBy", &o.CancelledBy)
	f.String("cancelReason", &o.CancelReason)
	f.Time("createdAt", &o.CreatedAt)
	f.Time("updatedAt", &o.UpdatedAt)
	f.IfSet().Int("version", &o.Version)
	f.WriteID(keys.AttrWriteID, &o.WriteID)
}

// currency is that of the order. Other software may not have stored all totals.
func (t *Totals) currency() dynastay.Currency {
	return cmp.Or(t.Total.Currency(), t.Subtotal.Currency(), t.Delivery.Currency(), t.Tax.Currency())
}

func (r *Repository) newOrders() *entity.Entity[Order] {
	return entity.New(entity.Spec[Order]{
		Name: "Order", Operations: "shop", Schema: keys.Table,
		ID: "orderId", Prefix: "order_", Created: "createdAt", Updated: "updatedAt", Version: "version",
		Key:    func(o *Order) (dynastay.Key, error) { return orderKey(o.ID) },
		IDOf:   func(at dynastay.Key) string { return strings.TrimPrefix(at.PK, "ORDER#") },
		Codec:  entity.Declare(declareOrder),
		Follow: listOrder,
		Indexes: map[string]func(*Order) (dynastay.Key, error){
			keys.Index2: func(o *Order) (dynastay.Key, error) {
				return key.Of(keys.OrderByStatus{
					Status: string(o.Status), Shard: r.opts.Statuses.Of(o.ID), CreatedAt: o.CreatedAt, OrderID: o.ID,
				})
			},
		},
	})
}

func orderKey(orderID string) (dynastay.Key, error) { return key.Of(keys.Order{OrderID: orderID}) }

// listOrder puts the items that list an order under its buyer and its seller. They contain nothing that changes, so
// they are written with the order, or with its first change if other software has written it.
func listOrder(tx *dynastay.Tx, before, after *Order) error {
	if before != nil && before.WriteID != "" {
		return nil
	}
	// Other software may have stored an order from a user to the same user.
	for _, userID := range slices.Compact([]string{after.BuyerID, after.SellerID}) {
		at, err := key.Of(keys.UserOrder{UserID: userID, CreatedAt: after.CreatedAt, OrderID: after.ID})
		if err != nil {
			return err
		}
		item := keys.Table.Key.Of(at)
		item["entityType"] = dynastay.Text("USER_ORDER")
		tx.Put(keys.Table, item)
	}
	return nil
}

// AddUp sets the subtotals of the items, and Totals.Subtotal and Totals.Total, from the quantities, the unit prices,
// Totals.Delivery and Totals.Tax. It fails with a [*dynastay.InvalidError] if the amounts have several currencies or
// too many digits.
func (o *Order) AddUp() error {
	items, totals, err := o.added()
	if err != nil {
		return err
	}
	o.Items, o.Totals = items, totals
	return nil
}

func (o *Order) added() ([]Item, Totals, error) {
	items, totals := make([]Item, len(o.Items)), Totals{Delivery: o.Totals.Delivery, Tax: o.Totals.Tax}
	for i, item := range o.Items {
		var err error
		if item.Subtotal, err = item.UnitPrice.Times(item.Quantity); err != nil {
			return nil, Totals{}, named(itemField(i, "Subtotal"), err)
		}
		if totals.Subtotal, err = totals.Subtotal.Add(item.Subtotal); err != nil {
			return nil, Totals{}, named("Totals.Subtotal", err)
		}
		items[i] = item
	}
	total, err := totals.Subtotal.Add(totals.Delivery)
	if err == nil {
		total, err = total.Add(totals.Tax)
	}
	totals.Total = total
	return items, totals, named("Totals.Total", err)
}

func itemField(i int, name string) string { return "Items[" + strconv.Itoa(i) + "]." + name }

// Validate returns a [*dynastay.InvalidError] for an order that cannot be placed: without a buyer or with one who is
// the seller, without products, with more than [MaxItems], or with a product that is listed twice, with an amount that
// is missing, negative or in another currency, or with subtotals or totals that do not add up exactly. Texts are
// limited to [entity.MaxName] bytes, the instructions to [entity.MaxNote].
func (o *Order) Validate() error {
	for _, id := range []struct{ field, value string }{{"BuyerID", o.BuyerID}, {"SellerID", o.SellerID}} {
		if _, err := key.Of(keys.Profile{UserID: id.value}); err != nil {
			return named(id.field, err)
		}
	}
	for _, text := range []struct {
		field, value string
		most         int
	}{
		{"Delivery.Address", o.Delivery.Address, entity.MaxName},
		{"Delivery.Instructions", o.Delivery.Instructions, entity.MaxNote},
	} {
		if err := checkText(text.field, text.value, text.most, false); err != nil {
			return err
		}
	}
	switch {
	case o.BuyerID == o.SellerID:
		return dynastay.Invalid("BuyerID", "must not be the seller")
	case len(o.Items) == 0 || len(o.Items) > MaxItems:
		return dynastay.Invalid("Items", "must be between 1 and %d, got %d", MaxItems, len(o.Items))
	}
	currency := o.Items[0].UnitPrice.Currency()
	seen := map[string]bool{}
	for i, item := range o.Items {
		if err := item.validate(o.SellerID, currency); err != nil {
			return dynastay.Within("Items["+strconv.Itoa(i)+"]", err)
		}
		if seen[item.ProductID] {
			return dynastay.Invalid(itemField(i, "ProductID"), "is listed twice")
		}
		seen[item.ProductID] = true
	}
	for _, charge := range []struct {
		field string
		value dynastay.Money
	}{{"Totals.Delivery", o.Totals.Delivery}, {"Totals.Tax", o.Totals.Tax}} {
		if !charge.value.IsSet() {
			continue
		}
		if err := checkAmount(charge.field, charge.value, currency); err != nil {
			return err
		}
	}
	return o.checkSums()
}

func (i Item) validate(sellerID string, currency dynastay.Currency) error {
	if _, err := productKey(sellerID, i.ProductID); err != nil {
		return err
	}
	if i.Quantity < 1 || i.Quantity > MaxQuantity {
		return dynastay.Invalid("Quantity", "must be between 1 and %d", MaxQuantity)
	}
	return cmp.Or(checkText("Title", i.Title, entity.MaxName, true), checkAmount("UnitPrice", i.UnitPrice, currency))
}

// checkSums compares the amounts with what they add up to.
func (o *Order) checkSums() error {
	items, totals, err := o.added()
	if err != nil {
		return err
	}
	for i, item := range items {
		if item.Subtotal != o.Items[i].Subtotal {
			return dynastay.Invalid(itemField(i, "Subtotal"), "must be %s", item.Subtotal)
		}
	}
	switch {
	case totals.Subtotal != o.Totals.Subtotal:
		return dynastay.Invalid("Totals.Subtotal", "must be %s", totals.Subtotal)
	case totals.Total != o.Totals.Total:
		return dynastay.Invalid("Totals.Total", "must be %s", totals.Total)
	}
	return nil
}

// named replaces the field of an error by the caller's name for it.
func named(field string, err error) error {
	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) {
		return dynastay.Invalid(field, "%s", invalid.Reason)
	}
	return err
}
