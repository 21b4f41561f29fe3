package streamtest_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/catalog"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// kind is an item, and the decoder that must take its changes; "" for none.
type kind struct {
	name    string
	table   *dynastay.Schema
	key     dynastay.Key
	decoder string
}

func item[K any, P key.Layout[K]](table *dynastay.Schema, k K, decoder string) kind {
	stored, err := keys.Of[K, P](k)
	if err != nil {
		panic(err)
	}
	return kind{reflect.TypeFor[K]().Name(), table, stored, decoder}
}

var night = dynastay.MustDate("2026-07-21")

// kinds are all items of the library's tables.
var kinds = []kind{
	item(keys.PropertiesTable, keys.Property{PropertyID: "x"}, "properties.Properties"),
	item(keys.PropertiesTable, keys.RoomType{PropertyID: "x", RoomTypeID: "y"}, "properties.Rooms"),
	item(keys.PropertiesTable, keys.Image{PropertyID: "x", ImageID: "y"}, "properties.Images"),
	item(keys.PropertiesTable, keys.Amenity{PropertyID: "x", AmenityID: "y"}, ""),
	item(keys.PropertiesTable, keys.RatePlan{PropertyID: "x", RatePlanID: "y"}, "properties.RatePlans"),
	item(keys.PropertiesTable, keys.PropertyCharges{PropertyID: "x"}, "properties.Charges"),
	item(keys.PropertiesTable, keys.Unit{PropertyID: "x", UnitID: "y"}, "units.Units"),
	item(keys.PropertiesTable, keys.SlugGuard{Slug: "x"}, ""),
	item(keys.PropertiesTable, keys.RoomTypeGuard{RoomTypeID: "x"}, ""),

	item(keys.AvailabilityTable, keys.Night{RoomTypeID: "x", Date: night}, "availability.Nights"),
	item(keys.AvailabilityTable, keys.UnitMonth{PropertyID: "x", Month: dynastay.MonthOf(night).CheckIn, UnitID: "y"}, "units.Months"),

	item(keys.BookingsTable, keys.Booking{BookingID: "x"}, "bookings.Bookings"),
	item(keys.BookingsTable, keys.Payment{BookingID: "x"}, "bookings.Payments"),
	item(keys.BookingsTable, keys.PaymentAttempt{BookingID: "x", ProviderTransactionID: "y#z"}, "bookings.PaymentAttempts"),
	item(keys.BookingsTable, keys.Refund{BookingID: "x", RefundID: "y"}, "bookings.Refunds"),
	item(keys.BookingsTable, keys.BookingRoom{BookingID: "x", RoomTypeID: "y"}, "bookings.Lines"),
	item(keys.BookingsTable, keys.BookingCharges{BookingID: "x"}, "bookings.Charges"),
	item(keys.BookingsTable, keys.BookingRoomLine{BookingID: "x", RoomTypeID: "y", Number: 2}, "bookings.Lines"),
	item(keys.BookingsTable, keys.ReferenceGuard{Reference: "x"}, ""),
	item(keys.BookingsTable, keys.ExternalReferenceGuard{Channel: "x", ExternalReference: "y"}, ""),

	item(keys.UsersTable, keys.Profile{UserID: "x"}, "users.Users"),
	item(keys.UsersTable, keys.Loyalty{UserID: "x"}, "users.Loyalty"),
	item(keys.UsersTable, keys.LoyaltyEntry{UserID: "x", ReasonID: "y"}, "users.LoyaltyEntries"),
	item(keys.UsersTable, keys.Preference{UserID: "x"}, "users.Preferences"),
	item(keys.UsersTable, keys.Erased{UserID: "x"}, "users.Erasures"),
	item(keys.UsersTable, keys.EmailGuard{Email: "x@example.com"}, ""),
	item(keys.UsersTable, keys.EmailConfig{}, ""),

	item(keys.ReviewsTable, keys.Review{ReviewID: "x"}, "reviews.Reviews"),
	item(keys.ReviewsTable, keys.Response{ReviewID: "x"}, "reviews.Responses"),
	item(keys.ReviewsTable, keys.Vote{ReviewID: "x", UserID: "y"}, "reviews.Votes"),
	item(keys.ReviewsTable, keys.BookingReviewGuard{BookingID: "x"}, ""),

	item(keys.MetadataTable, keys.Wishlist{UserID: "x", WishlistID: "y"}, "users.Wishlists"),
	item(keys.MetadataTable, keys.CatalogItem{Catalog: "amenities", ItemID: "x"}, "catalog.Amenities"),
	item(keys.MetadataTable, keys.CatalogItem{Catalog: "locations", ItemID: "x"}, "catalog.Locations"),
	item(keys.MetadataTable, keys.CatalogItem{Catalog: "config", ItemID: "fees"}, "catalog.Setting"),
	item(keys.MetadataTable, keys.CatalogItem{Catalog: "config", ItemID: "x"}, ""),
	item(keys.MetadataTable, keys.CatalogItem{Catalog: "x", ItemID: "fees"}, ""),
	item(keys.MetadataTable, keys.CatalogName{Catalog: "amenities", Name: "x", ItemID: "y"}, ""),
	item(keys.MetadataTable, keys.CatalogName{Catalog: "config", Name: "fees", ItemID: "fees"}, ""),
	item(keys.MetadataTable, keys.PromoCode{Code: "x"}, "bookings.PromoCodes"),
	item(keys.MetadataTable, keys.IdempotencyRecord{Key: "x"}, ""),
	item(keys.MetadataTable, keys.ScopedIdempotencyRecord{Scope: "x", Key: "y"}, ""),
	item(keys.MetadataTable, keys.StreamShard{Consumer: "x", ShardID: "y"}, ""),
	item(keys.MetadataTable, keys.WalkSegment{Walk: "x"}, ""),
}

// decoders returns a function for each decoder that reports whether it takes the changes of a record.
func decoders(db *dynastay.DB) map[string]func(stream.Record) bool {
	p := properties.New(db, nil)
	all := map[string]any{
		"catalog.Amenities": catalog.Amenities(db).Changes(),
		"catalog.Locations": catalog.Locations(db).Changes(),
		"catalog.Setting":   catalog.NewSetting(db, "fees", func(*entity.Fields, *struct{}) {}).Changes(),
	}
	for _, changes := range []any{
		p.Changes(), availability.New(db).Changes(), bookings.New(db, nil).Changes(), users.New(db, nil).Changes(),
		reviews.New(db, p, nil).Changes(), units.New(db).Changes(),
	} {
		v := reflect.ValueOf(changes)
		for i := range v.NumField() {
			all[strings.TrimSuffix(v.Type().String(), "Changes")+v.Type().Field(i).Name] = v.Field(i).Interface()
		}
	}
	takes := map[string]func(stream.Record) bool{}
	for name, decoder := range all {
		decode := reflect.ValueOf(decoder).MethodByName("Decode")
		takes[name] = func(r stream.Record) bool { return decode.Call([]reflect.Value{reflect.ValueOf(r)})[1].Bool() }
	}
	return takes
}

// The changes of an item are taken by its own decoder only, and those of a guard, or of an item under the same key in
// another table by none.
func TestOneDecoderTakesAnItem(t *testing.T) {
	db := dynastay.Open(dynamodb.New(dynamodb.Options{}), &dynastay.Options{TablePrefix: "test-"})
	takes := decoders(db)
	unused := map[string]bool{}
	for name := range takes {
		unused[name] = true
	}
	for _, k := range kinds {
		for _, table := range keys.Tables() {
			var want, got []string
			if table == k.table && k.decoder != "" {
				want = []string{k.decoder}
			}
			r := stream.Record{
				Table: db.TableName(table), Label: "2026-07-21T12:00:00.000", Sequence: "1",
				Keys: dynastay.RowOf(table.Key.Of(k.key)),
			}
			for name, take := range takes {
				if take(r) {
					got = append(got, name)
				}
			}
			assert.Equal(t, want, got, "%s in %s", k.key, table.Name)
		}
		delete(unused, k.decoder)
	}
	assert.Empty(t, unused, "every decoder takes some item")
}

// The documentation of package keys lists all kinds of items, which a test there checks.
func TestEveryKindOfItemIsTested(t *testing.T) {
	text, err := os.ReadFile("../../../keys/doc.go")
	require.NoError(t, err)
	var want []string
	table := ""
	for line := range strings.Lines(string(text)) {
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("/, \t\n", r) })
		switch {
		case len(words) == 1 && strings.HasSuffix(words[0], "Table"):
			table = words[0]
		case len(words) > 1 && words[0] == "items":
			for _, name := range words[1:] {
				want = append(want, table+" "+name)
			}
		}
	}
	got := map[string]bool{}
	for _, k := range kinds {
		got[k.table.Name+"Table "+k.name] = true
	}
	for _, name := range want {
		assert.True(t, got[name], name)
	}
	assert.NotEmpty(t, want)
}
