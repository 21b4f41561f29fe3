package listing_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/dyntest"
)

var feedSyncs = flag.Int("feed.syncs", 36, "how many times TestFeeds synchronises a feed")

// channel is what a channel knows of the listing.
type channel struct {
	*rapid.T
	home     *home
	reserved map[string]dynastay.Stay // by the id of the reservation
	closed   map[dynastay.Date]bool
	n        int
}

func (c *channel) draw(label string, least, most int) int {
	return rapid.IntRange(least, most).Draw(c.T, label)
}

// today is the date at the listing.
func (c *channel) today() dynastay.Date {
	rome, err := time.LoadLocation("Europe/Rome")
	require.NoError(c, err)
	return dynastay.DateOf(c.home.Clock.Now(), rome)
}

func (c *channel) stay() dynastay.Stay {
	from := c.today().AddDays(c.draw("from", 0, 40))
	nights := c.draw("nights", 1, 6)
	if c.draw("long", 0, 7) == 7 {
		nights = c.draw("many nights", 40, 150)
	}
	return dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(nights)}
}

// free reports whether the channel has nothing on the nights.
func (c *channel) free(stay dynastay.Stay, but string) bool {
	for id, other := range c.reserved {
		if id != but && other.Overlaps(stay) {
			return false
		}
	}
	return true
}

// change lets something happen at the channel.
func (c *channel) change() {
	stay := c.stay()
	ids := slices.Sorted(maps.Keys(c.reserved))
	switch what := c.draw("what", 0, 6); {
	case what <= 1 && c.free(stay, ""):
		c.n++
		c.reserved[fmt.Sprintf("HM%06d", c.n)] = stay
	case what == 2 && len(ids) > 0:
		if id := ids[c.draw("which", 0, len(ids)-1)]; c.free(stay, id) {
			c.reserved[id] = stay
		}
	case what == 3 && len(ids) > 0:
		delete(c.reserved, ids[c.draw("which", 0, len(ids)-1)])
	case what == 4:
		for date := range stay.Dates() {
			delete(c.closed, date)
		}
	default:
		for date := range stay.Dates() {
			c.closed[date] = true
		}
	}
}

// publish writes the feed: reservations with or without their ids, closed nights in runs, UIDs that are kept or not. The
// channel's day may be ahead of that of the listing, and it may cut off what is over.
func (c *channel) publish(withIDs, keepUIDs bool) (text string, nights map[dynastay.Date]bool) {
	first, cut := c.today().AddDays(c.draw("ahead", 0, 1)), c.draw("cut", 0, 1) == 1
	nights = map[dynastay.Date]bool{}
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//channel//EN\r\n")
	add := func(uid string, stay dynastay.Stay, summary, more string) {
		if !keepUIDs {
			c.n++
			uid = fmt.Sprint("uid-", c.n)
		}
		for date := range stay.Dates() {
			nights[date] = true
		}
		plain := func(d dynastay.Date) string { return strings.ReplaceAll(d.String(), "-", "") }
		fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:%s\r\nDTSTART;VALUE=DATE:%s\r\nDTEND;VALUE=DATE:%s\r\nSUMMARY:%s\r\n%sEND:VEVENT\r\n",
			uid, plain(stay.CheckIn), plain(stay.CheckOut), summary, more)
	}
	for _, id := range slices.Sorted(maps.Keys(c.reserved)) {
		stay := c.reserved[id]
		if !stay.CheckOut.After(first) {
			continue
		}
		if cut && stay.CheckIn.Before(first) {
			stay.CheckIn = first
		}
		more := ""
		if withIDs {
			more = "DESCRIPTION:Reservation URL: https://www.airbnb.com/hosting/reservations/details/" + id + "\r\n"
		}
		add(id+"@airbnb.com", stay, "Reserved", more)
	}
	var run dynastay.Stay
	for _, date := range slices.SortedFunc(maps.Keys(c.closed), dynastay.Date.Compare) {
		if date.Before(first) {
			continue
		}
		if run.CheckOut == date {
			run.CheckOut = date.AddDays(1)
			continue
		}
		if run != (dynastay.Stay{}) {
			add("closed-"+run.CheckIn.String(), run, "Airbnb (Not available)", "")
		}
		run = dynastay.Stay{CheckIn: date, CheckOut: date.AddDays(1)}
	}
	if run != (dynastay.Stay{}) {
		add("closed-"+run.CheckIn.String(), run, "Airbnb (Not available)", "")
	}
	b.WriteString("END:VCALENDAR\r\n")
	return b.String(), nights
}

// taken returns which event holds which night from today on.
func (c *channel) taken() map[dynastay.Date]string { return c.takenFrom(0) }

// takenFrom returns which event holds which night from some days after today on.
func (c *channel) takenFrom(days int) map[dynastay.Date]string {
	stay := dynastay.Stay{CheckIn: c.today().AddDays(days), CheckOut: c.today().AddDays(400)}
	a, err := listing.New(c.home.Direct).Check(context.Background(), lst, stay)
	require.NoError(c, err)
	taken := map[dynastay.Date]string{}
	for _, n := range a.Taken {
		taken[n.Date] = n.EventID
	}
	return taken
}

// A channel changes, and publishes feeds with new UIDs each time or not. Whatever else happens to the calendar: after
// each Sync, the calendar holds every night of the feed, and the feed's events hold no other, apart from tonight; a
// second Sync changes nothing; no night that was held and is in the feed is ever free in between; and every night that
// is over remains that of its event.
func TestFeeds(t *testing.T) {
	t.Parallel()
	syncs := 0
	for syncs < *feedSyncs {
		rapid.Check(t, func(rt *rapid.T) {
			if syncs >= *feedSyncs {
				return
			}
			h := newFeedHome(t)
			c := &channel{T: rt, home: h, reserved: map[string]dynastay.Stay{}, closed: map[dynastay.Date]bool{}}
			withIDs, keepUIDs := rapid.Bool().Draw(rt, "ids"), rapid.Bool().Draw(rt, "uids")
			for range 12 {
				syncs++
				for range c.draw("changes", 0, 5) {
					c.change()
				}
				c.elsewhere()
				h.Clock.Advance(time.Duration(c.draw("hours", 1, 30)) * time.Hour)
				c.syncAndCheck(withIDs, keepUIDs)
			}
		})
	}
}

// elsewhere lets something happen to the calendar that the channel does not know.
func (c *channel) elsewhere() {
	c.n++
	repo, ctx := listing.New(c.home.Direct), context.Background()
	switch c.draw("elsewhere", 0, 5) {
	case 0:
		_, _ = repo.Book(ctx, booking(fmt.Sprint("bk_", c.n), c.stay())) // the nights may be taken
	case 1:
		_, _ = repo.Block(ctx, block(fmt.Sprint(c.n), c.stay()))
	case 2:
		taken := c.taken()
		if dates := slices.SortedFunc(maps.Keys(taken), dynastay.Date.Compare); len(dates) > 0 {
			require.NoError(c, repo.Delete(ctx, lst, taken[dates[c.draw("night", 0, len(dates)-1)]]))
		}
	}
}

func (c *channel) syncAndCheck(withIDs, keepUIDs bool) {
	h, ctx := c.home, context.Background()
	text, nights := c.publish(withIDs, keepUIDs)
	before, over := c.taken(), c.takenFrom(-60)
	always := func(context.Context) {
		now := c.taken()
		for date := range nights {
			if before[date] != "" && now[date] == "" {
				c.Fatalf("%s is free in between", date)
			}
		}
	}
	watch := h.Faults.Inject(dyntest.Before(always), dyntest.When{Operation: "TransactWriteItems", Times: 1000, Optional: true})
	stop := func() {}
	if c.draw("faulty", 0, 3) == 0 {
		fault := []dyntest.Fault{dyntest.LoseAnswer(), dyntest.LoseRequest(), dyntest.Conflict(), dyntest.Fail("AccessDeniedException")}[c.draw("fault", 0, 3)]
		injection := h.Faults.Inject(fault, dyntest.When{Nth: c.draw("nth", 1, 6), Optional: true})
		stop = injection.Stop
	}
	synced, err := h.repo.Sync(ctx, freeing(h.feed("airbnb", text), 1000))
	stop()
	if errors.Is(err, dynastay.ErrRejected) || errors.Is(err, dynastay.ErrOutcomeUnknown) {
		synced, err = h.repo.Sync(ctx, freeing(h.feed("airbnb", text), 1000))
	}
	require.NoError(c, err)
	watch.Stop()
	always(ctx)

	now := c.taken()
	c.checkBegun(over, nights, synced)
	for date := range nights {
		if !date.Before(c.today()) {
			require.NotEmpty(c, now[date], "%s is in the feed", date)
		}
	}
	of := map[string]bool{}
	bookings := map[string]dynastay.Stay{}
	held := map[string]int{}
	for e, err := range h.repo.Events(lst).All(ctx) {
		require.NoError(c, err)
		// A reservation whose new nights are taken keeps its old ones.
		of[e.ID] = e.Feed != "" && (e.Kind == listing.KindBlock || len(synced.Conflicts) == 0)
		if e.Feed != "" && e.Kind == listing.KindBooking && e.Stay.CheckOut.After(c.today().AddDays(1)) {
			bookings[e.ExternalID] = e.Stay
		}
		for date := range e.Stay.Dates() {
			if !date.Before(c.today()) {
				require.Equal(c, e.ID, now[date], "%s does not hold its night %s", e.ID, date)
				held[e.ID]++
			}
		}
	}
	for date, event := range now {
		if of[event] && date != c.today() {
			require.True(c, nights[date], "%s is held by %s, but not in the feed", date, event)
		}
		held[event]--
	}
	for event, n := range held {
		require.Zero(c, n, "%s holds nights that it does not have", event)
	}
	if withIDs && len(synced.Conflicts) == 0 {
		for id, stay := range bookings {
			require.Equal(c, c.reserved[id].CheckOut, stay.CheckOut, id)
		}
	}
	again, err := h.repo.Sync(ctx, h.feed("airbnb", text))
	require.NoError(c, err)
	require.Empty(c, append(append(again.Added, again.Changed...), again.Removed...), "a second Sync")
}

// checkBegun compares what has begun with what it was: nights that are over remain those of their events, and tonight is
// held by an event of the feed that goes on or ends tomorrow, and by no other that the feed does not have tonight.
func (c *channel) checkBegun(was map[dynastay.Date]string, feed map[dynastay.Date]bool, synced *listing.Synced) {
	now, today, tomorrow := c.takenFrom(-60), c.today(), c.today().AddDays(1)
	for date, event := range was {
		if date.Before(today) {
			require.Equal(c, event, now[date], "%s is over", date)
		}
	}
	event, own := was[today], map[string]bool{}
	for e, err := range listing.New(c.home.Direct).Events(lst).All(context.Background()) {
		require.NoError(c, err)
		own[e.ID] = e.Feed != ""
	}
	for _, e := range synced.Removed {
		own[e.ID] = true
	}
	switch {
	case event == "" || !own[event] || feed[today]:
	case was[tomorrow] != event || now[tomorrow] == event:
		require.Equal(c, event, now[today], "tonight is held while its event goes on or ends tomorrow")
	case split(event, now[today]) && now[tomorrow] == now[today] && feed[tomorrow]:
		// A reservation divides a block. The part with tonight goes on under another id.
	case len(synced.Conflicts) == 0:
		require.Empty(c, now[today], "tonight is free if its event does not go on")
	}
}

// split reports whether two events may be parts of one block of closed nights.
func split(a, b string) bool {
	return strings.HasPrefix(a, "BLOCK#") && strings.HasPrefix(b, "BLOCK#")
}
