package charges

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// The limits of a list of charges.
const (
	MaxCharges  = 20
	maxName     = 60 // bytes
	maxBrackets = 6
	maxNights   = 90 // of a stay
	adultAge    = 18 // what everyone counts as whose age is not known
)

// maxMinor limits the amounts of a list, in minor units. It is more than any charge.
const maxMinor = 1_000_000_000_000_000

var chargeID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,11}$`)

func checkID(id string) error {
	if !chargeID.MatchString(id) {
		return dynastay.Invalid("ID", "must have 1 to 12 of a-z, 0-9, _ and -, and begin with a letter or a digit")
	}
	return nil
}

func checkName(name string) error {
	if strings.TrimSpace(name) == "" {
		return dynastay.Invalid("Name", "is required")
	}
	return dynastay.Within("Name", entity.CheckText(name, maxName))
}

// Validate checks the list without accessing the database. Its errors name the field.
func (l *List) Validate() error {
	if _, err := keys.Of(keys.Property{PropertyID: l.PropertyID}); err != nil {
		return err
	}
	return l.validateCharges()
}

// validateCharges checks what determines a bill.
func (l *List) validateCharges() error {
	if len(l.Charges) > MaxCharges {
		return dynastay.Invalid("Charges", "must have at most %d entries", MaxCharges)
	}
	currency := l.Currency()
	for i := range l.Charges {
		if err := l.Charges[i].validate(l.Charges[:i], currency); err != nil {
			return dynastay.Within(fmt.Sprintf("Charges[%d]", i), err)
		}
	}
	return nil
}

// Currency returns the currency of the list's amounts, or "" if it has none.
func (l *List) Currency() dynastay.Currency {
	for i := range l.Charges {
		c := &l.Charges[i]
		if c.Amount.IsSet() {
			return c.Amount.Currency()
		}
		for _, b := range c.Brackets {
			if b.From.IsSet() {
				return b.From.Currency()
			}
			if b.Amount.IsSet() {
				return b.Amount.Currency()
			}
		}
	}
	return ""
}

func (c *Charge) validate(earlier []Charge, currency dynastay.Currency) error {
	if err := checkID(c.ID); err != nil {
		return err
	}
	if slices.ContainsFunc(earlier, func(e Charge) bool { return e.ID == c.ID }) {
		return dynastay.Invalid("ID", "must be unique in the list")
	}
	if err := checkName(c.Name); err != nil {
		return err
	}
	if err := c.Kind.Validate(); err != nil {
		return dynastay.Within("Kind", err)
	}
	if err := c.Per.Validate(); err != nil {
		return dynastay.Within("Per", err)
	}
	if err := c.Kept.Validate(); err != nil {
		return dynastay.Within("Kept", err)
	}
	switch {
	case c.Included && c.Kind == Deposit:
		return dynastay.Invalid("Included", "must be false, because a deposit is not part of a price")
	case c.AtProperty && c.Included:
		return dynastay.Invalid("AtProperty", "must be false, because the charge is included in the price")
	}
	if err := c.validateValue(currency); err != nil {
		return err
	}
	if err := c.validateBase(earlier); err != nil {
		return err
	}
	return c.validateConditions()
}

// validateValue checks the rate, the amount or the brackets.
func (c *Charge) validateValue(currency dynastay.Currency) error {
	hasAmount := c.Amount != dynastay.Money{}
	switch {
	case c.Rate != 0 && hasAmount:
		return dynastay.Invalid("Amount", "must be unset, because Rate is set")
	case len(c.Brackets) > 0 && c.Rate != 0:
		return dynastay.Invalid("Brackets", "must be empty, because Rate is set")
	case len(c.Brackets) > 0 && hasAmount:
		return dynastay.Invalid("Brackets", "must be empty, because Amount is set")
	case len(c.Brackets) > 0:
		return c.validateBrackets(currency)
	case hasAmount:
		return checkAmount("Amount", c.Amount, currency)
	case c.Rate == 0:
		return dynastay.Invalid("Rate", "is required, unless Amount or Brackets are set")
	}
	if err := c.Rate.Validate(); err != nil {
		return dynastay.Within("Rate", err)
	}
	if c.Per != PerNight && c.Per != PerStay {
		return dynastay.Invalid("Per", "must be night or stay for a percentage")
	}
	return nil
}

func (c *Charge) validateBrackets(currency dynastay.Currency) error {
	if len(c.Brackets) > maxBrackets {
		return dynastay.Invalid("Brackets", "must have at most %d entries", maxBrackets)
	}
	rates, amounts := false, false
	for i, b := range c.Brackets {
		at := fmt.Sprintf("Brackets[%d]", i)
		if err := b.validate(currency); err != nil {
			return dynastay.Within(at, err)
		}
		switch {
		case i == 0 && b.From.Sign() != 0:
			return dynastay.Invalid(at+".From", "must be 0, so that each price has a bracket")
		case i > 0 && minorOf(b.From).Cmp(minorOf(c.Brackets[i-1].From)) <= 0:
			return dynastay.Invalid(at+".From", "must be above that of the entry before")
		}
		rates, amounts = rates || b.Rate != 0, amounts || b.Amount.IsSet()
		if rates && amounts {
			return dynastay.Invalid(at, "must have a rate if the others have one, and an amount if the others have one")
		}
	}
	switch {
	case !rates && !amounts:
		return dynastay.Invalid("Brackets", "must have a rate or an amount")
	case rates && c.Per != PerNight:
		return dynastay.Invalid("Per", "must be night for brackets with percentages")
	case amounts && c.Per != PerRoomNight && c.Per != PerGuestNight:
		return dynastay.Invalid("Per", "must be room_night or guest_night for brackets with amounts")
	}
	return nil
}

func (b Bracket) validate(currency dynastay.Currency) error {
	if err := checkAmount("From", b.From, currency); err != nil {
		return err
	}
	if b.Rate != 0 {
		if err := b.Rate.Validate(); err != nil {
			return dynastay.Within("Rate", err)
		}
	}
	return checkAmount("Amount", b.Amount, currency)
}

// checkAmount checks an amount that may be unset. One without a currency is not unset: it would count.
func checkAmount(field string, m dynastay.Money, currency dynastay.Currency) error {
	switch {
	case m == dynastay.Money{}:
		return nil
	case !m.IsSet():
		return dynastay.Invalid(field, "must have a currency")
	case !m.Currency().Known():
		return dynastay.Within(field+".Currency", m.Currency().Validate())
	case m.Sign() < 0:
		return dynastay.Invalid(field, "must not be negative")
	}
	if err := m.ValidatePaid(); err != nil { // in any currency, because that of an old list may have been withdrawn
		return dynastay.Within(field, err)
	}
	if minor, err := m.Minor(); err != nil || minor >= maxMinor {
		return dynastay.Invalid(field, "must have at most 15 digits")
	}
	if m.Currency() != currency {
		return dynastay.Invalid(field+".Currency", "must be %s, the currency of the list's other amounts", currency)
	}
	return nil
}

// hasRate reports whether the charge is a percentage.
func (c *Charge) hasRate() bool {
	return c.Rate != 0 || slices.ContainsFunc(c.Brackets, func(b Bracket) bool { return b.Rate != 0 })
}

// validateBase checks what a percentage is of, and the price that brackets compare.
func (c *Charge) validateBase(earlier []Charge) error {
	for i, of := range c.Of {
		at := fmt.Sprintf("Of[%d]", i)
		if err := of.Validate(); err != nil {
			return dynastay.Within(at, err)
		}
		if slices.Contains(c.Of[:i], of) {
			return dynastay.Invalid(at, "appears more than once")
		}
	}
	brackets := len(c.Brackets) > 0
	switch {
	case !c.hasRate() && len(c.On) > 0:
		return dynastay.Invalid("On", "must be empty for an amount")
	case !c.hasRate() && !brackets:
		return c.validatePart()
	case brackets && len(c.Of) == 0:
		return dynastay.Invalid("Of", "is required, because it is the price that brackets compare")
	case len(c.Of) == 0 && len(c.On) == 0:
		return dynastay.Invalid("Of", "is required for a percentage, unless On is set")
	case c.Gross && len(c.Of) == 0:
		return dynastay.Invalid("Gross", "must be false without Of")
	case brackets && c.Included && !c.Gross:
		return dynastay.Invalid("Gross", "must be true for brackets of an included charge, which would otherwise decide on itself")
	}
	return c.validateOn(earlier)
}

// validatePart checks the amount that has no base. An included one may say which component of the price it is in.
func (c *Charge) validatePart() error {
	switch {
	case len(c.Of) > 0 && !c.Included:
		return dynastay.Invalid("Of", "must be empty for an amount that is not included")
	case len(c.Of) > 1:
		return dynastay.Invalid("Of", "must be the one component that the included amount is in")
	case c.Gross:
		return dynastay.Invalid("Gross", "must be false for an amount")
	}
	return nil
}

func (c *Charge) validateOn(earlier []Charge) error {
	for i, id := range c.On {
		at := fmt.Sprintf("On[%d]", i)
		n := slices.IndexFunc(earlier, func(e Charge) bool { return e.ID == id })
		switch {
		case n < 0:
			return dynastay.Invalid(at, "must be an earlier charge of the list")
		case earlier[n].Kind == Deposit:
			return dynastay.Invalid(at, "must not be a deposit")
		case c.Included && !earlier[n].Included:
			return dynastay.Invalid(at, "must be an included charge, because this one is included")
		case slices.Contains(c.On[:i], id):
			return dynastay.Invalid(at, "appears more than once")
		}
	}
	return nil
}

func (c *Charge) validateConditions() error {
	switch {
	case c.FirstNights < 0 || c.FirstNights > maxNights:
		return dynastay.Invalid("FirstNights", "must be between 0 and %d", maxNights)
	case c.FirstNights > 0 && !c.Per.nightly():
		return dynastay.Invalid("FirstNights", "requires a charge per night, room_night or guest_night")
	case c.FromAge < 0 || c.FromAge > adultAge:
		return dynastay.Invalid("FromAge", "must be between 0 and %d", adultAge)
	case c.UnderAge < 0 || c.UnderAge > adultAge:
		return dynastay.Invalid("UnderAge", "must be between 0 and %d", adultAge)
	case c.FromAge > 0 && !c.Per.guests():
		return dynastay.Invalid("FromAge", "requires a charge per guest or guest_night")
	case c.UnderAge > 0 && !c.Per.guests():
		return dynastay.Invalid("UnderAge", "requires a charge per guest or guest_night")
	case c.UnderAge > 0 && c.UnderAge <= c.FromAge:
		return dynastay.Invalid("UnderAge", "must be above FromAge (%d)", c.FromAge)
	case c.MinStay < 0 || c.MinStay > maxNights:
		return dynastay.Invalid("MinStay", "must be between 0 and %d", maxNights)
	case c.MaxStay < 0 || c.MaxStay > maxNights:
		return dynastay.Invalid("MaxStay", "must be between 0 and %d", maxNights)
	case c.MaxStay > 0 && c.MaxStay < c.MinStay:
		return dynastay.Invalid("MaxStay", "must be at least MinStay (%d)", c.MinStay)
	case !c.From.IsZero() && !c.Until.IsZero() && !c.Until.After(c.From):
		return dynastay.Invalid("Until", "must be after From (%s)", c.From)
	}
	return nil
}
