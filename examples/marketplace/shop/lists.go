package shop

import (
	"context"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Products returns the products of a seller by id, including those that are not active. 1 request a page.
//
// Pattern M5: PK = SELLER#{sellerId}, SK begins with PRODUCT#, 1 request
func (r *Repository) Products(sellerID string) dynastay.Listing[*Product] {
	partition, err := key.Partition(keys.Product{SellerID: sellerID})
	if err != nil {
		return dynastay.NoListing[*Product](err)
	}
	return r.products.List(dynastay.Query{
		Name: "shop.Products", Partition: partition, Range: dynastay.Range{Prefix: key.SortKind[keys.Product]()},
	})
}

// Offer is an active product as a category lists it. It is not a [Product], because the index does not contain the
// stock, the description and the version: with them, every sale and every edit of a description would also be a write
// to the index, and a missing value could be mistaken for an empty one. [Repository.Product] reads the product.
type Offer struct {
	ID             string
	SellerID       string
	SellerName     string // see [Product]
	Title          string
	Category       string
	Subcategory    string
	Price          dynastay.Money
	Unit           string
	MinOrder       int
	Images         []string
	Specifications map[string]string
	Delivery       DeliveryTerms
	CreatedAt      time.Time
}

// InCategory returns the active products in a category whose prices are in a currency, such as "ZAR", the cheapest
// first. The index lags behind the table: a product may have been changed or deactivated. 1 request a page, or 1 for
// each shard of the category.
//
// Pattern M6: GSI3, GSI3PK = CATEGORY#{category}, 1 request
func (r *Repository) InCategory(category string, currency dynastay.Currency) dynastay.Listing[*Offer] {
	partitions, err := r.category(category, currency)
	if err != nil {
		return dynastay.NoListing[*Offer](err)
	}
	return dynastay.List(r.db, keys.Table, dynastay.Query{
		Name: "shop.InCategory", Index: keys.Index3, Partition: partitions[0], Shards: partitions[1:],
	}, func(_ context.Context, row dynastay.Row) (*Offer, error) {
		p, err := entity.Read("Product", keys.Table.Key.From(row).String(), r.product.Codec, row)
		// Other software keeps products of all currencies in one partition, and those that are not active as well.
		if err != nil || p.Status != Active || p.Price.Currency() != currency {
			return nil, err
		}
		return &Offer{
			ID: p.ID, SellerID: p.SellerID, SellerName: p.SellerName, Title: p.Title, Category: p.Category,
			Subcategory: p.Subcategory, Price: p.Price, Unit: p.Unit, MinOrder: p.MinOrder, Images: p.Images,
			Specifications: p.Specifications, Delivery: p.Delivery, CreatedAt: p.CreatedAt,
		}, nil
	}).Filter(func(o *Offer) bool { return o != nil })
}

// category returns the partitions of a category.
func (r *Repository) category(category string, currency dynastay.Currency) ([]string, error) {
	if err := currency.Validate(); err != nil {
		return nil, dynastay.Within("Currency", err)
	}
	if currency == homeCurrency {
		return key.Partitions(keys.ProductByPrice{Category: category}, r.opts.Categories.Read)
	}
	return key.Partitions(keys.ProductByPriceIn{Category: category, Currency: currency}, r.opts.Categories.Read)
}

// OrdersByStatus returns the orders with a status, the newest first. The index lags behind the table: an order may have
// another status by now. 1 request a page, or 1 for each shard of the status.
//
// Pattern M10: GSI2, GSI2PK = STATUS#{status}#ORDER, descending, 1 request
func (r *Repository) OrdersByStatus(status Status) dynastay.Listing[*Order] {
	if !status.known() {
		return dynastay.NoListing[*Order](dynastay.Invalid("Status", "must be PENDING, CONFIRMED, SHIPPED, DELIVERED or CANCELLED"))
	}
	partitions, err := key.Partitions(keys.OrderByStatus{Status: string(status)}, r.opts.Statuses.Read)
	if err != nil {
		return dynastay.NoListing[*Order](err)
	}
	return r.orders.List(dynastay.Query{
		Name: "shop.OrdersByStatus", Index: keys.Index2, Partition: partitions[0], Shards: partitions[1:], Descending: true,
	})
}

// OrdersOf returns the orders that a user has placed or, if the user is a seller, received, the newest first. They are
// listed in items that contain only their ids, so they are never older than a read of the order itself. 2 requests a
// page: a Query, and a BatchGetItem of the orders.
func (r *Repository) OrdersOf(userID string) dynastay.Listing[*Order] {
	partition, err := key.Partition(keys.UserOrder{UserID: userID})
	if err != nil {
		return dynastay.NoListing[*Order](err)
	}
	listed := dynastay.List(r.db, keys.Table, dynastay.Query{
		Name: "shop.OrdersOf", Partition: partition, Range: dynastay.Range{Prefix: key.SortKind[keys.UserOrder]()}, Descending: true,
	}, func(_ context.Context, row dynastay.Row) (dynastay.Key, error) {
		pointer, err := key.Parse[keys.UserOrder](keys.Table.Key.From(row))
		if err != nil {
			return dynastay.Key{}, err
		}
		return orderKey(pointer.OrderID)
	})
	return dynastay.Load(listed, func(ctx context.Context, at []dynastay.Key) ([]*Order, error) {
		orders, err := r.orders.GetAll(ctx, at)
		return slices.DeleteFunc(orders, func(o *Order) bool { return o == nil }), err
	})
}
