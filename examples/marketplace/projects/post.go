package projects

import (
	"cmp"
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/keys/key"
)

// PostOp writes a new project, which is open, and counts it in the profile of its buyer. An empty ID is generated; any
// status, times and version that are passed are overwritten. It fails with [dynastay.ErrNotFound] if there is no such
// user, with [dynastay.ErrAlreadyExists] if the ID is taken, and with a [*dynastay.InvalidError], whose Field is
// "BuyerID" if the user is not a buyer.
func (r *Repository) PostOp(p Project) *dynastay.Operation[*Project] {
	p.Status, p.Bids, p.AcceptedBidID, p.AcceptedWorkerID, p.CancelledBy, p.CancelReason = Open, 0, "", "", "", ""
	creation, invalid := r.projects.Creation(&p)
	buyer, err := key.Of(keys.Profile{UserID: p.BuyerID})
	return dynastay.NewOp(dynastay.OpSpec[*Project]{
		Name: "projects.Post", Invalid: cmp.Or(invalid, inField("BuyerID", err)),
		Input: func(in *dynastay.Input) {
			creation.Input(in)
			in.Key(buyer)
		},
		Contest: &dynastay.Contest{Items: []dynastay.Ref{dynastay.RefOf(keys.Table, buyer)}},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Project, error) {
			row, err := r.db.Get(ctx, keys.Table, buyer, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			if _, err := r.user(p.BuyerID, row, people.Buyer, "BuyerID"); err != nil {
				return nil, err
			}
			if err := creation.AddTo(tx); err != nil {
				return nil, err
			}
			if err := listProject(tx, creation.Value); err != nil {
				return nil, err
			}
			return creation.Value, r.people.Count(ctx, tx, row, people.Tally{Projects: 1})
		},
		Restore: func(ctx context.Context, made map[string]string) (*Project, error) {
			return r.again(ctx, made["projectId"])
		},
	})
}

// Post runs [Repository.PostOp]. 2 requests.
func (r *Repository) Post(ctx context.Context, p Project, opts ...dynastay.WriteOption) (*Project, error) {
	return dynastay.Do(ctx, r.db, r.PostOp(p), opts...)
}

// user returns the profile in a row, if the user has the role. field is the caller's name for the user.
func (r *Repository) user(id string, row dynastay.Row, role people.Role, field string) (*people.Profile, error) {
	p, err := r.people.Read(id, row)
	if err == nil && p.Role != role {
		err = dynastay.Invalid(field, "must be the id of a %s, got that of a %s", role, p.Role)
	}
	return p, err
}

// inField gives the error of a key, if any, the caller's name for the value.
func inField(field string, err error) error {
	if err == nil {
		return nil
	}
	return &dynastay.InvalidError{Field: field, Reason: "must be an id", Err: err}
}

// listProject adds the item that lists a project under its buyer. It never changes.
func listProject(tx *dynastay.Tx, p *Project) error {
	return list(tx, &keys.UserProject{UserID: p.BuyerID, CreatedAt: p.CreatedAt, ProjectID: p.ID}, p.ID)
}

func list[K any, P key.Layout[K]](tx *dynastay.Tx, k P, projectID string) error {
	at, err := key.Of[K, P](*k)
	if err != nil {
		return err
	}
	item := keys.Table.Key.Of(at)
	item["projectId"] = dynastay.Text(projectID)
	tx.Put(keys.Table, item)
	return nil
}

// Project reads a project, or fails with [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent]. 1 request.
func (r *Repository) Project(ctx context.Context, projectID string, opts ...dynastay.ReadOption) (*Project, error) {
	at, err := key.Of(keys.Project{ProjectID: projectID})
	if err != nil {
		return nil, err
	}
	return r.projects.Get(ctx, at, opts...)
}

// again reads the result of an earlier call, without its write id, which may be another caller's by now.
func (r *Repository) again(ctx context.Context, projectID string) (*Project, error) {
	p, err := r.Project(ctx, projectID, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	p.WriteID = ""
	return p, nil
}

// UpdateOp changes an open project with fn, which may change what the buyer has written, but not the currency of the
// budget, and may be called more than once. It fails with [dynastay.ErrNotFound], with a [*StatusError] if the project
// is not open, with [dynastay.ErrVersion] if a condition in opts does not hold, and with a [*dynastay.InvalidError].
func (r *Repository) UpdateOp(
	projectID string, fn func(*Project) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Project] {
	at, err := key.Of(keys.Project{ProjectID: projectID})
	if err == nil {
		err = r.project.CheckUpdate(opts...)
	}
	return dynastay.NewOp(dynastay.OpSpec[*Project]{
		Name: "projects.Update", Invalid: err, Input: entity.InputOf(at, opts...), Options: opts,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Project, error) {
			c, err := r.projects.Change(ctx, at, r.edited(at, fn), opts...)
			if err != nil {
				return nil, err
			}
			return c.After, r.write(tx, c)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Project, error) { return r.again(ctx, projectID) },
	})
}

// Update runs [Repository.UpdateOp]. 2 requests.
func (r *Repository) Update(
	ctx context.Context, projectID string, fn func(*Project) error, opts ...dynastay.UpdateOption,
) (*Project, error) {
	return dynastay.Do(ctx, r.db, r.UpdateOp(projectID, fn, opts...))
}

// edited returns fn with the rules about what must not change any more.
func (r *Repository) edited(at dynastay.Key, fn func(*Project) error) func(*Project) error {
	return func(p *Project) error {
		if p.Status != Open {
			return &StatusError{r.project.IDOf(at), p.Status}
		}
		if err := r.usable(at, p); err != nil {
			return err
		}
		currency := p.Budget.Max.Currency()
		if err := fn(p); err != nil {
			return err
		}
		if currency != "" && p.Budget.Max.Currency() != currency { // the bids are in it
			return dynastay.Invalid("Budget", "must be in %s, as before", currency)
		}
		return nil
	}
}

// write adds a change of a project. One that other software has written is listed under its buyer from then on.
func (r *Repository) write(tx *dynastay.Tx, c *entity.Change[Project]) error {
	if c.Changed() && c.Before.WriteID == "" {
		if err := listProject(tx, c.Before); err != nil {
			return err
		}
	}
	return c.AddTo(tx)
}

// change adds a change of what the library keeps of a project, as it was read.
func (r *Repository) change(tx *dynastay.Tx, at dynastay.Key, row dynastay.Row, fn func(*Project)) (*Project, error) {
	c, err := r.projects.ChangeOf(at, row, func(p *Project) error { return r.usable(at, p) })
	if err != nil {
		return nil, err
	}
	if err := c.Keep(func(p *Project) error { fn(p); return nil }); err != nil {
		return nil, err
	}
	c.Touch()
	return c.After, r.write(tx, c)
}
