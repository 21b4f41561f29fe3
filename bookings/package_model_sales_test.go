package bookings_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// quoting is a request for a quote.
type quoting struct {
	house, room int
	types       int // room types, from room on
	quantity    int
	dates       dates
	overbook    int
}

func drawQuoting(t *rapid.T) quoting {
	return quoting{
		house: drawHouse(t), room: model.UpTo(t, 2, "room type"), types: model.OneOf(t, "room types", 1, 1, 1, 2, 3), quantity: model.OneOf(t, "rooms", 1, 1, 1, 1, 2, 3),
		dates: drawWorldDates(t, 1, 1, 2, 2, 3, 4), overbook: model.OneOf(t, "overbook", 0, 0, 0, 1, 2),
	}
}

func (s quoting) String() string {
	return fmt.Sprintf("%d rooms of %d types from %d on at property %d, %d nights in %d days, overbook %d",
		s.quantity, s.types, s.room, s.house, s.dates.nights, s.dates.from, s.overbook)
}

// request returns the request. A property has no room type twice.
func (s quoting) request(w *world) availability.QuoteRequest {
	req := availability.QuoteRequest{
		Property: w.houses[s.house].House, Stay: s.dates.stay(w, s.house), Overbook: s.overbook,
	}
	for i := range min(s.types, len(w.houses[s.house].rooms)) {
		room := w.room(s.house, s.room+i)
		room.Quantity = s.quantity
		req.Guests.Adults += s.quantity
		req.Rooms = append(req.Rooms, room)
	}
	return req
}

// quote returns the quote, whether or not the nights can be sold, and why they cannot. A night that is not open costs
// 100 USD.
func (w *world) quote(req availability.QuoteRequest) (*availability.Quote, []availability.RefusedNight) {
	q := &availability.Quote{Property: req.Property, Stay: req.Stay, Guests: req.Guests, Overbook: req.Overbook, At: w.db.Now()}
	rooms := slices.SortedFunc(slices.Values(req.Rooms), func(a, b availability.Room) int {
		if a.RoomTypeID < b.RoomTypeID {
			return -1
		}
		return 1
	})
	var no []availability.RefusedNight
	total := int64(0)
	for _, room := range rooms {
		l := availability.Line{RoomTypeID: room.RoomTypeID, Name: room.Name, Quantity: room.Quantity, CancellationPolicy: room.CancellationPolicy}
		subtotal := int64(0)
		for date := range req.Stay.Dates() {
			at, cents := nightAt{room.RoomTypeID, date}, int64(10_000)
			if n, open := w.nights[at]; open {
				cents = n.cents
				if w.available(at) < room.Quantity {
					l.Overbooked = append(l.Overbooked, date)
				}
			}
			l.Nights = append(l.Nights, availability.NightPrice{Date: date, Price: dollars(cents)})
			subtotal += cents * int64(room.Quantity)
			no = append(no, w.refusals(at, room.Quantity, req.Overbook, req.Stay)...)
		}
		l.Subtotal = dollars(subtotal)
		total += subtotal
		q.Sleeps.MaxAdults += 2 * room.Quantity
		q.Sleeps.MaxChildren += room.Quantity
		q.Sleeps.MaxOccupancy += 2 * room.Quantity
		q.Lines = append(q.Lines, l)
	}
	q.Total = dollars(total)
	return q, no
}

// refusals returns why a night of a stay cannot be sold.
func (w *world) refusals(at nightAt, rooms, overbook int, stay dynastay.Stay) (all []availability.RefusedNight) {
	no := func(yes bool, reason availability.Reason, left, nights int) {
		if yes {
			all = append(all, availability.RefusedNight{RoomTypeID: at.room, Date: at.date, Reason: reason, Left: left, Nights: nights})
		}
	}
	n, open := w.nights[at]
	if !open {
		no(true, availability.NotOnSale, 0, 0)
		return all
	}
	left, length := w.available(at), stay.CheckIn.DaysUntil(stay.CheckOut)
	first, last := at.date == stay.CheckIn, at.date.AddDays(1) == stay.CheckOut
	no(n.stop, availability.StopSell, 0, 0)
	no(n.closed, availability.PropertyClosed, 0, 0)
	no(left-rooms < -overbook, availability.SoldOut, max(0, left), 0)
	no(first && n.toArrival, availability.ClosedToArrival, 0, 0)
	no(first && length < n.min, availability.MinStay, 0, n.min)
	no(first && n.max > 0 && length > n.max, availability.MaxStay, 0, n.max)
	no(last && n.toEnd, availability.ClosedToDeparture, 0, 0)
	return all
}

// asking for a quote.
type askingQuote struct{ quoting }

func drawQuote(t *rapid.T) worldStep { return askingQuote{drawQuoting(t)} }

func (s askingQuote) String() string { return "quote " + s.quoting.String() }

func (s askingQuote) run(w *world, on program) {
	req := s.request(w)
	q, refused := w.quote(req)
	got, err := on.nights.Quote(context.Background(), req)
	switch {
	case w.gaveUp(err):
	case req.Stay.CheckIn.Before(w.houses[s.house].today(w.db.Now())):
		w.fails(dynastay.Invalid("Stay.CheckIn", "…"), err)
	case refused != nil:
		w.fails(&availability.Refused{Nights: refused}, err)
		w.met.Add("quote: refused", 1)
	default:
		require.NoError(w.t, err)
		require.Equal(w.t, q, got)
		w.quotes = append(w.quotes, got)
		w.met.Add("quote: quoted", 1)
	}
}

// creating is a call of Create, at an earlier quote or at the current prices.
type creating struct {
	quoting
	earlier int // which quote; -1 for none
	hold    time.Duration
	taxes   int64 // cents
	user    string
	promo   choosingCode
	coded   bool
	told    telling
	edge    int // of the code, when the booking is created; 0 for now
	source  bookings.Source
	key     keyChoice

	code      string         // as it is typed
	discounts dynastay.Money // that the guest was told
}

func drawCreate(t *rapid.T) worldStep {
	return creating{
		quoting: drawQuoting(t), earlier: model.OneOf(t, "earlier quote", -1, -1, -1, -1, 0, 1, 3, 6),
		hold:  model.OneOf(t, "hold", 0, 0, 0, time.Second, 5*time.Minute+300*time.Millisecond, time.Hour, 30*time.Hour),
		taxes: model.OneOf(t, "taxes", int64(0), 1_234), user: model.OneOf(t, "user", "user_a", "user_a", "user_b", "user_b", ""), key: drawKey(t),
		source: drawSource(t),
		promo:  drawCode(t), coded: onceIn(t, 2, "coded"), told: drawTelling(t), edge: max(0, model.UpTo(t, 30, "edge")-26),
	}
}

func drawSource(t *rapid.T) bookings.Source {
	return model.OneOf(t, "source", bookings.Source{}, bookings.Source{}, bookings.Source{Channel: "expedia"},
		bookings.Source{Channel: "expedia", ExternalReference: "e1"}, bookings.Source{ExternalReference: "e1"})
}

// data is that of the bookings of a channel.
func (s creating) data() bookings.Data {
	if s.source.Channel == "" {
		return nil
	}
	return bookings.Data{"campaign": "summer", "sent.by": "Zoë"}
}

func (s creating) String() string {
	return fmt.Sprintf("create a booking of quote %d, or of %s; hold %s, taxes %d, %s, code %+v (%t), told %d, edge %d, key %d",
		s.earlier, s.quoting, s.hold, s.taxes, s.user, s.promo, s.coded, s.told, s.edge, s.key)
}

func (s creating) run(w *world, on program) { w.runWrite(s, s.key, on) }

func (s creating) write(w *world) (worldWrite, bool) {
	if s.coded {
		s.code = s.promo.text(w)
	}
	if s.coded && s.edge > 0 {
		w.atEdge(typedCode(s.code), s.edge-1)
	}
	q, _ := w.quote(s.request(w))
	if s.earlier >= 0 && len(w.quotes) > 0 {
		q = w.quotes[len(w.quotes)-1-s.earlier%len(w.quotes)]
	} else {
		w.quotes = append(w.quotes, q)
	}
	discount, _ := w.discount(typedCode(s.code), centsOf(q.Total))
	s.discounts = s.told.of(discount)
	return s.call(w, q), true
}

// call returns the call that books a quote.
func (s creating) call(w *world, q *availability.Quote) worldWrite {
	req := bookings.Request{Quote: q, UserID: s.user, NoUser: s.user == "", Source: s.source, Data: s.data(), Guest: fixture.Request(nil).Guest, Hold: s.hold, PromoCode: s.code, Discounts: s.discounts}
	if s.taxes > 0 {
		req.TaxesAndFees = dollars(s.taxes)
	}
	var agreed []any
	for _, l := range q.Lines {
		agreed = append(agreed, l.RoomTypeID, l.Quantity, l.CancellationPolicy, l.Subtotal)
	}
	var invalid error
	switch {
	case s.code != "":
		agreed = append(agreed, typedCode(s.code), s.discounts)
	case s.discounts.Sign() > 0:
		invalid = dynastay.Invalid("Discounts", "…")
	}
	return worldWrite{
		name: "create", input: fmt.Sprint(q.Property.ID, q.Stay, agreed, q.Overbook, s.user, s.source, s.taxes, s.hold), invalid: invalid,
		do: func(on program, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			return on.repo.Create(context.Background(), req, opts...)
		},
		expected: func() (worldBooking, error) { return w.booking(q, s) },
		apply: func(b worldBooking) {
			w.touch(b, b.stay)
			for _, l := range b.lines {
				w.met.Add("create: overbooked", len(l.overbooked))
			}
			if s.hold > 0 {
				w.met.Add("create: held", 1)
			}
			if s.user == "" && s.source.Channel != "" {
				w.met.Add("create: of a channel", 1)
			}
			if b.code != "" {
				w.met.Add("create: with a code", 1)
			}
		},
		varied: func(which int) worldWrite {
			other, quote := s, q.Clone()
			switch which {
			case 0:
				if other.hold += time.Minute; s.code != "" {
					other.hold, other.discounts = s.hold, dollars(77)
				}
			case 1:
				other.taxes++
			case 2:
				if other.user = "user_c"; s.source.Channel != "" {
					other.user, other.source.ExternalReference = s.user, "e2"
				}
			default:
				if quote.Overbook++; s.code != "" {
					other.code, quote = s.code+" ", q
				}
			}
			return other.call(w, quote)
		},
	}
}

// booking returns the booking of a quote, or why there can be none.
func (w *world) booking(q *availability.Quote, s creating) (worldBooking, error) {
	house := w.houses[slices.IndexFunc(w.houses, func(h *worldHouse) bool { return h.House == q.Property })]
	now := w.db.Now()
	b := worldBooking{
		user: s.user, source: s.source, data: s.data(), house: house, stay: q.Stay, taxes: s.taxes, status: bookings.Confirmed, created: now, updated: now, confirmed: now, version: 1,
	}
	if s.hold > 0 {
		b.status, b.confirmed, b.holdEnd = bookings.Pending, time.Time{}, now.Add(s.hold)
	}
	if q.Stay.CheckIn.Before(house.today(now)) {
		return b, dynastay.Invalid("Quote.Stay.CheckIn", "…")
	}
	var unusable error
	if s.code != "" {
		b.code, b.discount, unusable = w.coded(s, centsOf(q.Total))
		if unusable != nil && !w.meeting {
			return b, unusable
		}
	}
	var no []availability.RefusedNight
	for _, l := range q.Lines {
		room := house.rooms[slices.IndexFunc(house.rooms, func(r availability.Room) bool { return r.RoomTypeID == l.RoomTypeID })]
		room.Quantity = l.Quantity
		line := worldLine{Room: room}
		for _, quoted := range l.Nights {
			at := nightAt{l.RoomTypeID, quoted.Date}
			n, open := w.nights[at]
			no = append(no, w.refusals(at, l.Quantity, q.Overbook, q.Stay)...)
			if open && dollars(n.cents) != quoted.Price {
				no = append(no, availability.RefusedNight{
					RoomTypeID: at.room, Date: at.date, Reason: availability.PriceChanged, Price: dollars(n.cents),
				})
			}
			if w.available(at) < l.Quantity {
				line.overbooked = append(line.overbooked, at.date)
			}
			line.cents = append(line.cents, n.cents)
		}
		b.lines = append(b.lines, line)
	}
	return b, refusalOf(unusable, no)
}

// fill creates some bookings, of which the last one has been paid.
func (w *world) fill() {
	on := newProgram(w.db.Direct)
	for i := range 3 {
		s := creating{
			quoting: quoting{room: model.UpTo(w.t, 2, "room type"), types: 1 + i%2, quantity: 1, dates: dates{model.UpTo(w.t, 5, "from"), 1 + i}},
			earlier: -1, hold: model.OneOf(w.t, "hold", 0, time.Hour, 30*time.Hour), user: "user_a", promo: choosingCode{back: 2 * i}, coded: i < 2,
		}
		if i == 2 && onceIn(w.t, 4, "other property") {
			s.house = 1 // it has no policy
		}
		s.run(w, on)
	}
	for _, transaction := range model.OneOf(w.t, "payments", []string{"ch_1"}, []string{"deposit", "rest"}) {
		c := charging{transaction: transaction, provider: "stripe", status: bookings.PaymentPaid, currency: "USD"}
		notifying{charge: &c, earlier: -1}.run(w, on)
	}
}
