package bookings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
)

// An import costs what a sale costs, and what is over costs no nights. A repetition costs the transaction, which is charged although it
// fails, and one read of the booking and its reference.
func TestCostOfAnImport(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openInJuly(t, 5)
	ahead := elsewhere(hotel, "pms-1", dynastay.MustStay("2026-07-12", "2026-07-15"), bookings.Confirmed)
	ahead.Payments = []bookings.Payment{{Provider: "pms", ProviderTransactionID: "1", Method: "cash", Amount: usd("1.00"), Status: bookings.PaymentPaid, At: ahead.CreatedAt}}
	over := elsewhere(hotel, "pms-2", dynastay.MustStay("2026-07-01", "2026-07-04"), bookings.Completed)
	for _, test := range []struct {
		given          bookings.Import
		want           charged
		total, indexes float64
	}{
		{ahead, charged{
			"Availability": 6, "Availability GSI1": 3, // 3 nights
			"Bookings":      2 + 2 + 2*2 + 2*2, // the booking, with its short id, the guard of its reference, two lines, a payment and the summary
			"Bookings GSI1": 1, "Bookings GSI2": 1, "Bookings GSI3": 1, "Bookings GSI4": 1, "Bookings GSI5": 1,
		}, 26, 8},
		{over, charged{
			"Bookings":      2 + 2 + 2*2,
			"Bookings GSI1": 1, "Bookings GSI2": 1, "Bookings GSI3": 1, "Bookings GSI4": 1, "Bookings GSI5": 1,
		}, 13, 5},
	} {
		spent := db.Measure(func() {
			_, err := repo.Import(t.Context(), test.given)
			require.NoError(t, err)
		})
		assert.Equal(t, 1, spent.Requests)
		assert.Zero(t, spent.ReadUnits)
		assertWritten(t, db, test.want, test.total, test.indexes, spent)
	}
	spent := db.Measure(func() {
		_, err := repo.Import(t.Context(), over)
		require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	})
	assert.Equal(t, 2, spent.Requests)
	assert.LessOrEqual(t, spent.ReadUnits, 2.0)
}
