package bookings_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// afterMidnight is the night that has begun when a guest walks in.
var afterMidnight = dynastay.MustStay("2026-07-10", "2026-07-11")

// walkIn quotes a stay on a business date.
func (i *inn) walkIn(t *testing.T, zone string, stay dynastay.Stay, business dynastay.Date) *availability.Quote {
	t.Helper()
	req := i.request(stay, rooms{"a": 1})
	req.Property.TimeZone, req.BusinessDate = zone, business
	q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	return q
}

// At 01:30 a guest walks in for the night that has begun, is checked in at once, stays for another night, and leaves.
func TestWalkInAfterMidnight(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone    string
		night   dynastay.Stay
		now     string
		another string // the end of the date after the business date
	}{
		{"", afterMidnight, "2026-07-11T01:30:00Z", "2026-07-12T00:00:00Z"},
		{"America/Santiago", dynastay.MustStay("2026-09-05", "2026-09-06"), "2026-09-06T04:30:00Z", "2026-09-07T03:00:00Z"}, // 00:00 is 01:00
	} {
		t.Run(test.zone, func(t *testing.T) {
			t.Parallel()
			i := newInn(t)
			for n := range 2 { // those of September are not open
				raw.Put(t, i.DB, keys.AvailabilityTable, i.night("a", test.night.CheckIn.AddDays(n)))
			}
			at := func(text string) time.Time {
				now, err := time.Parse(time.RFC3339, text)
				require.NoError(t, err)
				return now
			}
			i.Clock.Set(at(test.now))
			business := test.night.CheckIn
			q := i.walkIn(t, test.zone, test.night, business)
			create := func(q *availability.Quote, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
				return i.repo.Create(t.Context(), bookings.Request{Quote: q, NoUser: true, Guest: guest}, opts...)
			}

			plain := q.Clone()
			plain.BusinessDate = dynastay.Date{}
			_, err := create(plain)
			blame.Invalid(t, err, "Quote.Stay.CheckIn")
			i.Clock.Set(at(test.another))
			_, err = create(q)
			blame.Invalid(t, err, "Quote.BusinessDate")

			i.Clock.Set(at(test.now))
			key := dynastay.IdempotencyKey("walk-in").Of("desk")
			b, err := create(q, key)
			require.NoError(t, err)
			again, err := create(plain, key)
			require.NoError(t, err, "it is the same stay")
			assert.Equal(t, b.ID, again.ID)
			assert.Equal(t, test.night, b.Stay)
			there, err := i.repo.CheckIn(t.Context(), b.ID, bookings.Assigned{i.roomType("a"): {"301"}})
			require.NoError(t, err)
			assert.Equal(t, bookings.CheckedIn, there.Status)

			longer := dynastay.Stay{CheckIn: test.night.CheckIn, CheckOut: test.night.CheckOut.AddDays(1)}
			req := i.request(longer, rooms{"a": 1})
			req.Property.TimeZone = test.zone
			m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
			require.NoError(t, err)
			done, err := i.repo.Modify(t.Context(), m)
			require.NoError(t, err)
			assert.Equal(t, longer, done.Booking.Stay)
			assert.Equal(t, dollarsOf("200"), done.Booking.Total)
			_, err = i.repo.CheckOut(t.Context(), b.ID)
			assert.NoError(t, err)
		})
	}
}

// On the business date, staff can still change which rooms the night that has begun takes.
func TestModifyAfterMidnight(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.Clock.Set(time.Date(2026, 7, 11, 1, 30, 0, 0, time.UTC))
	business := twoNights.CheckIn
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: i.walkIn(t, "", twoNights, business), NoUser: true, Guest: guest})
	require.NoError(t, err)
	req := i.request(twoNights, rooms{"c": 1})
	_, err = i.repo.QuoteModification(t.Context(), b.ID, req)
	blame.Invalid(t, err, "Stay")
	req.BusinessDate = business.AddDays(-1)
	_, err = i.repo.QuoteModification(t.Context(), b.ID, req)
	blame.Invalid(t, err, "BusinessDate")
	req.BusinessDate = business
	m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
	require.NoError(t, err)
	i.Clock.Set(time.Date(2026, 7, 12, 0, 0, 0, 0, time.UTC))
	_, err = i.repo.Modify(t.Context(), m)
	blame.Invalid(t, err, "Quote.BusinessDate")
	i.Clock.Set(time.Date(2026, 7, 11, 2, 0, 0, 0, time.UTC))
	_, err = i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, takenBy(twoNights, rooms{"c": 1}), i.taken(t))
}

// A walk-in after midnight keeps the terms of the day that was sold: its booking was made on the next date, but that is not a day
// after the arrival.
func TestTermsOfAWalkInAfterMidnight(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	i.Clock.Set(time.Date(2026, 7, 11, 1, 30, 0, 0, time.UTC))
	ask := func(stay dynastay.Stay) availability.QuoteRequest {
		req := i.requestUnder(stay, under{"flex", 1, adults(2)})
		req.RatePlans[0].Discounts = availability.Discounts{Early: []availability.DaysDiscount{{Days: 0, Percent: 10_00}}}
		req.BusinessDate = afterMidnight.CheckIn
		return req
	}
	q, err := availability.New(i.DB.DB).Quote(t.Context(), ask(afterMidnight))
	require.NoError(t, err)
	assert.Equal(t, dollarsOf("108"), q.Total)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, NoUser: true, Guest: guest})
	require.NoError(t, err)
	m, err := i.repo.QuoteModification(t.Context(), b.ID, ask(dynastay.MustStay("2026-07-10", "2026-07-12")))
	require.NoError(t, err)
	assert.Equal(t, dollarsOf("216"), m.Quote.Total, "another night")

	more := ask(afterMidnight)
	more.Rooms[0].Quantity, more.Guests.Adults = 2, 4
	m, err = i.repo.QuoteModification(t.Context(), b.ID, more)
	require.NoError(t, err)
	assert.Equal(t, dollarsOf("216"), m.Quote.Total, "another room")
}
