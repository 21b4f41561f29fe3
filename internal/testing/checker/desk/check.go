package desk

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// refuses tells the errors that the desks may get: the booking, a unit or somebody else does not allow it.
func refuses(err error) bool {
	return errors.Is(err, dynastay.ErrRefused) || errors.Is(err, dynastay.ErrInvalid) || errors.Is(err, dynastay.ErrVersion)
}

// nightsOf are the nights of units that a booking has, by its lines and its status.
func nightsOf(b *bookings.Booking) map[units.Night]bool {
	all, until := map[units.Night]bool{}, b.Stay.CheckOut
	switch b.Status {
	case bookings.Pending, bookings.Confirmed, bookings.CheckedIn:
	case bookings.Completed:
		until = dynastay.DateOf(b.CheckedOutAt, time.UTC)
	default:
		return all
	}
	for _, l := range b.Lines {
		for _, u := range l.Units {
			for date := range u.Nights.Dates() {
				if date.Before(until) && b.Stay.Contains(date) {
					all[units.Night{UnitID: u.UnitID, Date: date}] = true
				}
			}
		}
	}
	return all
}

// noted remembers a booking as a call returned it. by is the call that has made this version, or nil.
func (d *desks) noted(began checker.Span, by *call, b *bookings.Booking) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if (by == nil || by.still) && b.Version > 1 {
		began.From = 0 // somebody else may have made it long before
	}
	if d.states[b.ID] == nil {
		d.states[b.ID] = map[int]*state{}
	}
	is := &state{began: began, nights: nightsOf(b), by: by}
	if had := d.states[b.ID][b.Version]; had != nil {
		if had.by != nil && by != nil && had.by != by && !by.still && !had.by.still {
			d.Differ("two calls that made one version of a booking", b.ID, "%d: %s and %s", b.Version, had.by.Mark, by.Mark)
		}
		if !maps.Equal(had.nights, is.nights) {
			d.Differ("a booking that was answered in two ways", b.ID, "version %d: %v and %v", b.Version, had.nights, is.nights)
		}
		is.began = checker.Between(max(had.began.From, began.From), min(had.began.To, began.To))
		if is.by == nil {
			is.by = had.by
		}
	}
	d.states[b.ID][b.Version] = is
	d.update(b)
}

// met remembers what a guest seems to have, to draw calls from it.
func (d *desks) met(b *bookings.Booking) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.update(b)
}

func (d *desks) update(b *bookings.Booking) {
	for _, g := range d.guests {
		if g.id == b.ID {
			g.unit, g.status = "", b.Status
			for n := range nightsOf(b) {
				g.unit = max(g.unit, n.UnitID)
			}
		}
	}
}

// named remembers who is said to have a night.
func (d *desks) named(at checker.Span, err error) {
	var taken *units.TakenError
	if !errors.As(err, &taken) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range taken.Nights {
		d.refused = append(d.refused, deskRefusal{at, n})
	}
}

// items are what is stored in the end.
type items struct {
	bookings map[string]*bookings.Booking
	plan     map[units.Night]units.Occupant
	units    map[string]units.Unit
	receipts map[string]*checker.Receipt
	nights   map[dynastay.Date]*availability.Night
}

func (d *desks) read() *items {
	ctx, db := context.Background(), newFrontOffice(d.front.Direct)
	all := &items{map[string]*bookings.Booking{}, map[units.Night]units.Occupant{}, map[string]units.Unit{}, map[string]*checker.Receipt{}, map[dynastay.Date]*availability.Night{}}
	for _, item := range raw.All(d.T, d.front, keys.BookingsTable) {
		if p := raw.Plain(d.T, item); p["SK"] == "METADATA" {
			id := p["PK"].(string)[len("BOOKING#"):]
			b, err := db.bookings.Get(ctx, id, dynastay.Consistent)
			if err != nil {
				d.Differ("a booking that cannot be read", id, "%v", err)
				continue
			}
			all.bookings[id] = b
		}
	}
	first := dynastay.DateOf(checker.Midnight, time.UTC)
	for _, month := range []dynastay.Date{first, first.AddDays(4)} {
		months, err := db.units.Plan(ctx, d.house.ID, month)
		if err != nil {
			d.Differ("a plan that cannot be read", d.house.ID, "%v", err)
		}
		for _, m := range months {
			for _, n := range m.Nights {
				all.plan[n.Night] = n.By
			}
		}
	}
	for u, err := range db.units.List(d.house.ID).All(ctx) {
		if err != nil {
			d.Differ("units that cannot be read", d.house.ID, "%v", err)
			break
		}
		all.units[u.ID] = *u
	}
	check, err := availability.New(d.front.Direct).Check(ctx, d.house.ID, d.room, 1, dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(4)})
	if err != nil {
		d.Differ("nights that cannot be read", d.house.ID, "%v", err)
	}
	for i, n := range check.Nights {
		all.nights[n.Date] = &check.Nights[i]
	}
	for _, item := range raw.All(d.T, d.front, receiptEntity.Schema) {
		r, err := receiptEntity.Value(dynastay.RowOf(item))
		if err != nil {
			d.Differ("a receipt that cannot be read", "", "%v", err)
			continue
		}
		all.receipts[r.ID] = r
	}
	return all
}

func (d *desks) Check() { d.checkAll(d.read()) }

func (d *desks) checkAll(all *items) {
	d.checkWalkIns(all)
	for _, c := range d.all {
		d.Decide(c.Deed, all.receipts)
	}
	d.CheckReceipts(all.receipts)
	d.checkVersions(all)
	d.checkRepairs(all)
	d.checkPlan(all)
	d.checkRooms(all)
	tenants := d.tenants()
	d.repairTenants(tenants)
	d.checkTenants(tenants)
	d.checkRetired(all, tenants)
	d.checkNamed()
}

// checkWalkIns compares the bookings with the calls that made them, each once.
func (d *desks) checkWalkIns(all *items) {
	made := map[string]int{}
	for id, b := range all.bookings {
		if made[b.SpecialRequests]++; d.made[b.SpecialRequests] == nil {
			d.Differ("a booking that nobody made", id, "%q", b.SpecialRequests)
		}
	}
	for mark, o := range d.made {
		switch v := o.Verdict(); {
		case made[mark] > 1:
			d.Differ("a booking that was made twice", mark, "%d times", made[mark])
		case made[mark] == 0 && v == checker.Acknowledged:
			d.Differ("a booking is lost", mark, "%s", o.About)
		case made[mark] == 1 && v == checker.Refused:
			d.Differ("a booking that was refused", mark, "%s", o.About)
		}
	}
}

// checkVersions compares the bookings with what the calls returned, and counts the calls: each that was carried out made a
// version.
func (d *desks) checkVersions(all *items) {
	automatic := slices.ContainsFunc(d.all, func(c *call) bool { return len(c.bookings) == 0 })
	for id, b := range all.bookings {
		least, most := 1, 1
		for _, c := range d.all {
			if !slices.Contains(c.bookings, id) {
				continue
			}
			if c.Done() && !c.still {
				least++
			}
			if c.Could() {
				most++
			}
		}
		if b.Version < least || b.Version > most && !automatic {
			d.Differ("calls that do not add up", id, "version %d where %d to %d calls were made", b.Version, least-1, most-1)
		}
		for version, s := range d.states[id] {
			switch {
			case version > b.Version:
				d.Differ("a version that is not stored", id, "%d, but %d", version, b.Version)
			case version == b.Version && !maps.Equal(s.nights, nightsOf(b)):
				d.Differ("units that are not stored", id, "version %d: %v where %v were answered", version, nightsOf(b), s.nights)
			}
		}
		d.seen(id, b)
	}
}

// seen remembers what a booking has in the end.
func (d *desks) seen(id string, b *bookings.Booking) {
	if d.states[id] == nil {
		d.states[id] = map[int]*state{}
	}
	if d.states[id][b.Version] == nil {
		d.states[id][b.Version] = &state{began: checker.Between(0, d.Moment()), nights: nightsOf(b)}
	}
}

// checkPlan compares the plan with the bookings and the repairs: all that they have is theirs in the plan. Here every
// transaction has a place for what is given up, so the plan has nothing else.
func (d *desks) checkPlan(all *items) {
	has := map[units.Night]string{}
	for id, b := range all.bookings {
		for n := range nightsOf(b) {
			if other := has[n]; other != "" {
				d.Differ("a night of a unit that two bookings have", id+" "+other, "%v", n)
			}
			has[n] = id
			if all.plan[n].BookingID != id {
				d.Differ("a night of a unit that the plan gives to somebody else", id, "%v: %v", n, all.plan[n])
			}
		}
	}
	for n, id := range repairsIn(all) {
		if other := has[n]; other != "" {
			d.Differ("a night of a unit that is out of order, and somebody has it", other, "%v: %s", n, id)
		}
		if has[n] = id; all.plan[n].OutOfOrder != id {
			d.Differ("a night out of order that the plan gives to somebody else", id, "%v: %v", n, all.plan[n])
		}
	}
	for n, by := range all.plan {
		if has[n] == "" {
			d.Differ("a night in the plan that nobody has", by.BookingID, "%v", n)
		}
	}
}

// tenant is a booking, or a repair, that has certainly had a night for a time.
type tenant struct {
	checker.Span
	booking string
}

// tenants are those of each night: from the end of the call that gave it the unit to the beginning of the one that took it
// away, as far as all versions in between are known.
func (d *desks) tenants() map[units.Night][]tenant {
	all := map[units.Night][]tenant{}
	for id, states := range d.states {
		last := slices.Max(slices.Collect(maps.Keys(states)))
		for version, s := range states {
			for n := range s.nights {
				if before := states[version-1]; before != nil && before.nights[n] {
					continue // it had it before
				}
				t, at := tenant{checker.Since(s.began.To), id}, version
				for at < last && states[at+1] != nil && states[at+1].nights[n] {
					at++
				}
				if at < last {
					t.To = states[at].began.To // somebody whom nobody knows took it away
					if next := states[at+1]; next != nil {
						t.To = next.began.From
					}
				}
				if t.From < t.To {
					all[n] = append(all[n], t)
				}
			}
		}
	}
	return all
}

// checkTenants looks for a night that two bookings have had at the same time.
func (d *desks) checkTenants(all map[units.Night][]tenant) {
	for n, tenants := range all {
		for i, a := range tenants {
			for _, b := range tenants[i+1:] {
				if a.booking != b.booking && max(a.From, b.From) < min(a.To, b.To) {
					d.Differ("a night of a unit that two bookings had at the same time", a.booking+" "+b.booking, "%v: %v and %v", n, a.Span, b.Span)
				}
			}
		}
	}
}

// checkRetired looks for units that were retired while somebody had them, and for guests who got them afterwards.
func (d *desks) checkRetired(all *items, tenants map[units.Night][]tenant) {
	for id, calls := range d.retired {
		for _, r := range calls {
			if r.verdict != checker.Acknowledged {
				continue
			}
			if !all.units[id].Retired {
				d.Differ("a retirement is lost", id, "%v", r.Span)
			}
			for n, some := range tenants {
				for _, t := range some {
					if n.UnitID == id && (t.From < r.From && r.To < t.To || r.To < t.From && d.gained(t.booking, n).From > r.To) {
						d.Differ("a unit that was retired, and somebody has it", t.booking, "%v: %v, retired %v", n, t.Span, r.Span)
					}
				}
			}
		}
	}
}

// gained is when a booking got a night, or the zero span if that is not known.
func (d *desks) gained(id string, n units.Night) checker.Span {
	for _, r := range d.repairs {
		if (units.Occupant{OutOfOrder: r.id}).String() == id && r.unit == n.UnitID {
			return r.perhaps(n.Date)
		}
	}
	for version, s := range d.states[id] {
		if before := d.states[id][version-1]; s.nights[n] && before != nil && !before.nights[n] && s.by != nil {
			return s.began
		}
	}
	return checker.Span{}
}

// checkNamed asks of each refusal whether the booking that it names can have had the night at some moment of the call.
func (d *desks) checkNamed() {
	for _, r := range d.refused {
		id := r.taken.By.BookingID
		if out := r.taken.By.OutOfOrder; out != "" {
			if is := d.repairOf(r.taken.UnitID, out); is == nil || !is.nights.Contains(r.taken.Date) || !is.perhaps(r.taken.Date).Meets(r.Span) {
				d.Differ("a night that was refused because of a repair that there was not", out, "%v, %v", r.taken, r.Span)
			}
			continue
		}
		if !d.mayHave(id, r.taken.Night, r.Span) {
			d.Differ("a night that was refused because of somebody who did not have it", id, "%v, %v", r.taken, r.Span)
		}
	}
}

// mayHave reports whether a booking can have had a night at some moment: no known version says so only if all are known.
func (d *desks) mayHave(id string, n units.Night, at checker.Span) bool {
	states := d.states[id]
	if len(states) == 0 {
		return true // its creation was not acknowledged
	}
	last := slices.Max(slices.Collect(maps.Keys(states)))
	for version := 1; version <= last; version++ {
		s, next := states[version], states[version+1]
		if s == nil {
			return true
		}
		ended := checker.Ever
		if next != nil {
			ended = next.began.To
		} else if version < last {
			return true
		}
		if s.nights[n] && s.began.From <= at.To && at.From <= ended {
			return true
		}
	}
	return false
}
