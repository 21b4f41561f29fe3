package availability

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dynastay/dynastay"
)

// rateSale is what a sale asserts of a night for one rate plan.
type rateSale struct {
	planID string
	price  dynastay.Money // the quoted price of the plan for the night, which may be the source of other plans; or unset
	sold   bool           // rooms are taken under the plan, so its restrictions count
}

// quoted adds what the lines assert of the night: the source of their prices, and the restrictions of their plans.
func (at *nightSale) quoted(q *Quote) {
	rate := func(planID string) *rateSale {
		i, there := slices.BinarySearchFunc(at.rates, planID, func(r rateSale, id string) int { return strings.Compare(r.planID, id) })
		if !there {
			at.rates = slices.Insert(at.rates, i, rateSale{planID: planID})
		}
		return &at.rates[i]
	}
	for _, i := range at.lines {
		line := &q.Lines[i]
		price := line.Nights[q.Stay.CheckIn.DaysUntil(at.date)].stored()
		if source := line.source(); source == "" {
			at.price = price
		} else {
			rate(source).price = price
		}
		if line.Plan != nil {
			rate(line.Plan.ID).sold = true
		}
	}
}

// taking is the form of a condition under which rooms are taken.
type taking struct {
	rules  rules
	over   bool                      // overbooks
	priced bool                      // asserts the price of the night
	rates  [maxPlans + maxPlans]byte // what it asserts of each rate: bits, ratePriced and rateSold; 0 for none
}

const (
	ratePriced = 1 << iota
	rateSold
)

// takings are the conditions with rate plans that sales have had so far, by their forms. There are few: what a night asserts
// depends on the plans that are sold together. Building one costs as much as all other work of a sale.
var takings sync.Map

// take returns the condition of a night that rooms are taken from.
// See docs/decisions/0025-rates-of-nights.md for what a sale under a rate plan asserts.
func (at nightSale) take(over bool) *dynastay.Compiled {
	if len(at.rates) == 0 {
		if over {
			return overbookOf[at.rules]
		}
		return takeOf[at.rules]
	}
	form := taking{rules: at.rules, over: over, priced: at.price.IsSet()}
	for i, rate := range at.rates {
		if rate.price.IsSet() {
			form.rates[i] |= ratePriced
		}
		if rate.sold {
			form.rates[i] |= rateSold
		}
	}
	if known, there := takings.Load(form); there {
		return known.(*dynastay.Compiled)
	}
	compiled, _ := takings.LoadOrStore(form, prepareTake(form))
	return compiled.(*dynastay.Compiled)
}

// rateParam is the parameter for the id of a rate plan.
func rateParam(i int) string { return "plan" + strconv.Itoa(i) }
