package availability

import (
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// maxRoomTypes is more than any property has, and small enough for the arithmetic of CheckAll.
const maxRoomTypes = 10_000

// CheckRequest asks whether a number of rooms of one type can be sold.
type CheckRequest struct {
	PropertyID string
	RoomTypeID string
	Rooms      int // 1 to MaxRooms
	// RoomTypes is the number of room types that the property has. [Repository.CheckAll] uses it to choose the request
	// that reads least; it does not change the result. 0 means only those that are asked for. At most 10,000.
	RoomTypes int
	// RatePlans is the number of rate plans with prices of their own, which make each night larger. CheckAll uses it as it
	// uses RoomTypes. At most 40, the number of active plans that a property can have.
	RatePlans int
}

// Validate checks the request without accessing the database. Its errors name the field.
func (c CheckRequest) Validate() error {
	if _, err := keys.Of(keys.RoomType{PropertyID: c.PropertyID, RoomTypeID: c.RoomTypeID}); err != nil {
		return err
	}
	switch {
	case c.Rooms < 1 || c.Rooms > MaxRooms:
		return dynastay.Invalid("Rooms", "must be between 1 and 10,000")
	case c.RoomTypes < 0 || c.RoomTypes > maxRoomTypes:
		return dynastay.Invalid("RoomTypes", "must be between 0 and 10,000")
	case c.RatePlans < 0 || c.RatePlans > maxRates:
		return dynastay.Invalid("RatePlans", "must be between 0 and %d", maxRates)
	}
	return nil
}

// Availability says whether rooms of one type can be sold for a stay.
type Availability struct {
	PropertyID string
	RoomTypeID string
	Stay       dynastay.Stay  `json:",omitzero"`
	Nights     []Night        `json:",omitzero"` // the nights that the property has opened, in order
	Refused    []RefusedNight `json:",omitzero"` // why the stay cannot be sold; empty if it can
}

// OK reports whether the stay can be sold.
func (a Availability) OK() bool { return len(a.Refused) == 0 }

// Err returns the [*Refused] of a stay that cannot be sold, or nil if it can.
func (a Availability) Err() error {
	if a.OK() {
		return nil
	}
	return &Refused{a.Refused}
}

// Left returns the number of rooms that can be sold for the whole stay: the lowest number of any night, with those by which
// the night may be overbooked. It is 0 if a night is refused for a reason other than [SoldOut], because then no room can be
// sold, whatever the number requested.
func (a Availability) Left() int {
	left := 0
	for i, n := range a.Nights {
		if rooms := n.Available + n.overbook(0); i == 0 || rooms < left {
			left = rooms
		}
	}
	for _, n := range a.Refused {
		if n.Reason != SoldOut {
			return 0
		}
	}
	return max(0, left)
}

// Prices returns the prices of one room.
func (a Availability) Prices() Prices { return pricesOf(a.Nights, a.Stay) }

// answer checks the nights that were read.
func (c CheckRequest) answer(stay dynastay.Stay, nights []Night) Availability {
	// The key of a night holds only the room type's id, which another property may have used as well.
	nights = slices.DeleteFunc(slices.Clone(nights), func(n Night) bool { return n.PropertyID != c.PropertyID })
	line := Line{RoomTypeID: c.RoomTypeID, Quantity: c.Rooms}
	return Availability{
		PropertyID: c.PropertyID, RoomTypeID: c.RoomTypeID, Stay: stay, Nights: nights,
		Refused: refusals(c.PropertyID, line, 0, stay, nights),
	}
}

// refusals returns every night of a stay that cannot be sold. overbook is what the request allows.
func refusals(propertyID string, line Line, overbook int, stay dynastay.Stay, nights []Night) (all []RefusedNight) {
	byDate := map[dynastay.Date]*Night{}
	for i := range nights {
		byDate[nights[i].Date] = &nights[i]
	}
	for date := range stay.Dates() {
		night := byDate[date]
		all = append(all, refuse(propertyID, line, night.overbook(overbook), stay, date, night)...)
	}
	return all
}

// Prices are the prices of one room for a stay.
type Prices struct {
	Nights []NightPrice `json:",omitzero"` // the nights that are open, in order
	// Total is the sum of the nights. It is the zero Money if a night of the stay is not open, or if the stored prices
	// have different currencies.
	Total dynastay.Money `json:",omitzero"`
}

func pricesOf(nights []Night, stay dynastay.Stay) Prices {
	var p Prices
	for _, n := range nights {
		p.Nights = append(p.Nights, NightPrice{Date: n.Date, Price: n.Price})
	}
	if len(nights) != stay.Nights() {
		return p
	}
	var total dynastay.Money
	for _, n := range nights {
		var err error
		if total, err = total.Add(n.Price); err != nil || !n.Price.IsSet() {
			return p
		}
	}
	p.Total = total
	return p
}
