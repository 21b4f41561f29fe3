package dynastay_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
)

// anyStay draws valid stays, empty and inverted ones, and ones that lack a date.
func anyStay() *rapid.Generator[dynastay.Stay] {
	from := dynastay.MustDate("2025-02-20")
	day := rapid.Custom(func(t *rapid.T) dynastay.Date {
		if rapid.IntRange(0, 9).Draw(t, "none") == 0 {
			return dynastay.Date{}
		}
		return from.AddDays(rapid.IntRange(0, 15).Draw(t, "day"))
	})
	return rapid.Custom(func(t *rapid.T) dynastay.Stay {
		return dynastay.Stay{CheckIn: day.Draw(t, "in"), CheckOut: day.Draw(t, "out")}
	})
}

func TestStayIsHalfOpen(t *testing.T) {
	s := dynastay.MustStay("2024-02-27", "2024-03-02")
	assert.Equal(t, 4, s.Nights())
	assert.Equal(t, "2024-03-01", s.LastNight().String())
	var nights []string
	for d := range s.Dates() {
		nights = append(nights, d.String())
	}
	assert.Equal(t, []string{"2024-02-27", "2024-02-28", "2024-02-29", "2024-03-01"}, nights)
	assert.True(t, s.Contains(s.CheckIn))
	assert.True(t, s.Contains(s.LastNight()))
	assert.False(t, s.Contains(s.CheckOut))
	assert.False(t, s.Contains(s.CheckIn.AddDays(-1)))
	assert.Equal(t, "2024-02-27 to 2024-03-02", s.String())

	next := dynastay.Stay{CheckIn: s.CheckOut, CheckOut: s.CheckOut.AddDays(1)}
	assert.False(t, s.Overlaps(next), "a check-in on the other's check-out day is no overlap")
	assert.False(t, next.Overlaps(s))
	assert.True(t, s.Overlaps(dynastay.MustStay("2024-03-01", "2024-03-10")))

	for d := range s.Dates() { // a loop may end early
		assert.Equal(t, s.CheckIn, d)
		break
	}
	end := dynastay.MustStay("9999-12-30", "9999-12-31")
	assert.Len(t, slices.Collect(end.Dates()), 1)
}

func TestStayMethodsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyStay().Draw(t, "a"), anyStay().Draw(t, "b")
		var nights []dynastay.Date
		for d := range a.Dates() {
			if nights = append(nights, d); len(nights) > 20 {
				t.Fatalf("%v does not end", a)
			}
		}
		assert.Equal(t, len(nights), a.Nights())
		assert.Equal(t, a.Validate() == nil, len(nights) > 0, "a valid stay has a night, and no other has one")
		if len(nights) > 0 {
			assert.Equal(t, a.CheckIn, nights[0])
			assert.Equal(t, a.LastNight(), nights[len(nights)-1])
		}
		assert.False(t, a.Contains(dynastay.Date{}))
		shared := false
		for n := range 20 {
			d := dynastay.MustDate("2025-02-18").AddDays(n)
			assert.Equal(t, slices.Contains(nights, d), a.Contains(d), "%v contains %v", a, d)
			shared = shared || a.Contains(d) && b.Contains(d)
		}
		assert.Equal(t, shared, a.Overlaps(b))
		assert.Equal(t, shared, b.Overlaps(a))
	})
}

func TestStayErrorsNameTheDate(t *testing.T) {
	for _, c := range []struct{ in, out, field string }{
		{"2025-02-30", "2025-03-02", "CheckIn"},
		{"", "2025-03-02", "CheckIn"},
		{"2025-02-28", "tomorrow", "CheckOut"},
		{"2025-02-28", "2025-02-28", "CheckOut"},
		{"2025-02-28", "2025-02-27", "CheckOut"},
	} {
		_, err := dynastay.ParseStay(c.in, c.out)
		var invalid *dynastay.InvalidError
		require.True(t, errors.As(err, &invalid), "%v", c)
		assert.Equal(t, c.field, invalid.Field, "%v", c)
		assert.Panics(t, func() { dynastay.MustStay(c.in, c.out) })
	}
	day := dynastay.MustDate("2025-03-01")
	assert.EqualError(t, dynastay.Stay{CheckOut: day}.Validate(), "invalid CheckIn: is required")
	assert.EqualError(t, dynastay.Stay{CheckIn: day}.Validate(), "invalid CheckOut: is required")
	assert.EqualError(t, dynastay.Stay{CheckIn: day, CheckOut: day}.Validate(),
		"invalid CheckOut: must be after CheckIn (2025-03-01), got 2025-03-01")
	assert.NoError(t, dynastay.Stay{CheckIn: day, CheckOut: day.AddDays(1)}.Validate())
}

func TestMonthOf(t *testing.T) {
	t.Parallel()
	for date, want := range map[string]string{
		"2026-07-01": "2026-07-01 to 2026-08-01", "2026-07-31": "2026-07-01 to 2026-08-01",
		"2024-02-29": "2024-02-01 to 2024-03-01", "2025-12-15": "2025-12-01 to 2026-01-01",
		"0001-01-31": "0001-01-01 to 0001-02-01",
	} {
		month := dynastay.MonthOf(dynastay.MustDate(date))
		assert.Equal(t, want, month.String())
		assert.NoError(t, month.Validate())
	}
	assert.Error(t, dynastay.MonthOf(dynastay.MustDate("9999-12-01")).Validate(), "its end is not a valid date")
}
