package reviews

import (
	"errors"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/people"
	"github.com/dynastay/dynastay/keys/key"
)

// Review is what a user says about another one after a project or an order.
type Review struct {
	ID           string
	ReviewerID   string
	ReviewerName string // when the review was written; it does not follow the profile
	RevieweeID   string
	RevieweeRole people.Role
	ProjectID    string // this or OrderID
	OrderID      string
	Rating       int // 1 to 5 stars
	Comment      string
	Aspects      Aspects

	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int // 1 for a new review, incremented by every update
	WriteID   dynastay.WriteID
}

// Aspects are ratings in detail: 1 to 5 stars, or 0 for none. They do not move the trust score.
type Aspects struct {
	Quality, Communication, Timeliness, Professionalism int
}

// Key identifies a review.
type Key struct {
	RevieweeID string
	AboutID    string // the id of the project or of the order
	ReviewerID string
}

// Key returns the key of the review.
func (v *Review) Key() Key {
	return Key{RevieweeID: v.RevieweeID, AboutID: v.about(), ReviewerID: v.ReviewerID}
}

func (v *Review) about() string {
	if v.ProjectID != "" {
		return v.ProjectID
	}
	return v.OrderID
}

// stars is the rating as it counts: 0 for one that is not between 1 and 5, which other software may have stored.
func (v *Review) stars() int {
	if v.Rating < 1 || v.Rating > 5 {
		return 0
	}
	return v.Rating
}

func (k Key) stored() (dynastay.Key, error) {
	return key.Of(keys.Review{RevieweeID: k.RevieweeID, AboutID: k.AboutID, ReviewerID: k.ReviewerID})
}

func newReviews() *entity.Entity[Review] {
	return entity.New(entity.Spec[Review]{
		Name: "Review", Operations: "reviews", Schema: keys.Table, Validate: (*Review).Validate,
		ID: "reviewId", Prefix: "rev_", Created: "createdAt", Updated: "updatedAt", Version: "version",
		Kept: []string{"reviewerId", "reviewerName", "revieweeId", "revieweeType", "projectId", "orderId"},
		Key:  func(v *Review) (dynastay.Key, error) { return v.Key().stored() },
		IDOf: func(at dynastay.Key) string {
			return strings.TrimPrefix(at.SK, "REVIEW#") + " of " + strings.TrimPrefix(at.PK, "USER#")
		},
		Codec: entity.Declare(func(f *entity.Fields, v *Review) {
			f.Const("entityType", "REVIEW")
			f.String("reviewId", &v.ID)
			f.String("reviewerId", &v.ReviewerID)
			f.String("reviewerName", &v.ReviewerName)
			f.String("revieweeId", &v.RevieweeID)
			entity.String(f, "revieweeType", &v.RevieweeRole)
			f.String("projectId", &v.ProjectID)
			f.String("orderId", &v.OrderID)
			f.Int("rating", &v.Rating)
			f.String("comment", &v.Comment)
			f.Map("aspects", func(f *entity.Fields) {
				f.IfSet().Int("quality", &v.Aspects.Quality)
				f.IfSet().Int("communication", &v.Aspects.Communication)
				f.IfSet().Int("timeliness", &v.Aspects.Timeliness)
				f.IfSet().Int("professionalism", &v.Aspects.Professionalism)
			})
			f.Time("createdAt", &v.CreatedAt)
			f.Time("updatedAt", &v.UpdatedAt)
			f.IfSet().Int("version", &v.Version)
			f.WriteID(keys.AttrWriteID, &v.WriteID)
		}),
	})
}

// Validate returns a [*dynastay.InvalidError] for an invalid review: without exactly one of ProjectID
// and OrderID, of oneself, or with a rating that is not between 1 and 5. The comment is limited to [entity.MaxNote]
// bytes.
func (v *Review) Validate() error {
	// The key checks the ids of the users.
	for _, id := range []struct{ field, value string }{{"ID", v.ID}, {"ProjectID", v.ProjectID}, {"OrderID", v.OrderID}} {
		if id.value == "" {
			continue
		}
		var invalid *dynastay.InvalidError
		if _, err := key.Of(keys.Profile{UserID: id.value}); errors.As(err, &invalid) {
			return dynastay.Invalid(id.field, "%s", invalid.Reason)
		}
	}
	switch {
	case v.ProjectID == "" && v.OrderID == "":
		return dynastay.Invalid("ProjectID", "is required, or OrderID")
	case v.ProjectID != "" && v.OrderID != "":
		return dynastay.Invalid("OrderID", "must be empty for a review of a project")
	case v.ReviewerID == v.RevieweeID:
		return dynastay.Invalid("RevieweeID", "must not be the reviewer")
	case v.stars() == 0:
		return dynastay.Invalid("Rating", "must be between 1 and 5, got %d", v.Rating)
	}
	for _, aspect := range []struct {
		field  string
		rating int
	}{
		{"Quality", v.Aspects.Quality}, {"Communication", v.Aspects.Communication},
		{"Timeliness", v.Aspects.Timeliness}, {"Professionalism", v.Aspects.Professionalism},
	} {
		if aspect.rating < 0 || aspect.rating > 5 {
			return dynastay.Invalid("Aspects."+aspect.field, "must be between 0 and 5, got %d", aspect.rating)
		}
	}
	return dynastay.Within("Comment", entity.CheckText(v.Comment, entity.MaxNote))
}
