package shop

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Products returns the products of a seller by id, including those that are not active. 1 request a page.
//
// Pattern M5: PK = SELLER#{sellerId}, SK begins with PRODUCT#, 1 request
func (r *Repository) Products(sellerID string) dynastay.List[*Product] {
	partition, err := key.Partition(keys.Product{SellerID: sellerID})
	if err != nil {
		return dynastay.NoList[*Product](err)
	}
	return r.products.List(dynastay.Query{
		Name: "shop.Products", Partition: partition, Range: dynastay.Range{Prefix: key.SortKind[keys.Product]()},
	})
}

// OrdersByStatus returns the orders with a status, the newest first. The index lags behind the table: an order may have
// another status by now. Orders of other software are missing until their first change. 1 request a page, or 1 for each
// shard of the status.
//
// Pattern M10: GSI2, GSI2PK = STATUS#{status}#ORDER, descending, 1 request
func (r *Repository) OrdersByStatus(status Status) dynastay.List[*Order] {
	if !status.known() {
		return dynastay.NoList[*Order](dynastay.Invalid("Status", "must be PENDING, CONFIRMED, SHIPPED, DELIVERED or CANCELLED"))
	}
	partitions, err := key.Partitions(keys.OrderByStatus{Status: string(status)}, r.opts.Statuses.Read)
	if err != nil {
		return dynastay.NoList[*Order](err)
	}
	return r.orders.List(dynastay.Query{
		Name: "shop.OrdersByStatus", Index: keys.Index2, Partition: partitions[0], Shards: partitions[1:], Descending: true,
	})
}

// OrdersOf returns the orders that a user has placed, and those that the user has received as a seller, the newest
// first; compare BuyerID to tell them apart. They are listed in items that contain only their ids, so they are never
// older than a read of the order itself. 2 requests for a page of up to 100, a Query and a BatchGetItem of the orders,
// and 1 more for every further 100.
func (r *Repository) OrdersOf(userID string) dynastay.List[*Order] {
	partition, err := key.Partition(keys.UserOrder{UserID: userID})
	if err != nil {
		return dynastay.NoList[*Order](err)
	}
	listed := dynastay.ListOf(r.db, keys.Table, dynastay.Query{
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
