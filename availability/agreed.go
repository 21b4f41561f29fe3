package availability

import (
	"cmp"
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
)

// agreedTerms stands for agreed prices where the id of a rate plan says under which terms a line is sold. It is no such id.
const agreedTerms = "="

// SameTerms reports whether a line is sold under the same rate plan as another one, at agreed prices as the other, or at the
// price of the nights as the other.
func (l *Line) SameTerms(other *Line) bool { return l.terms() == other.terms() }

func (r Room) terms() string {
	if len(r.Agreed) > 0 {
		return agreedTerms
	}
	return r.RatePlanID
}

// keepsAgreed reports whether the agreed prices of a room for a stay are those of a line, for the nights that both have.
func (r Room) keepsAgreed(stay dynastay.Stay, had *Line) bool {
	for _, night := range had.Nights {
		if len(r.Agreed) > 0 && stay.Contains(night.Date) && r.Agreed[stay.CheckIn.DaysUntil(night.Date)] != night.Price {
			return false
		}
	}
	return true
}

// AgreedQuote returns the quote of rooms that all have [Room.Agreed], without reading the nights: whether they can be sold is
// for the sale to find out. Its stay may be over. It is for what was sold elsewhere, see bookings.Repository.Import. It sends no
// request, and returns a [*dynastay.InvalidError] that names the field.
func AgreedQuote(req QuoteRequest, at time.Time) (*Quote, error) {
	for i, room := range req.Rooms {
		if len(room.Agreed) == 0 {
			return nil, dynastay.Invalid(fmt.Sprintf("Rooms[%d].Agreed", i), "is required")
		}
	}
	if err := req.validate(); err != nil {
		return nil, err
	}
	q := req.outline(at)
	for _, room := range merged(req.Rooms) {
		line := room.line()
		line.Nights = room.agreedNights(req.Stay)
		q.Lines = append(q.Lines, line)
	}
	if refused := q.inOtherCurrencies(Booked{}); len(refused) > 0 {
		return nil, dynastay.Invalid("Rooms", "must have prices in one currency")
	}
	return req.added(q)
}

// checkAgreed checks the agreed prices of a room. That they are in one currency with those of other rooms is checked with
// those that are read.
func (r Room) checkAgreed(stay dynastay.Stay) error {
	switch {
	case len(r.Agreed) == 0:
		return nil
	case r.RatePlanID != "":
		return dynastay.Invalid("Agreed", "must be empty with a rate plan, whose prices are not agreed ones")
	case len(r.Agreed) != stay.Nights():
		return dynastay.Invalid("Agreed", "must have one price for each of the %d nights of the stay", stay.Nights())
	}
	for i, price := range r.Agreed {
		at := fmt.Sprintf("Agreed[%d]", i)
		if err := checkAmount(at, price); err != nil {
			return err
		}
		if price.Currency() != r.Agreed[0].Currency() {
			return dynastay.Invalid(at+".Currency", "must be %s, that of the other nights", r.Agreed[0].Currency())
		}
	}
	if _, err := (Line{Quantity: r.Quantity, Nights: r.agreedNights(stay)}).sum(stay); err != nil {
		return dynastay.Invalid("Agreed", "must not add up to more than an amount can be, for all rooms")
	}
	return nil
}

// compareAgreed orders prices by amount: lines of one room type go on in this order if their prices change.
func compareAgreed(a, b dynastay.Money) int {
	amounts, _ := a.Compare(b) // 0 if the currencies differ
	return cmp.Or(cmp.Compare(a.Currency(), b.Currency()), amounts)
}

// agreedNights returns the nights of a stay at agreed prices.
func (r Room) agreedNights(stay dynastay.Stay) []NightPrice {
	nights := make([]NightPrice, len(r.Agreed))
	for i, price := range r.Agreed {
		nights[i] = NightPrice{Date: stay.CheckIn.AddDays(i), Price: price}
	}
	return nights
}
