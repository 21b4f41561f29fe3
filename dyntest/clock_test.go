package dyntest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

var noon = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

func TestClockRunsWithTheMachineClock(t *testing.T) {
	t.Parallel()
	c, err := configure(nil).newClock()
	require.NoError(t, err)
	before := time.Now()
	now := c.Now()
	assert.False(t, now.Before(before))
	c.Advance(time.Hour)
	c.Advance(time.Hour)
	assert.GreaterOrEqual(t, c.Now().Sub(now), 2*time.Hour)
	assert.LessOrEqual(t, c.Now().Sub(before), 2*time.Hour+time.Since(before))
}

func TestClockIsShared(t *testing.T) {
	t.Parallel()
	d := New(t, At(noon))
	second := d.Open(nil)
	third := d.Open(&dynastay.Options{NoGates: true})
	other := d.Open(&dynastay.Options{Clock: func() time.Time { return noon.AddDate(1, 0, 0) }})
	all := func(want time.Time) {
		t.Helper()
		assert.Equal(t, want, d.Clock.Now())
		for _, db := range []*dynastay.DB{d.DB, d.Direct, second, third} {
			assert.Equal(t, want, db.Now())
		}
		assert.Equal(t, noon.AddDate(1, 0, 0), other.Now())
	}
	all(noon)
	d.Clock.Advance(90 * time.Minute)
	all(noon.Add(90 * time.Minute))
	d.Clock.Set(noon.AddDate(0, 0, -1))
	all(noon.AddDate(0, 0, -1))
}

func TestClockThatRunsCanBeStopped(t *testing.T) {
	t.Parallel()
	var c Clock
	c.Advance(time.Hour)
	c.Set(noon)
	assert.Equal(t, noon, c.Now())
	c.Advance(time.Minute)
	assert.Equal(t, noon.Add(time.Minute), c.Now())
}

func TestClockGoesForwardOnly(t *testing.T) {
	t.Parallel()
	var c Clock
	assert.PanicsWithValue(t, "dyntest.Clock.Advance: d must not be negative, got -1s; use Set to move the clock back",
		func() { c.Advance(-time.Second) })
	c.Set(noon)
	assert.Panics(t, func() { c.Advance(-1) })
	c.Advance(0)
	assert.Equal(t, noon, c.Now())
}

func TestClockIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	var c Clock
	c.Set(noon)
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			c.Advance(time.Second)
			assert.True(t, c.Now().After(noon))
		})
	}
	wg.Wait()
	assert.Equal(t, noon.Add(100*time.Second), c.Now())
}

func TestClockOfWith(t *testing.T) {
	t.Parallel()
	now := noon
	d := New(t, With(dynastay.Options{Clock: func() time.Time { return now }}))
	now = noon.Add(time.Hour)
	assert.Equal(t, now, d.Clock.Now())
	for _, db := range []*dynastay.DB{d.DB, d.Direct, d.Open(nil)} {
		assert.Equal(t, now, db.Now())
	}
	const text = ": is not supported if the options of With have a Clock; use At instead"
	assert.PanicsWithValue(t, "dyntest.Clock.Set"+text, func() { d.Clock.Set(noon) })
	assert.PanicsWithValue(t, "dyntest.Clock.Advance"+text, func() { d.Clock.Advance(time.Hour) })

	_, err := configure([]Option{At(noon), With(dynastay.Options{Clock: time.Now})}).newClock()
	assert.EqualError(t, err, "dyntest: At cannot be combined with a Clock in the options of With")
}

func TestDirectBypassesFaultsAndMeasures(t *testing.T) {
	t.Parallel()
	var observed int
	d := New(t, At(noon), Tables(things), With(dynastay.Options{
		NewID:    func(prefix string) string { return prefix + "7" },
		Observer: dynastay.RequestObserver(func(context.Context, dynastay.Call) { observed++ }),
	}))
	require.NoError(t, put(t.Context(), d.Engine.Client(), d, "a", "1"))
	stop := d.Faults.Record()
	spent := d.Measure(func() {
		row, err := d.Direct.Get(t.Context(), things, dynastay.Key{PK: "a", SK: "thing"}, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, dynastay.Text("1"), row.Item()["value"])
	})
	assert.Empty(t, spent.Calls)
	assert.Empty(t, stop())
	assert.Zero(t, observed)
	assert.Equal(t, "bkg_7", d.Direct.NewID("bkg_"), "the other options are the same")
}
