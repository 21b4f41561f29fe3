package reviews

import (
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Status is where a review is in moderation.
type Status string

// A new review is pending, and so is one that its author has changed. Only approved reviews are shown, and counted in
// the property's rating.
const (
	Pending  Status = "pending"
	Approved Status = "approved"
	Rejected Status = "rejected"
)

// TripType is the kind of journey. The platform may define its own.
type TripType string

// The common kinds of journeys.
const (
	Couple   TripType = "couple"
	Family   TripType = "family"
	Group    TripType = "group"
	Solo     TripType = "solo"
	Business TripType = "business"
)

// Ratings are between 1.0 and 10.0. Overall is required, and is the one that the property's rating is computed from;
// the others may be 0, which means not given.
type Ratings struct {
	Overall, Cleanliness, Comfort, Location, Facilities, Staff, Value dynastay.Rating `json:",omitzero"`
}

// MinRating is the lowest rating that a guest can give, 1.0.
const MinRating dynastay.Rating = 10

// Review is what a guest says about a stay.
type Review struct {
	ID         string
	BookingID  string
	UserID     string // the author
	PropertyID string

	Ratings  Ratings `json:",omitzero"`
	Title    string  // at most entity.MaxName bytes
	Text     string  // at most MaxText bytes, like Pros and Cons
	Pros     string
	Cons     string
	TripType TripType
	StayDate dynastay.Date `json:",omitzero"` // the date of check-in; zero for none

	Verified        bool // the author stayed at the property; true for every review that this package has created
	HelpfulCount    int  // the votes; they do not change the version
	Status          Status
	RejectionReason string // for the author; "" unless the review is rejected

	GuestName    string // as the author wants to be shown, such as "John D."
	GuestCountry string

	CreatedAt time.Time `json:",omitzero"`
	UpdatedAt time.Time `json:",omitzero"`
	Version   int

	// Response is that of the property. It is set by [Repository.Get], [Repository.ByBooking] and
	// [Repository.WithResponses]; nil means that there is none, or that it was not read.
	Response *Response `json:",omitzero"`
}

// MaxText is the maximum size of each of the texts of a review, and of a response, in bytes: about two pages.
const MaxText = 4096

func newEntity(o Options) *entity.Entity[Review] {
	return entity.New(entity.Spec[Review]{
		Name: "Review", Operations: "reviews", Schema: keys.ReviewsTable, Validate: (*Review).Validate,
		ID: "ReviewId", Prefix: "rev_", Created: "CreatedAt", Updated: "UpdatedAt", Version: keys.AttrVersion,
		Kept: []string{keys.AttrStatus, "RejectionReason", "IsVerified"}, Counters: []string{attrHelpful},
		Key:  func(r *Review) (dynastay.Key, error) { return keys.Of(keys.Review{ReviewID: r.ID}) },
		IDOf: idOf,
		Codec: entity.Declare(func(f *entity.Fields, r *Review) {
			f.Const(keys.AttrEntityType, "Review")
			f.String("ReviewId", &r.ID)
			f.String("BookingId", &r.BookingID)
			f.String(attrUser, &r.UserID)
			f.String("PropertyId", &r.PropertyID)
			for _, rating := range r.Ratings.all() {
				f.IfSet().Rating(rating.field+"Rating", rating.value)
			}
			f.String("Title", &r.Title)
			f.String("ReviewText", &r.Text)
			f.String("Pros", &r.Pros)
			f.String("Cons", &r.Cons)
			entity.String(f, "TripType", &r.TripType)
			f.Date("StayDate", &r.StayDate)
			f.Bool("IsVerified", &r.Verified)
			f.Int(attrHelpful, &r.HelpfulCount)
			entity.String(f, keys.AttrStatus, &r.Status)
			f.String("RejectionReason", &r.RejectionReason)
			f.String("GuestName", &r.GuestName)
			f.String("GuestCountry", &r.GuestCountry)
			f.Time("CreatedAt", &r.CreatedAt)
			f.Time("UpdatedAt", &r.UpdatedAt)
			f.IfSet().Int(keys.AttrVersion, &r.Version)
		}),
		Indexes: map[string]func(*Review) (dynastay.Key, error){
			keys.PropertyReviewsIndex: func(r *Review) (dynastay.Key, error) {
				if r.Status != Approved {
					return dynastay.Key{}, nil // not shown
				}
				return keys.Of(keys.ReviewByProperty{PropertyID: r.PropertyID, Created: r.CreatedAt, ReviewID: r.ID})
			},
			keys.UserReviewsIndex: func(r *Review) (dynastay.Key, error) {
				return keys.Of(keys.ReviewByUser{UserID: r.UserID, Created: r.CreatedAt, ReviewID: r.ID})
			},
			keys.ReviewStatusIndex: func(r *Review) (dynastay.Key, error) {
				if r.Status != Pending {
					return dynastay.Key{}, nil // nothing to moderate
				}
				return keys.Of(keys.ReviewByStatus{Status: string(Pending), Shard: o.PendingShards.Of(r.ID), Created: r.CreatedAt, ReviewID: r.ID})
			},
			keys.BookingReviewIndex: func(r *Review) (dynastay.Key, error) { return keys.Of(keys.ReviewByBooking{BookingID: r.BookingID}) },
		},
		Unique: []entity.Unique[Review]{{
			Field: "BookingID", Owner: []string{"ReviewId"}, Mark: map[string]string{keys.AttrEntityType: "Guard"},
			Guard:     func(r *Review) (dynastay.Key, error) { return keys.Of(keys.BookingReviewGuard{BookingID: r.BookingID}) },
			Index:     keys.BookingReviewIndex,
			Partition: func(r *Review) (string, error) { return keys.Partition(keys.ReviewByBooking{BookingID: r.BookingID}) },
		}},
	})
}

const (
	attrUser    = "UserId"
	attrHelpful = "HelpfulCount" // is changed without a new write id
)

func idOf(k dynastay.Key) string { return strings.TrimPrefix(k.PK, "REVIEW#") }

type rating struct {
	field string
	value *dynastay.Rating
}

func (r *Ratings) all() []rating {
	return []rating{
		{"Overall", &r.Overall}, {"Cleanliness", &r.Cleanliness}, {"Comfort", &r.Comfort}, {"Location", &r.Location},
		{"Facilities", &r.Facilities}, {"Staff", &r.Staff}, {"Value", &r.Value},
	}
}

// Validate requires the overall rating, and all ratings to be between 1.0 and 10.0. Every text has a maximum size, as
// described for its field, or [entity.MaxName] bytes. Errors name the field.
func (r *Review) Validate() error {
	for _, rating := range r.Ratings.all() {
		given := *rating.value
		if given == 0 && rating.field != "Overall" {
			continue
		}
		if given < MinRating || given > dynastay.MaxRating {
			return dynastay.Invalid("Ratings."+rating.field, "must be between %s and %s, got %s", MinRating, dynastay.MaxRating, given)
		}
	}
	for _, text := range []struct {
		field, value string
		most         int
	}{
		{"Title", r.Title, entity.MaxName},
		{"Text", r.Text, MaxText},
		{"Pros", r.Pros, MaxText},
		{"Cons", r.Cons, MaxText},
		{"TripType", string(r.TripType), entity.MaxName},
		{"RejectionReason", r.RejectionReason, entity.MaxNote},
		{"GuestName", r.GuestName, entity.MaxName},
		{"GuestCountry", r.GuestCountry, entity.MaxName},
	} {
		if err := entity.CheckText(text.value, text.most); err != nil {
			return dynastay.Within(text.field, err)
		}
	}
	return nil
}

// counted is the rating that the property's rating contains: 0 unless the review is approved.
func (r *Review) counted() dynastay.Rating {
	if r.Status != Approved {
		return 0
	}
	return r.Ratings.Overall
}
