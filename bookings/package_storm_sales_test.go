package bookings_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// desks are several processes that sell one night and move the bookings of it, and what they were told.
type desks struct {
	*testing.T
	db       *dyntest.DB
	requests []bookings.Request // for one room, and for two
	open     []desk
	started  time.Time

	mu      sync.Mutex
	made    []*bookings.Booking
	live    []int // the numbers of those that nobody was told to have ended
	history []porcupine.Operation
}

type desk struct {
	*dynastay.DB
	bookings *bookings.Repository
}

// openDesks opens two processes, so that some callers meet at the gates and some in the database. The clock of one is
// ahead by more than the grace of a hold, so that it may expire what the other one may confirm.
func openDesks(t *testing.T, rooms int) (*desks, fixture.Hotel, dynastay.Stay) {
	db := dyntest.New(t, bookingTables, dyntest.At(fixture.Now))
	hotel, night := fixture.New(t, db.DB, rooms), dynastay.MustStay("2026-07-10", "2026-07-11")
	d := &desks{T: t, db: db, started: time.Now(), requests: []bookings.Request{
		fixture.Request(hotel.Quote(t, db.DB, night, 1)), fixture.Request(hotel.Quote(t, db.DB, night, 2)),
	}}
	for _, ahead := range []time.Duration{0, 2 * modelGrace} {
		own := db.Open(&dynastay.Options{
			Retry: dynastay.Retry{Attempts: 1000, Base: time.Millisecond, Cap: 20 * time.Millisecond},
			Clock: func() time.Time { return db.Clock.Now().Add(ahead) },
		})
		d.open = append(d.open, desk{own, bookings.New(own, &bookings.Options{HoldGrace: modelGrace})})
	}
	db.Faults.Conflicts(2 * time.Millisecond)
	return d, hotel, night
}

// record makes a call, and notes when it was made and when it returned.
func (d *desks) record(of desk, c stayCall, call func(*stayCall)) {
	began := time.Since(d.started).Nanoseconds()
	c.from = of.Now()
	call(&c)
	c.until = of.Now()
	ended := time.Since(d.started).Nanoseconds()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.history = append(d.history, c.at(began, ended))
}

// sell books one room or two, mostly with a hold, which ends while the others are at it.
func (d *desks) sell(of desk) {
	rooms := 1 + rand.IntN(2)
	request := d.requests[rooms-1]
	if rand.IntN(4) > 0 {
		request.Hold = time.Second + time.Duration(rand.IntN(2000))*time.Millisecond
	}
	d.record(of, stayCall{rooms: rooms}, func(c *stayCall) {
		made, err := of.bookings.Create(context.Background(), request)
		var refused *bookings.Refused
		if errors.As(err, &refused) {
			assert.True(d, refused.Has(availability.SoldOut))
			c.refused = errSoldOut
			return
		}
		if !assert.NoError(d, err) {
			return
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		c.to, c.booking = made.Status, len(d.made)
		d.made, d.live = append(d.made, made), append(d.live, c.booking)
	})
}

// move confirms, expires or cancels a booking, as others do at the same time.
func (d *desks) move(of desk) {
	if booking, ok := d.pick(); ok {
		all := []bookings.Status{bookings.Confirmed, bookings.Expired, bookings.Expired, bookings.Cancelled}
		d.moveTo(of, booking, all[rand.IntN(len(all))])
	}
}

// pick draws the number of a booking that has its rooms, and sometimes of any one.
func (d *desks) pick() (booking int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case len(d.made) == 0:
		return 0, false
	case len(d.live) == 0 || rand.IntN(5) == 0:
		return rand.IntN(len(d.made)), true
	}
	return d.live[rand.IntN(len(d.live))], true
}

func (d *desks) moveTo(of desk, booking int, to bookings.Status) {
	d.mu.Lock()
	b := d.made[booking]
	d.mu.Unlock()
	d.record(of, stayCall{to: to, booking: booking, ends: b.HoldExpiresAt}, func(c *stayCall) {
		after, err := actTo(to).do(context.Background(), of.bookings, b.ID)
		var state *bookings.StatusError
		switch {
		case errors.As(err, &state):
			c.refused = err
		case assert.NoError(d, err) && assert.Equal(d, to, after.Status) && to != bookings.Confirmed:
			c.rooms = -b.Rooms
			d.mu.Lock()
			defer d.mu.Unlock()
			d.live = slices.DeleteFunc(d.live, func(n int) bool { return n == booking })
		}
	})
}

// Sales, holds, confirmations, expiries and cancellations of one night, in two processes, with conflicts: every call had
// its effect, or was refused for what was true, at one moment between its call and its return.
func TestSalesAreLinearizable(t *testing.T) {
	t.Parallel()
	const (
		rooms  = 4
		guests = 12
		calls  = 32
	)
	d, hotel, night := openDesks(t, rooms)
	var wg sync.WaitGroup
	for guest := range guests {
		wg.Go(func() {
			of := d.open[guest%len(d.open)]
			for range calls {
				d.db.Clock.Advance(400 * time.Millisecond)
				if rand.IntN(3) == 0 {
					d.sell(of)
				} else {
					d.move(of)
				}
			}
		})
	}
	wg.Wait()
	for booking := range d.made {
		d.moveTo(d.open[0], booking, bookings.Cancelled)
	}
	d.summary()
	assert.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(stayModel(rooms, len(d.made)), d.history, time.Minute))
	assert.Equal(t, []int{rooms}, hotel.Left(t, d.db.DB, night), "all rooms were returned")
}

// summary logs what happened, and fails if the test proved nothing about one of the kinds of calls.
func (d *desks) summary() {
	d.Helper()
	happened := map[string]int{}
	for _, o := range d.history {
		c := o.Input.(stayCall)
		kind := string(c.to)
		var state *bookings.StatusError
		switch {
		case errors.As(c.refused, &state) && state.Err != nil:
			kind += ": " + state.Err.Error()
		case c.refused == errSoldOut:
			kind = errSoldOut.Error()
		case c.refused != nil:
			kind += " refused"
		}
		happened[kind]++
	}
	d.Log(happened)
	for _, to := range []bookings.Status{bookings.Pending, bookings.Confirmed, bookings.Expired, bookings.Cancelled} {
		assert.NotZero(d, happened[string(to)], to)
	}
}
