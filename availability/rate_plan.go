package availability

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// RatePlan is a way in which a property sells its rooms: at what price, with which meals, for whom, and on what terms.
// A property without rate plans has one price for a night, [Night.Price]. With plans, it sells the same rooms in several
// ways at once, such as flexible and non-refundable, or with and without breakfast.
//
// A plan either has a price of its own for each night, which is stored with the night, or derives it from another price.
// [RatePlan.Price] says what a stay costs.
type RatePlan struct {
	PropertyID string
	// ID has 1 to 12 of a–z, 0–9, _ and -, and begins with a letter or a digit. The host chooses it. It is unique in the
	// property, and is never used again: bookings refer to it for years, and it is stored with every night, so keep it
	// short.
	ID          string
	Name        string // at most entity.MaxName bytes
	Description string // at most 1,000 bytes
	// RoomTypeIDs are the room types that are sold under the plan, at most 100; none means all of the property.
	RoomTypeIDs []string `json:",omitzero"`
	// CancellationPolicy overrides those of the room type and of the property; "" means that they apply.
	CancellationPolicy CancellationPolicy
	Payment            PaymentTerms `json:",omitzero"` // when guests pay

	Derived    *Derivation    `json:",omitzero"` // nil for a plan with a price of its own for each night
	Party      *PartyPrices   `json:",omitzero"` // nil for those of Derived.From or, without them, one price for any party
	Meals      Meals          `json:",omitzero"`
	Conditions RateConditions `json:",omitzero"`
	Discounts  Discounts      `json:",omitzero"`

	Active       bool // it is sold; a plan that is not is kept for the bookings that name it
	Advertised   bool // guests see it in searches; others are sold by staff, or to guests who know their names
	DisplayOrder int  // plans are listed in ascending order, equal ones by id; 0 to 1,000

	CreatedAt time.Time `json:",omitzero"`
	UpdatedAt time.Time `json:",omitzero"`
	Version   int
}

// Derivation derives the price of each night from another price: by a percentage, then by an amount, rounded half up to
// a multiple of Step. Nothing is derived from a derived plan: one change of the other price changes the plan's, without
// a write, and nobody has to follow a chain. A night whose result is below 0 is not on sale; with a Step, a low price may
// become 0. Restrictions and meals are not inherited: those of the plan hold, and the restrictions of the night.
type Derivation struct {
	From    string           // the id of a plan with prices of its own; "" for the night's Price
	Percent dynastay.Percent `json:",omitzero"` // −1000 is 10 percent less; more than −100 %
	Amount  dynastay.Money   `json:",omitzero"` // may be negative
	Step    dynastay.Money   `json:",omitzero"` // such as 5 EUR; unset for the currency's minor unit
}

// The maximum lengths of the texts and lists of a plan.
const (
	maxPlanText = 1_000 // bytes of Description
	maxBands    = 6
	maxTiers    = 3 // of each kind of discount
	maxRanges   = 10
)

// MaxOrder is the greatest DisplayOrder of a rate plan.
const MaxOrder = 1_000

var planID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,11}$`)

// CheckRatePlanID returns an error for text that cannot be the id of a rate plan.
func CheckRatePlanID(id string) error {
	if !planID.MatchString(id) {
		return dynastay.Invalid("", "must have 1 to 12 of a-z, 0-9, _ and -, and begin with a letter or a digit")
	}
	return nil
}

// Validate checks the plan without accessing the database. Its errors name the field.
func (p *RatePlan) Validate() error {
	if _, err := keys.Of(keys.Property{PropertyID: p.PropertyID}); err != nil {
		return err
	}
	if err := CheckRatePlanID(p.ID); err != nil {
		return dynastay.Within("ID", err)
	}
	if strings.TrimSpace(p.Name) == "" {
		return dynastay.Invalid("Name", "is required")
	}
	if err := entity.CheckText(p.Name, entity.MaxName); err != nil {
		return dynastay.Within("Name", err)
	}
	if err := entity.CheckText(p.Description, maxPlanText); err != nil {
		return dynastay.Within("Description", err)
	}
	if err := p.validateRooms(); err != nil {
		return err
	}
	if err := p.CancellationPolicy.Validate(); err != nil {
		return dynastay.Within("CancellationPolicy", err)
	}
	if err := p.Payment.Validate(); err != nil {
		return dynastay.Within("Payment", err)
	}
	if p.DisplayOrder < 0 || p.DisplayOrder > MaxOrder {
		return dynastay.Invalid("DisplayOrder", "must be between 0 and 1,000")
	}
	return p.validatePrices(&amounts{})
}

func (p *RatePlan) validateRooms() error {
	if len(p.RoomTypeIDs) > maxEntries {
		return dynastay.Invalid("RoomTypeIDs", "must have at most %d entries", maxEntries)
	}
	for i, id := range p.RoomTypeIDs {
		at := fmt.Sprintf("RoomTypeIDs[%d]", i)
		if err := checkRoomTypeID(at, id); err != nil {
			return err
		}
		if slices.Contains(p.RoomTypeIDs[:i], id) {
			return dynastay.Invalid(at, "appears more than once")
		}
	}
	return nil
}

// validatePrices checks what determines the price.
func (p *RatePlan) validatePrices(c *amounts) error {
	if d := p.Derived; d != nil {
		if err := d.validate(p.ID, c); err != nil {
			return dynastay.Within("Derived", err)
		}
	}
	if p.Party != nil {
		if err := p.Party.validate(c); err != nil {
			return dynastay.Within("Party", err)
		}
	}
	if err := p.Meals.validate(c); err != nil {
		return dynastay.Within("Meals", err)
	}
	if err := p.Conditions.validate(); err != nil {
		return dynastay.Within("Conditions", err)
	}
	return dynastay.Within("Discounts", p.Discounts.validate())
}

func (d *Derivation) validate(own string, c *amounts) error {
	switch {
	case d.From == own:
		return dynastay.Invalid("From", "must not be the plan itself")
	case d.From != "" && CheckRatePlanID(d.From) != nil:
		return dynastay.Within("From", CheckRatePlanID(d.From))
	case d.Percent <= -dynastay.MaxPercent || d.Percent > maxRaise:
		return dynastay.Invalid("Percent", "must be more than -100 and at most 999.99, got %s", d.Percent)
	case d.Step.IsSet() && d.Step.Sign() <= 0:
		return dynastay.Invalid("Step", "must be positive")
	}
	if err := c.signed("Amount", d.Amount); err != nil {
		return err
	}
	return c.signed("Step", d.Step)
}

// maxMinor limits the amounts of a plan, and the prices of nights under one, in minor units. It is more than any price.
const maxMinor = 1_000_000_000_000_000

// maxRaise is the highest percentage by which a price can rise.
const maxRaise dynastay.Percent = 999_99

// amounts checks the amounts of a plan, which must be in one currency: that of the property's nights.
type amounts struct{ currency dynastay.Currency }

// signed checks an amount that may be unset or negative. One without a currency is not unset: it would count.
func (c *amounts) signed(field string, m dynastay.Money) error {
	switch {
	case m == dynastay.Money{}:
		return nil
	case !m.IsSet():
		return dynastay.Invalid(field, "must have a currency")
	}
	if err := m.ValidatePaid(); err != nil { // in any currency, because that of an old plan may have been withdrawn
		return dynastay.Within(field, err)
	}
	if minor, err := m.Minor(); err != nil || minor >= maxMinor || minor <= -maxMinor {
		return dynastay.Invalid(field, "must have at most 15 digits")
	}
	if c.currency == "" {
		c.currency = m.Currency()
	}
	if m.Currency() != c.currency {
		return dynastay.Invalid(field+".Currency", "must be %s, the currency of the plan's other amounts", c.currency)
	}
	return nil
}

// positive checks an amount that may be unset.
func (c *amounts) positive(field string, m dynastay.Money) error {
	if m.Sign() < 0 {
		return dynastay.Invalid(field, "must not be negative")
	}
	return c.signed(field, m)
}

// RatePlanEntity returns the entity of plans, for the repository that stores them, which is that of package properties.
// All amounts of a plan share one attribute for their currency.
func RatePlanEntity() *entity.Entity[RatePlan] { return ratePlanEntity() }

var ratePlanEntity = sync.OnceValue(func() *entity.Entity[RatePlan] {
	return entity.New(entity.Spec[RatePlan]{
		Name: "RatePlan", Schema: keys.PropertiesTable, Validate: (*RatePlan).Validate,
		Created: "CreatedAt", Updated: "UpdatedAt", Version: keys.AttrVersion,
		Key: func(p *RatePlan) (dynastay.Key, error) {
			return keys.Of(keys.RatePlan{PropertyID: p.PropertyID, RatePlanID: p.ID})
		},
		Codec: entity.Declare(func(f *entity.Fields, p *RatePlan) {
			f.Const(keys.AttrEntityType, "RatePlan")
			f.String("PropertyId", &p.PropertyID)
			f.String("RatePlanId", &p.ID)
			f.String("Name", &p.Name)
			f.String("Description", &p.Description)
			f.Strings("RoomTypeIds", &p.RoomTypeIDs)
			entity.String(f, "CancellationPolicy", &p.CancellationPolicy)
			f.Bool("IsActive", &p.Active)
			f.Bool("IsAdvertised", &p.Advertised)
			f.Int("DisplayOrder", &p.DisplayOrder)
			currency := p.Currency()
			entity.String(f, "Currency", &currency)
			p.declareDerived(f, currency)
			p.declareParty(f, currency)
			f.Map("Meals", func(f *entity.Fields) { p.declareMeals(f, currency) })
			f.Map("Conditions", func(f *entity.Fields) { p.declareConditions(f) })
			f.Map("Discounts", func(f *entity.Fields) { p.declareDiscounts(f) })
			f.Map("Payment", p.Payment.declare)
			f.Time("CreatedAt", &p.CreatedAt)
			f.Time("UpdatedAt", &p.UpdatedAt)
			f.IfSet().Int(keys.AttrVersion, &p.Version)
		}),
	})
})

// declareDerived stores beside the map whether there is one: a derivation that changes nothing has no attributes.
func (p *RatePlan) declareDerived(f *entity.Fields, currency dynastay.Currency) {
	is, d := p.Derived != nil, Derivation{}
	if is {
		d = *p.Derived
	}
	f.IfSet().Bool("IsDerived", &is)
	f.Map("Derived", func(f *entity.Fields) {
		f.String("From", &d.From)
		entity.Custom(f, "Percent", &d.Percent, storedPercent, percentOf)
		f.Amount("Amount", currency, &d.Amount)
		f.Amount("Step", currency, &d.Step)
	})
	if f.Decoding() {
		if p.Derived = nil; is {
			p.Derived = &d
		}
	}
}

// storedPercent returns a percentage as a number such as 12.5.
func storedPercent(p dynastay.Percent) (types.AttributeValue, error) {
	if p == 0 {
		return nil, nil
	}
	return &types.AttributeValueMemberN{Value: p.String()}, nil
}

// percentOf reverses storedPercent.
func percentOf(v dynastay.Value) (dynastay.Percent, error) {
	digits, err := digitsOf(v)
	if err != nil || digits == "0" {
		return 0, err
	}
	return dynastay.ParsePercent(digits)
}

// digitsOf returns a stored number without an exponent and trailing zeros.
func digitsOf(v dynastay.Value) (string, error) {
	n, ok := v.Stored().(*types.AttributeValueMemberN)
	if !ok {
		return "", errors.New("must be a number")
	}
	m, err := dynastay.MoneyOfDigits(n.Value, "")
	return m.Digits(), err
}
