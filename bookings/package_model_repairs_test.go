package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// deskTotal is more than the guests of a history need.
const deskTotal = 200

// deskNight is a night of a room type.
type deskNight struct {
	roomType string
	date     dynastay.Date
}

// sold are the rooms that a booking has of a night, whether its guests come or not.
func (b deskBooking) sold(n deskNight) (rooms int) {
	if b.status == bookings.Cancelled || b.status == bookings.Expired || !b.stay.Contains(n.date) || b.released.Contains(n.date) {
		return 0
	}
	for _, l := range b.lines {
		if l.roomType == n.roomType {
			rooms += l.rooms
		}
	}
	return rooms
}

// left are the rooms of a night that are neither sold nor out of order.
func (s deskState) left(n deskNight) int {
	left := s.total[n] - s.out[n]
	for _, b := range s.bookings {
		left -= b.sold(n)
	}
	return left
}

// nightsOn are the nights that are on sale, by room type and date.
func (s deskState) nightsOn() (all []deskNight) {
	for n := range s.total {
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b deskNight) int {
		if a.roomType != b.roomType {
			return strings.Compare(a.roomType, b.roomType)
		}
		return a.date.Compare(b.date)
	})
	return all
}

// shortage are the nights of which a booking needs more rooms than are left.
func (s deskState) shortage(before, after deskBooking) (all []availability.RefusedNight) {
	for _, n := range s.nightsOn() {
		needs, left := after.sold(n)-before.sold(n), s.left(n)
		if needs > 0 && left < needs {
			all = append(all, availability.RefusedNight{
				RoomTypeID: n.roomType, Date: n.date, Reason: availability.SoldOut, Left: max(0, left),
			})
		}
	}
	return all
}

// wanted is a booking of rooms, to look whether there are enough.
func (d *frontDesk) wanted(stay dynastay.Stay, all []deskRooms) deskBooking {
	b := deskBooking{status: bookings.Confirmed, stay: stay}
	for _, r := range all {
		b.lines = append(b.lines, deskLine{roomType: d.roomType(r.room), rooms: r.rooms})
	}
	return b
}

// squeeze leaves few rooms of a night.
func (d *frontDesk) squeeze(n deskNight, left int) {
	if _, on := d.state.total[n]; !on {
		return
	}
	d.t.Logf("%v: %d rooms of %v are left", d.Now(), left, n)
	d.state.total[n] += left - d.state.left(n)
	key := nightKey(n.roomType, n.date)
	raw.Set(d.t, d.DB, keys.AvailabilityTable, key, dynastay.Number(d.state.total[n]), "TotalRooms")
	raw.Set(d.t, d.DB, keys.AvailabilityTable, key, dynastay.Number(left), "AvailableRooms")
}

// relax leaves enough rooms of all nights.
func (d *frontDesk) relax() {
	for _, n := range d.state.nightsOn() {
		if d.state.left(n) < 10 {
			d.squeeze(n, deskTotal/2)
		}
	}
}

// agreeOnRooms compares the numbers of the nights with the model.
func (d *frontDesk) agreeOnRooms() {
	for _, room := range []string{d.roomType("a"), d.roomType("b")} {
		check, err := availability.New(d.DB.DB).Check(d.ctx(), d.id, room, 1, deskNights)
		require.NoError(d.t, err)
		require.Len(d.t, check.Nights, deskNights.Nights())
		for _, got := range check.Nights {
			n := deskNight{room, got.Date}
			require.Equal(d.t, []int{d.state.total[n], d.state.left(n), d.state.out[n]}, []int{got.Total, got.Available, got.OutOfOrder}, "rooms of %v", n)
		}
	}
}

// deskBoth is the refusal of what somebody has, on nights of which no room is left.
type deskBoth struct {
	taken []units.TakenNight
	left  []availability.RefusedNight
}

func (b deskBoth) Error() string { return fmt.Sprint("not free: ", b.taken, b.left) }

func (d *frontDesk) house() availability.House {
	return availability.House{ID: d.id, TimeZone: deskZone.String()}
}

// inTheWay is why a unit cannot be repaired on some nights.
func (s deskState) inTheWay(o bookings.OutOfOrder, nights dynastay.Stay) error {
	var taken []units.TakenNight
	var few []availability.RefusedNight
	for date := range nights.Dates() {
		n, room := units.Night{UnitID: o.UnitID, Date: date}, deskNight{s.units[o.UnitID].roomType, date}
		if s.claimed(n) != "" {
			taken = append(taken, units.TakenNight{Night: n, By: s.plan[n]})
		}
		no := availability.RefusedNight{RoomTypeID: room.roomType, Date: date, Reason: availability.SoldOut, Left: max(0, s.left(room))}
		if _, on := s.total[room]; !on {
			no.Reason, no.Left = availability.NotOnSale, 0
		} else if s.left(room)-1 >= -o.Overbook {
			continue
		}
		few = append(few, no)
	}
	switch {
	case taken != nil && few != nil:
		return deskBoth{taken, few}
	case taken != nil:
		return &units.TakenError{Nights: taken}
	case few != nil:
		return &availability.Refused{Nights: few}
	}
	return nil
}

// takeOut takes a unit out of order until a night, at most as long as is asked for.
func (s deskState) takeOut(o bookings.OutOfOrder, until dynastay.Date, now time.Time) error {
	today := deskDate(now)
	u, there := s.units[o.UnitID]
	switch {
	case o.Nights.CheckIn.Before(today.AddDays(-1)):
		return dynastay.Invalid("Nights", "…")
	case o.Overbook < 0:
		return dynastay.Invalid("Overbook", "…")
	case !there:
		return &dynastay.Error{Entity: "Unit", ID: o.UnitID, Kind: dynastay.ErrNotFound}
	}
	all := slices.Clone(u.out)
	at := slices.IndexFunc(all, func(is units.OutOfOrder) bool { return is.ID == o.ID })
	switch {
	case at < 0: // what has been over for longer than a day is forgotten
		all = slices.DeleteFunc(all, func(old units.OutOfOrder) bool { return old.Asked.CheckOut.Before(today) })
		all = append(all, units.OutOfOrder{
			ID: o.ID, Asked: o.Nights, Nights: dynastay.Stay{CheckIn: o.Nights.CheckIn, CheckOut: o.Nights.CheckIn},
			Reason: o.Reason, By: o.By, At: now.UTC(),
		})
		at = len(all) - 1
	case all[at].Asked != o.Nights:
		return &dynastay.Error{Entity: "OutOfOrder", ID: o.ID, Kind: dynastay.ErrAlreadyExists}
	case !all[at].EndedAt.IsZero():
		return &dynastay.Error{Entity: "OutOfOrder", ID: o.ID, Kind: units.ErrOutOfOrderEnded}
	}
	if u.retired {
		return &dynastay.Error{Entity: "Unit", ID: o.UnitID, Kind: units.ErrRetired}
	}
	rest := dynastay.Stay{CheckIn: all[at].Nights.CheckOut, CheckOut: o.Nights.CheckOut}
	if err := s.inTheWay(o, rest); err != nil {
		return err
	}
	if until.Before(rest.CheckOut) {
		rest.CheckOut = until
	}
	for date := range rest.Dates() {
		s.plan[units.Night{UnitID: o.UnitID, Date: date}] = units.Occupant{OutOfOrder: o.ID}
		s.out[deskNight{u.roomType, date}]++
	}
	if all[at].Nights.CheckOut.Before(rest.CheckOut) {
		all[at].Nights.CheckOut = rest.CheckOut
	}
	u.out = all
	s.units[o.UnitID] = u
	return nil
}

// putBack ends a time early.
func (s deskState) putBack(end bookings.OutOfOrderEnd, now time.Time) error {
	from, today := end.From, deskDate(now)
	if from.IsZero() {
		from = today
	}
	u, there := s.units[end.UnitID]
	at := slices.IndexFunc(u.out, func(is units.OutOfOrder) bool { return is.ID == end.ID })
	switch {
	case from.Before(today.AddDays(-1)):
		return dynastay.Invalid("From", "…")
	case !there:
		return &dynastay.Error{Entity: "Unit", ID: end.UnitID, Kind: dynastay.ErrNotFound}
	case at < 0:
		return &dynastay.Error{Entity: "OutOfOrder", ID: end.ID, Kind: dynastay.ErrNotFound}
	}
	u.out = slices.Clone(u.out)
	o := &u.out[at]
	if !from.Before(o.Asked.CheckOut) || !o.EndedAt.IsZero() && !from.Before(o.Nights.CheckOut) {
		return nil // it ends before that anyway
	}
	if from.Before(o.Nights.CheckIn) {
		from = o.Nights.CheckIn
	}
	for date := from; date.Before(o.Nights.CheckOut); date = date.AddDays(1) {
		delete(s.plan, units.Night{UnitID: end.UnitID, Date: date})
		s.out[deskNight{u.roomType, date}]--
	}
	if from.Before(o.Nights.CheckOut) {
		o.Nights.CheckOut = from
	}
	o.EndedBy, o.EndedAt = end.By, now.UTC()
	s.units[end.UnitID] = u
	return nil
}

func (d *frontDesk) takeOut(o bookings.OutOfOrder) deskCall {
	return deskCall{
		text: fmt.Sprintf("take out %v", o), kind: "take out", bare: true, repeatable: true,
		expect: func(s deskState, now time.Time) error { return s.takeOut(o, o.Nights.CheckOut, now) },
		do: func(on *bookings.Repository, _ ...dynastay.WriteOption) ([]*bookings.Booking, error) {
			_, err := on.TakeOutOfOrder(context.Background(), d.house(), o)
			return nil, err
		},
	}
}

func (d *frontDesk) putBack(end bookings.OutOfOrderEnd) deskCall {
	return deskCall{
		text: fmt.Sprintf("put back %v", end), kind: "put back", bare: true, repeatable: true,
		expect: func(s deskState, now time.Time) error { return s.putBack(end, now) },
		do: func(on *bookings.Repository, _ ...dynastay.WriteOption) ([]*bookings.Booking, error) {
			_, err := on.EndOutOfOrder(context.Background(), d.house(), end)
			return nil, err
		},
	}
}

// drawTakeOut draws a time in which a unit is out of order, sometimes one that the unit has, or nearly.
func (d *frontDesk) drawTakeOut(unit string) bookings.OutOfOrder {
	o := bookings.OutOfOrder{
		UnitID: unit, ID: model.OneOf(d.t, "id", "w1", "w2", "w3", "w4", "w5", "w6"), Reason: "window broken", By: "staff_7",
		Overbook: model.OneOf(d.t, "overbook", 0, 0, 0, 1, 2, 10),
	}
	if model.UpTo(d.t, 30, "invalid") == 0 {
		o.Overbook = -1
	}
	o.Nights.CheckIn = deskDate(d.Now()).AddDays(model.OneOf(d.t, "first", 0, 0, 0, 1, 1, 2, 2, -1, -2, 3))
	o.Nights.CheckOut = o.Nights.CheckIn.AddDays(model.OneOf(d.t, "nights", 1, 1, 2, 3, 6))
	if has := d.state.units[unit].out; len(has) > 0 && model.UpTo(d.t, 1, "same id") == 0 {
		is := model.OneOf(d.t, "which", has...)
		if o.ID = is.ID; model.UpTo(d.t, 3, "other nights") > 0 {
			o.Nights = is.Asked
		}
	}
	return o
}

func (d *frontDesk) drawPutBack(unit string) bookings.OutOfOrderEnd {
	end := bookings.OutOfOrderEnd{UnitID: unit, ID: model.OneOf(d.t, "id", "w1", "w2", "w3", "w4", "w5", "w6"), By: "staff_8"}
	if has := d.state.units[unit].out; len(has) > 0 && model.UpTo(d.t, 5, "any id") > 0 {
		is := model.OneOf(d.t, "which", has...)
		if end.ID = is.ID; model.UpTo(d.t, 1, "from") == 0 {
			end.From = is.Asked.CheckIn.AddDays(model.UpTo(d.t, is.Asked.Nights()+1, "from") - 1)
		}
	}
	return end
}

// underRepair draws a unit, mostly one that is or was out of order.
func (d *frontDesk) underRepair() string {
	some := slices.DeleteFunc(slices.Sorted(maps.Keys(d.state.units)), func(id string) bool { return len(d.state.units[id].out) == 0 })
	if len(some) == 0 || model.UpTo(d.t, 9, "any unit") == 0 {
		return d.drawUnit("unit")
	}
	return model.OneOf(d.t, "under repair", some...)
}

// repair takes a unit out of order, or puts one back.
func (d *frontDesk) repair() {
	if model.UpTo(d.t, 2, "put back") == 0 && len(d.state.out) > 0 {
		d.alone(d.putBack(d.drawPutBack(d.underRepair())))
		return
	}
	unit := d.drawUnit("unit")
	if model.UpTo(d.t, 2, "again") == 0 {
		unit = d.underRepair()
	}
	o := d.drawTakeOut(unit)
	if model.UpTo(d.t, 1, "squeeze") == 0 {
		date := o.Nights.CheckIn.AddDays(model.UpTo(d.t, o.Nights.Nights()-1, "night"))
		d.squeeze(deskNight{d.state.units[unit].roomType, date}, model.OneOf(d.t, "left", 0, 0, 0, 1, 1, 2, -1))
	}
	if boundary := dynastay.MonthOf(o.Nights.CheckIn).CheckOut; boundary.Before(o.Nights.CheckOut) && model.UpTo(d.t, 1, "break off") == 0 {
		d.breakOff(o, boundary)
		return
	}
	d.alone(d.takeOut(o))
}

// breakOff ends the program, as it were, before the second month is written.
func (d *frontDesk) breakOff(o bookings.OutOfOrder, boundary dynastay.Date) {
	c := d.takeOut(o)
	d.t.Logf("%v: %s; broken off on %s", d.Now(), c.text, boundary)
	month, err := keys.Of(keys.UnitMonth{PropertyID: d.id, Month: boundary, UnitID: o.UnitID})
	require.NoError(d.t, err)
	// By its item: the first month takes two transactions if its plan has a night that is no one's any more.
	fault := d.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{
		Operation: "TransactWriteItems", Nth: 1, Optional: true,
		Match: func(r dyntest.Request) bool { return strings.Contains(string(r.Body), month.SK) },
	})
	_, err = c.do(d.repo)
	fault.Stop()
	if fault.Hits() == 0 { // refused
		d.comesTo(c, nil, err)
		return
	}
	after := d.state.clone()
	require.Error(d.t, err)
	require.NoError(d.t, after.takeOut(o, boundary, d.Now()))
	d.state = after
	d.met.Add("broken off", 1)
	if model.UpTo(d.t, 1, "go on") == 0 {
		d.alone(c)
	}
}

// oneMonth are the nights that are in the month in which they begin: of several months, each is written by itself.
func oneMonth(nights dynastay.Stay) dynastay.Stay {
	if end := dynastay.MonthOf(nights.CheckIn).CheckOut; end.Before(nights.CheckOut) {
		nights.CheckOut = end
	}
	return nights
}

// buy books a room of a type for a stay. Its quote is of now.
func (d *frontDesk) buy(room string, stay dynastay.Stay) (deskCall, bool) {
	q, err := availability.New(d.DB.DB).Quote(d.ctx(), d.requestFor(stay, []deskRooms{{room, "flex", 1}}))
	if errors.As(err, new(*availability.Refused)) {
		return deskCall{}, false
	}
	require.NoError(d.t, err)
	var made *bookings.Booking
	return deskCall{
		text: fmt.Sprintf("create %s %v", room, stay), kind: "create", bare: true,
		expect: func(s deskState, now time.Time) error {
			b := deskBooking{status: bookings.Confirmed, stay: stay, created: now}.modified(q)
			if no := s.shortage(deskBooking{}, b); no != nil {
				return &availability.Refused{Nights: no}
			}
			require.NotNil(d.t, made, "refused, although enough rooms are left")
			b.id = made.ID
			s.put(b)
			return nil
		},
		do: func(on *bookings.Repository, _ ...dynastay.WriteOption) ([]*bookings.Booking, error) {
			b, err := on.Create(context.Background(), bookings.Request{Quote: q, UserID: "user_" + d.id, Guest: guest})
			if err != nil {
				return nil, err
			}
			made, d.order = b, append(d.order, b.ID)
			return []*bookings.Booking{b}, nil
		},
	}, true
}

// assignTo gives a unit to a booking that it fits, if there is one: that one, or another.
func (d *frontDesk) assignTo(unit string, b deskBooking) (deskCall, bool) {
	for _, id := range append([]string{b.id}, d.expected()...) {
		for _, l := range d.state.bookings[id].lines {
			if l.roomType == d.state.units[unit].roomType && (id == b.id || model.UpTo(d.t, 1, "this booking") == 0) {
				return deskAssign(id, []bookings.Assignment{{RoomTypeID: l.roomType, Line: l.number, UnitID: unit}}), true
			}
		}
	}
	return deskCall{}, false
}

// drawRepairMeeting draws a unit that is taken out of order or put back, and what is in its way.
func (d *frontDesk) drawRepairMeeting(b, other deskBooking) (first, second deskCall, there bool) {
	want := model.UpTo(d.t, 5, "in the way of a repair")
	if want >= 4 {
		b = d.gone(b)
	}
	unit := d.unitOf(b, "unit")
	o := d.drawTakeOut(unit)
	if stay := b.ahead(deskDate(d.Now())); !stay.CheckIn.Before(deskDate(d.Now())) {
		o.Nights = stay
		o.ID = d.NewID("w") // one that the unit does not have
	}
	o.Nights = oneMonth(o.Nights)
	first, there = d.takeOut(o), true
	switch want {
	case 0: // who gets it
		second, there = d.assignTo(unit, other)
	case 1: // the last room
		room := map[bool]string{true: "a", false: "b"}[d.state.units[unit].roomType == d.roomType("a")]
		first.text += ", the last room"
		if o.Nights.CheckIn.Before(deskDate(d.Now())) || o.Nights.CheckOut.After(deskNights.CheckOut) {
			return first, second, false
		}
		d.squeeze(deskNight{d.roomType(room), o.Nights.LastNight()}, 1)
		second, there = d.buy(room, o.Nights)
	case 2: // who leaves it
		second = d.moveOf("cancel", "expire", b)
	case 3: // who gets it while its time ends
		unit = d.underRepair()
		has := d.state.units[unit].out
		if len(has) == 0 {
			return first, second, false
		}
		is := model.OneOf(d.t, "which", has...)
		if first = d.putBack(bookings.OutOfOrderEnd{UnitID: unit, ID: is.ID, By: "staff_8"}); oneMonth(is.Nights) != is.Nights {
			return first, second, false
		}
		second, there = d.assignTo(unit, other)
	case 4: // whose guests come back
		second = d.moveOf("reinstate", "undo check-out", b)
	default: // whose days are still in the plan
		d.staleOf(b)
		second = d.moveOf("reinstate", "undo check-out", b)
	}
	if want == 2 && model.UpTo(d.t, 1, "stale") == 0 { // it meets somebody else's day
		for date := range o.Nights.Dates() {
			n := units.Night{UnitID: unit, Date: date}
			if _, has := other.claims()[n]; !has && d.state.claimed(n) == "" && d.state.units[unit].roomType != "" {
				d.stale(n, units.Occupant{BookingID: other.id, Line: 1})
			}
		}
		second = d.moveOf("cancel", "expire", other)
	}
	return first, second, there
}
