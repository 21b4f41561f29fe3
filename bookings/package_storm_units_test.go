package bookings_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

var (
	unitCalls = flag.Int("units.calls", 12, "calls of each of the 64 desks in the tests of units")
	unitSeed  = flag.Uint64("units.seed", 0, "seed of these calls; 0 draws one")
)

// unitCall is one call in the history of a night of a unit: who has it after the call, or why the call was refused.
type unitCall struct {
	booking string
	has     bool   // the booking has the night after the call
	by      string // of a refusal: the booking that is said to have it
}

// unitModel is a night of a unit: the booking that has it, or "". Nobody gets it from somebody who has it, and who is named in a
// refusal has it.
var unitModel = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, _ any) (bool, any) {
		holder, c := state.(string), input.(unitCall)
		switch {
		case c.by != "":
			return holder == c.by, holder
		case c.has:
			return holder == "" || holder == c.booking, c.booking
		case holder == c.booking:
			return true, ""
		}
		return true, holder
	},
}

// houseNights are the nights of the bookings, from two nights before the present day.
var houseNights = dynastay.Stay{CheckIn: fixture.Stay.CheckIn, CheckOut: fixture.Stay.CheckIn.AddDays(8)}

// house is a hotel with more bookings than units, at many desks.
type house struct {
	*life
	*testing.T
	repos   []*bookings.Repository
	ids     []string // of the bookings
	started time.Time

	mu      sync.Mutex
	history map[units.Night][]porcupine.Operation
	ever    map[string]map[units.Night]bool // what a booking has had
	counts  map[string]int
}

// unitsNow are the nights that a booking has, as the documentation says.
func unitsNow(b *bookings.Booking) map[units.Night]bool {
	all := map[units.Night]bool{}
	for _, line := range b.Lines {
		for _, u := range line.Units {
			for date := range u.Nights.Dates() {
				switch b.Status {
				case bookings.Pending, bookings.Confirmed, bookings.CheckedIn:
				case bookings.Completed:
					if !date.Before(dynastay.DateOf(b.CheckedOutAt, time.UTC)) {
						continue
					}
				default:
					continue
				}
				all[units.Night{UnitID: u.UnitID, Date: date}] = true
			}
		}
	}
	return all
}

// holderOf is who has a night: a booking, or a time in which the unit is out of order.
func holderOf(by units.Occupant) string {
	if by.OutOfOrder != "" {
		return by.String()
	}
	return by.BookingID
}

// repair takes a random unit out of order, and mostly ends that early.
func (h *house) repair(ctx context.Context, draw *rand.Rand, repo *bookings.Repository) error {
	unit, id := fmt.Sprint(301+draw.IntN(20)), fmt.Sprintf("w%d", draw.Uint64())
	first := houseNights.CheckIn.AddDays(1 + draw.IntN(4))
	nights := dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(1 + draw.IntN(3))}
	holder := units.Occupant{OutOfOrder: id}.String()
	note := func(kind string, began int64, has dynastay.Stay, err error) {
		h.note(kind, began, nil, holder, err)
		if err != nil {
			return
		}
		ended := time.Since(h.started).Nanoseconds()
		h.mu.Lock()
		defer h.mu.Unlock()
		for date := range nights.Dates() {
			n := units.Night{UnitID: unit, Date: date}
			h.history[n] = append(h.history[n], porcupine.Operation{
				Input: unitCall{booking: holder, has: has.Contains(date)}, Call: began, Return: ended,
			})
		}
	}
	began := time.Since(h.started).Nanoseconds()
	_, err := repo.TakeOutOfOrder(ctx, h.house(), bookings.OutOfOrder{UnitID: unit, ID: id, Nights: nights, By: "staff_7"})
	note("out of order", began, nights, err)
	if err != nil || draw.IntN(4) == 0 {
		return err
	}
	from := first.AddDays(draw.IntN(2))
	began = time.Since(h.started).Nanoseconds()
	_, err = repo.EndOutOfOrder(ctx, h.house(), bookings.OutOfOrderEnd{UnitID: unit, ID: id, From: from, By: "staff_7"})
	note("back", began, dynastay.Stay{CheckIn: first, CheckOut: from}, err)
	return err
}

// note records what a call returned.
func (h *house) note(kind string, began int64, after []*bookings.Booking, id string, err error) {
	ended := time.Since(h.started).Nanoseconds()
	h.mu.Lock()
	defer h.mu.Unlock()
	add := func(n units.Night, c unitCall) {
		h.history[n] = append(h.history[n], porcupine.Operation{Input: c, Call: began, Return: ended})
	}
	var taken *units.TakenError
	switch {
	case err == nil:
		h.counts[kind]++
		for _, b := range after {
			now := unitsNow(b)
			for n := range now {
				h.ever[b.ID][n] = true
			}
			for n := range h.ever[b.ID] {
				add(n, unitCall{booking: b.ID, has: now[n]})
			}
		}
	case errors.As(err, &taken):
		h.counts[kind+", taken"]++
		for _, n := range taken.Nights {
			add(n.Night, unitCall{booking: id, by: holderOf(n.By)})
		}
	default:
		h.counts[kind+", refused"]++
	}
}

// call makes a random call for a random booking.
func (h *house) call(draw *rand.Rand, repo *bookings.Repository) error {
	ctx := context.Background()
	id, other := h.ids[draw.IntN(len(h.ids))], h.ids[draw.IntN(len(h.ids))]
	unit := func() string { return fmt.Sprint(301 + draw.IntN(20)) }
	began := time.Since(h.started).Nanoseconds()
	one := func(b *bookings.Booking, err error) ([]*bookings.Booking, error) { return []*bookings.Booking{b}, err }
	var after []*bookings.Booking
	var err error
	kind := ""
	switch n := draw.IntN(23); {
	case n < 7:
		kind = "assign"
		after, err = one(repo.AssignUnits(ctx, id, h.to(unit())))
	case n < 9:
		kind = "unassign"
		after, err = one(repo.UnassignUnits(ctx, id, nil))
	case n < 12:
		kind = "move"
		b, getErr := repo.Get(ctx, id, dynastay.Consistent)
		if getErr != nil || len(b.Lines[0].Units) == 0 {
			return getErr
		}
		after, err = one(repo.MoveUnit(ctx, id, bookings.UnitMove{From: b.Lines[0].Units[0].UnitID, To: unit()}))
	case n < 15:
		kind = "swap"
		a, getErr := repo.Get(ctx, id, dynastay.Consistent)
		b, getErr2 := repo.Get(ctx, other, dynastay.Consistent)
		if err := errors.Join(getErr, getErr2); err != nil || id == other || len(a.Lines[0].Units) == 0 || len(b.Lines[0].Units) == 0 {
			return err
		}
		var done bookings.Swapped
		done, err = repo.SwapUnits(ctx, bookings.UnitSwap{
			A: bookings.UnitOf{BookingID: id, UnitID: a.Lines[0].Units[0].UnitID}, B: bookings.UnitOf{BookingID: other, UnitID: b.Lines[0].Units[0].UnitID},
		})
		after = []*bookings.Booking{done.A, done.B}
	case n < 17:
		kind = "check in"
		after, err = one(repo.CheckInTo(ctx, id, h.to(unit())))
	case n < 18:
		kind = "check out"
		after, err = one(repo.CheckOut(ctx, id))
		if err == nil {
			h.note(kind, began, after, id, nil)
			kind, began = "undo the check-out", time.Since(h.started).Nanoseconds()
			after, err = one(repo.UndoCheckOut(ctx, id))
		}
	case n < 19:
		kind = "no-show"
		after, err = one(repo.NoShow(ctx, id))
		if err == nil {
			h.note(kind, began, after, id, nil)
			kind, began = "reinstate", time.Since(h.started).Nanoseconds()
			after, err = one(repo.Reinstate(ctx, id))
		}
	case n < 22:
		return h.repair(ctx, draw, repo)
	default:
		kind = "shorter"
		var m bookings.Modification
		if m, err = h.shorter(ctx, repo, id); err == nil {
			var done bookings.Modified
			done, err = repo.Modify(ctx, m)
			after = []*bookings.Booking{done.Booking}
		}
	}
	h.note(kind, began, after, id, err)
	return err
}

// shorter is a modification after which a booking has a night less.
func (h *house) shorter(ctx context.Context, repo *bookings.Repository, id string) (bookings.Modification, error) {
	b, err := repo.Get(ctx, id, dynastay.Consistent)
	if err != nil {
		return bookings.Modification{}, err
	}
	stay := b.Stay
	if stay.Nights() > 1 {
		stay.CheckOut = stay.CheckOut.AddDays(-1)
	}
	return repo.QuoteModification(ctx, id, availability.QuoteRequest{
		Property: availability.House{ID: h.hotel.ID}, Stay: stay, Guests: availability.Guests{Adults: 1},
		Rooms: []availability.Room{{RoomTypeID: h.hotel.RoomTypeID, Quantity: 1, Limits: h.hotel.Rooms[0].Limits}},
	})
}

// 64 desks assign 20 units to 40 bookings, move guests, swap their units, and shorten, end and resume their stays, in two processes.
// Nobody ever gets a night that somebody has, and whoever is refused is told who has it; in the end, each night that a booking has is
// its own in the plan, whatever happened to the requests.
func TestManyDesks(t *testing.T) {
	t.Parallel()
	for _, faults := range []bool{false, true} {
		t.Run(fmt.Sprint("faults ", faults), func(t *testing.T) {
			t.Parallel()
			manyDesks(t, faults)
		})
	}
}

func manyDesks(t *testing.T, faults bool) {
	seed := *unitSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("to repeat: -units.seed %d", seed)
	const bookingsOfTheHouse = 40
	db := dyntest.New(t, bookingTables, dyntest.At(booked), dyntest.Seed(seed))
	h := &house{
		life: &life{db, fixture.New(t, db.DB, bookingsOfTheHouse), bookings.New(db.Direct, nil)}, T: t, started: time.Now(),
		history: map[units.Night][]porcupine.Operation{}, ever: map[string]map[units.Night]bool{}, counts: map[string]int{},
	}
	h.hotel.Open(t, db.DB, availability.OpenRequest{
		PropertyID: h.hotel.ID, RoomTypeID: h.hotel.RoomTypeID, Nights: houseNights, Rooms: bookingsOfTheHouse, Price: fixture.Price,
	})
	var ids []string
	for n := range 20 {
		ids = append(ids, fmt.Sprint(301+n))
	}
	h.withUnits(t, ids...)
	draw := rand.New(rand.NewPCG(seed, 1000))
	for range bookingsOfTheHouse {
		first := houseNights.CheckIn.AddDays(draw.IntN(4))
		b := h.book(t, dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(1 + draw.IntN(4))}, 1)
		h.ids, h.ever[b.ID] = append(h.ids, b.ID), map[units.Night]bool{}
	}
	db.Clock.Set(noon(houseNights.CheckIn.AddDays(2)))
	for range 2 {
		patient := dynastay.Retry{Attempts: 200, Base: time.Millisecond, Cap: 10 * time.Millisecond}
		h.repos = append(h.repos, bookings.New(db.Open(&dynastay.Options{Retry: patient}), nil))
	}
	db.Faults.Conflicts(time.Millisecond)
	var storm *dyntest.Injection
	if faults {
		storm = db.Faults.Inject(dyntest.AnyOf(), dyntest.When{Chance: 0.05})
	}
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			draw := rand.New(rand.NewPCG(seed, uint64(i)))
			for range *unitCalls {
				err := h.call(draw, h.repos[i%len(h.repos)])
				for _, kind := range []error{dynastay.ErrNotFound, dynastay.ErrCorrupt, dynastay.ErrRejected} {
					assert.NotErrorIs(t, err, kind)
				}
				if !faults && err != nil {
					assert.NotErrorIs(t, err, dynastay.ErrContention)
				}
			}
		})
	}
	wg.Wait()
	if faults {
		storm.Stop()
	}
	db.Faults.Conflicts(0)
	t.Log(h.counts)
	for _, kind := range []string{"assign", "assign, taken", "unassign", "move", "swap", "check in", "check out", "undo the check-out", "no-show", "reinstate", "shorter", "out of order", "out of order, taken", "back"} {
		assert.NotZero(t, h.counts[kind], "nothing was shown about: %s", kind)
	}
	assert.NoError(t, h.repo.VerifyNights(t.Context(), h.hotel.ID, houseNights))
	assert.NoError(t, h.repo.VerifyUnits(t.Context(), h.hotel.ID, houseNights))
	plan := h.plan(t)
	holders := map[units.Night]string{}
	for _, id := range h.ids {
		b, err := h.repo.Get(t.Context(), id, dynastay.Consistent)
		require.NoError(t, err)
		for n := range unitsNow(b) {
			assert.Empty(t, holders[n], "two bookings have %s on %s", n.UnitID, n.Date)
			holders[n] = id
			assert.Equal(t, id, plan[n].BookingID, "%s on %s", n.UnitID, n.Date)
		}
	}
	for unit, err := range units.New(db.Direct).List(h.hotel.ID).All(t.Context()) {
		require.NoError(t, err)
		for _, o := range unit.OutOfOrder {
			for date := range o.Nights.Dates() {
				n := units.Night{UnitID: unit.ID, Date: date}
				assert.Empty(t, holders[n], "somebody has %s on %s although it is out of order", n.UnitID, n.Date)
				holders[n] = o.ID
				assert.Equal(t, o.ID, plan[n].OutOfOrder, "%s on %s", n.UnitID, n.Date)
			}
		}
	}
	h.inventory(t, houseNights)
	assert.Len(t, holders, len(plan), "everything that was given up is free")
	if faults {
		return // whether a call whose response was lost wrote is not in the history
	}
	for n, calls := range h.history {
		assert.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(unitModel, calls, time.Minute), "%s on %s", n.UnitID, n.Date)
	}
}
