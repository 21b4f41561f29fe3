package signin

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/users"
)

// Eraser deletes the login and the sessions of a user: pass it to users.Repository.Erase.
func (s *Signins) Eraser() users.Eraser { return eraser{s} }

type eraser struct{ *Signins }

// Check returns nil: nobody must be kept for a login.
func (eraser) Check(context.Context, string) error { return nil }

// Erase deletes what the table has of the user.
func (e eraser) Erase(ctx context.Context, userID string) (done map[string]int, err error) {
	partition, err := key.Partition(loginKey{UserID: userID})
	if err != nil {
		return nil, err
	}
	rows, err := dynastay.QueryAll(ctx, e.db, Table, dynastay.Query{Partition: partition, Consistent: true})
	if err != nil {
		return nil, err
	}
	done = map[string]int{}
	for _, row := range rows {
		// A session and a login are deleted alike.
		switch err := e.sessions.Delete(ctx, Table.Key.From(row)); {
		case errors.Is(err, dynastay.ErrNotFound):
		case err != nil:
			return done, err
		default:
			done["logins and sessions deleted"]++
		}
	}
	return done, nil
}
