package properties_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

// timesSquare is where grand puts a property.
var timesSquare = key.Point{Latitude: 40.7589, Longitude: -73.9851}

func around(p key.Point, radius float64) properties.NearQuery {
	return properties.NearQuery{Latitude: p.Latitude, Longitude: p.Longitude, Radius: radius}
}

// north returns an edit that puts a property a number of metres north of Times Square.
func north(metres float64) func(*properties.Property) {
	return located(key.Point{Latitude: timesSquare.Latitude + metres/(math.Pi*6_371_008.8/180), Longitude: timesSquare.Longitude})
}

func nearbyIDs(all []properties.Nearby) (ids []string) {
	for _, n := range all {
		ids = append(ids, n.PropertyID)
	}
	return ids
}

func TestNear(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for id, metres := range map[string]float64{
		"far": 1_001, "edge": 999, "c": 400, "b": 400, "a": 400, "here": 0, "south": -700, "other-city": 20_000,
	} {
		create(t, repo, grand(id, north(metres)))
	}
	create(t, repo, grand("waiting", pending))
	create(t, repo, grand("suspended"))
	_, err := repo.Suspend(t.Context(), "suspended")
	require.NoError(t, err)

	near, err := repo.Near(t.Context(), around(timesSquare, 1_000))
	require.NoError(t, err)
	assert.Equal(t, []string{"here", "a", "b", "c", "south", "edge"}, nearbyIDs(near))
	for i, metres := range []float64{0, 400, 400, 400, 700, 999} {
		assert.InDelta(t, metres, near[i].Distance, 1e-6)
	}
	here, err := repo.GetWithRooms(t.Context(), "here")
	require.NoError(t, err)
	assert.Equal(t, here.Card(), near[0].Card)

	near, err = repo.Near(t.Context(), around(timesSquare, near[5].Distance))
	require.NoError(t, err)
	assert.Len(t, near, 6, "the radius itself is included")
	near, err = repo.Near(t.Context(), around(key.Point{Latitude: -40, Longitude: 106}, 100_000))
	require.NoError(t, err)
	assert.Empty(t, near)

	// At the same distance in different cells: by id.
	create(t, repo, grand("west", located(key.Point{Longitude: -0.001})))
	create(t, repo, grand("east", located(key.Point{Longitude: 0.001})))
	near, err = repo.Near(t.Context(), around(key.Point{}, 1_000))
	require.NoError(t, err)
	assert.Equal(t, []string{"east", "west"}, nearbyIDs(near))

	// It moved, and is found there only.
	_, err = repo.Update(t.Context(), "here", edit(located(key.Point{Latitude: 90})))
	require.NoError(t, err)
	near, err = repo.Near(t.Context(), around(timesSquare, 100))
	require.NoError(t, err)
	assert.Empty(t, near)
	near, err = repo.Near(t.Context(), around(key.Point{Latitude: 89.9999, Longitude: 77}, 100))
	require.NoError(t, err)
	assert.Equal(t, []string{"here"}, nearbyIDs(near))
}

// A page of DynamoDB ends after 1 MB, here after one row: the rest of each range is read as well.
func TestNearReadsWholeRanges(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	var all []properties.Property
	var want []string
	for i := range 40 {
		all = append(all, grand(fmt.Sprintf("p%02d", i), north(float64(i))))
		want = append(want, fmt.Sprintf("p%02d", i))
	}
	putRows(t, db, keys.GeohashIndex, all)
	short := db.Faults.Inject(dyntest.ShortPages(1), dyntest.When{Index: keys.GeohashIndex})
	near, err := properties.New(db.DB, nil).Near(t.Context(), around(timesSquare, 1_000))
	require.NoError(t, err)
	assert.Equal(t, want, nearbyIDs(near))
	assert.GreaterOrEqual(t, short.Hits(), 30)
}

// If a row has no card, the property is read from the table, and must be approved.
func TestNearOfRowsWithoutCard(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for id, metres := range map[string]float64{"a": 10, "b": 20, "rejected": 30, "far": 1_001} {
		create(t, repo, grand(id, north(metres)))
		set(t, db, keyOf(id), "REMOVE Card", nil)
	}
	create(t, repo, grand("with-card", north(15)))
	setDirectly(t, db, keyOf("rejected"), "Status", "rejected")
	put(t, db, raw.Document(t, "testdata/property.json")) // without a key of the index, as other software writes it
	near, err := repo.Near(t.Context(), around(timesSquare, 1_000))
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "with-card", "b"}, nearbyIDs(near))
	assert.InDelta(t, 10, near[0].Distance, 1e-6)
	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	adopted, err := repo.Near(t.Context(), around(timesSquare, 1_000))
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"a", "with-card", "b", "prop_123"}, nearbyIDs(adopted))

	// A request for one of these rows fails.
	db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{
		Operation: "Query", Match: func(r dyntest.Request) bool { return strings.Contains(string(r.Body), "PROPERTY#b") },
	})
	near, err = repo.Near(t.Context(), around(timesSquare, 1_000))
	assert.ErrorIs(t, err, dynastay.ErrRejected)
	assert.Empty(t, near)
}

// A row that cannot be read does not hide the others.
func TestNearOfUnreadableRows(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for id, metres := range map[string]float64{"a": 10, "b": 20, "c": 600, "d": 30, "unreadable-without-card": 40, "off-earth": 50} {
		create(t, repo, grand(id, north(metres)))
	}
	for _, id := range []string{"b", "c"} {
		set(t, db, keyOf(id), "SET Card.StarRating = :s", dynastay.Item{":s": dynastay.Text("five")})
	}
	set(t, db, keyOf("unreadable-without-card"), "SET StarRating = :s REMOVE Card", dynastay.Item{":s": dynastay.Text("five")})
	set(t, db, keyOf("off-earth"), "SET Address.Latitude = :l REMOVE Card", dynastay.Item{":l": &types.AttributeValueMemberN{Value: "140.7589"}})
	near, err := repo.Near(t.Context(), around(timesSquare, 1_000))
	assert.Equal(t, []string{"a", "d"}, nearbyIDs(near))
	assert.NotErrorIs(t, err, dynastay.ErrInvalid)
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	unreadable := blame.As[*dynastay.UnreadableError](t, err)
	require.Len(t, unreadable.Items, 4)
	for _, text := range []string{"Card b (StarRating)", "Card c (StarRating)", "Property unreadable-without-card (StarRating)", "Property off-earth"} {
		assert.ErrorContains(t, err, text)
	}
}

// If one of the requests fails, there is no result, which would be incomplete.
func TestNearFailsAsAWhole(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("a"))
	ranges, err := key.Cover(timesSquare, 1_000)
	require.NoError(t, err)
	for i, r := range ranges {
		of := dyntest.When{Index: keys.GeohashIndex, Match: reads(r)}
		for _, c := range []struct {
			fault dyntest.Fault
			kind  error
		}{{dyntest.Throttle(), dynastay.ErrThrottled}, {dyntest.Fail("AccessDeniedException"), dynastay.ErrRejected}} {
			injected := db.Faults.Inject(c.fault, of)
			near, err := repo.Near(t.Context(), around(timesSquare, 1_000))
			assert.ErrorIs(t, err, c.kind, "range %d", i)
			assert.Empty(t, near)
			injected.Stop()
		}
	}
	near, err := repo.Near(t.Context(), around(timesSquare, 1_000))
	require.NoError(t, err)
	assert.Len(t, near, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	near, err = repo.Near(ctx, around(timesSquare, 1_000))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, near)
}

// reads matches the request for a range.
func reads(r key.CellRange) func(dyntest.Request) bool {
	return func(request dyntest.Request) bool { return strings.Contains(string(request.Body), `"`+r.From+`"`) }
}

// A property that is moved between the requests for two ranges is in both, but only once in the result.
func TestNearOfAPropertyThatMoves(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	other := properties.New(db.Open(nil), nil)
	create(t, other, grand("a", north(900)))
	ranges, err := key.Cover(timesSquare, 1_000)
	require.NoError(t, err)
	old, now := rangeWith(t, ranges, grand("", north(900))), rangeWith(t, ranges, grand("", north(-900)))
	require.NotEqual(t, old, now)

	moved := make(chan struct{})
	db.Faults.Inject(dyntest.After(func(ctx context.Context) {
		defer close(moved)
		_, err := other.Update(ctx, "a", edit(north(-900)))
		assert.NoError(t, err)
	}), dyntest.When{Index: keys.GeohashIndex, Match: reads(old), Times: 1})
	db.Faults.Inject(dyntest.Before(func(context.Context) { <-moved }), dyntest.When{Index: keys.GeohashIndex, Match: reads(now), Times: 1})
	near, err := properties.New(db.DB, nil).Near(t.Context(), around(timesSquare, 1_000))
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, nearbyIDs(near))
}

func rangeWith(t *testing.T, ranges []key.CellRange, p properties.Property) key.CellRange {
	t.Helper()
	place, err := key.PlaceOf(p.Address.Latitude, p.Address.Longitude)
	require.NoError(t, err)
	for _, r := range ranges {
		if r.Cell == place.Cell && place.Geohash >= r.From && (r.To == "" || place.Geohash < r.To) {
			return r
		}
	}
	require.Fail(t, "no range", "%v in %v", p.Address, ranges)
	return key.CellRange{}
}

func TestNearAndInAreaRefuseBeforeAnyRequest(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	spent := db.Measure(func() {
		for name, c := range map[string]struct {
			query properties.NearQuery
			field string
		}{
			"no radius":        {properties.NearQuery{}, "Radius"},
			"99 m":             {around(timesSquare, 99.9), "Radius"},
			"101 km":           {around(timesSquare, 100_001), "Radius"},
			"no number":        {around(timesSquare, math.NaN()), "Radius"},
			"beyond the pole":  {around(key.Point{Latitude: -90.1}, 1_000), "Latitude"},
			"beyond 180°":      {around(key.Point{Longitude: 180.1}, 1_000), "Longitude"},
			"no latitude":      {around(key.Point{Latitude: math.NaN()}, 1_000), "Latitude"},
			"endless distance": {around(timesSquare, math.Inf(1)), "Radius"},
		} {
			near, err := repo.Near(t.Context(), c.query)
			blame.Of(t, err, dynastay.ErrInvalid, c.field)
			assert.Empty(t, near, name)
			if c.field != "Radius" {
				_, err = repo.InArea(properties.AreaQuery{Latitude: c.query.Latitude, Longitude: c.query.Longitude}).Page(t.Context(), dynastay.Paging{})
				blame.Of(t, err, dynastay.ErrInvalid, c.field)
			}
		}
	})
	assert.Zero(t, spent.Requests)
}
