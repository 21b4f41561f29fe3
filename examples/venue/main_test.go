package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMonth(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, false), "the program printed:\n%s", &out)
	t.Logf("\n%s", &out)
	text := regexp.MustCompile(` +`).ReplaceAllString(out.String(), " ")
	for _, line := range []string{
		"Yoga 2037-07-21 MORNING 20 people pending",
		"first of all user_ada's Wedding, requested at 09:20",
		"2037-07-11 FULL_DAY code 4711 from 06:00 until 00:00 UTC",
		"the same result, nothing was written",
		"the other one is told which event holds the slot, and its request is still pending",
		"the approval of version 1: version conflict",
		"450.00 EUR paid new: true",
		"450.00 EUR paid new: false",
		"2037-07-18 MORNING Graduation",
		"Ada 2 requested, 1 approved",
		"Ben 2 requested, 0 approved",
		"Eva 2 requested, 0 approved",
	} {
		assert.Contains(t, text, "\n "+line+"\n")
	}
	assert.Contains(t, out.String(), `
    Jul 2037     Mo   Tu   We   Th   Fr   Sa   Su
                            1    2    3    4    5
                          · ·  · ·  · ·  · ·  · ·
                  6    7    8    9   10   11   12
                · ·  · ·  · ·  · ·  · ·  #### · ·
                 13   14   15   16   17   18   19
                · ·  · ·  · ·  · ·  · ·  xx·  · ·
                 20   21   22   23   24   25   26
                · ·  · ·  · ·  · ·  · ·  · ·  · ·
                 27   28   29   30   31
                xxxx xxxx xxxx · ·  · ·
`)
	assert.Regexp(t, `Carla looks at July +31 `, out.String(), "one request a day")
	assert.Regexp(t, `Carla closes the hall for the floor to be polished +1 `, out.String(), "one transaction")
	for line := range strings.SplitSeq(out.String(), "\n") {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 120, "a terminal's width: %s", line)
		if cost := regexp.MustCompile(`^ ?\d+  \D.*[\d-]$`); cost.MatchString(line) {
			assert.Equal(t, 98, utf8.RuneCountInString(line), "the title is short enough: %s", line)
		}
	}
}

func TestSlotsHaveColours(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, true))
	assert.Contains(t, out.String(), "\x1b[32m##\x1b[0m\x1b[32m##\x1b[0m")
	assert.Contains(t, out.String(), "\x1b[90mxx\x1b[0m· ")
}
