package desk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

// repair is a time in which a unit is out of order, which any desk may begin again, or end.
type repair struct {
	id, unit string
	nights   dynastay.Stay
	calls    []*repairCall
}

// repairCall takes the unit out of order, or puts it back from a night on.
type repairCall struct {
	checker.Span
	from    dynastay.Date // of an end
	verdict checker.Verdict
	err     error
}

func (c *repairCall) ends() bool { return !c.from.IsZero() }

// stepwise reports whether the nights are in two months, which are written one by one: a call that was refused may have written
// one of them.
func (r *repair) stepwise() bool {
	return dynastay.MonthOf(r.nights.CheckIn) != dynastay.MonthOf(r.nights.LastNight())
}

func (r *repair) could(c *repairCall) bool { return c.verdict != checker.Refused || r.stepwise() }

// end is the departure that a call leaves.
func (r *repair) end(c *repairCall) dynastay.Date {
	switch {
	case c.from.Before(r.nights.CheckIn):
		return r.nights.CheckIn
	case c.from.After(r.nights.CheckOut):
		return r.nights.CheckOut
	}
	return c.from
}

// freed reports whether a call gives a night up.
func (r *repair) freed(c *repairCall, date dynastay.Date) bool {
	return c.ends() && !date.Before(r.end(c))
}

// certainly is the time in which the unit has certainly been out of order on a night.
func (r *repair) certainly(date dynastay.Date) checker.Span {
	at := checker.Since(checker.Ever)
	for _, c := range r.calls {
		switch {
		case !c.ends() && c.verdict == checker.Acknowledged:
			at.From = min(at.From, c.To)
		case r.freed(c, date) && r.could(c):
			at.To = min(at.To, c.began())
		}
	}
	return at
}

// perhaps is the time in which it may have been.
func (r *repair) perhaps(date dynastay.Date) checker.Span {
	at := checker.Since(checker.Ever)
	for _, c := range r.calls {
		switch {
		case !c.ends() && r.could(c):
			at.From = min(at.From, c.began())
		case r.freed(c, date) && c.verdict == checker.Acknowledged:
			at.To = min(at.To, c.To)
		}
	}
	return at
}

func (c *repairCall) began() checker.Moment { return c.Span.From }

// repair takes a unit out of order, mostly one that may be retired soon, or repeats or ends one of the last repairs.
func (d *desks) repair(w *checker.Worker) {
	d.mu.Lock()
	var r *repair
	if len(d.repairs) > 0 && !w.OneIn(3) {
		r = checker.Recent(w, d.repairs, 6)
	}
	d.mu.Unlock()
	c := &repairCall{}
	switch {
	case r == nil:
		first := dynastay.DateOf(checker.Midnight, time.UTC).AddDays(w.Rand.IntN(3))
		r = &repair{id: fmt.Sprint("w", w.Mark()), unit: d.unit(w), nights: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(1 + w.Rand.IntN(2))}}
		if w.OneIn(2) {
			r.unit = d.retiring()
		}
		d.mu.Lock()
		d.repairs = append(d.repairs, r)
		d.mu.Unlock()
	case !w.OneIn(3):
		c.from = r.nights.CheckIn.AddDays(w.Rand.IntN(r.nights.Nights() + 1))
	}
	d.callRepair(w, r, c)
}

func (d *desks) callRepair(w *checker.Worker, r *repair, c *repairCall) {
	name := "out of order"
	if c.ends() {
		name = "end out of order"
	}
	c.Span.From = d.Moment()
	c.verdict = w.Call(name, r.unit, r.id, checker.RefusedBy(dynastay.ErrRefused, dynastay.ErrNotFound), func(ctx context.Context) error {
		if c.ends() {
			_, c.err = d.of(w).bookings.EndOutOfOrder(ctx, d.house, bookings.OutOfOrderEnd{UnitID: r.unit, ID: r.id, From: c.from, By: "staff_8"})
		} else {
			_, c.err = d.of(w).bookings.TakeOutOfOrder(ctx, d.house, bookings.OutOfOrder{UnitID: r.unit, ID: r.id, Nights: r.nights, By: "staff_7"})
		}
		return c.err
	})
	c.To = d.Moment()
	d.named(c.Span, c.err)
	d.mu.Lock()
	defer d.mu.Unlock()
	r.calls = append(r.calls, c)
}

func (d *desks) repairOf(unit, id string) *repair {
	for _, r := range d.repairs {
		if r.unit == unit && r.id == id {
			return r
		}
	}
	return nil
}

// repairsIn are the nights on which units are out of order, as the units say.
func repairsIn(all *items) map[units.Night]string {
	has := map[units.Night]string{}
	for id, u := range all.units {
		for _, o := range u.OutOfOrder {
			for date := range o.Nights.Dates() {
				has[units.Night{UnitID: id, Date: date}] = o.ID
			}
		}
	}
	return has
}

// checkRepairs compares what the units say with the calls, each of which was carried out once.
func (d *desks) checkRepairs(all *items) {
	stored := map[*repair]*units.OutOfOrder{}
	for id, u := range all.units {
		for i := range u.OutOfOrder {
			o := &u.OutOfOrder[i]
			r := d.repairOf(id, o.ID)
			switch {
			case r == nil:
				d.Differ("a repair that nobody asked for", id, "%v", *o)
				continue
			case stored[r] != nil:
				d.Differ("a repair that was made twice", id, "%v", *o)
			case o.Asked != r.nights || o.Nights.CheckIn != r.nights.CheckIn:
				d.Differ("a repair with other nights", id, "%v, not %v", *o, r.nights)
			}
			stored[r] = o
		}
	}
	for _, r := range d.repairs {
		d.checkRepair(r, stored[r])
	}
}

func (d *desks) checkRepair(r *repair, o *units.OutOfOrder) {
	begun, could, ended := false, false, false
	until := r.nights.CheckOut
	ends := map[dynastay.Date]bool{until: true}
	if r.stepwise() {
		ends[dynastay.MonthOf(r.nights.CheckIn).CheckOut] = true
	}
	for _, c := range r.calls {
		begun = begun || !c.ends() && c.verdict == checker.Acknowledged
		could = could || !c.ends() && r.could(c)
		early := c.ends() && r.end(c).Before(r.nights.CheckOut)
		if early && r.could(c) {
			ends[r.end(c)], ended = true, true
		}
		if early && c.verdict == checker.Acknowledged && r.end(c).Before(until) {
			until = r.end(c)
		}
		d.checkRefusedRepair(r, c)
	}
	switch {
	case o == nil && begun:
		d.Differ("a repair is lost", r.unit, "%s", r.id)
	case o == nil:
	case !could:
		d.Differ("a repair that was refused, and is done", r.unit, "%v", *o)
	case !ended && !o.EndedAt.IsZero():
		d.Differ("the end of a repair that nobody asked for", r.unit, "%v", *o)
	case until.Before(r.nights.CheckOut) && o.EndedAt.IsZero(), o.Nights.CheckOut.After(until):
		d.Differ("the end of a repair is lost", r.unit, "%v, which ended on %s", *o, until)
	case !ends[o.Nights.CheckOut], begun && o.EndedAt.IsZero() && o.Nights != r.nights:
		d.Differ("a repair with other nights", r.unit, "%v, not %v", *o, r.nights)
	}
}

// checkRefusedRepair asks of a refusal whether it was true at some moment of its call.
func (d *desks) checkRefusedRepair(r *repair, c *repairCall) {
	wrong := false
	switch {
	case c.ends() && errors.Is(c.err, dynastay.ErrNotFound):
		for _, other := range r.calls {
			wrong = wrong || !other.ends() && other.verdict == checker.Acknowledged && other.To < c.began()
		}
	case errors.Is(c.err, units.ErrOutOfOrderEnded):
		wrong = true
		for _, other := range r.calls {
			wrong = wrong && !(other.ends() && r.could(other) && other.began() < c.To)
		}
	}
	if wrong {
		d.Differ("a call for a repair that was refused without a reason", r.unit, "%s at %v: %v", r.id, c.Span, c.err)
	}
}

// repairTenants adds the repairs to those who have nights.
func (d *desks) repairTenants(all map[units.Night][]tenant) {
	for _, r := range d.repairs {
		for date := range r.nights.Dates() {
			if at := r.certainly(date); at.From < at.To {
				n := units.Night{UnitID: r.unit, Date: date}
				all[n] = append(all[n], tenant{at, units.Occupant{OutOfOrder: r.id}.String()})
			}
		}
	}
}

// checkRooms compares the numbers of rooms with the bookings and with the units.
func (d *desks) checkRooms(all *items) {
	out := map[dynastay.Date]int{}
	for n := range repairsIn(all) {
		out[n.Date]++
	}
	for date, n := range all.nights {
		sold := 0
		for _, b := range all.bookings {
			if b.Status == bookings.Cancelled || !b.Stay.Contains(date) {
				continue
			}
			for _, l := range b.Lines {
				sold += l.Quantity
			}
		}
		if n.OutOfOrder != out[date] || n.Available != n.Total-sold-out[date] || n.Total != availability.MaxRooms {
			d.Differ("rooms that do not add up", date.String(), "%d of %d left, %d out of order, where %d are sold and %d out of order",
				n.Available, n.Total, n.OutOfOrder, sold, out[date])
		}
	}
}
