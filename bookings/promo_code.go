package bookings

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/keytext"
	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/keys"
)

// MaxPromoCode is the maximum size of a new promo code, in bytes.
const MaxPromoCode = 64

// PromoCode is a code with which guests pay less for their rooms. The discount is either a percentage of the price of
// the rooms, before taxes and fees, or a fixed amount. All amounts of a code are in one currency.
type PromoCode struct {
	// Code is what guests type. It is composed (Unicode NFC), trimmed, and stored with its ASCII letters in upper case.
	// Other letters are stored as they are, so that a code with them is found only in the case in which it was created:
	// the rules for their case depend on the language and the Unicode version, and a stored key cannot follow such
	// changes.
	Code        string
	Description string // at most entity.MaxNote bytes, no card data

	Percent     dynastay.Percent `json:",omitzero"` // of the price of the rooms; 0 for a fixed amount
	Amount      dynastay.Money   `json:",omitzero"` // the fixed amount; zero Money for a percentage
	MinAmount   dynastay.Money   `json:",omitzero"` // the least price of the rooms for which the code can be used; zero Money for none
	MaxDiscount dynastay.Money   `json:",omitzero"` // the largest discount; zero Money for no limit

	ValidFrom time.Time `json:",omitzero"` // zero for no limit
	// ValidUntil is the last second in which the code can be used: with 23:59:59, it can be used until midnight. Zero for
	// no limit.
	ValidUntil time.Time `json:",omitzero"`
	UsageLimit int       // how many bookings may use the code; 0 for no limit
	// UsageCount is how many bookings use the code now. It changes independently of the code's version.
	UsageCount int
	Active     bool // a code that is not active cannot be used

	CreatedAt time.Time `json:",omitzero"`
	Version   int       // 1 for a new code, incremented whenever the code is activated or deactivated
}

// The reasons why a promo code cannot be used. The [*PromoError] that is returned matches them.
var (
	ErrPromoUnknown  = dynastay.Refusal("the code does not exist")
	ErrPromoInactive = dynastay.Refusal("the code is not active")
	ErrPromoNotYet   = dynastay.Refusal("the code is not valid yet")
	ErrPromoEnded    = dynastay.Refusal("the code is not valid any more")
	ErrPromoUsedUp   = dynastay.Refusal("the usage limit of the code is reached")
	ErrPromoMinimum  = dynastay.Refusal("the price of the rooms is below the minimum of the code")
	// ErrPromoCurrency: the code has an amount that is not in the currency of the rooms. Other software may have stored
	// amounts without a currency; such a code cannot be used for any rooms.
	ErrPromoCurrency = dynastay.Refusal("the amounts of the code are not in the currency of the rooms")
)

// PromoError means that a promo code cannot be used, now or for these rooms. Nothing was written.
type PromoError struct {
	Code string
	Err  error // the reason, one of the ErrPromo… values
	// Minimum is the least price of the rooms. It is set only if Err is [ErrPromoMinimum].
	Minimum dynastay.Money
}

// Error names the code and the reason.
func (e *PromoError) Error() string {
	text := "cannot use promo code " + shown.Masked(e.Code) + ": " + e.Err.Error()
	if e.Minimum.IsSet() {
		text += " of " + e.Minimum.String()
	}
	return text
}

// Unwrap returns the reason.
func (e *PromoError) Unwrap() error { return e.Err }

// Usable returns a [*PromoError] if the code cannot be used at that time: because the code is not active, because it is not
// valid yet or any more, or because as many bookings as possible use it already.
func (p *PromoCode) Usable(now time.Time) error {
	switch {
	case !p.Active:
		return &PromoError{Code: p.Code, Err: ErrPromoInactive}
	case now.Before(p.ValidFrom):
		return &PromoError{Code: p.Code, Err: ErrPromoNotYet}
	case !p.ValidUntil.IsZero() && now.Truncate(time.Second).After(p.ValidUntil):
		return &PromoError{Code: p.Code, Err: ErrPromoEnded}
	case p.UsageLimit > 0 && p.UsageCount >= p.UsageLimit:
		return &PromoError{Code: p.Code, Err: ErrPromoUsedUp}
	}
	return nil
}

// Discount returns the discount on rooms at a total price before taxes and fees: the percentage or the fixed amount,
// but at most MaxDiscount, rounded as by [dynastay.Money.Round], and at most the price. It does not check whether the
// code can be used now; [PromoCode.Usable] does.
//
// It fails with a [*PromoError] that matches [ErrPromoCurrency] if an amount of the code is not in the currency of the
// price, or [ErrPromoMinimum] if the price is below MinAmount; with [dynastay.ErrInvalid] if the price is not set,
// is negative, or has so many digits that the discount cannot be exact; and with [dynastay.ErrCorrupt] if the code has
// neither a percentage nor a fixed amount, as only other software can have stored it.
func (p *PromoCode) Discount(rooms dynastay.Money) (dynastay.Money, error) {
	switch {
	case !rooms.IsSet():
		return dynastay.Money{}, dynastay.Invalid("Rooms", "is required")
	case rooms.Sign() < 0:
		return dynastay.Money{}, dynastay.Invalid("Rooms", "must not be negative")
	}
	for _, amount := range p.amounts() {
		if amount.value.Currency() != rooms.Currency() {
			return dynastay.Money{}, &PromoError{Code: p.Code, Err: ErrPromoCurrency}
		}
	}
	if less(rooms, p.MinAmount) {
		return dynastay.Money{}, &PromoError{Code: p.Code, Err: ErrPromoMinimum, Minimum: p.MinAmount}
	}
	discount, err := p.unlimited(rooms)
	if err != nil {
		return dynastay.Money{}, err
	}
	if less(p.MaxDiscount, discount) {
		discount = p.MaxDiscount
	}
	if discount = discount.Round(); less(rooms, discount) {
		discount = rooms
	}
	return discount, nil
}

// unlimited returns the discount without its limits.
func (p *PromoCode) unlimited(rooms dynastay.Money) (dynastay.Money, error) {
	switch {
	case p.Percent > 0:
		discount, err := rooms.Portion(int(p.Percent), int(dynastay.MaxPercent))
		return discount, dynastay.Within("Rooms", err)
	case p.Amount.Sign() > 0:
		return p.Amount, nil
	}
	return dynastay.Money{}, &dynastay.Error{
		Entity: "PromoCode", ID: p.Code, Field: attrDiscount, Kind: dynastay.ErrCorrupt, Err: errors.New("is required"),
	}
}

// less compares amounts in the same currency. With an amount that is not set, it returns false: there is no limit.
func less(a, b dynastay.Money) bool {
	sign, _ := a.Compare(b) // 0 with an error
	return sign < 0
}

type promoAmount struct {
	field string
	value dynastay.Money
}

// amounts returns the amounts that the code has.
func (p *PromoCode) amounts() (all []promoAmount) {
	for _, amount := range []promoAmount{{"Amount", p.Amount}, {"MinAmount", p.MinAmount}, {"MaxDiscount", p.MaxDiscount}} {
		if amount.value != (dynastay.Money{}) {
			all = append(all, amount)
		}
	}
	return all
}

// Validate checks a new promo code. It requires a code of at most [MaxPromoCode] bytes with printable characters only,
// and either a percentage or a fixed amount. Amounts must be positive, in whole minor units of one currency. ValidUntil
// must not be before ValidFrom, UsageLimit must not be negative, and UsageCount must be 0. Errors name the field.
func (p *PromoCode) Validate() error {
	code, err := promoText(p.Code)
	if err != nil {
		return err
	}
	switch {
	case len(code) > MaxPromoCode:
		return dynastay.Invalid("Code", "must be at most %d bytes, got %d", MaxPromoCode, len(code))
	case strings.ContainsFunc(code, func(c rune) bool { return !unicode.IsPrint(c) }):
		return dynastay.Invalid("Code", "must contain only printable characters")
	case !p.ValidUntil.IsZero() && p.ValidUntil.Before(p.ValidFrom):
		return dynastay.Invalid("ValidUntil", "must not be before ValidFrom")
	case p.UsageLimit < 0:
		return dynastay.Invalid("UsageLimit", "must not be negative")
	case p.UsageCount != 0:
		return dynastay.Invalid("UsageCount", "must be 0 for a new code")
	}
	if err := checkText(p.Description, entity.MaxNote); err != nil {
		return dynastay.Within("Description", err)
	}
	return p.checkDiscount()
}

func (p *PromoCode) checkDiscount() error {
	hasAmount := p.Amount != (dynastay.Money{})
	switch {
	case p.Percent == 0 && !hasAmount:
		return dynastay.Invalid("Percent", "is required, unless Amount is set")
	case p.Percent != 0 && hasAmount:
		return dynastay.Invalid("Amount", "must not be set together with Percent")
	case p.Percent != 0:
		if err := p.Percent.Validate(); err != nil {
			return dynastay.Within("Percent", err)
		}
	}
	amounts := p.amounts()
	for _, amount := range amounts {
		if err := amount.value.Validate(); err != nil {
			return dynastay.Within(amount.field, err)
		}
		if amount.value.Sign() <= 0 {
			return dynastay.Invalid(amount.field, "must be positive")
		}
		if first := amounts[0]; amount.value.Currency() != first.value.Currency() {
			return dynastay.Invalid(amount.field, "must be in %s, the currency of %s", first.value.Currency(), first.field)
		}
	}
	return nil
}

// promoText returns the form in which a new code is stored.
func promoText(code string) (string, error) {
	code, err := keytext.Normal(code)
	if err == nil {
		// Normalise again, because a capital may have a composed form although its small letter has none (İ).
		code, err = keytext.Normal(strings.Map(upperASCII, code))
	}
	if err != nil {
		return "", dynastay.Invalid("Code", "%v", err)
	}
	return code, nil
}

func upperASCII(c rune) rune {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// The values of the attribute DiscountType.
type discountType string

const (
	percentage discountType = "percentage"
	fixed      discountType = "fixed"
)

const (
	attrDiscount   = "DiscountValue"
	attrUsageCount = "UsageCount"
)

// discount returns what the attributes DiscountType and DiscountValue contain. A percentage has no currency.
func (p *PromoCode) discount() (discountType, dynastay.Money) {
	if p.Percent == 0 {
		if p.Amount == (dynastay.Money{}) {
			return "", p.Amount
		}
		return fixed, p.Amount
	}
	value, _ := dynastay.MoneyOfDigits(p.Percent.String(), "") // cannot fail: these are digits
	return percentage, value
}

// setDiscount reverses discount. Its error is for the attribute with the name that it returns.
func (p *PromoCode) setDiscount(kind discountType, value dynastay.Money) (name string, err error) {
	p.Percent, p.Amount = 0, dynastay.Money{}
	switch {
	case kind == percentage:
		if p.Percent, err = dynastay.ParsePercent(value.Digits()); err == nil {
			err = p.Percent.Validate()
		}
		return attrDiscount, err
	case kind == fixed && value.Sign() <= 0:
		return attrDiscount, errors.New("must be positive")
	case kind == fixed:
		p.Amount = value
	case kind != "" || value != (dynastay.Money{}):
		return "DiscountType", fmt.Errorf("must be %s or %s, got %q", percentage, fixed, shown.Truncated(string(kind)))
	}
	return "", nil
}

var promoEntity = entity.New(entity.Spec[PromoCode]{
	Name: "PromoCode", Operations: "promoCodes", Schema: keys.MetadataTable,
	ID: "Code", Created: "CreatedAt", Version: keys.AttrVersion, Counters: []string{attrUsageCount},
	// A stored code is not always in upper case: other software may have stored it.
	Key:  func(p *PromoCode) (dynastay.Key, error) { return keys.Of(keys.PromoCode{Code: p.Code}) },
	IDOf: func(k dynastay.Key) string { return strings.TrimPrefix(k.PK, "PROMO#") },
	Codec: entity.Declare(func(f *entity.Fields, p *PromoCode) {
		f.Const(keys.AttrEntityType, "PromoCode")
		f.String("Code", &p.Code)
		f.String("Description", &p.Description)
		kind, value := p.discount()
		entity.String(f, "DiscountType", &kind)
		f.Money(attrDiscount, "Currency", &value)
		if f.Decoding() {
			name, err := p.setDiscount(kind, value)
			f.Fail(name, err)
		}
		for _, amount := range []struct {
			name string
			p    *dynastay.Money
		}{{"MinBookingAmount", &p.MinAmount}, {"MaxDiscountAmount", &p.MaxDiscount}} {
			f.Money(amount.name, "Currency", amount.p)
			f.Fail(amount.name, notNegative(amount.p.Sign()))
		}
		f.Time("ValidFrom", &p.ValidFrom)
		f.Time("ValidUntil", &p.ValidUntil)
		f.IfSet().Int("UsageLimit", &p.UsageLimit)
		f.Fail("UsageLimit", notNegative(p.UsageLimit))
		f.Int(attrUsageCount, &p.UsageCount)
		f.Bool("IsActive", &p.Active)
		f.Time("CreatedAt", &p.CreatedAt)
		f.IfSet().Int(keys.AttrVersion, &p.Version)
	}),
})

// notNegative returns an error for a stored number below zero. With a negative limit, a discount would be a surcharge.
func notNegative(n int) error {
	if n < 0 {
		return errors.New("must not be negative")
	}
	return nil
}
