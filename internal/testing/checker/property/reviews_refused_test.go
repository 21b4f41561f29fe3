package property

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/internal/testing/checker"
)

// A vote that comes and goes is there if it was cast once more than it was taken back.
func TestWrongVotes(t *testing.T) {
	of := func(voted, maybeVoted, unvoted, maybeUnvoted int) *mind {
		m := new(mind)
		m.voted[checker.Acknowledged], m.voted[checker.Unknown], m.voted[checker.Refused] = voted, maybeVoted, 7
		m.unvoted[checker.Acknowledged], m.unvoted[checker.Unknown], m.unvoted[checker.Refused] = unvoted, maybeUnvoted, 7
		return m
	}
	for _, c := range []struct {
		*mind
		there, absent bool
	}{
		{of(0, 0, 0, 0), false, true}, {of(3, 0, 2, 0), true, false}, {of(3, 0, 3, 0), false, true},
		{of(3, 0, 2, 1), true, true}, {of(2, 1, 2, 0), true, true}, {of(2, 1, 3, 0), false, true}, {of(3, 0, 1, 1), true, false},
		{of(4, 0, 2, 0), false, false}, {of(2, 0, 3, 0), false, false},
	} {
		assert.Equal(t, []bool{c.there, c.absent}, []bool{c.may(true), c.may(false)}, "%+v", *c.mind)
	}
}
