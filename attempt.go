package dynastay

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// verdict is what one request came to.
type verdict int

const (
	done       verdict = iota
	refused            // conditions did not hold
	conflict           // another transaction holds an item; nothing was written
	throttled          // no capacity; nothing was written
	unsent             // the request did not reach DynamoDB
	rejected           // DynamoDB takes no such request: nothing was written, and sending it again is no use
	answerLost         // it may have been carried out, or is still at work
)

// kind is what the verdict means once the write gives up.
func (v verdict) kind() error {
	switch v {
	case conflict:
		return ErrContention
	case throttled:
		return ErrThrottled
	case unsent:
		return ErrUnavailable
	case rejected:
		return ErrRejected
	}
	return nil
}

// move is what a write does next.
type move int

const (
	finish move = iota // it was carried out
	judge              // say what the conditions mean that did not hold
	meet               // take turns with whoever holds the item, or else send the same again
	again              // send the same again
	look               // find out what became of the write
	giveUp             // nothing was written
)

// nextMove decides by the kind of the write, by whether the answer to an earlier request of the same preparation was lost,
// and by what the present one came to. A transaction is sent again under its token, and then carried out once; a plain
// request has none, so that its item is looked at first. What a later request came to says nothing of a lost one, unless
// it was under the same token.
func nextMove(plain, lost bool, v verdict) move {
	switch v {
	case done:
		return finish
	case refused:
		if plain && lost {
			return look // it may be refused by what its own first request left
		}
		return judge
	case conflict:
		if lost {
			return again // a new preparation may only follow once this one is known not to have been carried out
		}
		return meet
	case throttled, unsent:
		return again
	case rejected:
		if lost {
			return look
		}
		return giveUp
	}
	if plain {
		return look
	}
	return again
}

type outcome struct {
	verdict verdict
	failed  []failure
	refs    []Ref // of the actions that were refused or met another transaction
	err     error
}

func (db *DB) attempt(ctx context.Context, tx *Tx, token string) outcome {
	started := time.Now()
	var way passage
	if tx.plain() {
		a := tx.actions[0]
		operation, consumed, meta, err := db.plain(ctx, a, way.once)
		db.observe(ctx, operation, started, []target{{db.TableName(a.schema), ""}}, one(consumed), meta, err)
		return a.judge(err, &way)
	}
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: &token, ReturnConsumedCapacity: db.capacity()}
	var named []target
	for _, a := range tx.actions {
		in.TransactItems = append(in.TransactItems, a.transact(db))
		if t := (target{db.TableName(a.schema), ""}); !slices.Contains(named, t) {
			named = append(named, t)
		}
	}
	out, err := db.client.TransactWriteItems(ctx, in, way.once)
	if err != nil {
		db.observe(ctx, "TransactWriteItems", started, named, nil, middleware.Metadata{}, err)
		return tx.judge(err, &way)
	}
	db.observe(ctx, "TransactWriteItems", started, named, out.ConsumedCapacity, out.ResultMetadata, nil)
	return outcome{verdict: done}
}

// plain sends one action as a request of its own, at half the units of a transaction.
func (db *DB) plain(ctx context.Context, a *Action, once func(*dynamodb.Options)) (
	operation string, consumed *types.ConsumedCapacity, meta middleware.Metadata, err error,
) {
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
			ReturnValuesOnConditionCheckFailure: old, ReturnConsumedCapacity: db.capacity(),
		}, once)
		if err != nil {
			return "UpdateItem", nil, meta, err
		}
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

// judge reads a plain request's end.
func (a *Action) judge(err error, way *passage) outcome {
	var condition *types.ConditionalCheckFailedException
	var conflicting *types.TransactionConflictException
	refs := []Ref{a.ref()}
	switch {
	case err == nil:
		return outcome{verdict: done}
	case errors.As(err, &condition):
		return outcome{verdict: refused, failed: []failure{a.failure(condition.Item)}, refs: refs, err: err}
	case errors.As(err, &conflicting):
		return outcome{verdict: conflict, refs: refs, err: err}
	}
	return way.judge(err)
}

// judge reads a transaction's end: the cancellation reasons stand in the order of the actions. A condition that does not
// hold outweighs all else: it is the reason that a caller can act on, and may be that of an earlier call under the key. Then
// comes what sending again does not help, then a conflict, then throttling.
func (tx *Tx) judge(err error, way *passage) outcome {
	var cancelled *types.TransactionCanceledException
	var running *types.TransactionInProgressException
	switch {
	case errors.As(err, &running):
		return outcome{verdict: answerLost, err: err}
	case !errors.As(err, &cancelled):
		return way.judge(err)
	}
	byVerdict := map[verdict][]int{}
	for i, reason := range cancelled.CancellationReasons {
		if code := value(reason.Code); code != "None" && code != "" && i < len(tx.actions) {
			v := verdictOf(code)
			byVerdict[v] = append(byVerdict[v], i)
		}
	}
	for _, v := range []verdict{refused, rejected, conflict, throttled} {
		if len(byVerdict[v]) == 0 {
			continue
		}
		got := outcome{verdict: v, err: err}
		for _, i := range byVerdict[v] {
			got.refs = append(got.refs, tx.actions[i].ref())
			if v == refused {
				got.failed = append(got.failed, tx.actions[i].failure(cancelled.CancellationReasons[i].Item))
			}
		}
		return got
	}
	return outcome{verdict: rejected, err: err} // without a reason
}

// verdictOf reads the code of a cancellation reason.
func verdictOf(code string) verdict {
	switch code {
	case "ConditionalCheckFailed":
		return refused
	case "TransactionConflict":
		return conflict
	case "ThrottlingError", "ProvisionedThroughputExceeded":
		return throttled
	}
	return rejected
}
