package dynastay_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// lastDay is the number of days from the first valid date to the last.
const lastDay = 3652058

func anyDate() *rapid.Generator[dynastay.Date] {
	first := dynastay.MustDate("0001-01-01")
	return rapid.Map(rapid.IntRange(0, lastDay), func(n int) dynastay.Date { return first.AddDays(n) })
}

func TestParseDateTakesTheCanonicalTextOnly(t *testing.T) {
	for _, text := range []string{"0001-01-01", "1582-10-10", "1900-02-28", "2000-02-29", "2024-02-29", "2025-01-15", "9999-12-31"} {
		d, err := dynastay.ParseDate(text)
		require.NoError(t, err, text)
		assert.Equal(t, text, d.String())
		assert.False(t, d.IsZero())
	}
	for _, text := range []string{
		"", "2025", "2025-1-5", "2025-01-1", "25-01-15", "2025-01-15 ", " 2025-01-15", "2025/01/15", "20250115", "2025-01-15T00:00:00Z",
		"+025-01-15", "-001-01-01", "2025-00-10", "2025-13-10", "2025-01-00", "2025-01-32", "2025-04-31", "2025-02-29", "1900-02-29",
		"0000-12-31", "10000-01-01", "2025-0x-01", "２025-01-15", "2025-01-1\x00",
	} {
		d, err := dynastay.ParseDate(text)
		blame.Invalid(t, err, "Date", "%q", text)
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
		assert.True(t, d.IsZero())
	}
	_, err := dynastay.ParseDate(strings.Repeat("2", 100000))
	assert.Less(t, len(err.Error()), 200, "an error does not repeat all that it was given")
	assert.Panics(t, func() { dynastay.MustDate("2025-02-29") })
}

func FuzzParseDate(f *testing.F) {
	for _, seed := range []string{"2025-01-15", "0001-01-01", "9999-12-31", "2024-02-29", "2025-02-29", "0000-00-00", "+025-01-15", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := dynastay.ParseDate(text)
		reference, refErr := time.Parse(time.DateOnly, text)
		if wanted := refErr == nil && reference.Year() >= 1; wanted != (err == nil) {
			t.Fatalf("ParseDate(%q) = %v, time.Parse: %v", text, err, refErr)
		}
		if err == nil && (d.String() != text || !d.Time().Equal(reference)) {
			t.Fatalf("%q came back as %q, %v", text, d, d.Time())
		}
	})
}

func TestNewDateRefusesDaysThatDoNotExist(t *testing.T) {
	d, err := dynastay.NewDate(2024, time.February, 29)
	require.NoError(t, err)
	assert.Equal(t, "2024-02-29", d.String())
	for _, c := range []struct {
		year  int
		month time.Month
		day   int
	}{
		{2023, 2, 29}, {2025, 2, 30}, {2025, 0, 1}, {2025, 13, 1}, {2025, 1, 0}, {2025, 1, 32}, {2025, 1, -1},
		{0, 12, 31}, {10000, 1, 1}, {-1, 1, 1}, {math.MaxInt, 1, 1}, {math.MinInt, 1, 1},
	} {
		_, err := dynastay.NewDate(c.year, c.month, c.day)
		assert.ErrorIs(t, err, dynastay.ErrInvalid, "%v", c)
	}
}

func TestDateOrderIsTextOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyDate().Draw(t, "a"), anyDate().Draw(t, "b")
		assert.Equal(t, strings.Compare(a.String(), b.String()), a.Compare(b))
		assert.Equal(t, a.Compare(b) < 0, a.Before(b))
		assert.Equal(t, a.Compare(b) > 0, a.After(b))
		assert.Equal(t, a.Compare(b) == 0, a == b)
		back, err := dynastay.ParseDate(a.String())
		assert.NoError(t, err)
		assert.Equal(t, a, back)
	})
}

func TestAddDaysAndDaysUntilAreInverse(t *testing.T) {
	first, last := dynastay.MustDate("0001-01-01"), dynastay.MustDate("9999-12-31")
	rapid.Check(t, func(t *rapid.T) {
		d := anyDate().Draw(t, "d")
		n := rapid.OneOf(rapid.IntRange(-800, 800), rapid.IntRange(-lastDay-10, lastDay+10)).Draw(t, "n")
		moved := d.AddDays(n)
		want := d.Time().AddDate(0, 0, n)
		if want.Year() < 1 || want.Year() > 9999 {
			assert.True(t, moved.IsZero(), "%s + %d", d, n)
			return
		}
		assert.Equal(t, want.Format(time.DateOnly), moved.String())
		assert.Equal(t, n, d.DaysUntil(moved))
		assert.Equal(t, -n, moved.DaysUntil(d))
		assert.Equal(t, d, moved.AddDays(-n))
		assert.Equal(t, want.Weekday(), moved.Weekday())
	})
	assert.Equal(t, lastDay, first.DaysUntil(last))
	assert.Equal(t, last, first.AddDays(lastDay))
	assert.True(t, last.AddDays(1).IsZero())
	assert.True(t, first.AddDays(-1).IsZero())
	assert.True(t, first.AddDays(math.MaxInt).IsZero())
	assert.True(t, last.AddDays(math.MaxInt).IsZero())
	assert.True(t, last.AddDays(math.MinInt).IsZero())
	assert.True(t, dynastay.Date{}.AddDays(1).IsZero(), "no date plus a day is no date")
	assert.Equal(t, "2024-02-29", dynastay.MustDate("2024-02-28").AddDays(1).String())
	assert.Equal(t, "2100-03-01", dynastay.MustDate("2100-02-28").AddDays(1).String())
	assert.Equal(t, "2000-02-29", dynastay.MustDate("2000-03-01").AddDays(-1).String())
}

func TestDateOfIsTheDayOnTheLocalCalendar(t *testing.T) {
	zone := func(name string) *time.Location {
		loc, err := time.LoadLocation(name)
		require.NoError(t, err)
		return loc
	}
	for _, c := range []struct{ at, zone, want string }{
		{"2025-01-15T23:59:59Z", "UTC", "2025-01-15"},
		{"2025-01-16T00:00:00Z", "UTC", "2025-01-16"},
		{"2025-01-16T04:59:59Z", "America/New_York", "2025-01-15"},
		{"2025-01-16T05:00:00Z", "America/New_York", "2025-01-16"},
		// Summer time begins on 9 March 2025 in New York: midnight is at 05:00Z before and at 04:00Z after.
		{"2025-03-09T04:59:59Z", "America/New_York", "2025-03-08"},
		{"2025-03-09T05:00:00Z", "America/New_York", "2025-03-09"},
		{"2025-03-10T03:59:59Z", "America/New_York", "2025-03-09"},
		{"2025-03-10T04:00:00Z", "America/New_York", "2025-03-10"},
		// In Cairo the clocks jump from midnight to one o'clock: that day has no midnight.
		{"2025-04-24T21:59:59Z", "Africa/Cairo", "2025-04-24"},
		{"2025-04-24T22:00:00Z", "Africa/Cairo", "2025-04-25"},
		// Samoa had no 30 December 2011.
		{"2011-12-30T09:59:59Z", "Pacific/Apia", "2011-12-29"},
		{"2011-12-30T10:00:00Z", "Pacific/Apia", "2011-12-31"},
		{"2025-01-14T10:00:00Z", "Pacific/Kiritimati", "2025-01-15"},
		{"0001-01-01T00:00:00Z", "UTC", "0001-01-01"},
		{"9999-12-31T23:59:59Z", "UTC", "9999-12-31"},
		{"0001-01-01T00:00:00Z", "America/New_York", ""}, // the year 0
		{"9999-12-31T23:59:59Z", "Asia/Tokyo", ""},       // the year 10000
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		require.NoError(t, err)
		got := dynastay.DateOf(at, zone(c.zone))
		assert.Equal(t, c.want, got.String(), "%s in %s", c.at, c.zone)
		assert.Equal(t, c.want == "", got.IsZero(), "%s in %s", c.at, c.zone)
		if c.zone == "UTC" {
			assert.Equal(t, got, dynastay.DateOf(at, nil))
		}
	}
	assert.True(t, dynastay.DateOf(time.Unix(1<<55, 0), nil).IsZero())
	assert.True(t, dynastay.DateOf(time.Unix(-1<<55, 0), nil).IsZero())
}

func TestDateOfIsTheInverseOfTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyDate().Draw(t, "d")
		second := rapid.IntRange(0, 86399).Draw(t, "second")
		assert.Equal(t, d, dynastay.DateOf(d.Time().Add(time.Duration(second)*time.Second), time.UTC))
	})
}

func TestDateAsText(t *testing.T) {
	type body struct {
		Day    dynastay.Date
		Prices map[dynastay.Date]int
	}
	in := body{dynastay.MustDate("2025-01-15"), map[dynastay.Date]int{dynastay.MustDate("2025-01-16"): 7}}
	text, err := json.Marshal(in)
	require.NoError(t, err)
	assert.JSONEq(t, `{"Day":"2025-01-15","Prices":{"2025-01-16":7}}`, string(text))
	var out body
	require.NoError(t, json.Unmarshal(text, &out))
	assert.Equal(t, in, out)

	require.NoError(t, json.Unmarshal([]byte(`{"Day":""}`), &out))
	assert.True(t, out.Day.IsZero())
	assert.Empty(t, dynastay.Date{}.String())
	assert.ErrorIs(t, json.Unmarshal([]byte(`{"Day":"2025-1-5"}`), &out), dynastay.ErrInvalid)
}
