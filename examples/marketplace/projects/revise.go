package projects

import (
	"cmp"
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// pair is a bid and its project.
type pair struct {
	r               *Repository
	projectAt, at   dynastay.Key
	projectRow, row dynastay.Row // as they were read
	project         *Project
	bid             *Bid
}

// pairOf returns the pair before it is read. Its error names the argument.
func (r *Repository) pairOf(projectID, workerID string) (p pair, err error) {
	p.r = r
	if p.projectAt, err = key.Of(keys.Project{ProjectID: projectID}); err == nil {
		p.at, err = key.Of(keys.Bid{ProjectID: projectID, WorkerID: workerID})
	}
	return p, err
}

// pending reads the pair, and fails unless the project is open and the bid pending. 1 request.
func (p pair) pending(ctx context.Context) (pair, error) {
	rows, err := p.r.db.GetAll(ctx, keys.Table, []dynastay.Key{p.projectAt, p.at}, dynastay.Consistent)
	if err != nil {
		return p, err
	}
	p.projectRow, p.row = rows[0], rows[1]
	if p.project, err = p.r.open(p.r.project.IDOf(p.projectAt), p.projectRow); err != nil {
		return p, err
	}
	if !p.row.Exists() {
		return p, &dynastay.Error{Entity: p.r.bid.Name, ID: p.r.bid.IDOf(p.at), Kind: dynastay.ErrNotFound}
	}
	if p.bid, err = p.r.bid.Value(p.row); err == nil && p.bid.Status != Pending {
		err = &BidStatusError{p.bid.ProjectID, p.bid.WorkerID, p.bid.Status}
	}
	return p, err
}

// move adds the action that moves the bid to another status.
func (p pair) move(tx *dynastay.Tx, to BidStatus) (*Bid, error) {
	c, err := p.r.bids.ChangeOf(p.at, p.row, func(b *Bid) error { return p.r.usableBid(p.at, b) })
	if err != nil {
		return nil, err
	}
	return p.r.writeBid(tx, c, func(b *Bid) { b.Status = to })
}

// ReviseOp changes a pending bid with fn, which may change what the worker has written, and may be called more than
// once. It fails with [dynastay.ErrNotFound], with a [*StatusError] if the project is not open any more, with a
// [*BidStatusError] if the bid is not pending, with [dynastay.ErrVersion] if a condition in opts does not hold, and
// with a [*dynastay.InvalidError].
func (r *Repository) ReviseOp(
	projectID, workerID string, fn func(*Bid) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Bid] {
	bid, err := r.pairOf(projectID, workerID)
	return dynastay.NewOp(dynastay.OpSpec[*Bid]{
		Name: "projects.Revise", Invalid: cmp.Or(err, r.bid.CheckUpdate(opts...)), Input: entity.InputOf(bid.at, opts...), Options: opts,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Bid, error) {
			now, err := bid.pending(ctx)
			if err != nil {
				return nil, err
			}
			// The project is not part of the transaction. If it is closed meanwhile, either this bid was accepted, and
			// the write fails, or it has lost, as it would have if it had been revised just before.
			c, err := r.bids.ChangeOf(bid.at, now.row, func(b *Bid) error {
				if err := r.usableBid(bid.at, b); err != nil {
					return err
				}
				if err := fn(b); err != nil {
					return err
				}
				return b.suits(now.project)
			}, opts...)
			if err != nil {
				return nil, err
			}
			if !c.Changed() {
				return c.After, nil
			}
			return r.writeBid(tx, c, func(*Bid) {})
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Bid, error) { return r.bidAsRead(ctx, bid.at) },
	})
}

// Revise runs [Repository.ReviseOp]. 2 requests.
func (r *Repository) Revise(
	ctx context.Context, projectID, workerID string, fn func(*Bid) error, opts ...dynastay.UpdateOption,
) (*Bid, error) {
	return dynastay.Do(ctx, r.db, r.ReviseOp(projectID, workerID, fn, opts...))
}

// WithdrawOp withdraws a pending bid for an open project. The worker of a project in progress leaves it with
// [Repository.CancelOp] instead. It fails with [dynastay.ErrNotFound], with a [*StatusError] and with a
// [*BidStatusError].
func (r *Repository) WithdrawOp(projectID, workerID string) *dynastay.Operation[*Bid] {
	bid, err := r.pairOf(projectID, workerID)
	return dynastay.NewOp(dynastay.OpSpec[*Bid]{
		Name: "projects.Withdraw", Invalid: err, Input: func(in *dynastay.Input) { in.Key(bid.at) }, Contest: contest(bid.projectAt),
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Bid, error) {
			now, err := bid.pending(ctx)
			if err != nil {
				return nil, err
			}
			if err := r.moveBids(ctx, tx, bid.projectAt, now.projectRow, -1); err != nil {
				return nil, err
			}
			return now.move(tx, Withdrawn)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Bid, error) { return r.bidAsRead(ctx, bid.at) },
	})
}

// Withdraw runs [Repository.WithdrawOp]. 2 requests; 1 more for a project of other software without a number of bids.
func (r *Repository) Withdraw(ctx context.Context, projectID, workerID string, opts ...dynastay.WriteOption) (*Bid, error) {
	return dynastay.Do(ctx, r.db, r.WithdrawOp(projectID, workerID), opts...)
}
