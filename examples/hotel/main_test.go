package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDay(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out), "the program printed:\n%s", &out)
	t.Logf("\n%s", &out)

	// Columns are as wide as their content; the reference is random.
	text := regexp.MustCompile(` +`).ReplaceAllString(out.String(), " ")
	text = regexp.MustCompile(`BKG-2026-\w{6}`).ReplaceAllString(text, "BKG-2026-XXXXXX")
	for _, line := range []string{
		"Bookings Booking BOOKING#bkg_12345/METADATA",
		"booking bkg_12345 2025-01-15 to 2025-01-18 confirmed 840.00 USD",
		"night room_789 2025-01-15 Deluxe King Suite 280.00 USD",
		"Orchard Street Hotel 163 Orchard Street 40.7211, -73.9883 3 room types 180 nights",
		"Orchard Street Hotel Queen Room 657.00 USD free cancellation 48h",
		"Orchard Street Hotel Single Room - too small",
		"Chelsea Loft House Studio Loft - min stay Jun 12",
		"user user_ada Ada Byron ada@example.com",
		"BKG-2026-XXXXXX confirmed Orchard Street Hotel Queen Room 657.00 USD",
		"reference BKG-2026-XXXXXX confirmed 2026-06-12 to 2026-06-15 657.00 USD",
		"user user_ada BKG-2026-XXXXXX confirmed 2026-06-12 to 2026-06-15 657.00 USD",
		"20 got a room",
		"44 refused: sold out Jun 12, Jun 13, Jun 14",
		"BKG-2026-XXXXXX cancelled plans changed",
		"Queen Room 2026-06-12 1 left",
		"Queen Room 2026-06-13 1 left",
		"Queen Room 2026-06-14 1 left",
	} {
		assert.Contains(t, text, "\n "+line+"\n")
	}
	for line := range strings.SplitSeq(out.String(), "\n") {
		assert.LessOrEqual(t, len(line), 100, "a terminal's width: %s", line)
	}
}
