package offer_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/bookings/offer"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

var (
	now     = time.Date(2026, 6, 1, 12, 0, 0, 123456789, time.UTC)
	expires = now.Add(15 * time.Minute)
)

var (
	june = offer.Key{ID: "2026-06", Secret: []byte("a secret of June, 32 bytes long.")}
	july = offer.Key{ID: "2026_07", Secret: []byte("another secret, which is longer than 32 bytes")}
)

// reasons are all reasons for which Open refuses a token.
var reasons = []error{
	offer.ErrMalformed, offer.ErrUnknownVersion, offer.ErrUnknownKey, offer.ErrForged, offer.ErrOtherUser, offer.ErrExpired,
}

// newSealer returns a sealer of the longest offers.
func newSealer(t testing.TB, keys ...offer.Key) *offer.Sealer {
	t.Helper()
	s, err := offer.NewSealer(keys...)
	require.NoError(t, err)
	s.QuotesFor = availability.MaxQuoteAge
	return s
}

func seal(t testing.TB, s *offer.Sealer, o offer.Offer) string {
	t.Helper()
	token, err := s.Seal(o)
	require.NoError(t, err)
	return token
}

// refused checks that a token is refused for exactly one reason, and that the error says nothing about the token.
func refused(t testing.TB, reason error, got offer.Offer, err error, token string) {
	t.Helper()
	assert.Equal(t, offer.Offer{}, got)
	matched := []error{}
	for _, r := range reasons {
		if errors.Is(err, r) {
			matched = append(matched, r)
		}
	}
	require.Equal(t, []error{reason}, matched, "%q: %v", token, err)
	blame.Invalid(t, err, "Token")
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	for part := range strings.SplitSeq(token, ".") {
		if len(part) > len("2026-06") {
			assert.NotContains(t, err.Error(), part)
		}
	}
}

// anyReason returns the only reason that the error of Open may have if a token is not genuine.
func anyReason(t testing.TB, err error) error {
	t.Helper()
	for _, r := range reasons[:4] {
		if errors.Is(err, r) {
			return r
		}
	}
	require.Fail(t, "refused for no reason", "%v", err)
	return nil
}

// full is an offer in which no field has its zero value.
func full() offer.Offer {
	usd := func(amount string) dynastay.Money { return dynastay.MustMoney(amount, "USD") }
	stay := dynastay.MustStay("2026-07-10", "2026-07-13")
	nights := func(prices ...string) (all []availability.NightPrice) {
		for i, price := range prices {
			all = append(all, availability.NightPrice{Date: stay.CheckIn.AddDays(i), Price: usd(price)})
		}
		return all
	}
	return offer.Offer{
		Quote: &availability.Quote{
			Property: availability.House{ID: "prop_123", Name: "Bed & Breakfast <Zürich>", TimeZone: "Europe/Zurich", CheckInTime: "15:00"},
			Stay:     stay,
			Guests:   availability.Guests{Adults: 5, Children: 1},
			Overbook: 2,
			Lines: []availability.Line{
				{
					RoomTypeID: "room_1", Name: "Deluxe King", Quantity: 2, CancellationPolicy: availability.FreeCancellation(48),
					Nights: nights("280.00", "279.50", "0"), Subtotal: usd("1119.00"),
					Overbooked: []dynastay.Date{stay.CheckIn, stay.LastNight()},
				},
				{
					RoomTypeID: "room_2", Name: "Twin", Quantity: 1, CancellationPolicy: availability.NonRefundable,
					Nights: nights("100", "100", "100.01"), Subtotal: usd("300.01"),
					Overbooked: []dynastay.Date{dynastay.MustDate("2026-07-11")},
				},
			},
			Sleeps: availability.Limits{MaxAdults: 6, MaxChildren: 3, MaxOccupancy: 7},
			Total:  usd("1419.01"),
			At:     now,
		},
		UserID:       "user_456",
		TaxesAndFees: usd("83.85"),
		PromoCode:    "SUMMER 2026",
		Discounts:    usd("15.00"),
		BookingID:    "bkg_12345",
		Version:      7,
		Expires:      expires,
	}
}

// simple is a typical offer: three nights of one room type.
func simple() offer.Offer {
	o := full()
	o.Quote.Guests, o.Quote.Overbook = availability.Guests{Adults: 2}, 0
	o.Quote.Lines = o.Quote.Lines[:1]
	l := &o.Quote.Lines[0]
	l.Quantity, l.Overbooked = 1, nil
	l.Nights[2].Price = dynastay.MustMoney("280.00", "USD")
	l.Subtotal = dynastay.MustMoney("839.50", "USD")
	o.Quote.Total = l.Subtotal
	o.BookingID, o.Version = "", 0
	return o
}

func usd(amount string) dynastay.Money { return dynastay.MustMoney(amount, "USD") }

// halfBoard are the terms of a plan as a quote has them.
func halfBoard() *availability.RatePlan {
	return &availability.RatePlan{
		PropertyID: "prop_123", ID: "hb", Name: "Half board", CancellationPolicy: availability.FreeCancellation(24),
		Derived: &availability.Derivation{From: "flex", Percent: -10_00, Step: usd("1")},
		Party: &availability.PartyPrices{
			Included: 2, ExtraAdult: availability.Supplement{Amount: usd("40")}, SingleUse: availability.Supplement{Percent: -20_00},
			Bands: []availability.AgeBand{{Through: 2}, {Through: 11, WithBed: availability.Supplement{Amount: usd("30")}}},
		},
		Meals: availability.Meals{
			Plan: availability.HalfBoard, Added: true, Adult: usd("34"),
			Bands: []availability.MealBand{{Through: 2}, {Through: 11, Amount: usd("17")}},
		},
		Discounts: availability.Discounts{Length: []availability.NightsDiscount{{Nights: 3, Percent: 5_00}}},
	}
}

// planned is complete with a plan, a party and a number in each line. No field of the offer has its zero value.
func planned() offer.Offer {
	o := complete()
	q := o.Quote
	q.Guests.Children, q.Sleeps.MaxOccupancy = 3, 8
	at := func(date string, price, source, meals string, steps ...availability.Step) availability.NightPrice {
		return availability.NightPrice{Date: dynastay.MustDate(date), Price: usd(price), Source: usd(source), Meals: usd(meals), Steps: steps}
	}
	step := func(kind availability.StepKind, amount string) availability.Step {
		return availability.Step{Kind: kind, Amount: usd(amount)}
	}
	one, two := &q.Lines[0], &q.Lines[1]
	one.Number, one.Plan = 2, halfBoard()
	one.Party = &availability.Party{Guests: availability.Guests{Adults: 2, Children: 1}, ChildAges: []int{8}, ExtraBeds: 1}
	one.Nights = []availability.NightPrice{ // the steps lead to the prices
		at("2026-07-10", "280", "200.5", "85", step(availability.StepDerived, "-19.5"), step(availability.StepParty, "30"),
			step(availability.StepLength, "-16"), step(availability.StepMeals, "85")),
		at("2026-07-11", "194.5", "60", "85", step(availability.StepParty, "49.5"), step(availability.StepMeals, "85")),
		at("2026-07-12", "85", "0", "85", step(availability.StepMeals, "85")),
	}
	two.Number, two.Plan = 1, &availability.RatePlan{PropertyID: "prop_123", ID: "flex", Name: "Flexible <&>"}
	two.Party = &availability.Party{Guests: availability.Guests{Adults: 1, Children: 1}}
	two.Nights = []availability.NightPrice{ // they do not
		at("2026-07-10", "100", "101", "0"), at("2026-07-11", "100", "100", "0", step("later", "-1"), step(availability.StepDerived, "2")),
		at("2026-07-12", "100.01", "0", "0"),
	}
	return o
}

// charged has every field of the charges, some of which exclude one another.
func charged() offer.Offer {
	o := planned()
	o.TaxesAndFees, o.Discounts = dynastay.Money{}, usd("50")
	q := o.Quote
	amounts := func(all ...string) (of []dynastay.Money) {
		for _, amount := range all {
			of = append(of, usd(amount))
		}
		return of
	}
	q.Discounts = o.Discounts
	q.Charges = &charges.Bill{
		Entries: []charges.Entry{
			{
				ID: "city", Name: "City tax", Kind: charges.Tax, Rate: 5_8750, AtProperty: true, Kept: charges.KeptIfStayed, Amount: usd("30.01"),
				Base: usd("510.77"), Lines: amounts("20", "10.01"), Nights: amounts("10", "10.01", "10"),
			},
			{ID: "vat", Name: "VAT", Kind: charges.Tax, Included: true, Amount: usd("0.3"), Lines: amounts("0.2", "0.1")},
			{ID: "fee", Name: "Fee", Kind: charges.Fee, Amount: usd("7"), Lines: amounts("7", "0")},
			{ID: "deposit", Name: "Deposit", Kind: charges.Deposit, Amount: usd("100"), Lines: amounts("60", "40")},
		},
		Included: usd("0.3"), Added: usd("7"), AtProperty: usd("30.01"), Deposits: usd("100"),
	}
	return o
}

// family is a typical offer under a plan: three nights of one room type, for two adults and a child.
func family() offer.Offer {
	o := simple()
	l := &o.Quote.Lines[0]
	l.Plan = halfBoard()
	l.Party = &availability.Party{Guests: availability.Guests{Adults: 2, Children: 1}, ChildAges: []int{8}, ExtraBeds: 1}
	o.Quote.Guests = l.Party.Guests
	for i, source := range []string{"200", "200", "240"} {
		l.Nights[i].Source, l.Nights[i].Meals = usd(source), usd("85")
		derived, party, length := "-20", "30", "-10.50"
		if i == 2 {
			derived, length = "-24", "-12.30"
		}
		l.Nights[i].Steps = []availability.Step{
			{Kind: availability.StepDerived, Amount: usd(derived)}, {Kind: availability.StepParty, Amount: usd(party)},
			{Kind: availability.StepLength, Amount: usd(length)}, {Kind: availability.StepMeals, Amount: usd("85")},
		}
	}
	l.Nights[0].Price, l.Nights[1].Price, l.Nights[2].Price = usd("284.50"), usd("284.50"), usd("318.70")
	l.Subtotal = usd("887.70")
	o.Quote.Total = l.Subtotal
	return o
}
