package desk

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/properties"
)

// Bar is consecutive nights that one occupant has a room, or, with no occupant, that the room is free.
type Bar struct {
	By      units.Occupant
	Booking *bookings.Summary // nil if nobody has the room, or if it is out of order
	Nights  dynastay.Stay     // of those that the plan shows
}

// Row is a room in the plan. Its bars cover all dates, in order.
type Row struct {
	*units.Unit
	Bars []Bar
}

// Group is the rooms of a room type.
type Group struct {
	*properties.RoomType
	Rows []Row
}

// Plan is who has which room on which nights.
type Plan struct {
	Dates   dynastay.Stay
	Groups  []Group
	Without []Without
}

// Without is a booking that still lacks rooms.
type Without struct {
	*bookings.Summary
	Rooms int // that it lacks
}

// Plan returns the room plan of some dates. 3 requests, and 1 for each month: the rooms, who has them, and the bookings that may stay
// then. Holds are not in it: they get rooms when they are confirmed.
func (d *Desk) Plan(ctx context.Context, dates dynastay.Stay) (*Plan, error) {
	if err := dates.Validate(); err != nil {
		return nil, dynastay.Within("Dates", err)
	}
	rooms, err := all(ctx, d.house.Units.List(d.Hotel.ID))
	if err != nil {
		return nil, err
	}
	taken, err := d.taken(ctx, dates)
	if err != nil {
		return nil, err
	}
	staying, err := d.staying(ctx, dates)
	if err != nil {
		return nil, err
	}
	p := &Plan{Dates: dates}
	for i := range d.Hotel.Rooms {
		g := Group{RoomType: &d.Hotel.Rooms[i]}
		for _, u := range rooms {
			if u.RoomTypeID == g.ID && !u.Retired {
				g.Rows = append(g.Rows, Row{u, barsOf(dates, taken[u.ID], staying)})
			}
		}
		p.Groups = append(p.Groups, g)
	}
	p.Without = without(staying, taken, d.Today)
	return p, nil
}

// nights are who has a unit, by date.
type nights map[dynastay.Date]units.Occupant

// taken returns who has the units on some dates, by unit. 1 request for each month.
func (d *Desk) taken(ctx context.Context, dates dynastay.Stay) (map[string]nights, error) {
	found := map[string]nights{}
	for month := dynastay.MonthOf(dates.CheckIn); month.CheckIn.Before(dates.CheckOut); month = dynastay.MonthOf(month.CheckOut) {
		months, err := d.house.Units.Plan(ctx, d.Hotel.ID, month.CheckIn)
		if err != nil {
			return nil, err
		}
		for _, m := range months {
			if found[m.UnitID] == nil {
				found[m.UnitID] = nights{}
			}
			for _, n := range m.Nights {
				found[m.UnitID][n.Date] = n.By
			}
		}
	}
	return found, nil
}

// staying returns the bookings that take place, or have, on some dates, by id. 1 request.
func (d *Desk) staying(ctx context.Context, dates dynastay.Stay) (map[string]*bookings.Summary, error) {
	// A stay has at most so many nights, so whoever is there on the first date has not arrived before.
	arrived := dates.CheckIn.AddDays(-availability.MaxNights)
	list, err := all(ctx, d.house.Bookings.ByProperty(bookings.PropertyQuery{PropertyID: d.Hotel.ID, From: arrived, To: dates.CheckOut}))
	found := map[string]*bookings.Summary{}
	for _, b := range list {
		switch b.Status {
		case bookings.Confirmed, bookings.CheckedIn, bookings.Completed:
			if b.Stay.CheckOut.After(dates.CheckIn) {
				found[b.ID] = b
			}
		}
	}
	return found, err
}

func barsOf(dates dynastay.Stay, taken nights, staying map[string]*bookings.Summary) (bars []Bar) {
	for date := range dates.Dates() {
		by := taken[date]
		if last := len(bars) - 1; last >= 0 && bars[last].By.BookingID == by.BookingID && bars[last].By.OutOfOrder == by.OutOfOrder {
			bars[last].Nights.CheckOut = date.AddDays(1)
			continue
		}
		bars = append(bars, Bar{by, staying[by.BookingID], dynastay.Stay{CheckIn: date, CheckOut: date.AddDays(1)}})
	}
	return bars
}

// without returns the bookings that lack rooms on the first night that is still to come, by their dates of arrival.
func without(staying map[string]*bookings.Summary, taken map[string]nights, today dynastay.Date) (lacking []Without) {
	type night struct {
		booking string
		date    dynastay.Date
	}
	has := map[night]int{}
	for _, unit := range taken {
		for date, by := range unit {
			has[night{by.BookingID, date}]++
		}
	}
	for _, b := range staying {
		first := b.Stay.CheckIn
		if first.Before(today) {
			first = today
		}
		if lacks := b.Rooms - has[night{b.ID, first}]; lacks > 0 && first.Before(b.Stay.CheckOut) && b.Status != bookings.Completed {
			lacking = append(lacking, Without{b, lacks})
		}
	}
	slices.SortFunc(lacking, func(a, b Without) int {
		if by := a.Stay.CheckIn.Compare(b.Stay.CheckIn); by != 0 {
			return by
		}
		return strings.Compare(a.ID, b.ID)
	})
	return lacking
}

// Move gives guests a room: instead of the one that they have, or their first one.
type Move struct {
	BookingID string
	From      string // the room that they have, or "" if they lack one
	To        string
	On        dynastay.Date // the first night in the other room; the zero date means as soon as possible
	Exchange  bool          // with the guests who have the other room
}

// Move carries out a move. It fails with a [*units.TakenError] if somebody has the other room, unless the two are exchanged. 2 requests; 4
// to give a first room, and 5 for an exchange.
func (d *Desk) Move(ctx context.Context, m Move) error {
	if m.From != "" && !m.Exchange {
		_, err := d.house.Bookings.MoveUnit(ctx, m.BookingID, bookings.UnitMove{From: m.From, To: m.To, On: m.On}, d.own())
		return err
	}
	b, err := d.booking(ctx, m.BookingID)
	switch {
	case err != nil:
		return err
	case m.Exchange:
		return d.exchange(ctx, b, m)
	}
	u, err := d.house.Units.Get(ctx, d.Hotel.ID, m.To)
	if err == nil {
		first := bookings.Assignment{RoomTypeID: u.RoomTypeID, Line: lineOf(b, u.RoomTypeID), UnitID: u.ID}
		_, err = d.house.Bookings.AssignUnits(ctx, b.ID, []bookings.Assignment{first}, d.own())
	}
	return err
}

func (d *Desk) exchange(ctx context.Context, b *bookings.Booking, m Move) error {
	taken, err := d.house.Units.Taken(ctx, d.Hotel.ID, m.To, dynastay.Stay{CheckIn: d.first(b, m.On), CheckOut: b.Stay.CheckOut})
	if err != nil || len(taken) == 0 || taken[0].By.BookingID == "" {
		return cmp.Or(err, ErrNobody)
	}
	_, err = d.house.Bookings.SwapUnits(ctx, bookings.UnitSwap{
		A: bookings.UnitOf{BookingID: b.ID, UnitID: m.From}, B: bookings.UnitOf{BookingID: taken[0].By.BookingID, UnitID: m.To}, On: m.On,
	}, d.own())
	return err
}

// ErrNobody means that there is nobody to change rooms with.
var ErrNobody = dynastay.Refusal("no guests have the other room then")

// first returns the first night of a booking that is still to come, and not before a date.
func (d *Desk) first(b *bookings.Booking, on dynastay.Date) dynastay.Date {
	return slices.MaxFunc([]dynastay.Date{b.Stay.CheckIn, d.Today, on}, dynastay.Date.Compare)
}

// lineOf returns the number of the first line of a room type that lacks rooms on its first night, or of the first one.
func lineOf(b *bookings.Booking, roomTypeID string) int {
	for _, l := range b.Lines {
		if l.RoomTypeID == roomTypeID && len(l.RoomIDs) < l.Quantity {
			return l.Number
		}
	}
	return 0
}
