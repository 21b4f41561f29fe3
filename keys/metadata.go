package keys

import "github.com/dynastay/dynastay"

// MetadataTable holds wishlists, catalogues, promo codes and the records of idempotency keys. It has no indexes.
var MetadataTable = &dynastay.Schema{Name: "Metadata", Key: primaryKey, TTL: AttrExpiresAt}

// Wishlist is the item of a user's wishlist: USER#{UserID} / WISHLIST#{WishlistID}.
type Wishlist struct{ UserID, WishlistID string }

func (k *Wishlist) form(f *form) {
	f.lit("USER#")
	f.id("UserID", &k.UserID)
	f.sort()
	f.lit("WISHLIST#")
	f.id("WishlistID", &k.WishlistID)
}

// CatalogItem is the item of an entry of a catalogue, such as an amenity: CATALOG#{Catalog} / ITEM#{ItemID}.
type CatalogItem struct{ Catalog, ItemID string }

func (k *CatalogItem) form(f *form) {
	f.lit("CATALOG#")
	f.id("Catalog", &k.Catalog)
	f.sort()
	f.lit("ITEM#")
	f.id("ItemID", &k.ItemID)
}

// PromoCode is the item of a promo code: PROMO#{Code} / METADATA.
type PromoCode struct{ Code string }

func (k *PromoCode) form(f *form) {
	f.lit("PROMO#")
	f.text("Code", &k.Code)
	f.sort()
	f.lit("METADATA")
}

// ScopedIdempotencyRecord is the item of what an idempotency key within a scope was used for, such as that of a user:
// IDEMPOTENCY#{Scope}#{Key} / METADATA.
type ScopedIdempotencyRecord struct{ Scope, Key string }

func (k *ScopedIdempotencyRecord) form(f *form) {
	f.lit("IDEMPOTENCY#")
	f.text("Scope", &k.Scope)
	f.lit("#")
	f.text("Key", &k.Key)
	f.sort()
	f.lit("METADATA")
}

// IdempotencyRecord is the item of what an idempotency key without a scope was used for: IDEMPOTENCY#{Key} / METADATA.
type IdempotencyRecord struct{ Key string }

func (k *IdempotencyRecord) form(f *form) {
	f.lit("IDEMPOTENCY#")
	f.text("Key", &k.Key)
	f.sort()
	f.lit("METADATA")
}
