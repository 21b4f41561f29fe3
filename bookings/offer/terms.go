package offer

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/planrule"
)

// terms are what a line has in version 2 of the form only. Lists of amounts have one for each night, from check-in, or only
// one if it is the same for all.
type terms struct {
	Number  int           `json:"k,omitempty"`
	Plan    int           `json:"r,omitempty"` // 1 for the first of the quote's plans, 0 for none
	Party   *party        `json:"g,omitempty"`
	Sources []json.Number `json:"e,omitempty"` // left out if the steps lead from them to the prices
	Meals   json.Number   `json:"m,omitempty"` // of each night, which is the same; left out if it is unset
	Steps   []step        `json:"t,omitempty"`
}

// plan is a rate plan without what it has in common with the quote. Lines share it, because a rule is long.
type plan struct {
	ID   string          `json:"i"`
	Name string          `json:"n"`
	Rule json.RawMessage `json:"r"` // of package planrule
}

type party struct {
	Adults    int   `json:"a"`
	Children  int   `json:"c,omitempty"`
	ChildAges []int `json:"g,omitempty"`
	ExtraBeds int   `json:"b,omitempty"`
}

// step is a step of several nights. The steps of a night have the order of the list.
type step struct {
	Kind    string        `json:"k"`
	Amounts []json.Number `json:"a"` // 0 for a night without this step
}

// termsOf returns the terms of a line, and adds its plan to those of the quote.
func (q *quote) termsOf(l availability.Line) (terms, error) {
	t := terms{Number: l.Number, Steps: stepsOf(l.Nights)}
	if p := l.Party; p != nil {
		t.Party = &party{p.Adults, p.Children, p.ChildAges, p.ExtraBeds}
	}
	if len(l.Nights) > 0 {
		t.Meals = digits(l.Nights[0].Meals)
	}
	if l.Plan == nil {
		return t, nil
	}
	if slices.ContainsFunc(l.Nights, func(n availability.NightPrice) bool { return n.Source != beforeSteps(n) }) {
		for _, night := range l.Nights {
			t.Sources = append(t.Sources, digits(night.Source))
		}
		t.Sources = shorten(t.Sources)
	}
	rule, err := planrule.Text(l.Plan)
	if err != nil {
		return t, err
	}
	sealed := plan{l.Plan.ID, l.Plan.Name, json.RawMessage(rule)}
	same := func(p plan) bool { return reflect.DeepEqual(p, sealed) }
	if !slices.ContainsFunc(q.Plans, same) {
		q.Plans = append(q.Plans, sealed)
	}
	t.Plan = slices.IndexFunc(q.Plans, same) + 1
	return t, nil
}

// beforeSteps returns the price without its steps; unset if it has too many digits.
func beforeSteps(n availability.NightPrice) dynastay.Money {
	price := n.Price
	for _, s := range n.Steps {
		var err error
		if price, err = price.Sub(s.Amount); err != nil {
			return dynastay.Money{}
		}
	}
	return price
}

// stepsOf finds a place for each step of a night after the one before, and adds one if there is none.
func stepsOf(nights []availability.NightPrice) (all []step) {
	for i, night := range nights {
		at := 0
		for _, s := range night.Steps {
			for at < len(all) && all[at].Kind != string(s.Kind) {
				at++
			}
			if at == len(all) {
				all = append(all, step{string(s.Kind), slices.Repeat([]json.Number{"0"}, len(nights))})
			}
			all[at].Amounts[i] = digits(s.Amount)
			at++
		}
	}
	for i := range all {
		all[i].Amounts = shorten(all[i].Amounts)
	}
	return all
}

// shorten returns one amount if all are the same.
func shorten(all []json.Number) []json.Number {
	if slices.ContainsFunc(all, func(amount json.Number) bool { return amount != all[0] }) {
		return all
	}
	return all[:1]
}

// lengthen reverses shorten.
func lengthen(all []json.Number, nights int) ([]json.Number, error) {
	switch len(all) {
	case nights:
		return all, nil
	case 1:
		return slices.Repeat(all, nights), nil
	}
	return nil, errNights
}

var (
	errNights = errors.New("not one amount for each night")
	errPlans  = errors.New("not the plans of the lines, in their order")
)

// open sets the terms of a line, which has its prices.
func (q quote) open(t terms, l *availability.Line, amounts *reader) error {
	l.Number = t.Number
	if p := t.Party; p != nil {
		l.Party = &availability.Party{
			Guests: availability.Guests{Adults: p.Adults, Children: p.Children}, ChildAges: append([]int(nil), p.ChildAges...),
			ExtraBeds: p.ExtraBeds,
		}
	}
	meals := amounts.read(t.Meals)
	for i := range l.Nights {
		l.Nights[i].Meals = meals
	}
	for _, s := range t.Steps {
		each, err := lengthen(s.Amounts, len(l.Nights))
		if err != nil {
			return err
		}
		for i, amount := range each {
			if m := amounts.read(amount); m.Sign() != 0 {
				l.Nights[i].Steps = append(l.Nights[i].Steps, availability.Step{Kind: availability.StepKind(s.Kind), Amount: m})
			}
		}
	}
	if t.Plan != 0 {
		return q.openPlan(t, l, amounts)
	}
	if t.Sources != nil {
		return errPlans
	}
	return nil
}

// openPlan sets the plan of a line, and the sources, which no line without a plan has.
func (q quote) openPlan(t terms, l *availability.Line, amounts *reader) error {
	if t.Plan < 0 || t.Plan > len(q.Plans) {
		return errPlans
	}
	if t.Sources == nil {
		for i, night := range l.Nights {
			l.Nights[i].Source = beforeSteps(night)
		}
	} else {
		sources, err := lengthen(t.Sources, len(l.Nights))
		if err != nil {
			return err
		}
		for i, source := range sources {
			l.Nights[i].Source = amounts.read(source)
		}
	}
	sealed := q.Plans[t.Plan-1]
	var err error
	if l.Plan, err = planrule.Parse(string(sealed.Rule)); err != nil {
		return err
	}
	l.Plan.PropertyID, l.Plan.ID, l.Plan.Name = q.Property.ID, sealed.ID, sealed.Name
	return nil
}

// checkPlans returns an error if the plans are not in the order in which the lines name them first, or one is not named.
func (q quote) checkPlans() error {
	named := 0
	for _, l := range q.Lines {
		if l.Plan == named+1 {
			named++
		}
		if l.Plan > named {
			return errPlans
		}
	}
	if named != len(q.Plans) {
		return errPlans
	}
	return nil
}
