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
	const cleo, dan, fay, gus = "\n Cleo 2037-07-10 to 2037-07-14 ", "\n Dan 2037-07-10 to 2037-07-12 ",
		"\n Fay 2037-07-11 to 2037-07-12 ", "\n Gus 2037-07-10 to 2037-07-13 "
	for _, step := range []struct{ title, entries string }{
		{"offers three guests what they ask for 18 ", "\n Ada 2037-07-10 to 2037-07-12 284.00 EUR" +
			"\n Ben 2037-07-10 to 2037-07-14 568.00 EUR\n Eve 2037-07-12 to 2037-07-14 284.00 EUR\n"},
		{"the hotel is full 18 ", "\n 3 "},
		{"Four others wait 16 ", cleo + "waits" + dan + "waits" + fay + "waits" + gus + "waits\n"},
		{"cannot stay to the end 9 ", cleo + "waits" + dan + "284.00 EUR" + fay + "waits" + gus + "waits\n"},
		{"Dan does not answer for two hours ", cleo + "waits" + fay + "160.00 EUR" + gus + "waits\n"},
		{"Fay takes the offer 8 ", cleo + "waits" + gus + "waits\n"},
		{"Ben cancels 9 ", cleo + "640.00 EUR" + gus + "waits\n"},
		{"Cleo declines the offer 11 ", gus + "480.00 EUR\n"},
	} {
		_, rest, found := strings.Cut(text, step.title)
		require.True(t, found, step.title)
		_, rest, _ = strings.Cut(rest, "\n")
		assert.True(t, strings.HasPrefix("\n"+rest, step.entries), "%s:\n%s", step.title, rest)
	}
	for line := range strings.SplitSeq(out.String(), "\n") {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 115, "a terminal's width: %s", line)
	}
}
