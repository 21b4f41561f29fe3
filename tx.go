package dynastay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/internal/stored"
)

// Ref names one item of one table, by the schema's name. It is comparable.
type Ref struct {
	Table string
	Key   Key
}

// RefOf is the name of an item.
func RefOf(s *Schema, key Key) Ref { return Ref{s.Name, key} }

// Tx collects the actions of one write while its operations prepare. Each item may have one action only; two operations
// that want the same item are refused before anything is sent.
type Tx struct {
	write   *write
	stamp   stamp // of the write ids that this preparation leaves
	actions []*Action
	made    []map[string]string
	current int
}

// Made notes the id of something that the current operation creates, for [OpSpec.Restore]. Only ids belong here: an
// idempotency record lives for a month and must not keep personal data.
func (tx *Tx) Made(name, id string) {
	if tx.made[tx.current] == nil {
		tx.made[tx.current] = map[string]string{}
	}
	tx.made[tx.current][name] = id
}

// Contend names what the current operation fights for, where that is known only after a first read: it waits for its turn, so
// what is read afterwards is fresh. It takes the place of [OpSpec.Contest]. Its error ends the preparation.
func (tx *Tx) Contend(ctx context.Context, c Contest) error {
	return tx.write.contend(ctx, tx.current, c)
}

// Put writes a whole item, over what is there.
func (tx *Tx) Put(s *Schema, item Item) *Action {
	a := tx.add(&Action{kind: putAction, schema: s, key: s.Key.From(RowOf(item)), item: item})
	if item[s.WriteIDName()] != nil { // a copy of an item is another write than the item's
		a.Identified()
	}
	return a
}

// Update changes attributes of an item by expr's update expression, on its condition where it has one (an update and its
// condition are built together, for they share placeholders), and makes the item where there is none, unless the condition
// asks for one. It leaves the item's write id alone, so it is for deltas; what was read first is changed by [Tx.Rewrite].
func (tx *Tx) Update(s *Schema, key Key, expr Expr) *Action {
	return tx.add(&Action{kind: updateAction, schema: s, key: key, expr: expr})
}

// Rewrite changes an item that was read, consistently, on condition that it is [Unchanged], and leaves a fresh write id in it.
// Of two writes that read the same item one is refused, which its [Action.Else] gives a meaning. known are the attributes
// that the change rests on, for an item without a write id.
func (tx *Tx) Rewrite(s *Schema, read Row, change expression.UpdateBuilder, known ...string) (*Action, error) {
	own, item := s.WriteIDName(), read.Item()
	change = change.Set(NameOf(own), expression.Value(tx.stamp.over(item[own])))
	expr, err := build(expression.NewBuilder().WithUpdate(change).WithCondition(Unchanged(s, read, known...)))
	if err != nil {
		return nil, err
	}
	a := tx.Update(s, s.Key.From(read), expr)
	a.stamp, a.read = tx.stamp, item
	return a, nil
}

// Remove deletes an item that was read, consistently, on condition that it is [Unchanged], as [Tx.Rewrite] does.
func (tx *Tx) Remove(s *Schema, read Row, known ...string) (*Action, error) {
	expr, err := build(expression.NewBuilder().WithCondition(Unchanged(s, read, known...)))
	if err != nil {
		return nil, err
	}
	a := tx.Delete(s, s.Key.From(read))
	a.expr, a.read = expr, read.Item()
	return a, nil
}

// Delete removes an item.
func (tx *Tx) Delete(s *Schema, key Key) *Action {
	return tx.add(&Action{kind: deleteAction, schema: s, key: key})
}

// Check asks for a condition on an item that the write leaves alone.
func (tx *Tx) Check(s *Schema, key Key, condition Expr, meaning Failed) *Action {
	return tx.add(&Action{kind: checkAction, schema: s, key: key}).If(condition, meaning)
}

func (tx *Tx) add(a *Action) *Action {
	a.owner, a.fresh = tx.current, tx.stamp
	tx.actions = append(tx.actions, a)
	return a
}

// Action is one change of one item, or a check of one, with the meaning of its failure.
type Action struct {
	kind   actionKind
	schema *Schema
	key    Key
	item   Item
	expr   Expr
	failed Failed
	owner  int // the operation that added it

	fresh stamp // of the preparation
	idle  bool  // it has a meaning for a condition that it does not have
	drawn bool  // the key was drawn for this write
	stamp stamp // of the write id that it leaves, zero for none
	read  Item  // what a rewrite or a removal was prepared from; nil for other actions
}

type actionKind int

const (
	putAction actionKind = iota
	updateAction
	deleteAction
	checkAction
)

// Failed says what it means that an action's condition did not hold; old is the item as it was. [ErrOvertaken] asks for
// another preparation. Nil is an error of the program, and Write says so.
type Failed func(old Row) error

// If is the condition of a put or a delete, and what it means that it does not hold. Without a meaning that is [ErrVersion].
func (a *Action) If(condition Expr, meaning Failed) *Action {
	a.expr, a.failed = condition, meaning
	return a
}

// Else is what it means that the condition of an action that has one does not hold. Without a meaning that is [ErrVersion].
func (a *Action) Else(meaning Failed) *Action {
	a.failed, a.idle = meaning, a.expr.Condition == nil
	return a
}

// Identified has a put leave a write id in the item, which whoever reads the item and then writes it needs (see [WriteID]),
// and which tells whether the put was carried out, should its answer be lost. Items that nobody reads before writing them,
// such as guards, do without.
func (a *Action) Identified() *Action {
	a.item = maps.Clone(a.item)
	a.item[a.schema.WriteIDName()] = a.fresh.over(nil)
	a.stamp = a.fresh
	return a
}

// Drawn says that the key of a put was drawn for this write, so that finding the item proves that the write was carried out,
// however often others have changed it since.
func (a *Action) Drawn() *Action {
	a.drawn = true
	return a
}

// WriteID is the id that the action leaves in its item, "" for none.
func (a *Action) WriteID() (id WriteID) {
	if a.stamp != (stamp{}) {
		_ = id.UnmarshalDynamoDBAttributeValue(a.stamp.over(a.read[a.schema.WriteIDName()])) // binary cannot fail
	}
	return id
}

// failure is an action that DynamoDB refused.
type failure struct {
	action *Action
	old    Row
}

// meaning is what the action's own function makes of its failure.
func (f failure) meaning() error {
	a := f.action
	if a.failed == nil {
		return &Error{Entity: a.schema.Name, ID: a.key.String(), Kind: ErrVersion}
	}
	if err := a.failed(f.old); err != nil {
		return err
	}
	// Passed on, it would make a cancelled transaction look done.
	return &Error{Entity: a.schema.Name, ID: a.key.String(), Err: errNoReason}
}

// errNoCondition is an error of the program: what was to be asked for is not.
var errNoCondition = errors.New("Action.Else was called on an action without a condition")

// errNoReason is an error of the program.
var errNoReason = errors.New("a Failed function of the operation returned nil for a failed condition")

func (a *Action) failure(old Item) failure {
	f := failure{action: a}
	if len(old) > 0 { // an engine may say "no item" with an empty one
		f.old = RowOf(old)
	}
	return f
}

func (a *Action) ref() Ref { return Ref{a.schema.Name, a.key} }

func (a *Action) transact(db *DB) types.TransactWriteItem {
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
		return Invalid("Operations", "must have at most %d actions in total, got %d", maxActions, len(tx.actions))
	}
	first, size := map[Ref]int{}, 0
	for i, a := range tx.actions {
		if a.idle {
			return &Error{Entity: a.schema.Name, ID: a.key.String(), Err: errNoCondition}
		}
		if j, twice := first[a.ref()]; twice {
			return Invalid("Operations", "%s and %s both write %s", tx.ownerName(j, ops), tx.ownerName(i, ops), shown.Masked(a.key.String()))
		}
		first[a.ref()] = i
		if n := stored.Size(a.item); n > maxItemBytes {
			return Invalid("Operations", "item %s must be at most %d bytes, got %d", shown.Masked(a.key.String()), maxItemBytes, n)
		}
		size += stored.Size(a.item) + stored.Size(a.expr.Values) + len(a.key.PK) + len(a.key.SK)
	}
	if size > maxBytes {
		return Invalid("Operations", "must be at most %d bytes in total, got %d", maxBytes, size)
	}
	return nil
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
	for _, a := range tx.actions {
		switch {
		case a.drawn:
			return a
		case a.stamp == stamp{} && a.read == nil && !tx.plain():
		case best == nil || best.read == nil && a.read != nil:
			best = a
		}
	}
	return best
}

// dead reports whether a transaction can never be carried out: an item that it read was replaced.
func (tx *Tx) dead(failed []failure) bool {
	return slices.ContainsFunc(failed, func(f failure) bool { return f.action.trace(f.old.Item()) == overtaken })
}

func (tx *Tx) ownerName(action int, ops []operation) string {
	if owner := tx.actions[action].owner; owner < len(ops) {
		return fmt.Sprintf("%s (Operations[%d])", ops[owner].name(), owner)
	}
	return "the idempotency record"
}

// Skipped reports whether an action on the item was given up with [ErrSkip] by the preparation before. It is forgotten once
// another action of the write was overtaken.
func (tx *Tx) Skipped(s *Schema, key Key) bool { return tx.write.skipped[RefOf(s, key)] }
