package reviews_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/reviews"
)

// votes stores the votes of n users for an approved review, as Vote does.
func (h *house) votes(t *testing.T, id string, n int) {
	t.Helper()
	var items []dynastay.Item
	for i := range n {
		user := fmt.Sprintf("voter_%03d", i)
		items = append(items, dynastay.Item{
			"PK": dynastay.Text("REVIEW#" + id), "SK": dynastay.Text("VOTE#" + user), "EntityType": dynastay.Text("Vote"),
			"ReviewId": dynastay.Text(id), "UserId": dynastay.Text(user),
			"GSI2PK": dynastay.Text("USER#" + user), "GSI2SK": dynastay.Text("VOTE#" + id),
		})
	}
	putAll(t, h.DB, items)
	raw.Update(t, h.DB, keys.ReviewsTable, keyOf(id), "SET HelpfulCount = :n", dynastay.Item{":n": dynastay.Number(n)})
}

// putAll writes items of the Reviews table as other software would.
func putAll(t *testing.T, db *dyntest.DB, items []dynastay.Item) {
	t.Helper()
	table := db.TableName(keys.ReviewsTable)
	for part := range slices.Chunk(items, 25) {
		var puts []types.WriteRequest
		for _, item := range part {
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
		}
		_, err := db.Engine.Client().BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{table: puts},
		})
		require.NoError(t, err)
	}
}

// popular creates an approved review with a response and n votes.
func (h *house) popular(t *testing.T, n int) *reviews.Review {
	t.Helper()
	v := h.approved(t, 90)
	require.NoError(t, second(open(h.Direct).Respond(t.Context(), thanks(v.ID))))
	h.votes(t, v.ID, n)
	return v
}

// assertGone asserts that nothing of a review is left.
func (h *house) assertGone(t *testing.T, v *reviews.Review) {
	t.Helper()
	require.Empty(t, partition(t, h.DB, keys.ReviewsTable, "REVIEW#"+v.ID))
	require.Empty(t, partition(t, h.DB, keys.ReviewsTable, "BOOKING#"+v.BookingID))
}

func TestDelete(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(h.DB.DB)
	rejected, err := repo.Reject(t.Context(), h.review(t, 50).ID, 1, "rude")
	require.NoError(t, err)
	h.approved(t, 80)
	for name, v := range map[string]*reviews.Review{
		"pending": h.review(t, 50), "rejected": rejected, "approved": h.approved(t, 90), "popular": h.popular(t, 250),
		"98 votes and the response": h.popular(t, 98), "99 votes and the response": h.popular(t, 99),
	} {
		require.NoError(t, repo.Delete(t.Context(), v.ID), name)
		h.assertGone(t, v)
		assert.ErrorIs(t, repo.Delete(t.Context(), v.ID), dynastay.ErrNotFound, name)
		again := *v
		again.ID, again.Status = "", ""
		assert.NoError(t, second(repo.Create(t.Context(), again)), "the booking can be reviewed again")
	}
	h.assertRated(t, 80)
}

// Delete is interrupted at each of its requests: the request is refused, or its response is lost, and the following
// requests fail as well. What it leaves is a review with a true count of votes. It may even be approved again, and get
// another vote. The next call deletes what is left.
func TestInterruptedDelete(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	h.approved(t, 80)
	impatient := dynastay.Options{Clock: h.Clock.Now, Retry: dynastay.Retry{Attempts: 2, Base: 1, Cap: 1}}
	for name, fault := range map[string]dyntest.Fault{"refused": dyntest.Fail("AccessDeniedException"), "lost": dyntest.LoseAnswer()} {
		for nth, done := 1, false; !done; nth++ {
			at := fmt.Sprintf("%s, request %d", name, nth)
			require.Less(t, nth, 20, at)
			v := h.popular(t, 250)
			writing := func(r dyntest.Request) bool { return name == "refused" || racing.Writes(r) } // lost reads take long to retry
			injected := h.Faults.Inject(fault, dyntest.When{Nth: nth, Times: model.Always, Optional: true, Match: writing})
			err := open(h.Open(&impatient)).Delete(t.Context(), v.ID)
			injected.Stop()
			if done = injected.Hits() == 0; done {
				require.NoError(t, err, at)
			}
			repo := open(h.DB.DB)
			now, getErr := repo.Get(t.Context(), v.ID, dynastay.Consistent)
			if errors.Is(getErr, dynastay.ErrNotFound) {
				h.assertGone(t, v)
				h.assertRated(t, 80)
				continue
			}
			require.NoError(t, getErr, at)
			require.Error(t, err, at)
			h.assertHelpful(t, v.ID, now.HelpfulCount)
			if now.Status == reviews.Approved {
				h.assertRated(t, 80, 90)
				require.Equal(t, v.Version, now.Version)
			} else {
				h.assertRated(t, 80)
				_, err = repo.Approve(t.Context(), v.ID, now.Version)
				require.NoError(t, err, at)
				h.assertRated(t, 80, 90)
			}
			require.NoError(t, repo.Vote(t.Context(), v.ID, "user_late"))
			h.assertHelpful(t, v.ID, now.HelpfulCount+1)
			require.NoError(t, repo.Delete(t.Context(), v.ID), at)
			h.assertGone(t, v)
			h.assertRated(t, 80)
			require.False(t, t.Failed(), at)
		}
	}
}

// While Delete runs, moderators approve the review again, users vote, and users take their votes back.
func TestDeleteIsOvertaken(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	others := open(h.Direct)
	for nth := range 12 { // 0 is before every step
		v := h.popular(t, 120)
		n := 0
		err := racing.Harass(t, h.DB, 12, func(ctx context.Context, db *dynastay.DB) error {
			return open(db).Delete(ctx, v.ID)
		}, func() {
			if n++; nth != 0 && n != nth {
				return
			}
			if now, err := others.Get(t.Context(), v.ID, dynastay.Consistent); err == nil && now.Status == reviews.Rejected {
				require.NoError(t, second(others.Approve(t.Context(), v.ID, now.Version)))
			}
			for _, err := range []error{
				others.Vote(t.Context(), v.ID, fmt.Sprintf("user_%d", n)), others.Unvote(t.Context(), v.ID, fmt.Sprintf("voter_%03d", 120-n)), // in the last chunk
			} {
				if err != nil {
					require.NotEmpty(t, whyRefused(err), "%v", err)
				}
			}
			if now, err := others.Get(t.Context(), v.ID, dynastay.Consistent); err == nil {
				h.assertHelpful(t, v.ID, now.HelpfulCount)
			}
		})
		if nth == 0 && errors.Is(err, dynastay.ErrContention) {
			err = others.Delete(t.Context(), v.ID)
		}
		require.NoError(t, err, nth)
		h.assertGone(t, v)
		h.assertRated(t)
	}
}

// A vote that is taken back after Delete has read the votes is not counted with those that are left.
func TestDeleteMeetsAnUnvote(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	v := h.popular(t, 120)
	deletes := func(r dyntest.Request) bool { return strings.Contains(string(r.Body), "VOTE#voter_001") }
	h.Faults.Inject(dyntest.Before(func(context.Context) {
		require.NoError(t, open(h.Direct).Unvote(t.Context(), v.ID, "voter_119"))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1, Match: deletes})
	h.Faults.Inject(dyntest.After(func(context.Context) { h.assertHelpful(t, v.ID, 119) }),
		dyntest.When{Operation: "TransactWriteItems", Nth: 1, Match: deletes})
	require.NoError(t, open(h.DB.DB).Delete(t.Context(), v.ID))
	h.assertGone(t, v)

	v = h.popular(t, 3)
	h.Faults.Inject(dyntest.Before(func(context.Context) {
		require.NoError(t, open(h.Direct).Delete(t.Context(), v.ID))
	}), dyntest.When{Operation: "Query", Nth: 1})
	assert.ErrorIs(t, open(h.DB.DB).Delete(t.Context(), v.ID), dynastay.ErrNotFound, "another call has deleted it")
	h.assertRated(t)
}

// A review that is approved again after Delete has read its votes keeps them, until it is hidden again.
func TestDeleteMeetsAnApproval(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	others, v := open(h.Direct), h.popular(t, 3)
	deletes := func(r dyntest.Request) bool { return strings.Contains(string(r.Body), "VOTE#voter_001") }
	h.Faults.Inject(dyntest.Before(func(context.Context) {
		require.NoError(t, second(others.Approve(t.Context(), v.ID, v.Version)))
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1, Match: deletes})
	h.Faults.Inject(dyntest.After(func(context.Context) {
		h.assertHelpful(t, v.ID, 3)
		h.assertRated(t, 90)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1, Match: deletes})
	require.NoError(t, open(h.DB.DB).Delete(t.Context(), v.ID))
	h.assertGone(t, v)
	h.assertRated(t)
}

// A review that is approved again before every step cannot be deleted, and loses nothing.
func TestDeleteGivesUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	others, v := open(h.Direct), h.popular(t, 3)
	err := racing.Harass(t, h.DB, 1000, func(ctx context.Context, db *dynastay.DB) error {
		return open(db).Delete(ctx, v.ID)
	}, func() {
		if now, err := others.Get(t.Context(), v.ID, dynastay.Consistent); err == nil && now.Status == reviews.Rejected {
			require.NoError(t, second(others.Approve(t.Context(), v.ID, now.Version)))
		}
	})
	blame.Of(t, err, dynastay.ErrContention, "")
	assert.NotErrorIs(t, err, dynastay.ErrVersion)
	h.assertRated(t, 90)
	h.assertHelpful(t, v.ID, 3)
	require.NoError(t, others.Delete(t.Context(), v.ID))
	h.assertGone(t, v)
}

// Other software may remove the write id of a review while it is deleted.
func TestDeleteMeetsOtherSoftware(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	for nth := 1; nth <= 8; nth++ {
		v := h.popular(t, 120)
		n := 0
		require.NoError(t, racing.Harass(t, h.DB, nth, func(ctx context.Context, db *dynastay.DB) error {
			return open(db).Delete(ctx, v.ID)
		}, func() {
			if n++; n == nth && len(partition(t, h.DB, keys.ReviewsTable, "REVIEW#"+v.ID)) > 0 {
				raw.Update(t, h.DB, keys.ReviewsTable, keyOf(v.ID), "REMOVE WriteId", nil)
			}
		}), nth)
		h.assertGone(t, v)
	}
	h.assertRated(t)
}

// Two calls delete a review at once, in different processes, and two more take votes back.
func TestDeletesAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	h.Faults.Conflicts(time.Millisecond)
	patient := dynastay.Options{Clock: h.Clock.Now, Retry: dynastay.Retry{Attempts: 200}}
	v := h.popular(t, 150)
	errs := make([]error, 4)
	racing.Together(4, func(i int) {
		repo := open(h.Open(&patient))
		if i < 2 {
			errs[i] = repo.Delete(context.Background(), v.ID)
			return
		}
		for n := range 5 {
			if err := repo.Unvote(context.Background(), v.ID, fmt.Sprintf("voter_%03d", i*50+n)); err != nil {
				assert.ErrorIs(t, err, dynastay.ErrNotFound)
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			assert.ErrorIs(t, err, dynastay.ErrNotFound)
		}
	}
	assert.False(t, errs[0] != nil && errs[1] != nil, "%v", errs)
	h.assertGone(t, v)
	h.assertRated(t)
}
