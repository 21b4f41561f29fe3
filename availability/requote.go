package availability

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Requote is [Repository.Quote] for a change of a booking. The booking's own rooms count as available. The nights that
// the booking keeps keep their price, also with fewer rooms; if it gets more rooms of a room type, all nights of the room
// type have their current price.
//
// A line with a rate plan or a party keeps the stored prices that it was sold at, and the terms of its plan as they were
// then, which RatePlans need not have. If its party or the stay changes, it is priced anew by these terms; the days ahead
// count from the day on which the booking was made. Rooms that are added, or that get another plan, are priced as new ones
// are. Added ones are a line of their own. The rooms of the request go on with lines of the same plan and party, then of
// the same plan, then of the same room type.
//
// Rooms that are added must meet the restrictions of the first and last night, as a new booking must. Otherwise, those of
// the first night hold if the arrival moves, and that of the last night if the departure moves. If only the departure
// moves, a stay that gets shorter must meet the minimum stay, and one that gets longer the maximum stay, unless the guests
// have arrived. The conditions of a rate plan hold in the same way.
//
// Rooms of nights before today at the property, or its business date, can be neither added nor returned, and can get no other
// plan; for these, Requote returns a [*dynastay.InvalidError] for the field "Stay". 1 request per room type if the stay or a
// plan changes; otherwise, only for one that gets more rooms.
func (r *Repository) Requote(ctx context.Context, req QuoteRequest, booked Booked) (_ *Quote, err error) {
	ctx, end := r.db.Begin(ctx, "availability.Requote")
	defer func() { end(err) }()
	now := r.db.Now()
	for _, line := range booked.Lines {
		if line.Plan != nil {
			req.booked = append(req.booked, line.Plan)
		}
	}
	if err := req.validate(); err != nil {
		return nil, err
	}
	today, err := req.Property.worksOn(req.BusinessDate, now)
	if err != nil {
		return nil, err
	}
	req.Rooms = slices.Clone(req.Rooms)
	for i := range req.Rooms {
		if room := &req.Rooms[i]; room.RatePlanID != "" {
			room.Party = req.party(*room)
		}
	}
	plain := !slices.ContainsFunc(req.Rooms, func(room Room) bool { return !room.plain() }) &&
		!slices.ContainsFunc(booked.Lines, func(l Line) bool { return !l.plain() || l.Number > 1 })
	again := requoting{
		QuoteRequest: req, nights: r, has: booked, numbered: !plain, today: today,
		seen: map[dynastay.Ref]dynastay.Row{}, refused: &Refused{},
	}
	q := req.outline(now)
	lines := map[string]int{}
	for _, room := range booked.continued(merged(req.Rooms), req.Stay) {
		if lines[room.RoomTypeID]++; lines[room.RoomTypeID] > MaxLines {
			return nil, dynastay.Invalid("Rooms", "must go on with the lines of the booking as at most %d lines for one room type", MaxLines)
		}
		line, err := again.line(ctx, room)
		if err != nil {
			return nil, err
		}
		q.Lines = append(q.Lines, line)
	}
	sale := r.SaleFor(q, booked)
	if err := sale.Current(now); err != nil {
		return nil, err
	}
	refused := &Refused{}
	if err := sale.judge(again.seen); err != nil && !errors.As(err, &refused) {
		return nil, err
	}
	refused.addNew(again.refused.Nights)
	refused.addUnpriced(q)
	if refused.add(q.inOtherCurrencies(booked)); len(refused.Nights) > 0 {
		return nil, refused
	}
	q.Lines = sale.lines(again.seen)
	return req.added(q)
}

// requoting is a booking that is being quoted anew.
type requoting struct {
	QuoteRequest
	nights *Repository
	has    Booked
	// numbered says that lines name those that they go on with. A booking without plans and parties has one line for each
	// room type, and needs no numbers.
	numbered bool
	today    dynastay.Date
	seen     map[dynastay.Ref]dynastay.Row // the nights that were read
	refused  *Refused                      // what rate plans refuse, apart from what a sale does
}

// line returns the line for rooms of the request.
func (q *requoting) line(ctx context.Context, room continuing) (Line, error) {
	line := room.Room.line()
	plan, from, had := (*RatePlan)(nil), (*RatePlan)(nil), (*Line)(nil)
	if room.with >= 0 {
		if had = &q.has.Lines[room.with]; q.numbered {
			line.Number = cmp.Or(had.Number, 1)
		}
	}
	goesOn := had != nil && had.terms() == room.terms()
	if room.RatePlanID != "" && !goesOn {
		if plan, from = q.plan(room.RatePlanID); plan == nil {
			return line, dynastay.Invalid("RatePlans", "must have the plan %s, because rooms are added under it", room.RatePlanID)
		}
		line.Plan = plan.frozen(from)
		line.CancellationPolicy = cmp.Or(plan.CancellationPolicy, line.CancellationPolicy)
	} else if goesOn && had.Plan != nil {
		line.Plan = had.Plan.clone()
		line.CancellationPolicy = had.CancellationPolicy
	}
	if line.Plan != nil && line.Plan.AsksWhoStays() && line.Party == nil { // as the plan is for this line
		return line, dynastay.Invalid("Rooms", "must have a Party under %s, because the price depends on who stays", line.Plan.ID)
	}
	kept, current, err := q.nightsOf(ctx, line, room.with)
	if err != nil {
		return line, err
	}
	if line.Agreed {
		line.Nights = room.agreedNights(q.Stay)
		return line, nil
	}
	for i, date := range slices.Collect(q.Stay.Dates()) {
		night := kept[i]
		if night.Date.IsZero() || !night.Price.IsSet() {
			night = NightPrice{Date: date}
			if found := current[date]; found != nil {
				night.Price = found.Price
			}
		} else if line.Plan != nil {
			night.Source = night.stored()
		}
		line.Nights = append(line.Nights, night)
	}
	switch {
	case line.Plan == nil:
		return line, nil
	case goesOn && current == nil && partyText(line.Party) == partyText(had.Party):
		return line, nil // as it is
	case goesOn:
		return line, q.reprice(&line, q.has.conditions(line.Plan.Conditions, q.Stay), cmp.Or(q.has.On, q.today), kept, current)
	}
	if !plan.sells(line.RoomTypeID) {
		for date := range q.Stay.Dates() {
			q.refused.addNew([]RefusedNight{{RoomTypeID: line.RoomTypeID, RatePlanID: plan.ID, Date: date, Reason: NotOnSale}})
		}
	}
	return line, q.reprice(&line, plan.Conditions, q.today, kept, current)
}

// nightsOf returns the nights that the line keeps, and the current ones, which it reads if there are others or the stay
// changes; otherwise nil.
func (q *requoting) nightsOf(ctx context.Context, line Line, goesOn int) (kept []NightPrice, current map[dynastay.Date]*Night, err error) {
	// All nights of a line are kept if the stay remains the same, no rooms are added, and it has a price for each.
	read := q.Stay != q.has.Stay
	for date := range q.Stay.Dates() {
		night := q.has.kept(goesOn, &line, date)
		kept, read = append(kept, night), read || !night.Price.IsSet()
	}
	if !read {
		return kept, nil, nil
	}
	// Another line of the room type may have read them.
	if _, known := q.seen[nightRef(line.RoomTypeID, q.Stay.CheckIn)]; !known {
		rows, err := q.nights.read(ctx, line.RoomTypeID, q.Stay)
		if err != nil {
			return nil, nil, err
		}
		for date := range q.Stay.Dates() {
			q.seen[nightRef(line.RoomTypeID, date)] = dynastay.Row{}
		}
		for _, row := range rows {
			q.seen[dynastay.RefOf(keys.AvailabilityTable, keys.AvailabilityTable.Key.From(row))] = row
		}
	}
	current = map[dynastay.Date]*Night{}
	for date := range q.Stay.Dates() {
		if row := q.seen[nightRef(line.RoomTypeID, date)]; row.Exists() {
			if current[date], err = q.nights.entity.Value(row); err != nil {
				return nil, nil, err
			}
		}
	}
	return kept, current, nil
}

// reprice prices a line under its plan, if it was booked on a certain day: from the stored prices that it keeps, and the
// current ones of other nights. What the plan refuses is added to q.refused, and leaves the nights without a price.
func (q *requoting) reprice(
	line *Line, conditions RateConditions, on dynastay.Date, kept []NightPrice, current map[dynastay.Date]*Night,
) error {
	sources := make([]dynastay.Money, len(line.Nights))
	known := map[dynastay.Date]bool{} // the sale refuses any other night, as one that is not open
	for i, night := range kept {
		date := line.Nights[i].Date
		known[date] = !night.Date.IsZero()
		if night.Price.IsSet() {
			sources[i] = night.stored()
		} else if found := current[date]; found != nil && found.PropertyID == q.Property.ID {
			sources[i], known[date] = found.source(line.Plan), true
		}
		line.Nights[i] = NightPrice{Date: date}
	}
	request := RateRequest{Stay: q.Stay, Today: on, Sources: sources, Party: Party{Guests: Guests{Adults: 1}}}
	if line.Party != nil {
		request.Party = *line.Party
	}
	rates, err := []RateNight(nil), request.checkSources()
	if err == nil {
		rates, err = line.Plan.priceFor(request, conditions)
	}
	if no := (*Refused)(nil); errors.As(err, &no) {
		for _, n := range no.Nights {
			n.RoomTypeID = line.RoomTypeID
			if n.Reason != NotOnSale || known[n.Date] {
				q.refused.addNew([]RefusedNight{n})
			}
		}
		return nil
	}
	if err != nil {
		return unpriced(line.RoomTypeID, err)
	}
	for i, rate := range rates {
		line.Nights[i] = NightPrice{Date: rate.Date, Price: rate.Price, Source: rate.Source, Meals: rate.Meals, Steps: rate.Steps}
	}
	return nil
}

// addUnpriced adds the nights that have no price. Those that must be taken are refused already; this is about a night that
// other software has stored in the booking without a price, and that has no item. Under a plan, the plan refuses it.
func (r *Refused) addUnpriced(q *Quote) {
	for _, line := range q.Lines {
		if line.Plan != nil {
			continue
		}
		for _, night := range line.Nights {
			known := slices.ContainsFunc(r.Nights, func(n RefusedNight) bool { return n.RoomTypeID == line.RoomTypeID && n.Date == night.Date })
			if !night.Price.IsSet() && !known {
				r.Nights = append(r.Nights, RefusedNight{RoomTypeID: line.RoomTypeID, Date: night.Date, Reason: NotOnSale})
			}
		}
	}
}

// Current returns an error if the quote no longer fits what has been booked, or the date: a [*Refused] with
// [PriceChanged] for the nights that the booking keeps, if the quote has a different stored price for them; and a
// [*dynastay.InvalidError] for the field "Stay" if rooms of a night before today at the property would be added, returned
// or sold under another plan, for "BusinessDate" as [Quote.Current], for "Lines[i].Number" if the booking has no such line, and
// for a price if two lines that are sold anew disagree about the stored one. For a new booking, use [Quote.Current].
func (s *Sale) Current(now time.Time) error {
	today, err := s.quote.Property.worksOn(s.quote.BusinessDate, now)
	if err != nil {
		return err
	}
	for i, line := range s.quote.Lines {
		if line.Number > 0 && s.goesOn[i] < 0 {
			return dynastay.Invalid(fmt.Sprintf("Lines[%d].Number", i), "must be that of a line that the booking has for the room type")
		}
	}
	for _, at := range s.each {
		if (at.rooms != 0 || at.gets()) && at.date.Before(today) {
			return dynastay.Invalid("Stay", "must not change the rooms of %s, which is before today, %s at the property", at.date, today)
		}
	}
	if err := s.oneSource(); err != nil {
		return err
	}
	var refused []RefusedNight
	for i, line := range s.quote.Lines {
		for _, night := range line.Nights {
			kept := s.booked.kept(s.goesOn[i], &line, night.Date).stored()
			if !line.Agreed && kept.IsSet() && night.stored().IsSet() && kept != night.stored() {
				refused = append(refused, RefusedNight{
					RoomTypeID: line.RoomTypeID, RatePlanID: line.source(), Date: night.Date, Reason: PriceChanged, Price: kept,
				})
			}
		}
	}
	if len(refused) > 0 {
		return &Refused{refused}
	}
	return nil
}

// oneSource returns an error if two lines that are sold anew disagree about a stored price: the database compares one.
// [Quote.Validate] cannot tell for lines with numbers, some of which keep another price.
func (s *Sale) oneSource() error {
	type source struct {
		roomTypeID, planID string
		date               dynastay.Date
	}
	prices := map[source]dynastay.Money{}
	for i, line := range s.quote.Lines {
		for n, night := range line.Nights {
			if line.Agreed || !s.booked.kept(s.goesOn[i], &line, night.Date).Date.IsZero() {
				continue
			}
			of := source{line.RoomTypeID, line.source(), night.Date}
			if price, there := prices[of]; there && price != night.stored() && price.IsSet() && night.stored().IsSet() {
				return otherSource(i, n, &line)
			}
			prices[of] = night.stored()
		}
	}
	return nil
}
