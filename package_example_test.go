package dynastay_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// consumer is a separate module, outside the tree, that uses this one.
type consumer struct {
	t   *testing.T
	dir string
}

func newConsumer(t *testing.T, main string) consumer {
	t.Helper()
	here, err := os.Getwd()
	require.NoError(t, err)
	sums, err := os.ReadFile("go.sum")
	require.NoError(t, err)
	c := consumer{t, t.TempDir()}
	for name, text := range map[string]string{
		"go.sum": string(sums),
		"go.mod": "module consumer.example/service\n\ngo 1.25.0\n\nrequire github.com/dynastay/dynastay v0.0.0\n\n" +
			"replace github.com/dynastay/dynastay => " + here + "\n",
		"main.go": main,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o644))
	}
	return c
}

func (c consumer) run(args ...string) string {
	c.t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "DYNTEST_ENGINE=dynoxide")
	out, err := cmd.CombinedOutput()
	require.NoError(c.t, err, "go %s: %s", strings.Join(args, " "), out)
	return string(out)
}

// packages are all packages that a package links. None of them belongs to Docker or to a test framework.
func (c consumer) packages(name string) []string {
	c.t.Helper()
	packages := strings.Fields(c.run("list", "-deps", name))
	for _, p := range packages {
		for _, word := range []string{"docker", "testcontainers", "testify", "moby", "rapid", "opentelemetry"} {
			assert.NotContains(c.t, p, word)
		}
	}
	assert.NotContains(c.t, packages, "testing")
	return packages
}

// A service that imports the bookings compiles only what it uses: the SDK and a few small libraries, but not Docker,
// testcontainers or a test framework.
func TestConsumerCompilesNothingOfDocker(t *testing.T) {
	t.Parallel()
	c := newConsumer(t, `package main

import (
	"context"
	"fmt"

	"github.com/dynastay/dynastay/bookings"
)

func cancel(ctx context.Context, repo *bookings.Repository, id string) error {
	_, err := repo.Cancel(ctx, id, "plans changed", nil)
	return err
}

func main() { fmt.Println(cancel) }
`)
	c.run("build", "-o", filepath.Join(c.dir, "service"), ".")
	packages := c.packages(".")
	assert.Contains(t, packages, "github.com/dynastay/dynastay/bookings")
	for _, p := range packages {
		assert.NotContains(t, p, "dyntest")
	}
}

// The README's quick start is a program that compiles and works as described. It starts dynoxide and creates tables through
// dyntest/engine, which links as little as the service above.
func TestReadmeQuickStart(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	program := regexp.MustCompile("(?s)```go\n(package main.*?)```").FindSubmatch(readme)
	require.NotNil(t, program)
	c := newConsumer(t, string(program[1]))
	assert.Regexp(t, `booked BKG-\d{4}-\w{6} for 598\.50 USD`, c.run("run", "."))
	const engine = "github.com/dynastay/dynastay/dyntest/engine"
	assert.Contains(t, c.packages("."), engine)
	assert.Contains(t, c.packages(engine), engine)
}

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

// DynamoDB's control plane is in package provision, which only tools and tests use: no repository needs a permission for it.
func TestRepositoriesNeedNoControlPlane(t *testing.T) {
	t.Parallel()
	tools := []string{"provision", "dyntest", "examples", "docs", "cmd", "internal"}
	files := 0
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(tools, path):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		assert.NotContains(t, string(text), "github.com/dynastay/dynastay/provision", path)
		for _, call := range []string{"CreateTable(", "UpdateTable(", "DescribeTable(", "DeleteTable("} {
			assert.NotContains(t, string(text), call, path)
		}
		return err
	}))
	assert.Greater(t, files, 200)
}
