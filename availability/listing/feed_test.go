package listing_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/availability/listing/ical"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// entry is a line of a feed: uid, first night, end, summary.
type entry struct{ uid, from, to, summary string }

func reserved(uid, from, to string) entry { return entry{uid, from, to, "Reserved"} }
func closed(uid, from, to string) entry   { return entry{uid, from, to, "Airbnb (Not available)"} }

func calendarOf(entries ...entry) string {
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//channel//EN\r\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:%s\r\nDTSTART;VALUE=DATE:%s\r\nDTEND;VALUE=DATE:%s\r\nSUMMARY:%s\r\nEND:VEVENT\r\n",
			e.uid, strings.ReplaceAll(e.from, "-", ""), strings.ReplaceAll(e.to, "-", ""), e.summary)
	}
	b.WriteString("END:VCALENDAR\r\n")
	return b.String()
}

// feed returns a download of a calendar.
func (h *home) feed(name, text string) listing.Feed {
	h.Clock.Advance(time.Minute)
	return listing.Feed{
		ListingID: lst, HostID: host, Name: name, Source: listing.Airbnb, TimeZone: "Europe/Rome",
		Fetched: h.Clock.Now(), Calendar: strings.NewReader(text),
	}
}

// freeing returns a feed that may free so many nights.
func freeing(f listing.Feed, nights int) listing.Feed {
	f.MayFree = nights
	return f
}

// short says what a Sync did.
func short(s *listing.Synced) string {
	return fmt.Sprintf("%d added, %d changed, %d removed, %d conflicts", len(s.Added), len(s.Changed), len(s.Removed), len(s.Conflicts))
}

func newFeedHome(t *testing.T) *home {
	return newHome(t, dyntest.At(time.Date(2025, 6, 10, 12, 0, 0, 0, time.UTC)))
}

func (h *home) sync(t *testing.T, entries ...entry) *listing.Synced {
	t.Helper()
	s, err := h.repo.Sync(t.Context(), h.feed("airbnb", calendarOf(entries...)))
	require.NoError(t, err)
	return s
}

// Entries of a feed are added, changed and removed with the downloads.
func TestSync(t *testing.T) {
	t.Parallel()
	h := newFeedHome(t)
	s := h.sync(t, reserved("a", "2025-06-20", "2025-06-25"), closed("b", "2025-06-25", "2025-08-03"))
	assert.Equal(t, "4 added, 0 changed, 0 removed, 0 conflicts", short(s))
	t.Log(h.runs(t))
	stop := h.Faults.Record()
	s = h.sync(t, reserved("x", "2025-06-20", "2025-06-25"), closed("y", "2025-06-25", "2025-08-03"))
	assert.Len(t, stop(), 3)
	assert.Equal(t, "0 added, 0 changed, 0 removed, 0 conflicts", short(s))
	// The reservation becomes longer, under another UID, and takes nights from the block.
	s = h.sync(t, reserved("x2", "2025-06-20", "2025-06-27"), closed("y2", "2025-06-27", "2025-08-04"))
	assert.Equal(t, "0 added, 3 changed, 0 removed, 0 conflicts", short(s))
	t.Log(h.runs(t))
	// An empty feed frees nothing.
	_, err := h.repo.Sync(t.Context(), h.feed("airbnb", calendarOf()))
	shrunk := blame.As[*listing.ShrunkError](t, err)
	assert.Equal(t, 45, shrunk.Nights)
	s, err = h.repo.Sync(t.Context(), freeing(h.feed("airbnb", calendarOf()), 45))
	require.NoError(t, err)
	assert.Equal(t, "0 added, 0 changed, 4 removed, 0 conflicts", short(s))
	assert.Empty(t, h.runs(t))
	_, err = h.repo.Sync(t.Context(), listing.Feed{
		ListingID: lst, HostID: host, Name: "airbnb", Source: listing.Airbnb, TimeZone: "Europe/Rome",
		Fetched: h.Clock.Now().Add(-time.Hour), Calendar: strings.NewReader(calendarOf(closed("b", "2025-06-25", "2025-08-03"))),
	})
	require.ErrorIs(t, err, listing.ErrOutdated)

	// Our own export changes nothing.
	_, err = h.repo.Book(context.Background(), booking("bk_1", nights("2025-07-01", "2025-07-05")))
	require.NoError(t, err)
	text, err := h.repo.Export(t.Context(), lst, dynastay.MustDate("2025-06-10"), listing.Channel{Feed: "airbnb"})
	require.NoError(t, err)
	t.Log(string(text))
	s, err = h.repo.Sync(t.Context(), h.feed("airbnb", string(text)))
	require.NoError(t, err)
	assert.Equal(t, "0 added, 0 changed, 0 removed, 0 conflicts", short(s))
	// Conflict
	s = h.sync(t, reserved("a", "2025-07-03", "2025-07-08"))
	assert.Equal(t, "1 added, 0 changed, 0 removed, 1 conflicts", short(s))
	t.Log(h.runs(t), s.Conflicts[0].Taken)
	require.NoError(t, h.repo.Delete(t.Context(), lst, "BOOKING#bk_1"))
	s = h.sync(t, reserved("a", "2025-07-03", "2025-07-08"))
	assert.Equal(t, "1 added, 0 changed, 1 removed, 0 conflicts", short(s))
	t.Log(h.runs(t))
}

// Whatever the form of the days, guests who follow each other have the nights that are written, and no conflict.
func TestDaysOfFeeds(t *testing.T) {
	t.Parallel()
	const utc, madrid, local = "DTSTART:%sT000000Z|DTEND:%sT000000Z", "DTSTART;TZID=Europe/Madrid:%sT000000|DTEND;TZID=Europe/Madrid:%sT000000",
		"DTSTART:%sT000000|DTEND:%sT000000"
	for name, test := range map[string]struct{ zone, form string }{
		"midnights of UTC":              {"America/New_York", utc},
		"midnights of another zone":     {"Atlantic/Canary", madrid},
		"midnights that do not exist":   {"Atlantic/Azores", local},
		"midnights of an unknown zone":  {"Atlantic/Azores", strings.ReplaceAll(madrid, "Europe/Madrid", "Customized Time Zone")},
		"a description with line feeds": {"Europe/Rome", "DESCRIPTION:Begin\r\nBegin: 15:00\r\nEnd: 11:00|" + local},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFeedHome(t)
			var text strings.Builder
			text.WriteString("BEGIN:VCALENDAR\r\n")
			for _, days := range [][]string{{"20260326", "20260329"}, {"20260329", "20260331"}} {
				lines := strings.Replace(strings.Replace(test.form, "%s", days[0], 1), "%s", days[1], 1)
				text.WriteString("BEGIN:VEVENT\r\nUID:" + days[0] + "\r\nSUMMARY:Reserviert\r\n" + strings.ReplaceAll(lines, "|", "\r\n") + "\r\nEND:VEVENT\r\n")
			}
			text.WriteString("END:VCALENDAR\r\n")
			for _, want := range []string{"2 added", "0 added"} {
				feed := h.feed("airbnb", text.String())
				feed.TimeZone = test.zone
				s, err := h.repo.Sync(t.Context(), feed)
				require.NoError(t, err)
				assert.Equal(t, want+", 0 changed, 0 removed, 0 conflicts", short(s))
				assert.Empty(t, s.Problems)
				for _, e := range s.Added {
					assert.Contains(t, []string{"2026-03-26 to 2026-03-29", "2026-03-29 to 2026-03-31"}, e.Stay.String())
				}
			}
			assert.Len(t, h.runs(t), 2)
		})
	}
}

// What a feed may free without being asked: 14 nights, or half of what it has held; never all of it.
func TestShrinkingFeeds(t *testing.T) {
	t.Parallel()
	h := newFeedHome(t)
	fifteen := []entry{
		reserved("a", "2025-07-01", "2025-07-16"), reserved("b", "2025-07-20", "2025-08-04"), reserved("c", "2025-08-10", "2025-08-25"),
	}
	for name, test := range map[string]struct {
		before, after []entry
		lost          int // that is refused
	}{
		"a third":                {fifteen, fifteen[:2], 0},
		"half":                   {fifteen[:2], fifteen[:1], 0},
		"two thirds":             {fifteen, fifteen[:1], 30},
		"14 of 15":               {[]entry{reserved("a", "2025-07-01", "2025-07-15"), reserved("b", "2025-07-20", "2025-07-21")}, []entry{reserved("b", "2025-07-20", "2025-07-21")}, 0},
		"15 of 16":               {[]entry{reserved("a", "2025-07-01", "2025-07-16"), reserved("b", "2025-07-20", "2025-07-21")}, []entry{reserved("b", "2025-07-20", "2025-07-21")}, 15},
		"all":                    {[]entry{reserved("a", "2025-07-01", "2025-07-02")}, nil, 1},
		"nights that are closed": {[]entry{closed("a", "2025-07-01", "2025-07-21")}, []entry{closed("a", "2025-07-01", "2025-07-03")}, 18},
		"what others hold":       {[]entry{closed("a", "2025-07-01", "2025-07-21")}, []entry{reserved("a", "2025-07-01", "2025-07-21")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := h.empty(t)
			h.sync(t, test.before...)
			before := h.runs(t)
			synced, err := h.repo.Sync(t.Context(), h.feed("airbnb", calendarOf(test.after...)))
			if test.lost == 0 {
				require.NoError(t, err)
				return
			}
			shrunk := blame.As[*listing.ShrunkError](t, err)
			assert.Equal(t, test.lost, shrunk.Nights)
			assert.NotEmpty(t, shrunk.Events)
			assert.Empty(t, synced.Removed)
			assert.Equal(t, before, h.runs(t))
			_, err = h.repo.Sync(t.Context(), freeing(h.feed("airbnb", calendarOf(test.after...)), test.lost-1))
			require.ErrorAs(t, err, &shrunk)
			_, err = h.repo.Sync(t.Context(), freeing(h.feed("airbnb", calendarOf(test.after...)), test.lost))
			require.NoError(t, err)
			assert.NotEqual(t, before, h.runs(t))
		})
	}
}

// A negative MayFree allows no night, not even the usual number.
func TestFeedsThatMayFreeNothing(t *testing.T) {
	t.Parallel()
	h := newFeedHome(t)
	kept, gone := reserved("a", "2025-07-01", "2025-07-08"), reserved("b", "2025-07-10", "2025-07-11")
	h.sync(t, kept, gone)
	before := h.runs(t)
	_, err := h.repo.Sync(t.Context(), freeing(h.feed("airbnb", calendarOf(kept)), -1))
	shrunk := blame.As[*listing.ShrunkError](t, err)
	assert.Equal(t, 1, shrunk.Nights)
	assert.Equal(t, before, h.runs(t))
	_, err = h.repo.Sync(t.Context(), freeing(h.feed("airbnb", calendarOf(kept, gone)), -1))
	require.NoError(t, err)
	_, err = h.repo.Sync(t.Context(), h.feed("airbnb", calendarOf(kept)))
	require.NoError(t, err)
	assert.NotEqual(t, before, h.runs(t))
}

// A feed that is not believed frees no night either of a reservation that it shows at other dates.
func TestMovedReservationsOfFeedsThatAreNotBelieved(t *testing.T) {
	t.Parallel()
	h := newFeedHome(t)
	for name, test := range map[string]struct {
		before, after entry
		mayFree, lost int
	}{
		"shortened":                 {reserved("a", "2025-07-01", "2025-07-10"), reserved("a", "2025-07-01", "2025-07-05"), -1, 5},
		"moved by days":             {reserved("a", "2025-07-01", "2025-07-10"), reserved("a", "2025-07-03", "2025-07-12"), -1, 2},
		"all of it moved elsewhere": {reserved("a", "2025-07-01", "2025-08-10"), reserved("a", "2025-09-01", "2025-10-11"), 0, 40},
		"beside an unreadable one":  {reserved("a", "2025-07-01", "2025-07-10"), reserved("a", "2025-07-01", "2025-07-05"), 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := h.empty(t)
			h.sync(t, test.before)
			before := h.held(t)
			text := calendarOf(test.after)
			if test.lost == 0 {
				text = strings.Replace(calendarOf(test.after, closed("d", "2025-07-20", "2025-07-21")), "UID:d\r\n", "UID:d\r\nRRULE:FREQ=WEEKLY\r\n", 1)
			}
			synced, err := h.repo.Sync(t.Context(), freeing(h.feed("airbnb", text), test.mayFree))
			if test.lost == 0 {
				require.NoError(t, err)
				assert.Len(t, synced.Problems, 1)
			} else {
				assert.Equal(t, test.lost, blame.As[*listing.ShrunkError](t, err).Nights)
			}
			after := h.held(t)
			for date := range before {
				assert.NotEmpty(t, after[date], "nobody could be kept from booking %s", date)
			}
			for date := range dynastay.MustStay(test.after.from, test.after.to).Dates() {
				assert.NotEmpty(t, after[date.String()], "the feed has %s", date)
			}
		})
	}
}

// empty is a new database with the same clock.
func (h *home) empty(t *testing.T) *home { return newFeedHome(t) }

// What has begun is shortened, never deleted, and what is over remains as it was.
func TestStaysInProgress(t *testing.T) {
	t.Parallel()
	h := newFeedHome(t) // 10 June
	h.sync(t, reserved("a", "2025-06-12", "2025-06-18"), closed("b", "2025-06-20", "2025-06-25"), closed("c", "2025-06-12", "2025-06-12"))
	booked := h.runs(t)
	h.Clock.Advance(3 * 24 * time.Hour) // 13 June
	for _, entries := range [][]entry{
		{reserved("a", "2025-06-13", "2025-06-18"), closed("b", "2025-06-20", "2025-06-25")}, // cut off at today
		{reserved("x", "2025-06-13", "2025-06-18"), closed("y", "2025-06-20", "2025-06-25")},
	} {
		assert.Equal(t, "0 added, 0 changed, 0 removed, 0 conflicts", short(h.sync(t, entries...)))
		assert.Equal(t, booked, h.runs(t))
	}
	s := h.sync(t, closed("b", "2025-06-20", "2025-06-25")) // left early
	assert.Equal(t, "0 added, 1 changed, 0 removed, 0 conflicts", short(s))
	assert.Equal(t, nights("2025-06-12", "2025-06-13"), s.Changed[0].Stay)

	// An entry that began before it was first seen holds nights from today on.
	s = h.sync(t, closed("b", "2025-06-20", "2025-06-25"), reserved("n", "2025-06-11", "2025-06-15"), closed("m", "2025-06-01", "2025-06-19"))
	assert.Equal(t, []string{
		"2025-06-12 to 2025-06-12 " + h.event(t, "2025-06-12"),
		"2025-06-13 to 2025-06-14 " + h.event(t, "2025-06-13"),
		"2025-06-15 to 2025-06-18 " + h.event(t, "2025-06-15"),
		"2025-06-20 to 2025-06-24 " + h.event(t, "2025-06-20"),
	}, h.runs(t))
	assert.Equal(t, "2 added, 0 changed, 0 removed, 0 conflicts", short(s))
}

// event returns which event holds a night.
func (h *home) event(t *testing.T, date string) string { return h.held(t)[date] }

// As long as an entry cannot be read, no night is freed, unless a person says so; others are still taken.
func TestUnreadableEntries(t *testing.T) {
	t.Parallel()
	h := newFeedHome(t)
	h.sync(t, reserved("a", "2025-07-01", "2025-07-03"), closed("b", "2025-07-05", "2025-07-07"))
	text := strings.Replace(calendarOf(reserved("c", "2025-07-10", "2025-07-12"), closed("d", "2025-07-20", "2025-07-21")),
		"UID:d\r\n", "UID:d\r\nRRULE:FREQ=WEEKLY\r\n", 1)
	s, err := h.repo.Sync(t.Context(), h.feed("airbnb", text))
	require.NoError(t, err)
	assert.Equal(t, "1 added, 0 changed, 0 removed, 0 conflicts", short(s))
	require.Len(t, s.Problems, 1)
	assert.Equal(t, ical.Recurring, s.Problems[0].Kind)
	assert.Len(t, h.runs(t), 3)
	s, err = h.repo.Sync(t.Context(), freeing(h.feed("airbnb", text), 4))
	require.NoError(t, err)
	assert.Equal(t, "0 added, 0 changed, 2 removed, 0 conflicts", short(s))

	// What is no complete calendar changes nothing.
	for _, text := range []string{"", "<html>Bad gateway</html>", strings.TrimSuffix(calendarOf(), "END:VCALENDAR\r\n")} {
		_, err := h.repo.Sync(t.Context(), freeing(h.feed("airbnb", text), 1000))
		blame.As[*ical.IncompleteError](t, err)
		assert.Len(t, h.runs(t), 1)
	}
}

// An entry of this calendar's own is not the channel's, also when its event is gone.
func TestOwnEntriesComeBack(t *testing.T) {
	t.Parallel()
	h := newFeedHome(t)
	_, err := h.repo.Book(t.Context(), booking("bk_1", nights("2025-07-01", "2025-07-04")))
	require.NoError(t, err)
	text, err := h.repo.Export(t.Context(), lst, dynastay.MustDate("2025-06-10"), listing.Channel{Feed: "airbnb"})
	require.NoError(t, err)
	again, err := h.repo.Export(t.Context(), lst, dynastay.MustDate("2025-06-10"), listing.Channel{Feed: "airbnb"})
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
	assert.NotContains(t, string(text), "bk_1")
	require.NoError(t, h.repo.Delete(t.Context(), lst, "BOOKING#bk_1"))
	s, err := h.repo.Sync(t.Context(), h.feed("airbnb", string(text)))
	require.NoError(t, err)
	assert.Equal(t, "0 added, 0 changed, 0 removed, 0 conflicts", short(s))
	assert.Empty(t, h.runs(t))

	// The calendar for a channel has everything but what comes from it.
	_, err = h.repo.Import(t.Context(), reservation("BC1", 1, nights("2025-07-10", "2025-07-12")))
	require.NoError(t, err)
	h.sync(t, reserved("a", "2025-07-14", "2025-07-16"))
	_, err = h.repo.Block(t.Context(), block("b", nights("2025-07-16", "2025-07-18")))
	require.NoError(t, err)
	h.foreign(t, bk1, nights("2025-07-20", "2025-07-21"))
	h.foreign(t, bk1, nights("2025-07-23", "2025-07-25"))
	for to, want := range map[listing.Channel]int{
		{}: 5, {Feed: "airbnb"}: 4, {Source: listing.Airbnb}: 4, {Source: listing.BookingCom}: 4, {Feed: "airbnb", Source: listing.BookingCom}: 3,
		{Feed: "other"}: 5,
	} {
		text, err := h.repo.Export(t.Context(), lst, dynastay.MustDate("2025-06-10"), to)
		require.NoError(t, err)
		calendar, err := ical.Read(strings.NewReader(string(text)), time.UTC)
		require.NoError(t, err)
		assert.Len(t, calendar.Entries, want, to)
	}
	text, err = h.repo.Export(t.Context(), lst, dynastay.MustDate("2025-07-11"), listing.Channel{})
	require.NoError(t, err)
	calendar, err := ical.Read(strings.NewReader(string(text)), time.UTC)
	require.NoError(t, err)
	assert.Equal(t, nights("2025-07-11", "2025-07-12"), calendar.Entries[0].Stay)
}

// A reservation that is imported is left to the import: a feed may be older. An import takes over what the feed has
// added.
func TestFeedAndImport(t *testing.T) {
	t.Parallel()
	h := newFeedHome(t)
	coded := func(code, from, to string) string {
		return strings.Replace(calendarOf(reserved("u", from, to)), "SUMMARY:Reserved\r\n",
			"SUMMARY:Reserved\r\nDESCRIPTION:Reservation URL: https://www.airbnb.com/hosting/reservations/details/"+code+"\r\n", 1)
	}
	sync := func(text string) string {
		s, err := h.repo.Sync(t.Context(), freeing(h.feed("airbnb", text), 100))
		require.NoError(t, err)
		return short(s)
	}
	d := reservation("HMABC12345", 1, nights("2025-07-01", "2025-07-04"))
	d.Source = listing.Airbnb
	assert.Equal(t, "1 added, 0 changed, 0 removed, 0 conflicts", sync(coded("HMABC12345", "2025-07-01", "2025-07-04")))
	event := h.event(t, "2025-07-01")
	got, err := h.repo.Import(t.Context(), d)
	require.NoError(t, err)
	assert.Equal(t, event, got.EventID, "it is the same reservation")
	assert.Empty(t, got.Event.Feed)
	d.Revision, d.Stay = 2, nights("2025-07-02", "2025-07-06")
	_, err = h.repo.Import(t.Context(), d)
	require.NoError(t, err)
	assert.Equal(t, "0 added, 0 changed, 0 removed, 0 conflicts", sync(coded("HMABC12345", "2025-07-01", "2025-07-04")))
	d.Revision = 3
	_, err = h.repo.Import(t.Context(), cancelled(d))
	require.NoError(t, err)
	assert.Equal(t, "0 added, 0 changed, 0 removed, 0 conflicts", sync(coded("HMABC12345", "2025-07-01", "2025-07-04")))
	assert.Empty(t, h.runs(t))

	// Two reservations with different ids are never the same, even on the same nights and with the same UID.
	assert.Equal(t, "1 added, 0 changed, 0 removed, 0 conflicts", sync(coded("HMAAA12345", "2025-07-01", "2025-07-04")))
	first := h.event(t, "2025-07-01")
	assert.Equal(t, "1 added, 0 changed, 1 removed, 0 conflicts", sync(coded("HMBBB12345", "2025-07-01", "2025-07-04")))
	assert.NotEqual(t, first, h.event(t, "2025-07-01"))

	// The dates of what a feed has added are the channel's.
	_, err = h.repo.Modify(t.Context(), lst, h.event(t, "2025-07-01"), nights("2025-07-01", "2025-07-03"))
	require.ErrorIs(t, err, listing.ErrImported)
	sync(calendarOf(closed("c", "2025-07-01", "2025-07-03")))
	_, err = h.repo.Modify(t.Context(), lst, h.event(t, "2025-07-01"), nights("2025-07-01", "2025-07-02"))
	require.ErrorIs(t, err, listing.ErrImported)
}

// How many nights a reservation has changes neither what it becomes nor what is said of it, however many transactions
// it takes. A listing that is closed for ever is blocked for two years.
func TestLongEntries(t *testing.T) {
	t.Parallel()
	first := dynastay.MustDate("2025-07-01")
	long := func(n int) entry { return reserved("a", "2025-07-01", first.AddDays(n).String()) }
	for _, n := range []int{1, 44, 45, 46, 89, 90, 91, 97, 98, 99, 100, 101, 135, 136, 365, 731, 732, 733} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			held := min(n, listing.MaxNights)
			h := newFeedHome(t)
			s := h.sync(t, long(n))
			assert.Equal(t, "1 added, 0 changed, 0 removed, 0 conflicts", short(s))
			assert.Equal(t, listing.KindBooking, s.Added[0].Kind)
			assert.Equal(t, held, s.Added[0].Stay.Nights())
			assert.Empty(t, h.wrong(t))
			assert.Equal(t, "0 added, 0 changed, 0 removed, 0 conflicts", short(h.sync(t, long(n))))
			want := "0 added, 1 changed, 0 removed, 0 conflicts"
			if n >= listing.MaxNights {
				want = "0 added, 0 changed, 0 removed, 0 conflicts"
			}
			s = h.sync(t, long(n+1))
			assert.Equal(t, want, short(s), "extended")
			s, err := h.repo.Sync(t.Context(), freeing(h.feed("airbnb", calendarOf(closed("b", "2025-06-20", "2025-06-21"))), 1000))
			require.NoError(t, err)
			assert.Equal(t, "1 added, 0 changed, 1 removed, 0 conflicts", short(s))
			assert.Equal(t, min(n+1, listing.MaxNights), s.Removed[0].Stay.Nights(), "as it was")
			assert.Empty(t, h.wrong(t))

			// One of its nights is booked on the platform itself. The others are blocked.
			_, err = h.repo.Book(t.Context(), booking("bk_1", days("2025-07-01", 1)))
			require.NoError(t, err)
			s = h.sync(t, long(n))
			require.Len(t, s.Conflicts, 1)
			assert.Equal(t, "BOOKING#bk_1", s.Conflicts[0].Taken.Nights[0].EventID)
			a, err := h.repo.Check(t.Context(), lst, dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(min(n, 700))})
			require.NoError(t, err)
			assert.Len(t, a.Taken, min(n, 700))
		})
	}
	h := newFeedHome(t)
	s := h.sync(t, closed("a", "2025-06-01", "2099-12-31"))
	assert.Len(t, s.Added, 25) // to 11 June 2027
	assert.Equal(t, "2025-06-10", s.Added[0].Stay.CheckIn.String())
	assert.Equal(t, "2027-06-12", s.Added[24].Stay.CheckOut.String())
}

// An older download is refused, also if a newer one comes while it is synchronised.
func TestOutdatedDownloads(t *testing.T) {
	t.Parallel()
	h := newFeedHome(t)
	older := h.feed("airbnb", calendarOf(reserved("a", "2025-07-01", "2025-07-04")))
	newer := h.feed("airbnb", calendarOf(reserved("b", "2025-07-10", "2025-07-12")))
	h.before("TransactWriteItems", 2, func(ctx context.Context) { // the first one writes the time of the download
		_, err := listing.New(h.Direct).Sync(ctx, newer)
		assert.NoError(t, err)
	})
	_, err := h.repo.Sync(t.Context(), older)
	require.ErrorIs(t, err, listing.ErrOutdated)
	assert.Len(t, h.runs(t), 1)
	assert.Contains(t, h.runs(t)[0], "2025-07-10 to 2025-07-11 BOOKING#")
	older.Calendar = strings.NewReader(calendarOf(reserved("a", "2025-07-01", "2025-07-04")))
	_, err = h.repo.Sync(t.Context(), older)
	require.ErrorIs(t, err, listing.ErrOutdated)
	newer.Calendar = strings.NewReader(calendarOf(reserved("b", "2025-07-10", "2025-07-12")))
	_, err = h.repo.Sync(t.Context(), newer)
	require.NoError(t, err, "the same download again")
}

func TestInvalidFeeds(t *testing.T) {
	t.Parallel()
	h := newFeedHome(t)
	for _, test := range []struct {
		field  string
		change func(*listing.Feed)
	}{
		{"ListingID", func(f *listing.Feed) { f.ListingID = "" }},
		{"HostID", func(f *listing.Feed) { f.HostID = "a#b" }},
		{"Name", func(f *listing.Feed) { f.Name = "" }},
		{"Source", func(f *listing.Feed) { f.Source = listing.Localstays }},
		{"TimeZone", func(f *listing.Feed) { f.TimeZone = "" }},
		{"TimeZone", func(f *listing.Feed) { f.TimeZone = "Local" }},
		{"TimeZone", func(f *listing.Feed) { f.TimeZone = "Europe//Rome" }},
		{"TimeZone", func(f *listing.Feed) { f.TimeZone = "Mars" }},
		{"Fetched", func(f *listing.Feed) { f.Fetched = time.Time{} }},
		{"Calendar", func(f *listing.Feed) { f.Calendar = nil }},
	} {
		f := h.feed("airbnb", calendarOf())
		test.change(&f)
		stop := h.Faults.Record()
		_, err := h.repo.Sync(t.Context(), f)
		assert.Empty(t, stop(), test.field)
		blame.Invalid(t, err, test.field)
	}
}
