package dynastay

import (
	"context"
	"fmt"
	"time"
)

// outlive is the caller's context and [Options.Settle] more. All that a write reads after its caller's time is up shares
// this one budget: the caller needs to know more than ever, and yet has to be answered.
func (w *write) outlive(ctx context.Context) context.Context {
	if w.late == nil {
		late, cancel := context.WithCancel(context.WithoutCancel(ctx))
		stop := context.AfterFunc(ctx, func() { time.AfterFunc(w.db.opts.Settle, cancel) })
		w.late, w.endLate = late, func() { stop(); cancel() }
	}
	return w.late
}

// end gives back what the write holds.
func (w *write) end() {
	w.leave()
	if w.endLate != nil {
		w.endLate()
	}
}

// notDone is the answer that a plain update was not carried out so far: its item is the one that was read. The same
// request may be sent again, under its condition.
type notDone struct{ error }

func (n *notDone) Unwrap() error { return n.error }

// settle finds out what became of a write whose answer was lost: nil, it was carried out; [ErrOvertaken], it never will be;
// [*notDone]; or [ErrOutcomeUnknown]. Only what this write alone can have left counts, never values, which another caller
// may have written as well. That a trace is missing proves nothing: a request that was given up may still be on its way.
func (w *write) settle(ctx context.Context, tx *Tx, got outcome, cause error) error {
	if got.verdict == refused { // and reports the item as it is
		return w.conclude(tx, tx.actions[0], got.failed[0].old.Item(), cause)
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
		return nil
	case trace == overtaken:
		w.met = tx.refs()
		return ErrOvertaken
	case trace == untouched && tx.plain():
		return &notDone{w.unknown(cause)}
	}
	return w.unknown(cause)
}

// restore reads the results of what was carried out, by this write or by an earlier one under its key, from the ids that
// were noted. It is done whether or not they can be read, so no error of the reading is passed on as that of the write.
func (w *write) restore(ctx context.Context, made []map[string]string) error {
	for i, op := range w.ops {
		if err := op.restore(ctx, made[i]); err != nil {
			return w.fail(ErrCommitted, fmt.Errorf("read the result of %s: %s", op.name(), err), context.Cause(ctx))
		}
	}
	return nil
}
