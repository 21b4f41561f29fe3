package availability

import (
	"cmp"
	"maps"
	"slices"

	"github.com/dynastay/dynastay"
)

// RateChange sets what nights have for one rate plan. A nil field leaves the stored value unchanged. A later change of a
// request overrides only what it sets.
type RateChange struct {
	// Clear first removes everything that the night has for the plan, and with it a closed departure on the next date.
	Clear bool `json:",omitzero"`
	// Price is for one room and one night, in whole minor units of the room type's currency, and only for a plan with
	// prices of its own. The zero Money leaves the stored price unchanged; use StopSell or Clear to take a plan off sale.
	Price dynastay.Money `json:",omitzero"`

	MinStay           *int  `json:",omitzero"` // minimum nights for arrivals on the date; 0 removes the minimum
	MaxStay           *int  `json:",omitzero"` // maximum nights for arrivals on the date; 0 removes the maximum
	ClosedToArrival   *bool `json:",omitzero"` // no stay under the plan may begin on the date
	ClosedToDeparture *bool `json:",omitzero"` // none may end on the date; stored with the night before, which must be open
	StopSell          *bool `json:",omitzero"` // takes the plan off sale for the night, or puts it back on sale
}

// changesNight reports whether the change sets a value of the night itself, and not only of the departures on its date.
func (c RateChange) changesNight() bool {
	return c.Clear || c.Price.IsSet() || c.MinStay != nil || c.MaxStay != nil || c.ClosedToArrival != nil || c.StopSell != nil
}

// clears reports whether the change does nothing but remove.
func (c RateChange) clears() bool { return c == RateChange{Clear: true} }

// validateRates checks the changes of rate plans.
func (c Change) validateRates() error {
	if err := checkRatePlanIDs(c.Rates); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(c.Rates)) {
		if err := c.Rates[id].validate(); err != nil {
			return dynastay.Within(ratesAt(id), err)
		}
	}
	return nil
}

func (c RateChange) validate() error {
	if !c.changesNight() && c.ClosedToDeparture == nil {
		return dynastay.Invalid("", "must set at least one value")
	}
	if c.Price.IsSet() {
		if err := checkRatePrice(c.Price); err != nil {
			return err
		}
	}
	return checkStays(c.MinStay, c.MaxStay)
}

// override sets the values that with sets.
func (c *RateChange) override(with RateChange) {
	if with.Clear {
		*c = RateChange{Clear: true}
	}
	c.Price = cmp.Or(with.Price, c.Price)
	c.MinStay = cmp.Or(with.MinStay, c.MinStay)
	c.MaxStay = cmp.Or(with.MaxStay, c.MaxStay)
	c.ClosedToArrival = cmp.Or(with.ClosedToArrival, c.ClosedToArrival)
	c.ClosedToDeparture = cmp.Or(with.ClosedToDeparture, c.ClosedToDeparture)
	c.StopSell = cmp.Or(with.StopSell, c.StopSell)
}

// overrideRates is override for each plan. The map is not shared between nights.
func (c *Change) overrideRates(with map[string]RateChange) {
	for id, change := range with {
		if c.Rates == nil {
			c.Rates = map[string]RateChange{}
		}
		rate := c.Rates[id]
		rate.override(change)
		c.Rates[id] = rate
	}
}

// parted returns the changes of the nights themselves, and those of the departures on their dates.
func parted(rates map[string]RateChange) (nights, departures map[string]RateChange) {
	nights, departures = map[string]RateChange{}, map[string]RateChange{}
	for id, change := range rates {
		if change.ClosedToDeparture != nil {
			departures[id] = RateChange{ClosedToDeparture: change.ClosedToDeparture}
			change.ClosedToDeparture = nil
		}
		if change.changesNight() {
			nights[id] = change
		}
	}
	return nights, departures
}

// applyRates sets the values of the change on the rates of a night.
func (c Change) applyRates(n *Night) error {
	if len(c.Rates) == 0 && !c.Price.IsSet() {
		return nil
	}
	before := ratesSize(n.Rates)
	for _, id := range slices.Sorted(maps.Keys(c.Rates)) {
		change, rate := c.Rates[id], n.Rates[id]
		if change.Clear {
			rate = Rate{}
		}
		rate.Price = cmp.Or(change.Price, rate.Price)
		set(&rate.MinStay, change.MinStay)
		set(&rate.MaxStay, change.MaxStay)
		set(&rate.ClosedToArrival, change.ClosedToArrival)
		set(&rate.ClosedToDeparture, change.ClosedToDeparture)
		set(&rate.StopSell, change.StopSell)
		if (change.MinStay != nil || change.MaxStay != nil) && checkLimits(rate.MinStay, rate.MaxStay) != nil {
			return &LimitsError{id, rate.MinStay, rate.MaxStay}
		}
		if n.Rates == nil {
			n.Rates = map[string]Rate{}
		}
		if n.Rates[id] = rate; rate == (Rate{}) {
			delete(n.Rates, id)
		}
	}
	currency := n.currency() // of any price, if the night has none
	for _, rate := range n.Rates {
		if rate.Price.IsSet() && rate.Price.Currency() != currency {
			return ErrMixedCurrencies
		}
	}
	// Other software may have stored more: a change that adds nothing is not refused for that.
	if size := ratesSize(n.Rates); size > MaxRatesSize && size > before {
		return ErrRatesFull
	}
	return nil
}

// ratesEnd reports whether a change leaves the night with no rates at all, not even those of other software.
func ratesEnd(row dynastay.Row, before, after *Night) bool {
	if len(before.Rates) == 0 || len(after.Rates) > 0 {
		return false
	}
	for id := range row.Value("Rates").Map().Names() {
		if _, ours := before.Rates[id]; !ours {
			return false
		}
	}
	return true
}

// fitsRates rejects what does not match the rate plans. Those that were not read are only cleared, or not changed at all
// because of later changes or of Only.
func (c Change) fitsRates(roomTypeID string, room dynastay.Row, plans map[string]*RatePlan) error {
	for _, id := range slices.Sorted(maps.Keys(c.Rates)) {
		if plans[id] == nil || c.Rates[id].clears() {
			continue
		}
		if err := plans[id].fits(roomTypeID, room, c.Rates[id].Price); err != nil {
			return dynastay.Within(ratesAt(id), err)
		}
	}
	return nil
}
