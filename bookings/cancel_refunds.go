package bookings

import (
	"fmt"
	"slices"

	"github.com/dynastay/dynastay"
)

// refundsOf returns the refunds with the booking entered in them, or an error if they are invalid.
func refundsOf(bookingID string, given []Refund) ([]Refund, error) {
	refunds, ids := slices.Clone(given), map[string]bool{}
	for i, refund := range refunds {
		own, err := ofBooking(refund.BookingID, bookingID)
		refund.BookingID = own
		switch {
		case err != nil:
		case refund.Amount.IsSet():
			err = refund.Validate()
		default:
			err = refund.validate()
		}
		switch {
		case err != nil:
		case ids[refund.ID]:
			err = dynastay.Invalid("ID", "appears more than once")
		case refund.Status == PaymentFailed:
			err = dynastay.Invalid("Status", "must be one of pending, refunded")
		}
		if err != nil {
			return nil, dynastay.Within(fmt.Sprintf("Refunds[%d]", i), err)
		}
		ids[refund.ID], refunds[i] = true, refund
	}
	return refunds, nil
}
