package availability_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

var (
	managersNights = flag.Int("managers.nights", 60, "nights of each room type in TestTwoChannelManagers")
	managersRounds = flag.Int("managers.rounds", 2, "updates of all nights by each manager in TestTwoChannelManagers")
	managersSeed   = flag.Uint64("managers.seed", 0, "what the faults of TestTwoChannelManagers are drawn from; 0 draws one")
)

// version identifies all values that one update of a manager sets. The zero version is how the nights were opened.
type version int

// change returns the values of a version. No other version has the same price or, except for the flags, the same
// values.
func (v version) change() availability.Change {
	flag := func(bit int) *bool { return ptr(int(v)&(1<<bit) != 0) }
	c := availability.Change{
		Price: money(fmt.Sprintf("%d.00 USD", 100+v)), Rooms: ptr(int(v)), AboveCapacity: true, Overbook: availability.MaxRooms,
		MinStay: ptr(int(v)), MaxStay: ptr(2*int(v) + 1), ClosedToArrival: flag(0), StopSell: flag(1),
	}
	if *c.StopSell {
		c.StopSellReason = fmt.Sprintf("version %d", v)
	}
	return c
}

// closed is the ClosedToDeparture of a version, which is stored with the same night.
func (v version) closed() *bool { return ptr(v%3 == 0) }

// has reports whether a night has all values of the version, with so many rooms sold.
func (v version) has(n availability.Night, sold int) bool {
	c := v.change()
	return n.Price == c.Price && n.Total == *c.Rooms && n.Available == *c.Rooms-sold &&
		n.MinStay == *c.MinStay && n.MaxStay == *c.MaxStay && n.ClosedToArrival == *c.ClosedToArrival &&
		n.ClosedToDeparture == *v.closed() && n.StopSell == *c.StopSell && n.StopSellReason == c.StopSellReason
}

// versionCall is a call in the history of a night: an update to a version, with its result, or a read of that version
// if there is no result.
type versionCall struct {
	version
	result availability.Result
}

// versionModel is a night as a register of versions.
var versionModel = porcupine.Model{
	Init: func() any { return version(0) },
	Step: func(state, input, _ any) (bool, any) {
		call := input.(versionCall)
		switch call.result {
		case availability.Written:
			return state != call.version, call.version
		case availability.Unknown: // an update that was not made comes after everything else
			return true, call.version
		}
		return state == call.version, state
	},
}

// nightID is a night of a room type.
type nightID struct {
	roomTypeID string
	date       dynastay.Date
}

// managed is some months of two room types, with what its managers and readers did on each night.
type managed struct {
	*testing.T
	stay    dynastay.Stay
	rooms   []string
	sold    map[nightID]int
	started time.Time

	mu       sync.Mutex
	history  map[nightID][]porcupine.Operation
	happened map[availability.Result]int
}

func (m *managed) now() int64 { return time.Since(m.started).Nanoseconds() }

func (m *managed) add(at nightID, call versionCall, began, ended int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.history[at] = append(m.history[at], porcupine.Operation{Input: call, Call: began, Return: ended})
	m.happened[call.result]++
}

// write updates all nights to a version, and repeats what failed.
func (m *managed) write(repo *availability.Repository, v version) {
	night, departure := v.change(), availability.Change{ClosedToDeparture: v.closed()}
	night.RoomTypeIDs, departure.RoomTypeIDs = m.rooms, m.rooms
	night.Dates = m.stay
	departure.Dates = dynastay.Stay{CheckIn: m.stay.CheckIn.AddDays(1), CheckOut: m.stay.CheckOut.AddDays(1)}
	request := availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{night, departure}}
	const most = 100
	for range most {
		began := m.now()
		report, err := repo.Update(context.Background(), request)
		ended := m.now()
		if err == nil {
			m.addReport(report, v, began, ended)
			return
		}
		if report.Dates == nil {
			assert.ErrorIs(m, err, io.ErrUnexpectedEOF, "the room types could not be read")
			continue
		}
		var failed *availability.UpdateError
		if !assert.ErrorAs(m, err, &failed) {
			return
		}
		m.addReport(report, v, began, ended)
		request.Only = failed.Dates
	}
	assert.Fail(m, "an update failed too often")
}

// addReport adds what an update did to the history of each night, and checks that the report is consistent.
func (m *managed) addReport(report availability.Report, v version, began, ended int64) {
	results := map[nightID]availability.DateReport{}
	for _, d := range report.Dates {
		if d.Departure {
			results[nightID{d.RoomTypeID, d.Date.AddDays(-1)}] = d
		}
	}
	assert.Len(m, report.Dates, 2*len(results), "each night once for its departures, and once for all other values")
	for _, d := range report.Dates {
		if d.Departure {
			continue
		}
		at, end := nightID{d.RoomTypeID, d.Date}, ended
		assert.Equal(m, results[at].Result, d.Result, "%v", d)
		assert.Equal(m, results[at].Err, d.Err, "%v", d)
		switch d.Result {
		case availability.NotWritten:
			assert.ErrorIs(m, d.Err, io.ErrUnexpectedEOF, "only lost requests prevent an update: %v", d)
			assert.NotErrorIs(m, d.Err, dynastay.ErrOutcomeUnknown, "%v", d)
			continue
		case availability.Unknown:
			assert.ErrorIs(m, d.Err, dynastay.ErrOutcomeUnknown, "%v", d)
			end = math.MaxInt64
		default:
			assert.NoError(m, d.Err, "%v", d)
			assert.Equal(m, max(0, m.sold[at]-int(v)), d.Overbooked, "%v", d)
		}
		m.add(at, versionCall{v, d.Result}, began, end)
	}
}

// read reads all nights, and adds the version of each to its history.
func (m *managed) read(repo *availability.Repository, versions int) {
	for _, room := range m.rooms {
		began := m.now()
		checked, err := repo.Check(context.Background(), propertyID, room, 1, m.stay, dynastay.Consistent)
		ended := m.now()
		if err != nil {
			assert.ErrorIs(m, err, io.ErrUnexpectedEOF)
			continue
		}
		assert.Len(m, checked.Nights, m.stay.Nights())
		for _, n := range checked.Nights {
			at, v := nightID{room, n.Date}, version(0)
			for int(v) < versions && !v.has(n, m.sold[at]) {
				v++
			}
			if assert.Less(m, int(v), versions, "values of different updates, or rooms that do not add up: %v", n) {
				m.add(at, versionCall{version: v}, began, ended)
			}
		}
	}
}

// Two channel managers, in two processes, update the same nights of two room types at once, while requests and
// responses are lost. Each night always has all values of one update, in the end of the last one. What each report says
// was true. No room is lost or added.
func TestTwoChannelManagers(t *testing.T) {
	t.Parallel()
	seed := *managersSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d; to draw the same faults: go test ./availability -run '^%s$' -managers.seed %[1]d", seed, t.Name())
	db := dyntest.New(t, inventoryTables, dyntest.With(dynastay.Options{Clock: fixture.Clock}), dyntest.Seed(seed))
	first := date("2026-07-01")
	m := &managed{
		T: t, stay: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(*managersNights)}, rooms: []string{"room_1", "room_2"},
		sold: map[nightID]int{}, started: time.Now(),
		history: map[nightID][]porcupine.Operation{}, happened: map[availability.Result]int{},
	}
	m.open(db)
	db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Chance: 0.02})
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Chance: 0.02})
	// Without the read that follows the loss of a response, the outcome of an update is unknown.
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "GetItem", Chance: 0.2, EveryAttempt: true})

	versions := 1 + 2**managersRounds
	patient := dynastay.Retry{Attempts: 1000, Base: time.Millisecond, Cap: 20 * time.Millisecond}
	server := func() *availability.Repository {
		return availability.New(db.Open(&dynastay.Options{Clock: fixture.Clock, Retry: patient}))
	}
	var managers, reader sync.WaitGroup
	done := make(chan struct{})
	for i := range 2 {
		repo := server()
		managers.Go(func() {
			for round := range *managersRounds {
				m.write(repo, version(1+i+2*round))
			}
		})
	}
	reader.Go(func() {
		repo := server()
		for {
			select {
			case <-done:
				return
			default:
				m.read(repo, versions)
			}
		}
	})
	managers.Wait()
	close(done)
	reader.Wait()

	m.read(availability.New(db.Direct), versions)
	t.Logf("%d reads of nights, %d written, %d unchanged, %d unknown", m.happened[""], m.happened[availability.Written],
		m.happened[availability.Unchanged], m.happened[availability.Unknown])
	assert.Len(t, m.history, len(m.rooms)**managersNights)
	for at, history := range m.history {
		result := porcupine.CheckOperationsTimeout(versionModel, history, time.Minute)
		assert.Equal(t, porcupine.Ok, result, "%v: %v", at, history)
	}
	if *managersNights > 300 {
		assert.NotZero(t, m.happened[availability.Unknown], "no response was lost for good")
	}
}

// open opens all nights with the values of version 0 as far as Open sets them, sells up to three rooms of each, and
// then sets the other values.
func (m *managed) open(db *dyntest.DB) {
	m.Helper()
	putProperty(m, db, "America/New_York")
	repo, ctx := availability.New(db.Direct), context.Background()
	for _, id := range m.rooms {
		putRoomType(m, db, id)
		_, err := repo.Open(ctx, availability.OpenRequest{PropertyID: propertyID, RoomTypeID: id, Nights: m.stay, Rooms: 3, Price: version(0).change().Price})
		require.NoError(m, err)
	}
	sales, from := bookings.New(db.Direct, nil), m.stay.CheckIn
	for i := 0; from.Before(m.stay.CheckOut); i++ {
		stay := dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(min(10, from.DaysUntil(m.stay.CheckOut)))}
		for _, id := range m.rooms {
			rooms := 1 + i%3
			quote := quoteOf(m, request(stay, room(id, rooms)), version(0).change().Price)
			_, err := sales.Create(ctx, fixture.Request(quote))
			require.NoError(m, err)
			for d := range stay.Dates() {
				m.sold[nightID{id, d}] = rooms
			}
		}
		from = stay.CheckOut
	}
	m.write(repo, version(0))
	m.history = map[nightID][]porcupine.Operation{}
	clear(m.happened)
}
