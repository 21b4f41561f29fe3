package dynastay_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/availability/listing/ical"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"
	"github.com/dynastay/dynastay/bookings/venue"
	streams "github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/catalog"
	"github.com/dynastay/dynastay/properties/search"
	"github.com/dynastay/dynastay/provision"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// sent has every struct of the library that a service may send to its clients: what is stored and what calls return.
var sent = []any{
	dynastay.Stay{}, dynastay.Page[*users.User]{}, dynastay.Usage{}, key.Point{}, streams.Shard{},

	availability.Availability{}, availability.Booked{}, availability.Calendar{}, availability.DateReport{}, availability.Day{},
	availability.Guests{}, availability.House{}, availability.Limits{}, availability.Line{}, availability.MissingNight{},
	availability.Night{}, availability.NightPrice{}, availability.Opened{}, availability.Prices{}, availability.Quote{},
	availability.Refused{}, availability.RefusedNight{}, availability.Report{}, availability.Room{}, availability.SalesChange{},
	availability.Sold{}, availability.SoldNight{}, availability.Terms{}, availability.Totals{},
	availability.Rate{}, availability.RatePlan{}, availability.Derivation{}, availability.PartyPrices{}, availability.AgeBand{}, availability.Supplement{},
	availability.Party{}, availability.Meals{}, availability.MealBand{}, availability.RateConditions{}, availability.Discounts{},
	availability.DaysDiscount{}, availability.NightsDiscount{}, availability.RateNight{}, availability.Step{}, availability.PaymentTerms{},

	charges.Bill{}, charges.Bracket{}, charges.Charge{}, charges.Entry{}, charges.List{},

	units.Month{}, units.Night{}, units.Occupant{}, units.OutOfOrder{}, units.TakenNight{}, units.Unit{},

	listing.Availability{}, listing.Conflict{}, listing.Event{}, listing.Imported{}, listing.Night{}, listing.Synced{},
	listing.Taken{}, ical.Calendar{}, ical.Entry{}, ical.Event{}, ical.Problem{},

	bookings.AutoAssigned{}, bookings.Booking{}, bookings.BookingCharge{}, bookings.BookingCharges{}, bookings.Breakdown{}, bookings.Cancellation{}, bookings.Card{}, bookings.Guest{}, bookings.Instalment{}, bookings.Line{}, bookings.NightDifference{}, bookings.UnitDifference{},
	bookings.InHouse{}, bookings.LeftOver{}, bookings.Modified{}, bookings.Overdue{}, bookings.Payment{}, bookings.PaymentHistory{}, bookings.PaymentSummary{}, bookings.PromoCode{},
	bookings.Receipt{}, bookings.ReceiptEntry{}, bookings.ReceiptTax{}, bookings.Recorded{}, bookings.Refund{}, bookings.Settlement{}, bookings.Source{}, bookings.Summary{}, bookings.Swapped{}, bookings.Sweep{},
	bookings.Unassigned{}, bookings.UnitNights{}, offer.Offer{},

	venue.Actor{}, venue.AuditEntry{}, venue.Booking{}, venue.Day{}, venue.Event{}, venue.EventRef{}, venue.LockCode{},
	venue.Notification{}, venue.Payment{}, venue.Recorded{}, venue.SlotTaken{}, venue.User{}, venue.UserBooking{},

	properties.Address{}, properties.Bed{}, properties.Card{}, properties.CardRoom{}, properties.Choice{}, properties.Contact{},
	properties.Image{}, properties.Nearby{}, properties.Owned{}, properties.PriceRange{}, properties.Property{},
	properties.RatingTotals{}, properties.Recount{}, properties.RoomType{}, properties.Submitted{}, properties.Whole{},
	properties.WithRooms{}, catalog.Amenity{}, catalog.Location{}, catalog.Versioned[string]{},
	search.Offer{}, search.Page{}, search.Refusal{},

	reviews.Ratings{}, reviews.Response{}, reviews.Review{}, reviews.Vote{},

	provision.Settings{}, provision.Units{}, provision.Provisioned{}, provision.Capacity{}, provision.Scale{},
	provision.Report{}, provision.Difference{}, provision.Unchecked{}, provision.Progress{}, provision.Check{},

	users.Erased{}, users.Erasure{}, users.Loyalty{}, users.LoyaltyEntry{}, users.Preferences{}, users.TierFrom{},
	users.User{}, users.Wishlist{},
}

// notSent has the structs that only the caller creates: arguments, options, and what belongs to the program.
var notSent = []string{
	"availability.NightCount",
	"availability.Change", "availability.Changes", "availability.RateChange", "charges.Booked", "charges.Guests", "charges.Line", "charges.Price", "listing.Block", "listing.Booking", "listing.Changes", "listing.Channel",
	"listing.Feed", "listing.Reservation", "bookings.Assignment", "bookings.AutoAssignment", "bookings.Import", "bookings.Changes", "bookings.Modification", "bookings.Options", "offer.Key", "offer.Sealer",
	"venue.Approval", "venue.Cancellation", "venue.Changes", "venue.Options", "venue.Rejection", "properties.Changes",
	"properties.Options", "catalog.Spec", "search.Filter", "reviews.Changes", "reviews.Options", "users.Changes",
	"units.Changes", "units.Days", "units.Need", "units.Wish", "units.Step", "bookings.OutOfOrder", "bookings.OutOfOrderEnd",
	"bookings.UnitMove", "bookings.UnitOf", "bookings.UnitSwap", "users.Movement", "users.Options", "provision.Table", "provision.Options",
}

// exported returns the structs with exported fields that the packages of the repositories declare, without errors and
// without the requests and queries that they take.
func exported(t *testing.T) (names []string) {
	t.Helper()
	for _, dir := range []string{
		"availability", "availability/charges", "availability/listing", "availability/listing/ical", "availability/units", "bookings", "bookings/offer", "bookings/venue",
		"properties", "properties/catalog", "properties/search", "provision", "reviews", "users",
	} {
		files, err := filepath.Glob(dir + "/*.go")
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(parsed, func(n ast.Node) bool {
				declared, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				name := declared.Name.Name
				s, ok := declared.Type.(*ast.StructType)
				if ok && declared.Name.IsExported() && hasExported(s) && !slices.ContainsFunc([]string{"Error", "Query", "Request"}, func(end string) bool {
					return strings.HasSuffix(name, end)
				}) {
					names = append(names, parsed.Name.Name+"."+name)
				}
				return false
			})
		}
	}
	return names
}

func hasExported(s *ast.StructType) bool {
	return slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
		return len(f.Names) == 0 || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported)
	})
}

// Every struct of the repositories is known to the test of their JSON.
func TestJSONOfAllStructs(t *testing.T) {
	known := slices.Clone(notSent)
	for _, v := range sent {
		name, _, _ := strings.Cut(reflect.TypeOf(v).String(), "[")
		known = append(known, name)
	}
	for _, name := range exported(t) {
		assert.Contains(t, known, name, "add it to sent or to notSent")
	}
}

// Fields have their Go names. Texts, numbers and booleans are always there, everything else only if it has a value.
// See docs/decisions/0023-json.md for the exceptions.
func TestJSONHasOneRule(t *testing.T) {
	for _, v := range sent {
		of := reflect.TypeOf(v)
		for f := range exportedFields(of) {
			want := ""
			switch {
			case f.Type == reflect.TypeFor[error]():
				want = "-"
			case optional(f.Type):
				want = ",omitzero"
			}
			assert.Equal(t, want, f.Tag.Get("json"), "the tag of %s.%s", of, f.Name)
		}
		zero, err := json.Marshal(v)
		require.NoError(t, err, "%s", of)
		var fields map[string]any
		require.NoError(t, json.Unmarshal(zero, &fields))
		for name, value := range fields {
			assert.Contains(t, []any{"", 0.0, false}, value, "%s.%s without a value", of, name)
		}

		full := reflect.New(of)
		fill(full.Elem())
		text, err := json.Marshal(full.Interface())
		require.NoError(t, err, "%s", of)
		back := reflect.New(of)
		require.NoError(t, json.Unmarshal(text, back.Interface()), "%s", text)
		assert.Equal(t, full.Interface(), back.Interface(), "%s", text)
	}
}

// optional reports whether a field of the type is left out if it has no value.
func optional(of reflect.Type) bool {
	switch of.Kind() {
	case reflect.Struct, reflect.Pointer, reflect.Slice, reflect.Map:
		return true
	case reflect.Int: // numbers that are counted in fractions
		return of.Implements(reflect.TypeFor[json.Marshaler]())
	}
	return false
}

func exportedFields(of reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range of.NumField() {
			if f := of.Field(i); f.IsExported() && !f.Anonymous && !yield(f) {
				return
			}
		}
	}
}

// fill sets everything that can be sent.
func fill(v reflect.Value) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 7, 1, 15, 4, 5, 6e6, time.UTC)))
		return
	case dynastay.Date:
		v.Set(reflect.ValueOf(dynastay.MustDate("2026-07-01")))
		return
	case dynastay.Money:
		v.Set(reflect.ValueOf(dynastay.MustMoney("250", "USD")))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(92)
	case reflect.Float64:
		v.SetFloat(-8.4194)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		element := reflect.New(v.Type().Elem()).Elem()
		fill(element)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("text").Convert(v.Type().Key()), element)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				fill(v.Field(i))
			}
		}
	}
}

// What is sent can be read at a glance.
func TestJSONOfEntities(t *testing.T) {
	at := time.Date(2026, 7, 1, 15, 0, 0, 0, time.UTC)
	stay := dynastay.MustStay("2026-07-01", "2026-07-03")
	for _, c := range []struct {
		value any
		want  string
	}{
		{reviews.Review{ID: "rev_1", Ratings: reviews.Ratings{Overall: 92, Staff: 100}, StayDate: stay.CheckIn, CreatedAt: at, Version: 1}, `{
			"ID": "rev_1", "BookingID": "", "UserID": "", "PropertyID": "", "Ratings": {"Overall": 9.2, "Staff": 10.0},
			"Title": "", "Text": "", "Pros": "", "Cons": "", "TripType": "", "StayDate": "2026-07-01", "Verified": false,
			"HelpfulCount": 0, "Status": "", "RejectionReason": "", "GuestName": "", "GuestCountry": "",
			"CreatedAt": "2026-07-01T15:00:00Z", "Version": 1
		}`},
		{bookings.Summary{ID: "book_1", Stay: stay, Total: dynastay.MustMoney("250", "USD"), Status: bookings.Confirmed}, `{
			"ID": "book_1", "Reference": "", "UserID": "", "PropertyID": "", "PropertyName": "",
			"Channel": "", "ExternalReference": "",
			"Stay": {"CheckIn": "2026-07-01", "CheckOut": "2026-07-03"}, "Rooms": 0, "Status": "confirmed",
			"PaymentStatus": "", "Total": "250.00 USD"
		}`},
		{bookings.PromoCode{Code: "SUMMER", Percent: 1250}, `{
			"Code": "SUMMER", "Description": "", "Percent": 12.5, "UsageLimit": 0, "UsageCount": 0, "Active": false, "Version": 0
		}`},
		{dynastay.Page[*users.User]{Next: "next"}, `{"Next": "next"}`},
		{properties.Owned{Card: &properties.Card{PropertyID: "prop_1", Rating: 85}, Status: properties.Pending}, `{
			"PropertyID": "prop_1", "Name": "", "Slug": "", "Type": "", "Stars": 0, "Latitude": 0, "Longitude": 0,
			"PrimaryImageURL": "", "Rating": 8.5, "ReviewCount": 0, "FeaturedScore": 0, "TimeZone": "", "CheckInTime": "",
			"CancellationPolicy": "", "Status": "pending"
		}`},
	} {
		text, err := json.Marshal(c.value)
		require.NoError(t, err)
		assert.JSONEq(t, c.want, string(text))
	}
}
