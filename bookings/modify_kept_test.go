package bookings_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// agreed asks for rooms under a policy, with check-in from 15:00.
func (i *inn) agreed(policy availability.CancellationPolicy, stay dynastay.Stay, want rooms) availability.QuoteRequest {
	req := i.request(stay, want)
	req.Property.CheckInTime = "15:00"
	for j := range req.Rooms {
		req.Rooms[j].CancellationPolicy = policy
	}
	return req
}

// bookUnder books and confirms rooms under a policy, or holds them.
func (i *inn) bookUnder(t testing.TB, policy availability.CancellationPolicy, stay dynastay.Stay, want rooms, hold time.Duration) *bookings.Booking {
	t.Helper()
	q, err := availability.New(i.DB.DB).Quote(t.Context(), i.agreed(policy, stay, want))
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest, Hold: hold})
	require.NoError(t, err)
	return b
}

// What a modification gives up is settled by its policy at that time, as a cancellation of it would be.
func TestWhatIsGivenUpIsSettled(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	free, part, never := availability.FreeCancellation(48), availability.PartialRefund(35, 24), availability.NonRefundable
	deadline := innStay.CheckIn.Time().Add(15*time.Hour - 48*time.Hour) // of free
	shorter, later := dynastay.MustStay("2026-07-05", "2026-07-06"), dynastay.MustStay("2026-07-06", "2026-07-09")
	for _, test := range []struct {
		name   string
		policy availability.CancellationPolicy
		at     time.Time
		stay   dynastay.Stay
		rooms  rooms
		kept   string // of 2 rooms "a" for 3 nights at 100, "" for nothing
		total  string
		from   string // the date from which the hours count, if it is not that of check-in
	}{
		{"nothing is given up", never, innNoon, innStay, rooms{"a": 2}, "", "600", ""},
		{"longer", never, innNoon, dynastay.MustStay("2026-07-05", "2026-07-09"), rooms{"a": 2}, "", "800", ""},
		{"two nights", never, innNoon, shorter, rooms{"a": 2}, "400", "600", ""},
		{"a room", never, innNoon, innStay, rooms{"a": 1}, "300", "600", ""},
		{"a room and two nights", never, innNoon, shorter, rooms{"a": 1}, "500", "600", ""},
		{"two nights, for a room more", never, innNoon, shorter, rooms{"a": 3}, "400", "700", ""},
		{"a room, but longer", never, innNoon, dynastay.MustStay("2026-07-05", "2026-07-09"), rooms{"a": 1}, "300", "700", ""},
		{"all nights", never, innNoon, dynastay.MustStay("2026-07-12", "2026-07-15"), rooms{"a": 2}, "600", "1200", ""},
		{"the room type", never, innNoon, innStay, rooms{"c": 2}, "600", "1200", ""},
		{"for a room more of another room type", never, innNoon, innStay, rooms{"a": 2, "c": 1}, "", "900", ""},
		{"one night for another", never, innNoon, later, rooms{"a": 2}, "200", "800", ""},
		{"no policy", "", innNoon, shorter, rooms{"a": 2}, "", "200", ""},
		{"at the deadline", free, deadline, shorter, rooms{"a": 2}, "", "200", ""},
		{"after the deadline", free, deadline.Add(time.Millisecond), shorter, rooms{"a": 2}, "400", "600", ""},
		{"a part, in time", part, deadline, shorter, rooms{"a": 2}, "260", "460", ""},
		{"a part, too late", part, deadline.Add(25 * time.Hour), shorter, rooms{"a": 2}, "400", "600", ""},
		{"later, at the deadline", free, deadline, later, rooms{"a": 2}, "", "600", ""},
		{"later, after the deadline", free, deadline.Add(time.Millisecond), later, rooms{"a": 2}, "200", "800", "2026-07-05"},
		{"later, after both deadlines", free, deadline.Add(25 * time.Hour), later, rooms{"a": 2}, "200", "800", ""},
		{"later, nothing refundable", availability.PartialRefund(0, 48), deadline.Add(time.Millisecond), later, rooms{"a": 2}, "200", "800", ""},
		{"all nights, after the deadline", free, deadline.Add(time.Hour), dynastay.MustStay("2026-07-12", "2026-07-15"), rooms{"a": 2}, "600", "1200", ""},
		{"earlier, after the deadline", free, deadline.Add(time.Hour), dynastay.MustStay("2026-07-04", "2026-07-07"), rooms{"a": 2}, "200", "800", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, waive := range []bool{false, true} {
				i := inns.next(t)
				b := i.bookUnder(t, test.policy, innStay, rooms{"a": 2}, 0)
				i.Clock.Set(test.at)
				m, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(test.policy, test.stay, test.rooms))
				require.NoError(t, err)
				want := dynastay.Money{}
				if test.kept != "" {
					want = usd(test.kept)
				}
				assert.Equal(t, want, m.Kept)
				if m.Waive = waive; waive {
					m.Kept = usd("1")
				}
				got, err := i.repo.Modify(t.Context(), m)
				require.NoError(t, err)
				stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
				require.NoError(t, err)
				assert.Equal(t, stored, got.Booking)
				if waive {
					assert.Equal(t, dynastay.Money{}, stored.Breakdown.Kept)
					assert.Equal(t, m.Quote.Total, stored.Total)
					assert.Equal(t, dynastay.Date{}, stored.PolicyCheckIn)
					continue
				}
				assert.Equal(t, want, stored.Breakdown.Kept)
				assert.Equal(t, usd(test.total), stored.Total)
				if test.from == "" {
					assert.Equal(t, dynastay.Date{}, stored.PolicyCheckIn)
				} else {
					assert.Equal(t, test.from, stored.PolicyCheckIn.String())
				}
			}
		})
	}
}

// A paid stay of a week that cannot be refunded is shortened to a night when the guests arrive: the price stays.
func TestShortenedOnTheDayOfArrival(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for date := range innNights.Dates() {
		i.set(t, "a", date, "PricePerNight", usd("120"))
	}
	week, night := dynastay.MustStay("2026-07-05", "2026-07-12"), dynastay.MustStay("2026-07-05", "2026-07-06")
	b := i.bookUnder(t, availability.NonRefundable, week, rooms{"a": 1}, 0)
	_, err := i.repo.RecordPayment(t.Context(), charge(b.ID, "ch_1", "840", bookings.PaymentPaid))
	require.NoError(t, err)
	i.Clock.Set(week.CheckIn.Time().Add(16 * time.Hour))
	_, err = i.repo.CheckIn(t.Context(), b.ID, nil)
	require.NoError(t, err)
	m, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(availability.NonRefundable, night, rooms{"a": 1}))
	require.NoError(t, err)
	assert.Equal(t, usd("720"), m.Kept)
	got, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, usd("840"), got.Booking.Total)
	assert.Equal(t, usd("120"), got.Booking.Breakdown.Rooms)
	assert.Equal(t, bookings.PaymentPaid, got.Booking.PaymentStatus, "nothing is to be refunded")
	assert.Equal(t, takenBy(night, rooms{"a": 1}), i.taken(t))
}

// What was kept is not lost with the next modification or with a cancellation, even if that is free.
func TestWhatWasKeptStaysKept(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	free := availability.FreeCancellation(48)
	moved, again := dynastay.MustStay("2026-07-12", "2026-07-15"), dynastay.MustStay("2026-07-16", "2026-07-18")
	for _, test := range []struct {
		name   string
		stays  []dynastay.Stay // after the deadline of the first stay
		kept   string          // in the end
		refund string          // of 300 paid, if the last stay is cancelled
	}{
		{"cancelled after it was moved", []dynastay.Stay{moved}, "300", "0"},
		{"moved twice", []dynastay.Stay{moved, again}, "300", "0"},
		{"shortened, then moved", []dynastay.Stay{dynastay.MustStay("2026-07-05", "2026-07-06"), moved}, "300", "0"},
		{"moved by two nights, then by more", []dynastay.Stay{dynastay.MustStay("2026-07-07", "2026-07-09"), moved}, "400", "0"},
		{"moved by two nights, with the deadline of the first", []dynastay.Stay{dynastay.MustStay("2026-07-07", "2026-07-09")}, "200", "0"},
		{"that a night longer", []dynastay.Stay{dynastay.MustStay("2026-07-07", "2026-07-09"), dynastay.MustStay("2026-07-07", "2026-07-10")}, "200", "0"},
		{"two nights before it", []dynastay.Stay{dynastay.MustStay("2026-07-07", "2026-07-09"), dynastay.MustStay("2026-07-05", "2026-07-09")}, "200", "0"},
		{"shortened a day", []dynastay.Stay{dynastay.MustStay("2026-07-05", "2026-07-07")}, "100", "0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.bookUnder(t, free, innStay, rooms{"a": 1}, 0)
			_, err := i.repo.RecordPayment(t.Context(), charge(b.ID, "ch_1", "300", bookings.PaymentPaid))
			require.NoError(t, err)
			i.Clock.Set(innStay.CheckIn.Time().Add(-24 * time.Hour))
			for _, stay := range test.stays {
				m, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(free, stay, rooms{"a": 1}))
				require.NoError(t, err)
				got, err := i.repo.Modify(t.Context(), m)
				require.NoError(t, err)
				b = got.Booking
			}
			assert.Equal(t, usd(test.kept), b.Breakdown.Kept)
			settled, err := b.Settle(usd("300"), i.Clock.Now(), nil)
			require.NoError(t, err)
			if last := test.stays[len(test.stays)-1]; last.CheckIn.Before(moved.CheckIn) {
				assert.Equal(t, b.Total, settled.Kept, "the deadline of the first stay is over")
			} else {
				assert.Equal(t, usd(test.kept), settled.Kept, "the new stay is free")
			}
			c, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{{ID: "re_1"}})
			require.NoError(t, err)
			assert.Empty(t, c.Refunds)
			assert.Equal(t, usd(test.refund), settled.Refund)
		})
	}
}

// The hours count from the first check-in until the stay begins no later than on that date.
func TestFromWhichCheckInHoursCount(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	free := availability.FreeCancellation(48)
	deadline := innStay.CheckIn.Time().Add(15*time.Hour - 48*time.Hour)
	for _, test := range []struct {
		name string
		wait time.Duration // after the deadline of the first stay
		stay dynastay.Stay
		from string // "" for the check-in of the stay
	}{
		{"a night longer", time.Hour, dynastay.MustStay("2026-07-06", "2026-07-09"), "2026-07-05"},
		{"a night longer, after the second deadline", 25 * time.Hour, dynastay.MustStay("2026-07-06", "2026-07-09"), "2026-07-05"},
		{"later again", time.Hour, dynastay.MustStay("2026-07-07", "2026-07-09"), "2026-07-05"},
		{"back", time.Hour, dynastay.MustStay("2026-07-05", "2026-07-08"), ""},
		{"earlier", time.Hour, dynastay.MustStay("2026-07-04", "2026-07-08"), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.bookUnder(t, free, innStay, rooms{"a": 1}, 0)
			for n, stay := range []dynastay.Stay{dynastay.MustStay("2026-07-06", "2026-07-08"), test.stay} {
				i.Clock.Set(deadline.Add(time.Hour + time.Duration(n)*test.wait))
				m, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(free, stay, rooms{"a": 1}))
				require.NoError(t, err)
				got, err := i.repo.Modify(t.Context(), m)
				require.NoError(t, err)
				b = got.Booking
			}
			want := dynastay.Date{}
			if test.from != "" {
				want = dynastay.MustDate(test.from)
			}
			assert.Equal(t, want, b.PolicyCheckIn)
		})
	}
}

// Without prices each night of each room counts the same, so that fees alone are kept in proportion; nights at different
// prices count as much as they cost.
func TestGivenUpInProportion(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	shorter := dynastay.MustStay("2026-07-05", "2026-07-06")
	for _, test := range []struct {
		name  string
		price string // of the first night; the others are free
		fees  string
		stay  dynastay.Stay
		rooms int
		kept  string // of 2 rooms for 3 nights
	}{
		{"nothing", "0", "60", innStay, 2, ""},
		{"a room", "0", "60", innStay, 1, "30"},
		{"two nights", "0", "60", shorter, 2, "40"},
		{"a room and two nights", "0", "60", shorter, 1, "50"},
		{"a room, without fees", "0", "0", innStay, 1, ""},
		{"two free nights", "100", "60", shorter, 2, ""},
		{"two free nights and a room", "100", "60", shorter, 1, "130"},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			for date := range innStay.Dates() {
				i.set(t, "a", date, "PricePerNight", usd("0"))
			}
			i.set(t, "a", innStay.CheckIn, "PricePerNight", usd(test.price))
			q, err := availability.New(i.DB.DB).Quote(t.Context(), i.agreed(availability.NonRefundable, innStay, rooms{"a": 2}))
			require.NoError(t, err)
			b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest, TaxesAndFees: usd(test.fees)})
			require.NoError(t, err)
			m, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(availability.NonRefundable, test.stay, rooms{"a": test.rooms}))
			require.NoError(t, err)
			want := dynastay.Money{}
			if test.kept != "" {
				want = usd(test.kept)
			}
			assert.Equal(t, want, m.Kept)
		})
	}
}

// A modification that gives everything up keeps what a cancellation would keep, with taxes and discounts, to the cent.
func TestGivingUpEverythingIsACancellation(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	for _, percent := range []int{0, 33, 50, 67} {
		i := inns.next(t)
		policy := availability.PartialRefund(percent, 24)
		q, err := availability.New(i.DB.DB).Quote(t.Context(), i.agreed(policy, innStay, rooms{"a": 1, "b": 2}))
		require.NoError(t, err)
		b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest, TaxesAndFees: usd("10.01")})
		require.NoError(t, err)
		b, err = i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
		require.NoError(t, err)
		want, err := b.Settle(dynastay.Money{}, i.Clock.Now(), nil)
		require.NoError(t, err)
		req := i.agreed(policy, dynastay.MustStay("2026-07-12", "2026-07-13"), rooms{"a": 1, "b": 2})
		m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
		require.NoError(t, err)
		assert.Equal(t, want.Kept, m.Kept)
		m.TaxesAndFees = usd("2.50")
		got, err := i.repo.Modify(t.Context(), m)
		require.NoError(t, err)
		assert.Equal(t, bookings.Breakdown{Rooms: usd("401"), TaxesAndFees: usd("2.50"), Discounts: usd("0"), Kept: want.Kept}, got.Booking.Breakdown)
		sum, err := usd("403.50").Add(want.Kept)
		require.NoError(t, err)
		assert.Equal(t, sum, got.Booking.Total)
	}
}

// Nothing is kept that the guest has not been told.
func TestKeptIsWhatTheGuestWasTold(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	shorter := dynastay.MustStay("2026-07-05", "2026-07-07")
	deadline := innStay.CheckIn.Time().Add(15*time.Hour - 48*time.Hour)
	for _, test := range []struct {
		name  string
		quote time.Time
		told  func(dynastay.Money) dynastay.Money
	}{
		{"the deadline has passed", deadline, func(m dynastay.Money) dynastay.Money { return m }},
		{"nothing", deadline.Add(time.Hour), func(dynastay.Money) dynastay.Money { return dynastay.Money{} }},
		{"a cent less", deadline.Add(time.Hour), func(dynastay.Money) dynastay.Money { return usd("99.99") }},
		{"a cent more", deadline.Add(time.Hour), func(dynastay.Money) dynastay.Money { return usd("100.01") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.bookUnder(t, availability.FreeCancellation(48), innStay, rooms{"a": 1}, 0)
			i.Clock.Set(test.quote)
			m, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(availability.FreeCancellation(48), shorter, rooms{"a": 1}))
			require.NoError(t, err)
			m.Kept = test.told(m.Kept)
			i.Clock.Set(deadline.Add(time.Hour))
			_, err = i.repo.Modify(t.Context(), m)
			invalid := blame.Invalid(t, err, "Kept")
			assert.Contains(t, invalid.Reason, "100.00 USD")
			stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, b, stored)
		})
	}
	i := inns.next(t)
	b := i.bookUnder(t, availability.FreeCancellation(48), innStay, rooms{"a": 1}, 0)
	m, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(availability.FreeCancellation(48), shorter, rooms{"a": 1}))
	require.NoError(t, err)
	m.Kept = usd("5")
	_, err = i.repo.Modify(t.Context(), m)
	require.EqualError(t, err, "invalid Kept: must be 0: nothing is kept")
	m.Kept = usd("0")
	_, err = i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
}

// A hold gives up nothing: it has not been confirmed.
func TestAHoldGivesUpNothing(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.bookUnder(t, availability.NonRefundable, innStay, rooms{"a": 2}, time.Hour)
	m, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(availability.NonRefundable, innStay, rooms{"a": 1}))
	require.NoError(t, err)
	assert.Equal(t, dynastay.Money{}, m.Kept)
	got, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, usd("300"), got.Booking.Total)
}

// The terms of a platform's own policy must be known when something is given up under it, or be waived.
func TestGivenUpUnderAnUnknownPolicy(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	policy := availability.CustomPolicy("house")
	b := i.bookUnder(t, policy, innStay, rooms{"a": 2}, 0)
	var unknown *bookings.PolicyError
	_, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(policy, innStay, rooms{"a": 1}))
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, policy, unknown.Policy)
	_, err = i.repo.QuoteModification(t.Context(), b.ID, i.agreed(policy, innStay, rooms{"a": 2, "b": 1}))
	require.NoError(t, err, "nothing is given up")
	knows := bookings.New(i.DB.DB, &bookings.Options{Terms: func(p availability.CancellationPolicy) (availability.Terms, bool) {
		return availability.Terms{Percent: 90}, p == policy
	}})
	m, err := knows.QuoteModification(t.Context(), b.ID, i.agreed(policy, innStay, rooms{"a": 1}))
	require.NoError(t, err)
	assert.Equal(t, usd("30"), m.Kept)
	_, err = i.repo.Modify(t.Context(), m)
	require.ErrorAs(t, err, &unknown)
	m.Waive = true
	got, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, usd("300"), got.Booking.Total)
}

// A platform that knows terms for a line without a policy keeps by them.
func TestGivenUpWithoutAPolicy(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	repo := bookings.New(i.DB.DB, &bookings.Options{Terms: func(p availability.CancellationPolicy) (availability.Terms, bool) {
		return availability.Terms{Percent: 90}, p == ""
	}})
	b := i.bookUnder(t, "", innStay, rooms{"a": 2}, 0)
	m, err := repo.QuoteModification(t.Context(), b.ID, i.agreed("", innStay, rooms{"a": 1}))
	require.NoError(t, err)
	assert.Equal(t, usd("30"), m.Kept)
}

// Terms that are out of range are none: the hours of a line do not count from an earlier check-in because of them.
func TestGivenUpUnderTermsOutOfRange(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	repo := bookings.New(i.DB.DB, &bookings.Options{Terms: func(availability.CancellationPolicy) (availability.Terms, bool) {
		return availability.Terms{Percent: 150, Hours: 48}, true
	}})
	req := i.agreed(availability.NonRefundable, innStay, rooms{"a": 1, "b": 1})
	req.Rooms[1].CancellationPolicy = ""
	q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	b, err := repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	i.Clock.Set(innStay.CheckIn.Time().Add(-24 * time.Hour))
	req.Stay.CheckIn = innStay.CheckIn.AddDays(1)
	m, err := repo.QuoteModification(t.Context(), b.ID, req)
	require.NoError(t, err)
	got, err := repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, usd("100"), got.Booking.Breakdown.Kept)
	assert.Equal(t, dynastay.Date{}, got.Booking.PolicyCheckIn)
}

// What other software has stored must not make more of what is given up, nor an error of what is free.
func TestGivenUpOfOtherSoftware(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	shorter := dynastay.MustStay("2026-07-05", "2026-07-07")
	t.Run("a price of a night that is not in the stay", func(t *testing.T) {
		i := inns.next(t)
		b := i.bookUnder(t, availability.NonRefundable, innStay, rooms{"a": 1}, 0)
		setBooking(t, i.DB, keyOf(b.ID), "CheckOutDate", dynastay.Text(shorter.CheckOut.String()))
		m, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(availability.NonRefundable, shorter, rooms{"a": 1}))
		require.NoError(t, err)
		assert.Equal(t, dynastay.Money{}, m.Kept)
	})
	t.Run("a line without rooms", func(t *testing.T) {
		i := inns.next(t)
		b := i.bookUnder(t, availability.NonRefundable, innStay, rooms{"a": 1, "b": 1}, 0)
		setBooking(t, i.DB, dynastay.Key{PK: "BOOKING#" + b.ID, SK: "ROOM#" + i.roomType("b")}, "Quantity", dynastay.Number(0))
		m, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(availability.NonRefundable, innStay, rooms{"a": 1}))
		require.NoError(t, err)
		assert.Equal(t, dynastay.Money{}, m.Kept)
	})
	t.Run("no total", func(t *testing.T) {
		i := inns.next(t)
		b := i.bookUnder(t, availability.FreeCancellation(24), innStay, rooms{"a": 1}, 0)
		removeAttributes(t, i.DB, keyOf(b.ID), "Currency", "TotalAmount", "PriceBreakdown")
		m, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(availability.FreeCancellation(24), shorter, rooms{"a": 1}))
		require.NoError(t, err)
		assert.Equal(t, dynastay.Money{}, m.Kept)
	})
}

// From a total that cannot be one, nothing is kept.
func TestGivenUpOfUnreadableTotals(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for name, test := range map[string]struct{ total, kept string }{
		"no total": {"", "0"}, "negative": {"-1", "0"}, "all of it kept, and more": {"300", "300.01"}, "less than nothing kept": {"300", "-1"},
		"digits": {"999999999999999999", "0.1"},
	} {
		b := i.bookUnder(t, availability.NonRefundable, innStay, rooms{"a": 1}, 0)
		setBooking(t, i.DB, keyOf(b.ID), "PriceBreakdown", &types.AttributeValueMemberM{Value: dynastay.Item{
			"RoomTotal": dynastay.Number(300), "Kept": &types.AttributeValueMemberN{Value: test.kept},
		}})
		if test.total == "" {
			removeAttributes(t, i.DB, keyOf(b.ID), "TotalAmount")
		} else {
			setBooking(t, i.DB, keyOf(b.ID), "TotalAmount", &types.AttributeValueMemberN{Value: test.total})
		}
		shorter := dynastay.MustStay("2026-07-05", "2026-07-06")
		_, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(availability.NonRefundable, shorter, rooms{"a": 1}))
		assert.ErrorIs(t, err, dynastay.ErrCorrupt, name)
		_, err = i.repo.Cancel(t.Context(), b.ID, "", nil)
		require.NoError(t, err)
	}
}

// A retry with an idempotency key must keep, and waive, the same.
func TestKeptIsPartOfTheInput(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.bookUnder(t, availability.NonRefundable, innStay, rooms{"a": 2}, 0)
	m, err := i.repo.QuoteModification(t.Context(), b.ID, i.agreed(availability.NonRefundable, innStay, rooms{"a": 1}))
	require.NoError(t, err)
	first, err := i.repo.Modify(t.Context(), m, dynastay.IdempotencyKey("modify"))
	require.NoError(t, err)
	again, err := i.repo.Modify(t.Context(), m, dynastay.IdempotencyKey("modify"))
	require.NoError(t, err)
	assert.Equal(t, first.Booking, again.Booking)
	for _, change := range []func(*bookings.Modification){
		func(m *bookings.Modification) { m.Waive = true }, func(m *bookings.Modification) { m.Kept = usd("1") },
	} {
		other := m
		change(&other)
		_, err = i.repo.Modify(t.Context(), other, dynastay.IdempotencyKey("modify"))
		require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}
}
