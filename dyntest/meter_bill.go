package dyntest

import "testing"

// Bill is what requests consume, like [Cost], with the write units of tables and those of indexes apart.
type Bill struct {
	Requests   int // as they left the SDK, including retries
	ReadUnits  float64
	TableUnits float64 // write units of tables
	IndexUnits float64 // write units of indexes
}

// Bill returns the sum of all calls.
func (s *Spent) Bill() Bill {
	bill := Bill{Requests: len(s.Calls)}
	for _, c := range s.Calls {
		for _, u := range c.Usage {
			bill.ReadUnits += u.ReadUnits
			if u.Index == "" {
				bill.TableUnits += u.WriteUnits
			} else {
				bill.IndexUnits += u.WriteUnits
			}
		}
	}
	return bill
}

// Costs runs f and fails the test, with a table of what was sent, unless f costs exactly want. While [Budget] sets a
// limit, Costs also notices that something has become cheaper, so that the costs in a documentation stay true. Requests
// are compared on every engine, units only if it has [ExactUnits].
//
// It measures as [DB.Measure] does, so nothing else should use db at the same time. The units are those that the engine
// reports: an error has none, even if DynamoDB charges for the request.
func Costs(t testing.TB, db *DB, want Bill, f func()) {
	t.Helper()
	spent := db.Measure(f)
	if lines, differ := want.compare(spent.Bill(), db.Has(ExactUnits)); differ {
		t.Errorf("dyntest: other costs than expected\n%s\n\n%s", indented(columns("lrrl", lines)), indented(spent.String()))
	}
}

// compare returns a table of what was spent and what is expected, and whether they differ. Units are compared only if
// they are exact.
func (want Bill) compare(spent Bill, exact bool) (lines [][]string, differ bool) {
	lines = [][]string{{"", "spent", "expected"}}
	add := func(name string, is, expected float64, compared bool, text func(float64) string) {
		line := []string{name, text(is), text(expected)}
		switch {
		case !compared:
			line = append(line, "not compared on this engine")
		case is != expected: // exact, because units are sums of halves
			line, differ = append(line, "differs"), true
		}
		lines = append(lines, line)
	}
	add("requests", float64(spent.Requests), float64(want.Requests), true, whole)
	add("read units", spent.ReadUnits, want.ReadUnits, exact, units)
	add("table units", spent.TableUnits, want.TableUnits, exact, units)
	add("index units", spent.IndexUnits, want.IndexUnits, exact, units)
	return lines, differ
}
