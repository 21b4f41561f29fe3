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

// Get reads one item; the zero Row means that there is none. [Consistent] may be asked for.
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
		return Row{}, readError(err)
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
		return nil, readError(err)
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

// readError gives a read's failure its kind, nil where the answer was lost. The SDK has retried by then, and a read can be
// repeated at will.
func readError(err error) error {
	return &Error{Entity: "read", Kind: new(passage).judge(err).verdict.kind(), Err: err}
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
