package provision_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/provision"
)

// sixReports are about tables that are as they must be.
func sixReports() (all []*provision.Report) {
	for _, s := range keys.Tables() {
		all = append(all, &provision.Report{Table: "prod-" + s.Name})
	}
	return all
}

func answers(checks []provision.Check) map[provision.Answer]int {
	all := map[provision.Answer]int{}
	for _, c := range checks {
		all[c.Answer]++
	}
	return all
}

func TestChecklist(t *testing.T) {
	checks := provision.Checklist(sixReports())
	assert.Equal(t, map[provision.Answer]int{provision.Fulfilled: 13, provision.Yours: 8, provision.NotApplicable: 1}, answers(checks))
	for _, c := range checks {
		assert.NotEmpty(t, c.Why, c.What)
	}
	for setting, want := range map[string][]string{
		"Table": {
			"The table Bookings with its indexes", "Streams", "Billing: on demand, and provisioned for the nights, as section 8.1 has it",
			"Encryption at rest", "Point-in-time recovery", "Policies of auto-scaling", "Projections of the indexes",
		},
		"Key":                               {"The table Bookings with its indexes"},
		"Index GSI1-UserBookingsIndex":      {"The table Bookings with its indexes", "Projections of the indexes"},
		"Stream":                            {"Streams"},
		"Capacity of GSI1-UserBookings":     {"Billing: on demand, and provisioned for the nights, as section 8.1 has it"},
		"Scaling of GSI1-UserBookingsIndex": {"Policies of auto-scaling"},
		"Recovery":                          {"Point-in-time recovery"},
		"Encryption":                        {"Encryption at rest"},
		"TTL":                               nil, // only the nights are asked for
		"Tags":                              nil,
	} {
		reports := sixReports()
		reports[2].Differences = []provision.Difference{{Table: "prod-Bookings", Setting: setting, Want: "this", Have: "that"}}
		var missing []string
		for _, c := range provision.Checklist(reports) {
			if c.Answer == provision.Missing {
				missing = append(missing, c.What)
				assert.Equal(t, "prod-Bookings: "+setting+" must be this, but is that", c.Why)
			}
		}
		assert.Equal(t, want, missing, setting)
	}
	reports := sixReports()
	reports[1].Unchecked = []provision.Unchecked{{Setting: "Recovery", Reason: "the engine does not say"}}
	reports[1].Differences = []provision.Difference{{Table: "prod-Availability", Setting: "TTL", Want: "ExpiresAt", Have: "none"}}
	assert.Equal(t, map[provision.Answer]int{provision.Fulfilled: 11, provision.Missing: 1, provision.NotCompared: 1, provision.Yours: 8, provision.NotApplicable: 1},
		answers(provision.Checklist(reports)))
	assert.Equal(t, map[provision.Answer]int{provision.NotCompared: 13, provision.Yours: 8, provision.NotApplicable: 1}, answers(provision.Checklist(nil)))
}

// What is left to the operator says where to read on, if there is a page.
func TestChecklistNamesPages(t *testing.T) {
	pages := regexp.MustCompile(`docs/[\w/-]+\.md`)
	runbooks := map[string][]string{}
	for _, c := range provision.Checklist(nil) {
		for _, page := range pages.FindAllString(c.Why, -1) {
			_, err := os.Stat(filepath.Join("..", filepath.FromSlash(page)))
			assert.NoError(t, err, c.What)
			if filepath.Base(filepath.Dir(page)) == "runbooks" {
				assert.Equal(t, provision.Yours, c.Answer)
				runbooks[c.What] = append(runbooks[c.What], filepath.Base(page))
			}
		}
	}
	assert.Equal(t, map[string][]string{
		"Automated backups":             {"restore.md", "lost-region.md"},
		"Alarms for throttling":         {"throttled-index.md"},
		"Alarms for latency and errors": {"README.md"},
		"Runbooks":                      {"README.md"},
	}, runbooks)
}
