package availability

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
)

// Booked is what a booking has already, for a quote that changes it. It has at most one line for each room type, and none
// under a rate plan: bookings do not keep them yet. Of the lines, the names, the policies and the
// subtotals are not used. A line whose quantity is not positive, which only other software can have stored, has no rooms.
type Booked struct {
	Stay    dynastay.Stay `json:",omitzero"`
	Arrived bool          // the guests are there, or were expected before today
	Lines   []Line        `json:",omitzero"`
}

func (b Booked) line(roomTypeID string) (Line, bool) {
	i := slices.IndexFunc(b.Lines, func(l Line) bool { return l.RoomTypeID == roomTypeID })
	if i < 0 {
		return Line{}, false
	}
	return b.Lines[i], true
}

func (b Booked) quantity(roomTypeID string) int {
	line, _ := b.line(roomTypeID)
	return max(0, line.Quantity)
}

// overbooked returns the overbooked nights that a stay keeps.
func (b Booked) overbooked(roomTypeID string, stay dynastay.Stay) (dates []dynastay.Date) {
	line, _ := b.line(roomTypeID)
	for _, date := range line.Overbooked {
		if stay.Contains(date) {
			dates = append(dates, date)
		}
	}
	return dates
}

// kept returns the price of a night that the booking keeps at its price: one of a room type of which it gets no more rooms.
// It is unset for any other night.
func (b Booked) kept(roomTypeID string, quantity int, date dynastay.Date) dynastay.Money {
	line, _ := b.line(roomTypeID)
	i := slices.IndexFunc(line.Nights, func(n NightPrice) bool { return n.Date == date })
	if i < 0 || line.Quantity < quantity || !b.Stay.Contains(date) {
		return dynastay.Money{}
	}
	return line.Nights[i].Price
}

// Requote is [Repository.Quote] for a change of a booking. The booking's own rooms count as available. The nights that
// the booking keeps keep their price, also with fewer rooms; if it gets more rooms of a room type, all nights of the room
// type have their current price.
//
// Rooms that are added must meet the restrictions of the first and last night, as a new booking must. Otherwise, those of
// the first night hold if the arrival moves, and that of the last night if the departure moves. If only the departure
// moves, a stay that gets shorter must meet the minimum stay, and one that gets longer the maximum stay, unless the guests
// have arrived.
//
// Rooms of nights before today at the property can be neither added nor returned; for these, Requote returns a
// [*dynastay.InvalidError] for the field "Stay". 1 request per room type if the stay changes; otherwise, only for one that
// gets more rooms.
func (r *Repository) Requote(ctx context.Context, req QuoteRequest, booked Booked) (*Quote, error) {
	now := r.db.Now()
	if err := req.validate(); err != nil {
		return nil, err
	}
	for i, room := range req.Rooms {
		if room.RatePlanID != "" || room.Party != nil {
			return nil, dynastay.Invalid(fmt.Sprintf("Rooms[%d]", i), "must have no rate plan and no party: bookings do not keep them yet")
		}
	}
	q := &Quote{Property: req.Property, Stay: req.Stay, Guests: req.Guests, Sleeps: sleeps(req.Rooms), Overbook: req.Overbook, At: now}
	seen := map[dynastay.Ref]dynastay.Row{}
	for _, room := range merged(req.Rooms) {
		line, err := r.prices(ctx, room.line(), req.Stay, booked, seen)
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
	if err := sale.judge(seen); err != nil && !errors.As(err, &refused) {
		return nil, err
	}
	refused.addUnpriced(q)
	if refused.add(q.inOtherCurrencies(booked)); len(refused.Nights) > 0 {
		return nil, refused
	}
	q.Lines = sale.lines(seen)
	if err := q.add(); err != nil {
		return nil, err
	}
	return q, nil
}

// prices sets the prices of a line, and adds to seen the nights that it had to read.
func (r *Repository) prices(
	ctx context.Context, line Line, stay dynastay.Stay, booked Booked, seen map[dynastay.Ref]dynastay.Row,
) (Line, error) {
	// All nights of a line are kept at their price if the stay remains the same, no rooms are added, and it has a price for
	// each.
	read := stay != booked.Stay
	kept := map[dynastay.Date]dynastay.Money{}
	for date := range stay.Dates() {
		kept[date] = booked.kept(line.RoomTypeID, line.Quantity, date)
		read = read || !kept[date].IsSet()
	}
	current := map[dynastay.Date]dynastay.Money{}
	if read {
		rows, err := r.read(ctx, line.RoomTypeID, stay)
		if err != nil {
			return line, err
		}
		for date := range stay.Dates() {
			seen[nightRef(line.RoomTypeID, date)] = dynastay.Row{}
		}
		for _, row := range rows {
			night, err := r.entity.Value(row)
			if err != nil {
				return line, err
			}
			seen[nightRef(line.RoomTypeID, night.Date)] = row
			current[night.Date] = night.Price
		}
	}
	for date := range stay.Dates() {
		price := kept[date]
		if !price.IsSet() {
			price = current[date]
		}
		line.Nights = append(line.Nights, NightPrice{Date: date, Price: price})
	}
	return line, nil
}

// addUnpriced adds the nights that have no price. Those that must be taken are refused already; this is about a night that
// other software has stored in the booking without a price, and that has no item.
func (r *Refused) addUnpriced(q *Quote) {
	for _, line := range q.Lines {
		for _, night := range line.Nights {
			known := slices.ContainsFunc(r.Nights, func(n RefusedNight) bool { return n.RoomTypeID == line.RoomTypeID && n.Date == night.Date })
			if !night.Price.IsSet() && !known {
				r.Nights = append(r.Nights, RefusedNight{RoomTypeID: line.RoomTypeID, Date: night.Date, Reason: NotOnSale})
			}
		}
	}
}

// Current returns an error if the quote no longer fits what has been booked, or the date: a [*Refused] with
// [PriceChanged] for the nights that the booking keeps, if the quote has a different price for them; and a
// [*dynastay.InvalidError] for the field "Stay" if rooms of a night before today at the property would be added or
// returned. For a new booking, use [Quote.Current].
func (s *Sale) Current(now time.Time) error {
	today, err := s.quote.Property.Today(now)
	if err != nil {
		return dynastay.Within("Property", err)
	}
	for _, at := range s.each {
		if at.rooms != 0 && at.date.Before(today) {
			return dynastay.Invalid("Stay", "must not change the rooms of %s, which is before today, %s at the property", at.date, today)
		}
	}
	var refused []RefusedNight
	for _, line := range s.quote.Lines {
		for _, night := range line.Nights {
			price := s.booked.kept(line.RoomTypeID, line.Quantity, night.Date)
			if price.IsSet() && price != night.Price {
				refused = append(refused, RefusedNight{RoomTypeID: line.RoomTypeID, Date: night.Date, Reason: PriceChanged, Price: price})
			}
		}
	}
	if len(refused) > 0 {
		return &Refused{refused}
	}
	return nil
}
