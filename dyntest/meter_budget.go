package dyntest

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// Unbounded is for a field of a [Cost] that a [Budget] does not bound.
const Unbounded = 1 << 30

// Measure runs f and says what was sent through Client, DB and those of [DB.Open] in the meantime, whoever sent it.
// Measures may be nested, and run at the same time. What has not been answered when f returns is counted without its
// units, so f waits for its own requests.
//
// A caller does not notice that it is measured: units that it did not ask for are kept from its answers.
func (d *DB) Measure(f func()) (spent *Spent) {
	measured := d.meter.start()
	defer func() { spent = d.meter.stop(measured) }() // also where f ends the test
	f()
	return nil
}

// Budget runs f and fails the test, with a table of what was sent, where it takes more than most. What most does not
// grant is not allowed: a Cost without Retries allows none. It also fails where nothing is sent although something is
// granted, for a budget that is kept by doing nothing tests nothing.
//
// It measures as [DB.Measure] does, so nothing else should use db at the same time. Costs are those of the engine that
// runs: what it cannot have counted, a lost answer say, is not in them.
func Budget(t testing.TB, db *DB, most Cost, f func()) {
	t.Helper()
	spent := db.Measure(f)
	if len(spent.Calls) == 0 && most != (Cost{}) {
		t.Errorf("dyntest: within the budget, but nothing was sent")
		return
	}
	if lines, over := most.compare(spent.Cost); over {
		t.Errorf("dyntest: over budget\n%s\n\n%s", indented(columns("lrrl", lines)), indented(spent.String()))
	}
}

// summaryVar asks every test for a table of what it sent.
const summaryVar = "DYNTEST_SUMMARY"

func (d *DB) summarize() {
	if os.Getenv(summaryVar) != "1" {
		return
	}
	measured := d.meter.start()
	d.t.Cleanup(func() { d.t.Log("dyntest: requests of this test:\n" + indented(d.meter.stop(measured).String())) })
}

// compare lays out a budget beside what was spent.
func (most Cost) compare(spent Cost) (lines [][]string, over bool) {
	lines = [][]string{{"", "spent", "budget"}}
	add := func(name string, is, may float64, text func(float64) string) {
		line := []string{name, text(is), text(may)}
		if may >= Unbounded {
			line[2] = "any"
		}
		if is > may { // exact, for units are sums of halves
			line, over = append(line, "over"), true
		}
		lines = append(lines, line)
	}
	whole := func(n float64) string { return strconv.Itoa(int(n)) }
	add("requests", float64(spent.Requests), float64(most.Requests), whole)
	add("retries", float64(spent.Retries), float64(most.Retries), whole)
	add("read units", spent.ReadUnits, most.ReadUnits, units)
	add("write units", spent.WriteUnits, most.WriteUnits, units)
	return lines, over
}

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
