package contract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest/contract"
)

// recorder is a test without subtests that notes what it is told.
type recorder struct {
	testing.TB
	logged, failed, fatal []string
	ending                []func()
}

func (r *recorder) Helper() {}

func (r *recorder) Cleanup(f func()) { r.ending = append(r.ending, f) }

func (r *recorder) Log(args ...any) { r.logged = append(r.logged, fmt.Sprint(args...)) }

func (r *recorder) Logf(format string, args ...any) {
	r.logged = append(r.logged, fmt.Sprintf(format, args...))
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatal(args ...any) {
	r.fatal = append(r.fatal, fmt.Sprint(args...))
	panic(r)
}

// only returns the one text that begins in this way.
func only(t *testing.T, of []string, prefix string) string {
	t.Helper()
	var found []string
	for _, text := range of {
		if strings.HasPrefix(text, prefix) {
			found = append(found, text)
		}
	}
	require.Len(t, found, 1, prefix)
	return found[0]
}

func TestRunWithoutSubtests(t *testing.T) {
	t.Parallel()
	target, admin := counted(t)
	target.Client, target.Streams = padding{target.Client}, nil
	r := &recorder{TB: t}
	contract.Run(r, target)
	text := only(t, r.failed, "batches: keys without an item are absent from a batch of reads: differs: the items: [{")
	assert.Contains(t, text, "\nneeded for: telling missing items from items that were not read"+
		"\nit means: a list has empty entries, or a read never ends")
	only(t, r.logged, "streams: LATEST begins with the next change: not shown: the Target has no client for streams")
	assert.Empty(t, r.fatal)

	assert.Len(t, admin.exist, 2)
	for _, end := range r.ending {
		end()
	}
	assert.Empty(t, admin.exist, "the tables are deleted when the test ends")
}

func TestRunWithoutTables(t *testing.T) {
	t.Parallel()
	target, admin := counted(t)
	admin.failAt = 1
	r := &recorder{TB: t}
	assert.PanicsWithValue(t, r, func() { contract.Run(r, target) })
	assert.Equal(t, []string{errOfAdmin.Error()}, r.fatal)
}

// parent is a test that has subtests. Of these, it runs those of one group.
type parent struct {
	recorder
	t     *testing.T
	group string
	names []string
}

func (p *parent) Run(name string, f func(t *testing.T)) bool {
	p.names = append(p.names, name)
	return !strings.HasPrefix(name, p.group+"/") || p.t.Run(name, f)
}

func TestRunWithSubtests(t *testing.T) {
	t.Parallel()
	target, _ := counted(t)
	p := &parent{recorder: recorder{TB: t}, t: t, group: "conditional writes"}
	contract.Run(p, target)
	var want []string
	for _, c := range contract.Cases() {
		want = append(want, c.Group+"/"+c.Name)
	}
	assert.Equal(t, want, p.names)
	assert.Empty(t, append(p.failed, p.logged...))
	for _, end := range p.ending {
		end()
	}
}
