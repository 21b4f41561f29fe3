package provision_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/provision"
)

func TestTables(t *testing.T) {
	all := provision.Hotel("prod-", "-v2")
	assert.Len(t, all, len(keys.Tables()))
	for i, table := range all {
		assert.NoError(t, table.Check())
		assert.Equal(t, "prod-"+keys.Tables()[i].Name+"-v2", table.Name)
		assert.Equal(t, table.Schema == keys.AvailabilityTable, table.Settings.Provisioned != nil, "section 8.1: only the nights")
	}
}

// What is not valid is refused before any request: the client is nil.
func TestInvalidTables(t *testing.T) {
	scale := provision.Scale{Min: 1, Max: 1}
	provisioned := func(change func(p *provision.Provisioned)) func(*provision.Table) {
		return func(t *provision.Table) {
			t.Settings.Provisioned = &provision.Provisioned{Capacity: provision.Capacity{Read: scale, Write: scale}}
			change(t.Settings.Provisioned)
		}
	}
	for _, c := range []struct {
		field  string
		change func(*provision.Table)
	}{
		{"Schema", func(t *provision.Table) { t.Schema = nil }},
		{"Name", func(t *provision.Table) { t.Name = "ab" }},
		{"Name", func(t *provision.Table) { t.Name = "a table" }},
		{"Name", func(t *provision.Table) { t.Name = strings.Repeat("a", 256) }},
		{"Settings.RecoveryDays", func(t *provision.Table) { t.Settings.RecoveryDays = -1 }},
		{"Settings.RecoveryDays", func(t *provision.Table) { t.Settings.RecoveryDays = 36 }},
		{"Settings.RecoveryDays", func(t *provision.Table) { t.Settings.RecoveryDays = 1<<32 + 1 }},
		{"Settings.Maximum", func(t *provision.Table) { t.Settings.Maximum.Read = -1 }},
		{"Settings.Maximum", func(t *provision.Table) { t.Settings.Maximum.Write = -1 }},
		{"Settings.Maximum", func(t *provision.Table) {
			provisioned(func(*provision.Provisioned) {})(t)
			t.Settings.Maximum.Read = 1
		}},
		{"Settings.Warm", func(t *provision.Table) { t.Settings.Warm.Read = -1 }},
		{"Settings.Warm", func(t *provision.Table) { t.Settings.Warm.Write = -1 }},
		{"Settings.Tags", func(t *provision.Table) { t.Settings.Tags = map[string]string{"": "x"} }},
		{"Settings.Tags", func(t *provision.Table) { t.Settings.Tags = map[string]string{"AWS:x": "x"} }},
		{"Settings.Replicas[1]", func(t *provision.Table) { t.Settings.Replicas = []string{"eu-west-1", "eu-west-1"} }},
		{"Settings.Replicas[0]", func(t *provision.Table) { t.Settings.Replicas = []string{""} }},
		{"Settings.Provisioned.Read.Min", provisioned(func(p *provision.Provisioned) { p.Read = provision.Scale{} })},
		{"Settings.Provisioned.Write.Max", provisioned(func(p *provision.Provisioned) { p.Write.Min = 2 })},
		{"Settings.Provisioned.Write.Target", provisioned(func(p *provision.Provisioned) { p.Write.Target = 19 })},
		{"Settings.Provisioned.Write.Target", provisioned(func(p *provision.Provisioned) { p.Write.Target = 91 })},
		{"Settings.Provisioned.Indexes[Other]", provisioned(func(p *provision.Provisioned) {
			p.Indexes = map[string]provision.Capacity{"Other": p.Capacity}
		})},
		{"Settings.Provisioned.Indexes[All].Write.Min", provisioned(func(p *provision.Provisioned) {
			p.Indexes = map[string]provision.Capacity{"All": {Read: scale}}
		})},
	} {
		table := provision.Table{Schema: storeSchema(), Name: "Store"}
		c.change(&table)
		blame.Invalid(t, table.Check(), c.field)
		_, err := provision.Look(t.Context(), nil, table, nil)
		blame.Invalid(t, err, c.field)
		valid := provision.Table{Schema: storeSchema(), Name: "Valid"}
		blame.Invalid(t, provision.Apply(t.Context(), nil, []provision.Table{valid, table}, nil), "tables[1]."+c.field)
	}
	twice := provision.Tables("", "", &dynastay.Schema{Name: "Same"}, &dynastay.Schema{Name: "Same"})
	blame.Invalid(t, provision.Apply(t.Context(), nil, twice, nil), "tables[1].Name")
	for _, days := range []int{0, 1, 35} {
		assert.NoError(t, provision.Table{Schema: storeSchema(), Name: "abc", Settings: provision.Settings{RecoveryDays: days}}.Check())
	}
	assert.NoError(t, provision.Table{Schema: storeSchema(), Name: strings.Repeat("a", 255)}.Check())
	for _, target := range []int{0, 20, 90} {
		table := provision.Table{Schema: storeSchema(), Name: "Store"}
		provisioned(func(p *provision.Provisioned) { p.Read.Target = target })(&table)
		assert.NoError(t, table.Check())
	}
}
