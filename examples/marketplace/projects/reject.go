package projects

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// Rejection is a project whose pending bids are to be rejected, see [Repository.RejectRest].
type Rejection struct {
	ProjectID string
	At        time.Time // when the project was closed
}

func newRejections() *entity.Entity[Rejection] {
	return entity.New(entity.Spec[Rejection]{
		Name: "Rejection", Operations: "projects", Schema: keys.Table,
		Key:  func(v *Rejection) (dynastay.Key, error) { return key.Of(keys.Rejecting{ProjectID: v.ProjectID}) },
		IDOf: func(at dynastay.Key) string { return strings.TrimPrefix(at.PK, "PROJECT#") },
		Codec: entity.Declare(func(f *entity.Fields, v *Rejection) {
			f.Const("entityType", "REJECTING")
			f.String("projectId", &v.ProjectID)
			f.Time("createdAt", &v.At)
		}),
		Indexes: map[string]func(*Rejection) (dynastay.Key, error){
			keys.Index2: func(v *Rejection) (dynastay.Key, error) {
				return key.Of(keys.RejectingByTime{At: v.At, ProjectID: v.ProjectID})
			},
		},
	})
}

// Rejecting returns the projects that were closed and whose pending bids are not all rejected, the oldest first. Call
// [Repository.RejectRest] for each, for example every minute; it can be called while the list is being read. The index
// lags: a project that was closed just now may be missing. 1 request a page.
func (r *Repository) Rejecting() dynastay.List[*Rejection] {
	partition, err := key.Partition(keys.RejectingByTime{})
	if err != nil {
		return dynastay.NoList[*Rejection](err)
	}
	return r.rejections.List(dynastay.Query{Name: "projects.Rejecting", Index: keys.Index2, Partition: partition})
}

// RejectRest rejects the pending bids of a project that is not open any more, and returns how many it has rejected. If
// it fails, call it again; it goes on where it ended. For a project that has none, that is open or that other software
// has closed, it does nothing. Bids that cannot be read do not keep it from rejecting the others; it then fails with a
// [*dynastay.UnreadableError], and the project remains in the list of Rejecting until they are mended.
//
// 1 request if there is nothing to do. Otherwise 3 requests, and 1 for each bid; more if the bids have more than 1 MB.
func (r *Repository) RejectRest(ctx context.Context, projectID string) (int, error) {
	at, err := key.Of(keys.Rejecting{ProjectID: projectID})
	if err != nil {
		return 0, err
	}
	// Bids are read after this item was seen. Nobody can bid once it is there.
	row, err := r.db.Get(ctx, keys.Table, at, dynastay.Consistent)
	if err != nil || !row.Exists() {
		return 0, err
	}
	bids, err := r.allBids(ctx, at.PK)
	if err != nil {
		return 0, err
	}
	rejected, failed := make([]bool, len(bids)), make([]error, len(bids))
	err = r.db.Each(ctx, len(bids), func(ctx context.Context, i int) (err error) {
		if rejected[i], err = dynastay.Do(ctx, r.db, r.rejectOp(bids[i])); errors.Is(err, dynastay.ErrCorrupt) {
			failed[i], err = err, nil
		}
		return err
	})
	n := 0
	for _, done := range rejected {
		if done {
			n++
		}
	}
	failed = slices.DeleteFunc(failed, func(err error) bool { return err == nil })
	switch {
	case err != nil:
		return n, err
	case len(failed) > 0:
		return n, &dynastay.UnreadableError{Items: failed}
	}
	return n, r.rejections.Delete(ctx, at, dynastay.OrMissing())
}

// rejectOp rejects a bid that was read, if it is still pending. It returns whether it was.
func (r *Repository) rejectOp(row dynastay.Row) *dynastay.Operation[bool] {
	at := keys.Table.Key.From(row)
	first := true
	return dynastay.NewOp(dynastay.OpSpec[bool]{
		Name: "projects.reject",
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (_ bool, err error) {
			if !first { // overtaken by a revision
				if row, err = r.db.Get(ctx, keys.Table, at, dynastay.Consistent); err != nil {
					return false, err
				}
			}
			first = false
			if row.Text("status") != string(Pending) {
				return false, nil
			}
			_, err = pair{r: r, at: at, row: row}.move(tx, Rejected)
			return true, err
		},
	})
}
