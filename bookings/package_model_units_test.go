package bookings_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/keys"
)

// deskNights are those that are on sale: the end of a month and the beginning of the next one.
var deskNights = dynastay.MustStay("2026-07-28", "2026-08-12")

// deskBegins is noon on the day on which a history begins.
var deskBegins = noon(dynastay.MustStay("2026-07-28", "2026-07-29").CheckIn)

// frontDesk is a property with few units, which are compared with the model call by call.
type frontDesk struct {
	*inn
	t     *rapid.T
	met   *model.Tally
	state deskState
	order []string // the ids of the bookings
	calls int
	other *bookings.Repository // of another process
}

// Guests arrive, get units, move, swap, leave and come back, in one house with few units, call by call, through the faults of the
// network, and two calls at a time. Every result and, after every call, who has which unit, the plan, and what is to be cleaned
// are what a model in memory expects: it computes who has what from the bookings alone.
func TestUnitsAgreeWithTheModel(t *testing.T) {
	t.Parallel()
	met := model.Compare(t, 300, 1, func(t *testing.T, met *model.Tally) func(*rapid.T) int {
		db := dyntest.New(t, bookingTables, dyntest.At(deskBegins), dyntest.With(impatient))
		first, other := &inn{DB: db, repo: bookings.New(db.DB, nil)}, bookings.New(db.Open(&impatient), nil)
		return func(rt *rapid.T) int {
			i := *first
			i.id = db.NewID("prop_")
			d := newFrontDesk(t, rt, &i, met)
			d.other = other
			for range model.UpTo(rt, 40, "calls") + 40 {
				d.step()
			}
			met.Add("histories", 1)
			return d.calls
		}
	})
	met.Requires(t, 5_000, expectedAtTheDesk...)
}

// expectedAtTheDesk are met in any run of 5,000 operations.
var expectedAtTheDesk = []string{
	"assign: done", "assign: taken", "assign: retired", "assign: other room type", "assign: not found", "assign: status", "assign: invalid",
	"check in to: done", "check in to: status", "move: done", "move: taken", "move: invalid", "move: status",
	"swap: done", "swap: invalid", "swap: status", "unassign: done", "unassign: invalid", "modify: done", "modify: version",
	"reinstate: done", "undo check-out: done", "check out: done", "cancel: done", "no-show: done",
	"retire: done", "retire: taken", "stale", "meetings", "faults",
}

func newFrontDesk(t *testing.T, rt *rapid.T, i *inn, met *model.Tally) *frontDesk {
	i.Clock.Set(deskBegins)
	require.NoError(rt, i.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, room := range []string{"a", "b"} {
			at, err := keys.Of(keys.RoomType{PropertyID: i.id, RoomTypeID: i.roomType(room)})
			require.NoError(rt, err)
			if !yield(keys.PropertiesTable, keys.PropertiesTable.Key.Of(at)) {
				return
			}
			for date := range deskNights.Dates() {
				night := i.night(room, date)
				night["AvailableRooms"], night["TotalRooms"] = dynastay.Number(200), dynastay.Number(200)
				night["Rates"] = rates(120, 150, nil)
				if !yield(keys.AvailabilityTable, night) {
					return
				}
			}
		}
	}))
	d := &frontDesk{inn: i, t: rt, met: met, state: deskState{map[string]deskBooking{}, map[string]deskUnit{}, map[units.Night]units.Occupant{}}}
	var all []units.Unit
	for _, id := range []string{"101", "102", "103", "201", "202"} {
		roomType := i.roomType(map[byte]string{'1': "a", '2': "b"}[id[0]])
		all = append(all, units.Unit{PropertyID: i.id, ID: id, RoomTypeID: roomType})
		d.state.units[id] = deskUnit{roomType: roomType, state: units.Clean}
	}
	_, err := units.New(i.DB.DB).CreateAll(t.Context(), all)
	require.NoError(rt, err)
	return d
}

// step makes one call, or two that meet.
func (d *frontDesk) step() {
	d.calls++
	switch n := model.UpTo(d.t, 99, "step"); {
	case len(d.order) < 2 || len(d.expected()) < 3 && n < 60 || len(d.order) < 8 && n < 5:
		d.create()
	case n < 14:
		d.Clock.Advance(time.Duration(model.OneOf(d.t, "hours", 1, 5, 8, 12, 24)) * time.Hour)
	case n < 17:
		d.plant()
	case n < 21:
		d.use()
	case n < 24:
		d.clean()
	case n < 40:
		d.meet()
	default:
		if c, found := d.draw(d.someone("booking")); found {
			d.alone(c)
		}
	}
	d.agree()
}

// create books one or two lines.
func (d *frontDesk) create() {
	from := deskDate(d.Now()).AddDays(model.UpTo(d.t, 2, "in days"))
	stay := dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(model.UpTo(d.t, 3, "nights") + 1)}
	if stay.CheckOut.After(deskNights.CheckOut) {
		return
	}
	q, err := availability.New(d.DB.DB).Quote(d.ctx(), d.requestFor(stay, d.drawRooms()))
	require.NoError(d.t, err)
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
	require.NoError(d.t, err)
	return deskModify(m), true
}

// alone makes a call that nobody else is in the way of, sometimes through a fault.
func (d *frontDesk) alone(c deskCall) {
	var trouble model.Trouble
	var opts []dynastay.WriteOption
	if !c.bare && model.UpTo(d.t, 3, "key") == 0 {
		opts = append(opts, dynastay.IdempotencyKey(d.NewID("key ")))
		trouble = model.DrawTrouble(d.t, 2, "unprocessed", []int{1, 2, 3}, []int{1, 2})
	}
	d.t.Logf("%v: %s%s", d.Now(), c.text, trouble)
	end := trouble.Begin(d.DB, d.met)
	got, err := c.do(d.repo, opts...)
	end()
	if errors.Is(err, dynastay.ErrOutcomeUnknown) { // a refusal after a lost answer
		require.True(d.t, trouble.Loses())
		got, err = c.do(d.repo, opts...)
	}
	d.comesTo(c, got, err)
}

// comesTo compares what a call has come to, and changes the model.
func (d *frontDesk) comesTo(c deskCall, got []*bookings.Booking, err error) {
	before, after := d.state, d.state.clone()
	no := c.expect(after, d.Now())
	d.met.Add(c.kind+": "+whyAtTheDesk(no), 1)
	if no != nil {
		d.refuses(no, err)
		return
	}
	require.NoError(d.t, err)
	d.state = after
	for _, b := range got {
		d.same(b)
		is := d.state.bookings[b.ID]
		require.Contains(d.t, []int{before.bookings[b.ID].version, before.bookings[b.ID].version + 1}, b.Version)
		is.version = b.Version
		d.state.bookings[b.ID] = is
	}
	for n, by := range d.state.plan {
		if old := before.plan[n]; old.BookingID != "" && old.BookingID != by.BookingID && before.claimed(n) == "" {
			d.met.Add("taken over", 1)
		}
	}
	if c.kind == "reinstate" || c.kind == "undo check-out" {
		for id, b := range d.state.bookings {
			for i, l := range b.lines {
				if had := before.bookings[id].lines; len(l.has) < len(had[i].has) {
					d.met.Add("lost", 1)
				}
			}
		}
	}
}

// refuses compares an error with the one that the model expects.
func (d *frontDesk) refuses(no, err error) {
	require.Error(d.t, err, "must be refused: %v", no)
	switch no := no.(type) {
	case *bookings.StatusError:
		var got *bookings.StatusError
		require.ErrorAs(d.t, err, &got)
		require.Equal(d.t, no, got)
	case *dynastay.InvalidError:
		var got *dynastay.InvalidError
		require.ErrorAs(d.t, err, &got)
		require.Equal(d.t, no.Field, got.Field, "%v", err)
	case *units.TakenError:
		var got *units.TakenError
		require.ErrorAs(d.t, err, &got)
		require.Equal(d.t, no.Nights, got.Nights)
	case *dynastay.Error:
		var got *dynastay.Error
		require.ErrorAs(d.t, err, &got)
		require.ErrorIs(d.t, err, no.Kind)
		require.Equal(d.t, no.ID, got.ID)
	default:
		require.ErrorIs(d.t, err, no)
	}
}

func whyAtTheDesk(no error) string {
	var status *bookings.StatusError
	var taken *units.TakenError
	switch {
	case no == nil:
		return "done"
	case errors.As(no, &status):
		return "status"
	case errors.As(no, &taken):
		return "taken"
	case errors.Is(no, units.ErrRetired):
		return "retired"
	case errors.Is(no, units.ErrOtherRoomType):
		return "other room type"
	case errors.Is(no, dynastay.ErrNotFound):
		return "not found"
	case errors.Is(no, dynastay.ErrVersion):
		return "version"
	}
	return "invalid"
}

// same compares a booking with the model's.
func (d *frontDesk) same(b *bookings.Booking) {
	is := d.state.bookings[b.ID]
	require.Equal(d.t, is.status, b.Status)
	require.Equal(d.t, is.stay, b.Stay)
	require.True(d.t, is.hold.Equal(b.HoldExpiresAt), "the hold ends at %v, not %v", b.HoldExpiresAt, is.hold)
	require.Len(d.t, b.Lines, len(is.lines))
	for i := range b.Lines {
		got := &b.Lines[i]
		l := is.line(got.RoomTypeID, got.Number)
		require.NotNil(d.t, l, "line %s %d", got.RoomTypeID, got.Number)
		require.Equal(d.t, l.rooms, got.Quantity)
		require.Equal(d.t, l.ranges(), got.Units, "units of %s, line %d", b.ID, got.Number)
		var names []string
		for _, u := range got.Units {
			if !slices.Contains(names, u.UnitID) {
				names = append(names, u.UnitID)
			}
		}
		require.Equal(d.t, names, got.RoomIDs)
	}
}

// agree compares everything that is stored with the model.
func (d *frontDesk) agree() {
	stored, err := d.repo.GetAll(d.ctx(), d.order, dynastay.Consistent)
	require.NoError(d.t, err)
	for _, b := range stored {
		d.same(b)
		require.Equal(d.t, d.state.bookings[b.ID].version, b.Version)
	}
	plan := map[units.Night]units.Occupant{}
	for _, month := range []dynastay.Date{deskNights.CheckIn, deskNights.CheckOut} {
		all, err := units.New(d.DB.DB).Plan(d.ctx(), d.id, month)
		require.NoError(d.t, err)
		for _, m := range all {
			for _, n := range m.Nights {
				plan[n.Night] = n.By
			}
		}
	}
	require.Equal(d.t, d.state.plan, plan)
	has := map[units.Night]string{}
	for id, b := range d.state.bookings { // what the model must not get wrong either
		for n, line := range b.claims() {
			require.Empty(d.t, has[n], "%v is that of %s, too", n, id)
			require.Equal(d.t, units.Occupant{BookingID: id, Line: line}, plan[n], "%v", n)
			has[n] = id
		}
	}
	for u, err := range units.New(d.DB.DB).List(d.id).All(d.ctx()) {
		require.NoError(d.t, err)
		require.Equal(d.t, d.state.units[u.ID], deskUnit{u.RoomTypeID, u.Retired, u.Housekeeping, u.HousekeepingBy}, u.ID)
	}
}
