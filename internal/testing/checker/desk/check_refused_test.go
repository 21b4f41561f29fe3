package desk

import (
	"testing"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// lobby is a history of two bookings: a got u0 and moved to u2, and b got u3 and moved to u0. r0 was retired. Then u3
// was out of order on both nights, which was ended after the first one, and a repetition was refused.
type lobby struct {
	*desks
	items *items
	by    map[string]*call
}

var lobbyStay = dynastay.Stay{CheckIn: dynastay.DateOf(checker.Midnight, time.UTC), CheckOut: dynastay.DateOf(checker.Midnight, time.UTC).AddDays(2)}

// inUnits is a confirmed booking that has units on both nights.
func inUnits(id string, version int, ids ...string) *bookings.Booking {
	b := &bookings.Booking{SpecialRequests: "walk in " + id}
	b.ID, b.Version, b.Status, b.Stay = id, version, bookings.Confirmed, lobbyStay
	b.Lines = make([]bookings.Line, 1)
	b.Lines[0].Quantity = 1
	for _, unit := range ids {
		b.Lines[0].Units = append(b.Lines[0].Units, bookings.UnitNights{UnitID: unit, Nights: lobbyStay})
	}
	return b
}

func inNight(unit string, day int) units.Night {
	return units.Night{UnitID: unit, Date: lobbyStay.CheckIn.AddDays(day)}
}

func newLobby(t *testing.T) *lobby {
	d := &desks{Run: checker.Histories(t), made: map[string]*checker.Once{}, states: map[string]map[int]*state{}, retired: map[string][]*retirement{}}
	l := &lobby{d, &items{map[string]*bookings.Booking{}, map[units.Night]units.Occupant{}, map[string]units.Unit{}, map[string]*checker.Receipt{}, map[dynastay.Date]*availability.Night{}}, map[string]*call{}}
	for i, id := range []string{"a", "b"} {
		d.made["walk in "+id] = &checker.Once{About: id, Answers: checker.Tally{checker.Acknowledged: 1}}
		d.noted(checker.Between(checker.Moment(1+2*i), checker.Moment(2+2*i)), nil, inUnits(id, 1))
	}
	l.call("m1", 10, inUnits("a", 2, "u0"))
	l.call("m2", 12, inUnits("b", 2, "u1"))
	l.call("m3", 20, inUnits("a", 3, "u2"))
	l.call("m4", 30, inUnits("b", 3, "u0"))
	l.items.bookings["a"], l.items.bookings["b"] = inUnits("a", 3, "u2"), inUnits("b", 3, "u0")
	for day := range 2 {
		l.items.plan[inNight("u2", day)], l.items.plan[inNight("u0", day)] = units.Occupant{BookingID: "a", Line: 1}, units.Occupant{BookingID: "b", Line: 1}
	}
	for _, id := range []string{"u0", "u1", "u2", "u3", "r0"} {
		l.items.units[id] = units.Unit{ID: id, Retired: id == "r0"}
	}
	d.retired["r0"] = []*retirement{{checker.Between(40, 41), checker.Acknowledged}}
	l.name(14, "u0", "a")
	l.repairs = []*repair{{id: "w1", unit: "u3", nights: lobbyStay, calls: []*repairCall{
		{Span: checker.Between(50, 51), verdict: checker.Acknowledged},
		{Span: checker.Between(60, 61), verdict: checker.Acknowledged, from: lobbyStay.CheckIn.AddDays(1)},
		{Span: checker.Between(70, 71), verdict: checker.Refused, err: units.ErrOutOfOrderEnded},
	}}}
	first := lobbyStay
	first.CheckOut = first.CheckIn.AddDays(1)
	l.repaired("u3", units.OutOfOrder{ID: "w1", Asked: lobbyStay, Nights: first, EndedAt: checker.Midnight})
	l.items.plan[inNight("u3", 0)] = units.Occupant{OutOfOrder: "w1"}
	for day := range 2 {
		l.items.nights[lobbyStay.CheckIn.AddDays(day)] = &availability.Night{
			Total: availability.MaxRooms, Available: availability.MaxRooms - 3 + day, OutOfOrder: 1 - day,
		}
	}
	l.outName(55, 1)
	return l
}

// call adds a call that was acknowledged, with its receipt.
func (l *lobby) call(mark string, at int, after ...*bookings.Booking) {
	c := &call{Deed: checker.Answered(mark, checker.Acknowledged, checker.Between(checker.Moment(at), checker.Moment(at+1))), kind: "assign"}
	for _, b := range after {
		c.bookings = append(c.bookings, b.ID)
		l.noted(c.Within, c, b)
	}
	l.all, l.by[mark] = append(l.all, c), c
	l.items.receipts[mark] = c.Left(c.kind, c.bookings[0])
}

// name adds a refusal that names who has a unit.
func (l *lobby) name(at int, unit, booking string) {
	l.named(checker.Between(checker.Moment(at), checker.Moment(at+1)), &units.TakenError{Nights: []units.TakenNight{{Night: inNight(unit, 0), By: units.Occupant{BookingID: booking, Line: 1}}}})
}

// repaired lets a unit say when it is out of order.
func (l *lobby) repaired(unit string, all ...units.OutOfOrder) {
	l.items.units[unit] = units.Unit{ID: unit, OutOfOrder: all}
}

// outName adds a refusal that names the repair of u3.
func (l *lobby) outName(at, day int) {
	l.named(checker.Between(checker.Moment(at), checker.Moment(at+1)), &units.TakenError{Nights: []units.TakenNight{{Night: inNight("u3", day), By: units.Occupant{OutOfOrder: "w1"}}}})
}

// outNow changes what u3 says.
func (l *lobby) outNow(change func(o *units.OutOfOrder)) {
	o := l.items.units["u3"].OutOfOrder[0]
	change(&o)
	l.repaired("u3", o)
}

// verdict lets a call have another answer.
func (l *lobby) verdict(mark string, v checker.Verdict) {
	l.by[mark].Answers = checker.Tally{}
	l.by[mark].Answers[v] = 1
}

// notDone removes the last call of b.
func (l *lobby) notDone() {
	delete(l.states["b"], 3)
	l.items.bookings["b"] = inUnits("b", 2, "u1")
	for day := range 2 {
		delete(l.items.plan, inNight("u0", day))
		l.items.plan[inNight("u1", day)] = units.Occupant{BookingID: "b", Line: 1}
	}
}

func (l *lobby) check() { l.checkAll(l.items) }

func TestRightDesks(t *testing.T) {
	checker.Accepts(t, newLobby, (*lobby).check, map[string]func(l *lobby){
		"nothing else": func(*lobby) {},
		"nobody knows": func(l *lobby) { l.verdict("m4", checker.Unknown); delete(l.states["b"], 3) },
		"unknown, and not done": func(l *lobby) {
			l.verdict("m4", checker.Unknown)
			l.notDone()
			delete(l.items.receipts, "m4")
		},
		"no receipt":                    func(l *lobby) { l.by["m4"].Receipt = nil; delete(l.items.receipts, "m4") },
		"at the same time":              func(l *lobby) { l.states["b"][3].began.From = 15 },
		"refused because of the first":  func(l *lobby) { l.name(20, "u0", "a") },
		"refused because of the second": func(l *lobby) { l.name(30, "u0", "b") },
		"retired before it was free": func(l *lobby) {
			l.retired["r0"] = append(l.retired["r0"], &retirement{checker.Between(1, 2), checker.Refused})
		},
		"a repair that was not begun": func(l *lobby) {
			l.repairs = append(l.repairs, &repair{id: "w2", unit: "u0", nights: lobbyStay, calls: []*repairCall{
				{Span: checker.Between(50, 51), verdict: checker.Refused, err: units.ErrRetired}, {Span: checker.Between(52, 53), verdict: checker.Refused, err: dynastay.ErrNotFound, from: lobbyStay.CheckIn},
			}})
		},
		"the version of a repetition": func(l *lobby) { l.noted(checker.Between(50, 51), nil, inUnits("b", 3, "u0")) },
	})
}

// wrongDesks are changes of a right history, by the difference that must be found.
var wrongDesks = map[string]map[string]func(l *lobby){
	"a booking that was made twice": {"a": func(l *lobby) {
		l.items.bookings["c"] = inUnits("c", 1)
		l.items.bookings["c"].SpecialRequests = "walk in a"
	}},
	"a booking that nobody made": {"c": func(l *lobby) { l.items.bookings["c"] = inUnits("c", 1) }},
	"a booking is lost":          {"a": func(l *lobby) { delete(l.items.bookings, "a") }},
	"a booking that was refused": {"a": func(l *lobby) { l.made["walk in a"].Answers = checker.Tally{checker.Refused: 1} }},
	"a call is lost":             {"m4": func(l *lobby) { delete(l.items.receipts, "m4") }},
	"a call that was refused, and is done": {
		"m4": func(l *lobby) { l.verdict("m4", checker.Refused) },
	},
	"a receipt of something else": {"m4": func(l *lobby) { l.items.receipts["m4"].Of = "a" }},
	"a receipt that nobody wrote": {"m9": func(l *lobby) { l.items.receipts["m9"] = &checker.Receipt{ID: "m9", Kind: "assign", Of: "a"} }},
	"calls that do not add up": {
		"a lost one": func(l *lobby) { l.notDone() },
		"one more":   func(l *lobby) { l.items.bookings["a"].Version = 4 },
		"made twice": func(l *lobby) { l.items.bookings["b"].Version = 5 },
		"no receipt": func(l *lobby) { l.by["m4"].Receipt = nil; delete(l.items.receipts, "m4"); l.notDone() },
		"was not to be": func(l *lobby) {
			l.by["m4"].Undone = true
			delete(l.items.receipts, "m4")
			l.verdict("m4", checker.Unknown)
		},
	},
	"a version that is not stored": {"an assignment": func(l *lobby) { l.items.bookings["b"] = inUnits("b", 2, "u1") }},
	"units that are not stored": {
		"none":    func(l *lobby) { l.items.bookings["b"] = inUnits("b", 3) },
		"another": func(l *lobby) { l.items.bookings["b"] = inUnits("b", 3, "u1") },
	},
	"two calls that made one version of a booking": {
		"m9": func(l *lobby) { l.call("m9", 32, inUnits("b", 3, "u0")) },
	},
	"a booking that was answered in two ways": {
		"u1": func(l *lobby) { l.noted(checker.Between(50, 51), nil, inUnits("b", 3, "u1")) },
	},
	"a night of a unit that two bookings have": {"u0": func(l *lobby) { l.items.bookings["a"] = inUnits("a", 3, "u0") }},
	"a night of a unit that the plan gives to somebody else": {
		"nobody":  func(l *lobby) { delete(l.items.plan, inNight("u0", 1)) },
		"another": func(l *lobby) { l.items.plan[inNight("u0", 1)] = units.Occupant{BookingID: "a", Line: 1} },
	},
	"a night in the plan that nobody has": {
		"u1": func(l *lobby) { l.items.plan[inNight("u1", 0)] = units.Occupant{BookingID: "b", Line: 1} },
	},
	"a night of a unit that two bookings had at the same time": {
		"before it was free":        func(l *lobby) { l.states["b"][3].began = checker.Between(15, 16) },
		"while it was out of order": func(l *lobby) { l.call("m5", 56, inUnits("c", 2, "u3")) },
		"in between": func(l *lobby) {
			l.call("m5", 14, inUnits("c", 2, "u0"))
			l.call("m6", 18, inUnits("c", 3))
		},
	},
	"a retirement is lost": {"r0": func(l *lobby) { l.items.units["r0"] = units.Unit{ID: "r0"} }},
	"a unit that was retired, and somebody has it": {
		"all the time":            func(l *lobby) { l.retired["u0"] = []*retirement{{checker.Between(33, 34), checker.Acknowledged}} },
		"afterwards":              func(l *lobby) { l.retired["u0"] = []*retirement{{checker.Between(24, 25), checker.Acknowledged}} },
		"out of order":            func(l *lobby) { l.retired["u3"] = []*retirement{{checker.Between(54, 55), checker.Acknowledged}} },
		"out of order afterwards": func(l *lobby) { l.retired["u3"] = []*retirement{{checker.Between(44, 45), checker.Acknowledged}} },
	},
	"a repair that nobody asked for": {
		"u2": func(l *lobby) { l.repaired("u2", units.OutOfOrder{ID: "w1", Asked: lobbyStay, Nights: lobbyStay}) },
	},
	"a repair that was made twice": {
		"u3": func(l *lobby) { o := l.items.units["u3"].OutOfOrder[0]; l.repaired("u3", o, o) },
	},
	"a repair with other nights": {
		"asked": func(l *lobby) { l.outNow(func(o *units.OutOfOrder) { o.Asked.CheckOut = o.Asked.CheckOut.AddDays(1) }) },
		"begun": func(l *lobby) {
			l.outNow(func(o *units.OutOfOrder) { o.Nights.CheckIn = o.Nights.CheckIn.AddDays(-1) })
		},
		"never ended there": func(l *lobby) {
			l.outNow(func(o *units.OutOfOrder) { o.Nights.CheckOut = o.Nights.CheckIn.AddDays(-1) })
		},
		"cut short": func(l *lobby) {
			l.repairs[0].calls = l.repairs[0].calls[:1]
			l.outNow(func(o *units.OutOfOrder) { o.EndedAt = time.Time{} })
		},
	},
	"a repair is lost": {"u3": func(l *lobby) { l.repaired("u3") }},
	"a repair that was refused, and is done": {
		"u3": func(l *lobby) {
			r := l.repairs[0]
			r.nights.CheckOut = r.nights.CheckIn.AddDays(1) // in one month
			r.calls[0].verdict = checker.Refused
		},
	},
	"the end of a repair that nobody asked for": {
		"u3": func(l *lobby) { l.repairs[0].calls = l.repairs[0].calls[:1] },
	},
	"the end of a repair is lost": {
		"all of it":  func(l *lobby) { l.outNow(func(o *units.OutOfOrder) { o.EndedAt, o.Nights = time.Time{}, o.Asked }) },
		"its nights": func(l *lobby) { l.outNow(func(o *units.OutOfOrder) { o.Nights = o.Asked }) },
		"an earlier one": func(l *lobby) {
			l.repairs[0].calls = append(l.repairs[0].calls, &repairCall{Span: checker.Between(80, 81), verdict: checker.Acknowledged, from: lobbyStay.CheckIn})
		},
	},
	"a call for a repair that was refused without a reason": {
		"not ended": func(l *lobby) { l.repairs[0].calls[2].Span = checker.Between(52, 53) },
		"not its end": func(l *lobby) {
			l.repairs[0].calls[1].verdict = checker.Refused
			l.repairs[0].calls[1].err = dynastay.ErrNotFound
		},
	},
	"a night of a unit that is out of order, and somebody has it": {
		"in the end": func(l *lobby) { l.items.bookings["a"] = inUnits("a", 3, "u3") },
	},
	"a night out of order that the plan gives to somebody else": {
		"nobody":    func(l *lobby) { delete(l.items.plan, inNight("u3", 0)) },
		"a booking": func(l *lobby) { l.items.plan[inNight("u3", 0)] = units.Occupant{BookingID: "a", Line: 1} },
	},
	"rooms that do not add up": {
		"out of order": func(l *lobby) { l.items.nights[lobbyStay.CheckIn].OutOfOrder = 0 },
		"left":         func(l *lobby) { l.items.nights[lobbyStay.CheckIn].Available++ },
		"all": func(l *lobby) {
			n := l.items.nights[lobbyStay.CheckIn]
			n.Total, n.Available = n.Total-1, n.Available-1
		},
	},
	"a night that was refused because of a repair that there was not": {
		"not yet":      func(l *lobby) { l.outName(45, 0) },
		"not any more": func(l *lobby) { l.outName(65, 1) },
		"no such one":  func(l *lobby) { l.repairs[0].id = "w2" },
	},
	"a night that was refused because of somebody who did not have it": {
		"not yet":      func(l *lobby) { l.name(5, "u0", "a") },
		"not any more": func(l *lobby) { l.name(25, "u0", "a") },
		"never":        func(l *lobby) { l.name(25, "u1", "a") },
	},
}

func TestWrongDesks(t *testing.T) { checker.Rejects(t, newLobby, (*lobby).check, wrongDesks) }
