package keys

import (
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// The indexes of [ReviewsTable].
const (
	PropertyReviewsIndex = "GSI1-PropertyReviewsIndex"
	UserReviewsIndex     = "GSI2-UserReviewsIndex"
	ReviewStatusIndex    = "GSI3-StatusIndex"
	BookingReviewIndex   = "GSI4-BookingReviewIndex"
)

// ReviewsTable contains the reviews with the properties' responses and the readers' votes. A review has a row in
// [PropertyReviewsIndex] only while it is approved, and one in [ReviewStatusIndex] only while it is pending: other rows
// would never be read, but would make every vote cost more. The rows for the user and the booking always exist.
var ReviewsTable = &dynastay.Schema{
	Name: "Reviews",
	Key:  primaryKey,
	Indexes: []dynastay.Index{
		index(PropertyReviewsIndex, dynastay.ProjectAll),
		index(UserReviewsIndex, dynastay.ProjectAll),
		index(ReviewStatusIndex, dynastay.ProjectAll),
		index(BookingReviewIndex, dynastay.ProjectKeys),
	},
	Stream: true,
}

// Review is the item of a review: REVIEW#{ReviewID} / METADATA.
type Review struct{ ReviewID string }

func (k *Review) Form(f *key.Form) {
	f.PK("REVIEW#", key.ID("ReviewID", &k.ReviewID))
	f.SK("METADATA")
}

// Response is the item of the property's response to a review: REVIEW#{ReviewID} / RESPONSE. It has its own row in
// [UserReviewsIndex], [ResponseByUser].
type Response struct{ ReviewID string }

func (k *Response) Form(f *key.Form) {
	f.PK("REVIEW#", key.ID("ReviewID", &k.ReviewID))
	f.SK("RESPONSE")
}

// Vote is the item of a user's vote for a review: REVIEW#{ReviewID} / VOTE#{UserID}. There is at most one for each
// user. It has its own row in [UserReviewsIndex], [VoteByUser].
type Vote struct{ ReviewID, UserID string }

func (k *Vote) Form(f *key.Form) {
	f.PK("REVIEW#", key.ID("ReviewID", &k.ReviewID))
	f.SK("VOTE#", key.ID("UserID", &k.UserID))
}

// BookingReviewGuard reserves a booking for one review: BOOKING#{BookingID} / REVIEW.
type BookingReviewGuard struct{ BookingID string }

func (k *BookingReviewGuard) Form(f *key.Form) {
	f.PK("BOOKING#", key.ID("BookingID", &k.BookingID))
	f.SK("REVIEW")
}

// ReviewByProperty is the row of an approved review in [PropertyReviewsIndex]: PROPERTY#{PropertyID} /
// CREATED#{Created}#REVIEW#{ReviewID}.
type ReviewByProperty struct {
	PropertyID string
	Created    time.Time
	ReviewID   string
}

func (k *ReviewByProperty) Form(f *key.Form) {
	f.PK("PROPERTY#", key.ID("PropertyID", &k.PropertyID))
	f.SK("CREATED#", key.Instant("Created", &k.Created), "#REVIEW#", key.ID("ReviewID", &k.ReviewID))
}

// ReviewByUser is the row of a review in [UserReviewsIndex]: USER#{UserID} / CREATED#{Created}#REVIEW#{ReviewID}. The
// user's votes and responses are in the same partition; use [SortKind] to tell them apart.
type ReviewByUser struct {
	UserID   string
	Created  time.Time
	ReviewID string
}

func (k *ReviewByUser) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("CREATED#", key.Instant("Created", &k.Created), "#REVIEW#", key.ID("ReviewID", &k.ReviewID))
}

// VoteByUser is the row of a [Vote] in [UserReviewsIndex], so that all of a user's votes can be found with the user's
// reviews: USER#{UserID} / VOTE#{ReviewID}.
type VoteByUser struct{ UserID, ReviewID string }

func (k *VoteByUser) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("VOTE#", key.ID("ReviewID", &k.ReviewID))
}

// ResponseByUser is the row of a [Response] in [UserReviewsIndex], under the user who gave it:
// USER#{ResponderID} / RESPONSE#{ReviewID}.
type ResponseByUser struct{ ResponderID, ReviewID string }

func (k *ResponseByUser) Form(f *key.Form) {
	f.PK("USER#", key.ID("ResponderID", &k.ResponderID))
	f.SK("RESPONSE#", key.ID("ReviewID", &k.ReviewID))
}

// ReviewByStatus is the row of a pending review in [ReviewStatusIndex], oldest first: STATUS#{Status} /
// CREATED#{Created}#REVIEW#{ReviewID}. The partition may be sharded, see [key.ShardOf].
type ReviewByStatus struct {
	Status   string
	Shard    int
	Created  time.Time
	ReviewID string
}

func (k *ReviewByStatus) Form(f *key.Form) {
	f.PK("STATUS#", key.Word("Status", &k.Status), key.Shard("Shard", &k.Shard))
	f.SK("CREATED#", key.Instant("Created", &k.Created), "#REVIEW#", key.ID("ReviewID", &k.ReviewID))
}

// ReviewByBooking is the row of a review in [BookingReviewIndex]: BOOKING#{BookingID} / REVIEW.
type ReviewByBooking struct{ BookingID string }

func (k *ReviewByBooking) Form(f *key.Form) {
	f.PK("BOOKING#", key.ID("BookingID", &k.BookingID))
	f.SK("REVIEW")
}
