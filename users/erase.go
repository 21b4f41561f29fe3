package users

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Eraser erases or anonymises what another package, or a platform's own code, stores of a user. The repositories of
// bookings, properties and reviews have erasers.
type Eraser interface {
	// Check returns an error if the user cannot be erased yet, for example because of a booking that has not ended. It
	// must not write anything.
	Check(ctx context.Context, userID string) error
	// Erase does one pass, and returns how much it has done, such as 3 for "bookings anonymised". The result is empty
	// if it has found nothing to do. It runs at least twice, and again if the erasure is repeated. With an error, it
	// returns what it has done until then.
	Erase(ctx context.Context, userID string) (map[string]int, error)
}

// Erasure is the report of [Repository.Erase].
type Erasure struct {
	UserID   string
	ErasedAt time.Time      `json:",omitzero"` // when the user was first erased; zero if this call ended before that
	Done     map[string]int `json:",omitzero"` // what this call has done, such as "wishlists deleted": 2
}

// Erase deletes everything that this package stores of a user, in the tables Users and Metadata, and whatever other
// software stores there in the user's partitions. It also runs the given erasers, for what other packages store. Only
// an item with the user's id and the time of the erasure remains.
//
// First it runs [Repository.CheckErasure]; if that returns an error, nothing has been written, and Erase returns the
// error. Then it puts the item that remains. From then on, this package refuses with [ErrErased] to create a profile,
// preferences, a loyalty account or a wishlist for the user; use [Repository.NotErasedOp] for the same in your own
// writes. Then it erases in passes, until two successive passes have found nothing. Between those two it waits for
// [dynastay.Options.IndexLag], because erasers may know the data only from indexes, and for writes that were in flight.
// In each pass, the erasers come first. So a user for whom an eraser finds a reason to refuse only then, such as a
// booking that was made after the check, still has a profile, and can cancel it; call Erase again afterwards.
//
// If Erase fails or is interrupted, call it again: it continues where it stopped. It can also be repeated for a user
// who was erased before. The result is what was done until then, even if there is an error. Erase does not require the
// user to exist, so check the id: an id that was erased cannot be used again.
//
// Erase fails with [ErrEmailSecret], and with [dynastay.ErrCorrupt] if the profile cannot be read, since the guard of
// its address would remain. It takes 9 requests for a user with only a profile, 1 more for every 99 other items in each
// table, and those of the erasers; 6 for a user who was erased before.
func (r *Repository) Erase(ctx context.Context, userID string, erasers ...Eraser) (_ *Erasure, err error) {
	ctx, end := r.db.Begin(ctx, "users.Erase")
	defer func() { end(err) }()
	report := &Erasure{UserID: userID, Done: map[string]int{}}
	err = checkErasers(userID, erasers)
	if err == nil {
		err = r.emails.check(ctx)
	}
	if err == nil {
		err = check(ctx, userID, erasers)
	}
	if err == nil {
		report.ErasedAt, err = r.bury(ctx, userID)
	}
	for clean := 0; err == nil && clean < 2; {
		var found bool
		if found, err = r.pass(ctx, userID, erasers, report.Done); found {
			clean = 0
		} else if clean++; err == nil && clean == 1 {
			err = r.db.AwaitIndexes(ctx)
		}
	}
	return report, err
}

// CheckErasure returns an error if [Repository.Erase] with the same erasers would refuse to erase the user, and nil
// otherwise. It writes nothing. If several erasers refuse, the error joins their errors. The requests are those of the
// erasers.
func (r *Repository) CheckErasure(ctx context.Context, userID string, erasers ...Eraser) error {
	if err := checkErasers(userID, erasers); err != nil {
		return err
	}
	return check(ctx, userID, erasers)
}

func checkErasers(userID string, erasers []Eraser) error {
	_, err := keys.Of(keys.Erased{UserID: userID})
	for i, e := range erasers {
		if e == nil && err == nil {
			err = dynastay.Invalid(fmt.Sprintf("Erasers[%d]", i), "is required")
		}
	}
	return err
}

func check(ctx context.Context, userID string, erasers []Eraser) error {
	var all []error
	for _, e := range erasers {
		if err := e.Check(ctx, userID); err != nil {
			all = append(all, err)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

// ErasedAt returns when the data of a user was first erased; the zero time if it was not. opts may contain
// [dynastay.Consistent]. 1 request, a GetItem.
func (r *Repository) ErasedAt(ctx context.Context, userID string, opts ...dynastay.ReadOption) (_ time.Time, err error) {
	ctx, end := r.db.Begin(ctx, "users.ErasedAt")
	defer func() { end(err) }()
	at, err := keys.Of(keys.Erased{UserID: userID})
	if err != nil {
		return time.Time{}, err
	}
	t, err := r.tombstones.Get(ctx, at, opts...)
	switch {
	case errors.Is(err, dynastay.ErrNotFound):
		return time.Time{}, nil
	case err != nil:
		return time.Time{}, err
	}
	return t.ErasedAt, nil
}

// bury puts the tombstone, unless there is one, and returns its time. A lost request can be sent again: if it arrives
// late, it finds the tombstone.
// See docs/decisions/0016-reviews-move-ratings.md for why a tombstone is needed.
func (r *Repository) bury(ctx context.Context, userID string) (time.Time, error) {
	at, err := keys.Of(keys.Erased{UserID: userID})
	if err != nil {
		return time.Time{}, err
	}
	var t *Erased
	for range claims {
		t, err = r.tombstones.Create(ctx, &Erased{UserID: userID})
		if errors.Is(err, dynastay.ErrAlreadyExists) {
			t, err = r.tombstones.Get(ctx, at, dynastay.Consistent)
		}
		if !errors.Is(err, dynastay.ErrOutcomeUnknown) {
			break
		}
	}
	if err != nil {
		return time.Time{}, err
	}
	return t.ErasedAt, nil
}

// pass erases what it finds, adds it to done, and reports whether it has found anything.
func (r *Repository) pass(ctx context.Context, userID string, erasers []Eraser, done map[string]int) (found bool, err error) {
	note := func(what string, n int) {
		if n > 0 {
			done[what] += n
			found = true
		}
	}
	for _, e := range erasers {
		did, err := e.Erase(ctx, userID)
		for what, n := range did {
			note(what, n)
		}
		if err != nil {
			return found, err
		}
	}
	for _, s := range []*dynastay.Schema{keys.UsersTable, keys.MetadataTable} {
		if err := r.erasePartition(ctx, s, userID, note); err != nil {
			return found, err
		}
	}
	return found, nil
}

// maxDeleted is the number of items that one transaction can delete: with the check of the tombstone, it has 100
// actions.
const maxDeleted = 99

// erasePartition deletes the items of a user in one table, except for the tombstone.
func (r *Repository) erasePartition(ctx context.Context, s *dynastay.Schema, userID string, note func(string, int)) error {
	tombstone, err := keys.Of(keys.Erased{UserID: userID})
	if err != nil {
		return err
	}
	profile, err := keys.Of(keys.Profile{UserID: userID})
	if err != nil {
		return err
	}
	rows, err := dynastay.QueryAll(ctx, r.db, s, dynastay.Query{Partition: profile.PK, Consistent: true})
	if err != nil {
		return err
	}
	var others []dynastay.Key
	for _, row := range rows {
		switch at := s.Key.From(row); {
		case s == keys.UsersTable && at == tombstone:
		case s == keys.UsersTable && at == profile:
			if err := r.eraseProfile(ctx, profile, userID); err != nil {
				return err
			}
			note("profiles deleted", 1)
		default:
			others = append(others, at)
		}
	}
	for part := range slices.Chunk(others, maxDeleted) {
		if _, err := dynastay.Do(ctx, r.db, eraseOp(s, userID, part)); err != nil {
			return err
		}
		for _, at := range part {
			note(kindOf(s, at), 1)
		}
	}
	return nil
}

// eraseProfile deletes the profile and the guard of its address.
func (r *Repository) eraseProfile(ctx context.Context, at dynastay.Key, userID string) error {
	if err := r.emails.claim(ctx, opErase); err != nil {
		return err
	}
	err := r.db.Write(ctx, eraseOp(keys.UsersTable, userID, nil), r.table.DeleteOp(at, dynastay.OrMissing()))
	if errors.Is(err, dynastay.ErrInvalid) { // other software stored it without the user's id, and so without a guard
		err = r.db.Write(ctx, eraseOp(keys.UsersTable, userID, []dynastay.Key{at}))
	}
	return err
}

const opErase = "users.Erase"

var present = dynastay.MustCompile(expression.NewBuilder().WithCondition(
	expression.AttributeExists(dynastay.NameOf(keys.UsersTable.Key.Partition)))).With(nil)

// eraseOp deletes items of a user. With the check of the tombstone, even the deletion of a single item is a
// transaction, which can be sent again if its response is lost.
func eraseOp(s *dynastay.Schema, userID string, items []dynastay.Key) *dynastay.Operation[struct{}] {
	at, err := keys.Of(keys.Erased{UserID: userID})
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: opErase, Invalid: err,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Check(keys.UsersTable, at, present, func(dynastay.Row) error {
				return &dynastay.Error{Op: opErase, Entity: "Erasure", ID: userID, Kind: dynastay.ErrNotFound}
			})
			for _, item := range items {
				tx.Delete(s, item)
			}
			return struct{}{}, nil
		},
	})
}

// kindOf returns what an item that was deleted is called in the report.
func kindOf(s *dynastay.Schema, at dynastay.Key) string {
	switch {
	case s == keys.MetadataTable && strings.HasPrefix(at.SK, keys.SortKind[keys.Wishlist]()):
		return "wishlists deleted"
	case s == keys.UsersTable && strings.HasPrefix(at.SK, keys.SortKind[keys.LoyaltyEntry]()):
		return "loyalty entries deleted"
	case s == keys.UsersTable && at.SK == keys.SortKind[keys.Loyalty]():
		return "loyalty accounts deleted"
	case s == keys.UsersTable && at.SK == keys.SortKind[keys.Preference]():
		return "preferences deleted"
	}
	return "other items deleted"
}
