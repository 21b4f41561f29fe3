package bookings_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
)

// What the erasure of a user costs, for bookings of three nights and one room type. The row of the index by user is
// removed, and those of the others are written, because they contain the guest.
func TestCostOfAnErasure(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: moving()}))
	hotel, repo, ctx, costs := fixture.New(t, db.DB, 50), bookings.New(db.DB, nil), context.Background(), page.Costs{DB: db}
	user := ""
	book := func(payments int) *bookings.Booking {
		req := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
		req.UserID = user
		b, err := repo.Create(ctx, req)
		require.NoError(t, err)
		for range payments {
			_, err := repo.RecordPayment(ctx, charge(b.ID, db.NewID("ch_"), "100", bookings.PaymentPaid))
			require.NoError(t, err)
		}
		return b
	}
	cancelled := func(payments int) {
		_, err := repo.Cancel(ctx, book(payments).ID, "", nil)
		require.NoError(t, err)
	}
	for _, test := range []struct {
		name, why      string
		made           func()
		requests       int
		read           float64
		want           charged
		total, indexes float64
	}{
		{"a user without bookings", "the list by user", func() {}, 1, 0.5, charged{}, 0, 0},
		{
			"a booking that is over", "the list by user, the booking, then all its items, and the write", func() { cancelled(0) }, 4, 0.5 + 1 + 1,
			charged{"Bookings": 2, "Bookings GSI1": 1, "Bookings GSI2": 1, "Bookings GSI3": 1}, 5, 3,
		},
		{
			"a booking that is over, with a payment", "also the summary and the payment, in a transaction", func() { cancelled(1) }, 4, 0.5 + 1 + 1,
			charged{"Bookings": 4 + 2 + 2, "Bookings GSI1": 1, "Bookings GSI2": 1, "Bookings GSI3": 1}, 11, 3,
		},
		{
			"three that are over", "the list and the bookings are read once, then each as above", func() {
				for range 3 {
					cancelled(0)
				}
			}, 2 + 3*2, 0.5 + 3 + 3, charged{"Bookings": 6, "Bookings GSI1": 3, "Bookings GSI2": 3, "Bookings GSI3": 3}, 15, 9,
		},
		{
			"an upcoming booking, which is cancelled first", "also a cancellation, see above", func() { book(0) }, 6, 0.5 + 1 + 2,
			charged{
				"Availability": 6, "Availability GSI1": 3, // the nights are returned
				"Bookings": 4 + 2, "Bookings GSI1": 1 + 1, "Bookings GSI2": 1 + 1, "Bookings GSI3": 2 + 1, "Bookings GSI5": 1,
			}, 23, 11,
		},
	} {
		user = db.NewID("user_")
		test.made()
		check := db.Measure(func() { _ = repo.Eraser(bookings.RefuseUpcoming).Check(ctx, user) })
		assert.Equal(t, min(test.requests, 2), check.Requests, test.name)
		spent := db.Measure(func() {
			_, err := repo.Eraser(bookings.CancelUpcoming).Erase(ctx, user)
			require.NoError(t, err, test.name)
		})
		costs.Add(test.name, test.why, spent.Bill())
		assert.Equal(t, test.requests, spent.Requests, test.name)
		if db.Has(dyntest.ExactUnits) { // DynamoDB Local does not charge for a Query that finds nothing
			assert.Equal(t, test.read, spent.ReadUnits, test.name)
		}
		assertWritten(t, db, test.want, test.total, test.indexes, spent)
	}
	costs.Section(t, "erasure of bookings")
}
