package dynastay

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Ref names one item of one table, by the schema's name. It is comparable.
type Ref struct {
	Table string
	Key   Key
}

// RefOf is the name of an item.
func RefOf(s *Schema, key Key) Ref { return Ref{s.Name, key} }

// Tx collects the actions of one write while its operations prepare.
type Tx struct {
	actions []Action
	owner   []int // the operation that added the action of the same index
	made    []map[string]string
	current int
}

// Add adds actions to the write. Each item may have one action only; two operations that want the same item are
// refused before anything is sent.
func (tx *Tx) Add(actions ...Action) {
	for _, a := range actions {
		tx.actions = append(tx.actions, a)
		tx.owner = append(tx.owner, tx.current)
	}
}

// Made notes the id of something that the current operation creates, for [OpSpec.Restore]. Only ids belong here: an
// idempotency record lives for a month and must not keep personal data.
func (tx *Tx) Made(name, id string) {
	if tx.made[tx.current] == nil {
		tx.made[tx.current] = map[string]string{}
	}
	tx.made[tx.current][name] = id
}

// Action is one change of one item, or a check of one, with the meaning of its failure. Make it with [Put], [Update],
// [Delete] or [Check].
type Action struct {
	kind   actionKind
	schema *Schema
	key    Key
	item   Item
	expr   Expr
	failed func(old Item) error

	shows     func(stored Item) bool // that it was carried out; nil where no item can show it
	proof     bool                   // nothing but this write can have made it show
	untouched func(stored Item) bool // that it was not carried out so far
	returned  func(stored Item)
}

type actionKind int

const (
	putAction actionKind = iota
	updateAction
	deleteAction
	checkAction
)

// Failed says what it means that an action's condition did not hold; old is the item as it stood, nil if there was
// none. [ErrOvertaken] asks for another preparation.
type Failed func(old Item) error

// Put writes a whole item. Without a condition expr is the zero Expr and failed may be nil.
func Put(s *Schema, item Item, expr Expr, failed Failed) Action {
	return Action{
		kind: putAction, schema: s, key: s.Key.From(item), item: item, expr: expr, failed: failed,
		shows:     func(stored Item) bool { return stored != nil && holds(stored, item) },
		untouched: func(stored Item) bool { return stored == nil },
	}
}

// Update changes attributes of an item by expr's update expression, and makes the item where there is none, unless the
// condition asks for one. Without a condition failed may be nil.
func Update(s *Schema, key Key, expr Expr, failed Failed) Action {
	return Action{
		kind: updateAction, schema: s, key: key, expr: expr, failed: failed,
		untouched: func(Item) bool { return false },
	}
}

// Delete removes an item. Without a condition failed may be nil.
func Delete(s *Schema, key Key, expr Expr, failed Failed) Action {
	return Action{
		kind: deleteAction, schema: s, key: key, expr: expr, failed: failed,
		shows:     func(stored Item) bool { return stored == nil },
		untouched: func(stored Item) bool { return stored != nil },
	}
}

// Check asks for expr's condition on an item that the write leaves alone.
func Check(s *Schema, key Key, expr Expr, failed Failed) Action {
	return Action{kind: checkAction, schema: s, key: key, expr: expr, failed: failed}
}

// Drawn says that the key of a [Put] was drawn for this write, so that finding the item proves that the write was
// carried out, should its answer be lost for good. A transaction that nothing proves ends as [ErrOutcomeUnknown] then.
func (a Action) Drawn() Action {
	a.shows, a.proof = func(stored Item) bool { return stored != nil }, true
	return a
}

// Shows tells how to see in the stored item that an [Update] was carried out, should its answer be lost: by values that
// before, the item as it was read, did not have and that only this write can have put there.
func (a Action) Shows(before Item, shows func(stored Item) bool) Action {
	a.shows, a.proof = shows, !shows(before)
	a.untouched = func(stored Item) bool { return equalItems(stored, before) }
	return a
}

// Returned has an [Update] that is sent as a plain request tell what it left. In a transaction DynamoDB does not say.
func (a Action) Returned(returned func(stored Item)) Action {
	a.returned = returned
	return a
}

func (a Action) tell(stored Item) {
	if a.returned != nil && stored != nil {
		a.returned(stored)
	}
}

// Failure is an action that DynamoDB refused.
type Failure struct {
	Ref Ref
	Old Item  // the item as it stood, nil if there was none
	Err error // what the action's Failed function made of it
}

func (a Action) ref() Ref { return Ref{a.schema.Name, a.key} }

func (a Action) failure(old Item) Failure {
	f := Failure{Ref: a.ref()}
	if len(old) > 0 { // an engine may say "no item" with an empty one
		f.Old = old
	}
	if a.failed != nil {
		f.Err = a.failed(f.Old)
	} else {
		f.Err = &Error{Entity: a.schema.Name, ID: a.key.String(), Kind: ErrVersion}
	}
	return f
}

func (a Action) transact(db *DB) types.TransactWriteItem {
	table, key, old := ptr(db.TableName(a.schema)), a.schema.Key.Of(a.key), types.ReturnValuesOnConditionCheckFailureAllOld
	switch a.kind {
	case putAction:
		return types.TransactWriteItem{Put: &types.Put{
			TableName: table, Item: a.item, ConditionExpression: a.expr.Condition,
			ExpressionAttributeNames: a.expr.Names, ExpressionAttributeValues: a.expr.Values,
			ReturnValuesOnConditionCheckFailure: old,
		}}
	case updateAction:
		return types.TransactWriteItem{Update: &types.Update{
			TableName: table, Key: key, ConditionExpression: a.expr.Condition, UpdateExpression: a.expr.Update,
			ExpressionAttributeNames: a.expr.Names, ExpressionAttributeValues: a.expr.Values,
			ReturnValuesOnConditionCheckFailure: old,
		}}
	case deleteAction:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: table, Key: key, ConditionExpression: a.expr.Condition,
			ExpressionAttributeNames: a.expr.Names, ExpressionAttributeValues: a.expr.Values,
			ReturnValuesOnConditionCheckFailure: old,
		}}
	}
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: table, Key: key, ConditionExpression: a.expr.Condition,
		ExpressionAttributeNames: a.expr.Names, ExpressionAttributeValues: a.expr.Values,
		ReturnValuesOnConditionCheckFailure: old,
	}}
}

const (
	maxActions = 100
	maxBytes   = 4 << 20

	maxItemBytes = 400 << 10
)

// check refuses what DynamoDB would refuse, with a message that names the operations.
func (tx *Tx) check(ops []operation) error {
	if len(tx.actions) > maxActions {
		return Invalid("Operations", "make %d actions together, and a transaction takes %d", len(tx.actions), maxActions)
	}
	first, size := map[Ref]int{}, 0
	for i, a := range tx.actions {
		if j, twice := first[a.ref()]; twice {
			return Invalid("Operations", "%s and %s both write %s", tx.ownerName(j, ops), tx.ownerName(i, ops), masked(a.key.String()))
		}
		first[a.ref()] = i
		if n := SizeOf(a.item); n > maxItemBytes {
			return Invalid("Operations", "would make %s an item of %d bytes, and DynamoDB takes %d", masked(a.key.String()), n, maxItemBytes)
		}
		size += SizeOf(a.item) + SizeOf(a.expr.Values) + len(a.key.PK) + len(a.key.SK)
	}
	if size > maxBytes {
		return Invalid("Operations", "are %d bytes together, and a transaction takes %d", size, maxBytes)
	}
	return nil
}

func (tx *Tx) ownerOf(ref Ref) int {
	for i, a := range tx.actions {
		if a.ref() == ref {
			return tx.owner[i]
		}
	}
	return -1
}

// plain reports whether the write is one plain request: one action that is no mere check.
func (tx *Tx) plain() bool { return len(tx.actions) == 1 && tx.actions[0].kind != checkAction }

func (tx *Tx) refs() []Ref {
	refs := make([]Ref, len(tx.actions))
	for i, a := range tx.actions {
		refs[i] = a.ref()
	}
	return refs
}

// witness is the action whose item tells whether the write was done: the idempotency record, an item under a drawn key,
// or a change that was not there before. A plain write has none but itself: what it means to leave is there or is not.
// Anything else, such as an item that was put over an equal one, would also be found had the write never arrived.
func (tx *Tx) witness(record int) *Action {
	var best *Action
	for i := range tx.actions {
		a := &tx.actions[i]
		if tx.owner[i] == record {
			return a
		}
		if best == nil && a.shows != nil && (a.proof || tx.plain()) {
			best = a
		}
	}
	return best
}

func (tx *Tx) ownerName(action int, ops []operation) string {
	if owner := tx.owner[action]; owner < len(ops) {
		return fmt.Sprintf("%s (Operations[%d])", ops[owner].name(), owner)
	}
	return "the idempotency record"
}
