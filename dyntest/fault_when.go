package dyntest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
)

// When selects the requests that a fault happens to. The zero When selects every data-plane request that the fault
// applies to.
type When struct {
	// Operation is that of the request, such as "Query", "TransactWriteItems" or "GetRecords". Default: "", all that
	// the fault applies to.
	Operation string
	// Table is the name of a schema. The request must name its table, or a stream of it, and may name others. Default:
	// "", any table.
	Table string
	// Index is the one that a Query or Scan reads. Default: "", any or none.
	Index string
	// Nth is the first matching request to hit, counted from now; 1 is the next. The retries of the SDK and those of
	// [dynastay.DB.Write] count as requests. Default: 0, which means the next one.
	Nth int
	// Times is how many matching requests are then hit. With Nth, a request on which the fault has no effect (see
	// [Injection.Hits]) counts as one of the Times requests; without Nth, the fault hits a later request instead.
	// Default: 0, which means 1 with Nth, otherwise all.
	Times int
	// EveryAttempt also hits the retries of a request that was hit: the SDK's retries of the same call, and
	// TransactWriteItems requests with the same client token. They do not count against Times. If the client sends the
	// request again, its caller does not notice a single lost response. Default: false.
	EveryAttempt bool
	// Chance hits each matching request with this probability, greater than 0 and at most 1. The requests are chosen
	// with the seed of the test, in their order. A test that sends its requests one after the other runs in exactly the
	// same way again; if requests are sent concurrently, the seed does not determine which of them is hit. It cannot be
	// combined with Nth or Times. Default: 0, every request that the other fields select.
	Chance float64
	// Match reports whether a request matches. It runs on the goroutine that sends the request. Default: nil, all
	// match.
	Match func(Request) bool
	// Optional allows the test to end although the fault has not happened. Default: false; the test then fails. With a
	// Chance below 1, the test fails only if there was no request that the fault could have happened to.
	Optional bool
}

// operations are those of the data plane.
var operations = slices.Concat(itemOperations, streamOperations)

var itemOperations = []string{
	"GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan",
	"BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems",
}

var streamOperations = []string{"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"}

// pagers are the operations that read an index, in pages.
var pagers = []string{"Query", "Scan"}

// String describes the requests, such as "the 3rd Query of Bookings".
func (w When) String() string {
	request := "request"
	if w.Operation != "" {
		request = w.Operation
	}
	switch {
	case w.Table != "" && w.Index != "":
		request += " of " + w.Table + " by " + w.Index
	case w.Table != "":
		request += " of " + w.Table
	case w.Index != "":
		request += " by " + w.Index
	}
	if w.Match != nil {
		request += " that matches"
	}
	if w.Nth > 0 {
		return "the " + ordinal(w.Nth) + " " + request
	}
	if w.Operation == "" {
		return "any " + request
	}
	return request
}

func ordinal(n int) string {
	ending := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return fmt.Sprint(n) + ending
}

// wrong returns the reason why an injection can never do what it is meant to do, or "".
func (f *Faults) wrong(what Fault, w When) string {
	switch {
	case what.begin == nil:
		return "the zero Fault does nothing"
	case what.wrong != "":
		return what.name + ": " + what.wrong
	case w.Operation != "" && !slices.Contains(operations, w.Operation):
		return fmt.Sprintf("Operation must be one of %s; got %q", strings.Join(operations, ", "), w.Operation)
	case w.Operation != "" && !what.appliesToOperation(w.Operation):
		return fmt.Sprintf("%s does not apply to %s, only to %s", what.name, w.Operation, strings.Join(what.operations, ", "))
	case w.Index != "" && w.Operation != "" && !slices.Contains(pagers, w.Operation):
		return fmt.Sprintf("%s does not read an index", w.Operation)
	case w.Index != "" && !slices.ContainsFunc(pagers, what.appliesToOperation):
		return fmt.Sprintf("%s does not apply to reads of an index", what.name)
	case w.Nth < 0:
		return fmt.Sprintf("Nth must not be negative, got %d", w.Nth)
	case w.Times < 0:
		return fmt.Sprintf("Times must not be negative, got %d", w.Times)
	case w.Chance != 0 && !(w.Chance > 0 && w.Chance <= 1):
		return fmt.Sprintf("Chance must be greater than 0 and at most 1, got %v", w.Chance)
	case w.Chance != 0 && (w.Nth > 0 || w.Times > 0):
		return "Chance cannot be combined with Nth or Times"
	case what.calls && w.Nth == 0 && w.Times == 0 && w.Match == nil:
		return what.name + ": Nth, Times or Match is required; otherwise the function's own requests would trigger it again without end"
	case w.Table != "" && f.tablesOf(When{Table: w.Table}) == nil:
		return fmt.Sprintf("this test has no table %s, only %s", w.Table, f.tableNames())
	case w.Table != "" && f.tablesOf(w) == nil:
		return fmt.Sprintf("table %s has no index %s", w.Table, w.Index)
	case w.Index != "" && f.tablesOf(w) == nil:
		return fmt.Sprintf("no table of this test has an index %s", w.Index)
	case what.needsIndex && !slices.ContainsFunc(f.tablesOf(w), func(s *dynastay.Schema) bool { return len(s.Indexes) > 0 }):
		return fmt.Sprintf("%s does not apply to %s: no matching table has an index", what.name, w)
	}
	return ""
}

// tablesOf returns the test's tables that the requests can be for, sorted by name.
func (f *Faults) tablesOf(w When) []*dynastay.Schema {
	var found []*dynastay.Schema
	for _, s := range f.schemas {
		_, there := s.Index(w.Index)
		if (w.Table == "" || w.Table == s.Name) && (w.Index == "" || there) {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b *dynastay.Schema) int { return strings.Compare(a.Name, b.Name) })
	return found
}

func (f *Faults) tableNames() string {
	var names []string
	for _, s := range f.tablesOf(When{}) {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}
