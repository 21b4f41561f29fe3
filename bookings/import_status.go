package bookings

import (
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
)

// holdsRooms reports whether a booking with the status has the rooms of its nights.
func (s Status) holdsRooms() bool {
	return s == Pending || s == Confirmed || s == CheckedIn
}

// happening is what may have happened to an imported booking.
type happening struct {
	field    string
	at       time.Time
	to       []Status // that are possible afterwards
	required []Status // that are impossible without
}

func (i *Import) happened() []happening {
	return []happening{
		{"ConfirmedAt", i.ConfirmedAt, []Status{Confirmed, CheckedIn, Completed, NoShow, Cancelled}, nil},
		{"CheckedInAt", i.CheckedInAt, []Status{CheckedIn, Completed}, nil},
		{"CheckedOutAt", i.CheckedOutAt, []Status{Completed}, nil},
		{"CancelledAt", i.CancelledAt, []Status{Cancelled}, []Status{Cancelled}},
		{"HoldExpiresAt", i.HoldExpiresAt, []Status{Pending, Expired, Cancelled}, []Status{Pending, Expired}},
	}
}

// checkStatus checks the status and the times.
func (i *Import) checkStatus() error {
	all := []Status{Pending, Confirmed, CheckedIn, Completed, Cancelled, NoShow, Expired}
	if !slices.Contains(all, i.Status) {
		return dynastay.Invalid("Status", "must be one of pending, confirmed, checked_in, completed, cancelled, no_show, expired")
	}
	if err := checkTime("CreatedAt", i.CreatedAt); err != nil {
		return err
	}
	before := happening{field: "CreatedAt", at: i.CreatedAt}
	for _, h := range i.happened() {
		switch {
		case h.at.IsZero() && slices.Contains(h.required, i.Status):
			return dynastay.Invalid(h.field, "is required, because the status is %s", i.Status)
		case h.at.IsZero():
			continue
		case !slices.Contains(h.to, i.Status):
			return dynastay.Invalid(h.field, "must be missing, because the status is %s", i.Status)
		}
		if err := checkTime(h.field, h.at); err != nil {
			return err
		}
		if h.field == "HoldExpiresAt" { // the end of a hold is no time when something happened
			before = happening{field: "CreatedAt", at: i.CreatedAt}
			if h.at.After(i.CreatedAt.Add(MaxHold)) {
				return dynastay.Invalid(h.field, "must be at most 30 days after CreatedAt")
			}
		}
		if h.at.Before(before.at) {
			return dynastay.Invalid(h.field, "must not be before %s", before.field)
		}
		before = h
	}
	if i.CancellationReason != "" && i.Status != Cancelled {
		return dynastay.Invalid("CancellationReason", "must be missing, because the status is %s", i.Status)
	}
	return nil
}

func checkTime(field string, at time.Time) error {
	switch year := at.UTC().Year(); {
	case at.IsZero():
		return dynastay.Invalid(field, "is required")
	case year < 1 || year > 9999:
		return dynastay.Invalid(field, "must be in a year between 1 and 9999")
	}
	return nil
}

// current checks what depends on the clock. It returns the current date at the property.
func (i *Import) current(now time.Time) (today dynastay.Date, err error) {
	if today, err = i.Property.Today(now); err != nil {
		return today, dynastay.Within("Property", err)
	}
	for _, h := range i.happened() {
		future := h.at.After(now)
		switch {
		case h.field != "HoldExpiresAt" && future:
			return today, dynastay.Invalid(h.field, "must not be in the future")
		case h.field == "HoldExpiresAt" && i.Status == Pending && !future:
			return today, dynastay.Invalid("HoldExpiresAt", "must be in the future; a hold that has ended is an %s booking", Expired)
		case h.field == "HoldExpiresAt" && i.Status == Expired && future:
			return today, dynastay.Invalid("HoldExpiresAt", "must not be in the future, because the status is %s", Expired)
		}
	}
	for n, p := range i.Payments {
		if p.At.After(now) || p.CreatedAt.After(now) { // the provider's next notification would be taken for an old one
			return today, dynastay.Invalid(fmt.Sprintf("Payments[%d].At", n), "must not be in the future")
		}
	}
	for n, r := range i.Refunds {
		if r.At.After(now) || r.CreatedAt.After(now) {
			return today, dynastay.Invalid(fmt.Sprintf("Refunds[%d].At", n), "must not be in the future")
		}
	}
	begun, begins := i.Stay.CheckIn.Before(today), today.Before(i.Stay.CheckIn)
	switch {
	case begun && (i.Status == Pending || i.Status == Confirmed):
		// If it was cancelled later, nights would come back that it never took.
		return today, dynastay.Invalid("Status", "must say what became of the stay, which began before today, %s at the property", today)
	case begins && (i.Status == CheckedIn || i.Status == Completed || i.Status == NoShow):
		return today, dynastay.Invalid("Status", "must not be %s, because the stay begins after today, %s at the property", i.Status, today)
	}
	return today, nil
}

// missed returns the nights that are never taken out of the inventory, and must not come back to it: those that are over, of guests
// in the house, and all of guests who have left or never came.
func (i *Import) missed(today dynastay.Date) dynastay.Stay {
	switch missed := i.Stay; {
	case i.Status == Completed || i.Status == NoShow:
		return missed
	case i.Status != CheckedIn || !missed.CheckIn.Before(today):
		return dynastay.Stay{}
	default:
		if today.Before(missed.CheckOut) {
			missed.CheckOut = today
		}
		return missed
	}
}
