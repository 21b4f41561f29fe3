package dynastay

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
)

// Get reads one item. It returns the zero Row if the item does not exist. opts may contain [Consistent].
func (db *DB) Get(ctx context.Context, s *Schema, key Key, opts ...ReadOption) (_ Row, err error) {
	if err := s.Key.Check(key); err != nil {
		return Row{}, err
	}
	in := &dynamodb.GetItemInput{
		TableName: ptr(db.TableName(s)), Key: s.Key.Of(key), ReturnConsumedCapacity: db.capacity(),
	}
	if slices.Contains(opts, Consistent) {
		in.ConsistentRead = ptr(true)
	}
	ctx, end := db.beginUnnamed(ctx, "Get", s)
	defer func() { end(err) }()
	r := reading{observed: db.opts.Observer != nil}
	began, named := time.Now(), []target{{*in.TableName, ""}}
	out, err := db.client.GetItem(ctx, in, r.listen)
	if err != nil {
		db.observe(ctx, began, r.call("GetItem", err), named, nil)
		return Row{}, r.failed(ctx, err)
	}
	db.observe(ctx, began, r.call("GetItem", nil), named, one(out.ConsumedCapacity))
	return RowOf(out.Item), nil
}

func (db *DB) query(ctx context.Context, in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	named := []target{{*in.TableName, value(in.IndexName)}}
	r := reading{observed: db.opts.Observer != nil}
	began := time.Now()
	out, err := db.client.Query(ctx, in, r.listen)
	if err != nil {
		db.observe(ctx, began, r.call("Query", err), named, nil)
		return nil, r.failed(ctx, err)
	}
	db.observe(ctx, began, r.call("Query", nil), named, one(out.ConsumedCapacity))
	return out, nil
}

// Read sends a read that no other method of the DB sends, such as the Scan of package migrate. It tells the observer, and sets the
// kind of an error, as [DB.Get] does. send must pass the option to the SDK, ask for the consumed capacity of all indexes, and
// return it.
func (db *DB) Read(
	ctx context.Context, operation string, s *Schema, index string,
	send func(context.Context, func(*dynamodb.Options)) (*types.ConsumedCapacity, error),
) (err error) {
	ctx, end := db.beginUnnamed(ctx, operation, s)
	defer func() { end(err) }()
	r := reading{observed: db.opts.Observer != nil}
	began, named := time.Now(), []target{{db.TableName(s), index}}
	consumed, err := send(ctx, r.listen)
	db.observe(ctx, began, r.call(operation, err), named, one(consumed))
	if err != nil {
		return r.failed(ctx, err)
	}
	return nil
}

func one(c *types.ConsumedCapacity) []types.ConsumedCapacity {
	if c == nil {
		return nil
	}
	return []types.ConsumedCapacity{*c}
}

// reading is one read, for which the SDK sends as many requests as its retries allow.
type reading struct {
	passage
	observed  bool  // somebody wants to know how far it got
	heard     error // the last response that was an error
	attempts  int
	throttles []Throttle
}

// listen records the attempts of a read, and their errors. If the context ends while the SDK waits before a retry, the SDK's
// error no longer says what it was waiting for.
func (r *reading) listen(o *dynamodb.Options) {
	hear := middleware.DeserializeMiddlewareFunc("dynastay.hear", func(
		ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
	) (middleware.DeserializeOutput, middleware.Metadata, error) {
		r.attempts++
		out, metadata, err := next.HandleDeserialize(ctx, in)
		if err != nil && !isEnd(ctx, err) {
			r.heard, r.throttles = err, append(r.throttles, throttlesOf(err)...)
		}
		return out, metadata, err
	})
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Deserialize.Add(hear, middleware.Before)
	})
	if r.observed {
		o.APIOptions = append(o.APIOptions, r.watch)
	}
}

// call describes the read for the observer.
func (r *reading) call(operation string, err error) Call {
	call := r.passage.call(operation, 1, err)
	call.Throttles, call.Retries = r.throttles, max(0, r.attempts-1)
	return call
}

// failed sets the kind of a failed read. The SDK has already retried at this point. If the context has ended, the
// error matches that too, and the kind is that of the last response; without one, there is no kind.
func (r *reading) failed(ctx context.Context, err error) error {
	switch {
	case isEnd(ctx, err) && r.heard == nil:
		return &Error{Entity: "read", Err: err}
	case isEnd(ctx, err):
		err = errors.Join(r.heard, err)
	case ctx.Err() != nil:
		err = errors.Join(err, ctx.Err())
	}
	return &Error{Entity: "read", Kind: readKind(new(passage).outcomeOf(err).verdict), Err: err}
}

// readKind is [Verdict.kind] of a read. A read can be repeated, so it does not matter whether it was carried out.
func readKind(v Verdict) error {
	if v == Lost {
		return ErrUnavailable
	}
	return v.kind()
}

func isThrottle(err error) bool {
	var response *awshttp.ResponseError
	if errors.As(err, &response) && response.HTTPStatusCode() == http.StatusTooManyRequests {
		return true
	}
	var api smithy.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode() {
	case "ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException", "ThrottlingError":
		return true
	}
	return false
}
