package bookings_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
)

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
			var invalid *dynastay.InvalidError
			require.ErrorAs(t, err, &invalid)
			assert.Equal(t, test.field, invalid.Field)
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
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "Property.ID", invalid.Field)
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
	var refused *bookings.Refused
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, []availability.RefusedNight{{
		RoomTypeID: i.roomType("a"), Date: innStay.CheckIn.AddDays(1), Reason: availability.PriceChanged, Price: innPrices["a"],
	}}, refused.Nights)
}

// A modification that does not fit into one transaction is refused before it is sent, with the number of actions.
func TestModificationTooLarge(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	for _, test := range []struct {
		nights  int // of a booking that is moved to dates that it does not overlap
		actions int // 0 if it fits
	}{
		{49, 0}, {50, 102},
	} {
		t.Run(fmt.Sprint(test.nights), func(t *testing.T) {
			i := inns.next(t)
			for date := range dynastay.MustStay("2026-07-01", "2026-12-01").Dates() {
				put(t, i.DB, "Availability", i.night("a", date))
			}
			from := dynastay.MustDate("2026-07-01")
			b := i.book(t, dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(test.nights)}, rooms{"a": 1})
			later := from.AddDays(test.nights)
			m := i.quote(t, b.ID, dynastay.Stay{CheckIn: later, CheckOut: later.AddDays(test.nights)}, rooms{"a": 1})
			sent := i.Faults.Count("TransactWriteItems")
			_, err := i.repo.Modify(t.Context(), m)
			if test.actions == 0 {
				require.NoError(t, err)
				return
			}
			var large *dynastay.TooLargeError
			require.ErrorAs(t, err, &large)
			require.ErrorIs(t, err, dynastay.ErrInvalid)
			assert.Equal(t, test.actions, large.Actions)
			assert.Equal(t, sent, i.Faults.Count("TransactWriteItems"))
		})
	}
}

// A stay of other software that is too long to be returned is refused with the number as well, however long it is.
func TestModifyOfAnEndlessStay(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	for _, test := range []struct{ nights, actions int }{
		{189, 186 + 3 + 2},  // all nights are counted
		{190, 190 - 90 + 1}, // those that a stay of 90 nights cannot keep
		{2_000_000, 2_000_000 - 90 + 1},
	} {
		b := i.book(t, innStay, rooms{"a": 1})
		m := i.quote(t, b.ID, innStay, rooms{"a": 2})
		setBooking(t, i.DB, keyOf(b.ID), "CheckOutDate", dynastay.Text(innStay.CheckIn.AddDays(test.nights).String()))
		_, err := i.repo.Modify(t.Context(), m)
		var large *dynastay.TooLargeError
		require.ErrorAs(t, err, &large)
		assert.Equal(t, test.actions, large.Actions)
		i.open(t)
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

// Only what is added can be overbooked, within the limit; what was overbooked before stays marked.
func TestModifyOverbooks(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.set(t, "a", innStay.CheckIn, "AvailableRooms", 0)
	req := i.request(innStay, rooms{"a": 1})
	req.Overbook = 1
	q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Date{innStay.CheckIn}, b.Lines[0].Overbooked)

	longer := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckOut.AddDays(1)}
	i.set(t, "a", innStay.CheckOut, "AvailableRooms", 0)
	_, err = i.repo.QuoteModification(t.Context(), b.ID, i.request(longer, rooms{"a": 1}))
	var refused *bookings.Refused
	require.ErrorAs(t, err, &refused)
	assert.True(t, refused.Has(availability.SoldOut))
	req.Stay = longer
	m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
	require.NoError(t, err)
	want := []dynastay.Date{innStay.CheckIn, innStay.CheckOut}
	assert.Equal(t, want, m.Quote.Lines[0].Overbooked)
	got, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, want, got.Booking.Lines[0].Overbooked)
	stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, got.Booking, stored)
	assert.Equal(t, innRooms+1, i.taken(t)["a "+innStay.CheckIn.String()])

	i.set(t, "a", innStay.CheckOut.AddDays(1), "AvailableRooms", -1)
	req.Stay.CheckOut = req.Stay.CheckOut.AddDays(1)
	_, err = i.repo.QuoteModification(t.Context(), b.ID, req)
	require.ErrorAs(t, err, &refused, "the limit is for the night")

	m, err = i.repo.QuoteModification(t.Context(), b.ID, i.request(dynastay.Stay{CheckIn: innStay.CheckIn.AddDays(1), CheckOut: innStay.CheckOut.AddDays(1)}, rooms{"a": 1}))
	require.NoError(t, err)
	got, err = i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Date{innStay.CheckOut}, got.Booking.Lines[0].Overbooked, "the dropped night is not listed any more")
}

// The document's booking, which other software wrote: it has one price for all nights, no version and no write id, and
// keeps the attributes that the library does not know.
func TestModifyOfTheDocumentsBooking(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.Clock.Set(time.Date(2024, 11, 10, 9, 20, 0, 0, time.UTC))
	for _, name := range []string{"booking.json", "line.json"} {
		item := testdata(t, name)
		item["Loyalty"] = dynastay.Text("gold")
		put(t, i.DB, "Bookings", item)
	}
	old, err := i.repo.Get(t.Context(), "bkg_12345", dynastay.Consistent)
	require.NoError(t, err)
	require.Empty(t, old.Lines[0].Nights)
	i.id = "prop_123"
	night := i.night("a", old.Stay.CheckOut)
	night["RoomTypeId"], night["PK"] = dynastay.Text("room_789"), dynastay.Text("ROOM#room_789")
	put(t, i.DB, "Availability", night)
	longer := dynastay.Stay{CheckIn: old.Stay.CheckIn, CheckOut: old.Stay.CheckOut.AddDays(1)}
	req := i.request(longer, rooms{"a": 1})
	req.Rooms[0].RoomTypeID = "room_789"
	m, err := i.repo.QuoteModification(t.Context(), old.ID, req)
	require.NoError(t, err)
	for n, night := range m.Quote.Lines[0].Nights {
		want := old.Lines[0].PricePerNight
		if n == 3 {
			want = innPrices["a"]
		}
		assert.Equal(t, want, night.Price)
	}
	got, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, longer, got.Booking.Stay)
	assert.Equal(t, 1, got.Booking.Version)
	for _, sk := range []string{"METADATA", "ROOM#room_789"} {
		row, err := i.Direct.Get(t.Context(), bookingsTable, dynastay.Key{PK: "BOOKING#bkg_12345", SK: sk}, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, "gold", row.Text("Loyalty"), sk)
	}
	left, err := i.Direct.Get(t.Context(), availabilityTable, nightKey("room_789", old.Stay.CheckOut), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, innRooms-1, left.Int("AvailableRooms"))
}

// A line of other software without rooms is modified and cancelled like one that does not exist.
func TestLinesWithoutRooms(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	for _, quantity := range []int{0, -2} {
		for _, test := range []struct {
			name string
			call func(i *inn, id string) (*bookings.Booking, error)
			want map[string]int
		}{
			{"dropped", func(i *inn, id string) (*bookings.Booking, error) {
				m := i.quote(t, id, innStay, rooms{"a": 1})
				got, err := i.repo.Modify(t.Context(), m)
				return got.Booking, err
			}, takenBy(innStay, rooms{"a": 1})},
			{"filled", func(i *inn, id string) (*bookings.Booking, error) {
				m := i.quote(t, id, innStay, rooms{"a": 1, "b": 1})
				got, err := i.repo.Modify(t.Context(), m)
				return got.Booking, err
			}, takenBy(innStay, rooms{"a": 1, "b": 1})},
			{"cancelled", func(i *inn, id string) (*bookings.Booking, error) {
				c, err := i.repo.Cancel(t.Context(), id, "")
				assert.Empty(t, c.Missing)
				return c.Booking, err
			}, map[string]int{}},
		} {
			t.Run(fmt.Sprint(test.name, quantity), func(t *testing.T) {
				i := inns.next(t)
				b := i.book(t, innStay, rooms{"a": 1})
				put(t, i.DB, "Bookings", dynastay.Item{
					"PK": dynastay.Text("BOOKING#" + b.ID), "SK": dynastay.Text("ROOM#" + i.roomType("b")), "EntityType": dynastay.Text("BookingRoom"),
					"BookingId": dynastay.Text(b.ID), "RoomTypeId": dynastay.Text(i.roomType("b")), "Quantity": dynastay.Number(quantity),
				})
				_, err := test.call(i, b.ID)
				require.NoError(t, err)
				assert.Equal(t, test.want, i.taken(t))
			})
		}
	}
}

// What other software has stored is modified as far as it can be understood.
func TestModifyWhatOtherSoftwareStored(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	longer := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckOut.AddDays(1)}
	line := func(i *inn, b *bookings.Booking) dynastay.Key {
		return dynastay.Key{PK: "BOOKING#" + b.ID, SK: "ROOM#" + i.roomType("a")}
	}
	t.Run("no prices", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		removeAttributes(t, i.DB, line(i, b), "NightlyPrices", "PricePerNight", "Subtotal")
		i.set(t, "a", innStay.CheckIn, "PricePerNight", dynastay.MustMoney("70", "USD"))
		got, err := i.repo.Modify(t.Context(), i.quote(t, b.ID, innStay, rooms{"a": 1}))
		require.NoError(t, err)
		assert.Equal(t, "270.00 USD", got.Booking.Breakdown.Rooms.String(), "the current prices")
	})
	t.Run("no currency", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		removeAttributes(t, i.DB, keyOf(b.ID), "Currency", "TotalAmount", "PriceBreakdown")
		got, err := i.repo.Modify(t.Context(), i.quote(t, b.ID, longer, rooms{"a": 1}))
		require.NoError(t, err)
		assert.Equal(t, "400.00 USD", got.Booking.Total.String())
	})
	t.Run("shortened", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		i.set(t, "a", innStay.LastNight(), "PricePerNight", dynastay.MustMoney("70", "USD"))
		setBooking(t, i.DB, keyOf(b.ID), "CheckOutDate", dynastay.Text(innStay.LastNight().String())) // but the line has its price still
		got, err := i.repo.Modify(t.Context(), i.quote(t, b.ID, innStay, rooms{"a": 1}))
		require.NoError(t, err)
		assert.Equal(t, "270.00 USD", got.Booking.Total.String(), "the night is taken at its current price")
	})
	t.Run("prolonged", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		setBooking(t, i.DB, keyOf(b.ID), "CheckOutDate", dynastay.Text(longer.CheckOut.String()))
		got, err := i.repo.Modify(t.Context(), i.quote(t, b.ID, longer, rooms{"a": 1}))
		require.NoError(t, err)
		assert.Equal(t, "400.00 USD", got.Booking.Total.String())
	})
	t.Run("two lines of one room type", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		put(t, i.DB, "Bookings", dynastay.Item{
			"PK": dynastay.Text("BOOKING#" + b.ID), "SK": dynastay.Text("ROOM#second"), "EntityType": dynastay.Text("BookingRoom"),
			"RoomTypeId": dynastay.Text(i.roomType("a")), "Quantity": dynastay.Number(1),
		})
		_, err := i.repo.QuoteModification(t.Context(), b.ID, i.request(longer, rooms{"a": 1}))
		require.ErrorIs(t, err, dynastay.ErrCorrupt)
	})
	t.Run("the room type has another currency now", func(t *testing.T) {
		i := inns.next(t)
		b := i.book(t, innStay, rooms{"a": 1})
		for date := range innStay.Dates() {
			i.set(t, "a", date, "Currency", "EUR")
		}
		_, err := i.repo.QuoteModification(t.Context(), b.ID, i.request(innStay, rooms{"a": 2}))
		var invalid *dynastay.InvalidError
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, "Rooms", invalid.Field)
	})
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

// A discount that other software has granted stays, and the total cannot become negative.
func TestModificationKeepsTheDiscounts(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, innStay, rooms{"a": 1})
	setBooking(t, i.DB, keyOf(b.ID), "PriceBreakdown", &types.AttributeValueMemberM{Value: dynastay.Item{
		"RoomTotal": dynastay.Number(300), "TaxesAndFees": dynastay.Number(0), "Discounts": dynastay.Number(150),
	}})
	shorter := func(nights int) error {
		m := i.quote(t, b.ID, dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckIn.AddDays(nights)}, rooms{"a": 1})
		return second(i.repo.Modify(t.Context(), m))
	}
	require.NoError(t, shorter(2))
	stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "50.00 USD", stored.Total.String())
	err = shorter(1)
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "Quote.Total", invalid.Field)
	assert.Equal(t, takenBy(stored.Stay, rooms{"a": 1}), i.taken(t))
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
