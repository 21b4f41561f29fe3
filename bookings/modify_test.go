package bookings_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
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

			c, err := i.repo.Cancel(t.Context(), before.ID, "", nil)
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
	for name, list := range map[string]dynastay.List[*bookings.Summary]{
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
		invalid := blame.Invalid(t, err, field)
		assert.Equal(t, "must be at least 2, one for each room", invalid.Reason)
	}
	setBooking(t, i.DB, keyOf(b.ID), "NumberOfAdults", dynastay.Number(1))
	stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	changed, err := i.repo.Modify(t.Context(), bookings.Modification{BookingID: b.ID, Version: b.Version, Guest: &stored.Guest, SpecialRequests: aws.String("late")})
	require.NoError(t, err)
	assert.Equal(t, 1, changed.Booking.Guests.Adults)
}

// A night that cannot take back its rooms does not keep the booking from being modified; it is reported.
func TestModifyReportsMissingNights(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	for _, test := range []struct {
		name  string
		spoil func(t *testing.T, i *inn, date dynastay.Date)
	}{
		{"no item", func(t *testing.T, i *inn, date dynastay.Date) { remove(t, i.DB, nightKey(i.roomType("a"), date)) }},
		{"no number", func(t *testing.T, i *inn, date dynastay.Date) { i.set(t, "a", date, "AvailableRooms", "many") }},
		{"a different property", func(t *testing.T, i *inn, date dynastay.Date) { i.set(t, "a", date, "PropertyId", "prop_other") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.book(t, innStay, rooms{"a": 2})
			m := i.quote(t, b.ID, dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.LastNight()}, rooms{"a": 1})
			test.spoil(t, i, innStay.LastNight())
			test.spoil(t, i, innStay.CheckIn.AddDays(1)) // of which one room is kept
			got, err := i.repo.Modify(t.Context(), m)
			require.NoError(t, err)
			assert.Equal(t, []bookings.MissingNight{
				{RoomTypeID: i.roomType("a"), Date: innStay.CheckIn.AddDays(1)}, {RoomTypeID: i.roomType("a"), Date: innStay.LastNight()},
			}, got.Missing)
			var refused *bookings.Refused
			_, err = i.repo.QuoteModification(t.Context(), b.ID, i.request(got.Booking.Stay, rooms{"a": 2}))
			if test.name != "no number" {
				require.True(t, errors.As(err, &refused), "%v", err)
				assert.Equal(t, availability.NotOnSale, refused.Nights[0].Reason)
			}
		})
	}
}

// A room that is added must meet each rule, also if the host makes it after the quote.
func TestRulesOfAnAddedRoom(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	for _, rule := range []struct {
		date   dynastay.Date
		set    string
		value  any
		reason availability.Reason
	}{
		{innStay.CheckIn, "ClosedToArrival", true, availability.ClosedToArrival},
		{innStay.CheckIn, "MinStay", 4, availability.MinStay},
		{innStay.CheckIn, "MaxStay", 2, availability.MaxStay},
		{innStay.LastNight(), "ClosedToDeparture", true, availability.ClosedToDeparture},
	} {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		m := i.quote(t, b.ID, innStay, rooms{"a": 2})
		i.set(t, "a", rule.date, rule.set, rule.value)
		_, err := i.repo.Modify(t.Context(), m)
		assert.Equal(t, []availability.RefusedNight{{RoomTypeID: i.roomType("a"), Date: rule.date, Reason: rule.reason}}, refusedNights(t, err))
	}
}

// A guest who gives rooms back keeps the price of the others.
func TestFewerRoomsKeepTheirPrice(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	longer, later := dynastay.MustStay("2026-07-05", "2026-07-09"), dynastay.MustStay("2026-07-07", "2026-07-10")
	for _, test := range []struct {
		name  string
		steps []dynastay.Stay
		rooms []int
		total string // of the rooms after the last step
	}{
		{"one of two", []dynastay.Stay{innStay}, []int{1}, "300"},
		{"two of three kept", []dynastay.Stay{innStay}, []int{2}, "600"},
		{"the same", []dynastay.Stay{innStay}, []int{3}, "900"},
		{"one room more", []dynastay.Stay{innStay}, []int{4}, "3000"},
		{"fewer and longer", []dynastay.Stay{longer}, []int{1}, "550"},
		{"fewer and other dates", []dynastay.Stay{later}, []int{2}, "1200"},
		{"fewer, then fewer", []dynastay.Stay{innStay, innStay}, []int{2, 1}, "300"},
		{"fewer, then more", []dynastay.Stay{innStay, innStay}, []int{1, 2}, "1500"},
		{"fewer, then longer", []dynastay.Stay{innStay, longer}, []int{2, 2}, "1100"},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.book(t, innStay, rooms{"a": 3})
			for date := range innNights.Dates() {
				i.set(t, "a", date, "PricePerNight", dynastay.MustMoney("250", "USD"))
			}
			for step, stay := range test.steps {
				m := i.quote(t, b.ID, stay, rooms{"a": test.rooms[step]})
				got, err := i.repo.Modify(t.Context(), m)
				require.NoError(t, err)
				b = got.Booking
				assert.Equal(t, takenBy(stay, rooms{"a": test.rooms[step]}), i.taken(t))
			}
			assert.Equal(t, dynastay.MustMoney(test.total, "USD").String(), b.Breakdown.Rooms.String())
			stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, b, stored)
		})
	}
}

// The details of the guest and the special requests are corrected alone, or together with the stay.
func TestModifyTheGuest(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	ada := bookings.Guest{FirstName: "Ada", LastName: "Byron", Email: "ada@example.com", Phone: "+442079460958"}
	longer := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckOut.AddDays(1)}
	for _, test := range []struct {
		name            string
		stay            dynastay.Stay
		guest, requests bool
	}{
		{"guest", innStay, true, false},
		{"requests", innStay, false, true},
		{"both", innStay, true, true},
		{"and the stay", longer, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.book(t, innStay, rooms{"a": 1})
			m := bookings.Modification{BookingID: b.ID, Version: b.Version}
			if test.stay != innStay {
				m = i.quote(t, b.ID, test.stay, rooms{"a": 1})
			}
			want, given, requests := b.Summary, ada, "A late check-in"
			if test.guest {
				m.Guest, want.Guest = &given, ada
			}
			if test.requests {
				m.SpecialRequests = &requests
			}
			key := dynastay.IdempotencyKey("guest-" + b.ID)
			op := i.repo.ModifyOp(m)
			given.FirstName, requests = "", "" // too late to change the operation
			require.NoError(t, i.Write(t.Context(), op, key))
			given, requests = ada, "A late check-in"

			got := op.Result().Booking
			assert.Equal(t, want.Guest, got.Guest)
			assert.Equal(t, test.requests, got.SpecialRequests == "A late check-in")
			assert.Equal(t, b.Version+1, got.Version)
			assert.Equal(t, takenBy(test.stay, rooms{"a": 1}), i.taken(t))
			stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, stored, got)
			page, err := i.repo.ByProperty(bookings.PropertyQuery{PropertyID: i.id}).Page(t.Context(), dynastay.Paging{})
			require.NoError(t, err)
			require.Len(t, page.Items, 1)
			assert.Equal(t, got.Summary, *page.Items[0])

			again, err := i.repo.Modify(t.Context(), m, key)
			require.NoError(t, err)
			assert.Equal(t, got, again.Booking)
			_, err = i.repo.Modify(t.Context(), m)
			require.ErrorIs(t, err, dynastay.ErrVersion, "it was modified since")
			other, someone := "Something else", bookings.Guest{FirstName: "Bo", LastName: "Li", Email: "bo@example.com"}
			for _, change := range []func(*bookings.Modification){
				func(m *bookings.Modification) { m.SpecialRequests = &other },
				func(m *bookings.Modification) { m.Guest = &someone },
			} {
				changed := m
				change(&changed)
				_, err = i.repo.Modify(t.Context(), changed, key)
				require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
			}
		})
	}
}

// However the responses are lost, a modification with a key is made once, and the retry gets its result.
func TestModifyOnce(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	longer := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckOut.AddDays(1)}
	for _, fault := range []dyntest.Fault{dyntest.LoseAnswer(), dyntest.LoseRequest(), dyntest.Throttle(), dyntest.Conflict()} {
		i.open(t)
		b := i.book(t, innStay, rooms{"a": 1})
		m := i.quote(t, b.ID, longer, rooms{"a": 1})
		i.Faults.Inject(fault, dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		key := dynastay.IdempotencyKey("modify-" + b.ID)
		first, err := i.repo.Modify(t.Context(), m, key)
		require.NoError(t, err)
		again, err := i.repo.Modify(t.Context(), m, key)
		require.NoError(t, err)
		assert.Equal(t, first, again)
		fresh := i.quote(t, b.ID, longer, rooms{"a": 1}) // by the client that has lost the first response
		again, err = i.repo.Modify(t.Context(), fresh, key)
		require.NoError(t, err)
		assert.Equal(t, first, again)
		assert.Equal(t, takenBy(longer, rooms{"a": 1}), i.taken(t))
		twin := i.quote(t, i.book(t, innStay, rooms{"a": 1}).ID, longer, rooms{"a": 1})
		_, err = i.repo.Modify(t.Context(), twin, key)
		require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, "the same modification of another booking")
		other := i.quote(t, b.ID, longer, rooms{"a": 2})
		for _, change := range []func(*bookings.Modification){
			func(m *bookings.Modification) {},
			func(m *bookings.Modification) { m.Quote = fresh.Quote; m.TaxesAndFees = dynastay.MustMoney("1", "USD") },
		} {
			changed := other
			change(&changed)
			_, err = i.repo.Modify(t.Context(), changed, key)
			require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
		}
	}
}

// The taxes and fees of the booking are those of its modification, unless the application sets others.
func TestModificationKeepsTheFees(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, innStay, rooms{"a": 1})
	m := i.quote(t, b.ID, innStay, rooms{"a": 2})
	m.TaxesAndFees = dynastay.MustMoney("12.50", "USD")
	_, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	m = i.quote(t, b.ID, innStay, rooms{"a": 1})
	assert.Equal(t, "12.50 USD", m.TaxesAndFees.String())
	got, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, "312.50 USD", got.Booking.Total.String())
}

// The quote survives JSON, in which an application keeps it between the offer and the agreement.
func TestModificationIsJSON(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, innStay, rooms{"a": 1})
	m := i.quote(t, b.ID, innStay, rooms{"a": 2, "b": 1})
	text, err := json.Marshal(m)
	require.NoError(t, err)
	var again bookings.Modification
	require.NoError(t, json.Unmarshal(text, &again))
	assert.Equal(t, m, again)
	_, err = i.repo.Modify(t.Context(), again)
	require.NoError(t, err)
}
