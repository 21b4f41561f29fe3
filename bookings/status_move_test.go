package bookings_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/wire"
)

// act is a call that changes the status of a booking.
type act struct {
	verb string
	from []bookings.Status
	to   bookings.Status
	back bool // the rooms are returned
	do   func(context.Context, *bookings.Repository, string, ...dynastay.WriteOption) (*bookings.Booking, error)
}

var acts = []act{
	{"confirm", []bookings.Status{bookings.Pending}, bookings.Confirmed, false,
		func(ctx context.Context, r *bookings.Repository, id string, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return r.Confirm(ctx, id, nil, opts...)
		}},
	{"check in", []bookings.Status{bookings.Confirmed}, bookings.CheckedIn, false,
		func(ctx context.Context, r *bookings.Repository, id string, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return r.CheckIn(ctx, id, nil, opts...)
		}},
	{"check out", []bookings.Status{bookings.CheckedIn}, bookings.Completed, false,
		func(ctx context.Context, r *bookings.Repository, id string, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return r.CheckOut(ctx, id, opts...)
		}},
	{"record a no-show for", []bookings.Status{bookings.Confirmed}, bookings.NoShow, false,
		func(ctx context.Context, r *bookings.Repository, id string, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return r.NoShow(ctx, id, opts...)
		}},
	{"cancel", []bookings.Status{bookings.Pending, bookings.Confirmed}, bookings.Cancelled, true,
		func(ctx context.Context, r *bookings.Repository, id string, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			c, err := r.Cancel(ctx, id, "", nil, opts...)
			return c.Booking, err
		}},
	{"expire", []bookings.Status{bookings.Pending}, bookings.Expired, true,
		func(ctx context.Context, r *bookings.Repository, id string, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			c, err := r.Expire(ctx, id, opts...)
			return c.Booking, err
		}},
	{"undo the check-in of", []bookings.Status{bookings.CheckedIn}, bookings.Confirmed, false,
		func(ctx context.Context, r *bookings.Repository, id string, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return r.UndoCheckIn(ctx, id, opts...)
		}},
	{"undo the check-out of", []bookings.Status{bookings.Completed}, bookings.CheckedIn, false,
		func(ctx context.Context, r *bookings.Repository, id string, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return r.UndoCheckOut(ctx, id, opts...)
		}},
	{"reinstate", []bookings.Status{bookings.NoShow}, bookings.CheckedIn, false,
		func(ctx context.Context, r *bookings.Repository, id string, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return r.Reinstate(ctx, id, opts...)
		}},
	{"release the nights of", []bookings.Status{bookings.NoShow}, bookings.NoShow, true,
		func(ctx context.Context, r *bookings.Repository, id string, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			c, err := r.Release(ctx, id, opts...)
			return c.Booking, err
		}},
}

// wait lets the time come at which a call is possible in the status from which it leads.
func (a act) wait(clock *dyntest.Clock) {
	switch a.verb {
	case "expire":
		clock.Advance(2 * time.Minute)
	case "record a no-show for":
		clock.Set(noon(fixture.Stay.CheckIn.AddDays(1)))
	}
}

// actTo returns the call that leads to a status.
func actTo(status bookings.Status) act {
	return acts[slices.IndexFunc(acts, func(a act) bool { return a.to == status })]
}

// noon is the time of day at the hotel, which is in New York, on a date.
func noon(date dynastay.Date) time.Time { return date.Time().Add(16 * time.Hour) }

// life is a hotel with one booking.
type life struct {
	*dyntest.DB
	hotel fixture.Hotel
	repo  *bookings.Repository
}

// booked is when bookings are made, and holdFor how long the rooms are held: until a minute after noon of the day of arrival.
var booked = noon(fixture.Stay.CheckIn.AddDays(-10))

const holdFor = 10*24*time.Hour + time.Minute

func begin(t *testing.T, rooms int) *life {
	t.Helper()
	db, hotel, repo := open(t, rooms)
	db.Clock.Set(booked)
	return &life{db, hotel, repo}
}

// held returns a pending booking.
func (l *life) held(t *testing.T) *bookings.Booking {
	t.Helper()
	req := fixture.Request(l.hotel.Quote(t, l.DB.DB, fixture.Stay, 1))
	req.Hold = holdFor
	b, err := l.repo.Create(t.Context(), req)
	require.NoError(t, err)
	return b
}

// reach returns a booking with a status. It is then noon of the day of arrival, or two minutes later if a hold has ended.
func (l *life) reach(t *testing.T, status bookings.Status) *bookings.Booking {
	t.Helper()
	l.Clock.Set(booked)
	b := l.held(t)
	l.Clock.Set(noon(fixture.Stay.CheckIn))
	return l.lead(t, b, status)
}

func (l *life) lead(t *testing.T, b *bookings.Booking, status bookings.Status) *bookings.Booking {
	t.Helper()
	if status == b.Status {
		return b
	}
	a := actTo(status)
	b = l.lead(t, b, a.from[0])
	a.wait(l.Clock)
	b, err := a.do(t.Context(), l.repo, b.ID)
	require.NoError(t, err)
	return b
}

var statuses = []bookings.Status{
	bookings.Pending, bookings.Confirmed, bookings.CheckedIn, bookings.Completed, bookings.Cancelled, bookings.NoShow, bookings.Expired,
}

// Every call is tried in every status. It makes the move, together with the inventory, or it changes nothing.
func TestMoves(t *testing.T) {
	t.Parallel()
	l := begin(t, 100)
	for _, status := range statuses {
		for _, a := range acts {
			t.Run(fmt.Sprint(status, " ", a.verb), func(t *testing.T) {
				before := l.reach(t, status)
				left := l.hotel.Left(t, l.DB.DB, fixture.Stay)
				a.wait(l.Clock)
				l.Clock.Advance(time.Second)
				after, err := a.do(t.Context(), l.repo, before.ID)
				stored, getErr := l.repo.Get(t.Context(), before.ID, dynastay.Consistent)
				require.NoError(t, getErr)
				if !slices.Contains(a.from, status) {
					state := blame.As[*bookings.StatusError](t, err)
					assert.Equal(t, &bookings.StatusError{BookingID: before.ID, Status: status, Op: a.verb}, state)
					assert.Equal(t, "cannot "+a.verb+" booking "+before.ID+": its status is "+string(status), err.Error())
					assert.Equal(t, before, stored)
					assert.Equal(t, left, l.hotel.Left(t, l.DB.DB, fixture.Stay))
					return
				}
				require.NoError(t, err)
				assert.Equal(t, stored, after)
				assert.Equal(t, a.to, after.Status)
				assert.Equal(t, before.Version+1, after.Version)
				assert.Equal(t, l.Clock.Now(), after.UpdatedAt)
				if a.back {
					for i := range left {
						if a.to != bookings.NoShow || i > 0 { // the first night of a no-show is over
							left[i]++
						}
					}
				}
				assert.Equal(t, left, l.hotel.Left(t, l.DB.DB, fixture.Stay))
				_, err = a.do(t.Context(), l.repo, before.ID)
				blame.As[*bookings.StatusError](t, err, "once")
				assert.Equal(t, left, l.hotel.Left(t, l.DB.DB, fixture.Stay))
			})
		}
	}
}

// The times at which a booking has moved.
func TestTimesOfMoves(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	b := l.held(t)
	assert.Equal(t, bookings.Pending, b.Status)
	assert.Equal(t, booked.Add(holdFor), b.HoldExpiresAt)
	assert.True(t, b.ConfirmedAt.IsZero())
	assert.Equal(t, []int{4, 4, 4}, l.hotel.Left(t, l.DB.DB, fixture.Stay))
	times := map[bookings.Status]time.Time{}
	for _, status := range []bookings.Status{bookings.Confirmed, bookings.CheckedIn, bookings.Completed} {
		times[status] = noon(fixture.Stay.CheckIn).Add(time.Duration(len(times)) * time.Hour)
		l.Clock.Set(times[status].Add(-time.Second))
		b = l.lead(t, b, status)
		times[status] = l.Clock.Now()
	}
	assert.True(t, b.HoldExpiresAt.IsZero(), "it is held no longer")
	assert.Equal(t, times[bookings.Confirmed], b.ConfirmedAt)
	assert.Equal(t, times[bookings.CheckedIn], b.CheckedInAt)
	assert.Equal(t, times[bookings.Completed], b.CheckedOutAt)
	undone, err := l.repo.UndoCheckOut(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Zero(t, undone.CheckedOutAt)
	b = l.lead(t, undone, bookings.Completed)
	stored, err := l.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, b, stored)
}

// What the clock at the property allows, to the millisecond. New York is four hours behind UTC in July.
func TestMovesInTime(t *testing.T) {
	t.Parallel()
	midnight := func(date dynastay.Date) time.Time { return date.Time().Add(4 * time.Hour) }
	arrival, departure := fixture.Stay.CheckIn, fixture.Stay.CheckOut
	end := noon(arrival).Add(time.Minute) // of the hold
	l := begin(t, 100)
	for _, test := range []struct {
		status  bookings.Status
		verb    string
		first   time.Time // from when it is possible
		tooSoon error
		last    time.Time // until before when it is possible; zero for no end
		tooLate error
	}{
		{bookings.Pending, "confirm", booked, nil, end, bookings.ErrHoldEnded},
		{bookings.Pending, "expire", end.Add(time.Minute), bookings.ErrHoldOpen, time.Time{}, nil},
		{bookings.Pending, "cancel", booked, nil, midnight(departure.AddDays(1)), bookings.ErrTooLate},
		{bookings.Confirmed, "cancel", booked, nil, midnight(departure.AddDays(1)), bookings.ErrTooLate},
		{bookings.Confirmed, "check in", midnight(arrival), bookings.ErrTooEarly, midnight(departure.AddDays(1)), bookings.ErrTooLate},
		{bookings.Confirmed, "record a no-show for", midnight(arrival.AddDays(1)), bookings.ErrStillExpected, time.Time{}, nil},
		{bookings.NoShow, "reinstate", noon(arrival.AddDays(1)), nil, midnight(departure.AddDays(1)), bookings.ErrTooLate},
		{bookings.NoShow, "release the nights of", noon(arrival.AddDays(1)), nil, midnight(departure), bookings.ErrTooLate},
		{bookings.CheckedIn, "undo the check-in of", noon(arrival), nil, midnight(arrival.AddDays(1)), bookings.ErrAnotherDay},
		{bookings.Completed, "undo the check-out of", noon(arrival), nil, midnight(arrival.AddDays(1)), bookings.ErrAnotherDay},
		{bookings.CheckedIn, "check out", midnight(arrival), nil, time.Time{}, nil},
	} {
		t.Run(test.verb, func(t *testing.T) {
			a := acts[slices.IndexFunc(acts, func(a act) bool { return a.verb == test.verb })]
			refused := func(l *life, id string, reason error) {
				t.Helper()
				left := l.hotel.Left(t, l.DB.DB, fixture.Stay)
				_, err := a.do(t.Context(), l.repo, id)
				require.ErrorIs(t, err, reason)
				assert.Equal(t, &bookings.StatusError{BookingID: id, Status: test.status, Op: test.verb, Err: reason}, err)
				assert.Equal(t, "cannot "+test.verb+" booking "+id+": "+reason.Error(), err.Error())
				assert.Equal(t, left, l.hotel.Left(t, l.DB.DB, fixture.Stay))
			}
			early, late := l.reach(t, test.status), l.reach(t, test.status)
			if test.tooSoon != nil {
				l.Clock.Set(test.first.Add(-time.Millisecond))
				refused(l, early.ID, test.tooSoon)
			}
			l.Clock.Set(test.first)
			_, err := a.do(t.Context(), l.repo, early.ID)
			assert.NoError(t, err)
			if test.tooLate == nil {
				l.Clock.Set(noon(departure.AddDays(365)))
				_, err = a.do(t.Context(), l.repo, late.ID)
				assert.NoError(t, err)
				return
			}
			l.Clock.Set(test.last)
			refused(l, late.ID, test.tooLate)
			l.Clock.Set(test.last.Add(-time.Millisecond))
			_, err = a.do(t.Context(), l.repo, late.ID)
			assert.NoError(t, err)
		})
	}
}

// With an idempotency key, a call that is repeated later returns the booking, whatever has become of it.
func TestMovesAreRepeated(t *testing.T) {
	t.Parallel()
	l := begin(t, 100)
	for _, a := range acts {
		t.Run(a.verb, func(t *testing.T) {
			b := l.reach(t, a.from[0])
			a.wait(l.Clock)
			key := dynastay.IdempotencyKey(a.verb)
			l.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
			stop := l.Faults.Record()
			first, err := a.do(t.Context(), l.repo, b.ID, key)
			require.NoError(t, err)
			left := l.hotel.Left(t, l.Direct, fixture.Stay)
			l.Clock.Set(noon(fixture.Stay.CheckOut.AddDays(20)))
			again, err := a.do(t.Context(), l.repo, b.ID, key)
			require.NoError(t, err)
			assert.Equal(t, first, again)
			wire.Consistent(t, stop(), "what another process has just written decides")
			assert.Equal(t, left, l.hotel.Left(t, l.DB.DB, fixture.Stay))
			other := l.reach(t, a.from[0])
			_, err = a.do(t.Context(), l.repo, other.ID, key)
			assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
		})
	}
}

// A booking that does not exist, and an id that cannot be one.
func TestMovesOfNoBooking(t *testing.T) {
	t.Parallel()
	l := begin(t, 1)
	for _, a := range acts {
		_, err := a.do(t.Context(), l.repo, "bkg_none")
		assert.ErrorIs(t, err, dynastay.ErrNotFound, a.verb)
		stop := l.Faults.Record()
		_, err = a.do(t.Context(), l.repo, "a#b")
		blame.Invalid(t, err, "BookingID", a.verb)
		assert.Empty(t, stop())
	}
}

// Other software may have stored a booking without the end of its hold, or in an unknown time zone.
func TestMovesOfForeignBookings(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	endless, odd := l.held(t), l.held(t)
	removeAttributes(t, l.DB, keyOf(endless.ID), "HoldExpiresAt", "GSI6PK", "GSI6SK")
	l.Clock.Set(noon(fixture.Stay.CheckOut))
	_, err := l.repo.Expire(t.Context(), endless.ID)
	assert.ErrorIs(t, err, bookings.ErrHoldOpen)
	b, err := l.repo.Confirm(t.Context(), endless.ID, nil)
	require.NoError(t, err)
	assert.Equal(t, bookings.Confirmed, b.Status)

	setBooking(t, l.DB, keyOf(odd.ID), "TimeZone", dynastay.Text("Europe/Atlantis"))
	_, err = l.repo.Cancel(t.Context(), odd.ID, "", nil)
	assert.NoError(t, err)
}
