package bookings_test

import (
	"encoding/json"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
)

// The booking of these tests has one room "a" and two rooms "b" for these nights.
var innStay = dynastay.MustStay("2026-07-05", "2026-07-08")

// What a modification takes, returns, leaves alone and costs. After the booking, all prices rise to 200: a night at its old
// price is one that the booking has kept.
func TestModify(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	for _, test := range []struct {
		name  string
		stay  dynastay.Stay
		rooms rooms
		total string // of the rooms
		acts  int    // of the transaction
	}{
		{"a night more", dynastay.MustStay("2026-07-05", "2026-07-09"), rooms{"a": 1, "b": 2}, "1803", 1 + 2 + 2 + 2},
		{"a night earlier", dynastay.MustStay("2026-07-04", "2026-07-08"), rooms{"a": 1, "b": 2}, "1803", 1 + 2 + 2},
		{"the last night dropped", dynastay.MustStay("2026-07-05", "2026-07-07"), rooms{"a": 1, "b": 2}, "802", 1 + 2 + 2 + 2 + 2},
		{"the first night dropped", dynastay.MustStay("2026-07-06", "2026-07-08"), rooms{"a": 1, "b": 2}, "802", 1 + 2 + 2 + 2},
		{"a day later", dynastay.MustStay("2026-07-06", "2026-07-09"), rooms{"a": 1, "b": 2}, "1402", 1 + 2 + 2 + 2 + 2},
		{"other dates", dynastay.MustStay("2026-07-12", "2026-07-14"), rooms{"a": 1, "b": 2}, "1200", 1 + 2 + 6 + 4},
		{"right after", dynastay.MustStay("2026-07-08", "2026-07-09"), rooms{"a": 1, "b": 2}, "600", 1 + 2 + 6 + 2},
		{"one night that it has", dynastay.MustStay("2026-07-06", "2026-07-07"), rooms{"a": 1, "b": 2}, "401", 1 + 2 + 2 + 4},
		{"a room more", innStay, rooms{"a": 2, "b": 2}, "2103", 1 + 1 + 3},
		{"a room less", innStay, rooms{"a": 1, "b": 1}, "751.50", 1 + 1 + 3},
		{"another room type", innStay, rooms{"a": 1, "b": 2, "c": 1}, "1803", 1 + 1 + 3},
		{"a room type less", innStay, rooms{"b": 2}, "903", 1 + 1 + 3},
		{"one room type for another", innStay, rooms{"a": 1, "c": 2}, "1500", 1 + 2 + 6},
		{"one room for another, at its price", innStay, rooms{"c": 1, "b": 2}, "1503", 1 + 2 + 6},
		{"everything", dynastay.MustStay("2026-07-07", "2026-07-10"), rooms{"a": 3, "c": 1}, "2400", 1 + 3 + 6 + 5},
		{"nothing", innStay, rooms{"a": 1, "b": 2}, "1203", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			before := i.book(t, innStay, rooms{"a": 1, "b": 2})
			for room := range innPrices {
				for date := range innNights.Dates() {
					i.set(t, room, date, "PricePerNight", dynastay.MustMoney("200", "USD"))
				}
			}
			m := i.quote(t, before.ID, test.stay, test.rooms)
			assert.Equal(t, dynastay.MustMoney(test.total, "USD").String(), m.Quote.Total.String())
			fees := dynastay.MustMoney("12.30", "USD")
			if test.acts == 0 {
				fees = dynastay.Money{}
			}
			m.TaxesAndFees = fees
			stop := i.Faults.Record()
			got, err := i.repo.Modify(t.Context(), m)
			require.NoError(t, err)
			requests := stop()
			assert.Empty(t, got.Missing)
			assert.Equal(t, takenBy(test.stay, test.rooms), i.taken(t))

			after, err := i.repo.Get(t.Context(), before.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, after, got.Booking)
			assert.Equal(t, test.stay, after.Stay)
			assert.Equal(t, m.Quote.Guests, after.Guests)
			assert.Equal(t, m.Quote.Total, after.Breakdown.Rooms)
			assert.Equal(t, before.Reference, after.Reference)
			assert.Equal(t, before.Status, after.Status)
			assert.Equal(t, before.CreatedAt, after.CreatedAt)
			require.Len(t, after.Lines, len(test.rooms))
			n := 0
			for j, line := range after.Lines {
				assert.Equal(t, m.Quote.Lines[j], line.Line)
				assert.Equal(t, before.ID, line.BookingID)
				n += line.Quantity
			}
			assert.Equal(t, n, after.Rooms)
			if test.acts == 0 {
				require.Len(t, requests, 1, "only the read")
				assert.Equal(t, before, after)
				return
			}
			total, err := m.Quote.Total.Add(fees)
			require.NoError(t, err)
			assert.Equal(t, total, after.Total)
			assert.Equal(t, before.Version+1, after.Version)
			require.Len(t, requests, 2)
			var sent struct{ TransactItems []json.RawMessage }
			require.NoError(t, json.Unmarshal(requests[1].Body, &sent))
			assert.Len(t, sent.TransactItems, test.acts)

			c, err := i.repo.Cancel(t.Context(), before.ID, "")
			require.NoError(t, err)
			assert.Empty(t, c.Missing)
			assert.Empty(t, i.taken(t), "a cancellation returns what the booking has now")
		})
	}
}

// The lists find a modified booking under its new dates.
func TestModifiedBookingIsListed(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, innStay, rooms{"a": 1})
	stay := dynastay.MustStay("2026-07-10", "2026-07-12")
	got, err := i.repo.Modify(t.Context(), i.quote(t, b.ID, stay, rooms{"a": 2}))
	require.NoError(t, err)
	for name, list := range map[string]dynastay.Listing[*bookings.Summary]{
		"user":     i.repo.ByUser("user_456"),
		"property": i.repo.ByProperty(bookings.PropertyQuery{PropertyID: i.id}),
		"check-in": i.repo.ByCheckIn(bookings.CheckInQuery{Date: stay.CheckIn, PropertyID: i.id}),
		"status":   i.repo.ByStatus(bookings.Confirmed),
	} {
		page, err := list.Page(t.Context(), dynastay.Paging{})
		require.NoError(t, err)
		require.Len(t, page.Items, 1, name)
		assert.Equal(t, got.Booking.Summary, *page.Items[0], name)
	}
	page, err := i.repo.ByCheckIn(bookings.CheckInQuery{Date: innStay.CheckIn}).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Empty(t, page.Items)
}

// Only the number of guests changes: no night is read or written.
func TestModifyGuests(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, innStay, rooms{"a": 2})
	req := i.request(innStay, rooms{"a": 2})
	req.Guests = availability.Guests{Adults: 3, Children: 1}
	var m bookings.Modification
	var err error
	spent := i.Measure(func() { m, err = i.repo.QuoteModification(t.Context(), b.ID, req) })
	require.NoError(t, err)
	assert.Equal(t, 1, spent.Requests)
	spent = i.Measure(func() { _, err = i.repo.Modify(t.Context(), m) })
	require.NoError(t, err)
	assert.Equal(t, 2, spent.Requests)
	after, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, req.Guests, after.Guests)
	assert.Equal(t, b.Lines, after.Lines)

	req.Guests.Adults = 4
	_, err = i.repo.QuoteModification(t.Context(), b.ID, req)
	require.ErrorIs(t, err, availability.ErrTooSmall)
}

// A room needs an adult. A booking that was stored without one for each room can be read, and its guest can be changed.
func TestModifyFewerAdultsThanRooms(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, innStay, rooms{"a": 2})
	req := i.request(innStay, rooms{"a": 2})
	m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
	require.NoError(t, err)
	m.Quote.Guests.Adults, req.Guests.Adults = 1, 1
	for field, err := range map[string]error{
		"Guests.Adults":       second(i.repo.QuoteModification(t.Context(), b.ID, req)),
		"Quote.Guests.Adults": second(i.repo.Modify(t.Context(), m)),
	} {
		var invalid *dynastay.InvalidError
		if assert.ErrorAs(t, err, &invalid, field) {
			assert.Equal(t, field, invalid.Field)
			assert.Equal(t, "must be at least 2, one for each room", invalid.Reason)
		}
	}
	setBooking(t, i.DB, keyOf(b.ID), "NumberOfAdults", dynastay.Number(1))
	stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	changed, err := i.repo.Modify(t.Context(), bookings.Modification{BookingID: b.ID, Version: b.Version, Guest: &stored.Guest, SpecialRequests: aws.String("late")})
	require.NoError(t, err)
	assert.Equal(t, 1, changed.Booking.Guests.Adults)
}
