package projects

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
)

// Acceptance is what a buyer agrees to.
type Acceptance struct {
	ProjectID string
	WorkerID  string
	Quote     dynastay.Money // as the buyer saw it
}

// AcceptOp accepts a bid: the project is in progress from then on, and all other bids have lost. Run
// [Repository.RejectRest] afterwards to store that they have. It fails with [dynastay.ErrNotFound], with a
// [*StatusError] if the project is not open, with a [*BidStatusError] if the bid is not pending, with a [*QuoteError] if
// the quote is not the one that the buyer saw, and with a [*dynastay.InvalidError], whose Field is "WorkerID" if other
// software has stored a bid of the buyer. Only the quote is compared; the worker may have changed the dates or the
// proposal.
func (r *Repository) AcceptOp(a Acceptance) *dynastay.Operation[*Project] {
	bid, err := r.pairOf(a.ProjectID, a.WorkerID)
	if err == nil {
		err = dynastay.Within("Quote", a.Quote.Validate())
	}
	return dynastay.NewOp(dynastay.OpSpec[*Project]{
		Name: "projects.Accept", Invalid: err, Contest: contest(bid.projectAt),
		Input: func(in *dynastay.Input) {
			in.Key(bid.at)
			in.Field("quote", a.Quote.String())
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Project, error) {
			now, err := bid.pending(ctx)
			if err != nil {
				return nil, err
			}
			if err := now.project.takes(a.WorkerID); err != nil { // other software has stored the bid
				return nil, err
			}
			if now.bid.Quote != a.Quote {
				return nil, &QuoteError{a.ProjectID, a.WorkerID, a.Quote, now.bid.Quote}
			}
			if _, err := now.move(tx, Accepted); err != nil {
				return nil, err
			}
			if err := r.startRejecting(tx, a.ProjectID); err != nil {
				return nil, err
			}
			return r.change(tx, bid.projectAt, now.projectRow, func(p *Project) {
				p.Status, p.AcceptedBidID, p.AcceptedWorkerID = InProgress, now.bid.ID, a.WorkerID
			})
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Project, error) { return r.again(ctx, a.ProjectID) },
	})
}

// Accept runs [Repository.AcceptOp]. 2 requests.
func (r *Repository) Accept(ctx context.Context, a Acceptance, opts ...dynastay.WriteOption) (*Project, error) {
	return dynastay.Do(ctx, r.db, r.AcceptOp(a), opts...)
}

// startRejecting adds the item that lists a project as one whose pending bids are to be rejected. It is written whether
// there are any or not: a worker may bid until the moment of the transaction.
// See docs/decisions/0021-marketplace.md for why they are rejected later.
func (r *Repository) startRejecting(tx *dynastay.Tx, projectID string) error {
	item, err := r.rejecting.Item(&Rejection{ProjectID: projectID, At: r.db.Now()})
	if err == nil {
		tx.Put(keys.Table, item)
	}
	return err
}
