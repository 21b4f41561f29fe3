package tracker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Server is the device id of changes that the service itself makes. For conflicts, it is a device like any other: under
// [ServerWins], what is stored wins, whoever wrote it.
const Server = "server"

// Push is what a device sends: its operations since the last push, in the order in which they were made.
type Push struct {
	UserID     string
	DeviceID   string
	Operations []Operation
	Rule       Rule // for conflicts; default: ServerWins
}

// Outcome is what became of an operation.
type Outcome string

// The outcomes of an operation.
const (
	Applied        Outcome = "applied"
	AlreadyApplied Outcome = "already_applied" // it was applied when it was sent before
	Rejected       Outcome = "conflict"        // because of a conflict; Visit or Profile is what the server has
	Waiting        Outcome = "pending"         // for [Repository.Settle]
	Refused        Outcome = "refused"         // it is invalid, and nothing was written; Err says why
)

// Result is the answer to one operation.
type Result struct {
	OperationID string
	Outcome     Outcome
	// Version of the visit or the profile after the operation was decided. That of a repeated operation is what it was
	// then; the present one is in Visit or Profile.
	Version int
	Visit   *Visit   // as it is stored now; nil if it does not exist
	Profile *Profile // for an operation on a User
	// Conflict is set also if the operation was applied all the same. For a repeated operation, it has the fields alone.
	Conflict *Conflict
	// Err of a refused operation is a [*dynastay.InvalidError], which names the field, or a [*dynastay.Error] with
	// [dynastay.ErrAlreadyExists] for an address that belongs to another user.
	Err error
	// Parts of a BatchCreate, one for each visit. The outcome of the whole is Waiting if that of any visit is, otherwise
	// Rejected if that of any visit is.
	Parts []Result
}

// Push applies the operations of a device one after another, each in one transaction with its entry in the log, and
// answers each. Every operation is applied once, however often the device repeats it, even months later.
//
// It fails with [dynastay.ErrNotFound] if there is no such user, and with an error such as [dynastay.ErrThrottled] if
// DynamoDB does. The results are then those of the operations before the one that failed. Repeat the push: the
// operations that were applied are recognised.
//
// 2 requests for each operation: a consistent read of all that it depends on, and the write; 1 more if it has the first
// visit of a region, 1 for a repeated or refused operation, none for an invalid one; and 1 at the end.
func (r *Repository) Push(ctx context.Context, p Push) ([]Result, error) {
	for _, field := range []struct{ name, id string }{{"UserID", p.UserID}, {"DeviceID", p.DeviceID}} {
		if _, err := key.Of(keys.Profile{UserID: field.id}); err != nil {
			return nil, rename(err, "UserID", field.name)
		}
	}
	if p.Rule.decide == nil {
		p.Rule = ServerWins
	}
	var results []Result
	for _, o := range p.Operations {
		result, err := dynastay.Do(ctx, r.db, r.applyOp(p.UserID, p.DeviceID, o, p.Rule))
		if refusal(err) {
			result, err = Result{OperationID: o.ID, Outcome: Refused, Err: err}, nil
		}
		if err != nil {
			return results, fmt.Errorf("operation %s: %w", o.ID, err)
		}
		results = append(results, result)
	}
	return results, r.synced(ctx, p.UserID)
}

// refusal reports whether an error is that of the operation itself, which no repetition changes.
func refusal(err error) bool {
	return errors.Is(err, dynastay.ErrInvalid) || errors.Is(err, dynastay.ErrAlreadyExists)
}

func rename(err error, from, to string) error {
	var invalid *dynastay.InvalidError
	if errors.As(err, &invalid) && invalid.Field == from {
		invalid.Field = to
	}
	return err
}

// synced records the time of a push. The profile's version stays as it is, because the user has changed nothing.
func (r *Repository) synced(ctx context.Context, userID string) error {
	return r.raise(ctx, "tracker.Push", userID, attrLastSync)
}

// RecordLogin records that a user has logged in now. 1 request.
func (r *Repository) RecordLogin(ctx context.Context, userID string) error {
	return r.raise(ctx, "tracker.RecordLogin", userID, attrLastLogin)
}

// raise sets a time of the profile to the present, unless it is later already.
func (r *Repository) raise(ctx context.Context, op, userID, attr string) error {
	at, err := key.Of(keys.Profile{UserID: userID})
	_, err = dynastay.Do(ctx, r.db, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: op, Invalid: err,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			// In whole seconds, whose texts sort by time. Other software stores the same form, or a NULL.
			now := dynastay.Instant(r.db.Now().Truncate(time.Second))
			tx.Update(keys.Table, at, raising[attr].With(dynastay.Item{"now": now})).Else(func(row dynastay.Row) error {
				if !row.Exists() {
					return r.noUser(userID)
				}
				return dynastay.ErrSkip
			})
			return struct{}{}, nil
		},
	}))
	return err
}

var raising = map[string]*dynastay.Compiled{attrLastSync: raised(attrLastSync), attrLastLogin: raised(attrLastLogin)}

func raised(attr string) *dynastay.Compiled {
	name := dynastay.NameOf(attr)
	return dynastay.MustCompile(expression.NewBuilder().
		WithUpdate(expression.Set(name, dynastay.Param("now"))).
		WithCondition(expression.AttributeExists(dynastay.NameOf(keys.Table.Key.Partition)).
			And(dynastay.Absent(attr).Or(name.LessThan(dynastay.Param("now"))))))
}
