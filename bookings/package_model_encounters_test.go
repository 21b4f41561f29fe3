package bookings_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// plant leaves a night in the plan of which its booking has nothing, as after a cancellation that had no place for it.
func (d *frontDesk) plant() {
	b := d.someone("whose")
	n := units.Night{UnitID: d.unitOf(b, "stale unit"), Date: b.stay.CheckIn.AddDays(model.UpTo(d.t, b.stay.Nights()-1, "stale night"))}
	_, has := b.claims()[n]
	if _, there := d.state.units[n.UnitID]; has || !there || d.state.claimed(n) != "" {
		return
	}
	d.stale(n, units.Occupant{BookingID: b.id, Line: model.OneOf(d.t, "stale line", 1, 1, 2)})
}

func (d *frontDesk) stale(n units.Night, by units.Occupant) {
	d.t.Logf("%v: stale: %v of %v", d.Now(), n, by)
	month, err := keys.Of(keys.UnitMonth{PropertyID: d.id, Month: dynastay.MonthOf(n.Date).CheckIn, UnitID: n.UnitID})
	require.NoError(d.t, err)
	raw.Set(d.t, d.DB, keys.AvailabilityTable, month, dynastay.Text(by.String()), "D"+n.Date.String()[8:])
	d.state.plan[n] = by
	d.met.Add("stale", 1)
}

// clean sets a state of housekeeping.
func (d *frontDesk) clean() {
	id, state := model.OneOf(d.t, "clean", "101", "102", "103", "201", "202"), model.OneOf(d.t, "state", units.Clean, units.Inspected)
	require.NoError(d.t, units.New(d.DB.DB).SetHousekeeping(d.ctx(), d.id, id, state, "staff_1"))
	u := d.state.units[id]
	u.state, u.by = state, "staff_1"
	d.state.units[id] = u
}

// retire returns the call that takes a unit out of use.
func (d *frontDesk) retire(id string) deskCall {
	return deskCall{
		text: "retire " + id, kind: "retire", bare: true,
		expect: func(s deskState, now time.Time) error {
			u, there := s.units[id]
			if !there {
				return &dynastay.Error{Entity: "Unit", ID: id, Kind: dynastay.ErrNotFound}
			}
			if u.retired {
				return nil
			}
			var has []units.TakenNight
			for n, by := range s.plan {
				if n.UnitID == id && !n.Date.Before(deskDate(now)) && s.claimed(n) != "" {
					has = append(has, units.TakenNight{Night: n, By: by})
				}
			}
			if has != nil {
				slices.SortFunc(has, func(a, b units.TakenNight) int { return a.Date.Compare(b.Date) })
				return &units.TakenError{Nights: has}
			}
			u.retired = true
			s.units[id] = u
			return nil
		},
		do: func(on *bookings.Repository, _ ...dynastay.WriteOption) ([]*bookings.Booking, error) {
			_, err := on.RetireUnit(context.Background(), availability.House{ID: d.id, TimeZone: deskZone.String()}, id)
			return nil, err
		},
	}
}

// use retires a unit, or takes one into use again, sometimes with another room type.
func (d *frontDesk) use() {
	id := d.drawUnit("use")
	u := d.state.units[id]
	for _, other := range slices.Sorted(maps.Keys(d.state.units)) { // the more are in use, the more happens
		if d.state.units[other].retired && !u.retired {
			id, u = other, d.state.units[other]
		}
	}
	if !u.retired {
		d.alone(d.retire(id))
		return
	}
	if len(u.out) == 0 && model.UpTo(d.t, 2, "other room type") == 0 { // what is out of order is one of its room type
		u.roomType = d.roomType(map[bool]string{true: "b", false: "a"}[u.roomType == d.roomType("a")])
		_, err := units.New(d.DB.DB).Update(d.ctx(), d.id, id, func(now *units.Unit) error {
			now.RoomTypeID = u.roomType
			return nil
		})
		require.NoError(d.t, err)
	}
	u.retired = false
	_, err := units.New(d.DB.DB).Update(d.ctx(), d.id, id, func(now *units.Unit) error {
		now.Retired = false
		return nil
	})
	require.NoError(d.t, err)
	d.state.units[id] = u
	d.t.Logf("%v: use %s again: %v", d.Now(), id, u)
}

// meet makes two calls, of which the second is carried out just before the first one writes, or writes again.
func (d *frontDesk) meet() {
	first, second, found := d.drawMeeting()
	if !found {
		return
	}
	nth := model.OneOf(d.t, "before its write", 1, 1, 2, 2)
	if first.kind == "retire" {
		nth = 1 // once it is marked, nobody gets the unit, although it may not be retired in the end
	}
	d.t.Logf("%v: %s, which meets, before its write %d, %s", d.Now(), first.text, nth, second.text)
	var got []*bookings.Booking
	var failed error
	met := false
	fault := d.Faults.Inject(dyntest.Before(func(context.Context) {
		met = true
		got, failed = second.do(d.other)
	}), dyntest.When{Match: racing.Writes, Nth: nth, Optional: true})
	after, err := first.do(d.repo)
	fault.Stop()
	// The bookings that the calls return are compared with what is stored only in the end: it is of their own moment.
	if met {
		d.met.Add("meetings", 1)
		d.met.Add(fmt.Sprintf("%s meets %s", first.kind, second.kind), 1)
		d.comesTo(second, got, failed)
	}
	d.comesTo(first, after, err)
}

// drawMeeting draws two calls that are in each other's way.
func (d *frontDesk) drawMeeting() (first, second deskCall, found bool) {
	b, other := d.housed("booking"), d.someone("other booking")
	move := func(of deskBooking, to string) (deskCall, bool) {
		m := bookings.UnitMove{From: d.unitOf(of, "from"), To: to}
		return deskMoveUnit(of.id, m), m.From != to
	}
	assign := func(of deskBooking, to string) (deskCall, bool) {
		l := of.lines[model.UpTo(d.t, len(of.lines)-1, "line")]
		return deskAssign(of.id, []bookings.Assignment{{RoomTypeID: l.roomType, Line: l.number, UnitID: to}}), true
	}
	there := true
	switch model.OneOf(d.t, "meeting", 0, 1, 2, 2, 2, 3, 4, 5, 5, 5) {
	case 0: // a move, and the cancellation of the booking or of the one that is in its way
		first, there = move(b, d.unitOf(other, "to"))
		leaving := model.OneOf(d.t, "leaving", b, other)
		second = d.moveOf("cancel", "expire", leaving)
	case 1: // a swap, and a modification of one of them
		if first, there = d.drawSwap(b); there {
			second, there = d.drawModify(b)
		}
	case 2: // guests who come back, and somebody who gets their unit
		b = d.gone(b)
		second = d.moveOf("reinstate", "undo check-out", b)
		unit := d.unitOf(b, "unit")
		for _, id := range d.expected() { // somebody whom it fits
			is := d.state.bookings[id]
			for _, l := range is.lines {
				if id != b.id && l.roomType == d.state.units[unit].roomType {
					other = is
					other.lines = []deskLine{l}
				}
			}
		}
		if first, there = assign(other, unit); model.UpTo(d.t, 1, "stale") == 0 {
			d.staleOf(b)
		}
	case 3: // a retirement, and somebody who gets the unit
		unit := d.unitOf(b, "unit")
		first = d.retire(unit)
		second, there = assign(other, unit)
	case 4:
		if first, there = d.draw(b); there {
			second, there = d.draw(other)
		}
	default:
		first, second, there = d.drawRepairMeeting(b, other)
	}
	if model.UpTo(d.t, 1, "the other way round") == 0 {
		first, second = second, first
	}
	return first, second, there
}

// gone returns a booking whose guests can come back: a no-show, or else guests who are checked out for it, if they may be.
func (d *frontDesk) gone(b deskBooking) deskBooking {
	for _, id := range d.order {
		is := d.state.bookings[id]
		if is.status == bookings.NoShow && deskDuring(is, d.Now()) == nil {
			return is
		}
	}
	for _, name := range []string{"confirm", "check in", "check out"} {
		for _, m := range deskMoves {
			if _, err := d.state.may(b.id, m.verb, m.from, m.not, d.Now()); m.name == name && err == nil {
				d.alone(m.call(b.id))
			}
		}
	}
	return d.state.bookings[b.id]
}

// moveOf returns one of two moves of a booking, the one that its status allows.
func (d *frontDesk) moveOf(one, two string, b deskBooking) deskCall {
	var last deskMove
	for _, m := range deskMoves {
		if m.name != one && m.name != two {
			continue
		}
		if last = m; slices.Contains(m.from, b.status) {
			if _, err := d.state.may(b.id, m.verb, m.from, m.not, d.Now()); err == nil {
				break
			}
		}
	}
	return last.call(b.id)
}

// staleOf leaves all in the plan that a booking whose guests are gone had, as far as it is free.
func (d *frontDesk) staleOf(b deskBooking) {
	claims := b.claims()
	for _, l := range b.lines {
		for _, n := range l.nights() {
			if _, has := claims[n]; !has && d.state.claimed(n) == "" {
				d.stale(n, units.Occupant{BookingID: b.id, Line: l.number})
			}
		}
	}
}
