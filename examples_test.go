package dynastay_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The examples are what a consumer could write: nothing in them needs a package that other modules cannot import.
func TestExamplesImportPublicPackagesOnly(t *testing.T) {
	t.Parallel()
	files := 0
	require.NoError(t, filepath.WalkDir("examples", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		files++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imported := range file.Imports {
			assert.False(t, strings.Contains(imported.Path.Value+"/", "/internal/"), "%s imports %s", path, imported.Path.Value)
		}
		return nil
	}))
	assert.Greater(t, files, 100)
}
