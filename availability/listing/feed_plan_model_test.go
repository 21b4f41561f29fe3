package listing

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing/ical"
	"github.com/dynastay/dynastay/internal/testing/fake"
)

// plannedHome is a calendar in memory, on which plans are carried out.
type plannedHome struct {
	*rapid.T
	syncing *syncing
	events  []*Event
	others  map[dynastay.Date]*Night
}

// A plan gives no night to two events, frees none that the feed has, or that a feed which is not believed had, fits into its
// transactions, and after the last of them each reservation has its nights, or somebody who is named has one of them.
func TestPlansOfFeeds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		db := dynastay.Open(fake.Client{}, nil)
		h := &plannedHome{T: t, others: map[dynastay.Date]*Night{}, syncing: &syncing{
			Repository: &Repository{db: db}, today: dynastay.MustDate("2025-01-01"),
		}}
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 300), 0, 4).Draw(t, "others") {
			date := h.syncing.today.AddDays(n)
			h.others[date] = &Night{EventID: "other", Date: date}
		}
		for range rapid.IntRange(2, 4).Draw(t, "feeds") {
			h.syncing.today = h.syncing.today.AddDays(rapid.IntRange(0, 9).Draw(t, "days later"))
			h.syncing.feed.MayFree = rapid.SampledFrom([]int{0, -1, 10_000, 10_000, 10_000}).Draw(t, "may free")
			h.syncing.calendar = h.feed()
			h.sync()
		}
	})
}

func (h *plannedHome) feed() *ical.Calendar {
	calendar := &ical.Calendar{}
	stay := func(most int) dynastay.Stay {
		from := h.syncing.today.AddDays(rapid.IntRange(-3, 250).Draw(h.T, "from"))
		nights := rapid.OneOf(rapid.IntRange(1, 7), rapid.IntRange(1, most)).Draw(h.T, "nights")
		return dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(nights)}
	}
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, 6), 0, 7, rapid.ID).Draw(h.T, "reservations") {
		calendar.Entries = append(calendar.Entries, ical.Entry{UID: fmt.Sprint("r", i), Stay: stay(100), Booked: true})
	}
	for i := range rapid.IntRange(0, 6).Draw(h.T, "closed") {
		calendar.Entries = append(calendar.Entries, ical.Entry{UID: fmt.Sprint("c", i), Stay: stay(200)})
	}
	if rapid.IntRange(0, 4).Draw(h.T, "unreadable") == 0 {
		calendar.Problems = []ical.Problem{{}}
	}
	return calendar
}

// held returns the nights from today on of all events, and fails if two have the same one.
func (h *plannedHome) held() map[dynastay.Date]*Event {
	all := map[dynastay.Date]*Event{}
	for _, e := range h.events {
		for date := range e.Stay.Dates() {
			require.Nil(h, all[date], "%s: %s and %v", date, e.ID, all[date])
			if !date.Before(h.syncing.today) {
				require.Nil(h, h.others[date], "%s", date)
			}
			all[date] = e
		}
	}
	return all
}

func (h *plannedHome) sync() {
	shown := map[dynastay.Date]bool{}
	for _, entry := range h.syncing.calendar.Entries {
		for date := range entry.Stay.Dates() {
			shown[date] = date.Before(h.syncing.today.AddDays(MaxNights))
		}
	}
	before := h.held()
	for range 1000 {
		now := state{others: h.others}
		for _, e := range h.events {
			if e.Stay.CheckOut.After(h.syncing.today) {
				now.own = append(now.own, ownEvent{Event: e})
			}
		}
		slices.SortFunc(now.own, func(a, b ownEvent) int { return a.Stay.CheckIn.Compare(b.Stay.CheckIn) })
		in, err := h.syncing.entries(context.Background(), now)
		require.NoError(h, err)
		p := h.syncing.planOf(now, in)
		believed := len(h.syncing.calendar.Problems) == 0 && p.shrunk == nil
		for _, part := range p.parts {
			require.LessOrEqual(h, 1+len(part.targets)+len(part.nights), mostActions)
			h.write(part)
			after := h.held()
			for date := range before {
				if !date.Before(h.syncing.today) && (shown[date] || !believed && h.syncing.feed.MayFree <= 0) {
					require.NotNil(h, after[date], "%s is free", date)
				}
			}
		}
		if p.more {
			require.NotEmpty(h, p.parts, "stuck")
			continue
		}
		h.check(in, p, shown)
		if believed && len(p.conflicts) == 0 {
			for date := range h.held() { // tonight, and what is over, may remain
				require.True(h, shown[date] || !date.After(h.syncing.today), "%s", date)
			}
		}
		return
	}
	h.Fatal("it does not end")
}

// write makes the events what a transaction makes of them.
func (h *plannedHome) write(part *group) {
	for _, t := range part.targets {
		e := *t.event
		e.Stay, e.UID = t.stay, t.uid
		at := slices.IndexFunc(h.events, func(was *Event) bool { return was.ID == e.ID })
		switch {
		case at >= 0 && e.Stay == (dynastay.Stay{}):
			h.events = slices.Delete(h.events, at, at+1)
		case at >= 0:
			h.events[at] = &e
		default:
			h.events = append(h.events, &e)
		}
	}
}

// check looks at what has become of each reservation, and that all nights that the feed shows are held.
func (h *plannedHome) check(in entries, p *plan, shown map[dynastay.Date]bool) {
	held, refused := h.held(), map[string]bool{}
	for _, c := range p.conflicts {
		require.NotEmpty(h, c.Taken.Nights)
		for _, n := range c.Taken.Nights {
			by, of := "other", held[n.Date]
			if of != nil {
				by = of.ID
			}
			require.Equal(h, by, n.EventID, "%s", n.Date)
		}
		refused[c.UID] = true
	}
	for _, entry := range in.booked {
		if refused[entry.UID] {
			continue
		}
		last := held[entry.Stay.LastNight()] // perhaps with an earlier UID: it was recognised by its dates
		require.NotNil(h, last, "%s %s", entry.UID, entry.Stay)
		require.Equal(h, KindBooking, last.Kind)
		require.Equal(h, entry.Stay.CheckOut, last.Stay.CheckOut)
		for date := range entry.Stay.Dates() {
			require.True(h, date.Before(h.syncing.today) || held[date] == last, "%s %s: %s", entry.UID, entry.Stay, date)
		}
	}
	for date := range shown {
		if shown[date] && !date.Before(h.syncing.today) && h.others[date] == nil {
			require.NotNil(h, held[date], "%s", date)
		}
	}
}
