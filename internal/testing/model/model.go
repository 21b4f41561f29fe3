// Package model has what the tests share that compare a package, operation by operation, with a model in memory.
package model

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var operations = flag.Int("model.operations", 0, "how many operations TestModel compares with its model; 0 for MODEL_OPERATIONS, and without it as many as usual")

// A run of many packages has no flags: most of them would not know this one.
func asked(usual int) int {
	if *operations > 0 {
		return *operations
	}
	if n, err := strconv.Atoi(os.Getenv("MODEL_OPERATIONS")); err == nil {
		return n
	}
	return usual
}

// Tally counts what the operations came to.
type Tally struct {
	asked  int
	mu     sync.Mutex
	counts map[string]int
}

// Add counts an outcome n times.
func (y *Tally) Add(outcome string, n int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.counts == nil {
		y.counts = map[string]int{}
	}
	y.counts[outcome] += n
}

// Count returns how often an outcome was met.
func (y *Tally) Count(outcome string) int {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.counts[outcome]
}

// String returns the counts in the order of their names.
func (y *Tally) String() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	var b strings.Builder
	for _, outcome := range slices.Sorted(maps.Keys(y.counts)) {
		fmt.Fprintf(&b, "\n%6d %s", y.counts[outcome], outcome)
	}
	return b.String()
}

// Requires asserts that the outcomes were met, if there were at least so many operations.
func (y *Tally) Requires(t *testing.T, operations int, outcomes ...string) {
	t.Helper()
	if y.asked < operations || t.Failed() {
		return
	}
	for _, outcome := range outcomes {
		assert.NotZero(t, y.Count(outcome), outcome)
	}
}

// Compare makes random histories until they have had enough operations, in parts that run in parallel. A part begins
// once; its history returns how many operations it had.
func Compare(t *testing.T, usual, parts int, begin func(t *testing.T, met *Tally) (history func(*rapid.T) int)) *Tally {
	t.Helper()
	met := &Tally{asked: asked(usual)}
	t.Run("parts", func(t *testing.T) {
		for i := range parts {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				met.compare(t, (met.asked+parts-1)/parts, begin(t, met))
			})
		}
	})
	t.Logf("%d operations:%s", met.Count("operations"), met)
	if !t.Failed() {
		require.GreaterOrEqual(t, met.Count("operations"), met.asked)
	}
	return met
}

func (y *Tally) compare(t *testing.T, operations int, history func(*rapid.T) int) {
	done, failed := 0, false
	for done < operations && !t.Failed() {
		rapid.Check(t, func(rt *rapid.T) {
			if done >= operations && !failed {
				return
			}
			passed := false
			defer func() { failed = failed || !passed }() // rapid repeats it, with fewer operations
			n := history(rt)
			passed = true
			done += n
			y.Add("operations", n)
		})
	}
}

// OneOf draws one of the values, each about equally often.
func OneOf[V any](t *rapid.T, label string, values ...V) V {
	return values[UpTo(t, len(values)-1, label)]
}

// UpTo draws a number from 0 to n. Rapid's own numbers are mostly the lowest ones.
func UpTo(t *rapid.T, n int, label string) int {
	const bits = 9
	drawn := 0
	for range bits {
		drawn *= 2
		if rapid.Bool().Draw(t, label) {
			drawn++
		}
	}
	return drawn * (n + 1) >> bits
}
