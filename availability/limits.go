package availability

import (
	"errors"
	"fmt"

	"github.com/dynastay/dynastay"
)

// MaxGuests is the maximum number of guests in one room. It is more than any real room holds, and small enough that,
// together with [MaxRooms], no sum over a request overflows, even in 32 bits.
const MaxGuests = 1_000

// Guests are the people who stay.
type Guests struct {
	Adults, Children int
}

// Limits are the maximum numbers of guests in one room, each at most [MaxGuests].
type Limits struct {
	MaxAdults    int
	MaxChildren  int
	MaxOccupancy int // adults and children together
}

// Validate checks the limits of a room type: it must hold at least one adult, and neither MaxAdults nor MaxChildren may
// be above MaxOccupancy. Its errors name the field.
func (l Limits) Validate() error {
	switch {
	case l.MaxOccupancy < 1 || l.MaxOccupancy > MaxGuests:
		return dynastay.Invalid("MaxOccupancy", "must be between 1 and 1,000")
	case l.MaxAdults < 1 || l.MaxAdults > l.MaxOccupancy:
		return dynastay.Invalid("MaxAdults", "must be between 1 and MaxOccupancy (%d)", l.MaxOccupancy)
	case l.MaxChildren < 0 || l.MaxChildren > l.MaxOccupancy:
		return dynastay.Invalid("MaxChildren", "must be between 0 and MaxOccupancy (%d)", l.MaxOccupancy)
	}
	return nil
}

// within checks the limits of what is requested and sold: none may be negative, or above MaxGuests for each of so many
// rooms. It is less strict than Validate: a room type that other software stored with MaxAdults above MaxOccupancy can
// still be sold, because adults and children are also counted together.
func (l Limits) within(rooms int) error {
	for _, limit := range []struct {
		field  string
		guests int
	}{{"MaxAdults", l.MaxAdults}, {"MaxChildren", l.MaxChildren}, {"MaxOccupancy", l.MaxOccupancy}} {
		if limit.guests < 0 || limit.guests > rooms*MaxGuests {
			return dynastay.Invalid(limit.field, "must be between 0 and 1,000 per room")
		}
	}
	return nil
}

// Holds returns what a room with these limits can really hold if one of its guests is an adult: no more adults than
// guests, fewer children than guests, and no more guests than adults and children together. Only these numbers can be
// added up over several rooms. Otherwise the occupancy that one room can never reach would make up for guests that do not
// fit into another one. With that, the three sums are exact: guests within them, among them an adult for each room, can
// be distributed over rooms that each hold an adult. A room that holds no adult holds nobody.
func (l Limits) Holds() Limits {
	if l.MaxAdults < 1 || l.MaxOccupancy < 1 {
		return Limits{}
	}
	one := Limits{MaxAdults: min(l.MaxAdults, l.MaxOccupancy), MaxChildren: min(l.MaxChildren, l.MaxOccupancy-1)}
	one.MaxOccupancy = min(l.MaxOccupancy, one.MaxAdults+one.MaxChildren)
	return one
}

// sleeps returns the limits of all rooms together: three rooms for two hold any six guests with at least three adults.
func sleeps(rooms []Room) (all Limits) {
	for _, r := range rooms {
		one := r.Holds()
		all.MaxAdults += one.MaxAdults * r.Quantity
		all.MaxChildren += one.MaxChildren * r.Quantity
		all.MaxOccupancy += one.MaxOccupancy * r.Quantity
	}
	return all
}

// ErrTooSmall means that the rooms of a request cannot hold its guests. The [*dynastay.InvalidError] for such a request
// matches it with [errors.Is].
var ErrTooSmall = errors.New("the rooms are too small for the guests")

// fit checks the guests against the number of rooms, each of which needs an adult, and the limits of all rooms together.
func (g Guests) fit(field string, rooms int, limits Limits) error {
	switch {
	case g.Adults < 1:
		return dynastay.Invalid(field+".Adults", "must be positive")
	case g.Adults < rooms:
		return dynastay.Invalid(field+".Adults", "must be at least %d, one for each room", rooms)
	case g.Children < 0:
		return dynastay.Invalid(field+".Children", "must not be negative")
	}
	tooMany := func(field string, most int) error {
		of := "the total capacity of the requested rooms"
		if rooms == 1 {
			of = "the capacity of the room"
		}
		reason := fmt.Sprintf("must be at most %d, %s", most, of)
		return &dynastay.InvalidError{Field: field, Reason: reason, Err: ErrTooSmall}
	}
	switch {
	case g.Adults > limits.MaxAdults:
		return tooMany(field+".Adults", limits.MaxAdults)
	case g.Children > limits.MaxChildren:
		return tooMany(field+".Children", limits.MaxChildren)
	case g.Adults+g.Children > limits.MaxOccupancy:
		return tooMany(field, limits.MaxOccupancy)
	}
	return nil
}
