package availability_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// What a night must allow when a booking changes. A restriction is set before the quote, which must refuse it, and after the
// quote, where the database must.
func TestChangesRefused(t *testing.T) {
	t.Parallel()
	type items = map[string]dynastay.Item
	flex := func(n int) availability.Room { return roomsUnder("flex", n, adults(2)) }
	early := func(n int) availability.Room { return roomsUnder("early", n, adults(2)) }
	plain := func(n int) availability.Room { return roomsUnder("", n, adults(2)) }
	club := func(n int) availability.Room { return roomsUnder("club", n, adults(2)) }
	is := func(name string, v any) dynastay.Item {
		switch v := v.(type) {
		case int:
			return dynastay.Item{name: dynastay.Number(v)}
		case string:
			return dynastay.Item{name: dynastay.Text(v)}
		default:
			return dynastay.Item{name: yes}
		}
	}
	rate := func(plan, name string, v any) dynastay.Item {
		one := dynastay.Item{"P": number(map[string]string{"flex": "300", "early": "250"}[plan])}
		for k, value := range is(name, v) {
			one[k] = value
		}
		return ratesOnSale(dynastay.Item{plan: mapOf(one)})
	}
	ten, eleven, twelve, thirteen := "2026-07-10", "2026-07-11", "2026-07-12", "2026-07-13"
	at := func(day string, item dynastay.Item) items { return items{day: item} }
	type rooms = []availability.Room
	type change struct {
		booked, rooms rooms
		stay          string
		arrived       bool
	}
	otherPlan := change{booked: rooms{flex(1)}, rooms: rooms{early(1)}}
	fewer := change{booked: rooms{flex(2)}, rooms: rooms{early(1)}} // and another plan
	returns := change{booked: rooms{flex(2)}, rooms: rooms{flex(1)}}
	noPlan := change{booked: rooms{flex(1)}, rooms: rooms{plain(1)}}
	toClub := change{booked: rooms{flex(1)}, rooms: rooms{club(1)}}
	beside := change{booked: rooms{flex(1)}, rooms: rooms{flex(1), early(1)}}
	opposite := change{booked: rooms{early(2), flex(1)}, rooms: rooms{early(1), flex(2)}}
	shorter := change{booked: rooms{flex(1)}, rooms: rooms{flex(1)}, stay: "2026-07-10/2026-07-12"}
	shorterArrived := change{booked: rooms{flex(1)}, rooms: rooms{flex(1)}, stay: "2026-07-10/2026-07-12", arrived: true}
	shorterBeside := change{booked: rooms{flex(1)}, rooms: rooms{flex(1), early(1)}, stay: "2026-07-10/2026-07-12"}
	shorterSwap := change{booked: rooms{flex(2)}, rooms: rooms{flex(1), early(1)}, stay: "2026-07-10/2026-07-12"}
	shorterMore := change{booked: rooms{flex(1)}, rooms: rooms{flex(2)}, stay: "2026-07-10/2026-07-12"}
	shorterFewer := change{booked: rooms{flex(2)}, rooms: rooms{flex(1)}, stay: "2026-07-10/2026-07-12"}
	longer := change{booked: rooms{flex(1)}, rooms: rooms{flex(1)}, stay: "2026-07-10/2026-07-14"}
	later := change{booked: rooms{flex(1)}, rooms: rooms{flex(1)}, stay: "2026-07-11/2026-07-13"}
	for _, test := range []struct {
		name string
		change
		set   items
		want  []string
		price bool // only a price has changed, so there is another quote
	}{
		// As many rooms, under another plan.
		{"stop-sell", otherPlan, at(eleven, is("IsBlocked", yes)), []string{"2026-07-11 stop_sell"}, false},
		{"property closed", otherPlan, at(eleven, is("PropertyClosed", yes)), []string{"2026-07-11 property_closed"}, false},
		{"stop-sell of the plan", otherPlan, at(eleven, rate("early", "S", yes)), []string{"2026-07-11 early stop_sell"}, false},
		{"stop-sell of the plan that is left", otherPlan, at(eleven, rate("flex", "S", yes)), nil, false},
		{"price of the plan", otherPlan, at(eleven, rate("early", "P", 260)), []string{"2026-07-11 early price_changed"}, true},
		{"price of the plan that is left", otherPlan, at(eleven, rate("flex", "P", 1)), nil, false},
		{"price of the night", otherPlan, at(eleven, is("PricePerNight", 1)), nil, false},
		{"closed to arrival", otherPlan, at(ten, is("ClosedToArrival", yes)), []string{"2026-07-10 closed_to_arrival"}, false},
		{"closed to arrival later", otherPlan, at(eleven, is("ClosedToArrival", yes)), nil, false},
		{"closed to arrival for the plan", otherPlan, at(ten, rate("early", "A", yes)), []string{"2026-07-10 early closed_to_arrival"}, false},
		{"minimum stay", otherPlan, at(ten, is("MinStay", 4)), []string{"2026-07-10 min_stay 4"}, false},
		{"minimum stay of the plan", otherPlan, at(ten, rate("early", "N", 4)), []string{"2026-07-10 early min_stay 4"}, false},
		{"maximum stay of the plan", otherPlan, at(ten, rate("early", "X", 2)), []string{"2026-07-10 early max_stay 2"}, false},
		{"closed to departure for the plan", otherPlan, at(twelve, rate("early", "D", yes)), []string{"2026-07-12 early closed_to_departure"}, false},
		{"closed to departure earlier", otherPlan, at(eleven, rate("early", "D", yes)), nil, false},
		{"restrictions of the plan that is left", otherPlan, items{ten: rate("flex", "A", yes), twelve: rate("flex", "D", yes)}, nil, false},
		{"overbooked", otherPlan, at(eleven, is("AvailableRooms", -1)), nil, false},
		{"no number of rooms", otherPlan, at(eleven, dynastay.Item{"AvailableRooms": null}), nil, false},
		{"of another property", otherPlan, at(eleven, is("PropertyId", "prop_124")), []string{"2026-07-11 not_on_sale"}, false},
		{"of another property, with restrictions", otherPlan, at(eleven, dynastay.Item{
			"PropertyId": dynastay.Text("prop_124"), "Rates": rate("early", "S", yes)["Rates"],
		}), []string{"2026-07-11 not_on_sale"}, false},
		{"no plan: stop-sell", noPlan, at(eleven, is("IsBlocked", yes)), []string{"2026-07-11 stop_sell"}, false},
		{"no plan: price", noPlan, at(eleven, is("PricePerNight", 281)), []string{"2026-07-11 price_changed"}, true},
		{"no plan: minimum stay", noPlan, at(ten, is("MinStay", 4)), []string{"2026-07-10 min_stay 4"}, false},
		{"no plan: the plan that is left", noPlan, at(eleven, rate("flex", "S", yes)), nil, false},
		{"club: the price of the night is its source", toClub, at(eleven, is("PricePerNight", 281)), []string{"2026-07-11 price_changed"}, true},
		{"club: stop-sell", toClub, at(eleven, ratesOnSale(dynastay.Item{"club": mapOf(is("S", yes))})), []string{"2026-07-11 club stop_sell"}, false},
		{"opposite: stop-sell of what grows", opposite, at(eleven, rate("flex", "S", yes)), []string{"2026-07-11 flex stop_sell"}, false},
		{"opposite: stop-sell of what shrinks", opposite, at(eleven, rate("early", "S", yes)), nil, false},
		{"opposite: price of what grows", opposite, at(eleven, rate("flex", "P", 301)), []string{"2026-07-11 flex price_changed"}, true},
		{"opposite: restrictions of what shrinks", opposite, at(ten, rate("early", "A", yes)), nil, false},
		// Fewer rooms, under another plan.
		{"fewer: stop-sell", fewer, at(eleven, is("IsBlocked", yes)), []string{"2026-07-11 stop_sell"}, false},
		{"fewer: stop-sell of the plan", fewer, at(eleven, rate("early", "S", yes)), []string{"2026-07-11 early stop_sell"}, false},
		{"fewer: price of the plan", fewer, at(eleven, rate("early", "P", 260)), []string{"2026-07-11 early price_changed"}, true},
		{"fewer: minimum stay", fewer, at(ten, is("MinStay", 4)), []string{"2026-07-10 min_stay 4"}, false},
		{"fewer: overbooked", fewer, at(eleven, is("AvailableRooms", -1)), nil, false},
		{"fewer: no number of rooms", fewer, at(eleven, dynastay.Item{"AvailableRooms": null}), []string{"2026-07-11 not_on_sale"}, false},
		{"fewer: of another property", fewer, at(eleven, is("PropertyId", "prop_124")), []string{"2026-07-11 not_on_sale"}, false},
		{"only fewer: nothing is sold", returns, items{
			ten: is("MinStay", 4), eleven: is("IsBlocked", yes), twelve: rate("flex", "S", yes),
		}, nil, false},
		// A line that is kept beside a new one.
		{"beside: stop-sell of what is kept", beside, at(eleven, rate("flex", "S", yes)), nil, false},
		{"beside: price of what is kept", beside, at(eleven, rate("flex", "P", 301)), nil, false},
		{"beside: restrictions of what is kept", beside, items{ten: rate("flex", "A", yes), twelve: rate("flex", "D", yes)}, nil, false},
		{"beside: stop-sell of what is new", beside, at(eleven, rate("early", "S", yes)), []string{"2026-07-11 early stop_sell"}, false},
		{"beside: closed to arrival", beside, at(ten, is("ClosedToArrival", yes)), []string{"2026-07-10 closed_to_arrival"}, false},
		{"beside: sold out", beside, at(eleven, is("AvailableRooms", 0)), []string{"2026-07-11 sold_out"}, false},
		{"beside, shorter: minimum stay of what is kept", shorterBeside, at(ten, rate("flex", "N", 3)), []string{"2026-07-10 flex min_stay 3"}, false},
		{"beside, shorter: maximum stay of what is kept", shorterBeside, at(ten, rate("flex", "X", 1)), nil, false},
		{"beside, shorter: arrival of what is kept", shorterBeside, at(ten, rate("flex", "A", yes)), nil, false},
		{"beside, shorter: departure of what is kept", shorterBeside, at(eleven, rate("flex", "D", yes)), []string{"2026-07-11 flex closed_to_departure"}, false},
		{"beside, shorter: arrival of what is new", shorterBeside, at(ten, rate("early", "A", yes)), []string{"2026-07-10 early closed_to_arrival"}, false},
		{"one of two, shorter: minimum stay of what is kept", shorterSwap, at(ten, rate("flex", "N", 3)), []string{"2026-07-10 flex min_stay 3"}, false},
		{"one of two, shorter: stop-sell of what is kept", shorterSwap, at(ten, rate("flex", "S", yes)), nil, false},
		{"one more, shorter: stop-sell", shorterMore, at(ten, rate("flex", "S", yes)), []string{"2026-07-10 flex stop_sell"}, false},
		{"one more, shorter: arrival", shorterMore, at(ten, rate("flex", "A", yes)), []string{"2026-07-10 flex closed_to_arrival"}, false},
		// The stay changes.
		{"shorter: minimum stay of the plan", shorter, at(ten, rate("flex", "N", 3)), []string{"2026-07-10 flex min_stay 3"}, false},
		{"shorter: minimum stay that is met", shorter, at(ten, rate("flex", "N", 2)), nil, false},
		{"shorter: minimum stay of another plan", shorter, at(ten, rate("early", "N", 3)), nil, false},
		{"shorter: maximum stay of the plan", shorter, at(ten, rate("flex", "X", 1)), nil, false},
		{"shorter: stop-sell and arrival", shorter, items{ten: rate("flex", "A", yes), eleven: rate("flex", "S", yes)}, nil, false},
		{"shorter: departure", shorter, at(eleven, rate("flex", "D", yes)), []string{"2026-07-11 flex closed_to_departure"}, false},
		{"shorter: in another property", shorter, at(ten, dynastay.Item{
			"PropertyId": dynastay.Text("prop_124"), "Rates": rate("flex", "N", 3)["Rates"],
		}), []string{"2026-07-10 flex min_stay 3"}, false},
		{"shorter, fewer rooms: minimum stay of the plan", shorterFewer, at(ten, rate("flex", "N", 3)), []string{"2026-07-10 flex min_stay 3"}, false},
		{"shorter, fewer rooms: in another property", shorterFewer, at(ten, dynastay.Item{
			"PropertyId": dynastay.Text("prop_124"), "Rates": rate("flex", "N", 3)["Rates"],
		}), nil, false},
		{"shorter, arrived: minimum stay", shorterArrived, items{ten: rate("flex", "N", 3)}, nil, false},
		{"shorter, arrived: departure", shorterArrived, at(eleven, rate("flex", "D", yes)), []string{"2026-07-11 flex closed_to_departure"}, false},
		{"longer: maximum stay of the plan", longer, at(ten, rate("flex", "X", 3)), []string{"2026-07-10 flex max_stay 3"}, false},
		{"longer: minimum stay of the plan", longer, at(ten, rate("flex", "N", 9)), nil, false},
		{"longer: stop-sell of what is kept", longer, at(twelve, rate("flex", "S", yes)), nil, false},
		{"longer: stop-sell of what is new", longer, at(thirteen, rate("flex", "S", yes)), []string{"2026-07-13 flex stop_sell"}, false},
		{"longer: price of what is new", longer, at(thirteen, rate("flex", "P", 310)), []string{"2026-07-13 flex price_changed"}, true},
		{"longer: departure", longer, at(thirteen, rate("flex", "D", yes)), []string{"2026-07-13 flex closed_to_departure"}, false},
		{"longer: the departure that was", longer, at(twelve, rate("flex", "D", yes)), nil, false},
		{"later: closed to arrival", later, at(eleven, rate("flex", "A", yes)), []string{"2026-07-11 flex closed_to_arrival"}, false},
		{"later: minimum stay", later, at(eleven, rate("flex", "N", 3)), []string{"2026-07-11 flex min_stay 3"}, false},
		{"later: maximum stay", later, at(eleven, rate("flex", "X", 1)), []string{"2026-07-11 flex max_stay 1"}, false},
		{"later: stop-sell, and the departure that remains", later, items{eleven: rate("flex", "S", yes), twelve: rate("flex", "D", yes)}, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, repo := openForPlans(t)
			putNights(t, db, night(roomTypeID, thirteen, ratesOnSale(nil)))
			has := booking(t, db, repo, stay, test.booked...)
			has.Arrived = test.arrived
			to := stay
			if test.stay != "" {
				to = staysOf(test.stay)[0]
			}
			req := requestUnder(to, test.rooms...)
			q, err := repo.Requote(t.Context(), req, has)
			require.NoError(t, err)
			for day, item := range test.set {
				setNight(t, db, day, item)
			}
			_, err = repo.Requote(t.Context(), req, has)
			if test.want == nil || test.price {
				assert.NoError(t, err, "the quote")
			} else {
				assert.Equal(t, test.want, refusedTexts(t, err), "the quote")
			}
			before := available(t, db)
			_, err = resell(t.Context(), db.DB, q, has)
			if test.want == nil {
				assert.NoError(t, err)
				return
			}
			texts := refusedTexts(t, err)
			for i, n := range blame.As[*availability.Refused](t, err).Nights {
				if n.Reason == availability.PriceChanged {
					texts[i] = texts[i][:len(texts[i])-len(" "+short(n.Price))]
				}
			}
			assert.Equal(t, test.want, texts)
			assert.Equal(t, before, available(t, db), "nothing was written")
		})
	}
}

// What the terms of a plan refuse, which only the quote knows.
func TestTermsThatRefuse(t *testing.T) {
	t.Parallel()
	type plans = []availability.RatePlan
	one, early := roomsUnder("flex", 1, adults(2)), roomsUnder("early", 1, adults(2))
	single := roomsUnder("flex", 1, adults(1))
	for _, test := range []struct {
		name  string
		room  availability.Room
		stay  string
		terms func(p *availability.RatePlan) // of the booking
		has   func(b *availability.Booked)
		plans func(p plans) // of the request
		want  []string
	}{
		{name: "shorter than the plan's minimum", room: one, stay: "2026-07-10/2026-07-12", terms: func(p *availability.RatePlan) { p.Conditions.MinStay = 3 }, want: []string{"2026-07-10 flex min_stay 3"}},
		{name: "longer than its maximum", room: one, stay: "2026-07-10/2026-07-14", terms: func(p *availability.RatePlan) { p.Conditions.MaxStay = 3 }, want: []string{"2026-07-10 flex max_stay 3"}},
		{
			name: "outside its dates", room: one, stay: "2026-07-10/2026-07-14", terms: func(p *availability.RatePlan) { p.Conditions.Dates = []dynastay.Stay{stay} },
			want: []string{"2026-07-13 flex not_on_sale"},
		},
		{
			name: "a later arrival on another day", room: one, stay: "2026-07-11/2026-07-14",
			terms: func(p *availability.RatePlan) { p.Conditions.Arrivals = availability.On(time.Friday) }, want: []string{"2026-07-11 flex closed_to_arrival"},
		},
		{
			name: "the arrival stays", room: one, stay: "2026-07-10/2026-07-14",
			terms: func(p *availability.RatePlan) { p.Conditions.Arrivals = availability.On(time.Monday) },
		},
		{
			name: "days ahead, from the booking", room: one, stay: "2026-07-11/2026-07-14", has: func(b *availability.Booked) { b.On = date("2026-05-01") },
			terms: func(p *availability.RatePlan) { p.Conditions.MinDaysAhead = 71 },
		},
		{
			name: "too few days ahead", room: one, stay: "2026-07-11/2026-07-14", has: func(b *availability.Booked) { b.On = date("2026-05-01") },
			terms: func(p *availability.RatePlan) { p.Conditions.MinDaysAhead = 72 }, want: []string{"2026-07-11 flex too_late 72"},
		},
		{
			name: "the terms that the plan has now do not count", room: single,
			plans: func(p plans) { p[0].Conditions.MinStay, p[0].RoomTypeIDs = 9, []string{"room_790"} },
		},
		{name: "another plan's terms", room: early, plans: func(p plans) { p[1].Conditions.MinStay = 4 }, want: []string{"2026-07-10 early min_stay 4"}},
		{
			name: "another plan's days ahead", room: early, has: func(b *availability.Booked) { b.On = date("2026-05-01") },
			plans: func(p plans) { p[1].Conditions.MinDaysAhead = 40 }, want: []string{"2026-07-10 early too_late 40"},
		},
		{
			name: "another plan that is not sold", room: early, plans: func(p plans) { p[1].Active = false },
			want: []string{"2026-07-10 early not_on_sale", "2026-07-11 early not_on_sale", "2026-07-12 early not_on_sale"},
		},
		{
			name: "another plan, for another room type", room: early, plans: func(p plans) { p[1].RoomTypeIDs = []string{"room_790"} },
			want: []string{"2026-07-10 early not_on_sale", "2026-07-11 early not_on_sale", "2026-07-12 early not_on_sale"},
		},
		{
			name: "a party that makes the lodging negative", room: single,
			terms: func(p *availability.RatePlan) { p.Party.SingleUse.Amount = money("-301.00 USD") },
			want:  []string{"2026-07-10 flex not_on_sale", "2026-07-11 flex not_on_sale", "2026-07-12 flex not_on_sale"},
		},
		{name: "a night that was never opened", room: one, stay: "2026-07-10/2026-07-15", want: []string{"2026-07-14 not_on_sale"}},
		{name: "a night without a price of the plan", room: roomsUnder("other", 1, adults(2)), plans: func(p plans) { p[1].ID = "other" }, want: []string{
			"2026-07-10 other not_on_sale", "2026-07-11 other not_on_sale", "2026-07-12 other not_on_sale",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, repo := openForPlans(t)
			putNights(t, db, night(roomTypeID, "2026-07-13", ratesOnSale(nil)))
			has := booking(t, db, repo, stay, one)
			if test.terms != nil {
				test.terms(has.Lines[0].Plan)
			}
			if test.has != nil {
				test.has(&has)
			}
			to := stay
			if test.stay != "" {
				to = staysOf(test.stay)[0]
			}
			req := requestUnder(to, test.room)
			if test.plans != nil {
				test.plans(req.RatePlans)
			}
			_, err := repo.Requote(t.Context(), req, has)
			if test.want == nil {
				assert.NoError(t, err)
				return
			}
			assert.Equal(t, test.want, refusedTexts(t, err))
		})
	}
}

// A night for which the booking has no price, and that has no item, has none; a stored price may be corrupt.
func TestRequoteOfNightsWithoutAPrice(t *testing.T) {
	t.Parallel()
	for _, planID := range []string{"flex", ""} {
		db, repo := openForPlans(t)
		has := booking(t, db, repo, stay, roomsUnder(planID, 1, adults(2)))
		has.Lines[0].Nights = has.Lines[0].Nights[1:]
		remove(t, db, roomTypeID, "2026-07-10")
		_, err := repo.Requote(t.Context(), requestUnder(stay, roomsUnder(planID, 1, adults(2))), has)
		want := "2026-07-10 not_on_sale"
		if planID != "" {
			want = "2026-07-10 flex not_on_sale"
		}
		assert.Equal(t, []string{want}, refusedTexts(t, err))
	}
	for _, price := range []string{"250.001", "-5", "10000000000000000"} {
		db, repo := openForPlans(t)
		has := booking(t, db, repo, stay, roomsUnder("early", 1, adults(2)))
		setNight(t, db, "2026-07-11", ratesOnSale(dynastay.Item{"flex": mapOf(dynastay.Item{"P": number(price)})}))
		for _, planID := range []string{"flex", "non-ref"} {
			_, err := repo.Requote(t.Context(), requestUnder(stay, roomsUnder(planID, 1, adults(2))), has)
			require.ErrorIs(t, err, dynastay.ErrCorrupt, price)
			assert.NotErrorIs(t, err, dynastay.ErrInvalid)
		}
	}
}

func TestInvalidRequotes(t *testing.T) {
	t.Parallel()
	db, repo := openForPlans(t)
	has := booking(t, db, repo, stay, roomsUnder("flex", 1, adults(2)))
	early := booking(t, db, repo, stay, roomsUnder("early", 2, nil))
	many := booking(t, db, repo, stay, roomsUnder("early", 1, nil))
	for n := 2; n <= 11; n++ {
		line := many.Lines[0]
		line.Number = n
		many.Lines = append(many.Lines, line)
	}
	for _, test := range []struct {
		name  string
		has   availability.Booked
		edit  func(r *availability.QuoteRequest)
		rooms []availability.Room
		field string
	}{
		{"an unknown plan", has, func(r *availability.QuoteRequest) {}, []availability.Room{roomsUnder("other", 1, nil)}, "Rooms[0].RatePlanID"},
		{"more rooms of a plan that is gone", has, func(r *availability.QuoteRequest) { r.RatePlans = nil }, []availability.Room{roomsUnder("flex", 2, adults(2))}, "RatePlans"},
		{"the plan's price depends on who stays", has, func(r *availability.QuoteRequest) {}, []availability.Room{roomsUnder("flex", 2, nil)}, "Rooms"},
		{
			"a plan that the booking does not have", early, func(r *availability.QuoteRequest) {}, []availability.Room{roomsUnder("flex", 2, nil)},
			"Rooms[0].Party",
		},
		{"as many lines as there can be", many, nil, []availability.Room{roomsUnder("early", 10, nil)}, ""},
		{"a line more", many, nil, []availability.Room{roomsUnder("early", 11, nil)}, "Rooms"},
		{
			"a plan whose price depends on who stays by now, but not for this line", early,
			func(r *availability.QuoteRequest) {
				r.RatePlans[1].Meals = availability.Meals{Plan: availability.Breakfast, Added: true, Adult: money("1.00 USD")}
			}, []availability.Room{roomsUnder("early", 2, nil)}, "",
		},
	} {
		req := requestUnder(stay, test.rooms...)
		if test.edit != nil {
			test.edit(&req)
		}
		q, err := repo.Requote(t.Context(), req, test.has)
		if test.field != "" {
			blame.Invalid(t, err, test.field, test.name)
			continue
		}
		require.NoError(t, err, test.name)
		assert.NoError(t, q.Validate(), test.name)
	}
}

// What a quote must still be for when it is sold.
func TestCurrentChanges(t *testing.T) {
	t.Parallel()
	db, repo := openForPlans(t)
	has := booking(t, db, repo, stay, roomsUnder("early", 1, adults(2)), roomsUnder("flex", 1, adults(2)))
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	second := time.Date(2026, 7, 11, 12, 0, 0, 0, time.UTC) // the second day
	requote := func(rooms ...availability.Room) *availability.Quote {
		q, err := repo.Requote(t.Context(), requestUnder(stay, rooms...), has)
		require.NoError(t, err)
		return q
	}
	early, flex := roomsUnder("early", 1, adults(2)), roomsUnder("flex", 1, adults(2))
	asItIs, otherPlan := requote(early, flex), requote(roomsUnder("flex", 2, adults(2)))
	otherParty, fewer := requote(early, roomsUnder("flex", 1, adults(1))), requote(flex)
	edited := func(q *availability.Quote, edit func(q *availability.Quote)) *availability.Quote {
		q = q.Clone()
		edit(q)
		return q
	}
	for _, test := range []struct {
		name  string
		quote *availability.Quote
		now   time.Time
		field string
	}{
		{"as it is", asItIs, second, ""},
		{"another party", otherParty, second, ""},
		{"another plan", otherPlan, now, ""},
		{"another plan for a night that is over", otherPlan, second, "Stay"},
		{"fewer rooms", fewer, now, ""},
		{"fewer rooms in a night that is over", fewer, second, "Stay"},
		{"no such line", edited(asItIs, func(q *availability.Quote) { q.Lines[1].Number = 3 }), now, "Lines[1].Number"},
		{"a line of another room type", edited(asItIs, func(q *availability.Quote) { q.Lines[0].RoomTypeID = "room_790" }), now, "Lines[0].Number"},
		{"a kept line may have another price than a new one", edited(otherPlan, func(q *availability.Quote) { q.Lines[0].Nights[1].Source = money("310.00 USD") }), now, ""},
		{"two new prices", edited(requote(roomsUnder("non-ref", 2, adults(2)), roomsUnder("non-ref", 1, adults(1))), func(q *availability.Quote) {
			q.Lines[2].Nights[1].Source = money("310.00 USD")
		}), now, "Lines[2].Nights[1].Source"},
		{"two new prices of the night", edited(requote(roomsUnder("", 2, adults(2)), roomsUnder("", 1, adults(1))), func(q *availability.Quote) {
			q.Lines[1].Nights[2].Price = money("310.00 USD")
		}), now, "Lines[1].Nights[2].Price"},
	} {
		err := repo.SaleFor(test.quote, has).Current(test.now)
		if test.field == "" {
			assert.NoError(t, err, test.name)
			continue
		}
		blame.Invalid(t, err, test.field, test.name)
	}

	cheaper := edited(asItIs, func(q *availability.Quote) { q.Lines[1].Nights[1].Source = money("299.00 USD") })
	assert.Equal(t, []string{"2026-07-11 flex price_changed 300"}, refusedTexts(t, repo.SaleFor(cheaper, has).Current(now)))
	paysLess := edited(asItIs, func(q *availability.Quote) { q.Lines[1].Nights[1].Price = money("299.00 USD") })
	assert.NoError(t, repo.SaleFor(paysLess, has).Current(now), "what the guest pays follows from the stored price")
}

// Only the line that is new gets a room that the night did not have.
func TestRequoteOverbooks(t *testing.T) {
	t.Parallel()
	db, repo := openForPlans(t)
	has := booking(t, db, repo, stay, roomsUnder("flex", 1, adults(2)))
	has.Lines[0].Overbooked = dates("2026-07-12")
	setNight(t, db, "2026-07-11", dynastay.Item{"AvailableRooms": dynastay.Number(0)})
	req := requestUnder(stay, roomsUnder("flex", 1, adults(2)), roomsUnder("early", 1, adults(2)))
	_, err := repo.Requote(t.Context(), req, has)
	assert.Equal(t, []string{"2026-07-11 sold_out"}, refusedTexts(t, err))
	req.Overbook = 1
	q, err := repo.Requote(t.Context(), req, has)
	require.NoError(t, err)
	sold, err := resell(t.Context(), db.DB, q, has)
	require.NoError(t, err)
	for _, lines := range [][]availability.Line{q.Lines, sold.Lines} {
		assert.Equal(t, dates("2026-07-11"), lines[0].Overbooked, "early")
		assert.Equal(t, dates("2026-07-12"), lines[1].Overbooked, "flex")
	}
	assert.Equal(t, []int{3, -1, 3}, available(t, db))
}
