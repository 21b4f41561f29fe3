package dyntest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
)

// Fault is something that can happen to a request, such as [Throttle] or [LoseAnswer]. [Faults.Inject] makes it happen.
type Fault struct {
	name       string
	wrong      string              // what is wrong with its arguments, "" for nothing
	operations []string            // those that it applies to; nil for all
	applies    func(*content) bool // whether it applies to a request of such an operation; nil for all
	needsIndex bool                // applies only to reads of indexes
	calls      bool                // calls a function of the test, which may send requests
	draws      bool                // requires the seed even without a Chance
	begin      func(*Injection) effect
}

// effect is a fault at work.
type effect struct {
	strike strike
	spare  func(*turn, *exchange) error // runs before a matching request that is not hit, while more hits may follow; may be nil
}

// strike is a stage that makes the fault happen to an exchange, and calls t.hit if it really does.
type strike func(t *turn, x *exchange, next hop) (*http.Response, error)

// newFault returns a fault without state between requests.
func newFault(name string, operations []string, strike strike) Fault {
	return Fault{name: name, operations: operations, begin: func(*Injection) effect { return effect{strike: strike} }}
}

func (what Fault) appliesToOperation(operation string) bool {
	return what.operations == nil || slices.Contains(what.operations, operation)
}

func (what Fault) appliesTo(c *content) bool {
	return what.appliesToOperation(c.operation) && (what.applies == nil || what.applies(c))
}

// Injection is a fault that was injected into the requests of a test.
type Injection struct {
	faults *Faults
	what   Fault
	when   When
	at     string // where it was injected
	number int    // within the test, from 1
	effect effect

	// These are guarded by the mutex of faults.
	counted    int // requests that matched
	taken      int // of these, the ones whose turn it was, except retries
	returned   int // of these, the ones without effect, which do not count against Times
	hits, own  int // those that it acted on, with and without retries
	stopped    bool
	repetition map[string]bool // invocation ids and client tokens that were hit

	happened chan struct{}
}

// Inject makes a fault happen to the test's requests from now on, until the test ends or [Injection.Stop] is called:
//
//	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 3})
//
// Every injection first counts the request, as the SDK sent it, if it matches when and the fault applies to it. Then
// the injections that are due act on it, in the order in which they were injected. If one of them responds itself, the
// later ones do not act. With [Faults.Conflicts], a request holds its items before any of them acts.
//
// Inject fails the test immediately if the fault can never happen, because the operation, table or index is unknown or
// the fault does not apply to it. So call Inject on the test's goroutine. The test fails at its end if the fault never
// happened, or happened fewer than Times times. For a random fault, at least one matching request must have been sent.
func (f *Faults) Inject(what Fault, when When) *Injection {
	f.t.Helper()
	if when.Nth > 0 && when.Times == 0 {
		when.Times = 1
	}
	if wrong := f.wrong(what, when); wrong != "" {
		f.t.Fatalf("dyntest: Inject: %s", wrong)
	}
	_, file, line, _ := runtime.Caller(1)
	i := &Injection{
		faults: f, what: what, when: when, at: fmt.Sprintf("%s:%d", filepath.Base(file), line),
		repetition: map[string]bool{}, happened: make(chan struct{}),
	}
	f.mu.Lock()
	f.injected++
	i.number = f.injected
	f.mu.Unlock()
	if what.draws || when.Chance > 0 {
		f.logSeed()
	}
	i.effect = what.begin(i)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.injections = append(f.injections, i)
	return i
}

// Hits returns how often the fault has happened. A request whose turn it was does not count if the fault had no effect on it:
// another fault answered, the engine refused the request, or the page to shorten has no LastEvaluatedKey. A page that has one
// is a hit, even if only an empty page follows, see [ShortPages].
func (i *Injection) Hits() int {
	i.faults.mu.Lock()
	defer i.faults.mu.Unlock()
	return i.hits
}

// Happened returns a channel that is closed at the first hit. A test can wait for it instead of sleeping, for example
// to cancel a call while its response is delayed.
func (i *Injection) Happened() <-chan struct{} { return i.happened }

// Stop ends the injection. It affects neither the requests in flight nor the checks at the end of the test.
func (i *Injection) Stop() {
	i.faults.mu.Lock()
	defer i.faults.mu.Unlock()
	i.stopped = true
}

// turn is an injection and a request that matches it.
type turn struct {
	*Injection
	content *content
	due     bool
	again   bool // it is a retry of a request that was hit
	acted   bool // guarded by the mutex of faults
	random  *rand.Rand
}

func (t *turn) hit() {
	t.faults.mu.Lock()
	defer t.faults.mu.Unlock()
	if t.hits++; t.hits == 1 {
		close(t.happened)
	}
	t.acted = true
	if !t.again {
		t.own++
	}
}

// end gives back a turn that had no effect, unless Nth selects this very request.
func (t *turn) end() {
	t.faults.mu.Lock()
	defer t.faults.mu.Unlock()
	if t.due && !t.again && !t.acted && t.when.Nth == 0 {
		t.returned++
		delete(t.repetition, t.content.invocation)
		delete(t.repetition, t.content.ClientRequestToken)
	}
}

// inject is the stage of all injections.
func (f *Faults) inject(x *exchange, next hop) (*http.Response, error) {
	turns, err := f.turns(x)
	if err != nil {
		return nil, err
	}
	// Not as soon as a fault has acted, because a fault that another one kept from acting has had its turn as well.
	defer func() {
		for _, t := range turns {
			t.end()
		}
	}()
	return play(turns, x, next)
}

func play(turns []*turn, x *exchange, next hop) (*http.Response, error) {
	if len(turns) == 0 {
		return next(x)
	}
	t := turns[0]
	rest := func(x *exchange) (*http.Response, error) { return play(turns[1:], x, next) }
	if t.due {
		return t.effect.strike(t, x, rest)
	}
	if t.effect.spare != nil {
		if err := t.effect.spare(t, x); err != nil {
			return nil, err
		}
	}
	return rest(x)
}

// turns counts a request for all injections at once, so that racing requests have the same order for all of them.
func (f *Faults) turns(x *exchange) ([]*turn, error) {
	f.mu.Lock()
	// A long test has thousands that have stopped.
	injections := slices.DeleteFunc(slices.Clone(f.injections), func(i *Injection) bool { return i.stopped })
	f.mu.Unlock()
	if len(injections) == 0 || !slices.Contains(operations, x.operation) {
		return nil, nil
	}
	c, err := f.contentOf(x)
	if err != nil {
		return nil, err
	}
	var matching []*Injection
	for _, i := range injections {
		matches, err := i.matches(x, c) // outside the lock: it may call the test
		if err != nil {
			return nil, err
		}
		if matches {
			matching = append(matching, i)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var turns []*turn
	for _, i := range matching {
		if t := i.count(c); t != nil {
			turns = append(turns, t)
		}
	}
	return turns, nil
}

func (i *Injection) matches(x *exchange, c *content) (bool, error) {
	w := i.when
	switch {
	case w.Operation != "" && w.Operation != c.operation,
		w.Table != "" && !c.tables[w.Table],
		w.Index != "" && w.Index != c.IndexName,
		!i.what.appliesTo(c):
		return false, nil
	case w.Match == nil:
		return true, nil
	}
	request, err := i.faults.request(x)
	return err == nil && w.Match(request), err
}

// count returns nil if the injection has no effect on this request.
func (i *Injection) count(c *content) *turn {
	if i.stopped {
		return nil
	}
	i.counted++
	t := &turn{Injection: i, content: c, random: i.faults.random(i.number, i.counted)}
	switch {
	case i.repetition[c.invocation], i.repetition[c.ClientRequestToken]:
		t.due, t.again = true, true
		return t
	case i.when.Times > 0 && i.taken-i.returned == i.when.Times:
		return nil
	}
	t.due = i.counted >= i.when.Nth && (i.when.Chance == 0 || t.random.Float64() < i.when.Chance)
	if t.due {
		i.taken++
		if i.when.EveryAttempt {
			i.remember(c.invocation)
			i.remember(c.ClientRequestToken)
		}
	}
	return t
}

func (i *Injection) remember(id string) {
	if id != "" {
		i.repetition[id] = true
	}
}
