package contract

import (
	"fmt"
	"slices"
)

// Case is one thing that an engine must do.
type Case struct {
	Group string  // such as "transactions"
	Name  string  // what the engine does, unique in the group
	Needs string  // what in the library, or in a service, depends on it
	Means string  // what happens to a user of the library if the engine differs
	Units float64 // the most read and write units, together, that it spends on AWS

	run func(*scene)
}

// String returns the group and the name.
func (c Case) String() string { return c.Group + ": " + c.Name }

// Verdict is the answer to a case.
type Verdict string

// The answers.
const (
	AsRequired Verdict = "as required"
	Differs    Verdict = "differs"
	NotShown   Verdict = "not shown"
)

// Result is what an engine answered to a case.
type Result struct {
	Case
	Verdict Verdict
	Seen    string // what differs, or why it was not shown
}

// String returns the result in one line, without what it means.
func (r Result) String() string {
	if r.Seen == "" {
		return fmt.Sprintf("%s: %s", r.Case, r.Verdict)
	}
	return fmt.Sprintf("%s: %s: %s", r.Case, r.Verdict, r.Seen)
}

// groups are in the order in which they run.
var groups = []struct {
	name  string
	cases []Case
}{
	{"conditional writes", conditions},
	{"transactions", transactions},
	{"batches", batches},
	{"units", units},
	{"indexes", indexes},
	{"order of keys", orders},
	{"paging", paging},
	{"limits", limits},
	{"updates", updates},
	{"values", values},
	{"reads", reads},
	{"streams", streams},
	{"tables", tables},
	{"errors", errorShapes},
	{"load", load},
}

// Cases returns all cases, in the order in which they run.
func Cases() []Case {
	var all []Case
	for _, g := range groups {
		cases := slices.Clone(g.cases)
		for i := range cases {
			cases[i].Group = g.name
		}
		all = append(all, cases...)
	}
	return all
}
