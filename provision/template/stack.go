package template

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/provision"
)

// Stack is what a template creates.
type Stack struct {
	Tables []provision.Table
	// Backup is the plan of daily backups, beside point-in-time recovery. Default: nil, none.
	Backup *Backup
	// Topic is the ARN of the SNS topic that the alarms notify. Default: "", they only show on the console.
	Topic string
	// Application is whether there are alarms for the metrics that the application must send: see [Metrics].
	Application bool
}

// Backup is a plan of daily backups.
type Backup struct {
	Name string // of the vault and the plan
	Days int    // how long a backup is kept
	// CopyTo is the ARN of a vault, usually in another region, to which each backup is copied. Default: "", none.
	CopyTo string
}

var (
	vaultName = regexp.MustCompile(`^[a-zA-Z0-9_-]{2,50}$`)
	vaultARN  = regexp.MustCompile(`^arn:[a-z-]+:backup:[a-z0-9-]+:[0-9]{12}:backup-vault:[a-zA-Z0-9_-]{2,50}$`)
	topicARN  = regexp.MustCompile(`^arn:[a-z-]+:sns:[a-z0-9-]+:[0-9]{12}:[a-zA-Z0-9_-]{1,256}$`)
)

func (s Stack) check() error {
	if len(s.Tables) == 0 {
		return dynastay.Invalid("Tables", "must not be empty")
	}
	logical := map[string]bool{}
	for i, t := range s.Tables {
		field := fmt.Sprintf("Tables[%d]", i)
		if err := cmp.Or(t.Check(), checkGlobal(t)); err != nil {
			return dynastay.Within(field, err)
		}
		if logical[id(t.Name)] {
			return dynastay.Invalid(field+".Name", "must differ from the other names in letters or digits")
		}
		logical[id(t.Name)] = true
	}
	switch b := s.Backup; {
	case s.Topic != "" && !topicARN.MatchString(s.Topic):
		return dynastay.Invalid("Topic", "must be the ARN of an SNS topic, but is %q", s.Topic)
	case b == nil:
	case !vaultName.MatchString(b.Name):
		return dynastay.Invalid("Backup.Name", "must have 2 to 50 letters, digits, hyphens and underscores, but is %q", b.Name)
	case b.Days < 1:
		return dynastay.Invalid("Backup.Days", "must be at least 1")
	case b.CopyTo != "" && !vaultARN.MatchString(b.CopyTo):
		return dynastay.Invalid("Backup.CopyTo", "must be the ARN of a backup vault, but is %q", b.CopyTo)
	}
	return nil
}

// id returns the name of a resource for the thing with a name: its words, each with a capital. CloudFormation allows
// letters and digits only.
func id(words ...string) string {
	var b strings.Builder
	for _, w := range words {
		for _, part := range strings.FieldsFunc(w, func(r rune) bool {
			return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		}) {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// part is a table, with index "", or one of its indexes.
type part struct {
	table provision.Table
	index string
}

func parts(t provision.Table) []part {
	all := []part{{t, ""}}
	for _, index := range t.Schema.Indexes {
		all = append(all, part{t, index.Name})
	}
	return all
}

// String returns the name for people, such as "prod-Bookings" and "prod-Bookings/GSI2-PropertyIndex".
func (p part) String() string {
	if p.index == "" {
		return p.table.Name
	}
	return p.table.Name + "/" + p.index
}

// dimension is one direction of the capacity of a part.
type dimension struct {
	part
	word  string // Read or Write
	scale provision.Scale
}

// tracked are the dimensions whose capacity changes.
func tracked(t provision.Table) (all []dimension) {
	for _, d := range provisioned(t) {
		if d.scale.Max > d.scale.Min {
			all = append(all, d)
		}
	}
	return all
}

// provisioned are all dimensions of a table that is not on demand.
func provisioned(t provision.Table) (all []dimension) {
	if t.Settings.Provisioned == nil {
		return nil
	}
	for _, p := range parts(t) {
		c := t.Settings.Provisioned.Of(p.index)
		all = append(all, dimension{p, "Read", c.Read}, dimension{p, "Write", c.Write})
	}
	return all
}

// target is how many percent target tracking lets be consumed.
func (d dimension) target() int {
	if d.scale.Target == 0 {
		return provision.DefaultTarget
	}
	return d.scale.Target
}
