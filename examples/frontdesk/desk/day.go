package desk

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
)

// Arrival is a booking whose guests are expected today, or have come.
type Arrival struct {
	*bookings.Summary
	Units []string // that they have on the night of arrival
}

// Ready reports whether the guests can be checked in as they are.
func (a Arrival) Ready() bool { return a.Status == bookings.Confirmed && len(a.Units) == a.Rooms }

// Day is what a day at the desk is about.
type Day struct {
	Late      []*bookings.Summary // confirmed for the last week, and not there
	Arrivals  []Arrival
	Departing []*bookings.Booking // today, or before
	Dirty     []*units.Unit
}

// Day returns what today is about. 5 requests, and 1 for each departure.
func (d *Desk) Day(ctx context.Context) (*Day, error) {
	day := &Day{}
	expected, err := all(ctx, d.house.Bookings.ByProperty(bookings.PropertyQuery{PropertyID: d.Hotel.ID, From: d.Today.AddDays(-7), To: d.Today}))
	if err != nil {
		return nil, err
	}
	day.Late = slices.DeleteFunc(expected, func(b *bookings.Summary) bool { return b.Status != bookings.Confirmed })
	if day.Arrivals, err = d.arrivals(ctx); err != nil {
		return nil, err
	}
	if day.Departing, err = d.departing(ctx); err != nil {
		return nil, err
	}
	day.Dirty, err = all(ctx, d.house.Units.ToBeCleaned(d.Hotel.ID))
	return day, err
}

func (d *Desk) arrivals(ctx context.Context) (found []Arrival, err error) {
	list, err := all(ctx, d.house.Bookings.ByCheckIn(bookings.CheckInQuery{Date: d.Today, PropertyID: d.Hotel.ID}))
	if err != nil {
		return nil, err
	}
	taken, err := d.taken(ctx, dynastay.Stay{CheckIn: d.Today, CheckOut: d.Today.AddDays(1)})
	if err != nil {
		return nil, err
	}
	for _, b := range list {
		if b.Status != bookings.Confirmed && b.Status != bookings.CheckedIn {
			continue // a hold, or a no-show
		}
		a := Arrival{Summary: b}
		for unit, nights := range taken {
			if nights[d.Today].BookingID == b.ID {
				a.Units = append(a.Units, unit)
			}
		}
		slices.Sort(a.Units)
		found = append(found, a)
	}
	return found, nil
}

func (d *Desk) departing(ctx context.Context) (found []*bookings.Booking, err error) {
	list, err := all(ctx, d.house.Bookings.Departures(bookings.CheckOutQuery{PropertyID: d.Hotel.ID, To: d.Today.AddDays(1)}))
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, in := range list {
		ids = append(ids, in.BookingID)
	}
	found, err = d.house.Bookings.GetAll(ctx, ids, dynastay.Consistent)
	// The index may be a moment behind.
	return slices.DeleteFunc(found, func(b *bookings.Booking) bool { return b == nil || b.Status != bookings.CheckedIn }), err
}

// AssignAll gives rooms to all who arrive today and lack some, and returns for how many bookings it found none. See
// [bookings.Repository.AutoAssign] for its requests.
func (d *Desk) AssignAll(ctx context.Context) (left int, err error) {
	done, err := d.house.Bookings.AutoAssign(ctx, bookings.AutoAssignment{
		PropertyID: d.Hotel.ID, Arrivals: dynastay.Stay{CheckIn: d.Today, CheckOut: d.Today.AddDays(1)},
	})
	without := map[string]bool{}
	for _, l := range done.Left {
		if l.Err == nil { // otherwise a colleague was faster, and they have one
			without[l.BookingID] = true
		}
	}
	return len(without), err
}
