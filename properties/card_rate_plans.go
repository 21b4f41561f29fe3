package properties

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/planrule"
	"github.com/dynastay/dynastay/internal/stored"
)

// What a property advertises is on its card, which every search reads.
const (
	maxAdvertised     = 5
	maxAdvertisedSize = 1000 // bytes of Card.Rates as stored
)

// declareCardRatePlans stores the plans in a map by id. Their terms have the short form that bookings keep. A plan whose terms
// cannot be read, because other software or a newer version of the library wrote them, is left out: the card is only a copy,
// and nobody could otherwise read or change the property.
func declareCardRatePlans(f *entity.Fields, plans *[]availability.RatePlan) {
	byID := map[string]availability.RatePlan{}
	for _, plan := range *plans {
		byID[plan.ID] = plan
	}
	entity.Keyed(f, "Rates", &byID, func(f *entity.Fields, id string, plan *availability.RatePlan) {
		f.Map(id, func(f *entity.Fields) {
			entity.Custom(f, "T", plan, storedTerms, termsOf)
			plan.ID = id
			f.String("N", &plan.Name)
			f.IfSet().Int("O", &plan.DisplayOrder)
			f.Strings("R", &plan.RoomTypeIDs)
		})
	})
	if f.Decoding() {
		*plans = nil
		for _, plan := range byID {
			if plan.Active {
				*plans = append(*plans, plan)
			}
		}
		slices.SortFunc(*plans, inDisplayOrder)
	}
}

func storedTerms(plan availability.RatePlan) (types.AttributeValue, error) {
	text, err := planrule.Text(&plan)
	return dynastay.Text(text), err
}

// termsOf returns a plan that is not active for terms that cannot be read.
func termsOf(v dynastay.Value) (availability.RatePlan, error) {
	plan, err := planrule.Parse(v.Text())
	if err != nil {
		return availability.RatePlan{}, nil
	}
	plan.Active, plan.Advertised = true, true
	return *plan, nil
}

// cardRatePlan returns a plan as the card has it, with the prices for a party of the plan that it is derived from: that
// one may not be on the card.
func cardRatePlan(plan, from *availability.RatePlan) availability.RatePlan {
	party := plan.Party
	if party == nil && from != nil {
		party = from.Party
	}
	return availability.RatePlan{
		ID: plan.ID, Name: plan.Name, RoomTypeIDs: plan.RoomTypeIDs, CancellationPolicy: plan.CancellationPolicy, Payment: plan.Payment,
		Derived: plan.Derived, Party: party, Meals: plan.Meals, Conditions: plan.Conditions, Discounts: plan.Discounts,
		Active: true, Advertised: true, DisplayOrder: plan.DisplayOrder,
	}
}

// ratePlansOf returns the plans of a property's card, which stores its id with the key only.
func ratePlansOf(propertyID string, plans []availability.RatePlan) []availability.RatePlan {
	plans = slices.Clone(plans)
	for i := range plans {
		plans[i].PropertyID = propertyID
	}
	return plans
}

// quotable returns the plans of the card and those that they are derived from, of which a quote needs nothing that the
// derived plans do not have.
func (c *Card) quotable() []availability.RatePlan {
	all := slices.Clone(c.RatePlans)
	for _, plan := range c.RatePlans {
		if d := plan.Derived; d != nil && d.From != "" && !slices.ContainsFunc(all, isPlan(d.From)) {
			all = append(all, availability.RatePlan{PropertyID: c.PropertyID, ID: d.From, Name: d.From})
		}
	}
	return all
}

// priced returns the number of plans with prices of their own which the nights have, as far as the card tells.
func (c *Card) priced() int {
	n := 0
	for _, plan := range c.quotable() {
		if plan.Derived == nil {
			n++
		}
	}
	return min(n, maxRatePlans)
}

func isPlan(id string) func(availability.RatePlan) bool {
	return func(p availability.RatePlan) bool { return p.ID == id }
}

// advertised returns the plans that the property advertises, in their order. Those that other software has stored in a way
// in which nobody could book them are not among them, and do not stop the others.
func (s *ratePlans) advertised() (all []availability.RatePlan) {
	for _, plan := range s.plans {
		if !plan.Active || !plan.Advertised || plan.Validate() != nil {
			continue
		}
		var from *availability.RatePlan
		if plan.Derived != nil {
			from = s.find(plan.Derived.From)
		}
		one := cardRatePlan(plan, from)
		if _, err := planrule.Text(&one); err == nil {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, inDisplayOrder)
	return all
}

// advertise keeps the card equal to the plans, of which there may be more than it has room for: other software may have
// advertised them. The limits bind who advertises more.
func (s *ratePlans) advertise() error {
	all := s.advertised()
	if len(all) > maxAdvertised && len(all) > len(s.before) {
		return dynastay.Invalid("Advertised", "must be false, because the property has %d advertised plans", maxAdvertised)
	}
	was, err := advertisedSize(s.before)
	if err != nil {
		return err
	}
	size, err := advertisedSize(all)
	if err != nil {
		return err
	}
	if size > maxAdvertisedSize && size > was {
		return dynastay.Invalid("", "must leave the plans that are advertised at most 1,000 bytes on the property's card, for their names, "+
			"terms and room types: they would have %d", size)
	}
	return s.property.Keep(func(p *Property) error { p.advertised, err = fitting(all); return err })
}

// fitting returns the first plans for which a card has room.
func fitting(all []availability.RatePlan) (some []availability.RatePlan, err error) {
	for _, plan := range all {
		size, err := advertisedSize(append(slices.Clone(some), plan))
		if err != nil {
			return nil, err
		}
		if len(some) < maxAdvertised && size <= maxAdvertisedSize {
			some = append(some, plan)
		}
	}
	return some, nil
}

// advertisedSize counts the order of each plan in full, so that a new order never makes them too large.
func advertisedSize(plans []availability.RatePlan) (int, error) {
	plans = slices.Clone(plans)
	for i := range plans {
		plans[i].DisplayOrder = availability.MaxOrder
	}
	item, err := cardRatePlansCodec.Encode(&plans)
	return stored.Size(item), err
}

// cardRatePlansCodec is for the size of the plans.
var cardRatePlansCodec = entity.Declare(declareCardRatePlans)
