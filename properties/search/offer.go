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
	// Quotes are what can be booked, cheapest first: a quote of each room type that holds the party or, if none does, of
	// the cheapest combination of rooms. If that has too many room types for one booking of so many nights, it is the
	// cheapest of a single type. There is at least one quote. Quotes reserve nothing. Rooms that cost more than
	// 999,999,999,999.999 for the stay are not combined.
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
	ErrTooLong = dynastay.Refusal("the stay is too long for a booking of so many room types")
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

	large  bool    // a room type holds the party alone, but cannot be sold
	failed []error // of room types that cannot be quoted
}

// quotes returns what can be booked, cheapest first. It returns nothing if that does not meet the filters, and the
// reason if there is nothing.
func (o *offering) quotes() ([]*availability.Quote, error) {
	var suitable []int // indexes of room types
	for i, room := range o.card.Rooms {
		if !o.Filter.FreeCancellation || o.freeNow(room) {
			suitable = append(suitable, i)
		}
	}
	if len(suitable) == 0 {
		return nil, nil
	}
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
	quotes = slices.DeleteFunc(quotes, func(q *availability.Quote) bool { return !o.affordable(q.Total) })
	slices.SortFunc(quotes, cheaper)
	return quotes, nil
}

// cheaper compares quotes by total and then by room type. Other software may have stored nights in several currencies,
// which have no order by amount, so the currency is compared first.
func cheaper(a, b *availability.Quote) int {
	amounts, _ := a.Total.Compare(b.Total) // 0 if the currencies differ
	return cmp.Or(
		cmp.Compare(a.Total.Currency(), b.Total.Currency()), amounts, strings.Compare(a.Lines[0].RoomTypeID, b.Lines[0].RoomTypeID),
	)
}

// alone returns a quote of each room type that holds the party alone, and the room types that can be quoted.
func (o *offering) alone(suitable []int) (quotes []*availability.Quote, usable []int, err error) {
	for _, i := range suitable {
		q, err := o.quote(properties.Choice{RoomTypeID: o.card.Rooms[i].ID, Quantity: o.Rooms})
		var refused *availability.Refused
		switch {
		case err == nil:
			quotes = append(quotes, q)
		case errors.As(err, &refused):
			o.large = true
		case errors.Is(err, availability.ErrTooSmall):
		case isRefusal(err):
			return nil, nil, err
		default:
			o.failed = append(o.failed, err)
			continue
		}
		usable = append(usable, i)
	}
	return quotes, usable, nil
}

// together returns a quote of the cheapest combination of room types.
func (o *offering) together(suitable []int) ([]*availability.Quote, error) {
	var types []roomType
	currency := o.currency(suitable)
	for _, i := range suitable {
		types = append(types, o.roomType(i, currency))
	}
	choices, err := combine(types, party{o.Guests, o.Rooms})
	switch {
	// A room type that holds the party alone is not too small, even if the property has put none of its rooms on sale.
	case errors.Is(err, ErrTooFew), errors.Is(err, availability.ErrTooSmall) && o.large:
		if refused := o.refused(suitable); len(refused.Nights) > 0 {
			return nil, refused
		}
		return nil, err
	case err != nil:
		return nil, err
	case len(choices)*(o.Stay.Nights()+1) > maxActions:
		if choices = ofOneType(types, party{o.Guests, o.Rooms}); choices == nil {
			return nil, ErrTooLong
		}
	}
	q, err := o.quote(choices...)
	if err != nil {
		return nil, err
	}
	return []*availability.Quote{q}, nil
}

// refused returns the nights of room types that cannot be sold, or not in the currency of the property.
func (o *offering) refused(suitable []int) *availability.Refused {
	refused := &availability.Refused{}
	currency := o.currency(suitable)
	for _, i := range suitable {
		refused.Nights = append(refused.Nights, o.rooms[i].Refused...)
		for _, n := range o.rooms[i].Nights {
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
func (o *offering) currency(suitable []int) dynastay.Currency {
	currency := o.card.Prices.Min.Currency() // that of the request if it has one, see meets
	for _, i := range suitable {             // other software may have stored a property without its range of prices
		currency = cmp.Or(currency, o.rooms[i].Prices().Total.Currency())
	}
	return currency
}

// roomType returns what is left of a room type for the stay. Rooms whose price cannot be added to the others are not.
func (o *offering) roomType(i int, currency dynastay.Currency) roomType {
	room, a := o.card.Rooms[i], o.rooms[i]
	t := roomType{id: room.ID, limits: room.Limits, left: a.Left(), price: a.Prices().Total}
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

func (o *offering) quote(choices ...properties.Choice) (*availability.Quote, error) {
	req, err := o.card.QuoteRequest(o.Stay, o.Guests, choices...)
	if err != nil {
		return nil, err
	}
	return o.nights.QuoteOf(req, o.rooms)
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

// freeNow reports whether a room that is booked now can still be cancelled free of charge.
func (o *offering) freeNow(room properties.CardRoom) bool {
	policy := room.CancellationPolicy
	if policy == "" {
		policy = o.card.CancellationPolicy
	}
	terms, ok := policy.Terms()
	if !ok || terms.Percent < 100 {
		return false
	}
	zone, err := availability.House{TimeZone: o.card.TimeZone}.Location()
	if err != nil {
		return true // its quote fails for the same reason, which is then reported
	}
	arrival := o.Stay.CheckIn.Time()
	clock, _ := time.Parse("15:04", o.card.CheckInTime) // from midnight if that is not a time of day
	checkIn := time.Date(arrival.Year(), arrival.Month(), arrival.Day(), clock.Hour(), clock.Minute(), 0, 0, zone)
	return checkIn.Sub(o.now).Hours() > float64(terms.Hours)
}
