package dynastay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// strict answers queries of a table or of its index ByUser from sort values in memory, with the rules that local engines
// do not enforce: a start key that does not match the key condition is rejected, and a page may end early or be empty.
type strict struct {
	mu       sync.Mutex
	requests int
	rows     map[string][]string // by partition
	chop     *rand.Rand          // cuts pages short; nil for none
}

func (s *strict) answer(in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	names := KeyNames{"PK", "SK"}
	if in.IndexName != nil {
		names = KeyNames{"GSI1PK", "GSI1SK"}
	}
	value := func(i int) string { return textOf(in.ExpressionAttributeValues[fmt.Sprint(":", i)]) }
	partition, descending := value(0), in.ScanIndexForward != nil
	var within Range
	switch condition := *in.KeyConditionExpression; {
	case strings.Contains(condition, "begins_with"):
		within.Prefix = value(1)
	case strings.Contains(condition, "BETWEEN"):
		within.From, within.To = value(1), value(2)
	case strings.Contains(condition, ">="):
		within.From = value(1)
	}
	matches := func(sort string) bool {
		return strings.HasPrefix(sort, within.Prefix) && sort >= within.From && (within.To == "" || sort <= within.To)
	}
	behind := func(string) bool { return true }
	if in.ExclusiveStartKey != nil {
		start := names.From(RowOf(in.ExclusiveStartKey))
		if start.PK != partition || !matches(start.SK) {
			return nil, &smithy.GenericAPIError{Code: "ValidationException", Message: "The provided starting key is invalid"}
		}
		behind = func(sort string) bool { return sort != start.SK && (sort < start.SK) == descending }
	}
	rows := slices.DeleteFunc(slices.Clone(s.rows[partition]), func(sort string) bool { return !matches(sort) || !behind(sort) })
	slices.Sort(rows)
	if descending {
		slices.Reverse(rows)
	}
	item := func(sort string) Item {
		if in.IndexName == nil {
			return Item{"PK": str(partition), "SK": str(sort)}
		}
		return Item{"PK": str("ITEM#" + sort), "SK": str("METADATA"), "GSI1PK": str(partition), "GSI1SK": str(sort)}
	}
	most := int(*in.Limit)
	if s.chop != nil && s.chop.IntN(2) == 0 {
		most = min(most, 1+s.chop.IntN(3))
	}
	out := &dynamodb.QueryOutput{}
	for _, sort := range rows[:min(most, len(rows))] {
		out.Items = append(out.Items, item(sort))
	}
	if len(rows) >= most {
		out.LastEvaluatedKey = item(rows[most-1])
	}
	if s.chop != nil && len(out.Items) == 1 && s.chop.IntN(2) == 0 {
		s.drop(partition, rows[0]) // the row that the page ends at has been deleted meanwhile
		out.Items = nil
	}
	return out, nil
}

// drop deletes a row.
func (s *strict) drop(partition, sort string) {
	at := slices.Index(s.rows[partition], sort)
	s.rows[partition] = slices.Delete(s.rows[partition], at, at+1)
}

// Whatever the shards, the bounds, the direction, the filter and the pages are: a list is all of its rows, once and in order,
// with an error in the place of each that cannot be read; also while rows move between shards from page to page, and
// pages are read by processes that read different numbers of shards.
func TestListModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := &strict{rows: map[string][]string{}}
		partitions := []string{"P", "P1", "P2", "P3", "P4"}[:rapid.IntRange(1, 5).Draw(t, "shards")]
		written := partitions[:rapid.IntRange(1, len(partitions)).Draw(t, "written shards")]
		anywhere := rapid.SampledFrom(written)
		var all []string
		bad := map[string]bool{}
		for i := range rapid.IntRange(0, 50).Draw(t, "rows") {
			sort := fmt.Sprintf("%04d", 2*i)
			all = append(all, sort)
			in := anywhere.Draw(t, "partition")
			table.rows[in] = append(table.rows[in], sort)
			if second := anywhere.Draw(t, "second partition"); second != in && rapid.IntRange(0, 3).Draw(t, "twice") == 0 {
				table.rows[second] = append(table.rows[second], sort)
			}
			bad[sort] = rapid.IntRange(0, 7).Draw(t, "bad") == 0
		}
		q := Query{
			Name: "test", Partition: partitions[0], Descending: rapid.Bool().Draw(t, "descending"),
			Index: rapid.SampledFrom([]string{"", "ByUser"}).Draw(t, "index"),
			Range: rapid.SampledFrom([]Range{{}, {Prefix: "00"}, {From: "0012"}, {From: "0013", To: "0060"}}).Draw(t, "range"),
		}
		filtered := rapid.Bool().Draw(t, "filtered")
		keep := func(sort string) bool { return !filtered || (sort[3]-'0')%3 == 0 }
		var want []string
		for _, sort := range all {
			if q.Range.has(sort) && (bad[sort] || keep(sort)) {
				want = append(want, sort)
			}
		}
		if q.Descending {
			slices.Reverse(want)
		}
		if rapid.Bool().Draw(t, "short pages") {
			table.chop = rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		}
		db := Open(onlyQueries(table.answer), nil)
		list := func() List[string] {
			q.Shards = partitions[1:rapid.IntRange(len(written), len(partitions)).Draw(t, "read shards")]
			l := ListOf(db, pagedSchema, q, func(_ context.Context, row Row) (string, error) {
				sort := row.Text("GSI1SK")
				if q.Index == "" {
					sort = row.Text("SK")
				}
				if bad[sort] {
					return "", errors.New("bad " + sort)
				}
				return sort, nil
			})
			if filtered {
				l = l.Filter(keep)
			}
			return l
		}
		var got []string
		for p := (Paging{}); ; {
			p.Limit, p.Reads = rapid.IntRange(1, 7).Draw(t, "limit"), rapid.IntRange(1, 3).Draw(t, "reads")
			entries, next, err := list().read(context.Background(), p)
			require.NoError(t, err)
			items := 0
			for _, e := range entries {
				if e.err != nil {
					_, sort, _ := strings.Cut(e.err.Error(), "bad ")
					got = append(got, sort)
				} else {
					got, items = append(got, e.item), items+1
				}
			}
			require.LessOrEqual(t, items, p.Limit)
			if next == "" {
				break
			}
			require.NotEqual(t, p.After, next, "the list moves on")
			p.After = next
			from, to := anywhere.Draw(t, "from"), anywhere.Draw(t, "to")
			if rows := table.rows[from]; from != to && len(rows) > 0 {
				sort := rapid.SampledFrom(rows).Draw(t, "moved")
				table.drop(from, sort)
				if !slices.Contains(table.rows[to], sort) {
					table.rows[to] = append(table.rows[to], sort)
				}
			}
		}
		if table.chop != nil { // rows were deleted under the pages
			deleted := slices.DeleteFunc(slices.Clone(want), func(sort string) bool { return slices.Contains(got, sort) })
			for _, sort := range deleted {
				for _, rows := range table.rows {
					require.NotContains(t, rows, sort, "a row that exists is missing")
				}
			}
			want = slices.DeleteFunc(want, func(sort string) bool { return slices.Contains(deleted, sort) })
		}
		require.Equal(t, strings.Join(want, " "), strings.Join(got, " "))
	})
}
