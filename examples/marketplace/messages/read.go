package messages

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
)

// raise is the change of ReadUpTo. It leaves the write id as it is, so a message that is being sent is not overtaken.
var raise = func() *dynastay.Compiled {
	readUpTo, n := dynastay.NameOf(attrReadUpTo), dynastay.Param("n")
	return dynastay.MustCompile(expression.NewBuilder().
		WithUpdate(expression.Set(readUpTo, n)).
		WithCondition(expression.GreaterThanEqual(dynastay.NameOf(attrReceived), n).
			And(dynastay.Absent(attrReadUpTo).Or(expression.LessThan(readUpTo, n)))))
}()

// MarkReadOp marks what userID has received from otherID as read, up to and including the message with the number upTo,
// or everything if there are not so many. upTo is the Number of the last message from otherID that the user has seen;
// the numbers of the user's own messages count what otherID has received. For messages of other software, which have no
// number, it is Unnumbered of the user's [Conversation]. What is read stays read: a number that is not larger than
// before changes nothing, and neither does 0. It fails with [dynastay.ErrNotFound] if there are no messages, and with a
// [*dynastay.InvalidError]. After [dynastay.ErrOutcomeUnknown], it can simply be repeated.
func (r *Repository) MarkReadOp(userID, otherID string, upTo int) *dynastay.Operation[struct{}] {
	at, err := sideKey(userID, otherID)
	if err == nil && upTo < 0 {
		err = dynastay.Invalid("UpTo", "must not be negative, got %d", upTo)
	}
	target, missing := upTo, false
	// The item is not read first: its condition shows what is needed, and usually nothing is.
	refused := func(old dynastay.Row) error {
		if missing = !old.Exists(); missing {
			return dynastay.ErrOvertaken
		}
		now, err := r.side.Value(old)
		if err != nil {
			return err
		}
		if target = min(upTo, now.Received); target <= now.ReadUpTo {
			return dynastay.ErrSkip
		}
		return dynastay.ErrOvertaken
	}
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "messages.MarkRead", Invalid: err,
		Input: func(in *dynastay.Input) {
			in.Key(at)
			in.Item(dynastay.Item{attrReadUpTo: dynastay.Number(upTo)})
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (none struct{}, err error) {
			if upTo == 0 || tx.Skipped(keys.Table, at) { // what is read stays read, so there is nothing to check again
				return none, nil
			}
			if missing {
				if done, err := r.adopt(ctx, tx, userID, otherID, upTo); done || err != nil {
					return none, err
				}
			}
			tx.Update(keys.Table, at, raise.With(dynastay.Item{"n": dynastay.Number(target)})).Else(refused)
			return none, nil
		},
	})
}

// MarkRead runs [Repository.MarkReadOp]. 1 request, even if it changes nothing; 2 if upTo is too large, 4 if the
// messages were not counted yet.
func (r *Repository) MarkRead(ctx context.Context, userID, otherID string, upTo int) error {
	_, err := dynastay.Do(ctx, r.db, r.MarkReadOp(userID, otherID, upTo))
	return err
}

// adopt puts the sides of a conversation if a has none, with what a has read. It reports false if a has a side by now.
func (r *Repository) adopt(ctx context.Context, tx *dynastay.Tx, a, b string, upTo int) (bool, error) {
	s, err := r.read(ctx, a, b)
	switch {
	case err != nil || s.a.row.Exists():
		return false, err
	case s.empty:
		return false, notFound(a, b)
	}
	s.a.ReadUpTo = max(s.a.ReadUpTo, min(upTo, s.a.Received))
	if !s.b.row.Exists() {
		if err := r.put(tx, s.b); err != nil {
			return false, err
		}
	}
	return true, r.put(tx, s.a)
}
