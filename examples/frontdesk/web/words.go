package web

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
)

// newKey is the idempotency key of one form: it counts once, however often it is sent.
func newKey() string { return rand.Text() }

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

func count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
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

// sentence makes an error a sentence.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func signInLink(back string) string { return "/sign-in?back=" + url.QueryEscape(back) }
