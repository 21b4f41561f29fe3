package bookings_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// A quote for a booking that has changed since is refused, and is not half right. That also holds if the rooms that are
// missing now are those that the booking itself has got in the meantime.
func TestModifyOfAChangedBooking(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	longer := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckOut.AddDays(1)}
	for _, test := range []struct {
		name      string
		operation string // before the first of these, the booking is modified by another process
		nth       int
	}{
		{"before it is read", "Query", 1},
		{"before the transaction", "TransactWriteItems", 1},
		{"after a refusal", "GetItem", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.book(t, innStay, rooms{"a": 1})
			m := i.quote(t, b.ID, longer, rooms{"a": 1})
			if test.operation == "GetItem" {
				i.set(t, "a", innStay.CheckOut, "AvailableRooms", 0)
			}
			elsewhere := bookings.New(i.Direct, nil)
			i.Faults.Inject(dyntest.Before(func(ctx context.Context) {
				other, err := elsewhere.QuoteModification(ctx, b.ID, i.request(innStay, rooms{"a": 2}))
				assert.NoError(t, err)
				_, err = elsewhere.Modify(ctx, other)
				assert.NoError(t, err)
			}), dyntest.When{Operation: test.operation, Nth: test.nth})
			_, err := i.repo.Modify(t.Context(), m)
			require.ErrorIs(t, err, dynastay.ErrVersion)
			stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, innStay, stored.Stay)
			assert.Equal(t, 2, stored.Rooms)
			want := takenBy(innStay, rooms{"a": 2})
			if test.operation == "GetItem" {
				want["a "+innStay.CheckOut.String()] = innRooms
			}
			assert.Equal(t, want, i.taken(t))
		})
	}
}

// One room type is exchanged for another one at the same price, so nothing of the booking's own item changes. All the same,
// of two such calls, or one and a cancellation, only one succeeds.
func TestExchangeOfRooms(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	had, want := rooms{"a": 2, "c": 1}, rooms{"a": 1, "c": 2}
	for _, test := range []struct {
		name string
		call func(ctx context.Context, i *inn, repo *bookings.Repository, m bookings.Modification) error
		left map[string]int
		err  error
	}{
		{"twice", func(ctx context.Context, i *inn, repo *bookings.Repository, m bookings.Modification) error {
			return second(repo.Modify(ctx, m))
		}, takenBy(innStay, want), dynastay.ErrVersion},
		{"and a cancellation", func(ctx context.Context, i *inn, repo *bookings.Repository, m bookings.Modification) error {
			return second(repo.Cancel(ctx, m.BookingID, "", nil))
		}, map[string]int{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.book(t, innStay, had)
			m := i.quote(t, b.ID, innStay, want)
			i.Faults.Inject(dyntest.Before(func(ctx context.Context) {
				assert.NoError(t, test.call(ctx, i, bookings.New(i.Direct, nil), m))
			}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
			_, err := i.repo.Modify(t.Context(), m)
			var state *bookings.StatusError
			if test.err == nil {
				require.ErrorAs(t, err, &state)
			} else {
				require.ErrorIs(t, err, test.err)
			}
			assert.Equal(t, test.left, i.taken(t))
			stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, b.Version+1, stored.Version)
			require.Error(t, second(i.repo.Modify(t.Context(), m)), "at the same quote")
		})
	}
}

func second[T any](_ T, err error) error { return err }

// A call that waits while another one is refused for a night that both want shares the refusal, but not if its booking has
// changed in the meantime.
func TestModificationsShareARefusal(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	longer := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckOut.AddDays(1)}
	for _, test := range []struct {
		name    string
		changed bool
	}{
		{"unchanged", false}, {"changed", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			for range 50 { // until the second call was early enough
				i.open(t)
				first, second := i.book(t, innStay, rooms{"a": 1}), i.book(t, innStay, rooms{"a": 1})
				m1, m2 := i.quote(t, first.ID, longer, rooms{"a": 1}), i.quote(t, second.ID, longer, rooms{"a": 1})
				i.set(t, "a", innStay.CheckOut, "AvailableRooms", -1)
				m1.Quote.Overbook = 1 // so that the call reads the nights when it has its turn, and is refused all the same
				got := make(chan error, 1)
				i.Faults.Inject(dyntest.Before(func(context.Context) {
					read := make(chan bool)
					i.Faults.Inject(dyntest.After(func(context.Context) { close(read) }), dyntest.When{Operation: "Query", Nth: 1})
					go func() {
						_, err := i.repo.Modify(t.Context(), m2)
						got <- err
					}()
					<-read
					for range 2000 {
						runtime.Gosched()
					}
				}), dyntest.When{Operation: "Query", Nth: 2})
				if test.changed {
					elsewhere := bookings.New(i.Direct, nil)
					i.Faults.Inject(dyntest.Before(func(ctx context.Context) {
						other, err := elsewhere.QuoteModification(ctx, second.ID, i.request(innStay, rooms{"a": 2}))
						assert.NoError(t, err)
						_, err = elsewhere.Modify(ctx, other)
						assert.NoError(t, err)
					}), dyntest.When{Operation: "GetItem", Nth: 2})
				}
				sent := i.Faults.Count("TransactWriteItems")
				_, err := i.repo.Modify(t.Context(), m1)
				refused := blame.As[*bookings.Refused](t, err)
				err = <-got
				if test.changed {
					require.ErrorIs(t, err, dynastay.ErrVersion)
					require.NotErrorAs(t, err, &refused)
				} else {
					require.ErrorAs(t, err, &refused)
					assert.Equal(t, innStay.CheckOut, refused.Nights[0].Date)
				}
				if i.Faults.Count("TransactWriteItems") == sent+1 {
					return // the second call sent none
				}
			}
			t.Error("no refusal was shared")
		})
	}
}
