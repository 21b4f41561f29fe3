package bookings_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// If a night changes between the quote and the modification, the database refuses it, and the refusal has the night and the
// reason. The nights that the booking keeps are left alone, whatever happens to them, except for the rules of the first and
// the last one.
func TestModifyCondition(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	first, kept, last, added := innStay.CheckIn, innStay.CheckIn.AddDays(1), innStay.LastNight(), innStay.CheckOut
	longer := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: added.AddDays(1)}
	shorter := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: last}
	later := dynastay.Stay{CheckIn: kept, CheckOut: added}
	dearer := dynastay.MustMoney("101", "USD")
	for _, test := range []struct {
		name   string
		stay   dynastay.Stay
		rooms  rooms
		date   dynastay.Date
		set    string
		value  any
		reason availability.Reason // "" if the booking is modified
	}{
		{"sold out", longer, rooms{"a": 2}, added, "AvailableRooms", 1, availability.SoldOut},
		{"just enough", longer, rooms{"a": 2}, added, "AvailableRooms", 2, ""},
		{"different property", longer, rooms{"a": 2}, added, "PropertyId", "prop_other", availability.NotOnSale},
		{"stop-sell", longer, rooms{"a": 2}, added, "IsBlocked", true, availability.StopSell},
		{"property closed", longer, rooms{"a": 2}, added, "PropertyClosed", true, availability.PropertyClosed},
		{"price changed", longer, rooms{"a": 2}, added, "PricePerNight", dearer, availability.PriceChanged},
		{"currency changed", longer, rooms{"a": 2}, added, "Currency", "EUR", availability.PriceChanged},
		{"closed to departure", longer, rooms{"a": 2}, added, "ClosedToDeparture", true, availability.ClosedToDeparture},
		{"kept arrival, closed to arrival", longer, rooms{"a": 2}, first, "ClosedToArrival", true, ""},
		{"maximum stay", longer, rooms{"a": 2}, first, "MaxStay", 3, availability.MaxStay},
		{"maximum stay met", longer, rooms{"a": 2}, first, "MaxStay", 4, ""},
		{"minimum stay", shorter, rooms{"a": 2}, first, "MinStay", 3, availability.MinStay},
		{"minimum stay met", shorter, rooms{"a": 2}, first, "MinStay", 2, ""},
		{"closed to departure on the new last night", shorter, rooms{"a": 2}, kept, "ClosedToDeparture", true, availability.ClosedToDeparture},
		{"closed to departure on the old last night", longer, rooms{"a": 2}, last, "ClosedToDeparture", true, ""},
		{"kept, sold out", longer, rooms{"a": 2}, kept, "AvailableRooms", 0, ""},
		{"kept, stop-sell", longer, rooms{"a": 2}, kept, "IsBlocked", true, ""},
		{"kept, property closed", longer, rooms{"a": 2}, first, "PropertyClosed", true, ""},
		{"kept, price changed", longer, rooms{"a": 2}, kept, "PricePerNight", dearer, ""},
		{"a room more, sold out", innStay, rooms{"a": 3}, kept, "AvailableRooms", 0, availability.SoldOut},
		{"a room more, just enough", innStay, rooms{"a": 3}, kept, "AvailableRooms", 1, ""},
		{"a room more, stop-sell", innStay, rooms{"a": 3}, kept, "IsBlocked", true, availability.StopSell},
		{"a room more, closed to arrival", innStay, rooms{"a": 3}, first, "ClosedToArrival", true, availability.ClosedToArrival},
		{"a room more, price changed", innStay, rooms{"a": 3}, last, "PricePerNight", dearer, availability.PriceChanged},
		{"a room less, sold out", innStay, rooms{"a": 1}, kept, "AvailableRooms", 0, ""},
		{"a room less, stop-sell", innStay, rooms{"a": 1}, kept, "IsBlocked", true, ""},
		{"a room less, closed to arrival", innStay, rooms{"a": 1}, first, "ClosedToArrival", true, ""},
		{"a room less, price changed", innStay, rooms{"a": 1}, kept, "PricePerNight", dearer, ""},
		{"a room less and later, closed to arrival", later, rooms{"a": 1}, kept, "ClosedToArrival", true, availability.ClosedToArrival},
		{"later, closed to arrival", later, rooms{"a": 2}, kept, "ClosedToArrival", true, availability.ClosedToArrival},
		{"a room less and shorter, minimum stay", shorter, rooms{"a": 1}, first, "MinStay", 3, availability.MinStay},
		{"a room less and shorter, closed to departure", shorter, rooms{"a": 1}, kept, "ClosedToDeparture", true, availability.ClosedToDeparture},
		{"dropped, stop-sell", shorter, rooms{"a": 2}, last, "IsBlocked", true, ""},
		{"dropped, price changed", shorter, rooms{"a": 2}, last, "PricePerNight", dearer, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			before := i.book(t, innStay, rooms{"a": 2})
			m := i.quote(t, before.ID, test.stay, test.rooms)
			i.set(t, "a", test.date, test.set, test.value)
			taken := i.taken(t)
			stop := i.Faults.Record()
			got, err := i.repo.Modify(t.Context(), m)
			sent := stop()
			if test.reason == "" {
				require.NoError(t, err)
				assert.Len(t, sent, 2)
				assert.Equal(t, test.stay, got.Booking.Stay)
				return
			}
			refused := blame.As[*bookings.Refused](t, err)
			require.Len(t, refused.Nights, 1, "%v", refused)
			assert.Equal(t, test.reason, refused.Nights[0].Reason)
			assert.Equal(t, test.date, refused.Nights[0].Date)
			assert.Equal(t, i.roomType("a"), refused.Nights[0].RoomTypeID)
			assert.Len(t, sent, 4, "the booking, the transaction, the nights of the room type, and the booking again")
			stored, err := i.repo.Get(t.Context(), before.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, before, stored)
			assert.Equal(t, taken, i.taken(t))
		})
	}
}

// What does not depend on the booking is refused before any request.
func TestInvalidModification(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, innStay, rooms{"a": 1})
	m := i.quote(t, b.ID, innStay, rooms{"a": 2})
	require.True(t, m.TaxesAndFees.IsSet())
	quote := func(change func(*availability.Quote)) *availability.Quote {
		q := m.Quote.Clone()
		change(q)
		return q
	}
	for _, test := range []struct {
		field  string
		before bool // any request
		change func(*bookings.Modification)
	}{
		{"BookingID", true, func(m *bookings.Modification) { m.BookingID = "" }},
		{"BookingID", true, func(m *bookings.Modification) { m.BookingID = "a#b" }},
		{"Quote", true, func(m *bookings.Modification) { m.Quote, m.TaxesAndFees = nil, dynastay.Money{} }},
		{"TaxesAndFees", true, func(m *bookings.Modification) { m.Quote, m.Guest = nil, &bookings.Guest{} }},
		{"Kept", true, func(m *bookings.Modification) {
			m.Quote, m.TaxesAndFees, m.Guest, m.Kept = nil, dynastay.Money{}, &guest, dynastay.MustMoney("0", "USD")
		}},
		{"Waive", true, func(m *bookings.Modification) {
			m.Quote, m.TaxesAndFees, m.Guest, m.Waive = nil, dynastay.Money{}, &guest, true
		}},
		{"Kept", false, func(m *bookings.Modification) { m.Kept = dynastay.MustMoney("1", "USD") }},
		{"Guest.FirstName", true, func(m *bookings.Modification) { m.Guest = &bookings.Guest{} }},
		{"SpecialRequests", true, func(m *bookings.Modification) {
			long := strings.Repeat("x", entity.MaxNote+1)
			m.SpecialRequests = &long
		}},
		{"Quote.Total", true, func(m *bookings.Modification) {
			m.Quote = quote(func(q *availability.Quote) { q.Total = dynastay.MustMoney("1", "USD") })
		}},
		{"TaxesAndFees", true, func(m *bookings.Modification) { m.TaxesAndFees = dynastay.MustMoney("1", "EUR") }},
		{"TaxesAndFees", true, func(m *bookings.Modification) { m.TaxesAndFees = dynastay.MustMoney("-1", "USD") }},
		{"Quote.Property.ID", false, func(m *bookings.Modification) {
			m.Quote = quote(func(q *availability.Quote) { q.Property.ID = "prop_other" })
		}},
		{"Quote.Total", false, func(m *bookings.Modification) {
			m.TaxesAndFees = dynastay.Money{}
			m.Quote = quote(func(q *availability.Quote) {
				euros := dynastay.MustMoney("100", "EUR")
				for n := range q.Lines[0].Nights {
					q.Lines[0].Nights[n].Price = euros
				}
				q.Total, _ = euros.Times(6)
				q.Lines[0].Subtotal = q.Total
			})
		}},
	} {
		t.Run(test.field, func(t *testing.T) {
			bad := m
			test.change(&bad)
			stop := i.Faults.Record()
			_, err := i.repo.Modify(t.Context(), bad)
			blame.Invalid(t, err, test.field)
			sent := stop()
			assert.Equal(t, test.before, len(sent) == 0)
			assert.LessOrEqual(t, len(sent), 1)
		})
	}
	_, err := i.repo.Modify(t.Context(), bookings.Modification{BookingID: "bkg_none", Quote: m.Quote})
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = i.repo.QuoteModification(t.Context(), "bkg_none", i.request(innStay, rooms{"a": 1}))
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	_, err = i.repo.QuoteModification(t.Context(), "", i.request(innStay, rooms{"a": 1}))
	require.ErrorIs(t, err, dynastay.ErrInvalid)
	other := i.request(innStay, rooms{"a": 1})
	other.Property.ID = "prop_other"
	_, err = i.repo.QuoteModification(t.Context(), b.ID, other)
	blame.Invalid(t, err, "Property.ID")
}

// The quote of another stay that is kept at its price, or of a price that the booking never had, is refused.
func TestKeptNightsKeepTheirPrice(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, innStay, rooms{"a": 1})
	m := i.quote(t, b.ID, innStay, rooms{"a": 1})
	cheap := dynastay.MustMoney("1", "USD")
	m.Quote.Lines[0].Nights[1].Price = cheap
	m.Quote.Total = dynastay.MustMoney("201", "USD")
	m.Quote.Lines[0].Subtotal = m.Quote.Total
	_, err := i.repo.Modify(t.Context(), m)
	refused := blame.As[*bookings.Refused](t, err)
	assert.Equal(t, []availability.RefusedNight{{
		RoomTypeID: i.roomType("a"), Date: innStay.CheckIn.AddDays(1), Reason: availability.PriceChanged, Price: innPrices["a"],
	}}, refused.Nights)
}

// refusedNights returns the nights of a refusal, without what it says about them.
func refusedNights(t *testing.T, err error) (all []availability.RefusedNight) {
	t.Helper()
	refused := blame.As[*bookings.Refused](t, err)
	for _, n := range refused.Nights {
		all = append(all, availability.RefusedNight{RoomTypeID: n.RoomTypeID, Date: n.Date, Reason: n.Reason})
	}
	return all
}

// A refusal has the reasons of the nights that prevent the modification, and no others; only the room types that change are
// read for it.
func TestWhatARefusalOfAModificationSees(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	second, third := innStay.CheckIn.AddDays(1), innStay.LastNight()
	dearer := dynastay.MustMoney("120", "USD")
	t.Run("another room type", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1, "b": 1})
		m := i.quote(t, b.ID, innStay, rooms{"a": 2, "b": 1})
		i.set(t, "a", second, "AvailableRooms", 0)
		stop := i.Faults.Record()
		_, err := i.repo.Modify(t.Context(), m)
		assert.Equal(t, []availability.RefusedNight{{RoomTypeID: i.roomType("a"), Date: second, Reason: availability.SoldOut}}, refusedNights(t, err))
		assert.Len(t, stop(), 4, "the booking, the transaction, the nights of one room type, and the booking again")
	})
	t.Run("a night that is gone, and another one", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 2})
		// Other software has stored the line without prices, so the night of which it keeps a room has none.
		removeAttributes(t, i.DB, dynastay.Key{PK: "BOOKING#" + b.ID, SK: "ROOM#" + i.roomType("a")}, "NightlyPrices", "PricePerNight")
		remove(t, i.DB, nightKey(i.roomType("a"), second))
		remove(t, i.DB, nightKey(i.roomType("b"), second))
		i.set(t, "b", third, "IsBlocked", true)
		_, err := i.repo.QuoteModification(t.Context(), b.ID, i.request(innStay, rooms{"a": 1, "b": 1}))
		assert.Equal(t, []availability.RefusedNight{
			{RoomTypeID: i.roomType("a"), Date: second, Reason: availability.NotOnSale},
			{RoomTypeID: i.roomType("b"), Date: second, Reason: availability.NotOnSale},
			{RoomTypeID: i.roomType("b"), Date: third, Reason: availability.StopSell},
		}, refusedNights(t, err))
	})
	t.Run("a night that takes nothing back", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 2})
		m := i.quote(t, b.ID, dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: third}, rooms{"a": 1})
		i.set(t, "a", second, "AvailableRooms", "many")
		i.set(t, "a", second, "ClosedToDeparture", true)
		i.set(t, "a", innStay.CheckIn, "MinStay", 3)
		_, err := i.repo.Modify(t.Context(), m)
		assert.Equal(t, []availability.RefusedNight{{RoomTypeID: i.roomType("a"), Date: innStay.CheckIn, Reason: availability.MinStay}}, refusedNights(t, err))
	})
	t.Run("the night of a different property", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		m := i.quote(t, b.ID, innStay, rooms{"a": 2})
		i.set(t, "a", second, "PropertyId", "prop_other")
		i.set(t, "a", second, "PricePerNight", dearer)
		_, err := i.repo.Modify(t.Context(), m)
		assert.Equal(t, []availability.RefusedNight{{RoomTypeID: i.roomType("a"), Date: second, Reason: availability.NotOnSale}}, refusedNights(t, err))
	})
}

// The rules of the first night bind an arrival that moves, and a stay that gets shorter or longer before the guests are
// there; the rule of the last night binds a departure that moves. Whatever the host has ruled since, what the booking has
// already stays possible.
func TestRulesOfAModification(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	const in, short, long, out = "ClosedToArrival", "MinStay", "MaxStay", "ClosedToDeparture"
	upcoming, today := innNoon, innStay.CheckIn.Time().Add(12*time.Hour)
	reasons := map[string]availability.Reason{
		in: availability.ClosedToArrival, short: availability.MinStay, long: availability.MaxStay, out: availability.ClosedToDeparture,
	}
	for _, test := range []struct {
		name    string
		at      time.Time
		arrived bool
		stay    dynastay.Stay
		rooms   int
		binds   []string // of the four rules, all of which are set so that any stay breaks them
	}{
		{"nothing", upcoming, false, innStay, 2, nil},
		{"longer", upcoming, false, dynastay.MustStay("2026-07-05", "2026-07-09"), 2, []string{long, out}},
		{"shorter", upcoming, false, dynastay.MustStay("2026-07-05", "2026-07-07"), 2, []string{short, out}},
		{"earlier arrival", upcoming, false, dynastay.MustStay("2026-07-04", "2026-07-08"), 2, []string{in, short, long}},
		{"later arrival", upcoming, false, dynastay.MustStay("2026-07-06", "2026-07-08"), 2, []string{in, short, long}},
		{"other dates", upcoming, false, dynastay.MustStay("2026-07-06", "2026-07-09"), 2, []string{in, short, long, out}},
		{"a room more", upcoming, false, innStay, 3, []string{in, short, long, out}},
		{"a room less", upcoming, false, innStay, 1, nil},
		{"a room less and longer", upcoming, false, dynastay.MustStay("2026-07-05", "2026-07-09"), 1, []string{long, out}},
		{"a room less and shorter", upcoming, false, dynastay.MustStay("2026-07-05", "2026-07-07"), 1, []string{short, out}},
		{"a room less and later", upcoming, false, dynastay.MustStay("2026-07-06", "2026-07-08"), 1, []string{in, short, long}},
		{"longer, on the day of arrival", today, false, dynastay.MustStay("2026-07-05", "2026-07-09"), 2, []string{long, out}},
		{"shorter, on the day of arrival", today, false, dynastay.MustStay("2026-07-05", "2026-07-07"), 2, []string{short, out}},
		{"later, on the day of arrival", today, false, dynastay.MustStay("2026-07-06", "2026-07-08"), 2, []string{in, short, long}},
		{"longer, a day after arrival", today.Add(24 * time.Hour), false, dynastay.MustStay("2026-07-05", "2026-07-09"), 2, []string{out}},
		{"shorter, a day after arrival", today.Add(24 * time.Hour), false, dynastay.MustStay("2026-07-05", "2026-07-07"), 2, []string{out}},
		{"longer, checked in", today, true, dynastay.MustStay("2026-07-05", "2026-07-09"), 2, []string{out}},
		{"shorter, checked in", today, true, dynastay.MustStay("2026-07-05", "2026-07-06"), 2, []string{out}},
		{"nothing, checked in", today, true, innStay, 2, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, ruled := range []bool{true, false} { // before the quote, or after it
				i := inns.next(t)
				b := i.book(t, innStay, rooms{"a": 2})
				i.Clock.Set(test.at)
				if test.arrived {
					_, err := i.repo.CheckIn(t.Context(), b.ID, nil)
					require.NoError(t, err)
				}
				m := i.quote(t, b.ID, test.stay, rooms{"a": test.rooms})
				i.set(t, "a", test.stay.CheckIn, in, true)
				i.set(t, "a", test.stay.CheckIn, short, 9)
				i.set(t, "a", test.stay.CheckIn, long, 1)
				i.set(t, "a", test.stay.LastNight(), out, true)
				var err error
				if ruled {
					_, err = i.repo.QuoteModification(t.Context(), b.ID, i.request(test.stay, rooms{"a": test.rooms}))
				} else {
					_, err = i.repo.Modify(t.Context(), m)
				}
				if test.binds == nil {
					require.NoError(t, err)
					continue
				}
				var want, got []availability.Reason
				for _, rule := range test.binds {
					want = append(want, reasons[rule])
				}
				refused := blame.As[*availability.Refused](t, err)
				for _, n := range refused.Nights {
					got = append(got, n.Reason)
				}
				assert.ElementsMatch(t, want, got)
				assert.Equal(t, takenBy(innStay, rooms{"a": 2}), i.taken(t))
			}
		})
	}
}

// Each rule alone is a condition of the database, which refuses the modification or lets it pass at the limit.
func TestRulesAtTheirLimit(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	longer, shorter := dynastay.MustStay("2026-07-05", "2026-07-09"), dynastay.MustStay("2026-07-05", "2026-07-07")
	for _, test := range []struct {
		name   string
		stay   dynastay.Stay
		set    string
		value  int
		reason availability.Reason // "" if the booking is modified
	}{
		{"longer, above the maximum", longer, "MaxStay", 3, availability.MaxStay},
		{"longer, above a maximum of one night", longer, "MaxStay", 1, availability.MaxStay},
		{"longer, at the maximum", longer, "MaxStay", 4, ""},
		{"longer, a maximum of 0", longer, "MaxStay", 0, ""},
		{"longer, a maximum below 0", longer, "MaxStay", -1, ""},
		{"longer, still below a new minimum", longer, "MinStay", 5, ""},
		{"shorter, below the minimum", shorter, "MinStay", 3, availability.MinStay},
		{"shorter, at the minimum", shorter, "MinStay", 2, ""},
		{"shorter, still above a new maximum", shorter, "MaxStay", 1, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.book(t, innStay, rooms{"a": 1})
			m := i.quote(t, b.ID, test.stay, rooms{"a": 1})
			i.set(t, "a", innStay.CheckIn, test.set, test.value)
			_, err := i.repo.Modify(t.Context(), m)
			if test.reason == "" {
				require.NoError(t, err)
				return
			}
			refused := blame.As[*availability.Refused](t, err)
			require.Len(t, refused.Nights, 1)
			assert.Equal(t, test.reason, refused.Nights[0].Reason)
		})
	}
}
