package offer

import (
	"fmt"
	"reflect"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/planrule"
)

// validateTerms checks that a token can represent what [availability.Quote.Validate] does not check.
func validateTerms(l availability.Line, currency dynastay.Currency) error {
	if l.Plan != nil {
		if err := validatePlan(*l.Plan); err != nil {
			return dynastay.Within("Plan", err)
		}
	}
	for i, night := range l.Nights {
		at := fmt.Sprintf("Nights[%d]", i)
		switch {
		case !night.Meals.IsSet() && night.Meals != dynastay.Money{}:
			return dynastay.Invalid(at+".Meals", "must have a currency")
		case l.Plan == nil && len(night.Steps) > 0:
			return dynastay.Invalid(at+".Steps", "must be empty without a rate plan")
		}
		for j, s := range night.Steps {
			at := fmt.Sprintf("%s.Steps[%d]", at, j)
			switch err := entity.CheckText(string(s.Kind), entity.MaxName); {
			case err != nil:
				return dynastay.Within(at+".Kind", err)
			case s.Amount.Sign() == 0:
				return dynastay.Invalid(at+".Amount", "must not be 0")
			case s.Amount.Currency() != currency:
				return dynastay.Invalid(at+".Amount", "must be in %s, the currency of the quote", currency)
			}
		}
	}
	return nil
}

// validatePlan checks that nothing of a plan is lost.
func validatePlan(p availability.RatePlan) error {
	if _, err := planrule.Text(&p); err != nil {
		return err
	}
	p.PropertyID, p.ID, p.Name, p.CancellationPolicy = "", "", "", ""
	p.Derived, p.Party, p.Meals = nil, nil, availability.Meals{}
	p.Conditions, p.Discounts, p.Payment = availability.RateConditions{}, availability.Discounts{}, availability.PaymentTerms{}
	for _, field := range reflect.VisibleFields(reflect.TypeOf(p)) {
		if !reflect.ValueOf(p).FieldByIndex(field.Index).IsZero() {
			return dynastay.Invalid(field.Name, "must be unset, because a line has only the terms of the plan")
		}
	}
	return nil
}
