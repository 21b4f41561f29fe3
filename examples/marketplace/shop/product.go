package shop

import (
	"strconv"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// ProductStatus says whether a product can be ordered.
type ProductStatus string

// The statuses of a product.
const (
	Active   ProductStatus = "ACTIVE"   // is in its category and can be ordered
	Inactive ProductStatus = "INACTIVE" // not listed in its category, and cannot be ordered
)

// Product is what a seller offers.
type Product struct {
	ID       string
	SellerID string
	// SellerName is the name that the seller had when the product was created. The library sets it, and it stays as it
	// is.
	SellerName     string
	Title          string
	Description    string
	Category       string // required; lists find it in this spelling
	Subcategory    string
	Price          dynastay.Money // of one unit
	Unit           string         // what the price is for, such as "per brick"
	Stock          int            // in units; only orders, cancellations and Restock change it
	MinOrder       int            // the smallest quantity of an order; 0 for none
	Images         []string       // URLs, at most MaxImages
	Specifications map[string]string
	Delivery       DeliveryTerms
	Status         ProductStatus // only Activate and Deactivate change it

	CreatedAt time.Time
	UpdatedAt time.Time // of the last edit; neither orders nor Restock move it
	Version   int       // 1 for a new product, incremented by every edit
	WriteID   dynastay.WriteID
}

// DeliveryTerms say what delivery costs. The amounts are in the currency of the product. They are for people to read:
// the delivery of an order is what its caller charges.
type DeliveryTerms struct {
	Available bool
	Cost      dynastay.Money
	FreeOver  dynastay.Money // orders of at least this amount are delivered for free; unset for none
}

// The limits of a product. MaxQuantity is also that of an item of an order.
const (
	MaxImages         = 20
	MaxSpecifications = 50
	MaxQuantity       = 1_000_000_000
)

const (
	attrStatus   = "status"
	attrPrice    = "price"
	attrCurrency = "currency"
	attrStock    = "stock"
	attrMinOrder = "minOrder"
)

func declareProduct(f *entity.Fields, p *Product) {
	f.Const("entityType", "PRODUCT")
	f.String("productId", &p.ID)
	f.String("sellerId", &p.SellerID)
	f.String("sellerName", &p.SellerName)
	f.String("title", &p.Title)
	f.String("description", &p.Description)
	f.String("category", &p.Category)
	f.String("subcategory", &p.Subcategory)
	f.Money(attrPrice, attrCurrency, &p.Price)
	f.String("unit", &p.Unit)
	f.Int(attrStock, &p.Stock)
	f.IfSet().Int(attrMinOrder, &p.MinOrder)
	f.Strings("images", &p.Images)
	entity.Keyed(f, "specifications", &p.Specifications, func(f *entity.Fields, name string, value *string) {
		f.String(name, value)
	})
	f.Map("delivery", func(f *entity.Fields) {
		f.Bool("available", &p.Delivery.Available)
		f.Amount("cost", p.Price.Currency(), &p.Delivery.Cost)
		f.Amount("freeOver", p.Price.Currency(), &p.Delivery.FreeOver)
	})
	entity.String(f, attrStatus, &p.Status)
	f.Time("createdAt", &p.CreatedAt)
	f.Time("updatedAt", &p.UpdatedAt)
	f.IfSet().Int("version", &p.Version)
	f.WriteID(keys.AttrWriteID, &p.WriteID)
}

func (r *Repository) newProducts() *entity.Entity[Product] {
	return entity.New(entity.Spec[Product]{
		Name: "Product", Operations: "shop", Schema: keys.Table, Validate: (*Product).validateEdit,
		ID: "productId", Prefix: "prod_", Created: "createdAt", Updated: "updatedAt", Version: "version",
		Kept: []string{"sellerName", attrStatus}, Counters: []string{attrStock},
		Key:   func(p *Product) (dynastay.Key, error) { return productKey(p.SellerID, p.ID) },
		IDOf:  func(at dynastay.Key) string { return strings.TrimPrefix(at.SK, key.SortKind[keys.Product]()) },
		Codec: entity.Declare(declareProduct),
		Indexes: map[string]func(*Product) (dynastay.Key, error){
			keys.Index3: func(p *Product) (dynastay.Key, error) {
				if p.Status != Active {
					return dynastay.Key{}, nil
				}
				price, err := key.PriceOf(p.Price)
				if err != nil {
					return dynastay.Key{}, err
				}
				shard := r.opts.Categories.Of(p.ID)
				if currency := p.Price.Currency(); currency != homeCurrency {
					return key.Of(keys.ProductByPriceIn{
						Category: p.Category, Currency: currency, Shard: shard, Price: price, ProductID: p.ID,
					})
				}
				return key.Of(keys.ProductByPrice{Category: p.Category, Shard: shard, Price: price, ProductID: p.ID})
			},
		},
	})
}

// homeCurrency is that of the categories whose keys name no currency.
const homeCurrency dynastay.Currency = "ZAR"

func productKey(sellerID, productID string) (dynastay.Key, error) {
	return key.Of(keys.Product{SellerID: sellerID, ProductID: productID})
}

// Validate returns a [*dynastay.InvalidError] for a product that must not be stored: without a title, a category or a
// price, with an unknown status, with a negative amount or number, with amounts in several currencies, or with more
// than [MaxImages] images or [MaxSpecifications] specifications. Texts are limited to [entity.MaxName] bytes, the
// description to [entity.MaxNote], URLs to [entity.MaxURL], and quantities to [MaxQuantity]. [Repository.Restock] and
// cancellations may still lead to a larger stock.
func (p *Product) Validate() error {
	if err := p.validateEdit(); err != nil {
		return err
	}
	if p.Stock < 0 || p.Stock > MaxQuantity {
		return dynastay.Invalid("Stock", "must be between 0 and %d", MaxQuantity)
	}
	return nil
}

// validateEdit does not check the stock, which an edit does not change: no stock makes a product uneditable.
func (p *Product) validateEdit() error {
	for _, text := range []struct {
		field, value string
		most         int
		required     bool
	}{
		{"Title", p.Title, entity.MaxName, true},
		{"Description", p.Description, entity.MaxNote, false},
		{"Subcategory", p.Subcategory, entity.MaxName, false},
		{"Unit", p.Unit, entity.MaxName, false},
	} {
		if err := checkText(text.field, text.value, text.most, text.required); err != nil {
			return err
		}
	}
	if err := checkAmount("Price", p.Price, p.Price.Currency()); err != nil {
		return err
	}
	// The key is checked even if the product is not active now: it must be possible to activate it.
	price, err := key.PriceOf(p.Price)
	if err == nil {
		_, err = key.Of(keys.ProductByPrice{Category: p.Category, Price: price, ProductID: "any"})
	}
	switch {
	case err != nil:
		return err
	case p.MinOrder < 0 || p.MinOrder > MaxQuantity:
		return dynastay.Invalid("MinOrder", "must be between 0 and %d", MaxQuantity)
	case len(p.Images) > MaxImages:
		return dynastay.Invalid("Images", "must be at most %d URLs, got %d", MaxImages, len(p.Images))
	case p.Status != Active && p.Status != Inactive:
		return dynastay.Invalid("Status", "must be ACTIVE or INACTIVE")
	}
	for i, url := range p.Images {
		if err := checkText("Images["+strconv.Itoa(i)+"]", url, entity.MaxURL, true); err != nil {
			return err
		}
	}
	if err := p.checkSpecifications(); err != nil {
		return err
	}
	for _, amount := range []struct {
		field string
		value dynastay.Money
	}{{"Delivery.Cost", p.Delivery.Cost}, {"Delivery.FreeOver", p.Delivery.FreeOver}} {
		if !amount.value.IsSet() {
			continue
		}
		if err := checkAmount(amount.field, amount.value, p.Price.Currency()); err != nil {
			return err
		}
	}
	return nil
}

func (p *Product) checkSpecifications() error {
	if len(p.Specifications) > MaxSpecifications {
		return dynastay.Invalid("Specifications", "must be at most %d, got %d", MaxSpecifications, len(p.Specifications))
	}
	for name, value := range p.Specifications {
		for _, text := range []string{name, value} {
			if err := checkText("Specifications", text, entity.MaxName, true); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkText(field, value string, most int, required bool) error {
	if required && strings.TrimSpace(value) == "" {
		return dynastay.Invalid(field, "is required")
	}
	return dynastay.Within(field, entity.CheckText(value, most))
}

// checkAmount checks an amount that must be set and in a currency.
func checkAmount(field string, m dynastay.Money, currency dynastay.Currency) error {
	switch {
	case !m.IsSet():
		return dynastay.Invalid(field, "is required")
	case m.Currency() != currency:
		return dynastay.Invalid(field, "must be in %s, got %s", currency, m.Currency())
	case m.Sign() < 0:
		return dynastay.Invalid(field, "must not be negative")
	}
	return dynastay.Within(field, m.Validate())
}
