package reviews

import (
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys"
)

// Changes are decoders for the changes of reviews, responses and votes. One transaction may change several items, each
// of which has a change of its own; they are handled in any order.
type Changes struct {
	// Reviews is a review without its Response, which is an item of its own; the rest is as [Repository.Get] returns
	// it. Creating, updating and moderating a review produce a change that raises Version. Other changes keep it: a
	// vote changes only HelpfulCount, and [Repository.Delete] first changes the Status of an approved review to
	// [Rejected] and subtracts the votes that it deletes from HelpfulCount. It deletes the review last.
	Reviews stream.Decoder[Review]
	// Responses is the response to a review. [Repository.Respond], [Repository.UpdateResponse] and
	// [Repository.DeleteResponse] produce a change; so does deleting the review, or erasing the responder.
	Responses stream.Decoder[Response]
	// Votes is one user's vote for a review. [Repository.Vote] creates it, and [Repository.Unvote], deleting the review
	// and erasing the user delete it; a vote never changes. The number of votes is in Reviews.
	Votes stream.Decoder[Vote]
}

// Changes returns decoders for the changes of the repository's entities, see package entity/stream. It sends no
// requests.
func (r *Repository) Changes() Changes {
	return Changes{
		Reviews:   stream.NewDecoder(r.db, keys.ReviewsTable, keys.Is[keys.Review], r.entity.Value),
		Responses: stream.NewDecoder(r.db, keys.ReviewsTable, keys.Is[keys.Response], responseEntity.Value),
		Votes:     stream.NewDecoder(r.db, keys.ReviewsTable, keys.Is[keys.Vote], voteEntity.Value),
	}
}
