package listing_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever the form of the days, guests who follow each other have the nights that are written, and no conflict.
func TestDaysOfFeeds(t *testing.T) {
	t.Parallel()
	const utc, madrid, local = "DTSTART:%sT000000Z|DTEND:%sT000000Z", "DTSTART;TZID=Europe/Madrid:%sT000000|DTEND;TZID=Europe/Madrid:%sT000000",
		"DTSTART:%sT000000|DTEND:%sT000000"
	for name, test := range map[string]struct{ zone, form string }{
		"midnights of UTC":              {"America/New_York", utc},
		"midnights of another zone":     {"Atlantic/Canary", madrid},
		"midnights that do not exist":   {"Atlantic/Azores", local},
		"midnights of an unknown zone":  {"Atlantic/Azores", strings.ReplaceAll(madrid, "Europe/Madrid", "Customized Time Zone")},
		"a description with line feeds": {"Europe/Rome", "DESCRIPTION:Begin\r\nBegin: 15:00\r\nEnd: 11:00|" + local},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFeedHome(t)
			var text strings.Builder
			text.WriteString("BEGIN:VCALENDAR\r\n")
			for _, days := range [][]string{{"20260326", "20260329"}, {"20260329", "20260331"}} {
				lines := strings.Replace(strings.Replace(test.form, "%s", days[0], 1), "%s", days[1], 1)
				text.WriteString("BEGIN:VEVENT\r\nUID:" + days[0] + "\r\nSUMMARY:Reserviert\r\n" + strings.ReplaceAll(lines, "|", "\r\n") + "\r\nEND:VEVENT\r\n")
			}
			text.WriteString("END:VCALENDAR\r\n")
			for _, want := range []string{"2 added", "0 added"} {
				feed := h.feed("airbnb", text.String())
				feed.TimeZone = test.zone
				s, err := h.repo.Sync(t.Context(), feed)
				require.NoError(t, err)
				assert.Equal(t, want+", 0 changed, 0 removed, 0 conflicts", short(s))
				assert.Empty(t, s.Problems)
				for _, e := range s.Added {
					assert.Contains(t, []string{"2026-03-26 to 2026-03-29", "2026-03-29 to 2026-03-31"}, e.Stay.String())
				}
			}
			assert.Len(t, h.runs(t), 2)
		})
	}
}
