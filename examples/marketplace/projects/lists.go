package projects

import (
	"cmp"
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/keys/key"
)

// ByStatus returns the projects with a status, the newest first. The index lags behind the table. To narrow the list
// down to skills or to a place, use [dynastay.List.Filter] with key.Fold or key.Distance; what is left out is read
// nevertheless. 1 request a page; a status whose partition is sharded takes 1 for each shard.
//
// Pattern M3: GSI2, GSI2PK = STATUS#{status}, descending, 1 request
func (r *Repository) ByStatus(status Status) dynastay.List[*Project] {
	if status != Open && status != InProgress && status != Completed && status != Cancelled {
		return dynastay.NoList[*Project](dynastay.Invalid("Status", "must be OPEN, IN_PROGRESS, COMPLETED or CANCELLED"))
	}
	partitions, err := key.Partitions(keys.ProjectByStatus{Status: string(status)}, r.opts.Shards.Read)
	if err != nil {
		return dynastay.NoList[*Project](err)
	}
	return dynastay.ListOf(r.db, keys.Table, dynastay.Query{
		Name: "projects.ByStatus", Index: keys.Index2, Partition: partitions[0], Shards: partitions[1:], Descending: true,
	}, func(_ context.Context, row dynastay.Row) (*Project, error) {
		if !key.Is[keys.Project](keys.Table.Key.From(row)) { // other software keeps cancelled orders in the same partition
			return nil, nil
		}
		return r.project.Value(row)
	}).Filter(func(p *Project) bool { return p != nil })
}

// BidsByStatus returns the bids with a status as it is stored, the newest first, like [Repository.ByStatus]. A bid that
// has lost is among the pending ones until [Repository.RejectRest] has rejected it. Bids of other software are missing
// until their first change.
//
// Pattern M9: GSI2, GSI2PK = STATUS#{status}#BID, descending, 1 request
func (r *Repository) BidsByStatus(status BidStatus) dynastay.List[*Bid] {
	if status != Pending && status != Accepted && status != Rejected && status != Withdrawn {
		return dynastay.NoList[*Bid](dynastay.Invalid("Status", "must be PENDING, ACCEPTED, REJECTED or WITHDRAWN"))
	}
	partitions, err := key.Partitions(keys.BidByStatus{Status: string(status)}, r.opts.Shards.Read)
	if err != nil {
		return dynastay.NoList[*Bid](err)
	}
	return r.bids.List(dynastay.Query{
		Name: "projects.BidsByStatus", Index: keys.Index2, Partition: partitions[0], Shards: partitions[1:], Descending: true,
	})
}

// Bids returns the bids for a project by the ids of the workers, including those that were withdrawn. Each page is read
// together with the project: a pending bid is shown as rejected from the moment that another one is accepted, or the
// project is cancelled.
//
// Pattern M4: PK = PROJECT#{projectId}, SK begins with BID#, 2 requests
func (r *Repository) Bids(projectID string) dynastay.List[*Bid] {
	at, err := key.Of(keys.Project{ProjectID: projectID})
	if err != nil {
		return dynastay.NoList[*Bid](err)
	}
	bids := r.bids.List(dynastay.Query{
		Name: "projects.Bids", Partition: at.PK, Range: dynastay.Range{Prefix: key.SortKind[keys.Bid]()},
	})
	return dynastay.Load(bids, func(ctx context.Context, page []*Bid) ([]*Bid, error) {
		p, err := r.projects.Get(ctx, at, dynastay.Consistent) // not older than the bids, so that all have lost at once
		if err != nil {
			return nil, err
		}
		for _, b := range page {
			b.Status = b.settled(p)
		}
		return page, nil
	})
}

// BidOf reads the bid of a worker for a project as it is stored, or fails with [dynastay.ErrNotFound]. A bid that has
// lost is PENDING until [Repository.RejectRest] has rejected it; the lists show it as rejected at once. opts may
// contain [dynastay.Consistent]. 1 request.
func (r *Repository) BidOf(ctx context.Context, projectID, workerID string, opts ...dynastay.ReadOption) (*Bid, error) {
	pair, err := r.pairOf(projectID, workerID)
	if err != nil {
		return nil, err
	}
	return r.bids.Get(ctx, pair.at, opts...)
}

// ProjectsOf returns the projects that a buyer has posted, the newest first. 2 requests for a page of up to 100, and 1
// more for every further 100.
func (r *Repository) ProjectsOf(buyerID string) dynastay.List[*Project] {
	partition, err := key.Partition(keys.UserProject{UserID: buyerID})
	if err != nil {
		return dynastay.NoList[*Project](inField("BuyerID", err))
	}
	ids := r.listed("projects.ProjectsOf", partition, key.SortKind[keys.UserProject]())
	return dynastay.Load(ids, func(ctx context.Context, ids []string) ([]*Project, error) {
		all := make([]dynastay.Key, len(ids))
		for i, id := range ids {
			if all[i], err = key.Of(keys.Project{ProjectID: id}); err != nil {
				return nil, err
			}
		}
		return present(r.projects.GetAll(ctx, all))
	})
}

// listed returns the ids of the projects that are listed under a user.
func (r *Repository) listed(name, partition, prefix string) dynastay.List[string] {
	return dynastay.ListOf(r.db, keys.Table, dynastay.Query{
		Name: name, Partition: partition, Range: dynastay.Range{Prefix: prefix}, Descending: true,
	}, func(_ context.Context, row dynastay.Row) (string, error) {
		id := row.Text("projectId")
		_, err := key.Of(keys.Project{ProjectID: id})
		return id, err
	})
}

// present leaves out what does not exist.
func present[T any](all []*T, err error) ([]*T, error) {
	return slices.DeleteFunc(all, func(v *T) bool { return v == nil }), err
}

// WorkerBid is a bid with its project.
type WorkerBid struct {
	*Bid
	Project *Project
}

// BidsOf returns the bids of a worker with their projects, the newest first, with the status as [Repository.Bids] shows
// it. 2 requests for a page of up to 50, and 1 more for every further 50.
func (r *Repository) BidsOf(workerID string) dynastay.List[WorkerBid] {
	partition, err := key.Partition(keys.UserBid{UserID: workerID})
	if err != nil {
		return dynastay.NoList[WorkerBid](inField("WorkerID", err))
	}
	ids := r.listed("projects.BidsOf", partition, key.SortKind[keys.UserBid]())
	return dynastay.Load(ids, func(ctx context.Context, ids []string) ([]WorkerBid, error) {
		return r.withProjects(ctx, workerID, ids)
	})
}

func (r *Repository) withProjects(ctx context.Context, workerID string, projectIDs []string) ([]WorkerBid, error) {
	var all []dynastay.Key
	for _, id := range projectIDs {
		pair, err := r.pairOf(id, workerID)
		if err != nil {
			return nil, err
		}
		all = append(all, pair.at, pair.projectAt)
	}
	rows, err := r.db.GetAll(ctx, keys.Table, all, dynastay.Consistent) // no project is older than its bid
	if err != nil {
		return nil, err
	}
	var found []WorkerBid
	var unreadable []error
	for i := 0; i < len(rows); i += 2 {
		if !rows[i].Exists() || !rows[i+1].Exists() {
			continue
		}
		b, err := r.bid.Value(rows[i])
		p, err2 := r.project.Value(rows[i+1])
		if err := cmp.Or(err, err2); err != nil {
			unreadable = append(unreadable, err)
			continue
		}
		b.Status = b.settled(p)
		found = append(found, WorkerBid{b, p})
	}
	if len(unreadable) > 0 {
		return found, &dynastay.UnreadableError{Items: unreadable}
	}
	return found, nil
}
