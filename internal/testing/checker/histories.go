package checker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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

// Left makes a deed one that leaves a receipt, and returns what is stored.
func (d *Deed) Left(kind, of string) *Receipt {
	d.Receipt = &Receipt{ID: d.Mark, Kind: kind, Of: of}
	stored := *d.Receipt
	return &stored
}

// history is one that a system is shown.
type history interface{ Kinds() []string }

// Accepts shows a system histories that are right: one, and others that changes make of it.
func Accepts[H history](t *testing.T, right func(*testing.T) H, check func(H), changes map[string]func(H)) {
	t.Helper()
	for name, change := range changes {
		h := right(t)
		change(h)
		check(h)
		assert.Empty(t, h.Kinds(), name)
	}
}

// Rejects shows a system histories that changes have made wrong, of which it must find each: by the kind of the difference.
func Rejects[H history](t *testing.T, right func(*testing.T) H, check func(H), changes map[string]map[string]func(H)) {
	t.Helper()
	for kind, all := range changes {
		for name, change := range all {
			h := right(t)
			change(h)
			check(h)
			assert.Contains(t, h.Kinds(), kind, "%s: %s", kind, name)
		}
	}
}

// Instant is a time some milliseconds after midnight.
func Instant(milliseconds int) time.Time {
	return Midnight.Add(time.Duration(milliseconds) * time.Millisecond)
}

// Stamp is such a time as it is stored.
func Stamp(milliseconds int) string { return Instant(milliseconds).Format(time.RFC3339Nano) }
