package availability

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// MaxNights is the longest stay that can be quoted and booked. It bounds the reach of every search for a guest who is
// in the house.
const MaxNights = 90

// MaxRooms is the most rooms of one type: more than any house has.
const MaxRooms = 10_000

// maxEntries bounds the rooms of a request: the actions of a transaction, of which each room type takes several.
const maxEntries = 100

// Room is a number of rooms of one type, as an offer asks for them, [MaxRooms] at the most. The limits are those of one
// room; Name has at most [entity.MaxName] bytes.
type Room struct {
	RoomTypeID string
	Name       string
	Quantity   int
	Limits
	CancellationPolicy CancellationPolicy
}

// QuoteRequest asks for the price of a stay. Package properties makes one from a search result or a property.
type QuoteRequest struct {
	Property House
	Stay     dynastay.Stay
	Guests   Guests
	Rooms    []Room // up to 100; the same room type twice, with the same name, limits and policy, is taken together
}

// Quote is an offer: a stay at exact prices, on the terms that it was made under. It reserves nothing: the rooms and
// the prices are asked for again, by the database itself, when it is booked.
type Quote struct {
	Property House
	Stay     dynastay.Stay
	Guests   Guests
	Lines    []Line         // in the order of the room types' ids
	Sleeps   Limits         // how many guests all rooms hold together
	Total    dynastay.Money // the sum of the lines
	At       time.Time
}

// Line is what is sold of one room type. A quote has it, and a booking keeps it.
type Line struct {
	RoomTypeID         string
	Name               string
	Quantity           int
	CancellationPolicy CancellationPolicy
	Nights             []NightPrice   // every night of the stay in order, for one room
	Subtotal           dynastay.Money // the sum of the nights, times the quantity
}

// Validate checks the request without the database: ids, a stay of 1 to [MaxNights] nights that does not begin before
// today at the property, at least one guest and one room, and room enough for all ([ErrTooSmall]). Its errors name the
// field.
func (r QuoteRequest) Validate(now time.Time) error {
	if err := checkEntries("Rooms", len(r.Rooms)); err != nil {
		return err
	}
	if err := validateStay(r.Property, r.Stay); err != nil {
		return err
	}
	named := map[string]Room{} // with the quantity of all entries so far
	for i, room := range r.Rooms {
		at := fmt.Sprintf("Rooms[%d]", i)
		if err := room.Validate(); err != nil {
			return dynastay.Within(at, err)
		}
		before, twice := named[room.RoomTypeID]
		if room.Quantity > MaxRooms-before.Quantity {
			return dynastay.Invalid(at+".Quantity", "must be at most %d in total for one room type", MaxRooms)
		}
		room.Quantity += before.Quantity
		before.Quantity = room.Quantity
		if twice && before != room {
			return dynastay.Invalid(at, "does not match the earlier entry of the same room type")
		}
		named[room.RoomTypeID] = room
	}
	if err := r.Guests.fit(sleeps(r.Rooms)); err != nil {
		return err
	}
	return r.Property.notBefore(r.Stay, now)
}

func checkEntries(rooms string, n int) error {
	switch {
	case n == 0:
		return dynastay.Invalid(rooms, "must not be empty")
	case n > maxEntries:
		return dynastay.Invalid(rooms, "must have at most %d entries", maxEntries)
	}
	return nil
}

func validateStay(property House, stay dynastay.Stay) error {
	if err := property.validate(); err != nil {
		return dynastay.Within("Property", err)
	}
	if err := stay.Validate(); err != nil {
		return dynastay.Within("Stay", err)
	}
	if stay.Nights() > MaxNights {
		return dynastay.Invalid("Stay", "must be at most %d nights", MaxNights)
	}
	return nil
}

// Validate checks the room as part of a request.
func (r Room) Validate() error {
	if err := r.line().validate(); err != nil {
		return err
	}
	return r.Limits.within(MaxGuests)
}

// line is the room as it is sold, without its prices.
func (r Room) line() Line {
	return Line{RoomTypeID: r.RoomTypeID, Name: r.Name, Quantity: r.Quantity, CancellationPolicy: r.CancellationPolicy}
}

// validate checks all but the prices.
func (l Line) validate() error {
	if _, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: l.RoomTypeID}); err != nil {
		return err
	}
	if err := entity.CheckText(l.Name, entity.MaxName); err != nil {
		return dynastay.Within("Name", err)
	}
	if l.Quantity < 1 || l.Quantity > MaxRooms {
		return dynastay.Invalid("Quantity", "must be between 1 and %d", MaxRooms)
	}
	return dynastay.Within("CancellationPolicy", l.CancellationPolicy.Validate())
}

// Clone is a copy that shares nothing with q.
func (q *Quote) Clone() *Quote {
	copied := *q
	copied.Lines = slices.Clone(q.Lines)
	for i := range copied.Lines {
		copied.Lines[i].Nights = slices.Clone(q.Lines[i].Nights)
	}
	return &copied
}

// Current refuses a quote whose stay begins before today at the property; the field is "Stay.CheckIn". It is apart from
// [Quote.Validate] because it is true of a quote at one time and false at another.
func (q *Quote) Current(now time.Time) error { return q.Property.notBefore(q.Stay, now) }

// Validate checks a quote before it is booked, as [QuoteRequest.Validate] does but for the clock, see [Quote.Current],
// and that its prices are complete, in one currency, and add up. The database asks for the property, the prices and the
// restrictions again; the rest, such as the policy, the names and what the rooms hold, is taken from the quote as it
// stands. So a quote stays on the server, between offer and booking.
func (q *Quote) Validate() error {
	if err := checkEntries("Lines", len(q.Lines)); err != nil {
		return err
	}
	if err := validateStay(q.Property, q.Stay); err != nil {
		return err
	}
	var total dynastay.Money
	rooms := 0
	seen := map[string]bool{}
	for i, line := range q.Lines {
		at := fmt.Sprintf("Lines[%d]", i)
		if err := line.validate(); err != nil {
			return dynastay.Within(at, err)
		}
		if seen[line.RoomTypeID] {
			return dynastay.Invalid(at+".RoomTypeID", "is already in another line")
		}
		seen[line.RoomTypeID] = true
		rooms += line.Quantity
		subtotal, err := line.sum(q.Stay)
		if err != nil {
			return dynastay.Within(at, err)
		}
		if subtotal != line.Subtotal {
			return dynastay.Invalid(at+".Subtotal", "must be the sum of the nights, %s", subtotal)
		}
		if total, err = total.Add(subtotal); err != nil {
			return dynastay.Within(at+".Subtotal", err)
		}
	}
	if total != q.Total {
		return dynastay.Invalid("Total", "must be the sum of the lines, %s", total)
	}
	if err := q.Sleeps.within(rooms * MaxGuests); err != nil {
		return dynastay.Within("Sleeps", err)
	}
	return q.Guests.fit(q.Sleeps)
}

// sum is the exact price of the line, if its nights are those of the stay.
func (l Line) sum(stay dynastay.Stay) (dynastay.Money, error) {
	if len(l.Nights) != stay.Nights() {
		return dynastay.Money{}, dynastay.Invalid("Nights", "must have one entry for each of the %d nights of the stay", stay.Nights())
	}
	var one dynastay.Money
	for i, date := range slices.Collect(stay.Dates()) {
		night := l.Nights[i]
		at := fmt.Sprintf("Nights[%d]", i)
		if night.Date != date {
			return one, dynastay.Invalid(at+".Date", "must be %s", date)
		}
		if err := night.Price.Validate(); err != nil {
			return one, dynastay.Within(at+".Price", err)
		}
		if night.Price.Sign() < 0 {
			return one, dynastay.Invalid(at+".Price", "must not be negative")
		}
		var err error
		if one, err = one.Add(night.Price); err != nil {
			return one, dynastay.Within(at+".Price", err)
		}
	}
	sum, err := one.Times(l.Quantity)
	return sum, dynastay.Within("Subtotal", err)
}

// merged takes the same room type together and puts the lines in order, so that equal requests are equal quotes.
func merged(rooms []Room) []Room {
	var all []Room
	for _, room := range rooms {
		i := slices.IndexFunc(all, func(r Room) bool { return r.RoomTypeID == room.RoomTypeID })
		if i < 0 {
			all = append(all, room)
		} else {
			all[i].Quantity += room.Quantity
		}
	}
	slices.SortFunc(all, func(a, b Room) int { return strings.Compare(a.RoomTypeID, b.RoomTypeID) })
	return all
}
