package ical_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

const plain = "BEGIN:VEVENT\nUID:b\nDTSTART:20270120\nEND:VEVENT\n"

// A description whose line breaks are not escaped has lines that look like others. They make at most its own event
// unreadable, and never free its nights.
func TestLinesOfADescription(t *testing.T) {
	t.Parallel()
	const held = "2027-01-10 to 2027-01-13"
	for line, want := range map[string]string{
		"End: 11:00":           held,
		"Begin: 15:00":         held,
		"BEGIN:":               held,
		"END":                  held,
		"End:of the stay":      held,
		"BEGIN:X":              held,
		"Begin: x-mas party":   held,
		"BEGIN;X=Y:15.00":      held,
		"Status: cancelled":    held,
		"Method: cancel":       held,
		"END:VALARM":           held,
		"End: VTimezone":       held,
		"Uid: c":               held,
		"Summary: Blocked":     held,
		"Dtstart: on Sunday":   "UNREADABLE there is more than one DTSTART",
		"Duration: 3 nights":   "UNREADABLE there are both DTEND and DURATION",
		"Duration of 3 nights": "UNREADABLE DURATION is malformed",
		"Duration of it: P3D":  "UNREADABLE DURATION is malformed",
		"Begin:x-ray":          "UNREADABLE END:X-RAY is missing",
		"BEGIN:VALARM":         "UNREADABLE END:VALARM is missing",
		"BEGIN:VTODO\nBEGIN:X": "UNREADABLE END:VTODO is missing",
	} {
		text := event("UID:a", "STATUS:CONFIRMED", "DTSTART:20270110", "DESCRIPTION:Rules", line, "DTEND:20270113")
		if strings.HasPrefix(want, "UNREADABLE") {
			text = event("UID:a", "DTSTART:20270110", "DTEND:20270113", "DESCRIPTION:Rules", line)
		}
		text = strings.Replace(text, "END:VCALENDAR", plain+"END:VCALENDAR", 1)
		got := read(t, text, rome)
		b := ical.Entry{UID: "b", Stay: dynastay.MustStay("2027-01-20", "2027-01-21")}
		require.NotEmpty(t, got.Entries, line)
		assert.Equal(t, b, got.Entries[len(got.Entries)-1], line)
		switch {
		case want == held:
			assert.Len(t, got.Entries, 2, line)
			assert.Equal(t, held, got.Entries[0].Stay.String(), line)
			assert.Empty(t, got.Problems, line)
		case assert.Len(t, got.Problems, 1, line):
			assert.Equal(t, ical.Problem{Number: 1, UID: "a", Kind: ical.Unreadable, Detail: strings.TrimPrefix(want, "UNREADABLE ")}, got.Problems[0], line)
			assert.Len(t, got.Entries, 1, line)
		}
		assert.Empty(t, got.Free, line)
	}
}

// A line of the calendar's own description is not its METHOD.
func TestMethodOfADescription(t *testing.T) {
	t.Parallel()
	got := read(t, "BEGIN:VCALENDAR\nMETHOD:PUBLISH\nX-WR-CALDESC:Rules\nMethod: cancel\n"+plain+"END:VCALENDAR", rome)
	assert.Len(t, got.Entries, 1)
}

// One event without its BEGIN or END is one Problem.
func TestEventsWithoutTheirEnds(t *testing.T) {
	t.Parallel()
	const begin, end = "BEGIN:VCALENDAR\n", "END:VCALENDAR\n"
	const a = "BEGIN:VEVENT\nUID:a\nDTSTART:20270110\n"
	for name, test := range map[string]struct {
		text             string
		entries, problem string
	}{
		"no END, last":        {begin + plain + a + end, "b", "2 a END:VEVENT is missing"},
		"no END, first":       {begin + a + plain + end, "b", "1 a END:VEVENT is missing"},
		"event in an event":   {begin + a + plain + "END:VEVENT\n" + end, "b", "1 a END:VEVENT is missing, 3  BEGIN:VEVENT is missing"},
		"end in an alarm":     {begin + a + "BEGIN:VALARM\nDTEND:20270113\nEND:VEVENT\n" + plain + end, "b", "1 a END:VALARM is missing"},
		"begins in an alarm":  {begin + a + "BEGIN:VALARM\n" + plain + end, "b", "1 a END:VALARM is missing"},
		"no BEGIN":            {begin + "UID:a\nDTSTART:20270110\nEND:VEVENT\n" + plain + end, "b", "1  BEGIN:VEVENT is missing"},
		"ends in the middle":  {begin + a + "END:VEVENT\nDTEND:20270113\nEND:VEVENT\n" + plain + end, "a b", "2  BEGIN:VEVENT is missing"},
		"event in X-ALL":      {begin + "BEGIN:X-ALL\n" + plain + "END:X-ALL\n" + end, "b", ""},
		"zone without an end": {begin + "BEGIN:VTIMEZONE\nBEGIN:STANDARD\n" + plain + end, "b", ""},
		"deep":                {begin + a + strings.Repeat("BEGIN:X-A\n", 50) + "BEGIN:X-B\nEND:VEVENT\n" + plain + end, "b", "1 a END:X-A is missing"},
		"not deep":            {begin + a + strings.Repeat("BEGIN:X-A\n", 5) + "BEGIN:X-B\nEND:VEVENT\n" + plain + end, "b", "1 a END:X-B is missing"},
		"not too deep": {
			begin + a + strings.Repeat("BEGIN:X-A\n", 6) + strings.Repeat("END:X-A\n", 6) + "END:VEVENT\n" + plain + end, "a b", "",
		},
		"free/busy": {begin + "END:VFREEBUSY\n" + plain + end, "b", "1  VFREEBUSY is not supported"},
	} {
		got := read(t, test.text, rome)
		var entries, problems []string
		for _, e := range got.Entries {
			entries = append(entries, e.UID)
		}
		for _, p := range got.Problems {
			assert.Equal(t, ical.Unreadable, p.Kind)
			problems = append(problems, strings.Join([]string{string(rune('0' + p.Number)), p.UID, p.Detail}, " "))
		}
		assert.Equal(t, test.entries, strings.Join(entries, " "), name)
		assert.Equal(t, test.problem, strings.Join(problems, ", "), name)
	}
}

func TestTooManyEndsOfEvents(t *testing.T) {
	t.Parallel()
	_, err := ical.Read(strings.NewReader("BEGIN:VCALENDAR\n"+strings.Repeat("END:VEVENT\n", ical.MaxEntries+1)+"END:VCALENDAR"), rome)
	blame.As[*ical.TooLargeError](t, err)
}

// A feed comes from a URL that a host chose: each byte of it must cost little, however long its lines are.
func TestHostileFeedsCostLittle(t *testing.T) {
	for _, bytes := range []int{1 << 14, 1 << 20} {
		for name, text := range hostile(bytes) {
			perByte := allocated(t, text) / uint64(bytes)
			assert.Less(t, perByte, uint64(400), "%s, %d bytes", name, bytes)
		}
	}
}

func BenchmarkHostileFeeds(b *testing.B) {
	for _, bytes := range []int{1 << 16, 1 << 20, 1 << 22} {
		for name, text := range hostile(bytes) {
			b.Run(fmt.Sprint(name, "/", bytes), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					_, _ = ical.Read(strings.NewReader(text), rome)
				}
			})
		}
	}
}

func hostile(bytes int) map[string]string {
	fill := func(before, repeated, after string) string {
		return before + strings.Repeat(repeated, (bytes-len(before+after))/len(repeated)) + after
	}
	const begin, end = "BEGIN:VCALENDAR\n", "END:VCALENDAR\n"
	return map[string]string{
		"parameters": fill(begin+"SUMMARY", ";a=b", ":c\n"+end),
		"values":     fill(begin+"SUMMARY;a=b", ",b", ":c\n"+end),
		"quotes":     fill(begin+"SUMMARY", `;a="b"`, ":c\n"+end),
		"times":      fill(begin+"BEGIN:VEVENT\nDTSTART", ";TZID=b", ":20270110T150000\nEND:VEVENT\n"+end),
		"colons":     fill(begin+"BEGIN:VEVENT\nDTSTART;TZID=", ":", "\nEND:VEVENT\n"+end),
		"lines":      fill(begin, "DTSTART"+strings.Repeat(";a=b", 1000)+":c\n", end),
		"zone names": fill(begin, "BEGIN:VEVENT\nDTSTART;TZID="+strings.Repeat("/a", 200)+":20270110T150000\nEND:VEVENT\n", end),
		"components": fill(begin, "BEGIN:X-A\n", ""),
		"ends":       fill(begin+strings.Repeat("BEGIN:X-A\n", 100), "END:VALARM\n", end),
		"folds":      fill(begin+"SUMMARY:", "a\n ", "\n"+end),
		"zones":      fill(begin, "BEGIN:VTIMEZONE\nTZID:a\n"+summer+"END:VTIMEZONE\n", end),
		"changes":    fill(begin+"BEGIN:VTIMEZONE\nTZID:a\n", summer, "END:VTIMEZONE\nBEGIN:VEVENT\nDTSTART;TZID=a:20270110T150000\nEND:VEVENT\n"+end),
		"dates": fill(begin+"BEGIN:VTIMEZONE\nTZID:a\n"+strings.Replace(summer, "END", "RDATE:20270110T150000\nEND", 1)+"BEGIN:STANDARD\nDTSTART:20270110T150000\nRDATE:20270110T150000",
			",20270110T150000", "\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nEND:STANDARD\nEND:VTIMEZONE\nBEGIN:VEVENT\nDTSTART;TZID=a:20270110T150000\nEND:VEVENT\n"+end),
	}
}

// allocated returns the bytes that Read allocates for a text.
func allocated(t *testing.T, text string) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := ical.Read(strings.NewReader(text), rome)
	runtime.ReadMemStats(&after)
	if err != nil {
		require.ErrorContains(t, err, "END:VCALENDAR is missing")
	}
	return after.TotalAlloc - before.TotalAlloc
}
