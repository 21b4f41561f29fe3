package ical_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The rules of Central Europe, as calendars write them.
const (
	summer = "BEGIN:DAYLIGHT\nDTSTART:19700329T020000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\nEND:DAYLIGHT\n"
	winter = "BEGIN:STANDARD\nDTSTART:19701025T030000\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\nEND:STANDARD\n"
)

// defined returns a calendar that defines a time zone, with an event at times of that zone.
func defined(name, rules, tzid, start, end string) string {
	return "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nDTSTART;TZID=" + tzid + ":" + start + "\nDTEND;TZID=" + tzid + ":" + end +
		"\nEND:VEVENT\nBEGIN:VTIMEZONE\nTZID:" + name + "\n" + rules + "END:VTIMEZONE\nEND:VCALENDAR\n"
}

func TestZonesThatACalendarDefines(t *testing.T) {
	t.Parallel()
	// In Tokyo, which is 8 hours ahead of +0100 and 7 of +0200, 15:30 and 16:30 are before midnight or at least at it.
	winterIs := func(name, tzid, rules string) string {
		return defined(name, rules, tzid, "20270110T153000", "20270112T100000")
	}
	const known, around = "2027-01-10 to 2027-01-12", "2027-01-09 to 2027-01-13"
	for name, test := range map[string]struct{ text, want string }{
		"custom":           {winterIs("Customized Time Zone", "Customized Time Zone", summer+winter), known},
		"quoted":           {winterIs("Customized Time Zone", `"Customized Time Zone"`, summer+winter), known},
		"quoted twice":     {winterIs(`"Customized Time Zone"`, `"Customized Time Zone"`, summer+winter), known},
		"with a colon":     {winterIs(`(UTC+01:00) Amsterdam\, Berlin`, `"(UTC+01:00) Amsterdam, Berlin"`, summer+winter), known},
		"not quoted":       {winterIs(`(UTC+01:00) Amsterdam\, Berlin`, `(UTC+01:00) Amsterdam, Berlin`, summer+winter), known},
		"not escaped":      {winterIs(`(UTC+01:00) Amsterdam, Berlin`, `(UTC+01:00) Amsterdam\, Berlin`, summer+winter), known},
		"winter only":      {winterIs("x", "x", winter), known},
		"summer":           {defined("x", summer+winter, "x", "20270710T163000", "20270712T100000"), "2027-07-10 to 2027-07-12"},
		"summer at 17":     {defined("x", summer+winter, "x", "20270710T170000", "20270712T100000"), "2027-07-11 to 2027-07-12"},
		"winter at 16":     {defined("x", summer+winter, "x", "20270110T160000", "20270112T100000"), "2027-01-11 to 2027-01-12"},
		"a name in a part": {winterIs("x", "x", strings.Replace(winter, "DTSTART", "TZID:y\nDTSTART", 1)), known},
		"zone in a zone":   {winterIs("x", "x", "BEGIN:VTIMEZONE\nTZID:x\nEND:VTIMEZONE\n"+winter), around},
		"part of a part":   {winterIs("x", "x", strings.Replace(winter, "END", "BEGIN:X-A\nEND:X-A\nEND", 1)), known},
		"until a day": {
			defined("x", strings.Replace(summer, "-1SU", "-1SU;UNTIL=20270328", 1)+winter, "x", "20270710T163000", "20270712T100000"), "2027-07-10 to 2027-07-12",
		},
		"until a change": {
			defined("x", strings.Replace(summer, "-1SU", "-1SU;UNTIL=20270328T010000Z", 1)+winter, "x", "20270710T163000", "20270712T100000"), "2027-07-10 to 2027-07-12",
		},
		"until before it": {
			defined("x", strings.Replace(summer, "-1SU", "-1SU;UNTIL=20270328T005959Z", 1)+winter, "x", "20270710T163000", "20270712T100000"), "2027-07-11 to 2027-07-12",
		},
		"after its rule": {
			defined("x", strings.Replace(winter, "19701025", "19701225", 1), "x", "19701110T163000", "19701112T100000"), "1970-11-10 to 1970-11-12",
		},
		"before all changes":  {defined("x", strings.ReplaceAll(winter, "1970", "2028"), "x", "20270110T163000", "20270112T100000"), known},
		"before the first":    {defined("x", strings.ReplaceAll(summer, "1970", "2029")+strings.ReplaceAll(winter, "1970", "2028"), "x", "20270110T163000", "20270112T100000"), known},
		"known otherwise":     {defined("Asia/Tokyo", summer+winter, "Asia/Tokyo", "20270110T235800", "20270112T100000"), known},
		"known to Windows":    {defined("Tokyo Standard Time", summer+winter, "Tokyo Standard Time", "20270110T235800", "20270112T100000"), known},
		"abbreviation":        {winterIs("EST", "EST", summer+winter), known},
		"broken abbreviation": {defined("EST", "", "EST", "20270110T153000", "20270112T100000"), "2027-01-11 to 2027-01-13"},
		"another name":        {winterIs("y", "x", summer+winter), around},
		"no rules":            {winterIs("x", "x", ""), around},
		"no offset":           {winterIs("x", "x", strings.Replace(winter, "TZOFFSETTO:+0100\n", "", 1)), around},
		"no offset before":    {winterIs("x", "x", strings.Replace(winter, "TZOFFSETFROM:+0200\n", "", 1)), around},
		"no start":            {winterIs("x", "x", strings.Replace(winter, "DTSTART:19701025T030000\n", "", 1)), around},
		"bad offset":          {winterIs("x", "x", strings.Replace(winter, "+0100", "1 hour", 1)), around},
		"bad start":           {winterIs("x", "x", strings.Replace(winter, "T030000", "", 1)), around},
		"two rules":           {winterIs("x", "x", strings.Replace(winter, "RRULE", "RRULE:FREQ=YEARLY\nRRULE", 1)), around},
		"bad date":            {winterIs("x", "x", strings.Replace(winter, "RRULE", "RDATE:19701025\nRRULE", 1)), around},
		"no END":              {winterIs("x", "x", strings.Replace(winter, "END:STANDARD\n", "", 1)), around},
		"second is right":     {winterIs("x", "x", summer+winter+"END:VTIMEZONE\nBEGIN:VTIMEZONE\nTZID:x\nX:y\n"), known},
		"of another calendar": {
			winterIs("x", "x", summer+winter) + "BEGIN:VCALENDAR\nEND:VCALENDAR\n", known,
		},
		"days": {defined("y", winter, "x", "20270110T000000", "20270112T000000"), "2027-01-10 to 2027-01-12"},
	} {
		got := read(t, test.text, zone("Asia/Tokyo"))
		if assert.Len(t, got.Entries, 1, name) {
			assert.Equal(t, test.want, got.Entries[0].Stay.String(), name)
		}
	}
}

func TestDefinitionsAreOfOneCalendar(t *testing.T) {
	t.Parallel()
	both := defined("x", winter, "x", "20270110T150000", "20270112T100000") + defined("y", winter, "x", "20270210T150000", "20270212T100000")
	got := read(t, both, rome)
	assert.Equal(t, "2027-01-10 to 2027-01-12", got.Entries[0].Stay.String())
	assert.Equal(t, "2027-02-09 to 2027-02-13", got.Entries[1].Stay.String())
}

func TestDefinitionsOfTooManyChangesAreNotRead(t *testing.T) {
	t.Parallel()
	for changes, want := range map[int]string{499: "2027-01-10 to 2027-01-12", 500: "2027-01-09 to 2027-01-13"} {
		once := strings.Replace(summer, "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\n", "", 1)
		got := read(t, defined("x", winter+strings.Repeat(once, changes), "x", "20270110T150000", "20270112T100000"), rome)
		assert.Equal(t, want, got.Entries[0].Stay.String())
	}
}

// More kinds of offsets than the form of time zones can have.
func TestDefinitionsOfTooManyOffsetsAreNotRead(t *testing.T) {
	t.Parallel()
	for offsets, want := range map[int]string{255: "2027-01-10 to 2027-01-12", 256: "2027-01-09 to 2027-01-13"} {
		var rules strings.Builder
		for i := range offsets {
			fmt.Fprintf(&rules, "BEGIN:STANDARD\nDTSTART:19700101T%02d%02d00\nTZOFFSETFROM:+0100\nTZOFFSETTO:+00%02d%02d\nEND:STANDARD\n", i/60, i%60, i/60, i%60)
		}
		got := read(t, defined("x", rules.String(), "x", "20270110T150000", "20270112T100000"), rome)
		assert.Equal(t, want, got.Entries[0].Stay.String())
	}
}

func TestRulesThatAreNotRead(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{
		"FREQ=MONTHLY;BYMONTH=10", "BYMONTH=10", "FREQ=YEARLY;COUNT=3", "FREQ=YEARLY;INTERVAL=2", "FREQ=YEARLY;BYDAY=-1SU", "FREQ=YEARLY;BYMONTHDAY=1",
		"FREQ=YEARLY;BYMONTH=13", "FREQ=YEARLY;BYMONTH=0", "FREQ=YEARLY;BYMONTH=", "FREQ=YEARLY;BYMONTH=10;BYDAY=XX", "FREQ=YEARLY;BYMONTH=10;BYDAY=S",
		"FREQ=YEARLY;BYMONTH=10;BYDAY=aSU", "FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=32", "FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=-32", "FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=" + strings.Repeat("9,", 31) + "9", "FREQ=YEARLY;UNTIL=someday",
		"FREQ=YEARLY;BYMONTH=3,10;BYDAY=1SU", "FREQ=YEARLY;BYMONTH=10;BYDAY=SU", "FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=1,2", "FREQ=YEARLY;BYMONTH=10;BYDAY=" + strings.Repeat("1SU,", 31) + "1SU", "",
		"FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=0", "FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=0,25", "FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=25,26,27,28,29,30,31;BYDAY=0SU",
	} {
		text := strings.Replace(winter, "FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", rule, 1)
		got := read(t, defined("x", text, "x", "20270110T150000", "20270112T100000"), rome)
		assert.Equal(t, "2027-01-09 to 2027-01-13", got.Entries[0].Stay.String(), rule)
	}
}
