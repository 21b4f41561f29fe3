package listing

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
	"github.com/dynastay/dynastay/internal/testing/fake"
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

// Two keep their nights because of others that seem to get what they want, and do not. Then they move, one after the other.
func TestReservationsThatMoveAfterAll(t *testing.T) {
	t.Parallel()
	s := &syncing{Repository: &Repository{db: dynastay.Open(fake.Client{}, nil)}, calendar: &ical.Calendar{}, today: dynastay.MustDate("2025-01-01")}
	s.reach = s.today
	day := func(n int) dynastay.Date { return s.today.AddDays(n) }
	now, in := state{others: map[dynastay.Date]*Night{day(30): {EventID: "other", Date: day(30)}}}, entries{}
	for _, r := range []struct {
		uid                string
		at, wants, wantsTo int
	}{
		{"a", 2, 10, 21},  // needs the night of c
		{"b", 4, 6, 7},    // needs the night of d
		{"d", 6, 10, 11},  // which a does not get
		{"c", 20, 30, 31}, // somebody else has it
	} {
		stay := dynastay.Stay{CheckIn: day(r.at), CheckOut: day(r.at + 1)}
		now.own = append(now.own, ownEvent{Event: &Event{ID: r.uid, Kind: KindBooking, ExternalID: uidPrefix + r.uid, UID: r.uid, Stay: stay}})
		in.booked = append(in.booked, ical.Entry{UID: r.uid, Stay: dynastay.Stay{CheckIn: day(r.wants), CheckOut: day(r.wantsTo)}, Booked: true})
	}
	p := s.planFor(now, in, true, order{most: mostMoved})
	stays, taken := map[string]dynastay.Date{}, map[string][]string{}
	for _, target := range p.targets {
		if target.event.Kind == KindBooking {
			stays[target.event.ID] = target.stay.CheckIn
		}
	}
	for _, c := range p.conflicts {
		for _, n := range c.Taken.Nights {
			taken[c.UID] = append(taken[c.UID], n.EventID)
		}
	}
	assert.Equal(t, map[string]dynastay.Date{"a": day(2), "b": day(6), "d": day(10), "c": day(20)}, stays)
	assert.Equal(t, map[string][]string{"a": {"d", "c"}, "c": {"other"}}, taken)
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
