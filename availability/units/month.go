package units

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Occupant is who has a unit on a night: a line of a booking, or nobody because it is out of order.
type Occupant struct {
	BookingID string
	// Line is the number of the line in the booking, at least 1. It is 0, and BookingID is what is stored, if other software has
	// stored something that does not name a line.
	Line       int
	OutOfOrder string // the id of an [OutOfOrder] of the unit; BookingID is then ""
}

// String returns the stored form, such as "bkg_1#1" or "OUT#broken-window".
func (o Occupant) String() string {
	switch {
	case o.OutOfOrder != "":
		return outOfOrder + "#" + o.OutOfOrder
	case o.Line == 0:
		return o.BookingID
	}
	return o.BookingID + "#" + strconv.Itoa(o.Line)
}

// outOfOrder is what a unit that is out of order has in place of a booking. Nobody takes such a night over.
const outOfOrder = "OUT"

// NotText is what the plan names if other software has stored something that is no text: nobody can have or take such a night.
var NotText = Occupant{BookingID: "(not a text)"}

func occupantOf(text string) Occupant {
	id, number, _ := strings.Cut(text, "#")
	if id == outOfOrder && number != "" {
		return Occupant{OutOfOrder: number}
	}
	if line, err := strconv.Atoi(number); err == nil && line > 0 {
		if by := (Occupant{BookingID: id, Line: line}); by.String() == text {
			return by
		}
	}
	return Occupant{BookingID: text}
}

// Month is who has a unit on the nights of a month.
type Month struct {
	UnitID string
	First  dynastay.Date `json:",omitzero"` // the first date of the month
	Nights []TakenNight  `json:",omitzero"` // those that somebody has, by date
}

// Plan returns the room plan of the month in which a date is: the units that somebody has on some of its nights, by their ids. A
// unit that is free all the month is not in it. Those of bookings that have been cancelled may be in it still, see the package
// comment. It reads consistently. If an item cannot be read, Plan returns a [*dynastay.UnreadableError] together with the others.
//
// Pattern room plan: Availability, PK = UNITS#{propertyId}, SK begins with MONTH#{month}#, 1 request
func (r *Repository) Plan(ctx context.Context, propertyID string, month dynastay.Date) (_ []Month, err error) {
	ctx, end := r.db.Begin(ctx, "units.Plan")
	defer func() { end(err) }()
	if month.IsZero() {
		return nil, dynastay.Invalid("Month", "is required")
	}
	prefix, err := keys.SortPrefix(keys.UnitMonth{PropertyID: propertyID, Month: dynastay.MonthOf(month).CheckIn})
	if err != nil {
		return nil, err
	}
	rows, err := r.rows(ctx, keys.AvailabilityTable, propertyID, prefix)
	if err != nil {
		return nil, err
	}
	var all []Month
	var unreadable []error
	for _, row := range rows {
		one, err := monthOf(row)
		switch {
		case err != nil:
			unreadable = append(unreadable, err)
		case len(one.Nights) > 0:
			all = append(all, *one)
		}
	}
	if len(unreadable) > 0 {
		return all, &dynastay.UnreadableError{Items: unreadable}
	}
	return all, nil
}

// monthOf decodes an item. An unknown attribute is none of a night.
func monthOf(row dynastay.Row) (*Month, error) {
	at := keys.AvailabilityTable.Key.From(row)
	key, err := keys.Parse[keys.UnitMonth](at)
	if err != nil {
		return nil, &dynastay.Error{Entity: "UnitMonth", ID: at.String(), Kind: dynastay.ErrCorrupt, Err: err}
	}
	m := &Month{UnitID: key.UnitID, First: key.Month}
	for date := range dynastay.MonthOf(key.Month).Dates() {
		if by, taken := occupantIn(row, date); taken {
			m.Nights = append(m.Nights, TakenNight{Night{key.UnitID, date}, by})
		}
	}
	return m, nil
}

// attrOf returns the attribute of a day of the month.
func attrOf(day int) string { return fmt.Sprintf("D%02d", day) }

// On returns who has the unit on a date of the month.
func (m Month) On(date dynastay.Date) (Occupant, bool) {
	for _, n := range m.Nights {
		if n.Date == date {
			return n.By, true
		}
	}
	return Occupant{}, false
}

// Taken returns the nights of a unit that somebody has, by date, as the plan says. 1 request. It reads consistently.
func (r *Repository) Taken(ctx context.Context, propertyID, unitID string, nights dynastay.Stay) (all []TakenNight, err error) {
	ctx, end := r.db.Begin(ctx, "units.Taken")
	defer func() { end(err) }()
	var at []dynastay.Key
	for month := dynastay.MonthOf(nights.CheckIn).CheckIn; month.Before(nights.CheckOut); month = dynastay.MonthOf(month).CheckOut {
		key, err := keys.Of(keys.UnitMonth{PropertyID: propertyID, Month: month, UnitID: unitID})
		if err != nil {
			return nil, err
		}
		at = append(at, key)
	}
	rows, err := r.db.GetAll(ctx, keys.AvailabilityTable, at, dynastay.Consistent)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if !row.Exists() {
			continue
		}
		m, err := monthOf(row)
		if err != nil {
			return nil, err
		}
		for _, n := range m.Nights {
			if nights.Contains(n.Date) {
				all = append(all, n)
			}
		}
	}
	return all, nil
}
