package dyntest

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
)

// replica is a second table with the items that a table had at an earlier time. Its requests bypass the faults.
// See docs/decisions/0006-faults-on-the-wire.md for why it is a table.
type replica struct {
	client *dynamodb.Client
	of     string // the full name of the table
	name   string // its own
	schema *dynastay.Schema
	mu     sync.Mutex // one refresh at a time
}

func newReplica(on *engine.Engine, prefix string, of *dynastay.Schema, number int) *replica {
	schema := *of
	schema.Name = fmt.Sprintf("%s-frozen-%d", of.Name, number)
	schema.TTL, schema.Stream = "", false
	return &replica{client: on.Client(), of: prefix + of.Name, name: prefix + schema.Name, schema: &schema}
}

// refresh writes what has changed in the table since the last refresh. It compares the tables themselves, so the next
// refresh corrects one that was interrupted.
func (r *replica) refresh(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, err := r.scan(ctx, r.of)
	if err != nil {
		return err
	}
	then, err := r.scan(ctx, r.name)
	if err != nil {
		return err
	}
	var writes []types.WriteRequest
	for key, item := range now {
		if !reflect.DeepEqual(item, then[key]) {
			writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
		}
	}
	for key := range then {
		if _, there := now[key]; !there {
			writes = append(writes, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: r.schema.Key.Of(key)}})
		}
	}
	return r.write(ctx, writes)
}

// scan reads a whole table of the test. The library never does; this is bookkeeping of a test tool, and is not measured.
func (r *replica) scan(ctx context.Context, table string) (map[dynastay.Key]dynastay.Item, error) {
	yes, items := true, map[dynastay.Key]dynastay.Item{}
	pages := dynamodb.NewScanPaginator(r.client, &dynamodb.ScanInput{TableName: &table, ConsistentRead: &yes})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			items[r.schema.Key.From(dynastay.RowOf(item))] = item
		}
	}
	return items, nil
}

func (r *replica) write(ctx context.Context, writes []types.WriteRequest) error {
	const most = 25 // in one request
	for len(writes) > 0 {
		n := min(most, len(writes))
		out, err := r.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{r.name: writes[:n]},
		})
		if err != nil {
			return err
		}
		writes = append(out.UnprocessedItems[r.name], writes[n:]...)
	}
	return nil
}
