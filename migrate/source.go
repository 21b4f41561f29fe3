package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// source is what a walk reads: the segments of a table, or some partitions of it or of an index.
type source struct {
	m     *Mover
	w     *Walk
	limit int32
	key   dynastay.KeyNames // of the partitions
	names []string          // of the attributes that are a position
}

const usualPage = 100

func (m *Mover) source(w *Walk) *source {
	s := &source{m: m, w: w, limit: usualPage, key: w.Table.Key}
	if w.Page > 0 {
		s.limit = int32(w.Page)
	}
	for _, index := range w.Table.Indexes {
		if index.Name == w.Index {
			s.key = index.Key
		}
	}
	for _, name := range []string{w.Table.Key.Partition, w.Table.Key.Sort, s.key.Partition, s.key.Sort} {
		if name != "" {
			s.names = append(s.names, name)
		}
	}
	return s
}

func (s *source) segments() int { return max(s.w.Segments, len(s.w.Partitions), 1) }

func (s *source) texts() []string {
	all := make([]string, s.segments())
	for i := range all {
		all[i] = s.text(i)
	}
	return all
}

// text says what a segment is, so that a position is not used for something else.
func (s *source) text(segment int) string {
	if len(s.w.Partitions) == 0 {
		return "table " + s.w.Table.Name
	}
	sum := sha256.Sum256([]byte(s.w.Partitions[segment]))
	return strings.TrimSpace("a partition of "+s.w.Table.Name+" "+s.w.Index) + " " + hex.EncodeToString(sum[:8])
}

// after returns the position after an item.
func (s *source) after(row dynastay.Row) string {
	at := map[string]string{}
	for _, name := range s.names {
		at[name] = row.Text(name)
	}
	text, err := json.Marshal(at)
	if err != nil {
		panic(err) // these are texts
	}
	return string(text)
}

// page returns the items after a position, and the next one: "" at the end.
func (s *source) page(ctx context.Context, segment int, after string) (rows []dynastay.Row, next string, err error) {
	var from dynastay.Item
	if after != "" {
		var at map[string]string
		if err := json.Unmarshal([]byte(after), &at); err != nil {
			return nil, "", err
		}
		from = dynastay.Item{}
		for name, text := range at {
			from[name] = dynastay.Text(text)
		}
	}
	read := s.scan
	if len(s.w.Partitions) > 0 {
		read = s.query
	}
	items, last, err := read(ctx, segment, from)
	if err != nil {
		return nil, "", err
	}
	for _, item := range items {
		rows = append(rows, dynastay.RowOf(item))
	}
	if len(last) > 0 {
		next = s.after(dynastay.RowOf(last))
	}
	return rows, next, nil
}

func (s *source) scan(ctx context.Context, segment int, from dynastay.Item) (items []dynastay.Item, last dynastay.Item, err error) {
	name, n, i := s.m.DB.TableName(s.w.Table), int32(s.segments()), int32(segment)
	in := &dynamodb.ScanInput{
		TableName: &name, Limit: &s.limit, TotalSegments: &n, Segment: &i, ExclusiveStartKey: from,
		ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
	}
	err = s.m.DB.Read(ctx, "Scan", s.w.Table, "", func(ctx context.Context, option func(*dynamodb.Options)) (*types.ConsumedCapacity, error) {
		out, err := s.m.client.Scan(ctx, in, option)
		if err != nil {
			return nil, err
		}
		items, last = out.Items, out.LastEvaluatedKey
		return out.ConsumedCapacity, nil
	})
	return items, last, err
}

func (s *source) query(ctx context.Context, segment int, from dynastay.Item) (items []dynastay.Item, last dynastay.Item, err error) {
	name, condition := s.m.DB.TableName(s.w.Table), "#partition = :partition"
	in := &dynamodb.QueryInput{
		TableName: &name, Limit: &s.limit, ExclusiveStartKey: from, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
		KeyConditionExpression:    &condition,
		ExpressionAttributeNames:  map[string]string{"#partition": s.key.Partition},
		ExpressionAttributeValues: dynastay.Item{":partition": dynastay.Text(s.w.Partitions[segment])},
	}
	if s.w.Index != "" {
		in.IndexName = &s.w.Index
	}
	err = s.m.DB.Read(ctx, "Query", s.w.Table, s.w.Index, func(ctx context.Context, option func(*dynamodb.Options)) (*types.ConsumedCapacity, error) {
		out, err := s.m.client.Query(ctx, in, option)
		if err != nil {
			return nil, err
		}
		items, last = out.Items, out.LastEvaluatedKey
		return out.ConsumedCapacity, nil
	})
	return items, last, err
}
