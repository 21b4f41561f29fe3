package migrate

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// source is what a walk reads, in segments.
type source interface {
	text(segment int) string // says what it is, so that a position is not used for something else
	segments() int
	// page returns the items after a position, and the next one: "" at the end.
	page(ctx context.Context, segment int, after string) (rows []dynastay.Row, next string, err error)
}

const usualPage = 100

func (m *Mover) source(w *Walk) source {
	limit := usualPage
	if w.Page > 0 {
		limit = w.Page
	}
	if len(w.Partitions) > 0 {
		return &partitions{m, w, limit}
	}
	return &table{m, w, limit, max(w.Segments, 1)}
}

// table reads all items of a table.
type table struct {
	m     *Mover
	w     *Walk
	limit int
	n     int
}

func (t *table) text(int) string { return "table " + t.w.Table.Name }
func (t *table) segments() int   { return t.n }

func (t *table) page(ctx context.Context, segment int, after string) (_ []dynastay.Row, next string, err error) {
	name := t.m.DB.TableName(t.w.Table)
	limit, n, i := int32(t.limit), int32(t.n), int32(segment)
	in := &dynamodb.ScanInput{
		TableName: &name, Limit: &limit, TotalSegments: &n, Segment: &i, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	if after != "" {
		var at map[string]string
		if err := json.Unmarshal([]byte(after), &at); err != nil {
			return nil, "", err
		}
		in.ExclusiveStartKey = dynastay.Item{}
		for name, text := range at {
			in.ExclusiveStartKey[name] = dynastay.Text(text)
		}
	}
	out, err := t.m.scan(ctx, in)
	if err != nil {
		return nil, "", err
	}
	rows := make([]dynastay.Row, len(out.Items))
	for i, item := range out.Items {
		rows[i] = dynastay.RowOf(item)
	}
	if len(out.LastEvaluatedKey) == 0 {
		return rows, "", nil
	}
	at, row := map[string]string{}, dynastay.RowOf(out.LastEvaluatedKey)
	for name := range out.LastEvaluatedKey {
		at[name] = row.Text(name)
	}
	text, err := json.Marshal(at)
	return rows, string(text), err
}

// scan sends a Scan, and counts what it consumes.
func (m *Mover) scan(ctx context.Context, in *dynamodb.ScanInput) (*dynamodb.ScanOutput, error) {
	out, err := m.client.Scan(ctx, in)
	call := dynastay.Call{Operation: "Scan", Attempt: 1, Verdict: dynastay.Done, Usage: []dynastay.Usage{{Table: *in.TableName}}}
	if err != nil {
		return nil, err
	}
	if c := out.ConsumedCapacity; c != nil && c.CapacityUnits != nil {
		call.Usage[0].ReadUnits = *c.CapacityUnits
	}
	m.consumed(call)
	if o := m.opts.DB.Observer; o != nil {
		o.Request(ctx, call)
	}
	return out, nil
}

// partitions reads some partitions of a table or of an index.
type partitions struct {
	m     *Mover
	w     *Walk
	limit int
}

func (p *partitions) text(segment int) string {
	return strings.TrimSpace("partition " + p.w.Partitions[segment] + " of " + p.w.Table.Name + " " + p.w.Index)
}

func (p *partitions) segments() int { return len(p.w.Partitions) }

func (p *partitions) page(ctx context.Context, segment int, after string) ([]dynastay.Row, string, error) {
	list := dynastay.ListOf(p.m.DB, p.w.Table, dynastay.Query{
		Name: "migrate.Walk/" + strconv.Itoa(segment), Index: p.w.Index, Partition: p.w.Partitions[segment],
	}, func(_ context.Context, row dynastay.Row) (dynastay.Row, error) { return row, nil })
	got, err := list.Page(ctx, dynastay.Paging{Limit: p.limit, After: dynastay.Cursor(after)})
	return got.Items, string(got.Next), err
}
