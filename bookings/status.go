package bookings

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/shown"
)

// Status is the status of a booking.
type Status string

// The statuses.
const (
	Pending   Status = "pending"    // the rooms are held for a limited time
	Confirmed Status = "confirmed"  // the rooms are sold
	CheckedIn Status = "checked_in" // the guests have arrived
	Completed Status = "completed"  // the guests have left
	Cancelled Status = "cancelled"  // the rooms have been returned
	NoShow    Status = "no_show"    // the guests have not arrived; the rooms remain sold
	Expired   Status = "expired"    // the hold has ended, and the rooms have been returned
)

// gone reports whether the rooms of the booking have been returned and no arrival is expected.
func (s Status) gone() bool { return s == Cancelled || s == Expired }

// PaymentStatus is the status of a booking's payment. Other software stores "succeeded", which means [PaymentPaid].
type PaymentStatus string

// The payment statuses.
const (
	PaymentPending           PaymentStatus = "pending"
	PaymentAuthorized        PaymentStatus = "authorized"
	PaymentPaid              PaymentStatus = "paid"
	PaymentFailed            PaymentStatus = "failed"
	PaymentPartiallyRefunded PaymentStatus = "partially_refunded"
	PaymentRefunded          PaymentStatus = "refunded"
)

// normal returns the status under its own name.
func (s PaymentStatus) normal() PaymentStatus {
	if s == "succeeded" {
		return PaymentPaid
	}
	return s
}

// StatusError means that the status of a booking, or the time, does not allow the operation. Nothing was written.
type StatusError struct {
	BookingID string
	Status    Status // the current status
	Op        string // the verb for the message, such as "cancel"
	// Err is why the time does not allow it: [ErrHoldEnded], [ErrHoldOpen], [ErrTooEarly] or [ErrTooLate]; or it is
	// [ErrAnonymised]. It is nil if the status does not allow it, whatever the time.
	Err error
}

// Error names the operation, the booking, and its status or the reason.
func (e *StatusError) Error() string {
	text := "cannot " + e.Op + " booking " + shown.Masked(e.BookingID) + ": "
	if e.Err != nil {
		return text + e.Err.Error()
	}
	return text + "its status is " + string(e.Status)
}

// Is makes it match [dynastay.ErrRefused].
func (*StatusError) Is(target error) bool { return target == dynastay.ErrRefused }

// Unwrap returns the reason, or nil if it is the status.
func (e *StatusError) Unwrap() error { return e.Err }
