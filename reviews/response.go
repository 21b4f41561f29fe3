package reviews

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Response is what the property says about a review. A review has at most one.
type Response struct {
	ReviewID      string
	ResponderID   string    // the user who wrote it, such as the owner of the property or a member of its staff
	ResponderName string    // as it is shown, such as "Hotel Manager"; at most entity.MaxName bytes
	Text          string    // at most MaxText bytes
	CreatedAt     time.Time `json:",omitzero"`
	UpdatedAt     time.Time `json:",omitzero"`
	Version       int
}

var responseEntity = entity.New(entity.Spec[Response]{
	Name: "ReviewResponse", Operations: "reviews.Response", Schema: keys.ReviewsTable, Validate: (*Response).Validate,
	Created: "CreatedAt", Updated: "UpdatedAt", Version: keys.AttrVersion,
	Key:  func(r *Response) (dynastay.Key, error) { return keys.Of(keys.Response{ReviewID: r.ReviewID}) },
	IDOf: idOf,
	Codec: entity.Declare(func(f *entity.Fields, r *Response) {
		f.Const(keys.AttrEntityType, "ReviewResponse")
		f.String("ReviewId", &r.ReviewID)
		f.String(attrResponder, &r.ResponderID)
		f.String("ResponderName", &r.ResponderName)
		f.String("ResponseText", &r.Text)
		f.Time("CreatedAt", &r.CreatedAt)
		f.Time("UpdatedAt", &r.UpdatedAt)
		f.IfSet().Int(keys.AttrVersion, &r.Version)
	}),
	Indexes: map[string]func(*Response) (dynastay.Key, error){
		// So that it is found if the user's data must be erased.
		keys.UserReviewsIndex: func(r *Response) (dynastay.Key, error) {
			return keys.Of(keys.ResponseByUser{ResponderID: r.ResponderID, ReviewID: r.ReviewID})
		},
	},
})

const attrResponder = "ResponderId"

// Validate requires a text, and that no text exceeds its maximum size. Errors name the field.
func (r *Response) Validate() error {
	if strings.TrimSpace(r.Text) == "" {
		return dynastay.Invalid("Text", "is required")
	}
	if err := entity.CheckText(r.Text, MaxText); err != nil {
		return dynastay.Within("Text", err)
	}
	return dynastay.Within("ResponderName", entity.CheckText(r.ResponderName, entity.MaxName))
}

// isApproved is the condition for what readers do with a review.
var isApproved = expression.Equal(dynastay.NameOf(keys.AttrStatus), expression.Value(Approved))

var checkApproved = dynastay.MustCompile(expression.NewBuilder().WithCondition(isApproved))

// RespondOp adds the property's response to an approved review. It does not check whether the responder may speak for
// the property; that is up to the caller. It fails with [dynastay.ErrNotFound] if the review does not exist, with a
// [*StatusError] if it is not approved, with [dynastay.ErrAlreadyExists] if it has a response, which can be changed by
// [Repository.UpdateResponse], and with the error of [Response.Validate]. The times and the version are set. Whether
// the responder was erased is not checked, see [Eraser.Erase].
func (r *Repository) RespondOp(v Response) *dynastay.Operation[*Response] {
	made, err := r.responses.Creation(&v)
	at, _ := keys.Of(keys.Review{ReviewID: v.ReviewID}) // is valid if the key of the response is
	return dynastay.NewOp(dynastay.OpSpec[*Response]{
		Name: "reviews.Respond", Invalid: err, Input: made.Input,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*Response, error) {
			tx.Check(keys.ReviewsTable, at, checkApproved.With(nil), func(old dynastay.Row) error {
				return notApproved("reviews.Respond", at, old)
			})
			err := made.AddTo(tx)
			response := *made.Value
			return &response, err
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Response, error) { return r.response(ctx, v.ReviewID) },
	})
}

// Respond runs [Repository.RespondOp]. 1 request.
func (r *Repository) Respond(ctx context.Context, v Response, opts ...dynastay.WriteOption) (*Response, error) {
	return dynastay.Do(ctx, r.db, r.RespondOp(v), opts...)
}

func (r *Repository) response(ctx context.Context, reviewID string) (*Response, error) {
	at, err := keys.Of(keys.Response{ReviewID: reviewID})
	if err != nil {
		return nil, err
	}
	return r.responses.Get(ctx, at, dynastay.Consistent)
}

// UpdateResponseOp passes the response to a review to fn, which may change its text and the responder, and writes the
// difference, as described for [entity.Table.Change]. The status of the review does not matter. It fails with
// [dynastay.ErrNotFound] if there is no response.
func (r *Repository) UpdateResponseOp(
	reviewID string, fn func(*Response) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Response] {
	at, err := keys.Of(keys.Response{ReviewID: reviewID})
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*Response]{Name: "reviews.Response.Update", Invalid: err})
	}
	return r.responses.UpdateOp(at, fn, opts...)
}

// UpdateResponse runs [Repository.UpdateResponseOp]. 2 requests.
func (r *Repository) UpdateResponse(
	ctx context.Context, reviewID string, fn func(*Response) error, opts ...dynastay.UpdateOption,
) (*Response, error) {
	return dynastay.Do(ctx, r.db, r.UpdateResponseOp(reviewID, fn, opts...))
}

// DeleteResponseOp deletes the response to a review, or fails with [dynastay.ErrNotFound]. opts are those of
// [entity.Table.DeleteOp].
func (r *Repository) DeleteResponseOp(reviewID string, opts ...dynastay.UpdateOption) *dynastay.Operation[struct{}] {
	at, err := keys.Of(keys.Response{ReviewID: reviewID})
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[struct{}]{Name: "reviews.Response.Delete", Invalid: err})
	}
	return r.responses.DeleteOp(at, opts...)
}

// DeleteResponse runs [Repository.DeleteResponseOp]. 1 request.
func (r *Repository) DeleteResponse(ctx context.Context, reviewID string, opts ...dynastay.UpdateOption) error {
	_, err := dynastay.Do(ctx, r.db, r.DeleteResponseOp(reviewID, opts...))
	return err
}

// WithResponses reads the responses to reviews, sets [Review.Response] of each, to nil if there is none, and returns
// the same reviews. Pass it to [dynastay.Load] for a list that has the responses, such as
//
//	dynastay.Load(r.ByProperty(propertyID), r.WithResponses)
//
// If a response cannot be decoded, WithResponses returns all reviews together with a [*dynastay.UnreadableError]. 1
// request for every 100 reviews, at half a read unit for each review, whether it has a response or not. Reviews that
// other software stored without an id are returned without a response.
func (r *Repository) WithResponses(ctx context.Context, reviews []*Review) (_ []*Review, err error) {
	ctx, end := r.db.Begin(ctx, "reviews.WithResponses")
	defer func() { end(err) }()
	var at []dynastay.Key
	var asked []*Review
	for _, review := range reviews {
		review.Response = nil
		key, err := keys.Of(keys.Response{ReviewID: review.ID})
		if err != nil {
			continue // a review that other software stored without its id
		}
		at, asked = append(at, key), append(asked, review)
	}
	responses, err := r.responses.GetAll(ctx, at)
	for i, response := range responses {
		asked[i].Response = response
	}
	var unreadable *dynastay.UnreadableError
	if err != nil && !errors.As(err, &unreadable) {
		return nil, err
	}
	return reviews, err
}
