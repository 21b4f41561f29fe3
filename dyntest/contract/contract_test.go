package contract_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/dyntest/contract"
	"github.com/dynastay/dynastay/internal/testing/page"
)

func TestCases(t *testing.T) {
	names := map[string]bool{}
	var all float64
	for _, c := range contract.Cases() {
		assert.NotEmpty(t, c.Group, c)
		assert.NotEmpty(t, c.Name, c)
		assert.NotEmpty(t, c.Needs, c)
		assert.NotEmpty(t, c.Means, c)
		assert.NotContains(t, names, c.String(), "two cases have one name")
		names[c.String()] = true
		all += c.Units
	}
	assert.LessOrEqual(t, all, 4000.0, "doc.go says that a run takes a few thousand units")

	const price = 0.625 // of a million write units on demand, in dollars; read units cost less
	page.Section(t, "docs/testing.md", "units of the contract", fmt.Sprintf(
		"The cases spend at most %v read and write units together. At $%v for a million write units on demand, as in\n"+
			"us-east-1, that is at most $%.4f, and read units cost less.\n", all, price, all*price/1e6))
}

func TestResultString(t *testing.T) {
	c := contract.Case{Group: "reads", Name: "a missing item is no error"}
	assert.Equal(t, "reads: a missing item is no error: as required", contract.Result{Case: c, Verdict: contract.AsRequired}.String())
	assert.Equal(t, "reads: a missing item is no error: differs: a read was refused",
		contract.Result{Case: c, Verdict: contract.Differs, Seen: "a read was refused"}.String())
}
