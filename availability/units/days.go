package units

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/keys"
)

// MostAhead is how many months ahead a unit can be assigned, because whoever retires it looks at the months one by one.
const MostAhead = 24

// Night is one night of a unit.
type Night struct {
	UnitID string
	Date   dynastay.Date `json:",omitzero"`
}

// TakenNight is a night of a unit that somebody has.
type TakenNight struct {
	Night
	By Occupant `json:",omitzero"`
}

// TakenError means that a unit is not free on nights on which it is needed. Nothing was written.
type TakenError struct {
	Nights []TakenNight `json:",omitzero"` // ordered by unit and date
}

// Error names the units and nights, and the bookings that have them, or that they are out of order.
func (e *TakenError) Error() string {
	const most = 3
	var first []string
	for _, n := range e.Nights[:min(len(e.Nights), most)] {
		text := fmt.Sprintf("%s on %s", shown.Masked(n.UnitID), n.Date)
		switch {
		case n.By.OutOfOrder != "":
			text += " (out of order)"
		case n.By.BookingID != "":
			text += fmt.Sprintf(" (booking %s)", shown.Masked(n.By.BookingID))
		}
		first = append(first, text)
	}
	if len(e.Nights) > most {
		first = append(first, "…")
	}
	return "not free: " + strings.Join(first, ", ")
}

// Is makes it match [dynastay.ErrRefused].
func (*TakenError) Is(target error) bool { return target == dynastay.ErrRefused }

// Days are changes of who has which unit on which nights, for authors of operations on bookings: each change is one action for
// each month of a unit. The operation itself says who has what, in the bookings that it writes in the same transaction.
type Days struct {
	propertyID string
	each       map[Night]day
}

// day is a night that changes hands; the zero Occupant is nobody.
type day struct{ from, to Occupant }

// NewDays returns no changes of the units of a property.
func NewDays(propertyID string) *Days { return &Days{propertyID, map[Night]day{}} }

// Free gives up a night that an occupant has. If the item says that somebody else has it, the night is left alone.
func (d *Days) Free(n Night, by Occupant) {
	at := d.each[n]
	at.from = by
	d.each[n] = at
}

// Take takes a night for an occupant, from the one who gives it up with [Days.Free], or else from nobody.
func (d *Days) Take(n Night, by Occupant) {
	at := d.each[n]
	at.to = by
	d.each[n] = at
}

// Drop forgets the change of a night, which then stays as it is.
func (d *Days) Drop(n Night) { delete(d.each, n) }

// Changes reports whether a night changes hands.
func (d *Days) Changes(n Night) bool {
	_, changes := d.each[n]
	return changes
}

// Taken returns the nights that the changes take, ordered by unit and date.
func (d *Days) Taken() (all []TakenNight) {
	for n, at := range d.each {
		if at.to != (Occupant{}) {
			all = append(all, TakenNight{n, at.to})
		}
	}
	slices.SortFunc(all, func(a, b TakenNight) int { return a.compare(b.Night) })
	return all
}

func (n Night) compare(other Night) int {
	return cmp.Or(strings.Compare(n.UnitID, other.UnitID), n.Date.Compare(other.Date))
}

// Items returns the items that the changes concern, for a [dynastay.Contest].
func (d *Days) Items() (all []dynastay.Ref, err error) {
	for _, at := range d.months() {
		key, err := keys.Of(at)
		if err != nil {
			return nil, err
		}
		all = append(all, dynastay.RefOf(keys.AvailabilityTable, key))
	}
	return all, nil
}

func (d *Days) months() (all []keys.UnitMonth) {
	for n := range d.each {
		all = append(all, keys.UnitMonth{PropertyID: d.propertyID, Month: dynastay.MonthOf(n.Date).CheckIn, UnitID: n.UnitID})
	}
	slices.SortFunc(all, func(a, b keys.UnitMonth) int {
		return cmp.Or(strings.Compare(a.UnitID, b.UnitID), a.Month.Compare(b.Month))
	})
	return slices.Compact(all)
}

// InTheWay returns the nights that are to be taken and that somebody else had when a condition failed, see [dynastay.Tx.Found].
// Whoever knows that the occupant does not have such a night any more calls [Days.Seize], and adds a check that this stays so.
func (d *Days) InTheWay(tx *dynastay.Tx) (all []TakenNight, err error) {
	for _, n := range d.Taken() {
		row, found, err := d.found(tx, n.Night)
		if err != nil {
			return nil, err
		}
		at := d.each[n.Night]
		if by, taken := occupantIn(row, n.Date); found && taken && by != at.from && by != at.to {
			all = append(all, TakenNight{n.Night, by})
		}
	}
	return all, nil
}

// Seize takes a night that an occupant does not have any more, although the item still says so.
func (d *Days) Seize(n Night, from Occupant) {
	at := d.each[n]
	at.from = from
	d.each[n] = at
}

func (d *Days) found(tx *dynastay.Tx, n Night) (dynastay.Row, bool, error) {
	key, err := keys.Of(keys.UnitMonth{PropertyID: d.propertyID, Month: dynastay.MonthOf(n.Date).CheckIn, UnitID: n.UnitID})
	row, found := tx.Found(keys.AvailabilityTable, key)
	return row, found, err
}

func occupantIn(row dynastay.Row, date dynastay.Date) (Occupant, bool) {
	return occupantOn(row, dayOf(date))
}

func occupantOn(row dynastay.Row, day int) (_ Occupant, taken bool) {
	switch value := row.Value(attrOf(day)).Stored().(type) {
	case nil:
		return Occupant{}, false
	case *types.AttributeValueMemberS:
		if value.Value != "" {
			return occupantOf(value.Value), true
		}
	}
	return NotText, true
}

func dayOf(date dynastay.Date) int { return date.Time().Day() }

// AddTo adds the actions. If a condition fails, the operation is prepared again, and [Days.InTheWay] says who has what.
func (d *Days) AddTo(tx *dynastay.Tx) error {
	for _, at := range d.months() {
		key, err := keys.Of(at)
		if err != nil {
			return err
		}
		row, found := tx.Found(keys.AvailabilityTable, key)
		m := monthChange{}
		for n, change := range d.each {
			if n.UnitID != at.UnitID || dynastay.MonthOf(n.Date).CheckIn != at.Month {
				continue
			}
			m.add(dayOf(n.Date), change, row, found)
		}
		if len(m.days) == 0 {
			continue
		}
		action := tx.Update(keys.AvailabilityTable, key, m.expr(at.Month)).Else(func(dynastay.Row) error { return dynastay.ErrOvertaken })
		if !m.takes {
			action.IfFits()
		}
	}
	return nil
}

// monthChange is what changes in one item.
type monthChange struct {
	days  map[int]day
	takes bool
}

// add adds the change of a night, given the item as it was found, if it was.
func (m *monthChange) add(number int, at day, row dynastay.Row, found bool) {
	if found {
		switch by, taken := occupantOn(row, number); {
		case at.to == (Occupant{}) && (!taken || by != at.from):
			return // somebody else has it by now, or nobody
		case !taken:
			at.from = Occupant{}
		case by == at.to:
			at.from = by // what it had before, and has again
		}
	}
	if m.days == nil {
		m.days = map[int]day{}
	}
	m.days[number], m.takes = at, m.takes || at.to != Occupant{}
}

// expr returns the change, on condition that everybody has what the changes say.
func (m *monthChange) expr(month dynastay.Date) dynastay.Expr {
	var all []expression.ConditionBuilder
	var update expression.UpdateBuilder
	for _, number := range slices.Sorted(maps.Keys(m.days)) {
		at, name := m.days[number], dynastay.NameOf(attrOf(number))
		if at.from == (Occupant{}) {
			all = append(all, expression.AttributeNotExists(name))
		} else {
			all = append(all, name.Equal(expression.Value(dynastay.Text(at.from.String()))))
		}
		if at.to == (Occupant{}) {
			update = update.Remove(name)
		} else {
			update = update.Set(name, expression.Value(dynastay.Text(at.to.String())))
		}
	}
	if m.takes {
		// As long as nights are kept, so that both are there to look at.
		expires := dynastay.MonthOf(month).CheckOut.Time().AddDate(2, 0, 0)
		update = update.Set(dynastay.NameOf(keys.AttrEntityType), expression.Value(dynastay.Text("UnitMonth"))).
			Set(dynastay.NameOf(keys.AttrExpiresAt), expression.Value(dynastay.Number(int(expires.Unix()))))
	}
	condition := all[0]
	for _, c := range all[1:] {
		condition = condition.And(c)
	}
	return dynastay.MustCompile(expression.NewBuilder().WithCondition(condition).WithUpdate(update)).With(nil)
}
