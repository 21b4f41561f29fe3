package dynastay

import (
	"context"
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

// Operation is one write of a repository, or of a consumer's own [Table], that has not been sent yet. [DB.Write] sends
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
	// Contends names the items that many callers may want at once. In one process they queue for them.
	Contends []Ref
	// Prepare adds the actions and returns the result that they will have. It may read, and it runs again when it was
	// overtaken: then it must start anew. An operation that turns out to have nothing to write adds nothing.
	Prepare func(ctx context.Context, tx *Tx) (R, error)
	// Refused turns the failures of the operation's own actions into its error, where the first one's own error does
	// not say enough. It may read: DynamoDB does not promise to report every action that would fail. Its error may not be
	// nil: the conditions did not hold. Seen is every item whose present state it knows, for [OpSpec.Judge] of those that
	// wait for the same items.
	Refused func(ctx context.Context, failed []Failure) (seen map[Ref]Item, err error)
	// Judge decides from items that another operation saw, while this one was already waiting for them, that this one
	// is refused as well, without a request. A nil answer means that it has to try itself. It runs while all others are held
	// up: it neither waits nor writes.
	Judge func(seen map[Ref]Item) error
	// Restore reads the result of an earlier call with the same idempotency key again, from the ids that it noted with
	// [Tx.Made]. Where Prepare notes some it is required: the operation is refused without.
	Restore func(ctx context.Context, made map[string]string) (R, error)
}

// NewOp makes an operation.
func NewOp[R any](spec OpSpec[R]) *Operation[R] { return &Operation[R]{spec: spec} }

// Result is what the operation made. It is valid once Write has returned without an error; after a replay under an
// idempotency key it is the first call's result, read again. The operations that stand behind it in the same Write may
// read it while they prepare: what it will be, should all of them be carried out. So a message can name the booking that
// it goes with.
//
// Asked before the operation was prepared, Result panics, and says so: it is an error of the program.
func (o *Operation[R]) Result() R {
	if !o.known {
		panic("dynastay: the result of " + o.spec.Name + " is asked for before the operation was prepared")
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
		w.invalid = Invalid("Operations", "hold %s a second time: make another one", o.spec.Name)
	}
	w.ops = append(w.ops, o)
}

// operation is an Operation of any result.
type operation interface {
	name() string
	invalid() error
	comparable() bool
	restorable() bool
	input(*Input)
	contends() []Ref
	prepare(context.Context, *Tx) error
	refused(context.Context, []Failure) (map[Ref]Item, error)
	judge(map[Ref]Item) error
	restore(context.Context, map[string]string) error
}

func (o *Operation[R]) name() string    { return o.spec.Name }
func (o *Operation[R]) invalid() error  { return o.spec.Invalid }
func (o *Operation[R]) contends() []Ref { return o.spec.Contends }

func (o *Operation[R]) comparable() bool { return o.spec.Input != nil }

func (o *Operation[R]) restorable() bool { return o.spec.Restore != nil }

func (o *Operation[R]) input(in *Input) { o.spec.Input(in) }

func (o *Operation[R]) prepare(ctx context.Context, tx *Tx) (err error) {
	o.result, err = o.spec.Prepare(ctx, tx)
	o.known = err == nil
	return err
}

func (o *Operation[R]) refused(ctx context.Context, failed []Failure) (map[Ref]Item, error) {
	if o.spec.Refused != nil {
		return o.spec.Refused(ctx, failed)
	}
	return nil, failed[0].Err
}

func (o *Operation[R]) judge(seen map[Ref]Item) error {
	if o.spec.Judge == nil {
		return nil
	}
	return o.spec.Judge(seen)
}

func (o *Operation[R]) restore(ctx context.Context, made map[string]string) (err error) {
	if o.spec.Restore != nil {
		o.result, err = o.spec.Restore(ctx, made)
	}
	o.known = err == nil
	return err
}
