package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSummer(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, false), "the program printed:\n%s", &out)
	t.Logf("\n%s", &out)
	for _, line := range []string{
		"phone-1   applied, 22 visits",
		"2 operations, already_applied",
		"tablet reads a snapshot of 24 visits",
		`IT  server wins  conflict  "from the phone", visited on 2037-08-01`,
		`FR  client wins  applied   "from the tablet", visited on 2037-07-31`,
		`ES  last writer  conflict  "from the phone", visited on 2037-08-01`,
		`PT  merge        applied   "from the phone", visited on 2037-07-31`,
		`CH  a function   applied   "from the tablet", visited on 2037-07-31`,
		`AT  ask Ana      pending   "from the phone", visited on 2037-08-04`,
		`DE  last writer  applied   "Berlin!", which the phone had deleted, by a clock two days fast`,
		`she takes the date: "from the phone", visited on 2037-07-31`,
		"both have the same 24 visits",
		`KR  South Korea, by "South Korea"`,
		"Europe         ########................................  10 of 51",
		"22 countries, 8.84 %; 2 states, 3.92 %; 2 days in a row",
		"calculated at 19:50",
		"the phone is told: operation phone-11: User user_ana: not found",
	} {
		assert.Contains(t, out.String(), "\n    "+line+"\n")
	}
	assert.Regexp(t, `It is asked for again +1 `, out.String(), "the statistics are stored")
	for line := range strings.SplitSeq(out.String(), "\n") {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 120, "a terminal's width: %s", line)
		if cost := regexp.MustCompile(`^ ?\d+  \D.*[\d-]$`); cost.MatchString(line) {
			assert.Equal(t, 98, utf8.RuneCountInString(line), "the title is short enough: %s", line)
		}
	}
}

func TestBarsHaveColours(t *testing.T) {
	s := &story{colours: true}
	assert.Equal(t, "\x1b[32m"+strings.Repeat("█", 20)+"\x1b[90m"+strings.Repeat("░", 20)+"\x1b[0m", s.bar(1, 2))
}
