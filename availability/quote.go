package availability

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// MaxNights is the maximum number of nights of a stay that can be quoted and booked. It limits how far back a search
// for the guests who are currently staying must look.
const MaxNights = 90

// MaxRooms is the maximum number of rooms of one type. It is more than any real property has.
const MaxRooms = 10_000

// maxEntries limits the entries of a request to the number of actions in a transaction; each room type takes several.
const maxEntries = 100

// Room requests a number of rooms of one type, at most [MaxRooms]. The limits are those of one room. Name has at most
// [entity.MaxName] bytes.
type Room struct {
	RoomTypeID string
	Name       string
	Quantity   int
	Limits
	CancellationPolicy CancellationPolicy // of the room type; that of the rate plan overrides it
	// RatePlanID is the plan under which the rooms are sold; "" sells them at the price of the nights, whoever stays.
	RatePlanID string
	// Party are the guests of each of the rooms. It can be nil in two cases: the request is for one room, which then has all
	// guests, or no price depends on who stays. If one room has a party, all must have one, and together they must be the
	// guests of the request.
	Party *Party `json:",omitzero"`
	// Agreed are prices that were agreed elsewhere, of one room for each night of the stay: by a channel that has sold it, or in
	// a contract with a company. The rooms are then sold at these prices, whatever the nights cost, and whatever restrictions
	// and stop-sells they have; only the rooms that are left count, and a property that has closed its sales. There is no
	// rate plan together with them. They are for staff and channels, so never take them from a guest's request.
	Agreed []dynastay.Money `json:",omitzero"`
}

// QuoteRequest requests the price of a stay. Package properties creates one from a search result or a property.
type QuoteRequest struct {
	Property House
	Stay     dynastay.Stay
	Guests   Guests
	// Rooms has at most 100 entries. Those of one room type must agree in name, limits and policy. They are merged if they
	// also have the same rate plan, equal parties and the same agreed prices. A room type has at most 10 combinations of
	// these, and at most 4 rate plans.
	Rooms []Room
	// RatePlans are rate plans of the property, such as all of properties.Repository.RatePlans: those that Rooms names, and
	// those that they are derived from.
	RatePlans []RatePlan
	// Charges are the charges of the property, such as those of properties.Repository.Charges; nil quotes without any. Discounts
	// is what a promo code gives on the total of the rooms, as bookings.PromoCode.Discount computes it: percentages are of what
	// the guest pays. It requires Charges; without them, the discount is only in bookings.Request.
	Charges   *charges.List `json:",omitzero"`
	Discounts dynastay.Money
	// Overbook allows the sale to overbook each night of each room type: the number of rooms left may fall to
	// −Overbook, but not below. Earlier overbookings of the night count towards this limit. A night with a higher
	// OverbookLimit may be overbooked up to that. Overbooking is a decision of the property's staff, so never take it from a
	// guest's request. Stop-sells and restrictions still apply. 0 to MaxRooms; 0 allows no more than the nights do.
	Overbook int
	// BusinessDate is the date that the property still works on, after midnight: today or yesterday at the property. It counts as
	// today, for the check-in and for days ahead, so that a guest who walks in at 01:30 can book the night that has begun. When
	// a day ends is a decision of the property's staff, so never take it from a guest's request. The zero Date means today.
	BusinessDate dynastay.Date `json:",omitzero"`

	booked []*RatePlan // of the lines of a booking that is changed, as they were when it was made
}

// Quote is an offer of a stay at exact prices, with the terms that applied when it was made. It reserves nothing: when
// it is booked, the database itself checks the rooms and the prices again.
type Quote struct {
	Property House          `json:",omitzero"`
	Stay     dynastay.Stay  `json:",omitzero"`
	Guests   Guests         `json:",omitzero"`
	Overbook int            // that of the request
	Lines    []Line         `json:",omitzero"` // ordered by room type id and rate plan id
	Sleeps   Limits         `json:",omitzero"` // the numbers of guests that all rooms together hold
	Total    dynastay.Money `json:",omitzero"` // the sum of the lines, with the charges that are included in their prices
	// Charges is the bill of the property's charges; nil if there were none in the request. Discounts is that of the request: what
	// the guest was told is Total − Discounts + Charges.Added, see [Quote.GuestPays].
	Charges   *charges.Bill  `json:",omitzero"`
	Discounts dynastay.Money `json:",omitzero"`
	At        time.Time      `json:",omitzero"` // when the quote was made
	// BusinessDate is that of the request. The quote can be booked as long as it is today or yesterday at the property.
	BusinessDate dynastay.Date `json:",omitzero"`
}

// Line is the part of a quote or a booking that concerns one room type under one rate plan for one party.
type Line struct {
	RoomTypeID string
	// Number names one of the lines that a booking has for a room type: the first one is 1, or 0 if it has no plan, no party
	// and no agreed prices. A greater number is never used again for another line. In a quote, it names the line of a booking
	// that goes on as this line; 0 means a new line, or one that has the same plan and party.
	Number             int
	Name               string
	Quantity           int
	CancellationPolicy CancellationPolicy
	Nights             []NightPrice   `json:",omitzero"` // every night of the stay, in order, for one room
	Subtotal           dynastay.Money `json:",omitzero"` // the sum of the nights times Quantity
	// Overbooked lists the nights on which fewer rooms were left than were taken: in a quote, when the nights were read;
	// in a booking, when they were sold, or added by a modification. It is empty unless Overbook of the quote, or
	// OverbookLimit of the night, allowed it.
	Overbooked []dynastay.Date `json:",omitzero"`
	// Plan has the terms of the rate plan when the line was priced, with the Party of the plan that it is derived from. It has
	// no Description, room types, order and times. Nil without a rate plan.
	Plan  *RatePlan `json:",omitzero"`
	Party *Party    `json:",omitzero"` // the guests of each room; nil if unspecified
	// Agreed means that the prices were agreed elsewhere, see [Room.Agreed].
	Agreed bool
}

// terms returns the id of the line's rate plan, agreedTerms, or "".
func (l *Line) terms() string {
	switch {
	case l.Agreed:
		return agreedTerms
	case l.Plan == nil:
		return ""
	}
	return l.Plan.ID
}

// Validate checks the request without accessing the database: the ids, a stay of 1 to [MaxNights] nights that does not
// begin before today at the property or its business date, at least one room, an adult for each of them, and enough room
// for all guests ([ErrTooSmall]). Its errors name the field.
func (r QuoteRequest) Validate(now time.Time) error {
	if err := r.validate(); err != nil {
		return err
	}
	return r.Property.notBefore(r.Stay, r.BusinessDate, now)
}

func (r QuoteRequest) validate() error {
	if err := checkEntries("Rooms", len(r.Rooms)); err != nil {
		return err
	}
	if err := validateStay(r.Property, r.Stay); err != nil {
		return err
	}
	rooms := 0
	named := map[string]Room{} // the last entry of each room type, with the total quantity so far
	for i, room := range r.Rooms {
		at := fmt.Sprintf("Rooms[%d]", i)
		if err := room.Validate(); err != nil {
			return dynastay.Within(at, err)
		}
		if room.Holds() == (Limits{}) {
			return &dynastay.InvalidError{Field: at + ".MaxAdults", Reason: "must be positive, because each room needs an adult", Err: ErrTooSmall}
		}
		if err := room.checkAgreed(r.Stay); err != nil {
			return dynastay.Within(at, err)
		}
		rooms += room.Quantity
		before, twice := named[room.RoomTypeID]
		if room.Quantity > MaxRooms-before.Quantity {
			return dynastay.Invalid(at+".Quantity", "must be at most 10,000 in total for one room type")
		}
		room.Quantity += before.Quantity
		if twice && (before.Name != room.Name || before.Limits != room.Limits || before.CancellationPolicy != room.CancellationPolicy) {
			return dynastay.Invalid(at, "must have the same name, limits and cancellation policy as the earlier entry for this room type")
		}
		named[room.RoomTypeID] = room
	}
	if err := r.Guests.fit("Guests", rooms, sleeps(r.Rooms)); err != nil {
		return err
	}
	if err := r.validatePlans(); err != nil {
		return err
	}
	if err := r.validateCharges(); err != nil {
		return err
	}
	return checkOverbook(r.Overbook)
}

func checkOverbook(rooms int) error {
	if rooms < 0 || rooms > MaxRooms {
		return dynastay.Invalid("Overbook", "must be between 0 and 10,000")
	}
	return nil
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
		return dynastay.Invalid("Stay", "must have at most %d nights", MaxNights)
	}
	return nil
}

// Validate checks the room as part of a request.
func (r Room) Validate() error {
	if err := r.line().validate(); err != nil {
		return err
	}
	return r.Limits.within(1)
}

// line returns the room as it is sold, without prices.
func (r Room) line() Line {
	return Line{
		RoomTypeID: r.RoomTypeID, Name: r.Name, Quantity: r.Quantity, CancellationPolicy: r.CancellationPolicy, Party: r.Party.clone(),
		Agreed: len(r.Agreed) > 0,
	}
}

// validate checks everything except the prices.
func (l Line) validate() error {
	if _, err := keys.Of(keys.RoomTypeGuard{RoomTypeID: l.RoomTypeID}); err != nil {
		return err
	}
	if err := entity.CheckText(l.Name, entity.MaxName); err != nil {
		return dynastay.Within("Name", err)
	}
	if l.Quantity < 1 || l.Quantity > MaxRooms {
		return dynastay.Invalid("Quantity", "must be between 1 and 10,000")
	}
	return dynastay.Within("CancellationPolicy", l.CancellationPolicy.Validate())
}

// Clone returns a copy that shares no memory with q.
func (q *Quote) Clone() *Quote {
	copied := *q
	copied.Charges = q.Charges.Clone()
	copied.Lines = slices.Clone(q.Lines)
	for i := range copied.Lines {
		copied.Lines[i].Nights = slices.Clone(q.Lines[i].Nights)
		for n := range copied.Lines[i].Nights {
			copied.Lines[i].Nights[n].Steps = slices.Clone(copied.Lines[i].Nights[n].Steps)
		}
		if plan := q.Lines[i].Plan; plan != nil {
			copied.Lines[i].Plan = plan.clone()
		}
		copied.Lines[i].Party = q.Lines[i].Party.clone()
		copied.Lines[i].Overbooked = slices.Clone(q.Lines[i].Overbooked)
	}
	return &copied
}

// has reports whether the quote has a line for the room type.
func (q *Quote) has(roomTypeID string) bool {
	return slices.ContainsFunc(q.Lines, func(l Line) bool { return l.RoomTypeID == roomTypeID })
}

// merged merges the entries of each room type, plan and party, and sorts them, so that equal requests result in equal quotes.
func merged(rooms []Room) []Room {
	var all []Room
	for _, room := range rooms {
		i := slices.IndexFunc(all, func(r Room) bool { return compareRooms(r, room) == 0 })
		if i < 0 {
			all = append(all, room)
		} else {
			all[i].Quantity += room.Quantity
		}
	}
	slices.SortFunc(all, compareRooms)
	return all
}

func compareRooms(a, b Room) int {
	return cmp.Or(
		strings.Compare(a.RoomTypeID, b.RoomTypeID), compareLines(a.terms(), b.terms(), a.Party, b.Party),
		slices.CompareFunc(a.Agreed, b.Agreed, compareAgreed),
	)
}
