package dynastay_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// namesOfGo are names that Go gives a meaning.
var namesOfGo = []string{"example_test.go", "export_test.go", "main_test.go"}

// A test is found by the name of its file, as CONTRIBUTING.md says: X_test.go or X_word_test.go for X.go, and
// package_word_test.go for the whole package.
func TestFilesOfTestsAreFound(t *testing.T) {
	guide, err := os.ReadFile("CONTRIBUTING.md")
	require.NoError(t, err)
	var words []string
	for _, row := range regexp.MustCompile(`(?m)^  \| ([a-z]+) \|`).FindAllStringSubmatch(string(guide), -1) {
		words = append(words, row[1])
	}
	require.Contains(t, words, "race")
	known := func(word string) bool { return slices.Contains(words, word) }
	found := 0
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		name, is := strings.CutSuffix(entry.Name(), "_test.go")
		if err != nil || !is || slices.Contains(namesOfGo, entry.Name()) {
			return err
		}
		found++
		parts := strings.Split(name, "_")
		fits := parts[0] == "package" && len(parts) > 1 && known(parts[1])
		for own := range len(parts) {
			_, err := os.Stat(filepath.Join(filepath.Dir(path), strings.Join(parts[:own+1], "_")+".go"))
			rest := parts[own+1:]
			fits = fits || err == nil && len(rest) <= 2 && !slices.ContainsFunc(rest, func(word string) bool { return !known(word) })
		}
		assert.True(t, fits, "%s does not say what it tests: see CONTRIBUTING.md", path)
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, found, 500)
}

// The index at the end of the package's comment has every type and function once: for an application, or for an author of
// entities.
func TestIndexOfNames(t *testing.T) {
	files := token.NewFileSet()
	var parsed []*ast.File
	sources, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, source := range sources {
		if !strings.HasSuffix(source, "_test.go") {
			file, err := parser.ParseFile(files, source, nil, parser.ParseComments)
			require.NoError(t, err)
			parsed = append(parsed, file)
		}
	}
	pkg, err := doc.NewFromFiles(files, parsed, "github.com/dynastay/dynastay")
	require.NoError(t, err)
	var declared []string
	for _, f := range pkg.Funcs {
		declared = append(declared, f.Name)
	}
	for _, of := range pkg.Types {
		declared = append(declared, of.Name)
		for _, f := range of.Funcs {
			declared = append(declared, f.Name)
		}
	}
	_, index, found := strings.Cut(pkg.Doc, "# Names by reader")
	require.True(t, found)
	var indexed []string
	for _, name := range regexp.MustCompile(`\[(\w+)\]`).FindAllStringSubmatch(index, -1) {
		if !slices.Contains(valuesInIndex, name[1]) {
			indexed = append(indexed, name[1])
		}
	}
	assert.ElementsMatch(t, declared, indexed)
}

// valuesInIndex are constants and variables that the index has as well.
var valuesInIndex = []string{"Consistent", "ErrOvertaken", "ErrSkip", "MaxRating", "ProjectAll", "ProjectKeys"}
