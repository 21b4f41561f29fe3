package world

import (
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/properties"
)

// bookingDays is the number of days before Today in which guests booked.
const bookingDays = 60

// sale is the plan of a booking.
type sale struct {
	id       string
	number   int // of its reference
	made     time.Time
	arrival  int // in days from Today
	nights   int
	rooms    []choice
	booker   int // the user's number
	guests   availability.Guests
	fees     int // in percent
	requests string

	status   bookings.Status // that it has in the end
	hold     time.Duration   // 0 if it was confirmed when it was created
	moved    time.Time       // when it got a status other than its first; zero if it did not
	reason   string          // of a cancellation
	assigned bookings.Assigned
	left     time.Time           // when the guests checked out; zero if they did not
	units    map[string][]string // by room type; nil if they have none
	housed   time.Time           // when they got them; zero if that was when they came
	extended time.Time           // when the hold got more time; zero if it did not
	longer   time.Duration

	code     string               // the promo code as the guest types it; "" for none
	plan     string               // the rate plan; "" for the prices of the nights
	ages     []int                // of the children, where a plan or a charge asks for them; nil if the guests do not say
	parties  []availability.Party // of the rooms, where a charge asks who stays in which; nil otherwise
	origin                        // of the platform itself if it is zero
	notices  []notice             // of payments, in the order of time
	refunded time.Time            // when the provider reports the refund of a cancellation; zero if it does not
}

// choice is a number of rooms of the house's k-th type.
type choice struct{ k, quantity int }

var (
	feePercents = []int{0, 0, 5, 8, 10, 12, 15}
	stayLengths = []share[int]{{20, 1}, {27, 2}, {20, 3}, {12, 4}, {9, 5}, {5, 6}, {7, 7}}
	wishes      = []share[string]{
		{84, ""}, {5, "A quiet room, please"}, {4, "Late arrival, around 23:00"}, {3, "A high floor, if possible"},
		{2, "A cot for a baby"}, {2, "Feather-free pillows"},
	}
)

// sales plans the bookings of the i-th hotel, in the order of creation. It goes through the rooms one by one, and
// through each room's nights in order, so that no room is sold twice. Then it plans what becomes of the bookings.
func (w *World) sales(i int, h *house) ([]sale, error) {
	if w.opts.Empty {
		return nil, nil
	}
	d := w.dice(forBookings, i)
	// The first lane is not a room: it brings due to its average value.
	lanes := []*lane{{0, make([]bool, 100)}}
	for k, rooms := range h.sale {
		for range rooms {
			lanes = append(lanes, &lane{k, make([]bool, w.opts.Nights)})
		}
	}
	// In ten thousandths of a night. If stays take more than the target, later nights stay free, and the other way
	// round, so that the total share is right. Play leaves room for chance.
	const night = 10_000
	target := int(w.opts.Occupancy*night + 0.5)
	play := 3 * 4 * target * (night - target) / night
	due, fees := 0, pick(d, feePercents)
	var all []sale
	for l, lane := range lanes {
		for at := 0; at < len(lane.taken); at++ {
			due += target
			if lane.taken[at] {
				due -= night
				continue
			}
			length := min(draw(d, stayLengths), lane.free(at))
			if _, least := h.night(lane.k, w.opts.Today.AddDays(at)); length < least {
				length = least
			}
			if due+d.between(-play, play) <= 0 || length > lane.free(at) {
				continue
			}
			lane.take(at, length)
			due -= night
			if l == 0 {
				continue
			}
			s := w.sale(d, lane.k, at, length, fees)
			if l+1 < len(lanes) && d.percent(10) {
				// A party with two rooms. They have different types if this is the last room of its type. So far, only
				// the parties of this room have taken nights of the next one, and these do not overlap.
				next := lanes[l+1]
				next.take(at, length)
				if next.k == lane.k {
					s.rooms[0].quantity++
				} else {
					s.rooms = append(s.rooms, choice{next.k, 1})
				}
			}
			w.book(d, h, &s)
			all = append(all, s)
		}
	}
	d = w.dice(forLives, i)
	all = append(all, w.givenUp(d, h, lanes[1:], fees)...)
	slices.SortStableFunc(all, func(a, b sale) int { return a.made.Compare(b.made) })
	if err := w.live(d, h, all); err != nil {
		return nil, err
	}
	for n := range all {
		all[n].id, all[n].number = bookingID(i, n), i*mostBookings(w.opts.Nights)+n
	}
	w.payments(w.dice(forPayments, i), all)
	h.discounts(w.dice(forDiscounts, i), all)
	h.sellUnderPlans(w.dice(forRateSales, i), all)
	h.sellWithCharges(w.dice(forChargedSales, i), all)
	h.sellThroughChannels(w.dice(forOrigins, i), all)
	d = w.dice(forUnitSales, i)
	w.giveUnits(d, h, all)
	w.extend(d, h, all)
	return all, nil
}

// sale plans a confirmed booking of one room of the house's k-th type.
func (w *World) sale(d dice, k, arrival, nights, fees int) sale {
	return sale{
		made: w.before(d, 0, bookingDays).Add(-time.Second), arrival: arrival, nights: nights, fees: fees,
		rooms: []choice{{k, 1}}, status: bookings.Confirmed,
	}
}

// book plans who books the rooms of a sale.
func (w *World) book(d dice, h *house, s *sale) {
	s.booker = d.below(w.opts.Users)
	s.guests = h.party(d, s.rooms)
	s.requests = draw(d, wishes)
}

// lane is one room on sale, of the house's k-th type, through all nights.
type lane struct {
	k     int
	taken []bool
}

// free returns the number of nights, starting with at, before the next one that is taken.
func (l *lane) free(at int) int {
	if n := slices.Index(l.taken[at:], true); n >= 0 {
		return n
	}
	return len(l.taken) - at
}

func (l *lane) take(at, nights int) {
	for n := range nights {
		l.taken[at+n] = true
	}
}

// party returns the guests: an adult for each room, and as many as the rooms hold, or fewer.
func (h *house) party(d dice, rooms []choice) (g availability.Guests) {
	sleeps := h.sleeps(rooms)
	for _, c := range rooms {
		g.Adults += c.quantity
	}
	g.Adults = max(g.Adults, min(sleeps.MaxAdults, draw(d, []share[int]{{25, 1}, {60, 2}, {10, 3}, {5, 4}})))
	if most := min(sleeps.MaxChildren, sleeps.MaxOccupancy-g.Adults); most > 0 && d.percent(25) {
		g.Children = d.between(1, most)
	}
	return g
}

// sleeps returns how many guests the rooms hold in total.
func (h *house) sleeps(rooms []choice) (all availability.Limits) {
	for _, c := range rooms {
		room := h.rooms[c.k].Holds()
		all.MaxAdults += room.MaxAdults * c.quantity
		all.MaxChildren += room.MaxChildren * c.quantity
		all.MaxOccupancy += room.MaxOccupancy * c.quantity
	}
	return all
}

// stay returns the nights of a sale.
func (w *World) stay(s sale) dynastay.Stay {
	arrival := w.opts.Today.AddDays(s.arrival)
	return dynastay.Stay{CheckIn: arrival, CheckOut: arrival.AddDays(s.nights)}
}

// choices returns the rooms of a sale in the form of a request.
func (h *house) choices(s sale) []properties.Choice {
	var all []properties.Choice
	for _, c := range s.rooms {
		rooms := properties.Choice{RoomTypeID: h.rooms[c.k].ID, Quantity: c.quantity, RatePlanID: s.plan, Party: s.party()}
		if s.parties == nil {
			all = append(all, rooms)
			continue
		}
		for rooms.Quantity = 1; c.quantity > 0; c.quantity-- {
			rooms.Party = &s.parties[len(all)]
			all = append(all, rooms)
		}
	}
	return all
}
