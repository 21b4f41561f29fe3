package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// plan is an advertised plan of the inn a.
func plan(id string, edits ...func(*availability.RatePlan)) availability.RatePlan {
	p := availability.RatePlan{PropertyID: "a", ID: id, Name: "Plan " + id, Active: true, Advertised: true}
	for _, edit := range edits {
		edit(&p)
	}
	return p
}

func derived(from string, percent dynastay.Percent) func(*availability.RatePlan) {
	return func(p *availability.RatePlan) { p.Derived = &availability.Derivation{From: from, Percent: percent} }
}

// breakfast is added to the price.
func breakfast(amount string) func(*availability.RatePlan) {
	return func(p *availability.RatePlan) {
		p.Meals = availability.Meals{Plan: availability.Breakfast, Added: true, Adult: usd(amount)}
	}
}

func hidden(p *availability.RatePlan) { p.Advertised = false }

func (n *inns) sell(t testing.TB, plans ...availability.RatePlan) {
	t.Helper()
	for _, plan := range plans {
		_, err := n.properties.CreateRatePlan(t.Context(), plan)
		require.NoError(t, err)
	}
}

// priced sets the prices of plans for the nights of a room type.
func (n *inns) priced(t testing.TB, roomTypeID string, prices map[string]string) {
	t.Helper()
	rates := map[string]availability.RateChange{}
	for id, price := range prices {
		rates[id] = availability.RateChange{Price: usd(price)}
	}
	n.change(t, "a", roomTypeID, availability.Change{Rates: rates})
}

// described says what each quote is: its rooms with their plans and parties, and the total.
func describedQuotes(quotes []*availability.Quote) (all []string) {
	for _, q := range quotes {
		var lines []string
		for _, line := range q.Lines {
			text := fmt.Sprintf("%d×%s", line.Quantity, line.RoomTypeID)
			if line.Plan != nil {
				text += "/" + line.Plan.ID
			}
			if line.Party != nil {
				text += fmt.Sprintf("(%d+%d%v)", line.Party.Adults, line.Party.Children, line.Party.ChildAges)
			}
			lines = append(lines, text)
		}
		all = append(all, strings.Join(append(lines, q.Total.String()), " "))
	}
	return all
}

// Each room type is offered under each advertised plan that is for it and, if there is none, at the price of its nights.
// The quotes are those that the plans of the property give, and are booked as they are.
func TestEveryAdvertisedPlan(t *testing.T) {
	t.Parallel()
	h := openInns(t, bookingTables)
	h.add(t, inn("a"), room("double", 2, "100"), room("hut", 2, "70"), room("suite", 3, "300"))
	forTwo := func(p *availability.RatePlan) { p.RoomTypeIDs = []string{"double", "suite"} }
	h.sell(t,
		plan("flex", forTwo, hidden), plan("saver", forTwo, derived("flex", -10_00), func(p *availability.RatePlan) {
			p.CancellationPolicy = availability.NonRefundable
		}),
		plan("bb", derived("", 0), breakfast("12"), func(p *availability.RatePlan) { p.RoomTypeIDs = []string{"suite"} }),
		plan("old", derived("", -99_00), func(p *availability.RatePlan) { p.Active = false }),
	)
	h.priced(t, "double", map[string]string{"flex": "110"})
	h.priced(t, "suite", map[string]string{"flex": "330"})
	quotes := h.only(t, request())
	assert.Equal(t, []string{
		"1×hut 210.00 USD", "1×double/saver(2+0[]) 297.00 USD", "1×suite/saver(2+0[]) 891.00 USD", "1×suite/bb(2+0[]) 972.00 USD",
	}, describedQuotes(quotes))
	plans, err := h.properties.RatePlans(t.Context(), "a")
	require.NoError(t, err)
	for _, q := range quotes {
		choice := properties.Choice{RoomTypeID: q.Lines[0].RoomTypeID, Quantity: 1}
		if q.Lines[0].Plan != nil {
			choice.RatePlanID = q.Lines[0].Plan.ID
		}
		req, err := must(h.properties.GetWithRooms(t.Context(), "a")).Card().QuoteRequest(stay, q.Guests, choice)
		require.NoError(t, err)
		req.RatePlans = plans // as they are stored, not as the card has them
		want, err := h.nights.Quote(t.Context(), req)
		require.NoError(t, err)
		assert.Equal(t, want, q)
		h.book(t, q)
	}
}

// Filters and orders are about what the guest pays, and gets, under each plan.
func TestFiltersUnderPlans(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100"), room("suite", 2, "300"))
	h.add(t, inn("b"), room("b_double", 2, "95"))
	strict := func(p *availability.RatePlan) { p.CancellationPolicy = availability.NonRefundable }
	h.sell(t, plan("flex", derived("", 0)), plan("saver", derived("", -10_00), strict), plan("bb", derived("", 0), breakfast("5"), strict))
	quotes := func(edits ...func(*search.Request)) []string { return describedQuotes(h.first(t, request(edits...))) }
	inUSD := func(r *search.Request) { r.Currency, r.Sort = "USD", search.LowestTotal }

	all := []string{
		"1×double/saver(2+0[]) 270.00 USD", "1×double/flex(2+0[]) 300.00 USD", "1×double/bb(2+0[]) 330.00 USD",
		"1×suite/saver(2+0[]) 810.00 USD", "1×suite/flex(2+0[]) 900.00 USD", "1×suite/bb(2+0[]) 930.00 USD",
	}
	assert.Equal(t, all, quotes(inUSD), "the saver is cheaper than b")
	assert.Equal(t, []string{"1×b_double 285.00 USD"}, quotes(inUSD, free), "without it, b is cheaper")
	assert.Equal(t, []string{all[1], all[4]}, quotes(free, func(r *search.Request) { r.Sort = search.HighestPrice; r.Currency = "USD" }))
	assert.Equal(t, []string{all[2], all[5]}, quotes(func(r *search.Request) {
		r.Filter.Meals = []availability.MealPlan{availability.Breakfast, availability.HalfBoard}
	}))
	assert.Empty(t, quotes(func(r *search.Request) { r.Filter.Meals = []availability.MealPlan{availability.HalfBoard} }))
	assert.Empty(t, quotes(free, func(r *search.Request) { r.Filter.Meals = []availability.MealPlan{availability.Breakfast} }))
	assert.Equal(t, []string{all[2], all[3]}, quotes(func(r *search.Request) {
		r.Currency, r.Filter.MinNightly, r.Filter.MaxNightly = "USD", usd("110"), usd("270")
	}))

	// A sale at the price of the nights has a meal plan as little as one that says nothing.
	for _, meals := range []availability.MealPlan{"", "lunch"} {
		_, err := h.search.Page(t.Context(), request(func(r *search.Request) { r.Filter.Meals = []availability.MealPlan{availability.Breakfast, meals} }), dynastay.Paging{})
		blame.Invalid(t, err, "Filter.Meals[1]")
	}
}

// first returns the quotes of the first offer.
func (n *inns) first(t testing.TB, r search.Request) []*availability.Quote {
	t.Helper()
	if page := n.page(t, r, dynastay.Paging{}); len(page.Offers) > 0 {
		return page.Offers[0].Quotes
	}
	return nil
}

// A plan that stops selling, or whose conditions the stay does not meet, does not stop the others. Where nothing is left,
// the refusal names each plan.
func TestRefusalsOfPlans(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100"))
	h.sell(t, plan("flex", derived("", 0)), plan("long", derived("", -10_00), func(p *availability.RatePlan) { p.Conditions.MinStay = 3 }))
	stop := func(id string) {
		h.change(t, "a", "double", availability.Change{
			Rates: map[string]availability.RateChange{id: {StopSell: aws.Bool(true)}},
			Dates: dynastay.Stay{CheckIn: stay.LastNight(), CheckOut: stay.CheckOut},
		})
	}
	stop("flex")
	assert.Equal(t, []string{"1×double/long(2+0[]) 270.00 USD"}, describedQuotes(h.only(t, request())))
	short := request(func(r *search.Request) { r.Stay.CheckIn = r.Stay.CheckIn.AddDays(1) })
	refused := func(adults int, wanted ...string) {
		t.Helper()
		short.Guests.Adults = adults
		page := h.page(t, short, dynastay.Paging{})
		require.Empty(t, page.Offers)
		require.Len(t, page.Refused, 1)
		var refusal *availability.Refused
		require.ErrorAs(t, page.Refused[0].Err, &refusal)
		var got []string
		for _, n := range refusal.Nights {
			got = append(got, fmt.Sprint(n.RoomTypeID, " ", n.RatePlanID, " ", n.Date, " ", n.Reason))
		}
		assert.Equal(t, wanted, got)
	}
	last := stay.LastNight().String()
	for _, adults := range []int{2, 4} { // one room, and two of them
		refused(adults, "double flex "+last+" stop_sell", "double long "+short.Stay.CheckIn.String()+" min_stay")
	}
	stop("long")
	page := h.page(t, request(), dynastay.Paging{})
	require.Len(t, page.Refused, 1)
	assert.ErrorIs(t, page.Refused[0].Err, dynastay.ErrRefused)
}

// A party in several rooms: each room type has its cheapest plan, and where the price depends on who stays, everybody has
// a room. Ages count.
func TestPartyUnderPlans(t *testing.T) {
	t.Parallel()
	h := openInns(t, bookingTables)
	h.add(t, inn("a"), room("double", 2, "100"), room("triple", 3, "150"))
	h.sell(t,
		plan("child", derived("", 0), func(p *availability.RatePlan) {
			p.Party = &availability.PartyPrices{
				Included: 1, ExtraAdult: availability.Supplement{Amount: usd("20")},
				Bands: []availability.AgeBand{{Through: 5}, {Through: 11, Bedless: availability.Supplement{Amount: usd("10")}}},
			}
		}),
		plan("dear", derived("", 50_00)),
	)
	family := func(edits ...func(*search.Request)) search.Request {
		return request(append(edits, func(r *search.Request) { r.Guests = availability.Guests{Adults: 3, Children: 2} })...)
	}
	one := func(r *search.Request) []string {
		quotes := h.only(t, *r)
		h.book(t, quotes[0])
		return describedQuotes(quotes)
	}
	unknown, known := family(), family(func(r *search.Request) { r.ChildAges = []int{9, 3} })
	assert.Equal(t, []string{"1×double/child(1+1[]) 1×triple/child(2+1[]) 870.00 USD"}, one(&unknown))
	assert.Equal(t, []string{"1×double/child(1+1[3]) 1×triple/child(2+1[9]) 840.00 USD"}, one(&known))

	// Two rooms of one type. Nobody needs to be divided where no price depends on it.
	pair := request(func(r *search.Request) {
		r.Guests, r.Rooms, r.ChildAges = availability.Guests{Adults: 2, Children: 2}, 2, []int{9, 3}
	})
	assert.Equal(t, []string{
		"1×double/child(1+1[3]) 1×double/child(1+1[9]) 630.00 USD", "2×double/dear 900.00 USD",
		"1×triple/child(1+1[3]) 1×triple/child(1+1[9]) 930.00 USD", "2×triple/dear 1350.00 USD",
	}, describedQuotes(h.only(t, pair)))

	// One room of each is left: too few of one type, but not too few together.
	h.change(t, "a", "double", availability.Change{Rooms: aws.Int(3)})
	h.change(t, "a", "triple", availability.Change{Rooms: aws.Int(3)})
	assert.Equal(t, []string{"1×double/child(1+1[3]) 1×triple/child(1+1[9]) 780.00 USD"}, describedQuotes(h.only(t, pair)))
}

// Where a price depends on who stays, room types are compared as if each room had as many of the guests as it holds, first
// adults: here three adults, and no child.
func TestFullRoomsAreCompared(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("triple", 3, "150"))
	h.sell(t, plan("flat", derived("", 0)), plan("kids", derived("", -10_00), func(p *availability.RatePlan) {
		p.Party = &availability.PartyPrices{Bands: []availability.AgeBand{{Through: 17, Bedless: availability.Supplement{Amount: usd("40")}}}}
	}))
	group := request(func(r *search.Request) { r.Guests = availability.Guests{Adults: 3, Children: 2} })
	assert.Equal(t, []string{"1×triple/kids(1+1[]) 1×triple/kids(2+1[]) 1050.00 USD"}, sortedLines(h.only(t, group)))
}

// Plans take no request more, and the reads know that they make the nights larger.
func TestCostUnderPlans(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100"), room("suite", 2, "300"))
	read := func() (requests int, cards, nights float64) {
		_, requests, cards, nights = h.measured(t, h.search, request(), dynastay.Paging{})
		return requests, cards, nights
	}
	requests, cards, nights := read()
	h.sell(t, plan("flex"), plan("saver", derived("flex", -10_00)), plan("bb", breakfast("12")))
	for _, id := range []string{"double", "suite"} {
		h.priced(t, id, map[string]string{"flex": "110", "bb": "115"})
	}
	moreRequests, moreCards, moreNights := read()
	assert.Equal(t, []any{2, 0.5, 0.5}, []any{requests, cards, nights})
	assert.Equal(t, []any{2, 0.5, 0.5}, []any{moreRequests, moreCards, moreNights})
	assert.Len(t, h.only(t, request()), 6)

	card := h.page(t, request(), dynastay.Paging{}).Offers[0].Property
	for _, req := range card.CheckRequests(1) {
		assert.Equal(t, 2, req.RatePlans, "flex and bb have prices of their own")
	}
}

// More lines than a booking can have are not offered.
func TestTooManyLines(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100", func(r *properties.RoomType) { r.Total = 15 }))
	h.sell(t, plan("child", derived("", 0), func(p *availability.RatePlan) {
		p.Party = &availability.PartyPrices{Bands: []availability.AgeBand{{Through: 17}}}
	}))
	group := request(func(r *search.Request) { r.Guests, r.Rooms = availability.Guests{Adults: 11, Children: 11}, 11 })
	for age := range 11 {
		group.ChildAges = append(group.ChildAges, age/2)
	}
	assert.Len(t, h.only(t, group)[0].Lines, 6)
	group.ChildAges = group.ChildAges[:0]
	for age := range 11 {
		group.ChildAges = append(group.ChildAges, age)
	}
	page := h.page(t, group, dynastay.Paging{})
	require.Len(t, page.Refused, 1)
	assert.ErrorIs(t, page.Refused[0].Err, search.ErrTooLong)
	group.ChildAges = group.ChildAges[:9] // two children of unknown age
	assert.Len(t, h.only(t, group)[0].Lines, availability.MaxLines)
}

// A cursor belongs to the ages and the meals of its request as well.
func TestCursorOfPartyAndMeals(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("a_double", 3, "100"))
	h.add(t, inn("b"), room("b_double", 3, "100"))
	plain := request(func(r *search.Request) { r.Guests.Children = 1 })
	aged, other := plain, plain
	aged.ChildAges, other.ChildAges = []int{5}, []int{6}
	for _, test := range []struct{ of, not search.Request }{{plain, aged}, {aged, plain}, {aged, other}} {
		page := h.page(t, test.of, dynastay.Paging{Limit: 1})
		require.NotEmpty(t, page.Next)
		_, err := h.search.Page(t.Context(), test.not, dynastay.Paging{Limit: 1, After: page.Next})
		assert.ErrorIs(t, err, dynastay.ErrCursor)
		h.page(t, test.of, dynastay.Paging{Limit: 1, After: page.Next})
	}
	next := h.page(t, plain, dynastay.Paging{Limit: 1}).Next
	plain.Filter.Meals = []availability.MealPlan{availability.Breakfast}
	_, err := h.search.Page(t.Context(), plain, dynastay.Paging{Limit: 1, After: next})
	assert.ErrorIs(t, err, dynastay.ErrCursor)
	for _, ages := range [][]int{{5, 6}, {18}, {-1}} {
		plain.ChildAges = ages
		_, err := h.search.Page(t.Context(), plain, dynastay.Paging{})
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
	}
}

// What other software has stored in a way in which it cannot be priced is reported, and hides neither the other plans nor the
// other room types, whether the guests need one room or several.
func TestWhatCannotBePriced(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(*inns){
		"a percentage": func(h *inns) { h.onCard(t, "a", dynastay.Text(`{"d":{"p":-12000}}`), "Rates", "bad", "T") },
		"a policy":     func(h *inns) { h.onCard(t, "a", dynastay.Text(`{"p":"=x","d":{"p":-5000}}`), "Rates", "bad", "T") },
		"a room without adults": func(h *inns) {
			h.onCard(t, "a", dynastay.Number(0), "Rooms", "suite", "A")
			h.onCard(t, "a", dynastay.Text("garbage"), "Rates", "bad", "T")
		},
		"a price": func(h *inns) {
			h.onCard(t, "a", dynastay.Text("garbage"), "Rates", "bad", "T")
			h.set(t, keys.AvailabilityTable, nightKey("suite", stay.CheckIn), &types.AttributeValueMemberN{Value: "300.001"}, "PricePerNight")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openInns(t, searchTables)
			h.add(t, inn("a"), room("double", 2, "100"), room("suite", 2, "300"))
			h.sell(t, plan("good", derived("", 0)), plan("bad", derived("", 10_00)))
			breaks(h)
			for adults, want := range map[int]string{2: "1×double/good(2+0[]) 300.00 USD", 4: "2×double/good 600.00 USD"} {
				page, err := h.search.Page(t.Context(), request(func(r *search.Request) { r.Guests.Adults = adults }), dynastay.Paging{})
				assert.Equal(t, name == "a room without adults", err == nil, "which is too small for anybody, and no mistake: %v", err)
				require.Len(t, page.Offers, 1)
				assert.Equal(t, want, describedQuotes(page.Offers[0].Quotes)[0])
			}
		})
	}
	// A room type whose only plan is unusable is not offered at the price of the nights instead.
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100"))
	h.sell(t, plan("bad", derived("", 10_00)))
	h.onCard(t, "a", dynastay.Text(`{"d":{"p":-12000}}`), "Rates", "bad", "T")
	page, err := h.search.Page(t.Context(), request(), dynastay.Paging{})
	assert.Empty(t, page.Offers)
	var unreadable *dynastay.UnreadableError
	require.ErrorAs(t, err, &unreadable)
	assert.Len(t, unreadable.Items, 1)
}

// Days ahead count from today at the property: it may be tomorrow there already.
func TestDaysAheadAtTheProperty(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	early := availability.Discounts{Early: []availability.DaysDiscount{{Days: 20, Percent: 50_00}}}
	for id, zone := range map[string]string{"a": "", "b": "Pacific/Kiritimati"} {
		h.add(t, inn(id, func(p *properties.Property) { p.TimeZone = zone }), room("double_"+id, 2, "100"))
		h.sell(t, plan("early", derived("", 0), func(p *availability.RatePlan) { p.PropertyID, p.Discounts = id, early }))
	}
	totals := map[string]string{}
	for _, offer := range h.page(t, request(), dynastay.Paging{}).Offers {
		totals[offer.Property.PropertyID] = offer.Quotes[0].Total.String()
	}
	assert.Equal(t, map[string]string{"a": "150.00 USD", "b": "300.00 USD"}, totals)
}

// A plan that is cheapest for a full room may not be for those who then stay there, or make too many lines. The others are
// tried, and a refusal names all.
func TestCheapestPlanIsNotForTheParty(t *testing.T) {
	t.Parallel()
	h := openInns(t, searchTables)
	h.add(t, inn("a"), room("double", 2, "100", func(r *properties.RoomType) { r.Total = 15 }))
	couples := plan("couples", derived("", -50_00), func(p *availability.RatePlan) {
		p.Party = &availability.PartyPrices{Included: 2, SingleUse: availability.Supplement{Amount: usd("-60")}}
	})
	h.sell(t, couples, plan("flex", derived("", 0)), plan("child", derived("", -20_00), func(p *availability.RatePlan) {
		p.Party = &availability.PartyPrices{Bands: []availability.AgeBand{{Through: 17}}}
	}))
	group := func(adults, children int, ages ...int) search.Request {
		return request(func(r *search.Request) {
			r.Guests, r.ChildAges = availability.Guests{Adults: adults, Children: children}, ages
		})
	}
	assert.Equal(t, []string{"1×double/child(1+0[]) 1×double/child(2+0[]) 480.00 USD"}, sortedLines(h.only(t, group(3, 0))))
	ages := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	assert.Equal(t, []string{"11×double/flex 3300.00 USD"}, describedQuotes(h.only(t, group(11, 11, ages...))))
	stop := func(plans ...string) {
		for _, id := range plans {
			h.change(t, "a", "double", availability.Change{Rates: map[string]availability.RateChange{id: {StopSell: aws.Bool(true)}}})
		}
	}
	stop("flex", "child")
	page := h.page(t, group(3, 0), dynastay.Paging{})
	require.Len(t, page.Refused, 1)
	var refused *availability.Refused
	require.ErrorAs(t, page.Refused[0].Err, &refused)
	plans := map[string]bool{}
	for _, n := range refused.Nights {
		plans[n.RatePlanID] = true
	}
	assert.Equal(t, map[string]bool{"couples": true, "flex": true, "child": true}, plans)
}

// sortedLines is describedQuotes with the lines of each quote in the order of their texts.
func sortedLines(quotes []*availability.Quote) []string {
	all := describedQuotes(quotes)
	for i, text := range all {
		parts := strings.Fields(text)
		lines := parts[:len(parts)-2]
		slices.Sort(lines)
		all[i] = strings.Join(parts, " ")
	}
	return all
}
