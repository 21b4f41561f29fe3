package reviews_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// A vote that is cast while another call takes back one that does not exist stays, and is counted.
func TestUnvoteDoesNotRemoveALaterVote(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	v := h.approved(t, 90)
	repo, other := open(h.DB.DB), open(h.Open(nil))
	between := h.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		assert.NoError(t, other.Vote(context.WithoutCancel(ctx), v.ID, "user_1"))
	}), dyntest.When{Table: keys.ReviewsTable.Name, Nth: 2, Optional: true})
	before := h.Faults.Count("TransactWriteItems")
	blame.Of(t, repo.Unvote(t.Context(), v.ID, "user_1"), dynastay.ErrNotFound, "")
	assert.Equal(t, 1, h.Faults.Count("TransactWriteItems")-before, "it is refused at once")
	between.Stop()
	if err := other.Vote(t.Context(), v.ID, "user_1"); between.Hits() > 0 {
		assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	}
	h.assertHelpful(t, v.ID, 1)
}

// In one process, the vote waits for its turn while the first request of the other call is in flight.
func TestUnvoteBesideVoteInOneProcess(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(h.DB.DB)
	v := h.approved(t, 90)
	votes := 0
	for n := range 20 {
		user := fmt.Sprint("user_", n)
		var unvoted error
		var both sync.WaitGroup
		both.Go(func() { unvoted = repo.Unvote(t.Context(), v.ID, user) })
		both.Go(func() { assert.NoError(t, repo.Vote(t.Context(), v.ID, user)) })
		both.Wait()
		if unvoted != nil {
			assert.ErrorIs(t, unvoted, dynastay.ErrNotFound)
			votes++
		}
		h.assertHelpful(t, v.ID, votes)
		if votes == 1 { // the count is 0 again, so that there is nothing to subtract
			require.NoError(t, repo.Unvote(t.Context(), v.ID, user))
			votes = 0
		}
	}
}

// A count that was too low for the vote may be high enough before the vote is taken back.
func TestUnvoteChecksAgainWhatItSkips(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	v := h.approved(t, 90)
	other := open(h.Open(nil))
	require.NoError(t, other.Vote(t.Context(), v.ID, "user_1"))
	raw.Update(t, h.DB, keys.ReviewsTable, keyOf(v.ID), "SET HelpfulCount = :zero", dynastay.Item{":zero": dynastay.Number(0)})
	h.Faults.Inject(dyntest.Before(func(ctx context.Context) { // other software corrects the count
		raw.Update(t, h.DB, keys.ReviewsTable, keyOf(v.ID), "SET HelpfulCount = :one", dynastay.Item{":one": dynastay.Number(1)})
	}), dyntest.When{Table: keys.ReviewsTable.Name, Nth: 2})
	require.NoError(t, open(h.DB.DB).Unvote(t.Context(), v.ID, "user_1"))
	h.assertHelpful(t, v.ID, 0)
}
