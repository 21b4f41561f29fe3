package properties_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/wire"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// verified is what VerifyRow says of each item that contradicts another one. It writes nothing.
func verified(t testing.TB, db *dyntest.DB, repo *properties.Repository) (all []entity.DifferentError) {
	t.Helper()
	before := writes(db)
	for _, item := range raw.All(t, db, keys.PropertiesTable) {
		changed, err := repo.VerifyRow(t.Context(), dynastay.RowOf(item))
		assert.False(t, changed)
		if err != nil {
			require.ErrorIs(t, err, dynastay.ErrCorrupt)
			all = append(all, *blame.As[*entity.DifferentError](t, err))
		}
	}
	assert.Equal(t, before, writes(db))
	return all
}

// mendAll returns how many items were mended.
func mendAll(t testing.TB, db *dyntest.DB, repo *properties.Repository) (n int) {
	t.Helper()
	for _, item := range raw.All(t, db, keys.PropertiesTable) {
		mended, err := repo.MendRow(t.Context(), dynastay.RowOf(item))
		require.NoError(t, err)
		if mended {
			n++
		}
	}
	return n
}

// openVerified creates the property p1 with everything that a property can have: two room types, three images, three amenities,
// a plan and a charge.
func openVerified(t *testing.T) (*dyntest.DB, *properties.Repository) {
	t.Helper()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	require.NoError(t, second(repo.AddImages(t.Context(), "p1", pictures("a", 3))))
	require.NoError(t, second(repo.SetPrimaryImage(t.Context(), "p1", "a1")))
	require.NoError(t, second(repo.CreateRatePlan(t.Context(), ratePlan("flex", advertised))))
	require.NoError(t, second(repo.UpdateCharges(t.Context(), "p1", add(salesTax("vat")))))
	require.NoError(t, second(repo.Rate(t.Context(), "p1", 0, 92)))
	return db, repo
}

// reset makes the items of the table those that were there before.
func reset(t testing.TB, db *dyntest.DB, items []dynastay.Item) {
	t.Helper()
	there := map[dynastay.Key]bool{}
	for _, item := range items {
		there[keys.PropertiesTable.Key.From(dynastay.RowOf(item))] = true
		put(t, db, item)
	}
	for _, item := range raw.All(t, db, keys.PropertiesTable) {
		if at := keys.PropertiesTable.Key.From(dynastay.RowOf(item)); !there[at] {
			remove(t, db, at)
		}
	}
}

const (
	roomA = "room_a_of_p1" // for 250
	roomB = "room_b_of_p1" // for 150
)

func inP1(sk string) dynastay.Key { return dynastay.Key{PK: "PROPERTY#p1", SK: sk} }

// Each thing that contradicts a property is found and mended, and nothing else about it changes.
func TestVerifyRow(t *testing.T) {
	t.Parallel()
	db, repo := openVerified(t)
	assert.Empty(t, verified(t, db, repo))
	assert.Zero(t, mendAll(t, db, repo))
	whole, right := raw.All(t, db, keys.PropertiesTable), allItems(t, db)
	text, number := dynastay.Text, func(n int) dynastay.Item { return dynastay.Item{":v": dynastay.Number(n)} }
	differs := func(names ...string) entity.DifferentError {
		return entity.DifferentError{Entity: "Property", ID: "p1", Attributes: names}
	}
	property := func(expression string, values dynastay.Item) func() {
		return func() { set(t, db, keyOf("p1"), expression, values) }
	}
	onProperty := func(v string, path ...string) func() {
		return func() { raw.Set(t, db, keys.PropertiesTable, keyOf("p1"), text(v), path...) }
	}
	for name, test := range map[string]struct {
		spoil func()
		want  entity.DifferentError
	}{
		"an index key":           {onProperty("OWNER#x", "GSI3PK"), differs("GSI3PK")},
		"index keys that lack":   {property("REMOVE GSI1PK, GSI1SK", nil), differs("GSI1PK", "GSI1SK")},
		"index keys of a status": {property("SET GSI11PK = :v, GSI11SK = :v", dynastay.Item{":v": text("x")}), differs("GSI11PK", "GSI11SK")},
		"a geohash":              {onProperty("x", "GeohashPrecision5"), differs("GeohashPrecision5")},
		"a copy on the card":     {onProperty("x", "Card", "Slug"), differs("Card")},
		"a room on the card":     {onProperty("x", "Card", "Rooms", roomA, "N"), differs("Card")},
		"a plan on the card":     {onProperty("x", "Card", "Rates", "flex", "N"), differs("Card")},
		"charges on the card":    {property("REMOVE Card.Charges", nil), differs("Card")},
		"a room that is not on the card": {func() {
			property("REMOVE Card.Rooms.#room_b_of_p1", nil)()
			property("SET PriceRange.#Min = :v, Card.PriceRange.#Min = :v, GSI2SK = :k, GSI7SK = :k",
				dynastay.Item{":v": dynastay.Number(250), ":k": text("PRICE#000000000250.000#PROPERTY#p1")})()
		}, differs("Card", "GSI2SK", "GSI7SK", "PriceRange")},
		"the highest price":      {property("SET PriceRange.#Max = :v, Card.PriceRange.#Max = :v", number(9)), differs("Card", "PriceRange")},
		"the number of images":   {property("SET ImageCount = :v", number(7)), differs("ImageCount")},
		"the primary image":      {onProperty("x", "PrimaryImageUrl"), differs("PrimaryImageUrl")},
		"the primary of both":    {func() { onProperty("x", "PrimaryImageUrl")(); onProperty("x", "Card", "PrimaryImageUrl")() }, differs("Card", "PrimaryImageUrl")},
		"the number of plans":    {property("SET RatePlanCount = :v", number(3)), differs("RatePlanCount")},
		"whether it has charges": {property("REMOVE HasCharges", nil), differs("HasCharges")},
		"the average":            {property("SET AverageRating = :v, Card.AverageRating = :v", number(3)), differs("AverageRating", "Card")},
		"no guard of the slug": {func() { remove(t, db, dynastay.Key{PK: "SLUG#slug-of-p1", SK: "GUARD"}) },
			entity.DifferentError{Entity: "Property", ID: "p1", Unguarded: []string{"Slug"}}},
		"no guards of room types": {func() {
			remove(t, db, dynastay.Key{PK: "ROOM#" + roomA, SK: "GUARD"})
			remove(t, db, dynastay.Key{PK: "ROOM#" + roomB, SK: "GUARD"})
		}, entity.DifferentError{Entity: "Property", ID: "p1", Unguarded: []string{"RoomTypeID " + roomA, "RoomTypeID " + roomB}}},
		"amenities": {func() {
			remove(t, db, inP1("AMENITY#gym"))
			raw.Set(t, db, keys.PropertiesTable, inP1("AMENITY#pool"), text("CITY#x"), "GSI9PK")
			put(t, db, dynastay.Item{"PK": text("PROPERTY#p1"), "SK": text("AMENITY#spa"), "EntityType": text("PropertyAmenity")})
		}, entity.DifferentError{Entity: "Property", ID: "p1", Items: []string{"PROPERTY#p1/AMENITY#gym", "PROPERTY#p1/AMENITY#pool", "PROPERTY#p1/AMENITY#spa"}}},
		"attributes of an amenity": {func() { set(t, db, inP1("AMENITY#gym"), "REMOVE EntityType", nil) },
			entity.DifferentError{Entity: "Property", ID: "p1", Items: []string{"PROPERTY#p1/AMENITY#gym"}}},
		"other software": {property("REMOVE WriteId", nil), entity.DifferentError{Entity: "Property", ID: "p1", Foreign: true}},
		"other software, and what its adoption leaves": {property("SET ImageCount = :v REMOVE WriteId", number(7)),
			entity.DifferentError{Entity: "Property", ID: "p1", Foreign: true, Attributes: []string{"ImageCount"}}},
	} {
		test.spoil()
		assert.Equal(t, []entity.DifferentError{test.want}, verified(t, db, repo), name)
		assert.Equal(t, 1, mendAll(t, db, repo), name)
		assert.Empty(t, verified(t, db, repo), name)
		for at := range changes(right, allItems(t, db)) {
			assert.True(t, strings.HasSuffix(at, " WriteId"), "%s: %s", name, at)
		}
		reset(t, db, whole)
	}
}

// Neither plans nor charges are looked for at a property that says that it has none. They are compared with it.
func TestVerifyRowOfRates(t *testing.T) {
	t.Parallel()
	db, repo := openVerified(t)
	whole := raw.All(t, db, keys.PropertiesTable)
	set(t, db, keyOf("p1"), "REMOVE RatePlanCount, HasCharges, Card.Rates, Card.Charges", nil)
	assert.ElementsMatch(t, []entity.DifferentError{
		{Entity: "Property", ID: "p1", Attributes: []string{"RatePlanCount"}}, {Entity: "Property", ID: "p1", Attributes: []string{"HasCharges"}},
	}, verified(t, db, repo))
	assert.Equal(t, 1, mendAll(t, db, repo))
	assert.Empty(t, verified(t, db, repo))
	p := get(t, repo, "p1")
	assert.Equal(t, 1, p.RatePlanCount)
	assert.True(t, p.HasCharges)
	reset(t, db, whole)
	for sk, expression := range map[string]string{"PLAN#flex": "REMOVE RatePlanCount, Card.Rates", "CHARGES": "REMOVE HasCharges, Card.Charges"} {
		reset(t, db, whole)
		for _, other := range []string{"PLAN#flex", "CHARGES"} {
			if other != sk {
				remove(t, db, dynastay.Key{PK: "RATES#p1", SK: other})
			}
		}
		set(t, db, keyOf("p1"), expression, nil)
		assert.Len(t, verified(t, db, repo), 1, "the other one is looked for, and these with it: %s", sk)
		assert.Equal(t, 1, mendAll(t, db, repo))
		assert.Empty(t, verified(t, db, repo))
	}
}

// What belongs to a different property is left to that one.
func TestVerifyRowOfOthersGuards(t *testing.T) {
	t.Parallel()
	db, repo := openVerified(t)
	slug, room := dynastay.Key{PK: "SLUG#slug-of-p1", SK: "GUARD"}, dynastay.Key{PK: "ROOM#" + roomA, SK: "GUARD"}
	for _, at := range []dynastay.Key{slug, room} {
		raw.Set(t, db, keys.PropertiesTable, at, dynastay.Text("p2"), "PropertyId")
	}
	want := []entity.DifferentError{
		{Entity: "Property", ID: "p1", Unguarded: []string{"Slug", "RoomTypeID " + roomA}}, {Entity: "Property", ID: "p2", Guard: slug.String()},
	}
	got := verified(t, db, repo)
	require.ElementsMatch(t, want, got)
	assert.Equal(t, "Property p1: without a guard of its own: Slug, RoomTypeID "+roomA, want[0].Error())
	mendAll(t, db, repo)
	assert.ElementsMatch(t, want, verified(t, db, repo))
	for _, at := range []dynastay.Key{slug, room} {
		assert.Equal(t, "p2", dynastay.RowOf(partition(t, db, at.PK)["GUARD"]).Text("PropertyId"))
	}
}

// What is left of a property that is gone is found, and left to people. Guards of its room types stay on purpose, and so do its
// rooms one by one; items of other software are its own.
func TestVerifyRowOfLeftovers(t *testing.T) {
	t.Parallel()
	db, repo := openVerified(t)
	text := dynastay.Text
	remove(t, db, keyOf("p1"))
	put(t, db, dynastay.Item{"PK": text("PROPERTY#p1"), "SK": text("AMENITY#theirs")})
	put(t, db, dynastay.Item{"PK": text("UNITS#p1"), "SK": text("UNIT#301")})
	got, want := verified(t, db, repo), []entity.DifferentError{{Entity: "Property", ID: "p1", Guard: "SLUG#slug-of-p1/GUARD"}}
	for _, sk := range []string{"AMENITY#gym", "AMENITY#pool", "AMENITY#wifi", "IMAGE#a0", "IMAGE#a1", "IMAGE#a2", "ROOM#" + roomA, "ROOM#" + roomB} {
		want = append(want, entity.DifferentError{Entity: "Property", ID: "p1", Gone: true, Items: []string{"PROPERTY#p1/" + sk}})
	}
	for _, sk := range []string{"PLAN#flex", "CHARGES"} {
		want = append(want, entity.DifferentError{Entity: "Property", ID: "p1", Gone: true, Items: []string{"RATES#p1/" + sk}})
	}
	assert.ElementsMatch(t, want, got)
	assert.Equal(t, "Property p1: it does not exist; items that do not follow from it: RATES#p1/CHARGES", want[len(want)-1].Error())
	before := allItems(t, db)
	assert.Zero(t, mendAll(t, db, repo))
	assert.Equal(t, before, allItems(t, db))
}

// Whatever the status of a property, and while it is being deleted, nothing differs; nor does an image's URL that its owner has
// set, a range that nothing contradicts, or an amenity that other software stored twice.
func TestVerifyRowOfWhatIsRight(t *testing.T) {
	t.Parallel()
	db, repo := openVerified(t)
	ctx := t.Context()
	require.NoError(t, second(repo.Suspend(ctx, "p1")))
	create(t, repo, grand("p2", pending))
	require.NoError(t, second(repo.Reject(ctx, "p2")))
	create(t, repo, grand("p3", pending))
	require.NoError(t, repo.DeleteRoomType(ctx, "p3", "room_a_of_p3"))
	create(t, repo, grand("p4"))
	assert.Empty(t, verified(t, db, repo))

	for _, room := range []string{"room_a_of_p4", "room_b_of_p4"} { // of an approved property, which only other software can do
		remove(t, db, dynastay.Key{PK: "PROPERTY#p4", SK: "ROOM#" + room})
	}
	set(t, db, keyOf("p4"), "REMOVE Card.Rooms, Card.Currency SET AmenityList[3] = :a, Card.AmenityList[3] = :a", dynastay.Item{":a": dynastay.Text("gym")})
	raw.Set(t, db, keys.PropertiesTable, keyOf("p4"), &types.AttributeValueMemberM{Value: dynastay.Item{}}, "Card", "Rooms")
	assert.Empty(t, verified(t, db, repo), "a range without room types")

	set(t, db, keyOf("p1"), "SET #Status = :s, ImageCount = :n", dynastay.Item{":s": dynastay.Text("deleting"), ":n": dynastay.Number(9)})
	remove(t, db, inP1("ROOM#"+roomA))
	set(t, db, keyOf("p1"), "REMOVE RatePlanCount, HasCharges", nil)
	assert.Empty(t, verified(t, db, repo), "a deletion is on its way")
	before := allItems(t, db)
	assert.Zero(t, mendAll(t, db, repo))
	assert.Equal(t, before, allItems(t, db))
}

// Room types of other software can have several currencies, for which there is no range.
func TestVerifyRowOfSeveralCurrencies(t *testing.T) {
	t.Parallel()
	db, repo := openVerified(t)
	raw.Set(t, db, keys.PropertiesTable, inP1("ROOM#"+roomA), dynastay.Text("EUR"), "Currency")
	assert.Equal(t, []entity.DifferentError{{Entity: "Property", ID: "p1", Attributes: []string{"Card"}}}, verified(t, db, repo))
	before := get(t, repo, "p1").Prices
	assert.Equal(t, 1, mendAll(t, db, repo))
	assert.Empty(t, verified(t, db, repo))
	assert.Equal(t, before, get(t, repo, "p1").Prices)
}

// What cannot be read is not a difference, and what one transaction cannot write is not mended.
func TestVerifyRowOfCorruptItems(t *testing.T) {
	t.Parallel()
	db, repo := openVerified(t)
	row := dynastay.RowOf(stored(t, db, "p1"))
	whole := raw.All(t, db, keys.PropertiesTable)
	for name, spoil := range map[string]func(){
		"a room type": func() { raw.Set(t, db, keys.PropertiesTable, inP1("ROOM#"+roomA), dynastay.Text("x"), "TotalRooms") },
		"an image":    func() { raw.Set(t, db, keys.PropertiesTable, inP1("IMAGE#a0"), dynastay.Text("x"), "DisplayOrder") },
		"an owner":    func() { set(t, db, keyOf("p1"), "REMOVE OwnerId", nil) },
	} {
		spoil()
		for _, call := range []func() error{
			func() error { return second(repo.VerifyRow(t.Context(), row)) }, func() error { return second(repo.MendRow(t.Context(), row)) },
		} {
			err := call()
			require.ErrorIs(t, err, dynastay.ErrCorrupt, name)
			assert.NotErrorIs(t, err, dynastay.ErrInvalid, name)
			assert.NotErrorAs(t, err, new(*entity.DifferentError), name)
		}
		reset(t, db, whole)
	}
	for i := range 100 {
		item := dynastay.RowOf(partition(t, db, "PROPERTY#p1")["ROOM#"+roomB]).Item()
		item["RoomTypeId"] = dynastay.Text(fmt.Sprintf("many_%02d", i))
		item["SK"] = dynastay.Text(fmt.Sprintf("ROOM#many_%02d", i))
		put(t, db, item)
	}
	different := blame.As[*entity.DifferentError](t, second(repo.VerifyRow(t.Context(), row)))
	assert.Len(t, different.Unguarded, 100)
	blame.Of(t, second(repo.MendRow(t.Context(), row)), dynastay.ErrCorrupt, "AmenityList")
}

// The requests of each item, and of mending it.
func TestVerifyRowRequests(t *testing.T) {
	t.Parallel()
	db, repo := openVerified(t)
	create(t, repo, grand("p2"))
	requests := func(at dynastay.Key, call func(dynastay.Row) error) []string {
		row := dynastay.RowOf(partition(t, db, at.PK)[at.SK])
		require.True(t, row.Exists())
		stop := db.Faults.Record()
		_ = call(row)
		all := stop()
		for _, request := range all {
			if request.Operation != "TransactWriteItems" {
				assert.Contains(t, string(request.Body), `"ConsistentRead":true`)
			}
		}
		return wire.Operations(all)
	}
	verify := func(row dynastay.Row) error { return second(repo.VerifyRow(t.Context(), row)) }
	mend := func(row dynastay.Row) error { return second(repo.MendRow(t.Context(), row)) }
	look, clean := []string{"Query", "Query", "BatchGetItem"}, []string{"Query", "BatchGetItem"}
	assert.Equal(t, look, requests(keyOf("p1"), verify))
	assert.Equal(t, clean, requests(keyOf("p2"), verify))
	assert.Equal(t, clean, requests(keyOf("p2"), mend))
	assert.Equal(t, []string{"GetItem"}, requests(dynastay.Key{PK: "SLUG#slug-of-p1", SK: "GUARD"}, verify))
	for at, n := range map[dynastay.Key][2]int{
		{PK: "ROOM#" + roomA, SK: "GUARD"}: {0, 0}, inP1("ROOM#" + roomA): {1, 0}, inP1("IMAGE#a0"): {1, 0}, inP1("AMENITY#gym"): {1, 0},
		{PK: "RATES#p1", SK: "PLAN#flex"}: {1, 1}, chargesAt: {1, 1},
	} {
		assert.Len(t, requests(at, verify), n[0], "%s", at)
		assert.Len(t, requests(at, mend), n[1], "%s", at)
	}
	spoil := func() { set(t, db, keyOf("p2"), "REMOVE GSI1PK", nil) }
	spoil()
	assert.Len(t, requests(keyOf("p2"), verify), 2+2)
	assert.Len(t, requests(keyOf("p2"), mend), 2+2+4)
	spoil()
	remove(t, db, dynastay.Key{PK: "ROOM#room_a_of_p2", SK: "GUARD"})
	assert.Len(t, requests(keyOf("p2"), mend), 2+2+4+4)
	remove(t, db, keyOf("p2"))
	assert.Len(t, requests(dynastay.Key{PK: "PROPERTY#p2", SK: "AMENITY#gym"}, verify), 1+1)
}
