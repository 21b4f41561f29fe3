package reviews

import (
	"context"
	"fmt"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/examples/marketplace/projects"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
	"github.com/dynastay/dynastay/keys/key"
)

// Repository reads and writes reviews.
type Repository struct {
	db       *dynastay.DB
	people   *people.Repository
	projects *projects.Repository
	shop     *shop.Repository

	review  *entity.Entity[Review]
	reviews *entity.Table[Review]
}

// New returns a repository. The other repositories must be of the same DB. It sends no requests.
func New(db *dynastay.DB, users *people.Repository, jobs *projects.Repository, orders *shop.Repository) *Repository {
	r := &Repository{db: db, people: users, projects: jobs, shop: orders, review: newReviews()}
	r.reviews = entity.NewTable(db, r.review)
	return r
}

// PartyError means that a review was refused because the project is not completed or the order is not delivered, or
// because the two users are not its parties. Nothing was written.
type PartyError struct {
	AboutID                string // the id of the project or of the order
	ReviewerID, RevieweeID string
	// Status is that of the project or order if it does not allow reviews yet, or "" if the users are not its parties.
	Status string
}

// Error returns the reason.
func (e *PartyError) Error() string {
	if e.Status != "" {
		return fmt.Sprintf("%s is %s; only a completed project or a delivered order can be reviewed", e.AboutID, e.Status)
	}
	return fmt.Sprintf("%s and %s are not the parties of %s", e.ReviewerID, e.RevieweeID, e.AboutID)
}

// Is makes it match [dynastay.ErrRefused].
func (*PartyError) Is(target error) bool { return target == dynastay.ErrRefused }

// Of returns the reviews that a user has received, by project and order. 1 request a page.
//
// Pattern M7: PK = USER#{userId}, SK begins with REVIEW#, 1 request
func (r *Repository) Of(userID string) dynastay.List[*Review] {
	partition, err := key.Partition(keys.Review{RevieweeID: userID})
	if err != nil {
		return dynastay.NoList[*Review](err)
	}
	return r.reviews.List(dynastay.Query{
		Name: "reviews.Of", Partition: partition, Range: dynastay.Range{Prefix: key.SortKind[keys.Review]()},
	})
}

// Review reads one review, or fails with [dynastay.ErrNotFound]. opts may contain [dynastay.Consistent]. 1 request.
func (r *Repository) Review(ctx context.Context, k Key, opts ...dynastay.ReadOption) (*Review, error) {
	at, err := k.stored()
	if err != nil {
		return nil, err
	}
	return r.reviews.Get(ctx, at, opts...)
}

// again reads the result of an earlier call, without its write id, which may be another caller's by now.
func (r *Repository) again(ctx context.Context, at dynastay.Key) (*Review, error) {
	v, err := r.reviews.Get(ctx, at, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	v.WriteID = ""
	return v, nil
}
