package availability

import (
	"context"
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Calendar is what a property has on sale, date by date.
type Calendar struct {
	PropertyID  string
	RoomTypeIDs []string `json:",omitzero"` // of all room types with a night in the calendar, sorted
	Days        []Day    `json:",omitzero"` // every date of the range, in order
}

// Day is one date of a calendar.
type Day struct {
	Date dynastay.Date `json:",omitzero"`
	// Nights are the open nights of this date, ordered by room type id, including those with a stop-sell.
	// StopSellReason, UpdatedAt and ExpiresAt are not set.
	Nights []Night `json:",omitzero"`
	// ClosedToDeparture lists the ids of the room types from which no stay may depart on this date, sorted. The
	// ClosedToDeparture of a [Night] is about the next date.
	ClosedToDeparture []string `json:",omitzero"`
}

// Night returns the night of a room type, or nil if it is not open.
func (d Day) Night(roomTypeID string) *Night {
	for i := range d.Nights {
		if d.Nights[i].RoomTypeID == roomTypeID {
			return &d.Nights[i]
		}
	}
	return nil
}

// Totals are the rooms of several nights together: Rooms + Overbooked = Sold + Left + Closed + OutOfOrder, unless other
// software stored a number of rooms left that is above the total.
type Totals struct {
	Rooms      int // put on sale in total, including those with a stop-sell
	Sold       int
	Left       int // can still be sold without overbooking
	Closed     int // left, but taken off sale by a stop-sell, or because the property is closed
	OutOfOrder int // cannot be used
	Overbooked int // sold beyond the rooms that can be used
}

// Occupancy returns the share of the rooms on sale that are sold, above 1 if they are overbooked, and 0 if no rooms are
// on sale. A room that is out of order counts as one that is not sold.
func (t Totals) Occupancy() float64 {
	if t.Rooms == 0 {
		return 0
	}
	return float64(t.Sold) / float64(t.Rooms)
}

// Totals adds up the room types of the day.
func (d Day) Totals() (t Totals) {
	for _, n := range d.Nights {
		t.Rooms += n.Total
		t.Sold += n.Sold()
		t.OutOfOrder += n.OutOfOrder
		t.Overbooked += max(0, -n.Available)
		if n.StopSell || n.PropertyClosed {
			t.Closed += max(0, n.Available)
		} else {
			t.Left += max(0, n.Available)
		}
	}
	return t
}

// Totals adds up all days.
func (c *Calendar) Totals() (t Totals) {
	for _, day := range c.Days {
		d := day.Totals()
		t.Rooms += d.Rooms
		t.Sold += d.Sold
		t.Left += d.Left
		t.Closed += d.Closed
		t.OutOfOrder += d.OutOfOrder
		t.Overbooked += d.Overbooked
	}
	return t
}

// Calendar returns what a property has on sale over a range of at most 732 dates, such as a day, a week or a month
// ([dynastay.MonthOf]). It reads one night before the range as well, for the departures on the first date. Every
// further 1 MB, about 4,000 nights, takes 1 request more.
//
// If some nights cannot be read, Calendar returns a [*dynastay.UnreadableError] together with the others.
//
// Pattern A4: GSI1-PropertyDateIndex, GSI1PK = PROPERTY#{propertyId}, GSI1SK from DATE#{first date − 1} to DATE#{last date}, 1 request
func (r *Repository) Calendar(ctx context.Context, propertyID string, dates dynastay.Stay) (_ *Calendar, err error) {
	ctx, end := r.db.Begin(ctx, "availability.Calendar")
	defer func() { end(err) }()
	if err := checkDates("Dates", dates); err != nil {
		return nil, err
	}
	from := dates
	if before := dates.CheckIn.AddDays(-1); !before.IsZero() {
		from.CheckIn = before
	}
	rows, err := r.readProperty(ctx, propertyID, from)
	if err != nil {
		return nil, err
	}
	c := &Calendar{PropertyID: propertyID}
	for date := range dates.Dates() {
		c.Days = append(c.Days, Day{Date: date})
	}
	var unreadable []error
	for _, row := range rows {
		night, err := nightInIndex(row, propertyID)
		switch {
		case err != nil:
			unreadable = append(unreadable, err)
		case !night.expired(r.db.Now()):
			c.add(dates, *night)
		}
	}
	slices.Sort(c.RoomTypeIDs)
	c.RoomTypeIDs = slices.Compact(c.RoomTypeIDs)
	if len(unreadable) > 0 {
		return c, &dynastay.UnreadableError{Items: unreadable}
	}
	return c, nil
}

func (c *Calendar) add(dates dynastay.Stay, night Night) {
	if i := dates.CheckIn.DaysUntil(night.Date); i >= 0 {
		c.Days[i].Nights = append(c.Days[i].Nights, night)
		c.RoomTypeIDs = append(c.RoomTypeIDs, night.RoomTypeID)
	}
	if i := dates.CheckIn.DaysUntil(night.Date) + 1; night.ClosedToDeparture && i < len(c.Days) {
		c.Days[i].ClosedToDeparture = append(c.Days[i].ClosedToDeparture, night.RoomTypeID)
	}
}

// readProperty reads the nights of all room types of a property from the index.
func (r *Repository) readProperty(ctx context.Context, propertyID string, dates dynastay.Stay) ([]dynastay.Row, error) {
	partition, err := keys.Partition(keys.NightByProperty{PropertyID: propertyID})
	if err != nil {
		return nil, err
	}
	var bounds dynastay.Range
	if bounds.From, err = keys.SortPrefix(keys.NightByProperty{Date: dates.CheckIn}); err != nil {
		return nil, err
	}
	if bounds.To, err = keys.SortPrefix(keys.NightByProperty{Date: dates.CheckOut}); err != nil {
		return nil, err
	}
	return dynastay.QueryAll(ctx, r.db, keys.AvailabilityTable, dynastay.Query{
		Index: keys.PropertyDateIndex, Partition: partition, Range: bounds,
	})
}

var inIndex = entity.Declare(projected)

// nightInIndex decodes a row of the index. The ids and the date come from the keys: the index does not project them. It
// returns an error if other software left a stale index key, because the night then appears under a wrong property or
// date.
func nightInIndex(row dynastay.Row, propertyID string) (*Night, error) {
	stored, index := keys.AvailabilityTable.Key.From(row), indexKey.From(row)
	key, err := keys.Parse[keys.Night](stored)
	if err != nil {
		return nil, err
	}
	wanted, err := keys.Of(keys.NightByProperty{PropertyID: propertyID, Date: key.Date, RoomTypeID: key.RoomTypeID})
	if err != nil {
		return nil, err
	}
	if index != wanted {
		return nil, &dynastay.Error{
			Entity: "Night", ID: stored.String(), Field: indexKey.Sort, Kind: dynastay.ErrCorrupt, Err: errors.New("must agree with the key"),
		}
	}
	night, err := entity.Read("Night", stored.String(), inIndex, row)
	if err != nil {
		return nil, err
	}
	night.PropertyID, night.RoomTypeID, night.Date = propertyID, key.RoomTypeID, key.Date
	return night, nil
}

var indexKey = func() dynastay.KeyNames {
	index, _ := keys.AvailabilityTable.Index(keys.PropertyDateIndex)
	return index.Key
}()
