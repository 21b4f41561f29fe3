package availability_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

var stay = dynastay.MustStay("2026-07-10", "2026-07-13")

func TestQuote(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putNights(t, db,
		night("room_b", "2026-07-10", dynastay.Item{"PricePerNight": number("0.1")}),
		night("room_b", "2026-07-11", dynastay.Item{"PricePerNight": number("0.2")}),
		night("room_b", "2026-07-12", dynastay.Item{"PricePerNight": number("999.99")}), // the check-out date
		night("room_a", "2026-07-10", dynastay.Item{"PricePerNight": number("33.33")}),
		night("room_a", "2026-07-11"),
	)
	two := dynastay.MustStay("2026-07-10", "2026-07-12")
	a, b := room("room_a", 1), room("room_b", 3)
	a.Name, a.CancellationPolicy = "Queen", availability.NonRefundable
	req := request(two, b, a)
	req.Guests = availability.Guests{Adults: 5, Children: 1}

	got, err := repo.Quote(t.Context(), req)
	require.NoError(t, err)
	lineA, lineB := lineOf(a), lineOf(b)
	lineA.Subtotal, lineA.Nights = money("313.33 USD"), []availability.NightPrice{
		{Date: date("2026-07-10"), Price: money("33.33 USD")}, {Date: date("2026-07-11"), Price: money("280.00 USD")},
	}
	lineB.Subtotal, lineB.Nights = money("0.90 USD"), []availability.NightPrice{
		{Date: date("2026-07-10"), Price: money("0.10 USD")}, {Date: date("2026-07-11"), Price: money("0.20 USD")},
	}
	want := &availability.Quote{
		Property: req.Property, Stay: two, Guests: req.Guests, At: fixture.Now,
		Lines:  []availability.Line{lineA, lineB},
		Sleeps: availability.Limits{MaxAdults: 8, MaxChildren: 4, MaxOccupancy: 8},
		Total:  money("314.23 USD"),
	}
	assert.Equal(t, want, got)
	assert.NoError(t, got.Validate())

	// The order of the rooms does not matter, and rooms of one type are merged.
	req.Rooms = []availability.Room{withQuantity(b, 1), a, withQuantity(b, 2)}
	again, err := repo.Quote(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, want, again)
	assert.Equal(t, []availability.Room{withQuantity(b, 1), a, withQuantity(b, 2)}, req.Rooms, "the request is not changed")
}

func withQuantity(r availability.Room, n int) availability.Room {
	r.Quantity = n
	return r
}

// Rooms of one type are added up before they are compared with the rooms left.
func TestQuoteMergesBeforeItCounts(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	one := dynastay.MustStay("2026-07-10", "2026-07-11")
	putNights(t, db, night(roomTypeID, "2026-07-10"), night("room_790", "2026-07-10", dynastay.Item{"AvailableRooms": dynastay.Number(0)}))
	stop := db.Faults.Record()
	_, err := repo.Quote(t.Context(), request(one, room("room_790", 1), room(roomTypeID, 3), room(roomTypeID, 3)))
	other := soldOut("2026-07-10", 0)
	other.RoomTypeID = "room_790"
	assert.Equal(t, &availability.Refused{Nights: []availability.RefusedNight{soldOut("2026-07-10", 5), other}}, err)
	assert.Len(t, stop(), 2, "one request for each room type")
}

// Each room type is one line, so it cannot have two policies or two sets of limits.
func TestQuoteRefusesTwoVersionsOfARoomType(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*availability.Room){
		"name":          func(r *availability.Room) { r.Name = "Queen" },
		"policy":        func(r *availability.Room) { r.CancellationPolicy = availability.NonRefundable },
		"adults":        func(r *availability.Room) { r.MaxAdults = 9 },
		"children":      func(r *availability.Room) { r.MaxChildren = 9 },
		"max occupancy": func(r *availability.Room) { r.MaxOccupancy = 9 },
	} {
		other := room(roomTypeID, 1)
		edit(&other)
		req := request(stay, room(roomTypeID, 1), room("room_790", 1), other)
		blame.Invalid(t, req.Validate(fixture.Now), "Rooms[2]", name)
	}
}

// Sums are exact in every currency: as floats, 0.1 and 0.2 do not add up to 0.3, and the yen has no minor unit.
func TestQuoteAddsExactly(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		currency dynastay.Currency
		prices   [3]string
		quantity int
		subtotal string
	}{
		{"USD", [3]string{"0.1", "0.2", "0.3"}, 1, "0.60 USD"},
		{"USD", [3]string{"1.1", "2.2", "3.3"}, 3, "19.80 USD"},
		{"USD", [3]string{"0", "0", "0"}, 2, "0.00 USD"},
		{"JPY", [3]string{"12345", "1", "99999"}, 2, "224690 JPY"},
		{"KWD", [3]string{"0.001", "0.002", "85.125"}, 3, "255.384 KWD"},
		{"USD", [3]string{"99999999999999.99", "0.01", "0"}, 5, "500000000000000.00 USD"},
	} {
		t.Run(test.subtotal, func(t *testing.T) {
			t.Parallel()
			db, repo := open(t)
			for i, price := range test.prices {
				putNights(t, db, night(roomTypeID, stay.CheckIn.AddDays(i).String(), dynastay.Item{
					"PricePerNight": number(price), "Currency": dynastay.Text(string(test.currency)),
				}))
			}
			q, err := repo.Quote(t.Context(), request(stay, room(roomTypeID, test.quantity)))
			require.NoError(t, err)
			assert.Equal(t, test.subtotal, q.Lines[0].Subtotal.String())
			assert.Equal(t, test.subtotal, q.Total.String())
			assert.NoError(t, q.Validate())
		})
	}
}

// Stored prices without a currency, or that cannot be added up, are not the caller's mistake.
func TestQuoteOfBadPrices(t *testing.T) {
	t.Parallel()
	for name, item := range map[string]dynastay.Item{
		"no price":             {"PricePerNight": nil},
		"null price":           {"PricePerNight": null},
		"no currency":          {"Currency": nil},
		"no ISO currency":      {"Currency": dynastay.Text("usd")},
		"negative":             {"PricePerNight": number("-1")},
		"a tenth of a cent":    {"PricePerNight": number("280.001")},
		"too long to add":      {"PricePerNight": number("999999999999999999")},
		"too long to multiply": {"PricePerNight": number("99999999999999999")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, repo := open(t)
			putNights(t, db, night(roomTypeID, "2026-07-10", item),
				night(roomTypeID, "2026-07-11", dynastay.Item{"PricePerNight": number("1.01")}), night(roomTypeID, "2026-07-12"))
			_, err := repo.Quote(t.Context(), request(stay, room(roomTypeID, 2)))
			assertKind(t, err, dynastay.ErrCorrupt, "")
			assert.ErrorContains(t, err, roomTypeID)
		})
	}
}

func TestBadInputSendsNothing(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	stop := db.Faults.Record()
	check := func(property, roomType string, rooms int, stay dynastay.Stay) error {
		_, err := repo.Check(t.Context(), property, roomType, rooms, stay)
		return err
	}
	prices := func(roomType string, stay dynastay.Stay) error {
		_, err := repo.Prices(t.Context(), roomType, stay)
		return err
	}
	backwards := dynastay.Stay{CheckIn: stay.CheckOut, CheckOut: stay.CheckIn}
	empty := dynastay.Stay{CheckIn: stay.CheckIn, CheckOut: stay.CheckIn}
	for _, test := range []struct {
		name, field string
		err         error
	}{
		{"no rooms", "Rooms", check(propertyID, roomTypeID, 0, stay)},
		{"negative rooms", "Rooms", check(propertyID, roomTypeID, -1, stay)},
		{"no property", "PropertyID", check("", roomTypeID, 1, stay)},
		{"property with #", "PropertyID", check("a#b", roomTypeID, 1, stay)},
		{"no room type", "RoomTypeID", check(propertyID, "", 1, stay)},
		{"room type with #", "RoomTypeID", check(propertyID, "a#b", 1, stay)},
		{"long room type", "RoomTypeID", check(propertyID, strings.Repeat("r", 129), 1, stay)},
		{"no check-in", "Stay.CheckIn", check(propertyID, roomTypeID, 1, dynastay.Stay{CheckOut: stay.CheckOut})},
		{"no check-out", "Stay.CheckOut", check(propertyID, roomTypeID, 1, dynastay.Stay{CheckIn: stay.CheckIn})},
		{"backwards", "Stay.CheckOut", check(propertyID, roomTypeID, 1, backwards)},
		{"no nights", "Stay.CheckOut", check(propertyID, roomTypeID, 1, empty)},
		{"prices: no room type", "RoomTypeID", prices("", stay)},
		{"prices: no stay", "Stay.CheckIn", prices(roomTypeID, dynastay.Stay{})},
		{"prices: backwards", "Stay.CheckOut", prices(roomTypeID, backwards)},
	} {
		blame.Invalid(t, test.err, test.field, test.name)
	}

	for _, test := range []struct {
		name, field string
		edit        func(*availability.QuoteRequest)
	}{
		{"no property", "Property.ID", func(r *availability.QuoteRequest) { r.Property.ID = "" }},
		{"property with #", "Property.ID", func(r *availability.QuoteRequest) { r.Property.ID = "a#b" }},
		{"unknown zone", "Property.TimeZone", func(r *availability.QuoteRequest) { r.Property.TimeZone = "America/Atlantis" }},
		{"the server's zone", "Property.TimeZone", func(r *availability.QuoteRequest) { r.Property.TimeZone = "Local" }},
		{"no check-in", "Stay.CheckIn", func(r *availability.QuoteRequest) { r.Stay.CheckIn = dynastay.Date{} }},
		{"no check-out", "Stay.CheckOut", func(r *availability.QuoteRequest) { r.Stay.CheckOut = dynastay.Date{} }},
		{"backwards", "Stay.CheckOut", func(r *availability.QuoteRequest) { r.Stay = backwards }},
		{"in the past", "Stay.CheckIn", func(r *availability.QuoteRequest) { r.Stay.CheckIn = date("2026-05-31") }},
		{"too long", "Stay", func(r *availability.QuoteRequest) { r.Stay.CheckOut = r.Stay.CheckIn.AddDays(91) }},
		{"no rooms", "Rooms", func(r *availability.QuoteRequest) { r.Rooms = nil }},
		{"zero rooms", "Rooms[1].Quantity", func(r *availability.QuoteRequest) { r.Rooms[1].Quantity = 0 }},
		{"negative rooms", "Rooms[1].Quantity", func(r *availability.QuoteRequest) { r.Rooms[1].Quantity = -1 }},
		{"too many to add up", "Rooms[0].Quantity", func(r *availability.QuoteRequest) {
			r.Rooms[0].Quantity = 1 << 62
			r.Rooms = append(r.Rooms, r.Rooms[0])
		}},
		{"no room type", "Rooms[0].RoomTypeID", func(r *availability.QuoteRequest) { r.Rooms[0].RoomTypeID = "" }},
		{"room type with #", "Rooms[1].RoomTypeID", func(r *availability.QuoteRequest) { r.Rooms[1].RoomTypeID = "a#b" }},
		{"misspelled policy", "Rooms[1].CancellationPolicy", func(r *availability.QuoteRequest) { r.Rooms[1].CancellationPolicy = "free_cancellation_48" }},
		{"no adults", "Guests.Adults", func(r *availability.QuoteRequest) { r.Guests.Adults = 0 }},
		{"fewer adults than rooms", "Guests.Adults", func(r *availability.QuoteRequest) { r.Guests.Adults = 1 }},
		{"a room that holds no adult", "Rooms[0].MaxAdults", func(r *availability.QuoteRequest) { r.Rooms[0].MaxAdults = 0 }},
		{"negative children", "Guests.Children", func(r *availability.QuoteRequest) { r.Guests.Children = -1 }},
	} {
		req := request(stay, room(roomTypeID, 1), room("room_790", 1))
		test.edit(&req)
		_, err := repo.Quote(t.Context(), req)
		blame.Invalid(t, err, test.field, test.name)
		blame.Invalid(t, req.Validate(fixture.Now), test.field, test.name)
	}
	assert.Empty(t, stop(), "no request was sent")
}

// The limits of all rooms are added up, separately for adults, children and guests.
func TestOccupancy(t *testing.T) {
	t.Parallel()
	small, family := room(roomTypeID, 2), room("room_790", 1) // 2 + 1, at most 2; 2 + 3, at most 5
	family.MaxChildren, family.MaxOccupancy = 3, 5
	for _, test := range []struct {
		adults, children int
		field            string
	}{
		{6, 0, ""},
		{6, 3, ""},
		{4, 5, ""},
		{7, 0, "Guests.Adults"},
		{3, 6, "Guests.Children"},
		{6, 4, "Guests"},
		{5, 5, "Guests"},
	} {
		req := request(stay, small, family)
		req.Guests = availability.Guests{Adults: test.adults, Children: test.children}
		err := req.Validate(fixture.Now)
		if test.field == "" {
			assert.NoError(t, err, "%+v", req.Guests)
		} else {
			blame.Invalid(t, err, test.field, "")
			assert.ErrorIs(t, err, availability.ErrTooSmall)
		}
	}
	req := request(stay, small)
	req.Guests.Adults = 0
	assert.NotErrorIs(t, req.Validate(fixture.Now), availability.ErrTooSmall)
}

// Today is the date at the property. At the time of the clock it is still 31 May in New York, 1 June in London, and
// noon of 1 June in Auckland.
func TestTodayIsTheDateAtTheProperty(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 0, 30, 0, 0, time.UTC)
	db := dyntest.New(t, inventoryTables, dyntest.With(dynastay.Options{Clock: func() time.Time { return now }}))
	repo := availability.New(db.DB)
	putNights(t, db, night(roomTypeID, "2026-05-30"), night(roomTypeID, "2026-05-31"), night(roomTypeID, "2026-06-01"))
	for _, test := range []struct {
		zone  string
		today string
	}{
		{"America/New_York", "2026-05-31"}, {"", "2026-06-01"}, {"UTC", "2026-06-01"}, {"Pacific/Auckland", "2026-06-01"},
	} {
		today := date(test.today)
		req := request(dynastay.Stay{CheckIn: today, CheckOut: today.AddDays(1)}, room(roomTypeID, 1))
		req.Property.TimeZone = test.zone
		q, err := repo.Quote(t.Context(), req)
		if assert.NoError(t, err, "a stay from today, in %q", test.zone) {
			assert.Equal(t, now, q.At)
			assert.NoError(t, q.Current(now))
			blame.Invalid(t, q.Current(now.Add(24*time.Hour)), "Stay.CheckIn", "a day later")
			assert.NoError(t, q.Validate(), "regardless of the time")
		}
		req.Stay.CheckIn = today.AddDays(-1)
		_, err = repo.Quote(t.Context(), req)
		blame.Invalid(t, err, "Stay.CheckIn", test.zone)
		assert.ErrorContains(t, err, test.today)
	}
}

func TestTheLongestStay(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putRoomType(t, db, roomTypeID)
	_, err := repo.Open(t.Context(), opening("2026-07-01", "2026-10-01"))
	require.NoError(t, err)
	long := dynastay.Stay{CheckIn: date("2026-07-01"), CheckOut: date("2026-07-01").AddDays(availability.MaxNights)}
	q, err := repo.Quote(t.Context(), request(long, room(roomTypeID, 1)))
	require.NoError(t, err)
	assert.Len(t, q.Lines[0].Nights, 90)
	assert.Equal(t, "25200.00 USD", q.Total.String())
	assert.NoError(t, q.Validate())
}

func TestCloneSharesNothing(t *testing.T) {
	t.Parallel()
	q := quoteOf(t, request(stay, room(roomTypeID, 2), room("room_790", 1)), fixture.Price)
	copied := q.Clone()
	assert.Equal(t, q, copied)
	copied.Lines[0].Quantity = 9
	copied.Lines[1].Nights[0].Price = money("1 USD")
	copied.Lines = append(copied.Lines[:1], copied.Lines[0])
	assert.Equal(t, quoteOf(t, request(stay, room(roomTypeID, 2), room("room_790", 1)), fixture.Price), q)
}

func TestQuoteValidateDetectsTampering(t *testing.T) {
	t.Parallel()
	good := func() *availability.Quote {
		req := request(stay, room(roomTypeID, 2), room("room_790", 1))
		req.Guests = availability.Guests{Adults: 4, Children: 1}
		return quoteOf(t, req, money("279.95 USD"))
	}
	require.NoError(t, good().Validate())
	largest := good()
	largest.Sleeps = availability.Limits{MaxAdults: 3 * availability.MaxGuests, MaxChildren: 3 * availability.MaxGuests, MaxOccupancy: 3 * availability.MaxGuests}
	require.NoError(t, largest.Validate())
	for _, test := range []struct {
		name, field string
		edit        func(*availability.Quote)
	}{
		{"property", "Property.ID", func(q *availability.Quote) { q.Property.ID = "" }},
		{"time zone", "Property.TimeZone", func(q *availability.Quote) { q.Property.TimeZone = "Local" }},
		{"earlier", "Lines[0].Nights", func(q *availability.Quote) { q.Stay.CheckIn = q.Stay.CheckIn.AddDays(-1) }},
		{"longer", "Lines[0].Nights", func(q *availability.Quote) { q.Stay.CheckOut = q.Stay.CheckOut.AddDays(1) }},
		{"different nights", "Lines[0].Nights[0].Date", func(q *availability.Quote) {
			q.Stay = dynastay.Stay{CheckIn: q.Stay.CheckIn.AddDays(1), CheckOut: q.Stay.CheckOut.AddDays(1)}
		}},
		{"too long", "Stay", func(q *availability.Quote) { q.Stay.CheckOut = q.Stay.CheckIn.AddDays(91) }},
		{"no adults", "Guests.Adults", func(q *availability.Quote) { q.Guests.Adults = 0 }},
		{"fewer adults than rooms", "Guests.Adults", func(q *availability.Quote) { q.Guests.Adults = 2 }},
		{"more adults", "Guests.Adults", func(q *availability.Quote) { q.Guests.Adults = 7 }},
		{"more children", "Guests.Children", func(q *availability.Quote) { q.Guests.Children = 4 }},
		{"more guests", "Guests", func(q *availability.Quote) { q.Guests.Adults = 6 }},
		{"rooms for fewer adults", "Guests.Adults", func(q *availability.Quote) { q.Sleeps.MaxAdults = q.Guests.Adults - 1 }},
		{"rooms for too many guests", "Sleeps.MaxOccupancy", func(q *availability.Quote) { q.Sleeps.MaxOccupancy = 3*availability.MaxGuests + 1 }},
		{"rooms for negative adults", "Sleeps.MaxAdults", func(q *availability.Quote) { q.Sleeps.MaxAdults = -1 }},
		{"rooms for negative children", "Sleeps.MaxChildren", func(q *availability.Quote) { q.Sleeps.MaxChildren = -1 }},
		{"no lines", "Lines", func(q *availability.Quote) { q.Lines = nil }},
		{"a line removed", "Total", func(q *availability.Quote) { q.Lines, q.Guests = q.Lines[:1], availability.Guests{Adults: 1} }},
		{"a line twice", "Lines[2].RoomTypeID", func(q *availability.Quote) { q.Lines = append(q.Lines, q.Lines[0]) }},
		{"two lines of one type", "Lines[1].RoomTypeID", func(q *availability.Quote) { q.Lines[1].RoomTypeID = roomTypeID }},
		{"room type", "Lines[1].RoomTypeID", func(q *availability.Quote) { q.Lines[1].RoomTypeID = "#" }},
		{"more rooms for the same price", "Lines[0].Subtotal", func(q *availability.Quote) { q.Lines[0].Quantity = 3 }},
		{"no rooms", "Lines[0].Quantity", func(q *availability.Quote) { q.Lines[0].Quantity = 0 }},
		{"too many rooms", "Lines[0].Quantity", func(q *availability.Quote) { q.Lines[0].Quantity = availability.MaxRooms + 1 }},
		{"negative rooms", "Lines[0].Quantity", func(q *availability.Quote) { q.Lines[0].Quantity = -2 }},
		{"policy", "Lines[0].CancellationPolicy", func(q *availability.Quote) { q.Lines[0].CancellationPolicy = "free_cancellation" }},
		{"a night removed", "Lines[1].Nights", func(q *availability.Quote) { q.Lines[1].Nights = q.Lines[1].Nights[1:] }},
		{"a night twice", "Lines[0].Nights[1].Date", func(q *availability.Quote) { q.Lines[0].Nights[1] = q.Lines[0].Nights[0] }},
		{"nights swapped", "Lines[0].Nights[0].Date", func(q *availability.Quote) {
			n := q.Lines[0].Nights
			n[0], n[1] = n[1], n[0]
		}},
		{"cheaper night", "Lines[0].Subtotal", func(q *availability.Quote) { q.Lines[0].Nights[2].Price = money("1 USD") }},
		{"negative night", "Lines[0].Nights[2].Price", func(q *availability.Quote) { q.Lines[0].Nights[2].Price = money("-1 USD") }},
		{"a tenth of a cent", "Lines[0].Nights[1].Price", func(q *availability.Quote) { q.Lines[0].Nights[1].Price = money("279.951 USD") }},
		{"no price", "Lines[0].Nights[2].Price.Currency", func(q *availability.Quote) { q.Lines[0].Nights[2].Price = dynastay.Money{} }},
		{"different currency", "Lines[0].Nights[2].Price.Currency", func(q *availability.Quote) { q.Lines[0].Nights[2].Price = money("279.95 EUR") }},
		{"subtotal", "Lines[1].Subtotal", func(q *availability.Quote) { q.Lines[1].Subtotal = money("839.84 USD") }},
		{"subtotal in a different currency", "Lines[1].Subtotal", func(q *availability.Quote) { q.Lines[1].Subtotal = money("839.85 EUR") }},
		{"no subtotal", "Lines[1].Subtotal", func(q *availability.Quote) { q.Lines[1].Subtotal = dynastay.Money{} }},
		{"total", "Total", func(q *availability.Quote) { q.Total = money("2519.54 USD") }},
		{"total in a different currency", "Total", func(q *availability.Quote) { q.Total = money("2519.55 EUR") }},
		{"no total", "Total", func(q *availability.Quote) { q.Total = dynastay.Money{} }},
		{"lines in two currencies", "Lines[1].Subtotal.Currency", func(q *availability.Quote) {
			eur := quoteOf(t, request(stay, room("room_790", 1)), money("279.95 EUR"))
			q.Lines[1] = eur.Lines[0]
		}},
		{"sums too long to add", "Lines[0].Subtotal.Amount", func(q *availability.Quote) {
			for i := range q.Lines[0].Nights {
				q.Lines[0].Nights[i].Price = money("333333333333333333 USD")
			}
		}},
	} {
		q := good()
		test.edit(q)
		blame.Invalid(t, q.Validate(), test.field, test.name)
	}
}

func TestOverbookingIsValidated(t *testing.T) {
	t.Parallel()
	req := request(stay, room(roomTypeID, 1))
	for _, bad := range []int{-1, availability.MaxRooms + 1} {
		req.Overbook = bad
		blame.Invalid(t, req.Validate(stay.CheckIn.Time()), "Overbook", "request")
		q := quoteOf(t, request(stay, room(roomTypeID, 1)), money("280.00 USD"))
		q.Overbook = bad
		blame.Invalid(t, q.Validate(), "Overbook", "quote")
	}
	req.Overbook = availability.MaxRooms
	assert.NoError(t, req.Validate(stay.CheckIn.Time()))
}

// A copy of a quote shares no memory with it.
func TestCloneCopiesOverbookedNights(t *testing.T) {
	t.Parallel()
	_, _, q, err := overbooking(t, [3]int{0, 0, 0}, 1, 2)
	require.NoError(t, err)
	q.Clone().Lines[0].Overbooked[0] = date("2030-01-01")
	assert.Equal(t, date("2026-07-10"), q.Lines[0].Overbooked[0])
}

// Nights in several currencies, which only other software can have stored, are a reason why a stay cannot be sold, as any
// other. A booking has one currency, which is that of its first night.
func TestQuoteOfSeveralCurrencies(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	euro := dynastay.Item{"Currency": dynastay.Text("EUR")}
	putNights(t, db, night(roomTypeID, "2026-07-10"), night(roomTypeID, "2026-07-11", euro), night("room_790", "2026-07-10"),
		night("room_790", "2026-07-11"), night("room_791", "2026-07-10", euro), night("room_791", "2026-07-11", euro))
	two := dynastay.MustStay("2026-07-10", "2026-07-12")
	other := func(roomTypeID, date string) availability.RefusedNight {
		return availability.RefusedNight{
			RoomTypeID: roomTypeID, Date: dynastay.MustDate(date), Reason: availability.OtherCurrency, Price: dynastay.MustMoney("280", "EUR"),
		}
	}
	for _, test := range []struct {
		rooms []availability.Room
		want  []availability.RefusedNight
	}{
		{[]availability.Room{room(roomTypeID, 1)}, []availability.RefusedNight{other(roomTypeID, "2026-07-11")}},
		{[]availability.Room{room("room_791", 1), room("room_790", 1)}, []availability.RefusedNight{other("room_791", "2026-07-10"), other("room_791", "2026-07-11")}},
		{[]availability.Room{room("room_791", 1)}, nil},
	} {
		req := request(two, test.rooms...)
		_, err := repo.Quote(t.Context(), req)
		_, again := repo.Requote(t.Context(), req, availability.Booked{})
		for _, err := range []error{err, again} {
			if test.want == nil {
				require.NoError(t, err)
				continue
			}
			refused := blame.As[*availability.Refused](t, err)
			assert.NotErrorIs(t, err, dynastay.ErrCorrupt)
			assert.Equal(t, test.want, refused.Nights)
		}
	}
}
