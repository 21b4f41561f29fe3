package bookings_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// The rooms are returned once, no matter how many callers cancel.
func TestCancelOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 5)
	made, err := repo.Create(ctx, fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 2)))
	require.NoError(t, err)
	require.Equal(t, []int{3, 3, 3}, hotel.Left(t, db.DB, fixture.Stay))

	db.Faults.Conflicts(time.Millisecond)
	var done, refused atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			_, err := repo.Cancel(context.Background(), made.ID, "plans changed", nil)
			var state *bookings.StatusError
			switch {
			case err == nil:
				done.Add(1)
			case assert.ErrorAs(t, err, &state):
				assert.Equal(t, bookings.Cancelled, state.Status)
				refused.Add(1)
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 1, done.Load())
	assert.EqualValues(t, 7, refused.Load())
	assert.Equal(t, []int{5, 5, 5}, hotel.Left(t, db.DB, fixture.Stay))

	got, err := repo.Get(ctx, made.ID)
	require.NoError(t, err)
	assert.Equal(t, bookings.Cancelled, got.Status)
	assert.Equal(t, fixture.Now, got.CancelledAt)
	assert.Equal(t, "plans changed", got.CancellationReason)
	assert.Equal(t, made.Version+1, got.Version)
	assert.Equal(t, 2, got.Rooms, "the number of rooms is kept")
	row, err := db.Get(ctx, bookingsTable, keyOf(made.ID), dynastay.Consistent)
	require.NoError(t, err)
	assert.NotContains(t, row.Item(), "GSI5PK", "no arrival is expected")
	assert.Equal(t, "STATUS#cancelled", row.Text("GSI3PK"))
}

// A second caller cancels between the read and the write of the first.
func TestCancelIsOvertakenByCancel(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 5)
	made, err := repo.Create(ctx, fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 2)))
	require.NoError(t, err)
	other := bookings.New(withClock(db, dynastay.Options{}), nil)
	ran := false
	meanwhile := dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Meanwhile",
		Prepare: func(ctx context.Context, _ *dynastay.Tx) (struct{}, error) {
			if ran {
				return struct{}{}, nil
			}
			ran = true
			_, err := other.Cancel(ctx, made.ID, "first", nil)
			return struct{}{}, err
		},
	})
	err = db.Write(ctx, repo.CancelOp(made.ID, "second", nil), meanwhile)
	blame.As[*bookings.StatusError](t, err)
	assert.Equal(t, []int{5, 5, 5}, hotel.Left(t, db.DB, fixture.Stay), "returned once")
	got, err := repo.Get(ctx, made.ID)
	require.NoError(t, err)
	assert.Equal(t, "first", got.CancellationReason)
}

func TestCancelWithoutTheNights(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 5)
	made, err := repo.Create(ctx, fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)
	gone := dynastay.MustDate("2026-07-11")
	remove(t, db, nightKey(hotel.RoomTypeID, gone))

	got, err := repo.Cancel(ctx, made.ID, "", nil)
	require.NoError(t, err)
	assert.Equal(t, []bookings.MissingNight{{RoomTypeID: hotel.RoomTypeID, Date: gone}}, got.Missing)
	assert.Equal(t, []int{5, 5}, hotel.Left(t, db.DB, fixture.Stay), "the two that still exist")
	assert.Len(t, got.Booking.Lines, 1)

	// If none of the nights is left, only the booking is updated.
	made, err = repo.Create(ctx, fixture.Request(hotel.Quote(t, db.DB, dynastay.MustStay("2026-07-20", "2026-07-21"), 1)))
	require.NoError(t, err)
	remove(t, db, nightKey(hotel.RoomTypeID, dynastay.MustDate("2026-07-20")))
	got, err = repo.Cancel(ctx, made.ID, "", nil)
	require.NoError(t, err)
	assert.Len(t, got.Missing, 1)
	assert.Equal(t, bookings.Cancelled, got.Booking.Status)
	assert.Len(t, got.Booking.Lines, 1)
	stored, err := repo.Get(ctx, made.ID)
	require.NoError(t, err)
	assert.Equal(t, stored, got.Booking)
}

// Other software may have stored a stay of any length; its nights are counted before they are listed.
func TestCancelHugeStay(t *testing.T) {
	db, hotel, repo := open(t, 1)
	made, err := repo.Create(t.Context(), fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)
	checkOut := func(date string) {
		raw.Set(t, db, bookingsTable, keyOf(made.ID), dynastay.Text(date), "CheckOutDate")
	}
	checkOut("9999-12-31")
	allocated := testing.AllocsPerRun(1, func() {
		_, err := repo.Cancel(t.Context(), made.ID, "", nil)
		blame.Invalid(t, err, "BookingID", "almost 3 million nights")
	})
	assert.Less(t, allocated, 50_000.0)

	checkOut(fixture.Stay.CheckIn.AddDays(100).String())
	_, err = repo.Cancel(t.Context(), made.ID, "", nil)
	blame.Invalid(t, err, "BookingID", "100 nights")
	assert.ErrorContains(t, err, "must be a booking with at most 99 nights to return (nights × room types), got 100: ")
	checkOut(fixture.Stay.CheckIn.AddDays(99).String())
	got, err := repo.Cancel(t.Context(), made.ID, "", nil)
	require.NoError(t, err)
	assert.Equal(t, bookings.Cancelled, got.Booking.Status)
}

// A cancellation gets its turn among buyers who contend for the same night.
func TestCancelAmongBuyers(t *testing.T) {
	t.Parallel()
	const buyers = 24
	db, hotel, repo := open(t, 1000)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	made, err := repo.Create(t.Context(), req)
	require.NoError(t, err)
	db.Faults.Conflicts(2 * time.Millisecond)
	ctx, stop := context.WithCancel(t.Context())
	bought := make(chan struct{}, buyers)
	var wg sync.WaitGroup
	for range buyers {
		wg.Go(func() {
			for ctx.Err() == nil {
				if _, err := repo.Create(ctx, req); err == nil {
					select {
					case bought <- struct{}{}:
					default:
					}
				}
			}
		})
	}
	for range buyers {
		<-bought // until all of them are buying
	}
	_, err = repo.Cancel(t.Context(), made.ID, "", nil)
	assert.NoError(t, err)
	stop()
	wg.Wait()
}

// A night without a number of rooms cannot take any back; the booking is cancelled all the same.
func TestCancelWithAnUncountedNight(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 2)
	made, err := repo.Create(t.Context(), fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)
	odd := dynastay.MustDate("2026-07-10")
	change(t, db, nightKey(hotel.RoomTypeID, odd), "AvailableRooms = :v", dynastay.Item{":v": &types.AttributeValueMemberNULL{Value: true}})
	got, err := repo.Cancel(t.Context(), made.ID, "", nil)
	require.NoError(t, err)
	assert.Equal(t, []bookings.MissingNight{{RoomTypeID: hotel.RoomTypeID, Date: odd}}, got.Missing)
}

// A cancellation that is retried with its key returns its result, not an error that the booking is already cancelled.
func TestCancelReplays(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 5)
	made, err := repo.Create(t.Context(), fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)
	for range 2 {
		got, err := repo.Cancel(t.Context(), made.ID, "ill", nil, dynastay.IdempotencyKey("cancel-1"))
		require.NoError(t, err)
		assert.Equal(t, bookings.Cancelled, got.Booking.Status)
	}
	assert.Equal(t, []int{5, 5, 5}, hotel.Left(t, db.DB, fixture.Stay))
	_, err = repo.Cancel(t.Context(), made.ID, "ill", nil, dynastay.IdempotencyKey("cancel-2"))
	var state *bookings.StatusError
	assert.ErrorAs(t, err, &state)
}

// A repeated cancellation returns what the first one has returned.
func TestRepeatedCancellationOfAPaidBooking(t *testing.T) {
	t.Parallel()
	ctx, inn := t.Context(), newInn(t)
	b := inn.book(t, dynastay.MustStay("2026-07-02", "2026-07-04"), rooms{"a": 1})
	_, err := inn.repo.RecordPayment(ctx, charge(b.ID, "ch_1", "200", bookings.PaymentPaid))
	require.NoError(t, err)
	for range 2 {
		c, err := inn.repo.Cancel(ctx, b.ID, "", nil, dynastay.IdempotencyKey("cancel"))
		require.NoError(t, err)
		assert.Nil(t, c.Payment)
	}
}
