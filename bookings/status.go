package bookings

// Status is the status of a booking.
type Status string

// The statuses. Create sets Confirmed and Cancel sets Cancelled; no method of this package sets the others, but other
// software may have stored them.
const (
	Pending   Status = "pending"
	Confirmed Status = "confirmed"
	CheckedIn Status = "checked_in"
	Completed Status = "completed"
	Cancelled Status = "cancelled"
	NoShow    Status = "no_show"
	Expired   Status = "expired"
)

// gone reports whether the rooms of the booking have been returned and no arrival is expected.
func (s Status) gone() bool { return s == Cancelled || s == Expired }

// PaymentStatus is the status of a booking's payment. Other software stores "succeeded", which means [Paid].
type PaymentStatus string

// The payment statuses.
const (
	PaymentPending    PaymentStatus = "pending"
	Authorized        PaymentStatus = "authorized"
	Paid              PaymentStatus = "paid"
	PaymentFailed     PaymentStatus = "failed"
	PartiallyRefunded PaymentStatus = "partially_refunded"
	Refunded          PaymentStatus = "refunded"
)

// StateError means that the status of a booking does not allow the operation. Nothing was written.
type StateError struct {
	BookingID string
	Status    Status // the current status
	Op        string // the verb for the message, such as "cancel"
}

// Error names the operation, the booking and its status.
func (e *StateError) Error() string {
	return "cannot " + e.Op + " booking " + e.BookingID + ": its status is " + string(e.Status)
}
