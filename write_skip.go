package dynastay

import (
	"errors"
	"maps"
	"regexp"
)

// ErrSkip is for authors of operations: a [Failed] function returns it if the write should go ahead without that
// action. [DB.Write] then prepares the operation again. If Prepare adds the action again, DB.Write replaces it by the
// condition that the action still cannot be carried out: the item exists, or does not, as before, and the action's own
// condition does not hold. If that fails, the operation is prepared once more, as if nothing had been skipped.
//
// A refusal takes precedence: nothing is skipped while another action, of any operation of the write, is refused.
var ErrSkip = errors.New("action skipped")

// Skipped reports whether an action on the item is skipped because of [ErrSkip], for example in order to mention that
// in the result. Prepare need not leave the action out. If it does, nothing is checked: what was true when the action
// was refused must then matter for the rest of the write no longer.
func (tx *Tx) Skipped(s *Schema, key Key) bool {
	_, is := tx.write.skipped[RefOf(s, key)]
	return is
}

// skip is an action that was refused, and that the write can do without.
// See docs/decisions/0001-one-transaction-per-write.md for what counts before it.
type skip struct {
	failure
	alone bool // the write had no other action
}

// giveUp records the actions that the next preparation must skip.
func (w *write) giveUp(tx *Tx, failed []failure) {
	if w.skipped == nil {
		w.skipped = map[Ref]skip{}
	}
	for _, f := range failed {
		w.skipped[f.action.ref()] = skip{f, len(tx.actions) == 1}
	}
}

// leaveOut replaces the actions that are skipped by the condition that they still cannot be carried out. Without it,
// whatever another write did since the refusal would be overlooked.
func (tx *Tx) leaveOut() {
	for i, a := range tx.actions {
		s, skipped := tx.write.skipped[a.ref()]
		if !skipped || !a.repeats(s.action) {
			continue
		}
		tx.actions[i] = &Action{
			kind: checkAction, schema: a.schema, key: a.key, expr: a.expr.opposite(a.schema, s.old.Exists()),
			failed: func(Row) error { return ErrOvertaken }, owner: a.owner, moot: s.alone,
		}
	}
}

// repeats reports whether an action has the condition of one that was refused, perhaps with other values.
func (a *Action) repeats(refused *Action) bool {
	return a.kind == refused.kind && a.expr.Condition != nil && refused.expr.Condition != nil &&
		*a.expr.Condition == *refused.expr.Condition && maps.Equal(a.expr.Names, refused.expr.Names)
}

var mentioned = regexp.MustCompile(`[#:][0-9]+`)

// opposite returns the condition that the item exists, or does not, and that the condition of e does not hold. It has
// none of the names and values that only the update needs: DynamoDB rejects those.
func (e Expr) opposite(s *Schema, exists bool) Expr {
	text := "attribute_not_exists(#key) AND NOT (" + *e.Condition + ")"
	if exists {
		text = "attribute_exists(#key) AND NOT (" + *e.Condition + ")"
	}
	opposite := Expr{Condition: &text, Names: map[string]string{"#key": s.Key.Partition}}
	for _, name := range mentioned.FindAllString(*e.Condition, -1) {
		if name[0] == '#' {
			opposite.Names[name] = e.Names[name]
			continue
		}
		if opposite.Values == nil {
			opposite.Values = Item{}
		}
		opposite.Values[name] = e.Values[name]
	}
	return opposite
}

// idle reports whether there is nothing to write. An action that was refused alone is not checked again: that it could
// not be carried out at a moment of this call is all that there is to say.
func (tx *Tx) idle() bool {
	return len(tx.actions) == 0 || len(tx.actions) == 1 && tx.actions[0].moot
}
