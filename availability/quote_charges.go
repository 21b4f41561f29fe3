package availability

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

// Charge gives the quote the bill of a property's charges, instead of the one that it has. The discounts are what a promo
// code gives on Total, unset for none: percentages are of what the guest pays. It sends no request.
//
// It returns a [*dynastay.InvalidError] that names the field if the list is invalid or of another property, if the discounts
// are negative or more than Total, or if the list cannot be computed for the quote, see [charges.List.Bill].
func (q *Quote) Charge(list *charges.List, discounts dynastay.Money) error {
	if err := checkCharges(list, q.Property.ID); err != nil {
		return err
	}
	if err := q.checkDiscounts(discounts); err != nil {
		return err
	}
	bill, err := list.Bill(q.booked(discounts))
	if err != nil {
		return dynastay.Within("Charges", err)
	}
	charged := *q
	if charged.Charges, charged.Discounts = bill, discounts; discounts.Sign() == 0 {
		charged.Discounts = dynastay.Money{}
	}
	if err := charged.validateCharges(); err != nil { // rounded, what is included may be more than the price
		return err
	}
	q.Charges, q.Discounts = charged.Charges, charged.Discounts
	return nil
}

// validateCharges checks the charges of a request before anything is read.
func (r QuoteRequest) validateCharges() error {
	switch {
	case r.Charges != nil:
		return checkCharges(r.Charges, r.Property.ID)
	case r.Discounts.IsSet():
		return dynastay.Invalid("Discounts", "requires Charges")
	}
	return nil
}

func checkCharges(list *charges.List, propertyID string) error {
	if list.PropertyID != propertyID {
		return dynastay.Invalid("Charges.PropertyID", "must be that of the property")
	}
	return dynastay.Within("Charges", list.Validate())
}

func (q *Quote) checkDiscounts(discounts dynastay.Money) error {
	if !discounts.IsSet() {
		return nil
	}
	more, err := discounts.Compare(q.Total)
	switch {
	case err != nil:
		return dynastay.Invalid("Discounts.Currency", "must be %s, that of the quote", q.Total.Currency())
	case discounts.Sign() < 0:
		return dynastay.Invalid("Discounts", "must not be negative")
	case more > 0:
		return dynastay.Invalid("Discounts", "must be at most the total of the quote, %s", q.Total)
	}
	return dynastay.Within("Discounts", discounts.Validate())
}

// booked returns what charges are computed from. Either all lines have a party or none has, see [Room.Party].
func (q *Quote) booked(discounts dynastay.Money) charges.Booked {
	b := charges.Booked{Stay: q.Stay, Adults: q.Guests.Adults, Children: q.Guests.Children, Discount: discounts}
	for _, line := range q.Lines {
		one := charges.Line{Rooms: line.Quantity}
		if p := line.Party; p != nil {
			one.Guests = &charges.Guests{Adults: p.Adults, Children: p.Children, ChildAges: p.ChildAges}
		}
		for _, night := range line.Nights {
			price := charges.Price{Lodging: night.Price, Meals: night.Meals}
			if night.Meals.IsSet() {
				price.Lodging, _ = night.Price.Sub(night.Meals) // cannot fail: the meals are a part of the price
			}
			one.Nights = append(one.Nights, price)
		}
		b.Lines = append(b.Lines, one)
	}
	return b
}

// GuestPays returns what the guest pays with the booking: Total, less Discounts, with the charges that are added to it. What is
// due at the property and the deposits come on top.
func (q *Quote) GuestPays() (dynastay.Money, error) {
	pays, err := q.Total.Sub(q.Discounts)
	if err != nil || q.Charges == nil {
		return pays, err
	}
	return pays.Add(q.Charges.Added)
}

// validateCharges checks the charges of a quote, and that they belong to it as far as the quote tells.
func (q *Quote) validateCharges() error {
	if q.Charges == nil {
		if q.Discounts.IsSet() {
			return dynastay.Invalid("Discounts", "requires Charges")
		}
		return nil
	}
	if q.Discounts.IsSet() && q.Discounts.Sign() == 0 {
		return dynastay.Invalid("Discounts", "must be unset if there is no discount")
	}
	if err := q.checkDiscounts(q.Discounts); err != nil {
		return err
	}
	if err := q.Charges.Validate(len(q.Lines), q.Stay.Nights(), q.Total.Currency()); err != nil {
		return dynastay.Within("Charges", err)
	}
	left, _ := q.Total.Sub(q.Discounts) // cannot fail: at most the total
	if more, _ := q.Charges.Included.Compare(left); more > 0 {
		return dynastay.Invalid("Charges.Included", "must be at most the total without the discounts, %s", left)
	}
	_, err := q.GuestPays()
	return dynastay.Within("Charges", err)
}
