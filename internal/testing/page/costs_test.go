package page

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/engine"
)

func TestCosts(t *testing.T) {
	things := &dynastay.Schema{Name: "Things", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"}}
	db := dyntest.New(t, dyntest.OnlyTables(things), dyntest.On(engine.Dynoxide))
	inexact := *db
	inexact.Engine = dyntest.New(t, dyntest.OnlyTables(), dyntest.On(engine.ExtendDB)).Engine

	root := t.TempDir()
	file := filepath.Join(root, "docs", "costs.md")
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte("<!-- things -->\n<!-- end of things -->\n"), 0o600))
	t.Chdir(root)

	key := dynastay.Key{PK: "a", SK: "b"}
	get := func() {
		_, err := db.Get(t.Context(), things, key)
		require.NoError(t, err)
	}
	costs := Costs{DB: db}
	costs.Measure(t, "a read", "half a unit for every 4 KB", dyntest.Bill{Requests: 1, ReadUnits: 0.5}, get)
	costs.Measure(t, "a step", "", dyntest.Bill{Requests: 1, ReadUnits: 0.5}, get)
	costs.Add("a write", "one row", dyntest.Bill{Requests: 2, TableUnits: 10, IndexUnits: 1})
	assert.True(t, fails(t, func(t testing.TB) { (&Costs{DB: db}).Measure(t, "a read", "", dyntest.Bill{Requests: 2}, get) }))

	section := func(c Costs) bool { return fails(t, func(t testing.TB) { c.Section(t, "things") }) }
	assert.True(t, section(costs), "the page has another table")
	*update = true
	defer func() { *update = false }()
	assert.True(t, section(Costs{DB: &inexact}), "the page is written from the units of DynamoDB")
	assert.False(t, section(costs))
	*update = false
	assert.False(t, section(costs))
	assert.False(t, section(Costs{DB: &inexact}), "an engine with other units does not compare")
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, `<!-- things -->

| what | requests | read | table | indexes | what explains it |
|---|---|---|---|---|---|
| a read | 1 | 0.5 |  |  | half a unit for every 4 KB |
| a write | 2 |  | 10 | 1 | one row |

<!-- end of things -->
`, string(written))
}
