package ical

import (
	"regexp"

	"golang.org/x/text/unicode/norm"
)

var (
	// reservation is the page of a reservation at Airbnb. The domain differs by country.
	reservation = regexp.MustCompile(`airbnb\.[a-z.]+/(?:hosting/reservations/details/|hosting/stay/|reservation/itinerary\?code=)([A-Z0-9]{6,20})\b`)
	// code is the id of a reservation at Airbnb, after the name of the guest.
	code = regexp.MustCompile(`\((HM[A-Z0-9]{8})\)$`)
	// reserved is how Airbnb, Vrbo and others begin the summary of a reservation, with or without a name, in the languages
	// of Europe: English, German, Dutch, French, Spanish and Portuguese, Italian, Polish, Swedish, Danish, Norwegian,
	// Czech, and Croatian or Slovenian.
	reserved = regexp.MustCompile(`(?i)^(?:reserved|reserviert|gereserveerd|réservée?|reservad[oa]|riservat[oa]|prenotat[oa]|` +
		`zarezerwowan[eyao]|reserverad|reserveret|reservert|rezervováno|rezervirano)(?:\s?[-–—:]\s.*)?$`)
)

// guest reports whether an event is the reservation of a guest, and its id if there is one.
func guest(summary, description string) (id string, booked bool) {
	if found := reservation.FindStringSubmatch(description); found != nil {
		return found[1], true
	}
	if found := code.FindStringSubmatch(summary); found != nil {
		return found[1], true
	}
	return "", reserved.MatchString(norm.NFC.String(summary)) // some write é as e and an accent
}
