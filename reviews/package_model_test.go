package reviews_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

// Reviews of three properties are created, moderated, changed, answered, voted for and deleted by two processes, while
// hosts edit the properties and delete them, and while requests and responses are lost. Every result, and every stored
// item after each operation, is what a model in memory expects.
func TestModel(t *testing.T) {
	t.Parallel()
	met := model.Compare(t, 150, 1, func(t *testing.T, met *model.Tally) func(*rapid.T) int {
		db := dyntest.New(t, modelTables, dyntest.At(noon), dyntest.With(impatient))
		other := db.Open(&impatient)
		programs := []program{newProgram(db.DB), newProgram(other)}
		return func(t *rapid.T) int {
			w := newWorld(t, db, programs, met)
			n := rapid.IntRange(20, 60).Draw(t, "operations")
			for range n {
				w.step()
			}
			w.end()
			return n
		}
	})
	met.Requires(t, 20_000, modelOutcomes...)
}

// modelOutcomes are met in any run of 20,000 operations.
var modelOutcomes = []string{
	"create: done", "create: exists", "create: no booking", "create: other user", "create: other property",
	"create: other stay", "create: not over", "create: not stayed",
	"approve: done", "approve: status", "approve: version", "approve: no Review", "approve: no Property", "approve: property status",
	"reject: done", "reject: status", "reject: version", "reject: no Review",
	"update: done", "update: version", "update: no Review", "delete: done", "delete: no Review",
	"respond: done", "respond: exists", "respond: status", "respond: no Review",
	"update response: done", "update response: version", "update response: no ReviewResponse",
	"delete response: done", "delete response: no ReviewResponse",
	"vote: done", "vote: exists", "vote: own", "vote: status", "vote: no Review", "unvote: done", "unvote: no Vote",
	"repair: done", "repair: no Property", "repair: property status", "edit: done", "edit: no Property", "edit: property status",
	"other software: done", "take off: done", "delete property: done", "stay: done",
	"repeated", "repeated: gone", "approve: failed, done", "approve: failed, not done",
	"delete: failed, hidden", "delete: failed, hidden, without parts", "delete: failed, done", "delete: failed, repaired",
	"met: one order", "met: the other order",
}

// modelTables are the tables of the model: a property is deleted after its nights and bookings were read.
var modelTables = dyntest.OnlyTables(keys.ReviewsTable, keys.PropertiesTable, keys.BookingsTable, keys.MetadataTable, keys.AvailabilityTable)

// impatient makes retries fast, and as many as one fault needs.
var impatient = dynastay.Options{IndexLag: 1, Retry: dynastay.Retry{Attempts: 6, Base: time.Millisecond, Cap: 2 * time.Millisecond}}

// program is one of the processes that share the tables.
type program struct {
	db         *dynastay.DB
	reviews    *reviews.Repository
	properties *properties.Repository
}

func newProgram(db *dynastay.DB) program {
	p := properties.New(db, nil)
	return program{db, reviews.New(db, p, modelOptions), p}
}

// operation is a call, and what it does to a state: it returns why it is refused, or "".
type operation struct {
	name, detail string
	run          func(context.Context, program, ...dynastay.WriteOption) (*reviews.Review, error)
	apply        func(*state) string
	steps        bool   // it is more than one write
	unkeyed      bool   // it has no idempotency key
	id           string // of the review that it returns
}

// applied returns the state after an operation, which is unchanged if it is refused.
func (o operation) applied(s *state) (*state, string) {
	after := s.clone()
	if refused := o.apply(after); refused != "" {
		return s, refused
	}
	return after, ""
}

func drawTrouble(t *rapid.T) model.Trouble {
	return model.DrawTrouble(t, 4, "unprocessed", []int{1, 2, 2, 3, 3, 4, 5}, []int{1, 1, 1, 1, 2, 2, 2, model.Always})
}

// world is the model, and what it is compared with.
type world struct {
	t        *rapid.T
	db       *dyntest.DB
	programs []program
	met      *model.Tally
	now      *state
	users    []string
	bookings []string
	made     int // reviews
	keys     int // idempotency keys
	keyed    []keyedCall
}

// keyedCall is a call with an idempotency key that was carried out.
type keyedCall struct {
	operation
	key string
}

// step draws an operation and carries it out.
func (w *world) step() {
	w.db.Clock.Advance(700 * time.Millisecond)
	on := w.programs[model.UpTo(w.t, 1, "program")]
	switch model.UpTo(w.t, 9, "kind") {
	case 0:
		w.repeat(on)
	case 1, 2:
		w.meet(w.draw("first"), w.draw("second"))
	default:
		w.call(on, w.draw("operation"), drawTrouble(w.t))
	}
	w.verify()
}

// call carries out an operation, and compares what it came to.
func (w *world) call(on program, o operation, f model.Trouble) {
	var opts []dynastay.WriteOption
	key := ""
	if !o.unkeyed && rapid.Bool().Draw(w.t, "with a key") {
		w.keys++
		key = fmt.Sprintf("%s-%d", w.users[0], w.keys)
		opts = append(opts, dynastay.IdempotencyKey(key))
	}
	after, refused := o.applied(w.now)
	stop := f.Begin(w.db, w.met)
	requests := w.db.Faults.Record()
	got, err := o.run(w.t.Context(), on, opts...)
	stop()
	assertConsistentReads(w.t, requests())
	w.t.Logf("%s %s: %v", o.name, o.detail, err)
	why := whyRefused(err)
	if err == nil || why != "" {
		require.Equal(w.t, refused, why, "%s %s: %v", o.name, o.detail, err)
	} else {
		after, why, got = w.settle(o, after, err, f)
	}
	w.now = after
	if why == "" {
		why = "done"
		if got != nil {
			require.Equal(w.t, w.now.want(o.id), withoutResponse(got))
		}
		if key != "" {
			w.keyed = append(w.keyed, keyedCall{o, key})
		}
	}
	w.met.Add(o.name+": "+why, 1)
}

// settle finds the state that a call has left which failed because of a fault.
func (w *world) settle(o operation, after *state, err error, f model.Trouble) (now *state, outcome string, none *reviews.Review) {
	unknown := errors.Is(err, dynastay.ErrOutcomeUnknown)
	require.True(w.t, unknown || f.Fatal(), "%s %s: %v", o.name, o.detail, err)
	type end struct {
		*state
		name string
	}
	ends := []end{{w.now, "not done"}}
	if unknown || o.steps {
		ends = append(ends, end{after, "done"})
	}
	bases := []*state{w.now}
	if r, there := w.now.reviews[o.id]; there { // a call may have repaired the rating first
		bases = append(bases, w.now.repaired(r.house))
		ends = append(ends, end{bases[1], "repaired"})
	}
	for _, base := range bases {
		if _, there := base.reviews[o.id]; there && o.steps {
			first, second := base.hidden(o.id)
			ends = append(ends, end{first, "hidden"}, end{second, "hidden, without parts"})
		}
	}
	there := w.stored()
	for _, e := range ends {
		if w.shown(e.state) == there {
			return e.state, "failed, " + e.name, nil
		}
	}
	w.t.Fatalf("%s %s (%v) has left\n%s\nfrom\n%s", o.name, o.detail, err, there, w.shown(w.now))
	return nil, "", nil
}

// repeat makes a call with an idempotency key again: nothing happens.
func (w *world) repeat(on program) {
	if len(w.keyed) == 0 {
		return
	}
	c := model.OneOf(w.t, "earlier call", w.keyed...)
	_, err := c.run(w.t.Context(), on, dynastay.IdempotencyKey(c.key))
	if errors.Is(err, dynastay.ErrCommitted) && w.now.goneSince(c.operation) {
		w.met.Add("repeated: gone", 1)
		return
	}
	require.NoError(w.t, err, "%s %s", c.name, c.detail)
	w.met.Add("repeated", 1)
}

// meet runs the inner operation before the first write of the outer one. The results are those of one order of the two.
func (w *world) meet(outer, inner operation) {
	type mark struct{}
	var innerErr error
	met := false
	fault := w.db.Faults.Inject(dyntest.Before(func(context.Context) {
		met = true
		_, innerErr = inner.run(w.t.Context(), newProgram(w.db.Direct))
	}), dyntest.When{Nth: 1, Optional: true, Match: func(r dyntest.Request) bool {
		return r.Context.Value(mark{}) != nil && racing.Writes(r)
	}})
	_, outerErr := outer.run(context.WithValue(w.t.Context(), mark{}, true), w.programs[0])
	fault.Stop()
	if !met {
		_, innerErr = inner.run(w.t.Context(), newProgram(w.db.Direct))
	}
	w.t.Logf("%s %s (%v) in between %s %s (%v)", inner.name, inner.detail, innerErr, outer.name, outer.detail, outerErr)
	there := w.stored()
	for i, order := range [][2]operation{{inner, outer}, {outer, inner}} {
		middle, first := order[0].applied(w.now)
		after, second := order[1].applied(middle)
		if i == 1 {
			first, second = second, first
		}
		if w.shown(after) == there && first == whyRefused(innerErr) && second == whyRefused(outerErr) {
			w.now = after
			w.met.Add([]string{"met: one order", "met: the other order"}[i], 1)
			return
		}
	}
	w.t.Fatalf("%s %s (%v) in between %s %s (%v): no order of the two results in\n%s\nfrom\n%s",
		inner.name, inner.detail, innerErr, outer.name, outer.detail, outerErr, there, w.shown(w.now))
}

// whyRefused returns the reason for which an operation was refused, or "".
func whyRefused(err error) string {
	var failure *dynastay.Error
	var status *reviews.StatusError
	var house *properties.StatusError
	for reason, name := range map[error]string{
		reviews.ErrNoBooking: "no booking", reviews.ErrOtherUser: "other user", reviews.ErrOtherProperty: "other property",
		reviews.ErrOtherStay: "other stay", reviews.ErrNotOver: "not over", reviews.ErrNotStayed: "not stayed",
		reviews.ErrOwnReview: "own", dynastay.ErrVersion: "version", dynastay.ErrAlreadyExists: "exists",
	} {
		if errors.Is(err, reason) {
			return name
		}
	}
	switch {
	case errors.As(err, &status):
		return "status"
	case errors.As(err, &house):
		return "property status"
	case errors.Is(err, dynastay.ErrNotFound) && errors.As(err, &failure):
		return "no " + failure.Entity
	}
	return ""
}
