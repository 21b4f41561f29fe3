package charges_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/internal/testing/page"
)

// fieldsOf writes what a charge says about what it comes to, as in a Go literal, without the ids.
func fieldsOf(c charges.Charge) string {
	var all []string
	for _, field := range reflect.VisibleFields(reflect.TypeOf(c)) {
		v := reflect.ValueOf(c).FieldByIndex(field.Index)
		switch {
		case v.IsZero(), field.Name == "ID", field.Name == "Name", field.Name == "Kept", c.Kind == charges.Tax && field.Name == "Kind":
		case field.Name == "Rate":
			all = append(all, fmt.Sprintf("%s %%", c.Rate))
		case field.Name == "Amount":
			all = append(all, c.Amount.String())
		case field.Name == "Brackets":
			for _, b := range c.Brackets {
				what := "nothing"
				switch {
				case b.Rate != 0:
					what = fmt.Sprintf("%s %%", b.Rate)
				case b.Amount.IsSet():
					what = b.Amount.String()
				}
				from := "0"
				if b.From.IsSet() {
					from = b.From.Amount()
				}
				all = append(all, fmt.Sprintf("from %s %s", from, what))
			}
		case v.Kind() == reflect.Bool:
			all = append(all, field.Name)
		default:
			all = append(all, fmt.Sprintf("%s %v", field.Name, v))
		}
	}
	return strings.Join(all, ", ")
}

func chargesOf(l *charges.List) string {
	var all []string
	for _, c := range l.Charges {
		all = append(all, c.ID+": "+fieldsOf(c))
	}
	return strings.Join(all, "; ")
}

// stayOf writes what a stay costs, such as "2 × 3 at 100.00 with meals at 20.00, for 2". All nights of a line cost the same.
func stayOf(b charges.Booked) string {
	var all []string
	for _, l := range b.Lines {
		text := fmt.Sprintf("%d × %d at %s", l.Rooms, len(l.Nights), l.Nights[0].Lodging.Amount())
		if l.Nights[0].Meals.IsSet() {
			text += " with meals at " + l.Nights[0].Meals.Amount()
		}
		if l.Guests != nil {
			text += fmt.Sprintf(", for %d", l.Guests.Adults)
			for _, age := range l.Guests.ChildAges {
				text += fmt.Sprintf(" and a child of %d", age)
			}
		}
		all = append(all, text)
	}
	if b.Discount.IsSet() {
		all = append(all, "less "+b.Discount.Amount())
	}
	return strings.Join(all, "; ")
}

// documented compares the rows of a test with its table on the page of charges.
func documented(t *testing.T, name string, rows [][]string, header ...string) {
	t.Helper()
	for _, row := range rows {
		for i, cell := range row {
			if cell == "" {
				row[i] = "nothing"
			}
		}
	}
	page.Section(t, "docs/charges.md", name, page.Table(header, rows))
}
