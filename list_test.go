package dynastay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFilterFillsThePage(t *testing.T) {
	table := &partitions{}
	for i := range 500 {
		table.add("P", fmt.Sprintf("%04d", i))
	}
	list := ListOf(table.db(), pagedSchema, Query{Name: "test", Index: "ByUser", Partition: "P"}, sortOf)
	tens := list.Filter(func(s string) bool { return strings.HasSuffix(s, "0") })
	page, err := tens.Page(context.Background(), Paging{Limit: 5})
	require.NoError(t, err)
	assert.Equal(t, []string{"0000", "0010", "0020", "0030", "0040"}, page.Items)
	assert.Equal(t, []int{5, 10, 20, 15}, table.asked, "twice as many each time, then by what came of it")

	got, _ := walk(t, func() List[string] { return tens }, Paging{Limit: 3})
	assert.Len(t, got, 50)
	got, _ = walk(t, func() List[string] { return tens.Filter(func(s string) bool { return s > "0300" }) }, Paging{Limit: 3})
	assert.Len(t, got, 19)
	assert.Equal(t, "0310", got[0])

	// The number of reads is limited, and the next page continues where they ended.
	table.asked = nil
	none := list.Filter(func(s string) bool { return s == "0499" })
	page, err = none.Page(context.Background(), Paging{Limit: 1, Reads: 3})
	require.NoError(t, err)
	assert.Empty(t, page.Items)
	assert.NotEmpty(t, page.Next)
	assert.Equal(t, []int{1, 2, 4}, table.asked)
	got, pages := walk(t, func() List[string] { return none }, Paging{Limit: 1, Reads: 3})
	assert.Equal(t, []string{"0499"}, got)
	assert.Equal(t, 73, pages, "of 7 rows, and the end, which is known only once it is asked for")
	table.asked = nil
	_, err = none.Page(context.Background(), Paging{Limit: 1})
	require.NoError(t, err)
	assert.Len(t, table.asked, 9, "10 reads by default are more than 500 rows need")
	assert.Empty(t, list.keep, "the list that was filtered is as it was")

	// Lists that are made of one list do not share their filters.
	yes := func(string) bool { return true }
	base := list.Filter(yes).Filter(yes).Filter(yes)
	ones := base.Filter(func(s string) bool { return s == "0001" })
	base.Filter(func(s string) bool { return s == "0002" })
	got, _ = walk(t, func() List[string] { return ones }, Paging{Limit: 3})
	assert.Equal(t, []string{"0001"}, got)

	// No read asks for more than 1,000 rows.
	table.asked = nil
	_, err = none.Page(context.Background(), Paging{Limit: 600, Reads: 3})
	require.NoError(t, err)
	assert.Equal(t, []int{600}, table.asked)
	for i := 500; i < 5000; i++ {
		table.add("P", fmt.Sprintf("%04d", i))
	}
	table.asked = nil
	_, err = list.Filter(func(s string) bool { return s == "0000" }).Page(context.Background(), Paging{Limit: 600, Reads: 3})
	require.NoError(t, err)
	assert.Equal(t, []int{600, 1000, 1000}, table.asked)
}

func TestMerge(t *testing.T) {
	table := &partitions{}
	for i := range 30 {
		table.add(fmt.Sprint("P", i%3), fmt.Sprintf("%04d", i))
	}
	of := func(partition string) List[string] {
		return ListOf(table.db(), pagedSchema, Query{Name: "test", Index: "ByUser", Partition: partition}, sortOf)
	}
	db := table.db()
	three := func() List[string] {
		lists := make([]List[string], 3)
		for i := range lists {
			q := Query{Name: "test", Index: "ByUser", Partition: fmt.Sprint("P", i)}
			lists[i] = ListOf(db, pagedSchema, q, sortOf)
		}
		return Merge(lists...)
	}
	got, _ := walk(t, three, Paging{Limit: 4})
	assert.Len(t, got, 30)
	assert.True(t, slices.IsSorted(got))

	first, err := three().Page(context.Background(), Paging{Limit: 4})
	require.NoError(t, err)
	_, err = of("P0").Page(context.Background(), Paging{After: first.Next})
	assert.ErrorIs(t, err, ErrCursor, "of another list")

	refused := func(l List[string], field string) {
		t.Helper()
		_, err := l.Page(context.Background(), Paging{})
		var invalid *InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, field, invalid.Field)
	}
	other := func(q Query) List[string] { q.Name = "test"; return ListOf(db, pagedSchema, q, sortOf) }
	p0 := other(Query{Index: "ByUser", Partition: "P0"})
	refused(Merge(p0, other(Query{Index: "ByUser", Partition: "P1", Descending: true})), "Lists[1]")
	refused(Merge(p0, other(Query{Partition: "P1"})), "Lists[1]")
	refused(Merge(p0, of("P1")), "Lists[1]")
	refused(Merge(p0, other(Query{Index: "ByUser", Partition: "P1", Range: Range{From: "1"}})), "Lists[1]")
	another := *pagedSchema
	refused(Merge(p0, ListOf(db, &another, Query{Name: "test", Index: "ByUser", Partition: "P1"}, sortOf)), "Lists[1]")
	refused(Merge(p0, p0.Filter(func(string) bool { return true })), "Lists[1]")
	refused(Merge(p0, NoList[string](Invalid("UserID", "is required"))), "UserID")
	refused(Merge(other(Query{Index: "Unsorted", Partition: "P"}), other(Query{Index: "Unsorted", Partition: "Q"})), "Shards")
	empty, err := Merge[string]().Page(context.Background(), Paging{})
	require.NoError(t, err)
	assert.Equal(t, Page[string]{}, empty)
}

func TestListCarriesTheErrorOfItsArguments(t *testing.T) {
	bad := NoList[string](Invalid("UserID", "is required")).Filter(func(string) bool { return true })
	_, err := bad.Page(context.Background(), Paging{Limit: -1})
	assert.EqualError(t, err, "invalid UserID: is required")
	calls := 0
	for _, err := range bad.All(context.Background()) {
		calls++
		assert.EqualError(t, err, "invalid UserID: is required")
	}
	assert.Equal(t, 1, calls)

	page, err := List[string]{}.Page(context.Background(), Paging{})
	require.NoError(t, err)
	assert.Equal(t, Page[string]{}, page)
	for _, p := range []Paging{{Reads: -1}, {Reads: 101}} {
		_, err := ask(noRequests(t), pagedSchema, Query{Partition: "P"}, p)
		var invalid *InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, "Paging.Reads", invalid.Field)
	}
}

// The error identifies an unreadable item, and the item hides neither the rest of the page nor the cursor.
func TestUnreadableItem(t *testing.T) {
	table := &partitions{}
	for i := range 10 {
		table.add("P", fmt.Sprintf("%04d", i))
	}
	damaged := func(_ context.Context, row Row) (string, error) {
		switch sort := row.Text("GSI1SK"); sort {
		case "0003":
			return "", errors.New("is damaged")
		case "0004":
			return "", &Error{Entity: "Bag", ID: "4", Field: "Size", Kind: ErrCorrupt}
		case "0005":
			return "", Invalid("Size", "must not be negative")
		case "0009":
			return "", fmt.Errorf("no size: %w", ErrCorrupt) // which names nothing
		default:
			return sort, nil
		}
	}
	list := ListOf(table.db(), pagedSchema, Query{Name: "test", Index: "ByUser", Partition: "P"}, damaged)
	page, err := list.Page(context.Background(), Paging{Limit: 5})
	assert.Equal(t, []string{"0000", "0001", "0002", "0006", "0007"}, page.Items, "the page is full")
	var unreadable *UnreadableError
	require.ErrorAs(t, err, &unreadable)
	require.Len(t, unreadable.Items, 3)
	assert.EqualError(t, err, "Paged ITEM#0003/METADATA: unreadable item: is damaged; "+
		"Bag 4 (Size): unreadable item; "+
		"Paged ITEM#0005/METADATA: unreadable item: invalid Size: must not be negative")
	assert.ErrorIs(t, err, ErrCorrupt)
	assert.NotErrorIs(t, err, ErrInvalid, "the caller did nothing wrong")
	page, err = list.Page(context.Background(), Paging{After: page.Next})
	assert.EqualError(t, err, "Paged ITEM#0009/METADATA: unreadable item: no size: unreadable item")
	assert.Equal(t, []string{"0008"}, page.Items)

	var all []string
	failures := 0
	for item, err := range list.All(context.Background()) {
		if err != nil {
			assert.ErrorIs(t, err, ErrCorrupt)
			assert.Empty(t, item)
			failures++
			continue
		}
		all = append(all, item)
	}
	assert.Len(t, all, 6)
	assert.Equal(t, 4, failures)
}

func TestFailureOfARequestEndsThePage(t *testing.T) {
	boom := errors.New("boom")
	db := Open(onlyQueries(func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) { return nil, boom }), nil)
	_, err := ask(db, pagedSchema, Query{Partition: "P"}, Paging{})
	assert.ErrorIs(t, err, boom)
	_, err = ask(db, pagedSchema, Query{Partition: "P", Shards: []string{"Q"}}, Paging{})
	assert.ErrorIs(t, err, boom)

	db = Open(onlyQueries(func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		return nil, &types.ProvisionedThroughputExceededException{}
	}), nil)
	list := ListOf(db, pagedSchema, Query{Partition: "P"}, sortOf)
	calls := 0
	for item, err := range list.All(context.Background()) {
		calls++
		assert.Empty(t, item)
		assert.ErrorIs(t, err, ErrThrottled)
	}
	assert.Equal(t, 1, calls)

	// So does an error of a request that decode sent, and the end of the context.
	table := &partitions{}
	table.add("P", "1")
	q := Query{Name: "test", Index: "ByUser", Partition: "P"}
	page, err := ListOf(table.db(), pagedSchema, q, func(context.Context, Row) (string, error) {
		return "", &Error{Entity: "read", Kind: ErrThrottled, Err: boom}
	}).Page(context.Background(), Paging{})
	assert.ErrorIs(t, err, ErrThrottled)
	assert.NotErrorIs(t, err, ErrCorrupt)
	assert.Equal(t, Page[string]{}, page, "no half page, and no cursor beyond what was given")
	ctx, cancel := context.WithCancel(context.Background())
	_, err = ListOf(table.db(), pagedSchema, q, func(context.Context, Row) (string, error) {
		cancel()
		return "", ctx.Err()
	}).Page(ctx, Paging{})
	assert.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, ErrCorrupt)
}

func TestAllReadsNoFurtherThanTheLoop(t *testing.T) {
	table := &partitions{}
	for i := range 2000 {
		table.add("P", fmt.Sprintf("%04d", i))
	}
	list := ListOf(table.db(), pagedSchema, Query{Name: "test", Index: "ByUser", Partition: "P"}, sortOf)
	for item := range list.All(context.Background()) {
		if item == "0049" {
			break
		}
	}
	assert.Equal(t, []int{50}, table.asked)
	table.asked = nil
	for range list.All(context.Background()) {
	}
	assert.Equal(t, []int{50, 100, 200, 400, 800, 1000}, table.asked)
}

// A part of a list is read again: what has been added to it since is there, what follows it is not.
func TestUntil(t *testing.T) {
	for _, descending := range []bool{false, true} {
		table := &strict{rows: map[string][]string{}}
		for i := range 50 {
			in := fmt.Sprint("P", i%2)
			table.rows[in] = append(table.rows[in], fmt.Sprintf("%04d", 2*i))
		}
		db := Open(onlyQueries(table.answer), nil)
		list := ListOf(db, pagedSchema, Query{Name: "test", Index: "ByUser", Partition: "P0", Shards: []string{"P1"}, Descending: descending}, sortOf)
		read := func(p Paging) Page[string] {
			t.Helper()
			page, err := list.Page(context.Background(), p)
			require.NoError(t, err)
			return page
		}
		first := read(Paging{Limit: 7})
		second := read(Paging{Limit: 7, After: first.Next})
		assert.Equal(t, first, read(Paging{Until: first.Next}))
		assert.Equal(t, second, read(Paging{After: first.Next, Until: second.Next}))
		assert.Equal(t, Page[string]{Next: first.Next}, read(Paging{After: first.Next, Until: first.Next}))

		middle := second.Items[3]
		table.rows["P1"] = append(table.rows["P1"], middle+"x")
		again := read(Paging{After: first.Next, Until: second.Next})
		assert.Len(t, again.Items, 8)
		assert.Contains(t, again.Items, middle+"x")
		assert.Equal(t, second.Next, again.Next)
		part := read(Paging{Limit: 7, After: first.Next, Until: second.Next})
		assert.Len(t, part.Items, 7)
		rest := read(Paging{Limit: 7, After: part.Next, Until: second.Next})
		assert.Equal(t, again.Items, slices.Concat(part.Items, rest.Items))

		for partition := range table.rows { // the last row of the page is gone
			table.rows[partition] = slices.DeleteFunc(table.rows[partition], func(s string) bool { return s == second.Items[6] })
		}
		assert.Equal(t, Page[string]{again.Items[:7], second.Next}, read(Paging{After: first.Next, Until: second.Next}))
		third := read(Paging{Limit: 1, After: second.Next}).Items
		assert.NotContains(t, again.Items, third[0])

		_, err := list.Page(context.Background(), Paging{Until: "x"})
		assert.ErrorIs(t, err, ErrCursor)
		assert.ErrorContains(t, err, "Paging.Until")
		_, err = Intersect(listOf(db, "P0"), listOf(db, "P1")).Page(context.Background(), Paging{Until: first.Next})
		assert.ErrorContains(t, err, "Paging.Until: is not supported")
		loaded := Load(list, given)
		page, err := loaded.Page(context.Background(), Paging{Limit: 3, Until: first.Next})
		require.NoError(t, err)
		assert.Equal(t, first.Items[:3], page.Items)
		table.requests = 0
		page, err = loaded.Page(context.Background(), Paging{After: page.Next, Until: first.Next})
		require.NoError(t, err)
		assert.Equal(t, first.Items[3:], page.Items)
		assert.Equal(t, first.Next, page.Next)
		assert.Equal(t, 2, table.requests, "both shards once")
	}
	// Also in a table, where the position is that of the item itself.
	table := &strict{rows: map[string][]string{"P": {"1", "2", "3", "4"}}}
	list := ListOf(Open(onlyQueries(table.answer), nil), pagedSchema, Query{Name: "test", Partition: "P"},
		func(_ context.Context, row Row) (string, error) { return row.Text("SK"), nil })
	first, err := list.Page(context.Background(), Paging{Limit: 2})
	require.NoError(t, err)
	again, err := list.Page(context.Background(), Paging{Until: first.Next})
	require.NoError(t, err)
	assert.Equal(t, first, again)
}

// Rows of one partition may have equal sort values. A page ends exactly where it was told to.
func TestUntilAmongEqualSortValues(t *testing.T) {
	for _, descending := range []bool{false, true} {
		var rows []Item
		for i, sort := range []string{"1", "1", "1", "1", "2", "2", "3", "3"} {
			if descending {
				sort = fmt.Sprint('9' - sort[0])
			}
			rows = append(rows, Item{"PK": str(fmt.Sprint("ITEM#", i)), "SK": str("METADATA"), "GSI1PK": str("P"), "GSI1SK": str(sort)})
		}
		limits, gone := 0, []string(nil)
		db := Open(onlyQueries(func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			limits += int(*in.Limit)
			from := 0
			if in.ExclusiveStartKey != nil {
				id := RowOf(in.ExclusiveStartKey).Text("PK")
				from = 1 + slices.IndexFunc(rows, func(row Item) bool { return RowOf(row).Text("PK") == id })
			}
			to := min(from+int(*in.Limit), len(rows))
			out := &dynamodb.QueryOutput{}
			for _, row := range rows[from:to] {
				if !slices.Contains(gone, RowOf(row).Text("PK")) {
					out.Items = append(out.Items, row)
				}
			}
			if to < len(rows) {
				out.LastEvaluatedKey = rows[to-1]
			}
			return out, nil
		}), nil)
		id := func(_ context.Context, row Row) (string, error) {
			return strings.TrimPrefix(row.Text("PK"), "ITEM#"), nil
		}
		list := ListOf(db, pagedSchema, Query{Name: "test", Index: "ByUser", Partition: "P", Descending: descending}, id)
		read := func(p Paging) Page[string] {
			t.Helper()
			page, err := list.Page(context.Background(), p)
			require.NoError(t, err)
			return page
		}
		first := read(Paging{Limit: 2})
		assert.Equal(t, first, read(Paging{Until: first.Next}))
		assert.Equal(t, first, read(Paging{Limit: 3, Until: first.Next}), "also if the request ends among them")
		second := read(Paging{Limit: 3, After: first.Next})
		assert.Equal(t, second, read(Paging{After: first.Next, Until: second.Next}))
		assert.Equal(t, Page[string]{[]string{"0", "1", "2", "3", "4"}, second.Next}, read(Paging{Until: second.Next}))

		// A request that ends there, or further on, is the last one, whether or not the row still exists.
		limits = 0
		one := list.Filter(func(id string) bool { return id == "0" })
		page, err := one.Page(context.Background(), Paging{Limit: 2, Until: first.Next})
		require.NoError(t, err)
		assert.Equal(t, Page[string]{[]string{"0"}, first.Next}, page)
		assert.Equal(t, 2, limits)
		third := read(Paging{Limit: 2, After: first.Next})
		gone = []string{"ITEM#4", "ITEM#5", "ITEM#6"}
		for _, limit := range []int{1, 3} {
			limits = 0
			assert.Equal(t, Page[string]{Next: second.Next}, read(Paging{Limit: limit, Reads: 1, After: third.Next, Until: second.Next}))
			assert.Equal(t, limit, limits, "one request")
		}

		// If it does not, the rows that were behind it cannot be told from the others with its sort value.
		gone = []string{"ITEM#1"}
		assert.Equal(t, Page[string]{[]string{"0", "2", "3"}, first.Next}, read(Paging{Until: first.Next}))

		_, err = list.Page(context.Background(), Paging{After: second.Next, Until: first.Next})
		assert.ErrorIs(t, err, ErrInvalid)
		assert.ErrorContains(t, err, "Paging.Until: must not be before After")
	}
}

// The rows of an index without a sort key have no order in which one could come before another.
func TestUntilRequiresASortKey(t *testing.T) {
	table := &partitions{}
	table.add("P", "1")
	table.add("P", "2")
	list := ListOf(table.db(), pagedSchema, Query{Name: "test", Index: "Unsorted", Partition: "P"}, sortOf)
	page, err := list.Page(context.Background(), Paging{Limit: 1})
	require.NoError(t, err)
	require.NotEmpty(t, page.Next)
	_, err = list.Page(context.Background(), Paging{Until: page.Next})
	assert.ErrorIs(t, err, ErrInvalid)
	assert.ErrorContains(t, err, "Paging.Until: is not supported: the table or index has no sort key")
}
