package main

import (
	"errors"
	"strings"

	"github.com/dynastay/dynastay/availability"
)

// whyNot is what a guest is told of an offer or a booking that was refused, "" where err is no refusal.
func whyNot(err error) string {
	var refused *availability.Refused
	switch {
	case errors.As(err, &refused):
		return reasons(refused)
	case errors.Is(err, availability.ErrTooSmall):
		return "too small"
	default:
		return ""
	}
}

// reasons are the reasons of a refusal, each with its nights: "sold out Jun 12, Jun 13".
func reasons(refused *availability.Refused) string {
	var b strings.Builder
	var last availability.Reason
	told := map[string]bool{} // several room types may be refused for the same reason
	for _, night := range refused.Nights {
		if told[night.String()] {
			continue
		}
		told[night.String()] = true
		switch {
		case last == "":
			b.WriteString(plain(night.Reason) + " ")
		case night.Reason != last:
			b.WriteString("; " + plain(night.Reason) + " ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(night.Date.Time().Format("Jan 2"))
		last = night.Reason
	}
	return b.String()
}

// plain is a stored word such as sold_out for people.
func plain[S ~string](word S) string { return strings.ReplaceAll(string(word), "_", " ") }
