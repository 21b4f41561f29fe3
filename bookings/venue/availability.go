package venue

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// Day is what takes place on one day.
type Day struct {
	Date   dynastay.Date `json:",omitzero"`
	Events []*Event      `json:",omitzero"` // in the order of the day
}

// Free reports whether a slot of the day can be taken.
func (d Day) Free(slot Slot) bool {
	if d.Date.IsZero() || slot.Duration() == "" {
		return false
	}
	for _, e := range d.Events {
		if e.Slot.Overlaps(slot) {
			return false
		}
	}
	return true
}

// MaxDays is the maximum number of days for [Repository.Availability].
const MaxDays = 366

// EventsOn returns the events of a day, in the order of the day. An event that cannot be read holds its slot all the
// same: it has only its Date, its Slot and its ids. opts may contain [dynastay.Consistent].
//
// Pattern V4: VenueBooking, PK = EVENT#{date}, 1 request
func (r *Repository) EventsOn(ctx context.Context, date dynastay.Date, opts ...dynastay.ReadOption) (_ []*Event, err error) {
	ctx, end := r.db.Begin(ctx, "venue.EventsOn")
	defer func() { end(err) }()
	partition, err := key.Partition(venuekeys.Event{Date: date})
	if err != nil {
		return nil, err
	}
	rows, err := dynastay.QueryAll(ctx, r.db, venuekeys.Table, dynastay.Query{Partition: partition, Consistent: consistent(opts)})
	if err != nil {
		return nil, err
	}
	var events []*Event
	for _, slot := range []Slot{FullDay, Morning, Afternoon} {
		for _, row := range rows {
			if slotOf(venuekeys.Table.Key.From(row)) == slot {
				events = append(events, r.heldBy(row))
			}
		}
	}
	return events, nil
}

// Availability returns the days of a range, each with its events; [dynastay.MonthOf] is the range of a month. The
// result may already be out of date; only the approval of a booking is certain. The range has at most [MaxDays] days.
// To show the days to everybody, use [Day.Free] only: the titles of events are what users wrote. opts may contain
// [dynastay.Consistent]. 1 request for each day, several at a time, see [dynastay.Options]: that is a third of the read
// units of a BatchGetItem, because a day without events costs as much as one item that does not exist.
//
// Pattern V6: VenueBooking, PK = EVENT#{date} for each day of a month, 31 requests
func (r *Repository) Availability(
	ctx context.Context, days dynastay.Stay, opts ...dynastay.ReadOption,
) (_ []Day, err error) {
	ctx, end := r.db.Begin(ctx, "venue.Availability")
	defer func() { end(err) }()
	if err := days.Validate(); err != nil {
		return nil, dynastay.Within("Days", err)
	}
	if days.Nights() > MaxDays {
		return nil, dynastay.Invalid("Days", "must be at most %d days, got %d", MaxDays, days.Nights())
	}
	all := make([]Day, days.Nights())
	err = r.db.Each(ctx, len(all), func(ctx context.Context, i int) (err error) {
		all[i].Date = days.CheckIn.AddDays(i)
		all[i].Events, err = r.EventsOn(ctx, all[i].Date, opts...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// EventWithBooking reads the event in a slot, and the booking that it is of; the booking is nil for an event without
// one. It fails with [dynastay.ErrNotFound] if there is no event in the slot, or if other software has deleted the
// booking. opts may contain [dynastay.Consistent]. 2 requests, one after the other: only the event says which booking
// it is of. They are not a snapshot.
func (r *Repository) EventWithBooking(
	ctx context.Context, date dynastay.Date, slot Slot, opts ...dynastay.ReadOption,
) (_ *Event, _ *Booking, err error) {
	ctx, end := r.db.Begin(ctx, "venue.EventWithBooking")
	defer func() { end(err) }()
	at, err := eventKey(date, slot)
	if err != nil {
		return nil, nil, err
	}
	row, err := r.db.Get(ctx, venuekeys.Table, at, opts...)
	if err != nil {
		return nil, nil, err
	}
	if !row.Exists() {
		return nil, nil, &dynastay.Error{Op: "venue.EventWithBooking", Entity: "Event", ID: nameOfSlot(at), Kind: dynastay.ErrNotFound}
	}
	event := r.heldBy(row)
	if event.BookingID == "" {
		return event, nil, nil
	}
	booking, err := r.Booking(ctx, event.BookingID, opts...)
	if err != nil {
		return nil, nil, err
	}
	return event, booking, nil
}
