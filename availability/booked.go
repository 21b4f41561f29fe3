package availability

import (
	"cmp"
	"slices"

	"github.com/dynastay/dynastay"
)

// MaxLineNumber is the highest number that a line of a booking can have.
const MaxLineNumber = 99

// Booked is what a booking has already, for a quote that changes it. Of the lines, the names, the policies and the
// subtotals are not used. A line whose quantity is not positive, which only other software can have stored, has no rooms.
// A line without a number is the first of its room type.
type Booked struct {
	Stay    dynastay.Stay `json:",omitzero"`
	Arrived bool          // the guests are there, or were expected before today
	// On is when the booking was made, at the property: the days ahead of a rate plan count from it. The zero date means
	// today.
	On    dynastay.Date `json:",omitzero"`
	Lines []Line        `json:",omitzero"`
}

// quantity returns the rooms of a type, in all lines.
func (b Booked) quantity(roomTypeID string) (rooms int) {
	for _, line := range b.Lines {
		if line.RoomTypeID == roomTypeID {
			rooms += max(0, line.Quantity)
		}
	}
	return rooms
}

// GoesOn returns the index of the line of the booking with which each line of a quote goes on, or −1 for none: the one with
// its number or, for a line without a number, one with its room type, plan and party that no other line goes on with.
func (b Booked) GoesOn(lines []Line) []int {
	taken := make([]bool, len(b.Lines))
	find := func(fits func(had *Line) bool) int {
		for i := range b.Lines {
			if !taken[i] && fits(&b.Lines[i]) {
				taken[i] = true
				return i
			}
		}
		return -1
	}
	all := make([]int, len(lines))
	for i := range lines {
		if line := &lines[i]; line.Number > 0 {
			all[i] = find(func(had *Line) bool {
				return had.RoomTypeID == line.RoomTypeID && cmp.Or(had.Number, 1) == line.Number
			})
		}
	}
	for i := range lines {
		if line := &lines[i]; line.Number == 0 {
			all[i] = find(func(had *Line) bool {
				return had.RoomTypeID == line.RoomTypeID && compareLines(had.terms(), line.terms(), had.Party, line.Party) == 0
			})
		}
	}
	return all
}

// kept returns the night that line i of the booking has on a date, if the line goes on with it at its price: under the same
// plan, and with no more rooms. It is the zero value for any other night, and has only a date if the booking has no price for
// it, which only other software can have stored.
func (b Booked) kept(i int, line *Line, date dynastay.Date) NightPrice {
	if i < 0 || !b.Stay.Contains(date) {
		return NightPrice{}
	}
	had := &b.Lines[i]
	if line.Quantity > had.Quantity || !line.SameTerms(had) {
		return NightPrice{}
	}
	for _, night := range had.Nights {
		if night.Date == date {
			return night
		}
	}
	return NightPrice{Date: date}
}

// overbooked returns the overbooked nights of line i of the booking that a stay keeps.
func (b Booked) overbooked(i int, stay dynastay.Stay) (dates []dynastay.Date) {
	if i < 0 {
		return nil
	}
	for _, date := range b.Lines[i].Overbooked {
		if stay.Contains(date) {
			dates = append(dates, date)
		}
	}
	return dates
}

// continued divides the rooms of a request among the lines of the booking: first among those with the same plan and party, of
// agreed prices first those with the same ones, then with the same plan, then with another one. A line goes on with at most
// its own rooms: those that are added have another price, and are a line of their own. Only a line without plan, party and
// agreed prices may get more rooms: once all such lines have theirs, the first one gets those that are left.
func (b Booked) continued(rooms []Room, stay dynastay.Stay) (all []continuing) {
	taken := make([]bool, len(b.Lines))
	left := make([]int, len(rooms))
	for i, room := range rooms {
		left[i] = room.Quantity
	}
	for pass, fits := range []func(room Room, had *Line) bool{
		func(room Room, had *Line) bool { return isLike(room, had) && room.keepsAgreed(stay, had) },
		isLike,
		func(room Room, had *Line) bool { return room.terms() == had.terms() },
		func(Room, *Line) bool { return true },
	} {
		for i, room := range rooms {
			for l := range b.Lines {
				had := &b.Lines[l]
				if left[i] == 0 || taken[l] || had.RoomTypeID != room.RoomTypeID || !fits(room, had) {
					continue
				}
				one := room
				if one.Quantity = min(left[i], had.Quantity); one.Quantity > 0 {
					taken[l] = true
					left[i] -= one.Quantity
					all = append(all, continuing{one, l})
				}
			}
			more := func(c continuing) bool { return c.RoomTypeID == room.RoomTypeID && c.plain() }
			if n := slices.IndexFunc(all, more); n >= 0 && pass == 0 && room.plain() {
				all[n].Quantity += left[i]
				left[i] = 0
			}
		}
	}
	for i, room := range rooms {
		if room.Quantity = left[i]; room.Quantity > 0 {
			all = append(all, continuing{room, -1})
		}
	}
	slices.SortStableFunc(all, func(x, y continuing) int {
		return cmp.Or(compareRooms(x.Room, y.Room), cmp.Compare(b.number(x.with), b.number(y.with)))
	})
	return all
}

// isLike reports whether a room of a request has the plan and the party of a line.
func isLike(room Room, had *Line) bool {
	return compareLines(room.terms(), had.terms(), room.Party, had.Party) == 0
}

// continuing is a room of a request, and the line of the booking that it goes on with, or −1.
type continuing struct {
	Room
	with int
}

// number returns the number of line i, which is more than any for none.
func (b Booked) number(i int) int {
	if i < 0 {
		return MaxLineNumber + 1
	}
	return cmp.Or(b.Lines[i].Number, 1)
}

// plain reports whether nothing says under which terms the rooms are sold, or who stays.
func (r Room) plain() bool { return r.terms() == "" && r.Party == nil }

func (l *Line) plain() bool { return l.terms() == "" && l.Party == nil }

// conditions returns those of a plan that a stay must meet to replace that of the booking, if the line keeps its plan. They
// are restricted as the rules of nights are: those of an arrival count if it moves, and the length only in the direction in
// which it changes.
func (b Booked) conditions(c RateConditions, stay dynastay.Stay) RateConditions {
	if stay.CheckIn != b.Stay.CheckIn {
		return c
	}
	holds := RateConditions{Dates: c.Dates}
	switch {
	case stay == b.Stay:
		return RateConditions{}
	case b.Arrived:
	case stay.Nights() < b.Stay.Nights():
		holds.MinStay = c.MinStay
	default:
		holds.MaxStay = c.MaxStay
	}
	return holds
}
