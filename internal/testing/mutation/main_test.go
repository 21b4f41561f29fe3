package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The list fits the source: what a mutation replaces is there, once, and so are its tests.
func TestMutationsFitTheSource(t *testing.T) {
	all, err := parse(lists())
	require.NoError(t, err)
	const root = "../../.."
	tests := map[string][]string{} // by package
	for _, m := range all {
		_, err := m.apply(root)
		assert.NoError(t, err)
		if tests[m.in] == nil {
			tests[m.in] = testsIn(t, filepath.Join(root, m.in))
		}
		assert.True(t, matches(m.run, tests[m.in]), "%s: no test of %s matches %s", m, m.in, m.run)
	}
}

func matches(pattern string, names []string) bool {
	run := regexp.MustCompile(pattern)
	for _, name := range names {
		if run.MatchString(name) {
			return true
		}
	}
	return false
}

func testsIn(t *testing.T, dir string) (names []string) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

func TestParse(t *testing.T) {
	all, err := parse("# counts twice\nbill.go\n- \tn++\n- \treturn\n+ \tn += 2\n./bills ^TestBill$\n\n# never ends\na.go\n- i++\n./a ^Test\n")
	require.NoError(t, err)
	assert.Equal(t, []mutation{
		{"counts twice", "bill.go", "\tn++\n\treturn", "\tn += 2", "./bills", "^TestBill$"},
		{"never ends", "a.go", "i++", "", "./a", "^Test"},
	}, all)
	for _, incomplete := range []string{"", "# a\nb.go\n- c\n+ c\n. Test", "# a\nb.go\n+ c\n. Test", "# a\nb.go\n- c"} {
		_, err := parse(incomplete)
		assert.Error(t, err, incomplete)
	}
}
