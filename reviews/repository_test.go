package reviews_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/lists"
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

	assert.Empty(t, lists.All(t, repo.ByProperty(h.id)), "none is approved")
	assert.Equal(t, newest, ids(lists.All(t, repo.ByUser("user_ann"))))
	assert.Equal(t, oldest, ids(lists.All(t, repo.Pending())))
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
	assert.Equal(t, newest, ids(lists.All(t, repo.ByProperty(h.id))))
	assert.Equal(t, newest, ids(lists.All(t, repo.ByUser("user_ann"))), "neither votes nor responses")
	assert.Empty(t, lists.All(t, repo.Pending()))
	for limit := 1; limit <= 4; limit++ {
		assert.Equal(t, newest, paged(t, repo.ByProperty(h.id), limit))
		assert.Equal(t, newest, paged(t, dynastay.Load(repo.ByProperty(h.id), repo.WithResponses), limit))
	}
	page, err := repo.ByProperty(h.id).Page(t.Context(), dynastay.Paging{Limit: 2})
	require.NoError(t, err)
	requests := db.Faults.Record()
	for _, other := range []dynastay.List[*reviews.Review]{repo.ByProperty(elsewhere.id), repo.ByUser("user_ann"), repo.Pending()} {
		assert.ErrorIs(t, second(other.Page(t.Context(), dynastay.Paging{After: page.Next})), dynastay.ErrCursor)
	}
	assert.Empty(t, requests(), "no request at all")
}

func paged(t *testing.T, l dynastay.List[*reviews.Review], limit int) (all []string) {
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
		assert.Equal(t, want, ids(lists.All(t, repo.Pending())), n)
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
