package reviews

import (
	"cmp"
	"context"
	"errors"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
	"github.com/dynastay/dynastay/keys/key"
)

// CreateOp writes a review, and counts its rating in the profile of the reviewee. An empty ID is generated;
// ReviewerName and RevieweeRole, the times and the version are set, and overwrite what is passed. It fails with
// [dynastay.ErrNotFound] if there is no such project, order or user, with a [*PartyError], with
// [dynastay.ErrAlreadyExists] if the reviewer has reviewed it already, and with a [*dynastay.InvalidError].
func (r *Repository) CreateOp(v Review) *dynastay.Operation[*Review] {
	creation, invalid := r.reviews.Creation(&v) // checks all ids
	at, _ := v.Key().stored()
	reviewer, _ := key.Of(keys.Profile{UserID: v.ReviewerID})
	reviewee, _ := key.Of(keys.Profile{UserID: v.RevieweeID})
	about, _ := key.Of(keys.Project{ProjectID: v.ProjectID})
	if v.ProjectID == "" {
		about, _ = key.Of(keys.Order{OrderID: v.OrderID})
	}
	return dynastay.NewOp(dynastay.OpSpec[*Review]{
		Name: "reviews.Create", Invalid: invalid, Contest: contest(reviewee),
		Input: func(in *dynastay.Input) {
			creation.Input(in)
			in.Key(at)
			in.Key(about) // a project and an order may have the same id
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Review, error) {
			rows, err := r.db.GetAll(ctx, keys.Table, []dynastay.Key{about, reviewer, reviewee}, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			if err := r.checkParties(ctx, &v, rows[0]); err != nil {
				return nil, err
			}
			from, err := r.people.Read(v.ReviewerID, rows[1])
			if err != nil {
				return nil, err
			}
			to, err := r.people.Read(v.RevieweeID, rows[2])
			if err != nil {
				return nil, err
			}
			made := creation.Value
			made.ReviewerName, made.RevieweeRole = from.DisplayName(), to.Role
			if err := creation.AddTo(tx); err != nil {
				return nil, err
			}
			return made, r.people.Count(ctx, tx, rows[2], people.Tally{Ratings: 1, Stars: v.Rating})
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Review, error) { return r.again(ctx, at) },
	})
}

// Create runs [Repository.CreateOp]. 2 requests; 1 more if other software has written the score or the reviews of the
// reviewee, see [people.Repository.Count], and 1 more for a project of other software, whose worker must be found.
func (r *Repository) Create(ctx context.Context, v Review, opts ...dynastay.WriteOption) (*Review, error) {
	return dynastay.Do(ctx, r.db, r.CreateOp(v), opts...)
}

// contest makes the operations that move the trust score of one user queue within one process.
func contest(reviewee dynastay.Key) *dynastay.Contest {
	return &dynastay.Contest{Items: []dynastay.Ref{dynastay.RefOf(keys.Table, reviewee)}}
}

// checkParties fails unless the two users are the parties of what the row has, and it has come to its good end. Neither
// changes any more afterwards, so the write does not have to check it again.
func (r *Repository) checkParties(ctx context.Context, v *Review, row dynastay.Row) error {
	var buyer, other, status string
	over := false
	if v.ProjectID != "" {
		p, err := r.projects.Read(v.ProjectID, row)
		if err != nil {
			return err
		}
		buyer, status, over = p.BuyerID, string(p.Status), p.Status == projects.Completed
		if over {
			if other, err = r.projects.WorkerOf(ctx, p); err != nil {
				return err
			}
		}
	} else {
		o, err := r.shop.ReadOrder(v.OrderID, row)
		if err != nil {
			return err
		}
		buyer, other, status, over = o.BuyerID, o.SellerID, string(o.Status), o.Status == shop.Delivered
	}
	refused := &PartyError{AboutID: v.about(), ReviewerID: v.ReviewerID, RevieweeID: v.RevieweeID}
	parties := buyer == v.ReviewerID && other == v.RevieweeID || buyer == v.RevieweeID && other == v.ReviewerID
	switch {
	case !over:
		refused.Status = status
		return refused
	case !parties:
		return refused
	}
	return nil
}

// UpdateOp changes a review with fn, which may change Rating, Comment and Aspects, and may be called more than once;
// the trust score of the reviewee follows. It fails with [dynastay.ErrNotFound], with [dynastay.ErrVersion] if a
// condition in opts does not hold, and with a [*dynastay.InvalidError].
func (r *Repository) UpdateOp(k Key, fn func(*Review) error, opts ...dynastay.UpdateOption) *dynastay.Operation[*Review] {
	at, profile, invalid := k.items()
	return dynastay.NewOp(dynastay.OpSpec[*Review]{
		Name: "reviews.Update", Invalid: cmp.Or(invalid, r.review.CheckUpdate(opts...)), Contest: contest(profile),
		Input: entity.InputOf(at, opts...), Options: opts,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Review, error) {
			rows, err := r.db.GetAll(ctx, keys.Table, []dynastay.Key{at, profile}, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			c, err := r.reviews.ChangeOf(at, rows[0], func(v *Review) error {
				if v.Key() != k {
					return &dynastay.Error{Entity: r.review.Name, ID: r.review.IDOf(at), Kind: dynastay.ErrCorrupt, Err: errOtherIDs}
				}
				return fn(v)
			}, opts...)
			if err != nil {
				return nil, err
			}
			if err := r.move(ctx, tx, k, rows[1], c.Before, c.After); err != nil {
				return nil, err
			}
			return c.After, c.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Review, error) { return r.again(ctx, at) },
	})
}

// items returns the keys of the review and of the reviewee's profile.
func (k Key) items() (review, profile dynastay.Key, err error) {
	if review, err = k.stored(); err == nil {
		profile, err = key.Of(keys.Profile{UserID: k.RevieweeID})
	}
	return review, profile, err
}

// errOtherIDs is about a review of other software.
var errOtherIDs = errors.New("the item must contain the ids of its key")

// move moves the rating of a reviewee from that of one form of a review to that of another.
func (r *Repository) move(
	ctx context.Context, tx *dynastay.Tx, k Key, profile dynastay.Row, before, after *Review,
) error {
	t := people.Tally{Stars: after.stars() - before.stars()}
	if before.stars() > 0 {
		t.Ratings--
	}
	if after.stars() > 0 {
		t.Ratings++
	}
	if t == (people.Tally{}) {
		return nil
	}
	if _, err := r.people.Read(k.RevieweeID, profile); err != nil {
		return err
	}
	return r.people.Count(ctx, tx, profile, t)
}

// Update runs [Repository.UpdateOp]. 2 requests; 1 more if the rating changes and other software has written the score
// or the reviews of the reviewee.
func (r *Repository) Update(ctx context.Context, k Key, fn func(*Review) error, opts ...dynastay.UpdateOption) (*Review, error) {
	return dynastay.Do(ctx, r.db, r.UpdateOp(k, fn, opts...))
}

// DeleteOp deletes a review, and takes its rating out of the trust score of the reviewee. It fails with
// [dynastay.ErrNotFound]. The reviewer may write another one.
func (r *Repository) DeleteOp(k Key) *dynastay.Operation[struct{}] {
	at, profile, invalid := k.items()
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "reviews.Delete", Invalid: invalid, Contest: contest(profile), Input: func(in *dynastay.Input) { in.Key(at) },
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (none struct{}, _ error) {
			rows, err := r.db.GetAll(ctx, keys.Table, []dynastay.Key{at, profile}, dynastay.Consistent)
			if err != nil {
				return none, err
			}
			if !rows[0].Exists() {
				return none, &dynastay.Error{Entity: r.review.Name, ID: r.review.IDOf(at), Kind: dynastay.ErrNotFound}
			}
			v, err := r.review.Value(rows[0])
			if err != nil {
				return none, err
			}
			if err := r.move(ctx, tx, k, rows[1], v, &Review{}); err != nil {
				return none, err
			}
			gone, err := tx.Remove(keys.Table, rows[0], r.review.Known()...)
			if err == nil {
				gone.Else(func(dynastay.Row) error { return dynastay.ErrOvertaken })
			}
			return none, err
		},
	})
}

// Delete runs [Repository.DeleteOp]. 2 requests; 1 more if other software has written the score or the reviews of the
// reviewee.
func (r *Repository) Delete(ctx context.Context, k Key, opts ...dynastay.WriteOption) error {
	_, err := dynastay.Do(ctx, r.db, r.DeleteOp(k), opts...)
	return err
}
