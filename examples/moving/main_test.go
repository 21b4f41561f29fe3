package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStory(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, false), "the program printed:\n%s", &out)
	t.Logf("\n%s", &out)
	text := regexp.MustCompile(` +`).ReplaceAllString(out.String(), " ")
	const notLoaded = "\n line 4: bookings.Import: invalid Stay.CheckOut: must be after CheckIn (2037-07-12), got 2037-07-12"
	for _, step := range []struct{ title, found string }{
		{"Its items are adopted", "\n Properties 2 walked, 1 changed, 0 refused\n Availability 4 walked, 4 changed, 0 refused\n Bookings 2 walked, 1 changed, 0 refused" +
			"\n Users 1 walked, 1 changed, 0 refused\n Reviews 1 walked, 1 changed, 0 refused\n"},
		{"A second adoption finds nothing to do", "\n Properties 4 walked, 0 changed, 0 refused\n Availability 4 walked, 0 changed, 0 refused" +
			"\n Bookings 3 walked, 0 changed, 0 refused\n Users 3 walked, 0 changed, 0 refused\n Reviews 2 walked, 0 changed, 0 refused\n"},
		{"Keys, guards, cards, sums and ratings are verified", "\n Properties 4 walked, 0 changed, 0 refused\n Availability 4 walked, 0 changed, 0 refused" +
			"\n Bookings 3 walked, 0 changed, 0 refused\n Users 3 walked, 0 changed, 0 refused\n Reviews 2 walked, 0 changed, 0 refused\n"},
		{"so nothing is loaded", notLoaded + "\n"},
		{"loaded without that line", notLoaded + "\n line 7: cannot be sold: double 2037-07-12 sold_out\n 6 lines: 4 written, 0 already there, 2 refused\n"},
		{"loaded once more", notLoaded + "\n line 7: cannot be sold: double 2037-07-12 sold_out\n 6 lines: 0 written, 4 already there, 2 refused\n"},
		{"a night differs", "\n double 2037-07-13: sold 1, booked 0\n"},
		{"The night is mended", "\n 1 night mended\n"},
		{"What is held about Ada", "\n Users USER#ada PROFILE\n Bookings BOOKING#b1 METADATA\n Bookings BOOKING#b1 ROOM#double\n Reviews REVIEW#r1 METADATA\n"},
		{"What is held about Ada now", "\n Users USER#ada ERASED\n"},
	} {
		_, rest, found := strings.Cut(text, step.title)
		require.True(t, found, step.title)
		_, rest, _ = strings.Cut(rest, "\n")
		assert.True(t, strings.HasPrefix("\n"+rest, step.found), "%s:\n%s", step.title, rest)
	}
	for line := range strings.SplitSeq(out.String(), "\n") {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 115, "a terminal's width: %s", line)
	}
}
