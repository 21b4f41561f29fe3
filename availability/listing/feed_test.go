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
	"github.com/dynastay/dynastay/dyntest"
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
	var shrunk *listing.ShrunkError
	require.ErrorAs(t, err, &shrunk)
	assert.Equal(t, 45, shrunk.Nights)
	s, err = h.repo.Sync(t.Context(), h.feed("airbnb", calendarOf()), listing.MayFree(45))
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
