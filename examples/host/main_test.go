package main

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
)

func TestMonth(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, false), "the program printed:\n%s", &out)
	t.Logf("\n%s", &out)
	text := regexp.MustCompile(` +`).ReplaceAllString(out.String(), " ")
	for _, line := range []string{
		"one guest 2037-07-11 to 2037-07-15 booked",
		"the other 2037-07-11 to 2037-07-15 all 4 nights are held by the event of the first",
		"BLOCK#painter 2037-07-07 to 2037-07-12: two nights were taken, two were freed, three stayed as they were",
		"BC-1001 revision 1, 2037-07-20 to 2037-07-23 outdated",
		"BC-1001 revision 2, 2037-07-21 to 2037-07-26 repeated",
		"BC-1002 revision 2, cancelled cancelled",
		"BC-1002 revision 1, 2037-07-27 to 2037-07-30 outdated",
		"lst_loft is not available: 2037-07-07 by BOOKING#bk_ada (LOCALSTAYS)",
		"nothing has changed",
		"changed 2037-07-14 to 2037-07-19 BOOKING",
		"the feed lacks 12 nights of 3 events that it had before:",
		"read back: nothing has changed",
		"the sea view is free from 2037-07-10 to 2037-07-17: true",
	} {
		assert.Contains(t, text, "\n "+line+"\n")
	}
	assert.Contains(t, out.String(), `
    Jul 2037     We Th Fr Sa Su Mo Tu We Th Fr Sa Su Mo Tu We Th Fr Sa Su Mo Tu We Th Fr Sa Su Mo Tu We Th Fr
                 *1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    Loft          ·  ·  [L============]·  ·  ·  [L=========]·  ·  ·  ·  ·  ·  [B============]·  ·  ·  [L======>
    Garden house  ·  ·  ·  ·  ·  ·  [x------------]·  ·  [A============][x]·  ·  ·  ·  ·  [x---------------]·
    Sea view     <L====]·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  [L===]·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·
    L booked here  B Booking.com  A Airbnb  x blocked  · free  * today
    [ check-in, after noon  ] check-out, before noon  < since last month  > until next month
    Loft         17 nights booked   0 blocked  14 free
    Garden house  5 nights booked  12 blocked  14 free
    Sea view      4 nights booked   0 blocked  27 free
`)
	assert.Regexp(t, `Marta looks at July +1 `, out.String(), "one request for all listings")
	assert.Regexp(t, `The feed again, unchanged +3 `, out.String())
	for line := range strings.SplitSeq(out.String(), "\n") {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 115, "a terminal's width: %s", line)
		if cost := regexp.MustCompile(`^ ?\d+  \D.*[\d-]$`); cost.MatchString(line) {
			assert.Equal(t, 98, utf8.RuneCountInString(line), "the title is short enough: %s", line)
		}
	}
}

// A bar has a bracket only where a stay begins or ends in the month.
func TestBars(t *testing.T) {
	t.Parallel()
	month := dynastay.MustStay("2037-07-01", "2037-07-05")
	for stays, want := range map[string]string{
		"":                               " ·  ·  ·  ·",
		"2037-07-01 to 2037-07-02":       " [L]·  ·  ·",
		"2037-06-30 to 2037-07-01":       " ·  ·  ·  ·",
		"2037-06-30 to 2037-07-02":       "<L=]·  ·  ·",
		"2037-07-04 to 2037-07-05":       " ·  ·  ·  [L]",
		"2037-07-04 to 2037-07-06":       " ·  ·  ·  [L>",
		"2037-07-05 to 2037-07-06":       " ·  ·  ·  ·",
		"2037-06-30 to 2037-07-06":       "<L==========>",
		"2037-07-02 to 2037-07-03 block": " ·  [x]·  ·",
		"2037-07-02 to 2037-07-04 block,2037-07-04 to 2037-07-05": " ·  [x---][L]",
	} {
		held := map[dynastay.Date]*listing.Night{}
		for _, text := range strings.Split(stays, ",") {
			text, blocked := strings.CutSuffix(text, " block")
			checkIn, checkOut, some := strings.Cut(text, " to ")
			if !some {
				continue
			}
			night := &listing.Night{EventID: text, Kind: listing.KindBooking, Source: listing.Localstays}
			if blocked {
				night.Kind, night.Source = listing.KindBlock, listing.HostClosed
			}
			for date := range dynastay.MustStay(checkIn, checkOut).Dates() {
				held[date] = night
			}
		}
		plain := (&story{zone: time.UTC}).row(month, held)
		assert.Equal(t, want, plain, stays)
		coloured := (&story{zone: time.UTC, colours: true}).row(month, held)
		assert.Equal(t, plain, regexp.MustCompile("\x1b\\[\\d+m").ReplaceAllString(coloured, ""), stays)
	}
}

func TestBarsHaveColours(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, true))
	assert.Contains(t, out.String(), "\x1b[32m[L\x1b[0m")
	assert.Contains(t, out.String(), "\x1b[90m[x\x1b[0m")
}
