package dynastay

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// kind is the error kind of the verdict once the write gives up.
func (v Verdict) kind() error {
	switch v {
	case Conflict:
		return ErrContention
	case Throttled:
		return ErrThrottled
	case Unsent:
		return ErrUnavailable
	case Rejected:
		return ErrRejected
	}
	return nil
}

// move is what a write does next.
type move int

const (
	finish  move = iota // it was carried out
	explain             // determine the error for the conditions that did not hold
	meet                // queue for the item if possible, otherwise send the same request again
	again               // send the same request again
	look                // find out whether the write was carried out
	giveUp              // nothing was written
)

// nextMove decides by the kind of the write, by whether the response to an earlier request of the same preparation was
// lost, and by the verdict on the current request. A transaction is sent again with its token, and is then carried out
// only once. A plain request has no token, so its item is read first. The result of a later request says nothing about
// a lost one, unless both have the same token.
// The table is explained in docs/decisions/0003-lost-answers.md.
func nextMove(plain, lost bool, v Verdict) move {
	switch v {
	case Done:
		return finish
	case Refused:
		if plain && lost {
			return look // its own first request may be the reason for the refusal
		}
		return explain
	case Conflict:
		if lost {
			return again // do not prepare again until it is known that this preparation was not carried out
		}
		return meet
	case Throttled, Unsent:
		return again
	case Rejected:
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
	verdict Verdict
	failed  []failure
	refs    []Ref // of the actions that were refused or conflicted
	err     error
}

// attempt sends the write; number is that of the request within the whole write, from 1.
func (db *DB) attempt(ctx context.Context, tx *Tx, token string, number int) outcome {
	began := time.Now()
	var way passage
	if tx.plain() {
		a := tx.actions[0]
		operation, consumed, err := db.plain(ctx, a, way.once)
		got := a.outcomeOf(err, &way)
		db.observe(ctx, began, got.call(operation, tx, number), []target{{db.TableName(a.schema), ""}}, one(consumed))
		return got
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
		got := tx.outcomeOf(err, &way)
		db.observe(ctx, began, got.call("TransactWriteItems", tx, number), named, nil)
		return got
	}
	got := outcome{verdict: Done}
	db.observe(ctx, began, got.call("TransactWriteItems", tx, number), named, out.ConsumedCapacity)
	return got
}

// call describes the request for the observer.
func (got outcome) call(operation string, tx *Tx, number int) Call {
	call := Call{Operation: operation, Verdict: got.verdict, Attempt: number, Throttles: throttlesOf(got.err), Err: got.err}
	if tx.write.db.opts.Observer == nil {
		return call
	}
	if slices.ContainsFunc(tx.actions, func(a *Action) bool { return a.stamp == tx.stamp }) {
		call.Write = tx.stamp.text()
	}
	if got.verdict != Throttled || call.Throttles != nil {
		return call
	}
	for _, ref := range got.refs { // the actions of a transaction that were throttled
		call.Throttles = append(call.Throttles, Throttle{Table: tx.write.db.TableName(&Schema{Name: ref.Table})})
	}
	return call
}

// plain sends one action as a single request, at half the units of a transaction.
func (db *DB) plain(ctx context.Context, a *Action, once func(*dynamodb.Options)) (
	operation string, consumed *types.ConsumedCapacity, err error,
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
			return "PutItem", nil, err
		}
		return "PutItem", out.ConsumedCapacity, nil
	case updateAction:
		out, err := db.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: table, Key: key, ConditionExpression: a.expr.Condition, UpdateExpression: a.expr.Update,
			ExpressionAttributeNames: a.expr.Names, ExpressionAttributeValues: a.expr.Values,
			ReturnValuesOnConditionCheckFailure: old, ReturnConsumedCapacity: db.capacity(),
		}, once)
		if err != nil {
			return "UpdateItem", nil, err
		}
		return "UpdateItem", out.ConsumedCapacity, nil
	}
	out, err := db.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: table, Key: key, ConditionExpression: a.expr.Condition,
		ExpressionAttributeNames: a.expr.Names, ExpressionAttributeValues: a.expr.Values,
		ReturnValuesOnConditionCheckFailure: old, ReturnConsumedCapacity: db.capacity(),
	}, once)
	if err != nil {
		return "DeleteItem", nil, err
	}
	return "DeleteItem", out.ConsumedCapacity, nil
}

// outcomeOf determines the outcome of a plain request.
func (a *Action) outcomeOf(err error, way *passage) outcome {
	var condition *types.ConditionalCheckFailedException
	var conflicting *types.TransactionConflictException
	refs := []Ref{a.ref()}
	switch {
	case err == nil:
		return outcome{verdict: Done}
	case errors.As(err, &condition):
		return outcome{verdict: Refused, failed: []failure{a.failure(condition.Item)}, refs: refs, err: err}
	case errors.As(err, &conflicting):
		return outcome{verdict: Conflict, refs: refs, err: err}
	}
	return way.outcomeOf(err)
}

// outcomeOf determines the outcome of a transaction. The cancellation reasons are in the order of the actions. A failed
// condition takes precedence: it is the reason that a caller can act on, and it may be the idempotency record of an
// earlier call. Next comes what a retry cannot help, then a conflict, then throttling.
func (tx *Tx) outcomeOf(err error, way *passage) outcome {
	var cancelled *types.TransactionCanceledException
	var running *types.TransactionInProgressException
	switch {
	case errors.As(err, &running):
		return outcome{verdict: Lost, err: err}
	case !errors.As(err, &cancelled):
		return way.outcomeOf(err)
	}
	byVerdict := map[Verdict][]int{}
	for i, reason := range cancelled.CancellationReasons {
		if code := value(reason.Code); code != "None" && code != "" && i < len(tx.actions) {
			v := verdictOf(code)
			byVerdict[v] = append(byVerdict[v], i)
		}
	}
	for _, v := range []Verdict{Refused, Rejected, Conflict, Throttled} {
		if len(byVerdict[v]) == 0 {
			continue
		}
		got := outcome{verdict: v, err: err}
		for _, i := range byVerdict[v] {
			got.refs = append(got.refs, tx.actions[i].ref())
			if v == Refused {
				got.failed = append(got.failed, tx.actions[i].failure(cancelled.CancellationReasons[i].Item))
			}
		}
		return got
	}
	return outcome{verdict: Rejected, err: err} // no reason given
}

// verdictOf maps the code of a cancellation reason.
func verdictOf(code string) Verdict {
	switch code {
	case "ConditionalCheckFailed":
		return Refused
	case "TransactionConflict":
		return Conflict
	case "ThrottlingError", "ProvisionedThroughputExceeded":
		return Throttled
	}
	return Rejected
}
