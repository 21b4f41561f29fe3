package dyntest

import (
	"os"
	"strings"
	"testing"
)

// Unbounded is the value for a field of a [Cost] that a [Budget] should not limit.
const Unbounded = 1 << 30

// Measure runs f and returns the requests that were sent in the meantime through Client, DB and every DB of [DB.Open],
// whoever sent them. Calls of Measure may be nested and may run concurrently. A request that has no response yet when f
// returns is counted without its units, so f should wait for its own requests.
//
// Measuring is invisible to callers: units that they did not ask for are removed from their responses.
func (d *DB) Measure(f func()) (spent *Spent) {
	measured := d.meter.start()
	defer func() { spent = d.meter.stop(measured) }() // even if f ends the test
	f()
	return nil
}

// Budget runs f and fails the test, with a table of what was sent, if f spends more than most. Whatever most does not
// allow counts as exceeding the budget: a Cost without Retries allows no retries. It also fails the test if most is not
// the zero Cost but nothing is sent, because a budget that is kept by doing nothing tests nothing.
//
// It measures as [DB.Measure] does, so nothing else should use db at the same time. Costs are those that the engine
// reports. They do not include what it cannot report, such as the units of a lost response.
func Budget(t testing.TB, db *DB, most Cost, f func()) {
	t.Helper()
	spent := db.Measure(f)
	if len(spent.Calls) == 0 && most != (Cost{}) {
		t.Errorf("dyntest: nothing was sent, so the budget tests nothing; if that is intended, use the zero Cost")
		return
	}
	if lines, over := most.compare(spent.Cost); over {
		t.Errorf("dyntest: over budget\n%s\n\n%s", indented(columns("lrrl", lines)), indented(spent.String()))
	}
}

// summaryVar makes every test log a table of what it sent.
const summaryVar = "DYNTEST_SUMMARY"

func (d *DB) summarize() {
	if os.Getenv(summaryVar) != "1" {
		return
	}
	measured := d.meter.start()
	d.t.Cleanup(func() { d.t.Log("dyntest: requests of this test:\n" + indented(d.meter.stop(measured).String())) })
}

// compare returns a table of what was spent and the budget, and whether it is exceeded.
func (most Cost) compare(spent Cost) (lines [][]string, over bool) {
	lines = [][]string{{"", "spent", "budget"}}
	add := func(name string, is, may float64, text func(float64) string) {
		line := []string{name, text(is), text(may)}
		if may >= Unbounded {
			line[2] = "any"
		}
		if is > may { // exact, because units are sums of halves
			line, over = append(line, "over"), true
		}
		lines = append(lines, line)
	}
	add("requests", float64(spent.Requests), float64(most.Requests), whole)
	add("retries", float64(spent.Retries), float64(most.Retries), whole)
	add("read units", spent.ReadUnits, most.ReadUnits, units)
	add("write units", spent.WriteUnits, most.WriteUnits, units)
	return lines, over
}

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
