package availability

import (
	"cmp"
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
	sold   bool           // the night is sold under the plan, so its restrictions count
	kept   bool           // a line keeps the night under the plan, so the restrictions count that hold anew
}

// quoted adds what the lines assert of the night: for those that it is sold to, the source of their prices and the
// restrictions of their plans; for those that keep it, the restrictions that hold anew.
func (at *nightSale) quoted(q *Quote, booked Booked, goesOn []int) {
	rate := func(planID string) *rateSale {
		i, there := slices.BinarySearchFunc(at.rates, planID, func(r rateSale, id string) int { return strings.Compare(r.planID, id) })
		if !there {
			at.rates = slices.Insert(at.rates, i, rateSale{planID: planID})
		}
		return &at.rates[i]
	}
	for _, i := range at.lines {
		line := &q.Lines[i]
		if line.Agreed { // no restriction holds for it
			at.agreed = at.agreed || booked.kept(goesOn[i], line, at.date).Date.IsZero()
			continue
		}
		at.kept = booked.rules(q.Stay, at.date)
		at.rules |= at.kept
		if !booked.kept(goesOn[i], line, at.date).Date.IsZero() {
			if line.Plan != nil && at.kept != 0 {
				rate(line.Plan.ID).kept = true
			}
			continue
		}
		at.sells, at.rules = true, allRulesOf(q.Stay, at.date)
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

// taking is the form of a condition under which rooms of a night are taken or returned, or its terms change.
type taking struct {
	rules  rules
	kept   rules // for the rates of lines that keep the night
	rooms  int   // 1 to take, −1 to return, 0 if as many are sold as are returned
	sells  bool  // sells the night to a line
	agreed bool  // sells it at agreed prices only
	over   overbooking
	priced bool                      // asserts the price of the night
	rates  [maxPlans + maxPlans]byte // what it asserts of each rate, as bits; 0 for none
}

const (
	ratePriced = 1 << iota
	rateSold
	rateKept
)

// takings are the conditions with rate plans that sales have had so far, by their forms. There are few: what a night asserts
// depends on the plans that are sold together. Building one costs as much as all other work of a sale.
var takings sync.Map

// take returns the condition of a night that rooms are taken from.
// See docs/decisions/0025-rates-of-nights.md for what a sale under a rate plan asserts.
func (at nightSale) take(over overbooking) *dynastay.Compiled {
	if len(at.rates) == 0 {
		switch {
		case at.agreed && !at.sells:
		case over == asQuoted:
			return overbookOf[at.rules]
		case over == asLimited:
			return exceedOf[at.rules]
		case at.rooms > 0:
			return takeOf[at.rules]
		case at.sells: // to a line without a plan, instead of one with a plan
		case at.rooms < 0:
			return returnOf[at.rules]
		default:
			return checkOf[at.rules]
		}
	}
	form := taking{
		rules: at.rules, kept: at.kept, rooms: cmp.Compare(at.rooms, 0), sells: at.sells,
		agreed: at.agreed && !at.sells, over: over, priced: at.price.IsSet(),
	}
	for i, rate := range at.rates {
		switch {
		case rate.sold:
			form.rates[i] |= rateSold
		case rate.kept:
			form.rates[i] |= rateKept
		}
		if rate.price.IsSet() {
			form.rates[i] |= ratePriced
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
