package dynastay

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// Call describes one request to DynamoDB, as it is passed to [Options.Observer] after the request.
type Call struct {
	Operation string  // "Query", "TransactWriteItems"
	Usage     []Usage // one entry for each table and index that the request named or that consumed capacity
	Retries   int     // number of retries by the SDK; each retry by [DB.Write] is a separate Call
	Duration  time.Duration
	Err       error
}

// Usage is the capacity that a request consumed on one table, or on one index of it, in DynamoDB's units: a read unit
// is a consistent read of up to 4 KB, a write unit is a write of up to 1 KB. A failed request reports no units.
type Usage struct {
	Table      string // the full name, with prefix and suffix
	Index      string // "" for the table itself
	ReadUnits  float64
	WriteUnits float64
}

// Requests returns the number of times that the request was sent.
func (c Call) Requests() int { return 1 + c.Retries }

// ReadUnits returns the read units consumed on all tables and indexes.
func (c Call) ReadUnits() (sum float64) {
	for _, u := range c.Usage {
		sum += u.ReadUnits
	}
	return sum
}

// WriteUnits returns the write units consumed on all tables and indexes.
func (c Call) WriteUnits() (sum float64) {
	for _, u := range c.Usage {
		sum += u.WriteUnits
	}
	return sum
}

// target is a table or an index that a request names.
type target struct{ table, index string }

func (db *DB) observe(
	ctx context.Context, operation string, started time.Time, named []target,
	consumed []types.ConsumedCapacity, meta middleware.Metadata, err error,
) {
	if db.opts.Observer == nil {
		return
	}
	call := Call{Operation: operation, Duration: time.Since(started), Err: err}
	if attempts, ok := retry.GetAttemptResults(meta); ok {
		call.Retries = max(0, len(attempts.Results)-1)
	}
	var exhausted *retry.MaxAttemptsError
	if errors.As(err, &exhausted) {
		call.Retries = exhausted.Attempt - 1
	}
	for _, t := range named {
		call.Usage = append(call.Usage, Usage{Table: t.table, Index: t.index})
	}
	write := operation != "GetItem" && operation != "BatchGetItem" && operation != "Query" && operation != "TransactGetItems"
	for _, c := range consumed {
		call.charge(value(c.TableName), "", c.Table, write)
		for index, units := range c.GlobalSecondaryIndexes {
			call.charge(value(c.TableName), index, &units, write)
		}
	}
	db.opts.Observer(ctx, call)
}

func (c *Call) charge(table, index string, units *types.Capacity, write bool) {
	if units == nil {
		return
	}
	i := 0
	for i < len(c.Usage) && (c.Usage[i].Table != table || c.Usage[i].Index != index) {
		i++
	}
	if i == len(c.Usage) {
		c.Usage = append(c.Usage, Usage{Table: table, Index: index})
	}
	// Transactions report read and write units separately; the other operations report one total of their kind.
	switch {
	case units.ReadCapacityUnits != nil || units.WriteCapacityUnits != nil:
		c.Usage[i].ReadUnits += value(units.ReadCapacityUnits)
		c.Usage[i].WriteUnits += value(units.WriteCapacityUnits)
	case write:
		c.Usage[i].WriteUnits += value(units.CapacityUnits)
	default:
		c.Usage[i].ReadUnits += value(units.CapacityUnits)
	}
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
