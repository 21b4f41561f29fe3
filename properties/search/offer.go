package search

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

// Offer is a property that can lodge the party.
type Offer struct {
	Property *properties.Card `json:",omitzero"`
	Distance float64          // metres from the point of the request; 0 if it has none
	// Quotes are what can be booked, by what the guest pays, see [availability.Quote.GuestPays], cheapest first: a quote of
	// each room type that holds the party, under each advertised rate plan that is for it; or, if none does, of the cheapest
	// combination of rooms, of each room type under the plan that is cheapest for one room, without charges that are added. If
	// that has too many lines for one booking of so many nights, it is the cheapest of a single type. There is at least one
	// quote. Quotes reserve nothing. Rooms that cost more than 999,999,999,999.999 for the stay are not combined.
	Quotes []*availability.Quote `json:",omitzero"`
}

// Refusal is a property that meets the conditions of a request but cannot lodge the party for the stay.
type Refusal struct {
	Property *properties.Card `json:",omitzero"`
	Distance float64
	// Err is an [*availability.Refused] with the nights that cannot be sold; or matches [availability.ErrTooSmall] if no
	// rooms that the property has opened for the stay, sold or not, hold the party with an adult in each, [ErrTooFew], or
	// [ErrTooLong]; or is a [*dynastay.InvalidError] for the field "Stay.CheckIn" if that is before today at the property.
	Err error `json:"-"`
}

// The reasons why a party that no room type holds alone cannot be lodged.
var (
	ErrTooFew  = dynastay.Refusal("not enough rooms are left for the guests")
	ErrTooLong = dynastay.Refusal("the stay is too long, or the parties too many, for one booking")
)

// maxActions is the number of actions that a booking may use for its rooms and their nights. A transaction has 100; the
// others are for the booking itself, its guards, its record and its promo code.
const maxActions = 95

// offering creates the quotes of one property.
type offering struct {
	Request
	now    time.Time
	nights *availability.Repository
	card   *properties.Card
	rooms  []availability.Availability // of the room types on the card, in their order

	plans  []availability.RatePlan // of the card, with those that they are derived from
	large  bool                    // a room type holds the party alone, but cannot be sold
	failed []error                 // of sales that cannot be quoted
}

// quotes returns what can be booked, cheapest first. It returns nothing if that does not meet the filters, and the
// reason if there is nothing.
func (o *offering) quotes() ([]*availability.Quote, error) {
	suitable := o.sales()
	if len(suitable) == 0 {
		return nil, nil
	}
	req, err := o.request()
	if err != nil {
		return nil, err
	}
	o.plans = req.RatePlans
	quotes, suitable, err := o.alone(suitable)
	switch {
	case err != nil:
	case len(suitable) == 0:
		err, o.failed = o.failed[0], o.failed[1:]
	case len(quotes) == 0:
		quotes, err = o.together(suitable)
	}
	if err != nil {
		return nil, err
	}
	if o.Currency != "" && len(quotes) > 0 {
		quotes = slices.DeleteFunc(quotes, func(q *availability.Quote) bool { return q.Total.Currency() != o.Currency })
		if len(quotes) == 0 {
			return nil, o.refused(suitable)
		}
	}
	quotes = slices.DeleteFunc(quotes, func(q *availability.Quote) bool { return !o.affordable(pays(q)) })
	slices.SortStableFunc(quotes, cheaper) // equal ones stay in the order of the plans
	return quotes, nil
}

// pays returns what the guest pays with the booking.
func pays(q *availability.Quote) dynastay.Money {
	amount, _ := q.GuestPays() // cannot fail: the quote has just been made
	return amount
}

// cheaper compares quotes by what the guest pays and then by room type. Other software may have stored nights in several
// currencies, which have no order by amount, so the currency is compared first.
func cheaper(a, b *availability.Quote) int {
	amounts, _ := pays(a).Compare(pays(b)) // 0 if the currencies differ
	return cmp.Or(
		cmp.Compare(a.Total.Currency(), b.Total.Currency()), amounts, strings.Compare(a.Lines[0].RoomTypeID, b.Lines[0].RoomTypeID),
	)
}

// alone returns a quote of each sale of a room type that holds the party alone, and the sales that can be quoted.
func (o *offering) alone(suitable []sale) (quotes []*availability.Quote, usable []sale, err error) {
	for _, s := range suitable {
		q, err := o.quote(slices.Repeat([]sale{s}, o.Rooms))
		var refused *availability.Refused
		switch {
		case err == nil:
			quotes = append(quotes, q)
		case errors.As(err, &refused), errors.Is(err, ErrTooLong):
			o.large = true
		case errors.Is(err, availability.ErrTooSmall):
		case isRefusal(err):
			return nil, nil, err
		default:
			o.failed = append(o.failed, err)
			continue
		}
		usable = append(usable, s)
	}
	return quotes, usable, nil
}

// together returns a quote of the cheapest combination of room types. Who stays in which room is known only once the rooms are
// chosen. If a plan is not for those who then stay, they are chosen once more without it.
func (o *offering) together(suitable []sale) ([]*availability.Quote, error) {
	var because error // of the first choice
	all := &availability.Refused{}
	for {
		c := o.cheapest(suitable)
		if len(c.all) == 0 && because == nil {
			last := len(o.failed) - 1
			err := o.failed[last]
			o.failed = o.failed[:last]
			return nil, err
		}
		choices, q, err := o.combine(c)
		if err == nil {
			return []*availability.Quote{q}, nil
		}
		if refused := (*availability.Refused)(nil); errors.As(err, &refused) {
			all.Nights = append(all.Nights, refused.Nights...)
		}
		because = cmp.Or(because, err)
		if suitable = c.without(choices, o.card, err); len(suitable) == len(c.all) || len(suitable) == 0 {
			break
		}
	}
	if len(all.Nights) > 0 {
		return nil, all
	}
	return nil, because
}

// combine returns the cheapest combination and its quote, or why there is none.
func (o *offering) combine(c combinable) ([]properties.Choice, *availability.Quote, error) {
	choices, err := combine(c.types, party{o.Guests, o.Rooms})
	switch {
	// A room type that holds the party alone is not too small, even if the property has put none of its rooms on sale.
	case errors.Is(err, ErrTooFew), errors.Is(err, availability.ErrTooSmall) && o.large:
		if refused := o.refused(c.all); len(refused.Nights) > 0 {
			err = refused
		}
		return nil, nil, err
	case err != nil:
		return nil, nil, err
	}
	q, err := o.quote(c.rooms(choices))
	if errors.Is(err, ErrTooLong) {
		if one := ofOneType(c.types, party{o.Guests, o.Rooms}); one != nil {
			choices = one
			q, err = o.quote(c.rooms(choices))
		}
	}
	return choices, q, err
}

// refused returns the nights of room types that cannot be sold, or not in the currency of the property.
func (o *offering) refused(suitable []sale) *availability.Refused {
	refused := &availability.Refused{}
	currency := o.currency(suitable)
	for i, s := range suitable {
		_, nights, _ := o.perRoom(s)
		if refused.Nights = append(refused.Nights, nights...); i > 0 && suitable[i-1].room == s.room {
			continue
		}
		refused.Nights = append(refused.Nights, o.rooms[s.room].Refused...)
		for _, n := range o.rooms[s.room].Nights {
			if n.Price.IsSet() && n.Price.Currency() != currency {
				refused.Nights = append(refused.Nights, availability.RefusedNight{
					RoomTypeID: n.RoomTypeID, Date: n.Date, Reason: availability.OtherCurrency, Price: n.Price,
				})
			}
		}
	}
	return refused
}

// ofOneType returns the cheapest rooms of a single type that hold a party, or nil.
func ofOneType(types []roomType, p party) (best []properties.Choice) {
	var least cost
	for _, t := range types {
		choices, err := combine([]roomType{t}, p)
		if err != nil {
			continue
		}
		price, _ := key.PriceOf(t.price) // combine has accepted it
		total := stocked{price: price}.cost() * cost(choices[0].Quantity)
		if best == nil || total < least {
			best, least = choices, total
		}
	}
	return best
}

// currency returns the currency in which rooms are combined.
func (o *offering) currency(suitable []sale) dynastay.Currency {
	currency := o.card.Prices.Min.Currency() // that of the request if it has one, see meets
	for _, s := range suitable {             // other software may have stored a property without its range of prices
		currency = cmp.Or(currency, o.rooms[s.room].Prices().Total.Currency())
	}
	return currency
}

// roomType returns what is left of a room type for the stay at the price of one room. Rooms whose price cannot be added to
// the others are not.
func (o *offering) roomType(i int, price dynastay.Money, currency dynastay.Currency) roomType {
	room, a := o.card.Rooms[i], o.rooms[i]
	t := roomType{id: room.ID, limits: room.Limits, left: a.Left(), price: price}
	for _, night := range a.Nights {
		t.total = max(t.total, night.Total)
	}
	if len(a.Nights) < o.Stay.Nights() {
		t.total = maxRooms // unknown; the reason is that nights are not on sale, not that the rooms are too few
	}
	if _, err := key.PriceOf(t.price); err != nil || t.price.Currency() != currency {
		t.left = 0
	}
	return t
}

// quote returns a quote of rooms, or ErrTooLong if a booking of them needs too many actions or lines.
func (o *offering) quote(rooms []sale) (*availability.Quote, error) {
	choices, fits := o.divide(rooms)
	if !fits {
		return nil, availability.ErrTooSmall
	}
	lines := map[string]int{} // by room type
	for _, choice := range choices {
		if lines[choice.RoomTypeID]++; lines[choice.RoomTypeID] > availability.MaxLines {
			return nil, ErrTooLong
		}
	}
	most := maxActions
	if o.card.Charges != nil {
		most-- // for them
	}
	if len(lines)*o.Stay.Nights()+len(choices) > most {
		return nil, ErrTooLong
	}
	req, err := o.request(choices...)
	if err != nil {
		return nil, err
	}
	return o.nights.QuoteOf(req, o.rooms)
}

func (o *offering) request(choices ...properties.Choice) (availability.QuoteRequest, error) {
	return o.card.QuoteRequest(o.Stay, o.Guests, choices...)
}

// affordable reports whether a total meets the filter of prices. The price of a night may have more decimal places than
// money has, so the total is compared with the bounds of the whole stay.
func (o *offering) affordable(total dynastay.Money) bool {
	if o.Currency == "" {
		return true
	}
	within := func(bound dynastay.Money, sign int) bool {
		if !bound.IsSet() {
			return true
		}
		stay, _ := bound.Times(o.Stay.Nights()) // never too large, see validatePrices
		n, err := total.Compare(stay)
		return err == nil && n*sign >= 0
	}
	return within(o.Filter.MinNightly, 1) && within(o.Filter.MaxNightly, -1)
}
