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
		"SELLER Estcourt Building Supplies",
		"Phone already exists",
		"2.4 km Mike Builder (Bricklaying, plastering, painting)",
		"18.3 km Thandi Zulu (brick-laying, foundation)",
		`Mike has 2 unread messages, the last one is "Or on the 6th?"`,
		"ana: Or on the 6th? (read)",
		"mike: On the 6th. (not read)",
		"refused: the quote was 65000.00 ZAR and is now 66500.00 ZAR",
		"IN_PROGRESS with mike",
		"Thandi Zulu REJECTED",
		"2 are stored as PENDING",
		"2 bids rejected",
		"5.50 ZAR per brick, Red clay bricks",
		"Ana: 5000 bricks for 28000.00 ZAR",
		"Ben: cannot be ordered: Red clay bricks is out of stock, 1000 left",
		"CANCELLED, 1000 bricks in stock",
		"DELIVERED, payment PAID",
		"COMPLETED; Mike has completed 1 of 1 jobs",
		"Ana Dlamini has a trust score of 4.0",
		"Thandi's review of Mike is refused",
		"Ana's order: 5000 Red clay bricks, DELIVERED",
		"Mike's review: 5 stars, Ana Dlamini: On time and within the budget",
		"1000 bricks in stock, 5000 ordered, 6000 supplied",
		"all counters are those of what has happened",
	} {
		assert.Contains(t, text, "\n "+line+"\n")
	}
	assert.Less(t, strings.Index(text, "Red clay bricks\n"), strings.Index(text, "Stone bricks\n"), "the cheapest first")
	assert.NotContains(t, text, "Sipho Ndlovu (", "he lives too far away")
	for line := range strings.SplitSeq(out.String(), "\n") {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 120, "a terminal's width: %s", line)
		if cost := regexp.MustCompile(`^ ?\d+  \D.*[\d-]$`); cost.MatchString(line) {
			assert.Equal(t, 98, utf8.RuneCountInString(line), "the title is short enough: %s", line)
		}
	}
}
