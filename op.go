package dynastay

import (
	"context"
	"slices"
	"sync/atomic"
)

// Part is what [DB.Write] takes: operations, and options such as [IdempotencyKey].
type Part interface{ join(*write) }

// WriteOption is a [Part] that sets how a write is done, not what it does. Methods that create or cancel take some; for
// the others there is [Do].
type WriteOption interface {
	Part
	option()
}

// Operation is one write of a repository, or of a table of the caller's own, that has not been sent yet. [DB.Write] sends
// it, alone or in one transaction with others. It is for one Write only, which refuses it the second time.
type Operation[R any] struct {
	spec   OpSpec[R]
	used   atomic.Bool
	known  bool // the result
	result R
}

// OpSpec says what an operation does. Repositories and consumers make operations of it with [NewOp].
type OpSpec[R any] struct {
	// Name is the method, such as "bookings.Create": for errors, and for what an idempotency key is compared by.
	Name string
	// Invalid is what the checks of the arguments found; Write returns it before any request. What depends on the clock
	// is for the beginning of Prepare instead, so that a later repetition under an [IdempotencyKey] still gets its result.
	Invalid error
	// Input writes down what the caller agreed to, for the idempotency record: never generated ids or times, which
	// differ in a repeated call. Default: none, and the operation cannot be written under an [IdempotencyKey].
	Input func(*Input)
	// Contest is what the operation fights for, where that is known from the start. Optional; [Tx.Contend] names one later.
	Contest *Contest
	// Prepare adds the actions and returns the result that they will have. It may read, and it runs again when it was
	// overtaken: then it must start anew. An operation that turns out to have nothing to write adds nothing.
	Prepare func(ctx context.Context, tx *Tx) (R, error)
	// Restore reads the result of an earlier call with the same idempotency key again, from the ids that it noted with
	// [Tx.Made]. Without it the operation cannot be written under an [IdempotencyKey], unless its result is struct{}, and its
	// Prepare cannot note any.
	Restore func(ctx context.Context, made map[string]string) (R, error)
}

// Contest is what an operation fights for with others: the items that many callers may want at once.
type Contest struct {
	// Items are what is fought for. In one process the operations queue for them. Optional are:
	Items []Ref
	// Judge says, from what was seen of the items, why the operation is refused. Nil means that nothing speaks against it: it
	// is prepared again, and ends as [ErrContention] where its conditions never hold. Judge gives the failures of all actions
	// on the items their meaning, and decides for those that were already waiting while another operation was refused, without
	// a request. It runs while all others are held up: it neither waits nor writes. What seen does not hold is not known.
	// Without Judge each action says what its own failure means.
	Judge func(seen map[Ref]Row) error
	// See reads the items after a refusal, consistently: DynamoDB does not promise to report every action that would fail.
	// Without it the refusal is judged from what was reported.
	See func(ctx context.Context) (map[Ref]Row, error)
}

// judges reports whether the contest gives the failure of an action on the item its meaning.
func (c *Contest) judges(ref Ref) bool {
	return c != nil && c.Judge != nil && slices.Contains(c.Items, ref)
}

// NewOp makes an operation. One without a name, or without Prepare where nothing is invalid, or with a contest that judges no
// items, is an error of the program, and panics.
func NewOp[R any](spec OpSpec[R]) *Operation[R] {
	switch {
	case spec.Name == "":
		panic("dynastay.NewOp: Name is required")
	case spec.Prepare == nil && spec.Invalid == nil:
		panic("dynastay.NewOp: " + spec.Name + ": Prepare is required")
	case spec.Contest != nil && spec.Contest.Judge != nil && len(spec.Contest.Items) == 0:
		panic("dynastay.NewOp: " + spec.Name + ": a Contest with a Judge requires Items")
	}
	return &Operation[R]{spec: spec}
}

// Result is what the operation made. It is valid once Write has returned without an error; after a replay under an
// idempotency key it is the first call's result, read again. The operations that stand behind it in the same Write may
// read it while they prepare: what it will be, should all of them be carried out. So a message can name the booking that
// it goes with.
//
// Asked before the operation was prepared, Result panics, and says so: it is an error of the program.
func (o *Operation[R]) Result() R {
	if !o.known {
		panic("dynastay: Result of " + o.spec.Name + " was called before the operation was prepared")
	}
	return o.result
}

// Do sends one operation and returns its result: the common end of every method that has a form for composition.
func Do[R any](ctx context.Context, db *DB, op *Operation[R], opts ...WriteOption) (R, error) {
	parts := []Part{op}
	for _, option := range opts {
		parts = append(parts, option)
	}
	if err := db.Write(ctx, parts...); err != nil {
		return *new(R), err
	}
	return op.Result(), nil
}

func (o *Operation[R]) join(w *write) {
	if o.used.Swap(true) {
		w.invalid = Invalid("Operations", "%s was already used; make a new operation for each Write", o.spec.Name)
	}
	w.ops = append(w.ops, o)
}

// operation is an Operation of any result.
type operation interface {
	name() string
	invalid() error
	comparable() bool
	restorable() bool
	notes() bool
	input(*Input)
	contest() *Contest
	prepare(context.Context, *Tx) error
	restore(context.Context, map[string]string) error
}

func (o *Operation[R]) name() string      { return o.spec.Name }
func (o *Operation[R]) invalid() error    { return o.spec.Invalid }
func (o *Operation[R]) contest() *Contest { return o.spec.Contest }

func (o *Operation[R]) comparable() bool { return o.spec.Input != nil }

// restorable reports whether a replay has a result to give: read again, or none at all.
func (o *Operation[R]) restorable() bool {
	_, none := any(o.result).(struct{})
	return o.spec.Restore != nil || none
}

func (o *Operation[R]) notes() bool { return o.spec.Restore != nil }

func (o *Operation[R]) input(in *Input) { o.spec.Input(in) }

func (o *Operation[R]) prepare(ctx context.Context, tx *Tx) (err error) {
	o.result, err = o.spec.Prepare(ctx, tx)
	o.known = err == nil
	return err
}

func (o *Operation[R]) restore(ctx context.Context, made map[string]string) (err error) {
	if o.spec.Restore != nil {
		o.result, err = o.spec.Restore(ctx, made)
	}
	o.known = err == nil
	return err
}
