package dynastay_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/provision/policy"
)

// What a list sends is not noted with its method by the tests of its repository, since a page is asked for after the
// method has returned. So it is noted here, for policies.
func TestPoliciesHaveEveryList(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.At(fixture.Now), dyntest.OnlyTables(everySchema()...))
	known, noted := policy.Methods(), []string{}
	for _, s := range namedSamples(db.DB) {
		of := reflect.TypeOf(s.on).Elem()
		method := strings.TrimPrefix(of.PkgPath(), module) + "." + strings.Split(of.Name(), "[")[0] + "." + s.method
		if s.query == "" || s.own || strings.HasPrefix(method, "examples/") {
			continue
		}
		stop := db.Faults.Record()
		page := callSample(t, method, s).MethodByName("Page").Call([]reflect.Value{
			reflect.ValueOf(t.Context()), reflect.ValueOf(dynastay.Paging{Limit: 1}),
		})
		require.True(t, page[1].IsNil(), "%s: %v", method, page[1])
		needs, err := db.Needs(stop()...)
		require.NoError(t, err)
		require.NotEmpty(t, needs, method)
		for _, n := range needs {
			noted = append(noted, method+"\t"+n.String()+"\n")
			assert.True(t, slices.Contains(known[method], n), "%s needs %s: see CONTRIBUTING.md for how policies are written", method, n)
		}
	}
	if dir := os.Getenv("DYNTEST_NEEDS"); dir != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "lists.txt"), []byte(strings.Join(noted, "")), 0o644))
	}
}

// sendsNothing are exported methods with a context that send no request of their own.
var sendsNothing = map[string]bool{
	"reviews.Eraser.Check": true, "users.Repository.CheckErasure": true,
}

// Every method that sends requests is among those whose needs are known: each was called by a test that notes them. What
// adds to a transaction is not: the transaction is its caller's.
func TestPoliciesHaveEveryMethod(t *testing.T) {
	t.Parallel()
	known := policy.Methods()
	for _, dir := range []string{
		"availability", "availability/listing", "availability/units", "bookings", "bookings/venue", "properties", "properties/catalog",
		"properties/search", "reviews", "users",
	} {
		files, err := filepath.Glob(dir + "/*.go")
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range parsed.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || !f.Name.IsExported() || len(f.Type.Params.List) == 0 {
					continue
				}
				method, on := dir+"."+f.Name.Name, "Of the package"
				if f.Recv != nil {
					on, _, _ = strings.Cut(strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*"), "[")
					method = dir + "." + on + "." + f.Name.Name
				}
				is := func(p *ast.Field, name string) bool { return types.ExprString(p.Type) == name }
				switch params := f.Type.Params.List; {
				case slices.ContainsFunc(params, func(p *ast.Field) bool { return is(p, "*dynastay.Tx") }):
					assert.Empty(t, known[method], "%s adds to a transaction", method)
				case is(params[0], "context.Context") && ast.IsExported(on):
					assert.Equal(t, !sendsNothing[method], len(known[method]) > 0, method)
				}
			}
		}
	}
}
