package template_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/provision"
	"github.com/dynastay/dynastay/provision/template"
)

func TestAlarms(t *testing.T) {
	for stack, s := range stacks() {
		names := map[string]bool{}
		for _, a := range s.Alarms() {
			assert.False(t, names[a.Name], "%s: two alarms with the name %s", stack, a.Name)
			names[a.Name] = true
			assert.NotEmpty(t, a.Reason)
			assert.LessOrEqual(t, len(a.Reason), 1024, "of CloudWatch")
			assert.LessOrEqual(t, a.Bad, a.Of)
			assert.LessOrEqual(t, a.Period.Hours()*float64(a.Of), 24.0, "of CloudWatch")
			assert.NotEqual(t, a.Metric == "", a.Percent == nil)
		}
		for _, table := range s.Tables {
			assert.True(t, names[table.Name+" Write throttled"])
			for _, index := range table.Schema.Indexes {
				assert.True(t, names[table.Name+"/"+index.Name+" Write throttled"], "a full index throttles its table")
			}
		}
		for _, metric := range template.Metrics() {
			assert.Equal(t, s.Application, names["dynastay-"+metric])
		}
		assert.Equal(t, s.Backup != nil, names["dynastay-backup-failed"])
	}
}

// Only what is provisioned, has a maximum or has replicas gets the alarms of these.
func TestAlarmsOfSettings(t *testing.T) {
	alarms := func(s provision.Settings) map[string]template.Alarm {
		tables := provision.Tables("", "", keys.UsersTable)
		tables[0].Settings = s
		all := map[string]template.Alarm{}
		for _, a := range (template.Stack{Tables: tables}).Alarms() {
			all[a.Name] = a
		}
		return all
	}
	plain := alarms(provision.Settings{})
	provisioned := alarms(provision.Settings{Provisioned: &provision.Provisioned{Capacity: provision.Capacity{
		Read: provision.Scale{Min: 5, Max: 50}, Write: provision.Scale{Min: 5, Max: 60, Target: 40},
	}}})
	assert.Len(t, provisioned, len(plain)+4, "reads and writes of the table and its index")
	assert.Equal(t, &template.Percent{Consumed: "ConsumedWriteCapacityUnits", Capacity: "ProvisionedWriteCapacityUnits"}, provisioned["Users Write capacity"].Percent)
	assert.InDelta(t, 85, provisioned["Users Read capacity"].Above, 0)
	assert.InDelta(t, 70, provisioned["Users/GSI1-EmailIndex Write capacity"].Above, 0)
	assert.Contains(t, provisioned["Users Write capacity"].Reason, "at 40 %")
	assert.Contains(t, provisioned["Users Write capacity"].Reason, "60 units")

	fixed := alarms(provision.Settings{Provisioned: &provision.Provisioned{Capacity: provision.Capacity{Read: provision.Fixed(5), Write: provision.Fixed(5)}}})
	assert.Contains(t, fixed["Users Read capacity"].Reason, "does not grow by itself")

	limited := alarms(provision.Settings{Maximum: provision.Units{Write: 100}})
	assert.Len(t, limited, len(plain)+2)
	assert.Equal(t, &template.Percent{Consumed: "ConsumedWriteCapacityUnits", PerSecond: 100}, limited["Users/GSI1-EmailIndex Write maximum"].Percent)

	global := alarms(provision.Settings{Replicas: []string{"eu-west-1"}})
	assert.Len(t, global, len(plain)+1)
	assert.Equal(t, []template.Dimension{{Name: "TableName", Value: "Users"}, {Name: "ReceivingRegion", Value: "eu-west-1"}},
		global["Users replication to eu-west-1"].Dimensions)
}

// The page of operations has each kind of alarm once, with the reason of its threshold.
func TestPageOfAlarms(t *testing.T) {
	tables := provision.Tables("", "", keys.UsersTable)
	tables[0].Settings.Provisioned = &provision.Provisioned{Capacity: provision.Capacity{Read: provision.Scale{Min: 25, Max: 4_000}, Write: provision.Scale{Min: 25, Max: 4_000}}}
	limited := provision.Tables("Limited", "", keys.UsersTable)
	limited[0].Settings = provision.Settings{Maximum: provision.Units{Read: 1_000}, Replicas: []string{"eu-west-1"}}
	s := template.Stack{Tables: append(tables, limited...), Backup: &template.Backup{Name: "hotel", Days: 35}, Application: true}
	var rows [][]string
	seen := map[string]bool{}
	for _, a := range s.Alarms() {
		what := a.Metric
		if a.Percent != nil {
			what = a.Percent.Consumed + ", % of the capacity"
			if a.Percent.Capacity == "" {
				what = a.Percent.Consumed + ", % of the maximum"
			}
		}
		for _, d := range a.Dimensions {
			if d.Name == "Operation" && a.Metric == "SuccessfulRequestLatency" {
				what += " of " + d.Value
			}
		}
		if seen[what] {
			continue
		}
		seen[what] = true
		rows = append(rows, []string{what, fmt.Sprintf("%s above %g in %d of %d × %s", a.Statistic, a.Above, a.Bad, a.Of, strings.TrimSuffix(strings.TrimSuffix(a.Period.String(), "0s"), "0m")), a.Reason})
	}
	page.Section(t, "docs/operations.md", "alarms", page.Table([]string{"metric", "rings at", "why"}, rows))
}

func TestInvalidStacks(t *testing.T) {
	for field, change := range map[string]func(*template.Stack){
		"Tables": func(s *template.Stack) { s.Tables = nil },
		"Tables[1].Name": func(s *template.Stack) {
			s.Tables = append(s.Tables[:1], provision.Tables("", "", keys.PropertiesTable)...)
			s.Tables[1].Name = "prod.Properties"
		},
		"Tables[0].Settings.RecoveryDays": func(s *template.Stack) { s.Tables[0].Settings.RecoveryDays = 36 },
		"Tables[0].Settings.KMSKey": func(s *template.Stack) {
			s.Tables[0].Settings = provision.Settings{KMSKey: "x", Replicas: []string{"eu-west-1"}}
		},
		"Tables[1].Settings.Provisioned": func(s *template.Stack) { s.Tables[1].Settings.Replicas = []string{"eu-west-1"} },
		"Topic":                          func(s *template.Stack) { s.Topic = "desk" },
		"Backup.Name":                    func(s *template.Stack) { s.Backup = &template.Backup{Name: "a hotel", Days: 1} },
		"Backup.Days":                    func(s *template.Stack) { s.Backup = &template.Backup{Name: "hotel"} },
		"Backup.CopyTo":                  func(s *template.Stack) { s.Backup = &template.Backup{Name: "hotel", Days: 1, CopyTo: "eu-west-1"} },
	} {
		s := template.Stack{Tables: provision.Hotel("prod-", "")}
		change(&s)
		for _, write := range []func(template.Stack) ([]byte, error){template.CloudFormation, template.Terraform} {
			_, err := write(s)
			require.Error(t, err, field)
			assert.Contains(t, err.Error(), field)
		}
	}
}
