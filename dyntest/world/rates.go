package world

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/properties"
)

const (
	ratesPercent = 40 // of the hotels with nights have rate plans
	agesPercent  = 80 // of the guests with children tell how old they are, where it counts
	oldestChild  = 17
)

// The ids of the plans.
const (
	flex  = "flex"
	saver = "saver"
	bb    = "bb"
)

var (
	flexHours  = []int{24, 48, 72}
	saverRates = []dynastay.Percent{10_00, 12_00, 15_00, 20_00}
	// Children eat for nothing until the first age, and for half the price until the second one.
	freeAges = []int{2, 3, 5}
	halfAges = []int{11, 12, 14}

	// What guests pay when they book, and before they arrive.
	flexTerms = []share[availability.PaymentTerms]{
		{4, availability.PaymentTerms{}},
		{1, availability.PaymentTerms{Percent: 20_00, RestDays: 7}}, {1, availability.PaymentTerms{Percent: 20_00, RestDays: 14}},
		{1, availability.PaymentTerms{Percent: 30_00, RestDays: 7}}, {1, availability.PaymentTerms{Percent: 30_00, RestDays: 14}},
	}
	bbTerms = []share[availability.PaymentTerms]{{70, availability.PaymentTerms{}}, {30, availability.PaymentTerms{Nights: 1}}}

	soldOne     = []share[string]{{25, ""}, {35, flex}, {20, saver}, {20, bb}}
	soldSeveral = []share[string]{{25, ""}, {45, flex}, {30, saver}} // nobody says who stays in which room
)

// plans plans the rate plans of the i-th hotel, in their order. It returns nil for a hotel that sells its rooms at the
// prices of the nights only.
func (w *World) plans(i int, h *house, at *city) []availability.RatePlan {
	d := w.dice(forRates, i)
	if h.property.Status != properties.Approved || !d.percent(ratesPercent) {
		return nil
	}
	breakfast := pricesOf(at.level*d.between(6, 12)/100, 100, at.level, countries[at.country].currency).weekday
	terms := w.dice(forTerms, i) // of no other use, so that everything else is the same with and without terms
	all := []availability.RatePlan{
		{
			ID: flex, Name: "Flexible", Description: "Free cancellation until shortly before you arrive.",
			CancellationPolicy: availability.FreeCancellation(pick(d, flexHours)),
			Payment:            draw(terms, flexTerms),
		},
		{
			ID: saver, Name: "Saver", Description: "Pay less, and do not change your mind.",
			CancellationPolicy: availability.NonRefundable,
			Payment:            availability.PaymentTerms{Percent: 100_00},
			Derived:            &availability.Derivation{From: flex, Percent: -pick(d, saverRates)},
		},
		{
			ID: bb, Name: "Bed and breakfast", Description: "With breakfast for everyone; children pay less.",
			Payment: draw(terms, bbTerms),
			Derived: &availability.Derivation{From: flex},
			Meals: availability.Meals{
				Plan: availability.Breakfast, Added: true, Adult: breakfast, Bands: []availability.MealBand{
					{Through: pick(d, freeAges)}, {Through: pick(d, halfAges), Amount: times(breakfast, 1, 2)},
				},
			},
		},
	}
	for n := range all {
		all[n].PropertyID, all[n].DisplayOrder = h.property.ID, n+1
		all[n].Active, all[n].Advertised = true, true
	}
	return all
}

// rates returns what a night at a price has for the rate plans.
func (h *house) rates(price dynastay.Money) map[string]availability.Rate {
	if len(h.plans) == 0 {
		return nil
	}
	return map[string]availability.Rate{flex: {Price: price}}
}

// sellUnderPlans plans which guests choose a rate plan. The dice are of no other use, so that everything else about a
// sale is the same with and without plans.
func (h *house) sellUnderPlans(d dice, sales []sale) {
	if len(h.plans) == 0 {
		return
	}
	for n := range sales {
		s := &sales[n]
		if s.several() {
			s.plan = draw(d, soldSeveral)
		} else if s.plan = draw(d, soldOne); s.plan != "" {
			s.tellAges(d)
		}
		// Some codes have a minimum of two nights at the full price.
		if s.plan == saver && s.code != "" {
			s.plan = flex
		}
	}
}

// several reports whether a sale is of more than one room.
func (s sale) several() bool { return len(s.rooms) > 1 || s.rooms[0].quantity > 1 }

// tellAges plans how old the children are, if the guests say so.
func (s *sale) tellAges(d dice) {
	if !d.percent(agesPercent) {
		return
	}
	for range s.guests.Children {
		s.ages = append(s.ages, d.between(0, oldestChild))
	}
	slices.Sort(s.ages)
}

// party returns the guests of the room of a sale, or nil if their number says enough.
func (s sale) party() *availability.Party {
	if len(s.ages) == 0 {
		return nil
	}
	return &availability.Party{Guests: s.guests, ChildAges: s.ages}
}

// quote returns the quote that a sale accepts, from the nights as they were at that time: nothing had been closed, and
// whatever others had booked, there was room.
func (h *house) quote(
	nights *availability.Repository, req availability.QuoteRequest, s sale,
) (*availability.Quote, error) {
	read := make([]availability.Availability, len(s.rooms))
	for n, c := range s.rooms {
		a := &read[n]
		a.PropertyID, a.RoomTypeID, a.Stay = req.Property.ID, h.rooms[c.k].ID, req.Stay
		for date := range req.Stay.Dates() {
			price, minStay := h.night(c.k, date)
			a.Nights = append(a.Nights, availability.Night{
				PropertyID: a.PropertyID, RoomTypeID: a.RoomTypeID, Date: date, Price: price, MinStay: minStay,
				Rates: h.rates(price), Available: h.sale[c.k], Total: h.sale[c.k],
			})
		}
	}
	return nights.QuoteOf(req, read)
}

// createPlans lets the repository create the rate plans.
func (h *house) createPlans(ctx context.Context, repo *properties.Repository) error {
	for _, plan := range h.plans {
		if _, err := repo.CreateRatePlan(ctx, plan); err != nil {
			return err
		}
	}
	return nil
}
