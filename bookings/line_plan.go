package bookings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/planrule"
)

// See docs/decisions/0026-lines-under-rate-plans.md for why a line keeps its terms, and what a change makes of them.

// declarePlan stores the plan of a line as it was when it was sold: its id, its name and its meals for whoever reads the
// item, and its terms as one text.
func declarePlan(f *entity.Fields, plan **availability.RatePlan) {
	sold, rule := availability.RatePlan{}, ""
	if *plan != nil {
		var err error
		sold = **plan
		rule, err = planrule.Text(*plan)
		f.Fail("PlanRule", err)
	}
	f.String("RatePlanId", &sold.ID)
	f.String("RatePlanName", &sold.Name)
	entity.String(f, "MealPlan", &sold.Meals.Plan)
	f.String("PlanRule", &rule)
	if !f.Decoding() {
		return
	}
	if *plan = nil; sold.ID == "" {
		return
	}
	terms := &availability.RatePlan{Meals: sold.Meals}
	if rule != "" { // other software may have stored none
		var err error
		if terms, err = planrule.Parse(rule); err != nil {
			f.Fail("PlanRule", err)
			return
		}
	}
	terms.ID, terms.Name = sold.ID, sold.Name
	*plan = terms
}

// declareParty stores the guests of each room. After an erasure, there are no ages.
func declareParty(f *entity.Fields, party **availability.Party) {
	guests := availability.Party{}
	if *party != nil {
		guests = **party
	}
	f.IfSet().Int("Adults", &guests.Adults)
	f.IfSet().Int("Children", &guests.Children)
	entity.Custom(f, "ChildAges", &guests.ChildAges, func(ages []int) (types.AttributeValue, error) {
		if len(ages) == 0 {
			return nil, nil
		}
		list := &types.AttributeValueMemberL{}
		for _, age := range ages {
			list.Value = append(list.Value, dynastay.Number(age))
		}
		return list, nil
	}, agesOf)
	f.IfSet().Int("ExtraBeds", &guests.ExtraBeds)
	if !f.Decoding() {
		return
	}
	if *party = nil; guests.Adults > 0 {
		*party = &guests
	}
}

func agesOf(v dynastay.Value) (ages []int, err error) {
	if v.Kind() != dynastay.KindList {
		return nil, fmt.Errorf("must be a list, got %s", v.Kind())
	}
	for _, age := range v.List() {
		n, ok := age.Stored().(*types.AttributeValueMemberN)
		if !ok {
			return nil, fmt.Errorf("must contain only numbers, got %s", age.Kind())
		}
		years, err := strconv.Atoi(n.Value)
		if err != nil {
			return nil, errors.New("must contain only whole numbers")
		}
		ages = append(ages, years)
	}
	return ages, nil
}

// declareNights stores what the guest pays as a map from dates to prices, and the stored prices that they were computed
// from where they differ. The price of the meals is the same in each night.
func declareNights(f *entity.Fields, currency dynastay.Currency, l *Line) {
	prices, sources, meals := map[string]dynastay.Money{}, map[string]dynastay.Money{}, dynastay.Money{}
	for _, night := range l.Nights {
		date := night.Date.String()
		if prices[date] = night.Price; night.Source.IsSet() && night.Source != night.Price {
			sources[date] = night.Source
		}
		meals = night.Meals
	}
	entity.Keyed(f, "NightlyPrices", &prices, func(f *entity.Fields, date string, price *dynastay.Money) {
		f.Amount(date, currency, price)
	})
	entity.Keyed(f, "SourcePrices", &sources, func(f *entity.Fields, date string, price *dynastay.Money) {
		f.Amount(date, currency, price)
	})
	f.Amount("MealPrice", currency, &meals)
	if !f.Decoding() {
		return
	}
	l.Nights = nil
	for _, text := range slices.Sorted(maps.Keys(prices)) {
		date, err := dynastay.ParseDate(text)
		f.Fail("NightlyPrices", err)
		night := availability.NightPrice{Date: date, Price: prices[text]}
		if l.Plan != nil {
			if night.Source, night.Meals = sources[text], meals; night.Source == (dynastay.Money{}) {
				night.Source = night.Price
			}
		}
		l.Nights = append(l.Nights, night)
	}
}
