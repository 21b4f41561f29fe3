package ical_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
)

// event returns a calendar with one event of these lines.
func event(lines ...string) string {
	return "BEGIN:VCALENDAR\nBEGIN:VEVENT\n" + strings.Join(lines, "\n") + "\nEND:VEVENT\nEND:VCALENDAR\n"
}

func read(t *testing.T, text string, zone *time.Location) *ical.Calendar {
	t.Helper()
	got, err := ical.Read(strings.NewReader(text), zone)
	require.NoError(t, err)
	return got
}

// nights reads one event: "2027-01-10 to 2027-01-12" for an Entry, "free", or the kind and detail of a Problem.
func nights(t *testing.T, zone *time.Location, lines ...string) string {
	t.Helper()
	got := read(t, event(lines...), zone)
	require.Equal(t, 1, len(got.Entries)+len(got.Free)+len(got.Problems))
	switch {
	case len(got.Entries) > 0:
		require.NoError(t, got.Entries[0].Stay.Validate())
		return got.Entries[0].Stay.String()
	case len(got.Free) > 0:
		return "free"
	}
	return string(got.Problems[0].Kind) + " " + got.Problems[0].Detail
}

func TestNightsOfAnEvent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ lines, want string }{
		"dates":                   {"DTSTART;VALUE=DATE:20270110|DTEND;VALUE=DATE:20270113", "2027-01-10 to 2027-01-13"},
		"dates without VALUE":     {"DTSTART:20270110|DTEND:20270113", "2027-01-10 to 2027-01-13"},
		"no end":                  {"DTSTART:20270110", "2027-01-10 to 2027-01-11"},
		"end at the start":        {"DTSTART:20270110|DTEND:20270110", "2027-01-10 to 2027-01-11"},
		"end before the start":    {"DTSTART:20270110|DTEND:20270109", "UNREADABLE the event ends before it begins"},
		"far past":                {"DTSTART:00010101|DTEND:00010103", "0001-01-01 to 0001-01-03"},
		"far future":              {"DTSTART:99991230|DTEND:99991231", "9999-12-30 to 9999-12-31"},
		"after the last date":     {"DTSTART:99991231", "UNREADABLE the nights are not within the years 1 to 9999"},
		"before the first date":   {"DTSTART:00000101|DTEND:00010103", "UNREADABLE the nights are not within the years 1 to 9999"},
		"a long time":             {"DTSTART:20270101|DTEND:20991231", "2027-01-01 to 2099-12-31"},
		"no start":                {"DTEND:20270113", "UNREADABLE DTSTART is missing"},
		"two starts":              {"DTSTART:20270110|DTSTART:20270111", "UNREADABLE there is more than one DTSTART"},
		"two ends":                {"DTSTART:20270110|DTEND:20270111|DTEND:20270112", "UNREADABLE there is more than one DTEND"},
		"no such day":             {"DTSTART:20270230", "UNREADABLE DTSTART must be a date or a time"},
		"no such time":            {"DTSTART:20270110T250000", "UNREADABLE DTSTART must be a date or a time"},
		"fraction of a second":    {"DTSTART:20270110T150000.5", "UNREADABLE DTSTART must be a date or a time"},
		"no date":                 {"DTSTART:tomorrow", "UNREADABLE DTSTART must be a date or a time"},
		"end is no date":          {"DTSTART:20270110|DTEND:2027-01-11", "UNREADABLE DTEND must be a date or a time"},
		"end on the day before":   {"DTSTART:20270110|DTEND:20270109T235900", "UNREADABLE the event ends before it begins"},
		"end in last minute":      {"DTSTART:20270110T150000|DTEND:20270109T235900", "UNREADABLE the event ends before it begins"},
		"shortly after midnight":  {"DTSTART:20270110|DTEND:20270110T003000", "2027-01-10 to 2027-01-11"},
		"longer names":            {"DTSTART:20270110|DTEND2:20270113|DTENDZ:20270113|DTEND-A:20270113|dtendz:20270113", "2027-01-10 to 2027-01-11"},
		"long start":              {"DTSTART;X=" + strings.Repeat("x", 1<<20) + ":20270110", "2027-01-10 to 2027-01-11"},
		"a date if it is cut off": {"DTSTART;X=" + strings.Repeat("x", 1<<20) + ":20270110T", "UNREADABLE DTSTART must be a date or a time"},
		"spaces":                  {"DTSTART: 20270110 |DTEND:20270113\r", "2027-01-10 to 2027-01-13"},
		"malformed start":         {"DTSTART;VALUE=DATE", "UNREADABLE DTSTART is malformed"},
		"malformed in lower case": {"DTSTART:20270110|dtend", "UNREADABLE DTEND is malformed"},
		"malformed series":        {"DTSTART:20270110|RRULE", "UNREADABLE RRULE is malformed"},
		"malformed dates":         {"DTSTART:20270110|RDATE", "UNREADABLE RDATE is malformed"},
		"malformed duration":      {"DTSTART:20270110|DURATION P3D", "UNREADABLE DURATION is malformed"},
		"malformed occurrence":    {"DTSTART:20270110|RECURRENCE-ID", "UNREADABLE RECURRENCE-ID is malformed"},
		"malformed, cancelled":    {"DTSTART|STATUS:CANCELLED", "UNREADABLE DTSTART is malformed"},
		"malformed otherwise":     {"DTSTART:20270110|SUMMARY|STATUS|:|?DTEND:20270113", "2027-01-10 to 2027-01-11"},

		"times":                     {"DTSTART:20270110T150000|DTEND:20270113T110000", "2027-01-10 to 2027-01-13"},
		"midnights":                 {"DTSTART:20270110T000000|DTEND:20270113T000000", "2027-01-10 to 2027-01-13"},
		"to the last second":        {"DTSTART:20270110T000000|DTEND:20270112T235959", "2027-01-10 to 2027-01-13"},
		"to the last minute":        {"DTSTART:20270110T000000|DTEND:20270112T235900", "2027-01-10 to 2027-01-13"},
		"to the last minute but 1":  {"DTSTART:20270110T000000|DTEND:20270112T235800", "2027-01-10 to 2027-01-12"},
		"to 22:59":                  {"DTSTART:20270110T000000|DTEND:20270112T225900", "2027-01-10 to 2027-01-12"},
		"one whole day":             {"DTSTART:20270110T000000|DTEND:20270110T235959", "2027-01-10 to 2027-01-11"},
		"during the day":            {"DTSTART:20270110T110000|DTEND:20270110T140000", "free"},
		"one second":                {"DTSTART:20270110T110000|DTEND:20270110T110001", "free"},
		"a time without an end":     {"DTSTART:20270110T150000", "2027-01-10 to 2027-01-11"},
		"a time without a length":   {"DTSTART:20270110T150000|DTEND:20270110T150000", "2027-01-10 to 2027-01-11"},
		"end earlier that day":      {"DTSTART:20270110T150000|DTEND:20270110T110000", "UNREADABLE the event ends before it begins"},
		"into the night":            {"DTSTART:20270110T220000|DTEND:20270111T020000", "2027-01-10 to 2027-01-11"},
		"date to time":              {"DTSTART:20270110|DTEND:20270112T110000", "2027-01-10 to 2027-01-12"},
		"date to time on that day":  {"DTSTART:20270110|DTEND:20270110T110000", "2027-01-10 to 2027-01-11"},
		"time to date on that day":  {"DTSTART:20270110T150000|DTEND:20270110", "2027-01-10 to 2027-01-11"},
		"lower case":                {"DTSTART:20270110t150000z|DTEND:20270113t100000z", "2027-01-10 to 2027-01-13"},
		"transparent":               {"DTSTART:20270110|TRANSP:TRANSPARENT", "2027-01-10 to 2027-01-11"},
		"tentative":                 {"DTSTART:20270110|STATUS:TENTATIVE", "2027-01-10 to 2027-01-11"},
		"cancelled":                 {"DTSTART:20270110|STATUS:CANCELLED", "free"},
		"cancelled in lower case":   {"DTSTART:20270110|status:cancelled ", "free"},
		"cancelled, dates unknown":  {"DTSTART:someday|STATUS:CANCELLED", "free"},
		"cancelled series":          {"DTSTART:20270110|RRULE:FREQ=DAILY|STATUS:CANCELLED", "free"},
		"cancelled occurrence":      {"RECURRENCE-ID:20270110|STATUS:CANCELLED", "RECURRING one occurrence of a series is cancelled"},
		"series":                    {"DTSTART:20270110|RRULE:FREQ=DAILY;COUNT=3", "RECURRING the event is a series"},
		"series of dates":           {"DTSTART:20270110|RDATE;VALUE=DATE:20270120", "RECURRING the event is a series"},
		"occurrence":                {"DTSTART:20270112|RECURRENCE-ID:20270110", "2027-01-12 to 2027-01-13"},
		"3 days":                    {"DTSTART:20270110|DURATION:P3D", "2027-01-10 to 2027-01-13"},
		"2 weeks":                   {"DTSTART:20270110|DURATION:P2W", "2027-01-10 to 2027-01-24"},
		"positive duration":         {"DTSTART:20270110|DURATION:+p1d", "2027-01-10 to 2027-01-11"},
		"no duration":               {"DTSTART:20270110|DURATION:PT0S", "2027-01-10 to 2027-01-11"},
		"24 hours after a date":     {"DTSTART:20270110|DURATION:PT24H", "2027-01-10 to 2027-01-11"},
		"part of a day":             {"DTSTART:20270110|DURATION:P1DT1S", "2027-01-10 to 2027-01-12"},
		"44 hours":                  {"DTSTART:20270110T150000|DURATION:PT44H", "2027-01-10 to 2027-01-12"},
		"8:59 hours to midnight":    {"DTSTART:20270110T150000|DURATION:PT8H58M59S", "free"},
		"9 hours to midnight":       {"DTSTART:20270110T150000|DURATION:PT8H59M60S", "2027-01-10 to 2027-01-11"},
		"days after a time":         {"DTSTART:20270110T150000|DURATION:P1DT20H", "2027-01-10 to 2027-01-12"},
		"negative duration":         {"DTSTART:20270110|DURATION:-P1D", "UNREADABLE DURATION must be a duration that is not negative"},
		"duration without a number": {"DTSTART:20270110|DURATION:P", "UNREADABLE DURATION must be a duration that is not negative"},
		"duration without a time":   {"DTSTART:20270110|DURATION:P1DT", "UNREADABLE DURATION must be a duration that is not negative"},
		"duration of months":        {"DTSTART:20270110|DURATION:P1Y", "UNREADABLE DURATION must be a duration that is not negative"},
		"very long duration":        {"DTSTART:20270110|DURATION:P9999999W", "UNREADABLE DURATION must be a duration that is not negative"},
		"longest duration":          {"DTSTART:20270110|DURATION:P999999WT999999H999999M999999S", "UNREADABLE the nights are not within the years 1 to 9999"},
		"long in hours":             {"DTSTART:20270110|DURATION:PT999999H", "2027-01-10 to 2141-02-08"},
		"two durations":             {"DTSTART:20270110|DURATION:P1D|DURATION:P2D", "UNREADABLE there is more than one DURATION"},
		"end and duration":          {"DTSTART:20270110|DTEND:20270111|DURATION:P2D", "UNREADABLE there are both DTEND and DURATION"},
	} {
		assert.Equal(t, test.want, nights(t, rome, strings.Split(test.lines, "|")...), name)
	}
}

func TestTimesAreNightsInTheZoneOfTheListing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		start, end string
		zone       *time.Location
		want       string
	}{
		"floating":            {"DTSTART:20270110T233000", "DTEND:20270112T003000", zone("Pacific/Auckland"), "2027-01-10 to 2027-01-12"},
		"UTC, listing behind": {"DTSTART:20270111T020000Z", "DTEND:20270113T160000Z", zone("America/New_York"), "2027-01-10 to 2027-01-13"},
		"UTC, listing ahead":  {"DTSTART:20270110T200000Z", "DTEND:20270112T220000Z", zone("Asia/Tokyo"), "2027-01-11 to 2027-01-13"},
		"UTC, no zone":        {"DTSTART:20270110T233000Z", "DTEND:20270112T010000Z", nil, "2027-01-10 to 2027-01-12"},
		"UTC despite TZID":    {"DTSTART;TZID=Asia/Tokyo:20270110T200000Z", "DTEND:20270112T110000Z", time.UTC, "2027-01-10 to 2027-01-12"},
		"IANA":                {"DTSTART;TZID=Asia/Tokyo:20270111T060000", "DTEND;TZID=Asia/Tokyo:20270113T060000", rome, "2027-01-10 to 2027-01-12"},
		"two zones":           {"DTSTART;TZID=Asia/Tokyo:20270111T060000", "DTEND;TZID=Europe/Rome:20270113T060000", rome, "2027-01-10 to 2027-01-13"},
		"lower-case TZID":     {"DTSTART;tzid=Asia/Tokyo:20270111T060000", "DTEND:20270112T100000", rome, "2027-01-10 to 2027-01-12"},
		"Windows":             {"DTSTART;TZID=Tokyo Standard Time:20270111T060000", "DTEND:20270112T100000", rome, "2027-01-10 to 2027-01-12"},
		"Exchange":            {"DTSTART;TZID=\"tzone://Microsoft/Utc\":20270110T233000", "DTEND:20270112T100000", rome, "2027-01-11 to 2027-01-12"},
		"prefix":              {"DTSTART;TZID=/example.org/2026_1/Asia/Tokyo:20270111T060000", "DTEND:20270112T100000", rome, "2027-01-10 to 2027-01-12"},
		"prefix of 3 parts":   {"DTSTART;TZID=/example.org/America/Argentina/Ushuaia:20270110T220000", "DTEND:20270112T100000", rome, "2027-01-11 to 2027-01-12"},
		"last minute there":   {"DTSTART;TZID=Asia/Tokyo:20270111T080000", "DTEND;TZID=Asia/Tokyo:20270112T235900", rome, "2027-01-11 to 2027-01-12"},
		"last minute here":    {"DTSTART:20270110T150000", "DTEND:20270112T225930Z", rome, "2027-01-10 to 2027-01-13"},
		"duration over the change to summer time": {
			"DTSTART:20270327T000000", "DURATION:P2D", rome, "2027-03-27 to 2027-03-29",
		},
		"hours over the change to summer time": {
			"DTSTART:20270327T000000", "DURATION:PT47H", rome, "2027-03-27 to 2027-03-29",
		},
		"unknown":           {"DTSTART;TZID=Mars/Base:20270110T150000", "DTEND;TZID=Mars/Base:20270112T110000", rome, "2027-01-09 to 2027-01-13"},
		"date, zone behind": {"DTSTART:20270110", "DTEND:20270112", time.FixedZone("", -30), "2027-01-10 to 2027-01-12"},
		"not UTF-8":         {"DTSTART;TZID=\xff\x7f:20270110T150000", "DTEND:20270112T110000", rome, "2027-01-09 to 2027-01-12"},
		"prefix without /":  {"DTSTART;TZID=Mars/Asia/Tokyo:20270110T233000", "DTEND:20270112T100000", rome, "2027-01-09 to 2027-01-12"},
		"prefix of UTC":     {"DTSTART;TZID=/a/b/c/d/UTC:20270110T233000", "DTEND:20270112T100000", rome, "2027-01-11 to 2027-01-12"},
		"only a slash":      {"DTSTART;TZID=/:20270110T233000", "DTEND:20270112T100000", rome, "2027-01-09 to 2027-01-12"},
		"unknown at end":    {"DTSTART:20270110T150000", "DTEND;TZID=Mars:20270112T110000", rome, "2027-01-10 to 2027-01-13"},
		"unknown prefixed":  {"DTSTART;TZID=/example.org/Mars:20270110T150000", "DTEND:20270112T110000", rome, "2027-01-09 to 2027-01-12"},
		"the machine's":     {"DTSTART;TZID=Local:20270110T150000", "DTEND:20270112T110000", rome, "2027-01-09 to 2027-01-12"},
		"empty":             {"DTSTART;TZID=:20270110T150000", "DTEND:20270112T110000", rome, "2027-01-09 to 2027-01-12"},
		"several":           {"DTSTART;TZID=Asia/Tokyo;tzid=Europe/Rome:20270110T150000", "DTEND:20270112T110000", rome, "2027-01-09 to 2027-01-12"},
		"does not end":      {"DTSTART;TZID=Asia/Tokyo:20270111T060000", "DTEND;TZID=Europe/Rome:20270110T060000", rome, "UNREADABLE the event ends before it begins"},
	} {
		assert.Equal(t, test.want, nights(t, test.zone, test.start, test.end), name)
	}
}

func TestMethodCancelsAllEventsOfItsCalendar(t *testing.T) {
	t.Parallel()
	got := read(t, "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nDTSTART:20270110\nEND:VEVENT\nMETHOD:Cancel \nEND:VCALENDAR\n"+
		"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:b\nDTSTART:20270110\nMETHOD:CANCEL\nEND:VEVENT\nEND:VCALENDAR", nil)
	stay := dynastay.MustStay("2027-01-10", "2027-01-11")
	assert.Equal(t, &ical.Calendar{
		Entries: []ical.Entry{{UID: "b", Stay: stay}},
		Free:    []ical.Entry{{UID: "a", Stay: stay, Cancelled: true}},
	}, got)
}
