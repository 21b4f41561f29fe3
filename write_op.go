package dynastay

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/dynastay/dynastay/internal/condition"
)

// Part is an argument of [DB.Write]: an operation, or an option such as [IdempotencyKey].
type Part interface{ join(*write) }

// WriteOption is a [Part] that changes how a write is done, not what it writes: [IdempotencyKey], [IfUser] or
// [IfProperty]. Methods that write take write options, those that update or delete as [UpdateOption]s; for those that take
// no options, use [Do]. It makes no difference whether an option is passed to an operation or to the write.
type WriteOption interface {
	Part
	UpdateOption
}

// Operation is one write of a repository, or of a caller's own table, that has not been sent yet. [DB.Write] sends it,
// alone or in one transaction with others. It can be written only once; a second Write returns [ErrInvalid].
type Operation[R any] struct {
	spec   OpSpec[R]
	used   atomic.Bool
	known  bool // the result
	result R
}

// OpSpec says what an operation does. Repositories and services create operations from it with [NewOp].
type OpSpec[R any] struct {
	// Name is the method, such as "bookings.Create". It appears in errors, and is part of the input by which calls with
	// the same idempotency key are compared.
	Name string
	// Invalid is the error that checking the arguments returned, or nil; Write returns it before any request. A check
	// that depends on the clock belongs at the start of Prepare instead, so that a later retry with the same
	// [IdempotencyKey] still gets its result.
	Invalid error
	// Input adds the caller's arguments that a repeated call must have in common with the first one. It must not add
	// generated ids or times, which differ when the call is repeated. Without Input, the operation cannot be written
	// with an [IdempotencyKey].
	Input func(*Input)
	// Options are those that the caller has passed to the operation, if it takes any. Write does what the [WriteOption]s
	// among them say.
	Options []UpdateOption
	// Owned means that Prepare calls [Tx.OwnedBy], so that the operation can be written with [IfUser] and
	// [IfProperty].
	Owned bool
	// Contest is what the operation contends for, if that is known from the start. Optional; [Tx.Contend] sets it
	// later.
	Contest *Contest
	// Prepare adds the actions to tx and returns the result that the operation will have once they are written. It may
	// read. It runs again, from the start, if another write has overtaken it. An operation that turns out to have
	// nothing to write adds no actions. If it returns [ErrOvertaken], it runs again.
	Prepare func(ctx context.Context, tx *Tx) (R, error)
	// Restore reads back the result of an earlier call with the same idempotency key, from the ids that the call
	// recorded with [Tx.Made]. Without Restore, the operation cannot be written with an [IdempotencyKey] unless its
	// result is struct{}, and Prepare must not call Tx.Made.
	Restore func(ctx context.Context, made map[string]string) (R, error)
}

// Contest describes the items that many callers may want to write at the same time, and how a refusal on them is
// judged.
type Contest struct {
	// Items are what the operations contend for. Within one process, the operations queue for them. The other fields are
	// optional.
	Items []Ref
	// Judge returns the error with which the operation is refused, given the items as they were seen. Nil means that
	// nothing prevents the operation: it is prepared again, and ends with [ErrContention] if its conditions never hold.
	// Judge determines the error for the failures of all actions on the items, except that an action is still skipped if
	// its own [Action.Else] returns [ErrSkip]. It also decides, without a request, for operations that were already
	// waiting while another one was refused. It runs while all other operations that contend for any items are held up,
	// so it must not block or write. Nothing is known about an item that is missing from seen; a zero Row means that the
	// item does not exist. Without Judge, each action determines the error for its own failure.
	Judge func(seen map[Ref]Row) error
	// See reads the items consistently after a refusal, because DynamoDB does not guarantee to report every action that
	// would fail. Without See, Judge gets only what was reported.
	See func(ctx context.Context) (map[Ref]Row, error)
	// Still reports whether what the operation read before it was prepared is still so. It is called before a refusal is
	// returned, after the items were seen, or after another write was refused on them. If it returns false, the operation is
	// prepared again. An operation needs it if Judge depends on what was read. It may read.
	Still func(ctx context.Context) (bool, error)
}

// judges reports whether the contest determines the error for a failed action on the item.
func (c *Contest) judges(ref Ref) bool {
	return c != nil && c.Judge != nil && slices.Contains(c.Items, ref)
}

// NewOp returns an operation. It panics if spec has no Name, has neither Prepare nor Invalid, or has a Contest with a
// Judge but no Items.
func NewOp[R any](spec OpSpec[R]) *Operation[R] {
	switch {
	case spec.Name == "":
		panic("dynastay.NewOp: Name is required")
	case spec.Prepare == nil && spec.Invalid == nil:
		panic("dynastay.NewOp: " + spec.Name + ": Prepare or Invalid is required")
	case spec.Contest != nil && spec.Contest.Judge != nil && len(spec.Contest.Items) == 0:
		panic("dynastay.NewOp: " + spec.Name + ": Contest.Items is required if Contest.Judge is set")
	}
	return &Operation[R]{spec: spec}
}

// Result returns the result of the operation. It is valid once Write has returned without an error; after a replay with
// an idempotency key, it is the result of the first call, read again. Operations that come later in the same Write may
// call it while they are prepared. It then returns what the result will be if the write succeeds, so that, for example,
// a message can contain the id of the booking it belongs to.
//
// Result panics if the operation has not been prepared yet, which is a programming error.
func (o *Operation[R]) Result() R {
	if !o.known {
		panic("dynastay: Result of " + o.spec.Name + " was called before Write prepared the operation")
	}
	return o.result
}

// Check returns the error with which Write would refuse the arguments of the operation before any request, and nil if it
// would not. It sends nothing, and the operation can still be written.
func (o *Operation[R]) Check() error {
	if o.spec.Invalid == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", o.spec.Name, o.spec.Invalid)
}

// Do sends one operation and returns its result. Methods that send the operation of an Op method are built on it.
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
	if o == nil { // in a Part that is not nil
		w.invalid = Invalid(fmt.Sprintf("Operations[%d]", len(w.ops)), "is nil")
		return
	}
	w.ops = append(w.ops, o)
	if o.used.Swap(true) {
		w.invalid = Invalid("Operations", "%s was already passed to Write; create a new operation for each Write", o.spec.Name)
		return
	}
	for _, option := range o.spec.Options {
		if part, ok := option.(WriteOption); ok {
			part.join(w)
		}
	}
}

// operation is an Operation with any result type.
type operation interface {
	name() string
	invalid() error
	comparable() bool
	restorable() bool
	notes() bool
	passesOn() bool
	owned() bool
	input(*Input)
	contest() *Contest
	prepare(context.Context, *Tx) error
	restore(context.Context, map[string]string) error
}

func (o *Operation[R]) name() string      { return o.spec.Name }
func (o *Operation[R]) invalid() error    { return o.spec.Invalid }
func (o *Operation[R]) contest() *Contest { return o.spec.Contest }

func (o *Operation[R]) comparable() bool { return o.spec.Input != nil }

// restorable reports whether a replay can return the result: Restore reads it, or it is empty.
func (o *Operation[R]) restorable() bool {
	_, none := any(o.result).(struct{})
	return o.spec.Restore != nil || none
}

func (o *Operation[R]) notes() bool { return o.spec.Restore != nil }

// passesOn reports whether the operation has options of the whole write.
func (o *Operation[R]) passesOn() bool { return condition.Of(o.spec.Options).Whole }

func (o *Operation[R]) owned() bool { return o.spec.Owned }

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
