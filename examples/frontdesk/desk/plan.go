package desk

import (
	"cmp"
	"context"
	"maps"
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

// Plan returns the room plan of some dates. The rooms, who has them, and the bookings that may stay then: 3 requests, and 1
// for each further month. Holds are not in it: they get rooms when they are confirmed.
func (d *Desk) Plan(ctx context.Context, dates dynastay.Stay) (*Plan, error) {
	if err := dates.Validate(); err != nil {
		return nil, dynastay.Within("Dates", err)
	}
	rooms, err := all(ctx, d.house.Units.List(d.Hotel.ID))
	if err != nil {
		return nil, err
	}
	taken, staying, err := d.occupied(ctx, dates)
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
	p.Without = without(staying, taken, dynastay.Stay{CheckIn: later(d.Today, dates.CheckIn), CheckOut: dates.CheckOut})
	return p, nil
}

func later(a, b dynastay.Date) dynastay.Date {
	if a.Before(b) {
		return b
	}
	return a
}

// occupied returns who has the rooms on some dates, and the bookings that take place then. The plan may name bookings that were cancelled:
// their nights can be given to others, and are free here. 2 requests, 1 more for each month but the first, and 1 for each booking that the
// list does not have.
func (d *Desk) occupied(ctx context.Context, dates dynastay.Stay) (map[string]nights, map[string]*bookings.Summary, error) {
	taken, err := d.taken(ctx, dates)
	if err != nil {
		return nil, nil, err
	}
	staying, err := d.staying(ctx, dates)
	if err != nil {
		return nil, nil, err
	}
	missing := map[string]bool{}
	for _, unit := range taken {
		for date, by := range unit {
			if by.BookingID != "" && staying[by.BookingID] == nil && dates.Contains(date) {
				missing[by.BookingID] = true
			}
		}
	}
	found, err := d.house.Bookings.GetAll(ctx, slices.Sorted(maps.Keys(missing)), dynastay.Consistent)
	if err != nil {
		return nil, nil, err
	}
	for _, b := range found {
		if b != nil && takesPlace(b.Status) { // the list is a moment behind
			staying[b.ID] = &b.Summary
		}
	}
	for _, unit := range taken {
		maps.DeleteFunc(unit, func(_ dynastay.Date, by units.Occupant) bool {
			return by.BookingID != "" && staying[by.BookingID] == nil
		})

	}
	return taken, staying, nil
}

func takesPlace(s bookings.Status) bool {
	switch s {
	case bookings.Confirmed, bookings.CheckedIn, bookings.Completed, bookings.NoShow:
		return true
	}
	return false
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
		if takesPlace(b.Status) && b.Stay.CheckOut.After(dates.CheckIn) {
			found[b.ID] = b
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

// without returns the bookings that lack rooms on one of some dates, by their dates of arrival.
func without(staying map[string]*bookings.Summary, taken map[string]nights, dates dynastay.Stay) (lacking []Without) {
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
		lacks := 0
		for date := range b.Stay.Dates() {
			if dates.Contains(date) && (b.Status == bookings.Confirmed || b.Status == bookings.CheckedIn) {
				lacks = max(lacks, b.Rooms-has[night{b.ID, date}])
			}
		}
		if lacks > 0 {
			lacking = append(lacking, Without{b, lacks})
		}
	}
	slices.SortFunc(lacking, func(a, b Without) int {
		return cmp.Or(a.Stay.CheckIn.Compare(b.Stay.CheckIn), strings.Compare(a.ID, b.ID))
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
// to give a first room, and those of the plan and 3 for an exchange.
func (d *Desk) Move(ctx context.Context, m Move) error {
	if m.From != "" && !m.Exchange {
		_, err := d.house.Bookings.MoveUnit(ctx, m.BookingID, bookings.UnitMove{From: m.From, To: m.To, On: m.On}, d.own())
		return err
	}
	b, err := d.booking(ctx, m.BookingID)
	switch {
	case err != nil:
		return err
	case m.Exchange && m.From == "":
		return dynastay.Invalid("Exchange", "is for guests who have a room")
	case m.Exchange:
		return d.exchange(ctx, b, m)
	}
	u, err := d.house.Units.Get(ctx, d.Hotel.ID, m.To)
	if err == nil {
		_, err = d.house.Bookings.AssignUnits(ctx, b.ID, []bookings.Assignment{assignment(b, u, d.rest(b, m.On))}, d.own())
	}
	return err
}

func (d *Desk) exchange(ctx context.Context, b *bookings.Booking, m Move) error {
	from := later(later(b.Stay.CheckIn, m.On), d.Today)
	if last := b.Stay.LastNight(); from.After(last) {
		from = last
	}
	rest := dynastay.Stay{CheckIn: from, CheckOut: b.Stay.CheckOut}
	taken, _, err := d.occupied(ctx, rest)
	if err != nil {
		return err
	}
	for date := range rest.Dates() {
		if other := taken[m.To][date].BookingID; other != "" {
			_, err := d.house.Bookings.SwapUnits(ctx, bookings.UnitSwap{
				A: bookings.UnitOf{BookingID: b.ID, UnitID: m.From}, B: bookings.UnitOf{BookingID: other, UnitID: m.To}, On: m.On,
			}, d.own())
			return err
		}
	}
	return ErrNobody
}

// ErrNobody means that there is nobody to change rooms with.
var ErrNobody = dynastay.Refusal("no guests have the other room then")

// rest are the nights for which guests get a room: those from a date on that have not gone. Before noon, the night that goes on is
// that of yesterday, and whoever comes then has come for it.
func (d *Desk) rest(b *bookings.Booking, on dynastay.Date) dynastay.Stay {
	first := later(later(b.Stay.CheckIn, d.tonight), on)
	if last := b.Stay.LastNight(); first.After(last) {
		first = last
	}
	return dynastay.Stay{CheckIn: first, CheckOut: b.Stay.CheckOut}
}

// gap returns the first of some nights, in a row, on which a line lacks rooms, always as many. It has no nights if the line has all.
func gap(l *bookings.Line, among dynastay.Stay) (nights dynastay.Stay) {
	lacked := 0
	for date := range among.Dates() {
		switch lacks := l.Quantity - len(l.UnitsOn(date)); {
		case lacked == 0 && lacks > 0:
			nights, lacked = dynastay.Stay{CheckIn: date, CheckOut: date.AddDays(1)}, lacks
		case lacked > 0 && lacks == lacked:
			nights.CheckOut = date.AddDays(1)
		case lacked > 0:
			return nights
		}
	}
	return nights
}

// assignment gives a room to the first line of its type that lacks one. If none does, the library says so.
func assignment(b *bookings.Booking, u *units.Unit, among dynastay.Stay) bookings.Assignment {
	for _, l := range b.Lines {
		if nights := gap(&l, among); l.RoomTypeID == u.RoomTypeID && !nights.CheckIn.IsZero() {
			return bookings.Assignment{RoomTypeID: u.RoomTypeID, Line: l.Number, UnitID: u.ID, Nights: nights}
		}
	}
	return bookings.Assignment{RoomTypeID: u.RoomTypeID, UnitID: u.ID, Nights: among}
}
