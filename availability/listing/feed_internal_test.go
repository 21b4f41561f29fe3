package listing

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
)

// feedOf returns a calendar with n reservations and n closed nights, and a feed that has the same ones. In the worst
// case for the comparison, other is true: most entries have new UIDs and other dates.
func feedOf(n int, other bool) (*syncing, state, entries) {
	s := &syncing{Repository: &Repository{}, calendar: &ical.Calendar{}, today: dynastay.MustDate("2025-01-01")}
	s.reach = s.today
	now, in := state{others: map[dynastay.Date]*Night{}}, entries{}
	from := s.today
	for i := range n {
		stay := dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(1)}
		e := &Event{ID: fmt.Sprint("BOOKING#", i), Kind: KindBooking, ExternalID: fmt.Sprint(uidPrefix, i), UID: fmt.Sprint(i), Stay: stay}
		now.own = append(now.own, ownEvent{Event: e})
		entry := ical.Entry{UID: e.UID, Stay: stay, Booked: true}
		if other && i%4 > 0 {
			entry.UID, entry.Stay.CheckOut = fmt.Sprint("new ", i), stay.CheckOut.AddDays(1)
		}
		in.booked = append(in.booked, entry)
		closed := dynastay.Stay{CheckIn: from.AddDays(1), CheckOut: from.AddDays(2)}
		now.own = append(now.own, ownEvent{Event: &Event{ID: fmt.Sprint("BLOCK#", i), Kind: KindBlock, Source: HostClosed, Stay: closed}})
		in.closed = append(in.closed, ical.Entry{UID: fmt.Sprint("closed ", i), Stay: closed})
		from = from.AddDays(2)
	}
	return s, now, in
}

// To compare a feed of four times as many entries takes four times as much, counted in what is allocated, whether it is
// the same as before or not.
func TestFeedsOfManyEntries(t *testing.T) {
	for _, other := range []bool{false, true} {
		count := func(n int) float64 {
			s, now, in := feedOf(n, other)
			return testing.AllocsPerRun(1, func() { s.planOf(now, in) })
		}
		few, many := count(80), count(320)
		t.Logf("%.0f and %.0f", few, many)
		assert.Less(t, many/few, 5.0, "other %t", other)
	}
}

// BenchmarkFeeds measures the comparison of a feed with the calendar. Its last line is the ratio to the one before.
func BenchmarkFeeds(b *testing.B) {
	for _, other := range []bool{false, true} {
		before := 0.0
		for _, n := range []int{400, 1600} {
			b.Run(fmt.Sprintf("other=%t/entries=%d", other, 2*n), func(b *testing.B) {
				s, now, in := feedOf(n, other)
				for b.Loop() {
					s.planOf(now, in)
				}
				each := float64(b.Elapsed()) / float64(b.N)
				if before > 0 {
					b.ReportMetric(each/before, "times-a-quarter")
				}
				before = each
			})
		}
	}
}
