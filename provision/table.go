package provision

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Table is what a table must be.
type Table struct {
	Schema   *dynastay.Schema
	Name     string   // the full name, with the prefix and suffix of [dynastay.Options]
	Settings Settings `json:",omitzero"`
}

// Settings are what the operator of a table chooses. The zero value is suitable for production.
type Settings struct {
	// Provisioned is the capacity of the table and its indexes. Default: nil, on-demand billing.
	Provisioned *Provisioned `json:",omitzero"`
	// Maximum limits what on-demand billing serves, for the table and for each of its indexes: what is above is throttled.
	// Default: no limit but that of the account.
	Maximum Units `json:",omitzero"`
	// Warm is the throughput that the table and each of its indexes must be able to serve at once. Raising it costs money
	// once, and it never falls again. Default: what DynamoDB provides by itself.
	Warm Units `json:",omitzero"`
	// KMSKey is the ARN, the id or the alias of a customer-managed key. Default: "", the AWS managed key for DynamoDB.
	KMSKey string
	// Deletable does not ask for deletion protection. Default: false, the table is protected.
	Deletable bool
	// RecoveryDays is the recovery period of point-in-time recovery, from 1 to 35 days. Default: 0, which means 35.
	RecoveryDays int
	// Tags are tags that the table must have. It may have others.
	Tags map[string]string `json:",omitzero"`
	// Replicas are the other regions of a global table. Its consistency is eventual: a table with multi-region strong
	// consistency has no transactions, so the library cannot use it. A property must be written from one region only.
	Replicas []string `json:",omitzero"`
}

// Units are read units and write units per second. A zero is no value.
type Units struct {
	Read, Write int64
}

// Provisioned is the capacity of a table with provisioned billing.
type Provisioned struct {
	Capacity                     // of the table, and of each index that Indexes does not name
	Indexes  map[string]Capacity `json:",omitzero"` // by the names of the indexes
}

// Capacity is the capacity for reads and for writes.
type Capacity struct {
	Read  Scale `json:",omitzero"`
	Write Scale `json:",omitzero"`
}

// Scale is a capacity in units per second. If Max is more than Min, target tracking changes it between them, so that
// Target percent of it are consumed. [Apply] sets Min; target tracking belongs to Application Auto Scaling, and is in the
// templates.
type Scale struct {
	Min, Max int64
	Target   int // from 20 to 90; default: 70
}

// Fixed returns a capacity that does not change.
func Fixed(units int64) Scale { return Scale{Min: units, Max: units} }

// DefaultTarget leaves 30 % of a capacity for the minutes that target tracking needs to notice more traffic.
const DefaultTarget = 70

// Tables returns tables for schemas, with the prefix and suffix of [dynastay.Options] and the default settings.
func Tables(prefix, suffix string, schemas ...*dynastay.Schema) []Table {
	all := make([]Table, len(schemas))
	for i, s := range schemas {
		all[i] = Table{Schema: s, Name: prefix + s.Name + suffix}
	}
	return all
}

// Hotel returns the six tables of package keys with the billing that section 8.1 of the document recommends: Availability
// has provisioned capacity with target tracking, the others are on demand. Its capacity begins at 25 units per second and
// grows to 4,000 write units, which is what DynamoDB gives to a new on-demand table.
func Hotel(prefix, suffix string) []Table {
	all := Tables(prefix, suffix, keys.Tables()...)
	for i := range all {
		if all[i].Schema == keys.AvailabilityTable {
			all[i].Settings.Provisioned = &Provisioned{Capacity: Capacity{Read: Scale{Min: 25, Max: 12_000}, Write: Scale{Min: 25, Max: 4_000}}}
		}
	}
	return all
}

const maxRecoveryDays = 35

// Days returns the recovery period in days.
func (s Settings) Days() int { return cmp.Or(s.RecoveryDays, maxRecoveryDays) }

var tableName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)

// Check returns an [*dynastay.InvalidError] for the first field that is not valid. The functions of this package call it
// before any request.
func (t Table) Check() error {
	s := t.Settings
	switch {
	case t.Schema == nil:
		return dynastay.Invalid("Schema", "must not be nil")
	case !tableName.MatchString(t.Name):
		return dynastay.Invalid("Name", "must have 3 to 255 letters, digits, dots, hyphens and underscores, but is %q", t.Name)
	case s.RecoveryDays < 0 || s.RecoveryDays > maxRecoveryDays:
		return dynastay.Invalid("Settings.RecoveryDays", "must be between 0 and %d", maxRecoveryDays)
	case s.Provisioned != nil && s.Maximum != Units{}:
		return dynastay.Invalid("Settings.Maximum", "must not be set together with Provisioned: it limits on-demand billing")
	case s.Maximum.Read < 0 || s.Maximum.Write < 0:
		return dynastay.Invalid("Settings.Maximum", "must not be negative")
	case s.Warm.Read < 0 || s.Warm.Write < 0:
		return dynastay.Invalid("Settings.Warm", "must not be negative")
	}
	for _, k := range slices.Sorted(maps.Keys(s.Tags)) {
		if k == "" || strings.HasPrefix(strings.ToLower(k), "aws:") {
			return dynastay.Invalid("Settings.Tags", "%q is not a key that you may use", k)
		}
	}
	for i, region := range s.Replicas {
		if region == "" || slices.Contains(s.Replicas[:i], region) {
			return dynastay.Invalid(fmt.Sprintf("Settings.Replicas[%d]", i), "must be another region, but is %q", region)
		}
	}
	return t.checkCapacity()
}

func (t Table) checkCapacity() error {
	p := t.Settings.Provisioned
	if p == nil {
		return nil
	}
	if err := p.Capacity.check("Settings.Provisioned"); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(p.Indexes)) {
		field := "Settings.Provisioned.Indexes[" + name + "]"
		if _, known := t.Schema.Index(name); !known {
			return dynastay.Invalid(field, "is not an index of the schema")
		}
		if err := p.Indexes[name].check(field); err != nil {
			return err
		}
	}
	return nil
}

func (c Capacity) check(field string) error {
	for _, s := range []struct {
		name string
		Scale
	}{{".Read", c.Read}, {".Write", c.Write}} {
		switch {
		case s.Min < 1:
			return dynastay.Invalid(field+s.name+".Min", "must be at least 1")
		case s.Max < s.Min:
			return dynastay.Invalid(field+s.name+".Max", "must not be less than Min")
		case s.Target != 0 && (s.Target < 20 || s.Target > 90):
			return dynastay.Invalid(field+s.name+".Target", "must be between 20 and 90 percent")
		}
	}
	return nil
}

// Of returns the capacity of the table, for "", or of an index.
func (p *Provisioned) Of(index string) Capacity {
	if c, has := p.Indexes[index]; has {
		return c
	}
	return p.Capacity
}
