package availability

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Sale takes the rooms of a quote out of the inventory. For a booking that changes, it takes only what the booking does not
// have yet, and returns what it no longer needs. It is for authors of operations that sell nights, such as those of package
// bookings. It provides the actions for [dynastay.OpSpec.Prepare], and the error if one of them fails.
type Sale struct {
	nights *Repository
	quote  *Quote
	booked Booked
	goesOn []int // for each line of the quote, the line of the booking that it goes on with, or −1
	each   []nightSale
}

// Sold is the result of [Sale.Add].
type Sold struct {
	Lines []Line `json:",omitzero"` // of the quote, with the nights that are overbooked if the write succeeds
	// Missing lists the nights whose rooms cannot be returned, because the item of the night no longer exists or has no number
	// of available rooms.
	Missing []MissingNight `json:",omitzero"`
}

// MissingNight is a night of a room type whose rooms could not be returned.
type MissingNight struct {
	RoomTypeID string
	Date       dynastay.Date `json:",omitzero"`
}

// Sale returns the sale of a quote. The quote must have passed [Quote.Validate].
func (r *Repository) Sale(q *Quote) *Sale { return r.SaleFor(q, Booked{}) }

// SaleFor returns the sale that changes a booking to match a quote. The quote must have passed [Quote.Validate], and the sale
// [Sale.Current].
func (r *Repository) SaleFor(q *Quote, booked Booked) *Sale {
	goesOn := booked.GoesOn(q.Lines)
	return &Sale{r, q, booked, goesOn, nightSalesOf(q, booked, goesOn)}
}

// Contest returns the contest for the nights: callers in one process queue for them, and a refusal lists every night
// that cannot be sold, with its reasons. To find these, it reads the nights again, with 1 request per room type. It has no
// Items if a booking keeps all that it has.
func (s *Sale) Contest() *dynastay.Contest {
	var refs []dynastay.Ref
	for _, at := range s.each {
		refs = append(refs, at.ref)
	}
	return &dynastay.Contest{Items: refs, Judge: s.judge, See: s.see}
}

// NightRef returns a reference to the item of a night, for the [dynastay.Contest] of an operation that sells or returns
// its rooms. It returns a [*dynastay.InvalidError] for an invalid id or date.
func NightRef(roomTypeID string, date dynastay.Date) (dynastay.Ref, error) {
	key, err := keys.Of(keys.Night{RoomTypeID: roomTypeID, Date: date})
	return dynastay.RefOf(keys.AvailabilityTable, key), err
}

// nightRef is for the nights of a quote or of a booking. The error is ignored because the quote has been validated; a night
// of a booking with an invalid id has no key, and is rejected as such.
func nightRef(roomTypeID string, date dynastay.Date) dynastay.Ref {
	ref, _ := NightRef(roomTypeID, date)
	return ref
}

// Add adds one action for each night whose rooms are taken or returned, and one for a night that a booking keeps but whose
// rules apply anew. If the quote allows overbooking, this takes 1 request per room type, otherwise none. Without that, a night
// is overbooked within its limit only after it was found to have too few rooms.
func (s *Sale) Add(ctx context.Context, tx *dynastay.Tx) (Sold, error) {
	seen, err := s.known(ctx, tx)
	if err != nil {
		return Sold{}, err
	}
	sold := Sold{Lines: s.lines(seen)}
	for _, at := range s.each {
		if tx.Skipped(keys.AvailabilityTable, at.ref.Key) { // only returns are
			sold.Missing = append(sold.Missing, MissingNight{at.roomTypeID, at.date})
		}
		s.add(tx, at, seen[at.ref])
	}
	return sold, nil
}

// known returns the nights that the sale may overbook: if the quote allows it, all of them, and otherwise those whose condition
// failed in this write. With rooms left, nothing has to be read.
func (s *Sale) known(ctx context.Context, tx *dynastay.Tx) (map[dynastay.Ref]dynastay.Row, error) {
	if s.quote.Overbook > 0 {
		return s.see(ctx)
	}
	found := map[dynastay.Ref]dynastay.Row{}
	for _, at := range s.each {
		if row, failed := tx.Found(keys.AvailabilityTable, at.ref.Key); failed {
			found[at.ref] = row
		}
	}
	return found, nil
}

// lines returns the lines of the quote with their overbooked nights: those that the booking has already, and those that
// the sale overbooks, given the nights as they were seen.
func (s *Sale) lines(seen map[dynastay.Ref]dynastay.Row) []Line {
	lines := s.quote.Clone().Lines
	for i := range lines {
		lines[i].Overbooked = s.booked.overbooked(s.goesOn[i], s.quote.Stay)
	}
	for _, at := range s.each {
		if s.overbooks(at, seen[at.ref]) == within {
			continue
		}
		for _, i := range at.lines {
			kept := !s.booked.kept(s.goesOn[i], &s.quote.Lines[i], at.date).Date.IsZero() // it had its room before
			if !kept && !slices.Contains(lines[i].Overbooked, at.date) {
				lines[i].Overbooked = append(lines[i].Overbooked, at.date)
			}
		}
	}
	for _, line := range lines {
		slices.SortFunc(line.Overbooked, dynastay.Date.Compare)
	}
	return lines
}

// see reads the nights of the quote that the sale touches.
func (s *Sale) see(ctx context.Context) (map[dynastay.Ref]dynastay.Row, error) {
	seen := map[dynastay.Ref]dynastay.Row{}
	for i, line := range s.quote.Lines {
		touched := false
		for _, at := range s.each {
			if len(at.lines) > 0 && at.lines[0] == i {
				seen[at.ref], touched = dynastay.Row{}, true
			}
		}
		if !touched {
			continue
		}
		rows, err := s.nights.read(ctx, line.RoomTypeID, s.quote.Stay, dynastay.Consistent)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			seen[dynastay.RefOf(keys.AvailabilityTable, keys.AvailabilityTable.Key.From(row))] = row
		}
	}
	return seen, nil
}

// judge refuses the sale if any of the nights that were read cannot be sold as quoted.
func (s *Sale) judge(seen map[dynastay.Ref]dynastay.Row) error {
	var all []RefusedNight
	for _, at := range s.each {
		row, known := seen[at.ref]
		if !known {
			continue
		}
		nights, err := s.refusals(at, row)
		if err != nil {
			return err
		}
		all = append(all, nights...)
	}
	if len(all) == 0 {
		return nil
	}
	return &Refused{all}
}

// refusals returns why the sale cannot do with a stored night what it has to; it is empty if it can.
func (s *Sale) refusals(at nightSale, row dynastay.Row) ([]RefusedNight, error) {
	if at.rooms < 0 && !returnable(row, s.quote.Property.ID) {
		if at.gets() {
			return []RefusedNight{{RoomTypeID: at.roomTypeID, Date: at.date, Reason: NotOnSale}}, nil
		}
		return nil, nil // it is done without
	}
	var night *Night
	if row.Exists() {
		var err error
		if night, err = s.nights.entity.Value(row); err != nil {
			return nil, err
		}
	}
	q := s.quote
	var all []RefusedNight
	if at.gets() {
		overbook := night.overbook(q.Overbook)
		if row.Value(attrAvailable).Kind() != dynastay.KindNumber {
			overbook = 0 // nothing can be subtracted from it
		}
		line := Line{RoomTypeID: at.roomTypeID, Quantity: max(at.rooms, 0), Agreed: !at.sells}
		all = refuse(q.Property.ID, line, overbook, q.Stay, at.date, night)
		if line.Agreed && night != nil && night.PropertyID == q.Property.ID { // the rules of other lines, which keep the night
			all = append(all, at.rules.broken(at.roomTypeID, q.Stay, night)...)
		}
	} else if night != nil {
		all = at.rules.broken(at.roomTypeID, q.Stay, night)
	}
	if night == nil || at.gets() && night.PropertyID != q.Property.ID { // what is only checked is so in any property
		return all, nil
	}
	if at.price.IsSet() && night.Price != at.price {
		all = append(all, RefusedNight{RoomTypeID: at.roomTypeID, Date: at.date, Reason: PriceChanged, Price: night.Price})
	}
	for _, rate := range at.rates {
		switch {
		case rate.sold:
			all = append(all, refuseRate(at.roomTypeID, rate.planID, at.rules, q.Stay, night)...)
		case rate.kept:
			all = append(all, refuseKept(at.roomTypeID, rate.planID, at.kept, q.Stay, night)...)
		}
		if price := night.Rates[rate.planID].Price; rate.price.IsSet() && price != rate.price {
			all = append(all, RefusedNight{
				RoomTypeID: at.roomTypeID, RatePlanID: rate.planID, Date: at.date, Reason: PriceChanged, Price: price,
			})
		}
	}
	return all, nil
}

// GiveBack adds to tx the action that returns rooms of one night to the inventory. It returns a
// [*dynastay.InvalidError] for an invalid id or date, and if the number of rooms is not positive. If the night no longer has
// an item, or its item has no number of available rooms, the action is skipped: [dynastay.OpSpec.Prepare] runs again, and
// [dynastay.Tx.Skipped] is true for the night.
func (r *Repository) GiveBack(tx *dynastay.Tx, propertyID, roomTypeID string, date dynastay.Date, rooms int) error {
	night, err := NightRef(roomTypeID, date)
	if err != nil {
		return err
	}
	if rooms < 1 {
		return dynastay.Invalid("Rooms", "must be positive")
	}
	q := &Quote{Property: House{ID: propertyID}}
	(&Sale{nights: r, quote: q}).add(tx, nightSale{ref: night, rooms: -rooms}, dynastay.Row{})
	return nil
}
