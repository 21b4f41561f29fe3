package reviews

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

// Repository creates, moderates and finds reviews, with their responses and votes.
type Repository struct {
	db         *dynastay.DB
	opts       Options
	properties *properties.Repository

	entity    *entity.Entity[Review]
	table     *entity.Table[Review]
	responses *entity.Table[Response]
	votes     *entity.Table[Vote]
}

// Options configure [New]. All processes that use the same tables must have the same options, except for shard counts
// while they are being raised.
type Options struct {
	// PendingShards spreads the reviews that wait for moderation over partitions.
	PendingShards key.Shards
}

// New returns a repository. It sends no requests. Create one for the process and share it. The ratings of properties
// are written through p. A nil opts means the defaults. New panics if [key.Shards.Validate] returns an error for a
// shard count.
func New(db *dynastay.DB, p *properties.Repository, opts *Options) *Repository {
	r := &Repository{db: db, properties: p}
	if opts != nil {
		r.opts = *opts
	}
	r.opts.PendingShards.Must("reviews.New: Options.PendingShards")
	r.entity = newEntity(r.opts)
	r.table = entity.NewTable(db, r.entity)
	r.responses = entity.NewTable(db, responseEntity)
	r.votes = entity.NewTable(db, voteEntity)
	return r
}

// Get reads a review with its response, or fails with [dynastay.ErrNotFound]. It returns reviews of any status; for
// guests, see [Repository.Public]. opts may contain [dynastay.Consistent]. 1 request, a Query of the two items; the
// votes are not read.
func (r *Repository) Get(ctx context.Context, reviewID string, opts ...dynastay.ReadOption) (_ *Review, err error) {
	ctx, end := r.db.Begin(ctx, "reviews.Get")
	defer func() { end(err) }()
	at, err := keys.Of(keys.Review{ReviewID: reviewID})
	if err != nil {
		return nil, err
	}
	return r.load(ctx, at, opts...)
}

func (r *Repository) load(ctx context.Context, at dynastay.Key, opts ...dynastay.ReadOption) (*Review, error) {
	rows, err := dynastay.QueryAll(ctx, r.db, keys.ReviewsTable, dynastay.Query{
		Partition: at.PK, Consistent: slices.Contains(opts, dynastay.Consistent),
		Range: dynastay.Range{From: at.SK, To: keys.SortKind[keys.Response]()},
	})
	if err != nil {
		return nil, err
	}
	var review *Review
	for _, row := range rows {
		switch keys.ReviewsTable.Key.From(row).SK {
		case at.SK:
			if review, err = r.entity.Value(row); err != nil {
				return nil, err
			}
		case keys.SortKind[keys.Response]():
			if review == nil { // the item sorts before that of the response
				continue
			}
			if review.Response, err = responseEntity.Value(row); err != nil {
				return nil, err
			}
		}
	}
	if review == nil {
		return nil, &dynastay.Error{Op: "reviews.Get", Entity: "Review", ID: idOf(at), Kind: dynastay.ErrNotFound}
	}
	return review, nil
}

// ByProperty lists the approved reviews of a property, newest first, without their responses; for those, see
// [Repository.WithResponses]. The list is eventually consistent.
//
// Pattern R1: GSI1-PropertyReviewsIndex, GSI1PK = PROPERTY#{propertyId}, 1 request
func (r *Repository) ByProperty(propertyID string) dynastay.List[*Review] {
	partition, err := keys.Partition(keys.ReviewByProperty{PropertyID: propertyID})
	if err != nil {
		return dynastay.NoList[*Review](err)
	}
	return r.table.List(dynastay.Query{
		Name: "reviews.ByProperty", Index: keys.PropertyReviewsIndex, Partition: partition, Descending: true,
	}).Filter(func(v *Review) bool { return v.Status == Approved }) // other software lists all reviews there
}

// ByUser lists the reviews that a user has written, newest first, whatever their status. The list is eventually
// consistent.
//
// Pattern R2: GSI2-UserReviewsIndex, GSI2PK = USER#{userId}, GSI2SK begins with CREATED#, 1 request
func (r *Repository) ByUser(userID string) dynastay.List[*Review] {
	partition, err := keys.Partition(keys.ReviewByUser{UserID: userID})
	if err != nil {
		return dynastay.NoList[*Review](err)
	}
	return r.table.List(dynastay.Query{
		Name: "reviews.ByUser", Index: keys.UserReviewsIndex, Partition: partition, Descending: true,
		Range: dynastay.Range{Prefix: keys.SortKind[keys.ReviewByUser]()}, // the votes and responses of the user have other prefixes
	})
}

// ByBooking returns the review of a booking with its response, whatever its status, or fails with
// [dynastay.ErrNotFound]. It finds a review as soon as it is created: if the index does not have it yet, ByBooking
// reads the guard of the booking, with 1 more request. With [dynastay.Consistent], it reads the guard instead of the
// index. If there is no review, it takes 2 requests, with Consistent 1.
//
// Pattern R3: GSI4-BookingReviewIndex, GSI4PK = BOOKING#{bookingId}, then the review, 2 requests
func (r *Repository) ByBooking(ctx context.Context, bookingID string, opts ...dynastay.ReadOption) (_ *Review, err error) {
	ctx, end := r.db.Begin(ctx, "reviews.ByBooking")
	defer func() { end(err) }()
	same := func(r *Review) *Review { return r }
	return entity.FindWith(ctx, r.table, "BookingID", &Review{BookingID: bookingID}, r.load, same, opts...)
}

// Pending lists the reviews of all properties that wait for moderation, oldest first. The list is eventually
// consistent: a review that was just moderated may still be in it. Each shard takes 1 request; the requests are sent in
// parallel.
//
// Pattern R4: GSI3-StatusIndex, GSI3PK = STATUS#pending, 1 request
func (r *Repository) Pending() dynastay.List[*Review] {
	shards, err := keys.Partitions(keys.ReviewByStatus{Status: string(Pending)}, r.opts.PendingShards.Read)
	if err != nil {
		return dynastay.NoList[*Review](err)
	}
	return r.table.List(dynastay.Query{
		Name: "reviews.Pending", Index: keys.ReviewStatusIndex, Partition: shards[0], Shards: shards[1:],
	})
}
