package reviews_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/reviews"
)

// trail is what a user leaves: two reviews, a vote, and a response, besides a vote for a review that is not there.
type trail struct {
	*house
	user          string
	other, voted  *reviews.Review // of other users
	own, ownFirst *reviews.Review
}

func newTrail(t *testing.T, db *dyntest.DB) trail {
	t.Helper()
	h := newHouse(t, db)
	repo := open(h.Direct)
	tr := trail{house: h, user: h.Direct.NewID("user_")}
	mine := func(b dynastay.Item) { b["UserId"] = dynastay.Text(tr.user) }
	for _, at := range []**reviews.Review{&tr.ownFirst, &tr.own} {
		v := h.guest(t, mine)
		v.UserID = tr.user
		made, err := repo.Create(t.Context(), v)
		require.NoError(t, err)
		*at = made
	}
	var err error
	tr.own, err = repo.Approve(t.Context(), tr.own.ID, 1)
	require.NoError(t, err)
	h.votes(t, tr.own.ID, 5)
	require.NoError(t, second(repo.Respond(t.Context(), thanks(tr.own.ID))))
	tr.other, tr.voted = h.approved(t, 80), h.approved(t, 70)
	response := thanks(tr.other.ID)
	response.ResponderID = tr.user
	require.NoError(t, second(repo.Respond(t.Context(), response)))
	require.NoError(t, repo.Vote(t.Context(), tr.voted.ID, tr.user))
	require.NoError(t, repo.Vote(t.Context(), tr.voted.ID, "user_other"))
	raw.Put(t, db, keys.ReviewsTable, dynastay.Item{
		"PK": dynastay.Text("REVIEW#rev_gone"), "SK": dynastay.Text("VOTE#" + tr.user), "EntityType": dynastay.Text("Vote"),
		"ReviewId": dynastay.Text("rev_gone"), "UserId": dynastay.Text(tr.user),
		"GSI2PK": dynastay.Text("USER#" + tr.user), "GSI2SK": dynastay.Text("VOTE#rev_gone"),
	})
	return tr
}

// assertErased asserts that no item of the table contains the user, and that everything else is as it should be.
func (tr trail) assertErased(t *testing.T, response bool) {
	t.Helper()
	for key, item := range scan(t, tr.DB, keys.ReviewsTable) {
		require.NotContains(t, fmt.Sprint(item), tr.user, key)
	}
	assertConsistent(t, tr.DB)
	tr.assertHelpful(t, tr.voted.ID, 1)
	tr.assertRated(t, 80, 70)
	assert.Len(t, partition(t, tr.DB, keys.ReviewsTable, "REVIEW#"+tr.other.ID), map[bool]int{false: 1, true: 2}[response])
	tr.assertGone(t, tr.own)
	tr.assertGone(t, tr.ownFirst)
}

func TestErase(t *testing.T) {
	t.Parallel()
	tr := newTrail(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	eraser := open(tr.DB.DB).Eraser()
	requests := tr.Faults.Record()
	done, err := eraser.Erase(t.Context(), tr.user)
	require.NoError(t, err)
	assertConsistentReads(t, requests())
	assert.Equal(t, map[string]int{"reviews deleted": 2, "votes deleted": 2, "responses deleted": 1}, done)
	tr.assertErased(t, false)
	done, err = eraser.Erase(t.Context(), tr.user)
	require.NoError(t, err)
	assert.Empty(t, done)
	tr.assertErased(t, false)
}

// A pass that fails at any of its requests, or whose response is lost, reports what it has done. The next one does the
// rest.
func TestInterruptedErase(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, reviewTables, dyntest.At(noon))
	for name, fault := range map[string]dyntest.Fault{"refused": dyntest.Fail("AccessDeniedException"), "lost": dyntest.LoseAnswer()} {
		for nth, finished := 1, false; !finished; nth++ {
			require.Less(t, nth, 40)
			tr := newTrail(t, db)
			writing := func(r dyntest.Request) bool { return name == "refused" || racing.Writes(r) } // lost reads take long to retry
			injected := db.Faults.Inject(fault, dyntest.When{Nth: nth, Times: model.Always, Optional: true, Match: writing})
			repo := open(db.Open(&dynastay.Options{Clock: db.Clock.Now, Retry: dynastay.Retry{Attempts: 2, Base: 1, Cap: 1}}))
			first, err := repo.Eraser().Erase(t.Context(), tr.user)
			injected.Stop()
			finished = err == nil && injected.Hits() == 0
			second, err := open(db.DB).Eraser().Erase(t.Context(), tr.user)
			require.NoError(t, err)
			total := 0
			for _, n := range []map[string]int{first, second} {
				for _, count := range n {
					total += count
				}
			}
			// What was deleted by a call whose response was lost is not reported.
			assert.True(t, total == 5 || name == "lost" && total == 4, "%v %v", first, second)
			tr.assertErased(t, false)
			require.False(t, t.Failed(), "%s at %d", name, nth)
			for _, id := range []string{tr.other.ID, tr.voted.ID} {
				require.NoError(t, open(db.Direct).Delete(t.Context(), id))
			}
		}
	}
}

// The index may show what is not there any more, or belongs to somebody else by now.
func TestEraseByAStaleIndex(t *testing.T) {
	t.Parallel()
	tr := newTrail(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(tr.Direct)
	tr.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Table: "Reviews", Index: keys.UserReviewsIndex})
	require.NoError(t, repo.Unvote(t.Context(), tr.voted.ID, tr.user))
	require.NoError(t, repo.Delete(t.Context(), tr.ownFirst.ID))
	require.NoError(t, second(repo.UpdateResponse(t.Context(), tr.other.ID, func(r *reviews.Response) error {
		r.ResponderID = "user_manager"
		return nil
	})))
	done, err := open(tr.DB.DB).Eraser().Erase(t.Context(), tr.user)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"reviews deleted": 1, "votes deleted": 1}, done)
	tr.assertErased(t, true)
}

// A response that somebody takes over between the read and the write remains; one that its author changes is deleted.
func TestEraseMeetsAResponse(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, reviewTables, dyntest.At(noon))
	for _, way := range racing.Ways {
		for _, takenOver := range []bool{true, false} {
			tr := newTrail(t, db)
			for _, id := range []string{tr.own.ID, tr.ownFirst.ID} {
				require.NoError(t, open(db.Direct).Delete(t.Context(), id))
			}
			require.NoError(t, open(db.Direct).Unvote(t.Context(), "rev_gone", tr.user))
			require.NoError(t, open(db.Direct).Unvote(t.Context(), tr.voted.ID, tr.user))
			erase := func(ctx context.Context, db *dynastay.DB) error { return second(open(db).Eraser().Erase(ctx, tr.user)) }
			erased, changed := way.Meet(t, db, erase, func(ctx context.Context, db *dynastay.DB) error {
				return second(open(db).UpdateResponse(ctx, tr.other.ID, func(r *reviews.Response) error {
					if r.Text += "!"; takenOver {
						r.ResponderID = "user_manager"
					}
					return nil
				}))
			})
			if errors.Is(erased, dynastay.ErrOutcomeUnknown) {
				erased = erase(t.Context(), db.Direct)
			}
			require.NoError(t, erased, way.Name)
			kept := len(partition(t, db, keys.ReviewsTable, "REVIEW#"+tr.other.ID)) == 2
			if changed != nil {
				require.ErrorIs(t, changed, dynastay.ErrNotFound, way.Name)
			}
			require.Equal(t, takenOver && changed == nil, kept, way.Name)
			for key, item := range scan(t, db, keys.ReviewsTable) {
				require.NotContains(t, fmt.Sprint(item), tr.user, "%s: %s", way.Name, key)
			}
		}
	}
}
