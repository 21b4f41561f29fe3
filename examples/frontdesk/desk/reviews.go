package desk

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/reviews"

	"github.com/dynastay/dynastay/examples/frontdesk/house"
	"github.com/dynastay/dynastay/examples/frontdesk/signin"
)

// Reviews returns a page of what guests say about the property, with its answers. 1 request, and 1 for the answers.
func (d *Desk) Reviews(ctx context.Context, p dynastay.Paging) (dynastay.Page[*reviews.Review], error) {
	return house.PageOf(ctx, dynastay.Load(d.house.Reviews.Public().ByProperty(d.Hotel.ID), d.house.Reviews.WithResponses), p)
}

// Answer answers a review of the property. 2 requests.
func (d *Desk) Answer(ctx context.Context, reviewID, text string) error {
	r, err := d.house.Reviews.Public().Get(ctx, reviewID)
	if err != nil {
		return err
	}
	if r.PropertyID != d.Hotel.ID {
		return notFound("Review", reviewID)
	}
	_, err = d.house.Reviews.Respond(ctx, reviews.Response{ReviewID: reviewID, ResponderID: d.by, ResponderName: d.Hotel.Name, Text: text})
	return err
}

// Moderation is where the platform decides which reviews others can read.
type Moderation struct{ reviews *reviews.Repository }

// Moderate returns the moderation. To others than moderators it does not exist: it fails with [dynastay.ErrNotFound].
func Moderate(h *house.House, s *signin.Session) (*Moderation, error) {
	if s.Role != signin.Moderator {
		return nil, notFound("Moderation", s.UserID)
	}
	return &Moderation{h.Reviews}, nil
}

// Waiting returns a page of the reviews that wait for a decision, oldest first. 1 request.
func (m *Moderation) Waiting(ctx context.Context, p dynastay.Paging) (dynastay.Page[*reviews.Review], error) {
	return house.PageOf(ctx, m.reviews.Pending(), p)
}

// Decide approves a review, or rejects it for a reason that its author is told, if it has the version that the moderator has read. 2
// requests.
func (m *Moderation) Decide(ctx context.Context, reviewID string, version int, decision, reason string) (err error) {
	switch decision {
	case "approve":
		_, err = m.reviews.Approve(ctx, reviewID, version)
	case "reject":
		_, err = m.reviews.Reject(ctx, reviewID, version, reason)
	default:
		err = dynastay.Invalid("Decision", "must be approve or reject")
	}
	return err
}
