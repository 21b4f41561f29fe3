package ical_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

// Clocks that are put forward at midnight leave that midnight out.
func TestMidnightsThatDoNotExist(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ zone, start, end, want string }{
		"Azores":                 {"Atlantic/Azores", "DTSTART:20270325T000000", "DTEND:20270328T000000", "2027-03-25 to 2027-03-28"},
		"Azores, from it":        {"Atlantic/Azores", "DTSTART:20270328T000000", "DTEND:20270329T000000", "2027-03-28 to 2027-03-29"},
		"Azores, half past":      {"Atlantic/Azores", "DTSTART:20270327T150000", "DTEND:20270328T003000", "2027-03-27 to 2027-03-28"},
		"Azores, TZID":           {"Atlantic/Azores", "DTSTART;TZID=Atlantic/Azores:20270325T000000", "DTEND;TZID=Atlantic/Azores:20270328T000000", "2027-03-25 to 2027-03-28"},
		"Azores, time in it":     {"Atlantic/Azores", "DTSTART;TZID=Atlantic/Azores:20270325T150000", "DTEND;TZID=Atlantic/Azores:20270328T003000", "2027-03-25 to 2027-03-28"},
		"Azores, UTC":            {"Atlantic/Azores", "DTSTART:20270325T010000Z", "DTEND:20270328T010000Z", "2027-03-25 to 2027-03-28"},
		"Azores, UTC, after":     {"Atlantic/Azores", "DTSTART:20270325T010000Z", "DTEND:20270328T000000Z", "2027-03-25 to 2027-03-28"},
		"Azores, normalised":     {"Atlantic/Azores", "DTSTART:20270325T000000", "DTEND:20270327T230000", "2027-03-25 to 2027-03-28"},
		"Azores, 3 days":         {"Atlantic/Azores", "DTSTART:20270325T000000", "DURATION:P3D", "2027-03-25 to 2027-03-28"},
		"Azores, 3 days, 15:00":  {"Atlantic/Azores", "DTSTART:20270325T150000", "DURATION:P2DT9H", "2027-03-25 to 2027-03-28"},
		"Azores, 72 hours":       {"Atlantic/Azores", "DTSTART:20270325T000000", "DURATION:PT72H", "2027-03-25 to 2027-03-28"},
		"Azores, last minute":    {"Atlantic/Azores", "DTSTART:20270328T000000", "DTEND:20270328T235900", "2027-03-28 to 2027-03-29"},
		"Azores, hour before":    {"Atlantic/Azores", "DTSTART:20270325T000000", "DTEND:20270326T230000", "2027-03-25 to 2027-03-26"},
		"Azores, visit in it":    {"Atlantic/Azores", "DTSTART:20270328T003000", "DTEND:20270328T011500", "free"},
		"Azores, backwards":      {"Atlantic/Azores", "DTSTART:20270328T004500", "DTEND:20270328T003000", "UNREADABLE the event ends before it begins"},
		"Azores, just before":    {"Atlantic/Azores", "DTSTART:20270325T150000", "DTEND:20270327T233000", "2027-03-25 to 2027-03-27"},
		"after it, elsewhere":    {"America/Costa_Rica", "DTSTART;TZID=America/Havana:20270314T013000", "DTEND;TZID=America/Havana:20270315T100000", "2027-03-13 to 2027-03-15"},
		"Lisbon, a visit there":  {"Europe/Lisbon", "DTSTART;TZID=Atlantic/Azores:20270328T004500", "DTEND;TZID=Atlantic/Azores:20270328T011500", "free"},
		"Lisbon, of the Azores":  {"Europe/Lisbon", "DTSTART;TZID=Atlantic/Azores:20270325T150000", "DTEND;TZID=Atlantic/Azores:20270328T003000", "2027-03-25 to 2027-03-28"},
		"Santiago":               {"America/Santiago", "DTSTART:20270904T000000", "DTEND:20270905T000000", "2027-09-04 to 2027-09-05"},
		"Santiago, UTC, before":  {"America/Santiago", "DTSTART:20270904T040000Z", "DTEND:20270905T040000Z", "2027-09-04 to 2027-09-05"},
		"Santiago, UTC, after":   {"America/Santiago", "DTSTART:20270904T040000Z", "DTEND:20270905T030000Z", "2027-09-04 to 2027-09-05"},
		"Santiago, UTC, from it": {"America/Santiago", "DTSTART:20270905T030000Z", "DTEND:20270906T030000Z", "2027-09-05 to 2027-09-06"},
		"Santiago, last to go":   {"America/Santiago", "DTSTART:20270905T030000Z", "DTEND:20270906T140000Z", "2027-09-04 to 2027-09-06"},
		"Beirut":                 {"Asia/Beirut", "DTSTART:20270327T000000", "DTEND:20270328T000000", "2027-03-27 to 2027-03-28"},
		"Cairo":                  {"Africa/Cairo", "DTSTART:20270429T000000", "DTEND:20270430T000000", "2027-04-29 to 2027-04-30"},
		"Havana":                 {"America/Havana", "DTSTART:20270313T000000", "DTEND:20270314T000000", "2027-03-13 to 2027-03-14"},
		"Asuncion":               {"America/Asuncion", "DTSTART:20241005T000000", "DTEND:20241006T000000", "2024-10-05 to 2024-10-06"},
		"Tehran":                 {"Asia/Tehran", "DTSTART:20220321T000000", "DTEND:20220322T000000", "2022-03-21 to 2022-03-22"},
		"Toronto, over midnight": {"America/Toronto", "DTSTART:19190330T234500", "DTEND:19190402T110000", "1919-03-30 to 1919-04-02"},
		"Apia, to no day":        {"Pacific/Apia", "DTSTART:20111229T000000", "DTEND:20111230T000000", "2011-12-29 to 2011-12-30"},
		"Apia, that day":         {"Pacific/Apia", "DTSTART:20111230T000000", "DTEND:20111231T000000", "2011-12-30 to 2011-12-31"},
		"Apia, over that day":    {"Pacific/Apia", "DTSTART:20111229T150000", "DTEND:20111231T110000", "2011-12-29 to 2011-12-31"},
		"Apia, UTC":              {"Pacific/Apia", "DTSTART:20111229T100000Z", "DTEND:20111230T100000Z", "2011-12-29 to 2011-12-31"},
		"Apia, a day":            {"Pacific/Apia", "DTSTART:20111229T150000", "DURATION:P1D", "2011-12-29 to 2011-12-30"},
		"Apia, 24 hours":         {"Pacific/Apia", "DTSTART:20111229T150000", "DURATION:PT24H", "2011-12-29 to 2011-12-31"},
	} {
		assert.Equal(t, test.want, nights(t, zone(test.zone), test.start, test.end), name)
	}
}

// When clocks are put back, a day has 25 hours.
func TestDaysOf25Hours(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ zone, start, end, want string }{
		"24 hours":       {"Europe/Rome", "DTSTART:20271031T000000", "DURATION:PT24H", "2027-10-31 to 2027-11-01"},
		"72 hours":       {"Europe/Rome", "DTSTART:20271030T000000", "DURATION:PT72H", "2027-10-30 to 2027-11-02"},
		"in UTC":         {"Europe/Rome", "DTSTART:20271030T220000Z", "DTEND:20271031T220000Z", "2027-10-31 to 2027-11-01"},
		"last minute":    {"Europe/Rome", "DTSTART:20271030T220000Z", "DTEND:20271031T215900Z", "2027-10-31 to 2027-11-01"},
		"before that":    {"Europe/Rome", "DTSTART:20271030T220000Z", "DTEND:20271031T215800Z", "free"},
		"second time":    {"America/Santiago", "DTSTART:20270403T000000", "DURATION:PT24H", "2027-04-03 to 2027-04-04"},
		"a visit":        {"America/Santiago", "DTSTART:20270403T233000", "DURATION:PT45M", "free"},
		"first of twice": {"America/Bogota", "DTSTART;TZID=America/Havana:20271107T003000", "DTEND;TZID=America/Havana:20271108T100000", "2027-11-06 to 2027-11-08"},
	} {
		assert.Equal(t, test.want, nights(t, zone(test.zone), test.start, test.end), name)
	}
}

// An event from midnight to midnight of another zone is one of whole days.
func TestDaysThatAreWrittenAsMidnightsOfAnotherZone(t *testing.T) {
	t.Parallel()
	const madrid = ";TZID=Europe/Madrid:"
	for name, test := range map[string]struct{ zone, start, end, want string }{
		"UTC, New York":           {"America/New_York", "DTSTART:20270310T000000Z", "DTEND:20270313T000000Z", "2027-03-10 to 2027-03-13"},
		"UTC, Auckland":           {"Pacific/Auckland", "DTSTART:20270310T000000Z", "DTEND:20270313T000000Z", "2027-03-10 to 2027-03-13"},
		"UTC, last minute":        {"America/Los_Angeles", "DTSTART:20270310T000000Z", "DTEND:20270312T235959Z", "2027-03-10 to 2027-03-13"},
		"UTC, last minute, ahead": {"Asia/Tokyo", "DTSTART:20270310T000000Z", "DTEND:20270312T235959Z", "2027-03-10 to 2027-03-13"},
		"UTC, from last minute":   {"Asia/Tokyo", "DTSTART:20270309T235900Z", "DTEND:20270312T235900Z", "2027-03-09 to 2027-03-13"},
		"UTC, first minute":       {"America/New_York", "DTSTART:20270310T000001Z", "DTEND:20270313T000030Z", "2027-03-10 to 2027-03-13"},
		"UTC, 3 days":             {"America/New_York", "DTSTART:20270310T000000Z", "DURATION:P3D", "2027-03-10 to 2027-03-13"},
		"UTC, 72 hours":           {"America/New_York", "DTSTART:20270310T000000Z", "DURATION:PT72H", "2027-03-10 to 2027-03-13"},
		"UTC, one day":            {"America/New_York", "DTSTART:20270310T000000Z", "DTEND:20270311T000000Z", "2027-03-10 to 2027-03-11"},
		"UTC, no length":          {"America/New_York", "DTSTART:20270310T000000Z", "DTEND:20270310T000000Z", "2027-03-10 to 2027-03-11"},
		"UTC, no end":             {"America/New_York", "DTSTART:20270310T000000Z", "X:", "2027-03-10 to 2027-03-11"},
		"UTC, second minute":      {"America/New_York", "DTSTART:20270310T000100Z", "DTEND:20270313T000200Z", "2027-03-09 to 2027-03-13"},
		"UTC, date to midnight":   {"America/New_York", "DTSTART:20270310", "DTEND:20270313T000000Z", "2027-03-10 to 2027-03-13"},
		"UTC, midnight to date":   {"America/New_York", "DTSTART:20270310T000000Z", "DTEND:20270313", "2027-03-10 to 2027-03-13"},
		"UTC, local end":          {"America/New_York", "DTSTART:20270310T000000Z", "DTEND:20270313T110000", "2027-03-09 to 2027-03-13"},
		"Madrid, Canary":          {"Atlantic/Canary", "DTSTART" + madrid + "20270310T000000", "DTEND" + madrid + "20270313T000000", "2027-03-10 to 2027-03-13"},
		"Madrid, last second":     {"Atlantic/Canary", "DTSTART" + madrid + "20270310T000000", "DTEND" + madrid + "20270312T235959", "2027-03-10 to 2027-03-13"},
		"Madrid, 3 days":          {"Atlantic/Canary", "DTSTART" + madrid + "20270310T000000", "DURATION:P3D", "2027-03-10 to 2027-03-13"},
		"Madrid, over the change": {"Atlantic/Canary", "DTSTART" + madrid + "20270327T000000", "DTEND" + madrid + "20270329T000000", "2027-03-27 to 2027-03-29"},
		"Tokyo, New York":         {"America/New_York", "DTSTART;TZID=Asia/Tokyo:20270310T000000", "DTEND;TZID=Asia/Tokyo:20270313T000000", "2027-03-10 to 2027-03-13"},
		"New York, Tokyo":         {"Asia/Tokyo", "DTSTART;TZID=America/New_York:20270310T000000", "DTEND;TZID=America/New_York:20270312T235900", "2027-03-10 to 2027-03-13"},
		"unknown":                 {"America/New_York", "DTSTART;TZID=Mars:20270310T000000", "DTEND;TZID=Mars:20270313T000000", "2027-03-10 to 2027-03-13"},
		"two zones, the same day": {"America/New_York", "DTSTART:20270310T000000Z", "DTEND;TZID=America/New_York:20270310T000000", "2027-03-10 to 2027-03-11"},
		"listing's, in UTC":       {"America/New_York", "DTSTART:20270310T050000Z", "DTEND:20270313T050000Z", "2027-03-10 to 2027-03-13"},
		"listing's, last minute":  {"America/New_York", "DTSTART:20270310T050000Z", "DTEND:20270313T045900Z", "2027-03-10 to 2027-03-13"},

		// Times that may be midnights of a zone that the feed does not name: a night too many.
		"Madrid's, in UTC":     {"Atlantic/Canary", "DTSTART:20270309T230000Z", "DTEND:20270312T230000Z", "2027-03-09 to 2027-03-13"},
		"Berlin's, in UTC":     {"America/New_York", "DTSTART:20270309T230000Z", "DTEND:20270312T230000Z", "2027-03-09 to 2027-03-13"},
		"from 17:59":           {"Atlantic/Canary", "DTSTART:20270309T175900Z", "DTEND:20270312T180000Z", "2027-03-09 to 2027-03-12"},
		"to 17:59":             {"Atlantic/Canary", "DTSTART:20270309T180000Z", "DTEND:20270312T175900Z", "2027-03-09 to 2027-03-12"},
		"from 18:00 to 18:00":  {"Atlantic/Canary", "DTSTART:20270309T180000Z", "DTEND:20270312T180000Z", "2027-03-09 to 2027-03-13"},
		"evening":              {"Atlantic/Canary", "DTSTART:20270309T180000Z", "DTEND:20270309T220000Z", "free"},
		"to the last minute":   {"Atlantic/Canary", "DTSTART:20270309T180000Z", "DTEND:20270312T235900Z", "2027-03-09 to 2027-03-13"},
		"evening to evening":   {"Atlantic/Canary", "DTSTART:20270309T230000", "DTEND:20270312T230000", "2027-03-09 to 2027-03-12"},
		"known evenings":       {"Atlantic/Canary", "DTSTART;TZID=Asia/Tokyo:20270310T080000", "DTEND;TZID=Asia/Tokyo:20270313T080000", "2027-03-09 to 2027-03-12"},
		"one known evening":    {"Atlantic/Canary", "DTSTART;TZID=Asia/Tokyo:20270310T080000", "DTEND:20270312T230000Z", "2027-03-09 to 2027-03-12"},
		"to midnight there":    {"Atlantic/Canary", "DTSTART" + madrid + "20270310T150000", "DTEND" + madrid + "20270313T000000", "2027-03-10 to 2027-03-13"},
		"to its last minute":   {"Atlantic/Canary", "DTSTART" + madrid + "20270310T150000", "DTEND" + madrid + "20270312T235900", "2027-03-10 to 2027-03-13"},
		"one night there":      {"Atlantic/Canary", "DTSTART" + madrid + "20270310T150000", "DTEND" + madrid + "20270311T000000", "2027-03-10 to 2027-03-11"},
		"to midnight UTC":      {"America/New_York", "DTSTART:20270310T200000Z", "DTEND:20270313T000000Z", "2027-03-10 to 2027-03-13"},
		"visit to 19:00":       {"America/New_York", "DTSTART:20270310T220000Z", "DTEND:20270311T000000Z", "free"},
		"visit to 16:00":       {"America/Los_Angeles", "DTSTART:20270310T220000Z", "DTEND:20270311T000000Z", "free"},
		"to 16:00":             {"America/Los_Angeles", "DTSTART:20270310T220000Z", "DTEND:20270313T000000Z", "2027-03-10 to 2027-03-12"},
		"to 23:59, here":       {"Atlantic/Canary", "DTSTART:20270310T150000", "DTEND:20270312T235900", "2027-03-10 to 2027-03-13"},
		"from midnight there":  {"Atlantic/Canary", "DTSTART" + madrid + "20270310T000000", "DTEND" + madrid + "20270313T110000", "2027-03-09 to 2027-03-13"},
		"unknown, to midnight": {"America/New_York", "DTSTART;TZID=Mars:20270310T150000", "DTEND;TZID=Mars:20270313T000000", "2027-03-09 to 2027-03-14"},
		"unknown, to a date":   {"America/New_York", "DTSTART;TZID=Mars:20270310T150000", "DTEND:20270313", "2027-03-09 to 2027-03-13"},
		"unknown, from a date": {"America/New_York", "DTSTART:20270310", "DTEND;TZID=Mars:20270313T110000", "2027-03-10 to 2027-03-14"},
		"unknown, to 23:00":    {"Europe/Rome", "DTSTART;TZID=Mars:20270110T000000", "DTEND;TZID=Mars:20270112T230000", "2027-01-09 to 2027-01-13"},
		"listing's, no length": {"America/New_York", "DTSTART:20270310T050000Z", "DTEND:20270310T050030Z", "2027-03-10 to 2027-03-11"},
		"visit far ahead":      {"Pacific/Auckland", "DTSTART;TZID=Pacific/Honolulu:20270312T200000", "DTEND;TZID=Pacific/Honolulu:20270312T235900", "free"},
		"one known evening, 2": {"Atlantic/Canary", "DTSTART:20270309T230000Z", "DTEND;TZID=Asia/Tokyo:20270313T080000", "2027-03-09 to 2027-03-12"},
		"evenings at UTC":      {"UTC", "DTSTART:20270309T190000", "DTEND:20270312T190000", "2027-03-09 to 2027-03-12"},
		"unknown, later there": {"America/New_York", "DTSTART:20270310T200000", "DTEND;TZID=Mars:20270311T003000", "2027-03-10 to 2027-03-12"},
		"unknown, earlier":     {"America/New_York", "DTSTART;TZID=Mars:20270310T200000", "DTEND;TZID=Mars:20270310T110000", "UNREADABLE the event ends before it begins"},
		"ends before midnight": {"America/New_York", "DTSTART:20270310T000000Z", "DTEND:20270309T235900Z", "UNREADABLE the event ends before it begins"},
	} {
		assert.Equal(t, test.want, nights(t, zone(test.zone), test.start, test.end), name)
	}
}

// zonesOfNights have midnights that do not exist, days of 25 hours, a day that does not exist, and distant offsets.
var zonesOfNights = []string{
	"Atlantic/Azores", "America/Santiago", "Asia/Beirut", "Africa/Cairo", "America/Havana", "America/Asuncion", "Asia/Tehran", "Pacific/Apia",
	"Europe/Rome", "Atlantic/Canary", "America/New_York", "Asia/Kolkata", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Australia/Lord_Howe", "UTC",
}

// formsOf returns the forms in which a feed may write a stay: from check-in to check-out at a listing, with midnights of
// another zone, and times of day. All mean the same nights.
func formsOf(stay dynastay.Stay, listing, other *time.Location) map[string]string {
	const date, local = "20060102", "20060102T150405"
	in, out := stay.CheckIn.Time(), stay.CheckOut.Time()
	n := stay.Nights()
	at := func(day time.Time, clock time.Duration, form string) string { return day.Add(clock).Format(form) }
	// Software makes times of midnights that do not exist with the offset from before or from after.
	utc := func(day time.Time, clock time.Duration, after bool) string {
		want := day.Add(clock)
		_, before := want.Add(-24 * time.Hour).In(listing).Zone()
		_, later := want.Add(24 * time.Hour).In(listing).Zone()
		offsets := []int{before, later}
		for _, offset := range offsets {
			t := want.Add(-time.Duration(offset) * time.Second)
			if t.In(listing).Format(local) == want.Format(local) {
				return t.Format(local) + "Z"
			}
		}
		if after {
			before = later
		}
		return want.Add(-time.Duration(before)*time.Second).Format(local) + "Z"
	}
	tz := func(name string) string { return ";TZID=" + name + ":" }
	const last, hour = 24*time.Hour - time.Second, time.Hour
	forms := map[string]string{
		"dates":                  "DTSTART;VALUE=DATE:" + in.Format(date) + "\nDTEND;VALUE=DATE:" + out.Format(date),
		"date, days":             fmt.Sprintf("DTSTART:%s\nDURATION:P%dD", in.Format(date), n),
		"midnights":              "DTSTART:" + in.Format(local) + "\nDTEND:" + out.Format(local),
		"midnights, days":        fmt.Sprintf("DTSTART:%s\nDURATION:P%dD", in.Format(local), n),
		"midnights, hours":       fmt.Sprintf("DTSTART:%s\nDURATION:PT%dH", in.Format(local), 24*n),
		"last second":            "DTSTART:" + in.Format(local) + "\nDTEND:" + at(out, -time.Second, local),
		"times":                  "DTSTART:" + at(in, 15*hour, local) + "\nDTEND:" + at(out, 11*hour, local),
		"times in the night":     "DTSTART:" + at(in, 23*hour, local) + "\nDTEND:" + at(out, hour/2, local),
		"own TZID":               "DTSTART" + tz(listing.String()) + in.Format(local) + "\nDTEND" + tz(listing.String()) + out.Format(local),
		"own TZID, times":        "DTSTART" + tz(listing.String()) + at(in, 15*hour, local) + "\nDTEND" + tz(listing.String()) + at(out, hour/2, local),
		"other TZID":             "DTSTART" + tz(other.String()) + in.Format(local) + "\nDTEND" + tz(other.String()) + out.Format(local),
		"other TZID, days":       fmt.Sprintf("DTSTART%s%s\nDURATION:P%dD", tz(other.String()), in.Format(local), n),
		"other TZID, last":       "DTSTART" + tz(other.String()) + in.Format(local) + "\nDTEND" + tz(other.String()) + at(out, last-24*hour, local),
		"unknown TZID":           "DTSTART" + tz("Mars") + in.Format(local) + "\nDTEND" + tz("Mars") + out.Format(local),
		"unknown TZID, times":    "DTSTART" + tz("Mars") + at(in, 15*hour, local) + "\nDTEND" + tz("Mars") + at(out, 11*hour, local),
		"midnights of UTC":       "DTSTART:" + in.Format(local) + "Z\nDTEND:" + out.Format(local) + "Z",
		"last second of UTC":     "DTSTART:" + in.Format(local) + "Z\nDTEND:" + at(out, -time.Second, local) + "Z",
		"own midnights, in UTC":  "DTSTART:" + utc(in, 0, false) + "\nDTEND:" + utc(out, 0, false),
		"own midnights, after":   "DTSTART:" + utc(in, 0, true) + "\nDTEND:" + utc(out, 0, true),
		"own midnights, between": "DTSTART:" + utc(in, 0, false) + "\nDTEND:" + utc(out, 0, true),
		"times in UTC":           "DTSTART:" + utc(in, 15*hour, true) + "\nDTEND:" + utc(out, 11*hour, true),
	}
	if in.Year() == 2011 && strings.HasSuffix(listing.String(), "Apia") {
		// A time in UTC cannot mean a day that the zone does not have.
		for form := range forms {
			if strings.Contains(form, "UTC") && form != "midnights of UTC" && form != "last second of UTC" || strings.HasPrefix(form, "own midnights") {
				delete(forms, form)
			}
		}
	}
	return forms
}

// assertNights asserts that each form holds the nights of a stay, and at most one more on each side.
func assertNights(t *testing.T, stay dynastay.Stay, listing, other *time.Location) {
	t.Helper()
	var text strings.Builder
	text.WriteString("BEGIN:VCALENDAR\n")
	forms := formsOf(stay, listing, other)
	for form, lines := range forms {
		fmt.Fprintf(&text, "BEGIN:VEVENT\nUID:%s\n%s\nEND:VEVENT\n", form, lines)
	}
	text.WriteString("END:VCALENDAR\n")
	got := read(t, text.String(), listing)
	for _, e := range got.Entries {
		about := fmt.Sprintf("%s of %s at %s, other %s: %s is held as %s", e.UID, stay, listing, other, forms[e.UID], e.Stay)
		require.False(t, e.Stay.CheckIn.After(stay.CheckIn) || e.Stay.CheckOut.Before(stay.CheckOut), about)
		require.LessOrEqual(t, e.Stay.Nights(), stay.Nights()+2, about)
		delete(forms, e.UID)
	}
	require.Empty(t, forms, "these forms of %s at %s hold no night: %v", stay, listing, got)
}

// Whatever the zone, the days and the form, the nights that are written are held.
func TestNightsThatAreWrittenAreHeld(t *testing.T) {
	t.Parallel()
	for _, name := range zonesOfNights {
		listing := zone(name)
		for _, year := range []int{2011, 2022, 2024, 2027} {
			for _, day := range daysOfChange(listing, year) {
				for shift := -2; shift <= 1; shift++ {
					for nights := 1; nights <= 3; nights++ {
						in := day.AddDays(shift)
						other := zone(zonesOfNights[(shift+2+nights*5+day.DaysUntil(in)+year)%len(zonesOfNights)])
						assertNights(t, dynastay.Stay{CheckIn: in, CheckOut: in.AddDays(nights)}, listing, other)
					}
				}
			}
		}
	}
}

// daysOfChange returns the days on which the clocks of a zone change, and two others.
func daysOfChange(loc *time.Location, year int) []dynastay.Date {
	days := []dynastay.Date{}
	for _, month := range []time.Month{time.January, time.July} {
		day, _ := dynastay.NewDate(year, month, 15)
		days = append(days, day)
	}
	for at := time.Date(year, 1, 1, 0, 0, 0, 0, loc); ; {
		if _, at = at.ZoneBounds(); at.IsZero() || at.Year() > year {
			return days
		}
		days = append(days, dynastay.DateOf(at, loc))
	}
}

func FuzzNights(f *testing.F) {
	for i := range zonesOfNights {
		f.Add(uint8(i), uint8(i*7), uint16(4100+29*i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, listing, other uint8, day uint16, nights uint8) {
		in := dynastay.MustDate("2000-01-01").AddDays(int(day))
		assertNights(t, dynastay.Stay{CheckIn: in, CheckOut: in.AddDays(1 + int(nights))},
			zone(zonesOfNights[int(listing)%len(zonesOfNights)]), zone(zonesOfNights[int(other)%len(zonesOfNights)]))
	})
}
