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

// Query says what a list is read from: one partition of a table or of an index, in sort order.
type Query struct {
	// Name tells this query from others in its cursors; give each of your queries its own, such as "bookings.ByUser".
	// Where a list leaves items out by an argument, the argument belongs to its Name.
	Name      string
	Index     string // "" reads the table itself
	Partition string
	// Shards are the further partitions over which the rows of Partition are spread, see key.Shards: they are read in
	// parallel and merged by their sort values, which must differ from each other: let them end in the entity's id.
	// A cursor stays valid when shards are added.
	Shards     []string
	Range      Range
	Descending bool
	Consistent bool // only for the table itself: an index never is, and is refused
}

// Range bounds the sort value. The zero Range takes the whole partition.
type Range struct {
	// From and To are the first and the last text that is taken; either may be empty. Where sort keys go on behind the
	// bounded value, a bound that ends before the rest of the key makes the range half-open: no key equals it.
	From, To string
	// Prefix takes the keys that begin with it; it does not go together with From and To.
	Prefix string
}

// identity is what a cursor is tied to.
func (q Query) identity(s *Schema) string {
	parts := []string{q.Name, s.Name, q.Index, q.Partition, q.Range.From, q.Range.To, q.Range.Prefix, strconv.FormatBool(q.Descending)}
	for i, p := range parts {
		parts[i] = strconv.Quote(p)
	}
	return strings.Join(parts, ",")
}

// keyConditions are built once for each pair of key names and kind of range; there are only so many in a process.
var keyConditions sync.Map

type keyConditionKind struct {
	names            KeyNames
	from, to, prefix bool
}

func keyCondition(names KeyNames, q Query) Expr {
	kind := keyConditionKind{names, q.Range.From != "", q.Range.To != "", q.Range.Prefix != ""}
	prepared, ok := keyConditions.Load(kind)
	if !ok {
		prepared, _ = keyConditions.LoadOrStore(kind, kind.prepare())
	}
	return prepared.(*Prepared).With(Item{
		"pk": Text(q.Partition), "from": Text(q.Range.From), "to": Text(q.Range.To), "prefix": Text(q.Range.Prefix),
	})
}

func (k keyConditionKind) prepare() *Prepared {
	condition := expression.KeyEqual(expression.Key(k.names.Partition), Param("pk"))
	sort := expression.Key(k.names.Sort)
	switch {
	case k.prefix:
		// The SDK's begins_with takes a string only, so the parameter's mark goes in as one.
		condition = condition.And(expression.KeyBeginsWith(sort, paramMark+"prefix"))
	case k.from && k.to:
		condition = condition.And(expression.KeyBetween(sort, Param("from"), Param("to")))
	case k.from:
		condition = condition.And(expression.KeyGreaterThanEqual(sort, Param("from")))
	case k.to:
		condition = condition.And(expression.KeyLessThanEqual(sort, Param("to")))
	}
	return Prepare(expression.NewBuilder().WithKeyCondition(condition))
}

// QueryAll reads every row of a query's Partition, over as many pages as it takes. It is for partitions with a known
// bound, such as the rooms of a property or the nights of a stay; [List] is for the others.
func QueryAll(ctx context.Context, db *DB, s *Schema, q Query) ([]Row, error) {
	in, _, err := db.queryInput(s, q)
	if err != nil {
		return nil, err
	}
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

// queryInput is the request without its page, and the names of the key that it asks for.
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
		return nil, names, Invalid("Range", "requires a sort key")
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

// capacity asks for the units of tables and indexes only where somebody listens.
func (db *DB) capacity() types.ReturnConsumedCapacity {
	if db.opts.Observer == nil {
		return ""
	}
	return types.ReturnConsumedCapacityIndexes
}

func ptr[T any](v T) *T { return &v }
