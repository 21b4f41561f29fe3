package dynastay_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// An answer to a Query has at most 1 MB. What is longer is read to its end, and a page is filled.
func TestPartitionOfSeveralMegabytes(t *testing.T) {
	t.Parallel()
	db, _ := openOutbox(t, dynastay.Options{})
	var all []row
	var want []string
	for i := range 10 {
		sort := fmt.Sprint("ITEM#", i)
		item := keys.UsersTable.Key.Of(dynastay.Key{PK: "LARGE", SK: sort})
		item["Text"] = dynastay.Text(strings.Repeat("x", 300<<10))
		all, want = append(all, row{keys.UsersTable, item}), append(want, sort)
	}
	require.NoError(t, db.PutAll(t.Context(), rows(all...)))
	query := dynastay.Query{Name: "test.Large", Partition: "LARGE"}
	sortOf := func(row dynastay.Row) string { return row.Text(keys.UsersTable.Key.Sort) }

	before := db.Faults.Count("Query")
	read, err := dynastay.QueryAll(t.Context(), db.DB, keys.UsersTable, query)
	require.NoError(t, err)
	var got []string
	for _, row := range read {
		got = append(got, sortOf(row))
	}
	assert.Equal(t, want, got)
	assert.Greater(t, db.Faults.Count("Query"), before+1)

	list := dynastay.ListOf(db.DB, keys.UsersTable, query, func(_ context.Context, row dynastay.Row) (string, error) { return sortOf(row), nil })
	before = db.Faults.Count("Query")
	page, err := list.Page(t.Context(), dynastay.Paging{Limit: 9})
	require.NoError(t, err)
	assert.Equal(t, want[:9], page.Items)
	assert.NotEmpty(t, page.Next)
	assert.Greater(t, db.Faults.Count("Query"), before+1)

	page, err = list.Page(t.Context(), dynastay.Paging{Limit: 9, Reads: 1})
	require.NoError(t, err)
	assert.Less(t, len(page.Items), 9, "a page of one read ends with it")
	assert.NotEmpty(t, page.Items)
	assert.NotEmpty(t, page.Next)
}
