package bookings_test

import (
	"context"
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
)

// openInJuly returns a hotel on the second day of [fixture.Stay].
func openInJuly(t *testing.T, rooms int) (*dyntest.DB, fixture.Hotel, *bookings.Repository) {
	db, hotel, repo := open(t, rooms)
	db.Clock.Set(time.Date(2026, 7, 11, 18, 0, 0, 0, time.UTC)) // 14:00 in New York
	return db, hotel, repo
}

// elsewhere returns a booking of another system, of two rooms for 150.00 and 160.50 a night.
func elsewhere(hotel fixture.Hotel, id string, stay dynastay.Stay, status bookings.Status) bookings.Import {
	room := hotel.Card().Rooms[0]
	agreed := func(price string) (all []dynastay.Money) {
		for range stay.Nights() {
			all = append(all, dynastay.MustMoney(price, "USD"))
		}
		return all
	}
	one := availability.Room{RoomTypeID: hotel.RoomTypeID, Name: room.Name, Quantity: 1, Limits: room.Limits, CancellationPolicy: availability.FreeCancellation(24)}
	two := one
	one.Agreed, two.Agreed = agreed("150.00"), agreed("160.50")
	return bookings.Import{
		ID: id, Reference: "PMS/" + id, UserID: "user_456",
		Property: availability.House{ID: hotel.ID, Name: hotel.Name, TimeZone: hotel.TimeZone, CheckInTime: hotel.CheckInTime},
		Stay:     stay, Guests: availability.Guests{Adults: 3}, Rooms: []availability.Room{one, two},
		Guest:     bookings.Guest{FirstName: "Ada", LastName: "Byron", Email: "ada@example.com"},
		Status:    status,
		CreatedAt: time.Date(2025, 1, 2, 3, 4, 5, 678_000_000, time.UTC),
	}
}

// A booking of every status is stored as it is in the other system, and takes the rooms that it has, from today on.
func TestImport(t *testing.T) {
	t.Parallel()
	ahead, begun, over := dynastay.MustStay("2026-07-12", "2026-07-14"), dynastay.MustStay("2026-07-10", "2026-07-13"), dynastay.MustStay("2026-07-01", "2026-07-03")
	at := func(day, hour int) time.Time { return time.Date(2026, 7, day, hour, 0, 0, 0, time.UTC) }
	for name, test := range map[string]struct {
		stay  dynastay.Stay
		give  func(*bookings.Import)
		taken dynastay.Stay
		want  func(*bookings.Booking)
	}{
		"pending": {ahead, func(i *bookings.Import) {
			i.Status, i.CreatedAt, i.HoldExpiresAt = bookings.Pending, at(10, 0), at(20, 0)
		}, ahead, func(b *bookings.Booking) { b.HoldExpiresAt = at(20, 0) }},
		"confirmed": {ahead, func(i *bookings.Import) { i.Status = bookings.Confirmed }, ahead,
			func(b *bookings.Booking) { b.ConfirmedAt = b.CreatedAt }},
		"confirmed later, for today": {dynastay.MustStay("2026-07-11", "2026-07-12"), func(i *bookings.Import) {
			i.Status, i.ConfirmedAt = bookings.Confirmed, at(1, 0)
		}, dynastay.MustStay("2026-07-11", "2026-07-12"), func(b *bookings.Booking) { b.ConfirmedAt = at(1, 0) }},
		"in the house since yesterday": {begun, func(i *bookings.Import) {
			i.Status, i.CheckedInAt = bookings.CheckedIn, at(10, 19)
		}, dynastay.MustStay("2026-07-11", "2026-07-13"), func(b *bookings.Booking) {
			b.CheckedInAt, b.Released = at(10, 19), dynastay.MustStay("2026-07-10", "2026-07-11")
		}},
		"still in the house": {over, func(i *bookings.Import) { i.Status = bookings.CheckedIn }, dynastay.Stay{}, func(b *bookings.Booking) {
			b.Released = over
		}},
		"no-show of yesterday": {begun, func(i *bookings.Import) { i.Status = bookings.NoShow }, dynastay.Stay{},
			func(b *bookings.Booking) { b.Released = begun }},
		"gone": {over, func(i *bookings.Import) {
			i.Status, i.ConfirmedAt, i.CheckedInAt, i.CheckedOutAt = bookings.Completed, at(1, 0), at(1, 19), at(3, 10)
		}, dynastay.Stay{}, func(b *bookings.Booking) {
			b.ConfirmedAt, b.CheckedInAt, b.CheckedOutAt, b.Released = at(1, 0), at(1, 19), at(3, 10), over
		}},
		"gone earlier": {begun, func(i *bookings.Import) { i.Status, i.CheckedOutAt = bookings.Completed, at(11, 9) }, dynastay.Stay{},
			func(b *bookings.Booking) { b.CheckedOutAt, b.Released = at(11, 9), begun }},
		"cancelled": {ahead, func(i *bookings.Import) {
			i.Status, i.CancelledAt, i.CancellationReason = bookings.Cancelled, at(9, 0), "a change of plans"
		}, dynastay.Stay{}, func(b *bookings.Booking) { b.CancelledAt, b.CancellationReason = at(9, 0), "a change of plans" }},
		"expired": {ahead, func(i *bookings.Import) {
			i.Status, i.CreatedAt, i.HoldExpiresAt = bookings.Expired, at(10, 0), at(10, 1)
		}, dynastay.Stay{}, func(b *bookings.Booking) { b.HoldExpiresAt = at(10, 1) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			db, hotel, repo := openInJuly(t, 5)
			given := elsewhere(hotel, "pms-1", test.stay, "")
			test.give(&given)
			made, err := repo.Import(ctx, given)
			require.NoError(t, err)

			got, err := repo.Get(ctx, "pms-1")
			require.NoError(t, err)
			assert.Equal(t, made, got, "what is stored is what was returned")
			want := bookings.Booking{
				Summary: bookings.Summary{
					ID: "pms-1", Reference: "PMS/pms-1", UserID: "user_456", PropertyID: hotel.ID, PropertyName: hotel.Name,
					Guest: given.Guest, Stay: test.stay, Guests: given.Guests, Rooms: 2, Status: given.Status, PaymentStatus: bookings.PaymentPending,
					Total: got.Total, CreatedAt: given.CreatedAt,
				},
				Breakdown:          bookings.Breakdown{Rooms: got.Total, TaxesAndFees: usd("0"), Discounts: usd("0")},
				CancellationPolicy: availability.FreeCancellation(24), TimeZone: hotel.TimeZone, CheckInTime: "15:00",
				UpdatedAt: given.CreatedAt, Version: 1, Lines: got.Lines, LastLine: 2,
			}
			test.want(&want)
			assert.Equal(t, want, *got)
			nightly := usd("310.50")
			total, err := nightly.Times(test.stay.Nights())
			require.NoError(t, err)
			assert.Equal(t, total, got.Total)
			require.Len(t, got.Lines, 2)
			assert.True(t, got.Lines[0].Agreed && got.Lines[1].Agreed)

			month := dynastay.MustStay("2026-07-01", "2026-08-01")
			left := hotel.Left(t, db.DB, month)
			for i, n := range left {
				taken := 0
				if !test.taken.CheckIn.IsZero() && test.taken.Contains(month.CheckIn.AddDays(i)) {
					taken = 2
				}
				assert.Equal(t, 5-taken, n, "%s", month.CheckIn.AddDays(i))
			}
			found, err := repo.ByReference(ctx, "PMS/pms-1", dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, got, found)
		})
	}
}

// A booking that was made elsewhere is the library's own from now on: it is paid, changed and cancelled as any other.
func TestImportedBookingGoesOn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := openInJuly(t, 5)
	stay := dynastay.MustStay("2026-07-20", "2026-07-22")
	_, err := repo.Import(ctx, elsewhere(hotel, "pms-1", stay, bookings.Confirmed))
	require.NoError(t, err)
	assert.Equal(t, []int{3, 3}, hotel.Left(t, db.DB, stay))

	cancelled, err := repo.Cancel(ctx, "pms-1", "", nil)
	require.NoError(t, err)
	assert.Empty(t, cancelled.Missing)
	assert.Equal(t, []int{5, 5}, hotel.Left(t, db.DB, stay))
}

// Of guests who have been in the house since before the import, no night comes back that was never taken.
func TestImportedGuestsInTheHouse(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	_, hotel, repo := openInJuly(t, 5)
	_, err := repo.Import(ctx, elsewhere(hotel, "pms-1", dynastay.MustStay("2026-07-10", "2026-07-13"), bookings.CheckedIn))
	require.NoError(t, err)
	_, err = repo.UndoCheckIn(ctx, "pms-1")
	require.ErrorIs(t, err, dynastay.ErrRefused)
	house, err := repo.InHouse(hotel.ID).Page(ctx, dynastay.Paging{})
	require.NoError(t, err)
	require.Len(t, house.Items, 1)
	left, err := repo.CheckOut(ctx, "pms-1")
	require.NoError(t, err)
	assert.Equal(t, bookings.Completed, left.Status)
	_, err = repo.UndoCheckOut(ctx, "pms-1")
	require.NoError(t, err, "they have their rooms")
}

// Guests who had left before the import, or never came, have no rooms. They get some only if there are any.
func TestImportedGuestsWithoutRooms(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := openInJuly(t, 2)
	stay := dynastay.MustStay("2026-07-10", "2026-07-13")
	gone := elsewhere(hotel, "gone", stay, bookings.Completed)
	gone.CheckedInAt, gone.CheckedOutAt = db.Clock.Now().Add(-2*time.Hour), db.Clock.Now().Add(-time.Hour)
	_, err := repo.Import(ctx, gone)
	require.NoError(t, err)
	_, err = repo.UndoCheckOut(ctx, "gone")
	require.ErrorIs(t, err, bookings.ErrReleased)

	_, err = repo.Import(ctx, elsewhere(hotel, "missed", stay, bookings.NoShow))
	require.NoError(t, err)
	_, err = repo.Release(ctx, "missed")
	require.ErrorIs(t, err, bookings.ErrReleased)
	assert.Equal(t, []int{2, 2, 2}, hotel.Left(t, db.DB, stay))
	_, err = repo.Reinstate(ctx, "missed")
	require.NoError(t, err)
	assert.Equal(t, []int{2, 0, 0}, hotel.Left(t, db.DB, stay))
	_, err = repo.UndoCheckIn(ctx, "missed")
	require.ErrorIs(t, err, bookings.ErrReleased)
}

// An import that is repeated when it could not be made any more is told that the booking exists, too.
func TestImportAgainLater(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := openInJuly(t, 5)
	i := elsewhere(hotel, "pms-1", dynastay.MustStay("2026-07-12", "2026-07-14"), bookings.Confirmed)
	_, err := repo.Import(ctx, i)
	require.NoError(t, err)
	db.Clock.Advance(48 * time.Hour)
	_, err = repo.Import(ctx, i)
	blame.Of(t, err, dynastay.ErrAlreadyExists, "")
	i.ID, i.Reference = "pms-2", "other"
	_, err = repo.Import(ctx, i)
	blame.Invalid(t, err, "Status")
}

// The payments and refunds are those of the other system, and say what is still due.
func TestImportWithPayments(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	_, hotel, repo := openInJuly(t, 5)
	i := elsewhere(hotel, "pms-1", dynastay.MustStay("2026-07-20", "2026-07-22"), bookings.Confirmed)
	i.TaxesAndFees, i.Discounts, i.PromoCode, i.Total = usd("40.00"), usd("61.00"), "SUMMER10", usd("600.00")
	paidAt := time.Date(2025, 2, 3, 4, 5, 6, 0, time.UTC)
	i.Payments = []bookings.Payment{
		{ID: "p1", Provider: "pms", ProviderTransactionID: "cash-1", Method: "cash", Amount: usd("500.00"), Status: bookings.PaymentPaid, At: paidAt},
		{Provider: "pms", ProviderTransactionID: "card-2", Method: "card", Amount: usd("100.00"), Status: bookings.PaymentFailed, At: paidAt.Add(time.Hour), FailureReason: "declined"},
	}
	i.Refunds = []bookings.Refund{{ID: "r1", Amount: usd("20.50"), At: paidAt.Add(2 * time.Hour), Reason: "a broken shower"}}
	made, err := repo.Import(ctx, i)
	require.NoError(t, err)
	assert.Equal(t, "600.00 USD", made.Total.String())
	assert.Equal(t, "SUMMER10", made.PromoCode)
	assert.Equal(t, bookings.PaymentPartiallyRefunded, made.PaymentStatus)
	got, err := repo.Get(ctx, "pms-1")
	require.NoError(t, err)
	assert.Equal(t, made, got)

	history, err := repo.PaymentHistory(ctx, "pms-1")
	require.NoError(t, err)
	require.Len(t, history.Payments, 2)
	assert.NotEmpty(t, history.Payments[1].ID)
	want := i.Payments
	want[1].ID = history.Payments[1].ID
	for n := range want {
		want[n].BookingID, want[n].CreatedAt = "pms-1", want[n].At
	}
	assert.Equal(t, want, history.Payments)
	refund := i.Refunds[0]
	refund.BookingID, refund.ProviderTransactionID, refund.Status, refund.CreatedAt = "pms-1", "cash-1", bookings.PaymentRefunded, refund.At
	assert.Equal(t, []bookings.Refund{refund}, history.Refunds)

	summary, err := repo.Payment(ctx, "pms-1")
	require.NoError(t, err)
	assert.Equal(t, "500.00 USD 20.50 USD", summary.Paid.String()+" "+summary.Refunded.String())
	again, err := repo.RecordPayment(ctx, i.Payments[0])
	require.NoError(t, err)
	assert.Equal(t, summary, again.Payment, "a notification that arrives again changes nothing")
}

// If there are not enough rooms, nothing is stored, unless the nights may be overbooked.
func TestImportWithoutRooms(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := openInJuly(t, 3)
	stay := dynastay.MustStay("2026-07-12", "2026-07-14")
	_, err := repo.Import(ctx, elsewhere(hotel, "pms-1", stay, bookings.Confirmed))
	require.NoError(t, err)

	second := elsewhere(hotel, "pms-2", stay, bookings.Confirmed)
	_, err = repo.Import(ctx, second)
	refused := blame.As[*bookings.Refused](t, err)
	require.Len(t, refused.Nights, 2)
	assert.Equal(t, availability.SoldOut, refused.Nights[0].Reason)
	_, err = repo.Get(ctx, "pms-2")
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.Equal(t, []int{1, 1}, hotel.Left(t, db.DB, stay))

	second.Overbook = 1
	made, err := repo.Import(ctx, second)
	require.NoError(t, err)
	assert.Equal(t, []int{-1, -1}, hotel.Left(t, db.DB, stay))
	assert.Len(t, made.Lines[0].Overbooked, 2)

	cancelled := elsewhere(hotel, "pms-3", stay, bookings.Cancelled)
	cancelled.CancelledAt = cancelled.CreatedAt
	_, err = repo.Import(ctx, cancelled)
	require.NoError(t, err, "it needs no rooms")
}

// What exists wins over everything else: also over the rooms that the first import has taken.
func TestImportAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := openInJuly(t, 2)
	stay := dynastay.MustStay("2026-07-12", "2026-07-14")
	first := elsewhere(hotel, "pms-1", stay, bookings.Confirmed)
	first.Payments = []bookings.Payment{{Provider: "pms", ProviderTransactionID: "1", Method: "cash", Amount: usd("1.00"), Status: bookings.PaymentPaid, At: first.CreatedAt}}
	first.Source, first.UniqueReference = bookings.Source{Channel: "pms", ExternalReference: "x-1"}, true
	made, err := repo.Import(ctx, first)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 0}, hotel.Left(t, db.DB, stay))

	exists := func(i bookings.Import, field string) {
		t.Helper()
		_, err := repo.Import(ctx, i)
		blame.Of(t, err, dynastay.ErrAlreadyExists, field)
	}
	exists(first, "")
	over := first
	over.Stay, over.Status, over.Rooms = dynastay.MustStay("2026-07-01", "2026-07-03"), bookings.Completed, first.Rooms
	exists(over, "")
	other := first
	other.ID = "pms-2"
	exists(other, "ExternalReference")
	other.UniqueReference = false
	exists(other, "Reference")
	other.Reference = ""
	_, err = repo.Import(ctx, other)
	blame.As[*bookings.Refused](t, err)
	got, err := repo.Get(ctx, "pms-1", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, made, got)
	assert.Equal(t, []int{0, 0}, hotel.Left(t, db.DB, stay))
}

// The answer to an import is lost. The booking takes its rooms once.
func TestImportWithALostAnswer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := openInJuly(t, 5)
	stay := dynastay.MustStay("2026-07-12", "2026-07-14")
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	made, err := repo.Import(ctx, elsewhere(hotel, "pms-1", stay, bookings.Confirmed))
	require.NoError(t, err)
	assert.Equal(t, "pms-1", made.ID)
	assert.Equal(t, []int{3, 3}, hotel.Left(t, db.DB, stay))
}

// Between the check and the write, another booking with the id is stored.
func TestImportOfTheSameBookingAtTheSameTime(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, hotel, repo := openInJuly(t, 2)
	i := elsewhere(hotel, "pms-1", dynastay.MustStay("2026-07-12", "2026-07-14"), bookings.Confirmed)
	direct := bookings.New(db.Direct, nil)
	db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
		_, err := direct.Import(ctx, i)
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	_, err := repo.Import(ctx, i)
	blame.Of(t, err, dynastay.ErrAlreadyExists, "")
}

// A reference that is drawn is drawn again if it is taken.
func TestImportDrawsAReference(t *testing.T) {
	t.Parallel()
	_, hotel, repo := openInJuly(t, 5)
	i := elsewhere(hotel, "pms-1", dynastay.MustStay("2026-07-12", "2026-07-14"), bookings.Confirmed)
	i.Reference = ""
	made, err := repo.Import(t.Context(), i)
	require.NoError(t, err)
	assert.Regexp(t, `^BKG-2026-[0-9A-HJKMNP-TV-Z]{6}$`, made.Reference)
}
