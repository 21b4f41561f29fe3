package contract_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/contract"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/internal/testing/page"
)

// known has the cases in which the pinned engines differ.
var known = map[engine.Kind][]string{
	engine.Dynoxide: {
		"limits: an expression of 300 operators is accepted, a longer one is refused",
		"order of keys: begins_with compares every byte, and the case of letters",
		"streams: a write that changes nothing is not in the stream",
		"updates: REMOVE of several elements counts them as they were before it",
		"updates: SET after the end of a list appends",
	},
	engine.ExtendDB: {
		"limits: an expression of 300 operators is accepted, a longer one is refused",
		"paging: a page of as many items as its Limit has a last key, even if nothing follows",
		"streams: a write that changes nothing is not in the stream",
		"units: a batch of reads costs the sum of its items",
		"units: the rows of an index cost their units in a transaction",
		"updates: REMOVE of several elements counts them as they were before it",
		"updates: paths that overlap are refused",
	},
}

// A new difference of a pinned engine fails, and so does one that is gone.
func TestKnownDifferences(t *testing.T) {
	for kind, want := range known {
		t.Run(string(kind), func(t *testing.T) {
			began := time.Now()
			differs := differing(t, on(dyntest.New(t, dyntest.OnlyTables(), dyntest.On(kind)).Engine))
			assert.Less(t, time.Since(began), time.Minute)
			assert.ElementsMatch(t, want, slices.Collect(maps.Keys(differs)), differs)

			means := map[string]string{}
			for _, c := range contract.Cases() {
				means[c.String()] = c.Means
			}
			var rows [][]string
			for _, name := range slices.Sorted(maps.Keys(differs)) {
				require.Contains(t, means, name)
				rows = append(rows, []string{name, means[name]})
			}
			page.Section(t, "docs/testing.md", "differences of "+string(kind), page.Table([]string{"differs", "it means"}, rows))
		})
	}
}

// Whatever the engine of the test is, the library's promises depend on these.
func TestEngineOfTheTest(t *testing.T) {
	t.Parallel()
	results, err := contract.Check(t.Context(), on(dyntest.New(t, dyntest.OnlyTables()).Engine))
	require.NoError(t, err)
	require.Len(t, results, len(contract.Cases()))
	for _, r := range results {
		t.Log(r)
		switch r.Group {
		case "conditional writes", "transactions", "batches", "values", "tables", "errors":
			assert.Equal(t, contract.AsRequired, r.Verdict, r)
		}
	}
}
