package dynastay_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
)

// Nothing beyond Until is read and paid for, however many items a page could have.
func TestUntilEndsTheQuery(t *testing.T) {
	t.Parallel()
	schema := &dynastay.Schema{
		Name: "Words", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"},
		Indexes: []dynastay.Index{{Name: "ByLength", Key: dynastay.KeyNames{Partition: "IPK", Sort: "ISK"}}},
	}
	db := dyntest.New(t, dyntest.OnlyTables(schema))
	text := dynastay.Text(strings.Repeat("x", 1000))
	require.NoError(t, db.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for i := range 200 {
			sort := dynastay.Text(fmt.Sprintf("%c%03d", 'a'+i/100, i))
			if !yield(schema, dynastay.Item{"PK": dynastay.Text("p"), "SK": sort, "IPK": dynastay.Text("p"), "ISK": sort, "T": text}) {
				return
			}
		}
	}))
	for _, index := range []string{"", "ByLength"} {
		for _, within := range []dynastay.Range{{}, {From: "a010", To: "b190"}, {Prefix: "b"}, {Prefix: "a"}} {
			for _, descending := range []bool{false, true} {
				list := dynastay.ListOf(db.DB, schema, dynastay.Query{
					Name: "test", Index: index, Partition: "p", Range: within, Descending: descending,
				}, func(_ context.Context, row dynastay.Row) (string, error) { return row.Text("SK"), nil })
				units := func(p dynastay.Paging) (page dynastay.Page[string], units float64) {
					spent := db.Measure(func() {
						var err error
						page, err = list.Page(t.Context(), p)
						require.NoError(t, err)
					})
					for _, call := range spent.Calls {
						for _, u := range call.Usage {
							units += u.ReadUnits
						}
					}
					return page, units
				}
				first, _ := units(dynastay.Paging{Limit: 5})
				second, cost := units(dynastay.Paging{Limit: 12, After: first.Next})
				require.Len(t, second.Items, 12)
				same, _ := units(dynastay.Paging{Limit: 1000, Until: first.Next})
				assert.Equal(t, first, same)
				again, more := units(dynastay.Paging{Limit: 1000, After: first.Next, Until: second.Next})
				assert.Equal(t, second, again)
				if within.Prefix == "" || !descending {
					assert.Equal(t, cost, more, "%q %v %v", index, within, descending)
				}
				third, _ := units(dynastay.Paging{Limit: 1000, After: second.Next})
				assert.False(t, slices.Contains(third.Items, second.Items[11]))
			}
		}
	}
}
