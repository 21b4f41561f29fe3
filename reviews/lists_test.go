package reviews_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

// The lists are ordered by the second of their creation, then by id; every page continues where the previous one ended.
func TestLists(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, reviewTables, dyntest.At(noon))
	h, elsewhere := newHouse(t, db), newHouse(t, db)
	repo := reviews.New(db.DB, properties.New(db.DB, nil), &reviews.Options{PendingShards: key.Shards{Read: 4, Write: 4}})
	mine := func(b dynastay.Item) { b["UserId"] = dynastay.Text("user_ann") }
	var oldest []string
	for n, id := range []string{"rev_c", "rev_a", "rev_b", "rev_f", "rev_e", "rev_d"} {
		if n == 3 {
			db.Clock.Advance(time.Second - 3*time.Millisecond)
		}
		db.Clock.Advance(time.Millisecond)
		v := h.guest(t, mine)
		v.ID, v.UserID = id, "user_ann"
		require.NoError(t, second(repo.Create(t.Context(), v)))
	}
	oldest = []string{"rev_a", "rev_b", "rev_c", "rev_d", "rev_e", "rev_f"}
	newest := slices.Clone(oldest)
	slices.Reverse(newest)
	shards := map[any]bool{}
	for _, item := range scan(t, db, keys.ReviewsTable) {
		if item["GSI3PK"] != nil {
			shards[item["GSI3PK"]] = true
		}
	}
	assert.Greater(t, len(shards), 1, "the reviews are in several shards")

	assert.Empty(t, all(t, repo.ByProperty(h.id)), "none is approved")
	assert.Equal(t, newest, ids(all(t, repo.ByUser("user_ann"))))
	assert.Equal(t, oldest, ids(all(t, repo.Pending())))
	for limit := 1; limit <= 4; limit++ {
		assert.Equal(t, newest, paged(t, repo.ByUser("user_ann"), limit))
		assert.Equal(t, oldest, paged(t, repo.Pending(), limit))
	}
	for _, id := range oldest {
		require.NoError(t, second(repo.Approve(t.Context(), id, 1)))
	}
	voted := elsewhere.approved(t, 50)
	require.NoError(t, repo.Vote(t.Context(), voted.ID, "user_ann"))
	response := thanks(voted.ID)
	response.ResponderID = "user_ann"
	require.NoError(t, second(repo.Respond(t.Context(), response)))
	assert.Equal(t, newest, ids(all(t, repo.ByProperty(h.id))))
	assert.Equal(t, newest, ids(all(t, repo.ByUser("user_ann"))), "neither votes nor responses")
	assert.Empty(t, all(t, repo.Pending()))
	for limit := 1; limit <= 4; limit++ {
		assert.Equal(t, newest, paged(t, repo.ByProperty(h.id), limit))
		assert.Equal(t, newest, paged(t, dynastay.Load(repo.ByProperty(h.id), repo.WithResponses), limit))
	}
	page, err := repo.ByProperty(h.id).Page(t.Context(), dynastay.Paging{Limit: 2})
	require.NoError(t, err)
	requests := db.Faults.Record()
	for _, other := range []dynastay.Listing[*reviews.Review]{repo.ByProperty(elsewhere.id), repo.ByUser("user_ann"), repo.Pending()} {
		assert.ErrorIs(t, second(other.Page(t.Context(), dynastay.Paging{After: page.Next})), dynastay.ErrCursor)
	}
	assert.Empty(t, requests(), "no request at all")
}

func paged(t *testing.T, l dynastay.Listing[*reviews.Review], limit int) (all []string) {
	t.Helper()
	for next := dynastay.Cursor(""); ; {
		page, err := l.Page(t.Context(), dynastay.Paging{Limit: limit, After: next})
		require.NoError(t, err)
		assert.LessOrEqual(t, len(page.Items), limit)
		all = append(all, ids(page.Items)...)
		if next = page.Next; next == "" {
			return all
		}
	}
}

// The shard of a review does not depend on anything but its id, and rows of fewer shards are still found.
func TestPendingShardsGrow(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	var want []string
	for n, shards := range []key.Shards{{}, {Read: 3}, {Read: 3, Write: 3}} {
		repo := reviews.New(h.DB.DB, properties.New(h.DB.DB, nil), &reviews.Options{PendingShards: shards})
		for range 4 {
			h.Clock.Advance(time.Second)
			made, err := repo.Create(t.Context(), h.guest(t))
			require.NoError(t, err)
			want = append(want, made.ID)
		}
		assert.Equal(t, want, ids(all(t, repo.Pending())), n)
	}
	assert.Panics(t, func() { reviews.New(h.DB.DB, nil, &reviews.Options{PendingShards: key.Shards{Read: 1, Write: 2}}) })
}

// A review is found by its booking before the index shows it, and not any more as soon as it is deleted.
func TestByBookingWithAStaleIndex(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	deleted := h.review(t, 90)
	h.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Table: "Reviews"})
	repo := open(h.DB.DB)
	require.NoError(t, repo.Delete(t.Context(), deleted.ID))
	made := h.review(t, 80)
	for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
		got, err := repo.ByBooking(t.Context(), made.BookingID, opts...)
		require.NoError(t, err)
		assert.Equal(t, made, got)
		assert.ErrorIs(t, second(repo.ByBooking(t.Context(), deleted.BookingID, opts...)), dynastay.ErrNotFound)
	}
}

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
	set(t, h.DB, keys.PropertiesTable, dynastay.Key{PK: "PROPERTY#" + h.id, SK: "METADATA"},
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
	set(t, h.DB, keys.ReviewsTable, keyOf(first.ID), "SET #status = :p", dynastay.Item{":p": dynastay.Text("pending")})
	got, err = repo.RepairRating(t.Context(), h.id)
	require.NoError(t, err)
	assert.True(t, got.Changed)
	h.assertRated(t, 72)
	// One that cannot be read is not ignored.
	set(t, h.DB, keys.ReviewsTable, keyOf(first.ID), "SET OverallRating = :p", dynastay.Item{":p": dynastay.Text("good")})
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
