package listing

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/listingkeys"
)

// held is an event as it was read, with the nights that it holds.
type held struct {
	event  *Event       // nil if there is none
	row    dynastay.Row // the zero Row for an event of software that writes only nights
	nights []dynastay.Date
}

// read reads an event and what it holds. 1 request; 1 more for an event that is moving, and at least 2 more if the
// event has no item of its own.
func (r *Repository) read(ctx context.Context, at dynastay.Key) (held, error) {
	row, err := r.db.Get(ctx, listingkeys.Table, at, dynastay.Consistent)
	if err != nil {
		return held{}, err
	}
	h := held{row: row}
	if row.Exists() {
		if h.event, err = r.event.Value(row); err != nil {
			return held{}, err
		}
		if !h.event.Moving && h.event.Stay.Validate() == nil {
			h.nights = datesOf(h.event.Stay)
			return h, nil
		}
	}
	nights, err := r.nightsOf(ctx, at, h.event)
	for _, night := range nights {
		h.nights = append(h.nights, night.Date)
	}
	if h.event == nil && len(nights) > 0 {
		again, err := r.db.Get(ctx, listingkeys.Table, at, dynastay.Consistent)
		if err != nil {
			return held{}, err
		}
		if again.Exists() { // it was written between the two reads
			return r.read(ctx, at)
		}
		h.event = eventOf(nights)
	}
	return h, err
}

// nightsOf reads the nights that an event holds. If the dates of the event do not limit them, all nights of the listing
// are read, as in the listing-availability document.
func (r *Repository) nightsOf(ctx context.Context, at dynastay.Key, e *Event) ([]*Night, error) {
	var rows []dynastay.Row
	var err error
	if e != nil && e.Moving && e.span().Validate() == nil {
		rows, err = r.between(ctx, listingOf(at), e.span(), true)
	} else {
		rows, err = dynastay.QueryAll(ctx, r.db, listingkeys.Table, dynastay.Query{
			Partition: at.PK, Range: dynastay.Range{Prefix: key.SortKind[listingkeys.Night]()}, Consistent: true,
		})
	}
	if err != nil {
		return nil, err
	}
	var nights []*Night
	for _, row := range rows {
		if row.Text(attrEventID) == listingkeys.EventIDOf(at) {
			nights = append(nights, r.taken(listingOf(at), row))
		}
	}
	return nights, nil
}

// eventOf returns the event of some nights, as far as they show it.
func eventOf(nights []*Night) *Event {
	n := nights[0]
	return &Event{
		ListingID: n.ListingID, HostID: n.HostID, ID: n.EventID, Kind: n.Kind, Source: n.Source,
		BookingID: n.BookingID, ExternalID: n.ExternalID, CreatedAt: n.CreatedAt,
		Stay: dynastay.Stay{CheckIn: n.Date, CheckOut: nights[len(nights)-1].Date.AddDays(1)},
	}
}

// span is from the first to the last night that an event may hold while it is moving.
func (e *Event) span() dynastay.Stay {
	from, to := e.Stay, e.Target
	if from == (dynastay.Stay{}) {
		from = to
	}
	if to == (dynastay.Stay{}) {
		to = from
	}
	if to.CheckIn.Before(from.CheckIn) {
		from.CheckIn = to.CheckIn
	}
	if from.CheckOut.Before(to.CheckOut) {
		from.CheckOut = to.CheckOut
	}
	return from
}

// moving reports whether the event is on its way to the nights of a stay.
func (h held) moving(to dynastay.Stay) bool {
	return h.event != nil && h.event.Moving && h.event.Target == to
}

// elsewhere reports whether the event has other nights than those of a stay, or is not complete.
func (h held) elsewhere(to dynastay.Stay) bool {
	if h.event == nil {
		return to != dynastay.Stay{}
	}
	return h.event.Moving || h.event.Stay != to
}

// moves returns the nights that the event must take and those that it must free to hold exactly those of a stay.
func (h held) moves(to dynastay.Stay) (take, free []dynastay.Date) {
	for _, date := range datesOf(to) {
		if !slices.Contains(h.nights, date) {
			take = append(take, date)
		}
	}
	for _, date := range h.nights {
		if !to.Contains(date) {
			free = append(free, date)
		}
	}
	return take, free
}

// version is 0 if there is no event, or if it has no item.
func (h held) version() int {
	if h.event == nil {
		return 0
	}
	return h.event.Version
}

// foreign reports whether software that writes only nights has written the event.
func (h held) foreign() bool { return !h.row.Exists() && len(h.nights) > 0 }

// writes returns the number of nights that a transaction writes which takes some and frees others. If the event has no
// item, these are all that it holds, see moveNights.
func (h held) writes(take, free []dynastay.Date) int {
	if h.foreign() {
		return len(take) + len(h.nights)
	}
	return len(take) + len(free)
}

// datesOf returns the nights of a stay, none for the zero Stay.
func datesOf(stay dynastay.Stay) []dynastay.Date {
	if stay == (dynastay.Stay{}) {
		return nil
	}
	return slices.Collect(stay.Dates())
}
