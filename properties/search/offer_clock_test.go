package search_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// free is a request for rooms that can be cancelled free of charge.
func free(r *search.Request) { r.Filter.FreeCancellation = true }

// lines returns the room types of the quotes of the only property, or none.
func (n *inns) lines(t testing.TB, r search.Request) (all []string) {
	t.Helper()
	page := n.page(t, r, dynastay.Paging{})
	assert.Empty(t, page.Refused)
	for _, o := range page.Offers {
		for _, q := range o.Quotes {
			for _, line := range q.Lines {
				all = append(all, line.RoomTypeID)
			}
		}
	}
	return all
}

// Free of charge are policies that refund everything, of the room type or, if it has none, of the property. The others
// are not combined either.
func TestFreeCancellationPolicies(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	policies := []availability.CancellationPolicy{
		"", availability.FreeCancellation(0), availability.FreeCancellation(24), availability.FreeCancellation(10_000),
		availability.PartialRefund(99, 0), availability.PartialRefund(100, 24), availability.NonRefundable, availability.CustomPolicy("free_cancellation_24h"),
	}
	var rooms []properties.RoomType
	for i, policy := range policies {
		rooms = append(rooms, room(fmt.Sprint(i), 2, fmt.Sprint(100+i), func(r *properties.RoomType) { r.CancellationPolicy = policy }))
	}
	h.add(t, inn("a"), rooms...)
	assert.Equal(t, []string{"0", "1", "2", "5"}, h.lines(t, request(free)))
	assert.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7"}, h.lines(t, request()))

	_, err := h.properties.Update(t.Context(), "a", func(p *properties.Property) error {
		p.CancellationPolicy = availability.NonRefundable
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"1", "2", "5"}, h.lines(t, request(free)))

	party := request(free, func(r *search.Request) { r.Guests.Adults = 3 })
	assert.Equal(t, []string{"1"}, h.lines(t, party), "two of the cheapest")
	party.Guests.Adults = 30 // 5 rooms of each type
	assert.Equal(t, []string{"1", "2", "5"}, h.lines(t, party))

	// Without any such room, the property does not meet the filter.
	for _, r := range rooms {
		_, err := h.properties.UpdateRoomType(t.Context(), "a", r.ID, func(r *properties.RoomType) error {
			r.CancellationPolicy = availability.NonRefundable
			return nil
		})
		require.NoError(t, err)
	}
	assert.Empty(t, h.lines(t, request(free)))
}

// The deadline is so many hours before the check-in time at the property. At the deadline, it is too late.
func TestFreeCancellationDeadline(t *testing.T) {
	t.Parallel()
	day := first.Time()
	for _, test := range []struct {
		zone, checkIn string
		hours         int
		deadline      time.Time
	}{
		{"", "15:00", 48, day.Add(-33 * time.Hour)},
		{"", "15:30", 0, day.Add(15*time.Hour + 30*time.Minute)},
		{"", "", 24, day.Add(-24 * time.Hour)},
		{"", "3 pm", 24, day.Add(-24 * time.Hour)},
		{"Europe/Lisbon", "15:00", 24, day.Add(-10 * time.Hour)}, // UTC+1 in summer
		{"America/New_York", "00:00", 24, day.Add(-20 * time.Hour)},
		{"Pacific/Apia", "23:59", 24, day.Add(-13*time.Hour - time.Minute)}, // UTC+13
	} {
		t.Run(fmt.Sprint(test.zone, " ", test.checkIn, " ", test.hours), func(t *testing.T) {
			t.Parallel()
			h := openInns(t, searchTables)
			h.add(t, inn("a", func(p *properties.Property) {
				p.TimeZone, p.CancellationPolicy = test.zone, availability.FreeCancellation(test.hours)
			}), room("room", 2, "100"))
			h.onCard(t, "a", dynastay.Text(test.checkIn), "CheckInTime")
			h.Clock.Set(test.deadline.Add(-time.Nanosecond))
			assert.Equal(t, []string{"room"}, h.lines(t, request(free)))
			h.Clock.Set(test.deadline)
			assert.Empty(t, h.lines(t, request(free)))
			assert.Equal(t, []string{"room"}, h.lines(t, request()))
		})
	}
}

// A property whose time zone is not known cannot be read.
func TestFreeCancellationInAnUnknownZone(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("room", 2, "100"))
	h.onCard(t, "a", dynastay.Text("Europe/Atlantis"), "TimeZone")
	for _, r := range []search.Request{request(), request(free)} {
		page, err := h.search.Page(t.Context(), r, dynastay.Paging{})
		assert.Empty(t, page)
		assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	}
}
