package checker

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// tally counts the answers to one kind of call.
func (c *Run) tally(name string, v Verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tallies[name] == nil {
		c.tallies[name] = &Tally{}
	}
	c.tallies[name][v]++
}

const remembered = 60

func (c *Run) note(items, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, item := range strings.Fields(items) {
		old := c.history[item]
		if len(old) == remembered {
			old = old[1:]
		}
		c.history[item] = append(old, text)
	}
}

// Differ notes a difference between an answer and what is stored, or another answer. The kinds are reported one by one.
func (c *Run) Differ(kind, items, format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.differences = append(c.differences, difference{kind, items, fmt.Sprintf(format, args...)})
}

// report fails the test for every difference, with the last calls on its items for the first few of each kind.
func (c *Run) report() {
	c.mu.Lock()
	defer c.mu.Unlock()
	const most = 5
	shown, left := map[string]int{}, map[string]int{}
	for _, d := range c.differences {
		if shown[d.kind]++; shown[d.kind] > most {
			left[d.kind]++
			continue
		}
		var touched []string
		for _, item := range strings.Fields(d.items) {
			touched = append(touched, c.history[item]...)
		}
		c.T.Errorf("%s: %s: %s\n  %s", d.kind, d.items, d.text, strings.Join(touched, "\n  "))
	}
	for kind, n := range left {
		c.T.Errorf("%s: %d more", kind, n)
	}
	if len(c.differences) > 0 {
		c.T.Errorf("%d differences with seed %d:\n  %s", len(c.differences), *seed, c.command)
	}
}

func (c *Run) summary(stormed time.Duration) string {
	requests := 0
	for _, operation := range []string{
		"GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "BatchGetItem", "BatchWriteItem", "TransactWriteItems",
	} {
		for _, db := range c.databases {
			requests += db.Faults.Count(operation)
		}
	}
	var faults []string
	for _, f := range c.storm {
		hits := 0
		for _, i := range f.injections {
			hits += i.Hits()
		}
		faults = append(faults, fmt.Sprintf("%s %d", f.name, hits))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var all Tally
	var kinds []string
	for _, name := range slices.Sorted(maps.Keys(c.tallies)) {
		told := c.tallies[name]
		for v, n := range told {
			all[v] += n
		}
		kinds = append(kinds, fmt.Sprintf("%s %d/%d/%d", name, told[Acknowledged], told[Refused], told[Unknown]))
	}
	return fmt.Sprintf("%d calls, %d requests: %d acknowledged, %d refused, %d unknown, %d differences, %.1f s (%.1f s of them storm)\n"+
		"  conflicts %d, late %d, %s\n  acknowledged/refused/unknown: %s",
		c.count.Load(), requests, all[Acknowledged], all[Refused], all[Unknown], len(c.differences),
		time.Since(c.started).Seconds(), stormed.Seconds(), c.conflicts.Load(), c.late.number(), strings.Join(faults, ", "),
		strings.Join(kinds, ", "))
}
