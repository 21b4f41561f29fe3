package bookings_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// A booking is modified while its guests may still come or stay, in no other status.
func TestModifyInEveryStatus(t *testing.T) {
	t.Parallel()
	l := begin(t, 100)
	longer := dynastay.Stay{CheckIn: fixture.Stay.CheckIn, CheckOut: fixture.Stay.CheckOut.AddDays(1)}
	q := l.hotel.Quote(t, l.DB.DB, longer, 1)
	for _, status := range statuses {
		t.Run(string(status), func(t *testing.T) {
			before := l.reach(t, status)
			m := bookings.Modification{BookingID: before.ID, Version: before.Version, Quote: q}
			left := l.hotel.Left(t, l.DB.DB, longer)
			_, quoteErr := l.repo.QuoteModification(t.Context(), before.ID, availability.QuoteRequest{})
			got, err := l.repo.Modify(t.Context(), m)
			if slices.Contains([]bookings.Status{bookings.Pending, bookings.Confirmed, bookings.CheckedIn}, status) {
				require.ErrorIs(t, quoteErr, dynastay.ErrInvalid, "of the empty request")
				require.NoError(t, err)
				assert.Equal(t, status, got.Booking.Status)
				assert.Equal(t, before.HoldExpiresAt, got.Booking.HoldExpiresAt)
				left[3]--
				assert.Equal(t, left, l.hotel.Left(t, l.DB.DB, longer))
				return
			}
			for _, err := range []error{quoteErr, err} {
				state := blame.As[*bookings.StatusError](t, err)
				assert.Equal(t, &bookings.StatusError{BookingID: before.ID, Status: status, Op: "modify"}, state)
			}
			stored, err := l.repo.Get(t.Context(), before.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, before, stored)
			assert.Equal(t, left, l.hotel.Left(t, l.DB.DB, longer))
		})
	}
}

// A hold can be modified until it ends, to the millisecond, and does not become longer.
func TestModifyOfAHold(t *testing.T) {
	t.Parallel()
	l := begin(t, 10)
	b := l.held(t)
	m := bookings.Modification{BookingID: b.ID, Version: b.Version, Quote: l.hotel.Quote(t, l.DB.DB, fixture.Stay, 2)}
	l.Clock.Set(b.HoldExpiresAt)
	_, err := l.repo.Modify(t.Context(), m)
	require.ErrorIs(t, err, bookings.ErrHoldEnded)
	l.Clock.Set(b.HoldExpiresAt.Add(-time.Millisecond))
	got, err := l.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, b.HoldExpiresAt, got.Booking.HoldExpiresAt)
	l.Clock.Set(b.HoldExpiresAt.Add(bookings.DefaultHoldGrace))
	done, err := l.repo.ExpireHolds(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{b.ID}, done.Expired)
	assert.Equal(t, []int{10, 10, 10}, l.hotel.Left(t, l.DB.DB, fixture.Stay), "both rooms are returned")
}

// Nights that are over stay as they are. The time is a second before or after midnight at the property.
func TestModifyAfterTheFirstNight(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	const before, after = "2026-07-06T03:59:59Z", "2026-07-06T04:00:00Z" // midnight in New York, after the first night
	for _, test := range []struct {
		name  string
		at    string
		stay  dynastay.Stay
		rooms rooms
		field string // "" if it is possible
	}{
		{"drop tonight", before, dynastay.MustStay("2026-07-06", "2026-07-08"), rooms{"a": 1}, ""},
		{"drop last night", after, dynastay.MustStay("2026-07-06", "2026-07-08"), rooms{"a": 1}, "Stay"},
		{"add last night", after, dynastay.MustStay("2026-07-04", "2026-07-08"), rooms{"a": 1}, "Stay"},
		{"longer", after, dynastay.MustStay("2026-07-05", "2026-07-09"), rooms{"a": 1}, ""},
		{"shorter", after, dynastay.MustStay("2026-07-05", "2026-07-06"), rooms{"a": 1}, ""},
		{"another room, tonight", before, innStay, rooms{"a": 2}, ""},
		{"another room, too late", after, innStay, rooms{"a": 2}, "Stay"},
		{"another room type, too late", after, innStay, rooms{"b": 1}, "Stay"},
		{"after check-out", "2026-07-09T04:00:00Z", innStay, rooms{"a": 1}, "late"},
		{"on the day of check-out, one more night", "2026-07-09T03:59:59Z", dynastay.MustStay("2026-07-05", "2026-07-09"), rooms{"a": 1}, ""},
		{"on the day of check-out, one night less", "2026-07-09T03:59:59Z", dynastay.MustStay("2026-07-05", "2026-07-07"), rooms{"a": 1}, "Stay"},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.bookIn(t, "America/New_York", innStay, rooms{"a": 1})
			req := i.request(test.stay, test.rooms)
			req.Property.TimeZone = "America/New_York"
			at, err := time.Parse(time.RFC3339, test.at)
			require.NoError(t, err)
			// The quote is from before the nights were over, so the database has the last word.
			m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
			require.NoError(t, err)
			i.Clock.Set(at)
			_, quoteErr := i.repo.QuoteModification(t.Context(), b.ID, req)
			_, err = i.repo.Modify(t.Context(), m)
			switch test.field {
			case "":
				require.NoError(t, quoteErr)
				require.NoError(t, err)
				assert.Equal(t, takenBy(test.stay, test.rooms), i.taken(t))
				return
			case "late":
				require.ErrorIs(t, quoteErr, bookings.ErrTooLate)
				require.ErrorIs(t, err, bookings.ErrTooLate)
			default:
				blame.Invalid(t, quoteErr, "Stay")
				blame.Invalid(t, err, "Quote.Stay")
			}
			assert.Equal(t, takenBy(innStay, rooms{"a": 1}), i.taken(t))
		})
	}
}

// Once the guests have checked in, they can stay longer or leave earlier, and keep their rooms.
func TestModifyAfterCheckIn(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	for _, test := range []struct {
		name  string
		stay  dynastay.Stay
		rooms rooms
		field []string // of the quote's request and of the modification; nil if it is possible
	}{
		{"longer", dynastay.MustStay("2026-07-05", "2026-07-10"), rooms{"a": 2, "b": 1}, nil},
		{"shorter", dynastay.MustStay("2026-07-05", "2026-07-06"), rooms{"a": 2, "b": 1}, nil},
		{"later", dynastay.MustStay("2026-07-06", "2026-07-08"), rooms{"a": 2, "b": 1}, []string{"Stay.CheckIn", "Quote.Stay.CheckIn"}},
		{"a room less", innStay, rooms{"a": 1, "b": 1}, []string{"Rooms", "Quote.Lines"}},
		{"a room type less", innStay, rooms{"a": 2}, []string{"Rooms", "Quote.Lines"}},
		{"a room type more", innStay, rooms{"a": 2, "b": 1, "c": 1}, []string{"Rooms", "Quote.Lines"}},
		{"another room type", innStay, rooms{"a": 2, "c": 1}, []string{"Rooms", "Quote.Lines"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.book(t, innStay, rooms{"a": 2, "b": 1})
			i.Clock.Set(innStay.CheckIn.Time().Add(15 * time.Hour))
			m := i.quote(t, b.ID, test.stay, test.rooms)
			ids := bookings.Assigned{i.roomType("a"): {"101", "102"}, i.roomType("b"): {"201"}}
			b, err := i.repo.CheckIn(t.Context(), b.ID, ids)
			require.NoError(t, err)
			m.Version = b.Version
			_, quoteErr := i.repo.QuoteModification(t.Context(), b.ID, i.request(test.stay, test.rooms))
			got, err := i.repo.Modify(t.Context(), m)
			stored, getErr := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
			require.NoError(t, getErr)
			assert.Equal(t, []string{"101", "102"}, stored.Lines[0].RoomIDs)
			if test.field == nil {
				require.NoError(t, quoteErr)
				require.NoError(t, err)
				assert.Equal(t, stored, got.Booking)
				assert.Equal(t, takenBy(test.stay, test.rooms), i.taken(t))
				return
			}
			blame.Invalid(t, quoteErr, test.field[0])
			blame.Invalid(t, err, test.field[1])
			assert.Equal(t, b, stored)
		})
	}
}

// A request that names a room type twice asks for the sum, after check-in as before.
func TestRequestWithARoomTypeTwice(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, innStay, rooms{"a": 2})
	i.Clock.Set(innStay.CheckIn.Time().Add(15 * time.Hour))
	b, err := i.repo.CheckIn(t.Context(), b.ID, nil)
	require.NoError(t, err)
	req := i.request(dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckOut.AddDays(1)}, rooms{"a": 1})
	req.Rooms, req.Guests.Adults = append(req.Rooms, req.Rooms[0]), 2
	m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
	require.NoError(t, err)
	got, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, 2, got.Booking.Rooms)
	assert.Equal(t, takenBy(req.Stay, rooms{"a": 2}), i.taken(t))
}
