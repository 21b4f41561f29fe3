package ical

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// rule is the RRULE of a change of the clocks that occurs once a year, in the forms in which calendars write it.
type rule struct {
	month     int
	days      []weekday // none: any
	monthDays []int     // none: any; negative: from the end of the month
	until     time.Time // a local time
}

// weekday is the nth such day of the month, from its end if n is negative, or any such day if n is 0.
type weekday struct {
	day time.Weekday
	n   int
}

// ruleOf parses an RRULE. Start is its first time, before which the clocks have an offset.
func ruleOf(text string, start time.Time, offset int64) (rule, bool) {
	r := rule{until: time.Date(lastYear+1, 1, 1, 0, 0, 0, 0, time.UTC)}
	yearly := false
	for part := range strings.SplitSeq(strings.ToUpper(text), ";") {
		key, value, _ := strings.Cut(part, "=")
		ok := true
		switch key {
		case "FREQ":
			yearly = value == "YEARLY"
		case "INTERVAL":
			ok = value == "1"
		case "BYMONTH":
			r.month, ok = number(value, 1, 12)
		case "BYMONTHDAY":
			r.monthDays, ok = monthDays(value)
		case "BYDAY":
			r.days, ok = weekdays(value)
		case "UNTIL":
			r.until, ok = until(value, offset)
		case "WKST":
		default:
			ok = false
		}
		if !ok {
			return rule{}, false
		}
	}
	if len(r.days)+len(r.monthDays) == 0 {
		r.monthDays = []int{start.Day()}
		if r.month == 0 {
			r.month = int(start.Month())
		}
	}
	return r, yearly && r.month > 0
}

// times returns the local times after start, which has the time of day. It reports false if the rule has more than one
// day of a year.
func (r rule) times(start time.Time) (times []time.Time, ok bool) {
	clock := start.Sub(start.Truncate(day))
	for year := max(firstYear, start.Year()); year <= lastYear; year++ {
		var found []time.Time
		last := time.Date(year, time.Month(r.month)+1, 0, 0, 0, 0, 0, time.UTC)
		for t := last.AddDate(0, 0, 1-last.Day()); !t.After(last); t = t.Add(day) {
			if r.has(t, last.Day()) {
				found = append(found, t.Add(clock))
			}
		}
		if len(found) > 1 {
			return nil, false
		}
		for _, t := range found {
			if t.After(start) && !t.After(r.until) {
				times = append(times, t)
			}
		}
	}
	return times, true
}

// has reports whether the rule has a day of a month with so many days.
func (r rule) has(t time.Time, days int) bool {
	day := t.Day()
	ofMonth := func(n int) bool { return n == day || n == day-days-1 }
	ofWeek := func(w weekday) bool {
		return w.day == t.Weekday() && (w.n == 0 || w.n == (day+6)/7 || w.n == -(days-day+7)/7)
	}
	return (len(r.monthDays) == 0 || slices.ContainsFunc(r.monthDays, ofMonth)) &&
		(len(r.days) == 0 || slices.ContainsFunc(r.days, ofWeek))
}

// monthDays parses a list of days of a month.
func monthDays(list string) (all []int, ok bool) {
	for text := range strings.SplitSeq(list, ",") {
		n, ok := number(text, -31, 31)
		if !ok || n == 0 || len(all) == 31 {
			return nil, false
		}
		all = append(all, n)
	}
	return all, true
}

func number(text string, first, last int) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && first <= n && n <= last
}

// weekdays parses a list such as 2SU or -1SU,-1MO.
func weekdays(list string) (all []weekday, ok bool) {
	for text := range strings.SplitSeq(list, ",") {
		if len(text) < 2 || len(all) == 31 {
			return nil, false
		}
		number, name := text[:len(text)-2], text[len(text)-2:]
		w := weekday{day: time.Weekday(slices.Index([]string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}, name))}
		var err error
		if number != "" {
			w.n, err = strconv.Atoi(number)
		}
		if err != nil || w.day < 0 || number != "" && w.n == 0 {
			return nil, false
		}
		all = append(all, w)
	}
	return all, true
}

// until parses the last time of a rule: in UTC, at the local offset of the clocks, or a date.
func until(text string, offset int64) (time.Time, bool) {
	local, utc := strings.CutSuffix(text, "Z")
	if len(local) == len(dateLayout) {
		local += "T235959"
	}
	t, err := time.Parse(timeLayout, local)
	if utc {
		t = t.Add(time.Duration(offset) * time.Second)
	}
	return t, err == nil
}
