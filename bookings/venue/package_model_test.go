package venue_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

var (
	modelOperations = flag.Int("model.operations", worldSize, "how many operations TestModel compares with its model")
	modelSeed       = flag.Uint64("model.seed", 0, "the seed of TestModel; 0: a random one")
)

// worldSize is how many operations a table has: enough for the slots of its days to be taken and freed several times.
const worldSize = 125

// The whole life of a venue, operation by operation, by three processes and through the faults of the network. Every
// result, every refusal and what every reader returns is what a model in memory expects.
func TestModel(t *testing.T) {
	t.Parallel()
	seed := *modelSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	met := map[string]int{}
	for met["operations"] < *modelOperations && !t.Failed() {
		t.Run(fmt.Sprint("from operation ", met["operations"]), func(t *testing.T) {
			w := newWorld(t, seed+uint64(met["operations"]), met)
			for range worldSize {
				w.step()
			}
			for _, id := range w.users {
				w.do(w.recount(id), "") // other software has written too
			}
			w.compare(w.all())
			w.consistency(t)
		})
	}
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(met)) {
		lines = append(lines, fmt.Sprintf("%6d %s", met[what], what))
	}
	t.Logf("met:\n%s", strings.Join(lines, "\n"))
	if *modelOperations >= 5_000 {
		for _, outcome := range expectedOutcomes {
			assert.NotZero(t, met[outcome], outcome)
		}
	}
}

// expectedOutcomes are met in any run of 5,000 operations.
var expectedOutcomes = []string{
	"CreateUser: done", "CreateUser: exists", "CreateUser: exists Email",
	"UpdateUser: done", "UpdateUser: exists Email", "UpdateUser: not found", "UpdateUser: version", "UpdateUser: own",
	"SetRole: done", "SetRole: not allowed", "SetRole: not found", "Recount: done", "Recount: not found",
	"Request: done", "Request: not allowed", "Request: past", "Request: exists", "Request: not found",
	"Update: done", "Update: not allowed", "Update: past", "Update: version", "Update: not found", "Update: invalid Slot",
	"Update: own", "Update: status approved", "Update: status rejected", "Update: status cancelled",
	"Approve: done", "Approve: not allowed", "Approve: past", "Approve: version", "Approve: not found", "Approve: taken",
	"Approve: no slot", "Approve: status approved", "Approve: status rejected", "Approve: status cancelled",
	"Approve with a message: done", "Approve with a message: taken",
	"Reject: done", "Reject: not allowed", "Reject: version", "Reject: not found", "Reject: status approved",
	"Cancel: done", "Cancel: not allowed", "Cancel: past", "Cancel: version", "Cancel: not found",
	"Cancel: status rejected", "Cancel: status cancelled",
	"CreateEvent: done", "CreateEvent: not allowed", "CreateEvent: past", "CreateEvent: taken",
	"UpdateEvent: done", "UpdateEvent: not allowed", "UpdateEvent: not found", "UpdateEvent: version",
	"UpdateEvent: invalid Type", "UpdateEvent: own",
	"DeleteEvent: done", "DeleteEvent: not allowed", "DeleteEvent: not found", "DeleteEvent: version", "DeleteEvent: of booking",
	"SetLockCode: done", "SetLockCode: not allowed", "SetLockCode: not found",
	"RecordPayment: done", "RecordPayment: exists Amount", "RecordPayment: not found",
	"Notify: done", "MarkRead: done", "MarkRead: not found",
	"repeated", "mismatch", "unknown", "unavailable",
}

// world is a run of operations on one table.
type world struct {
	*hall
	t         *testing.T
	draw      *rand.Rand
	zone      *time.Location
	processes []*dynastay.DB
	direct    *venue.Repository // reads without faults
	met       map[string]int

	now     *books                    // what is expected
	users   []string                  // ids, also of users who do not exist
	names   []string                  // ids of bookings, likewise
	days    []dynastay.Date           // that were used
	keyed   []keyedCall               // calls with a key that can be repeated
	records map[string]keyedCall      // those that were done, by key
	made    made                      // by the present call
	drawn   int                       // ids
	stormy  bool                      // requests of the present call may fail
	faulty  bool                      // requests may fail now
	focus   struct{ user, id string } // that the present call is about
	day     dynastay.Date             // likewise
}

// made are the first ids that were generated for a call, by prefix. Later ones of the same prefix are not used.
type made map[string]string

// keyedCall is a call with an idempotency key, and the ids of the entities that it made.
type keyedCall struct {
	key  string
	call call
	made made
}

func newWorld(t *testing.T, seed uint64, met map[string]int) *world {
	w := &world{
		t: t, draw: rand.New(rand.NewPCG(seed, 1)), met: met, now: newBooks(), made: made{}, records: map[string]keyedCall{},
		users: []string{nobody, "user_ann", "user_ben", "user_eve"}, names: []string{"bkg_1", "bkg_2", "bkg_3"},
	}
	var err error
	w.zone, err = time.LoadLocation(pick(w, "UTC", "Pacific/Honolulu", "Pacific/Auckland"))
	require.NoError(t, err)
	opts := dynastay.Options{
		Idempotency: venuekeys.Table, Retry: dynastay.Retry{Base: time.Millisecond, Cap: 2 * time.Millisecond},
		// Numbers, so that a run can be repeated, and so that ids are in the order of the calls in all processes.
		NewID: func(prefix string) string {
			w.drawn++
			id := fmt.Sprintf("%s%08d", prefix, w.drawn)
			w.made[prefix] = cmp.Or(w.made[prefix], id)
			return id
		},
	}
	w.hall = newHall(t, dyntest.Seed(seed), dyntest.With(opts))
	w.processes = []*dynastay.DB{w.DB.DB, w.Open(&opts), w.Open(&opts)}
	w.direct = w.at(w.Direct)
	w.Faults.Inject(dyntest.AnyOf(), dyntest.When{
		Chance: 0.2, Match: func(dyntest.Request) bool { return w.faulty }, Optional: true,
	})
	for _, id := range w.users[1:3] {
		w.do(w.createUser(id, id+"@example.com"), "")
	}
	return w
}

// at returns the repository of a process.
func (w *world) at(db *dynastay.DB) *venue.Repository {
	return venue.New(db, &venue.Options{TimeZone: w.zone})
}

func pick[V any](w *world, values ...V) V { return values[w.draw.IntN(len(values))] }

// today is the date at the venue.
func (w *world) today() dynastay.Date {
	return dynastay.MustDate(w.Clock.Now().In(w.zone).Format(time.DateOnly))
}

// step does one operation, or repeats one with its key, or uses its key for another one.
func (w *world) step() {
	w.met["operations"]++
	w.Clock.Advance(pick(w, 0, 250*time.Millisecond, time.Second, time.Minute, time.Hour, time.Hour))
	if w.draw.IntN(25) == 0 {
		w.Clock.Advance(20 * time.Hour)
	}
	c := w.any()
	key := ""
	switch n := w.draw.IntN(12); {
	case n == 0 && len(w.keyed) > 0:
		again := pick(w, w.keyed...)
		c, key = again.call, again.key
	case n == 1 && len(w.keyed) > 0 && c.replay != nil:
		if other, done := w.records[pick(w, w.keyed...).key]; done && other.call.name != c.name {
			key = other.key
		}
	case n < 5 && c.replay != nil:
		key = fmt.Sprint("key ", w.met["operations"])
		w.keyed = append(w.keyed, keyedCall{key: key, call: c})
	}
	w.stormy = w.draw.IntN(2) == 0
	w.do(c, key)
	w.stormy = false
	if w.met["operations"]%20 == 0 {
		w.compare(w.all())
	} else {
		w.compare(w.near())
	}
}

// call is one operation with what is expected of it.
type call struct {
	name string
	// parts returns the operations, and what returns the result of the first one.
	parts func(*venue.Repository) ([]dynastay.Part, func() any)
	// expect changes the model, and returns the result or the refusal.
	expect func(*books, made) (any, *refusal)
	// replay returns the result of a repetition with the same key, from the ids that the first call made; nil for a
	// call without an input to compare.
	replay func(*books, made) any
	plain  bool // it may be a single request, which is not sent again if nothing shows whether it was carried out
}

// op returns a call of one operation.
func op[R any](name string, build func(*venue.Repository) *dynastay.Operation[R], expect func(*books, made) (any, *refusal)) call {
	return call{name: name, expect: expect, parts: func(r *venue.Repository) ([]dynastay.Part, func() any) {
		o := build(r)
		return []dynastay.Part{o}, func() any { return plain(o.Result()) }
	}}
}

// refusal is the expected error of a call that writes nothing.
type refusal struct {
	outcome string
	by      refusedBy
	taken   *venue.SlotTaken
}

// refusedBy says what decides a refusal: only after a write can a response be lost.
type refusedBy int

const (
	byArguments refusedBy = iota // before any request
	byRead
	byWrite
)

// expectation returns what the model expects of a call, and the state after it.
func (w *world) expectation(c call, key string) (after *books, result any, no *refusal) {
	after = w.now.clone(w)
	result, no = c.expect(after, w.made)
	if earlier, done := w.records[key]; done && (no == nil || no.by != byArguments) {
		after = w.now.clone(w)
		if earlier.call.name != c.name {
			return after, nil, &refusal{outcome: "mismatch", by: byRead}
		}
		return after, c.replay(after, earlier.made), nil
	}
	if no != nil {
		after = w.now.clone(w)
	}
	return after, result, no
}

// do makes a call through the faults of the network, and compares its outcome with the expected one. If the outcome is
// unknown, the stored items show it; a call with a key is then repeated, as its documentation says.
func (w *world) do(c call, key string) {
	process := pick(w, w.processes...)
	w.made = made{}
	parts, result := c.parts(w.at(process))
	if key != "" {
		parts = append(parts, dynastay.IdempotencyKey(key))
	}
	w.faulty = w.stormy
	err := process.Write(w.t.Context(), parts...)
	w.faulty = false

	_, repeated := w.records[key]
	after, want, no := w.expectation(c, key)
	got := outcomeOf(err)
	if got == "unavailable" || got == "unknown" || got == "committed" {
		require.True(w.t, w.stormy, "%s: %v", c.name, err)
		w.met[got]++
		w.uncertain(c, key, got, after, no, repeated)
		return
	}
	expected := "done"
	if no != nil {
		expected = no.outcome
	}
	require.Equal(w.t, expected, got, "%s with the key %q: %v", c.name, key, err)
	if no != nil && no.taken != nil {
		taken := blame.As[*venue.SlotTaken](w.t, err)
		require.Equal(w.t, plain(no.taken), plain(taken))
	}
	if err == nil {
		require.Equal(w.t, want, result(), "the result of %s with the key %q", c.name, key)
		if key != "" && !repeated {
			w.records[key] = keyedCall{key, c, w.made}
		}
	}
	switch {
	case err == nil && repeated:
		w.met["repeated"]++
	case got == "mismatch":
		w.met[got]++
	default:
		w.met[c.name+": "+got]++
	}
	w.now = after
}

// uncertain finds out what a call has done that does not know it, or that has done nothing because of a fault.
func (w *world) uncertain(c call, key, got string, after *books, no *refusal, repeated bool) {
	if got == "unknown" { // a transaction that is not refused is sent again until it is done
		require.True(w.t, c.plain || after.uncounted || repeated || no != nil && (no.by == byWrite || key != "" && no.by == byRead), c.name)
	}
	before, stored := w.view(w.now, w.all()), w.read(w.all())
	changes := !assert.ObjectsAreEqual(before, w.view(after, w.all()))
	if assert.ObjectsAreEqual(before, stored) && (got != "committed" || !changes) {
		if key != "" && got != "unavailable" && !repeated && !changes && no == nil { // only the record of the key shows it
			w.keyed = slices.DeleteFunc(w.keyed, func(k keyedCall) bool { return k.key == key })
			return
		}
	} else {
		require.NotEqual(w.t, "unavailable", got, c.name)
		require.Equal(w.t, w.view(after, w.all()), stored, "%s, whose outcome was unknown", c.name)
		w.now = after
		if key != "" {
			w.records[key] = keyedCall{key, c, w.made}
		}
	}
	if key != "" && got != "unavailable" {
		w.do(c, key)
	}
}

// errOwn is an error of an update's function.
var errOwn = errors.New("own")

// outcomeOf returns a short name of an error.
func outcomeOf(err error) string {
	var taken *venue.SlotTaken
	var status *venue.StatusError
	var invalid *dynastay.InvalidError
	var failure *dynastay.Error
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &taken):
		return "taken"
	case errors.As(err, &status):
		return "status " + string(status.Status)
	case errors.As(err, &invalid):
		return "invalid " + invalid.Field
	case errors.Is(err, dynastay.ErrAlreadyExists) && errors.As(err, &failure):
		return strings.TrimSpace("exists " + failure.Field)
	}
	for _, known := range []struct {
		kind error
		name string
	}{
		{errOwn, "own"}, {venue.ErrNotAllowed, "not allowed"}, {venue.ErrPast, "past"}, {venue.ErrNoSlot, "no slot"},
		{venue.ErrOfBooking, "of booking"}, {dynastay.ErrNotFound, "not found"}, {dynastay.ErrVersion, "version"},
		{dynastay.ErrIdempotencyMismatch, "mismatch"}, {dynastay.ErrOutcomeUnknown, "unknown"},
		{dynastay.ErrCommitted, "committed"}, {dynastay.ErrUnavailable, "unavailable"},
		{dynastay.ErrThrottled, "unavailable"}, {dynastay.ErrContention, "unavailable"},
	} {
		if errors.Is(err, known.kind) {
			return known.name
		}
	}
	return err.Error()
}
