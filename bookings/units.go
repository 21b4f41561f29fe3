package bookings

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// UnitNights is a unit that a line has on some of its nights. A line with several rooms has several at a time, and one whose
// guests move has them one after the other.
type UnitNights struct {
	UnitID string
	Nights dynastay.Stay `json:",omitzero"`
}

// declareUnits stores which units a line has; none are not written.
func declareUnits(f *entity.Fields, all *[]UnitNights) {
	entity.List(f, "UnitNights", all, func(f *entity.Fields, u *UnitNights) {
		f.String("UnitId", &u.UnitID)
		f.Date("From", &u.Nights.CheckIn)
		f.Date("To", &u.Nights.CheckOut)
	})
}

// UnitsOn returns the units that the line has on a night, in the order of Units.
func (l *Line) UnitsOn(date dynastay.Date) (ids []string) {
	for _, u := range l.Units {
		if u.Nights.Contains(date) {
			ids = append(ids, u.UnitID)
		}
	}
	return ids
}

// setUnits gives the line the nights of units, of which there may be none, and their names as the texts that it had before.
func (l *Line) setUnits(nights []units.Night) {
	slices.SortFunc(nights, func(a, b units.Night) int {
		return cmp.Or(strings.Compare(a.UnitID, b.UnitID), a.Date.Compare(b.Date))
	})
	l.Units, l.RoomIDs = nil, nil
	for _, n := range nights {
		if last := len(l.Units) - 1; last >= 0 && l.Units[last].UnitID == n.UnitID && l.Units[last].Nights.CheckOut == n.Date {
			l.Units[last].Nights.CheckOut = n.Date.AddDays(1)
			continue
		}
		l.Units = append(l.Units, UnitNights{n.UnitID, dynastay.Stay{CheckIn: n.Date, CheckOut: n.Date.AddDays(1)}})
	}
	slices.SortStableFunc(l.Units, func(a, b UnitNights) int { return a.Nights.CheckIn.Compare(b.Nights.CheckIn) })
	for _, u := range l.Units {
		if !slices.Contains(l.RoomIDs, u.UnitID) {
			l.RoomIDs = append(l.RoomIDs, u.UnitID)
		}
	}
}

// mostNights is more than any stay has. Other software may have stored a range of any length.
const mostNights = 1000

// unitNights returns the nights of units that the line has within a stay.
func (l *Line) unitNights(stay dynastay.Stay) (all []units.Night) {
	for _, u := range l.Units {
		if units.CheckID("UnitID", u.UnitID) != nil || u.Nights.Nights() > mostNights {
			continue // nobody can have that
		}
		for date := range within(u.Nights, stay).Dates() {
			all = append(all, units.Night{UnitID: u.UnitID, Date: date})
		}
	}
	return all
}

// within returns the nights of a stay that are in another one.
func within(nights, stay dynastay.Stay) dynastay.Stay {
	if nights.CheckIn.Before(stay.CheckIn) {
		nights.CheckIn = stay.CheckIn
	}
	if nights.CheckOut.After(stay.CheckOut) {
		nights.CheckOut = stay.CheckOut
	}
	if !nights.CheckIn.Before(nights.CheckOut) {
		return dynastay.Stay{}
	}
	return nights
}

// hasUnits returns the stay on whose nights the booking has the units of its lines. It is empty if the guests do not come, and ends
// with the date of the check-out.
func (b *Booking) hasUnits() dynastay.Stay {
	switch b.Status {
	case Pending, Confirmed, CheckedIn:
		return b.Stay
	case Completed:
		left := b.Stay
		if !b.CheckedOutAt.IsZero() {
			left.CheckOut = b.today(b.CheckedOutAt)
		}
		return within(left, b.Stay)
	}
	return dynastay.Stay{}
}

// units returns the nights of units that the booking has, and with which line.
func (b *Booking) units() map[units.Night]units.Occupant {
	all, stay := map[units.Night]units.Occupant{}, b.hasUnits()
	for i := range b.Lines {
		line := &b.Lines[i]
		for _, n := range line.unitNights(stay) {
			all[n] = units.Occupant{BookingID: b.ID, Line: cmp.Or(line.Number, 1)}
		}
	}
	return all
}

func (b *Booking) anyUnits() bool {
	return slices.ContainsFunc(b.Lines, func(l Line) bool { return len(l.Units) > 0 })
}

// unitChange is what an operation changes in who has which units.
// See docs/decisions/0030-units.md for why the booking decides, and not the plan.
type unitChange struct {
	*units.Days
	propertyID string
	own        map[string]map[units.Night]units.Occupant // what the bookings that it writes have afterwards, by their ids
	lines      map[units.Night]*Line                     // that take a night
	left       map[string]bool                           // units that become dirty
}

func newUnitChange(propertyID string) *unitChange {
	return &unitChange{units.NewDays(propertyID), propertyID, map[string]map[units.Night]units.Occupant{}, map[units.Night]*Line{}, map[string]bool{}}
}

// of adds the difference between a booking before and after.
func (c *unitChange) of(before, after *Booking) {
	had, has := before.units(), after.units()
	c.own[after.ID] = has
	for n, by := range had {
		if has[n] != by {
			c.Free(n, by)
		}
	}
	for i := range after.Lines {
		line := &after.Lines[i]
		for _, n := range line.unitNights(after.hasUnits()) {
			if had[n] != has[n] {
				c.Take(n, has[n])
				c.lines[n] = line
			}
		}
	}
}

// types returns the room types that the units which are taken must have. A unit that must have two fits neither.
func (c *unitChange) types() map[string]string {
	all := map[string]string{}
	for _, n := range c.Taken() {
		is := c.lines[n.Night].RoomTypeID
		if before, known := all[n.UnitID]; known && before != is {
			is = ""
		}
		all[n.UnitID] = is
	}
	return all
}

// seize takes over the nights that somebody had when a condition failed but whose booking does not have them any more, and returns
// the others. The write must be conditional on those bookings as they were read, see [owner.check].
func (r *Repository) seize(ctx context.Context, tx *dynastay.Tx, c *unitChange) (taken []units.TakenNight, owners map[string]owner, err error) {
	inTheWay, err := c.InTheWay(tx)
	if err != nil {
		return nil, nil, err
	}
	owners = map[string]owner{}
	for _, n := range inTheWay {
		if has, own := c.own[n.By.BookingID]; own {
			if has[n.Night] == n.By {
				taken = append(taken, n)
			} else { // it gave the night up long ago
				c.Seize(n.Night, n.By)
			}
			continue
		}
		has, err := r.has(ctx, n, owners)
		if err != nil {
			return nil, nil, err
		}
		if has {
			taken = append(taken, n)
			continue
		}
		c.Seize(n.Night, n.By)
	}
	return taken, owners, nil
}

// has reports whether somebody still has a night. It adds the booking that it reads for that to owners.
func (r *Repository) has(ctx context.Context, n units.TakenNight, owners map[string]owner) (bool, error) {
	if n.By.Line == 0 {
		return true, nil // what has no line is no booking's, whatever its id is
	}
	by, known := owners[n.By.BookingID]
	if !known {
		var err error
		if by, err = r.ownerOf(ctx, n.By); err != nil {
			return false, err
		}
		owners[n.By.BookingID] = by
	}
	return by.has(n.Night), nil
}

func checkOwners(tx *dynastay.Tx, owners map[string]owner) {
	for _, id := range slices.Sorted(maps.Keys(owners)) {
		owners[id].check(tx)
	}
}

// owner is a booking that the plan names.
type owner struct {
	key dynastay.Key
	row dynastay.Row
	// booking is nil if nobody knows what it has: then it has what the plan says.
	booking *Booking
}

// ownerOf reads the booking of an occupant. One that does not exist has nothing.
func (r *Repository) ownerOf(ctx context.Context, by units.Occupant) (owner, error) {
	key, err := keys.Of(keys.Booking{BookingID: by.BookingID})
	if err != nil {
		return owner{}, nil
	}
	rows, err := r.read(ctx, key, dynastay.Consistent)
	if err != nil || !rows.booking.Exists() {
		return owner{key: key, booking: &Booking{}}, err
	}
	b, err := r.bookingOf(key, rows)
	if err != nil {
		b = nil
	}
	return owner{key, rows.booking, b}, nil
}

// has reports whether the booking has a night, with any of its lines: the line in the plan is to look at.
func (o owner) has(n units.Night) bool {
	if o.booking == nil {
		return true
	}
	_, has := o.booking.units()[n]
	return has
}

// check adds a check that the booking stays as it was read.
func (o owner) check(tx *dynastay.Tx) {
	if o.booking == nil {
		return
	}
	condition := expression.AttributeNotExists(dynastay.NameOf(keys.BookingsTable.Key.Partition))
	if o.row.Exists() {
		condition = dynastay.Unchanged(keys.BookingsTable, o.row, "Status", "CheckedOutAt", "CheckInDate", "CheckOutDate")
	}
	tx.Check(keys.BookingsTable, o.key, dynastay.MustCompile(expression.NewBuilder().WithCondition(condition)).With(nil), overtaken)
}

// take adds the actions of a change that is refused if somebody else has a night, or a unit does not fit.
func (r *Repository) take(ctx context.Context, tx *dynastay.Tx, c *unitChange) error {
	types := c.types()
	for _, id := range slices.Sorted(maps.Keys(types)) {
		fit := units.Fit
		if c.left[id] { // an item has one action
			fit = r.units.FitAndLeave
			delete(c.left, id)
		}
		if err := fit(tx, c.propertyID, id, types[id]); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.left)) {
		r.units.Leave(tx, c.propertyID, id)
	}
	taken, owners, err := r.seize(ctx, tx, c)
	if err == nil && len(taken) > 0 {
		err = &units.TakenError{Nights: taken}
	}
	if err != nil {
		return err
	}
	checkOwners(tx, owners)
	return c.AddTo(tx)
}

// followUnits gives up the units that a booking does not have any more after a move, and takes those again that it has anew: of
// guests who come back after a no-show or a check-out. Of these, it leaves out those that it cannot have again, and the nights that
// are over, and writes the lines that lose them.
func (r *Repository) followUnits(ctx context.Context, tx *dynastay.Tx, before, after *Booking, now time.Time) error {
	if !before.anyUnits() {
		return nil
	}
	c := newUnitChange(after.PropertyID)
	c.of(before, after)
	lost := map[*Line][]units.Night{}
	drop := func(which func(units.Night) bool) {
		for _, n := range c.Taken() {
			if which(n.Night) {
				c.Drop(n.Night)
				lost[c.lines[n.Night]] = append(lost[c.lines[n.Night]], n.Night)
			}
		}
	}
	ahead := after.fromToday(after.today(now.Add(-nightEnds)))
	drop(func(n units.Night) bool { return !ahead.Contains(n.Date) || after.Released.Contains(n.Date) })
	gone, owners, err := r.lostUnits(ctx, tx, c, after.today(now))
	if err != nil {
		return err
	}
	drop(gone)
	// The nights that the inventory takes again come first. One action is for the booking, and one for an idempotency key.
	items, err := c.Items()
	if err != nil {
		return err
	}
	if types := c.types(); len(items)+len(types)+len(owners)+len(after.Lines)+before.Released.Nights()*len(after.taken())+2 > mostReturned+1 {
		drop(func(units.Night) bool { return true })
		owners = nil
	}
	types := c.types()
	for _, id := range slices.Sorted(maps.Keys(types)) {
		if err := units.Fit(tx, c.propertyID, id, types[id]); err != nil {
			return err
		}
	}
	checkOwners(tx, owners)
	for i := range after.Lines {
		line := &after.Lines[i]
		if len(lost[line]) == 0 {
			continue
		}
		line.setUnits(slices.DeleteFunc(line.unitNights(after.Stay), func(n units.Night) bool { return slices.Contains(lost[line], n) }))
		if err := line.writeUnits(tx); err != nil {
			return err
		}
	}
	return c.AddTo(tx)
}

// nightEnds is when a night has ended, from the midnight of the day after it. Guests who come at one o'clock sleep in the night before.
const nightEnds = 12 * time.Hour

// lostUnits returns which nights of units a booking cannot have again, and the bookings that do not have the others any more. Guests
// do not get a unit for a part of what is ahead. But who had it last night may have left it.
func (r *Repository) lostUnits(
	ctx context.Context, tx *dynastay.Tx, c *unitChange, today dynastay.Date,
) (func(units.Night) bool, map[string]owner, error) {
	lost, over := map[string]bool{}, map[units.Night]bool{}
	for id, is := range c.types() {
		lost[id] = units.Misfits(tx, c.propertyID, id, is) != nil
	}
	taken, owners, err := r.seize(ctx, tx, c)
	for _, n := range taken {
		if n.Date.Before(today) {
			over[n.Night] = true
		} else {
			lost[n.UnitID] = true
		}
	}
	return func(n units.Night) bool { return lost[n.UnitID] || over[n] }, owners, err
}

// writeUnits adds the update of a line that has other units than it was read with.
func (l *Line) writeUnits(tx *dynastay.Tx) error {
	item, err := lineCodec("").Encode(&Line{Units: l.Units, RoomIDs: l.RoomIDs})
	if err != nil {
		return err
	}
	var update expression.UpdateBuilder
	for _, name := range []string{"RoomId", "UnitNights"} {
		if value := item[name]; value == nil {
			update = update.Remove(dynastay.NameOf(name))
		} else {
			update = update.Set(dynastay.NameOf(name), expression.Value(value))
		}
	}
	return l.write(tx, dynastay.MustCompile(expression.NewBuilder().WithCondition(lineExists).WithUpdate(update)).With(nil))
}

// keepUnits gives a line that goes on the units that it had on the nights of its stay, on each night at most as many as it has
// rooms. It reports whether these are not all that it had.
func (l *Line) keepUnits(had *Line, stay dynastay.Stay) bool {
	if len(had.Units) == 0 {
		return false
	}
	var kept []units.Night
	rooms := map[dynastay.Date]int{}
	for _, n := range had.unitNights(stay) {
		if rooms[n.Date]++; rooms[n.Date] <= l.Quantity {
			kept = append(kept, n)
		}
	}
	l.setUnits(kept)
	return !slices.Equal(l.Units, had.Units)
}
