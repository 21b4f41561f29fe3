package ical

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/dynastay/dynastay"
)

// moment is a date, or a point in time.
type moment struct {
	t     time.Time // of a date: midnight UTC
	timed bool
}

// date returns the day of the moment at the listing, the zero Date outside the years 1 to 9999.
func (m moment) date(listing *time.Location) dynastay.Date {
	if !m.timed {
		listing = time.UTC
	}
	return dynastay.DateOf(m.t, listing)
}

// endsDay reports whether the moment is in the last minute of a day at the listing.
func (m moment) endsDay(listing *time.Location) bool {
	at := m.t.In(listing)
	return m.timed && at.Hour() == 23 && at.Minute() == 59
}

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
		const day = 24 * time.Hour
		return moment{t: m.t.AddDate(0, 0, days+int((rest+day-1)/day))}, true
	}
	return moment{m.t.AddDate(0, 0, days).Add(rest), true}, true
}

// momentOf reads a date or a time by its form. VALUE is not needed, and some exporters do not write it.
func momentOf(name string, prop *ics.BaseProperty, listing *time.Location) (moment, *unreadable) {
	malformed := &unreadable{Unreadable, name + " must be a date or a time"}
	value := strings.ToUpper(strings.TrimSpace(prop.Value))
	if len(value) == len("20060102") {
		date, err := time.Parse("20060102", value)
		if err != nil {
			return moment{}, malformed
		}
		return moment{t: date}, nil
	}
	local, utc := strings.CutSuffix(value, "Z")
	loc := time.UTC
	if !utc {
		var tzid string
		if loc, tzid = zoneOf(prop, listing); loc == nil {
			return moment{}, &unreadable{UnknownZone, name + " has the unknown time zone " + tzid}
		}
	}
	const layout = "20060102T150405"
	t, err := time.ParseInLocation(layout, local, loc)
	if err != nil || len(local) != len(layout) { // Parse also accepts fractions of a second
		return moment{}, malformed
	}
	return moment{t, true}, nil
}
