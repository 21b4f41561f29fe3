package dynastay

import (
	"context"
	"fmt"
	"time"
)

// outlive returns a context that lasts [Options.Settle] longer than the caller's. Everything that a write reads after
// the caller's context has ended shares this one budget: the caller still needs to know the outcome, but must not be
// kept waiting.
func (w *write) outlive(ctx context.Context) context.Context {
	if w.late == nil {
		late, cancel := context.WithCancel(context.WithoutCancel(ctx))
		stop := context.AfterFunc(ctx, func() { time.AfterFunc(w.db.opts.Settle, cancel) })
		w.late, w.endLate = late, func() { stop(); cancel() }
	}
	return w.late
}

// end releases what the write holds.
func (w *write) end() {
	w.leave()
	if w.endLate != nil {
		w.endLate()
	}
}

// notDone says that a plain update has not been carried out so far: its item is the one that was read. The same request
// may be sent again, with its condition.
type notDone struct{ error }

func (n *notDone) Unwrap() error { return n.error }

// settle finds out the outcome of a write whose response was lost. It returns nil if the write was carried out,
// [ErrOvertaken] if it never will be, a [*notDone], or [ErrOutcomeUnknown]. Only what this write alone can have left
// behind counts, never values, because another caller may have written the same ones. A missing trace proves nothing: a
// request that was abandoned may still arrive.
// See docs/decisions/0003-lost-answers.md for what a write id proves.
func (w *write) settle(ctx context.Context, tx *Tx, got outcome, cause error) error {
	if got.verdict == Refused { // the refusal reports the current item
		a, now := tx.actions[0], got.failed[0].old.Item()
		if a.trace(now) == untouched {
			// A further condition of RewriteIf does not hold, so it would not help to send the request again. The lost
			// request may still be carried out, if the condition holds again.
			return w.unknown(cause)
		}
		return w.conclude(tx, a, now, cause)
	}
	w.leave()
	late := w.outlive(ctx)
	if w.keyed {
		record, err := w.db.Get(late, w.db.opts.Idempotency, w.record, Consistent)
		switch {
		case err != nil:
			return w.unknown(cause, opaque(err))
		case w.db.live(record):
			return w.replay(late, record)
		}
		return w.unknown(cause)
	}
	a := tx.witness()
	if a == nil {
		return w.unknown(cause)
	}
	stored, err := w.db.Get(late, a.schema, a.key, Consistent)
	if err != nil {
		return w.unknown(cause, opaque(err))
	}
	return w.conclude(tx, a, stored.Item(), cause)
}

func (w *write) conclude(tx *Tx, a *Action, stored Item, cause error) error {
	switch trace := a.trace(stored); {
	case trace == carried:
		w.running.settled(SettledByRead)
		return nil
	case trace == overtaken:
		w.running.settled(SettledByRead)
		w.met = tx.refs()
		return ErrOvertaken
	case trace == untouched && tx.plain():
		return &notDone{w.unknown(cause)}
	}
	return w.unknown(cause)
}

// restore reads the results of what was carried out, by this write or by an earlier one with the same key, from the
// recorded ids. The write happened even if the results cannot be read, so a read error must not be returned as if it
// were the error of the write.
func (w *write) restore(ctx context.Context, made []map[string]string) error {
	for i, op := range w.ops {
		if err := op.restore(ctx, made[i]); err != nil {
			return w.fail(ErrCommitted, fmt.Errorf("%s: %s", op.name(), err), context.Cause(ctx))
		}
	}
	return nil
}
