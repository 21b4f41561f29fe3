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

// Write carries out operations of any repositories and of the caller's own tables atomically: in one TransactWriteItems
// request, or as a plain request if there is only one action. Nil means that this call wrote, or, with an
// [IdempotencyKey], that an earlier call with the same key did.
//
// Nothing was written if the error is that of a refused operation (the first one, if several are refused),
// [ErrInvalid], [ErrIdempotencyMismatch], [ErrRejected], or one of [ErrContention], [ErrThrottled] and
// [ErrUnavailable], which are returned when the retry budget is used up. [ErrCommitted] means that the write happened,
// and [ErrOutcomeUnknown] that its outcome cannot be determined.
//
// Write does all retries itself. A transaction that conflicted with another one, is still in progress, was throttled,
// or lost its response is sent again unchanged, with the same client token. A plain request is sent again only if its
// item shows that it was not carried out. An operation that was overtaken by another write is prepared again.
func (db *DB) Write(ctx context.Context, parts ...Part) (err error) {
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
	if db.opts.Observer != nil {
		var end func(error)
		ctx, end = db.begin(ctx, w.name())
		w.running = db.running(ctx)
		defer func() {
			if errors.Is(err, ErrOutcomeUnknown) {
				w.running.settled(Unsettled)
			}
			end(err)
		}()
	}
	defer w.end()
	for _, op := range w.ops {
		w.contests = append(w.contests, op.contest())
	}
	if err := w.queue(ctx, w.contended()); err != nil && !errors.Is(err, ErrOvertaken) {
		return w.refuse(ctx, err)
	}
	return w.run(ctx)
}

// write is one call of Write.
// See docs/decisions/0001-one-transaction-per-write.md for why a write is never split.
type write struct {
	db       *DB
	ops      []operation
	contests []*Contest // of the operations; nil if none
	invalid  error
	owner    owner // of IfUser and IfProperty

	keyed  bool
	record Key
	hash   string

	sent    int // requests so far, of all preparations
	spent   int // of the retry budget: the requests, and the preparations that were overtaken
	pass    *pass
	proof   *proof
	skipped map[Ref]skip // actions that are skipped
	found   map[Ref]Row  // items as they were when a condition on them failed
	met     []Ref        // items on which the last preparation conflicted with another write
	running *running
	late    context.Context
	endLate func()
}

// queue waits for the gates of the items, and of those that the write already holds. It takes all of them again in the
// fixed order that prevents deadlocks. Its error may be the refusal of the write that was ahead.
func (w *write) queue(ctx context.Context, refs []Ref) error {
	if w.pass != nil {
		refs = append(slices.Clone(w.pass.held), refs...)
	}
	w.leave()
	if w.db.opts.NoGates || len(refs) == 0 {
		return nil
	}
	pass, err := w.db.gates.enter(ctx, refs, w.judge)
	w.running.waited(pass.waits)
	switch {
	case err == nil:
		w.pass = pass
		return nil
	case ctx.Err() != nil:
		return w.fail(ErrContention, err)
	}
	return w.confirm(ctx, err)
}

// confirm returns a refusal, or ErrOvertaken if it was judged from something that is no longer so.
func (w *write) confirm(ctx context.Context, refusal error) error {
	for _, c := range w.contests {
		if c == nil || c.Still == nil {
			continue
		}
		switch still, err := c.Still(ctx); {
		case err != nil:
			return err
		case !still:
			return ErrOvertaken
		}
	}
	return refusal
}

// leave passes the gates to the next in line. It is called before anything is read about the outcome of a finished
// write: such reads may take long, and make no difference to those waiting.
func (w *write) leave() {
	if w.pass != nil {
		w.pass.leave(w.proof)
		w.pass = nil
	}
}

// queued reports whether the write has its turn for all of the items, or gates are turned off.
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
			return Invalid("IdempotencyKey", "cannot be used with %s, which has no Restore function to read back its result: set OpSpec.Restore", op.name())
		}
		if w.keyed && !op.comparable() {
			return Invalid("IdempotencyKey", "cannot be used with %s, which has no input to compare: set OpSpec.Input, or pass AgreedOn to an update", op.name())
		}
	}
	if w.keyed {
		w.hash = hashOf(w.ops, w.owner)
	}
	return w.checkOwner()
}

func (w *write) name() string {
	names := make([]string, len(w.ops))
	for i, op := range w.ops {
		names[i] = op.name()
	}
	return strings.Join(names, " + ")
}

// judge returns the refusal of any of the operations, given what another write has seen. One is enough, because the
// operations are written together.
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
		if errors.Is(err, ErrOvertaken) {
			if w.spent++; w.pause(ctx) { // it counts as an attempt
				continue
			}
			err = w.fail(ErrContention, ErrOvertaken, ctx.Err())
		}
		if err != nil {
			return w.refuse(ctx, err)
		}
		if tx.idle() {
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
			// The conflict was on an item for which this write does not queue. For example, a cancellation competes
			// with buyers who queue for a night, and who would pass it on among themselves forever. From now on the
			// write queues for all of its items.
			if err := w.queue(ctx, append(tx.refs(), w.contended()...)); err != nil && !errors.Is(err, ErrOvertaken) {
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
		switch {
		case len(tx.made[i]) > 0 && !op.notes():
			// A replay would return the result of a preparation that was not carried out.
			return nil, &Error{Op: op.name(), Entity: "write", Err: errNoRestore}
		case tx.twice != "":
			return nil, &Error{Op: op.name(), Entity: "write", Field: tx.twice, Err: errMadeTwice}
		}
	}
	tx.leaveOut()
	if w.keyed {
		// Even if there is nothing to write: the call with this key is then complete, and must not be done later.
		tx.current = len(w.ops)
		w.putRecord(tx)
	}
	tx.makeRoom()
	return tx, nil
}

// These are programming errors. Creation.AddTo of package entity calls Tx.Made.
var (
	errNoRestore = errors.New("the operation records what it creates, with Tx.Made or Creation.AddTo, so OpSpec.Restore is required to read it back")
	errMadeTwice = errors.New("the operation records two ids under this name, with Tx.Made or Creation.AddTo, so OpSpec.Restore could read back only one of them")
)

// placed adds the operation's position to an invalid input, if there are several operations.
func (w *write) placed(i int, err error) error {
	if len(w.ops) == 1 || !errors.Is(err, ErrInvalid) {
		return err // as the operation returned it
	}
	return &Error{Op: w.ops[i].name(), Entity: fmt.Sprintf("Operations[%d]", i), Err: err}
}

// refuse returns the error of a write that did not happen, unless an earlier call with the same key made it: the retry
// of a booking that took the last room must not get "sold out". If that cannot be read, the outcome is unknown, and the
// refusal must not be returned as if it were certain.
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
		return err // DynamoDB rejects every request of this caller
	case readErr != nil:
		return w.unknown(opaque(err), opaque(readErr))
	case w.db.live(record):
		return w.replay(late, record)
	case own != nil: // the record has expired in the meantime
		return w.fail(ErrContention, own)
	}
	return err
}

// unknown is the error of a write whose outcome is unknown.
func (w *write) unknown(causes ...error) error { return w.fail(ErrOutcomeUnknown, causes...) }

// fail is an error of the write as a whole; kind and causes may be nil.
func (w *write) fail(kind error, causes ...error) error {
	return &Error{Op: w.name(), Entity: "write", Kind: kind, Err: errors.Join(causes...)}
}

// opaque keeps only the text of an error. If the outcome is unknown, or the write was done, errors.Is must not find a
// refusal or an error that means "nothing was written".
func opaque(err error) error { return errors.New(err.Error()) }

// ownRecord is the refusal because of the record of an earlier call, as reported by the transaction.
type ownRecord struct{ record Row }

func (*ownRecord) Error() string { return "the idempotency key was already used" }

// tokenLife is shorter than the ten minutes for which DynamoDB remembers a client token: a request that is sent again
// after that could be carried out twice.
const tokenLife = 9 * time.Minute

// send brings one preparation to a known outcome, or fails with [ErrOutcomeUnknown]. [ErrOvertaken] requests another
// preparation: this one was not carried out, and never will be.
func (w *write) send(ctx context.Context, tx *Tx) error {
	token, born := rand.Text(), time.Now()
	var lost error // why an earlier response is missing; if set, the write may have happened
	for {
		if ctx.Err() != nil && lost == nil {
			return w.fail(nil, ctx.Err()) // nothing was sent
		}
		since := w.db.gates.tick()
		w.sent, w.spent = w.sent+1, w.spent+1
		got := w.db.attempt(ctx, tx, token, w.sent)
		next := nextMove(tx.plain(), lost != nil, got.verdict)
		cause := errors.Join(lost, got.err)
		if got.verdict == Lost {
			lost = cause
		}
		var looked error
		switch next {
		case finish:
			w.answered(lost)
			return nil
		case explain:
			err := w.refused(ctx, tx, got, since)
			if lost == nil || tx.dead(got.failed) {
				w.answered(lost)
				return err
			}
			// The lost request may still arrive after the reason for the refusal has gone: a guest who was told "sold
			// out" would then have a room, and a new preparation could be carried out in addition to this one.
			return w.settle(ctx, tx, outcome{}, errors.Join(cause, opaque(err)))
		case meet:
			if w.met = got.refs; !w.queued(w.met) {
				return ErrOvertaken // prepare again: what was read is older than the wait
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
		case got.verdict == Unsent && isEnd(ctx, got.err): // which is why it was not sent
			return w.fail(nil, got.err, ctx.Err())
		default:
			return w.fail(got.verdict.kind(), got.err, ctx.Err())
		}
	}
}

// answered notes for the observer that the answer to a request counts for an earlier one, if that was lost.
func (w *write) answered(lost error) {
	if lost != nil {
		w.running.settled(SettledByRetry)
	}
}

// pause waits before the next request; it returns false if the retry budget is used up or the context has ended.
func (w *write) pause(ctx context.Context) bool { return w.db.opts.Retry.wait(ctx, w.spent) }

// refused returns why the conditions did not hold. ErrOvertaken from any action takes precedence: the reasons of the
// others may no longer apply after the operation is prepared again. A refusal comes next. An action is skipped only if
// there is none: once it is left out, the write may succeed although it was refused a moment ago.
func (w *write) refused(ctx context.Context, tx *Tx, got outcome, since uint64) error {
	w.met = got.refs
	w.note(got.failed)
	var failed []failure
	var reasons []error
	overtaken := false
	for _, f := range got.failed {
		if f.action.owner == len(w.ops) {
			return &ownRecord{f.old}
		}
		reason := w.reason(f)
		overtaken = overtaken || errors.Is(reason, ErrOvertaken)
		if !errors.Is(reason, ErrSkip) {
			failed, reasons = append(failed, f), append(reasons, reason)
		}
	}
	switch {
	case overtaken:
		w.skipped = nil // what was skipped may have changed
		return ErrOvertaken
	case len(failed) == 0:
		w.giveUp(tx, got.failed)
		return ErrOvertaken
	}
	contest := w.contests[failed[0].action.owner]
	seen := map[Ref]Row{}
	for i, f := range failed {
		if f.action.owner == failed[0].action.owner {
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
		return ErrOvertaken // nothing prevents it by now
	}
	w.proof = &proof{since, seen}
	return w.confirm(ctx, err)
}

// reason returns the error for the failure of one action.
func (w *write) reason(f failure) error {
	contest, ref := w.contests[f.action.owner], f.action.ref()
	if !contest.judges(ref) {
		return f.meaning()
	}
	if f.action.failed != nil && errors.Is(f.action.failed(f.old), ErrSkip) {
		return ErrSkip
	}
	if err := contest.Judge(map[Ref]Row{ref: f.old}); err != nil {
		return err
	}
	return ErrOvertaken // the reason for the refusal has already gone
}
