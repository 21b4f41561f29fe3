package bookings_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// Of the last rooms, some are sold and some are taken out of order at the same time, and come back. No more than there are.
func TestOutOfOrderAgainstSales(t *testing.T) {
	t.Parallel()
	const rooms, buyers = 6, 12
	l := begin(t, rooms)
	l.withUnits(t, "301", "302", "303", "304")
	l.Faults.Conflicts(time.Millisecond)
	var wg sync.WaitGroup
	var mu sync.Mutex
	sold, out := 0, 0
	patient := dynastay.Retry{Attempts: 200, Base: time.Millisecond, Cap: 10 * time.Millisecond}
	open := func() *bookings.Repository { return bookings.New(l.Open(&dynastay.Options{Retry: patient}), nil) }
	two := []*bookings.Repository{open(), open()}
	call := func(n *int, f func() error) {
		wg.Go(func() {
			err := f()
			if err != nil {
				assert.True(t, errors.As(err, new(*availability.Refused)), "%v", err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			*n++
		})
	}
	quote := l.hotel.Quote(t, l.Direct, fixture.Stay, 1)
	for i := range buyers {
		call(&sold, func() error {
			_, err := two[i%2].Create(t.Context(), fixture.Request(quote))
			return err
		})
	}
	for i := range 4 {
		unit := fmt.Sprint(301 + i)
		call(&out, func() error {
			_, err := two[i%2].TakeOutOfOrder(t.Context(), l.house(), bookings.OutOfOrder{UnitID: unit, ID: "w1", Nights: fixture.Stay, By: "staff_7"})
			return err
		})
	}
	wg.Wait()
	l.Faults.Conflicts(0)
	assert.Equal(t, rooms, sold+out)
	left, outs := l.inventory(t, fixture.Stay)
	assert.Equal(t, []int{0, 0, 0}, left)
	assert.Equal(t, []int{out, out, out}, outs)
}

// The same request at two desks, whose answers are lost, takes the unit out of order once, and so does its end.
func TestOutOfOrderTwice(t *testing.T) {
	t.Parallel()
	l := begin(t, 5)
	repo := l.withUnits(t, "301")
	long := dynastay.Stay{CheckIn: fixture.Stay.CheckIn, CheckOut: fixture.Stay.CheckIn.AddDays(60)}
	l.hotel.Open(t, l.Direct, availability.OpenRequest{Nights: long, Rooms: 5, Price: fixture.Price})
	l.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Chance: 0.3})
	atOnce := func(f func(*bookings.Repository) error) {
		var wg sync.WaitGroup
		for range 2 {
			desk := bookings.New(l.Open(nil), nil)
			wg.Go(func() {
				err := f(desk)
				for errors.Is(err, dynastay.ErrOutcomeUnknown) { // a request was lost, and refused when it was sent again
					err = f(desk)
				}
				assert.NoError(t, err)
			})
		}
		wg.Wait()
	}
	atOnce(func(desk *bookings.Repository) error {
		_, err := desk.TakeOutOfOrder(t.Context(), l.house(), bookings.OutOfOrder{UnitID: "301", ID: "w1", Nights: long, By: "staff_7"})
		return err
	})
	left, _ := l.inventory(t, long)
	for _, n := range left {
		assert.Equal(t, 4, n)
	}
	atOnce(func(desk *bookings.Repository) error {
		_, err := desk.EndOutOfOrder(t.Context(), l.house(), bookings.OutOfOrderEnd{UnitID: "301", ID: "w1", From: long.CheckIn.AddDays(20), By: "staff_7"})
		return err
	})
	left, _ = l.inventory(t, long)
	for i, n := range left {
		assert.Equal(t, i >= 20, n == 5, "night %d: %d", i, n)
	}
	unit, err := repo.Get(t.Context(), l.hotel.ID, "301", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Stay{{CheckIn: long.CheckIn, CheckOut: long.CheckIn.AddDays(20)}}, []dynastay.Stay{unit.OutOfOrder[0].Nights})

}
