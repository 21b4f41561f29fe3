package charges

import (
	"fmt"
	"slices"

	"github.com/dynastay/dynastay"
)

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
	Rate       Rate `json:",omitzero"` // the percentage, if it is one and the same for all nights
	Included   bool
	AtProperty bool
	Kept       Kept
	Amount     dynastay.Money   `json:",omitzero"`
	Base       dynastay.Money   `json:",omitzero"` // of a percentage, rounded half up; unset for an amount
	Lines      []dynastay.Money `json:",omitzero"` // the part of Amount of each line
	// Nights is the part of Amount of each night of the stay. It is there only for KeptIfStayed, which needs it.
	Nights []dynastay.Money `json:",omitzero"`
}

// sums returns the sums that the entries come to.
func (b *Bill) sums(currency dynastay.Currency) (Bill, error) {
	var s Bill
	zero, err := dynastay.MoneyOfMinor(0, currency)
	if err != nil {
		return s, err
	}
	s.Included, s.Added, s.AtProperty, s.Deposits = zero, zero, zero, zero
	for _, e := range b.Entries {
		sum, field := &s.Added, "Added"
		switch {
		case e.Kind == Deposit:
			sum, field = &s.Deposits, "Deposits"
		case e.Included:
			sum, field = &s.Included, "Included"
		case e.AtProperty:
			sum, field = &s.AtProperty, "AtProperty"
		}
		if *sum, err = sum.Add(e.Amount); err != nil {
			return s, dynastay.Within(field, err)
		}
	}
	return s, nil
}

// add sets the sums.
func (b *Bill) add(currency dynastay.Currency) error {
	s, err := b.sums(currency)
	b.Included, b.Added, b.AtProperty, b.Deposits = s.Included, s.Added, s.AtProperty, s.Deposits
	return err
}

// Clone returns a copy that shares nothing with b; nil for nil.
func (b *Bill) Clone() *Bill {
	if b == nil {
		return nil
	}
	clone := *b
	clone.Entries = slices.Clone(b.Entries)
	for i := range clone.Entries {
		e := &clone.Entries[i]
		e.Lines, e.Nights = slices.Clone(e.Lines), slices.Clone(e.Nights)
	}
	return &clone
}

// Validate checks a bill of so many lines and nights by itself, such as one that other software has stored: that its
// parts add up, and that all is in the currency. Its errors name the field.
func (b *Bill) Validate(lines, nights int, currency dynastay.Currency) error {
	if !currency.Known() {
		return dynastay.Within("Currency", currency.Validate())
	}
	if len(b.Entries) > MaxCharges {
		return dynastay.Invalid("Entries", "must have at most %d entries", MaxCharges)
	}
	for i, e := range b.Entries {
		at := fmt.Sprintf("Entries[%d]", i)
		if err := e.validate(lines, nights, currency); err != nil {
			return dynastay.Within(at, err)
		}
		if slices.ContainsFunc(b.Entries[:i], func(other Entry) bool { return other.ID == e.ID }) {
			return dynastay.Invalid(at+".ID", "must be unique in the bill")
		}
	}
	s, err := b.sums(currency)
	if err != nil {
		return err
	}
	for _, sum := range []struct {
		field     string
		got, want dynastay.Money
	}{
		{"Included", b.Included, s.Included}, {"Added", b.Added, s.Added},
		{"AtProperty", b.AtProperty, s.AtProperty}, {"Deposits", b.Deposits, s.Deposits},
	} {
		if sum.got != sum.want {
			return dynastay.Invalid(sum.field, "must be %s, the sum of its entries", sum.want)
		}
	}
	return nil
}

func (e *Entry) validate(lines, nights int, currency dynastay.Currency) error {
	if err := checkID(e.ID); err != nil {
		return err
	}
	if err := checkName(e.Name); err != nil {
		return err
	}
	if err := e.Kind.Validate(); err != nil {
		return dynastay.Within("Kind", err)
	}
	if err := e.Kept.Validate(); err != nil {
		return dynastay.Within("Kept", err)
	}
	if e.Rate != 0 {
		if err := e.Rate.Validate(); err != nil {
			return dynastay.Within("Rate", err)
		}
	}
	switch {
	case e.Included && e.Kind == Deposit:
		return dynastay.Invalid("Included", "must be false, because a deposit is not part of a price")
	case e.AtProperty && e.Included:
		return dynastay.Invalid("AtProperty", "must be false, because the charge is included in the price")
	case e.Kept != KeptIfStayed && e.Nights != nil:
		return dynastay.Invalid("Nights", "must be empty, unless the charge is kept only if the guests stay")
	}
	if err := checkOwed("Amount", e.Amount, currency); err != nil {
		return err
	}
	if e.Base.IsSet() || e.Base.Sign() != 0 {
		if err := checkOwed("Base", e.Base, currency); err != nil {
			return err
		}
	}
	if err := e.validateParts("Lines", e.Lines, lines); err != nil || e.Kept != KeptIfStayed {
		return err
	}
	return e.validateParts("Nights", e.Nights, nights)
}

func (e *Entry) validateParts(field string, parts []dynastay.Money, n int) error {
	if len(parts) != n {
		return dynastay.Invalid(field, "must have %d amounts", n)
	}
	var sum dynastay.Money
	for i, m := range parts {
		if err := checkOwed(fmt.Sprintf("%s[%d]", field, i), m, e.Amount.Currency()); err != nil {
			return err
		}
		var err error
		if sum, err = sum.Add(m); err != nil {
			return dynastay.Within(field, err)
		}
	}
	if sum != e.Amount {
		return dynastay.Invalid(field, "must add up to %s, the amount", e.Amount)
	}
	return nil
}

// checkOwed checks an amount of a bill.
func checkOwed(field string, m dynastay.Money, currency dynastay.Currency) error {
	switch {
	case m.Currency() != currency:
		return dynastay.Invalid(field+".Currency", "must be %s, the currency of the bill", currency)
	case m.Sign() < 0:
		return dynastay.Invalid(field, "must not be negative")
	}
	return dynastay.Within(field, m.ValidatePaid())
}
