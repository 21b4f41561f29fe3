package bookings_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

// The rooms of a no-show are returned from tonight on, and taken anew when the guests arrive after all.
func TestReleaseAndReinstate(t *testing.T) {
	t.Parallel()
	l := begin(t, 1)
	stay := fixture.Stay // three nights
	b := l.reach(t, bookings.NoShow)
	left := func() []int { return l.hotel.Left(t, l.DB.DB, stay) }
	assert.Equal(t, []int{0, 0, 0}, left())
	released, err := l.repo.Release(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1, 1}, left())
	assert.Equal(t, dynastay.Stay{CheckIn: stay.CheckIn.AddDays(1), CheckOut: stay.CheckOut}, released.Booking.Released)

	// Somebody else takes the last night; the guests arrive the day after the first one, and cannot stay.
	last := dynastay.Stay{CheckIn: stay.CheckOut.AddDays(-1), CheckOut: stay.CheckOut}
	other, err := l.repo.Create(t.Context(), fixture.Request(l.hotel.Quote(t, l.DB.DB, last, 1)))
	require.NoError(t, err)
	_, err = l.repo.Reinstate(t.Context(), b.ID)
	refused := blame.As[*bookings.Refused](t, err)
	require.Len(t, refused.Nights, 1)
	assert.Equal(t, last.CheckIn, refused.Nights[0].Date)
	assert.Equal(t, []int{0, 1, 0}, left())

	// A day later there is a room again. The night in between has passed.
	_, err = l.repo.Cancel(t.Context(), other.ID, "", nil)
	require.NoError(t, err)
	l.Clock.Set(noon(last.CheckIn))
	back, err := l.repo.Reinstate(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, bookings.CheckedIn, back.Status)
	assert.Equal(t, l.Clock.Now(), back.CheckedInAt)
	assert.Equal(t, b.Total, back.Total)
	assert.Equal(t, dynastay.Stay{CheckIn: stay.CheckIn.AddDays(1), CheckOut: last.CheckIn}, back.Released)
	assert.Equal(t, []int{0, 1, 0}, left())
	stored, err := l.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, back, stored)
	_, err = l.repo.UndoCheckIn(t.Context(), b.ID)
	assert.ErrorIs(t, err, bookings.ErrReleased)
}

// Of two that reinstate the guests at once, one succeeds: the room that the other one misses is their own.
func TestReinstateTwice(t *testing.T) {
	t.Parallel()
	l := begin(t, 1)
	b := l.reach(t, bookings.NoShow)
	_, err := l.repo.Release(t.Context(), b.ID)
	require.NoError(t, err)
	l.Faults.Inject(dyntest.Before(func(context.Context) {
		_, err := bookings.New(l.Direct, nil).Reinstate(t.Context(), b.ID)
		assert.NoError(t, err)
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	_, err = l.repo.Reinstate(t.Context(), b.ID)
	state := blame.As[*bookings.StatusError](t, err)
	assert.Equal(t, bookings.CheckedIn, state.Status)
	assert.Equal(t, []int{0, 0, 0}, l.hotel.Left(t, l.DB.DB, fixture.Stay))
}

// Guests who arrive late get a room that is left: a limit of overbooking is for sales, whose bookings list the nights.
func TestReinstateOverbooksNothing(t *testing.T) {
	t.Parallel()
	l := begin(t, 1)
	b := l.reach(t, bookings.NoShow)
	_, err := l.repo.Release(t.Context(), b.ID)
	require.NoError(t, err)
	last := dynastay.Stay{CheckIn: fixture.Stay.LastNight(), CheckOut: fixture.Stay.CheckOut}
	_, err = availability.New(l.DB.DB).Update(t.Context(), availability.UpdateRequest{PropertyID: l.hotel.ID, Changes: []availability.Change{
		{RoomTypeIDs: []string{l.hotel.RoomTypeID}, Dates: last, OverbookLimit: aws.Int(1)},
	}})
	require.NoError(t, err)
	_, err = l.repo.Create(t.Context(), fixture.Request(l.hotel.Quote(t, l.DB.DB, last, 1)))
	require.NoError(t, err)
	_, err = l.repo.Reinstate(t.Context(), b.ID)
	refused := blame.As[*bookings.Refused](t, err)
	require.Len(t, refused.Nights, 1)
	assert.Equal(t, availability.SoldOut, refused.Nights[0].Reason)
	assert.Equal(t, last.CheckIn, refused.Nights[0].Date)
}

// A refusal of guests who arrive late counts only as long as their booking is as it was read, whoever has written it since.
func TestReinstateIsOvertaken(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]types.AttributeValue{
		keys.AttrVersion: dynastay.Number(99), keys.BookingsTable.WriteIDName(): &types.AttributeValueMemberB{Value: []byte("another")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, 1)
			b := l.reach(t, bookings.NoShow)
			_, err := l.repo.Release(t.Context(), b.ID)
			require.NoError(t, err)
			last := dynastay.Stay{CheckIn: fixture.Stay.LastNight(), CheckOut: fixture.Stay.CheckOut}
			_, err = l.repo.Create(t.Context(), fixture.Request(l.hotel.Quote(t, l.DB.DB, last, 1)))
			require.NoError(t, err)
			l.Faults.Inject(dyntest.After(func(context.Context) {
				setBooking(t, l.DB, keyOf(b.ID), "Status", dynastay.Text("cancelled"))
				setBooking(t, l.DB, keyOf(b.ID), name, v)
			}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
			_, err = l.repo.Reinstate(t.Context(), b.ID)
			state := blame.As[*bookings.StatusError](t, err)
			assert.Equal(t, bookings.Cancelled, state.Status)
		})
	}
}

// Only nights that were released are taken anew, and a booking that has all of its nights again has none that are released.
func TestReinstateTakesWhatWasReleased(t *testing.T) {
	t.Parallel()
	arrival, departure := fixture.Stay.CheckIn, fixture.Stay.CheckOut
	for _, test := range []struct {
		name     string
		release  dynastay.Date // zero for never
		back     dynastay.Date // when the guests arrive
		released dynastay.Stay // afterwards
		left     []int
	}{
		{"never released", dynastay.Date{}, arrival.AddDays(1), dynastay.Stay{}, []int{0, 0, 0}},
		{"on the same day", arrival.AddDays(1), arrival.AddDays(1), dynastay.Stay{}, []int{0, 0, 0}},
		{"on the last day", arrival.AddDays(1), departure, dynastay.Stay{CheckIn: arrival.AddDays(1), CheckOut: departure}, []int{0, 1, 1}},
		{"by a clock that is a day behind", arrival.AddDays(1), arrival, dynastay.Stay{}, []int{0, 0, 0}},
		{"after a release by a clock that is behind", arrival.AddDays(-1), arrival, dynastay.Stay{}, []int{0, 0, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, 1)
			b := l.reach(t, bookings.NoShow)
			if test.release != (dynastay.Date{}) {
				l.Clock.Set(noon(test.release))
				_, err := l.repo.Release(t.Context(), b.ID)
				require.NoError(t, err)
			}
			l.Clock.Set(noon(arrival.AddDays(-1)))
			_, err := l.repo.Reinstate(t.Context(), b.ID)
			assert.ErrorIs(t, err, bookings.ErrTooEarly)
			l.Clock.Set(noon(test.back))
			got, err := l.repo.Reinstate(t.Context(), b.ID)
			require.NoError(t, err)
			assert.Equal(t, test.released, got.Released)
			assert.Equal(t, test.left, l.hotel.Left(t, l.DB.DB, fixture.Stay))
		})
	}
}

// The nights that are released are those of the stay, even if the clock is behind.
func TestReleaseBeforeArrival(t *testing.T) {
	t.Parallel()
	l := begin(t, 2)
	b := l.reach(t, bookings.NoShow)
	l.Clock.Set(noon(fixture.Stay.CheckIn.AddDays(-1)))
	released, err := l.repo.Release(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, fixture.Stay, released.Booking.Released)
	assert.Equal(t, []int{2, 2, 2}, l.hotel.Left(t, l.DB.DB, fixture.Stay))
}

// Guests who were checked in without rooms get them later, and others; a check-in that is undone leaves no rooms.
func TestRoomsAfterCheckIn(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	b, twin := l.two(t)
	king := l.hotel.RoomTypeID
	_, err := l.repo.AssignRooms(t.Context(), b.ID, bookings.Assigned{twin: {"101"}})
	assert.Equal(t, &bookings.StatusError{BookingID: b.ID, Status: bookings.Confirmed, Op: "assign rooms to"}, err)
	_, err = l.repo.CheckIn(t.Context(), b.ID, nil)
	require.NoError(t, err)
	for _, rooms := range []bookings.Assigned{{twin: {"101"}}, {king: {"301", "302"}}, {twin: {"102"}}} {
		_, err = l.repo.AssignRooms(t.Context(), b.ID, rooms)
		require.NoError(t, err)
	}
	assigned := func() bookings.Assigned {
		b, err := l.repo.Get(t.Context(), b.ID, dynastay.Consistent)
		require.NoError(t, err)
		all := bookings.Assigned{}
		for _, line := range b.Lines {
			all[line.RoomTypeID] = line.RoomIDs
		}
		return all
	}
	assert.Equal(t, bookings.Assigned{king: {"301", "302"}, twin: {"102"}}, assigned())
	for rooms, field := range map[*bookings.Assigned]string{{}: "Rooms", {twin: {"1", "2"}}: "Rooms[" + twin + "]"} {
		_, err = l.repo.AssignRooms(t.Context(), b.ID, *rooms)
		blame.Invalid(t, err, field)
	}
	undone, err := l.repo.UndoCheckIn(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, bookings.Confirmed, undone.Status)
	assert.True(t, undone.CheckedInAt.IsZero())
	assert.Equal(t, bookings.Assigned{king: nil, twin: nil}, assigned())
	stored, err := l.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, stored, undone)
}

// A check-in without rooms is taken back without a write of the lines.
func TestUndoCheckInWithoutRooms(t *testing.T) {
	t.Parallel()
	l := begin(t, 1)
	b := l.reach(t, bookings.CheckedIn)
	stop := l.Faults.Record()
	_, err := l.repo.UndoCheckIn(t.Context(), b.ID)
	require.NoError(t, err)
	requests := stop()
	require.Len(t, requests, 2)
	assert.Equal(t, "UpdateItem", requests[1].Operation)
}

// The end of the day of arrival is where the platform says that it is.
func TestNoShowAfter(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	b := l.reach(t, bookings.Confirmed)
	repo := bookings.New(l.DB.DB, &bookings.Options{NoShowAfter: 30 * time.Hour})
	six := fixture.Stay.CheckIn.AddDays(1).Time().Add(10 * time.Hour) // in New York
	l.Clock.Set(six.Add(-time.Millisecond))
	_, err := repo.NoShow(t.Context(), b.ID)
	assert.ErrorIs(t, err, bookings.ErrStillExpected)
	l.Clock.Set(six)
	_, err = repo.NoShow(t.Context(), b.ID)
	assert.NoError(t, err)
	assert.Panics(t, func() { bookings.New(l.DB.DB, &bookings.Options{NoShowAfter: -1}) })
}

// With IfUser or IfProperty, each operation answers for the booking of somebody else exactly as for one that does not exist,
// whatever its status, and does what it does for its own.
func TestIfOwner(t *testing.T) {
	t.Parallel()
	t.Run("IfUser", func(t *testing.T) {
		t.Parallel()
		testIfOwner(t, dynastay.IfUser, func(b *bookings.Booking) string { return b.UserID })
	})
	t.Run("IfProperty", func(t *testing.T) {
		t.Parallel()
		testIfOwner(t, dynastay.IfProperty, func(b *bookings.Booking) string { return b.PropertyID })
	})
	t.Run("both", func(t *testing.T) {
		t.Parallel()
		l := begin(t, 2)
		b := l.reach(t, bookings.Confirmed)
		for _, opts := range [][]dynastay.WriteOption{
			{dynastay.IfUser(b.UserID), dynastay.IfProperty("prop_other")}, {dynastay.IfUser("user_other"), dynastay.IfProperty(b.PropertyID)},
		} {
			_, err := l.repo.Cancel(t.Context(), b.ID, "", nil, opts...)
			assert.ErrorIs(t, err, dynastay.ErrNotFound)
		}
		_, err := l.repo.Cancel(t.Context(), b.ID, "", nil, dynastay.IfUser(b.UserID), dynastay.IfProperty(b.PropertyID))
		assert.NoError(t, err)
	})
}

func testIfOwner(t *testing.T, only func(string) dynastay.WriteOption, of func(*bookings.Booking) string) {
	t.Helper()
	l := begin(t, 100)
	own, other := only(of(l.reach(t, bookings.Confirmed))), only("other")
	for _, a := range acts {
		b := l.reach(t, a.from[0])
		a.wait(l.Clock)
		_, none := a.do(t.Context(), l.repo, "bkg_none", other)
		require.ErrorIs(t, none, dynastay.ErrNotFound)
		for range 2 { // also when the status does not allow it any more
			spent := l.Measure(func() {
				_, err := a.do(t.Context(), l.repo, b.ID, other)
				require.ErrorIs(t, err, dynastay.ErrNotFound, a.verb)
				var failed, missing *dynastay.Error
				require.ErrorAs(t, err, &failed)
				require.ErrorAs(t, none, &missing)
				failed.ID = missing.ID
				assert.Equal(t, missing, failed, a.verb)
			})
			assert.Equal(t, 1, spent.Requests)
			_, _ = a.do(t.Context(), l.repo, b.ID, own)
		}
		after, err := l.repo.Get(t.Context(), b.ID, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, b.Version+1, after.Version, a.verb)
	}
	b := l.reach(t, bookings.Confirmed)
	name := bookings.Guest{FirstName: "Eve", LastName: "Doe", Email: "eve@example.com"}
	m := bookings.Modification{BookingID: b.ID, Version: b.Version + 7, Guest: &name}
	_, err := l.repo.Modify(t.Context(), m, other)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	m.Version = b.Version
	_, err = l.repo.Modify(t.Context(), m, own)
	assert.NoError(t, err)
	_, err = l.repo.RecordPayment(t.Context(), charge(b.ID, "ch_1", "1", bookings.PaymentPaid), other)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	key := dynastay.IdempotencyKey("mine")
	_, err = l.repo.Cancel(t.Context(), b.ID, "", nil, own, key)
	require.NoError(t, err)
	_, err = l.repo.Cancel(t.Context(), b.ID, "", nil, own, key)
	require.NoError(t, err)
	_, err = l.repo.Cancel(t.Context(), b.ID, "", nil, other, key)
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	for _, opts := range [][]dynastay.WriteOption{{only("")}, {own, own}} {
		_, err = l.repo.Cancel(t.Context(), b.ID, "", nil, opts...)
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
	}
	_, err = l.repo.Create(t.Context(), fixture.Request(l.hotel.Quote(t, l.DB.DB, fixture.Stay, 1)), own)
	assert.ErrorContains(t, err, "does not compare whom it belongs to")
}

// A booking in a currency that has been withdrawn since can be paid and refunded, but not made.
func TestWithdrawnCurrency(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.paidBooking(t, "")
	setBooking(t, i.DB, keyOf(b.ID), "Currency", dynastay.Text("HRK"))
	kuna := func(amount string) dynastay.Money { return dynastay.MustMoney(amount, "HRK") }
	p := charge(b.ID, "ch_1", "1", bookings.PaymentPaid)
	p.Amount = kuna("200")
	recorded, err := i.repo.ApplyPayment(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, bookings.PaymentPaid, recorded.Booking.PaymentStatus)
	done, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{{ID: "re_1", Amount: kuna("200")}})
	require.NoError(t, err)
	assert.Equal(t, bookings.PaymentRefunded, done.Booking.PaymentStatus)
	_, err = i.repo.CreatePromoCode(t.Context(), bookings.PromoCode{Code: "KUNA", Amount: kuna("5"), Active: true})
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
}
