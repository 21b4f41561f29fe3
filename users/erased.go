package users

import (
	"context"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// ErrErased: the user's data was erased, or is being erased, see [Repository.Erase]. New data of the user is refused.
var ErrErased = dynastay.Refusal("the user's data was erased")

// Erased is what remains of a user whose data was erased, see [Repository.Erase].
type Erased struct {
	UserID   string
	ErasedAt time.Time `json:",omitzero"` // when the user was first erased
}

var erasedEntity = entity.New(entity.Spec[Erased]{
	Name: "Erasure", Operations: "users", Schema: keys.UsersTable, Created: "ErasedAt",
	Key:  func(e *Erased) (dynastay.Key, error) { return keys.Of(keys.Erased{UserID: e.UserID}) },
	IDOf: userOf,
	Codec: entity.Declare(func(f *entity.Fields, e *Erased) {
		f.Const(keys.AttrEntityType, "Erasure")
		f.String("UserId", &e.UserID)
		f.Time("ErasedAt", &e.ErasedAt)
	}),
})

// userOf returns the user's id in a key.
func userOf(k dynastay.Key) string { return strings.TrimPrefix(k.PK, "USER#") }

var absent = dynastay.IfNew(keys.UsersTable)

// checkNotErased adds the check that a user was not erased. Every write that can create an item of a user needs it: the
// item could otherwise be created after [Repository.Erase] has looked for it.
func checkNotErased(tx *dynastay.Tx, op, userID string) error {
	at, err := keys.Of(keys.Erased{UserID: userID})
	if err != nil {
		return err
	}
	tx.Check(keys.UsersTable, at, absent, func(dynastay.Row) error {
		return &dynastay.Error{Op: op, Entity: "User", ID: userID, Kind: ErrErased}
	})
	return nil
}

// NotErasedOp makes a write fail with [ErrErased] if the user's data was erased. Add it to a [dynastay.DB.Write] that
// stores data of the user in tables of your own, so that the write cannot race with an erasure. It adds one condition
// check, and writes nothing.
func (r *Repository) NotErasedOp(userID string) *dynastay.Operation[struct{}] {
	const op = "users.NotErased"
	at, err := keys.Of(keys.Erased{UserID: userID})
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: op, Invalid: err,
		Input: func(in *dynastay.Input) { in.Key(at) },
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			return struct{}{}, checkNotErased(tx, op, userID)
		},
	})
}
