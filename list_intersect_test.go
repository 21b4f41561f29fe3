package dynastay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever the lists, their shards, the range and the pages are: the intersection is the rows that all lists contain,
// and the union those that at least one contains, once and in order, and no cursor loses or repeats one, also if pages
// end early.
func TestIntersectAndUnionModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := &strict{rows: map[string][]string{}}
		combine, most := Intersect[string], 0 // the number of lists without a row that is in the result
		union := rapid.Bool().Draw(t, "union")
		lists := rapid.IntRange(1, 4).Draw(t, "lists")
		if union {
			combine, most = Union[string], lists-1
		}
		shards := rapid.IntRange(1, 3).Draw(t, "shards")
		partition := func(list, shard int) string { return fmt.Sprintf("P%d-%d", list, shard) }
		within := rapid.SampledFrom([]Range{{}, {Prefix: "00"}, {From: "0012"}, {From: "0013", To: "0060"}}).Draw(t, "range")
		bad := map[string]bool{}
		var want []string
		for i := range rapid.IntRange(0, 120).Draw(t, "values") {
			sort := fmt.Sprintf("%04d", i)
			without := 0
			for list := range lists {
				density := rapid.IntRange(1, 10).Draw(t, "density") // of 10
				if rapid.IntRange(1, 10).Draw(t, "has") > density {
					without++
					continue
				}
				in := partition(list, rapid.IntRange(0, shards-1).Draw(t, "shard"))
				table.rows[in] = append(table.rows[in], sort)
			}
			bad[sort] = rapid.IntRange(0, 9).Draw(t, "bad") == 0
			if without <= most && within.has(sort) && (bad[sort] || i%3 > 0) {
				want = append(want, sort)
			}
		}
		if rapid.Bool().Draw(t, "short pages") {
			table.chop = rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		}
		db := Open(onlyQueries(table.answer), nil)
		var parts []List[string]
		for list := range lists {
			q := Query{Name: "test", Index: "ByUser", Partition: partition(list, 0), Range: within}
			for shard := 1; shard < shards; shard++ {
				q.Shards = append(q.Shards, partition(list, shard))
			}
			parts = append(parts, ListOf(db, pagedSchema, q, func(_ context.Context, row Row) (string, error) {
				if sort := row.Text("GSI1SK"); bad[sort] {
					return "", errors.New("bad " + sort)
				}
				return row.Text("GSI1SK"), nil
			}))
		}
		common := combine(parts...).Filter(func(sort string) bool { n, _ := strconv.Atoi(sort); return n%3 > 0 })
		var got []string
		for p := (Paging{}); ; {
			p.Limit, p.Reads = rapid.IntRange(1, 20).Draw(t, "limit"), rapid.IntRange(1, 5).Draw(t, "reads")
			entries, next, err := common.read(context.Background(), p)
			require.NoError(t, err)
			for _, e := range entries {
				if e.err != nil {
					_, sort, _ := strings.Cut(e.err.Error(), "bad ")
					got = append(got, sort)
				} else {
					got = append(got, e.item)
				}
			}
			if p.After = next; next == "" {
				break
			}
		}
		// The table also deletes rows while they are being read.
		want = slices.DeleteFunc(want, func(sort string) bool {
			return !slices.Contains(got, sort) && table.lacking(sort, lists, shards) > most
		})
		require.Equal(t, strings.Join(want, " "), strings.Join(got, " "))
	})
}

// lacking returns how many of the lists have no row with a sort value.
func (s *strict) lacking(sort string, lists, shards int) (without int) {
	for list := range lists {
		found := false
		for shard := range shards {
			found = found || slices.Contains(s.rows[fmt.Sprintf("P%d-%d", list, shard)], sort)
		}
		if !found {
			without++
		}
	}
	return without
}

// The last row of a page is read again for the next one. That does not take a second read.
func TestIntersectAndUnionKeepToTheirReads(t *testing.T) {
	table := &strict{rows: map[string][]string{}}
	for i := range 30 {
		for _, partition := range []string{"P", "Q"} {
			table.rows[partition] = append(table.rows[partition], fmt.Sprintf("%04d", i))
		}
	}
	db := Open(onlyQueries(table.answer), nil)
	for limit := 1; limit < 8; limit++ {
		for _, common := range []List[string]{
			Intersect(listOf(db, "P"), listOf(db, "Q")), Union(listOf(db, "P"), listOf(db, "Q")),
		} {
			want := 0
			for p := (Paging{Limit: limit, Reads: 1}); ; {
				table.requests = 0
				page, err := common.Page(context.Background(), p)
				require.NoError(t, err)
				assert.LessOrEqual(t, table.requests, 2, "one of each list")
				for _, item := range page.Items {
					assert.Equal(t, fmt.Sprintf("%04d", want), item)
					want++
				}
				if p.After = page.Next; page.Next == "" {
					break
				}
				require.NotEmpty(t, page.Items)
				require.True(t, common.any || len(page.Items) == limit, "an intersection reads enough for the whole page")
			}
			assert.Equal(t, 30, want)
		}
	}
}

// If nothing is in several lists, each of them is read only for its share of a page. The row that several lists contain
// is that of the first one.
func TestUnionAsks(t *testing.T) {
	table := &partitions{}
	var lists []List[string]
	db := table.db()
	for i := range 20 {
		partition := fmt.Sprintf("P%d", i)
		for j := range 40 {
			table.add(partition, fmt.Sprintf("%04d", 20*j+i))
		}
		lists = append(lists, ListOf(db, pagedSchema, Query{Name: "test", Index: "ByUser", Partition: partition},
			func(_ context.Context, row Row) (string, error) { return row.Text("GSI1SK") + " of " + partition, nil }))
	}
	page, err := Union(lists...).Page(context.Background(), Paging{Limit: 40})
	require.NoError(t, err)
	assert.Len(t, page.Items, 40)
	assert.Equal(t, 20*share(40, 20), table.read, "in one read")
	page, err = Union(lists...).Page(context.Background(), Paging{Limit: 2, After: page.Next})
	require.NoError(t, err)
	assert.Equal(t, []string{"0040 of P0", "0041 of P1"}, page.Items)

	table.add("P1", "0900")
	table.add("P2", "0900")
	for want, both := range map[string][]List[string]{"0900 of P1": {lists[1], lists[2]}, "0900 of P2": {lists[2], lists[1]}} {
		page, err := Union(both...).Page(context.Background(), Paging{Limit: 100})
		require.NoError(t, err)
		require.Len(t, page.Items, 81)
		assert.Equal(t, want, page.Items[80])
	}
}

// A list is safe for concurrent use; the race detector sees if it is not.
func TestIntersectConcurrently(t *testing.T) {
	table := &partitions{}
	for _, partition := range []string{"P", "Q", "R"} {
		table.add(partition, "0001")
	}
	db := table.db()
	common := Intersect(listOf(db, "P"), listOf(db, "Q"), listOf(db, "R"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			page, err := common.Page(context.Background(), Paging{})
			assert.NoError(t, err)
			assert.Equal(t, []string{"0001"}, page.Items)
		})
	}
	wg.Wait()
}

// A list that has only a few rows makes the others skip theirs.
func TestIntersectSkips(t *testing.T) {
	table := &strict{rows: map[string][]string{"few": {"0500", "0900"}}}
	for i := range 1000 {
		table.rows["many"] = append(table.rows["many"], fmt.Sprintf("%04d", i))
	}
	requests, rows, asked := 0, 0, []int32(nil)
	var mu sync.Mutex
	db := Open(onlyQueries(func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		out, err := table.answer(in)
		mu.Lock()
		defer mu.Unlock()
		requests, rows, asked = requests+1, rows+len(out.Items), append(asked, *in.Limit)
		return out, err
	}), nil)
	common := Intersect(listOf(db, "many"), listOf(db, "few"))
	page, err := common.Page(context.Background(), Paging{Limit: 10})
	require.NoError(t, err)
	assert.Equal(t, []string{"0500", "0900"}, page.Items)
	assert.Empty(t, page.Next)
	assert.Equal(t, 4, requests, "both, then many at 0500 and at 0900")
	assert.Equal(t, []int32{10, 10, 20, 40}, asked, "twice as many each time")
	assert.Equal(t, 2+10+20+40, rows)

	// What skips rows still ends with the range, and where one list has ended, the others are not read any more.
	of := func(partition string) List[string] {
		return ListOf(db, pagedSchema, Query{Name: "test", Index: "ByUser", Partition: partition, Range: Range{From: "0", To: "0505"}}, sortOf)
	}
	requests, rows = 0, 0
	page, err = Intersect(of("many"), of("few")).Page(context.Background(), Paging{Limit: 10})
	require.NoError(t, err)
	assert.Equal(t, []string{"0500"}, page.Items)
	assert.Equal(t, 1+10+6, rows)
	table.rows["first"] = []string{"0002"}
	requests = 0
	page, err = Intersect(listOf(db, "many"), listOf(db, "first")).Page(context.Background(), Paging{Limit: 3})
	require.NoError(t, err)
	assert.Equal(t, Page[string]{Items: []string{"0002"}}, page)
	assert.Equal(t, 2, requests)

	// Within one read, nothing can be found yet; the next page begins where the lists can meet first.
	page, err = common.Page(context.Background(), Paging{Limit: 10, Reads: 1})
	require.NoError(t, err)
	assert.Empty(t, page.Items)
	require.NotEmpty(t, page.Next)
	requests = 0
	page, err = common.Page(context.Background(), Paging{Limit: 10, Reads: 1, After: page.Next})
	require.NoError(t, err)
	assert.Equal(t, []string{"0500"}, page.Items)
	assert.Equal(t, 2, requests)
}

// A list that skips rows is no longer limited to its prefix by the request. It still ends with it.
func TestIntersectEndsWithThePrefix(t *testing.T) {
	table := &strict{rows: map[string][]string{"B": {"0099"}}}
	for i := range 1000 {
		table.rows["A"] = append(table.rows["A"], fmt.Sprintf("%04d", i))
		table.rows["B"] = append(table.rows["B"], fmt.Sprintf("0099-%04d", i))
	}
	var requests atomic.Int32
	db := Open(onlyQueries(func(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		requests.Add(1)
		return table.answer(in)
	}), nil)
	of := func(partition string) List[string] {
		return ListOf(db, pagedSchema, Query{Name: "test", Index: "ByUser", Partition: partition, Range: Range{Prefix: "00"}}, sortOf)
	}
	page, err := Intersect(of("A"), of("B")).Page(context.Background(), Paging{Limit: 10})
	require.NoError(t, err)
	assert.Equal(t, []string{"0099"}, page.Items)
	assert.Empty(t, page.Next)
	assert.EqualValues(t, 3, requests.Load(), "both, and the first at 0099")

	forged := NewCursor("common:"+Intersect(of("A"), of("B")).identity(), meetingPoint{Sort: "0100"})
	_, err = Intersect(of("A"), of("B")).Page(context.Background(), Paging{After: forged})
	assert.ErrorIs(t, err, ErrCursor)
	assert.ErrorContains(t, err, "outside the range")
}

// The first read asks for what the page needs if all rows are common; later ones for what is likely to be missing.
func TestIntersectAsks(t *testing.T) {
	table := &partitions{}
	for i := range 300 {
		table.add("P", fmt.Sprintf("%04d", i))
		if i%3 > 0 {
			table.add("Q", fmt.Sprintf("%04d", i))
		}
	}
	db := table.db()
	page, err := Intersect(listOf(db, "P"), listOf(db, "Q")).Page(context.Background(), Paging{Limit: 30})
	require.NoError(t, err)
	assert.Len(t, page.Items, 30)
	assert.Equal(t, []int{30, 30}, table.asked[:2], "of each list, what the page needs")
	assert.Less(t, table.read, 120)
}

func TestIntersectRefuses(t *testing.T) {
	db := (&partitions{}).db()
	p := listOf(db, "P")
	refused := func(l List[string], field, reason string) {
		t.Helper()
		_, err := l.Page(context.Background(), Paging{})
		var invalid *InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, field, invalid.Field)
		assert.Contains(t, invalid.Reason, reason)
	}
	of := func(q Query) List[string] { q.Name = "test"; return ListOf(db, pagedSchema, q, sortOf) }
	all := func(string) bool { return true }
	refused(Intersect(p.Filter(all), p), "Lists[0]", "must not be filtered")
	refused(Intersect(p, p.Filter(all)), "Lists[1]", "must not be filtered")
	refused(Intersect(p.Filter(all)), "Lists[0]", "must not be filtered")
	refused(Intersect(p, of(Query{Index: "ByUser", Partition: "Q", Descending: true})), "Lists[1]", "must be ascending")
	refused(Intersect(of(Query{Index: "ByUser", Partition: "Q", Descending: true})), "Lists[0]", "must be ascending")
	refused(Intersect(p, of(Query{Partition: "Q"})), "Lists[1]", "must have the same")
	refused(Intersect(p, listOf((&partitions{}).db(), "Q")), "Lists[1]", "must have the same")
	refused(Intersect(p, Intersect(p, p)), "Lists[1]", "must be a list of rows")
	refused(Intersect(p, Load(p, given)), "Lists[1]", "must be a list of rows")
	refused(Intersect(List[string]{}, p), "Lists[0]", "must be a list of rows")
	refused(Union(p, Union(p, p)), "Lists[1]", "must be a list of rows")
	refused(Union(p, of(Query{Index: "ByUser", Partition: "Q", Descending: true})), "Lists[1]", "must be ascending")
	refused(Intersect(p, NoList[string](Invalid("UserID", "is required"))), "UserID", "is required")
	refused(Intersect(of(Query{Index: "Unsorted", Partition: "P"}), of(Query{Index: "Unsorted", Partition: "Q"})), "Lists", "cannot be combined")
	refused(Merge(p, Intersect(p, listOf(db, "Q"))), "Lists[1]", "must be a list of rows")
	refused(Merge(p, Union(p, listOf(db, "Q"))), "Lists[1]", "must be a list of rows")
	refused(Merge(Load(p, given), p), "Lists[0]", "must be a list of rows")

	page, err := Intersect[string]().Page(context.Background(), Paging{})
	require.NoError(t, err)
	assert.Equal(t, Page[string]{}, page)

	// A cursor belongs to the lists that it came from.
	table := &partitions{}
	for i := range 5 {
		table.add("P", fmt.Sprint(i))
		table.add("Q", fmt.Sprint(i))
	}
	db = table.db()
	page, err = Intersect(listOf(db, "P"), listOf(db, "Q")).Page(context.Background(), Paging{Limit: 2})
	require.NoError(t, err)
	for _, other := range []List[string]{
		listOf(db, "P"), Merge(listOf(db, "P"), listOf(db, "Q")), Intersect(listOf(db, "P"), listOf(db, "R")),
		Union(listOf(db, "P"), listOf(db, "Q")),
	} {
		_, err = other.Page(context.Background(), Paging{After: page.Next})
		assert.ErrorIs(t, err, ErrCursor)
	}
	merged := func(a, b string) List[string] { return Merge(listOf(db, a), listOf(db, b)) }
	page, err = Intersect(merged("P", "Q"), listOf(db, "P")).Page(context.Background(), Paging{Limit: 2})
	require.NoError(t, err)
	_, err = Intersect(listOf(db, "P"), merged("Q", "P")).Page(context.Background(), Paging{After: page.Next})
	assert.ErrorIs(t, err, ErrCursor)
}

func TestIntersectFailsWhole(t *testing.T) {
	broken := errors.New("broken")
	table := &partitions{}
	table.add("P", "0001")
	db := table.db()
	l := ListOf(db, pagedSchema, Query{Name: "test", Index: "ByUser", Partition: "P"}, func(context.Context, Row) (string, error) {
		return "", &Error{Kind: ErrThrottled, Err: broken}
	})
	_, err := Intersect(l, l).Page(context.Background(), Paging{})
	assert.ErrorIs(t, err, broken)
}

func listOf(db *DB, partition string) List[string] {
	return ListOf(db, pagedSchema, Query{Name: "test", Index: "ByUser", Partition: partition}, sortOf)
}

func given(_ context.Context, all []string) ([]string, error) { return all, nil }
