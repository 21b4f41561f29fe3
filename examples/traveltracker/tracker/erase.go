package tracker

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Erase removes a user with all visits, statistics and operations. Of the user's log only the head is left, with the
// id and the time, so that no device brings anything back: once the head is marked, every operation that is pushed fails
// with [dynastay.ErrNotFound], and once the profile is deleted, an empty push and RecordLogin as well. Repeat Erase until
// it succeeds; a further call does nothing. It fails with [dynastay.ErrNotFound] if the user never existed. Backups and
// streams may still contain the data.
//
// 2 requests to mark the log, 2 to delete the profile, and then a Query for every 1,000 items and a request for every 25.
func (r *Repository) Erase(ctx context.Context, userID string) error {
	if err := r.markErased(ctx, userID); err != nil {
		return err
	}
	profile, err := key.Of(keys.Profile{UserID: userID})
	if err != nil {
		return err
	}
	// The profile goes before the rest: statistics are written only while there is one.
	if err := r.profiles.Delete(ctx, profile, dynastay.OrMissing()); err != nil {
		return err
	}
	head, err := key.Of(keys.Head{UserID: userID})
	if err != nil {
		return err
	}
	for _, partition := range []string{profile.PK, head.PK} {
		if err := r.empty(ctx, partition, head); err != nil {
			return err
		}
	}
	return nil
}

// markErased marks the head of a user's log. Every write of the user's is conditional on the head.
func (r *Repository) markErased(ctx context.Context, userID string) error {
	at, err := key.Of(keys.Head{UserID: userID})
	profile, _ := key.Of(keys.Profile{UserID: userID}) // has the same form
	_, err = dynastay.Do(ctx, r.db, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "tracker.Erase", Invalid: err,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (none struct{}, err error) {
			if err := contend(ctx, tx, userID); err != nil {
				return none, err
			}
			rows, err := r.db.GetAll(ctx, keys.Table, []dynastay.Key{at, profile}, dynastay.Consistent)
			if err != nil {
				return none, err
			}
			now := r.db.Now()
			switch {
			case rows[0].Exists():
				c, err := r.heads.ChangeOf(at, rows[0], func(h *head) error {
					if h.Erased.IsZero() {
						h.Erased = now
					}
					return nil
				})
				if err != nil {
					return none, err
				}
				return none, c.AddTo(tx)
			case !rows[1].Exists():
				return none, r.noUser(userID)
			}
			item, err := r.head.Item(&head{UserID: userID, Erased: now, Updated: now})
			if err == nil {
				tx.Put(keys.Table, item).Identified().If(dynastay.IfNew(keys.Table), overtaken)
			}
			return none, err
		},
	}))
	return err
}

// empty deletes all items of a partition but one.
func (r *Repository) empty(ctx context.Context, partition string, but dynastay.Key) error {
	all := dynastay.ListOf(r.db, keys.Table, dynastay.Query{
		Name: "tracker.Erase", Partition: partition, Consistent: true,
	}, func(_ context.Context, row dynastay.Row) (dynastay.Key, error) { return keys.Table.Key.From(row), nil })
	var after dynastay.Cursor
	for {
		page, err := all.Page(ctx, dynastay.Paging{Limit: 1000, After: after})
		if err != nil {
			return err
		}
		var gone []dynastay.Key
		for _, at := range page.Items {
			if at != but {
				gone = append(gone, at)
			}
		}
		if err := r.db.DeleteAll(ctx, keys.Table, gone); err != nil {
			return err
		}
		if after = page.Next; after == "" {
			return nil
		}
	}
}
