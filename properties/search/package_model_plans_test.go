package search_test

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/levy"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/tariff"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// rate is what a night has for a plan.
type rate struct {
	price   dynastay.Money
	stop    bool
	minStay int
}

var tariffMeals = []availability.MealPlan{
	availability.RoomOnly, availability.Breakfast, availability.HalfBoard, availability.FullBoard, availability.AllInclusive,
}

// addPlans gives every third property some plans, the first of which has prices of its own.
func (h *hotels) addPlans(t testing.TB, d tariff.Draw, p *properties.WithRooms) {
	t.Helper()
	if !d.One(3) || p.Status != properties.Approved || len(p.Rooms) == 0 {
		return
	}
	currency := p.Rooms[0].BasePrice.Currency()
	for i, id := range []string{"base", "saver", "club", "late"}[:d.Between(1, 4)] {
		plan := d.Plan(id, currency)
		plan.PropertyID, plan.Advertised, plan.DisplayOrder = p.ID, !d.One(4), d.IntN(3)
		if i > 0 {
			plan.Derived = d.Derivation(currency)
			plan.Derived.From = tariff.Pick(d, "", "base")
		}
		if d.One(3) {
			plan.CancellationPolicy = tariff.Pick(d, availability.NonRefundable, availability.FreeCancellation(24))
		}
		if d.One(3) {
			plan.RoomTypeIDs = []string{p.Rooms[d.IntN(len(p.Rooms))].ID}
		}
		if d.One(4) {
			plan.Conditions.MinStay = 2
		}
		repo := properties.New(h.db.Direct, nil)
		_, err := repo.CreateRatePlan(t.Context(), *plan)
		var invalid *dynastay.InvalidError
		if errors.As(err, &invalid) && plan.Advertised { // too long for the card
			plan.Advertised = false
			_, err = repo.CreateRatePlan(t.Context(), *plan)
		}
		require.NoError(t, err)
		h.plans[p.ID] = append(h.plans[p.ID], *plan)
	}
}

// rates draws what a night has for the plans of a property.
func (h *hotels) rates(d tariff.Draw, propertyID string, currency dynastay.Currency) map[string]rate {
	all := map[string]rate{}
	for _, plan := range h.plans[propertyID] {
		r := rate{stop: d.One(20)}
		if plan.Derived == nil && !d.One(10) {
			r.price = dynastay.MustMoney(tariff.Pick(d, "80", "99", "120", "150"), currency)
		}
		if d.One(10) {
			r.minStay = d.Between(2, 3)
		}
		if r != (rate{}) {
			all[plan.ID] = r
		}
	}
	return all
}

func ratesItem(rates map[string]rate) types.AttributeValue {
	all := map[string]types.AttributeValue{}
	for id, r := range rates {
		one := map[string]types.AttributeValue{}
		if r.price.IsSet() {
			one["P"] = &types.AttributeValueMemberN{Value: r.price.Amount()}
		}
		if r.stop {
			one["S"] = &types.AttributeValueMemberBOOL{Value: true}
		}
		if r.minStay > 0 {
			one["N"] = dynastay.Number(r.minStay)
		}
		all[id] = &types.AttributeValueMemberM{Value: one}
	}
	return &types.AttributeValueMemberM{Value: all}
}

// modelSale is a room type under a plan, or without one.
type modelSale struct {
	roomTypeID string
	room       properties.CardRoom
	plan, from *availability.RatePlan
	timeZone   string // of the property, by whose date days are ahead
}

func (s modelSale) String() string {
	if s.plan == nil {
		return s.roomTypeID
	}
	return s.roomTypeID + "/" + s.plan.ID
}

// sales returns what a property sells to guests, and meets the filters.
func (h *hotels) sales(r search.Request, card *properties.Card) (all []modelSale) {
	plans := slices.Clone(h.plans[card.PropertyID])
	slices.SortFunc(plans, func(a, b availability.RatePlan) int {
		return cmp.Or(cmp.Compare(a.DisplayOrder, b.DisplayOrder), strings.Compare(a.ID, b.ID))
	})
	for _, room := range card.Rooms {
		some := []modelSale{{roomTypeID: room.ID, room: room, timeZone: card.TimeZone}}
		for i := range plans {
			plan := &plans[i]
			if !plan.Advertised || plan.RoomTypeIDs != nil && !slices.Contains(plan.RoomTypeIDs, room.ID) {
				continue
			}
			s := modelSale{roomTypeID: room.ID, room: room, plan: plan, timeZone: card.TimeZone}
			if plan.Derived != nil && plan.Derived.From != "" {
				at := slices.IndexFunc(plans, func(p availability.RatePlan) bool { return p.ID == plan.Derived.From })
				s.from = &plans[at]
			}
			some = append(some, s)
		}
		if len(some) > 1 {
			some = some[1:]
		}
		for _, s := range some {
			policy, meals := cmp.Or(room.CancellationPolicy, card.CancellationPolicy), availability.MealPlan("")
			if s.plan != nil {
				policy, meals = cmp.Or(s.plan.CancellationPolicy, policy), s.plan.Meals.Plan
			}
			// The stay begins at least twenty days from now, and no free cancellation of the market ends earlier.
			if r.Filter.FreeCancellation && !strings.HasPrefix(string(policy), "free_cancellation_") {
				continue
			}
			if r.Filter.Meals == nil || slices.Contains(r.Filter.Meals, meals) {
				all = append(all, s)
			}
		}
	}
	return all
}

// asks reports whether a price under the sale depends on who stays.
func (s modelSale) asks() bool {
	if s.plan == nil {
		return false
	}
	party := s.plan.Party
	if party == nil && s.from != nil {
		party = s.from.Party
	}
	return party != nil || s.plan.Meals.Adult.IsSet() || len(s.plan.Meals.Bands) > 0
}

// price returns the price of one room for a party, with that of each night.
func (h *hotels) salePrice(r search.Request, s modelSale, party availability.Party) (price dynastay.Money, nights []charges.Price, left int, ok bool) {
	price, left, ok = h.price(s.roomTypeID, r.Stay)
	if !ok {
		return price, nil, left, false
	}
	if s.plan == nil {
		for date := range r.Stay.Dates() {
			nights = append(nights, charges.Price{Lodging: h.nights[s.roomTypeID][date].price})
		}
		return price, nights, left, true
	}
	from := s.plan.ID
	if s.plan.Derived != nil {
		from = s.plan.Derived.From
	}
	today := dynastay.DateOf(fixture.Now, must(time.LoadLocation(s.timeZone)))
	request := availability.RateRequest{Stay: r.Stay, Today: today, Party: party, From: s.from}
	for date := range r.Stay.Dates() {
		n := h.nights[s.roomTypeID][date]
		own := n.rates[s.plan.ID]
		if own.stop || date == r.Stay.CheckIn && own.minStay > r.Stay.Nights() {
			return price, nil, left, false
		}
		source := n.price
		if from != "" {
			source = n.rates[from].price
		}
		request.Sources = append(request.Sources, source)
	}
	priced, refused := tariff.Price(s.plan, request, &model.Tally{})
	if len(refused) > 0 {
		return price, nil, left, false
	}
	price = dynastay.Money{}
	for _, night := range priced {
		price = must(price.Add(night.Price))
		nights = append(nights, charges.Price{Lodging: night.Lodging, Meals: night.Meals})
	}
	return price, nights, left, true
}

// total returns what the guests pay for rooms. They are divided among them only if a price or a charge depends on it. It also
// returns the sales that do not sell to those who would stay there.
func (h *hotels) total(r search.Request, propertyID string, rooms []modelSale) (total dynastay.Money, unsold []string) {
	parties := []availability.Party{{Guests: r.Guests, ChildAges: slices.Sorted(slices.Values(r.ChildAges))}}
	if len(rooms) > 1 {
		var holds []availability.Limits
		for _, s := range rooms {
			holds = append(holds, s.room.Holds())
		}
		parties = search.Divide(parties[0], holds)
	}
	list := h.charges[propertyID]
	booked := charges.Booked{Stay: r.Stay, Adults: r.Guests.Adults, Children: r.Guests.Children}
	known := list != nil && list.AsksWhoStays() || slices.ContainsFunc(rooms, modelSale.asks)
	for i, s := range rooms {
		party, line := availability.Party{Guests: availability.Guests{Adults: 1}}, charges.Line{Rooms: 1}
		if s.asks() {
			party = parties[i]
		}
		if known {
			line.Guests = &charges.Guests{Adults: parties[i].Adults, Children: parties[i].Children, ChildAges: parties[i].ChildAges}
		}
		price, nights, _, ok := h.salePrice(r, s, party)
		if !ok {
			unsold = append(unsold, s.String())
			continue
		}
		total = must(total.Add(price))
		line.Nights = nights
		booked.Lines = append(booked.Lines, line)
	}
	if list != nil && len(unsold) == 0 {
		total = must(total.Add(levy.Bill(list, booked).Bill.Added))
	}
	return total, unsold
}

// one returns the price of one room that is as full as the guests can make it, first with adults.
func (h *hotels) one(r search.Request, s modelSale) (price dynastay.Money, left int, ok bool) {
	all := availability.Party{}
	for all.Adults < r.Guests.Adults && all.Adults < min(s.room.MaxAdults, s.room.MaxOccupancy) {
		all.Adults++
	}
	for all.Children < r.Guests.Children && all.Children < s.room.MaxChildren && all.Adults+all.Children < s.room.MaxOccupancy {
		all.Children++
	}
	ages := slices.Sorted(slices.Values(r.ChildAges))
	all.ChildAges = ages[:min(len(ages), all.Children)]
	price, _, left, ok = h.salePrice(r, s, all)
	return price, left, ok
}

// cheapest returns the cheapest sale of each room type.
func (h *hotels) cheapest(r search.Request, all []modelSale) (best []modelSale) {
	for _, s := range all {
		last := len(best) - 1
		if last < 0 || best[last].roomTypeID != s.roomTypeID {
			best = append(best, s)
			continue
		}
		price, _, ok := h.one(r, s)
		least, _, sold := h.one(r, best[last])
		if ok && (!sold || compareMoney(price, least) < 0) {
			best[last] = s
		}
	}
	return best
}

// addCharges gives every fourth property taxes and fees.
func (h *hotels) addCharges(t testing.TB, d *rand.Rand, p *properties.WithRooms) {
	t.Helper()
	if d.IntN(4) > 0 || p.Status != properties.Approved || len(p.Rooms) == 0 {
		return
	}
	currency, all := p.Rooms[0].BasePrice.Currency(), []charges.Component{charges.Lodging, charges.Meals}
	one := func(amount string) dynastay.Money { return dynastay.MustMoney(amount, currency) }
	choices := []charges.Charge{
		{ID: "vat", Rate: 7_0000, Per: charges.PerNight, Of: all[:1], Included: true},
		{ID: "service", Rate: 12_5000, Per: charges.PerNight, Of: all},
		{ID: "city", Amount: one("2"), Per: charges.PerGuestNight, FromAge: 12, FirstNights: 2},
		{ID: "luxury", Per: charges.PerGuestNight, Of: all[:1], Brackets: []charges.Bracket{{}, {From: one("60"), Amount: one("1")}, {From: one("120"), Amount: one("3")}}},
		{ID: "room", Amount: one("3"), Per: charges.PerRoomNight, MinStay: 2},
		{ID: "cleaning", Amount: one("25"), Per: charges.PerStay},
		{ID: "resort", Amount: one("20"), Per: charges.PerNight, AtProperty: true},
	}
	d.Shuffle(len(choices), func(i, j int) { choices[i], choices[j] = choices[j], choices[i] })
	list := &charges.List{PropertyID: p.ID}
	for _, c := range choices[:1+d.IntN(3)] {
		c.Name, c.Kind = "Charge "+c.ID, charges.Tax
		list.Charges = append(list.Charges, c)
	}
	_, err := properties.New(h.db.Direct, nil).UpdateCharges(t.Context(), p.ID, func(l *charges.List) error {
		l.Charges = list.Charges
		return nil
	})
	require.NoError(t, err)
	h.charges[p.ID] = list
}
