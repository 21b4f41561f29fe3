package availability

import (
	"errors"
	"fmt"

	"github.com/dynastay/dynastay"
)

// MaxGuests is the most guests of one room. It is more than any room has, and together with [MaxRooms] few enough that
// no sum over a request overflows, in 32 bits either.
const MaxGuests = 1_000

// Guests are the people who stay.
type Guests struct {
	Adults, Children int
}

// Limits are how many guests one room holds, up to [MaxGuests].
type Limits struct {
	MaxAdults    int
	MaxChildren  int
	MaxOccupancy int // adults and children together
}

// Validate checks the limits of a room type: it holds an adult, and neither more adults nor more children than guests.
// Its errors name the field.
func (l Limits) Validate() error {
	switch {
	case l.MaxOccupancy < 1 || l.MaxOccupancy > MaxGuests:
		return dynastay.Invalid("MaxOccupancy", "must be between 1 and %d", MaxGuests)
	case l.MaxAdults < 1 || l.MaxAdults > l.MaxOccupancy:
		return dynastay.Invalid("MaxAdults", "must be between 1 and MaxOccupancy (%d)", l.MaxOccupancy)
	case l.MaxChildren < 0 || l.MaxChildren > l.MaxOccupancy:
		return dynastay.Invalid("MaxChildren", "must be between 0 and MaxOccupancy (%d)", l.MaxOccupancy)
	}
	return nil
}

// within bounds what is asked for and sold. It is less than Validate asks: a room that other software stored with more
// adults than guests can be sold all the same, because the guests are counted together as well.
func (l Limits) within(most int) error {
	for _, limit := range []struct {
		field  string
		guests int
	}{{"MaxAdults", l.MaxAdults}, {"MaxChildren", l.MaxChildren}, {"MaxOccupancy", l.MaxOccupancy}} {
		if limit.guests < 0 || limit.guests > most {
			return dynastay.Invalid(limit.field, "must be between 0 and %d", most)
		}
	}
	return nil
}

// sleeps are the limits of all rooms together: three rooms for two sleep any six.
func sleeps(rooms []Room) (all Limits) {
	for _, r := range rooms {
		all.MaxAdults += r.MaxAdults * r.Quantity
		all.MaxChildren += r.MaxChildren * r.Quantity
		all.MaxOccupancy += r.MaxOccupancy * r.Quantity
	}
	return all
}

// ErrTooSmall comes with the [*dynastay.InvalidError] of a request whose rooms do not hold its guests.
var ErrTooSmall = errors.New("too many guests for the rooms")

// fit checks the guests against what the rooms hold together.
func (g Guests) fit(rooms Limits) error {
	if g.Adults < 1 {
		return dynastay.Invalid("Guests.Adults", "must be at least 1")
	}
	if g.Children < 0 {
		return dynastay.Invalid("Guests.Children", "must not be negative")
	}
	tooMany := func(field string, most int) error {
		reason := fmt.Sprintf("must be at most %d, the capacity of the rooms", most)
		return &dynastay.InvalidError{Field: field, Reason: reason, Err: ErrTooSmall}
	}
	switch {
	case g.Adults > rooms.MaxAdults:
		return tooMany("Guests.Adults", rooms.MaxAdults)
	case g.Children > rooms.MaxChildren:
		return tooMany("Guests.Children", rooms.MaxChildren)
	case g.Adults+g.Children > rooms.MaxOccupancy:
		return tooMany("Guests", rooms.MaxOccupancy)
	}
	return nil
}
