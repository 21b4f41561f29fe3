package availability_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// What a change of a booking costs, and what it writes. When it was booked, a night cost 280, 300 under flex and 250 under
// early; now, it costs 290, 310 and 260. All is under flex for two guests unless the case says so.
func TestRequote(t *testing.T) {
	t.Parallel()
	type plans = []availability.RatePlan
	const all = "update 07-10, update 07-11, update 07-12"
	const checks = "check 07-10, check 07-11, check 07-12"
	one, two := roomsUnder("flex", 1, adults(2)), roomsUnder("flex", 2, adults(2))
	single := roomsUnder("flex", 1, adults(1))
	early := func(n int) availability.Room { return roomsUnder("early", n, adults(2)) }
	for _, test := range []struct {
		name    string
		booked  []availability.Room // one room, if there is none
		has     func(b *availability.Booked)
		rooms   []availability.Room
		stay    string      // as it is, if empty
		plans   func(plans) // of the request
		lines   []string
		queries int
		actions string
	}{
		{name: "as it is", rooms: []availability.Room{one}, lines: []string{"#1 1×flex for 2: 300 300 300"}},
		{
			name: "as it is, and the plan is gone", rooms: []availability.Room{one}, plans: func(p plans) { p[0].ID, p[2].Derived = "gone", nil },
			lines: []string{"#1 1×flex for 2: 300 300 300"},
		},
		{
			name: "as it is, and the plan is not sold any more", rooms: []availability.Room{one}, plans: func(p plans) { p[0].Active = false },
			lines: []string{"#1 1×flex for 2: 300 300 300"},
		},
		{
			name: "without plans", booked: []availability.Room{room(roomTypeID, 1)}, rooms: []availability.Room{room(roomTypeID, 1)},
			has: func(b *availability.Booked) { b.Lines[0].Number = 0 }, lines: []string{"#0 1×: 280 280 280"},
		},
		{
			name: "fewer rooms", booked: []availability.Room{two}, rooms: []availability.Room{one},
			lines: []string{"#1 1×flex for 2: 300 300 300"}, actions: all,
		},
		{
			name: "more rooms", rooms: []availability.Room{two},
			lines: []string{"#1 1×flex for 2: 300 300 300", "#0 1×flex for 2: 310 310 310"}, queries: 1, actions: all,
		},
		{
			name: "more rooms without plans", booked: []availability.Room{room(roomTypeID, 1)}, rooms: []availability.Room{room(roomTypeID, 2)},
			has: func(b *availability.Booked) { b.Lines[0].Number = 0 }, lines: []string{"#0 2×: 290 290 290"}, queries: 1, actions: all,
		},
		{
			name: "more rooms with a party only", booked: []availability.Room{roomsUnder("", 1, adults(2))}, rooms: []availability.Room{roomsUnder("", 2, adults(2))},
			lines: []string{"#1 1× for 2: 280 280 280", "#0 1× for 2: 290 290 290"}, queries: 1, actions: all,
		},
		{name: "another party", rooms: []availability.Room{single}, lines: []string{"#1 1×flex for 1: 280(300) 280(300) 280(300)"}},
		{
			name: "another party, by the terms that were agreed", rooms: []availability.Room{single},
			plans: func(p plans) { p[0].Party.SingleUse.Amount = money("-50.00 USD") }, lines: []string{"#1 1×flex for 1: 280(300) 280(300) 280(300)"},
		},
		{
			name: "another party, with meals", booked: []availability.Room{roomsUnder("club", 1, adults(1))}, rooms: []availability.Room{roomsUnder("club", 1, adults(2))},
			lines: []string{"#1 1×club for 2: 299(280) 299(280) 299(280)"},
		},
		{
			name: "another party, without a plan", booked: []availability.Room{roomsUnder("", 1, adults(1))}, rooms: []availability.Room{roomsUnder("", 1, adults(2))},
			lines: []string{"#1 1× for 2: 280 280 280"},
		},
		{name: "another plan", rooms: []availability.Room{early(1)}, lines: []string{"#1 1×early for 2: 260 260 260"}, queries: 1, actions: checks},
		{
			name: "another plan, at its current terms", rooms: []availability.Room{roomsUnder("non-ref", 1, adults(1))},
			plans: func(p plans) { p[2].Derived.Percent = -20_00 },
			lines: []string{"#1 1×non-ref for 1: 228(310) 228(310) 228(310)"}, queries: 1, actions: checks,
		},
		{
			name: "another plan for fewer rooms", booked: []availability.Room{two}, rooms: []availability.Room{early(1)},
			lines: []string{"#1 1×early for 2: 260 260 260"}, queries: 1, actions: all,
		},
		{
			name: "another plan for more rooms", rooms: []availability.Room{early(2)},
			lines: []string{"#1 1×early for 2: 260 260 260", "#0 1×early for 2: 260 260 260"}, queries: 1, actions: all,
		},
		{
			name: "no plan any more", rooms: []availability.Room{roomsUnder("", 1, adults(2))},
			lines: []string{"#1 1× for 2: 290 290 290"}, queries: 1, actions: checks,
		},
		{name: "neither plan nor party", rooms: []availability.Room{room(roomTypeID, 1)}, lines: []string{"#1 1×: 290 290 290"}, queries: 1, actions: checks},
		{
			name: "a plan for the first time", booked: []availability.Room{room(roomTypeID, 1)}, rooms: []availability.Room{one},
			has: func(b *availability.Booked) { b.Lines[0].Number = 0 }, lines: []string{"#1 1×flex for 2: 310 310 310"}, queries: 1, actions: checks,
		},
		{
			name: "a new line beside", rooms: []availability.Room{one, early(1)},
			lines: []string{"#0 1×early for 2: 260 260 260", "#1 1×flex for 2: 300 300 300"}, queries: 1, actions: all,
		},
		{
			name: "a line less", booked: []availability.Room{one, early(1)}, rooms: []availability.Room{one},
			lines: []string{"#2 1×flex for 2: 300 300 300"}, actions: all,
		},
		{
			name: "one line grows, the other shrinks", booked: []availability.Room{early(2), one}, rooms: []availability.Room{early(1), two},
			lines: []string{"#1 1×early for 2: 250 250 250", "#2 1×flex for 2: 300 300 300", "#0 1×flex for 2: 310 310 310"}, queries: 1, actions: checks,
		},
		{
			name: "all lines under one plan", booked: []availability.Room{early(1), one}, rooms: []availability.Room{two},
			lines: []string{"#1 1×flex for 2: 310 310 310", "#2 1×flex for 2: 300 300 300"}, queries: 1, actions: checks,
		},
		{
			name: "longer", rooms: []availability.Room{one}, stay: "2026-07-10/2026-07-14",
			lines: []string{"#1 1×flex for 2: 300 300 300 310"}, queries: 1, actions: "check 07-10, update 07-13",
		},
		{
			name: "longer, with a discount", rooms: []availability.Room{one}, stay: "2026-07-10/2026-07-14",
			has: func(b *availability.Booked) {
				b.Lines[0].Plan.Discounts.Length = []availability.NightsDiscount{{Nights: 4, Percent: 10_00}}
			},
			lines: []string{"#1 1×flex for 2: 270(300) 270(300) 270(300) 279(310)"}, queries: 1, actions: "check 07-10, update 07-13",
		},
		{
			name: "longer, with a free night", rooms: []availability.Room{one}, stay: "2026-07-10/2026-07-14",
			has:   func(b *availability.Booked) { b.Lines[0].Plan.Discounts.FreeNight = 4 },
			lines: []string{"#1 1×flex for 2: 300 300 300 0(310)"}, queries: 1, actions: "check 07-10, update 07-13",
		},
		{
			name: "shorter", rooms: []availability.Room{one}, stay: "2026-07-10/2026-07-12",
			lines: []string{"#1 1×flex for 2: 300 300"}, queries: 1, actions: "check 07-10, check 07-11, update 07-12",
		},
		{
			name: "shorter, and the guests are there", rooms: []availability.Room{one}, stay: "2026-07-10/2026-07-12",
			has:   func(b *availability.Booked) { b.Arrived = true },
			lines: []string{"#1 1×flex for 2: 300 300"}, queries: 1, actions: "check 07-11, update 07-12",
		},
		{
			name: "an earlier arrival", rooms: []availability.Room{one}, stay: "2026-07-09/2026-07-13",
			lines: []string{"#1 1×flex for 2: 310 300 300 300"}, queries: 1, actions: "update 07-09",
		},
		{
			name: "a later arrival", rooms: []availability.Room{one}, stay: "2026-07-11/2026-07-13",
			lines: []string{"#1 1×flex for 2: 300 300"}, queries: 1, actions: "check 07-11, update 07-10",
		},
		{
			name: "an early booking", rooms: []availability.Room{single},
			has: func(b *availability.Booked) {
				b.Lines[0].Plan.Discounts.Early = []availability.DaysDiscount{{Days: 30, Percent: 10_00}}
			},
			lines: []string{"#1 1×flex for 1: 252(300) 252(300) 252(300)"},
		},
		{
			name: "not an early booking", rooms: []availability.Room{single},
			has: func(b *availability.Booked) {
				b.On = date("2026-05-01") // before today
				b.Lines[0].Plan.Discounts.Early = []availability.DaysDiscount{{Days: 71, Percent: 10_00}}
			},
			lines: []string{"#1 1×flex for 1: 280(300) 280(300) 280(300)"},
		},
		{
			name: "an early booking at that time", rooms: []availability.Room{single},
			has: func(b *availability.Booked) {
				b.On = date("2026-05-01")
				b.Lines[0].Plan.Discounts.Early = []availability.DaysDiscount{{Days: 70, Percent: 10_00}}
			},
			lines: []string{"#1 1×flex for 1: 252(300) 252(300) 252(300)"},
		},
		{
			name: "nobody knows when it was booked", rooms: []availability.Room{single},
			has: func(b *availability.Booked) {
				b.On = dynastay.Date{}
				b.Lines[0].Plan.Discounts.Early = []availability.DaysDiscount{{Days: 40, Percent: 10_00}}
			},
			lines: []string{"#1 1×flex for 1: 280(300) 280(300) 280(300)"},
		},
		{
			name: "another plan counts from today", rooms: []availability.Room{early(1)},
			has: func(b *availability.Booked) { b.On = date("2026-05-01") },
			plans: func(p plans) {
				p[1].Discounts.Early = []availability.DaysDiscount{{Days: 39, Percent: 10_00}, {Days: 40, Percent: 20_00}}
			},
			lines: []string{"#1 1×early for 2: 234(260) 234(260) 234(260)"}, queries: 1, actions: checks,
		},
		{
			name: "a night without a price in the booking", rooms: []availability.Room{one},
			has:   func(b *availability.Booked) { b.Lines[0].Nights = b.Lines[0].Nights[1:] },
			lines: []string{"#1 1×flex for 2: 310 300 300"}, queries: 1,
		},
		{
			name: "the same without plans", booked: []availability.Room{room(roomTypeID, 1)}, rooms: []availability.Room{room(roomTypeID, 1)},
			has:   func(b *availability.Booked) { b.Lines[0].Number, b.Lines[0].Nights = 0, b.Lines[0].Nights[1:] },
			lines: []string{"#0 1×: 290 280 280"}, queries: 1,
		},
		{
			name: "no nights in the booking", booked: []availability.Room{two}, rooms: []availability.Room{one},
			has:   func(b *availability.Booked) { b.Lines[0].Nights = nil },
			lines: []string{"#1 1×flex for 2: 310 310 310"}, queries: 1, actions: all,
		},
		{
			name: "no source in the booking", rooms: []availability.Room{one},
			has: func(b *availability.Booked) {
				for i := range b.Lines[0].Nights {
					b.Lines[0].Nights[i].Source = dynastay.Money{}
				}
			},
			lines: []string{"#1 1×flex for 2: 300 300 300"},
		},
		{
			name: "a line without rooms in the booking", rooms: []availability.Room{one},
			has:   func(b *availability.Booked) { b.Lines = append(b.Lines, had(2, -3, "early", nil)) },
			lines: []string{"#1 1×flex for 2: 300 300 300"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, repo := openForPlans(t)
			if test.booked == nil {
				test.booked = []availability.Room{one}
			}
			has := booking(t, db, repo, stay, test.booked...)
			if test.has != nil {
				test.has(&has)
			}
			to := stay
			if test.stay != "" {
				to = staysOf(test.stay)[0]
			}
			left := map[dynastay.Date]int{}
			for d := range dynastay.MustStay("2026-07-09", "2026-07-14").Dates() {
				if left[d] = 5; stay.Contains(d) {
					left[d] -= roomsOf(test.booked)
				}
				putNights(t, db, night(roomTypeID, d.String(), ratesOnSale(dynastay.Item{
					"flex": mapOf(dynastay.Item{"P": number("310")}), "early": mapOf(dynastay.Item{"P": number("260")}),
				}), dynastay.Item{"PricePerNight": number("290"), "AvailableRooms": dynastay.Number(left[d])}))
			}
			req := requestUnder(to, test.rooms...)
			if test.plans != nil {
				test.plans(req.RatePlans)
			}
			before := must(json.Marshal([]any{has, req}))
			stop := db.Faults.Record()
			q, err := repo.Requote(t.Context(), req, has)
			requests := stop()
			require.NoError(t, err)
			assert.Equal(t, test.lines, lineTexts(q.Lines))
			assert.Equal(t, test.queries, len(requests))
			require.NoError(t, q.Validate())
			require.NoError(t, repo.SaleFor(q, has).Current(q.At))
			stop = db.Faults.Record()
			sold, err := resell(t.Context(), db.DB, q, has)
			require.NoError(t, err)
			assert.Equal(t, test.actions, actionTexts(t, stop()))
			assert.Equal(t, lineTexts(q.Lines), lineTexts(sold.Lines))
			assert.JSONEq(t, string(before), string(must(json.Marshal([]any{has, req}))), "neither the booking nor the request is changed")
			for d, n := range left {
				if stay.Contains(d) {
					n += roomsOf(test.booked)
				}
				if to.Contains(d) {
					n -= roomsOf(test.rooms)
				}
				assert.Equal(t, dynastay.Number(n), stored(t, db, roomTypeID, d.String())["AvailableRooms"], "%s", d)
			}
		})
	}
}

// All lines of a room type that is given up are one return for each night.
func TestSeveralLinesAreReturned(t *testing.T) {
	t.Parallel()
	db, repo := openForPlans(t)
	for d := range stay.Dates() {
		putNights(t, db, night("room_790", d.String(), ratesOnSale(nil)))
	}
	has := booking(t, db, repo, stay, roomsUnder("early", 1, adults(2)), roomsUnder("flex", 2, adults(2)))
	assert.Equal(t, []int{2, 2, 2}, available(t, db))
	other := roomsUnder("flex", 1, adults(2))
	other.RoomTypeID = "room_790"
	q, err := repo.Requote(t.Context(), requestUnder(stay, other), has)
	require.NoError(t, err)
	assert.Equal(t, []string{"#0 1×flex for 2: 300 300 300"}, lineTexts(q.Lines))
	stop := db.Faults.Record()
	_, err = resell(t.Context(), db.DB, q, has)
	require.NoError(t, err)
	assert.Equal(t, "update 07-10, update 07-11, update 07-12, update 07-10, update 07-11, update 07-12", actionTexts(t, stop()))
	assert.Equal(t, []int{5, 5, 5}, available(t, db))
	assert.Equal(t, number("4"), stored(t, db, "room_790", "2026-07-11")["AvailableRooms"])
}
