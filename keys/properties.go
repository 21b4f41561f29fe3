package keys

import (
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// The indexes of [PropertiesTable].
const (
	LocationIndex       = "GSI1-LocationIndex"
	GeoIndex            = "GSI2-GeoIndex"
	OwnerIndex          = "GSI3-OwnerIndex"
	TypeRatingIndex     = "GSI4-TypeRatingIndex"
	FeaturedIndex       = "GSI5-FeaturedIndex"
	SlugIndex           = "GSI6-SlugIndex"
	PriceIndex          = "GSI7-PriceIndex"
	RatingIndex         = "GSI8-RatingIndex" // by stars; guest ratings are in LocationIndex
	AmenitiesIndex      = "GSI9-AmenitiesIndex"
	GeohashIndex        = "GSI10-GeohashIndex"
	PropertyStatusIndex = "GSI11-StatusIndex"
)

// PropertiesTable contains the properties with their room types, images and amenities.
//
// The indexes that a search reads project the property's card instead of the whole property: a change that search
// results do not show then costs nothing in these indexes, and a page of results is much smaller. A property has rows
// in them only while it is approved. It is always indexed by owner and slug, and by status while it is pending. Owners
// also see properties that no search finds, so their index projects the status as well as the card.
var PropertiesTable = &dynastay.Schema{
	Name: "Properties",
	Key:  primaryKey,
	Indexes: []dynastay.Index{
		index(LocationIndex, dynastay.ProjectInclude, AttrCard),
		index(GeoIndex, dynastay.ProjectInclude, AttrCard),
		index(OwnerIndex, dynastay.ProjectInclude, AttrCard, "Status"),
		index(TypeRatingIndex, dynastay.ProjectInclude, AttrCard),
		index(FeaturedIndex, dynastay.ProjectInclude, AttrCard),
		index(SlugIndex, dynastay.ProjectKeys),
		index(PriceIndex, dynastay.ProjectInclude, AttrCard),
		index(RatingIndex, dynastay.ProjectInclude, AttrCard),
		index(AmenitiesIndex, dynastay.ProjectKeys),
		index(GeohashIndex, dynastay.ProjectInclude, AttrCard),
		index(PropertyStatusIndex, dynastay.ProjectInclude, AttrCard),
	},
	Stream: true,
}

// Property is the item of a property: PROPERTY#{PropertyID} / METADATA.
type Property struct{ PropertyID string }

func (k *Property) Form(f *key.Form) {
	f.PK("PROPERTY#", key.ID("PropertyID", &k.PropertyID))
	f.SK("METADATA")
}

// RoomType is the item of a room type, in the partition of its property: PROPERTY#{PropertyID} / ROOM#{RoomTypeID}.
type RoomType struct{ PropertyID, RoomTypeID string }

func (k *RoomType) Form(f *key.Form) {
	f.PK("PROPERTY#", key.ID("PropertyID", &k.PropertyID))
	f.SK("ROOM#", key.ID("RoomTypeID", &k.RoomTypeID))
}

// Image is the item of a property's image: PROPERTY#{PropertyID} / IMAGE#{ImageID}.
type Image struct{ PropertyID, ImageID string }

func (k *Image) Form(f *key.Form) {
	f.PK("PROPERTY#", key.ID("PropertyID", &k.PropertyID))
	f.SK("IMAGE#", key.ID("ImageID", &k.ImageID))
}

// Amenity is the item of one amenity that a property has: PROPERTY#{PropertyID} / AMENITY#{AmenityID}. It is a separate
// item because an item has only one row in an index, and a property must be found by each of its amenities.
type Amenity struct{ PropertyID, AmenityID string }

func (k *Amenity) Form(f *key.Form) {
	f.PK("PROPERTY#", key.ID("PropertyID", &k.PropertyID))
	f.SK("AMENITY#", key.ID("AmenityID", &k.AmenityID))
}

// RatePlan is the item of a rate plan: RATES#{PropertyID} / PLAN#{RatePlanID}. It is not in the partition of its property,
// because whoever reads a whole property would read all of its plans.
type RatePlan struct{ PropertyID, RatePlanID string }

func (k *RatePlan) Form(f *key.Form) {
	f.PK("RATES#", key.ID("PropertyID", &k.PropertyID))
	f.SK("PLAN#", key.ID("RatePlanID", &k.RatePlanID))
}

// PropertyCharges is the item of all charges of a property, which are one list: RATES#{PropertyID} / CHARGES.
type PropertyCharges struct{ PropertyID string }

func (k *PropertyCharges) Form(f *key.Form) {
	f.PK("RATES#", key.ID("PropertyID", &k.PropertyID))
	f.SK("CHARGES")
}

// Unit is the item of one room, such as room 301: UNITS#{PropertyID} / UNIT#{UnitID}. It is not in the partition of its property,
// because whoever reads a whole property would read all of its rooms. The id is unique in the property only.
type Unit struct{ PropertyID, UnitID string }

func (k *Unit) Form(f *key.Form) {
	f.PK("UNITS#", key.ID("PropertyID", &k.PropertyID))
	f.SK("UNIT#", key.ID("UnitID", &k.UnitID))
}

// SlugGuard reserves a slug for one property, which an index cannot do: SLUG#{Slug} / GUARD.
type SlugGuard struct{ Slug string }

func (k *SlugGuard) Form(f *key.Form) {
	f.PK("SLUG#", key.Text("Slug", &k.Slug))
	f.SK("GUARD")
}

// RoomTypeGuard reserves a room type's id for one property, because a [Night] is identified by that id alone:
// ROOM#{RoomTypeID} / GUARD.
type RoomTypeGuard struct{ RoomTypeID string }

func (k *RoomTypeGuard) Form(f *key.Form) {
	f.PK("ROOM#", key.ID("RoomTypeID", &k.RoomTypeID))
	f.SK("GUARD")
}

// PropertyByCity is the row of a property in [LocationIndex], by guest rating:
// CITY#{City}#{Country} / RATING#{Rating}#PROPERTY#{PropertyID}.
type PropertyByCity struct {
	City, Country string
	Rating        dynastay.Rating
	PropertyID    string
}

func (k *PropertyByCity) Form(f *key.Form) {
	f.PK("CITY#", key.Text("City", &k.City), "#", key.Text("Country", &k.Country))
	f.SK("RATING#", key.Rating("Rating", &k.Rating), "#PROPERTY#", key.ID("PropertyID", &k.PropertyID))
}

// PropertyByArea is the row of a property in [GeoIndex], by lowest price:
// GEO#{Geohash} / PRICE#{Price}#PROPERTY#{PropertyID}. Geohash has 6 characters ([key.Place.Precision6]).
type PropertyByArea struct {
	Geohash    string
	Price      key.Thousandths
	PropertyID string
}

func (k *PropertyByArea) Form(f *key.Form) {
	f.PK("GEO#", key.Geohash("Geohash", &k.Geohash, 6))
	f.SK("PRICE#", key.Price("Price", &k.Price), "#PROPERTY#", key.ID("PropertyID", &k.PropertyID))
}

// PropertyByOwner is the row of a property in [OwnerIndex]: OWNER#{OwnerID} / PROPERTY#{PropertyID}.
type PropertyByOwner struct{ OwnerID, PropertyID string }

func (k *PropertyByOwner) Form(f *key.Form) {
	f.PK("OWNER#", key.ID("OwnerID", &k.OwnerID))
	f.SK("PROPERTY#", key.ID("PropertyID", &k.PropertyID))
}

// PropertyByType is the row of a property in [TypeRatingIndex], by guest rating:
// TYPE#{Type} / RATING#{Rating}#PROPERTY#{PropertyID}. The partition may be sharded, see [key.ShardOf].
type PropertyByType struct {
	Type       string
	Shard      int
	Rating     dynastay.Rating
	PropertyID string
}

func (k *PropertyByType) Form(f *key.Form) {
	f.PK("TYPE#", key.Word("Type", &k.Type), key.Shard("Shard", &k.Shard))
	f.SK("RATING#", key.Rating("Rating", &k.Rating), "#PROPERTY#", key.ID("PropertyID", &k.PropertyID))
}

// FeaturedProperty is the row of a featured property in [FeaturedIndex], by score:
// FEATURED / SCORE#{Score}#PROPERTY#{PropertyID}. The partition may be sharded, see [key.ShardOf].
type FeaturedProperty struct {
	Shard      int
	Score      int64
	PropertyID string
}

func (k *FeaturedProperty) Form(f *key.Form) {
	f.PK("FEATURED", key.Shard("Shard", &k.Shard))
	f.SK("SCORE#", key.Digits("Score", &k.Score, 10), "#PROPERTY#", key.ID("PropertyID", &k.PropertyID))
}

// PropertyBySlug is the row of a property in [SlugIndex]: SLUG#{Slug} / PROPERTY.
type PropertyBySlug struct{ Slug string }

func (k *PropertyBySlug) Form(f *key.Form) {
	f.PK("SLUG#", key.Text("Slug", &k.Slug))
	f.SK("PROPERTY")
}

// PropertyByPrice is the row of a property in [PriceIndex], by lowest price: CITY#{City}#{Country}#CURRENCY#{Currency}
// / PRICE#{Price}#PROPERTY#{PropertyID}. The currency is in the partition because prices are comparable only within one
// currency.
type PropertyByPrice struct {
	City, Country string
	Currency      dynastay.Currency
	Price         key.Thousandths
	PropertyID    string
}

func (k *PropertyByPrice) Form(f *key.Form) {
	f.PK(
		"CITY#", key.Text("City", &k.City),
		"#", key.Text("Country", &k.Country),
		"#CURRENCY#", key.Currency("Currency", &k.Currency),
	)
	f.SK("PRICE#", key.Price("Price", &k.Price), "#PROPERTY#", key.ID("PropertyID", &k.PropertyID))
}

// PropertyByStars is the row of a property in [RatingIndex], by guest rating among the properties with the same stars:
// CITY#{City}#{Country}#STAR#{Stars} / RATING#{Rating}#PROPERTY#{PropertyID}. Stars are 1 to 5; a property without
// stars has no row.
type PropertyByStars struct {
	City, Country string
	Stars         int
	Rating        dynastay.Rating
	PropertyID    string
}

func (k *PropertyByStars) Form(f *key.Form) {
	f.PK(
		"CITY#", key.Text("City", &k.City),
		"#", key.Text("Country", &k.Country),
		"#STAR#", key.Whole("Stars", &k.Stars, 1, 5),
	)
	f.SK("RATING#", key.Rating("Rating", &k.Rating), "#PROPERTY#", key.ID("PropertyID", &k.PropertyID))
}

// PropertyByAmenity is the row of an [Amenity] in [AmenitiesIndex]: CITY#{City}#{Country}#AMENITY#{AmenityID} /
// PROPERTY#{PropertyID}. The rows of every amenity sort by property, so that properties with several amenities are
// found by merging. The key contains no rating, so that a review does not rewrite these rows.
type PropertyByAmenity struct{ City, Country, AmenityID, PropertyID string }

func (k *PropertyByAmenity) Form(f *key.Form) {
	f.PK(
		"CITY#", key.Text("City", &k.City),
		"#", key.Text("Country", &k.Country),
		"#AMENITY#", key.ID("AmenityID", &k.AmenityID),
	)
	f.SK("PROPERTY#", key.ID("PropertyID", &k.PropertyID))
}

// PropertyByCell is the row of a property in [GeohashIndex]: GEOCELL#{Cell} / {Geohash}#PROPERTY#{PropertyID}. The
// cells are large enough for any radius, and any shorter geohash is a prefix of the sort keys within it. Both come from
// [key.PlaceOf]: Geohash has 9 characters, Cell has 3 or is the cell of a pole.
type PropertyByCell struct{ Cell, Geohash, PropertyID string }

func (k *PropertyByCell) Form(f *key.Form) {
	f.PK("GEOCELL#", key.Cell("Cell", &k.Cell))
	f.SK(key.Geohash("Geohash", &k.Geohash, 9), "#PROPERTY#", key.ID("PropertyID", &k.PropertyID))
}

// PropertyByStatus is the row in [PropertyStatusIndex] of a property that waits for approval, oldest first:
// STATUS#{Status} / CREATED#{Created}#PROPERTY#{PropertyID}. The partition may be sharded, see [key.ShardOf].
type PropertyByStatus struct {
	Status     string
	Shard      int
	Created    time.Time
	PropertyID string
}

func (k *PropertyByStatus) Form(f *key.Form) {
	f.PK("STATUS#", key.Word("Status", &k.Status), key.Shard("Shard", &k.Shard))
	f.SK("CREATED#", key.Instant("Created", &k.Created), "#PROPERTY#", key.ID("PropertyID", &k.PropertyID))
}
