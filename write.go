package dynastay

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
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
		part.join(w)
	}
	if err := w.validate(); err != nil {
		return err
	}
	if db.opts.NoGates {
		return w.run(ctx)
	}
	var refs []Ref
	for _, op := range w.ops {
		refs = append(refs, op.contends()...)
	}
	pass, err := db.gates.enter(ctx, refs, w.judge)
	if err != nil {
		return w.refuse(ctx, err)
	}
	defer func() { pass.leave(w.proof) }()
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

	sent  int   // requests so far, of all preparations
	last  error // the last one's
	lost  bool  // the answer to a plain request is missing
	proof *proof
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
		err = w.send(ctx, tx)
		if !errors.Is(err, ErrOvertaken) {
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
	return tx, tx.check(w.ops)
}

// refuse returns the error of a write that did not happen, unless it happened in an earlier call under the same key:
// the retry of the booking that took the last room must not be told "sold out".
func (w *write) refuse(ctx context.Context, err error) error {
	var invalid *InvalidError
	if err == nil || !w.keyed || ctx.Err() != nil || errors.As(err, &invalid) {
		return err
	}
	var own *ownRecord
	if errors.As(err, &own) {
		return w.replay(ctx, own.record)
	}
	record, readErr := w.db.Get(ctx, w.db.opts.Idempotency, w.record, true)
	if readErr != nil || !w.live(record) {
		return err
	}
	return w.replay(ctx, record)
}

// ownRecord is the refusal by the record of an earlier call, as the transaction reported it.
type ownRecord struct{ record Item }

func (*ownRecord) Error() string { return "the idempotency key was used" }

// tokenLife is shorter than the ten minutes for which DynamoDB remembers a client token: a request that is sent again
// later than that could be carried out twice.
const tokenLife = 9 * time.Minute

// send brings one preparation to an end that is known, or fails with ErrOutcomeUnknown.
func (w *write) send(ctx context.Context, tx *Tx) error {
	token, born := rand.Text(), time.Now()
	lost := false // an earlier answer is missing, so the write may have happened
	for {
		since := w.db.gates.tick()
		got := w.db.attempt(ctx, tx, token)
		w.sent++
		w.last = got.err
		switch got.verdict {
		case done:
			return nil
		case refused:
			if w.lost {
				return w.settle(ctx, tx, got.err) // by an earlier preparation of its own, perhaps
			}
			return w.refused(ctx, tx, got.failed, since)
		case failed:
			if lost {
				return w.settle(ctx, tx, got.err)
			}
			return &Error{Op: w.name(), Entity: "write", Err: got.err}
		case answerLost:
			lost = true
			w.lost = w.lost || len(tx.actions) == 1
			if w.lost {
				// A plain request has no client token: sent again blindly, it could undo what another caller wrote
				// in between. So it is settled by reading first.
				return w.settle(ctx, tx, got.err)
			}
		}
		if time.Since(born) > tokenLife || !w.pause(ctx) {
			if lost || got.verdict == inProgress {
				return w.settle(ctx, tx, got.err)
			}
			return &Error{Op: w.name(), Entity: "write", Kind: got.verdict.kind(), Err: errors.Join(got.err, ctx.Err())}
		}
	}
}

// pause waits before the next request, with full jitter; false means that the budget or the context is spent.
func (w *write) pause(ctx context.Context) bool {
	r := w.db.opts.Retry
	if w.sent >= r.Attempts || ctx.Err() != nil {
		return false
	}
	bound := r.Base << min(w.sent-1, 20)
	if bound <= 0 || bound > r.Cap {
		bound = r.Cap
	}
	timer := time.NewTimer(mathrand.N(bound))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// refused gives each operation the failures of its own actions. That one was overtaken outweighs all else: what the
// others were refused for may no longer hold once it is prepared again.
func (w *write) refused(ctx context.Context, tx *Tx, failed []Failure, since uint64) error {
	byOp := make([][]Failure, len(w.ops)+1)
	overtaken := false
	for _, f := range failed {
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
		err, seen := op.refused(ctx, byOp[i])
		if len(seen) > 0 && !errors.Is(err, ErrOvertaken) {
			w.proof = &proof{since, seen}
		}
		return err
	}
	return &Error{Op: w.name(), Entity: "write", Kind: ErrContention, Err: w.last}
}

// settleTime bounds the reading that follows a lost answer. It goes on after the caller's own time is up, because the
// caller needs to know more than ever.
const settleTime = 5 * time.Second

// settle reads whether the write happened. ErrOvertaken means that it did not, and that a plain request may be
// prepared again.
func (w *write) settle(ctx context.Context, tx *Tx, cause error) error {
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	unknown := &Error{Op: w.name(), Entity: "write", Kind: ErrOutcomeUnknown, Err: cause}
	// The idempotency record, which comes last, is the surest witness.
	for i := len(tx.actions) - 1; i >= 0; i-- {
		a := tx.actions[i]
		if a.shows == nil {
			continue
		}
		stored, err := w.db.Get(detached, a.schema, a.key, true)
		switch {
		case err != nil:
			unknown.Err = errors.Join(cause, err)
			return unknown
		case a.shows(stored):
			return nil
		case len(tx.actions) == 1 && ctx.Err() == nil && same(stored, a.before):
			return ErrOvertaken
		}
		return unknown
	}
	return unknown
}

func same(a, b Item) bool { return len(a) == len(b) && holds(a, b) }
