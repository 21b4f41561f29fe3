package reviews_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/reviews"
)

func keyOf(id string) dynastay.Key { return dynastay.Key{PK: "REVIEW#" + id, SK: "METADATA"} }

// assertHelpful asserts the count of votes, and that it is the number of the votes.
func (h *house) assertHelpful(t *testing.T, id string, want int) {
	t.Helper()
	items := partition(t, h.DB, keys.ReviewsTable, "REVIEW#"+id)
	votes := 0
	for _, item := range items {
		if item["EntityType"] == "Vote" {
			votes++
		}
	}
	assert.Equal(t, want, votes)
	assert.EqualValues(t, want, items[0]["HelpfulCount"])
}

func TestVote(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(h.DB.DB)
	v := h.approved(t, 90)
	require.NoError(t, repo.Vote(t.Context(), v.ID, "user_1"))
	assert.Equal(t, []map[string]any{{
		"PK": "REVIEW#" + v.ID, "SK": "VOTE#user_1", "EntityType": "Vote", "ReviewId": v.ID, "UserId": "user_1",
		"CreatedAt": "2026-06-05T12:00:00Z", "GSI2PK": "USER#user_1", "GSI2SK": "VOTE#" + v.ID,
	}}, unstamped(partition(t, h.DB, keys.ReviewsTable, "REVIEW#"+v.ID)[1:]))
	require.NoError(t, repo.Vote(t.Context(), v.ID, "user_2"))
	h.assertHelpful(t, v.ID, 2)
	got, err := repo.Get(t.Context(), v.ID)
	require.NoError(t, err)
	v.HelpfulCount = 2
	assert.Equal(t, v, got, "neither the version nor the time of the update has changed")

	blame.Of(t, repo.Vote(t.Context(), v.ID, "user_1"), dynastay.ErrAlreadyExists, "")
	assert.ErrorIs(t, repo.Vote(t.Context(), v.ID, v.UserID), reviews.ErrOwnReview)
	assert.ErrorIs(t, repo.Vote(t.Context(), "rev_none", "user_1"), dynastay.ErrNotFound)
	assert.Empty(t, partition(t, h.DB, keys.ReviewsTable, "REVIEW#rev_none"))
	h.assertHelpful(t, v.ID, 2)

	for range 101 { // more than one request can read
		h.guests++
	}
	list := make([]string, 101)
	for i := range list {
		list[i] = fmt.Sprintf("rev_%d", i)
	}
	list[0], list[50], list[100] = v.ID, v.ID, v.ID
	for user, want := range map[string]bool{"user_1": true, "user_3": false} {
		voted, err := repo.Voted(t.Context(), user, list, dynastay.Consistent)
		require.NoError(t, err)
		for i := range list {
			assert.Equal(t, want && i%50 == 0, voted[i], i)
		}
	}
	voted, err := repo.Voted(t.Context(), "user_1", nil)
	require.NoError(t, err)
	assert.Empty(t, voted)

	require.NoError(t, repo.Unvote(t.Context(), v.ID, "user_1"))
	h.assertHelpful(t, v.ID, 1)
	err = repo.Unvote(t.Context(), v.ID, "user_1")
	blame.Of(t, err, dynastay.ErrNotFound, "")
	h.assertHelpful(t, v.ID, 1)
	require.NoError(t, repo.Vote(t.Context(), v.ID, "user_1"))
	h.assertHelpful(t, v.ID, 2)
}

// unstamped returns items without their write ids.
func unstamped(items []map[string]any) []map[string]any {
	for _, item := range items {
		delete(item, "WriteId")
	}
	return items
}

// A review that is not shown gets no votes, but a vote can be taken back.
func TestVotesForWhatIsNotShown(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(h.DB.DB)
	v := h.review(t, 90)
	assertStatus(t, repo.Vote(t.Context(), v.ID, "user_1"), reviews.Pending)
	assertStatus(t, repo.Vote(t.Context(), v.ID, v.UserID), reviews.Pending)
	v, err := repo.Approve(t.Context(), v.ID, v.Version)
	require.NoError(t, err)
	require.NoError(t, repo.Vote(t.Context(), v.ID, "user_1"))
	v, err = repo.Reject(t.Context(), v.ID, v.Version, "")
	require.NoError(t, err)
	assertStatus(t, repo.Vote(t.Context(), v.ID, "user_2"), reviews.Rejected)
	assertStatus(t, repo.Vote(t.Context(), v.ID, "user_1"), reviews.Rejected)
	require.NoError(t, repo.Unvote(t.Context(), v.ID, "user_1"))
	h.assertHelpful(t, v.ID, 0)
}

// Other software may have stored a count that nothing can be added to, or that is lower than the number of votes.
func TestCountsOfOtherSoftware(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(h.DB.DB)
	for name, update := range map[string]string{"missing": "REMOVE HelpfulCount", "NULL": "SET HelpfulCount = :null", "zero": "SET HelpfulCount = :zero"} {
		v := h.approved(t, 90)
		values := dynastay.Item{":null": &types.AttributeValueMemberNULL{Value: true}, ":zero": dynastay.Number(0)}
		for value := range values {
			if len(update) < len(value) || update[len(update)-len(value):] != value {
				delete(values, value)
			}
		}
		if len(values) == 0 {
			values = nil
		}
		require.NoError(t, repo.Vote(t.Context(), v.ID, "user_0"), name)
		raw.Update(t, h.DB, keys.ReviewsTable, keyOf(v.ID), update, values)
		require.NoError(t, repo.Unvote(t.Context(), v.ID, "user_0"), name) // must not count below zero
		assert.Len(t, partition(t, h.DB, keys.ReviewsTable, "REVIEW#"+v.ID), 1, name)
		got, err := repo.Get(t.Context(), v.ID)
		require.NoError(t, err)
		assert.Zero(t, got.HelpfulCount, name)
		for n := range 2 {
			require.NoError(t, repo.Vote(t.Context(), v.ID, fmt.Sprint("user_", n)), name)
		}
		h.assertHelpful(t, v.ID, 2)
		require.NoError(t, repo.Unvote(t.Context(), v.ID, "user_1"), name)
		h.assertHelpful(t, v.ID, 1)
		require.NoError(t, repo.Delete(t.Context(), v.ID), name)
	}
	v := h.approved(t, 90)
	raw.Update(t, h.DB, keys.ReviewsTable, keyOf(v.ID), "SET HelpfulCount = :text", dynastay.Item{":text": dynastay.Text("many")})
	blame.Of(t, repo.Vote(t.Context(), v.ID, "user_1"), dynastay.ErrCorrupt, "HelpfulCount")
}

// A count may become NULL, or cease to be, at any time before the vote is written.
func TestCountBecomesNullDuringAVote(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	v := h.approved(t, 90)
	null := dynastay.Item{":n": &types.AttributeValueMemberNULL{Value: true}}
	raw.Update(t, h.DB, keys.ReviewsTable, keyOf(v.ID), "SET HelpfulCount = :n", null)
	writes := 0
	h.Faults.Inject(dyntest.Before(func(context.Context) {
		value := null
		if writes++; writes%2 == 0 {
			value = dynastay.Item{":n": dynastay.Number(0)}
		}
		raw.Update(t, h.DB, keys.ReviewsTable, keyOf(v.ID), "SET HelpfulCount = :n", value)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1, Times: 3})
	require.NoError(t, open(h.DB.DB).Vote(t.Context(), v.ID, "user_1"))
	assert.Equal(t, 3, writes)
	h.assertHelpful(t, v.ID, 1)
}

// The same user votes 16 times at once, in two processes: one vote is counted, and each call knows what it did.
func TestVoteIsCountedOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	v := h.approved(t, 90)
	h.Faults.Conflicts(time.Millisecond)
	patient := dynastay.Options{Retry: dynastay.Retry{Attempts: 200}}
	repos := []*reviews.Repository{open(h.Open(&patient)), open(h.Open(&patient))}
	var done atomic.Int32
	racing.Together(16, func(i int) {
		err := repos[i%2].Vote(context.Background(), v.ID, "user_1")
		if err == nil {
			done.Add(1)
			return
		}
		assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	})
	assert.EqualValues(t, 1, done.Load())
	h.assertHelpful(t, v.ID, 1)

	done.Store(0)
	racing.Together(16, func(i int) {
		err := repos[i%2].Unvote(context.Background(), v.ID, "user_1")
		if err == nil {
			done.Add(1)
			return
		}
		assert.ErrorIs(t, err, dynastay.ErrNotFound)
	})
	assert.EqualValues(t, 1, done.Load())
	h.assertHelpful(t, v.ID, 0)
}

// 64 users vote at once. In one process they queue, so each vote takes one request.
func TestVotesQueue(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	v := h.approved(t, 90)
	h.Faults.Conflicts(0)
	repo := open(h.DB.DB)
	before := h.Faults.Count("TransactWriteItems")
	racing.Together(64, func(i int) { assert.NoError(t, repo.Vote(context.Background(), v.ID, fmt.Sprint("user_", i))) })
	assert.Equal(t, 64, h.Faults.Count("TransactWriteItems")-before)
	h.assertHelpful(t, v.ID, 64)
	racing.Together(64, func(i int) { assert.NoError(t, repo.Unvote(context.Background(), v.ID, fmt.Sprint("user_", i))) })
	assert.Equal(t, 128, h.Faults.Count("TransactWriteItems")-before)
	h.assertHelpful(t, v.ID, 0)
}
