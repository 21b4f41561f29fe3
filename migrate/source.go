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

// source is what a walk reads, in segments.
type source interface {
	// texts says what each segment is, so that a position is not used for something else.
	texts() []string
	// page returns the items after a position, and the next one: "" at the end.
	page(ctx context.Context, segment int, after string) (rows []dynastay.Row, next string, err error)
	// after returns the position after some items of the page that follows a position.
	after(from string, done []dynastay.Row) string
	// close is called when nothing more of a segment is read.
	close(segment int)
}

func (m *Mover) source(w *Walk) (source, error) {
	if w.Export != nil {
		return m.exported(w)
	}
	return m.stored(w), nil
}

// tableSource reads the segments of a table, or some partitions of it or of an index. A position is the key of an item.
type tableSource struct {
	m     *Mover
	w     *Walk
	limit int32
	key   dynastay.KeyNames // of the partitions
	names []string          // of the attributes that are a position
}

func (m *Mover) stored(w *Walk) *tableSource {
	s := &tableSource{m: m, w: w, limit: int32(w.page()), key: w.Table.Key}
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

func (s *tableSource) segments() int { return max(s.w.Segments, len(s.w.Partitions), 1) }

func (s *tableSource) texts() []string {
	all := make([]string, s.segments())
	for i := range all {
		all[i] = s.text(i)
	}
	return all
}

func (s *tableSource) text(segment int) string {
	if len(s.w.Partitions) == 0 {
		return "table " + s.w.Table.Name
	}
	sum := sha256.Sum256([]byte(s.w.Partitions[segment]))
	return strings.TrimSpace("a partition of "+s.w.Table.Name+" "+s.w.Index) + " " + hex.EncodeToString(sum[:8])
}

func (s *tableSource) after(_ string, done []dynastay.Row) string { return s.at(done[len(done)-1]) }

func (*tableSource) close(int) {}

// at returns the position of an item.
func (s *tableSource) at(row dynastay.Row) string {
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

func (s *tableSource) page(ctx context.Context, segment int, after string) (rows []dynastay.Row, next string, err error) {
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
		next = s.at(dynastay.RowOf(last))
	}
	return rows, next, nil
}

func (s *tableSource) scan(ctx context.Context, segment int, from dynastay.Item) (items []dynastay.Item, last dynastay.Item, err error) {
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

func (s *tableSource) query(ctx context.Context, segment int, from dynastay.Item) (items []dynastay.Item, last dynastay.Item, err error) {
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
