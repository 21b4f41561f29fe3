package listing_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
)

// A newer revision overtakes a long import between its parts. Nobody crashes.
func TestNewerRevisionDuringLongImport(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.before("TransactWriteItems", 2, func(ctx context.Context) {
		got, err := h.other().Import(ctx, reservation("BC1", 2, days("2025-08-01", 3)))
		assert.NoError(t, err)
		t.Log("revision 2:", got.Outcome)
	})
	got, err := h.repo.Import(t.Context(), reservation("BC1", 1, days("2025-01-01", 150)))
	t.Log("revision 1:", got.Outcome, err)
	assert.Empty(t, h.wrong(t))
}

func TestCancellationDuringLongImport(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.before("TransactWriteItems", 2, func(ctx context.Context) {
		got, err := h.other().Import(ctx, cancelled(reservation("BC1", 2, dynastay.Stay{})))
		assert.NoError(t, err)
		t.Log("revision 2:", got.Outcome)
	})
	got, err := h.repo.Import(t.Context(), reservation("BC1", 1, days("2025-01-01", 150)))
	t.Log("revision 1:", got.Outcome, err)
	assert.Empty(t, h.wrong(t))
}

// The reservation is known, and the newer revision comes before the first part of the older one.
func TestOlderLongRevisionAfterANewerOne(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Import(t.Context(), reservation("BC1", 1, days("2025-01-01", 3)))
	require.NoError(t, err)
	h.before("TransactWriteItems", 1, func(ctx context.Context) {
		got, err := h.other().Import(ctx, reservation("BC1", 3, days("2025-08-01", 3)))
		assert.NoError(t, err)
		t.Log("revision 3:", got.Outcome)
	})
	got, err := h.repo.Import(t.Context(), reservation("BC1", 2, days("2025-01-01", 150)))
	t.Log("revision 2:", got.Outcome, err)
	assert.Empty(t, h.wrong(t))
	got, err = h.repo.Import(t.Context(), reservation("BC1", 3, days("2025-08-01", 3)))
	t.Log("revision 3 again:", got.Outcome, err)
	assert.Empty(t, h.wrong(t), "after revision 3 was delivered again")
}

// A delivery finds its nights blocked, and when it looks by whom, another delivery of the same reservation holds them:
// it is a repeated one, or an older one, and not refused because of its own nights.
func TestDeliveryThatAnotherOneOvertakesWhileItIsRefused(t *testing.T) {
	t.Parallel()
	for name, bookingID := range map[string]string{"a drawn id": "", "an id of the platform": "bk_1"} {
		for revision, want := range map[int]listing.Outcome{1: listing.Repeated, 2: listing.Outdated} {
			h := newHome(t)
			first := reservation("BC1", 1, nights("2025-01-10", "2025-01-13"))
			first.BookingID = bookingID
			other := reservation("BC1", revision, first.Stay)
			other.BookingID = bookingID
			h.before("TransactWriteItems", 1, func(ctx context.Context) {
				_, err := h.other().Block(ctx, block("x", nights("2025-01-12", "2025-01-14")))
				assert.NoError(t, err)
			})
			h.before("Query", 1, func(ctx context.Context) {
				assert.NoError(t, h.other().Delete(ctx, lst, "BLOCK#x"))
				_, err := h.other().Import(ctx, other)
				assert.NoError(t, err)
			})
			op := h.repo.ImportOp(first)
			require.NoError(t, h.Write(t.Context(), op), "%s, revision %d", name, revision)
			assert.Equal(t, want, op.Result().Outcome)
			assert.Empty(t, h.wrong(t))
		}
	}
}

// The same for a long stay, which is refused before the first of its transactions.
func TestLongDeliveryThatAnotherOneOvertakesWhileItIsRefused(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	_, err := h.repo.Block(t.Context(), block("x", days("2025-03-01", 2)))
	require.NoError(t, err)
	h.before("Query", 1, func(ctx context.Context) {
		_, err := h.other().Import(ctx, reservation("BC1", 2, days("2025-02-01", 3)))
		assert.NoError(t, err)
	})
	got, err := h.repo.Import(t.Context(), reservation("BC1", 1, days("2025-01-01", 150)))
	require.NoError(t, err)
	assert.Equal(t, listing.Outdated, got.Outcome)
	assert.Empty(t, h.wrong(t))
}

// A night is booked after the reservation has been marked, and before its first nights are taken.
func TestLongDeliveryThatIsRefusedForItsFirstNights(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.before("TransactWriteItems", 1, func(ctx context.Context) {
		_, err := h.other().Block(ctx, block("x", days("2025-01-10", 1)))
		assert.NoError(t, err)
	})
	_, err := h.repo.Import(t.Context(), reservation("BC1", 1, days("2025-01-01", 150)))
	var taken *listing.Taken
	assert.ErrorAs(t, err, &taken)
	assert.Empty(t, h.wrong(t))
}
