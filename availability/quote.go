package availability

import (
	"errors"
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

// The most rooms of one type, and the most guests of one room. They are more than any house has, and few enough that no
// sum over a request overflows, in 32 bits either.
const (
	MaxRooms  = 10_000
	MaxGuests = 1_000
)

// maxEntries bounds the rooms of a request: the actions of a transaction, of which each room type takes several.
const maxEntries = 100

// maxZone bounds the name of a time zone, which is looked up as a file: no IANA name has half of it.
const maxZone = 64

// House is what an offer tells of the property, and what a booking keeps of it. Name and CheckInTime have at most
// [entity.MaxName] bytes.
type House struct {
	ID          string
	Name        string
	TimeZone    string // IANA, such as "America/New_York"; "" means UTC
	CheckInTime string // local time of day, such as "15:00"
}

// Guests are the people who stay.
type Guests struct {
	Adults, Children int
}

// Room is a number of rooms of one type, as an offer asks for them, [MaxRooms] at the most. The limits are those of one
// room, [MaxGuests] at the most; Name has at most [entity.MaxName] bytes.
type Room struct {
	RoomTypeID         string
	Name               string
	Quantity           int
	MaxAdults          int
	MaxChildren        int
	MaxOccupancy       int
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
	Lines    []Line
	Total    dynastay.Money // the sum of the lines
	At       time.Time
}

// Line is one room type of a quote.
type Line struct {
	Room
	Nights   []NightPrice   // every night of the stay in order, for one room
	Subtotal dynastay.Money // the sum of the nights, times the quantity
}

// Location is the property's time zone; an unknown one is an error that names "TimeZone". It comes from the machine's
// zone database; a program for a machine without one imports time/tzdata.
func (h House) Location() (*time.Location, error) {
	if err := entity.CheckText(h.TimeZone, maxZone); err != nil {
		return nil, dynastay.Within("TimeZone", err)
	}
	loc, err := time.LoadLocation(h.TimeZone)
	if err != nil || h.TimeZone == "Local" { // which is wherever this process runs
		return nil, dynastay.Invalid("TimeZone", "is not an IANA time zone")
	}
	return loc, nil
}

func (h House) validate() error {
	var invalid *dynastay.InvalidError
	if _, err := keys.Of(keys.Property{PropertyID: h.ID}); errors.As(err, &invalid) {
		return dynastay.Invalid("ID", "%s", invalid.Reason)
	}
	if err := entity.CheckText(h.Name, entity.MaxName); err != nil {
		return dynastay.Within("Name", err)
	}
	if err := entity.CheckText(h.CheckInTime, entity.MaxName); err != nil {
		return dynastay.Within("CheckInTime", err)
	}
	_, err := h.Location()
	return err
}

// notBefore refuses a stay that begins before today at the property.
func (h House) notBefore(stay dynastay.Stay, now time.Time) error {
	loc, err := h.Location()
	if err != nil {
		return dynastay.Within("Property", err)
	}
	if today := dynastay.DateOf(now, loc); stay.CheckIn.Before(today) {
		return dynastay.Invalid("Stay.CheckIn", "%s is in the past: today is %s at the property", stay.CheckIn, today)
	}
	return nil
}

// Validate checks the request without the database: ids, a stay of 1 to [MaxNights] nights that does not begin before
// today at the property, at least one guest and one room, and room enough for all ([ErrTooSmall]). Its errors name the
// field.
func (r QuoteRequest) Validate(now time.Time) error {
	if err := checkEntries("Rooms", len(r.Rooms)); err != nil {
		return err
	}
	if err := r.validate("Rooms"); err != nil {
		return err
	}
	return r.Property.notBefore(r.Stay, now)
}

// validate takes the name under which the caller knows the rooms, which are counted by then.
func (r QuoteRequest) validate(rooms string) error {
	if err := r.Property.validate(); err != nil {
		return dynastay.Within("Property", err)
	}
	if err := r.Stay.Validate(); err != nil {
		return dynastay.Within("Stay", err)
	}
	if n := r.Stay.Nights(); n > MaxNights {
		return dynastay.Invalid("Stay", "%d nights are more than %d", n, MaxNights)
	}
	named := map[string]Room{} // with the quantity of all entries so far
	for i, room := range r.Rooms {
		at := fmt.Sprintf("%s[%d]", rooms, i)
		if err := room.validate(); err != nil {
			return dynastay.Within(at, err)
		}
		before, twice := named[room.RoomTypeID]
		if room.Quantity > MaxRooms-before.Quantity {
			return dynastay.Invalid(at+".Quantity", "makes more than %d rooms of the type", MaxRooms)
		}
		room.Quantity += before.Quantity
		before.Quantity = room.Quantity
		if twice && before != room {
			return dynastay.Invalid(at, "describes its room type in another way than before")
		}
		named[room.RoomTypeID] = room
	}
	return r.Guests.fit(r.Rooms)
}

func checkEntries(rooms string, n int) error {
	switch {
	case n == 0:
		return dynastay.Invalid(rooms, "are missing")
	case n > maxEntries:
		return dynastay.Invalid(rooms, "are %d, the most is %d", n, maxEntries)
	}
	return nil
}

func (r Room) validate() error {
	if _, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: r.RoomTypeID}); err != nil {
		return err
	}
	if err := entity.CheckText(r.Name, entity.MaxName); err != nil {
		return dynastay.Within("Name", err)
	}
	if r.Quantity < 1 {
		return dynastay.Invalid("Quantity", "%d is not a number of rooms", r.Quantity)
	}
	for _, limit := range []struct {
		field  string
		guests int
	}{{"MaxAdults", r.MaxAdults}, {"MaxChildren", r.MaxChildren}, {"MaxOccupancy", r.MaxOccupancy}} {
		if limit.guests < 0 || limit.guests > MaxGuests {
			return dynastay.Invalid(limit.field, "%d is not a number of guests from 0 to %d", limit.guests, MaxGuests)
		}
	}
	return dynastay.Within("CancellationPolicy", r.CancellationPolicy.Validate())
}

// ErrTooSmall comes with the [*dynastay.InvalidError] of a request whose rooms do not hold its guests.
var ErrTooSmall = errors.New("the rooms do not hold the guests")

// fit asks each limit over all rooms together: three rooms for two sleep any six.
func (g Guests) fit(rooms []Room) error {
	if g.Adults < 1 {
		return dynastay.Invalid("Guests.Adults", "%d is not a number of adults", g.Adults)
	}
	if g.Children < 0 {
		return dynastay.Invalid("Guests.Children", "%d is not a number of children", g.Children)
	}
	var adults, children, all int
	for _, r := range rooms {
		adults += r.MaxAdults * r.Quantity
		children += r.MaxChildren * r.Quantity
		all += r.MaxOccupancy * r.Quantity
	}
	tooMany := func(field string, guests, held int) error {
		reason := fmt.Sprintf("%d are more than the %d that the rooms hold", guests, held)
		return &dynastay.InvalidError{Field: field, Reason: reason, Err: ErrTooSmall}
	}
	switch {
	case g.Adults > adults:
		return tooMany("Guests.Adults", g.Adults, adults)
	case g.Children > children:
		return tooMany("Guests.Children", g.Children, children)
	case g.Adults+g.Children > all:
		return tooMany("Guests", g.Adults+g.Children, all)
	}
	return nil
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
	request := QuoteRequest{Property: q.Property, Stay: q.Stay, Guests: q.Guests}
	for _, line := range q.Lines {
		request.Rooms = append(request.Rooms, line.Room)
	}
	if err := request.validate("Lines"); err != nil {
		return err
	}
	var total dynastay.Money
	seen := map[string]bool{}
	for i, line := range q.Lines {
		at := fmt.Sprintf("Lines[%d]", i)
		if seen[line.RoomTypeID] {
			return dynastay.Invalid(at+".RoomTypeID", "is in another line already")
		}
		seen[line.RoomTypeID] = true
		subtotal, err := line.sum(q.Stay)
		if err != nil {
			return dynastay.Within(at, err)
		}
		if subtotal != line.Subtotal {
			return dynastay.Invalid(at+".Subtotal", "%s is not the sum of the nights, %s", line.Subtotal, subtotal)
		}
		if total, err = total.Add(subtotal); err != nil {
			return dynastay.Within(at+".Subtotal", err)
		}
	}
	if total != q.Total {
		return dynastay.Invalid("Total", "%s is not the sum of the lines, %s", q.Total, total)
	}
	return nil
}

// sum is the exact price of the line, if its nights are those of the stay.
func (l Line) sum(stay dynastay.Stay) (dynastay.Money, error) {
	if len(l.Nights) != stay.Nights() {
		return dynastay.Money{}, dynastay.Invalid("Nights", "are %d where the stay has %d", len(l.Nights), stay.Nights())
	}
	var one dynastay.Money
	for i, date := range slices.Collect(stay.Dates()) {
		night := l.Nights[i]
		at := fmt.Sprintf("Nights[%d]", i)
		if night.Date != date {
			return one, dynastay.Invalid(at+".Date", "%s is not %s", night.Date, date)
		}
		if err := night.Price.Currency().Validate(); err != nil {
			return one, dynastay.Within(at+".Price.Currency", err)
		}
		if night.Price.Sign() < 0 {
			return one, dynastay.Invalid(at+".Price", "%s is negative", night.Price)
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
