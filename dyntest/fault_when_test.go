package dyntest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/keys"
)

func TestWhatCanNeverHappenIsRefused(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things, keys.UsersTable))
	w := d.watched()
	nothing := func(context.Context) {}
	known := strings.Join(operations, ", ")
	for _, test := range []struct {
		what Fault
		when When
		want string
	}{
		{Throttle(), When{Operation: "TransactWriteItem"}, "Operation must be one of " + known + `; got "TransactWriteItem"`},
		{Throttle(), When{Operation: "CreateTable"}, "Operation must be one of " + known + `; got "CreateTable"`},
		{Conflict(), When{Operation: "Query"}, "Conflict does not apply to Query, only to PutItem, UpdateItem, DeleteItem, TransactGetItems, TransactWriteItems"},
		{InProgress(), When{Operation: "PutItem"}, "InProgress does not apply to PutItem, only to TransactWriteItems"},
		{Unprocessed(1), When{Operation: "PutItem"}, "Unprocessed(1) does not apply to PutItem"},
		{ShortPages(1), When{Operation: "GetItem"}, "ShortPages(1) does not apply to GetItem"},
		{AnyOf(InProgress(), Conflict()), When{Operation: "Query"}, "AnyOf does not apply to Query"},
		{Throttle(), When{Operation: "GetItem", Index: "GSI1-EmailIndex"}, "GetItem does not read an index"},
		{Conflict(), When{Index: "GSI1-EmailIndex"}, "Conflict does not apply to reads of an index"},
		{Throttle(), When{Table: "User"}, "this test has no table User, only Things, Users"},
		{Throttle(), When{Table: d.prefix + "Users"}, "this test has no table"},
		{Throttle(), When{Table: "Users", Index: "GSI6-SlugIndex"}, "table Users has no index GSI6-SlugIndex"},
		{Throttle(), When{Index: "SlugIndex"}, "no table of this test has an index SlugIndex"},
		{StaleIndex(), When{Table: "Things"}, "StaleIndex does not apply to any request of Things: no matching table has an index"},
		{AnyOf(StaleIndex()), When{Table: "Things"}, "AnyOf does not apply to any request of Things: no matching table has an index"},
		{Throttle(), When{Nth: -1}, "Nth must not be negative, got -1"},
		{Throttle(), When{Times: -1}, "Times must not be negative, got -1"},
		{Throttle(), When{Chance: -0.1}, "Chance must be greater than 0 and at most 1, got -0.1"},
		{Throttle(), When{Chance: 1.1}, "Chance must be greater than 0 and at most 1, got 1.1"},
		{Throttle(), When{Chance: 0.5, Nth: 1}, "Chance cannot be combined with Nth or Times"},
		{Throttle(), When{Chance: 0.5, Times: 1}, "Chance cannot be combined with Nth or Times"},
		{Before(nothing), When{Operation: "PutItem"}, "Before: Nth, Times or Match is required"},
		{After(nothing), When{Chance: 0.5}, "After: Nth, Times or Match is required"},
		{AnyOf(Throttle(), Before(nothing)), When{}, "AnyOf: Nth, Times or Match is required"},
		{Before(nil), When{Nth: 1}, "Before: f is required"},
		{Delay(0), When{}, "Delay(0s): d must be positive"},
		{DelayAnswer(-time.Second), When{}, "DelayAnswer(-1s): d must be positive"},
		{ShortPages(0), When{}, "ShortPages(0): n must be positive"},
		{Unprocessed(0), When{}, "Unprocessed(0): n must be positive"},
		{Fail(""), When{}, `Fail(""): code is required`},
		{AnyOf(Throttle(), ShortPages(0)), When{}, "AnyOf: ShortPages(0): n must be positive"},
		{AnyOf(Fault{}), When{}, "AnyOf: the zero Fault does nothing"},
		{Fault{}, When{}, "the zero Fault does nothing"},
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

func TestOrdinals(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 112: "112th", 122: "122nd"} {
		assert.Equal(t, want, ordinal(n))
	}
}
