package world

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// planOf returns the id of the plan under which a line was sold, or "".
func planOf(line bookings.Line) string {
	if line.Plan == nil {
		return ""
	}
	return line.Plan.ID
}

// plainLines counts the lines without a plan.
func plainLines(lines []availability.Line) (n int) {
	for _, line := range lines {
		if line.Plan == nil {
			n++
		}
	}
	return n
}

// withPlans lets the repository create the rate plans of a hotel, and returns the hotel with them on its card.
func withPlans(t testing.TB, repo *properties.Repository, made *properties.WithRooms, h *house) *properties.WithRooms {
	t.Helper()
	require.NoError(t, h.createPlans(context.Background(), repo))
	made, err := repo.GetWithRooms(context.Background(), made.ID)
	require.NoError(t, err)
	return made
}

// ratePlans are the plans of a property, which it reads. The property counts them.
func (l *ledger) ratePlans(db *dynastay.DB, p *properties.Whole) []availability.RatePlan {
	plans, err := properties.New(db, nil).RatePlans(context.Background(), p.ID)
	require.NoError(l.t, err)
	assert.Len(l.t, plans, p.RatePlanCount, p.ID)
	for _, plan := range plans {
		l.add(keys.PropertiesTable, l.key(keys.Of(keys.RatePlan{PropertyID: p.ID, RatePlanID: plan.ID})), rowsOf{})
	}
	return plans
}

// ids returns the ids of plans.
func ids(plans []availability.RatePlan) (all []string) {
	for _, plan := range plans {
		all = append(all, plan.ID)
	}
	return all
}

// sellsUnder returns the ids of the plans of a hotel, or "" for the prices of the nights.
func sellsUnder(h *Hotel) []string {
	if len(h.RatePlans) == 0 {
		return []string{""}
	}
	return ids(h.RatePlans)
}

// checkPrices checks the terms of a line, and its prices against those of its nights. Asks tells whether the charges of the
// hotel ask who stays in which room. It does not use what the world says about itself.
func checkPrices(
	t testing.TB, p *properties.WithRooms, plans []availability.RatePlan, asks bool, b *bookings.Booking, line bookings.Line,
	prices []dynastay.Money,
) {
	t.Helper()
	room := p.Rooms[slices.IndexFunc(p.Rooms, func(r properties.RoomType) bool { return r.ID == line.RoomTypeID })]
	policy := cmp.Or(room.CancellationPolicy, p.CancellationPolicy)
	var want []availability.NightPrice
	if line.Plan == nil {
		assert.True(t, asks || line.Party == nil, b.ID)
		for n, price := range prices {
			price = agreedPrice(t, line, price)
			want = append(want, availability.NightPrice{Date: b.Stay.CheckIn.AddDays(n), Price: price})
		}
	} else {
		require.Equal(t, []string{flex, saver, bb}, ids(plans), b.PropertyID)
		plan := plans[slices.Index(ids(plans), line.Plan.ID)]
		policy = cmp.Or(plan.CancellationPolicy, policy)
		request := availability.RateRequest{Stay: b.Stay, Today: b.Stay.CheckIn, Sources: prices}
		if plan.Derived != nil {
			request.From = &plans[0]
		}
		if request.Party.Adults = 1; b.Rooms == 1 {
			require.NotNil(t, line.Party, b.ID)
			assert.Equal(t, b.Guests, line.Party.Guests, b.ID)
			request.Party = *line.Party
		} else {
			assert.Equal(t, asks, line.Party != nil, b.ID)
			assert.NotEqual(t, bb, plan.ID, b.ID)
		}
		nights, err := plan.Price(request)
		require.NoError(t, err)
		for _, n := range nights {
			want = append(want, availability.NightPrice{Date: n.Date, Price: n.Price, Source: n.Source, Meals: n.Meals})
		}
	}
	assert.Equal(t, want, line.Nights, b.ID)
	assert.Equal(t, policy, line.CancellationPolicy, b.ID)
}

// The rate plans of a world that is large enough to show the shares.
func TestRatePlans(t *testing.T) {
	t.Parallel()
	w, sample := typical()
	hotels, with, suspended, children, ages := 0, 0, 0, 0, 0
	one, several, past := map[string]int{}, map[string]int{}, map[string]int{}
	percents, policies := map[dynastay.Percent]bool{}, map[availability.CancellationPolicy]bool{}
	for _, h := range sample {
		if h.Status == properties.Pending || h.Status == properties.Rejected {
			assert.Empty(t, h.RatePlans, h.Status)
			continue
		}
		hotels++
		for _, n := range h.Nights {
			if len(h.RatePlans) == 0 {
				assert.Nil(t, n.Rates, h.ID)
			} else {
				assert.Equal(t, map[string]availability.Rate{flex: {Price: n.Price}}, n.Rates, h.ID)
			}
		}
		if len(h.RatePlans) == 0 {
			assert.Nil(t, h.RatePlans)
			for _, b := range slices.Concat(h.Bookings, h.PastStays) {
				for _, line := range b.Lines {
					assert.True(t, line.Plan == nil && (line.Party == nil || h.Charges != nil), b.ID)
				}
			}
			continue
		}
		with++
		if h.Status == properties.Suspended {
			suspended++
		}
		require.Equal(t, []string{flex, saver, bb}, ids(h.RatePlans))
		for n, plan := range h.RatePlans {
			assert.True(t, plan.Active && plan.Advertised && plan.DisplayOrder == n+1, "%s of %s", plan.ID, h.ID)
			assert.False(t, plan.CreatedAt.After(h.CreatedAt), "before the first booking")
		}
		policies[h.RatePlans[0].CancellationPolicy] = true
		percents[h.RatePlans[1].Derived.Percent] = true
		assert.Equal(t, availability.NonRefundable, h.RatePlans[1].CancellationPolicy)
		checkBreakfast(t, h.RatePlans[2].Meals, h.Rooms[0].BasePrice.Currency())
		for _, b := range slices.Concat(h.Bookings, h.PastStays) {
			for _, line := range b.Lines {
				assert.Equal(t, planOf(b.Lines[0]), planOf(line), "%s is under one plan", b.ID)
			}
			switch plan, code := planOf(b.Lines[0]), b.PromoCode != ""; {
			case b.Stay.CheckIn.Before(w.opts.Today):
				past[plan]++
			case code:
				assert.NotEqual(t, saver, plan, b.ID)
			case b.Rooms > 1:
				several[plan]++
			default:
				one[plan]++
			}
			if party := b.Lines[0].Party; b.Rooms == 1 && b.Lines[0].Plan != nil && party.Children > 0 {
				children++
				if len(party.ChildAges) > 0 {
					assert.Len(t, party.ChildAges, party.Children, b.ID)
					ages++
				}
			}
		}
	}
	total := func(of map[string]int) (n int) {
		for _, of := range of {
			n += of
		}
		return n
	}
	for name, share := range map[string]struct{ percent, is, within float64 }{
		"hotels with plans":          {40, percent(with, hotels), 6},
		"one room, no plan":          {25, percent(one[""], total(one)), 3},
		"one room, flex":             {35, percent(one[flex], total(one)), 3},
		"one room, saver":            {20, percent(one[saver], total(one)), 3},
		"one room, bb":               {20, percent(one[bb], total(one)), 3},
		"several rooms, no plan":     {25, percent(several[""], total(several)), 6},
		"several rooms, flex":        {45, percent(several[flex], total(several)), 6},
		"several rooms, saver":       {30, percent(several[saver], total(several)), 6},
		"past stays under a plan":    {75, percent(total(past)-past[""], total(past)), 6},
		"children whose age is told": {80, percent(ages, children), 5},
	} {
		assert.InDelta(t, share.percent, share.is, share.within, name)
	}
	assert.Positive(t, suspended)
	assert.Len(t, policies, len(flexHours))
	assert.Len(t, percents, len(saverRates))
	for percent := range percents {
		assert.True(t, -20_00 <= percent && percent <= -10_00, percent)
	}
}

// checkBreakfast checks that breakfast is added, and costs less the younger a child is.
func checkBreakfast(t testing.TB, m availability.Meals, currency dynastay.Currency) {
	t.Helper()
	assert.True(t, m.Added && m.Plan == availability.Breakfast)
	assert.True(t, m.Adult.Sign() > 0 && m.Adult.Currency() == currency, m.Adult)
	require.Len(t, m.Bands, 2)
	assert.Zero(t, m.Bands[0].Amount.Sign())
	order, err := m.Bands[1].Amount.Compare(m.Adult)
	require.NoError(t, err)
	assert.True(t, m.Bands[1].Amount.Sign() > 0 && order < 0, m.Bands[1].Amount)
}

// A guest can book what is left of a loaded hotel under each of its plans, at the price of the plan.
func TestOffersUnderRatePlans(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), New(Options{Seed: 8, Properties: 40, Users: 30})
	db, booked := loaded(t, w).DB, 0
	for h := range w.Hotels() {
		ask, ok := h.Offer(2, 1)
		if !ok || len(h.RatePlans) == 0 {
			continue
		}
		plan := h.RatePlans[booked%len(h.RatePlans)] // one for each hotel, because a booking changes what is left
		ask.Rooms[0].RatePlanID = plan.ID
		quote, err := availability.New(db).Quote(ctx, ask)
		require.NoError(t, err, "%s of %s", plan.ID, h.ID)
		b, err := bookings.New(db, nil).Create(ctx, bookings.Request{Quote: quote, UserID: w.User(0).ID, Guest: bookings.Guest{
			FirstName: "Ada", LastName: "Byron", Email: "ada@example.com",
		}})
		require.NoError(t, err)
		read, err := availability.New(db).Check(ctx, h.ID, b.Lines[0].RoomTypeID, 1, b.Stay)
		require.NoError(t, err)
		prices := make([]dynastay.Money, len(read.Nights))
		for n, night := range read.Nights {
			prices[n] = night.Price
		}
		assert.Equal(t, plan.ID, planOf(b.Lines[0]))
		checkPrices(t, h.WithRooms, h.RatePlans, false, b, b.Lines[0], prices)
		booked++
	}
	assert.GreaterOrEqual(t, booked, 9, "each plan at several hotels")
}

// unplanned removes from an item of a hotel with rate plans what they change. It returns false for an item that exists
// only because of the plans, and for a refund, which the policy of a plan may rule out.
func unplanned(item dynastay.Item) bool {
	kind := dynastay.RowOf(item).Text(keys.AttrEntityType)
	for _, name := range changedByPlans[kind] {
		delete(item, name)
	}
	if card, ok := item[keys.AttrCard].(*types.AttributeValueMemberM); ok {
		delete(card.Value, "Rates")
	}
	return kind != "RatePlan" && kind != "Refund"
}

var changedByPlans = map[string][]string{
	"Property":     {"RatePlanCount"},
	"Availability": {"Rates"},
	"Booking":      {"CancellationPolicy", "PaymentStatus", "PriceBreakdown", "TotalAmount"},
	"BookingRoom": {
		"Adults", "CancellationPolicy", "ChildAges", "Children", "MealPlan", "MealPrice", "NightlyPrices", "PlanRule", "PricePerNight",
		"RatePlanId", "RatePlanName", "SourcePrices", "Subtotal",
	},
	"Payment":        {"Amount", "AuthorizedAmount", "PaidAmount", "RefundAmount", "RefundedAt", "Status"},
	"PaymentAttempt": {"Amount"},
}

// The dice of rate plans are of no other use: everything else is as in the worlds before there were plans, whose sums
// these are. There were no payment terms and channels either, so what they change is left out. Who changes on purpose what
// worlds contain changes the sums.
func TestRatePlansChangeNothingElse(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := New(Options{Seed: 12, Properties: 40, Users: 60, Listings: 5, Requests: 20, Nights: 21})
	without, with := sha256.New(), sha256.New()
	c, err := w.rest(ctx)
	require.NoError(t, err)
	_, err = c.accounts(ctx, 0, w.opts.Users)
	require.NoError(t, err)
	for i := range w.opts.Listings {
		_, err := c.listing(ctx, i)
		require.NoError(t, err)
	}
	for s, item := range c.items {
		fmt.Fprintln(without, s.Name, text(t, item))
	}
	planned := 0
	for i := range w.opts.Properties {
		c, sum := w.cell(), without
		if len(w.house(i).charges) > 0 { // see TestChargesChangeNothingElse
			continue
		}
		_, err := c.hotel(ctx, i)
		require.NoError(t, err)
		if len(w.house(i).plans) > 0 {
			planned++
			sum = with
		}
		origins := w.origins(t, i)
		for s, item := range c.items {
			if !withoutOrigin(item, origins) {
				continue
			}
			withoutHouse(item)
			if sum == with {
				withoutTerms(t, item)
			}
			if sum == without || unplanned(item) {
				fmt.Fprintln(sum, s.Name, text(t, item))
			}
		}
	}
	require.Greater(t, planned, 8)
	assert.Equal(t, "cbf6752f6ab81d2abe5756ed9ec29261d47ccc2f2a70578ba0cccc706285e7fb", hex.EncodeToString(without.Sum(nil)),
		"the catalogues, users, listings, the venue, and hotels without plans and charges")
	assert.Equal(t, "b4689eb04be59fde57d18628b39decfe8f48310e91a896994b39e7477dbbe7dd", hex.EncodeToString(with.Sum(nil)),
		"hotels with plans and without charges, but for what the plans change")
}
