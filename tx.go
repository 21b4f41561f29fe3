package dynastay

import (
	"errors"
	"fmt"
	"maps"
	"slices"

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
	stamp   stamp // of the write ids that this preparation leaves
	actions []Action
	owner   []int // the operation that added the action of the same index
	made    []map[string]string
	current int
}

// Add adds actions to the write. Each item may have one action only; two operations that want the same item are
// refused before anything is sent.
func (tx *Tx) Add(actions ...Action) {
	for _, a := range actions {
		copied := a.item[a.schema.writeID()] != nil // a copy of an item is another write than the item's
		if a.stamp == (stamp{}) && (a.identified || copied) {
			a = a.withID(tx.stamp)
		}
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

	identified bool  // a put that is to leave a write id
	drawn      bool  // the key was drawn for this write
	stamp      stamp // of the write id that it leaves, zero for none
	read       Item  // what an update was prepared from; nil for other actions
}

type actionKind int

const (
	putAction actionKind = iota
	updateAction
	deleteAction
	checkAction
)

// Failed says what it means that an action's condition did not hold; old is the item as it was, nil if there was none.
// [ErrOvertaken] asks for another preparation. Nil is an error of the program, and Write says so.
type Failed func(old Item) error

// Put writes a whole item. Without a condition expr is the zero Expr and failed may be nil.
func Put(s *Schema, item Item, expr Expr, failed Failed) Action {
	return Action{kind: putAction, schema: s, key: s.Key.From(item), item: item, expr: expr, failed: failed}
}

// Update changes attributes of an item by expr's update expression, and makes the item where there is none, unless the
// condition asks for one. Without a condition failed may be nil. It leaves the item's write id alone, so it is for deltas;
// what was read first is changed by [Table.Change].
func Update(s *Schema, key Key, expr Expr, failed Failed) Action {
	return Action{kind: updateAction, schema: s, key: key, expr: expr, failed: failed}
}

// Delete removes an item. Without a condition failed may be nil.
func Delete(s *Schema, key Key, expr Expr, failed Failed) Action {
	return Action{kind: deleteAction, schema: s, key: key, expr: expr, failed: failed}
}

// Check asks for expr's condition on an item that the write leaves alone.
func Check(s *Schema, key Key, expr Expr, failed Failed) Action {
	return Action{kind: checkAction, schema: s, key: key, expr: expr, failed: failed}
}

// Identified has a [Put] leave a write id in the item, which whoever reads the item and then writes it needs (see
// [WriteID]), and which tells whether the put was carried out, should its answer be lost. Items that nobody reads before
// writing them, such as guards, do without.
func (a Action) Identified() Action {
	a.identified = true
	return a
}

func (a Action) withID(s stamp) Action {
	item := maps.Clone(a.item)
	item[a.schema.writeID()] = s.over(nil)
	a.item, a.stamp = item, s
	return a
}

// Drawn says that the key of a [Put] was drawn for this write, so that finding the item proves that the write was
// carried out, however often others have changed it since.
func (a Action) Drawn() Action {
	a.drawn = true
	return a
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
	if a.failed == nil {
		f.Err = &Error{Entity: a.schema.Name, ID: a.key.String(), Kind: ErrVersion}
	} else if f.Err = a.failed(f.Old); f.Err == nil {
		// Passed on, it would make a cancelled transaction look done.
		f.Err = &Error{Entity: a.schema.Name, ID: a.key.String(), Err: errNoReason}
	}
	return f
}

// errNoReason is an error of the program.
var errNoReason = errors.New("a Failed or Refused function of the operation answers nil for a condition that does not hold")

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
	return tx.owner[slices.IndexFunc(tx.actions, func(a Action) bool { return a.ref() == ref })]
}

// plain reports whether the write is one plain request, at half the units of a transaction: one action whose lost answer
// can be settled by reading the item. A delta and a put without a write id leave nothing to tell them by, so they are
// transactions of one action, which have a token.
func (tx *Tx) plain() bool {
	if len(tx.actions) != 1 {
		return false
	}
	a := tx.actions[0]
	return a.stamp != stamp{} || a.kind == deleteAction
}

func (tx *Tx) refs() []Ref {
	refs := make([]Ref, len(tx.actions))
	for i, a := range tx.actions {
		refs[i] = a.ref()
	}
	return refs
}

// witness is the action whose item tells best whether the write was done, nil where none can: an item under a drawn key,
// which tells for good; one that was read, which also tells that the write cannot be done any more; or any with an id.
func (tx *Tx) witness() *Action {
	var best *Action
	for i := range tx.actions {
		switch a := &tx.actions[i]; {
		case a.drawn:
			return a
		case a.stamp == stamp{} && !tx.plain():
		case best == nil || best.read == nil && a.read != nil:
			best = a
		}
	}
	return best
}

// dead reports whether a transaction can never be carried out: an item that it read was replaced.
func (tx *Tx) dead(failed []Failure) bool {
	return slices.ContainsFunc(failed, func(f Failure) bool {
		i := slices.IndexFunc(tx.actions, func(a Action) bool { return a.ref() == f.Ref })
		return tx.actions[i].trace(f.Old) == overtaken
	})
}

func (tx *Tx) ownerName(action int, ops []operation) string {
	if owner := tx.owner[action]; owner < len(ops) {
		return fmt.Sprintf("%s (Operations[%d])", ops[owner].name(), owner)
	}
	return "the idempotency record"
}
