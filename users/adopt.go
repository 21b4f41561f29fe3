package users

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// AdoptRow makes a profile that other software has written one of the library's: its e-mail address, also with the secret of
// [Options], is found and stays its own, unless another user has it. Nothing else changes. It does nothing to an item that is no
// profile, or that has a write id. It reports whether it has written something, and fails with [dynastay.ErrCorrupt] for a profile
// that no method can change, with [ErrErased] for one that other software has stored again, and with [ErrEmailSecret]. It is the Each
// of a walk of the table Users, see package migrate.
//
// 3 requests for a profile without a write id, otherwise none; the first use of the repository takes 1 or 2 more, see [New].
func (r *Repository) AdoptRow(ctx context.Context, row dynastay.Row) (adopted bool, err error) {
	at, other := key.Parse[keys.Profile](keys.UsersTable.Key.From(row))
	if other != nil || row.Value(keys.UsersTable.WriteIDName()).Kind() == dynastay.KindBinary {
		return false, nil
	}
	ctx, end := r.db.Begin(ctx, "users.Adopt")
	defer func() { end(err) }()
	if err := r.emails.claim(ctx, "users.Adopt"); err != nil { // the secret decides on the keys that are written
		return false, err
	}
	erased, err := r.ErasedAt(ctx, at.UserID, dynastay.Consistent)
	switch {
	case err != nil:
		return false, err
	case !erased.IsZero(): // its address must not get a guard again
		now, err := r.db.Get(ctx, keys.UsersTable, keys.UsersTable.Key.From(row), dynastay.Consistent)
		if err != nil || !now.Exists() { // it was erased after the row was read
			return false, err
		}
		return false, &dynastay.Error{Op: "users.Adopt", Entity: "User", ID: at.UserID, Kind: ErrErased}
	}
	return r.table.AdoptRow(ctx, row)
}
