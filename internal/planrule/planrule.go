// Package planrule writes the terms of a rate plan as short JSON text. A line of a booking keeps it in an attribute, and a
// sealed offer contains it.
package planrule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// rule is the form of the text. Bookings keep it for years: a name must never get another meaning. What is zero is left
// out. An amount is a number in Currency, which all amounts share; it is left out if it is unset, and 0 if it is 0. A
// percentage is in hundredths.
type rule struct {
	Currency   dynastay.Currency               `json:"c,omitempty"`
	Policy     availability.CancellationPolicy `json:"p,omitempty"`
	Derived    *derivation                     `json:"d,omitempty"`
	Party      *party                          `json:"g,omitempty"` // the guests
	Meals      meals                           `json:"m,omitzero"`
	Conditions conditions                      `json:"o,omitzero"` // only for some stays
	Discounts  discounts                       `json:"r,omitzero"` // reductions
	Payment    payment                         `json:"b,omitzero"` // at booking and before arrival
}

type derivation struct {
	From    string      `json:"f,omitempty"`
	Percent int         `json:"p,omitempty"`
	Amount  json.Number `json:"a,omitempty"`
	Step    json.Number `json:"s,omitempty"`
}

type party struct {
	Included   int        `json:"i,omitempty"`
	ExtraAdult supplement `json:"x,omitzero"`
	SingleUse  supplement `json:"u,omitzero"`
	Bands      []ageBand  `json:"b,omitempty"`
}

type ageBand struct {
	Through int        `json:"t,omitempty"`
	Bedless supplement `json:"n,omitzero"` // no bed
	WithBed supplement `json:"w,omitzero"`
}

type supplement struct {
	Percent int         `json:"p,omitempty"`
	Amount  json.Number `json:"a,omitempty"`
}

type meals struct {
	Plan  availability.MealPlan `json:"p,omitempty"`
	Added bool                  `json:"x,omitempty"` // extra
	Adult json.Number           `json:"a,omitempty"`
	Bands []mealBand            `json:"b,omitempty"`
}

type mealBand struct {
	Through int         `json:"t,omitempty"`
	Amount  json.Number `json:"a,omitempty"`
}

type conditions struct {
	MinStay      int                   `json:"n,omitempty"`
	MaxStay      int                   `json:"x,omitempty"`
	MinDaysAhead int                   `json:"f,omitempty"` // from
	MaxDaysAhead *int                  `json:"t,omitempty"` // to
	Arrivals     availability.Weekdays `json:"w,omitempty"`
	Dates        []dynastay.Date       `json:"d,omitempty"` // of each range the two dates, one after the other
}

type discounts struct {
	Early     []discount `json:"e,omitempty"`
	Late      []discount `json:"l,omitempty"`
	Length    []discount `json:"n,omitempty"` // nights
	FreeNight int        `json:"f,omitempty"`
}

type payment struct {
	Percent  int `json:"p,omitempty"`
	Nights   int `json:"n,omitempty"`
	RestDays int `json:"d,omitempty"`
}

type discount struct {
	From    int `json:"n,omitempty"` // days or nights
	Percent int `json:"p,omitempty"`
}

// Text returns the terms of a valid plan as a line of a quote keeps them, "{}" if it has none. PropertyID, ID and Name are
// not part of the text, because the line has them elsewhere; nor is what only lists need. A list without entries is nil
// when it is parsed. The error is a [*dynastay.InvalidError] that names the amount that is not in the currency of the
// others, or has none.
func Text(p *availability.RatePlan) (string, error) {
	w := writer{currency: p.Currency()}
	if w.currency != "" && !w.currency.Known() {
		return "", dynastay.Within("Currency", w.currency.Validate())
	}
	r := rule{
		Currency: w.currency, Policy: p.CancellationPolicy, Derived: w.derivation(p.Derived), Party: w.party(p.Party),
		Meals: w.meals(p.Meals), Conditions: conditionsOf(p.Conditions), Discounts: discountsOf(p.Discounts),
		Payment: payment{int(p.Payment.Percent), p.Payment.Nights, p.Payment.RestDays},
	}
	if w.err != nil {
		return "", w.err
	}
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false) // it is never part of a page
	if err := to.Encode(r); err != nil {
		return "", err
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}

// Parse reverses [Text]. It refuses what is not part of the form. The plan has no PropertyID, ID and Name, and is not
// validated.
func Parse(text string) (*availability.RatePlan, error) {
	var r rule
	if !strings.HasPrefix(text, "{") {
		return nil, errors.New("the terms of a rate plan must be a JSON object")
	}
	from := json.NewDecoder(strings.NewReader(text))
	from.DisallowUnknownFields()
	if err := from.Decode(&r); err != nil {
		return nil, fmt.Errorf("the terms of a rate plan: %w", err)
	}
	if from.InputOffset() != int64(len(text)) {
		return nil, errors.New("the terms of a rate plan must be one JSON object, with nothing after it")
	}
	if r.Currency != "" && !r.Currency.Known() {
		return nil, dynastay.Within("Currency", r.Currency.Validate())
	}
	rd := reader{currency: r.Currency}
	p := &availability.RatePlan{
		CancellationPolicy: r.Policy, Derived: rd.derivation(r.Derived), Party: rd.party(r.Party), Meals: rd.meals(r.Meals),
		Conditions: rd.conditions(r.Conditions), Discounts: r.Discounts.discounts(),
		Payment: availability.PaymentTerms{
			Percent: dynastay.Percent(r.Payment.Percent), Nights: r.Payment.Nights, RestDays: r.Payment.RestDays,
		},
	}
	if rd.err != nil {
		return nil, rd.err
	}
	if p.Currency() != r.Currency {
		return nil, dynastay.Invalid("Currency", "must not be set without an amount")
	}
	return p, nil
}

// each returns nil for no elements.
func each[A, B any](all []A, of func(i int, a A) B) (result []B) {
	for i, a := range all {
		result = append(result, of(i, a))
	}
	return result
}
