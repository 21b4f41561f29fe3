package reviews_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

func TestModeration(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo := open(h.DB.DB)
	v := h.review(t, 85)
	version := h.property(t).Version
	assertStored := func(status reviews.Status, reason string, version int) {
		t.Helper()
		got, err := repo.Get(t.Context(), v.ID)
		require.NoError(t, err)
		assert.Equal(t, v, got)
		assert.Equal(t, []any{status, reason, version, h.Clock.Now()}, []any{v.Status, v.RejectionReason, v.Version, v.UpdatedAt})
		h.Clock.Advance(time.Minute)
	}
	var err error
	approve := func(version int) error {
		now, err := repo.Approve(t.Context(), v.ID, version)
		if err == nil {
			v = now
		}
		return err
	}
	reject := func(version int, reason string) error {
		now, err := repo.Reject(t.Context(), v.ID, version, reason)
		if err == nil {
			v = now
		}
		return err
	}
	for _, wrong := range []int{0, 2} {
		assert.ErrorIs(t, approve(wrong), dynastay.ErrVersion)
		assert.ErrorIs(t, reject(wrong, ""), dynastay.ErrVersion)
	}
	require.NoError(t, reject(1, "rude"))
	assertStored(reviews.Rejected, "rude", 2)
	assertStatus(t, reject(2, "ruder"), reviews.Rejected)
	assertStatus(t, reject(1, ""), reviews.Rejected) // says more than that the version is wrong
	h.assertRated(t)
	require.NoError(t, approve(2))
	assertStored(reviews.Approved, "", 3)
	h.assertRated(t, 85)
	assertStatus(t, approve(3), reviews.Approved)
	assertStatus(t, approve(2), reviews.Approved)
	require.NoError(t, reject(3, ""))
	assertStored(reviews.Rejected, "", 4)
	h.assertRated(t)
	require.NoError(t, approve(4))
	assertStored(reviews.Approved, "", 5)
	v, err = repo.Update(t.Context(), v.ID, func(v *reviews.Review) error { v.Ratings.Overall = 40; return nil })
	require.NoError(t, err)
	assertStored(reviews.Pending, "", 6)
	h.assertRated(t)
	require.NoError(t, reject(6, "rude"))
	assertStored(reviews.Rejected, "rude", 7)
	v, err = repo.Update(t.Context(), v.ID, func(v *reviews.Review) error { v.Title = "Not rude"; return nil }, dynastay.IfVersion(7))
	require.NoError(t, err)
	assertStored(reviews.Pending, "", 8)
	require.NoError(t, approve(8))
	h.assertRated(t, 40)
	assert.Equal(t, version, h.property(t).Version)
	for _, err := range []error{second(repo.Approve(t.Context(), "rev_none", 1)), second(repo.Reject(t.Context(), "rev_none", 1, ""))} {
		assert.ErrorIs(t, err, dynastay.ErrNotFound)
		failure := blame.As[*dynastay.Error](t, err)
		assert.Equal(t, []string{"Review", "rev_none"}, []string{failure.Entity, failure.ID})
	}
	assert.Equal(t, "reviews.Approve: Review "+v.ID+" (Status): not allowed while the status is approved", approve(9).Error())
}

// If the property does not exist any more, or is being deleted, a review cannot be approved, but everything else works.
func TestPropertyIsGone(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, reviewTables, dyntest.At(noon), dyntest.With(dynastay.Options{IndexLag: 1}))
	repo := open(db.DB)
	for name, end := range map[string]func(*testing.T, *house){
		"deleted": func(t *testing.T, h *house) {
			raw.Delete(t, h.DB, keys.PropertiesTable, dynastay.Key{PK: "PROPERTY#" + h.id, SK: "METADATA"})
		},
		"being deleted": func(t *testing.T, h *house) { h.setProperty(t, "SET #Status = :s") },
		"foreign, being deleted": func(t *testing.T, h *house) {
			h.setProperty(t, "SET #Status = :s REMOVE WriteId")
		},
	} {
		h := newHouse(t, db)
		var list []*reviews.Review
		for range 4 {
			list = append(list, h.approved(t, 90))
		}
		pending := h.review(t, 90)
		end(t, h)
		err := second(repo.Approve(t.Context(), pending.ID, pending.Version))
		recount := second(repo.RepairRating(t.Context(), h.id))
		if name == "deleted" {
			var failure *dynastay.Error
			for _, err := range []error{err, recount} {
				require.ErrorIs(t, err, dynastay.ErrNotFound)
				require.ErrorAs(t, err, &failure)
				assert.Equal(t, []string{"Property", h.id}, []string{failure.Entity, failure.ID})
			}
		} else {
			for _, err := range []error{err, recount} {
				status := blame.As[*properties.StatusError](t, err, name)
				assert.Equal(t, properties.Deleting, status.Status)
			}
		}
		got, err := repo.Reject(t.Context(), list[0].ID, list[0].Version, "")
		require.NoError(t, err, name)
		assert.Equal(t, reviews.Rejected, got.Status)
		got, err = repo.Update(t.Context(), list[1].ID, func(v *reviews.Review) error { v.Title = ""; return nil })
		require.NoError(t, err, name)
		assert.Equal(t, reviews.Pending, got.Status)
		require.NoError(t, repo.Delete(t.Context(), list[2].ID), name)
		h.assertGone(t, list[2])
		done, err := repo.Eraser().Erase(t.Context(), list[3].UserID)
		require.NoError(t, err, name)
		assert.Equal(t, map[string]int{"reviews deleted": 1}, done)
		h.assertGone(t, list[3])
	}
}

// setProperty changes a property as other software would; :s is the status of one that is being deleted.
func (h *house) setProperty(t *testing.T, update string) {
	t.Helper()
	raw.Update(t, h.DB, keys.PropertiesTable, dynastay.Key{PK: "PROPERTY#" + h.id, SK: "METADATA"}, update,
		dynastay.Item{":s": dynastay.Text("deleting")})
}

// A property that is deleted while its rating is repaired, or while it is adopted, does not keep a review from being
// deleted.
func TestPropertyVanishesDuringARepair(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, reviewTables, dyntest.At(noon), dyntest.With(dynastay.Options{IndexLag: 1}))
	for name, update := range map[string]string{"repair": "SET RatingSum = :zero", "adopt": "REMOVE WriteId"} {
		for nth := 2; nth <= 6; nth++ {
			h := newHouse(t, db)
			v := h.approved(t, 90)
			values := dynastay.Item{":zero": dynastay.Number(0)}
			if name == "adopt" {
				values = nil
			}
			key := dynastay.Key{PK: "PROPERTY#" + h.id, SK: "METADATA"}
			raw.Update(t, db, keys.PropertiesTable, key, update, values)
			fault := db.Faults.Inject(dyntest.Before(func(context.Context) { raw.Delete(t, db, keys.PropertiesTable, key) }), dyntest.When{Nth: nth})
			require.NoError(t, open(db.DB).Delete(t.Context(), v.ID), "%s, at request %d", name, nth)
			fault.Stop()
			h.assertGone(t, v)
		}
	}
}

// A call that is repeated with its idempotency key does nothing, and returns the review or the response as it is now.
func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	h := newHouse(t, dyntest.New(t, reviewTables, dyntest.At(noon)))
	repo, ctx := open(h.DB.DB), t.Context()
	given := h.guest(t)
	var v *reviews.Review
	edit := func(v *reviews.Review) error { v.Title = "Better"; return nil }
	change := func(r *reviews.Response) error { r.Text = "Thanks"; return nil }
	do := func(op *dynastay.Operation[*reviews.Review], opts []dynastay.WriteOption) (*reviews.Review, error) {
		return dynastay.Do(ctx, h.DB.DB, op, opts...)
	}
	for i, call := range []struct {
		call, other func(opts ...dynastay.WriteOption) (any, error) // other has a different input
	}{
		{func(opts ...dynastay.WriteOption) (any, error) {
			made, err := repo.Create(ctx, given, opts...)
			v = made
			return made, err
		}, func(opts ...dynastay.WriteOption) (any, error) {
			v := given
			v.Title = "Other"
			return repo.Create(ctx, v, opts...)
		}},
		{func(opts ...dynastay.WriteOption) (any, error) { return repo.Approve(ctx, v.ID, 1, opts...) },
			func(opts ...dynastay.WriteOption) (any, error) { return repo.Approve(ctx, v.ID, 2, opts...) }},
		{func(opts ...dynastay.WriteOption) (any, error) { return repo.Reject(ctx, v.ID, 2, "rude", opts...) },
			func(opts ...dynastay.WriteOption) (any, error) { return repo.Reject(ctx, v.ID, 2, "", opts...) }},
		{func(opts ...dynastay.WriteOption) (any, error) {
			return do(repo.UpdateOp(v.ID, edit, dynastay.AgreedOn("Better")), opts)
		}, func(opts ...dynastay.WriteOption) (any, error) {
			return do(repo.UpdateOp(v.ID, edit, dynastay.AgreedOn("Best")), opts)
		}},
		{func(opts ...dynastay.WriteOption) (any, error) { return repo.Approve(ctx, v.ID, 4, opts...) },
			func(opts ...dynastay.WriteOption) (any, error) { return repo.Approve(ctx, "rev_other", 4, opts...) }},
		{func(opts ...dynastay.WriteOption) (any, error) { return repo.Respond(ctx, thanks(v.ID), opts...) },
			func(opts ...dynastay.WriteOption) (any, error) {
				return repo.Respond(ctx, reviews.Response{ReviewID: v.ID, ResponderID: "u", Text: "x"}, opts...)
			}},
		{func(opts ...dynastay.WriteOption) (any, error) {
			return dynastay.Do(ctx, h.DB.DB, repo.UpdateResponseOp(v.ID, change, dynastay.AgreedOn("Thanks")), opts...)
		}, func(opts ...dynastay.WriteOption) (any, error) {
			return dynastay.Do(ctx, h.DB.DB, repo.UpdateResponseOp(v.ID, change, dynastay.AgreedOn("x")), opts...)
		}},
		{func(opts ...dynastay.WriteOption) (any, error) { return nil, repo.Vote(ctx, v.ID, "user_1", opts...) },
			func(opts ...dynastay.WriteOption) (any, error) { return nil, repo.Vote(ctx, v.ID, "user_2", opts...) }},
		{func(opts ...dynastay.WriteOption) (any, error) { return nil, repo.Unvote(ctx, v.ID, "user_1", opts...) },
			func(opts ...dynastay.WriteOption) (any, error) { return nil, repo.Unvote(ctx, v.ID, "user_2", opts...) }},
		{func(opts ...dynastay.WriteOption) (any, error) {
			return dynastay.Do(ctx, h.DB.DB, repo.DeleteResponseOp(v.ID), opts...)
		}, func(opts ...dynastay.WriteOption) (any, error) {
			return dynastay.Do(ctx, h.DB.DB, repo.DeleteResponseOp("rev_other"), opts...)
		}},
	} {
		key := dynastay.IdempotencyKey(fmt.Sprint("key ", i))
		first, err := call.call(key)
		require.NoError(t, err, i)
		before := scan(t, h.DB, keys.ReviewsTable)
		h.Clock.Advance(time.Second)
		requests := h.Faults.Record()
		again, err := call.call(key)
		require.NoError(t, err, i)
		assertConsistentReads(t, requests())
		if now, ok := again.(*reviews.Review); ok {
			again = withoutResponse(now)
		}
		assert.Equal(t, first, again, i)
		assert.Equal(t, before, scan(t, h.DB, keys.ReviewsTable), i)
		_, err = call.other(key)
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, i)
		// Without the key, it would be refused or do something.
	}
	h.assertRated(t, 90)
	for _, op := range []dynastay.Part{repo.UpdateOp(v.ID, edit), repo.UpdateResponseOp(v.ID, change)} {
		assert.ErrorIs(t, h.Write(ctx, dynastay.IdempotencyKey("x"), op), dynastay.ErrInvalid)
	}
}

// The operations of one write: two properties' reviews at once, in two orders, do not wait for each other forever. Two
// reviews of one property cannot be approved in one write.
func TestApprovalsInOneWrite(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, reviewTables, dyntest.At(noon))
	one, other := newHouse(t, db), newHouse(t, db)
	repo := open(db.DB)
	const rounds = 8
	var pairs [2 * rounds][2]*reviews.Review
	for i := range pairs {
		pairs[i] = [2]*reviews.Review{one.review(t, 90), other.review(t, 80)}
		if i%2 == 1 {
			pairs[i][0], pairs[i][1] = pairs[i][1], pairs[i][0]
		}
	}
	db.Faults.Conflicts(0)
	racing.Together(len(pairs), func(i int) {
		assert.NoError(t, db.Write(context.Background(), repo.ApproveOp(pairs[i][0].ID, 1), repo.ApproveOp(pairs[i][1].ID, 1)))
	})
	one.assertTotals(t, 2*rounds, 2*rounds*90)
	other.assertTotals(t, 2*rounds, 2*rounds*80)
	err := db.Write(t.Context(), repo.ApproveOp(one.review(t, 90).ID, 1), repo.ApproveOp(one.review(t, 90).ID, 1))
	blame.Of(t, err, dynastay.ErrInvalid, "Operations")
	one.assertTotals(t, 2*rounds, 2*rounds*90)
}
