package dyntest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawn returns the hits, one request in three, of the nth injection of a test with the seed.
func drawn(t *testing.T, seed uint64, nth int) string {
	t.Helper()
	d := New(t, OnlyTables(things), Seed(seed))
	for range nth - 1 {
		d.Faults.Inject(LoseRequest(), When{Optional: true}).Stop()
	}
	d.Faults.Inject(LoseRequest(), When{Chance: 1. / 3})
	return hits(t, d.Faults, 600)
}

func TestChanceRepeats(t *testing.T) {
	t.Parallel()
	first := drawn(t, 1, 1)
	assert.Equal(t, first, drawn(t, 1, 1))
	assert.NotEqual(t, first, drawn(t, 2, 1))
	assert.NotEqual(t, first, drawn(t, 1, 2))
	for _, seed := range []uint64{1, 2, 3, 1 << 63} {
		assert.InDelta(t, 200, strings.Count(drawn(t, seed, 1), "x"), 50)
	}
}

// Other injections, and requests of other kinds, do not change what is drawn.
func TestChanceIsIndependent(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things), Seed(1))
	d.Faults.Inject(LoseRequest(), When{Operation: "Query", Chance: 1. / 3})
	d.Faults.Inject(Throttle(), When{Operation: "GetItem", Chance: 0.5})
	var marks strings.Builder
	for range 600 {
		_, _, _ = mock(t, d.Faults, "GetItem", `{}`, `{}`)
		marks.WriteString(hits(t, d.Faults, 1))
	}
	assert.Equal(t, drawn(t, 1, 1), marks.String())
}

func TestTheSeedIsLogged(t *testing.T) {
	t.Parallel()
	t.Run("sub test (1)", func(t *testing.T) {
		t.Parallel()
		d := New(t, OnlyTables(things), Seed(123))
		w := d.watched()
		d.Faults.Inject(LoseRequest(), When{Optional: true})
		assert.Empty(t, w.logs)
		d.Faults.Inject(LoseRequest(), When{Chance: 0.5})
		d.Faults.Inject(AnyOf(), When{Optional: true})
		assert.Equal(t, []string{"dyntest: random choices use seed 123; to repeat them, run in the test's folder:\n" +
			`  DYNTEST_SEED=123 go test -count=1 -run '^TestTheSeedIsLogged$/^sub_test_\(1\)$'`}, w.logs)
	})
	d := New(t, OnlyTables(things))
	w := d.watched()
	d.Faults.Inject(AnyOf(), When{Optional: true})
	assert.Len(t, w.logs, 1, "it draws as well")
}

// fate is the outcome of a mock request.
func fate(t *testing.T, f *Faults, operation, body string) string {
	arrived, resp, err := mock(t, f, operation, body, `{"LastEvaluatedKey":{}}`)
	switch {
	case err != nil && arrived == "":
		return "lost request"
	case err != nil:
		return "lost answer"
	}
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	outcome := "answered"
	switch {
	case strings.Contains(string(text), "ThrottlingError"), strings.Contains(string(text), "Throughput"):
		outcome = "throttled"
	case strings.Contains(string(text), "TransactionConflict"):
		outcome = "conflict"
	case strings.Contains(string(text), "InProgress"):
		outcome = "in progress"
	case strings.Contains(string(text), "Unprocessed"):
		outcome = "unprocessed"
	case resp.StatusCode == http.StatusInternalServerError:
		outcome = fmt.Sprintf("500, arrived: %t", arrived != "")
	case arrived != body:
		outcome = "short page"
	}
	return outcome
}

func TestAnyOfDrawsAmongAllThatApply(t *testing.T) {
	t.Parallel()
	always := []string{"answered", "lost answer", "lost request", "throttled", "500, arrived: true", "500, arrived: false"}
	for _, test := range []struct {
		operation, body string
		more            []string
	}{
		{"GetItem", `{"TableName":"T"}`, nil},
		{"PutItem", `{"TableName":"T"}`, []string{"conflict"}},
		{"Query", `{"TableName":"T"}`, []string{"short page"}},
		{"BatchWriteItem", `{"RequestItems":{"T":[1,2]}}`, []string{"unprocessed"}},
		{"TransactGetItems", `{"TransactItems":[{"Get":{}}]}`, []string{"conflict"}},
		{"TransactWriteItems", `{"TransactItems":[{"Put":{}}]}`, []string{"conflict", "in progress"}},
	} {
		t.Run(test.operation, func(t *testing.T) {
			t.Parallel()
			d := New(t, OnlyTables(things), Seed(1))
			i := d.Faults.Inject(AnyOf(), When{})
			seen := map[string]int{}
			for range 200 {
				seen[fate(t, d.Faults, test.operation, test.body)]++
			}
			var all []string
			for outcome := range seen {
				all = append(all, outcome)
			}
			assert.ElementsMatch(t, append(test.more, always...), all)
			assert.Equal(t, 200, i.Hits())
		})
	}
}

// None of the faults applies to a batch of one, so it does not match.
func TestAnyOfRequiresAFaultThatApplies(t *testing.T) {
	t.Parallel()
	d := New(t, OnlyTables(things))
	i := d.Faults.Inject(AnyOf(Unprocessed(1), InProgress()), When{Optional: true})
	assert.Equal(t, "answered", fate(t, d.Faults, "BatchWriteItem", `{"RequestItems":{"T":[{}]}}`))
	assert.Equal(t, "answered", fate(t, d.Faults, "GetItem", `{}`))
	assert.Zero(t, i.Hits())
	assert.Equal(t, "unprocessed", fate(t, d.Faults, "BatchWriteItem", `{"RequestItems":{"T":[1,2]}}`))
	assert.Equal(t, "in progress", fate(t, d.Faults, "TransactWriteItems", `{"TransactItems":[{"Put":{}}]}`))
}
