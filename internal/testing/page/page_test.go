package page

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorder notices that a test has failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Logf(string, ...any)   {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) FailNow()              { r.failed = true; runtime.Goexit() }
func fails(tb testing.TB, call func(t testing.TB)) bool {
	r, done := &recorder{TB: tb}, make(chan struct{})
	go func() {
		defer close(done)
		call(r)
	}()
	<-done
	return r.failed
}

func TestSection(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(root, "below"), 0o700))
	t.Chdir(filepath.Join(root, "below"))
	whole := "# Costs\n<!-- sales -->\nold\n<!-- end of sales -->\nThe end.\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "costs.md"), []byte(whole), 0o600))
	table := Table([]string{"what", "requests"}, [][]string{{"a sale", "1"}, {"a refund", "2"}})
	section := func(name string) bool {
		return fails(t, func(t testing.TB) { Section(t, "costs.md", name, table) })
	}
	assert.True(t, section("sales"), "the page has another table")
	assert.True(t, section("refunds"), "the page has no such section")
	*update = true
	defer func() { *update = false }()
	assert.False(t, section("sales"))
	*update = false
	assert.False(t, section("sales"))
	written, err := os.ReadFile(filepath.Join(root, "costs.md"))
	require.NoError(t, err)
	assert.Equal(t, "# Costs\n<!-- sales -->\n\n| what | requests |\n|---|---|\n| a sale | 1 |\n| a refund | 2 |\n\n"+
		"<!-- end of sales -->\nThe end.\n", string(written))
}
