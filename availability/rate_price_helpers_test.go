package availability_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/tariff"
)

// rateCase is a stay and its price, as text.
type rateCase struct {
	name   string
	plan   availability.RatePlan
	from   *availability.RatePlan // the plan "bar"
	party  string                 // "2 + 9 ? beds 1" are two adults, a child of 9 and one of unknown age; "" is "2"
	ahead  string                 // days; "" is "10"
	nights string                 // their stored prices, in EUR unless they say it; "-" is none
	want   string                 // of each night, price = lodging + meals and the steps; or what is refused
}

// checkRates prices stays that begin on Wednesday, 2026-07-01. Every stay is also priced by a second implementation, and once
// more with the same minor units of each of six currencies.
func checkRates(t *testing.T, all []rateCase) {
	t.Helper()
	t.Parallel()
	names := map[string]bool{}
	for _, c := range all {
		assert.False(t, names[c.name], "%s: twice", c.name)
		names[c.name] = true
		plan := c.plan
		require.NoError(t, plan.Validate(), c.name)
		r := availability.RateRequest{Party: readParty(c.party), From: c.from}
		for _, text := range strings.Fields(c.nights) {
			r.Sources = append(r.Sources, readPrice(text))
		}
		ahead := 10
		if c.ahead != "" {
			ahead = must(strconv.Atoi(c.ahead))
		}
		checkIn := date("2026-07-01")
		r.Today, r.Stay = checkIn.AddDays(-ahead), dynastay.Stay{CheckIn: checkIn, CheckOut: checkIn.AddDays(len(r.Sources))}
		got, err := plan.Price(r)
		assert.Equal(t, c.want, ratesText(got, err), c.name)
		for i, n := range got {
			assert.Equal(t, checkIn.AddDays(i), n.Date, c.name)
			assert.Equal(t, r.Sources[i], n.Source, c.name)
		}
		for _, currency := range []dynastay.Currency{"USD", "EUR", "JPY", "KWD", "HUF", "CHF"} {
			plan, r := inCurrency(plan, r, currency)
			name := fmt.Sprintf("%s in %s", c.name, currency)
			require.NoError(t, plan.Validate(), name)
			want, refused := tariff.Price(&plan, r, &model.Tally{})
			got, err := plan.Price(r)
			assert.Equal(t, want, got, name)
			if len(refused) == 0 {
				assert.NoError(t, err, name)
				assert.Equal(t, currency, got[0].Price.Currency(), name)
				continue
			}
			assert.Equal(t, &availability.Refused{Nights: refused}, err, name)
		}
	}
}

// inCurrency returns a case with each amount as the same number of minor units of a currency. What is in that currency is
// in the one of the case, so that two currencies remain two.
func inCurrency(p availability.RatePlan, r availability.RateRequest, to dynastay.Currency) (availability.RatePlan, availability.RateRequest) {
	from := p.Currency()
	for _, m := range r.Sources {
		from = cmp.Or(from, m.Currency())
	}
	other := map[dynastay.Currency]dynastay.Currency{to: from, from: to}
	swap := func(m *dynastay.Money) {
		if m.IsSet() {
			*m = must(dynastay.MoneyOfMinor(must(m.Minor()), cmp.Or(other[m.Currency()], m.Currency())))
		}
	}
	copied := func(p availability.RatePlan) availability.RatePlan {
		if p.Derived != nil {
			derived := *p.Derived
			p.Derived = &derived
			swap(&derived.Amount)
			swap(&derived.Step)
		}
		if p.Party != nil {
			party := *p.Party
			p.Party, party.Bands = &party, slices.Clone(party.Bands)
			swap(&party.ExtraAdult.Amount)
			swap(&party.SingleUse.Amount)
			for i := range party.Bands {
				swap(&party.Bands[i].Bedless.Amount)
				swap(&party.Bands[i].WithBed.Amount)
			}
		}
		p.Meals.Bands = slices.Clone(p.Meals.Bands)
		swap(&p.Meals.Adult)
		for i := range p.Meals.Bands {
			swap(&p.Meals.Bands[i].Amount)
		}
		return p
	}
	if r.From != nil {
		plan := copied(*r.From)
		r.From = &plan
	}
	r.Sources = slices.Clone(r.Sources)
	for i := range r.Sources {
		swap(&r.Sources[i])
	}
	return copied(p), r
}

// under returns a plan that consists of parts.
func under(parts ...any) availability.RatePlan {
	p := availability.RatePlan{PropertyID: propertyID, ID: "plan", Name: "A plan", Active: true}
	for _, part := range parts {
		switch part := part.(type) {
		case availability.Derivation:
			p.Derived = &part
		case availability.PartyPrices:
			p.Party = &part
		case availability.Meals:
			p.Meals = part
		case availability.RateConditions:
			p.Conditions = part
		case availability.Discounts:
			p.Discounts = part
		default:
			panic(fmt.Sprintf("%T is no part of a plan", part))
		}
	}
	return p
}

// bar returns the plan from which others are derived.
func bar(parts ...any) *availability.RatePlan {
	p := under(parts...)
	p.ID = "bar"
	return &p
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// readPrice reads "160" or "160USD".
func readPrice(text string) dynastay.Money {
	if text == "-" {
		return dynastay.Money{}
	}
	amount := strings.TrimRight(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	currency := dynastay.Currency(text[len(amount):])
	if currency == "" {
		currency = "EUR"
	}
	return must(dynastay.NewMoney(amount, currency))
}

func readParty(text string) (p availability.Party) {
	if text == "" {
		text = "2"
	}
	text, beds, _ := strings.Cut(text, " beds ")
	if beds != "" {
		p.ExtraBeds = must(strconv.Atoi(beds))
	}
	adults, children, _ := strings.Cut(text, " + ")
	p.Adults = must(strconv.Atoi(adults))
	for _, age := range strings.Fields(children) {
		if p.Children++; age != "?" {
			p.ChildAges = append(p.ChildAges, must(strconv.Atoi(age)))
		}
	}
	return p
}

// ratesText shows nights as the cases do. All must add up.
func ratesText(nights []availability.RateNight, err error) string {
	var refused *availability.Refused
	if errors.As(err, &refused) {
		var texts []string
		for _, n := range refused.Nights {
			text := n.String()
			if n.Nights != 0 {
				text += fmt.Sprintf(" %d", n.Nights)
			}
			if n.Reason == availability.OtherCurrency {
				text += " " + n.Price.String()
			}
			if n.RatePlanID != "plan" || n.RoomTypeID != "" || n.Left != 0 {
				text += fmt.Sprintf(" %+v", n)
			}
			texts = append(texts, text)
		}
		return strings.Join(texts, " | ")
	}
	if err != nil {
		return err.Error()
	}
	var texts []string
	for _, n := range nights {
		text := n.Price.Amount()
		if n.Meals.IsSet() {
			text += " = " + n.Lodging.Amount() + " + " + n.Meals.Amount()
		} else if n.Lodging != n.Price {
			text += " with lodging of " + n.Lodging.Amount()
		}
		sum := n.Source
		for i, step := range n.Steps {
			text += []string{":", ","}[min(i, 1)] + " " + string(step.Kind) + " " + step.Amount.Amount()
			sum = must(sum.Add(step.Amount))
		}
		if sum != n.Price {
			text += ", which do not add up"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " | ")
}

func eur(amount string) dynastay.Money { return dynastay.MustMoney(amount, "EUR") }

// extra is a supplement of an amount.
func extra(amount string) availability.Supplement {
	return availability.Supplement{Amount: eur(amount)}
}

// part is a supplement of a percentage.
func part(p dynastay.Percent) availability.Supplement { return availability.Supplement{Percent: p} }
