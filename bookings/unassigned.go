package bookings

import (
	"context"
	"errors"

	"github.com/dynastay/dynastay"
)

// Unassigned is a booking whose guests arrive and lack units.
type Unassigned struct {
	Booking *Summary `json:",omitzero"`
	Rooms   int      // that have no unit on the night of arrival
}

// Unassigned returns the bookings of a property whose guests arrive on a date, or have arrived, and which have fewer units than rooms
// on that night, in the order of their ids. Holds that have ended are left out. The arrivals are eventually consistent, and what
// they have is as the plan of the units says. A booking of other software, whose number of rooms is not known, is not in it.
//
// If some bookings or units cannot be read, Unassigned returns a [*dynastay.UnreadableError] together with the others. Each shard of
// [Options].CheckInShards takes 1 more request.
//
// Pattern unassigned: GSI5-CheckInDateIndex, GSI5PK = CHECKIN#{date}, GSI5SK begins with PROPERTY#{propertyId}#, then Availability, PK = UNITS#{propertyId}, SK begins with MONTH#{month}#, 2 requests
func (r *Repository) Unassigned(ctx context.Context, propertyID string, date dynastay.Date) (all []Unassigned, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.Unassigned")
	defer func() { end(err) }()
	if propertyID == "" {
		return nil, dynastay.Invalid("PropertyID", "is required")
	}
	var arriving []*Summary
	var unreadable []error
	note := func(err error) error {
		var some *dynastay.UnreadableError
		if errors.As(err, &some) {
			unreadable = append(unreadable, some.Items...)
			return nil
		}
		return err
	}
	for s, err := range r.ByCheckIn(CheckInQuery{Date: date, PropertyID: propertyID}).All(ctx) {
		if err != nil {
			if err := note(err); err != nil {
				return nil, err
			}
			continue
		}
		switch s.Status {
		case Pending, Confirmed, CheckedIn:
			if !s.lapsed(r.db.Now()) {
				arriving = append(arriving, s)
			}
		}
	}
	if len(arriving) > 0 {
		months, err := r.units.Plan(ctx, propertyID, date)
		if err := note(err); err != nil {
			return nil, err
		}
		has := map[string]int{}
		for _, m := range months {
			if by, taken := m.On(date); taken {
				has[by.BookingID]++
			}
		}
		for _, s := range arriving {
			if lacks := s.Rooms - has[s.ID]; lacks > 0 {
				all = append(all, Unassigned{s, lacks})
			}
		}
	}
	if len(unreadable) > 0 {
		return all, &dynastay.UnreadableError{Items: unreadable}
	}
	return all, nil
}
