package dyntest

import (
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// random returns the source for the nth request that an injection has counted. It has no state between requests, so
// other injections and requests of other kinds do not change what it draws.
func (f *Faults) random(injection, nth int) *rand.Rand {
	return rand.New(rand.NewPCG(f.seed, uint64(injection)<<32|uint64(nth)))
}

// logSeed logs, once for each test, how to repeat its random faults and shards.
func (f *Faults) logSeed() {
	f.t.Helper()
	f.mu.Lock()
	logged := f.seedLogged
	f.seedLogged = true
	f.mu.Unlock()
	if !logged {
		f.t.Logf("dyntest: random choices use seed %d; to repeat them, run in the test's folder:\n  %s=%d go test -count=1 -run '%s'",
			f.seed, seedVar, f.seed, pattern(f.t.Name()))
	}
}

// pattern returns the argument of go test -run that selects one test or subtest.
func pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// AnyOf makes one of the faults happen. The fault is chosen at random for each request, with the seed of the test,
// among those that apply to the request. Without arguments, AnyOf chooses among the faults that DynamoDB and the
// network cause occasionally and that correct code must handle: [Throttle], [InternalError],
// [InternalErrorAfterCommit], [Conflict], [InProgress], [Unprocessed] of one, [LoseRequest], [LoseAnswer], [ShortPages]
// of one and a short [Delay].
//
//	db.Faults.Inject(dyntest.AnyOf(), dyntest.When{Chance: 0.2})
func AnyOf(faults ...Fault) Fault {
	if len(faults) == 0 {
		faults = []Fault{
			Throttle(), InternalError(), InternalErrorAfterCommit(), Conflict(), InProgress(), Unprocessed(1),
			LoseRequest(), LoseAnswer(), ShortPages(1), Delay(2 * time.Millisecond),
		}
	}
	faults = slices.Clone(faults)
	fault := Fault{
		name: "AnyOf", draws: true, needsIndex: true, operations: []string{},
		applies: func(c *content) bool {
			return slices.ContainsFunc(faults, func(one Fault) bool { return one.appliesTo(c) })
		},
		begin: func(i *Injection) effect { return beginAny(i, faults) },
	}
	for _, one := range faults {
		switch {
		case one.begin == nil:
			fault.wrong = "the zero Fault does nothing"
		case one.wrong != "":
			fault.wrong = one.name + ": " + one.wrong
		}
		fault.calls = fault.calls || one.calls
		fault.needsIndex = fault.needsIndex && one.needsIndex
		for _, operation := range operations {
			if one.appliesToOperation(operation) && !slices.Contains(fault.operations, operation) {
				fault.operations = append(fault.operations, operation)
			}
		}
	}
	return fault
}

func beginAny(i *Injection, faults []Fault) effect {
	effects := make([]effect, len(faults))
	for n, one := range faults {
		effects[n] = one.begin(i)
	}
	return effect{
		strike: func(t *turn, x *exchange, next hop) (*http.Response, error) {
			var can []strike
			for n, one := range faults {
				if one.appliesTo(t.content) {
					can = append(can, effects[n].strike)
				}
			}
			return can[t.random.IntN(len(can))](t, x, next)
		},
		spare: func(t *turn, x *exchange) error {
			for n, one := range faults {
				if effects[n].spare != nil && one.appliesTo(t.content) {
					if err := effects[n].spare(t, x); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}
