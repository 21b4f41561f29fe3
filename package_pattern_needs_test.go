package dynastay_test

import (
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
