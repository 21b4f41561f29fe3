package availability_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func TestWeekdays(t *testing.T) {
	t.Parallel()
	weekend := availability.On(time.Saturday, time.Friday, time.Saturday)
	var every availability.Weekdays
	for date := range dynastay.MustStay("2026-07-06", "2026-07-13").Dates() {
		assert.True(t, every.Has(date))
		assert.Equal(t, date.Weekday() == time.Friday || date.Weekday() == time.Saturday, weekend.Has(date), date)
		assert.False(t, availability.On().Has(date))
		assert.True(t, availability.On(date.Weekday()).Has(date))
	}
	assert.NoError(t, every.Validate())
	assert.NoError(t, weekend.Validate())
	assert.NoError(t, availability.On(0, 1, 2, 3, 4, 5, 6).Validate())
	for _, bad := range []availability.Weekdays{availability.On(), availability.On(7), availability.On(time.Sunday, 8), availability.On(-1), 200} {
		blame.Invalid(t, bad.Validate(), "Weekdays", bad.String())
	}
	assert.Equal(t, []string{"every day", "Fri Sat", "Sun Mon Tue Wed Thu Fri Sat"},
		[]string{every.String(), weekend.String(), availability.On(0, 1, 2, 3, 4, 5, 6).String()})
}

// Open opens only the nights on the selected days of the week, in as many transactions as these take.
func TestOpenOnSomeDaysOfTheWeek(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoomType(t, db, roomTypeID)
	o := opening("2026-07-01", "2028-07-01")
	o.Weekdays = availability.On(time.Sunday, time.Wednesday)
	o.StopSell, o.StopSellReason = true, "not ready"
	var got availability.Opened
	dyntest.Budget(t, db, dyntest.Cost{Requests: 1 + 3*2, ReadUnits: 100, WriteUnits: 1000}, func() {
		var err error
		got, err = repo.Open(t.Context(), o)
		require.NoError(t, err)
	})
	assert.Len(t, got.Opened, 209)
	checked, err := repo.Check(t.Context(), propertyID, roomTypeID, 1, o.Nights)
	require.NoError(t, err)
	require.Len(t, checked.Nights, 209)
	for _, n := range checked.Nights {
		assert.Contains(t, []time.Weekday{time.Sunday, time.Wednesday}, n.Date.Weekday())
		assert.Equal(t, "not ready", n.StopSellReason)
		assert.True(t, n.StopSell)
	}
	o.Nights.CheckOut = date("2026-08-01")
	again, err := repo.Open(t.Context(), o)
	require.NoError(t, err)
	assert.Len(t, again.Already, 9)

	replayed, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(o), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, again.Already, replayed.Already)
	repeated, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(o), dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, again.Already, repeated.Already, "of the record")
	for name, edit := range map[string]func(*availability.OpenRequest){
		"Weekdays": func(o *availability.OpenRequest) { o.Weekdays = availability.On(time.Sunday) },
		"reason":   func(o *availability.OpenRequest) { o.StopSellReason = "painting" },
		"stop":     func(o *availability.OpenRequest) { o.StopSell, o.StopSellReason = false, "" },
	} {
		other := o
		edit(&other)
		_, err = dynastay.Do(t.Context(), db.DB, repo.OpenOp(other), dynastay.IdempotencyKey("k"))
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, name)
	}
}

// The maximum of 99 nights applies to the nights on the selected days of the week.
func TestOpenOpCountsTheSelectedNights(t *testing.T) {
	t.Parallel()
	o := opening("2026-07-01", "2028-05-23") // 99 Sundays
	o.Weekdays = availability.On(time.Sunday)
	db, repo := open(t)
	putRoomType(t, db, roomTypeID)
	got, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(o))
	require.NoError(t, err)
	assert.Len(t, got.Opened, 99)
	o.Nights.CheckOut = o.Nights.CheckOut.AddDays(7)
	_, err = dynastay.Do(t.Context(), db.DB, repo.OpenOp(o))
	blame.Invalid(t, err, "Nights", "100 Sundays")

	o = opening("2026-07-10", "2026-07-11")
	o.Weekdays = availability.On(time.Sunday)
	_, err = repo.Open(t.Context(), o)
	blame.Invalid(t, err, "Weekdays", "no Sunday")
	assert.EqualError(t, err, "invalid Weekdays: must include a day between 2026-07-10 and 2026-07-10, got Sun")
	o = opening("2026-07-10", "2026-07-11")
	o.StopSellReason = "painting"
	_, err = repo.Open(t.Context(), o)
	blame.Invalid(t, err, "StopSellReason", "no stop-sell")
}
