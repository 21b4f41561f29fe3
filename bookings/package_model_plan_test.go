package bookings_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
)

// deskState is what the model knows of a property: its bookings, its units, and what the plan says.
type deskState struct {
	bookings map[string]deskBooking
	units    map[string]deskUnit
	plan     map[units.Night]units.Occupant
	total    map[deskNight]int // the rooms of a night, see [frontDesk.squeeze]
	out      map[deskNight]int // those that are out of order
}

// deskUnit is what the model knows of a unit.
type deskUnit struct {
	roomType string
	retired  bool
	state    units.Housekeeping
	by       string
	out      []units.OutOfOrder // not changed in place: clones share it
}

type deskBooking struct {
	id       string
	status   bookings.Status
	stay     dynastay.Stay
	created  time.Time
	hold     time.Time // its end
	in, out  time.Time // check-in and check-out
	released dynastay.Stay
	version  int
	lines    []deskLine
	lastLine int
}

type deskLine struct {
	roomType, plan string
	number, rooms  int
	has            map[units.Night]bool // what it says, whatever the status
}

var deskZone = mustZone("America/New_York")

func mustZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

func deskDate(now time.Time) dynastay.Date { return dynastay.DateOf(now, deskZone) }

func (s deskState) clone() deskState {
	c := deskState{map[string]deskBooking{}, maps.Clone(s.units), maps.Clone(s.plan), maps.Clone(s.total), maps.Clone(s.out)}
	for id, b := range s.bookings {
		c.bookings[id] = b.clone()
	}
	return c
}

func (b deskBooking) clone() deskBooking {
	b.lines = slices.Clone(b.lines)
	for i := range b.lines {
		b.lines[i].has = maps.Clone(b.lines[i].has)
	}
	return b
}

// claims are the nights that a booking has, with the numbers of their lines.
func (b deskBooking) claims() map[units.Night]int {
	all, until := map[units.Night]int{}, b.stay.CheckOut
	switch b.status {
	case bookings.Pending, bookings.Confirmed, bookings.CheckedIn:
	case bookings.Completed:
		until = deskDate(b.out)
	default:
		return all
	}
	for _, l := range b.lines {
		for n := range l.has {
			if b.stay.Contains(n.Date) && n.Date.Before(until) {
				all[n] = l.number
			}
		}
	}
	return all
}

// line returns the line with a number of a booking's room type.
func (b deskBooking) line(roomType string, number int) *deskLine {
	for i := range b.lines {
		if b.lines[i].roomType == roomType && b.lines[i].number == cmp.Or(number, 1) {
			return &b.lines[i]
		}
	}
	return nil
}

func (l deskLine) name() string { return fmt.Sprint(l.roomType, " ", l.number) }

// on are the units of a line on a night.
func (l deskLine) on(date dynastay.Date) (ids []string) {
	for n := range l.has {
		if n.Date == date {
			ids = append(ids, n.UnitID)
		}
	}
	return ids
}

// inUnit reports whether any line of the booking has a unit on a night.
func (b deskBooking) inUnit(id string, date dynastay.Date) bool {
	return slices.ContainsFunc(b.lines, func(l deskLine) bool { return l.has[units.Night{UnitID: id, Date: date}] })
}

// nights are those of the line in the order in which it names them: that of its ranges, by the first night and unit.
func (l deskLine) nights() (all []units.Night) {
	for _, u := range l.ranges() {
		for date := range u.Nights.Dates() {
			all = append(all, units.Night{UnitID: u.UnitID, Date: date})
		}
	}
	return all
}

// nights are those of all lines.
func (b deskBooking) nights() (all []units.Night) {
	for _, l := range b.lines {
		all = append(all, l.nights()...)
	}
	return all
}

// ranges are the nights as the line stores them.
func (l deskLine) ranges() (all []bookings.UnitNights) {
	for n := range l.has {
		if l.has[units.Night{UnitID: n.UnitID, Date: n.Date.AddDays(-1)}] {
			continue // not the first of its range
		}
		to := n.Date
		for l.has[units.Night{UnitID: n.UnitID, Date: to}] {
			to = to.AddDays(1)
		}
		all = append(all, bookings.UnitNights{UnitID: n.UnitID, Nights: dynastay.Stay{CheckIn: n.Date, CheckOut: to}})
	}
	slices.SortFunc(all, func(a, b bookings.UnitNights) int {
		return cmp.Or(a.Nights.CheckIn.Compare(b.Nights.CheckIn), strings.Compare(a.UnitID, b.UnitID))
	})
	return all
}

// ahead are the nights from today on; on the day of departure, the last one.
func (b deskBooking) ahead(today dynastay.Date) dynastay.Stay {
	from := b.stay.CheckIn
	for from.Before(today) && from.Before(b.stay.LastNight()) {
		from = from.AddDays(1)
	}
	return dynastay.Stay{CheckIn: from, CheckOut: b.stay.CheckOut}
}

// claimed returns which booking has a night, or what is repaired.
func (s deskState) claimed(n units.Night) string {
	if by := s.plan[n]; by.OutOfOrder != "" {
		return by.String()
	}
	for id, b := range s.bookings {
		if _, has := b.claims()[n]; has {
			return id
		}
	}
	return ""
}

// misfit is why a line cannot have a unit.
func (s deskState) misfit(id, roomType string) error {
	u, there := s.units[id]
	switch {
	case !there:
		return &dynastay.Error{Entity: "Unit", ID: id, Kind: dynastay.ErrNotFound}
	case u.retired:
		return &dynastay.Error{Entity: "Unit", ID: id, Kind: units.ErrRetired}
	case u.roomType != roomType:
		return &dynastay.Error{Entity: "Unit", ID: id, Kind: units.ErrOtherRoomType}
	}
	return nil
}

// gained is a night that a booking has after a call, and did not have before, or had with another line.
type gained struct {
	units.Night
	booking, roomType string
	line              int
}

// gains returns them for bookings, ordered by unit and night.
func (s deskState) gains(after ...deskBooking) (all []gained) {
	for _, b := range after {
		before := s.bookings[b.id].claims()
		claims := b.claims()
		for _, l := range b.lines {
			for n := range l.has {
				if line, has := claims[n]; has && line == l.number && before[n] != line {
					all = append(all, gained{n, b.id, l.roomType, line})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b gained) int {
		return cmp.Or(strings.Compare(a.UnitID, b.UnitID), a.Date.Compare(b.Date))
	})
	return all
}

// put stores bookings: they give up what they do not have any more, and take what they have anew from the plan.
func (s deskState) put(after ...deskBooking) {
	all := s.gains(after...)
	for _, b := range after {
		for n, line := range s.bookings[b.id].claims() {
			if b.claims()[n] != line && s.plan[n] == (units.Occupant{BookingID: b.id, Line: line}) {
				delete(s.plan, n)
			}
		}
	}
	for _, g := range all {
		s.plan[g.Night] = units.Occupant{BookingID: g.booking, Line: g.line}
	}
	for _, b := range after {
		b.version++
		s.bookings[b.id] = b
	}
}

// take stores bookings unless a unit does not fit, or somebody else has it.
func (s deskState) take(after ...deskBooking) error {
	var taken []units.TakenNight
	for _, g := range s.gains(after...) {
		if err := s.misfit(g.UnitID, g.roomType); err != nil {
			return err
		}
		by := s.claimed(g.Night)
		if by != "" && !slices.ContainsFunc(after, func(b deskBooking) bool { return b.id == by }) {
			taken = append(taken, units.TakenNight{Night: g.Night, By: s.plan[g.Night]})
		}
	}
	if taken != nil {
		return &units.TakenError{Nights: taken}
	}
	s.put(after...)
	return nil
}

// comeBack stores a booking whose guests are there again: it loses the nights that are over, which they are at noon, and all of a unit
// that it cannot have. If somebody had a unit last night, it loses only that night.
func (s deskState) comeBack(b deskBooking, now time.Time) {
	ahead, lost, last := b.ahead(deskDate(now.Add(-12*time.Hour))), map[string]bool{}, map[units.Night]bool{}
	all := s.gains(b)
	over := func(date dynastay.Date) bool { return !ahead.Contains(date) || b.released.Contains(date) }
	for _, g := range all {
		by := s.claimed(g.Night)
		switch taken := by != "" && by != b.id; {
		case over(g.Date):
		case taken && g.Date.Before(deskDate(now)):
			last[g.Night] = true
		case taken, s.misfit(g.UnitID, g.roomType) != nil:
			lost[g.UnitID] = true
		}
	}
	for _, g := range all {
		if lost[g.UnitID] || last[g.Night] || over(g.Date) {
			delete(b.line(g.roomType, g.line).has, g.Night)
		}
	}
	s.put(b)
}

// dirty makes a unit dirty because guests have left it.
func (s deskState) dirty(id string) {
	if u, there := s.units[id]; there {
		u.state, u.by = units.Dirty, ""
		s.units[id] = u
	}
}

// leave makes a unit dirty if the guests have been in it, last night or today, and leave it now.
func (s deskState) leave(b deskBooking, id string, from, today dynastay.Date) {
	if b.status == bookings.CheckedIn && !from.After(today) && (b.inUnit(id, today) || b.inUnit(id, today.AddDays(-1))) {
		s.dirty(id)
	}
}

// numbered gives the new lines of a booking their numbers.
func (b *deskBooking) numbered(lines []deskLine) {
	first := map[string]bool{}
	for _, l := range lines {
		first[l.roomType] = first[l.roomType] || l.number > 0
	}
	for i := range lines {
		switch l := &lines[i]; {
		case l.number > 0:
		case !first[l.roomType]:
			l.number, first[l.roomType] = 1, true
		default:
			b.lastLine = max(b.lastLine, 1) + 1
			l.number = b.lastLine
		}
	}
	b.lines = lines
}

// modified returns the booking as a quote makes it. A line that goes on keeps its first units, on each night as many as it has rooms.
func (b deskBooking) modified(q *availability.Quote) deskBooking {
	had := b.clone()
	gone := map[string]bool{}
	var lines []deskLine
	for _, l := range q.Lines {
		now := deskLine{roomType: l.RoomTypeID, rooms: l.Quantity, has: map[units.Night]bool{}}
		if l.Plan != nil {
			now.plan = l.Plan.ID
		}
		at := slices.IndexFunc(had.lines, func(h deskLine) bool {
			return h.roomType == l.RoomTypeID && !gone[h.name()] && (h.number == l.Number || l.Number == 0 && h.plan == now.plan)
		})
		if at >= 0 {
			before := had.lines[at]
			gone[before.name()] = true
			now.number = before.number
			rooms := map[dynastay.Date]int{}
			for _, n := range before.nights() {
				if rooms[n.Date]++; q.Stay.Contains(n.Date) && rooms[n.Date] <= l.Quantity {
					now.has[n] = true
				}
			}
		}
		lines = append(lines, now)
	}
	b.stay = q.Stay
	b.numbered(lines)
	return b
}
