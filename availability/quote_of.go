package availability

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/shown"
)

// QuoteOf is [Repository.Quote] from nights that have already been read: checked are results of [Repository.CheckAll] or
// [Repository.Check]. It sends no request. For the same nights, the quote or the error is the same.
//
// There must be one entry for each room type of the request, of its property and for its stay or a longer one that contains
// it: so several stays can be quoted from one read. Further room types of the property are ignored. Otherwise, QuoteOf
// returns a [*dynastay.InvalidError] for the field "Checked", such as "Checked[1].Stay". Only the nights of an entry count,
// and not the number of rooms that was asked about: the nights are compared with the quantity of the request. A night that
// CheckAll could not read is refused as [NotOnSale].
func (r *Repository) QuoteOf(req QuoteRequest, checked []Availability) (*Quote, error) {
	now := r.db.Now()
	if err := req.Validate(now); err != nil {
		return nil, err
	}
	nights, err := req.nights(checked)
	if err != nil {
		return nil, err
	}
	return req.quote(nights, now)
}

// nights returns the nights that were read, by room type.
func (r QuoteRequest) nights(checked []Availability) (map[string][]Night, error) {
	nights := map[string][]Night{}
	for i, a := range checked {
		at := fmt.Sprintf("Checked[%d]", i)
		_, twice := nights[a.RoomTypeID]
		switch {
		case a.PropertyID != r.Property.ID:
			return nil, dynastay.Invalid(at+".PropertyID", "must be that of the request")
		case !a.Stay.Contains(r.Stay.CheckIn) || !a.Stay.Contains(r.Stay.LastNight()):
			return nil, dynastay.Invalid(at+".Stay", "must contain that of the request, %s", r.Stay)
		case twice:
			return nil, dynastay.Invalid(at+".RoomTypeID", "appears more than once")
		}
		nights[a.RoomTypeID] = a.Nights
		if a.Stay != r.Stay {
			nights[a.RoomTypeID] = slices.DeleteFunc(slices.Clone(a.Nights), func(n Night) bool { return !r.Stay.Contains(n.Date) })
		}
	}
	for _, room := range r.Rooms {
		if _, there := nights[room.RoomTypeID]; !there {
			return nil, dynastay.Invalid("Checked", "must have an entry for room type %s", shown.Masked(room.RoomTypeID))
		}
	}
	return nights, nil
}

// quote creates the quote for a valid request from the nights of its room types.
func (r QuoteRequest) quote(nights map[string][]Night, now time.Time) (*Quote, error) {
	q := r.outline(now)
	refused := &Refused{}
	today, err := r.Property.worksOn(r.BusinessDate, now)
	if err != nil {
		return nil, err
	}
	wanted := map[string]int{} // rooms by room type
	for _, room := range r.Rooms {
		wanted[room.RoomTypeID] += room.Quantity
	}
	for _, room := range merged(r.Rooms) {
		line, quantity := room.line(), wanted[room.RoomTypeID]
		read := nights[room.RoomTypeID]
		if !q.has(room.RoomTypeID) {
			all := Line{RoomTypeID: room.RoomTypeID, Quantity: quantity, Agreed: !slices.ContainsFunc(r.Rooms, func(other Room) bool {
				return other.RoomTypeID == room.RoomTypeID && len(other.Agreed) == 0
			})}
			refused.Nights = append(refused.Nights, refusals(r.Property.ID, all, r.Overbook, r.Stay, read)...)
		}
		for _, n := range read {
			line.Nights = append(line.Nights, NightPrice{Date: n.Date, Price: n.Price})
			if n.Available < quantity {
				line.Overbooked = append(line.Overbooked, n.Date)
			}
		}
		if line.Agreed {
			line.Nights = room.agreedNights(r.Stay)
		}
		if plan, from := r.plan(room.RatePlanID); plan != nil {
			line.Plan, line.Party = plan.frozen(from), r.party(room).clone()
			line.CancellationPolicy = cmp.Or(plan.CancellationPolicy, line.CancellationPolicy)
			o := offering{r.Property.ID, room.RoomTypeID, plan, from, line.Party, r.Stay}
			prices, no, err := o.price(today, read)
			if err != nil {
				return nil, unpriced(room.RoomTypeID, err)
			}
			line.Nights = prices
			refused.addNew(no)
		}
		q.Lines = append(q.Lines, line)
	}
	if refused.add(q.inOtherCurrencies(Booked{})); len(refused.Nights) > 0 {
		return nil, refused
	}
	return r.added(q)
}

// outline returns the quote without lines and prices.
func (r QuoteRequest) outline(now time.Time) *Quote {
	return &Quote{
		Property: r.Property, Stay: r.Stay, Guests: r.Guests, Sleeps: sleeps(r.Rooms), Overbook: r.Overbook, At: now, BusinessDate: r.BusinessDate,
	}
}

// added returns the quote with its sums and its charges.
func (r QuoteRequest) added(q *Quote) (*Quote, error) {
	if err := q.add(); err != nil {
		return nil, err
	}
	if r.Charges != nil {
		if err := q.Charge(r.Charges, r.Discounts); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// add adds up the prices of the nights.
func (q *Quote) add() error {
	for i := range q.Lines {
		line := &q.Lines[i]
		var err error
		if line.Subtotal, err = line.sum(q.Stay); err == nil {
			q.Total, err = q.Total.Add(line.Subtotal)
		}
		if err != nil {
			return unpriced(line.RoomTypeID, err)
		}
	}
	return nil
}

// unpriced is the error for stored prices that cannot be priced or added up. It has only the text of the cause: that is not
// the caller's mistake, and must not match ErrInvalid.
func unpriced(roomTypeID string, err error) error {
	return &dynastay.Error{
		Op: "availability.Quote", Entity: "RoomType", ID: roomTypeID, Kind: dynastay.ErrCorrupt, Err: errors.New(err.Error()),
	}
}
