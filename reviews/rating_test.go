package reviews_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// The index of a property's reviews lags: a repair waits for it. Reviews that are moderated meanwhile are counted
// right.
func TestRepairRating(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon), dyntest.With(dynastay.Options{IndexLag: 1})))
	repo := open(h.DB.DB)
	first, late := h.approved(t, 93), h.review(t, 72)
	got, err := repo.RepairRating(t.Context(), h.id)
	require.NoError(t, err)
	right := properties.RatingTotals{Reviews: 1, Tenths: 93}
	assert.Equal(t, properties.Recount{Before: right, After: right}, got)
	raw.Update(t, h.DB, keys.PropertiesTable, dynastay.Key{PK: "PROPERTY#" + h.id, SK: "METADATA"},
		"SET RatingSum = :n, ReviewCount = :n", dynastay.Item{":n": dynastay.Number(7)})

	calls := 0
	fault := h.Faults.Inject(dyntest.After(func(context.Context) {
		if calls++; calls == 1 { // after the reviews were read for the first time
			require.NoError(t, second(open(h.Direct).Approve(t.Context(), late.ID, late.Version)))
		}
	}), dyntest.When{Operation: "Query", Index: keys.PropertyReviewsIndex, Nth: 1, Times: 2})
	got, err = repo.RepairRating(t.Context(), h.id)
	require.NoError(t, err)
	fault.Stop()
	assert.Equal(t, 2, calls)
	assert.Equal(t, properties.Recount{
		Before: properties.RatingTotals{Reviews: 8, Tenths: 142}, After: properties.RatingTotals{Reviews: 2, Tenths: 165}, Changed: true,
	}, got)
	h.assertRated(t, 93, 72)

	// A review of other software that is not approved, but in the index, is not counted.
	raw.Update(t, h.DB, keys.ReviewsTable, keyOf(first.ID), "SET #Status = :p", dynastay.Item{":p": dynastay.Text("pending")})
	got, err = repo.RepairRating(t.Context(), h.id)
	require.NoError(t, err)
	assert.True(t, got.Changed)
	h.assertRated(t, 72)
	// One that cannot be read is not ignored.
	raw.Update(t, h.DB, keys.ReviewsTable, keyOf(first.ID), "SET OverallRating = :p", dynastay.Item{":p": dynastay.Text("good")})
	_, err = repo.RepairRating(t.Context(), h.id)
	var unreadable *dynastay.UnreadableError
	assert.ErrorAs(t, err, &unreadable)
	h.assertRated(t, 72)
}

// A repair does not read the index before it shows what was written before.
func TestRepairWaitsForTheIndex(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon), dyntest.With(dynastay.Options{IndexLag: time.Hour})))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	requests := h.Faults.Record()
	assert.ErrorIs(t, second(open(h.DB.DB).RepairRating(ctx, h.id)), context.DeadlineExceeded)
	for _, r := range requests() {
		assert.Equal(t, "GetItem", r.Operation)
	}
}

// 2,998 reviews are as many as three requests can read.
func TestRepairOfManyReviews(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon), dyntest.With(dynastay.Options{IndexLag: 1})))
	const n = 2998
	tenths := 0
	var items []dynastay.Item
	for i := range n {
		rating := 10 + i%91
		tenths += rating
		id := fmt.Sprintf("rev_%04d", i)
		items = append(items, dynastay.Item{
			"PK": dynastay.Text("REVIEW#" + id), "SK": dynastay.Text("METADATA"), "EntityType": dynastay.Text("Review"),
			"ReviewId": dynastay.Text(id), "PropertyId": dynastay.Text(h.id), "Status": dynastay.Text("approved"),
			"OverallRating": &types.AttributeValueMemberN{Value: fmt.Sprintf("%d.%d", rating/10, rating%10)},
			"GSI1PK":        dynastay.Text("PROPERTY#" + h.id), "GSI1SK": dynastay.Text("CREATED#2026-06-01T00:00:00Z#REVIEW#" + id),
		})
	}
	putAll(t, h.DB, items)
	requests := h.Faults.Record()
	got, err := open(h.DB.DB).RepairRating(t.Context(), h.id)
	require.NoError(t, err)
	assert.Len(t, requests(), 5) // the property, three pages, and the write
	assert.Equal(t, properties.Recount{After: properties.RatingTotals{Reviews: n, Tenths: tenths}, Changed: true}, got)
	h.assertTotals(t, n, tenths)
}

// A wrong number or sum is found, and nothing else: no rating that is counted meanwhile, and no property that is gone.
func TestVerifyRating(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(h.DB.DB)
	first := h.approved(t, 93)
	h.approved(t, 72)
	stop := h.Faults.Record()
	require.NoError(t, repo.VerifyRating(ctx, h.id))
	assert.Len(t, stop(), 2)
	property := dynastay.Key{PK: "PROPERTY#" + h.id, SK: "METADATA"}
	for name, wrong := range map[string]int{"ReviewCount": 3, "RatingSum": 16} {
		before := raw.Get(t, h.DB, keys.PropertiesTable, property)[name]
		raw.Set(t, h.DB, keys.PropertiesTable, property, dynastay.Number(wrong), name)
		err := repo.VerifyRating(ctx, h.id)
		assert.ErrorIs(t, err, dynastay.ErrCorrupt)
		var different *entity.DifferentError
		require.ErrorAs(t, err, &different)
		assert.Equal(t, entity.DifferentError{Entity: "Property", ID: h.id, Attributes: []string{"RatingSum", "ReviewCount"}}, *different)
		raw.Set(t, h.DB, keys.PropertiesTable, property, before, name)
	}
	late, calls := h.review(t, 50), 0
	moderated := h.Faults.Inject(dyntest.Before(func(ctx context.Context) { // each count of a pass is overtaken
		var err error
		if calls++; calls == 1 {
			_, err = open(h.Direct).Reject(ctx, first.ID, first.Version, "spam")
		} else {
			_, err = open(h.Direct).Approve(ctx, late.ID, late.Version)
		}
		require.NoError(t, err)
	}), dyntest.When{Operation: "Query", Nth: 1, Times: 2})
	require.NoError(t, repo.VerifyRating(ctx, h.id))
	moderated.Stop()
	assert.Equal(t, 2, calls)
	require.NoError(t, repo.VerifyRating(ctx, "prop_gone"))
	raw.Set(t, h.DB, keys.PropertiesTable, property, dynastay.Number(9), "ReviewCount")
	raw.Set(t, h.DB, keys.PropertiesTable, property, dynastay.Text("deleting"), "Status")
	require.NoError(t, repo.VerifyRating(ctx, h.id))
	raw.Update(t, h.DB, keys.PropertiesTable, property, "REMOVE WriteId", nil)
	require.Error(t, repo.VerifyRating(ctx, h.id))
	raw.Set(t, h.DB, keys.PropertiesTable, property, dynastay.Text("approved"), "Status")
	require.ErrorIs(t, repo.VerifyRating(ctx, h.id), properties.ErrForeign)
}

// Other software leaves an average that is rounded, and no sum.
func TestVerifyRatingOfOtherSoftware(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	for _, rating := range []dynastay.Rating{45, 42, 43} { // 4.33…
		h.approved(t, rating)
	}
	property := dynastay.Key{PK: "PROPERTY#" + h.id, SK: "METADATA"}
	raw.Update(t, h.DB, keys.PropertiesTable, property, "REMOVE RatingSum", nil)
	require.NoError(t, open(h.DB.DB).VerifyRating(t.Context(), h.id))
	raw.Update(t, h.DB, keys.PropertiesTable, property, "SET AverageRating = :n", dynastay.Item{":n": dynastay.Number(5)})
	require.ErrorIs(t, open(h.DB.DB).VerifyRating(t.Context(), h.id), dynastay.ErrCorrupt)
}
