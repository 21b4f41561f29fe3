package racing

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
)

// Call is a call of the library in a separate process.
type Call func(ctx context.Context, db *dynastay.DB) error

// Way is the point of the first call at which the whole second call happens.
type Way struct {
	Name string
	// Unknown says that, for an item without a write id, it may be unknown whether the first call changed it.
	Unknown bool
	faults  func(second func(context.Context)) []fault
}

type fault struct {
	what  dyntest.Fault
	match func(dyntest.Request) bool
}

// Between is the way in which what the first call read has changed.
var Between = Way{Name: "between the read and the write", faults: func(second func(context.Context)) []fault {
	return []fault{{dyntest.Before(second), firstWrites}}
}}

// Ways are all points at which two calls can interleave that read an item and then write it.
var Ways = []Way{
	{Name: "before the read", faults: func(second func(context.Context)) []fault {
		return []fault{{dyntest.Before(second), ofFirst}}
	}},
	Between,
	{Name: "before a write that meets a conflict", faults: func(second func(context.Context)) []fault {
		return []fault{{dyntest.Before(second), firstWrites}, {dyntest.Conflict(), firstWrites}}
	}},
	{Name: "before a write that is lost", Unknown: true, faults: func(second func(context.Context)) []fault {
		return []fault{{dyntest.Before(second), firstWrites}, {dyntest.LoseRequest(), firstWrites}}
	}},
	{Name: "between the read and the write, its own response lost", faults: func(second func(context.Context)) []fault {
		return []fault{{dyntest.Before(second), firstWrites}, {dyntest.LoseAnswer(), secondWrites}}
	}},
	{Name: "after a write whose response is lost", faults: func(second func(context.Context)) []fault {
		return []fault{{dyntest.LoseAnswer(), firstWrites}, {dyntest.After(second), firstWrites}}
	}},
	{Name: "after the write", faults: func(second func(context.Context)) []fault {
		return []fault{{dyntest.After(second), firstWrites}}
	}},
}

// patient is for races, in which every call must eventually get a result.
var patient = &dynastay.Options{
	Retry: dynastay.Retry{Attempts: 500}, IndexLag: time.Millisecond,
}

// Meet runs the first call, and the second one at the point of w, and returns their errors.
func (w Way) Meet(t *testing.T, db *dyntest.DB, first, second Call) (error, error) {
	t.Helper()
	var err error
	met := false
	for _, f := range w.faults(func(context.Context) {
		met = true
		err = second(context.WithValue(t.Context(), caller{}, 2), db.Open(patient))
	}) {
		defer db.Faults.Inject(f.what, dyntest.When{Match: f.match, Nth: 1}).Stop()
	}
	firstErr := first(context.WithValue(t.Context(), caller{}, 1), db.Open(patient))
	assert.True(t, met, "%s: the calls did not meet: %v", w.Name, firstErr)
	return firstErr, err
}

// Harass runs a call, and runs step before each of the call's first n requests, on the same goroutine.
func Harass(t *testing.T, db *dyntest.DB, n int, call Call, step func()) error {
	t.Helper()
	defer db.Faults.Inject(dyntest.Before(func(context.Context) { step() }), dyntest.When{Match: ofFirst, Times: n, Optional: true}).Stop()
	return call(context.WithValue(t.Context(), caller{}, 1), db.Open(patient))
}

// caller is the context key for the number of the call that sends a request.
type caller struct{}

func ofFirst(r dyntest.Request) bool { return r.Context.Value(caller{}) == 1 }

func firstWrites(r dyntest.Request) bool { return ofFirst(r) && Writes(r) }

func secondWrites(r dyntest.Request) bool { return r.Context.Value(caller{}) == 2 && Writes(r) }

// Writes reports whether a request writes.
func Writes(r dyntest.Request) bool {
	return slices.Contains([]string{"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"}, r.Operation)
}

// AtOnce runs calls at the same time, each in a separate process, and returns their errors.
func AtOnce(t *testing.T, db *dyntest.DB, calls ...Call) []error {
	t.Helper()
	errs := make([]error, len(calls))
	start := make(chan struct{})
	var all sync.WaitGroup
	for i, call := range calls {
		process := db.Open(patient)
		all.Go(func() {
			<-start
			errs[i] = call(t.Context(), process)
		})
	}
	close(start)
	all.Wait()
	return errs
}
