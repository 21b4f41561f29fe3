package dyntest

import (
	"context"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/keys"
)

func TestWhatCanNeverHappenIsRefused(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things, keys.UsersTable))
	w := d.watched()
	nothing := func(context.Context) {}
	for _, test := range []struct {
		what Fault
		when When
		want string
	}{
		{Throttle(), When{Operation: "TransactWriteItem"}, `"TransactWriteItem" is none of the operations that faults befall: GetItem`},
		{Throttle(), When{Operation: "CreateTable"}, `"CreateTable" is none of the operations`},
		{Conflict(), When{Operation: "Query"}, "Conflict cannot befall Query, only PutItem, UpdateItem, DeleteItem, TransactGetItems, TransactWriteItems"},
		{InProgress(), When{Operation: "PutItem"}, "InProgress cannot befall PutItem, only TransactWriteItems"},
		{Unprocessed(1), When{Operation: "PutItem"}, "Unprocessed(1) cannot befall PutItem"},
		{ShortPages(1), When{Operation: "GetItem"}, "ShortPages(1) cannot befall GetItem"},
		{AnyOf(InProgress(), Conflict()), When{Operation: "Query"}, "AnyOf cannot befall Query"},
		{Throttle(), When{Operation: "GetItem", Index: "GSI1-EmailIndex"}, "GetItem reads no index"},
		{Conflict(), When{Index: "GSI1-EmailIndex"}, "Conflict cannot befall the read of an index"},
		{Throttle(), When{Table: "User"}, `this test has no table "User"; it has Things, Users`},
		{Throttle(), When{Table: d.prefix + "Users"}, "this test has no table"},
		{Throttle(), When{Table: "Users", Index: "GSI6-SlugIndex"}, `table Users has no index "GSI6-SlugIndex"`},
		{Throttle(), When{Index: "SlugIndex"}, `no table of this test has an index "SlugIndex"`},
		{StaleIndex(), When{Table: "Things"}, "StaleIndex cannot befall any request of Things: there is no index"},
		{AnyOf(StaleIndex()), When{Table: "Things"}, "AnyOf cannot befall any request of Things: there is no index"},
		{Throttle(), When{Nth: -1}, "Nth is -1; the next request is 1"},
		{Throttle(), When{Times: -1}, "Times is -1"},
		{Throttle(), When{Chance: -0.1}, "Chance is -0.1, and a probability is above 0 and up to 1"},
		{Throttle(), When{Chance: 1.1}, "Chance is 1.1"},
		{Throttle(), When{Chance: 0.5, Nth: 1}, "Chance does not go together with Nth or Times"},
		{Throttle(), When{Chance: 0.5, Times: 1}, "Chance does not go together with Nth or Times"},
		{Before(nothing), When{Operation: "PutItem"}, "Before needs Nth, Times or Match"},
		{After(nothing), When{Chance: 0.5}, "After needs Nth, Times or Match"},
		{AnyOf(Throttle(), Before(nothing)), When{}, "AnyOf needs Nth, Times or Match"},
		{Before(nil), When{Nth: 1}, "Before: there is no function"},
		{Delay(0), When{}, "Delay(0s): that is no delay"},
		{DelayAnswer(-time.Second), When{}, "DelayAnswer(-1s): that is no delay"},
		{ShortPages(0), When{}, "ShortPages(0): a page has at least one item"},
		{Unprocessed(0), When{}, "Unprocessed(0): that leaves nothing unprocessed"},
		{Fail(""), When{}, `Fail(""): an error has a code`},
		{AnyOf(Throttle(), ShortPages(0)), When{}, "AnyOf: ShortPages(0): a page has at least one item"},
		{AnyOf(Fault{}), When{}, "AnyOf: the zero Fault is none"},
		{Fault{}, When{}, "the zero Fault is none"},
	} {
		got := w.fatal(func() { d.Faults.Inject(test.what, test.when) })
		assert.Contains(t, got, "dyntest: Inject: "+test.want)
	}
	assert.Empty(t, d.Faults.injections)
}

func TestWhatCanHappenIsAccepted(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things, keys.UsersTable))
	w := d.watched()
	for what, when := range map[*When]Fault{
		{Operation: "Scan"}: ShortPages(1),
		{Index: "GSI1-EmailIndex", Table: "Users", Operation: "Query"}: Throttle(),
		{Table: "Things"}:                            AnyOf(StaleIndex(), Throttle()),
		{Operation: "Query"}:                         AnyOf(InProgress(), ShortPages(1)),
		{Match: func(Request) bool { return false }}: Before(func(context.Context) {}),
	} {
		assert.Empty(t, w.fatal(func() { d.Faults.Inject(when, *what) }))
	}
	assert.Len(t, d.Faults.injections, 5)
}

// What was injected and did not happen fails the test: it would prove nothing.
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
		"too few":         {LoseAnswer(), When{Operation: "Query", Nth: 3}, 2, []string{"dyntest: LoseAnswer on the 3rd Query had no hit: 2 such requests were sent"}},
		"one":             {LoseAnswer(), When{Operation: "Query", Nth: 2}, 1, []string{"dyntest: LoseAnswer on the 2nd Query had no hit: 1 such request was sent"}},
		"none":            {Throttle(), When{Table: "Users"}, 1, []string{"dyntest: Throttle on any request of Users had no hit: no such request was sent"}},
		"an index":        {Delay(time.Second), When{Operation: "Query", Table: "Users", Index: "GSI1-EmailIndex"}, 1, []string{"dyntest: Delay(1s) on Query of Users by GSI1-EmailIndex had no hit: no such request was sent"}},
		"any table":       {ShortPages(2), When{Index: "GSI1-EmailIndex", Match: always}, 0, []string{"dyntest: ShortPages(2) on any request by GSI1-EmailIndex that matches had no hit: no such request was sent"}},
		"not all":         {LoseRequest(), When{Nth: 2, Times: 3}, 3, []string{"dyntest: LoseRequest on the 2nd request had 2 of its 3 hits: 3 such requests were sent"}},
		"all":             {LoseRequest(), When{Nth: 2, Times: 3}, 4, nil},
		"without effect":  {ShortPages(1), When{Nth: 1}, 1, []string{"dyntest: ShortPages(1) on the 1st request had no hit: 1 such request was sent; it was due on 1 of them and did not happen: another fault answered, the engine refused the request, or there was nothing to change"}},
		"given back":      {ShortPages(1), When{Times: 1}, 3, []string{"dyntest: ShortPages(1) on any request had no hit: 3 such requests were sent; it was due on 3 of them and did not happen: another fault answered, the engine refused the request, or there was nothing to change"}},
		"optional":        {LoseRequest(), When{Nth: 2, Optional: true}, 0, nil},
		"left to chance":  {LoseRequest(), When{Chance: 1e-9}, 1, nil},
		"no chance":       {LoseRequest(), When{Chance: 0.5}, 0, []string{"dyntest: LoseRequest on any request had no hit: no such request was sent"}},
		"no such chance":  {ShortPages(1), When{Chance: 1}, 1, []string{"dyntest: ShortPages(1) on any request had no hit: 1 such request was sent; it was due on 1 of them and did not happen: another fault answered, the engine refused the request, or there was nothing to change"}},
		"drawn, not left": {AnyOf(), When{}, 0, []string{"dyntest: AnyOf on any request had no hit: no such request was sent"}},
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

// withoutPlaces are messages without the place of an injection, which each of them names.
func withoutPlaces(t *testing.T, messages []string) (all []string) {
	t.Helper()
	place := regexp.MustCompile(`, injected at \w+_test\.go:\d+,`)
	for _, m := range messages {
		assert.Regexp(t, place, m)
		all = append(all, place.ReplaceAllString(m, ""))
	}
	return all
}

// ending is a test whose end can be called.
type ending struct {
	*witness
	end []func()
}

func (e *ending) Cleanup(f func()) { e.end = append(e.end, f) }

func TestTheEndOfTheTestAsks(t *testing.T) {
	t.Parallel()
	e := &ending{witness: &witness{TB: t}}
	f := newFaults(e, nil, "", &config{})
	f.Inject(LoseRequest(), When{})
	require.Len(t, e.end, 1)
	e.end[0]()
	assert.Len(t, e.errors, 1)
}

// A test that has failed, or was skipped, is told no more.
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

func TestOrdinals(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 112: "112th", 122: "122nd"} {
		assert.Equal(t, want, ordinal(n))
	}
}
