package world

import (
	"fmt"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/properties"
)

// house is the plan of a hotel, from which the repositories make items.
type house struct {
	property properties.Property // as it is created
	status   properties.Status   // that it has in the end
	rooms    []properties.RoomType
	sale     []int // how many rooms of each type are on sale, out of those that the house has
	prices   []prices
	minStay  int                     // of arrivals on a Friday or Saturday; 0 for no minimum
	promo    *promo                  // nil for none
	plans    []availability.RatePlan // in their order; nil for none
	charges  []charges.Charge        // in their order; nil for none
	units    [][]units.Unit          // by room type; nil for none

	created time.Time
	opened  time.Time // when the nights were put on sale
}

// prices are those of one room type.
type prices struct{ weekday, weekend dynastay.Money }

// maxRoomTypes and maxOnSale bound how many bookings a hotel can have.
const (
	maxRoomTypes = 3
	maxOnSale    = 4
)

// mostBookings is the largest number of bookings of a hotel: every room is sold to a different guest every night. A
// booking that is given up is the only one of its nights, so it does not add to this.
func mostBookings(nights int) int { return maxRoomTypes * maxOnSale * nights }

// kind is a kind of house, with its typical properties.
type kind struct {
	kind    properties.Type
	stars   []share[int]
	names   []string
	rooms   []roomKind // the cheapest first
	many    []share[int]
	percent int // of a plain hotel's price
}

type roomKind struct {
	name                     string
	adults, children, guests int
	beds                     []properties.Bed
	sqm                      int
	percent                  int // of the price of the first kind
}

var kinds = []share[*kind]{
	{58, &kind{
		kind: properties.Hotel, percent: 100,
		stars: []share[int]{{4, 1}, {12, 2}, {40, 3}, {31, 4}, {13, 5}},
		names: []string{"The %s", "Hotel %s", "%s Hotel", "%s House", "Grand %s Hotel", "%s Inn", "%s Plaza", "Hotel %s %s"},
		many:  []share[int]{{20, 1}, {45, 2}, {35, 3}},
		rooms: []roomKind{
			{"Standard Double", 2, 1, 2, []properties.Bed{{Type: "double", Count: 1}}, 18, 100},
			{"Twin Room", 2, 1, 2, []properties.Bed{{Type: "single", Count: 2}}, 19, 104},
			{"Superior Queen", 2, 1, 3, []properties.Bed{{Type: "queen", Count: 1}}, 24, 126},
			{"Deluxe King", 2, 2, 3, []properties.Bed{{Type: "king", Count: 1}}, 30, 155},
			{"Family Room", 3, 3, 4, []properties.Bed{{Type: "queen", Count: 1}, {Type: "single", Count: 2}}, 36, 182},
			{"Junior Suite", 3, 2, 4, []properties.Bed{{Type: "king", Count: 1}, {Type: "sofa_bed", Count: 1}}, 45, 235},
		},
	}},
	{22, &kind{
		kind: properties.Apartment, percent: 92,
		stars: []share[int]{{80, 0}, {14, 3}, {6, 4}},
		names: []string{"%s Lofts", "%s Apartments", "%s Residence", "%s %s Suites", "Casa %s"},
		many:  []share[int]{{55, 1}, {30, 2}, {15, 3}},
		rooms: []roomKind{
			{"Studio", 2, 1, 2, []properties.Bed{{Type: "double", Count: 1}}, 28, 100},
			{"One-Bedroom Apartment", 3, 2, 4, []properties.Bed{{Type: "queen", Count: 1}, {Type: "sofa_bed", Count: 1}}, 48, 142},
			{"Two-Bedroom Apartment", 4, 3, 6, []properties.Bed{{Type: "queen", Count: 2}, {Type: "sofa_bed", Count: 1}}, 72, 205},
		},
	}},
	{10, &kind{
		kind: "guesthouse", percent: 66,
		stars: []share[int]{{70, 0}, {20, 2}, {10, 3}},
		names: []string{"%s Guesthouse", "Villa %s", "%s Rooms", "The %s B&B"},
		many:  []share[int]{{35, 1}, {45, 2}, {20, 3}},
		rooms: []roomKind{
			{"Single Room", 1, 0, 1, []properties.Bed{{Type: "single", Count: 1}}, 11, 70},
			{"Double Room", 2, 1, 2, []properties.Bed{{Type: "double", Count: 1}}, 16, 100},
			{"Family Room", 2, 2, 4, []properties.Bed{{Type: "double", Count: 1}, {Type: "bunk", Count: 1}}, 24, 150},
		},
	}},
	{6, &kind{
		kind: properties.Resort, percent: 150,
		stars: []share[int]{{55, 4}, {45, 5}},
		names: []string{"%s Resort", "%s Resort & Spa", "%s %s Resort"},
		many:  []share[int]{{10, 1}, {40, 2}, {50, 3}},
		rooms: []roomKind{
			{"Garden Room", 2, 1, 3, []properties.Bed{{Type: "king", Count: 1}}, 32, 100},
			{"Terrace Room", 2, 2, 4, []properties.Bed{{Type: "queen", Count: 2}}, 38, 128},
			{"Bungalow", 3, 2, 4, []properties.Bed{{Type: "king", Count: 1}, {Type: "single", Count: 1}}, 52, 175},
			{"Pool Villa", 4, 3, 6, []properties.Bed{{Type: "king", Count: 2}, {Type: "sofa_bed", Count: 1}}, 110, 360},
		},
	}},
	{4, &kind{
		kind: "hostel", percent: 40,
		stars: []share[int]{{1, 0}},
		names: []string{"%s Hostel", "The %s Backpackers", "%s Beds"},
		many:  []share[int]{{40, 1}, {60, 2}},
		rooms: []roomKind{
			{"Private Double", 2, 0, 2, []properties.Bed{{Type: "double", Count: 1}}, 12, 100},
			{"Private Room for Four", 4, 2, 4, []properties.Bed{{Type: "bunk", Count: 2}}, 18, 160},
		},
	}},
}

// starPercent is the price by stars, in percent.
var starPercent = [6]int{95, 52, 72, 100, 146, 265}

var policies = []share[availability.CancellationPolicy]{
	{25, availability.FreeCancellation(24)}, {28, availability.FreeCancellation(48)}, {10, availability.FreeCancellation(72)},
	{15, availability.PartialRefund(50, 72)}, {14, availability.NonRefundable}, {8, ""},
}

const featuredPercent = 5

// house plans the i-th hotel. The plan does not depend on the number of hotels, nor on the nights on sale.
func (w *World) house(i int) *house {
	d := w.dice(forProperty, i)
	at, kind := draw(d, cityShares), draw(d, kinds)
	stars := draw(d, kind.stars)
	h := &house{property: properties.Property{
		ID: propertyID(i), Type: kind.kind, Stars: stars, OwnerID: userID(w.owner(d)),
		CheckInTime: pick(d, []string{"14:00", "15:00", "15:00", "16:00"}), CheckOutTime: pick(d, []string{"10:00", "11:00", "11:00", "12:00"}),
		TimeZone: at.zone, CancellationPolicy: draw(d, policies),
	}}
	p := &h.property
	p.Name = houseName(d, pick(d, kind.names), at)
	p.Slug = slug(strings.TrimSuffix(p.Name, " "+at.name)+" "+at.name, i)
	p.Address = properties.Address{
		Line1: fmt.Sprintf("%d %s %s", 1+d.below(300), pick(d, streets), draw(d, streetKinds)),
		City:  at.name, State: at.state, Country: at.country,
	}
	p.Address.Latitude, p.Address.Longitude = at.somewhere(d)
	p.Contact = properties.Contact{
		Phone: phoneNumber(d, at.country), Email: "stay@" + p.Slug + ".example", Website: "https://" + p.Slug + ".example",
	}
	for _, a := range amenityKinds {
		if d.percent(a.percent + a.stars*stars) {
			p.AmenityIDs = append(p.AmenityIDs, a.id)
		}
	}
	h.status = draw(d, statuses)
	p.Status = first(h.status)
	if d.percent(featuredPercent) {
		p.Featured, p.FeaturedScore = true, d.between(1, 100)
	}
	h.furnish(d, i, at, kind)
	p.Description = fmt.Sprintf("%s in %s, with %d kinds of rooms.", p.Name, at.name, len(h.rooms))

	h.created = w.before(d, 100, oldestProperty)
	h.opened = w.before(d, bookingDays+1, 99)
	h.promo = w.promo(i, h)
	h.plans = w.plans(i, h, at)
	h.charges = w.charges(i, h)
	h.units = w.numbered(i, h)
	return h
}

// before returns a time between most and least days before Today.
func (w *World) before(d dice, least, most int) time.Time {
	const day = 24 * 60 * 60
	return w.opts.Today.Time().Add(-time.Duration(d.between(least*day, most*day)) * time.Second)
}

func houseName(d dice, pattern string, at *city) string {
	words := make([]any, strings.Count(pattern, "%s"))
	for i := range words {
		words[i] = strings.ReplaceAll(pick(d, houseWords), "-", " ")
	}
	name := fmt.Sprintf(pattern, words...)
	if d.percent(20) {
		name += " " + at.name
	}
	return name
}

// furnish gives the house its rooms and their prices.
func (h *house) furnish(d dice, i int, at *city, kind *kind) {
	currency := countries[at.country].currency
	weekend := pick(d, []int{90, 100, 100, 110, 115, 120, 125, 130, 140})
	if d.percent(18) {
		h.minStay = pick(d, []int{2, 2, 3})
	}
	jitter := d.between(80, 125)
	first := at.level * kind.percent * starPercent[h.property.Stars] * jitter / 1_000_000
	left := draw(d, kind.many)
	for k, room := range kind.rooms {
		// Each of the remaining kinds has the same chance.
		if left == 0 || d.below(len(kind.rooms)-k) >= left {
			continue
		}
		left--
		sale := pick(d, []int{1, 1, 2, 2, 2, 3, 3, maxOnSale})
		p := pricesOf(first*room.percent/100, weekend, at.level, currency)
		r := properties.RoomType{
			ID: roomID(i, len(h.rooms)+1), Name: room.name,
			Description: fmt.Sprintf("%s of %d m² for %d.", room.name, room.sqm, room.guests),
			Limits:      availability.Limits{MaxOccupancy: room.guests, MaxAdults: room.adults, MaxChildren: room.children},
			SizeSqm:     float64(room.sqm + d.below(6)), Beds: room.beds, BasePrice: p.weekday, Total: sale + d.below(20),
		}
		if d.percent(10) {
			r.CancellationPolicy = availability.NonRefundable
		}
		h.rooms, h.sale, h.prices = append(h.rooms, r), append(h.sale, sale), append(h.prices, p)
	}
}

// pricesOf rounds a price to a realistic step, at most a hundredth of the city's level, and computes the weekend price
// from its percentage, exact to the minor unit.
func pricesOf(price, weekend, level int, currency dynastay.Currency) prices {
	step := 1
	for _, s := range []int{5, 10, 50, 100, 500, 1000} {
		if s <= level/100 {
			step = s
		}
	}
	price = max(price/step, 1) * step
	for range currency.MinorUnit() {
		price *= 10
	}
	return prices{minor(price, currency), minor(price*weekend/100, currency)}
}

// minor returns an amount in a currency of this package, so it cannot fail.
func minor(units int, currency dynastay.Currency) dynastay.Money {
	m, err := dynastay.MoneyOfMinor(int64(units), currency)
	if err != nil {
		panic("world: " + err.Error())
	}
	return m
}

// night returns the price of the k-th room type on a date, and the minimum stay of an arrival.
func (h *house) night(k int, date dynastay.Date) (price dynastay.Money, minStay int) {
	switch date.Weekday() {
	case time.Friday, time.Saturday:
		return h.prices[k].weekend, h.minStay
	}
	return h.prices[k].weekday, 0
}

// calls returns the calls that put the nights of the k-th room type on sale: one for each run of equal nights.
func (h *house) calls(k int, nights dynastay.Stay) (calls []availability.OpenRequest) {
	for date := range nights.Dates() {
		price, minStay := h.night(k, date)
		if n := len(calls); n > 0 && calls[n-1].Price == price && calls[n-1].MinStay == minStay {
			calls[n-1].Nights.CheckOut = date.AddDays(1)
			continue
		}
		calls = append(calls, availability.OpenRequest{
			PropertyID: h.property.ID, RoomTypeID: h.rooms[k].ID, Rooms: h.sale[k], Price: price, MinStay: minStay,
			Rates: h.rates(price), Nights: dynastay.Stay{CheckIn: date, CheckOut: date.AddDays(1)},
		})
	}
	return calls
}

func phoneNumber(d dice, in string) string {
	return fmt.Sprintf("+%s-%d-%03d-%03d", countries[in].calling, d.between(200, 999), d.below(1000), d.below(1000))
}

// The ids. As text, they sort by number.
func propertyID(i int) string   { return fmt.Sprintf("prop_%06d", i) }
func roomID(i, k int) string    { return fmt.Sprintf("room_%06d_%d", i, k) }
func imageID(i, n int) string   { return fmt.Sprintf("img_%06d_%02d", i, n) }
func userID(i int) string       { return fmt.Sprintf("user_%06d", i) }
func bookingID(i, n int) string { return fmt.Sprintf("bkg_%06d_%04d", i, n) }

// The n-th payment of a booking, and its refund.
func paymentID(booking string, n int) string {
	return fmt.Sprintf("pay_%s_%d", strings.TrimPrefix(booking, "bkg_"), n)
}
func refundID(booking string) string { return "re_" + strings.TrimPrefix(booking, "bkg_") }

// The review of a booking.
func reviewID(booking string) string { return "rev_" + strings.TrimPrefix(booking, "bkg_") }

// The n-th wishlist and the n-th movement of points of the i-th user.
func wishlistID(i, n int) string { return fmt.Sprintf("wl_%06d_%d", i, n) }
func movementID(i, n int) string { return fmt.Sprintf("mov_%06d_%02d", i, n) }

func listingID(i int) string           { return fmt.Sprintf("lst_%06d", i) }
func listingBookingID(i, n int) string { return fmt.Sprintf("bk_%06d_%04d", i, n) }
func blockID(i, n int) string          { return fmt.Sprintf("blk_%06d_%04d", i, n) }

// externalID has the number of the booking at the platform.
func externalID(booking string) string { return "res_" + strings.TrimPrefix(booking, "bk_") }
