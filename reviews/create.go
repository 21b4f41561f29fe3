package reviews

import (
	"cmp"
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/keys"
)

// The reasons why a booking cannot be reviewed. The [*BookingError] that is returned matches them.
var (
	ErrNoBooking     = dynastay.Refusal("the booking does not exist")
	ErrOtherUser     = dynastay.Refusal("the booking is of a different user")
	ErrOtherProperty = dynastay.Refusal("the booking is of a different property")
	ErrOtherStay     = dynastay.Refusal("the stay has a different date of check-in")
	ErrNotOver       = dynastay.Refusal("the guests have not checked out yet")
	ErrNotStayed     = dynastay.Refusal("the guests did not stay") // it was cancelled, has expired, or is a no-show
)

// BookingError means that a booking does not allow the review. Nothing was written.
type BookingError struct {
	BookingID string
	Err       error // the reason, one of the Err… values of this package
}

// Error names the booking and the reason.
func (e *BookingError) Error() string {
	return "cannot review booking " + shown.Masked(e.BookingID) + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *BookingError) Unwrap() error { return e.Err }

// CreateOp creates a review of a stay, pending until it is moderated. BookingID, UserID and PropertyID are required.
// The transaction checks the booking: it must be one of the user and the property, and either be completed, or be
// checked in with a date of check-out (UTC) that is not in the future; StayDate, if it is set, must be its date of
// check-in. Otherwise CreateOp fails with a [*BookingError]. An empty ID is generated; Status, Verified, HelpfulCount,
// RejectionReason, the times and the version are set, and given values are ignored. Do not use an ID of your own again
// after a deletion: the versions begin anew, and a moderator who has read the old review could approve the new one.
// Whether the user was erased is not checked, see [Eraser.Erase].
//
// A booking has at most one review. If it has one already, CreateOp fails with [dynastay.ErrAlreadyExists] and Field
// "BookingID". If [Review.Validate] rejects a field, CreateOp fails with its error. A repeated call with the same
// idempotency key returns the review in its current state; if the review was deleted since, it fails with
// [dynastay.ErrCommitted].
func (r *Repository) CreateOp(v Review) *dynastay.Operation[*Review] {
	return r.createOp("reviews.Create", v, time.Time{})
}

func (r *Repository) createOp(op string, v Review, at time.Time) *dynastay.Operation[*Review] {
	v.Status, v.Verified, v.HelpfulCount, v.RejectionReason, v.Response = Pending, true, 0, "", nil
	made, err := r.table.Creation(&v)
	made.At = at
	input := made.Input
	if !at.IsZero() {
		input = nil // an import
	}
	booking, noBooking := keys.Of(keys.Booking{BookingID: v.BookingID})
	_, noProperty := keys.Of(keys.Property{PropertyID: v.PropertyID})
	err = cmp.Or(err, noBooking, noProperty)
	return dynastay.NewOp(dynastay.OpSpec[*Review]{
		Name: op, Invalid: err, Input: input,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*Review, error) {
			// First, so that a stranger is told about the booking and not whether it has a review.
			r.checkBooking(tx, booking, &v)
			err := made.AddTo(tx)
			review := *made.Value // so that changes to the result do not affect the next preparation
			return &review, err
		},
		Restore: func(ctx context.Context, ids map[string]string) (*Review, error) {
			return r.Get(ctx, ids["ReviewId"], dynastay.Consistent)
		},
	})
}

// Create runs [Repository.CreateOp]. 1 request.
func (r *Repository) Create(ctx context.Context, v Review, opts ...dynastay.WriteOption) (*Review, error) {
	return dynastay.Do(ctx, r.db, r.CreateOp(v), opts...)
}

// What this package knows of a booking, whose other attributes belong to package bookings.
const (
	bookingUser     = "UserId"
	bookingProperty = "PropertyId"
	bookingCheckIn  = "CheckInDate"
	bookingCheckOut = "CheckOutDate"

	completed = "completed"
	checkedIn = "checked_in"
	confirmed = "confirmed"
	pending   = "pending"
)

// The conditions for a booking, without and with the date of check-in.
var (
	bookingOver = dynastay.NameOf(keys.AttrStatus).Equal(expression.Value(completed)).Or(
		dynastay.NameOf(keys.AttrStatus).Equal(expression.Value(checkedIn)).
			And(dynastay.NameOf(bookingCheckOut).LessThanEqual(dynastay.Param("today"))))
	bookingStayed = dynastay.NameOf(bookingUser).Equal(dynastay.Param("user")).
			And(dynastay.NameOf(bookingProperty).Equal(dynastay.Param("property")), bookingOver)
	bookingFits   = dynastay.MustCompile(expression.NewBuilder().WithCondition(bookingStayed))
	bookingFitsOn = dynastay.MustCompile(expression.NewBuilder().WithCondition(
		bookingStayed.And(dynastay.NameOf(bookingCheckIn).Equal(dynastay.Param("stay")))))
)

// checkBooking adds the check that the author stayed at the property.
func (r *Repository) checkBooking(tx *dynastay.Tx, booking dynastay.Key, v *Review) {
	values := dynastay.Item{
		"user": dynastay.Text(v.UserID), "property": dynastay.Text(v.PropertyID),
		"today": dynastay.Text(dynastay.DateOf(r.db.Now(), time.UTC).String()),
	}
	condition := bookingFits
	if !v.StayDate.IsZero() {
		condition, values["stay"] = bookingFitsOn, dynastay.Text(v.StayDate.String())
	}
	tx.Check(keys.BookingsTable, booking, condition.With(values), v.refusedBy)
}

// refusedBy returns why a booking does not allow the review.
func (v *Review) refusedBy(booking dynastay.Row) error {
	reason := ErrNotStayed
	switch status := booking.Text(keys.AttrStatus); {
	case !booking.Exists():
		reason = ErrNoBooking
	case booking.Text(bookingUser) != v.UserID:
		reason = ErrOtherUser
	case booking.Text(bookingProperty) != v.PropertyID:
		reason = ErrOtherProperty
	case !v.StayDate.IsZero() && booking.Text(bookingCheckIn) != v.StayDate.String():
		reason = ErrOtherStay
	case status == pending || status == confirmed || status == checkedIn:
		reason = ErrNotOver
	}
	return &BookingError{BookingID: v.BookingID, Err: reason}
}
