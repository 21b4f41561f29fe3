package dynastay

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// lane reads one partition of a list. It has no type parameter, so that it is compiled once and not for every list.
// See docs/decisions/0009-lists.md for how little is read from each.
type lane struct {
	db     *DB
	schema *Schema
	query  Query // of one partition
	shard  bool  // one of Query.Shards
	decode any   // the func(context.Context, Row) (T, error) of its List[T]
}

func lanesOf(db *DB, s *Schema, q Query, decode any) []lane {
	shards := q.Shards
	q.Shards = nil
	all := []lane{{db, s, q, false, decode}}
	for _, partition := range shards {
		q.Partition = partition
		all = append(all, lane{db, s, q, true, decode})
	}
	return all
}

// runsWith reports whether the rows of both lanes can be merged.
func (l lane) runsWith(other lane) bool {
	return l.db == other.db && l.schema == other.schema && l.query.Index == other.query.Index &&
		l.query.Range == other.query.Range && // the cursor of one must be a position in all
		l.query.Descending == other.query.Descending
}

// reader is a lane while it is being read.
type reader struct {
	lane
	in    *dynamodb.QueryInput
	names KeyNames // of the table or index that is queried
	ask   int      // number of rows that the previous read requested, or that the first one will
	rows  []Row    // read but not taken yet
	last  bool     // no more rows follow
	until position // of the last row to read; the zero position for none
}

// open prepares the request for the rows after a position.
func (l lane) open(at position, limit, lanes int) (reader, error) {
	in, names, err := l.db.queryInput(l.schema, l.query)
	switch {
	case err != nil:
		return reader{}, err
	case lanes > 1 && names.Sort == "":
		return reader{}, Invalid("Shards", "cannot be merged: the table or index has no sort key")
	}
	if l.passed(at) {
		at = position{}
	}
	if at != (position{}) {
		if !l.query.Range.has(l.sortOf(at)) { // DynamoDB would refuse it, and blame the request
			return reader{}, outsideRange()
		}
		if l.query.Index == "" {
			at.PK = l.query.Partition
		}
		in.ExclusiveStartKey = l.schema.Key.Of(Key{at.PK, at.SK})
		if l.query.Index != "" {
			for name, v := range names.Of(Key{l.query.Partition, at.Sort}) {
				in.ExclusiveStartKey[name] = v
			}
		}
	}
	return reader{lane: l, in: in, names: names, ask: share(limit, lanes)}, nil
}

// passed reports whether the range has moved past a position, so that all of its rows come after it.
func (l lane) passed(at position) bool {
	r, sort := l.query.Range, l.sortOf(at)
	if l.query.Descending {
		return l.query.Moving && r.To != "" && sort > r.To
	}
	return l.query.Moving && sort < r.From
}

func outsideRange() error {
	return &InvalidError{Field: "Paging.After", Reason: "is outside the range of the list", Err: ErrCursor}
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
func (r *reader) read(ctx context.Context, ask int) error {
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
	if r.until != (position{}) {
		r.end()
	}
	return nil
}

// end drops the rows after the last one to read. The sort value alone does not show where that is, because the rows of
// one partition may have equal ones. If the last row itself has been deleted, all rows with its sort value are read.
func (r *reader) end() {
	isLast := func(row Row) bool { return r.position(row) == r.until }
	isBeyond := func(row Row) bool { return r.beyond(row.Text(r.names.Sort), r.until) }
	if i := slices.IndexFunc(r.rows, isLast); i >= 0 {
		r.rows, r.last = r.rows[:i+1], true
	} else if i := slices.IndexFunc(r.rows, isBeyond); i >= 0 {
		r.rows, r.last = r.rows[:i], true
	}
	if next := RowOf(r.in.ExclusiveStartKey); next.Exists() && (isLast(next) || isBeyond(next)) {
		r.last = true // even if the row there has been deleted
	}
}

func (r *reader) position(row Row) position {
	key := r.schema.Key.From(row)
	at := position{SK: key.SK}
	if r.query.Index != "" {
		at.PK, at.Sort = key.PK, row.Text(r.names.Sort)
	}
	return at
}

// beyond reports whether a sort value comes after that of a position.
func (l lane) beyond(sort string, at position) bool {
	if l.query.Descending {
		return sort < l.sortOf(at)
	}
	return sort > l.sortOf(at)
}

// sortOf returns the sort value of a position.
func (l lane) sortOf(at position) string {
	if l.query.Index == "" {
		return at.SK
	}
	return at.Sort
}

// upTo returns the range of the lane's query up to a position, so that nothing beyond it is read and paid for. The last
// value with a prefix is unknown, so a prefix that is read backwards remains as it is.
func (l lane) upTo(at position) Range {
	r, last := l.query.Range, l.sortOf(at)
	switch {
	case last == "" || r.Prefix != "" && l.query.Descending:
		return r
	case l.passed(at): // no row is left
		return Range{From: cmp.Or(r.From, r.To), To: cmp.Or(r.From, r.To)}
	case l.query.Descending:
		return Range{From: last, To: r.To}
	case r.Prefix != "":
		return Range{From: r.Prefix, To: last}
	}
	return Range{From: r.From, To: last}
}

// head returns the sort value of the next row.
func (r *reader) head() string { return r.rows[0].Text(r.names.Sort) }

// before reports whether r's next row comes before the other's.
func (r *reader) before(other *reader) bool {
	if r.query.Descending {
		return r.head() > other.head()
	}
	return r.head() < other.head()
}

// openAll prepares the requests of several lanes that are read together.
func openAll(lanes []lane, at, until position, limit int) ([]reader, error) {
	readers := make([]reader, len(lanes))
	for i, lane := range lanes {
		var err error
		lane.query.Range = lane.upTo(until)
		if readers[i], err = lane.open(at, limit, len(lanes)); err != nil {
			return nil, err
		}
		readers[i].until = until
	}
	return readers, nil
}

// firstOf returns the reader whose next row comes first, or nil if there are no more rows.
func firstOf(readers []reader) (first *reader) {
	for i := range readers {
		if r := &readers[i]; len(r.rows) > 0 && (first == nil || r.before(first)) {
			first = r
		}
	}
	return first
}

// emptyOf returns the readers that must be read before the next row is known.
func emptyOf(readers []reader) (empty []*reader) {
	for i := range readers {
		if r := &readers[i]; len(r.rows) == 0 && !r.last {
			empty = append(empty, r)
		}
	}
	return empty
}

func endOf(readers []reader) bool {
	return !slices.ContainsFunc(readers, func(r reader) bool { return len(r.rows) > 0 || !r.last })
}
