package charges

import (
	"slices"
	"time"

	"github.com/dynastay/dynastay"
)

// List is all charges of a property. Its order counts: a charge may be a percentage of earlier ones.
type List struct {
	PropertyID string
	Charges    []Charge `json:",omitzero"` // at most 20

	CreatedAt time.Time `json:",omitzero"`
	UpdatedAt time.Time `json:",omitzero"`
	Version   int
}

// Charge is a tax, a fee or a deposit. The zero value of each condition means that it does not restrict the charge.
type Charge struct {
	// ID has 1 to 12 of a–z, 0–9, _ and -, and begins with a letter or a digit. It is unique in the list. Bookings name it.
	ID   string
	Name string // as guests see it, at most 60 bytes
	Kind Kind

	Rate   Rate           `json:",omitzero"` // a percentage of the base; requires PerNight or PerStay
	Amount dynastay.Money `json:",omitzero"` // for each Per, in whole minor units, not negative
	// Brackets replace Rate and Amount: which of them it is depends on the price of each night. The first one begins at 0.
	Brackets []Bracket `json:",omitzero"` // ascending, at most 6
	Per      Per

	Of    []Component `json:",omitzero"` // the base of a percentage, and the price that Brackets compare
	Gross bool        // Of is with the included charges
	On    []string    `json:",omitzero"` // ids of earlier charges, which are part of the base too

	Included   bool // in the price of the nights; otherwise it is added
	AtProperty bool // it is paid at the property, and not with the booking

	FirstNights int // only so many nights from the check-in are charged; requires PerNight, PerRoomNight or PerGuestNight
	// FromAge and UnderAge are the ages at check-in of the guests who are charged, 0 to 18. Adults, and children of unknown
	// age, are 18. Requires PerGuest or PerGuestNight.
	FromAge, UnderAge int
	MinStay, MaxStay  int // nights of the stays that are charged
	// From and Until are the dates that are charged, without Until. With
	// PerNight, PerRoomNight and PerGuestNight they are those of each night, otherwise that of the check-in.
	From  dynastay.Date `json:",omitzero"`
	Until dynastay.Date `json:",omitzero"`

	Kept Kept // when it is owed although the guests do not stay
}

// Bracket is the part of prices from which on a rate or an amount holds, up to the next bracket. The price is that of one
// room for one night or, if the charge is per guest, its part for one of the guests of the room.
type Bracket struct {
	From   dynastay.Money `json:",omitzero"`
	Rate   Rate           `json:",omitzero"`
	Amount dynastay.Money `json:",omitzero"`
}

// Kind is what a charge is for the guest and for bookkeeping.
type Kind string

// The kinds of charges.
const (
	Tax     Kind = "tax"
	Fee     Kind = "fee"
	Deposit Kind = "deposit" // is returned, so it is in no total and in no base
)

// Validate returns an error for text that is not a kind of charge.
func (k Kind) Validate() error {
	switch k {
	case Tax, Fee, Deposit:
		return nil
	}
	return dynastay.Invalid("", "must be one of tax, fee, deposit")
}

// Per is what a charge is counted by.
type Per string

// What a charge is counted by. The guests and nights are those that the charge is for.
const (
	PerStay       Per = "stay"
	PerNight      Per = "night"
	PerRoom       Per = "room"
	PerRoomNight  Per = "room_night"
	PerGuest      Per = "guest"
	PerGuestNight Per = "guest_night"
)

// Validate returns an error for text that is not something to count by.
func (p Per) Validate() error {
	switch p {
	case PerStay, PerNight, PerRoom, PerRoomNight, PerGuest, PerGuestNight:
		return nil
	}
	return dynastay.Invalid("", "must be one of stay, night, room, room_night, guest, guest_night")
}

// nightly reports whether each night is counted by itself.
func (p Per) nightly() bool { return p == PerNight || p == PerRoomNight || p == PerGuestNight }

func (p Per) guests() bool { return p == PerGuest || p == PerGuestNight }

func (p Per) rooms() bool { return p == PerRoom || p == PerRoomNight }

// Component is a part of the price of a night.
type Component string

// The parts of the price of a night. Without a rate plan that has meals, all of it is lodging.
const (
	Lodging Component = "lodging"
	Meals   Component = "meals"
)

// Validate returns an error for text that is not a part of a price.
func (c Component) Validate() error {
	switch c {
	case Lodging, Meals:
		return nil
	}
	return dynastay.Invalid("", "must be one of lodging, meals")
}

// Kept is when a charge is owed although the guests do not stay, or leave early.
type Kept string

// When a charge is owed although the guests do not stay.
const (
	KeptByPolicy Kept = ""          // like the price of the rooms: of a cancelled booking by its policy, otherwise in full
	KeptIfStayed Kept = "if_stayed" // only for the nights that the guests stay: nothing after a cancellation or a no-show
	NeverKept    Kept = "never"     // nothing after a cancellation or a no-show, but in full for guests who leave early
)

// Validate returns an error for text that does not say when a charge is owed.
func (k Kept) Validate() error {
	switch k {
	case KeptByPolicy, KeptIfStayed, NeverKept:
		return nil
	}
	return dynastay.Invalid("", "must be empty or one of if_stayed, never")
}

// AsksWhoStays reports whether what a stay is charged depends on who stays in which room, or on the ages of children, which only
// the parties of rooms have.
func (l *List) AsksWhoStays() bool {
	return slices.ContainsFunc(l.Charges, func(c Charge) bool {
		return (c.Per == PerGuest || c.Per == PerGuestNight) && (c.FromAge > 0 || c.UnderAge > 0 || len(c.Brackets) > 0)
	})
}
