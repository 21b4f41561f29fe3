package availability_test

import (
	"maps"
	"strings"

	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

func drawRateChange(t *rapid.T, id string) availability.RateChange {
	c := availability.RateChange{Clear: chance(t, 4, "clear")}
	if chance(t, 2, "sets the price") && (id != derivedPlan || chance(t, 10, "price of a derived plan")) {
		c.Price = drawPrice(t)
	}
	if chance(t, 3, "sets the minimum stay") {
		c.MinStay = ptr(rapid.SampledFrom([]int{1, 2, 2, 3, 0}).Draw(t, "min"))
	}
	if chance(t, 3, "sets the maximum stay") {
		c.MaxStay = ptr(rapid.SampledFrom([]int{3, 3, 2, 0, 4, 1}).Draw(t, "max"))
	}
	for _, flag := range []**bool{&c.ClosedToArrival, &c.ClosedToDeparture, &c.StopSell} {
		if chance(t, 4, "sets a flag") {
			*flag = ptr(chance(t, 2, "flag"))
		}
	}
	if c == (availability.RateChange{}) {
		c.StopSell = ptr(true)
	}
	return c
}

// clear forgets what earlier changes set for the plans that a change clears on a date.
func (set values) clear(night, departures values) {
	for name := range set {
		if plan, clears := strings.CutSuffix(name, "clear"); clears {
			maps.DeleteFunc(night, func(name string, _ any) bool { return strings.HasPrefix(name, plan) })
			delete(departures, plan+"departure")
		}
	}
}

// change changes the rate of a plan, or returns why it cannot have the values.
func (r *planRate) change(id string, set values) error {
	if set[id+" clear"] == true {
		*r = planRate{}
	}
	_, min := set[id+" min"]
	_, max := set[id+" max"]
	for name, v := range set {
		name, its := strings.CutPrefix(name, id+" ")
		if !its || name == "clear" {
			continue
		}
		switch v := v.(type) {
		case dynastay.Money:
			r.priced, r.cents = true, centsOf(v)
		case int:
			*map[string]*int{"min": &r.min, "max": &r.max}[name] = v
		case bool:
			*map[string]*bool{"arrival": &r.toArrival, "departure": &r.toEnd, "stop": &r.stop}[name] = v
		}
	}
	if (min || max) && r.max != 0 && r.min > r.max {
		return &availability.LimitsError{RatePlanID: id, MinStay: r.min, MaxStay: r.max}
	}
	return nil
}

// values are what a change sets, by name.
type values map[string]any

type total struct{ rooms, overbook int }

type stopped struct {
	stop   bool
	reason string
}

func valuesOf(c availability.Change) values {
	all := values{}
	if c.Price.IsSet() {
		all["price"] = c.Price
	}
	if c.Rooms != nil {
		all["rooms"] = total{*c.Rooms, c.Overbook}
	}
	for name, n := range map[string]*int{"min": c.MinStay, "max": c.MaxStay, "limit": c.OverbookLimit} {
		if n != nil {
			all[name] = *n
		}
	}
	for name, flag := range map[string]*bool{"arrival": c.ClosedToArrival, "departure": c.ClosedToDeparture} {
		if flag != nil {
			all[name] = *flag
		}
	}
	if c.StopSell != nil {
		all["stop"] = stopped{*c.StopSell, c.StopSellReason}
	}
	for id, r := range c.Rates {
		of := func(name string) string { return id + " " + name }
		if r.Clear {
			all[of("clear")] = true
		}
		if r.Price.IsSet() {
			all[of("price")] = r.Price
		}
		for name, n := range map[string]*int{"min": r.MinStay, "max": r.MaxStay} {
			if n != nil {
				all[of(name)] = *n
			}
		}
		for name, flag := range map[string]*bool{"arrival": r.ClosedToArrival, "departure": r.ClosedToDeparture, "stop": r.StopSell} {
			if flag != nil {
				all[of(name)] = *flag
			}
		}
	}
	return all
}
