package bookings_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/keys"
)

// plans are those of an inn: flex has prices of its own, 120 a night; nonref is derived from it, long from the price of the
// night, and half has prices of its own, 150 a night, and meals.
func (i *inn) plans() []availability.RatePlan {
	plan := func(id string, policy availability.CancellationPolicy) availability.RatePlan {
		return availability.RatePlan{PropertyID: i.id, ID: id, Name: "Plan " + id, CancellationPolicy: policy, Active: true}
	}
	flex, nonref := plan("flex", availability.FreeCancellation(48)), plan("nonref", availability.NonRefundable)
	long, half := plan("long", availability.FreeCancellation(48)), plan("half", availability.FreeCancellation(48))
	flex.Party = &availability.PartyPrices{SingleUse: availability.Supplement{Amount: dollarsOf("-20")}}
	nonref.Derived = &availability.Derivation{From: "flex", Percent: -10_00}
	long.Derived = &availability.Derivation{}
	long.Discounts = availability.Discounts{Length: []availability.NightsDiscount{{Nights: 10, Percent: 30_00}}, FreeNight: 4}
	half.Meals = availability.Meals{
		Plan: availability.HalfBoard, Added: true, Adult: dollarsOf("30"),
		Bands: []availability.MealBand{{Through: 5, Amount: dollarsOf("0")}, {Through: 17, Amount: dollarsOf("15")}},
	}
	half.Party = &availability.PartyPrices{
		Included: 1, ExtraAdult: availability.Supplement{Percent: 50_00},
		Bands: []availability.AgeBand{{Through: 17, Bedless: availability.Supplement{Amount: dollarsOf("10")}}},
	}
	return []availability.RatePlan{flex, nonref, long, half}
}

// price gives the nights of room type "a" prices for the plans that have some of their own.
func (i *inn) price(t *testing.T, flex, half int) {
	t.Helper()
	for date := range innNights.Dates() {
		change(t, i.DB, nightKey(i.roomType("a"), date), "Rates = :v", dynastay.Item{":v": rates(flex, half, nil)})
	}
}

// rates is what a night has for the plans, and whatever else flex has.
func rates(flex, half int, more dynastay.Item) types.AttributeValue {
	of := func(price int, more dynastay.Item) types.AttributeValue {
		m := dynastay.Item{"P": dynastay.Number(price)}
		for name, v := range more {
			m[name] = v
		}
		return &types.AttributeValueMemberM{Value: m}
	}
	return &types.AttributeValueMemberM{Value: dynastay.Item{"flex": of(flex, more), "half": of(half, nil)}}
}

// openAlso opens further nights of room type "a", with the prices of an inn with plans.
func (i *inn) openAlso(t *testing.T, nights dynastay.Stay) {
	t.Helper()
	require.NoError(t, i.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for date := range nights.Dates() {
			night := i.night("a", date)
			night["Rates"] = rates(120, 150, nil)
			if !yield(keys.AvailabilityTable, night) {
				return
			}
		}
	}))
}

// newInnWithPlans is an inn whose room type "a" is sold under plans.
func newInnWithPlans(t *testing.T) *inn {
	t.Helper()
	i := newInn(t)
	i.price(t, 120, 150)
	return i
}

// nextWithPlans is the next inn with plans.
func (i *inn) nextWithPlans(t *testing.T) *inn {
	t.Helper()
	other := i.next(t)
	other.price(t, 120, 150)
	return other
}

// under are rooms of type "a" under a plan for a party.
type under struct {
	plan  string
	rooms int
	party *availability.Party
}

func adults(n int) *availability.Party {
	return &availability.Party{Guests: availability.Guests{Adults: n}}
}

// withChildren is a party with two adults.
func withChildren(ages ...int) *availability.Party {
	return &availability.Party{Guests: availability.Guests{Adults: 2, Children: len(ages)}, ChildAges: ages}
}

// requestUnder asks for rooms of type "a".
func (i *inn) requestUnder(stay dynastay.Stay, want ...under) availability.QuoteRequest {
	req := availability.QuoteRequest{Property: availability.House{ID: i.id, Name: "The Inn", CheckInTime: "15:00"}, Stay: stay, RatePlans: i.plans()}
	for _, w := range want {
		req.Rooms = append(req.Rooms, availability.Room{
			RoomTypeID: i.roomType("a"), Name: "Room a", Quantity: w.rooms, RatePlanID: w.plan, Party: w.party,
			Limits: availability.Limits{MaxOccupancy: 4, MaxAdults: 2, MaxChildren: 2},
		})
		req.Guests.Adults += w.party.Adults * w.rooms
		req.Guests.Children += w.party.Children * w.rooms
	}
	return req
}

// quoteUnder quotes rooms, which must be possible.
func (i *inn) quoteUnder(t *testing.T, stay dynastay.Stay, want ...under) *availability.Quote {
	t.Helper()
	q, err := availability.New(i.DB.DB).Quote(t.Context(), i.requestUnder(stay, want...))
	require.NoError(t, err)
	return q
}

// bookPlans books rooms, which must be possible.
func (i *inn) bookPlans(t *testing.T, stay dynastay.Stay, want ...under) *bookings.Booking {
	t.Helper()
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: i.quoteUnder(t, stay, want...), UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	return b
}
