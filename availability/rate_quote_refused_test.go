package availability_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func TestQuoteRefusesPlans(t *testing.T) {
	t.Parallel()
	refused := func(planID, date string, reason availability.Reason, more ...func(*availability.RefusedNight)) availability.RefusedNight {
		n := availability.RefusedNight{RoomTypeID: roomTypeID, RatePlanID: planID, Date: dynastay.MustDate(date), Reason: reason}
		for _, edit := range more {
			edit(&n)
		}
		return n
	}
	limit := func(nights int) func(*availability.RefusedNight) {
		return func(n *availability.RefusedNight) { n.Nights = nights }
	}
	const first, second, last = "2026-07-10", "2026-07-11", "2026-07-12"
	flex := func(set dynastay.Item) dynastay.Item { return dynastay.Item{"flex": mapOf(set)} }
	for _, test := range []struct {
		name   string
		date   string
		rates  dynastay.Item // of the date
		plan   string
		edit   func(p []availability.RatePlan)
		want   []availability.RefusedNight
		others bool // whether early is refused as well
	}{
		{"a stop-sell", second, flex(dynastay.Item{"P": number("300"), "S": yes}), "flex", nil, []availability.RefusedNight{refused("flex", second, availability.StopSell)}, false},
		{"the stop-sell of the source is not inherited", second, flex(dynastay.Item{"P": number("300"), "S": yes}), "non-ref", nil, nil, false},
		{"a stop-sell of a derived plan", second, dynastay.Item{"non-ref": mapOf(dynastay.Item{"S": yes})}, "non-ref", nil, []availability.RefusedNight{refused("non-ref", second, availability.StopSell)}, false},
		{"no price", second, flex(dynastay.Item{"N": number("1")}), "flex", nil, []availability.RefusedNight{refused("flex", second, availability.NotOnSale)}, false},
		{"no price of the source", second, flex(dynastay.Item{}), "non-ref", nil, []availability.RefusedNight{refused("non-ref", second, availability.NotOnSale)}, false},
		{"closed to arrival", first, flex(dynastay.Item{"P": number("300"), "A": yes}), "flex", nil, []availability.RefusedNight{refused("flex", first, availability.ClosedToArrival)}, false},
		{"closed to arrival on another day", second, flex(dynastay.Item{"P": number("300"), "A": yes, "N": number("9"), "X": number("1")}), "flex", nil, nil, false},
		{"closed to departure", last, flex(dynastay.Item{"P": number("300"), "D": yes}), "flex", nil, []availability.RefusedNight{refused("flex", last, availability.ClosedToDeparture)}, false},
		{"closed to departure on another day", second, flex(dynastay.Item{"P": number("300"), "D": yes}), "flex", nil, nil, false},
		{"too short", first, flex(dynastay.Item{"P": number("300"), "N": number("4")}), "flex", nil, []availability.RefusedNight{refused("flex", first, availability.MinStay, limit(4))}, false},
		{"too long", first, flex(dynastay.Item{"P": number("300"), "X": number("2")}), "flex", nil, []availability.RefusedNight{refused("flex", first, availability.MaxStay, limit(2))}, false},
		{"the plan is not active", "", nil, "flex", func(p []availability.RatePlan) { p[0].Active = false }, []availability.RefusedNight{
			refused("flex", first, availability.NotOnSale), refused("flex", second, availability.NotOnSale), refused("flex", last, availability.NotOnSale),
		}, false},
		{"other room types", "", nil, "early", func(p []availability.RatePlan) { p[1].RoomTypeIDs = []string{"room_790"} }, []availability.RefusedNight{
			refused("early", first, availability.NotOnSale), refused("early", second, availability.NotOnSale), refused("early", last, availability.NotOnSale),
		}, true},
		{"this room type", "", nil, "early", func(p []availability.RatePlan) { p[1].RoomTypeIDs = []string{"room_790", roomTypeID} }, nil, false},
		{"a condition of the plan", "", nil, "flex", func(p []availability.RatePlan) { p[0].Conditions.MinStay = 7 }, []availability.RefusedNight{refused("flex", first, availability.MinStay, limit(7))}, false},
		{"a source that is not active", "", nil, "non-ref", func(p []availability.RatePlan) { p[0].Active = false }, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, repo := openForPlans(t)
			if test.date != "" {
				putNights(t, db, night(roomTypeID, test.date, ratesOnSale(test.rates)))
			}
			ask := func(plan string) (availability.QuoteRequest, *availability.Quote, error) {
				req := requestUnder(stay, roomsUnder(plan, 1, nil))
				if test.edit != nil {
					test.edit(req.RatePlans)
				}
				q, err := repo.Quote(t.Context(), req)
				return req, q, err
			}
			req, q, err := ask(test.plan)
			checked, failed := repo.Check(t.Context(), propertyID, roomTypeID, 1, stay)
			require.NoError(t, failed)
			byID := func(id string) *availability.RatePlan {
				i := slices.IndexFunc(req.RatePlans, func(p availability.RatePlan) bool { return p.ID == id })
				if i < 0 {
					return nil
				}
				return &req.RatePlans[i]
			}
			plan := byID(test.plan)
			var from *availability.RatePlan
			if plan.Derived != nil {
				from = byID(plan.Derived.From)
			}
			prices, noPrices := checked.PricesUnder(plan, from, *adults(1), date("2026-06-01"))
			if test.want == nil {
				require.NoError(t, err)
				require.NoError(t, noPrices)
				assert.Equal(t, q.Total, prices.Total)
				assert.Equal(t, q.Lines[0].Nights, prices.Nights)
			} else {
				assert.Equal(t, test.want, blame.As[*availability.Refused](t, err).Nights)
				assert.Equal(t, test.want, blame.As[*availability.Refused](t, noPrices).Nights)
			}
			if test.plan != "early" {
				_, _, err = ask("early")
				assert.NoError(t, err, "the other plans are not concerned")
			}
		})
	}
}

// What a night refuses whoever asks is reported once, and without a plan.
func TestNightRefusesAllPlans(t *testing.T) {
	t.Parallel()
	db, repo := openForPlans(t)
	putNights(t, db, night(roomTypeID, "2026-07-11", dynastay.Item{"IsBlocked": yes}, ratesOnSale(nil)))
	remove(t, db, roomTypeID, "2026-07-12")
	want := []availability.RefusedNight{
		{RoomTypeID: roomTypeID, Date: date("2026-07-11"), Reason: availability.StopSell},
		{RoomTypeID: roomTypeID, Date: date("2026-07-12"), Reason: availability.NotOnSale},
	}
	_, err := repo.Quote(t.Context(), requestUnder(stay, roomsUnder("flex", 1, adults(1)), roomsUnder("early", 1, adults(1)), roomsUnder("", 1, adults(1))))
	assert.Equal(t, want, blame.As[*availability.Refused](t, err).Nights)

	checked, err := repo.Check(t.Context(), propertyID, roomTypeID, 1, stay)
	require.NoError(t, err)
	_, err = checked.PricesUnder(&plansOnSale()[0], nil, *adults(1), date("2026-06-01"))
	assert.Equal(t, want, blame.As[*availability.Refused](t, err).Nights)
}

// fivePlans and elevenParties ask for more of one room type than a quote can have.
func fivePlans(r *availability.QuoteRequest) {
	var rooms []availability.Room
	for _, id := range []string{"flex", "early", "non-ref", "club", "fifth"} {
		rooms = append(rooms, roomsUnder(id, 1, adults(1)))
	}
	*r = requestUnder(stay, rooms...)
	r.RatePlans = append(r.RatePlans, availability.RatePlan{PropertyID: propertyID, ID: "fifth", Name: "Fifth"})
}

func elevenParties(r *availability.QuoteRequest) {
	var rooms []availability.Room
	for age := range 11 {
		rooms = append(rooms, roomsUnder("flex", 1, &availability.Party{Guests: availability.Guests{Adults: 1, Children: 1}, ChildAges: []int{age}}))
	}
	*r = requestUnder(stay, rooms...)
}

func TestQuoteChecksPlansAndParties(t *testing.T) {
	t.Parallel()
	db, repo := openForPlans(t)
	two := func(a, b *availability.Party) func(*availability.QuoteRequest) {
		return func(r *availability.QuoteRequest) {
			*r = requestUnder(stay, roomsUnder("flex", 1, a), roomsUnder("early", 1, b))
		}
	}
	stop := db.Faults.Record()
	for field, edit := range map[string]func(r *availability.QuoteRequest){
		"Rooms[0].RatePlanID":            func(r *availability.QuoteRequest) { r.Rooms[0].RatePlanID = "none" },
		"Rooms[0].Party":                 func(r *availability.QuoteRequest) { *r = requestUnder(stay, roomsUnder("flex", 2, nil)) },
		"Rooms[0].Party: of two entries": two(nil, nil),
		"Rooms[0].Party: inherited":      func(r *availability.QuoteRequest) { *r = requestUnder(stay, roomsUnder("non-ref", 2, nil)) },
		"Rooms[0].Party: meals":          func(r *availability.QuoteRequest) { *r = requestUnder(stay, roomsUnder("club", 2, nil)) },
		"Rooms[1].Party":                 two(adults(1), nil),
		"Rooms[1].Party.Adults":          func(r *availability.QuoteRequest) { two(adults(1), adults(0))(r); r.Guests.Adults = 2 },
		"Rooms[0].Party.Adults":          two(adults(3), adults(1)),
		"Rooms[0].Party.Children":        two(&availability.Party{Guests: availability.Guests{Adults: 1, Children: 2}}, adults(1)),
		"Rooms[1].Party.ChildAges":       two(adults(1), &availability.Party{Guests: availability.Guests{Adults: 1}, ChildAges: []int{3}}),
		"Rooms[0].Party: too many in one": func(r *availability.QuoteRequest) {
			two(&availability.Party{Guests: availability.Guests{Adults: 2, Children: 1}}, adults(1))(r)
		},
		"Guests": func(r *availability.QuoteRequest) { two(adults(2), adults(1))(r); r.Guests.Adults = 2 },
		"RatePlans": func(r *availability.QuoteRequest) {
			*r = requestUnder(stay, roomsUnder("non-ref", 1, nil))
			r.RatePlans = r.RatePlans[1:]
		},
		"RatePlans[1].PropertyID":              func(r *availability.QuoteRequest) { r.RatePlans[1].PropertyID = "prop_124" },
		"RatePlans[2].ID":                      func(r *availability.QuoteRequest) { r.RatePlans[2].ID = "flex" },
		"Rooms[1]: they agree in their limits": func(r *availability.QuoteRequest) { two(adults(1), adults(1))(r); r.Rooms[1].MaxAdults = 1 },
		"Rooms: five plans":                    fivePlans,
		"Rooms: eleven parties":                elevenParties,
		"Rooms[1].Quantity: ten thousand in all": func(r *availability.QuoteRequest) {
			*r = requestUnder(stay, roomsUnder("flex", 5_001, adults(1)), roomsUnder("early", 5_000, adults(1)))
		},
	} {
		req := requestUnder(stay, roomsUnder("flex", 1, nil))
		edit(&req)
		_, err := repo.Quote(t.Context(), req)
		name, _, _ := strings.Cut(field, ": ")
		blame.Invalid(t, err, name, field)
	}
	for field, edit := range map[string]func(p []availability.RatePlan){
		"RatePlans[0].Name":                            func(p []availability.RatePlan) { p[0].Name = "" },
		"RatePlans[2].CancellationPolicy":              func(p []availability.RatePlan) { p[2].CancellationPolicy = "whatever" },
		"RatePlans[2].Derived.From":                    func(p []availability.RatePlan) { p[0].Derived = &availability.Derivation{} },
		"RatePlans[2].Derived.From: itself":            func(p []availability.RatePlan) { p[2].Derived.From = "non-ref" },
		"RatePlans[2].Party.SingleUse.Amount.Currency": func(p []availability.RatePlan) { p[2].Derived.Amount = money("1.00 EUR") },
	} {
		req := requestUnder(stay, roomsUnder("non-ref", 1, nil))
		edit(req.RatePlans)
		_, err := repo.Quote(t.Context(), req)
		field, _, _ := strings.Cut(field, ": ")
		blame.Invalid(t, err, field, field)
	}
	req := requestUnder(stay, roomsUnder("flex", 1, nil))
	req.RatePlans[0].Name = ""
	_, err := repo.Quote(t.Context(), req)
	blame.Invalid(t, err, "RatePlans[0].Name")
	assert.Empty(t, stop(), "no request was sent")
	req.RatePlans[0].Name, req.RatePlans[1].Name = "Flexible", ""
	_, err = repo.Quote(t.Context(), req)
	require.NoError(t, err, "a plan that no room names")
}

// A quote is refused, with the field, if its lines do not fit together.
func TestQuoteUnderPlansIsValidated(t *testing.T) {
	t.Parallel()
	_, repo := openForPlans(t)
	for field, edit := range map[string]func(q *availability.Quote){
		"Lines[1].Plan.ID":                   func(q *availability.Quote) { q.Lines[1].Plan.ID = "No" },
		"Lines[1].Plan.PropertyID":           func(q *availability.Quote) { q.Lines[1].Plan.PropertyID = "prop_124" },
		"Lines[1].Party.Adults":              func(q *availability.Quote) { q.Lines[1].Party.Adults = 0 },
		"Lines[2].RoomTypeID":                func(q *availability.Quote) { *q.Lines[2].Party = *q.Lines[1].Party },
		"Lines[0].Nights[1].Source":          func(q *availability.Quote) { q.Lines[0].Nights[1].Source = money("1.00 USD") },
		"Lines[1].Nights[1].Source":          func(q *availability.Quote) { q.Lines[1].Nights[1].Source = dynastay.Money{} },
		"Lines[1].Nights[2].Source":          func(q *availability.Quote) { q.Lines[1].Nights[2].Source = money("-1.00 USD") },
		"Lines[1].Nights[2].Source.Currency": func(q *availability.Quote) { q.Lines[1].Nights[2].Source = money("300.00 EUR") },
		"Lines[2].Nights[0].Source: of flex": func(q *availability.Quote) { q.Lines[2].Nights[0].Source = money("301.00 USD") },
		"Lines[3].Nights[0].Source: of club": func(q *availability.Quote) { q.Lines[3].Nights[0].Source = money("281.00 USD") },
		"Lines[1].Party: flex asks for it": func(q *availability.Quote) {
			for i := range q.Lines {
				q.Lines[i].Party = nil
			}
		},
		"Lines[0].Party: others have one":   func(q *availability.Quote) { q.Lines[0].Party = nil },
		"Guests":                            func(q *availability.Quote) { q.Lines[0].Party.Adults = 2 },
		"Lines[1].Nights[0].Price: no plan": func(q *availability.Quote) { withoutPlan(q) },
		"Lines[1].Quantity: ten thousand":   func(q *availability.Quote) { q.Lines[1].Quantity = 10_000 },
		"Lines: eleven parties":             func(q *availability.Quote) { moreLines(q, 7, "flex") },
		"Lines: five plans":                 func(q *availability.Quote) { moreLines(q, 1, "a"); moreLines(q, 1, "b"); moreLines(q, 1, "c") },
	} {
		q, err := repo.Quote(t.Context(), requestUnder(stay, roomsUnder("", 1, adults(1)), roomsUnder("flex", 1, adults(1)),
			roomsUnder("flex", 1, adults(2)), roomsUnder("club", 1, adults(2))))
		require.NoError(t, err)
		slices.SortFunc(q.Lines, func(a, b availability.Line) int { return rankOf(a) - rankOf(b) })
		require.NoError(t, q.Validate(), "the order of the lines does not matter")
		edit(q)
		field, _, _ := strings.Cut(field, ": ")
		blame.Invalid(t, q.Validate(), field, field)
	}
}

// withoutPlan makes the second line one without a plan, at another price than the first.
func withoutPlan(q *availability.Quote) {
	q.Lines[1].Plan, q.Lines[1].Party = nil, adults(2)
	for i := range q.Lines[1].Nights {
		q.Lines[1].Nights[i].Source = dynastay.Money{}
	}
	q.Lines[1].Nights[0].Price = money("281.00 USD")
}

// rankOf orders the lines as the test names them.
func rankOf(l availability.Line) int {
	if l.Plan == nil {
		return 0
	}
	return map[string]int{"flex": 0, "club": 3}[l.Plan.ID] + l.Party.Adults
}

// moreLines adds lines with other parties.
func moreLines(q *availability.Quote, n int, planID string) {
	for i := range n {
		line := q.Clone().Lines[1]
		line.Plan.ID, line.Party = planID, &availability.Party{Guests: availability.Guests{Adults: 1, Children: 1}, ChildAges: []int{i}}
		if planID != "flex" {
			line.Plan.Derived = &availability.Derivation{From: "flex"}
		}
		q.Lines = append(q.Lines, line)
		q.Total, _ = q.Total.Add(line.Subtotal)
	}
}
