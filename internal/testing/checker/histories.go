package checker

import (
	"testing"
	"time"
)

// The tests of a system show its rules histories that are right, and wrong ones, which they must reject.

// Histories is a run without a database, for such tests. Its moments are later than those of the histories.
func Histories(t *testing.T) *Run {
	c := &Run{T: t, history: map[string][]string{}}
	c.moments.Store(1000)
	return c
}

// Kinds are those of the differences that were found.
func (c *Run) Kinds() (all []string) {
	for _, d := range c.differences {
		all = append(all, d.kind)
	}
	return all
}

// Answered is a deed that was answered at a time.
func Answered(mark string, v Verdict, at Span) *Deed {
	d := &Deed{Once: &Once{Name: mark, Items: mark}, Mark: mark, Within: at}
	d.Answers[v]++
	return d
}

// Deny makes a deed one that was refused.
func (d *Deed) Deny(at Span, err error) {
	d.Answers, d.Within.To, d.Refusals = Tally{Refused: 1}, Ever, []Told{{Span: at, Err: err}}
}

// Instant is a time some milliseconds after midnight.
func Instant(milliseconds int) time.Time {
	return Midnight.Add(time.Duration(milliseconds) * time.Millisecond)
}

// Stamp is such a time as it is stored.
func Stamp(milliseconds int) string { return Instant(milliseconds).Format(time.RFC3339Nano) }
