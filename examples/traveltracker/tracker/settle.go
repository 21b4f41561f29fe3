package tracker

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

var errNotPending = errors.New("it is not waiting for a decision")

// Settle decides about an operation that waits for a decision, with a rule such as [ClientWins], or with a function. The
// conflicts are those with what the server has now, including what the same device has written since. That may be newer
// than what the person saw: a function can compare the version of the Visit in the [Conflict], and return [Ask] if it has
// changed. If the rule asks again, nothing is written, and the operation goes on waiting. Settle fails with
// [dynastay.ErrNotFound] if no such operation is waiting, also if it was settled before. The id of a visit of a batch ends
// in its number, as in "{operation_id}.1".
//
// 3 requests: two consistent reads and the write.
func (r *Repository) Settle(ctx context.Context, userID, operationID string, rule Rule) (Result, error) {
	base, i := splitPartID(operationID)
	seenAt, err := key.Of(keys.Seen{UserID: userID, OperationID: base})
	if rule.decide == nil {
		err = cmp.Or(err, dynastay.Invalid("rule", "is required"))
	}
	return dynastay.Do(ctx, r.db, dynastay.NewOp(dynastay.OpSpec[Result]{
		Name: opSettle, Invalid: err,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (Result, error) {
			if err := contend(ctx, tx, userID); err != nil {
				return Result{}, err
			}
			seenRow, err := r.db.Get(ctx, keys.Table, seenAt, dynastay.Consistent)
			if err != nil {
				return Result{}, err
			}
			remembered := &seen{}
			if seenRow.Exists() {
				if remembered, err = r.seen.Value(seenRow); err != nil {
					return Result{}, err
				}
			}
			if i >= len(remembered.Parts) || remembered.Parts[i].Outcome != Waiting {
				return Result{}, notPending(operationID)
			}
			a := &application{r: r, userID: userID, rule: rule, waited: &remembered.Parts[i].Version}
			waiting, err := a.readPending(ctx, operationID, remembered.Parts[i])
			if err != nil {
				return Result{}, err
			}
			if !waiting.Exists() {
				return Result{}, notPending(operationID)
			}
			if err := a.decide(ctx, tx); err != nil || a.answers[0].Outcome == Waiting {
				return a.result(), err
			}
			removal, err := tx.Remove(keys.Table, waiting, r.entry.Known()...)
			if err != nil {
				return Result{}, err
			}
			removal.Else(overtaken)
			c, err := r.seens.ChangeOf(seenAt, seenRow, func(s *seen) error {
				s.Parts[i] = a.answers[0]
				return nil
			})
			if err != nil {
				return Result{}, err
			}
			return a.result(), c.AddTo(tx)
		},
	}))
}

const opSettle = "tracker.Settle"

func notPending(operationID string) error {
	return &dynastay.Error{
		Op: opSettle, Entity: "Operation", ID: operationID, Kind: dynastay.ErrNotFound, Err: errNotPending,
	}
}

// splitPartID is the reverse of partID. An operation that is no batch is its own first part.
func splitPartID(id string) (operationID string, i int) {
	base, n, batch := strings.Cut(id, ".")
	if number, err := strconv.Atoi(n); batch && err == nil && number > 0 {
		return base, number - 1
	}
	return id, 0
}

// readPending reads an operation that waits, and what it depends on.
func (a *application) readPending(ctx context.Context, operationID string, answer seenPart) (dynastay.Row, error) {
	at, err := key.Of(keys.Pending{UserID: a.userID, At: answer.PendingAt, OperationID: operationID})
	if err != nil {
		return dynastay.Row{}, err
	}
	p := part{id: operationID}
	a.op = Operation{ID: operationID, Entity: User}
	if answer.EntityID != a.userID {
		a.op.Entity = VisitedPlace
		if p.visit, err = parseVisitID(answer.EntityID); err != nil {
			return dynastay.Row{}, err
		}
	}
	a.parts = []part{p}
	rows, err := a.readWith(ctx, at)
	if err != nil || !rows[0].Exists() {
		return dynastay.Row{}, err
	}
	e, err := a.r.entry.Value(rows[0])
	if err != nil {
		return dynastay.Row{}, err
	}
	a.deviceID, a.parts[0].kind, a.parts[0].edit = e.DeviceID, e.Type, editOf(e.pending, e.Entity)
	a.op.Type, a.op.ClientVersion, a.op.ClientTime = e.Type, e.ClientVersion, e.ClientTime
	a.receivedAt = e.At
	return rows[0], nil
}

// decide adds the actions, unless the operation goes on waiting.
func (a *application) decide(ctx context.Context, tx *dynastay.Tx) error {
	if err := a.applyPart(tx, 0); err != nil || a.answers[0].Outcome == Waiting {
		return err
	}
	return a.finish(ctx, tx)
}
