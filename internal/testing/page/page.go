// Package page keeps tables of the documentation true: a test writes the table that it knows, and fails if the page has
// another one.
package page

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the pages and golden files anew")

// updates keeps parallel tests from updating one page at the same time.
var updates sync.Mutex

// Updating reports whether the test runs with -update: what it knows is then written, not compared.
func Updating() bool { return *update }

// Section compares a text with the part of a page between the lines <!-- name --> and <!-- end of name -->. The path of
// the page is that from the root of the module. Two packages must not update one page at the same time: make docs uses
// go test -p 1.
func Section(t testing.TB, path, name, text string) {
	t.Helper()
	updates.Lock()
	defer updates.Unlock()
	path = filepath.Join(Root(t), path)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, begins := strings.Cut(string(whole), begin)
	section, after, ends := strings.Cut(rest, end)
	require.True(t, begins && ends, "%s lacks the line %sor the line %s", path, begin, end)
	text = "\n" + strings.Trim(text, "\n") + "\n\n"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(before+begin+text+end+after), 0o644))
		return
	}
	assert.Equal(t, text, section, "%s differs from what the test knows: run make docs", path)
}

// Table returns a Markdown table. The cells of the header and of each row are given in their order.
func Table(header []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	line(header)
	b.WriteString(strings.Repeat("|---", len(header)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// Root returns the directory of the module whose packages are tested.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		require.NotEqual(t, dir, filepath.Dir(dir), "no go.mod above the test")
		dir = filepath.Dir(dir)
	}
}
