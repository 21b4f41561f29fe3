package keys

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/key/keytest"
)

// entry is a key struct with a sample, for the tests that hold for all of them.
type entry struct {
	name   string
	space  string // the table, or the index, in which its keys must differ from all others
	sample any
	pk, sk string // the sample's text; the bars are explained at entries

	of         func(any) (dynastay.Key, error)
	partition  func(any) (string, error)
	sortPrefix func(any) (string, error)
	sortKind   string
	template   string
	parse      func(dynastay.Key) (any, error)
	is         func(dynastay.Key) bool
	typ        keytest.Type
}

func item[K any, P key.Layout[K]](table *dynastay.Schema, sample K, pk, sk string) entry {
	return row[K, P](table, "", sample, pk, sk)
}

func row[K any, P key.Layout[K]](table *dynastay.Schema, index string, sample K, pk, sk string) entry {
	return entry{
		name:       reflect.TypeFor[K]().Name(),
		space:      table.Name + "/" + index,
		sample:     sample,
		pk:         pk,
		sk:         sk,
		of:         func(k any) (dynastay.Key, error) { return Of[K, P](k.(K)) },
		partition:  func(k any) (string, error) { return Partition[K, P](k.(K)) },
		sortPrefix: func(k any) (string, error) { return SortPrefix[K, P](k.(K)) },
		sortKind:   SortKind[K, P](),
		template:   key.Template[K, P](),
		parse:      func(stored dynastay.Key) (any, error) { return Parse[K, P](stored) },
		is:         Is[K, P],
		typ:        keytest.Samples[K, P](sample),
	}
}

// entries are all keys of the package, each with its text. In a sort key that has a field, one bar stands behind what
// SortKind gives and another behind what SortPrefix gives.
var entries = []entry{
	item(PropertiesTable, Property{"prop_1"}, "PROPERTY#prop_1", "METADATA"),
	item(PropertiesTable, RoomType{"prop_1", "room_7"}, "PROPERTY#prop_1", "ROOM#|room_7|"),
	item(PropertiesTable, Image{"prop_1", "img_1"}, "PROPERTY#prop_1", "IMAGE#|img_1|"),
	item(PropertiesTable, Amenity{"prop_1", "wifi"}, "PROPERTY#prop_1", "AMENITY#|wifi|"),
	item(PropertiesTable, RatePlan{"prop_1", "flex"}, "RATES#prop_1", "PLAN#|flex|"),
	item(PropertiesTable, PropertyCharges{"prop_1"}, "RATES#prop_1", "CHARGES"),
	item(PropertiesTable, Unit{"prop_1", "301"}, "UNITS#prop_1", "UNIT#|301|"),
	item(PropertiesTable, SlugGuard{"grand-hotel"}, "SLUG#grand-hotel", "GUARD"),
	item(PropertiesTable, RoomTypeGuard{"room_7"}, "ROOM#room_7", "GUARD"),
	row(PropertiesTable, LocationIndex, PropertyByCity{"New York", "USA", 92, "prop_1"},
		"CITY#New York#USA", "RATING#|09.2#PROPERTY#|prop_1"),
	row(PropertiesTable, GeoIndex, PropertyByArea{"dr5reg", 150_000, "prop_1"},
		"GEO#dr5reg", "PRICE#|000000000150.000#PROPERTY#|prop_1"),
	row(PropertiesTable, OwnerIndex, PropertyByOwner{"user_4", "prop_1"}, "OWNER#user_4", "PROPERTY#|prop_1|"),
	row(PropertiesTable, TypeRatingIndex, PropertyByType{"hotel", 3, 100, "prop_1"},
		"TYPE#hotel#SHARD#3", "RATING#|10.0#PROPERTY#|prop_1"),
	row(PropertiesTable, FeaturedIndex, FeaturedProperty{12, 95, "prop_1"},
		"FEATURED#SHARD#12", "SCORE#|0000000095#PROPERTY#|prop_1"),
	row(PropertiesTable, SlugIndex, PropertyBySlug{"100% grand #1"}, "SLUG#100%25 grand %231", "PROPERTY"),
	row(PropertiesTable, PriceIndex, PropertyByPrice{"Doha", "Qatar", "QAR", 1_234, "prop_1"},
		"CITY#Doha#Qatar#CURRENCY#QAR", "PRICE#|000000000001.234#PROPERTY#|prop_1"),
	row(PropertiesTable, RatingIndex, PropertyByStars{"New York", "USA", 5, 0, "prop_1"},
		"CITY#New York#USA#STAR#5", "RATING#|00.0#PROPERTY#|prop_1"),
	row(PropertiesTable, AmenitiesIndex, PropertyByAmenity{"New York", "USA", "wifi", "prop_1"},
		"CITY#New York#USA#AMENITY#wifi", "PROPERTY#|prop_1|"),
	row(PropertiesTable, GeohashIndex, PropertyByCell{"dr5", "dr5ru7vty", "prop_1"},
		"GEOCELL#dr5", "|dr5ru7vty#PROPERTY#|prop_1"),
	row(PropertiesTable, PropertyStatusIndex, PropertyByStatus{"pending", 1, instant1, "prop_1"},
		"STATUS#pending#SHARD#1", "CREATED#|2024-11-10T09:15:00Z#PROPERTY#|prop_1"),

	item(AvailabilityTable, Night{"room_7", date1}, "ROOM#room_7", "DATE#|2025-01-15|"),
	item(AvailabilityTable, UnitMonth{"prop_1", dynastay.MustDate("2025-01-01"), "301"}, "UNITS#prop_1", "MONTH#|2025-01#UNIT#|301"),
	row(AvailabilityTable, PropertyDateIndex, NightByProperty{"prop_1", date1, "room_7"},
		"PROPERTY#prop_1", "DATE#|2025-01-15#ROOM#|room_7"),

	item(BookingsTable, Booking{"bkg_1"}, "BOOKING#bkg_1", "METADATA"),
	item(BookingsTable, Payment{"bkg_1"}, "BOOKING#bkg_1", "PAYMENT"),
	item(BookingsTable, PaymentAttempt{"bkg_1", "ch_3#2"}, "BOOKING#bkg_1", "PAYMENT#|ch_3%232|"),
	item(BookingsTable, Refund{"bkg_1", "ref_1"}, "BOOKING#bkg_1", "REFUND#|ref_1|"),
	item(BookingsTable, BookingRoom{"bkg_1", "room_7"}, "BOOKING#bkg_1", "ROOM#|room_7|"),
	item(BookingsTable, BookingCharges{"bkg_1"}, "BOOKING#bkg_1", "CHARGES"),
	item(BookingsTable, BookingRoomLine{"bkg_1", "room_7", 2}, "BOOKING#bkg_1", "ROOM#|room_7#LINE#|02"),
	item(BookingsTable, ReferenceGuard{"BKG-2024-XYZ123"}, "REFERENCE#BKG-2024-XYZ123", "GUARD"),
	item(BookingsTable, ExternalReferenceGuard{"front desk", "7#2"}, "CHANNEL#front desk#REFERENCE#7%232", "GUARD"),
	row(BookingsTable, UserBookingsIndex, BookingByUser{"user_4", date1, "bkg_1"},
		"USER#user_4", "CHECKIN#|2025-01-15#BOOKING#|bkg_1"),
	row(BookingsTable, PropertyBookingsIndex, BookingByProperty{"prop_1", date1, "bkg_1"},
		"PROPERTY#prop_1", "CHECKIN#|2025-01-15#BOOKING#|bkg_1"),
	row(BookingsTable, BookingStatusIndex, BookingByStatus{"checked_in", 2, instant1, "bkg_1"},
		"STATUS#checked_in#SHARD#2", "CREATED#|2024-11-10T09:15:00Z#BOOKING#|bkg_1"),
	row(BookingsTable, ReferenceIndex, BookingByReference{"BKG-2024-XYZ123"}, "REFERENCE#BKG-2024-XYZ123", "BOOKING"),
	row(BookingsTable, CheckInDateIndex, BookingByCheckIn{date1, 4, "prop_1", "bkg_1"},
		"CHECKIN#2025-01-15#SHARD#4", "PROPERTY#|prop_1#BOOKING#|bkg_1"),
	row(BookingsTable, HoldIndex, BookingByHold{5, instant1, "bkg_1"},
		"HOLDS#SHARD#5", "EXPIRES#|2024-11-10T09:15:00Z#BOOKING#|bkg_1"),
	row(BookingsTable, HoldIndex, BookingByDue{5, instant1, "bkg_1"},
		"DUE#SHARD#5", "DUE#|2024-11-10T09:15:00Z#BOOKING#|bkg_1"),
	row(BookingsTable, HouseIndex, BookingInHouse{"prop_1", date1, "bkg_1"},
		"HOUSE#prop_1", "OUT#|2025-01-15#BOOKING#|bkg_1"),

	item(UsersTable, Profile{"user_4"}, "USER#user_4", "PROFILE"),
	item(UsersTable, Loyalty{"user_4"}, "USER#user_4", "LOYALTY"),
	item(UsersTable, LoyaltyEntry{"user_4", "bkg_1"}, "USER#user_4", "LOYALTYENTRY#|bkg_1|"),
	item(UsersTable, Preference{"user_4"}, "USER#user_4", "PREFERENCE"),
	item(UsersTable, Erased{"user_4"}, "USER#user_4", "ERASED"),
	item(UsersTable, EmailGuard{"john.doe@example.com"}, "EMAIL#john.doe@example.com", "GUARD"),
	item(UsersTable, EmailConfig{}, "CONFIG#email", "GUARD"),
	row(UsersTable, EmailIndex, ProfileByEmail{"john.doe@example.com"}, "EMAIL#john.doe@example.com", "USER"),

	item(ReviewsTable, Review{"rev_9"}, "REVIEW#rev_9", "METADATA"),
	item(ReviewsTable, Response{"rev_9"}, "REVIEW#rev_9", "RESPONSE"),
	item(ReviewsTable, Vote{"rev_9", "user_4"}, "REVIEW#rev_9", "VOTE#|user_4|"),
	item(ReviewsTable, BookingReviewGuard{"bkg_1"}, "BOOKING#bkg_1", "REVIEW"),
	row(ReviewsTable, PropertyReviewsIndex, ReviewByProperty{"prop_1", instant1, "rev_9"},
		"PROPERTY#prop_1", "CREATED#|2024-11-10T09:15:00Z#REVIEW#|rev_9"),
	row(ReviewsTable, UserReviewsIndex, ReviewByUser{"user_4", instant1, "rev_9"},
		"USER#user_4", "CREATED#|2024-11-10T09:15:00Z#REVIEW#|rev_9"),
	row(ReviewsTable, UserReviewsIndex, VoteByUser{"user_4", "rev_9"}, "USER#user_4", "VOTE#|rev_9|"),
	row(ReviewsTable, UserReviewsIndex, ResponseByUser{"user_4", "rev_9"}, "USER#user_4", "RESPONSE#|rev_9|"),
	row(ReviewsTable, ReviewStatusIndex, ReviewByStatus{"pending", 7, instant1, "rev_9"},
		"STATUS#pending#SHARD#7", "CREATED#|2024-11-10T09:15:00Z#REVIEW#|rev_9"),
	row(ReviewsTable, BookingReviewIndex, ReviewByBooking{"bkg_1"}, "BOOKING#bkg_1", "REVIEW"),

	item(MetadataTable, Wishlist{"user_4", "wl_1"}, "USER#user_4", "WISHLIST#|wl_1|"),
	item(MetadataTable, CatalogItem{"amenities", "wifi"}, "CATALOG#amenities", "ITEM#|wifi|"),
	item(MetadataTable, CatalogName{"amenities", "freewifi", "wifi"}, "CATALOG#amenities", "NAME#|freewifi#ITEM#|wifi"),
	item(MetadataTable, PromoCode{"SUMMER2024"}, "PROMO#SUMMER2024", "METADATA"),
	item(MetadataTable, ScopedIdempotencyRecord{"user_456", "order 66"}, "IDEMPOTENCY#user_456#order 66", "METADATA"),
	item(MetadataTable, IdempotencyRecord{"order 66"}, "IDEMPOTENCY#order 66", "METADATA"),
	item(MetadataTable, StreamShard{"search", "shardId-1"}, "STREAM#search", "SHARD#|shardId-1|"),
	item(MetadataTable, WalkSegment{"adopt", 7}, "WALK#adopt", "SEGMENT#|007|"),
}

var (
	date1    = dynastay.MustDate("2025-01-15")
	instant1 = time.Date(2024, 11, 10, 9, 15, 0, 0, time.UTC)
)

func TestKeysHaveTheText(t *testing.T) {
	for _, e := range entries {
		t.Run(e.name, func(t *testing.T) {
			bars := strings.SplitN(e.sk, "|", 3)
			want := dynastay.Key{PK: e.pk, SK: strings.Join(bars, "")}
			got, err := e.of(e.sample)
			require.NoError(t, err)
			assert.Equal(t, want, got)

			back, err := e.parse(want)
			require.NoError(t, err)
			assert.Equal(t, e.sample, back)

			partition, err := e.partition(e.sample)
			require.NoError(t, err)
			assert.Equal(t, want.PK, partition)

			assert.Equal(t, bars[0], e.sortKind)
			prefix, err := e.sortPrefix(e.sample)
			require.NoError(t, err)
			assert.Equal(t, strings.Join(bars[:min(2, len(bars))], ""), prefix)
		})
	}
}

// The decoders of changes tell the items of a table apart by their keys alone.
func TestIsTellsKeysApart(t *testing.T) {
	for _, e := range entries {
		stored, err := e.of(e.sample)
		require.NoError(t, err)
		for _, other := range entries {
			if other.space == e.space {
				assert.Equal(t, other.name == e.name, other.is(stored), "%s is a %s", stored, other.name)
			}
		}
	}
}

// sources are the package's files, tests left out.
func sources(t *testing.T) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			require.NoError(t, err)
			files = append(files, file)
		}
	}
	return files
}

func TestEveryKeyIsInTheTests(t *testing.T) {
	var declared, tested []string
	for _, file := range sources(t) {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == "Form" {
				declared = append(declared, f.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name)
			}
		}
	}
	for _, e := range entries {
		tested = append(tested, e.name)
	}
	assert.ElementsMatch(t, declared, tested)
}

// spaces are the types of key in each table and each index.
func spaces() map[string][]keytest.Type {
	all := map[string][]keytest.Type{}
	for _, e := range entries {
		all[e.space] = append(all[e.space], e.typ)
	}
	return all
}

func TestEveryTableAndIndexHasKeys(t *testing.T) {
	var want []string
	for _, table := range Tables() {
		want = append(want, table.Name+"/")
		for _, index := range table.Indexes {
			want = append(want, table.Name+"/"+index.Name)
		}
	}
	assert.ElementsMatch(t, want, slices.Collect(maps.Keys(spaces())))
}

// The comment of every key shows its text, and the package's table has it under its index.
func TestEveryKeyIsDocumented(t *testing.T) {
	comments := map[string]string{}
	var overview []string
	for _, file := range sources(t) {
		if file.Doc != nil {
			overview = strings.Split(file.Doc.Text(), "\n")
		}
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.TYPE {
				comments[gen.Specs[0].(*ast.TypeSpec).Name.Name] = strings.Join(strings.Fields(gen.Doc.Text()), " ")
			}
		}
	}
	for _, e := range entries {
		assert.Contains(t, comments[e.name], strings.ReplaceAll(e.template, "{Shard}", ""), "a shard is left out")
		table, index, _ := strings.Cut(e.space, "/")
		if index == "" {
			index = "items"
		}
		assert.Contains(t, documented(overview, table+"Table", index), e.name)
	}
}

// documented are the names that the package's table lists for an index.
func documented(overview []string, table, index string) []string {
	from := overview[slices.Index(overview, "\t"+table):]
	for i, line := range from {
		words := func(line string) []string {
			return strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
		}
		if all := words(line); len(all) > 0 && all[0] == index {
			for strings.HasSuffix(from[i], ",") {
				i++
				all = append(all, words(from[i])...)
			}
			return all[1:]
		}
	}
	return nil
}
