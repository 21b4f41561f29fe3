package bookings_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
)

// If a night changes between the quote and the modification, the database refuses it, and the refusal has the night and the
// reason. The nights that the booking keeps are left alone, whatever happens to them, except for the rules of the first and
// the last one.
func TestModifyCondition(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	first, kept, last, added := innStay.CheckIn, innStay.CheckIn.AddDays(1), innStay.LastNight(), innStay.CheckOut
	longer := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: added.AddDays(1)}
	shorter := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: last}
	later := dynastay.Stay{CheckIn: kept, CheckOut: added}
	dearer := dynastay.MustMoney("101", "USD")
	for _, test := range []struct {
		name   string
		stay   dynastay.Stay
		rooms  rooms
		date   dynastay.Date
		set    string
		value  any
		reason availability.Reason // "" if the booking is modified
	}{
		{"sold out", longer, rooms{"a": 2}, added, "AvailableRooms", 1, availability.SoldOut},
		{"just enough", longer, rooms{"a": 2}, added, "AvailableRooms", 2, ""},
		{"different property", longer, rooms{"a": 2}, added, "PropertyId", "prop_other", availability.NotOnSale},
		{"stop-sell", longer, rooms{"a": 2}, added, "IsBlocked", true, availability.StopSell},
		{"property closed", longer, rooms{"a": 2}, added, "PropertyClosed", true, availability.PropertyClosed},
		{"price changed", longer, rooms{"a": 2}, added, "PricePerNight", dearer, availability.PriceChanged},
		{"currency changed", longer, rooms{"a": 2}, added, "Currency", "EUR", availability.PriceChanged},
		{"closed to departure", longer, rooms{"a": 2}, added, "ClosedToDeparture", true, availability.ClosedToDeparture},
		{"kept arrival, closed to arrival", longer, rooms{"a": 2}, first, "ClosedToArrival", true, ""},
		{"maximum stay", longer, rooms{"a": 2}, first, "MaxStay", 3, availability.MaxStay},
		{"maximum stay met", longer, rooms{"a": 2}, first, "MaxStay", 4, ""},
		{"minimum stay", shorter, rooms{"a": 2}, first, "MinStay", 3, availability.MinStay},
		{"minimum stay met", shorter, rooms{"a": 2}, first, "MinStay", 2, ""},
		{"closed to departure on the new last night", shorter, rooms{"a": 2}, kept, "ClosedToDeparture", true, availability.ClosedToDeparture},
		{"closed to departure on the old last night", longer, rooms{"a": 2}, last, "ClosedToDeparture", true, ""},
		{"kept, sold out", longer, rooms{"a": 2}, kept, "AvailableRooms", 0, ""},
		{"kept, stop-sell", longer, rooms{"a": 2}, kept, "IsBlocked", true, ""},
		{"kept, property closed", longer, rooms{"a": 2}, first, "PropertyClosed", true, ""},
		{"kept, price changed", longer, rooms{"a": 2}, kept, "PricePerNight", dearer, ""},
		{"a room more, sold out", innStay, rooms{"a": 3}, kept, "AvailableRooms", 0, availability.SoldOut},
		{"a room more, just enough", innStay, rooms{"a": 3}, kept, "AvailableRooms", 1, ""},
		{"a room more, stop-sell", innStay, rooms{"a": 3}, kept, "IsBlocked", true, availability.StopSell},
		{"a room more, closed to arrival", innStay, rooms{"a": 3}, first, "ClosedToArrival", true, availability.ClosedToArrival},
		{"a room more, price changed", innStay, rooms{"a": 3}, last, "PricePerNight", dearer, availability.PriceChanged},
		{"a room less, sold out", innStay, rooms{"a": 1}, kept, "AvailableRooms", 0, ""},
		{"a room less, stop-sell", innStay, rooms{"a": 1}, kept, "IsBlocked", true, ""},
		{"a room less, closed to arrival", innStay, rooms{"a": 1}, first, "ClosedToArrival", true, ""},
		{"a room less, price changed", innStay, rooms{"a": 1}, kept, "PricePerNight", dearer, ""},
		{"a room less and later, closed to arrival", later, rooms{"a": 1}, kept, "ClosedToArrival", true, availability.ClosedToArrival},
		{"later, closed to arrival", later, rooms{"a": 2}, kept, "ClosedToArrival", true, availability.ClosedToArrival},
		{"a room less and shorter, minimum stay", shorter, rooms{"a": 1}, first, "MinStay", 3, availability.MinStay},
		{"a room less and shorter, closed to departure", shorter, rooms{"a": 1}, kept, "ClosedToDeparture", true, availability.ClosedToDeparture},
		{"dropped, stop-sell", shorter, rooms{"a": 2}, last, "IsBlocked", true, ""},
		{"dropped, price changed", shorter, rooms{"a": 2}, last, "PricePerNight", dearer, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			before := i.book(t, innStay, rooms{"a": 2})
			m := i.quote(t, before.ID, test.stay, test.rooms)
			i.set(t, "a", test.date, test.set, test.value)
			taken := i.taken(t)
			stop := i.Faults.Record()
			got, err := i.repo.Modify(t.Context(), m)
			sent := stop()
			if test.reason == "" {
				require.NoError(t, err)
				assert.Len(t, sent, 2)
				assert.Equal(t, test.stay, got.Booking.Stay)
				return
			}
			var refused *bookings.Refused
			require.ErrorAs(t, err, &refused)
			require.Len(t, refused.Nights, 1, "%v", refused)
			assert.Equal(t, test.reason, refused.Nights[0].Reason)
			assert.Equal(t, test.date, refused.Nights[0].Date)
			assert.Equal(t, i.roomType("a"), refused.Nights[0].RoomTypeID)
			assert.Len(t, sent, 4, "the booking, the transaction, the nights of the room type, and the booking again")
			stored, err := i.repo.Get(t.Context(), before.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, before, stored)
			assert.Equal(t, taken, i.taken(t))
		})
	}
}

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
			return second(repo.Cancel(ctx, m.BookingID, ""))
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
			var state *bookings.StateError
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
				var refused *bookings.Refused
				require.ErrorAs(t, err, &refused)
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

// A night that cannot take back its rooms does not keep the booking from being modified; it is reported.
func TestModifyReportsMissingNights(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	for _, test := range []struct {
		name  string
		spoil func(t *testing.T, i *inn, date dynastay.Date)
	}{
		{"no item", func(t *testing.T, i *inn, date dynastay.Date) { remove(t, i.DB, nightKey(i.roomType("a"), date)) }},
		{"no number", func(t *testing.T, i *inn, date dynastay.Date) { i.set(t, "a", date, "AvailableRooms", "many") }},
		{"a different property", func(t *testing.T, i *inn, date dynastay.Date) { i.set(t, "a", date, "PropertyId", "prop_other") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.book(t, innStay, rooms{"a": 2})
			m := i.quote(t, b.ID, dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.LastNight()}, rooms{"a": 1})
			test.spoil(t, i, innStay.LastNight())
			test.spoil(t, i, innStay.CheckIn.AddDays(1)) // of which one room is kept
			got, err := i.repo.Modify(t.Context(), m)
			require.NoError(t, err)
			assert.Equal(t, []bookings.MissingNight{
				{RoomTypeID: i.roomType("a"), Date: innStay.CheckIn.AddDays(1)}, {RoomTypeID: i.roomType("a"), Date: innStay.LastNight()},
			}, got.Missing)
			var refused *bookings.Refused
			_, err = i.repo.QuoteModification(t.Context(), b.ID, i.request(got.Booking.Stay, rooms{"a": 2}))
			if test.name != "no number" {
				require.True(t, errors.As(err, &refused), "%v", err)
				assert.Equal(t, availability.NotOnSale, refused.Nights[0].Reason)
			}
		})
	}
}
