package provision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dynastay/dynastay/keys"
)

// Check is a line of the checklist in section 10 of the hotel document, with what can be said about it.
type Check struct {
	Phase  string
	What   string
	Answer Answer
	Why    string
}

// Answer is what can be said about a line of the checklist.
type Answer string

// The answers.
const (
	Fulfilled     Answer = "fulfilled"
	Missing       Answer = "missing"
	NotCompared   Answer = "not compared"   // the engine or the caller could not say
	Yours         Answer = "yours"          // nothing in the tables shows whether the operator has done it
	NotApplicable Answer = "not applicable" // the library does not need it
)

// Checklist answers the checklist of the hotel document from the reports about its six tables, in the order of
// [keys.Tables].
func Checklist(reports []*Report) []Check {
	const tables, support, tuning, watching = "1 core tables", "2 supporting tables", "3 optimization", "4 monitoring"
	c := checklist{reports: reports}
	for _, schema := range keys.Tables()[:4] {
		c.compared(tables, "The table "+schema.Name+" with its indexes", []string{"Table", "Key", "Status", "Index", "LocalIndex"}, schema.Name)
	}
	c.compared(tables, "Streams", []string{"Table", "Stream"})
	c.compared(tables, "Billing: on demand, and provisioned for the nights, as section 8.1 has it", []string{"Table", "Billing", "Capacity", "Maximum"})
	c.compared(tables, "Encryption at rest", []string{"Table", "Encryption"})
	for _, schema := range keys.Tables()[4:] {
		c.compared(support, "The table "+schema.Name+" with its indexes", []string{"Table", "Key", "Status", "Index", "LocalIndex"}, schema.Name)
	}
	c.compared(support, "The time to live of the nights", []string{"Table", "TTL"}, keys.AvailabilityTable.Name)
	c.compared(support, "Point-in-time recovery", []string{"Table", "Recovery"})
	c.add(support, "Automated backups", Yours, "The templates have a plan of daily backups, with a copy in another region. To use them: docs/runbooks/restore.md and docs/runbooks/lost-region.md.")
	c.add(tuning, "A cache", NotApplicable, "Each page of a list is one request, whatever it shows. What a cache keeps of prices and rooms would be sold when it is gone.")
	c.add(tuning, "Alarms for throttling", Yours, "The templates have one for the reads and the writes of each table and index. When one rings: docs/runbooks/throttled-index.md.")
	c.compared(tuning, "Policies of auto-scaling", []string{"Table", "Scaling"})
	c.compared(tuning, "Projections of the indexes", []string{"Table", "Index"})
	c.add(tuning, "A load test", Yours, "Measure your own traffic; docs/costs.md has the units of every call.")
	c.add(watching, "Dashboards", Yours, "The templates have one with a row for each table.")
	c.add(watching, "Alarms for latency and errors", Yours, "The templates have them, with the reason of each threshold. When one rings: docs/runbooks/README.md.")
	c.add(watching, "X-Ray tracing", Yours, "The SDK's client, which you pass to the library, can be traced.")
	c.add(watching, "Cost alerts", Yours, "They belong to the account: set them in AWS Budgets. The tables' tags can split the bill.")
	c.add(watching, "Runbooks", Yours, "docs/runbooks/README.md has a page for each alarm, and docs/operations.md says what each change does. Add whom to call.")
	return c.checks
}

type checklist struct {
	reports []*Report
	checks  []Check
}

func (c *checklist) add(phase, what string, answer Answer, why string) {
	c.checks = append(c.checks, Check{phase, what, answer, why})
}

// compared answers a line from the differences in some settings, of all tables or of one.
func (c *checklist) compared(phase, what string, settings []string, schema ...string) {
	about := func(setting string) bool {
		word, _, _ := strings.Cut(setting, " ")
		return slices.Contains(settings, word)
	}
	var wrong, unknown []string
	found := 0
	for i, r := range c.reports {
		if len(schema) > 0 && (i >= len(keys.Tables()) || keys.Tables()[i].Name != schema[0]) {
			continue
		}
		found++
		for _, d := range r.Differences {
			if about(d.Setting) {
				wrong = append(wrong, fmt.Sprintf("%s: %s", d.Table, d))
			}
		}
		for _, u := range r.Unchecked {
			if about(u.Setting) {
				unknown = append(unknown, fmt.Sprintf("%s: %s: %s", r.Table, u.Setting, u.Reason))
			}
		}
	}
	switch {
	case len(wrong) > 0:
		c.add(phase, what, Missing, strings.Join(wrong, "; "))
	case len(unknown) > 0:
		c.add(phase, what, NotCompared, strings.Join(unknown, "; "))
	case found == 0:
		c.add(phase, what, NotCompared, "There is no report about it.")
	default:
		c.add(phase, what, Fulfilled, "Compared with the table.")
	}
}
