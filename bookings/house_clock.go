package bookings

import (
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// arrival returns from when the hours of the policies count: CheckInTime on the date of check-in at the property, or on
// that of PolicyCheckIn.
func (b *Booking) arrival() time.Time { return b.on(b.policyCheckIn(), timeOfDay(b.CheckInTime)) }

// on returns when the clock of the property shows a time after the beginning of a date. For the zone, see
// [Booking.today].
func (b *Booking) on(date dynastay.Date, after time.Duration) time.Time {
	loc, err := (availability.House{TimeZone: b.TimeZone}).Location()
	if err != nil {
		loc = time.UTC
	}
	return latest(date.Time().Add(after), loc)
}

// timeOfDay returns the time since midnight. It reads 15:00, 15:00:00, 3:00 PM and 3 PM, in either case and with any
// spaces. For any other text it returns 0, the beginning of the day.
func timeOfDay(text string) time.Duration {
	compact := strings.ToUpper(strings.Join(strings.Fields(text), ""))
	for _, layout := range []string{"15:04", "15:04:05", "3:04PM", "3PM"} {
		if t, err := time.Parse(layout, compact); err == nil {
			return t.Sub(t.Truncate(24 * time.Hour))
		}
	}
	return 0
}

// latest returns the instant at which a clock in loc shows the date and time that local has in UTC. When clocks are put
// back, they show a time twice; when they are put forward, they leave one out, which is then counted from before or
// from after the change. Of the two instants, latest returns the later one; time.Date may return either.
func latest(local time.Time, loc *time.Location) time.Time {
	y, m, d := local.Date()
	t := time.Date(y, m, d, local.Hour(), local.Minute(), local.Second(), 0, loc)
	start, end := t.ZoneBounds()
	for _, change := range []time.Time{start, end} { // the zero time, at which no clock changes, if there is none
		_, before := change.Add(-time.Nanosecond).Zone()
		_, after := change.Zone()
		shown := local.Unix() - change.Unix() // seconds by which the clock is ahead of UTC if it shows local at the change
		if int64(min(before, after)) <= shown && shown < int64(max(before, after)) {
			return time.Unix(local.Unix()-int64(min(before, after)), 0).In(loc)
		}
	}
	return t
}
