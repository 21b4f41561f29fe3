package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/dynastay/dynastay/dyntest"
)

// Trouble is a fault that begins at the nth request of a call.
type Trouble struct {
	Name       string // "" for none
	Nth, Times int
}

// Always is the number of times that no call survives.
const Always = 10_000

var troubles = map[string]dyntest.Fault{
	"lose request": dyntest.LoseRequest(), "lose answer": dyntest.LoseAnswer(), "throttle": dyntest.Throttle(),
	"internal error": dyntest.InternalError(), "internal error after commit": dyntest.InternalErrorAfterCommit(),
	"conflict": dyntest.Conflict(), "in progress": dyntest.InProgress(), "short pages": dyntest.ShortPages(2),
	"unprocessed": dyntest.Unprocessed(1),
}

// DrawTrouble draws a fault for one in n calls, out of all but one.
func DrawTrouble(t *rapid.T, n int, but string, nths, times []int) Trouble {
	if UpTo(t, n-1, "in trouble") > 0 {
		return Trouble{}
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(troubles)), func(name string) bool { return name == but })
	return Trouble{Name: OneOf(t, "fault", names...), Nth: OneOf(t, "nth request", nths...), Times: OneOf(t, "times", times...)}
}

func (f Trouble) String() string {
	if f.Name == "" {
		return ""
	}
	return fmt.Sprintf("; %s at request %d, %d times", f.Name, f.Nth, f.Times)
}

// Fatal reports whether a call may fail: retries overcome the other faults.
func (f Trouble) Fatal() bool { return f.Times == Always }

// Loses reports whether a caller may not know whether its request was carried out.
func (f Trouble) Loses() bool {
	return strings.HasPrefix(f.Name, "lose") || strings.HasPrefix(f.Name, "internal") || f.Name == "in progress"
}

// Begin lets the next requests meet the fault, and returns what ends it and counts the hits.
func (f Trouble) Begin(db *dyntest.DB, met *Tally) (end func()) {
	if f.Name == "" {
		return func() {}
	}
	fault := db.Faults.Inject(troubles[f.Name], dyntest.When{Nth: f.Nth, Times: f.Times, Optional: true})
	return func() {
		fault.Stop()
		met.Add("faults", fault.Hits())
	}
}
