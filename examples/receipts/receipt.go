package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/examples/report"
)

// receipt is a receipt as people read it, on a terminal and on paper.
type receipt struct {
	*bookings.Receipt
	City, Guest string
	Sections    []section
}

// section is a table whose last row is the sum of the others.
type section struct {
	Title string
	Rows  []row
	Sum   row
}

type row struct {
	Label, Detail string
	Amount        dynastay.Money
}

func receiptOf(at place, guest bookings.Guest, r *bookings.Receipt) (*receipt, error) {
	due, err := sum(r.Owed, r.AtProperty)
	if err != nil {
		return nil, err
	}
	stay, money := section{Title: "Stay", Sum: row{Label: "Total", Amount: r.Owed}}, section{Title: "Payments"}
	if r.Status == bookings.Cancelled {
		stay.Sum.Label = "Kept"
	}
	money.Rows = []row{{Label: stay.Sum.Label, Amount: r.Owed}}
	money.Sum = row{Label: "Balance", Amount: r.Balance}
	for _, e := range r.Entries {
		if e.Kind == bookings.ReceiptPayment || e.Kind == bookings.ReceiptRefund {
			money.Rows = append(money.Rows, rowOf(e))
		} else {
			stay.Rows = append(stay.Rows, rowOf(e))
		}
	}
	taxes := section{Title: "Taxes contained", Rows: []row{{Label: "Net", Amount: r.Net}}, Sum: row{Label: "Gross", Amount: r.Owed}}
	for _, t := range r.Taxes {
		detail := []string{"added"}
		if t.Included {
			detail[0] = "included"
		}
		if t.Net.IsSet() {
			detail = append(detail, percent(t.Rate)+" of "+t.Net.Amount())
		}
		taxes.Rows = append(taxes.Rows, row{t.Name, strings.Join(detail, ", "), t.Amount})
	}
	all := &receipt{r, at.city, guest.FirstName + " " + guest.LastName, []section{stay, money, taxes}}
	if len(r.AtProperty) > 0 {
		later := section{Title: "Due at the property", Sum: row{Label: "On arrival", Amount: due}}
		for _, e := range r.AtProperty {
			later.Rows = append(later.Rows, rowOf(e))
		}
		all.Sections = append(all.Sections, later)
	}
	return all, nil
}

// sum adds up entries, of which there may be none, in the currency of an amount.
func sum(in dynastay.Money, entries []bookings.ReceiptEntry) (total dynastay.Money, err error) {
	total, err = in.Times(0)
	for _, e := range entries {
		if err == nil {
			total, err = total.Add(e.Amount)
		}
	}
	return total, err
}

func rowOf(e bookings.ReceiptEntry) row {
	r := row{Label: e.Name, Amount: e.Amount}
	switch e.Kind {
	case bookings.ReceiptRooms:
		r.Detail = fmt.Sprintf("× %d", e.Quantity)
	case bookings.ReceiptDiscount:
		r.Label, r.Detail = "Discount", e.ID
	case bookings.ReceiptCharge:
		if e.Rate != 0 {
			r.Detail = percent(e.Rate)
		}
	case bookings.ReceiptKept:
		r.Label = "Kept of what was given up"
	case bookings.ReceiptNotOwed:
		r.Label, r.Detail = cmp.Or(e.Name, "Rooms"), "not owed"
	case bookings.ReceiptPayment:
		r.Label, r.Detail = "Paid", e.At.Format("Jan 2")+", "+strings.ReplaceAll(e.Name, "_", " ")
	case bookings.ReceiptRefund:
		r.Label, r.Detail = "Refunded", e.At.Format("Jan 2")
		if e.Pending {
			r.Detail += ", requested"
		}
	}
	return r
}

func percent(r charges.Rate) string { return r.String() + " %" }

// print prints the receipt in columns.
func (r *receipt) print(found *report.Findings) {
	found.Add("%s, %s: %s for %s, %s, %s", r.PropertyName, r.City, r.Reference, r.Guest, r.Stay, r.Status)
	for _, s := range r.Sections {
		found.Add("%s", s.Title)
		for _, one := range append(s.Rows, s.Sum) {
			found.Row(" "+one.Label, one.Detail, one.Amount)
		}
	}
}

//go:embed receipts.html
var text string

var page = template.Must(template.New("receipts").Parse(text))

// writePage writes all receipts to a file, each on a page of its own when they are printed.
func writePage(file string, all []*receipt) error {
	var html strings.Builder
	if err := page.Execute(&html, all); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(html.String()), 0o644)
}
