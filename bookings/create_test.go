package bookings_test

import (
	"context"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

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
	refused := blame.As[*bookings.Refused](t, err)
	assert.Equal(t, []availability.RefusedNight{
		{RoomTypeID: hotel.RoomTypeID, Date: dynastay.MustDate("2026-07-10"), Reason: availability.SoldOut, Left: 1},
		{RoomTypeID: hotel.RoomTypeID, Date: dynastay.MustDate("2026-07-11"), Reason: availability.SoldOut, Left: 1},
	}, refused.Nights)
	assert.Equal(t, []int{1, 1, 2}, hotel.Left(t, db.DB, fixture.Stay), "nothing was taken")
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
				raw.Put(t, db, bookingsTable, dynastay.Item{"PK": dynastay.Text("REFERENCE#" + taken), "SK": dynastay.Text("GUARD"), "BookingId": dynastay.Text("bkg_other")})
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

// overbooked quotes one room, although none may be left.
func overbooked(t *testing.T, db *dynastay.DB, hotel fixture.Hotel, limit int) *availability.Quote {
	t.Helper()
	req := availability.QuoteRequest{
		Property: availability.House{ID: hotel.ID, Name: hotel.Name, TimeZone: hotel.TimeZone},
		Stay:     fixture.Stay, Guests: availability.Guests{Adults: 1}, Overbook: limit,
		Rooms: []availability.Room{{RoomTypeID: hotel.RoomTypeID, Name: "Deluxe King", Quantity: 1, Limits: hotel.Rooms[0].Limits}},
	}
	q, err := availability.New(db).Quote(t.Context(), req)
	require.NoError(t, err)
	return q
}

// The line of a booking says on which nights it overbooked, also when it is read again and when the call is repeated.
func TestBookingsReportOverbookedNights(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, bookingTables, dyntest.With(dynastay.Options{Clock: fixture.Clock}))
	hotel := fixture.New(t, db.DB, 1)
	repo := bookings.New(db.DB, nil)
	full := fixture.Request(hotel.Quote(t, db.DB, dynastay.MustStay("2026-07-11", "2026-07-12"), 1))
	_, err := repo.Create(t.Context(), full)
	require.NoError(t, err)

	req := fixture.Request(overbooked(t, db.DB, hotel, 1))
	want := []dynastay.Date{dynastay.MustDate("2026-07-11")}
	assert.Equal(t, want, req.Quote.Lines[0].Overbooked)
	key := dynastay.IdempotencyKey("front desk")
	made, err := repo.Create(t.Context(), req, key)
	require.NoError(t, err)
	assert.Equal(t, want, made.Lines[0].Overbooked)
	read, err := repo.Get(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, want, read.Lines[0].Overbooked)
	replayed, err := repo.Create(t.Context(), req, key)
	require.NoError(t, err)
	assert.Equal(t, made.ID, replayed.ID)
	assert.Equal(t, want, replayed.Lines[0].Overbooked)
	assert.Equal(t, []int{0, -1, 0}, hotel.Left(t, db.DB, fixture.Stay))

	// The limit is part of what the caller agreed to.
	other := req
	other.Quote = req.Quote.Clone()
	other.Quote.Overbook = 2
	_, err = repo.Create(t.Context(), other, key)
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)

	_, err = repo.Cancel(t.Context(), made.ID, "", nil)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 0, 1}, hotel.Left(t, db.DB, fixture.Stay))
}

func TestLimitsOfHolds(t *testing.T) {
	t.Parallel()
	l := begin(t, 10)
	req := fixture.Request(l.hotel.Quote(t, l.DB.DB, fixture.Stay, 1))
	for _, length := range []time.Duration{-time.Hour, -1, 1, bookings.MinHold - 1, bookings.MaxHold + 1} {
		stop := l.Faults.Record()
		req.Hold = length
		_, err := l.repo.Create(t.Context(), req)
		blame.Invalid(t, err, "Hold")
		assert.Empty(t, stop())
	}
	for _, length := range []time.Duration{bookings.MinHold, bookings.MaxHold} {
		req.Hold = length
		b, err := l.repo.Create(t.Context(), req)
		require.NoError(t, err)
		assert.Equal(t, booked.Add(length), b.HoldExpiresAt)
	}
}
