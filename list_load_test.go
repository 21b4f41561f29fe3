package dynastay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// loaded returns a list of 100 rows of which fetch returns the even ones, and the pages that it was given.
func loaded(table *partitions) (List[string], *[][]string) {
	for i := range 100 {
		table.add("P", fmt.Sprintf("%04d", i))
	}
	fetched := &[][]string{}
	return Load(listOf(table.db(), "P"), func(_ context.Context, all []string) ([]string, error) {
		*fetched = append(*fetched, all)
		return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return (s[3]-'0')%2 > 0 }), nil
	}), fetched
}

func TestLoadFetchesPages(t *testing.T) {
	table := &partitions{}
	list, fetched := loaded(table)
	page, err := list.Page(context.Background(), Paging{Limit: 4})
	require.NoError(t, err)
	assert.Equal(t, []string{"0000", "0002", "0004", "0006"}, page.Items)
	assert.Equal(t, [][]string{{"0000", "0001", "0002", "0003"}, {"0004", "0005"}, {"0006"}}, *fetched, "what is still missing")
	page, err = list.Page(context.Background(), Paging{Limit: 1, After: page.Next})
	require.NoError(t, err)
	assert.Equal(t, []string{"0008"}, page.Items, "the one behind the last that was fetched")

	got, _ := walk(t, func() List[string] { return list }, Paging{Limit: 7})
	assert.Len(t, got, 50)
	assert.True(t, slices.IsSorted(got))
	tens := list.Filter(func(s string) bool { return strings.HasSuffix(s, "0") })
	got, _ = walk(t, func() List[string] { return tens }, Paging{Limit: 3, Reads: 4})
	assert.Equal(t, []string{"0000", "0010", "0020", "0030", "0040", "0050", "0060", "0070", "0080", "0090"}, got)
	var all []string
	for item, err := range tens.All(context.Background()) {
		require.NoError(t, err)
		all = append(all, item)
	}
	assert.Equal(t, got, all)
}

// Reads of rows and calls of fetch share one budget.
func TestLoadKeepsToItsReads(t *testing.T) {
	table := &partitions{}
	list, fetched := loaded(table)
	none := list.Filter(func(string) bool { return false })
	page, err := none.Page(context.Background(), Paging{Limit: 10, Reads: 5})
	require.NoError(t, err)
	assert.Empty(t, page.Items)
	assert.NotEmpty(t, page.Next)
	assert.Equal(t, 2, table.requests)
	assert.Len(t, *fetched, 2, "one read was left, which is not enough for rows and what they lead to")

	table.requests = 0
	rare := Load(listOf(table.db(), "P").Filter(func(s string) bool { return s == "0005" || s > "0090" }), given)
	page, err = rare.Page(context.Background(), Paging{Limit: 2, Reads: 4})
	require.NoError(t, err)
	assert.Equal(t, []string{"0005"}, page.Items)
	assert.Equal(t, 3, table.requests, "all of the budget but what fetch needs")

	table.requests, *fetched = 0, nil
	page, err = list.Page(context.Background(), Paging{Limit: 2, Reads: 1})
	require.NoError(t, err)
	assert.Equal(t, []string{"0000"}, page.Items)
	assert.Equal(t, 1, table.requests, "one read of each is the least")
	assert.Len(t, *fetched, 1)
	table.requests = 0
	page, err = Load(listOf(table.db(), "P").Filter(func(s string) bool { return s > "0090" }), given).
		Page(context.Background(), Paging{Limit: 2, Reads: 1})
	require.NoError(t, err)
	assert.Empty(t, page.Items)
	assert.Equal(t, 1, table.requests)

	// Nothing is fetched for a page without rows.
	empty, fetched := loaded(&partitions{})
	*fetched = nil
	_, err = Load(empty.Filter(func(string) bool { return false }), func(context.Context, []string) ([]string, error) {
		t.Error("nothing to fetch")
		return nil, nil
	}).Page(context.Background(), Paging{})
	require.NoError(t, err)
}

func TestLoadReportsErrors(t *testing.T) {
	ctx, table := context.Background(), &partitions{}
	table.add("P", "0001")
	table.add("P", "0002")
	broken, bad := errors.New("broken"), errors.New("bad")
	half := ListOf(table.db(), pagedSchema, Query{Name: "test", Index: "ByUser", Partition: "P"}, func(_ context.Context, row Row) (string, error) {
		if row.Text("GSI1SK") == "0001" {
			return "", bad
		}
		return row.Text("GSI1SK"), nil
	})
	page, err := Load(half, func(_ context.Context, all []string) ([]string, error) {
		return append(all, "more"), &UnreadableError{Items: []error{broken}}
	}).Page(ctx, Paging{})
	var unreadable *UnreadableError
	require.ErrorAs(t, err, &unreadable)
	require.Len(t, unreadable.Items, 2, "a row, and what was fetched")
	assert.ErrorIs(t, unreadable.Items[1], broken)
	assert.ErrorContains(t, unreadable.Items[0], "bad")
	assert.Equal(t, []string{"0002", "more"}, page.Items)

	page, err = Load(half, func(_ context.Context, all []string) ([]string, error) { return all, broken }).Page(ctx, Paging{})
	assert.Equal(t, broken, err)
	assert.Empty(t, page.Items)
	_, err = Load(NoList[string](broken), given).Page(ctx, Paging{})
	assert.Equal(t, broken, err)
	_, err = Load(half, given).Page(ctx, Paging{Limit: -1})
	assert.ErrorIs(t, err, ErrInvalid)
	_, err = Load(half, given).Page(ctx, Paging{After: "x"})
	assert.ErrorIs(t, err, ErrCursor)

	// Another error that comes together with unreadable items is not lost.
	page, err = Load(half, func(_ context.Context, all []string) ([]string, error) {
		return all, errors.Join(&UnreadableError{Items: []error{bad}}, broken)
	}).Page(ctx, Paging{})
	assert.ErrorIs(t, err, broken)
	assert.Empty(t, page.Items)
}

// A fetch that returns more than it was given fills the page beyond its limit, and nothing is lost.
func TestLoadOfMoreThanTheLimit(t *testing.T) {
	table := &partitions{}
	for i := range 4 {
		table.add("P", fmt.Sprint(i))
	}
	twice := Load(listOf(table.db(), "P"), func(_ context.Context, all []string) ([]string, error) {
		return slices.Concat(all, all), nil
	})
	page, err := twice.Page(context.Background(), Paging{Limit: 3})
	require.NoError(t, err)
	assert.Equal(t, []string{"0", "1", "2", "0", "1", "2"}, page.Items)
	page, err = twice.Page(context.Background(), Paging{Limit: 3, After: page.Next})
	require.NoError(t, err)
	assert.Equal(t, Page[string]{Items: []string{"3", "3"}}, page)
}
