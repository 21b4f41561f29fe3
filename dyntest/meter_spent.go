package dyntest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dynastay/dynastay"
)

// Cost is what requests consume. Units are DynamoDB's, as the engine counts them: a read unit is a consistent read of
// 4 KB, and a write unit is a write of 1 KB. The engines report the same units for reads, but not for the writes of
// transactions.
type Cost struct {
	Requests   int // as they left the SDK, including Retries
	Retries    int // see [Call]
	ReadUnits  float64
	WriteUnits float64
}

// Spent is the result of [DB.Measure]: the sum, and the requests themselves in the order in which they were sent.
type Spent struct {
	Cost
	Calls []Call
}

// Call is one request as it left the SDK.
type Call struct {
	Operation string // "Query", "TransactWriteItems"
	// Retry reports whether the request was sent before: the SDK's attempts after its first, and a transaction with a client
	// token that was already used. Other retries, such as dynastay's of a plain write, count as new requests.
	Retry bool
	// Usage has an entry for each table or index that the request names, and for each that was charged, with the names
	// of the schemas. Units are 0 if the response is an error or was lost.
	Usage []dynastay.Usage
	Err   string // the code of the service's error, such as "ThrottlingException"; [NoAnswer]; "" for none
}

// NoAnswer is the value of Call.Err for a request that has no response: its connection broke, its caller gave up, or it
// is still in flight.
const NoAnswer = "no answer"

func (s *Spent) add(c Call) {
	s.Calls = append(s.Calls, c)
	s.Requests++
	if c.Retry {
		s.Retries++
	}
	for _, u := range c.Usage {
		s.ReadUnits += u.ReadUnits
		s.WriteUnits += u.WriteUnits
	}
}

// String returns a table by operation, table and index. Requests over several tables, and those that write indexes, have a
// line for each; the first line has the number of requests.
func (s *Spent) String() string {
	if len(s.Calls) == 0 {
		return "nothing was sent"
	}
	lines := [][]string{{"operation", "table", "index", "requests", "retries", "read units", "write units", "errors"}}
	for _, g := range s.groups() {
		lines = append(lines, g.lines()...)
	}
	lines = append(lines, []string{
		"total", "", "", strconv.Itoa(s.Requests), strconv.Itoa(s.Retries), units(s.ReadUnits), units(s.WriteUnits),
	})
	if !slices.ContainsFunc(s.Calls, func(c Call) bool { return c.Err != "" }) {
		lines[0] = lines[0][:7]
	}
	return columns("lllrrrrl", lines)
}

// group holds the calls of one operation on the same tables or the same index.
type group struct {
	operation string
	requests  int
	retries   int
	usage     map[place]dynastay.Usage
	errors    map[string]int
}

// place is a table, or an index of it.
type place struct{ table, index string }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.table, q.table), cmp.Compare(p.index, q.index))
}

func (s *Spent) groups() []*group {
	type name struct{ operation, places string }
	groups := map[name]*group{}
	for _, c := range s.Calls {
		n := name{c.Operation, fmt.Sprintf("%q", c.places())}
		g := groups[n]
		if g == nil {
			g = &group{operation: c.Operation, usage: map[place]dynastay.Usage{}, errors: map[string]int{}}
			groups[n] = g
		}
		g.add(c)
	}
	var sorted []*group
	for _, n := range slices.SortedFunc(maps.Keys(groups), func(a, b name) int {
		return cmp.Or(cmp.Compare(a.operation, b.operation), cmp.Compare(a.places, b.places))
	}) {
		sorted = append(sorted, groups[n])
	}
	return sorted
}

// places returns the tables of a call, or the index that it read. The indexes that it wrote do not characterize it.
func (c *Call) places() []place {
	var tables, all []place
	for _, u := range c.Usage {
		if u.Index == "" {
			tables = append(tables, place{table: u.Table})
		}
		all = append(all, place{u.Table, u.Index})
	}
	if tables == nil {
		tables = all
	}
	slices.SortFunc(tables, place.compare)
	return tables
}

func (g *group) add(c Call) {
	g.requests++
	if c.Retry {
		g.retries++
	}
	if c.Err != "" {
		g.errors[c.Err]++
	}
	for _, u := range c.Usage {
		at := place{u.Table, u.Index}
		sum := g.usage[at]
		sum.ReadUnits += u.ReadUnits
		sum.WriteUnits += u.WriteUnits
		g.usage[at] = sum
	}
}

func (g *group) lines() [][]string {
	var failed []string
	for _, code := range slices.Sorted(maps.Keys(g.errors)) {
		failed = append(failed, fmt.Sprintf("%d %s", g.errors[code], code))
	}
	var lines [][]string
	for _, at := range slices.SortedFunc(maps.Keys(g.usage), place.compare) {
		u := g.usage[at]
		lines = append(lines, []string{"", at.table, at.index, "", "", units(u.ReadUnits), units(u.WriteUnits), ""})
	}
	if lines == nil { // such as ListTables
		lines = [][]string{{"", "", "", "", "", units(0), units(0), ""}}
	}
	first := lines[0]
	first[0], first[3], first[4] = g.operation, strconv.Itoa(g.requests), strconv.Itoa(g.retries)
	first[7] = strings.Join(failed, ", ")
	return lines
}

// units formats a number of units, which are multiples of one half.
func units(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) }

// whole formats a number of requests.
func whole(n float64) string { return strconv.Itoa(int(n)) }

// columns formats lines in columns, each aligned to the left or to the right: 'l' or 'r'.
func columns(sides string, lines [][]string) string {
	widths := make([]int, len(sides))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		var text strings.Builder
		for i, cell := range line {
			width := widths[i]
			if sides[i] == 'l' {
				width = -width
			}
			fmt.Fprintf(&text, "%*s  ", width, cell)
		}
		b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
