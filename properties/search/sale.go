package search

import (
	"errors"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/properties"
)

// sale is a way in which a room type is sold: under an advertised rate plan or, if there is none for the room type, at the
// price of its nights.
type sale struct {
	room int                    // its index on the card
	plan *availability.RatePlan // nil at the price of the nights
}

// sales returns what the card advertises, without what does not meet the filters. Plans that other software has stored in a
// way in which they cannot be priced are reported, and sell nothing.
func (o *offering) sales() (all []sale) {
	invalid := map[string]bool{}
	for i := range o.card.RatePlans {
		if err := o.card.RatePlans[i].Validate(); err != nil {
			o.failed, invalid[o.card.RatePlans[i].ID] = append(o.failed, err), true
		}
	}
	for i, room := range o.card.Rooms {
		some := []sale{{room: i}}
		for p := range o.card.RatePlans {
			plan := &o.card.RatePlans[p]
			if len(plan.RoomTypeIDs) > 0 && !slices.Contains(plan.RoomTypeIDs, room.ID) {
				continue
			}
			if len(some) > 0 && some[0].plan == nil {
				some = nil
			}
			if !invalid[plan.ID] {
				some = append(some, sale{i, plan})
			}
		}
		all = append(all, slices.DeleteFunc(some, func(s sale) bool { return !o.meets(s) })...)
	}
	return all
}

// meets reports whether a sale meets the filters of meals and policies.
func (o *offering) meets(s sale) bool {
	f := o.Filter
	return (len(f.Meals) == 0 || slices.Contains(f.Meals, s.meals())) && (!f.FreeCancellation || o.freeNow(s))
}

// meals returns the meals of a sale, which are unknown without a plan.
func (s sale) meals() availability.MealPlan {
	if s.plan == nil {
		return ""
	}
	return s.plan.Meals.Plan
}

func (s sale) planID() string {
	if s.plan == nil {
		return ""
	}
	return s.plan.ID
}

// freeNow reports whether a room that is booked now can still be cancelled free of charge.
func (o *offering) freeNow(s sale) bool {
	policy := o.card.Rooms[s.room].CancellationPolicy
	if policy == "" {
		policy = o.card.CancellationPolicy
	}
	if s.plan != nil && s.plan.CancellationPolicy != "" {
		policy = s.plan.CancellationPolicy
	}
	terms, ok := policy.Terms()
	if !ok || terms.Percent < 100 {
		return false
	}
	zone, err := o.house().Location()
	if err != nil {
		return true // its quote fails for the same reason, which is then reported
	}
	arrival := o.Stay.CheckIn.Time()
	clock, _ := time.Parse("15:04", o.card.CheckInTime) // from midnight if that is not a time of day
	checkIn := time.Date(arrival.Year(), arrival.Month(), arrival.Day(), clock.Hour(), clock.Minute(), 0, 0, zone)
	return checkIn.Sub(o.now).Hours() > float64(terms.Hours)
}

func (o *offering) house() availability.House { return availability.House{TimeZone: o.card.TimeZone} }

// source returns the plan that a plan is derived from, or nil.
func (o *offering) source(plan *availability.RatePlan) *availability.RatePlan {
	for i := range o.plans {
		if d := plan.Derived; d != nil && o.plans[i].ID == d.From {
			return &o.plans[i]
		}
	}
	return nil
}

// perRoom returns the price of one room for the stay, unset if it has none, and why the plan does not sell it. Where that
// depends on who stays, it is the price of the room with as many of the guests as it holds, first adults: rooms must be
// compared before it is known who stays in which.
func (o *offering) perRoom(s sale) (price dynastay.Money, refused []availability.RefusedNight, err error) {
	a := o.rooms[s.room]
	if s.plan == nil {
		return a.Prices().Total, nil, nil
	}
	today, err := o.house().Today(o.now)
	if err != nil {
		return price, nil, err
	}
	a.Refused = nil // the reasons that hold for every sale
	one := o.card.Rooms[s.room].Holds()
	if one.MaxAdults == 0 { // nobody can stay there
		return price, nil, nil
	}
	full := availability.Party{Guests: availability.Guests{Adults: min(one.MaxAdults, o.Guests.Adults)}}
	full.Children = min(one.MaxChildren, one.MaxOccupancy-full.Adults, o.Guests.Children)
	full.ChildAges = o.ChildAges[:min(full.Children, len(o.ChildAges))]
	prices, err := a.PricesUnder(s.plan, o.source(s.plan), full, today)
	var no *availability.Refused
	if errors.As(err, &no) {
		return price, no.Nights, nil
	}
	return prices.Total, nil, err
}

// combinable are sales of a room type each, by which rooms can be combined.
type combinable struct {
	all   []sale // that can be priced
	types []roomType
	by    map[string]sale // by room type, the one that is cheapest for one room
}

// cheapest returns what can be combined. Of sales that are equally cheap for one room, it is the first that the property
// lists. What cannot be priced is reported, and does not keep the others from being combined.
func (o *offering) cheapest(all []sale) combinable {
	c := combinable{by: map[string]sale{}}
	currency := o.currency(all)
	for _, s := range all {
		price, _, err := o.perRoom(s)
		if err != nil {
			o.failed = append(o.failed, err)
			continue
		}
		c.all = append(c.all, s)
		t := o.roomType(s.room, price, currency)
		last := len(c.types) - 1
		if _, twice := c.by[t.id]; !twice {
			c.types = append(c.types, t)
		} else if less, _ := t.price.Compare(c.types[last].price); c.types[last].left > 0 && less >= 0 {
			continue
		} else {
			c.types[last] = t
		}
		c.by[t.id] = s
	}
	return c
}

// rooms returns the sale of each room that was chosen.
func (c combinable) rooms(choices []properties.Choice) (all []sale) {
	for _, choice := range choices {
		all = append(all, slices.Repeat([]sale{c.by[choice.RoomTypeID]}, choice.Quantity)...)
	}
	return all
}

// without returns the sales without those by which chosen rooms cannot be sold: the ones that are refused, because it is only
// known now who stays in which room; or, if the lines are too many, those that depend on it.
func (c combinable) without(choices []properties.Choice, card *properties.Card, err error) []sale {
	refused := &availability.Refused{}
	errors.As(err, &refused)
	return slices.DeleteFunc(slices.Clone(c.all), func(s sale) bool {
		id := card.Rooms[s.room].ID
		chosen := slices.ContainsFunc(choices, func(choice properties.Choice) bool { return choice.RoomTypeID == id }) && c.by[id] == s
		if !chosen || s.plan == nil {
			return false
		}
		return errors.Is(err, ErrTooLong) && s.plan.AsksWhoStays() ||
			slices.ContainsFunc(refused.Nights, func(n availability.RefusedNight) bool { return n.RoomTypeID == id && n.RatePlanID == s.plan.ID })
	})
}
