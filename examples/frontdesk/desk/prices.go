package desk

import (
	"cmp"
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/properties"
)

// Rule says who may book a night, apart from its minimum stay.
type Rule string

// The rules. They are in the order in which a form offers them.
const (
	OnSale       Rule = "open"
	NoArrivals   Rule = "no arrivals"
	NoDepartures Rule = "no departures"
	NoneOfBoth   Rule = "no arrivals or departures"
	OffSale      Rule = "closed"
)

// Rules are all rules.
var Rules = []Rule{OnSale, NoArrivals, NoDepartures, NoneOfBoth, OffSale}

// Cell is a night of a room type as the grid shows it. A night that is not on sale has no price.
type Cell struct {
	Date    dynastay.Date
	Price   dynastay.Money
	MinStay int
	Rule    Rule
	Left    int
}

// Prices are the nights of a month, by room type, and how full the house is.
type Prices struct {
	Month dynastay.Stay
	Rows  []PriceRow
	Full  []Full // for each date
	// Closed means that the whole property is off sale, whatever the nights say.
	Closed bool
}

// PriceRow is the nights of a room type, one for each date of the month.
type PriceRow struct {
	*properties.RoomType
	Cells []Cell
}

// Full is how many rooms are sold on a date, of those that are on sale.
type Full struct {
	Date     dynastay.Date
	Sold, Of int
}

// Prices returns the prices and the restrictions of the month in which a date is. 1 request.
func (d *Desk) Prices(ctx context.Context, in dynastay.Date) (*Prices, error) {
	p := &Prices{Month: dynastay.MonthOf(in)}
	c, err := d.house.Nights.Calendar(ctx, d.Hotel.ID, p.Month)
	if err != nil {
		return nil, err
	}
	for _, day := range c.Days {
		t := day.Totals()
		p.Closed = p.Closed || slices.ContainsFunc(day.Nights, func(n availability.Night) bool { return n.PropertyClosed })
		p.Full = append(p.Full, Full{day.Date, t.Sold, t.Rooms - t.OutOfOrder})
	}
	for i := range d.Hotel.Rooms {
		row := PriceRow{RoomType: &d.Hotel.Rooms[i]}
		for _, day := range c.Days {
			row.Cells = append(row.Cells, cellOf(day, row.ID))
		}
		p.Rows = append(p.Rows, row)
	}
	return p, nil
}

func cellOf(day availability.Day, roomTypeID string) Cell {
	n := day.Night(roomTypeID)
	if n == nil {
		return Cell{Date: day.Date}
	}
	c := Cell{day.Date, n.Price, n.MinStay, OnSale, n.Available}
	switch departures := slices.Contains(day.ClosedToDeparture, roomTypeID); {
	case n.StopSell:
		c.Rule = OffSale
	case n.ClosedToArrival && departures:
		c.Rule = NoneOfBoth
	case n.ClosedToArrival:
		c.Rule = NoArrivals
	case departures:
		c.Rule = NoDepartures
	}
	return c
}

// Edit is what changes in a night. What is nil or "" stays as it is.
type Edit struct {
	RoomTypeID string
	Date       dynastay.Date
	Price      dynastay.Money
	MinStay    *int
	Rule       Rule
	Was        Rule // before, so that only what differs is set
}

// SetPrices changes nights, with one call for all of them. If some were not changed, the error is an [*availability.UpdateError] that says
// which, and sending the same again does no harm. See [availability.Repository.Update] for its requests.
func (d *Desk) SetPrices(ctx context.Context, edits []Edit) error {
	if len(edits) == 0 {
		return nil
	}
	// Whether guests can leave on a date is stored with the night before, which may not be on sale.
	u := availability.UpdateRequest{PropertyID: d.Hotel.ID, OpenOnly: true}
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.RoomTypeID, b.RoomTypeID), a.Date.Compare(b.Date)) })
	for _, e := range edits {
		change, err := e.change()
		if err != nil {
			return err
		}
		u.Changes = append(u.Changes, change)
	}
	_, err := d.house.Nights.Update(ctx, u)
	return err
}

func (e Edit) change() (availability.Change, error) {
	c := availability.Change{
		RoomTypeIDs: []string{e.RoomTypeID}, Dates: dynastay.Stay{CheckIn: e.Date, CheckOut: e.Date.AddDays(1)}, Price: e.Price, MinStay: e.MinStay,
	}
	if e.Rule == "" {
		return c, nil
	}
	if !slices.Contains(Rules, e.Rule) {
		return c, dynastay.Invalid("Rule", "must be one of the rules")
	}
	// What holds for arrivals and departures stays for when the night is open again.
	now, was := flagsOf(e.Rule), flagsOf(e.Was)
	if c.StopSell = differing(now.closed, was.closed); now.closed {
		c.StopSellReason = "front desk"
		return c, nil
	}
	if c.ClosedToArrival, c.ClosedToDeparture = differing(now.arrivals, was.arrivals), differing(now.departures, was.departures); was.closed {
		c.ClosedToArrival, c.ClosedToDeparture = &now.arrivals, &now.departures
	}
	return c, nil
}

// flags are what a rule consists of.
type flags struct{ closed, arrivals, departures bool }

func flagsOf(r Rule) flags {
	return flags{r == OffSale, r == NoArrivals || r == NoneOfBoth, r == NoDepartures || r == NoneOfBoth}
}

// differing returns a value if it is another one than before.
func differing(now, was bool) *bool {
	if now == was {
		return nil
	}
	return &now
}
