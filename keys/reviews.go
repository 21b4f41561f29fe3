package keys

import (
	"time"

	"github.com/dynastay/dynastay"
)

// The indexes of [ReviewsTable].
const (
	PropertyReviewsIndex = "GSI1-PropertyReviewsIndex"
	UserReviewsIndex     = "GSI2-UserReviewsIndex"
	ReviewStatusIndex    = "GSI3-StatusIndex"
	BookingReviewIndex   = "GSI4-BookingReviewIndex"
)

// ReviewsTable holds the reviews with the properties' responses and the readers' votes. A review has a row in
// [PropertyReviewsIndex] only while it is approved and one in [ReviewStatusIndex] only while it is pending: nothing asks
// for the others, and every vote would pay for them. The user's and the booking's rows are there always.
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

func (k *Review) form(f *form) {
	f.lit("REVIEW#")
	f.id("ReviewID", &k.ReviewID)
	f.sort()
	f.lit("METADATA")
}

// Response is the item of the property's response to a review: REVIEW#{ReviewID} / RESPONSE. It has a row of its own in
// [UserReviewsIndex], [ResponseByUser].
type Response struct{ ReviewID string }

func (k *Response) form(f *form) {
	f.lit("REVIEW#")
	f.id("ReviewID", &k.ReviewID)
	f.sort()
	f.lit("RESPONSE")
}

// Vote is the item of a user's vote for a review: REVIEW#{ReviewID} / VOTE#{UserID}. There is one for each user. It has
// a row of its own in [UserReviewsIndex], [VoteByUser].
type Vote struct{ ReviewID, UserID string }

func (k *Vote) form(f *form) {
	f.lit("REVIEW#")
	f.id("ReviewID", &k.ReviewID)
	f.sort()
	f.lit("VOTE#")
	f.id("UserID", &k.UserID)
}

// BookingReviewGuard keeps a booking for one review: BOOKING#{BookingID} / REVIEW.
type BookingReviewGuard struct{ BookingID string }

func (k *BookingReviewGuard) form(f *form) {
	f.lit("BOOKING#")
	f.id("BookingID", &k.BookingID)
	f.sort()
	f.lit("REVIEW")
}

// ReviewByProperty is the row of a review in [PropertyReviewsIndex], which it has only while it is approved:
// PROPERTY#{PropertyID} / CREATED#{Created}#REVIEW#{ReviewID}.
type ReviewByProperty struct {
	PropertyID string
	Created    time.Time
	ReviewID   string
}

func (k *ReviewByProperty) form(f *form) {
	f.lit("PROPERTY#")
	f.id("PropertyID", &k.PropertyID)
	f.sort()
	f.lit("CREATED#")
	f.instant("Created", &k.Created)
	f.lit("#REVIEW#")
	f.id("ReviewID", &k.ReviewID)
}

// ReviewByUser is the row of a review in [UserReviewsIndex]:
// USER#{UserID} / CREATED#{Created}#REVIEW#{ReviewID}. The user's votes and responses are in the same
// partition; [SortKind] tells them apart.
type ReviewByUser struct {
	UserID   string
	Created  time.Time
	ReviewID string
}

func (k *ReviewByUser) form(f *form) {
	f.lit("USER#")
	f.id("UserID", &k.UserID)
	f.sort()
	f.lit("CREATED#")
	f.instant("Created", &k.Created)
	f.lit("#REVIEW#")
	f.id("ReviewID", &k.ReviewID)
}

// VoteByUser is the row of a [Vote] in [UserReviewsIndex], so that all that a user left can be found:
// USER#{UserID} / VOTE#{ReviewID}.
type VoteByUser struct{ UserID, ReviewID string }

func (k *VoteByUser) form(f *form) {
	f.lit("USER#")
	f.id("UserID", &k.UserID)
	f.sort()
	f.lit("VOTE#")
	f.id("ReviewID", &k.ReviewID)
}

// ResponseByUser is the row of a [Response] in [UserReviewsIndex], under the user who gave it:
// USER#{ResponderID} / RESPONSE#{ReviewID}.
type ResponseByUser struct{ ResponderID, ReviewID string }

func (k *ResponseByUser) form(f *form) {
	f.lit("USER#")
	f.id("ResponderID", &k.ResponderID)
	f.sort()
	f.lit("RESPONSE#")
	f.id("ReviewID", &k.ReviewID)
}

// ReviewByStatus is the row of a review in [ReviewStatusIndex], which it has only while it is pending, oldest first:
// STATUS#{Status} / CREATED#{Created}#REVIEW#{ReviewID}. The partition may be sharded, see [ShardOf].
type ReviewByStatus struct {
	Status   string
	Shard    int
	Created  time.Time
	ReviewID string
}

func (k *ReviewByStatus) form(f *form) {
	f.lit("STATUS#")
	f.word("Status", &k.Status)
	f.shard(&k.Shard)
	f.sort()
	f.lit("CREATED#")
	f.instant("Created", &k.Created)
	f.lit("#REVIEW#")
	f.id("ReviewID", &k.ReviewID)
}

// ReviewByBooking is the row of a review in [BookingReviewIndex]: BOOKING#{BookingID} / REVIEW.
type ReviewByBooking struct{ BookingID string }

func (k *ReviewByBooking) form(f *form) {
	f.lit("BOOKING#")
	f.id("BookingID", &k.BookingID)
	f.sort()
	f.lit("REVIEW")
}
