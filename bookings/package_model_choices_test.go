package bookings_test

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// create books one or two lines.
func (d *frontDesk) create() {
	from := deskDate(d.Now()).AddDays(model.UpTo(d.t, 2, "in days"))
	stay := dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(model.UpTo(d.t, 3, "nights") + 1)}
	if stay.CheckOut.After(deskNights.CheckOut) {
		return
	}
	want := d.drawRooms()
	q, err := availability.New(d.DB.DB).Quote(d.ctx(), d.requestFor(stay, want))
	if no := d.state.shortage(deskBooking{}, d.wanted(stay, want)); no != nil {
		d.met.Add("create: no room left", 1)
		d.refuses(&availability.Refused{Nights: no}, err)
		d.relax()
		return
	}
	require.NoError(d.t, err)
	d.met.Add("create: done", 1)
	req := bookings.Request{Quote: q, UserID: "user_" + d.id, Guest: guest}
	if model.UpTo(d.t, 3, "held") == 0 {
		req.Hold = 24 * time.Hour
	}
	b, err := d.repo.Create(d.ctx(), req)
	require.NoError(d.t, err)
	is := deskBooking{id: b.ID, status: bookings.Confirmed, stay: stay, created: d.Now(), version: b.Version}
	if req.Hold > 0 {
		is.status, is.hold = bookings.Pending, d.Now().Add(req.Hold)
	}
	d.state.bookings[b.ID] = is.modified(q)
	d.order = append(d.order, b.ID)
	d.t.Logf("%v: create %s: %v", d.Now(), b.ID, d.state.bookings[b.ID])
	if model.UpTo(d.t, 3, "without units") > 0 {
		d.alone(deskAssign(b.ID, d.assignments(d.state.bookings[b.ID])))
	}
}

// deskRooms are rooms under a plan, for one adult each.
type deskRooms struct {
	room, plan string
	rooms      int
}

func (d *frontDesk) drawRooms() []deskRooms {
	one := deskRooms{model.OneOf(d.t, "room", "a", "a", "b"), "flex", model.OneOf(d.t, "rooms", 1, 1, 2)}
	if model.UpTo(d.t, 3, "lines") > 0 {
		return []deskRooms{one}
	}
	return []deskRooms{one, {model.OneOf(d.t, "other room", "a", "b"), "half", 1}}
}

func (d *frontDesk) requestFor(stay dynastay.Stay, all []deskRooms) availability.QuoteRequest {
	req := availability.QuoteRequest{
		Property: availability.House{ID: d.id, Name: "The Inn", TimeZone: deskZone.String()}, Stay: stay, RatePlans: d.plans(),
	}
	for _, r := range all {
		req.Rooms = append(req.Rooms, availability.Room{
			RoomTypeID: d.roomType(r.room), Name: "Room " + r.room, Quantity: r.rooms, RatePlanID: r.plan, Party: adults(1),
			Limits: availability.Limits{MaxOccupancy: 4, MaxAdults: 2, MaxChildren: 2},
		})
		req.Guests.Adults += r.rooms
	}
	return req
}

func (d *frontDesk) ctx() context.Context { return context.Background() }

// someone returns a booking, mostly one whose guests come or are there.
func (d *frontDesk) someone(label string) deskBooking {
	some := d.expected()
	if len(some) == 0 || model.UpTo(d.t, 5, label+", any") == 0 {
		some = d.order
	}
	return d.state.bookings[model.OneOf(d.t, label, some...)]
}

// housed returns a booking of guests who come and have units, if there is one.
func (d *frontDesk) housed(label string) deskBooking {
	some := slices.DeleteFunc(d.expected(), func(id string) bool { return len(d.state.bookings[id].claims()) == 0 })
	if len(some) == 0 || model.UpTo(d.t, 9, label+", any") == 0 {
		return d.someone(label)
	}
	return d.state.bookings[model.OneOf(d.t, label, some...)]
}

// expected are the bookings of guests who come or are there.
func (d *frontDesk) expected() (ids []string) {
	for _, id := range d.order {
		if _, err := d.state.may(id, "", coming, deskOpen, d.Now()); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

func (d *frontDesk) drawUnit(label string) string {
	return model.OneOf(d.t, label, "101", "101", "102", "102", "103", "103", "201", "202", "none")
}

// unitOf draws a unit, mostly one that the booking has.
func (d *frontDesk) unitOf(b deskBooking, label string) string {
	has := map[string]bool{}
	for _, l := range b.lines {
		for n := range l.has {
			has[n.UnitID] = true
		}
	}
	ids := slices.Sorted(maps.Keys(has))
	if len(ids) == 0 || model.UpTo(d.t, 9, label+", any") == 0 {
		return d.drawUnit(label)
	}
	return model.OneOf(d.t, label, ids...)
}

// night draws none, or a date near the stay of a booking.
func (d *frontDesk) night(b deskBooking) (on dynastay.Date) {
	if model.UpTo(d.t, 2, "with a night") == 0 {
		on = b.stay.CheckIn.AddDays(model.UpTo(d.t, b.stay.Nights()+1, "night") - 1)
	}
	return on
}

func (d *frontDesk) assignments(b deskBooking) (all []bookings.Assignment) {
	for range model.OneOf(d.t, "units", 1, 1, 2) {
		l := b.lines[model.UpTo(d.t, len(b.lines)-1, "line")]
		a := bookings.Assignment{RoomTypeID: l.roomType, Line: l.number, UnitID: d.drawUnit("unit")}
		if model.UpTo(d.t, 9, "any unit") > 0 {
			a.UnitID = d.fitting(l.roomType)
		}
		switch model.UpTo(d.t, 9, "how") {
		case 0:
			a.Line = 4
		case 1, 2, 3:
			a.Nights = dynastay.Stay{CheckIn: b.stay.CheckIn.AddDays(model.UpTo(d.t, 2, "from") - 1)}
			a.Nights.CheckOut = a.Nights.CheckIn.AddDays(model.UpTo(d.t, 3, "nights") + 1)
		}
		all = append(all, a)
	}
	return all
}

// fitting draws a unit that fits a line.
func (d *frontDesk) fitting(roomType string) string {
	some := slices.DeleteFunc(slices.Sorted(maps.Keys(d.state.units)), func(id string) bool { return d.state.misfit(id, roomType) != nil })
	if len(some) == 0 {
		return d.drawUnit("unit")
	}
	return model.OneOf(d.t, "fitting", some...)
}

// draw draws a call that concerns a booking.
func (d *frontDesk) draw(b deskBooking) (deskCall, bool) {
	switch n := model.UpTo(d.t, 99, "call"); {
	case n < 26:
		return deskAssign(b.id, d.assignments(b)), true
	case n < 32:
		return deskCheckInTo(b.id, d.assignments(b)), true
	case n < 46:
		b = d.housed("who moves")
		m := bookings.UnitMove{From: d.unitOf(b, "from"), To: d.drawUnit("to"), On: d.night(b)}
		if u, there := d.state.units[m.From]; there && model.UpTo(d.t, 9, "any unit") > 0 {
			m.To = d.fitting(u.roomType)
		}
		return deskMoveUnit(b.id, m), m.From != m.To
	case n < 60:
		return d.drawSwap(d.housed("who swaps"))
	case n < 65:
		which := []string{d.unitOf(b, "unit")}
		return deskUnassign(b.id, which[:model.UpTo(d.t, 1, "named")]), true
	case n < 75:
		return d.drawModify(b)
	}
	return d.drawMove(b).call(b.id), true
}

// drawMove draws a move, mostly one that is possible.
func (d *frontDesk) drawMove(b deskBooking) deskMove {
	all := deskMoves
	if model.UpTo(d.t, 5, "any move") > 0 {
		if some := slices.DeleteFunc(slices.Clone(all), func(m deskMove) bool {
			_, err := d.state.may(b.id, m.verb, m.from, m.not, d.Now())
			return err != nil
		}); len(some) > 0 {
			all = some
		}
	}
	for _, m := range all { // guests who come back have had to be gone
		if m.name == "no-show" || m.name == "reinstate" || m.name == "undo check-out" {
			all = append(all, m, m, m)
		}
	}
	m := model.OneOf(d.t, "move", all...)
	if m.name == "cancel" { // one way out of many
		m = model.OneOf(d.t, "or cancel", append(all, m)...)
	}
	return m
}

func (d *frontDesk) drawSwap(a deskBooking) (deskCall, bool) {
	b := d.housed("with whom")
	for _, id := range d.order { // somebody else, if anybody has units
		if other := d.state.bookings[id]; a.id == b.id && id != a.id && len(other.claims()) > 0 {
			b = other
		}
	}
	s := bookings.UnitSwap{A: bookings.UnitOf{BookingID: a.id, UnitID: d.unitOf(a, "unit of A")}, On: d.night(a)}
	s.B = bookings.UnitOf{BookingID: b.id, UnitID: d.unitOf(b, "unit of B")}
	for _, n := range b.nights() {
		if d.state.units[n.UnitID].roomType == d.state.units[s.A.UnitID].roomType && d.state.units[s.B.UnitID].roomType != d.state.units[n.UnitID].roomType {
			s.B.UnitID = n.UnitID
		}
	}
	return deskSwap(s), a.id != b.id && s.A.UnitID != s.B.UnitID
}

// drawModify quotes another stay, other rooms or another plan. Which modifications are refused is what other tests are about.
func (d *frontDesk) drawModify(b deskBooking) (deskCall, bool) {
	today := deskDate(d.Now())
	if _, err := d.state.may(b.id, "modify", coming, deskOpen, d.Now()); err != nil || b.released != (dynastay.Stay{}) {
		return deskCall{}, false
	}
	stay, begun := b.stay, b.stay.CheckIn.Before(today)
	var want []deskRooms
	for _, l := range b.lines {
		want = append(want, deskRooms{map[bool]string{true: "a", false: "b"}[l.roomType == d.roomType("a")], l.plan, l.rooms})
	}
	if b.status != bookings.CheckedIn && !begun {
		if model.UpTo(d.t, 1, "other arrival") == 0 {
			stay.CheckIn = stay.CheckIn.AddDays(model.UpTo(d.t, 2, "later") - 1)
		}
		if stay.CheckIn.Before(today) {
			stay.CheckIn = today
		}
		switch model.UpTo(d.t, 4, "rooms") {
		case 0:
			want[0].rooms = 3 - min(want[0].rooms, 2)
		case 1:
			want[0].plan = map[string]string{"flex": "half", "half": "flex"}[want[0].plan]
		case 2:
			want = append(want[1:], d.drawRooms()...)
		}
	}
	nights := model.UpTo(d.t, 3, "nights") + 1
	if stay.CheckOut = stay.CheckIn.AddDays(nights); begun && stay.CheckOut.Before(today) {
		stay.CheckOut = b.stay.CheckOut
	}
	if stay.CheckOut.After(deskNights.CheckOut) {
		return deskCall{}, false
	}
	m, err := d.repo.QuoteModification(d.ctx(), b.id, d.requestFor(stay, want))
	if no := d.state.shortage(b, d.wanted(stay, want)); no != nil {
		d.refuses(&availability.Refused{Nights: no}, err)
		return deskCall{}, false
	}
	require.NoError(d.t, err)
	if m.Version > 1 && model.UpTo(d.t, 9, "old version") == 0 {
		m.Version-- // of a quote from before the last change
	}
	return deskModify(m), true
}
