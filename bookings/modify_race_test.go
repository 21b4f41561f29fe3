package bookings_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
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

// Guests change to a plan, or from it, while its stop-sell is set: once it is set, nobody gets the plan any more, and everybody
// may leave it. No change takes or returns a room.
func TestPlanChangesDuringAStop(t *testing.T) {
	t.Parallel()
	const guests = 24
	i := newInnWithPlans(t)
	for date := range innStay.Dates() {
		change(t, i.DB, nightKey(i.roomType("a"), date), "AvailableRooms = :n, TotalRooms = :n", dynastay.Item{":n": dynastay.Number(guests)})
	}
	offers := make([]bookings.Modification, guests)
	for n := range offers {
		plans := []string{"half", "flex"}
		if n%4 == 3 { // from the plan that is stopped
			plans = []string{"flex", "half"}
		}
		b := i.bookPlans(t, innStay, under{plans[0], 1, adults(1)})
		var err error
		offers[n], err = i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(innStay, under{plans[1], 1, adults(1)}))
		require.NoError(t, err)
	}
	before := i.taken(t)
	other := bookings.New(i.Open(nil), nil)
	var stopped atomic.Bool
	changed := make([]atomic.Bool, guests)
	var wg sync.WaitGroup
	for n, offer := range offers {
		if n == guests/2 {
			for date := range innStay.Dates() {
				change(t, i.DB, nightKey(i.roomType("a"), date), "Rates = :v", dynastay.Item{
					":v": rates(120, 150, dynastay.Item{"S": &types.AttributeValueMemberBOOL{Value: true}}),
				})
			}
			stopped.Store(true)
		}
		wg.Go(func() {
			late, to := stopped.Load(), offer.Quote.Lines[0].Plan.ID
			_, err := []*bookings.Repository{i.repo, other}[n%2].Modify(context.Background(), offer)
			var refused *bookings.Refused
			switch {
			case err == nil:
				assert.False(t, late && to == "flex", "a change to the plan after its stop")
				changed[n].Store(true)
			case to == "flex" && errors.As(err, &refused) && refused.Has(availability.StopSell):
			default:
				assert.Fail(t, "another outcome", "%s: %v", to, err)
			}
		})
	}
	wg.Wait()
	left := 0
	for n, offer := range offers {
		b, err := i.repo.Get(t.Context(), offer.BookingID, dynastay.Consistent)
		require.NoError(t, err)
		plan := offer.Quote.Lines[0].Plan.ID
		assert.Equal(t, changed[n].Load(), b.Lines[0].Plan.ID == plan, "%d to %s", n, plan)
		if plan == "half" {
			left++
			assert.True(t, changed[n].Load(), "%d leaves the plan", n)
		}
	}
	assert.Equal(t, guests/4, left)
	assert.Equal(t, before, i.taken(t))
}
