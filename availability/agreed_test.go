package availability_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/racing"
)

// agreedAt requests rooms at agreed prices for the nights of the stay.
func agreedAt(quantity int, prices ...string) availability.Room {
	r := room(roomTypeID, quantity)
	for _, price := range prices {
		r.Agreed = append(r.Agreed, money(price+".00 USD"))
	}
	return r
}

// restricted is what may refuse any guest.
var restricted = dynastay.Item{
	"IsBlocked": yes, "ClosedToArrival": yes, "ClosedToDeparture": yes, "MinStay": dynastay.Number(9), "MaxStay": dynastay.Number(1),
	"PricePerNight": number("999"),
}

// Rooms at agreed prices are sold whatever the nights cost and whatever they are closed to; rooms at the price of the nights
// beside them are not.
func TestAgreedPrices(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	for d := range stay.Dates() {
		putNights(t, db, night(roomTypeID, d.String(), restricted))
	}
	rooms := []availability.Room{agreedAt(1, "140", "150", "160"), agreedAt(2, "90", "90", "0"), agreedAt(1, "90", "90", "0")}
	q := quoted(t, repo, rooms...)
	assert.Equal(t, []string{"#0 3×: 90 90 0", "#0 1×: 140 150 160"}, lineTexts(q.Lines))
	assert.True(t, q.Lines[0].Agreed && q.Planned())
	assert.Equal(t, money("990.00 USD"), q.Total)
	require.NoError(t, q.Validate())
	stop := db.Faults.Record()
	sold, err := sellAt(t.Context(), db.DB, q)
	require.NoError(t, err)
	assert.Equal(t, "update 07-10, update 07-11, update 07-12", actionTexts(t, stop()))
	assert.Equal(t, q.Lines, sold.Lines)
	assert.Equal(t, []int{1, 1, 1}, available(t, db))

	_, err = repo.Quote(t.Context(), requestUnder(stay, agreedAt(1, "1", "1", "1"), room(roomTypeID, 1)))
	assert.Equal(t, []string{
		"2026-07-10 stop_sell", "2026-07-10 sold_out 1", "2026-07-10 closed_to_arrival", "2026-07-10 min_stay 9", "2026-07-10 max_stay 1",
		"2026-07-11 stop_sell", "2026-07-11 sold_out 1",
		"2026-07-12 stop_sell", "2026-07-12 sold_out 1", "2026-07-12 closed_to_departure",
	}, refusedTexts(t, err))
}

// What is left counts, and so do the property and its closing: in the quote, and once more in the sale.
func TestWhatAgreedPricesDoNotBuy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		night dynastay.Item
		want  string
	}{
		"sold out":         {dynastay.Item{"AvailableRooms": dynastay.Number(1)}, "2026-07-11 sold_out 1"},
		"closed":           {dynastay.Item{"PropertyClosed": yes}, "2026-07-11 property_closed"},
		"another property": {dynastay.Item{"PropertyId": dynastay.Text("prop_other")}, "2026-07-11 not_on_sale"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, repo := openForPlans(t)
			q := quoted(t, repo, agreedAt(2, "140", "150", "160"))
			putNights(t, db, night(roomTypeID, "2026-07-11", restricted, test.night)) // but that is not why
			_, err := sellAt(t.Context(), db.DB, q)
			assert.Equal(t, []string{test.want}, refusedTexts(t, err))
			_, err = repo.Quote(t.Context(), requestUnder(stay, agreedAt(2, "140", "150", "160")))
			assert.Equal(t, []string{test.want}, refusedTexts(t, err))
		})
	}
	db, repo := openForPlans(t)
	q := quoted(t, repo, agreedAt(2, "140", "150", "160"))
	putNights(t, db, night(roomTypeID, "2026-07-11", dynastay.Item{"AvailableRooms": dynastay.Number(1)}))
	q.Overbook = 1
	sold, err := sellAt(t.Context(), db.DB, q)
	require.NoError(t, err)
	assert.Equal(t, dates("2026-07-11"), sold.Lines[0].Overbooked)
	assert.Equal(t, []int{3, -1, 3}, available(t, db))
}

// A line at agreed prices goes on as such: at the prices of the request, whatever the nights have. What is added takes rooms;
// a line that gets other terms is sold anew.
func TestAgreedPricesOfABooking(t *testing.T) {
	t.Parallel()
	longer := dynastay.MustStay("2026-07-10", "2026-07-14")
	for _, test := range []struct {
		name           string
		has            []availability.Room
		night          dynastay.Item // each night, once it is booked
		stay           dynastay.Stay
		rooms          []availability.Room
		lines, refused []string
		actions        string
	}{
		{
			"as it is", []availability.Room{agreedAt(2, "140", "150", "160")}, restricted, stay, []availability.Room{agreedAt(2, "140", "150", "160")},
			[]string{"#1 2×: 140 150 160"}, nil, "",
		},
		{
			"other prices", []availability.Room{agreedAt(2, "140", "150", "160")}, restricted, stay, []availability.Room{agreedAt(2, "100", "100", "300")},
			[]string{"#1 2×: 100 100 300"}, nil, "",
		},
		{
			"another stay", []availability.Room{agreedAt(2, "140", "150", "160")}, restricted, longer, []availability.Room{agreedAt(2, "140", "150", "160", "170")},
			[]string{"#1 2×: 140 150 160 170"}, nil, "update 07-13",
		},
		{
			"fewer rooms", []availability.Room{agreedAt(2, "140", "150", "160")}, restricted, stay, []availability.Room{agreedAt(1, "140", "150", "160")},
			[]string{"#1 1×: 140 150 160"}, nil, "update 07-10, update 07-11, update 07-12",
		},
		{
			"more rooms", []availability.Room{agreedAt(2, "140", "150", "160")}, restricted, stay, []availability.Room{agreedAt(3, "140", "150", "160")},
			[]string{"#1 2×: 140 150 160", "#0 1×: 140 150 160"}, nil, "update 07-10, update 07-11, update 07-12",
		},
		{
			"each goes on with its own prices", []availability.Room{agreedAt(1, "140", "150", "160"), agreedAt(1, "90", "90", "90")}, restricted, stay,
			[]availability.Room{agreedAt(1, "140", "150", "160"), agreedAt(1, "200", "90", "90")},
			[]string{"#2 1×: 140 150 160", "#1 1×: 200 90 90"}, nil, "",
		},
		{
			"the price of the nights instead", []availability.Room{agreedAt(2, "140", "150", "160")}, nil, stay, []availability.Room{room(roomTypeID, 2)},
			[]string{"#1 2×: 280 280 280"}, nil, "check 07-10, check 07-11, check 07-12",
		},
		{
			"the price of closed nights instead", []availability.Room{agreedAt(2, "140", "150", "160")}, dynastay.Item{"IsBlocked": yes}, stay,
			[]availability.Room{room(roomTypeID, 2)}, nil, []string{"2026-07-10 stop_sell", "2026-07-11 stop_sell", "2026-07-12 stop_sell"}, "",
		},
		{
			"agreed prices instead", []availability.Room{roomsUnder("flex", 2, adults(1))}, restricted, stay, []availability.Room{agreedAt(2, "140", "150", "160")},
			[]string{"#1 2×: 140 150 160"}, nil, "check 07-10, check 07-11, check 07-12",
		},
		{
			"agreed prices and the price of the nights instead", []availability.Room{roomsUnder("flex", 1, adults(1))}, nil, stay,
			[]availability.Room{room(roomTypeID, 1), agreedAt(1, "140", "150", "160")},
			[]string{"#1 1×: 280 280 280", "#0 1×: 140 150 160"}, nil, "update 07-10, update 07-11, update 07-12",
		},
		{
			"agreed prices instead, of fewer rooms of a closed property", []availability.Room{roomsUnder("flex", 2, adults(1))},
			dynastay.Item{"PropertyClosed": yes}, stay, []availability.Room{agreedAt(1, "140", "150", "160")}, nil,
			[]string{"2026-07-10 property_closed", "2026-07-11 property_closed", "2026-07-12 property_closed"}, "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, repo := openForPlans(t)
			putNights(t, db, night(roomTypeID, "2026-07-13"))
			has := booking(t, db, repo, stay, test.has...)
			for d := range longer.Dates() {
				setNight(t, db, d.String(), test.night)
			}
			q, err := repo.Requote(t.Context(), requestUnder(test.stay, test.rooms...), has)
			if test.refused != nil {
				assert.Equal(t, test.refused, refusedTexts(t, err))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.lines, lineTexts(q.Lines))
			require.NoError(t, q.Validate())
			require.NoError(t, availability.New(db.DB).SaleFor(q, has).Current(db.Clock.Now()))
			stop := db.Faults.Record()
			_, err = resell(t.Context(), db.DB, q, has)
			require.NoError(t, err)
			assert.Equal(t, test.actions, actionTexts(t, stop()))
		})
	}
}

// A night that a line gets at an agreed price, for no more rooms than the booking has, is not done without: if it is gone, or
// the property is closed by then, the change is refused.
func TestReturnsAtAgreedPrices(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rooms int
		night dynastay.Item
		want  string
	}{
		"closed":                  {1, dynastay.Item{"PropertyClosed": yes}, "2026-07-11 property_closed"},
		"without a number":        {1, dynastay.Item{"AvailableRooms": nil}, "2026-07-11 not_on_sale"},
		"another property":        {1, dynastay.Item{"PropertyId": dynastay.Text("prop_other")}, "2026-07-11 not_on_sale"},
		"as many, of another one": {2, dynastay.Item{"PropertyId": dynastay.Text("prop_other")}, "2026-07-11 not_on_sale"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, repo := openForPlans(t)
			has := booking(t, db, repo, stay, roomsUnder("flex", 2, adults(1)))
			q, err := repo.Requote(t.Context(), requestUnder(stay, agreedAt(test.rooms, "140", "150", "160")), has)
			require.NoError(t, err)
			putNights(t, db, night(roomTypeID, "2026-07-11", test.night))
			_, err = resell(t.Context(), db.DB, q, has)
			assert.Equal(t, []string{test.want}, refusedTexts(t, err))
		})
	}
}

func TestAgreedPricesRefused(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	stop := db.Faults.Record()
	for field, edit := range map[string]func(*availability.QuoteRequest){
		"Rooms[0].Agreed":             func(r *availability.QuoteRequest) { r.Rooms[0].Agreed = r.Rooms[0].Agreed[1:] },
		"Rooms[0].Agreed[1]":          func(r *availability.QuoteRequest) { r.Rooms[0].Agreed[1] = money("-1.00 USD") },
		"Rooms[0].Agreed[2].Currency": func(r *availability.QuoteRequest) { r.Rooms[0].Agreed[2] = money("1.00 EUR") },
		"Rooms[1].Agreed": func(r *availability.QuoteRequest) {
			r.Rooms = append(r.Rooms, r.Rooms[0])
			r.Rooms[1].RatePlanID = "flex"
		},
	} {
		req := requestUnder(stay, agreedAt(1, "140", "150", "160"))
		edit(&req)
		_, err := repo.Quote(t.Context(), req)
		blame.Invalid(t, err, field)
	}
	huge := requestUnder(stay, agreedAt(1000, "99999999999999999", "150", "160"))
	huge.Guests.Adults = 1000
	_, err := repo.Quote(t.Context(), huge)
	blame.Invalid(t, err, "Rooms[0].Agreed")
	assert.ErrorContains(t, err, "must not add up to more than an amount can be, for all rooms")
	assert.Empty(t, stop())

	for d := range stay.Dates() {
		putNights(t, db, night(roomTypeID, d.String()))
	}
	euros := agreedAt(1, "1", "1", "1")
	for i := range euros.Agreed {
		euros.Agreed[i] = money("1.00 EUR")
	}
	_, err = repo.Quote(t.Context(), requestUnder(stay, room(roomTypeID, 1), euros))
	assert.Equal(t, []string{"2026-07-10 other_currency 1", "2026-07-11 other_currency 1", "2026-07-12 other_currency 1"}, refusedTexts(t, err))
	// An entry without an id is no plan.
	req := requestUnder(stay, agreedAt(1, "140", "150", "160"))
	req.RatePlans = append(req.RatePlans, availability.RatePlan{PropertyID: propertyID, Active: true})
	q, err := repo.Quote(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, money("450.00 USD"), q.Total)
	q = quoted(t, repo, roomsUnder("", 1, adults(1)))
	q.Lines[0].Agreed = true
	require.NoError(t, q.Validate())
	q.Lines[0].Plan = &plansOnSale()[0]
	blame.Invalid(t, q.Validate(), "Lines[0].Agreed")
}

// Many channels sell at their prices at once, and guests at the price of the nights: no room is sold twice.
func TestRaceAtAgreedPrices(t *testing.T) {
	t.Parallel()
	db, repo := openForPlans(t)
	channel, guest := quoted(t, repo, agreedAt(1, "140", "150", "160")), quoted(t, repo, room(roomTypeID, 1))
	var sold atomic.Int32
	racing.Together(24, func(i int) {
		_, err := sellAt(context.Background(), db.Open(nil), []*availability.Quote{channel, guest}[i%2])
		for errors.Is(err, dynastay.ErrContention) {
			_, err = sellAt(context.Background(), db.Open(nil), channel)
		}
		if err == nil {
			sold.Add(1)
			return
		}
		assert.ErrorIs(t, err, dynastay.ErrRefused)
	})
	assert.EqualValues(t, 5, sold.Load())
	assert.Equal(t, []int{0, 0, 0}, available(t, db))
}
