package availability

import (
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
)

// Current returns an error for the field "Stay.CheckIn" if the stay begins before today at the property, or before
// BusinessDate, and one for the field "BusinessDate" if that is neither today nor yesterday any more. It is separate from
// [Quote.Validate] because its result depends on the time.
func (q *Quote) Current(now time.Time) error {
	return q.Property.notBefore(q.Stay, q.BusinessDate, now)
}

// Validate checks a quote before it is booked. It makes the checks of [QuoteRequest.Validate], except for those that
// depend on the time (see [Quote.Current]), and checks that the prices are complete, in one currency, and add up. Its
// errors name the field.
//
// When the quote is booked, the database checks the property, the prices and the restrictions again. Everything else,
// such as the policies, the names and the limits of the rooms, is taken from the quote unchanged. Therefore, between
// the offer and the booking, keep the quote on the server, for example as JSON, in which nothing of it is lost, or seal
// it with package bookings/offer.
func (q *Quote) Validate() error {
	if err := checkEntries("Lines", len(q.Lines)); err != nil {
		return err
	}
	if err := validateStay(q.Property, q.Stay); err != nil {
		return err
	}
	var total dynastay.Money
	rooms := 0
	for i, line := range q.Lines {
		at := fmt.Sprintf("Lines[%d]", i)
		if err := line.validate(); err != nil {
			return dynastay.Within(at, err)
		}
		if err := q.checkLine(i); err != nil {
			return err
		}
		rooms += line.Quantity
		subtotal, err := line.sum(q.Stay)
		if err != nil {
			return dynastay.Within(at, err)
		}
		if subtotal != line.Subtotal {
			return dynastay.Invalid(at+".Subtotal", "must equal the sum of the nights times Quantity, %s", subtotal)
		}
		if total, err = total.Add(subtotal); err != nil {
			return dynastay.Within(at+".Subtotal", err)
		}
	}
	if total != q.Total {
		return dynastay.Invalid("Total", "must equal the sum of the lines, %s", total)
	}
	if err := q.Sleeps.within(rooms); err != nil {
		return dynastay.Within("Sleeps", err)
	}
	if err := checkOverbook(q.Overbook); err != nil {
		return err
	}
	if err := q.Guests.fit("Guests", rooms, q.Sleeps); err != nil {
		return err
	}
	if err := checkParties("Lines", len(q.Lines), func(i int) (*Party, int) { return q.Lines[i].Party, q.Lines[i].Quantity }, q.Guests); err != nil {
		return err
	}
	return q.validateCharges()
}

// MaxQuoteAge is the longest time for which a quote under a rate plan, with a party, at agreed prices or with charges can be
// booked: nothing asserts their terms.
const MaxQuoteAge = 7 * 24 * time.Hour

// Planned reports whether the quote has charges, or any line has a rate plan, a party or agreed prices.
func (q *Quote) Planned() bool {
	return q.Charges != nil || slices.ContainsFunc(q.Lines, func(l Line) bool { return !l.plain() })
}

// sum returns the exact price of the line, or an error if its nights are not those of the stay.
func (l Line) sum(stay dynastay.Stay) (dynastay.Money, error) {
	if len(l.Nights) != stay.Nights() {
		return dynastay.Money{}, dynastay.Invalid("Nights", "must have one entry for each of the %d nights of the stay", stay.Nights())
	}
	var one dynastay.Money
	if err := l.checkSources(); err != nil {
		return one, err
	}
	for i, date := range slices.Collect(stay.Dates()) {
		night := l.Nights[i]
		at := fmt.Sprintf("Nights[%d]", i)
		if night.Date != date {
			return one, dynastay.Invalid(at+".Date", "must be %s: the nights of a line must be those of the stay, in order", date)
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

// checkSources checks the stored prices of the nights of a line that has a plan.
func (l Line) checkSources() error {
	for i, night := range l.Nights {
		at := fmt.Sprintf("Nights[%d].Source", i)
		switch {
		case l.Plan == nil && night.Source.IsSet():
			return dynastay.Invalid(at, "must be unset without a rate plan")
		case l.Plan == nil && night.Meals.IsSet():
			return dynastay.Invalid(fmt.Sprintf("Nights[%d].Meals", i), "must be unset without a rate plan")
		case l.Plan == nil:
			continue
		case !night.Source.IsSet():
			return dynastay.Invalid(at, "is required with a rate plan")
		}
		if err := checkAmount(at, night.Source); err != nil {
			return err
		}
		if err := l.checkMeals(i); err != nil {
			return err
		}
		if night.Source.Currency() != night.Price.Currency() {
			return dynastay.Invalid(at+".Currency", "must be %s, that of the price", night.Price.Currency())
		}
	}
	return nil
}

// checkMeals checks the price of the meals of a night, which is the same in each: it depends only on who stays.
func (l Line) checkMeals(i int) error {
	at, meals := fmt.Sprintf("Nights[%d].Meals", i), l.Nights[i].Meals
	if meals != l.Nights[0].Meals {
		return dynastay.Invalid(at, "must be the same in every night")
	}
	if !meals.IsSet() {
		return nil
	}
	if err := checkAmount(at, meals); err != nil {
		return err
	}
	switch more, err := meals.Compare(l.Nights[i].Price); {
	case err != nil:
		return dynastay.Invalid(at+".Currency", "must be %s, that of the price", l.Nights[i].Price.Currency())
	case more > 0:
		return dynastay.Invalid(at, "must not be more than the price of the night")
	}
	return nil
}

// checkLine compares a line with the earlier ones of its room type.
func (q *Quote) checkLine(i int) error {
	line, at := &q.Lines[i], fmt.Sprintf("Lines[%d]", i)
	if line.Plan != nil && line.Agreed {
		return dynastay.Invalid(at+".Agreed", "must be false with a rate plan")
	}
	if line.Plan != nil {
		if err := line.Plan.Validate(); err != nil {
			return dynastay.Within(at+".Plan", err)
		}
		if line.Plan.PropertyID != q.Property.ID {
			return dynastay.Invalid(at+".Plan.PropertyID", "must be that of the property")
		}
		if line.Plan.AsksWhoStays() && line.Party == nil {
			return dynastay.Invalid(at+".Party", "is required, because the price under the plan depends on who stays")
		}
	}
	if line.Party != nil {
		if err := line.Party.Validate(); err != nil {
			return dynastay.Within(at+".Party", err)
		}
	}
	if line.Number < 0 || line.Number > MaxLineNumber {
		return dynastay.Invalid(at+".Number", "must be between 0 and %d", MaxLineNumber)
	}
	lines, quantity, plans := 1, line.Quantity, map[string]bool{}
	if line.Plan != nil {
		plans[line.Plan.ID] = true
	}
	for e := range q.Lines[:i] {
		earlier := &q.Lines[e]
		if earlier.RoomTypeID != line.RoomTypeID {
			continue
		}
		// Agreed prices may differ.
		switch same := compareLines(earlier.terms(), line.terms(), earlier.Party, line.Party) == 0 && !line.Agreed; {
		case line.Number > 0 && line.Number == earlier.Number:
			return dynastay.Invalid(at+".Number", "appears more than once for the room type")
		case same && line.Number == earlier.Number:
			return dynastay.Invalid(at+".RoomTypeID", "appears more than once with the same rate plan and party")
		}
		lines++
		quantity += earlier.Quantity
		if earlier.Plan != nil {
			plans[earlier.Plan.ID] = true
		}
		for n := range min(len(line.Nights), len(earlier.Nights)) {
			// A line that goes on with one of a booking may keep another price, see [Sale.Current].
			if max(line.Number, earlier.Number) == 0 && !line.Agreed && !earlier.Agreed && line.source() == earlier.source() && line.Nights[n].stored() != earlier.Nights[n].stored() {
				return otherSource(i, n, line)
			}
		}
	}
	if quantity > MaxRooms {
		return dynastay.Invalid(at+".Quantity", "must be at most 10,000 in total for one room type")
	}
	return checkLines("Lines", lines, len(plans))
}

func otherSource(i, n int, line *Line) error {
	field := map[bool]string{true: "Price", false: "Source"}[line.Plan == nil]
	return dynastay.Invalid(fmt.Sprintf("Lines[%d].Nights[%d].%s", i, n, field), "must be the stored price that an earlier line has for the night")
}

// source returns the plan whose stored price is the source of the line's prices, or "" for the price of the night.
func (l *Line) source() string {
	if l.Plan == nil {
		return ""
	}
	return l.Plan.source()
}
