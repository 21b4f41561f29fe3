package provision

import (
	"context"
	"fmt"
	"strings"
)

// Difference is one setting of a table that is not as it must be.
type Difference struct {
	Table string // the full name
	// Setting is "Table", "Status", "Key", "DeletionProtection", "Recovery", "Encryption", "Billing", "Capacity", "Maximum",
	// "Warm", "Stream", "Tags", "TTL", "Replica" with a region, "Consistency", or "Index" or "LocalIndex" with its name.
	// Those of an index that are not its key are "Status of", "Capacity of", "Maximum of" and "Warm of" with its name, and
	// "Scaling" or "Scaling of" is what target tracking does.
	Setting string
	// Want is what it must be, and Have what it is. "none" means that there is no such thing.
	Want, Have string
	Mend       Mend
	// Effect is what a change does to readers and writers, what it costs, and why Apply does not make it unasked.
	Effect string

	foreign bool // the table is another one, and nothing of it is changed
	change  func(context.Context, Control) error
}

// Mend is who can make a difference disappear.
type Mend string

const (
	// ByApply means that [Apply] makes the change: no request fails because of it, and no data is lost but what has expired.
	ByApply Mend = "apply"
	// ByName means that Apply makes the change only if [Options.Named] names the difference: requests may fail because of
	// it, or something is deleted that does not come back.
	ByName Mend = "name"
	// ByHand means that Apply never makes the change.
	ByHand Mend = "hand"
)

// Name returns the name of the difference for [Options.Named], such as "prod-Bookings/Index GSI2-PropertyIndex".
func (d Difference) Name() string { return d.Table + "/" + d.Setting }

// String returns the setting with both values.
func (d Difference) String() string {
	return fmt.Sprintf("%s must be %s, but is %s", d.Setting, d.Want, d.Have)
}

// TableError says how a table still differs from what it must be after [Apply].
type TableError struct {
	Table       string
	Differences []Difference // at least one
}

// Error names the table and each difference with both values.
func (e *TableError) Error() string {
	texts := make([]string, len(e.Differences))
	for i, d := range e.Differences {
		texts[i] = d.String()
	}
	return "table " + e.Table + " is not as it must be: " + strings.Join(texts, "; ")
}

const none = "none"
