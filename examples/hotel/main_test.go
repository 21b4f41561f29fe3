package main

import (
	"flag"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "draw the image of the calendar anew")

func TestDay(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, false), "the program printed:\n%s", &out)
	t.Logf("\n%s", &out)

	assert.Regexp(t, ` 3  Search New York.* 4 +\S+ +-\n`, out.String(), "one request for the city, and one for each hotel")
	assert.Regexp(t, `The same update again.* 4 +\S+ +-\n`, out.String(), "only reads")
	assert.Regexp(t, `checked in +room 3\d\d\n`, out.String())
	// Who gets which room follows the random ids of the bookings; how many nights are taken does not.
	_, plan, _ := strings.Cut(out.String(), "The room plan of June")
	nights := 0
	for _, room := range regexp.MustCompile(`(?m)^ +3\d\d +([.A-Z#]{30})$`).FindAllStringSubmatch(plan, -1) {
		nights += len(room[1]) - strings.Count(room[1], ".") - strings.Count(room[1], "#")
	}
	assert.Equal(t, 59, nights)
	assert.Regexp(t, `312 +[.A-Z]{26}#{4}\n`, plan, "out of order for four nights")

	// Columns are as wide as their content; the reference is random.
	text := regexp.MustCompile(` +`).ReplaceAllString(out.String(), " ")
	text = regexp.MustCompile(`BKG-2026-\w{6}`).ReplaceAllString(text, "BKG-2026-XXXXXX")
	for _, line := range []string{
		"Bookings Booking BOOKING#bkg_12345/METADATA",
		"booking bkg_12345 2025-01-15 to 2025-01-18 confirmed 840.00 USD",
		"night room_789 2025-01-15 Deluxe King Suite 280.00 USD",
		"Orchard Street Hotel 163 Orchard Street 40.7211, -73.9883 3 room types 173 nights",
		"Orchard Street Hotel Queen Room 657.00 USD free cancellation 48h",
		"Chelsea Loft House - - min stay Jun 12",
		"Bryant Park Inn Double Room + Family Room 1691.70 USD partial 50 24h",
		"Orchard Street Hotel - - too small",
		"Bryant Park Inn 79 m from 719.70 USD",
		"Orchard Street Hotel 3639 m from 657.00 USD",
		"user user_ada Ada Byron ada@example.com",
		"BKG-2026-XXXXXX confirmed Orchard Street Hotel Queen Room 657.00 USD",
		"reference BKG-2026-XXXXXX confirmed 2026-06-12 to 2026-06-15 657.00 USD",
		"user user_ada BKG-2026-XXXXXX confirmed 2026-06-12 to 2026-06-15 657.00 USD",
		"20 booked",
		"44 refused: sold out Jun 12, Jun 13, Jun 14",
		"BKG-2026-XXXXXX cancelled plans changed",
		"Queen Room 2026-06-12 1 left",
		"Queen Room 2026-06-13 1 left",
		"Queen Room 2026-06-14 1 left",
		"86 dates 37 written 49 unchanged",
		"86 dates 0 written 86 unchanged",
		"Queen Room 2026-06-13 overbooked by 2",
		"Queen Room 2026-06-14 overbooked by 2",
		"40 booked",
		"2 refused: closed to arrival",
		"2 refused: closed to departure",
		"2 refused: min stay",
		"4 refused: stop sell",
		"King Studio 12 9 9 9 7 10 9 11 11 11 10 11 11 11a12 × × × 12 8 10a12 12 10 10 6 6d 6a12 8",
		"289.50 335 289.50 335 289.50 335 289.50 335 289.50",
		"Queen Room 21 21 21 20 15 15 14 21 21 18 16 1 -2 -2a21 21 21 11 14 2 2a 2 2 16 21 16 0d 5a18 18",
		"Single Room · · · · · · · 6 4 4 4 2 2 3a 3 4 2 3 1 0 0a 3 3 5 5 3 3d 3a 4 6",
		"Rooms left on each date: 0 is sold out, -2 is overbooked by 2, × is taken off sale, · is not put on sale.",
		"King Studio 12 units 301 to 312",
		"11 bookings have their rooms 49 are of room types without units",
		"358 of 1122 room nights sold (32%); 732 left, 36 off sale, 4 overbooked",
		"closed 3 room types 173 nights",
		"quote 2026-06-22 to 2026-06-24 King Studio refused: property closed Jun 22, Jun 23",
		"reopened 3 room types 173 nights",
		"quote 2026-06-22 to 2026-06-24 King Studio 579.00 USD",
		"new york is New York USA",
		"New York, USA is New York USA",
		"zurich is Zürich Switzerland",
		"NYC is New York USA",
		"new… may be Newport USA",
		"3 rate plans 30 nights with prices",
		"Flexible 1020.00 USD 340.00 USD",
		"Saver 867.00 USD 289.00 USD derived -51.00 USD",
		"Half board 1305.00 USD 435.00 USD meals 95.00 USD",
		"BKG-2026-XXXXXX line 1 Half board 2 + 2 435.00 USD 1305.00 USD free cancellation 24h",
		"BKG-2026-XXXXXX line 2 Saver 1 + 0 249.00 USD 747.00 USD non refundable",
		"BKG-2026-XXXXXX line 2 Saver 2 + 0 289.00 USD 867.00 USD non refundable",
		"BKG-2026-XXXXXX total 2172.00 USD",
		"at booking Jun 1, 12:00 1128.00 USD",
		"before arrival Jul 4, 04:00 1044.00 USD",
		"paid 1128.00 USD",
		"will be due BKG-2026-XXXXXX Jul 4, 04:00 1044.00 USD",
		"delivered again refused: it is booked as BKG-2026-XXXXXX",
		"expedia E-118-72 615.00 USD commission 15 %",
		"Harbour House pending 2 room types from 210.00 USD 2 images wifi, pool",
		"waits Harbour House since Jun 1, 12:00",
		"now Harbour House approved",
		"now Harbour House suspended",
		"book with the quote 2026-06-22 to 2026-06-24 refused: property closed Jun 22, Jun 23",
		"quote 2026-06-22 to 2026-06-24 420.00 USD",
		"quote 2026-06-12 to 2026-06-15 refused: stop sell Jun 12, Jun 13, Jun 14",
		"Orchard Street Hotel refused: rooms are sold on 65 upcoming nights",
		"Harbour House deleted",
		"BKG-2026-XXXXXX pending until 12:15 2026-06-02 to 2026-06-04 579.00 USD",
		"confirm refused: the hold has ended",
		"expired 1",
		"2026-06-02 to 2026-06-04 579.00 USD − 50.00 USD a token of 578 bytes",
		"mallory refused: the token belongs to a different user",
		"BKG-2026-XXXXXX pending until 12:35 529.00 USD",
		"another guest refused: the usage limit of the code is reached",
		"BKG-2026-XXXXXX confirmed paid 2026-06-02 to 2026-06-04 529.00 USD",
		"payments 529.00 USD paid",
		"BKG-2026-XXXXXX confirmed pending 2026-06-02 to 2026-06-05 818.50 USD",
		"payments 818.50 USD paid",
		"unassigned arrivals 1",
		"in the house until 2026-06-05",
		"departures by 2026-06-05 1",
		"cancel refused: its status is checked in",
		"BKG-2026-XXXXXX completed Jun 2 20:00 Jun 5 15:00",
		"past BKG-2026-XXXXXX completed 2026-06-02 to 2026-06-05 818.50 USD",
		"user_grace 818 points",
		"mallory refused: the booking is of a different user",
		"Grace H. Right in the middle 9.1 pending",
		"again refused: the booking has a review",
		"Right in the middle approved",
		"Orchard Street Hotel 9.1 1 review",
		"Grace H. Right in the middle 9.1 1 vote",
		"The front desk Come back soon!",
		"bookings anonymised 2",
		"loyalty entries deleted 1",
		"reviews deleted 1",
		"BKG-2026-XXXXXX completed 818.50 USD anonymised Jun 5",
		"Orchard Street Hotel 0.0 0 reviews",
		"King Studio free cancellation 48h 579.00 USD",
		"Single Room partial 50 24h 298.00 USD",
		"taxes 143.35 USD",
		"paid 1020.35 USD",
		"refund 184.98 USD partially refunded",
		"State and city sales tax not owed -13.23 USD",
		"Fees for each room and night not owed -14.00 USD",
		"Balance 0.00 USD",
		"State and city sales tax contained 64.60 USD",
		"found by city Grand Luxury Hotel 9.2 5 amenities Deluxe King Suite",
	} {
		assert.Contains(t, text, "\n "+line+"\n")
	}
	for line := range strings.SplitSeq(out.String(), "\n") {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 110, "a terminal's width: %s", line)
	}
	image := "../../docs/images/calendar.svg"
	drawn := screenshot(calendarIn(t, out.String()))
	if *update {
		require.NoError(t, os.WriteFile(image, []byte(drawn), 0o644))
	}
	stored, err := os.ReadFile(image)
	require.NoError(t, err)
	assert.Equal(t, drawn, string(stored), "run make docs")
}

// calendarIn returns the lines of the calendar that the program printed.
func calendarIn(t *testing.T, printed string) []string {
	_, after, found := strings.Cut(printed, "The calendar of June")
	require.True(t, found)
	_, after, _ = strings.Cut(after, "\n")
	calendar, total, found := strings.Cut(after, "room nights sold")
	require.True(t, found)
	total, _, _ = strings.Cut(total, "\n")
	return strings.Split(strings.ReplaceAll(calendar+"room nights sold"+total, "\n    ", "\n")[len("    "):], "\n")
}

// screenshot returns an image of lines in a terminal. Dates, prices and explanations are paler than the rest.
func screenshot(lines []string) string {
	const top, height = 58, 17
	var text strings.Builder
	for i, line := range lines {
		class := ""
		switch {
		case line == "":
			continue
		case i < len(legend) || line[0] == ' ' || i == len(lines)-1:
			class = ` class="pale"`
		case strings.HasPrefix(line, "Occupancy"):
			class = ` class="bars"`
		}
		fmt.Fprintf(&text, "  <text%s x=\"20\" y=\"%d\">%s</text>\n", class, top+height*i, html.EscapeString(line))
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 820 %[1]d" width="820" height="%[1]d" role="img" aria-labelledby="t d">
  <title id="t">The calendar of a month</title>
  <desc id="d">What go run ./examples/hotel prints: for each room type, the rooms left and the prices on each date, and the occupancy.</desc>
  <style>
    text { font: 12px ui-monospace, monospace; fill: #1f2328 }
    .pale { fill: #59636e }
    .bars { fill: #0969da }
    rect { fill: #f6f8fa; stroke: #8c959f }
    line { stroke: #8c959f }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .pale { fill: #9198a1 }
      .bars { fill: #4493f8 }
      rect { fill: #212830; stroke: #656c76 }
      line { stroke: #656c76 }
    }
  </style>
  <rect x="1" y="1" width="818" height="%[2]d" rx="6"/>
  <line x1="1" y1="32" x2="819" y2="32"/>
  <text class="pale" x="20" y="21">$ go run ./examples/hotel</text>
%[3]s</svg>
`, top+height*len(lines), top+height*len(lines)-2, &text)
}
