package dynastay

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/shown"
)

// Query selects what a list reads: one partition of a table or of an index, in sort order.
type Query struct {
	// Name distinguishes the cursors of this query from those of others; give each query its own, such as
	// "bookings.ByUser". If an argument determines which items a list filters out, include the argument in the Name,
	// after a slash: an [Observer] is told of the part before it only.
	Name      string
	Index     string // "" reads the table itself
	Partition string
	// Shards are the other partitions over which the rows are spread, see key.Shards. All are read in parallel and
	// merged by their sort values. The sort values must be unique across the shards, so they should end in the entity's
	// id: of several rows at one position, only one is returned. A cursor stays valid when shards are added.
	Shards []string
	Range  Range
	// Moving says that the clock moves Range, as in a list of all stays from today on. A cursor then remains valid: it is
	// not tied to Range, and continues at the beginning of the present Range if its position is before that.
	Moving     bool
	Descending bool
	Consistent bool // only for the table itself; not supported on an index
}

// Range limits the sort values. The zero Range selects the whole partition.
type Range struct {
	// From and To are the first and the last sort value that are included; either may be empty. A bound may be
	// only the first part of a sort key, as 2025-01-18 is of 2025-01-18#bkg_1. No key equals such a bound, so the range
	// is then half-open: keys that begin with From are included, keys that begin with To are not.
	From, To string
	// Prefix selects the keys that begin with it; it cannot be combined with From or To.
	Prefix string
}

// has reports whether a sort value is within the range.
func (r Range) has(sort string) bool {
	return sort >= r.From && (r.To == "" || sort <= r.To) && strings.HasPrefix(sort, r.Prefix)
}

// identity is what a cursor is tied to.
func (q Query) identity(s *Schema) string {
	within := q.Range
	if q.Moving {
		within = Range{}
	}
	parts := []string{q.Name, s.Name, q.Index, q.Partition, within.From, within.To, within.Prefix, strconv.FormatBool(q.Descending)}
	for i, p := range parts {
		parts[i] = strconv.Quote(p)
	}
	return strings.Join(parts, ",")
}

// keyConditions are built once for each pair of key names and kind of range. Their number is limited in a process.
var keyConditions sync.Map

type keyConditionKind struct {
	names            KeyNames
	from, to, prefix bool
}

func keyCondition(names KeyNames, q Query) Expr {
	kind := keyConditionKind{names, q.Range.From != "", q.Range.To != "", q.Range.Prefix != ""}
	compiled, ok := keyConditions.Load(kind)
	if !ok {
		compiled, _ = keyConditions.LoadOrStore(kind, kind.compile())
	}
	return compiled.(*Compiled).With(Item{
		"pk": Text(q.Partition), "from": Text(q.Range.From), "to": Text(q.Range.To), "prefix": Text(q.Range.Prefix),
	})
}

func (k keyConditionKind) compile() *Compiled {
	condition := expression.KeyEqual(expression.Key(k.names.Partition), Param("pk"))
	sort := expression.Key(k.names.Sort)
	switch {
	case k.prefix:
		// The SDK's begins_with accepts only a string, so it gets the parameter's mark.
		condition = condition.And(expression.KeyBeginsWith(sort, paramMark+"prefix"))
	case k.from && k.to:
		condition = condition.And(expression.KeyBetween(sort, Param("from"), Param("to")))
	case k.from:
		condition = condition.And(expression.KeyGreaterThanEqual(sort, Param("from")))
	case k.to:
		condition = condition.And(expression.KeyLessThanEqual(sort, Param("to")))
	}
	return MustCompile(expression.NewBuilder().WithKeyCondition(condition))
}

// QueryAll reads all rows of a query's Partition, over as many pages as it takes. It is for partitions of limited size,
// such as the rooms of a property or the nights of a stay; for other partitions use [ListOf].
func QueryAll(ctx context.Context, db *DB, s *Schema, q Query) (_ []Row, err error) {
	in, _, err := db.queryInput(s, q)
	if err != nil {
		return nil, err
	}
	ctx, end := db.beginQuery(ctx, s, q)
	defer func() { end(err) }()
	var all []Row
	for {
		out, err := db.query(ctx, in)
		if err != nil {
			return nil, err
		}
		for _, item := range out.Items {
			all = append(all, RowOf(item))
		}
		if len(out.LastEvaluatedKey) == 0 {
			return all, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// beginQuery is Begin for a query. One without a name belongs to the operation that reads it.
func (db *DB) beginQuery(ctx context.Context, s *Schema, q Query) (context.Context, func(error)) {
	if q.Name == "" {
		return db.beginUnnamed(ctx, "Query", s)
	}
	operation, _, _ := strings.Cut(q.Name, "/")
	return db.Begin(ctx, operation)
}

// queryInput returns the request without its page, and the names of the key attributes that it queries.
func (db *DB) queryInput(s *Schema, q Query) (*dynamodb.QueryInput, KeyNames, error) {
	names := s.Key
	if q.Index != "" {
		index, ok := s.Index(q.Index)
		if !ok {
			return nil, names, Invalid("Index", "table %s has no index %s", s.Name, shown.Truncated(q.Index))
		}
		names = index.Key
	}
	switch r := q.Range; {
	case q.Partition == "":
		return nil, names, Invalid("Partition", "is required")
	case q.Index != "" && q.Consistent:
		return nil, names, Invalid("Consistent", "is not supported on an index")
	case r != (Range{}) && names.Sort == "":
		return nil, names, Invalid("Range", "is not supported: the table or index has no sort key")
	case r.Prefix != "" && r != (Range{Prefix: r.Prefix}):
		return nil, names, Invalid("Range", "Prefix cannot be combined with From or To")
	case r.To != "" && r.From > r.To:
		return nil, names, Invalid("Range", "From must not be after To")
	}
	expr := keyCondition(names, q)
	in := &dynamodb.QueryInput{
		TableName:                 ptr(db.TableName(s)),
		KeyConditionExpression:    expr.Key,
		ExpressionAttributeNames:  expr.Names,
		ExpressionAttributeValues: expr.Values,
		ReturnConsumedCapacity:    db.capacity(),
	}
	if q.Index != "" {
		in.IndexName = ptr(q.Index)
	}
	if q.Descending {
		in.ScanIndexForward = ptr(false)
	}
	if q.Consistent {
		in.ConsistentRead = ptr(true)
	}
	return in, names, nil
}

// capacity requests the units of tables and indexes only if there is an observer.
func (db *DB) capacity() types.ReturnConsumedCapacity {
	if db.opts.Observer == nil {
		return ""
	}
	return types.ReturnConsumedCapacityIndexes
}

func ptr[T any](v T) *T { return &v }
