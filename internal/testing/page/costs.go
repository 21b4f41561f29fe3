package page

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
)

// Costs collects what calls have cost, for a section of docs/costs.md.
type Costs struct {
	DB   *dyntest.DB
	rows [][]string
}

// Add adds a row: what was done, what it has cost, and what explains it. What has no explanation is only a step of the
// test, and is not on the page.
func (c *Costs) Add(what, why string, cost dyntest.Bill) {
	if why == "" {
		return
	}
	row := []string{what, strconv.Itoa(cost.Requests)}
	for _, units := range []float64{cost.ReadUnits, cost.TableUnits, cost.IndexUnits} {
		text := ""
		if units != 0 {
			text = strconv.FormatFloat(units, 'f', -1, 64)
		}
		row = append(row, text)
	}
	c.rows = append(c.rows, append(row, why))
}

// Measure fails the test unless f costs exactly want, as [dyntest.Costs] does, and adds a row of what it has cost.
func (c *Costs) Measure(t testing.TB, what, why string, want dyntest.Bill, f func()) {
	t.Helper()
	spent := c.DB.Measure(func() { dyntest.Costs(t, c.DB, want, f) })
	c.Add(what, why, spent.Bill())
}

// Section compares the rows with a section of docs/costs.md, if the engine counts units as DynamoDB does.
func (c *Costs) Section(t testing.TB, name string) {
	t.Helper()
	if !c.DB.Has(dyntest.ExactUnits) {
		require.False(t, Updating(), "the costs are those of an engine that counts units as DynamoDB does")
		t.Logf("page: NOT RUN: the engine, %s, lacks %s", c.DB.Engine.Name(), dyntest.ExactUnits)
		return
	}
	Section(t, "docs/costs.md", name, Table([]string{"what", "requests", "read", "table", "indexes", "what explains it"}, c.rows))
}
