package bookings_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/tariff"
)

// tariffLine is a line as docs/rates.md describes it.
type tariffLine struct {
	room     string // its type
	number   int    // 0 for a new one
	quantity int
	terms    *availability.RatePlan
	party    *availability.Party
	policy   availability.CancellationPolicy
	nights   []lineNight
}

type lineNight struct {
	date                 dynastay.Date
	price, source, meals dynastay.Money
}

func (l tariffLine) planID() string {
	if l.terms == nil {
		return ""
	}
	return l.terms.ID
}

// MarshalText is for the messages of failures.
func (l tariffLine) MarshalText() ([]byte, error) { return []byte(l.text()), nil }

func (l tariffLine) text() string {
	all := fmt.Sprintf("%s %d × %s %s:", l.room, l.quantity, l.planID(), guestsText(l.party))
	for _, n := range l.nights {
		all += fmt.Sprintf(" %s %s from %s meals %s", n.date, n.price, n.source, n.meals)
	}
	return all
}

// textOf is the text of a line of the library, as that of the model.
func textOf(l *availability.Line) string {
	mine := tariffLine{room: l.RoomTypeID, quantity: l.Quantity, terms: l.Plan, party: l.Party}
	for _, n := range l.Nights {
		mine.nights = append(mine.nights, lineNight{n.Date, n.Price, n.Source, n.Meals})
	}
	return mine.text()
}

// guestsText is also the order of the lines under a plan.
func guestsText(p *availability.Party) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%04d+%04d beds %04d %v", p.Adults, p.Children, p.ExtraBeds, slices.Sorted(slices.Values(p.ChildAges)))
}

// asks reports whether a price under a plan depends on who stays.
func asks(p *availability.RatePlan) bool {
	return p.Party != nil || p.Meals.Adult.IsSet() || len(p.Meals.Bands) > 0
}

// plan returns a plan that is sold, and the one that it is derived from.
func (h *tariffHouse) plan(id string) (plan, from *availability.RatePlan) {
	for i := range h.plans {
		switch h.plans[i].ID {
		case id:
			plan = &h.plans[i]
		case "own":
			from = &h.plans[i]
		}
	}
	if id != "less" {
		from = nil
	}
	return plan, from
}

func (h *tariffHouse) asks(id string) bool {
	plan, from := h.plan(id)
	return plan != nil && (asks(plan) || from != nil && from.Party != nil)
}

// terms are what a line keeps of a plan.
func (h *tariffHouse) terms(id string) *availability.RatePlan {
	plan, from := h.plan(id)
	if plan == nil {
		return nil
	}
	kept := *plan
	kept.RoomTypeIDs, kept.Active = nil, false
	if kept.Party == nil && from != nil {
		kept.Party = from.Party
	}
	return &kept
}

// wanted are the lines that a request asks for, in their order, without plans and prices: entries for the same plan and party
// are one.
func (h *tariffHouse) wanted(req availability.QuoteRequest) (all []tariffLine, plans []string) {
	type line struct {
		tariffLine
		plan string
	}
	var merged []line
	for _, r := range req.Rooms {
		l := line{tariffLine{room: r.RoomTypeID, quantity: r.Quantity, policy: r.CancellationPolicy}, r.RatePlanID}
		if r.Party != nil {
			party := *r.Party
			party.ChildAges = slices.Sorted(slices.Values(party.ChildAges))
			l.party = &party
		} else if r.RatePlanID != "" && len(req.Rooms) == 1 && r.Quantity == 1 {
			l.party = &availability.Party{Guests: req.Guests}
		}
		if same := slices.IndexFunc(merged, func(m line) bool { return order(m.tariffLine, l.tariffLine, m.plan, l.plan) == 0 }); same >= 0 {
			merged[same].quantity += l.quantity
		} else {
			merged = append(merged, l)
		}
	}
	slices.SortFunc(merged, func(a, b line) int { return order(a.tariffLine, b.tariffLine, a.plan, b.plan) })
	for _, m := range merged {
		all, plans = append(all, m.tariffLine), append(plans, m.plan)
	}
	return all, plans
}

func order(a, b tariffLine, aPlan, bPlan string) int {
	return cmp.Or(strings.Compare(a.room, b.room), strings.Compare(aPlan, bPlan), strings.Compare(guestsText(a.party), guestsText(b.party)))
}

// source returns the present stored price from which that of a line is computed.
func (h *tariffHouse) source(l tariffLine, date dynastay.Date) dynastay.Money {
	n := h.nights[l.room][date]
	switch {
	case n == nil:
		return dynastay.Money{}
	case l.terms == nil:
		return n.price
	case l.terms.Derived == nil:
		return n.rates[l.terms.ID]
	case l.terms.Derived.From == "":
		return n.price
	}
	return n.rates[l.terms.Derived.From]
}

// price gives a line the prices that follow from the sources of its nights, for a booking that was made on a certain day
// under certain conditions. It returns what its plan refuses.
func (h *tariffHouse) price(
	l *tariffLine, stay dynastay.Stay, on dynastay.Date, conditions availability.RateConditions, source func(dynastay.Date) dynastay.Money,
) (refused []availability.RefusedNight) {
	r := availability.RateRequest{Stay: stay, Today: on, Party: availability.Party{Guests: availability.Guests{Adults: 1}}}
	if l.party != nil {
		r.Party = *l.party
	}
	l.nights = nil
	for date := range stay.Dates() {
		r.Sources = append(r.Sources, source(date))
		l.nights = append(l.nights, lineNight{date: date, price: source(date)})
	}
	if l.terms == nil {
		return nil
	}
	plan := *l.terms
	plan.Conditions = conditions
	nights, no := tariff.Price(&plan, r, h.met)
	for _, n := range no {
		n.RoomTypeID = l.room
		if n.Reason != availability.NotOnSale || h.nights[l.room][n.Date] != nil { // else it is closed for all
			refused = append(refused, n)
		}
	}
	for i, n := range nights {
		l.nights[i].price, l.nights[i].source, l.nights[i].meals = n.Price, n.Source, n.Meals
	}
	return refused
}

// sells returns what a plan refuses if it is not sold in a room type.
func (h *tariffHouse) sells(l tariffLine, stay dynastay.Stay) (refused []availability.RefusedNight) {
	plan, _ := h.plan(l.terms.ID)
	if plan.Active && (plan.RoomTypeIDs == nil || slices.Contains(plan.RoomTypeIDs, l.room)) {
		return nil
	}
	for date := range stay.Dates() {
		refused = append(refused, availability.RefusedNight{RoomTypeID: l.room, RatePlanID: plan.ID, Date: date, Reason: availability.NotOnSale})
	}
	return refused
}

// short returns the nights that have fewer rooms left than are needed in addition, or that are closed.
func (h *tariffHouse) short(room string, date dynastay.Date, rooms int) []availability.RefusedNight {
	switch n := h.nights[room][date]; {
	case n == nil:
		return []availability.RefusedNight{{RoomTypeID: room, Date: date, Reason: availability.NotOnSale}}
	case rooms > 0 && n.left < rooms:
		return []availability.RefusedNight{{RoomTypeID: room, Date: date, Reason: availability.SoldOut, Left: n.left}}
	}
	return nil
}

// quote returns the lines of a new booking, or why it is refused.
func (h *tariffHouse) quote(req availability.QuoteRequest) (lines []tariffLine, refused []availability.RefusedNight) {
	lines, plans := h.wanted(req)
	rooms := map[string]int{}
	for i := range lines {
		l := &lines[i]
		rooms[l.room] += l.quantity
		if l.terms = h.terms(plans[i]); l.terms == nil {
			h.met.Add("line without a plan", 1)
			h.price(l, req.Stay, h.today, availability.RateConditions{}, func(d dynastay.Date) dynastay.Money { return h.source(*l, d) })
			continue
		}
		l.policy = cmp.Or(l.terms.CancellationPolicy, l.policy)
		no := h.sells(*l, req.Stay)
		if no == nil {
			no = h.price(l, req.Stay, h.today, l.terms.Conditions, func(d dynastay.Date) dynastay.Money { return h.source(*l, d) })
		}
		refused = append(refused, no...)
	}
	for room, n := range rooms {
		for date := range req.Stay.Dates() {
			refused = append(refused, h.short(room, date, n)...)
		}
	}
	return lines, refused
}

// requote returns the lines of a booking that is changed, or why it is refused.
func (h *tariffHouse) requote(b *tariffBooking, req availability.QuoteRequest) (lines []tariffLine, refused []availability.RefusedNight) {
	needs, sells := map[string]map[dynastay.Date]int{}, map[string]map[dynastay.Date]bool{}
	lines, plans, with := h.continued(b, req)
	for i := range lines {
		l, had := &lines[i], (*tariffLine)(nil)
		if with[i] >= 0 {
			had = &b.lines[with[i]]
			l.number = had.number
		}
		same := had != nil && had.planID() == plans[i]
		if needs[l.room] == nil {
			needs[l.room], sells[l.room] = map[dynastay.Date]int{}, map[dynastay.Date]bool{}
		}
		keeps := func(date dynastay.Date) bool { return same && b.stay.Contains(date) && l.quantity <= had.quantity }
		for date := range req.Stay.Dates() {
			needs[l.room][date] += l.quantity
			sells[l.room][date] = sells[l.room][date] || !keeps(date)
		}
		source := func(date dynastay.Date) dynastay.Money {
			if keeps(date) {
				n := had.nights[b.stay.CheckIn.DaysUntil(date)]
				return cmp.Or(n.source, n.price)
			}
			return h.source(*l, date)
		}
		if same && had.quantity > l.quantity {
			h.met.Add("fewer rooms", 1)
		}
		switch {
		case same && had.terms != nil:
			l.terms, l.policy = had.terms, had.policy
			if req.Stay == b.stay && guestsText(l.party) == guestsText(had.party) {
				h.met.Add("line as it was", 1)
				l.nights = had.nights
				continue
			}
			h.met.Add("line repriced", 1)
			refused = append(refused, h.price(l, req.Stay, b.on, h.stillHold(had.terms.Conditions, b.stay, req.Stay), source)...)
		case plans[i] == "":
			h.met.Add("line without a plan", 1)
			h.price(l, req.Stay, h.today, availability.RateConditions{}, source)
		default:
			if h.met.Add("line added", 1); had != nil {
				h.met.Add("line under another plan", 1)
			}
			l.terms = h.terms(plans[i])
			l.policy = cmp.Or(l.terms.CancellationPolicy, l.policy)
			refused = append(refused, h.sells(*l, req.Stay)...)
			refused = append(refused, h.price(l, req.Stay, h.today, l.terms.Conditions, source)...)
		}
	}
	for _, had := range b.lines {
		for date := range b.stay.Dates() {
			if needs[had.room] != nil {
				needs[had.room][date] -= had.quantity
			}
		}
	}
	for room, nights := range sells {
		for date, sold := range nights {
			if sold {
				refused = append(refused, h.short(room, date, needs[room][date])...)
			}
		}
	}
	return lines, refused
}

// stillHold are the conditions of the plan that a stay must meet which replaces another one.
func (h *tariffHouse) stillHold(c availability.RateConditions, had, stay dynastay.Stay) availability.RateConditions {
	switch {
	case stay == had:
		return availability.RateConditions{}
	case stay.CheckIn != had.CheckIn:
		return c
	case stay.Nights() < had.Nights():
		return availability.RateConditions{MinStay: c.MinStay, Dates: c.Dates}
	}
	return availability.RateConditions{MaxStay: c.MaxStay, Dates: c.Dates}
}

// continued divides the rooms that are wanted among the lines of the booking: those of the same plan and party first, then
// those of the same plan, then any of the room type. What is left is new. Only a line without plan and party gets more rooms.
func (h *tariffHouse) continued(b *tariffBooking, req availability.QuoteRequest) (lines []tariffLine, plans []string, with []int) {
	wanted, wantedPlans := h.wanted(req)
	left := map[int]int{} // rooms by entry
	for i, w := range wanted {
		left[i] = w.quantity
	}
	taken := map[int]bool{}
	type part struct {
		entry, with, rooms int
	}
	var parts []part
	for round := range 3 {
		for i, w := range wanted {
			for j, had := range b.lines {
				plan, party := had.planID() == wantedPlans[i], guestsText(had.party) == guestsText(w.party)
				if taken[j] || left[i] == 0 || had.room != w.room || round == 0 && !(plan && party) || round == 1 && !plan {
					continue
				}
				rooms := min(left[i], had.quantity)
				taken[j] = true
				left[i] -= rooms
				parts = append(parts, part{i, j, rooms})
			}
			// Only a line without plan and party may get more rooms: the first of them.
			first := slices.IndexFunc(parts, func(p part) bool { return p.entry == i })
			if round == 0 && first >= 0 && wantedPlans[i] == "" && w.party == nil {
				parts[first].rooms += left[i]
				left[i] = 0
			}
		}
	}
	for i := range wanted {
		if left[i] > 0 {
			parts = append(parts, part{i, -1, left[i]})
		}
	}
	number := func(p part) int {
		if p.with < 0 {
			return 100
		}
		return b.lines[p.with].number
	}
	slices.SortStableFunc(parts, func(x, y part) int { return cmp.Or(cmp.Compare(x.entry, y.entry), cmp.Compare(number(x), number(y))) })
	for _, p := range parts {
		l := wanted[p.entry]
		l.quantity = p.rooms
		lines, plans, with = append(lines, l), append(plans, wantedPlans[p.entry]), append(with, p.with)
	}
	return lines, plans, with
}
