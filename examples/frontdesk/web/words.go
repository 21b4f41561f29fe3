package web

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/bookings"

	"github.com/dynastay/dynastay/examples/frontdesk/desk"
)

// newKey is the idempotency key of one form: it counts once, however often it is sent.
func newKey() string { return rand.Text() }

// keyOf is the idempotency key of a form about a booking: the same until what it does has been done, also if the page is shown anew.
func keyOf(what string, n int) string { return what + "-" + number(n) }

func number(n int) string { return strconv.Itoa(n) }

func stars(n int) string {
	if n == 0 {
		return ""
	}
	return count(n, "star") + ","
}

func rated(r dynastay.Rating, reviews int) string {
	if r == 0 {
		return "not rated yet"
	}
	return "rated " + r.String() + " in " + count(reviews, "review")
}

func nights(s dynastay.Stay) string { return count(s.Nights(), "night") }

func rooms(n int, name string) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%d × %s", n, name)
}

// name is that of the guest of a booking, who may have been erased.
func name(b *bookings.Summary) string {
	return cmp.Or(strings.TrimSpace(b.Guest.FirstName+" "+b.Guest.LastName), b.Reference, b.ID)
}

// status is the status of a booking in words.
func status(s bookings.Status) string { return strings.ReplaceAll(string(s), "_", " ") }

func shortDate(d dynastay.Date) string { return d.Time().Format("Mon 2") }

func sold(all []desk.Full) (n int) {
	for _, f := range all {
		n += f.Sold
	}
	return n
}

func onSale(all []desk.Full) (n int) {
	for _, f := range all {
		n += f.Of
	}
	return n
}

// height is how much of the bar of a date is filled, of 100.
func height(f desk.Full) int { return min(100*f.Sold/max(f.Of, 1), 100) }

func percent(n, of int) string { return number(100*n/max(of, 1)) + " %" }

func count(n int, of string) string {
	switch {
	case n == 1:
		return "1 " + of
	case of == "child":
		return number(n) + " children"
	}
	return number(n) + " " + of + "s"
}

// cancels says what the policies of some lines are.
func cancels(lines []availability.Line) string {
	var all []string
	for _, l := range lines {
		terms, known := l.CancellationPolicy.Terms()
		switch {
		case !known:
			all = append(all, "Ask the hotel how it can be cancelled.")
		case terms.Percent == 0:
			all = append(all, "It cannot be cancelled free of charge.")
		default:
			all = append(all, fmt.Sprintf("Up to %s before the arrival, %d %% are paid back.", count(terms.Hours, "hour"), terms.Percent))
		}
	}
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(all))), " ")
}

func paidWhere(e charges.Entry) string {
	switch {
	case e.AtProperty:
		return "(at the hotel)"
	case e.Included:
		return "(included)"
	}
	return ""
}

// sentence makes an error a sentence for a guest.
func sentence(err error) string {
	text := err.Error()
	var refused *bookings.Refused
	if errors.As(err, &refused) {
		text = refusal(refused)
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

var reasons = map[availability.Reason]string{
	availability.SoldOut:           "is sold out",
	availability.StopSell:          "is not on sale",
	availability.PropertyClosed:    "is not on sale",
	availability.NotOnSale:         "is not on sale",
	availability.ClosedToArrival:   "is none on which guests can arrive",
	availability.ClosedToDeparture: "is none after which guests can leave",
	availability.MinStay:           "is only for longer stays",
	availability.MaxStay:           "is only for shorter stays",
	availability.PriceChanged:      "has another price now",
}

// refusal says when there is no room, and why. What the hotel calls its rooms means nothing to a guest.
func refusal(refused *bookings.Refused) string {
	var nights []string
	for _, n := range refused.Nights {
		nights = append(nights, "the night of "+n.Date.String()+" "+cmp.Or(reasons[n.Reason], "cannot be booked"))
	}
	slices.Sort(nights)
	return strings.Join(slices.Compact(nights), ", ")
}

func signInLink(back string) string { return "/sign-in?back=" + url.QueryEscape(back) }
