package listing_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
)

// plan is a feed before and after a change that no single transaction can write.
type plan struct {
	before, after []entry
	said          string
}

func plans() map[string]plan {
	day := func(n int) string { return dynastay.MustDate("2025-07-01").AddDays(n).String() }
	var guests, cancelled, later []entry
	for i := range 10 { // each has nights of two months
		from, to := 17+30*i, 17+30*(i+1)
		guests = append(guests, reserved(fmt.Sprint("g", i), day(from), day(to)))
		later = append(later, reserved(fmt.Sprint("g", i), day(from+10), day(to+10)))
		cancelled = append(cancelled, closed(fmt.Sprint("g", i), day(from), day(to)))
	}
	return map[string]plan{
		"all reservations become closed nights": {guests, cancelled, "11 added, 0 changed, 10 removed, 0 conflicts"},
		"all closed nights become reservations": {cancelled, guests, "10 added, 0 changed, 11 removed, 0 conflicts"},
		"all reservations move":                 {guests, later, "0 added, 10 changed, 0 removed, 0 conflicts"},
		"two long reservations exchange their dates": {
			[]entry{reserved("a", day(0), day(70)), reserved("b", day(70), day(150))},
			[]entry{reserved("a", day(80), day(150)), reserved("b", day(0), day(80))},
			"0 added, 2 changed, 0 removed, 0 conflicts",
		},
		"a long reservation moves to closed nights": {
			[]entry{reserved("a", day(0), day(120)), closed("b", day(120), day(260))},
			[]entry{closed("b", day(0), day(120)), reserved("a", day(130), day(260)), closed("c", day(120), day(130))},
			"3 added, 3 changed, 4 removed, 0 conflicts",
		},
		"each needs nights that the other one keeps": {
			[]entry{reserved("a", day(0), day(100)), reserved("b", day(100), day(200))},
			[]entry{reserved("a", day(90), day(190)), reserved("b", day(50), day(90))},
			"0 added, 2 changed, 0 removed, 0 conflicts",
		},
		"a reservation moves, and the months around it are closed": {
			[]entry{reserved("a", day(14), day(59))},
			[]entry{closed("b", day(0), day(123)), reserved("a", day(138), day(183)), closed("c", day(123), day(138)), closed("d", day(183), day(214))},
			"7 added, 1 changed, 0 removed, 0 conflicts",
		},
		"a long reservation moves to free nights": {
			[]entry{reserved("a", day(0), day(120))}, []entry{reserved("a", day(200), day(330))},
			"0 added, 1 changed, 0 removed, 0 conflicts",
		},
	}
}

// What does not fit in one transaction is changed in steps. No night that the feed has before and after is free in
// between, and the steps are not told.
func TestFeedsInSteps(t *testing.T) {
	t.Parallel()
	for name, p := range plans() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFeedHome(t)
			h.sync(t, p.before...)
			before := h.held(t)
			var free []string
			always := func(context.Context) {
				now := h.held(t)
				for date := range before {
					for _, e := range p.after {
						if e.from <= date && date < e.to && now[date] == "" {
							free = append(free, date)
						}
					}
				}
			}
			watch := h.Faults.Inject(dyntest.Before(always), dyntest.When{Operation: "TransactWriteItems", Times: 1000, Optional: true})
			s, err := h.repo.Sync(t.Context(), freeing(h.feed("airbnb", calendarOf(p.after...)), 1000))
			watch.Stop()
			require.NoError(t, err)
			assert.Equal(t, p.said, short(s))
			assert.Empty(t, free)
			now := h.held(t)
			for _, e := range p.after {
				for date := range nights(e.from, e.to).Dates() {
					assert.NotEmpty(t, now[date.String()], date)
					delete(now, date.String())
				}
			}
			assert.Empty(t, now)
			assert.Equal(t, "0 added, 0 changed, 0 removed, 0 conflicts", short(h.sync(t, p.after...)))
		})
	}
}

// Three reservations that pass on 24 nights each make 100 actions, a single transaction. With one night more, they are
// two.
func TestStepsAreAsLargeAsATransaction(t *testing.T) {
	t.Parallel()
	day := func(n int) string { return dynastay.MustDate("2025-07-01").AddDays(n).String() }
	for more, want := range []int{2, 3} { // the first one writes the time of the download
		h := newFeedHome(t)
		h.sync(t, reserved("a", day(0), day(30)), reserved("b", day(30), day(60)), reserved("c", day(60), day(90)))
		before := h.Faults.Count("TransactWriteItems")
		f := h.feed("airbnb", calendarOf(reserved("a", day(24), day(54)), reserved("b", day(54), day(84)), reserved("c", day(84), day(114+more))))
		s, err := h.repo.Sync(t.Context(), freeing(f, 1000))
		require.NoError(t, err)
		assert.Equal(t, "0 added, 3 changed, 0 removed, 0 conflicts", short(s))
		assert.Equal(t, want, h.Faults.Count("TransactWriteItems")-before)
	}
}
