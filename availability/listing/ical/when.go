package ical

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	day        = 24 * time.Hour
	dateLayout = "20060102"
	timeLayout = "20060102T150405"
)

// moment is a date, or a point in time.
type moment struct {
	written time.Time // what calendar and clock show where the event was written, as if that were UTC
	timed   bool
	zone    *time.Location // of a time; nil if it is not known
	t       time.Time      // of a time
}

// utc is the zone of times that are written in UTC, so that their zone at home is not known.
var utc = time.FixedZone("", 0)

// at returns the moment of a written time.
func at(written time.Time, zone *time.Location) moment {
	return moment{written, true, zone, instant(written, zone)}
}

// instant returns when the clocks of a zone show a local time: the first time if they show it twice, and if they are
// put forward over it, with the offset from before, as RFC 5545 demands (3.3.5). time.Date may return either.
func instant(local time.Time, zone *time.Location) time.Time {
	if zone == nil {
		return local
	}
	before := local.Add(-offsetAt(local.Add(-day), zone))
	for _, t := range []time.Time{before, local.Add(-offsetAt(local.Add(day), zone))} {
		if clock(t, zone).Equal(local) {
			return t
		}
	}
	return before
}

func offsetAt(t time.Time, zone *time.Location) time.Duration {
	_, seconds := t.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// clock returns what the clocks of a zone show, as if that were UTC.
func clock(t time.Time, zone *time.Location) time.Time {
	if zone == nil {
		return t
	}
	return t.UTC().Add(offsetAt(t, zone))
}

// shown returns what the clocks of the listing show.
func (m moment) shown(listing *time.Location) time.Time {
	if !m.timed || m.zone == nil || m.zone == listing {
		return m.written // also what the clocks leave out
	}
	return clock(m.t, listing)
}

// midnight returns what the clocks of the listing show, except that a midnight over which they are put forward by an
// hour is midnight, also if software has counted it with the offset from after: at 23:00 of the day before.
func (m moment) midnight(listing *time.Location) time.Time {
	local := m.shown(listing)
	later := local.Add(time.Hour)
	if m.timed && m.zone != nil && isMidnight(later) && clock(m.t.Add(time.Hour), listing).Sub(later) == time.Hour {
		return later
	}
	return local
}

func isMidnight(local time.Time) bool { return local.Hour() == 0 && local.Minute() == 0 }

// bounds reports whether days begin and end at a local time: at midnight, or in the last minute before it.
func bounds(local time.Time) bool { return isMidnight(local) || isMidnight(local.Add(time.Minute)) }

// isLate reports whether a local time is in the evening, when no guest leaves.
func isLate(local time.Time) bool { return local.Hour() >= 18 }

var duration = regexp.MustCompile(`^\+?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$`)

// add returns the end of a duration such as P3D or PT44H. A part of a day after a date is a whole day.
func (m moment) add(text string) (moment, bool) {
	text = strings.ToUpper(text)
	parts := duration.FindStringSubmatch(text)
	if parts == nil || strings.HasSuffix(text, "P") || strings.HasSuffix(text, "T") {
		return moment{}, false
	}
	of := func(i int) int { // 0 for a part that is missing
		n, _ := strconv.Atoi(parts[i])
		return n
	}
	days := 7*of(1) + of(2)
	rest := time.Duration(of(4))*time.Hour + time.Duration(of(5))*time.Minute + time.Duration(of(6))*time.Second
	if !m.timed {
		return moment{written: m.written.AddDate(0, 0, days+int((rest+day-1)/day))}, true
	}
	end := at(m.written.AddDate(0, 0, days), m.zone)
	if rest > 0 {
		end.t = end.t.Add(rest)
		end.written = clock(end.t, end.zone)
	}
	return end, true
}

// momentOf reads a date or a time by its form. VALUE is not needed, and some exporters do not write it.
func momentOf(p *property, z *zones) (moment, bool) {
	value := strings.ToUpper(strings.TrimSpace(p.value))
	if len(value) == len(dateLayout) {
		date, err := time.Parse(dateLayout, value)
		return moment{written: date}, err == nil
	}
	local, inUTC := strings.CutSuffix(value, "Z")
	t, err := time.Parse(timeLayout, local)
	if err != nil || len(local) != len(timeLayout) { // Parse also accepts fractions of a second
		return moment{}, false
	}
	if inUTC {
		return at(t, utc), true
	}
	return at(t, z.of(p)), true
}
