package keys

import (
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// Product is the item of a product: SELLER#{SellerID} / PRODUCT#{ProductID}.
type Product struct{ SellerID, ProductID string }

func (k *Product) Form(f *key.Form) {
	f.PK("SELLER#", key.ID("SellerID", &k.SellerID))
	f.SK("PRODUCT#", key.ID("ProductID", &k.ProductID))
}

// ProductByPrice is the row of a [Product] whose price is in ZAR in [Index3]:
// CATEGORY#{Category} / PRICE#{Price}#PRODUCT#{ProductID}.
type ProductByPrice struct {
	Category  string
	Shard     int
	Price     key.Thousandths
	ProductID string
}

func (k *ProductByPrice) Form(f *key.Form) {
	f.PK("CATEGORY#", key.Text("Category", &k.Category), key.Shard("Shard", &k.Shard))
	f.SK("PRICE#", key.Price("Price", &k.Price), "#PRODUCT#", key.ID("ProductID", &k.ProductID))
}

// ProductByPriceIn is the row of a [Product] in [Index3] whose price is in another currency:
// CATEGORY#{Category}#CURRENCY#{Currency} / PRICE#{Price}#PRODUCT#{ProductID}.
type ProductByPriceIn struct {
	Category  string
	Currency  dynastay.Currency
	Shard     int
	Price     key.Thousandths
	ProductID string
}

func (k *ProductByPriceIn) Form(f *key.Form) {
	f.PK("CATEGORY#", key.Text("Category", &k.Category), "#CURRENCY#", key.Currency("Currency", &k.Currency),
		key.Shard("Shard", &k.Shard))
	f.SK("PRICE#", key.Price("Price", &k.Price), "#PRODUCT#", key.ID("ProductID", &k.ProductID))
}

// Order is the item of an order: ORDER#{OrderID} / METADATA.
type Order struct{ OrderID string }

func (k *Order) Form(f *key.Form) {
	f.PK("ORDER#", key.ID("OrderID", &k.OrderID))
	f.SK("METADATA")
}

// OrderByStatus is the row of an [Order] in [Index2]: STATUS#{Status}#ORDER / TIMESTAMP#{CreatedAt}#ORDER#{OrderID}.
type OrderByStatus struct {
	Status    string
	Shard     int
	CreatedAt time.Time
	OrderID   string
}

func (k *OrderByStatus) Form(f *key.Form) {
	f.PK("STATUS#", key.ID("Status", &k.Status), "#ORDER", key.Shard("Shard", &k.Shard))
	f.SK("TIMESTAMP#", key.Instant("CreatedAt", &k.CreatedAt), "#ORDER#", key.ID("OrderID", &k.OrderID))
}
