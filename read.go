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

// readError sets the kind of a failed read, nil if the response was lost. The SDK has already retried at this point,
// and a read can safely be repeated.
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
