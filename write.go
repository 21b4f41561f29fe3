package dynastay

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Write carries out operations, of any repositories and of the caller's own tables, all or none: in one
// TransactWriteItems, or as a plain request where one action is all there is. It returns the error of the operation
// that was refused; [ErrInvalid] before any request; [ErrContention] or [ErrThrottled] when the retry budget was spent
// and nothing was written; [ErrOutcomeUnknown] when the answer was lost and reading could not tell.
//
// Write owns its retries: conflicts with other transactions, requests still in progress, throttling and lost answers
// are sent again, unchanged and under one client token; what was overtaken by another write is prepared again.
func (db *DB) Write(ctx context.Context, parts ...Part) error {
	w := &write{db: db}
	for _, part := range parts {
		if part == nil {
			return Invalid("Operations", "hold a nil")
		}
		part.join(w)
	}
	if err := w.validate(); err != nil {
		return err
	}
	var refs []Ref
	for _, op := range w.ops {
		refs = append(refs, op.contends()...)
	}
	defer func() { w.leave() }()
	if err := w.queue(ctx, refs); err != nil {
		return w.refuse(ctx, err)
	}
	return w.run(ctx)
}

// write is one call of Write.
type write struct {
	db      *DB
	ops     []operation
	invalid error

	keyed  bool
	record Key
	hash   string

	sent  int // requests so far, of all preparations
	pass  *pass
	proof *proof
}

// queue waits for the gates of the items. Its error may be the refusal of the write that was ahead.
func (w *write) queue(ctx context.Context, refs []Ref) error {
	if w.db.opts.NoGates || len(refs) == 0 {
		return nil
	}
	pass, err := w.db.gates.enter(ctx, refs, w.judge)
	if err != nil && ctx.Err() != nil {
		return &Error{Op: w.name(), Entity: "write", Kind: ErrContention, Err: err}
	}
	w.pass = pass
	return err
}

func (w *write) leave() {
	if w.pass != nil {
		w.pass.leave(w.proof)
	}
}

func (w *write) validate() error {
	if w.invalid != nil {
		return w.invalid
	}
	if len(w.ops) == 0 {
		return Invalid("Operations", "are missing")
	}
	for i, op := range w.ops {
		if err := op.invalid(); err != nil {
			if len(w.ops) > 1 {
				err = Within(fmt.Sprintf("Operations[%d]", i), err)
			}
			return fmt.Errorf("%s: %w", op.name(), err)
		}
		if w.keyed && !op.comparable() {
			return Invalid("IdempotencyKey", "cannot cover %s, which states no input: OpSpec.Input, or AgreedOn for an update", op.name())
		}
	}
	if w.keyed {
		w.hash = hashOf(w.ops)
	}
	return nil
}

func (w *write) name() string {
	names := make([]string, len(w.ops))
	for i, op := range w.ops {
		names[i] = op.name()
	}
	return strings.Join(names, " + ")
}

// judge lets any of the operations be refused by what another write has seen; one is enough, for they go together.
func (w *write) judge(seen map[Ref]Item) error {
	for _, op := range w.ops {
		if err := op.judge(seen); err != nil {
			return err
		}
	}
	return nil
}

func (w *write) run(ctx context.Context) error {
	for {
		tx, err := w.prepare(ctx)
		if err != nil {
			return w.refuse(ctx, err)
		}
		if len(tx.actions) == 0 {
			return nil
		}
		if err := tx.check(w.ops); err != nil {
			return err
		}
		err = w.send(ctx, tx)
		switch {
		case errors.Is(err, errMeetsOthers):
			// The operations name nothing that they contend for, and yet another write was there: a cancellation among
			// buyers, say, who would hold the night between them for ever.
			err = w.queue(ctx, tx.refs())
			if err != nil {
				return w.refuse(ctx, err)
			}
			err = ErrOvertaken // what was read is older than the wait
		case !errors.Is(err, ErrOvertaken):
			return w.refuse(ctx, err)
		}
		if !w.pause(ctx) {
			return &Error{Op: w.name(), Entity: "write", Kind: ErrContention, Err: errors.Join(err, ctx.Err())}
		}
	}
}

func (w *write) prepare(ctx context.Context) (*Tx, error) {
	tx := &Tx{made: make([]map[string]string, len(w.ops))}
	for i, op := range w.ops {
		tx.current = i
		if err := op.prepare(ctx, tx); err != nil {
			return nil, err
		}
	}
	if w.keyed && len(tx.actions) > 0 {
		tx.current = len(w.ops)
		tx.Add(w.putRecord(tx.made))
	}
	return tx, nil
}

// refuse returns the error of a write that did not happen, unless it happened in an earlier call under the same key:
// the retry of the booking that took the last room must not be told "sold out". Where the record cannot be read, nobody
// knows, and the refusal is not passed on as if it were certain.
func (w *write) refuse(ctx context.Context, err error) error {
	if err == nil || !w.keyed {
		return err
	}
	detached, cancel := detach(ctx)
	defer cancel()
	var own *ownRecord
	if errors.As(err, &own) && own.record != nil {
		return w.replay(detached, own.record)
	}
	record, readErr := w.db.Get(detached, w.db.opts.Idempotency, w.record, true)
	switch {
	case readErr != nil:
		// The refusal's text alone: a caller who looks for its type must not find it in what is not known.
		return &Error{Op: w.name(), Entity: "write", Kind: ErrOutcomeUnknown, Err: errors.Join(errors.New(err.Error()), readErr)}
	case !w.live(record):
		return err
	}
	return w.replay(detached, record)
}

// ownRecord is the refusal by the record of an earlier call, as the transaction reported it.
type ownRecord struct{ record Item }

func (*ownRecord) Error() string { return "the idempotency key was used" }

// errMeetsOthers asks for a place in the queues before the next try.
var errMeetsOthers = errors.New("another write holds an item")

// tokenLife is shorter than the ten minutes for which DynamoDB remembers a client token: a request that is sent again
// later than that could be carried out twice.
const tokenLife = 9 * time.Minute

// send brings one preparation to an end that is known, or fails with ErrOutcomeUnknown.
func (w *write) send(ctx context.Context, tx *Tx) error {
	token, born := rand.Text(), time.Now()
	var lost error // why an earlier answer is missing, so that the write may have happened
	for {
		if ctx.Err() != nil && lost == nil {
			return &Error{Op: w.name(), Entity: "write", Err: ctx.Err()} // nothing was sent
		}
		since := w.db.gates.tick()
		got := w.db.attempt(ctx, tx, token)
		w.sent++
		switch {
		case got.verdict == done:
			return nil
		case got.verdict == refused && lost != nil && tx.plain():
			// By its own first request, perhaps, which has no token to be known by.
			return w.settle(ctx, tx, lost)
		case got.verdict == refused:
			return w.refused(ctx, tx, got, since)
		case got.verdict == failed && lost != nil:
			return w.settle(ctx, tx, errors.Join(lost, got.err))
		case got.verdict == failed:
			return &Error{Op: w.name(), Entity: "write", Err: got.err}
		case got.verdict == conflict && lost == nil && w.pass == nil && !w.db.opts.NoGates:
			return errMeetsOthers
		case got.verdict == answerLost || got.verdict == inProgress:
			lost = errors.Join(lost, got.err)
			if tx.plain() {
				// Sent again blindly, a plain request could undo what another caller wrote in between.
				if err := w.settle(ctx, tx, lost); !errors.Is(err, errNotDone) {
					return err
				}
			}
		}
		if time.Since(born) < tokenLife && w.pause(ctx) {
			continue
		}
		if lost != nil {
			return w.settle(ctx, tx, errors.Join(lost, ctx.Err()))
		}
		return &Error{Op: w.name(), Entity: "write", Kind: got.verdict.kind(), Err: errors.Join(got.err, ctx.Err())}
	}
}

// pause waits before the next request; false means that the budget or the context is spent.
func (w *write) pause(ctx context.Context) bool { return w.db.opts.Retry.wait(ctx, w.sent) }

// refused gives each operation the failures of its own actions. That one was overtaken outweighs all else: what the
// others were refused for may no longer hold once it is prepared again.
func (w *write) refused(ctx context.Context, tx *Tx, got outcome, since uint64) error {
	byOp := make([][]Failure, len(w.ops))
	overtaken := false
	for _, f := range got.failed {
		owner := tx.ownerOf(f.Ref)
		if owner == len(w.ops) {
			return &ownRecord{f.Old}
		}
		byOp[owner] = append(byOp[owner], f)
		overtaken = overtaken || errors.Is(f.Err, ErrOvertaken)
	}
	if overtaken {
		return ErrOvertaken
	}
	for i, op := range w.ops {
		if len(byOp[i]) == 0 {
			continue
		}
		seen, err := op.refused(ctx, byOp[i])
		if len(seen) > 0 && !errors.Is(err, ErrOvertaken) {
			w.proof = &proof{since, seen}
		}
		return err
	}
	return &Error{Op: w.name(), Entity: "write", Err: got.err} // a cancellation without a reason
}

// settleTime bounds the reading that follows a lost answer. It goes on after the caller's own time is up, because the
// caller needs to know more than ever.
const settleTime = 5 * time.Second

func detach(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), settleTime)
}

// errNotDone comes with ErrOutcomeUnknown where the item of a plain write still is what it was: the request was not
// carried out so far, and may be sent again as it is, under its condition.
var errNotDone = errors.New("not carried out so far")

// settle reads whether the write happened. Only what this write alone can have put there proves that it did; that it is
// missing proves nothing, because a request that was given up may still be on its way.
func (w *write) settle(ctx context.Context, tx *Tx, cause error) error {
	unknown := &Error{Op: w.name(), Entity: "write", Kind: ErrOutcomeUnknown, Err: cause}
	a := tx.witness(len(w.ops))
	if a == nil {
		return unknown
	}
	detached, cancel := detach(ctx)
	defer cancel()
	stored, err := w.db.Get(detached, a.schema, a.key, true)
	switch {
	case err != nil:
		unknown.Err = errors.Join(cause, err)
	case a.shows(stored):
		a.tell(stored)
		return nil
	case tx.plain() && a.untouched(stored):
		unknown.Err = errors.Join(cause, errNotDone)
	}
	return unknown
}
