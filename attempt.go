package dynastay

import (
	"context"
	"errors"
	"net"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
)

// verdict is what one request came to.
type verdict int

const (
	done       verdict = iota
	refused            // conditions did not hold
	conflict           // another transaction holds an item; nothing was written
	throttled          // no capacity; nothing was written
	inProgress         // the same token is still at work
	unsent             // the request did not reach DynamoDB
	answerLost         // it may have been carried out
	failed             // DynamoDB refuses the request as such
)

// kind is what the verdict means once the retry budget is spent.
func (v verdict) kind() error {
	switch v {
	case conflict:
		return ErrContention
	case throttled:
		return ErrThrottled
	}
	return nil
}

type outcome struct {
	verdict verdict
	failed  []Failure
	err     error
}

// once switches the SDK's retries off for a request: they know neither conflicts nor when to prepare again.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

func (db *DB) attempt(ctx context.Context, tx *Tx, token string) outcome {
	started := time.Now()
	if tx.plain() {
		a := tx.actions[0]
		operation, consumed, meta, err := db.plain(ctx, a)
		db.observe(ctx, operation, started, []target{{db.TableName(a.schema), ""}}, one(consumed), meta, err)
		return a.judge(err)
	}
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: &token, ReturnConsumedCapacity: db.capacity()}
	var named []target
	for _, a := range tx.actions {
		in.TransactItems = append(in.TransactItems, a.transact(db))
		if t := (target{db.TableName(a.schema), ""}); !slices.Contains(named, t) {
			named = append(named, t)
		}
	}
	out, err := db.client.TransactWriteItems(ctx, in, once)
	if err != nil {
		db.observe(ctx, "TransactWriteItems", started, named, nil, middleware.Metadata{}, err)
		return tx.judge(err)
	}
	db.observe(ctx, "TransactWriteItems", started, named, out.ConsumedCapacity, out.ResultMetadata, nil)
	return outcome{verdict: done}
}

// plain sends one action as a request of its own, at half the units of a transaction.
func (db *DB) plain(ctx context.Context, a Action) (operation string, consumed *types.ConsumedCapacity, meta middleware.Metadata, err error) {
	table, key, old := ptr(db.TableName(a.schema)), a.schema.Key.Of(a.key), types.ReturnValuesOnConditionCheckFailureAllOld
	switch a.kind {
	case putAction:
		out, err := db.client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: table, Item: a.item, ConditionExpression: a.expr.Condition,
			ExpressionAttributeNames: a.expr.Names, ExpressionAttributeValues: a.expr.Values,
			ReturnValuesOnConditionCheckFailure: old, ReturnConsumedCapacity: db.capacity(),
		}, once)
		if err != nil {
			return "PutItem", nil, meta, err
		}
		return "PutItem", out.ConsumedCapacity, out.ResultMetadata, nil
	case updateAction:
		out, err := db.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: table, Key: key, ConditionExpression: a.expr.Condition, UpdateExpression: a.expr.Update,
			ExpressionAttributeNames: a.expr.Names, ExpressionAttributeValues: a.expr.Values,
			ReturnValuesOnConditionCheckFailure: old, ReturnConsumedCapacity: db.capacity(), ReturnValues: a.returnValues(),
		}, once)
		if err != nil {
			return "UpdateItem", nil, meta, err
		}
		a.tell(out.Attributes)
		return "UpdateItem", out.ConsumedCapacity, out.ResultMetadata, nil
	}
	out, err := db.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: table, Key: key, ConditionExpression: a.expr.Condition,
		ExpressionAttributeNames: a.expr.Names, ExpressionAttributeValues: a.expr.Values,
		ReturnValuesOnConditionCheckFailure: old, ReturnConsumedCapacity: db.capacity(),
	}, once)
	if err != nil {
		return "DeleteItem", nil, meta, err
	}
	return "DeleteItem", out.ConsumedCapacity, out.ResultMetadata, nil
}

func (a Action) returnValues() types.ReturnValue {
	if a.returned == nil {
		return ""
	}
	return types.ReturnValueAllNew
}

// judge reads a plain request's end.
func (a Action) judge(err error) outcome {
	var condition *types.ConditionalCheckFailedException
	var conflicting *types.TransactionConflictException
	switch {
	case err == nil:
		return outcome{verdict: done}
	case errors.As(err, &condition):
		return outcome{verdict: refused, failed: []Failure{a.failure(condition.Item)}, err: err}
	case errors.As(err, &conflicting):
		return outcome{verdict: conflict, err: err}
	}
	return judgeTransport(err)
}

// judge reads a transaction's end: the cancellation reasons stand in the order of the actions. A failed condition
// outweighs a conflict, for it holds whether or not the other transaction commits.
func (tx *Tx) judge(err error) outcome {
	var cancelled *types.TransactionCanceledException
	var running *types.TransactionInProgressException
	switch {
	case errors.As(err, &running):
		return outcome{verdict: inProgress, err: err}
	case !errors.As(err, &cancelled):
		return judgeTransport(err)
	}
	got := outcome{verdict: failed, err: err}
	for i, reason := range cancelled.CancellationReasons {
		switch code := value(reason.Code); {
		case code == "ConditionalCheckFailed" && i < len(tx.actions):
			got.verdict = refused
			got.failed = append(got.failed, tx.actions[i].failure(reason.Item))
		case code == "TransactionConflict" && got.verdict != refused:
			got.verdict = conflict
		case (code == "ThrottlingError" || code == "ProvisionedThroughputExceeded") && got.verdict == failed:
			got.verdict = throttled
		}
	}
	return got
}

// judgeTransport tells what is known to have failed from what may have happened.
func judgeTransport(err error) outcome {
	got := outcome{verdict: answerLost, err: err}
	var response *awshttp.ResponseError
	var internal *types.InternalServerError
	var replicated *types.ReplicatedWriteConflictException
	var api smithy.APIError
	var dial *net.OpError
	switch {
	case isThrottle(err):
		got.verdict = throttled
	case errors.As(err, &replicated):
		got.verdict = conflict
	case errors.As(err, &internal), errors.As(err, &response) && response.HTTPStatusCode() >= 500:
		// An internal error does not say whether the write was done.
	case errors.As(err, &api):
		got.verdict = failed
	case errors.As(err, &dial) && dial.Op == "dial":
		got.verdict = unsent
	case isBuildError(err):
		got.verdict = failed
	}
	return got
}

// isBuildError tells an error of the SDK before it sent anything, such as a missing parameter.
func isBuildError(err error) bool {
	var invalid smithy.InvalidParamsError
	var serialize *smithy.SerializationError
	return errors.As(err, &invalid) || errors.As(err, &serialize)
}
