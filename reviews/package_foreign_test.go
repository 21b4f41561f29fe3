package reviews_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/lists"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

// odd is an approved review that other software stored, listed for its user and its property.
func odd(h *house, id string, edits ...func(dynastay.Item)) dynastay.Item {
	item := dynastay.Item{
		"PK": dynastay.Text("REVIEW#" + id), "SK": dynastay.Text("METADATA"), "ReviewId": dynastay.Text(id), "BookingId": dynastay.Text("bkg_" + id),
		"UserId": dynastay.Text("user_odd"), "PropertyId": dynastay.Text(h.id), "OverallRating": dynastay.Number(9),
		"Status": dynastay.Text("approved"), "CreatedAt": dynastay.Text("2026-01-20T10:00:00Z"), "GuestName": dynastay.Text("John D."),
		"GSI1PK": dynastay.Text("PROPERTY#" + h.id), "GSI1SK": dynastay.Text("CREATED#2026-01-20T10:00:00Z"),
		"GSI2PK": dynastay.Text("USER#user_odd"), "GSI2SK": dynastay.Text("CREATED#2026-01-20T10:00:00Z"),
	}
	for _, edit := range edits {
		edit(item)
	}
	return item
}

func without(names ...string) func(dynastay.Item) {
	return func(item dynastay.Item) {
		for _, name := range names {
			delete(item, name)
		}
	}
}

// A review of other software that lacks an id can neither be moderated nor changed, but it can be deleted, and so can
// one whose rating nobody has counted, or whose property cannot be adopted.
func TestOddReviewsCanBeDeleted(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, reviewTables, dyntest.At(noon))
	repo := open(db.Open(&dynastay.Options{Clock: db.Clock.Now, IndexLag: time.Millisecond}))
	h := newHouse(t, db)
	for _, missing := range []string{"ReviewId", "UserId", "PropertyId", "BookingId", "CreatedAt"} {
		raw.Put(t, db, keys.ReviewsTable, odd(h, "rev_"+missing, without(missing)))
		_, err := repo.Reject(ctx, "rev_"+missing, 0, "")
		require.ErrorIs(t, err, dynastay.ErrCorrupt, missing)
		require.NotErrorIs(t, err, dynastay.ErrInvalid, missing)
		_, err = repo.Update(ctx, "rev_"+missing, func(v *reviews.Review) error { v.Title = "x"; return nil })
		require.ErrorIs(t, err, dynastay.ErrCorrupt, missing)
		require.NoError(t, repo.Delete(ctx, "rev_"+missing), missing)
		assert.Empty(t, partition(t, db, keys.ReviewsTable, "REVIEW#rev_"+missing))
		require.ErrorIs(t, repo.Delete(ctx, "rev_"+missing), dynastay.ErrNotFound)
	}
	h.assertRated(t)

	raw.Put(t, db, keys.ReviewsTable, odd(h, "rev_uncounted", without("GSI1PK", "GSI1SK")))
	stop := db.Faults.Record()
	_, err := repo.Reject(ctx, "rev_uncounted", 0, "")
	blame.Of(t, err, dynastay.ErrCorrupt, "RatingSum")
	assert.Less(t, len(stop()), 15, "a repair that changes nothing is not repeated for ever")
	require.NoError(t, repo.Delete(ctx, "rev_uncounted"))
	assert.Empty(t, partition(t, db, keys.ReviewsTable, "REVIEW#rev_uncounted"))

	// Another review of the property, which cannot be decoded, prevents a repair. The guard of the deleted one goes too.
	made := h.review(t, 90)
	_, err = repo.Approve(ctx, made.ID, made.Version)
	require.NoError(t, err)
	_, err = properties.New(db.Direct, nil).Rate(ctx, h.id, 90, 0)
	require.NoError(t, err)
	raw.Put(t, db, keys.ReviewsTable, odd(h, "rev_bad", func(item dynastay.Item) { item["CreatedAt"] = &types.AttributeValueMemberBOOL{Value: true} }))
	require.NoError(t, repo.Delete(ctx, made.ID))
	assert.Empty(t, partition(t, db, keys.ReviewsTable, "BOOKING#"+made.BookingID))

	raw.Put(t, db, keys.PropertiesTable, dynastay.Item{"PK": dynastay.Text("PROPERTY#prop_odd"), "SK": dynastay.Text("METADATA"), "PropertyId": dynastay.Text("prop_odd"), "Name": dynastay.Text("Inn")})
	raw.Put(t, db, keys.ReviewsTable, odd(h, "rev_odd", func(item dynastay.Item) { item["PropertyId"] = dynastay.Text("prop_odd") }))
	_, err = repo.Reject(ctx, "rev_odd", 0, "")
	require.ErrorIs(t, err, dynastay.ErrCorrupt)
	require.NoError(t, repo.Delete(ctx, "rev_odd"))
	assert.Empty(t, partition(t, db, keys.ReviewsTable, "REVIEW#rev_odd"))
}

// A status that other software did not store, or that is unknown, can be moderated, and is not shown.
func TestOddStatuses(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, reviewTables, dyntest.At(noon))
	h, repo := newHouse(t, db), open(db.DB)
	raw.Put(t, db, keys.ReviewsTable, odd(h, "rev_1", without("Status")))
	raw.Put(t, db, keys.ReviewsTable, odd(h, "rev_2", func(item dynastay.Item) { item["Status"] = dynastay.Text("hidden") }))
	assert.Empty(t, lists.All(t, repo.ByProperty(h.id)))
	_, err := repo.Approve(ctx, "rev_1", 0)
	require.NoError(t, err)
	_, err = repo.Reject(ctx, "rev_2", 0, "spam")
	require.NoError(t, err)
	assert.Equal(t, []string{"rev_1"}, ids(lists.All(t, repo.ByProperty(h.id))))
	h.assertRated(t, 90)
}

// Everything that the index lists for a user goes, whatever other software has stored, except for what says that it is
// somebody else's. An item that cannot be decoded does not keep the others.
func TestEraserOfOddItems(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, reviewTables, dyntest.At(noon))
	repo := open(db.Open(&dynastay.Options{Clock: db.Clock.Now, IndexLag: time.Millisecond}))
	h := newHouse(t, db)
	listed := func(review, sort, index string, edits ...func(dynastay.Item)) {
		item := dynastay.Item{
			"PK": dynastay.Text("REVIEW#" + review), "SK": dynastay.Text(sort), "GSI2PK": dynastay.Text("USER#user_odd"), "GSI2SK": dynastay.Text(index),
		}
		for _, edit := range edits {
			edit(item)
		}
		raw.Put(t, db, keys.ReviewsTable, item)
	}
	rating, err := properties.New(db.Direct, nil).Rate(ctx, h.id, 0, 90)
	require.NoError(t, err)
	require.Equal(t, 1, rating.ReviewCount)
	raw.Put(t, db, keys.ReviewsTable, odd(h, "rev_1", without("UserId")))
	raw.Put(t, db, keys.ReviewsTable, odd(h, "rev_2", func(item dynastay.Item) { item["UserId"] = dynastay.Text("user_other") }))
	raw.Put(t, db, keys.ReviewsTable, odd(h, "rev_3", func(item dynastay.Item) {
		item["CreatedAt"] = &types.AttributeValueMemberBOOL{Value: true}
	}))
	listed("rev_8", "REPORT#1", "REPORT#rev_8")
	listed("rev_8", "VOTE#somebody", "VOTE#rev_8")
	listed("rev_8", "RESPONSE", "RESPONSE#rev_8")
	listed("rev_9", "RESPONSE", "RESPONSE#rev_9", func(item dynastay.Item) { item["ResponderId"] = dynastay.Text("user_other") })
	done, err := repo.Eraser().Erase(ctx, "user_odd")
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"reviews deleted": 2, "responses deleted": 1, "other items deleted": 2}, done)
	for pk, n := range map[string]int{"REVIEW#rev_1": 0, "REVIEW#rev_2": 1, "REVIEW#rev_3": 0, "REVIEW#rev_8": 0, "REVIEW#rev_9": 1} {
		assert.Len(t, partition(t, db, keys.ReviewsTable, pk), n, pk)
	}
}
