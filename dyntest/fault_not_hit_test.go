package dyntest

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/keys"
)

// An injected fault that did not happen fails the test, which would prove nothing.
func TestAFaultMustHappen(t *testing.T) {
	t.Parallel()
	always := func(Request) bool { return true }
	for name, test := range map[string]struct {
		what     Fault
		when     When
		requests int // of Query
		want     []string
	}{
		"hit":             {LoseRequest(), When{}, 1, nil},
		"too few":         {LoseAnswer(), When{Operation: "Query", Nth: 3}, 2, []string{"dyntest: LoseAnswer on the 3rd Query did not happen: 2 matching requests were sent"}},
		"one":             {LoseAnswer(), When{Operation: "Query", Nth: 2}, 1, []string{"dyntest: LoseAnswer on the 2nd Query did not happen: 1 matching request was sent"}},
		"none":            {Throttle(), When{Table: "Users"}, 1, []string{"dyntest: Throttle on any request of Users did not happen: no matching request was sent"}},
		"an index":        {Delay(time.Second), When{Operation: "Query", Table: "Users", Index: "GSI1-EmailIndex"}, 1, []string{"dyntest: Delay(1s) on Query of Users by GSI1-EmailIndex did not happen: no matching request was sent"}},
		"any table":       {ShortPages(2), When{Index: "GSI1-EmailIndex", Match: always}, 0, []string{"dyntest: ShortPages(2) on any request by GSI1-EmailIndex that matches did not happen: no matching request was sent"}},
		"not all":         {LoseRequest(), When{Nth: 2, Times: 3}, 3, []string{"dyntest: LoseRequest on the 2nd request happened 2 of 3 times: 3 matching requests were sent"}},
		"all":             {LoseRequest(), When{Nth: 2, Times: 3}, 4, nil},
		"without effect":  {ShortPages(1), When{Nth: 1}, 1, []string{"dyntest: ShortPages(1) on the 1st request did not happen: 1 matching request was sent; the fault was due on 1 of them but had no effect, because another fault answered, the engine refused the request, or there was nothing to change"}},
		"given back":      {ShortPages(1), When{Times: 1}, 3, []string{"dyntest: ShortPages(1) on any request did not happen: 3 matching requests were sent; the fault was due on 3 of them but had no effect, because another fault answered, the engine refused the request, or there was nothing to change"}},
		"optional":        {LoseRequest(), When{Nth: 2, Optional: true}, 0, nil},
		"left to chance":  {LoseRequest(), When{Chance: 1e-9}, 1, nil},
		"no chance":       {LoseRequest(), When{Chance: 0.5}, 0, []string{"dyntest: LoseRequest on any request did not happen: no matching request was sent"}},
		"no such chance":  {ShortPages(1), When{Chance: 1}, 1, []string{"dyntest: ShortPages(1) on any request did not happen: 1 matching request was sent; the fault was due on 1 of them but had no effect, because another fault answered, the engine refused the request, or there was nothing to change"}},
		"drawn, not left": {AnyOf(), When{}, 0, []string{"dyntest: AnyOf on any request did not happen: no matching request was sent"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := New(t, OnlyTables(keys.UsersTable))
			w := d.watched()
			d.Faults.Inject(test.what, test.when)
			hits(t, d.Faults, test.requests)
			d.Faults.settle()
			assert.Equal(t, test.want, withoutPlaces(t, w.errors))
		})
	}
}

// withoutPlaces removes from messages the place of the injection, which each of them must name.
func withoutPlaces(t *testing.T, messages []string) (all []string) {
	t.Helper()
	place := regexp.MustCompile(`, injected at \w+_test\.go:\d+,`)
	for _, m := range messages {
		assert.Regexp(t, place, m)
		all = append(all, place.ReplaceAllString(m, ""))
	}
	return all
}

// ending is a test that can be ended by a call.
type ending struct {
	*witness
	end []func()
}

func (e *ending) Cleanup(f func()) { e.end = append(e.end, f) }

func TestTheEndOfTheTestChecks(t *testing.T) {
	t.Parallel()
	e := &ending{witness: &witness{TB: t}}
	f := newFaults(e, nil, "", &config{})
	f.Inject(LoseRequest(), When{})
	require.Len(t, e.end, 1)
	e.end[0]()
	assert.Len(t, e.errors, 1)
}

// A test that has failed, or was skipped, does not fail again.
func TestAFailedTestIsLeftAlone(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	w := d.watched()
	d.Faults.Inject(LoseRequest(), When{})
	d.Faults.t = ended{w, true, false}
	d.Faults.settle()
	d.Faults.t = ended{w, false, true}
	d.Faults.settle()
	assert.Empty(t, w.errors)
}

type ended struct {
	testing.TB
	failed, skipped bool
}

func (e ended) Failed() bool  { return e.failed }
func (e ended) Skipped() bool { return e.skipped }
