package migrate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

type each = func(context.Context, dynastay.Row) (bool, error)

// document is an entity of the hotel-booking document.
type document struct {
	what, in string
	ids      []string
	table    *dynastay.Schema
	files    []string
	adopted  int // so many of the first files
	adopt    func(*dynastay.DB) each
}

var documents = []document{
	{"a property", "properties", []string{"prop_123", "room_789", "grand-luxury-hotel-new-york"}, keys.PropertiesTable, []string{"property", "room", "image"}, 1,
		func(db *dynastay.DB) each { return properties.New(db, nil).AdoptRow }},
	{"a booking", "bookings", []string{"bkg_12345", "BKG-2024-XYZ123"}, keys.BookingsTable, []string{"booking", "line", "payment"}, 1,
		func(db *dynastay.DB) each { return bookings.New(db, nil).AdoptRow }},
	{"a user", "users", []string{"user_456", "john.doe@example.com"}, keys.UsersTable, []string{"profile", "loyalty"}, 1,
		func(db *dynastay.DB) each { return users.New(db, nil).AdoptRow }},
	{"a review", "reviews", []string{"rev_999", "bkg_12345"}, keys.ReviewsTable, []string{"review", "response"}, 2,
		func(db *dynastay.DB) each { return reviews.New(db, properties.New(db, nil), nil).AdoptRow }},
}

// items returns the items of the entity with a number.
func (d document) items(t *testing.T, n int) (all []dynastay.Item) {
	t.Helper()
	var renamed []string
	for _, id := range d.ids {
		renamed = append(renamed, id, fmt.Sprintf("%03d%s", n, id[3:]))
	}
	for _, name := range d.files {
		all = append(all, renameAll(t, raw.Document(t, "../"+d.in+"/testdata/"+name+".json"), strings.NewReplacer(renamed...)))
	}
	return all
}

// renameAll changes ids wherever they stand in an item.
func renameAll(t *testing.T, item dynastay.Item, ids *strings.Replacer) dynastay.Item {
	t.Helper()
	var rename func(v any) any
	rename = func(v any) any {
		switch v := v.(type) {
		case string:
			return ids.Replace(v)
		case []any:
			for i := range v {
				v[i] = rename(v[i])
			}
		case map[string]any:
			for name := range v {
				v[name] = rename(v[name])
			}
		}
		return v
	}
	return raw.Item(t, rename(raw.Plain(t, item)).(map[string]any))
}
