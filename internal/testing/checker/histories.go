package checker

import (
	"testing"
	"time"
)

// The tests of a system show its rules histories that are right, and wrong ones, which they must reject.

// histories is a run without a database, for such tests. Its moments are later than those of the histories.
func histories(t *testing.T) *checker {
	c := &checker{t: t, history: map[string][]string{}}
	c.moments.Store(1000)
	return c
}

// kinds are those of the differences that were found.
func (c *checker) kinds() (all []string) {
	for _, d := range c.differences {
		all = append(all, d.kind)
	}
	return all
}

// answered is a deed with an answer.
func answered(mark string, v verdict, at span) *deed {
	d := &deed{once: &once{name: mark, items: mark}, mark: mark, within: at}
	d.told[v]++
	return d
}

// deny makes a deed one that was refused.
func (d *deed) deny(at span, err error) {
	d.told, d.within.to, d.refusals = tally{refused: 1}, ever, []told{{at, err}}
}

// instant is a time some milliseconds after midnight.
func instant(milliseconds int) time.Time {
	return midnight.Add(time.Duration(milliseconds) * time.Millisecond)
}

// stamp is such a time as it is stored.
func stamp(milliseconds int) string { return instant(milliseconds).Format(time.RFC3339Nano) }
