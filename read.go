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
func (db *DB) Get(ctx context.Context, s *Schema, key Key, opts ...ReadOption) (Row, error) {
	if err := s.Key.Check(key); err != nil {
		return Row{}, err
	}
	in := &dynamodb.GetItemInput{
		TableName: ptr(db.TableName(s)), Key: s.Key.Of(key), ReturnConsumedCapacity: db.capacity(),
	}
	if slices.Contains(opts, Consistent) {
		in.ConsistentRead = ptr(true)
	}
	started := time.Now()
	out, err := db.client.GetItem(ctx, in)
	if err != nil {
		db.observe(ctx, "GetItem", started, []target{{*in.TableName, ""}}, nil, middleware.Metadata{}, err)
		return Row{}, readError(ctx, err)
	}
	db.observe(ctx, "GetItem", started, []target{{*in.TableName, ""}}, one(out.ConsumedCapacity), out.ResultMetadata, nil)
	return RowOf(out.Item), nil
}

func (db *DB) query(ctx context.Context, in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	named := []target{{*in.TableName, value(in.IndexName)}}
	started := time.Now()
	out, err := db.client.Query(ctx, in)
	if err != nil {
		db.observe(ctx, "Query", started, named, nil, middleware.Metadata{}, err)
		return nil, readError(ctx, err)
	}
	db.observe(ctx, "Query", started, named, one(out.ConsumedCapacity), out.ResultMetadata, nil)
	return out, nil
}

func one(c *types.ConsumedCapacity) []types.ConsumedCapacity {
	if c == nil {
		return nil
	}
	return []types.ConsumedCapacity{*c}
}

// readError sets the kind of a failed read, nil if the context has ended. The SDK has already retried at this point.
func readError(ctx context.Context, err error) error {
	failed := &Error{Entity: "read", Err: err}
	if ctx.Err() == nil {
		failed.Kind = readKind(new(passage).judge(err).verdict)
	}
	return failed
}

// readKind is [verdict.kind] of a read. A read can be repeated, so it does not matter whether it was carried out.
func readKind(v verdict) error {
	if v == answerLost {
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
