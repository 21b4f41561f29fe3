package bookings_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// bookFor books a stay for a user whose details contain nemo, with a hold if it is not 0.
func (i *inn) bookFor(t testing.TB, userID string, stay dynastay.Stay, hold time.Duration) *bookings.Booking {
	t.Helper()
	b, err := i.repo.Create(t.Context(), bookings.Request{
		Quote: i.mustQuote(t, stay, rooms{"a": 1}), UserID: userID, Hold: hold, SpecialRequests: nemo,
		Guest: bookings.Guest{FirstName: nemo, LastName: nemo, Email: nemo + "@example.com", Country: nemo},
	})
	require.NoError(t, err)
	return b
}

// A booking is over, or can be cancelled, or prevents the erasure, depending on its status and on the date at the
// property.
func TestWhichBookingsAreOver(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	const (
		over     = "over"
		cancels  = "can be cancelled"
		prevents = "prevents"
	)
	ends := dynastay.MustDate("2026-07-07")
	noon := ends.Time().Add(12 * time.Hour)
	midnight := ends.AddDays(1).Time()
	for n, test := range []struct {
		status bookings.Status
		zone   string
		now    time.Time
		hold   time.Time
		want   string
	}{
		{status: bookings.Completed, now: noon.AddDate(0, 0, -3), want: over},
		{status: bookings.Cancelled, now: noon.AddDate(0, 0, -3), want: over},
		{status: bookings.NoShow, now: noon.AddDate(0, 0, -2), want: over},
		{status: bookings.Expired, now: noon.AddDate(0, 0, -3), want: over},
		{status: bookings.Confirmed, now: noon.AddDate(0, 0, -30), want: cancels},
		{status: bookings.Confirmed, now: noon, want: cancels},
		{status: bookings.Confirmed, now: midnight.Add(-time.Millisecond), want: cancels},
		{status: bookings.Confirmed, now: midnight, want: over},
		{status: bookings.CheckedIn, now: noon, want: prevents},
		{status: bookings.CheckedIn, now: midnight.Add(-time.Millisecond), want: prevents},
		{status: bookings.CheckedIn, now: midnight, want: over},
		{status: bookings.Pending, now: noon, hold: noon.Add(time.Millisecond), want: cancels},
		{status: bookings.Pending, now: noon, hold: noon, want: over},
		{status: bookings.Pending, now: noon, want: cancels},                                 // of other software, which has not stored the end of the hold
		{status: bookings.Pending, now: midnight, want: over},                                // likewise
		{status: bookings.Pending, now: midnight, hold: midnight.Add(time.Hour), want: over}, // its dates are over
		{status: "on_request", now: noon, want: prevents},                                    // of other software
		{status: "on_request", now: midnight, want: over},                                    // likewise
		{status: bookings.Confirmed, zone: "America/New_York", now: midnight, want: cancels}, // 20:00 at the property
		{status: bookings.Confirmed, zone: "America/New_York", now: midnight.Add(4*time.Hour - 1), want: cancels},
		{status: bookings.Confirmed, zone: "America/New_York", now: midnight.Add(4 * time.Hour), want: over},
		{status: bookings.Confirmed, zone: "Pacific/Kiritimati", now: midnight.Add(-14*time.Hour - 1), want: cancels},
		{status: bookings.Confirmed, zone: "Pacific/Kiritimati", now: midnight.Add(-14 * time.Hour), want: over},
		{status: bookings.CheckedIn, zone: "Etc/GMT+12", now: midnight.Add(12*time.Hour - 1), want: prevents},
		{status: bookings.CheckedIn, zone: "Etc/GMT+12", now: midnight.Add(12 * time.Hour), want: over},
		{status: bookings.Confirmed, zone: "Mars/Olympus", now: midnight.Add(-1), want: cancels}, // counts as UTC
		{status: bookings.Confirmed, zone: "Mars/Olympus", now: midnight, want: over},
	} {
		t.Run(fmt.Sprint(n, " ", test.status, " ", test.zone, " ", test.want), func(t *testing.T) {
			id, user := fmt.Sprintf("bkg_%d", n), fmt.Sprintf("user_%d", n)
			b := &bookings.Booking{Summary: bookings.Summary{
				ID: id, Reference: "REF-" + id, UserID: user, PropertyID: "prop_1", Status: test.status, Total: dollarsOf("1"),
				Stay: dynastay.MustStay("2026-07-05", "2026-07-07"), HoldExpiresAt: test.hold, CreatedAt: innNoon,
				Guest: bookings.Guest{FirstName: nemo},
			}, TimeZone: test.zone}
			item, err := bookings.BookingEntity.Item(b)
			require.NoError(t, err)
			raw.Put(t, i.DB, bookingsTable, item)
			i.Clock.Set(test.now)
			upcoming := &bookings.UpcomingError{UserID: user, BookingIDs: []string{id}}
			for _, e := range []struct {
				*bookings.Eraser
				refuses []string
			}{{i.repo.Eraser(bookings.RefuseUpcoming), []string{cancels, prevents}}, {i.repo.Eraser(bookings.CancelUpcoming), []string{prevents}}} {
				refused := slices.Contains(e.refuses, test.want)
				stored := storedItem(t, i.DB, keyOf(id))
				err := e.Check(t.Context(), user)
				if refused {
					assert.Equal(t, upcoming, err)
				} else {
					assert.NoError(t, err)
				}
				assert.Equal(t, stored, storedItem(t, i.DB, keyOf(id)), "Check writes nothing")
				done, err := e.Erase(t.Context(), user)
				stored = storedItem(t, i.DB, keyOf(id))
				if refused {
					assert.Equal(t, upcoming, err)
					assert.Equal(t, map[string]int{}, done)
					assert.Equal(t, user, stored["UserId"])
					continue
				}
				require.NoError(t, err)
				want := map[string]int{"bookings anonymised": 1}
				status := test.status
				if test.want == cancels {
					want["bookings cancelled"], status = 1, bookings.Cancelled
				}
				assert.Equal(t, want, done)
				assert.Equal(t, string(status), stored["Status"])
				assert.Equal(t, []any{nil, nil}, []any{stored["UserId"], stored["GuestInfo"]})
				break
			}
		})
	}
}

// The error lists all bookings that are not over, and nothing is written, not even to those that are.
func TestUpcomingBookingsPreventTheErasure(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	gone := i.bookFor(t, "user_1", payStay, 0)
	_, err := i.repo.Cancel(t.Context(), gone.ID, "", nil)
	require.NoError(t, err)
	held := i.bookFor(t, "user_1", payStay, time.Hour)
	confirmed := i.bookFor(t, "user_1", payStay, 0)
	i.Clock.Advance(time.Second) // the index lists it first, and its id comes last
	inside := i.bookFor(t, "user_1", dynastay.MustStay("2026-07-01", "2026-07-03"), 0)
	_, err = i.repo.CheckIn(t.Context(), inside.ID, nil)
	require.NoError(t, err)
	another := i.bookFor(t, "user_2", payStay, 0)
	before := everything(t, i.DB)

	ids := []string{inside.ID, held.ID, confirmed.ID}
	slices.Sort(ids)
	for _, test := range []struct {
		*bookings.Eraser
		want []string
	}{{i.repo.Eraser(bookings.RefuseUpcoming), ids}, {i.repo.Eraser(bookings.CancelUpcoming), []string{inside.ID}}} {
		want := &bookings.UpcomingError{UserID: "user_1", BookingIDs: test.want}
		assert.Equal(t, want, test.Check(t.Context(), "user_1"))
		done, err := test.Erase(t.Context(), "user_1")
		assert.Equal(t, want, err)
		assert.Equal(t, map[string]int{}, done)
	}
	assert.Equal(t, before, everything(t, i.DB))

	// When the guest has left, the others are cancelled.
	_, err = i.repo.CheckOut(t.Context(), inside.ID)
	require.NoError(t, err)
	done, err := i.repo.Eraser(bookings.CancelUpcoming).Erase(t.Context(), "user_1")
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"bookings anonymised": 4, "bookings cancelled": 2}, done)
	taken := takenBy(inside.Stay, rooms{"a": 1})
	for at, n := range takenBy(payStay, rooms{"a": 1}) {
		taken[at] += n
	}
	assert.Equal(t, taken, i.taken(t))
	page, err := i.repo.ByUser("user_1").Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Empty(t, page.Items)
	stays, err := i.repo.Get(t.Context(), another.ID)
	require.NoError(t, err)
	assert.Equal(t, another, stays)
}

// An upcoming booking is cancelled without a refund and without a reason; the use of its promo code is returned.
func TestCancelUpcoming(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.code(t, bookings.PromoCode{Code: "SUMMER", Percent: 1000})
	b, err := i.repo.Create(t.Context(), i.promoRequest(t, "SUMMER"))
	require.NoError(t, err)
	_, err = i.repo.RecordPayment(t.Context(), charge(b.ID, "ch_1", b.Total.Digits(), bookings.PaymentPaid))
	require.NoError(t, err)
	require.Equal(t, 1, usesOf(t, i.DB, "SUMMER"))
	remove(t, i.DB, nightKey(i.roomType("a"), payStay.CheckIn))

	done, err := i.repo.Eraser(bookings.CancelUpcoming).Erase(t.Context(), b.UserID)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"bookings anonymised": 1, "bookings cancelled": 1, "nights missing": 1}, done)
	assert.Equal(t, 0, usesOf(t, i.DB, "SUMMER"))
	assert.Empty(t, i.taken(t))
	now, err := i.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	want := *b
	want.UserID, want.Guest, want.Status, want.CancelledAt, want.AnonymisedAt = "", bookings.Guest{}, bookings.Cancelled, innNoon, innNoon
	want.PaymentStatus, want.Version = bookings.PaymentPaid, 3
	assert.Equal(t, &want, now)
	s, err := i.repo.Payment(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, []any{b.Total, dollarsOf("0"), bookings.Card{}}, []any{s.Paid, s.Refunded, s.Card})
}

// The index may list a booking that is anonymised already or belongs to nobody else, and may not list a new one.
func TestErasureWhileTheIndexLags(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	gone := i.bookFor(t, "user_1", payStay, 0)
	deleted := i.bookFor(t, "user_1", payStay, 0)
	another := i.bookFor(t, "user_1", payStay, 0)
	eraser := i.repo.Eraser(bookings.CancelUpcoming)
	lag := i.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Table: "Bookings"})
	raw.Delete(t, i.DB, bookingsTable, keyOf(deleted.ID))
	setBooking(t, i.DB, keyOf(another.ID), "UserId", dynastay.Text("user_2"))
	done, err := eraser.Erase(t.Context(), "user_1")
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"bookings anonymised": 1, "bookings cancelled": 1}, done)
	once := storedItem(t, i.DB, keyOf(gone.ID))
	i.bookFor(t, "user_1", payStay, 0)
	done, err = eraser.Erase(t.Context(), "user_1")
	require.NoError(t, err)
	assert.Equal(t, map[string]int{}, done)
	assert.Equal(t, once, storedItem(t, i.DB, keyOf(gone.ID)))
	lag.Stop()
	done, err = eraser.Erase(t.Context(), "user_1")
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"bookings anonymised": 1, "bookings cancelled": 1}, done)
	assert.Equal(t, "confirmed", storedItem(t, i.DB, keyOf(another.ID))["Status"])
}

// What has happened to a booking since it was found decides.
func TestErasureIsOvertaken(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	first, write := dyntest.When{Operation: "Query", Nth: 2}, dyntest.When{Operation: "UpdateItem", Nth: 1}
	both := map[string]int{"bookings anonymised": 1, "bookings cancelled": 1}
	for name, test := range map[string]struct {
		hold  time.Duration // 0 for a booking that is upcoming
		at    dyntest.When
		other func(t *testing.T, i *inn, b *bookings.Booking)
		want  map[string]int
		err   any
	}{
		"erased, before it is read": {time.Second, first, func(t *testing.T, i *inn, b *bookings.Booking) {
			assert.NoError(t, second(bookings.New(i.Direct, nil).Eraser(bookings.RefuseUpcoming).Erase(t.Context(), b.UserID)))
		}, map[string]int{}, nil},
		"erased, before it is written": {time.Second, write, func(t *testing.T, i *inn, b *bookings.Booking) {
			assert.NoError(t, second(bookings.New(i.Direct, nil).Eraser(bookings.RefuseUpcoming).Erase(t.Context(), b.UserID)))
		}, map[string]int{}, nil},
		"deleted": {0, first, func(t *testing.T, i *inn, b *bookings.Booking) {
			raw.Delete(t, i.DB, bookingsTable, keyOf(b.ID))
		}, map[string]int{}, nil},
		"cancelled": {0, first, func(t *testing.T, i *inn, b *bookings.Booking) {
			assert.NoError(t, second(bookings.New(i.Direct, nil).Cancel(t.Context(), b.ID, nemo, nil)))
		}, map[string]int{"bookings anonymised": 1}, nil},
		"checked in": {0, first, func(t *testing.T, i *inn, b *bookings.Booking) {
			assert.NoError(t, second(bookings.New(i.Direct, nil).CheckIn(t.Context(), b.ID, nil)))
		}, map[string]int{}, new(*bookings.UpcomingError)},
		"spoilt": {time.Second, first, func(t *testing.T, i *inn, b *bookings.Booking) {
			setBooking(t, i.DB, keyOf(b.ID), "NumberOfAdults", dynastay.Text("two"))
		}, map[string]int{}, new(*dynastay.UnreadableError)},
		"its payment changed by other software": {
			0, dyntest.When{Operation: "TransactWriteItems", Nth: 2}, func(t *testing.T, i *inn, b *bookings.Booking) {
				raw.Set(t, i.DB, bookingsTable, dynastay.Key{PK: "BOOKING#" + b.ID, SK: "PAYMENT#ch_1"}, dynastay.Text(nemo+"2"), "CardBrand")
			}, both, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			i := inns.next(t)
			user := i.NewID("user_")
			b := i.bookFor(t, user, dynastay.MustStay("2026-07-01", "2026-07-03"), test.hold)
			i.Clock.Advance(time.Second)
			if test.at.Operation == "TransactWriteItems" {
				raw.Put(t, i.DB, bookingsTable, plant(t, b.ID)["BOOKING#"+b.ID+"/PAYMENT#ch_1"].item)
			}
			stop := i.Faults.Inject(dyntest.Before(func(context.Context) { test.other(t, i, b) }), test.at)
			done, err := i.repo.Eraser(bookings.CancelUpcoming).Erase(t.Context(), user)
			stop.Stop()
			assert.Equal(t, test.want, done)
			if test.err != nil {
				require.ErrorAs(t, err, test.err)
				return
			}
			require.NoError(t, err)
			if name == "deleted" {
				return
			}
			now, err := i.repo.Get(t.Context(), b.ID)
			require.NoError(t, err)
			want := 2
			if now.Status == bookings.Cancelled {
				want++
			}
			assert.Equal(t, want, now.Version, "anonymised once")
			assert.Equal(t, 1, assertWhole(t, i.DB, name, b.ID))
		})
	}
}

// A booking whose guests check in during the call does not keep the next ones from being anonymised.
func TestOneBookingBecomesUpcoming(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	over := i.bookFor(t, "user_1", payStay, time.Second)
	i.Clock.Advance(time.Second)
	b := i.bookFor(t, "user_1", dynastay.MustStay("2026-07-01", "2026-07-03"), 0)
	one := bookings.New(i.Open(&dynastay.Options{Parallel: 1}), nil)
	i.Faults.Inject(dyntest.Before(func(context.Context) {
		assert.NoError(t, second(bookings.New(i.Direct, nil).CheckIn(t.Context(), b.ID, nil)))
	}), dyntest.When{Operation: "Query", Nth: 2})
	stop := i.Faults.Record()
	done, err := one.Eraser(bookings.CancelUpcoming).Erase(t.Context(), "user_1")
	assert.Equal(t, &bookings.UpcomingError{UserID: "user_1", BookingIDs: []string{b.ID}}, err)
	assert.Equal(t, map[string]int{"bookings anonymised": 1}, done)
	assert.Nil(t, storedItem(t, i.DB, keyOf(over.ID))["UserId"])
	reads := 0
	for _, r := range stop() {
		if r.Operation == "BatchGetItem" || r.Operation == "Query" && !strings.Contains(string(r.Body), "IndexName") {
			assert.Contains(t, string(r.Body), `"ConsistentRead":true`)
			reads++
		}
	}
	assert.GreaterOrEqual(t, reads, 4)
}

// A payment in which what is about a person is NULL is left alone.
func TestPaymentWithoutAPerson(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.bookFor(t, "user_1", payStay, time.Second)
	payment := plant(t, b.ID)["BOOKING#"+b.ID+"/PAYMENT#ch_1"].item
	for _, name := range []string{"CardBrand", "CardLast4", "FailureReason"} {
		payment[name] = &types.AttributeValueMemberNULL{Value: true}
	}
	raw.Put(t, i.DB, bookingsTable, payment)
	i.Clock.Advance(time.Second)
	require.NoError(t, second(i.repo.Eraser(bookings.RefuseUpcoming).Erase(t.Context(), "user_1")))
	row, err := i.DB.Get(t.Context(), bookingsTable, bookingsTable.Key.From(dynastay.RowOf(payment)), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, payment, row.Item())
}

// A booking of other software that cannot be decoded prevents the erasure, because it may not be over; one that cannot
// be written does not keep the others from being anonymised.
func TestErasureOfUnreadableBookings(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for _, upcoming := range []bookings.UpcomingPolicy{bookings.RefuseUpcoming, bookings.CancelUpcoming} {
		i := i.next(t)
		user := i.NewID("user_")
		bad, good := i.bookFor(t, user, payStay, time.Second), i.bookFor(t, user, payStay, time.Second)
		i.Clock.Advance(time.Second)
		setBooking(t, i.DB, keyOf(bad.ID), "NumberOfAdults", dynastay.Text("two"))
		before := everything(t, i.DB)
		for _, err := range []error{i.repo.Eraser(upcoming).Check(t.Context(), user), second(i.repo.Eraser(upcoming).Erase(t.Context(), user))} {
			blame.As[*dynastay.UnreadableError](t, err)
			assert.ErrorIs(t, err, dynastay.ErrCorrupt)
			assert.ErrorContains(t, err, bad.ID)
		}
		assert.Equal(t, before, everything(t, i.DB))
		held := i.bookFor(t, user, payStay, time.Hour)
		if upcoming == bookings.RefuseUpcoming {
			err := i.repo.Eraser(upcoming).Check(t.Context(), user)
			assert.Equal(t, &bookings.UpcomingError{UserID: user, BookingIDs: []string{held.ID}}, err)
		}

		setBooking(t, i.DB, keyOf(bad.ID), "NumberOfAdults", dynastay.Number(2))
		setBooking(t, i.DB, keyOf(bad.ID), "PropertyId", &types.AttributeValueMemberNULL{Value: true})
		i.Clock.Advance(time.Hour)
		done, err := i.repo.Eraser(upcoming).Erase(t.Context(), user)
		unreadable := blame.As[*dynastay.UnreadableError](t, err)
		assert.Len(t, unreadable.Items, 1)
		assert.ErrorIs(t, unreadable.Items[0], dynastay.ErrCorrupt)
		assert.NotErrorIs(t, unreadable.Items[0], dynastay.ErrInvalid)
		assert.ErrorContains(t, err, bad.ID)
		assert.Equal(t, map[string]int{"bookings anonymised": 2}, done)
		assert.Nil(t, storedItem(t, i.DB, keyOf(good.ID))["UserId"])
	}
}

func TestErasureErrors(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for _, user := range []string{"", "user#1"} {
		sent := i.Faults.Record()
		invalid := blame.Invalid(t, i.repo.Eraser(bookings.RefuseUpcoming).Check(t.Context(), user), "UserID")
		_, err := i.repo.Eraser(bookings.RefuseUpcoming).Erase(t.Context(), user)
		require.ErrorAs(t, err, &invalid)
		assert.Empty(t, sent())
	}
	err := &bookings.UpcomingError{UserID: "ann@example.com", BookingIDs: []string{"bkg_1", "bob@example.com"}}
	assert.EqualError(t, err, "cannot erase user ***: these bookings are not over: bkg_1, ***")

	// A failure of the network ends the call; the next one does the rest.
	b := i.bookFor(t, "user_1", payStay, 0)
	ctx, cancel := context.WithCancel(t.Context())
	stop := i.Faults.Inject(dyntest.Before(func(context.Context) { cancel() }), dyntest.When{Operation: "UpdateItem", Nth: 1})
	done, failed := i.repo.Eraser(bookings.CancelUpcoming).Erase(ctx, "user_1")
	stop.Stop()
	require.ErrorIs(t, failed, context.Canceled)
	assert.Equal(t, map[string]int{"bookings cancelled": 1}, done)
	done, failed = i.repo.Eraser(bookings.RefuseUpcoming).Erase(t.Context(), "user_1")
	require.NoError(t, failed)
	assert.Equal(t, map[string]int{"bookings anonymised": 1}, done)
	assert.Nil(t, storedItem(t, i.DB, keyOf(b.ID))["UserId"])
}

// A booking that other software stored without the user's id, but in the list of the user, is anonymised too, and
// leaves the list.
func TestEraserFindsBookingsWithoutUser(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for _, listed := range []string{"USER#user_9", "USER#user_8"} {
		raw.Put(t, i.DB, bookingsTable, dynastay.Item{
			"PK": dynastay.Text("BOOKING#bkg_" + listed[10:]), "SK": dynastay.Text("METADATA"), "Status": dynastay.Text("completed"),
			"EntityType": dynastay.Text("Booking"), "BookingId": dynastay.Text("bkg_" + listed[10:]), "BookingReference": dynastay.Text("BKG-2024-00000" + listed[10:]),
			"PropertyId": dynastay.Text("prop_1"), "CheckInDate": dynastay.Text("2024-01-15"), "CheckOutDate": dynastay.Text("2024-01-18"),
			"CreatedAt": dynastay.Text("2024-01-01T00:00:00Z"), "SpecialRequests": dynastay.Text(nemo),
			"GSI1PK": dynastay.Text(listed), "GSI1SK": dynastay.Text("CHECKIN#2024-01-15"),
		})
	}
	eraser := bookings.New(i.Direct, nil).Eraser(bookings.RefuseUpcoming)
	done, err := eraser.Erase(t.Context(), "user_9")
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"bookings anonymised": 1}, done)
	assert.Equal(t, 1, assertWhole(t, i.DB, "erased", "bkg_9"))
	done, err = eraser.Erase(t.Context(), "user_9")
	require.NoError(t, err)
	assert.Empty(t, done)
	row := dynastay.RowOf(itemsOf(t, i.DB, "bkg_8")[0])
	assert.Equal(t, nemo, row.Text("SpecialRequests"), "that of another user")
}
