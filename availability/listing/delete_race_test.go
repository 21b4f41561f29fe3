package listing_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// deleting starts a deletion of an imported reservation of 200 nights that takes several transactions.
func deleting(t *testing.T) *home {
	h := newHome(t)
	_, err := h.repo.Import(t.Context(), delivered(1, 2, days("2025-02-01", 200)))
	require.NoError(t, err)
	_, err = h.repo.Block(t.Context(), block("x", days("2025-12-10", 1)))
	require.NoError(t, err)
	return h
}

// comesBack delivers the dates that the deleted reservation had, in a newer revision: it holds them again.
func (h *home) comesBack(t *testing.T) {
	t.Helper()
	assert.Empty(t, h.wrong(t))
	got, err := h.other().Import(t.Context(), delivered(1, 9, days("2025-02-01", 200)))
	require.NoError(t, err)
	assert.Equal(t, listing.Created, got.Outcome)
	assert.Empty(t, h.wrong(t))
	assert.Len(t, h.held(t), 201)
}

// Between two transactions of a deletion, a newer revision is delivered, and refused because its nights are taken. It
// has completed the deletion all the same.
func TestRefusedRevisionDuringADeletion(t *testing.T) {
	t.Parallel()
	h := deleting(t)
	h.before("TransactWriteItems", 2, func(ctx context.Context) {
		_, err := h.other().Import(ctx, delivered(1, 3, days("2025-12-09", 3)))
		var taken *listing.Taken
		assert.ErrorAs(t, err, &taken)
	})
	require.NoError(t, h.repo.Delete(t.Context(), lst, "BOOKING#e1"), "the other call has completed what this one began")
	stop := h.Faults.Record()
	got, err := h.repo.Import(t.Context(), delivered(1, 2, days("2025-02-01", 200)))
	require.NoError(t, err)
	assert.Equal(t, listing.Repeated, got.Outcome)
	assert.Len(t, stop(), 1, "nothing is left to look for")
	h.comesBack(t)
}

// Between two transactions of a deletion, a newer revision is imported. The deletion was made before it.
func TestNewerRevisionDuringADeletion(t *testing.T) {
	t.Parallel()
	h := deleting(t)
	h.before("TransactWriteItems", 2, func(ctx context.Context) {
		got, err := h.other().Import(ctx, delivered(1, 3, days("2025-02-01", 200)))
		assert.NoError(t, err)
		assert.Equal(t, listing.Created, got.Outcome)
	})
	require.NoError(t, h.repo.Delete(t.Context(), lst, "BOOKING#e1"))
	assert.Empty(t, h.wrong(t))
	assert.Len(t, h.held(t), 201)
}

// A deletion that has only begun is completed by whatever is delivered next.
func TestDeliveriesAfterADeletionThatHasBegun(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		next listing.Reservation
		want string
		held int
	}{
		"a redelivery":            {delivered(1, 2, days("2025-02-01", 200)), "repeated", 1},
		"an older one":            {delivered(1, 1, days("2025-02-01", 200)), "outdated", 1},
		"the same of other dates": {delivered(1, 2, days("2025-02-01", 3)), "", 1},
		"a newer revision":        {delivered(1, 3, days("2025-02-01", 200)), "created", 201},
		"a shorter one":           {delivered(1, 3, days("2025-02-01", 3)), "created", 4},
		"a refused one":           {delivered(1, 3, days("2025-12-09", 3)), "taken", 1},
		"a cancellation":          {cancelled(delivered(1, 3, noNights)), "cancelled", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := deleting(t)
			h.crash(2)
			blame.As[*listing.IncompleteError](t, h.repo.Delete(t.Context(), lst, "BOOKING#e1"))
			got, err := h.other().Import(t.Context(), test.next)
			if test.want == "" {
				blame.As[*listing.RevisionError](t, err)
			} else {
				assert.Equal(t, test.want, outcomeOf(got.Outcome, err))
			}
			require.Empty(t, h.wrong(t))
			assert.Len(t, h.held(t), test.held)
			require.NoError(t, h.other().Delete(t.Context(), lst, "BOOKING#e1", dynastay.OrMissing()))
			h.comesBack(t)
		})
	}
}

// An import has marked the reservation and was broken off. While a deletion begins, the same dates are delivered again,
// and nothing marks the reservation any more. The deletion marks it all the same.
func TestDeletionThatBeginsDuringADelivery(t *testing.T) {
	t.Parallel()
	h := deleting(t)
	h.crash(1)
	_, err := h.repo.Import(t.Context(), delivered(1, 3, days("2025-03-01", 250)))
	require.Error(t, err)
	h.before("TransactWriteItems", 1, func(ctx context.Context) {
		got, err := h.other().Import(ctx, delivered(1, 4, days("2025-02-01", 200)))
		assert.NoError(t, err)
		assert.Equal(t, listing.Unchanged, got.Outcome)
	})
	h.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "TransactWriteItems", Nth: 3})
	require.Error(t, h.repo.Delete(t.Context(), lst, "BOOKING#e1"))
	got, err := h.other().Import(t.Context(), delivered(1, 5, days("2025-02-01", 200)))
	require.NoError(t, err)
	assert.Equal(t, listing.Created, got.Outcome)
	assert.Empty(t, h.wrong(t))
}

// Between the marking of a long import and its first nights, the reservation is deleted, and the marking with it. The
// import marks it again: otherwise a cancellation would not look for the nights.
func TestLongImportWhileItsReservationIsDeleted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Import(t.Context(), delivered(1, 1, days("2025-02-01", 3)))
	require.NoError(t, err)
	h.before("TransactWriteItems", 1, func(ctx context.Context) { // a single write marks it
		assert.NoError(t, h.other().Delete(ctx, lst, "BOOKING#e1"))
	})
	h.crash(3)
	_, err = h.repo.Import(t.Context(), delivered(1, 2, days("2025-03-01", 200)))
	require.Error(t, err)
	got, err := h.other().Import(t.Context(), cancelled(delivered(1, 3, noNights)))
	require.NoError(t, err)
	assert.Equal(t, listing.Cancelled, got.Outcome)
	assert.Empty(t, h.wrong(t))
	assert.Empty(t, h.held(t))
}
