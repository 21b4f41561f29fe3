package availability

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
)

// MaxLines is the number of lines that a quote can have for one room type: the lines are items of a booking. They can be of
// at most four rate plans, which are asserted in one condition for each night: that has a limit.
const (
	MaxLines = 10
	maxPlans = 4
)

// source returns the plan whose stored price is the source of the plan's price, or "" for the price of the night.
func (p *RatePlan) source() string {
	if p.Derived != nil {
		return p.Derived.From
	}
	return p.ID
}

// AsksWhoStays reports whether a price under the plan depends on the guests, by what the plan has itself. A plan that is
// derived from another one also has that one's prices for a party, unless it has its own; on a card, it has them.
func (p *RatePlan) AsksWhoStays() bool {
	return p.Party != nil || p.Meals.Adult.IsSet() || len(p.Meals.Bands) > 0
}

// sells reports whether rooms of a type are sold under the plan.
func (p *RatePlan) sells(roomTypeID string) bool {
	return p.Active && (len(p.RoomTypeIDs) == 0 || slices.Contains(p.RoomTypeIDs, roomTypeID))
}

// frozen returns the terms of a plan, as a line keeps them: with the Party of the plan that it is derived from, and without
// what only lists need.
func (p *RatePlan) frozen(from *RatePlan) *RatePlan {
	terms := RatePlan{
		PropertyID: p.PropertyID, ID: p.ID, Name: p.Name, CancellationPolicy: p.CancellationPolicy, Payment: p.Payment,
		Derived: p.Derived, Party: p.Party, Meals: p.Meals, Conditions: p.Conditions, Discounts: p.Discounts,
	}
	if terms.Party == nil && from != nil {
		terms.Party = from.Party
	}
	return terms.clone()
}

// clone returns a copy that shares no memory with p.
func (p *RatePlan) clone() *RatePlan {
	copied := *p
	copied.RoomTypeIDs = slices.Clone(p.RoomTypeIDs)
	if p.Derived != nil {
		derived := *p.Derived
		copied.Derived = &derived
	}
	if p.Party != nil {
		party := *p.Party
		party.Bands = slices.Clone(p.Party.Bands)
		copied.Party = &party
	}
	copied.Meals.Bands = slices.Clone(p.Meals.Bands)
	if p.Conditions.MaxDaysAhead != nil {
		days := *p.Conditions.MaxDaysAhead
		copied.Conditions.MaxDaysAhead = &days
	}
	copied.Conditions.Dates = slices.Clone(p.Conditions.Dates)
	copied.Discounts.Early = slices.Clone(p.Discounts.Early)
	copied.Discounts.Late = slices.Clone(p.Discounts.Late)
	copied.Discounts.Length = slices.Clone(p.Discounts.Length)
	return &copied
}

// clone returns a copy that shares no memory with p, with the ages in order.
func (p *Party) clone() *Party {
	if p == nil {
		return nil
	}
	copied := *p
	copied.ChildAges = slices.Clone(p.ChildAges)
	slices.Sort(copied.ChildAges)
	return &copied
}

// plan returns a plan of the request and the one that it is derived from, which is nil if it is not derived from a plan.
func (r QuoteRequest) plan(id string) (plan, from *RatePlan) {
	find := func(id string) *RatePlan {
		for i := range r.RatePlans {
			if r.RatePlans[i].ID == id {
				return &r.RatePlans[i]
			}
		}
		return nil
	}
	if id == "" { // an entry without an id is no plan
		return nil, nil
	}
	if plan = find(id); plan != nil && plan.Derived != nil && plan.Derived.From != "" {
		from = find(plan.Derived.From)
	}
	return plan, from
}

// validatePlans checks the plans and the parties of the rooms.
func (r QuoteRequest) validatePlans() error {
	seen := map[string]bool{}
	for i := range r.RatePlans {
		at := fmt.Sprintf("RatePlans[%d]", i)
		if r.RatePlans[i].PropertyID != r.Property.ID {
			return dynastay.Invalid(at+".PropertyID", "must be that of the property")
		}
		if seen[r.RatePlans[i].ID] {
			return dynastay.Invalid(at+".ID", "appears more than once")
		}
		seen[r.RatePlans[i].ID] = true
	}
	for i, room := range r.Rooms {
		at := fmt.Sprintf("Rooms[%d]", i)
		if room.Party != nil {
			if err := room.Party.Validate(); err != nil {
				return dynastay.Within(at+".Party", err)
			}
			if err := room.Party.fit(at+".Party", 1, room.Holds()); err != nil {
				return err
			}
		}
		if room.RatePlanID == "" {
			continue
		}
		plan, from := r.plan(room.RatePlanID)
		isBooked := slices.ContainsFunc(r.booked, func(p *RatePlan) bool { return p.ID == room.RatePlanID })
		if plan != nil {
			if err := r.validatePlan(plan, from); err != nil {
				return err
			}
		} else if !isBooked {
			return dynastay.Invalid(at+".RatePlanID", "must be that of one of RatePlans")
		}
		if isBooked { // its lines may have other terms than the plan has now, so each is checked
			continue
		}
		if asks := plan.AsksWhoStays() || from != nil && from.Party != nil; asks && r.party(room) == nil {
			return dynastay.Invalid(at+".Party", "is required, because the price under the plan %s depends on who stays", plan.ID)
		}
	}
	if err := r.validateLines(); err != nil {
		return err
	}
	return checkParties("Rooms", len(r.Rooms), func(i int) (*Party, int) { return r.Rooms[i].Party, r.Rooms[i].Quantity }, r.Guests)
}

// validatePlan checks a plan that a room names, and the plan that it is derived from, if there is one. Plans are decoded
// without validation.
func (r QuoteRequest) validatePlan(plan, from *RatePlan) error {
	at := func(p *RatePlan) string {
		return fmt.Sprintf("RatePlans[%d]", slices.IndexFunc(r.RatePlans, func(other RatePlan) bool { return other.ID == p.ID }))
	}
	if err := plan.Validate(); err != nil {
		return dynastay.Within(at(plan), err)
	}
	switch {
	case plan.Derived == nil || plan.Derived.From == "":
		return nil
	case from == nil:
		return dynastay.Invalid("RatePlans", "must have the plan %s, from which %s is derived", plan.Derived.From, plan.ID)
	case from.Derived != nil:
		return dynastay.Invalid(at(plan)+".Derived.From", "must be a plan with prices of its own")
	}
	if err := from.Validate(); err != nil {
		return dynastay.Within(at(from), err)
	}
	return dynastay.Within(at(plan), plan.frozen(from).Validate()) // with the amounts of both
}

// party returns the guests of each room of an entry: if the request is for one room, all of them. It is nil if nothing says
// so.
func (r QuoteRequest) party(room Room) *Party {
	if room.Party != nil || len(r.Rooms) > 1 || room.Quantity > 1 {
		return room.Party
	}
	return &Party{Guests: r.Guests}
}

// checkParties checks that the parties of all entries, each of which has a number of rooms, are the guests; or that there is
// none.
func checkParties(field string, entries int, of func(i int) (*Party, int), guests Guests) error {
	var all Guests
	without, parties := -1, 0
	for i := range entries {
		party, rooms := of(i)
		if party == nil {
			without = i
			continue
		}
		parties++
		all.Adults += party.Adults * rooms
		all.Children += party.Children * rooms
	}
	switch {
	case parties == 0:
		return nil
	case without >= 0:
		return dynastay.Invalid(fmt.Sprintf("%s[%d].Party", field, without), "is required, because others have one")
	case all != guests:
		return dynastay.Invalid("Guests", "must be those of all parties, %d adults and %d children", all.Adults, all.Children)
	}
	return nil
}

// validateLines limits the lines of a room type.
func (r QuoteRequest) validateLines() error {
	lines, plans := map[string]int{}, map[string]map[string]bool{}
	for _, room := range merged(r.Rooms) {
		if lines[room.RoomTypeID]++; plans[room.RoomTypeID] == nil {
			plans[room.RoomTypeID] = map[string]bool{}
		}
		if room.RatePlanID != "" {
			plans[room.RoomTypeID][room.RatePlanID] = true
		}
		if err := checkLines("Rooms", lines[room.RoomTypeID], len(plans[room.RoomTypeID])); err != nil {
			return err
		}
	}
	return nil
}

func checkLines(field string, lines, plans int) error {
	if lines > MaxLines || plans > maxPlans {
		return dynastay.Invalid(field, "must have at most %d combinations of rate plan, party and agreed prices, and %d rate plans, for one room type", MaxLines, maxPlans)
	}
	return nil
}

// compareLines orders the lines of a room type: those without a plan first, then by plan and party.
func compareLines(aPlan, bPlan string, a, b *Party) int {
	if order := strings.Compare(aPlan, bPlan); order != 0 {
		return order
	}
	return strings.Compare(partyText(a), partyText(b))
}

// partyText is the same for equal parties only.
func partyText(p *Party) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%04d %04d %04d %v", p.Adults, p.Children, p.ExtraBeds, slices.Sorted(slices.Values(p.ChildAges)))
}

// offering is a room type under a plan, for a stay.
type offering struct {
	propertyID, roomTypeID string
	plan, from             *RatePlan
	party                  *Party // nil if nobody said who stays
	stay                   dynastay.Stay
}

// price returns the prices of the nights that were read, or why the plan does not sell them.
func (o offering) price(today dynastay.Date, read []Night) (prices []NightPrice, no []RefusedNight, err error) {
	refused := func(all []RefusedNight) []RefusedNight {
		for i := range all {
			all[i].RoomTypeID, all[i].RatePlanID = o.roomTypeID, o.plan.ID
		}
		return all
	}
	if !o.plan.sells(o.roomTypeID) {
		for date := range o.stay.Dates() {
			no = append(no, RefusedNight{Date: date, Reason: NotOnSale})
		}
		return nil, refused(no), nil
	}
	sources := make([]dynastay.Money, o.stay.Nights())
	open := map[dynastay.Date]bool{}
	for i := range read {
		night := &read[i]
		if night.PropertyID == o.propertyID && o.stay.Contains(night.Date) {
			open[night.Date] = true
			sources[o.stay.CheckIn.DaysUntil(night.Date)] = night.source(o.plan)
			no = append(no, refuseRate(o.roomTypeID, o.plan.ID, allRulesOf(o.stay, night.Date), o.stay, night)...)
		}
	}
	request := RateRequest{Stay: o.stay, Today: today, Sources: sources, From: o.from, Party: Party{Guests: Guests{Adults: 1}}}
	if o.party != nil {
		request.Party = *o.party
	}
	rates, err := o.plan.Price(request)
	if not := (*Refused)(nil); errors.As(err, &not) {
		for _, n := range not.Nights {
			if n.Reason != NotOnSale || open[n.Date] { // a night that is not open is refused as such
				no = append(no, n)
			}
		}
		return nil, refused(no), nil
	}
	for _, rate := range rates {
		prices = append(prices, NightPrice{Date: rate.Date, Price: rate.Price, Source: rate.Source, Meals: rate.Meals, Steps: rate.Steps})
	}
	return prices, refused(no), err
}

// PricesUnder returns the prices of one room under a rate plan for a party, with the steps that lead to them. from is the
// plan that the plan is derived from, or nil; today is the date at the property. It does not check that the party fits the
// room.
//
// If the stay cannot be sold under the plan, the error is a [*Refused]. It contains everything in a.Refused, the plan's
// restrictions on the nights, and the plan's conditions that the stay does not meet. A plan that is not active, or not for
// the room type, is [NotOnSale]. An invalid request or plan, and a stored price that cannot be a price, is a
// [*dynastay.InvalidError] as that of [RatePlan.Price].
func (a Availability) PricesUnder(plan, from *RatePlan, party Party, today dynastay.Date) (Prices, error) {
	o := offering{a.PropertyID, a.RoomTypeID, plan, from, &party, a.Stay}
	nights, no, err := o.price(today, a.Nights)
	if err != nil {
		return Prices{}, err
	}
	refused := &Refused{slices.Clone(a.Refused)}
	if refused.addNew(no); len(refused.Nights) > 0 {
		return Prices{}, refused
	}
	p := Prices{Nights: nights}
	for _, night := range nights {
		if p.Total, err = p.Total.Add(night.Price); err != nil {
			return Prices{}, err
		}
	}
	return p, nil
}

// source returns the stored price of the night from which the price under a plan is computed.
func (n *Night) source(p *RatePlan) dynastay.Money {
	if from := p.source(); from != "" {
		return n.Rates[from].Price
	}
	return n.Price
}

// refuseRate applies the conditions that a night has for a rate plan.
func refuseRate(roomTypeID, planID string, r rules, stay dynastay.Stay, night *Night) (all []RefusedNight) {
	rate := night.Rates[planID]
	if rate.StopSell {
		all = append(all, RefusedNight{RoomTypeID: roomTypeID, Date: night.Date, Reason: StopSell})
	}
	all = append(all, refuseKept(roomTypeID, planID, r, stay, night)...)
	for i := range all {
		all[i].RatePlanID = planID
	}
	return all
}

// refuseKept applies the restrictions that a night has for a rate plan to a line that keeps the night: a stop-sell stops
// sales only.
func refuseKept(roomTypeID, planID string, r rules, stay dynastay.Stay, night *Night) []RefusedNight {
	rate := night.Rates[planID]
	all := r.broken(roomTypeID, stay, &Night{
		Date: night.Date, MinStay: rate.MinStay, MaxStay: rate.MaxStay,
		ClosedToArrival: rate.ClosedToArrival, ClosedToDeparture: rate.ClosedToDeparture,
	})
	for i := range all {
		all[i].RatePlanID = planID
	}
	return all
}
