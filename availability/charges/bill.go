package charges

import "github.com/dynastay/dynastay"

// Booked is a stay as it is booked: what charges are computed from.
type Booked struct {
	Stay     dynastay.Stay
	Adults   int // of the whole stay; they count where lines have no guests of their own
	Children int
	Lines    []Line
	Discount dynastay.Money // of the total of the lines; it lowers the base of percentages. Unset for none
}

// Line is a number of rooms with the same price and the same guests.
type Line struct {
	Rooms  int
	Guests *Guests // of each room; nil if it is not known who stays in which room, and then no line has any
	Nights []Price // of one room for each night of the stay
}

// Guests are those of one room.
type Guests struct {
	Adults    int
	Children  int
	ChildAges []int // of at most so many children
}

// Price is the price of one room for one night.
type Price struct {
	Lodging dynastay.Money
	Meals   dynastay.Money // unset for none
}

// Bill is what the charges of a stay come to.
type Bill struct {
	Entries    []Entry        `json:",omitzero"` // of the charges that apply to the stay, in the order of the list
	Included   dynastay.Money `json:",omitzero"` // in the price
	Added      dynastay.Money `json:",omitzero"` // paid with the booking, beside the price
	AtProperty dynastay.Money `json:",omitzero"` // due at the property, beside the total of the booking
	Deposits   dynastay.Money `json:",omitzero"` // in no total, because they are returned
}

// Entry is what one charge of a stay comes to.
type Entry struct {
	ID         string
	Name       string
	Kind       Kind
	Rate       Rate // the percentage, if it is one and the same for all nights
	Included   bool
	AtProperty bool
	Kept       Kept
	Amount     dynastay.Money   `json:",omitzero"`
	Base       dynastay.Money   `json:",omitzero"` // of a percentage, rounded half up; unset for an amount
	Lines      []dynastay.Money `json:",omitzero"` // the part of Amount of each line
	// Nights is the part of Amount of each night of the stay. It is there only for KeptIfStayed, which needs it.
	Nights []dynastay.Money `json:",omitzero"`
}
