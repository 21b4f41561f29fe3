package migrate

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
)

// ErrDryRun is why a write fails in a dry run. The error that a repository returns matches it.
var ErrDryRun = errors.New("nothing is written in a dry run")

// dryKey marks the context of a dry run.
type dryKey struct{}

func isDry(ctx context.Context) bool { return ctx.Value(dryKey{}) != nil }

// dryRun is an answer that DynamoDB could have given, so that nobody takes the write for one that may have happened, and
// repeats it.
type dryRun struct{ *smithy.GenericAPIError }

func (dryRun) Is(target error) bool { return target == ErrDryRun }

// dry is a client that refuses the writes of a dry run.
type dry struct{ Client }

func refused[I, O any](
	ctx context.Context, in *I, options []func(*dynamodb.Options),
	send func(context.Context, *I, ...func(*dynamodb.Options)) (*O, error),
) (*O, error) {
	if isDry(ctx) {
		return nil, dryRun{&smithy.GenericAPIError{Code: "DryRun", Message: ErrDryRun.Error()}}
	}
	return send(ctx, in, options...)
}

func (d dry) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return refused(ctx, in, o, d.Client.PutItem)
}

func (d dry) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return refused(ctx, in, o, d.Client.UpdateItem)
}

func (d dry) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return refused(ctx, in, o, d.Client.DeleteItem)
}

func (d dry) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	return refused(ctx, in, o, d.Client.BatchWriteItem)
}

func (d dry) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	return refused(ctx, in, o, d.Client.TransactWriteItems)
}
