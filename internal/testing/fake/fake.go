// Package fake is a DynamoDB client of which a test answers the requests.
package fake

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Client is a client whose requests go to Do. It does not import the library, so that the library's own tests can use it.
type Client struct {
	Next *dynamodb.Client // where Send carries requests out; nil if Do sends none
	Do   func(*Request) (answer any, err error)
}

// Request is a request to DynamoDB. Do returns its answer, such as *dynamodb.GetItemOutput; nil without an error is an
// empty one.
type Request struct {
	Context context.Context
	Options []func(*dynamodb.Options)
	In      any // such as *dynamodb.GetItemInput
	through func(context.Context, ...func(*dynamodb.Options)) (any, error)
}

// Send carries the request out as it is.
func (r *Request) Send() (any, error) { return r.through(r.Context, r.Options...) }

// SendAs carries the request out with another context and other options, perhaps after Do has returned.
func (r *Request) SendAs(ctx context.Context, options ...func(*dynamodb.Options)) (any, error) {
	return r.through(ctx, options...)
}

type method[I, O any] func(*dynamodb.Client, context.Context, *I, ...func(*dynamodb.Options)) (*O, error)

func do[I, O any](ctx context.Context, c Client, m method[I, O], in *I, options []func(*dynamodb.Options)) (*O, error) {
	answer, err := c.Do(&Request{ctx, options, in, func(ctx context.Context, options ...func(*dynamodb.Options)) (any, error) {
		return m(c.Next, ctx, in, options...)
	}})
	out, _ := answer.(*O)
	if out == nil && err == nil {
		out = new(O)
	}
	return out, err
}

func (c Client) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return do(ctx, c, (*dynamodb.Client).GetItem, in, o)
}

func (c Client) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return do(ctx, c, (*dynamodb.Client).BatchGetItem, in, o)
}

func (c Client) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return do(ctx, c, (*dynamodb.Client).Query, in, o)
}

func (c Client) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return do(ctx, c, (*dynamodb.Client).PutItem, in, o)
}

func (c Client) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return do(ctx, c, (*dynamodb.Client).UpdateItem, in, o)
}

func (c Client) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return do(ctx, c, (*dynamodb.Client).DeleteItem, in, o)
}

func (c Client) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	return do(ctx, c, (*dynamodb.Client).BatchWriteItem, in, o)
}

func (c Client) TransactGetItems(ctx context.Context, in *dynamodb.TransactGetItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	return do(ctx, c, (*dynamodb.Client).TransactGetItems, in, o)
}

func (c Client) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	return do(ctx, c, (*dynamodb.Client).TransactWriteItems, in, o)
}
