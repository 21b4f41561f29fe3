package dynastay

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Write carries out operations, of any repositories and of the caller's own tables, all or none: in one
// TransactWriteItems, or as a plain request where one action is all there is. Nil means that this very call wrote, or, under
// an [IdempotencyKey], an earlier one with the same key.
//
// Nothing was written after the error of an operation that was refused, the first one of several; after [ErrInvalid], which comes before any request;
// after [ErrRejected]; and after [ErrContention], [ErrThrottled] and [ErrUnavailable], when the retry budget was spent.
// [ErrCommitted] means that it was written, and [ErrOutcomeUnknown] that nobody can tell.
//
// Write owns its retries. Transactions that met another one, are still in progress, were throttled or lost their answer are
// sent again, unchanged and under one client token. A plain request is sent again only where its item shows that it was
// not carried out. What was overtaken by another write is prepared again.
func (db *DB) Write(ctx context.Context, parts ...Part) error {
	w := &write{db: db}
	for _, part := range parts {
		if part == nil {
			return Invalid(fmt.Sprintf("Operations[%d]", len(w.ops)), "is nil")
		}
		part.join(w)
	}
	if err := w.validate(); err != nil {
		return err
	}
	defer w.end()
	for _, op := range w.ops {
		w.contests = append(w.contests, op.contest())
	}
	if err := w.queue(ctx, w.contended()); err != nil {
		return w.refuse(ctx, err)
	}
	return w.run(ctx)
}

// write is one call of Write.
type write struct {
	db       *DB
	ops      []operation
	contests []*Contest // of the operations, nil for none
	invalid  error

	keyed  bool
	record Key
	hash   string

	sent    int // requests so far, of all preparations
	pass    *pass
	proof   *proof
	skipped map[Ref]bool // the items whose actions are given up
	met     []Ref        // the items on which the last preparation met another write
	late    context.Context
	endLate func()
}

// queue waits for the gates of the items, and of those that the write holds already: it takes them all anew, in the one order
// in which nobody waits for anybody who waits. Its error may be the refusal of the write that was ahead.
func (w *write) queue(ctx context.Context, refs []Ref) error {
	if w.pass != nil {
		refs = append(slices.Clone(w.pass.held), refs...)
	}
	w.leave()
	if w.db.opts.NoGates || len(refs) == 0 {
		return nil
	}
	pass, err := w.db.gates.enter(ctx, refs, w.judge)
	if err != nil && ctx.Err() != nil {
		return w.fail(ErrContention, err)
	}
	w.pass = pass
	return err
}

// leave gives the gates to the next in line. It comes before everything that is read about a write that is over, however
// it ended: that may take long, and changes nothing for those who wait.
func (w *write) leave() {
	if w.pass != nil {
		w.pass.leave(w.proof)
		w.pass = nil
	}
}

// queued reports whether the write has its turn for all of the items, or no turns are taken.
func (w *write) queued(refs []Ref) bool {
	return w.db.opts.NoGates || !slices.ContainsFunc(refs, func(ref Ref) bool {
		return w.pass == nil || !slices.Contains(w.pass.held, ref)
	})
}

func (w *write) validate() error {
	if w.invalid != nil {
		return w.invalid
	}
	if len(w.ops) == 0 {
		return Invalid("Operations", "must not be empty")
	}
	for i, op := range w.ops {
		if err := op.invalid(); err != nil && len(w.ops) == 1 {
			return fmt.Errorf("%s: %w", op.name(), err)
		} else if err != nil {
			return w.placed(i, err)
		}
		if w.keyed && !op.restorable() {
			return Invalid("IdempotencyKey", "cannot be used with %s, which has no Restore function to read its result again", op.name())
		}
		if w.keyed && !op.comparable() {
			return Invalid("IdempotencyKey", "cannot be used with %s, which has no input to compare: set OpSpec.Input, or pass AgreedOn to an update", op.name())
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
func (w *write) judge(seen map[Ref]Row) error {
	for _, c := range w.contests {
		if c != nil && c.Judge != nil {
			if err := c.Judge(seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// contend is [Tx.Contend].
func (w *write) contend(ctx context.Context, op int, c Contest) error {
	w.contests[op] = &c
	if w.queued(c.Items) {
		return nil
	}
	return w.queue(ctx, w.contended())
}

func (w *write) contended() (refs []Ref) {
	for _, c := range w.contests {
		if c != nil {
			refs = append(refs, c.Items...)
		}
	}
	return refs
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
			return w.refuse(ctx, err)
		}
		if err := w.send(ctx, tx); !errors.Is(err, ErrOvertaken) {
			return w.refuse(ctx, err)
		}
		if !w.pause(ctx) {
			return w.refuse(ctx, w.fail(ErrContention, ErrOvertaken, ctx.Err()))
		}
		if !w.queued(w.met) {
			// Another write was at an item for which this one has no turn: a cancellation among buyers, say, who would hold
			// the night between them for ever. From now on it takes its turn for all of them.
			if err := w.queue(ctx, append(tx.refs(), w.contended()...)); err != nil {
				return w.refuse(ctx, err)
			}
		}
	}
}

func (w *write) prepare(ctx context.Context) (*Tx, error) {
	tx := &Tx{write: w, stamp: newStamp(), made: make([]map[string]string, len(w.ops))}
	for i, op := range w.ops {
		tx.current = i
		if err := op.prepare(ctx, tx); err != nil {
			return nil, w.placed(i, err)
		}
		if len(tx.made[i]) > 0 && !op.notes() {
			// A replay would answer with the result of a preparation that was not carried out.
			return nil, &Error{Op: op.name(), Entity: "write", Err: errNoRestore}
		}
	}
	if w.keyed {
		// Even where there is nothing to write: what the key stands for was done then, and is not done later.
		tx.current = len(w.ops)
		w.putRecord(tx)
	}
	return tx, nil
}

// errNoRestore is an error of the program.
var errNoRestore = errors.New("the operation calls Tx.Made but has no Restore function")

// placed gives a refused input of one of several operations its place, beside the field.
func (w *write) placed(i int, err error) error {
	if len(w.ops) == 1 || !errors.Is(err, ErrInvalid) {
		return err // as the operation gave it
	}
	return &Error{Op: w.ops[i].name(), Entity: fmt.Sprintf("Operations[%d]", i), Err: err}
}

// refuse returns the error of a write that did not happen, unless it did in an earlier call under the same key: the retry of
// the booking that took the last room must not be told "sold out". Where that cannot be read nobody knows, and the refusal is
// not passed on as if it were certain.
func (w *write) refuse(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, ErrOutcomeUnknown) || errors.Is(err, ErrCommitted) {
		return err
	}
	w.leave()
	if !w.keyed {
		return err
	}
	late := w.outlive(ctx)
	var own *ownRecord
	if errors.As(err, &own) && own.record.Exists() {
		return w.replay(late, own.record)
	}
	record, readErr := w.db.Get(late, w.db.opts.Idempotency, w.record, Consistent)
	switch {
	case errors.Is(err, ErrRejected) && errors.Is(readErr, ErrRejected):
		return err // DynamoDB takes nothing from this caller
	case readErr != nil:
		return w.unknown(opaque(err), opaque(readErr))
	case w.db.live(record):
		return w.replay(late, record)
	case own != nil: // the record has ended its life in this very moment
		return w.fail(ErrContention, own)
	}
	return err
}

// unknown is the error of a write of which nobody knows whether it was done.
func (w *write) unknown(causes ...error) error { return w.fail(ErrOutcomeUnknown, causes...) }

// fail is an error of the write as a whole; kind and causes may be nil.
func (w *write) fail(kind error, causes ...error) error {
	return &Error{Op: w.name(), Entity: "write", Kind: kind, Err: errors.Join(causes...)}
}

// opaque keeps the text of an error only. A caller who looks for a refusal, or for "nothing was written", must not find it
// in what is not known, or was done.
func opaque(err error) error { return errors.New(err.Error()) }

// ownRecord is the refusal by the record of an earlier call, as the transaction reported it.
type ownRecord struct{ record Row }

func (*ownRecord) Error() string { return "the idempotency key was already used" }

// tokenLife is shorter than the ten minutes for which DynamoDB remembers a client token: a request that is sent again
// later than that could be carried out twice.
const tokenLife = 9 * time.Minute

// send brings one preparation to an end that is known, or fails with [ErrOutcomeUnknown]. ErrOvertaken asks for another
// preparation: this one was not carried out, and never will be.
func (w *write) send(ctx context.Context, tx *Tx) error {
	token, born := rand.Text(), time.Now()
	var lost error // why an earlier answer is missing, so that the write may have happened
	for {
		if ctx.Err() != nil && lost == nil {
			return w.fail(nil, ctx.Err()) // nothing was sent
		}
		since := w.db.gates.tick()
		got := w.db.attempt(ctx, tx, token)
		w.sent++
		next := nextMove(tx.plain(), lost != nil, got.verdict)
		cause := errors.Join(lost, got.err)
		if got.verdict == answerLost {
			lost = cause
		}
		var looked error
		switch next {
		case finish:
			return nil
		case judge:
			err := w.refused(ctx, tx, got, since)
			if lost == nil || tx.dead(got.failed) {
				return err
			}
			// The lost request may yet arrive, when what it was refused for has changed: a guest who was told "sold out" would
			// have a room, and a new preparation could be carried out beside this one.
			return w.settle(ctx, tx, outcome{}, errors.Join(cause, opaque(err)))
		case meet:
			if w.met = got.refs; !w.queued(w.met) {
				return ErrOvertaken // and prepared again, for what was read is older than the wait
			}
		case look:
			looked = w.settle(ctx, tx, got, cause)
			if again := (*notDone)(nil); !errors.As(looked, &again) {
				return looked
			}
		case giveUp:
			return w.fail(got.verdict.kind(), got.err)
		}
		switch {
		case time.Since(born) < tokenLife && w.pause(ctx):
		case looked != nil:
			return errors.Unwrap(looked)
		case lost != nil:
			return w.settle(ctx, tx, got, errors.Join(cause, ctx.Err()))
		case got.verdict == unsent && ctx.Err() != nil: // which is why it was not sent
			return w.fail(nil, got.err, ctx.Err())
		default:
			return w.fail(got.verdict.kind(), got.err, ctx.Err())
		}
	}
}

// pause waits before the next request; false means that the budget or the context is spent.
func (w *write) pause(ctx context.Context) bool { return w.db.opts.Retry.wait(ctx, w.sent) }

// refused says why the conditions did not hold. That one was overtaken outweighs all else: what the others were refused for
// may no longer hold once it is prepared again.
func (w *write) refused(ctx context.Context, tx *Tx, got outcome, since uint64) error {
	w.met = got.refs
	reasons := make([]error, len(got.failed))
	for i, f := range got.failed {
		if f.action.owner == len(w.ops) {
			return &ownRecord{f.old}
		}
		reasons[i] = w.reason(f)
	}
	if slices.ContainsFunc(reasons, func(err error) bool { return errors.Is(err, ErrOvertaken) }) {
		w.skipped = nil // what was given up may be what has changed
		return ErrOvertaken
	}
	if skipped := w.giveUp(got.failed, reasons); skipped {
		return ErrOvertaken
	}
	contest := w.contests[got.failed[0].action.owner]
	seen := map[Ref]Row{}
	for i, f := range got.failed {
		if f.action.owner == got.failed[0].action.owner {
			if !contest.judges(f.action.ref()) {
				return reasons[i]
			}
			seen[f.action.ref()] = f.old
		}
	}
	if contest.See != nil {
		var err error
		if seen, err = contest.See(ctx); err != nil {
			return err
		}
	}
	err := contest.Judge(seen)
	if err == nil {
		return ErrOvertaken // by now nothing speaks against it
	}
	w.proof = &proof{since, seen}
	return err
}

// giveUp notes the actions that the next preparation does without, and reports whether there are any.
func (w *write) giveUp(failed []failure, reasons []error) (any bool) {
	for i, f := range failed {
		if errors.Is(reasons[i], ErrSkip) {
			if w.skipped == nil {
				w.skipped = map[Ref]bool{}
			}
			w.skipped[f.action.ref()], any = true, true
		}
	}
	return any
}

// reason is what the failure of one action means.
func (w *write) reason(f failure) error {
	contest, ref := w.contests[f.action.owner], f.action.ref()
	if !contest.judges(ref) {
		return f.meaning()
	}
	if err := contest.Judge(map[Ref]Row{ref: f.old}); err != nil {
		return err
	}
	return ErrOvertaken // what it was refused for has changed already
}
