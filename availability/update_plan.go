package availability

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/keys"
)

// plan is an update, night by night.
type plan struct {
	propertyID string
	report     Report
	rooms      map[string][]*edit // by room type, in the order of the dates
}

// edit is what an update changes in the item of one night.
type edit struct {
	roomTypeID string
	date       dynastay.Date
	set        Change       // of the night; ClosedToDeparture is for departures on the next date
	row        dynastay.Row // as it was read
	err        error        // why it could not be read
	about      []int        // the entries of the report that depend on it
}

// plan checks the request against the room types, and merges its changes. 1 request. If the room types cannot be read, no
// date is written, and the report says so.
func (r *Repository) plan(ctx context.Context, u UpdateRequest) (*plan, error) {
	p := &plan{propertyID: u.PropertyID, rooms: map[string][]*edit{}}
	merged, err := u.merged()
	if err != nil || len(merged) == 0 {
		return p, err
	}
	ids := roomTypeIDs(merged)
	found, err := r.roomTypes(ctx, opUpdate, u.PropertyID, ids, ratePlanIDs(merged))
	switch {
	case errors.Is(err, dynastay.ErrNotFound), errors.Is(err, dynastay.ErrCorrupt):
		return nil, err
	case err != nil:
		p.add(merged, dynastay.Date{})
		for i := range p.report.Dates {
			p.report.Dates[i].fail(err)
		}
		p.rooms = nil
		return p, nil
	}
	for i, c := range u.Changes {
		for _, id := range c.RoomTypeIDs {
			at, there := slices.BinarySearch(ids, id)
			if !there {
				continue // not in Only
			}
			err := c.fits(id, found.rooms[at])
			if err == nil {
				err = c.fitsRates(id, found.rooms[at], found.plans)
			}
			if err != nil {
				return nil, dynastay.Within(fmt.Sprintf("Changes[%d]", i), err)
			}
		}
	}
	p.add(merged, found.today)
	return p, nil
}

// roomTypeIDs returns the ids of all room types, sorted.
func roomTypeIDs(all map[entry]*Change) []string {
	ids := map[string]bool{}
	for at := range all {
		ids[at.roomTypeID] = true
	}
	return slices.Sorted(maps.Keys(ids))
}

// ratePlanIDs returns the ids of all rate plans that have to be there, sorted.
func ratePlanIDs(all map[entry]*Change) []string {
	ids := map[string]bool{}
	for _, c := range all {
		for id, rate := range c.Rates {
			if !rate.clears() {
				ids[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// fits rejects what does not match the room type.
func (c Change) fits(id string, room dynastay.Row) error {
	if c.Price.IsSet() {
		if err := fitsPrice(id, room, c.Price); err != nil {
			return err
		}
	}
	if c.Rooms != nil && !c.AboveCapacity {
		return fitsRooms(id, room, *c.Rooms)
	}
	return nil
}

// merged returns what the request sets on each of its dates. It fails if the changes together set limits that no stay
// can meet.
func (u UpdateRequest) merged() (map[entry]*Change, error) {
	only := map[entry]bool{}
	for _, d := range u.Only {
		only[d.entry()] = true
	}
	all := map[entry]*Change{}
	override := func(at entry, with Change) {
		if u.Only != nil && !only[at] {
			return
		}
		if all[at] == nil {
			all[at] = &Change{}
		}
		all[at].override(with)
		for id, rate := range with.Rates {
			departures := all[entry{at.roomTypeID, at.date.AddDays(1), true}]
			if rate.Clear && departures != nil { // it also removes what earlier changes have set for the next date
				delete(departures.Rates, id)
			}
		}
	}
	for _, c := range u.Changes {
		night, departure := c, Change{ClosedToDeparture: c.ClosedToDeparture}
		night.ClosedToDeparture = nil
		night.Rates, departure.Rates = parted(c.Rates)
		for _, date := range c.Weekdays.dates(c.Dates) {
			for _, id := range c.RoomTypeIDs {
				if night.changesNight() {
					override(entry{id, date, false}, night)
				}
				if departure.ClosedToDeparture != nil || len(departure.Rates) > 0 {
					override(entry{id, date, true}, departure)
				}
			}
		}
	}
	for _, at := range inOrder(all) {
		if plan, least, most, ok := all[at].limits(); !ok {
			return nil, dynastay.Invalid("Changes", "must not together set %sMinStay (%d) above MaxStay (%d), as for room type %s on %s",
				plan, least, most, shown.Masked(at.roomTypeID), at.date)
		}
	}
	return all, nil
}

// limits returns the first limits of the change that no stay can meet, if it has any.
func (c *Change) limits() (plan string, least, most int, ok bool) {
	broken := func(least, most *int) bool { return least != nil && most != nil && checkLimits(*least, *most) != nil }
	if broken(c.MinStay, c.MaxStay) {
		return "", *c.MinStay, *c.MaxStay, false
	}
	for _, id := range slices.Sorted(maps.Keys(c.Rates)) {
		if rate := c.Rates[id]; broken(rate.MinStay, rate.MaxStay) {
			return ratesAt(id) + ".", *rate.MinStay, *rate.MaxStay, false
		}
	}
	return "", 0, 0, true
}

// override sets the values that with sets.
func (c *Change) override(with Change) {
	c.Price = cmp.Or(with.Price, c.Price) // the zero Money leaves it
	c.OverbookLimit = cmp.Or(with.OverbookLimit, c.OverbookLimit)
	c.MinStay = cmp.Or(with.MinStay, c.MinStay)
	c.MaxStay = cmp.Or(with.MaxStay, c.MaxStay)
	c.ClosedToArrival = cmp.Or(with.ClosedToArrival, c.ClosedToArrival)
	c.ClosedToDeparture = cmp.Or(with.ClosedToDeparture, c.ClosedToDeparture)
	if with.Rooms != nil {
		c.Rooms, c.Overbook = with.Rooms, with.Overbook
	}
	if with.StopSell != nil {
		c.StopSell, c.StopSellReason = with.StopSell, with.StopSellReason
	}
	c.overrideRates(with.Rates)
}

// add adds an entry of the report for each date, and an edit for each night that is to be written.
func (p *plan) add(all map[entry]*Change, today dynastay.Date) {
	for _, at := range inOrder(all) {
		i := len(p.report.Dates)
		p.report.Dates = append(p.report.Dates, at.report())
		if at.date.Before(today) {
			p.report.Dates[i].fail(ErrPast)
			continue
		}
		night := p.edit(at)
		night.set.override(*all[at])
		night.about = append(night.about, i)
	}
}

func inOrder(all map[entry]*Change) []entry { return slices.SortedFunc(maps.Keys(all), entry.compare) }

// edit returns the edit of the night that stores an entry. The entries come in the order of the nights that store them:
// the departures on a date, which are stored with the night before, come before its night.
func (p *plan) edit(at entry) *edit {
	date := at.night()
	edits := p.rooms[at.roomTypeID]
	if last := len(edits) - 1; last >= 0 && edits[last].date == date {
		return edits[last]
	}
	night := &edit{roomTypeID: at.roomTypeID, date: date}
	p.rooms[at.roomTypeID] = append(edits, night)
	return night
}

// readPlan reads the nights, with one Query for each room type. A room type whose nights cannot be read is reported,
// and does not stop the others.
func (r *Repository) readPlan(ctx context.Context, p *plan) {
	ids := slices.Sorted(maps.Keys(p.rooms))
	_ = r.db.Each(ctx, len(ids), func(ctx context.Context, i int) error {
		edits := p.rooms[ids[i]]
		rows, err := r.read(ctx, ids[i], dynastay.Stay{
			CheckIn: edits[0].date, CheckOut: edits[len(edits)-1].date.AddDays(1),
		}, dynastay.Consistent)
		byKey := map[dynastay.Key]dynastay.Row{}
		for _, row := range rows {
			byKey[keys.AvailabilityTable.Key.From(row)] = row
		}
		for _, night := range edits {
			night.row, night.err = byKey[nightRef(night.roomTypeID, night.date).Key], err
		}
		return nil
	})
}

// inOrder returns the nights by date, so that parallel writes are spread over the partitions of the room types.
func (p *plan) inOrder() []*edit {
	var all []*edit
	for _, edits := range p.rooms {
		all = append(all, edits...)
	}
	slices.SortFunc(all, func(a, b *edit) int {
		return cmp.Or(a.date.Compare(b.date), strings.Compare(a.roomTypeID, b.roomTypeID))
	})
	return all
}

// record stores the outcome of a night in the report. Different nights have different entries, so this needs no lock.
func (p *plan) record(night *edit, got written, err error) {
	for _, i := range night.about {
		d := &p.report.Dates[i]
		switch {
		case err != nil:
			d.fail(err)
		case got.changed:
			d.Result = Written
		default:
			d.Result = Unchanged
		}
		if err == nil && !d.Departure {
			d.Overbooked = got.overbooked
		}
	}
}
