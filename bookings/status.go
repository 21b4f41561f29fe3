package bookings

// Status is the state of a booking.
type Status string

// The statuses. Create makes confirmed bookings and Cancel cancelled ones; the others are for what is read.
const (
	Pending   Status = "pending"
	Confirmed Status = "confirmed"
	CheckedIn Status = "checked_in"
	Completed Status = "completed"
	Cancelled Status = "cancelled"
	NoShow    Status = "no_show"
	Expired   Status = "expired"
)

// gone reports whether the booking has given its rooms back and no arrival is expected.
func (s Status) gone() bool { return s == Cancelled || s == Expired }

// PaymentStatus is where a booking's payment stands. "succeeded", which other software stores, means [Paid].
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

// StateError says that a booking is not in a state that allows the operation. Nothing was written.
type StateError struct {
	BookingID string
	Status    Status // the one that it is in
	Op        string // "cancel"
}

// Error names what was asked, the booking and its state.
func (e *StateError) Error() string {
	return "cannot " + e.Op + " booking " + e.BookingID + ": it is " + string(e.Status)
}
