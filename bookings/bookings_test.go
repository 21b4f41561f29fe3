package bookings_test

import (
	"context"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/fixture"
)

// open returns a database, a hotel with rooms on sale, and the repository.
func open(t *testing.T, rooms int) (*dyntest.DB, fixture.Hotel, *bookings.Repository) {
	t.Helper()
	db := dyntest.New(t, bookingTables, dyntest.At(fixture.Now))
	return db, fixture.New(t, db.DB, rooms), bookings.New(db.DB, nil)
}

func TestCreate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 20)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 2))
	req.TaxesAndFees = dynastay.MustMoney("90.10", "USD")
	req.SpecialRequests = "Late check-in"

	made, err := repo.Create(ctx, req)
	require.NoError(t, err)

	assert.Equal(t, bookings.Confirmed, made.Status)
	assert.Equal(t, bookings.PaymentPending, made.PaymentStatus)
	assert.Regexp(t, regexp.MustCompile(`^BKG-2026-[0-9A-HJKMNP-TV-Z]{6}$`), made.Reference)
	assert.Equal(t, "1770.10 USD", made.Total.String(), "2 rooms × 3 nights × 280.00, plus taxes")
	assert.Equal(t, "1680.00 USD", made.Breakdown.Rooms.String())
	assert.Equal(t, availability.FreeCancellation(48), made.CancellationPolicy)
	assert.Equal(t, "America/New_York", made.TimeZone)
	assert.Equal(t, 2, made.Rooms)
	require.Len(t, made.Lines, 1)
	assert.Equal(t, "280.00 USD", made.Lines[0].PricePerNight.String())
	assert.Equal(t, req.Quote.Lines[0], made.Lines[0].Line, "as quoted")
	assert.Equal(t, made.ID, made.Lines[0].BookingID)
	assert.Equal(t, []int{18, 18, 18}, hotel.Left(t, db.DB, fixture.Stay))
	assert.Equal(t, []int{20}, hotel.Left(t, db.DB, dynastay.MustStay("2026-07-13", "2026-07-14")), "the check-out date is not a night")

	got, err := repo.Get(ctx, made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, got, "what is stored is what was returned")
	got, err = repo.ByReference(ctx, made.Reference)
	require.NoError(t, err)
	assert.Equal(t, made, got)
}

func TestByUserPagesLatestFirst(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 20)
	var want []*bookings.Summary
	for day := range 5 {
		stay := dynastay.Stay{CheckIn: fixture.Stay.CheckIn.AddDays(day), CheckOut: fixture.Stay.CheckIn.AddDays(day + 1)}
		made, err := repo.Create(ctx, fixture.Request(hotel.Quote(t, db.DB, stay, 1)))
		require.NoError(t, err)
		want = append([]*bookings.Summary{&made.Summary}, want...)
	}
	other := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	other.UserID = "user_4567"
	_, err := repo.Create(ctx, other)
	require.NoError(t, err)

	var got []*bookings.Summary
	pages := 0
	for p := (dynastay.Paging{Limit: 2}); pages == 0 || p.After != ""; pages++ {
		page, err := repo.ByUser("user_456").Page(ctx, p)
		require.NoError(t, err)
		got, p.After = append(got, page.Items...), page.Next
	}
	assert.Equal(t, want, got, "the row holds the whole summary")
	assert.Equal(t, 3, pages)
	var walked []*bookings.Summary
	for b, err := range repo.ByUser("user_456").All(ctx) {
		require.NoError(t, err)
		walked = append(walked, b)
	}
	assert.Equal(t, want, walked)

	first, err := repo.ByUser("user_456").Page(ctx, dynastay.Paging{Limit: 2})
	require.NoError(t, err)
	_, err = repo.ByUser("user_4567").Page(ctx, dynastay.Paging{After: first.Next})
	assert.ErrorIs(t, err, dynastay.ErrCursor, "a different user's cursor")
}

func TestRefusalNamesEveryNight(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 2)
	quoted := hotel.Quote(t, db.DB, fixture.Stay, 2)
	for day := range 2 { // takes a room of the first two nights
		stay := dynastay.Stay{CheckIn: fixture.Stay.CheckIn.AddDays(day), CheckOut: fixture.Stay.CheckIn.AddDays(day + 1)}
		_, err := repo.Create(ctx, fixture.Request(hotel.Quote(t, db.DB, stay, 1)))
		require.NoError(t, err)
	}
	_, err := repo.Create(ctx, fixture.Request(quoted))
	var refused *bookings.Refused
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, []availability.RefusedNight{
		{RoomTypeID: hotel.RoomTypeID, Date: dynastay.MustDate("2026-07-10"), Reason: availability.SoldOut, Left: 1},
		{RoomTypeID: hotel.RoomTypeID, Date: dynastay.MustDate("2026-07-11"), Reason: availability.SoldOut, Left: 1},
	}, refused.Nights)
	assert.Equal(t, []int{1, 1, 2}, hotel.Left(t, db.DB, fixture.Stay), "nothing was taken")
}

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
			_, err := repo.Cancel(context.Background(), made.ID, "plans changed")
			var state *bookings.StateError
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
			_, err := other.Cancel(ctx, made.ID, "first")
			return struct{}{}, err
		},
	})
	err = db.Write(ctx, repo.CancelOp(made.ID, "second"), meanwhile)
	var state *bookings.StateError
	require.ErrorAs(t, err, &state)
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

	got, err := repo.Cancel(ctx, made.ID, "")
	require.NoError(t, err)
	assert.Equal(t, []bookings.MissingNight{{RoomTypeID: hotel.RoomTypeID, Date: gone}}, got.Missing)
	assert.Equal(t, []int{5, 5}, hotel.Left(t, db.DB, fixture.Stay), "the two that still exist")
	assert.Len(t, got.Booking.Lines, 1)

	// If none of the nights is left, only the booking is updated.
	made, err = repo.Create(ctx, fixture.Request(hotel.Quote(t, db.DB, dynastay.MustStay("2026-07-20", "2026-07-21"), 1)))
	require.NoError(t, err)
	remove(t, db, nightKey(hotel.RoomTypeID, dynastay.MustDate("2026-07-20")))
	got, err = repo.Cancel(ctx, made.ID, "")
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
		_, err := db.Client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: aws.String(db.TableName(bookingsTable)), Key: bookingsTable.Key.Of(keyOf(made.ID)),
			UpdateExpression: aws.String("SET CheckOutDate = :d"), ExpressionAttributeValues: dynastay.Item{":d": dynastay.Text(date)},
		})
		require.NoError(t, err)
	}
	checkOut("9999-12-31")
	allocated := testing.AllocsPerRun(1, func() {
		_, err := repo.Cancel(t.Context(), made.ID, "")
		assertInvalid(t, err, "BookingID", "almost 3 million nights")
	})
	assert.Less(t, allocated, 50_000.0)

	checkOut(fixture.Stay.CheckIn.AddDays(100).String())
	_, err = repo.Cancel(t.Context(), made.ID, "")
	assertInvalid(t, err, "BookingID", "100 nights")
	assert.ErrorContains(t, err, "must be a booking with at most 99 nights to return (nights × room types), got 100: ")
	checkOut(fixture.Stay.CheckIn.AddDays(99).String())
	got, err := repo.Cancel(t.Context(), made.ID, "")
	require.NoError(t, err)
	assert.Equal(t, bookings.Cancelled, got.Booking.Status)
}

func TestUnknownBooking(t *testing.T) {
	t.Parallel()
	_, _, repo := open(t, 1)
	_, err := repo.Cancel(t.Context(), "bkg_none", "")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = repo.Get(t.Context(), "bkg_none")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = repo.ByReference(t.Context(), "BKG-2026-NONE00")
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}

// If the index does not have the booking, the guard of the reference finds it. Here the index row is missing
// permanently.
func TestByReferenceWithoutIndexRow(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 5)
	made, err := repo.Create(ctx, fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)
	removeAttributes(t, db, keyOf(made.ID), "GSI4PK", "GSI4SK")
	got, err := repo.ByReference(ctx, made.Reference)
	require.NoError(t, err)
	assert.Equal(t, made.ID, got.ID)
}

// If the drawn reference is taken, a new one is drawn.
func TestReferenceIsDrawnAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := open(t, 5)
	op := repo.CreateOp(fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	stop := db.Faults.Record()
	taken := ""
	// Another operation in the same write takes the drawn reference after the first preparation, before it is sent.
	spoil := dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Spoil", Input: func(*dynastay.Input) {},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (struct{}, error) {
			if taken == "" {
				taken = op.Result().Reference
				put(t, db, "Bookings", dynastay.Item{"PK": dynastay.Text("REFERENCE#" + taken), "SK": dynastay.Text("GUARD"), "BookingId": dynastay.Text("bkg_other")})
			}
			return struct{}{}, nil
		},
	})
	// The result of the operation is the booking that it prepared last.
	require.NoError(t, db.Write(ctx, op, spoil))
	assert.NotEqual(t, taken, op.Result().Reference)
	transactions := 0
	for _, r := range stop() {
		if r.Operation == "TransactWriteItems" {
			transactions++
		}
	}
	assert.Equal(t, 2, transactions)
	assert.Equal(t, []int{4, 4, 4}, hotel.Left(t, db.DB, fixture.Stay), "sold once all the same")
}

// The quote is booked as it was checked, even if the caller changes it in between.
func TestQuoteIsCopied(t *testing.T) {
	t.Parallel()
	db, hotel, repo := open(t, 3)
	q := hotel.Quote(t, db.DB, fixture.Stay, 1)
	op := repo.CreateOp(fixture.Request(q))
	q.Lines[0].Quantity = -5
	q.Lines[0].Nights[0].Price = dynastay.MustMoney("0", "USD")
	require.NoError(t, db.Write(t.Context(), op))
	assert.Equal(t, []int{2, 2, 2}, hotel.Left(t, db.DB, fixture.Stay))
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
	_, err = repo.Cancel(t.Context(), made.ID, "")
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
	got, err := repo.Cancel(t.Context(), made.ID, "")
	require.NoError(t, err)
	assert.Equal(t, []bookings.MissingNight{{RoomTypeID: hotel.RoomTypeID, Date: odd}}, got.Missing)
}
