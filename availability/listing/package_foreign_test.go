package listing_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// Delete of an event without an item has nothing that a Modify at the same time collides with.
func TestForeignDeleteDuringModifyOversells(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.foreign(t, bk1, nights("2025-02-01", "2025-02-04"))
	h.before("TransactWriteItems", 1, func(ctx context.Context) {
		e, err := h.other().Modify(ctx, lst, "BOOKING#bk_1", nights("2025-02-01", "2025-02-06"))
		assert.NoError(t, err)
		t.Log("Modify was told:", e.Stay)
	})
	t.Log("Delete:", h.repo.Delete(t.Context(), lst, "BOOKING#bk_1"))
	assert.Empty(t, h.wrong(t))
}

func TestForeignModifyDuringDeleteOversells(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.foreign(t, bk1, nights("2025-02-01", "2025-02-04"))
	h.before("TransactWriteItems", 1, func(ctx context.Context) {
		assert.NoError(t, h.other().Delete(ctx, lst, "BOOKING#bk_1"))
		_, err := h.other().Book(ctx, booking("bk_2", nights("2025-02-01", "2025-02-04")))
		assert.NoError(t, err)
	})
	e, err := h.repo.Modify(t.Context(), lst, "BOOKING#bk_1", nights("2025-02-01", "2025-02-06"))
	t.Log("Modify:", e, err)
	assert.Empty(t, h.wrong(t))
}

func TestAdoptionDuringDeleteOversells(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.foreign(t, bc1, nights("2025-02-01", "2025-02-04"))
	h.before("TransactWriteItems", 2, func(ctx context.Context) { // 1 is refused, 2 adopts
		assert.NoError(t, h.other().Delete(ctx, lst, "BOOKING#bk_9"))
		_, err := h.other().Book(ctx, booking("bk_2", nights("2025-02-01", "2025-02-04")))
		assert.NoError(t, err)
	})
	got, err := h.repo.Import(t.Context(), reservation("BC1", 1, nights("2025-02-01", "2025-02-04")))
	t.Log("Import:", got.Outcome, err)
	assert.Empty(t, h.wrong(t))
}

// The night's own date differs from its key, or is missing.
func TestNightWithAWrongDate(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.foreign(t, bk1, nights("2025-02-01", "2025-02-02"), func(_ string, item map[string]types.AttributeValue) {
		item["date"] = &types.AttributeValueMemberS{Value: "2025-02-02"}
	})
	require.NoError(t, h.repo.Delete(t.Context(), lst, "BOOKING#bk_1"))
	a, err := h.repo.Check(t.Context(), lst, nights("2025-02-01", "2025-02-02"))
	require.NoError(t, err)
	assert.True(t, a.Free(), "deleted, but the night remains taken")
}

func TestNightWithoutADate(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.foreign(t, bk1, nights("2025-02-01", "2025-02-02"), func(_ string, item map[string]types.AttributeValue) {
		item["date"] = &types.AttributeValueMemberNULL{Value: true}
	})
	a, err := h.repo.Check(t.Context(), lst, nights("2025-02-01", "2025-02-02"))
	require.NoError(t, err)
	assert.Equal(t, "2025-02-01", a.Taken[0].Date.String())
	err = h.repo.Delete(t.Context(), lst, "BOOKING#bk_1")
	assert.NotErrorIs(t, err, dynastay.ErrInvalid)
	assert.NoError(t, err)
}

func TestNightWithoutAHost(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.foreign(t, bk1, nights("2025-02-01", "2025-02-02"), func(_ string, item map[string]types.AttributeValue) {
		item["hostId"] = &types.AttributeValueMemberNULL{Value: true}
	})
	_, err := h.repo.Modify(t.Context(), lst, "BOOKING#bk_1", nights("2025-02-01", "2025-02-03"))
	t.Log(err)
	assert.NotErrorIs(t, err, dynastay.ErrInvalid)
}

func TestUnreadableNightCannotBeDeleted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.foreign(t, bk1, nights("2025-02-01", "2025-02-02"), func(_ string, item map[string]types.AttributeValue) {
		item["createdAt"] = &types.AttributeValueMemberS{Value: "yesterday"}
	})
	assert.NoError(t, h.repo.Delete(t.Context(), lst, "BOOKING#bk_1"))
}

func TestStaleSkipLeavesANight(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	stay := nights("2025-02-01", "2025-02-04")
	_, err := h.repo.Block(t.Context(), block("b", stay))
	require.NoError(t, err)
	h.remove(t, "DATE#2025-02-01")                                // the first night, so that no conflict is reported for it
	h.before("TransactWriteItems", 2, func(ctx context.Context) { // the one without the skipped night
		_, err := h.other().Modify(ctx, lst, "BLOCK#b", nights("2025-03-01", "2025-03-02"))
		assert.NoError(t, err)
		_, err = h.other().Modify(ctx, lst, "BLOCK#b", stay)
		assert.NoError(t, err)
	})
	h.Faults.Inject(dyntest.Conflict(), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	require.NoError(t, h.repo.Delete(t.Context(), lst, "BLOCK#b"))
	t.Log(h.Faults.Count("TransactWriteItems"))
	assert.Empty(t, h.wrong(t))
}

// entity.Table.again never returns a write id on a replay; it may be another caller's.
func TestReplayReturnsTheWriteIDOfAnotherCaller(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	b := booking("bk_1", nights("2025-02-01", "2025-02-04"))
	_, err := h.repo.Book(t.Context(), b, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	_, err = h.repo.Modify(t.Context(), lst, "BOOKING#bk_1", nights("2025-02-01", "2025-02-05"))
	require.NoError(t, err)
	e, err := h.repo.Book(t.Context(), b, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Empty(t, e.WriteID)
}

func TestErrorNamesTheMethod(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Book(t.Context(), booking("bk_1", nights("2025-02-01", "2025-02-04")))
	require.NoError(t, err)
	_, err = h.repo.Book(t.Context(), booking("bk_1", nights("2025-02-01", "2025-02-04")))
	assert.Contains(t, err.Error(), "listing.Book")
}

// Nights of the same booking that other software has written are not booked again, but an import takes them over.
func TestNightsOfTheSameEvent(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.foreign(t, bk1, nights("2025-02-01", "2025-02-04"))
	_, err := h.repo.Book(t.Context(), booking("bk_1", nights("2025-02-03", "2025-02-06")))
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	_, err = h.repo.Get(t.Context(), lst, "BOOKING#bk_1")
	require.ErrorIs(t, err, dynastay.ErrNotFound)

	h.foreign(t, bc1, nights("2025-02-10", "2025-02-12"))
	got, err := h.repo.Import(t.Context(), reservation("BC1", 1, nights("2025-02-10", "2025-02-13")))
	require.NoError(t, err)
	assert.Equal(t, listing.Imported{Outcome: listing.Created, BookingID: "bk_9", EventID: "BOOKING#bk_9", Event: got.Event}, got)
	assert.Equal(t, nights("2025-02-10", "2025-02-13"), got.Event.Stay)

	// Another reservation is not taken over, nor one under another booking id.
	h.foreign(t, bc1, nights("2025-02-20", "2025-02-22"))
	var taken *listing.Taken
	_, err = h.repo.Import(t.Context(), reservation("BC2", 1, nights("2025-02-20", "2025-02-22")))
	require.ErrorAs(t, err, &taken)
	d := reservation("BC3", 1, nights("2025-03-01", "2025-03-02"))
	d.BookingID = "bk_9"
	_, err = h.repo.Import(t.Context(), d)
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	d = reservation("BC1", 2, nights("2025-03-01", "2025-03-02"))
	d.BookingID = "bk_other"
	_, err = h.repo.Import(t.Context(), d)
	blame.Invalid(t, err, "BookingID")
}

// One revision has one content: a cancellation wins, other dates are refused.
func TestTwoContentsOfOneRevision(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Import(t.Context(), reservation("BC1", 1, nights("2025-02-01", "2025-02-04")))
	require.NoError(t, err)
	_, err = h.repo.Import(t.Context(), reservation("BC1", 1, nights("2025-02-01", "2025-02-05")))
	revision := blame.As[*listing.RevisionError](t, err)
	assert.Equal(t, listing.RevisionError{
		Revision: 1, Stay: nights("2025-02-01", "2025-02-04"), Delivered: nights("2025-02-01", "2025-02-05"),
	}, *revision)
	got, err := h.repo.Import(t.Context(), cancelled(reservation("BC1", 1, dynastay.Stay{})))
	require.NoError(t, err)
	assert.Equal(t, listing.Cancelled, got.Outcome)
	got, err = h.repo.Import(t.Context(), reservation("BC1", 1, nights("2025-02-01", "2025-02-04")))
	require.NoError(t, err)
	assert.Equal(t, listing.Outdated, got.Outcome)
	assert.Empty(t, h.held(t))

	// What was deleted here does not come back with the same revision, but with a newer one.
	_, err = h.repo.Import(t.Context(), reservation("BC2", 1, nights("2025-02-01", "2025-02-04")))
	require.NoError(t, err)
	require.NoError(t, h.repo.Delete(t.Context(), lst, h.held(t)["2025-02-01"]))
	got, err = h.repo.Import(t.Context(), reservation("BC2", 1, nights("2025-02-01", "2025-02-04")))
	require.NoError(t, err)
	assert.Equal(t, listing.Repeated, got.Outcome)
	assert.Empty(t, h.held(t))
	got, err = h.repo.Import(t.Context(), reservation("BC2", 2, nights("2025-02-01", "2025-02-04")))
	require.NoError(t, err)
	assert.Equal(t, listing.Created, got.Outcome)
	assert.Len(t, h.held(t), 3)
}

// An event of other software has more nights than a transaction can write.
func TestLongForeignEvents(t *testing.T) {
	t.Parallel()
	was, near, far := days("2025-01-01", 150), days("2025-01-02", 150), days("2026-01-02", 150)
	modify := func(to dynastay.Stay) func(*home, context.Context) error {
		return func(h *home, ctx context.Context) error {
			_, err := h.repo.Modify(ctx, lst, "BOOKING#bk_9", to)
			return err
		}
	}
	deliver := func(to dynastay.Stay) func(*home, context.Context) error {
		return func(h *home, ctx context.Context) error {
			_, err := h.repo.Import(ctx, reservation("BC1", 1, to))
			return err
		}
	}
	own := bc1
	own.Source, own.ExternalID = listing.Localstays, ""
	for name, c := range map[string]struct {
		night listing.Night
		to    dynastay.Stay
		call  func(*home, context.Context) error
	}{
		"delete":                  {own, dynastay.Stay{}, func(h *home, ctx context.Context) error { return h.repo.Delete(ctx, lst, "BOOKING#bk_9") }},
		"modify, nearly the same": {own, near, modify(near)},
		"modify, others":          {own, far, modify(far)},
		"import, the same":        {bc1, was, deliver(was)},
		"import, nearly the same": {bc1, near, deliver(near)},
		"import, many more":       {bc1, days("2025-01-01", 300), deliver(days("2025-01-01", 300))},
	} {
		for broken := range 3 { // before which transaction; 0 means none
			h := newHome(t)
			h.foreign(t, c.night, was)
			if broken > 0 {
				h.crash(broken)
				require.Error(t, c.call(h, t.Context()), "%s, %d", name, broken)
			}
			require.NoError(t, c.call(h, t.Context()), "%s, %d", name, broken)
			assert.Empty(t, h.wrong(t), name)
			assert.Equal(t, c.to.Nights(), len(h.held(t)), name)
		}
	}
}

// While a long event of other software is about to be modified, somebody else deletes it, and books its nights.
func TestLongForeignModifyDuringDelete(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.foreign(t, bk1, days("2025-01-01", 97))
	h.before("TransactWriteItems", 1, func(ctx context.Context) {
		assert.NoError(t, h.other().Delete(ctx, lst, "BOOKING#bk_1"))
		_, err := h.other().Book(ctx, booking("bk_2", days("2025-01-01", 97)))
		assert.NoError(t, err)
	})
	_, err := h.repo.Modify(t.Context(), lst, "BOOKING#bk_1", days("2025-01-01", 200))
	var taken *listing.Taken
	assert.ErrorAs(t, err, &taken)
	assert.Empty(t, h.wrong(t))
}
