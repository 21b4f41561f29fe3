package properties_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/properties"
)

// assertRated asserts the rating of a property, the number of its reviews, and the stored sum.
func assertRated(t *testing.T, db *dyntest.DB, p *properties.Property, rating dynastay.Rating, reviews int, sum string) {
	t.Helper()
	assert.Equal(t, rating, p.Rating)
	assert.Equal(t, reviews, p.ReviewCount)
	row := dynastay.RowOf(stored(t, db, p.ID))
	assert.Equal(t, sum, row.Value("RatingSum").Text())
}

func TestRate(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	created := create(t, repo, grand("p1")).Property
	for i, step := range []struct {
		before, after dynastay.Rating
		rating        dynastay.Rating
		reviews       int
		sum           string
	}{
		{0, 92, 92, 1, "9.2"},
		{0, 93, 93, 2, "18.5"},  // 9.25
		{0, 91, 92, 3, "27.6"},  // 9.2
		{93, 90, 91, 3, "27.3"}, // 9.1
		{91, 0, 91, 2, "18.2"},
		{92, 91, 91, 2, "18.1"}, // 9.05
		{91, 90, 90, 2, "18"},
		{90, 0, 90, 1, "9"},
		{90, 100, 100, 1, "10"},
		{100, 1, 1, 1, "0.1"},
		{1, 1, 1, 1, "0.1"},
		{1, 0, 0, 0, "0"},
		{0, 75, 75, 1, "7.5"},
	} {
		db.Clock.Advance(time.Minute)
		got, err := repo.Rate(t.Context(), "p1", step.before, step.after)
		require.NoError(t, err, i)
		assertRated(t, db, got, step.rating, step.reviews, step.sum)
		there := get(t, repo, "p1")
		assert.Equal(t, there, got)
		assertSameVersion(t, &created, there)
		checkDerived(t, db, "p1")
		require.False(t, t.Failed(), i)
	}
	page, err := repo.ByCity(properties.CityQuery{City: "New York", Country: "USA", MinRating: 75}).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	assert.Equal(t, dynastay.Rating(75), page.Items[0].Rating)
	assert.Equal(t, 1, page.Items[0].ReviewCount)
}

// The sum stays exact over many reviews, and the average is rounded from it, half up.
func TestRatingDoesNotDrift(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	draw := rand.New(rand.NewPCG(1, 2))
	var reviews []dynastay.Rating
	for range 60 {
		var before, after dynastay.Rating
		at := draw.IntN(len(reviews) + 1)
		if at < len(reviews) {
			before = reviews[at]
		} else {
			reviews = append(reviews, 0)
		}
		if before == 0 || draw.IntN(3) > 0 {
			after = dynastay.Rating(10 + draw.IntN(91))
		}
		got, err := repo.Rate(t.Context(), "p1", before, after)
		require.NoError(t, err)
		if reviews[at] = after; after == 0 {
			reviews = append(reviews[:at], reviews[at+1:]...)
		}
		sum := 0
		for _, r := range reviews {
			sum += int(r)
		}
		want := 0
		if n := len(reviews); n > 0 {
			want = sum / n
			if 2*(sum%n) >= n {
				want++
			}
		}
		assert.EqualValues(t, want, got.Rating, "%v", reviews)
		assert.Equal(t, len(reviews), got.ReviewCount)
	}
	checkDerived(t, db, "p1")
}

// A property that other software rated has no sum; it starts from the average.
func TestRatingWithoutSum(t *testing.T) {
	t.Parallel()
	for name, stored := range map[string]string{"missing": "REMOVE RatingSum", "NULL": "SET RatingSum = :none"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables)
			repo := properties.New(db.DB, nil)
			rated(t, db, repo, "9.2", grand("p1"))
			set(t, db, keyOf("p1"), "SET ReviewCount = :n, Card.ReviewCount = :n", dynastay.Item{":n": dynastay.Number(1547)})
			var values dynastay.Item
			if name == "NULL" {
				values = dynastay.Item{":none": &types.AttributeValueMemberNULL{Value: true}}
			}
			set(t, db, keyOf("p1"), stored, values)
			got, err := repo.Rate(t.Context(), "p1", 0, 10)
			require.NoError(t, err)
			assertRated(t, db, got, 92, 1548, "14233.4") // 1547 × 9.2 + 1.0
			checkDerived(t, db, "p1")
		})
	}
	t.Run("document", func(t *testing.T) {
		t.Parallel()
		db := dyntest.New(t, propertyTables)
		repo := properties.New(db.DB, nil)
		put(t, db, raw.Document(t, "testdata/property.json"))
		got, err := repo.Rate(t.Context(), "prop_123", 0, 10)
		require.NoError(t, err)
		assertRated(t, db, got, 92, 1548, "14233.4")
		checkKeys(t, db, "prop_123")
	})
}

// Sums that no reviews can have are refused, and nothing is written.
func TestImpossibleRatings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first         []dynastay.Rating
		before, after dynastay.Rating
	}{
		"below zero":         {[]dynastay.Rating{50}, 60, 0},
		"of no review":       {nil, 50, 0},
		"changed, no review": {nil, 50, 60},
		"too high":           {[]dynastay.Rating{100}, 10, 20},
		"something is left":  {[]dynastay.Rating{50}, 49, 0},
		"below zero of two":  {[]dynastay.Rating{10, 10}, 90, 60},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables)
			repo := properties.New(db.DB, nil)
			create(t, repo, grand("p1"))
			for _, r := range test.first {
				_, err := repo.Rate(t.Context(), "p1", 0, r)
				require.NoError(t, err)
			}
			before := stored(t, db, "p1")
			_, err := repo.Rate(t.Context(), "p1", test.before, test.after)
			blame.Of(t, err, dynastay.ErrCorrupt, "RatingSum")
			assert.Equal(t, before, stored(t, db, "p1"))
		})
	}
}

func TestStoredSumOfRatings(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	create(t, repo, grand("p1"))
	number := func(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }
	for sum, want := range map[string]string{"18": "27", "18.4": "27.4", "18.40": "27.4"} {
		set(t, db, keyOf("p1"), "SET RatingSum = :s, ReviewCount = :n, Card.ReviewCount = :n",
			dynastay.Item{":s": number(sum), ":n": dynastay.Number(2)})
		_, err := repo.Rate(t.Context(), "p1", 0, 90)
		require.NoError(t, err)
		assert.Equal(t, want, dynastay.RowOf(stored(t, db, "p1")).Value("RatingSum").Text())
	}
	for _, bad := range []types.AttributeValue{number("18.45"), number("-1"), dynastay.Text("much"), dynastay.Text("")} {
		set(t, db, keyOf("p1"), "SET RatingSum = :s", dynastay.Item{":s": bad})
		_, err := repo.Get(t.Context(), "p1")
		blame.Of(t, err, dynastay.ErrCorrupt, "RatingSum")
	}
}

func TestRateRefuses(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	stop := db.Faults.Record()
	for field, r := range map[string][2]dynastay.Rating{"Before": {101, 90}, "After": {90, 101}, "After ": {90, -1}, "After  ": {0, 0}, "Before ": {-1, 0}} {
		blame.Of(t, second(repo.Rate(t.Context(), "p1", r[0], r[1])), dynastay.ErrInvalid, strings.TrimSpace(field))
	}
	blame.Of(t, second(repo.Rate(t.Context(), "a#b", 0, 90)), dynastay.ErrInvalid, "PropertyID")
	assert.Empty(t, stop(), "no request at all")
	assert.ErrorIs(t, second(repo.Rate(t.Context(), "none", 0, 90)), dynastay.ErrNotFound)
	create(t, repo, grand("p1", pending))
	set(t, db, keyOf("p1"), "SET #Status = :s REMOVE GSI11PK, GSI11SK", dynastay.Item{":s": dynastay.Text("deleting")})
	assertNotAllowed(t, second(repo.Rate(t.Context(), "p1", 0, 90)), properties.Deleting)
}

// With an idempotency key, a review is counted once. At the same time as another, both are counted.
func TestReviewsAreCountedOnce(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.Direct, nil)
	create(t, repo, grand("p1"))
	key := dynastay.IdempotencyKey("k")
	for range 2 {
		got, err := repo.Rate(t.Context(), "p1", 0, 92, key)
		require.NoError(t, err)
		assert.Equal(t, 1, got.ReviewCount)
	}
	assert.ErrorIs(t, second(repo.Rate(t.Context(), "p1", 0, 93, key)), dynastay.ErrIdempotencyMismatch)
	assert.ErrorIs(t, second(repo.Rate(t.Context(), "p1", 92, 0, key)), dynastay.ErrIdempotencyMismatch)
	assert.ErrorIs(t, second(repo.Rate(t.Context(), "p1", 92, 92, key)), dynastay.ErrIdempotencyMismatch)
	rate := func(r dynastay.Rating) racing.Call {
		return func(ctx context.Context, db *dynastay.DB) error {
			return second(properties.New(db, nil).Rate(ctx, "p1", 0, r))
		}
	}
	one, other := racing.Between.Meet(t, db, rate(80), rate(71))
	require.NoError(t, one)
	require.NoError(t, other)
	assertRated(t, db, get(t, repo, "p1"), 81, 3, "24.3")
	db.Faults.Conflicts(0)
	var calls []racing.Call
	for i := range 6 {
		calls = append(calls, rate(dynastay.Rating(50+i)))
	}
	for i, err := range racing.AtOnce(t, db, calls...) {
		require.NoError(t, err, fmt.Sprint(i))
	}
	assertRated(t, db, get(t, repo, "p1"), 62, 9, "55.8")
	checkDerived(t, db, "p1")
}

// Reviews can make a card exceed its limit. That must not prevent changes that do not make it larger.
func TestCardOutgrownByRatings(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	p := grand("p1")
	create(t, repo, p)
	var long []types.AttributeValue
	for _, id := range append(numbered(strings.Repeat("a", 120), 32), "gym") {
		long = append(long, dynastay.Text(id))
	}
	set(t, db, keyOf("p1"), "SET Card.AmenityList = :a, AmenityList = :a", dynastay.Item{":a": &types.AttributeValueMemberL{Value: long}})
	blame.Of(t, second(repo.AddAmenities(t.Context(), "p1", []string{"spa"})), dynastay.ErrInvalid, "Card")
	blame.Of(t, second(repo.AddRoomTypes(t.Context(), "p1", []properties.RoomType{king("r1", "200")})), dynastay.ErrInvalid, "Card")
	rename := func(name string) error {
		return second(repo.Update(t.Context(), "p1", edit(func(p *properties.Property) { p.Name = name })))
	}
	blame.Of(t, rename(p.Name+"s"), dynastay.ErrInvalid, "Card")
	require.NoError(t, rename(p.Name[1:]))
	require.NoError(t, second(repo.RemoveAmenities(t.Context(), "p1", []string{"gym"})))
	require.NoError(t, second(repo.Suspend(t.Context(), "p1")))
	require.NoError(t, second(repo.Rate(t.Context(), "p1", 0, 92)))
}

func TestRecount(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	created := create(t, repo, grand("p1")).Property
	counting := func(n, tenths int) func(context.Context) (properties.RatingTotals, error) {
		return func(context.Context) (properties.RatingTotals, error) {
			return properties.RatingTotals{Reviews: n, Tenths: tenths}, nil
		}
	}
	none, right := properties.RatingTotals{}, properties.RatingTotals{Reviews: 2, Tenths: 185}
	got, err := repo.Recount(t.Context(), "p1", counting(2, 185))
	require.NoError(t, err)
	assert.Equal(t, properties.Recount{Before: none, After: right, Changed: true}, got)
	assertRated(t, db, get(t, repo, "p1"), 93, 2, "18.5")
	before := stored(t, db, "p1")
	stop := db.Faults.Record()
	got, err = repo.Recount(t.Context(), "p1", counting(2, 185))
	require.NoError(t, err)
	assert.Equal(t, properties.Recount{Before: right, After: right}, got)
	assert.Len(t, stop(), 1)
	assert.Equal(t, before, stored(t, db, "p1"))

	for _, bad := range [][2]int{{-1, 0}, {0, 1}, {1, -1}, {1, 101}, {2, 201}} {
		blame.Of(t, second(repo.Recount(t.Context(), "p1", counting(bad[0], bad[1]))), dynastay.ErrCorrupt, "RatingSum")
	}
	assert.Equal(t, assert.AnError, second(repo.Recount(t.Context(), "p1", func(context.Context) (properties.RatingTotals, error) {
		return right, assert.AnError
	})))
	assert.ErrorIs(t, second(repo.Recount(t.Context(), "none", counting(0, 0))), dynastay.ErrNotFound)
	stop = db.Faults.Record()
	blame.Of(t, second(repo.Recount(t.Context(), "", counting(0, 0))), dynastay.ErrInvalid, "PropertyID")
	assert.Empty(t, stop())
	assert.ErrorIs(t, db.Write(t.Context(), dynastay.IdempotencyKey("k"), repo.RecountOp("p1", counting(1, 1))), dynastay.ErrInvalid)
	assert.Equal(t, before, stored(t, db, "p1"))
	for _, edge := range [][2]int{{0, 0}, {1, 0}, {1, 100}} {
		require.NoError(t, second(repo.Recount(t.Context(), "p1", counting(edge[0], edge[1]))))
	}

	// Without an exact sum, there is something to write even if the totals are right.
	set(t, db, keyOf("p1"), "SET AverageRating = :r, ReviewCount = :n REMOVE RatingSum, WriteId",
		dynastay.Item{":r": dynastay.Number(9), ":n": dynastay.Number(3)})
	got, err = repo.Recount(t.Context(), "p1", counting(3, 270))
	require.NoError(t, err)
	same := properties.RatingTotals{Reviews: 3, Tenths: 270}
	assert.Equal(t, properties.Recount{Before: same, After: same, Changed: true}, got)
	assertRated(t, db, get(t, repo, "p1"), 90, 3, "27")
	assertSameVersion(t, &created, get(t, repo, "p1"))
	checkDerived(t, db, "p1")
}
