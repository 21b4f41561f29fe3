package bookings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// A modification that plans refuse has what they refuse, once, and nothing else. The booking has a room under half for two
// adults, at 150 + 75 + 60 for meals a night.
func TestModificationThatPlansRefuse(t *testing.T) {
	t.Parallel()
	inns := newInnWithPlans(t)
	minStay := func(plans []availability.RatePlan) { plans[0].Conditions.MinStay = 5 }
	longer := dynastay.MustStay("2026-07-05", "2026-07-09")
	for _, test := range []struct {
		name   string
		booked func(plans []availability.RatePlan) // the terms when it is booked
		now    func(plans []availability.RatePlan) // and those of today
		stay   dynastay.Stay
		want   []under
		nights []availability.RefusedNight // of the room type
	}{
		{"a room more for less than the minimum stay", nil, minStay, innStay, []under{{"flex", 1, adults(2)}, {"half", 1, adults(2)}},
			[]availability.RefusedNight{{RatePlanID: "flex", Date: innStay.CheckIn, Reason: availability.MinStay, Nights: 5}}},
		{"two rooms more, of which the plan sells one",
			nil, func(plans []availability.RatePlan) {
				plans[3].Meals.Added, plans[3].Meals.Bands[0].Amount = false, dollarsOf("500")
			}, innStay, []under{{"half", 2, adults(2)}, {"half", 1, withChildren(4)}},
			[]availability.RefusedNight{
				{RatePlanID: "half", Date: innStay.CheckIn, Reason: availability.NotOnSale},
				{RatePlanID: "half", Date: innStay.CheckIn.AddDays(1), Reason: availability.NotOnSale},
				{RatePlanID: "half", Date: innStay.CheckIn.AddDays(2), Reason: availability.NotOnSale},
			}},
		{"a guest less, with meals for more than the room",
			func(plans []availability.RatePlan) {
				plans[3].Party.SingleUse.Percent = -100_00
				plans[3].Meals.Added = false
			}, nil, innStay, []under{{"half", 1, adults(1)}},
			[]availability.RefusedNight{
				{RatePlanID: "half", Date: innStay.CheckIn, Reason: availability.NotOnSale},
				{RatePlanID: "half", Date: innStay.CheckIn.AddDays(1), Reason: availability.NotOnSale},
				{RatePlanID: "half", Date: innStay.CheckIn.AddDays(2), Reason: availability.NotOnSale},
			}},
		{"longer than the maximum stay",
			func(plans []availability.RatePlan) { plans[3].Conditions.MaxStay = 3 }, nil, longer, []under{{"half", 1, adults(2)}},
			[]availability.RefusedNight{{RatePlanID: "half", Date: longer.CheckIn, Reason: availability.MaxStay, Nights: 3}}},
		{"two lines under a plan that is not sold any more",
			nil, func(plans []availability.RatePlan) { plans[2].Active = false }, dynastay.MustStay("2026-07-05", "2026-07-06"),
			[]under{{"long", 1, adults(1)}, {"long", 1, adults(2)}},
			[]availability.RefusedNight{{RatePlanID: "long", Date: innStay.CheckIn, Reason: availability.NotOnSale}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.nextWithPlans(t)
			req := i.requestUnder(innStay, under{"half", 1, adults(2)})
			if test.booked != nil {
				test.booked(req.RatePlans)
			}
			q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
			require.NoError(t, err)
			b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
			require.NoError(t, err)
			req = i.requestUnder(test.stay, test.want...)
			if test.now != nil {
				test.now(req.RatePlans)
			}
			_, err = i.repo.QuoteModification(t.Context(), b.ID, req)
			for n := range test.nights {
				test.nights[n].RoomTypeID = i.roomType("a")
			}
			assert.Equal(t, test.nights, blame.As[*bookings.Refused](t, err).Nights)
		})
	}
}

// Who stays must be said if the terms that a line was sold at depend on it, although those of today do not.
func TestModificationNeedsPartiesForOldTerms(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	b := i.bookPlans(t, innStay, under{"flex", 2, adults(2)})
	req := i.requestUnder(dynastay.MustStay("2026-07-05", "2026-07-09"), under{"flex", 2, adults(2)})
	req.RatePlans[0].Party, req.Rooms[0].Party = nil, nil
	_, err := i.repo.QuoteModification(t.Context(), b.ID, req)
	blame.Invalid(t, err, "Rooms")
}
