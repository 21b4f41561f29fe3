package dynastay

import (
	"context"
	"math"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay/internal/concurrent"
)

// lane reads one partition of a list.
type lane[T any] struct {
	db     *DB
	schema *Schema
	query  Query // of one partition
	shard  bool  // one of Query.Shards
	decode func(context.Context, Row) (T, error)
}

func lanesOf[T any](db *DB, s *Schema, q Query, decode func(context.Context, Row) (T, error)) []lane[T] {
	shards := q.Shards
	q.Shards = nil
	all := []lane[T]{{db, s, q, false, decode}}
	for _, partition := range shards {
		q.Partition = partition
		all = append(all, lane[T]{db, s, q, true, decode})
	}
	return all
}

// runsWith reports whether the rows of both lanes can be merged.
func (l lane[T]) runsWith(other lane[T]) bool {
	return l.db == other.db && l.schema == other.schema && l.query.Index == other.query.Index &&
		l.query.Range == other.query.Range && // the cursor of one must be a position in all
		l.query.Descending == other.query.Descending
}

// reader is a lane while it is being read.
type reader[T any] struct {
	lane[T]
	in    *dynamodb.QueryInput
	names KeyNames // of the table or index that is queried
	ask   int      // number of rows that the previous read requested, or that the first one will
	rows  []Row    // read but not taken yet
	last  bool     // no more rows follow
}

// open prepares the request for the rows after a position.
func (l lane[T]) open(at position, limit, lanes int) (reader[T], error) {
	in, names, err := l.db.queryInput(l.schema, l.query)
	switch {
	case err != nil:
		return reader[T]{}, err
	case lanes > 1 && names.Sort == "":
		return reader[T]{}, Invalid("Shards", "cannot be merged: the table or index has no sort key")
	}
	if at != (position{}) {
		sort := at.Sort
		if l.query.Index == "" {
			sort, at.PK = at.SK, l.query.Partition
		}
		if !l.query.Range.has(sort) { // DynamoDB would refuse it, and blame the request
			return reader[T]{}, &InvalidError{Field: "Paging.After", Reason: "is outside the range of the list", Err: ErrCursor}
		}
		in.ExclusiveStartKey = l.schema.Key.Of(Key{at.PK, at.SK})
		if l.query.Index != "" {
			for name, v := range names.Of(Key{l.query.Partition, at.Sort}) {
				in.ExclusiveStartKey[name] = v
			}
		}
	}
	return reader[T]{lane: l, in: in, names: names, ask: share(limit, lanes)}, nil
}

// share is the number of rows that is requested from each of several lanes. With only an even share, nearly every time
// some lane would have too few rows, because rows are never spread exactly evenly. With two standard deviations more,
// one read is usually enough. A lane whose last row was taken must be read again before the merge can go on, hence one
// more row.
func share(limit, lanes int) int {
	return min(limit, likely(float64(limit)/float64(lanes))+1)
}

// likely returns a number that a random count with the given mean rarely exceeds.
func likely(mean float64) int { return int(math.Ceil(mean + 2*math.Sqrt(mean))) }

// read reads the next rows.
func (r *reader[T]) read(ctx context.Context, ask int) error {
	r.in.Limit, r.ask = ptr(int32(ask)), ask
	out, err := r.db.query(ctx, r.in)
	if err != nil {
		return err
	}
	for _, item := range out.Items {
		r.rows = append(r.rows, RowOf(item))
	}
	r.in.ExclusiveStartKey = out.LastEvaluatedKey
	// A table without a sort key has one item per partition, but DynamoDB does not say that it was the last.
	r.last = len(out.LastEvaluatedKey) == 0 || r.query.Index == "" && r.names.Sort == ""
	return nil
}

func (r *reader[T]) position(row Row) position {
	key := r.schema.Key.From(row)
	at := position{SK: key.SK}
	if r.query.Index != "" {
		at.PK, at.Sort = key.PK, row.Text(r.names.Sort)
	}
	return at
}

// merge takes rows from several lanes in the order of their sort values.
type merge[T any] struct {
	lanes    []reader[T]
	filtered bool
	limit    int // maximum number of items of the page
	found    int // items so far
	taken    int // rows examined so far
	reads    int // reads left
	at       position
	moved    bool // at has moved past the cursor
}

// next takes the first row in order. The lane is nil at the end, and when no reads are left. In the latter case the
// position must have moved first: a cursor that makes no progress would keep its caller reading forever.
func (m *merge[T]) next(ctx context.Context) (Row, *reader[T], error) {
	for empty := m.empty(); len(empty) > 0; empty = m.empty() {
		if m.reads <= 0 && m.moved {
			return Row{}, nil, nil
		}
		m.reads--
		err := concurrent.Each(ctx, len(empty), func(ctx context.Context, i int) error {
			return empty[i].read(ctx, m.ask(empty[i]))
		})
		if err != nil {
			return Row{}, nil, err
		}
		if only := &m.lanes[0]; len(m.lanes) == 1 && len(only.rows) == 0 && !only.last {
			m.at, m.moved = only.position(RowOf(only.in.ExclusiveStartKey)), true // an empty page also makes progress
		}
	}
	var first *reader[T]
	for i := range m.lanes {
		if lane := &m.lanes[i]; len(lane.rows) > 0 && (first == nil || lane.before(first)) {
			first = lane
		}
	}
	if first == nil {
		return Row{}, nil, nil
	}
	row := first.rows[0]
	m.at, m.moved = first.position(row), true
	m.taken++
	first.rows = first.rows[1:]
	m.dropRepeated()
	return row, first, nil
}

// ask returns how many rows to request from a lane: its share at first, then twice as many with each read. It is at
// most what the page still has room for or, with filters, what the page is likely to need given how many rows have
// passed the filters so far.
func (m *merge[T]) ask(lane *reader[T]) int {
	if lane.in.Limit == nil {
		return lane.ask
	}
	missing, most := m.limit-m.found, maxLimit
	if !m.filtered {
		most = missing
	} else if m.found > 0 {
		most = likely(float64(missing) * float64(m.taken) / float64(m.found))
	}
	return min(2*lane.ask, most, maxLimit)
}

// before reports whether r's next row comes before the other's.
func (r *reader[T]) before(other *reader[T]) bool {
	own, others := r.rows[0].Text(r.names.Sort), other.rows[0].Text(other.names.Sort)
	if r.query.Descending {
		return own > others
	}
	return own < others
}

// dropRepeated drops rows of other lanes at the same position. They are the same item: an entity that moved from one shard
// to another between the reads, or one that is stored in several partitions on purpose.
func (m *merge[T]) dropRepeated() {
	for i := range m.lanes {
		lane := &m.lanes[i]
		if len(lane.rows) > 0 && lane.position(lane.rows[0]) == m.at {
			lane.rows = lane.rows[1:]
		}
	}
}

// empty returns the lanes that must be read before the next row is known.
func (m *merge[T]) empty() (empty []*reader[T]) {
	for i := range m.lanes {
		if lane := &m.lanes[i]; len(lane.rows) == 0 && !lane.last {
			empty = append(empty, lane)
		}
	}
	return empty
}

func (m *merge[T]) ended() bool {
	return !slices.ContainsFunc(m.lanes, func(r reader[T]) bool { return len(r.rows) > 0 || !r.last })
}
