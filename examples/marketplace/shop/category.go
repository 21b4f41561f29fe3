package shop

import (
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

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
func (r *Repository) InCategory(category string, currency dynastay.Currency) dynastay.List[*Offer] {
	return r.offers("shop.InCategory", category, currency, dynastay.Range{}, func(*Offer) bool { return true })
}

// InPriceRange returns the active products in a category whose prices are from min to max, both inclusive, the cheapest
// first. The unset Money is no bound, but one of them must be set: only prices in its currency are found. Otherwise it
// is like [Repository.InCategory]. Products that other software wrote in the form of the document may be missing until
// their first update, because their keys do not sort by price.
func (r *Repository) InPriceRange(category string, min, max dynastay.Money) dynastay.List[*Offer] {
	currency := max.Currency()
	if min.IsSet() {
		currency = min.Currency()
	}
	from, err := priceBound("Min", min, currency, 0)
	if err != nil {
		return dynastay.NoList[*Offer](err)
	}
	to, err := priceBound("Max", max, currency, 1)
	switch {
	case err != nil:
		return dynastay.NoList[*Offer](err)
	case !min.IsSet() && !max.IsSet():
		return dynastay.NoList[*Offer](dynastay.Invalid("Max", "is required if there is no Min"))
	case !atMost(min, max):
		return dynastay.NoList[*Offer](dynastay.Invalid("Max", "must not be less than Min"))
	}
	return r.offers("shop.InPriceRange", category, currency, dynastay.Range{From: from, To: to}, func(o *Offer) bool {
		return atMost(min, o.Price) && atMost(o.Price, max) // the index may have keys of other software
	})
}

// priceBound returns the prefix of the sort keys with a price, or with the one that follows it by some thousandths. It
// is "" if there is no bound or no such price.
func priceBound(field string, m dynastay.Money, currency dynastay.Currency, after key.Thousandths) (string, error) {
	if !m.IsSet() {
		return "", nil
	}
	if m.Currency() != currency {
		return "", dynastay.Invalid(field, "must be in %s, got %s", currency, m.Currency())
	}
	price, err := key.PriceOf(m)
	if err != nil {
		return "", named(field, err)
	}
	prefix, err := key.SortPrefix(keys.ProductByPrice{Price: price + after})
	if err != nil { // nothing follows the highest price
		return "", nil
	}
	return prefix, nil
}

// atMost reports whether an amount is at most another one in the same currency. It is true if either is not set.
func atMost(m, most dynastay.Money) bool {
	n, _ := m.Compare(most) // 0 if either is not set
	return n <= 0
}

func (r *Repository) offers(
	name, category string, currency dynastay.Currency, within dynastay.Range, keep func(*Offer) bool,
) dynastay.List[*Offer] {
	partitions, err := r.category(category, currency)
	if err != nil {
		return dynastay.NoList[*Offer](err)
	}
	return dynastay.ListOf(r.db, keys.Table, dynastay.Query{
		Name: name, Index: keys.Index3, Partition: partitions[0], Shards: partitions[1:], Range: within,
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
	}).Filter(func(o *Offer) bool { return o != nil && keep(o) })
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
