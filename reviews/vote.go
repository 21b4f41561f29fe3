package reviews

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Vote says that a user found a review helpful. A user has at most one vote for each review, see [Repository.VoteOp].
type Vote struct {
	ReviewID  string
	UserID    string
	CreatedAt time.Time `json:",omitzero"`
}

var voteEntity = entity.New(entity.Spec[Vote]{
	Name: "Vote", Operations: "reviews.Vote", Schema: keys.ReviewsTable, Created: "CreatedAt",
	Key: func(v *Vote) (dynastay.Key, error) {
		return keys.Of(keys.Vote{ReviewID: v.ReviewID, UserID: v.UserID})
	},
	Codec: entity.Declare(func(f *entity.Fields, v *Vote) {
		f.Const(keys.AttrEntityType, "Vote")
		f.String("ReviewId", &v.ReviewID)
		f.String("UserId", &v.UserID)
		f.Time("CreatedAt", &v.CreatedAt)
	}),
	Indexes: map[string]func(*Vote) (dynastay.Key, error){
		keys.UserReviewsIndex: func(v *Vote) (dynastay.Key, error) {
			return keys.Of(keys.VoteByUser{UserID: v.UserID, ReviewID: v.ReviewID})
		},
	},
})

// ErrOwnReview: authors cannot vote for their own reviews.
var ErrOwnReview = dynastay.Refusal("the review is the user's own")

// VoteOp records that a user finds a review helpful, and counts the vote in HelpfulCount. The review must be approved.
// Votes do not change its version. A user votes for a review only once: a second vote fails with
// [dynastay.ErrAlreadyExists]. VoteOp fails with [dynastay.ErrNotFound] if the review does not exist, with a
// [*StatusError] if it is not approved, with [ErrOwnReview], and with [dynastay.ErrCorrupt] if other software has
// stored a count that is not a number. In one process, the votes for a review queue. Whether the user was erased is not
// checked, see [Eraser.Erase].
func (r *Repository) VoteOp(reviewID, userID string) *dynastay.Operation[struct{}] {
	const op = "reviews.Vote"
	made, err := r.votes.Creation(&Vote{ReviewID: reviewID, UserID: userID})
	review, _ := keys.Of(keys.Review{ReviewID: reviewID}) // is valid if the key of the vote is
	uncounted := false                                    // the count is a NULL, to which nothing can be added; other software may have stored it
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: op, Invalid: err, Input: made.Input, Contest: contest(review),
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			counting := countVote
			if uncounted {
				counting = countFirst
			}
			tx.Update(keys.ReviewsTable, review, counting.With(dynastay.Item{"user": dynastay.Text(userID)})).Else(func(old dynastay.Row) error {
				switch {
				case !old.Exists() || Status(old.Text(keys.AttrStatus)) != Approved:
					return notApproved(op, review, old)
				case old.Text(attrUser) == userID:
					return &dynastay.Error{Op: op, Entity: "Review", ID: reviewID, Err: ErrOwnReview}
				}
				switch old.Value(attrHelpful).Kind() {
				case dynastay.KindMissing, dynastay.KindNumber, dynastay.KindNull:
					uncounted = old.Value(attrHelpful).Kind() == dynastay.KindNull
					return dynastay.ErrOvertaken
				}
				return &dynastay.Error{
					Op: op, Entity: "Review", ID: reviewID, Field: attrHelpful, Kind: dynastay.ErrCorrupt, Err: errNotCounted,
				}
			})
			return struct{}{}, made.AddTo(tx)
		},
		Restore: func(context.Context, map[string]string) (struct{}, error) { return struct{}{}, nil },
	})
}

var errNotCounted = errors.New("must be a number")

// The two ways to count a vote: nothing can be added to a NULL.
var (
	helpful    = dynastay.NameOf(attrHelpful)
	mayVote    = dynastay.NameOf(attrUser).NotEqual(dynastay.Param("user")).And(isApproved)
	isNull     = helpful.AttributeType(expression.Null)
	isNumber   = helpful.AttributeType(expression.Number).Or(helpful.AttributeNotExists())
	countVote  = counting(expression.Add(helpful, expression.Value(1)), isNumber)
	countFirst = counting(expression.Set(helpful, expression.Value(1)), isNull)
)

func counting(change expression.UpdateBuilder, condition expression.ConditionBuilder) *dynastay.Compiled {
	return dynastay.MustCompile(expression.NewBuilder().WithUpdate(change).WithCondition(mayVote.And(condition)))
}

// Vote runs [Repository.VoteOp]. 1 request.
func (r *Repository) Vote(ctx context.Context, reviewID, userID string, opts ...dynastay.WriteOption) error {
	_, err := dynastay.Do(ctx, r.db, r.VoteOp(reviewID, userID), opts...)
	return err
}

// uncount does not count below zero: other software may have changed the count.
var uncount = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(helpful.GreaterThanEqual(expression.Value(1))).WithUpdate(expression.Add(helpful, expression.Value(-1))))

// UnvoteOp takes the vote of a user back, whatever the status of the review, or fails with [dynastay.ErrNotFound] if
// there is none. In one process, the votes for a review queue.
func (r *Repository) UnvoteOp(reviewID, userID string) *dynastay.Operation[struct{}] {
	at, err := keys.Of(keys.Vote{ReviewID: reviewID, UserID: userID})
	review, _ := keys.Of(keys.Review{ReviewID: reviewID}) // is valid if the key of the vote is
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "reviews.Unvote", Invalid: err, Input: func(in *dynastay.Input) { in.Key(at) }, Contest: contest(review),
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Delete(keys.ReviewsTable, at).If(there.With(nil), func(dynastay.Row) error {
				return &dynastay.Error{Op: "reviews.Unvote", Entity: "Vote", ID: fmt.Sprintf("%s of %s", reviewID, userID), Kind: dynastay.ErrNotFound}
			})
			tx.Update(keys.ReviewsTable, review, uncount.With(nil)).Else(func(dynastay.Row) error { return dynastay.ErrSkip })
			return struct{}{}, nil
		},
	})
}

// Unvote runs [Repository.UnvoteOp]. 1 request.
func (r *Repository) Unvote(ctx context.Context, reviewID, userID string, opts ...dynastay.WriteOption) error {
	_, err := dynastay.Do(ctx, r.db, r.UnvoteOp(reviewID, userID), opts...)
	return err
}

var there = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(expression.AttributeExists(dynastay.NameOf(keys.ReviewsTable.Key.Partition))))

// contest makes the votes for a review queue: each changes the review, so in DynamoDB they conflict.
func contest(review dynastay.Key) *dynastay.Contest {
	return &dynastay.Contest{Items: []dynastay.Ref{dynastay.RefOf(keys.ReviewsTable, review)}}
}

// Voted reports for each review whether the user has voted for it, in the order of the ids. opts may contain
// [dynastay.Consistent]. 1 request for every 100 reviews, at half a read unit for each.
func (r *Repository) Voted(
	ctx context.Context, userID string, reviewIDs []string, opts ...dynastay.ReadOption,
) (_ []bool, err error) {
	ctx, end := r.db.Begin(ctx, "reviews.Voted")
	defer func() { end(err) }()
	at := make([]dynastay.Key, len(reviewIDs))
	for i, id := range reviewIDs {
		var err error
		if at[i], err = keys.Of(keys.Vote{ReviewID: id, UserID: userID}); err != nil {
			return nil, err
		}
	}
	rows, err := r.db.GetAll(ctx, keys.ReviewsTable, at, opts...)
	if err != nil {
		return nil, err
	}
	voted := make([]bool, len(rows))
	for i, row := range rows {
		voted[i] = row.Exists()
	}
	return voted, nil
}
