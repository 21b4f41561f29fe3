package availability

import (
	"strings"
	"time"

	"github.com/dynastay/dynastay"
)

// Weekdays is a set of days of the week. The zero value means every day.
type Weekdays uint8

// noDays keeps an empty selection from meaning every day.
const noDays Weekdays = 1 << 7

// On returns the set of the given days. Without days, or with anything other than the days of the week, it returns a
// set that [Weekdays.Validate] rejects.
func On(days ...time.Weekday) Weekdays {
	var w Weekdays
	for _, day := range days {
		if day < time.Sunday || day > time.Saturday {
			return noDays
		}
		w |= 1 << day
	}
	if w == 0 {
		return noDays
	}
	return w
}

// Has reports whether a date is on one of the days.
func (w Weekdays) Has(date dynastay.Date) bool { return w == 0 || w&(1<<date.Weekday()) != 0 }

// Validate returns an error for a set without days, or with anything other than days of the week.
func (w Weekdays) Validate() error {
	if w >= noDays {
		return dynastay.Invalid("Weekdays", "must contain at least one day, and only days from Sunday to Saturday")
	}
	return nil
}

// String returns the days, such as "Fri Sat", or "every day".
func (w Weekdays) String() string {
	if w == 0 {
		return "every day"
	}
	var days []string
	for day := time.Sunday; day <= time.Saturday; day++ {
		if w&(1<<day) != 0 {
			days = append(days, day.String()[:3])
		}
	}
	return strings.Join(days, " ")
}

// dates returns the dates of a stay that are on one of the days.
func (w Weekdays) dates(stay dynastay.Stay) []dynastay.Date {
	var all []dynastay.Date
	for date := range stay.Dates() {
		if w.Has(date) {
			all = append(all, date)
		}
	}
	return all
}
