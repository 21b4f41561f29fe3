package availability_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
)

// plansOnSale are the plans of these tests: flex and early have prices of their own, non-ref is derived from flex, and club
// from the price of the night.
func plansOnSale() []availability.RatePlan {
	plan := func(id string, derived *availability.Derivation) availability.RatePlan {
		return availability.RatePlan{PropertyID: propertyID, ID: id, Name: "Plan " + id, Active: true, Derived: derived}
	}
	flex, early := plan("flex", nil), plan("early", nil)
	flex.CancellationPolicy = availability.FreeCancellation(24)
	flex.Party = &availability.PartyPrices{SingleUse: availability.Supplement{Amount: money("-20.00 USD")}}
	nonRef := plan("non-ref", &availability.Derivation{From: "flex", Percent: -10_00})
	nonRef.CancellationPolicy = availability.NonRefundable
	club := plan("club", &availability.Derivation{Amount: money("-5.00 USD")})
	club.Meals = availability.Meals{Plan: availability.Breakfast, Added: true, Adult: money("12.00 USD")}
	return []availability.RatePlan{flex, early, nonRef, club}
}

// ratesOnSale is what each night has for the plans.
func ratesOnSale(more dynastay.Item) dynastay.Item {
	all := dynastay.Item{"flex": mapOf(dynastay.Item{"P": number("300")}), "early": mapOf(dynastay.Item{"P": number("250")})}
	for id, v := range more {
		all[id] = v
	}
	return dynastay.Item{"Rates": mapOf(all)}
}

// openForPlans puts three nights on sale, with 5 rooms at 280 USD, flex at 300 USD and early at 250 USD.
func openForPlans(t *testing.T) (*dyntest.DB, *availability.Repository) {
	t.Helper()
	db, repo := open(t)
	for d := range stay.Dates() {
		putNights(t, db, night(roomTypeID, d.String(), ratesOnSale(nil)))
	}
	return db, repo
}

func adults(n int) *availability.Party {
	return &availability.Party{Guests: availability.Guests{Adults: n}}
}

// roomsUnder requests rooms under a plan; nil as the party leaves it open who stays.
func roomsUnder(planID string, quantity int, party *availability.Party) availability.Room {
	r := room(roomTypeID, quantity)
	r.RatePlanID, r.Party = planID, party
	return r
}

// requestUnder requests rooms for their parties, or for an adult each.
func requestUnder(stay dynastay.Stay, rooms ...availability.Room) availability.QuoteRequest {
	req := request(stay, rooms...)
	req.RatePlans = plansOnSale()
	for _, r := range rooms {
		if r.Party != nil {
			req.Guests.Adults += (r.Party.Adults - 1) * r.Quantity
			req.Guests.Children += r.Party.Children * r.Quantity
		}
	}
	return req
}

func TestQuoteUnderPlans(t *testing.T) {
	t.Parallel()
	db, repo := openForPlans(t)
	req := requestUnder(stay,
		roomsUnder("non-ref", 1, adults(2)), roomsUnder("non-ref", 1, adults(1)), roomsUnder("club", 1, adults(2)), roomsUnder("", 1, adults(1)), roomsUnder("non-ref", 1, adults(2)))
	stop := db.Faults.Record()
	q, err := repo.Quote(t.Context(), req)
	require.NoError(t, err)
	assert.Len(t, stop(), 1, "one Query for the room type")
	require.NoError(t, q.Validate())
	type line struct {
		plan, party, price, source, meals, subtotal string
		quantity                                    int
		policy                                      availability.CancellationPolicy
	}
	var got []line
	for _, l := range q.Lines {
		one := line{quantity: l.Quantity, subtotal: l.Subtotal.String(), policy: l.CancellationPolicy, price: l.Nights[2].Price.String()}
		if l.Plan != nil {
			one.plan, one.source, one.meals = l.Plan.Name, l.Nights[2].Source.String(), l.Nights[2].Meals.String()
		}
		one.party = []string{"", "one adult", "two adults"}[l.Party.Adults]
		got = append(got, one)
	}
	unset := dynastay.Money{}.String()
	assert.Equal(t, []line{
		{"", "one adult", "280.00 USD", "", "", "840.00 USD", 1, availability.FreeCancellation(48)},
		{"Plan club", "two adults", "299.00 USD", "280.00 USD", "24.00 USD", "897.00 USD", 1, availability.FreeCancellation(48)},
		{"Plan non-ref", "one adult", "250.00 USD", "300.00 USD", unset, "750.00 USD", 1, availability.NonRefundable},
		{"Plan non-ref", "two adults", "270.00 USD", "300.00 USD", unset, "1620.00 USD", 2, availability.NonRefundable},
	}, got)
	assert.Equal(t, money("4107.00 USD"), q.Total)
	assert.Equal(t, []availability.Step{
		{Kind: availability.StepDerived, Amount: money("-5.00 USD")}, {Kind: availability.StepMeals, Amount: money("24.00 USD")},
	}, q.Lines[1].Nights[0].Steps)
	assert.Equal(t, req.RatePlans[0].Party, q.Lines[2].Plan.Party, "the party prices of the plan that it is derived from")
	assert.NotSame(t, req.RatePlans[0].Party, q.Lines[2].Plan.Party)

	backward := slices.Clone(req.Rooms)
	slices.Reverse(backward)
	again, err := repo.Quote(t.Context(), requestUnder(stay, backward...))
	require.NoError(t, err)
	assert.Equal(t, q, again, "the order of the rooms does not matter")
	text, err := json.Marshal(q)
	require.NoError(t, err)
	var read availability.Quote
	require.NoError(t, json.Unmarshal(text, &read))
	assert.Equal(t, *q, read)

	copied := q.Clone()
	assert.Equal(t, q, copied)
	copied.Lines[2].Plan.Party.SingleUse.Amount = money("0.00 USD")
	copied.Lines[1].Plan.Derived.Amount = money("0.00 USD")
	copied.Lines[1].Party.Adults, copied.Lines[1].Nights[0].Steps[0].Kind = 1, ""
	assert.Equal(t, *q, read, "a clone shares nothing")
}

// One room has all guests of the request.
func TestQuoteForOneRoomNeedsNoParty(t *testing.T) {
	t.Parallel()
	_, repo := openForPlans(t)
	req := requestUnder(stay, roomsUnder("flex", 1, nil))
	q, err := repo.Quote(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, adults(1), q.Lines[0].Party)
	assert.Equal(t, money("840.00 USD"), q.Total, "single use")
	req.Guests.Adults = 2
	q, err = repo.Quote(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, money("900.00 USD"), q.Total)
	assert.Equal(t, availability.FreeCancellation(24), q.Lines[0].CancellationPolicy)

	q, err = repo.Quote(t.Context(), requestUnder(stay, roomsUnder("early", 2, nil)))
	require.NoError(t, err, "nothing in this plan depends on who stays")
	assert.Nil(t, q.Lines[0].Party)
	require.NoError(t, q.Validate())
}

// The lines of a room type share its rooms.
func TestLinesShareTheRooms(t *testing.T) {
	t.Parallel()
	db, repo := openForPlans(t)
	key := dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "DATE#2026-07-11"}
	change(t, db, keys.AvailabilityTable, key, "AvailableRooms = :n", dynastay.Item{":n": dynastay.Number(3)})
	req := requestUnder(stay, roomsUnder("flex", 2, adults(2)), roomsUnder("early", 2, adults(1)))
	_, err := repo.Quote(t.Context(), req)
	assert.Equal(t, []availability.RefusedNight{
		{RoomTypeID: roomTypeID, Date: date("2026-07-11"), Reason: availability.SoldOut, Left: 3},
	}, blame.As[*availability.Refused](t, err).Nights)
	req.Overbook = 1
	q, err := repo.Quote(t.Context(), req)
	require.NoError(t, err)
	for _, line := range q.Lines {
		assert.Equal(t, dates("2026-07-11"), line.Overbooked)
	}
}

// What is stored wrongly is not the mistake of who asks.
func TestStoredPricesOfPlansMayBeCorrupt(t *testing.T) {
	t.Parallel()
	for _, price := range []string{"250.001", "-5", "10000000000000000"} {
		db, repo := openForPlans(t)
		putNights(t, db, night(roomTypeID, "2026-07-11", ratesOnSale(dynastay.Item{"flex": mapOf(dynastay.Item{"P": number(price)})})))
		for _, plan := range []string{"flex", "non-ref"} {
			_, err := repo.Quote(t.Context(), requestUnder(stay, roomsUnder(plan, 1, nil)))
			require.ErrorIs(t, err, dynastay.ErrCorrupt, price)
			assert.NotErrorIs(t, err, dynastay.ErrInvalid)
		}
		_, err := repo.Quote(t.Context(), requestUnder(stay, roomsUnder("early", 1, nil)))
		assert.NoError(t, err, "another plan")
	}
}

// A night outside the stay, which only the caller can have added, is ignored.
func TestQuoteOfNightsOutsideTheStay(t *testing.T) {
	t.Parallel()
	_, repo := openForPlans(t)
	checked, err := repo.Check(t.Context(), propertyID, roomTypeID, 1, stay)
	require.NoError(t, err)
	want, err := checked.PricesUnder(&plansOnSale()[0], nil, *adults(2), date("2026-06-01"))
	require.NoError(t, err)
	for _, day := range []string{"2026-07-09", "2026-07-13"} {
		more := checked
		other := checked.Nights[0]
		other.Date = date(day)
		more.Nights = append(slices.Clone(checked.Nights), other)
		got, err := more.PricesUnder(&plansOnSale()[0], nil, *adults(2), date("2026-06-01"))
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err = checked.PricesUnder(&plansOnSale()[0], nil, availability.Party{}, date("2026-06-01"))
	blame.Invalid(t, err, "Party.Adults")
}

// A reason appears once, however many parties ask, and children are the same in any order.
func TestPartiesOfOnePlan(t *testing.T) {
	t.Parallel()
	db, repo := openForPlans(t)
	family := func(ages ...int) *availability.Party {
		return &availability.Party{Guests: availability.Guests{Adults: 1, Children: len(ages)}, ChildAges: ages}
	}
	large := func(r availability.Room) availability.Room {
		r.Limits = availability.Limits{MaxAdults: 2, MaxChildren: 2, MaxOccupancy: 4}
		return r
	}
	ages := []int{5, 3}
	req := requestUnder(stay, large(roomsUnder("flex", 1, family(ages...))), large(roomsUnder("flex", 1, family(3, 5))), large(roomsUnder("flex", 1, adults(1))))
	q, err := repo.Quote(t.Context(), req)
	require.NoError(t, err)
	require.Len(t, q.Lines, 2)
	assert.Equal(t, family(3, 5), q.Lines[1].Party)
	assert.Equal(t, 2, q.Lines[1].Quantity)
	assert.Equal(t, []int{5, 3}, ages, "the request is not changed")

	putNights(t, db, night(roomTypeID, "2026-07-10", ratesOnSale(dynastay.Item{
		"flex": mapOf(dynastay.Item{"P": number("300"), "S": yes, "N": number("7")}),
	})))
	req.RatePlans[0].Conditions.MinStay = 7
	_, err = repo.Quote(t.Context(), req)
	assert.Equal(t, []availability.RefusedNight{
		{RoomTypeID: roomTypeID, RatePlanID: "flex", Date: date("2026-07-10"), Reason: availability.StopSell},
		{RoomTypeID: roomTypeID, RatePlanID: "flex", Date: date("2026-07-10"), Reason: availability.MinStay, Nights: 7},
	}, blame.As[*availability.Refused](t, err).Nights)
}
