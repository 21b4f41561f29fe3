package dynastay

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/testing/fake"
)

// partitions answers queries of the index ByUser from rows in memory, as DynamoDB would, and counts them.
type partitions struct {
	mu       sync.Mutex
	rows     map[string][]Item // by partition, in order
	requests int
	read     int   // rows
	asked    []int // limits
	short    int   // maximum rows of a page; 0 for no limit
}

func (p *partitions) db() *DB { return Open(onlyQueries(p.answer), nil) }

func (p *partitions) answer(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	p.asked = append(p.asked, int(*in.Limit))
	rows := slices.Clone(p.rows[textOf(in.ExpressionAttributeValues[":0"])])
	if in.ScanIndexForward != nil {
		slices.Reverse(rows)
	}
	if in.ExclusiveStartKey != nil {
		last := RowOf(in.ExclusiveStartKey).Text("GSI1SK")
		rows = slices.DeleteFunc(rows, func(row Item) bool {
			sort := RowOf(row).Text("GSI1SK")
			return sort == last || sort < last != (in.ScanIndexForward != nil)
		})
	}
	most := int(*in.Limit)
	if p.short > 0 {
		most = min(most, p.short)
	}
	out := &dynamodb.QueryOutput{Items: rows[:min(most, len(rows))]}
	if len(rows) >= most { // DynamoDB also does this for a page that ends with the partition
		out.LastEvaluatedKey = pagedSchema.Key.Of(pagedSchema.Key.From(RowOf(rows[most-1])))
		out.LastEvaluatedKey["GSI1PK"], out.LastEvaluatedKey["GSI1SK"] = rows[most-1]["GSI1PK"], rows[most-1]["GSI1SK"]
	}
	p.read += len(out.Items)
	return out, nil
}

func textOf(v types.AttributeValue) string { return RowOf(Item{"v": v}).Text("v") }

// add adds a row; sort values are added in order.
func (p *partitions) add(partition, sort string) {
	if p.rows == nil {
		p.rows = map[string][]Item{}
	}
	p.rows[partition] = append(p.rows[partition], Item{
		"PK": str("ITEM#" + sort), "SK": str("METADATA"), "GSI1PK": str(partition), "GSI1SK": str(sort),
	})
}

func sortOf(_ context.Context, row Row) (string, error) { return row.Text("GSI1SK"), nil }

// walk reads a list page by page.
func walk(t *testing.T, list func() List[string], p Paging) (all []string, pages int) {
	t.Helper()
	for {
		page, err := list().Page(context.Background(), p)
		require.NoError(t, err)
		assert.LessOrEqual(t, len(page.Items), max(p.Limit, 1))
		all = append(all, page.Items...)
		pages++
		if p.After = page.Next; p.After == "" {
			return all, pages
		}
		require.Less(t, pages, 10_000)
	}
}

func TestListOfShardsIsTheListOfOnePartition(t *testing.T) {
	for _, shards := range []int{1, 2, 3, 7} {
		for _, n := range []int{0, 1, 2, 5, 40, 137} {
			for _, limit := range []int{1, 2, 3, 10, 50, 1000} {
				for _, short := range []int{0, 1, 4} {
					for _, descending := range []bool{false, true} {
						table, want := &partitions{short: short}, []string(nil)
						q := Query{Name: "test", Index: "ByUser", Partition: "P", Descending: descending}
						for i := 1; i < shards; i++ {
							q.Shards = append(q.Shards, fmt.Sprint("P", i))
						}
						for i := range n {
							sort := fmt.Sprintf("%04d", i)
							table.add(append([]string{"P"}, q.Shards...)[i*i%shards], sort)
							want = append(want, sort)
						}
						if descending {
							slices.Reverse(want)
						}
						list := func() List[string] { return ListOf(table.db(), pagedSchema, q, sortOf) }
						got, pages := walk(t, list, Paging{Limit: limit, Reads: 100})
						require.Equal(t, want, got)
						if shards == 1 && short == 0 {
							assert.Equal(t, pages, table.requests)
						}
						var all []string
						for item, err := range list().All(context.Background()) {
							require.NoError(t, err)
							all = append(all, item)
						}
						require.Equal(t, want, all)
					}
				}
			}
		}
	}
}

// If the rows are spread evenly, a page takes one read of each shard, and does not read all that the shards could
// return.
func TestCostOfShards(t *testing.T) {
	table := &partitions{}
	q := Query{Name: "test", Index: "ByUser", Partition: "P", Shards: []string{"P1", "P2", "P3"}}
	for i := range 400 {
		table.add([]string{"P", "P1", "P2", "P3"}[i%4], fmt.Sprintf("%04d", i))
	}
	page, err := ListOf(table.db(), pagedSchema, q, sortOf).Page(context.Background(), Paging{Limit: 100})
	require.NoError(t, err)
	assert.Len(t, page.Items, 100)
	assert.Equal(t, 4, table.requests)
	assert.Equal(t, []int{36, 36, 36, 36}, table.asked, "25, and two standard deviations")

	// All rows in one shard, as before the others were written to: a second read gets the rest.
	table = &partitions{}
	for i := range 400 {
		table.add("P", fmt.Sprintf("%04d", i))
	}
	page, err = ListOf(table.db(), pagedSchema, q, sortOf).Page(context.Background(), Paging{Limit: 100})
	require.NoError(t, err)
	assert.Len(t, page.Items, 100)
	assert.Equal(t, []int{36, 36, 36, 36, 64}, table.asked)
}

// An entity that moves to another shard while both are read is one item.
func TestRowInTwoShardsIsOneItem(t *testing.T) {
	table := &partitions{}
	for _, partition := range []string{"P", "P1"} {
		table.add(partition, "0001")
		table.add(partition, "0002")
	}
	q := Query{Name: "test", Index: "ByUser", Partition: "P", Shards: []string{"P1"}}
	for _, limit := range []int{1, 2, 10} {
		got, _ := walk(t, func() List[string] { return ListOf(table.db(), pagedSchema, q, sortOf) }, Paging{Limit: limit})
		assert.Equal(t, []string{"0001", "0002"}, got)
	}
}

// Shards are read in parallel, 16 at a time.
func TestShardsAreReadInParallel(t *testing.T) {
	var inFlight, most atomic.Int32
	full, failed := make(chan struct{}), errors.New("failed")
	release := sync.OnceFunc(func() { close(full) })
	db := Open(onlyQueries(func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		n := inFlight.Add(1)
		defer inFlight.Add(-1)
		for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
		}
		if n == 16 {
			for range 1000 {
				runtime.Gosched() // time for a 17th
			}
			release()
		}
		<-full
		if textOf(in.ExpressionAttributeValues[":0"]) == "P7" {
			return nil, failed
		}
		return &dynamodb.QueryOutput{}, nil
	}), nil)
	q := Query{Name: "test", Index: "ByUser", Partition: "P"}
	for i := 1; i < 20; i++ {
		q.Shards = append(q.Shards, fmt.Sprint("P", i))
	}
	_, err := ListOf(db, pagedSchema, q, sortOf).Page(context.Background(), Paging{})
	assert.ErrorIs(t, err, failed, "of one of them")
	assert.EqualValues(t, 16, most.Load())
}

// The failure of one shard is the error of the page, and nobody waits for the others.
func TestFirstFailureEndsTheOthers(t *testing.T) {
	boom := errors.New("boom")
	db := Open(fake.Client{Do: func(r *fake.Request) (any, error) {
		if textOf(r.In.(*dynamodb.QueryInput).ExpressionAttributeValues[":0"]) == "P1" {
			return nil, boom
		}
		<-r.Context.Done()
		return nil, r.Context.Err()
	}}, nil)
	q := Query{Name: "test", Index: "ByUser", Partition: "P", Shards: []string{"P1", "P2"}}
	_, err := ListOf(db, pagedSchema, q, sortOf).Page(context.Background(), Paging{})
	assert.ErrorIs(t, err, boom)
	assert.NotErrorIs(t, err, context.Canceled)
}

// A cursor of a process that reads fewer shards can be continued in one that reads more, and vice versa.
func TestCursorOutlivesMoreShards(t *testing.T) {
	table := &partitions{}
	for i := range 20 {
		table.add([]string{"P", "P1"}[i%2], fmt.Sprintf("%04d", i))
	}
	q := Query{Name: "test", Index: "ByUser", Partition: "P", Shards: []string{"P1"}}
	first, err := ListOf(table.db(), pagedSchema, q, sortOf).Page(context.Background(), Paging{Limit: 5})
	require.NoError(t, err)
	q.Shards = append(q.Shards, "P2", "P3")
	rest, err := ListOf(table.db(), pagedSchema, q, sortOf).Page(context.Background(), Paging{After: first.Next})
	require.NoError(t, err)
	assert.Equal(t, []string{"0000", "0001", "0002", "0003", "0004"}, first.Items)
	assert.Equal(t, "0005", rest.Items[0])
	assert.Len(t, rest.Items, 15)
}

// A page that DynamoDB truncates or leaves empty is filled.
func TestShortPagesAreFilled(t *testing.T) {
	table := &partitions{short: 20}
	for i := range 100 {
		table.add("P", fmt.Sprintf("%04d", i))
	}
	list := ListOf(table.db(), pagedSchema, Query{Name: "test", Index: "ByUser", Partition: "P"}, sortOf)
	page, err := list.Page(context.Background(), Paging{Limit: 50})
	require.NoError(t, err)
	assert.Len(t, page.Items, 50)
	assert.Equal(t, []int{50, 30, 10}, table.asked)

	requests := 0
	db := Open(onlyQueries(func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		if requests++; requests < 3 {
			return &dynamodb.QueryOutput{LastEvaluatedKey: Item{"PK": str("P"), "SK": str(fmt.Sprint(requests))}}, nil
		}
		assert.Equal(t, "2", RowOf(in.ExclusiveStartKey).Text("SK"))
		return &dynamodb.QueryOutput{Items: []Item{{"PK": str("P"), "SK": str("3")}}}, nil
	}), nil)
	got, err := ask(db, pagedSchema, Query{Name: "test", Partition: "P"}, Paging{})
	require.NoError(t, err)
	assert.Len(t, got.Items, 1)
	assert.Empty(t, got.Next)
}

// A page that found nothing yet goes on past its reads: a cursor that leads back to where it came from is no end.
func TestPageMovesOn(t *testing.T) {
	empty := 3
	db := Open(onlyQueries(func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		partition := textOf(in.ExpressionAttributeValues[":0"])
		key := Item{"PK": str("ITEM#1"), "SK": str("METADATA"), "GSI1PK": str(partition), "GSI1SK": str("1")}
		if partition == "P" {
			return &dynamodb.QueryOutput{}, nil
		}
		if empty--; empty >= 0 {
			return &dynamodb.QueryOutput{LastEvaluatedKey: key}, nil
		}
		return &dynamodb.QueryOutput{Items: []Item{key}}, nil
	}), nil)
	q := Query{Name: "test", Index: "ByUser", Partition: "P", Shards: []string{"Q"}}
	page, err := ListOf(db, pagedSchema, q, sortOf).Page(context.Background(), Paging{Reads: 1})
	require.NoError(t, err)
	assert.Equal(t, Page[string]{Items: []string{"1"}}, page)
}

// In a table without a sort key, a partition is one item, and its list is one page.
func TestListOfATableWithoutASortKey(t *testing.T) {
	plain := &Schema{Name: "Plain", Key: KeyNames{Partition: "Id"}}
	item := Item{"Id": str("1")}
	db := Open(onlyQueries(func(*dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		return &dynamodb.QueryOutput{Items: []Item{item}, LastEvaluatedKey: item}, nil
	}), nil)
	page, err := ask(db, plain, Query{Name: "test", Partition: "1"}, Paging{Limit: 1})
	require.NoError(t, err)
	assert.Equal(t, Page[Item]{Items: []Item{item}}, page)
}

// Many shards of a few rows each fill a page, and each is read once.
func TestManyShards(t *testing.T) {
	table := &partitions{}
	q := Query{Name: "test", Index: "ByUser", Partition: "P0"}
	for i := 1; i < 256; i++ {
		q.Shards = append(q.Shards, fmt.Sprint("P", i))
	}
	for i := range 2000 {
		table.add(fmt.Sprint("P", i*97%256), fmt.Sprintf("%04d", i))
	}
	for _, limit := range []int{20, 100, 1000} {
		table.requests = 0
		page, err := ListOf(table.db(), pagedSchema, q, sortOf).Page(context.Background(), Paging{Limit: limit})
		require.NoError(t, err)
		assert.Len(t, page.Items, limit)
		assert.Equal(t, 256, table.requests)
	}
}

// A position outside the range of the list cannot come from it.
func TestCursorOutsideTheRangeIsRefused(t *testing.T) {
	for _, r := range []Range{{From: "B"}, {To: "A"}, {From: "B", To: "C"}, {Prefix: "B"}} {
		q := Query{Name: "test", Index: "ByUser", Partition: "P", Range: r}
		forged := position{Sort: "A1", PK: "ITEM#1", SK: "METADATA"}
		_, err := ask(noRequests(t), pagedSchema, q, Paging{After: forged.cursor(q.identity(pagedSchema))})
		refusedCursor(t, err)
	}
}
