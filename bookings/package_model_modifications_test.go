package bookings_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// requoting asks for a quote of one of the last bookings with another stay or other rooms. With write, the modification
// follows, at that quote or at an earlier one.
type requoting struct {
	back     int // which, see chooses
	stay     func(dynastay.Stay) dynastay.Stay
	name     string // of the stay
	rooms    roomChange
	overbook int
	modify   bool
	earlier  int // which quote; -1 for a new one
	waive    bool
	recode
	key keyChoice
}

// roomChange says which rooms a modification asks for.
type roomChange int

const (
	sameRooms roomChange = iota
	oneRoomMore
	oneRoomLess
	oneTypeMore
	oneTypeLess
	otherType // instead of the first one
)

// restays are what a stay may become.
var restays = []struct {
	name string
	of   func(dynastay.Stay) dynastay.Stay
}{
	{"the same", func(s dynastay.Stay) dynastay.Stay { return s }},
	{"longer", func(s dynastay.Stay) dynastay.Stay { s.CheckOut = s.CheckOut.AddDays(1); return s }},
	{"longer", func(s dynastay.Stay) dynastay.Stay { s.CheckOut = s.CheckOut.AddDays(2); return s }},
	{"shorter", func(s dynastay.Stay) dynastay.Stay {
		if s.Nights() > 1 {
			s.CheckOut = s.CheckOut.AddDays(-1)
		}
		return s
	}},
	{"earlier", func(s dynastay.Stay) dynastay.Stay { s.CheckIn = s.CheckIn.AddDays(-1); return s }},
	{"later", func(s dynastay.Stay) dynastay.Stay {
		if s.Nights() > 1 {
			s.CheckIn = s.CheckIn.AddDays(1)
		}
		return s
	}},
	{"other dates", func(s dynastay.Stay) dynastay.Stay {
		return dynastay.Stay{CheckIn: s.CheckIn.AddDays(2), CheckOut: s.CheckOut.AddDays(2)}
	}},
}

func drawRequoting(write bool) func(*rapid.T) worldStep {
	return func(t *rapid.T) worldStep {
		stay := restays[model.UpTo(t, len(restays)-1, "stay")]
		return requoting{
			back: model.UpTo(t, mostBack, "booking"), stay: stay.of, name: stay.name, modify: write,
			rooms:    model.OneOf(t, "rooms", sameRooms, sameRooms, sameRooms, oneRoomMore, oneRoomLess, oneTypeMore, oneTypeLess, otherType),
			overbook: model.OneOf(t, "overbook", 0, 0, 0, 1, 2), earlier: model.OneOf(t, "earlier quote", -1, -1, 0, 1, 2, 3), recode: drawRecode(t, keepCode, keepCode, dropCode, otherCode),
			key: drawKey(t), waive: onceIn(t, 5, "waived"),
		}
	}
}

func (s requoting) String() string {
	return fmt.Sprintf("modify %t booking %d, at quote %d: stay %s, rooms %d, overbook %d, code %+v, waived %t, key %d",
		s.modify, s.back, s.earlier, s.name, s.rooms, s.overbook, s.recode, s.waive, s.key)
}

// request returns what is asked for.
func (s requoting) request(w *world, b worldBooking) availability.QuoteRequest {
	req := availability.QuoteRequest{Property: b.house.House, Stay: s.stay(b.stay), Overbook: s.overbook}
	for _, l := range b.lines {
		req.Rooms = append(req.Rooms, l.Room)
	}
	other := func() (room availability.Room, found bool) {
		for _, room := range b.house.rooms {
			if b.quantity(room.RoomTypeID) == 0 {
				room.Quantity = 1
				return room, true
			}
		}
		return room, false
	}
	switch room, found := other(); {
	case s.rooms == oneRoomMore:
		req.Rooms[0].Quantity++
	case s.rooms == oneRoomLess && req.Rooms[0].Quantity > 1:
		req.Rooms[0].Quantity--
	case s.rooms == oneTypeMore && found:
		req.Rooms = append(req.Rooms, room)
	case s.rooms == oneTypeLess && len(req.Rooms) > 1:
		req.Rooms = req.Rooms[1:]
	case s.rooms == otherType && found:
		req.Rooms[0] = room
	}
	slices.SortFunc(req.Rooms, func(a, b availability.Room) int { return strings.Compare(a.RoomTypeID, b.RoomTypeID) })
	for _, room := range req.Rooms {
		req.Guests.Adults += room.Quantity
	}
	return req
}

func (b worldBooking) quantity(roomTypeID string) (n int) {
	for _, l := range b.lines {
		if l.RoomTypeID == roomTypeID {
			n = l.Quantity
		}
	}
	return n
}

// modifiable are the statuses in which a booking can be modified.
var modifiable = worldMove{
	verb: "modify", from: []bookings.Status{bookings.Pending, bookings.Confirmed, bookings.CheckedIn},
	not: func(b worldBooking, now time.Time) error {
		if !b.anonymised.IsZero() {
			return bookings.ErrAnonymised
		}
		if b.status == bookings.Pending && !now.Before(b.holdEnd) {
			return bookings.ErrHoldEnded
		}
		return stayOver(b, now)
	},
}

// allowed returns why a booking cannot get a stay and rooms, whatever is left of them. Fields are those of the request,
// or those of the quote of a modification.
func (w *world) allowed(b worldBooking, stay dynastay.Stay, rooms map[string]int, roomsField, within string) error {
	if err := modifiable.allows(b, w.db.Now()); err != nil {
		return err
	}
	if b.status == bookings.CheckedIn {
		if stay.CheckIn != b.stay.CheckIn {
			return dynastay.Invalid(within+"Stay.CheckIn", "…")
		}
		same := len(rooms) == len(b.lines)
		for room, n := range rooms {
			same = same && b.quantity(room) == n
		}
		if !same {
			return dynastay.Invalid(within+roomsField, "…")
		}
	}
	for at, n := range b.deltas(stay, rooms) {
		if n != 0 && at.date.Before(b.house.today(w.db.Now())) {
			return dynastay.Invalid(within+"Stay", "…")
		}
	}
	return nil
}

// deltas returns how many rooms each night of the booking or of what it becomes has to give, or to take back.
func (b worldBooking) deltas(stay dynastay.Stay, rooms map[string]int) map[nightAt]int {
	all := map[nightAt]int{}
	for room, n := range rooms {
		for date := range stay.Dates() {
			all[nightAt{room, date}] += n
		}
	}
	for _, l := range b.lines {
		for date := range b.stay.Dates() {
			all[nightAt{l.RoomTypeID, date}] -= l.Quantity
		}
	}
	return all
}

// differences returns what a modification needs of a night, and why it is refused.
func (w *world) difference(b worldBooking, at nightAt, rooms, overbook int, stay dynastay.Stay) (delta int, no []availability.RefusedNight) {
	delta = rooms
	if b.stay.Contains(at.date) {
		delta -= b.quantity(at.room)
	}
	moves := stay.CheckIn != b.stay.CheckIn
	there := b.status == bookings.CheckedIn || b.house.today(w.db.Now()).After(b.stay.CheckIn)
	holds := map[availability.Reason]bool{
		availability.ClosedToArrival:   moves,
		availability.ClosedToDeparture: stay.CheckOut != b.stay.CheckOut,
		availability.MinStay:           moves || !there && stay.Nights() < b.stay.Nights(),
		availability.MaxStay:           moves || !there && stay.Nights() > b.stay.Nights(),
	}
	for _, n := range w.refusals(at, delta, overbook, stay) {
		if delta > 0 || holds[n.Reason] {
			no = append(no, n)
		}
	}
	return delta, no
}

// requote returns the quote that a request must get, or why it is refused.
func (w *world) requote(b worldBooking, req availability.QuoteRequest) (*availability.Quote, []availability.RefusedNight) {
	q, _ := w.quote(req)
	var no []availability.RefusedNight
	total := int64(0)
	for i := range q.Lines {
		l := &q.Lines[i]
		l.Overbooked = nil
		subtotal := int64(0)
		for j, night := range l.Nights {
			at := nightAt{l.RoomTypeID, night.Date}
			delta, refused := w.difference(b, at, l.Quantity, req.Overbook, req.Stay)
			no = append(no, refused...)
			kept := b.line(l.RoomTypeID, l.Quantity, night.Date)
			cents := w.nights[at].cents
			if kept != nil {
				cents = kept.cents[b.stay.CheckIn.DaysUntil(night.Date)]
			}
			l.Nights[j].Price = dollars(cents)
			subtotal += cents * int64(l.Quantity)
			if b.overbooked(at) || delta > 0 && w.available(at) < delta {
				l.Overbooked = append(l.Overbooked, night.Date)
			}
		}
		l.Subtotal = dollars(subtotal)
		total += subtotal
	}
	q.Total = dollars(total)
	return q, no
}

// line returns the line that keeps its price for a night.
func (b worldBooking) line(room string, quantity int, date dynastay.Date) *worldLine {
	for _, l := range b.lines {
		if l.RoomTypeID == room && l.Quantity >= quantity && b.stay.Contains(date) {
			return &l
		}
	}
	return nil
}

func (b worldBooking) overbooked(at nightAt) bool {
	for _, l := range b.lines {
		if l.RoomTypeID == at.room && slices.Contains(l.overbooked, at.date) {
			return true
		}
	}
	return false
}

func (s requoting) run(w *world, on program) {
	if s.modify {
		w.runWrite(s, s.key, on)
	} else {
		s.ask(w, on, w.chooses(s.back, modifiable.from))
	}
}

func (s requoting) write(w *world) (c worldWrite, found bool) {
	id := w.chooses(s.back, modifiable.from)
	var m bookings.Modification
	if earlier := w.earlier(s.earlier); s.earlier >= 0 && len(earlier) > 0 {
		m = earlier[len(earlier)-1-s.earlier%len(earlier)]
	} else if m, found = s.ask(w, newProgram(w.db.Direct), id); !found { // the fault is for the modification
		return c, false
	}
	m.TaxesAndFees = dollars(int64(100 + w.bookings[m.BookingID].version)) // so that something changes
	m.Waive = s.waive
	s.recode.enter(w, &m)
	return s.call(w, m), true
}

// earlier returns the modifications that have been quoted, mostly only those of bookings that have not changed since.
func (w *world) earlier(which int) []bookings.Modification {
	current := slices.DeleteFunc(slices.Clone(w.modifications), func(m bookings.Modification) bool {
		return w.bookings[m.BookingID].version != m.Version
	})
	if which == 0 {
		return w.modifications
	}
	return current
}

// ask quotes a modification, and compares the quote.
func (s requoting) ask(w *world, on program, id string) (m bookings.Modification, found bool) {
	b, there := w.bookings[id]
	if !there {
		_, err := on.repo.QuoteModification(context.Background(), id, availability.QuoteRequest{})
		if !w.gaveUp(err) {
			w.fails(dynastay.ErrNotFound, err)
		}
		return m, false
	}
	req := s.request(w, b)
	rooms := map[string]int{}
	for _, room := range req.Rooms {
		rooms[room.RoomTypeID] = room.Quantity
	}
	m, err := on.repo.QuoteModification(context.Background(), id, req)
	if w.gaveUp(err) {
		return m, false
	}
	no := w.allowed(b, req.Stay, rooms, "Rooms", "")
	q, refused := w.requote(b, req)
	if no == nil && refused != nil {
		no = &availability.Refused{Nights: refused}
	}
	if no != nil {
		w.fails(no, err)
		for why := range whyRefused(no) {
			w.met.Add("requote: "+why, 1)
		}
		return m, false
	}
	require.NoError(w.t, err)
	_, discount, err := w.recoded(b, bookings.Modification{}, centsOf(q.Total))
	require.NoError(w.t, err)
	want := bookings.Modification{BookingID: id, Version: b.version, Quote: q, TaxesAndFees: dollars(b.taxes), Discounts: dollars(discount)}
	if kept, _ := b.givesUp(req.Stay, rooms, w.db.Now()); kept > 0 {
		want.Kept = dollars(kept)
		w.met.Add("requote: kept", 1)
	}
	require.Equal(w.t, want, m)
	w.modifications = append(w.modifications, m)
	w.met.Add("requote: quoted", 1)
	return m, true
}

// call returns the call that modifies a booking.
func (s requoting) call(w *world, m bookings.Modification) worldWrite {
	q, rooms := m.Quote, map[string]int{}
	var agreed []any
	for _, l := range q.Lines {
		rooms[l.RoomTypeID] = l.Quantity
		agreed = append(agreed, l.RoomTypeID, l.Quantity, l.CancellationPolicy, l.Subtotal)
	}
	var before worldBooking
	return worldWrite{
		name: "modify", input: fmt.Sprint(m.BookingID, q.Property.ID, q.Stay, agreed, q.Overbook, m.TaxesAndFees, m.Kept, m.Waive, inputOfCode(m)),
		plain: w.bookings[m.BookingID].has(q.Stay, rooms),
		do: func(on program, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			got, err := on.repo.Modify(context.Background(), m, opts...)
			if err == nil && got.Missing != nil {
				err = fmt.Errorf("nights are missing: %v", got.Missing)
			}
			return got.Booking, err
		},
		expected: func() (after worldBooking, no error) {
			before = w.bookings[m.BookingID]
			return w.modified(before, m, rooms)
		},
		apply: func(after worldBooking) {
			for at, delta := range before.deltas(q.Stay, rooms) {
				if n := w.nights[at]; delta != 0 {
					n.updated = w.db.Now()
					w.nights[at] = n
				}
			}
			for _, l := range after.lines {
				w.met.Add("modify: overbooked", len(l.overbooked))
			}
			w.metCodes(before, after)
		},
		varied: func(which int) worldWrite {
			other := m
			switch which {
			case 0:
				other.BookingID = "bkg_none"
			case 1:
				other.Quote = q.Clone()
				other.Quote.Overbook++
			case 2:
				other.TaxesAndFees = dollars(1002)
			default:
				other.Discounts = dollars(77)
			}
			return s.call(w, other)
		},
	}
}

// has reports whether the booking has this stay and these rooms.
func (b worldBooking) has(stay dynastay.Stay, rooms map[string]int) bool {
	for _, delta := range b.deltas(stay, rooms) {
		if delta != 0 {
			return false
		}
	}
	return true
}

// modified returns the booking after the modification, or why it is refused.
func (w *world) modified(b worldBooking, m bookings.Modification, rooms map[string]int) (worldBooking, error) {
	q, now := m.Quote, w.db.Now()
	if b.id == "" {
		return b, dynastay.ErrNotFound
	}
	if err := modifiable.allows(b, now); err != nil {
		return b, err
	}
	if m.Version != b.version {
		return b, dynastay.ErrVersion
	}
	if err := w.allowed(b, q.Stay, rooms, "Lines", "Quote."); err != nil {
		return b, err
	}
	after := b
	after.policyFrom = dynastay.Date{}
	if !m.Waive {
		kept, from := b.givesUp(q.Stay, rooms, now)
		if centsOf(m.Kept) != kept {
			return b, dynastay.Invalid("Kept", "…")
		}
		after.kept, after.policyFrom = b.kept+kept, from
	}
	after.stay, after.lines, after.updated, after.version = q.Stay, nil, now, b.version+1
	taxes, err := m.TaxesAndFees.Minor()
	require.NoError(w.t, err)
	after.taxes = taxes
	var unusable error
	after.code, after.discount, unusable = w.recoded(b, m, centsOf(q.Total))
	if unusable != nil && !w.meeting {
		return b, unusable
	}
	var no []availability.RefusedNight
	for _, l := range q.Lines {
		room := b.house.rooms[slices.IndexFunc(b.house.rooms, func(r availability.Room) bool { return r.RoomTypeID == l.RoomTypeID })]
		room.Quantity = l.Quantity
		line := worldLine{Room: room}
		for _, old := range b.lines {
			if old.RoomTypeID == l.RoomTypeID {
				line.assigned = old.assigned
			}
		}
		for _, night := range l.Nights {
			at := nightAt{l.RoomTypeID, night.Date}
			delta, refused := w.difference(b, at, l.Quantity, q.Overbook, q.Stay)
			no = append(no, refused...)
			if n, open := w.nights[at]; open && delta > 0 && dollars(n.cents) != night.Price {
				no = append(no, availability.RefusedNight{RoomTypeID: at.room, Date: at.date, Reason: availability.PriceChanged, Price: dollars(n.cents)})
			}
			if b.overbooked(at) || delta > 0 && w.available(at) < delta {
				line.overbooked = append(line.overbooked, at.date)
			}
			cents, err := night.Price.Minor()
			require.NoError(w.t, err)
			line.cents = append(line.cents, cents)
		}
		after.lines = append(after.lines, line)
	}
	return after, refusalOf(unusable, no)
}
