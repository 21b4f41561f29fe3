package dynastay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/condition"
	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/internal/stored"
)

// Ref identifies one item of one table, by the schema's name and the item's key. Refs are comparable with == and usable
// as map keys.
type Ref struct {
	Table string
	Key   Key
}

// RefOf returns the Ref of an item.
func RefOf(s *Schema, key Key) Ref { return Ref{s.Name, key} }

// Tx collects the actions of one write while its operations are prepared. Each item can have only one action; two
// operations that write the same item are refused before anything is sent.
type Tx struct {
	write   *write
	stamp   stamp // part of every write id that this preparation writes
	actions []*Action
	made    []map[string]string
	twice   string // a name under which the current operation has recorded two ids
	current int
}

// Made records the id of something that the current operation creates, for [OpSpec.Restore]. Each needs a name of its
// own: with two ids under one name, Write fails, because a repeated call could not read both back. Record only ids: an
// idempotency record is kept for a month and must not contain personal data.
func (tx *Tx) Made(name, id string) {
	made := tx.made[tx.current]
	if made == nil {
		made = map[string]string{}
		tx.made[tx.current] = made
	}
	if first, twice := made[name]; twice && first != id && tx.twice == "" {
		tx.twice = name
	}
	made[name] = id
}

func init() {
	condition.PassedOn = func(tx any) error {
		t := tx.(*Tx)
		if op := t.write.ops[t.current]; !op.passesOn() {
			return &Error{Op: op.name(), Entity: "write", Err: errNotPassedOn}
		}
		return nil
	}
}

// errNotPassedOn is a programming error.
var errNotPassedOn = errors.New("an IdempotencyKey, IfUser or IfProperty was passed to a change, so OpSpec.Options must have it")

// Contend sets what the current operation contends for, if that is known only after a first read. It waits for the
// operation's turn, so what is read afterwards is current. It replaces [OpSpec.Contest]. If it returns an error, which
// may be [ErrOvertaken], Prepare must return it.
func (tx *Tx) Contend(ctx context.Context, c Contest) error {
	return tx.write.contend(ctx, tx.current, c)
}

// Put adds an action that writes a whole item and replaces an existing one.
func (tx *Tx) Put(s *Schema, item Item) *Action {
	a := tx.add(&Action{kind: putAction, schema: s, key: s.Key.From(RowOf(item)), item: item})
	if item[s.WriteIDName()] != nil { // copying an item is a new write
		a.Identified()
	}
	return a
}

// Update adds an action that changes attributes of an item with the update expression of expr. If expr also has a
// condition, the update depends on it (the two are built together because they share placeholders). Update creates the
// item if it does not exist, unless the condition requires it to exist. It does not change the item's write id, so it
// is meant for deltas; to change an item that was read first, use [Tx.Rewrite].
func (tx *Tx) Update(s *Schema, key Key, expr Expr) *Action {
	return tx.add(&Action{kind: updateAction, schema: s, key: key, expr: expr})
}

// Rewrite adds an action that changes an item that was read consistently, on condition that it is [Unchanged], and
// gives it a new write id. Of two writes that read the same item, one is refused; [Action.Else] sets the error for
// that. For an item without a write id, known are the attributes that the change depends on.
func (tx *Tx) Rewrite(s *Schema, read Row, change expression.UpdateBuilder, known ...string) (*Action, error) {
	return tx.RewriteIf(s, read, change, expression.ConditionBuilder{}, known...)
}

// RewriteIf is like [Tx.Rewrite] with a further condition, on attributes that deltas change without changing the write
// id. [Action.Else] gets the item whichever condition fails, and usually returns [ErrOvertaken], so that the operation
// reads the item again and decides.
func (tx *Tx) RewriteIf(
	s *Schema, read Row, change expression.UpdateBuilder, also expression.ConditionBuilder, known ...string,
) (*Action, error) {
	own, item := s.WriteIDName(), read.Item()
	change = change.Set(NameOf(own), expression.Value(tx.stamp.over(item[own])))
	condition := Unchanged(s, read, known...)
	if also.IsSet() {
		condition = condition.And(also)
	}
	expr, err := build(expression.NewBuilder().WithUpdate(change).WithCondition(condition))
	if err != nil {
		return nil, err
	}
	a := tx.Update(s, s.Key.From(read), expr)
	a.stamp, a.read = tx.stamp, item
	return a, nil
}

// Remove adds an action that deletes an item that was read consistently, on condition that it is [Unchanged], as
// [Tx.Rewrite] does.
func (tx *Tx) Remove(s *Schema, read Row, known ...string) (*Action, error) {
	expr, err := build(expression.NewBuilder().WithCondition(Unchanged(s, read, known...)))
	if err != nil {
		return nil, err
	}
	a := tx.Delete(s, s.Key.From(read))
	a.expr, a.read = expr, read.Item()
	return a, nil
}

// Delete adds an action that deletes an item.
func (tx *Tx) Delete(s *Schema, key Key) *Action {
	return tx.add(&Action{kind: deleteAction, schema: s, key: key})
}

// Check adds a condition on an item that the write does not change. meaning returns the error if the condition does not
// hold. If another operation of the write has added the same condition on the item, that one remains the only one, with
// its meaning: DynamoDB accepts one action for an item.
func (tx *Tx) Check(s *Schema, key Key, condition Expr, meaning Failed) *Action {
	for _, a := range tx.actions {
		if a.kind == checkAction && a.ref() == RefOf(s, key) && reflect.DeepEqual(a.expr, condition) {
			return a
		}
	}
	return tx.add(&Action{kind: checkAction, schema: s, key: key}).If(condition, meaning)
}

func (tx *Tx) add(a *Action) *Action {
	a.owner, a.fresh = tx.current, tx.stamp
	tx.actions = append(tx.actions, a)
	return a
}

// Action is one change or one check of one item, together with the error to return if its condition fails.
type Action struct {
	kind   actionKind
	schema *Schema
	key    Key
	item   Item
	expr   Expr
	failed Failed
	owner  int // the operation that added it

	fresh stamp // of the preparation
	idle  bool  // Else was called, but there is no condition
	drawn bool  // the key was generated for this write
	stamp stamp // part of the write id that it writes; zero if none
	read  Item  // the item that a Rewrite or Remove was prepared from; nil for other actions
	moot  bool  // the check of a skipped action need not be sent alone
	spare bool  // the write can do without it
}

type actionKind int

const (
	putAction actionKind = iota
	updateAction
	deleteAction
	checkAction
)

// Failed returns the error for an action whose condition did not hold; old is the item at that time. [ErrOvertaken]
// requests that the operation be prepared again. Returning nil is a programming error, which Write reports.
type Failed func(old Row) error

// If sets the condition of a put or a delete, and the error if it does not hold. A nil meaning results in [ErrVersion].
func (a *Action) If(condition Expr, meaning Failed) *Action {
	a.expr, a.failed = condition, meaning
	return a
}

// Else sets the error for an action that already has a condition, if the condition does not hold. A nil meaning results
// in [ErrVersion].
func (a *Action) Else(meaning Failed) *Action {
	a.failed, a.idle = meaning, a.expr.Condition == nil
	return a
}

// Identified makes a put store a write id in the item (see [WriteID]). The id is needed by callers that read the item
// and then write it. It also shows whether the put was carried out if its response is lost. Items that are never read
// before they are written, such as guards, do not need it.
func (a *Action) Identified() *Action {
	a.item = maps.Clone(a.item)
	a.item[a.schema.WriteIDName()] = a.fresh.over(nil)
	a.stamp = a.fresh
	return a
}

// Drawn declares that the key of a put was generated for this write, so that the existence of the item proves that the
// write was carried out, however often others have changed the item since.
func (a *Action) Drawn() *Action {
	a.drawn = true
	return a
}

// IfFits declares that the write can do without the action: if there are more actions than fit into a transaction, it is left
// out, the last one first, and also if another action writes the item. The caller of the write is not told, so whoever reads the
// item later must not rely on the action.
func (a *Action) IfFits() *Action {
	a.spare = true
	return a
}

// makeRoom leaves out actions that the write can do without, as far as that is necessary.
func (tx *Tx) makeRoom() {
	written := map[Ref]int{}
	for _, a := range tx.actions {
		written[a.ref()]++
	}
	for i := len(tx.actions) - 1; i >= 0; i-- {
		if at := tx.actions[i].ref(); tx.actions[i].spare && written[at] > 1 {
			tx.actions = slices.Delete(tx.actions, i, i+1)
			written[at]--
		}
	}
	for i := len(tx.actions) - 1; i >= 0 && len(tx.actions) > maxActions; i-- {
		if tx.actions[i].spare {
			tx.actions = slices.Delete(tx.actions, i, i+1)
		}
	}
}

// Found returns an item as it was when a condition on it failed and [Action.Else] asked for another preparation, and false if
// none has failed since an item that a preparation read was last found changed. So it is newer than what the operation reads with
// [Tx.Rewrite]. It may have changed since, so what is prepared from it needs a condition of its own.
func (tx *Tx) Found(s *Schema, key Key) (Row, bool) {
	row, found := tx.write.found[RefOf(s, key)]
	return row, found
}

// note keeps what [Tx.Found] returns. Once an item that was read has changed, it keeps nothing: the next preparation reads the item
// again, and what was found is older than that.
func (w *write) note(failed []failure) {
	if slices.ContainsFunc(failed, func(f failure) bool { return f.action.read != nil }) {
		w.found = nil
		return
	}
	if w.found == nil {
		w.found = map[Ref]Row{}
	}
	for _, f := range failed {
		w.found[f.action.ref()] = f.old
	}
}

// WriteID returns the write id that the action stores in its item, or "" if it stores none.
func (a *Action) WriteID() (id WriteID) {
	if a.stamp != (stamp{}) {
		_ = id.UnmarshalDynamoDBAttributeValue(a.stamp.over(a.read[a.schema.WriteIDName()])) // cannot fail for binary
	}
	return id
}

// failure is an action that DynamoDB refused.
type failure struct {
	action *Action
	old    Row
}

// meaning is the error that the action's own Failed function returns.
func (f failure) meaning() error {
	a := f.action
	if a.failed == nil {
		return &Error{Entity: a.schema.Name, ID: a.key.String(), Kind: ErrVersion}
	}
	if err := a.failed(f.old); err != nil {
		return err
	}
	// If nil were passed on, a cancelled transaction would look successful.
	return &Error{Entity: a.schema.Name, ID: a.key.String(), Err: errNoReason}
}

// errNoCondition is a programming error: the intended condition is not checked.
var errNoCondition = errors.New("Action.Else requires an action with a condition")

// errNoReason is a programming error.
var errNoReason = errors.New("a Failed function must not return nil for a failed condition")

func (a *Action) failure(old Item) failure {
	f := failure{action: a}
	if len(old) > 0 { // some engines return an empty item for a missing one
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

// check rejects what DynamoDB would reject, with an error that names the operations.
func (tx *Tx) check(ops []operation) error {
	size := 0
	for _, a := range tx.actions {
		size += stored.Size(a.item) + stored.Size(a.expr.Values) + len(a.key.PK) + len(a.key.SK)
	}
	large := &TooLargeError{Actions: len(tx.actions), Bytes: size}
	if large.Actions > maxActions || large.Bytes > maxBytes {
		return &InvalidError{Field: "Operations", Reason: large.Error(), Err: large}
	}
	first := map[Ref]int{}
	for i, a := range tx.actions {
		if a.idle {
			return &Error{Entity: a.schema.Name, ID: a.key.String(), Err: errNoCondition}
		}
		if j, twice := first[a.ref()]; twice {
			return Invalid("Operations", "%s and %s both write item %s, and a transaction can write an item only once",
				tx.ownerName(j, ops), tx.ownerName(i, ops), shown.Masked(a.key.String()))
		}
		first[a.ref()] = i
		if n := stored.Size(a.item); n > maxItemBytes {
			return Invalid("Operations", "item %s must be at most %d bytes, got %d", shown.Masked(a.key.String()), maxItemBytes, n)
		}
	}
	return nil
}

// plain reports whether the write is one plain request, at half the units of a transaction. That takes a single action,
// whose outcome can be read from the item if its response is lost. A delta, or a put without a write id, leaves nothing
// in the item to recognise it by, so it is sent as a transaction of one action, which has a token.
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

// witness returns the action whose item best shows whether the write was carried out, or nil if none can. In order of
// preference: an item under a generated key, which is permanent proof; an item that was read, which can also show that
// the write can no longer be carried out; any item with a write id.
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

// dead reports whether a transaction can never be carried out, because an item that it read was replaced.
func (tx *Tx) dead(failed []failure) bool {
	return slices.ContainsFunc(failed, func(f failure) bool { return f.action.trace(f.old.Item()) == overtaken })
}

func (tx *Tx) ownerName(action int, ops []operation) string {
	if owner := tx.actions[action].owner; owner < len(ops) {
		return fmt.Sprintf("%s (Operations[%d])", ops[owner].name(), owner)
	}
	return "the idempotency record"
}
