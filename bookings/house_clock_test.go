package bookings_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

// oneNight returns a booking for 100 USD with one line.
func oneNight(checkIn, clock, zone string, policy availability.CancellationPolicy) *bookings.Booking {
	b := &bookings.Booking{TimeZone: zone, CheckInTime: clock}
	b.ID, b.Total = "bkg_1", dynastay.MustMoney("100", "USD")
	b.Stay.CheckIn = dynastay.MustDate(checkIn)
	b.Stay.CheckOut = b.Stay.CheckIn.AddDays(1)
	b.Lines = []bookings.Line{lineOf("room_1", "100", policy)}
	return b
}

func lineOf(roomType, subtotal string, policy availability.CancellationPolicy) bookings.Line {
	l := bookings.Line{}
	l.RoomTypeID, l.Quantity, l.CancellationPolicy = roomType, 1, policy
	if subtotal != "" {
		l.Subtotal = dynastay.MustMoney(subtotal, "USD")
	}
	return l
}

// free reports whether a cancellation costs nothing, as opposed to the whole price.
func free(t require.TestingT, b *bookings.Booking, at time.Time) bool {
	s, err := b.Settle(dynastay.Money{}, at, nil)
	require.NoError(t, err)
	if s.Kept.Sign() != 0 {
		require.Equal(t, b.Total, s.Kept)
	}
	return s.Kept.Sign() == 0
}

// assertDeadline checks that the deadline itself is in time, and the next nanosecond is not.
func assertDeadline(t *testing.T, b *bookings.Booking, deadline time.Time, name string) {
	t.Helper()
	for _, early := range []time.Duration{0, 1, 1e9 - 1, 1e9, 1e9 + 1, time.Hour, 1e6 * time.Hour} {
		assert.True(t, free(t, b, deadline.Add(-early)), "%s: %s before %s", name, early, deadline)
	}
	for _, late := range []time.Duration{1, 1e9 - 1, 1e9, 1e9 + 1, time.Hour, 1e6 * time.Hour} {
		assert.False(t, free(t, b, deadline.Add(late)), "%s: %s after %s", name, late, deadline)
	}
}

// A deadline is a number of elapsed hours before the time of check-in on the clock of the property.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone, date, clock string
		hours             int
		want              string // in UTC
	}{
		{"America/New_York", "2026-07-10", "15:00", 0, "2026-07-10T19:00:00Z"},
		{"America/New_York", "2026-07-10", "15:00", 48, "2026-07-08T19:00:00Z"},
		{"America/New_York", "2026-01-10", "15:00", 48, "2026-01-08T20:00:00Z"},
		{"America/New_York", "2026-03-08", "15:00", 24, "2026-03-07T19:00:00Z"}, // forward at 2:00: 14:00 on the day before
		{"America/New_York", "2026-11-01", "15:00", 24, "2026-10-31T20:00:00Z"}, // back at 2:00: 16:00 on the day before
		{"Europe/London", "2026-03-29", "14:00", 24, "2026-03-28T13:00:00Z"},
		{"Europe/London", "2026-10-25", "14:00", 24, "2026-10-24T14:00:00Z"},
		{"Australia/Sydney", "2026-04-05", "15:00", 24, "2026-04-04T05:00:00Z"},
		{"Australia/Sydney", "2026-10-04", "15:00", 24, "2026-10-03T04:00:00Z"},
		{"Australia/Lord_Howe", "2026-04-05", "15:00", 24, "2026-04-04T04:30:00Z"}, // half an hour
		{"Australia/Lord_Howe", "2026-10-04", "15:00", 24, "2026-10-03T04:00:00Z"},
		{"Asia/Tokyo", "2026-03-29", "15:00", 24, "2026-03-28T06:00:00Z"},
		{"Asia/Kolkata", "2026-07-10", "14:00", 1, "2026-07-10T07:30:00Z"},
		{"Asia/Kathmandu", "2026-07-10", "14:00", 0, "2026-07-10T08:15:00Z"},
		{"Pacific/Kiritimati", "2026-07-10", "13:00", 0, "2026-07-09T23:00:00Z"},
		{"Pacific/Pago_Pago", "2026-07-10", "15:00", 0, "2026-07-11T02:00:00Z"},

		// The clocks leave out the time of check-in, or show it twice.
		{"America/New_York", "2026-03-08", "01:59:59", 0, "2026-03-08T06:59:59Z"},
		{"America/New_York", "2026-03-08", "02:00", 0, "2026-03-08T07:00:00Z"},
		{"America/New_York", "2026-03-08", "02:30", 0, "2026-03-08T07:30:00Z"},
		{"America/New_York", "2026-03-08", "02:59:59", 0, "2026-03-08T07:59:59Z"},
		{"America/New_York", "2026-03-08", "03:00", 0, "2026-03-08T07:00:00Z"},
		{"America/New_York", "2026-11-01", "00:59:59", 0, "2026-11-01T04:59:59Z"},
		{"America/New_York", "2026-11-01", "01:00", 0, "2026-11-01T06:00:00Z"},
		{"America/New_York", "2026-11-01", "01:30", 0, "2026-11-01T06:30:00Z"},
		{"America/New_York", "2026-11-01", "01:59:59", 0, "2026-11-01T06:59:59Z"},
		{"America/New_York", "2026-11-01", "02:00", 0, "2026-11-01T07:00:00Z"},
		{"Europe/London", "2026-03-29", "01:30", 0, "2026-03-29T01:30:00Z"},
		{"Europe/London", "2026-10-25", "01:30", 0, "2026-10-25T01:30:00Z"},
		{"Australia/Lord_Howe", "2026-04-05", "01:45", 0, "2026-04-04T15:15:00Z"},
		{"Australia/Lord_Howe", "2026-10-04", "02:15", 0, "2026-10-03T15:45:00Z"},
		{"America/Sao_Paulo", "2018-11-04", "", 0, "2018-11-04T03:00:00Z"}, // there was no midnight
		{"America/Sao_Paulo", "2018-02-17", "23:30", 0, "2018-02-18T02:30:00Z"},
		{"Asia/Beirut", "2022-03-27", "", 0, "2022-03-26T22:00:00Z"},
		{"Asia/Beirut", "2022-10-29", "23:30", 0, "2022-10-29T21:30:00Z"},
		{"Pacific/Apia", "2011-12-30", "15:00", 0, "2011-12-31T01:00:00Z"}, // there was no such day
		{"Pacific/Apia", "2011-12-30", "", 0, "2011-12-30T10:00:00Z"},
		{"Pacific/Apia", "2011-12-31", "15:00", 24, "2011-12-30T01:00:00Z"},
		{"Pacific/Kwajalein", "1993-08-21", "12:00", 0, "1993-08-22T00:00:00Z"},

		{"", "2026-07-10", "15:00", 0, "2026-07-10T15:00:00Z"},
		{"Mars/Olympus", "2026-07-10", "15:00", 0, "2026-07-10T15:00:00Z"},
		{"Local", "2026-07-10", "15:00", 0, "2026-07-10T15:00:00Z"},
		{"Asia/Tokyo", "0001-01-01", "", 0, "0000-12-31T14:41:01Z"}, // local mean time
		{"Asia/Tokyo", "9999-12-31", "23:59:59", 0, "9999-12-31T14:59:59Z"},
		{"", "9999-12-31", "15:00", 87_600_000, "0006-08-21T15:00:00Z"}, // more than a time.Duration holds
	} {
		name := fmt.Sprintf("%s %s %s − %d h", test.zone, test.date, test.clock, test.hours)
		b := oneNight(test.date, test.clock, test.zone, availability.FreeCancellation(test.hours))
		deadline, err := time.Parse(time.RFC3339, test.want)
		require.NoError(t, err)
		if test.hours > 1e6 {
			assert.True(t, free(t, b, deadline), name)
			assert.False(t, free(t, b, deadline.Add(1)), name)
			continue
		}
		assertDeadline(t, b, deadline, name)
		if loc, err := time.LoadLocation("America/St_Johns"); assert.NoError(t, err) {
			assert.True(t, free(t, b, deadline.In(loc)), "the zone of the time does not matter")
		}
	}
}

// The text of the time of check-in is not validated, so it may have any form.
func TestCheckInTimes(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 7, 10, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"15:00": 15 * time.Hour, "00:00": 0, "23:59": 24*time.Hour - time.Minute, "9:05": 9*time.Hour + 5*time.Minute,
		"15:00:30": 15*time.Hour + 30*time.Second, "3:00 PM": 15 * time.Hour, "3 pm": 15 * time.Hour, "3PM": 15 * time.Hour,
		"12:30 am": 30 * time.Minute, "12 PM": 12 * time.Hour, " 3:00\u00a0pm ": 15 * time.Hour, "15:00:00.75": 15 * time.Hour,
		"": 0, "afternoon": 0, "24:00": 0, "15:60": 0, "-1:00": 0, "15": 0, "15:00-22:00": 0, "13 PM": 0, "\xff": 0,
	} {
		assertDeadline(t, oneNight("2026-07-10", text, "", availability.FreeCancellation(0)), midnight.Add(want), text)
	}
}

// Any number of hours is possible.
func TestHugeHours(t *testing.T) {
	t.Parallel()
	at := time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)
	for _, hours := range []int{2_562_047, 2_562_048, 1 << 40, math.MaxInt64 / 3600, math.MaxInt64/3600 + 1, math.MaxInt64} {
		b := oneNight("2026-07-10", "15:00", "Asia/Tokyo", availability.FreeCancellation(hours))
		assert.Equal(t, hours < 1e7, free(t, b, at), hours)
		assert.False(t, free(t, b, time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)), hours)
		assert.False(t, free(t, b, time.Date(2026, 7, 11, 0, 0, 0, 0, time.UTC)), hours)
	}
}

// Around every change of the clocks, the deadline is the latest instant at which they show the time of check-in; or, if
// they never do, the instant that the offset from before the change gives.
func TestDeadlinesAroundChanges(t *testing.T) {
	t.Parallel()
	zones := []string{
		"America/New_York", "America/Sao_Paulo", "America/St_Johns", "America/Caracas", "America/Havana", "Europe/London",
		"Europe/Dublin", "Europe/Moscow", "Africa/Casablanca", "Africa/Cairo", "Asia/Beirut", "Asia/Gaza", "Asia/Tehran",
		"Asia/Pyongyang", "Asia/Kathmandu", "Australia/Lord_Howe", "Antarctica/Troll", "Pacific/Apia", "Pacific/Kiritimati",
		"Pacific/Chatham", "Pacific/Kwajalein", "Asia/Manila", "America/Juneau",
	}
	rapid.Check(t, func(draw *rapid.T) {
		zone := rapid.SampledFrom(zones).Draw(draw, "zone")
		loc, err := time.LoadLocation(zone)
		require.NoError(draw, err)
		at := time.Unix(rapid.Int64Range(0, 2_000_000_000).Draw(draw, "near"), 0).In(loc)
		_, change := at.ZoneBounds()
		if change.IsZero() {
			change = at
		}
		_, offset := change.Zone()
		near := rapid.OneOf(rapid.IntRange(-120, 120), rapid.IntRange(-1600, 1600))
		for range 50 {
			local := change.UTC().Add(time.Duration(offset)*time.Second + time.Duration(near.Draw(draw, "minutes"))*time.Minute)
			b := oneNight(local.Format(time.DateOnly), local.Format("15:04:05"), zone, availability.FreeCancellation(0))
			want := latestBySearch(local, loc)
			assert.True(draw, free(draw, b, want), "%s %s: %s", zone, local, want)
			assert.False(draw, free(draw, b, want.Add(1)), "%s %s: %s", zone, local, want)
		}
	})
}

// latestBySearch tries every offset that the zone has within two days.
func latestBySearch(local time.Time, loc *time.Location) time.Time {
	var shown, other time.Time
	for probe := local.Add(-48 * time.Hour); probe.Before(local.Add(48 * time.Hour)); probe = probe.Add(15 * time.Minute) {
		_, offset := probe.In(loc).Zone()
		t := local.Add(-time.Duration(offset) * time.Second)
		if other.IsZero() || t.After(other) {
			other = t
		}
		if t.In(loc).Format(time.DateTime) == local.Format(time.DateTime) && (shown.IsZero() || t.After(shown)) {
			shown = t
		}
	}
	if shown.IsZero() {
		return other
	}
	return shown
}
