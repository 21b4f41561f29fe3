package keys

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/keytext"
	"github.com/dynastay/dynastay/keys/key"
)

// MetadataTable contains wishlists, catalogues, promo codes, idempotency records and the positions of stream consumers.
// It has no indexes.
var MetadataTable = &dynastay.Schema{Name: "Metadata", Key: primaryKey, TTL: AttrExpiresAt}

// Wishlist is the item of a user's wishlist: USER#{UserID} / WISHLIST#{WishlistID}.
type Wishlist struct{ UserID, WishlistID string }

func (k *Wishlist) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("WISHLIST#", key.ID("WishlistID", &k.WishlistID))
}

// CatalogItem is the item of an entry of a catalogue, such as an amenity: CATALOG#{Catalog} / ITEM#{ItemID}.
type CatalogItem struct{ Catalog, ItemID string }

func (k *CatalogItem) Form(f *key.Form) {
	f.PK("CATALOG#", key.ID("Catalog", &k.Catalog))
	f.SK("ITEM#", key.ID("ItemID", &k.ItemID))
}

// CatalogName is the item by which an entry of a catalogue is found by one of its names:
// CATALOG#{Catalog} / NAME#{Name}#ITEM#{ItemID}. The name is folded, see [key.Fold].
type CatalogName struct{ Catalog, Name, ItemID string }

func (k *CatalogName) Form(f *key.Form) {
	f.PK("CATALOG#", key.ID("Catalog", &k.Catalog))
	f.SK("NAME#", key.Folded("Name", &k.Name), "#ITEM#", key.ID("ItemID", &k.ItemID))
}

// PromoCode is the item of a promo code: PROMO#{Code} / METADATA.
type PromoCode struct{ Code string }

func (k *PromoCode) Form(f *key.Form) {
	f.PK("PROMO#", key.Text("Code", &k.Code))
	f.SK("METADATA")
}

// ScopedIdempotencyRecord is the record of an idempotency key within a scope, such as a user: IDEMPOTENCY#{Scope}#{Key}
// / METADATA.
type ScopedIdempotencyRecord struct{ Scope, Key string }

func (k *ScopedIdempotencyRecord) Form(f *key.Form) {
	f.PK("IDEMPOTENCY#", exactly("Scope", &k.Scope), "#", key.Text("Key", &k.Key))
	f.SK("METADATA")
}

// exactly is a text that is compared byte by byte, as ids are.
func exactly(name string, p *string) key.Value {
	return key.Custom(name, func() (string, error) { return keytext.EscapeExactly(*p) }, func(text string) (err error) {
		*p, err = keytext.Unescape(text)
		return err
	})
}

// IdempotencyRecord is the record of an idempotency key without a scope: IDEMPOTENCY#{Key} / METADATA.
type IdempotencyRecord struct{ Key string }

func (k *IdempotencyRecord) Form(f *key.Form) {
	f.PK("IDEMPOTENCY#", key.Text("Key", &k.Key))
	f.SK("METADATA")
}

// StreamShard is the item of the position of a stream consumer in a shard: STREAM#{Consumer} / SHARD#{ShardID}.
type StreamShard struct{ Consumer, ShardID string }

func (k *StreamShard) Form(f *key.Form) {
	f.PK("STREAM#", key.ID("Consumer", &k.Consumer))
	f.SK("SHARD#", key.ID("ShardID", &k.ShardID))
}

// WalkSegment is the item of how far a walk of package migrate has come in a segment: WALK#{Walk} / SEGMENT#{Segment}. Segment is
// 0 to 999.
type WalkSegment struct {
	Walk    string
	Segment int
}

func (k *WalkSegment) Form(f *key.Form) {
	f.PK("WALK#", key.ID("Walk", &k.Walk))
	f.SK("SEGMENT#", key.Whole("Segment", &k.Segment, 0, 999))
}
