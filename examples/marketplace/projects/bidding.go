package projects

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/keys/key"
)

// BidOp writes a pending bid for an open project, with the worker's name and score as they are in the profile. A worker
// who has withdrawn a bid can bid again; the bid keeps its id and the time of its creation. An empty ID is generated;
// any status, copies, times and version that are passed are overwritten.
//
// It fails with [dynastay.ErrNotFound] if there is no such project or user, as the Entity of its [dynastay.Error] says,
// with a [*StatusError] if the project is not open, with [dynastay.ErrAlreadyExists] if the worker has a bid that is
// not withdrawn, and with a [*dynastay.InvalidError], whose Field is "Quote" if the quote is not in the currency of the
// budget, and "WorkerID" if the user is not a worker or is the buyer of the project.
func (r *Repository) BidOp(b Bid) *dynastay.Operation[*Bid] {
	b.Status, b.WorkerName, b.WorkerTrustScore = Pending, "", 0
	creation, invalid := r.bids.Creation(&b)
	project, _ := key.Of(keys.Project{ProjectID: b.ProjectID}) // the creation checks both ids
	worker, _ := key.Of(keys.Profile{UserID: b.WorkerID})
	bid := r.keyOfBid(b.ProjectID, b.WorkerID)
	return dynastay.NewOp(dynastay.OpSpec[*Bid]{
		Name: "projects.Bid", Invalid: invalid, Contest: contest(project),
		Input: func(in *dynastay.Input) {
			creation.Input(in)
			in.Key(bid)
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Bid, error) {
			rows, err := r.db.GetAll(ctx, keys.Table, []dynastay.Key{project, bid, worker}, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			p, err := r.open(b.ProjectID, rows[0])
			if err != nil {
				return nil, err
			}
			profile, err := r.user(b.WorkerID, rows[2], people.Worker, "WorkerID")
			if err != nil {
				return nil, err
			}
			if err := b.suits(p); err != nil {
				return nil, err
			}
			if err := r.moveBids(ctx, tx, project, rows[0], 1); err != nil {
				return nil, err
			}
			if rows[1].Exists() {
				return r.bidAgain(tx, bid, rows[1], &b, profile)
			}
			made := creation.Value
			made.WorkerName, made.WorkerTrustScore = profile.DisplayName(), profile.TrustScore
			if err := creation.AddTo(tx); err != nil {
				return nil, err
			}
			return made, listBid(tx, made)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Bid, error) { return r.bidAsRead(ctx, bid) },
	})
}

// Bid runs [Repository.BidOp]. 2 requests; 1 more for a project of other software without a number of bids.
func (r *Repository) Bid(ctx context.Context, b Bid, opts ...dynastay.WriteOption) (*Bid, error) {
	return dynastay.Do(ctx, r.db, r.BidOp(b), opts...)
}

// contest makes the operations on one project queue within one process.
func contest(project dynastay.Key) *dynastay.Contest {
	return &dynastay.Contest{Items: []dynastay.Ref{dynastay.RefOf(keys.Table, project)}}
}

func (r *Repository) keyOfBid(projectID, workerID string) dynastay.Key {
	at, _ := key.Of(keys.Bid{ProjectID: projectID, WorkerID: workerID}) // the keys of both are checked by themselves
	return at
}

func (r *Repository) bidAsRead(ctx context.Context, at dynastay.Key) (*Bid, error) {
	b, err := r.bids.Get(ctx, at, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	b.WriteID = "" // may be another caller's by now
	return b, nil
}

// open returns the project in a row if it is open.
func (r *Repository) open(projectID string, row dynastay.Row) (*Project, error) {
	p, err := r.Read(projectID, row)
	if err == nil && p.Status != Open {
		err = &StatusError{projectID, p.Status}
	}
	return p, err
}

// Read returns the project in a row that was read with its key, or an error that matches [dynastay.ErrNotFound] if
// there is none. It is for authors of operations that read projects together with other items.
func (r *Repository) Read(projectID string, row dynastay.Row) (*Project, error) {
	if !row.Exists() {
		return nil, &dynastay.Error{Entity: "Project", ID: projectID, Kind: dynastay.ErrNotFound}
	}
	return r.project.Value(row)
}

// suits checks a bid against its project.
func (b *Bid) suits(p *Project) error {
	if err := p.takes(b.WorkerID); err != nil {
		return err
	}
	if currency := p.Budget.Max.Currency(); currency != "" && b.Quote.Currency() != currency {
		return dynastay.Invalid("Quote", "must be in %s, like the budget; got %s", currency, b.Quote.Currency())
	}
	return nil
}

// takes returns an error for the buyer, who must not do the work.
func (p *Project) takes(workerID string) error {
	if p.BuyerID == workerID {
		return dynastay.Invalid("WorkerID", "must not be the buyer of the project")
	}
	return nil
}

// bidAgain replaces a bid that was withdrawn.
func (r *Repository) bidAgain(tx *dynastay.Tx, at dynastay.Key, row dynastay.Row, b *Bid, profile *people.Profile) (*Bid, error) {
	c, err := r.bids.ChangeOf(at, row, func(now *Bid) error {
		if now.Status != Withdrawn {
			return &dynastay.Error{Op: "projects.Bid", Entity: "Bid", ID: r.bid.IDOf(at), Kind: dynastay.ErrAlreadyExists}
		}
		if err := r.usableBid(at, now); err != nil {
			return err
		}
		now.Quote, now.Start, now.Duration, now.Unit, now.Proposal = b.Quote, b.Start, b.Duration, b.Unit, b.Proposal
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r.writeBid(tx, c, func(b *Bid) {
		b.Status, b.WorkerName, b.WorkerTrustScore = Pending, profile.DisplayName(), profile.TrustScore
	})
}

// writeBid adds a change of a bid, with what the library keeps of it. A bid that other software has written is listed
// under its worker from then on.
func (r *Repository) writeBid(tx *dynastay.Tx, c *entity.Change[Bid], fn func(*Bid)) (*Bid, error) {
	if err := c.Keep(func(b *Bid) error { fn(b); return nil }); err != nil {
		return nil, err
	}
	c.Touch()
	if c.Before.WriteID == "" {
		if err := listBid(tx, c.Before); err != nil {
			return nil, err
		}
	}
	return c.After, c.AddTo(tx)
}

// listBid adds the item that lists a bid under its worker. It never changes.
func listBid(tx *dynastay.Tx, b *Bid) error {
	return list(tx, &keys.UserBid{UserID: b.WorkerID, CreatedAt: b.CreatedAt, ProjectID: b.ProjectID}, b.ProjectID)
}

// moveBids adds the action that moves the number of bids, on condition that the project is open. Workers who bid at the
// same time do not overtake each other. 1 request and more for a project without a number.
func (r *Repository) moveBids(ctx context.Context, tx *dynastay.Tx, at dynastay.Key, row dynastay.Row, by int) error {
	condition := expression.Equal(dynastay.NameOf("status"), expression.Value(dynastay.Text(string(Open))))
	now := expression.Plus(dynastay.NameOf(attrBids), expression.Value(dynastay.Number(by)))
	update := expression.Set(dynastay.NameOf(attrBids), now)
	if row.Value(attrBids).IsNull() {
		bids, err := r.allBids(ctx, at.PK)
		if err != nil {
			return err
		}
		n := by
		for _, b := range bids {
			if b.Text("status") != string(Withdrawn) {
				n++
			}
		}
		condition = condition.And(dynastay.Absent(attrBids))
		update = expression.Set(dynastay.NameOf(attrBids), expression.Value(dynastay.Number(n)))
	}
	expr := dynastay.MustCompile(expression.NewBuilder().WithUpdate(update).WithCondition(condition)).With(nil)
	tx.Update(keys.Table, at, expr).Else(func(dynastay.Row) error { return dynastay.ErrOvertaken })
	return nil
}

// allBids reads all bids for a project consistently.
func (r *Repository) allBids(ctx context.Context, partition string) ([]dynastay.Row, error) {
	return dynastay.QueryAll(ctx, r.db, keys.Table, dynastay.Query{
		Name: "projects.allBids", Partition: partition, Range: dynastay.Range{Prefix: key.SortKind[keys.Bid]()}, Consistent: true,
	})
}
