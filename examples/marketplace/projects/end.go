package projects

import (
	"cmp"
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/keys/key"
)

// CompleteOp completes a project in progress, and counts it in the profile of its worker. It fails with
// [dynastay.ErrNotFound] and with a [*StatusError].
func (r *Repository) CompleteOp(projectID string) *dynastay.Operation[*Project] {
	return r.endOp("projects.Complete", projectID, nil, nil, func(_ context.Context, p *Project) (people.Tally, error) {
		if p.Status != InProgress {
			return people.Tally{}, &StatusError{projectID, p.Status}
		}
		p.Status = Completed
		return people.Tally{Jobs: 1, Ended: 1}, nil
	})
}

// Complete runs [Repository.CompleteOp]. 3 requests; 1 more for a project of other software, whose worker must be
// found.
func (r *Repository) Complete(ctx context.Context, projectID string, opts ...dynastay.WriteOption) (*Project, error) {
	return dynastay.Do(ctx, r.db, r.CompleteOp(projectID), opts...)
}

// Cancellation says who gives up a project, and why.
type Cancellation struct {
	ProjectID string
	By        string // the id of the buyer, or of the worker whose bid was accepted
	Reason    string // optional, at most [entity.MaxNote] bytes
}

// ErrNotParty means that the user is neither the buyer of the project nor the worker whose bid was accepted.
var ErrNotParty = dynastay.Refusal("the user is neither the buyer nor the worker")

// CancelOp cancels a project that is open or in progress. If the worker cancels it, it counts as a job that the worker
// has left. All pending bids for an open project have lost, see [Repository.RejectRest]; the accepted bid for a project
// in progress stays ACCEPTED. It fails with [dynastay.ErrNotFound], with a [*StatusError], with [ErrNotParty] and with
// a [*dynastay.InvalidError].
func (r *Repository) CancelOp(c Cancellation) *dynastay.Operation[*Project] {
	invalid := dynastay.Within("Reason", entity.CheckText(c.Reason, entity.MaxNote))
	if _, err := key.Of(keys.Profile{UserID: c.By}); err != nil {
		invalid = inField("By", err)
	}
	agreed := func(in *dynastay.Input) {
		in.Field("by", c.By)
		in.Field("reason", c.Reason)
	}
	return r.endOp("projects.Cancel", c.ProjectID, invalid, agreed, func(ctx context.Context, p *Project) (t people.Tally, _ error) {
		if p.Status != Open && p.Status != InProgress {
			return t, &StatusError{c.ProjectID, p.Status}
		}
		if c.By != p.BuyerID {
			if worker, err := r.WorkerOf(ctx, p); err != nil {
				return t, err
			} else if worker != c.By || p.Status == Open {
				return t, &dynastay.Error{Op: "projects.Cancel", Entity: r.project.Name, ID: c.ProjectID, Err: ErrNotParty}
			}
			t.Ended, p.AcceptedWorkerID = 1, c.By
		}
		p.Status, p.CancelledBy, p.CancelReason = Cancelled, c.By, c.Reason
		return t, nil
	})
}

// Cancel runs [Repository.CancelOp]. 2 requests if the buyer cancels, otherwise as many as [Repository.Complete].
func (r *Repository) Cancel(ctx context.Context, c Cancellation, opts ...dynastay.WriteOption) (*Project, error) {
	return dynastay.Do(ctx, r.db, r.CancelOp(c), opts...)
}

// endOp ends a project. end changes it, and returns what to count in the profile of its worker.
func (r *Repository) endOp(
	name, projectID string, invalid error, agreed func(*dynastay.Input), end func(context.Context, *Project) (people.Tally, error),
) *dynastay.Operation[*Project] {
	at, err := key.Of(keys.Project{ProjectID: projectID})
	return dynastay.NewOp(dynastay.OpSpec[*Project]{
		Name: name, Invalid: cmp.Or(err, invalid), Contest: contest(at),
		Input: func(in *dynastay.Input) {
			in.Key(at)
			if agreed != nil {
				agreed(in)
			}
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Project, error) {
			row, err := r.db.Get(ctx, keys.Table, at, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			p, err := r.Read(projectID, row)
			if err != nil {
				return nil, err
			}
			wasOpen := p.Status == Open
			tally, err := end(ctx, p)
			if err != nil {
				return nil, err
			}
			if tally != (people.Tally{}) {
				if err := r.countWorker(ctx, tx, at, p, tally); err != nil {
					return nil, err
				}
			}
			if wasOpen {
				if err := r.startRejecting(tx, projectID); err != nil {
					return nil, err
				}
			}
			return r.change(tx, at, row, func(now *Project) {
				now.Status, now.CancelledBy, now.CancelReason = p.Status, p.CancelledBy, p.CancelReason
				now.AcceptedWorkerID = p.AcceptedWorkerID
			})
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Project, error) { return r.again(ctx, projectID) },
	})
}

// countWorker moves the counters of the worker of a project in progress, after the operations that move them already.
func (r *Repository) countWorker(ctx context.Context, tx *dynastay.Tx, at dynastay.Key, p *Project, t people.Tally) error {
	id, err := r.WorkerOf(ctx, p)
	if err != nil {
		return err
	}
	p.AcceptedWorkerID = id
	worker, err := key.Of(keys.Profile{UserID: id})
	if err != nil {
		return unusable(r.project, r.project.IDOf(at), err)
	}
	err = tx.Contend(ctx, dynastay.Contest{Items: []dynastay.Ref{
		dynastay.RefOf(keys.Table, at), dynastay.RefOf(keys.Table, worker),
	}})
	if err != nil {
		return err
	}
	row, err := r.db.Get(ctx, keys.Table, worker, dynastay.Consistent)
	if err != nil {
		return err
	}
	if _, err := r.people.Read(id, row); err != nil {
		return err
	}
	return r.people.Count(ctx, tx, row, t)
}

// WorkerOf returns the id of the worker whose bid was accepted, or "" if none was. It reads the bids of a project that
// other software has given to a worker, because that stores the id of the bid only; otherwise it sends no requests.
func (r *Repository) WorkerOf(ctx context.Context, p *Project) (string, error) {
	if p.AcceptedWorkerID != "" || p.AcceptedBidID == "" {
		return p.AcceptedWorkerID, nil
	}
	project, err := r.project.Key(p)
	if err != nil {
		return "", unusable(r.project, p.ID, err)
	}
	bids, err := r.allBids(ctx, project.PK)
	if err != nil {
		return "", err
	}
	for _, b := range bids {
		if b.Text("bidId") == p.AcceptedBidID && b.Text("workerId") != "" {
			return b.Text("workerId"), nil
		}
	}
	return "", &dynastay.Error{
		Entity: r.project.Name, ID: p.ID, Field: "AcceptedBidID", Kind: dynastay.ErrCorrupt, Err: errNoWorker,
	}
}

var errNoWorker = errors.New("must be the id of a bid for the project")
