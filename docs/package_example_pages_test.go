package docs_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/testing/page"
)

// block is Go on a page: what a comment declares for the blocks after it, or a block.
var block = regexp.MustCompile("(?s)<!-- go:(.*?)-->|\n```go\n(.*?)```")

// usual are packages that blocks import, besides those of this module.
var usual = []string{
	"context", "encoding/json", "errors", "fmt", "io", "log/slog", "os", "testing", "time", "github.com/stretchr/testify/require",
	"github.com/aws/aws-sdk-go-v2/aws", "github.com/aws/aws-sdk-go-v2/service/dynamodb", "github.com/aws/aws-sdk-go-v2/service/dynamodb/types",
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams",
}

// Every block of Go on a page compiles, so that a reader can copy it. A block that begins with "package" is a file. Any
// other is a part of one, the body of a function unless it declares functions: it has the imports below and what the
// comments <!-- go: … --> before it declare, and may leave variables unused and details out, as "…".
func TestBlocksOfPagesCompile(t *testing.T) {
	t.Parallel()
	root := page.Root(t)
	list := func(args ...string) string {
		list := exec.Command("go", append([]string{"list"}, args...)...)
		list.Dir, list.Stderr = root, os.Stderr
		listed, err := list.Output()
		require.NoError(t, err)
		return string(listed)
	}
	// Programs are left out: nothing imports them, and they would be compiled anew after every commit.
	packages := append(strings.Fields(list("-f", `{{if ne .Name "main"}}{{.ImportPath}}{{end}}`, "./...")), usual...)
	listed := list(append([]string{"-export", "-deps", "-f", "{{with .Export}}{{$.ImportPath}} {{.}}{{end}}"}, packages...)...)
	compiled := map[string]string{}
	for line := range strings.Lines(listed) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		compiled[name] = file
	}
	var broken []string
	files, blocks := token.NewFileSet(), 0
	imports := importer.ForCompiler(files, "gc", func(name string) (io.ReadCloser, error) { return os.Open(compiled[name]) })
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		line := func(at int) string {
			return fmt.Sprintf("\n//line %s:%d\n", name, bytes.Count(text[:at], []byte("\n"))+1)
		}
		before := "package page\n" + importsOf(name, compiled)
		for _, at := range block.FindAllSubmatchIndex(text, -1) {
			if at[2] >= 0 {
				before += line(at[2]) + string(text[at[2]:at[3]])
				continue
			}
			blocks++
			source := line(at[4]) + strings.ReplaceAll(string(text[at[4]:at[5]]), "…", "")
			switch {
			case bytes.HasPrefix(text[at[4]:], []byte("package ")):
			case bytes.HasPrefix(text[at[4]:], []byte("func ")):
				source = before + source
			default:
				source = before + "\nfunc _() error {" + source + "return nil\n}"
			}
			file, err := parser.ParseFile(files, "", source, 0)
			if !assert.NoError(t, err) {
				continue
			}
			config := types.Config{Importer: imports, Error: func(err error) {
				if !strings.HasPrefix(source, "package page") || !strings.Contains(err.Error(), " and not used") {
					broken = append(broken, err.Error())
				}
			}}
			_, _ = config.Check("page", files, []*ast.File{file}, nil)
		}
		return err
	}))
	assert.Empty(t, broken)
	assert.Greater(t, blocks, 10)
}

// importsOf returns the imports of all packages that the blocks of a page may name.
func importsOf(page string, compiled map[string]string) (text string) {
	const module = "github.com/dynastay/dynastay"
	packages, examples := map[string]string{}, map[string]string{}
	for _, name := range usual {
		packages[name] = name // by its path: log/slog and observe/slog are two packages
	}
	for name := range compiled {
		switch in, ours := strings.CutPrefix(name, module); {
		case !ours || strings.Contains(name, "/internal/"):
		case !strings.HasPrefix(in, "/examples/"):
			packages[path.Base(name)] = name
		case strings.HasPrefix(in, "/"+path.Dir(page)+"/"):
			examples[path.Base(name)] = name
		}
	}
	maps.Copy(packages, examples) // an example has packages of its own that are called keys and reviews
	for _, name := range packages {
		text += fmt.Sprintf("import %q\n", name)
	}
	return text
}
