package offer

import (
	"errors"
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/keys"
)

// Offer is what a guest is offered: a quote, and what is added to its price. All amounts are in the currency of the
// quote.
type Offer struct {
	Quote  *availability.Quote `json:",omitzero"`
	UserID string              // for whom; "" for everybody who has the token
	// TaxesAndFees are as in bookings.Request; whole minor units, zero Money for none. It must not be set if the quote has charges.
	TaxesAndFees dynastay.Money `json:",omitzero"`
	// PromoCode is the code that a new booking uses, "" for none; for a modification, a code that replaces that of the
	// booking, "" to keep that.
	PromoCode string
	// Discounts is the discount that the guest was shown, as in bookings.Request and bookings.Modification; whole minor
	// units, zero Money for none. If the quote has charges, it is that of the quote.
	Discounts dynastay.Money `json:",omitzero"`
	// Kept is what the guest was told that the property keeps of what a modification gives up, as in
	// bookings.Modification.
	Kept      dynastay.Money `json:",omitzero"`
	BookingID string         // of the booking that the quote modifies; "" for a new booking
	Version   int            // of that booking, as in bookings.Modification
	// Expires is when the token is refused: it is accepted before this time, but not at it. It must be after Quote.At and, if
	// a line has a rate plan or a party, or the quote has charges, at most [Sealer].QuotesFor after it: 24 hours, unless you set
	// that and bookings.Options.QuotesFor.
	Expires time.Time `json:",omitzero"`
}

// ErrPurpose means that an offer for a new booking was used for a modification, or that of a modification for a new
// booking. The [*dynastay.InvalidError] for such an offer matches it with [errors.Is].
var ErrPurpose = errors.New("the offer is for a different purpose")

// Request returns the input of [bookings.Repository.Create] for a new booking. If the offer has no UserID, set that of
// the request, or NoUser. Request returns an error that matches [ErrPurpose] for an offer that modifies a booking: such an offer
// may have old policies, which apply only to that booking.
func (o Offer) Request(guest bookings.Guest) (bookings.Request, error) {
	if o.BookingID != "" {
		return bookings.Request{}, misused("must be empty for a new booking")
	}
	return bookings.Request{
		Quote: o.Quote, UserID: o.UserID, Guest: guest, TaxesAndFees: o.TaxesAndFees, PromoCode: o.PromoCode, Discounts: o.Discounts,
	}, nil
}

// Modification returns the input of [bookings.Repository.Modify]. It returns an error that matches [ErrPurpose] for an
// offer that has no BookingID.
func (o Offer) Modification() (bookings.Modification, error) {
	if o.BookingID == "" {
		return bookings.Modification{}, misused("is required for a modification")
	}
	m := bookings.Modification{
		BookingID: o.BookingID, Version: o.Version, Quote: o.Quote, TaxesAndFees: o.TaxesAndFees, Discounts: o.Discounts,
		Kept: o.Kept,
	}
	if o.PromoCode != "" {
		m.PromoCode = &o.PromoCode
	}
	return m, nil
}

func misused(reason string) error {
	return &dynastay.InvalidError{Field: "BookingID", Reason: reason, Err: ErrPurpose}
}

// validate checks everything that a booking would refuse later, and that the token can represent it.
func (o Offer) validate() error {
	if o.Quote == nil {
		return dynastay.Invalid("Quote", "is required")
	}
	if err := dynastay.Within("Quote", validateQuote(o.Quote)); err != nil {
		return err
	}
	for i, line := range o.Quote.Lines {
		if line.Agreed { // who opens a token is a guest, and agreed prices are not for those
			return dynastay.Invalid(fmt.Sprintf("Quote.Lines[%d].Agreed", i), "must be false: agreed prices are for staff and channels, not for guests")
		}
	}
	if o.Quote.BusinessDate != (dynastay.Date{}) {
		return dynastay.Invalid("Quote.BusinessDate", "must be unset: when a day ends is for staff to say, not for guests")
	}
	if err := o.validateIDs(); err != nil {
		return err
	}
	if err := o.validateAmount("TaxesAndFees", o.TaxesAndFees); err != nil {
		return err
	}
	if err := o.validateAmount("Discounts", o.Discounts); err != nil {
		return err
	}
	if err := o.validateAmount("Kept", o.Kept); err != nil {
		return err
	}
	if o.Kept.IsSet() && o.BookingID == "" {
		return dynastay.Invalid("Kept", "requires BookingID")
	}
	switch {
	case o.Quote.Charges == nil:
	case o.TaxesAndFees.IsSet():
		return dynastay.Invalid("TaxesAndFees", "must be unset, because the quote has charges")
	case o.Discounts != o.Quote.Discounts && o.Discounts.Sign()+o.Quote.Discounts.Sign() != 0:
		return dynastay.Invalid("Discounts", "must be that of the quote, whose charges are computed with it")
	}
	switch more, _ := o.Discounts.Compare(o.Quote.Total); { // the currencies are equal, or there is no discount
	case o.Discounts.Sign() > 0 && more > 0:
		return dynastay.Invalid("Discounts", "must be at most the total of the quote, %s", o.Quote.Total)
	case o.Discounts.Sign() > 0 && o.PromoCode == "" && o.BookingID == "":
		return dynastay.Invalid("Discounts", "requires PromoCode")
	}
	return o.validateExpiry()
}

// validateQuote also checks what a quote of package availability always has, but [availability.Quote.Validate] does not
// check.
func validateQuote(q *availability.Quote) error {
	if err := q.Validate(); err != nil {
		return err
	}
	for i, line := range q.Lines {
		for j, date := range line.Overbooked {
			if !q.Stay.Contains(date) {
				return dynastay.Invalid(fmt.Sprintf("Lines[%d].Overbooked[%d]", i, j), "must be a night of the stay")
			}
		}
		if err := validateTerms(line, q.Total.Currency()); err != nil {
			return dynastay.Within(fmt.Sprintf("Lines[%d]", i), err)
		}
	}
	return validateTime("At", q.At)
}

func (o Offer) validateIDs() error {
	if o.UserID != "" {
		if _, err := keys.Partition(keys.BookingByUser{UserID: o.UserID}); err != nil {
			return err
		}
	}
	if o.BookingID != "" {
		if _, err := keys.Of(keys.Booking{BookingID: o.BookingID}); err != nil {
			return err
		}
	}
	switch {
	case o.Version < 0:
		return dynastay.Invalid("Version", "must not be negative")
	case o.Version > 0 && o.BookingID == "":
		return dynastay.Invalid("Version", "requires BookingID")
	}
	if o.PromoCode != "" {
		_, err := keys.Of(keys.PromoCode{Code: o.PromoCode})
		var invalid *dynastay.InvalidError
		if errors.As(err, &invalid) {
			return dynastay.Invalid("PromoCode", "%s", invalid.Reason)
		}
	}
	return nil
}

func (o Offer) validateAmount(field string, amount dynastay.Money) error {
	if !amount.IsSet() {
		return nil
	}
	if currency := o.Quote.Total.Currency(); amount.Currency() != currency {
		return dynastay.Invalid(field, "must be in %s, the currency of the quote", currency)
	}
	if amount.Sign() < 0 {
		return dynastay.Invalid(field, "must not be negative")
	}
	return dynastay.Within(field, amount.Validate())
}

func (o Offer) validateExpiry() error {
	if o.Expires.IsZero() {
		return dynastay.Invalid("Expires", "is required")
	}
	if err := validateTime("Expires", o.Expires); err != nil {
		return err
	}
	if !o.Expires.After(o.Quote.At) {
		return dynastay.Invalid("Expires", "must be after Quote.At")
	}
	const day = 24 * time.Hour
	if o.Quote.Planned() && o.Expires.Sub(o.Quote.At) > availability.MaxQuoteAge {
		return dynastay.Invalid("Expires", "must be at most %d days after Quote.At for a quote with a rate plan, a party or charges", availability.MaxQuoteAge/day)
	}
	return nil
}

// validateTime checks that the time has a form in RFC 3339.
func validateTime(field string, t time.Time) error {
	if year := t.UTC().Year(); year < 1 || year > 9999 {
		return dynastay.Invalid(field, "must be within the years 1 to 9999")
	}
	return nil
}
