package bookings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/properties"
)

// flexPlan is a plan with prices of its own, under which a market sells.
func flexPlan() *availability.RatePlan {
	return &availability.RatePlan{ID: "flex", Name: "Flexible", Active: true}
}

// The same under a rate plan, whose prices and restrictions managers change.
func TestChangingRatesAreLinearizable(t *testing.T) { changingNightsAreLinearizable(t, flexPlan()) }

func TestManyBuyersOfChangingRates(t *testing.T) { manyBuyersOfChangingNights(t, flexPlan()) }

// openPlan gives all nights prices under the plan.
func (m *market) openPlan(plan *availability.RatePlan) {
	m.Helper()
	if plan == nil {
		return
	}
	plan.PropertyID = m.hotel.ID
	made, err := properties.New(m.db.Direct, nil).CreateRatePlan(m.Context(), *plan)
	require.NoError(m, err)
	_, err = availability.New(m.db.Direct).Update(m.Context(), availability.UpdateRequest{PropertyID: m.hotel.ID, Changes: []availability.Change{{
		Dates: m.all, RoomTypeIDs: []string{m.hotel.RoomTypeID},
		Rates: map[string]availability.RateChange{plan.ID: {Price: m.hotel.Rooms[0].BasePrice}},
	}}})
	require.NoError(m, err)
	m.plan = &availability.RatePlan{PropertyID: made.PropertyID, ID: made.ID, Name: made.Name}
}

// view returns a night as those see it who buy under the plan of the market: with its price and its restrictions.
func (m *market) view(n availability.Night) availability.Night {
	if m.plan == nil {
		return n
	}
	rate := n.Rates[m.plan.ID]
	n.Price, n.MinStay, n.MaxStay, n.StopSell = rate.Price, rate.MinStay, rate.MaxStay, rate.StopSell
	n.ClosedToArrival, n.ClosedToDeparture, n.Rates = rate.ClosedToArrival, rate.ClosedToDeparture, nil
	return n
}

// ofPlan returns a change of nights that changes the plan of the market instead; the rooms are those of the nights.
func (m *market) ofPlan(c availability.Change) availability.Change {
	if m.plan == nil {
		return c
	}
	rate := availability.RateChange{
		Price: c.Price, MinStay: c.MinStay, MaxStay: c.MaxStay, ClosedToArrival: c.ClosedToArrival, ClosedToDeparture: c.ClosedToDeparture,
		StopSell: c.StopSell,
	}
	changed := availability.Change{Dates: c.Dates, Rooms: c.Rooms, AboveCapacity: c.AboveCapacity, Overbook: c.Overbook}
	if rate != (availability.RateChange{}) {
		changed.Rates = map[string]availability.RateChange{m.plan.ID: rate}
	}
	return changed
}

// sold returns the nights of a line at these prices.
func (m *market) sold(prices []availability.NightPrice) []availability.NightPrice {
	if m.plan == nil {
		return prices
	}
	var all []availability.NightPrice
	for _, night := range prices {
		night.Source = night.Price
		all = append(all, night)
	}
	return all
}

// refused returns the reasons without the plan, which all have but those of the rooms left.
func (m *market) refused(all []availability.RefusedNight) []availability.RefusedNight {
	for i := range all {
		if m.plan != nil {
			assert.Equal(m, all[i].Reason == availability.SoldOut, all[i].RatePlanID == "", "%v", all[i])
		}
		all[i].RatePlanID = ""
	}
	return all
}

// reasons counts the reasons against a sale.
func (m *market) reasons(checked availability.Availability) int {
	if m.plan == nil {
		return len(checked.Refused)
	}
	plan := *m.plan
	plan.Active = true
	_, err := checked.PricesUnder(&plan, nil, availability.Party{Guests: availability.Guests{Adults: 1}}, m.all.CheckIn)
	if err == nil {
		return 0
	}
	var refused *availability.Refused
	require.ErrorAs(m, err, &refused)
	return len(refused.Nights)
}
