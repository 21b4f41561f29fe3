package dyntest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
)

// Fault is something that can happen to a request, such as [Throttle] or [LoseAnswer]. [Faults.Inject] has it happen.
type Fault struct {
	name       string
	wrong      string              // what is wrong with its arguments, "" for nothing
	operations []string            // those that it can befall; nil for all
	befalls    func(*content) bool // a closer look at a request of such an operation; nil takes all
	needsIndex bool                // befalls reads of indexes only
	calls      bool                // calls a function of the test, which may send requests
	draws      bool                // needs the seed even without a Chance
	begin      func(*Injection) effect
}

// effect is a fault at work.
type effect struct {
	strike strike
	spare  func(*turn, *exchange) error // comes before a matching request that is not hit, while hits are to come; may be nil
}

// strike is a stage that has the fault happen to an exchange, and calls t.hit when it really does.
type strike func(t *turn, x *exchange, next hop) (*http.Response, error)

// newFault is a fault that keeps nothing from one request to the next.
func newFault(name string, operations []string, strike strike) Fault {
	return Fault{name: name, operations: operations, begin: func(*Injection) effect { return effect{strike: strike} }}
}

func (what Fault) canBefallOperation(operation string) bool {
	return what.operations == nil || slices.Contains(what.operations, operation)
}

func (what Fault) canBefall(c *content) bool {
	return what.canBefallOperation(c.operation) && (what.befalls == nil || what.befalls(c))
}

// Injection is a fault at work on the requests of a test.
type Injection struct {
	faults *Faults
	what   Fault
	when   When
	at     string // where it was injected
	number int    // within the test, from 1
	effect effect

	// These are guarded by the mutex of faults.
	counted    int // requests that matched
	taken      int // of these, the ones whose turn it was; repetitions do not count
	returned   int // of these, the ones without effect that do not count against Times
	hits, own  int // those that it acted on, with and without repetitions
	stopped    bool
	repetition map[string]bool // invocation ids and client tokens that were hit

	happened chan struct{}
}

// Inject has a fault happen to the test's requests from now on, until the test ends or [Injection.Stop]:
//
//	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 3})
//
// A request is looked at as the SDK sent it, and counts where it matches when and the fault can befall it. Every
// injection counts it, then those whose turn it is act on it, the first one injected nearest to the SDK: where that one
// answers by itself, the others do not come to act. Under [Faults.Conflicts] a request holds its items before any of
// them acts.
//
// The test fails at once, so call Inject on its goroutine, for what can never happen: an unknown operation, table or
// index, or one that the fault cannot befall. It fails at its end if the fault never happened, or fewer than Times; a
// fault that is left to chance must at least have had the chance.
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

// Hits is how often the fault has happened. A request whose turn it was does not count where the fault had no effect on
// it: because another fault answered, or the engine refused what was to be carried out, or because the page that was to
// be short had no LastEvaluatedKey anyhow. One that had it is a hit, even where only an empty page follows: see
// [ShortPages].
func (i *Injection) Hits() int {
	i.faults.mu.Lock()
	defer i.faults.mu.Unlock()
	return i.hits
}

// Happened is closed with the first hit, for a test that goes on from there instead of sleeping: that gives up, say, while
// an answer is delayed.
func (i *Injection) Happened() <-chan struct{} { return i.happened }

// Stop ends the injection. A request that is under way is not affected, nor is what the end of the test asks for.
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
	again   bool // it repeats a request that was hit
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

// end gives a turn back that had no effect, unless Nth means this request and no other.
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
	// Not as soon as a fault has acted: one that another fault kept from acting has had its turn as well.
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

// turns counts a request for all injections at once, so that requests which race are in one order for all of them.
func (f *Faults) turns(x *exchange) ([]*turn, error) {
	f.mu.Lock()
	injections := slices.Clone(f.injections)
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
		!i.what.canBefall(c):
		return false, nil
	case w.Match == nil:
		return true, nil
	}
	request, err := i.faults.request(x)
	return err == nil && w.Match(request), err
}

// count is nil where nothing more can come of the injection for this request.
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
