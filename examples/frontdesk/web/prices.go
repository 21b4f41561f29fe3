package web

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"

	"github.com/dynastay/dynastay/examples/frontdesk/desk"
)

// A field of the grid has a name that says what the page showed, so that only what somebody has changed is written, and what another desk
// has changed meanwhile stays: "price#room_1#2037-07-10#142.00". An id has no "#".
func fieldName(kind, roomTypeID string, date dynastay.Date, shown string) string {
	return strings.Join([]string{kind, roomTypeID, date.String(), shown}, "#")
}

func showPrices(r *request, d *desk.Desk, problem error) error {
	in, err := dateOr(r.Form.Get("month"), d.Today)
	if err != nil {
		return err
	}
	p, err := d.Prices(r.ctx, in)
	if err != nil {
		return err
	}
	return r.page(problem, func(text string) templ.Component { return pricesPage(r.visit, d, grid{p, r.PostForm}, text) })
}

// grid is the prices of a month, with what somebody has entered that could not be written.
type grid struct {
	*desk.Prices
	entered url.Values
}

// value returns what a field has.
func (g grid) value(name, stored string) string {
	if g.entered.Has(name) {
		return g.entered.Get(name)
	}
	return stored
}

func setPrices(r *request, d *desk.Desk) error {
	r.visit.Path = "/desk/prices?month=" + url.QueryEscape(r.PostForm.Get("month"))
	edits, err := editsOf(r.PostForm, d)
	if err == nil {
		err = d.SetPrices(r.ctx, edits)
	}
	var some *availability.UpdateError
	if errors.As(err, &some) {
		err = notChanged(some)
	}
	if err != nil {
		if showPrices(r, d, err) != nil {
			return err
		}
		return nil
	}
	return r.redirect(r.visit.Path)
}

// notChanged says which nights were not changed, perhaps because DynamoDB could not be reached. What was entered for them is kept.
func notChanged(some *availability.UpdateError) error {
	var nights []string
	for _, n := range some.Dates {
		nights = append(nights, n.Date.String())
	}
	slices.Sort(nights)
	return dynastay.Refusal("these nights have not been changed, please save again: " + strings.Join(slices.Compact(nights), ", "))
}

// editsOf reads what has been changed in the grid, night by night.
func editsOf(form url.Values, d *desk.Desk) ([]desk.Edit, error) {
	type night struct {
		room string
		date dynastay.Date
	}
	changed := map[night]*desk.Edit{}
	for name, values := range form {
		parts := strings.Split(name, "#")
		if len(parts) != 4 {
			continue
		}
		date, err := dateOr(parts[2], dynastay.Date{})
		room := d.Room(parts[1])
		if err != nil || room == nil {
			return nil, dynastay.Invalid("Night", "%s is none of this property", name)
		}
		at := night{room.ID, date}
		e := cmp.Or(changed[at], &desk.Edit{RoomTypeID: room.ID, Date: date})
		differs, err := set(e, parts[0], strings.TrimSpace(values[0]), parts[3], room.BasePrice.Currency())
		if err != nil {
			return nil, dynastay.Within(room.Name+" "+date.String(), err)
		}
		if differs {
			changed[at] = e
		}
	}
	edits := make([]desk.Edit, 0, len(changed))
	for _, e := range changed {
		edits = append(edits, *e)
	}
	return edits, nil
}

// set sets what a field says, and reports whether that is another value than the page showed, however it is written.
func set(e *desk.Edit, kind, value, shown string, c dynastay.Currency) (differs bool, err error) {
	if value == shown {
		return false, nil
	}
	switch kind {
	case "price":
		price, err := dynastay.NewMoney(value, c)
		if err != nil || price.Amount() == shown {
			return false, err
		}
		e.Price = price
	case "min":
		nights, err := strconv.Atoi(value)
		if err != nil {
			return false, dynastay.Invalid("Minimum stay", "must be a number of nights")
		}
		if number(nights) == shown {
			return false, nil
		}
		e.MinStay = &nights
	case "rule":
		e.Rule, e.Was = desk.Rule(value), desk.Rule(shown)
	}
	return true, nil
}
