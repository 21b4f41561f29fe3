package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// assertWhole fails if a booking that the index by user does not list any more contains something about a person. It
// returns how many of them are anonymised.
func assertWhole(t testing.TB, db *dyntest.DB, at string, ids ...string) (anonymised int) {
	t.Helper()
	for _, id := range ids {
		row := dynastay.RowOf(dynastay.Item{})
		text := ""
		for _, item := range itemsOf(t, db, id) {
			if found := dynastay.RowOf(item); found.Text("EntityType") == "Booking" {
				row = found
			}
			text += shownItem(item)
		}
		gone := row.Text("UserId") == ""
		assert.Equal(t, gone, row.Text("GSI1PK") == "", "%s: %s", at, id)
		assert.Equal(t, gone, row.Text("AnonymisedAt") != "", "%s: %s", at, id)
		if gone {
			assert.NotContains(t, text, nemo, "%s: %s", at, id)
			anonymised++
		}
	}
	return anonymised
}

// itemsOf reads the items of a booking without the library.
func itemsOf(t testing.TB, db *dyntest.DB, id string) []dynastay.Item {
	t.Helper()
	return raw.Partition(t, db, bookingsTable, "BOOKING#"+id)
}

// personalCharge is a payment, personalRefund a refund, which say something about a person.
func personalCharge(bookingID, id, amount string) bookings.Payment {
	p := charge(bookingID, id, amount, bookings.PaymentPaid)
	p.Card.Brand = nemo
	return p
}

func personalRefund(bookingID, id, payment, amount string) bookings.Refund {
	r := refundOf(bookingID, id, amount, bookings.PaymentRefunded)
	r.ProviderTransactionID, r.Reason = payment, nemo
	return r
}

// frail opens the tables as a process that sends each request once.
func (i *inn) frail() *dynastay.DB {
	client := dynamodb.New(i.Client.Options(), func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	return dynastay.Open(client, &dynastay.Options{
		TablePrefix: strings.TrimSuffix(i.TableName(bookingsTable), bookingsTable.Name), Clock: i.Clock.Now,
		Retry: dynastay.Retry{Attempts: 1}, Parallel: 1,
	})
}

// The erasure ends at any of its requests, with or without that request being carried out. Nothing is half done, and
// the next call completes it: the rooms and the use of the code are returned once.
func TestInterruptedErasure(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	const alone = 99 // payments of one booking, which do not fit into one transaction
	for name, fault := range map[string]dyntest.Fault{"not sent": dyntest.LoseRequest(), "response lost": dyntest.LoseAnswer()} {
		for nth, more := 1, true; more; nth++ {
			i := inns.next(t)
			at := fmt.Sprintf("%s, request %d", name, nth)
			user, code := i.NewID("user_"+nemo), strings.ToUpper(strings.ReplaceAll(i.NewID("CODE"), "_", ""))
			i.code(t, bookings.PromoCode{Code: code, Percent: 1000})
			req := i.promoRequest(t, code)
			req.UserID, req.Guest.FirstName = user, nemo
			upcoming, err := i.repo.Create(t.Context(), req)
			require.NoError(t, err)
			_, err = i.repo.RecordPayment(t.Context(), personalCharge(upcoming.ID, "ch_1", "10"))
			require.NoError(t, err)
			many := i.bookFor(t, user, payStay, 0)
			_, err = i.repo.Cancel(t.Context(), many.ID, nemo, nil)
			require.NoError(t, err)
			payment := plant(t, many.ID)["BOOKING#"+many.ID+"/PAYMENT#ch_1"].item
			require.NoError(t, i.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
				for n := range alone {
					payment["SK"] = dynastay.Text(fmt.Sprintf("PAYMENT#ch_%d", n))
					yield(bookingsTable, payment)
				}
			}))

			broken := i.Faults.Inject(fault, dyntest.When{Nth: nth, Times: model.Always, Optional: true})
			first, err := bookings.New(i.frail(), nil).Eraser(bookings.CancelUpcoming).Erase(t.Context(), user)
			broken.Stop()
			more = broken.Hits() > 0
			// Whether the last request was carried out is known to the next call alone.
			require.Equal(t, more, err != nil, at)
			before := assertWhole(t, i.DB, at, upcoming.ID, many.ID)
			rest, err := i.repo.Eraser(bookings.CancelUpcoming).Erase(t.Context(), user)
			require.NoError(t, err, at)
			assert.Equal(t, 2, assertWhole(t, i.DB, at, upcoming.ID, many.ID))
			assert.Equal(t, 2-before, rest["bookings anonymised"], at)
			assert.LessOrEqual(t, first["bookings anonymised"]+rest["bookings anonymised"], 2, at)
			assert.LessOrEqual(t, first["bookings cancelled"]+rest["bookings cancelled"], 1, at)
			none, err := i.repo.Eraser(bookings.RefuseUpcoming).Erase(t.Context(), user)
			require.NoError(t, err, at)
			assert.Empty(t, none, at)
			assert.Empty(t, i.taken(t), at)
			assert.Equal(t, 0, usesOf(t, i.DB, code), at)
			if more {
				assert.Less(t, nth, 30)
			} else {
				assert.Greater(t, nth, 10) // the index, the bookings, a cancellation, and three transactions
			}
		}
	}
	assertNobody(t, inns.DB)
}

// Another call meets the erasure at any point: nothing about a person remains in the end, nothing that was acknowledged
// is lost, and the rooms are exactly those of the bookings.
func TestErasureMeetsOtherCalls(t *testing.T) {
	t.Parallel()
	ada, requests := bookings.Guest{FirstName: nemo, LastName: nemo, Email: nemo + "@example.com"}, nemo
	longer := dynastay.Stay{CheckIn: payStay.CheckIn, CheckOut: payStay.CheckOut.AddDays(1)}
	for name, test := range map[string]struct {
		prepare func(t *testing.T, i *inn, user string) (id string, version int)
		call    func(ctx context.Context, repo *bookings.Repository, i *inn, id string, version int) error
		paid    bool // the call records a payment or a refund
	}{
		"modify": {heldOrSold(0), func(ctx context.Context, repo *bookings.Repository, i *inn, id string, version int) error {
			m, err := repo.QuoteModification(ctx, id, i.request(longer, rooms{"a": 1, "b": 1}))
			if err != nil {
				return err
			}
			m.Guest, m.SpecialRequests = &ada, &requests
			return second(repo.Modify(ctx, m))
		}, false},
		"modify the guest": {heldOrSold(0), func(ctx context.Context, repo *bookings.Repository, i *inn, id string, version int) error {
			return second(repo.Modify(ctx, bookings.Modification{BookingID: id, Version: version, Guest: &ada}))
		}, false},
		"confirm": {heldOrSold(time.Hour), func(ctx context.Context, repo *bookings.Repository, i *inn, id string, _ int) error {
			return second(repo.Confirm(ctx, id, []bookings.Payment{personalCharge("", "ch_9", "1")}))
		}, false},
		"check in": {func(t *testing.T, i *inn, user string) (string, int) {
			b := i.bookFor(t, user, dynastay.MustStay("2026-07-01", "2026-07-03"), 0)
			return b.ID, b.Version
		}, func(ctx context.Context, repo *bookings.Repository, i *inn, id string, _ int) error {
			return second(repo.CheckIn(ctx, id, bookings.Assigned{i.roomType("a"): {"301"}}))
		}, false},
		"cancel": {lapsed, func(ctx context.Context, repo *bookings.Repository, i *inn, id string, _ int) error {
			return second(repo.Cancel(ctx, id, nemo, nil))
		}, false},
		"expire": {lapsed, func(ctx context.Context, repo *bookings.Repository, i *inn, id string, _ int) error {
			return second(repo.Expire(ctx, id))
		}, false},
		"cancel the upcoming": {heldOrSold(0), func(ctx context.Context, repo *bookings.Repository, i *inn, id string, _ int) error {
			return second(repo.Cancel(ctx, id, nemo, []bookings.Refund{personalRefund("", "re_9", "ch_1", "1")}))
		}, false},
		"record a payment": {lapsed, func(ctx context.Context, repo *bookings.Repository, i *inn, id string, _ int) error {
			return second(repo.RecordPayment(ctx, personalCharge(id, "ch_9", "1")))
		}, true},
		"record the same payment": {lapsed, func(ctx context.Context, repo *bookings.Repository, i *inn, id string, _ int) error {
			p := personalCharge(id, "ch_1", "50")
			p.At = innNoon.Add(-time.Hour) // which is a change
			return second(repo.RecordPayment(ctx, p))
		}, true},
		"record a refund": {lapsed, func(ctx context.Context, repo *bookings.Repository, i *inn, id string, _ int) error {
			return second(repo.RecordRefund(ctx, personalRefund(id, "re_9", "ch_1", "1")))
		}, true},
		"erase": {lapsed, func(ctx context.Context, repo *bookings.Repository, i *inn, id string, _ int) error {
			b, err := repo.Get(ctx, id, dynastay.Consistent)
			if err == nil && b.UserID != "" {
				_, err = repo.Eraser(bookings.RefuseUpcoming).Erase(ctx, b.UserID)
			}
			return err
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inns := newInn(t) // of its own: each fault that was injected makes all later requests slower
			defer assertNobody(t, inns.DB)
			for _, way := range racing.Ways {
				for _, eraserFirst := range []bool{true, false} {
					i := inns.next(t)
					user := i.NewID("user_" + nemo)
					id, version := test.prepare(t, i, user)
					erase := func(ctx context.Context, db *dynastay.DB) error {
						return second(bookings.New(db, nil).Eraser(bookings.CancelUpcoming).Erase(ctx, user))
					}
					other := func(ctx context.Context, db *dynastay.DB) error {
						return test.call(ctx, bookings.New(db, nil), i, id, version)
					}
					at := fmt.Sprintf("%s %s, eraser first %t", name, way.Name, eraserFirst)
					var erased, called error
					if eraserFirst {
						erased, called = way.Meet(t, i.DB, erase, other)
					} else {
						called, erased = way.Meet(t, i.DB, other, erase)
					}
					i.checkErased(t, at, user, id, erased)
					if test.paid {
						require.NoError(t, called, at)
						h, err := i.repo.PaymentHistory(t.Context(), id)
						require.NoError(t, err)
						assert.Contains(t, fmt.Sprint(h), map[string]string{"record a payment": "ch_9", "record a refund": "re_9"}[name], at)
					}
				}
			}
		})
	}
}

// heldOrSold books a stay with a payment.
func heldOrSold(hold time.Duration) func(*testing.T, *inn, string) (string, int) {
	return func(t *testing.T, i *inn, user string) (string, int) {
		b := i.bookFor(t, user, payStay, hold)
		_, err := i.repo.RecordPayment(t.Context(), personalCharge(b.ID, "ch_1", "50"))
		require.NoError(t, err)
		return b.ID, b.Version
	}
}

// lapsed is a booking whose hold has ended, with its grace.
func lapsed(t *testing.T, i *inn, user string) (string, int) {
	id, version := heldOrSold(time.Minute)(t, i, user)
	i.Clock.Advance(2 * time.Minute)
	return id, version
}

// checkErased checks what an erasure has come to, and completes it.
func (i *inn) checkErased(t *testing.T, at, user, id string, erased error) {
	t.Helper()
	assertWhole(t, i.DB, at, id)
	b, err := i.repo.Get(t.Context(), id, dynastay.Consistent)
	require.NoError(t, err)
	var upcoming *bookings.UpcomingError
	if errors.As(erased, &upcoming) {
		assert.Equal(t, user, b.UserID, at)
	} else {
		require.NoError(t, erased, at)
		assert.Empty(t, b.UserID, at)
	}
	want := map[string]int{}
	if b.Status != bookings.Cancelled && b.Status != bookings.Expired {
		for _, l := range b.Lines {
			for date := range b.Stay.Dates() {
				want[strings.TrimPrefix(l.RoomTypeID, i.id+"_")+" "+date.String()] = l.Quantity
			}
		}
	}
	assert.Equal(t, want, i.taken(t), at)
	if b.Status == bookings.CheckedIn {
		_, err := i.repo.CheckOut(t.Context(), id)
		require.NoError(t, err, at)
	}
	_, err = i.repo.Eraser(bookings.CancelUpcoming).Erase(t.Context(), user)
	require.NoError(t, err, at)
	assert.Equal(t, 1, assertWhole(t, i.DB, at, id))
}

// Two erasures and many notifications of one booking at once: all are carried out, and nothing of a person is left.
func TestErasureAndNotificationsAtOnce(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	user := "user_" + nemo
	id, _ := lapsed(t, i, user)
	i.Faults.Conflicts(time.Millisecond)
	calls := []racing.Call{}
	for n := range 16 {
		calls = append(calls, func(ctx context.Context, db *dynastay.DB) error {
			return second(bookings.New(db, nil).RecordPayment(ctx, personalCharge(id, fmt.Sprintf("ch_many_%d", n), "10")))
		}, func(ctx context.Context, db *dynastay.DB) error {
			return second(bookings.New(db, nil).RecordRefund(ctx, personalRefund(id, fmt.Sprintf("re_%d", n), "ch_1", "2")))
		})
		if n%8 == 4 {
			calls = append(calls, func(ctx context.Context, db *dynastay.DB) error {
				return second(bookings.New(db, nil).Eraser(bookings.RefuseUpcoming).Erase(ctx, user))
			})
		}
	}
	for _, err := range racing.AtOnce(t, i.DB, calls...) {
		assert.NoError(t, err)
	}
	assert.Equal(t, 1, assertWhole(t, i.DB, "at once", id))
	s, err := i.repo.Payment(t.Context(), id, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Money{dollarsOf("210"), dollarsOf("32")}, []dynastay.Money{s.Paid, s.Refunded})
}
