package users

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// VerifyRow compares an item with what follows from it: of a profile, its index keys and its guards; of a guard, the profile that it
// names. It fails with an [*entity.DifferentError] if they contradict each other, which [Repository.MendRow] mends for a profile; a
// guard that nothing needs is to be deleted. It does nothing to other items, and never writes. It is the Each of a walk of the table
// Users, see package migrate; such items count as refused.
//
// 1 request for a profile or a guard; up to 3 more for one that seems to differ.
//
// [*entity.DifferentError]: https://pkg.go.dev/github.com/dynastay/dynastay/entity#DifferentError
func (r *Repository) VerifyRow(ctx context.Context, row dynastay.Row) (changed bool, err error) {
	ctx, end := r.db.Begin(ctx, "users.VerifyRow")
	defer func() { end(err) }()
	if err := r.emails.check(ctx); err != nil { // the secret decides on the keys
		return false, err
	}
	switch at := keys.UsersTable.Key.From(row); {
	case key.Is[keys.Profile](at):
		return r.table.VerifyRow(ctx, row)
	case key.Is[keys.EmailGuard](at):
		return r.table.VerifyGuard(ctx, row)
	}
	return false, nil
}

// MendRow writes the index keys and guards of a profile that [Repository.VerifyRow] finds different. It reports whether it has
// written something. A value that belongs to another profile is left to that one. 2 requests more than VerifyRow.
func (r *Repository) MendRow(ctx context.Context, row dynastay.Row) (mended bool, err error) {
	if !key.Is[keys.Profile](keys.UsersTable.Key.From(row)) {
		return false, nil
	}
	ctx, end := r.db.Begin(ctx, "users.MendRow")
	defer func() { end(err) }()
	if err := r.emails.claim(ctx, "users.MendRow"); err != nil { // the secret decides on the keys
		return false, err
	}
	return r.table.MendRow(ctx, row)
}
